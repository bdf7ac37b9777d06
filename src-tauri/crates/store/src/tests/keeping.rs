//! The one file: complete when nobody has it open, this person's alone, noticed when it goes, copied and put back.

use super::{facts, sample};
use crate::{Error, Store, digest_of, private};
use std::path::{Path, PathBuf};

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn history(project: &Path) -> PathBuf {
    project.join(".gatehouse/history.db")
}

/// How many events a copy of the one file holds.
fn events_in_a_copy(project: &Path) -> usize {
    let elsewhere = tempfile::tempdir().unwrap();
    private::make_folder(&elsewhere.path().join(".gatehouse")).unwrap();
    std::fs::copy(history(project), history(elsewhere.path())).unwrap();
    let copy = Store::open_read_only(elsewhere.path()).unwrap();
    copy.events(&"run-1".into(), 0, usize::MAX).unwrap().len()
}

#[test]
fn closed_it_is_one_complete_file() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    let s = sample(&store, "run-1");
    drop(store);
    assert_eq!(names(&project.path().join(".gatehouse")), ["history.db"]);
    assert_eq!(events_in_a_copy(project.path()) as u64, s.state.seq);
    // And by `close`, while parts of the program still hold it.
    let store = Store::open(project.path()).unwrap();
    store.set_setting("a", "1").unwrap();
    store.close();
    assert_eq!(names(&project.path().join(".gatehouse")), ["history.db"]);
    assert!(
        store.runs(&crate::RunFilter::default()).is_err(),
        "nothing is read any more"
    );
}

#[test]
fn while_others_have_it_open_it_is_complete_too() {
    let project = tempfile::tempdir().unwrap();
    let window = Store::open(project.path()).unwrap();
    let command = Store::open(project.path()).unwrap();
    let s = sample(&command, "run-1");
    drop(command);
    assert_eq!(events_in_a_copy(project.path()) as u64, s.state.seq);
    assert_eq!(window.events(&s.run, 0, usize::MAX).unwrap().len() as u64, s.state.seq);
    sample(&window, "run-2");
    assert!(window.verify(&"run-2".into()).unwrap().is_empty());
}

#[cfg(unix)]
#[test]
fn it_is_for_this_account_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = tempfile::tempdir().unwrap();
    let mode = |path: &str| project.path().join(path).metadata().unwrap().permissions().mode() & 0o777;
    let store = Store::open(project.path()).unwrap();
    let s = sample(&store, "run-1");
    store.write_run_dir(&s.run, &facts()).unwrap();
    drop(store.context().unwrap());
    let all = |project: &Path| {
        let mut open = vec![project.join(".gatehouse")];
        let mut seen = 0;
        while let Some(path) = open.pop() {
            seen += 1;
            let mode = path.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
            if path.is_dir() {
                open.extend(std::fs::read_dir(path).unwrap().map(|e| e.unwrap().path()));
            }
        }
        assert!(seen > 8);
    };
    all(project.path());
    drop(store);
    // What an earlier version left open is closed.
    let open = |path: &str, mode| {
        std::fs::set_permissions(project.path().join(path), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    open(".gatehouse/history.db", 0o644);
    open(".gatehouse", 0o755);
    drop(Store::open(project.path()).unwrap());
    assert_eq!((mode(".gatehouse"), mode(".gatehouse/history.db")), (0o700, 0o600));
}

#[cfg(unix)]
#[test]
fn taken_away_or_replaced_it_is_noticed() {
    type Harm = fn(&Path);
    let harms: [(&str, Harm); 6] = [
        ("the file deleted", |p| std::fs::remove_file(history(p)).unwrap()),
        ("the folder deleted", |p| {
            std::fs::remove_dir_all(p.join(".gatehouse")).unwrap()
        }),
        ("the folder moved", |p| {
            std::fs::rename(p.join(".gatehouse"), p.join("away")).unwrap()
        }),
        ("replaced by a copy", |p| {
            std::fs::copy(history(p), p.join("copy")).unwrap();
            std::fs::rename(p.join("copy"), history(p)).unwrap();
        }),
        ("replaced by another project's", |p| {
            std::fs::rename(p.join(".gatehouse"), p.join("away")).unwrap();
            drop(Store::open(p).unwrap());
        }),
        ("its log deleted", |p| {
            std::fs::remove_file(p.join(".gatehouse/history.db-wal")).unwrap()
        }),
    ];
    for (name, harm) in harms {
        let project = tempfile::tempdir().unwrap();
        let store = Store::open(project.path()).unwrap();
        sample(&store, "run-1");
        store.still_there().unwrap();
        harm(project.path());
        assert!(matches!(store.still_there(), Err(Error::Gone { .. })), "{name}");
        let refused = store.put_blob(b"new").unwrap_err();
        assert!(matches!(refused, Error::Gone { .. }), "{name}: {refused}");
        assert!(
            refused.to_string().contains("gatehouse restore"),
            "{name}: it says what to do"
        );
        assert!(store.back_up(&project.path().join("b.db")).is_err(), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_no_history() {
    let elsewhere = tempfile::tempdir().unwrap();
    drop(Store::open(elsewhere.path()).unwrap());
    let before = std::fs::read(history(elsewhere.path())).unwrap();
    type Trap = fn(&Path, &Path);
    let pipe = |at: PathBuf| assert!(std::process::Command::new("mkfifo").arg(at).status().unwrap().success());
    for trap in [
        (|p, o| std::os::unix::fs::symlink(o.join(".gatehouse"), p.join(".gatehouse")).unwrap()) as Trap,
        |p, o| {
            private::make_folder(&p.join(".gatehouse")).unwrap();
            std::os::unix::fs::symlink(history(o), history(p)).unwrap();
        },
        |p, _| {
            private::make_folder(&p.join(".gatehouse")).unwrap();
            std::os::unix::fs::symlink("/dev/zero", history(p)).unwrap();
        },
        |p, _| std::fs::create_dir_all(history(p)).unwrap(),
    ] {
        let project = tempfile::tempdir().unwrap();
        trap(project.path(), elsewhere.path());
        assert!(matches!(Store::open(project.path()), Err(Error::Corrupt { .. })));
        assert!(matches!(
            Store::open_read_only(project.path()),
            Err(Error::Corrupt { .. })
        ));
    }
    for name in ["history.db", "history.db-wal", "history.db-shm"] {
        let project = tempfile::tempdir().unwrap();
        private::make_folder(&project.path().join(".gatehouse")).unwrap();
        pipe(project.path().join(".gatehouse").join(name));
        let refused = Store::open(project.path()).unwrap_err().to_string();
        assert!(refused.contains("named pipe"), "{name}: {refused}");
    }
    assert_eq!(std::fs::read(history(elsewhere.path())).unwrap(), before);
}

#[test]
fn a_backup_is_complete_and_never_replaces_a_file() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    let s = sample(&store, "run-1");
    let to = project.path().join("backup.db");
    let copied = store.back_up(&to).unwrap();
    assert_eq!((copied.runs, copied.altered.len()), (1, 0));
    assert_eq!(copied.bytes, to.metadata().unwrap().len());
    assert_eq!(
        names(project.path()),
        [".gatehouse", "backup.db"],
        "one file, and nothing beside it"
    );
    let copy = Store::open_copy(&to).unwrap();
    assert_eq!(
        copy.events(&s.run, 0, usize::MAX).unwrap(),
        store.events(&s.run, 0, usize::MAX).unwrap()
    );
    drop(copy);
    assert!(matches!(store.back_up(&to), Err(Error::Exists { .. })));
    std::fs::write(project.path().join("notes.txt"), "mine").unwrap();
    assert!(matches!(
        store.back_up(&project.path().join("notes.txt")),
        Err(Error::Exists { .. })
    ));
    assert_eq!(std::fs::read(project.path().join("notes.txt")).unwrap(), b"mine");
    assert!(store.back_up(&project.path().join("no/such/folder.db")).is_err());
}

#[test]
fn a_backup_is_taken_while_others_write() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    sample(&store, "run-1");
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let other = Store::open(project.path()).unwrap();
            let mut n = 2;
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                sample(&other, &format!("run-{n}"));
                n += 1;
            }
        });
        for n in 0..5 {
            let copied = store.back_up(&project.path().join(format!("{n}.db"))).unwrap();
            assert!(copied.runs >= 1);
            assert_eq!(copied.altered, [], "whole runs, each of them");
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

#[test]
fn a_backup_is_put_back_and_what_was_there_is_kept() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    let s = sample(&store, "run-1");
    let backup = project.path().join("backup.db");
    store.back_up(&backup).unwrap();
    sample(&store, "run-2");
    // Somebody else has it open: they would go on writing into the one that is put away.
    assert!(matches!(
        Store::restore(project.path(), &backup),
        Err(Error::Locked { .. })
    ));
    assert_eq!(store.runs(&crate::RunFilter::default()).unwrap().len(), 2);
    drop(store);

    let (copied, kept) = Store::restore(project.path(), &backup).unwrap();
    assert_eq!(copied.runs, 1);
    let kept = kept.unwrap();
    let store = Store::open(project.path()).unwrap();
    assert_eq!(store.runs(&crate::RunFilter::default()).unwrap().len(), 1);
    assert!(store.verify(&s.run).unwrap().is_empty());
    assert_eq!(
        Store::open_copy(&kept)
            .unwrap()
            .runs(&crate::RunFilter::default())
            .unwrap()
            .len(),
        2
    );
    drop(store);

    // Nothing there, or something damaged there, is no hindrance.
    std::fs::remove_dir_all(project.path().join(".gatehouse")).unwrap();
    assert_eq!(Store::restore(project.path(), &backup).unwrap().1, None);
    std::fs::write(
        history(project.path()),
        "nonsense, and more of it than a header has room for ".repeat(10),
    )
    .unwrap();
    let kept = Store::restore(project.path(), &backup).unwrap().1.unwrap();
    assert!(std::fs::read_to_string(kept).unwrap().starts_with("nonsense"));
    assert!(Store::open(project.path()).unwrap().verify(&s.run).unwrap().is_empty());
}

#[test]
fn what_the_lists_of_a_copy_show_is_held_against_its_logs() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    let s = sample(&store, "run-1");
    rusqlite::Connection::open(history(project.path()))
        .unwrap()
        .execute_batch("UPDATE runs SET status = 'failed'")
        .unwrap();
    let backup = project.path().join("backup.db");
    let copied = store.back_up(&backup).unwrap();
    assert_eq!(copied.altered, []);
    assert_eq!(copied.listed_otherwise, std::slice::from_ref(&s.run));
    drop(store);
    // The record is whole, so that it can be put back, and the lists be written anew.
    let (copied, _) = Store::restore(project.path(), &backup).unwrap();
    assert_eq!(copied.listed_otherwise, std::slice::from_ref(&s.run));
    let store = Store::open(project.path()).unwrap();
    store.rebuild(&s.run, &facts()).unwrap();
    assert_eq!(store.verify(&s.run).unwrap(), []);
}

#[test]
fn what_is_no_whole_history_is_not_put_back() {
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(project.path()).unwrap();
    sample(&store, "run-1");
    let backup = project.path().join("backup.db");
    store.back_up(&backup).unwrap();
    drop(store);
    let before = digest_of(&std::fs::read(history(project.path())).unwrap());

    let altered = project.path().join("altered.db");
    std::fs::copy(&backup, &altered).unwrap();
    let c = rusqlite::Connection::open(&altered).unwrap();
    c.execute_batch("DROP TRIGGER IF EXISTS events_no_update").unwrap();
    let triggers: Vec<String> = {
        let mut query = c
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
            .unwrap();
        query
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect()
    };
    for trigger in triggers {
        c.execute_batch(&format!("DROP TRIGGER {trigger}")).unwrap();
    }
    c.execute(
        "UPDATE events SET body = CAST(replace(CAST(body AS TEXT), 'Ada', 'Eve') AS BLOB) WHERE seq = 1",
        [],
    )
    .unwrap();
    drop(c);
    assert!(matches!(
        Store::restore(project.path(), &altered),
        Err(Error::Altered { count: 1, .. })
    ));

    let text = project.path().join("text.db");
    std::fs::write(
        &text,
        "no database at all, whatever it is called by its name".repeat(20),
    )
    .unwrap();
    assert!(matches!(
        Store::restore(project.path(), &text),
        Err(Error::NotABackup { .. })
    ));
    let empty = project.path().join("empty.db");
    std::fs::write(&empty, "").unwrap();
    assert!(Store::restore(project.path(), &empty).is_err());
    let missing = project.path().join("missing.db");
    assert!(matches!(
        Store::restore(project.path(), &missing),
        Err(Error::Missing { .. })
    ));
    assert_eq!(
        digest_of(&std::fs::read(history(project.path())).unwrap()),
        before,
        "it is as it was"
    );
}

#[cfg(unix)]
#[test]
fn rebuilding_is_refused_before_anything_is_touched() {
    use std::os::unix::fs::symlink;
    let project = tempfile::tempdir().unwrap();
    let store = Store::open(&project.path().join("p")).unwrap();
    let s = sample(&store, "run-1");
    let dir = store.run_dir(&s.run).unwrap();
    let elsewhere = project.path().join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    std::fs::write(elsewhere.join("theirs"), "theirs").unwrap();
    let all = store.write_run_dir(&s.run, &facts()).unwrap();

    // Each file in turn: the others stay.
    for path in &all {
        let file = dir.join(path);
        let bytes = std::fs::read(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        symlink(elsewhere.join("theirs"), &file).unwrap();
        assert!(
            matches!(store.rebuild(&s.run, &facts()), Err(Error::Outside { .. })),
            "{path}"
        );
        assert!(
            all.iter().all(|path| dir.join(path).symlink_metadata().is_ok()),
            "{path}: none was deleted"
        );
        std::fs::remove_file(&file).unwrap();
        std::fs::create_dir(&file).unwrap();
        assert!(store.rebuild(&s.run, &facts()).is_err(), "{path}: a folder");
        assert!(
            all.iter().all(|path| dir.join(path).symlink_metadata().is_ok()),
            "{path}: none was deleted"
        );
        std::fs::remove_dir(&file).unwrap();
        std::fs::write(&file, bytes).unwrap();
    }
    // The run's folder, and the one around it.
    for folder in [dir.clone(), dir.parent().unwrap().to_owned()] {
        let away = project.path().join("away");
        std::fs::rename(&folder, &away).unwrap();
        symlink(&elsewhere, &folder).unwrap();
        assert!(matches!(store.rebuild(&s.run, &facts()), Err(Error::Linked { .. })));
        assert!(store.write_run_dir(&s.run, &facts()).is_err());
        std::fs::remove_file(&folder).unwrap();
        std::fs::rename(&away, &folder).unwrap();
    }
    assert_eq!(names(&elsewhere), ["theirs"]);
    assert_eq!(std::fs::read(elsewhere.join("theirs")).unwrap(), b"theirs");
    assert!(
        store
            .verify_files(&s.run, &store.render_run(&s.run, &facts()).unwrap())
            .unwrap()
            .is_empty()
    );
}
