//! Forks of a run as a person sees them.

use crate::view::{Status, StepRef};
use serde::Serialize;
use ts_rs::TS;

/// Branches that run beside each other, as of an event.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ForkView {
    /// Which fork of the run: they count from 1 in the order they begin.
    pub number: u32,
    /// The step that forks.
    pub from: StepRef,
    /// Where the branches meet.
    pub join: StepRef,
    /// The bar of the picture at which they meet; absent: none is drawn.
    pub bar: Option<String>,
    /// How many branches have ended, or were counted by the join: `3/4`.
    pub badge: String,
    /// How it stands: `2 of 4 branches have ended.`, or why it went on, or did not.
    pub words: String,
    /// What the join asks for: `3 of 4 verified`.
    pub asks: String,
    /// What it counted: `3 of 4 verified, quorum 3`; absent: it has not counted yet.
    pub found: Option<String>,
    /// The one status made of those of the branches, and how; absent: it has not counted yet.
    pub together: Option<String>,
    /// Whether the join was met; absent: it has not counted yet.
    pub met: Option<bool>,
    /// Its branches, in the order written.
    pub branches: Vec<BranchView>,
    /// How they run, clause by clause.
    pub rules: Vec<String>,
}

/// One branch.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct BranchView {
    /// Its first step.
    pub step: StepRef,
    /// Where it is now, where that is another step.
    pub at: Option<StepRef>,
    /// How it stands.
    pub status: Status,
    /// What it reported, why it failed or was cut off, or what it waits for.
    pub words: String,
    /// Whether the join counts it; absent: it has not counted yet.
    pub counts: Option<bool>,
}
