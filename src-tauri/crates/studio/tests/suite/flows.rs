//! Several flows as a window sees them before they begin: what a start would do is what all of them would.

use crate::project::Project;
use serde_json::{Value, json};

const LIST: &str = "title: Renew\nflows:\n- {key: review, title: Review, file: review.yaml}\n- {key: tidy, title: Tidy up, \
                    is_utility: true}\n- {key: sign, title: Sign}\n";
const REVIEW: &str = "key: review\ntitle: Review\non_failure: {next_flow: tidy}\nsteps:\n  - {id: read, agents: [reader], human_gate: required, \
                      gate_question: Is it worth it?, routing: {kind: linear}}\n";
const TIDY: &str = "key: tidy\ntitle: Tidy up\non_complete: {next_flow: return}\nsteps:\n  - {id: tidy, agents: [nobody], routing: {kind: linear}}\n";
const SIGN: &str = "key: sign\ntitle: Sign\nsteps:\n  - {id: draw, agents: [clerk], outputs: [contract.md]}\n  - {id: sign, agents: [clerk]}\n";

/// A list is drawn as its flows; whoever picks a workflow by who decides in it must not read that nobody does.
#[tokio::test]
async fn the_card_of_a_list_counts_what_is_in_its_flows_and_the_ways_that_a_person_is_asked_for() {
    let asks_the_way = "key: claim\ntitle: Claim\nsteps:\n  - {id: look, agents: [examiner], routing: {kind: branch, when: \
                        [{condition: \"ours == true\", next: mend}]}}\n  - {id: mend, agents: [smith]}\n";
    let project = Project::of(&[
        ("renew.yaml", LIST),
        ("review.yaml", REVIEW),
        ("tidy.yaml", TIDY),
        ("sign.yaml", SIGN),
        ("claim.yaml", asks_the_way),
    ]);
    let library = project.ok("library.list", Value::Null).await;
    let cards = library["folders"][0]["workflows"].as_array().expect("cards");
    let counted = |path: &str| {
        let card = cards.iter().find(|card| card["path"] == path).expect("a card");
        (card["steps"].clone(), card["gates"].clone())
    };
    assert_eq!(counted("renew.yaml"), (json!(4), json!(1)), "{library}");
    assert_eq!(counted("sign.yaml"), (json!(2), json!(0)), "{library}");
    // Where no condition holds, a person says which way it goes.
    assert_eq!(counted("claim.yaml"), (json!(2), json!(1)), "{library}");
}

#[tokio::test]
async fn a_start_shows_the_flows_in_their_order_and_what_all_of_them_do() {
    let project = Project::of(&[
        ("renew.yaml", LIST),
        ("review.yaml", REVIEW),
        ("tidy.yaml", TIDY),
        ("sign.yaml", SIGN),
        (
            "gatehouse.yaml",
            "agents:\n  reader: {engine: shell, run: echo read}\n  clerk: {engine: shell, run: echo drawn}\n",
        ),
    ]);
    let brief = async |path: &str| project.ok("run.brief", json!({"path": path})).await;
    let flows = |brief: &Value| -> Vec<String> {
        let each = brief["flows"].as_array().cloned().unwrap_or_default();
        let one = |flow: &Value| {
            let steps: Vec<&str> = flow["steps"]
                .as_array()
                .expect("steps")
                .iter()
                .filter_map(|step| step["id"].as_str())
                .collect();
            format!(
                "{} {} {} {}",
                flow["title"],
                flow["file"],
                flow["beside"],
                steps.join(" ")
            )
            .replace('"', "")
        };
        each.iter().map(one).collect()
    };

    let seen = brief("renew.yaml").await;
    assert_eq!(
        flows(&seen),
        [
            "Review review.yaml false review/read",
            "Sign sign.yaml false sign/draw sign/sign",
            "Tidy up tidy.yaml true tidy/tidy"
        ]
    );
    assert_eq!(seen["errors"], json!([]));
    assert_eq!(seen["asks"][0]["question"], "Is it worth it?");
    let agents: Vec<&str> = seen["agents"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["agent"]["name"].as_str())
        .collect();
    assert_eq!(agents, ["reader", "clerk"]);
    assert_eq!(
        seen["unbound"][0]["steps"][0]["id"], "tidy/tidy",
        "{:#}",
        seen["unbound"]
    );
    assert_eq!(seen["writes"], json!(["contract.md"]));

    // A flow that leads on takes the next one along; one alone shows no row.
    assert_eq!(
        flows(&brief("review.yaml").await),
        [
            "Review review.yaml false review/read",
            "Tidy up tidy.yaml false tidy/tidy"
        ]
    );
    assert_eq!(flows(&brief("sign.yaml").await), Vec::<String>::new());

    // Where one of them cannot be run, the start says so, and so does the workflow's page.
    project.write(
        "sign.yaml",
        &SIGN.replace("steps:", "on_complete: {next_flow: nowhere}\nsteps:"),
    );
    let seen = brief("renew.yaml").await;
    let said = seen["errors"][0]["message"].as_str().expect("an error");
    assert!(said.contains("leads to the flow `nowhere`"), "{said}");
    assert_eq!(seen["errors"][0]["code"], "GH0116");
    project.write(
        "sign.yaml",
        &SIGN.replace("agents: [clerk]}", "agents: [clerk], routing: {kind: spiral}}"),
    );
    let view = project
        .studio
        .rpc("workflow.open", json!({"path": "renew.yaml"}))
        .await
        .expect("a view");
    let codes: Vec<&str> = view["problems"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["code"].as_str())
        .collect();
    assert_eq!(codes, ["GH0116"], "{:#}", view["problems"]);
}

/// A rejection that leads back asks again, and a round that nothing was reported of is no verdict.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_rehearsal_and_a_way_back_come_to_is_said() {
    let flow = "key: offer\ntitle: Send an offer\nsteps:\n- {id: write, agents: [w], role: Writes it.}\n- {id: check, agents: [w], role: Checks it., \
                routing: {kind: microloop, loop_target: write, loop_condition_field: status, loop_success_values: [VERIFIED], max_iterations: 1, \
                next: ask}}\n- {id: ask, agents: [w], role: Asks., human_gate: required, on_reject: write}\n- {id: send, agents: [w], role: Sends it.}\n";
    let p = Project::of(&[("offer.yaml", flow)]).signed_by("Ada Lund").await;
    let started = p.ok("run.start", json!({"path": "offer.yaml", "rehearse": true})).await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    let waiting = p.until(&run, |view| !view["waiting"].is_null()).await["waiting"].clone();
    let of = json!({"run_id": run, "gate": waiting["gate"], "round": waiting["round"]});
    let brief = p.ok("gate.brief", of).await;
    let words = |answer: &str| {
        let answers = brief["answers"].as_array().expect("answers");
        let found = answers.iter().find(|one| one["answer"] == answer);
        found.expect(answer)["words"].as_str().expect("words").to_owned()
    };
    assert_eq!(
        words("reject"),
        "“Write” runs next; you are asked again when it comes back here."
    );
    let log = p.ok("run.log", json!({"run_id": run})).await.to_string();
    assert!(
        log.contains(
            "“Check” reported nothing that ends the loop, so the flow went back to “Write” (time 1 of at most 1)."
        ),
        "{log}"
    );
    assert!(!log.contains("was not satisfied"), "{log}");
}

/// Whoever resumes a run that turned in a circle until its limit is to know which.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_turned_in_a_circle_says_which() {
    let flow = "key: trip\ntitle: Trip\nsteps:\n  - {id: ask, name: Write the request, role: Ask, agents: [x], routing: {kind: linear, next: check}}\n  \
                - {id: check, name: Check the budget, role: Check, agents: [x], routing: {kind: branch, branch_field: ok, branches: {no: ask, yes: book}}}\n  \
                - {id: book, role: Book, agents: [x], routing: {kind: linear}}\n";
    let settings = "runtime: {max_steps: 8}\nagents:\n  x: {engine: shell, run: \"[ $GATEHOUSE_STEP != check ] || echo '{\\\"ok\\\": \\\"no\\\"}' > $GATEHOUSE_REPORT\"}\n";
    let project = Project::of(&[("trip.yaml", flow), ("gatehouse.yaml", settings)]);
    project.ok("project.trust", json!({"trust": true})).await;
    let started = project
        .ok("run.start", json!({"path": "trip.yaml", "permit": true}))
        .await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    let view = project.wait(&run, "failed").await;
    let said = "“Check the budget” led back to “Write the request” 4 times, until the run came to its limit of steps.";
    assert!(view["remarks"].to_string().contains(said), "{view:#}");
    let ahead = project.ok("run.taken_up", json!({"run_id": run})).await;
    let words = ahead["words"].as_str().unwrap_or_default();
    assert!(words.contains(said) && words.contains("It may do so again."), "{ahead}");
}

/// Of several agents of one step, who skipped it is named where the step stands as done by the others.
#[tokio::test(flavor = "multi_thread")]
async fn who_of_several_agents_skipped_a_step_is_named_with_it() {
    let flow = "key: f\ntitle: F\nsteps:\n  - {id: work, agents: [ann, ben], role: Work, routing: {kind: linear}}\n";
    for (second, status, words) in [
        ("true", "done", "done · skipped by ann"),
        ("cp said.json $GATEHOUSE_REPORT", "done", "skipped"),
    ] {
        let settings = format!(
            "agents:\n  ann: {{engine: shell, run: 'cp said.json $GATEHOUSE_REPORT'}}\n  ben: {{engine: shell, run: '{second}'}}\n"
        );
        let said = r#"{"status": "SKIPPED"}"#;
        let project = Project::of(&[("f.yaml", flow), ("gatehouse.yaml", &settings), ("said.json", said)]);
        project.ok("project.trust", json!({"trust": true})).await;
        let started = project.ok("run.start", json!({"path": "f.yaml", "permit": true})).await;
        let run = started["run_id"].as_str().expect("an id").to_owned();
        let view = project.wait(&run, status).await;
        assert_eq!(view["steps"][0]["words"], words, "{view:#}");
    }
}

/// What comes when an agent workflow is resumed can be asked before.
#[tokio::test(flavor = "multi_thread")]
async fn an_agent_workflow_that_failed_says_what_is_done_again() {
    let flow = "workflow: {name: F}\nsequence:\n- {id: plan, name: Plan it, agent: good}\n- {id: write, name: Write it, agent: bad}\n\
                - {id: send, name: Send it, agent: good}\n";
    let settings = "runtime: {max_retries: 0}\nagents:\n  good: {engine: shell, run: 'true'}\n  bad: {engine: shell, run: 'false'}\n";
    let project = Project::of(&[("f.yaml", flow), ("gatehouse.yaml", settings)]);
    project.ok("project.trust", json!({"trust": true})).await;
    let started = project.ok("run.start", json!({"path": "f.yaml", "permit": true})).await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    project.wait(&run, "failed").await;
    let ahead = project.ok("run.taken_up", json!({"run_id": run})).await;
    assert_eq!(
        ahead["words"],
        "This run goes on: “Write it” is done again from its beginning. “Plan it” is done; it stays as it is and is not done again."
    );
    let ids = |steps: &Value| {
        let steps = steps.as_array().expect("steps").iter();
        steps.map(|step| step["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(ahead["step"]["id"], "write");
    assert_eq!(
        (ids(&ahead["then"]), ids(&ahead["kept"])),
        (vec![json!("send")], vec![json!("plan")])
    );
}

/// What is wrong in a file that a step leads to is wrong at that step, in the picture too.
#[tokio::test]
async fn a_step_whose_workflow_is_not_there_is_marked() {
    let pipeline = "name: P\nstages:\n  - {name: one, agents: [x]}\n  - {name: two, workflow: nowhere.yaml}\n";
    let project = Project::of(&[("p.yaml", pipeline)]);
    let view = project.ok("workflow.open", json!({"path": "p.yaml"})).await;
    let marks: Vec<_> = view["faces"]
        .as_array()
        .expect("faces")
        .iter()
        .map(|face| face["problem"].clone())
        .collect();
    assert_eq!(marks.last(), Some(&json!("error")), "{marks:?}");
    assert!(
        view["problems"].to_string().contains("There is no file `nowhere.yaml`"),
        "{view:#}"
    );
}

#[tokio::test]
async fn a_rehearsal_from_the_middle_names_nobody_who_is_asked_only_before() {
    let flow = "key: f\ntitle: F\nsteps:\n  - {id: a, agents: [w], human_gate: required, gate_question: First?, routing: {kind: linear, next: b}}\n  \
                - {id: b, agents: [w], human_gate: required, gate_question: Second?, routing: {kind: microloop, loop_target: b, \
                loop_condition_field: status, loop_success_values: [OK], next: c}}\n  - {id: c, agents: [w], human_gate: required, gate_question: Third?}\n";
    let project = Project::of(&[("f.yaml", flow)]);
    let asked = async |of: Value| -> Vec<String> {
        let brief = project.ok("run.brief", of).await;
        let asks = brief["asks"].as_array().expect("a list").iter();
        asks.map(|ask| ask["question"].as_str().expect("a text").to_owned())
            .filter(|question| question.ends_with("d?") || question.ends_with("t?"))
            .collect()
    };
    assert_eq!(asked(json!({"path": "f.yaml"})).await, ["First?", "Second?", "Third?"]);
    assert_eq!(
        asked(json!({"path": "f.yaml", "from": "b"})).await,
        ["Second?", "Third?"]
    );
    assert_eq!(asked(json!({"path": "f.yaml", "from": "c"})).await, ["Third?"]);
}
