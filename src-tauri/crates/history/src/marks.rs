//! What a log comes to, as of any of its events.

use crate::Events;
use crate::log::CHUNK;
use engine::{RunState, apply};
use std::sync::{Arc, Mutex, PoisonError};
use store::Stored;

/// What is made of a log event by event. Its copies share what they hold, so that one can be kept now and then.
pub trait Fold: Clone {
    /// Takes up the next event.
    fn push(&mut self, stored: &Stored);
}

impl Fold for store::rundir::Receipts {
    fn push(&mut self, stored: &Stored) {
        Self::push(self, stored);
    }
}

impl Fold for RunState {
    fn push(&mut self, stored: &Stored) {
        apply(self, stored.at, &stored.event);
    }
}

/// A fold as it was after every full chunk of the log.
#[derive(Debug, Clone)]
pub(crate) struct Marks<F>(Vec<F>);

impl<F> Default for Marks<F> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<F: Fold> Marks<F> {
    /// The fold after the event at the end of a log of this length.
    pub fn grown(&mut self, len: usize, now: &F) {
        if len.is_multiple_of(CHUNK) {
            self.0.push(now.clone());
        }
    }

    /// Makes those that are missing up to the last of these events; `start`: the fold before the first.
    fn reach(&mut self, start: &F, until: Events<'_>) {
        let from = self.0.len() * CHUNK;
        if until.len() < from + CHUNK {
            return;
        }
        let mut fold = self.0.last().unwrap_or(start).clone();
        for (len, stored) in (from + 1..).zip(until.from(from)) {
            fold.push(stored);
            self.grown(len, &fold);
        }
    }

    /// The fold after the last of these events; `start`: before the first.
    pub fn at(&self, start: &F, until: Events<'_>) -> F {
        let marked = (until.len() / CHUNK).min(self.0.len());
        let mark = marked.checked_sub(1).map(|mark| self.0[mark].clone());
        let mut fold = mark.unwrap_or_else(|| start.clone());
        until.from(marked * CHUNK).for_each(|stored| fold.push(stored));
        fold
    }
}

/// A fold of a log that grows, as of any of its events. What it was before it remembers as far as somebody has asked: what a fold holds
/// at each mark may be much, and most look at the end of a log alone.
#[derive(Debug, Clone)]
pub struct Folded<F> {
    start: F,
    now: F,
    /// How many events it has taken up.
    read: usize,
    /// Of one log they are the same for every copy.
    marks: Arc<Mutex<Marks<F>>>,
}

impl<F: Fold> Folded<F> {
    /// What it is before the first event.
    pub fn new(start: F) -> Self {
        Self {
            now: start.clone(),
            start,
            read: 0,
            marks: Arc::default(),
        }
    }

    /// Takes up what came since.
    pub fn catch_up(&mut self, events: Events<'_>) {
        for stored in events.from(self.read) {
            self.now.push(stored);
            self.read += 1;
        }
    }

    /// As of the last of these events, which are the beginning of those taken up.
    pub fn at(&self, until: Events<'_>) -> F {
        if until.len() == self.read {
            return self.now.clone();
        }
        let mut marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        marks.reach(&self.start, until);
        marks.at(&self.start, until)
    }

    /// After every event that was taken up.
    pub fn now(&self) -> &F {
        &self.now
    }
}
