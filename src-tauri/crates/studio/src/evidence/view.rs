//! Evidence as it stands today: what is claimed, how strong that is, for how long, and what it supports (seed 000 "Evidence").

use crate::evidence::decay::Validity;
use crate::view::{Refused, Status, StepRef};
use engine::Level;
use serde::Serialize;
use ts_rs::TS;

/// Evidence of a project, or of one run.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct EvidenceList {
    /// The moment that validity was computed at.
    pub now: i64,
    /// What has expired first, then what expires soonest; what later visits replaced stands last.
    pub items: Vec<EvidenceView>,
    /// Every run that recorded evidence, latest first, with how well it is supported.
    pub runs: Vec<RunSupport>,
    /// Who would promote; empty: no name was given yet.
    pub signer: String,
}

/// A run that recorded evidence.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RunSupport {
    /// Run.
    pub run_id: String,
    /// Title of the workflow.
    pub workflow_title: String,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub subject: Option<String>,
    /// Status.
    pub status: Status,
    /// When it was created.
    pub created_at: i64,
    /// It is a rehearsal: its evidence counts for nothing.
    pub rehearsal: bool,
    /// How well what it made is supported.
    pub support: SupportView,
}

/// How strong several records are together: as strong as the weakest.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct SupportView {
    /// `Weakest evidence: brief.md, checked automatically, valid for 12 days.`
    pub words: String,
    /// From 0 to 1; 0 where there is none.
    pub assurance: f64,
    /// `min(0.72, 0.4) = 0.4`
    pub formula: String,
    /// The record that decides; absent: there is none.
    pub weakest: Option<String>,
    /// Each record with its part in the formula.
    pub parts: Vec<SupportPart>,
    /// How many have expired.
    pub expired: u32,
    /// How many expire soon.
    pub soon: u32,
    /// Of how many the files have changed since.
    pub drifted: u32,
}

/// What one record adds.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct SupportPart {
    /// Which record.
    pub evidence: String,
    /// What it is about: `brief.md`.
    pub name: String,
    /// What is claimed.
    pub claim: String,
    /// `0.9 × 0.8 (CL2) = 0.72`
    pub formula: String,
    /// What it counts for today.
    pub counts: f64,
}

/// One record.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct EvidenceView {
    /// Unique in its run.
    pub id: String,
    /// The run that recorded it.
    pub run_id: String,
    /// Title of its workflow.
    pub workflow_title: String,
    /// What the run is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub subject: Option<String>,
    /// What it is about, in short: `letter.md`.
    pub name: String,
    /// The step that recorded it.
    pub step: StepRef,
    /// In which visit.
    pub visit: u32,
    /// When it was recorded.
    pub recorded_at: i64,
    /// What is claimed.
    pub claim: String,
    /// The same within a sentence: in quotation marks, without its full stop.
    pub quoted: String,
    /// How well it is founded now.
    pub level: Level,
    /// In words: `only claimed`, `checked automatically`, `confirmed by a person`.
    pub level_words: String,
    /// The level that its step asks for.
    pub asked: Option<Level>,
    /// Who or what says so.
    pub source: String,
    /// The day it was recorded, as written.
    pub date: String,
    /// For how long it holds, within a sentence: `valid for 12 days`.
    pub holds: String,
    /// For how long it holds.
    pub validity: ValidityView,
    /// `CL2`.
    pub congruence: String,
    /// In words: what was looked at is close to what is claimed.
    pub congruence_words: String,
    /// What the congruence is worth, 0.5, 0.8 or 1.
    pub factor: f64,
    /// How far the source is to be trusted, 0 to 1.
    pub reliability: f64,
    /// Its own score, whether it has expired or not.
    pub score: f64,
    /// What it counts for today: 0 when it has expired.
    pub counts: f64,
    /// `min` has one link here: `0.9 × 0.8 (CL2) = 0.72`.
    pub formula: String,
    /// Path of what carries it.
    pub carrier: String,
    /// What it is about, with what has become of it.
    pub about: Vec<AboutView>,
    /// Anything else that was noted.
    pub notes: String,
    /// How it came to its level, oldest first.
    pub promotions: Vec<PromotionView>,
    /// A later visit of the step recorded its own: this one counts no more.
    pub superseded: bool,
    /// That a person was shown what it is about and did not take it: `rejected by Ada Lund`. Absent: nobody said that, or took it later.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub refused: Option<String>,
    /// It comes from a rehearsal: nothing of it happened, so it counts for nothing and cannot be promoted.
    pub rehearsal: bool,
    /// What a person can do with it.
    pub promote: PromoteView,
}

/// For how long a record holds.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ValidityView {
    /// Whether it holds today.
    pub status: Validity,
    /// As written.
    pub until: String,
    /// The same; absent: it cannot be read.
    pub until_at: Option<i64>,
    /// `expires in 12 days`, `expired 3 days ago`, `says no day until which it holds`.
    pub words: String,
    /// It holds, but not for long any more.
    pub soon: bool,
}

/// A file that a record is about.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct AboutView {
    /// Relative to the project.
    pub path: String,
    /// `prd.md`.
    pub name: String,
    /// SHA-256 of what was looked at.
    pub digest: String,
    /// What has become of it.
    pub drift: Drift,
    /// `prd.md has changed since`; absent: it is the same.
    pub words: Option<String>,
}

/// What has become of a file since somebody vouched for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum Drift {
    /// The same bytes.
    Same,
    /// Other bytes.
    Changed,
    /// The file is not there.
    Gone,
}

/// A record went up one level.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PromotionView {
    /// From.
    pub from: Level,
    /// To.
    pub to: Level,
    /// Who.
    pub by: String,
    /// When.
    pub at: i64,
    /// What it is founded on.
    pub reason: String,
    /// The gate whose approval did it, with its round; absent: a person did it by itself.
    pub gate: Option<GateRef>,
    /// `7F3A…C2`: the key that it is signed with. Absent: the approval is what is signed, or nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub key_short: Option<String>,
}

/// A round of a gate.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct GateRef {
    /// Which.
    pub gate: String,
    /// Which round.
    pub round: u32,
    /// What was asked.
    pub question: String,
}

/// Whether a record can be promoted, and to which level.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PromoteView {
    /// The next level; absent: there is none.
    pub to: Option<Level>,
    /// What the next level says.
    pub words: Option<String>,
    /// Why it cannot be now.
    pub refusal: Option<Refused>,
}

/// An answer raises a record: `prd.md then counts as confirmed by a person.`.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct RaisedView {
    /// Which record.
    pub evidence: String,
    /// In words.
    pub words: String,
    /// From.
    pub from: Level,
    /// To.
    pub to: Level,
}
