//! The log in public words: those of seed 001 (`run_created` …), those of seed 000 (`WorkflowStarted` …) and our own.
//!
//! Renderings are pure and can be fed event by event, so that a log is followed while it grows and a long one is never
//! held twice.

pub mod bmad;
pub mod native;
pub mod stepwise;

use crate::{Facts, Stored};
use engine::{Event, RunId};
use model::{ContractWords, Format};
use serde_json::Value;

/// Which words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Vocabulary {
    /// Seed 001: exactly the kinds of its contract.
    #[default]
    Stepwise,
    /// Seed 000.
    Bmad,
    /// Every event as it is stored.
    Native,
}

impl Vocabulary {
    /// The words of a format's own contract, which a run's `events.jsonl` speaks: those of seed 000 for StepSpec, of
    /// seed 001 for every other one.
    pub fn of(format: Format) -> Self {
        match format.contract().vocabulary {
            ContractWords::StepSpec => Self::Bmad,
            ContractWords::Stepwise => Self::Stepwise,
        }
    }

    /// `stepwise`, `bmad` or `native`.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "stepwise" => Some(Self::Stepwise),
            "bmad" => Some(Self::Bmad),
            "native" => Some(Self::Native),
            _ => None,
        }
    }
}

/// A rendering in progress. Feed it a run's events from the first on.
#[derive(Debug)]
pub enum Renderer {
    /// Seed 001.
    Stepwise(stepwise::Renderer),
    /// Seed 000.
    Bmad(bmad::Renderer),
    /// Our own; whether the run is a rehearsal, once its first event has said so.
    Native(RunId, bool),
}

impl Renderer {
    /// A rendering of one run. `facts` are those of the version of the workflow that the run keeps.
    pub fn new(vocabulary: Vocabulary, run: &RunId, facts: Facts) -> Self {
        match vocabulary {
            Vocabulary::Stepwise => Self::Stepwise(stepwise::Renderer::new(run, facts)),
            Vocabulary::Bmad => Self::Bmad(bmad::Renderer::new(run, facts)),
            Vocabulary::Native => Self::Native(run.clone(), false),
        }
    }

    /// Whether no line of a later event depends on this one.
    pub fn forgets(&self, stored: &Stored) -> bool {
        matches!(self, Self::Native(..)) && !matches!(stored.event, Event::RunCreated(_))
    }

    /// What the next event is in these words: none, one or several lines.
    pub fn push(&mut self, stored: &Stored) -> Vec<Value> {
        match self {
            Self::Stepwise(renderer) => renderer.push(stored),
            Self::Bmad(renderer) => renderer.push(stored),
            Self::Native(run, rehearsal) => {
                if let Event::RunCreated(created) = &stored.event {
                    *rehearsal = created.is_rehearsal();
                }
                vec![native::line(run, *rehearsal, stored)]
            }
        }
    }
}

/// All of a run's events in these words.
pub fn render<'a>(
    vocabulary: Vocabulary,
    run: &RunId,
    events: impl IntoIterator<Item = &'a Stored>,
    facts: &Facts,
) -> Vec<Value> {
    let mut renderer = Renderer::new(vocabulary, run, facts.clone());
    events.into_iter().flat_map(|stored| renderer.push(stored)).collect()
}

/// JSON lines: one compact object a line, each line ended.
pub fn lines(values: &[Value]) -> Vec<u8> {
    let mut out = Vec::new();
    for value in values {
        out.extend_from_slice(value.to_string().as_bytes());
        out.push(b'\n');
    }
    out
}
