//! Which runs inside a run wait for people and for nothing else: whoever drives the run around them lets other stages begin meanwhile.

use engine::Instance;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The visits of one run in which a run inside waits.
#[derive(Debug, Clone, Default)]
pub(crate) struct Waiting(Arc<Mutex<BTreeSet<Instance>>>);

impl Waiting {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.visits().len()
    }

    /// Which they are.
    pub fn now(&self) -> BTreeSet<Instance> {
        self.visits().clone()
    }

    /// By what a run inside this visit says whether it waits.
    pub fn of(&self, visit: &Instance) -> Waits {
        Waits {
            all: self.clone(),
            visit: visit.clone(),
        }
    }

    fn visits(&self) -> MutexGuard<'_, BTreeSet<Instance>> {
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
            visits.insert(self.visit.clone());
        } else {
            visits.remove(&self.visit);
        }
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        self.say(false);
    }
}
