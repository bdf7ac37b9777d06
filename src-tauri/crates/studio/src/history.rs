//! Logs of runs, read once and then only what is new.

use crate::keys::Keys;
use crate::show::decisions::Signed;
use crate::studio::lock;
use crate::{ApiError, Studio, identity};
use dialect::Document;
use engine::{At, Decision, Event, GateOpened, RunCreated, RunId, RunState, apply};
use model::Workflow;
use std::sync::Arc;
use store::Stored;

/// A run's log with the workflow it runs: the version it started with, not the file as it is now.
#[derive(Clone)]
pub(crate) struct History {
    pub run: RunId,
    pub document: Arc<Document>,
    pub events: Vec<Stored>,
    /// The state after every event.
    live: RunState,
    /// The state after every [`MARK`] events, so that that of any moment is a few events away.
    marks: Vec<RunState>,
}

/// Events between two marks.
const MARK: usize = 128;

impl History {
    /// The workflow.
    pub fn workflow(&self) -> &Workflow {
        self.document.workflow()
    }

    /// What the run was created from.
    pub fn created(&self) -> Option<&RunCreated> {
        match &self.events.first()?.event {
            Event::RunCreated(created) => Some(created),
            _ => None,
        }
    }

    /// What a decision answers: the round as it was asked, and the event that asked.
    pub fn asked(&self, decision: &Decision) -> Option<(&Stored, &GateOpened)> {
        self.events.iter().find_map(|e| match &e.event {
            Event::GateOpened(opened) if opened.gate == decision.gate && opened.round == decision.round => {
                Some((e, opened.as_ref()))
            }
            _ => None,
        })
    }

    /// Whether a decision's signature holds: for this run, for what was asked in it, and for all that was recorded before it was made.
    /// `None` when it carries none.
    pub fn valid(&self, decision: &Decision) -> Option<bool> {
        let opened = self.asked(decision).map(|(_, opened)| opened);
        let holds = identity::valid(self.created(), opened, decision)?;
        let grounds = decision.signature.as_ref().and_then(|s| s.grounds.as_ref());
        Some(holds && grounds.is_none_or(|grounds| self.link(grounds.after) == Some(grounds.link.clone())))
    }

    /// What is known of a decision's signature, and of whoever it is by; `None`: it has none.
    pub fn signed(&self, decision: &Decision, keys: &Keys) -> Option<Signed> {
        Some(Signed {
            holds: self.valid(decision)?,
            whose: keys.standing(decision, self.made_at(decision))?,
        })
    }

    /// When a decision was made, by the times and by the order of the log: never before anything that was recorded earlier.
    pub fn made_at(&self, decision: &Decision) -> At {
        let is_it = |e: &Stored| matches!(&e.event, Event::GateAnswered(other) if other.gate == decision.gate && other.round == decision.round);
        let until = self
            .events
            .iter()
            .position(is_it)
            .map_or(self.events.len(), |at| at + 1);
        self.events[..until].iter().map(|e| e.at).max().unwrap_or_default()
    }

    /// The chain's link of an event, in hexadecimal digits.
    pub fn link(&self, seq: u64) -> Option<String> {
        let at = usize::try_from(seq.checked_sub(1)?).ok()?;
        Some(hex::encode(self.events.get(at)?.hash))
    }

    /// Sequence number of the last event.
    pub fn last(&self) -> u64 {
        self.events.last().map_or(0, |e| e.seq)
    }

    /// The events up to and including `at`; all of them when it is absent.
    pub fn until(&self, at: Option<u64>) -> &[Stored] {
        let end = at.map_or(self.events.len(), |at| self.events.partition_point(|e| e.seq <= at));
        &self.events[..end]
    }

    /// The state as of `at`.
    pub fn state(&self, at: Option<u64>) -> RunState {
        let until = self.until(at).len();
        if until == self.events.len() {
            return self.live.clone();
        }
        let marked = until / MARK;
        let mut state = marked
            .checked_sub(1)
            .and_then(|mark| self.marks.get(mark))
            .cloned()
            .unwrap_or_default();
        for stored in &self.events[marked * MARK..until] {
            apply(&mut state, stored.at, &stored.event);
        }
        state
    }

    fn new(run: RunId, document: Arc<Document>) -> Self {
        Self {
            run,
            document,
            events: Vec::new(),
            live: RunState::default(),
            marks: Vec::new(),
        }
    }

    fn grow(&mut self, new: Vec<Stored>) {
        for stored in new {
            apply(&mut self.live, stored.at, &stored.event);
            self.events.push(stored);
            if self.events.len().is_multiple_of(MARK) {
                self.marks.push(self.live.clone());
            }
        }
    }
}

impl Studio {
    /// Finds a run by its id or the beginning of one.
    pub(crate) fn find_run(&self, id: &str) -> Result<RunId, ApiError> {
        self.0.store.run(id)?.map(|row| row.run).ok_or_else(|| {
            ApiError::new("not_found", format!("There is no run {id} in this project."))
                .hint("`gatehouse list` shows the runs there are.")
        })
    }

    /// The log of a run as it is now.
    pub(crate) fn history(&self, id: &str) -> Result<Arc<History>, ApiError> {
        let run = self.find_run(id)?;
        let known = lock(&self.0.histories).get(&run).cloned();
        let new = self
            .0
            .store
            .events(&run, known.as_ref().map_or(0, |known| known.last()), usize::MAX)?;
        let mut fresh = match known {
            Some(known) if new.is_empty() => return Ok(known),
            Some(known) => {
                // Grown in place where nobody looks at it.
                lock(&self.0.histories).remove(&run);
                Arc::unwrap_or_clone(known)
            }
            None => History::new(run.clone(), Arc::new(self.document_of(&run, &new)?)),
        };
        fresh.grow(new);
        let fresh = Arc::new(fresh);
        let mut cache = lock(&self.0.histories);
        // Bounded: a handful of runs are looked at, not all of them.
        if cache.len() > 32 {
            cache.clear();
        }
        cache.insert(run, Arc::clone(&fresh));
        Ok(fresh)
    }

    fn document_of(&self, run: &RunId, events: &[Stored]) -> Result<Document, ApiError> {
        let Some(Event::RunCreated(created)) = events.first().map(|e| &e.event) else {
            return Err(ApiError::new(
                "corrupt",
                format!("The log of run {run} does not begin with its creation."),
            )
            .hint("Verify the run to see what is damaged."));
        };
        let source = self.0.store.blob(&created.source)?;
        Ok(Document::parse(&created.path, &String::from_utf8_lossy(&source)))
    }
}
