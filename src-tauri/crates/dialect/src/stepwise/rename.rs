//! Another id for a step of a flow or graph file, followed by everything of the file that leads to it.

use super::{Generation, Reading};
use crate::edit::{Change, EditError, TreeError, tree_changes};
use crate::in_tree::TreeReading as _;
use crate::reading::Context;
use crate::text::TextEdit;
use crate::tree::{NodeId, Tree};
use model::Edit;

/// Fields in which a step has its id.
const IDS: [&str; 4] = ["id", "node_id", "step_id", "sidequest_id"];
/// Fields of a detour that name the steps it leaves; they may name steps of detours too.
const LEAVES: [&str; 4] = ["after", "from_nodes", "from", "inject_after"];
/// What a detour's `return` says that is no step.
const WORDS: [&str; 6] = ["resume", "source", "next", "advance", "halt", "bounce_to"];

/// What a block is, by the field that it stands in.
#[derive(Clone, Copy, PartialEq)]
enum Block {
    Root,
    Step,
    Routing,
    /// `branches`: every value is a step.
    Branches,
    Guard,
    Parallel,
    Fork,
    Edge,
    Detour,
    /// A step of a detour.
    Inner,
    /// `return_behavior`.
    Back,
    /// A condition.
    Condition,
}

/// The blocks inside of a block, and the fields of it that name steps.
fn parts(block: Block, key: &str) -> Option<Block> {
    let lists = ["detours", "suggested_detours", "suggested_injections", "sidequests"];
    let of_step = ["detours", "suggested_detours", "suggested_sidequests", "sidequests"];
    Some(match (block, key) {
        (Block::Root, "steps" | "nodes") => Block::Step,
        (Block::Root, "edges") => Block::Edge,
        (Block::Root, "parallel") => Block::Parallel,
        (Block::Root, "policy") => Block::Root,
        (Block::Root, key) if lists.contains(&key) => Block::Detour,
        (Block::Step, "routing") => Block::Routing,
        (Block::Step, key) if of_step.contains(&key) => Block::Detour,
        (Block::Routing, "when") => Block::Guard,
        (Block::Routing, "branches") => Block::Branches,
        (Block::Routing | Block::Parallel | Block::Edge, "fork_config") => Block::Fork,
        (Block::Detour, "steps") => Block::Inner,
        (Block::Detour, "return" | "return_to" | "return_behavior") => Block::Back,
        (Block::Guard | Block::Edge | Block::Detour, "condition") | (Block::Detour, "when" | "triggers") => {
            Block::Condition
        }
        _ => return None,
    })
}

fn names_steps(block: Block, key: &str) -> bool {
    match block {
        Block::Root | Block::Condition => false,
        Block::Step | Block::Inner => key == "on_reject",
        Block::Routing => [
            "next",
            "default",
            "loop_target",
            "join_point",
            "fork_targets",
            "join_from",
        ]
        .contains(&key),
        Block::Branches => true,
        Block::Guard => key == "next",
        Block::Parallel => ["fork_point", "join_point"].contains(&key),
        Block::Fork => key == "targets",
        Block::Edge => ["from", "to"].contains(&key),
        Block::Detour => {
            LEAVES.contains(&key)
                || ["target_node", "return", "return_to", "return_behavior", "on_reject"].contains(&key)
        }
        Block::Back => ["target_node", "bounce_to"].contains(&key),
    }
}

/// Whether an edit gives a step of a flow another id.
pub(super) fn is_one(reading: &Reading, edit: &Edit) -> bool {
    let Edit::Set { place, .. } = edit else { return false };
    let is_id = |path: &[String]| matches!(path, [key] if IDS.contains(&key.as_str()));
    place.step.is_some() && is_id(&place.path) && reading.generation != Generation::List
}

struct Search<'a> {
    context: Context<'a>,
    old: &'a str,
    /// It is a step of a detour: only what leaves it can name it.
    inner: bool,
    path: Vec<String>,
    found: Vec<Vec<String>>,
    /// A condition that may mean the step.
    condition: Option<String>,
}

impl Search<'_> {
    fn look(&mut self, block: Block, id: NodeId) {
        let tree = self.context.tree;
        let Some(entries) = tree.entries(id) else { return };
        for (key, value) in entries {
            let Some(key) = self.context.text(*key) else { continue };
            self.path.push(key.clone());
            if names_steps(block, &key) && (!self.inner || block == Block::Detour && LEAVES.contains(&key.as_str())) {
                let is_word = key.starts_with("return") && WORDS.contains(&self.old);
                self.named(*value, is_word);
            }
            if let Some(part) = parts(block, &key) {
                match tree.items(*value) {
                    Some(items) => {
                        for (n, item) in items.iter().enumerate() {
                            self.path.push(n.to_string());
                            self.part(part, *item);
                            self.path.pop();
                        }
                    }
                    None => self.part(part, *value),
                }
            }
            self.path.pop();
        }
    }

    fn part(&mut self, part: Block, id: NodeId) {
        match part {
            Block::Condition if self.context.tree.entries(id).is_none() => self.expression(id),
            Block::Condition => {
                let entries = self.context.tree.entries(id).unwrap_or_default();
                let texts = entries.iter().filter(|(key, _)| {
                    let key = self.context.text(*key);
                    key.as_deref() == Some("expression")
                });
                for value in texts.map(|(_, value)| *value).collect::<Vec<_>>() {
                    self.expression(value);
                }
            }
            part => self.look(part, id),
        }
    }

    /// A text, or each of a list.
    fn named(&mut self, id: NodeId, is_word: bool) {
        let items = self.context.tree.items(id);
        let is = |id: NodeId| self.context.text(id).as_deref() == Some(self.old);
        match items {
            Some(items) => {
                let which = items.iter().enumerate().filter(|(_, id)| is(**id));
                for (n, _) in which.collect::<Vec<_>>() {
                    let mut path = self.path.clone();
                    path.push(n.to_string());
                    self.found.push(path);
                }
            }
            None if !is_word && is(id) => self.found.push(self.path.clone()),
            None => {}
        }
    }

    /// An expression that asks for steps by their id: what it compares with cannot be told from other texts for sure.
    fn expression(&mut self, id: NodeId) {
        let Some(text) = self.context.text(id) else { return };
        let asks = text.contains("loops") || text.contains("step_id");
        let quoted = text.split(['\'', '"']).skip(1).step_by(2);
        if asks && quoted.flat_map(|word| word.split(':')).any(|word| word == self.old) {
            self.condition.get_or_insert(text);
        }
    }
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
        return Err(refused("an id is set, not taken away".to_owned()));
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
    let (context, root) = (Context::new(text, tree), tree.root);
    let (found, used) = tree.walk(text, path.iter().map(String::as_str));
    let old = found.filter(|_| used == path.len()).and_then(|id| context.text(id));
    let own = reading.detour(step.ordinal).is_some();
    let is_other = |other: &&model::Step| other.ordinal != step.ordinal && reading.detour(other.ordinal).is_none();
    if !own && steps.iter().filter(is_other).any(|other| other.id.as_str() == new) {
        return Err(refused(format!("another step is called `{new}`")));
    }
    let mut changes = vec![Change {
        path: path.clone(),
        value: Some(new.into()),
    }];
    // Of two steps of one id the first is meant by what leads there.
    let is_meant = own
        || reading
            .workflow
            .step(&step.id)
            .is_some_and(|meant| meant.ordinal == step.ordinal);
    if let (Some(old), Some(root)) = (old.filter(|_| is_meant), root) {
        let mut search = Search {
            context,
            old: &old,
            inner: own,
            path: Vec::new(),
            found: Vec::new(),
            condition: None,
        };
        search.look(Block::Root, root);
        if let Some(condition) = search.condition {
            return Err(refused(format!(
                "the condition `{condition}` names this step; change both in the source"
            )));
        }
        changes.extend(search.found.into_iter().map(|path| Change {
            path,
            value: Some(new.into()),
        }));
    }
    tree_changes(name, text, tree, &changes)
}

/// What follows a new id, for people; nothing where the step is named nowhere else.
pub(super) fn consequence(edit: &Edit) -> Option<String> {
    let Edit::Set { value, .. } = edit else { return None };
    Some(format!(
        "What leads to this step leads to `{}` then",
        value.as_str()?.trim()
    ))
}
