//! Forks as the window, the report and the command line show them: a rehearsed run of four audits, as of every event.

use crate::project::Project;
use serde_json::{Value, json};

const FLOW: &str = "\
key: audit
title: Audit
steps:
  - id: collect
    agents: [clerk]
    routing:
      kind: fork
      fork_targets: [contract, security, coverage, policy]
      fork_config: {execution_policy: concurrent, isolation: shared, failure_policy: continue_all}
  - {id: contract, agents: [a], routing: {kind: linear, next: decide}}
  - {id: security, agents: [a], routing: {kind: linear, next: decide}}
  - {id: coverage, name: Audit the tests, agents: [a], routing: {kind: linear, next: decide}}
  - {id: policy, name: Audit the rules, agents: [a], routing: {kind: linear, next: decide}}
  - id: decide
    agents: [clerk]
    routing:
      kind: join
      join_from: [contract, security, coverage, policy]
      join_config: {strategy: quorum, quorum: 2, aggregate_status: worst}
";

/// One finds something, one breaks off.
const SCENARIO: &str = "\
name: two of four
steps:
  contract: [{report: {status: VERIFIED}}]
  security: [{report: {status: VERIFIED}}]
  coverage: [{report: {status: UNVERIFIED}}]
  policy: [{status: failed, error: the register cannot be reached}]
";

fn project(quorum: u32) -> Project {
    project_of(&FLOW.replace("quorum: 2", &format!("quorum: {quorum}")), SCENARIO)
}

fn project_of(flow: &str, scenario: &str) -> Project {
    Project::of(&[("audit.yaml", flow), ("audit.scenarios/two.yaml", scenario)])
}

impl Project {
    /// The run, when it has ended.
    async fn ended(&self) -> String {
        let run = self.started().await;
        self.until(&run, |view| !view["ended_at"].is_null()).await;
        run
    }

    async fn started(&self) -> String {
        let plan = json!({"path": "audit.yaml", "scenario": "audit.scenarios/two.yaml"});
        let started = self.ok("run.start", plan).await;
        started["run_id"].as_str().expect("an id").to_owned()
    }

    /// The checks that the gate of a step shows, once it waits and nothing else goes on: name, status, detail.
    async fn checks_at(&self, step: &str) -> Vec<String> {
        self.started().await;
        for _ in 0..2_400 {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            let inbox = self.ok("inbox.list", json!({})).await;
            let cards = inbox["waiting"].as_array().expect("cards");
            let Some(card) = cards.iter().find(|card| card["step"]["id"] == step) else {
                continue;
            };
            let of = json!({"run_id": card["run_id"], "gate": card["gate"], "round": card["round"]});
            let brief = self.ok("gate.brief", of).await;
            let text = |value: &Value| value.as_str().unwrap_or("–").to_owned();
            let checks = brief["checks"].as_array().expect("checks").iter();
            let line = |one: &Value| {
                format!(
                    "{} {}: {}",
                    text(&one["name"]),
                    text(&one["status"]),
                    text(&one["detail"])
                )
            };
            return checks.map(line).collect();
        }
        panic!("nobody is asked at {step}")
    }
}

fn branches(fork: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("–").to_owned();
    let branches = fork["branches"].as_array().expect("branches");
    let branch = |b: &Value| {
        format!(
            "{} {} {} {}",
            text(&b["step"]["id"]),
            text(&b["status"]),
            text(&b["words"]),
            b["counts"]
        )
    };
    branches.iter().map(branch).collect()
}

/// Without a scenario nothing is verified: where the branches would not meet is said before the start.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_rehearsal_without_a_scenario_cannot_pass_is_said_before_it_starts() {
    let unmet = async |flow: &str| {
        let project = project_of(flow, SCENARIO);
        project.ok("run.brief", json!({"path": "audit.yaml"})).await["unmet"].clone()
    };
    let said = "Without a scenario no branch of “Collect” reports VERIFIED, so the branches do not meet: the rehearsal fails before “Decide” begins.";
    assert_eq!(unmet(FLOW).await, json!([said]));
    let complete = FLOW.replace("strategy: quorum, quorum: 2", "strategy: all_complete");
    assert_eq!(unmet(&complete).await, Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_join_says_what_it_asked_for_what_it_counted_and_what_it_left_out() {
    let project = project(2);
    let run = project.ended().await;
    let view = project.ok("run.view", json!({"run_id": run})).await;
    let routes = view["routes"].as_array().expect("routes");
    let joined = routes
        .iter()
        .find(|route| route["fork"].is_object())
        .expect("the join's decision");
    let why = joined["why"].as_str().expect("why");
    assert_eq!(
        why,
        "2 of 4 verified, quorum 2: the run goes on to “Decide”. Not counted: “Audit the tests” (UNVERIFIED), \
         “Audit the rules” (failed: the register cannot be reached)."
    );
    let fork = &joined["fork"];
    assert_eq!(
        (&fork["asks"], &fork["found"]),
        (&json!("2 of 4 verified"), &json!("2 of 4 verified, quorum 2"))
    );
    assert_eq!((&fork["badge"], &fork["met"]), (&json!("2/4"), &json!(true)));
    assert_eq!(fork["together"], "failed (the worst of them)");
    assert_eq!(
        branches(fork),
        [
            "contract done VERIFIED true",
            "security done VERIFIED true",
            "coverage partly UNVERIFIED false",
            "policy failed failed: the register cannot be reached false",
        ]
    );
    // It belongs to the bar where they meet, and is no way that a person sent the run.
    let bars = view["drawing"]["forks"].as_array().expect("bars");
    let bar = bars.iter().find(|bar| bar["id"] == joined["edge_id"]).expect("the bar");
    assert_eq!(bar["to"].as_array().map(Vec::len), Some(1));
    let edges = view["drawing"]["edges"].as_array().expect("edges");
    assert!(edges.iter().all(|edge| edge["kind"] != "sent"), "{edges:?}");

    let report = project.ok("report.view", json!({"run_id": run})).await.to_string();
    assert!(
        report.contains("2 of 4 verified, quorum 2: the run goes on to"),
        "the report says it too"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_join_that_is_not_met_says_so_and_replay_shows_the_branches_as_they_were() {
    let project = project(3);
    let run = project.ended().await;
    let view = project.ok("run.view", json!({"run_id": run})).await;
    let fork = &view["forks"][0];
    assert_eq!(fork["met"], false);
    assert_eq!(
        fork["words"],
        "2 of 4 verified, quorum 3: not met, so “Decide” does not follow."
    );

    let last = view["last"].as_u64().expect("a number");
    let mut badges: Vec<String> = Vec::new();
    for at in 1..last {
        let past = project.ok("run.view", json!({"run_id": run, "at": at})).await;
        let Some(fork) = past["forks"].get(0).filter(|fork| fork["met"].is_null()) else {
            continue;
        };
        let badge = fork["badge"].as_str().expect("a badge").to_owned();
        let words = past["status_words"].as_str().expect("words");
        let ended = badge.trim_end_matches("/4");
        assert!(words.starts_with(&format!("{ended} of 4 branches")), "{at}: {words}");
        if badges.last() != Some(&badge) {
            badges.push(badge);
        }
    }
    assert_eq!(badges, ["0/4", "1/4", "2/4", "3/4", "4/4"]);
}

/// What a gate says of the way to it: what the join left out, and the loop behind the join that nobody was satisfied with.
#[tokio::test(flavor = "multi_thread")]
async fn a_gate_says_what_on_the_way_to_it_did_not_go_as_wanted() {
    let behind =
        "  - {id: critic, agents: [a], routing: {kind: microloop, loop_target: decide, loop_condition_field: status,
     loop_success_values: [GOOD], max_iterations: 1, next: sign}}
  - {id: sign, agents: [clerk], human_gate: required, routing: {kind: terminal}}
";
    let flow = FLOW.replace("      kind: join\n", "      kind: join\n      next: critic\n") + behind;
    let checks = project_of(&flow, SCENARIO).checks_at("sign").await;
    let of_way: Vec<&String> = checks.iter().filter(|line| !line.starts_with("The step was")).collect();
    assert_eq!(of_way.len(), 2, "{checks:#?}");
    assert!(
        of_way[0].starts_with("The branches after “Collect” waiting: 2 of 4 verified, quorum 2")
            && of_way[0].contains("Not counted: “Audit the tests” (UNVERIFIED)"),
        "{checks:#?}"
    );
    assert!(
        of_way[1].starts_with(
            "The loop at “Critic” waiting: The loop at “Critic” is used up (1 time back, the most it may go)"
        ),
        "{checks:#?}"
    );
}

/// A loop in another branch is not on the way, however it ended.
#[tokio::test(flavor = "multi_thread")]
async fn a_gate_says_nothing_of_what_stands_beside_it() {
    let flow = "\
key: audit
title: Audit
steps:
  - {id: collect, agents: [clerk], routing: {kind: fork, fork_targets: [work, ask]}}
  - {id: work, agents: [a], routing: {kind: linear, next: critic}}
  - {id: critic, agents: [a], routing: {kind: microloop, loop_target: work, loop_condition_field: status, loop_success_values: [GOOD],
     max_iterations: 1, next: decide}}
  - {id: ask, agents: [slow], routing: {kind: linear, next: sign}}
  - {id: sign, agents: [clerk], human_gate: required, routing: {kind: linear, next: decide}}
  - {id: decide, agents: [clerk], routing: {kind: join}}
";
    let scenario = "name: late\nsteps:\n  ask: [{takes: 1s}]\n";
    let checks = project_of(flow, scenario).checks_at("sign").await;
    assert!(
        checks.iter().all(|line| line.starts_with("The step was")),
        "{checks:#?}"
    );
}

/// Who is asked in a branch that is cut off is asked no longer, wherever the run goes on.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_in_a_branch_that_is_cut_off() {
    let flow = FLOW
        .replace(
            "strategy: quorum, quorum: 2, aggregate_status: worst",
            "strategy: first_complete",
        )
        .replace("agents: [clerk]", "agents: [ben]")
        .replace("id: collect\n    agents: [ben]", "id: collect\n    agents: [a]")
        .replace("id: contract, agents: [a]", "id: contract, agents: [ada]")
        .replace("id: security, agents: [a]", "id: security, agents: [ada]")
        .replace(
            "id: coverage, name: Audit the tests, agents: [a]",
            "id: coverage, name: Audit the tests, agents: [ada]",
        )
        .replace(
            "id: policy, name: Audit the rules, agents: [a]",
            "id: policy, name: Audit the rules, agents: [ada]",
        );
    let engines = "agents: {ada: person, ben: person, a: {engine: shell, run: 'true'}}\npermissions: {mode: allow}\n";
    let project = Project::of(&[("audit.yaml", flow.as_str()), ("gatehouse.yaml", engines)]);
    project.ok("settings.set", json!({"name": "Ada Lund"})).await;
    let started = project.ok("run.start", json!({"path": "audit.yaml"})).await;
    let run = started["run_id"].clone();
    let asked = async |count: usize| {
        for _ in 0..2_400 {
            let inbox = project.ok("inbox.list", json!({})).await;
            let cards = inbox["waiting"].as_array().expect("cards").clone();
            if cards.len() == count {
                return cards;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        panic!("never {count}: {}", project.ok("inbox.list", json!({})).await);
    };
    let card = asked(4).await.remove(0);
    let of = json!({"run_id": run, "gate": card["gate"], "round": card["round"], "answer": "pass", "comment": ""});
    project.ok("gate.answer", of).await;
    // Whoever decides is asked, and nobody else.
    let left = asked(1).await;
    assert_eq!(left[0]["step"]["id"], "decide", "{left:?}");
    let verified = project.ok("run.verify", json!({"run_id": run})).await;
    assert_eq!(verified["ok"], true, "{verified}");
    // Beside a run in which they are asked still it is said what became of them.
    let other = project.ok("run.start", json!({"path": "audit.yaml"})).await;
    asked(5).await;
    let of = json!({"left": run, "right": other["run_id"]});
    let view = project.ok("run.compare", of).await;
    let rows = view["rows"].as_array().expect("rows").iter();
    let cut: Vec<&Value> = rows
        .filter(|row| row["left"]["words"] == "cut off without an answer")
        .collect();
    assert_eq!(cut.len(), 3, "{view}");
    let waits = |row: &&Value| row["right"]["words"] == "waits for a person";
    assert!(cut.iter().all(waits), "{view}");
}
