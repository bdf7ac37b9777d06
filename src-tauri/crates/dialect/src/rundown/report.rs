//! What is found while a runbook is read: bounded, so that a hostile file costs no more than it is long.

use model::rules::MOST_OF_A_CODE;
use model::{Diagnostic, Place, Severity};
use std::collections::BTreeMap;

/// Diagnostics, of each code the first ones.
#[derive(Debug, Default)]
pub(super) struct Report {
    list: Vec<Diagnostic>,
    counts: BTreeMap<String, usize>,
}

impl Report {
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        let count = self.counts.entry(diagnostic.code.clone()).or_default();
        *count += 1;
        if *count <= MOST_OF_A_CODE {
            self.list.push(diagnostic);
        }
    }

    pub(super) fn error(&mut self, code: &str, place: Place, said: impl Into<String>, help: &str) {
        self.push(Diagnostic::new(code, Severity::Error, place, said).help(help));
    }

    /// Whether anything found so far keeps the runbook from starting.
    pub(super) fn has_errors(&self) -> bool {
        self.list.iter().any(|found| found.severity == Severity::Error)
    }

    /// Everything found, with what was left out said.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        for (code, count) in self.counts {
            let severity = self.list.iter().find(|d| d.code == code).map(|d| d.severity);
            if let (Some(left_out), Some(severity)) = (count.checked_sub(MOST_OF_A_CODE).filter(|n| *n > 0), severity) {
                let said = format!("The same was found {left_out} times more");
                self.list
                    .push(Diagnostic::new(&code, severity, Place::document(), said));
            }
        }
        self.list
    }
}
