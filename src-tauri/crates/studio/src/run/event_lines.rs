//! The events of a run as lines of a vocabulary, for whoever follows it.

use crate::{ApiError, Studio};
use engine::RunId;
use serde_json::Value;
use store::vocabulary::{Renderer, Vocabulary};

/// Tells each event of a run once, however often it is asked for what is new.
#[derive(Debug)]
pub struct EventLines {
    run: RunId,
    renderer: Renderer,
    /// Up to which event its lines are known already.
    after: u64,
    /// Up to which event the log was read.
    read: u64,
}

impl Studio {
    /// The events of a run after `after`, in a vocabulary (absent: that of its format).
    ///
    /// # Errors
    /// `not_found`, and what the store reports.
    pub fn event_lines(&self, id: &str, vocabulary: Option<Vocabulary>, after: u64) -> Result<EventLines, ApiError> {
        let history = self.history(id)?;
        let vocabulary = vocabulary.unwrap_or_else(|| Vocabulary::of(history.workflow().format));
        Ok(EventLines {
            run: history.id().clone(),
            renderer: Renderer::new(vocabulary, history.id(), history.facts()),
            after,
            read: 0,
        })
    }
}

impl EventLines {
    /// What has been recorded since it was last asked: JSON objects, for an event none, one or several.
    ///
    /// # Errors
    /// `not_found`, and what the store reports.
    pub fn new_ones(&mut self, studio: &Studio) -> Result<Vec<Value>, ApiError> {
        let history = studio.history(self.run.as_str())?;
        let events = history.events();
        let known = events.count(|stored| stored.seq <= self.read);
        let mut lines = Vec::new();
        for stored in events.from(known) {
            self.read = stored.seq;
            // What is known need not be told again where no later line depends on it.
            if stored.seq <= self.after && self.renderer.forgets(stored) {
                continue;
            }
            let told = self.renderer.push(stored).into_iter();
            lines.extend(told.filter(|line| line["seq"].as_u64().is_none_or(|seq| seq > self.after)));
        }
        Ok(lines)
    }
}
