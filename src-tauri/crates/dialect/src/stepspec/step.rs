//! One entry of `steps`.

use super::form::{self, other_form, shortened};
use super::gate;
use super::inputs::{self, Inputs};
use super::paths::{Paths, left_as_written};
use super::policy::{checks_nothing, is_evidence_level, unnamed};
use super::schema::FIELDS;
use super::tools;
use crate::reading::{Block, Context};
use crate::tree::{Kind, NodeId};
use model::placeholder::answers_in;
use model::{AgentKey, Diagnostic, Edit, Place, Retries, Severity, Step, StepId, Work};
use serde_json::{Value, json};

/// What is said of answers in texts that are not filled in, and what to do instead.
pub(super) const IN_A_NAME: (&str, &str) = (
    "in a name, but for what a person is asked",
    "Write the answer into `description` or `gate_question`, which are filled in; a list of runs shows what each is about",
);
const IN_A_SCRIPT: (&str, &str) = (
    "in a script",
    "The answers stand under `inputs` in the file that `GATEHOUSE_BRIEF` names",
);

/// What steps take over that do not say otherwise.
pub(super) struct Defaults<'a> {
    pub(super) phase: Option<String>,
    pub(super) agents: Vec<AgentKey>,
    pub(super) paths: Paths<'a>,
}

/// In which ways a step is written unlike most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Odd {
    pub(super) gate: gate::Form,
    /// The artifacts stand in a list right under `inputs`.
    pub(super) bare_inputs: bool,
}

/// Whatever stands there becomes a step, so that positions in the file and in the model agree.
pub(super) fn read(context: &mut Context<'_>, ordinal: usize, id: NodeId, defaults: &Defaults<'_>) -> (Step, Odd) {
    let place = Place::step(ordinal);
    let placeholder = format!("step-{:02}", ordinal + 1);
    let nothing = |id: String, ordinal| Step {
        agents: defaults.agents.clone(),
        ..Step::new(id, ordinal)
    };
    if matches!(context.tree.node(id).kind, Kind::Alias { .. }) {
        let said = format!(
            "Step {} is written elsewhere (an alias), so it is the same step again",
            ordinal + 1
        );
        let help = "Write the step out; `<<: *name` below `- ` takes over what it shares with others";
        context.report("GH0418", Severity::Error, place, said, Some(help));
        return (nothing(placeholder, ordinal), Odd::default());
    }
    if !context.is_map(id) {
        let said = format!("Step {} is not a list of fields", ordinal + 1);
        let help = "Write `- id: a_name` and the step's other fields below it";
        context.report("GH0402", Severity::Error, place, said, Some(help));
        return (nothing(placeholder, ordinal), Odd::default());
    }
    let mut block = Block::open(context, id, place);
    left_out(context, ordinal, &block, defaults);
    let mut step = named(context, &mut block, ordinal);
    let odd_gate = gate::Form::of(context, &block);
    step.intent = form::text(context, &mut block, "description").filter(|text| !text.is_empty());
    let phase = form::text(context, &mut block, "phase").filter(|phase| !phase.trim().is_empty());
    step.phase = phase.or_else(|| defaults.phase.clone());
    let inputs = inputs::read(context, &mut block);
    let outputs = form::texts(context, &mut block, "outputs");
    let templates = form::texts(context, &mut block, "templates");
    step.tools = tools::read(context, &mut block);
    check_paths(context, &defaults.paths, &block, &inputs, &outputs, &templates);
    let bare_inputs = inputs.bare;
    let has_targets = !inputs.targets.is_empty();
    let texts = |list: Vec<(usize, String)>| list.into_iter().map(|(_, text)| text).collect();
    step.inputs = texts(inputs.artifacts);
    step.parameters = inputs.parameters;
    step.outputs = texts(outputs);
    step.templates = texts(templates);
    step.validation = validation(context, &mut block);
    if has_targets && checks_nothing(step.validation.as_deref().unwrap_or_default()) {
        let said = "`validation_targets` has no effect: the step has no `validation`, so nothing is checked";
        let help = "Write what is checked, `validation: Format validation` for example, or remove the list";
        let place = block.place("inputs").field("validation_targets");
        context.report("GH0502", Severity::Warning, place, said, Some(help));
    }
    step.evidence = evidence(context, &mut block);
    step.gate = gate::read(context, &mut block, odd_gate);
    step.retries = retries(context, &mut block);
    step.timeout_ms = block.seconds(context, "timeout_seconds", "the project's own limit is used");
    step.terminal = block.flag(context, "terminal");
    step.agents = agents(context, &mut block);
    // An empty one is a script that is still to be written, unless somebody else is named.
    let is_one = |script: &String| !script.trim().is_empty() || step.agents.is_empty();
    match block.text(context, "run").filter(is_one) {
        // An agent would work in place of the script, and nobody has named one for this step.
        Some(script) => {
            step.work = Work::Command {
                language: "sh".to_owned(),
                script,
            }
        }
        None if step.agents.is_empty() => step.agents.clone_from(&defaults.agents),
        None => {}
    }
    check_texts(context, &defaults.paths, &block, &step);
    step.fields = block.rest(context);
    let odd = Odd {
        gate: odd_gate,
        bare_inputs,
    };
    (step, odd)
}

/// `agent` and `agents`, of the workflow or of a step; who is named in both does it once.
pub(crate) fn agents(context: &mut Context<'_>, block: &mut Block) -> Vec<AgentKey> {
    let mut names = block.texts(context, "agent");
    names.extend(block.texts(context, "agents"));
    let mut out: Vec<AgentKey> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for name in names.into_iter().filter(|name| !name.is_empty()) {
        if seen.insert(name.clone()) {
            out.push(AgentKey::new(name));
        }
    }
    out
}

/// Id and name: what a step cannot be without.
fn named(context: &mut Context<'_>, block: &mut Block, ordinal: usize) -> Step {
    let id = form::text(context, block, "id").filter(|id| !id.trim().is_empty());
    let name = form::text(context, block, "name").filter(|name| !name.trim().is_empty());
    let whole = Place::step(ordinal);
    let lacks = |what: &str| format!("Step {} has no {what}", ordinal + 1);
    let set = |key: &str, value: &str| Edit::Set {
        place: whole.clone().field(key),
        value: value.into(),
    };
    if id.is_none() {
        let found = Diagnostic::new("GH0402", Severity::Error, whole.clone(), lacks("id"))
            .help("Give it one: `id: a_name`, unique in this file; records and gates are named by it");
        let own = format!("step-{:02}", ordinal + 1);
        context.push(found.fix(format!("Set `id: {own}`"), set("id", &own)));
    }
    let mut step = Step::new(
        id.as_deref()
            .map_or_else(|| format!("step-{:02}", ordinal + 1), str::to_owned),
        ordinal,
    );
    if let Some(id) = &id {
        step.id = StepId::new(id.as_str());
    }
    match name {
        Some(name) => step.name = name,
        None => {
            let found = Diagnostic::new("GH0402", Severity::Error, whole.clone(), lacks("name"))
                .help("Give it one: `name: a few words`, which people read");
            let own = step.name.clone();
            context.push(found.fix(format!("Set `name: {}`", shortened(&own)), set("name", &own)));
        }
    }
    step
}

/// What is used where a field is left out, in words and as a value.
pub(super) fn default_of(field: &str) -> Value {
    match field {
        "inputs" | "retries" => json!({}),
        "outputs" | "templates" | "tools" => json!([]),
        "validation" => json!("none"),
        "human_gate" => json!("optional"),
        _ => json!(""),
    }
}

/// The fields that the seed demands and that are not there: one report for a step.
fn left_out(context: &mut Context<'_>, ordinal: usize, block: &Block, defaults: &Defaults<'_>) {
    let needless = |name: &str| match name {
        // These are errors of their own.
        "id" | "name" => true,
        "phase" => defaults.phase.is_some(),
        "human_gate" => block.has(context, "gate"),
        _ => false,
    };
    let names = FIELDS.iter().map(|(name, _)| *name);
    let missing: Vec<&str> = names
        .filter(|name| !needless(name) && !block.has(context, name))
        .collect();
    if missing.is_empty() {
        return;
    }
    let list: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
    let said = match list.as_slice() {
        [one] => format!("{one} is left out; the default is used"),
        _ => format!("{} are left out; the defaults are used", list.join(", ")),
    };
    let place = Place::step(ordinal);
    let defaults = missing.iter().map(|name| ((*name).to_owned(), default_of(name)));
    let edit = Edit::Set {
        place: place.clone(),
        value: Value::Object(defaults.collect()),
    };
    let label = match missing.as_slice() {
        [one] => format!("Write `{one}: {}`", form::as_written(&default_of(one))),
        _ => "Write the defaults".to_owned(),
    };
    let found = Diagnostic::new("GH0403", Severity::Warning, place, said).help(
        "A StepSpec holds all of its twelve fields, so that nothing about a step is left to whoever carries it out",
    );
    context.push(found.fix(label, edit));
}

fn check_paths(
    context: &mut Context<'_>,
    paths: &Paths<'_>,
    step: &Block,
    inputs: &Inputs,
    outputs: &[(usize, String)],
    templates: &[(usize, String)],
) {
    let at = |list: Place, n: &usize| list.field(n.to_string());
    for (n, path) in outputs {
        paths.output(context, &at(step.place("outputs"), n), path);
    }
    let artifacts = match inputs.bare {
        true => step.place("inputs"),
        false => step.place("inputs").field("artifacts"),
    };
    let targets = step.place("inputs").field("validation_targets");
    if let Some(Value::String(path)) = inputs.parameters.get("telis_document_path") {
        let place = step.place("inputs").field("telis_document_path");
        if !path.trim().is_empty() {
            paths.other(context, &place, path);
        }
    }
    let lists = [
        (step.place("templates"), templates),
        (artifacts, &inputs.artifacts),
        (targets, &inputs.targets),
    ];
    for (place, list) in lists {
        for (n, path) in list {
            paths.other(context, &at(place.clone(), n), path);
        }
    }
}

/// Placeholders in what a step is told, in the arguments of its calls and in what people are asked: a run fills them in as it does in paths; names and
/// scripts it leaves as they are.
fn check_texts(context: &mut Context<'_>, paths: &Paths<'_>, block: &Block, step: &Step) {
    /// Checked as the paths that they hold.
    const PATHS: [&str; 3] = ["artifacts", "validation_targets", "telis_document_path"];
    left_as_written(context, &block.place("name"), answers_in(&step.name), IN_A_NAME);
    if let Work::Command { script, .. } = &step.work {
        let asked = answers_in(script).filter(|name| paths.answers.contains(*name));
        left_as_written(context, &block.place("run"), asked, IN_A_SCRIPT);
    }
    if let Some(text) = &step.intent {
        paths.placeholders(context, &block.place("description"), text);
    }
    if let Some(question) = step.gate.as_ref().and_then(|gate| gate.question.as_deref()) {
        paths.asked(context, &block.place("gate_question"), question);
    }
    for (name, value) in step
        .parameters
        .iter()
        .filter(|(name, _)| !PATHS.contains(&name.as_str()))
    {
        placeholders_in(context, paths, &block.place("inputs").field(name.as_str()), value);
    }
    for (n, call) in step.tools.iter().enumerate() {
        let args = block.place("tools").field(n.to_string()).field("args");
        placeholders_in(context, paths, &args, &call.args);
    }
}

fn placeholders_in(context: &mut Context<'_>, paths: &Paths<'_>, place: &Place, value: &Value) {
    match value {
        Value::String(text) => paths.placeholders(context, place, text),
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                placeholders_in(context, paths, &place.clone().field(n.to_string()), item);
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                placeholders_in(context, paths, &place.clone().field(key.as_str()), item);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn validation(context: &mut Context<'_>, block: &mut Block) -> Option<String> {
    let policy = form::text(context, block, "validation").filter(|policy| !policy.trim().is_empty())?;
    let parts: Vec<String> = unnamed(&policy, |_| false)
        .iter()
        .map(|part| format!("`{}`", shortened(part)))
        .collect();
    if !parts.is_empty() {
        let names = if parts.len() == 1 { "names" } else { "name" };
        let said = format!("{} {names} no check that Gatehouse has of its own", parts.join(", "));
        let help = "Its own are found by the words format, template, schema, AST, type and lint; other words count where \
                    the project binds them under `checks` in gatehouse.yaml";
        context.report("GH0417", Severity::Note, block.place("validation"), said, Some(help));
    }
    Some(policy)
}

fn evidence(context: &mut Context<'_>, block: &mut Block) -> Option<String> {
    let number = block
        .peek(context, "evidence")
        .filter(|id| context.scalar(*id).is_number());
    // A number is no text, but first of all it is no level.
    let level = match number {
        Some(_) => block.text(context, "evidence"),
        None => form::text(context, block, "evidence"),
    };
    let level = level.filter(|level| !level.trim().is_empty())?;
    if !is_evidence_level(&level) {
        let place = block.place("evidence");
        let said = format!("The evidence level `{}` is not known", shortened(&level));
        let found = Diagnostic::new("GH0410", Severity::Error, place.clone(), said)
            .help("L0 is observed, L1 is checked, L2 is confirmed by a person; `none` where no evidence is demanded");
        let digits: Vec<char> = level.chars().filter(char::is_ascii_digit).collect();
        context.push(match digits.as_slice() {
            [digit @ '0'..='2'] => {
                let level = format!("L{digit}");
                let value = level.as_str().into();
                found.fix(format!("Change to `{level}`"), Edit::Set { place, value })
            }
            _ => found,
        });
    }
    Some(level)
}

/// `retries: {max, backoff_seconds}`, or just the number of extra attempts.
fn retries(context: &mut Context<'_>, block: &mut Block) -> Option<Retries> {
    let id = block.peek(context, "retries")?;
    let place = block.place("retries");
    if context.is_map(id) {
        block.take(context, "retries");
        let mut inner = Block::open(context, id, place);
        let max = extra(context, &mut inner, "max");
        let pause = pause(context, &mut inner);
        if max.is_none() && pause.is_none() {
            return None;
        }
        return Some(Retries {
            max,
            backoff_ms: pause.unwrap_or(0),
        });
    }
    if context.is_null(id) {
        block.take(context, "retries");
        other_form(
            context,
            place,
            "`retries` is there without fields; the project's own number is used",
            Some(json!({})),
        );
        return None;
    }
    if let Some(max) = context.scalar(id).as_u64() {
        let said = format!("`retries` should hold `max` and `backoff_seconds`; it is read as `max: {max}`");
        other_form(context, place, said, Some(json!({"max": max})));
    }
    let max = extra(context, block, "retries")?;
    Some(Retries {
        max: Some(max),
        backoff_ms: 0,
    })
}

/// A number of extra attempts.
fn extra(context: &mut Context<'_>, block: &mut Block, key: &str) -> Option<u32> {
    let id = block.peek(context, key)?;
    if negative(context, block, key, id, "there are no extra attempts") {
        return Some(0);
    }
    block.count(context, key, "the project's own number is used")
}

/// Milliseconds between attempts.
fn pause(context: &mut Context<'_>, block: &mut Block) -> Option<u64> {
    const KEY: &str = "backoff_seconds";
    let id = block.peek(context, KEY)?;
    if negative(context, block, KEY, id, "there is no pause") {
        return Some(0);
    }
    block.seconds(context, KEY, "there is no pause")
}

/// Takes and reports a number below zero.
fn negative(context: &mut Context<'_>, block: &mut Block, key: &str, id: NodeId, then: &str) -> bool {
    if context.scalar(id).as_f64().is_none_or(|number| number >= 0.0) {
        return false;
    }
    block.take(context, key);
    let place = block.place(key);
    let edit = match key {
        "retries" => json!({"max": 0}),
        _ => json!(0),
    };
    let found = Diagnostic::new(
        "GH0411",
        Severity::Error,
        place.clone(),
        format!("`{key}` is less than nothing; {then}"),
    )
    .help("Write 0 or more")
    .fix("Change to 0", Edit::Set { place, value: edit });
    context.push(found);
    true
}
