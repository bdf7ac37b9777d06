//! The one error a client sees.

use crate::text::paste;
use engine::{Refusal, RefusalCode};
use serde::Serialize;
use std::collections::BTreeMap;
use ts_rs::TS;

/// Code for programs, message and hint for people. Clients branch on the code, never on the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error, TS)]
#[error("{message}")]
#[ts(export_to = "studio.gen.ts")]
pub struct ApiError {
    /// `not_found`, `invalid_workflow`, `refused:already_answered`, `locked`, `disk_full`, `read_only`, `internal` …
    pub code: String,
    /// What happened and what it means.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
    /// Of a form: what is wrong with each answer, by the name of its question.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, as = "Option<_>")]
    pub fields: BTreeMap<String, String>,
}

impl ApiError {
    /// An error.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            hint: None,
            fields: BTreeMap::new(),
        }
    }
    /// Adds what to do.
    #[must_use]
    pub fn hint(mut self, text: impl Into<String>) -> Self {
        self.hint = Some(text.into());
        self
    }
    /// Whether the domain said no (nothing broke).
    pub fn refused(&self) -> bool {
        self.code.starts_with(REFUSED)
    }
    /// Whether it is of the moment: the same may be asked again and be answered.
    pub(crate) fn passes(&self) -> bool {
        matches!(self.code.as_str(), "locked" | "disk_full" | "io")
    }
    /// Whether the run machine refused for this reason.
    pub(crate) fn is(&self, code: RefusalCode) -> bool {
        self.code == of_refusal(code)
    }
}

/// What every code begins with that is a no of the domain.
const REFUSED: &str = "refused:";

/// The run has gone on since an answer to it was signed.
pub(crate) const MOVED: &str = "moved";

/// The record of one run cannot be read; the history is whole otherwise.
pub(crate) const UNREADABLE: &str = "unreadable_record";

/// The code of what the run machine refuses.
fn of_refusal(code: RefusalCode) -> String {
    let word = serde_json::to_value(code).ok();
    let word = word.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
    format!("{REFUSED}{word}")
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        Self::new(of_refusal(refusal.code), refusal.message)
    }
}

impl From<store::Error> for ApiError {
    fn from(error: store::Error) -> Self {
        use store::Error as E;
        let code = match &error {
            E::Locked { .. } => "locked",
            E::DiskFull { .. } => "disk_full",
            E::ReadOnly { .. } | E::Excerpt { .. } => "read_only",
            E::Unread { .. } => "no_access",
            E::Missing { .. } => "missing",
            E::Corrupt { .. } => "corrupt",
            E::Unreadable { .. } | E::BlobChanged { .. } => UNREADABLE,
            E::Newer { .. } => "newer",
            E::Gone { .. } => "gone",
            E::Exists { .. } => "exists",
            E::Unentered { .. } => "unentered",
            E::Altered { .. } => "altered",
            E::NotABackup { .. } => "refused:not_a_backup",
            E::Linked { .. } | E::Outside { .. } => "refused:not_written",
            E::UnknownRun { .. } => "not_found",
            E::Ambiguous { .. } => "ambiguous",
            E::Leased { .. } | E::LeaseLost { .. } => "driven_elsewhere",
            _ => "store",
        };
        let hint = match &error {
            E::ReadOnly { .. } => Some(
                "Give yourself write permission for the folder, or copy the project to a folder of your own."
                    .to_owned(),
            ),
            E::NotABackup { .. } => Some("Name a file that `gatehouse backup FILE` made.".to_owned()),
            E::Excerpt { .. } => Some("Go on in the project where the runs were recorded.".to_owned()),
            E::Unentered { run } => Some(format!(
                "Give its report instead: gatehouse report {run} -o FILE.html. An older backup of the project may hold the run with its entry."
            )),
            _ => None,
        };
        Self {
            hint,
            ..Self::new(code, sentence(&error.to_string()))
        }
    }
}

impl From<runtime::Error> for ApiError {
    fn from(error: runtime::Error) -> Self {
        use runtime::Error as E;
        let hint = error.hint();
        let hint = match &error {
            E::Answers { faults } => Some(hint.unwrap_or_else(|| {
                let names = faults.iter().map(|(name, _)| paste::shell_word_or(name, "NAME"));
                let each: Vec<String> = names.map(|name| format!("--input {name}=VALUE")).collect();
                format!(
                    "Answer what is asked before it begins: in the window, or with {}.",
                    each.join(" ")
                )
            })),
            _ => hint,
        };
        let fields = match &error {
            E::Answers { faults } => faults.iter().cloned().collect(),
            E::Guardrail { faults, again } => at_fields(faults, again),
            _ => BTreeMap::new(),
        };
        let code = match error {
            E::Store(inner) => return inner.into(),
            E::Refused(inner) => return inner.into(),
            E::File(_) => "invalid_file",
            E::Driven { .. } | E::Ousted { .. } => "driven_elsewhere",
            E::Workflow { .. } => "invalid_workflow",
            E::Answers { .. } => "invalid_inputs",
            E::Guardrail { .. } => "refused:guardrail",
            E::Given { .. } => "bad_parameters",
            E::Unbound(_) => "unbound_agents",
            E::Restricted => "refused:not_trusted",
            E::Moved => MOVED,
            E::OnlyRead(_) => "refused:not_enforced",
            E::Unvouched { .. } => "refused:not_vouched",
            E::Unusable { .. } => "unusable_run",
            E::Io { .. } => "io",
        };
        Self {
            code: code.into(),
            message: sentence(&error.to_string()),
            hint,
            fields,
        }
    }
}

/// What a guardrail stops, by the field or the question that it answers. Where a part of it answers none, nothing: then all of it is said in one
/// place.
fn at_fields(faults: &[(Option<String>, String)], again: &str) -> BTreeMap<String, String> {
    let each = faults
        .iter()
        .map(|(name, why)| Some((name.clone()?, format!("{why} {again}"))));
    each.collect::<Option<_>>().unwrap_or_default()
}

/// Whether a message begins with an ordinary word, not with a path or a file's name.
fn is_word(text: &str) -> bool {
    text.split_whitespace()
        .next()
        .is_some_and(|first| first.chars().all(|c| c.is_alphabetic() || c == ','))
}

/// A message as a sentence: capital first letter, full stop at the end.
pub(crate) fn sentence(text: &str) -> String {
    let mut chars = text.trim().chars();
    let mut out: String = match chars.next() {
        // A path or a name in quotes stays as it is.
        Some(first) if first.is_lowercase() && is_word(text) => first.to_uppercase().chain(chars).collect(),
        Some(first) => std::iter::once(first).chain(chars).collect(),
        None => return String::new(),
    };
    if !out.ends_with(['.', '!', '?']) {
        out.push('.');
    }
    out
}

/// A file cannot be made where another one stands.
pub(crate) fn taken_name(path: &str) -> ApiError {
    ApiError::new("name_taken", format!("There is a file {path} already.")).hint("Choose another name.")
}

/// What stood in the way of changing a file, which is as it was.
pub(crate) fn io(path: &str, error: &std::io::Error) -> ApiError {
    let code = match error.kind() {
        std::io::ErrorKind::AlreadyExists => return taken_name(path),
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => "read_only",
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => "disk_full",
        _ => "io",
    };
    ApiError::new(code, format!("{path} was left as it was: {error}.")).hint("Mend the cause and repeat it.")
}

#[cfg(test)]
mod tests {
    use super::sentence;

    #[test]
    fn paths_keep_their_letters() {
        assert_eq!(sentence("run x is driven"), "Run x is driven.");
        assert_eq!(
            sentence("requirements/a.yaml: no such step"),
            "requirements/a.yaml: no such step."
        );
        assert_eq!(sentence("gatehouse.yaml:3:1: unknown"), "gatehouse.yaml:3:1: unknown.");
    }
}
