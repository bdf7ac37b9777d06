//! The `routing` block of a step.

use super::{Generation, condition, fork};
use crate::reading::{Block, Context};
use crate::said::shortened;
use crate::tree::NodeId;
use indexmap::IndexMap;
use model::routing::{DEFAULT_MAX_ITERATIONS, DEFAULT_MAX_ITERATIONS_SPEC};
use model::{Branch, Condition, Diagnostic, Edit, Fields, Guard, Microloop, Place, Routing, Severity, StepId};
use serde_json::Value;

/// The routing of a step and what the block held besides.
pub(super) fn read(context: &mut Context<'_>, step: &mut Block, generation: Generation) -> (Routing, Fields) {
    let Some(id) = step.take(context, "routing") else {
        return (Routing::Sequence, Fields::new());
    };
    if context.is_null(id) {
        return (Routing::Sequence, Fields::new());
    }
    let place = step.place("routing");
    if !context.is_map(id) {
        context.wrong_type(
            place,
            "a block with `kind` and `next`",
            "the next step in the file follows",
        );
        return (Routing::Sequence, Fields::new());
    }
    let mut block = Block::open(context, id, place.clone());
    let kind = match block.peek(context, "kind") {
        Some(id) if !context.is_null(id) => block.text(context, "kind").unwrap_or_default(),
        _ => {
            block.take(context, "kind");
            context.report(
                "GH0107",
                Severity::Warning,
                place.clone(),
                "This routing has no `kind`; it is read as linear",
                Some("Add `kind: linear`, `kind: microloop` or `kind: branch`"),
            );
            "linear".to_owned()
        }
    };
    let spec = generation == Generation::Spec;
    let routing = match kind.as_str() {
        "linear" => Routing::Linear {
            next: block.target(context, "next"),
        },
        "microloop" => Routing::Microloop(microloop(context, &mut block, spec)),
        "branch" if block.has(context, "when") => guarded(context, &mut block),
        "branch" => Routing::Branch(branch(context, &mut block)),
        "terminal" => Routing::Terminal,
        "fork" if block.has(context, "fork_targets") || block.has(context, "fork_config") => {
            match fork::read(context, &mut block) {
                Some(fork) => fork,
                None => return (unknown(context, kind, block), Fields::new()),
            }
        }
        "join" => {
            fork::take_join(context, &mut block);
            Routing::Linear {
                next: block.target(context, "next"),
            }
        }
        _ => {
            return (unknown(context, kind, block), Fields::new());
        }
    };
    (routing, block.rest(context))
}

/// That it is not carried out is said by the table of fields.
fn unknown(context: &mut Context<'_>, kind: String, mut block: Block) -> Routing {
    let next = block.target(context, "next");
    Routing::Unknown {
        kind,
        next,
        fields: block.rest(context),
    }
}

fn microloop(context: &mut Context<'_>, block: &mut Block, spec: bool) -> Microloop {
    let default = if spec {
        DEFAULT_MAX_ITERATIONS_SPEC
    } else {
        DEFAULT_MAX_ITERATIONS
    };
    Microloop {
        loop_target: block.target(context, "loop_target"),
        condition_field: block
            .text(context, "loop_condition_field")
            .filter(|field| !field.is_empty()),
        success_values: success_values(context, block),
        max_iterations: block
            .count(context, "max_iterations", &format!("{default} is used"))
            .unwrap_or(default),
        next: block.target(context, "next"),
        exit_on: exit_on(context, block),
    }
}

/// Values are compared as text. A boolean in the file becomes the word a reported boolean is compared as (`True`).
fn success_values(context: &mut Context<'_>, block: &mut Block) -> Vec<String> {
    let Some(id) = block.peek(context, "loop_success_values") else {
        return Vec::new();
    };
    if let Some(value) = context.text(id) {
        let place = block.place("loop_success_values");
        let said = format!(
            "`loop_success_values` should be a list; it is read as the one value `{}`",
            shortened(&value)
        );
        let edit = Edit::Set {
            place: place.clone(),
            value: vec![value].into(),
        };
        context.push(
            Diagnostic::new("GH0104", Severity::Warning, place, said)
                .help("Write `loop_success_values: [VERIFIED]`")
                .fix("Make it a list", edit),
        );
    }
    let items: Vec<NodeId> = context.tree.items(id).map_or_else(|| vec![id], <[NodeId]>::to_vec);
    let written = block.texts(context, "loop_success_values");
    if items.len() != written.len() {
        return written;
    }
    let words = items.iter().zip(written);
    words
        .map(|(id, text)| match context.scalar(*id) {
            Value::Bool(true) => "True".to_owned(),
            Value::Bool(false) => "False".to_owned(),
            _ => text,
        })
        .collect()
}

fn exit_on(context: &mut Context<'_>, block: &mut Block) -> IndexMap<String, Vec<Value>> {
    let Some(id) = block.take(context, "exit_on") else {
        return IndexMap::new();
    };
    match context.value(id) {
        Value::Object(map) => map
            .into_iter()
            .map(|(field, value)| match value {
                Value::Array(values) => (field, values),
                one => (field, vec![one]),
            })
            .collect(),
        Value::Null => IndexMap::new(),
        _ => {
            context.wrong_type(
                block.place("exit_on"),
                "a list of fields with the values that end the loop",
                "it is not used",
            );
            IndexMap::new()
        }
    }
}

fn branch(context: &mut Context<'_>, block: &mut Block) -> Branch {
    let field = block.text(context, "branch_field").filter(|field| !field.is_empty());
    let mut branches = IndexMap::new();
    if let Some(id) = block.take(context, "branches") {
        let place = block.place("branches");
        never_taken(context, id, &place);
        match context.value(id) {
            Value::Object(map) => {
                for (value, to) in map {
                    match to {
                        Value::String(to) if !to.is_empty() => {
                            branches.insert(value, StepId::new(to));
                        }
                        Value::Number(to) => {
                            branches.insert(value, StepId::new(to.to_string()));
                        }
                        _ => context.wrong_type(
                            place.clone().field(value),
                            "the id of a step",
                            "this branch is not taken",
                        ),
                    }
                }
            }
            Value::Null => {}
            _ => context.wrong_type(place, "a list of values, each with the id of a step", "it is not used"),
        }
    }
    let next = block
        .target(context, "next")
        .or_else(|| block.target(context, "default"));
    Branch { field, branches, next }
}

/// Names ways under a name that is no value: what is not reported, and what is reported as null, takes none of the ways.
fn never_taken(context: &mut Context<'_>, branches: NodeId, place: &Place) {
    let entries = context.tree.entries(branches).unwrap_or(&[]).to_vec();
    for (key, _) in entries {
        if !context.is_null(key) {
            continue;
        }
        let written = context.tree.key(context.source(), key).to_owned();
        let said = format!("The way under `{written}` is not taken when nothing is reported, nor when null is");
        let help = "Say where what is not reported leads with `next`; a text that is reported is written in quotes";
        context.report(
            "GH0502",
            Severity::Warning,
            place.clone().field(written),
            said,
            Some(help),
        );
    }
}

fn guarded(context: &mut Context<'_>, block: &mut Block) -> Routing {
    let next = block
        .target(context, "default")
        .or_else(|| block.target(context, "next"));
    let place = block.place("when");
    let items: Vec<NodeId> = match block.take(context, "when") {
        Some(id) => match context.tree.items(id) {
            Some(items) => items.to_vec(),
            None if context.is_null(id) => Vec::new(),
            None => {
                context.wrong_type(place.clone(), "a list of conditions", "it is not used");
                Vec::new()
            }
        },
        None => Vec::new(),
    };
    let mut guards = Vec::with_capacity(items.len());
    for (n, id) in items.into_iter().enumerate() {
        let place = place.clone().field(n.to_string());
        let mut guard = Block::open(context, id, place.clone());
        // A guard without a target leads nowhere: it stays in the list, so that positions agree with the file.
        let to = guard.target(context, "next").unwrap_or_else(|| StepId::new(""));
        let condition = match guard.take(context, "condition") {
            Some(id) => condition::read(context, id, guard.place("condition")),
            None => Condition::Always,
        };
        guards.push(Guard {
            condition,
            to,
            back: false,
            most: model::routing::BACK_EDGE_BOUND,
        });
    }
    let is_always = |guard: &Guard| guard.condition == Condition::Always;
    if let Some(first) = guards.iter().position(is_always)
        && (first + 1 < guards.len() || next.is_some())
    {
        let behind = if first + 1 < guards.len() {
            "the ones behind it"
        } else {
            "`default`"
        };
        let said = format!("This way has no condition: it is always taken, and {behind} would never be");
        let help = "This workflow does not start. Give it a condition, or write it as `default`";
        context.report(
            "GH0501",
            Severity::Error,
            place.field(first.to_string()),
            said,
            Some(help),
        );
    }
    Routing::Guarded { guards, next }
}
