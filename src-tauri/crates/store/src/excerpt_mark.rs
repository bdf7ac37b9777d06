//! How a part of a history that was handed over is known as one, and what it says of itself.

use engine::RunId;
use rusqlite::{Connection, OptionalExtension};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The setting that says so.
const EXCERPT: &str = "excerpt";

/// What a part of a history holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// The run that is handed over.
    pub run: RunId,
    /// All runs in it, that one too.
    pub runs: BTreeSet<RunId>,
    /// Those that somebody carried on while they were handed over. Earlier versions do not say which.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub driven: BTreeSet<RunId>,
}

/// Whether a file says that it is a part of a history. Nothing is written in it, also where the rest of what it says cannot be read.
pub(crate) fn is_marked(c: &Connection) -> rusqlite::Result<bool> {
    // A view of that name would answer in the place of the table.
    let has_settings = c
        .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'settings'")?
        .exists([])?;
    Ok(has_settings && said(c)?.is_some())
}

/// What a file says that it is a part for; absent: it is whole, or that cannot be read.
pub(crate) fn of(c: &Connection) -> rusqlite::Result<Option<Excerpt>> {
    let said = if is_marked(c)? { said(c)? } else { None };
    Ok(said.and_then(|text| serde_json::from_str(&text).ok()))
}

/// Whether the setting of this name says so.
pub(crate) fn is_its_key(name: &str) -> bool {
    name == EXCERPT
}

/// Says it of a file.
pub(crate) fn mark(c: &Connection, excerpt: &Excerpt) -> rusqlite::Result<()> {
    let said = serde_json::to_string(excerpt).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    c.execute("INSERT INTO settings (key, value) VALUES (?1, ?2)", (EXCERPT, said))?;
    Ok(())
}

/// The runs of the project that its register alone knows here; none of a whole history.
pub(crate) fn left_out(c: &Connection) -> rusqlite::Result<BTreeSet<RunId>> {
    let Some(excerpt) = of(c)? else {
        return Ok(BTreeSet::new());
    };
    let mut gone = c.prepare(
        "SELECT DISTINCT run_id FROM register WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.run_id = register.run_id)",
    )?;
    let gone = gone.query_map([], |row| row.get::<_, String>(0))?;
    let gone = gone
        .map(|run| run.map(RunId::from))
        .collect::<rusqlite::Result<BTreeSet<RunId>>>()?;
    Ok(gone.difference(&excerpt.runs).cloned().collect())
}

fn said(c: &Connection) -> rusqlite::Result<Option<String>> {
    c.prepare_cached("SELECT value FROM settings WHERE key = ?1")?
        .query_row([EXCERPT], |row| row.get(0))
        .optional()
}
