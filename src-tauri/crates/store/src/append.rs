//! Appending to the log.

use crate::open::Fault;
use crate::read::Head;
use crate::runs::RunRow;
use crate::{Error, Store};
use engine::{At, Event, RunId, RunState};
use rusqlite::{OptionalExtension, Transaction, params};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::sync::Arc;

/// One event as it stands in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// Its place, 1-based, without gaps.
    pub seq: u64,
    /// When it happened.
    pub at: At,
    /// What happened.
    pub event: Event,
    /// Link of the chain: `SHA-256(previous link ‖ seq as eight big-endian bytes ‖ stored bytes)`.
    pub hash: [u8; 32],
}

/// One batch for [`Store::append_many`].
#[derive(Debug, Clone, Copy)]
pub struct Append<'a> {
    /// Which run.
    pub run: &'a RunId,
    /// How many events the run had when the batch was decided.
    pub expected_seq: u64,
    /// The events, in order, with their times.
    pub batch: &'a [(At, Event)],
    /// The state after them: what the lists show.
    pub after: &'a RunState,
}

#[derive(Serialize)]
struct BodyRef<'a> {
    at: At,
    event: &'a Event,
}

/// A stored body, read back.
#[derive(Deserialize)]
pub(crate) struct Body {
    pub at: At,
    pub event: Event,
}

/// The link before a run's first event: it binds the chain to the run's id.
pub fn first_link(run: &RunId) -> [u8; 32] {
    Sha256::digest(format!("gatehouse-run-v1:{run}").as_bytes()).into()
}

/// The link of one event.
pub fn chain_hash(previous: &[u8; 32], seq: u64, body: &[u8]) -> [u8; 32] {
    let mut sha = Sha256::new();
    sha.update(previous);
    sha.update(seq.to_be_bytes());
    sha.update(body);
    sha.finalize().into()
}

/// The stored bytes: `{"at":…,"event":{…}}` as compact JSON.
pub(crate) fn body_of(at: At, event: &Event) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&BodyRef { at, event })
}

/// Where a run's log will end once a batch is appended behind `after`.
///
/// # Errors
/// An event cannot be written as JSON.
pub fn chained(after: Head, batch: &[(At, Event)]) -> serde_json::Result<Head> {
    batch.iter().try_fold(after, |head, (at, event)| {
        let seq = head.seq + 1;
        let hash = chain_hash(&head.hash, seq, &body_of(*at, event)?);
        Ok(Head { seq, hash })
    })
}

/// The links of the log of a run that another one goes on from, one for each of its events, from what that other one holds of it
/// ([`engine::Continued`]): `log` is its events from the first on.
pub fn links_of(earlier: &engine::Continued, log: &[&Stored]) -> serde_json::Result<Vec<[u8; 32]>> {
    let own = Event::RunCreated(Arc::clone(&earlier.created));
    let mut link = first_link(earlier.run());
    let events = log.iter().skip(1).map(|stored| (stored.at, &stored.event));
    let events = std::iter::once((earlier.at, &own)).chain(events);
    (1..=earlier.events)
        .zip(events)
        .map(|(seq, (at, event))| {
            link = chain_hash(&link, seq, &body_of(at, event)?);
            Ok(link)
        })
        .collect()
}

impl Store {
    /// Appends one batch in one synced transaction: events, chain and projections. Either all of it is durable when this
    /// returns, or none.
    ///
    /// # Errors
    /// [`Error::Conflict`] when somebody appended meanwhile; [`Error::Inconsistent`]; [`Error::Locked`],
    /// [`Error::DiskFull`], [`Error::ReadOnly`], [`Error::Sql`].
    pub fn append(
        &self,
        run: &RunId,
        expected_seq: u64,
        batch: &[(At, Event)],
        after: &RunState,
    ) -> Result<Vec<Stored>, Error> {
        self.append_with(run, expected_seq, batch, after, &[])
    }

    /// [`Store::append`], with the content that the events name in the same commit: one sync for both.
    ///
    /// # Errors
    /// Those of [`Store::append`].
    pub fn append_with(
        &self,
        run: &RunId,
        expected_seq: u64,
        batch: &[(At, Event)],
        after: &RunState,
        blobs: &[Vec<u8>],
    ) -> Result<Vec<Stored>, Error> {
        self.write(|transaction| {
            for bytes in blobs {
                crate::blobs::insert(transaction, &crate::digest_of(bytes), bytes)?;
            }
            append_one(
                transaction,
                &Append {
                    run,
                    expected_seq,
                    batch,
                    after,
                },
            )
        })
    }

    /// Group commit: many batches, of one run or of several, in one synced transaction. A batch that came too late or does
    /// not fit gets its own error and leaves the others alone; batches of one run follow each other.
    ///
    /// # Errors
    /// The outer error is SQLite's (disk, lock): then nothing was written.
    pub fn append_many(&self, batches: &[Append<'_>]) -> Result<Vec<Result<Vec<Stored>, Error>>, Error> {
        self.write(|transaction| {
            let mut out = Vec::with_capacity(batches.len());
            for batch in batches {
                // Our own refusals come before the first insert of a batch, so that nothing has to be undone.
                match append_one(transaction, batch) {
                    Ok(stored) => out.push(Ok(stored)),
                    Err(Fault::Ours(refusal)) => out.push(Err(*refusal)),
                    Err(fault) => return Err(fault),
                }
            }
            Ok(out)
        })
    }
}

fn append_one(transaction: &Transaction<'_>, append: &Append<'_>) -> Result<Vec<Stored>, Fault> {
    let Append {
        run,
        expected_seq,
        batch,
        after,
    } = *append;
    let head: Option<(i64, [u8; 32])> = transaction
        .prepare_cached("SELECT seq, head FROM runs WHERE run_id = ?1")?
        .query_row([run.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let actual = head.map_or(0, |(seq, _)| seq.unsigned_abs());
    if actual != expected_seq {
        return Err(Error::Conflict {
            run: run.clone(),
            expected: expected_seq,
            actual,
        }
        .into());
    }
    if batch.is_empty() {
        return Ok(Vec::new());
    }
    let inconsistent = |why: String| Fault::from(Error::Inconsistent { run: run.clone(), why });
    if after.seq != expected_seq + batch.len() as u64 {
        return Err(inconsistent(format!(
            "the state is at {}, the log would be at {}",
            after.seq,
            expected_seq + batch.len() as u64
        )));
    }
    let Some(row) = RunRow::of(run, after) else {
        return Err(inconsistent("the state has no first event".to_owned()));
    };
    if let (0, (_, Event::RunCreated(created))) = (expected_seq, &batch[0]) {
        if created.run_id != *run {
            return Err(inconsistent(format!("its first event names run {}", created.run_id)));
        }
    } else if expected_seq == 0 {
        return Err(inconsistent("its first event is not the run's creation".to_owned()));
    }

    let mut link = head.map_or_else(|| first_link(run), |(_, head)| head);
    let mut stored = Vec::with_capacity(batch.len());
    let mut insert =
        transaction.prepare_cached("INSERT INTO events (run_id, seq, at, body, hash) VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for (seq, (at, event)) in (expected_seq + 1..).zip(batch) {
        let body =
            body_of(*at, event).map_err(|e| inconsistent(format!("event {seq} cannot be written as JSON: {e}")))?;
        link = chain_hash(&link, seq, &body);
        insert.execute(params![run.as_str(), seq as i64, at.0, body, link])?;
        stored.push(Stored {
            seq,
            at: *at,
            event: event.clone(),
            hash: link,
        });
    }
    // First: what it does not know of, the lists refuse.
    crate::register::enter(transaction, run, batch, after.seq, &link)?;
    if expected_seq == 0 {
        row.insert(transaction, &link)?
    } else {
        row.update(transaction, &link)?
    }
    crate::gates::project(transaction, run, batch)?;
    Ok(stored)
}
