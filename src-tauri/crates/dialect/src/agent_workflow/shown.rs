//! What a window offers of an agent workflow: its kinds of step, its gestures, and the form of a step.

use super::Reading;
use super::detect::Generation;
use crate::form::{Entries, agent_workflow as form, palette, sent_back};
use crate::tree::Tree;
use model::{Gestures, Place, StepKind};
use serde_json::Value;

impl Reading {
    pub(super) fn kinds() -> Vec<StepKind> {
        palette(&form::KINDS)
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

    /// Whether a step has a field of its own.
    fn has(&self, text: &str, tree: &Tree, step: usize, field: &str) -> bool {
        let mut keys = self.way(self.at[step]);
        keys.push(field.to_owned());
        let (_, used) = tree.walk(text, keys.iter().map(String::as_str));
        used == keys.len()
    }

    /// Where a step says what others call it by, or would.
    pub(super) fn id_key(&self, text: &str, tree: &Tree, step: usize) -> &'static str {
        let is_named = self.waits[step].number.is_none() && self.has(text, tree, step, "step");
        if !self.has(text, tree, step, "id") && is_named {
            "step"
        } else {
            "id"
        }
    }

    pub(super) fn form_of(&self, text: &str, tree: &Tree, step: Option<usize>) -> Option<Entries> {
        let Some(ordinal) = step else {
            let mut out = Entries::new("workflow", self.workflow.format.label());
            out.rows(&Place::document(), &form::ROOT);
            return Some(out);
        };
        let found = self.workflow.steps().get(ordinal)?;
        let whole = Place::step(ordinal);
        let (kind, label) = match (&found.gate, &found.whether) {
            (Some(_), _) => ("decision", "Decision"),
            (None, Some(_)) => ("optional", "If it is needed"),
            (None, None) => ("work", "Work"),
        };
        let mut out = Entries::new(kind, label);
        out.gated(found);
        out.rows(&whole, [&form::STEP_NAME]);
        let own = Some(Value::from(found.id.as_str()));
        out.showing_at(
            form::STEP_ID,
            whole.clone().field(self.id_key(text, tree, ordinal)),
            own,
        );
        out.rows(&whole, &form::BEFORE);
        // Several are a list, one is a name.
        let several = self.has(text, tree, ordinal, "agents");
        out.rows(&whole, [if several { &form::SEVERAL } else { &form::ONE }]);
        out.rows(&whole, &form::FILES);
        let named = self.waits[ordinal].named.as_ref();
        let named = named.map(|ids| ids.iter().map(|id| Value::from(id.as_str())).collect::<Vec<_>>().into());
        let help = match self.generation {
            Generation::Groups => form::WAITS_IN_GROUP,
            Generation::Inside | Generation::Beside => form::WAITS_IN_ORDER,
        };
        out.told(form::WAITS, &whole, help.to_owned(), named);
        out.rows(&whole, &form::AFTER);
        let back = sent_back(&self.workflow, found, self.on_reject(found));
        out.filled_by(form::REJECTED, None, back, whole.field("on_reject"));
        Some(out)
    }
}
