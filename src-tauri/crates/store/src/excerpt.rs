//! A part of a history that is handed over: some runs in a file of their own, which can be looked at and checked anywhere, and in which nothing new
//! is recorded. The project's register is in it whole: of the runs that are left out it holds ids and links, and nothing of what they did.

use crate::chain::Body;
use crate::excerpt_mark::{self, Excerpt};
use crate::open::migrate;
use crate::{Error, Store, blobs, private, register};
use engine::{Digest, RunId};
use rusqlite::types::ToSqlOutput;
use rusqlite::{Connection, params_from_iter};
use std::collections::BTreeSet;
use std::path::Path;

impl Store {
    /// Copies some runs, byte for byte as they stand here, with all content that they refer to, into a new file.
    ///
    /// # Errors
    /// [`Error::Exists`]; [`Error::ReadOnly`] of a history of an earlier version that can only be looked at, which has no register;
    /// [`Error::Unentered`]; [`Error::DiskFull`], [`Error::Io`], [`Error::Sql`].
    pub fn take_excerpt(&self, excerpt: &Excerpt, to: &Path) -> Result<(), Error> {
        private::write_new(to, b"").map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => Error::Exists { path: to.to_owned() },
            _ => Error::io(to, error),
        })?;
        let sorted = |error| Error::sql(to, error);
        let mut copy = Connection::open(to).map_err(sorted)?;
        migrate(&mut copy, to)?;
        let unread = |error| Error::sql(&self.path, error);
        self.apart(|from| {
            // All as of one moment.
            let from = from.unchecked_transaction().map_err(unread)?;
            if !register::is_kept(&from).map_err(unread)? {
                return Err(Error::ReadOnly {
                    path: self.path.clone(),
                });
            }
            for run in &excerpt.runs {
                let known = from
                    .prepare_cached("SELECT 1 FROM register WHERE run_id = ?1")
                    .and_then(|mut known| known.exists([run.as_str()]));
                if !known.map_err(unread)? {
                    return Err(Error::Unentered { run: run.to_string() });
                }
            }
            let into = copy.transaction().map_err(sorted)?;
            fill(&from, &into, excerpt).and_then(|()| into.commit()).map_err(sorted)
        })?;
        copy.close().map_err(|(_, error)| sorted(error))
    }

    /// Whether this history says that it is a part of another one, also where the rest of what it says cannot be read.
    ///
    /// # Errors
    /// [`Error::Sql`].
    pub fn is_excerpt(&self) -> Result<bool, Error> {
        self.sql(excerpt_mark::is_marked)
    }

    /// What this history is a part of another one for; absent: it is whole, or what it says of that cannot be read.
    ///
    /// # Errors
    /// [`Error::Sql`].
    pub fn excerpt(&self) -> Result<Option<Excerpt>, Error> {
        self.sql(excerpt_mark::of)
    }

    /// The runs of the project that were left out of this part of its history: those that its register alone knows. None of a whole one.
    ///
    /// # Errors
    /// [`Error::Sql`].
    pub fn left_out(&self) -> Result<BTreeSet<RunId>, Error> {
        self.sql(excerpt_mark::left_out)
    }

    /// What stands in this part of a history beside what is handed over, in words each: nobody reads it, and somebody put it there. None of a
    /// whole one.
    ///
    /// # Errors
    /// [`Error::Sql`].
    pub fn not_handed_over(&self) -> Result<Vec<String>, Error> {
        self.sql(|c| match excerpt_mark::of(c)? {
            Some(excerpt) => not_filled(c, &excerpt),
            None => Ok(Vec::new()),
        })
    }
}

fn fill(from: &Connection, into: &Connection, excerpt: &Excerpt) -> rusqlite::Result<()> {
    // First, for no run is listed that it does not know.
    copy(from, into, "register", "?1", "1")?;
    let mut referred: BTreeSet<Digest> = BTreeSet::new();
    for run in &excerpt.runs {
        for table in ["events", "runs", "gates"] {
            copy(from, into, table, "run_id = ?1", run.as_str())?;
        }
        refer(from, "WHERE run_id = ?1", [run.as_str()], &mut referred)?;
    }
    for digest in referred {
        copy(from, into, "blobs", "digest = ?1", digest.as_str())?;
    }
    excerpt_mark::mark(into, excerpt)
}

/// What events refer to. What cannot be read refers to nothing; whoever verifies the copy is told of it as here.
fn refer(c: &Connection, which: &str, of: impl rusqlite::Params, to: &mut BTreeSet<Digest>) -> rusqlite::Result<()> {
    let mut bodies = c.prepare(&format!("SELECT body FROM events {which}"))?;
    let mut bodies = bodies.query(of)?;
    while let Some(row) = bodies.next()? {
        let body = row.get_ref(0)?.as_blob().ok();
        let body = body.and_then(|body| serde_json::from_slice::<Body>(body).ok());
        let named = body.iter().flat_map(|body| blobs::referred(&body.event));
        to.extend(named.map(|(_, digest)| digest.clone()));
    }
    Ok(())
}

/// What [`fill`] puts into no part of a history.
fn not_filled(c: &Connection, excerpt: &Excerpt) -> rusqlite::Result<Vec<String>> {
    let mut found = Vec::new();
    let mut tell = |rows: i64, what: &str| {
        if rows > 0 {
            let rows = if rows == 1 {
                "1 row".to_owned()
            } else {
                format!("{rows} rows")
            };
            found.push(format!("{rows} of the history’s table {what}"));
        }
    };
    for table in ["journal", "leases"] {
        let rows = c.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?;
        tell(rows, table);
    }
    tell(rows_but(c, "settings", "key", excerpt_mark::is_its_key)?, "settings");
    for table in ["events", "runs", "gates"] {
        let others = rows_but(c, table, "run_id", |run| excerpt.runs.contains(&RunId::from(run)))?;
        tell(others, &format!("{table}, of runs that were not handed over"));
    }
    let mut referred = BTreeSet::new();
    refer(c, "", [], &mut referred)?;
    let unnamed = rows_but(c, "blobs", "digest", |digest| referred.contains(&Digest::from(digest)))?;
    tell(unnamed, "blobs, which no event names");
    Ok(found)
}

/// How many rows a table has but for those that are known by the text in one of their columns.
fn rows_but(c: &Connection, table: &str, column: &str, is_known: impl Fn(&str) -> bool) -> rusqlite::Result<i64> {
    let mut query = c.prepare(&format!("SELECT {column}, count(*) FROM {table} GROUP BY {column}"))?;
    let mut rows = query.query([])?;
    let mut found = 0_i64;
    while let Some(row) = rows.next()? {
        if !is_known(&row.get::<_, String>(0)?) {
            found = found.saturating_add(row.get(1)?);
        }
    }
    Ok(found)
}

/// Copies rows as they are, whatever stands in them.
fn copy(from: &Connection, into: &Connection, table: &str, which: &str, key: &str) -> rusqlite::Result<()> {
    let mut query = from.prepare_cached(&format!("SELECT * FROM main.{table} WHERE {which}"))?;
    let columns = query.column_count();
    let names = query.column_names().join(", ");
    let places: Vec<String> = (1..=columns).map(|n| format!("?{n}")).collect();
    let mut put = into.prepare_cached(&format!("INSERT INTO {table} ({names}) VALUES ({})", places.join(", ")))?;
    let mut rows = query.query([key])?;
    while let Some(row) = rows.next()? {
        let values: Vec<_> = (0..columns)
            .map(|n| row.get_ref(n).map(ToSqlOutput::Borrowed))
            .collect::<rusqlite::Result<_>>()?;
        put.execute(params_from_iter(values))?;
    }
    Ok(())
}
