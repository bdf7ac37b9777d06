//! The receipts of a run as it grows, without its other files.

use super::attempts::Attempts;
use super::names::Naming;
use super::{json, receipt};
use crate::vocabulary::Vocabulary;
use crate::{Facts, Stored};
use engine::{Event, Instance, RunCreated};
use imbl::HashMap;
use std::sync::Arc;

/// A receipt, as the run directory holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// Whose it is.
    pub agent: String,
    /// From the run's folder on.
    pub path: String,
    /// Its text.
    pub bytes: Vec<u8>,
}

/// The receipts of a run's attempts. Feed it the log from the first event on; copies share what they hold.
#[derive(Debug, Clone)]
pub struct Receipts {
    facts: Facts,
    created: Option<Arc<RunCreated>>,
    attempts: Attempts,
    naming: Naming,
    places: HashMap<(Instance, u32), Vec<usize>>,
}

impl Receipts {
    /// Those of a log without events. `facts` are those of the version of the workflow that the run keeps.
    pub fn new(facts: Facts) -> Self {
        Self {
            facts,
            created: None,
            attempts: Attempts::default(),
            naming: Naming::default(),
            places: HashMap::new(),
        }
    }

    /// Takes up the next event.
    pub fn push(&mut self, stored: &Stored) {
        if let (None, Event::RunCreated(created)) = (&self.created, &stored.event) {
            self.created = Some(Arc::clone(created));
        }
        let before = self.attempts.all.len();
        self.attempts.push(stored, &self.facts);
        let Some(created) = &self.created else { return };
        for place in before..self.attempts.all.len() {
            self.naming.push(created, &self.attempts.all, place);
            let started = &self.attempts.all[place].started;
            let key = (started.instance.clone(), started.attempt);
            self.places.entry(key).or_default().push(place);
        }
    }

    /// The receipts of one attempt, as the run directory holds them: of each agent its path and its bytes. None of an
    /// attempt that left none.
    pub fn of(&self, instance: &Instance, attempt: u32) -> Vec<Receipt> {
        let places = self.places.get(&(instance.clone(), attempt));
        let each = places.into_iter().flatten().filter_map(|place| self.at(*place));
        each.collect()
    }

    fn at(&self, place: usize) -> Option<Receipt> {
        let created = self.created.as_deref()?;
        let (found, names) = (&self.attempts.all[place], &self.naming.names[place]);
        let value = receipt::receipt(created, found, &names.transcript_in_flow());
        let bytes = json::file(value);
        let bytes = match Vocabulary::of(created.format) {
            Vocabulary::Bmad => json::ascii(bytes),
            _ => bytes,
        };
        Some(Receipt {
            agent: found.agent().to_owned(),
            path: names.receipt_path(),
            bytes,
        })
    }
}
