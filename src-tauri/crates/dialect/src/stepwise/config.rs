//! Steps of config and spec flows.

use super::written::Written;
use super::{Generation, routing};
use crate::reading::{Block, Context, gate, made_inside, texts};
use crate::tree::NodeId;
use model::{AgentKey, Place, Severity, Step};
use serde_json::Value;
use std::collections::HashSet;

/// A flow is of the later generation when its steps name stations, or route by `exit_on` or `when`.
pub(super) fn generation(context: &Context<'_>, root: &Block, items: &[NodeId]) -> Generation {
    let keyed = root.has(context, "key");
    let is_spec = items.iter().any(|id| {
        let step = Block::open(context, *id, Place::document());
        let later = |routing: NodeId| {
            let routing = Block::open(context, routing, Place::document());
            routing.has(context, "exit_on") || routing.has(context, "when")
        };
        step.has(context, "station")
            || (!keyed && step.has(context, "objective"))
            || step.peek(context, "routing").is_some_and(later)
    });
    if is_spec { Generation::Spec } else { Generation::Config }
}

/// Where an entry of `steps` has what people edit: what a file calls it, it keeps calling so.
pub(super) fn written(context: &Context<'_>, id: NodeId, generation: Generation) -> Written {
    let block = Block::open(context, id, Place::document());
    let has = |key: &str| block.has(context, key);
    Written {
        name: match has("title") && !has("name") {
            true => &["title"],
            false => &["name"],
        },
        intent: match (has("role"), has("objective"), generation) {
            (true, ..) => &["role"],
            (false, true, _) | (_, _, Generation::Spec) => &["objective"],
            _ => &["role"],
        },
    }
}

/// One entry of `steps`. Whatever stands there becomes a step, so that positions in the file and in the model agree.
pub(super) fn step(context: &mut Context<'_>, ordinal: usize, id: NodeId, generation: Generation) -> Step {
    let place = Place::step(ordinal);
    let placeholder = format!("step-{}", ordinal + 1);
    if !context.is_map(id) {
        let said = format!("Step {} is not a list of fields", ordinal + 1);
        context.report(
            "GH0106",
            Severity::Error,
            place,
            said,
            Some("Write `- id: a_name` and the step's fields below it"),
        );
        return Step::new(context.text(id).unwrap_or(placeholder), ordinal);
    }
    let mut block = Block::open(context, id, place.clone());
    let given = block.text(context, "id").filter(|id| !id.is_empty());
    if given.is_none() {
        let said = format!("Step {} has no id", ordinal + 1);
        context.report(
            "GH0106",
            Severity::Error,
            place,
            said,
            Some("Give it one: `id: a_name`, unique in this flow"),
        );
    }
    let mut step = Step::new(given.unwrap_or(placeholder), ordinal);
    body(context, &mut block, &mut step);
    let (routing, left) = routing::read(context, &mut block, generation);
    step.routing = routing;
    step.fields = block.rest(context);
    if !left.is_empty() {
        step.fields
            .insert("routing".to_owned(), Value::Object(left.into_iter().collect()));
    }
    step
}

/// What every step of a flow has, but its id and its routing.
pub(super) fn body(context: &mut Context<'_>, block: &mut Block, step: &mut Step) {
    if let Some(name) = block.text(context, "name") {
        step.name = name;
    } else if let Some(title) = block.peek(context, "title").and_then(|id| context.text(id)) {
        // Stays among the fields too: an edit of the name must know which of the two keys to write.
        step.name = title;
    }
    // A step belongs to its station; who is named beside it works too.
    let mut agents: Vec<String> = Vec::new();
    let named = block.texts(context, "agents");
    let named = named.into_iter().chain(block.text(context, "agent"));
    agents.extend(block.text(context, "station"));
    agents.extend(named);
    (step.agents, step.parallel) = crew(context, block, agents);
    step.intent = ["role", "objective"]
        .into_iter()
        .filter_map(|key| block.text(context, key))
        .next();
    if step.intent.is_none() {
        step.intent = block.text(context, "description");
    }
    step.inputs = paths(context, block, "inputs");
    step.outputs = outputs(context, block);
    step.phase = block.text(context, "phase");
    step.gate = gate::read(context, block, "human_gate");
    step.retries = block.retries(context, "retries");
    step.timeout_ms = block.seconds(context, "timeout_seconds", "the project's own limit is used");
    step.terminal = block.flag(context, "terminal");
}

/// The paths of `outputs`, of which none leads out of the project.
pub(super) fn outputs(context: &mut Context<'_>, block: &mut Block) -> Vec<String> {
    let outputs = paths(context, block, "outputs");
    made_inside(context, &block.place("outputs"), &outputs);
    outputs
}

/// `inputs` or `outputs` of the step, else of its teaching notes. Structured ones (a mapping) stay among the fields.
pub(super) fn paths(context: &mut Context<'_>, block: &mut Block, key: &str) -> Vec<String> {
    match block.peek(context, key) {
        Some(id) if context.is_map(id) => Vec::new(),
        Some(_) => block.texts(context, key),
        None => {
            let Some(notes) = block.peek(context, "teaching_notes") else {
                return Vec::new();
            };
            let place = block.place("teaching_notes");
            let notes = Block::open(context, notes, place);
            match notes.peek(context, key) {
                Some(id) => texts(context, id, notes.place(key)),
                None => Vec::new(),
            }
        }
    }
}

/// The agents of a step, each once, and whether they work together. Of one agent `parallel` says nothing, and is kept.
pub(super) fn crew(context: &mut Context<'_>, block: &mut Block, names: Vec<String>) -> (Vec<AgentKey>, bool) {
    let mut agents: Vec<AgentKey> = Vec::new();
    let mut seen = HashSet::new();
    for name in names {
        if seen.insert(name.clone()) {
            agents.push(AgentKey::new(name));
        }
    }
    let together = agents.len() > 1 && block.flag(context, "parallel");
    (agents, together)
}
