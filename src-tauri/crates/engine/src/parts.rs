//! The end of a flow in a run of several.

use crate::Instance;
use model::{Fields, StepId};
use serde::{Deserialize, Serialize};

/// See [`crate::Event::FlowEnded`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlowEnded {
    /// Which flow, by its key.
    pub flow: String,
    /// The visit that was its last.
    pub from: Instance,
    /// Why it failed; absent: it came to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// It came to its end, and this is why it does not lead on as it would.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmet: Option<String>,
    /// What follows.
    pub leads: FlowLead,
    /// Why, in the author's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The reported values that its condition read.
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub looked_at: Fields,
}

/// What follows a flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FlowLead {
    /// Another flow begins.
    Begin {
        /// The key of the flow that begins.
        flow: String,
        /// Its first step.
        step: StepId,
    },
    /// The flow goes on that had led here.
    Back {
        /// The key of the flow that is gone back into.
        flow: String,
        /// Where in it.
        step: StepId,
    },
    /// The same, when a person lets the run go on.
    Wait {
        /// The key of the flow that goes on.
        flow: String,
        /// Where in it.
        step: StepId,
    },
    /// No flow follows: the run ends when a person lets it go on.
    End,
}

impl FlowLead {
    /// The step that the token comes to; `None`: to none.
    pub fn step(&self) -> Option<&StepId> {
        match self {
            Self::Begin { step, .. } | Self::Back { step, .. } | Self::Wait { step, .. } => Some(step),
            Self::End => None,
        }
    }

    /// The flow that goes on; `None`: none.
    pub fn flow(&self) -> Option<&str> {
        match self {
            Self::Begin { flow, .. } | Self::Back { flow, .. } | Self::Wait { flow, .. } => Some(flow),
            Self::End => None,
        }
    }

    /// Whether a person is waited for.
    pub fn waits(&self) -> bool {
        matches!(self, Self::Wait { .. } | Self::End)
    }
}
