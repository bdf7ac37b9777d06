//! A run's row in the list of runs: how a state is put into it, and how it is read back.

use crate::rows::{at, count, small};
use engine::{At, EndStatus, GateId, Outcome, RunId, RunState, RunStatus};
use model::{Format, WorkflowId};
use rusqlite::{OptionalExtension, Row, Transaction, params};

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// Which run.
    pub run: RunId,
    /// Its workflow's id.
    pub workflow: WorkflowId,
    /// The workflow's title when the run began.
    pub title: String,
    /// Path of the source, relative to the project.
    pub path: String,
    /// Its contract.
    pub format: Format,
    /// In what state it is.
    pub status: StatusWord,
    /// A person paused it (work in flight finishes first, so the status may still be running).
    pub paused: bool,
    /// When it was created.
    pub created_at: At,
    /// When execution began.
    pub started_at: Option<At>,
    /// When it ended.
    pub ended_at: Option<At>,
    /// Until when it had come ([`RunState::moved_at`]).
    pub last_at: At,
    /// Who started it.
    pub by: String,
    /// From where: `desktop`, `cli` …
    pub initiator: String,
    /// Step executions that succeeded or were skipped.
    pub steps_completed: u32,
    /// Step executions begun.
    pub executed: u32,
    /// How often a loop was taken, all loops together.
    pub loops: u32,
    /// How often a person was asked.
    pub gates_asked: u32,
    /// The gate that waits, and its round.
    pub waiting: Option<(GateId, u32)>,
    /// The gate, and its round, by whose answer a person refused: of a refused run, and of one that ended otherwise after it was resumed.
    pub refused: Option<(GateId, u32)>,
    /// Number of events.
    pub seq: u64,
    /// Why it failed or was aborted.
    pub error: Option<String>,
}

/// A run's state as one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StatusWord {
    /// Created, nothing has happened yet.
    New,
    /// Something is in flight or about to be.
    Running,
    /// It waits for a person.
    Blocked,
    /// A person paused it.
    Paused,
    /// It ended well.
    Succeeded,
    /// It ended badly.
    Failed,
    /// A person ended it.
    Aborted,
    /// It ended, but not every stage of it ended well.
    CompletedWithFailures,
    /// A person refused, and that decided how it ended.
    Refused,
    /// It could not go on.
    Stopped,
    /// It was taken in from elsewhere: nothing of it was carried out here.
    Imported,
}

impl StatusWord {
    const ALL: [Self; 11] = [
        Self::New,
        Self::Running,
        Self::Blocked,
        Self::Paused,
        Self::Succeeded,
        Self::Failed,
        Self::Aborted,
        Self::CompletedWithFailures,
        Self::Refused,
        Self::Stopped,
        Self::Imported,
    ];

    /// The word: `new`, `running`, `blocked`, `paused`, `succeeded`, `failed`, `aborted`,
    /// `completed_with_failures`, `refused`, `stopped`, `imported`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Running => "running",
            Self::Blocked => "blocked",
            Self::Paused => "paused",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Aborted => "aborted",
            Self::CompletedWithFailures => "completed_with_failures",
            Self::Refused => "refused",
            Self::Stopped => "stopped",
            Self::Imported => "imported",
        }
    }

    /// Reads the word back.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.as_str() == word)
    }

    /// Whether nothing can happen any more.
    pub fn ended(self) -> bool {
        !matches!(self, Self::New | Self::Running | Self::Blocked | Self::Paused)
    }

    /// What a run has come to, in our own words: a refusal and a run that could not go on are told apart from a failure.
    pub fn of(state: &RunState) -> Self {
        match state.outcome() {
            Some(Outcome::Refused(_)) => Self::Refused,
            Some(Outcome::Stopped) => Self::Stopped,
            _ => state.status.into(),
        }
    }
}

/// The same in the words of the contracts' files, which have neither.
impl From<RunStatus> for StatusWord {
    fn from(status: RunStatus) -> Self {
        match status {
            RunStatus::New => Self::New,
            RunStatus::Running => Self::Running,
            RunStatus::Blocked => Self::Blocked,
            RunStatus::Paused => Self::Paused,
            RunStatus::Imported => Self::Imported,
            RunStatus::Ended(EndStatus::Succeeded) => Self::Succeeded,
            RunStatus::Ended(EndStatus::Failed | EndStatus::Stopped) => Self::Failed,
            RunStatus::Ended(EndStatus::Aborted) => Self::Aborted,
            RunStatus::Ended(EndStatus::CompletedWithFailures) => Self::CompletedWithFailures,
        }
    }
}

/// The columns in the order in which [`RunRow::read`] takes them.
pub(crate) const COLUMNS: &str = "run_id, workflow, title, path, format, status, paused, created_at, started_at, ended_at, last_at, \
    started_by, initiator, steps_completed, executed, loops, gates_asked, waiting_gate, waiting_round, seq, error, \
    refused_gate, refused_round";

/// The row of exactly this run, where it can be read.
pub(crate) fn find(c: &rusqlite::Connection, run: &str) -> rusqlite::Result<Option<RunRow>> {
    let found = c
        .prepare_cached(&format!("SELECT {COLUMNS} FROM runs WHERE run_id = ?1"))?
        .query_row([run], |row| readable(RunRow::read(row)))
        .optional()?;
    Ok(found.flatten())
}

/// A row that says what no run can be is as good as none: the log tells what belongs there, and the others are shown.
pub(crate) fn readable(row: rusqlite::Result<RunRow>) -> rusqlite::Result<Option<RunRow>> {
    use rusqlite::Error as E;
    match row {
        Ok(row) => Ok(Some(row)),
        Err(
            E::FromSqlConversionFailure(..)
            | E::InvalidColumnType(..)
            | E::IntegralValueOutOfRange(..)
            | E::Utf8Error(..),
        ) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Runs whose row says what no run can be, while their logs are there.
pub(crate) fn unreadable(c: &rusqlite::Connection) -> rusqlite::Result<Vec<String>> {
    let mut query = c.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM runs WHERE EXISTS (SELECT 1 FROM events WHERE events.run_id = runs.run_id)"
    ))?;
    let rows = query.query_map([], |row| -> rusqlite::Result<Option<String>> {
        Ok(match readable(RunRow::read(row))? {
            Some(_) => None,
            None => row.get(0).ok(),
        })
    })?;
    rows.filter_map(Result::transpose).collect()
}

impl RunRow {
    /// What a state looks like in a list; `None` before the first event. Costs the same however long the log is.
    pub fn of(run: &RunId, state: &RunState) -> Option<Self> {
        let created = state.created.as_ref()?;
        let created_at = state.created_at?;
        Some(Self {
            run: run.clone(),
            workflow: created.workflow.clone(),
            title: created.title.clone(),
            path: created.path.clone(),
            format: created.format,
            status: StatusWord::of(state),
            paused: state.paused,
            created_at,
            started_at: state.started_at,
            ended_at: state.ended_at,
            last_at: state.moved_at.unwrap_or(created_at),
            by: created.by.clone(),
            initiator: created.initiator.clone(),
            steps_completed: state.completed,
            executed: state.executed,
            loops: state.loop_state.values().copied().fold(0, u32::saturating_add),
            gates_asked: small(state.gates.values().map(|rounds| rounds.len() as i64).sum()),
            waiting: state
                .waiting()
                .map(|round| (round.opened.gate.clone(), round.opened.round)),
            refused: state
                .outcome()
                .and_then(|outcome| match outcome {
                    Outcome::Refused(refused) => Some(refused),
                    _ => state.refused_before(),
                })
                .map(|refused| (refused.opened.gate.clone(), refused.opened.round)),
            seq: state.seq,
            error: state.error.clone(),
        })
    }

    pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let asked = |gate: usize, round: usize| -> rusqlite::Result<Option<(GateId, u32)>> {
            let (gate, round): (Option<String>, Option<i64>) = (row.get(gate)?, row.get(round)?);
            Ok(gate.map(|gate| (GateId::from(gate), small(round.unwrap_or(0)))))
        };
        Ok(Self {
            run: RunId::from(row.get::<_, String>(0)?),
            workflow: WorkflowId::from(row.get::<_, String>(1)?),
            title: row.get(2)?,
            path: row.get(3)?,
            format: word(row, 4, Format::of_word)?,
            status: word(row, 5, StatusWord::parse)?,
            paused: row.get(6)?,
            created_at: At(row.get(7)?),
            started_at: at(row.get(8)?),
            ended_at: at(row.get(9)?),
            last_at: At(row.get(10)?),
            by: row.get(11)?,
            initiator: row.get(12)?,
            steps_completed: small(row.get(13)?),
            executed: small(row.get(14)?),
            loops: small(row.get(15)?),
            gates_asked: small(row.get(16)?),
            waiting: asked(17, 18)?,
            refused: asked(21, 22)?,
            seq: count(row.get(19)?),
            error: row.get(20)?,
        })
    }

    pub(crate) fn insert(&self, t: &Transaction<'_>, head: &[u8; 32]) -> rusqlite::Result<()> {
        t.prepare_cached(
            "INSERT INTO runs (run_id, seq, head, workflow, title, path, format, started_by, initiator, created_at,
                started_at, ended_at, last_at, status, paused, steps_completed, executed, loops, gates_asked,
                waiting_gate, waiting_round, error, refused_gate, refused_round)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24)",
        )?
        .execute(params![
            self.run.as_str(),
            self.seq as i64,
            head,
            self.workflow.as_str(),
            self.title,
            self.path,
            self.format.contract().word,
            self.by,
            self.initiator,
            self.created_at.0,
            self.started_at.map(|a| a.0),
            self.ended_at.map(|a| a.0),
            self.last_at.0,
            self.status.as_str(),
            self.paused,
            self.steps_completed,
            self.executed,
            self.loops,
            self.gates_asked,
            self.waiting.as_ref().map(|(gate, _)| gate.as_str()),
            self.waiting.as_ref().map(|(_, round)| *round),
            self.error,
            self.refused.as_ref().map(|(gate, _)| gate.as_str()),
            self.refused.as_ref().map(|(_, round)| *round),
        ])?;
        Ok(())
    }

    /// What the first event fixed is not written again.
    pub(crate) fn update(&self, t: &Transaction<'_>, head: &[u8; 32]) -> rusqlite::Result<()> {
        t.prepare_cached(
            "UPDATE runs SET seq = ?2, head = ?3, started_at = ?4, ended_at = ?5, last_at = ?6, status = ?7, paused = ?8,
                steps_completed = ?9, executed = ?10, loops = ?11, gates_asked = ?12, waiting_gate = ?13,
                waiting_round = ?14, error = ?15, refused_gate = ?16, refused_round = ?17
             WHERE run_id = ?1",
        )?
        .execute(params![
            self.run.as_str(),
            self.seq as i64,
            head,
            self.started_at.map(|a| a.0),
            self.ended_at.map(|a| a.0),
            self.last_at.0,
            self.status.as_str(),
            self.paused,
            self.steps_completed,
            self.executed,
            self.loops,
            self.gates_asked,
            self.waiting.as_ref().map(|(gate, _)| gate.as_str()),
            self.waiting.as_ref().map(|(_, round)| *round),
            self.error,
            self.refused.as_ref().map(|(gate, _)| gate.as_str()),
            self.refused.as_ref().map(|(_, round)| *round),
        ])?;
        Ok(())
    }
}

fn word<T>(row: &Row<'_>, column: usize, parse: fn(&str) -> Option<T>) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    parse(&text).ok_or_else(|| {
        rusqlite::Error::FromSqlConversionFailure(
            column,
            rusqlite::types::Type::Text,
            format!("{text:?} is none of the known words").into(),
        )
    })
}
