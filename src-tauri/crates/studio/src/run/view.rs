//! One run: live, or as of any event of its log.

use crate::evidence::view::{EvidenceView, SupportView};
use crate::gate::decision_view::DecisionView;
use crate::gate::view::{ArtifactView, GateCard};
use crate::pipeline::view::PipelineRunView;
use crate::run::fork_view::ForkView;
use crate::run::lifecycle_view::{CheckView, ContextView, GuardrailView, ToolCallView, ValidationView};
use crate::run::row_view::{ContinuesView, OutcomeView};
use crate::view::{FieldView, Refused, Status, StepRef};
use crate::workflow::view::{CommandView, FaceView, WorkKind};
use model::Format;
use model::layout::{Drawing, EdgePath};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use ts_rs::TS;

/// How a run stands as of one event (`at`), apart from its picture; live when `at` equals `last`.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RunHead {
    /// Run.
    pub run_id: String,
    /// Title of the workflow.
    pub workflow_title: String,
    /// Its file. Of an imported session the one of the workflow that it names; empty: the project has none of that id, or several.
    pub workflow_path: String,
    /// What the run is about; absent: nothing says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub subject: Option<String>,
    /// What is to be said of who answered in it: one person for several roles, a key under another name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub remarks: Vec<String>,
    /// What is to be said and warns of nothing: that four eyes are wanted, who answered for a role that is theirs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub notes: Vec<String>,
    /// Its contract.
    pub format: Format,
    /// Sequence number of the event shown.
    pub at: u64,
    /// Sequence number of the last event.
    pub last: u64,
    /// Time of the event shown.
    pub at_time: i64,
    /// Status.
    pub status: Status,
    /// In words.
    pub status_words: String,
    /// What it came to; absent: it has not ended.
    pub outcome: Option<OutcomeView>,
    /// When it was created.
    pub created_at: i64,
    /// When it ended (as of `at`).
    pub ended_at: Option<i64>,
    /// Of a run that has ended: how much of its time it waited for people, in words; absent: nobody was waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub waited: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// What the workflow said at its end.
    pub message: Option<String>,
    /// The run whose step this one carries out.
    pub parent: Option<ParentView>,
    /// The run that this one goes on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub continues: Option<ContinuesView>,
    /// What is to be said of a session that was taken in; absent: it is a run of here.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub imported: Option<String>,
    /// That the rehearsal began in the middle, as a sentence; absent: it began at the first step.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub begins: Option<String>,
    /// Every step is asked for; nothing is executed.
    pub prompted: bool,
    /// Who started it.
    pub by: String,
    /// `desktop`, `cli`.
    pub initiator: String,
    /// Nothing of it happens for real.
    pub rehearsal: bool,
    /// What of the rules reading scripts alone keeps, on the machine where it was started, as a sentence; absent: the kernel holds all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub only_read: Option<String>,
    /// Name of the scenario that scripts it.
    pub scenario: Option<String>,
    /// Of a run of several flows: how each stands, in its order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub flows: Vec<FlowState>,
    /// Who drives it now: `desktop 4711@host`; absent: nobody.
    pub driver: Option<String>,
    /// The file has changed since the run started; the run keeps its own version.
    pub source_changed: bool,
    /// The file is not there any more, or never was where it is looked at.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub source_gone: bool,
    /// Its record is known not to be what was written down.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub altered: bool,
    /// The decision that waits.
    pub waiting: Option<GateCard>,
    /// Decisions that runs inside it wait for, the longest waiting first; empty when replaying.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub waiting_inside: Vec<Arc<GateCard>>,
    /// What a person can do now; empty when replaying.
    pub actions: Vec<ActionView>,
    /// Of a pipeline: how far it is, what remains, and what is to be said before it can be resumed.
    pub pipeline: Option<PipelineRunView>,
    /// How well what it made is supported; absent: it recorded no evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub support: Option<SupportView>,
    /// Of a run that can be taken up again where it failed: what that means.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub resume: Option<ResumeView>,
}

/// How one flow of several stands in a run.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct FlowState {
    /// Its key.
    pub key: String,
    /// What a person reads.
    pub title: String,
    /// Its file.
    pub file: String,
    /// It is no part of the order: another flow led to it.
    pub beside: bool,
    /// Status.
    pub status: Status,
    /// In words.
    pub words: String,
}

/// A run as of one event, with its whole picture.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RunView {
    /// How it stands.
    #[serde(flatten)]
    #[ts(flatten)]
    pub head: RunHead,
    /// The picture of the version it runs.
    pub drawing: Drawing,
    /// Faces of the drawing's nodes, in its order.
    pub faces: Vec<FaceView>,
    /// What happened at each node, in the drawing's order.
    pub steps: Vec<StepOverlay>,
    /// What happened on each edge, in the drawing's order.
    pub edges: Vec<EdgeOverlay>,
    /// Of each step that forks its latest fork.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub forks: Vec<ForkView>,
    /// Every decision so far, in order.
    pub routes: Vec<RouteView>,
}

impl std::ops::Deref for RunView {
    type Target = RunHead;

    fn deref(&self) -> &RunHead {
        &self.head
    }
}

/// The picture of the version of a workflow that a run keeps; nothing that happens changes it.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RunDrawing {
    /// The picture of the version it runs.
    pub drawing: Drawing,
    /// Faces of the drawing's nodes, in its order.
    pub faces: Vec<FaceView>,
}

/// What happened on a picture as of an event; of steps and edges those that stand otherwise than at `since`.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RunOverlay {
    /// How the run stands.
    pub head: RunHead,
    /// Beside what it is said; absent: all of it.
    pub since: Option<u64>,
    /// How many numbered decisions there are by now.
    pub numbers: u32,
    /// The step that matters most: where a person is waited for, else what is at work, else where the run ended, else what was left last.
    pub active: Option<String>,
    /// Steps, in the drawing's order.
    pub steps: Vec<StepOverlay>,
    /// Edges, in the drawing's order; the numbers of each are those beyond the decisions at `since`.
    pub edges: Vec<EdgeOverlay>,
    /// Of each step that forks its latest fork.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub forks: Vec<ForkView>,
    /// Every way that a person, or the report of a step, sent the run and that the workflow does not draw, drawn.
    pub sent: Vec<EdgePath>,
    /// How high the picture is with those.
    pub height: f64,
}

/// Decisions of a run, in order.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RoutesView {
    /// Those asked for.
    pub routes: Vec<RouteView>,
}

/// What taking up a run again means (seed 000 "Resume").
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ResumeView {
    /// The step it goes on with.
    pub step: StepRef,
    /// Steps that run after it, or may, in order.
    pub then: Vec<StepRef>,
    /// Steps that are completed and do not run again.
    pub kept: Vec<StepRef>,
    /// Steps at which it can go on instead; empty where there is no choice.
    pub places: Vec<StepRef>,
    /// In words.
    pub words: String,
    /// Which files of the run's folder a new run does not get that goes on from it, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub not_taken: Option<String>,
    /// It goes on with the file as it is now: what is other in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub mended: Option<MendedView>,
}

/// What a mended workflow has otherwise than the version that a run keeps.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct MendedView {
    /// Steps that are written otherwise.
    pub changed: Vec<StepRef>,
    /// Steps that are new.
    pub added: Vec<StepRef>,
    /// Steps that are no longer there.
    pub gone: Vec<StepRef>,
}

/// The run whose step another run carries out.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ParentView {
    /// Run.
    pub run_id: String,
    /// Title of its workflow.
    pub title: String,
    /// The step, by its id.
    pub step: String,
}

/// What happened at a step.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct StepOverlay {
    /// Step.
    pub id: String,
    /// Status.
    pub status: Status,
    /// Small line: `done · 12 s`, `done · 2 times`.
    pub words: String,
    /// How often it was entered.
    pub visits: u32,
    /// Of a dynamic step, or one inside one: how many instances there are; 0: it has none.
    pub instances: u32,
    /// Retries taken by the step as it is now, `1/2`; absent: none.
    pub retry: Option<String>,
}

/// What happened on an edge.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct EdgeOverlay {
    /// The edge's id in the drawing.
    pub id: String,
    /// Numbers of the decisions that took it, in order; empty: not taken.
    pub taken: Vec<u32>,
    /// Of a loop edge: `1/5`.
    pub loop_badge: Option<String>,
    /// Of a dependency that was not met: why not, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub why_not: Option<String>,
}

/// Why a run went where it went.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RouteView {
    /// 1-based order.
    pub number: u32,
    /// Its event.
    pub seq: u64,
    /// When.
    pub at: i64,
    /// From.
    pub from: StepRef,
    /// The container whose transition decided; absent: the step's own.
    pub unit: Option<StepRef>,
    /// Which visit of it.
    pub visit: u32,
    /// To; absent: the flow ended.
    pub to: Option<StepRef>,
    /// The edge it took, if one is drawn.
    pub edge_id: Option<String>,
    /// `loop`, `advance`, `terminate`.
    pub decision: String,
    /// `Why back to “Author”?`
    pub headline: String,
    /// Plain words.
    pub why: String,
    /// The contract's reason.
    pub reason: String,
    /// `fast_path`, `deterministic`, `person` …
    pub source: String,
    /// In words.
    pub source_words: String,
    /// Fields that decided.
    pub looked_at: Vec<FieldView>,
    /// What was not done.
    pub alternatives: Vec<AlternativeView>,
    /// Where branches met with it: how they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub fork: Option<ForkView>,
}

/// A way not taken.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct AlternativeView {
    /// Where it leads; absent: the flow ends.
    pub to: Option<StepRef>,
    /// Why not, in words.
    pub why_not: String,
}

/// What a person can do to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum RunAction {
    /// Nothing new begins until it is resumed.
    Pause,
    /// It goes on.
    Resume,
    /// It ends here.
    Abort,
    /// It goes on at another step.
    Jump,
    /// Nobody carries it on: it is taken up here.
    Drive,
    /// It has ended and is taken up again.
    Reopen,
}

/// What a person can do with a run.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ActionView {
    /// Which.
    pub action: RunAction,
    /// Whether it may be done now.
    pub allowed: bool,
    /// Why not.
    pub refusal: Option<Refused>,
}

/// One step of a run, as of an event.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct StepDetail {
    /// Step.
    pub step: StepRef,
    /// What it is for.
    pub intent: Option<String>,
    /// The same as sanitised HTML, where the author wrote Markdown.
    pub intent_html: Option<String>,
    /// Status.
    pub status: Status,
    /// Small line.
    pub words: String,
    /// What is done.
    pub kind: WorkKind,
    /// Its phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub phase: Option<String>,
    /// The instances of a dynamic step, or of one inside one, in order; of very many those around the one shown. Empty: it has none.
    pub instances: Vec<InstanceView>,
    /// How many instances there are.
    pub instances_in_all: u32,
    /// The instance whose visits are shown; empty where there is only one.
    pub path: Vec<u32>,
    /// What it holds, with what happened there in the instance shown.
    pub inside: Vec<InsideView>,
    /// The command written in it.
    pub command: Option<CommandView>,
    /// Visits of the instance shown, latest first: the last twenty that were asked for, and where those are the latest also one that begins
    /// with an answer.
    pub visits: Vec<VisitView>,
    /// Number of the visit before them, for `run.step` to end with; absent: there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub earlier: Option<u32>,
    /// Number of the visit that the twenty behind them end with; absent: there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub later: Option<u32>,
    /// The gate round that waits here.
    pub waiting: Option<GateCard>,
    /// Everything that people were asked here in those visits, with who answered what: oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub decisions: Vec<DecisionView>,
    /// How good its agents find what they made, of each attempt of those visits that says so, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub scores: Vec<ScoreView>,
    /// It never began, and the run is over.
    pub run_ended_before: bool,
}

/// How good an attempt finds what it made, 0 to 10.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ScoreView {
    /// Which time of the step it is of, 1-based.
    pub visit: u32,
    /// Of which attempt of it, 1-based.
    pub attempt: u32,
    /// All in all: as it is stated, else the mean of what is.
    pub overall: f64,
    /// What it is made of, `clarity 7.5`.
    pub parts: Vec<String>,
    /// More than the attempt before it, or less; absent: there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub change: Option<f64>,
    /// What supports the claim, in words; absent: nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub support: Option<String>,
}

/// One instance of a dynamic step.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct InstanceView {
    /// Its indices, outermost first: what `run.step` takes.
    pub path: Vec<u32>,
    /// `3`, `2 · 4`.
    pub label: String,
    /// Status.
    pub status: Status,
    /// Small line.
    pub words: String,
}

/// A step inside a container.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct InsideView {
    /// Step.
    pub step: StepRef,
    /// Status.
    pub status: Status,
    /// Small line.
    pub words: String,
}

/// One visit.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct VisitView {
    /// 1-based.
    pub visit: u32,
    /// How often the step's work had begun with it, where that is not its number: a visit at which a person refused what the step wanted to do
    /// has a number, and did nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub time: Option<u32>,
    /// What a person is asked in it, since when and in which role; without attempts it begins with their answer. Absent: it waits for nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub waiting: Option<GateCard>,
    /// Runs that carried it out (a runbook's runbooks).
    pub children: Vec<ChildRunView>,
    /// Latest first.
    pub attempts: Vec<AttemptView>,
    /// What a person said who did not take what it came to; absent: nobody said that.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub refused: Option<RefusedVisit>,
    /// How it was left.
    pub route: Option<RouteView>,
    /// Evidence that it recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub evidence: Vec<EvidenceView>,
}

/// That a person did not take what a visit came to.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RefusedVisit {
    /// How that looks.
    pub status: Status,
    /// In words: `rejected by Ada Lund`, `sent back by Ada Lund`.
    pub words: String,
}

/// A run that carries out a step of this one.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ChildRunView {
    /// Run.
    pub run_id: String,
    /// Title of its workflow.
    pub title: String,
    /// Status.
    pub status: Status,
    /// In words.
    pub words: String,
}

/// One attempt.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct AttemptView {
    /// 1-based.
    pub attempt: u32,
    /// Status.
    pub status: Status,
    /// Who.
    pub agent: String,
    /// `stub-step`.
    pub engine: String,
    /// Model or program.
    pub model: String,
    /// When it started.
    pub started_at: i64,
    /// When it ended.
    pub ended_at: Option<i64>,
    /// How long.
    pub duration_ms: Option<u64>,
    /// Why it failed.
    pub error: Option<String>,
    /// What it said; while it runs what it has said so far. Control characters are made visible.
    pub output: String,
    /// The beginning of `output` is left out: it is long, and its end is what counts while it runs.
    pub output_from_end: bool,
    /// `output` is cut; the whole is kept under this digest.
    pub whole_output: Option<String>,
    /// What it reported.
    pub report: Vec<FieldView>,
    /// What each of several agents did, in their order; one who did not begin is not there. Absent: one agent, or none has ended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub agents: Vec<AgentWorkView>,
    /// Token usage: read, written, both.
    pub tokens: (u64, u64, u64),
    /// What people had asked to be changed.
    pub comments: Vec<String>,
    /// What it made.
    pub artifacts: Vec<ArtifactView>,
    /// Tools it used: name, whether it worked.
    pub tools: Vec<(String, bool)>,
    /// The receipt as it is in the run directory.
    pub receipt: Option<FileView>,
    /// Lines of the transcript.
    pub transcript: Vec<TranscriptLine>,
    /// The files that branches in folders of their own had changed, brought in before the work: path, and which branch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub brought_in: Vec<FieldView>,
    /// Files that were another version, when its work began, than the one that a person had approved, a warning each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub not_as_approved: Vec<CheckView>,
    /// Files it made that are too large to be kept, a warning each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub unkept: Vec<CheckView>,
    /// Files that the workflow says it makes and that were not there when it had ended well, a warning each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub unmade: Vec<CheckView>,
    /// Files that held the very same bytes before its work, a note or a warning each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub unchanged: Vec<CheckView>,
    /// Tool calls that the workflow declares, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub calls: Vec<ToolCallView>,
    /// What the guardrails say of what went in and came out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub guardrails: Vec<GuardrailView>,
    /// What was looked up for the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub context: Option<ContextView>,
    /// What validation came to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub validation: Option<ValidationView>,
}

/// What one of several agents did in an attempt.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct AgentWorkView {
    /// Who.
    pub agent: String,
    /// `stub-step`.
    pub engine: String,
    /// Status.
    pub status: Status,
    /// The status in words.
    pub words: String,
    /// How long.
    pub duration_ms: u64,
    /// Why it failed.
    pub error: Option<String>,
    /// What it reported.
    pub report: Vec<FieldView>,
    /// Its receipt as it is in the run directory.
    pub receipt: Option<FileView>,
}

/// A file of the run directory.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct FileView {
    /// Relative to the run directory.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// One line of a transcript.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TranscriptLine {
    /// As written.
    pub timestamp: String,
    /// Role or type.
    pub role: String,
    /// Text.
    pub content: String,
}

/// The run's log for people.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct LogView {
    /// In order.
    pub lines: Vec<LogLine>,
    /// Pass it to get what follows.
    pub last: u64,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct LogLine {
    /// Its event.
    pub seq: u64,
    /// When.
    pub at: i64,
    /// The step, where one is meant.
    pub step: Option<StepRef>,
    /// `event`, `stdout`, `stderr`; `gatehouse`: what Gatehouse itself says of the work of a step; `heading`: in which run the events behind it
    /// were recorded, where some were taken over from another one.
    pub stream: String,
    /// Plain text; control characters are made visible.
    pub text: String,
    /// Tone.
    pub status: Option<Status>,
}

/// The run over time, or a piece of it.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TimelineView {
    /// First event.
    pub start: i64,
    /// Last event, or now while it runs.
    pub end: i64,
    /// What is told besides what was known as of this event; absent: nothing was known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub after: Option<u64>,
    /// Sequence number of the last event that is told of: what the next piece begins after.
    pub at: u64,
    /// Sequence number of the last event there is: where it is above `at`, more is to be asked for.
    pub last: u64,
    /// In document order; then who decided the way on, where a navigator was asked; people last. Of those told besides what was known
    /// only those with bars that are new or otherwise.
    pub lanes: Vec<Lane>,
    /// Every new event but output, in order. What each says is its line of the log.
    pub ticks: Ticks,
    /// Whether steps are queued: several may be at work at once.
    pub queued: bool,
    /// Idle stretches that are folded: from, to. Told with the last piece.
    pub gaps: Vec<(i64, i64)>,
    /// Stretches in which the run had ended and was not yet taken up again: from, to. Told with the last piece.
    pub rests: Vec<(i64, i64)>,
    /// Within bars of steps that run workflows, the stretches in which the runs inside waited for people. All of them, told with the last piece.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub waits_inside: Vec<WaitInside>,
    /// Which events were taken over from runs that this one goes on from, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub taken_over: Vec<TakenOverView>,
}

/// Events of a log that were recorded in another run, and have its times.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TakenOverView {
    /// From which run, and which events, in words.
    pub words: String,
    /// The number of the first of them.
    pub first: u64,
    /// That of the last.
    pub last: u64,
}

/// A stretch in which the runs inside a step waited for people and nothing was at work in them.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct WaitInside {
    /// The place of the step's lane.
    pub place: u32,
    /// From.
    pub start: i64,
    /// To; absent: they still wait.
    pub end: Option<i64>,
}

/// Events on the time axis, as columns: a long run has very many.
#[derive(Debug, Clone, Default, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts", rename = "TimelineTicks")]
pub struct Ticks {
    /// Sequence numbers: that of the first, then of each how far it is above the one before.
    pub seq: Vec<u64>,
    /// When, in the same way; negative where a clock was set back.
    pub at: Vec<i64>,
    /// The place of the lane of the step that is meant; absent: none is.
    pub lane: Vec<Option<u32>>,
}

/// A lane.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts", rename = "TimelineLane")]
pub struct Lane {
    /// What it is known by, and its place: lanes stand in the order of these numbers, which have gaps.
    pub place: u32,
    /// The step; absent: people, or who decides the way on.
    pub step: Option<StepRef>,
    /// What a person reads.
    pub name: String,
    /// How many of its bars stay as they were known; none follows them but those told.
    pub from: u32,
    /// In order.
    pub bars: Vec<BarView>,
    /// The phase of the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub phase: Option<String>,
}

/// A bar.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct BarView {
    /// From.
    pub start: i64,
    /// To; absent: still open.
    pub end: Option<i64>,
    /// Event that opened it.
    pub from_seq: u64,
    /// Event that closed it.
    pub to_seq: Option<u64>,
    /// blocked = waits for a person (hatched); of a wait that was answered how the answer looks.
    pub status: Status,
    /// `2nd time`, `attempt 2`; of a wait for a person the step that it is about.
    pub label: String,
    /// How a person answered, in words: `approved`; absent: nobody was asked, or nobody has answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub answer: Option<String>,
}
