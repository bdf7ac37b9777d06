//! A step that a person carries out, that is a command, or that runs other runbooks, becomes another one of these.

use super::Runbook;
use super::flow_edit::{OTHER, TO_BE_WRITTEN, task};
use crate::does;
use model::{Edit, Place, Step, Work};

impl Runbook {
    /// The changes by which something else does the work of a step; `None`: what it holds does it.
    pub(super) fn done_by(&self, step: &Step, to: &str) -> Option<Vec<Edit>> {
        let unit = self.units.get(step.ordinal)?;
        if matches!(step.work, Work::Agent | Work::Group) {
            return None;
        }
        let is_known = [does::WORK, does::SCRIPT, does::WORKFLOW].contains(&to);
        if does::word(step) == to || !is_known {
            return Some(Vec::new());
        }
        let field = |name: &str| Place::step(step.ordinal).field(name);
        let file = |n: usize| field("files").field(n.to_string());
        let set = |place: Place, text: &str| Edit::Set {
            place,
            value: text.into(),
        };
        let mut parts = Vec::new();
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
