//! The list of runs: a projection of the log, written with it.

use crate::run_row::{COLUMNS, RunRow, StatusWord, find, readable, unreadable};
use crate::{Error, Store, register};
use engine::{At, RunId, is_same_name};
use model::WorkflowId;
use rusqlite::{Connection, params};
use std::collections::BTreeSet;

/// Which runs to list. The default lists all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Of this workflow.
    pub workflow: Option<WorkflowId>,
    /// Of this source file.
    pub path: Option<String>,
    /// In this state.
    pub status: Option<StatusWord>,
    /// Only those that have not ended.
    pub open_only: bool,
    /// Created at this time or later.
    pub since: Option<At>,
    /// Created before this time.
    pub until: Option<At>,
    /// Started by this person, or answered by them or with their key under whatever name ([`engine::is_same_name`]).
    pub by: Option<String>,
    /// At most so many; absent: all.
    pub limit: Option<usize>,
    /// After leaving out so many.
    pub offset: usize,
}

/// Who gave the answer of a gate's row; of a row without one, or that cannot be read, nobody, and so it is where a scenario gave it
/// ([`engine::Decision::SCENARIO`]): the name in it is a script's, whoever else bears it.
pub(crate) const ANSWERED_BY: &str = "CASE WHEN NOT json_valid(decision) THEN NULL
    WHEN json_extract(decision, '$.via') = 'scenario' THEN NULL ELSE json_extract(decision, '$.by') END";
/// Whose key it is signed with, where that is another name.
const SIGNED_AS: &str = "CASE WHEN json_valid(decision) THEN json_extract(decision, '$.key_name') END";
/// The key itself.
const KEY: &str = "CASE WHEN json_valid(decision) THEN json_extract(decision, '$.signature.key') END";

/// How the name of whoever is looked for is written, in a query whose parameter `?9` holds that ([`Store::written_as`]).
const THEIRS: &str = "(SELECT value FROM json_each(?9))";

/// Each text of a query's column `name` once, in the order of the alphabet. A name that is no text, or an empty one, is nobody's.
pub(crate) fn names(c: &Connection, of: &str) -> rusqlite::Result<Vec<String>> {
    let mut query = c.prepare_cached(&format!(
        "SELECT DISTINCT name FROM ({of}) WHERE typeof(name) = 'text' AND name <> '' ORDER BY name COLLATE NOCASE, name"
    ))?;
    let rows = query.query_map([], |row| Ok(row.get::<_, String>(0).ok()))?;
    rows.filter_map(Result::transpose).collect()
}

impl Store {
    /// Runs, newest first. Those of which the list says what no run can be are left out ([`Store::unlisted`]).
    ///
    /// # Errors
    /// [`Error::Sql`], [`Error::Corrupt`].
    pub fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRow>, Error> {
        let by = filter.by.as_deref().map(|by| self.written_as(by)).transpose()?;
        self.sql(|c| {
            let mut query = c.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM runs
                 WHERE (?1 IS NULL OR workflow = ?1) AND (?2 IS NULL OR path = ?2) AND (?3 IS NULL OR status = ?3)
                   AND (NOT ?4 OR status NOT IN ('succeeded', 'failed', 'aborted', 'completed_with_failures', 'refused', 'stopped', 'imported'))
                   AND (?7 IS NULL OR created_at >= ?7) AND (?8 IS NULL OR created_at < ?8)
                   AND (?9 IS NULL OR started_by IN {THEIRS}
                        OR EXISTS (SELECT 1 FROM gates WHERE gates.run_id = runs.run_id
                                   AND ({ANSWERED_BY} IN {THEIRS} OR {SIGNED_AS} IN {THEIRS} OR {KEY} IN (
                                       SELECT {KEY} FROM gates WHERE coalesce({SIGNED_AS}, {ANSWERED_BY}) IN {THEIRS}))))
                 ORDER BY created_at DESC, run_id DESC LIMIT ?5 OFFSET ?6"
            ))?;
            let rows = query.query_map(
                params![
                    filter.workflow.as_ref().map(WorkflowId::as_str),
                    filter.path,
                    filter.status.map(StatusWord::as_str),
                    filter.open_only,
                    filter.limit.map_or(-1, |n| i64::try_from(n).unwrap_or(-1)),
                    i64::try_from(filter.offset).unwrap_or(i64::MAX),
                    filter.since.map(|at| at.0),
                    filter.until.map(|at| at.0),
                    by,
                ],
                |row| readable(RunRow::read(row)),
            )?;
            rows.filter_map(Result::transpose).collect()
        })
    }

    /// The runs of a workflow that began at a time or later, each with who started it, in the order they began: no more is read of them, and the rest
    /// of the list is not looked at.
    ///
    /// # Errors
    /// [`Error::Sql`], [`Error::Corrupt`].
    pub fn begun_since(&self, workflow: &WorkflowId, since: At) -> Result<Vec<(RunId, String)>, Error> {
        self.sql(|c| {
            let mut query = c.prepare_cached(
                "SELECT run_id, started_by FROM runs WHERE workflow = ?1 AND created_at >= ?2 ORDER BY created_at, run_id",
            )?;
            // A row of which one of them is no text is no run's.
            let rows = query.query_map(params![workflow.as_str(), since.0], |row| {
                let run = row.get::<_, String>(0).ok();
                Ok(run.map(RunId::from).zip(row.get::<_, String>(1).ok()))
            })?;
            rows.filter_map(Result::transpose).collect()
        })
    }

    /// How somebody's name is written in the record, in each of the ways; empty: nobody of that name is there.
    ///
    /// # Errors
    /// [`Error::Sql`], [`Error::Corrupt`].
    pub fn written(&self, name: &str) -> Result<Vec<String>, Error> {
        let mut names = self.people()?;
        names.retain(|one| is_same_name(one, name));
        Ok(names)
    }

    /// The same as a JSON array: a parameter of queries.
    pub(crate) fn written_as(&self, name: &str) -> Result<String, Error> {
        Ok(serde_json::Value::from(self.written(name)?).to_string())
    }

    /// Who started a run or answered in one, by name, that of the key as well where it is another; names that only a scenario gives
    /// are nobody's.
    ///
    /// # Errors
    /// [`Error::Sql`], [`Error::Corrupt`].
    pub fn people(&self) -> Result<Vec<String>, Error> {
        let took_part = format!(
            "SELECT started_by AS name FROM runs UNION SELECT {ANSWERED_BY} FROM gates UNION SELECT {SIGNED_AS} FROM gates"
        );
        self.sql(|c| names(c, &took_part))
    }

    /// One run whose log is there, by its id, whether or not the list of runs has it.
    ///
    /// # Errors
    /// [`Error::Sql`], [`Error::Corrupt`].
    pub fn logged(&self, id: &str) -> Result<Option<RunId>, Error> {
        self.sql(|c| {
            let there = c
                .prepare_cached("SELECT 1 FROM events WHERE run_id = ?1")?
                .exists([id])?;
            Ok(there.then(|| RunId::from(id.to_owned())))
        })
    }

    /// The ids of all runs of the list, and nothing else of them.
    ///
    /// # Errors
    /// [`Error::Sql`], [`Error::Corrupt`].
    pub fn ids(&self) -> Result<BTreeSet<RunId>, Error> {
        self.sql(|c| {
            let mut query = c.prepare_cached("SELECT run_id FROM runs")?;
            // What is no text is no run's.
            let rows = query.query_map([], |row| Ok(row.get::<_, String>(0).ok().map(RunId::from)))?;
            rows.filter_map(Result::transpose).collect()
        })
    }

    /// Runs that the project's register knows and the list of runs has lost, or of which it says what no run can be, while their logs are there.
    ///
    /// # Errors
    /// [`Error::Sql`], [`Error::Corrupt`].
    pub fn unlisted(&self) -> Result<Vec<RunId>, Error> {
        self.sql(|c| {
            let lost = register::unlisted(c)?.into_iter().chain(unreadable(c)?);
            Ok(lost.map(RunId::from).collect())
        })
    }

    /// One run, by its id or the beginning of it, however short, that fits one run only. Small and capital letters count alike, for ids are
    /// hexadecimal. One of which the list says what no run can be is not found.
    ///
    /// # Errors
    /// [`Error::Ambiguous`]; [`Error::Sql`], [`Error::Corrupt`].
    pub fn run(&self, id_or_prefix: &str) -> Result<Option<RunRow>, Error> {
        // A whole id is its run's, also in capital letters beside one that only begins so.
        let exact = self.sql(|c| match find(c, id_or_prefix)? {
            None => find(c, &id_or_prefix.to_ascii_lowercase()),
            found => Ok(found),
        })?;
        if exact.is_some() {
            return Ok(exact);
        }
        if id_or_prefix.is_empty() {
            return Ok(None);
        }
        let mut rows = self.sql(|c| {
            let mut query = c.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM runs WHERE substr(run_id, 1, length(?1)) = ?1 COLLATE NOCASE"
            ))?;
            query
                .query_map([id_or_prefix], |row| readable(RunRow::read(row)))?
                .collect::<rusqlite::Result<Vec<_>>>()
        })?;
        match rows.len() {
            0 | 1 => Ok(rows.pop().flatten()),
            count => Err(Error::Ambiguous {
                prefix: id_or_prefix.to_owned(),
                count,
            }),
        }
    }
}
