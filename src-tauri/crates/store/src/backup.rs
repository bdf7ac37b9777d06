//! A copy of a history in one complete file, and a history put back from one.

use crate::open::{files, files_alone, open_apart};
use crate::{Error, Store, excerpt_mark, private};
use engine::RunId;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a copy waits for a program that writes at this moment.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a copy holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// Runs in it.
    pub runs: usize,
    /// Size of the file.
    pub bytes: u64,
    /// Runs whose record is not what was written down, in the copy as in the history.
    pub altered: Vec<RunId>,
    /// Runs whose record is whole, and of which the lists of runs and gates show something else.
    pub listed_otherwise: Vec<RunId>,
}

impl Store {
    /// Copies this history as it is now into one complete file, while others go on writing, and checks every run of the copy. The file is
    /// there whole or not at all, and never replaces another.
    ///
    /// # Errors
    /// [`Error::Exists`] for a file that is there already; [`Error::Io`], [`Error::DiskFull`], [`Error::Locked`], [`Error::Sql`].
    pub fn back_up(&self, to: &Path) -> Result<Copied, Error> {
        if to.symlink_metadata().is_ok() {
            return Err(Error::Exists { path: to.to_owned() });
        }
        // Of the file that is made first nobody knows.
        let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder {
            std::fs::read_dir(folder).map_err(|error| Error::io(folder, error))?;
        }
        let beside = beside(to);
        let copied = self
            .apart(|from| copy(from, &beside))
            .and_then(|()| check(&beside))
            .and_then(|copied| put(&beside, to).map(|()| copied));
        discard(&beside);
        copied
    }

    /// Puts a copy in the place of a project's history. What was there is kept beside it, under the name that is returned.
    ///
    /// Nobody else may have the history open: whoever has would go on writing into the one that was put away.
    ///
    /// # Errors
    /// [`Error::NotABackup`] for a file that holds no history; [`Error::Altered`] for a copy whose runs are not what was written down; [`Error::Locked`] while another program has the history
    /// open; those of [`Store::open`].
    pub fn restore(project: &Path, from: &Path) -> Result<(Copied, Option<PathBuf>), Error> {
        let copied = check(from).map_err(|error| match error {
            // It is about what was named, not about the project's history.
            Error::Corrupt { path, why } => Error::NotABackup { path, why },
            other => other,
        })?;
        // Nothing would be recorded in the project any more.
        let is_part = open_apart(from)?;
        if excerpt_mark::is_marked(&is_part).map_err(|e| Error::sql(from, e))? {
            return Err(Error::Excerpt { path: from.to_owned() });
        }
        drop(is_part);
        // Nor is anything recorded in what was handed over.
        let path = project.join(".gatehouse").join("history.db");
        if is_handed_over(&path) {
            return Err(Error::Excerpt { path });
        }
        if !copied.altered.is_empty() {
            return Err(Error::Altered {
                path: from.to_owned(),
                count: copied.altered.len(),
            });
        }
        let folder = project.join(".gatehouse");
        private::make_folder(&folder).map_err(|e| Error::io(&folder, e))?;
        let beside = beside(&path);
        let restored = open_apart(from).and_then(|from| copy(&from, &beside)).and_then(|()| {
            let kept = put_away(&path)?;
            put(&beside, &path)?;
            Ok(kept)
        });
        discard(&beside);
        Ok((copied, restored?))
    }
}

/// Every page as of one moment. Programs that write meanwhile are not held up.
fn copy(from: &Connection, to: &Path) -> Result<(), Error> {
    discard(to);
    private::write_new(to, b"").map_err(|e| Error::io(to, e))?;
    let sorted = |e| Error::sql(to, e);
    let mut copy = Connection::open(to).map_err(sorted)?;
    {
        let backup = Backup::new(from, &mut copy).map_err(sorted)?;
        let start = Instant::now();
        loop {
            match backup.step(-1).map_err(sorted)? {
                StepResult::Done => break,
                _ if start.elapsed() > PATIENCE => return Err(Error::Locked { path: to.to_owned() }),
                _ => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }
    // One file, without a log beside it.
    let _: String = copy
        .pragma_update_and_check(None, "journal_mode", "delete", |row| row.get(0))
        .map_err(sorted)?;
    copy.close().map_err(|(_, e)| Error::sql(to, e))
}

/// Whether a file is a history whose runs are what was written down.
fn check(path: &Path) -> Result<Copied, Error> {
    let store = Store::open_copy(path)?;
    let ids = store.sql(|c| {
        let mut query = c.prepare("SELECT run_id FROM runs UNION SELECT run_id FROM events ORDER BY 1")?;
        let ids = query.query_map([], |row| row.get::<_, String>(0))?;
        ids.collect::<rusqlite::Result<Vec<String>>>()
    })?;
    let (mut altered, mut listed_otherwise) = (Vec::new(), Vec::new());
    for id in &ids {
        let run = RunId::from(id.as_str());
        let found = store.verify(&run)?;
        if found.iter().any(|finding| finding.kind.is_evidence()) {
            altered.push(run);
        } else if !found.is_empty() {
            listed_otherwise.push(run);
        }
    }
    Ok(Copied {
        runs: ids.len(),
        bytes: path.metadata().map_err(|e| Error::io(path, e))?.len(),
        altered,
        listed_otherwise,
    })
}

/// Moves the history away under a name that says what it is, complete in one file. `None`: there was none.
fn put_away(path: &Path) -> Result<Option<PathBuf>, Error> {
    if path.symlink_metadata().is_err() {
        return Ok(None);
    }
    let mut put = None;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened =
        files_alone(path).and_then(|()| Connection::open_with_flags(path, flags).map_err(|e| Error::sql(path, e)));
    match opened {
        Ok(connection) => {
            connection
                .busy_timeout(Duration::from_millis(500))
                .map_err(|e| Error::sql(path, e))?;
            // SQLite leaves this mode only for whoever is alone with the file; and what lay beside it is in it then.
            let alone =
                connection.pragma_update_and_check(None, "journal_mode", "delete", |row| row.get::<_, String>(0));
            match alone.map_err(|e| Error::sql(path, e)) {
                Ok(_) | Err(Error::Corrupt { .. }) => {}
                Err(error) => return Err(error),
            }
            put = Some(connection);
        }
        // A damaged history is what one wants to get rid of.
        Err(Error::Corrupt { .. }) => {}
        Err(other) => return Err(other),
    }
    let stamp = chrono::Utc::now().format("%Y%m%d-%H%M%S");
    let name = |n: u32| match n {
        1 => format!("history-replaced-{stamp}.db"),
        n => format!("history-replaced-{stamp}-{n}.db"),
    };
    let free = (1..)
        .map(|n| path.with_file_name(name(n)))
        .find(|to| to.symlink_metadata().is_err());
    let to = free.unwrap_or_else(|| path.with_extension("replaced"));
    std::fs::rename(path, &to).map_err(|e| Error::io(&to, e))?;
    drop(put);
    // Of a damaged one these may be left; they belong to it and would be taken for parts of the next.
    for (old, new) in files(path).into_iter().zip(files(&to)).skip(1) {
        if old.symlink_metadata().is_ok() {
            std::fs::rename(&old, &new).map_err(|e| Error::io(&old, e))?;
        }
    }
    Ok(Some(to))
}

/// Gives a finished file its name, never over another one.
fn put(beside: &Path, to: &Path) -> Result<(), Error> {
    match std::fs::hard_link(beside, to) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Err(Error::Exists { path: to.to_owned() }),
        // Some file systems know no second name for a file.
        Err(_) if to.symlink_metadata().is_err() => std::fs::rename(beside, to).map_err(|e| Error::io(to, e)),
        Err(e) => Err(Error::io(to, e)),
    }
}

/// Whether a history says that it is a part that was handed over. One that cannot be read is what one wants to get rid of.
fn is_handed_over(path: &Path) -> bool {
    let is_there = path.symlink_metadata().is_ok() && files_alone(path).is_ok();
    is_there && open_apart(path).is_ok_and(|history| excerpt_mark::is_marked(&history).unwrap_or(false))
}

fn beside(to: &Path) -> PathBuf {
    with_ending(to, &format!(".{}.unfinished", std::process::id()))
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

fn discard(beside: &Path) {
    for file in files(beside) {
        // What is not there needs no removing.
        let _ = std::fs::remove_file(file);
    }
}
