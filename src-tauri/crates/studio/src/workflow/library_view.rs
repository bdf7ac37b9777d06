//! The Library: workflows of a project.

use crate::run::row_view::RunRowView;
use crate::session::view::SessionCard;
use crate::workflow::view::FaceView;
use model::layout::Drawing;
use serde::Serialize;
use ts_rs::TS;

/// All workflows of the project.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct LibraryView {
    /// Name of the project folder.
    pub project: String,
    /// By folder, in path order.
    pub folders: Vec<FolderView>,
    /// Sessions, in path order: state of runs elsewhere, and no workflows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub sessions: Vec<SessionCard>,
    /// Files that look like workflows and could not be read.
    pub unreadable: Vec<UnreadableFile>,
}

/// A folder.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct FolderView {
    /// Relative path, empty for the project itself.
    pub path: String,
    /// In path order.
    pub workflows: Vec<WorkflowCard>,
}

/// A file that could not be read.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct UnreadableFile {
    /// Relative path.
    pub path: String,
    /// What happened and what to do.
    pub reason: String,
}

/// A workflow in the Library.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct WorkflowCard {
    /// Relative path.
    pub path: String,
    /// Id.
    pub id: String,
    /// Title.
    pub title: String,
    /// What it is for.
    pub description: Option<String>,
    /// `Stepwise`.
    pub format_label: String,
    /// How many steps, of a list those of all its flows.
    pub steps: u32,
    /// How many questions it has for a person who decides: at gates, about tools, and about the way on where no condition holds.
    pub gates: u32,
    /// How many ways lead back: loops, and rejections that lead to an earlier step.
    pub loops: u32,
    /// How many errors.
    pub errors: u32,
    /// How many warnings.
    pub warnings: u32,
    /// The latest run.
    pub last_run: Option<RunRowView>,
    /// How many questions of its runs wait now, those of every run that is open.
    pub waiting: u32,
    /// Its picture.
    pub drawing: Drawing,
    /// Faces of the drawing's nodes, in its order.
    pub faces: Vec<FaceView>,
    /// Everything that search looks at, lower case.
    pub search_text: String,
}
