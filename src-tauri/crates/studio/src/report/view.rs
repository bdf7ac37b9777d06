//! Reports and verification.

use serde::Serialize;
use ts_rs::TS;

/// A report, ready to be shown or saved.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ReportView {
    /// A whole HTML page that needs nothing else.
    pub html: String,
    /// What its run is called: the title of the workflow.
    pub title: String,
    /// A good name for it.
    pub file_name: String,
    /// Nothing of the run happened for real.
    pub rehearsal: bool,
    /// Why nobody is to rely on what is written down of the run, in a sentence or two; absent: nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub warning: Option<String>,
}

/// Where a report was written.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct SavedView {
    /// Absolute path.
    pub path: String,
    /// Size.
    pub bytes: u64,
    /// Of a report or a bundle: why nobody is to rely on what is written down of the run, in a sentence or two; absent: nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub warning: Option<String>,
}
