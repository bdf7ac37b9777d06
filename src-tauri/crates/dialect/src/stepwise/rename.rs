//! Another id for a step of a flow or graph file, followed by everything of the file that leads to it.

use super::mentions::{self, Mention, Named};
use super::{Generation, Reading};
use crate::document::Consequence;
use crate::edit::{Change, EditError, TreeError, tree_changes};
use crate::in_tree::TreeReading as _;
use crate::reading::Context;
use crate::text::TextEdit;
use crate::tree::Tree;
use model::{Edit, Place};

/// Fields in which a step has its id.
const IDS: [&str; 4] = ["id", "node_id", "step_id", "sidequest_id"];

/// Whether an edit gives a step of a flow another id, or takes it away.
pub(super) fn is_one(reading: &Reading, edit: &Edit) -> bool {
    let (Edit::Set { place, .. } | Edit::Remove { place }) = edit else {
        return false;
    };
    let is_id = |path: &[String]| matches!(path, [key] if IDS.contains(&key.as_str()));
    place.step.is_some() && is_id(&place.path) && reading.generation != Generation::List
}

/// The places that name the step of an edit besides its own id; `Err`: a condition that may mean it.
fn naming(reading: &Reading, text: &str, tree: &Tree, place: &Place) -> Result<Vec<Vec<String>>, String> {
    let context = Context::new(text, tree);
    let path = reading.file_path(place);
    let (found, used) = tree.walk(text, path.iter().map(String::as_str));
    let old = found.filter(|_| used == path.len()).and_then(|id| context.text(id));
    let step = place.step.and_then(|step| reading.workflow.steps().get(step));
    let (Some(old), Some(step)) = (old, step) else {
        return Ok(Vec::new());
    };
    let own = reading.detour(step.ordinal).is_some();
    // Of two steps of one id the first is meant by what leads there.
    let meant = reading.workflow.step(&step.id);
    if !own && meant.is_none_or(|meant| meant.ordinal != step.ordinal) {
        return Ok(Vec::new());
    }
    let found = mentions::all(&context, reading.list_key());
    if let Some(condition) = found.expressions.into_iter().find(|text| may_mean(text, &old)) {
        return Err(condition);
    }
    let of_this = |mention: &Mention| mention.to == old && (!own || mention.what == Named::Left);
    let found = found.all.into_iter().filter(of_this);
    Ok(found.map(|mention| mention.path).collect())
}

/// Whether an expression asks for steps by their id, with this one among its texts: what it compares with cannot be told from other
/// texts for sure.
fn may_mean(expression: &str, id: &str) -> bool {
    let asks = expression.contains("loops") || expression.contains("step_id");
    let quoted = expression.split(['\'', '"']).skip(1).step_by(2);
    asks && quoted.flat_map(|word| word.split(':')).any(|word| word == id)
}

/// The edits that give a step another id and let everything in the file follow.
pub(super) fn edits(
    reading: &Reading,
    name: &str,
    text: &str,
    tree: &Tree,
    edit: &Edit,
) -> Result<Vec<TextEdit>, TreeError> {
    let place = edit.place();
    let path = reading.file_path(place);
    let refused = |why: String| -> TreeError {
        let path = path.join(".");
        EditError::NotUnderstood { path, why }.into()
    };
    let Edit::Set { value, .. } = edit else {
        return Err(refused(
            "a step keeps an id, by which others name it; write another one in its place".to_owned(),
        ));
    };
    let new = value.as_str().map(str::trim).filter(|new| !new.is_empty());
    let new = new.ok_or_else(|| refused("an id is a text".to_owned()))?;
    if new.chars().any(char::is_control) {
        return Err(refused("an id is one line of text".to_owned()));
    }
    let steps = reading.workflow.steps();
    let Some(step) = place.step.and_then(|step| steps.get(step)) else {
        return Err(EditError::Missing { path: path.join(".") }.into());
    };
    let own = reading.detour(step.ordinal).is_some();
    let is_other = |other: &&model::Step| other.ordinal != step.ordinal && reading.detour(other.ordinal).is_none();
    if !own && steps.iter().filter(is_other).any(|other| other.id.as_str() == new) {
        return Err(refused(format!("another step is called “{new}”")));
    }
    let mut changes = vec![Change {
        path: path.clone(),
        value: Some(new.into()),
    }];
    let naming = naming(reading, text, tree, place).map_err(|condition| {
        refused(format!(
            "the condition “{condition}” names this step; change both in the source"
        ))
    })?;
    changes.extend(naming.into_iter().map(|path| Change {
        path,
        value: Some(new.into()),
    }));
    tree_changes(name, text, tree, &changes)
}

/// What follows a new id, for people; nothing where the step is named nowhere else.
pub(super) fn consequence(reading: &Reading, text: &str, tree: &Tree, edit: &Edit) -> Option<Consequence> {
    let Edit::Set { place, value } = edit else { return None };
    let step = reading.workflow.steps().get(place.step?)?;
    naming(reading, text, tree, place)
        .ok()
        .filter(|found| !found.is_empty())?;
    let said = format!("What leads to this step leads to `{}` then", value.as_str()?.trim());
    Some(Consequence::of(&step.id, said))
}
