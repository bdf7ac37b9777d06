//! Another identifier for a step, in every place that names it.

use super::Runbook;
use super::id::inside;
use super::id::{Id, Part};
use super::in_front;
use super::write::Way;
use crate::text::{Span, TextEdit};
use model::{Action, Jump, Routing, Step, StepId};

/// Old and new.
pub(super) struct Rename {
    ordinal: usize,
    old: String,
    new: String,
    /// Another step has the old identifier, too: what names it means that one.
    doubled: bool,
}

impl Rename {
    pub(super) fn of(runbook: &Runbook, ordinal: usize, new: &str) -> Self {
        let steps = runbook.workflow.steps();
        let old = steps[ordinal].id.to_string();
        let doubled = steps.iter().filter(|step| step.id.as_str() == old).count() > 1;
        Self {
            ordinal,
            old,
            new: new.to_owned(),
            doubled,
        }
    }

    /// The new form of an identifier that is, or lies in, the renamed step.
    fn id(&self, id: &str) -> Option<String> {
        inside(id, &self.old).map(|rest| format!("{}{rest}", self.new))
    }

    fn id_of_step(&self, step: &Step) -> Option<String> {
        let inside = step.parent.as_ref().is_some_and(|parent| parent.as_str() == self.old);
        if step.ordinal == self.ordinal || (inside && !self.doubled) {
            self.id(step.id.as_str())
        } else {
            None
        }
    }

    /// The step as it should be afterwards.
    pub(super) fn step(&self, step: &Step) -> Step {
        let mut out = step.clone();
        if let Some(id) = self.id_of_step(step) {
            out.id = StepId::new(id);
            let named = is_named(out.id.as_str());
            out.number = if named { String::new() } else { out.id.to_string() };
            if step.ordinal == self.ordinal {
                let id = super::id::whole(&self.new).ok();
                let last = id.as_ref().map(Id::last);
                out.dynamic = last == Some(&Part::Dynamic);
                out.jump_only = step.parent.is_none() && matches!(last, Some(Part::Name(_)));
            }
        }
        if self.doubled {
            return out;
        }
        if step.ordinal != self.ordinal && out.parent.as_ref().is_some_and(|parent| parent.as_str() == self.old) {
            out.parent = Some(StepId::new(self.new.clone()));
        }
        if let Routing::Transitions { transitions } = &mut out.routing {
            for transition in transitions {
                retarget(&mut transition.action, &|id| self.id(id.as_str()).map(StepId::new));
            }
        }
        out
    }

    /// The one way: every heading, jump and name in the front matter at once.
    pub(super) fn ways(&self, text: &str, runbook: &Runbook) -> Vec<Way> {
        let mut edits = Vec::new();
        let mut put = |span: Span, replacement: String| edits.push(TextEdit { span, replacement });
        for (step, unit) in runbook.workflow.steps().iter().zip(&runbook.units) {
            if let Some(id) = self.id_of_step(step) {
                put(unit.heading.id_span, id);
            }
            if self.doubled {
                continue;
            }
            for span in unit.transitions.iter().filter_map(|read| read.target) {
                if let Some(id) = self.id(&text[span.start..span.end]) {
                    put(span, id);
                }
            }
        }
        if let Some(front) = runbook.front.as_ref().filter(|_| !self.doubled) {
            edits.extend(in_front::renamed(front, text, |id| self.id(id)));
        }
        vec![edits]
    }
}

fn is_named(id: &str) -> bool {
    matches!(super::id::whole(id).as_ref().map(Id::last), Ok(Part::Name(_)) | Err(_))
}

/// Puts another identifier into a jump.
pub(super) fn retarget(action: &mut Action, to: &dyn Fn(&StepId) -> Option<StepId>) {
    match action {
        Action::Retry { then, .. } => retarget(then, to),
        Action::Goto(Jump::To(id) | Jump::Next(Some(id))) => {
            if let Some(new) = to(id) {
                *id = new;
            }
        }
        _ => {}
    }
}
