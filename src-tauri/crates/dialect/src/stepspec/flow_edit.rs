//! Gestures on the steps of a StepSpec workflow: they follow each other in the order of the file.

use super::Reading;
use super::checks_nothing;
use super::detect::Shape;
use super::edit::AUTHOR;
use super::file::{Edits, File};
use super::step_edit::StepEdit;
use crate::document::Consequence;
use crate::edit::{
    Change, Copied, EditError, Pasted, Put, Sheet, Source, TreeError, Unsaid, gate_changes, name_of_copy,
};
use crate::in_tree::TreeReading as _;
use crate::said::called;
use crate::tree::Tree;
use model::{FlowEdit, GateAt, NewStep, Place, Spot, Step, StepId, Way};
use serde_json::{Map, Value};

/// The fields that say who does a step.
const DOERS: [&str; 3] = ["agent", "agents", "run"];

/// What keeps everybody away from a step (seed 000); saying nothing leaves it to the policy.
const NOBODY: &str = "none";

/// A step asks before its work where it says no more.
const BEFORE: Unsaid = Unsaid {
    at: GateAt::Before,
    nobody: Some(NOBODY),
};

/// A workflow whose steps are changed.
pub(super) struct Steps<'a> {
    file: File<'a>,
    root: Value,
}

impl<'a> Steps<'a> {
    pub(super) fn of(reading: &'a Reading, name: &'a str, text: &'a str, tree: &'a Tree) -> Self {
        Self {
            file: File {
                source: Source { name, text, tree },
                reading,
            },
            root: Sheet::of(Source { name, text, tree }).root(),
        }
    }

    fn steps(&self) -> &'a [Step] {
        self.file.reading.workflow.steps()
    }

    fn step(&self, id: &StepId) -> Result<&'a Step, TreeError> {
        let found = self.file.reading.workflow.step(id);
        found.ok_or_else(|| EditError::no_step(id).into())
    }

    /// The list at the top that holds the steps.
    fn list(&self) -> Result<&'static str, TreeError> {
        match self.file.reading.shape {
            Shape::List([key]) => Ok(key),
            _ => Err(TreeError::unfit(
                "this file holds one step, or the steps of a run; write a workflow with a list `steps`",
            )),
        }
    }

    fn sheet(&self) -> Sheet<'a> {
        Sheet::of(self.file.source)
    }

    fn changed(&self, changes: &[Change]) -> Edits {
        let mut sheet = self.sheet();
        sheet.change(changes)?;
        Ok(sheet.finish())
    }

    pub(super) fn edit(&self, edit: &FlowEdit) -> Edits {
        match edit {
            FlowEdit::Add { step, at } if step.text.is_some() => {
                let pasted = self.paste(&[step], at);
                pasted.map(|pasted| pasted.edits).map_err(|(_, error)| error)
            }
            FlowEdit::Add { step, at } => self.add(step, at),
            FlowEdit::Duplicate { step, id } => self.copy(step, id.as_ref()).map(|copied| copied.edits),
            FlowEdit::Level { .. } => Err(TreeError::flat()),
            FlowEdit::Connect { from, to, way } => self.connect(from, to, way.as_ref()),
            FlowEdit::Disconnect { from, to, .. } => self.disconnect(from, to),
            FlowEdit::Route { .. } => Err(TreeError::unfit(
                "the steps follow each other in the order of the file; move the step instead",
            )),
            FlowEdit::Gate { step, gate } => {
                let step = self.step(step)?;
                let place = Place::step(step.ordinal);
                let path = |field: &str| self.file.reading.file_path(&place.clone().field(field));
                let field = |field: &str| {
                    let keys = path(field);
                    keys.iter().try_fold(&self.root, |here, key| match here {
                        Value::Array(list) => list.get(key.parse::<usize>().ok()?),
                        other => other.get(key),
                    })
                };
                self.changed(&gate_changes(&path, &field, gate.as_ref(), &BEFORE))
            }
        }
    }

    fn add(&self, new: &NewStep, at: &Spot) -> Edits {
        let list = self.list()?;
        let behind = self.behind(at)?;
        let given = self.body(new, behind)?;
        let whole = StepEdit {
            file: self.file,
            ordinal: self.steps().len(),
        }
        .filled(&given)?;
        let whole = self.as_beside(list, behind, whole);
        let mut sheet = self.sheet();
        sheet.insert(list, behind.map_or(0, |step| step.ordinal + 1), &whole)?;
        Ok(sheet.finish())
    }

    /// The step behind which a new one stands.
    fn behind(&self, at: &Spot) -> Result<Option<&'a Step>, TreeError> {
        Ok(match at {
            Spot::Inside { .. } => return Err(TreeError::unfit("a step holds no other steps")),
            Spot::End | Spot::Alone => self.steps().last(),
            Spot::After { step } => Some(self.step(step)?),
            Spot::Between { from, to, label } => {
                let (from, to) = (self.step(from)?, self.step(to)?);
                if label.as_deref() == Some("rejected") || to.ordinal != from.ordinal + 1 {
                    return Err(TreeError::unfit(
                        "a new step stands between two that follow each other; nothing can stand on the way of a rejection",
                    ));
                }
                Some(from)
            }
        })
    }

    /// Steps with texts, one behind the other; what a step must have is filled up. `Err`: which of them cannot be put in, and why.
    pub(super) fn paste(&self, given: &[&NewStep], at: &Spot) -> Put<TreeError> {
        let list = self.list().map_err(|error| (0, error))?;
        let grammar = self.file.source.tree.grammar;
        let mut copied = Vec::with_capacity(given.len());
        for (n, new) in given.iter().enumerate() {
            let text = new.text.as_deref().unwrap_or_default();
            let read = Copied::read(text, "step", list, grammar).map_err(|error| (n, error))?;
            copied.push((read, new.id.as_ref()));
        }
        let index = self.behind(at).map(|behind| behind.map_or(0, |step| step.ordinal + 1));
        let put = index.and_then(|index| self.put(copied, index));
        put.map_err(|error| (0, error))
    }

    /// A copy of a step behind it.
    fn copy(&self, step: &StepId, id: Option<&StepId>) -> Result<Pasted, TreeError> {
        let (step, list) = (self.step(step)?, self.list()?);
        let map = self.root.get(list).and_then(|list| list.get(step.ordinal)?.as_object());
        let copied = map.and_then(|map| self.file.source.copied(list, step.ordinal, map));
        let copied = copied.ok_or_else(|| self.file.missing(&Place::step(step.ordinal)))?;
        let mut put = self.put(vec![(copied, id)], step.ordinal + 1)?;
        // A copy says what the step says, in whatever form.
        put.said.clear();
        Ok(put)
    }

    fn put(&self, given: Vec<(Copied, Option<&StepId>)>, index: usize) -> Result<Pasted, TreeError> {
        let list = self.list()?;
        let new = |field: usize, key: &str, value: Option<Value>| Change {
            path: [list, &(index + field).to_string(), key].map(str::to_owned).to_vec(),
            value,
        };
        let mut ids: Vec<(String, String)> = Vec::with_capacity(given.len());
        for (one, id) in &given {
            let own = one.alone.text_of(list, "id").map(str::trim);
            let old = own.filter(|own| !own.is_empty()).unwrap_or("step").to_owned();
            let is_free = |id: &str| {
                let taken = self.steps().iter().any(|step| step.id.as_str() == id);
                !taken && ids.iter().all(|(_, new)| new != id)
            };
            let new = id.map_or_else(|| name_of_copy(&old, self.joint(), is_free), ToString::to_string);
            ids.push((old, new));
        }
        let (mut said, mut after) = (Vec::new(), Vec::new());
        for (n, (one, _)) in given.iter().enumerate() {
            let (old, id) = &ids[n];
            let mut map = one.map.clone();
            map.insert("id".to_owned(), id.as_str().into());
            let whole = StepEdit {
                file: self.file,
                ordinal: self.steps().len(),
            }
            .filled(&map)?;
            let lacking = whole.into_iter().filter(|(key, value)| one.map.get(key) != Some(value));
            after.extend(lacking.map(|(key, value)| new(n, &key, Some(value))));
            let Some(to) = one.map.get("on_reject").and_then(Value::as_str) else {
                continue;
            };
            let meant = if old == to {
                Some(id)
            } else {
                ids.iter().find(|(old, _)| old == to).map(|(_, new)| new)
            };
            let is_here = self.step(&to.into()).is_ok();
            match meant {
                Some(meant) if meant != to => after.push(new(n, "on_reject", Some(meant.as_str().into()))),
                None if !is_here => {
                    after.push(new(n, "on_reject", None));
                    let who = one.called(list);
                    said.push(format!(
                        "the way of a rejection of “{who}” is left out: there is no step `{to}` here"
                    ));
                }
                _ => {}
            }
        }
        let copied: Vec<Copied> = given.into_iter().map(|(one, _)| one).collect();
        let called: Vec<String> = copied.iter().map(|one| one.called(list).to_owned()).collect();
        let (sheet, lost) = Sheet::with_copied(self.file.source, (list, index), &[], copied, &after)?;
        let lost = called.iter().zip(lost);
        said.extend(lost.filter_map(|(called, lost)| Some(format!("“{called}”: {}", lost?))));
        let edits = sheet.finish();
        Ok(Pasted { edits, said })
    }

    pub(super) fn entails(&self, edit: &FlowEdit) -> Vec<Consequence> {
        match edit {
            FlowEdit::Add { step, at } if step.text.is_some() => Consequence::of_pasted(self.paste(&[step], at), &[]),
            _ => Vec::new(),
        }
    }

    /// What stands between the words of an id here.
    fn joint(&self) -> &'static str {
        let dashes = !self.steps().iter().any(|step| step.id.as_str().contains('_'));
        if dashes { "-" } else { "_" }
    }

    fn free(&self, given: Option<&StepId>, title: &str) -> String {
        let taken = |id: &str| self.steps().iter().any(|step| step.id.as_str() == id);
        let joint = self.joint();
        match given {
            // Whether it is free is told where it is written.
            Some(id) => id.to_string(),
            None => {
                let stem = crate::slug::name_of_file(title)
                    .unwrap_or_else(|| "step".to_owned())
                    .replace('-', joint);
                let counted = (2..).map(|n| format!("{stem}{joint}{n}"));
                let mut ids = std::iter::once(stem.clone()).chain(counted);
                ids.find(|id| !taken(id)).unwrap_or(stem)
            }
        }
    }

    fn body(&self, new: &NewStep, beside: Option<&Step>) -> Result<Map<String, Value>, TreeError> {
        let (kind, title) = crate::form::chosen(&crate::form::stepspec::KINDS, new)?;
        let mut map = Map::new();
        map.insert("id".to_owned(), self.free(new.id.as_ref(), title).into());
        map.insert("name".to_owned(), title.into());
        map.insert("description".to_owned(), title.into());
        if let Some(phase) = beside.and_then(|step| step.phase.as_deref()) {
            map.insert("phase".to_owned(), phase.into());
        }
        match kind {
            // A step that says nothing yet does not start; one that goes well without having done anything would.
            "script" => drop(map.insert("run".to_owned(), "".into())),
            _ => {
                let agent = beside
                    .and_then(|step| step.agents.first())
                    .map_or(AUTHOR, |agent| agent.as_str());
                map.insert("agent".to_owned(), agent.into());
            }
        }
        let gate = if kind == "decision" { "required" } else { NOBODY };
        map.insert("human_gate".to_owned(), gate.into());
        if kind == "decision" {
            // Else a StepSpec asks before the work, when there is nothing yet to decide about.
            map.insert("gate_at".to_owned(), "after".into());
        }
        for (name, value) in new
            .fields
            .iter()
            .filter(|(name, value)| *name != "id" && !value.is_null())
        {
            map.insert(name.clone(), value.clone());
        }
        Ok(map)
    }

    /// The fields in the order of the step beside it, and what is nothing written as nothing is there. What that one lacks stays behind
    /// what it stands behind by itself, and who does the step stands where that one says it.
    fn as_beside(&self, list: &str, beside: Option<&Step>, whole: Map<String, Value>) -> Map<String, Value> {
        let found = beside.and_then(|step| self.root.get(list)?.get(step.ordinal)?.as_object());
        let Some(beside) = found else { return whole };
        let is_nothing = |value: &Value| checks_nothing(value.as_str().unwrap_or("-"));
        let is_same = |known: &str, key: &str| known == key || [known, key].iter().all(|key| DOERS.contains(key));
        let rank = |key: &str| beside.keys().position(|known| is_same(known, key));
        let mut entries: Vec<(String, Value)> = whole.into_iter().collect();
        for (key, value) in entries.iter_mut().filter(|(key, _)| key == "validation") {
            if let Some(own) = beside
                .get(key.as_str())
                .filter(|own| is_nothing(own) && is_nothing(value))
            {
                *value = own.clone();
            }
        }
        let mut last = 0;
        let mut ranked: Vec<(usize, (String, Value))> = Vec::with_capacity(entries.len());
        for entry in entries {
            last = rank(&entry.0).unwrap_or(last);
            ranked.push((last, entry));
        }
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, entry)| entry).collect()
    }

    fn connect(&self, from: &StepId, to: &StepId, way: Option<&Way>) -> Edits {
        let (from, to) = (self.step(from)?, self.step(to)?);
        let back = to.ordinal <= from.ordinal;
        match way {
            Some(Way::Rejected) => {}
            None
            | Some(Way::Back {
                most: None,
                until: None,
            }) if back => {}
            None | Some(Way::Next) if to.ordinal == from.ordinal + 1 => return Ok(Vec::new()),
            Some(Way::Back { .. }) => {
                return Err(TreeError::unfit(
                    "nothing loops here; a rejection can lead back, without a bound",
                ));
            }
            Some(Way::Value { .. }) => {
                return Err(TreeError::unfit("no step decides by a value here; every step is done"));
            }
            Some(Way::Beside) => return Err(TreeError::unfit("the steps run one after the other here")),
            None | Some(Way::Next | Way::Waits) => {
                return Err(TreeError::unfit(
                    "the steps follow each other in the order of the file; move the step instead",
                ));
            }
        }
        if from.gate.is_none() {
            let why = format!("nobody is asked at {}; put a gate there first", called(&from.id));
            return Err(EditError::unsound(why).into());
        }
        self.changed(&[Change {
            path: self
                .file
                .reading
                .file_path(&Place::step(from.ordinal).field("on_reject")),
            value: Some(to.id.as_str().into()),
        }])
    }

    fn disconnect(&self, from: &StepId, to: &StepId) -> Edits {
        let (from, to) = (self.step(from)?, self.step(to)?);
        let rejects = from.gate.as_ref().and_then(|gate| gate.on_reject.as_ref()) == Some(&to.id);
        if !rejects {
            return Err(TreeError::unfit(
                "the steps follow each other in the order of the file; move or remove one instead",
            ));
        }
        self.changed(&[Change {
            path: self
                .file
                .reading
                .file_path(&Place::step(from.ordinal).field("on_reject")),
            value: None,
        }])
    }
}
