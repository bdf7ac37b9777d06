//! By which words what a step reports is read: a field of such a name is a value with a meaning of its own, and no word about the work.

use crate::routing::DECIDES;
use crate::{Escalation, Routing, Step, Trigger, Whether, Workflow};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Workflow {
    /// Every word by which a condition, or whatever else chooses a way, may read the report of this step. A loop, a branch and a detour read
    /// that of the step which they leave, the end of a flow that of its last step, which any may be, and the condition under which a step is
    /// done those of the steps before it.
    pub fn words_read(&self, step: &Step) -> Arc<BTreeSet<String>> {
        let each = self.read.get_or_init(|| self.read_of_each());
        each.get(step.ordinal).cloned().unwrap_or_default()
    }

    /// By place.
    fn read_of_each(&self) -> Vec<Arc<BTreeSet<String>>> {
        let mut each: Vec<BTreeSet<String>> = self.steps().iter().map(|step| self.read_behind(step)).collect();
        for step in self.steps() {
            // The branches of a fork are put together by their status.
            if let Routing::Fork(_) = step.routing {
                let flow = self.part_of(step).map_or(0..each.len(), |part| part.steps.clone());
                for words in &mut each[flow] {
                    words.insert(DECIDES.to_owned());
                }
            }
            let Some(condition) = step.whether.as_ref().and_then(Whether::expression) else {
                continue;
            };
            let names: Vec<String> = condition.names().into_iter().map(|name| name.name).collect();
            for before in self.all_before(step) {
                each[before.ordinal].extend(names.iter().cloned());
            }
        }
        each.into_iter().map(Arc::new).collect()
    }

    /// What is read of a step's report when it has come to its end.
    fn read_behind(&self, step: &Step) -> BTreeSet<String> {
        let mut read: Vec<&str> = step.routing.reads();
        let triggers = step.detours.iter().flat_map(|detour| &detour.triggers);
        read.extend(triggers.filter_map(|trigger| match trigger {
            Trigger::Reported(condition) => condition.reads(),
            _ => None,
        }));
        let ends = match self.part_of(step) {
            Some(part) => [Some(&part.on_complete), Some(&part.on_failure)],
            None => [self.on_complete.as_ref(), self.after_failure.as_ref()],
        };
        let ends = ends.into_iter().flatten();
        read.extend(ends.filter_map(|end| end.condition.as_ref()?.reads()));
        if self.escalation_at(step) != Escalation::default() {
            read.push(DECIDES);
        }
        read.into_iter().flat_map(words).collect()
    }
}

/// The words of a field or of an expression, and the whole of it: a field may be called with a hyphen or a blank.
fn words(text: &str) -> Vec<String> {
    let mut bare = String::new();
    for (n, part) in text.split(['\'', '"']).enumerate() {
        // What stands in quotes is a value, unless it is the name of a field: `report['state']`.
        if n % 2 == 0 || bare.trim_end().ends_with('[') {
            bare.push_str(part);
        }
        bare.push(' ');
    }
    let apart = bare.split(|c: char| !c.is_alphanumeric() && c != '_');
    std::iter::once(text).chain(apart).map(str::to_owned).collect()
}
