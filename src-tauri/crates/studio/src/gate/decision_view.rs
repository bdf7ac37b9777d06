//! Decisions of a run as others see them: who, for which role, when, in what words, on which files.

use crate::gate::view::{AskFor, RoundView};
use crate::view::StepRef;
use serde::Serialize;
use ts_rs::TS;

/// A round of a gate that was asked in a run.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct DecisionView {
    /// Which gate.
    pub gate: String,
    /// What the answer is for.
    pub purpose: AskFor,
    /// The question.
    pub question: String,
    /// The step it belongs to.
    pub step: StepRef,
    /// For which role: `legal`, `legal or finance`; absent: anyone was asked.
    pub role: Option<String>,
    /// The answer, as far as there is one.
    pub decision: RoundView,
    /// What was shown.
    pub files: Vec<FileRef>,
}

/// A file, named: what it holds is asked for with `run.file`.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct FileRef {
    /// Relative to the project.
    pub path: String,
    /// `letter.md`.
    pub name: String,
    /// SHA-256 of the version that is meant; absent: the file as it is on disk now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub digest: Option<String>,
}

/// Files of a step that came before a decision.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct MaterialView {
    /// The step.
    pub step: StepRef,
    /// What it made, in its latest version then.
    pub made: Vec<FileRef>,
    /// What it read that no step made: files of the project, as they are now.
    pub read: Vec<FileRef>,
}
