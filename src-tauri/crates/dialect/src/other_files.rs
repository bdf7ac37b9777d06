//! What files of YAML and JSON are that are no workflow, by what other programs keep in them.

use crate::reading::{Block, Context};
use crate::tree::NodeId;
use model::Place;

/// The state of a run of several agents ([`crate::session`]).
pub(crate) const SESSION: &str = "a session";
/// The keys that every session has (seed 003).
const OF_SESSIONS: [&str; 5] = [
    "session_id",
    "project_metadata",
    "workflow_state",
    "agent_contexts",
    "global_context",
];

/// What other programs keep in files like these, by their outermost keys.
pub(crate) fn looks_like(context: &Context<'_>, root: &Block) -> Option<&'static str> {
    let has = |key: &str| root.has(context, key);
    let is_map = |key: &str| root.peek(context, key).is_some_and(|id| context.is_map(id));
    let is_list = |key: &str| root.peek(context, key).is_some_and(|id| context.tree.is_list(id));
    if OF_SESSIONS.iter().filter(|key| has(key)).count() >= 3 {
        return Some(SESSION);
    }
    if has("openapi") || has("swagger") {
        return Some("an API description");
    }
    if has("apiVersion") && has("kind") {
        return Some("a Kubernetes object");
    }
    if has("$schema") && ["properties", "definitions", "$defs"].into_iter().any(is_map) {
        return Some("a JSON schema");
    }
    if is_map("jobs") || is_list("jobs") || has("script") || built(context, root) {
        return Some("a build file");
    }
    if is_map("services") {
        return Some("a Compose file");
    }
    if (has("name") || has("version")) && ["dependencies", "devDependencies", "scripts"].into_iter().any(is_map) {
        return Some("a package manifest");
    }
    if has("identity") && ["sdk", "io", "handoff"].into_iter().any(has) {
        return Some("a station");
    }
    if is_list("flows") {
        return Some("a register of flows");
    }
    let steps = root.peek(context, "steps").and_then(|id| context.tree.entries(id));
    if steps.is_some_and(|steps| steps.iter().all(|(_, visits)| context.tree.items(*visits).is_some())) {
        return Some("a scenario");
    }
    None
}

/// Whether a build server carries out what stands here: jobs with a script, or steps that say what to execute where.
fn built(context: &Context<'_>, root: &Block) -> bool {
    const OF_BUILDS: [&str; 9] = [
        "uses", "image", "script", "command", "commands", "plugins", "args", "run", "task",
    ];
    let holds = |id: NodeId, keys: &[&str]| {
        let block = Block::open(context, id, Place::document());
        keys.iter().any(|key| block.has(context, key))
    };
    let steps = root.peek(context, "steps").and_then(|id| context.tree.items(id));
    let stepped = steps.is_some_and(|steps| steps.iter().any(|step| holds(*step, &OF_BUILDS)));
    // A stage of GitLab is a word, and its jobs stand at the top.
    let staged = root.has(context, "stages") && root.values().any(|id| holds(id, &["script", "stage"]));
    stepped || staged
}
