//! A scenario carried out in memory, with its verdict.

use super::coverage::Coverage;
use super::front::{Content, Ends, Listed};
use super::{Rehearsal, Setting, Standing, teller};
use crate::scenario::{Scenario, path};
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
    /// The verdict, one sentence; of a failed one which command did what and what was expected.
    pub words: String,
    /// What else is worth knowing, one sentence each.
    pub notes: Vec<String>,
    /// How the run ended; absent: it waits, or was never started.
    pub ended: Option<EndStatus>,
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

/// Tries a scenario of a file's front matter. `own` is the file's path: commands name it; `find` gives the text of others.
pub fn listed(workflow: &Workflow, setting: &Setting, own: &str, listed: &Listed, find: Finder<'_>) -> Trial {
    let mut trial = match &listed.content {
        Ok(Content::Commands { commands, result }) => {
            teller::commands_of(workflow, setting, own, &listed.name, commands, *result, find)
        }
        Ok(Content::Script { text, scenario }) => Trial {
            script: Some(text.clone()),
            ..scenario_of(workflow, setting, scenario)
        },
        Err(problem) => nothing(unread(problem)),
    };
    trial.name.clone_from(&listed.name);
    trial.description.clone_from(&listed.description);
    trial
}

/// Why a scenario of a file's front matter can be started in no way, as its text alone says, one sentence; [`listed`] finds
/// the rest. Nothing is carried out.
pub fn fault(workflow: &Workflow, setting: &Setting, own: &str, listed: &Listed) -> Option<String> {
    match &listed.content {
        Ok(Content::Commands { commands, .. }) => teller::before_start(workflow, setting, own, commands),
        Ok(Content::Script { .. }) => None,
        Err(problem) => Some(unread(problem)),
    }
}

fn unread(problem: &str) -> String {
    format!("It cannot be read: {problem}.")
}

/// Tries a scenario of any format.
pub fn scenario_of(workflow: &Workflow, setting: &Setting, scenario: &Scenario) -> Trial {
    let strangers = scenario.strangers(workflow);
    let mut trial = match Rehearsal::play(workflow, setting, scenario) {
        Ok(rehearsal) => {
            let mut problems = strangers;
            problems.extend(scenario.check(rehearsal.state()));
            let words = match problems.as_slice() {
                [] if scenario.expect.is_none() => format!("{}; nothing is expected of it.", ending(&rehearsal)),
                [] => format!("{}, as expected.", ending(&rehearsal)),
                problems => sentences(problems),
            };
            seen(&rehearsal, problems.is_empty(), words)
        }
        Err(refusal) => nothing(refusal.message),
    };
    trial.name.clone_from(&scenario.name);
    trial.description.clone_from(&scenario.description);
    trial.prompted = setting.prompted;
    trial
}

fn sentences(problems: &[String]) -> String {
    let all: Vec<String> = problems
        .iter()
        .map(|problem| {
            let mut letters = problem.chars();
            let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
            format!("{first}{}.", letters.as_str())
        })
        .collect();
    all.join(" ")
}

pub(super) fn nothing(words: String) -> Trial {
    Trial {
        name: String::new(),
        description: None,
        passed: false,
        words,
        notes: Vec::new(),
        ended: None,
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
        refused: matches!(rehearsal.state().outcome(), Some(engine::Outcome::Refused(_))),
        path: path(rehearsal.state()),
        coverage: Coverage::of(rehearsal.workflow(), rehearsal.state()),
        ..nothing(words)
    }
}

/// `It ends with COMPLETE`, `It waits at “Build” (2)`.
pub(super) fn ending(rehearsal: &Rehearsal<'_>) -> String {
    match rehearsal.standing() {
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
    if name == at.step.as_str() {
        format!("“{name}”{instance}")
    } else {
        format!("“{name}” ({}{instance})", at.step)
    }
}
