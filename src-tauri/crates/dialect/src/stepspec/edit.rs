//! Changes of a StepSpec workflow that a person makes in the graph: from a place and a value to the smallest change of the text.

use super::file::{Edits, File};
use super::step_edit::StepEdit;
use super::{Reading, holds_one};
use crate::document::Consequence;
use crate::does;
use crate::edit::{Source, TreeError, proved};
use crate::in_tree::node;
use crate::said::{called_place, in_a_row, listed};
use crate::text::{TextEdit, apply, compose};
use crate::tree::{Kind, NodeId, Tree};
use model::placeholder::{self, answers_in, is_name};
use model::{Edit, Place, Step};
use serde_json::Value;

impl Reading {
    /// See [`crate::Document::edit`]. Beside the values of single fields these are understood:
    ///
    /// * `Set` of a whole step at the place behind the last one adds it, what it lacks of the twelve fields filled up; of a step that is
    ///   there it changes the fields that differ, and without an `id` adds those that are given. `Remove` takes it out of the targets of rejections too; `Move` changes its position;
    /// * `Set` of a step's `id` is followed by every rejection that leads to it;
    /// * a list under `inputs`, and an entry `inputs.n`, are its artifacts; `agents` is changed in whatever form the file has it, and so are
    ///   `retries` and tool calls that are a number or a name alone.
    pub(super) fn edit_in(&self, path: &str, text: &str, tree: &Tree, edit: &Edit) -> Edits {
        let file = File {
            source: Source { name: path, text, tree },
            reading: self,
        };
        if let Some(fault) = tree.broken() {
            return Err(TreeError::Broken(fault.at));
        }
        let edits = match edit.place().step {
            Some(ordinal) => StepEdit { file, ordinal }.edit(edit),
            None => match renamed(text, tree, edit).and_then(|(old, new)| followed(file.source, &old, new)) {
                Some(followed) => self.with_question(file, followed?, edit),
                None => document(file, edit),
            },
        }?;
        // A file may be known by what its steps hold alone: a change must not make another format of it.
        let changed = apply(text, &edits);
        if !holds_one(&changed, &Tree::read(path, &changed)) {
            let why = "by that alone the file is known as StepSpec; write `format: stepspec` at its top first";
            return Err(file.refused(edit.place(), why));
        }
        Ok(edits)
    }

    /// Edits of texts in which an answer stands, and the new name of its question.
    fn with_question(&self, file: File<'_>, followed: Vec<TextEdit>, edit: &Edit) -> Edits {
        let Source { name, text, .. } = file.source;
        let after = apply(text, &followed);
        let tree = Tree::read(name, &after);
        let source = Source {
            name,
            text: &after,
            tree: &tree,
        };
        let file = File { source, reading: self };
        let edits = match edit {
            Edit::Rename { .. } => file.tree_edit(edit),
            _ => document(file, edit),
        }?;
        Ok(compose(text, &followed, &edits))
    }

    /// What follows the new name of a question, for people. `None` where its answer stands nowhere else.
    pub(super) fn asked_by(&self, text: &str, tree: &Tree, edit: &Edit) -> Option<Consequence> {
        let (old, new) = renamed(text, tree, edit)?;
        let found = standing_for(text, tree, &old);
        let mut places: Vec<Vec<String>> = found.into_iter().map(|(path, _)| path).collect();
        places.sort();
        let places: Vec<String> = places.iter().map(|path| called_place(path)).collect();
        let said = format!(
            "what stands for its answer is written `{{{{{new}}}}}` then: {}",
            in_a_row(&places)?
        );
        Some(Consequence {
            about: Vec::new(),
            said,
        })
    }

    /// What follows from an edit besides what it says, for people. `None` where nothing does.
    pub(super) fn goes_with(&self, edit: &Edit) -> Option<Consequence> {
        let place = edit.place();
        let step = self.workflow.steps().get(place.step?)?;
        if self.workflow.step(&step.id)?.ordinal != step.ordinal {
            return None;
        }
        let sent = Consequence::rejecting(&self.workflow, step);
        let who = listed(&sent)?;
        let said = match (edit, place.path.as_slice()) {
            (Edit::Remove { .. }, []) => return Consequence::of_rejecting(&self.workflow, step),
            (Edit::Set { value, .. }, [only]) if only == "id" => {
                let new = value.as_str()?.trim();
                (new != step.id.as_str()).then(|| format!("a rejection at {who} leads to `{new}` by its new id"))
            }
            _ => None,
        };
        Some(Consequence {
            about: sent,
            said: said?,
        })
    }

    /// The changes by which something else does the work of a step. `written`: what stands in a place.
    pub(super) fn done_by(&self, written: &dyn Fn(&Place) -> Option<Value>, step: &Step, to: &str) -> Vec<Edit> {
        // Whoever does the steps that say nothing does this one too.
        let of_all = || {
            ["agent", "agents"]
                .into_iter()
                .any(|field| written(&Place::document().field(field)).is_some())
        };
        let new = match to {
            does::WORK if of_all() => None,
            does::WORK => {
                let (before, behind) = self.workflow.steps().split_at(step.ordinal);
                let mut others = before.iter().rev().chain(behind);
                let agent = others.find_map(|other| other.agents.first());
                Some(("agent", agent.map_or(AUTHOR, |agent| agent.as_str()).into()))
            }
            does::SCRIPT => Some(("run", "".into())),
            _ => None,
        };
        let [work, script, _] = does::ALL;
        does::by_fields(&[work, script], step, to, written, new)
    }

    /// The steps whose rejection leads to a step.
    pub(super) fn rejecting<'w>(&'w self, step: &'w Step) -> impl Iterator<Item = &'w Step> {
        let steps = self.workflow.steps().iter();
        steps.filter(|other| other.gate.as_ref().and_then(|gate| gate.on_reject.as_ref()) == Some(&step.id))
    }
}

/// Who does a step where nobody else does any.
pub(super) const AUTHOR: &str = "author";

/// Where questions stand.
const QUESTIONS: [&str; 2] = ["questions", "run_inputs"];

/// A question that gets another name: the one that it had, and the new one. `None` where it is none of this, and where no placeholder can
/// hold the new one.
fn renamed<'e>(text: &str, tree: &Tree, edit: &'e Edit) -> Option<(String, &'e str)> {
    let of = |place: &Place| {
        let is_one = place.step.is_none() && QUESTIONS.contains(&place.path.first()?.as_str());
        let found = node(text, tree, &place.path).filter(|_| is_one)?;
        let list = node(text, tree, &place.path[..1])?;
        Some((found, tree.is_list(list)))
    };
    let (old, new) = match edit {
        Edit::Rename { place, to } => {
            let (_, is_list) = of(place)?;
            let [_, key] = place.path.as_slice() else { return None };
            (Some(key.as_str()).filter(|_| !is_list)?, to.as_str())
        }
        Edit::Set { place, value } => {
            let (found, is_list) = of(place)?;
            let is_name = match place.path.as_slice() {
                [_, _] => true,
                [_, _, name] => name == "name",
                _ => false,
            };
            (tree.text(text, found).filter(|_| is_list && is_name)?, value.as_str()?)
        }
        Edit::Remove { .. } | Edit::Move { .. } => return None,
    };
    let new = new.trim();
    (old != new && is_name(new)).then(|| (old.to_owned(), new))
}

/// The texts outside of the questions in which an answer stands, each with the keys to it from the root of the file. A script is not
/// filled in.
fn standing_for(text: &str, tree: &Tree, name: &str) -> Vec<(Vec<String>, NodeId)> {
    let mut found = Vec::new();
    let mut open: Vec<(Vec<String>, NodeId)> = tree.root.map(|root| (Vec::new(), root)).into_iter().collect();
    while let Some((path, id)) = open.pop() {
        let below = |key: &str| [path.as_slice(), &[key.to_owned()]].concat();
        // What is written once and used again is one text.
        if let Kind::Alias { .. } = tree.node(id).kind {
            continue;
        }
        if let Some(entries) = tree.entries(id) {
            for (key, value) in entries {
                let key = tree.key(text, *key);
                open.extend((!is_left(key, path.is_empty())).then(|| (below(key), *value)));
            }
        } else if let Some(items) = tree.items(id) {
            open.extend(items.iter().enumerate().map(|(n, item)| (below(&n.to_string()), *item)));
        } else if tree
            .text(text, id)
            .is_some_and(|text| answers_in(text).any(|own| own == name))
        {
            found.push((path, id));
        }
    }
    found
}

/// The edits after which an answer is called by another name wherever it stands in a text; `None` where it stands in none.
fn followed(source: Source<'_>, old: &str, new: &str) -> Option<Edits> {
    let Source { name, text, tree } = source;
    let found = standing_for(text, tree, old);
    let (first, _) = found.first()?;
    let edits = found.iter().filter_map(|(_, id)| {
        let span = tree.node(*id).span;
        let replacement = placeholder::renamed(text.get(span.start..span.end)?, old, new)?;
        Some(TextEdit { span, replacement })
    });
    let mut edits: Vec<TextEdit> = edits.collect();
    edits.sort_by_key(|edit| edit.span.start);
    Some(proved(name, text, tree, first, vec![edits], |file| {
        follow(file, true, old, new);
        true
    }))
}

/// The same of the values: an answer is called by another name.
fn follow(value: &mut Value, is_root: bool, old: &str, new: &str) {
    match value {
        Value::String(own) => {
            if let Some(renamed) = placeholder::renamed(own, old, new) {
                *own = renamed;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| follow(item, false, old, new)),
        Value::Object(fields) => {
            let inside = fields.iter_mut().filter(|(key, _)| !is_left(key, is_root));
            inside.for_each(|(_, value)| follow(value, false, old, new));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether no answer is filled in in a field: a script, and what is asked.
fn is_left(key: &str, is_root: bool) -> bool {
    key == "run" || (is_root && QUESTIONS.contains(&key))
}

/// A field of the workflow itself.
fn document(file: File<'_>, edit: &Edit) -> Edits {
    let place = edit.place();
    let path: Vec<&str> = place.path.iter().map(String::as_str).collect();
    // A step by the keys of the file is that step.
    if let Some((ordinal, rest)) = file.reading.shape.inside(&place.path) {
        let place = Place::step(ordinal).path(rest);
        let edit = match edit {
            Edit::Set { value, .. } => Edit::Set {
                place,
                value: value.clone(),
            },
            Edit::Remove { .. } => Edit::Remove { place },
            Edit::Move { to, .. } => Edit::Move { place, to: *to },
            Edit::Rename { to, .. } => Edit::Rename { place, to: to.clone() },
        };
        return StepEdit { file, ordinal }.edit(&edit);
    }
    if let Edit::Set { value, .. } = edit {
        let is_named = value.as_str().is_some_and(|text| !text.trim().is_empty());
        let why = match path.as_slice() {
            ["workflow" | "id"] if !is_named => "an id is a text",
            ["title" | "name"] if !is_named => "a title is a text",
            ["description" | "phase" | "module"] if !value.is_string() => "this is a text",
            ["steps" | "step_specs"] if !value.is_array() => "steps are a list",
            ["questions" | "run_inputs"] if !(value.is_array() || value.is_object()) => "questions are a list",
            _ => return file.tree_edit(edit),
        };
        return Err(file.refused(place, why));
    }
    file.tree_edit(edit)
}
