//! Whether a change may be made that only the whole of what is read afterwards can tell.

use crate::document::Document;
use crate::edit::EditError;
use model::Severity;

/// A change breaks no rule that the workflow did not break before.
pub(crate) fn sound(before: &Document, after: &Document) -> Result<(), EditError> {
    let errors = |document: &Document| {
        let found = document.diagnostics().iter();
        found.filter(|found| found.severity == Severity::Error).count()
    };
    if errors(after) <= errors(before) {
        return Ok(());
    }
    let known: Vec<&str> = before.diagnostics().iter().map(|found| found.code.as_str()).collect();
    let found = after.diagnostics().iter();
    let found = found.filter(|found| found.severity == Severity::Error);
    let fresh = found
        .clone()
        .find(|found| !known.contains(&found.code.as_str()))
        .or_else(|| found.clone().next());
    Err(EditError::unsound(
        fresh.map_or_else(String::new, |found| found.message.clone()),
    ))
}
