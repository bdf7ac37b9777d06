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

    /// Adds the place of the key that the sentence begins with (`a.b[0]: …`, or `` `a.b` … ``), where the text has it: of what is wrong in a
    /// block the YAML reader only knows where the block begins.
    #[must_use]
    pub(crate) fn placed(mut self, text: &str) -> Self {
        let name = self.path.to_string_lossy().into_owned();
        let found = dialect::settings::place(&name, text, &self.key());
        // Of a key that it does not know the reader has the very place.
        let is_placed = self.line.is_some() && self.message.contains("unknown field");
        if let Some((at, whole)) = found
            && (whole && !is_placed || self.line.is_none())
        {
            (self.line, self.column) = (Some(at.line), Some(at.column));
        }
        self
    }

    /// The key that the sentence begins with, from the root of the file; empty where it begins with none.
    pub(crate) fn key(&self) -> Vec<&str> {
        let written = match self.message.strip_prefix('`') {
            Some(rest) => rest.split_once('`').map(|(key, _)| key),
            None => self.message.split_once(": ").map(|(key, _)| key),
        };
        let Some(key) = written.filter(|key| !key.contains(' ')) else {
            return Vec::new();
        };
        key.split(['.', '[', ']']).filter(|part| !part.is_empty()).collect()
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
        let mut message = match &place {
            Some(_) => without_places(&whole),
            None => whole,
        };
        for (of_rust, plain) in TYPES {
            message = message.replace(&format!("expected {of_rust}"), &format!("expected {plain}"));
        }
        Self {
            path: path.into(),
            line: place.as_ref().map(serde_yaml::Location::line),
            column: place.as_ref().map(serde_yaml::Location::column),
            message,
            hint: None,
        }
    }
}

/// What the reader calls by the types of the language that it is written in, and what a person calls it.
const TYPES: [(&str, &str); 8] = [
    ("a nonzero u32", "a whole number above 0"),
    ("a nonzero u64", "a whole number above 0"),
    ("u32", "a whole number"),
    ("u64", "a whole number"),
    ("usize", "a whole number"),
    ("f64", "a number"),
    ("a sequence", "a list"),
    ("a map", "a block of keys"),
];

/// A sentence of the YAML reader without its places: ` at line 3 column 2`.
fn without_places(said: &str) -> String {
    let mut parts = said.split(" at line ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let number = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if number(part) == 0 {
            out.push_str(" at line ");
        }
        let rest = &part[number(part)..];
        let rest = match rest.strip_prefix(" column ") {
            Some(rest) => &rest[number(rest)..],
            None => rest,
        };
        out.push_str(rest);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_yaml_says_its_place_once() {
        let error = serde_yaml::from_str::<serde_yaml::Value>("a: 1\nb: {c: d\ne: f\n").expect_err("never closed");
        let fault = FileFault::yaml("x.yaml", &error);
        assert!(fault.line.is_some() && !fault.message.contains("line"), "{fault}");
        assert_eq!(
            without_places("no a at line 3 column 2, while b at line 1 column 1"),
            "no a, while b"
        );
        assert_eq!(without_places("stands at line end"), "stands at line end");
    }
}
