//! The entries of the register of runs as they are made ([`crate::Store::register`] says what it is): part of the transaction that writes
//! what is entered.

use crate::rows::count;
use engine::{At, Event, RunId};
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use rusqlite_migration::HookResult;
use sha2::{Digest as _, Sha256};

/// The link before the first entry.
pub(crate) fn first() -> [u8; 32] {
    Sha256::digest(b"gatehouse-register-v1").into()
}

pub(crate) fn entry_hash(previous: &[u8; 32], n: u64, run: &str, seq: u64, link: &[u8]) -> [u8; 32] {
    let mut sha = Sha256::new();
    sha.update(previous);
    sha.update(n.to_be_bytes());
    sha.update((run.len() as u64).to_be_bytes());
    sha.update(run.as_bytes());
    sha.update(seq.to_be_bytes());
    sha.update(link);
    sha.finalize().into()
}

/// Whether an event is entered: the beginning, every decision and the end of a run, and that its log is another one than was seen.
pub(crate) fn is_entered(event: &Event) -> bool {
    matches!(
        event,
        Event::RunCreated(_)
            | Event::GateAnswered(_)
            | Event::RunCompleted(_)
            | Event::Reopened { .. }
            | Event::AnotherLog(_)
    )
}

/// Enters how far a run is, where its new events call for it.
pub(crate) fn enter(
    t: &Transaction<'_>,
    run: &RunId,
    batch: &[(At, Event)],
    seq: u64,
    link: &[u8; 32],
) -> rusqlite::Result<()> {
    match batch.iter().any(|(_, event)| is_entered(event)) {
        true => add(t, run.as_str(), seq, link),
        false => Ok(()),
    }
}

fn add(t: &Transaction<'_>, run: &str, seq: u64, link: &[u8]) -> rusqlite::Result<()> {
    let last = last(t)?;
    let (n, previous) = last.map_or((1, first()), |(n, hash)| (n + 1, hash));
    let hash = entry_hash(&previous, n, run, seq, link);
    t.prepare_cached("INSERT INTO register (n, run_id, seq, link, hash) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![n as i64, run, seq as i64, link, hash])?;
    Ok(())
}

pub(crate) fn last(c: &Connection) -> rusqlite::Result<Option<(u64, [u8; 32])>> {
    c.prepare_cached("SELECT n, hash FROM register ORDER BY n DESC LIMIT 1")?
        .query_row([], |row| Ok((count(row.get(0)?), row.get(1)?)))
        .optional()
}

/// The runs of a history that had no register are entered as they are found, oldest first.
pub(crate) fn enter_all(t: &Transaction<'_>) -> HookResult {
    let mut runs = t.prepare("SELECT run_id, seq, head FROM runs ORDER BY created_at, run_id")?;
    let mut rows = runs.query([])?;
    while let Some(row) = rows.next()? {
        // Of any length: a damaged history must open, so that it can be verified.
        let (run, seq, head): (String, i64, Vec<u8>) = (row.get(0)?, row.get(1)?, row.get(2)?);
        add(t, &run, count(seq), &head)?;
    }
    Ok(())
}
