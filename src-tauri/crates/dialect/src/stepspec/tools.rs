//! The tool calls of a step (seed 000 "Tool calls").

use super::form::{nearest, other_form, shortened};
use super::gate::NOBODY;
use crate::reading::{Block, Context};
use crate::tree::NodeId;
use model::{Diagnostic, Edit, Place, Risk, Severity, Step, ToolCall};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

const RISKS: [&str; 3] = ["low", "medium", "high"];

/// Takes `tools`. Whatever stands there becomes a call, so that positions in the file and in the model agree.
pub(super) fn read(context: &mut Context<'_>, step: &mut Block) -> Vec<ToolCall> {
    let Some(id) = step.take(context, "tools") else {
        return Vec::new();
    };
    let place = step.place("tools");
    if context.is_null(id) {
        let said = "`tools` is there without a list; it counts as an empty one";
        other_form(context, place, said, Some(Value::Array(Vec::new())));
        return Vec::new();
    }
    let Some(items) = context.items(id) else {
        if context.tree.items(id).is_none() {
            context.wrong_type(place, "a list of tool calls", "no tool is called");
        }
        return Vec::new();
    };
    let calls = items.iter().enumerate();
    calls
        .map(|(n, id)| call(context, *id, place.clone().field(n.to_string())))
        .collect()
}

fn call(context: &mut Context<'_>, id: NodeId, place: Place) -> ToolCall {
    let mut call = ToolCall {
        name: String::new(),
        args: Value::Object(Map::new()),
        required: false,
        risk: None,
        gate: None,
    };
    if !context.is_map(id) {
        let name = context.text(id).filter(|name| !name.trim().is_empty());
        let Some(name) = name else {
            nameless(context, place, "This is no tool call");
            return call;
        };
        let said = format!("The call of `{}` is written as a name alone", shortened(&name));
        let edit = Edit::Set {
            place: place.clone(),
            value: json!({"name": name.as_str()}),
        };
        let found = Diagnostic::new("GH0412", Severity::Note, place, said)
            .help("It is called without arguments, and its failure does not block the step");
        context.push(found.fix("Write it as a call", edit));
        call.name = name;
        return call;
    }
    let mut block = Block::open(context, id, place.clone());
    match block.text(context, "name").filter(|name| !name.trim().is_empty()) {
        Some(name) => call.name = name,
        None => nameless(context, place, "This tool call has no name"),
    }
    call.args = args(context, &mut block);
    call.required = block.flag(context, "required");
    call.risk = risk(context, &mut block);
    call.gate = gate(context, &mut block);
    call
}

/// The gate at which somebody is asked about the call. What says no is the name of none.
fn gate(context: &mut Context<'_>, block: &mut Block) -> Option<String> {
    let id = block.peek(context, "gate")?;
    let place = block.place("gate");
    let name = block.text(context, "gate")?;
    let word = name.trim().to_lowercase();
    let remove = |found: Diagnostic, place: Place| found.fix("Remove `gate`", Edit::Remove { place });
    let help = "Write the name of the gate at which somebody is asked about this call, or remove it";
    match context.scalar(id) {
        Value::Bool(true) => {
            let said = "`gate: true` is read as the name of the gate: somebody is asked about this call";
            let found = Diagnostic::new("GH0404", Severity::Warning, place, said);
            context.push(found.help("Write a name that says what is asked, `gate: publish` for example"));
        }
        _ if word.is_empty() => {
            let said = "`gate` names none, so nobody is asked because of it";
            context.push(remove(
                Diagnostic::new("GH0111", Severity::Warning, place.clone(), said).help(help),
                place,
            ));
            return None;
        }
        _ if word == "false" || NOBODY.contains(&word.as_str()) => {
            let said = format!(
                "`gate: {}` is read as no gate: nobody is asked because of it",
                shortened(&name)
            );
            context.push(remove(
                Diagnostic::new("GH0404", Severity::Warning, place.clone(), said).help(help),
                place,
            ));
            return None;
        }
        _ => {}
    }
    Some(name)
}

/// Calls whose gate has the name of another step, or of a step's gate: such a name is the call's own, and what is decided there approves no call.
pub(super) fn check_gates(context: &mut Context<'_>, steps: &[Step]) {
    let ids: HashSet<&str> = steps.iter().map(|step| step.id.as_str()).collect();
    for step in steps {
        for (n, call) in step.tools.iter().enumerate() {
            let Some(name) = call.gate.as_deref().map(str::trim) else {
                continue;
            };
            // How the gate at a step is called (CONTRACTS "StepSpec": `<workflow>:<step>:hitl`).
            let is_of_step = name.ends_with(":hitl");
            let is_another = name != step.id.as_str() && ids.contains(name);
            if !is_of_step && !is_another {
                continue;
            }
            let call = Place::step(step.ordinal).field("tools").field(n.to_string());
            let said = format!(
                "`gate: {}` names a gate of this call alone, not the one at a step: what is decided there approves no call",
                shortened(name)
            );
            let help = "Write a name that says what is asked about the call, `gate: publish` for example";
            context.report("GH0404", Severity::Warning, call.field("gate"), said, Some(help));
        }
    }
}

fn nameless(context: &mut Context<'_>, place: Place, said: &str) {
    let found = Diagnostic::new("GH0413", Severity::Error, place.clone(), said)
        .help("Write `{name: a_tool, args: {…}}`")
        .fix("Remove the call", Edit::Remove { place });
    context.push(found);
}

fn args(context: &mut Context<'_>, block: &mut Block) -> Value {
    let empty = Value::Object(Map::new());
    let Some(id) = block.take(context, "args").filter(|id| !context.is_null(*id)) else {
        return empty;
    };
    if !context.is_map(id) {
        context.wrong_type(
            block.place("args"),
            "the tool's arguments by name",
            "the tool is called without any",
        );
        return empty;
    }
    context.value(id)
}

/// A word that is not known counts as high: a misspelling must not let a call pass unasked.
fn risk(context: &mut Context<'_>, block: &mut Block) -> Option<Risk> {
    let id = block.peek(context, "risk")?;
    if context.is_null(id) {
        block.take(context, "risk");
        return None;
    }
    let word = context.text(id);
    block.take(context, "risk");
    if let Some(risk) = word.as_deref().and_then(Risk::from_word) {
        return Some(risk);
    }
    let place = block.place("risk");
    let shown = word.as_deref().map_or_else(|| "…".to_owned(), shortened);
    let said = format!("The risk `{shown}` is not known; it counts as high, so a person is asked");
    let found = Diagnostic::new("GH0414", Severity::Error, place.clone(), said)
        .help("Write low, medium or high, to raise what the tool's own risk is; it is never lowered");
    context.push(match word.as_deref().and_then(|word| nearest(word, &RISKS)) {
        Some(word) => found.fix(
            format!("Change to `{word}`"),
            Edit::Set {
                place,
                value: word.into(),
            },
        ),
        None => found.fix("Remove `risk`", Edit::Remove { place }),
    });
    Some(Risk::High)
}
