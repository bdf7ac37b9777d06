//! Lists of runs.

use crate::view::{Status, StepRef};
use serde::Serialize;
use ts_rs::TS;

/// A list of runs.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RunsView {
    /// Latest first.
    pub runs: Vec<RunRowView>,
}

/// Who started runs or answered in them.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RunPeopleView {
    /// Their names, each once.
    pub names: Vec<String>,
}

/// Runs that are there and missing from the list.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct UnlistedView {
    /// What is to be said of each, a sentence or two.
    pub words: Vec<String>,
    /// What is to be known beside that and warns of nothing: the files of runs that this history does not have, which may have come
    /// with another copy of the project, a sentence.
    pub notes: Vec<String>,
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
    /// Its record is known not to be what was written down.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub altered: bool,
    /// What it came to; absent: it has not ended.
    pub outcome: Option<OutcomeView>,
    /// When it was created.
    pub created_at: i64,
    /// When it ended.
    pub ended_at: Option<i64>,
    /// Milliseconds from start to end or to now; of a run that nobody carries on to its last event.
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

/// The run that a run goes on from.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ContinuesView {
    /// Run.
    pub run_id: String,
    /// Up to this event the log is that run's.
    pub events: u64,
    /// The checkpoint of that run that it goes back to; absent: it goes on from the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub checkpoint: Option<String>,
    /// In words.
    pub words: String,
}

/// What a run came to, or a step that a person refused.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct OutcomeView {
    /// `done`, `refused`, `failed`, `stopped`, `aborted` or `partly`.
    pub kind: Status,
    /// In words: `rejected by Ada Lund at “Sign the contract”: Not this quarter.`
    pub words: String,
    /// Of a refusal: who.
    pub by: Option<String>,
    /// Of a refusal: the step that was refused.
    pub step: Option<StepRef>,
    /// Of a refusal: in what words.
    pub comment: Option<String>,
    /// Of a refusal: when.
    pub at: Option<i64>,
}
