//! Agents that nobody is bound to: a run for real is refused, a rehearsal is one, and a person can do the work.

use crate::harness::{ONE, Project, ended, result};
use engine::{Answer, EngineInfo, Intent, RunStatus, StepStatus};
use runtime::{Control, Error, StartRequest};

const TWO: &str =
    "key: t\ntitle: T\nsteps:\n  - {id: a, agents: [worker], role: A}\n  - {id: b, agents: [critic], role: B}\n";

fn request(flow: &str) -> StartRequest {
    StartRequest {
        path: "flow.yaml".into(),
        source: flow.into(),
        by: "Ann".into(),
        initiator: "test".into(),
        ..StartRequest::default()
    }
}

fn refused(project: &Project, request: &StartRequest) -> (String, String) {
    match project.driver(Project::options()).start(request) {
        Err(error @ Error::Unbound(_)) => (error.to_string(), error.hint().expect("what to do")),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_run_for_real_does_not_begin_where_nobody_does_the_work() {
    let (says, hint) = refused(&Project::new(""), &request(TWO));
    assert!(
        says.contains("“worker” (“A”)") && says.contains("“critic” (“B”)"),
        "{says}"
    );
    for way in ["gatehouse.yaml", "`worker: person`", "--assign a=NAME", "--rehearse"] {
        assert!(hint.contains(way), "{hint}");
    }
    // The stub is nobody, by whatever name it is bound.
    for config in ["agents: {worker: stub, critic: stub}", "agents: {\"*\": stub}"] {
        assert!(
            refused(&Project::new(config), &request(TWO)).0.contains("“critic”"),
            "{config}"
        );
    }
    let (says, _) = refused(&Project::shell("true"), &request(TWO));
    assert!(!says.contains("worker") && says.contains("“critic”"), "{says}");
    let project = Project::new("agents: {\"*\": {engine: shell, run: 'true'}}");
    assert_eq!(ended(&project.whole(TWO, None).await), "succeeded");
}

#[tokio::test]
async fn what_a_workflow_lists_needs_somebody_too() {
    let project = Project::new("");
    std::fs::write(project.root.join("inner.yaml"), TWO).expect("written");
    let around = "name: Around\nstages:\n  - {name: flow, workflow: inner.yaml}\n";
    let of = StartRequest {
        path: "around.yaml".into(),
        ..request(around)
    };
    let (says, _) = refused(&project, &of);
    assert!(says.contains("“critic” (“B”) in inner.yaml"), "{says}");
    // What stands in a runbook itself needs nobody, and neither does what a person is asked for.
    let own = "# Own\n\n## 1. Do it\n\n```bash\ntrue\n```\n\n## 2. Look\n\nLook at it.\n";
    let of = StartRequest {
        path: "own.runbook.md".into(),
        ..request(own)
    };
    project.driver(Project::options()).start(&of).expect("it begins");
    let of = StartRequest {
        prompted: true,
        ..request(TWO)
    };
    project.driver(Project::options()).start(&of).expect("it begins");
}

#[tokio::test]
async fn a_rehearsal_runs_nothing_and_is_marked_in_every_file() {
    let project = Project::shell("touch ran");
    let of = StartRequest {
        rehearse: true,
        ..request(TWO)
    };
    let run = project.driver(Project::options()).start(&of).expect("it begins");
    let state = project.drive(&run).await;
    assert_eq!(ended(&state), "succeeded");
    assert!(state.created.as_ref().expect("created").is_rehearsal());
    assert!(!project.root.join("ran").exists());
    let workflow = runtime::workflow_of(&project.store, &run).expect("kept");
    let facts = store::Facts::of(workflow);
    for (name, bytes) in project.store.render_run(&run, &facts).expect("its files") {
        let text = String::from_utf8(bytes).expect("text");
        if !name.starts_with("t/llm/") {
            assert!(
                text.lines().count() > 0 && text.contains("\"rehearsal\""),
                "{name}: {text}"
            );
        }
        if name == "events.jsonl" {
            assert!(text.lines().all(|line| line.contains("\"rehearsal\":true")), "{text}");
        }
    }
}

/// `worker` is a person: bound so, or by the step's assignment.
#[tokio::test(flavor = "multi_thread")]
async fn a_person_does_a_step_and_what_they_made_is_taken_up() {
    let flow = ONE.replace(
        "    role: Works.\n",
        "    role: Works.\n    outputs: [made.md]\n    human_gate: required\n",
    );
    for config in ["agents: {worker: person}", "agents: {other: stub}"] {
        let project = Project::new(config);
        let mut of = request(&flow);
        if config.contains("other") {
            of.assigned = [("work".into(), "Grace".into())].into();
        }
        let run = project.driver(Project::options()).start(&of).expect("it begins");
        let driving = project.driving(&run, Project::options(), &Control::default());
        project
            .until(&run, "the question", |s| s.status == RunStatus::Blocked)
            .await;
        std::fs::write(project.root.join("made.md"), "# Made\n").expect("written");
        project
            .answer(&run, Answer::Pass, "Grace", "as asked")
            .expect("it fits");
        let state = project
            .until(&run, "the gate", |s| {
                s.waiting().is_some_and(|w| w.opened.gate.as_str().ends_with(":hitl"))
            })
            .await;
        assert_eq!(state.waiting().expect("it waits").opened.shown[0].path, "made.md");
        project.answer(&run, Answer::Approve, "Ann", "").expect("it fits");
        let (_, state) = driving.await.expect("no panic").expect("driven");
        assert_eq!(ended(&state), "succeeded", "{:?}", state.error);
        let attempt = &state.steps["work"].visits[0].attempts[0];
        assert_eq!(attempt.started.engine, EngineInfo::person());
        assert_eq!(result(&state, "work").output, "as asked");
        assert_eq!(state.steps["work"].visits[0].attempts.len(), 1);
    }
}

/// A program for every other agent is none for one that is called a person, and none for a name that is bound in other letters.
#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_asked_whatever_every_other_agent_is_bound_to() {
    let every_other = "'*': {engine: shell, run: touch ran}";
    for (agent, config) in [
        ("person", format!("agents: {{{every_other}}}")),
        ("legal", format!("agents: {{Legal: person, {every_other}}}")),
    ] {
        let project = Project::new(&config);
        let run = project.start(&ONE.replace("worker", agent), None);
        let driving = project.driving(&run, Project::options(), &Control::default());
        project
            .until(&run, "the question", |s| s.status == RunStatus::Blocked)
            .await;
        project.answer(&run, Answer::Pass, "Grace", "signed").expect("it fits");
        let (_, state) = driving.await.expect("no panic").expect("driven");
        assert_eq!(ended(&state), "succeeded", "{agent}: {:?}", state.error);
        assert!(!project.root.join("ran").exists(), "{agent}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_says_that_it_did_not_go_well() {
    let project = Project::new("runtime: {max_retries: 3}\nagents: {worker: person}");
    let run = project.start(ONE, None);
    let driving = project.driving(&run, Project::options(), &Control::default());
    project
        .until(&run, "the question", |s| s.status == RunStatus::Blocked)
        .await;
    project
        .answer(&run, Answer::Fail, "Grace", "no paper")
        .expect("it fits");
    let (_, state) = driving.await.expect("no panic").expect("driven");
    assert_eq!((ended(&state), state.error.as_deref()), ("failed", Some("no paper")));
    assert_eq!(state.step_status(&"work".into()), StepStatus::Failed);
}

/// Evidence and answers of a rehearsal raise nothing.
#[tokio::test]
async fn nothing_of_a_rehearsal_can_be_promoted() {
    let project = Project::new("agents: {writer: {engine: shell, run: 'true'}}");
    let flow = "format: stepspec\nworkflow: w\nsteps:\n- id: draft\n  name: Draft\n  agent: writer\n  outputs: ['{output_folder}/a.md']\n  validation: Format validation\n  evidence: L2\n";
    let script = "steps: {draft: [{artifacts: {docs/a.md: a}}]}";
    let run = project.start(flow, Some(script));
    let state = project.drive(&run).await;
    assert!(!state.evidence.is_empty(), "{:?}", state.error);
    let promote = Intent::Promote {
        by: "Ann".into(),
        evidence: state.evidence[0].record.id.clone(),
        to: state.evidence[0]
            .record
            .level
            .next()
            .map_or("L2", engine::Level::word)
            .into(),
        reason: "looked at it".into(),
        signature: None,
    };
    let error = project.say(&run, promote).expect_err("refused");
    assert!(error.to_string().contains("rehearsal"), "{error}");
}
