//! The changes of one step.

use super::detect::Shape;
use super::file::{Edits, File};
use super::gate::{NOBODY, REQUIREMENTS};
use super::policy::is_evidence_level;
use super::schema::{FIELDS, OutputFault, output_fault};
use super::step::default_of;
use crate::edit::{Change, Habit, SPEC_ORDER, TreeError, entry_lines, texts, tree_changes};
use crate::in_tree::TreeReading as _;
use crate::reading::leaves;
use model::{Edit, GateRequirement, Place, Risk, Step};
use serde_json::{Map, Value, json};

/// A step that is changed, or the place behind the last one.
pub(super) struct StepEdit<'a> {
    pub(super) file: File<'a>,
    pub(super) ordinal: usize,
}

impl StepEdit<'_> {
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

    /// What stands at keys of this step; `None` where nothing does.
    fn written(&self, keys: &[&str]) -> Option<Value> {
        let place = self.place().path(keys.iter().map(|key| (*key).to_owned()));
        let path = self.keys(&place);
        let (source, mut budget) = (self.file.source, crate::tree::Budget::of(self.file.source.tree));
        let (node, used) = source.tree.walk(source.text, path.iter().map(String::as_str));
        let node = node.filter(|_| used == path.len())?;
        Some(source.tree.value(source.text, node, &mut budget))
    }

    fn changes(&self, changes: &[Change]) -> Edits {
        let source = self.file.source;
        tree_changes(source.name, source.text, source.tree, changes)
    }

    pub(super) fn edit(&self, edit: &Edit) -> Edits {
        let place = edit.place();
        let path: Vec<&str> = place.path.iter().map(String::as_str).collect();
        let Some(step) = self.steps().get(self.ordinal) else {
            return match (edit, path.as_slice()) {
                (Edit::Set { value, .. }, []) if self.ordinal == self.steps().len() => self.add(value),
                _ => Err(self.file.missing(place)),
            };
        };
        match (edit, path.as_slice()) {
            (Edit::Set { value, .. }, []) => self.replace(step, value),
            (Edit::Remove { .. }, []) => self.remove(step),
            (Edit::Set { value, .. }, ["id"]) => self.rename(step, place, value),
            (Edit::Remove { .. }, ["id" | "name"]) => Err(self.file.refused(place, "a step needs an id and a name")),
            (Edit::Set { value, .. }, ["inputs"]) if !value.is_object() => self.inputs(step, edit),
            (Edit::Set { .. } | Edit::Remove { .. }, ["inputs", n]) if n.parse::<usize>().is_ok() => {
                self.inputs(step, edit)
            }
            (Edit::Set { .. } | Edit::Remove { .. }, ["agents" | "agent", rest @ ..]) if rest.len() < 2 => {
                self.agents(step, edit)
            }
            (Edit::Set { value, .. }, ["retries", field]) => self.retries(place, field, value),
            (Edit::Set { value, .. }, ["tools", n, field, ..]) => self.call(place, n, field, value),
            (Edit::Set { value, .. }, _) => {
                self.fits(step, place, &path, value)?;
                self.file.tree_edit(edit)
            }
            _ => self.file.tree_edit(edit),
        }
    }

    /// Whether a value can be that of a field.
    fn fits(&self, step: &Step, place: &Place, path: &[&str], value: &Value) -> Result<(), TreeError> {
        let text = value.as_str();
        let named = text.is_some_and(|text| !text.trim().is_empty());
        let why = match path {
            ["name"] if !named => "a name is a text",
            ["description" | "phase" | "validation" | "run" | "gate_question"] if text.is_none() => "this is a text",
            ["evidence"] if !text.is_some_and(is_evidence_level) => "write L0, L1 or L2, or none",
            ["human_gate"] if !text.is_some_and(is_requirement) => {
                "write one of required, conditional, recommended, optional, none"
            }
            ["gate_at"] if !matches!(text, Some("before" | "after")) => "write before or after",
            ["gate_asks"] if texts(value).is_none() => "this is a list of names",
            ["timeout_seconds"] if !value.as_f64().is_some_and(|number| number >= 0.0) => "this is a number, 0 or more",
            ["retries"] if !(is_count(value) || value.as_object().is_some_and(is_policy)) => {
                "write `max` and `backoff_seconds`, each 0 or more"
            }
            ["tools"] if !value.is_array() => "tool calls are a list",
            ["tools", _] if !is_call(value) => "a tool call has a name",
            ["inputs", "validation_targets" | "artifacts"] if !value.is_array() => "this is a list of paths",
            ["outputs" | "templates"] if !value.is_array() => "this is a list of paths",
            ["outputs" | "templates", ..] | ["inputs", "validation_targets" | "artifacts", ..] => {
                return self.paths(step, place, path, value);
            }
            _ => return Ok(()),
        };
        Err(self.file.refused(place, why))
    }

    /// Whether paths are ones that their list can hold. What stands there already may stay.
    fn paths(&self, step: &Step, place: &Place, path: &[&str], value: &Value) -> Result<(), TreeError> {
        let is_list = path.last().is_some_and(|last| last.parse::<usize>().is_err());
        let given = match value {
            Value::Array(items) if is_list => items.iter().map(Value::as_str).collect::<Option<Vec<&str>>>(),
            other => other.as_str().map(|one| vec![one]),
        };
        let Some(given) = given else {
            return Err(self.file.refused(place, "a path is a text"));
        };
        let now = if path[0] == "outputs" { &step.outputs[..] } else { &[] };
        for path_given in given.iter().filter(|one| !now.iter().any(|known| known == *one)) {
            let fault = if path[0] == "outputs" {
                output_fault(path_given)
            } else {
                None
            };
            let why = match fault {
                Some(OutputFault::Empty) => "write the path of a file",
                None if path_given.trim().is_empty() => "write the path of a file",
                Some(OutputFault::NoFolder) => {
                    "an output begins with `{output_folder}/` or `{bmb_creations_output_folder}/`"
                }
                Some(OutputFault::Template) => "a template is no output; it belongs under `templates`",
                None if leaves(path_given) => "this path leads out of its folder",
                None => continue,
            };
            return Err(self.file.refused(place, why));
        }
        Ok(())
    }

    /// A new step behind the last one, with all of its twelve fields.
    fn add(&self, value: &Value) -> Edits {
        let place = self.place();
        let Shape::List([key]) = self.file.reading.shape else {
            let why = "this file holds one step, or the steps of a run; write a workflow with a list `steps`";
            return Err(self.file.refused(&place, why));
        };
        let Value::Object(given) = value else {
            return Err(self.file.refused(&place, "a step is a list of fields"));
        };
        let whole = self.filled(given)?;
        let habit = Habit::of(self.file.source.text, self.file.source.tree, key);
        let lines = entry_lines(&whole, habit);
        self.file.source.append(key, &Value::Object(whole), &lines)
    }

    /// A step with all of its twelve fields, what is not given at its default.
    pub(super) fn filled(&self, given: &Map<String, Value>) -> Result<Map<String, Value>, TreeError> {
        let place = self.place();
        self.free_id(&place, given.get("id"))?;
        let mut whole = Map::new();
        for (name, _) in FIELDS {
            let value = given.get(name).cloned();
            let value = match (name, value) {
                ("phase", None) if self.file.source_has("phase") => continue,
                ("name", None) => json!(model::step::humanise(
                    given.get("id").and_then(Value::as_str).unwrap_or_default()
                )),
                (_, value) => value.unwrap_or_else(|| default_of(name)),
            };
            whole.insert(name.to_owned(), value);
        }
        for (name, value) in given {
            whole.entry(name.as_str()).or_insert_with(|| value.clone());
        }
        // What goes beyond the twelve stands where people write it: who does the step before what it takes in.
        let rank = |key: &str| SPEC_ORDER.iter().position(|known| *known == key).unwrap_or(usize::MAX);
        let mut entries: Vec<(String, Value)> = whole.into_iter().collect();
        entries.sort_by_key(|(key, _)| rank(key));
        Ok(entries.into_iter().collect())
    }

    /// The fields of a step that differ. Without an id it is not the whole step that is given: what it says is added.
    fn replace(&self, step: &Step, value: &Value) -> Edits {
        let place = self.place();
        let Value::Object(new) = value else {
            return Err(self.file.refused(&place, "a step is a list of fields"));
        };
        let Some(Value::Object(now)) = self.written(&[]) else {
            return self.file.tree_edit(&Edit::Set {
                place,
                value: value.clone(),
            });
        };
        let whole = new.contains_key("id");
        let id = match whole {
            true => Some(self.free_id(&place, new.get("id"))?),
            false => None,
        };
        let field = |name: &str, value: Option<&Value>| {
            let mut path = self.keys(&place);
            path.push(name.to_owned());
            Change {
                path,
                value: value.cloned(),
            }
        };
        let differing = new.iter().filter(|(name, value)| now.get(*name) != Some(*value));
        let mut changes: Vec<Change> = differing.map(|(name, value)| field(name, Some(value))).collect();
        let gone = now.keys().filter(|name| whole && !new.contains_key(*name));
        changes.extend(gone.map(|name| field(name, None)));
        if let Some(id) = id.filter(|id| id != step.id.as_str()) {
            changes.extend(self.followed(step, &id));
        }
        self.changes(&changes)
    }

    /// An id that a step can have: one line, not empty, nobody else's.
    fn free_id(&self, place: &Place, value: Option<&Value>) -> Result<String, TreeError> {
        let id = value.and_then(Value::as_str).map(str::trim).unwrap_or_default();
        if id.is_empty() {
            return Err(self.file.refused(place, "a step needs an id"));
        }
        if id.chars().any(char::is_control) {
            return Err(self.file.refused(place, "an id is one line of text"));
        }
        let taken = self
            .steps()
            .iter()
            .any(|step| step.ordinal != self.ordinal && step.id.as_str() == id);
        if taken {
            return Err(self.file.refused(place, format!("another step has the id “{id}”")));
        }
        Ok(id.to_owned())
    }

    /// Whether this step is the one that targets of its id mean: of two steps of one id the first.
    fn is_meant(&self, step: &Step) -> bool {
        let meant = self.file.reading.workflow.step(&step.id);
        meant.is_some_and(|meant| meant.ordinal == step.ordinal)
    }

    /// A new id, and every rejection follows.
    fn rename(&self, step: &Step, place: &Place, value: &Value) -> Edits {
        let id = self.free_id(place, Some(value))?;
        let mut changes = vec![Change {
            path: self.keys(place),
            value: Some(id.as_str().into()),
        }];
        changes.extend(self.followed(step, &id));
        self.changes(&changes)
    }

    fn followed(&self, step: &Step, id: &str) -> Vec<Change> {
        let meant = self.is_meant(step);
        let sent = self.file.reading.rejecting(step).filter(|_| meant);
        sent.map(|other| Change {
            path: self.keys(&Place::step(other.ordinal).field("on_reject")),
            value: Some(id.into()),
        })
        .collect()
    }

    /// The step goes, and with it what leads to it.
    fn remove(&self, step: &Step) -> Edits {
        let meant = self.is_meant(step);
        let sent = self.file.reading.rejecting(step);
        let sent = sent.filter(|other| meant && other.ordinal != step.ordinal);
        let mut changes: Vec<Change> = sent
            .map(|other| Change {
                path: self.keys(&Place::step(other.ordinal).field("on_reject")),
                value: None,
            })
            .collect();
        changes.push(Change {
            path: self.keys(&self.place()),
            value: None,
        });
        self.changes(&changes)
    }

    /// The artifacts, named as `inputs` or one of them as `inputs.n`.
    fn inputs(&self, step: &Step, edit: &Edit) -> Edits {
        let bare = self.file.reading.odd(self.ordinal).bare_inputs;
        let given = edit.place();
        let mut place = self.place().field("inputs");
        if !bare {
            place = place.field("artifacts");
        }
        let place = place.path(given.path[1..].iter().cloned());
        let edit = match edit {
            Edit::Set { value, .. } => {
                let path: Vec<&str> = ["inputs", "artifacts", "0"]
                    .into_iter()
                    .take(1 + given.path.len())
                    .collect();
                let value = match (given.path.len(), texts(value)) {
                    (1, Some(list)) => Value::from(list),
                    _ => value.clone(),
                };
                self.paths(step, given, &path, &value)?;
                Edit::Set { place, value }
            }
            Edit::Remove { .. } => Edit::Remove { place },
            Edit::Move { to, .. } => Edit::Move { place, to: *to },
            Edit::Rename { to, .. } => Edit::Rename { place, to: to.clone() },
        };
        self.file.tree_edit(&edit)
    }

    /// Those who do the step, in the form the file has.
    fn agents(&self, step: &Step, edit: &Edit) -> Edits {
        let place = edit.place();
        let (one, several) = (self.written(&["agent"]), self.written(&["agents"]));
        let single = one.is_some() && several.is_none();
        let of_file = one.is_some() || several.is_some();
        let own: &[model::AgentKey] = if of_file { &step.agents } else { &[] };
        let now: Vec<String> = own.iter().map(|agent| agent.to_string()).collect();
        let index = place.path.get(1).map(|n| n.parse::<usize>());
        let index = index.transpose().map_err(|_| self.file.missing(place))?;
        let mut new = now.clone();
        match (edit, index) {
            (Edit::Remove { .. }, None) => new.clear(),
            (Edit::Remove { .. }, Some(n)) if n < new.len() => {
                new.remove(n);
            }
            (Edit::Set { value, .. }, None) => {
                new = texts(value).ok_or_else(|| self.file.refused(place, "this is a list of names"))?;
            }
            (Edit::Set { value, .. }, Some(n)) if n <= new.len() => {
                let Some(name) = value.as_str().map(str::trim).filter(|name| !name.is_empty()) else {
                    return Err(self.file.refused(place, "an entry is a name"));
                };
                if n == new.len() {
                    new.push(name.to_owned());
                } else {
                    name.clone_into(&mut new[n]);
                }
            }
            _ => return Err(self.file.missing(place)),
        }
        new.retain(|name| !name.is_empty());
        if new.is_empty() && !of_file && matches!(edit, Edit::Set { .. }) {
            // Nothing is what the file says already.
            return Ok(Vec::new());
        }
        let whole = self.keys(&self.place());
        if single {
            return if new == now {
                Ok(Vec::new())
            } else {
                self.file.source.agents(&whole, &new)
            };
        }
        // Where nobody is named yet, one is a name.
        if let ([only], [named], false) = (place.path.as_slice(), new.as_slice(), of_file)
            && only == "agent"
        {
            let value = named.as_str().into();
            return self.file.tree_edit(&Edit::Set {
                place: place.clone(),
                value,
            });
        }
        let list = self.place().field("agents");
        if let (Edit::Remove { .. }, None) = (edit, index) {
            return self.file.tree_edit(&Edit::Remove { place: list });
        }
        // An item alone, where that is all that changes, so that comments on the others stay.
        let plain = several
            .as_ref()
            .and_then(Value::as_array)
            .is_some_and(|list| list.len() == now.len());
        if let (Some(n), true, None) = (index, plain, &one) {
            let place = list.clone().field(n.to_string());
            let edit = match edit {
                Edit::Set { .. } => Edit::Set {
                    place,
                    value: new[n].as_str().into(),
                },
                _ => Edit::Remove { place },
            };
            return self.file.tree_edit(&edit);
        }
        let mut changes = vec![Change {
            path: self.keys(&list),
            value: Some(new.into()),
        }];
        if one.is_some() {
            changes.push(Change {
                path: self.keys(&self.place().field("agent")),
                value: None,
            });
        }
        self.changes(&changes)
    }

    /// A field of the retries; a number alone becomes a block first.
    fn retries(&self, place: &Place, field: &str, value: &Value) -> Edits {
        let well = match field {
            "max" => is_count(value),
            "backoff_seconds" => value.as_f64().is_some_and(|number| number >= 0.0),
            _ => true,
        };
        if !well {
            return Err(self.file.refused(place, "this is a number, 0 or more"));
        }
        let (place, value) = match self.written(&["retries"]) {
            Some(now @ Value::Number(_)) => {
                let mut policy = Map::new();
                policy.insert("max".to_owned(), now);
                policy.insert(field.to_owned(), value.clone());
                (self.place().field("retries"), Value::Object(policy))
            }
            _ => (place.clone(), value.clone()),
        };
        self.file.tree_edit(&Edit::Set { place, value })
    }

    /// A field of a tool call; a name alone becomes a call first.
    fn call(&self, place: &Place, n: &str, field: &str, value: &Value) -> Edits {
        let whole = place.path.len() == 3;
        let why = match field {
            "name" if whole && value.as_str().is_none_or(|name| name.trim().is_empty()) => "a tool call has a name",
            "risk" if whole && value.as_str().and_then(Risk::from_word).is_none() => "write low, medium or high",
            "required" if whole && !value.is_boolean() => "write true or false",
            "args" if whole && !value.is_object() => "arguments are fields with values",
            "gate" if whole && !value.is_string() => "a gate has a name",
            _ => "",
        };
        if !why.is_empty() {
            return Err(self.file.refused(place, why));
        }
        let (place, value) = match self.written(&["tools", n]) {
            Some(Value::String(name)) if whole => {
                let mut call = Map::new();
                call.insert("name".to_owned(), name.into());
                call.insert(field.to_owned(), value.clone());
                (self.place().field("tools").field(n), Value::Object(call))
            }
            _ => (place.clone(), value.clone()),
        };
        self.file.tree_edit(&Edit::Set { place, value })
    }
}

impl File<'_> {
    /// Whether a field stands at the top.
    fn source_has(&self, key: &str) -> bool {
        let (text, tree) = (self.source.text, self.source.tree);
        tree.root.and_then(|root| tree.get(text, root, key)).is_some()
    }
}

fn is_requirement(word: &str) -> bool {
    word.is_empty()
        || GateRequirement::from_word(word).is_some()
        || NOBODY.contains(&word)
        || REQUIREMENTS.contains(&word)
}

fn is_count(value: &Value) -> bool {
    value.as_u64().is_some_and(|number| u32::try_from(number).is_ok())
}

fn is_policy(map: &Map<String, Value>) -> bool {
    let pause = map.get("backoff_seconds");
    map.get("max").is_none_or(is_count) && pause.is_none_or(|pause| pause.as_f64().is_some_and(|number| number >= 0.0))
}

fn is_call(value: &Value) -> bool {
    let name = value.as_str().or_else(|| value.get("name")?.as_str());
    name.is_some_and(|name| !name.trim().is_empty())
}
