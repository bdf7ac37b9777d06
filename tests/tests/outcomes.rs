//! What the program says of a run's end: refused, stopped, done, and how much of a pipeline was completed.

use serde_json::Value;
use tests::program::Said;
use tests::project::Project;

const AGENTS: &str = "version: 1\nagents:\n  \"*\": {engine: shell, run: \"echo done\"}\n  maker: {engine: shell, run: \"echo made\"}\n  tester: {engine: shell, run: \"echo tested\"}\n";
const FLOW: &str = "id: contract\nname: Contract\nsteps:\n  - {id: draft, agents: [maker], routing: {kind: linear, next: sign}}\n  \
    - {id: sign, name: Sign the contract, agents: [maker], human_gate: required, ON_REJECT, routing: {kind: linear, next: file}}\n  \
    - {id: file, agents: [maker], routing: {kind: linear}}\n  - {id: told, agents: [maker], routing: {kind: linear}}\n";

fn say(project: &Project, arguments: &[&str]) -> Said {
    let said = project.gatehouse(arguments).expect("gatehouse is built");
    assert!(!said.err.contains("panicked"), "{}", said.err);
    said
}

fn ends(project: &Project, code: i32, arguments: &[&str]) -> Said {
    let said = say(project, arguments);
    assert_eq!(said.code, Some(code), "{arguments:?}: {}{}", said.out, said.err);
    said
}

fn json(said: &Said) -> Value {
    serde_json::from_str(&said.out).expect("JSON")
}

/// A run that waits at the first gate it comes to, and the gate.
fn waits(project: &Project, file: &str) -> (String, String) {
    ends(project, 0, &["run", file, "--until-blocked"]);
    let (run, state) = project
        .latest()
        .expect("the history can be read")
        .expect("there is a run");
    let gate = state.waiting().expect("it waits").opened.gate.to_string();
    (run.to_string(), gate)
}

fn refuse(project: &Project, file: &str, comment: &str) -> String {
    let (run, gate) = waits(project, file);
    ends(
        project,
        0,
        &[
            "answer",
            &run,
            &gate,
            "reject",
            "--by",
            "Ada Lund",
            "--comment",
            comment,
        ],
    );
    // Where the refusal ends the run there is nothing to be carried on with.
    say(project, &["resume", &run]);
    run
}

#[test]
fn a_refusal_is_an_outcome_of_its_own_with_and_without_a_way_for_it() {
    for on_reject in ["on_reject: told", "intent: Signed by us."] {
        let flow = FLOW.replace("ON_REJECT", on_reject);
        let project = Project::new(&[("contract.yaml", &flow), ("gatehouse.yaml", AGENTS)]).expect("a project");
        let run = refuse(&project, "contract.yaml", "Not this quarter.");
        let words = "refused by Ada Lund at “Sign the contract”: Not this quarter.";
        let status = ends(&project, 0, &["status", &run]);
        assert!(
            status.out.starts_with(&format!("Contract: {words}\n")),
            "{}",
            status.out
        );
        let line = |step: &str| {
            status
                .out
                .lines()
                .find(|line| line.contains(step))
                .unwrap_or_default()
                .to_owned()
        };
        assert!(
            line("Sign the contract  ").contains("refused by Ada Lund"),
            "{}",
            status.out
        );
        assert!(line("  File").contains("not run"), "{}", status.out);
        assert!(!status.out.contains("not needed"), "{}", status.out);
        assert!(ends(&project, 0, &["list", "--refused"]).out.contains(words));
        let listed = json(&ends(&project, 0, &["list", "--json"]));
        let outcome = &listed[0]["outcome"];
        assert_eq!(
            (
                &listed[0]["status"],
                &outcome["kind"],
                &outcome["by"],
                &outcome["step"]["id"],
                &outcome["comment"]
            ),
            (
                &"refused".into(),
                &"refused".into(),
                &"Ada Lund".into(),
                &"sign".into(),
                &"Not this quarter.".into()
            )
        );
        ends(&project, 0, &["verify", &run]);
    }
}

#[test]
fn a_run_that_a_person_refuses_while_it_is_driven_ends_with_one() {
    let flow = FLOW.replace("ON_REJECT", "on_reject: told");
    let scenario = "name: refused\ngates:\n  sign: [{answer: reject, by: Ada Lund, comment: Too dear.}]\n";
    let files = [
        ("contract.yaml", flow.as_str()),
        ("no.yaml", scenario),
        ("gatehouse.yaml", AGENTS),
    ];
    let project = Project::new(&files).expect("a project");
    let said = ends(&project, 1, &["run", "contract.yaml", "--scenario", "no.yaml"]);
    assert!(
        said.out
            .contains("Run refused by Ada Lund at “Sign the contract”: Too dear."),
        "{}",
        said.out
    );
}

#[test]
fn a_permission_that_was_refused_never_ends_as_complete() {
    let text = "# Letters\n\n## {N} Each\n\n### {N}.1 Take the next\n\n```bash\nnode next.js\n```\n\n- PASS: GOTO NEXT {N}\n\
                - FAIL: COMPLETE \"Every customer has a letter.\"\n";
    let project = Project::new(&[("letters.runbook.md", text)]).expect("a project");
    let run = refuse(&project, "letters.runbook.md", "Not today.");
    let status = ends(&project, 0, &["status", &run]);
    assert!(
        status.out.contains("refused by Ada Lund at “Take the next”"),
        "{}",
        status.out
    );
    assert!(!status.out.contains("Every customer has a letter"), "{}", status.out);
    assert!(ends(&project, 0, &["list", "--refused"]).out.contains(&run));
}

#[test]
fn a_graph_that_finds_no_way_is_stopped() {
    let graph = r#"{"id": "graph", "title": "Graph", "nodes": [{"node_id": "build", "agents": ["maker"]}, {"node_id": "test", "agents": ["tester"]},
        {"node_id": "ship", "agents": ["maker"]}], "edges": [{"edge_id": "a", "from": "build", "to": "test"},
        {"edge_id": "b", "from": "test", "to": "ship", "condition": {"field": "verdict", "operator": "equals", "value": "good"}}]}"#;
    let project = Project::new(&[("a.graph.json", graph), ("gatehouse.yaml", AGENTS)]).expect("a project");
    let said = ends(&project, 1, &["run", "a.graph.json"]);
    assert!(
        said.out.contains("1 of 3 steps was not done"),
        "{}{}",
        said.out,
        said.err
    );
    let listed = json(&ends(&project, 0, &["list", "--json"]));
    assert_eq!(listed[0]["status"], "stopped");
    // The words of the contract, in which nothing of it succeeded.
    let (run, _) = project
        .latest()
        .expect("the history can be read")
        .expect("there is a run");
    let file = project.text(format!(".gatehouse/runs/{run}/run.json"));
    let file: Value = serde_json::from_str(&file).expect("JSON");
    assert_eq!(file["status"], "failed");
}
