//! Every place of a flow or graph file that names a step: one table, for what follows a new id and for what gestures lead elsewhere.

use super::detour::{LEAVES, LISTS, OF_STEP, RETURNS};
use crate::reading::Context;
use crate::tree::NodeId;

/// As what a step is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    /// What follows, or what follows otherwise.
    Next,
    Back,
    /// The way of a value.
    Value(String),
    /// The way of a condition, by its position.
    Guard,
    /// A branch of a fork.
    Branch,
    /// Where branches meet.
    Join,
    /// A step that leads to a join.
    From,
    Rejected,
    /// An end of an edge of a graph, by its position.
    Edge,
    /// A detour leaves it for a while. Only this can name a step of another detour.
    Left,
    /// A detour leads to it.
    Detour,
    /// The block `parallel`.
    Parallel,
}

/// A place that names a step.
#[derive(Debug, Clone)]
pub(super) struct Mention {
    /// Keys from the root of the file.
    pub(super) path: Vec<String>,
    /// The step it stands in, by its position.
    pub(super) owner: Option<usize>,
    /// The id as written.
    pub(super) to: String,
    pub(super) what: Named,
}

/// All of them, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    pub(super) all: Vec<Mention>,
    /// The conditions that are expressions: what they compare with may be the id of a step.
    pub(super) expressions: Vec<String>,
}

/// What a detour's `return` says that is no step.
const WORDS: [&str; 6] = ["resume", "source", "next", "advance", "halt", "bounce_to"];

/// What a block is, by the field that it stands in.
#[derive(Clone, Copy, PartialEq)]
enum Block {
    Root,
    Policy,
    Step,
    Routing,
    /// `branches`: every value is a step.
    Branches,
    Guard,
    Parallel,
    /// `fork_config` of `parallel`.
    Beside,
    /// `fork_config` of a step or an edge. An edge has the branches of its fork in `join_config` too.
    Fork,
    Edge,
    Detour,
    /// A step of a detour.
    Inner,
    /// A detour's `return` with fields of its own.
    Back,
    Condition,
}

/// The block that a field of a block holds. `list`: the field with the steps.
fn part(block: Block, key: &str, list: &str) -> Option<Block> {
    Some(match (block, key) {
        (Block::Root, key) if key == list => Block::Step,
        (Block::Root, "edges") if list == "nodes" => Block::Edge,
        (Block::Root, "parallel") => Block::Parallel,
        (Block::Root, "policy") => Block::Policy,
        (Block::Root | Block::Policy, key) if LISTS.contains(&key) => Block::Detour,
        (Block::Step, "routing") => Block::Routing,
        (Block::Step, key) if OF_STEP.contains(&key) => Block::Detour,
        (Block::Routing, "when") => Block::Guard,
        (Block::Routing, "branches") => Block::Branches,
        (Block::Parallel, "fork_config") => Block::Beside,
        (Block::Routing | Block::Edge, "fork_config") | (Block::Edge, "join_config") => Block::Fork,
        (Block::Detour, "steps") => Block::Inner,
        (Block::Detour, key) if RETURNS.contains(&key) => Block::Back,
        (Block::Guard | Block::Edge | Block::Detour, "condition") | (Block::Detour, "when" | "triggers") => {
            Block::Condition
        }
        _ => return None,
    })
}

/// As what the text in a field of a block, or each of its list, names a step.
fn named(block: Block, key: &str) -> Option<Named> {
    Some(match (block, key) {
        (Block::Step, "on_reject") => Named::Rejected,
        (Block::Routing, "next" | "default") => Named::Next,
        (Block::Routing, "loop_target") => Named::Back,
        (Block::Routing, "join_point") => Named::Join,
        (Block::Routing, "join_from") => Named::From,
        (Block::Routing, "fork_targets") | (Block::Fork, "targets") => Named::Branch,
        (Block::Branches, value) => Named::Value(value.to_owned()),
        (Block::Guard, "next") => Named::Guard,
        (Block::Parallel, "fork_point" | "join_point") | (Block::Beside, "targets") => Named::Parallel,
        (Block::Edge, "from" | "to") => Named::Edge,
        (Block::Detour, key) if LEAVES.contains(&key) => Named::Left,
        (Block::Detour, key) if RETURNS.contains(&key) => Named::Detour,
        (Block::Detour, "target_node" | "on_reject")
        | (Block::Inner, "on_reject")
        | (Block::Back, "target_node" | "bounce_to" | "mode") => Named::Detour,
        _ => return None,
    })
}

/// Whether a field says with a word of the format where a detour leads, and names a step where it is none of them.
fn has_words(block: Block, key: &str) -> bool {
    match block {
        Block::Detour => RETURNS.contains(&key),
        Block::Back => key == "mode",
        _ => false,
    }
}

/// All of a file. `list`: the field with its steps.
pub(super) fn all(context: &Context<'_>, list: &str) -> Mentions {
    let mut search = Search {
        context,
        list,
        path: Vec::new(),
        owner: None,
        found: Mentions::default(),
    };
    if let Some(root) = context.tree.root {
        search.look(Block::Root, root);
    }
    search.found
}

struct Search<'a> {
    context: &'a Context<'a>,
    list: &'a str,
    path: Vec<String>,
    owner: Option<usize>,
    found: Mentions,
}

impl Search<'_> {
    fn look(&mut self, block: Block, id: NodeId) {
        let tree = self.context.tree;
        let Some(entries) = tree.entries(id) else { return };
        for (key, value) in entries {
            let Some(key) = self.context.text(*key) else { continue };
            self.path.push(key.clone());
            let items = tree.items(*value);
            if let Some(what) = named(block, &key) {
                match items {
                    Some(items) => self.each(items, |search, item| search.one(item, &what)),
                    None if has_words(block, &key) && self.is_word(*value) => {}
                    None => self.one(*value, &what),
                }
            }
            if let Some(part) = part(block, &key, self.list) {
                match items {
                    Some(items) => self.each(items, |search, item| search.inside(part, item)),
                    None => self.inside(part, *value),
                }
            }
            self.path.pop();
        }
    }

    fn each(&mut self, items: &[NodeId], mut with: impl FnMut(&mut Self, NodeId)) {
        for (n, item) in items.iter().enumerate() {
            self.path.push(n.to_string());
            with(self, *item);
            self.path.pop();
        }
    }

    fn inside(&mut self, part: Block, id: NodeId) {
        match part {
            Block::Step => {
                self.owner = self.path.last().and_then(|n| n.parse().ok());
                self.look(part, id);
                self.owner = None;
            }
            Block::Condition => {
                let entries = self.context.tree.entries(id);
                let texts = entries.map_or(vec![id], |entries| {
                    let is_text = |key: NodeId| self.context.text(key).as_deref() == Some("expression");
                    let texts = entries.iter().filter(|(key, _)| is_text(*key));
                    texts.map(|(_, value)| *value).collect()
                });
                let texts = texts.into_iter().filter_map(|id| self.context.text(id));
                self.found.expressions.extend(texts);
            }
            part => self.look(part, id),
        }
    }

    fn is_word(&self, id: NodeId) -> bool {
        let text = self.context.text(id);
        text.is_some_and(|text| WORDS.contains(&text.trim()))
    }

    fn one(&mut self, id: NodeId, what: &Named) {
        let Some(to) = self.context.text(id).filter(|to| !to.is_empty()) else {
            return;
        };
        self.found.all.push(Mention {
            path: self.path.clone(),
            owner: self.owner,
            to,
            what: what.clone(),
        });
    }
}
