//! Lists of flows (`flows.yaml`: the flows of one run, in their order), and what a flow says of the one that follows it.

use super::condition;
use crate::document::ListedFlow;
use crate::reading::{Block, Context};
use crate::tree::NodeId;
use model::{Condition, Destination, Onward, Place, Routing, Severity, Step, StepId, Work};

/// Whether the outermost level of a file is a list of flows: every one has a key, and nothing else is to be done.
pub(super) fn is_one(context: &Context<'_>, root: &Block) -> bool {
    if root.has(context, "steps") || root.has(context, "nodes") {
        return false;
    }
    let items = root.peek(context, "flows").and_then(|id| context.tree.items(id));
    items.is_some_and(|items| {
        let keyed = |id: &NodeId| {
            let flow = Block::open(context, *id, Place::document());
            let key = flow.peek(context, "key").and_then(|id| context.text(id));
            key.is_some_and(|key| is_key(key.trim()))
        };
        !items.is_empty() && items.iter().all(keyed)
    })
}

/// A key is a name: it becomes a folder of the run, and the beginning of its steps' ids.
fn is_key(key: &str) -> bool {
    !key.is_empty() && !key.starts_with('.') && key.chars().all(is_of_key)
}

fn is_of_key(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// A name as a key: what a key cannot hold becomes `-`. Of a path its last part counts, without the ending of its file.
pub fn key_of(name: &str) -> String {
    let last = match name.rsplit_once('/') {
        Some((_, file)) => file.split('.').next().unwrap_or(file),
        None => name,
    };
    let letters = last.trim().trim_start_matches('.').chars();
    let key: String = letters.map(|c| if is_of_key(c) { c } else { '-' }).collect();
    if key.is_empty() { "flow".to_owned() } else { key }
}

/// Words of `next_flow` that name no flow.
pub(super) const ENDS: [&str; 4] = ["end", "none", "return", "pause"];

/// One flow of a list, as a step: what is drawn of the list itself.
pub(super) fn step(context: &mut Context<'_>, ordinal: usize, id: NodeId) -> (Step, ListedFlow, Option<u32>) {
    let mut block = Block::open(context, id, Place::step(ordinal));
    let key = block.text(context, "key").unwrap_or_default().trim().to_owned();
    let title = block.text(context, "title").or_else(|| block.text(context, "name"));
    let short = block.text(context, "short_title");
    let file = block.text(context, "file").filter(|file| !file.trim().is_empty());
    let in_order = block.peek(context, "is_sdlc").is_none() || block.flag(context, "is_sdlc");
    let utility = block.flag(context, "is_utility") || !in_order;
    let index = block.count(context, "index", "it stands where it is written");
    let mut step = Step::new(key.as_str(), ordinal);
    if let Some(title) = title.clone().or(short) {
        step.name = title;
    }
    step.intent = block.text(context, "description");
    step.work = Work::SubWorkflow {
        files: file.clone().into_iter().collect(),
    };
    step.jump_only = utility;
    step.fields = block.rest(context);
    let listed = ListedFlow {
        key,
        title,
        file,
        utility,
    };
    (step, listed, index)
}

/// Leads each flow of a list to the one that follows it; the keys of those that are led, in their order.
pub(super) fn lead(steps: &mut [Step], indices: &[Option<u32>]) -> Vec<String> {
    let mut order: Vec<usize> = (0..steps.len()).filter(|n| !steps[*n].jump_only).collect();
    if order.iter().all(|n| indices[*n].is_some()) {
        order.sort_by_key(|n| indices[*n]);
    }
    let ids: Vec<StepId> = order.iter().map(|n| steps[*n].id.clone()).collect();
    for step in steps.iter_mut() {
        step.routing = Routing::Terminal;
    }
    for (place, n) in order.iter().enumerate() {
        steps[*n].routing = Routing::Linear {
            next: ids.get(place + 1).cloned(),
        };
    }
    ids.iter().map(ToString::to_string).collect()
}

/// What follows a flow (`on_complete`, `on_failure`); `None` where it says nothing of it. Where it leads is a name as it
/// is written: who reads several flows together finds the one that is meant.
pub(super) fn onward(context: &mut Context<'_>, root: &Block, key: &str) -> Option<Onward> {
    let id = root.peek(context, key)?;
    if !context.is_map(id) {
        return None;
    }
    let place = root.place(key);
    let mut block = Block::open(context, id, place.clone());
    if !block.has(context, "next_flow") {
        return None;
    }
    let named = block.text(context, "next_flow");
    if named.as_deref().is_some_and(|name| name.trim().is_empty()) {
        let said = format!("`next_flow` of `{key}` is empty: no flow would follow");
        let help = "This workflow does not start. Name a flow, or write `next_flow: null` to let the run end here";
        context.report("GH0505", Severity::Error, block.place("next_flow"), said, Some(help));
    }
    let to = match named.as_deref().map(str::trim) {
        None | Some("" | "end" | "none") => Destination::End,
        Some("return") => Destination::Return,
        Some("pause") => Destination::Pause,
        Some(name) => Destination::Part(name.to_owned()),
    };
    let condition = block.take(context, "condition");
    let condition = condition.map(|id| condition::read(context, id, block.place("condition")));
    let reason = block.text(context, "reason");
    Some(Onward {
        to,
        condition: condition.filter(|condition| *condition != Condition::Always),
        reason,
    })
}
