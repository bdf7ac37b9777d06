//! The one error a client sees.

use serde::Serialize;
use ts_rs::TS;

/// Code for programs, message and hint for people. Clients branch on the code, never on the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error, TS)]
#[error("{message}")]
#[ts(export, export_to = "studio.gen.ts")]
pub struct ApiError {
    /// `not_found`, `invalid_workflow`, `refused:already_answered`, `store_locked`, `disk_full`, `read_only`, `internal` …
    pub code: String,
    /// What happened and what it means.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

impl ApiError {
    /// An error.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), hint: None }
    }
    /// Adds what to do.
    #[must_use]
    pub fn hint(mut self, text: impl Into<String>) -> Self {
        self.hint = Some(text.into());
        self
    }
}
