//! StepSpec workflows (seed 000): steps in a row, each with its twelve fields, in YAML or JSON.
//!
//! * `detect`, `step`, `gate`, `inputs`, `tools`, `question`: reading. `form`: what is written in another form. `paths`: what is
//!   wrong with paths.
//! * [`schema_errors`], [`output_issues`], [`leaves`]: the seed's rules for one StepSpec as data. [`validation_checks`]: what a policy
//!   asks for.
//! * `edit`, `step_edit`: what a person changes in the graph.

mod detect;
mod edit;
mod file;
mod flow_edit;
mod form;
mod gate;
mod inputs;
mod paths;
mod policy;
mod question;
mod schema;
mod shown;
mod step;
mod step_edit;
mod tools;

use crate::dialect::{Dialect, File};
use crate::document::{self, Consequence, StepField};
use crate::edit::{Put, TreeError, tree_edit};
use crate::fields;
use crate::form::Entries;
use crate::in_tree::{InTree, TreeReading};
pub use crate::reading::leaves;
use crate::reading::{Block, Context, bounded, stem};
use crate::tree::{Kind, NodeId, Tree};
use detect::{Shape, shape};
use detect::{holds_one, lack};
use model::{
    Diagnostic, Edit, FlowEdit, Format, Gestures, NewStep, Place, Severity, Spot, Step, StepKind, Workflow, WorkflowId,
};
pub(crate) use paths::Paths;
pub use policy::{checks_nothing, is_evidence_level, policy_words, unnamed, validation_checks};
pub use schema::{OutputFault, output_fault, output_issues, schema_errors};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
pub(crate) use step::agents;
use step::{Defaults, Odd};

/// What was read from a file.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    pub(crate) workflow: Workflow,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Where the steps stand.
    shape: Shape,
    /// Steps that are written in another way than most.
    odd: BTreeMap<usize, Odd>,
}

/// Reads the workflow of a tree as far as there is one.
pub(crate) fn read(path: &str, text: &str, tree: &Tree) -> Reading {
    let mut context = Context::new(text, tree);
    let stem = stem(path);
    let Some(root) = tree.root.filter(|root| tree.entries(*root).is_some()) else {
        if tree.broken().is_none() {
            no_steps(
                &mut context,
                "This file holds no workflow: its outermost level is not a list of fields",
            );
        }
        let title = model::step::humanise(stem);
        let workflow = Workflow::new(WorkflowId::new(stem), title, Format::StepSpec, Vec::new());
        return Reading {
            workflow,
            diagnostics: context.finish(),
            shape: Shape::List(&["steps"]),
            odd: BTreeMap::new(),
        };
    };
    let shape = shape(text, tree, root);
    // A manifest holds the workflow deeper: its fields stand around the list.
    let around = shape.around();
    let holder = around.iter().try_fold(root, |here, key| tree.get(text, here, key));
    let place = Place::document().path(around.iter().map(|key| (*key).to_owned()));
    let mut block = Block::open(&context, holder.unwrap_or(root), place);
    if shape == Shape::One {
        return one(context, root, &block, stem);
    }
    block.take(&context, "format");
    let id = identity(&mut context, &mut block, stem);
    let title = ["title", "name"]
        .into_iter()
        .filter_map(|key| Some((key, form::text(&mut context, &mut block, key)?)));
    let title = title
        .filter(|(_, title)| !title.trim().is_empty())
        .fold(None, |first: Option<(&'static str, String)>, next| first.or(Some(next)));
    let title = title.map(|(key, title)| {
        let names = model::placeholder::answers_in(&title);
        paths::left_as_written(&mut context, &block.place(key), names, step::IN_A_NAME);
        title
    });
    let title = title.unwrap_or_else(|| model::step::humanise(&id));
    let description = form::text(&mut context, &mut block, "description");
    let phase = block.peek(&context, "phase").and_then(|id| context.text(id));
    let questions = question::read(&mut context, &mut block);
    let agents = agents(&mut context, &mut block);
    let items = entries(&mut context, &mut block, shape.key());
    let answers: HashSet<&str> = questions.iter().map(|question| question.name.as_str()).collect();
    let defaults = Defaults {
        phase: phase.filter(|phase| !phase.trim().is_empty()),
        agents,
        paths: Paths { answers: &answers },
    };
    let mut odd = BTreeMap::new();
    let mut steps = Vec::with_capacity(items.len());
    for (n, id) in items.into_iter().enumerate() {
        let (step, written) = step::read(&mut context, n, id, &defaults);
        if written != Odd::default() {
            odd.insert(n, written);
        }
        steps.push(step);
    }
    tools::check_gates(&mut context, &steps);
    let mut workflow = Workflow::new(WorkflowId::new(id), title, Format::StepSpec, steps);
    workflow.description = description.filter(|text| !text.is_empty());
    workflow.questions = questions;
    workflow.fields = block.rest(&mut context);
    Reading {
        workflow,
        diagnostics: context.finish(),
        shape,
        odd,
    }
}

/// A file that is one StepSpec: a workflow of one step, with its name.
fn one(mut context: Context<'_>, root: NodeId, block: &Block, stem: &str) -> Reading {
    let text = |key: &str| block.peek(&context, key).and_then(|id| context.text(id));
    let id = text("workflow")
        .or_else(|| text("id"))
        .unwrap_or_else(|| stem.to_owned());
    let defaults = Defaults {
        phase: None,
        agents: Vec::new(),
        paths: Paths {
            answers: &HashSet::new(),
        },
    };
    let (step, written) = step::read(&mut context, 0, root, &defaults);
    let odd = [(0, written)].into_iter().filter(|(_, odd)| *odd != Odd::default());
    let workflow = Workflow::new(WorkflowId::new(id), step.name.clone(), Format::StepSpec, vec![step]);
    Reading {
        workflow,
        diagnostics: context.finish(),
        shape: Shape::One,
        odd: odd.collect(),
    }
}

/// The workflow's id, which the project's policy looks for its words in: `workflow`, `id`, else the file's name.
fn identity(context: &mut Context<'_>, block: &mut Block, stem: &str) -> String {
    let given = ["workflow", "id"]
        .into_iter()
        .filter_map(|key| form::text(context, block, key));
    let given = given
        .filter(|id| !id.trim().is_empty())
        .fold(None, |first: Option<String>, next| first.or(Some(next)));
    given.unwrap_or_else(|| stem.to_owned())
}

/// The entries of the list of steps.
fn entries(context: &mut Context<'_>, block: &mut Block, key: &str) -> Vec<NodeId> {
    let tree = context.tree;
    let list = block.take(context, key);
    let mut items = match list.map(|id| (id, &tree.node(tree.resolve(id)).kind)) {
        Some((_, Kind::List { items, .. })) => items.clone(),
        Some((id, _)) if !context.is_null(id) => {
            let said = format!("`{key}` is not a list, so there is nothing to run");
            no_steps(context, &said);
            return Vec::new();
        }
        _ => Vec::new(),
    };
    if items.is_empty() && tree.broken().is_none() {
        no_steps(context, "This workflow has no steps, so there is nothing to run");
    }
    bounded(context, &mut items);
    items
}

fn no_steps(context: &mut Context<'_>, said: &str) {
    let place = Place::document().field("steps");
    let help = "Write `steps:` and below it one `- id: …` for each step";
    context.report("GH0401", Severity::Error, place, said, Some(help));
}

/// The dialect of StepSpec workflows.
pub(crate) struct StepSpec;

impl Dialect for StepSpec {
    fn format(&self) -> Format {
        Format::StepSpec
    }

    fn words(&self) -> &'static [&'static str] {
        &["steps", "step_specs", "human_gate", "format:", "\"format\""]
    }

    fn holds(&self, file: &File<'_>) -> bool {
        file.tree.as_ref().is_some_and(|tree| holds_one(file.text, tree))
    }

    fn lacks(&self, file: &File<'_>) -> Option<String> {
        let (context, root) = file.root()?;
        lack(&context, &root)
    }

    fn read(&self, file: File<'_>) -> Box<dyn document::Reading> {
        let tree = file.tree.unwrap_or_else(|| Tree::read(file.path, file.text));
        let reading = read(file.path, file.text, &tree);
        Box::new(InTree { tree, reading })
    }
}

impl Reading {
    /// Under which key of the file the steps stand; absent: the file is one StepSpec, or the manifest of a run.
    fn list(&self) -> Option<&'static str> {
        (self.shape.path().len() == 1).then(|| self.shape.key())
    }

    fn odd(&self, step: usize) -> Odd {
        self.odd.get(&step).copied().unwrap_or_default()
    }
}

impl TreeReading for Reading {
    fn workflow(&self) -> &Workflow {
        &self.workflow
    }

    fn own_diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    fn shape(&self) -> Option<(fields::Shape, &'static str)> {
        match self.shape {
            Shape::One => Some((fields::Shape::OneStepSpec, "")),
            Shape::List(_) => Some((fields::Shape::StepSpec, self.list()?)),
        }
    }

    fn consequences(&self, _path: &str, text: &str, tree: &Tree, edit: &Edit) -> Vec<Consequence> {
        let asked = self.asked_by(text, tree, edit);
        self.goes_with(edit).into_iter().chain(asked).collect()
    }

    fn renamed(&self, path: &str, text: &str, tree: &Tree, edit: &Edit) -> file::Edits {
        match self.asked_by(text, tree, edit) {
            Some(_) => self.edit_in(path, text, tree, edit),
            None => tree_edit(path, text, tree, &self.file_path(edit.place()), edit),
        }
    }

    fn edit(&self, path: &str, text: &str, tree: &Tree, edit: &Edit) -> file::Edits {
        self.edit_in(path, text, tree, edit)
    }

    fn file_path(&self, place: &Place) -> Vec<String> {
        let Some(step) = place.step else {
            return place.path.clone();
        };
        let mut path = self.shape.path();
        if self.shape != Shape::One {
            path.push(step.to_string());
        }
        let (first, rest) = match place.path.split_first() {
            Some((first, rest)) => (first.as_str(), rest),
            None => return path,
        };
        let named = |name: &str| gate::NAMES.iter().position(|(flat, _)| *flat == name);
        match (self.odd(step).gate, named(first)) {
            (gate::Form::Word, _) if first == "human_gate" => path.push("gate".to_owned()),
            (gate::Form::Block(inside), Some(n)) if inside[n] => {
                path.extend(["gate", gate::NAMES[n].1].map(str::to_owned));
            }
            _ => path.push(first.to_owned()),
        }
        path.extend(rest.iter().cloned());
        path
    }

    fn place_of(&self, path: Vec<String>) -> Place {
        let Some((step, mut path)) = self.shape.inside(&path) else {
            return Place { step: None, path };
        };
        match (self.odd(step).gate, path.as_slice()) {
            (gate::Form::Word, [first, ..]) if first == "gate" => "human_gate".clone_into(&mut path[0]),
            (gate::Form::Block(_), [first, inner, ..]) if first == "gate" => {
                if let Some((flat, _)) = gate::NAMES.iter().find(|(_, name)| name == inner) {
                    path.remove(0);
                    (*flat).clone_into(&mut path[0]);
                }
            }
            _ => {}
        }
        Place { step: Some(step), path }
    }

    fn field(&self, step: usize, field: StepField) -> Option<Place> {
        let place = Place::step(step);
        match field {
            StepField::Name => Some(place.field("name")),
            StepField::Intent => Some(place.field("description")),
            // Nothing loops: a step is tried again, or asked for again by a person.
            StepField::MaxIterations => None,
            StepField::HumanGate => Some(place.field("human_gate")),
            StepField::GateQuestion => Some(place.field("gate_question")),
        }
    }

    fn does(&self, written: &dyn Fn(&Place) -> Option<Value>, step: &Step, to: &str) -> Option<Vec<Edit>> {
        Some(self.done_by(written, step, to))
    }

    fn flow_edit(&self, path: &str, text: &str, tree: &Tree, edit: &FlowEdit) -> file::Edits {
        flow_edit::Steps::of(self, path, text, tree).edit(edit)
    }

    fn paste(&self, path: &str, text: &str, tree: &Tree, steps: &[&NewStep], at: &Spot) -> Put<TreeError> {
        flow_edit::Steps::of(self, path, text, tree).paste(steps, at)
    }

    fn flow_consequences(&self, path: &str, text: &str, tree: &Tree, edit: &FlowEdit) -> Vec<Consequence> {
        flow_edit::Steps::of(self, path, text, tree).entails(edit)
    }

    fn palette(&self) -> Vec<StepKind> {
        self.kinds()
    }

    fn gestures(&self) -> Gestures {
        self.offered()
    }

    fn entries(&self, text: &str, tree: &Tree, step: Option<usize>) -> Option<Entries> {
        let has = |key: &str| tree.root.is_some_and(|root| tree.get(text, root, key).is_some());
        // What a file calls its questions it keeps calling so.
        let key = match has("run_inputs") && !has("questions") {
            true => "run_inputs",
            false => "questions",
        };
        let written = |place: &Place| crate::in_tree::node(text, tree, &self.file_path(place)).is_some();
        self.form_of(step, key, &written)
    }
}
