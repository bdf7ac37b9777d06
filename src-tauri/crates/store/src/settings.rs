//! Project settings that belong to no window: a small table of keys and values.

use crate::{Error, Store};
use rusqlite::OptionalExtension;

impl Store {
    /// The value of a setting, if it was ever set.
    ///
    /// # Errors
    /// [`Error::Sql`].
    pub fn setting(&self, key: &str) -> Result<Option<String>, Error> {
        self.sql(|c| {
            c.prepare_cached("SELECT value FROM settings WHERE key = ?1")?
                .query_row([key], |row| row.get(0))
                .optional()
        })
    }

    /// Sets a setting.
    ///
    /// # Errors
    /// [`Error::Locked`], [`Error::DiskFull`], [`Error::ReadOnly`], [`Error::Sql`].
    pub fn set_setting(&self, key: &str, value: &str) -> Result<(), Error> {
        self.write(|t| {
            t.prepare_cached(
                "INSERT INTO settings (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2",
            )?
            .execute((key, value))?;
            Ok(())
        })
    }
}
