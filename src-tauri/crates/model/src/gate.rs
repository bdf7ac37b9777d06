//! Human gates: where a run stops and asks a person.

use crate::{AgentKey, StepId};
use serde::{Deserialize, Serialize};

/// How strongly a step asks for a person, the strongest first (seed 000, "Human gates"; every format, CONTRACTS "Human gates").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "model.gen.ts")]
pub enum GateRequirement {
    /// Always stops the run.
    Required,
    /// Stops the run when the project's policy says `conditional_required`.
    Conditional,
    /// Stops the run when the project's policy says `recommended_required`.
    Recommended,
    /// Never stops the run.
    Optional,
}

impl GateRequirement {
    /// The word in the file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Conditional => "conditional",
            Self::Recommended => "recommended",
            Self::Optional => "optional",
        }
    }
    /// Reads the word in the file, exactly as written in the seeds (lower case).
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "required" => Self::Required,
            "conditional" => Self::Conditional,
            "recommended" => Self::Recommended,
            "optional" => Self::Optional,
            _ => return None,
        })
    }
}

/// When the person is asked, relative to the step's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "model.gen.ts")]
pub enum GateAt {
    /// Before the step's work: StepSpec's default.
    Before,
    /// After it, when there is something to look at: every other format's default.
    After,
}

/// A step's gate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[ts(export_to = "model.gen.ts")]
pub struct Gate {
    /// How strongly the step asks.
    pub requirement: GateRequirement,
    /// Before or after the work.
    pub at: GateAt,
    /// The question in the author's words; absent: one is made from the step's name.
    pub question: Option<String>,
    /// Whom the author wants to ask (names or roles); empty: anyone.
    pub asks: Vec<AgentKey>,
    /// Where a rejection leads; absent: the run ends as failed.
    pub on_reject: Option<StepId>,
}
