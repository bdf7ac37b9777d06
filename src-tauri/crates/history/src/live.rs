//! A run at the end of its log: read what is new, decide, append in one commit, and decide again where somebody else
//! was faster.

use crate::crash::Hook;
use engine::{At, Decided, Event, Instance, RunId, RunState, apply};
use store::{Lease, Store, Stored};

/// How often a commit is decided again because somebody else was faster.
const TRIES: usize = 50;
/// How often a commit waits again for another program that keeps the history locked.
const LOCKED: usize = 3;

/// Why nothing was added to a log.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The history could not be read or written.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// Others were faster every time.
    #[error("other programs keep writing to run {0}; try again")]
    Contended(RunId),
}

/// A run's state at the end of its log, as far as it was read.
#[derive(Debug, Clone)]
pub struct Live {
    run: RunId,
    state: RunState,
    /// The first event that leads past somebody who was asked and had not answered, and the visit at which they were.
    passed: Option<(u64, Instance)>,
    /// Of whoever drives it.
    lease: Option<Lease>,
}

/// What is to be appended, and the state after it.
pub struct Batch {
    events: Vec<(At, Event)>,
    state: RunState,
}

impl Batch {
    /// Nothing yet, on this state.
    pub fn on(state: &RunState) -> Self {
        Self {
            events: Vec::new(),
            state: state.clone(),
        }
    }

    /// What was decided at this time on [`Batch::state`].
    pub fn add(&mut self, at: At, decided: Decided) {
        self.events.extend(decided.events.into_iter().map(|event| (at, event)));
        self.state = decided.state;
    }

    /// What another run recorded, with its times, behind this run's first event (see [`engine::Continued`]).
    pub fn carry(&mut self, events: impl IntoIterator<Item = (At, Event)>) {
        for (at, event) in events {
            apply(&mut self.state, at, &event);
            self.events.push((at, event));
        }
    }

    /// The state after it.
    pub fn state(&self) -> &RunState {
        &self.state
    }

    /// What is appended, in order.
    pub fn events(&self) -> &[(At, Event)] {
        &self.events
    }
}

impl Live {
    /// A run of which nothing has been read; it need not have begun.
    pub fn new(run: RunId) -> Self {
        Self {
            run,
            state: RunState::default(),
            passed: None,
            lease: None,
        }
    }

    /// A run as it is now.
    ///
    /// # Errors
    /// [`store::Error::UnknownRun`]; what the store reports.
    pub fn open(store: &Store, run: &RunId) -> Result<Self, store::Error> {
        let mut live = Self::new(run.clone());
        match live.catch_up(store)? {
            true => Ok(live),
            false => Err(store::Error::UnknownRun { run: run.to_string() }),
        }
    }

    /// From now on appends for whoever holds this lease, and for nobody once another one has taken it.
    pub fn drive(&mut self, lease: Lease) {
        self.lease = Some(lease);
    }

    /// Which run.
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// Its state.
    pub fn state(&self) -> &RunState {
        &self.state
    }

    /// Where its log leads past somebody who was asked and had not answered, in words: no Gatehouse wrote that.
    pub fn passed(&self) -> Option<String> {
        let (seq, asked) = self.passed.as_ref()?;
        Some(format!(
            "event {seq} of its log leads past a gate: at step `{}` somebody was asked, and nobody had answered",
            asked.step
        ))
    }

    /// Its state, alone.
    pub fn into_state(self) -> RunState {
        self.state
    }

    /// Applies what was appended since; whether there was anything.
    ///
    /// # Errors
    /// What the store reports.
    pub fn catch_up(&mut self, store: &Store) -> Result<bool, store::Error> {
        self.follow(store, |_, _| {})
    }

    /// The same; `seen` gets each event with the state after it.
    pub(crate) fn follow(
        &mut self,
        store: &Store,
        mut seen: impl FnMut(Stored, &RunState),
    ) -> Result<bool, store::Error> {
        let before = self.state.seq;
        let (state, passed) = (&mut self.state, &mut self.passed);
        store.each_event_since(&self.run, before, |stored| {
            if passed.is_none() {
                let first = engine::passed(state, &stored.event).into_iter().next();
                *passed = first.map(|round| (stored.seq, round.opened.instance.clone()));
            }
            apply(state, stored.at, &stored.event);
            seen(stored, state);
        })?;
        Ok(self.state.seq > before)
    }

    /// Appends what `decide` makes of the run's state, with the contents it names, and brings the state to what the log
    /// says then. Nothing is appended where nothing is decided, and where `decide` refuses. When somebody appends
    /// meanwhile it is decided again: of two answers to one gate the first wins, and the second is refused with who was
    /// first.
    ///
    /// # Errors
    /// What `decide` refuses; [`Error`].
    pub fn commit<E: From<Error>>(
        &mut self,
        store: &Store,
        blobs: &[Vec<u8>],
        mut decide: impl FnMut(&RunState) -> Result<Batch, E>,
    ) -> Result<Vec<Stored>, E> {
        let hook = Hook::from_environment();
        let mut locked = 0;
        for _ in 0..TRIES {
            let batch = decide(&self.state)?;
            if batch.events.is_empty() {
                return Ok(Vec::new());
            }
            let (before, last) = (self.state.seq, batch.state.seq);
            hook.before(before + 1, last);
            match store.append_with(
                &self.run,
                before,
                &batch.events,
                &batch.state,
                blobs,
                self.lease.as_ref(),
            ) {
                Ok(stored) => {
                    hook.after(before + 1, last);
                    self.state = batch.state;
                    return Ok(stored);
                }
                Err(store::Error::Conflict { .. }) => {}
                // Each try has waited some seconds already.
                Err(store::Error::Locked { .. }) if locked < LOCKED => locked += 1,
                Err(other) => return Err(Error::from(other).into()),
            }
            self.catch_up(store).map_err(Error::from)?;
        }
        Err(Error::Contended(self.run.clone()).into())
    }
}
