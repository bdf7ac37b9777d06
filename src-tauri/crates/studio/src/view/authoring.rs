//! Making and changing workflows: what a new one can be, what a gesture would do, and what can be filled in.

use super::workflow::{FaceView, ProblemView, StepView};
use model::layout::Drawing;
use model::{Form, Gestures, Reference, StepKind};
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
