//! Runs that have gone on for long: what one step has done is asked for by piece, and a piece is no longer than in a short run.

use crate::project::Project;
use dialect::Document;
use engine::{
    At, Command, Cursor, EngineInfo, ExecutionStatus, Intent, RunCreated, RunId, RunState, StepResult, decide,
};
use history::{Batch, Error, Live};
use model::Workflow;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::Store;

const SHORT: u32 = 50;
const LONG: u32 = 2_000;
/// What a step tells of so many visits at once.
const PIECE: usize = 20;
/// A question is asked so often, and the fastest answer counts.
const TRIES: usize = 15;

/// Steps that follow each other in a circle, as often as wanted.
fn turning(rounds: u32) -> String {
    format!(
        "key: turning\nsteps:\n- {{id: make, agents: [a], routing: {{kind: linear, next: judge}}}}\n\
         - {{id: judge, agents: [a], routing: {{kind: microloop, loop_target: make, loop_condition_field: status, \
         loop_success_values: [OK], max_iterations: {}}}}}\n",
        rounds + 1
    )
}

/// A project with a run of so many rounds, as a driver would have recorded it.
fn project(rounds: u32) -> (Project, String) {
    let (path, text) = ("turning.yaml", turning(rounds));
    let project = Project::of(&[(path, &text)]);
    let store = Store::open(project.folder.path()).expect("the history");
    let document = Document::parse(path, &text);
    let source = store.put_blob(text.as_bytes()).expect("kept");
    let mut live = Live::new(RunId::from("long"));
    let mut created = RunCreated::new(live.run().clone(), document.workflow(), path, source, "test");
    created.rehearsal = true;
    created.engines.insert("*".into(), EngineInfo::stub());
    live.commit(&store, &[], |state| {
        let mut batch = Batch::on(state);
        follow(
            &mut batch,
            document.workflow(),
            Intent::Create(Arc::new(created.clone())),
        );
        while let Some(next) = finished(batch.state(), rounds) {
            follow(&mut batch, document.workflow(), next);
        }
        Ok::<_, Error>(batch)
    })
    .expect("recorded");
    let run = live.run().to_string();
    (project, run)
}

fn follow(batch: &mut Batch, workflow: &Workflow, intent: Intent) {
    let at = At(i64::try_from(batch.state().seq).expect("small"));
    let decided = decide(workflow, batch.state(), &Command { at, intent }).expect("decided");
    batch.add(at, decided);
}

/// What is at work comes to its end; the last round is good.
fn finished(state: &RunState, rounds: u32) -> Option<Intent> {
    let Cursor::Running { instance, .. } = &state.cursor else {
        return None;
    };
    let status = if instance.visit >= rounds { "OK" } else { "AGAIN" };
    let mut result = StepResult::new(ExecutionStatus::Succeeded);
    result.report.insert("status".to_owned(), status.into());
    result.report.insert("overall_score".to_owned(), 7.into());
    Some(Intent::Finish {
        instance: instance.clone(),
        attempt: 1,
        result: Arc::new(result),
    })
}

fn numbers(detail: &Value) -> Vec<u64> {
    let visits = detail["visits"].as_array().expect("visits");
    visits.iter().filter_map(|visit| visit["visit"].as_u64()).collect()
}

/// The fastest of some answers, and the last of them.
async fn fastest(project: &Project, of: Value) -> (Duration, Value) {
    let mut best = Duration::MAX;
    let mut answer = Value::Null;
    for _ in 0..TRIES {
        let begun = Instant::now();
        answer = project.ok("run.step", of.clone()).await;
        best = best.min(begun.elapsed());
    }
    (best, answer)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_step_tells_does_not_grow_with_its_visits() {
    let mut told = Vec::new();
    for rounds in [SHORT, LONG] {
        let (project, run) = project(rounds);
        for until in [None, Some(rounds / 2)] {
            let (took, detail) = fastest(&project, json!({"run_id": run, "step": "judge", "until": until})).await;
            assert_eq!(numbers(&detail).len(), PIECE);
            told.push((took, detail.to_string().len()));
        }
    }
    let [short, short_earlier, long, long_earlier] = told.as_slice() else {
        panic!("four");
    };
    for (short, long) in [(short, long), (short_earlier, long_earlier)] {
        // Numbers of more digits.
        assert!(
            long.1 < short.1 * 21 / 20,
            "{} bytes of the long run, {} of the short one",
            long.1,
            short.1
        );
        // Forty times as many visits; a busy machine is allowed for.
        assert!(
            long.0 < short.0 * 4,
            "{:?} in the long run, {:?} in the short one",
            long.0,
            short.0
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pieces_of_what_a_step_has_done_are_all_of_it() {
    let (project, run) = project(SHORT);
    let ask = |until: Option<u64>| project.ok("run.step", json!({"run_id": run, "step": "judge", "until": until}));
    let (mut seen, mut scored, mut until) = (Vec::new(), 0, None);
    loop {
        let detail = ask(until).await;
        seen.extend(numbers(&detail));
        scored += detail["scores"].as_array().map_or(0, Vec::len);
        until = detail["earlier"].as_u64();
        if until.is_none() {
            break;
        }
    }
    let all: Vec<u64> = (1..=u64::from(SHORT)).rev().collect();
    assert_eq!(seen, all);
    assert_eq!(scored, all.len());

    let first = ask(Some(10)).await;
    assert_eq!(
        (numbers(&first), &first["earlier"], &first["later"]),
        (all[40..].to_vec(), &Value::Null, &json!(30))
    );
    assert_eq!(numbers(&ask(Some(30)).await), all[20..40]);
    let middle = ask(Some(45)).await;
    assert_eq!((&middle["earlier"], &middle["later"]), (&json!(25), &json!(50)));
    assert_eq!(numbers(&ask(Some(9_999)).await), all[..20]);
}
