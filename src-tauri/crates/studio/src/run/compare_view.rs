//! Two runs beside each other.

use crate::gate::decision_view::DecisionView;
use crate::run::row_view::RunRowView;
use crate::view::{Status, StepRef};
use serde::Serialize;
use ts_rs::TS;

pub use crate::workflow::authoring::view::{DifferenceView, StepDifference};

/// Two runs beside each other, each as it stands now: what each did step by step, and where they part.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RunsComparedView {
    /// The first.
    pub left: ComparedRun,
    /// The second.
    pub right: ComparedRun,
    /// Where they part, as a sentence or two.
    pub words: String,
    /// What is to be known before one believes it, a sentence each: two workflows, two versions of one, a rehearsal.
    pub remarks: Vec<String>,
    /// What they were started with that is not the same.
    pub started: Vec<ValuesView>,
    /// What became of the steps from the workflow of the first run to that of the second; empty: they are the same.
    pub steps: Vec<DifferenceView>,
    /// What happened, in the order of the first run; what the second alone did stands behind what came before it there.
    pub rows: Vec<ComparedRow>,
    /// Place of the first row that is not the same in both; absent: all are.
    pub parts_at: Option<u32>,
    /// How many rows are not the same in both.
    pub apart: u32,
}

/// One of two runs.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ComparedRun {
    /// As the list of runs has it.
    pub run: RunRowView,
    /// SHA-256 of the version of the workflow's file that it keeps.
    pub version: String,
    /// What verifying it finds of its record, in a sentence or two; absent: it is unaltered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub found: Option<String>,
}

/// A value of either run.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ValuesView {
    /// What it is called.
    pub name: String,
    /// In the first run; absent: there is none.
    pub left: Option<String>,
    /// In the second run.
    pub right: Option<String>,
}

/// One visit of a step in both runs.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ComparedRow {
    /// The step, as the first run has it; where that has none, as the second one.
    pub step: StepRef,
    /// Which instance of a dynamic step and which time it was done, in words: `2nd time`, `2 · 1, 2nd time`; absent: the first of the only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub which: Option<String>,
    /// What is not the same; empty: nothing but how long it took.
    pub apart: Vec<Apart>,
    /// In the first run; absent: it did not come to it.
    pub left: Option<ComparedVisit>,
    /// In the second run.
    pub right: Option<ComparedVisit>,
    /// Values that were reported and are not the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub reported: Vec<ValuesView>,
    /// Files that were made and are not the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub files: Vec<ComparedFile>,
    /// The runs that carried it out, in pairs: what was done in them is compared by itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub inside: Vec<ComparedInside>,
}

/// A run inside a step in both runs.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ComparedInside {
    /// Title of the workflow.
    pub title: String,
    /// The run inside the first run.
    pub left: String,
    /// The run inside the second run.
    pub right: String,
    /// What they came to: `done in both`, `done in the first, failed in the second`.
    pub words: String,
}

/// What can tell two visits of a step apart, in the order in which it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum Apart {
    /// Only the first run came to it.
    OnlyLeft,
    /// Only the second run came to it.
    OnlyRight,
    /// People were asked something else, at another time of the work, or others were asked.
    Asked,
    /// People answered otherwise.
    Answers,
    /// Another agent did it, or another model answered.
    Doer,
    /// It came to something else.
    Outcome,
    /// A run inside it came to something else.
    Inside,
    /// It led on to something else.
    Way,
    /// It was tried more often.
    Attempts,
    /// It reported other values.
    Reported,
    /// It made other files.
    Files,
    /// People decided the same: somebody else did, or in other words.
    Words,
}

/// A visit of a step in one of two runs.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ComparedVisit {
    /// What it came to.
    pub status: Status,
    /// In words: `done`, `rejected by Ada Lund`.
    pub words: String,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error: Option<String>,
    /// How often it was tried; stopping to ask for permission is no try.
    pub attempts: u32,
    /// How long its attempts took together, milliseconds; absent: none has ended.
    pub duration_ms: Option<u64>,
    /// How it was left, where the other run did not leave it so; absent: as there, or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub way: Option<ComparedWay>,
    /// What people decided, where it is not the same in the other run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub decisions: Vec<DecisionView>,
    /// The runs that carried it out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub inside: Vec<String>,
}

/// How a step was left.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ComparedWay {
    /// Where to; absent: the flow ended.
    pub to: Option<StepRef>,
    /// Why, in plain words.
    pub why: String,
}

/// A file that a visit made in either run.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ComparedFile {
    /// Relative to the project; in the run's own folder with `{run_id}` in place of the run's.
    pub name: String,
    /// Its version in the first run; absent: it did not make it.
    pub left: Option<MadeView>,
    /// Its version in the second run.
    pub right: Option<MadeView>,
}

/// A version of a file, as `run.file` takes it.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct MadeView {
    /// Relative to the project.
    pub path: String,
    /// SHA-256 of what it held.
    pub digest: String,
}
