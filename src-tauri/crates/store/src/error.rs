//! What can break, and what to do about it.

use engine::{Digest, RunId};
use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

/// Something broke, or somebody else was faster ([`Error::Conflict`], [`Error::Leased`], [`Error::LeaseLost`]).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Another process holds the write lock for longer than the busy timeout.
    #[error(
        "{path} is locked by another process. Nothing was written. Close the other program that writes to this project, or try again"
    )]
    Locked {
        /// The database.
        path: PathBuf,
    },
    /// No space is left.
    #[error(
        "the disk that holds {path} is full. Nothing was written and nothing recorded is lost. Free some space, then go on"
    )]
    DiskFull {
        /// The database.
        path: PathBuf,
    },
    /// The folder or the file cannot be written to.
    #[error("{path} cannot be written to, so nothing can be recorded there")]
    ReadOnly {
        /// The database or its folder.
        path: PathBuf,
    },
    /// It holds a part of another history, which was handed over.
    #[error(
        "{path} holds runs that were handed over, a part of the history of the project where they were recorded: they can be looked at, replayed and checked, and nothing new is recorded here"
    )]
    Excerpt {
        /// The database.
        path: PathBuf,
    },
    /// The project's register does not know a run.
    #[error(
        "run {run} was never entered in the project's register of runs, as every run is when it begins or when a project of an earlier version is first opened: whoever got it could not tell it from one that somebody put into the history, so it was not handed over. `gatehouse verify {run}` says more"
    )]
    Unentered {
        /// The run.
        run: String,
    },
    /// It is there, and this account may not read it.
    #[error(
        "{path} cannot be read with the rights of your account, so nothing can be said of what it holds. Ask whoever it belongs to for the right to read it"
    )]
    Unread {
        /// The database, or a folder of a run's files.
        path: PathBuf,
    },
    /// There is no history to read.
    #[error("{path} does not exist: nothing has been run in this project yet")]
    Missing {
        /// The database.
        path: PathBuf,
    },
    /// Not a database, or a damaged one.
    #[error(
        "{path} is damaged or is not a history file ({why}). Nothing was changed. Put back a copy of it, or move it away to start a new history"
    )]
    Corrupt {
        /// The database.
        path: PathBuf,
        /// SQLite's words.
        why: String,
    },
    /// Written by a newer Gatehouse.
    #[error("{path} was written by a newer version of Gatehouse. Nothing was changed. Update Gatehouse to open it")]
    Newer {
        /// The database.
        path: PathBuf,
    },
    /// It was deleted, moved or replaced while it was open.
    #[error(
        "{path} was deleted, moved away or replaced while it was open. What this program had still to record is not kept, so it stops. Put the file back, or restore a backup (`gatehouse restore FILE`), then go on with `gatehouse resume`"
    )]
    Gone {
        /// The database.
        path: PathBuf,
    },
    /// A file that is there already and is not to be replaced.
    #[error("{path} is there already and was not replaced. Choose another name")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// What is to be put back is no history.
    #[error("{path} is not a backup, or a damaged one ({why}). Nothing was changed")]
    NotABackup {
        /// The file that was named.
        path: PathBuf,
        /// Why it cannot be read as one.
        why: String,
    },
    /// A copy whose record is not what was written down.
    #[error(
        "{path} was not put back: of {count} of its runs the record is not what was written down. Nothing was changed. Take another backup"
    )]
    Altered {
        /// The copy.
        path: PathBuf,
        /// How many runs.
        count: usize,
    },
    /// Somebody appended to the run meanwhile; load it again and decide again.
    #[error(
        "run {run} has {actual} events by now, {expected} were expected: somebody else was faster. Nothing was written"
    )]
    Conflict {
        /// Which run.
        run: RunId,
        /// What the caller had seen.
        expected: u64,
        /// What there is.
        actual: u64,
    },
    /// A batch that does not fit what the caller says about it.
    #[error("the events for run {run} do not fit together ({why}). Nothing was written; this is a fault in Gatehouse")]
    Inconsistent {
        /// Which run.
        run: RunId,
        /// In what way.
        why: String,
    },
    /// No such run.
    #[error("there is no run {run} in this project")]
    UnknownRun {
        /// As asked for.
        run: String,
    },
    /// A prefix that fits several runs.
    #[error("{prefix} fits {count} runs. Give more of the run's id")]
    Ambiguous {
        /// As asked for.
        prefix: String,
        /// How many.
        count: usize,
    },
    /// A stored event that cannot be read; `verify` says more.
    #[error("event {seq} of run {run} cannot be read ({why}). Verify the run to see what was changed")]
    Unreadable {
        /// Which run.
        run: RunId,
        /// Which event.
        seq: u64,
        /// The parser's words.
        why: String,
    },
    /// No such blob.
    #[error("the content {digest} is not in this project's history")]
    UnknownBlob {
        /// Its name.
        digest: Digest,
    },
    /// A blob whose bytes are not what its name says.
    #[error("the content {digest} was changed since it was stored: its bytes no longer match their SHA-256")]
    BlobChanged {
        /// Its name.
        digest: Digest,
    },
    /// Another driver has the run.
    #[error(
        "run {run} is being driven by {owner}. Wait until it is done, or end that program; its claim lapses by itself"
    )]
    Leased {
        /// Which run.
        run: RunId,
        /// Who has it.
        owner: String,
        /// Until when, milliseconds since 1970, unless renewed.
        expires_at: i64,
    },
    /// The lease was taken over; stop driving.
    #[error(
        "run {run} was taken over by another process because this one did not report in time. This one stops driving it"
    )]
    LeaseLost {
        /// Which run.
        run: RunId,
    },
    /// A file of a run directory.
    #[error("{path}: {source}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The folder of a run's files is a link.
    #[error(
        "{path} is a link, so the files of the run were left as they are: they would be written elsewhere. Remove the link, then rebuild the run"
    )]
    Linked {
        /// The link.
        path: PathBuf,
    },
    /// A path that would leave the run directory.
    #[error(
        "{path} does not lie inside the run directory (a link, a folder or something else stands in its place), so nothing was touched. Remove it, then rebuild the run"
    )]
    Outside {
        /// The path.
        path: String,
    },
    /// Anything else SQLite reports.
    #[error("{path}: {source}")]
    Sql {
        /// The database.
        path: PathBuf,
        /// SQLite's words.
        source: rusqlite::Error,
    },
}

impl Error {
    /// Sorts an error of SQLite by what a person can do about it.
    pub(crate) fn sql(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked { path },
            Some(ErrorCode::DiskFull) => Self::DiskFull { path },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly { path },
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Self::Corrupt {
                path,
                why: source.to_string(),
            },
            _ => Self::Sql { path, source },
        }
    }

    /// Sorts an error of the file system where something is only read.
    pub(crate) fn reading(path: &Path, source: std::io::Error) -> Self {
        match source.kind() {
            std::io::ErrorKind::PermissionDenied => Self::Unread { path: path.to_owned() },
            _ => Self::io(path, source),
        }
    }

    /// Sorts an error of the file system likewise.
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Self {
        use std::io::ErrorKind;
        let path = path.to_owned();
        match source.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { path },
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::DiskFull { path },
            _ => Self::Io { path, source },
        }
    }
}
