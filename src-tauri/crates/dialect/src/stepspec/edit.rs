//! Changes of a StepSpec workflow that a person makes in the graph: from a place and a value to the smallest change of the text.

use super::file::{Edits, File};
use super::step_edit::StepEdit;
use super::{Reading, holds_one};
use crate::document::Consequence;
use crate::edit::{Source, TreeError};
use crate::said::listed;
use crate::text::apply;
use crate::tree::Tree;
use model::{Edit, Place, Step};

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
            None => document(file, edit),
        }?;
        // A file may be known by what its steps hold alone: a change must not make another format of it.
        let changed = apply(text, &edits);
        if !holds_one(&changed, &Tree::read(path, &changed)) {
            let why = "by that alone the file is known as StepSpec; write `format: stepspec` at its top first";
            return Err(file.refused(edit.place(), why));
        }
        Ok(edits)
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

    /// The steps whose rejection leads to a step.
    pub(super) fn rejecting<'w>(&'w self, step: &'w Step) -> impl Iterator<Item = &'w Step> {
        let steps = self.workflow.steps().iter();
        steps.filter(|other| other.gate.as_ref().and_then(|gate| gate.on_reject.as_ref()) == Some(&step.id))
    }
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
