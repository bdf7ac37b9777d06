//! Project settings that belong to no window: a small table of keys and values.

use crate::{Error, Store};
use rusqlite::{Connection, OptionalExtension};

impl Store {
    /// The value of a setting, if it was ever set.
    ///
    /// # Errors
    /// [`Error::Sql`].
    pub fn setting(&self, key: &str) -> Result<Option<String>, Error> {
        self.sql(|c| get(c, key))
    }

    /// Sets a setting.
    ///
    /// # Errors
    /// [`Error::Locked`], [`Error::DiskFull`], [`Error::ReadOnly`], [`Error::Sql`].
    pub fn set_setting(&self, key: &str, value: &str) -> Result<(), Error> {
        self.write(|t| Ok(set(t, key, value)?))
    }

    /// Takes a setting away.
    ///
    /// # Errors
    /// Those of [`Store::set_setting`].
    pub fn clear_setting(&self, key: &str) -> Result<(), Error> {
        self.write(|t| Ok(t.execute("DELETE FROM settings WHERE key = ?1", [key]).map(drop)?))
    }
}

/// The value of a setting, as part of a transaction.
pub(crate) fn get(c: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    c.prepare_cached("SELECT value FROM settings WHERE key = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()
}

/// Sets a setting, as part of a transaction.
pub(crate) fn set(c: &Connection, key: &str, value: &str) -> rusqlite::Result<()> {
    c.prepare_cached("INSERT INTO settings (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2")?
        .execute((key, value))?;
    Ok(())
}
