//! Changes of a pipeline that a person makes in the graph: from a place and a value to the smallest change of the text.

use super::file::{Edits, File};
use super::id::PipelineId;
use super::stage_edit::Stage;
use super::{ErrorHandling, Reading, Vocabulary};
use crate::document::Consequence;
use crate::does;
use crate::edit::TreeError;
use crate::said::listed;
use crate::tree::Tree;
use model::{Edit, Place, Step};
use serde_json::Value;

/// Who does a stage where nobody else does any.
pub(super) const AUTHOR: &str = "author";
/// What a stage that runs a workflow names until somebody names one.
pub(super) const OTHER: &str = "other.yaml";

impl Reading {
    /// See [`crate::Document::edit`]. Beside the values of single fields these are understood:
    ///
    /// * `Set` of a whole stage at the place behind the last one adds it; `Remove` of a stage takes it out of the dependencies of
    ///   the others too; `Move` changes its position;
    /// * `Set` of a stage's `name` is followed by every dependency on it;
    /// * `Set` and `Remove` of `depends_on.n` draw and delete an edge, whatever form the list has.
    pub(super) fn edit_in(&self, path: &str, text: &str, tree: &Tree, edit: &Edit) -> Edits {
        let file = File {
            path,
            text,
            tree,
            reading: self,
        };
        if let Some(fault) = tree.broken() {
            return Err(TreeError::Broken(fault.at));
        }
        let place = edit.place();
        match place.step {
            Some(ordinal) => Stage { file, ordinal }.edit(edit),
            None => document(file, edit),
        }
    }

    /// What follows from an edit besides what it says, for people: which other stages change.
    pub(super) fn goes_with(&self, edit: &Edit) -> Vec<Consequence> {
        let place = edit.place();
        let step = place.step.and_then(|step| self.workflow.steps().get(step));
        match (edit, step, place.path.as_slice()) {
            (Edit::Remove { .. }, Some(step), [])
                if self
                    .workflow
                    .step(&step.id)
                    .is_some_and(|first| first.ordinal == step.ordinal) =>
            {
                Consequence::of_removal(&self.workflow, step)
            }
            _ => self.renamed(edit).into_iter().collect(),
        }
    }

    /// The changes by which something else does the work of a stage. `written`: what stands in a place.
    pub(super) fn done_by(&self, written: &dyn Fn(&Place) -> Option<Value>, stage: &Step, to: &str) -> Vec<Edit> {
        let new = match to {
            does::WORK => {
                // Whoever does the stage before it is bound already.
                let (before, behind) = self.workflow.steps().split_at(stage.ordinal);
                let mut others = before.iter().rev().chain(behind);
                let agent = others.find_map(|other| other.agents.first());
                Some(("agents", vec![agent.map_or(AUTHOR, |agent| agent.as_str())].into()))
            }
            does::SCRIPT => Some(("run", "".into())),
            does::WORKFLOW => Some(("workflow", OTHER.into())),
            _ => None,
        };
        let mut parts = does::by_fields(&does::ALL, stage, to, written, new);
        let terminal = Place::step(stage.ordinal).field("terminal");
        // Workflows have no program of their own.
        if to == does::WORKFLOW && !parts.is_empty() && written(&terminal).is_some() {
            parts.push(Edit::Remove { place: terminal });
        }
        parts
    }

    /// Of a stage that gets another name; `None`: it does not, or nobody waits for it.
    fn renamed(&self, edit: &Edit) -> Option<Consequence> {
        let place = edit.place();
        let steps = self.workflow.steps();
        let step = steps.get(place.step?)?;
        let name = matches!(place.path.as_slice(), [only] if only == "name" || only == "id");
        if self.workflow.step(&step.id)?.ordinal != step.ordinal {
            return None;
        }
        match edit {
            Edit::Set { value, .. } if name => {
                let about = Consequence::waiting(&self.workflow, step);
                let who = listed(&about)?;
                let wait = if about.len() == 1 { "waits" } else { "wait" };
                let new = value.as_str()?.trim();
                let said = format!("{who} {wait} for `{new}` by its new name");
                (new != step.id.as_str()).then_some(Consequence { about, said })
            }
            _ => None,
        }
    }
}

/// A field of the pipeline itself.
fn document(file: File<'_>, edit: &Edit) -> Edits {
    let place = edit.place();
    if let (Edit::Set { value, .. }, [only]) = (edit, place.path.as_slice()) {
        match only.as_str() {
            "error_handling" => {
                let word = value.as_str().unwrap_or_default();
                if ErrorHandling::of_word(word).is_none() {
                    return Err(file.refused(place, format!("write one of {}", ErrorHandling::known())));
                }
            }
            "pipeline_id" => {
                if let Err(malformed) = PipelineId::parse(value.as_str().unwrap_or_default()) {
                    return Err(file.refused(place, malformed.to_string()));
                }
            }
            "name" if value.as_str().is_none_or(|name| name.trim().is_empty()) => {
                return Err(file.refused(place, "a name is a text"));
            }
            "stages" if !value.is_array() => {
                return Err(file.refused(place, "stages are a list"));
            }
            _ => {}
        }
    }
    // A stage by the keys of the file is that stage.
    if let [stages, n, rest @ ..] = place.path.as_slice()
        && stages == "stages"
        && let Ok(ordinal) = n.parse()
    {
        let place = Place::step(ordinal).path(rest.iter().cloned());
        let edit = match edit {
            Edit::Set { value, .. } => Edit::Set {
                place,
                value: value.clone(),
            },
            Edit::Remove { .. } => Edit::Remove { place },
            Edit::Move { to, .. } => Edit::Move { place, to: *to },
            Edit::Rename { to, .. } => Edit::Rename { place, to: to.clone() },
        };
        return Stage { file, ordinal }.edit(&edit);
    }
    file.tree_edit(edit)
}
