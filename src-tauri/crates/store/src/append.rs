//! Appending to the log.

use crate::chain::{Body, Stored, body_of, chain_hash, first_link};
use crate::lease::is_held;
use crate::open::Fault;
use crate::run_row::RunRow;
use crate::{Error, Lease, Store, entries};
use engine::{At, Event, RunId, RunState};
use rusqlite::{OptionalExtension, Transaction, params};

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
        self.append_with(run, expected_seq, batch, after, &[], None)
    }

    /// [`Store::append`], with the content that the events name in the same commit: one sync for both. `lease`: that of the driver
    /// whose events they are.
    ///
    /// # Errors
    /// Those of [`Store::append`]; [`Error::LeaseLost`] when somebody took the lease over: nothing is written behind what its new owner
    /// has seen.
    pub fn append_with(
        &self,
        run: &RunId,
        expected_seq: u64,
        batch: &[(At, Event)],
        after: &RunState,
        blobs: &[Vec<u8>],
        lease: Option<&Lease>,
    ) -> Result<Vec<Stored>, Error> {
        let done = self.write(|transaction| {
            if let Some(lease) = lease
                && !is_held(transaction, lease)?
            {
                return Err(Error::LeaseLost { run: run.clone() }.into());
            }
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
        })?;
        Ok(self.kept(run, done))
    }

    /// What was added, kept for whoever takes it up next.
    fn kept(&self, run: &RunId, done: Added) -> Vec<Stored> {
        self.appended.keep(run, &done.stored, done.bytes);
        done.stored
    }

    /// Group commit: many batches, of one run or of several, in one synced transaction. A batch that came too late or does
    /// not fit gets its own error and leaves the others alone; batches of one run follow each other.
    ///
    /// # Errors
    /// The outer error is SQLite's (disk, lock): then nothing was written.
    pub fn append_many(&self, batches: &[Append<'_>]) -> Result<Vec<Result<Vec<Stored>, Error>>, Error> {
        let done = self.write(|transaction| {
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
        })?;
        let each = done.into_iter().zip(batches);
        Ok(each.map(|(done, batch)| Ok(self.kept(batch.run, done?))).collect())
    }
}

/// What was appended.
struct Added {
    stored: Vec<Stored>,
    /// How many bytes it takes.
    bytes: usize,
}

fn append_one(transaction: &Transaction<'_>, append: &Append<'_>) -> Result<Added, Fault> {
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
        return Ok(Added {
            stored: Vec::new(),
            bytes: 0,
        });
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
    let mut bytes = 0;
    let mut insert =
        transaction.prepare_cached("INSERT INTO events (run_id, seq, at, body, hash) VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for (seq, (at, event)) in (expected_seq + 1..).zip(batch) {
        let body =
            body_of(*at, event).map_err(|e| inconsistent(format!("event {seq} cannot be written as JSON: {e}")))?;
        // Whoever shares it with us in memory and whoever reads it see the same event.
        debug_assert!(
            matches!(serde_json::from_slice::<Body>(&body), Ok(read) if read.at == *at && read.event == *event),
            "event {seq} reads back as another one: {event:?}, {}",
            String::from_utf8_lossy(&body)
        );
        link = chain_hash(&link, seq, &body);
        insert.execute(params![run.as_str(), seq as i64, at.0, body, link])?;
        bytes += body.len();
        stored.push(Stored {
            seq,
            at: *at,
            event: event.clone(),
            hash: link,
            fits: true,
        });
    }
    // First: what it does not know of, the lists refuse.
    entries::enter(transaction, run, batch, after.seq, &link)?;
    if expected_seq == 0 {
        row.insert(transaction, &link)?
    } else {
        row.update(transaction, &link)?
    }
    crate::gates::project(transaction, run, batch, after)?;
    Ok(Added { stored, bytes })
}
