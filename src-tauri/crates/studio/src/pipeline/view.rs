//! Pipelines (seed 004): templates, drafts, the list of what there is, and where one stands.

use crate::view::{Status, StepRef};
use crate::workflow::view::{FaceView, ProblemView};
use model::layout::Drawing;
use model::{GateAt, GateRequirement};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The templates a pipeline can be made of.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TemplatesView {
    /// The built-in ones first, then the project's own.
    pub templates: Vec<TemplateView>,
    /// Where pipelines lie, relative to the project.
    pub folder: String,
}

/// A template.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TemplateView {
    /// What it is called by: `full_sdlc`.
    pub name: String,
    /// What a person reads: `Full SDLC Pipeline`.
    pub title: String,
    /// What it is for.
    pub description: Option<String>,
    /// Where it comes from.
    pub origin: TemplateOrigin,
    /// What becomes of the rest after a failure.
    pub error_handling: FailureHandling,
    /// Its stages in their order, ready to be changed in a draft.
    pub stages: Vec<StageDraft>,
    /// Why no pipeline can be made of it.
    pub problem: Option<String>,
}

/// Where a template comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum TemplateOrigin {
    /// Gatehouse brings it.
    BuiltIn,
    /// A file of the project.
    Project {
        /// Relative path.
        path: String,
    },
}

/// What becomes of the rest of a pipeline when a stage has failed (seed 004 `error_handling`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum FailureHandling {
    /// What runs is finished, nothing else begins.
    #[default]
    Halt,
    /// What depends on the stage is skipped, the rest goes on.
    SkipDependents,
    /// The stage is tried again; when that is used up, as with halt.
    Retry,
}

/// A pipeline as somebody wants it, before it has a file. Of a template everything is taken over, unless `stages` are given:
/// then they alone make it up.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PipelineDraft {
    /// What a person reads; the id is made of it.
    pub name: String,
    /// The template it is made of, by its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub template: Option<String>,
    /// The pipeline it is made of, by its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub from: Option<String>,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub description: Option<String>,
    /// What becomes of the rest after a failure; absent: halt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error_handling: Option<FailureHandling>,
    /// Extra attempts under `retry`; absent: 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub max_retries: Option<u32>,
    /// Seconds between attempts under `retry`; absent: 30.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub retry_delay_seconds: Option<u32>,
    /// In the order of the file; absent: those of the template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub stages: Option<Vec<StageDraft>>,
}

/// A stage of a draft.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(export_to = "studio.gen.ts")]
pub struct StageDraft {
    /// Unique in the pipeline.
    pub name: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub description: Option<String>,
    /// Who does it.
    #[ts(optional, as = "Option<_>")]
    pub agents: Vec<String>,
    /// May run beside others.
    #[ts(optional, as = "Option<_>")]
    pub parallel: bool,
    /// Names of stages.
    #[ts(optional, as = "Option<_>")]
    pub depends_on: Vec<String>,
    /// What it reads.
    #[ts(optional, as = "Option<_>")]
    pub inputs: Vec<String>,
    /// What it makes.
    #[ts(optional, as = "Option<_>")]
    pub outputs: Vec<String>,
    /// Where a person is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub gate: Option<GateDraft>,
    /// A shell script that does it, instead of agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub run: Option<String>,
    /// Other workflows that do it, instead of agents; relative paths.
    #[ts(optional, as = "Option<_>")]
    pub workflows: Vec<String>,
}

/// A gate of a draft.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct GateDraft {
    /// How strongly it asks.
    pub requirement: GateRequirement,
    /// Before or after the work; absent: after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub at: Option<GateAt>,
    /// The question; absent: one is made of the stage's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub question: Option<String>,
    /// Whom; empty: anyone.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub asks: Vec<String>,
}

/// What a draft would become, before it is created.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct DraftView {
    /// The id it would get if it were created now; absent: the name gives none.
    pub id: Option<String>,
    /// Its file, relative to the project.
    pub path: Option<String>,
    /// Why the name gives no id.
    pub name_problem: Option<String>,
    /// The file's text.
    pub text: String,
    /// What is wrong with it, in document order.
    pub problems: Vec<ProblemView>,
    /// Whether it can be created: the name gives an id and no problem is an error.
    pub can_create: bool,
    /// The picture.
    pub drawing: Drawing,
    /// Faces of the drawing's nodes, in its order.
    pub faces: Vec<FaceView>,
    /// Step ids of the longest chain: by the durations of past runs, where there are none by the number of stages.
    pub critical_path: Vec<String>,
    /// How long it will take.
    pub estimate: EstimateView,
}

/// A pipeline that was created.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PipelineCreated {
    /// `PIPE-20260131-my-name-093000`.
    pub id: String,
    /// Its file, relative to the project.
    pub path: String,
    /// How many stages it has.
    pub stages: u32,
    /// How long it will take.
    pub estimate: EstimateView,
}

/// An estimate from past runs. It is one: nothing of it is measured in this run.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct EstimateView {
    /// Milliseconds until everything has ended; absent: not known.
    pub ms: Option<u64>,
    /// In words: `about 12 min (estimated from 3 past runs)`, `unknown: …`.
    pub words: String,
    /// How many past runs it comes from.
    pub runs: u32,
    /// The chain of stages that takes longest, of those that have not ended; empty: not known, or nothing is left.
    pub path: Vec<StepRef>,
    /// Stages that have never been completed before: they are counted as nothing, so that it may take longer.
    pub unknown: Vec<StepRef>,
}

/// The pipelines of the project.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PipelinesView {
    /// Where they lie, relative to the project.
    pub folder: String,
    /// Latest first.
    pub pipelines: Vec<PipelineRow>,
    /// The one that was started last.
    pub active: Option<String>,
}

/// A pipeline in a list.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PipelineRow {
    /// `PIPE-20260131-my-name-093000`; of a file that is not named so its name.
    pub id: String,
    /// Its file, relative to the project.
    pub path: String,
    /// What a person reads.
    pub name: String,
    /// Status.
    pub status: Status,
    /// In the words of pipeline files: `pending`, `running`, `completed_with_failures` …
    pub status_word: String,
    /// When it was created, as its id says: `2026-01-31 09:30:00`; empty where it has no id.
    pub created: String,
    /// How many stages it has.
    pub stages: u32,
    /// Its run; absent: it has not been started here.
    pub run_id: Option<String>,
    /// Why it cannot be run: the first error in the file; or that it was run somewhere else.
    pub problem: Option<String>,
}

/// Where a pipeline stands.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PipelineView {
    /// `PIPE-20260131-my-name-093000`.
    pub id: String,
    /// Its file, relative to the project.
    pub path: String,
    /// What a person reads.
    pub name: String,
    /// Status.
    pub status: Status,
    /// In the words of pipeline files.
    pub status_word: String,
    /// How far it is.
    pub progress: ProgressView,
    /// In the order of the file.
    pub stages: Vec<StageView>,
    /// Stages that are being carried out.
    pub current: Vec<StepRef>,
    /// How long the rest will take.
    pub estimate: EstimateView,
    /// Where its outputs are, relative to the project.
    pub outputs: String,
    /// Its run; absent: it has not been started here.
    pub run_id: Option<String>,
    /// Who carries it out now: `desktop 4711@host`; absent: nobody.
    pub driver: Option<String>,
    /// The file has changed since its run began, in more than the states; the run keeps its own version.
    pub source_changed: bool,
    /// How its stages differ from those that the run has: sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub stages_changed: Vec<String>,
    /// Why it failed; of one that has no run here, that it was run somewhere else.
    pub error: Option<String>,
    /// Stages about which something must be said before it can be resumed.
    pub choices: Vec<StageChoice>,
    /// How it ended, explained.
    pub ending: Option<EndingView>,
}

/// How far a pipeline is: completed stages of all stages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ProgressView {
    /// Stages that were completed.
    pub completed: u32,
    /// All stages.
    pub total: u32,
    /// `completed` of `total`, rounded down: 100 only when every stage is completed.
    pub percent: u32,
    /// In words: `2 of 4 completed`, `3 completed, 1 failed, 3 skipped`.
    pub words: String,
}

/// Where a stage stands.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct StageView {
    /// The stage.
    pub step: StepRef,
    /// Status.
    pub status: Status,
    /// In the words of pipeline files: `pending`, `queued`, `running`, `completed`, `failed`, `skipped`, `aborted`.
    pub status_word: String,
    /// Who does it.
    pub agents: Vec<String>,
    /// How long its last visit took, or takes up to now, where nobody carries it on up to the run's last event; absent: it has not begun.
    pub duration_ms: Option<u64>,
    /// The folder of its outputs, relative to the project; absent: it has made none.
    pub output: Option<String>,
    /// Why it failed, or because of which stage it was skipped.
    pub reason: Option<String>,
}

/// What a run of a pipeline adds to what every run shows.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PipelineRunView {
    /// In the words of pipeline files.
    pub status_word: String,
    /// How far it is.
    pub progress: ProgressView,
    /// Step ids of the longest chain: by the durations of this run and of past ones.
    pub critical_path: Vec<String>,
    /// How long the rest will take.
    pub estimate: EstimateView,
    /// Stages about which something must be said before the run can be taken up again (`reopen`); empty while it runs.
    pub choices: Vec<StageChoice>,
    /// How it ended, explained; absent: it has not, or every stage was completed.
    pub ending: Option<EndingView>,
}

/// A stage that failed or was cut off: retry it or skip it?
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct StageChoice {
    /// The stage.
    pub step: StepRef,
    /// Failed or aborted.
    pub status: Status,
    /// Why it failed.
    pub error: Option<String>,
    /// Stages that wait for it, directly or not: what is skipped with it, or may run again with it.
    pub dependents: Vec<StepRef>,
    /// What a retry means, in words.
    pub retry: String,
    /// What skipping means, in words.
    pub skip: String,
}

/// Why not every stage of a pipeline was completed.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct EndingView {
    /// The whole in words.
    pub words: String,
    /// Stages that failed.
    pub failed: Vec<LostStage>,
    /// Refused by a person.
    pub refused: Vec<LostStage>,
    /// Stages that were cut off.
    pub aborted: Vec<LostStage>,
    /// Stages that were skipped because of another one.
    pub skipped: Vec<LostStage>,
    /// Stages that a person skipped.
    pub by_person: Vec<LostStage>,
    /// Stages that this run was to go on without: by their condition, or as somebody answered.
    pub left_out: Vec<LostStage>,
    /// Stages that did not begin.
    pub pending: Vec<LostStage>,
}

/// A stage that was not completed.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct LostStage {
    /// The stage.
    pub step: StepRef,
    /// Why, in words.
    pub words: String,
    /// The stage because of which it was skipped.
    pub because: Option<StepRef>,
}
