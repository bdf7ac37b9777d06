//! What an agent reports to those who worked before it, as events (seed 003 `feedback_received`, `feedback_loops`). Persisted like all events: fields are only ever added.

use crate::Instance;
use crate::words::fixed_words;
use model::{AgentKey, StepId};
use serde::{Deserialize, Serialize};

/// So many issues of one report are taken up; the rest is one more, for a person.
pub(crate) const MOST: usize = 50;

fixed_words! {
    /// What is wrong (seed 003 `feedback_received.type` and `feedback_loops.issue_type`).
    pub enum FeedbackKind {
        /// It breaks something that has to be kept.
        Constraint = "constraint",
        /// It does not fit something else.
        Inconsistency = "inconsistency",
        /// It could be better.
        Suggestion = "suggestion",
        /// It did not pass a check.
        ValidationFailure = "validation_failure",
        /// Something is missing in it.
        MissingRequirement = "missing_requirement",
        /// It cannot be done.
        TechnicalInfeasibility = "technical_infeasibility",
    }
}

fixed_words! {
    /// How bad that is, as whoever reports it finds (seed 003 `severity`).
    pub enum FeedbackSeverity {
        /// Good to know.
        Info = "info",
        /// It should be looked at.
        Warning = "warning",
        /// It is wrong.
        Error = "error",
        /// Nothing can be built on it.
        Critical = "critical",
    }
}

fixed_words! {
    /// Why the work of a step cannot be sent back by a report: a person is asked instead.
    pub enum FeedbackFault {
        /// The issue says to nobody.
        Nobody = "nobody",
        /// It does not say what is wrong.
        Nothing = "nothing",
        /// A report may hold so many and no more.
        TooMany = "too_many",
        /// No step and no agent of the workflow is called so.
        Unknown = "unknown",
        /// It is the step that reports.
        Itself = "itself",
        /// It has not been done yet.
        Later = "later",
        /// It stands in another branch, or before branches that go on beside each other.
        Branch = "branch",
        /// It stands in a detour, or before the one that reports.
        Detour = "detour",
        /// It belongs to another flow.
        Flow = "flow",
        /// It lies ahead, behind a gate at which a person is asked.
        Gate = "gate",
        /// The stage that reports does not wait for it.
        Beside = "beside",
        /// A runbook goes by its transitions alone.
        Runbook = "runbook",
    }
}

fixed_words! {
    /// Which bound has been met: a person is asked.
    pub enum FeedbackLimit {
        /// The step has sent work back as often as it may.
        Rounds = "rounds",
        /// It has taken as long as it may.
        Time = "time",
    }
}

/// A step's report says that something is wrong with earlier work: a loop opens, or goes round once more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedbackGiven {
    /// The loop: `build:1`, the first that the step `build` has opened.
    pub id: String,
    /// The visit whose report says so.
    pub from: Instance,
    /// Who of those who worked there; absent: nobody is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentKey>,
    /// What is wrong, by its kind.
    pub kind: FeedbackKind,
    /// How bad.
    pub severity: FeedbackSeverity,
    /// In words.
    pub message: String,
    /// With whose work.
    pub targets: Vec<FeedbackTarget>,
    /// The how-manieth time this is that the step sends work back, since a person last decided about that.
    pub round: u32,
    /// How often it may.
    pub most: u32,
    /// How long the loop may take, milliseconds; absent in logs that do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_ms: Option<u64>,
    /// What keeps the issue as a whole from being sent back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<FeedbackFault>,
    /// The bound that has been met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<FeedbackLimit>,
}

/// Whose work an issue is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedbackTarget {
    /// As the report names it: a step or an agent.
    pub named: String,
    /// The step that is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
    /// What keeps it from being done again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<FeedbackFault>,
}

/// A step that an issue was reported to leaves its work as it is, and says why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedbackAcknowledged {
    /// Which loop.
    pub id: String,
    /// The visit whose report says so.
    pub by: Instance,
    /// The agent that acknowledged it; absent: a person did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentKey>,
    /// Why it is no issue, or what was done about it, as they said it.
    pub reason: String,
}

/// Stages of a pipeline are done again because a later one reported an issue, or was rejected (seed 004; the rule of changes that a person
/// requests).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentBack {
    /// The visit whose report says so, or that was rejected.
    pub from: Instance,
    /// The stages that it reported to, or that the rejection leads back to.
    pub to: Vec<StepId>,
    /// The stages that are pending again: the one that reported or was rejected, and what lies between it and those.
    pub again: Vec<StepId>,
    /// A person decided so; otherwise it counts as one of the times that the stage may send work back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_person: bool,
    /// They rejected it, and its gate leads back (`on_reject`): nothing was reported.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rejected: bool,
}

/// Who sends work of a pipeline back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sent {
    /// A stage, by what it reported.
    Reported,
    /// A person, who was asked about what a stage reported.
    Decided,
    /// A person, by a rejection.
    Rejected,
}

impl FeedbackGiven {
    /// Whether a person is asked about it at once.
    pub fn asks(&self) -> bool {
        self.fault.is_some() || self.limit.is_some() || self.targets.iter().any(|target| target.fault.is_some())
    }

    /// The steps that can be done again.
    pub fn steps(&self) -> impl Iterator<Item = &StepId> {
        let sound = self.targets.iter().filter(|target| target.fault.is_none());
        sound.filter_map(|target| target.step.as_ref())
    }
}

impl FeedbackTarget {
    /// Whether both are the same step, or the same name that nobody has.
    pub fn is_like(&self, other: &Self) -> bool {
        match (&self.step, &other.step) {
            (Some(one), Some(two)) => one == two,
            (None, None) => self.named == other.named,
            _ => false,
        }
    }
}

impl FeedbackKind {
    /// In words: `Constraint`, `Validation failure`.
    pub fn title(&self) -> String {
        model::step::humanise(self.as_str())
    }
}

impl FeedbackFault {
    /// Why, of somebody or something with this name.
    pub fn words(&self, named: &str) -> String {
        match self {
            Self::Nobody => "it does not say whose work is meant".to_owned(),
            Self::Nothing => "it does not say what is wrong".to_owned(),
            Self::TooMany => format!("a report may hold {MOST} issues"),
            Self::Unknown => format!("no step and no agent is called “{named}”"),
            Self::Itself => format!("“{named}” is the step itself"),
            Self::Later => format!("“{named}” has not been done yet"),
            Self::Branch => format!("“{named}” stands outside of the branch, and the other branches go on"),
            Self::Detour => format!("“{named}” stands on the other side of a detour"),
            Self::Flow => format!("“{named}” belongs to another flow"),
            Self::Gate => format!("“{named}” lies ahead, behind a gate, and no report leads past one"),
            Self::Beside => format!("“{named}” is no stage that this one waits for"),
            Self::Runbook => "a runbook goes by its transitions alone".to_owned(),
            Self::Other(word) => format!("“{named}”: {word}"),
        }
    }
}
