//! The command list: every intent a client can send, declared once. Window, HTTP door and tests go through
//! [`dispatch`]; the TypeScript signatures (`ui/src/lib/api/commands.gen.ts`) are generated from the same table.

use crate::checkpoint::view::{CheckpointsView, GoBackView};
use crate::evidence::view::EvidenceList;
use crate::gate::view::{ArtifactView, GateBrief, InboxView};
use crate::pipeline::view::{DraftView, PipelineCreated, PipelineDraft, PipelineView, PipelinesView, TemplatesView};
use crate::report::view::{ReportView, SavedView};
use crate::run::row_view::RunsView;
use crate::run::view::{
    LogView, ResumeView, RoutesView, RunAction, RunDrawing, RunOverlay, RunView, StepDetail, TimelineView,
};
use crate::scenario::view::TestsView;
use crate::session::view::{SessionView, TakeOverView};
use crate::settings::context_view::{ProjectContextChange, ProjectContextView};
use crate::settings::people_view::PeopleView;
use crate::settings::view::{SettingsChange, SettingsView};
use crate::terminal::screen::Pressed;
use crate::terminal::view::TerminalsView;
use crate::text::safe;
use crate::verify::view::VerifyView;
use crate::workflow::authoring::view::{
    CompareView, CompletionsView, CopiedView, FormView, GatesBeforeView, NewFilesView, PaletteView, PartsView,
    PlacedView, PreviewView, ScenarioTable, VersionsView,
};
use crate::workflow::library_view::LibraryView;
use crate::workflow::view::{DocumentView, EditOutcome, StartBrief, WorkflowView};
use crate::{ApiError, Studio};
use engine::{Answer, Choice, Lasting, Level};
use model::layout::Room;
use model::{Gesture, Place};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// No parameters.
#[derive(Debug, Clone, Default, Deserialize, TS)]
#[serde(default)]
#[ts(export_to = "studio.gen.ts")]
pub struct Nothing {}

/// How much of the Inbox is wanted.
#[derive(Debug, Clone, Default, Deserialize, TS)]
#[serde(default)]
#[ts(export_to = "studio.gen.ts")]
pub struct InboxOf {
    /// How many past decisions; absent: the latest fifty.
    #[ts(optional)]
    pub decided: Option<u32>,
}

/// Names a workflow file.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PathOf {
    /// Relative path.
    pub path: String,
}

/// Names a pipeline.
#[derive(Debug, Clone, Default, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PipelineOf {
    /// `PIPE-20260131-my-name-093000`; absent: the one that was started last.
    #[serde(default)]
    #[ts(optional)]
    pub id: Option<String>,
}

/// Names a workflow file and how it is drawn.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct OpenOf {
    /// Relative path.
    pub path: String,
    /// Containers that are drawn as single boxes, by their step ids.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub collapsed: Vec<String>,
    /// What the picture is to fit into: a long flow is broken into rows. Absent: it is one row.
    #[serde(default)]
    #[ts(optional)]
    pub room: Option<Room>,
}

/// Gestures on a version of a file: all of them are made, and are one entry of its journal, or none is.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct EditOf {
    /// Relative path.
    pub path: String,
    /// `revision` of the view the gestures were made on.
    pub revision: String,
    /// In their order, each on what those before it have left.
    pub edits: Vec<Gesture>,
    /// What undo calls them; absent: made of the first one.
    #[serde(default)]
    #[ts(optional)]
    pub label: Option<String>,
    /// Write over what another program did to the same lines (the answer to a conflict).
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub keep_mine: bool,
}

/// A text in place of a version of a file: what somebody has typed.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct WriteOf {
    /// Relative path.
    pub path: String,
    /// `revision` of the view that was typed in.
    pub revision: String,
    /// The whole text.
    pub text: String,
    /// What undo calls it; absent: a change of the source.
    #[serde(default)]
    #[ts(optional)]
    pub label: Option<String>,
    /// Write over what another program did to the same lines (the answer to a conflict).
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub keep_mine: bool,
}

/// Gestures that are looked at before they are made.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PreviewOf {
    /// Relative path.
    pub path: String,
    /// `revision` of the view the gestures would be made on; absent: the file as it is.
    #[serde(default)]
    #[ts(optional)]
    pub revision: Option<String>,
    /// In their order.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub edits: Vec<Gesture>,
    /// A text that is looked at in place of the version's own: what somebody is typing. The gestures are made on it.
    #[serde(default)]
    #[ts(optional)]
    pub text: Option<String>,
    /// Containers that are drawn as single boxes, by their step ids.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub collapsed: Vec<String>,
    /// What the picture is to fit into.
    #[serde(default)]
    #[ts(optional)]
    pub room: Option<Room>,
}

/// Names a scenario beside a workflow.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ScenarioOf {
    /// Relative path of the workflow.
    pub path: String,
    /// Relative path of the scenario.
    pub scenario: String,
}

/// Changes of a scenario beside a workflow: all of them are made, or none is.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ScenarioEditOf {
    /// Relative path of the workflow.
    pub path: String,
    /// Relative path of the scenario.
    pub scenario: String,
    /// `revision` of the table that the changes were made on.
    pub revision: String,
    /// In their order; the places are keys from the root of the file.
    pub edits: Vec<model::Edit>,
    /// What undo calls them.
    #[serde(default)]
    #[ts(optional)]
    pub label: Option<String>,
}

/// A run that becomes a scenario.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RecordOf {
    /// Run.
    pub run_id: String,
    /// What the scenario is called; its file is named after it.
    pub name: String,
}

/// Names two versions of a workflow file.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct CompareOf {
    /// Relative path.
    pub path: String,
    /// The one that the differences begin with, as `workflow.versions` names it: in a history the earlier one.
    pub left: String,
    /// The one that they come to; absent: the file as it is.
    #[serde(default)]
    #[ts(optional)]
    pub right: Option<String>,
    /// What each picture is to fit into.
    #[serde(default)]
    #[ts(optional)]
    pub room: Option<Room>,
}

/// An earlier version that a workflow file is to become again.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RestoreOf {
    /// Relative path.
    pub path: String,
    /// The version of the view that somebody looks at.
    pub revision: String,
    /// The version that it becomes, as `workflow.versions` names it.
    pub version: String,
}

/// Names steps of a workflow file.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct StepsOf {
    /// Relative path.
    pub path: String,
    /// Their ids, in any order.
    pub steps: Vec<String>,
}

/// Names a step of a workflow file, or the workflow itself.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct FormOf {
    /// Relative path.
    pub path: String,
    /// The step's position in document order, 0-based; absent: the workflow itself.
    #[serde(default)]
    #[ts(optional)]
    pub step: Option<u32>,
}

/// A text that is to be pasted into a workflow file.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TextOf {
    /// Relative path.
    pub path: String,
    /// The text.
    pub text: String,
}

/// A place of a workflow's source, as it is being typed.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct CompleteOf {
    /// Relative path.
    pub path: String,
    /// The text as it stands in the window.
    pub text: String,
    /// Where the cursor is, in UTF-16 code units from the beginning.
    pub at: u32,
}

/// Names a step of a workflow file.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct StepOf {
    /// Relative path.
    pub path: String,
    /// The step's id.
    pub step: String,
}

/// What a new workflow is made of.
#[derive(Debug, Clone, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum Origin {
    /// A template of the format.
    Template {
        /// Its name.
        name: String,
    },
    /// Another workflow of the project.
    Workflow {
        /// Its relative path.
        path: String,
    },
    /// The version that a run keeps.
    Run {
        /// Run.
        run_id: String,
    },
    /// A text: what was pasted, or read elsewhere.
    Text {
        /// The whole file.
        text: String,
    },
}

/// A new workflow.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct CreateOf {
    /// In which format, as `workflow.new` names it; of another workflow or of a run its own counts.
    #[serde(default)]
    #[ts(optional)]
    pub format: Option<String>,
    /// In which folder, relative; absent: the project's own, of pipelines theirs. It is made where there is none.
    #[serde(default)]
    #[ts(optional)]
    pub folder: Option<String>,
    /// What a person reads; file and id are named after it.
    pub name: String,
    /// What it is made of; absent: a first step and nothing else.
    #[serde(default)]
    #[ts(optional)]
    pub from: Option<Origin>,
}

/// Another name for a workflow.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RenameOf {
    /// Relative path.
    pub path: String,
    /// What a person is to read; the file is named after it.
    pub name: String,
}

/// Another folder for a workflow.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct MoveOf {
    /// Relative path.
    pub path: String,
    /// The folder, relative; empty: the project's own. It is made where there is none.
    pub folder: String,
}

/// A byte position in a source.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct LineOf {
    /// Relative path.
    pub path: String,
    /// 1-based.
    pub line: u32,
}

/// Says whether the person trusts whoever made the project.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TrustOf {
    /// Whether its programs may run.
    pub trust: bool,
}

/// Names a permission that was given for all later runs.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RevokeOf {
    /// As the settings say it.
    pub permission: String,
}

/// Says that a key was compared with whom it belongs to.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ConfirmKey {
    /// The whole public key, in groups or not.
    pub key: String,
    /// Whose it is.
    pub name: String,
}

/// Says that what a key signs counts no more.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RevokeKey {
    /// The whole public key, in groups or not.
    pub key: String,
    /// From when, milliseconds since 1970; absent: from now on.
    #[serde(default)]
    #[ts(optional)]
    pub from: Option<i64>,
    /// Why.
    pub why: String,
}

/// Searches the runs.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct FindRuns {
    /// Words of the workflow's name, the subject, the status, a person or the id; a run has to fit all of them.
    pub query: String,
    /// At most so many.
    pub limit: u32,
}

/// Names a file that a run made, or that a step of it reads.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct FileOf {
    /// Run.
    pub run_id: String,
    /// Relative to the project.
    pub path: String,
    /// The version that is meant; absent: the file as it is on disk now, of one that a step reads.
    #[serde(default)]
    #[ts(optional)]
    pub digest: Option<String>,
}

/// Starts a run.
#[derive(Debug, Clone, Default, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct StartOf {
    /// Relative path of the workflow.
    pub path: String,
    /// A rehearsal: every agent is simulated, nothing is executed and nothing of it counts.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub rehearse: bool,
    /// Relative path of the scenario that scripts it, which makes it a rehearsal.
    #[serde(default)]
    #[ts(optional)]
    pub scenario: Option<String>,
    /// Of a rehearsal: the step at which it begins; absent: the first.
    #[serde(default)]
    #[ts(optional)]
    pub from: Option<String>,
    /// What the run is about, one line; absent: what an answer or the first document says.
    #[serde(default)]
    #[ts(optional)]
    pub subject: Option<String>,
    /// Ask a person for the outcome of every step and run nothing.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub prompted: bool,
    /// Permit everything that would be asked for, for this run.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub permit: bool,
    /// Steps given to somebody: step id → agent or person.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub assigned: std::collections::BTreeMap<String, String>,
    /// Answers to the workflow's questions, by their names: the run's inputs.
    #[serde(default)]
    #[ts(optional, type = "Record<string, unknown>")]
    pub inputs: model::Fields,
}

/// A run that was started.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct Started {
    /// Run.
    pub run_id: String,
}

/// Names a run, as of an event.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RunAt {
    /// Run.
    pub run_id: String,
    /// Sequence number; absent: live.
    #[serde(default)]
    #[ts(optional)]
    pub at: Option<u64>,
}

/// Types into a terminal of a run's step.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TypeOf {
    /// Run.
    pub run_id: String,
    /// Which of its terminals.
    pub terminal: u64,
    /// What was pressed, in order.
    pub pressed: Vec<Pressed>,
}

/// Names the workflow with which an imported session is gone on from.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TakeOverOf {
    /// The run that the session became.
    pub run_id: String,
    /// Relative path of the workflow.
    pub workflow: String,
    /// At this step; absent: at the first that is not done.
    #[serde(default)]
    #[ts(optional)]
    pub from: Option<String>,
}

/// Names a session: of a file, of a text that somebody gives, or of a run as of an event.
#[derive(Debug, Clone, Deserialize, TS)]
#[serde(untagged)]
#[ts(export_to = "studio.gen.ts")]
pub enum SessionOf {
    /// A file of the project.
    File {
        /// Relative path.
        path: String,
    },
    /// A text that is not in the project: a file that was dropped on the window.
    Text {
        /// What it is called, for people.
        name: String,
        /// All of it.
        text: String,
    },
    /// A run.
    Run {
        /// Run.
        run_id: String,
        /// Sequence number; absent: live.
        #[serde(default)]
        #[ts(optional)]
        at: Option<u64>,
    },
}

/// Names a run, as of an event, and how it is drawn.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RunLook {
    /// Run.
    pub run_id: String,
    /// Sequence number; absent: live.
    #[serde(default)]
    #[ts(optional)]
    pub at: Option<u64>,
    /// Containers that are drawn as single boxes, by their step ids.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub collapsed: Vec<String>,
    /// What the picture is to fit into: a long flow is broken into rows. Absent: it is one row.
    #[serde(default)]
    #[ts(optional)]
    pub room: Option<Room>,
}

/// A run as of an event, beside what is known of it.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct OverlayOf {
    /// Which run, as of when, and how it is drawn.
    #[serde(flatten)]
    #[ts(flatten)]
    pub look: RunLook,
    /// Sequence number of the event whose overlay is known; absent: nothing is.
    #[serde(default)]
    #[ts(optional)]
    pub since: Option<u64>,
}

/// Decisions of a run.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RoutesOf {
    /// Which run, as of when, and how it is drawn.
    #[serde(flatten)]
    #[ts(flatten)]
    pub look: RunLook,
    /// Those with a number above this one; absent: all.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub from: u32,
}

/// Where a run that has ended is to go on.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TakeUpOf {
    /// Run.
    pub run_id: String,
    /// At this step; absent: where it stood.
    #[serde(default)]
    #[ts(optional)]
    pub from: Option<String>,
    /// With the file as it is now, in a new run that begins with what this one has done.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub mended: bool,
}

/// Names the moment at which a run stands.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct CheckpointOf {
    /// Run.
    pub run_id: String,
    /// What the moment is called, one line.
    pub name: String,
}

/// Names a checkpoint of a run.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct BackTo {
    /// Run.
    pub run_id: String,
    /// The number of its event, its id or its name.
    pub checkpoint: String,
}

/// Goes back to a checkpoint of a run.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct GoBackTo {
    /// Run.
    pub run_id: String,
    /// The number of its event, its id or its name.
    pub checkpoint: String,
    /// The files of that moment are put back into the project: the mark of what was looked at. Absent: the project stays as it is.
    #[serde(default)]
    #[ts(optional)]
    pub put_back: Option<String>,
}

/// Names a step of a run, as of an event.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct StepAt {
    /// Run.
    pub run_id: String,
    /// Step id.
    pub step: String,
    /// Sequence number; absent: live.
    #[serde(default)]
    #[ts(optional)]
    pub at: Option<u64>,
    /// Indices of an instance of a dynamic step, outermost first; absent: the one entered last.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<Vec<u32>>,
}

/// Asks for the log after an event.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct LogAfter {
    /// Run.
    pub run_id: String,
    /// Sequence number; absent: from the beginning.
    #[serde(default)]
    #[ts(optional)]
    pub after: Option<u64>,
}

/// Orders a run.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ActOn {
    /// Run.
    pub run_id: String,
    /// What is to be done.
    pub action: RunAction,
    /// Why (abort).
    #[serde(default)]
    #[ts(optional)]
    pub reason: Option<String>,
    /// The step that a jump leads to.
    #[serde(default)]
    #[ts(optional)]
    pub to: Option<String>,
    /// Of `reopen` (a pipeline that has ended is taken up again): what becomes of each stage that failed or was cut off.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub choices: std::collections::BTreeMap<String, Choice>,
}

impl ActOn {
    /// An order that says nothing more.
    pub fn new(run_id: impl Into<String>, action: RunAction) -> Self {
        Self {
            run_id: run_id.into(),
            action,
            reason: None,
            to: None,
            choices: std::collections::BTreeMap::new(),
        }
    }
}

/// Names a gate.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct GateOf {
    /// Run.
    pub run_id: String,
    /// Gate id.
    pub gate: String,
    /// Round; absent: the latest.
    #[serde(default)]
    #[ts(optional)]
    pub round: Option<u32>,
}

/// Answers a gate.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct AnswerOf {
    /// Run.
    pub run_id: String,
    /// Gate id.
    pub gate: String,
    /// The round that was looked at.
    pub round: u32,
    /// The answer.
    pub answer: Answer,
    /// Why.
    #[serde(default)]
    pub comment: String,
    /// Digests of the artifacts that were looked at, in the order shown.
    #[serde(default)]
    pub seen: Vec<String>,
    /// For how long a permission holds; absent: once.
    #[serde(default)]
    #[ts(optional)]
    pub lasting: Option<Lasting>,
    /// Of `choose`: which way.
    #[serde(default)]
    #[ts(optional)]
    pub way: Option<String>,
    /// Of a step that a person carried out: what they report of it.
    #[serde(default)]
    #[ts(optional, type = "Record<string, unknown>")]
    pub report: model::Fields,
}

/// Asks for evidence.
#[derive(Debug, Clone, Default, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct EvidenceOf {
    /// Of this run; absent: of all.
    #[serde(default)]
    #[ts(optional)]
    pub run_id: Option<String>,
}

/// Promotes a record of evidence by one level.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PromoteOf {
    /// The run that recorded it.
    pub run_id: String,
    /// Its id.
    pub evidence: String,
    /// The level above its own.
    pub to: Level,
    /// What that is founded on.
    pub reason: String,
    /// Answer with the evidence of this run alone.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub within: bool,
}

/// Saves a report.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct SaveReport {
    /// Run.
    pub run_id: String,
    /// Where the person chose in a dialog, an absolute path: a file that is there is replaced, as the dialog has asked. Elsewhere than in the
    /// window a name in `<project>/reports`; absent: its own name there; there no file is ever replaced.
    #[serde(default)]
    #[ts(optional)]
    pub to: Option<String>,
}

/// One entry of the list, for generated documentation and bindings.
#[derive(Debug, Clone)]
pub struct Entry {
    /// `inbox.list`.
    pub name: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// TypeScript type of the parameters.
    pub params: String,
    /// TypeScript type of the result.
    pub result: String,
}

macro_rules! commands {
    ($($(#[doc = $doc:literal])+ $name:literal ($params:ty) = $method:ident -> $result:ty;)*) => {
        /// Carries out one command by name; parameters and result are JSON.
        ///
        /// # Errors
        /// `unknown_command`, `bad_parameters`, and whatever the command itself refuses.
        pub async fn dispatch(studio: &Studio, name: &str, params: Value) -> Result<Value, ApiError> {
            match name {
                $($name => {
                    let params = if params.is_null() { Value::Object(Default::default()) } else { params };
                    let params: $params = serde_json::from_value(params).map_err(|e| {
                        ApiError::new("bad_parameters", format!("“{name}” was called with parameters it cannot read: {e}."))
                    })?;
                    let result: $result = studio.$method(params).await?;
                    let mut shown = serde_json::to_value(result).map_err(|e| ApiError::new("internal", e.to_string()))?;
                    // Wherever it came from: nothing that a window shows may look like something else.
                    safe::honest_in(&mut shown);
                    Ok(shown)
                })*
                _ => Err(ApiError::new("unknown_command", format!("There is no command “{name}”."))
                    .hint("Window and program are of different versions; start Gatehouse again.")),
            }
        }

        /// Writes the TypeScript types of everything the list mentions.
        ///
        /// # Errors
        /// When the folder cannot be written.
        pub fn export(config: &ts_rs::Config) -> Result<(), ts_rs::ExportError> {
            $(<$params as TS>::export_all(config)?;
            <$result as TS>::export_all(config)?;)*
            crate::Notice::export_all(config)?;
            ApiError::export_all(config)
        }

        /// The list, in order.
        pub fn table(config: &ts_rs::Config) -> Vec<Entry> {
            vec![$(Entry {
                name: $name,
                doc: concat!($($doc),+).trim(),
                params: <$params as TS>::name(config),
                result: <$result as TS>::name(config),
            }),*]
        }
    };
}

commands! {
    /// Decisions that wait and decisions made.
    "inbox.list" (InboxOf) = inbox -> InboxView;
    /// Everything needed to decide one gate.
    "gate.brief" (GateOf) = gate_brief -> GateBrief;
    /// Answers a gate; the answer is signed.
    "gate.answer" (AnswerOf) = answer -> GateBrief;
    /// What supports what was made: of all runs, or of one.
    "evidence.list" (EvidenceOf) = evidence_list -> EvidenceList;
    /// Raises a record of evidence by one level.
    "evidence.promote" (PromoteOf) = promote -> EvidenceList;
    /// All workflows of the project.
    "library.list" (Nothing) = library -> LibraryView;
    /// One workflow.
    "workflow.open" (OpenOf) = open_workflow -> WorkflowView;
    /// A workflow's own text, rendered, where it is a document.
    "workflow.document" (PathOf) = document_prose -> DocumentView;
    /// Changes a workflow by gestures: one entry of its journal, one undo.
    "workflow.edit" (EditOf) = edit_workflow -> EditOutcome;
    /// Writes what was typed in a workflow's source, through the same journal.
    "workflow.write" (WriteOf) = write_workflow -> EditOutcome;
    /// What gestures, or a text that is being typed, would make of a workflow. Nothing is written.
    "workflow.preview" (PreviewOf) = preview_workflow -> PreviewView;
    /// What can be written where the cursor stands in a workflow's source. Nothing is written.
    "workflow.complete" (CompleteOf) = completions -> CompletionsView;
    /// The text of steps, to be pasted elsewhere.
    "workflow.copied" (StepsOf) = copied_steps -> CopiedView;
    /// A text from elsewhere as the steps that it holds, to be pasted one by one.
    "workflow.parts" (TextOf) = pasted_parts -> PartsView;
    /// What can be filled in of a step, or of the workflow itself.
    "workflow.form" (FormOf) = workflow_form -> FormView;
    /// Which gates stand before a step, and whether a way leads there past all of them.
    "workflow.gates_before" (StepOf) = gates_before -> GatesBeforeView;
    /// The kinds of step that can be added to a workflow, and which gestures mean something in it.
    "workflow.palette" (PathOf) = workflow_palette -> PaletteView;
    /// What a new workflow can be.
    "workflow.new" (Nothing) = new_workflows -> NewFilesView;
    /// Creates a workflow's file, never over another one.
    "workflow.create" (CreateOf) = create_workflow -> PlacedView;
    /// Creates a copy beside a workflow, with its scenarios.
    "workflow.duplicate" (RenameOf) = duplicate_workflow -> PlacedView;
    /// Gives a workflow another title and its file the name of it; scenarios and journal go along.
    "workflow.rename" (RenameOf) = rename_workflow -> PlacedView;
    /// Puts a workflow into another folder; scenarios and journal go along.
    "workflow.move" (MoveOf) = move_workflow -> PlacedView;
    /// Deletes a workflow's file; undo brings it back.
    "workflow.remove" (PathOf) = remove_workflow -> PlacedView;
    /// A scenario beside a workflow as a table.
    "scenario.table" (ScenarioOf) = scenario_table -> ScenarioTable;
    /// Changes values of a scenario.
    "scenario.edit" (ScenarioEditOf) = edit_scenario -> ScenarioTable;
    /// Creates an empty scenario beside a workflow, never over another file.
    "scenario.create" (RenameOf) = create_scenario -> PlacedView;
    /// Makes a scenario of what a run did, beside its workflow.
    "scenario.record" (RecordOf) = record_scenario -> PlacedView;
    /// Deletes a scenario; `workflow.undo` with its path brings it back.
    "scenario.remove" (ScenarioOf) = remove_scenario -> PlacedView;
    /// The versions of a workflow's file that are known here.
    "workflow.versions" (PathOf) = versions -> VersionsView;
    /// What tells two versions of a workflow's file apart.
    "workflow.compare" (CompareOf) = compare_versions -> CompareView;
    /// Makes a workflow's file what it was; undo takes that back too.
    "workflow.restore" (RestoreOf) = restore_version -> EditOutcome;
    /// Takes back the last change made here.
    "workflow.undo" (PathOf) = undo -> EditOutcome;
    /// Does it again.
    "workflow.redo" (PathOf) = redo -> EditOutcome;
    /// Which place stands on a line, for selecting from the source.
    "workflow.place" (LineOf) = place_at -> Place;
    /// A workflow's scenarios, tried in memory: verdicts, coverage, what the next one would add.
    "workflow.tests" (PathOf) = tests -> TestsView;
    /// A session: of a file, or of a run as of an event.
    "session.open" (SessionOf) = open_session -> SessionView;
    /// Takes a session in as a run to look at.
    "session.import" (SessionOf) = import_session -> Started;
    /// How a workflow's steps stand by what an imported session says.
    "session.taking_over" (TakeOverOf) = taking_over -> TakeOverView;
    /// Starts a run that goes on from an imported session with its workflow.
    "session.take_over" (TakeOverOf) = start_taking_over -> Started;
    /// What pipelines can be made of.
    "pipeline.templates" (Nothing) = pipeline_templates -> TemplatesView;
    /// What a pipeline would be, drawn, before it is created.
    "pipeline.draft" (PipelineDraft) = pipeline_draft -> DraftView;
    /// Creates a pipeline's file.
    "pipeline.create" (PipelineDraft) = pipeline_create -> PipelineCreated;
    /// The project's pipelines, latest first.
    "pipeline.list" (Nothing) = pipeline_list -> PipelinesView;
    /// Where a pipeline stands.
    "pipeline.status" (PipelineOf) = pipeline_status -> PipelineView;
    /// What a start would do.
    "run.brief" (PathOf) = start_brief -> StartBrief;
    /// Starts a run.
    "run.start" (StartOf) = start_run -> Started;
    /// A run as of an event.
    "run.view" (RunLook) = look_at_run -> RunView;
    /// The picture of a run, without anything that happened.
    "run.drawing" (RunLook) = run_drawing -> RunDrawing;
    /// What happened on the picture of a run, as of an event; of its steps and edges what changed since another.
    "run.overlay" (OverlayOf) = run_overlay -> RunOverlay;
    /// The decisions of a run, with their reasons.
    "run.routes" (RoutesOf) = run_routes -> RoutesView;
    /// What it means to take up a run that has ended, at a step: what runs again and what stays.
    "run.taken_up" (TakeUpOf) = taken_up -> ResumeView;
    /// Starts a run that goes on from one that has ended, with the file as it is now.
    "run.go_on_mended" (TakeUpOf) = start_mended -> Started;
    /// The moments of a run that one can go back to.
    "run.checkpoints" (RunAt) = checkpoints -> CheckpointsView;
    /// Names the moment at which a run stands.
    "run.checkpoint" (CheckpointOf) = make_checkpoint -> CheckpointsView;
    /// What it means to go back to a checkpoint.
    "run.going_back" (BackTo) = going_back -> GoBackView;
    /// Starts a run that goes back to a checkpoint of another.
    "run.go_back" (GoBackTo) = start_back -> Started;
    /// The text of the version a run keeps, rendered, where it is a document.
    "run.document" (RunAt) = run_prose -> DocumentView;
    /// One step of a run as of an event.
    "run.step" (StepAt) = step_detail -> StepDetail;
    /// A file that a run made or a step of it reads, ready to be shown.
    "run.file" (FileOf) = file_of_run -> ArtifactView;
    /// A run over time.
    "run.timeline" (RunAt) = timeline -> TimelineView;
    /// A run's log for people.
    "run.log" (LogAfter) = log -> LogView;
    /// The terminals of a run's steps into which a person can type here.
    "run.terminals" (RunAt) = terminals -> TerminalsView;
    /// Types into one of them; it is kept nowhere.
    "run.type" (TypeOf) = type_into -> TerminalsView;
    /// Pauses, resumes, ends or takes up a run, also a pipeline's after its end.
    "run.act" (ActOn) = act -> RunView;
    /// All runs, latest first.
    "runs.list" (Nothing) = runs -> RunsView;
    /// The runs that fit some words, latest first.
    "runs.find" (FindRuns) = find_runs -> RunsView;
    /// The report of a run.
    "report.view" (RunAt) = report -> ReportView;
    /// Writes the report of a run.
    "report.save" (SaveReport) = save_report -> SavedView;
    /// Verifies a run: chain, blobs, files, signatures.
    "run.verify" (RunAt) = verify -> VerifyView;
    /// Settings of person and project.
    "settings.get" (Nothing) = settings -> SettingsView;
    /// Changes them.
    "settings.set" (SettingsChange) = change_settings -> SettingsView;
    /// What holds for everything that the project does, as a form.
    "context.get" (Nothing) = context -> ProjectContextView;
    /// Writes what was filled in.
    "context.set" (ProjectContextChange) = change_context -> ProjectContextView;
    /// Takes back a permission that was given for all later runs.
    "settings.revoke" (RevokeOf) = revoke -> SettingsView;
    /// Who decided with which key, and what is known of them.
    "people.list" (Nothing) = people -> PeopleView;
    /// Keeps that a key was compared with whom it belongs to.
    "people.confirm" (ConfirmKey) = confirm_key -> PeopleView;
    /// Keeps that what a key signs counts no more.
    "people.revoke" (RevokeKey) = revoke_key -> PeopleView;
    /// Lets the project's programs run, or takes it back.
    "project.trust" (TrustOf) = trust_project -> SettingsView;
}

impl Studio {
    /// Carries out one command of the list by name; see [`dispatch`].
    ///
    /// # Errors
    /// Whatever the command refuses.
    pub async fn rpc(&self, method: &str, params: serde_json::Value) -> Result<serde_json::Value, ApiError> {
        dispatch(self, method, params).await
    }
}

/// The list as a TypeScript module: `Commands` maps a name to its parameters and its result.
pub fn typescript(config: &ts_rs::Config) -> String {
    use std::collections::BTreeSet;
    let entries = table(config);
    let names: BTreeSet<String> = entries
        .iter()
        .flat_map(|e| [e.params.clone(), e.result.clone()])
        .collect();
    let (model, studio): (Vec<_>, Vec<_>) = names.into_iter().partition(|n| n == "Place");
    let mut out =
        String::from("// Generated from the command list in studio/src/command.rs by `npm run gen`. Do not edit.\n\n");
    out.push_str(&format!("import type {{ {} }} from './model.gen';\n", model.join(", ")));
    out.push_str(&format!(
        "import type {{\n  {},\n}} from './studio.gen';\n\n",
        studio.join(",\n  ")
    ));
    out.push_str("/** Every command: its parameters and its result. */\nexport interface Commands {\n");
    for e in entries {
        out.push_str(&format!(
            "  /** {} */\n  '{}': {{ params: {}; result: {} }};\n",
            e.doc, e.name, e.params, e.result
        ));
    }
    out.push_str("}\n");
    out
}

/// Writes all bindings into a folder.
///
/// # Errors
/// When the folder cannot be written.
pub fn write_bindings(folder: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
    let config = ts_rs::Config::new().with_out_dir(folder).with_large_int("number");
    export(&config)?;
    std::fs::write(folder.join("commands.gen.ts"), typescript(&config))?;
    Ok(())
}
