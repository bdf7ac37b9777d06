//! What holds for everything a project does (seed 003 `global_context`): agents are told it, what they report is held against its quality
//! standards, and a person who lets a result pass says why. Through the program itself.

use serde_json::{Value, json};
use tests::program::Said;
use tests::project::Project;

const FLOW: &str = "\
key: release
title: A release
steps:
  - {id: build, name: Build it, agents: [builder], routing: {kind: linear, next: publish}}
  - {id: publish, name: Publish it, agents: [builder], routing: {kind: linear}}
";
const SETTINGS: &str = "\
permissions: {mode: allow}
agents: {builder: {engine: shell, run: sh build.sh}}
context:
  project_constraints: {team_size: 3}
  quality_standards: {minimum_test_coverage: 80, security_requirements: [no plain passwords]}
  business_context: {industry_sector: law}
";
/// Says what it was told, and reports what the file says.
const BUILD: &str = "cat \"$GATEHOUSE_BRIEF\" > brief.json\ncp report.json \"$GATEHOUSE_REPORT\"\n";

fn project(report: &str) -> Project {
    let files = [
        ("release.yaml", FLOW),
        ("gatehouse.yaml", SETTINGS),
        ("build.sh", BUILD),
        ("report.json", report),
    ];
    Project::new(&files).expect("a project")
}

fn done(project: &Project, arguments: &[&str], code: i32) -> Said {
    let said = project.gatehouse(arguments).expect("gatehouse is built");
    assert_eq!(said.code, Some(code), "{arguments:?}: {}{}", said.out, said.err);
    said
}

fn session(project: &Project, run: &str) -> Value {
    let said = done(project, &["session", "export", run], 0);
    let session: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(dialect::session::breaks(&session), []);
    session
}

#[test]
fn a_person_lets_a_result_below_a_standard_pass_with_a_reason_and_the_record_says_so() {
    let project = project(r#"{"test_coverage": 71, "overall_score": 8.5}"#);
    let said = done(&project, &["run", "release.yaml", "--until-blocked"], 0);
    let question = "Of “Build it”, test coverage is 71 %, and at least 80 % is wanted. Shall it go on all the same?";
    assert!(
        said.out.contains(question) || said.err.contains(question),
        "{}{}",
        said.out,
        said.err
    );

    let brief: Value = serde_json::from_str(&project.text("brief.json")).expect("a brief");
    assert_eq!(
        brief["global_context"]["business_context"],
        json!({"industry_sector": "law"})
    );
    let prompt = brief["prompt"].as_str().expect("a prompt");
    for told in [
        "test coverage: at least 80 %, reported as `test_coverage`",
        "Security requirements: no plain passwords",
        "Team size: 3",
    ] {
        assert!(prompt.contains(told), "{told}: {prompt}");
    }

    let (run, _) = project.latest().expect("a history").expect("a run");
    let run = run.as_str();
    let blocked = session(&project, run);
    assert_eq!(
        blocked["global_context"]["quality_standards"]["minimum_test_coverage"],
        80
    );
    assert_eq!(
        blocked["workflow_state"].get("overall_quality_score"),
        None,
        "no step is done yet"
    );
    assert_eq!(
        blocked["workflow_state"]["quality_gates_failed"],
        json!([{"gate_name": "build:minimum_test_coverage", "step_id": 1, "reason": "test coverage is 71 %, and at least 80 % is wanted"}])
    );

    let silent = done(&project, &["answer", run, "build", "approve", "--by", "Ada"], 3);
    assert!(silent.err.contains("why it goes on all the same"), "{}", silent.err);
    let why = "The rest is made by a generator.";
    done(
        &project,
        &["answer", run, "build", "approve", "--by", "Ada", "--comment", why],
        0,
    );
    project
        .write(&[("report.json", r#"{"test_coverage": 92}"#)])
        .expect("written");
    done(&project, &["resume", run], 0);
    let ended = session(&project, run);
    let overridden: Vec<&Value> = ended["decision_log"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|entry| entry["decision_type"] == "quality_gate_override")
        .collect();
    assert_eq!(overridden.len(), 1, "{ended:#}");
    assert_eq!(overridden[0]["reasoning"], why);
    assert_eq!(ended["workflow_state"]["overall_quality_score"], 8.5);
    assert_eq!(
        ended["workflow_state"]["quality_gates_passed"],
        json!(["publish:minimum_test_coverage"])
    );
    let checked: Vec<(&Value, &Value)> = ended["validation_history"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|entry| (&entry["step_id"], &entry["passed"]))
        .collect();
    assert_eq!(checked, [(&json!(1), &json!(false)), (&json!(2), &json!(true))]);
    done(&project, &["verify", run], 0);
}

#[test]
fn a_later_change_of_the_standards_does_not_touch_a_run() {
    let project = project(r#"{"test_coverage": 71}"#);
    done(&project, &["run", "release.yaml", "--until-blocked"], 0);
    let lower = SETTINGS.replace("minimum_test_coverage: 80", "minimum_test_coverage: 10");
    project.write(&[("gatehouse.yaml", lower.as_str())]).expect("written");
    let (run, _) = project.latest().expect("a history").expect("a run");
    let run = run.as_str();
    done(
        &project,
        &["answer", run, "build", "approve", "--by", "Ada", "--comment", "for now"],
        0,
    );
    done(&project, &["resume", run, "--until-blocked"], 0);
    let (_, state) = project.latest().expect("a history").expect("a run");
    let waiting = state.waiting().expect("it waits");
    assert_eq!(waiting.opened.gate.as_str(), "release:publish:quality");
    assert_eq!(waiting.opened.below.len(), 1);
}

#[test]
fn where_the_project_says_so_a_result_below_a_standard_has_failed() {
    let project = project(r#"{"test_coverage": 71}"#);
    let strict = SETTINGS.replace("minimum_test_coverage: 80", "minimum_test_coverage: 80, below: fail");
    project.write(&[("gatehouse.yaml", strict.as_str())]).expect("written");
    let said = done(&project, &["run", "release.yaml"], 1);
    let why = "Below the project's standard: test coverage is 71 %, and at least 80 % is wanted";
    assert!(
        said.out.contains(why) || said.err.contains(why),
        "{}{}",
        said.out,
        said.err
    );
}

#[test]
fn a_context_that_cannot_be_held_starts_nothing() {
    let project = project("{}");
    for (wrong, says) in [
        ("minimum_test_coverage: 180", "minimum_test_coverage"),
        ("minimum_coverage: 80", "is no standard"),
        ("minimum_test_coverage: 80, below: shout", "one of warn, ask, fail"),
    ] {
        let settings = SETTINGS.replace("minimum_test_coverage: 80", wrong);
        project
            .write(&[("gatehouse.yaml", settings.as_str())])
            .expect("written");
        let said = project.gatehouse(&["run", "release.yaml"]).expect("gatehouse is built");
        assert!(said.code != Some(0) && said.err.contains(says), "{wrong}: {}", said.err);
    }
    assert!(project.latest().expect("a history").is_none());
}
