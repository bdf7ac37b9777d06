//! `feedback` of a workflow: how far what its steps report to earlier ones sends work back ([`model::Feedback`]).

use model::{Diagnostic, Feedback, Place, Severity, Workflow};
use serde_json::Value;

const HELP: &str = "This workflow does not start. Write `feedback: {rounds: 2, seconds: 3600, escalate_to: NAME}`, or leave out what the \
                    project is to say";

/// What of a workflow's own bounds cannot be used.
pub(crate) fn check(workflow: &Workflow) -> Vec<Diagnostic> {
    let written = workflow.fields.get(Feedback::FIELD);
    written.map_or_else(Vec::new, |written| faults(written, &Place::document()))
}

/// The same of what stands there. `around`: the block that holds it.
pub(crate) fn faults(written: &Value, around: &Place) -> Vec<Diagnostic> {
    let faults = Feedback::read(written).1.into_iter();
    let each = faults.map(|fault| {
        let mut place = around.clone();
        place.path.extend([Feedback::FIELD, fault.key].map(str::to_owned));
        let said = format!("`feedback.{}` must be {}", fault.key, fault.must);
        Diagnostic::new("GH0604", Severity::Error, place, said).help(HELP)
    });
    each.collect()
}
