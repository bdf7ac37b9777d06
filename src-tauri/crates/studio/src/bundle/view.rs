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
    /// What the archive holds that no Gatehouse puts there, by name; it was not opened.
    pub added: Vec<String>,
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

/// What handing a run over would put into one file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct BundleContents {
    /// How many runs: it, and those around, inside and before it.
    pub runs: u32,
    /// How many events of these.
    pub events: u64,
    /// How many files that their steps made, each as it was made last.
    pub files: u64,
    /// How many earlier versions of files go with them: drafts that were made again, and what was withdrawn.
    pub earlier: u64,
    /// How large these files and versions are together.
    pub bytes: u64,
    /// The record of one of these runs is known not to be what was written down: that, in two sentences.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub warning: Option<String>,
}

/// The ZIP files in the project's folder of reports.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct BundleList {
    /// Latest first.
    pub files: Vec<BundleFile>,
}

/// A ZIP file that may be a bundle.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct BundleFile {
    /// Absolute path.
    pub path: String,
    /// What it is called.
    pub name: String,
    /// Size.
    pub bytes: u64,
}

/// Where a bundle was unpacked.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct UnpackedView {
    /// The folder, absolute.
    pub folder: String,
}
