//! What a window offers of a runbook: its kinds of step, its gestures, and the form of a step.

use super::Runbook;
use crate::form::{Entries, palette, runbook as form};
use model::{Gestures, Place, StepKind, Work};

impl Runbook {
    pub(super) fn kinds() -> Vec<StepKind> {
        palette(&form::KINDS)
    }

    pub(super) fn offered() -> Gestures {
        Gestures {
            steps: true,
            inside: true,
            order: true,
            next: true,
            // A step that is tried again, and ways by its outcome.
            loops: true,
            branches: true,
            ..Gestures::default()
        }
    }

    pub(super) fn form_of(&self, step: Option<usize>) -> Option<Entries> {
        let Some(ordinal) = step else {
            let mut out = Entries::new("workflow", "Runbook");
            out.rows(&Place::document(), &form::ROOT);
            return Some(out);
        };
        let found = self.workflow.steps().get(ordinal)?;
        let unit = self.units.get(ordinal)?;
        let (kind, label) = match &found.work {
            Work::Command { .. } => ("command", "Command"),
            Work::SubWorkflow { .. } => ("runbooks", "Runbooks"),
            _ if found.jump_only => ("named", "Named step"),
            Work::Group => ("group", "Step with substeps"),
            _ => ("prompt", "By hand"),
        };
        let whole = Place::step(ordinal);
        let mut out = Entries::new(kind, label);
        out.rows(&whole, [&form::ID, &form::TITLE, &form::PROMPT]);
        match &found.work {
            Work::Command { .. } | Work::Prompt { .. } => out.rows(&whole, [&form::COMMAND]),
            Work::SubWorkflow { files } => {
                for n in 0..=files.len() {
                    out.at(form::FILE, whole.clone().field("files").field(n.to_string()));
                }
            }
            Work::Agent | Work::Group => {}
        }
        for n in 0..=unit.transitions.len() {
            out.at(
                form::TRANSITION,
                whole.clone().field("transitions").field(n.to_string()),
            );
        }
        Some(out)
    }
}
