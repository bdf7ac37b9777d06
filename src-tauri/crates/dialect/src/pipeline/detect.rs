//! Is this file a pipeline?

use super::id::PipelineId;
use crate::tree::{Kind, NodeId, Tree};

/// The outermost keys of pipelines alone.
const OWN: [&str; 4] = ["pipeline_id", "error_handling", "max_retries", "retry_delay_seconds"];
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

/// True for every file named like an id; for another YAML file with `stages` when a key of pipelines stands at the top, when
/// its stages have names and say who does them or what they wait for, or when there are none yet and nothing else is in the file.
/// A list of words named `stages` (of a build server) is none, and neither is a file with `steps`.
pub(crate) fn detect(path: &str, text: &str) -> bool {
    if is_named(path) {
        return true;
    }
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit(['/', '\\']).next().unwrap_or("");
    let known = [".yaml", ".yml", ".json"].iter().any(|end| name.ends_with(end));
    if (name.contains('.') && !known) || !text.contains("stages") {
        return false;
    }
    holds_one(path, text, &Tree::read(path, text))
}

/// A file named like an id is a pipeline whatever stands in it.
pub(crate) fn is_named(path: &str) -> bool {
    PipelineId::of_file(path).is_some()
}

/// The same of a file that is read already.
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
