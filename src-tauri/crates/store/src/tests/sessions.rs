//! A run as a session (seed 003), against a validator of its schema; ours is tried in the tests of the runtime and of the samples.

#[path = "../../../../../tests/src/ajv.rs"]
mod ajv;

use super::folder_runs::Seed;
use super::*;
use crate::{Stored, session};
use ajv::Ajv;
use serde_json::{Value, json};

/// What must hold of the sessions of a log, one for every prefix.
fn holds(events: &[Stored], facts: &Facts, ajv: &mut Ajv) {
    let mut before = Value::Null;
    for n in 1..=events.len() {
        let document = session(&events[..n], facts).expect("a run");
        assert_eq!(
            document["metadata"]["events"], n,
            "it says which event it is of: {document:#}"
        );
        // What was decided, checked and asked stays so.
        for list in ["decision_log", "validation_history", "checkpoints"] {
            let earlier = before[list].as_array().map_or(&[][..], Vec::as_slice);
            assert!(document[list].as_array().unwrap().starts_with(earlier), "{n}: {list}");
        }
        ajv.give(&document);
        before = document;
    }
    let mut state = RunState::default();
    for stored in events {
        apply(&mut state, stored.at, &stored.event);
    }
    let working = before["agent_contexts"].as_object().unwrap().values();
    assert!(
        !state.status.ended() || working.into_iter().all(|agent| agent["status"] != "in_progress"),
        "nobody is at work when a run has ended: {before:#}"
    );
}

#[test]
fn random_runs_of_every_format_are_sessions_after_every_event() {
    let store = Store::open_memory().unwrap();
    let mut ajv = Ajv::start();
    for format in [Format::Stepwise, Format::Pipeline, Format::Rundown, Format::StepSpec] {
        for seed in 100..160 {
            let (script, facts) = Seed(seed).run(&store, format, &format!("{format:?}-{seed}"));
            store.append(&script.run, 0, &script.batch, &script.state).unwrap();
            let events = store.events(&script.run, 0, usize::MAX).unwrap();
            holds(&events, &facts, &mut ajv);
        }
    }
    assert!(ajv.accepts() > 3_000);
}

/// Names that mean something elsewhere, and texts that mark up, are names and texts.
#[test]
fn hostile_names_are_names() {
    let store = Store::open_memory().unwrap();
    let mut ajv = Ajv::start();
    let mut s = sample(&Store::open_memory().unwrap(), "run-1");
    for (_, event) in &mut s.batch {
        if let Event::AttemptStarted(started) = event {
            let started = Arc::make_mut(started);
            started.agents = ["__proto__", "constructor", "<img src=x onerror=alert(1)>", ""]
                .map(AgentKey::new)
                .to_vec();
        }
    }
    s.save(&store);
    let events = store.events(&s.run, 0, usize::MAX).unwrap();
    holds(&events, &facts(), &mut ajv);
    ajv.accepts();
    let document = session(&events, &facts()).unwrap();
    assert_ne!(document["agent_contexts"]["__proto__"], json!(null));
}

/// What a step only shows is no output of its agent.
#[test]
fn what_was_there_before_the_run_was_made_by_nobody() {
    let store = Store::open_memory().unwrap();
    let mut s = sample(&Store::open_memory().unwrap(), "run-1");
    for (_, event) in &mut s.batch {
        if let Event::AttemptEnded { result, .. } = event {
            Arc::make_mut(result).artifacts.push(Artifact {
                path: "inbox/old.md".into(),
                digest: crate::digest_of(b"old"),
                bytes: 3,
                was_there: true,
                executable: None,
            });
        }
    }
    s.save(&store);
    let events = store.events(&s.run, 0, usize::MAX).unwrap();
    let document = session(&events, &facts()).unwrap();
    assert_eq!(document["artifacts"]["generated"], json!(["out/report.md"]));
    let outputs = &document["agent_contexts"]["publish-agent"]["outputs"];
    assert_eq!(outputs["out/report.md"]["file_reference"], "out/report.md");
    assert_eq!(outputs["inbox/old.md"], json!(null));
}

/// The one in the run's folder is of the last time that the run turned.
#[test]
fn the_session_of_the_folder_says_at_any_time_whom_the_run_waits_for() {
    let store = Store::open_memory().unwrap();
    let s = sample(&store, "run-1");
    let events = store.events(&s.run, 0, usize::MAX).unwrap();
    let mut turned = 0;
    for (n, stored) in (1..).zip(&events) {
        if crate::session::turns(&stored.event) {
            turned = n;
        }
        let files = crate::rundir::render(&events[..n], &facts(), &|_| None);
        let there: Value = serde_json::from_slice(&files["context_state.json"]).unwrap();
        assert_eq!(Some(&there), session(&events[..turned], &facts()).as_ref());
        let waits = fold(events[..n].iter().map(|stored| (stored.at, &stored.event)))
            .waiting()
            .is_some();
        assert_eq!(there["workflow_state"]["paused"], waits, "after {n} events");
    }
}
