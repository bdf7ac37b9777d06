//! What a run is about: what was typed or answered at its start, else the first heading of the first document it made. Two
//! decisions of one workflow are told apart by it.

use crate::Studio;
use crate::lock::lock;
use crate::text::markdown;
use engine::{Event, ExecutionStatus, RunId};
use store::Stored;

/// So many events are read at once.
const PAGE: usize = 64;
/// Whoever has made no document by then has none.
const MOST: u64 = 1_024;
/// Longer documents are not read for their heading.
const LONGEST_BYTES: u64 = 1 << 20;

fn together(own: Option<String>, part: Option<String>) -> Option<String> {
    match (own, part) {
        (Some(own), Some(part)) => Some(format!("{own}, {part}")),
        (own, part) => own.or(part),
    }
}

impl Studio {
    /// What a run is about, one line; `None` where nothing says it. `last`: the number of its last event, as far as known. One that carries out a
    /// step of another run is told from one that was started by itself.
    pub(crate) fn subject(&self, run: &RunId, last: u64) -> Option<String> {
        together(self.own_subject(run, last), self.part_of(run))
    }

    /// The same as far as these events, the first ones of a run, say it.
    pub(crate) fn subject_as_of<'e>(&self, run: &RunId, events: impl Iterator<Item = &'e Stored>) -> Option<String> {
        let mut title = String::new();
        let mut events = events.take(usize::try_from(MOST).unwrap_or(usize::MAX));
        together(events.find_map(|event| self.says(event, &mut title)), self.part_of(run))
    }

    /// `part of “Winter season”`; `None` for a run of its own.
    fn part_of(&self, run: &RunId) -> Option<String> {
        let outermost = self.outermost(run).ok().filter(|outermost| outermost != run)?;
        let row = self.0.store.run(outermost.as_str()).ok().flatten()?;
        Some(format!("part of “{}”", row.title))
    }

    fn own_subject(&self, run: &RunId, last: u64) -> Option<String> {
        let mut known = lock(&self.0.runs.subjects).get(run).cloned().unwrap_or_default();
        let before = known.seq;
        while known.found.is_none() && known.seq < last.min(MOST) {
            // A log that cannot be read says so where it is shown; here the run only stays without a subject.
            let Ok(events) = self.0.store.events(run, known.seq, PAGE) else {
                break;
            };
            let Some(end) = events.last().map(|e| e.seq) else {
                break;
            };
            known.seq = end;
            known.found = events.iter().find_map(|e| self.says(e, &mut known.title));
        }
        if known.seq > before {
            lock(&self.0.runs.subjects).insert(run.clone(), known.clone());
        }
        known.found
    }

    fn says(&self, stored: &Stored, title: &mut String) -> Option<String> {
        match &stored.event {
            Event::RunCreated(created) => {
                title.clone_from(&created.title);
                created.subject.clone()
            }
            Event::AttemptEnded { result, .. } if result.status == ExecutionStatus::Succeeded => {
                let documents = result
                    .artifacts
                    .iter()
                    .filter(|made| markdown::is_markdown(&made.path) && made.bytes <= LONGEST_BYTES);
                documents
                    .filter_map(|made| String::from_utf8(self.0.store.blob(&made.digest).ok()?).ok())
                    .filter_map(|text| markdown::heading(&text))
                    .filter_map(|heading| runtime::subject::line(&heading))
                    .find(|heading| heading != title)
            }
            _ => None,
        }
    }
}
