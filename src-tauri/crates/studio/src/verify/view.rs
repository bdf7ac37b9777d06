//! What verifying found.

use serde::Serialize;
use ts_rs::TS;

/// What verification found.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct VerifyView {
    /// Nothing was found.
    pub ok: bool,
    /// Something was found, and all of it is about whose keys the decisions are signed with: nothing was altered.
    pub in_doubt: bool,
    /// One sentence.
    pub words: String,
    /// Events checked.
    pub events: u64,
    /// Contents in the history that the events name, checked.
    pub blobs: u64,
    /// Files in the run's folder checked.
    pub files: u64,
    /// Signed decisions checked.
    pub signatures: u64,
    /// What is wrong.
    pub findings: Vec<FindingView>,
    /// What a reader should know though nothing is wrong: several keys under one name, signatures that cover less.
    pub notes: Vec<String>,
}

impl VerifyView {
    /// That something else than the record speaks against what was verified: what was found, and a sentence in front of what was said, where there
    /// is one. `is_doubtful`: it may mean nothing, so that all is in doubt as long as nothing else was altered.
    pub(crate) fn speaks_against(
        &mut self,
        is_doubtful: bool,
        words: Option<&str>,
        found: impl IntoIterator<Item = FindingView>,
    ) {
        self.in_doubt = is_doubtful && (self.ok || self.in_doubt);
        self.ok = false;
        if let Some(words) = words {
            self.words = format!("{words} {}", self.words);
        }
        self.findings.extend(found);
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct FindingView {
    /// Stable code: `chain_broken`, `blob_changed`, `file_missing`, `signature_invalid` …
    pub code: String,
    /// Where.
    pub place: String,
    /// What happened, what it means, what to do.
    pub message: String,
}
