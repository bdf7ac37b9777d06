//! Two runs beside each other: paired visit by visit, with where they part and why.

use crate::project::Project;
use serde_json::{Value, json};

const FLOW: &str = "\
key: letter
title: Write a letter
steps:
  - id: draft
    name: Draft it
    agents: [writer]
    outputs: [RUN_BASE/letter.md]
    routing: {kind: linear, next: review}
  - id: review
    name: Review it
    agents: [critic]
    routing: {kind: microloop, loop_target: draft, loop_condition_field: verdict, loop_success_values: [good], max_iterations: 3, next: send}
  - id: send
    name: Send it
    agents: [clerk]
    human_gate: required
    gate_at: before
    gate_question: May it go out?
";

/// The critic is content at once.
const AT_ONCE: &str = "\
name: at once
steps:
  draft: [{artifacts: {RUN_BASE/letter.md: \"# Letter\\n\\nDear all,\\n\"}}]
  review: [{report: {verdict: good}}]
gates:
  send: [{answer: approve, by: Ada Lund}]
";

/// The critic wants it again, and nobody lets it go out.
const AGAIN: &str = "\
name: again
steps:
  draft:
    - {artifacts: {RUN_BASE/letter.md: \"# Letter\\n\\nDear all,\\n\"}}
    - {artifacts: {RUN_BASE/letter.md: \"# Letter\\n\\nDear friends,\\n\"}}
  review: [{report: {verdict: poor}}, {report: {verdict: good}}]
gates:
  send: [{answer: reject, by: Ben Roth, comment: Not today.}]
";

fn letters() -> Project {
    Project::of(&[
        ("letter.yaml", FLOW),
        ("at-once.scenario.yaml", AT_ONCE),
        ("again.scenario.yaml", AGAIN),
    ])
}

impl Project {
    async fn played(&self, path: &str, scenario: &str, status: &str) -> String {
        let params = json!({"path": path, "scenario": scenario, "fast": true});
        let run = self.ok("run.start", params).await["run_id"]
            .as_str()
            .expect("an id")
            .to_owned();
        self.wait(&run, status).await;
        run
    }

    async fn compared(&self, left: &str, right: &str) -> Value {
        self.ok("run.compare", json!({"left": left, "right": right})).await
    }
}

/// `draft`, with which time and what is not the same: `review, 2nd time: way reported`.
fn rows(view: &Value) -> Vec<String> {
    let rows = view["rows"].as_array().expect("rows").iter();
    rows.map(|row| {
        let apart: Vec<&str> = row["apart"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let apart = match apart.is_empty() {
            true => String::new(),
            false => format!(": {}", apart.join(" ")),
        };
        let which = row["which"].as_str().map(|which| format!(", {which}"));
        let which = which.unwrap_or_default();
        format!("{}{which}{apart}", row["step"]["id"].as_str().expect("an id"))
    })
    .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_runs_are_paired_visit_by_visit_and_where_they_part_is_told_with_both_reasons() {
    let project = letters();
    let left = project.played("letter.yaml", "at-once.scenario.yaml", "done").await;
    let right = project.played("letter.yaml", "again.scenario.yaml", "refused").await;
    let view = project.compared(&left, &right).await;
    let expected = [
        "draft",
        "review: way reported",
        "draft, 2nd time: only_right",
        "review, 2nd time: only_right",
        "send: answers outcome",
    ];
    assert_eq!(rows(&view), expected, "{view}");
    assert_eq!((&view["parts_at"], &view["apart"]), (&json!(1), &json!(4)));
    let words = view["words"].as_str().expect("words");
    assert_eq!(
        words,
        "The first step is the same in both. From “Review it” the first run went on to “Send it”, and the second went on to “Draft it”."
    );
    let review = &view["rows"][1];
    assert_eq!(
        review["reported"],
        json!([{"name": "verdict", "left": "good", "right": "poor"}])
    );
    let why = |side: &str| review[side]["way"]["why"].as_str().unwrap_or_default().to_owned();
    assert!(
        why("left").contains("good") && why("right").contains("poor"),
        "{review}"
    );
    let send = &view["rows"][4];
    assert_eq!(
        send["left"]["decisions"][0]["decision"]["by"],
        "Ada Lund (by the script)"
    );
    assert_eq!(send["right"]["words"], "rejected by Ben Roth (by the script)");
    // What is the same is not told twice.
    assert!(view["rows"][0]["left"].get("way").is_none(), "{view}");
    assert_eq!(view["started"][0]["left"], "at once", "{view}");
    // The other way round the second one is the first.
    let turned = project.compared(&right, &left).await;
    assert_eq!(
        rows(&turned)[1..4],
        [
            "review: way reported",
            "draft, 2nd time: only_left",
            "review, 2nd time: only_left"
        ]
    );
    let refused = project
        .refused("run.compare", json!({"left": left, "right": left}))
        .await;
    assert_eq!(refused.code, "the_same");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_the_same_in_both_is_said_to_be_and_times_tell_nothing_apart() {
    let project = letters();
    let left = project.played("letter.yaml", "at-once.scenario.yaml", "done").await;
    let right = project.played("letter.yaml", "at-once.scenario.yaml", "done").await;
    let view = project.compared(&left, &right).await;
    assert_eq!(
        view["words"],
        "Both did the same, with the same answers, results and files."
    );
    assert_eq!((&view["parts_at"], &view["apart"]), (&Value::Null, &json!(0)), "{view}");
    assert_eq!(view["started"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_both_made_is_shown_with_what_differs_and_no_other_is() {
    let project = letters();
    let other = AT_ONCE.replace("Dear all", "Dear friends");
    project.write("other.scenario.yaml", &other);
    let left = project.played("letter.yaml", "at-once.scenario.yaml", "done").await;
    let right = project.played("letter.yaml", "other.scenario.yaml", "done").await;
    let view = project.compared(&left, &right).await;
    assert_eq!(rows(&view)[0], "draft: files", "{view}");
    assert!(
        view["words"].as_str().is_some_and(|words| words.contains("letter.md")),
        "{view}"
    );
    let file = &view["rows"][0]["files"][0];
    let made = |side: &str, run: &str| {
        let mut made = file[side].clone();
        made["run_id"] = json!(run);
        made
    };
    let of = json!({"left": made("left", &left), "right": made("right", &right)});
    let shown = project.ok("run.compare_files", of).await;
    let changes = shown["changes"]["html"].as_str().expect("changes");
    assert!(
        changes.contains("<ins>friends</ins>") && changes.contains("<del>all</del>"),
        "{shown}"
    );
    assert_eq!(shown["changes"]["since"], "beside the first run");
    // A version that the run did not make is none of its files.
    let of = json!({"left": made("right", &left), "right": made("right", &right)});
    assert_eq!(project.refused("run.compare_files", of).await.code, "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_is_known_again_in_another_version_of_its_file() {
    let project = letters();
    let left = project.played("letter.yaml", "at-once.scenario.yaml", "done").await;
    let renamed = |text: &str| text.replace("draft", "first-draft");
    project.write("letter.yaml", &renamed(FLOW));
    project.write("at-once.scenario.yaml", &renamed(AT_ONCE));
    let right = project.played("letter.yaml", "at-once.scenario.yaml", "done").await;
    let view = project.compared(&left, &right).await;
    assert_eq!(rows(&view), ["draft", "review", "send"], "{view}");
    let remark = view["remarks"][0].as_str().expect("a remark");
    assert!(remark.contains("was changed between them"), "{remark}");
    assert_ne!(view["left"]["version"], view["right"]["version"]);
    // Of two workflows it is its id alone.
    project.write("copy.yaml", &FLOW.replace("key: letter", "key: copy"));
    let copy = project.played("copy.yaml", "again.scenario.yaml", "refused").await;
    let view = project.compared(&left, &copy).await;
    assert!(
        view["remarks"][0].as_str().is_some_and(|r| r.contains("two workflows")),
        "{view}"
    );
    assert_eq!(rows(&view)[0], "draft");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_waits_is_compared_as_it_stands() {
    let project = letters();
    let left = project.played("letter.yaml", "at-once.scenario.yaml", "done").await;
    project.write(
        "waits.scenario.yaml",
        &AT_ONCE.replace("send: [{answer: approve, by: Ada Lund}]", "send: []"),
    );
    let params = json!({"path": "letter.yaml", "scenario": "waits.scenario.yaml", "fast": true});
    let right = project.ok("run.start", params).await["run_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    project.wait(&right, "blocked").await;
    let view = project.compared(&left, &right).await;
    assert_eq!(rows(&view)[..2], ["draft", "review"], "{view}");
    let words = view["words"].as_str().expect("words");
    assert_eq!(
        words,
        "The first 2 rows are the same in both. About “Send it” people decided otherwise. First run: approved by Ada Lund (by the \
         script). Second run: nobody answered. The second run has not ended yet."
    );
    assert_eq!(view["rows"][2]["right"]["status"], "blocked");
}

/// `review: changed`, of one step a line.
fn steps(view: &Value) -> Vec<String> {
    let steps = view["steps"].as_array().expect("steps").iter();
    steps
        .map(|one| {
            let what = one["what"].as_array().expect("a list").iter();
            let what: Vec<&str> = what.filter_map(Value::as_str).collect();
            format!("{}: {}", one["step"]["id"].as_str().expect("an id"), what.join(" "))
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_steps_that_say_something_else_are_named_and_those_of_one_workflow_alone() {
    let project = letters();
    let left = project.played("letter.yaml", "at-once.scenario.yaml", "done").await;
    let changed = FLOW.replace("agents: [critic]", "agents: [editor]").replace(
        "May it go out?\n",
        "May it go out?\n    routing: {kind: linear, next: post}\n  - id: post\n    name: Post it\n    agents: [clerk]\n",
    );
    project.write("letter.yaml", &changed);
    let right = project.played("letter.yaml", "at-once.scenario.yaml", "done").await;
    let view = project.compared(&left, &right).await;
    assert_eq!(
        steps(&view),
        ["review: changed", "send: changed", "post: added"],
        "{view}"
    );
    let fields = view["steps"][0]["fields"].as_array().expect("fields");
    assert!(!fields.is_empty(), "it says what differs: {view}");
    // Neither of the two need be the earlier one.
    let turned = project.compared(&right, &left).await;
    assert_eq!(steps(&turned), ["review: changed", "send: changed", "post: removed"]);
    // Of two workflows the steps are those of one name.
    project.write("copy.yaml", &changed.replace("key: letter", "key: copy"));
    let copy = project.played("copy.yaml", "at-once.scenario.yaml", "done").await;
    let view = project.compared(&left, &copy).await;
    assert_eq!(
        steps(&view),
        ["review: changed", "send: changed", "post: added"],
        "{view}"
    );
    // A comment is none of their words.
    project.write("letter.yaml", &format!("# How letters are written.\n{changed}"));
    let commented = project.played("letter.yaml", "at-once.scenario.yaml", "done").await;
    let view = project.compared(&right, &commented).await;
    assert_eq!(steps(&view), Vec::<String>::new());
    let remark = view["remarks"][0].as_str().expect("a remark");
    assert!(remark.contains("say the same of its steps"), "{remark}");
}

/// What was asked and who did the work are told apart, and the sentence that all is the same says what is not.
#[tokio::test(flavor = "multi_thread")]
async fn another_question_and_another_agent_are_not_the_same() {
    let project = letters();
    let left = project.played("letter.yaml", "at-once.scenario.yaml", "done").await;
    for (from, to, row, words) in [
        (
            "May it go out?",
            "Is it dull?",
            "send: asked",
            "About “Send it” people were asked something else. First run: “May it go out?”. Second run: “Is it dull?”.",
        ),
        (
            "agents: [critic]",
            "agents: [editor]",
            "review: doer",
            "“Review it” was done by somebody else.",
        ),
    ] {
        project.write("letter.yaml", &FLOW.replace(from, to));
        let right = project.played("letter.yaml", "at-once.scenario.yaml", "done").await;
        let view = project.compared(&left, &right).await;
        assert!(rows(&view).contains(&row.to_owned()), "{view}");
        assert_eq!(view["apart"], 1, "{view}");
        assert!(
            view["words"].as_str().is_some_and(|said| said.ends_with(words)),
            "{view}"
        );
    }
    // Its text alone.
    project.write(
        "letter.yaml",
        &FLOW.replace("name: Draft it", "name: Draft it\n    role: Writes plainly."),
    );
    let right = project.played("letter.yaml", "at-once.scenario.yaml", "done").await;
    let view = project.compared(&left, &right).await;
    assert_eq!(view["apart"], 0, "{view}");
    assert_eq!(
        view["words"],
        "Both did the same, with the same answers, results and files, but their workflows do not say the same."
    );
}
