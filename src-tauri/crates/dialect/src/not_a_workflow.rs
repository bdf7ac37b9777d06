//! Why a file is no workflow: the format that it comes nearest to, and what it lacks of that.

use model::Format;
use std::fmt;

/// Why a file is no workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAWorkflow {
    /// What it is instead, where that can be told: `a build file`.
    pub looks_like: Option<&'static str>,
    /// The format that it comes nearest to.
    pub nearest: Format,
    /// What is missing for that, as the end of a sentence.
    pub lacks: String,
}

impl NotAWorkflow {
    pub(crate) fn new(nearest: Format, lacks: impl Into<String>) -> Self {
        Self {
            looks_like: None,
            nearest,
            lacks: lacks.into(),
        }
    }
}

impl fmt::Display for NotAWorkflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nearest = self.nearest.contract().noun;
        match self.looks_like {
            Some(what) => write!(f, "This is {what}, not a workflow: ")?,
            None => f.write_str("This is not a workflow: ")?,
        }
        write!(f, "the nearest format is {nearest}, but {}", self.lacks)
    }
}
