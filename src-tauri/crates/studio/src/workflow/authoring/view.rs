//! Making and changing workflows: what a new one can be, what a gesture would do, and what can be filled in.

use crate::view::StepRef;
use crate::workflow::view::{FaceView, ProblemView, StepView};
use model::layout::Drawing;
use model::{DrawnWay, Form, Format, Gestures, Place, Reference, StepKind};
use serde::Serialize;
use ts_rs::TS;

/// What a new workflow can be.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct NewFilesView {
    /// The first choice first.
    pub formats: Vec<NewFormatView>,
    /// Folders of the project that hold workflows, relative, with `/`; the project's own folder is the empty text.
    pub folders: Vec<String>,
}

/// A format that a new workflow can be written in.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct NewFormatView {
    /// What `workflow.create` takes: `flow`, `graph`, `runbook`, `stepspec`, `pipeline`.
    pub name: String,
    /// What a person calls it.
    pub label: String,
    /// What it is good for, in a sentence.
    pub help: String,
    /// Where its files lie, where a person does not choose; absent: anywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub folder: Option<String>,
    /// How its files' names end.
    pub ending: String,
    /// The kinds of step that it has.
    pub kinds: Vec<StepKind>,
    /// Whole workflows to begin with.
    pub templates: Vec<NewTemplateView>,
}

/// A workflow to begin with.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct NewTemplateView {
    /// What it is called by.
    pub name: String,
    /// What a person reads.
    pub title: String,
    /// What it is for, in a sentence.
    pub help: String,
    /// How many steps it has.
    pub steps: u32,
    /// Its picture.
    pub drawing: Drawing,
    /// Faces of the drawing's nodes, in its order.
    pub faces: Vec<FaceView>,
}

/// A workflow that got a place: a new one, or one that was renamed or moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PlacedView {
    /// Relative path.
    pub path: String,
    /// Other workflows that still name the old place, by their paths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub named_by: Vec<String>,
    /// Of what was deleted: `entry` of the `workflow.undo` that brings it back, and takes nothing else back.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub undo_entry: Option<String>,
}

/// Steps that were copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct CopiedView {
    /// The format that they are written in: they can be pasted into files of it.
    pub format: Format,
    /// As they stand in the file, one below the other.
    pub text: String,
    /// The text of each, in the order of the file: what `NewStep.text` takes.
    pub parts: Vec<String>,
    /// They lead to each other, in a file whose order says what follows: a copy of them is a second structure behind the last one.
    pub together: bool,
}

/// A scenario beside a workflow, as a table.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ScenarioTable {
    /// The scenario's file, relative.
    pub path: String,
    /// SHA-256 of its text: an edit is made on this version.
    pub revision: String,
    /// The scenario itself, then what steps do and what people answer, in the order of the file, then how it should end.
    pub rows: Vec<ScenarioRow>,
    /// What can be added: one more visit of each step, one more answer to each gate.
    pub add: Vec<ScenarioAdd>,
    /// The steps that a field can name.
    pub known: Vec<KnownNames>,
    /// Why it cannot be played as it is.
    pub problem: Option<String>,
    /// Its text.
    pub source: String,
    /// What undo (`workflow.undo` with its path) would take back.
    pub undo: Option<String>,
    /// Which change that is: `entry` of `workflow.undo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub undo_entry: Option<String>,
    /// What redo would do again.
    pub redo: Option<String>,
    /// Which change that is: `entry` of `workflow.redo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub redo_entry: Option<String>,
}

/// A row of a scenario's table.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ScenarioRow {
    /// Which step it is about; absent: the scenario itself or its end, or a step that the workflow does not have.
    pub step: Option<StepRef>,
    /// What the file calls that step, or the gate; absent: the scenario itself or its end.
    pub named: Option<String>,
    /// Which visit of the step, or which answer to the gate, 1-based.
    pub nth: Option<u32>,
    /// Where it stands.
    pub place: Place,
    /// What a removal takes out: the row, and with the last one of a step everything that is said of that step.
    pub gone: Place,
    /// What can be filled in; its `kind` is `scenario`, `visit`, `answer` or `end`.
    pub form: Form,
}

/// Something that can be added to a scenario: an edit sets `value` at `place`.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ScenarioAdd {
    /// Of which step.
    pub step: StepRef,
    /// An answer to its gate; otherwise a visit.
    pub is_gate: bool,
    /// Which one it would be, 1-based.
    pub nth: u32,
    /// What the edit sets.
    pub place: Place,
    /// Where it stands then.
    pub lands: Place,
    /// What it would be.
    #[ts(type = "unknown")]
    pub value: serde_json::Value,
}

/// The versions of a workflow's file that are known here.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct VersionsView {
    /// Relative path.
    pub path: String,
    /// The latest first.
    pub versions: Vec<VersionView>,
}

/// A version of a workflow's file.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct VersionView {
    /// SHA-256 of its text.
    pub version: String,
    /// What led to it: `change “What this step does” of “Draft”`.
    pub label: String,
    /// When, milliseconds since 1970; absent: not known.
    #[ts(type = "number | null")]
    pub at: Option<i64>,
    /// Another program made it: `at` says when it was found.
    pub found: bool,
    /// Who; absent: not known.
    pub by: Option<String>,
    /// It is what the file says now.
    pub is_now: bool,
    /// How many runs keep it.
    pub runs: u32,
}

/// Two versions of a workflow's file beside each other.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct CompareView {
    /// The steps that are not the same, in the order of the later version; those that are gone stand last.
    pub differences: Vec<DifferenceView>,
    /// Fields of the file besides its steps that are not the same, as its form names them; what it does not name is as in the file, as code.
    pub elsewhere: Vec<String>,
    /// What becomes of the scenarios beside the file as they are when it goes from the one to the other, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub entails: Vec<String>,
    /// The one that it begins with.
    pub left: SideView,
    /// The one that it comes to.
    pub right: SideView,
}

/// One of two versions.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct SideView {
    /// Its text.
    pub source: String,
    /// Its picture.
    pub drawing: Drawing,
    /// Faces of the drawing's nodes, in its order.
    pub faces: Vec<FaceView>,
    /// Why it cannot be read as a workflow, as a sentence: its steps, and so what tells it apart by step, are not known. Absent: it can.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub unreadable: Option<String>,
}

/// What became of a step between two versions.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct DifferenceView {
    /// The step in the later version; one that is gone as it was in the earlier one.
    pub step: StepRef,
    /// What became of it, at least one.
    pub what: Vec<StepDifference>,
    /// The fields that are not the same, as the step's form names them: `What this step does`. What no form names is as in the file, as code;
    /// `text` where a step has no fields of its own.
    pub fields: Vec<String>,
    /// Its id in the earlier version; absent: it was not there.
    pub before: Option<String>,
}

/// What can become of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum StepDifference {
    /// It came.
    Added,
    /// It went.
    Removed,
    /// It has another id.
    Renamed,
    /// Something in it is not the same.
    Changed,
    /// It stands in another order.
    Moved,
}

/// What gestures would make of a workflow. Nothing is written.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PreviewView {
    /// The text as it would be; where a gesture is refused, as it is.
    pub source: String,
    /// The steps as they would be.
    pub steps: Vec<StepView>,
    /// The picture as it would be.
    pub drawing: Drawing,
    /// Faces of the drawing's nodes, in its order.
    pub faces: Vec<FaceView>,
    /// What would be wrong with it, in document order.
    pub problems: Vec<ProblemView>,
    /// What the gestures entail besides what they say, a sentence each.
    pub entails: Vec<String>,
    /// Why they cannot be made; absent: they can.
    pub refused: Option<RefusedGesture>,
}

/// A gesture that cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RefusedGesture {
    /// Which one of those asked for, 0-based.
    pub index: u32,
    /// For programs: `unfit`, `unsound`, `no_step`, `not_understood`, `missing`, `broken`, `shared`, `several`, `elsewhere`, `not_exact`.
    pub code: String,
    /// Why, in a sentence.
    pub message: String,
}

/// What can be added to a workflow, and which gestures mean something in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PaletteView {
    /// The kinds of step; empty: none can be added.
    pub kinds: Vec<StepKind>,
    /// What is false here is not offered.
    pub gestures: Gestures,
    /// What a kind can name, as far as the project knows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub known: Vec<KnownNames>,
}

/// What a line that is drawn from one step to another can mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct DrawnView {
    /// The usual first; empty: its direction says it.
    pub ways: Vec<DrawnWay>,
}

/// A step's form, or the workflow's own.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct FormView {
    /// SHA-256 of the source that it was made from: an edit is made on this version.
    pub revision: String,
    /// The form; absent: nothing of it can be changed here.
    pub form: Option<Form>,
    /// What a reference of the form can name, as far as the project knows; another name may be written too.
    pub known: Vec<KnownNames>,
    /// What the step reported in the latest runs, where the form asks for a field or a condition.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub reported: Vec<ReportedView>,
}

/// A field that steps have reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ReportedView {
    /// Its name.
    pub field: String,
    /// The values it had, as texts: the first twelve, each once.
    pub values: Vec<String>,
}

/// The names there are of something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct KnownNames {
    /// Of what.
    pub of: Reference,
    /// In the order shown: what is written, and what a person reads.
    pub names: Vec<(String, String)>,
}

/// The steps that a text holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PartsView {
    /// The text of each, in order; none: it holds no step of the format.
    pub parts: Vec<String>,
}

/// What can be written where somebody types.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct CompletionsView {
    /// What is typed so far: where it begins, in UTF-16 code units.
    pub from: u32,
    /// Where it ends.
    pub to: u32,
    /// None: nothing is known of this place.
    pub options: Vec<CompletionView>,
}

/// One of several things that can be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct CompletionView {
    /// What a person reads.
    pub label: String,
    /// What is written.
    pub text: String,
    /// What it means; empty: its name says it.
    pub detail: String,
}

/// Which gates stand before a step, and whether a way leads there past all of them.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct GatesBeforeView {
    /// The steps that ask a person on the way, those nearest to the beginning first.
    pub gates: Vec<StepRef>,
    /// The shortest way past every gate, from where the run begins to the step itself; empty: there is none.
    pub open: Vec<StepRef>,
    /// All of it in plain words.
    pub words: String,
}
