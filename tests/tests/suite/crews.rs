//! Several agents of one step through the program: they work, each leaves a receipt, and the record holds.

use serde_json::Value;
use tests::project::Project;

const AGENTS: &str = "version: 1\nagents:\n  reader: {engine: shell, run: \"echo '{\\\"status\\\": \\\"UNVERIFIED\\\"}' > $GATEHOUSE_REPORT; echo read\"}\n  tester: {engine: shell, run: \"echo '{\\\"status\\\": \\\"VERIFIED\\\"}' > $GATEHOUSE_REPORT; echo tried\"}\n";

const FLOW: &str = "key: change\ntitle: A change\nsteps:\n  - {id: write, role: Writes, agents: [reader]}\n  - id: review\n    role: Reviews\n    agents: [reader, tester]\n    routing: {kind: microloop, loop_target: write, loop_condition_field: status, loop_success_values: [VERIFIED]}\n";

#[test]
fn each_agent_is_told_of_and_the_record_holds() {
    let project = Project::new(&[("gatehouse.yaml", AGENTS), ("change.yaml", FLOW)]).expect("a project");
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    let checked = said(&["check", "change.yaml"]);
    assert_eq!(checked.code, Some(0), "{}{}", checked.out, checked.err);
    let run = said(&["run", "change.yaml"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert!(
        run.out.contains("reader done in") && run.out.contains("tester done in"),
        "{}",
        run.out
    );
    let (id, state) = project.latest().expect("readable").expect("a run");
    assert_eq!(state.visits().len(), 2, "one round: the tester's word counts");
    let base = format!(".gatehouse/runs/{id}");
    for (agent, status) in [("reader", "UNVERIFIED"), ("tester", "VERIFIED")] {
        let receipt = project.text(format!("{base}/change/receipts/review-{agent}.json"));
        let receipt: Value = serde_json::from_str(&receipt).expect("JSON");
        assert_eq!(
            (&receipt["agent_key"], &receipt["report"]["status"]),
            (&agent.into(), &status.into())
        );
    }
    let verified = said(&["verify", id.as_str()]);
    assert_eq!(verified.code, Some(0), "{}{}", verified.out, verified.err);
    std::fs::remove_dir_all(project.root.join(&base)).expect("removed");
    let rebuilt = said(&["rebuild", id.as_str()]);
    assert_eq!(rebuilt.code, Some(0), "{}{}", rebuilt.out, rebuilt.err);
    assert!(
        project
            .root
            .join(format!("{base}/change/receipts/review-tester.json"))
            .is_file()
    );
}

#[test]
fn who_did_not_begin_is_told() {
    let agents = AGENTS.replace("UNVERIFIED", "FAILED");
    let flow = "key: change\ntitle: A change\nsteps:\n  - {id: review, role: Reviews, agents: [reader, tester]}\n";
    let project = Project::new(&[("gatehouse.yaml", &agents), ("change.yaml", flow)]).expect("a project");
    let run = project.gatehouse(&["run", "change.yaml"]).expect("gatehouse is built");
    assert_ne!(run.code, Some(0), "{}{}", run.out, run.err);
    assert!(
        run.out.contains("reader failed after") && run.out.contains("; tester did not begin."),
        "{}",
        run.out
    );
    assert!(!run.out.contains("tried"), "{}", run.out);
}
