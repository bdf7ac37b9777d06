//! Finding answers without reading logs.

use super::*;
use crate::{DecisionFilter, Decisions, digest_of};

/// A run that somebody was asked in once, and answered.
fn decided(store: &Store, run: &str, rehearsal: bool, change: impl FnOnce(&mut Decision)) -> At {
    let mut s = Script::new(run);
    let signal = Workflow::new("signal".into(), "Signal".to_owned(), Format::Stepwise, Vec::new());
    s.push(Event::RunCreated(Arc::new(RunCreated {
        by: "Ada".into(),
        rehearsal,
        ..RunCreated::new(s.run.clone(), &signal, "flows/signal.yaml", digest_of(b""), "test")
    })));
    s.push(Event::RunStarted);
    s.begin("publish", 1, 1)
        .end("publish", 1, 1, reported(&[]), None)
        .push(gate("publish", 1, 1, Vec::new()));
    let mut event = answer("publish", 1, Answer::Approve, Vec::new());
    if let Event::GateAnswered(decision) = &mut event {
        change(Arc::make_mut(decision));
    }
    s.push(event);
    store.append(&s.run, 0, &s.batch, &s.state).unwrap();
    s.batch.last().unwrap().0
}

fn runs(found: &Decisions) -> Vec<&str> {
    found.rows.iter().map(|row| row.run.as_str()).collect()
}

#[test]
fn answers_are_found_by_day_person_answer_workflow_and_words() {
    let store = Store::open_memory().unwrap();
    let at = decided(&store, "run-1", false, |_| {});
    decided(&store, "run-2", false, |decision| {
        decision.answer = Answer::Reject;
        decision.by = "Ada".into();
        decision.comment = "Nicht ÜBER 5000, 100%".into();
    });
    let find = |filter: DecisionFilter| store.decisions(&filter).unwrap();
    let all = find(DecisionFilter::default());
    assert_eq!((runs(&all), all.total, all.left_out), (vec!["run-2", "run-1"], 2, 0));
    assert_eq!((all.rows[0].title.as_str(), all.rows[0].round), ("Signal", 1));
    let one = find(DecisionFilter {
        limit: Some(1),
        ..DecisionFilter::default()
    });
    assert_eq!((runs(&one), one.total), (vec!["run-2"], 2));
    let narrowed = |change: &dyn Fn(&mut DecisionFilter)| {
        let mut filter = DecisionFilter::default();
        change(&mut filter);
        runs(&find(filter)).join(" ")
    };
    assert_eq!(narrowed(&|f| f.by = Some("Ada".into())), "run-2");
    assert_eq!(
        narrowed(&|f| f.by = Some(" ADA".into())),
        "run-2",
        "capital letters make nobody another"
    );
    assert_eq!(narrowed(&|f| f.by = Some("ad".into())), "", "a name, not a part of one");
    assert_eq!(narrowed(&|f| f.answer = Some(Answer::Approve)), "run-1");
    assert_eq!(narrowed(&|f| f.answer = Some(Answer::Choose)), "");
    for workflow in ["Signal", "signal", "flows/signal.yaml"] {
        assert_eq!(narrowed(&|f| f.workflow = Some(workflow.into())), "run-2 run-1");
    }
    assert_eq!(narrowed(&|f| f.workflow = Some("sig".into())), "");
    for (words, expected) in [
        (["über", "5000"], "run-2"),
        (["go on", "GOOD"], "run-1"),
        (["%", "nicht"], "run-2"),
        (["go", "_"], ""),
    ] {
        let words: Vec<String> = words.map(str::to_owned).to_vec();
        assert_eq!(narrowed(&|f| f.words.clone_from(&words)), expected, "{words:?}");
    }
    assert_eq!(narrowed(&|f| f.since = Some(at)), "run-2 run-1");
    assert_eq!(narrowed(&|f| f.since = Some(At(at.0 + 1))), "");
    assert_eq!(narrowed(&|f| f.until = Some(at)), "", "the end is not part of it");
}

#[test]
fn rehearsals_are_left_out_and_counted_and_a_script_is_nobody() {
    let store = Store::open_memory().unwrap();
    decided(&store, "run-1", false, |_| {});
    decided(&store, "run-2", true, |_| {});
    decided(&store, "run-3", true, |decision| {
        decision.by = "Siri".into();
        decision.via = Decision::SCENARIO.into();
    });
    let real = store.decisions(&DecisionFilter::default()).unwrap();
    assert_eq!((runs(&real), real.total, real.left_out), (vec!["run-1"], 1, 2));
    let with = DecisionFilter {
        rehearsals: true,
        ..DecisionFilter::default()
    };
    let all = store.decisions(&with).unwrap();
    assert_eq!((all.total, all.left_out), (3, 0));
    let by = |name: &str| {
        let filter = DecisionFilter {
            by: Some(name.into()),
            ..with.clone()
        };
        store.decisions(&filter).unwrap().total
    };
    assert_eq!((by("Grace"), by("Siri")), (2, 0));
    assert_eq!(store.deciders().unwrap(), ["Grace"]);
    assert_eq!(store.people().unwrap(), ["Ada", "Grace"]);
    assert_eq!(store.decided_workflows().unwrap(), ["Signal"]);
}

/// What cannot be read is listed: whoever reads its log says so.
#[test]
fn an_answer_that_cannot_be_read_stays_in_the_list() {
    let store = Store::open_memory().unwrap();
    decided(&store, "run-1", false, |_| {});
    store
        .sql(|c| c.execute("UPDATE gates SET decision = 'no json'", []))
        .unwrap();
    let words = DecisionFilter {
        words: vec!["good".into()],
        ..DecisionFilter::default()
    };
    assert_eq!(store.decisions(&DecisionFilter::default()).unwrap().total, 1);
    assert_eq!(store.decisions(&words).unwrap().total, 0);
    assert!(store.deciders().unwrap().is_empty());
}
