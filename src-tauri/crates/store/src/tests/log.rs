//! Append, read, load, conflict, the chain.

use super::*;
use crate::chain::body_of;
use crate::{Append, Error, chain_hash, digest_of, first_link};

#[test]
fn what_is_appended_is_read_back_after_reopening() {
    let project = tempfile::tempdir().unwrap();
    let written = {
        let store = Store::open(project.path()).unwrap();
        sample(&store, "run-1")
    };
    let store = Store::open(project.path()).unwrap();
    let events = store.events(&written.run, 0, usize::MAX).unwrap();
    assert_eq!(
        events.iter().map(|s| (s.at, s.event.clone())).collect::<Vec<_>>(),
        written.batch
    );
    assert_eq!(
        events.iter().map(|s| s.seq).collect::<Vec<_>>(),
        (1..=written.batch.len() as u64).collect::<Vec<_>>()
    );
    let mut link = first_link(&written.run);
    for stored in &events {
        link = chain_hash(&link, stored.seq, &body_of(stored.at, &stored.event).unwrap());
        assert_eq!(stored.hash, link);
    }
    let (state, head) = store.load(&written.run).unwrap();
    assert_eq!(state, written.state);
    assert_eq!((head.seq, head.hash), (written.state.seq, link));
    assert_eq!(store.head(&written.run).unwrap(), Some(head));
    assert_eq!(store.events(&written.run, 3, 2).unwrap(), events[3..5]);
    assert!(store.events(&"nobody".into(), 0, 9).unwrap().is_empty());
    assert!(matches!(store.load(&"nobody".into()), Err(Error::UnknownRun { .. })));
}

#[test]
fn what_was_left_unmet_is_known_without_a_look_at_the_log() {
    let store = Store::open_memory().unwrap();
    let run = sample(&store, "run-1");
    let steps = store
        .sql(|c| {
            let mut query = c.prepare(&format!("EXPLAIN QUERY PLAN {}", crate::schema::HAS_UNMET))?;
            let rows = query.query_map(["run-1"], |row| row.get::<_, String>(3))?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })
        .unwrap();
    assert!(steps.iter().any(|step| step.contains("events_unmet")), "{steps:?}");
    for word in crate::UNMET {
        assert!(crate::schema::HAS_UNMET.contains(&format!("'{word}'")), "{word}");
    }
    assert!(!store.may_be_unmet(&run.run).unwrap());
}

#[test]
fn a_batch_decided_on_an_old_state_is_refused() {
    let store = Store::open_memory().unwrap();
    let run = sample(&store, "run-1");
    let seq = run.state.seq;
    let mut late = run.state.clone();
    let event = Event::Paused {
        by: "Ada".into(),
        given: None,
    };
    apply(&mut late, At(5), &event);
    let batch = [(At(5), event)];
    let again = store.append(&run.run, seq - 1, &batch, &late);
    assert!(matches!(again, Err(Error::Conflict { expected, actual, .. }) if expected == seq - 1 && actual == seq));
    assert_eq!(store.events(&run.run, 0, 100).unwrap().len() as u64, seq);
    store.append(&run.run, seq, &batch, &late).unwrap();
    assert_eq!(store.load(&run.run).unwrap().0, late);
}

#[test]
fn a_batch_that_does_not_fit_its_state_or_run_is_refused() {
    let store = Store::open_memory().unwrap();
    let run = sample(&store, "run-1");
    let mut other = Script::new("run-2");
    other.create(digest_of(b""));
    for wrong in [
        store.append(&other.run, 0, &other.batch[..1], &other.state),
        store.append(&"run-3".into(), 0, &other.batch, &other.state),
        store.append(
            &other.run,
            0,
            &run.batch[2..4],
            &RunState {
                seq: 2,
                ..run.state.clone()
            },
        ),
    ] {
        assert!(matches!(wrong, Err(Error::Inconsistent { .. })), "{wrong:?}");
    }
    assert!(store.run("run-2").unwrap().is_none());
}

#[test]
fn group_commit_writes_many_runs_and_refuses_only_the_late_one() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    let scripts: Vec<Script> = (0..5)
        .map(|i| {
            let mut s = Script::new(&format!("run-{i}"));
            s.create(digest_of(b""));
            s
        })
        .collect();
    let mut batches: Vec<Append<'_>> = scripts
        .iter()
        .map(|s| Append {
            run: &s.run,
            expected_seq: 0,
            batch: &s.batch,
            after: &s.state,
        })
        .collect();
    batches[2].expected_seq = 7;
    let done = store.append_many(&batches).unwrap();
    assert_eq!(
        done.iter().map(Result::is_ok).collect::<Vec<_>>(),
        [true, true, false, true, true]
    );
    assert!(matches!(
        &done[2],
        Err(Error::Conflict {
            expected: 7,
            actual: 0,
            ..
        })
    ));
    assert_eq!(store.runs(&crate::RunFilter::default()).unwrap().len(), 4);

    // Batches of one run follow each other in one transaction.
    let s = &scripts[0];
    let events = [
        (
            At(1),
            Event::Paused {
                by: "a".into(),
                given: None,
            },
        ),
        (
            At(2),
            Event::Resumed {
                by: "a".into(),
                given: None,
            },
        ),
    ];
    let mut first = s.state.clone();
    apply(&mut first, events[0].0, &events[0].1);
    let mut second = first.clone();
    apply(&mut second, events[1].0, &events[1].1);
    let done = store
        .append_many(&[
            Append {
                run: &s.run,
                expected_seq: 2,
                batch: &events[..1],
                after: &first,
            },
            Append {
                run: &s.run,
                expected_seq: 3,
                batch: &events[1..],
                after: &second,
            },
        ])
        .unwrap();
    assert!(done.iter().all(Result::is_ok));
    assert_eq!(store.load(&s.run).unwrap().0, second);
}

#[test]
fn events_and_blobs_can_be_neither_changed_nor_deleted() {
    let store = Store::open_memory().unwrap();
    sample(&store, "run-1");
    for statement in [
        "UPDATE events SET at = 1",
        "DELETE FROM events WHERE seq = 1",
        "UPDATE blobs SET bytes = x'00'",
        "DELETE FROM blobs",
    ] {
        let refused = store.writer().execute(statement, []).unwrap_err().to_string();
        assert!(refused.contains("never"), "{statement}: {refused}");
    }
}

#[test]
fn two_processes_race_and_nothing_is_lost() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    let mut s = Script::new("run-1");
    s.create(digest_of(b""));
    s.save(&store);
    let writers: Vec<_> = (0..4)
        .map(|i| {
            let (path, run) = (project.path().to_owned(), s.run.clone());
            std::thread::spawn(move || {
                let store = Store::open(&path).unwrap();
                let mut conflicts = 0;
                for n in 0..25 {
                    loop {
                        let (mut state, head) = store.load(&run).unwrap();
                        let event = Event::Paused {
                            by: format!("{i}:{n}"),
                            given: None,
                        };
                        apply(&mut state, At(n), &event);
                        match store.append(&run, head.seq, &[(At(n), event)], &state) {
                            Ok(_) => break,
                            // Whoever does not get its turn for seconds is refused, and nothing is written.
                            Err(Error::Conflict { .. } | Error::Locked { .. }) => conflicts += 1,
                            Err(other) => panic!("{other}"),
                        }
                    }
                }
                conflicts
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    let events = store.events(&s.run, 2, 1_000).unwrap();
    let mut names: Vec<String> = events
        .iter()
        .map(|e| match &e.event {
            Event::Paused { by, .. } => by.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 100);
}

#[test]
fn a_commit_elsewhere_changes_the_data_version() {
    let project = tempfile::tempdir().unwrap();
    let (one, two) = (
        Store::open(project.path()).unwrap(),
        Store::open(project.path()).unwrap(),
    );
    let before = one.data_version().unwrap();
    assert_eq!(one.data_version().unwrap(), before);
    two.set_setting("a", "1").unwrap();
    let theirs = one.data_version().unwrap();
    assert!(theirs > before);
    one.set_setting("a", "2").unwrap();
    assert!(one.data_version().unwrap() > theirs, "our own writes count as well");
    let memory = Store::open_memory().unwrap();
    let before = memory.data_version().unwrap();
    memory.put_blob(b"x").unwrap();
    assert!(memory.data_version().unwrap() > before);
}
