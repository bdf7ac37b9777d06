//! From units to the model's workflow.

use super::front::Front;
use super::id::{Id, Part};
use super::unit::{Fence, Preamble, Unit};
use crate::text::Span;
use model::step::humanise;
use model::{AgentKey, Fields, Format, Routing, Step, Work, Workflow, WorkflowId};
use serde_json::Value;
use std::collections::BTreeMap;

/// A slice of the text with `\n` line ends, as values of the model hold it.
pub(super) fn slice(text: &str, span: Span) -> String {
    with_plain_ends(&text[span.start..span.end])
}

/// `\n` for every line end.
pub(super) fn with_plain_ends(part: &str) -> String {
    if part.contains('\r') {
        part.replace("\r\n", "\n").replace('\r', "\n")
    } else {
        part.to_owned()
    }
}

pub(super) fn workflow(path: &str, text: &str, front: Option<&Front>, preamble: &Preamble, units: &[Unit]) -> Workflow {
    let fields = front.map(|front| front.fields(text)).unwrap_or_default();
    let agents = agents(&fields);
    let has_children = has_children(units);
    let mut steps: Vec<Step> = Vec::with_capacity(units.len());
    for (ordinal, unit) in units.iter().enumerate() {
        let mut step = step(text, ordinal, unit, has_children[ordinal]);
        let around = unit.parent.map(|parent| &steps[parent]);
        step.parent = around.map(|around| around.id.clone());
        let own = agents.get(step.id.as_str());
        // Who is asked for a step is asked for its substeps too, unless they name somebody else.
        step.agents = match (own, around) {
            (Some(own), _) => own.clone(),
            (None, Some(around)) => around.agents.clone(),
            (None, None) => Vec::new(),
        };
        steps.push(step);
    }
    let given = |key: &str| fields.get(key).and_then(Value::as_str).filter(|t| !t.is_empty());
    let id = given("name").unwrap_or_else(|| stem(path)).to_owned();
    let title = match preamble
        .title
        .as_ref()
        .map(|(_, _, words)| words)
        .filter(|words| !words.is_empty())
    {
        Some(words) => words.clone(),
        None => given("title")
            .or(given("name"))
            .map_or_else(|| humanise(stem(path)), str::to_owned),
    };
    let description = preamble
        .description
        .map(|span| slice(text, span))
        .or_else(|| given("description").map(str::to_owned));
    let mut workflow = Workflow::new(WorkflowId::new(id), title, Format::Rundown, steps);
    workflow.description = description;
    workflow.fields = fields;
    workflow
}

/// Of each unit, whether substeps stand in it.
pub(super) fn has_children(units: &[Unit]) -> Vec<bool> {
    let mut out = vec![false; units.len()];
    for parent in units.iter().filter_map(|unit| unit.parent) {
        out[parent] = true;
    }
    out
}

fn step(text: &str, ordinal: usize, unit: &Unit, has_children: bool) -> Step {
    let heading = &unit.heading;
    let written = &text[heading.id_span.start..heading.id_span.end];
    let id = match &heading.id {
        Ok(id) => id.to_string(),
        Err(_) if written.is_empty() => format!("step-{}", ordinal + 1),
        Err(_) => written.to_owned(),
    };
    let mut step = Step::new(id, ordinal);
    let named = matches!(heading.id.as_ref().map(Id::last), Ok(Part::Name(_)) | Err(_));
    step.number = if named { String::new() } else { step.id.to_string() };
    step.dynamic = matches!(heading.id.as_ref().map(Id::last), Ok(Part::Dynamic));
    step.jump_only = heading.level == 2 && named;
    let prompt = prompt(text, unit);
    step.work = work(unit, has_children, prompt.clone());
    step.terminal = matches!(step.work, Work::Command { .. }) && unit.command().is_some_and(Fence::wants_terminal);
    step.name = name(heading.title.as_str(), heading.id.as_ref().ok(), &step.work, written);
    step.intent = Some(prompt).filter(|text| !text.is_empty());
    step.routing = Routing::Transitions {
        transitions: unit.transitions.iter().map(|read| read.transition.clone()).collect(),
    };
    step
}

/// The prose of a step with its shown blocks, as written.
pub(super) fn prompt(text: &str, unit: &Unit) -> String {
    let parts: Vec<String> = unit.shown().into_iter().map(|span| slice(text, span)).collect();
    parts.join("\n\n")
}

fn work(unit: &Unit, has_children: bool, prompt: String) -> Work {
    if has_children {
        return Work::Group;
    }
    if !unit.files.is_empty() {
        return Work::SubWorkflow {
            files: unit.files.iter().map(|(_, file)| file.clone()).collect(),
        };
    }
    match unit.command() {
        Some(fence) => Work::Command {
            language: fence.language().to_owned(),
            script: fence.code.clone(),
        },
        None => Work::Prompt { text: prompt },
    }
}

/// What a person reads: the title, a name's own words, the runbook that a step without a title runs.
fn name(title: &str, id: Option<&Id>, work: &Work, written: &str) -> String {
    if !title.is_empty() {
        return title.to_owned();
    }
    match (id.map(Id::last), work) {
        (Some(Part::Name(name)), _) => name.clone(),
        (_, Work::SubWorkflow { files }) if !files.is_empty() => humanise(stem(&files[0])),
        (Some(Part::Dynamic), _) => "Each".to_owned(),
        (Some(Part::Number(_)), _) => "Untitled".to_owned(),
        (None, _) if written.is_empty() => "Untitled".to_owned(),
        (None, _) => written.to_owned(),
    }
}

/// `agents:` of the front matter: step id → who does it, one name or a list of names.
pub(super) fn agents(fields: &Fields) -> BTreeMap<String, Vec<AgentKey>> {
    let Some(Value::Object(map)) = fields.get("agents") else {
        return BTreeMap::new();
    };
    let names = |value: &Value| -> Vec<AgentKey> {
        let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        list.iter()
            .filter_map(Value::as_str)
            .filter(|name| !name.is_empty())
            .map(AgentKey::from)
            .collect()
    };
    map.iter()
        .map(|(id, value)| (id.clone(), names(value)))
        .filter(|(_, names)| !names.is_empty())
        .collect()
}

/// The file's name without folder and endings: `ops/deploy.runbook.md` → `deploy`.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = name.strip_suffix(".md").unwrap_or(name);
    let kinds = [".runbook", ".workflow"];
    let stem = kinds.iter().find_map(|kind| stem.strip_suffix(kind)).unwrap_or(stem);
    if stem.is_empty() { "runbook" } else { stem }
}
