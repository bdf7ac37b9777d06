//! One entry of a sequence or of a group: who does it, what it makes, whether it is done at all, and what follows its failure.

use crate::reading::{Block, Context, gate, made_inside, nearest};
use crate::tree::NodeId;
use model::{AgentKey, Failing, Place, Retries, Routing, Severity, Step, Whether};
use std::collections::HashSet;

/// An entry, read, before it is known what it waits for.
pub(super) struct Entry {
    pub(super) step: Step,
    /// Its `step`, by which others name it: a number or a name.
    pub(super) number: Option<String>,
    /// What it says it waits for; `None`: nothing, so that the order of the file counts.
    pub(super) waits: Option<Vec<String>>,
}

/// Reads an entry that names an agent. `taken`: the ids so far.
pub(super) fn read(context: &mut Context<'_>, ordinal: usize, id: NodeId, taken: &mut HashSet<String>) -> Entry {
    let mut block = Block::open(context, id, Place::step(ordinal));
    let number = block.text(context, "step").filter(|text| !text.trim().is_empty());
    let agents = agents(context, &mut block);
    let task = block.text(context, "task");
    let action = block.text(context, "action");
    let creates = block.texts(context, "creates");
    let own = block.text(context, "id").filter(|id| !id.trim().is_empty());
    let named = own.or_else(|| number.clone().filter(|text| !is_number(text)));
    let step_id = named.unwrap_or_else(|| derived(&task, &action, &creates, &agents, ordinal, taken));
    taken.insert(step_id.clone());
    let mut step = Step::new(step_id.as_str(), ordinal);
    step.routing = Routing::Dependencies;
    step.agents = agents;
    if let Some(number) = number.as_ref().filter(|text| is_number(text)) {
        step.number.clone_from(number);
    }
    if let Some(name) = block.text(context, "name").filter(|name| !name.trim().is_empty()) {
        step.name = name;
    }
    let description = block.text(context, "description");
    let notes = block.text(context, "notes");
    // What is not the step's one description is told beside it.
    let told = [("task", &task), ("action", &action), ("notes", &notes)];
    step.intent = description.or_else(|| notes.clone()).or_else(|| action.clone());
    let mut inputs = block.texts(context, "requires");
    inputs.extend(block.texts(context, "inputs"));
    step.inputs = inputs;
    let updates = block.texts(context, "updates");
    made_inside(context, &block.place("creates"), &creates);
    made_inside(context, &block.place("updates"), &updates);
    step.outputs = creates;
    step.outputs.extend(updates);
    // The project's policy may ask for a person in a phase (seed 000 `hitl.policy`), in every format.
    step.phase = block.text(context, "phase").filter(|phase| !phase.trim().is_empty());
    step.gate = gate::read(context, &mut block, "human_gate");
    let waits = waits(context, &mut block);
    let optional = block.flag(context, "optional");
    let written = block.peek(context, "condition");
    let condition = block.text(context, "condition").filter(|text| !text.trim().is_empty());
    // A text that is none was reported.
    let is_empty = |id| context.is_null(id) || context.text(id).is_some_and(|text| text.trim().is_empty());
    if written.is_some_and(is_empty) {
        context.wrong_type(block.place("condition"), "a text", "the step would always be done");
    }
    if optional || condition.is_some() {
        step.whether = Some(Whether { condition, optional });
    }
    if optional {
        step.failing = Failing::Spared;
    }
    step.retries = block.retries(context, "retries");
    step.timeout_ms = block.seconds(context, "timeout_seconds", "the project's own limit is used");
    step.terminal = block.flag(context, "terminal");
    if let Some(inner) = block.take(context, "execution").filter(|id| context.is_map(*id)) {
        execution(
            context,
            Block::open(context, inner, block.place("execution")),
            &mut step,
        );
    }
    step.fields = block.rest(context);
    for (key, text) in told {
        if let Some(text) = text.as_ref().filter(|text| step.intent.as_ref() != Some(*text)) {
            step.fields.insert(key.to_owned(), text.as_str().into());
        }
    }
    Entry { step, number, waits }
}

/// `execution`: time, retries, who takes over, and whether the run can do without it.
fn execution(context: &mut Context<'_>, mut block: Block, step: &mut Step) {
    if let Some(limit) = duration(context, &mut block, "timeout") {
        step.timeout_ms = step.timeout_ms.or(Some(limit));
    }
    let retries = match block.peek(context, "retry_on_failure") {
        Some(id) if context.scalar(id) == serde_json::Value::Bool(true) => {
            block.take(context, "retry_on_failure");
            Some(1)
        }
        Some(id) if context.scalar(id) == serde_json::Value::Bool(false) => {
            block.take(context, "retry_on_failure");
            Some(0)
        }
        _ => block.count(context, "retry_on_failure", "the project's own number is used"),
    };
    if let Some(max) = retries {
        step.retries = step.retries.or(Some(Retries {
            max: Some(max),
            backoff_ms: 0,
        }));
    }
    if block.flag(context, "skip_on_failure") {
        step.failing = Failing::Spared;
    }
    let other = block
        .text(context, "escalate_to")
        .filter(|name| !name.trim().is_empty());
    step.escalate_to = other.map(AgentKey::new);
}

/// `agents`, else `agent`.
fn agents(context: &mut Context<'_>, block: &mut Block) -> Vec<AgentKey> {
    let mut names = block.texts(context, "agents");
    names.extend(block.text(context, "agent"));
    let mut known = HashSet::new();
    names.retain(|name| !name.trim().is_empty() && known.insert(name.clone()));
    names.into_iter().map(AgentKey::new).collect()
}

/// `depends_on`: numbers and names of other steps.
fn waits(context: &mut Context<'_>, block: &mut Block) -> Option<Vec<String>> {
    let id = block.peek(context, "depends_on")?;
    if context.is_null(id) {
        block.take(context, "depends_on");
        return None;
    }
    Some(block.texts(context, "depends_on"))
}

/// An id for an entry that has none: what it does, what it makes, or who does it, and a number where that is taken.
fn derived(
    task: &Option<String>,
    action: &Option<String>,
    creates: &[String],
    agents: &[AgentKey],
    ordinal: usize,
    taken: &HashSet<String>,
) -> String {
    let made = creates.first().map(|path| {
        let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
        name.split('.').next().unwrap_or(name).to_owned()
    });
    let who = agents.first().map(|agent| agent.as_str().to_owned());
    let candidates = [task.clone(), action.clone(), made, who];
    let first = candidates
        .into_iter()
        .flatten()
        .map(|text| slug(&text))
        .find(|text| !text.is_empty());
    let base = first.unwrap_or_else(|| "step".to_owned());
    if !taken.contains(&base) {
        return base;
    }
    // The place in the file is nobody else's.
    let numbered = format!("{base}-{}", ordinal + 1);
    match taken.contains(&numbered) {
        true => format!("{base}-at-{}", ordinal + 1),
        false => numbered,
    }
}

/// Small letters, digits and dashes, at most forty.
fn slug(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut out = String::new();
    for c in text.trim().chars().take(LONGEST) {
        match c {
            c if c.is_alphanumeric() => out.extend(c.to_lowercase()),
            '_' => out.push('_'),
            _ if !out.ends_with('-') && !out.is_empty() => out.push('-'),
            _ => {}
        }
    }
    out.trim_end_matches('-').to_owned()
}

pub(super) fn is_number(text: &str) -> bool {
    text.trim().parse::<f64>().is_ok()
}

/// Takes a length of time as these files write it: `5m`, `90s`, `1h`, or a number of seconds. Gives milliseconds.
pub(super) fn duration(context: &mut Context<'_>, block: &mut Block, key: &str) -> Option<u64> {
    let written = block.text(context, key)?;
    let written = written.trim();
    let (number, factor) = match written.char_indices().next_back() {
        Some((at, 's')) if written.ends_with("ms") => (&written[..at - 1], 1.0),
        Some((at, 's')) => (&written[..at], 1_000.0),
        Some((at, 'm')) => (&written[..at], 60_000.0),
        Some((at, 'h')) => (&written[..at], 3_600_000.0),
        _ => (written, 1_000.0),
    };
    let number = number.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n > 0.0);
    if number.is_none() {
        context.wrong_type(
            block.place(key),
            "a length of time (`90s`, `5m`, `1h`)",
            "it is not used",
        );
    }
    // A year is longer than anybody means.
    number.map(|number| (number * factor).min(31_536_000_000.0) as u64)
}

/// A word that is none of those that are carried out.
pub(super) fn unknown(context: &mut Context<'_>, place: Place, word: &str, follows: &str, known: &[&str]) {
    let said = format!(
        "`{}: {word}` is not known: {follows}",
        place.path.last().map_or("", String::as_str)
    );
    let help = format!("Write one of {}", known.join(", "));
    let found = model::Diagnostic::new("GH0703", Severity::Error, place.clone(), said).help(help);
    context.push(match nearest(word, known) {
        Some(near) => found.fix(
            format!("Change to `{near}`"),
            model::Edit::Set {
                place,
                value: near.into(),
            },
        ),
        None => found,
    });
}
