//! What breaks, breaks with a clear error and loses nothing.

use super::*;
use crate::{Error, digest_of};
use std::time::Duration;

fn started(run: &str) -> Script {
    let mut s = Script::new(run);
    s.create(digest_of(b""));
    s
}

#[test]
fn a_full_disk_loses_nothing() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    let s = sample(&store, "run-1");
    let pages: i64 = store
        .writer()
        .pragma_query_value(None, "page_count", |r| r.get(0))
        .unwrap();
    store.writer().pragma_update(None, "max_page_count", pages).unwrap();
    let full = store.put_blob(&vec![7; 200_000]);
    assert!(matches!(full, Err(Error::DiskFull { .. })), "{full:?}");
    assert!(full.unwrap_err().to_string().contains("Free some space"));
    let mut big = started("run-2");
    big.push(Event::Aborted {
        by: "x".repeat(200_000),
        reason: String::new(),
        given: None,
    });
    let full = store.append(&big.run, 0, &big.batch, &big.state);
    assert!(matches!(full, Err(Error::DiskFull { .. })), "{full:?}");
    assert_eq!(store.load(&s.run).unwrap().0, s.state);
    assert!(
        store.run("run-2").unwrap().is_none(),
        "the transaction was rolled back as a whole"
    );
    store
        .writer()
        .pragma_update(None, "max_page_count", pages + 500)
        .unwrap();
    store.append(&big.run, 0, &big.batch, &big.state).unwrap();
}

#[test]
fn a_lock_held_by_another_process_is_named() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    store.writer().busy_timeout(Duration::from_millis(20)).unwrap();
    let other = rusqlite::Connection::open(project.path().join(".gatehouse/history.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let s = started("run-1");
    let locked = store.append(&s.run, 0, &s.batch, &s.state);
    assert!(matches!(locked, Err(Error::Locked { .. })), "{locked:?}");
    assert!(
        store.runs(&crate::RunFilter::default()).unwrap().is_empty(),
        "reading goes on"
    );
    other.execute_batch("ROLLBACK").unwrap();
    store.append(&s.run, 0, &s.batch, &s.state).unwrap();
}

#[test]
fn a_history_that_cannot_be_written_can_still_be_read() {
    let project = tempfile::tempdir().unwrap();
    assert!(matches!(
        Store::open_read_only(project.path()),
        Err(Error::Missing { .. })
    ));
    let s = sample(&Store::open(project.path()).unwrap(), "run-1");
    let store = Store::open_read_only(project.path()).unwrap();
    assert_eq!(store.load(&s.run).unwrap().0, s.state);
    let refused = store.put_blob(b"new");
    assert!(matches!(refused, Err(Error::ReadOnly { .. })), "{refused:?}");
    assert!(matches!(store.set_setting("a", "b"), Err(Error::ReadOnly { .. })));
}

#[cfg(unix)]
#[test]
fn a_history_that_may_not_be_read_is_not_one_that_is_not_there() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = tempfile::tempdir().unwrap();
    sample(&Store::open(project.path()).unwrap(), "run-1");
    let folder = project.path().join(".gatehouse");
    for (path, open) in [(folder.join("history.db"), 0o600), (folder.clone(), 0o700)] {
        let mode = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        mode(0);
        // The administrator of a machine may read everything.
        let read = std::fs::File::open(folder.join("history.db"));
        let opened = Store::open_read_only(project.path());
        mode(open);
        if read.is_err() {
            assert!(matches!(opened, Err(Error::Unread { .. })), "{opened:?}");
        }
    }
    assert_eq!(
        Error::reading(project.path(), std::io::ErrorKind::PermissionDenied.into()).to_string(),
        format!(
            "{} cannot be read with the rights of your account, so nothing can be said of what it holds. Ask whoever it belongs to for the right \
             to read it",
            project.path().display()
        )
    );
}

#[test]
fn a_folder_that_is_no_folder_is_named() {
    let project = tempfile::tempdir().unwrap();
    std::fs::write(project.path().join(".gatehouse"), "not a folder").unwrap();
    let error = Store::open(project.path()).unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error:?}");
    assert!(error.to_string().contains(".gatehouse"));
}

#[test]
fn a_file_that_is_no_history_is_left_alone() {
    let project = tempfile::tempdir().unwrap();
    let path = project.path().join(".gatehouse/history.db");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text = "this is a text file, long enough to be more than one header of a database ".repeat(20);
    std::fs::write(&path, &text).unwrap();
    for error in [
        Store::open(project.path()).unwrap_err(),
        Store::open_read_only(project.path()).unwrap_err(),
    ] {
        assert!(matches!(error, Error::Corrupt { .. }), "{error:?}");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_newer_history_is_refused_and_left_alone() {
    let project = tempfile::tempdir().unwrap();
    let s = sample(&Store::open(project.path()).unwrap(), "run-1");
    let path = project.path().join(".gatehouse/history.db");
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.pragma_update(None, "user_version", crate::schema::VERSION + 1)
        .unwrap();
    for error in [
        Store::open(project.path()).unwrap_err(),
        Store::open_read_only(project.path()).unwrap_err(),
    ] {
        assert!(matches!(error, Error::Newer { .. }), "{error:?}");
    }
    raw.pragma_update(None, "user_version", crate::schema::VERSION).unwrap();
    assert_eq!(Store::open(project.path()).unwrap().load(&s.run).unwrap().0, s.state);
}

#[test]
fn migrations_are_valid() {
    crate::schema::MIGRATIONS.validate().unwrap();
}

/// A program of before the register that had the history open when a newer one came: what it would append without entering it is refused,
/// and it is told why.
#[test]
fn an_older_program_that_stayed_open_appends_nothing_unentered() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    let s = sample(&store, "run-1");
    let asked = "INSERT INTO gates (run_id, gate, round, opened_at, opened) VALUES ('run-1', 'g', 9, 1, '{}')";
    store.writer().execute_batch(asked).unwrap();
    let old = rusqlite::Connection::open(project.path().join(".gatehouse/history.db")).unwrap();
    let refused = |sql: &str| {
        let error = old.execute_batch(sql).unwrap_err().to_string();
        assert!(error.contains("a newer Gatehouse has opened this history"), "{error}");
        old.execute_batch("ROLLBACK").unwrap();
    };
    // Event, list, decision, in the order in which it writes them.
    refused(
        "BEGIN; INSERT INTO events SELECT 'run-2', seq, at, body, hash FROM events WHERE run_id = 'run-1' AND seq = 1;
         CREATE TEMP TABLE one AS SELECT * FROM runs WHERE run_id = 'run-1'; UPDATE one SET run_id = 'run-2', seq = 1;
         INSERT INTO runs SELECT * FROM one; COMMIT",
    );
    refused(
        "BEGIN; INSERT INTO events SELECT run_id, seq + 100, at, body, hash FROM events WHERE seq = 2;
         UPDATE runs SET seq = 102 WHERE run_id = 'run-1';
         UPDATE gates SET answered_at = 2, decision = '{}' WHERE run_id = 'run-1' AND gate = 'g'; COMMIT",
    );
    assert!(store.run("run-2").unwrap().is_none());
    assert_eq!(store.load(&s.run).unwrap().0, s.state);
}
