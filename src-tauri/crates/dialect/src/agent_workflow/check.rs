//! What is wrong with an agent workflow as a whole, and entries of its lists that are no steps.

use crate::reading::{Block, Context};
use crate::tree::NodeId;
use model::{Place, Severity, Workflow};
use std::collections::HashMap;

/// Whether an entry is a step: it names an agent. What is none is named; where the run would pass over what it asks for, as an error.
pub(super) fn is_step(context: &mut Context<'_>, item: NodeId, place: &Place) -> bool {
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
    if names.iter().any(|name| name == "workflow_end") {
        return false;
    }
    if names.iter().any(|name| name.starts_with("repeat")) {
        let said = "This entry asks for steps to be done again, and that is not carried out: each is done once";
        let help = "This workflow does not start. Remove the entry, and run the workflow of one round as often as there are rounds";
        context.report("GH0501", Severity::Error, place.clone(), said, Some(help));
        return false;
    }
    let said = "This entry names no agent: it is words for people, and a run goes on as if it were not there";
    let help = "Name the `agent` that does it, `person` for example, or leave it as it is";
    context.report("GH0702", Severity::Note, place.clone(), said, Some(help));
    false
}

/// Reports what can be told from the steps together.
pub(super) fn check(context: &mut Context<'_>, workflow: &Workflow) {
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

/// The name of a file without remarks behind it: `prd.md (if needed)`.
fn plain(written: &str) -> &str {
    let name = written.split(" (").next().unwrap_or(written).trim();
    name.trim_end_matches('/')
}
