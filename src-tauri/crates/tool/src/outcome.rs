//! What came of a call.

use serde_json::Value;

/// How a call went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The tool answered.
    Completed,
    /// It did not, or its answer says that it could not.
    Failed,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How it went.
    pub status: Status,
    /// What the tool answered; null when it said nothing.
    pub output: Value,
    /// Why it failed, a sentence for a reader; empty when it did not.
    pub error: String,
}

impl Outcome {
    /// It answered.
    pub fn completed(output: Value) -> Self {
        Self {
            status: Status::Completed,
            output,
            error: String::new(),
        }
    }

    /// It failed, and why.
    pub fn failed(error: impl Into<String>) -> Self {
        Self {
            status: Status::Failed,
            output: Value::Null,
            error: error.into(),
        }
    }

    /// It failed, and still said something.
    #[must_use]
    pub fn with(mut self, output: Value) -> Self {
        self.output = output;
        self
    }

    /// Whether the tool answered.
    pub fn is_completed(&self) -> bool {
        self.status == Status::Completed
    }
}

impl From<Result<Value, String>> for Outcome {
    fn from(result: Result<Value, String>) -> Self {
        result.map_or_else(Self::failed, Self::completed)
    }
}
