//! `gatehouse test`: scenarios tried without side effects, through the program itself.

use serde_json::Value;
use tests::program::Said;
use tests::project::Project;

const RUNBOOK: &str = "\
---
name: release
scenarios:
  goes-out:
    commands:
      - rd run release.runbook.md
      - rd yes
    result: COMPLETE
---
# Release

## 1 Build
```sh
touch built.txt
```

## 2 Announce?
Is everybody told?

- YES: COMPLETE
- NO: GOTO Clean

## Clean
```sh
touch cleaned.txt
```

- PASS: STOP
";

fn test(project: &Project, arguments: &[&str]) -> Said {
    let all: Vec<&str> = std::iter::once("test").chain(arguments.iter().copied()).collect();
    project.gatehouse(&all).expect("gatehouse is built")
}

fn lines(said: &Said) -> Vec<&str> {
    said.out.lines().collect()
}

#[test]
fn scenarios_pass_and_coverage_is_named() {
    let project = Project::new(&[("release.runbook.md", RUNBOOK)]).expect("a project");
    let said = test(&project, &["release.runbook.md"]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert_eq!(
        lines(&said),
        [
            "release.runbook.md: Release",
            "  ✓ goes-out  COMPLETE  1 → 2",
            "  steps 2/3 · edges 1/2",
            "  steps not seen: Clean",
            "  edges not seen: 2 → Clean (NO)",
            "  1 step and 1 edge are seen by no scenario. One more scenario would add 1 step and 1 edge.",
        ]
    );
    let files: Vec<_> = std::fs::read_dir(&project.root).expect("readable").collect();
    assert_eq!(files.len(), 1, "nothing was started, written or recorded: {files:?}");
}

#[test]
fn what_is_suggested_covers_the_rest() {
    let project = Project::new(&[("release.runbook.md", RUNBOOK)]).expect("a project");
    let said = test(&project, &["release.runbook.md", "--suggest"]);
    let pasted: Vec<&str> = lines(&said)
        .into_iter()
        .skip_while(|line| !line.starts_with("  untested-ways:"))
        .collect();
    assert!(!pasted.is_empty(), "{}", said.out);
    let grown = RUNBOOK.replace("scenarios:\n", &format!("scenarios:\n{}\n", pasted.join("\n")));
    project.write(&[("release.runbook.md", &grown)]).expect("written");
    let said = test(&project, &["release.runbook.md"]);
    assert_eq!(said.code, Some(0), "{}", said.out);
    assert!(
        said.out.contains("✓ untested-ways  STOP  1 → 2 → Clean"),
        "{}",
        said.out
    );
    assert!(said.out.contains("steps 3/3 · edges 2/2"), "{}", said.out);
}

/// What expects nothing has passed nothing.
#[test]
fn a_scenario_that_expects_nothing_is_not_ticked_off() {
    let flow = "key: ask\ntitle: Ask\nsteps:\n  - {id: sign, agents: [a], role: Asks., human_gate: required}\n";
    let project = Project::new(&[("ask.yaml", flow), ("ask.scenario.yaml", "name: new\n")]).expect("a project");
    let said = test(&project, &["ask.yaml"]);
    assert_eq!(said.code, Some(0), "{}", said.out);
    assert!(
        said.out.contains("– new") && said.out.contains("its scenario does not say how it should end."),
        "{}",
        said.out
    );
    assert!(!said.out.contains('✓'), "{}", said.out);
    // Commands without a result expect nothing either, and what is written as nothing is an error with its place.
    let book = RUNBOOK.replace("    result: COMPLETE\n", "");
    project
        .write(&[
            ("release.runbook.md", &book),
            ("ask.scenario.yaml", "name: new\nexpect: {path: }\n"),
        ])
        .expect("written");
    let said = test(&project, &["release.runbook.md"]);
    assert!(said.code == Some(0) && said.out.contains("– goes-out"), "{}", said.out);
    let said = test(&project, &["release.runbook.md", "ask.yaml"]);
    assert_eq!(said.code, Some(1), "{}", said.out);
    assert!(
        said.out.contains("0 scenarios passed, 1 failed, 1 expects nothing"),
        "{}",
        said.out
    );
    assert!(said.out.contains(":2:10: `expect.path` says nothing"), "{}", said.out);
}

/// A gate that a scenario answers and that nobody asks about is no gate that was tried.
#[test]
fn an_answer_that_no_gate_asked_for_fails() {
    let flow = "key: f\ntitle: F\nsteps:\n  - {id: a, agents: [w], role: A., human_gate: optional, routing: {kind: linear, next: ship}}\n  \
                - {id: ship, agents: [w], role: Ships.}\n";
    let scenario = "gates: {a: [{answer: reject, by: ada, comment: no}]}\nexpect: {status: succeeded}\n";
    let project = Project::new(&[("f.yaml", flow), ("f.scenario.yaml", scenario)]).expect("a project");
    let said = test(&project, &["f.yaml"]);
    assert_eq!(said.code, Some(1), "{}", said.out);
    assert!(said.out.contains("The gate of `a` was never asked"), "{}", said.out);
    let run = ["run", "f.yaml", "--scenario", "f.scenario.yaml", "--fast"];
    let said = project.gatehouse(&run).expect("gatehouse is built");
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    assert!(
        said.err.contains("was never asked") || said.out.contains("was never asked"),
        "{}{}",
        said.out,
        said.err
    );
}

#[test]
fn what_takes_less_ends_first_where_times_pass_at_once() {
    let flow = "key: f\ntitle: F\nsteps:\n  - {id: part, agents: [w], role: R., routing: {kind: fork, fork_targets: [b1, b2]}}\n  \
                - {id: b1, agents: [w], role: R., human_gate: required, routing: {kind: linear, next: meet}}\n  \
                - {id: b2, agents: [w], role: R., routing: {kind: linear, next: meet}}\n  \
                - {id: meet, agents: [w], role: R., routing: {kind: join, join_config: {strategy: first_complete}}}\n";
    let refused = "gates: {b1: [{answer: reject, by: ada, comment: no}]}\nsteps: {b2: [{takes: 1h}]}\nexpect: {status: rejected}\n";
    let later = "gates: {b1: [{answer: approve, by: ada, takes: 2h}]}\nsteps: {b2: [{takes: 1h}]}\n\
                 expect: {status: rejected, path: [part, b1, b2, meet]}\n";
    let files = [
        ("f.yaml", flow),
        ("f.scenarios/1.yaml", refused),
        ("f.scenarios/2.yaml", later),
    ];
    let project = Project::new(&files).expect("a project");
    let said = test(&project, &["f.yaml"]);
    assert!(said.out.contains("✓ 1  rejected"), "{}", said.out);
    // The gate of one branch is passed over while its person thinks.
    assert!(said.out.contains("✗ 2  done  part → b1 → b2 → meet\n"), "{}", said.out);
    for (scenario, code, says) in [
        ("f.scenarios/1.yaml", 0, "Run rejected by ada"),
        ("f.scenarios/2.yaml", 1, "1 branch was cut off"),
    ] {
        let run = ["run", "f.yaml", "--scenario", scenario, "--fast"];
        let said = project.gatehouse(&run).expect("gatehouse is built");
        assert_eq!(said.code, Some(code), "{}{}", said.out, said.err);
        assert!(said.out.contains(says), "{}", said.out);
    }
}

#[test]
fn a_scenario_that_fails_and_a_file_that_is_invalid_have_their_exit_codes() {
    let wrong = RUNBOOK.replace("result: COMPLETE", "result: STOP");
    let broken = RUNBOOK.replace("GOTO Clean", "GOTO Nowhere");
    let project = Project::new(&[("wrong.runbook.md", &wrong), ("broken.runbook.md", &broken)]).expect("a project");
    let said = test(&project, &["wrong.runbook.md"]);
    assert_eq!(said.code, Some(1), "{}", said.out);
    let words = "Command 2 (`rd yes`) from “Announce?” (2) ended the run with COMPLETE; STOP was expected.";
    assert!(said.out.contains(words), "{}", said.out);
    assert_eq!(test(&project, &["broken.runbook.md"]).code, Some(2));
    assert_eq!(test(&project, &["wrong.runbook.md", "broken.runbook.md"]).code, Some(2));
    assert_eq!(test(&project, &["gone.runbook.md"]).code, Some(2));
    let said = test(&project, &["wrong.runbook.md", "--json"]);
    let line: Value = serde_json::from_str(said.out.trim()).expect("one JSON object a file");
    assert_eq!(line["tests"]["failed"], 1);
    assert_eq!(line["tests"]["tests"][0]["path"][1]["id"], "2");
}

#[test]
fn a_scenario_of_the_file_itself_is_run_and_carries_nothing_out() {
    let project = Project::new(&[("release.runbook.md", RUNBOOK)]).expect("a project");
    let run = [
        "run",
        "release.runbook.md",
        "--scenario",
        "release.runbook.md#goes-out",
        "--fast",
    ];
    let said = project.gatehouse(&run).expect("gatehouse is built");
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert!(said.out.contains("as the scenario expects"), "{}", said.out);
    assert!(!project.root.join("built.txt").exists(), "nothing was carried out");
}
