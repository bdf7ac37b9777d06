//! The journal of document edits: undo and redo that cross a restart.

use crate::{Error, Store};
use engine::Digest;
use rusqlite::params;

/// One edit of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry {
    /// Its place in the document's journal, 1-based. Set by [`Store::journal_push`].
    pub seq: u64,
    /// Digest of the text it was made on.
    pub before: Digest,
    /// Digest of the text it made.
    pub after: Digest,
    /// What it was, for the menu: `change the role of critique_reqs`.
    pub label: String,
    /// The text edits and their inverse, as JSON of the caller's own.
    pub edits: String,
    /// It has been undone and can be redone.
    pub undone: bool,
}

impl Store {
    /// Adds an edit; what had been undone before can no longer be redone. Returns its place.
    ///
    /// # Errors
    /// [`Error::Locked`], [`Error::DiskFull`], [`Error::ReadOnly`], [`Error::Sql`].
    pub fn journal_push(
        &self,
        path: &str,
        before: &Digest,
        after: &Digest,
        label: &str,
        edits: &str,
    ) -> Result<u64, Error> {
        self.write(|t| {
            t.prepare_cached("DELETE FROM journal WHERE path = ?1 AND undone")?.execute([path])?;
            let seq: i64 = t
                .prepare_cached("SELECT coalesce(max(seq), 0) + 1 FROM journal WHERE path = ?1")?
                .query_row([path], |row| row.get(0))?;
            t.prepare_cached(
                "INSERT INTO journal (path, seq, before, after, label, edits, undone) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)",
            )?
            .execute(params![path, seq, before.as_str(), after.as_str(), label, edits])?;
            Ok(seq.unsigned_abs())
        })
    }

    /// A document's edits, oldest first; the undone ones are the last.
    ///
    /// # Errors
    /// [`Error::Sql`].
    pub fn journal(&self, path: &str) -> Result<Vec<JournalEntry>, Error> {
        self.sql(|c| {
            c.prepare_cached(
                "SELECT seq, before, after, label, edits, undone FROM journal WHERE path = ?1 ORDER BY seq",
            )?
            .query_map([path], |row| {
                Ok(JournalEntry {
                    seq: row.get::<_, i64>(0)?.unsigned_abs(),
                    before: Digest::from(row.get::<_, String>(1)?),
                    after: Digest::from(row.get::<_, String>(2)?),
                    label: row.get(3)?,
                    edits: row.get(4)?,
                    undone: row.get(5)?,
                })
            })?
            .collect()
        })
    }

    /// Marks an edit as undone or as done again.
    ///
    /// # Errors
    /// [`Error::Locked`], [`Error::DiskFull`], [`Error::ReadOnly`], [`Error::Sql`].
    pub fn journal_mark(&self, path: &str, seq: u64, undone: bool) -> Result<(), Error> {
        self.write(|t| {
            t.prepare_cached("UPDATE journal SET undone = ?3 WHERE path = ?1 AND seq = ?2")?
                .execute(params![path, seq as i64, undone])?;
            Ok(())
        })
    }

    /// A document's edits go along to another path, behind those of one that stood there before.
    ///
    /// # Errors
    /// [`Error::Locked`], [`Error::DiskFull`], [`Error::ReadOnly`], [`Error::Sql`].
    pub fn journal_move(&self, from: &str, to: &str) -> Result<(), Error> {
        self.write(|t| {
            t.prepare_cached("DELETE FROM journal WHERE path = ?1 AND undone")?
                .execute([to])?;
            let behind: i64 = t
                .prepare_cached("SELECT coalesce(max(seq), 0) FROM journal WHERE path = ?1")?
                .query_row([to], |row| row.get(0))?;
            t.prepare_cached("UPDATE journal SET path = ?2, seq = seq + ?3 WHERE path = ?1")?
                .execute(params![from, to, behind])?;
            Ok(())
        })
    }
}
