//! Lists of runs.

use crate::run::view::{ContinuesView, OutcomeView};
use crate::view::Status;
use serde::Serialize;
use ts_rs::TS;

/// All runs.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RunsView {
    /// Latest first.
    pub runs: Vec<RunRowView>,
}

/// A run in a table.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RunRowView {
    /// Run.
    pub run_id: String,
    /// Title of the workflow.
    pub workflow_title: String,
    /// Its file.
    pub workflow_path: String,
    /// What the run is about; absent: nothing says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub subject: Option<String>,
    /// Status.
    pub status: Status,
    /// In words: `waits for you at “Approve the plan”`.
    pub status_words: String,
    /// What it came to; absent: it has not ended.
    pub outcome: Option<OutcomeView>,
    /// When it was created.
    pub created_at: i64,
    /// When it ended.
    pub ended_at: Option<i64>,
    /// Milliseconds from start to end or to now.
    pub duration_ms: u64,
    /// Loops taken.
    pub loops: u32,
    /// Rounds of gates asked.
    pub gates: u32,
    /// Step executions.
    pub executed: u32,
    /// Who started it.
    pub by: String,
    /// `desktop`, `cli`.
    pub initiator: String,
    /// The run that it goes on from, or goes back to a moment of.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub continues: Option<ContinuesView>,
    /// Nothing of it happens for real.
    pub rehearsal: bool,
    /// Name of the scenario that scripts it.
    pub scenario: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
}
