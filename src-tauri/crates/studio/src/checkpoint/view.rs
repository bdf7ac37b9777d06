//! The moments of a run that one can go back to (seed 003 `checkpoints`), and what going back means.

use crate::view::StepRef;
use serde::Serialize;
use ts_rs::TS;

/// The checkpoints of a run.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct CheckpointsView {
    /// Run.
    pub run_id: String,
    /// In the order of the log.
    pub checkpoints: Vec<CheckpointView>,
    /// Why the moment cannot be named now; absent: it can.
    pub closed: Option<String>,
}

/// Who made a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum CheckpointKind {
    /// A person named the moment.
    Person,
    /// A step asked for it.
    Step,
    /// A person was asked.
    Gate,
}

/// A moment of a run that one can go back to.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct CheckpointView {
    /// The number of its event.
    pub seq: u64,
    /// Its id, as in the run's session.
    pub id: String,
    /// What it is: a name, or the question that was asked.
    pub name: String,
    /// Who made it.
    pub kind: CheckpointKind,
    /// The person who made it.
    pub by: Option<String>,
    /// The step at which the run stood.
    pub step: Option<StepRef>,
    /// Which time it was done, counted from 1; absent: it had not begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub visit: Option<u32>,
    /// When.
    pub at: i64,
    /// What the run has done since, in words: `4 steps, 7 files`.
    pub since: String,
    /// How often a step was carried out since.
    pub steps_since: u32,
    /// How many files were made since, or made anew.
    pub files_since: u32,
    /// Why nobody can go back to it; absent: one can.
    pub refusal: Option<String>,
}

/// What going back to a checkpoint means, before it is done.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct GoBackView {
    /// Where to.
    pub checkpoint: CheckpointView,
    /// What follows, in words.
    pub words: String,
    /// Who could approve nothing in the new run, where four eyes are wanted, as a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub barred: Option<String>,
    /// Which files of the run's folder the new run does not get, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub not_taken: Option<String>,
    /// Steps that are completed then, and are not done again.
    pub kept: Vec<StepRef>,
    /// Steps that were left out by then, and stay so.
    pub left_out: Vec<StepRef>,
    /// Steps that had failed by then, and stay so.
    pub failed: Vec<StepRef>,
    /// Steps that were under way then, and begin again.
    pub again: Vec<StepRef>,
    /// Other steps at which it goes on: asked about then, or about to begin.
    pub at: Vec<StepRef>,
    /// Steps that may come after these.
    pub then: Vec<StepRef>,
    /// How many files of that moment are kept, and written into a folder of the new run's own.
    pub files: u32,
    /// What putting them back into the project would do, in the order of their paths.
    pub changes: Vec<FileChange>,
    /// What a person confirms who has them put back: if the project changes meanwhile nothing is done.
    pub mark: String,
}

/// What would become of a file of the project.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts", rename = "CheckpointFile")]
pub struct FileChange {
    /// Relative to the project.
    pub path: String,
    /// What.
    pub fate: FileFate,
    /// Of one that is left alone: why.
    pub why: Option<String>,
}

/// What would become of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum FileFate {
    /// It is not there and would be written.
    Written,
    /// It is another now and would be changed back.
    Changed,
    /// The run made it later, and it would be deleted.
    Deleted,
    /// It is as it was then.
    Same,
    /// It is left alone.
    Left,
}
