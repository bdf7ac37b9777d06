//! Which runs inside a run wait for people and for nothing else: whoever drives the run around them lets other stages begin meanwhile.

use crate::Error;
use engine::{Instance, RunId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The visits of one run in which a run inside waits, each with what keeps that from being carried on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Waiting(Arc<Mutex<BTreeMap<Instance, Option<Doubt>>>>);

/// The run whose log is not followed, and why ([`Error::Unvouched`]).
type Doubt = (RunId, String);

impl Waiting {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.visits().len()
    }

    /// Which they are.
    pub fn now(&self) -> BTreeSet<Instance> {
        self.visits().keys().cloned().collect()
    }

    /// Why one of them is not carried on until somebody has looked at it.
    pub fn unvouched(&self) -> Option<Error> {
        let (run, why) = self.visits().values().flatten().next()?.clone();
        Some(Error::Unvouched { run, why })
    }

    /// By what a run inside this visit says whether it waits.
    pub fn of(&self, visit: &Instance) -> Waits {
        Waits {
            all: self.clone(),
            visit: visit.clone(),
        }
    }

    fn visits(&self) -> MutexGuard<'_, BTreeMap<Instance, Option<Doubt>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A run inside one visit; once this is dropped it does not wait any more.
#[derive(Debug)]
pub(crate) struct Waits {
    all: Waiting,
    visit: Instance,
}

impl Waits {
    pub fn say(&self, waits: bool) {
        let mut visits = self.all.visits();
        if waits {
            visits.insert(self.visit.clone(), None);
        } else {
            visits.remove(&self.visit);
        }
    }

    /// It waits until somebody has looked at what another program wrote into the log of `run`.
    pub fn say_unvouched(&self, run: RunId, why: String) {
        self.all.visits().insert(self.visit.clone(), Some((run, why)));
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        self.say(false);
    }
}
