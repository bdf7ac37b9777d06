//! Whoever looks again reads nothing again, however many runs lie inside the one that is looked at.

use super::*;
use crate::run::history::OPENED;
use crate::{Client, Identity};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PIPELINE: &str = "pipelines/PIPE-20260112-many-090000.yaml";
/// More than the logs that are kept.
const RUNS: usize = 40;
const SETTINGS: &str = "\
version: 1
hitl: {four_eyes: true}
runtime: {parallel_stages: 64}
agents:
  x: {engine: shell, run: 'true'}
  hand: {engine: person}
";
const ASK: &str = "\
key: ask
title: Ask
steps:
  - {id: check, agents: [hand], human_gate: required, gate_at: before, gate_question: Is it good?, routing: {kind: linear}}
";

/// A workflow of one step that this agent carries out.
fn work(agent: &str) -> String {
    format!("key: work\ntitle: Work\nsteps:\n  - {{id: do, agents: [{agent}], routing: {{kind: linear}}}}\n")
}

/// A project with a pipeline of many stages that begin at once, each of them a run of its own: one of each workflow, and the rest of the last.
fn project(workflows: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files = (0..RUNS).map(|at| &workflows[at.min(workflows.len() - 1)].0);
    let stages = (0..).zip(files).map(|(at, file): (usize, _)| {
        format!("  - {{name: s{at}, workflow: {file}, depends_on: [], parallel: true}}\n")
    });
    let stages: String = stages.collect();
    let pipeline = format!("pipeline_id: PIPE-20260112-many-090000\nname: Many\nstages:\n{stages}");
    let own = [(PIPELINE, pipeline.as_str()), ("gatehouse.yaml", SETTINGS)];
    for (path, text) in own.iter().chain(workflows) {
        let file = folder.path().join(path);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        std::fs::write(file, text).expect("written");
    }
    folder
}

/// Somebody with a key of their own, who trusts the project.
async fn somebody(folder: &TempDir, home: &TempDir, name: &str) -> Studio {
    let me = Identity::open_in(home.path(), false).expect("an identity");
    me.trust(folder.path(), true).expect("trusted");
    let studio = Studio::open_as(folder.path(), Client::Test, me).expect("a project");
    studio.rpc("settings.set", json!({"name": name})).await.expect("a name");
    studio
}

/// Starts the pipeline; returns its run.
async fn started(studio: &Studio, rehearse: bool) -> String {
    let of = json!({"path": PIPELINE, "rehearse": rehearse});
    let started = studio.rpc("run.start", of).await.expect("it starts");
    started["run_id"].as_str().expect("an id").to_owned()
}

/// What is answered, and how many logs were opened for it. All of it happens on the thread of the test.
async fn asked(studio: &Studio, method: &str, params: Value) -> (Value, usize) {
    let before = OPENED.get();
    let answer = studio.rpc(method, params).await.expect(method);
    (answer, OPENED.get() - before)
}

async fn until(what: &str, is: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
}

/// Until as many runs as there are ask, and no log grows any more: one that does is read again.
async fn all_ask(studio: &Studio) {
    let rows = || studio.0.store.waiting().unwrap_or_default();
    until("each run inside asks", || rows().len() == RUNS).await;
    let heads = || {
        let rows = rows();
        let heads = rows
            .iter()
            .map(|row| studio.0.store.head(&row.run).ok().flatten().map_or(0, |head| head.seq));
        heads.sum::<u64>()
    };
    let (begun, mut last, mut same) = (Instant::now(), 0, 0);
    while same < 4 {
        assert!(begun.elapsed() < Duration::from_secs(60), "the logs go on growing");
        tokio::time::sleep(Duration::from_millis(250)).await;
        let now = heads();
        same = if now == last && now > 0 { same + 1 } else { 0 };
        last = now;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_inbox_opens_no_log_again_of_more_pipelines_than_logs_are_kept() {
    let folder = project(&[("ask.yaml", ASK)]);
    let pipelines = (0..RUNS).map(|at| {
        let id = format!("PIPE-20260112-one-0900{at:02}");
        let path = format!("pipelines/{id}.yaml");
        let stage = "  - {name: s, workflow: ask.yaml, depends_on: [], parallel: true}";
        let text = format!("pipeline_id: {id}\nname: One\nstages:\n{stage}\n");
        std::fs::write(folder.path().join(&path), text).expect("written");
        path
    });
    let pipelines: Vec<String> = pipelines.collect();
    let homes = [(); 2].map(|()| tempfile::tempdir().expect("a temporary folder"));
    let ada = somebody(&folder, &homes[0], "Ada").await;
    let bo = somebody(&folder, &homes[1], "Bo").await;
    for path in &pipelines {
        ada.rpc("run.start", json!({"path": path})).await.expect("it starts");
    }
    all_ask(&bo).await;
    let (inbox, opened) = asked(&bo, "inbox.list", Value::Null).await;
    assert_eq!(inbox["waiting"].as_array().map(Vec::len), Some(RUNS));
    assert!(opened >= 2 * RUNS, "{opened}: each pipeline, and the run inside it");
    let (again, opened) = asked(&bo, "inbox.list", Value::Null).await;
    assert_eq!((again, opened), (inbox, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_inbox_opens_no_log_again_and_knows_who_has_worked_beside() {
    let by_hand = work("hand");
    let folder = project(&[("ask.yaml", ASK), ("work.yaml", &by_hand)]);
    let homes = [(); 2].map(|()| tempfile::tempdir().expect("a temporary folder"));
    let ada = somebody(&folder, &homes[0], "Ada").await;
    let bo = somebody(&folder, &homes[1], "Bo").await;
    let key = json!({"key": bo.identity().public(), "name": "Bo"});
    ada.rpc("people.confirm", key).await.expect("confirmed");
    started(&ada, false).await;
    all_ask(&bo).await;
    let (inbox, opened) = asked(&bo, "inbox.list", Value::Null).await;
    assert!(opened > RUNS, "{opened}");
    let card = |inbox: &Value, is: &dyn Fn(&Value) -> bool| {
        let mut cards = inbox["waiting"].as_array().expect("cards").iter();
        cards.find(|card| is(card)).cloned().expect("the card")
    };
    let is_approval = |card: &Value| card["question"] == "Is it good?";
    assert_ne!(card(&inbox, &is_approval)["another"], true, "Bo has done nothing yet");
    let (again, opened) = asked(&bo, "inbox.list", Value::Null).await;
    assert_eq!((again, opened), (inbox.clone(), 0));
    // What he does in one run inside counts in the others at once, although nothing has happened in their logs.
    let of = card(&inbox, &|card: &Value| !is_approval(card));
    let answer = json!({"run_id": of["run_id"], "gate": of["gate"], "round": of["round"], "answer": "pass"});
    bo.rpc("gate.answer", answer).await.expect("answered");
    let (inbox, _) = asked(&bo, "inbox.list", Value::Null).await;
    assert_eq!(card(&inbox, &is_approval)["another"], true);
}

/// A program gets the question as it was asked; the list of the Inbox has the beginning.
#[tokio::test(flavor = "multi_thread")]
async fn a_long_question_is_cut_in_the_inbox_alone() {
    let long = "Is it good? ".repeat(25);
    let long = long.trim_end();
    let asks = ASK.replace("Is it good?", long);
    let folder = project(&[("ask.yaml", &asks)]);
    let home = tempfile::tempdir().expect("a temporary folder");
    let ada = somebody(&folder, &home, "Ada").await;
    let run = started(&ada, true).await;
    until("somebody is asked", || {
        ada.0.store.waiting().is_ok_and(|rows| !rows.is_empty())
    })
    .await;
    let (inbox, _) = asked(&ada, "inbox.list", Value::Null).await;
    let listed = inbox["waiting"][0]["question"].as_str().expect("a question");
    assert!(listed.ends_with('…') && listed.chars().count() < long.len(), "{listed}");
    let (view, _) = asked(&ada, "run.view", json!({"run_id": run})).await;
    assert_eq!(view["waiting_inside"][0]["question"], long);
    let run = RunId::from(run);
    let questions = ada.asked(&run).expect("they are there");
    assert!(questions.first().is_some_and(|one| one.card.question == long));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_timeline_opens_no_log_again_of_what_has_ended_inside() {
    let by_program = work("x");
    let folder = project(&[("work.yaml", &by_program)]);
    let home = tempfile::tempdir().expect("a temporary folder");
    let ada = somebody(&folder, &home, "Ada").await;
    let run = started(&ada, true).await;
    until("it ends", || ada.has_ended(&run).expect("it is there")).await;
    let looking = somebody(&folder, &home, "Ada").await;
    let (timeline, opened) = asked(&looking, "run.timeline", json!({"run_id": run})).await;
    assert_eq!(opened, RUNS + 1);
    let (again, opened) = asked(&looking, "run.timeline", json!({"run_id": run})).await;
    assert_eq!((again, opened), (timeline, 0));
}
