//! The lease: one driver a run.

use super::Options;
use crate::{Error, clock};
use engine::{At, Effect, Instance, RunId, RunState, effects};
use model::Workflow;
use std::collections::BTreeSet;
use store::{Lease, LeaseRow, Store};

/// A lease that is given back when driving ends in order. When it is dropped without, it stays until it expires, and the
/// next driver knows that this one died.
pub(super) struct Hold {
    lease: Lease,
    ttl_ms: u64,
    /// Until when the last driver may have been at work; absent when it let go in order, or there was none.
    died_by: Option<At>,
}

impl Hold {
    pub fn take(store: &Store, run: &RunId, options: &Options) -> Result<Self, Error> {
        let earlier = store.lease(run)?;
        let now = clock::now();
        // What holds nothing need not be waited for: it is taken as of its expiry. Should its process come to life after
        // all, it finds its token outdated.
        let as_of = match &earlier {
            Some(row) if row.expires_at > now && !holds(row, now) => row.expires_at,
            _ => now,
        };
        let lease = store
            .take_lease(run, &owner(&options.client), as_of, options.lease_ms)
            .map_err(|e| driven(e, run))?;
        let lease = if as_of > now {
            store.renew_lease(&lease, now, options.lease_ms)?
        } else {
            lease
        };
        Ok(Self {
            lease,
            ttl_ms: options.lease_ms,
            died_by: earlier.map(|row| row.expires_at),
        })
    }

    /// Attempts in flight that a dead driver may have begun. Those that were decided on after it can have been alive (by
    /// an answer that came while nobody drove the run) have not been begun by anybody.
    pub fn suspects(&self, workflow: &Workflow, state: &RunState) -> BTreeSet<(Instance, u32)> {
        let Some(died_by) = self.died_by else {
            return BTreeSet::new();
        };
        effects(workflow, state)
            .into_iter()
            .filter_map(|effect| match effect {
                Effect::Execute { instance, attempt } => Some((instance, attempt)),
                Effect::Navigate { instance } => Some((instance, super::navigator::NAVIGATOR)),
                _ => None,
            })
            .filter(|(instance, attempt)| {
                if *attempt == super::navigator::NAVIGATOR {
                    return true;
                }
                let last = state.visit(instance).and_then(|v| v.attempts.last());
                last.is_none_or(|attempt| attempt.started_at <= died_by)
            })
            .collect()
    }

    /// When the last driver was last known to be at work; absent when it let go in order, or there was none. It reports in five times in the time
    /// of a lease, so that it may have worked on for a moment.
    pub fn last_seen(&self) -> Option<At> {
        self.died_by.map(|by| At(by.0.saturating_sub_unsigned(self.ttl_ms)))
    }

    /// Says that this driver is alive.
    pub fn renew(&mut self, store: &Store) -> Result<(), Error> {
        match store.renew_lease(&self.lease, clock::now(), self.ttl_ms) {
            Ok(lease) => self.lease = lease,
            Err(store::Error::LeaseLost { run }) => return Err(ousted(store, run)),
            // Another program writes for long; there are more tries before the lease ends, and no commit is written
            // without it.
            Err(store::Error::Locked { .. }) => {
                tracing::warn!(run = %self.lease.run, "the lease could not be renewed yet")
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// The lease, under which this driver appends.
    pub fn lease(&self) -> Lease {
        self.lease.clone()
    }

    /// Gives the lease back. On a full disk it runs out by itself: nothing of the run is lost with that, and what was recorded stays said.
    pub fn release(&self, store: &Store) -> Result<(), Error> {
        match store.release_lease(&self.lease) {
            Err(error @ store::Error::DiskFull { .. }) => {
                tracing::warn!(run = %self.lease.run, %error, "the lease runs out by itself");
                Ok(())
            }
            released => Ok(released?),
        }
    }
}

/// Somebody else has taken the lease of a run.
pub(super) fn ousted(store: &Store, run: RunId) -> Error {
    let row = store.lease(&run).ok().flatten();
    let owner = row.map_or_else(|| "another process".to_owned(), |row| row.owner);
    Error::Ousted { run, owner }
}

/// The lease of a driver that is alive, as far as can be known.
pub(super) fn held(store: &Store, run: &RunId) -> Result<Option<LeaseRow>, Error> {
    let now = clock::now();
    Ok(store.lease(run)?.filter(|row| holds(row, now)))
}

/// No driver takes a lease for longer, whatever its clock says: what claims to is written by somebody else, or by a clock that was set back since.
const LONGEST: i64 = 600_000;

/// Whether a lease is that of a driver that may be alive.
fn holds(row: &LeaseRow, now: At) -> bool {
    let left = row.expires_at.0.saturating_sub(now.0);
    (1..=LONGEST).contains(&left) && !is_gone(&row.owner)
}

fn driven(error: store::Error, run: &RunId) -> Error {
    match error {
        store::Error::Leased { owner, .. } => Error::Driven {
            run: run.clone(),
            owner,
        },
        other => other.into(),
    }
}

/// `cli 4711@anna-laptop`.
fn owner(client: &str) -> String {
    format!("{client} {}@{}", std::process::id(), host())
}

/// The name of this machine.
pub fn host() -> String {
    nix::unistd::gethostname()
        .ok()
        .and_then(|name| name.into_string().ok())
        .unwrap_or_else(|| "localhost".to_owned())
}

/// Whether the process of an owner (see [`owner`]) ran on this machine and is no more.
fn is_gone(owner: &str) -> bool {
    let Some((pid, at)) = owner.rsplit(' ').next().and_then(|last| last.split_once('@')) else {
        return false;
    };
    let Ok(pid) = pid.parse::<i32>() else { return false };
    // Numbers up to zero name groups, not processes.
    at == host()
        && (pid < 1 || nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), None) == Err(nix::errno::Errno::ESRCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_process_of_this_machine_is_known_to_be_gone() {
        assert!(!is_gone(&owner("test")));
        let mut child = std::process::Command::new("true").spawn().expect("a process");
        let pid = child.id();
        child.wait().expect("it ends");
        assert!(is_gone(&format!("cli {pid}@{}", host())));
        assert!(!is_gone(&format!("cli {pid}@elsewhere.invalid")));
        assert!(!is_gone("somebody"));
        assert!(is_gone(&format!("cli 0@{}", host())) && is_gone(&format!("cli -1@{}", host())));
    }

    #[test]
    fn a_lease_that_no_driver_would_take_holds_nothing() {
        let row = |expires_at: i64| LeaseRow {
            owner: "cli 1@elsewhere.invalid".to_owned(),
            acquired_at: At(0),
            expires_at: At(expires_at),
        };
        let now = At(1_000_000);
        for (expires_at, held) in [
            (now.0 + 10_000, true),
            (now.0 + LONGEST, true),
            (now.0 + LONGEST + 1, false),
            (i64::MAX, false),
            (now.0, false),
            (i64::MIN, false),
        ] {
            assert_eq!(holds(&row(expires_at), now), held, "{expires_at}");
        }
    }
}
