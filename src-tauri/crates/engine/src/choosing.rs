//! What there is to choose among where a workflow's rules leave the way on open, and who chooses (CONTRACTS "Stepwise",
//! `routing_source`; seed 001).

use crate::words::fixed_words;
use model::{AgentKey, StepId, Workflow};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Who decides where the rules of the file leave more than one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoutingMode {
    /// The file's rules; a person where none of them leads on.
    #[default]
    DeterministicOnly,
    /// The rules; where they leave it open the navigator, then the step's own signal, then a person.
    Assist,
    /// The navigator wherever there is more than one way, then the step's own signal, then the rules, then a person.
    Authoritative,
}

/// How ways are chosen in a run (`routing` in gatehouse.yaml), kept from its start.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Choosing {
    /// Who decides.
    pub mode: RoutingMode,
    /// The agent that chooses among the ways.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub navigator: Option<AgentKey>,
}

impl Choosing {
    /// Whether only the file's rules decide, as in every log that does not say.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

fixed_words! {
    /// What a way does.
    pub enum WayAction {
        /// Goes on to another step.
        Advance = "advance",
        /// Goes round a loop once more.
        Loop = "loop",
        /// Does the same step again.
        Repeat = "repeat",
        /// Goes aside, and comes back.
        Detour = "detour",
        /// Goes to a step that no way of the workflow leads to, because the step that was carried out proposes it.
        Extend = "extend",
        /// Leaves the step out, and goes on with what waits for it.
        LeaveOut = "leave_out",
        /// Ends the flow.
        Terminate = "terminate",
        /// A person decides.
        Escalate = "escalate",
    }
}

/// What a way is called where it is chosen: `advance:done`, `loop:author:iter_2`, `repeat:critic`, `detour:clarify`,
/// `terminate`. In logs, briefs and answers it is text; `Display` and `From` are the only places that take it apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WayId {
    /// What it does.
    pub action: WayAction,
    /// Which step it leads to; of a detour its own name.
    pub name: Option<String>,
    /// Of a loop: which round it begins.
    pub iteration: Option<u32>,
}

impl WayId {
    /// Of a detour, by its name.
    pub fn detour(name: &str) -> Self {
        Self {
            action: WayAction::Detour,
            name: Some(name.to_owned()),
            iteration: None,
        }
    }

    /// Of another round of a loop.
    pub fn round(target: &StepId, iteration: u32) -> Self {
        Self {
            action: WayAction::Loop,
            name: Some(target.to_string()),
            iteration: Some(iteration),
        }
    }
}

impl fmt::Display for WayId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.action)?;
        if let Some(name) = &self.name {
            write!(f, ":{name}")?;
        }
        if let Some(iteration) = self.iteration {
            write!(f, ":iter_{iteration}")?;
        }
        Ok(())
    }
}

impl From<&str> for WayId {
    fn from(id: &str) -> Self {
        let (action, rest) = match id.split_once(':') {
            Some((action, rest)) => (action, Some(rest)),
            None => (id, None),
        };
        let action = WayAction::from(action);
        let round = rest.filter(|_| action == WayAction::Loop).and_then(|rest| {
            let (name, iteration) = rest.rsplit_once(":iter_")?;
            Some((name, iteration.parse().ok()?))
        });
        Self {
            action,
            name: round.map(|(name, _)| name).or(rest).map(str::to_owned),
            iteration: round.map(|(_, iteration)| iteration),
        }
    }
}

/// One way on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Way {
    /// What it is called where it is chosen ([`WayId`]).
    pub id: String,
    /// What it does.
    pub action: WayAction,
    /// What a person reads on it: `Go on to “Publish”`.
    pub label: String,
    /// Which step it leads to; absent: to none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<StepId>,
    /// How near it lies, 0 to 100.
    pub priority: u8,
    /// It is the nearest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_default: bool,
    /// An edge of the file leads along it; otherwise it is there for what the step reported.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub drawn: bool,
}

impl Way {
    /// How near a detour lies that is due: before all other ways, behind a person who is asked because the step is blocked.
    pub(crate) const DUE: u8 = 95;

    /// Whether it is a detour that is to be taken, and not one that is only offered.
    pub(crate) fn is_due(&self) -> bool {
        self.action == WayAction::Detour && self.priority >= Self::DUE
    }

    pub(crate) fn new(action: WayAction, to: Option<&StepId>, priority: u8) -> Self {
        let drawn = !matches!(action, WayAction::Repeat | WayAction::Escalate | WayAction::Extend);
        let id = WayId {
            action: action.clone(),
            name: to.map(ToString::to_string),
            iteration: None,
        };
        Self {
            id: id.to_string(),
            action,
            label: String::new(),
            to: to.cloned(),
            priority,
            is_default: false,
            drawn,
        }
    }

    /// The same with the words that a person reads.
    pub(crate) fn labelled(mut self, workflow: &Workflow) -> Self {
        let step = self.to.as_ref().and_then(|to| workflow.step(to));
        let name = step.map_or_else(
            || self.to.as_ref().map_or("", StepId::as_str),
            |step| step.name.as_str(),
        );
        self.label = match self.action {
            WayAction::Loop => format!("Back to “{name}”"),
            WayAction::Repeat => format!("Do “{name}” again"),
            WayAction::Detour => format!("First take the detour “{name}”"),
            WayAction::Extend => format!("Go to “{name}”, as proposed"),
            WayAction::LeaveOut => format!("Leave “{name}” out"),
            WayAction::Terminate => "End here".to_owned(),
            WayAction::Escalate => "Let a person choose".to_owned(),
            WayAction::Advance | WayAction::Other(_) => format!("Go on to “{name}”"),
        };
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ids_of_ways_are_read_and_written_as_they_stand() {
        for (text, action, name, iteration) in [
            ("advance:done", WayAction::Advance, Some("done"), None),
            ("loop:author:iter_2", WayAction::Loop, Some("author"), Some(2)),
            ("loop:a:b:iter_x", WayAction::Loop, Some("a:b:iter_x"), None),
            ("repeat:critic", WayAction::Repeat, Some("critic"), None),
            ("detour:clarify", WayAction::Detour, Some("clarify"), None),
            ("extend:flow/step", WayAction::Extend, Some("flow/step"), None),
            ("leave_out", WayAction::LeaveOut, None, None),
            ("terminate", WayAction::Terminate, None, None),
            ("escalate", WayAction::Escalate, None, None),
            ("do", WayAction::Other("do".to_owned()), None, None),
        ] {
            let id = WayId::from(text);
            assert_eq!(
                (&id.action, id.name.as_deref(), id.iteration),
                (&action, name, iteration),
                "{text}"
            );
            assert_eq!(id.to_string(), text);
        }
        assert_eq!(WayId::detour("clarify"), WayId::from("detour:clarify"));
        assert_eq!(WayId::round(&"author".into(), 2), WayId::from("loop:author:iter_2"));
    }
}
