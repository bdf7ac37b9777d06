//! Our own words: every event as it is stored, with its link of the chain.

use crate::{Stored, rfc3339};
use engine::RunId;
use serde_json::{Value, json};

/// `{run_id, seq, at, hash, event: {type, …}}`; `at` is RFC 3339, `hash` 64 hexadecimal digits. Every line of a rehearsal has
/// `rehearsal: true` beside them.
pub fn line(run: &RunId, rehearsal: bool, stored: &Stored) -> Value {
    let mut line = json!({
        "run_id": run,
        "seq": stored.seq,
        "at": rfc3339(stored.at),
        "hash": hex::encode(stored.hash),
        "event": stored.event,
    });
    if let (true, Some(line)) = (rehearsal, line.as_object_mut()) {
        line.insert("rehearsal".to_owned(), json!(true));
    }
    line
}
