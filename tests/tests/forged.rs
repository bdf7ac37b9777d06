//! Histories that were computed anew by somebody who may write the files: chain, lists, register and files are consistent in themselves.
//! What was signed, here or in any later run, and what somebody holds a report of, still contradicts them.

use rusqlite::Connection;
use serde_json::{Value, json};
use std::path::Path;
use studio::command::AnswerOf;
use studio::view::report::VerifyView;
use studio::{Answer, Client, Identity, Studio};
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
    open(project).verify_run(run).expect("it can be verified")
}

/// Everything somebody can do who owns the file.
struct Forger(Connection);

impl Forger {
    fn of(project: &Project) -> Self {
        let raw = Connection::open(project.root.join(".gatehouse/history.db")).expect("a database");
        let mut triggers = Vec::new();
        {
            let mut all = raw
                .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
                .expect("a query");
            let names = all.query_map([], |row| row.get::<_, String>(0)).expect("names");
            triggers.extend(names.flatten());
        }
        for trigger in triggers {
            raw.execute_batch(&format!("DROP TRIGGER {trigger}")).expect("dropped");
        }
        Self(raw)
    }

    /// Changes a run's events and computes everything that follows from them: links, lists, register. `None` cuts the event off.
    fn rewrite(&self, run: &str, change: &dyn Fn(u64, &mut Value) -> bool) {
        let rows: Vec<(i64, Vec<u8>)> = {
            let mut all = self
                .0
                .prepare("SELECT seq, body FROM events WHERE run_id = ?1 ORDER BY seq")
                .expect("a query");
            let rows = all
                .query_map([run], |row| Ok((row.get(0)?, row.get(1)?)))
                .expect("rows");
            rows.flatten().collect()
        };
        let mut link = store::first_link(&run.into());
        let (mut last, mut cut) = (0, false);
        for (seq, body) in rows {
            let n = u64::try_from(seq).expect("a number");
            let mut event: Value = serde_json::from_slice(&body).expect("an event");
            cut |= !change(n, &mut event);
            if cut {
                let gone = self
                    .0
                    .execute("DELETE FROM events WHERE run_id = ?1 AND seq = ?2", (run, seq));
                assert_eq!(gone.expect("deleted"), 1);
                continue;
            }
            let body = serde_json::to_vec(&event).expect("text");
            link = store::chain_hash(&link, n, &body);
            let at = event["at"].as_i64().expect("a time");
            let set = "UPDATE events SET body = ?3, hash = ?4, at = ?5 WHERE run_id = ?1 AND seq = ?2";
            assert_eq!(self.0.execute(set, (run, seq, &body, &link, at)).expect("changed"), 1);
            let set = "UPDATE register SET link = ?3 WHERE run_id = ?1 AND seq = ?2";
            self.0.execute(set, (run, seq, &link)).expect("changed");
            last = seq;
            self.gate(run, &event);
        }
        self.0
            .execute(
                "UPDATE runs SET seq = ?2, head = ?3 WHERE run_id = ?1",
                (run, last, &link),
            )
            .expect("changed");
        self.0
            .execute("DELETE FROM register WHERE run_id = ?1 AND seq > ?2", (run, last))
            .expect("changed");
        self.register();
    }

    /// The list of gates as it follows from an event.
    fn gate(&self, run: &str, event: &Value) {
        let inner = &event["event"];
        if inner["type"] == "gate_opened" {
            let opened = inner;
            let key = (run, opened["gate"].as_str(), opened["round"].as_i64());
            let set = "UPDATE gates SET opened = ?4, opened_at = ?5 WHERE run_id = ?1 AND gate = ?2 AND round = ?3";
            let done = self
                .0
                .execute(set, (key.0, key.1, key.2, plain(opened), event["at"].as_i64()));
            done.expect("changed");
        } else if inner["type"] == "gate_answered" {
            let decision = inner;
            let key = (run, decision["gate"].as_str(), decision["round"].as_i64());
            let set = "UPDATE gates SET decision = ?4, answered_at = ?5 WHERE run_id = ?1 AND gate = ?2 AND round = ?3";
            let done = self
                .0
                .execute(set, (key.0, key.1, key.2, plain(decision), event["at"].as_i64()));
            done.expect("changed");
        }
    }

    fn remove(&self, run: &str) {
        for table in ["events", "runs", "gates", "register"] {
            self.0
                .execute(&format!("DELETE FROM {table} WHERE run_id = ?1"), [run])
                .expect("deleted");
        }
        self.register();
    }

    /// Numbers and links of the register, computed anew.
    fn register(&self) {
        use sha2::{Digest as _, Sha256};
        let rows: Vec<(i64, String, i64, Vec<u8>)> = {
            let mut all = self
                .0
                .prepare("SELECT n, run_id, seq, link FROM register ORDER BY n")
                .expect("a query");
            let rows = all.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)));
            rows.expect("rows").flatten().collect()
        };
        self.0.execute("DELETE FROM register", []).expect("emptied");
        let mut hash: [u8; 32] = Sha256::digest(b"gatehouse-register-v1").into();
        for (n, (_, run, seq, link)) in (1_u64..).zip(rows) {
            let mut sha = Sha256::new();
            sha.update(hash);
            sha.update(n.to_be_bytes());
            sha.update((run.len() as u64).to_be_bytes());
            sha.update(run.as_bytes());
            sha.update(u64::try_from(seq).expect("a number").to_be_bytes());
            sha.update(&link);
            hash = sha.finalize().into();
            let row = (n as i64, run, seq, link, hash);
            self.0
                .execute("INSERT INTO register VALUES (?1, ?2, ?3, ?4, ?5)", row)
                .expect("entered");
        }
    }
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

/// An event's content as the list of gates keeps it: without the word for its kind.
fn plain(value: &Value) -> String {
    let mut value = value.clone();
    if let Some(all) = value.as_object_mut() {
        all.remove("type");
    }
    value.to_string()
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
        Forger::of(&project).rewrite(&run, &|_, event| {
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

#[test]
fn times_signatures_and_scenarios_that_were_made_up_are_named() {
    let project = project();
    let run = approve(&project, "Ann");
    let file = project.root.join(".gatehouse/history.db");
    let kept = std::fs::read(&file).expect("the history");

    // All of it a month earlier, from the answer on: the order stays, the signed time does not fit.
    Forger::of(&project).rewrite(&run, &|_, event| {
        event["at"] = json!(event["at"].as_i64().expect("a time") - 30 * 86_400_000);
        true
    });
    named(&verify(&project, &run), &["signature_time"]);
    restore(&file, &kept);
    Forger::of(&project).rewrite(&run, &|_, event| {
        if fields(event, "answer").is_object() {
            event["at"] = json!(event["at"].as_i64().expect("a time") + 30 * 86_400_000);
        }
        true
    });
    named(&verify(&project, &run), &["signature_time"]);
    restore(&file, &kept);

    // No signature, and said to be a script's, where there is no script.
    Forger::of(&project).rewrite(&run, &|_, event| {
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
    Forger::of(&project).rewrite(&run, &|_, event| {
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
    assert!(fits.out.contains("The report fits"), "{}", fits.out);
    let file = project.root.join(".gatehouse/history.db");
    let kept = std::fs::read(&file).expect("the history");

    // The first run is gone without a trace: the second decision was signed over a register that has it.
    Forger::of(&project).remove(&first);
    named(&verify(&project, &second), &["register"]);
    restore(&file, &kept);

    // Its end is cut off.
    let events = project
        .store()
        .expect("a history")
        .events(&first.as_str().into(), 0, 1_000)
        .expect("events")
        .len() as u64;
    Forger::of(&project).rewrite(&first, &|seq, _| seq + 2 < events);
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
        let forger = Forger::of(&project);
        forger
            .0
            .execute("DELETE FROM register WHERE run_id = ?1", [&second])
            .expect("deleted");
    }
    named(&verify(&project, &second), &["register"]);
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

#[tokio::test(flavor = "multi_thread")]
async fn another_key_under_a_known_name_is_named() {
    let project = project();
    approve(&project, "Ann");
    let begun = project
        .gatehouse(&["run", "memo.yaml", "--until-blocked"])
        .expect("gatehouse is built");
    assert!(begun.out.contains("Order lunch"), "{}{}", begun.out, begun.err);
    let (run, state) = project.latest().expect("a history").expect("a run");
    let home = tempfile::tempdir().expect("a folder");
    let mallory = Identity::open_in(home.path(), false).expect("an identity");
    let studio = Studio::open_as(&project.root, Client::Cli, mallory).expect("the project");
    let gate = state.waiting().expect("it waits").opened.clone();
    let answer = AnswerOf {
        run_id: run.to_string(),
        gate: gate.gate.to_string(),
        round: gate.round,
        answer: Answer::Approve,
        comment: String::new(),
        seen: Vec::new(),
        lasting: None,
    };
    studio.decide(answer, "Ann").await.expect("recorded");
    let found = verify(&project, run.as_str());
    assert!(
        found.notes.iter().any(|note| note.contains("Ann signed with 2 keys")),
        "{found:?}"
    );
}
