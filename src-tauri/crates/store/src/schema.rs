//! The tables, as numbered migrations. A migration that has shipped is never edited; a new one is added.
//!
//! `events` and `blobs` are the truth and are never updated or deleted (triggers refuse it); `runs` and `gates` are
//! projections of the log; the rest is state of its own.

use rusqlite_migration::{M, Migrations};

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

const STEPS: &[M<'static>] = &[M::up(ONE)];

/// Every migration, oldest first.
pub(crate) const MIGRATIONS: Migrations<'static> = Migrations::from_slice(STEPS);

/// The schema version this program writes: a file above it is refused.
pub(crate) const VERSION: i64 = STEPS.len() as i64;
