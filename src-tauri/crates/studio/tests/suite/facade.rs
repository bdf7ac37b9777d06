//! The façade as a window uses it: a real project folder, a real history, real runs.

use crate::project::{Project, noticed_at};
use serde_json::{Value, json};
use std::time::Duration;
use studio::{Client, Identity, Studio};

const FLOW: &str = "\
key: shape
title: Shape a request
steps:
  - id: author
    agents: [author]
    role: Write it.   # by hand
    outputs: [requirements.md]
    routing: {kind: linear, next: critique}
  - id: critique
    agents: [critic]
    inputs: [requirements.md]
    human_gate: required
    gate_question: Ready to build from?
    routing:
      kind: microloop
      loop_target: author
      loop_condition_field: status
      loop_success_values: [VERIFIED]
      max_iterations: 3
      next: publish
  - id: publish
    agents: [publisher]
";

const SCENARIO: &str = "\
name: verified in the second round
steps:
  author:
    - {artifacts: {requirements.md: \"# R\\n\\nThe customer can export all invoices.\\n\"}}
    - {artifacts: {requirements.md: \"# R\\n\\nThe customer can export 5000 invoices.\\n\"}}
  critique:
    - {report: {status: UNVERIFIED}}
    - {report: {status: VERIFIED}, output: Nothing blocks building.}
";

fn shape() -> Project {
    Project::of(&[("shape.yaml", FLOW), ("shape.scenarios/second.yaml", SCENARIO)])
}

impl Project {
    /// A field of a step's form.
    async fn field(&self, step: usize, name: &str) -> Value {
        let form = self
            .ok("workflow.form", json!({"path": "shape.yaml", "step": step}))
            .await;
        let fields = form["form"]["fields"].as_array().expect("fields");
        let found = fields.iter().find(|field| field["name"] == name);
        found.unwrap_or_else(|| panic!("no {name} in {form:#}")).clone()
    }

    /// Starts the scenario and waits until it asks.
    async fn to_the_gate(&self) -> String {
        self.ok("settings.set", json!({"name": "Ada"})).await;
        let scenario = json!({"path": "shape.yaml", "scenario": "shape.scenarios/second.yaml"});
        let run = self.ok("run.start", scenario).await["run_id"]
            .as_str()
            .expect("an id")
            .to_owned();
        self.wait(&run, "blocked").await;
        run
    }

    /// Waits until a gate is asked for the given time.
    async fn wait_for_round(&self, run: &str, gate: &str, round: u32) {
        for _ in 0..2_400 {
            let brief = self.ok("gate.brief", json!({"run_id": run, "gate": gate})).await;
            if brief["round"] == round && brief["answered"].is_null() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("{gate} was never asked for round {round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_handed_over_is_counted_before_and_can_be_chosen_to_be_checked() {
    let p = shape();
    let run = p.to_the_gate().await;
    let contents = p.ok("bundle.contents", json!({"run_id": run})).await;
    let view = p.ok("run.view", json!({"run_id": run})).await;
    assert_eq!(
        (&contents["runs"], &contents["events"]),
        (&json!(1), &view["last"]),
        "{contents}"
    );
    assert!(
        contents["files"].as_u64() > Some(0) && contents["bytes"].as_u64() > Some(0),
        "{contents}"
    );
    // The requirements as they were first are in the record still.
    assert!(contents["earlier"] == 1, "{contents}");
    assert_eq!(p.ok("bundle.list", Value::Null).await["files"], json!([]));
    let saved = p.ok("bundle.save", json!({"run_id": run})).await;
    p.write("reports/notes.txt", "no bundle");
    let listed = p.ok("bundle.list", Value::Null).await;
    assert_eq!(listed["files"].as_array().map(Vec::len), Some(1), "{listed}");
    assert_eq!(listed["files"][0]["path"], saved["path"]);
    let found = p.ok("bundle.check", json!({"path": saved["path"]})).await;
    let words = found["words"].as_str().expect("words");
    assert!(words.starts_with("Unchanged since it was handed over. "), "{words}");
}

/// A script plays its own story: whoever decides is told so where they decide.
#[tokio::test(flavor = "multi_thread")]
async fn a_script_says_that_it_does_not_use_what_was_entered() {
    let p = shape();
    p.ok("settings.set", json!({"name": "Ada"})).await;
    let start = json!({
        "path": "shape.yaml", "scenario": "shape.scenarios/second.yaml", "subject": "Acme", "inputs": {"country": "Panama"},
    });
    let run = p.ok("run.start", start).await["run_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    p.wait(&run, "blocked").await;
    let brief = p
        .ok("gate.brief", json!({"run_id": run, "gate": "shape:critique:hitl"}))
        .await;
    let remark = brief["remarks"][0].as_str().expect("a remark");
    assert!(
        remark.starts_with("“Acme” was entered at the start, and the script “") && remark.contains("does not use it"),
        "{remark}"
    );
    assert_eq!(brief["entered"], json!([{"name": "country", "value": "Panama"}]));

    // Of a run about which nothing was entered there is nothing to say.
    let run = p.to_the_gate().await;
    let brief = p
        .ok("gate.brief", json!({"run_id": run, "gate": "shape:critique:hitl"}))
        .await;
    assert!(!brief["remarks"].to_string().contains("does not use it"), "{brief}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_round_in_which_nothing_changed_says_so_and_all_decisions_are_counted() {
    let p = shape();
    let run = p.to_the_gate().await;
    let waiting = p.ok("inbox.list", json!({})).await["waiting"][0].clone();
    let gate_id = waiting["gate"].as_str().expect("a gate").to_owned();
    let brief = p.ok("gate.brief", json!({"run_id": run, "gate": gate_id})).await;
    assert_eq!(
        brief["unchanged"],
        Value::Null,
        "a first round has nothing to be compared with"
    );
    for (round, answer) in [(1, "changes"), (2, "changes"), (3, "approve")] {
        let of =
            json!({"run_id": run, "gate": gate_id, "round": round, "answer": answer, "comment": "a line of its own"});
        p.ok("gate.answer", of).await;
        if answer == "changes" {
            p.wait_for_round(&run, &gate_id, round + 1).await;
        }
    }
    let last = p
        .ok("gate.brief", json!({"run_id": run, "gate": gate_id, "round": 3}))
        .await;
    assert_eq!(
        last["unchanged"], "You asked: “a line of its own”. The file has not changed since round 2.",
        "{last}"
    );
    assert_eq!(last["artifacts"][0]["same_since"], 2);
    let all = p.ok("inbox.list", json!({})).await;
    assert_eq!(all["decided"].as_array().map(Vec::len), Some(3));
    let one = p.ok("decisions.list", json!({"most": 1, "rehearsals": true})).await;
    assert_eq!(
        (one["decisions"].as_array().map(Vec::len), one["total"].as_u64()),
        (Some(1), Some(3))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_watched_answered_replayed_and_reported() {
    let p = shape();
    let run = p.to_the_gate().await;

    let live = p.ok("run.view", json!({"run_id": run})).await;
    let badges: Vec<&Value> = live["edges"]
        .as_array()
        .expect("edges")
        .iter()
        .map(|e| &e["loop_badge"])
        .collect();
    assert!(badges.contains(&&json!("1/3")), "{badges:?}");
    assert_eq!(live["waiting"]["question"], "Ready to build from?");
    let why = &live["routes"][1];
    assert_eq!(
        (why["decision"].as_str(), why["reason"].as_str()),
        (Some("loop"), Some("loop_iteration:1"))
    );
    assert_eq!(
        why["why"],
        "“Critique” was not satisfied (its status was UNVERIFIED), so the flow went back to “Author” (time 1 of at most 3)."
    );
    assert!(
        why["edge_id"].is_string()
            && live["edges"]
                .as_array()
                .expect("edges")
                .iter()
                .any(|e| e["id"] == why["edge_id"] && e["taken"] == json!([2]))
    );

    // Every prefix of the log can be looked at, and the past does not offer to act.
    let last = live["last"].as_u64().expect("a number");
    let mut seen = Vec::new();
    for at in 1..=last {
        let past = p.ok("run.view", json!({"run_id": run, "at": at})).await;
        assert_eq!(past["at"], at);
        assert_eq!(past["actions"].as_array().expect("actions").is_empty(), at < last);
        seen.push(past["routes"].as_array().expect("routes").len());
    }
    assert!(seen.is_sorted() && seen[0] == 0 && *seen.last().expect("some") == 3);

    let brief = p
        .ok("gate.brief", json!({"run_id": run, "gate": "shape:critique:hitl"}))
        .await;
    // In the run's own folder: it is a rehearsal.
    let played = format!(".gatehouse/runs/{run}/project/requirements.md");
    assert_eq!(brief["artifacts"][0]["path"], played);
    assert!(brief["artifacts"][0]["html"].as_str().expect("html").contains("5000"));
    assert_eq!(brief["why_code"], "explicit human gate");
    assert_eq!(brief["answers"][0]["runs"][0]["id"], "publish");
    assert_eq!(
        brief["answers"][1]["words"],
        "“Author” is done again with your comment; you are asked again when it comes back here. In this rehearsal the script says what comes of it, whatever you write."
    );
    assert_eq!(brief["entered"], Value::Null, "nothing was entered");
    assert_eq!(brief["answers"][2]["never_runs"][0]["id"], "publish");

    let answer =
        json!({"run_id": run, "gate": "shape:critique:hitl", "round": 1, "answer": "changes", "comment": "  "});
    let refused = p.call("gate.answer", answer).await.expect_err("no comment");
    assert_eq!(refused.code, "refused:comment_required");
    let answer =
        json!({"run_id": run, "gate": "shape:critique:hitl", "round": 1, "answer": "changes", "comment": "Say who."});
    p.ok("gate.answer", answer).await;
    p.wait(&run, "blocked").await;
    let brief = loop {
        let brief = p
            .ok("gate.brief", json!({"run_id": run, "gate": "shape:critique:hitl"}))
            .await;
        if brief["round"] == 2 {
            break brief;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    };
    assert_eq!(brief["rounds"][0]["comment"], "Say who.");
    assert_eq!(brief["rounds"][0]["signature_valid"], true);

    let approve = json!({"run_id": run, "gate": "shape:critique:hitl", "round": 2, "answer": "approve"});
    p.ok("gate.answer", approve.clone()).await;
    let late = p.call("gate.answer", approve).await.expect_err("a second answer");
    assert_eq!(late.code, "refused:already_answered");
    assert!(
        late.message.starts_with("Ada approved this on ") && late.message.contains("UTC"),
        "{}",
        late.message
    );
    let end = p.wait(&run, "done").await;
    assert_eq!(end["steps"].as_array().expect("steps")[2]["status"], "done");
    // What the person sent back has an edge of its own beside the critic's loop, and no number is missing from the picture.
    let edges = end["edges"].as_array().expect("edges");
    let ids: Vec<&Value> = end["drawing"]["edges"]
        .as_array()
        .expect("drawn")
        .iter()
        .map(|e| &e["id"])
        .collect();
    assert_eq!(ids, edges.iter().map(|e| &e["id"]).collect::<Vec<_>>());
    let taken = |id: &str| edges.iter().find(|e| e["id"] == id).map(|e| &e["taken"]);
    assert_eq!(taken("1-0-sent"), Some(&json!([4])));
    assert_eq!(taken("1-0-0"), Some(&json!([2])));
    let mut numbers: Vec<u64> = edges
        .iter()
        .flat_map(|e| e["taken"].as_array().expect("numbers"))
        .filter_map(Value::as_u64)
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6]);
    let nodes = |view: &Value| view["drawing"]["nodes"].clone();
    assert_eq!(nodes(&end), nodes(&live), "what happens moves nothing");
    let narrow = p
        .ok(
            "run.view",
            json!({"run_id": run, "room": {"width": 480, "height": 400}}),
        )
        .await;
    assert!(narrow["drawing"]["width"].as_f64() < end["drawing"]["width"].as_f64());

    let detail = p.ok("run.step", json!({"run_id": run, "step": "author"})).await;
    assert_eq!(detail["visits"].as_array().expect("visits").len(), 3);
    assert_eq!(detail["visits"][0]["attempts"][0]["comments"], json!(["Say who."]));
    assert!(
        detail["visits"][0]["attempts"][0]["receipt"]["path"]
            .as_str()
            .expect("a receipt")
            .starts_with("shape/receipts/author-author")
    );

    let report = p.ok("report.view", json!({"run_id": run})).await["html"]
        .as_str()
        .expect("html")
        .to_owned();
    for part in [
        "Ready to build from?",
        "Say who.",
        "Ada",
        "the signature holds",
        "<svg",
        "↻ 1/3",
    ] {
        assert!(report.contains(part), "the report lacks {part}");
    }
    assert!(
        !report.contains("<script") && !report.contains("http://127"),
        "the report needs nothing else"
    );
    let verified = p.ok("run.verify", json!({"run_id": run})).await;
    assert_eq!(
        (&verified["ok"], &verified["signatures"]),
        (&json!(true), &json!(2)),
        "{verified}"
    );
    let timeline = p.ok("run.timeline", json!({"run_id": run})).await;
    assert_eq!(
        timeline["lanes"].as_array().expect("lanes").len(),
        4,
        "three steps and people"
    );
}

/// The dialog of the window has asked whether to replace the file that is there; nobody else is asked.
#[tokio::test(flavor = "multi_thread")]
async fn a_report_says_of_questions_and_of_a_stop_what_happened_and_no_more() {
    let p = shape();
    let run = p.to_the_gate().await;
    let of = json!({"run_id": run});
    let html = async || {
        let report = p.ok("report.view", of.clone()).await;
        report["html"].as_str().expect("html").to_owned()
    };
    let waiting = html().await;
    for said in ["waits for an answer", "they count as shown to nobody", "Named: "] {
        assert!(waiting.contains(said), "{said}");
    }
    for not in ["by <strong>nobody", "nobody yet", "Shown in", "The run was stopped"] {
        assert!(!waiting.contains(not), "{not}");
    }
    // Nobody who pauses is asked for a reason.
    p.ok("run.act", json!({"run_id": run, "action": "pause"})).await;
    let paused = html().await;
    assert!(
        paused.contains("The run was paused") && !paused.contains("no reason given"),
        "{paused}"
    );
    let stop = json!({"run_id": run, "action": "abort", "reason": "Another order came."});
    p.ok("run.act", stop).await;
    let view = p.until(&run, |view| !view["ended_at"].is_null()).await;
    let error = view["error"].as_str().unwrap_or_default();
    assert!(
        error.starts_with("Stopped by ") && error.ends_with(": Another order came."),
        "{error}"
    );
    let stopped = html().await;
    for said in [
        "not answered: the run is over",
        "<p>Paused, resumed or stopped:</p>",
        "The run was stopped",
        "Another order came.",
        "signed; the signature holds; key",
    ] {
        assert!(stopped.contains(said), "{said}");
    }
    let orders = stopped.matches("The run was stopped").count();
    assert!(
        orders == 1 && !stopped.contains(">nobody was asked<"),
        "it is no answer to a question"
    );
    assert!(!stopped.contains("Aborted"), "one word for one deed");
    // Nobody's present name is said to own a key.
    assert!(!stopped.contains("The key of"), "{stopped}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_window_s_report_takes_the_place_of_the_file_that_was_chosen() {
    let p = shape();
    let run = p.to_the_gate().await;
    let to = p.folder.path().join("chosen.html");
    std::fs::write(&to, "an earlier report").expect("written");
    let me = Identity::open_in(p.home.path(), false).expect("the identity");
    let window = Studio::open_as(p.folder.path(), Client::Desktop, me).expect("the project");
    let of = json!({"run_id": run, "to": to});
    let saved = window.rpc("report.save", of).await.expect("saved");
    let text = std::fs::read_to_string(&to).expect("there");
    assert!(text.starts_with("<!doctype html>"));
    assert_eq!(saved["bytes"], text.len());

    let named = p.folder.path().join("reports/mine.html");
    std::fs::create_dir(p.folder.path().join("reports")).expect("made");
    std::fs::write(&named, "an earlier report").expect("written");
    let refused = p.call("report.save", json!({"run_id": run, "to": "mine.html"})).await;
    assert_eq!(refused.expect_err("nobody asked").code, "exists");
    assert_eq!(std::fs::read_to_string(&named).expect("there"), "an earlier report");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_changes_only_its_bytes_and_can_be_taken_back() {
    let p = shape();
    let view = p.ok("workflow.open", json!({"path": "shape.yaml"})).await;
    let field = p.field(1, "routing.max_iterations").await;
    let edit = json!({"path": "shape.yaml", "revision": view["revision"],
        "edits": [{"kind": "set", "place": field["place"], "value": 4}]});
    let saved = p.ok("workflow.edit", edit).await;
    assert_eq!((&saved["outcome"], &saved["merged"]), (&json!("saved"), &json!(false)));
    assert_eq!(
        p.text("shape.yaml"),
        FLOW.replace("max_iterations: 3", "max_iterations: 4")
    );
    assert_eq!(saved["view"]["undo"], "change “Times back at most” of “Critique”");
    p.ok("workflow.undo", json!({"path": "shape.yaml"})).await;
    assert_eq!(p.text("shape.yaml"), FLOW);
    p.ok("workflow.redo", json!({"path": "shape.yaml"})).await;
    assert_eq!(
        p.text("shape.yaml"),
        FLOW.replace("max_iterations: 3", "max_iterations: 4")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_made_meanwhile_is_merged_or_asked_about() {
    let p = shape();
    let view = p.ok("workflow.open", json!({"path": "shape.yaml"})).await;
    let place = &p.field(0, "role").await["place"];
    let edit = |value: &str, keep: serde_json::Value| {
        json!({"path": "shape.yaml", "revision": view["revision"], "keep": keep,
            "edits": [{"kind": "set", "place": place, "value": value}]})
    };
    // Elsewhere in the file: both changes are in.
    std::fs::write(
        p.folder.path().join("shape.yaml"),
        FLOW.replace("Shape a request", "Shape it"),
    )
    .expect("written");
    let saved = p.ok("workflow.edit", edit("Draft it.", json!(null))).await;
    assert_eq!((&saved["outcome"], &saved["merged"]), (&json!("saved"), &json!(true)));
    let both = FLOW
        .replace("Shape a request", "Shape it")
        .replace("role: Write it. ", "role: Draft it. ");
    assert_eq!(p.text("shape.yaml"), both);
    // On the same line: asked about, nothing written.
    let theirs = FLOW.replace("Write it.", "Theirs.");
    std::fs::write(p.folder.path().join("shape.yaml"), &theirs).expect("written");
    let conflict = p.ok("workflow.edit", edit("Mine.", json!(null))).await;
    assert_eq!(conflict["outcome"], "conflict");
    assert!(
        conflict["mine"].as_str().expect("text").contains("Mine.")
            && conflict["theirs"].as_str().expect("text").contains("Theirs.")
    );
    assert_eq!(p.text("shape.yaml"), theirs);
    let keep = json!({"revision": conflict["view"]["revision"], "change": conflict["change"], "parts": ["mine"]});
    let kept = p.ok("workflow.edit", edit("Mine.", keep)).await;
    assert_eq!(kept["outcome"], "saved");
    assert_eq!(p.text("shape.yaml"), theirs.replace("Theirs.", "Mine."));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_is_decided_step_by_step() {
    let p = shape();
    let view = p.ok("workflow.open", json!({"path": "shape.yaml"})).await;
    let (role, rounds) = (p.field(0, "role").await, p.field(1, "routing.max_iterations").await);
    let edit = |keep: serde_json::Value| {
        json!({"path": "shape.yaml", "revision": view["revision"], "keep": keep, "edits": [
            {"kind": "set", "place": role["place"], "value": "Mine."},
            {"kind": "set", "place": rounds["place"], "value": 7}]})
    };
    let theirs = FLOW
        .replace("Write it.", "Theirs.")
        .replace("max_iterations: 3", "max_iterations: 5")
        .replace("Shape a request", "Shape it");
    std::fs::write(p.folder.path().join("shape.yaml"), &theirs).expect("written");
    let conflict = p.ok("workflow.edit", edit(json!(null))).await;
    assert_eq!(conflict["outcome"], "conflict");
    let parts = conflict["parts"].as_array().expect("parts");
    let steps: Vec<&str> = parts
        .iter()
        .filter_map(|part| part["steps"][0]["name"].as_str())
        .collect();
    assert_eq!(steps.len(), 2, "{parts:?}");
    assert!(parts[0]["mine"].as_str().expect("lines").contains("Mine."));
    assert!(
        parts[1]["theirs"]
            .as_str()
            .expect("lines")
            .contains("max_iterations: 5")
    );
    // What was decided of another text counts for nothing, and neither does a decision of other parts.
    let (seen, change) = (&conflict["view"]["revision"], &conflict["change"]);
    for keep in [
        json!({"revision": view["revision"], "change": change, "parts": ["mine", "theirs"]}),
        json!({"revision": seen, "change": change, "parts": ["mine"]}),
        json!({"revision": seen, "change": "another", "parts": ["mine", "theirs"]}),
    ] {
        assert_eq!(p.ok("workflow.edit", edit(keep)).await["outcome"], "conflict");
        assert_eq!(p.text("shape.yaml"), theirs);
    }
    let keep = json!({"revision": seen, "change": change, "parts": ["theirs", "mine"]});
    assert_eq!(p.ok("workflow.edit", edit(keep)).await["outcome"], "saved");
    let both = theirs.replace("max_iterations: 5", "max_iterations: 7");
    assert_eq!(p.text("shape.yaml"), both);
    p.ok("workflow.undo", json!({"path": "shape.yaml"})).await;
    assert_eq!(p.text("shape.yaml"), theirs);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_undo_and_redo_meet_is_decided_step_by_step() {
    let p = shape();
    let view = p.ok("workflow.open", json!({"path": "shape.yaml"})).await;
    let (role, rounds) = (p.field(0, "role").await, p.field(1, "routing.max_iterations").await);
    let edit = json!({"path": "shape.yaml", "revision": view["revision"], "edits": [
        {"kind": "set", "place": role["place"], "value": "Mine."},
        {"kind": "set", "place": rounds["place"], "value": 7}]});
    p.ok("workflow.edit", edit).await;
    let mine = p.text("shape.yaml");
    let theirs = mine
        .replace("Mine.", "Theirs.")
        .replace("max_iterations: 7", "max_iterations: 5")
        .replace("Shape a request", "Shape it");
    std::fs::write(p.folder.path().join("shape.yaml"), &theirs).expect("written");
    let step = |keep: &serde_json::Value| json!({"path": "shape.yaml", "keep": keep});
    let conflict = p.ok("workflow.undo", step(&json!(null))).await;
    assert_eq!(conflict["outcome"], "conflict");
    let parts = conflict["parts"].as_array().expect("parts");
    let says = |part: usize, side: &str, what: &str| parts[part][side].as_str().expect("lines").contains(what);
    assert_eq!(parts.len(), 2, "{parts:?}");
    assert!(says(0, "mine", "Write it.") && says(0, "theirs", "Theirs."));
    assert!(says(1, "mine", "max_iterations: 3") && says(1, "theirs", "max_iterations: 5"));
    // What was decided of another text counts for nothing.
    let other = json!({"revision": view["revision"], "change": conflict["change"], "parts": ["theirs", "mine"]});
    assert_eq!(p.ok("workflow.undo", step(&other)).await["outcome"], "conflict");
    assert_eq!(p.text("shape.yaml"), theirs);
    let keep =
        json!({"revision": conflict["view"]["revision"], "change": conflict["change"], "parts": ["theirs", "mine"]});
    let undone = p.ok("workflow.undo", step(&keep)).await;
    assert_eq!((&undone["outcome"], &undone["merged"]), (&json!("saved"), &json!(true)));
    assert_eq!(undone["view"]["undo"], json!(null));
    let half = theirs.replace("max_iterations: 5", "max_iterations: 3");
    assert_eq!(p.text("shape.yaml"), half);
    // Again: where nobody else wrote it is as it was, and where they did it is asked.
    let conflict = p.ok("workflow.redo", step(&json!(null))).await;
    assert_eq!(conflict["parts"].as_array().expect("parts").len(), 1);
    let keep = json!({"revision": conflict["view"]["revision"], "change": conflict["change"], "parts": ["mine"]});
    assert_eq!(p.ok("workflow.redo", step(&keep)).await["outcome"], "saved");
    assert_eq!(p.text("shape.yaml"), mine.replace("Shape a request", "Shape it"));
}

/// Two clients are asked the same; the first lets the file stay as it is, by which undo comes to an earlier change.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_counts_for_the_change_that_was_asked_about_alone() {
    let p = shape();
    let place = &p.field(0, "role").await["place"];
    for value in ["First.", "Second."] {
        let revision = p.ok("workflow.open", json!({"path": "shape.yaml"})).await["revision"].clone();
        let edits = json!([{"kind": "set", "place": place, "value": value}]);
        p.ok(
            "workflow.edit",
            json!({"path": "shape.yaml", "revision": revision, "edits": edits}),
        )
        .await;
    }
    let second = p.ok("workflow.open", json!({"path": "shape.yaml"})).await["revision"].clone();
    let theirs = p.text("shape.yaml").replace("Second.", "Theirs.");
    std::fs::write(p.folder.path().join("shape.yaml"), &theirs).expect("written");
    let step = |keep: serde_json::Value| json!({"path": "shape.yaml", "keep": keep});
    let seen = p.ok("workflow.undo", step(json!(null))).await;
    assert!(seen["mine"].as_str().expect("lines").contains("First."), "{seen}");
    // Compared is from the version that the change had made of it.
    assert_eq!(seen["base"], second);
    let answer = |found: &serde_json::Value, side: &str| {
        step(json!({"revision": found["view"]["revision"], "change": found["change"], "parts": [side]}))
    };
    let kept = p.ok("workflow.undo", answer(&seen, "theirs")).await;
    assert_eq!((&kept["outcome"], &kept["unchanged"]), (&json!("saved"), &json!(true)));
    // The file is the same, the change is another.
    let asked = p.ok("workflow.undo", answer(&seen, "mine")).await;
    assert_eq!(asked["outcome"], "conflict");
    assert!(asked["mine"].as_str().expect("lines").contains("Write it."), "{asked}");
    assert_eq!(p.text("shape.yaml"), theirs);
    let undone = p.ok("workflow.undo", answer(&asked, "mine")).await;
    assert_eq!(
        (&undone["outcome"], &undone["unchanged"]),
        (&json!("saved"), &json!(null))
    );
    assert_eq!(p.text("shape.yaml"), FLOW);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_and_kept_gives_up_of_another_programs_text_only_the_same_lines() {
    let p = shape();
    let view = p.ok("workflow.open", json!({"path": "shape.yaml"})).await;
    let theirs = FLOW
        .replace("Write it.", "Theirs.")
        .replace("Shape a request", "Shape it");
    std::fs::write(p.folder.path().join("shape.yaml"), &theirs).expect("written");
    let write = |keep: serde_json::Value| {
        json!({"path": "shape.yaml", "revision": view["revision"], "keep": keep,
            "text": FLOW.replace("Write it.", "Mine.")})
    };
    let conflict = p.ok("workflow.write", write(json!(null))).await;
    assert_eq!(conflict["outcome"], "conflict");
    assert_eq!(p.text("shape.yaml"), theirs);
    let keep = json!({"revision": conflict["view"]["revision"], "change": conflict["change"], "parts": ["mine"]});
    assert_eq!(p.ok("workflow.write", write(keep)).await["outcome"], "saved");
    assert_eq!(p.text("shape.yaml"), theirs.replace("Theirs.", "Mine."));
    p.ok("workflow.undo", json!({"path": "shape.yaml"})).await;
    assert_eq!(p.text("shape.yaml"), theirs);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_keeps_the_version_it_started_with() {
    let p = shape();
    let run = p.to_the_gate().await;
    std::fs::write(p.folder.path().join("shape.yaml"), "key: shape\nsteps: []\n").expect("written");
    let view = p.ok("run.view", json!({"run_id": run})).await;
    assert_eq!(view["source_changed"], true);
    assert_eq!(view["steps"].as_array().expect("steps").len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_lies_outside_the_project_stays_outside() {
    let p = shape();
    for path in ["../shape.yaml", "/etc/passwd", "a/../../x.yaml", "", "x\0.yaml"] {
        let refused = p.call("workflow.open", json!({"path": path})).await.expect_err(path);
        assert_eq!(refused.code, "outside_project", "{path}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc/hostname", p.folder.path().join("link.yaml")).expect("a link");
        let refused = p
            .call("workflow.open", json!({"path": "link.yaml"}))
            .await
            .expect_err("a link out");
        assert_eq!(refused.code, "outside_project");
    }
    assert_eq!(
        p.call("no.such", json!(null)).await.expect_err("unknown").code,
        "unknown_command"
    );
    assert_eq!(
        p.call("run.view", json!({"run": 1})).await.expect_err("bad").code,
        "bad_parameters"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_problem_means_is_explained_to_the_window_as_on_the_command_line() {
    let p = shape();
    let known = studio::workflow::explain::pages();
    for known in &known {
        let page = p
            .ok("problem.explain", json!({"code": known.code.to_lowercase()}))
            .await;
        assert_eq!(
            (&page["code"], &page["title"]),
            (&json!(known.code), &json!(known.title))
        );
        let html = page["html"].as_str().expect("a text");
        // The dialog has the title above it, so the page does not say it again.
        assert!(html.starts_with("<p>") && !html.contains("<h1>"), "{html}");
    }
    let page = p.ok("problem.explain", json!({"code": "GH0104"})).await;
    let html = page["html"].as_str().expect("a text");
    assert!(html.contains("<h2>Mend it</h2>") && html.contains("<pre>"), "{html}");
    let error = p
        .call("problem.explain", json!({"code": "GH9999"}))
        .await
        .expect_err("no such code");
    assert_eq!(error.code, "not_found");
    assert!(error.message.contains("GH9999"), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_library_knows_what_is_a_workflow() {
    let p = shape();
    std::fs::write(p.folder.path().join("other.yaml"), "just: data\n").expect("written");
    std::fs::write(p.folder.path().join("latin.yaml"), b"key: \xe9\nsteps: []\n").expect("written");
    let library = p.ok("library.list", Value::Null).await;
    let cards = library["folders"][0]["workflows"].as_array().expect("cards");
    assert_eq!(cards.len(), 1, "{cards:?}");
    assert_eq!(
        (&cards[0]["path"], &cards[0]["gates"], &cards[0]["loops"]),
        (&json!("shape.yaml"), &json!(1), &json!(1))
    );
    assert_eq!(library["unreadable"][0]["path"], "latin.yaml");
    assert_eq!(cards[0]["format_label"], "Flow");
    // A rejection that leads to an earlier step is drawn as a way back, too.
    p.write(
        "shape.yaml",
        &FLOW.replace("human_gate: required", "human_gate: required\n    on_reject: author"),
    );
    let library = p.ok("library.list", Value::Null).await;
    assert_eq!(library["folders"][0]["workflows"][0]["loops"], 2, "{library}");
    // It is said in words, too.
    let view = p.ok("workflow.open", json!({"path": "shape.yaml"})).await;
    let next = view["steps"][1]["next"].as_array().expect("what comes next");
    assert_eq!(next.last(), Some(&json!("rejected: back to “Author”")), "{view}");

    // One that is broken from outside does not vanish; what never was a workflow, and what says something else now, is none.
    let unreadable = async || p.ok("library.list", Value::Null).await["unreadable"].clone();
    p.write("other.yaml", "just: \"data\n");
    p.write("shape.yaml", "key: shape\ntitle: \"Shape a request\nst");
    let broken = unreadable().await;
    assert_eq!(broken[1]["path"], "shape.yaml", "{broken}");
    let reason = broken[1]["reason"].as_str().expect("why");
    assert!(reason.starts_with("It was a workflow before. "), "{reason}");
    assert!(reason.contains("line "), "{reason}");
    p.write("shape.yaml", "just: data\n");
    assert_eq!(unreadable().await.as_array().map(Vec::len), Some(1));
}

/// The window watches the folder, and after a start anew nothing of what was listed is in memory.
#[tokio::test(flavor = "multi_thread")]
async fn a_workflow_that_is_broken_from_outside_stays_in_the_library_of_a_window() {
    let mut p = shape();
    p.write("never.yaml", "just: data\n");
    p.studio.watch();
    let mut notices = p.studio.subscribe();
    p.ok("library.list", Value::Null).await;
    // It is looked at, so that its history knows it.
    p.ok("workflow.versions", json!({"path": "shape.yaml"})).await;
    let mut noticed = async |path: &str, text: &str| {
        p.write(path, text);
        noticed_at(&mut notices, path).await;
    };
    noticed("never.yaml", "just: \"data\n").await;
    noticed("shape.yaml", "key: shape\ntitle: \"Shape a request\nst").await;
    let broken = p.ok("library.list", Value::Null).await["unreadable"].clone();
    assert_eq!(broken.as_array().map(Vec::len), Some(1), "{broken}");
    assert_eq!(broken[0]["path"], "shape.yaml");
    p.reopen();
    assert_eq!(p.ok("library.list", Value::Null).await["unreadable"], broken);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_window_leaves_a_run_that_can_be_taken_up() {
    let p = shape();
    let run = p.to_the_gate().await;
    assert!(p.ok("run.view", json!({"run_id": run})).await["driver"].is_string());
    p.studio.close().await;
    assert!(p.ok("run.view", json!({"run_id": run})).await["driver"].is_null());
    // Answering takes it up again.
    p.ok(
        "gate.answer",
        json!({"run_id": run, "gate": "shape:critique:hitl", "round": 1, "answer": "approve"}),
    )
    .await;
    p.wait(&run, "done").await;
}

/// Whoever clicks twice, or resumes it elsewhere before the driver stands, has taken a run up once.
#[tokio::test]
async fn a_run_that_is_taken_up_twice_at_once_says_so_once() {
    let p = shape();
    let run = p.to_the_gate().await;
    p.studio.close().await;
    let drive = || p.ok("run.act", json!({"run_id": run, "action": "drive"}));
    tokio::join!(drive(), drive());
    let log = p.ok("run.log", json!({"run_id": run, "after": 0})).await.to_string();
    assert_eq!(log.matches("took the run up").count(), 1, "{log}");
    p.studio.close().await;
}

/// A run whose program ended before it had begun anything is taken up like any other, and how long it has lasted stays as it was until then.
#[tokio::test]
async fn who_takes_up_a_run_that_had_not_begun_is_on_record() {
    let p = shape();
    let of = studio::command::StartOf {
        path: "shape.yaml".to_owned(),
        rehearse: true,
        ..studio::command::StartOf::default()
    };
    let run = p.studio.create_run(&of).expect("a run").to_string();
    p.ok("run.act", json!({"run_id": run, "action": "drive"})).await;
    let log = p.ok("run.log", json!({"run_id": run, "after": 0})).await.to_string();
    assert_eq!(log.matches("took the run up").count(), 1, "{log}");
    p.studio.close().await;
}
