//! The answers of a project as somebody looks for them: by day, person, answer, workflow and words. Read from the projection of gates, so that no
//! log is read whole to find them.

use crate::rows::small;
use crate::runs::{ANSWERED_BY, names};
use crate::{Error, Store};
use engine::{Answer, At, GateId, RunId};
use rusqlite::params;

/// Which answers to list. The default lists all of those that are no rehearsal's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DecisionFilter {
    /// Given at this time or later.
    pub since: Option<At>,
    /// Given before this time.
    pub until: Option<At>,
    /// Given in this name, however it is written ([`engine::is_same_name`]); what a scenario answers in it is nobody's.
    pub by: Option<String>,
    /// This answer.
    pub answer: Option<Answer>,
    /// In runs of the workflow with this title, id or file.
    pub workflow: Option<String>,
    /// Comment and question hold each of these, in large letters or in small ones.
    pub words: Vec<String>,
    /// Those of rehearsals too.
    pub rehearsals: bool,
    /// At most so many are named; absent: all.
    pub limit: Option<usize>,
}

/// Where an answer stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionAt {
    /// Which run.
    pub run: RunId,
    /// The workflow's title when the run began.
    pub title: String,
    /// Which gate.
    pub gate: GateId,
    /// Which round.
    pub round: u32,
}

/// Answers that fit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decisions {
    /// The latest first, as many as were asked for.
    pub rows: Vec<DecisionAt>,
    /// How many fit in all.
    pub total: u64,
    /// How many of rehearsals fit as well and are not counted, because only real ones were asked for.
    pub left_out: u64,
}

/// Whether a run is a rehearsal, by what it was created from; one of which that cannot be read counts as none.
const REHEARSED: &str = "EXISTS (
    SELECT 1 FROM events WHERE events.run_id = runs.run_id AND events.seq = 1 AND CASE WHEN json_valid(CAST(body AS TEXT))
        THEN coalesce(json_extract(CAST(body AS TEXT), '$.event.rehearsal'), 0)
            OR json_extract(CAST(body AS TEXT), '$.event.scenario') IS NOT NULL
        END)";

impl Store {
    /// The answers that fit.
    ///
    /// # Errors
    /// [`Error::Sql`], [`Error::Corrupt`].
    pub fn decisions(&self, filter: &DecisionFilter) -> Result<Decisions, Error> {
        let words: Vec<String> = filter.words.iter().map(|word| word.to_lowercase()).collect();
        let limit = filter.limit.unwrap_or(usize::MAX);
        let by = filter.by.as_deref().map(|by| self.written_as(by)).transpose()?;
        self.sql(|c| {
            let mut query = c.prepare_cached(&format!(
                "WITH these AS MATERIALIZED (
                     SELECT run_id, title, {REHEARSED} AS rehearsal FROM runs WHERE ?5 IS NULL OR ?5 IN (title, workflow, path))
                 SELECT these.run_id, title, gate, round, rehearsal,
                     CASE WHEN ?6 AND json_valid(decision) AND json_valid(opened)
                         THEN coalesce(json_extract(decision, '$.comment'), '') || char(10) || coalesce(json_extract(opened, '$.question'), '')
                         ELSE '' END
                 FROM gates JOIN these ON these.run_id = gates.run_id
                 WHERE answered_at IS NOT NULL AND decision IS NOT NULL
                     AND (?1 IS NULL OR answered_at >= ?1) AND (?2 IS NULL OR answered_at < ?2)
                     AND (?3 IS NULL OR {ANSWERED_BY} IN (SELECT value FROM json_each(?3)))
                     AND (?4 IS NULL OR CASE WHEN json_valid(decision) THEN json_extract(decision, '$.answer') END = ?4)
                 ORDER BY answered_at DESC, gates.run_id DESC, round DESC, gate"
            ))?;
            let answer = filter.answer.and_then(|answer| serde_json::to_value(answer).ok());
            let mut rows = query.query(params![
                filter.since.map(|at| at.0),
                filter.until.map(|at| at.0),
                by,
                answer.as_ref().and_then(serde_json::Value::as_str),
                filter.workflow,
                !words.is_empty(),
            ])?;
            let mut found = Decisions::default();
            while let Some(row) = rows.next()? {
                // What is no text has no words, and no title.
                let said = row.get::<_, String>(5).unwrap_or_default().to_lowercase();
                if !words.iter().all(|word| said.contains(word)) {
                    continue;
                }
                if row.get::<_, bool>(4)? && !filter.rehearsals {
                    found.left_out += 1;
                    continue;
                }
                found.total += 1;
                if found.rows.len() < limit {
                    found.rows.push(DecisionAt {
                        run: RunId::from(row.get::<_, String>(0)?),
                        title: row.get(1).unwrap_or_default(),
                        gate: GateId::from(row.get::<_, String>(2)?),
                        round: small(row.get(3)?),
                    });
                }
            }
            Ok(found)
        })
    }

    /// Who answered something, by name; names that only a scenario gives are nobody's.
    ///
    /// # Errors
    /// [`Error::Sql`], [`Error::Corrupt`].
    pub fn deciders(&self) -> Result<Vec<String>, Error> {
        self.sql(|c| names(c, &format!("SELECT {ANSWERED_BY} AS name FROM gates")))
    }

    /// The titles of the workflows in whose runs something was answered.
    ///
    /// # Errors
    /// [`Error::Sql`], [`Error::Corrupt`].
    pub fn decided_workflows(&self) -> Result<Vec<String>, Error> {
        self.sql(|c| {
            let decided = "SELECT 1 FROM gates WHERE gates.run_id = runs.run_id AND decision IS NOT NULL";
            names(c, &format!("SELECT title AS name FROM runs WHERE EXISTS ({decided})"))
        })
    }
}
