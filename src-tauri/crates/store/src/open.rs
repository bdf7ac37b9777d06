//! Opening a project's history.

use crate::appended::Appended;
use crate::regular::{self, NotRead};
use crate::{Error, excerpt_mark, private, schema};
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a writer waits for another process's transaction.
const BUSY: Duration = Duration::from_secs(5);

/// Memory for pages of the file, of each connection: in KiB where negative, as SQLite has it. The system keeps them as well.
const CACHE: i64 = -512;

/// One project's history: event log, blobs, projections, leases. Every method blocks; share it behind an `Arc`.
///
/// One connection writes and one reads, so that a list in a window never waits for a commit that is being synced.
#[derive(Debug)]
pub struct Store {
    /// The project's folder; absent for a store in memory.
    pub(crate) project: Option<PathBuf>,
    /// The database, for messages.
    pub(crate) path: PathBuf,
    /// Which files these are that are open; absent where nothing is written to them.
    here: Option<Here>,
    /// Absent in memory, where the writer reads as well. It goes before the writer: SQLite puts everything into the one file when the last
    /// connection closes, and one that only reads cannot.
    reader: Option<Mutex<Connection>>,
    writer: Mutex<Connection>,
    pub(crate) appended: Appended,
}

impl Store {
    /// Opens `<project>/.gatehouse/history.db`, made where it does not exist: WAL, every commit synced.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], [`Error::Locked`], [`Error::Corrupt`], [`Error::Newer`], [`Error::DiskFull`], [`Error::Io`].
    pub fn open(project: &Path) -> Result<Self, Error> {
        let folder = project.join(".gatehouse");
        refuse_link(&folder)?;
        private::make_folder(&folder).map_err(|e| Error::io(&folder, e))?;
        let path = folder.join("history.db");
        files_alone(&path)?;
        private::close_to_others(&folder);
        match private::write_new(&path, b"") {
            // What is beside it gets the same rights as the file itself.
            Ok(()) => {}
            Err(_) => {
                for file in files(&path) {
                    private::close_to_others(&file);
                }
            }
        }
        // SQLite turns a busy file away at once, without its busy timeout, while another program switches it to WAL or
        // recovers it: that lasts for moments, at a project's first start or after a crash.
        let start = Instant::now();
        loop {
            match Self::open_at(project, &path) {
                Err(Error::Locked { .. }) if start.elapsed() < BUSY => std::thread::sleep(BUSY / 250),
                other => return other,
            }
        }
    }

    fn open_at(project: &Path, path: &Path) -> Result<Self, Error> {
        let path = path.to_owned();
        // What lies beside the file is made at its first use, not when it is opened.
        let sorted = |error| match error {
            Error::Sql { source, .. } => cannot_open(&path, source),
            other => other,
        };
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let writer = Connection::open_with_flags(&path, flags).map_err(|e| cannot_open(&path, e))?;
        writer.busy_timeout(BUSY).map_err(|e| cannot_open(&path, e))?;
        // Before anything of it is changed.
        if excerpt_mark::is_marked(&writer).map_err(|e| cannot_open(&path, e))? {
            return Err(Error::Excerpt { path });
        }
        let writer = prepare(writer, &path).map_err(sorted)?;
        let reader = Connection::open_with_flags(
            &path,
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )
        .map_err(|e| cannot_open(&path, e))?;
        let reader = prepare_reader(reader, &path).map_err(sorted)?;
        Ok(Self {
            project: Some(project.to_owned()),
            here: Here::of(&path),
            path,
            writer: Mutex::new(writer),
            reader: Some(Mutex::new(reader)),
            appended: Appended::default(),
        })
    }

    /// Opens an existing history to look at: nothing is created, migrated or written, and every write fails with
    /// [`Error::ReadOnly`]. Works in a folder that cannot be written to, and on a disk that is full.
    ///
    /// # Errors
    /// [`Error::Missing`], [`Error::Unread`], [`Error::Corrupt`], [`Error::Newer`], [`Error::Sql`].
    pub fn open_read_only(project: &Path) -> Result<Self, Error> {
        refuse_link(&project.join(".gatehouse"))?;
        Self::look_at(Some(project), &project.join(".gatehouse").join("history.db"))
    }

    /// Opens a copy of a history that lies by itself, to look at.
    ///
    /// # Errors
    /// See [`Store::open_read_only`].
    pub(crate) fn open_copy(path: &Path) -> Result<Self, Error> {
        Self::look_at(None, path)
    }

    fn look_at(project: Option<&Path>, path: &Path) -> Result<Self, Error> {
        let path = path.to_owned();
        match regular::look(&path) {
            Err(NotRead::Missing) => return Err(Error::Missing { path }),
            _ => files_alone(&path)?,
        }
        let connect = || {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let plain = Connection::open_with_flags(&path, flags).map_err(|e| cannot_open(&path, e))?;
            match prepare_reader(plain, &path) {
                // A WAL database wants to make its shared-memory file even for reading. Where it cannot, as in a folder that
                // cannot be written to and on a disk that is full, and no uncommitted WAL lies beside it, the file itself is
                // complete.
                Err(Error::Sql { .. } | Error::ReadOnly { .. } | Error::DiskFull { .. }) if wal_is_empty(&path) => {
                    let uri = format!("file:{}?immutable=1", escape_uri(&path));
                    let still = Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)
                        .map_err(|e| cannot_open(&path, e))?;
                    prepare_reader(still, &path)
                }
                other => other,
            }
        };
        // What cannot be read is not what cannot be written to, and no history that is not there.
        let connect = || {
            connect().map_err(|error| match error {
                Error::ReadOnly { .. } | Error::Sql { .. } if is_barred(&path) => Error::Unread { path: path.clone() },
                other => other,
            })
        };
        Ok(Self {
            project: project.map(Path::to_owned),
            here: None,
            writer: Mutex::new(connect()?),
            reader: Some(Mutex::new(connect()?)),
            path,
            appended: Appended::default(),
        })
    }

    /// A store in memory, for tests: the real one in every respect but durability.
    ///
    /// # Errors
    /// [`Error::Sql`] when SQLite cannot start.
    pub fn open_memory() -> Result<Self, Error> {
        let path = PathBuf::from(":memory:");
        let writer = Connection::open_in_memory().map_err(|e| Error::sql(&path, e))?;
        let writer = prepare(writer, &path)?;
        Ok(Self {
            project: None,
            here: None,
            path,
            writer: Mutex::new(writer),
            reader: None,
            appended: Appended::default(),
        })
    }

    /// Whether something lies in the place of a project's history, whatever it is.
    pub fn is_there(project: &Path) -> bool {
        let path = project.join(".gatehouse").join("history.db");
        path.symlink_metadata().is_ok()
    }

    /// What a project has before anything is recorded in it, to look at: nothing, in memory. No file and no folder is made.
    ///
    /// # Errors
    /// [`Error::Sql`] when SQLite cannot start.
    pub fn open_none(project: &Path) -> Result<Self, Error> {
        let mut none = Self::open_memory()?;
        none.project = Some(project.to_owned());
        Ok(none)
    }

    /// Whether it was only opened to be looked at, or lies in memory.
    pub(crate) fn is_only_read(&self) -> bool {
        self.here.is_none()
    }

    /// The project's folder; absent for a store in memory.
    pub fn project(&self) -> Option<&Path> {
        self.project.as_deref()
    }

    /// A number that grows whenever anybody, in this process or another, has committed something. Cheap: a window asks
    /// every few hundred milliseconds.
    ///
    /// # Errors
    /// [`Error::Sql`].
    pub fn data_version(&self) -> Result<i64, Error> {
        match &self.reader {
            // The reader is a connection of its own, so SQLite's counter sees our writer's commits, too.
            Some(_) => self.sql(|c| c.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))),
            None => self.sql(|c| Ok(i64::try_from(c.total_changes()).unwrap_or(i64::MAX))),
        }
    }

    /// The connection that writes.
    pub(crate) fn writer(&self) -> MutexGuard<'_, Connection> {
        // A panic elsewhere cannot leave a transaction half done: dropping it has rolled it back.
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection that reads.
    pub(crate) fn reader(&self) -> MutexGuard<'_, Connection> {
        self.reader
            .as_ref()
            .unwrap_or(&self.writer)
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads, with SQLite's errors sorted.
    pub(crate) fn sql<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Error> {
        read(&self.reader()).map_err(|e| Error::sql(&self.path, e))
    }

    /// Reads for a while, from a connection of its own: lists go on being read meanwhile.
    pub(crate) fn apart<T>(&self, read: impl FnOnce(&Connection) -> Result<T, Error>) -> Result<T, Error> {
        self.still_there()?;
        match &self.project {
            Some(_) if !self.is_only_read() => read(&open_apart(&self.path)?),
            // Where SQLite can write nothing beside the history it does not open it like that.
            _ => read(&self.reader()),
        }
    }

    /// One write transaction; rolled back when `write` fails.
    pub(crate) fn write<T>(
        &self,
        write: impl FnOnce(&rusqlite::Transaction<'_>) -> Result<T, Fault>,
    ) -> Result<T, Error> {
        let mut connection = self.writer();
        self.still_there()?;
        let run = || {
            // Immediate: the lock is taken, and waited for, before anything is read that the write depends on.
            let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let out = write(&transaction)?;
            transaction.commit()?;
            Ok(out)
        };
        let out = run().map_err(|fault: Fault| match fault {
            Fault::Sql(e) => Error::sql(&self.path, e),
            Fault::Ours(e) => *e,
        })?;
        // Taken away between the look and the commit, it holds what nobody will find again.
        self.still_there()?;
        Ok(out)
    }

    /// Whether the history that is open is still the one that others would open: SQLite goes on writing into a file that was deleted, as if
    /// nothing had happened.
    ///
    /// # Errors
    /// [`Error::Gone`].
    pub fn still_there(&self) -> Result<(), Error> {
        match &self.here {
            Some(here) if !here.holds(&self.path) => Err(Error::Gone {
                path: self.path.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// Puts everything into the one file and closes it; nothing can be read or written any more. For a program that ends while parts of it
    /// still hold the store.
    pub fn close(&self) {
        let nothing = || Connection::open_in_memory();
        if let (Some(reader), Ok(instead)) = (&self.reader, nothing()) {
            drop(std::mem::replace(
                &mut *reader.lock().unwrap_or_else(PoisonError::into_inner),
                instead,
            ));
        }
        if let Ok(instead) = nothing() {
            let writer = std::mem::replace(&mut *self.writer(), instead);
            put_together(&writer);
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if self.here.is_some() {
            put_together(self.writer.get_mut().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

/// Puts what was written into the file itself. While others have it open they keep the log beside it, and this makes it empty as far as
/// they let it.
fn put_together(writer: &Connection) {
    // What cannot be done now is done by whoever closes it next, or opens it again.
    let _ = writer.busy_timeout(Duration::from_millis(100));
    let _ = writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
}

/// Refuses what is no file where SQLite would open one: a pipe, on which it would wait for ever, a link, which leads anywhere.
pub(crate) fn files_alone(path: &Path) -> Result<(), Error> {
    for file in files(path) {
        // Only looked at: closing a file that SQLite has open lets go of its locks.
        if let Err(error @ NotRead::NotAFile(_)) = regular::look(&file) {
            return Err(Error::Corrupt {
                path: file,
                why: error.to_string(),
            });
        }
    }
    Ok(())
}

/// The files of a database.
pub(crate) fn files(path: &Path) -> [PathBuf; 4] {
    ["", "-wal", "-shm", "-journal"].map(|ending| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    })
}

/// A folder that is a link leads to the records of another project.
fn refuse_link(folder: &Path) -> Result<(), Error> {
    match folder.symlink_metadata() {
        Ok(about) if about.is_symlink() => Err(Error::Corrupt {
            path: folder.to_owned(),
            why: "it is a link, not a folder".to_owned(),
        }),
        _ => Ok(()),
    }
}

/// Which files are open, whatever becomes of their names.
#[derive(Debug)]
struct Here {
    #[cfg(unix)]
    numbers: [Option<(u64, u64)>; 2],
}

impl Here {
    fn of(path: &Path) -> Option<Self> {
        #[cfg(unix)]
        {
            let [file, log, ..] = files(path);
            let numbers = [number(&file), number(&log)];
            numbers[0].is_some().then_some(Self { numbers })
        }
        #[cfg(not(unix))]
        {
            // An open file cannot be removed here.
            let _ = path;
            Some(Self {})
        }
    }

    fn holds(&self, path: &Path) -> bool {
        #[cfg(unix)]
        {
            let [file, log, ..] = files(path);
            let [first, second] = self.numbers;
            number(&file) == first && (second.is_none() || number(&log) == second)
        }
        #[cfg(not(unix))]
        {
            let _ = path;
            true
        }
    }
}

#[cfg(unix)]
fn number(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    path.symlink_metadata().ok().map(|about| (about.dev(), about.ino()))
}

/// What can go wrong inside a transaction.
pub(crate) enum Fault {
    Sql(rusqlite::Error),
    Ours(Box<Error>),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Ours(Box::new(error))
    }
}

/// Opens a history to be read by this connection alone.
pub(crate) fn open_apart(path: &Path) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|e| Error::sql(path, e))?;
    connection.busy_timeout(BUSY).map_err(|e| Error::sql(path, e))?;
    Ok(connection)
}

fn prepare(mut connection: Connection, path: &Path) -> Result<Connection, Error> {
    let set = |c: &Connection| {
        c.busy_timeout(BUSY)?;
        c.pragma_update(None, "foreign_keys", true)?;
        let _: String = c.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
        c.pragma_update(None, "synchronous", "full")?;
        c.pragma_update(None, "cache_size", CACHE)?;
        c.set_prepared_statement_cache_capacity(64);
        Ok(())
    };
    set(&connection).map_err(|e| Error::sql(path, e))?;
    if connection.is_readonly("main").unwrap_or(false) {
        return Err(Error::ReadOnly { path: path.to_owned() });
    }
    refuse_newer(&connection, path)?;
    // Before it is brought to this version: what is in it may act on that.
    refuse_foreign(&connection, path, true)?;
    migrate(&mut connection, path)?;
    Ok(connection)
}

/// Two programs may open a new project at once. The slower one then finds the tables made since it looked, and looks again.
pub(crate) fn migrate(connection: &mut Connection, path: &Path) -> Result<(), Error> {
    loop {
        let before = version(connection, path)?;
        let error = match schema::MIGRATIONS.to_latest(connection) {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        if version(connection, path)? == before {
            return Err(match error {
                rusqlite_migration::Error::RusqliteError { err, .. } => Error::sql(path, err),
                other => Error::Corrupt {
                    path: path.to_owned(),
                    why: other.to_string(),
                },
            });
        }
    }
}

fn version(connection: &Connection, path: &Path) -> Result<i64, Error> {
    connection
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(|e| Error::sql(path, e))
}

fn prepare_reader(connection: Connection, path: &Path) -> Result<Connection, Error> {
    connection.busy_timeout(BUSY).map_err(|e| Error::sql(path, e))?;
    connection
        .pragma_update(None, "cache_size", CACHE)
        .map_err(|e| Error::sql(path, e))?;
    connection.set_prepared_statement_cache_capacity(64);
    refuse_newer(&connection, path)?;
    if version(&connection, path)? == 1 {
        connection
            .execute_batch(schema::AS_TWO)
            .map_err(|e| Error::sql(path, e))?;
    }
    let events: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'events'", [], |row| {
            row.get(0)
        })
        .map_err(|e| Error::sql(path, e))?;
    if events == 0 {
        return Err(Error::Corrupt {
            path: path.to_owned(),
            why: "it holds no event log".to_owned(),
        });
    }
    refuse_foreign(&connection, path, false)?;
    Ok(connection)
}

fn refuse_newer(connection: &Connection, path: &Path) -> Result<(), Error> {
    if version(connection, path)? > schema::VERSION {
        Err(Error::Newer { path: path.to_owned() })
    } else {
        Ok(())
    }
}

fn refuse_foreign(connection: &Connection, path: &Path, mend: bool) -> Result<(), Error> {
    match schema::foreign(connection, mend).map_err(|e| Error::sql(path, e))? {
        Some(why) => Err(Error::Corrupt {
            path: path.to_owned(),
            why,
        }),
        None => Ok(()),
    }
}

/// "Unable to open" says nothing; the folder says why.
fn cannot_open(path: &Path, error: rusqlite::Error) -> Error {
    if error.sqlite_error_code() == Some(rusqlite::ErrorCode::CannotOpen) {
        let folder_is_read_only = path
            .parent()
            .and_then(|f| f.metadata().ok())
            .is_some_and(|m| m.permissions().readonly());
        if folder_is_read_only
            || std::fs::OpenOptions::new()
                .append(true)
                .open(path)
                .is_err_and(is_permission)
        {
            return Error::ReadOnly { path: path.to_owned() };
        }
    }
    if error.sqlite_error_code() == Some(rusqlite::ErrorCode::SystemIoFailure) && is_full(path) {
        return Error::DiskFull { path: path.to_owned() };
    }
    Error::sql(path, error)
}

/// Where there is no space for the files beside the history SQLite says no more than that something failed.
fn is_full(path: &Path) -> bool {
    let probe = path.with_file_name(format!(".{}.probe", std::process::id()));
    let written = private::write_new(&probe, &[0; 64 * 1024]);
    let _ = std::fs::remove_file(&probe);
    written.is_err_and(|e| {
        matches!(
            e.kind(),
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded
        )
    })
}

/// Whether this account may not read a file that is there. It is only looked at where nothing was opened.
fn is_barred(path: &Path) -> bool {
    let opened = std::fs::File::open(path);
    opened.is_err_and(|error| error.kind() == std::io::ErrorKind::PermissionDenied)
}

fn is_permission(error: std::io::Error) -> bool {
    matches!(
        error.kind(),
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem
    )
}

fn wal_is_empty(path: &Path) -> bool {
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    std::fs::metadata(wal).map_or(true, |m| m.len() == 0)
}

/// `%`, `?` and `#` mean something in SQLite's file addresses.
fn escape_uri(path: &Path) -> String {
    path.to_string_lossy()
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23")
}
