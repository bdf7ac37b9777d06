//! What this process has appended last: the files of a run and its views take up what its driver has just recorded, and share it with the driver in
//! place of reading it again.

use crate::chain::Stored;
use engine::RunId;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Bytes of events, as they are stored, that are kept at most: what a fast run appends between two writings of its files.
pub(crate) const MOST: usize = 4 << 20;

/// The batches that were appended last, the latest at the end.
#[derive(Debug, Default)]
pub(crate) struct Appended(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    batches: VecDeque<Batch>,
    bytes: usize,
}

#[derive(Debug)]
struct Batch {
    run: RunId,
    events: Vec<Stored>,
    bytes: usize,
}

impl Appended {
    /// Keeps a batch that is in the history now and reads there as it is here; `bytes`: its length there.
    pub fn keep(&self, run: &RunId, events: &[Stored], bytes: usize) {
        if events.is_empty() {
            return;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.bytes += bytes;
        kept.batches.push_back(Batch {
            run: run.clone(),
            events: events.to_vec(),
            bytes,
        });
        while kept.bytes > MOST {
            let Some(oldest) = kept.batches.pop_front() else { break };
            kept.bytes -= oldest.bytes;
        }
    }

    /// The events of a run from the one behind `after` on, at most `limit`, as far as all of them are kept.
    pub fn after(&self, run: &RunId, after: u64, limit: usize) -> Vec<Stored> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found: Vec<&[Stored]> = Vec::new();
        let mut first = None;
        for batch in kept.batches.iter().rev().filter(|batch| batch.run == *run) {
            let (Some(begins), Some(last)) = (batch.events.first(), batch.events.last()) else {
                continue;
            };
            // Somebody else has appended between two of ours, or all of it is known.
            if last.seq <= after || first.is_some_and(|first| last.seq + 1 != first) {
                break;
            }
            first = Some(begins.seq);
            found.push(&batch.events);
        }
        if first.is_none_or(|first| first > after + 1) {
            return Vec::new();
        }
        let events = found.into_iter().rev().flatten();
        events
            .filter(|stored| stored.seq > after)
            .take(limit)
            .cloned()
            .collect()
    }
}
