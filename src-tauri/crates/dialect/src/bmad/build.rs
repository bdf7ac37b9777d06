//! The workflow: what the workflow file says, and a StepSpec step for each step of the instructions.

use super::names::Names;
use super::steps::{self, Found, Inside, Written};
use super::tags::{plain, shortened};
use super::{Whole, whole};
use crate::reading::{Block, Context, stem};
use crate::stepspec::{Paths, agents};
use crate::text::Span;
use crate::tree::Tree;
use model::{
    AgentKey, Diagnostic, Format, Gate, GateAt, GateRequirement, Place, Question, Severity, Step, Workflow, WorkflowId,
};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashSet};

/// What stands around the steps is told to each of them, so it must not be long.
const MOST_AROUND: usize = 16 << 10;
/// A workflow file is no longer, in bytes: every step takes from it.
const MOST_OWN: usize = 64 << 10;
/// The most agents of a workflow, who all do every step.
const MOST_AGENTS: usize = 32;
/// The values of names that all steps together are told, in bytes.
const MOST_TOLD: usize = 4 << 20;

/// The file of instructions as it is named; `None` where it is none.
pub(super) fn instructions(context: &Context<'_>, root: &Block) -> Option<String> {
    let written = context.text(root.peek(context, "instructions")?)?;
    let end = written.trim().to_ascii_lowercase();
    (end.ends_with(".md") || end.ends_with(".xml")).then(|| written.trim().to_owned())
}

/// What the file's own fields stand for, and those of `variables`.
pub(super) fn names(context: &Context<'_>, root: &Block, path: &str) -> Names {
    let mut names = Names::at(path);
    let mut learn = |block: &Block| {
        for (key, value) in block.entries() {
            if let Some(text) = context.text(value) {
                names.learn(context.tree.key(context.source(), key), &text);
            }
        }
    };
    learn(root);
    if let Some(id) = root.peek(context, "variables").filter(|id| context.is_map(*id)) {
        learn(&Block::open(context, id, Place::document()));
    }
    names
}

/// The paths at which a file of instructions may be: a name alone is looked for beside the workflow file first.
pub(super) fn places(names: &Names, written: &str) -> Vec<String> {
    let (path, _) = names.path(written);
    let beside = format!("{}/{path}", names.here());
    match written.contains('{') || names.here() == "." {
        true => vec![path],
        false => vec![beside, path],
    }
}

/// What steps take from the workflow file.
struct FromWorkflow<'a> {
    text: &'a str,
    names: Names,
    agents: Vec<AgentKey>,
    phase: Option<String>,
    /// What is told to every step.
    every: String,
    /// What the names in that stand for.
    of_every: Vec<(String, String)>,
    output: Option<String>,
    template: Option<String>,
    /// How much may still be told.
    left: usize,
    /// What is asked before a run.
    questions: Vec<Question>,
    known: HashSet<String>,
    /// Outputs of the workflow file itself are checked once.
    checked: bool,
}

pub(super) fn read(path: &str, text: &str) -> Whole {
    let parts = whole::parts(text);
    let tree = Tree::read(path, &text[..parts.own]);
    let mut context = Context::new(&text[..parts.own], &tree);
    let found = match &parts.behind {
        Some((_, span)) if parts.own <= MOST_OWN => steps::find(text, *span),
        _ => Found::default(),
    };
    if parts.own > MOST_OWN {
        let said = format!(
            "The workflow file is longer than {} KiB; its steps are not read",
            MOST_OWN >> 10
        );
        let help = "Its steps stand in the file of instructions; here stands what they share";
        context.report("GH0113", Severity::Error, Place::document(), said, Some(help));
    }
    let mut workflow = None;
    if let Some(root) = tree.root.filter(|root| tree.entries(*root).is_some()) {
        let block = Block::open(&context, root, Place::document());
        workflow = Some(of_file(&mut context, block, path, text, &found, parts.behind.is_some()));
    }
    let workflow = workflow.unwrap_or_else(|| {
        let stem = stem(path);
        Workflow::new(
            WorkflowId::new(stem),
            model::step::humanise(stem),
            Format::StepSpec,
            Vec::new(),
        )
    });
    let mut faulty = BTreeMap::new();
    let count = workflow.steps().len();
    for fault in found.faults {
        faulty.insert(fault.at.start, fault.at.end);
        let place = at_tag(fault.step.filter(|step| *step < count), fault.at);
        let found = Diagnostic::new(fault.code, Severity::Error, place, fault.said);
        context.push(found.help(fault.help));
    }
    strange(&mut context, &found.strange);
    Whole {
        own: parts.own,
        behind: parts.behind,
        workflow,
        steps: found.steps.iter().map(|step| step.whole).collect(),
        faulty,
        diagnostics: context.finish(),
        tree,
    }
}

/// The place of a tag. [`Whole`] and [`crate::Document::span`] understand it.
fn at_tag(step: Option<usize>, at: Span) -> Place {
    let place = step.map_or_else(Place::document, Place::step);
    place.field(format!("@{}", at.start))
}

/// What is there to be read by whoever does the step, and by nobody else.
fn strange(context: &mut Context<'_>, strange: &BTreeMap<String, Span>) {
    let Some(first) = strange.values().min_by_key(|at| at.start) else {
        return;
    };
    let names: Vec<&str> = strange.keys().map(String::as_str).collect();
    let said = format!("Not known here, and told as it stands: {}", names.join(", "));
    let help = "Whoever does the step reads it; a run pays no heed to it";
    context.report("GH0502", Severity::Note, at_tag(None, *first), said, Some(help));
}

fn of_file(
    context: &mut Context<'_>,
    mut block: Block,
    path: &str,
    text: &str,
    found: &Found,
    is_whole: bool,
) -> Workflow {
    let names = names(context, &block, path);
    let stem = stem(path);
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let id = given(block.text(context, "name")).unwrap_or_else(|| stem.to_owned());
    let title = given(block.text(context, "title")).unwrap_or_else(|| model::step::humanise(&id));
    let description = given(block.text(context, "description"));
    let named = block.text(context, "instructions").unwrap_or_default();
    let every = around(context, text, found);
    let template = match block.peek(context, "template") {
        // A workflow without a document says so.
        Some(id) if context.says_nothing(id) => {
            block.take(context, "template");
            None
        }
        _ => block.text(context, "template"),
    };
    if !is_whole && context.tree.broken().is_none() {
        let said = format!(
            "The instructions `{}` were not read, so there is nothing to run",
            shortened(&named)
        );
        let help = "`instructions` names a file of this project, Markdown or XML, with a `<step n=\"1\" goal=\"…\">` for each step";
        context.report("GH0420", Severity::Error, block.place("instructions"), said, Some(help));
    } else if found.steps.is_empty() && context.tree.broken().is_none() {
        let said = "The instructions hold no `<step n=\"…\" goal=\"…\">`, so there is nothing to run";
        context.report("GH0401", Severity::Error, block.place("instructions"), said, None);
    }
    let mut agents = agents(context, &mut block);
    if agents.len() > MOST_AGENTS {
        let said = format!("There are more than {MOST_AGENTS} agents; the first {MOST_AGENTS} are read");
        context.report("GH0113", Severity::Error, block.place("agents"), said, None);
        agents.truncate(MOST_AGENTS);
    }
    let mut around = FromWorkflow {
        text,
        names,
        agents,
        phase: given(block.text(context, "phase")),
        every,
        of_every: Vec::new(),
        output: given(block.text(context, "default_output_file")),
        template,
        left: MOST_TOLD,
        questions: Vec::new(),
        known: HashSet::new(),
        checked: false,
    };
    elsewhere(context, &block, &around);
    let mut most = MOST_TOLD;
    match around.names.told(&around.every, &mut most) {
        Some(told) => around.of_every = told,
        None => too_much(context, &mut around, Place::document()),
    }
    let steps = found.steps.iter().enumerate();
    let steps = steps
        .map(|(n, written)| step(context, &mut around, n, written))
        .collect();
    let mut workflow = Workflow::new(WorkflowId::new(id), title, Format::StepSpec, steps);
    workflow.description = description;
    workflow.questions = around.questions;
    workflow.verbatim = true;
    workflow.fields = block.rest(context);
    workflow
}

/// `installed_path` is where the file lies; one that says otherwise has no effect.
fn elsewhere(context: &mut Context<'_>, block: &Block, around: &FromWorkflow<'_>) {
    let Some(written) = block.peek(context, "installed_path").and_then(|id| context.text(id)) else {
        return;
    };
    // What stands before the last name in braces is a folder of another project's.
    let said = written.rsplit('}').next().unwrap_or(&written).trim_matches('/');
    let here = around.names.here();
    let agrees = here == "." || here == said || here.ends_with(&format!("/{said}"));
    if !agrees && !said.is_empty() {
        let said = format!(
            "`installed_path` names another folder than the one in which this file lies; `{{installed_path}}` stands for `{}`",
            shortened(here)
        );
        context.report("GH0502", Severity::Note, block.place("installed_path"), said, None);
    }
}

/// What stands around the steps.
fn around(context: &mut Context<'_>, text: &str, found: &Found) -> String {
    let parts = found.around.iter().map(|span| text[span.start..span.end].trim());
    let all: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let all = all.join("\n\n").trim_start_matches('\u{feff}').to_owned();
    if all.len() > MOST_AROUND {
        let said = format!("What stands around the steps is longer than {} KiB", MOST_AROUND >> 10);
        let help = "It is told to every step. Move what belongs to one step into that step";
        context.report("GH0113", Severity::Error, Place::document(), said, Some(help));
        return String::new();
    }
    all
}

fn step(context: &mut Context<'_>, around: &mut FromWorkflow<'_>, ordinal: usize, written: &Written) -> Step {
    let tag = &written.tag;
    let number = tag.get("n").unwrap_or_default().trim();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '.';
    let number = match !number.is_empty() && number.len() <= 20 && number.chars().all(is_plain) {
        true => number.to_owned(),
        false => (ordinal + 1).to_string(),
    };
    let mut step = Step::new(format!("step-{number}"), ordinal);
    let attributes = ["goal", "title", "name"].into_iter().filter_map(|name| tag.get(name));
    let goal = attributes.map(words).find(|goal| !goal.is_empty());
    step.name = goal.clone().unwrap_or_else(|| format!("Step {number}"));
    step.number = number;
    step.intent = goal;
    step.agents.clone_from(&around.agents);
    step.phase.clone_from(&around.phase);
    let body = around.text[written.body.start..written.body.end].trim();
    let optional = tag.attributes.iter().any(|(name, value)| {
        name == "optional" && !["false", "no"].contains(&value.trim().to_ascii_lowercase().as_str())
    });
    for (name, told) in [("instructions", body), ("for_every_step", around.every.as_str())] {
        if !told.is_empty() {
            step.parameters.insert(name.to_owned(), told.into());
        }
    }
    if optional {
        let told = "This step may be left out; what it makes may be missing";
        step.parameters.insert("optional".to_owned(), told.into());
    }
    match told(around, body) {
        Some(told) if told.is_empty() => {}
        Some(told) => {
            step.parameters.insert("variables".to_owned(), told.into());
        }
        None => too_much(context, around, Place::step(ordinal)),
    }
    outputs(context, around, written, optional, &mut step);
    step.gate = Some(gate(context, around.text, ordinal, written));
    step
}

/// What the names in a step and around it stand for; `None` where that is too much.
fn told(around: &mut FromWorkflow<'_>, body: &str) -> Option<Map<String, Value>> {
    let own = around.names.told(body, &mut around.left)?;
    let mut told: Map<String, Value> = own.into_iter().map(|(name, value)| (name, value.into())).collect();
    for (name, value) in &around.of_every {
        if !told.contains_key(name) {
            around.left = around.left.checked_sub(name.len() + value.len())?;
            told.insert(name.clone(), value.as_str().into());
        }
    }
    Some(told)
}

fn too_much(context: &mut Context<'_>, around: &mut FromWorkflow<'_>, place: Place) {
    let said = "The steps name more of this file's values than can be told";
    let help = "Name them where they are needed, or write shorter values";
    context.report("GH0113", Severity::Error, place, said, Some(help));
    around.left = 0;
}

/// A text on one line.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The files that `<template-output>` is kept in, with the template that they follow.
fn outputs(
    context: &mut Context<'_>,
    around: &mut FromWorkflow<'_>,
    written: &Written,
    optional: bool,
    step: &mut Step,
) {
    let mut seen = HashSet::new();
    for output in &written.outputs {
        let own = output.tag.get("file").map(str::trim).filter(|file| !file.is_empty());
        let Some(named) = own.map(str::to_owned).or_else(|| around.output.clone()) else {
            let said =
                "This names no file, and the workflow has no `default_output_file`: nothing is checked and kept of it";
            let help =
                "Write `<template-output file=\"{output_folder}/…\">`, or `default_output_file` in the workflow file";
            let place = at_tag(Some(step.ordinal), output.tag.at);
            context.report("GH0502", Severity::Warning, place, said, Some(help));
            continue;
        };
        if !seen.insert(named.clone()) {
            continue;
        }
        let path = asked(around, &named);
        if own.is_some() {
            check(context, at_tag(Some(step.ordinal), output.tag.at), &path, true);
        } else {
            if !std::mem::replace(&mut around.checked, true) {
                let place = Place::document().field("default_output_file");
                check(context, place, &path, true);
            }
            if let Some(template) = around.template.clone() {
                let template = asked(around, &template);
                check(context, Place::document().field("template"), &template, false);
                step.templates.push(format!("template:{}", template.path));
            }
        }
        step.outputs.push(match optional {
            true => format!("{} (optional)", path.path),
            false => path.path,
        });
    }
}

/// A path with its names put in; what nothing says is asked for before a run.
fn asked(around: &mut FromWorkflow<'_>, written: &str) -> Asked {
    let (path, names) = around.names.path(written);
    for name in &names {
        if around.known.insert(name.clone()) {
            around.questions.push(around.names.question(name));
        }
    }
    Asked { path, names }
}

/// A path with the names that are asked for in it.
struct Asked {
    path: String,
    names: Vec<String>,
}

fn check(context: &mut Context<'_>, place: Place, asked: &Asked, is_output: bool) {
    let answers: HashSet<&str> = asked.names.iter().map(String::as_str).collect();
    let paths = Paths { answers: &answers };
    match is_output {
        true => paths.output(context, &place, &asked.path),
        false => paths.other(context, &place, &asked.path),
    }
}

/// Whom a step asks: what it asks for before its work, or after it where it shows something first; about what it made, where the project's
/// policy says so.
fn gate(context: &mut Context<'_>, text: &str, ordinal: usize, written: &Written) -> Gate {
    let shown = written.outputs.first().map(|output| output.tag.at.start);
    let is_after = |ask: &Inside| shown.is_some_and(|shown| ask.tag.at.start > shown);
    let said = |ask: &Inside| plain(text[ask.body.start..ask.body.end].trim());
    let asked: Vec<String> = written.asks.iter().map(said).filter(|said| !said.is_empty()).collect();
    let (requirement, at) = match written.asks.first() {
        Some(first) if is_after(first) => (GateRequirement::Required, GateAt::After),
        Some(_) => (GateRequirement::Required, GateAt::Before),
        None if shown.is_some() => (GateRequirement::Recommended, GateAt::After),
        None => (GateRequirement::Optional, GateAt::Before),
    };
    if at == GateAt::Before
        && let Some(late) = written.asks.iter().find(|ask| is_after(ask))
    {
        let said = "This is asked with the first question of its step, before the work";
        let help = "Write a step of its own for what is asked about the result";
        let place = at_tag(Some(ordinal), late.tag.at);
        context.report("GH0502", Severity::Warning, place, said, Some(help));
    }
    Gate {
        requirement,
        at,
        question: Some(asked.join("\n\n")).filter(|question| !question.is_empty()),
        asks: Vec::new(),
        on_reject: None,
    }
}
