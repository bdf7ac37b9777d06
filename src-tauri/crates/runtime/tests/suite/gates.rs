//! People: gates, pause, resume, abort; from other processes while the run is driven, and while nobody drives it.

use crate::harness::{Project, ended, path, within};
use engine::{Answer, Event, Intent, RefusalCode, RunStatus};
use runtime::{Control, End, Error, Options};
use std::sync::Arc;

const GATED: &str = "\
key: release
title: Release
steps:
  - id: draft
    agents: [worker]
    role: Drafts the notes.
    human_gate: required
    routing: {kind: linear, next: publish}
  - id: publish
    agents: [worker]
    role: Publishes them.
    routing: {kind: linear}
";

#[tokio::test]
async fn a_gate_is_answered_from_another_handle_while_the_run_is_driven() {
    let project = Project::new("");
    let run = project.start(GATED, None);
    let driving = project.driving(&run, Project::options(), &Control::default());
    project
        .until(&run, "the gate", |s| s.status == RunStatus::Blocked)
        .await;
    let late = project.state(&run).waiting().expect("it waits").opened.clone();
    project
        .answer(&run, Answer::Approve, "Ann", "")
        .expect("the first answer counts");
    let second = engine::Decision {
        lasting: None,
        way: None,
        gate: late.gate.clone(),
        round: late.round,
        answer: Answer::Reject,
        by: "Bob".into(),
        comment: "no".into(),
        seen: vec![],
        undrawn: Vec::new(),
        via: "test".into(),
        report: Default::default(),
        key_name: None,
        signature: None,
    };
    match project.say(&run, Intent::Answer(Arc::new(second))) {
        Err(Error::Refused(refusal)) => {
            assert_eq!(refusal.code, RefusalCode::AlreadyAnswered);
            assert!(refusal.message.contains("Ann"), "{refusal}");
        }
        other => panic!("the second answer must be refused: {other:?}"),
    }
    let (end, state) = within(20, driving).await.expect("no panic").expect("driven");
    assert_eq!(
        (end, ended(&state), path(&state).as_str()),
        (End::Ended, "succeeded", "draft publish")
    );
}

#[tokio::test]
async fn requested_changes_reach_the_step_that_runs_again() {
    let project = Project::shell("grep -o 'name the owner' \"$GATEHOUSE_BRIEF\" | head -1; echo done");
    let run = project.start(GATED, None);
    let driving = project.driving(&run, Project::options(), &Control::default());
    project.until(&run, "round 1", |s| s.status == RunStatus::Blocked).await;
    project
        .answer(&run, Answer::Changes, "Ann", "name the owner")
        .expect("fits");
    project
        .until(&run, "round 2", |s| s.waiting().is_some_and(|w| w.opened.round == 2))
        .await;
    project.answer(&run, Answer::Approve, "Ann", "").expect("fits");
    let (_, state) = within(20, driving).await.expect("no panic").expect("driven");
    assert_eq!(path(&state), "draft draft publish");
    let outputs: Vec<_> = state.steps["draft"]
        .visits
        .iter()
        .map(|v| v.result().expect("ended").output.clone())
        .collect();
    assert_eq!(outputs, ["done\n", "name the owner\ndone\n"]);
}

#[tokio::test]
async fn a_scenario_answers_and_then_a_person_is_asked() {
    let project = Project::new("");
    let scenario = "gates: {draft: [{answer: changes, by: Rita, comment: name the owner}]}\nexpect: {status: blocked, path: [draft, draft]}";
    let run = project.start(GATED, Some(scenario));
    let driver = project.driver(Options {
        until_blocked: true,
        ..Project::options()
    });
    let (end, state) = within(20, driver.drive(&run, &Control::default()))
        .await
        .expect("driven");
    assert_eq!(end, End::Blocked);
    let script = runtime::scenario_of(&project.store, &run)
        .expect("stored")
        .expect("there is one");
    let document = dialect::Document::parse("flow.yaml", GATED);
    assert_eq!(script.check(document.workflow(), &state), Vec::<String>::new());
    let rounds = state.gates.values().next().expect("one gate");
    let (decision, _) = rounds[0].answer.as_ref().expect("answered");
    assert_eq!((decision.by.as_str(), decision.via.as_str()), ("Rita", "scenario"));
}

#[tokio::test]
async fn an_answer_that_comes_while_nobody_drives_starts_the_next_step_without_an_interruption() {
    let project = Project::new("");
    let run = project.start(GATED, None);
    let driver = project.driver(Options {
        until_blocked: true,
        ..Project::options()
    });
    within(20, driver.drive(&run, &Control::default()))
        .await
        .expect("driven");
    let begun = |events: &[Event]| {
        let begun = events.iter().filter(|e| matches!(e, Event::AttemptStarted(_)));
        begun.count()
    };
    let before = begun(&project.events(&run));
    project.answer(&run, Answer::Approve, "Ann", "").expect("fits");
    let events = project.events(&run);
    assert_eq!(begun(&events), before, "nobody is there to do it");
    assert!(matches!(events.last(), Some(Event::Routed(_))), "{:?}", events.last());
    // What else is said does not wait for it either, and begins nothing.
    project
        .say(
            &run,
            Intent::Pause {
                by: "Ann".into(),
                given: None,
            },
        )
        .expect("fits");
    project
        .say(
            &run,
            Intent::Resume {
                by: "Ann".into(),
                given: None,
            },
        )
        .expect("fits");
    assert_eq!(begun(&project.events(&run)), before);
    let state = project.drive(&run).await;
    assert_eq!(ended(&state), "succeeded");
    assert_eq!(begun(&project.events(&run)), before + 1);
    assert!(
        !project
            .events(&run)
            .iter()
            .any(|e| matches!(e, Event::AttemptInterrupted { .. }))
    );
}

#[tokio::test]
async fn a_rejection_ends_the_run() {
    let project = Project::new("");
    let state = project
        .whole(
            GATED,
            Some("gates: {draft: [{answer: reject, by: Rita, comment: not ready}]}"),
        )
        .await;
    assert_eq!(ended(&state), "failed");
    assert_eq!(state.error.as_deref(), Some("Rejected by Rita: not ready"));
}

#[tokio::test]
async fn a_paused_run_finishes_what_is_in_flight_and_starts_nothing() {
    let project = Project::shell("echo $$ > pid; while [ ! -e go ]; do sleep 0.02; done");
    let flow =
        "key: t\ntitle: T\nsteps:\n  - {id: a, agents: [worker], role: A}\n  - {id: b, agents: [worker], role: B}\n";
    let run = project.start(flow, None);
    let driving = project.driving(&run, Project::options(), &Control::default());
    project.until_file("pid").await;
    project
        .say(
            &run,
            Intent::Pause {
                by: "Ann".into(),
                given: None,
            },
        )
        .expect("it runs");
    std::fs::write(project.root.join("go"), "").expect("a file");
    project.until(&run, "the end of a", |s| s.completed == 1).await;
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    assert_eq!(path(&project.state(&run)), "a");
    project
        .say(
            &run,
            Intent::Resume {
                by: "Ann".into(),
                given: None,
            },
        )
        .expect("it is paused");
    let (_, state) = within(20, driving).await.expect("no panic").expect("driven");
    assert_eq!((ended(&state), path(&state).as_str()), ("succeeded", "a b"));
}

const SHOWN: &str = "\
key: release
title: Release
steps:
  - id: draft
    agents: [worker]
    role: Drafts the notes.
    outputs: [notes.md]
    human_gate: required
    routing: {kind: linear, next: publish}
  - id: publish
    agents: [worker]
    role: Publishes them.
    READS
    routing: {kind: linear, next: thank}
  - id: thank
    agents: [worker]
    role: Thanks everybody.
    routing: {kind: linear}
";

/// What the record says of the files of a step that were not what a person had approved: the file, and what was there.
fn not_as_approved(state: &engine::RunState, step: &str) -> Vec<(String, Option<engine::Digest>)> {
    let around = crate::harness::result(state, step).lifecycle.as_ref();
    let files = around.map_or(&[][..], |around| around.not_as_approved.as_slice());
    files
        .iter()
        .map(|file| (file.path.clone(), file.found.clone()))
        .collect()
}

#[tokio::test]
async fn a_file_that_was_changed_after_it_was_approved_is_on_record_at_the_step_that_goes_by_it() {
    let patterns = ["inputs: ['*.md']", "inputs: ['./**/*.md']"];
    for reads in ["inputs: [notes.md]", "model: none"].into_iter().chain(patterns) {
        for change in [None, Some("other"), Some("")] {
            let project = Project::shell("[ -e notes.md ] || echo first > notes.md");
            let run = project.start(&SHOWN.replace("READS", reads), None);
            let driving = project.driving(&run, Project::options(), &Control::default());
            let blocked = project.until(&run, "the gate", |s| s.status == RunStatus::Blocked);
            assert_eq!(blocked.await.waiting().expect("it waits").opened.shown.len(), 1);
            let notes = project.root.join("notes.md");
            match change {
                None => {}
                Some("") => std::fs::remove_file(&notes).expect("removed"),
                Some(text) => std::fs::write(&notes, text).expect("written"),
            }
            project.answer(&run, Answer::Approve, "Ann", "").expect("fits");
            let (_, state) = within(20, driving).await.expect("no panic").expect("driven");
            assert_eq!(ended(&state), "succeeded", "{reads} {change:?}");
            let expected = change.map(|text| {
                let found = (!text.is_empty()).then(|| store::digest_of(text.as_bytes()));
                ("notes.md".to_owned(), found)
            });
            assert_eq!(
                not_as_approved(&state, "publish"),
                Vec::from_iter(expected),
                "{reads} {change:?}"
            );
            // It goes by nothing that was shown.
            assert_eq!(not_as_approved(&state, "thank"), []);
        }
    }
}

/// A step that says nothing of what was approved may read it all the same: what a file has become is on record at the next one that begins, and
/// once.
#[tokio::test]
async fn what_was_approved_is_compared_at_every_later_step_and_each_version_is_told_once() {
    let project = Project::shell("[ -e notes.md ] || echo first > notes.md");
    let flow = SHOWN.replace("READS", "model: none").replace(
        "role: Thanks everybody.\n    routing: {kind: linear}",
        "role: Thanks everybody.\n    human_gate: required\n    routing: {kind: linear, next: file}",
    ) + "  - id: file\n    agents: [worker]\n    role: Files them.\n    inputs: [list.md]\n    routing: {kind: linear}\n";
    let run = project.start(&flow, None);
    let driving = project.driving(&run, Project::options(), &Control::default());
    let is_asked = |state: &engine::RunState, gate: &str, round: u32| {
        let waiting = state.waiting().map(|round| &round.opened);
        waiting.is_some_and(|opened| opened.instance.step.as_str() == gate && opened.round == round)
    };
    project
        .until(&run, "the first gate", |state| is_asked(state, "draft", 1))
        .await;
    project.answer(&run, Answer::Approve, "Ann", "").expect("fits");
    // Twice it is done again, and both times it finds what somebody wrote after the steps in between had begun.
    for round in [1, 2] {
        project
            .until(&run, "the second gate", |state| is_asked(state, "thank", round))
            .await;
        std::fs::write(project.root.join("notes.md"), "other").expect("written");
        project.answer(&run, Answer::Changes, "Ann", "again").expect("fits");
    }
    project
        .until(&run, "the third round", |state| is_asked(state, "thank", 3))
        .await;
    project.answer(&run, Answer::Approve, "Ann", "").expect("fits");
    let (_, state) = within(20, driving).await.expect("no panic").expect("driven");
    assert_eq!(ended(&state), "succeeded");
    let found: Vec<usize> = state.steps["thank"]
        .visits
        .iter()
        .map(|visit| {
            let result = visit.attempts.last().and_then(|attempt| attempt.result.as_deref());
            let around = result.and_then(|result| result.lifecycle.as_deref());
            around.map_or(0, |around| around.not_as_approved.len())
        })
        .collect();
    assert_eq!(found, [0, 1, 1]);
    assert_eq!(not_as_approved(&state, "publish"), []);
    // It is on record.
    assert_eq!(not_as_approved(&state, "file"), []);
}

#[tokio::test]
async fn what_the_run_itself_makes_after_an_approval_is_no_other_version() {
    let project = Project::shell("echo \"$GATEHOUSE_STEP\" > notes.md");
    let flow = SHOWN.replace("READS", "outputs: [notes.md]").replace(
        "role: Thanks everybody.",
        "role: Thanks everybody.\n    inputs: [notes.md]",
    );
    let run = project.start(&flow, None);
    let driving = project.driving(&run, Project::options(), &Control::default());
    project
        .until(&run, "the gate", |s| s.status == RunStatus::Blocked)
        .await;
    project.answer(&run, Answer::Approve, "Ann", "").expect("fits");
    let (_, state) = within(20, driving).await.expect("no panic").expect("driven");
    assert_eq!(ended(&state), "succeeded");
    assert_eq!(not_as_approved(&state, "publish"), []);
    assert_eq!(not_as_approved(&state, "thank"), []);
}

#[tokio::test]
async fn what_a_failed_attempt_left_is_not_told_as_if_somebody_else_had_changed_it() {
    let project = Project::new(
        "runtime: {max_retries: 2, backoff_seconds: 0}\nagents: {worker: {engine: shell, run: 'if [ \"$GATEHOUSE_STEP\" = publish ]; then echo x >> tries; cp tries notes.md; test $(wc -l < tries) -ge 2; else [ -e notes.md ] || echo first > notes.md; fi'}}",
    );
    for changed in [false, true] {
        for file in ["notes.md", "tries"] {
            let _ = std::fs::remove_file(project.root.join(file));
        }
        let flow = SHOWN.replace("READS", "inputs: [notes.md]\n    outputs: [notes.md]");
        let run = project.start(&flow, None);
        let driving = project.driving(&run, Project::options(), &Control::default());
        project
            .until(&run, "the gate", |s| s.status == RunStatus::Blocked)
            .await;
        if changed {
            std::fs::write(project.root.join("notes.md"), "other").expect("written");
        }
        project.answer(&run, Answer::Approve, "Ann", "").expect("fits");
        let (_, state) = within(20, driving).await.expect("no panic").expect("driven");
        assert_eq!(ended(&state), "succeeded");
        assert_eq!(state.steps["publish"].visits[0].attempts.len(), 2);
        let found = Some(store::digest_of(b"other"));
        let expected = changed.then(|| ("notes.md".to_owned(), found));
        assert_eq!(not_as_approved(&state, "publish"), Vec::from_iter(expected));
    }
}

/// What is added to a folder after its files were approved is none of what was approved.
#[tokio::test]
async fn a_file_that_is_added_to_a_folder_after_it_was_approved_is_on_record() {
    for reads in ["inputs: [docs/]", "model: none"] {
        for added in [false, true] {
            let project = Project::shell("[ -e docs ] || { mkdir docs; echo first > docs/notes.md; }");
            let flow = format!(
                "key: notes\ntitle: Notes\nsteps:\n  - {{id: draft, agents: [worker], role: Drafts., outputs: [docs/], human_gate: required, \
                 routing: {{kind: linear, next: send}}}}\n  - {{id: send, agents: [worker], role: Sends., {reads}, routing: {{kind: terminal}}}}\n"
            );
            let run = project.start(&flow, None);
            let driving = project.driving(&run, Project::options(), &Control::default());
            let blocked = project
                .until(&run, "the gate", |s| s.status == RunStatus::Blocked)
                .await;
            let shown = &blocked.waiting().expect("it waits").opened.shown;
            let paths: Vec<&str> = shown.iter().map(|made| made.path.as_str()).collect();
            assert_eq!(paths, ["docs/notes.md"]);
            if added {
                std::fs::write(project.root.join("docs/more.md"), "more").expect("written");
            }
            // What lies elsewhere is no matter of it.
            std::fs::write(project.root.join("other.md"), "other").expect("written");
            project.answer(&run, Answer::Approve, "Ann", "").expect("fits");
            let (_, state) = within(20, driving).await.expect("no panic").expect("driven");
            let found = Some(store::digest_of(b"more"));
            let expected = added.then(|| ("docs/more.md".to_owned(), found));
            assert_eq!(not_as_approved(&state, "send"), Vec::from_iter(expected), "{reads}");
            let around = crate::harness::result(&state, "send").lifecycle.as_ref();
            let files = around.map_or(&[][..], |around| around.not_as_approved.as_slice());
            assert!(files.iter().all(|file| file.approved.is_none()), "{files:?}");
        }
    }
}

/// A stage without inputs goes by what was approved at those that it waits for.
#[tokio::test]
async fn of_a_stage_what_it_waits_for_is_compared() {
    let project =
        Project::shell("[ \"$GATEHOUSE_STEP\" != draft ] || echo first > \"$GATEHOUSE_OUTPUT_FOLDER/notes.md\"");
    let pipeline = "name: p\nstages:\n- {name: draft, agents: [worker], human_gate: required}\n- {name: send, agents: [worker], depends_on: [draft]}\n";
    let run = project.start(pipeline, None);
    let driving = project.driving(&run, Project::options(), &Control::default());
    let blocked = project.until(&run, "the gate", |s| s.waiting().is_some()).await;
    let shown = blocked.waiting().expect("it waits").opened.shown.clone();
    let [shown] = shown.as_slice() else {
        panic!("one file is shown: {shown:?}")
    };
    std::fs::write(project.root.join(&shown.path), "other").expect("written");
    project.answer(&run, Answer::Approve, "Ann", "").expect("fits");
    let (_, state) = within(20, driving).await.expect("no panic").expect("driven");
    let found = Some(store::digest_of(b"other"));
    assert_eq!(not_as_approved(&state, "send"), [(shown.path.clone(), found)]);
}
