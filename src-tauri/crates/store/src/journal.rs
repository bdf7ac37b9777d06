//! The journal of document edits: undo and redo that cross a restart, and what other programs did to a document.

use crate::{Error, Store, settings};
use engine::Digest;
use rusqlite::{Transaction, params};

/// So many entries of one label that were found are kept of a document; the oldest go first.
const MOST_FOUND: u32 = 100;

/// So many entries that were undone and can no longer be redone are kept of a document; the oldest go first.
const MOST_GIVEN_UP: u32 = 100;

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
    /// Adds an edit; what had been undone before can no longer be redone ([`Store::journal_given_up`]). Returns its place.
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
            give_up(t, path)?;
            Ok(insert(t, path, before, after, label, edits)?)
        })
    }

    /// Adds what another program has made of a document, where the text that it was known to be last is still `before`: of two processes
    /// that find one change the first adds it. What had been undone can still be redone. `into`: the entry that it becomes part of, one with this
    /// `before` as what it made; absent: it is one of its own. Whether it was added; `after` is known from then on.
    ///
    /// # Errors
    /// [`Error::Locked`], [`Error::DiskFull`], [`Error::ReadOnly`], [`Error::Sql`].
    pub fn journal_found(
        &self,
        path: &str,
        before: &Digest,
        after: &Digest,
        label: &str,
        edits: &str,
        into: Option<u64>,
    ) -> Result<bool, Error> {
        self.write(|t| {
            if settings::get(t, &known(path))?.as_deref() != Some(before.as_str()) {
                return Ok(false);
            }
            let grown = t
                .prepare_cached("UPDATE journal SET after = ?3 WHERE path = ?1 AND seq = ?2 AND after = ?4")?
                .execute(params![
                    path,
                    into.map(|seq| seq as i64),
                    after.as_str(),
                    before.as_str()
                ])?;
            if grown == 0 {
                insert(t, path, before, after, label, edits)?;
                t.prepare_cached(
                    "DELETE FROM journal WHERE path = ?1 AND label = ?2 AND seq NOT IN
                     (SELECT seq FROM journal WHERE path = ?1 AND label = ?2 ORDER BY seq DESC LIMIT ?3)",
                )?
                .execute(params![path, label, MOST_FOUND])?;
            }
            settings::set(t, &known(path), after.as_str())?;
            Ok(true)
        })
    }

    /// The text that a document was known to be last; `None`: nobody has looked at it yet.
    ///
    /// # Errors
    /// [`Error::Sql`].
    pub fn journal_known(&self, path: &str) -> Result<Option<Digest>, Error> {
        Ok(self.setting(&known(path))?.map(Digest::from))
    }

    /// Notes the text that a document is known to be: what it is otherwise later, without an edit of the journal, another program made.
    ///
    /// # Errors
    /// [`Error::Locked`], [`Error::DiskFull`], [`Error::ReadOnly`], [`Error::Sql`].
    pub fn journal_know(&self, path: &str, text: &Digest) -> Result<(), Error> {
        self.set_setting(&known(path), text.as_str())
    }

    /// What stands at a path next is another document: nobody has looked at it yet.
    ///
    /// # Errors
    /// [`Error::Locked`], [`Error::DiskFull`], [`Error::ReadOnly`], [`Error::Sql`].
    pub fn journal_forget(&self, path: &str) -> Result<(), Error> {
        self.write(|t| {
            t.prepare_cached("DELETE FROM settings WHERE key = ?1")?
                .execute([known(path)])?;
            Ok(())
        })
    }

    /// A document's edits, oldest first; of those made here the undone ones are the last.
    ///
    /// # Errors
    /// [`Error::Sql`].
    pub fn journal(&self, path: &str) -> Result<Vec<JournalEntry>, Error> {
        self.entries(path)
    }

    /// What was undone of a document and can no longer be redone, because something else was done then; oldest first.
    ///
    /// # Errors
    /// [`Error::Sql`].
    pub fn journal_given_up(&self, path: &str) -> Result<Vec<JournalEntry>, Error> {
        self.entries(&given_up(path))
    }

    fn entries(&self, path: &str) -> Result<Vec<JournalEntry>, Error> {
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
            give_up(t, to)?;
            let (old, new) = (given_up(from), given_up(to));
            for (from, to) in [(from, to), (old.as_str(), new.as_str())] {
                let behind = last(t, to)?;
                t.prepare_cached("UPDATE journal SET path = ?2, seq = seq + ?3 WHERE path = ?1")?
                    .execute(params![from, to, behind])?;
            }
            t.prepare_cached("UPDATE OR REPLACE settings SET key = ?2 WHERE key = ?1")?
                .execute([known(from), known(to)])?;
            Ok(())
        })
    }
}

/// Under which setting stands what a document was known to be last.
fn known(path: &str) -> String {
    format!("known:{path}")
}

/// Where stands what was undone of a document and can no longer be redone: no document has a path that begins like this.
fn given_up(path: &str) -> String {
    format!("/given up/{path}")
}

/// The place of the last entry of a document; 0: there is none.
fn last(t: &Transaction<'_>, path: &str) -> rusqlite::Result<i64> {
    t.prepare_cached("SELECT coalesce(max(seq), 0) FROM journal WHERE path = ?1")?
        .query_row([path], |row| row.get(0))
}

/// Takes what had been undone out of a document's journal.
fn give_up(t: &Transaction<'_>, path: &str) -> rusqlite::Result<()> {
    let to = given_up(path);
    let behind = last(t, &to)?;
    t.prepare_cached("UPDATE journal SET path = ?2, seq = seq + ?3 WHERE path = ?1 AND undone")?
        .execute(params![path, to, behind])?;
    t.prepare_cached(
        "DELETE FROM journal WHERE path = ?1 AND seq NOT IN
         (SELECT seq FROM journal WHERE path = ?1 ORDER BY seq DESC LIMIT ?2)",
    )?
    .execute(params![to, MOST_GIVEN_UP])?;
    Ok(())
}

/// Adds an entry behind all others of a document. Returns its place.
fn insert(
    t: &Transaction<'_>,
    path: &str,
    before: &Digest,
    after: &Digest,
    label: &str,
    edits: &str,
) -> rusqlite::Result<u64> {
    let seq = last(t, path)? + 1;
    t.prepare_cached(
        "INSERT INTO journal (path, seq, before, after, label, edits, undone) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)",
    )?
    .execute(params![path, seq, before.as_str(), after.as_str(), label, edits])?;
    Ok(seq.unsigned_abs())
}
