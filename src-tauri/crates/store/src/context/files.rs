//! Files and their shards.

use super::open::Session;
use super::words;
use crate::Error;
use crate::blobs::digest_of;
use engine::Digest;
use rusqlite::Row;
use std::collections::BTreeMap;

/// A file as it is indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// From the project's folder, with `/`.
    pub path: String,
    /// Of its bytes.
    pub digest: Digest,
    /// How it looked from outside (size, times), in words of the caller's own: while that is the same it need not be read.
    pub stamp: String,
}

/// A piece of a file that means something by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shard {
    /// The file, from the project's folder, with `/`.
    pub path: String,
    /// `python`, `markdown` …
    pub language: String,
    /// `function`, `class`, `section`, `key` …
    pub kind: String,
    /// What it is called: `Parser.read`, `Install > Linux`.
    pub name: String,
    /// 1-based, where it begins.
    pub first_line: u32,
    /// 1-based, its last line.
    pub last_line: u32,
    /// Its signature or heading.
    pub nano: String,
    /// That and its documentation or first lines.
    pub micro: String,
    /// All of it.
    pub full: String,
    /// Of its whole text.
    pub digest: Digest,
}

impl Shard {
    /// The columns that [`Shard::of`] reads.
    pub(super) const COLUMNS: &'static str =
        "shards.path, language, kind, shards.name, first, last, nano, micro, shards.full, digest";

    pub(super) fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            path: row.get(0)?,
            language: row.get(1)?,
            kind: row.get(2)?,
            name: row.get(3)?,
            first_line: row.get(4)?,
            last_line: row.get(5)?,
            nano: row.get(6)?,
            micro: row.get(7)?,
            full: row.get(8)?,
            digest: Digest::from(row.get::<_, String>(9)?),
        })
    }
}

impl Session<'_> {
    /// Every file that is indexed, by its path.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Sql`].
    pub fn files(&self) -> Result<BTreeMap<String, File>, Error> {
        self.sql(|t| {
            let mut statement = t.prepare_cached("SELECT path, digest, stamp FROM files")?;
            let files = statement.query_map([], |row| {
                let path: String = row.get(0)?;
                let file = File {
                    path: path.clone(),
                    digest: Digest::from(row.get::<_, String>(1)?),
                    stamp: row.get(2)?,
                };
                Ok((path, file))
            })?;
            files.collect()
        })
    }

    /// Puts a file in place of what was known of it. Shards of a file whose digest is known already are left as they are.
    ///
    /// # Errors
    /// [`Error::DiskFull`], [`Error::Corrupt`], [`Error::Sql`].
    pub fn replace(&self, file: &File, shards: impl FnOnce() -> Vec<Shard>) -> Result<(), Error> {
        self.sql(|t| {
            let same = t
                .prepare_cached("SELECT 1 FROM files WHERE path = ?1 AND digest = ?2")?
                .exists((&file.path, file.digest.as_str()))?;
            t.prepare_cached("INSERT OR REPLACE INTO files (path, digest, stamp) VALUES (?1, ?2, ?3)")?
                .execute((&file.path, file.digest.as_str(), &file.stamp))?;
            if same {
                return Ok(());
            }
            t.prepare_cached("DELETE FROM shards WHERE path = ?1")?
                .execute([&file.path])?;
            let mut insert = t.prepare_cached(
                "INSERT INTO shards (path, ordinal, language, kind, name, first, last, nano, micro, full, digest, terms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?;
            for (ordinal, shard) in (0_i64..).zip(&shards()) {
                let terms = words::terms(&[&shard.name, &file.path, &shard.full]);
                insert.execute(rusqlite::params![
                    file.path,
                    ordinal,
                    shard.language,
                    shard.kind,
                    shard.name,
                    shard.first_line,
                    shard.last_line,
                    shard.nano,
                    shard.micro,
                    shard.full,
                    shard.digest.as_str(),
                    terms,
                ])?;
            }
            Ok(())
        })
    }

    /// Forgets a file that is gone.
    ///
    /// # Errors
    /// [`Error::DiskFull`], [`Error::Corrupt`], [`Error::Sql`].
    pub fn remove(&self, path: &str) -> Result<(), Error> {
        self.sql(|t| {
            t.prepare_cached("DELETE FROM shards WHERE path = ?1")?
                .execute([path])?;
            t.prepare_cached("DELETE FROM files WHERE path = ?1")?.execute([path])?;
            Ok(())
        })
    }

    /// The shards of one file, in its order.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Sql`].
    pub fn shards_of(&self, path: &str) -> Result<Vec<Shard>, Error> {
        let sql = format!("SELECT {} FROM shards WHERE path = ?1 ORDER BY ordinal", Shard::COLUMNS);
        self.sql(|t| t.prepare_cached(&sql)?.query_map([path], Shard::of)?.collect())
    }

    /// What is indexed, as one digest: the same files with the same contents give the same.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Sql`].
    pub fn state(&self) -> Result<Digest, Error> {
        let files = self.files()?;
        let lines = files
            .values()
            .map(|file| format!("{} {}\n", file.digest.as_str(), file.path));
        Ok(digest_of(lines.collect::<String>().as_bytes()))
    }
}
