//! What a decider sees around the question: what the run is about, what was decided before, on which files, and by whom.

use crate::project::Project;
use serde_json::{Value, json};
use std::time::Duration;
use studio::command::AnswerOf;
use studio::{Answer, Client, Identity, Studio};

const FLOW: &str = "\
key: contract
title: Review a contract
steps:
  - id: redline
    agents: [lawyer]
    inputs: [drafts/northwind.md]
    outputs: [RUN_BASE/contract/redlines.md]
    human_gate: required
    gate_question: Does legal accept it?
    gate_asks: [legal]
    routing: {kind: linear, next: cost}
  - id: cost
    agents: [reader]
    outputs: [RUN_BASE/contract/cost.md]
    human_gate: required
    gate_question: Is the money there?
    gate_asks: [finance, controlling]
    routing: {kind: linear, next: sign}
  - id: sign
    agents: [clerk]
    human_gate: required
    gate_at: before
    gate_question: May it be signed?
    gate_asks: [managing director]
";

const SCENARIO: &str = "\
name: everything is made
steps:
  redline: [{artifacts: {RUN_BASE/contract/redlines.md: \"# Redlines: Northwind Hosting AB\\n\\nThe limit of § 11.\\n\"}}]
  cost: [{artifacts: {RUN_BASE/contract/cost.md: \"# Cost\\n\\n12 000 a year.\\n\"}}]
";

async fn contract() -> Project {
    let files = [
        ("contract.yaml", FLOW),
        ("contract.scenario.yaml", SCENARIO),
        ("drafts/northwind.md", "# The draft\n\nSeven terms.\n"),
        ("secret.md", "# Nobody reads this\n"),
    ];
    Project::of(&files).signed_by("Ada Lund").await
}

impl Project {
    async fn start_contract(&self, subject: Option<&str>) -> String {
        let mut params = json!({"path": "contract.yaml", "scenario": "contract.scenario.yaml"});
        if let Some(subject) = subject {
            params["subject"] = json!(subject);
        }
        let run = self.ok("run.start", params).await["run_id"]
            .as_str()
            .expect("an id")
            .to_owned();
        self.asked(&run, "Does legal accept it?").await;
        run
    }

    /// The card of the question that waits, as soon as it does.
    async fn asked(&self, run: &str, question: &str) -> Value {
        for _ in 0..2_400 {
            let inbox = self.ok("inbox.list", Value::Null).await;
            let waiting = inbox["waiting"].as_array().expect("cards");
            let card = waiting
                .iter()
                .find(|card| card["run_id"] == run && card["question"] == question);
            if let Some(card) = card {
                return card.clone();
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("{question} was never asked");
    }

    async fn brief_at(&self, run: &str, step: &str) -> Value {
        let gate = format!("contract:{step}:hitl");
        self.ok("gate.brief", json!({"run_id": run, "gate": gate})).await
    }

    async fn answer_at(&self, run: &str, step: &str, round: u32, answer: Answer, comment: &str, by: &str) {
        let of = AnswerOf {
            run_id: run.to_owned(),
            gate: format!("contract:{step}:hitl"),
            round,
            answer,
            comment: comment.to_owned(),
            seen: Vec::new(),
            undrawn: None,
            lasting: None,
            way: None,
            report: Default::default(),
            by: None,
        };
        self.studio.decide(of, by).await.expect("it is asked");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_later_decider_sees_what_was_decided_before_and_the_files_it_was_about() {
    let p = contract().await;
    let run = p.start_contract(None).await;
    let brief = p.brief_at(&run, "redline").await;
    assert_eq!(brief["role"], "legal");
    assert!(brief["earlier"].is_null() && brief["remarks"].is_null(), "{brief}");
    // What a step reads and nobody made is reachable, as it is on disk.
    let draft = &brief["materials"][0]["read"][0];
    assert_eq!(draft, &json!({"path": "drafts/northwind.md", "name": "northwind.md"}));
    let shown = p
        .ok("run.file", json!({"run_id": run, "path": "drafts/northwind.md"}))
        .await;
    assert!(shown["html"].as_str().expect("html").contains("Seven terms."));

    p.answer_at(&run, "redline", 1, Answer::Changes, "Name the owner.", "Ada Lund")
        .await;
    for _ in 0..2_400 {
        if p.brief_at(&run, "redline").await["round"] == 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    p.answer_at(&run, "redline", 2, Answer::Approve, "Keep an eye on § 3.", "Ada Lund")
        .await;
    p.asked(&run, "Is the money there?").await;

    let brief = p.brief_at(&run, "cost").await;
    assert_eq!(brief["role"], "finance or controlling");
    assert_eq!(
        brief["remarks"],
        json!(["Ada Lund has also answered for legal in this run."])
    );
    let earlier: Vec<Value> = brief["earlier"]
        .as_array()
        .expect("decisions")
        .iter()
        .map(|one| {
            let decision = &one["decision"];
            json!([
                one["role"],
                decision["round"],
                decision["by"],
                decision["words"],
                decision["comment"],
                one["files"][0]["name"]
            ])
        })
        .collect();
    assert_eq!(
        json!(earlier),
        json!([
            [
                "legal",
                1,
                "Ada Lund",
                "asked for changes",
                "Name the owner.",
                "redlines.md"
            ],
            ["legal", 2, "Ada Lund", "approved", "Keep an eye on § 3.", "redlines.md"],
        ])
    );
    assert_eq!(brief["earlier"][0]["decision"]["signature_valid"], true);
    // The file of the earlier step, in the version that was decided on; no other file of the project.
    let file = &brief["materials"][0]["made"][0];
    assert_eq!(file["name"], "redlines.md");
    let shown = p
        .ok(
            "run.file",
            json!({"run_id": run, "path": file["path"], "digest": file["digest"]}),
        )
        .await;
    assert!(shown["html"].as_str().expect("html").contains("The limit of § 11."));
    for other in [
        json!({"run_id": run, "path": file["path"], "digest": "00"}),
        json!({"run_id": run, "path": "secret.md"}),
        json!({"run_id": run, "path": "../secret.md"}),
    ] {
        let refused = p
            .studio
            .rpc("run.file", other.clone())
            .await
            .expect_err("not of this run");
        assert_eq!(refused.code, "not_found", "{other}");
    }

    // In the name of somebody else, with Ada's key: recorded, said in the brief, the run and the report.
    p.answer_at(&run, "cost", 1, Answer::Approve, "", "Bo Berg").await;
    p.asked(&run, "May it be signed?").await;
    let brief = p.brief_at(&run, "sign").await;
    assert_eq!(
        brief["remarks"],
        json!([
            "Ada Lund has also answered for legal in this run.",
            "Your key has also signed as “Bo Berg” in this run."
        ])
    );
    let of_bo = &brief["earlier"][2]["decision"];
    assert_eq!(
        (&of_bo["remark"], &of_bo["signature_valid"]),
        (&json!("Bo Berg answered with the key of Ada Lund."), &json!(true))
    );
    p.answer_at(&run, "sign", 1, Answer::Approve, "", "Ada Lund").await;
    // What was to be known of who decides is still to be known of who decided.
    assert_eq!(
        p.brief_at(&run, "sign").await["remarks"],
        json!([
            // The gate names a role, and the record holds names alone.
            "Ada Lund answered for managing director.",
            "Ada Lund has also answered for legal in this run.",
            "The key of Ada Lund has also signed as “Bo Berg” in this run."
        ])
    );
    let remarks = json!([
        "Ada Lund answered for legal and managing director.",
        "Bo Berg answered for finance or controlling.",
        "Bo Berg answered with the key of Ada Lund."
    ]);
    assert_eq!(p.ok("run.view", json!({"run_id": run})).await["remarks"], remarks);
    let report = p.ok("report.view", json!({"run_id": run})).await["html"]
        .as_str()
        .expect("html")
        .to_owned();
    for said in remarks.as_array().expect("two") {
        assert!(
            report.contains(said.as_str().expect("words")),
            "the report lacks {said}"
        );
    }
    assert!(report.contains("Redlines: Northwind Hosting AB") && report.contains("finance or controlling"));

    // The inspector of a step: every round, with who and in what words; also as of an event before the answer.
    let step = p.ok("run.step", json!({"run_id": run, "step": "redline"})).await;
    let decisions = step["decisions"].as_array().expect("rounds");
    assert_eq!(decisions.len(), 2);
    assert_eq!(decisions[1]["decision"]["comment"], "Keep an eye on § 3.");
    assert_eq!(decisions[1]["role"], "legal");
    let untouched = p
        .ok("run.step", json!({"run_id": run, "step": "redline", "at": 2}))
        .await;
    assert!(untouched["decisions"].is_null());
}

/// A file has one name and several versions: whoever decides later is told that another one was shown than the one that they find, and
/// whoever looks at the decision that the file was changed after it.
#[tokio::test(flavor = "multi_thread")]
async fn another_version_than_the_one_that_was_decided_on_is_called_one() {
    let p = contract().await;
    p.write(
        "gatehouse.yaml",
        "agents:\n  writer: {engine: shell, run: 'date +%s%N > letter.md'}\n  printer: {engine: shell, run: 'true'}\n  \
         clerk: {engine: shell, run: 'echo stamped > stamp.md'}\n",
    );
    p.write(
        "letter.yaml",
        "key: letter\ntitle: Letter\nsteps:\n\
         - {id: write, agents: [writer], outputs: [letter.md], human_gate: required, gate_question: Is it good?, routing: {kind: linear, next: print}}\n\
         - {id: print, agents: [printer], inputs: [letter.md], routing: {kind: linear, next: stamp}}\n\
         - {id: stamp, agents: [clerk], outputs: [stamp.md], human_gate: required, gate_question: Is it stamped?, routing: {kind: linear}}\n",
    );
    let started = p.ok("run.start", json!({"path": "letter.yaml", "permit": true})).await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    let answer = async |question: &str, answer: &str| {
        let card = p.asked(&run, question).await;
        let of = json!({"run_id": run, "gate": card["gate"], "round": card["round"]});
        let mut given = of.clone();
        given["answer"] = answer.into();
        given["comment"] = "seen".into();
        p.ok("gate.answer", given).await;
        of
    };
    let versions = |brief: &Value| {
        let earlier = brief["earlier"].as_array().expect("decisions").iter();
        earlier
            .map(|one| one["files"][0]["earlier"] == true)
            .collect::<Vec<_>>()
    };
    answer("Is it good?", "changes").await;
    p.asked(&run, "Is it good?").await;
    p.write("letter.md", "somebody else's words\n");
    let written = answer("Is it good?", "approve").await;
    // While it waits, what is on disk counts; once it is answered, what the run had made.
    let stamped = p.asked(&run, "Is it stamped?").await;
    let of = json!({"run_id": run, "gate": stamped["gate"], "round": stamped["round"]});
    let brief = p.ok("gate.brief", of.clone()).await;
    assert_eq!(versions(&brief), [true, true], "{brief:#}");
    answer("Is it stamped?", "approve").await;
    let brief = p.ok("gate.brief", of).await;
    assert_eq!(versions(&brief), [true, false], "{brief:#}");
    let decided = p.ok("gate.brief", written).await;
    let checks = decided["checks"].as_array().expect("checks").iter();
    let changed: Vec<&Value> = checks
        .filter(|check| check["name"] == "letter.md was changed after it was shown")
        .map(|check| &check["detail"])
        .collect();
    assert_eq!(
        changed,
        [&json!(
            "“Print” began with another version than the one shown here. Both digests are on record."
        )],
        "{decided:#}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_of_one_workflow_are_told_apart_by_their_subject() {
    let p = contract().await;
    let by_heading = p.start_contract(None).await;
    let typed = p.start_contract(Some("  Harbour Lights Ltd ")).await;
    for (run, subject) in [
        (&by_heading, "Redlines: Northwind Hosting AB"),
        (&typed, "Harbour Lights Ltd"),
    ] {
        let card = p.asked(run, "Does legal accept it?").await;
        assert_eq!(card["subject"], subject);
        assert_eq!(p.brief_at(run, "redline").await["subject"], subject);
        assert_eq!(p.ok("run.view", json!({"run_id": run})).await["subject"], subject);
        let rows = p.ok("runs.list", Value::Null).await;
        let row = rows["runs"]
            .as_array()
            .expect("rows")
            .iter()
            .find(|row| row["run_id"] == **run);
        assert_eq!(row.expect("listed")["subject"], subject);
    }
    // Whoever searches finds it by workflow and subject together, among all runs.
    for (query, expected) in [
        ("northwind contract", vec![&by_heading]),
        ("HARBOUR", vec![&typed]),
        ("review", vec![&typed, &by_heading]),
        ("harbour northwind", vec![]),
    ] {
        let found = p.ok("runs.find", json!({"query": query, "limit": 20})).await;
        let found: Vec<&Value> = found["runs"]
            .as_array()
            .expect("rows")
            .iter()
            .map(|row| &row["run_id"])
            .collect();
        assert_eq!(found, expected, "{query}");
    }
    // What was decided keeps it.
    p.answer_at(&typed, "redline", 1, Answer::Approve, "", "Ada Lund").await;
    let inbox = p.ok("inbox.list", Value::Null).await;
    assert_eq!(
        (&inbox["decided"][0]["subject"], &inbox["decided"][0]["role"]),
        (&json!("Harbour Lights Ltd"), &json!("legal"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_are_listed_by_their_day_and_by_who_started_them_or_answered() {
    let p = contract().await;
    let first = p.start_contract(Some("First")).await;
    p.asked(&first, "Does legal accept it?").await;
    p.answer_at(&first, "redline", 1, Answer::Approve, "", "Grace Hill")
        .await;
    let second = p.start_contract(Some("Second")).await;
    p.asked(&second, "Does legal accept it?").await;
    for (of, expected) in [
        (json!({}), vec![&second, &first]),
        (json!({"by": "Ada Lund"}), vec![&second, &first]),
        (json!({"by": "Grace Hill"}), vec![&first]),
        (json!({"by": "Grace"}), vec![]),
        (json!({"since": "1999-12-31"}), vec![&second, &first]),
        (json!({"since": "2999-12-31"}), vec![]),
        (json!({"until": "2999-12-31", "by": "Grace Hill"}), vec![&first]),
        (json!({"until": "1999-12-31"}), vec![]),
    ] {
        let rows = p.ok("runs.list", of.clone()).await;
        let listed: Vec<&Value> = rows["runs"]
            .as_array()
            .expect("rows")
            .iter()
            .map(|row| &row["run_id"])
            .collect();
        assert_eq!(listed, expected, "{of}");
    }
    assert_eq!(
        p.ok("runs.people", Value::Null).await["names"],
        json!(["Ada Lund", "Grace Hill"])
    );
    assert_eq!(p.refused("runs.list", json!({"since": "soon"})).await.code, "bad_date");
}

impl Project {
    async fn begun(&self, of: Value) -> String {
        let started = self.ok("run.start", of).await;
        started["run_id"].as_str().expect("an id").to_owned()
    }
}

/// A letter that is written and sent for real, and a script in which somebody who is nobody lets it go.
async fn letters() -> Project {
    let flow = "\
key: letter
title: A letter
steps:
  - {id: write, agents: [author], human_gate: required, gate_question: May it go?, gate_asks: [legal], routing: {kind: linear, next: send}}
  - {id: send, agents: [sender]}
";
    let script = "\
name: let go
steps: {write: [{}], send: [{}]}
gates: {write: [{answer: approve, by: Siri Nes}]}
";
    let files = [
        ("gatehouse.yaml", "agents: {\"*\": {engine: shell, run: echo done}}\n"),
        ("letter.yaml", flow),
        ("letter.scenario.yaml", script),
        ("contract.yaml", FLOW),
        ("contract.scenario.yaml", SCENARIO),
        ("drafts/northwind.md", "# The draft\n"),
    ];
    Project::of(&files).signed_by("Ada Lund").await
}

#[tokio::test(flavor = "multi_thread")]
async fn who_decided_what_is_found_by_day_person_answer_workflow_and_words() {
    let p = letters().await;
    let real = p.begun(json!({"path": "letter.yaml"})).await;
    for (round, answer, comment, by) in [
        (1, Answer::Changes, "=Name the ÖWNER, please", "Grace Hill"),
        (2, Answer::Approve, "", "Ada Lund"),
    ] {
        p.asked(&real, "May it go?").await;
        let of = AnswerOf {
            run_id: real.clone(),
            gate: "letter:write:hitl".to_owned(),
            round,
            answer,
            comment: comment.to_owned(),
            seen: Vec::new(),
            undrawn: None,
            lasting: None,
            way: None,
            report: Default::default(),
            by: None,
        };
        p.studio.decide(of, by).await.expect("it is asked");
    }
    p.wait(&real, "done").await;
    let scripted = p
        .begun(json!({"path": "letter.yaml", "scenario": "letter.scenario.yaml"}))
        .await;
    p.wait(&scripted, "done").await;
    let rehearsed = p.start_contract(Some("Northwind")).await;
    p.answer_at(&rehearsed, "redline", 1, Answer::Approve, "", "Ada Lund")
        .await;

    let (approved, changes) = (format!("{real} approved"), format!("{real} asked for changes"));
    let of_script = format!("{scripted} approved");
    let in_rehearsal = format!("{rehearsed} approved");
    for (of, expected, left_out) in [
        (json!({}), vec![&approved, &changes], 2),
        (
            json!({"rehearsals": true}),
            vec![&in_rehearsal, &of_script, &approved, &changes],
            0,
        ),
        (json!({"by": "Grace Hill"}), vec![&changes], 0),
        (json!({"by": "Ada Lund"}), vec![&approved], 1),
        (json!({"by": "Siri Nes", "rehearsals": true}), vec![], 0),
        (json!({"answer": "changes"}), vec![&changes], 0),
        (json!({"answer": "reject"}), vec![], 0),
        (json!({"workflow": "A letter"}), vec![&approved, &changes], 1),
        (json!({"workflow": "contract.yaml"}), vec![], 1),
        (json!({"words": "öwner name"}), vec![&changes], 0),
        (json!({"words": "MAY go"}), vec![&approved, &changes], 1),
        (json!({"since": "2999-12-31"}), vec![], 0),
        (
            json!({"since": "1999-12-31", "until": "2999-12-31"}),
            vec![&approved, &changes],
            2,
        ),
        (json!({"until": "1999-12-31"}), vec![], 0),
    ] {
        let found = p.ok("decisions.list", of.clone()).await;
        let rows = found["decisions"].as_array().expect("decisions");
        let rows: Vec<String> = rows
            .iter()
            .map(|one| {
                let text = |value: &Value| value.as_str().expect("text").to_owned();
                format!("{} {}", text(&one["run_id"]), text(&one["decision"]["words"]))
            })
            .collect();
        assert_eq!(rows.iter().collect::<Vec<_>>(), expected, "{of}");
        assert_eq!(
            (&found["total"], &found["rehearsals"]),
            (&json!(expected.len()), &json!(left_out)),
            "{of}"
        );
    }
    let page = p.ok("decisions.list", json!({"most": 1})).await;
    assert_eq!(
        (page["decisions"].as_array().map(Vec::len), &page["total"]),
        (Some(1), &json!(2))
    );
    let bad = p.refused("decisions.list", json!({"since": "last week"})).await;
    assert_eq!(bad.code, "bad_date");

    // Who said it, for whom and with whose key; a script is told from a person, and is offered nowhere as one.
    let all = p.ok("decisions.list", json!({"rehearsals": true})).await;
    let told = |at: usize| {
        let one = &all["decisions"][at];
        (
            one["decision"]["by"].clone(),
            one["given_by"].clone(),
            one["rehearsal"].clone(),
        )
    };
    assert_eq!(
        told(1),
        (json!("Siri Nes (by the script)"), json!("script"), json!(true))
    );
    assert_eq!(told(3), (json!("Grace Hill"), json!("person"), json!(false)));
    let changed = &all["decisions"][3];
    assert_eq!(
        (&changed["role"], &changed["step"]["id"]),
        (&json!("legal"), &json!("write"))
    );
    // As the report has it, of each answer by itself.
    assert_eq!(
        (
            &changed["decision"]["remark"],
            &all["decisions"][2]["decision"]["remark"]
        ),
        (
            &json!("Grace Hill answered for legal. Grace Hill answered with the key of Ada Lund."),
            &json!("Ada Lund answered for legal. The key of Ada Lund has also signed as “Grace Hill” in this run.")
        )
    );
    assert_eq!(all["decisions"][0]["subject"], "Northwind");
    assert_eq!(
        p.ok("decisions.by", Value::Null).await,
        json!({"people": ["Ada Lund", "Grace Hill"], "workflows": ["A letter", "Review a contract"]})
    );
    assert_eq!(
        p.ok("runs.people", Value::Null).await["names"],
        json!(["Ada Lund", "Grace Hill"])
    );

    // As a table, all that fit: beside the reports, over no file, and nothing in it is computed.
    for (of, name, lines) in [
        (json!({"most": 1}), "decisions.csv", 3),
        (json!({"answer": "changes"}), "decisions-2.csv", 2),
    ] {
        let saved = p.ok("decisions.save", of).await;
        let path = saved["path"].as_str().expect("a path");
        assert!(path.ends_with(name), "{path}");
        let table = std::fs::read_to_string(path).expect("written");
        assert_eq!(table.lines().count(), lines, "{table}");
        // The role is the one that was asked: for which one somebody answered is on no record.
        assert!(
            table.starts_with("\u{feff}when,asked at,who,given by,role asked,"),
            "{table}"
        );
        let key = p.ok("settings.get", Value::Null).await["key"]
            .as_str()
            .map(str::to_uppercase);
        let groups: Vec<char> = key.expect("a key").chars().collect();
        let groups: Vec<String> = groups.chunks(4).map(|four| four.iter().collect()).collect();
        assert!(table.contains(&format!(",{},holds,", groups.join(" "))), "{table}");
        assert!(table.contains("\"'=Name the ÖWNER, please\""), "{table}");
        assert!(
            table.contains("Grace Hill answered for legal. Grace Hill answered with the key of Ada Lund."),
            "{table}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_is_mine_when_it_asks_for_a_role_that_i_answer_for() {
    let p = contract().await;
    let run = p.start_contract(None).await;
    let mine = |card: &Value| card["mine"].as_bool().expect("yes or no");
    let card = p.asked(&run, "Does legal accept it?").await;
    assert_eq!((&card["role"], mine(&card)), (&json!("legal"), false));
    assert_eq!(
        card["own"], true,
        "whoever has not said for which roles they answer may be meant"
    );
    p.ok("settings.set", json!({"roles": ["Finance"]})).await;
    let card = p.asked(&run, "Does legal accept it?").await;
    assert_eq!((&card["own"], mine(&card)), (&json!(false), false));
    let settings = p
        .ok(
            "settings.set",
            json!({"roles": [" Legal ;Finance,,", "legal\n\nFINANCE"]}),
        )
        .await;
    assert_eq!(settings["roles"], json!(["Legal", "Finance"]));
    assert!(mine(&p.asked(&run, "Does legal accept it?").await));
    // Other settings leave it alone.
    assert_eq!(
        p.ok("settings.set", json!({"theme": "dark"})).await["roles"],
        json!(["Legal", "Finance"])
    );
    p.ok("settings.set", json!({"roles": []})).await;
    assert!(!mine(&p.asked(&run, "Does legal accept it?").await));
    p.ok("settings.set", json!({"name": "legal"})).await;
    assert!(mine(&p.asked(&run, "Does legal accept it?").await), "asked by name");
    let refused = p.studio.rpc("settings.set", json!({"roles": ["a\u{7}b"]})).await;
    assert_eq!(refused.expect_err("control characters").code, "bad_role");
    assert!(p.folder.path().join("contract.yaml").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_decision_is_offered_until_something_has_happened() {
    let p = contract().await;
    assert_eq!(p.ok("inbox.list", json!({})).await["first_try"], Value::Null);
    let config = |scenario: &str| format!("try: {{workflow: contract.yaml, scenario: {scenario}}}\n");
    let file = p.folder.path().join("gatehouse.yaml");
    std::fs::write(&file, config("gone.scenario.yaml")).expect("written");
    assert_eq!(p.ok("inbox.list", json!({})).await["first_try"], Value::Null);
    std::fs::write(&file, config("contract.scenario.yaml")).expect("written");
    let offer = &p.ok("inbox.list", json!({})).await["first_try"];
    assert_eq!(offer["path"], "contract.yaml");
    assert_eq!(offer["scenario"], "contract.scenario.yaml");
    p.start_contract(None).await;
    assert_eq!(p.ok("inbox.list", json!({})).await["first_try"], Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_under_a_decision_can_be_read_and_a_paused_run_says_so() {
    let project = contract().await;
    let run = project.start_contract(None).await;
    let redline = project.asked(&run, "Does legal accept it?").await;
    let answer = |by: &'static str| {
        let of = AnswerOf {
            run_id: run.clone(),
            gate: redline["gate"].as_str().expect("a gate").to_owned(),
            round: 1,
            answer: Answer::Approve,
            comment: String::new(),
            seen: Vec::new(),
            undrawn: None,
            lasting: None,
            way: None,
            report: Default::default(),
            by: None,
        };
        let studio = &project.studio;
        async move { studio.decide(of, by).await }
    };
    for by in [
        "Ada\nSigned by the board",
        "\u{202e}adA",
        "\u{200b}",
        "\u{3164}",
        "Ada Lund\u{3164}",
        "Ada\u{1b}[2J",
    ] {
        let refused = answer(by).await.expect_err("nobody can read it as it is");
        assert_eq!(refused.code, "bad_name", "{by:?}");
    }
    project.ok("run.act", json!({"run_id": run, "action": "pause"})).await;
    let brief = project.brief_at(&run, "redline").await;
    let remarks = brief["remarks"].to_string();
    assert!(remarks.contains("This run is paused"), "{remarks}");
    let view = project.ok("run.view", json!({"run_id": run})).await;
    assert!(
        view["status_words"]
            .as_str()
            .expect("words")
            .starts_with("paused; waits for a decision"),
        "{}",
        view["status_words"]
    );
    assert_eq!(view["status"], "paused", "nothing more begins, whatever is answered");
    let rows = project.ok("runs.list", json!({})).await;
    assert_eq!(rows["runs"][0]["status"], "paused", "{rows}");
    answer("Ada Lund").await.expect("it is kept");
    let brief = project.brief_at(&run, "redline").await;
    assert!(!brief["remarks"].to_string().contains("paused"), "{brief}");
    assert_eq!(brief["left_open"], "This run is paused.", "{brief}");
    // What was decided is said where it is told why the run went on.
    project.ok("run.act", json!({"run_id": run, "action": "resume"})).await;
    project.asked(&run, "Is the money there?").await;
    let view = project.ok("run.view", json!({"run_id": run})).await;
    let why = view["routes"][0]["why"].as_str().expect("a reason");
    assert!(why.starts_with("Ada Lund approved: “Does legal accept it?”. "), "{why}");

    // One that was stopped while it was paused has ended, and is taken up like any other.
    project.ok("run.act", json!({"run_id": run, "action": "pause"})).await;
    let brief = project
        .ok(
            "gate.brief",
            json!({"run_id": run, "gate": redline["gate"], "round": 1}),
        )
        .await;
    assert_eq!(brief["left_open"], Value::Null, "its answer was followed long ago");
    project.ok("run.act", json!({"run_id": run, "action": "abort"})).await;
    let view = project.wait(&run, "aborted").await;
    let mut actions = view["actions"].as_array().expect("actions").iter();
    let reopen = actions.find(|one| one["action"] == "reopen").expect("it is told");
    assert_eq!(reopen["allowed"], true, "{reopen}");
    project.ok("run.act", json!({"run_id": run, "action": "reopen"})).await;
    project.asked(&run, "Is the money there?").await;
}

/// People carry out every step: what they report decides the loop and the branch, as an agent's report would.
/// Whoever leaves work to a person means themselves; others do it where they answer for the name that the workflow gives it to.
#[tokio::test(flavor = "multi_thread")]
async fn work_that_was_left_to_a_person_is_that_of_whoever_started_the_run() {
    let p = contract().await;
    p.write(
        "letter.yaml",
        "key: letter\ntitle: Letter\nsteps:\n  - {id: draft, agents: [author]}\n",
    );
    p.ok("settings.set", json!({"name": "Ada Lund"})).await;
    let of = json!({"path": "letter.yaml", "assigned": {"draft": "author"}});
    let run = p.ok("run.start", of).await["run_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    p.wait(&run, "blocked").await;
    let mine = async || {
        let inbox = p.ok("inbox.list", Value::Null).await;
        let waiting = inbox["waiting"].as_array().expect("cards").clone();
        let card = waiting.into_iter().find(|card| card["run_id"] == run).expect("it asks");
        let of = json!({"run_id": run, "gate": card["gate"]});
        let brief = p.ok("gate.brief", of).await;
        assert_eq!(brief["asks_other"], !card["mine"].as_bool().expect("yes or no"));
        card["mine"].clone()
    };
    assert_eq!(mine().await, true, "who started it");
    p.ok("settings.set", json!({"name": "Bo Berg"})).await;
    assert_eq!(mine().await, false, "somebody else");
    p.ok("settings.set", json!({"roles": ["author"]})).await;
    assert_eq!(mine().await, true, "who answers for the name");
    // What went wrong is said.
    let fail = json!({"run_id": run, "gate": "letter:draft:outcome", "round": 1, "answer": "fail"});
    assert_eq!(p.refused("gate.answer", fail).await.code, "refused:comment_required");
}

/// The window gives a step that names no agent to nobody in particular.
#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_names_nobody_can_be_left_to_a_person() {
    let p = contract().await;
    p.write(
        "letter.yaml",
        "key: letter\ntitle: Letter\nsteps:\n  - {id: draft, role: Write it, outputs: [letter.md, RUN_BASE/notes.md, the plan, extra.md (optional)]}\n",
    );
    let started = p
        .ok("run.start", json!({"path": "letter.yaml", "assigned": {"draft": ""}}))
        .await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    p.wait(&run, "blocked").await;
    // What PASS takes up is known before.
    p.write("letter.md", "Dear all\n");
    let asked = json!({"run_id": run, "gate": "letter:draft:outcome"});
    let brief = p.ok("gate.brief", asked).await;
    let told = brief["instructions_html"].as_str().unwrap_or_default();
    for line in [
        "<li><code>letter.md</code> – there</li>".to_owned(),
        format!("<li><code>.gatehouse/runs/{run}/notes.md</code> – not there yet</li>"),
        "<li><code>extra.md</code> (may be left out) – not there</li>".to_owned(),
        "<li><code>the plan</code></li>".to_owned(),
    ] {
        assert!(told.contains(&line), "{line}: {told}");
    }
    let check = json!({"name": "The files of this step", "status": "waiting", "detail": "1 of 2 is not there yet; PASS takes up those that are there"});
    assert_eq!(brief["checks"], json!([check]));
    // Who says that it is done all the same is asked once more.
    let confirm = brief["answers"][0]["confirm"].as_str().unwrap_or_default();
    let missing = format!(".gatehouse/runs/{run}/notes.md is not there. ");
    assert!(
        confirm.starts_with(&missing) && confirm.ends_with(" all the same?"),
        "{confirm}"
    );
    assert_eq!(brief["answers"][1].get("confirm"), None);
    let pass = json!({"run_id": run, "gate": "letter:draft:outcome", "round": 1, "answer": "pass"});
    p.ok("gate.answer", pass).await;
    let view = p.wait(&run, "done").await;
    let asked = json!({"run_id": run, "gate": "letter:draft:outcome"});
    let answered = p.ok("gate.brief", asked).await;
    let told = answered["instructions_html"].as_str().unwrap_or_default();
    assert!(told.contains("<code>RUN_BASE/notes.md</code> – was not made"), "{told}");
    // And what was not there is known afterwards.
    let file = "RUN_BASE/notes.md";
    let remark = format!("“Draft” was done without {file}: the workflow says that it makes it, and nothing was there.");
    assert_eq!(view["remarks"], json!([remark]), "{view:#}");
    let step = p.ok("run.step", json!({"run_id": run, "step": "draft"})).await;
    let unmade = &step["visits"][0]["attempts"][0]["unmade"];
    assert_eq!(unmade[0]["name"], format!("{file} was not made"), "{step:#}");
    let report = p.ok("report.view", json!({"run_id": run})).await.to_string();
    assert!(
        report.contains("notes.md: the workflow says that it makes it"),
        "{report}"
    );
    let bad = json!({"path": "letter.yaml", "assigned": {"draft": "…"}});
    assert_eq!(p.refused("run.start", bad).await.code, "bad_name");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_carries_a_step_out_says_what_decides_where_it_goes_on() {
    let p = contract().await;
    let flow = "\
key: letter
title: Letter
steps:
  - id: draft
    role: Write it from the template.
    routing: {kind: linear, next: check}
  - id: check
    routing: {kind: microloop, loop_target: draft, loop_condition_field: verdict, loop_success_values: [GOOD], next: sign}
  - id: sign
    routing: {kind: branch, branch_field: outcome, branches: {signed: file, refused: tell}}
  - id: tell
    routing: {kind: linear}
  - id: file
    routing: {kind: linear}
";
    std::fs::write(p.folder.path().join("letter.yaml"), flow).expect("written");
    let everybody: Value = ["draft", "check", "sign", "tell", "file"]
        .iter()
        .map(|step| ((*step).to_owned(), json!("person")))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let started = p
        .ok("run.start", json!({"path": "letter.yaml", "assigned": everybody}))
        .await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    let asked = async |step: &str, round: u64| {
        let gate = json!({"run_id": run, "gate": format!("letter:{step}:outcome")});
        for _ in 0..2_400 {
            if let Ok(brief) = p.studio.rpc("gate.brief", gate.clone()).await
                && brief["round"] == round
                && brief["answered"].is_null()
            {
                return brief;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("{step} was never asked for in round {round}");
    };
    let say = async |step: &str, round: u64, report: Value| {
        asked(step, round).await;
        let of = json!({"run_id": run, "gate": format!("letter:{step}:outcome"), "round": round, "answer": "pass", "report": report});
        p.studio.rpc("gate.answer", of).await
    };
    let brief = asked("draft", 1).await;
    assert_eq!(brief["instructions_html"], "<p>Write it from the template.</p>");
    assert!(brief["reports"].is_null(), "{brief}");
    tokio::time::sleep(Duration::from_millis(60)).await;
    say("draft", 1, json!({})).await.expect("taken");
    let brief = asked("check", 1).await;
    assert_eq!(
        brief["reports"],
        json!([{"field": "verdict", "options": [
            {"value": "GOOD", "label": "GOOD", "words": "“Sign” comes next."},
            {"value": "other", "label": "something else", "words": "back to “Draft” for another round.", "any_other": true},
        ]}])
    );
    assert!(
        brief["answers"]
            .to_string()
            .contains("What you report decides where it goes on."),
        "{brief}"
    );
    say("check", 1, json!({"verdict": "other"})).await.expect("taken");
    say("draft", 2, json!({})).await.expect("taken");
    say("check", 2, json!({"verdict": "GOOD"})).await.expect("taken");
    say("sign", 1, json!({"outcome": "refused"})).await.expect("taken");
    // A report that is none: of a step that did not go well.
    asked("tell", 1).await;
    let of = json!({"run_id": run, "gate": "letter:tell:outcome", "round": 1, "answer": "fail", "report": {"a": 1}});
    let refused = p.studio.rpc("gate.answer", of).await.expect_err("refused");
    assert_eq!(refused.code, "refused:answer_not_offered");
    say("tell", 1, json!({})).await.expect("taken");
    for _ in 0..2_400 {
        if p.studio.has_ended(&run).expect("known") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    let view = p.ok("run.view", json!({"run_id": run})).await;
    let statuses: Vec<&str> = view["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .filter_map(|step| step["status"].as_str())
        .collect();
    assert_eq!(statuses, ["done", "done", "done", "done", "not_started"]);
    // What a person does takes from the question to the answer.
    let step = p.ok("run.step", json!({"run_id": run, "step": "draft"})).await;
    let visits = step["visits"].as_array().expect("visits").iter();
    let first = visits
        .filter(|visit| visit["visit"] == 1)
        .map(|visit| &visit["attempts"][0]["duration_ms"]);
    let took: Vec<u64> = first.filter_map(Value::as_u64).collect();
    assert!(matches!(took.as_slice(), [took] if *took >= 60), "{step}");
    let log = p.ok("run.log", json!({"run_id": run})).await.to_string();
    assert!(log.contains("is done.") && !log.contains("done in"), "{log}");
    // What was reported is signed with the answer.
    let verified = p.ok("run.verify", json!({"run_id": run})).await;
    assert!(!verified.to_string().contains("does not hold"), "{verified}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_expression_reads_is_asked_for_and_a_number_is_signed_as_one() {
    let p = contract().await;
    p.write("gatehouse.yaml", "agents: {ann: person}\n");
    let flow = "\
key: paint
title: Paint
steps:
  - id: measure
    agents: [ann]
    role: Measure it.
    routing:
      kind: branch
      when:
        - {condition: \"grade == 'A' && weight > 3\", next: melt}
      default: wet
  - {id: melt, agents: [ann], role: Melt it., routing: {kind: terminal}}
  - {id: wet, agents: [ann], role: Wet it., routing: {kind: terminal}}
";
    p.write("paint.yaml", flow);
    let started = p.ok("run.start", json!({"path": "paint.yaml"})).await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    let card = p.asked(&run, "Measure").await;
    let mut of = json!({"run_id": run, "gate": card["gate"], "round": card["round"]});
    let brief = p.ok("gate.brief", of.clone()).await;
    let depends = "Where it goes on depends on the other values too.";
    assert_eq!(
        brief["reports"],
        json!([
            {"field": "grade", "options": [
                {"value": "A", "label": "A", "words": depends},
                {"value": "other", "label": "something else", "words": depends, "any_other": true},
            ]},
            {"field": "weight", "options": []},
        ])
    );
    assert!(
        brief["answers"]
            .to_string()
            .contains("What you report decides where it goes on."),
        "{brief}"
    );
    of["answer"] = "pass".into();
    of["report"] = json!({"grade": "A", "weight": "3,5"});
    let refused = p.refused("gate.answer", of.clone()).await;
    assert_eq!(refused.code, "refused:report_unfit");
    assert_eq!(refused.fields["weight"], "“weight”: `3,5` is written 3.5 here.");
    // As the window sends what is typed.
    of["report"] = json!({"grade": "A", "weight": "3.5"});
    p.ok("gate.answer", of).await;
    let next = p.asked(&run, "Melt").await;
    assert_eq!(next["gate"], "paint:melt:outcome");
}

#[tokio::test(flavor = "multi_thread")]
async fn where_people_do_the_work_no_program_is_named_and_no_second_try_is_promised() {
    let p = contract().await;
    let flow = "key: mix\ntitle: Mix\nsteps:\n  - {id: mix, agents: [ann], role: Mix it., retries: {max: 2, backoff_seconds: 30}}\n";
    p.write("mix.yaml", flow);
    let seen = async |agents: &str| {
        p.write("gatehouse.yaml", agents);
        let brief = p.ok("run.brief", json!({"path": "mix.yaml"})).await;
        let view = p.ok("workflow.open", json!({"path": "mix.yaml"})).await;
        let retries = view["steps"][0]["retries"].as_str().unwrap_or_default().to_owned();
        (brief["starts_programs"] == true, retries)
    };
    let (starts, retries) = seen("agents: {ann: person}\n").await;
    assert!(!starts);
    assert_eq!(
        retries,
        "without effect: a person does this step, and what they say they could not do is not tried again"
    );
    let (starts, retries) = seen("agents: {ann: {engine: shell, run: echo mixed}}\n").await;
    assert!(starts);
    assert_eq!(retries, "tried again up to 2 times after a failure, 30 s later");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answered_question_shows_what_was_there_when_it_was_asked_and_that_the_run_has_ended_since() {
    let p = contract().await;
    p.write(
        "gatehouse.yaml",
        "agents: {printer: {engine: shell, run: 'echo published 3 > out.md; echo published 3'}, ann: person}\n",
    );
    p.write(
        "publish.yaml",
        "key: publish\ntitle: Publish\nsteps:\n  - {id: publish, agents: [printer], outputs: [out.md], human_gate: required, gate_at: before, \
         gate_question: May it?}\n",
    );
    p.write(
        "note.yaml",
        "format: stepspec\nworkflow: note\ntitle: Note\nsteps:\n- {id: note, name: Note, agent: ann, outputs: ['{output_folder}/note.md']}\n",
    );
    let start = async |path: &str| {
        let started = p.ok("run.start", json!({"path": path, "permit": true})).await;
        started["run_id"].as_str().expect("an id").to_owned()
    };
    let answer = async |run: &str, question: &str, answer: &str| {
        let card = p.asked(run, question).await;
        let mut of = json!({"run_id": run, "gate": card["gate"], "round": card["round"]});
        let brief = p.ok("gate.brief", of.clone()).await;
        of["answer"] = answer.into();
        p.ok("gate.answer", of.clone()).await;
        (brief, of)
    };
    let run = start("publish.yaml").await;
    let (before, of) = answer(&run, "May it?", "approve").await;
    let approve = &before["answers"][0]["words"];
    assert_eq!(
        approve, "“Publish” runs next, then the flow ends.",
        "nobody is asked there again"
    );
    p.wait(&run, "done").await;
    let after = p.ok("gate.brief", of).await;
    for field in ["said", "report", "artifacts", "checks"] {
        assert_eq!(after[field], before[field], "{field}");
    }
    assert!(after["said"].is_null(), "{after}");
    assert_eq!(after["came"], "Since then the run has ended: it is done.");

    let run = start("note.yaml").await;
    let card = p.until(&run, |view| !view["waiting"].is_null()).await["waiting"].clone();
    let (before, of) = answer(&run, card["question"].as_str().expect("a question"), "pass").await;
    let told = before["instructions_html"].as_str().unwrap_or_default();
    assert!(
        told.contains("Files that this step makes:</p><ul><li><code>docs/note.md</code> – not there yet</li></ul>"),
        "{told}"
    );
    p.wait(&run, "failed").await;
    let came = p.ok("gate.brief", of).await["came"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert!(
        came.starts_with("Since then the run has ended, as failed: ")
            && came.contains("makes `docs/note.md`, and nothing is there"),
        "{came}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_did_and_what_came_of_it_is_told_as_it_was() {
    let p = contract().await;
    let flow = "\
key: letter
title: Letter
steps:
  - {id: draft, routing: {kind: linear, next: check}}
  - {id: check, routing: {kind: microloop, loop_target: draft, loop_condition_field: status, loop_success_values: [VERIFIED], max_iterations: 3, next: sign}}
  - {id: sign, outputs: [letter.md], routing: {kind: linear}}
";
    p.write("letter.yaml", flow);
    let assigned = json!({"draft": "person", "check": "person", "sign": "person"});
    let start = json!({"path": "letter.yaml", "assigned": assigned});
    let run = p.ok("run.start", start).await["run_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let brief_of = async |step: &str, round: u64| {
        let gate = json!({"run_id": run, "gate": format!("letter:{step}:outcome"), "round": round});
        for _ in 0..2_400 {
            if let Ok(brief) = p.studio.rpc("gate.brief", gate.clone()).await {
                return brief;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("{step} was never asked for in round {round}");
    };
    let passes = |brief: &Value| brief["answers"][0]["words"].as_str().expect("words").to_owned();
    let say = async |step: &str, round: u64, more: Value| {
        let brief = brief_of(step, round).await;
        let mut of = json!({"run_id": run, "gate": format!("letter:{step}:outcome"), "round": round, "answer": "pass"});
        let fields = more.as_object().expect("fields").clone();
        of.as_object_mut().expect("fields").extend(fields);
        p.ok("gate.answer", of).await;
        brief
    };
    let draft = say("draft", 1, json!({})).await;
    assert!(passes(&draft).starts_with("“Draft” counts as done. Then "), "{draft}");
    say("check", 1, json!({"report": {"status": "UNVERIFIED"}})).await;
    say("draft", 2, json!({})).await;
    say("check", 2, json!({"report": {"status": "VERIFIED"}})).await;
    let sign = say("sign", 1, json!({"answer": "fail", "comment": "No pen."})).await;
    assert!(
        passes(&sign).contains("names for it, those that are there are taken up and checked"),
        "{sign}"
    );
    p.wait(&run, "failed").await;

    // The page of the answer says what came of it; that of an earlier one says nothing.
    assert_eq!(
        brief_of("sign", 1).await["came"],
        "With this answer the run ended as failed. Nothing of it is lost: open the run to resume it where it stopped."
    );
    assert!(brief_of("check", 2).await["came"].is_null());
    // What is not verified looks like it.
    let look = async |step: &str, round: u64| brief_of(step, round).await["answered"]["status"].clone();
    assert_eq!(look("check", 1).await, "waiting");
    assert_eq!(look("check", 2).await, "done");
    assert_eq!(look("sign", 1).await, "failed");

    let log = p.ok("run.log", json!({"run_id": run})).await;
    let lines: Vec<(&str, &str, u64)> = log["lines"]
        .as_array()
        .expect("lines")
        .iter()
        .map(|line| {
            (
                line["step"]["id"].as_str().unwrap_or_default(),
                line["text"].as_str().expect("text"),
                line["seq"].as_u64().expect("a number"),
            )
        })
        .collect();
    let of_check: Vec<&str> = lines
        .iter()
        .filter(|line| line.0 == "check")
        .map(|line| line.1)
        .collect();
    assert_eq!(
        of_check[..5],
        [
            "Waiting for a person to carry out “Check”: PASS or FAIL?",
            "Ada Lund did it; status: UNVERIFIED",
            "The report on “Check” has come in.",
            "“Check” is done.",
            "“Check” was not satisfied (its status was UNVERIFIED), so the flow went back to “Draft” (time 1 of at most 3).",
        ]
    );
    assert!(lines.iter().all(|line| !line.1.contains("” started")), "{lines:?}");

    // Between the answer and what it begins the step neither waits nor is done.
    let answers = lines.iter().filter(|line| line.1.starts_with("Ada Lund "));
    let mut stood = Vec::new();
    for (step, _, seq) in answers {
        let then = p.ok("run.view", json!({"run_id": run, "at": seq})).await;
        let steps = then["steps"].as_array().expect("steps").clone();
        let one = steps.into_iter().find(|one| one["id"] == *step).expect("the step");
        stood.push(format!("{step} {} {}", one["status"], one["words"]).replace('"', ""));
    }
    assert_eq!(
        stood,
        [
            "draft queued answered",
            "check queued answered",
            "draft queued answered",
            "check queued answered",
            "sign queued answered",
        ]
    );

    // What went wrong, and that somebody went on, are reasons too.
    let resume = p.ok("run.view", json!({"run_id": run})).await["resume"].clone();
    assert_eq!(
        resume["words"],
        "This run goes on: “Sign” is done again from its beginning, and may be tried as often as the workflow says. \
         2 steps are done; they stay as they are and are not done again."
    );
    p.ok("run.act", json!({"run_id": run, "action": "reopen"})).await;
    say("sign", 2, json!({})).await;
    p.wait(&run, "done").await;
    assert!(brief_of("sign", 1).await["came"].is_null(), "it went on");
    let report = p.ok("report.view", json!({"run_id": run})).await["html"]
        .as_str()
        .expect("a page")
        .to_owned();
    let why = report.split("Why it went this way").nth(1).expect("a section");
    let why = why.split("<h2>").next().expect("its text");
    let failed = why.find("Run failed: ").expect("the failure");
    let resumed = why.find("Ada Lund resumed the run").expect("the resume");
    assert!(failed < resumed, "{why}");
    assert!(
        report.contains(r#"<span class="chip waiting">did it; status: UNVERIFIED</span>"#),
        "{report}"
    );
    // The numbers of the decisions are those on the edges.
    let view = p.ok("run.view", json!({"run_id": run})).await;
    let routes = view["routes"].as_array().expect("decisions");
    for edge in view["edges"].as_array().expect("edges") {
        let of_edge = routes.iter().filter(|route| route["edge_id"] == edge["id"]);
        let numbers: Vec<&Value> = of_edge.map(|route| &route["number"]).collect();
        assert_eq!(json!(numbers), edge["taken"], "{}", edge["id"]);
    }
    // Each round's questions are told with it.
    let step = p.ok("run.step", json!({"run_id": run, "step": "check"})).await;
    let visits: Vec<&Value> = step["decisions"]
        .as_array()
        .expect("decisions")
        .iter()
        .map(|one| &one["visit"])
        .collect();
    assert_eq!(visits, [1, 2]);

    // A round that begins with an answer is one of the list while it is waited for.
    let asked = lines
        .iter()
        .filter(|line| line.0 == "check" && line.1.starts_with("Waiting for a person"));
    let (_, _, second) = asked.clone().nth(1).expect("it was asked twice");
    let told = async |at: Value| {
        let of = json!({"run_id": run, "step": "check", "at": at});
        let step = p.ok("run.step", of).await;
        let visits = step["visits"].as_array().expect("visits").clone().into_iter();
        let one = |visit: Value| {
            let attempts = visit["attempts"].as_array().map(Vec::len);
            json!([visit["visit"], attempts, visit["waiting"]["question"]])
        };
        Value::from_iter(visits.map(one))
    };
    assert_eq!(told(json!(second)).await, json!([[2, 0, "Check"], [1, 1, null]]));
    assert_eq!(told(Value::Null).await, json!([[2, 1, null], [1, 1, null]]));
    // What they reported is kept with what they said.
    let step = p.ok("run.step", json!({"run_id": run, "step": "check"})).await;
    assert_eq!(
        step["visits"][1]["attempts"][0]["transcript"][0]["content"],
        "Ada Lund answered PASS\nreported status: UNVERIFIED"
    );
    assert_eq!(p.ok("run.verify", json!({"run_id": run})).await["ok"], true);
    let of = json!({"run_id": run, "step": "check", "at": second});
    let waiting = p.ok("run.step", of).await["visits"][0]["waiting"].clone();
    assert!(
        waiting["waiting_since"].as_i64().is_some_and(|since| since > 0),
        "{waiting}"
    );
}

/// Whoever carries out a step that is decided on afterwards reads that, answers in plain words, and sees a question of which the name is
/// quoted once.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_does_the_work_answers_that_they_did_it() {
    let p = contract().await;
    let flow = "key: lease\ntitle: Lease\nsteps:\n  - {id: draft, human_gate: required, routing: {kind: linear}}\n";
    p.write("lease.yaml", flow);
    let start = json!({"path": "lease.yaml", "assigned": {"draft": "person"}});
    let run = p.ok("run.start", start).await["run_id"].clone();
    let of = json!({"run_id": run, "gate": "lease:draft:outcome", "round": 1});
    let mut brief = Value::Null;
    for _ in 0..2_400 {
        match p.studio.rpc("gate.brief", of.clone()).await {
            Ok(now) => {
                brief = now;
                break;
            }
            Err(_) => tokio::time::sleep(Duration::from_millis(25)).await,
        }
    }
    assert_eq!(
        brief["question"],
        "Draft: first the work, then its result is decided on"
    );
    assert_eq!(
        (&brief["answers"][0]["label"], &brief["answers"][1]["label"]),
        (&json!("PASS: I did it"), &json!("FAIL: I could not do it"))
    );
    assert_eq!(
        brief["answers"][0]["words"],
        "“Draft” counts as done. Then a person is asked: “Draft” is done. Do you approve the result?"
    );
}

/// People turn a loop until it is used up; the gate behind it sends the work back, then rejects it.
#[tokio::test(flavor = "multi_thread")]
async fn a_loop_that_is_used_up_and_an_answer_that_sends_work_back_are_said_where_one_decides_and_works() {
    let p = contract().await;
    let flow = "\
key: lease
title: Lease
steps:
  - {id: draft, routing: {kind: linear, next: check}}
  - {id: check, human_gate: required, gate_question: May we sign?, on_reject: mend, routing: {kind: microloop, loop_target: draft,
     loop_condition_field: status, loop_success_values: [PASS], max_iterations: 1, next: file}}
  - {id: file, routing: {kind: linear}}
  - {id: mend, human_gate: required, gate_question: Is it mended?, routing: {kind: linear, next: file}}
";
    p.write("lease.yaml", flow);
    let assigned = json!({"draft": "person", "check": "person", "file": "person", "mend": "person"});
    let start = json!({"path": "lease.yaml", "assigned": assigned});
    let run = p.ok("run.start", start).await["run_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let say = async |gate: &str, round: u64, more: Value| {
        let of = json!({"run_id": run, "gate": format!("lease:{gate}"), "round": round});
        let mut brief = Value::Null;
        for _ in 0..2_400 {
            if let Ok(asked) = p.studio.rpc("gate.brief", of.clone()).await {
                brief = asked;
                break;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        assert!(!brief.is_null(), "{gate} was never asked in round {round}");
        let mut answer = of;
        answer["answer"] = "pass".into();
        answer["seen"] = brief["artifacts"]
            .as_array()
            .expect("files")
            .iter()
            .map(|one| one["digest"].clone())
            .collect();
        let fields = more.as_object().expect("fields").clone();
        answer.as_object_mut().expect("an object").extend(fields);
        p.ok("gate.answer", answer).await;
        brief
    };
    let leads = |brief: &Value| -> Vec<String> {
        let options = brief["reports"][0]["options"].as_array().expect("options").iter();
        options
            .map(|one| format!("{} {}", one["label"], one["words"]).replace('"', ""))
            .collect()
    };
    let wrong = json!({"report": {"status": "FAIL"}, "comment": "Rent is wrong in clause 3."});

    let brief = say("draft:outcome", 1, json!({})).await;
    assert!(brief["again"].is_null() && brief["missed"].is_null(), "{brief}");
    let brief = say("check:outcome", 1, wrong.clone()).await;
    assert_eq!(
        leads(&brief),
        [
            "PASS a person is asked: “May we sign?”",
            "FAIL back to “Draft” for another round."
        ]
    );
    // What is reported has the answer's words as values: each says what it is about.
    let answers: Vec<String> = brief["answers"]
        .as_array()
        .expect("answers")
        .iter()
        .map(|one| format!("{}. {}", one["label"], one["words"]).replace('"', ""))
        .collect();
    assert_eq!(
        answers,
        [
            "PASS: I did it. “Check” counts as done. What you report decides where it goes on.",
            "FAIL: I could not do it. “Check” counts as failed. It is not tried again: the run ends as failed.",
        ]
    );
    say("draft:outcome", 2, json!({})).await;
    let brief = say("check:outcome", 2, wrong.clone()).await;
    assert_eq!(
        leads(&brief)[1],
        "FAIL a person is asked, because the loop is used up: “May we sign?”"
    );
    let said = "The loop at “Check” is used up (1 time back, the most it may go): the last status was FAIL. “Rent is wrong in clause 3.”";
    let brief = say(
        "check:hitl",
        1,
        json!({"answer": "changes", "comment": "Name the owner."}),
    )
    .await;
    assert_eq!(brief["missed"], json!([said]));
    let brief = say("draft:outcome", 3, json!({})).await;
    assert_eq!(
        brief["again"],
        "You asked for changes at “May we sign?”: “Name the owner.” This is the 3rd time that “Draft” is done."
    );
    say("check:outcome", 3, wrong).await;
    let brief = say(
        "check:hitl",
        2,
        json!({"answer": "reject", "comment": "The rent is wrong."}),
    )
    .await;
    assert_eq!(
        brief["again"],
        "You asked for changes at “May we sign?”: “Name the owner.”"
    );
    let brief = say("mend:outcome", 1, json!({})).await;
    let why = "rejected “May we sign?” (round 2): “The rent is wrong.”";
    assert_eq!(brief["again"], format!("You {why}"));
    assert_eq!(
        brief["answers"][0]["words"],
        "“Mend” counts as done. Then a person is asked: “Is it mended?”"
    );
    // Whoever looks at an answer later sees what it was given on, whatever the loop has done since.
    let answered = p
        .ok(
            "gate.brief",
            json!({"run_id": run, "gate": "lease:check:hitl", "round": 1}),
        )
        .await;
    assert_eq!(answered["missed"], json!([said]));
    let checks = answered["checks"].to_string();
    assert!(checks.contains("The loop at “Check”"), "{checks}");
    // Its work has been taken up when this is asked.
    say("mend:hitl", 1, json!({"answer": "approve"})).await;
    let report = p.ok("report.view", json!({"run_id": run})).await["html"].to_string();
    assert!(report.contains(&format!("Ada Lund {why}")), "{report}");
    assert!(report.contains("did it; status: FAIL"), "{report}");
}

/// A flow and the same as a pipeline; the second step reports an issue with the first one once.
const REPORTS: [(&str, &str); 2] = [
    (
        "hall.yaml",
        "key: hall\ntitle: A hall\nsteps:\n  - {id: design, agents: [architect], routing: {kind: linear, next: build}}\n  - {id: build, agents: [builder], routing: {kind: linear, next: open}}\n  - {id: open, agents: [builder], routing: {kind: linear}}\n",
    ),
    (
        "pipelines/PIPE-20260310-hall-100000.yaml",
        "id: PIPE-20260310-hall-100000\nname: Hall\nstages:\n  - {name: design, agents: [architect]}\n  - {name: build, agents: [builder], depends_on: [design]}\n  - {name: open, agents: [builder], depends_on: [build]}\n",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_has_the_number_that_stands_on_its_edge_also_where_work_is_sent_back() {
    let scenario = "name: sent back\nsteps:\n  design: [{}, {}]\n  build:\n    - {report: {feedback: [{to: design, type: constraint, severity: error, message: Too high.}]}}\n    - {}\n  open: [{}]\n";
    for (path, text) in REPORTS {
        let p = Project::of(&[(path, text), ("hall.scenario.yaml", scenario)]);
        let start = json!({"path": path, "scenario": "hall.scenario.yaml"});
        let run = p.ok("run.start", start).await["run_id"]
            .as_str()
            .expect("an id")
            .to_owned();
        let view = p.wait(&run, "done").await;
        let routes = view["routes"].as_array().expect("decisions");
        let mut back = 0;
        for edge in view["edges"].as_array().expect("edges") {
            let of_edge = routes.iter().filter(|route| route["edge_id"] == edge["id"]);
            back += of_edge.clone().filter(|route| route["decision"] == "loop").count();
            let numbers: Vec<&Value> = of_edge.map(|route| &route["number"]).collect();
            assert_eq!(json!(numbers), edge["taken"], "{path} {}", edge["id"]);
        }
        assert_eq!(back, 1, "{path}: {routes:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_too_large_to_be_kept_is_named_where_one_decides_and_in_every_record() {
    let p = contract().await;
    p.write(
        "gatehouse.yaml",
        "agents: {trainer: {engine: shell, run: 'truncate -s 21000000 model.bin; echo trained'}}\n",
    );
    p.write(
        "train.yaml",
        "key: train\ntitle: Train\nsteps:\n  - {id: train, agents: [trainer], outputs: [model.bin], human_gate: required, gate_question: Is it good?}\n",
    );
    let started = p.ok("run.start", json!({"path": "train.yaml", "permit": true})).await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    let card = p.until(&run, |view| !view["waiting"].is_null()).await["waiting"].clone();
    let mut of = json!({"run_id": run, "gate": card["gate"], "round": card["round"]});
    let brief = p.ok("gate.brief", of.clone()).await;
    let unkept = json!({
        "name": "model.bin is not kept",
        "status": "waiting",
        "detail": "It had 21 MB, more than Gatehouse keeps: no record has what it held.",
    });
    let checks = brief["checks"].as_array().expect("checks");
    assert!(checks.contains(&unkept), "{checks:?}");
    of["answer"] = "approve".into();
    p.ok("gate.answer", of).await;
    p.wait(&run, "done").await;
    let step = p.ok("run.step", json!({"run_id": run, "step": "train"})).await;
    let attempt = &step["visits"][0]["attempts"][0];
    assert_eq!(attempt["unkept"], json!([unkept]), "{step}");
    let report = p.ok("report.view", json!({"run_id": run})).await["html"].to_string();
    assert!(report.contains("model.bin is not kept"), "{report}");
}

/// Whoever takes their trust back stops what waits as well: an answer does not start a program of the folder.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_goes_on_for_real_once_trust_is_taken_back() {
    let flow = "key: out\ntitle: Out\nsteps:\n  - {id: look, agents: [writer], human_gate: required, gate_at: after, routing: {kind: linear, next: send}}\n  \
                - {id: send, agents: [sender], routing: {kind: linear}}\n";
    let agents = "version: 1\npermissions: {mode: allow}\nagents:\n  writer: {engine: shell, run: \"true\"}\n  sender: {engine: shell, run: \"touch sent.txt\"}\n";
    let p = Project::of(&[("out.yaml", flow), ("gatehouse.yaml", agents)])
        .signed_by("Ada Lund")
        .await;
    let run = p.ok("run.start", json!({"path": "out.yaml"})).await["run_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    p.until(&run, |view| !view["waiting"].is_null()).await;
    p.ok("project.trust", json!({"trust": false})).await;
    p.until(&run, |view| view["driver"].is_null()).await;
    let gate = json!({"run_id": run, "gate": "out:look:hitl", "round": 1});
    let brief = p.ok("gate.brief", gate.clone()).await;
    assert!(
        brief["left_open"]
            .as_str()
            .is_some_and(|why| why.contains("nothing of it runs")),
        "{brief}"
    );
    let mut answer = gate;
    answer["answer"] = "approve".into();
    p.ok("gate.answer", answer).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!p.folder.path().join("sent.txt").exists());
    // Trusted again it goes on where it stood.
    p.ok("project.trust", json!({"trust": true})).await;
    p.wait(&run, "done").await;
    assert!(p.folder.path().join("sent.txt").exists());
}

/// A file that no step made is not said to have been changed after one made it.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_from_before_the_run_that_is_changed_since_is_not_told_as_made() {
    let text = "key: memo\ntitle: Memo\nsteps:\n  \
        - {id: look, agents: [clerk], outputs: [memo.md], human_gate: required}\n";
    let settings = "permissions: {mode: allow}\nagents: {clerk: {engine: shell, run: 'true'}}\n";
    let p = Project::of(&[("memo.yaml", text), ("gatehouse.yaml", settings), ("memo.md", "old\n")]);
    // The clock of a file system may be a little behind.
    tokio::time::sleep(Duration::from_millis(100)).await;
    let started = p.ok("run.start", json!({"path": "memo.yaml"})).await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    p.until(&run, |view| view["waiting"]["gate"] == "memo:look:hitl").await;
    p.write("memo.md", "another one\n");
    let brief = p
        .ok("gate.brief", json!({"run_id": run, "gate": "memo:look:hitl"}))
        .await;
    assert_eq!(brief["artifacts"][0]["was_there"], true, "{brief:#}");
    let checks = brief["checks"].to_string();
    assert!(
        checks.contains("It was there before the run began, and was changed"),
        "{checks}"
    );
    assert!(!checks.contains("after the step made it"), "{checks}");
}

/// A step that wrote the same again, or only touched the file, has changed nothing: whoever decides is told.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_holds_what_it_held_before_is_told_at_the_gate_and_in_the_report() {
    let text = "key: memo\ntitle: Memo\nsteps:\n  \
        - {id: look, agents: [clerk], outputs: [memo.md, other.md, odd/], human_gate: required}\n";
    let settings = "permissions: {mode: allow}\nagents: {clerk: {engine: shell, run: sh work.sh}}\n";
    let work = "touch memo.md\necho new > other.md\nmkdir odd\necho x > 'odd/a\nb.md'\n";
    let p = Project::of(&[
        ("memo.yaml", text),
        ("gatehouse.yaml", settings),
        ("work.sh", work),
        ("memo.md", "old\n"),
        ("other.md", "old\n"),
    ]);
    let started = p.ok("run.start", json!({"path": "memo.yaml"})).await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    p.until(&run, |view| view["waiting"]["gate"] == "memo:look:hitl").await;
    let brief = p
        .ok("gate.brief", json!({"run_id": run, "gate": "memo:look:hitl"}))
        .await;
    let checks = brief["checks"].to_string();
    assert!(checks.contains("memo.md holds what it held before"), "{checks}");
    assert!(!checks.contains("other.md"), "{checks}");
    assert!(!checks.contains("waiting"), "it is no warning: {checks}");
    let report = p.ok("report.view", json!({"run_id": run})).await;
    let html = report["html"].as_str().expect("a page");
    assert!(html.contains("memo.md holds what it held before"), "{html}");
    // A name is one line, whatever stands in it.
    assert!(html.contains("odd&#x2f;a␊b.md"), "{html}");
}

/// To hold the same as before is no fault, unless somebody has asked for something else.
#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_changes_nothing_although_changes_were_asked_for_is_warned_of() {
    let text = "key: memo\ntitle: Memo\nsteps:\n  \
        - {id: look, agents: [clerk], outputs: [memo.md], human_gate: required}\n";
    let settings = "permissions: {mode: allow}\nagents: {clerk: {engine: shell, run: touch memo.md}}\n";
    let p = Project::of(&[("memo.yaml", text), ("gatehouse.yaml", settings), ("memo.md", "old\n")]);
    let p = p.signed_by("Ada Lund").await;
    let started = p.ok("run.start", json!({"path": "memo.yaml"})).await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    for (round, status) in [(1, "not_started"), (2, "waiting")] {
        p.until(&run, |view| view["waiting"]["round"] == round).await;
        let of = json!({"run_id": run, "gate": "memo:look:hitl", "round": round});
        let brief = p.ok("gate.brief", of.clone()).await;
        let checks = brief["checks"].as_array().expect("checks").iter();
        let mut same = checks.filter(|check| check["name"] == "memo.md holds what it held before");
        assert_eq!(same.next().expect("it is told")["status"], status, "{brief:#}");
        let mut answer = of;
        answer["answer"] = "changes".into();
        answer["comment"] = "Say who.".into();
        p.ok("gate.answer", answer).await;
    }
}

/// For what `--yes` approves nobody has looked: its files were named and not shown, in the record and wherever it is told.
#[tokio::test(flavor = "multi_thread")]
async fn what_yes_approves_was_shown_to_nobody() {
    let text = "key: memo\ntitle: Memo\nsteps:\n  \
        - {id: look, agents: [clerk], outputs: [memo.md], human_gate: required, routing: {kind: terminal}}\n";
    let settings = "permissions: {mode: allow}\nagents: {clerk: {engine: shell, run: 'echo Pay. > memo.md'}}\n";
    let p = Project::of(&[("memo.yaml", text), ("gatehouse.yaml", settings)]);
    let p = p.signed_by("Ada Lund").await;
    let started = p.ok("run.start", json!({"path": "memo.yaml"})).await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    p.until(&run, |view| view["waiting"]["gate"] == "memo:look:hitl").await;
    let given = p.studio.approve_unseen(&run, "memo:look:hitl", 1, "Ada Lund").await;
    given.expect("it is asked");
    let decided = p.ok("decisions.list", json!({})).await;
    assert_eq!(
        decided["decisions"][0]["decision"]["not_shown"],
        json!(["memo.md"]),
        "{decided:#}"
    );
    let saved = p.ok("decisions.save", json!({})).await;
    let table = std::fs::read_to_string(saved["path"].as_str().expect("a path")).expect("written");
    let [head, row] = table.lines().collect::<Vec<_>>()[..] else {
        panic!("{table}");
    };
    assert!(head.ends_with(",not shown") && row.ends_with(",memo.md"), "{table}");
    let report = p.ok("report.view", json!({"run_id": run})).await;
    let html = report["html"].as_str().expect("html");
    for says in ["<dt>Named, not shown: memo.md</dt>", "memo.md (named, not shown)"] {
        assert!(html.contains(says), "{says} in {html}");
    }
    let verified = p.ok("run.verify", json!({"run_id": run})).await;
    assert_eq!(
        (&verified["ok"], &verified["signatures"]),
        (&json!(true), &json!(1)),
        "{verified}"
    );
}

/// An answer stands under the question that it was given to, and what was skipped is not asked about as if it had been done.
#[tokio::test(flavor = "multi_thread")]
async fn an_earlier_round_says_what_was_asked_then() {
    let text = "key: memo\ntitle: Memo\nsteps:\n  - {id: write, name: Write, agents: [writer], human_gate: required}\n";
    let skips =
        r#"[ -e once ] || { touch once; echo '{"status": "skipped", "error": "no data"}' > "$GATEHOUSE_REPORT"; }"#;
    let settings = format!("permissions: {{mode: allow}}\nagents: {{writer: {{engine: shell, run: {skips:?}}}}}\n");
    let p = Project::of(&[("memo.yaml", text), ("gatehouse.yaml", &settings)]);
    let p = p.signed_by("Ada Lund").await;
    let started = p.ok("run.start", json!({"path": "memo.yaml"})).await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    let asked = async |round: u32| {
        p.until(&run, |view| view["waiting"]["round"] == round).await;
        p.ok("gate.brief", json!({"run_id": run, "gate": "memo:write:hitl"}))
            .await
    };
    let skipped = "“Write” was skipped (no data). Do you approve that?";
    let brief = asked(1).await;
    assert_eq!(brief["question"], skipped);
    assert_eq!(brief["rounds"][0].get("question"), None);
    let of = json!({"run_id": run, "gate": "memo:write:hitl", "round": 1, "answer": "changes", "comment": "do it"});
    p.ok("gate.answer", of).await;
    let brief = asked(2).await;
    assert_eq!(brief["question"], "“Write” is done. Do you approve the result?");
    assert_eq!(brief["rounds"][0]["question"], skipped);
    assert_eq!(brief["rounds"][1].get("question"), None);
}

/// It is said which time a step went by other files than those that were approved, and that it was done again as approved.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_was_not_as_approved_is_told_with_the_time_and_what_came_of_it() {
    let text = "key: memo\ntitle: Memo\nsteps:\n  \
        - {id: write, agents: [writer], outputs: [memo.md], human_gate: required, routing: {kind: linear, next: publish}}\n  \
        - {id: publish, name: Publish, agents: [grace], inputs: [memo.md], human_gate: required}\n";
    let settings =
        "permissions: {mode: allow}\nagents: {writer: {engine: shell, run: 'echo one > memo.md'}, grace: person}\n";
    let p = Project::of(&[("memo.yaml", text), ("gatehouse.yaml", settings)]);
    let p = p.signed_by("Ada Lund").await;
    let started = p.ok("run.start", json!({"path": "memo.yaml"})).await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    let told = |view: &Value| -> Vec<String> {
        let remarks = view["remarks"].as_array().expect("remarks").iter();
        remarks.filter_map(|one| one.as_str().map(str::to_owned)).collect()
    };
    let answer = async |gate: &str, round: u32, answer: &str| {
        let is_asked = |view: &Value| view["waiting"]["gate"] == gate && view["waiting"]["round"] == round;
        let view = p.until(&run, is_asked).await;
        let of = json!({"run_id": run, "gate": gate, "round": round, "answer": answer, "comment": "as it says"});
        p.ok("gate.answer", of).await;
        view
    };
    // A file that is another one by now is told where one answers.
    p.until(&run, |view| view["waiting"]["gate"] == "memo:write:hitl").await;
    p.write("memo.md", "two\n");
    let asked = json!({"run_id": run, "gate": "memo:write:hitl"});
    let brief = p.ok("gate.brief", asked.clone()).await;
    let known = "memo.md on disk is another version by now than what is shown here. ";
    assert!(told(&brief).iter().any(|one| one.starts_with(known)), "{brief:#}");
    p.write("memo.md", "one\n");
    let brief = p.ok("gate.brief", asked).await;
    assert!(!brief["remarks"].to_string().contains("on disk"), "{brief:#}");
    answer("memo:write:hitl", 1, "approve").await;
    p.until(&run, |view| view["waiting"]["gate"] == "memo:publish:outcome")
        .await;
    // Whoever carries the step out knows it before they begin; nothing is decided there.
    let asked = json!({"run_id": run, "gate": "memo:publish:outcome"});
    let brief = p.ok("gate.brief", asked.clone()).await;
    assert!(!brief["remarks"].to_string().contains("on disk"), "{brief:#}");
    p.write("memo.md", "another one\n");
    let brief = p.ok("gate.brief", asked).await;
    let known = "memo.md on disk is not what Ada Lund approved: it was changed after it was shown. You work with the file on disk, ";
    assert!(told(&brief)[0].starts_with(known), "{brief:#}");
    assert!(!brief["checks"].to_string().contains("You decide"), "{brief:#}");
    answer("memo:publish:outcome", 1, "pass").await;
    let view = answer("memo:publish:hitl", 1, "changes").await;
    let remark = "When “Publish” began, memo.md was not what Ada Lund approved.";
    assert!(told(&view).contains(&remark.to_owned()), "{view:#}");
    p.until(&run, |view| view["waiting"]["gate"] == "memo:publish:outcome")
        .await;
    p.write("memo.md", "one\n");
    answer("memo:publish:outcome", 2, "pass").await;
    answer("memo:publish:hitl", 2, "approve").await;
    let view = p.wait(&run, "done").await;
    let remark = "The 1st time “Publish” began, memo.md was not what Ada Lund approved. It was done again later, and then \
                  no file differed from what was approved.";
    assert!(told(&view).contains(&remark.to_owned()), "{view:#}");
    let log = p.ok("run.log", json!({"run_id": run})).await.to_string();
    assert!(
        log.contains("Run done after 2 steps, some of them done again."),
        "{log}"
    );
    // Behind the last gate no step comes that would look.
    let of = json!({"run_id": run});
    let whole = p.ok("run.verify", of.clone()).await;
    assert!(!whole["notes"].to_string().contains("approved"), "{whole:#}");
    assert!(
        !told(&view).iter().any(|one| one.contains("The record holds")),
        "{view:#}"
    );
    for (text, became) in [
        (Some("later\n"), "changed afterwards: it is "),
        (None, "is gone now, or cannot be read."),
    ] {
        match text {
            Some(text) => p.write("memo.md", text),
            None => std::fs::remove_file(p.folder.path().join("memo.md")).expect("removed"),
        }
        let view = p.ok("run.view", of.clone()).await;
        let known = |said: &String| said.starts_with("memo.md was approved by Ada Lund as ") && said.contains(became);
        assert!(told(&view).iter().any(known), "{view:#}");
        let verified = p.ok("run.verify", of.clone()).await;
        let mut notes = verified["notes"]
            .as_array()
            .expect("notes")
            .iter()
            .filter_map(Value::as_str);
        assert!(notes.any(|note| known(&note.to_owned())), "{verified:#}");
        assert_eq!(verified["ok"], true, "{verified:#}");
    }
}

/// Two runs of one workflow write over each other's files: who starts another one is told of those that are not over.
#[tokio::test(flavor = "multi_thread")]
async fn who_starts_a_workflow_is_told_of_its_runs_that_are_not_over() {
    let text =
        "key: memo\ntitle: Memo\nsteps:\n  - {id: write, agents: [writer], outputs: [memo.md], human_gate: required}\n";
    let settings = "permissions: {mode: allow}\nagents: {writer: {engine: shell, run: 'echo one > memo.md'}}\n";
    let p = Project::of(&[("memo.yaml", text), ("gatehouse.yaml", settings)]);
    let p = p.signed_by("Ada Lund").await;
    let under_way = async || p.ok("run.brief", json!({"path": "memo.yaml"})).await["under_way"].clone();
    assert_eq!(under_way().await, Value::Null);
    // What a rehearsal makes lies in its own folder.
    let rehearsal = json!({"path": "memo.yaml", "rehearse": true});
    p.ok("run.start", rehearsal).await;
    assert_eq!(under_way().await, Value::Null);
    let started = p.ok("run.start", json!({"path": "memo.yaml"})).await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    p.until(&run, |view| view["waiting"]["gate"] == "memo:write:hitl").await;
    let said = "A run of this workflow is not over: its steps and those of this one make the same files.";
    assert_eq!(under_way().await, said);
    let of = json!({"run_id": run, "gate": "memo:write:hitl", "round": 1, "answer": "approve", "comment": ""});
    p.ok("gate.answer", of).await;
    p.wait(&run, "done").await;
    assert_eq!(under_way().await, Value::Null);
}

/// What a step found otherwise than it was approved is told at the top of every later gate, and stays there once that is answered.
#[tokio::test(flavor = "multi_thread")]
async fn a_later_gate_tells_first_what_was_not_as_approved() {
    let text = "key: memo\ntitle: Memo\nsteps:\n  \
        - {id: write, agents: [writer], outputs: [memo.md], human_gate: required, routing: {kind: linear, next: look}}\n  \
        - {id: look, name: Look, agents: [nobody], routing: {kind: linear, next: pack}}\n  \
        - {id: pack, agents: [packer], outputs: [all.md], human_gate: required}\n";
    let settings = "permissions: {mode: allow}\nagents:\n  writer: {engine: shell, run: 'echo one > memo.md'}\n  \
        nobody: {engine: shell, run: 'true'}\n  packer: {engine: shell, run: 'cp memo.md all.md'}\n";
    let p = Project::of(&[("memo.yaml", text), ("gatehouse.yaml", settings)]);
    let p = p.signed_by("Ada Lund").await;
    let started = p.ok("run.start", json!({"path": "memo.yaml"})).await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    p.until(&run, |view| view["waiting"]["gate"] == "memo:write:hitl").await;
    p.write("memo.md", "of another\n");
    let answer = |gate: &str| json!({"run_id": run, "gate": gate, "round": 1, "answer": "approve", "comment": ""});
    p.ok("gate.answer", answer("memo:write:hitl")).await;
    p.until(&run, |view| view["waiting"]["gate"] == "memo:pack:hitl").await;
    let of = json!({"run_id": run, "gate": "memo:pack:hitl"});
    let remark = "When “Look” began, memo.md was not what Ada Lund approved.";
    let brief = p.ok("gate.brief", of.clone()).await;
    assert_eq!(brief["remarks"][0], remark, "{brief:#}");
    p.ok("gate.answer", answer("memo:pack:hitl")).await;
    p.wait(&run, "done").await;
    let brief = p.ok("gate.brief", of).await;
    assert_eq!(brief["remarks"][0], remark, "{brief:#}");
}

/// Whoever resumes a run at a step that found a changed file is told that a person is asked again there, and where the file is made anew.
#[tokio::test(flavor = "multi_thread")]
async fn who_resumes_where_a_file_was_changed_is_told_where_it_is_made_anew() {
    let text = "key: memo\ntitle: Memo\nsteps:\n  \
        - {id: write, agents: [writer], outputs: [memo.md], routing: {kind: linear, next: publish}}\n  \
        - {id: publish, agents: [printer], inputs: [memo.md], human_gate: required, gate_at: before}\n";
    let settings = "permissions: {mode: allow}\nagents:\n  writer: {engine: shell, run: 'echo one > memo.md'}\n  \
        printer: {engine: shell, run: 'grep -q one memo.md'}\n";
    let p = Project::of(&[("memo.yaml", text), ("gatehouse.yaml", settings)]);
    let p = p.signed_by("Ada Lund").await;
    let started = p.ok("run.start", json!({"path": "memo.yaml"})).await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    let view = p.wait(&run, "blocked").await;
    p.write("memo.md", "two\n");
    let gate = &view["waiting"]["gate"];
    let approve = json!({"run_id": run, "gate": gate, "round": 1, "answer": "approve", "comment": ""});
    p.ok("gate.answer", approve).await;
    let view = p.wait(&run, "failed").await;
    let words = view["resume"]["words"].as_str().expect("it can be resumed");
    let told = " A person is asked again before it begins. “memo.md” was not as it was approved, and is not made anew by that: \
                go on at “Write”, which made it, so that it is seen again.";
    assert!(words.contains(told), "{words}");
    let now = " memo.md on disk is not what Ada Lund approved: it was changed after it was shown.";
    assert!(words.ends_with(now), "{words}");
}

/// A card says how a long question begins; its page has all of it.
#[tokio::test(flavor = "multi_thread")]
async fn a_long_question_is_shortened_on_its_card() {
    let long = "Is every word of it true? ".repeat(20);
    let long = long.trim_end();
    let text = format!(
        "key: one\ntitle: One\nsteps:\n  - {{id: make, agents: [w], human_gate: required, gate_question: '{long}'}}\n"
    );
    let p = Project::of(&[("one.yaml", text.as_str())]).signed_by("Ada Lund").await;
    let start = json!({"path": "one.yaml", "rehearse": true});
    let run = p.ok("run.start", start).await["run_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    p.wait(&run, "blocked").await;
    let inbox = p.ok("inbox.list", Value::Null).await;
    let card = &inbox["waiting"][0];
    let question = card["question"].as_str().expect("a question");
    assert!(
        question.chars().count() == 241 && question.ends_with('…') && long.starts_with(question.trim_end_matches('…')),
        "{question}"
    );
    let brief = p.ok("gate.brief", json!({"run_id": run, "gate": card["gate"]})).await;
    assert_eq!(brief["question"], long);
}

/// Who is asked about a file that was not made is told so before anything else.
#[tokio::test(flavor = "multi_thread")]
async fn a_question_about_a_file_that_was_not_made_says_so_first() {
    let p = contract().await;
    p.write(
        "sign.yaml",
        "key: sign\ntitle: Sign\nsteps:\n  - {id: sign, role: Sign it, outputs: [signed.txt], human_gate: required}\n",
    );
    let start = json!({"path": "sign.yaml", "assigned": {"sign": ""}});
    let run = p.ok("run.start", start).await["run_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    p.until(&run, |view| view["waiting"]["gate"] == "sign:sign:outcome")
        .await;
    let pass = json!({"run_id": run, "gate": "sign:sign:outcome", "round": 1, "answer": "pass"});
    p.ok("gate.answer", pass).await;
    p.until(&run, |view| view["waiting"]["gate"] == "sign:sign:hitl").await;
    let brief = p
        .ok("gate.brief", json!({"run_id": run, "gate": "sign:sign:hitl"}))
        .await;
    assert_eq!(
        brief["remarks"][0],
        "“Sign” was done without signed.txt: the workflow says that it makes it, and nothing was there."
    );
}

/// What a rejection does, and whether it can be taken back, is one thing.
#[tokio::test(flavor = "multi_thread")]
async fn a_rejection_that_can_be_resumed_is_not_said_to_be_the_end() {
    let text = "key: one\ntitle: One\nsteps:\n  - {id: make, agents: [w], human_gate: required}\n";
    let settings = "permissions: {mode: allow}\nagents: {w: {engine: shell, run: 'true'}}\n";
    let p = Project::of(&[("one.yaml", text), ("gatehouse.yaml", settings)]);
    let p = p.signed_by("Ada Lund").await;
    let started = p.ok("run.start", json!({"path": "one.yaml"})).await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    let view = p.wait(&run, "blocked").await;
    let of = json!({"run_id": run, "gate": view["waiting"]["gate"], "round": 1});
    let brief = p.ok("gate.brief", of).await;
    let of_rejection = |list: &Value, what: &str| {
        let mut found = list.as_array().expect("a list").iter();
        let found = found.find(|one| one["answer"] == "reject").expect("it can be rejected");
        found[what].as_str().expect("words").to_owned()
    };
    assert_eq!(
        of_rejection(&brief["answers"], "words"),
        "The run ends as rejected, with your name and comment, unless it is resumed at this step."
    );
    assert_eq!(
        of_rejection(&brief["record"]["options"], "reversibility"),
        "not final: the run can be resumed at this step; your answer stays in the record"
    );
}

/// What was approved before the work is no reason for what follows the work.
#[tokio::test(flavor = "multi_thread")]
async fn an_approval_before_the_work_is_no_reason_for_what_follows_it() {
    let text = "key: deal\ntitle: Deal\nsteps:\n  \
        - {id: sign, agents: [clerk], human_gate: required, gate_at: before, gate_question: May it be signed?, routing: {kind: linear, next: file}}\n  \
        - {id: file, agents: [clerk]}\n";
    let settings = "permissions: {mode: allow}\nagents: {clerk: {engine: shell, run: 'true'}}\n";
    let p = Project::of(&[("deal.yaml", text), ("gatehouse.yaml", settings)]);
    let p = p.signed_by("Ada Lund").await;
    let started = p.ok("run.start", json!({"path": "deal.yaml"})).await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    let view = p.wait(&run, "blocked").await;
    let gate = &view["waiting"]["gate"];
    let approve = json!({"run_id": run, "gate": gate, "round": 1, "answer": "approve", "comment": ""});
    p.ok("gate.answer", approve).await;
    let view = p.wait(&run, "done").await;
    assert_eq!(view["routes"][0]["why"], "After “Sign” comes “File”.", "{view:#}");
    assert_eq!(view["routes"][0]["source_words"], "the workflow's own rule");
}

/// Two windows of one person: one of them changes the name, and what the other one answers bears no name that nobody saw there.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_bears_the_name_that_its_window_showed_or_is_not_recorded() {
    let flow = "key: memo\ntitle: Memo\nsteps:\n  - {id: write, agents: [w], human_gate: required, routing: {kind: terminal}}\n";
    let p = Project::of(&[
        ("memo.yaml", flow),
        ("gatehouse.yaml", "agents: {w: {engine: shell, run: 'true'}}\n"),
    ]);
    let p = p.signed_by("Ada Lund").await;
    let started = p.ok("run.start", json!({"path": "memo.yaml"})).await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    let view = p.wait(&run, "blocked").await;
    let of = json!({"run_id": run, "gate": view["waiting"]["gate"], "round": view["waiting"]["round"]});
    let shown = p.ok("gate.brief", of.clone()).await["signer"]["name"].clone();
    assert_eq!(shown, "Ada Lund");
    let other = p.opened_again();
    let renamed = other.rpc("settings.set", json!({"name": "Bo Berg"})).await;
    renamed.expect("the other window changes the name");
    let mut answer = of.clone();
    answer["answer"] = "approve".into();
    answer["by"] = shown;
    let refused = p.refused("gate.answer", answer.clone()).await;
    assert_eq!(refused.code, "refused:shown_changed");
    assert!(
        refused.message.contains("Bo Berg") && refused.message.contains("Ada Lund"),
        "{}",
        refused.message
    );
    // The page is asked for again, and says whose name it is by now.
    answer["by"] = p.ok("gate.brief", of).await["signer"]["name"].clone();
    let answered = p.ok("gate.answer", answer).await;
    assert_eq!(answered["answered"]["by"], "Bo Berg", "{answered}");
}

/// A page says what it has not drawn; of one that says nothing a PDF document is named, and a copy of exactly that version can be saved.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_no_page_has_drawn_is_recorded_as_named_and_can_be_saved() {
    const PDF: &str = "%PDF-1.4 all of it is text";
    let flow = "key: memo\ntitle: Memo\nsteps:\n  \
        - {id: write, agents: [w], outputs: [memo.pdf, memo.md], human_gate: required, routing: {kind: terminal}}\n";
    let p = Project::of(&[
        ("memo.yaml", flow),
        (
            "gatehouse.yaml",
            "permissions: {mode: allow}\nagents: {w: {engine: shell, run: 'sh write.sh'}}\n",
        ),
        (
            "write.sh",
            "printf '%%PDF-1.4 all of it is text' > memo.pdf\nprintf 'Pay.\\n\\n<!-- Without limit. -->\\n' > memo.md\n",
        ),
    ]);
    let p = p.signed_by("Ada Lund").await;
    let started = p.ok("run.start", json!({"path": "memo.yaml"})).await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    let view = p.wait(&run, "blocked").await;
    let of = json!({"run_id": run, "gate": view["waiting"]["gate"], "round": view["waiting"]["round"]});
    let me = Identity::open_in(p.home.path(), false).expect("the identity");
    let window = Studio::open_as(p.folder.path(), Client::Desktop, me).expect("the project");
    let brief = window.rpc("gate.brief", of.clone()).await.expect("the brief");
    let file = |path: &str| {
        let files = brief["artifacts"].as_array().expect("files");
        let found = files.iter().find(|one| one["path"] == path);
        found.cloned().unwrap_or_else(|| panic!("{path} in {brief}"))
    };
    let (pdf, text) = (file("memo.pdf"), file("memo.md"));
    assert!(pdf["html"].is_null(), "{pdf}");
    assert_eq!((&pdf["kind"], &pdf["not_shown"]), (&json!("pdf"), &Value::Null));
    for shown in [&text["html"], &text["written"]] {
        let shown = shown.as_str().expect("in the first round");
        assert!(shown.contains("Without limit."), "{shown}");
    }

    // The file in the project is another one by now; what is drawn, and the copy, are of what is asked about.
    p.write("memo.pdf", "something else");
    let copy = json!({"run_id": run, "path": "memo.pdf", "digest": pdf["digest"]});
    let bytes = p.ok("run.file.bytes", copy.clone()).await;
    let whole = json!({"media": "application/pdf", "base64": "JVBERi0xLjQgYWxsIG9mIGl0IGlzIHRleHQ="});
    assert_eq!(bytes, whole);
    let words = json!({"run_id": run, "path": "memo.md", "digest": text["digest"]});
    assert_eq!(p.refused("run.file.bytes", words).await.code, "not_drawn");
    let other = json!({"run_id": run, "path": "memo.yaml", "digest": "00"});
    assert_eq!(p.refused("run.file.bytes", other).await.code, "not_found");
    let saved = p.ok("run.file.save", copy.clone()).await;
    let saved = saved["path"].as_str().expect("where");
    assert!(saved.ends_with("memo.pdf"), "{saved}");
    assert_eq!(std::fs::read_to_string(saved).expect("there"), PDF);
    let to = p.folder.path().join("chosen.pdf");
    let mut chosen = copy.clone();
    chosen["to"] = json!(to);
    window.rpc("run.file.save", chosen).await.expect("saved");
    assert_eq!(std::fs::read_to_string(&to).expect("there"), PDF);
    // What is attached to it goes where the person says, and nowhere else.
    let mut attached = copy.clone();
    attached["attached"] = json!("YWJj");
    assert_eq!(p.refused("run.file.save", attached.clone()).await.code, "no_place");
    let to = p.folder.path().join("prices.xlsx");
    attached["to"] = json!(to);
    window.rpc("run.file.save", attached).await.expect("saved");
    assert_eq!(std::fs::read_to_string(&to).expect("there"), "abc");
    let other = json!({"run_id": run, "path": "memo.yaml", "digest": "00"});
    assert_eq!(p.refused("run.file.save", other).await.code, "not_found");

    let mut answer = of;
    answer["answer"] = "approve".into();
    answer["seen"] = brief["artifacts"]
        .as_array()
        .expect("files")
        .iter()
        .map(|one| one["digest"].clone())
        .collect();
    window.rpc("gate.answer", answer).await.expect("answered");
    let report = p.ok("report.view", json!({"run_id": run})).await;
    let html = report["html"].as_str().expect("html");
    assert!(html.contains("<dt>Named, not shown: memo.pdf</dt>"), "{html}");
    let named = "This is a PDF document: a report names it and does not draw it.";
    assert!(html.contains(named), "{html}");
    assert!(html.contains("<dt>Shown in the window: memo.md</dt>"), "{html}");
    assert!(
        html.contains("Without limit."),
        "the report leaves out nothing that was shown"
    );
    let verified = p.ok("run.verify", json!({"run_id": run})).await;
    let findings = verified["findings"].as_array().expect("findings");
    assert!(
        findings.iter().all(|one| one["code"] != "signature_invalid"),
        "{verified}"
    );
}

/// What a page says of what it has drawn counts for what it draws itself, and nothing that it says makes a file shown that nobody can draw.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_has_drawn_is_shown_and_what_it_says_it_has_not_is_named() {
    let flow = "key: scan\ntitle: Scan\nsteps:\n  \
        - {id: scan, agents: [w], outputs: [a.pdf, b.png, c.txt, d.bin], human_gate: required, routing: {kind: terminal}}\n";
    let p = Project::of(&[
        ("scan.yaml", flow),
        (
            "gatehouse.yaml",
            "permissions: {mode: allow}\nagents: {w: {engine: shell, run: 'sh scan.sh'}}\n",
        ),
        (
            "scan.sh",
            "printf '%%PDF-1.4' > a.pdf\nprintf '\\211PNG\\r\\n\\032\\n\\000\\000\\000\\000IEND1234' > b.png\necho Pay. > c.txt\n\
             printf 'a\\000b' > d.bin\n",
        ),
    ]);
    let p = p.signed_by("Ada Lund").await;
    let me = Identity::open_in(p.home.path(), false).expect("the identity");
    let window = Studio::open_as(p.folder.path(), Client::Desktop, me).expect("the project");
    // Which files the page says that it has not drawn, and what the record then says of each.
    let cases: [(Option<&[usize]>, [&str; 4]); 4] = [
        (None, ["Named", "Named", "Shown", "Named"]),
        (Some(&[]), ["Shown", "Shown", "Shown", "Named"]),
        (Some(&[1]), ["Shown", "Named", "Shown", "Named"]),
        (Some(&[0, 2]), ["Named", "Shown", "Named", "Named"]),
    ];
    for (told, words) in cases {
        let started = p.ok("run.start", json!({"path": "scan.yaml"})).await;
        let run = started["run_id"].as_str().expect("an id").to_owned();
        let view = p.wait(&run, "blocked").await;
        let of = json!({"run_id": run, "gate": view["waiting"]["gate"], "round": view["waiting"]["round"]});
        let brief = window.rpc("gate.brief", of.clone()).await.expect("the brief");
        let files = brief["artifacts"].as_array().expect("files");
        let digest = |name: &str| {
            let found = files.iter().find(|one| one["path"] == name);
            found.unwrap_or_else(|| panic!("{name} in {brief}"))["digest"].clone()
        };
        let names = ["a.pdf", "b.png", "c.txt", "d.bin"];
        let mut answer = of;
        answer["answer"] = "approve".into();
        answer["seen"] = files.iter().map(|one| one["digest"].clone()).collect();
        if let Some(told) = told {
            answer["undrawn"] = told.iter().map(|i| digest(names[*i])).collect();
        }
        window.rpc("gate.answer", answer).await.expect("answered");
        let report = p.ok("report.view", json!({"run_id": run})).await;
        let html = report["html"].as_str().expect("html");
        for (name, word) in names.iter().zip(words) {
            let says = match word {
                "Shown" => format!("<dt>Shown in the window: {name}</dt>"),
                _ => format!("<dt>Named, not shown: {name}</dt>"),
            };
            assert!(html.contains(&says), "{told:?}: {says}");
        }
    }
}

/// A Word document is shown with its words, at the gate and in the report; one that is locked is named, and one with another document in it as well.
#[tokio::test(flavor = "multi_thread")]
async fn a_word_document_is_shown_and_one_that_is_locked_is_named() {
    let flow = "key: sign\ntitle: Sign\nsteps:\n  \
        - {id: draft, agents: [w], outputs: [a.docx, b.docx, c.docx], human_gate: required, routing: {kind: terminal}}\n";
    let p = Project::of(&[
        ("sign.yaml", flow),
        (
            "gatehouse.yaml",
            "permissions: {mode: allow}\nagents: {w: {engine: shell, run: 'cp from.docx a.docx; cp locked.docx b.docx; cp partly.docx c.docx'}}\n",
        ),
    ]);
    let main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
    let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument";
    let document = |behind: &str| {
        let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (name, text) in [
            (
                "[Content_Types].xml",
                format!(
                    "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
                 <Override PartName=\"/main.xml\" ContentType=\"{main}\"/></Types>"
                ),
            ),
            (
                "_rels/.rels",
                format!(
                    "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
                 <Relationship Id=\"a\" Type=\"{kind}\" Target=\"main.xml\"/></Relationships>"
                ),
            ),
            (
                "main.xml",
                format!(
                    "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body><w:p><w:r>\
                 <w:t>Liable without limit.</w:t></w:r></w:p>{behind}</w:body></w:document>"
                ),
            ),
        ] {
            let options = zip::write::SimpleFileOptions::default();
            archive.start_file(name, options).expect("begun");
            std::io::Write::write_all(&mut archive, text.as_bytes()).expect("written");
        }
        archive.finish().expect("finished").into_inner()
    };
    let locked: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let locked = [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".as_slice(), &locked].concat();
    for (name, bytes) in [
        ("from.docx", document("")),
        ("locked.docx", locked),
        ("partly.docx", document("<w:altChunk/>")),
    ] {
        std::fs::write(p.folder.path().join(name), bytes).expect("written");
    }
    let p = p.signed_by("Ada Lund").await;
    let me = Identity::open_in(p.home.path(), false).expect("the identity");
    let window = Studio::open_as(p.folder.path(), Client::Desktop, me).expect("the project");
    let started = p.ok("run.start", json!({"path": "sign.yaml"})).await;
    let run = started["run_id"].as_str().expect("an id").to_owned();
    let view = p.wait(&run, "blocked").await;
    let mut of = json!({"run_id": run, "gate": view["waiting"]["gate"], "round": view["waiting"]["round"]});
    let brief = window.rpc("gate.brief", of.clone()).await.expect("the brief");
    let files = brief["artifacts"].as_array().expect("files");
    let file = |path: &str| files.iter().find(|one| one["path"] == path).expect(path);
    assert_eq!(file("a.docx")["kind"], "word");
    assert_eq!(file("a.docx")["html"], "<p>Liable without limit.</p>\n");
    assert_eq!(
        (&file("b.docx")["kind"], &file("b.docx")["html"]),
        (&json!("binary"), &Value::Null)
    );
    assert_eq!(
        (&file("a.docx")["partly"], &file("c.docx")["partly"]),
        (&Value::Null, &json!(true))
    );
    of["answer"] = "approve".into();
    of["seen"] = files.iter().map(|one| one["digest"].clone()).collect();
    of["undrawn"] = json!([]);
    window.rpc("gate.answer", of).await.expect("answered");
    let report = p.ok("report.view", json!({"run_id": run})).await;
    let html = report["html"].as_str().expect("html");
    for says in [
        "<dt>Shown in the window: a.docx</dt>",
        "<dt>Named, not shown: b.docx</dt>",
        "<dt>Named, not shown: c.docx</dt>",
        "<p>Liable without limit.</p>",
        "This is a Word document, as its words",
        "locked with a password",
    ] {
        assert!(html.contains(says), "{says} in {html}");
    }
}

const RELEASE: &str = "key: release\ntitle: Release\nsteps:\n  \
    - {id: check, agents: [x], human_gate: required, gate_question: Is it good?, gate_asks: [compliance], routing: {kind: linear}}\n";

impl Project {
    /// A run of [`RELEASE`] that was started for real and waits at its gate.
    async fn release(settings: &str) -> (Self, String) {
        let p = Self::of(&[("release.yaml", RELEASE), ("gatehouse.yaml", settings)]);
        let me = json!({"name": "Ada Lund", "roles": ["compliance"]});
        p.ok("settings.set", me).await;
        let started = p.ok("run.start", json!({"path": "release.yaml"})).await;
        let run = started["run_id"].as_str().expect("an id").to_owned();
        p.asked(&run, "Is it good?").await;
        (p, run)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_has_one_clock_and_who_answers_for_their_own_role_is_warned_of_nothing() {
    let settings = "timezone: Asia/Tokyo\npermissions: {mode: allow}\nagents: {x: {engine: shell, run: 'true'}}\n";
    let (p, run) = Project::release(settings).await;
    assert_eq!(p.ok("settings.get", Value::Null).await["timezone"], "Asia/Tokyo");
    assert_eq!(p.asked(&run, "Is it good?").await["mine"], true);
    let answer = json!({"run_id": run, "gate": "release:check:hitl", "round": 1, "answer": "approve"});
    p.ok("gate.answer", answer.clone()).await;
    let late = p.studio.rpc("gate.answer", answer).await.expect_err("a second answer");
    assert!(late.message.contains(" JST."), "{}", late.message);
    let brief = p
        .ok("gate.brief", json!({"run_id": run, "gate": "release:check:hitl"}))
        .await;
    let told = brief["answers"][0]["refusal"]["message"].as_str().expect("why not");
    assert!(told.ends_with(" JST."), "{told}");
    let said = json!(["Ada Lund answered for compliance."]);
    assert_eq!((&brief["notes"], &brief["remarks"]), (&said, &Value::Null), "{brief}");
    let view = p.wait(&run, "done").await;
    assert_eq!((&view["notes"], &view["remarks"]), (&said, &Value::Null), "{view}");
    // Of somebody else nobody here knows which roles they have.
    p.ok("settings.set", json!({"name": "Bo Berg"})).await;
    let view = p.ok("run.view", json!({"run_id": run})).await;
    assert_eq!((&view["notes"], &view["remarks"]), (&Value::Null, &said), "{view}");
}

#[tokio::test(flavor = "multi_thread")]
async fn where_four_eyes_are_wanted_the_inbox_does_not_ask_who_may_not_approve() {
    let settings = "hitl: {four_eyes: true}\npermissions: {mode: allow}\nagents: {x: {engine: shell, run: 'true'}}\n";
    let (p, run) = Project::release(settings).await;
    let card = p.asked(&run, "Is it good?").await;
    assert_eq!(
        (&card["mine"], &card["own"], &card["another"]),
        (&json!(false), &json!(false), &json!(true)),
        "{card}"
    );
    // What only says how it is stands apart from what warns, and a run that waits is not told of as if it were over.
    let view = p.ok("run.view", json!({"run_id": run})).await;
    let rule = "Four eyes are wanted: whoever began this run, or carries out a step of its own, can approve at none of its gates.";
    assert_eq!(view["notes"], json!([rule]), "{view}");
    assert!(!view["remarks"].to_string().contains("Four eyes"), "{view}");
}

/// By when an answer is wanted stands at the question, by what held when the run began; an answer that comes later counts all the same, and is said
/// to be late wherever it is listed.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_comes_after_it_was_wanted_counts_and_is_said_to_be_late() {
    let rest = "permissions: {mode: allow}\nagents: {x: {engine: shell, run: 'true'}}\n";
    let (p, run) = Project::release(&format!("hitl: {{answer_within: 50ms}}\n{rest}")).await;
    let card = p.asked(&run, "Is it good?").await;
    let at = |key: &str| card[key].as_i64().expect(key);
    assert_eq!(at("wanted_by") - at("waiting_since"), 50, "{card}");
    std::fs::write(p.folder.path().join("gatehouse.yaml"), rest).expect("written");
    tokio::time::sleep(Duration::from_millis(120)).await;
    let of = json!({"run_id": run, "gate": "release:check:hitl"});
    let brief = p.ok("gate.brief", of.clone()).await;
    assert_eq!(brief["wanted_by"], card["wanted_by"], "it waits still: {brief}");
    let answer = json!({"run_id": run, "gate": "release:check:hitl", "round": 1, "answer": "approve"});
    p.ok("gate.answer", answer).await;
    let brief = p.ok("gate.brief", of).await;
    assert_eq!(brief["wanted_by"], Value::Null, "{brief}");
    let is_late = |said: &str| said.starts_with("Answered ") && said.contains(" after it was wanted.");
    let notes = brief["notes"].as_array().expect("notes");
    assert!(notes.iter().filter_map(Value::as_str).any(is_late), "{brief}");
    let list = p.ok("decisions.list", json!({})).await;
    let remark = list["decisions"][0]["decision"]["remark"].as_str().unwrap_or_default();
    assert!(remark.contains(" after it was wanted."), "{list}");
    // Where nobody has said by when, nothing is late.
    let (p, run) = Project::release(rest).await;
    assert_eq!(p.asked(&run, "Is it good?").await["wanted_by"], Value::Null);
}
