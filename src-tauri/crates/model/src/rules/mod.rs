//! Rules: each looks at a whole workflow and reports what is wrong. One file a rule, its remedy page beside it.

use crate::diagnostic::CodePage;
use crate::{Diagnostic, Workflow};

/// Every rule's remedy page, in order of the codes.
pub static PAGES: &[CodePage] = &[];

/// Runs every rule.
pub fn check(_workflow: &Workflow) -> Vec<Diagnostic> {
    Vec::new()
}
