//! The state of a run, written into the pipeline's own file (CONTRACTS "Pipelines": the file always holds the current state).

use super::write::{WriteError, changed, root_of};
use super::{PipelineStatus, StageStatus};
use crate::edit::Change;
use crate::tree::{Kind, NodeId, Tree};
use model::Place;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The state of a pipeline and of its stages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct States {
    /// Of the pipeline.
    pub status: PipelineStatus,
    /// Why it failed, for `error`.
    pub error: Option<String>,
    /// Of stages, found in the file by their names.
    pub stages: Vec<StageState>,
}

/// The state of one stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageState {
    /// As the file has it.
    pub name: String,
    /// What is to be written.
    pub status: StageStatus,
    /// Why it failed, or was skipped by its agent, for `error`.
    pub error: Option<String>,
}

/// The text with `status` of the pipeline and of each stage, and `error` where there is one. What the text has already stays
/// as it is, so writing the same states again changes nothing; missing keys come in, an `error` that holds no longer goes,
/// every other byte stays. Stages are found by name, of two of one name the first: one that is not in the file (any more) is
/// passed over, and one that is not in `states` keeps no other state than `pending`: what stands there is of a stage that was
/// called so, or of an earlier run. Takes time linear in the length of the text.
///
/// # Errors
/// [`WriteError`]: the text cannot be read, or there is no place for a state in it.
pub fn with_states(text: &str, states: &States) -> Result<String, WriteError> {
    let failed = |error: Option<&String>| error.map(|said| Value::from(said.as_str()));
    // An error stands behind the status; both at once would be put in at the same place.
    let text = written(text, states, "status", |state| match state {
        None => Some(states.status.word().into()),
        Some(stage) => Some(stage.status.word().into()),
    })?;
    written(&text, states, "error", |state| match state {
        None => failed(states.error.as_ref()),
        Some(stage) => failed(stage.error.as_ref()),
    })
}

/// Writes one key of the pipeline (`None`) and of each stage; no value takes the key out.
fn written(
    text: &str,
    states: &States,
    key: &str,
    value: impl Fn(Option<&StageState>) -> Option<Value>,
) -> Result<String, WriteError> {
    let (tree, root) = root_of(text)?;
    let items = tree.get(text, root, "stages").and_then(|id| tree.items(id));
    let items = items.ok_or(WriteError::NoPipeline)?;
    let mut wanted: HashMap<&str, &StageState> = HashMap::new();
    for stage in &states.stages {
        wanted.entry(&stage.name).or_insert(stage);
    }
    let mut changes = Vec::new();
    let mut change = |holder: NodeId, path: Vec<String>, value: Option<Value>| {
        if value.is_some() || own(&tree, text, holder, key) {
            changes.push(Change { path, value });
        }
    };
    for (n, item) in items.iter().enumerate() {
        let said = |key: &str| tree.get(text, *item, key).and_then(|id| tree.text(text, id));
        let Some(name) = said("name") else {
            continue;
        };
        let value = match (wanted.remove(name), said("status")) {
            (Some(state), _) => value(Some(state)),
            (None, Some(status)) if key == "status" && status != StageStatus::Pending.word() => None,
            // Its status is gone by now.
            (None, None) if key == "error" => None,
            (None, _) => continue,
        };
        let path = vec!["stages".to_owned(), n.to_string(), key.to_owned()];
        change(*item, path, value);
    }
    // Last: where a file ends with its last stage, the pipeline's own key comes in at the same place, behind the stage's.
    change(root, vec![key.to_owned()], value(None));
    changed(text, &tree, &changes)
}

/// The places of states that another part of the file takes over (`&name` and `*name`): a state that is written there would change that
/// part as well, so that [`with_states`] fails sooner or later. Takes time linear in the size of the tree.
pub(super) fn taken_over(text: &str, tree: &Tree, root: NodeId) -> Vec<Place> {
    let targets = tree.nodes.iter().filter_map(|node| match node.kind {
        Kind::Alias { target } => Some(target),
        _ => None,
    });
    let taken: HashSet<NodeId> = targets.collect();
    if taken.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let is_taken = |holder: NodeId, key: &str| tree.get(text, holder, key).is_some_and(|id| taken.contains(&id));
    let keys = |holder: NodeId, place: Place| {
        let own = ["status", "error"].into_iter().find(|&key| is_taken(holder, key));
        own.map(|key| place.field(key))
    };
    found.extend(keys(root, Place::document()));
    let Some(stages) = tree.get(text, root, "stages").map(|id| tree.resolve(id)) else {
        return found;
    };
    if taken.contains(&stages) {
        found.push(Place::document().field("stages"));
    }
    for (n, stage) in tree.items(stages).unwrap_or(&[]).iter().enumerate() {
        // One that is an alias itself has no place for its state either, which is said where it is read.
        match tree.node(*stage).kind {
            Kind::Alias { .. } => {}
            _ if taken.contains(stage) => found.push(Place::step(n)),
            _ => found.extend(keys(*stage, Place::step(n))),
        }
    }
    found
}

/// A key that stands in the mapping itself.
fn own(tree: &Tree, text: &str, map: NodeId, key: &str) -> bool {
    tree.get(text, map, key).is_some()
}
