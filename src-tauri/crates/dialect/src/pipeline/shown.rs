//! What a window offers of a pipeline: its kinds of stage, its gestures, and the form of a stage.

use super::Reading;
use crate::does;
use crate::form::{Entries, naming, palette, pipeline as form, sent_back};
use model::{Gestures, Place, StepKind, Work};

impl Reading {
    pub(super) fn kinds() -> Vec<StepKind> {
        let kinds = naming(palette(&form::KINDS), "workflow", &form::OTHER);
        naming(kinds, "script", &form::SCRIPT)
    }

    pub(super) fn offered() -> Gestures {
        Gestures {
            steps: true,
            order: true,
            waits: true,
            gates: true,
            rejections: true,
            ..Gestures::default()
        }
    }

    pub(super) fn form_of(&self, step: Option<usize>) -> Option<Entries> {
        let Some(ordinal) = step else {
            let mut out = Entries::new("workflow", self.workflow.format.label());
            out.rows(&Place::document(), &form::ROOT);
            return Some(out);
        };
        let stage = self.workflow.steps().get(ordinal)?;
        let whole = Place::step(ordinal);
        let (kind, label, own) = match (&stage.work, &stage.gate) {
            (Work::Command { .. }, _) => ("script", "Script", Some(form::SCRIPT)),
            (Work::SubWorkflow { .. }, _) => ("workflow", "Workflow", Some(form::OTHER)),
            (_, Some(_)) => ("decision", "Decision", None),
            _ => ("work", "Work", None),
        };
        let mut out = Entries::new(kind, label);
        out.gated(stage);
        out.does(form::DOES, stage, does::word(stage));
        // Who does it says nothing where a script does.
        if own.is_none() {
            let names: Vec<&str> = stage.agents.iter().map(|agent| agent.as_str()).collect();
            let shown = (!names.is_empty()).then(|| names.into());
            out.showing_at(form::WHO, whole.clone().field("agents"), shown);
        }
        // Workflows have no program of their own.
        let rows = form::STAGE
            .iter()
            .filter(|row| row.name != "terminal" || kind != "workflow");
        out.rows(&whole, rows);
        out.rows(&whole, own.iter());
        let back = sent_back(&self.workflow, stage, self.on_reject(stage));
        out.filled_by(form::REJECTED, None, back, whole.field("on_reject"));
        Some(out)
    }
}
