//! One driver a run: a lease with a heartbeat. Everyone else reads and answers.

use crate::{Error, Store};
use engine::{At, RunId};
use rusqlite::{Connection, OptionalExtension, params};

/// The right to drive a run until it expires. Renew it well before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Which run.
    pub run: RunId,
    /// Who: a person's words, such as `desktop, process 4711 on anna-laptop`.
    pub owner: String,
    /// Grows with every taking: a driver that was taken over holds an old one.
    pub token: i64,
    /// Until when.
    pub expires_at: At,
}

/// A lease, to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseRow {
    /// Who has it.
    pub owner: String,
    /// Since when.
    pub acquired_at: At,
    /// Until when, unless renewed; compare with the clock to see whether it still holds.
    pub expires_at: At,
}

impl Store {
    /// Takes the lease of a run: when nobody has it, or whoever had it let it expire.
    ///
    /// # Errors
    /// [`Error::Leased`] while somebody (this process included) holds it; [`Error::Locked`], [`Error::Sql`] ….
    pub fn take_lease(&self, run: &RunId, owner: &str, now: At, ttl_ms: u64) -> Result<Lease, Error> {
        let expires_at = later(now, ttl_ms);
        self.write(|t| {
            let held: Option<(String, i64, i64)> = t
                .prepare_cached("SELECT owner, token, expires_at FROM leases WHERE run_id = ?1")?
                .query_row([run.as_str()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                .optional()?;
            let token = match held {
                Some((owner, _, expires_at)) if expires_at > now.0 => {
                    return Err(Error::Leased {
                        run: run.clone(),
                        owner,
                        expires_at,
                    }
                    .into());
                }
                Some((_, token, _)) => token.wrapping_add(1),
                None => 1,
            };
            t.prepare_cached(
                "INSERT INTO leases (run_id, owner, token, acquired_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (run_id) DO UPDATE SET owner = ?2, token = ?3, acquired_at = ?4, expires_at = ?5",
            )?
            .execute(params![run.as_str(), owner, token, now.0, expires_at.0])?;
            Ok(Lease {
                run: run.clone(),
                owner: owner.to_owned(),
                token,
                expires_at,
            })
        })
    }

    /// Extends a lease that is still ours, even one that has expired when nobody took it meanwhile.
    ///
    /// # Errors
    /// [`Error::LeaseLost`] when somebody took it over: stop driving at once. [`Error::Locked`], [`Error::Sql`] ….
    pub fn renew_lease(&self, lease: &Lease, now: At, ttl_ms: u64) -> Result<Lease, Error> {
        let expires_at = later(now, ttl_ms);
        self.write(|t| {
            let renewed = t
                .prepare_cached("UPDATE leases SET expires_at = ?3 WHERE run_id = ?1 AND token = ?2")?
                .execute(params![lease.run.as_str(), lease.token, expires_at.0])?;
            if renewed == 0 {
                return Err(Error::LeaseLost { run: lease.run.clone() }.into());
            }
            Ok(Lease {
                expires_at,
                ..lease.clone()
            })
        })
    }

    /// Gives a lease back. One that was taken over is left to its new owner.
    ///
    /// # Errors
    /// [`Error::Locked`], [`Error::Sql`] ….
    pub fn release_lease(&self, lease: &Lease) -> Result<(), Error> {
        self.write(|t| {
            // The row stays, expired: its token keeps growing, so that an old driver never matches a new lease.
            t.prepare_cached("UPDATE leases SET expires_at = 0 WHERE run_id = ?1 AND token = ?2")?
                .execute(params![lease.run.as_str(), lease.token])?;
            Ok(())
        })
    }

    /// Who drives a run, if anybody has since it was last released.
    ///
    /// # Errors
    /// [`Error::Sql`].
    pub fn lease(&self, run: &RunId) -> Result<Option<LeaseRow>, Error> {
        self.sql(|c| {
            c.prepare_cached("SELECT owner, acquired_at, expires_at FROM leases WHERE run_id = ?1 AND expires_at > 0")?
                .query_row([run.as_str()], |row| {
                    Ok(LeaseRow {
                        owner: row.get(0)?,
                        acquired_at: At(row.get(1)?),
                        expires_at: At(row.get(2)?),
                    })
                })
                .optional()
        })
    }
}

/// Whether nobody has taken a lease since, though it may have expired.
///
/// # Errors
/// What SQLite reports.
pub(crate) fn is_held(of: &Connection, lease: &Lease) -> rusqlite::Result<bool> {
    of.prepare_cached("SELECT 1 FROM leases WHERE run_id = ?1 AND token = ?2")?
        .exists(params![lease.run.as_str(), lease.token])
}

fn later(now: At, ttl_ms: u64) -> At {
    At(now.0.saturating_add(i64::try_from(ttl_ms).unwrap_or(i64::MAX)))
}
