//! What was handed over, and what checking it found.

use crate::verify::view::VerifyView;
use serde::Serialize;
use ts_rs::TS;

/// What checking a bundle found.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct BundleView {
    /// Everything in it is what was written down.
    pub ok: bool,
    /// Something was found, and all of it is about whose keys the decisions are signed with.
    pub in_doubt: bool,
    /// One or two sentences.
    pub words: String,
    /// The run that is handed over.
    pub run_id: String,
    /// Of its workflow.
    pub title: String,
    /// How it stands, or how it ended.
    pub stands: String,
    /// Nothing of it happened for real.
    pub rehearsal: bool,
    /// Of that run with its report, and of each other one in the bundle.
    pub checks: Vec<BundleCheckView>,
}

/// What checking one run of a bundle found.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct BundleCheckView {
    /// The run.
    pub run_id: String,
    /// Of its workflow; its id where that cannot be read.
    pub title: String,
    /// What was found.
    pub verified: VerifyView,
}

/// Where a bundle was unpacked.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct UnpackedView {
    /// The folder, absolute.
    pub folder: String,
}
