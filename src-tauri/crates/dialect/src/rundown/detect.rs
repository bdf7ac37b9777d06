//! What makes a file a runbook: its name, or a person who opens it as one.

use super::{Runbook, id::Part, unit::Unit};

/// How the names of runbooks end. Any other Markdown is opened as a runbook only where a person says so.
pub(super) const ENDINGS: [&str; 2] = [".runbook.md", ".workflow.md"];

/// Whether a file is a runbook by its name.
pub fn is_named(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    ENDINGS
        .iter()
        .any(|ending| name.len() > ending.len() && name.ends_with(ending))
}

impl Runbook {
    /// What this lacks to be a runbook, as the end of a sentence, although a person has opened it as one: it has neither the name nor anything of the format.
    pub(super) fn lacks(&self, path: &str) -> Option<&'static str> {
        let numbered = |unit: &Unit| {
            let id = unit.heading.id.as_ref();
            unit.heading.level == 2 && id.is_ok_and(|id| id.substep.is_none() && !matches!(id.step, Part::Name(_)))
        };
        let told = |unit: &Unit| !unit.transitions.is_empty();
        if is_named(path) || self.units.iter().any(|unit| numbered(unit) || told(unit)) {
            return None;
        }
        Some("it has neither a numbered step (`## 1. Title`) nor a transition (`- PASS: CONTINUE`)")
    }
}
