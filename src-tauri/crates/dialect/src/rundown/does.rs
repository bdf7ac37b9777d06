//! A step that a person carries out, that is a command, or that runs other runbooks, becomes another one of these.

use super::flow_edit::{OTHER, TO_BE_WRITTEN, task};
use super::{Runbook, read};
use crate::document::{Consequence, Document};
use crate::does;
use crate::said::{called, in_a_row, shortened};
use crate::text::apply;
use model::{Edit, Place, Step, Work};

impl Runbook {
    /// What does the work of a step: whoever is named in the front matter does it, whatever it holds besides.
    pub(super) fn does_word(step: &Step) -> &'static str {
        match step.agents.is_empty() {
            true => does::word(step),
            false => does::WORK,
        }
    }

    /// What becomes of commands, and of runbooks that are listed, where the front matter names somebody for their steps, or nobody any more.
    pub(super) fn given(&self, document: &Document, edit: &Edit) -> Vec<Consequence> {
        let place = edit.place();
        let names_somebody = place.step.is_none() && place.path.first().is_some_and(|key| key == "agents");
        let edits = names_somebody.then(|| self.edit_in(document, edit).ok()).flatten();
        let Some(edits) = edits else { return Vec::new() };
        let after = read(document.path(), &apply(document.text(), &edits));
        let both = self.workflow.steps().iter().zip(after.workflow.steps());
        let said = |(step, now): (&Step, &Step)| {
            let (what, are) = match step.work {
                Work::Command { .. } => ("command", "is"),
                Work::SubWorkflow { .. } => ("runbooks", "are"),
                Work::Agent | Work::Prompt { .. } | Work::Group => return None,
            };
            let who = called(&step.id);
            let names: Vec<String> = now
                .agents
                .iter()
                .map(|one| format!("“{}”", shortened(one.as_str())))
                .collect();
            let said = match (step.agents.is_empty(), in_a_row(&names)) {
                (true, Some(names)) => format!("{who} is done by {names}: its {what} {are} not run any more"),
                (false, None) => format!("nobody does {who} any more: its {what} {are} run"),
                _ => return None,
            };
            Some(Consequence::of(&step.id, said))
        };
        both.filter_map(said).collect()
    }

    /// The changes by which something else does the work of a step; `None`: what it holds does it.
    pub(super) fn done_by(&self, step: &Step, to: &str) -> Option<Vec<Edit>> {
        let unit = self.units.get(step.ordinal)?;
        if matches!(step.work, Work::Agent | Work::Group) {
            return None;
        }
        let is_known = [does::WORK, does::SCRIPT, does::WORKFLOW].contains(&to);
        if Self::does_word(step) == to || !is_known {
            return Some(Vec::new());
        }
        let field = |name: &str| Place::step(step.ordinal).field(name);
        let file = |n: usize| field("files").field(n.to_string());
        let set = |place: Place, text: &str| Edit::Set {
            place,
            value: text.into(),
        };
        let mut parts = Vec::new();
        // Whoever is named for it would do it all the same.
        let agents = self.workflow.fields.get("agents");
        let is_named = agents.is_some_and(|agents| agents.get(step.id.as_str()).is_some());
        if to != does::WORK && is_named {
            let place = Place::document().field("agents").field(step.id.as_str());
            parts.push(Edit::Remove { place });
        }
        if to != does::WORKFLOW {
            let all = (0..unit.files.len()).rev();
            parts.extend(all.map(|n| Edit::Remove { place: file(n) }));
        }
        if to != does::SCRIPT && unit.command().is_some() {
            parts.push(Edit::Remove {
                place: field("command"),
            });
        }
        match to {
            does::WORKFLOW => {
                // A substep holds one of the two (CONTRACTS "Rundown").
                if unit.parent.is_some() && !unit.shown().is_empty() {
                    parts.push(Edit::Remove { place: field("prompt") });
                }
                parts.push(set(file(0), OTHER));
            }
            does::SCRIPT if unit.command().is_none() => parts.push(set(field("command"), TO_BE_WRITTEN)),
            does::WORK if unit.shown().is_empty() => {
                parts.push(set(field("prompt"), task(&unit.heading.title)));
            }
            _ => {}
        }
        Some(parts)
    }
}
