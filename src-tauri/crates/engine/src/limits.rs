//! Limits that a run keeps from its start.

use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Limits and gate policy that a run keeps from its start (`gatehouse.yaml`; seed 000 "runtime").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Extra attempts of a step that sets none of its own.
    pub max_retries: u32,
    /// Pause between attempts, milliseconds.
    pub backoff_ms: u64,
    /// Bound on one attempt, milliseconds (default 1 800 000).
    pub step_timeout_ms: u64,
    /// `conditional` gates stop the run.
    pub conditional_required: bool,
    /// `recommended` gates stop the run.
    pub recommended_required: bool,
    /// Stages of a pipeline that may be in flight at once; those that only wait for a person or a run inside are not counted.
    #[serde(default = "one")]
    pub parallel: u32,
    /// How often the reports of a step may send work back to earlier ones before a person is asked (seed 003 `feedback_loops`).
    #[serde(default = "feedback_rounds", skip_serializing_if = "is_usual_rounds")]
    pub feedback_rounds: u32,
    /// How long one issue may be sent to and fro before a person is asked, milliseconds.
    #[serde(default = "feedback_ms", skip_serializing_if = "is_usual_ms")]
    pub feedback_ms: u64,
    /// How often steps may be entered before a run is stopped as one that turns for ever; absent: what the file's own loops allow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<NonZeroU32>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_retries: 0,
            backoff_ms: 0,
            step_timeout_ms: 1_800_000,
            conditional_required: false,
            recommended_required: false,
            parallel: one(),
            feedback_rounds: feedback_rounds(),
            feedback_ms: feedback_ms(),
            max_steps: None,
        }
    }
}

fn one() -> u32 {
    1
}

fn feedback_rounds() -> u32 {
    3
}
fn is_usual_rounds(rounds: &u32) -> bool {
    *rounds == feedback_rounds()
}
/// Four hours.
fn feedback_ms() -> u64 {
    14_400_000
}
fn is_usual_ms(ms: &u64) -> bool {
    *ms == feedback_ms()
}
