//! A clock that ran ahead when the log was written: nobody waits until it is that late again.

use crate::harness::Project;
use engine::{At, EndStatus, Event, RunStatus, apply};
use std::time::{Duration, Instant};

const ONE: &str = "\
key: t
title: T
steps:
  - {id: author, agents: [worker], role: A}
";

/// Fails as often as a file says, then succeeds.
const SECOND: &str = "agents: {worker: {engine: shell, run: 'test -e tried || { touch tried; exit 1; }'}}
runtime: {max_retries: 1, backoff_seconds: 0.3}
";

/// The log of a run goes on at this distance from now.
fn ahead(project: &Project, run: &engine::RunId, ms: i64) {
    let (mut state, _) = project.store.load(run).expect("the log");
    let at = At(runtime::clock::now().0 + ms);
    let by = "Ann".to_owned();
    let events = [
        Event::Paused {
            by: by.clone(),
            given: None,
        },
        Event::Resumed { by, given: None },
    ];
    let before = state.seq;
    for event in &events {
        apply(&mut state, at, event);
    }
    let batch = events.map(|event| (at, event));
    project.store.append(run, before, &batch, &state).expect("appended");
}

#[tokio::test]
async fn a_retry_waits_for_its_own_delay_and_no_longer() {
    for ms in [40_000, 86_400_000, 20 * 31_536_000_000] {
        let project = Project::new(SECOND);
        let run = project.start(ONE, None);
        ahead(&project, &run, ms);
        let begun = Instant::now();
        let state = project.drive(&run).await;
        assert_eq!(state.status, RunStatus::Ended(EndStatus::Succeeded), "{ms}");
        assert!(begun.elapsed() >= Duration::from_millis(300), "{ms}: the delay is kept");
        assert!(begun.elapsed() < Duration::from_secs(40), "{ms}: {:?}", begun.elapsed());
        let events = project.store.events(&run, 0, 1000).expect("the log");
        assert!(events.is_sorted_by_key(|e| e.at), "the log's own order holds");
        assert!(project.store.verify(&run).expect("verified").is_empty());
    }
}

#[tokio::test]
async fn what_a_scenario_answers_comes_after_its_own_time() {
    let flow = "\
key: t
title: T
steps:
  - {id: author, agents: [worker], human_gate: required, gate_question: Good?}
";
    let project = Project::new("version: 1\n");
    let scenario = "gates: {author: [{answer: approve, by: Ann, takes: 300ms}]}\nsteps: {author: [{takes: 100ms}]}\n";
    let run = project.start(flow, Some(scenario));
    ahead(&project, &run, 86_400_000);
    let begun = Instant::now();
    let state = project.drive(&run).await;
    assert_eq!(state.status, RunStatus::Ended(EndStatus::Succeeded));
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn evidence_is_as_old_as_its_run_and_not_as_the_clock_of_the_machine() {
    let project = Project::new("agents: {worker: {engine: shell, run: 'true'}}\n");
    let run = project.start(
        "format: stepspec\nworkflow: k\nsteps: [{id: a, name: A, agent: worker, evidence: L0}]\n",
        None,
    );
    let years = 20 * 366 * 86_400_000;
    ahead(&project, &run, years);
    let state = project.drive(&run).await;
    let record = &state.evidence[0].record;
    let day = |at: At| runtime::clock::day(at, 0);
    assert_eq!(record.date, day(state.evidence[0].recorded_at));
    assert!(record.valid_until > record.date, "{record:?}");
}
