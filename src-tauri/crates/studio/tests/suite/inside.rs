//! Workflows that a stage of a pipeline, or a step of a runbook, runs: who is asked in them, what a rehearsal makes of them, and who does
//! their work.

use crate::project::Project;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const PIPELINE: &str = "pipelines/PIPE-20260112-release-090000.yaml";
const FILES: [(&str, &str); 4] = [
    (
        PIPELINE,
        "pipeline_id: PIPE-20260112-release-090000
name: Release
stages:
  - {name: plan, agents: [analyst]}
  - {name: docs, workflow: documents/publish.yaml, depends_on: [plan], human_gate: required, gate_question: Is it out?}
  - {name: look, workflow: check.runbook.md, depends_on: [docs]}
",
    ),
    (
        "documents/publish.yaml",
        "id: publish
title: Publish the pages
steps:
  - {id: write, name: Write them, agents: [writer], human_gate: required, gate_question: Are the pages right?}
  - {id: send, name: Send them, agents: [analyst]}
",
    ),
    (
        "check.runbook.md",
        "# Check it\n\n## 1 Look at it\n\nIs it fine?\n\n- YES: COMPLETE\n- NO: STOP\n",
    ),
    (
        "outer.runbook.md",
        "# Outer\n\n## 1 All of it\n\n- check.runbook.md\n\n- PASS: COMPLETE\n- FAIL: STOP\n",
    ),
];

async fn project() -> Project {
    Project::of(&FILES).signed_by("Ada").await
}

impl Project {
    async fn rehearse(&self, more: Value) -> String {
        let mut of = json!({"path": PIPELINE});
        of.as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        let started = self.ok("run.start", of).await;
        started["run_id"].as_str().expect("an id").to_owned()
    }

    /// A rehearsal of the pipeline, with what is seen of it once somebody is asked in a run inside it.
    async fn rehearsed_until_somebody_is_asked_inside(&self) -> (String, Value) {
        let run = self.rehearse(json!({"rehearse": true})).await;
        let asks = |view: &Value| view["waiting_inside"].as_array().is_some_and(|all| !all.is_empty());
        let view = self.until(&run, asks).await;
        (run, view)
    }

    /// Waits until a run inside this one, or it itself, asks something; answers it and gives the question.
    async fn answers(&self, run: &str, answer: &str) -> String {
        let asks = |view: &Value| {
            !view["waiting"].is_null() || view["waiting_inside"].as_array().is_some_and(|all| !all.is_empty())
        };
        let view = self.until(run, asks).await;
        let card = match view["waiting_inside"].as_array().and_then(|all| all.first()) {
            Some(card) => card.clone(),
            None => {
                let mut own = view["waiting"].clone();
                own["run_id"] = run.into();
                own
            }
        };
        let gate = json!({"run_id": card["run_id"], "gate": card["gate"], "round": card["round"]});
        let brief = self.ok("gate.brief", gate.clone()).await;
        let mut of = gate;
        of["answer"] = answer.into();
        of["comment"] = "seen".into();
        self.ok("gate.answer", of).await;
        brief["question"].as_str().expect("a question").to_owned()
    }
}

fn asked(brief: &Value) -> Vec<(String, Option<String>)> {
    let asks = brief["asks"].as_array().expect("a list").iter();
    asks.map(|ask| {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        (
            text(&ask["question"]).expect("a question"),
            text(&ask["inside"]["title"]),
        )
    })
    .collect()
}

#[tokio::test]
async fn a_start_says_who_is_asked_in_the_workflows_inside() {
    let p = project().await;
    let brief = p.ok("run.brief", json!({"path": PIPELINE})).await;
    let inside = |question: &str, title: &str| (question.to_owned(), Some(title.to_owned()));
    assert_eq!(
        asked(&brief),
        [
            inside("Are the pages right?", "Publish the pages"),
            ("Is it out?".to_owned(), None),
            inside("Look at it", "Check it"),
        ]
    );
    assert_eq!(
        (&brief["asks"][1]["is_question"], &brief["asks"][2]["is_question"]),
        (&Value::Null, &json!(true))
    );
    let by = &brief["asks"][0]["inside"];
    assert_eq!(
        (&by["path"], &by["by"][0]["name"]),
        (&json!("documents/publish.yaml"), &json!("docs"))
    );
    assert_eq!(
        brief["inside"]["scripted"],
        "A scenario says itself how “docs” and “look” end: the workflows that they run are not gone through, and nobody is asked what those ask."
    );
    assert_eq!(
        brief["inside"]["unscripted"],
        "The workflows that “docs” and “look” run are rehearsed too, in runs of their own: what those ask is asked."
    );
    // A runbook says the same of what it lists, and one without anything inside says nothing.
    let brief = p.ok("run.brief", json!({"path": "outer.runbook.md"})).await;
    assert_eq!(asked(&brief), [inside("Look at it", "Check it")]);
    assert_eq!(
        brief["inside"]["unscripted"],
        "The workflow that “All of it” runs is rehearsed too, in a run of its own: what that asks is asked."
    );
    let brief = p.ok("run.brief", json!({"path": "check.runbook.md"})).await;
    assert!(brief["inside"].is_null(), "{}", brief["inside"]);
}

/// Each agent and each file is named once, with the file that asks for it; a workflow that runs the one around it is gone through once.
#[tokio::test]
async fn a_start_says_who_works_and_what_is_written_in_the_workflows_inside() {
    let p = Project::of(&[
        (
            "gatehouse.yaml",
            "agents:\n  analyst: {engine: shell, run: 'true'}\n  writer: {engine: shell, run: 'true'}\n",
        ),
        (
            "whole.yaml",
            "name: Whole\nstages:\n- {name: plan, agents: [analyst], outputs: [plan.md]}\n- {name: more, workflow: more.yaml, depends_on: [plan]}\n",
        ),
        (
            "more.yaml",
            "name: More\nstages:\n- {name: pages, workflow: pages.yaml}\n- {name: again, workflow: whole.yaml, depends_on: [pages]}\n",
        ),
        (
            "pages.yaml",
            "key: pages\ntitle: Pages\nsteps:\n\
             - {id: write, agents: [writer], outputs: [plan.md, pages.md, RUN_BASE/notes.md]}\n- {id: send, agents: [analyst]}\n",
        ),
    ]);
    let brief = p.ok("run.brief", json!({"path": "whole.yaml"})).await;
    let names = |steps: &Value| {
        let steps = steps.as_array().expect("steps").iter();
        let names: Vec<&str> = steps.map(|step| step["id"].as_str().expect("an id")).collect();
        names.join(" ")
    };
    let agents: Vec<String> = brief["agents"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            let inside = one["inside"].as_array().expect("a list").iter();
            let inside: Vec<String> = inside
                .map(|one| format!("{} of {}", names(&one["steps"]), one["path"]))
                .collect();
            format!(
                "{}: {}; {}",
                one["agent"]["name"],
                names(&one["steps"]),
                inside.join(", ")
            )
        })
        .collect();
    assert_eq!(
        agents,
        [
            r#""analyst": plan; send of "pages.yaml""#,
            r#""writer": ; write of "pages.yaml""#,
        ]
    );
    assert_eq!(brief["writes"], json!(["plan.md"]));
    assert_eq!(
        brief["writes_inside"],
        json!([{"path": "pages.yaml", "files": ["notes.md (in the run's own folder)", "pages.md"]}])
    );
    let listed: Vec<(&Value, &Value)> = brief["runbooks"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (&one["path"], &one["of"]))
        .collect();
    assert_eq!(
        listed,
        [
            (&json!("more.yaml"), &Value::Null),
            (&json!("pages.yaml"), &json!("more.yaml")),
            (&json!("whole.yaml"), &json!("more.yaml")),
        ]
    );
}

/// A pause lets what has begun go on; whoever is asked in it is told so.
#[tokio::test(flavor = "multi_thread")]
async fn who_is_asked_inside_of_a_run_that_is_paused_is_told_so() {
    let p = project().await;
    let (run, view) = p.rehearsed_until_somebody_is_asked_inside().await;
    let card = &view["waiting_inside"][0];
    let gate = json!({"run_id": card["run_id"], "gate": card["gate"], "round": card["round"]});
    let before = p.ok("gate.brief", gate.clone()).await;
    assert!(!before["remarks"].to_string().contains("is paused"), "{before}");
    p.ok("run.act", json!({"run_id": run, "action": "pause"})).await;
    let told = p.ok("gate.brief", gate).await["remarks"].to_string();
    assert!(
        told.contains("“Release”, the run around this one, is paused."),
        "{told}"
    );
}

/// The timeline shows within the bar of a step when the run inside it waits for a person, as it shows every wait.
#[tokio::test(flavor = "multi_thread")]
async fn the_bar_of_a_step_shows_when_the_run_inside_it_waits() {
    let p = project().await;
    let (run, _) = p.rehearsed_until_somebody_is_asked_inside().await;
    let told = async |is_over: bool| {
        let begun = Instant::now();
        loop {
            let timeline = p.ok("run.timeline", json!({"run_id": run})).await;
            let wait = timeline["waits_inside"][0].clone();
            if wait.is_object() && wait["end"].is_null() != is_over {
                return (timeline, wait);
            }
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "it is not told: {timeline:#}"
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let (timeline, open) = told(false).await;
    let lanes = timeline["lanes"].as_array().expect("lanes").iter();
    let docs = lanes
        .filter(|lane| lane["step"]["id"] == "docs")
        .map(|lane| &lane["place"]);
    assert_eq!(docs.collect::<Vec<_>>(), [&open["place"]]);
    p.answers(&run, "approve").await;
    let (_, over) = told(true).await;
    assert_eq!((&over["place"], &over["start"]), (&open["place"], &open["start"]));
}

/// A pause holds the runs inside as well, and what it was that held them goes with it; what a person paused by itself stays paused.
#[tokio::test(flavor = "multi_thread")]
async fn a_pause_holds_the_runs_inside_until_the_one_around_them_is_resumed() {
    let p = project().await;
    let (run, view) = p.rehearsed_until_somebody_is_asked_inside().await;
    let inside = view["waiting_inside"][0]["run_id"].clone();
    let act = async |run: &Value, action: &str| {
        p.ok("run.act", json!({"run_id": run, "action": action})).await;
        let inside = p.ok("run.view", json!({"run_id": inside})).await;
        let words = inside["status_words"].as_str().expect("words");
        words.starts_with("paused")
    };
    let run = Value::from(run);
    assert!(act(&run, "pause").await, "it is paused with the one around it");
    let told = p.ok("run.view", json!({"run_id": run})).await["remarks"].to_string();
    assert!(!told.contains("goes on to its end"), "{told}");
    assert!(!act(&run, "resume").await, "and goes on with it");
    assert!(act(&inside, "pause").await);
    assert!(act(&run, "pause").await);
    assert!(act(&run, "resume").await, "it was paused before that one");
    assert!(!act(&inside, "resume").await);
}

/// Whoever looks at the run around is told what keeps it.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_waits_for_a_paused_one_inside_says_so() {
    let p = project().await;
    let (run, view) = p.rehearsed_until_somebody_is_asked_inside().await;
    assert!(
        !view["remarks"].to_string().contains("is paused"),
        "{}",
        view["remarks"]
    );
    let inside = view["waiting_inside"][0]["run_id"].clone();
    p.ok("run.act", json!({"run_id": inside, "action": "pause"})).await;
    let told = p.ok("run.view", json!({"run_id": run})).await["remarks"].to_string();
    let inside = inside.as_str().expect("an id");
    assert!(
        told.contains(&format!(
            "“docs” waits for “Publish the pages”, a run inside it ({inside}), which is paused: that one is to be resumed first."
        )),
        "{told}"
    );
    p.ok("run.act", json!({"run_id": inside, "action": "resume"})).await;
    let told = p.ok("run.view", json!({"run_id": run})).await["remarks"].to_string();
    assert!(!told.contains("is paused"), "{told}");
}

/// A pipeline is not “running” while all that it does is to wait for somebody who is asked inside.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_of_which_only_people_inside_can_carry_on_says_that_it_waits_for_them() {
    let p = project().await;
    let (run, view) = p.rehearsed_until_somebody_is_asked_inside().await;
    assert_eq!(view["status"], "blocked", "{view}");
    assert_eq!(view["status_words"], "waits for a person");
    let step = |view: &Value, id: &str| {
        let mut steps = view["steps"].as_array().expect("steps").iter();
        steps.find(|step| step["id"] == id).cloned().expect("the stage")
    };
    assert_eq!(step(&view, "docs")["status"], "blocked", "{view}");
    assert_eq!(step(&view, "docs")["words"], "waits for a person");
    let rows = p.ok("runs.list", json!({})).await;
    let rows = rows["runs"].as_array().or(rows.as_array()).expect("rows").iter();
    let mut rows = rows;
    let row = rows.find(|row| row["run_id"] == run.as_str()).expect("its row");
    assert_eq!(
        (&row["status"], &row["status_words"]),
        (&json!("blocked"), &json!("waits for a decision in “Publish the pages”"))
    );
    // With the answer it goes on, and says so.
    p.answers(&run, "approve").await;
    let after = p.until(&run, |view| !view["waiting"].is_null()).await;
    assert_ne!(step(&after, "docs")["words"], "running", "{after}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rehearsal_goes_through_the_workflows_inside() {
    let p = project().await;
    let run = p.rehearse(json!({"rehearse": true})).await;
    assert_eq!(p.answers(&run, "approve").await, "Are the pages right?");
    assert_eq!(p.answers(&run, "approve").await, "Is it out?");
    assert_eq!(p.answers(&run, "pass").await, "Look at it");
    p.wait(&run, "done").await;
    let docs = p.ok("run.step", json!({"run_id": run, "step": "docs"})).await;
    let child = &docs["visits"][0]["children"][0];
    assert_eq!(
        (&child["title"], &child["status"]),
        (&json!("Publish the pages"), &json!("done")),
        "{docs}"
    );
    let child = p.ok("run.view", json!({"run_id": child["run_id"]})).await;
    assert_eq!(child["rehearsal"], true);
    // What is refused inside is no good end outside.
    let run = p.rehearse(json!({"rehearse": true})).await;
    p.answers(&run, "reject").await;
    let ended = p.wait(&run, "refused").await;
    let words = ended["status_words"].as_str().expect("words");
    assert!(
        words.contains("rejected by Ada at “docs” (in a run inside it): seen"),
        "{words}"
    );
    let rows = p.ok("runs.list", json!({})).await;
    let mut rows = rows["runs"].as_array().or(rows.as_array()).expect("rows").iter();
    let row = rows.find(|row| row["run_id"] == run.as_str()).expect("its row");
    assert_eq!(row["outcome"]["by"], "Ada", "{row}");
    // So it is said of the step, and in the log.
    let docs = p.ok("run.step", json!({"run_id": run, "step": "docs"})).await;
    let attempt = &docs["visits"][0]["attempts"][0];
    assert_eq!(
        (&attempt["status"], &attempt["report"]),
        (
            &json!("refused"),
            &json!([{"name": "runs of its own", "value": "documents/publish.yaml: rejected"}])
        ),
        "{attempt}"
    );
    let log = p.ok("run.log", json!({"run_id": run})).await.to_string();
    assert!(
        log.contains("Run rejected by Ada at") && !log.contains("Run failed"),
        "{log}"
    );
    // A script of the pipeline goes through no run inside: how a refusal there ends it is not expected, and that is said.
    let kept = p
        .ok("scenario.record", json!({"run_id": run, "name": "Refused inside"}))
        .await;
    let otherwise = kept["otherwise"].as_str().unwrap_or_default();
    assert!(otherwise.starts_with("A person refused what nobody is asked"), "{kept}");
    let tests = p.ok("workflow.tests", json!({"path": PIPELINE})).await;
    assert_eq!((&tests["passed"], &tests["failed"]), (&json!(1), &json!(0)), "{tests}");
}

/// A report tells what was decided in the runs inside, as of when it was made, and is still the one of the record when more is decided there.
#[tokio::test(flavor = "multi_thread")]
async fn a_report_tells_what_was_decided_inside() {
    let p = project().await;
    let run = p.rehearse(json!({"rehearse": true})).await;
    let report = async |at: Value| {
        let of = json!({"run_id": run, "at": at});
        p.ok("report.view", of).await["html"]
            .as_str()
            .expect("a page")
            .to_owned()
    };
    let before = p.until(&run, |view| view["waiting_inside"][0].is_object()).await;
    let early = report(Value::Null).await;
    assert!(
        early.contains("Decided inside “docs”") && early.contains("waits for an answer"),
        "{early}"
    );
    // As on the page: what the run inside waits for is not work.
    assert!(early.contains(">waits for a person</span></h3>"), "{early}");
    assert_eq!(p.answers(&run, "approve").await, "Are the pages right?");
    assert_eq!(p.answers(&run, "approve").await, "Is it out?");
    assert_eq!(p.answers(&run, "pass").await, "Look at it");
    p.wait(&run, "done").await;
    let whole = report(Value::Null).await;
    let (_, inside) = whole.split_once("Decided inside “docs”").expect("it is told");
    let (docs, look) = inside.split_once("Decided inside “look”").expect("each of them");
    for told in [
        "By “Publish the pages”, a run of its own",
        "Are the pages right?",
        "approved",
        "<blockquote>seen</blockquote>",
        "signed; the signature holds",
    ] {
        assert!(docs.contains(told), "{told}: {docs}");
    }
    assert!(look.contains("Look at it") && look.contains("By “Check it”"), "{look}");
    // As it was before anybody had answered.
    let was = report(before["last"].clone()).await;
    assert!(!was.contains("<blockquote>seen</blockquote>"), "{was}");
    let verify = |name: &str, html: &str| {
        p.write(name, html);
        p.studio
            .verify_against(&run, &p.folder.path().join(name))
            .expect("verified")
    };
    let late = verify("whole.html", &whole);
    assert!(late.ok && !late.notes.join(" ").contains("since"), "{late:?}");
    // What was decided since is told, inside too.
    let before = verify("early.html", &early);
    assert!(before.ok, "{before:?}");
    let notes = before.notes.join(" ");
    assert!(
        notes.contains("Decided since: Ada approved at “docs”, Ada approved at “Write them”, inside “docs”"),
        "{notes}"
    );
    // What is taken out of it, or forged in it, is found.
    let forged = whole.replace("<blockquote>seen</blockquote>", "<blockquote>unseen</blockquote>");
    assert!(!verify("forged.html", &forged).ok);
    let (head, rest) = whole.split_once(" inside=").expect("it says of which runs it tells");
    let (_, rest) = rest.split_once(' ').unwrap_or(("", rest));
    let untold = format!("{head} {rest}");
    let from = untold.find("<section class=\"card\">\n<h2 style=\"margin-top:0\">Decided inside");
    let to = untold.find("<section class=\"card facts\">");
    let mut cut = untold.clone();
    cut.replace_range(from.expect("a section")..to.expect("the next one"), "");
    for text in [&untold, &cut] {
        let found = verify("cut.html", text);
        assert!(!found.ok, "{found:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scenario_says_itself_how_such_a_stage_ends_and_the_record_says_so() {
    let p = project().await;
    p.write("s.scenario.yaml", "name: s\ngates: {docs: [{answer: approve}]}\n");
    let run = p.rehearse(json!({"scenario": "s.scenario.yaml"})).await;
    p.wait(&run, "done").await;
    let docs = p.ok("run.step", json!({"run_id": run, "step": "docs"})).await;
    let visit = &docs["visits"][0];
    assert!(visit["children"].as_array().is_none_or(Vec::is_empty), "{visit}");
    assert!(
        docs.to_string().contains(
            "it ends well, as the scenario has it. `documents/publish.yaml` was not gone through, so nobody was asked what it asks."
        ),
        "{docs}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_does_the_work_of_a_workflow_inside() {
    let p = project().await;
    let brief = p.ok("run.brief", json!({"path": PIPELINE})).await;
    let places: Vec<(Value, Value)> = brief["unbound"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (one["agent"].clone(), one["places"].clone()))
        .collect();
    assert_eq!(
        places,
        [
            (json!("analyst"), json!(["plan"])),
            (json!("writer"), json!(["documents/publish.yaml#write"])),
            (json!("analyst"), json!(["documents/publish.yaml#send"])),
        ]
    );
    // What is said of one inside says nothing of the agent of that name here.
    let inside = json!({"documents/publish.yaml#write": "writer", "documents/publish.yaml#send": "analyst"});
    let why = p
        .refused("run.start", json!({"path": PIPELINE, "assigned": inside}))
        .await;
    assert_eq!(why.code, "unbound_agents");
    assert!(
        why.message.contains("(“plan”)") && !why.message.contains("documents"),
        "{}",
        why.message
    );
    let mut all = inside;
    all["plan"] = "analyst".into();
    let run = p.rehearse(json!({"assigned": all})).await;
    for (answer, question) in [
        ("pass", "plan"),
        ("pass", "Write them: first the work, then its result is decided on"),
        ("approve", "Are the pages right?"),
        ("pass", "Send them"),
        ("approve", "Is it out?"),
        ("pass", "Look at it"),
    ] {
        assert_eq!(p.answers(&run, answer).await, question);
    }
    p.wait(&run, "done").await;
}

/// A pipeline has one run: where one that has begun is named, that is said at the step and before the start, and no step is offered it.
#[tokio::test]
async fn a_pipeline_that_has_begun_is_not_offered_and_where_it_is_named_that_is_said() {
    let inner = "pipelines/PIPE-20260112-inner-100000.yaml";
    let text = |status: &str| {
        format!(
            "pipeline_id: PIPE-20260112-inner-100000\nname: Inner\nstatus: {status}\nstages:\n  - name: work\n    run: 'true'\n    status: {status}\n"
        )
    };
    let nest = format!("name: Nest\nstages:\n  - {{name: inner, workflow: {inner}}}\n");
    let bare = "name: Bare\nstages:\n  - {name: one, run: 'true'}\n";
    let pending = text("pending");
    let p = Project::of(&[
        ("nest.yaml", nest.as_str()),
        (inner, pending.as_str()),
        ("bare.yaml", bare),
    ]);
    let is_offered = async |path: &str| {
        let palette = p.ok("workflow.palette", json!({"path": path})).await;
        palette["known"].to_string().contains(inner)
    };
    let said = async |command: &str, field: &str| -> Vec<Value> {
        let view = p.ok(command, json!({"path": "nest.yaml"})).await;
        let found = view[field].as_array().expect("a list").iter();
        found.filter(|one| one["code"] == "GH0116").cloned().collect()
    };
    assert!(is_offered("bare.yaml").await);
    assert_eq!(said("workflow.open", "problems").await, [] as [Value; 0]);
    p.write(inner, &text("completed"));
    assert!(!is_offered("bare.yaml").await);
    // Where it is named already it keeps its name.
    assert!(is_offered("nest.yaml").await);
    let found = said("workflow.open", "problems").await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["severity"], "warning");
    assert_eq!(found[0]["step"]["id"], "inner");
    let (message, help) = (found[0]["message"].to_string(), found[0]["help"].to_string());
    assert!(message.contains("has begun already"), "{message}");
    assert!(help.contains("Duplicate…"), "{help}");
    // It can be rehearsed.
    assert_eq!(said("run.brief", "errors").await, [] as [Value; 0]);
}

#[tokio::test]
async fn a_new_step_names_a_workflow_of_the_project_and_what_is_not_there_is_said() {
    let p = project().await;
    let palette = p.ok("workflow.palette", json!({"path": PIPELINE})).await;
    let kinds = palette["kinds"].as_array().expect("a list");
    let names = &kinds.iter().find(|kind| kind["kind"] == "workflow").expect("the kind")["names"];
    assert_eq!(
        (&names["field"], &names["of"]),
        (&json!("workflow"), &json!("workflow"))
    );
    assert!(kinds[0]["names"].is_null());
    // What a script carries out is asked for too, and is one of no names.
    let script = &kinds.iter().find(|kind| kind["kind"] == "script").expect("the kind")["names"];
    assert_eq!((&script["field"], script.get("of")), (&json!("run"), None));
    assert_eq!(
        palette["known"],
        json!([{"of": "workflow", "names": [
            ["check.runbook.md", "Check it"],
            ["documents/publish.yaml", "Publish the pages"],
            ["outer.runbook.md", "Outer"],
        ]}])
    );
    // A runbook runs runbooks.
    let palette = p.ok("workflow.palette", json!({"path": "outer.runbook.md"})).await;
    assert_eq!(
        palette["known"],
        json!([{"of": "runbook", "names": [["check.runbook.md", "Check it"]]}])
    );
    let entails = async |fields: Value| {
        let add = json!({"kind": "add", "step": {"kind": "workflow", "name": "More", "fields": fields}, "at": {"where": "end"}});
        let preview = p
            .ok("workflow.preview", json!({"path": PIPELINE, "edits": [add]}))
            .await;
        preview["entails"].clone()
    };
    assert_eq!(entails(json!({"workflow": "check.runbook.md"})).await, json!([]));
    assert_eq!(
        entails(json!({})).await,
        json!(["There is no file “other.yaml” in this project: nothing of this workflow starts before it is there."])
    );
}

/// What a workflow of a stage asks is asked with the start, and filled in like the rest.
#[tokio::test(flavor = "multi_thread")]
async fn a_start_can_begin_with_what_was_entered_for_a_workflow_inside() {
    let p = Project::of(&[
        (PIPELINE, "pipeline_id: PIPE-20260112-release-090000\nname: Release\nstages:\n  - {name: look, workflow: review.yaml}\n"),
        (
            "review.yaml",
            "format: stepspec\nworkflow: review\nquestions:\n- {name: amount, label: 'How much?', kind: number, required: true}\n\
             steps:\n- {id: read, name: Read, agent: dev}\n",
        ),
    ])
    .signed_by("Ada")
    .await;
    let run = p.rehearse(json!({"rehearse": true, "inputs": {"amount": 7}})).await;
    let brief = p.ok("run.brief", json!({"path": PIPELINE, "like": run})).await;
    assert_eq!(brief["questions"][0]["name"], "amount");
    assert_eq!(brief["earlier"]["answers"], json!({"amount": 7}));
}

#[tokio::test]
async fn a_file_that_a_workflow_leads_to_is_not_offered_as_one() {
    let p = Project::of(&[
        FILES[0],
        (
            "workflow.yaml",
            "name: weekly-plan\ndescription: Plans a week\nstandalone: true\ninstructions: steps.md\nagent: planner\n",
        ),
        (
            "steps.md",
            "# Plan the week\n\n<workflow>\n<step n=\"1\" goal=\"Plan the week\">\nWrite it.\n</step>\n</workflow>\n",
        ),
    ]);
    let palette = p.ok("workflow.palette", json!({"path": PIPELINE})).await;
    let names = palette["known"][0]["names"].as_array().expect("a list");
    let paths: Vec<&Value> = names.iter().map(|one| &one[0]).collect();
    assert_eq!(paths, [&json!("workflow.yaml")], "{palette}");
}
