//! Graph files: `nodes` and `edges`. Each node becomes a step whose routing is made from the edges that leave it.

use super::written::{Keys, Written};
use super::{condition, config, fork};
use crate::reading::{Block, Context, gate};
use crate::tree::NodeId;
use indexmap::IndexMap;
use model::{Condition, Diagnostic, Edit, Guard, Place, Routing, Severity, Step, StepId};
use std::collections::HashMap;

/// An edge as written.
struct Edge {
    /// Position in the file.
    index: usize,
    id: String,
    to: StepId,
    kind: String,
    priority: i64,
    condition: Condition,
    /// How branches run, and what their join asks for.
    config: Vec<(NodeId, Place)>,
    fork_targets: Vec<String>,
}

/// An edge's priority where none is written (the origin's default); higher ones are tried first.
pub(super) const DEFAULT_PRIORITY: i64 = 50;

const NAMES: [Keys; 3] = [&["ui", "label"], &["name"], &["title"]];
const INTENTS: [Keys; 4] = [&["params", "objective"], &["objective"], &["role"], &["description"]];

/// What was read of a graph.
pub(super) struct Graph {
    /// Its nodes.
    pub(super) items: Vec<NodeId>,
    pub(super) steps: Vec<Step>,
    /// For every route the edge it comes from.
    pub(super) routes: IndexMap<Place, usize>,
    pub(super) written: Vec<Written>,
    /// Which nodes say how often the loops that leave them turn.
    pub(super) bounded: Vec<bool>,
}

pub(super) fn read(context: &mut Context<'_>, root: &mut Block) -> Graph {
    let mut nodes = list(context, root, "nodes");
    super::bounded(context, &mut nodes);
    let (mut steps, written): (Vec<Step>, Vec<Written>) =
        nodes.iter().enumerate().map(|(n, id)| node(context, n, *id)).unzip();
    let mut bounds: Vec<Option<u32>> = Vec::new();
    for (n, id) in nodes.iter().enumerate() {
        bounds.push(bound(context, n, *id));
    }
    let mut leaving: HashMap<String, Vec<Edge>> = HashMap::new();
    for (n, id) in list(context, root, "edges").into_iter().enumerate() {
        if let Some((from, edge)) = edge(context, n, id) {
            leaving.entry(from).or_default().push(edge);
        }
    }
    let mut routes = IndexMap::new();
    let (mut configs, mut joins) = (Vec::new(), Vec::new());
    for step in &mut steps {
        let edges = leaving.remove(step.id.as_str()).unwrap_or_default();
        for edge in &edges {
            let place = Place::document().field("edges").field(edge.index.to_string());
            let config = edge.config.clone();
            match edge.kind.as_str() {
                "fork" => configs.push((step.ordinal, config)),
                "join" => joins.push(fork::Join {
                    at: edge.to.clone(),
                    place: place.field("type"),
                    config,
                    from: Vec::new(),
                }),
                _ => {}
            }
        }
        let bound = bounds[step.ordinal];
        if bound.is_some() && edges.iter().all(|edge| edge.kind != "loop") {
            let said = "`max_iterations` is kept, not carried out: no loop leaves this node";
            let help = "Write it on the node that the edge of the kind `loop` leaves";
            let place = Place::step(step.ordinal).field("params").field("max_iterations");
            context.report("GH0502", Severity::Warning, place, said, Some(help));
        }
        step.routing = route(context, step.ordinal, edges, bound, &mut routes);
    }
    fork::connect(context, &mut steps, &configs, &joins);
    let mut strays: Vec<(usize, String)> = leaving
        .into_iter()
        .flat_map(|(from, edges)| edges.into_iter().map(move |e| (e.index, from.clone())))
        .collect();
    strays.sort();
    for (index, from) in strays {
        let place = Place::document().field("edges").field(index.to_string()).field("from");
        let said = format!("This edge leaves a node that does not exist: `{from}`");
        context.report(
            "GH0112",
            Severity::Error,
            place,
            said,
            Some("Correct `from`, or remove the edge"),
        );
    }
    Graph {
        items: nodes,
        steps,
        routes,
        written,
        bounded: bounds.iter().map(Option::is_some).collect(),
    }
}

/// How often the loops that leave a node turn.
fn bound(context: &mut Context<'_>, ordinal: usize, id: NodeId) -> Option<u32> {
    let block = Block::open(context, id, Place::step(ordinal));
    let params = block.peek(context, "params").filter(|id| context.is_map(*id))?;
    let otherwise = format!("its loops turn {} times at most", model::routing::BACK_EDGE_BOUND);
    Block::open(context, params, block.place("params")).count(context, "max_iterations", &otherwise)
}

fn list(context: &mut Context<'_>, root: &mut Block, key: &str) -> Vec<NodeId> {
    let Some(id) = root.take(context, key) else {
        return Vec::new();
    };
    match context.tree.items(id) {
        Some(items) => items.to_vec(),
        None => {
            let said = format!("`{key}` is not a list");
            context.report("GH0105", Severity::Error, Place::document().field(key), said, None);
            Vec::new()
        }
    }
}

fn node(context: &mut Context<'_>, ordinal: usize, id: NodeId) -> (Step, Written) {
    let place = Place::step(ordinal);
    let mut block = Block::open(context, id, place.clone());
    let given = block
        .text(context, "node_id")
        .or_else(|| block.text(context, "id"))
        .filter(|id| !id.is_empty());
    if given.is_none() {
        let said = format!("Node {} has no node_id", ordinal + 1);
        context.report(
            "GH0106",
            Severity::Error,
            place,
            said,
            Some("Give it one, unique in this graph"),
        );
    }
    let mut step = Step::new(given.unwrap_or_else(|| format!("step-{}", ordinal + 1)), ordinal);
    let (name, at_name) = first(context, &mut block, &NAMES);
    if let Some(name) = name {
        step.name = name;
    }
    let (intent, at_intent) = first(context, &mut block, &INTENTS);
    step.intent = intent;
    let names = agents(context, &mut block);
    (step.agents, step.parallel) = config::crew(context, &mut block, names);
    step.inputs = config::paths(context, &mut block, "inputs");
    step.outputs = config::outputs(context, &mut block);
    step.phase = block.text(context, "phase");
    step.retries = block.retries(context, "retries");
    step.timeout_ms = block.seconds(context, "timeout_seconds", "the project's own limit is used");
    step.terminal = block.flag(context, "terminal");
    step.gate = gate::read(context, &mut block, "human_gate");
    step.fields = block.rest(context);
    let written = Written {
        name: at_name,
        intent: at_intent,
    };
    (step, written)
}

/// The first of several fields that a node has, and its keys; where it has none, the keys at which it would stand.
fn first(context: &mut Context<'_>, block: &mut Block, keys: &[Keys]) -> (Option<String>, Keys) {
    for path in keys {
        let found = match path {
            [key] => block.text(context, key),
            [outer, key] => nested(context, block, outer, key),
            _ => None,
        };
        if found.is_some() {
            return (found, path);
        }
    }
    (None, keys[0])
}

fn nested(context: &Context<'_>, block: &Block, outer: &str, key: &str) -> Option<String> {
    let id = block.peek(context, outer)?;
    let inner = Block::open(context, id, block.place(outer)).peek(context, key)?;
    context.text(inner)
}

/// Who does a node: whom it names itself, else the station it asks for, else its template.
fn agents(context: &mut Context<'_>, block: &mut Block) -> Vec<String> {
    let mut names = block.texts(context, "agents");
    for key in ["agent", "station"] {
        names.extend(block.text(context, key));
    }
    let of_template = |block: &Block| block.peek(context, "template_id").and_then(|id| context.text(id));
    if names.is_empty() {
        names.extend(nested(context, block, "overrides", "station_id").or_else(|| of_template(block)));
    }
    names.retain(|name| !name.is_empty());
    names
}

fn edge(context: &mut Context<'_>, index: usize, id: NodeId) -> Option<(String, Edge)> {
    let place = Place::document().field("edges").field(index.to_string());
    let mut block = Block::open(context, id, place.clone());
    let (from, to) = (block.text(context, "from"), block.target(context, "to"));
    let (Some(from), Some(to)) = (from, to) else {
        context.report(
            "GH0112",
            Severity::Error,
            place,
            "This edge does not say where it leads from and to",
            None,
        );
        return None;
    };
    let condition = match block.take(context, "condition") {
        Some(id) => condition::read(context, id, block.place("condition")),
        None => Condition::Always,
    };
    let priority = block.whole(context, "priority", &format!("it counts as {DEFAULT_PRIORITY}"));
    let config: Vec<(NodeId, Place)> = ["fork_config", "join_config"]
        .into_iter()
        .filter_map(|key| Some((block.peek(context, key)?, block.place(key))))
        .collect();
    let targets = |(id, place): &(NodeId, Place)| Block::open(context, *id, place.clone());
    let blocks: Vec<Block> = config.iter().map(targets).collect();
    let fork_targets = blocks
        .into_iter()
        .flat_map(|mut block| block.texts(context, "targets"))
        .collect();
    let kind = kind(context, &mut block);
    configured(context, &block, &kind);
    let edge = Edge {
        index,
        id: text_of(context, &mut block, ["edge_id", "id"]).unwrap_or_default(),
        to,
        kind,
        priority: priority.unwrap_or(DEFAULT_PRIORITY),
        condition,
        config,
        fork_targets,
    };
    Some((from, edge))
}

/// The kind of an edge. Two words for it that say differently are an error.
fn kind(context: &mut Context<'_>, block: &mut Block) -> String {
    let [first, second] = ["type", "kind"].map(|key| block.text(context, key));
    if let (Some(first), Some(second)) = (&first, &second)
        && first != second
    {
        let said = format!("`type` and `kind` of this edge say differently what it is: `{first}`, `{second}`");
        let help = "This workflow does not start. Keep one of the two";
        context.report("GH0501", Severity::Error, block.place("kind"), said, Some(help));
    }
    first.or(second).unwrap_or_else(|| "sequence".to_owned())
}

/// How branches run is read of edges that fork, and what a join asks for of those and of edges that join.
fn configured(context: &mut Context<'_>, block: &Block, kind: &str) {
    for (key, read, right) in [
        ("fork_config", &["fork"][..], "fork"),
        ("join_config", &["fork", "join"], "join"),
    ] {
        let says = block.peek(context, key).is_some_and(|id| !context.says_nothing(id));
        if !says || read.contains(&kind) {
            continue;
        }
        let said = match right {
            "fork" => "`fork_config` stands on an edge that is no fork: no branches would begin because of it",
            _ => {
                "`join_config` stands on an edge that is no join: the branches would be counted as if it were not there"
            }
        };
        let key_of_kind = if block.has(context, "kind") && !block.has(context, "type") {
            "kind"
        } else {
            "type"
        };
        let found = Diagnostic::new("GH0115", Severity::Error, block.place(key), said).help(format!(
            "This workflow does not start. Write `type: {right}` on this edge, or remove the block"
        ));
        let edit = Edit::Set {
            place: block.place(key_of_kind),
            value: right.into(),
        };
        context.push(found.fix(format!("Set `{key_of_kind}: {right}`"), edit));
    }
}

/// The first of two fields that stands there.
fn text_of(context: &mut Context<'_>, block: &mut Block, keys: [&str; 2]) -> Option<String> {
    keys.into_iter().find_map(|key| block.text(context, key))
}

/// The fork of a node: the branches that its edges name, each once.
fn branches(context: &mut Context<'_>, place: &Place, edges: &[Edge], routes: &mut IndexMap<Place, usize>) -> Routing {
    let forks = edges.iter().filter(|e| e.kind == "fork");
    let mut targets: Vec<(String, usize)> = Vec::new();
    for fork in forks {
        let named = fork.fork_targets.iter().map(|to| (to.clone(), fork.index));
        targets.extend(named.chain([(fork.to.to_string(), fork.index)]));
    }
    for edge in edges {
        if edge.condition != Condition::Always || edge.kind == "loop" {
            let place = Place::document().field("edges").field(edge.index.to_string());
            let said = match edge.kind.as_str() {
                "fork" => "The condition of an edge that forks is not asked: all branches begin, always",
                _ => "An edge with a condition beside a fork is not carried out: all branches begin, always",
            };
            let help = "This workflow does not start. Let a node before the fork decide";
            context.report("GH0501", Severity::Error, place, said, Some(help));
        }
        if edge.kind != "fork" {
            targets.push((edge.to.to_string(), edge.index));
        }
    }
    let mut names: Vec<String> = Vec::new();
    for (to, index) in targets {
        // The edge that leads there says it better than the list of the fork.
        let own = edges
            .iter()
            .find(|edge| edge.to.as_str() == to)
            .map_or(index, |edge| edge.index);
        if !names.contains(&to) {
            routes.insert(place.clone().field("fork_targets").field(names.len().to_string()), own);
            names.push(to);
        }
    }
    fork::fork(names, None)
}

/// Edges behind one without a condition: that one is followed before they are asked.
fn unasked(context: &mut Context<'_>, edges: &[Edge]) {
    let is_always = |edge: &&Edge| edge.condition == Condition::Always && edge.kind != "loop";
    let Some(first) = edges.iter().position(|edge| is_always(&edge)) else {
        return;
    };
    // Two without a condition are told of together.
    if let Some(edge) = edges[first + 1..].iter().find(|edge| !is_always(edge)) {
        let place = Place::document().field("edges").field(edge.index.to_string());
        let said = format!(
            "The edge to `{}` is never asked: one without a condition, to `{}`, is followed before it",
            edge.to, edges[first].to
        );
        let help = "This workflow does not start. Give the edge with the condition the higher `priority`";
        context.report("GH0501", Severity::Error, place, said, Some(help));
    }
}

/// The routing of a node: its edges by priority (then by id), the last one without a condition being the way out.
fn route(
    context: &mut Context<'_>,
    ordinal: usize,
    mut edges: Vec<Edge>,
    bound: Option<u32>,
    routes: &mut IndexMap<Place, usize>,
) -> Routing {
    if edges.is_empty() {
        return Routing::Terminal;
    }
    let place = Place::step(ordinal).field("routing");
    edges.sort_by(|a, b| b.priority.cmp(&a.priority).then_with(|| a.id.cmp(&b.id)));
    if edges.iter().any(|e| e.kind == "fork") {
        return branches(context, &place, &edges, routes);
    }
    if edges.len() == 1 && edges[0].condition == Condition::Always && edges[0].kind != "loop" {
        let edge = edges.remove(0);
        routes.insert(place.field("next"), edge.index);
        return Routing::Linear { next: Some(edge.to) };
    }
    unasked(context, &edges);
    let last = edges
        .iter()
        .rposition(|e| e.condition == Condition::Always && e.kind != "loop");
    let next = last.filter(|at| *at + 1 == edges.len()).and_then(|_| edges.pop());
    let next = next.map(|edge| {
        routes.insert(place.clone().field("default"), edge.index);
        edge.to
    });
    let guards = edges
        .into_iter()
        .enumerate()
        .map(|(n, edge)| {
            routes.insert(
                place.clone().field("when").field(n.to_string()).field("next"),
                edge.index,
            );
            Guard {
                condition: edge.condition,
                to: edge.to,
                back: edge.kind == "loop",
                most: bound.unwrap_or(model::routing::BACK_EDGE_BOUND),
            }
        })
        .collect();
    Routing::Guarded { guards, next }
}
