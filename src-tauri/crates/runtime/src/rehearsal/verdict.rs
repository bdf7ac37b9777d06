//! What came of a scenario: the run as it was played, its verdict, and the words for where it stands.

use super::coverage::Coverage;
use super::front::Ends;
use super::{Rehearsal, Standing};
use crate::scenario::path;
use engine::{EndStatus, Instance, RunState};
use model::{StepId, Workflow};

/// What came of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The scenario's name.
    pub name: String,
    /// What it shows.
    pub description: Option<String>,
    /// It did what it says.
    pub passed: bool,
    /// It says something that it is to come to; otherwise nothing was checked.
    pub expects: bool,
    /// The verdict, one sentence; of a failed one which command did what and what was expected.
    pub words: String,
    /// What else is worth knowing, one sentence each.
    pub notes: Vec<String>,
    /// How the run ended; absent: it waits, or was never started.
    pub ended: Option<EndStatus>,
    /// It was never started, because the scenario could not be read.
    pub unreadable: bool,
    /// A person refused, and that decided how it ended.
    pub refused: bool,
    /// The steps in the order they were carried out.
    pub path: Vec<StepId>,
    /// Where it stood after each command.
    pub stations: Vec<Station>,
    /// What it has seen.
    pub coverage: Coverage,
    /// Every step waits for a command: a scripted run of it is started that way too.
    pub prompted: bool,
    /// The text of a [`Scenario`] that does the same; absent when nothing was started.
    pub script: Option<String>,
}

impl Trial {
    /// What stands for a scenario that could not be read.
    pub fn unreadable(name: &str, problem: String) -> Self {
        Self {
            name: name.to_owned(),
            unreadable: true,
            ..nothing(problem)
        }
    }
}

/// Where a run stood after a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Station {
    /// As written.
    pub command: String,
    /// The visit it waits at; absent: it has ended, or was not started.
    pub waits: Option<Instance>,
    /// Why it came there: the reason of its last route (`pass:CONTINUE`, `fail:RETRY (1/2)`).
    pub reason: Option<String>,
}

/// Finds a runbook that a command names.
pub type Finder<'a> = &'a dyn Fn(&str) -> Option<Workflow>;

pub(super) fn nothing(words: String) -> Trial {
    Trial {
        name: String::new(),
        description: None,
        passed: false,
        expects: true,
        words,
        notes: Vec::new(),
        ended: None,
        unreadable: false,
        refused: false,
        path: Vec::new(),
        stations: Vec::new(),
        coverage: Coverage::default(),
        prompted: false,
        script: None,
    }
}

pub(super) fn seen(rehearsal: &Rehearsal<'_>, passed: bool, words: String) -> Trial {
    let ended = match rehearsal.standing() {
        Standing::Ended(end) => Some(end),
        Standing::Waits(_) | Standing::Turns(_) => None,
    };
    Trial {
        passed,
        ended,
        refused: is_rejected(rehearsal),
        path: path(rehearsal.state()),
        coverage: Coverage::of(rehearsal.workflow(), rehearsal.state()),
        ..nothing(words)
    }
}

/// A person rejected, and that decided how it ended.
fn is_rejected(rehearsal: &Rehearsal<'_>) -> bool {
    matches!(rehearsal.state().outcome(), Some(engine::Outcome::Refused(_)))
}

/// `It ends with COMPLETE`, `It is rejected`, `It waits at “Build” (2)`.
pub(super) fn ending(rehearsal: &Rehearsal<'_>) -> String {
    // A runbook ends with a word of its own whatever a person says.
    let in_own_words = rehearsal.workflow().contract().scenarios_in_file;
    match rehearsal.standing() {
        Standing::Ended(_) if !in_own_words && is_rejected(rehearsal) => {
            format!("It is rejected{}", message(rehearsal.state()))
        }
        Standing::Ended(end) => format!("It ends with {}{}", Ends::of(end).word(), message(rehearsal.state())),
        Standing::Waits(at) => format!("It waits at {}", place(rehearsal.workflow(), at)),
        Standing::Turns(at) => format!(
            "It turns by itself without an end: after {} steps it is at {}",
            rehearsal.state().executed,
            place(rehearsal.workflow(), at)
        ),
    }
}

pub(super) fn message(state: &RunState) -> String {
    match &state.message {
        Some(message) => format!(" (“{message}”)"),
        None => String::new(),
    }
}

/// `“Build the image” (2.1)`; of a dynamic step with its instance: `“Check” ({N}.1, instance 2)`.
pub(super) fn place(workflow: &Workflow, at: &Instance) -> String {
    let name = workflow.step(&at.step).map_or(at.step.as_str(), |step| &step.name);
    let instance = match at.path.as_slice() {
        [] => String::new(),
        path => format!(
            ", instance {}",
            path.iter().map(u32::to_string).collect::<Vec<_>>().join(".")
        ),
    };
    // An id that is the name in other letters says no more than the name.
    let id = at.step.as_str();
    if name == id || name == model::step::humanise(id) {
        format!("“{name}”{instance}")
    } else {
        format!("“{name}” ({}{instance})", at.step)
    }
}
