//! Feedback between agents (seed 003 `feedback_loops`), through the program itself: agents are told how to report, what they report is
//! sent back, in flows and in pipelines, and the session of the run tells it.

use serde_json::{Value, json};
use tests::program::Said;
use tests::project::Project;

const FLOW: &str = "\
key: hall
title: A hall
steps:
  - {id: design, name: Design it, agents: [architect], routing: {kind: linear, next: build}}
  - {id: build, name: Build it, agents: [builder], routing: {kind: linear}}
";
const SETTINGS: &str = "\
permissions: {mode: allow}
runtime: {feedback_rounds: 1}
agents:
  architect: {engine: shell, run: sh architect.sh}
  builder: {engine: shell, run: sh builder.sh}
";
/// Acknowledges from its second visit on.
const ARCHITECT: &str = "\
cp \"$GATEHOUSE_BRIEF\" design-$GATEHOUSE_VISIT.json
test \"$GATEHOUSE_VISIT\" = 1 || echo '{\"acknowledged\": \"It is measured.\"}' > \"$GATEHOUSE_REPORT\"
";
/// Reports on each of its visits what the file of that number says.
const BUILDER: &str = "\
cp \"$GATEHOUSE_BRIEF\" build-$GATEHOUSE_VISIT.json
cp report-$GATEHOUSE_VISIT.json \"$GATEHOUSE_REPORT\"
";
const TOO_HIGH: &str =
    r#"{"feedback": [{"to": "architect", "type": "constraint", "severity": "error", "message": "It is too high."}]}"#;

fn project(reports: &[&str]) -> Project {
    let names: Vec<String> = (1..=reports.len()).map(|n| format!("report-{n}.json")).collect();
    let mut files = vec![
        ("hall.yaml", FLOW),
        ("gatehouse.yaml", SETTINGS),
        ("architect.sh", ARCHITECT),
        ("builder.sh", BUILDER),
    ];
    files.extend(names.iter().map(String::as_str).zip(reports.iter().copied()));
    Project::new(&files).expect("a project")
}

fn done(project: &Project, arguments: &[&str], code: i32) -> Said {
    let said = project.gatehouse(arguments).expect("gatehouse is built");
    assert_eq!(said.code, Some(code), "{arguments:?}: {}{}", said.out, said.err);
    said
}

fn session(project: &Project) -> Value {
    let (run, _) = project.latest().expect("a history").expect("a run");
    let said = done(project, &["session", "export", run.as_str()], 0);
    let session: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(dialect::session::breaks(&session), []);
    session
}

fn brief(project: &Project, name: &str) -> Value {
    serde_json::from_str(&project.text(name)).expect("a brief")
}

#[test]
fn what_an_agent_reports_goes_back_to_who_did_it_and_comes_back_with_the_answer() {
    let project = project(&[TOO_HIGH, "{}"]);
    done(&project, &["run", "hall.yaml"], 0);

    let first = brief(&project, "build-1.json");
    let prompt = first["prompt"].as_str().expect("a prompt");
    assert!(
        prompt.contains("`feedback`: a list of {to: a step or an agent"),
        "{prompt}"
    );
    assert_eq!(brief(&project, "design-1.json").get("feedback"), None);

    let again = brief(&project, "design-2.json");
    assert_eq!(
        again["feedback"],
        json!([{
            "id": "build:1", "from": "build", "agent": "builder", "to": ["architect"], "type": "constraint", "severity": "error",
            "message": "It is too high.", "round": 1, "max": 1
        }])
    );
    let prompt = again["prompt"].as_str().expect("a prompt");
    assert!(
        prompt.contains("builder reports (build:1, constraint, error; 1 of 1): It is too high."),
        "{prompt}"
    );
    let back = brief(&project, "build-2.json");
    assert_eq!(back["feedback_given"][0]["acknowledged"], json!(["It is measured."]));

    let told = session(&project);
    let own = &told["feedback_loops"][0];
    assert_eq!(
        (
            &own["status"],
            &own["resolution"],
            &own["issue_type"],
            &own["target_agents"]
        ),
        (
            &json!("resolved"),
            &json!("acknowledged (It is measured.), and not reported any more"),
            &json!("constraint_violation"),
            &json!(["architect"])
        )
    );
    let received = &told["agent_contexts"]["architect"]["feedback_received"][0];
    assert_eq!(
        (&received["from_agent"], &received["type"], &received["resolved"]),
        (&json!("builder"), &json!("constraint"), &json!(true))
    );
}

#[test]
fn within_its_bound_and_then_a_person_decides() {
    let project = project(&[TOO_HIGH, TOO_HIGH]);
    let said = done(&project, &["run", "hall.yaml", "--until-blocked"], 0);
    let said = said.out + &said.err;
    assert!(
        said.contains("Constraint of “architect” (it has sent work back once): It is too high."),
        "{said}"
    );
    let waits = session(&project);
    assert_eq!(waits["feedback_loops"][0]["status"], "escalated");
    assert_eq!(waits["workflow_state"]["paused"], true);
    let (run, _) = project.latest().expect("a history").expect("a run");
    let run = run.as_str();
    // Without a reason nothing goes on as it is.
    done(&project, &["answer", run, "build", "approve", "--by", "Ada"], 3);
    let why = "It is a hall.";
    done(
        &project,
        &["answer", run, "build", "approve", "--by", "Ada", "--comment", why],
        0,
    );
    let over = session(&project);
    let own = &over["feedback_loops"][0];
    assert_eq!(
        (&own["status"], &own["resolution"]),
        (&json!("ignored"), &json!("accepted as it is by Ada: It is a hall."))
    );
    done(&project, &["report", run, "--output", "report.html"], 0);
    let page = project.text("report.html");
    assert!(
        page.contains("Feedback between agents") && page.contains("accepted as it is by Ada"),
        "it is in the report"
    );
}

#[test]
fn a_stage_of_a_pipeline_sends_back_the_one_it_waits_for_and_what_lies_between() {
    const PIPE: &str = "\
id: PIPE-20260101-hall-120000
name: Hall
stages:
  - {name: design, agents: [architect]}
  - {name: check, agents: [checker], depends_on: [design]}
  - {name: build, agents: [builder], depends_on: [check]}
";
    let settings = format!("{SETTINGS}  checker: {{engine: shell, run: echo checked >> checks.txt}}\n");
    let files = [
        ("pipelines/PIPE-20260101-hall-120000.yaml", PIPE),
        ("gatehouse.yaml", &settings),
        ("architect.sh", ARCHITECT),
        ("builder.sh", BUILDER),
        ("report-1.json", TOO_HIGH),
        ("report-2.json", "{}"),
    ];
    let project = Project::new(&files).expect("a project");
    done(&project, &["pipeline", "run", "PIPE-20260101-hall-120000"], 0);
    assert_eq!(project.text("checks.txt"), "checked\nchecked\n");
    assert_eq!(
        brief(&project, "design-2.json")["feedback"][0]["message"],
        "It is too high."
    );
    assert_eq!(session(&project)["feedback_loops"][0]["status"], "resolved");
}

/// Of a workflow that bounds feedback itself.
fn bounded(feedback: &str, settings: &str) -> Project {
    let files = [
        ("hall.yaml", &*format!("{FLOW}feedback: {feedback}\n")),
        ("gatehouse.yaml", settings),
        ("architect.sh", ARCHITECT),
        ("builder.sh", BUILDER),
        ("report-1.json", TOO_HIGH),
        ("report-2.json", TOO_HIGH),
    ];
    Project::new(&files).expect("a project")
}

#[test]
fn a_workflow_asks_sooner_than_the_project_and_names_who_decides() {
    let three = SETTINGS.replace("feedback_rounds: 1", "feedback_rounds: 3") + "  ada: person\n";
    let project = bounded("{rounds: 1, seconds: 60, escalate_to: ada}", &three);
    assert!(!done(&project, &["check", "hall.yaml"], 0).out.contains("GH0604"));
    done(&project, &["run", "hall.yaml", "--until-blocked"], 0);
    assert_eq!(brief(&project, "design-2.json")["feedback"][0]["max"], 1);
    let waits = session(&project);
    assert_eq!(waits["feedback_loops"][0]["escalated_to"], json!(["ada"]));
    let log = waits["decision_log"].as_array().expect("a list");
    let escalated = log.iter().find(|one| one["decision_type"] == "agent_escalation");
    assert_eq!(
        escalated.expect("it is told")["decision"],
        "what “Build it” reports to earlier steps goes to ada"
    );

    // Later than the project wants nobody is asked.
    let project = bounded("{rounds: 9}", SETTINGS);
    let said = done(&project, &["check", "hall.yaml"], 0);
    assert!(
        said.out
            .contains("`feedback.rounds` is 9 here, and 1 in gatehouse.yaml: the project's holds"),
        "{}",
        said.out
    );
    done(&project, &["run", "hall.yaml", "--until-blocked"], 0);
    assert_eq!(brief(&project, "design-2.json")["feedback"][0]["max"], 1);
}

#[test]
fn whom_nobody_knows_as_a_person_decides_nothing() {
    for settings in [
        SETTINGS.to_owned(),
        format!("{SETTINGS}  ada: {{engine: shell, run: 'true'}}\n"),
    ] {
        let project = bounded("{escalate_to: ada}", &settings);
        let said = project.gatehouse(&["run", "hall.yaml"]).expect("gatehouse is built");
        assert_ne!(said.code, Some(0));
        let said = said.out + &said.err;
        assert!(
            said.contains("“ada” is to decide about feedback, and is not set up as a person")
                && said.contains("Write `ada: person`"),
            "{said}"
        );
        done(&project, &["run", "hall.yaml", "--rehearse"], 0);
    }
    let project = bounded("{rounds: often}", SETTINGS);
    let said = project.gatehouse(&["run", "hall.yaml"]).expect("gatehouse is built");
    assert!((said.out + &said.err).contains("GH0604"), "it does not start");
}
