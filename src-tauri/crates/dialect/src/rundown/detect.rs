//! What makes a file a runbook: its name, or a person who opens it as one.

use super::name::is_named;
use super::{Runbook, id::Part, unit::Unit};

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
