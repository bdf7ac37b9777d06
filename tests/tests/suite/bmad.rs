//! BMAD workflow files through the program: checked with their instructions, tried, run to the end, and the record holds.

use tests::project::Project;
use tests::samples;

const AGENTS: &str = "agents: {writer: {engine: shell, run: \"mkdir -p docs && echo plan > docs/plan.md\"}}\n";
const FILE: &str = "name: weekly-plan\ninstalled_path: \"{project-root}/plans\"\ninstructions: \"{installed_path}/instructions.md\"\ndefault_output_file: \"{output_folder}/plan.md\"\nagent: writer\n";
const STEPS: &str = "# Plan\r\n<workflow>\r\n<step n=\"1\" goal=\"Plan the week\">\r\n<action>Write it</action>\r\n<template-output>plan</template-output>\r\n</step>\r\n</workflow>\r\n";

fn project(steps: &str) -> Project {
    let files = [
        ("gatehouse.yaml", AGENTS),
        ("plans/workflow.yaml", FILE),
        ("plans/instructions.md", steps),
    ];
    Project::new(&files).expect("a project")
}

#[test]
fn it_runs_to_its_end_and_the_record_holds() {
    let project = project(STEPS);
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    let checked = said(&["check", "plans/workflow.yaml"]);
    assert_eq!(
        (checked.code, checked.out.as_str()),
        (Some(0), "1 workflow checked: 0 errors, 0 warnings\n"),
        "{}",
        checked.err
    );
    let run = said(&["run", "plans/workflow.yaml"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert!(run.out.contains("Plan the week"), "{}", run.out);
    let (id, state) = project.latest().expect("readable").expect("a run");
    assert_eq!(state.visits().len(), 1);
    // What a run keeps does not change with the file, and its record holds without it.
    std::fs::remove_file(project.root.join("plans/instructions.md")).expect("removed");
    let verified = said(&["verify", id.as_str()]);
    assert_eq!(verified.code, Some(0), "{}{}", verified.out, verified.err);
    let again = said(&["run", "plans/workflow.yaml"]);
    assert_ne!(again.code, Some(0));
    assert!(
        again.err.contains("there is no such file"),
        "{}{}",
        again.out,
        again.err
    );
}

/// An error of the instructions stands where it is: in their file, with line and column there.
#[test]
fn what_is_wrong_in_the_instructions_is_told_in_their_file() {
    let steps = STEPS.replace("<action>Write it</action>", "é <goto step=\"1\"/>");
    let project = project(&steps);
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    let checked = said(&["check", "plans/workflow.yaml"]);
    assert_eq!(checked.code, Some(2), "{}{}", checked.out, checked.err);
    let line = "plans/instructions.md:4:3: error: `<goto>` is not carried out";
    assert!(checked.out.starts_with(line), "{}", checked.out);
    let checked = said(&["check", "--json", "plans/workflow.yaml"]);
    let json: serde_json::Value = serde_json::from_str(&checked.out).expect("JSON");
    let place = serde_json::json!({"file": "plans/instructions.md", "line": 4, "column": 3});
    assert_eq!(
        (&json["format"], &json["problems"][0]["elsewhere"]),
        (&"step_spec".into(), &place),
        "{json}"
    );
    // Named from where it is checked.
    let whole = project.root.join("plans/workflow.yaml");
    let checked = said(&["check", &whole.display().to_string()]);
    let line = format!("{}:4:3: error", project.root.join("plans/instructions.md").display());
    assert!(checked.out.starts_with(&line), "{}", checked.out);
    let run = said(&["run", "plans/workflow.yaml"]);
    assert_ne!(run.code, Some(0));
    assert!(project.latest().expect("readable").is_none(), "nothing began");
}

#[test]
fn the_sample_is_tried_by_its_scenarios() {
    let project = samples::project().expect("the samples");
    let tried = project
        .gatehouse(&["test", "workshops/look-back/workflow.yaml"])
        .expect("gatehouse is built");
    assert_eq!(tried.code, Some(0), "{}{}", tried.out, tried.err);
    assert!(tried.out.contains("a date is missing, and is put in"), "{}", tried.out);
}
