use crate::{Batch, Error, Fold, Folded, Live, Log, Run};
use engine::{At, Decided, Event, RunId, RunState, fold};
use std::cell::Cell;
use store::{Store, Stored};

fn created(run: &RunId) -> Event {
    let created = serde_json::json!({
        "type": "run_created", "version": engine::EVENT_VERSION, "run_id": run, "workflow": "w", "title": "W", "format": "stepwise",
        "path": "w.yaml", "source": "0".repeat(64), "initiator": "test", "by": "Ada", "inputs": {}, "engines": {}, "limits": engine::Limits::default(),
        "policy": {}, "folders": {}
    });
    serde_json::from_value(created).expect("an event")
}

fn batch(state: &RunState, events: impl IntoIterator<Item = Event>) -> Batch {
    let mut batch = Batch::on(state);
    for event in events {
        let at = At(i64::try_from(batch.state().seq).expect("few") + 1);
        let mut state = batch.state().clone();
        engine::apply(&mut state, at, &event);
        let events = vec![event];
        batch.add(at, Decided { events, state });
    }
    batch
}

fn pauses(count: usize) -> impl Iterator<Item = Event> {
    let by = || "Ada".to_owned();
    (0..count).map(move |n| match n % 2 {
        0 => Event::Paused { by: by(), given: None },
        _ => Event::Resumed { by: by(), given: None },
    })
}

/// A run of so many events.
fn run_of(store: &Store, count: usize) -> Live {
    let id = RunId::from("r".to_owned());
    let mut live = Live::new(id.clone());
    live.commit(store, &[], |state| {
        let first = [created(&id), Event::RunStarted];
        Ok::<_, Error>(batch(state, first.into_iter().chain(pauses(count - 2))))
    })
    .expect("it is written");
    live
}

#[test]
fn the_state_of_every_event_is_the_fold_of_the_log_up_to_it() {
    let store = Store::open_memory().expect("a store");
    let live = run_of(&store, 700);
    let mut run = Run::open(&store, live.run()).expect("the run");
    assert_eq!(run.live().state(), live.state());
    for at in 0..=700 {
        let until = run.until(Some(at));
        assert_eq!((until.len() as u64, until.last().map_or(0, |e| e.seq)), (at, at));
        assert_eq!(
            run.at(Some(at)),
            fold(until.iter().map(|e| (e.at, &e.event))),
            "at {at}"
        );
    }
    assert_eq!(run.at(None).seq, 700);
    // Whoever looks at an older one keeps it while it grows.
    let before = run.clone();
    let mut other = live;
    other
        .commit(&store, &[], |state| Ok::<_, Error>(batch(state, pauses(300))))
        .expect("more");
    assert!(run.catch_up(&store).expect("read") && !run.catch_up(&store).expect("read"));
    assert_eq!((before.events().len(), run.events().len()), (700, 1000));
    assert_eq!(run.at(Some(699)), before.at(Some(699)));
    assert_eq!(run.live().state(), other.state());
}

#[test]
fn what_others_wrote_is_decided_upon_again() {
    let store = Store::open_memory().expect("a store");
    let mut first = run_of(&store, 2);
    let mut second = Live::open(&store, first.run()).expect("the run");
    let pause = |state: &RunState| match state.paused {
        false => Ok(batch(state, pauses(1))),
        true => Err(Error::Contended(RunId::from("paused already".to_owned()))),
    };
    first.commit(&store, &[], pause).expect("the first");
    let asked = Cell::new(0);
    let refused = second.commit(&store, &[], |state| {
        asked.set(asked.get() + 1);
        pause(state)
    });
    assert!(refused.is_err() && asked.get() == 2);
    assert_eq!(second.state(), first.state());
    assert_eq!(store.events(first.run(), 0, 10).expect("read").len(), 3);
    let nothing = second.commit(&store, &[], |state| Ok::<_, Error>(Batch::on(state)));
    assert!(nothing.expect("nothing to do").is_empty());
}

#[test]
fn a_run_nobody_knows_is_not_opened() {
    let store = Store::open_memory().expect("a store");
    let nobody = RunId::from("nobody".to_owned());
    assert!(matches!(
        Live::open(&store, &nobody),
        Err(store::Error::UnknownRun { .. })
    ));
    assert!(matches!(
        Run::open(&store, &nobody),
        Err(store::Error::UnknownRun { .. })
    ));
}

#[derive(Clone, Copy, Default, Debug, PartialEq)]
struct Sum(u64);

impl Fold for Sum {
    fn push(&mut self, stored: &Stored) {
        self.0 += stored.seq;
    }
}

#[test]
fn a_fold_has_marks_of_its_own() {
    let stored = |seq| Stored {
        seq,
        at: At(0),
        event: Event::RunStarted,
        hash: [0; 32],
        fits: true,
    };
    let log: Log = (1..=400).map(stored).collect();
    let mut sums = Folded::new(Sum::default());
    for grown in [1, 127, 128, 130, 300, 400] {
        let (before, copy) = (*sums.now(), sums.clone());
        sums.catch_up(log.events().prefix(grown));
        assert_eq!(*copy.now(), before, "a copy stays where it is");
        for len in 0..=grown {
            let wanted = (len * (len + 1) / 2) as u64;
            assert_eq!(sums.at(log.events().prefix(len)), Sum(wanted), "{len} of {grown}");
        }
    }
    assert_eq!(*sums.now(), Sum(80_200));
    let seqs: Vec<u64> = log.events().from(254).map(|e| e.seq).take(3).collect();
    assert_eq!(seqs, [255, 256, 257]);
    let last: Vec<u64> = log.events().iter().rev().map(|e| e.seq).take(2).collect();
    assert_eq!(last, [400, 399]);
    assert_eq!(log.events().with_seq(129).map(|e| e.seq), Some(129));
    assert!(log.events().with_seq(401).is_none());
}
