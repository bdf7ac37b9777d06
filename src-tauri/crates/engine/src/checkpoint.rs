//! Checkpoints (seed 003 `checkpoints`): the moments of a run that one can go back to. Each is an event of its log, and nothing is kept of it
//! elsewhere: a person gives a moment a name, a step asks for one in its report, and whenever a person is asked the run stands still anyway.

use crate::{Checkpointed, Event, ExecutionStatus, GateOpened, Instance, Refusal, RefusalCode, RunState};
use serde_json::Value;

/// The field of a report with which a step asks for a checkpoint: what it is, in words.
pub const FIELD: &str = "checkpoint";

/// The longest name of a checkpoint, in characters.
pub const LONGEST: usize = 120;

/// Who made a checkpoint, and of what.
#[derive(Debug, Clone, PartialEq)]
pub enum Checkpoint<'a> {
    /// A person named the moment.
    Person(&'a Checkpointed),
    /// A step was carried out, and its report asks for one.
    Step {
        /// Which visit.
        instance: &'a Instance,
        /// What it is, as reported; cut to [`LONGEST`] characters.
        name: String,
    },
    /// A person is asked.
    Gate(&'a GateOpened),
}

impl<'a> Checkpoint<'a> {
    /// The checkpoint that an event is.
    pub fn of(event: &'a Event) -> Option<Self> {
        match event {
            Event::Checkpointed(made) => Some(Self::Person(made)),
            Event::GateOpened(opened) => Some(Self::Gate(opened)),
            Event::AttemptEnded { instance, result, .. } if result.status == ExecutionStatus::Succeeded => {
                let said = result.report.get(FIELD).and_then(Value::as_str)?.trim();
                let name: String = said.chars().take(LONGEST).collect();
                (!name.is_empty()).then_some(Self::Step { instance, name })
            }
            _ => None,
        }
    }

    /// What it is, in words.
    pub fn name(&self) -> &str {
        match self {
            Self::Person(made) => &made.name,
            Self::Step { name, .. } => name,
            Self::Gate(opened) => &opened.question,
        }
    }

    /// Whether somebody named it. The others are the moments at which a person is asked.
    pub fn is_named(&self) -> bool {
        !matches!(self, Self::Gate(_))
    }

    /// Its id: that of its gate and round, else `checkpoint#` and the number of its event.
    pub fn id(&self, seq: u64) -> String {
        match self {
            Self::Gate(opened) => format!("{}#{}", opened.gate, opened.round),
            _ => format!("checkpoint#{seq}"),
        }
    }

    /// The visit that it is about: of a person's the one that somebody is asked about, else the one that the run entered last.
    pub fn instance<'s>(&self, state: &'s RunState) -> Option<&'s Instance>
    where
        'a: 's,
    {
        match self {
            Self::Person(_) => {
                if let Some(asked) = state.waiting() {
                    return Some(&asked.opened.instance);
                }
                let last = state.visits().into_iter().max_by_key(|visit| visit.number);
                last.map(|visit| &visit.instance)
            }
            Self::Step { instance, .. } => Some(instance),
            Self::Gate(opened) => Some(&opened.instance),
        }
    }
}

/// A name that a person may give a checkpoint, without blanks around it.
pub(crate) fn good_name(name: &str) -> Result<String, Refusal> {
    let name = name.trim();
    let said = match name {
        "" => "A checkpoint needs a name: say what moment this is.".to_owned(),
        name if name.chars().count() > LONGEST => {
            format!("The name of a checkpoint takes at most {LONGEST} characters: it stands in lists.")
        }
        name if name.chars().any(char::is_control) => "The name of a checkpoint is one line.".to_owned(),
        name => return Ok(name.to_owned()),
    };
    Err(Refusal::new(RefusalCode::NameRequired, said))
}
