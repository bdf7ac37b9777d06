//! Reading the log back.

use crate::chain::{Body, Head, Stored, chain_hash, first_link};
use crate::schema::{HAS_UNMET, HAS_UNMET_BEFORE};
use crate::{Error, Store};
use engine::{RunId, RunState};
use rusqlite::OptionalExtension;

/// The words of the reasons by which a way led on, or to the end, without what was to be reported there.
pub const UNMET: [&str; 3] = ["loop_bound_reached", "no_further_help", "flow_complete_branch"];

/// Events read at once.
const PAGE: usize = 1000;

impl Store {
    /// Events of a run with a sequence number above `after`, oldest first, at most `limit`. A run nobody knows has none.
    ///
    /// # Errors
    /// [`Error::Unreadable`] when a stored body is no event; [`Error::Sql`], [`Error::Corrupt`].
    pub fn events(&self, run: &RunId, after: u64, limit: usize) -> Result<Vec<Stored>, Error> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = self.sql(|c| {
            let mut query = c.prepare_cached(
                "SELECT seq, body, hash FROM events WHERE run_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
            )?;
            let rows = query.query_map((run.as_str(), after as i64, limit), |row| {
                Ok((
                    row.get::<_, i64>(0)?,
                    row.get::<_, Vec<u8>>(1)?,
                    row.get::<_, [u8; 32]>(2)?,
                ))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        let mut before = match after {
            _ if rows.is_empty() => None,
            0 => Some(first_link(run)),
            after => self.link(run, after)?,
        };
        rows.into_iter()
            .map(|(seq, body, hash)| {
                let seq = seq.unsigned_abs();
                let fits = before.is_some_and(|before| chain_hash(&before, seq, &body) == hash);
                before = Some(hash);
                let Body { at, event } = serde_json::from_slice(&body).map_err(|e| Error::Unreadable {
                    run: run.clone(),
                    seq,
                    why: e.to_string(),
                })?;
                Ok(Stored {
                    seq,
                    at,
                    event,
                    hash,
                    fits,
                })
            })
            .collect()
    }

    /// [`Store::events`] for whoever has read the run up to `after`: what this process has appended a moment ago is shared and not read
    /// again, as long as it is what is stored. From the first event on all of it is read; whoever asks who wrote what uses [`Store::events`].
    ///
    /// # Errors
    /// Those of [`Store::events`].
    pub fn events_since(&self, run: &RunId, after: u64, limit: usize) -> Result<Vec<Stored>, Error> {
        let mut events = match after {
            0 => Vec::new(),
            _ => self.appended.after(run, after, limit),
        };
        if let Some(last) = events.last()
            && self.link(run, last.seq)? != Some(last.hash)
        {
            // Another program has put another log in its place.
            events.clear();
        }
        let last = events.last().map_or(after, |stored| stored.seq);
        if events.len() < limit {
            events.extend(self.events(run, last, limit - events.len())?);
        }
        Ok(events)
    }

    /// Whether a run may have gone on, or ended, somewhere without what was to be reported there: an event of it holds one of [`UNMET`], wherever.
    /// It is known without a look at its log.
    ///
    /// # Errors
    /// [`Error::Sql`], [`Error::Corrupt`].
    pub fn may_be_unmet(&self, run: &RunId) -> Result<bool, Error> {
        self.sql(|c| {
            let query = c
                .prepare_cached(HAS_UNMET)
                .or_else(|_| c.prepare_cached(HAS_UNMET_BEFORE));
            query?.query_row([run.as_str()], |row| row.get(0))
        })
    }

    /// The link of one event, as it is stored.
    fn link(&self, run: &RunId, seq: u64) -> Result<Option<[u8; 32]>, Error> {
        self.sql(|c| {
            c.prepare_cached("SELECT hash FROM events WHERE run_id = ?1 AND seq = ?2")?
                .query_row((run.as_str(), seq as i64), |row| row.get(0))
                .optional()
        })
    }

    /// The chain of a run, computed from the stored bytes: from `after` on, whose link is taken as given, up to event `until`, or to the
    /// end of the log. It ends earlier where events are missing.
    ///
    /// # Errors
    /// [`Error::Sql`], [`Error::Corrupt`].
    pub fn chain(&self, run: &RunId, after: Head, until: Option<u64>) -> Result<Head, Error> {
        let until = until.map_or(i64::MAX, |until| i64::try_from(until).unwrap_or(i64::MAX));
        self.sql(|c| {
            let mut query = c.prepare_cached(
                "SELECT seq, body FROM events WHERE run_id = ?1 AND seq > ?2 AND seq <= ?3 ORDER BY seq",
            )?;
            let mut rows = query.query((run.as_str(), after.seq as i64, until))?;
            let mut head = after;
            while let Some(row) = rows.next()? {
                let (seq, body) = (row.get::<_, i64>(0)?.unsigned_abs(), row.get_ref(1)?);
                if seq != head.seq + 1 {
                    break;
                }
                head = Head {
                    seq,
                    hash: chain_hash(&head.hash, seq, body.as_blob()?),
                };
            }
            Ok(head)
        })
    }

    /// Gives every event of a run with a sequence number above `after`, oldest first, as it is stored; what is in memory at
    /// once is bounded.
    ///
    /// # Errors
    /// Those of [`Store::events`]; what was given before stays given.
    pub fn each_event(&self, run: &RunId, after: u64, seen: impl FnMut(Stored)) -> Result<(), Error> {
        each(after, |last| self.events(run, last, PAGE), seen)
    }

    /// The same for whoever has read the run up to `after` ([`Store::events_since`]).
    ///
    /// # Errors
    /// Those of [`Store::each_event`].
    pub fn each_event_since(&self, run: &RunId, after: u64, seen: impl FnMut(Stored)) -> Result<(), Error> {
        match after {
            0 => self.each_event(run, after, seen),
            _ => each(after, |last| self.events_since(run, last, PAGE), seen),
        }
    }

    /// A run's state: the fold of its whole log, and where the log ends.
    ///
    /// # Errors
    /// [`Error::UnknownRun`]; those of [`Store::events`].
    pub fn load(&self, run: &RunId) -> Result<(RunState, Head), Error> {
        let mut state = RunState::default();
        let mut head = Head::first(run);
        self.each_event(run, 0, |stored| {
            engine::apply(&mut state, stored.at, &stored.event);
            head = Head {
                seq: stored.seq,
                hash: stored.hash,
            };
        })?;
        match head.seq {
            0 => Err(Error::UnknownRun { run: run.to_string() }),
            _ => Ok((state, head)),
        }
    }

    /// Where a run's log ends, without reading it; `None` for a run nobody knows.
    ///
    /// # Errors
    /// [`Error::Sql`].
    pub fn head(&self, run: &RunId) -> Result<Option<Head>, Error> {
        self.sql(|c| {
            c.prepare_cached("SELECT seq, head FROM runs WHERE run_id = ?1")?
                .query_row([run.as_str()], |row| {
                    Ok(Head {
                        seq: row.get::<_, i64>(0)?.unsigned_abs(),
                        hash: row.get(1)?,
                    })
                })
                .optional()
        })
    }
}

/// Gives what pages hold, one after the other, each as it is read behind the one before.
fn each(
    after: u64,
    page: impl Fn(u64) -> Result<Vec<Stored>, Error>,
    mut seen: impl FnMut(Stored),
) -> Result<(), Error> {
    let mut last = after;
    loop {
        let page = page(last)?;
        let is_last = page.len() < PAGE;
        last = page.last().map_or(last, |stored| stored.seq);
        page.into_iter().for_each(&mut seen);
        if is_last {
            return Ok(());
        }
    }
}
