//! Decisions of a run as others see them: who, for which role, when, in what words, on which files.

use crate::settings::people_view::KeyStanding;
use crate::view::{Status, StepRef};
use engine::Answer;
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
    /// Which visit of the step it is about: one that has not begun yet, where it was asked before the work.
    pub visit: u32,
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
    /// It is another version than the one that counts now: the one shown beside it, else the one on disk, else the last that was made.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub earlier: bool,
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

/// What a person's answer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum AskFor {
    /// To let the run go on: approve, request changes, reject.
    Approval,
    /// To say how a step went that the person carries out: pass or fail, in the author's words (seed 002 "Prompt").
    Outcome,
    /// To allow what a step wants to do: approve or reject.
    Permission,
    /// To let the step use a tool: approve or reject (seed 000 "Tool calls").
    Tool,
    /// To choose the way on where nothing else decides it: one of the ways, changes, or reject (seed 001 `escalate`).
    Way,
}

/// One round of a gate.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RoundView {
    /// 1-based.
    pub round: u32,
    /// When it was asked in this run: where it stood open in the run that this one goes on from, when this one was created.
    pub opened_at: i64,
    /// The answer; absent while it waits.
    pub answer: Option<Answer>,
    /// How it looks: of a step that a person carried out it is no good end where they reported that it is not verified; absent: it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub status: Option<Status>,
    /// A question of a runbook, answered YES or NO: the one answer is as good as the other.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<_>")]
    pub is_question: bool,
    /// The answer in words: `approved`, `answered YES`, `allowed for this run`.
    pub words: Option<String>,
    /// Which instance of a dynamic step was asked about; absent: there is only one.
    pub instance: Option<String>,
    /// Who.
    pub by: Option<String>,
    /// When.
    pub answered_at: Option<i64>,
    /// Why.
    pub comment: Option<String>,
    /// `desktop`, `cli`, `serve`, `cli --yes`, `scenario`.
    pub via: Option<String>,
    /// First and last characters of the signing key; absent: not signed (scripted).
    pub key_short: Option<String>,
    /// All digits of that key, in groups; absent: not signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub fingerprint: Option<String>,
    /// Whether the signature holds; absent when there is none.
    pub signature_valid: Option<bool>,
    /// Whose key it is, as far as the person at this window knows; absent: the signature does not hold, or there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub whose: Option<KeyStanding>,
    /// What is to be said of who signed: `Bo Berg answered with the key of Ada Lund.`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub remark: Option<String>,
    /// Files of the question, by their paths, that were named and not shown to whoever answered: the page could not draw them, or nothing is shown
    /// where it was answered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub not_shown: Vec<String>,
    /// What was asked then, among the rounds of a gate: absent where it is the question of the round that is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub question: Option<String>,
}
