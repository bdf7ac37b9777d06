//! Histories that were computed anew by somebody who may write the files: chain, lists, register and files are consistent in themselves.
//! What was signed, here or in any later run, and what somebody holds a report of, still contradicts them.

use serde_json::{Value, json};
use std::path::Path;
use studio::command::{AnswerOf, RunAt};
use studio::verify::view::VerifyView;
use studio::{Answer, Client, Identity, Studio};
use tests::forger::Forger;
use tests::project::Project;

const FLOW: &str = "\
key: memo
title: A memo
steps:
  - {id: write, agents: [author], role: Writes., outputs: [memo.md], human_gate: required, gate_question: Order lunch for 12 people?, gate_at: after, routing: {kind: linear}}
";
const CONFIG: &str = "agents:\n  '*': {engine: shell, run: 'echo working; echo All is well. > memo.md'}\n";

/// A run for real that was approved and signed, and its id.
fn approve(project: &Project, by: &str) -> String {
    let said = |arguments: &[&str]| {
        let said = project.gatehouse(arguments).expect("gatehouse is built");
        assert_eq!(said.code, Some(0), "{arguments:?}: {} {}", said.out, said.err);
    };
    let begun = project
        .gatehouse(&["run", "memo.yaml", "--until-blocked"])
        .expect("gatehouse is built");
    assert!(begun.out.contains("Order lunch"), "{}{}", begun.out, begun.err);
    let (run, _) = project.latest().expect("a history").expect("a run");
    said(&["answer", run.as_str(), "write", "approve", "--by", by]);
    let (_, state) = project.latest().expect("a history").expect("a run");
    assert!(state.status.ended());
    run.to_string()
}

fn project() -> Project {
    Project::new(&[("memo.yaml", FLOW), ("gatehouse.yaml", CONFIG)]).expect("a project")
}

fn open(project: &Project) -> Studio {
    let identity = Identity::open_in(&project.home(), false).expect("an identity");
    Studio::open_as(&project.root, Client::Cli, identity).expect("the project opens")
}

fn verify(project: &Project, run: &str) -> VerifyView {
    open(project).verify(RunAt::live(run)).expect("it can be verified")
}

/// The object of an event that has a field, however the event names its kind.
fn fields<'v>(value: &'v Value, name: &str) -> &'v Value {
    match value {
        Value::Object(all) if all.contains_key(name) => value,
        Value::Object(all) => all
            .values()
            .map(|v| fields(v, name))
            .find(|v| !v.is_null())
            .unwrap_or(&Value::Null),
        _ => &Value::Null,
    }
}

/// The same, to be changed.
fn fields_mut<'v>(value: &'v mut Value, name: &str) -> Option<&'v mut Value> {
    match value {
        Value::Object(all) if all.contains_key(name) => Some(value),
        Value::Object(all) => all.values_mut().find_map(|v| fields_mut(v, name)),
        _ => None,
    }
}

fn named(view: &VerifyView, codes: &[&str]) {
    assert!(!view.ok, "{view:?}");
    for code in codes {
        assert!(view.findings.iter().any(|f| f.code == *code), "no {code} in {view:?}");
    }
}

#[test]
fn what_was_asked_shown_and_done_before_a_signature_stays_what_it_was() {
    type Change = fn(&mut Value) -> bool;
    let cases: [(&str, Change, &str); 8] = [
        (
            "the question",
            |e| set(e, "question", "question", json!("Pay 1 000 000 EUR to Mallory?")),
            "signature_invalid",
        ),
        (
            "who was asked",
            |e| set(e, "question", "asks", json!(["nobody"])),
            "signature_invalid",
        ),
        (
            "where approval leads",
            |e| set(e, "question", "approve_to", json!("write")),
            "signature_invalid",
        ),
        (
            "the answer",
            |e| set(e, "answer", "answer", json!("reject")),
            "signature_invalid",
        ),
        (
            "the name",
            |e| set(e, "answer", "by", json!("Grace Hopper")),
            "signature_invalid",
        ),
        (
            "the way it was given",
            |e| set(e, "answer", "via", json!("desktop")),
            "signature_invalid",
        ),
        (
            "what the agent printed",
            |e| e.to_string().contains("working\\n") && swap(e, "working", "resting"),
            "signature_invalid",
        ),
        (
            "who started it",
            |e| set(e, "initiator", "by", json!("Mallory")),
            "signature_invalid",
        ),
    ];
    let project = project();
    let run = approve(&project, "Ann");
    let whole = verify(&project, &run);
    assert!(whole.ok && whole.signatures == 1 && whole.notes.is_empty(), "{whole:?}");
    let file = project.root.join(".gatehouse/history.db");
    let kept = std::fs::read(&file).expect("the history");
    for (what, change, code) in cases {
        let changed = std::cell::Cell::new(0);
        Forger::of(&project.root).rewrite(&run, &|_, event| {
            changed.set(changed.get() + u32::from(change(event)));
            true
        });
        assert!(changed.get() > 0, "{what} was not changed");
        open(&project).rebuild(&run).expect("the files follow");
        let found = verify(&project, &run);
        assert!(!found.ok, "{what}: {found:?}");
        assert!(found.findings.iter().any(|f| f.code == code), "{what}: {found:?}");
        // Nothing else gave it away: all that can be computed was computed.
        assert!(
            found
                .findings
                .iter()
                .all(|f| !["chain", "head", "column"].contains(&f.code.as_str())),
            "{what}: {found:?}"
        );
        restore(&file, &kept);
    }
}

/// Puts the history back as it was.
fn restore(file: &Path, kept: &[u8]) {
    for end in ["-wal", "-shm"] {
        let mut beside = file.as_os_str().to_owned();
        beside.push(end);
        let _ = std::fs::remove_file(beside);
    }
    std::fs::write(file, kept).expect("put back");
}

fn set(event: &mut Value, marker: &str, field: &str, value: Value) -> bool {
    let Some(inner) = fields_mut(event, marker) else {
        return false;
    };
    inner[field] = value;
    true
}

fn swap(event: &mut Value, from: &str, to: &str) -> bool {
    let text = event.to_string().replace(from, to);
    *event = serde_json::from_str(&text).expect("an event");
    true
}

/// Who pauses and stops a run stands in the record like a decision: signed, shown, and found out when it was changed.
#[test]
fn who_pauses_and_stops_a_run_has_signed_it() {
    let project = project();
    std::fs::create_dir_all(project.home()).expect("a home");
    std::fs::write(project.home().join("person.json"), r#"{"name": "Ada Lund"}"#).expect("a person");
    let said = |arguments: &[&str]| {
        let said = project.gatehouse(arguments).expect("gatehouse is built");
        assert_eq!(said.code, Some(0), "{arguments:?}: {} {}", said.out, said.err);
        said.out
    };
    said(&["run", "memo.yaml", "--until-blocked"]);
    let run = project.latest().expect("a history").expect("a run").0.to_string();
    said(&["pause", &run]);
    let status = said(&["status", &run]);
    let how = "by Ada Lund on the command line, signed with the key ";
    assert!(status.contains(&format!("remark: Paused {how}")), "{status}");
    said(&["abort", &run, "--reason", "Another order came."]);
    let status = said(&["status", &run]);
    assert!(status.contains(&format!("remark: Stopped {how}")), "{status}");
    assert!(status.contains("Your key."), "{status}");
    said(&["report", &run, "-o", "report.html"]);
    let report = std::fs::read_to_string(project.root.join("report.html")).expect("the report");
    for part in [
        "The run was paused",
        "The run was stopped",
        "Ada Lund stopped the run on the command line, signed with the key ",
        "signed; the signature holds; key",
    ] {
        assert!(report.contains(part), "{part}");
    }
    let whole = verify(&project, &run);
    assert!(whole.ok && whole.signatures == 2 && whole.notes.is_empty(), "{whole:?}");

    let file = project.root.join(".gatehouse/history.db");
    let kept = std::fs::read(&file).expect("the history");
    type Change = fn(&mut Value) -> bool;
    let cases: [(&str, Change, &str); 4] = [
        (
            "the name",
            |e| set(e, "given", "by", json!("Grace Hopper")),
            "signature_invalid",
        ),
        (
            "the reason",
            |e| swap(e, "Another order came.", "It was wrong."),
            "signature_invalid",
        ),
        (
            "the way",
            |e| set(e, "via", "via", json!("desktop")),
            "signature_invalid",
        ),
        (
            "what was done before",
            |e| swap(e, "working", "resting"),
            "signature_invalid",
        ),
    ];
    for (what, change, code) in cases {
        Forger::of(&project.root).rewrite(&run, &|_, event| {
            change(event);
            true
        });
        open(&project).rebuild(&run).expect("the files follow");
        let found = verify(&project, &run);
        assert!(!found.ok, "{what}: {found:?}");
        assert!(found.findings.iter().any(|f| f.code == code), "{what}: {found:?}");
        restore(&file, &kept);
    }
    // As logs of earlier versions have it: that is no alteration, and it is said.
    Forger::of(&project.root).rewrite(&run, &|_, event| {
        if let Some(order) = fields_mut(event, "given") {
            order.as_object_mut().expect("an object").remove("given");
        }
        true
    });
    open(&project).rebuild(&run).expect("the files follow");
    let old = verify(&project, &run);
    let unsigned = "2 orders to pause, resume, take up or stop the run are not signed: the name is what was given.";
    assert!(old.notes.iter().any(|note| note == unsigned), "{old:?}");
    assert!(old.findings.iter().all(|f| !f.code.starts_with("signature")), "{old:?}");
    assert!(said(&["status", &run]).contains("Nobody signed that"));
    restore(&file, &kept);
}

/// Who takes up a run that nobody carries on stands in the record, signed; whoever starts it, and a run that has ended, takes nothing up.
#[test]
fn who_takes_a_run_up_has_signed_it() {
    let project = project();
    std::fs::create_dir_all(project.home()).expect("a home");
    std::fs::write(project.home().join("person.json"), r#"{"name": "Ada Lund"}"#).expect("a person");
    let said = |arguments: &[&str]| {
        let said = project.gatehouse(arguments).expect("gatehouse is built");
        assert_eq!(said.code, Some(0), "{arguments:?}: {} {}", said.out, said.err);
        said.out
    };
    said(&["run", "memo.yaml", "--until-blocked"]);
    let run = project.latest().expect("a history").expect("a run").0.to_string();
    assert_eq!(verify(&project, &run).signatures, 0, "nobody has taken it up");
    said(&["resume", &run, "--until-blocked"]);
    said(&["report", &run, "-o", "report.html"]);
    let report = std::fs::read_to_string(project.root.join("report.html")).expect("the report");
    for part in [
        "The run was taken up",
        "Ada Lund took the run up on the command line, signed with the key ",
        "signed; the signature holds; key",
    ] {
        assert!(report.contains(part), "{part}");
    }
    let whole = verify(&project, &run);
    assert!(whole.ok && whole.signatures == 1, "{whole:?}");

    let file = project.root.join(".gatehouse/history.db");
    let kept = std::fs::read(&file).expect("the history");
    Forger::of(&project.root).rewrite(&run, &|_, event| {
        set(event, "given", "by", json!("Grace Hopper"));
        true
    });
    open(&project).rebuild(&run).expect("the files follow");
    named(&verify(&project, &run), &["signature_invalid"]);
    restore(&file, &kept);
    // With the answer it has ended.
    said(&["answer", &run, "write", "approve", "--by", "Ada Lund"]);
    assert_eq!(verify(&project, &run).signatures, 2);
    let late = project.gatehouse(&["resume", &run]).expect("gatehouse is built");
    assert_ne!(late.code, Some(0), "{}", late.out);
    assert_eq!(verify(&project, &run).signatures, 2);
}

#[test]
fn times_signatures_and_scenarios_that_were_made_up_are_named() {
    let project = project();
    let run = approve(&project, "Ann");
    let file = project.root.join(".gatehouse/history.db");
    let kept = std::fs::read(&file).expect("the history");

    // All of it a month earlier, from the answer on: the order stays, the signed time does not fit.
    Forger::of(&project.root).rewrite(&run, &|_, event| {
        event["at"] = json!(event["at"].as_i64().expect("a time") - 30 * 86_400_000);
        true
    });
    named(&verify(&project, &run), &["signature_time"]);
    restore(&file, &kept);
    Forger::of(&project.root).rewrite(&run, &|_, event| {
        if fields(event, "answer").is_object() {
            event["at"] = json!(event["at"].as_i64().expect("a time") + 30 * 86_400_000);
        }
        true
    });
    named(&verify(&project, &run), &["signature_time"]);
    restore(&file, &kept);

    // No signature, and said to be a script's, where there is no script.
    Forger::of(&project.root).rewrite(&run, &|_, event| {
        if let Some(decision) = fields_mut(event, "answer") {
            decision["by"] = json!("Grace Hopper (CEO)");
            decision["via"] = json!("scenario");
            decision.as_object_mut().expect("an object").remove("signature");
        }
        true
    });
    named(&verify(&project, &run), &["signature_missing"]);
    restore(&file, &kept);

    // A signature that is said to be of the version that covered less.
    Forger::of(&project.root).rewrite(&run, &|_, event| {
        if let Some(decision) = fields_mut(event, "answer") {
            decision["signature"].as_object_mut().expect("signed").remove("grounds");
        }
        true
    });
    named(&verify(&project, &run), &["signature_invalid"]);
    restore(&file, &kept);
    assert!(verify(&project, &run).ok, "everything was put back");
}

#[test]
fn what_stands_beside_a_record_and_what_followed_a_report_is_told() {
    let project = project();
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    let begun = said(&["run", "memo.yaml", "--until-blocked"]);
    assert!(begun.out.contains("Order lunch"), "{}{}", begun.out, begun.err);
    let (run, _) = project.latest().expect("a history").expect("a run");
    assert_eq!(said(&["report", run.as_str(), "-o", "open.html"]).code, Some(0));
    let fits = said(&["verify", run.as_str(), "--against", "open.html"]);
    assert!(
        !fits.out.contains("since, of which the report says nothing"),
        "{}",
        fits.out
    );
    assert_eq!(
        said(&["answer", run.as_str(), "write", "approve", "--by", "Ann"]).code,
        Some(0)
    );
    let fits = said(&["verify", run.as_str(), "--against", "open.html"]);
    assert_eq!(fits.code, Some(0), "{}{}", fits.out, fits.err);
    for words in [
        "since, of which the report says nothing: the run is now “done”",
        "Decided since: Ann approved at “Write”.",
    ] {
        assert!(fits.out.contains(words), "{words}: {}", fits.out);
    }

    let folder = project.root.join(format!(".gatehouse/runs/{run}"));
    std::fs::create_dir_all(folder.join("evidence")).expect("made");
    std::fs::write(folder.join("evidence/audit.pdf"), "All is well.").expect("written");
    std::fs::write(folder.join("approval.txt"), "Approved by the board.").expect("written");
    std::fs::create_dir_all(folder.join(".a.unfinished")).expect("made");
    std::fs::write(folder.join(".a.unfinished/b.txt"), "Hidden.").expect("written");
    let found = verify(&project, run.as_str());
    assert!(found.ok, "the record is as it was: {found:?}");
    let beside =
        "3 files in the run's folder are not of its record: .a.unfinished/b.txt, approval.txt, evidence/audit.pdf.";
    assert!(
        found.notes.iter().any(|note| note.starts_with(beside)),
        "{:?}",
        found.notes
    );
}

#[test]
fn what_nobody_carries_on_is_not_said_to_be_at_work() {
    let first = FLOW.replace("kind: linear", "kind: linear, next: send");
    let two = format!("{first}  - {{id: send, agents: [author], role: Sends it., routing: {{kind: linear}}}}\n");
    let project = Project::new(&[("memo.yaml", &two), ("gatehouse.yaml", CONFIG)]).expect("a project");
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    said(&["run", "memo.yaml", "--until-blocked"]);
    let (run, _) = project.latest().expect("a history").expect("a run");
    assert_eq!(said(&["report", run.as_str(), "-o", "open.html"]).code, Some(0));
    let answered = said(&["answer", run.as_str(), "write", "approve", "--by", "Ann"]);
    assert_eq!(answered.code, Some(0), "{}{}", answered.out, answered.err);
    let fits = said(&["verify", run.as_str(), "--against", "open.html"]);
    let left = "the run is now “left open: nobody carries it on”";
    assert!(fits.out.contains(left), "{}{}", fits.out, fits.err);
    assert_eq!(said(&["report", run.as_str(), "-o", "left.html"]).code, Some(0));
    let fits = said(&["verify", run.as_str(), "--against", "left.html"]);
    assert!(fits.out.contains("word for word"), "{}{}", fits.out, fits.err);
    let report = std::fs::read_to_string(project.root.join("left.html")).expect("written");
    assert!(report.contains(">left open<"), "its chip says so");
}

#[test]
fn a_later_decision_and_a_report_know_what_was_taken_away() {
    let project = project();
    let first = approve(&project, "Ann");
    let report = project.root.join("first.html");
    let report_path = report.to_string_lossy().into_owned();
    let written = project
        .gatehouse(&["report", &first, "-o", &report_path])
        .expect("gatehouse is built");
    assert_eq!(written.code, Some(0), "{}", written.err);
    let second = approve(&project, "Bob");
    for run in [&first, &second] {
        let found = verify(&project, run);
        assert!(found.ok, "{found:?}");
    }
    let fits = project
        .gatehouse(&["verify", &first, "--against", &report_path])
        .expect("gatehouse is built");
    assert_eq!(fits.code, Some(0), "{}{}", fits.out, fits.err);
    assert!(fits.out.contains("The report belongs to this record"), "{}", fits.out);
    assert!(fits.out.contains("word for word"), "{}", fits.out);
    // On somebody else's account, whose key and name are others, and who has confirmed nobody.
    let home = tempfile::tempdir().expect("a folder");
    let elsewhere = tests::program::stranger(&project.root, &["verify", &first, "--against", &report_path])
        .expect("gatehouse is built")
        .env(studio::settings::identity::HOME_VARIABLE, home.path())
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&elsewhere.stdout).into_owned();
    assert!(said.contains("word for word"), "{said}");
    // Its marks fit still, its text is another one.
    let whole = project.text("first.html");
    std::fs::write(&report, whole.replace("Order lunch for 12 people?", "Pay Mallory?")).expect("written");
    let changed = project
        .gatehouse(&["verify", &first, "--against", &report_path])
        .expect("gatehouse is built");
    assert!(changed.out.contains("“Pay Mallory?”"), "{}{}", changed.out, changed.err);
    assert_eq!(changed.code, Some(1), "{}", changed.out);
    // A word that stands elsewhere in it, too.
    let turned = whole.replacen(">approved<", ">rejected<", 1);
    assert_ne!(turned, whole);
    std::fs::write(&report, turned).expect("written");
    let changed = project
        .gatehouse(&["verify", &first, "--against", &report_path])
        .expect("gatehouse is built");
    let turned = "it says “rejected” in place of “approved”";
    assert!(changed.out.contains(turned), "{}{}", changed.out, changed.err);
    assert_eq!(changed.code, Some(1), "{}", changed.out);
    std::fs::write(&report, whole).expect("written");
    let file = project.root.join(".gatehouse/history.db");
    let kept = std::fs::read(&file).expect("the history");

    // The first run is gone without a trace: the second decision was signed over a register that has it.
    Forger::of(&project.root).remove(&first);
    named(&verify(&project, &second), &["register"]);
    restore(&file, &kept);

    // Its end is cut off.
    let events = project
        .store()
        .expect("a history")
        .events(&first.as_str().into(), 0, 1_000)
        .expect("events")
        .len() as u64;
    Forger::of(&project.root).rewrite(&first, &|seq, _| seq + 2 < events);
    named(&verify(&project, &second), &["register"]);
    // Whoever looks at the run that was cut is told too.
    named(&verify(&project, &first), &["register"]);
    let against = project
        .gatehouse(&["verify", &first, "--against", &report_path])
        .expect("gatehouse is built");
    assert_eq!(against.code, Some(1), "{}{}", against.out, against.err);
    assert!(against.out.contains("[report]"), "{}", against.out);
    restore(&file, &kept);

    // A register that was merely shortened contradicts the runs.
    {
        let forger = Forger::of(&project.root);
        forger
            .0
            .execute("DELETE FROM register WHERE run_id = ?1", [&second])
            .expect("deleted");
    }
    named(&verify(&project, &second), &["register"]);
    // The report says the same: it is checked by the same hand.
    let page = page_of(&project, &second);
    assert!(
        page.contains(">Altered</span>"),
        "the report says that something was altered"
    );
    assert!(
        page.contains("was never entered in the project&#x27;s register"),
        "and what"
    );
    restore(&file, &kept);

    // A report of another run, and a page that is none.
    let other = project
        .gatehouse(&["verify", &second, "--against", &report_path])
        .expect("gatehouse is built");
    assert_eq!(other.code, Some(1), "{}{}", other.out, other.err);
    project.write(&[("page.html", "<html></html>")]).expect("written");
    let none = project
        .gatehouse(&["verify", &second, "--against", "page.html"])
        .expect("gatehouse is built");
    assert_ne!(none.code, Some(0), "{}{}", none.out, none.err);
}

/// The text of a run's report.
fn page_of(project: &Project, run: &str) -> String {
    let to = project.root.join("the.html");
    let to = to.to_string_lossy();
    let said = project
        .gatehouse(&["report", run, "-o", &to])
        .expect("gatehouse is built");
    assert_eq!(said.code, Some(0), "{}", said.err);
    project.text("the.html")
}

/// A run that was decided with the key of somebody else.
async fn decided_by(project: &Project, who: &Identity, by: &str) -> String {
    let begun = project
        .gatehouse(&["run", "memo.yaml", "--until-blocked"])
        .expect("gatehouse is built");
    assert!(begun.out.contains("Order lunch"), "{}{}", begun.out, begun.err);
    let (run, state) = project.latest().expect("a history").expect("a run");
    let studio = Studio::open_as(&project.root, Client::Cli, who.clone()).expect("the project");
    let gate = state.waiting().expect("it waits").opened.clone();
    let answer = AnswerOf {
        run_id: run.to_string(),
        gate: gate.gate.to_string(),
        round: gate.round,
        answer: Answer::Approve,
        comment: String::new(),
        seen: Vec::new(),
        undrawn: None,
        lasting: None,
        way: None,
        report: Default::default(),
        by: None,
    };
    studio.decide(answer, by).await.expect("recorded");
    run.to_string()
}

fn somebody() -> (tempfile::TempDir, Identity) {
    let home = tempfile::tempdir().expect("a folder");
    let who = Identity::open_in(home.path(), false).expect("an identity");
    (home, who)
}

#[tokio::test(flavor = "multi_thread")]
async fn another_key_under_a_known_name_is_named() {
    let project = project();
    approve(&project, "Ann");
    let (_home, mallory) = somebody();
    let run = decided_by(&project, &mallory, "Ann").await;
    let found = verify(&project, &run);
    assert!(
        found.notes.iter().any(|note| note.contains("Ann signed with 2 keys")),
        "{found:?}"
    );
}

/// What the window asks for, and what it is given.
async fn rpc(studio: &Studio, method: &str, parameters: Value) -> Value {
    match studio.rpc(method, parameters).await {
        Ok(value) => value,
        Err(error) => panic!("{method}: {error:?}"),
    }
}

async fn standing(studio: &Studio, run: &str) -> Value {
    let view = rpc(studio, "inbox.list", json!({})).await;
    let decided = view["decided"].as_array().expect("decisions");
    let card = decided
        .iter()
        .find(|card| card["run_id"] == run)
        .expect("it was decided");
    card["decision"]["whose"]["standing"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_key_under_a_name_whose_key_is_confirmed_is_named() {
    let project = project();
    let ((_ann_home, ann), (_mallory_home, mallory)) = (somebody(), somebody());
    let real = decided_by(&project, &ann, "Ann").await;
    let forged = decided_by(&project, &mallory, "ann ").await;
    let studio = open(&project);

    // Nobody is known yet, and that is said.
    let unconfirmed = verify(&project, &real);
    assert!(unconfirmed.ok, "{unconfirmed:?}");
    assert!(
        unconfirmed
            .notes
            .iter()
            .any(|note| note.contains("not confirmed for Ann")),
        "{unconfirmed:?}"
    );
    assert_eq!(standing(&studio, &real).await, "unconfirmed");
    let people = rpc(&studio, "people.list", json!({})).await;
    let seen = people["people"].as_array().expect("people");
    assert_eq!(seen.len(), 2, "{people}");
    assert!(
        seen.iter()
            .any(|one| one["key"] == ann.public() && one["decisions"] == 1),
        "{people}"
    );

    // Ann has read out her fingerprint.
    let fingerprint = studio::settings::keys::fingerprint(&ann.public());
    let part = json!({"key": &fingerprint[..20], "name": "Ann"});
    assert_eq!(
        studio.rpc("people.confirm", part).await.expect_err("a part").code,
        "bad_key"
    );
    rpc(&studio, "people.confirm", json!({"key": fingerprint, "name": "Ann"})).await;
    let confirmed = verify(&project, &real);
    assert!(
        confirmed.ok && confirmed.notes.iter().all(|note| !note.contains("not confirmed")),
        "{confirmed:?}"
    );
    assert_eq!(standing(&studio, &real).await, "confirmed");
    assert_eq!(standing(&studio, &forged).await, "another_key");
    let found = verify(&project, &forged);
    named(&found, &["another_key"]);
    assert!(
        found.in_doubt && found.words.contains("who decided is in doubt"),
        "{found:?}"
    );
    let page = page_of(&project, &forged);
    assert!(
        page.contains(">In doubt</span>") && page.contains("Another key than the one"),
        "the report says so"
    );
    assert!(page_of(&project, &real).contains("compared the fingerprint with Ann"));
    let said = project.gatehouse(&["verify", &forged]).expect("gatehouse is built");
    assert_eq!(said.code, Some(1), "{}", said.out);
    let said = project.gatehouse(&["people"]).expect("gatehouse is built");
    let own = Identity::open_in(&project.home(), false).expect("an identity").public();
    let own = studio::settings::keys::fingerprint(&own);
    for part in [
        &own[..19],
        &fingerprint[..19],
        "Confirmed: you have compared",
        "Another key than",
    ] {
        assert!(said.out.contains(part), "no {part} in {}", said.out);
    }

    // What is kept of it lies with the person, and the project's files say nothing of it.
    let other = Studio::open_as(&project.root, Client::Cli, mallory.clone()).expect("the project");
    assert_eq!(standing(&other, &real).await, "unconfirmed");

    // Revoked from a day before: the decision was made after it; from a day after: before it.
    let made = project.store().expect("a history").decided(10).expect("decisions");
    let made = made
        .iter()
        .find(|row| row.run.as_str() == real)
        .expect("it was made")
        .decided_at
        .0;
    let day = 86_400_000;
    let revoked = json!({"key": ann.public(), "from": made - day, "why": "The laptop was stolen."});
    rpc(&studio, "people.revoke", revoked).await;
    named(&verify(&project, &real), &["key_revoked"]);
    assert_eq!(standing(&studio, &real).await, "revoked");
    let revoked = json!({"key": ann.public(), "from": made + day, "why": "She left."});
    rpc(&studio, "people.revoke", revoked).await;
    let found = verify(&project, &real);
    assert!(found.ok, "{found:?}");
    assert!(
        found
            .notes
            .iter()
            .any(|note| note.contains("She left.") && note.contains("made before")),
        "{found:?}"
    );
    assert_eq!(standing(&studio, &real).await, "revoked_later");
    assert!(
        studio
            .rpc("people.confirm", json!({"key": own, "name": "Me"}))
            .await
            .is_err(),
        "one's own key is confirmed by others"
    );
}

/// A decision that is dated back to before its key was revoked still stands behind what was recorded after that.
#[tokio::test(flavor = "multi_thread")]
async fn the_order_of_the_log_says_when_a_decision_was_made_too() {
    let project = project();
    let (_home, ann) = somebody();
    let run = decided_by(&project, &ann, "Ann").await;
    let studio = open(&project);
    let asked = project.store().expect("a history").decided(10).expect("decisions")[0]
        .opened_at
        .0;
    studio
        .revoke_from(&ann.public(), Some(engine::At(asked)), "Stolen.")
        .expect("kept");
    Forger::of(&project.root).rewrite(&run, &|_, event| {
        if fields(event, "answer").is_object() {
            event["at"] = json!(asked - 86_400_000);
        }
        true
    });
    let found = verify(&project, &run);
    assert!(!found.ok && !found.in_doubt, "{found:?}");
    let revoked = found.findings.iter().any(|f| f.code == "key_revoked");
    assert!(revoked, "{found:?}");
}

/// A signature says over which link it was given; what is put between that and the answer stands under nobody's signature.
#[test]
fn nothing_can_be_put_between_what_was_signed_and_the_answer() {
    let project = project();
    let run = approve(&project, "Ann");
    let file = project.root.join(".gatehouse/history.db");
    let kept = std::fs::read(&file).expect("the history");
    let events: Vec<Value> = {
        let forger = Forger::of(&project.root);
        let mut all = forger
            .0
            .prepare("SELECT body FROM events WHERE run_id = ?1 ORDER BY seq")
            .expect("a query");
        let rows = all.query_map([&run], |row| row.get::<_, Vec<u8>>(0)).expect("rows");
        rows.flatten()
            .map(|body| serde_json::from_slice(&body).expect("an event"))
            .collect()
    };
    std::fs::write(&file, &kept).expect("as it was");
    let place = |kind: &str| {
        events
            .iter()
            .position(|e| e["event"]["type"] == kind)
            .expect("it is there")
    };
    let (opened, answered) = (place("gate_opened"), place("gate_answered"));
    assert_eq!(answered, opened + 1, "{events:?}");
    let mut other = events[opened].clone();
    other["event"]["question"] = json!("Pay 1 000 000 EUR to Mallory?");
    let printed = json!({"at": events[opened]["at"], "event": {"type": "paused", "by": "Mallory"}});
    let resumed = json!({"at": events[opened]["at"], "event": {"type": "resumed", "by": "Mallory"}});
    let answer = answered as u64 + 1;
    let cases: [(&str, u64, Vec<Value>, &str); 4] = [
        ("another question", answer, vec![other], "asked_twice"),
        ("something that happened", answer, vec![printed, resumed], "inserted"),
        (
            "the same answer again",
            answer + 1,
            vec![events[answered].clone()],
            "asked_twice",
        ),
        (
            "the answer at the end",
            events.len() as u64 + 1,
            vec![events[answered].clone()],
            "not_waiting",
        ),
    ];
    for (what, at, put, code) in cases {
        Forger::of(&project.root).insert(&run, at, &put);
        let found = verify(&project, &run);
        assert!(!found.ok, "{what}: {found:?}");
        assert!(
            found.findings.iter().any(|f| f.code == code),
            "{what}: no {code} in {found:?}"
        );
        for end in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(project.root.join(format!(".gatehouse/history.db{end}")));
        }
        std::fs::write(&file, &kept).expect("as it was");
    }
    assert!(verify(&project, &run).ok);
}

/// Of a run that has ended nobody drives anything, so its files are compared, whatever a lease says.
#[test]
fn a_lease_hides_no_changed_file() {
    let project = project();
    let run = approve(&project, "Ann");
    assert!(verify(&project, &run).ok);
    let now = now_ms();
    let history = rusqlite::Connection::open(project.root.join(".gatehouse/history.db")).expect("the history");
    for (owner, until) in [
        ("x", 20_000),
        ("x", 300_000),
        (format!("{}@here", std::process::id()).as_str(), 300_000),
    ] {
        history
            .execute(
                "INSERT INTO leases (run_id, owner, token, acquired_at, expires_at) VALUES (?1, ?2, 9, ?3, ?4)
                 ON CONFLICT (run_id) DO UPDATE SET owner = ?2, token = 9, acquired_at = ?3, expires_at = ?4",
                rusqlite::params![run, owner, now, now + until],
            )
            .expect("a lease");
        std::fs::write(
            project.root.join(format!(".gatehouse/runs/{run}/approvals.json")),
            "{\"forged\": 1}",
        )
        .expect("written");
        let found = verify(&project, &run);
        assert!(!found.ok, "{owner} {until}: {found:?}");
    }
}

fn now_ms() -> i64 {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .expect("after 1970");
    i64::try_from(since.as_millis()).expect("a time")
}

const PLAN: &str = "\
format: stepspec
workflow: plan
steps:
  - id: draft
    name: Draft
    agent: writer
    outputs: ['{output_folder}/plan.md']
    validation: Format validation
    evidence: L2
";
const WRITER: &str = "agents:\n  '*': {engine: shell, run: 'mkdir -p docs; echo All is well. > docs/plan.md'}\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_confirmation_of_evidence_is_signed_and_none_can_be_put_into_the_log() {
    let project = Project::new(&[("plan.yaml", PLAN), ("gatehouse.yaml", WRITER)]).expect("a project");
    let done = project.gatehouse(&["run", "plan.yaml"]).expect("gatehouse is built");
    assert_eq!(done.code, Some(0), "{}{}", done.out, done.err);
    let run = project.latest().expect("a history").expect("a run").0.to_string();
    let studio = open(&project);
    rpc(&studio, "settings.set", json!({"name": "Ada Lund"})).await;
    let list = rpc(&studio, "evidence.list", json!({"run_id": run})).await;
    let record = list["items"][0].clone();
    let before = verify(&project, &run).signatures;
    let promote =
        json!({"run_id": run, "evidence": record["id"], "to": record["promote"]["to"], "reason": "I have read it"});
    rpc(&studio, "evidence.promote", promote).await;
    let signed = verify(&project, &run);
    assert!(signed.ok, "{signed:?}");
    assert_eq!(signed.signatures, before + 1);

    let file = project.root.join(".gatehouse/history.db");
    let kept = std::fs::read(&file).expect("the history");
    type Change = fn(&mut Value);
    let cases: [(Change, &str); 5] = [
        (|p| p["gate"] = json!(["plan:draft:hitl", 1]), "inserted"),
        (|p| p["by"] = json!("Zoe, chief auditor"), "signature_invalid"),
        (|p| p["reason"] = json!("audited on site"), "signature_invalid"),
        (|p| p["evidence"] = json!("ev:another"), "signature_invalid"),
        (
            |p| _ = p.as_object_mut().map(|p| p.remove("signature")),
            "signature_missing",
        ),
    ];
    for (change, code) in cases {
        Forger::of(&project.root).rewrite(&run, &|_, event| {
            if let Some(promotion) = fields_mut(event, "evidence").filter(|p| p["to"].is_string()) {
                change(promotion);
            }
            true
        });
        named(&verify(&project, &run), &[code]);
        restore(&file, &kept);
    }
    assert!(verify(&project, &run).ok);
}

/// Chain, lists and register are as they should be, and the log says what no Gatehouse does: that a run went on, or ended well, while somebody was
/// asked.
#[test]
fn what_leads_past_a_gate_that_nobody_answered_is_named_and_not_carried_on() {
    let first = FLOW.replace("kind: linear", "kind: linear, next: send");
    let two = format!("{first}  - {{id: send, agents: [author], role: Sends it., routing: {{kind: linear}}}}\n");
    let project = Project::new(&[("memo.yaml", &two), ("gatehouse.yaml", CONFIG)]).expect("a project");
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    said(&["run", "memo.yaml", "--until-blocked"]);
    let (run, state) = project.latest().expect("a history").expect("a run");
    let run = run.to_string();
    assert!(state.waiting().is_some(), "it waits");
    assert!(verify(&project, &run).ok);
    let file = project.root.join(".gatehouse/history.db");
    let kept = std::fs::read(&file).expect("the history");
    let at = state.last_at.map_or(0, |at| at.0) + 1;
    let routed = json!({"at": at, "event": {"type": "routed", "from": {"step": "write", "visit": 1}, "to": "send", "decision": "advance",
        "reason": "linear_explicit", "source": "deterministic", "edge": 0, "loop_state": {}}});
    let ended = json!({"at": at, "event": {"type": "run_completed", "status": "succeeded", "steps_completed": 1, "total_steps_executed": 1}});
    for event in [ended, routed] {
        restore(&file, &kept);
        Forger::of(&project.root).insert(&run, state.seq + 1, &[event]);
        named(&verify(&project, &run), &["unanswered"]);
    }
    let resumed = said(&["resume", &run]);
    assert_ne!(resumed.code, Some(0), "{}{}", resumed.out, resumed.err);
    assert!(
        resumed.err.contains("leads past a gate"),
        "{}{}",
        resumed.out,
        resumed.err
    );
    let (_, now) = project.latest().expect("a history").expect("a run");
    assert_eq!(now.seq, state.seq + 1, "nothing of it was carried on");
    restore(&file, &kept);
    assert!(verify(&project, &run).ok, "everything was put back");
}

/// The history alone is put back: the run's folder still tells of what it has lost.
#[test]
fn a_history_put_back_under_the_newer_files_of_a_run_is_named_and_they_are_kept() {
    let project = project();
    let said = |arguments: &[&str]| project.gatehouse(arguments).expect("gatehouse is built");
    said(&["run", "memo.yaml", "--until-blocked"]);
    let (run, _) = project.latest().expect("a history").expect("a run");
    let run = run.to_string();
    let file = project.root.join(".gatehouse/history.db");
    let older = std::fs::read(&file).expect("the history");
    let answer = |word: &str| said(&["answer", &run, "write", word, "--by", "Ann", "--comment", "I say so"]);
    assert_eq!(answer("approve").code, Some(0));
    let folder = project.root.join(format!(".gatehouse/runs/{run}"));
    let told = std::fs::read(folder.join("events.jsonl")).expect("written");

    restore(&file, &older);
    let found = verify(&project, &run);
    named(&found, &["ahead"]);
    let advised = found.findings.iter().any(|f| f.message.contains("rebuild"));
    assert!(!advised && !found.words.contains("is whole"), "{found:?}");
    let answered = answer("reject");
    assert_eq!(answered.code, Some(0), "{}{}", answered.out, answered.err);
    assert!(
        answered.err.contains("events of it are missing or were replaced"),
        "{}",
        answered.err
    );
    let kept = std::fs::read(folder.join("of-another-log-1/events.jsonl")).expect("kept");
    assert!(kept == told, "what the history has lost stands there still");
    assert!(folder.join("of-another-log-1/approvals.json").is_file());

    // Whoever has the files written anew is told where those are that were put aside for it, and once.
    restore(&file, &older);
    let first = open(&project).rebuild(&run).expect("written anew");
    let aside = first.aside.as_ref();
    let is_new = aside.is_some_and(|aside| aside.ends_with("of-another-log-2"));
    assert!(is_new, "{first:?}");
    assert_eq!(open(&project).rebuild(&run).expect("written anew").aside, None);
    let again = said(&["rebuild", &run]);
    assert!(!again.err.contains("is kept in"), "{}", again.err);
}
