//! Forks through the program: the recorded real flow with four audits, for real with agents that are programs, and what its files say.

use serde_json::Value;
use tests::project::Project;

const AGENTS: &str = "version: 1\nagents:\n  \"*\": {engine: shell, run: \"echo '{\\\"status\\\": \\\"VERIFIED\\\"}' > $GATEHOUSE_REPORT; echo done\"}\n";

/// The recorded flow; its branches work in folders of their own.
fn recorded() -> Option<String> {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/oracle/stepwise/flows/gate.yaml");
    // Where the recorded flows are not at hand the sample with four audits stands for them (samples.rs).
    let flow = std::fs::read_to_string(&file);
    tests::looking::can_look(flow.is_ok(), "the recorded cases are not beside the project").then(|| flow.expect("read"))
}

/// While a branch with a folder of its own waits, it is its copy that is looked at, and what Gatehouse keeps for it is nobody else's.
#[test]
fn a_gate_in_a_branch_with_a_folder_of_its_own_is_about_the_files_there() {
    let agents =
        "version: 1\nagents:\n  \"*\": {engine: shell, run: 'echo \"$GATEHOUSE_STEP\" > \"$GATEHOUSE_STEP.md\"'}\n";
    let flow = "key: both\nsteps:\n  \
        - {id: begin, agents: [w], role: r, routing: {kind: fork, fork_targets: [left, right], fork_config: {isolation: isolated}}}\n  \
        - {id: left, agents: [w], role: r, outputs: [left.md], human_gate: required, routing: {kind: linear, next: end}}\n  \
        - {id: right, agents: [w], role: r, routing: {kind: linear, next: end}}\n  \
        - {id: end, agents: [w], role: r, routing: {kind: join}}\n";
    for changed in [false, true] {
        let project = Project::new(&[("gatehouse.yaml", agents), ("both.yaml", flow)]).expect("a project");
        let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
        said(&["run", "both.yaml", "--until-blocked"]);
        let (id, _) = project.latest().expect("readable").expect("a run");
        let copy = format!(".gatehouse/runs/{id}/branches/1-1/left.md");
        assert_eq!(project.text(&copy), "left\n");
        let verified = said(&["verify", id.as_str()]);
        assert_eq!(verified.code, Some(0), "{}{}", verified.out, verified.err);
        let told = format!("{}{}", verified.out, verified.err);
        assert!(
            told.contains("what Gatehouse keeps of branches") && !told.contains("who put them there"),
            "{told}"
        );
        assert!(!told.contains("another one or gone"), "{told}");
        if changed {
            std::fs::write(project.root.join(&copy), "other\n").expect("written");
        }
        let answered = said(&["answer", id.as_str(), "left", "approve", "--by", "Ada"]);
        assert_eq!(answered.code, Some(0), "{}", answered.err);
        assert_eq!(
            answered.out.contains("on disk is another version"),
            changed,
            "{}",
            answered.out
        );
        assert!(!answered.err.contains("on disk"), "said once: {}", answered.err);
        said(&["resume", id.as_str()]);
        let told = said(&["verify", id.as_str()]);
        let told = format!("{}{}", told.out, told.err);
        assert!(!told.contains("who put them there"), "{told}");
        let status = said(&["status", id.as_str()]).out;
        assert_eq!(
            status.contains("left.md was not what Ada approved"),
            changed,
            "{status}"
        );
    }
}

#[test]
fn the_recorded_audits_are_all_carried_out_and_their_files_say_so() {
    let Some(flow) = recorded() else { return };
    let files = [("gatehouse.yaml", AGENTS), ("gate.yaml", &flow)];
    let project = Project::new(&files).expect("a project");
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    let run = said(&["run", "gate.yaml"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    let (id, state) = project.latest().expect("readable").expect("a run");
    let visited: Vec<String> = state.visits().iter().map(|v| v.instance.step.to_string()).collect();
    let expected = [
        "receipt",
        "contract",
        "security",
        "coverage",
        "policy_check",
        "gate_fix",
        "merge_decision",
    ];
    assert_eq!(visited, expected);

    let base = format!(".gatehouse/runs/{id}");
    let events: Vec<Value> = project
        .text(format!("{base}/events.jsonl"))
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let decisions = events.iter().filter(|e| e["kind"] == "route_decision");
    let decisions: Vec<(String, String, String)> = decisions
        .map(|e| {
            let text = |key: &str| e["payload"][key].as_str().unwrap_or_default().to_owned();
            (text("from_step"), text("to_step"), text("reason"))
        })
        .collect();
    let is_there = |from: &str, to: &str, reason: &str| {
        let wanted = (from.to_owned(), to.to_owned(), reason.to_owned());
        assert!(decisions.contains(&wanted), "{wanted:?} in {decisions:?}");
    };
    for (n, audit) in ["contract", "security", "coverage", "policy_check"]
        .into_iter()
        .enumerate()
    {
        is_there("receipt", audit, &format!("fork:{}/4", n + 1));
        is_there(audit, "gate_fix", "linear_explicit");
    }
    is_there("receipt", "gate_fix", "join:all_complete:4/4");
    for (step, agent) in [
        ("contract", "contract-enforcer"),
        ("coverage", "coverage-enforcer"),
        ("gate_fix", "gate-fixer"),
    ] {
        let receipt = project.text(format!("{base}/gate/receipts/{step}-{agent}.json"));
        assert!(receipt.contains("succeeded"), "{step}: {receipt}");
    }
    let verified = said(&["verify", id.as_str()]);
    assert_eq!(verified.code, Some(0), "{}{}", verified.out, verified.err);
}

#[test]
fn what_nobody_has_answered_in_a_branch_that_is_cut_off_is_not_done() {
    let agents =
        "version: 1\nagents:\n  quick: {engine: shell, run: \"true\"}\n  late: {engine: shell, run: \"sleep 2\"}\n";
    let flow = "\
key: audit
title: Audit
steps:
  - {id: collect, agents: [quick], routing: {kind: fork, fork_targets: [tone, legal]}}
  - {id: tone, agents: [late], routing: {kind: linear, next: decide}}
  - {id: legal, agents: [quick], human_gate: required, gate_question: Is it lawful?, routing: {kind: linear, next: decide}}
  - {id: decide, agents: [quick], routing: {kind: join, join_from: [tone, legal], join_config: {strategy: first_complete}}}
";
    let project = Project::new(&[("gatehouse.yaml", agents), ("audit.yaml", flow)]).expect("a project");
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    let run = said(&["run", "audit.yaml", "--until-blocked"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert!(run.out.contains("Is it lawful?"), "{}", run.out);
    let (id, _) = project.latest().expect("readable").expect("a run");
    let status = said(&["status", id.as_str()]).out;
    let line = |name: &str| status.lines().find(|line| line.contains(name)).unwrap_or_default();
    let legal = line("Legal");
    assert!(
        legal.contains("passed over without an answer") && !legal.contains('✓'),
        "{status}"
    );
    assert!(line("Decide").contains("done"), "{status}");
}
