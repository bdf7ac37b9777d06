//! StepSpec workflows as a window uses them: what is asked before a run, what is done around a step, a person at the gate and at a
//! tool, evidence that is promoted and drifts, a failed run that goes on.

use crate::project::Project;
use serde_json::{Value, json};

const CONFIG: &str = "\
agents: {writer: {engine: shell, run: \"mkdir -p docs; test ! -f stop || exit 1; printf '# Goal\\\\n\\\\n%s\\\\n' \\\"$(cat wish)\\\" > docs/prd.md; echo written\"}, releaser: {engine: shell, run: \"true\"}}
hitl: {policy: {required_phases: [Phase 3]}}
tools: {declared: [{name: deploy, description: Ships it., risk: high, args: {type: object}, command: \"sh -c 'echo shipped >> shipped'\"}]}
permissions: {mode: allow}
";

const PLAN: &str = "\
format: stepspec
workflow: plan
title: Plan
questions:
  - {name: owner, label: Who owns it?, kind: text, required: true}
  - {name: budget, label: Budget, kind: number, default: 10}
  - {name: risk, label: Risk, kind: choice, options: [low, high], default: low}
steps:
  - id: prd
    name: Requirements
    phase: Phase 2
    agent: writer
    inputs: {goal: '{{owner}}'}
    outputs: ['{output_folder}/prd.md']
    templates: ['template:{template_folder}/prd.template.md']
    tools: [{name: getCurrentTime, args: {timezone: UTC}, required: true}]
    validation: Template/schema validation
    evidence: L2
    human_gate: optional
    retries: {max: 0}
  - id: release
    name: Release
    phase: Phase 3
    agent: releaser
    inputs: {artifacts: ['{output_folder}/prd.md']}
    tools: [{name: deploy, args: {to: production}, required: true}]
    human_gate: optional
    gate_question: Is this what we want?
    retries: {max: 0}
";

async fn plan() -> Project {
    let files = [
        ("gatehouse.yaml", CONFIG),
        ("plan.yaml", PLAN),
        ("templates/prd.template.md", "# Goal\n"),
        ("wish", "bread"),
    ];
    Project::of(&files).signed_by("Ada").await
}

impl Project {
    async fn start_plan(&self) -> String {
        let start = json!({"path": "plan.yaml", "permit": true, "inputs": {"owner": "Ada", "budget": 12}});
        self.ok("run.start", start).await["run_id"]
            .as_str()
            .expect("an id")
            .to_owned()
    }

    /// The brief of what waits, once this many rounds of the run have been asked before.
    async fn next_brief(&self, run: &str) -> Value {
        let view = self.wait(run, "blocked").await;
        self.ok("gate.brief", json!({"run_id": run, "gate": view["waiting"]["gate"]}))
            .await
    }

    async fn answer_to(&self, brief: &Value, answer: &str, comment: &str) {
        let params = json!({"run_id": brief["run_id"], "gate": brief["gate"], "round": brief["round"], "answer": answer, "comment": comment});
        self.ok("gate.answer", params).await;
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

fn words<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    let list = list.as_array().map_or(&[][..], Vec::as_slice);
    list.iter().map(|one| text(&one[key])).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_is_checked_before_anything_begins() {
    let p = plan().await;
    let brief = p.ok("run.brief", json!({"path": "plan.yaml"})).await;
    assert_eq!(words(&brief["questions"], "name"), ["owner", "budget", "risk"]);
    assert_eq!(words(&brief["asks"], "purpose"), ["approval", "tool"]);
    assert_eq!(brief["writes"], json!(["docs/prd.md"]));
    let deploy = &brief["tools"][1]["tools"][0];
    assert_eq!(
        (text(&deploy["name"]), text(&deploy["verdict"]), text(&deploy["risk"])),
        ("deploy", "asks", "high")
    );

    let bad = json!({"path": "plan.yaml", "inputs": {"budget": "much", "risk": "medium"}});
    let error = p.refused("run.start", bad).await;
    assert_eq!(error.code, "invalid_inputs");
    let faults: Vec<&str> = error.fields.keys().map(String::as_str).collect();
    assert_eq!(faults, ["budget", "owner", "risk"]);
    for rehearse in [true, false] {
        let stranger = json!({"path": "plan.yaml", "rehearse": rehearse, "inputs": {"owner": "Ada", "Owner": "Bo"}});
        let error = p.refused("run.start", stranger).await;
        assert_eq!(error.code, "bad_parameters");
        assert_eq!(error.message, "The workflow does not ask for “Owner”.");
    }
    assert_eq!(p.ok("runs.list", json!({})).await["runs"], json!([]));

    let of = studio::command::PathOf {
        path: "plan.yaml".to_owned(),
    };
    let said = p
        .studio
        .inputs_from_words(&of, &["owner=Ada".to_owned(), "budget=12".to_owned()]);
    assert_eq!(json!(said.expect("answers")), json!({"owner": "Ada", "budget": 12}));

    let view = p.ok("workflow.open", json!({"path": "plan.yaml"})).await;
    let gates: Vec<&str> = view["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .map(|s| text(&s["gate"]["policy_code"]))
        .collect();
    assert_eq!(gates, ["no blocking gate", "policy required phase"]);
    assert_eq!(words(&view["faces"], "phase"), ["Phase 2", "Phase 3"]);
    assert_eq!(words(&view["drawing"]["lanes"], "title"), ["Phase 2", "Phase 3"]);
    // A bar stands only where somebody is asked.
    assert_eq!(words(&view["drawing"]["bars"], "node").len(), 1);
}

/// Whoever mistyped an answer begins anew with all of what they entered.
#[tokio::test(flavor = "multi_thread")]
async fn a_start_can_begin_with_what_was_entered_in_an_earlier_run() {
    let p = plan().await;
    let run = p.start_plan().await;
    let brief = p.ok("run.brief", json!({"path": "plan.yaml", "like": run})).await;
    let entered = |brief: &Value, name: &str| brief["earlier"]["answers"][name].clone();
    assert_eq!(
        (entered(&brief, "owner"), entered(&brief, "budget")),
        (json!("Ada"), json!(12))
    );
    assert_eq!(brief["earlier"]["rehearsal"], false);
    // What it is about was an answer: it follows the next one.
    assert_eq!(brief["earlier"]["subject"], Value::Null);
    assert_eq!(
        p.ok("run.brief", json!({"path": "plan.yaml"})).await["earlier"],
        Value::Null
    );

    let start = json!({"path": "plan.yaml", "rehearse": true, "subject": "Bread", "inputs": {"owner": "Bea"}});
    let run = p.ok("run.start", start).await["run_id"].clone();
    // What the workflow does not ask any more is not filled in.
    p.write("plan.yaml", &PLAN.replace("name: owner", "name: who"));
    let brief = p.ok("run.brief", json!({"path": "plan.yaml", "like": run})).await;
    assert_eq!(
        (&brief["earlier"]["subject"], &brief["earlier"]["rehearsal"]),
        (&json!("Bread"), &json!(true))
    );
    assert_eq!(entered(&brief, "who"), Value::Null);
    assert_eq!(entered(&brief, "owner"), Value::Null);
    assert_eq!(
        p.refused("run.brief", json!({"path": "plan.yaml", "like": "x"}))
            .await
            .code,
        "not_found"
    );
}

/// Nobody can take out of a record what was entered: it is refused at its question, in the question's own words.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_guardrails_stop_is_refused_at_the_question_before_anything_begins() {
    let guarded = format!("{CONFIG}guardrails: {{enabled: true}}\n");
    let files = [("gatehouse.yaml", guarded.as_str()), ("plan.yaml", PLAN)];
    let p = Project::of(&files).signed_by("Ada").await;
    let number = "Ada, DE89370400440532013000";
    for rehearse in [true, false] {
        let start = json!({"path": "plan.yaml", "rehearse": rehearse, "inputs": {"owner": number, "budget": 12}});
        let error = p.refused("run.start", start).await;
        assert_eq!(error.code, "refused:guardrail");
        let said = &error.fields["owner"];
        assert!(
            said.starts_with('“') && said.contains("holds an account number (IBAN)"),
            "{said}"
        );
        assert!(said.ends_with("Take it out and start again."), "{said}");
        // What the run is about answers no question of the workflow: that stands where refusals stand.
        let start = json!({"path": "plan.yaml", "rehearse": rehearse, "subject": number, "inputs": {"owner": "Ada", "budget": 12}});
        let error = p.refused("run.start", start).await;
        assert!(error.fields.is_empty() && !error.message.contains("DE89"), "{error:?}");
    }
    assert_eq!(p.ok("runs.list", json!({})).await["runs"], json!([]));
}

/// Nor can anybody take out what was said with an answer, or when a run was stopped: the next attempt would be told it.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_guardrails_stop_in_an_answer_is_refused_at_its_field_before_it_is_recorded() {
    let guarded = format!("{CONFIG}guardrails: {{enabled: true}}\n");
    let files = [
        ("gatehouse.yaml", guarded.as_str()),
        ("plan.yaml", PLAN),
        ("templates/prd.template.md", "# Goal\n"),
        ("wish", "bread"),
    ];
    let p = Project::of(&files).signed_by("Ada").await;
    let run = p.start_plan().await;
    let brief = p.next_brief(&run).await;
    let words = "Pay to DE89370400440532013000.";
    for answer in ["changes", "approve", "reject"] {
        let params =
            json!({"run_id": run, "gate": brief["gate"], "round": brief["round"], "answer": answer, "comment": words});
        let error = p.refused("gate.answer", params).await;
        assert_eq!(error.code, "refused:guardrail", "{answer}");
        let said = &error.fields["comment"];
        assert!(
            said.starts_with("Your comment holds an account number (IBAN)"),
            "{said}"
        );
        assert!(
            said.ends_with("Take it out and say it again.") && !said.contains("DE89"),
            "{said}"
        );
    }
    let stop = json!({"run_id": run, "action": "abort", "reason": words});
    let error = p.refused("run.act", stop).await;
    assert_eq!(
        (error.code.as_str(), error.fields.len()),
        ("refused:guardrail", 1),
        "{error:?}"
    );
    let named = json!({"run_id": run, "name": words});
    let error = p.refused("run.checkpoint", named).await;
    assert_eq!(error.code, "refused:guardrail");
    assert!(
        error.fields["name"].starts_with("The name of the checkpoint holds"),
        "{error:?}"
    );
    let of = studio::command::AnswerOf {
        run_id: run.clone(),
        gate: text(&brief["gate"]).to_owned(),
        round: 1,
        answer: studio::Answer::Reject,
        comment: String::new(),
        seen: Vec::new(),
        undrawn: None,
        lasting: None,
        way: None,
        report: Default::default(),
        by: None,
    };
    let error = p.studio.decide(of, words).await.expect_err("the name is recorded too");
    assert!(
        error.fields["by"].starts_with("The name to sign with holds"),
        "{error:?}"
    );
    // It waits as it waited, and takes an answer without it.
    let again = p.next_brief(&run).await;
    assert_eq!((&again["gate"], &again["round"]), (&brief["gate"], &brief["round"]));
    assert!(again["answered"].is_null());
    p.answer_to(&again, "reject", "Pay later.").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_decides_on_what_was_made_and_on_a_tool() {
    let p = plan().await;
    let run = p.start_plan().await;
    let brief = p.next_brief(&run).await;
    assert_eq!(text(&brief["question"]), "Is this what we want?");
    assert_eq!(
        text(&brief["why"]),
        "The project's policy asks for a person in every step of the phase “Phase 3”."
    );
    assert_eq!(words(&brief["artifacts"], "path"), ["docs/prd.md"]);
    assert!(text(&brief["support"]["words"]).starts_with("Weakest evidence: "));
    assert!(
        words(&brief["checks"], "name").contains(&"Template: docs/prd.md"),
        "{}",
        brief["checks"]
    );
    assert_eq!(words(&brief["tools"], "name"), ["getCurrentTime"]);
    let raised = &brief["answers"][0]["raises"][0];
    assert_eq!((text(&raised["from"]), text(&raised["to"])), ("L1", "L2"));
    assert_eq!(
        words(&brief["record"]["options"], "label"),
        ["Approve", "Request changes", "Reject"]
    );

    p.write("wish", "bread without queueing");
    p.answer_to(&brief, "changes", "Say what for.").await;
    let again = p.next_brief(&run).await;
    assert_eq!(
        (
            again["round"].as_u64(),
            again["artifacts"][0]["changes"]["added"].as_u64()
        ),
        (Some(2), Some(1))
    );
    p.answer_to(&again, "approve", "read it").await;

    let asked = p.next_brief(&run).await;
    assert_eq!(
        (text(&asked["purpose"]), text(&asked["tool"]["name"])),
        ("tool", "deploy")
    );
    assert_eq!(text(&asked["tool"]["args"]), "to: production");
    assert_eq!(words(&asked["answers"], "label"), ["Allow", "Refuse"]);
    assert!(!p.folder.path().join("shipped").exists(), "nothing is called unasked");
    p.answer_to(&asked, "approve", "").await;
    p.wait(&run, "done").await;
    assert_eq!(
        std::fs::read_to_string(p.folder.path().join("shipped")).expect("called"),
        "shipped\n"
    );

    let step = p.ok("run.step", json!({"run_id": run, "step": "release"})).await;
    let call = &step["visits"][0]["attempts"][0]["calls"][0];
    assert_eq!(
        (text(&call["name"]), text(&call["status"]), text(&call["risk"])),
        ("deploy", "done", "high")
    );
    let timeline = p.ok("run.timeline", json!({"run_id": run})).await;
    assert_eq!(text(&timeline["lanes"][1]["phase"]), "Phase 3");
    let report = p.ok("report.view", json!({"run_id": run})).await;
    let html = text(&report["html"]);
    for said in [
        "Weakest evidence",
        "Who owns it?",
        "Tool deploy (high risk)",
        "every step of the phase “Phase 3”",
        "confirmed by Ada",
        "for congruence CL",
        "The strength of a record is its reliability",
        "waited for a person; Ada allowed it after that",
    ] {
        assert!(html.contains(said), "{said}");
    }
    // A document is read on another day: it says until when.
    assert!(!html.contains("expires in") && !html.contains("valid for"), "{html}");

    // It had stopped to ask for permission: it was tried once.
    let other = p.start_plan().await;
    p.next_brief(&other).await;
    let compared = p.ok("run.compare", json!({"left": run, "right": other})).await;
    let mut rows = compared["rows"].as_array().expect("rows").iter();
    let release = rows.find(|row| row["step"]["id"] == "release").expect("a row");
    assert_eq!(release["left"]["attempts"], 1, "{release}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_says_what_became_of_a_tool_and_of_a_rehearsal() {
    let p = plan().await;
    let run = p.start_plan().await;
    let brief = p.next_brief(&run).await;
    p.answer_to(&brief, "approve", "").await;
    let asked = p.next_brief(&run).await;
    let of = |run: &str| json!({"run_id": run});
    let waiting = p.ok("report.view", of(&run)).await;
    assert!(text(&waiting["html"]).contains(">waits for a person<"));
    p.answer_to(&asked, "reject", "Not this year.").await;
    p.until(&run, |view| !view["ended_at"].is_null()).await;
    let refused = p.ok("report.view", of(&run)).await;
    let html = text(&refused["html"]);
    assert!(html.contains("was not called: Ada did not allow it"), "{html}");
    assert!(!html.contains(">waits for a person<"), "{html}");
    assert!(!html.contains("the run could not go on"), "{html}");

    let start = json!({"path": "plan.yaml", "rehearse": true, "inputs": {"owner": "Ada"}});
    let run = text(&p.ok("run.start", start).await["run_id"]).to_owned();
    let brief = p.next_brief(&run).await;
    assert!(
        !words(&brief["checks"], "name").contains(&"The step was carried out"),
        "{}",
        brief["checks"]
    );
    let rehearsed = p.ok("report.view", of(&run)).await;
    let html = text(&rehearsed["html"]);
    for said in [
        "no level: it was rehearsed",
        "counts for nothing",
        "it supports nothing",
    ] {
        assert!(html.contains(said), "{said}");
    }
    for not in [
        "checked automatically",
        "for congruence",
        "The strength of a record",
        "expires in",
    ] {
        assert!(!html.contains(not), "{not}");
    }
    // What supports nothing does not expire.
    let list = p.ok("evidence.list", json!({})).await;
    let mut items = list["items"].as_array().expect("records").iter();
    let rehearsed = items.find(|record| record["rehearsal"] == true).expect("a record");
    assert_eq!(rehearsed["validity"]["words"], "supports nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn evidence_is_listed_promoted_with_a_reason_and_drifts() {
    let p = plan().await;
    assert_eq!(p.ok("evidence.list", json!({})).await["items"], json!([]));
    let run = p.start_plan().await;
    p.wait(&run, "blocked").await;
    let list = p.ok("evidence.list", json!({})).await;
    let record = &list["items"][0];
    assert_eq!(
        (text(&record["level"]), text(&record["validity"]["status"])),
        ("L1", "active")
    );
    assert_eq!(
        (text(&record["about"][0]["path"]), text(&record["about"][0]["drift"])),
        ("docs/prd.md", "same")
    );
    assert_eq!(list["runs"][0]["support"]["weakest"], record["id"]);

    let promote = |to: &str, reason: &str| json!({"run_id": run, "evidence": record["id"], "to": to, "reason": reason});
    assert_eq!(
        p.refused("evidence.promote", promote("L2", " ")).await.code,
        "refused:comment_required"
    );
    assert_eq!(
        p.refused("evidence.promote", promote("L1", "again")).await.code,
        "refused:cannot_promote"
    );
    let after = p
        .ok("evidence.promote", promote("L2", "three customers confirm it"))
        .await;
    let record = &after["items"][0];
    assert_eq!(
        (text(&record["level"]), text(&record["promotions"][0]["by"])),
        ("L2", "Ada")
    );
    assert_eq!(record["promote"]["to"], Value::Null);
    // It is signed, as an answer is.
    let key = p.ok("people.list", Value::Null).await["own"]["fingerprint"].clone();
    let short = record["promotions"][0]["key_short"].as_str().expect("a key");
    assert!(text(&key).starts_with(&short[..4]), "{key} {short}");

    // Of a file that is gone the report says whether what it held is kept, and a report from before still fits the record.
    let before = p.ok("report.view", json!({"run_id": run})).await;
    let before_html = text(&before["html"]).to_owned();
    let file = p.folder.path().join("docs/prd.md");
    let held = std::fs::read(&file).expect("it is there");
    std::fs::remove_file(&file).expect("removed");
    let after = p.ok("report.view", json!({"run_id": run})).await;
    let gone = "prd.md is not there any more. What it held is kept in the record.";
    assert!(!before_html.contains(gone) && text(&after["html"]).contains(gone));
    let kept = p.folder.path().join("before.html");
    std::fs::write(&kept, before_html).expect("written");
    let fits = p.studio.verify_against(&run, &kept).expect("it can be read");
    assert!(fits.ok, "{fits:?}");
    std::fs::write(&file, held).expect("written");

    p.write("docs/prd.md", "something else");
    let drifted = p.ok("evidence.list", json!({"run_id": run})).await;
    let about = &drifted["items"][0]["about"][0];
    assert_eq!(
        (text(&about["drift"]), text(&about["words"])),
        ("changed", "prd.md has changed since.")
    );
    assert_eq!(drifted["runs"][0]["support"]["drifted"], 1);
    // Sent back, the step records anew, and the old record counts no more.
    let brief = p.next_brief(&run).await;
    p.answer_to(&brief, "changes", "again").await;
    p.next_brief(&run).await;
    let again = p.ok("evidence.list", json!({})).await;
    let superseded: Vec<bool> = again["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|one| one["superseded"] == true)
        .collect();
    assert_eq!(superseded, [false, true]);
    // What is shown is saved as a table, beside the reports, and no file is replaced.
    let shown = format!("{run}/{}", text(&again["items"][0]["id"]));
    for (of, name, lines) in [
        (json!({}), "evidence.csv", 3),
        (json!({"run_id": run, "shown": [shown]}), "evidence-2.csv", 2),
    ] {
        let saved = p.ok("evidence.save", of).await;
        assert!(text(&saved["path"]).ends_with(name), "{saved}");
        let table = std::fs::read_to_string(text(&saved["path"])).expect("written");
        assert_eq!(table.lines().count(), lines, "{table}");
        assert!(table.starts_with("\u{feff}about,claim,level,"), "{table}");
        assert_eq!(table.contains("replaced by a later visit"), lines == 3, "{table}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_run_goes_on_where_it_failed_and_completed_steps_do_not_run_again() {
    let p = plan().await;
    p.write("stop", "");
    let run = p.start_plan().await;
    let failed = p.wait(&run, "failed").await;
    assert_eq!(
        text(&failed["resume"]["words"]),
        "This run goes on: “Requirements” is done again from its beginning, and may be tried as often as the workflow says. Nothing else has been done yet."
    );
    std::fs::remove_file(p.folder.path().join("stop")).expect("removed");
    p.ok("run.act", json!({"run_id": run, "action": "reopen"})).await;
    let brief = p.next_brief(&run).await;
    p.answer_to(&brief, "reject", "not like this").await;
    let rejected = p.wait(&run, "refused").await;
    let resume = &rejected["resume"];
    assert_eq!(
        (text(&resume["step"]["id"]), words(&resume["kept"], "id")),
        ("release", vec!["prd"])
    );
    assert_eq!(
        text(&resume["words"]),
        "It was rejected by Ada at “Release”: not like this. This run goes on: “Release”, which was rejected before it began, comes next; it is asked about again. “Requirements” is done; it stays as it is and is not done again."
    );
    // Whoever reads what supports the file reads that a person did not take it.
    let list = p.ok("evidence.list", json!({})).await;
    assert_eq!(text(&list["items"][0]["refused"]), "rejected by Ada");
    let reopen = rejected["actions"]
        .as_array()
        .expect("actions")
        .iter()
        .find(|one| one["action"] == "reopen");
    assert_eq!(reopen.expect("it is offered")["allowed"], true);
    p.studio
        .resume(&run, None)
        .await
        .expect("the command line resumes it too");
    p.ok("run.act", json!({"run_id": run, "action": "drive"})).await;
    let brief = p.next_brief(&run).await;
    assert_eq!(text(&brief["step"]["id"]), "release");
    let step = p.ok("run.step", json!({"run_id": run, "step": "prd"})).await;
    assert_eq!(
        step["visits"].as_array().map(Vec::len),
        Some(2),
        "one that failed, one that was completed"
    );
}

/// A time at which a person refused what a step wanted to do is counted nowhere: not where its evidence comes from, either.
#[tokio::test(flavor = "multi_thread")]
async fn evidence_is_of_the_time_that_the_report_counts() {
    let steps = "format: stepspec\nworkflow: k\nsteps:\n  - {id: a, name: A, inputs: {}, outputs: ['{output_folder}/a.md'], run: 'mkdir -p docs; echo x > docs/a.md', \
                 validation: Format validation, evidence: L1, human_gate: none, retries: {max: 0}}\n";
    let p = Project::of(&[("k.yaml", steps)]).signed_by("Ada").await;
    let started = p.ok("run.start", json!({"path": "k.yaml"})).await;
    let run = text(&started["run_id"]).to_owned();
    p.answer_to(&p.next_brief(&run).await, "reject", "not yet").await;
    p.until(&run, |view| !view["ended_at"].is_null() && view["driver"].is_null())
        .await;
    p.ok("run.act", json!({"run_id": run, "action": "reopen"})).await;
    p.answer_to(&p.next_brief(&run).await, "approve", "").await;
    p.wait(&run, "done").await;
    let list = p.ok("evidence.list", json!({"run_id": run})).await;
    assert!(!list["items"].as_array().expect("a list").is_empty(), "{list}");
    assert!(
        list["items"]
            .as_array()
            .expect("a list")
            .iter()
            .all(|one| one["visit"] == 1),
        "{list}"
    );
    let report = p.ok("report.view", json!({"run_id": run})).await;
    let html = text(&report["html"]);
    assert!(html.contains("1st time") && !html.contains("2nd time"), "the report");
}

/// What a refused permission leads to is said before it is refused, it counts as no attempt, and what is kept of a run that was taken up again
/// after one plays as the run went on.
#[tokio::test(flavor = "multi_thread")]
async fn a_refused_permission_is_no_attempt_and_ends_no_scenario_that_is_kept() {
    let step = |id: &str, gate: &str| {
        format!(
            "  - {{id: {id}, name: {}, inputs: {{}}, outputs: ['{{output_folder}}/{id}.md'], run: 'mkdir -p docs; echo x > docs/{id}.md', {gate}, retries: {{max: 0}}}}\n",
            id.to_uppercase()
        )
    };
    let steps = step("a", "human_gate: required, gate_at: after") + &step("b", "human_gate: none");
    let p = Project::of(&[("k.yaml", &format!("format: stepspec\nworkflow: k\nsteps:\n{steps}"))])
        .signed_by("Ada")
        .await;
    let started = p.ok("run.start", json!({"path": "k.yaml"})).await;
    let run = text(&started["run_id"]).to_owned();
    let brief = p.next_brief(&run).await;
    let refuse = &brief["answers"][1];
    assert_eq!(
        (text(&refuse["words"]), words(&refuse["never_runs"], "id")),
        (
            "“A” is not carried out. The run ends as rejected, with your name and comment; 1 step does not run unless it is resumed.",
            vec!["b"]
        )
    );
    p.answer_to(&brief, "reject", "not yet").await;
    p.wait(&run, "refused").await;
    // As it stands nobody is asked for that in a rehearsal: it is said, in what is kept too.
    let kept = p.ok("scenario.record", json!({"run_id": run, "name": "Refused"})).await;
    let unplayed = "A person refused what nobody is asked when this is played: there it is a failure.";
    assert_eq!(text(&kept["otherwise"]), unplayed);
    let written = p.text(text(&kept["path"]));
    assert!(written.contains(unplayed) && !written.contains("rejected"), "{written}");

    p.ok("run.act", json!({"run_id": run, "action": "reopen"})).await;
    p.answer_to(&p.next_brief(&run).await, "approve", "").await;
    let asked = |view: &Value| view["waiting"]["gate"] == "k:a:hitl";
    let view = p.until(&run, asked).await;
    let brief = p
        .ok("gate.brief", json!({"run_id": run, "gate": view["waiting"]["gate"]}))
        .await;
    let checks = brief["checks"].as_array().expect("checks");
    let done = checks.iter().find(|check| check["name"] == "The step was carried out");
    assert_eq!(done.map(|check| text(&check["detail"])), Some("without a failure"));
    p.answer_to(&brief, "approve", "").await;
    let asked = |view: &Value| view["waiting"]["gate"] == "k:b:permission";
    p.until(&run, asked).await;
    p.answer_to(&p.next_brief(&run).await, "approve", "").await;
    p.wait(&run, "done").await;
    let kept = p.ok("scenario.record", json!({"run_id": run, "name": "Done"})).await;
    assert_eq!(kept["otherwise"], Value::Null, "{kept}");
    let tests = p.ok("workflow.tests", json!({"path": "k.yaml"})).await;
    assert_eq!((&tests["passed"], &tests["failed"]), (&json!(2), &json!(0)), "{tests}");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_run_it_is_told_what_the_placeholders_of_its_steps_stand_for() {
    let file = "format: stepspec\nworkflow: note\n\
        questions:\n  - {name: product, label: What is it called?, kind: text, required: true}\n\
        steps:\n  - {id: write, name: 'Write of {{product}}', description: 'Tells of {{product}}.', agent: writer, \
        outputs: ['{output_folder}/prd.md'], human_gate: required, gate_at: after, retries: {max: 0}}\n";
    let files = [("gatehouse.yaml", CONFIG), ("note.yaml", file), ("wish", "bread")];
    let p = Project::of(&files).signed_by("Ada").await;
    let start = json!({"path": "note.yaml", "permit": true, "inputs": {"product": "bread"}});
    let run = text(&p.ok("run.start", start).await["run_id"]).to_owned();
    let brief = p.next_brief(&run).await;
    assert_eq!(text(&brief["step"]["name"]), "Write of bread");
    let mut answers = brief["answers"].as_array().expect("answers").iter();
    let changes = answers.find(|answer| answer["answer"] == "changes").expect("changes");
    let again = "“Write of bread” is done again with your comment; then you are asked again.";
    assert_eq!(
        (text(&changes["words"]), words(&changes["runs"], "name")),
        (again, vec!["Write of bread"])
    );
    let detail = p.ok("run.step", json!({"run_id": run, "step": "write"})).await;
    assert_eq!(
        (text(&detail["step"]["name"]), text(&detail["intent"])),
        ("Write of bread", "Tells of bread.")
    );
    let timeline = p.ok("run.timeline", json!({"run_id": run})).await;
    assert_eq!(text(&timeline["lanes"][0]["step"]["name"]), "Write of bread");
    let html = p.ok("report.view", json!({"run_id": run})).await;
    assert!(text(&html["html"]).contains("Tells of bread."), "{html}");
}
