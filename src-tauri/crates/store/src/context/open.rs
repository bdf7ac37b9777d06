//! Opening the index, and one writer at a time.

use super::schema;
use crate::open::{files, files_alone};
use crate::{Error, Store, private};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long one step waits while another brings the index up to date.
const BUSY: Duration = Duration::from_secs(60);
/// How long a file is switched to WAL at most.
const SWITCHING: Duration = Duration::from_secs(5);
/// So many answers are kept; the oldest go first.
const MOST_ANSWERS: i64 = 256;

/// The index of one project. Every method blocks.
#[derive(Debug)]
pub struct Index {
    path: PathBuf,
    connection: Connection,
}

/// One transaction over the index. Dropped without [`Session::commit`] it leaves the index as it was.
#[derive(Debug)]
pub struct Session<'i> {
    pub(super) path: &'i Path,
    pub(super) transaction: Transaction<'i>,
}

impl Store {
    /// The index of this store's project; of a store in memory one in memory, new each time.
    ///
    /// # Errors
    /// See [`Index::open`].
    pub fn context(&self) -> Result<Index, Error> {
        match self.project() {
            Some(project) => Index::open(project),
            None => Index::open_memory(),
        }
    }
}

impl Index {
    /// Opens `<project>/.gatehouse/context.db`, made where it does not exist, is damaged or was written by another version.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], [`Error::Locked`], [`Error::DiskFull`], [`Error::Sql`], [`Error::Io`].
    pub fn open(project: &Path) -> Result<Self, Error> {
        let folder = project.join(".gatehouse");
        private::make_folder(&folder).map_err(|e| Error::io(&folder, e))?;
        let path = place(project);
        // What SQLite makes beside it gets the same rights.
        if private::write_new(&path, b"").is_err() {
            private::close_to_others(&path);
        }
        let start = Instant::now();
        loop {
            match files_alone(&path).and_then(|()| Self::open_at(&path)) {
                Err(Error::Corrupt { .. }) => {
                    Self::discard(project)?;
                    return Self::open_at(&path);
                }
                // SQLite turns others away at once while somebody switches the file to WAL; that lasts for moments.
                Err(Error::Locked { .. }) if start.elapsed() < SWITCHING => std::thread::sleep(SWITCHING / 250),
                other => return other,
            }
        }
    }

    /// An index in memory: where nothing can be written, and for tests.
    ///
    /// # Errors
    /// [`Error::Sql`] when SQLite cannot start.
    pub fn open_memory() -> Result<Self, Error> {
        Self::open_at(Path::new(":memory:"))
    }

    /// Removes the index of a project: the next who opens it makes it anew. What is not there is removed already.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], [`Error::Io`].
    pub fn discard(project: &Path) -> Result<(), Error> {
        let path = place(project);
        for file in files(&path) {
            match std::fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(Error::io(&file, error)),
                _ => {}
            }
        }
        Ok(())
    }

    fn open_at(path: &Path) -> Result<Self, Error> {
        let sorted = |e| Error::sql(path, e);
        let connection = Connection::open(path).map_err(sorted)?;
        let set = |c: &Connection| {
            c.busy_timeout(BUSY)?;
            let _: String = c.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
            // What a power failure takes is made again from the files.
            c.pragma_update(None, "synchronous", "normal")?;
            c.set_prepared_statement_cache_capacity(32);
            Ok(())
        };
        set(&connection).map_err(sorted)?;
        if connection.is_readonly("main").unwrap_or(false) {
            return Err(Error::ReadOnly { path: path.to_owned() });
        }
        let mut index = Self {
            path: path.to_owned(),
            connection,
        };
        index.prepare().map_err(sorted)?;
        Ok(index)
    }

    /// Makes the tables, in place of those of another version.
    fn prepare(&mut self) -> rusqlite::Result<()> {
        let version = |c: &Connection| c.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
        if version(&self.connection)? == schema::VERSION {
            return Ok(());
        }
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Somebody else may have been faster.
        if version(&transaction)? != schema::VERSION {
            for table in ["words", "shards", "files", "answers", "about"] {
                transaction.execute_batch(&format!("DROP TABLE IF EXISTS {table}"))?;
            }
            transaction.execute_batch(schema::TABLES)?;
            transaction.pragma_update(None, "user_version", schema::VERSION)?;
        }
        transaction.commit()
    }

    /// Begins a session; waits for that of another process. `maker`: the version of whoever cuts files into shards; those of another
    /// maker are forgotten.
    ///
    /// # Errors
    /// [`Error::Locked`], [`Error::Corrupt`], [`Error::Sql`].
    pub fn begin(&mut self, maker: u32) -> Result<Session<'_>, Error> {
        let sorted = |e| Error::sql(&self.path, e);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(sorted)?;
        forget_others(&transaction, maker).map_err(sorted)?;
        Ok(Session {
            path: &self.path,
            transaction,
        })
    }
}

fn forget_others(transaction: &Transaction<'_>, maker: u32) -> rusqlite::Result<()> {
    let made_by: Option<u32> = transaction
        .query_row("SELECT maker FROM about", [], |row| row.get(0))
        .optional()?;
    if made_by == Some(maker) {
        return Ok(());
    }
    for table in ["shards", "files", "answers", "about"] {
        transaction.execute(&format!("DELETE FROM {table}"), [])?;
    }
    transaction.execute("INSERT INTO about (maker) VALUES (?1)", [maker])?;
    Ok(())
}

impl Session<'_> {
    /// An answer that was put together before from the same inputs and the same files.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Sql`].
    pub fn kept(&self, key: &str) -> Result<Option<String>, Error> {
        self.sql(|t| {
            t.prepare_cached("SELECT answer FROM answers WHERE key = ?1")?
                .query_row([key], |row| row.get(0))
                .optional()
        })
    }

    /// Keeps an answer.
    ///
    /// # Errors
    /// [`Error::DiskFull`], [`Error::Corrupt`], [`Error::Sql`].
    pub fn keep(&self, key: &str, answer: &str) -> Result<(), Error> {
        self.sql(|t| {
            t.prepare_cached("INSERT OR REPLACE INTO answers (key, answer) VALUES (?1, ?2)")?
                .execute((key, answer))?;
            t.prepare_cached("DELETE FROM answers WHERE id <= (SELECT max(id) FROM answers) - ?1")?
                .execute([MOST_ANSWERS])?;
            Ok(())
        })
    }

    /// Makes what was done in this session last.
    ///
    /// # Errors
    /// [`Error::DiskFull`], [`Error::Corrupt`], [`Error::Sql`].
    pub fn commit(self) -> Result<(), Error> {
        self.transaction.commit().map_err(|e| Error::sql(self.path, e))
    }

    /// Runs something, with SQLite's errors sorted.
    pub(super) fn sql<T>(&self, run: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, Error> {
        run(&self.transaction).map_err(|e| Error::sql(self.path, e))
    }
}

fn place(project: &Path) -> PathBuf {
    project.join(".gatehouse").join("context.db")
}
