//! What is wrong with a workflow, where, and what would mend it.

use crate::{Edit, Place};
use serde::{Deserialize, Serialize};

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "model.gen.ts")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Probably not meant; the workflow runs.
    Warning,
    /// The workflow cannot run as written.
    Error,
}

/// One problem. The primary message is one terse sentence without a final stop; help says what to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// `GH0001` …; stable, clients branch on it.
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// Where.
    pub place: Place,
    /// Other places that matter, each with what is there.
    pub related: Vec<(Place, String)>,
    /// What to do.
    pub help: Option<String>,
    /// A change that mends it, with its label.
    pub fix: Option<Fix>,
}

/// A proposed change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[ts(export_to = "model.gen.ts")]
pub struct Fix {
    /// What a button says.
    pub label: String,
    /// What it does.
    pub edit: Edit,
}

impl Diagnostic {
    /// A problem at a place, with neither help nor fix.
    pub fn new(code: &str, severity: Severity, place: Place, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            severity,
            message: message.into(),
            place,
            related: Vec::new(),
            help: None,
            fix: None,
        }
    }
    /// Adds what to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
    /// Adds another place that matters.
    #[must_use]
    pub fn related(mut self, place: Place, text: impl Into<String>) -> Self {
        self.related.push((place, text.into()));
        self
    }
    /// Adds a change that mends it.
    #[must_use]
    pub fn fix(mut self, label: impl Into<String>, edit: Edit) -> Self {
        self.fix = Some(Fix {
            label: label.into(),
            edit,
        });
        self
    }
}

/// A diagnostic code with its remedy page (Markdown), for `gatehouse explain` and "Learn more".
#[derive(Debug, Clone, Copy)]
pub struct CodePage {
    /// `GH0001`.
    pub code: &'static str,
    /// A few words.
    pub title: &'static str,
    /// What it means, an example that fails, the same mended.
    pub page: &'static str,
}
