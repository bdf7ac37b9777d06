//! What the originals' own readers make of our files: each reader here does what theirs does, in their terms.

use super::stepspec::{Drive, draft, facts_of_workflow, json_of, made, wander, whole};
use super::*;
use crate::contract::{event_stream, events_file, receipt};
use crate::rundir::{Files, render};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What their list of runs shows: `meta.json`, else a run of old that is assumed to have succeeded. A word that they do not know is
/// an error there.
fn listed(files: &Files) -> String {
    let Some(meta) = files.get("meta.json") else {
        return "succeeded".to_owned();
    };
    let meta: Value = serde_json::from_slice(meta).unwrap();
    let keys = [
        "artifacts",
        "completed_at",
        "created_at",
        "description",
        "error",
        "id",
        "is_exemplar",
        "path",
        "sdlc_status",
        "spec",
        "started_at",
        "status",
        "tags",
        "title",
        "updated_at",
    ];
    assert_eq!(meta.as_object().unwrap().keys().collect::<Vec<_>>(), keys);
    let spec: Value = serde_json::from_slice(&files["spec.json"]).unwrap();
    assert_eq!(meta["spec"], spec);
    assert_eq!(spec["flow_keys"], serde_json::json!(["signal"]));
    let status = meta["status"].as_str().unwrap();
    let known = "pending running succeeded failed canceled partial stopping stopped pausing paused";
    assert!(known.split(' ').any(|word| word == status), "{status}");
    let health = meta["sdlc_status"].as_str().unwrap();
    assert!(
        ["ok", "warning", "error", "unknown", "partial"].contains(&health),
        "{health}"
    );
    assert_eq!(
        health == "ok",
        status == "succeeded",
        "what did not succeed is not well either"
    );
    status.to_owned()
}

/// A store and a flow in which `author` and `critic` have been carried out.
fn begun(store: &Store) -> Script {
    let mut s = Script::new("run-1");
    let source = store.put_blob(b"").unwrap();
    s.create(source);
    s.begin("author", 1, 1).end("author", 1, 1, reported(&[]), None);
    s.route(
        "author",
        1,
        Some("critic"),
        RouteKind::Advance,
        "linear_explicit",
        None,
        &[],
    );
    s.begin("critic", 1, 1).end("critic", 1, 1, reported(&[]), None);
    s
}

fn files(store: &Store, s: &Script) -> Files {
    s.save(store);
    store.render_run(&s.run, &facts()).unwrap()
}

fn json(files: &Files, path: &str) -> Value {
    serde_json::from_slice(&files[path]).unwrap()
}

#[test]
fn their_list_shows_how_a_run_stands() {
    let ends = [
        (EndStatus::Succeeded, None, "succeeded"),
        (EndStatus::Failed, Some("broken"), "failed"),
        (EndStatus::Aborted, Some("Aborted by Ada"), "canceled"),
        (EndStatus::CompletedWithFailures, None, "failed"),
    ];
    for (end, error, shown) in ends {
        let store = Store::open_memory().unwrap();
        let mut s = begun(&store);
        s.complete(end, error);
        let files = files(&store, &s);
        assert_eq!(listed(&files), shown, "{end:?}");
        assert_eq!(json(&files, "meta.json")["error"].as_str(), error);
        let stream = events_file::read(&files["events.jsonl"]).events;
        let last = stream.last().unwrap();
        assert_eq!(
            (&last["kind"], &last["payload"]["status"]),
            (&"run_completed".into(), &shown.into())
        );
    }
    let store = Store::open_memory().unwrap();
    assert_eq!(listed(&files(&store, &begun(&store))), "running");
    let waits = Store::open_memory().unwrap();
    let mut s = begun(&waits);
    s.push(gate("critic", 1, 1, Vec::new()));
    let waiting = files(&waits, &s);
    assert_eq!(listed(&waiting), "paused");
    assert_eq!(json(&waiting, "meta.json")["completed_at"], Value::Null);
    let paused = Store::open_memory().unwrap();
    let mut s = begun(&paused);
    s.push(Event::Paused {
        by: "Ada".into(),
        given: None,
    });
    assert_eq!(listed(&files(&paused, &s)), "paused");
}

/// The first file of a kind that the pattern `<step>-*` finds, in its folder or in any folder below.
fn asked_for<'a>(files: &'a Files, kind: &str, step: &str) -> Vec<&'a str> {
    let pattern = format!("{step}-");
    let below = |path: &&String| path.starts_with(&format!("signal/{kind}/"));
    let name = |path: &str| path.rsplit('/').next().unwrap().to_owned();
    let found = files.keys().filter(below);
    found
        .filter(|path| name(path).starts_with(&pattern))
        .map(String::as_str)
        .collect()
}

#[test]
fn whoever_asks_for_a_step_gets_its_latest() {
    let store = Store::open_memory().unwrap();
    let s = sample(&store, "run-1");
    let files = store.render_run(&s.run, &facts()).unwrap();
    for (step, visit, attempt) in [("author", 2, 1), ("critic", 2, 1), ("publish", 1, 2)] {
        let found = asked_for(&files, "receipts", step);
        assert_eq!(found.len(), 1, "{found:?}");
        let receipt = json(&files, found[0]);
        assert_eq!(
            (&receipt["visit"], &receipt["attempt"]),
            (&visit.into(), &attempt.into()),
            "{step}"
        );
        let transcript = format!("signal/{}", receipt["transcript_path"].as_str().unwrap());
        assert_eq!(
            asked_for(&files, "llm", step),
            [transcript],
            "the engine is the last part of its name"
        );
    }
    // Another agent does it the second time.
    let other = Store::open_memory().unwrap();
    let mut s = begun(&other);
    s.push(Event::AttemptStarted(Arc::new(AttemptStarted {
        instance: instance("author", 2),
        attempt: 1,
        agents: vec![AgentKey::new("another")],
        engine: EngineInfo::stub(),
        crew: vec![],
        comments: Vec::new(),
    })));
    s.end("author", 2, 1, reported(&[]), None);
    s.save(&other);
    let files = other.render_run(&s.run, &facts()).unwrap();
    assert_eq!(
        asked_for(&files, "receipts", "author"),
        ["signal/receipts/author-another.json"]
    );
}

/// Their database: `event_id` is its key and not null, and of two executions of a step one is lost when they began at one time.
#[test]
fn their_database_takes_every_event() {
    let store = Store::open_memory().unwrap();
    let mut s = sample(&store, "run-1");
    for (at, _) in &mut s.batch {
        *at = At(1_736_935_200_000);
    }
    let again = Store::open_memory().unwrap();
    s.save(&again);
    let events = again.events(&s.run, 0, 1_000).unwrap();
    let files = render(&events, &facts(), &|_| None);
    let stream = events_file::read(&files["events.jsonl"]).events;
    assert_eq!(event_stream::check(&stream), []);
    let (mut ids, mut times, mut begun) = (BTreeSet::new(), Vec::new(), BTreeSet::new());
    for event in &stream {
        let text = |field: &str| event[field].as_str().unwrap_or_default().to_owned();
        assert!(
            ids.insert(text("event_id")) && text("event_id").starts_with("run-1:"),
            "{event}"
        );
        assert_eq!((text("ts").len(), text("ts").ends_with('Z')), (27, true), "{event}");
        if text("kind") == "step_start" {
            assert!(begun.insert((text("step_id"), text("ts"))), "{event}");
        }
        if !text("kind").starts_with("tool_") {
            times.push(text("ts"));
        }
    }
    assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
    let prefix = render(&events[..12], &facts(), &|_| None);
    assert!(
        files["events.jsonl"].starts_with(&prefix["events.jsonl"]),
        "a line that was written stays as it is"
    );
}

/// `pending` is a transient state: only a step that failed itself keeps it, for nothing was decided about where it leads.
#[test]
fn nothing_is_pending_after_the_end() {
    let cases = [
        ("rejected", EndStatus::Failed, "Rejected by Grace: good"),
        ("aborted", EndStatus::Aborted, "Aborted by Ada: enough"),
    ];
    for (case, end, why) in cases {
        let store = Store::open_memory().unwrap();
        let mut s = begun(&store);
        s.push(gate("critic", 1, 1, Vec::new()));
        if case == "rejected" {
            s.push(answer("critic", 1, Answer::Reject, Vec::new()));
        }
        let waiting = render(&stored(&s), &facts(), &|_| None);
        let routing = json(&waiting, "signal/receipts/critic-critic-agent.json")["routing"].clone();
        assert_eq!(routing["decision"], "pending");
        s.complete(end, Some(why));
        let files = files(&store, &s);
        let critic = json(&files, "signal/receipts/critic-critic-agent.json");
        assert_eq!(receipt::check(&critic), Vec::<String>::new());
        assert_eq!(
            (&critic["routing"]["decision"], &critic["routing"]["reason"]),
            (&"terminate".into(), &why.into()),
            "{case}"
        );
    }
    // An attempt that is followed by another decides nothing.
    let store = Store::open_memory().unwrap();
    let mut s = begun(&store);
    s.route(
        "critic",
        1,
        Some("author"),
        RouteKind::Loop,
        "loop_iteration:1",
        Some((0, 3)),
        &[],
    );
    let failed = StepResult::new(ExecutionStatus::Failed);
    s.begin("critic", 2, 1).end("critic", 2, 1, failed, Some(At(0)));
    s.begin("critic", 2, 2).end("critic", 2, 2, reported(&[]), None);
    s.route(
        "critic",
        2,
        None,
        RouteKind::Terminate,
        "flow_complete_linear",
        Some((1, 3)),
        &[],
    );
    s.complete(EndStatus::Succeeded, None);
    let files = files(&store, &s);
    let earlier = |attempt: &str| {
        json(
            &files,
            &format!("signal/receipts/earlier/{attempt}.critic-critic-agent.json"),
        )
    };
    assert_eq!(earlier("visit=2.attempt=1").get("routing"), None);
    assert_eq!(earlier("visit=1.attempt=1")["routing"]["decision"], "loop");
}

/// The events of a script that has not been saved.
fn stored(s: &Script) -> Vec<crate::Stored> {
    let store = Store::open_memory().unwrap();
    s.save(&store);
    store.events(&s.run, 0, 1_000).unwrap()
}

/// The words of seed 001 for a result are three, and waiting for a tool is none of them.
#[test]
fn an_attempt_that_asked_for_a_tool_is_no_end_of_its_step() {
    let store = Store::open_memory().unwrap();
    let mut s = begun(&store);
    let blocked = StepResult::new(ExecutionStatus::Blocked);
    s.begin("publish", 1, 1).end("publish", 1, 1, blocked, None);
    s.begin("publish", 1, 2).end("publish", 1, 2, reported(&[]), None);
    s.complete(EndStatus::Succeeded, None);
    let files = files(&store, &s);
    let stream = events_file::read(&files["events.jsonl"]).events;
    assert_eq!(event_stream::check(&stream), []);
    let of_step = stream.iter().filter(|e| e["step_id"] == "publish");
    let told: Vec<(&str, &str)> = of_step
        .map(|e| {
            (
                e["kind"].as_str().unwrap(),
                e["payload"]["status"].as_str().unwrap_or_default(),
            )
        })
        .collect();
    assert_eq!(told, [("step_start", ""), ("step_end", "succeeded")]);
}

/// Of a StepSpec run an original reads ASCII and nothing else; what stands in the files stays the same.
#[test]
fn what_reads_ascii_alone_reads_a_stepspec_run() {
    let store = Store::open_memory().unwrap();
    let mut drive = Drive::start(&store, "run-1");
    drive.finish(made(&store, "docs/brief.md", "# Brief\n"));
    drive.finish(draft(&store, "# Größe\n", "ev:prd:1:1:1"));
    let said = "“größer” → 🚪";
    drive.answer(Answer::Changes, said);
    let run = drive.save(&store);
    let facts = facts_of_workflow();
    let files = store.render_run(&run, &facts).unwrap();
    let json = files.iter().filter(|(path, _)| !path.contains("/llm/"));
    for (path, bytes) in json {
        assert!(bytes.is_ascii(), "{path}");
    }
    assert_eq!(
        json_of(&files, "decisions.json")["decisions"][0]["decision"]["comment"],
        said
    );
    let mut receipts = crate::rundir::Receipts::new(facts);
    store.each_event(&run, 0, |stored| receipts.push(&stored)).unwrap();
    let crate::rundir::Receipt { path, bytes, .. } = receipts.of(&instance("prd", 1), 1).remove(0);
    assert_eq!(files.get(&path), Some(&bytes));
}

/// An original asks only whether a gate's id occurs among the approvals.
fn has_approval(files: &Files, gate: &GateId) -> bool {
    let file = json_of(files, "approvals.json");
    let entries = file["approvals"].as_array().unwrap();
    entries.iter().any(|entry| entry["gate_id"] == gate.as_str())
}

/// The table of seed 000, and what each line of a stream says of its step.
const MOVES: [(&str, &str); 6] = [
    ("pending", "running"),
    ("running", "completed"),
    ("running", "failed"),
    ("running", "blocked"),
    ("failed", "running"),
    ("blocked", "running"),
];

fn moved_to(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "WorkflowStepStarted" => "running",
        "WorkflowStepCompleted" => "completed",
        "WorkflowStepFailed" => "failed",
        "WorkflowStepBlocked" => "blocked",
        _ => return None,
    })
}

#[test]
fn an_approval_is_one_and_every_move_stands_in_the_table() {
    let store = Store::open_memory().unwrap();
    let facts = facts_of_workflow();
    let (mut refused, mut blocked_first) = (0, 0);
    for seed in 0..60 {
        let drive = wander(&store, seed);
        let run = drive.save(&store);
        let files = store.render_run(&run, &facts).unwrap();
        for (gate, rounds) in &drive.state.gates {
            let answer = rounds
                .last()
                .unwrap()
                .answer
                .as_ref()
                .map(|(decision, _)| decision.answer);
            assert_eq!(
                has_approval(&files, gate),
                answer == Some(Answer::Approve),
                "run {seed}, {gate}: {answer:?}"
            );
            refused += usize::from(answer == Some(Answer::Reject));
        }
        let evidence = json_of(&files, "evidence.json");
        assert_eq!(
            evidence["evidence"].as_array().unwrap().len(),
            drive.state.evidence.len()
        );
        assert_eq!(evidence["evidence"], evidence["records"]);

        let mut steps: BTreeMap<String, &str> = BTreeMap::new();
        let mut begun: BTreeSet<String> = BTreeSet::new();
        for event in events_file::read(&files["events.jsonl"]).events {
            let Some(to) = moved_to(event["type"].as_str().unwrap()) else {
                continue;
            };
            let payload = &event["payload"];
            let visit = format!("{} {}", payload["step_id"], payload["visit"]);
            let from = steps.insert(visit.clone(), to).unwrap_or("pending");
            assert!(MOVES.contains(&(from, to)), "run {seed}: {visit}: {from} -> {to}");
            begun.extend(payload.get("attempt").map(|_| visit.clone()));
            blocked_first += usize::from(to == "blocked" && !begun.contains(&visit));
        }
    }
    assert!(
        refused > 0 && blocked_first > 0,
        "the runs come to something: {refused}, {blocked_first}"
    );
    // The run that is carried out whole: two gates approved in the end, one of them sent back first.
    let files = {
        let run = whole(&store, "run-whole").save(&store);
        store.render_run(&run, &facts).unwrap()
    };
    assert!(has_approval(&files, &"prd:prd:hitl".into()) && has_approval(&files, &"prd:architecture:hitl".into()));
}
