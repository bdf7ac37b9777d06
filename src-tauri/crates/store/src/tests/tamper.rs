//! Any byte that is changed behind our back is found.

use super::*;
use crate::{Error, Finding, FindingKind};
use rusqlite::{Connection, types::Value as Sql};
use std::path::Path;

/// A second connection as an intruder would open it: no triggers, no syncing.
fn intrude(project: &Path) -> Connection {
    let raw = Connection::open(project.join(".gatehouse/history.db")).unwrap();
    raw.execute_batch(
        "PRAGMA synchronous = OFF;
         DROP TRIGGER events_are_never_updated; DROP TRIGGER events_are_never_deleted;
         DROP TRIGGER blobs_are_never_updated; DROP TRIGGER blobs_are_never_deleted;",
    )
    .unwrap();
    raw
}

fn kinds(findings: &[Finding]) -> Vec<FindingKind> {
    let mut kinds: Vec<_> = findings.iter().map(|f| f.kind).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

#[test]
fn an_untouched_run_has_no_findings() {
    let store = Store::open_memory().unwrap();
    let s = sample(&store, "run-1");
    assert_eq!(store.verify(&s.run).unwrap(), []);
    assert!(matches!(store.verify(&"nobody".into()), Err(Error::UnknownRun { .. })));
    let mut begun = Script::new("run-2");
    let source = store.put_blob(b"id: signal\n").unwrap();
    begun
        .create(source)
        .begin("publish", 1, 1)
        .end("publish", 1, 1, reported(&[]), None);
    begun.push(gate("publish", 1, 1, Vec::new()));
    begun.save(&store);
    assert_eq!(
        store.verify(&begun.run).unwrap(),
        [],
        "a run that waits is whole as well"
    );
}

/// One field of one row, as bytes, and how to change it whatever it is at the moment.
struct Field<'a> {
    raw: &'a Connection,
    table: &'a str,
    column: &'a str,
    /// Finds the row by everything but this field.
    row: String,
    kind: &'static str,
    value: Sql,
}

impl<'a> Field<'a> {
    fn new(raw: &'a Connection, table: &'a str, column: &'a str, row: String) -> Self {
        let read = format!("SELECT {column} FROM {table} WHERE {row}");
        let value: Sql = raw.query_row(&read, [], |r| r.get(0)).unwrap();
        let kind = match value {
            Sql::Integer(_) => "INTEGER",
            Sql::Text(_) => "TEXT",
            _ => "BLOB",
        };
        Self {
            raw,
            table,
            column,
            row,
            kind,
            value,
        }
    }

    fn bytes(&self) -> Vec<u8> {
        match &self.value {
            Sql::Integer(i) => i.to_be_bytes().to_vec(),
            Sql::Text(t) => t.clone().into_bytes(),
            Sql::Blob(b) => b.clone(),
            other => panic!("{other:?}"),
        }
    }

    fn set(&self, bytes: Vec<u8>) {
        let value = match self.kind {
            "INTEGER" => Sql::Integer(i64::from_be_bytes(bytes.try_into().unwrap())),
            _ => Sql::Blob(bytes),
        };
        let sql = format!(
            "UPDATE {} SET {} = CAST(?1 AS {}) WHERE {}",
            self.table, self.column, self.kind, self.row
        );
        assert_eq!(self.raw.execute(&sql, [value]).unwrap(), 1);
    }
}

#[test]
fn every_byte_of_every_event_and_blob_counts() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    let s = sample(&store, "run-1");
    let raw = intrude(project.path());
    let mut fields = Vec::new();
    for (seq, (at, _)) in (1..).zip(&s.batch) {
        // In the sample every event has its own second, so the row is found even while its number is changed.
        let by_seq = format!("run_id = 'run-1' AND seq = {seq}");
        fields.push(Field::new(&raw, "events", "run_id", format!("at = {}", at.0)));
        fields.push(Field::new(&raw, "events", "seq", format!("at = {}", at.0)));
        fields.extend(["at", "body", "hash"].map(|column| Field::new(&raw, "events", column, by_seq.clone())));
    }
    let blobs: i64 = raw.query_row("SELECT count(*) FROM blobs", [], |r| r.get(0)).unwrap();
    for rowid in 1..=blobs {
        fields.extend(["digest", "bytes"].map(|column| Field::new(&raw, "blobs", column, format!("rowid = {rowid}"))));
    }
    let mut flips = 0;
    for field in &fields {
        let before = field.bytes();
        for position in 0..before.len() {
            let mut after = before.clone();
            // This bit leaves most JSON readable and never turns one event's number into another's.
            after[position] ^= 0x40;
            field.set(after);
            let found = store.verify(&s.run).unwrap();
            assert!(
                !found.is_empty(),
                "{} where {}: byte {position} of {}",
                field.table,
                field.row,
                field.column
            );
            flips += 1;
        }
        field.set(before);
    }
    assert_eq!(store.verify(&s.run).unwrap(), [], "everything was put back");
    assert!(flips > 5_000, "{flips}");
}

#[test]
fn each_kind_of_change_is_named() {
    let check = |statement: &str| {
        let project = tempfile::tempdir().unwrap();
        let store = Store::open(project.path()).unwrap();
        let s = sample(&store, "run-1");
        intrude(project.path()).execute_batch(statement).unwrap();
        let all = kinds(&store.verify(&s.run).unwrap());
        let quick = kinds(&store.verify_chain(&s.run).unwrap());
        let of_the_chain = |k: &FindingKind| matches!(k, FindingKind::Gap | FindingKind::Chain | FindingKind::Head);
        assert_eq!(
            quick,
            all.iter().copied().filter(of_the_chain).collect::<Vec<_>>(),
            "{statement}"
        );
        all
    };
    use FindingKind::*;
    assert_eq!(check("UPDATE events SET at = at + 1 WHERE seq = 5"), [Column]);
    assert_eq!(
        check("UPDATE events SET body = CAST(replace(CAST(body AS TEXT), 'VERIFIED', 'VERIFIES') AS BLOB)"),
        [Chain],
        "what an agent said is in no list, but in the chain"
    );
    assert_eq!(
        check("UPDATE events SET body = x'7b' WHERE seq = 4"),
        [Chain, Unreadable]
    );
    assert_eq!(check("DELETE FROM events WHERE seq = 7"), [Gap, Chain]);
    assert_eq!(check("DELETE FROM events WHERE seq > 20"), [Head, Projection]);
    assert_eq!(check("DELETE FROM events"), [Head, Projection]);
    assert_eq!(check("DELETE FROM runs"), [Head, Projection]);
    assert_eq!(check("UPDATE runs SET status = 'failed'"), [Projection]);
    assert_eq!(check("UPDATE runs SET head = zeroblob(32)"), [Head]);
    assert_eq!(
        check("UPDATE gates SET decision = replace(decision, 'Grace', 'Mallory')"),
        [Projection]
    );
    assert_eq!(check("UPDATE blobs SET bytes = x'00'"), [BlobChanged]);
    assert_eq!(check("DELETE FROM blobs"), [BlobMissing]);
    // A whole event swapped for another's, links and all.
    assert_eq!(
        check(
            "UPDATE events SET (at, body, hash) = (SELECT at, body, hash FROM events e WHERE e.seq = 4) WHERE seq = 3"
        ),
        [Chain, Projection]
    );
}

#[test]
fn the_time_of_an_order_that_takes_a_run_up_may_be_listed() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    let mut taken = Script::new("run-1");
    let source = store.put_blob(b"id: signal\n").unwrap();
    taken.create(source).begin("publish", 1, 1);
    taken.push(Event::TakenUp {
        by: "Ada".into(),
        given: None,
    });
    taken.save(&store);
    let raw = intrude(project.path());
    let listed = |at: i64| {
        raw.execute("UPDATE runs SET last_at = ?1", [at]).unwrap();
        kinds(&store.verify(&taken.run).unwrap())
    };
    let (moved, last) = (taken.state.moved_at.unwrap().0, taken.state.last_at.unwrap().0);
    assert_ne!(moved, last);
    assert_eq!(listed(last), [], "as earlier versions did");
    assert_eq!(listed(moved), []);
    assert_eq!(listed(last + 1), [FindingKind::Projection]);
}

#[test]
fn a_run_moved_under_another_id_is_found() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    sample(&store, "run-1");
    intrude(project.path())
        .execute_batch(
            "UPDATE events SET run_id = 'run-2'; UPDATE runs SET run_id = 'run-2'; UPDATE gates SET run_id = 'run-2'",
        )
        .unwrap();
    assert_eq!(
        kinds(&store.verify(&"run-2".into()).unwrap()),
        [FindingKind::Chain, FindingKind::Unreadable]
    );
}

#[test]
fn lists_are_written_anew_and_hide_nothing() {
    let after = |statement: &str| {
        let project = tempfile::tempdir().unwrap();
        let store = Store::open(project.path()).unwrap();
        let s = sample(&store, "run-1");
        intrude(project.path()).execute_batch(statement).unwrap();
        assert_ne!(store.verify(&s.run).unwrap(), [], "{statement}");
        let _ = store.rebuild(&s.run, &facts());
        kinds(&store.verify(&s.run).unwrap())
    };
    for statement in [
        "UPDATE runs SET title = 'Another title'",
        "UPDATE runs SET status = 'failed', steps_completed = 99",
        "UPDATE gates SET decision = replace(decision, 'Grace', 'Mallory')",
        "DELETE FROM gates",
    ] {
        assert_eq!(after(statement), [], "{statement}");
    }
    // A list that says that the log is not whole goes on saying so.
    assert!(after("DELETE FROM events WHERE seq > 20").contains(&FindingKind::Head));
    assert!(after("UPDATE runs SET head = zeroblob(32), title = 'x'").contains(&FindingKind::Head));
}
