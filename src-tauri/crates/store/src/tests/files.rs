//! The run directory.

use super::*;
use crate::contract::{event_stream, events_file, paths, receipt, transcript};
use crate::rundir::{Files, render};
use crate::{Error, FindingKind};
use serde_json::Value;
use std::sync::Arc;

fn files(store: &Store, run: &RunId) -> Files {
    store.render_run(run, &facts()).unwrap()
}

fn json(files: &Files, path: &str) -> Value {
    serde_json::from_slice(
        files
            .get(path)
            .unwrap_or_else(|| panic!("{path} in {:?}", files.keys())),
    )
    .unwrap()
}

#[test]
fn a_run_has_these_files_and_each_keeps_its_contract() {
    let store = Store::open_memory().unwrap();
    let s = sample(&store, "run-1");
    let files = files(&store, &s.run);
    assert_eq!(
        files.keys().map(String::as_str).collect::<Vec<_>>(),
        [
            "approvals.json",
            "artifacts.json",
            "context_state.json",
            "decisions.json",
            "events.jsonl",
            "gates.json",
            "meta.json",
            "run.json",
            "signal/llm/author-author-agent-stub.jsonl",
            "signal/llm/critic-critic-agent-stub.jsonl",
            "signal/llm/earlier/visit=1.attempt=1.author-author-agent-stub.jsonl",
            "signal/llm/earlier/visit=1.attempt=1.critic-critic-agent-stub.jsonl",
            "signal/llm/earlier/visit=1.attempt=1.publish-publish-agent-stub.jsonl",
            "signal/llm/publish-publish-agent-stub.jsonl",
            "signal/receipts/author-author-agent.json",
            "signal/receipts/critic-critic-agent.json",
            "signal/receipts/earlier/visit=1.attempt=1.author-author-agent.json",
            "signal/receipts/earlier/visit=1.attempt=1.critic-critic-agent.json",
            "signal/receipts/earlier/visit=1.attempt=1.publish-publish-agent.json",
            "signal/receipts/publish-publish-agent.json",
            "spec.json",
        ]
    );
    for (path, bytes) in &files {
        assert!(bytes.ends_with(b"\n"), "{path}");
        if path.contains("/receipts/") {
            let value = json(&files, path);
            assert_eq!(receipt::check(&value), Vec::<String>::new(), "{path}");
            let transcript = format!("signal/{}", value["transcript_path"].as_str().unwrap());
            assert!(files.contains_key(&transcript), "{path} names {transcript}");
        } else if path.contains("/llm/") {
            let text = std::str::from_utf8(bytes).unwrap();
            assert!(
                text.lines().all(|line| transcript::check(line).is_empty()),
                "{path}: {text}"
            );
        }
    }
    let stream = events_file::read(&files["events.jsonl"]);
    assert!(stream.bad.is_empty());
    assert_eq!(event_stream::check(&stream.events), []);
}

#[test]
fn receipts_say_how_the_loop_went() {
    let store = Store::open_memory().unwrap();
    let s = sample(&store, "run-1");
    let files = files(&store, &s.run);
    let first = json(
        &files,
        "signal/receipts/earlier/visit=1.attempt=1.critic-critic-agent.json",
    );
    assert_eq!(
        first["routing"],
        serde_json::json!({"loop_iteration": 0, "max_iterations": 3, "decision": "loop", "reason": "loop_iteration:1"})
    );
    assert_eq!(
        (&first["status"], &first["report"]["status"]),
        (&"succeeded".into(), &"UNVERIFIED".into())
    );
    let last = json(&files, "signal/receipts/critic-critic-agent.json");
    assert_eq!(
        (&last["routing"]["decision"], &last["routing"]["loop_iteration"]),
        (&"advance".into(), &1.into())
    );
    let author = json(&files, "signal/receipts/author-author-agent.json");
    assert!(author.get("routing").is_none(), "only microloops");
    let failed = json(
        &files,
        "signal/receipts/earlier/visit=1.attempt=1.publish-publish-agent.json",
    );
    assert_eq!(
        (&failed["status"], &failed["error"]),
        (&"failed".into(), &"no space".into())
    );
    let done = json(&files, "signal/receipts/publish-publish-agent.json");
    assert_eq!(
        (&done["tokens"]["total"], &done["attempt"], &done["status"]),
        (&3.into(), &2.into(), &"succeeded".into())
    );
    assert_eq!(done["started_at"], "2025-01-15T10:00:17.000000Z");
    let manifest = json(&files, "run.json");
    assert_eq!(manifest["gates"][0]["decision"]["by"], "Grace");
    assert_eq!(manifest["artifacts"][0]["path"], "out/report.md");
    assert_eq!(manifest["log"]["events"], 22);
}

#[test]
fn one_receipt_is_the_file_it_is_in() {
    let store = Store::open_memory().unwrap();
    let s = sample(&store, "run-1");
    let files = files(&store, &s.run);
    let mut receipts = crate::rundir::Receipts::new(facts());
    store.each_event(&s.run, 0, |stored| receipts.push(&stored)).unwrap();
    for (step, visit, attempt) in [("critic", 1, 1), ("critic", 2, 1), ("publish", 1, 1), ("publish", 1, 2)] {
        let crate::rundir::Receipt { path, bytes, .. } = receipts.of(&instance(step, visit), attempt).remove(0);
        assert_eq!(files.get(&path), Some(&bytes), "{path}");
    }
    assert_eq!(receipts.of(&instance("publish", 1), 3), []);
}

#[test]
fn a_failed_microloop_step_is_pending_and_a_skipped_step_leaves_no_receipt() {
    let store = Store::open_memory().unwrap();
    let mut s = Script::new("run-1");
    let source = store.put_blob(b"").unwrap();
    s.create(source).begin("author", 1, 1);
    s.end("author", 1, 1, StepResult::new(ExecutionStatus::Skipped), None);
    s.route(
        "author",
        1,
        Some("critic"),
        RouteKind::Advance,
        "linear_explicit",
        None,
        &[("critic:author", 2)],
    );
    s.begin("critic", 1, 1)
        .end("critic", 1, 1, StepResult::new(ExecutionStatus::Failed), None);
    s.complete(EndStatus::Failed, Some("x"));
    s.save(&store);
    let files = files(&store, &s.run);
    assert!(!files.keys().any(|path| path.contains("author")), "{:?}", files.keys());
    let critic = json(&files, "signal/receipts/critic-critic-agent.json");
    assert_eq!(receipt::check(&critic), Vec::<String>::new());
    assert_eq!(
        critic["routing"],
        serde_json::json!({"loop_iteration": 2, "max_iterations": 3, "decision": "pending", "reason": ""})
    );
    assert!(
        critic["error"].is_string(),
        "a failure without words still says that it failed"
    );
    let stream = events_file::read(&files["events.jsonl"]).events;
    assert_eq!(event_stream::check(&stream), []);
}

#[test]
fn an_aborted_run_is_complete_by_contract() {
    let store = Store::open_memory().unwrap();
    let mut s = Script::new("run-1");
    let source = store.put_blob(b"").unwrap();
    s.create(source).begin("author", 1, 1);
    s.push(Event::Aborted {
        by: "Ada".into(),
        reason: "wrong file".into(),
        given: None,
    });
    s.push(Event::AttemptInterrupted {
        instance: instance("author", 1),
        attempt: 1,
        reason: "Aborted by Ada: wrong file".into(),
        retry_at: None,
        let_go: false,
        seen: None,
    });
    s.complete(EndStatus::Aborted, Some("Aborted by Ada: wrong file"));
    s.save(&store);
    let files = files(&store, &s.run);
    let stream = events_file::read(&files["events.jsonl"]).events;
    assert_eq!(event_stream::check(&stream), []);
    let author = json(&files, "signal/receipts/author-author-agent.json");
    assert_eq!(receipt::check(&author), Vec::<String>::new());
    assert_eq!(
        (&author["status"], &author["duration_ms"]),
        (&"failed".into(), &2000.into())
    );
}

/// How long the execution of a step took by the run's events.
fn execution(files: &Files) -> Value {
    let stream = events_file::read(&files["events.jsonl"]).events;
    let end = stream.iter().find(|e| e["kind"] == "step_end").expect("it ended");
    end["payload"]["duration_ms"].clone()
}

#[test]
fn an_attempt_whose_driver_died_lasts_as_long_as_that_was_seen_at_work() {
    let store = Store::open_memory().unwrap();
    let mut s = Script::new("run-1");
    let source = store.put_blob(b"").unwrap();
    s.create(source).begin("author", 1, 1);
    let seen = At(s.clock + 400);
    // Gone on with the next day.
    s.clock += 86_400_000;
    s.push(Event::AttemptInterrupted {
        instance: instance("author", 1),
        attempt: 1,
        reason: "the program that drove the run ended".into(),
        let_go: false,
        seen: Some(seen),
        retry_at: Some(seen),
    });
    s.begin("author", 1, 2).end("author", 1, 2, reported(&[]), None);
    s.complete(EndStatus::Succeeded, None);
    s.save(&store);
    let files = files(&store, &s.run);
    let cut_off = json(
        &files,
        "signal/receipts/earlier/visit=1.attempt=1.author-author-agent.json",
    );
    assert_eq!(
        (&cut_off["duration_ms"], &cut_off["completed_at"]),
        (&400.into(), &"2025-01-15T10:00:03.400000Z".into())
    );
    // Both attempts, and the moments around them in which somebody was at work.
    assert_eq!(execution(&files), 2_400);
}

/// A step that a person was asked to carry out, and that they said is done; nobody drove the run then, and it is gone on with later.
fn done_by_a_person(store: &Store) -> Script {
    let mut s = Script::new("run-1");
    let source = store.put_blob(b"").unwrap();
    s.create(source);
    let Event::GateOpened(opened) = gate("author", 1, 1, Vec::new()) else {
        panic!("a gate opens");
    };
    s.push(Event::GateOpened(Arc::new(GateOpened {
        purpose: Purpose::Outcome {
            pass: "PASS".into(),
            fail: "FAIL".into(),
            attempt: true,
        },
        at: GateAt::Before,
        ..GateOpened::clone(&opened)
    })));
    s.push(answer("author", 1, Answer::Pass, Vec::new()));
    s.clock += 30_000;
    s
}

fn begin_by_a_person(s: &mut Script, attempt: u32) {
    s.push(Event::AttemptStarted(Arc::new(AttemptStarted {
        instance: instance("author", 1),
        attempt,
        agents: vec![AgentKey::new("ann")],
        engine: EngineInfo::person(),
        crew: Vec::new(),
        comments: Vec::new(),
    })));
}

#[test]
fn the_time_of_people_is_kept_where_the_attempt_is_cut_off_that_takes_up_their_work() {
    let store = Store::open_memory().unwrap();
    let mut s = done_by_a_person(&store);
    begin_by_a_person(&mut s, 1);
    s.push(Event::AttemptInterrupted {
        instance: instance("author", 1),
        attempt: 1,
        reason: "the window was closed".into(),
        let_go: true,
        seen: None,
        retry_at: Some(At(s.clock)),
    });
    begin_by_a_person(&mut s, 2);
    s.end("author", 1, 2, StepResult::new(ExecutionStatus::Succeeded), None);
    s.complete(EndStatus::Succeeded, None);
    s.save(&store);
    let files = files(&store, &s.run);
    let receipt = json(&files, "signal/receipts/author-ann.json");
    assert_eq!(
        (&receipt["started_at"], &receipt["duration_ms"]),
        (&"2025-01-15T10:00:03.000000Z".into(), &1_000.into())
    );
    // And the stretch from where the first attempt took it up.
    assert_eq!(execution(&files), 4_000);
}

#[test]
fn what_people_carry_out_lasts_from_the_question_to_their_answer() {
    let store = Store::open_memory().unwrap();
    let mut s = done_by_a_person(&store);
    begin_by_a_person(&mut s, 1);
    s.end("author", 1, 1, StepResult::new(ExecutionStatus::Succeeded), None);
    s.complete(EndStatus::Succeeded, None);
    s.save(&store);
    let files = files(&store, &s.run);
    let receipt = json(&files, "signal/receipts/author-ann.json");
    assert_eq!(
        [&receipt["started_at"], &receipt["completed_at"]],
        ["2025-01-15T10:00:03.000000Z", "2025-01-15T10:00:04.000000Z"]
    );
    assert_eq!(
        (&receipt["duration_ms"], execution(&files)),
        (&1_000.into(), 1_000.into())
    );
}

#[test]
fn the_directory_can_be_deleted_and_rebuilt_byte_for_byte() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    let s = sample(&store, "run-1");
    let dir = store.run_dir(&s.run).unwrap();
    assert_eq!(dir, project.path().join(".gatehouse/runs/run-1"));
    let files = files(&store, &s.run);
    let read = || {
        files
            .keys()
            .map(|p| (p.clone(), std::fs::read(dir.join(p)).unwrap()))
            .collect::<Files>()
    };

    assert_eq!(store.write_run_dir(&s.run, &facts()).unwrap().len(), files.len());
    assert_eq!(read(), files);
    assert!(
        store.write_run_dir(&s.run, &facts()).unwrap().is_empty(),
        "nothing differs, nothing is written"
    );
    assert_eq!(
        store
            .verify_files(&s.run, &store.render_run(&s.run, &facts()).unwrap())
            .unwrap(),
        []
    );

    std::fs::write(dir.join("notes.txt"), "mine").unwrap();
    std::fs::write(dir.join("signal/receipts/.1-1.unfinished"), "{").unwrap();
    std::fs::write(dir.join("signal/receipts/forged.json"), "{}").unwrap();
    std::fs::write(dir.join("events.jsonl"), "nothing happened\n").unwrap();
    std::fs::remove_file(dir.join("run.json")).unwrap();
    let found: Vec<_> = store
        .verify_files(&s.run, &store.render_run(&s.run, &facts()).unwrap())
        .unwrap()
        .into_iter()
        .map(|f| (f.kind, f.subject))
        .collect();
    assert_eq!(
        found,
        [
            (FindingKind::Changed, "events.jsonl".to_owned()),
            (FindingKind::Missing, "run.json".to_owned()),
            (FindingKind::Unexpected, "signal/receipts/forged.json".to_owned()),
        ]
    );
    store.rebuild(&s.run, &facts()).unwrap();
    assert_eq!(read(), files);
    assert_eq!(
        store
            .verify_files(&s.run, &store.render_run(&s.run, &facts()).unwrap())
            .unwrap(),
        []
    );
    assert_eq!(
        std::fs::read_to_string(dir.join("notes.txt")).unwrap(),
        "mine",
        "what is not ours stays"
    );

    std::fs::remove_dir_all(&dir).unwrap();
    store.rebuild(&s.run, &facts()).unwrap();
    assert_eq!(read(), files);
}

#[test]
fn every_prefix_of_a_log_renders_and_only_adds() {
    let store = Store::open_memory().unwrap();
    let s = sample(&store, "run-1");
    let events = store.events(&s.run, 0, 1_000).unwrap();
    let mut lines = Vec::new();
    for n in 0..=events.len() {
        let files = render(&events[..n], &facts(), &|d| store.blob(d).ok());
        assert_eq!(files.is_empty(), n == 0);
        let Some(stream) = files.get("events.jsonl") else {
            continue;
        };
        assert!(stream.starts_with(&lines), "events.jsonl only grows");
        lines.clone_from(stream);
        assert!(event_stream::is_valid(&event_stream::check_so_far(
            &events_file::read(stream).events
        )));
        for (path, _) in files.iter().filter(|(path, _)| path.contains("/receipts/")) {
            assert_eq!(
                receipt::check(&json(&files, path)),
                Vec::<String>::new(),
                "{path} after {n} events"
            );
        }
    }
}

#[test]
fn hostile_names_stay_inside() {
    let store = Store::open_memory().unwrap();
    let mut s = Script::new("../../run");
    let source = store.put_blob(b"").unwrap();
    s.create(source);
    let long = "x".repeat(400);
    for name in ["../../../etc/passwd", "a\0b", "..", "", "a/b", long.as_str(), "CON:1"] {
        s.begin(name, 1, 1).end(name, 1, 1, reported(&[]), None);
    }
    s.save(&store);
    let project = tempfile::tempdir().unwrap();
    let dir = project.path().join("runs").join(paths::component(s.run.as_str()));
    let files = files(&store, &s.run);
    assert_eq!(files.len(), 5 + 2 * 7);
    crate::rundir::write(&dir, &files).unwrap();
    let mut inside = 0;
    let mut folders = vec![project.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { inside += 1 }
        }
    }
    assert_eq!(inside, files.len());
    let refused = crate::rundir::write(&dir, &Files::from([("../evil".to_owned(), Vec::new())]));
    assert!(matches!(refused, Err(Error::Outside { .. })));
}

#[cfg(unix)]
#[test]
fn a_link_in_the_run_directory_is_not_followed() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(&project.path().join("p")).unwrap();
    let s = sample(&store, "run-1");
    let (dir, elsewhere) = (store.run_dir(&s.run).unwrap(), project.path().join("elsewhere"));
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::create_dir_all(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, dir.join("signal")).unwrap();
    assert!(matches!(
        store.write_run_dir(&s.run, &facts()),
        Err(Error::Outside { .. })
    ));
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
}

/// What stands in the place of a file or of a folder is named, and the rest is compared all the same; rebuilding waits until it is gone.
#[cfg(unix)]
#[test]
fn what_stands_in_the_way_of_a_runs_files_is_found() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(&project.path().join("p")).unwrap();
    let s = sample(&store, "run-1");
    let (dir, elsewhere) = (store.run_dir(&s.run).unwrap(), project.path().join("elsewhere"));
    store.write_run_dir(&s.run, &facts()).unwrap();
    let rendered = store.render_run(&s.run, &facts()).unwrap();
    let found = || -> Vec<(FindingKind, String)> {
        let found = store.verify_files(&s.run, &rendered).unwrap().into_iter();
        found.map(|f| (f.kind, f.subject)).collect()
    };
    let in_the_way = |path: &str| (FindingKind::InTheWay, path.to_owned());
    let receipts = dir.join("signal/receipts");
    std::fs::remove_file(dir.join("events.jsonl")).unwrap();
    std::fs::create_dir(dir.join("events.jsonl")).unwrap();
    std::fs::rename(&receipts, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &receipts).unwrap();
    std::fs::remove_file(dir.join("run.json")).unwrap();
    assert_eq!(
        found(),
        [
            in_the_way("events.jsonl"),
            in_the_way("signal/receipts"),
            (FindingKind::Missing, "run.json".to_owned()),
        ]
    );
    assert!(matches!(store.rebuild(&s.run, &facts()), Err(Error::Outside { .. })));
    std::fs::remove_file(&receipts).unwrap();
    std::fs::write(&receipts, "").unwrap();
    std::fs::remove_dir(dir.join("events.jsonl")).unwrap();
    assert_eq!(found()[0], in_the_way("signal/receipts"));
    assert!(matches!(store.rebuild(&s.run, &facts()), Err(Error::Outside { .. })));
    std::fs::remove_file(&receipts).unwrap();
    store.rebuild(&s.run, &facts()).unwrap();
    assert!(found().is_empty());
}

#[test]
fn two_pairs_with_one_name_by_contract_get_two_files() {
    let store = Store::open_memory().unwrap();
    let mut s = Script::new("run-1");
    let source = store.put_blob(b"").unwrap();
    s.create(source);
    for (step, agent) in [("a-b", "c"), ("a", "b-c"), ("a-b", "c")] {
        let visit = 1 + s
            .state
            .steps
            .get(&StepId::new(step))
            .map_or(0, |s| s.visits.len() as u32);
        s.push(Event::AttemptStarted(Arc::new(AttemptStarted {
            instance: instance(step, visit),
            attempt: 1,
            agents: vec![AgentKey::new(agent)],
            engine: EngineInfo::stub(),
            crew: vec![],
            comments: Vec::new(),
        })));
        s.end(step, visit, 1, reported(&[]), None);
    }
    s.save(&store);
    let files = files(&store, &s.run);
    let receipts: Vec<_> = files.keys().filter(|p| p.contains("/receipts/")).collect();
    assert_eq!(
        receipts,
        [
            "signal/receipts/a-b-c.json",
            "signal/receipts/a-b-c~2.json",
            "signal/receipts/earlier/visit=1.attempt=1.a-b-c.json",
        ]
    );
    assert_eq!(json(&files, "signal/receipts/a-b-c~2.json")["agent_key"], "b-c");
}

/// Several agents of one step: each has a receipt and a transcript under its own name, in every attempt.
#[test]
fn each_of_several_agents_has_a_receipt() {
    let store = Store::open_memory().unwrap();
    let mut s = Script::new("run-1");
    s.create(store.put_blob(b"").unwrap());
    let agents: Vec<AgentKey> = ["x", "y", "z"].map(AgentKey::new).to_vec();
    let mut attempt = |number: u32, parts: &[(&str, ExecutionStatus)], retry_at: Option<At>| {
        s.push(Event::AttemptStarted(Arc::new(AttemptStarted {
            instance: instance("a", 1),
            attempt: number,
            agents: agents.clone(),
            engine: EngineInfo::stub(),
            crew: vec![EngineInfo::stub(), EngineInfo::person(), EngineInfo::stub()],
            comments: Vec::new(),
        })));
        let mut whole = reported(&[("status", "whole")]);
        whole.agents = (1..)
            .zip(parts)
            .map(|(n, (agent, status))| AgentResult {
                agent: AgentKey::new(*agent),
                started_at: At(n * 1_000),
                ended_at: At(n * 1_000 + 500),
                result: StepResult {
                    status: *status,
                    transcript: Some(store.put_blob(format!("{agent} {number}\n").as_bytes()).unwrap()),
                    ..reported(&[("status", agent)])
                },
            })
            .collect();
        if retry_at.is_some() {
            whole.status = ExecutionStatus::Failed;
        }
        s.end("a", 1, number, whole, retry_at);
    };
    attempt(
        1,
        &[("x", ExecutionStatus::Succeeded), ("y", ExecutionStatus::Failed)],
        Some(At(9_000)),
    );
    let all = [
        ("x", ExecutionStatus::Succeeded),
        ("y", ExecutionStatus::Skipped),
        ("z", ExecutionStatus::Succeeded),
    ];
    attempt(2, &all, None);
    s.save(&store);
    let files = files(&store, &s.run);
    let found: Vec<_> = files
        .keys()
        .filter(|p| p.contains("/receipts/") || p.contains("/llm/"))
        .collect();
    assert_eq!(
        found,
        [
            "signal/llm/a-x-stub.jsonl",
            "signal/llm/a-z-stub.jsonl",
            "signal/llm/earlier/visit=1.attempt=1.a-x-stub.jsonl",
            "signal/llm/earlier/visit=1.attempt=1.a-y-person.jsonl",
            "signal/receipts/a-x.json",
            "signal/receipts/a-z.json",
            "signal/receipts/earlier/visit=1.attempt=1.a-x.json",
            "signal/receipts/earlier/visit=1.attempt=1.a-y.json",
        ]
    );
    let own = json(&files, "signal/receipts/a-z.json");
    assert_eq!(
        (&own["agent_key"], &own["report"]["status"], &own["agents"]),
        (
            &serde_json::json!("z"),
            &serde_json::json!("z"),
            &serde_json::json!(["x", "y", "z"])
        )
    );
    assert_eq!(own["transcript_path"], "llm/a-z-stub.jsonl");
    let failed = json(&files, "signal/receipts/earlier/visit=1.attempt=1.a-y.json");
    assert_eq!(
        (&failed["status"], &failed["engine"]),
        (&serde_json::json!("failed"), &serde_json::json!("person-step"))
    );
    assert_eq!(receipt::check(&failed), [""; 0]);
    assert_eq!(files["signal/llm/a-z-stub.jsonl"], b"z 2\n");
    let events = events_file::read(&files["events.jsonl"]).events;
    let end = events.iter().find(|event| event["kind"] == "step_end").unwrap();
    let each: Vec<&str> = end["payload"]["agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["status"].as_str().unwrap())
        .collect();
    assert_eq!(each, ["succeeded", "skipped", "succeeded"]);
}

#[test]
fn a_step_without_agents_is_unknown_in_its_receipt_and_null_in_its_events() {
    let store = Store::open_memory().unwrap();
    let mut s = Script::new("run-1");
    let source = store.put_blob(b"").unwrap();
    s.create(source).push(Event::AttemptStarted(Arc::new(AttemptStarted {
        instance: instance("a", 1),
        attempt: 1,
        agents: Vec::new(),
        engine: EngineInfo::stub(),
        crew: vec![],
        comments: Vec::new(),
    })));
    s.end("a", 1, 1, reported(&[]), None);
    s.save(&store);
    let files = files(&store, &s.run);
    assert_eq!(json(&files, "signal/receipts/a-unknown.json")["agent_key"], "unknown");
    let start = &events_file::read(&files["events.jsonl"]).events[2];
    assert_eq!(
        (&start["kind"], &start["agent_key"]),
        (&"step_start".into(), &Value::Null)
    );
}

#[test]
fn files_that_are_only_behind_are_told_from_files_that_were_changed() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    let s = sample(&store, "run-1");
    let dir = store.run_dir(&s.run).unwrap();
    let events = store.events(&s.run, 0, usize::MAX).unwrap();
    let then = crate::rundir::render(&events[..events.len() - 3], &facts(), &|digest| store.blob(digest).ok());
    for (path, bytes) in &then {
        let file = dir.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, bytes).unwrap();
    }
    let behind = |left| store.files_are_behind(&s.run, &facts(), left).unwrap();
    let told = events.len() - 3;
    assert_eq!(behind(false), Some(told));
    // Some of them had been written already.
    std::fs::write(dir.join("events.jsonl"), &files(&store, &s.run)["events.jsonl"]).unwrap();
    assert_eq!(behind(false), Some(told));
    // And some by one who was stopped between.
    let between = crate::rundir::render(&events[..events.len() - 1], &facts(), &|digest| store.blob(digest).ok());
    std::fs::write(dir.join("events.jsonl"), &between["events.jsonl"]).unwrap();
    assert_eq!(behind(true), Some(told));
    std::fs::write(dir.join("gates.json"), "[]").unwrap();
    assert_eq!(behind(true), None, "one was changed");
    store.write_run_dir(&s.run, &facts()).unwrap();
    assert_eq!(behind(true), None, "they are as they should be");
    std::fs::remove_dir_all(&dir).unwrap();
    assert_eq!(behind(false), None, "somebody deleted them");
    assert_eq!(behind(true), Some(0), "nobody had written any");
}
