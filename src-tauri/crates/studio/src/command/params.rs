//! What the commands are given, and the few results that belong to no subject.

use crate::run::view::RunAction;
use crate::terminal::screen::Pressed;
use engine::{Answer, Choice, Lasting, Level};
use model::Gesture;
use model::layout::Room;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// No parameters.
#[derive(Debug, Clone, Default, Deserialize, TS)]
#[serde(default)]
#[ts(export_to = "studio.gen.ts")]
pub struct Nothing {}

/// Which decisions are listed; nothing of it: the latest that were made for real.
#[derive(Debug, Clone, Default, Deserialize, TS)]
#[serde(default)]
#[ts(export_to = "studio.gen.ts")]
pub struct DecisionsOf {
    /// Made on this day or later: `2026-03-01`, as days are in the time zone of the project, else where the program runs.
    #[ts(optional)]
    pub since: Option<String>,
    /// Made on this day or earlier.
    #[ts(optional)]
    pub until: Option<String>,
    /// Made by this person, or by `--yes` in their name.
    #[ts(optional)]
    pub by: Option<String>,
    /// This answer.
    #[ts(optional)]
    pub answer: Option<Answer>,
    /// In runs of the workflow with this title, id or file.
    #[ts(optional)]
    pub workflow: Option<String>,
    /// Words of the comment or of the question; a decision has to fit all of them.
    #[ts(optional)]
    pub words: Option<String>,
    /// Those made in rehearsals too.
    #[ts(optional, as = "Option<_>")]
    pub rehearsals: bool,
    /// At most so many; absent: the latest hundred.
    #[ts(optional)]
    pub most: Option<u32>,
}

/// Names a workflow file.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PathOf {
    /// Relative path.
    pub path: String,
}

/// Names a workflow file that is to be started.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct BriefOf {
    /// Relative path.
    pub path: String,
    /// Of a rehearsal that begins in the middle: its first step.
    #[serde(default)]
    #[ts(optional)]
    pub from: Option<String>,
    /// An earlier run, with whose answers the form begins.
    #[serde(default)]
    #[ts(optional)]
    pub like: Option<String>,
}

/// Names a problem's code.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct CodeOf {
    /// `GH0104`, in whatever case.
    pub code: String,
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

impl PipelineOf {
    /// The pipeline of this id.
    pub fn named(id: impl Into<String>) -> Self {
        Self { id: Some(id.into()) }
    }
}

/// How a workflow is drawn.
#[derive(Debug, Clone, Default, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct LookOf {
    /// Containers that are drawn as single boxes, by their step ids.
    #[serde(default)]
    #[ts(optional, as = "Option<_>")]
    pub collapsed: Vec<String>,
    /// What the picture is to fit into: a long flow is broken into rows. Absent: it is one row.
    #[serde(default)]
    #[ts(optional)]
    pub room: Option<Room>,
}

/// Names a workflow file and how it is drawn.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct OpenOf {
    /// Relative path.
    pub path: String,
    /// How it is drawn.
    #[serde(flatten)]
    #[ts(flatten)]
    pub look: LookOf,
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
    /// The answer to a conflict; absent: there is none.
    #[serde(default)]
    #[ts(optional)]
    pub keep: Option<KeepOf>,
    /// How it is drawn.
    #[serde(flatten)]
    #[ts(flatten)]
    pub look: LookOf,
}

/// Names a workflow file whose last change is taken back or made again, and how it is drawn.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct UndoOf {
    /// Relative path.
    pub path: String,
    /// `undo_entry` or `redo_entry` of the view in which it was asked for: that change is taken back, or made again, and no other. Absent:
    /// whichever it is by now.
    #[serde(default)]
    #[ts(optional)]
    pub entry: Option<String>,
    /// The answer to a conflict; absent: there is none.
    #[serde(default)]
    #[ts(optional)]
    pub keep: Option<KeepOf>,
    /// How it is drawn.
    #[serde(flatten)]
    #[ts(flatten)]
    pub look: LookOf,
}

/// Which side holds in each part of a conflict. It counts for what was looked at alone: where the file is something else by now, or
/// another change would be made, the two are merged anew, or it is asked again.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct KeepOf {
    /// `revision` of the view that came with the conflict.
    pub revision: String,
    /// `change` of the conflict.
    pub change: String,
    /// One for each of its parts, in their order.
    pub parts: Vec<Keep>,
}

/// Which side of a conflict holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum Keep {
    /// This edit.
    Mine,
    /// What is on disk.
    Theirs,
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
    /// The answer to a conflict; absent: there is none.
    #[serde(default)]
    #[ts(optional)]
    pub keep: Option<KeepOf>,
    /// How it is drawn.
    #[serde(flatten)]
    #[ts(flatten)]
    pub look: LookOf,
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
    /// How it is drawn.
    #[serde(flatten)]
    #[ts(flatten)]
    pub look: LookOf,
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

/// Names a line that is drawn from one step of a workflow file to another.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct DrawnOf {
    /// Relative path.
    pub path: String,
    /// Id of the step that it leaves.
    pub from: String,
    /// Id of the step to which it leads.
    pub to: String,
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
    /// What somebody answered who has never seen a workflow; it makes a flow.
    Answers {
        /// What is decided, as the question that is asked; empty: one is made of the step's name.
        asked: String,
        /// What is done before, a step each.
        before: Vec<String>,
        /// What is done after a yes, a step each.
        after: Vec<String>,
        /// Whether a no leads back to the first step; otherwise the run ends with it.
        again: bool,
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

/// Which runs are listed; nothing of it: all of them.
#[derive(Debug, Clone, Default, Deserialize, TS)]
#[serde(default)]
#[ts(export_to = "studio.gen.ts")]
pub struct RunsOf {
    /// Begun on this day or later: `2026-03-01`, as days are in the time zone of the project, else where the program runs.
    #[ts(optional)]
    pub since: Option<String>,
    /// Begun on this day or earlier.
    #[ts(optional)]
    pub until: Option<String>,
    /// Started by this person, or answered by them.
    #[ts(optional)]
    pub by: Option<String>,
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

/// Saves a copy of a file that a run made, or that a step of it reads.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct SaveFile {
    /// Run.
    pub run_id: String,
    /// Relative to the project.
    pub path: String,
    /// The version that is meant; absent: the file as it is on disk now, of one that a step reads.
    #[serde(default)]
    #[ts(optional)]
    pub digest: Option<String>,
    /// Where the person chose in a dialog of the window, an absolute path: a file that is there is replaced, as the dialog has asked. Absent: its
    /// own name in `<project>/reports`, where no file is ever replaced.
    #[serde(default)]
    #[ts(optional)]
    pub to: Option<String>,
    /// What is attached to it, in Base64, as the window has read it: that is written, where `to` says, in place of the file itself.
    #[serde(default)]
    #[ts(optional)]
    pub attached: Option<String>,
}

/// Names two runs.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TwoRuns {
    /// The first.
    pub left: String,
    /// The second.
    pub right: String,
}

/// Names a version of a file that a run made.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct MadeBy {
    /// Run.
    pub run_id: String,
    /// Relative to the project.
    pub path: String,
    /// SHA-256 of what it held.
    pub digest: String,
}

/// Names a file as two runs made it.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TwoFiles {
    /// By the first.
    pub left: MadeBy,
    /// By the second.
    pub right: MadeBy,
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
    /// Steps given to somebody: step id → agent or person. A step of a workflow inside: `path#id` → agent or person.
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

impl RunAt {
    /// A run as it is now.
    pub fn live(run: impl Into<String>) -> Self {
        Self {
            run_id: run.into(),
            at: None,
        }
    }
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
    /// At this step; absent: where the session stands.
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

/// A run over time.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TimelineAfter {
    /// Which run.
    pub run_id: String,
    /// Sequence number of the event up to which it is known; absent: nothing is.
    #[serde(default)]
    #[ts(optional)]
    pub after: Option<u64>,
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
    /// Number of the last visit that is asked for; absent: the latest.
    #[serde(default)]
    #[ts(optional)]
    pub until: Option<u32>,
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
    /// Sequence number of the last event that is asked for; absent: to the end.
    #[serde(default)]
    #[ts(optional)]
    pub until: Option<u64>,
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
    /// Of `reopen` (a run that has ended is taken up again): what becomes of each stage that failed or was cut off.
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
    /// Digests of those of which not all was on the screen (yet). Absent: of no PDF document and no picture.
    #[serde(default)]
    #[ts(optional)]
    pub undrawn: Option<Vec<String>>,
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
    /// The name that the person saw as theirs: where their settings hold another one by now nothing is recorded. Absent: the one in the settings.
    #[serde(default)]
    #[ts(optional)]
    pub by: Option<String>,
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

/// Saves evidence as a table.
#[derive(Debug, Clone, Default, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct SaveEvidence {
    /// Of this run; absent: of all.
    #[serde(default)]
    #[ts(optional)]
    pub run_id: Option<String>,
    /// The records that are shown, each as `run/id`; absent: all.
    #[serde(default)]
    #[ts(optional)]
    pub shown: Option<Vec<String>>,
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
    /// The name that the person saw as theirs: where their settings hold another one by now nothing is recorded. Absent: the one in the settings.
    #[serde(default)]
    #[ts(optional)]
    pub by: Option<String>,
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

/// Which bundle.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct BundleAt {
    /// Of the ZIP file, absolute or as it is seen from where the program was started.
    pub path: String,
}

/// Unpacks a bundle.
#[derive(Debug, Clone, Deserialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct UnpackBundle {
    /// Of the ZIP file.
    pub path: String,
    /// In which folder a new one is made for it.
    pub into: String,
}
