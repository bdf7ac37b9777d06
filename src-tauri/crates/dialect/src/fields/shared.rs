//! What several tables share: conditions, retries, and words.

use super::beside::of_retries;
use super::{Level, done, level};

pub(super) const NOT_TOLD: &str = "agents are not told it";

pub(super) const IN_ROUTING: &str = "which step is next says the block `routing` alone";

pub(super) const SUBFLOW_HELP: &str =
    "This workflow does not start. A runbook or a pipeline can run other workflows; a flow can be one of them";

pub(super) static RETRIES: Level = level(&[done("max"), done("backoff_seconds")]).beside(&[of_retries]);

pub(super) static CONDITION: Level = level(&[done("field"), done("operator"), done("value"), done("expression")]);

/// What holds for everything that a workflow does (seed 003 `global_context`).
pub(super) static CONTEXT: Level = level(&[
    done("project_constraints"),
    done("technical_preferences"),
    done("quality_standards"),
    done("business_context"),
]);

/// How far what steps report to earlier ones sends work back (seed 003 `feedback_loops`); see [`model::Feedback`].
pub(super) static FEEDBACK: Level = level(&[done("rounds"), done("seconds"), done("escalate_to")]);
