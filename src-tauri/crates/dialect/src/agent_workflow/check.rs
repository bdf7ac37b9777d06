//! What is wrong with an agent workflow as a whole, and entries of its lists that are no steps.

use crate::fields::{asks_for, is_control, says_no};
use crate::reading::{Block, Context};
use crate::tree::NodeId;
use model::{Diagnostic, Edit, Place, Severity, Whether, Workflow, cel};
use std::collections::HashMap;

/// Whether an entry is a step: it names an agent. What is none is named; where the run would pass over what it asks for, as an error.
/// `is_last`: nothing stands behind it.
pub(super) fn is_step(context: &mut Context<'_>, item: NodeId, is_last: bool, place: &Place) -> bool {
    if !context.is_map(item) {
        let said = "This entry is not a list of fields, so nobody does anything for it";
        let help = "Write `- agent: …` and the step's fields below it";
        context.report("GH0702", Severity::Error, place.clone(), said, Some(help));
        return false;
    }
    let block = Block::open(context, item, place.clone());
    let names = ["agent", "agents"].iter().any(|key| {
        let held = block.peek(context, key);
        held.is_some_and(|id| !context.says_nothing(id))
    });
    if names {
        return true;
    }
    // Ways to choose among: the table of fields refuses them.
    if block.has(context, "routes") {
        return false;
    }
    let names = block.names(context);
    if let Some(end) = block.peek(context, "workflow_end") {
        ends(context, &block, end, is_last);
        return false;
    }
    if names.iter().any(|name| name.starts_with("repeat")) {
        let said = "This entry asks for steps to be done again, and that is not carried out: each is done once";
        let help = "This workflow does not start. Remove the entry, and run the workflow of one round as often as there are rounds";
        context.report("GH0501", Severity::Error, place.clone(), said, Some(help));
        return false;
    }
    if let Some(name) = control(context, &block) {
        let said = format!("This entry names no agent, so its `{name}` would be passed over");
        let help =
            "This workflow does not start. Name the `agent` that does it, `person` for example, or remove the field";
        context.report("GH0702", Severity::Error, place.clone(), said, Some(help));
        return false;
    }
    let said = "This entry names no agent: it is words for people, and a run goes on as if it were not there";
    let help = "Name the `agent` that does it, `person` for example, or leave it as it is";
    context.report("GH0702", Severity::Note, place.clone(), said, Some(help));
    false
}

/// The field of an entry without an agent that a run would pass over: a gate, a condition, a way, steps. `None`: it is words.
fn control(context: &Context<'_>, block: &Block) -> Option<String> {
    let asks = |block: &Block, meant: fn(&str) -> bool| {
        let mut all = block.all_fields(context).into_iter();
        all.find(|(name, value)| meant(name) && asks_for(context, name, *value))
            .map(|(name, _)| name)
    };
    asks(block, is_control).or_else(|| {
        // `guidance: {action: …, condition: …}` are words about it, but a gate or an agent in it is none.
        let inner = block.values().filter(|id| context.is_map(*id));
        inner
            .map(|id| Block::open(context, id, Place::document()))
            .find_map(|inner| asks(&inner, is_asked))
    })
}

fn is_asked(name: &str) -> bool {
    let names = [
        "human_gate",
        "gate_asks",
        "approval",
        "approvers",
        "agent",
        "agents",
        "on_reject",
    ];
    names.contains(&name)
}

/// `workflow_end`: nothing follows it, and it asks for nothing but the end.
fn ends(context: &mut Context<'_>, block: &Block, end: NodeId, is_last: bool) {
    const WORDS: [&str; 8] = [
        "action",
        "notes",
        "note",
        "description",
        "message",
        "name",
        "title",
        "summary",
    ];
    const ENDING: [&str; 8] = ["complete", "end", "finish", "done", "stop", "close", "conclude", "exit"];
    let place = block.place("workflow_end");
    let help =
        "Put `workflow_end` last and leave `action: complete` in it, or name the `agent` that does what it asks for";
    if !is_last {
        let said = "`workflow_end` does not end the run here: what stands behind it would be done";
        context.report("GH0702", Severity::Error, place, said, Some(help));
        return;
    }
    let inner = Block::open(context, end, place.clone());
    let asks = |(name, value): &(String, NodeId)| match name.as_str() {
        "action" => {
            let action = context.text(*value).unwrap_or_default().to_lowercase();
            !action.trim().is_empty() && !ENDING.iter().any(|word| action.contains(word))
        }
        name => !WORDS.contains(&name) && !says_no(context, *value),
    };
    let inside = inner.all_fields(context).into_iter().find(asks);
    let beside = || control(context, block);
    if let Some(name) = inside.map(|(name, _)| name).or_else(beside) {
        let said = format!("`{name}` of `workflow_end` is not carried out: the run just ends");
        context.report("GH0702", Severity::Error, place, said, Some(help));
    }
}

/// Reports what can be told from the steps together.
pub(super) fn check(context: &mut Context<'_>, workflow: &Workflow) {
    compared(context, workflow);
    let mut made: HashMap<&str, usize> = HashMap::new();
    for step in workflow.steps() {
        for output in &step.outputs {
            made.entry(plain(output)).or_insert(step.ordinal);
        }
    }
    for step in workflow.steps() {
        for input in &step.inputs {
            let Some(maker) = made.get(plain(input)).filter(|maker| **maker > step.ordinal) else {
                continue;
            };
            let said = format!(
                "`{}` takes `{}`, which only a later step makes: `{}`",
                step.id,
                plain(input),
                workflow.steps()[*maker].id
            );
            let help = "Put the step that makes it before this one, or take it out of what this one takes";
            let place = Place::step(step.ordinal);
            context.report("GH0705", Severity::Warning, place, said, Some(help));
        }
    }
}

/// Signs of an expression, which are rare in prose.
const COMPARES: [&str; 6] = ["==", "!=", ">=", "<=", "&&", "||"];

/// Why a text is no expression; `None`: it is one.
fn fault(text: &str) -> Option<String> {
    match cel::Expression::parse(text) {
        Err(fault) => Some(fault.message),
        Ok(parsed) => parsed.faults().into_iter().next().map(|fault| fault.message),
    }
}

/// Words that look like an expression and are none, for a single `=` or another fault: a person is asked whether they hold, and nothing compares.
fn compared(context: &mut Context<'_>, workflow: &Workflow) {
    for step in workflow.steps() {
        let condition = step.whether.as_ref().filter(|whether| whether.expression().is_none());
        let Some(text) = condition
            .and_then(|whether| whether.condition.as_deref())
            .map(str::trim)
        else {
            continue;
        };
        let words = cel::other_words(text);
        let meant = cel::in_own_words(text);
        let would_be = Whether {
            condition: Some(meant.clone()),
            ..Whether::default()
        };
        let place = Place::step(step.ordinal).field("condition");
        if !words.iter().any(|(other, _)| *other == "=") || would_be.expression().is_none() {
            let why = COMPARES
                .iter()
                .any(|sign| text.contains(sign))
                .then(|| fault(text))
                .flatten();
            if let Some(why) = why {
                let said = format!("`{text}` is no expression ({why}), so a person is asked whether it holds");
                let help = "Mend the expression if what was reported is to decide, or write it in words alone";
                context.push(Diagnostic::new("GH0504", Severity::Note, place, said).help(help));
            }
            continue;
        }
        let said = format!("`{text}` is no expression, so a person is asked whether it holds");
        let edit = Edit::Set {
            place: place.clone(),
            value: meant.as_str().into(),
        };
        let found = Diagnostic::new("GH0504", Severity::Note, place, said);
        let found = found.help(format!("For an expression write `==`: `{meant}`"));
        context.push(found.fix(format!("Change to `{meant}`"), edit));
    }
}

/// The name of a file without remarks behind it: `prd.md (if needed)`.
fn plain(written: &str) -> &str {
    let name = written.split(" (").next().unwrap_or(written).trim();
    name.trim_end_matches('/')
}
