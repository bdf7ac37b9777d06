//! The tables, as numbered migrations. A migration that has shipped is never edited; a new one is added.
//!
//! `events` and `blobs` are the truth and are never updated or deleted (triggers refuse it); `runs` and `gates` are
//! projections of the log; the rest is state of its own.

use crate::chain::Body;
use crate::entries;
use crate::run_row::RunRow;
use engine::{RunId, RunState};
use rusqlite::{Connection, Transaction, params};
use rusqlite_migration::{HookResult, M, Migrations};
use std::sync::{LazyLock, OnceLock};

/// 1: log, blobs, projections, leases, settings, journal.
///
/// `events` is keyed by (run, seq) and kept in that order: appending to the newest run touches one page, and reading a
/// run back is one sweep.
const ONE: &str = "
CREATE TABLE events (
    run_id TEXT    NOT NULL,
    seq    INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    body   BLOB    NOT NULL,
    hash   BLOB    NOT NULL,
    PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER events_are_never_updated BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;

CREATE TABLE blobs (
    digest TEXT NOT NULL PRIMARY KEY,
    bytes  BLOB NOT NULL
) STRICT;
CREATE TRIGGER blobs_are_never_updated BEFORE UPDATE ON blobs
BEGIN SELECT RAISE(ABORT, 'stored content is never changed'); END;
CREATE TRIGGER blobs_are_never_deleted BEFORE DELETE ON blobs
BEGIN SELECT RAISE(ABORT, 'stored content is never deleted'); END;

CREATE TABLE runs (
    run_id          TEXT    NOT NULL PRIMARY KEY,
    seq             INTEGER NOT NULL,
    head            BLOB    NOT NULL,
    workflow        TEXT    NOT NULL,
    title           TEXT    NOT NULL,
    path            TEXT    NOT NULL,
    format          TEXT    NOT NULL,
    started_by      TEXT    NOT NULL,
    initiator       TEXT    NOT NULL,
    created_at      INTEGER NOT NULL,
    started_at      INTEGER,
    ended_at        INTEGER,
    last_at         INTEGER NOT NULL,
    status          TEXT    NOT NULL,
    paused          INTEGER NOT NULL,
    steps_completed INTEGER NOT NULL,
    executed        INTEGER NOT NULL,
    loops           INTEGER NOT NULL,
    gates_asked     INTEGER NOT NULL,
    waiting_gate    TEXT,
    waiting_round   INTEGER,
    error           TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX runs_by_time ON runs (created_at DESC, run_id DESC);
CREATE INDEX runs_waiting ON runs (run_id) WHERE waiting_gate IS NOT NULL;

CREATE TABLE gates (
    run_id      TEXT    NOT NULL,
    gate        TEXT    NOT NULL,
    round       INTEGER NOT NULL,
    opened_at   INTEGER NOT NULL,
    opened      TEXT    NOT NULL,
    answered_at INTEGER,
    decision    TEXT,
    PRIMARY KEY (run_id, gate, round)
) STRICT, WITHOUT ROWID;
CREATE INDEX gates_decided ON gates (answered_at DESC) WHERE answered_at IS NOT NULL;

CREATE TABLE leases (
    run_id      TEXT    NOT NULL PRIMARY KEY,
    owner       TEXT    NOT NULL,
    token       INTEGER NOT NULL,
    acquired_at INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
    path   TEXT    NOT NULL,
    seq    INTEGER NOT NULL,
    before TEXT    NOT NULL,
    after  TEXT    NOT NULL,
    label  TEXT    NOT NULL,
    edits  TEXT    NOT NULL,
    undone INTEGER NOT NULL,
    PRIMARY KEY (path, seq)
) STRICT, WITHOUT ROWID;
";

/// 2: a run that a person refused is listed as refused, with the answer that did it. Runs that ended before are brought over.
const TWO: &str = "
ALTER TABLE runs ADD COLUMN refused_gate TEXT;
ALTER TABLE runs ADD COLUMN refused_round INTEGER;
";

/// For a history of the first version that may only be looked at: its list has no such columns.
pub(crate) const AS_TWO: &str =
    "CREATE TEMP VIEW runs AS SELECT *, NULL AS refused_gate, NULL AS refused_round FROM main.runs";

/// 3: the register of runs (see [`crate::entries`]).
const THREE: &str = "
CREATE TABLE register (
    n      INTEGER NOT NULL PRIMARY KEY,
    run_id TEXT    NOT NULL,
    seq    INTEGER NOT NULL,
    link   BLOB    NOT NULL,
    hash   BLOB    NOT NULL
) STRICT;
CREATE INDEX register_by_run ON register (run_id);
CREATE TRIGGER register_is_never_updated BEFORE UPDATE ON register
BEGIN SELECT RAISE(ABORT, 'the register is never changed'); END;
CREATE TRIGGER register_is_never_deleted BEFORE DELETE ON register
BEGIN SELECT RAISE(ABORT, 'the register is never shortened'); END;
";

/// 4: a program that knows no register, and had the history open when it came, writes neither runs nor decisions any more that nothing
/// would ever say are missing.
const FOUR: &str = "
CREATE TRIGGER a_run_is_entered BEFORE INSERT ON runs
WHEN NOT EXISTS (SELECT 1 FROM register WHERE run_id = NEW.run_id)
BEGIN SELECT RAISE(ABORT, 'a newer Gatehouse has opened this history; close this one and open the newer'); END;
CREATE TRIGGER a_decision_is_entered BEFORE UPDATE OF decision ON gates
WHEN OLD.decision IS NULL AND NEW.decision IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM register JOIN runs USING (run_id, seq) WHERE run_id = NEW.run_id)
BEGIN SELECT RAISE(ABORT, 'a newer Gatehouse has opened this history; close this one and open the newer'); END;
";

/// Whether an event may tell of a way that led on, or to the end, without what was to be reported there: it holds one of [`crate::UNMET`].
macro_rules! may_be_unmet {
    () => {
        "instr(body, 'loop_bound_reached') > 0 OR instr(body, 'no_further_help') > 0 OR instr(body, 'flow_complete_branch') > 0"
    };
}

/// 5: such an event is found without a look at the others.
const FIVE: &str = concat!("CREATE INDEX events_unmet ON events (run_id) WHERE ", may_be_unmet!());

/// Whether a run has one. The key of the events would be taken for as good a way to them.
pub(crate) const HAS_UNMET: &str = concat!(
    "SELECT EXISTS (SELECT 1 FROM events INDEXED BY events_unmet WHERE run_id = ?1 AND (",
    may_be_unmet!(),
    "))"
);

/// The same in a history of an earlier version that may only be looked at.
pub(crate) const HAS_UNMET_BEFORE: &str = concat!(
    "SELECT EXISTS (SELECT 1 FROM events WHERE run_id = ?1 AND (",
    may_be_unmet!(),
    "))"
);

/// Every migration, oldest first.
pub(crate) static MIGRATIONS: LazyLock<Migrations<'static>> = LazyLock::new(|| {
    Migrations::new(vec![
        M::up(ONE),
        M::up_with_hook(TWO, refusals),
        M::up_with_hook(THREE, |t: &Transaction<'_>| entries::enter_all(t)),
        M::up(FOUR),
        M::up(FIVE),
    ])
});

/// The schema version this program writes: a file above it is refused.
pub(crate) const VERSION: i64 = 5;

/// What a database holds beside its rows: kind and name (`trigger x`), and how each was made. Several may go by one name in a file that somebody
/// wrote by hand.
type Parts = Vec<(String, String)>;

/// The parts of a history of this version.
fn known(version: i64) -> rusqlite::Result<&'static Parts> {
    static KNOWN: [OnceLock<Parts>; VERSION as usize + 1] = [const { OnceLock::new() }; VERSION as usize + 1];
    let version = usize::try_from(version).unwrap_or_default().min(KNOWN.len() - 1);
    if let Some(known) = KNOWN[version].get() {
        return Ok(known);
    }
    let mut fresh = Connection::open_in_memory()?;
    // It is empty, and has been made like that many times.
    if version > 0 && MIGRATIONS.to_version(&mut fresh, version).is_err() {
        return Err(rusqlite::Error::InvalidQuery);
    }
    let parts = parts(&fresh)?;
    Ok(KNOWN[version].get_or_init(|| parts))
}

fn parts(connection: &Connection) -> rusqlite::Result<Parts> {
    // SQLite reads how a part was made and nothing else of its row. What it makes by itself says nothing of that, or begins so.
    let mut query = connection.prepare(
        r"SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema
          WHERE NOT (name LIKE 'sqlite\_%' ESCAPE '\' AND coalesce(sql, '') NOT LIKE 'C%')
            AND coalesce(sql, '') NOT LIKE 'CREATE TABLE sqlite\_stat_(%' ESCAPE '\'",
    )?;
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// What is the matter with the tables, views and triggers of a history, held against those that its version has, in a few words. A view or a
/// trigger of somebody else would answer in the place of the record, or change what is recorded. With `mend`, what keeps the record as it is
/// and was taken away is put back.
pub(crate) fn foreign(connection: &Connection, mend: bool) -> rusqlite::Result<Option<String>> {
    // Both as of one moment: somebody else may be making the tables.
    let now = connection.unchecked_transaction()?;
    let version: i64 = now.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let found = parts(&now)?;
    drop(now);
    let known = known(version)?;
    let plain = |sql: &str| sql.split_whitespace().collect::<String>();
    for (name, sql) in &found {
        let named = known.iter().find(|(own, _)| own == name);
        if named.is_none_or(|(_, own)| plain(own) != plain(sql)) {
            let whose = match named {
                None => "none of Gatehouse's",
                Some(_) => "not as Gatehouse made it",
            };
            return Ok(Some(format!("the {name} in it is {whose}")));
        }
    }
    let has = |parts: &Parts, name: &str| parts.iter().any(|(found, _)| found == name);
    for (name, sql) in known.iter().filter(|(name, _)| !has(&found, name)) {
        if name.starts_with("table") {
            return Ok(Some(format!("it has no {name}")));
        }
        if mend {
            tracing::warn!(%name, "it was taken out of the history, and is put back");
            let made = connection.execute_batch(sql);
            // Somebody else may have been faster.
            if !has(&parts(connection)?, name) {
                made?;
            }
        }
    }
    Ok(None)
}

/// Lists the runs anew in which a person ever rejected something. A log that cannot be read stays listed as it was: verifying says so.
fn refusals(t: &Transaction<'_>) -> HookResult {
    let runs: Vec<String> = t
        .prepare(r#"SELECT DISTINCT run_id FROM gates WHERE instr(decision, '"answer":"reject"')"#)?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for run in runs {
        let mut state = RunState::default();
        let mut log = t.prepare_cached("SELECT body FROM events WHERE run_id = ?1 ORDER BY seq")?;
        let mut bodies = log.query([&run])?;
        while let Some(row) = bodies.next()? {
            let body: Vec<u8> = row.get(0)?;
            if let Ok(Body { at, event }) = serde_json::from_slice(&body) {
                engine::apply(&mut state, at, &event);
            }
        }
        if let Some(row) = RunRow::of(&RunId::from(run.clone()), &state) {
            let (gate, round) = row
                .refused
                .as_ref()
                .map(|(gate, round)| (gate.as_str(), *round))
                .unzip();
            t.execute(
                "UPDATE runs SET status = ?2, refused_gate = ?3, refused_round = ?4 WHERE run_id = ?1 AND seq = ?5",
                params![run, row.status.as_str(), gate, round, row.seq as i64],
            )?;
        }
    }
    Ok(())
}
