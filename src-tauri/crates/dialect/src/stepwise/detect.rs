//! What makes a file a stepwise flow: steps with an `id` and what is to be done or by whom, or nodes with ids and edges between them.

use crate::reading::{Block, Context};
use crate::tree::NodeId;
use model::Place;

/// The keys of which a step of a flow has one beside its id.
const OF_STEPS: [&str; 6] = ["agents", "agent", "role", "routing", "station", "objective"];

/// What a file lacks to be a flow, as the end of a sentence; `None` where it is one.
pub(crate) fn lack(context: &Context<'_>, text: &str) -> Option<String> {
    if context.tree.broken().is_some() && begins_one(text) {
        return None;
    }
    let Some(root) = context.tree.root.filter(|root| context.is_map(*root)) else {
        let empty = context.tree.root.is_none_or(|root| context.is_null(root));
        return Some(match empty {
            true => "nothing stands in it".to_owned(),
            false => "its outermost level is not a list of fields".to_owned(),
        });
    };
    let root = Block::open(context, root, Place::document());
    if super::list::is_one(context, &root) {
        return None;
    }
    match (root.peek(context, "steps"), root.peek(context, "nodes")) {
        (None, Some(nodes)) => of_graph(context, &root, nodes),
        (None, None) => Some("it has no list `steps`".to_owned()),
        (Some(steps), _) => of_flow(context, &root, steps),
    }
}

fn of_flow(context: &Context<'_>, root: &Block, steps: NodeId) -> Option<String> {
    if !context.tree.is_list(steps) {
        let said = match context.is_null(steps) {
            true => "nothing stands in its `steps`",
            false => "its `steps` are not a list",
        };
        return Some(said.to_owned());
    }
    let said_so = root.peek(context, "format").and_then(|id| context.text(id));
    if said_so.is_some_and(|word| word.eq_ignore_ascii_case("stepwise")) {
        return None;
    }
    let items = context.tree.items(steps).unwrap_or(&[]);
    let mut named = false;
    for item in items {
        let step = Block::open(context, *item, Place::document());
        if !is_id(context, &step, "id") {
            continue;
        }
        if OF_STEPS.into_iter().any(|key| says(context, &step, key)) {
            return None;
        }
        named = true;
    }
    let one_of = "`agents`, `agent`, `role`, `routing`, `station` or `objective`";
    Some(match (items.is_empty(), named) {
        (true, _) => "its list `steps` is empty".to_owned(),
        (false, false) => format!("no step has an `id` and one of {one_of}"),
        (false, true) => format!("no step has one of {one_of}"),
    })
}

fn is_id(context: &Context<'_>, block: &Block, key: &str) -> bool {
    let text = block.peek(context, key).and_then(|id| context.text(id));
    text.is_some_and(|id| !id.trim().is_empty())
}

/// Whether a step says this in the way of a flow. Build servers have `agents` too, as fields or as `queue=linux`.
fn says(context: &Context<'_>, step: &Block, key: &str) -> bool {
    let Some(id) = step.peek(context, key) else {
        return false;
    };
    match key {
        "routing" => true,
        "agents" => match context.tree.items(id) {
            Some(items) => items
                .iter()
                .all(|item| context.text(*item).is_some_and(|name| !name.contains('='))),
            None => context.text(id).is_some(),
        },
        _ => context.text(id).is_some(),
    }
}

fn of_graph(context: &Context<'_>, root: &Block, nodes: NodeId) -> Option<String> {
    let said = |what: &str| Some(what.to_owned());
    let Some(edges) = root.peek(context, "edges") else {
        return said("it has `nodes` and no `edges`");
    };
    if !context.tree.is_list(nodes) || !context.tree.is_list(edges) {
        return said("its `nodes` and `edges` are not lists");
    }
    let nodes = context.tree.items(nodes).unwrap_or(&[]);
    let edges = context.tree.items(edges).unwrap_or(&[]);
    let known = |id: &NodeId| {
        let node = Block::open(context, *id, Place::document());
        is_id(context, &node, "node_id") || is_id(context, &node, "id")
    };
    let leads = |id: &NodeId| {
        let edge = Block::open(context, *id, Place::document());
        edge.has(context, "from") && edge.has(context, "to")
    };
    if nodes.is_empty() {
        return said("its list `nodes` is empty");
    }
    if !nodes.iter().any(known) {
        return said("its nodes have no `id`");
    }
    if !edges.is_empty() && !edges.iter().any(leads) {
        return said("its edges do not say `from` where `to` where");
    }
    None
}

/// Of a file that breaks off: whether what can be seen of it is the beginning of a flow.
fn begins_one(text: &str) -> bool {
    let (mut list, mut id, mut sign) = (false, false, false);
    let (mut nodes, mut edges) = (false, false);
    for key in text.split(['\n', '\r', '{', ',']).filter_map(key_of) {
        list |= key == "steps";
        nodes |= key == "nodes";
        edges |= key == "edges";
        id |= key == "id" || key == "node_id";
        sign |= OF_STEPS.contains(&key);
    }
    id && ((list && sign) || (nodes && edges))
}

/// The key that stands at the beginning of a line or behind a bracket.
fn key_of(line: &str) -> Option<&str> {
    let (key, _) = line.split_once(':')?;
    let key = key.trim_matches([' ', '\t', '-', '[', '\u{feff}']);
    Some(key.trim_matches(['"', '\'']))
}
