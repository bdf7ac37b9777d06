//! What is wrong with a file that a person wrote, and where in it.

use std::path::PathBuf;

/// A file that a person wrote cannot be used, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFault {
    /// Which file.
    pub path: PathBuf,
    /// 1-based; absent when the fault has no place.
    pub line: Option<usize>,
    /// 1-based.
    pub column: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

impl std::fmt::Display for FileFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}:{}", self.column.unwrap_or(1))?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for FileFault {}

impl FileFault {
    /// A fault without a place.
    pub fn new(path: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            line: None,
            column: None,
            message: message.into(),
            hint: None,
        }
    }

    /// Adds what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Lists in lists without end.
    pub(crate) fn deep(path: impl Into<PathBuf>, deep: tool::nesting::Unbounded) -> Self {
        Self {
            line: Some(deep.line),
            column: Some(deep.column),
            ..Self::new(path, deep.to_string()).hint("Write it flatter, or quote what is meant as text.")
        }
    }

    /// What the YAML reader found, with its place taken out of the sentence.
    pub(crate) fn yaml(path: impl Into<PathBuf>, error: &serde_yaml::Error) -> Self {
        let whole = error.to_string();
        let place = error.location();
        let message = match (&place, whole.rfind(" at line ")) {
            (Some(_), Some(end)) => whole[..end].to_owned(),
            _ => whole,
        };
        Self {
            path: path.into(),
            line: place.as_ref().map(serde_yaml::Location::line),
            column: place.as_ref().map(serde_yaml::Location::column),
            message,
            hint: None,
        }
    }
}
