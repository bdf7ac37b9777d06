//! What somebody puts beside a history, or into it, that is no part of one.

use super::*;
use crate::Error;
use crate::context::Index;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// A project with a run, closed.
fn project() -> (tempfile::TempDir, PathBuf) {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    sample(&store, "run-1");
    drop(store);
    let file = project.path().join(".gatehouse/history.db");
    (project, file)
}

fn opened(project: &Path) -> [Result<Store, Error>; 2] {
    [Store::open(project), Store::open_read_only(project)]
}

fn change(file: &Path, sql: &str) {
    Connection::open(file).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn a_history_is_as_its_version_makes_it() {
    let (project, _) = project();
    for store in opened(project.path()) {
        assert!(store.unwrap().run("run-1").unwrap().is_some());
    }
}

#[test]
fn tables_views_and_triggers_of_somebody_else_are_refused() {
    for (sql, named) in [
        ("CREATE VIEW mine AS SELECT * FROM events", "view mine"),
        ("CREATE TABLE mine (x)", "table mine"),
        ("CREATE INDEX mine ON events (at)", "index mine"),
        (
            "CREATE TRIGGER mine AFTER INSERT ON gates BEGIN UPDATE runs SET status = 'succeeded'; END",
            "trigger mine",
        ),
        (
            "DROP TRIGGER events_are_never_updated; CREATE TRIGGER events_are_never_updated BEFORE UPDATE ON events BEGIN SELECT 1; END",
            "trigger events_are_never_updated",
        ),
        (
            "ALTER TABLE settings RENAME TO kept; CREATE VIEW settings AS SELECT * FROM kept",
            "table kept",
        ),
        ("ALTER TABLE runs ADD COLUMN more TEXT", "table runs"),
        ("DROP TABLE journal", "no table journal"),
        // As SQLite would name its own, and twice by one name: SQLite itself sees these.
        (
            "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('index', 'sqlite_autoindex_gates_9', 'gates', 0,
             'CREATE TRIGGER mine AFTER INSERT ON gates BEGIN SELECT 1; END')",
            "malformed database schema",
        ),
        (
            "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('trigger', 'a_run_is_entered', 'gates', 0,
             'CREATE TRIGGER mine AFTER INSERT ON gates BEGIN SELECT 1; END')",
            "malformed database schema",
        ),
        ("CREATE VIRTUAL TABLE mine USING fts5(x)", "table mine"),
    ] {
        let (project, file) = project();
        change(&file, sql);
        for store in opened(project.path()) {
            let error = store.expect_err(sql);
            let said = error.to_string();
            assert!(
                matches!(error, Error::Corrupt { .. }) && said.contains(named),
                "{sql}: {said}"
            );
        }
    }
}

#[test]
fn what_keeps_the_record_as_it_is_is_put_back() {
    let (project, file) = project();
    change(&file, "DROP TRIGGER events_are_never_deleted; DROP INDEX runs_by_time");
    // Who only looks changes nothing.
    assert!(Store::open_read_only(project.path()).is_ok());
    let before = Connection::open(&file)
        .unwrap()
        .execute("DELETE FROM events WHERE seq < 0", []);
    assert!(before.is_ok());
    drop(Store::open(project.path()).unwrap());
    let refused = Connection::open(&file).unwrap().execute("DELETE FROM events", []);
    assert!(refused.unwrap_err().to_string().contains("never deleted"));
    let indexes = "SELECT count(*) FROM sqlite_schema WHERE name = 'runs_by_time'";
    let count: i64 = Connection::open(&file)
        .unwrap()
        .query_row(indexes, [], |row| row.get(0))
        .unwrap();
    assert_eq!(count, 1);
}

/// Something that is no file, of each kind.
#[cfg(unix)]
fn make_odd(nth: usize, at: &Path) {
    match nth {
        0 => {
            let made = std::process::Command::new("mkfifo").arg(at).status().unwrap();
            assert!(made.success());
        }
        1 => std::fs::create_dir(at).unwrap(),
        2 => std::os::unix::fs::symlink("/dev/zero", at).unwrap(),
        _ => drop(std::os::unix::net::UnixListener::bind(at).unwrap()),
    }
}

#[cfg(unix)]
#[test]
fn what_lies_beside_a_history_and_is_no_file_hangs_nothing() {
    for ending in ["-journal", "-wal", "-shm"] {
        for nth in 0..4 {
            let (project, file) = project();
            let beside = PathBuf::from(format!("{}{ending}", file.display()));
            let _ = std::fs::remove_file(&beside);
            make_odd(nth, &beside);
            for store in opened(project.path()) {
                let said = store.expect_err("it is no file").to_string();
                assert!(said.contains("not opened") && said.contains(ending), "{said}");
            }
            // A backup that is put back has it moved away.
            let (other, _) = self::project();
            let copy = other.path().join("copy.db");
            Store::open(other.path()).unwrap().back_up(&copy).unwrap();
            Store::restore(project.path(), &copy).unwrap();
            assert!(Store::open(project.path()).unwrap().run("run-1").unwrap().is_some());
        }
    }
}

#[cfg(unix)]
#[test]
fn an_index_is_made_anew_where_something_else_lies() {
    for ending in ["", "-journal", "-wal", "-shm"] {
        let project = tempfile::tempdir().unwrap();
        drop(Index::open(project.path()).unwrap());
        let beside = project.path().join(format!(".gatehouse/context.db{ending}"));
        let _ = std::fs::remove_file(&beside);
        let target = project.path().join("target");
        std::os::unix::fs::symlink(&target, &beside).unwrap();
        drop(Index::open(project.path()).unwrap());
        assert!(!target.exists(), "{ending}: the link was not followed");
        assert!(!beside.is_symlink());
    }
}
