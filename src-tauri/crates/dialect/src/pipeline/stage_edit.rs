//! The changes of one stage.

use super::file::{Edits, File};
use super::stage::Positions;
use crate::edit::{Change, Habit, TreeError, entry_lines, texts, tree_changes};
use crate::in_tree::TreeReading as _;
use crate::said::called;
use crate::tree::NodeId;
use model::{Edit, Place, Step};
use serde_json::Value;

/// A stage that is changed, or the place behind the last one.
pub(super) struct Stage<'a> {
    pub(super) file: File<'a>,
    pub(super) ordinal: usize,
}

impl Stage<'_> {
    fn steps(&self) -> &[Step] {
        self.file.reading.workflow.steps()
    }

    fn place(&self) -> Place {
        Place::step(self.ordinal)
    }

    /// Keys from the root of the file.
    fn keys(&self, place: &Place) -> Vec<String> {
        self.file.reading.file_path(place)
    }

    pub(super) fn edit(&self, edit: &Edit) -> Edits {
        let path: Vec<&str> = edit.place().path.iter().map(String::as_str).collect();
        let Some(step) = self.steps().get(self.ordinal) else {
            return match (edit, path.as_slice()) {
                (Edit::Set { value, .. }, []) if self.ordinal == self.steps().len() => self.add(value),
                _ => Err(self.file.missing(edit.place())),
            };
        };
        match (edit, path.as_slice()) {
            (Edit::Remove { .. }, []) => self.remove(step),
            (Edit::Set { value, .. }, ["name" | "id"]) => self.rename(step, edit.place(), value),
            (Edit::Remove { .. }, [work @ ("workflow" | "workflows" | "run")])
                if step.agents.is_empty() && !self.does_more(work) =>
            {
                let why = "it is all that this stage does; write something else in its place, or delete the stage";
                Err(self.file.refused(edit.place(), why))
            }
            (Edit::Remove { .. }, ["name"]) => Err(self.file.refused(edit.place(), "a stage needs a name")),
            (
                Edit::Set { .. } | Edit::Remove { .. },
                ["depends_on" | "agents" | "agent" | "inputs" | "outputs", rest @ ..],
            ) if rest.len() < 2 => self.list(step, edit),
            (Edit::Set { value, .. }, ["parallel"]) if !value.is_boolean() => {
                Err(self.file.refused(edit.place(), "write true or false"))
            }
            _ => self.file.tree_edit(edit),
        }
    }

    /// A new stage behind the last one.
    fn add(&self, value: &Value) -> Edits {
        let place = self.place();
        let Value::Object(map) = value else {
            return Err(self.file.refused(&place, "a stage is a list of fields"));
        };
        let name = self.free_name(&place, map.get("name"))?;
        let mut map = map.clone();
        map.insert("name".to_owned(), name.into());
        let (value, map) = (&Value::Object(map.clone()), &map);
        let mut waits = texts(map.get("depends_on").unwrap_or(&Value::Null));
        let waits = waits.get_or_insert_default();
        if let Some(unknown) = waits
            .iter()
            .find(|name| !self.steps().iter().any(|s| s.id.as_str() == *name))
        {
            return Err(self
                .file
                .refused(&place, format!("there is no stage `{unknown}` to wait for")));
        }
        let habit = Habit::of(self.file.text, self.file.tree, "stages");
        self.file.source().append("stages", value, &entry_lines(map, habit))
    }

    /// A name that a stage can have: one line, not empty, nobody else's.
    fn free_name(&self, place: &Place, value: Option<&Value>) -> Result<String, TreeError> {
        let name = value.and_then(Value::as_str).map(str::trim).unwrap_or_default();
        if name.is_empty() {
            return Err(self.file.refused(place, "a stage needs a name"));
        }
        if name.chars().any(char::is_control) {
            return Err(self.file.refused(place, "a name is one line of text"));
        }
        let taken = (self.steps().iter()).any(|step| step.ordinal != self.ordinal && step.id.as_str() == name);
        if taken {
            return Err(self.file.refused(place, format!("another stage is named “{name}”")));
        }
        Ok(name.to_owned())
    }

    /// True for the stage that dependencies of this name mean: of two stages of one name the first.
    fn is_meant(&self, step: &Step) -> bool {
        let meant = self.file.reading.workflow.step(&step.id);
        meant.is_some_and(|meant| meant.ordinal == step.ordinal)
    }

    /// Every place that names a stage: dependencies (by their positions, from the end of each list) and targets of rejections.
    fn mentions(&self, step: &Step) -> Vec<(usize, Vec<usize>, bool)> {
        if !self.is_meant(step) {
            return Vec::new();
        }
        let of = |other: &Step| {
            let waits = other.depends_on.iter().enumerate().filter(|(_, id)| **id == step.id);
            let mut waits: Vec<usize> = waits.map(|(n, _)| n).collect();
            waits.reverse();
            let rejects = self.file.reading.on_reject(other) == Some(&step.id);
            (other.ordinal, waits, rejects)
        };
        let all = self.steps().iter().map(of);
        all.filter(|(_, waits, rejects)| *rejects || !waits.is_empty())
            .collect()
    }

    /// A new name, and every dependency follows.
    fn rename(&self, step: &Step, place: &Place, value: &Value) -> Edits {
        let name = self.free_name(place, Some(value))?;
        let mut changes = Vec::new();
        let mut set = |place: Place| {
            changes.push(Change {
                path: self.keys(&place),
                value: Some(name.as_str().into()),
            });
        };
        set(self.place().field("name"));
        for (other, waits, rejects) in self.mentions(step) {
            for n in waits {
                set(Place::step(other).field("depends_on").field(n.to_string()));
            }
            if rejects {
                set(Place::step(other).field("on_reject"));
            }
        }
        tree_changes(self.file.path, self.file.text, self.file.tree, &changes)
    }

    /// What a stage waits for once another one is gone: for what that one waited for, where it does not do so already.
    pub(super) fn handed_on<'w>(&'w self, other: &'w Step, gone: &'w Step) -> Vec<&'w str> {
        let workflow = &self.file.reading.workflow;
        let stay = |id: &&model::StepId| **id != gone.id;
        let left: Vec<&model::StepId> = other.depends_on.iter().filter(stay).collect();
        let known = |id: &model::StepId| {
            let behind = workflow
                .step(id)
                .map(|step| workflow.all_dependents(step))
                .unwrap_or_default();
            left.contains(&id) || *id == other.id || behind.iter().any(|step| left.contains(&&step.id))
        };
        let handed: Vec<&model::StepId> = gone.depends_on.iter().filter(stay).filter(|id| !known(id)).collect();
        let mut out: Vec<&str> = Vec::new();
        let mut is_handed = false;
        for id in &other.depends_on {
            match *id == gone.id {
                true if !is_handed => {
                    is_handed = true;
                    out.extend(handed.iter().map(|id| id.as_str()));
                }
                true => {}
                false => out.push(id.as_str()),
            }
        }
        out
    }

    /// Whether more is written of what the stage does than this.
    fn does_more(&self, work: &str) -> bool {
        let at = |key: &str| {
            let place = self.place().field(key);
            let keys = self.file.reading.file_path(&place);
            crate::in_tree::node(self.file.text, self.file.tree, &keys).is_some()
        };
        ["workflow", "workflows", "run"]
            .into_iter()
            .any(|key| key != work && at(key))
    }

    /// The stage goes, and with it what names it; what waited for it waits for what it waited for.
    fn remove(&self, step: &Step) -> Edits {
        let mut changes = Vec::new();
        for (other, waits, rejects) in self.mentions(step) {
            if other == step.ordinal {
                continue;
            }
            let list = Place::step(other).field("depends_on");
            let written = self.file.reading.positions(other);
            let left = self.handed_on(&self.steps()[other], step);
            let hands_on = left.len() + waits.len() != self.steps()[other].depends_on.len();
            let is_one = matches!(written, Some(Positions::Single)) && !waits.is_empty();
            if (hands_on && !waits.is_empty()) || waits.len() > 1 || is_one {
                changes.push(Change {
                    path: self.keys(&list),
                    value: Some(left.into()),
                });
            } else {
                changes.extend(waits.iter().map(|n| Change {
                    path: self.keys(&list.clone().field(n.to_string())),
                    value: None,
                }));
            }
            if rejects {
                changes.push(Change {
                    path: self.keys(&Place::step(other).field("on_reject")),
                    value: None,
                });
            }
        }
        changes.push(Change {
            path: self.keys(&self.place()),
            value: None,
        });
        tree_changes(self.file.path, self.file.text, self.file.tree, &changes)
    }

    /// A list of texts, or one of its items, in whatever form the file has it.
    fn list(&self, step: &Step, edit: &Edit) -> Edits {
        let place = edit.place();
        let field = place.path[0].as_str();
        let (text, tree) = (self.file.text, self.file.tree);
        let owner = tree.walk(text, ["stages", &self.ordinal.to_string()].into_iter()).0;
        let has = |key: &str| owner.and_then(|id| tree.get(text, id, key)).is_some();
        // One agent may be written as `agent`.
        let single = matches!(field, "agent" | "agents") && has("agent") && !has("agents");
        let key = match field {
            "agent" | "agents" if single => "agent",
            "agent" | "agents" => "agents",
            other => other,
        };
        let now: Vec<String> = match key {
            "depends_on" => step.depends_on.iter().map(|id| id.to_string()).collect(),
            "inputs" => step.inputs.clone(),
            "outputs" => step.outputs.clone(),
            _ => step.agents.iter().map(|agent| agent.to_string()).collect(),
        };
        let index = place.path.get(1).map(|n| n.parse::<usize>());
        let index = index.transpose().map_err(|_| self.file.missing(place))?;
        let mut new = now.clone();
        match (edit, index) {
            (Edit::Remove { .. }, None) => {
                let place = self.place().field(key);
                return self.file.tree_edit(&Edit::Remove { place });
            }
            (Edit::Remove { .. }, Some(n)) if n < new.len() => {
                new.remove(n);
            }
            (Edit::Set { value, .. }, None) => {
                let given = texts(value);
                new = given.ok_or_else(|| self.file.refused(place, "this is a list of texts"))?;
            }
            (Edit::Set { value, .. }, Some(n)) if n <= new.len() => {
                let Some(given) = value.as_str().map(str::trim).filter(|given| !given.is_empty()) else {
                    return Err(self.file.refused(place, "an entry is a text"));
                };
                if n == new.len() {
                    if key == "depends_on" && now.iter().any(|name| name == given) {
                        // The edge is there already.
                        return Ok(Vec::new());
                    }
                    new.push(given.to_owned());
                } else {
                    given.clone_into(&mut new[n]);
                }
            }
            _ => return Err(self.file.missing(place)),
        }
        new.retain(|name| !name.is_empty());
        if key == "depends_on" {
            self.waits(step, place, &now, &new)?;
        }
        // A whole list is compared with the file: it may say the same in another form.
        if index.is_some() && new == now {
            return Ok(Vec::new());
        }
        if new.is_empty() && !has(key) {
            // Nothing is what the file says already.
            return Ok(Vec::new());
        }
        if single {
            return self.file.source().agents(&self.keys(&self.place()), &new);
        }
        self.whole_list(key, &now, new, edit)
    }

    /// Writes a list: an item of it where that is all that changes, so that comments on the others stay.
    fn whole_list(&self, key: &str, now: &[String], new: Vec<String>, edit: &Edit) -> Edits {
        let list = self.place().field(key);
        let plain = self
            .file
            .tree
            .walk(self.file.text, self.keys(&list).iter().map(String::as_str));
        let node = plain.0.filter(|_| plain.1 == 3);
        let length = node.and_then(|id| self.file.tree.items(id)).map(<[NodeId]>::len);
        let odd = key == "depends_on" && self.file.reading.positions(self.ordinal).is_some();
        if let ([_, n], true, false) = (edit.place().path.as_slice(), length == Some(now.len()), odd) {
            let place = list.clone().field(n.clone());
            let item = match edit {
                Edit::Set { value, .. } => Edit::Set {
                    place,
                    value: value.as_str().map(str::trim).into(),
                },
                _ => Edit::Remove { place },
            };
            if let Ok(edits) = self.file.tree_edit(&item) {
                return Ok(edits);
            }
        }
        let value = new.into();
        self.file.tree_edit(&Edit::Set { place: list, value })
    }

    /// New dependencies exist, and none of them waits for this stage.
    fn waits(&self, step: &Step, place: &Place, now: &[String], new: &[String]) -> Result<(), TreeError> {
        let workflow = &self.file.reading.workflow;
        let behind = workflow.all_dependents(step);
        for name in new.iter().filter(|name| !now.contains(name)) {
            let Some(other) = workflow.step(&name.as_str().into()) else {
                return Err(self.file.refused(place, format!("there is no stage `{name}`")));
            };
            if other.ordinal == step.ordinal {
                return Err(self.file.refused(place, "a stage cannot wait for itself"));
            }
            if behind.iter().any(|waiting| waiting.ordinal == other.ordinal) {
                let why = format!(
                    "{} waits for {}, so neither could begin",
                    called(name),
                    called(&step.id)
                );
                return Err(self.file.refused(place, why));
            }
        }
        Ok(())
    }
}
