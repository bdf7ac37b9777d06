//! A run with all that happened to it.

use crate::marks::Marks;
use crate::{Events, Live, Log};
use engine::{RunId, RunState};
use store::Store;

/// A run's log and its states: that of any event is fewer than 128 events away. A copy shares all of it.
#[derive(Debug, Clone)]
pub struct Run {
    live: Live,
    log: Log,
    marks: Marks<RunState>,
}

impl Run {
    /// A run of which nothing has been read; it need not have begun.
    pub fn new(run: RunId) -> Self {
        Self {
            live: Live::new(run),
            log: Log::default(),
            marks: Marks::default(),
        }
    }

    /// A run as it is now.
    ///
    /// # Errors
    /// [`store::Error::UnknownRun`]; what the store reports.
    pub fn open(store: &Store, run: &RunId) -> Result<Self, store::Error> {
        let mut opened = Self::new(run.clone());
        match opened.catch_up(store)? {
            true => Ok(opened),
            false => Err(store::Error::UnknownRun { run: run.to_string() }),
        }
    }

    /// Reads what was appended since; whether there was anything.
    ///
    /// # Errors
    /// What the store reports.
    pub fn catch_up(&mut self, store: &Store) -> Result<bool, store::Error> {
        let (log, marks) = (&mut self.log, &mut self.marks);
        self.live.follow(store, |stored, state| {
            log.push(stored);
            marks.grown(log.events().len(), state);
        })
    }

    /// Which run.
    pub fn id(&self) -> &RunId {
        self.live.run()
    }

    /// Its events.
    pub fn events(&self) -> Events<'_> {
        self.log.events()
    }

    /// Its events up to and including `at`; all of them when it is absent.
    pub fn until(&self, at: Option<u64>) -> Events<'_> {
        at.map_or(self.events(), |at| self.events().until(at))
    }

    /// The run at the end of its log, for whoever adds to it.
    pub fn live(&self) -> &Live {
        &self.live
    }

    /// The state as of `at`; absent: after every event.
    pub fn at(&self, at: Option<u64>) -> RunState {
        let until = self.until(at);
        match until.len() == self.events().len() {
            true => self.live.state().clone(),
            false => self.marks.at(&RunState::default(), until),
        }
    }
}
