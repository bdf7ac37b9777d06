//! What FAIL does of a step that a person carries out: said before it is answered, and what then happens; and the gate that stands behind work
//! of a person.

use crate::project::Project;
use serde_json::{Value, json};
use std::time::Duration;

const PIPELINE: &str = "pipelines/PIPE-20260310-hall-100000.yaml";
const STAGES: &str = "id: PIPE-20260310-hall-100000\nname: Hall\nstages:\n  - {name: design, agents: [ada]}\n  - {name: plan, agents: [ada]}\n  \
                      - {name: build, agents: [ada], depends_on: [design]}\n";
/// Whoever the files give work to is a person.
const PEOPLE: &str = "agents: {ada: person, ben: person}\n";

struct Asked<'p> {
    project: &'p Project,
    run: String,
}

impl<'p> Asked<'p> {
    async fn start(project: &'p Project, path: &str) -> Self {
        project.ok("settings.set", json!({"name": "Ada Lund"})).await;
        let start = json!({"path": path, "permit": true});
        let run = project.ok("run.start", start).await["run_id"]
            .as_str()
            .expect("an id")
            .to_owned();
        Self { project, run }
    }

    /// What is asked at a step, once it is.
    async fn at(&self, step: &str, purpose: &str) -> Value {
        for _ in 0..2_400 {
            let inbox = self.project.ok("inbox.list", json!({})).await;
            let cards = inbox["waiting"].as_array().expect("cards").iter();
            let mut own = cards.filter(|card| card["run_id"] == self.run.as_str());
            if let Some(card) = own.find(|card| card["step"]["id"] == step && card["purpose"] == purpose) {
                let of = json!({"run_id": self.run, "gate": card["gate"], "round": card["round"]});
                return self.project.ok("gate.brief", of).await;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("{purpose} of {step} was never asked for");
    }

    async fn answer(&self, brief: &Value, answer: &str) {
        let mut of = json!({"run_id": self.run, "gate": brief["gate"], "round": brief["round"], "answer": answer});
        of["comment"] = "It rains.".into();
        self.project.ok("gate.answer", of).await;
    }

    /// What is said of PASS, or of FAIL.
    async fn says(&self, step: &str, answer: &str) -> Value {
        let brief = self.at(step, "outcome").await;
        let answers = brief["answers"].as_array().expect("answers").iter();
        let mut own = answers.filter(|one| one["answer"] == answer);
        own.next().expect("it is offered").clone()
    }

    /// What is said of an answer to the gate behind a step.
    async fn of_approval(&self, step: &str, answer: &str) -> Value {
        let brief = self.at(step, "approval").await;
        let answers = brief["answers"].as_array().expect("answers").iter();
        let mut own = answers.filter(|one| one["answer"] == answer);
        own.next().expect("it is offered").clone()
    }

    /// Says PASS of a step, which is told to do this, and after which these can run.
    async fn passes(&self, step: &str, words: &str, runs: &[&str]) {
        let said = self.says(step, "pass").await;
        assert_eq!(said["words"], words, "{step}");
        assert_eq!(ids(&said["runs"]), runs, "{step}");
        self.does(step).await;
    }

    /// Says FAIL of a step, which is told to do this, and which keeps these from ever running.
    async fn fails(&self, step: &str, words: &str, never: &[&str]) {
        let said = self.says(step, "fail").await;
        assert_eq!(said["words"], words, "{step}");
        assert_eq!(ids(&said["never_runs"]), never, "{step}");
        let brief = self.at(step, "outcome").await;
        self.answer(&brief, "fail").await;
    }

    /// Waits until a step is asked about in this round.
    async fn in_round(&self, step: &str, round: u64) {
        for _ in 0..2_400 {
            if self.at(step, "outcome").await["round"] == round {
                return;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("{step} was never asked about in round {round}");
    }

    async fn does(&self, step: &str) {
        let brief = self.at(step, "outcome").await;
        self.answer(&brief, "pass").await;
    }

    /// Waits until a step is done: what a person says of it is recorded first, and its end a moment later.
    async fn is_done(&self, step: &str) {
        let is_done = |view: &Value| {
            let steps = view["steps"].as_array().expect("steps");
            steps.iter().any(|one| one["id"] == step && one["status"] == "done")
        };
        self.project.until(&self.run, is_done).await;
    }

    async fn statuses(&self) -> Vec<String> {
        let view = self.project.ok("run.view", json!({"run_id": self.run})).await;
        let steps = view["steps"].as_array().expect("steps").iter();
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        steps
            .map(|one| format!("{} {}", text(&one["id"]), text(&one["status"])))
            .collect()
    }

    async fn ends(&self, status: &str) -> Vec<String> {
        self.project.wait(&self.run, status).await;
        self.statuses().await
    }
}

fn ids(steps: &Value) -> Vec<&str> {
    let steps = steps.as_array().expect("steps").iter();
    steps.filter_map(|step| step["id"].as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_stage_it_ends_the_pipeline_or_leaves_out_what_waits_for_it() {
    let halts = Project::of(&[("gatehouse.yaml", PEOPLE), (PIPELINE, STAGES)]);
    let asked = Asked::start(&halts, PIPELINE).await;
    let words = "“design” counts as failed. It is not tried again: what has begun is finished, then the pipeline ends as failed.";
    asked.fails("design", words, &["build"]).await;
    asked.does("plan").await;
    assert_eq!(asked.ends("failed").await[..2], ["design failed", "plan done"]);

    let skips = STAGES.replace("stages:", "error_handling: skip_dependents\nstages:");
    let skips = Project::of(&[("gatehouse.yaml", PEOPLE), (PIPELINE, &skips)]);
    let asked = Asked::start(&skips, PIPELINE).await;
    let words =
        "“design” counts as failed. It is not tried again: what waits for it is left out; everything else goes on.";
    asked.fails("design", words, &["build"]).await;
    asked.does("plan").await;
    assert_eq!(
        asked.ends("partly").await,
        ["design failed", "plan done", "build skipped"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_branch_it_ends_that_branch_alone() {
    let flow = "\
key: audit
title: Audit
steps:
  - id: collect
    agents: [ada]
    routing:
      kind: fork
      fork_targets: [contract, security]
      fork_config: {execution_policy: concurrent, isolation: shared, failure_policy: continue_all}
  - {id: contract, agents: [ada], routing: {kind: linear, next: decide}}
  - {id: security, agents: [ada], routing: {kind: linear, next: decide}}
  - id: decide
    agents: [ada]
    routing: {kind: join, join_from: [contract, security], join_config: {strategy: first_complete}}
";
    let project = Project::of(&[("gatehouse.yaml", PEOPLE), ("audit.yaml", flow)]);
    let asked = Asked::start(&project, "audit.yaml").await;
    asked.does("collect").await;
    let words = "“Contract” counts as failed. It is not tried again: its branch ends as failed, and where the branches meet it is \
                 decided what that means.";
    asked.fails("contract", words, &[]).await;
    asked.does("security").await;
    asked.at("decide", "outcome").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_one_flow_of_several_it_leads_where_that_flow_says() {
    let list = "title: Renew\nflows:\n- {key: review, title: Review, file: review.yaml}\n- {key: tidy, title: Tidy up, file: tidy.yaml, \
                is_utility: true}\n";
    let review = |on_failure: &str| {
        format!(
            "key: review\ntitle: Review\n{on_failure}steps:\n  - {{id: read, agents: [ada], routing: {{kind: linear, next: note}}}}\n  - {{id: note, agents: [ada]}}\n"
        )
    };
    let tidy = "key: tidy\ntitle: Tidy up\non_complete: {next_flow: return}\non_failure: {next_flow: return}\nsteps:\n  - {id: tidy, agents: [ada]}\n";
    let project = |on_failure: &str| {
        Project::of(&[
            ("gatehouse.yaml", PEOPLE),
            ("renew.yaml", list),
            ("review.yaml", &review(on_failure)),
            ("tidy.yaml", tidy),
        ])
    };
    let leads = project("on_failure: {next_flow: tidy}\n");
    let asked = Asked::start(&leads, "renew.yaml").await;
    let begins = "“Read” counts as failed. It is not tried again: the flow ends as failed, and “Tidy up” begins.";
    asked.fails("review/read", begins, &[]).await;
    let back = "“Tidy” counts as failed. It is not tried again: the flow ends as failed, and “Review” begins again.";
    asked.fails("tidy/tidy", back, &[]).await;
    asked.at("review/read", "outcome").await;

    let ends = project("");
    let asked = Asked::start(&ends, "renew.yaml").await;
    let words = "“Read” counts as failed. It is not tried again: the run ends as failed.";
    asked.fails("review/read", words, &["review/note"]).await;
    assert_eq!(asked.ends("failed").await[0], "review/read failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_step_that_escalates_it_goes_to_another_and_then_as_its_group_says() {
    let workflow = |more: &str| {
        format!(
            "workflow: {{name: hall}}\nparallel_groups:\n  - group_id: design\n    parallel: true\n{more}    agents:\n      - {{agent: ada, task: rooms, execution: {{escalate_to: ben}}}}\n      - {{agent: ada, task: roof}}\n  - group_id: build\n    depends_on_groups: [design]\n    agents:\n      - {{agent: ada, task: build}}\n"
        )
    };
    let another = "    synchronization: {type: barrier, partial_completion: allow_with_one_success}\n";
    for (more, then) in [
        ("    optional: true\n", "the workflow goes on without it."),
        (
            another,
            "the workflow goes on as long as another step of its group has not failed.",
        ),
    ] {
        let project = Project::of(&[("gatehouse.yaml", PEOPLE), ("hall.yaml", &workflow(more))]);
        let asked = Asked::start(&project, "hall.yaml").await;
        if more.contains("optional") {
            for step in ["rooms", "roof"] {
                let brief = asked.at(step, "way").await;
                let mut of =
                    json!({"run_id": asked.run, "gate": brief["gate"], "round": brief["round"], "answer": "choose"});
                of["way"] = brief["answers"][0]["way"].clone();
                project.ok("gate.answer", of).await;
            }
        }
        asked
            .fails("rooms", "“Rooms” counts as failed. Then it goes to ben.", &[])
            .await;
        let escalated = async || {
            asked.says("rooms", "fail").await["words"]
                == format!("“Rooms” counts as failed. It is not tried again: {then}")
        };
        for _ in 0..2_400 {
            if escalated().await {
                break;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        // Whoever takes it over sees what was said of it.
        let taken_over = asked.at("rooms", "outcome").await;
        let before = taken_over["before"].as_array().expect("what came before");
        assert!(
            before
                .iter()
                .any(|said| said["step"]["id"] == "rooms" && said["status"] == "failed" && said["text"] == "It rains."),
            "{taken_over}"
        );
        let words = format!("“Rooms” counts as failed. It is not tried again: {then}");
        asked.fails("rooms", &words, &[]).await;
        asked.does("roof").await;
        asked.at("build", "outcome").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_work_that_others_share_it_may_be_tried_again() {
    let flow = "key: hall\ntitle: Hall\nsteps:\n  - {id: draw, agents: [clerk, ada], routing: {kind: linear}}\n";
    let config = "agents: {ada: person, clerk: {engine: shell, run: 'true'}}\n";
    let project = Project::of(&[("gatehouse.yaml", config), ("hall.yaml", flow)]);
    let asked = Asked::start(&project, "hall.yaml").await;
    let words = "“Draw” counts as failed. If it may not be tried again, the run ends as failed.";
    assert_eq!(asked.says("draw", "fail").await["words"], words);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_gate_of_a_stage_asks_behind_the_work_of_a_person_and_holds_what_waits() {
    let gated = "{name: design, agents: [ada], human_gate: required, gate_question: Is it drawn well?}";
    let stages = STAGES.replace("{name: design, agents: [ada]}", gated);
    let project = Project::of(&[("gatehouse.yaml", PEOPLE), (PIPELINE, &stages)]);
    let asked = Asked::start(&project, PIPELINE).await;
    let said = asked.says("design", "pass").await;
    assert_eq!(
        said["words"],
        "“design” counts as done. Then a person is asked: “Is it drawn well?” What waits for it goes on once that is approved."
    );
    assert_eq!(ids(&said["runs"]), ["build"]);
    asked.does("design").await;
    let gate = asked.at("design", "approval").await;
    // Another stage waits as well, and was asked about first: each says what it waits for itself.
    asked.at("plan", "outcome").await;
    let step = async |id: &str| project.ok("run.step", json!({"run_id": asked.run, "step": id})).await;
    let (design, plan) = (step("design").await, step("plan").await);
    assert_eq!(design["waiting"]["question"], "Is it drawn well?");
    assert_eq!(design["visits"][0]["waiting"]["question"], "Is it drawn well?");
    assert_eq!(design["visits"][0]["attempts"].as_array().map(Vec::len), Some(1));
    assert_eq!(plan["visits"][0]["waiting"]["purpose"], "outcome");
    assert_eq!(plan["visits"][0]["waiting"]["role"], "ada");
    assert_eq!(plan["visits"][0]["attempts"], json!([]));
    assert!(
        asked.statuses().await.contains(&"build not_started".to_owned()),
        "it waits for the gate"
    );
    asked.answer(&gate, "approve").await;
    asked.does("build").await;
    asked.does("plan").await;
    assert_eq!(asked.ends("done").await, ["design done", "plan done", "build done"]);
    assert!(step("plan").await["visits"][0]["waiting"].is_null());
}

/// Flows of one step each, which is called like its flow: each with what the list says of it, and what its file says first.
fn flows(all: &[(&str, &str, &str)]) -> Project {
    let title = |key: &str| format!("{} flow", key[..1].to_uppercase() + &key[1..]);
    let mut list = "title: Renew\nflows:\n".to_owned();
    let mut files: Vec<(String, String)> = Vec::new();
    for (key, more, head) in all {
        list += &format!("- {{key: {key}, title: {}, file: {key}.yaml{more}}}\n", title(key));
        let text = format!(
            "key: {key}\ntitle: {}\n{head}steps:\n  - {{id: {key}, agents: [ada]}}\n",
            title(key)
        );
        files.push((format!("{key}.yaml"), text));
    }
    let mut named = vec![("gatehouse.yaml", PEOPLE), ("renew.yaml", list.as_str())];
    named.extend(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    Project::of(&named)
}

const UTILITY: &str = ", is_utility: true";
const TIDIES: &str = "on_complete: {next_flow: tidy}\n";
const BACK: &str = "on_failure: {next_flow: return}\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_flow_that_fails_leads_back_where_the_engine_leads() {
    let leads = "“Review” counts as done. Then the flow ends here, and “Tidy flow” begins.";
    // Behind the only flow of the order nothing follows.
    let only = flows(&[("review", "", TIDIES), ("tidy", UTILITY, BACK)]);
    let asked = Asked::start(&only, "renew.yaml").await;
    asked.passes("review/review", leads, &["tidy/tidy"]).await;
    let ends = "“Tidy” counts as failed. It is not tried again: the run ends as failed.";
    asked.fails("tidy/tidy", ends, &[]).await;
    assert_eq!(asked.ends("failed").await, ["review/review done", "tidy/tidy failed"]);

    let next = flows(&[("review", "", TIDIES), ("post", "", ""), ("tidy", UTILITY, BACK)]);
    let asked = Asked::start(&next, "renew.yaml").await;
    asked.passes("review/review", leads, &["tidy/tidy"]).await;
    let post = "“Tidy” counts as failed. It is not tried again: the flow ends as failed, and “Post flow” begins.";
    assert_eq!(ids(&asked.says("tidy/tidy", "fail").await["runs"]), ["post/post"]);
    asked.fails("tidy/tidy", post, &[]).await;
    asked.at("post/post", "outcome").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flow_that_pauses_when_it_fails_does_the_step_again() {
    let pauses = flows(&[("review", "", "on_failure: {next_flow: pause}\n"), ("post", "", "")]);
    let asked = Asked::start(&pauses, "renew.yaml").await;
    let words = "“Review” counts as failed. It is not tried again: the run pauses; when somebody lets it go on, “Review” is done again.";
    asked.fails("review/review", words, &[]).await;
    pauses.wait(&asked.run, "paused").await;
    let inbox = pauses.ok("inbox.list", json!({})).await;
    assert_eq!(inbox["waiting"], json!([]), "nobody is asked");
    pauses
        .ok("run.act", json!({"run_id": asked.run, "action": "resume"}))
        .await;
    asked.in_round("review/review", 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_flow_that_pauses_says_that_the_run_ends_when_it_is_let_go_on() {
    let last = flows(&[("review", "", ""), ("post", "", "on_complete: {next_flow: pause}\n")]);
    let asked = Asked::start(&last, "renew.yaml").await;
    let leads = "“Review” counts as done. Then the flow ends here, and “Post flow” begins.";
    asked.passes("review/review", leads, &["post/post"]).await;
    let words =
        "“Post” counts as done. Then the flow ends here, and the run pauses; when somebody lets it go on, it ends.";
    asked.passes("post/post", words, &[]).await;
    last.wait(&asked.run, "paused").await;
    last.ok("run.act", json!({"run_id": asked.run, "action": "resume"}))
        .await;
    assert_eq!(asked.ends("done").await, ["review/review done", "post/post done"]);
}

fn audit(rules: &str, join: &str) -> Project {
    let flow = format!(
        "\
key: audit
title: Audit
steps:
  - id: collect
    agents: [ada]
    routing:
      kind: fork
      fork_targets: [contract, security]
      fork_config: {{execution_policy: concurrent, isolation: shared, failure_policy: {rules}}}
  - {{id: contract, agents: [ada], routing: {{kind: linear, next: decide}}}}
  - {{id: security, agents: [ada], routing: {{kind: linear, next: sum}}}}
  - {{id: sum, agents: [ada], routing: {{kind: linear, next: decide}}}}
  - id: decide
    agents: [ada]
    routing: {{kind: join, join_from: [contract, sum], join_config: {{strategy: {join}}}}}
"
    );
    Project::of(&[("gatehouse.yaml", PEOPLE), ("audit.yaml", &flow)])
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_branch_it_cuts_off_the_others_where_none_may_fail() {
    let project = audit("fail_fast", "all_complete");
    let asked = Asked::start(&project, "audit.yaml").await;
    asked.does("collect").await;
    asked.at("security", "outcome").await;
    let words = "“Contract” counts as failed. It is not tried again: its branch ends as failed, the branches beside it are cut off, and the \
                 run ends as failed.";
    asked.fails("contract", words, &["decide", "sum"]).await;
    let statuses = asked.ends("failed").await;
    assert_eq!(statuses[1], "contract failed");
    assert_eq!(statuses[3..], ["sum not_started", "decide not_started"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_the_last_branch_it_says_what_the_count_comes_to() {
    let project = audit("continue_all", "all_complete");
    let asked = Asked::start(&project, "audit.yaml").await;
    asked.does("collect").await;
    asked.at("security", "outcome").await;
    let waits = "“Contract” counts as done. Then its branch ends well, and “Decide” comes when the branches have met.";
    asked.passes("contract", waits, &["decide"]).await;
    asked.is_done("contract").await;
    asked
        .passes(
            "security",
            "“Security” counts as done. Then “Sum” comes next.",
            &["sum", "decide"],
        )
        .await;
    let meet = "“Sum” counts as done. Then the branches meet, and “Decide” comes next.";
    assert_eq!(asked.says("sum", "pass").await["words"], meet);
    let words = "“Sum” counts as failed. It is not tried again: its branch ends as failed, the branches do not meet as they must, and the run \
                 ends as failed.";
    asked.fails("sum", words, &["decide"]).await;
    assert_eq!(asked.ends("failed").await[4], "decide not_started");

    let project = audit("best_effort", "all_complete");
    let asked = Asked::start(&project, "audit.yaml").await;
    for step in ["collect", "contract", "security"] {
        asked.does(step).await;
        asked.is_done(step).await;
    }
    let words = "“Sum” counts as failed. It is not tried again: its branch ends as failed, the branches meet all the same, and “Decide” comes \
                 next.";
    asked.fails("sum", words, &[]).await;
    asked.at("decide", "outcome").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_pipeline_that_has_failed_nothing_more_is_promised() {
    let stages = format!("{STAGES}  - {{name: roof, agents: [ada], depends_on: [plan]}}\n");
    let project = Project::of(&[("gatehouse.yaml", PEOPLE), (PIPELINE, &stages)]);
    let asked = Asked::start(&project, PIPELINE).await;
    let before = "“plan” counts as done. Then what waits for it goes on.";
    assert_eq!(asked.says("plan", "pass").await["words"], before);
    let words = "“design” counts as failed. It is not tried again: what has begun is finished, then the pipeline ends as failed.";
    asked.fails("design", words, &["build", "roof"]).await;
    let halted = "“plan” counts as done. The pipeline has failed already; nothing more begins.";
    for _ in 0..2_400 {
        if asked.says("plan", "pass").await["words"] == halted {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    asked.passes("plan", halted, &[]).await;
    let statuses = asked.ends("failed").await;
    assert_eq!(
        statuses,
        ["design failed", "plan done", "build skipped", "roof not_started"]
    );
}

/// A pipeline in which one stage has failed while a person is asked to approve another one.
async fn failed_while_asked(project: &Project) -> Asked<'_> {
    let asked = Asked::start(project, PIPELINE).await;
    asked.does("survey").await;
    asked.does("plan").await;
    let before = asked.of_approval("plan", "approve").await;
    assert_eq!(before["words"], "“plan” is completed. “roof” waits for it.");
    assert_eq!(ids(&before["runs"]), ["roof"]);
    let design = asked.at("design", "outcome").await;
    asked.answer(&design, "fail").await;
    let halted = "“plan” is completed. The pipeline has failed already; nothing more begins.";
    for _ in 0..2_400 {
        if asked.of_approval("plan", "approve").await["words"] == halted {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    let after = asked.of_approval("plan", "approve").await;
    assert_eq!((&after["words"], &after["runs"]), (&json!(halted), &json!([])));
    // And so does the run, on its page and in lists.
    let known = "; it has failed already, and nothing more begins";
    let view = project.ok("run.view", json!({"run_id": asked.run})).await;
    let rows = project.ok("runs.list", Value::Null).await;
    for words in [&view["status_words"], &rows["runs"][0]["status_words"]] {
        assert!(words.as_str().is_some_and(|words| words.ends_with(known)), "{words}");
    }
    asked
}

fn gated() -> Project {
    let gated = "{name: survey, agents: [ada]}\n  - {name: plan, agents: [ada], depends_on: [survey], human_gate: required, gate_question: Is it planned well?, on_reject: survey}";
    let stages = STAGES.replace("{name: plan, agents: [ada]}", gated);
    let stages = format!("{stages}  - {{name: roof, agents: [ada], depends_on: [plan]}}\n");
    Project::of(&[("gatehouse.yaml", PEOPLE), (PIPELINE, &stages)])
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_pipeline_that_has_failed_an_approval_promises_nothing_more() {
    let project = gated();
    let asked = failed_while_asked(&project).await;
    let brief = asked.at("plan", "approval").await;
    assert_eq!(
        brief["remarks"],
        json!(["Ada Lund has carried out this step as well."]),
        "{brief}"
    );
    let again = asked.of_approval("plan", "changes").await;
    assert_eq!(
        again["words"],
        "“plan” is done again with your comment; then you are asked again."
    );
    let gate = asked.at("plan", "approval").await;
    asked.answer(&gate, "changes").await;
    // What has begun is finished.
    asked.in_round("plan", 2).await;
    asked.does("plan").await;
    let gate = asked.at("plan", "approval").await;
    asked.answer(&gate, "approve").await;
    assert!(asked.ends("failed").await.contains(&"roof not_started".to_owned()));
    let view = project.ok("run.view", json!({"run_id": asked.run})).await;
    let own = "Ada Lund decided about work that they had carried out themselves.";
    assert_eq!(view["remarks"], json!([own]));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_pipeline_that_has_failed_what_is_rejected_is_done_again_once_it_is_resumed() {
    let project = gated();
    let asked = failed_while_asked(&project).await;
    assert_eq!(
        asked.of_approval("plan", "reject").await["words"],
        "The pipeline has failed already; nothing more begins. Your comment is kept: “survey” is done again with it if the pipeline is resumed."
    );
    let gate = asked.at("plan", "approval").await;
    asked.answer(&gate, "reject").await;
    asked.ends("failed").await;
    let resumed = json!({"run_id": asked.run, "action": "reopen", "choices": {"design": "skip"}});
    project.ok("run.act", resumed).await;
    asked.in_round("survey", 2).await;
    let brief = asked.at("survey", "outcome").await;
    assert!(brief.to_string().contains("It rains."), "{brief}");
    let before = brief["before"].as_array().cloned().unwrap_or_default();
    let whose: Vec<_> = before.iter().filter_map(|said| said["step"]["id"].as_str()).collect();
    assert_eq!(whose, ["design"], "it is no step before itself: {brief}");
}

/// Who approves that a step begins approves no work, whoever then does it.
#[tokio::test(flavor = "multi_thread")]
async fn who_lets_a_step_begin_and_then_does_it_has_not_approved_their_own_work() {
    let flow = "key: hall\ntitle: Hall\nsteps:\n  - {id: draw, agents: [ada], human_gate: required, gate_at: before, routing: {kind: terminal}}\n";
    let project = Project::of(&[("gatehouse.yaml", PEOPLE), ("hall.yaml", flow)]);
    let asked = Asked::start(&project, "hall.yaml").await;
    let gate = asked.at("draw", "approval").await;
    asked.answer(&gate, "approve").await;
    asked.does("draw").await;
    asked.ends("done").await;
    let view = project.ok("run.view", json!({"run_id": asked.run})).await;
    assert_eq!(view["remarks"], Value::Null, "{view}");
    let of = json!({"run_id": asked.run, "gate": gate["gate"], "round": gate["round"]});
    let brief = project.ok("gate.brief", of).await;
    assert_eq!(
        brief["remarks"].as_array().map(Vec::len).unwrap_or_default(),
        0,
        "{brief}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn where_no_condition_holds_a_person_is_asked_the_way() {
    let flow = "\
key: hall
title: Hall
steps:
  - id: draw
    agents: [ada]
    routing:
      kind: branch
      when:
        - {condition: 'verdict.mark == \"GOOD\"', next: sign}
  - {id: sign, agents: [ada], routing: {kind: terminal}}
";
    let project = Project::of(&[("gatehouse.yaml", PEOPLE), ("hall.yaml", flow)]);
    // A field inside of another one is no form's, so nobody can report it here.
    let asked = Asked::start(&project, "hall.yaml").await;
    let words = "“Draw” counts as done. Then a person is asked where it goes on.";
    asked.passes("draw", words, &["sign"]).await;
    asked.at("draw", "way").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_the_last_step_of_a_group_that_needs_one_it_stops_the_workflow() {
    let workflow = "workflow: {name: hall}\nparallel_groups:\n  - group_id: design\n    parallel: true\n    synchronization: {type: barrier, partial_completion: allow_with_one_success}\n    agents:\n      - {agent: ada, task: rooms}\n      - {agent: ada, task: roof}\n  - group_id: build\n    depends_on_groups: [design]\n    agents:\n      - {agent: ada, task: build}\n";
    let project = Project::of(&[("gatehouse.yaml", PEOPLE), ("hall.yaml", workflow)]);
    let asked = Asked::start(&project, "hall.yaml").await;
    let words = "“Rooms” counts as failed. It is not tried again: the workflow goes on as long as another step of its group has not failed.";
    asked.fails("rooms", words, &[]).await;
    let words = "“Roof” counts as failed. It is not tried again: the other step of its group has not gone well either; what has begun is \
                 finished, then the agent workflow ends as failed.";
    for _ in 0..2_400 {
        if asked.says("roof", "fail").await["words"] == words {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    asked.fails("roof", words, &["build"]).await;
    let statuses = asked.ends("failed").await;
    assert!(statuses.contains(&"roof failed".to_owned()), "{statuses:?}");
    assert!(!statuses.iter().any(|one| one == "build done"), "{statuses:?}");
}

/// Why a program let go of a run stands where the run does, not on its console alone.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_this_program_let_go_of_says_why() {
    let p = Project::of(&[(
        "look.runbook.md",
        "# Look\n\n## 1 Is it fine?\n\nLook.\n\n- YES: COMPLETE\n- NO: STOP\n",
    )]);
    let p = p.signed_by("Ada").await;
    let started = p.ok("run.start", json!({"path": "look.runbook.md"})).await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    p.until(&run, |view| view["waiting"].is_object() && view["driver"].is_string())
        .await;
    // What another program wrote follows from nothing that people say.
    let store = store::Store::open(p.folder.path()).expect("its history");
    let mut live = history::Live::open(&store, &run.as_str().into()).expect("the run");
    live.commit(&store, &[], |state| {
        let mut batch = history::Batch::on(state);
        let at = state.last_at.unwrap_or_default();
        let (by, reason) = ("Eve".to_owned(), "no".to_owned());
        batch.carry([(
            at,
            engine::Event::Aborted {
                by,
                reason,
                given: None,
            },
        )]);
        Ok::<_, history::Error>(batch)
    })
    .expect("recorded");
    let view = p
        .until(&run, |view| {
            view["remarks"].to_string().contains("carried it on and stopped")
        })
        .await;
    assert!(
        view["remarks"]
            .to_string()
            .contains("does not follow from anything that people say to runs.\""),
        "{}",
        view["remarks"]
    );
}

/// Of a step whose failure a person was asked about it is said that it waited, where the run was stopped before they answered.
#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_waited_when_its_run_was_stopped_says_so() {
    let p = Project::of(&[(
        "mend.runbook.md",
        "# Mend\n\n## 1 Look\n\nIs it fine?\n\n- YES: CONTINUE\n- NO: RETRY 3\n\n## 2 Send\n\nSend it.\n",
    )]);
    let p = p.signed_by("Ada").await;
    let started = p.ok("run.start", json!({"path": "mend.runbook.md"})).await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    let view = p.until(&run, |view| view["waiting"].is_object()).await;
    let gate = &view["waiting"];
    let no =
        json!({"run_id": run, "gate": gate["gate"], "round": gate["round"], "answer": "fail", "comment": "not yet"});
    p.ok("gate.answer", no).await;
    p.until(&run, |view| view["waiting"]["round"] == 2).await;
    p.ok("run.act", json!({"run_id": run, "action": "abort", "reason": "enough"}))
        .await;
    p.wait(&run, "aborted").await;
    let view = p.ok("run.view", json!({"run_id": run})).await;
    let words = view["steps"][0]["words"].as_str().expect("words");
    assert!(words.starts_with("waited for a person when the run ended"), "{words}");
    assert!(
        view["steps"][1]["words"]
            .as_str()
            .expect("words")
            .starts_with("not run")
    );
}
