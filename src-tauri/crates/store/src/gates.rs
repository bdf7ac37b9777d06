//! Gates that wait and gates that were answered: a projection of the log, written with it.

use crate::rows::count;
use crate::{Error, Store};
use engine::{At, Decision, Event, GateId, GateOpened, RouteReason, RunId, RunState};
use model::WorkflowId;
use rusqlite::{OptionalExtension, Row, Transaction, params};
use serde::de::DeserializeOwned;

/// A gate that waits for a person.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitingRow {
    /// Which run.
    pub run: RunId,
    /// Its workflow's id.
    pub workflow: WorkflowId,
    /// The workflow's title when the run began.
    pub title: String,
    /// Path of the source, relative to the project.
    pub path: String,
    /// Who started the run.
    pub started_by: String,
    /// What is asked, and what there is to look at.
    pub opened: GateOpened,
    /// Since when it waits.
    pub opened_at: At,
    /// When the run began.
    pub begun_at: At,
    /// The run is paused as well.
    pub paused: bool,
    /// How many events the run has.
    pub seq: u64,
}

/// A gate that waits, of which the list does not say what is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadRow {
    /// Which run.
    pub run: RunId,
    /// The workflow's title when the run began.
    pub title: String,
}

/// A gate that was answered.
#[derive(Debug, Clone, PartialEq)]
pub struct DecidedRow {
    /// Which run.
    pub run: RunId,
    /// Its workflow's id.
    pub workflow: WorkflowId,
    /// The workflow's title when the run began.
    pub title: String,
    /// Path of the source, relative to the project.
    pub path: String,
    /// What was asked, and what was shown.
    pub opened: GateOpened,
    /// When it was asked.
    pub opened_at: At,
    /// The answer.
    pub decision: Decision,
    /// When it came.
    pub decided_at: At,
}

impl Store {
    /// Gates that wait, the longest waiting first, as far as their rows can be read.
    ///
    /// # Errors
    /// [`Error::Sql`], [`Error::Corrupt`].
    pub fn waiting(&self) -> Result<Vec<WaitingRow>, Error> {
        Ok(self.waiting_rows()?.0)
    }

    /// The same, and the rows that cannot be read: what stands there is no question.
    ///
    /// # Errors
    /// [`Error::Sql`], [`Error::Corrupt`].
    pub fn waiting_rows(&self) -> Result<(Vec<WaitingRow>, Vec<UnreadRow>), Error> {
        let mut unread = Vec::new();
        let rows = self.sql(|c| {
            let mut query = c.prepare_cached(
                "SELECT r.run_id, r.workflow, r.title, r.path, r.started_by, g.opened, max(g.opened_at, r.created_at), r.paused, r.seq,
                        r.created_at
                 FROM runs r JOIN gates g ON g.run_id = r.run_id AND g.answered_at IS NULL
                 WHERE r.waiting_gate IS NOT NULL ORDER BY max(g.opened_at, r.created_at), r.run_id, g.gate",
            )?;
            let rows = query.query_map([], |row| {
                let run = RunId::from(row.get::<_, String>(0)?);
                let Ok(opened) = json(row, 5) else {
                    let title = row.get(2)?;
                    return Ok(Err(UnreadRow { run, title }));
                };
                Ok(Ok(WaitingRow {
                    run,
                    workflow: WorkflowId::from(row.get::<_, String>(1)?),
                    title: row.get(2)?,
                    path: row.get(3)?,
                    started_by: row.get(4)?,
                    opened,
                    opened_at: At(row.get(6)?),
                    paused: row.get(7)?,
                    seq: count(row.get(8)?),
                    begun_at: At(row.get(9)?),
                }))
            })?;
            let mut read = Vec::new();
            for row in rows {
                match row? {
                    Ok(row) => read.push(row),
                    Err(of) => unread.push(of),
                }
            }
            Ok(read)
        })?;
        Ok((rows, unread))
    }

    /// One round that was answered: what was asked, the answer and when it came.
    ///
    /// # Errors
    /// [`Error::Sql`], [`Error::Corrupt`].
    pub fn answered(
        &self,
        run: &RunId,
        gate: &GateId,
        round: u32,
    ) -> Result<Option<(GateOpened, Decision, At)>, Error> {
        self.sql(|c| {
            c.prepare_cached(
                "SELECT opened, decision, answered_at FROM gates
                 WHERE run_id = ?1 AND gate = ?2 AND round = ?3 AND answered_at IS NOT NULL AND decision IS NOT NULL",
            )?
            .query_row(params![run.as_str(), gate.as_str(), round], |row| {
                Ok((json(row, 0)?, json(row, 1)?, At(row.get(2)?)))
            })
            .optional()
        })
    }

    /// The latest answers, newest first, at most `limit`.
    ///
    /// # Errors
    /// [`Error::Sql`], [`Error::Corrupt`].
    pub fn decided(&self, limit: usize) -> Result<Vec<DecidedRow>, Error> {
        self.sql(|c| {
            let mut query = c.prepare_cached(
                "SELECT r.run_id, r.workflow, r.title, r.path, g.opened, g.opened_at, g.decision, g.answered_at
                 FROM gates g JOIN runs r ON r.run_id = g.run_id
                 WHERE g.answered_at IS NOT NULL AND g.decision IS NOT NULL ORDER BY g.answered_at DESC, g.run_id DESC, g.round DESC LIMIT ?1",
            )?;
            let rows = query.query_map([i64::try_from(limit).unwrap_or(i64::MAX)], |row| {
                Ok(DecidedRow {
                    run: RunId::from(row.get::<_, String>(0)?),
                    workflow: WorkflowId::from(row.get::<_, String>(1)?),
                    title: row.get(2)?,
                    path: row.get(3)?,
                    opened: json(row, 4)?,
                    opened_at: At(row.get(5)?),
                    decision: json(row, 6)?,
                    decided_at: At(row.get(7)?),
                })
            })?;
            rows.collect()
        })
    }

    /// The answers in a run, each with when it came.
    ///
    /// # Errors
    /// [`Error::Sql`], [`Error::Corrupt`].
    pub fn answers(&self, run: &RunId) -> Result<Vec<(Decision, At)>, Error> {
        self.sql(|c| {
            let mut query = c.prepare_cached(
                "SELECT decision, answered_at FROM gates
                 WHERE run_id = ?1 AND answered_at IS NOT NULL AND decision IS NOT NULL",
            )?;
            let rows = query.query_map([run.as_str()], |row| {
                let decision: Decision = json(row, 0)?;
                Ok((decision, At(row.get(1)?)))
            })?;
            rows.collect()
        })
    }
}

/// The events of a log that another run recorded, the first included.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Before {
    /// How many.
    pub events: u64,
    /// Their gates stand in that run's list, asked and answered there. Where the run goes back to a moment at which somebody was asked, it asks them
    /// too.
    pub asks: bool,
}

pub(crate) fn recorded_before(first: &Event) -> Before {
    let Event::RunCreated(created) = first else {
        return Before::default();
    };
    created.continues.as_ref().map_or(Before::default(), |earlier| Before {
        events: earlier.events,
        asks: earlier.back_to.is_some(),
    })
}

/// Writes what a batch says about gates; `after`: the run's state behind it.
pub(crate) fn project(
    t: &Transaction<'_>,
    run: &RunId,
    batch: &[(At, Event)],
    after: &RunState,
) -> rusqlite::Result<()> {
    let before = batch
        .first()
        .map(|(_, first)| recorded_before(first))
        .unwrap_or_default();
    for (seq, (at, event)) in (1..).zip(batch) {
        match event {
            _ if seq <= before.events && !before.asks => {}
            Event::GateAnswered(decision) if seq <= before.events => {
                t.prepare_cached("DELETE FROM gates WHERE run_id = ?1 AND gate = ?2 AND round = ?3")?
                    .execute(params![run.as_str(), decision.gate.as_str(), decision.round])?;
            }
            Event::Reopened { .. } if seq <= before.events => {
                t.prepare_cached("DELETE FROM gates WHERE run_id = ?1")?
                    .execute(params![run.as_str()])?;
            }
            Event::GateOpened(opened) => {
                t.prepare_cached(
                    "INSERT INTO gates (run_id, gate, round, opened_at, opened) VALUES (?1, ?2, ?3, ?4, ?5)
                     ON CONFLICT DO NOTHING",
                )?
                .execute(params![
                    run.as_str(),
                    opened.gate.as_str(),
                    opened.round,
                    at.0,
                    text(opened)?
                ])?;
            }
            // The first answer of a round counts; the engine refuses a second one.
            Event::GateAnswered(decision) => {
                t.prepare_cached(
                    "UPDATE gates SET answered_at = ?4, decision = ?5
                     WHERE run_id = ?1 AND gate = ?2 AND round = ?3 AND answered_at IS NULL",
                )?
                .execute(params![
                    run.as_str(),
                    decision.gate.as_str(),
                    decision.round,
                    at.0,
                    text(decision)?
                ])?;
            }
            event if leaves_unasked(event) => {
                let asked: Vec<(String, i64)> = t
                    .prepare_cached("SELECT gate, round FROM gates WHERE run_id = ?1 AND answered_at IS NULL")?
                    .query_map([run.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?
                    .collect::<Result<_, _>>()?;
                for (gate, round) in asked.iter().filter(|asked| !is_open(after, asked)) {
                    t.prepare_cached(
                        "UPDATE gates SET answered_at = ?4 WHERE run_id = ?1 AND gate = ?2 AND round = ?3",
                    )?
                    .execute(params![run.as_str(), gate, round, at.0])?;
                }
            }
            // What nobody answered before the end is not asked any more: the stage begins anew, or never.
            Event::Reopened { .. } => {
                t.prepare_cached("UPDATE gates SET answered_at = ?2 WHERE run_id = ?1 AND answered_at IS NULL")?
                    .execute(params![run.as_str(), at.0])?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether what was asked may not be asked any more, though nobody has answered: a branch that is cut off asks nothing, nor does a place
/// that somebody sent the run away from.
pub(crate) fn leaves_unasked(event: &Event) -> bool {
    match event {
        Event::Joined(joined) => !joined.cut_off.is_empty(),
        Event::Routed(decision) => matches!(decision.reason, RouteReason::Jump(_)),
        _ => false,
    }
}

/// Whether a round waits for an answer.
pub(crate) fn is_open(state: &RunState, (gate, round): &(String, i64)) -> bool {
    let open = state.open_gates();
    let is_it = |open: &&engine::GateRound| open.opened.gate.as_str() == gate && i64::from(open.opened.round) == *round;
    open.iter().any(is_it)
}

/// One gate round as the projection holds it: gate, round, opened at, opened, answered at, decision.
pub(crate) type GateColumns = (String, i64, i64, String, Option<i64>, Option<String>);

/// What the projection holds of one run, for comparison with the log.
pub(crate) fn columns(c: &rusqlite::Connection, run: &RunId) -> rusqlite::Result<Vec<GateColumns>> {
    c.prepare_cached(
        "SELECT gate, round, opened_at, opened, answered_at, decision FROM gates WHERE run_id = ?1 ORDER BY gate, round",
    )?
    .query_map([run.as_str()], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?, r.get(5)?)))?
    .collect()
}

/// JSON as the projection stores it.
pub(crate) fn text(value: &impl serde::Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|e| rusqlite::Error::ToSqlConversionFailure(e.into()))
}

fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text)
        .map_err(|e| rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, e.into()))
}
