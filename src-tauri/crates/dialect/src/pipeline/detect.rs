//! What makes a file a pipeline.

use super::id::PipelineId;
use crate::reading::{Block, Context};
use crate::tree::{Kind, NodeId, Tree};
use model::Place;

/// The outermost keys of pipelines alone.
const OWN: [&str; 3] = ["pipeline_id", "error_handling", "retry_delay_seconds"];
/// The keys of stages that other files with `stages` do not have together with `name`.
const OF_STAGES: [&str; 7] = [
    "agents",
    "agent",
    "depends_on",
    "parallel",
    "run",
    "workflow",
    "workflows",
];
/// The outermost keys of a pipeline that has no stages yet.
const PLAIN: [&str; 4] = ["name", "description", "status", "stages"];

/// A file named like an id is a pipeline whatever stands in it.
pub(crate) fn is_named(path: &str) -> bool {
    PipelineId::of_file(path).is_some()
}

/// True for every file named like an id; for another file with `stages` when a key of pipelines stands at the top, when its stages
/// have names and say who does them or what they wait for, or when there are none yet and nothing else is in the file. A list of words
/// named `stages` (of a build server) is none, and neither is a file with `steps`.
pub(crate) fn holds_one(path: &str, text: &str, tree: &Tree) -> bool {
    if is_named(path) {
        return true;
    }
    let Some(root) = tree.root else { return false };
    let has = |map: NodeId, key: &str| tree.get(text, map, key).is_some();
    let Some(stages) = tree.get(text, root, "stages") else {
        return false;
    };
    let items = match &tree.node(tree.resolve(stages)).kind {
        Kind::List { items, .. } => items.as_slice(),
        Kind::Scalar { .. } if tree.scalar(text, stages).is_null() => &[],
        _ => return false,
    };
    if has(root, "steps") || has(root, "nodes") {
        return has(root, "pipeline_id");
    }
    if OWN.iter().any(|key| has(root, key)) {
        return true;
    }
    if items.is_empty() {
        let keys = tree.entries(root).unwrap_or(&[]);
        return keys.len() > 1 && keys.iter().all(|(key, _)| PLAIN.contains(&tree.key(text, *key)));
    }
    items
        .iter()
        .any(|item| has(*item, "name") && OF_STAGES.iter().any(|key| has(*item, key)))
}

/// What a file with `stages` that is none lacks of a pipeline, as the end of a sentence.
pub(crate) fn lack(context: &Context<'_>, root: &Block) -> String {
    let stages = root.peek(context, "stages").and_then(|id| context.tree.items(id));
    let Some(stages) = stages else {
        return "its `stages` are not a list".to_owned();
    };
    let named = |id: &NodeId| Block::open(context, *id, Place::document()).has(context, "name");
    match (stages.is_empty(), stages.iter().any(named)) {
        (true, _) => "its list `stages` is empty".to_owned(),
        (false, false) => "its stages have no `name`".to_owned(),
        (false, true) => "no stage says who does it (`agents`) or what it waits for (`depends_on`)".to_owned(),
    }
}
