//! Agent workflows (seed 003's family) through the program: the seven kinds rehearsed, and steps that are left out, taken over and held to a
//! context that a workflow raises.

use serde_json::{Value, json};
use tests::project::Project;

const KINDS: [&str; 7] = [
    "greenfield-fullstack",
    "greenfield-fullstack-v2",
    "greenfield-ui",
    "greenfield-service",
    "brownfield-fullstack",
    "brownfield-ui",
    "brownfield-service",
];

fn session(project: &Project) -> Value {
    let (run, _) = project.latest().expect("readable").expect("a run");
    let said = project
        .gatehouse(&["session", "export", run.as_str()])
        .expect("it is built");
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    serde_json::from_str(&said.out).expect("JSON")
}

#[test]
fn each_of_the_seven_kinds_is_rehearsed_and_its_session_states_it() {
    let project = Project::new(&[]).expect("a project");
    tests::samples::copy_to(&project.root).expect("copied");
    let tried = project.gatehouse(&["test", "software"]).expect("it is built");
    assert_eq!(tried.code, Some(0), "{}{}", tried.out, tried.err);
    for kind in KINDS {
        let scenarios = std::fs::read_dir(project.root.join(format!("software/{kind}.scenarios"))).expect("there");
        let first = scenarios.map(|one| one.expect("there").path()).min().expect("one");
        let file = format!("software/{kind}.yaml");
        let first = first.to_string_lossy().into_owned();
        let run = project
            .gatehouse(&["run", &file, "--scenario", &first])
            .expect("it is built");
        assert!(
            matches!(run.code, Some(0 | 3)),
            "{kind}: {:?} {}{}",
            run.code,
            run.out,
            run.err
        );
        let about = &session(&project)["project_metadata"];
        assert_eq!(
            (&about["workflow_type"], &about["workflow_type_stated"]),
            (&json!(kind), &json!(true))
        );
    }
}

const AGENTS: &str = "version: 1\nagents:\n  analyst: {engine: shell, run: \"echo '{\\\"large\\\": false, \\\"test_coverage\\\": 85}' > $GATEHOUSE_REPORT\"}\n  developer: {engine: shell, run: \"echo no >&2; exit 1\"}\n  architect: {engine: shell, run: \"echo done > made.md\"}\npermissions: {mode: allow}\ncontext: {quality_standards: {minimum_test_coverage: 80, below: warn}}\n";

const CHANGE: &str = "workflow: {name: change, type: brownfield, category: service}\nsequence:\n- {step: 1, agent: analyst, task: look}\n- {step: 2, agent: architect, task: plan, condition: large}\n- {step: 3, agent: developer, task: build, creates: made.md, execution: {retry_on_failure: 1, escalate_to: architect}}\n- {step: 4, agent: developer, task: polish, execution: {skip_on_failure: true}}\n- {step: 5, agent: architect, task: tell}\n";

#[test]
fn a_run_leaves_out_hands_on_and_goes_on_without() {
    let project = Project::new(&[("gatehouse.yaml", AGENTS), ("change.yaml", CHANGE)]).expect("a project");
    let run = project.gatehouse(&["run", "change.yaml"]).expect("it is built");
    let said = format!("{}{}", run.out, run.err);
    assert!(said.contains("left out: `large` does not hold"), "{said}");
    assert!(said.contains("The run goes on"), "{said}");
    let session = session(&project);
    let state = &session["workflow_state"];
    assert_eq!(state["completed_steps"], json!([1, 3, 5]), "{state:#}");
    assert_eq!(state["skipped_steps"], json!([2]), "{state:#}");
    assert_eq!(state["failed_steps"][0]["step_id"], json!(4), "{state:#}");
    assert_eq!(session["metadata"]["status"], "completed_with_failures");
    let kinds: Vec<&str> = session["decision_log"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["decision_type"].as_str())
        .collect();
    assert!(
        kinds.contains(&"agent_escalation") && kinds.contains(&"adaptive_routing"),
        "{kinds:?}"
    );
    let handed_on = session["decision_log"].as_array().expect("a list").iter();
    let mut handed_on = handed_on.filter(|one| one["decision_type"] == "agent_escalation");
    assert_eq!(handed_on.next().expect("one")["decision"], "“Build” goes to architect");
    assert_eq!(session["project_metadata"]["workflow_type"], "brownfield-service");
    let (id, _) = project.latest().expect("readable").expect("a run");
    let verified = project.gatehouse(&["verify", id.as_str()]).expect("it is built");
    assert_eq!(verified.code, Some(0), "{}{}", verified.out, verified.err);
    assert!(
        !project.root.join("pipelines").exists(),
        "its files stay where they are made"
    );
}

/// A plain sequence has one step at work at a time; and whoever lets a run go on without a step that has failed approves nothing of it.
#[test]
fn the_session_claims_neither_work_side_by_side_nor_a_gate_that_was_not_passed() {
    let flow = "workflow:\n  id: w\n  name: W\n  type: greenfield\n  sequence:\n    - {agent: developer, step: a, human_gate: required, execution: {skip_on_failure: true}}\n    - {agent: architect, step: b, human_gate: required}\n";
    let project = Project::new(&[("gatehouse.yaml", AGENTS), ("w.yaml", flow)]).expect("a project");
    let done = |arguments: &[&str]| {
        let said = project.gatehouse(arguments).expect("it is built");
        assert!(
            matches!(said.code, Some(0 | 1)),
            "{arguments:?}: {}{}",
            said.out,
            said.err
        );
    };
    done(&["run", "w.yaml", "--until-blocked"]);
    let (run, _) = project.latest().expect("readable").expect("a run");
    done(&["answer", run.as_str(), "a", "approve", "--by", "Bob"]);
    done(&["resume", run.as_str(), "--until-blocked"]);
    // With this answer the run ends.
    done(&["answer", run.as_str(), "b", "approve", "--by", "Bob"]);
    let state = &session(&project)["workflow_state"];
    assert_eq!(state["execution_mode"], "sequential");
    assert_eq!(state["failed_steps"][0]["step_id"], 1, "{state:#}");
    assert_eq!(state["quality_gates_passed"], json!(["w:b:hitl"]), "{state:#}");
    let failed = &state["quality_gates_failed"][0];
    assert_eq!(
        (&failed["gate_name"], &failed["step_id"]),
        (&json!("w:a:hitl"), &json!(1))
    );
    let reason = failed["reason"].as_str().unwrap_or_default();
    assert!(
        reason.contains("goes on without it") && reason.contains("Bob"),
        "{reason}"
    );
}

#[test]
fn a_workflow_raises_what_the_project_wants_and_cannot_lower_it() {
    let with = |context: &str| format!("{CHANGE}context: {{quality_standards: {{{context}}}}}\n");
    let project = Project::new(&[
        ("gatehouse.yaml", AGENTS),
        ("higher.yaml", &with("minimum_test_coverage: 90")),
        ("lower.yaml", &with("minimum_test_coverage: 60, below: fail")),
        ("notes.runbook.md", "---\ncontext: {quality_standards: {code_quality_threshold: 5, minimum_test_coverage: 20}}\n---\n\n# Notes\n\n## 1. Look\n\n```bash\ntrue\n```\n"),
    ])
    .expect("a project");
    let check = |file: &str| {
        let said = project.gatehouse(&["check", file]).expect("it is built");
        format!("{}{}", said.out, said.err)
    };
    assert!(!check("higher.yaml").contains("GH0603"));
    let lower = check("lower.yaml");
    assert!(
        lower.contains("GH0603")
            && lower.contains("`context.quality_standards.minimum_test_coverage` is 60 here, and 80"),
        "{lower}"
    );
    assert!(check("notes.runbook.md").contains("GH0603"));
    for (file, standards) in [
        ("higher.yaml", json!({"minimum_test_coverage": 90, "below": "warn"})),
        ("lower.yaml", json!({"minimum_test_coverage": 80, "below": "fail"})),
        (
            "notes.runbook.md",
            json!({"minimum_test_coverage": 80, "below": "warn", "code_quality_threshold": 5}),
        ),
    ] {
        let run = project.gatehouse(&["run", file]).expect("it is built");
        let session = session(&project);
        assert_eq!(
            session["global_context"]["quality_standards"], standards,
            "{file}: {}{}",
            run.out, run.err
        );
    }
    let higher = project.gatehouse(&["run", "higher.yaml"]).expect("it is built");
    assert!(
        !session(&project)["workflow_state"]["quality_gates_failed"]
            .as_array()
            .expect("a list")
            .is_empty(),
        "{}",
        higher.out
    );
}

#[test]
fn what_has_failed_for_good_goes_to_the_person_it_names_and_they_do_it() {
    let agents = AGENTS.replace("agents:\n", "agents:\n  bea: person\n");
    let change = CHANGE.replace("escalate_to: architect", "escalate_to: bea");
    let project = Project::new(&[("gatehouse.yaml", &agents), ("change.yaml", &change)]).expect("a project");
    let says = |arguments: &[&str]| {
        let said = project.gatehouse(arguments).expect("it is built");
        assert_eq!(said.code, Some(0), "{arguments:?}: {}{}", said.out, said.err);
        said.out + &said.err
    };
    says(&["run", "change.yaml", "--until-blocked"]);
    let (run, _) = project.latest().expect("readable").expect("a run");
    let waits = session(&project);
    assert_eq!(waits["agent_contexts"]["developer"]["escalated_to"], "bea");
    let escalated = |session: &Value| {
        let log = session["decision_log"].as_array().expect("a list").clone();
        let escalated = log.into_iter().filter(|one| one["decision_type"] == "agent_escalation");
        escalated.map(|one| one["decision"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(escalated(&waits), [json!("“Build” goes to bea")]);
    project.write(&[("made.md", "By hand.\n")]).expect("written");
    says(&[
        "answer",
        run.as_str(),
        "build",
        "pass",
        "--by",
        "Bea",
        "--comment",
        "by hand",
    ]);
    let ended = project.gatehouse(&["resume", run.as_str()]).expect("it is built");
    assert_eq!(
        ended.code,
        Some(1),
        "another step has failed: {}{}",
        ended.out,
        ended.err
    );
    let session = session(&project);
    assert_eq!(session["metadata"]["status"], "completed_with_failures");
    assert_eq!(session["workflow_state"]["completed_steps"], json!([1, 3, 5]));
    assert_eq!(session["agent_contexts"]["bea"]["status"], "completed");
    assert_eq!(escalated(&session), [json!("“Build” goes to bea")], "it is told once");
    says(&["verify", run.as_str()]);
    // Whom nobody knows does not take over either.
    let project = Project::new(&[("gatehouse.yaml", AGENTS), ("change.yaml", &change)]).expect("a project");
    let said = project.gatehouse(&["run", "change.yaml"]).expect("it is built");
    assert!(
        said.err
            .contains("“bea” is to take over what has failed for good, and is not set up"),
        "{}{}",
        said.out,
        said.err
    );
    assert!(
        said.err.contains("`bea: person`") && !said.err.contains("--assign"),
        "given the step, bea would do it first: {}",
        said.err
    );
}

#[test]
fn a_session_tells_what_each_agent_needed_what_it_received_and_the_moment_before() {
    let agents = "agents:\n  analyst: {engine: shell, run: echo a > brief.md}\n  architect: {engine: shell, run: echo b > plan.md}\npermissions: {mode: allow}\n";
    let workflow = "workflow:\n  id: w\n  sequence:\n  - {agent: analyst, creates: brief.md}\n  - {agent: architect, requires: [brief.md, wishes.md], creates: plan.md}\n";
    let project = Project::new(&[("gatehouse.yaml", agents), ("w.yaml", workflow)]).expect("a project");
    let run = project.gatehouse(&["run", "w.yaml"]).expect("it is built");
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    let whole = session(&project);
    let (analyst, architect) = (
        &whole["agent_contexts"]["analyst"],
        &whole["agent_contexts"]["architect"],
    );
    assert_eq!(analyst.get("inputs"), None, "it names none");
    let inputs = &architect["inputs"];
    assert_eq!(inputs["required"], json!(["brief.md", "wishes.md"]));
    let received: Vec<&String> = inputs["received"]
        .as_object()
        .expect("a list of fields")
        .keys()
        .collect();
    assert_eq!(received, ["brief.md"]);
    assert!(inputs["received"]["brief.md"]["digest"].is_string());
    let snapshot = architect["context_snapshot_id"].as_str().expect("a moment");
    let (run, event) = snapshot.split_once('@').expect("a run and an event");
    let then = project
        .gatehouse(&["session", "export", run, "--at", event])
        .expect("it is built");
    let then: Value = serde_json::from_str(&then.out).expect("JSON");
    assert_eq!(
        (
            &then["agent_contexts"]["architect"],
            &then["workflow_state"]["completed_steps"]
        ),
        (
            &json!({"status": "pending", "inputs": {"required": ["brief.md", "wishes.md"], "received": {}}}),
            &json!([1])
        )
    );
}

#[test]
fn a_run_that_failed_is_resumed_with_what_failed_in_it() {
    let agents = "version: 1\nagents:\n  an: {engine: shell, run: 'echo x >> one.log'}\n  dev: {engine: shell, run: 'test -f ok'}\n\
                  permissions: {mode: allow}\n";
    let flow = "workflow: {name: mend, type: brownfield, category: service}\nsequence:\n\
                - {step: 1, agent: an, task: look}\n- {step: 2, agent: dev, task: build}\n- {step: 3, agent: an, task: tell}\n";
    let project = Project::new(&[("mend.yaml", flow), ("gatehouse.yaml", agents)]).expect("a project");
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("it is built");
    let run = said(&["run", "mend.yaml"]);
    assert_eq!(run.code, Some(1), "{}{}", run.out, run.err);
    let (id, _) = project.latest().expect("readable").expect("a run");
    assert_eq!(project.text("one.log").lines().count(), 1);

    project.write(&[("ok", "")]).expect("written");
    let at = said(&["resume", id.as_str(), "--from", "1"]);
    assert_eq!(at.code, Some(3), "{}{}", at.out, at.err);
    assert!(
        at.err.contains("every stage that failed or was cut off runs again"),
        "{}",
        at.err
    );
    let resumed = said(&["resume", id.as_str()]);
    assert_eq!(resumed.code, Some(0), "{}{}", resumed.out, resumed.err);
    let (same, state) = project.latest().expect("readable").expect("a run");
    assert_eq!(same, id);
    assert_eq!(state.status, engine::RunStatus::Ended(engine::EndStatus::Succeeded));
    assert_eq!(
        project.text("one.log").lines().count(),
        2,
        "what is completed is not done again"
    );
}
