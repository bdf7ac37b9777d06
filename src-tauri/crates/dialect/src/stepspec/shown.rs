//! What a window offers of a StepSpec workflow: its kinds of step, its gestures, and the form of a step.

use super::Reading;
use super::detect::Shape;
use crate::does;
use crate::form::{Entries, naming, palette, stepspec as form};
use model::{Gestures, Place, StepKind, Work};

impl Reading {
    /// A file that is one step, or the record of a run, gets no others.
    fn grows(&self) -> bool {
        matches!(self.shape, Shape::List([_]))
    }

    pub(super) fn kinds(&self) -> Vec<StepKind> {
        match self.grows() {
            true => naming(palette(&form::KINDS), "script", &form::SCRIPT),
            false => Vec::new(),
        }
    }

    pub(super) fn offered(&self) -> Gestures {
        Gestures {
            steps: self.grows(),
            order: self.grows(),
            gates: true,
            rejections: true,
            ..Gestures::default()
        }
    }

    /// `has`: whether something is written in a place.
    pub(super) fn form_of(
        &self,
        step: Option<usize>,
        questions: &'static str,
        has: &dyn Fn(&Place) -> bool,
    ) -> Option<Entries> {
        let Some(ordinal) = step else {
            let mut out = Entries::new("workflow", self.workflow.format.label());
            out.rows(&Place::document(), &form::ROOT);
            out.rows(&Place::document(), [&form::RUN_QUESTIONS.called(questions)]);
            return Some(out);
        };
        let found = self.workflow.steps().get(ordinal)?;
        let (kind, label) = match (&found.work, &found.gate) {
            (Work::Command { .. }, _) => ("script", "Script"),
            (_, Some(_)) => ("decision", "Decision"),
            _ => ("work", "Work"),
        };
        let mut out = Entries::new(kind, label);
        let script = kind == "script";
        let whole = Place::step(ordinal);
        // Several are a list, one is a name.
        let several = has(&whole.clone().field("agents"));
        out.gated(found);
        out.does(form::DOES, found, does::word(found));
        let rows = form::STEP.iter().chain(&form::LAST);
        out.rows(
            &whole,
            rows.filter(|row| match row.name {
                "run" => script,
                "agent" => !script && !several,
                "agents" => !script && several,
                _ => true,
            }),
        );
        Some(out)
    }
}
