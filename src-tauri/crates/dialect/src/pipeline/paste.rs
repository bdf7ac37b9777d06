//! Stages that are put in with their own texts: what was copied, and the copy of a stage. Changed is what has to be: a name that is
//! taken, what they wait for, and what a run has written into them.

use super::PENDING;
use super::flow_edit::Stages;
use crate::edit::{Change, Copied, Pasted, Put, Sheet, TreeError, name_of_copy, texts};
use crate::said::{called, in_a_row};
use model::{NewStep, Spot, Step, StepId};
use serde_json::Value;

/// The list that holds the stages.
const LIST: &str = "stages";
/// What a run has written.
const OF_A_RUN: [&str; 4] = ["error", "started_at", "completed_at", "duration_seconds"];

/// A stage that is put in.
struct Part {
    copied: Copied,
    /// What it was called, and what it is called here.
    old: String,
    new: String,
    /// What it waited for.
    waited: Vec<String>,
}

impl<'a> Stages<'a> {
    /// Stages with texts. Those of them that wait for no other of them wait for what a new stage there waits for, and what waited for
    /// that waits for those that no other of them waits for. `Err`: which of them cannot be put in, and why.
    pub(super) fn paste(&self, given: &[&NewStep], at: &Spot) -> Put<TreeError> {
        let mut parts: Vec<Part> = Vec::with_capacity(given.len());
        for (n, new) in given.iter().enumerate() {
            let text = new.text.as_deref().unwrap_or_default();
            let copied = Copied::read(text, "stage", LIST, self.file.tree.grammar);
            let part = copied.and_then(|copied| self.part(copied, new.id.as_ref(), &parts));
            parts.push(part.map_err(|error| (n, error))?);
        }
        self.in_line(parts, at).map_err(|error| (0, error))
    }

    /// A copy of a stage: it waits for what the stage waits for, and what waits for the stage waits for the copy, too.
    pub(super) fn copy(&self, step: &StepId, id: Option<&StepId>) -> Result<Pasted, TreeError> {
        let step = self.step(step)?;
        let map = self.written(step.ordinal);
        let copied = map.and_then(|map| self.file.source().copied(LIST, step.ordinal, map));
        let copied = copied.ok_or_else(|| self.file.missing(&model::Place::step(step.ordinal)))?;
        let part = self.part(copied, id, &[])?;
        let behind: Vec<&Step> = self.waiting(step).collect();
        let before: Vec<Change> = behind
            .iter()
            .map(|other| {
                let own = other.depends_on.iter().map(StepId::as_str);
                self.waits(other, own.chain([part.new.as_str()]).collect())
            })
            .collect();
        let names: Vec<String> = behind.iter().map(|other| called(&other.id)).collect();
        let mut said = Vec::new();
        if let Some(who) = in_a_row(&names) {
            let verb = if names.len() == 1 { "waits" } else { "wait" };
            said.push(format!("{who} {verb} for the copy, too"));
        }
        let after = self.anew(&part, step.ordinal + 1);
        self.put(vec![part.copied], step.ordinal + 1, &before, &after, said, false)
    }

    fn part(&self, copied: Copied, id: Option<&StepId>, before: &[Part]) -> Result<Part, TreeError> {
        let own = copied.alone.text_of(LIST, "name").map(str::trim).unwrap_or_default();
        let is_name = !own.is_empty() && !own.chars().any(char::is_control);
        let old = if is_name { own } else { "stage" }.to_owned();
        let is_free = |name: &str| {
            let taken = self.steps().iter().any(|step| step.id.as_str() == name);
            !taken && before.iter().all(|part| part.new != name)
        };
        let new = match id {
            Some(id) => self.free(Some(id), &old)?,
            None => name_of_copy(&old, "-", is_free),
        };
        let waited = copied.map.get("depends_on").and_then(texts).unwrap_or_default();
        Ok(Part {
            copied,
            old,
            new,
            waited,
        })
    }

    fn in_line(&self, parts: Vec<Part>, at: &Spot) -> Result<Pasted, TreeError> {
        let among = |own: usize, name: &str| match parts[own].old == name {
            true => None,
            false => parts.iter().position(|part| part.old == name),
        };
        let waited_for =
            |n: usize| (0..parts.len()).any(|own| parts[own].waited.iter().any(|to| among(own, to) == Some(n)));
        let last = (0..parts.len())
            .filter(|n| !waited_for(*n))
            .map(|n| parts[n].new.as_str());
        // Stages that wait for each other in a circle have no last one.
        let mut last: Vec<&str> = last.collect();
        if last.is_empty() {
            last.extend(parts.last().map(|part| part.new.as_str()));
        }
        let (before, index, waits) = self.slot(at, &last)?;
        let workflow = &self.file.reading.workflow;
        let comes_before = |first: &StepId, later: &str| {
            let first = workflow.step(first);
            first.is_some_and(|first| {
                workflow
                    .all_dependents(first)
                    .iter()
                    .any(|step| step.id.as_str() == later)
            })
        };
        let (mut said, mut after) = (Vec::new(), Vec::new());
        for (n, part) in parts.iter().enumerate() {
            let own_name = part.copied.called(LIST);
            let mut own: Vec<&str> = Vec::new();
            let is_first = !part.waited.iter().any(|name| among(n, name).is_some());
            if is_first {
                own.extend(&waits);
            }
            for name in &part.waited {
                let here = self.step(&name.as_str().into()).ok();
                match (among(n, name), here) {
                    (Some(part), _) => own.push(&parts[part].new),
                    // What stands there waits for it already.
                    (None, Some(here))
                        if waits
                            .iter()
                            .any(|to| here.id.as_str() == *to || comes_before(&here.id, to)) => {}
                    (None, Some(here)) if waits.iter().any(|to| comes_before(&(*to).into(), here.id.as_str())) => {
                        said.push(format!(
                            "“{own_name}” does not wait for {}, which comes later here",
                            called(&here.id)
                        ));
                    }
                    (None, Some(here)) => own.push(here.id.as_str()),
                    (None, None) => said.push(format!("“{own_name}” does not wait for `{name}`, which is not here")),
                }
            }
            let mut unique: Vec<&str> = Vec::new();
            own.into_iter().for_each(|name| {
                if !unique.contains(&name) {
                    unique.push(name);
                }
            });
            after.extend(self.anew(part, index + n));
            if unique != part.waited {
                after.push(set(index + n, "depends_on", unique.into()));
            }
            if let Some(to) = part.copied.map.get("on_reject").and_then(Value::as_str) {
                let meant = among(n, to).map(|part| parts[part].new.as_str());
                let own = (part.old == to).then_some(part.new.as_str());
                let here = || self.step(&to.into()).ok().map(|step| step.id.as_str());
                match own.or(meant).or_else(here) {
                    Some(now) if now == to => {}
                    Some(now) => after.push(set(index + n, "on_reject", now.into())),
                    None => {
                        after.push(take(index + n, "on_reject"));
                        said.push(format!(
                            "the way of a rejection of “{own_name}” is left out: there is no stage `{to}` here"
                        ));
                    }
                }
            }
        }
        let copied = parts.iter().map(|part| part.copied.clone()).collect();
        self.put(copied, index, &before, &after, said, true)
    }

    /// What a stage does not take along: its name where that is taken, and what a run has written.
    fn anew(&self, part: &Part, index: usize) -> Vec<Change> {
        let mut changes = Vec::new();
        let has = |key: &str| part.copied.map.contains_key(key);
        if part.old != part.new || !has("name") {
            changes.push(set(index, "name", part.new.as_str().into()));
        }
        let with_states = self.written(0).is_some_and(|first| first.contains_key("status"));
        match part.copied.map.get("status") {
            Some(status) if with_states && *status != PENDING => changes.push(set(index, "status", PENDING.into())),
            None if with_states => changes.push(set(index, "status", PENDING.into())),
            Some(_) if !with_states => changes.push(take(index, "status")),
            _ => {}
        }
        changes.extend(OF_A_RUN.iter().filter(|key| has(key)).map(|key| take(index, key)));
        changes
    }

    fn put(
        &self,
        copied: Vec<Copied>,
        index: usize,
        before: &[Change],
        after: &[Change],
        mut said: Vec<String>,
        is_pasted: bool,
    ) -> Result<Pasted, TreeError> {
        let called: Vec<String> = copied.iter().map(|one| one.called(LIST).to_owned()).collect();
        let (sheet, lost) = Sheet::with_copied(self.file.source(), (LIST, index), before, copied, after)?;
        let lost = called.iter().zip(lost).filter(|_| is_pasted);
        said.extend(lost.filter_map(|(called, lost)| Some(format!("“{called}”: {}", lost?))));
        let edits = sheet.finish();
        Ok(Pasted { edits, said })
    }
}

fn path(stage: usize, key: &str) -> Vec<String> {
    [LIST, &stage.to_string(), key].map(str::to_owned).to_vec()
}

fn set(stage: usize, key: &str, value: Value) -> Change {
    Change {
        path: path(stage, key),
        value: Some(value),
    }
}

fn take(stage: usize, key: &str) -> Change {
    Change {
        path: path(stage, key),
        value: None,
    }
}
