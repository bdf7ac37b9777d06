//! Somebody who may write a project's history: they change it and compute anew whatever follows from the change.

use rusqlite::Connection;
use serde_json::Value;
use std::path::Path;

/// Everything somebody can do who owns the file.
#[derive(Debug)]
pub struct Forger(pub Connection);

impl Forger {
    /// Opens a project's history and takes away what refuses changes.
    ///
    /// # Panics
    /// There is none.
    pub fn of(project: &Path) -> Self {
        let raw = Connection::open(project.join(".gatehouse/history.db")).expect("a database");
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

    /// Changes a run's events and computes everything that follows from them: links, lists, register. Where `change` answers
    /// `false` the log is cut off before that event.
    ///
    /// # Panics
    /// The history is not what it should be.
    pub fn rewrite(&self, run: &str, change: &dyn Fn(u64, &mut Value) -> bool) {
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

    /// Puts events into a run's log, the first of them at the place `at`, and computes everything that follows anew.
    ///
    /// # Panics
    /// The history is not what it should be.
    pub fn insert(&self, run: &str, at: u64, events: &[Value]) {
        let at = i64::try_from(at).expect("a number");
        let by = i64::try_from(events.len()).expect("a number");
        // Upwards of zero and back: no two rows have one number meanwhile.
        for set in [
            "UPDATE events SET seq = -(seq + ?3) WHERE run_id = ?1 AND seq >= ?2",
            "UPDATE register SET seq = seq + ?3 WHERE run_id = ?1 AND seq >= ?2",
        ] {
            self.0.execute(set, (run, at, by)).expect("moved");
        }
        self.0
            .execute("UPDATE events SET seq = -seq WHERE run_id = ?1 AND seq < 0", [run])
            .expect("moved");
        for (event, seq) in events.iter().zip(at..) {
            let body = serde_json::to_vec(event).expect("text");
            let moment = event["at"].as_i64().expect("a time");
            let row = "INSERT INTO events (run_id, seq, at, body, hash) VALUES (?1, ?2, ?3, ?4, zeroblob(32))";
            self.0.execute(row, (run, seq, moment, &body)).expect("inserted");
        }
        self.rewrite(run, &|_, _| true);
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

    /// Takes a run away, and every trace of it.
    ///
    /// # Panics
    /// The history is not what it should be.
    pub fn remove(&self, run: &str) {
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

/// An event's content as the list of gates keeps it: without the word for its kind.
fn plain(value: &Value) -> String {
    let mut value = value.clone();
    if let Some(all) = value.as_object_mut() {
        all.remove("type");
    }
    value.to_string()
}
