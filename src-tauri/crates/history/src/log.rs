//! The events of a run in memory, in chunks that copies share.

use std::sync::Arc;
use store::Stored;

/// Events in a chunk: what is copied at most when a log grows that somebody else looks at.
pub(crate) const CHUNK: usize = 128;

/// The events of a run, from the first on. A copy shares all of them.
#[derive(Debug, Clone, Default)]
pub struct Log {
    /// All but the last are full.
    chunks: Vec<Arc<Vec<Stored>>>,
}

impl Log {
    /// One more.
    pub(crate) fn push(&mut self, stored: Stored) {
        match self.chunks.last_mut() {
            Some(last) if last.len() < CHUNK => Arc::make_mut(last).push(stored),
            _ => self.chunks.push(Arc::new(vec![stored])),
        }
    }

    /// All of them.
    pub fn events(&self) -> Events<'_> {
        let full = self.chunks.len().saturating_sub(1) * CHUNK;
        Events {
            log: self,
            len: full + self.chunks.last().map_or(0, |last| last.len()),
        }
    }
}

impl FromIterator<Stored> for Log {
    fn from_iter<I: IntoIterator<Item = Stored>>(events: I) -> Self {
        let mut log = Self::default();
        events.into_iter().for_each(|stored| log.push(stored));
        log
    }
}

/// The beginning of a log: its events up to one.
#[derive(Debug, Clone, Copy)]
pub struct Events<'a> {
    log: &'a Log,
    len: usize,
}

impl<'a> Events<'a> {
    /// How many there are.
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The one at a place, counted from 0.
    pub fn get(self, place: usize) -> Option<&'a Stored> {
        let chunk = self.log.chunks.get(place / CHUNK).filter(|_| place < self.len)?;
        chunk.get(place % CHUNK)
    }

    /// The event with this sequence number.
    pub fn with_seq(self, seq: u64) -> Option<&'a Stored> {
        let place = self.count(|e| e.seq < seq);
        self.get(place).filter(|e| e.seq == seq)
    }

    /// The first.
    pub fn first(self) -> Option<&'a Stored> {
        self.get(0)
    }

    /// The last.
    pub fn last(self) -> Option<&'a Stored> {
        self.get(self.len.checked_sub(1)?)
    }

    /// In order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = &'a Stored> + ExactSizeIterator {
        self.from(0)
    }

    /// In order, from a place on.
    pub fn from(self, place: usize) -> impl DoubleEndedIterator<Item = &'a Stored> + ExactSizeIterator {
        let chunks = &self.log.chunks;
        (place.min(self.len)..self.len).map(move |at| &chunks[at / CHUNK][at % CHUNK])
    }

    /// The first so many.
    pub fn prefix(self, len: usize) -> Self {
        Self {
            len: len.min(self.len),
            ..self
        }
    }

    /// Those with a sequence number up to this one.
    pub fn until(self, seq: u64) -> Self {
        self.prefix(self.count(|e| e.seq <= seq))
    }

    /// How many there are before the first that is not so, where none that is so follows.
    pub fn count(self, is_so: impl Fn(&Stored) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.get(middle).is_some_and(&is_so) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }
}

impl<'a> IntoIterator for Events<'a> {
    type Item = &'a Stored;
    type IntoIter = Box<dyn DoubleEndedIterator<Item = &'a Stored> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}
