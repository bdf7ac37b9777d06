//! Stepwise flows (seed 001): config flows (`key`, `agents`, `role`), spec flows of the later generation (`station`,
//! `objective`, `exit_on`, `when`) and graph files (`nodes`, `edges`).

mod condition;
mod config;
mod detect;
mod fork;
mod graph;
mod routing;

use crate::dialect::{Dialect, File};
use crate::document::{self, StepField};
use crate::fields::Shape;
use crate::in_tree::{InTree, TreeReading};
use crate::reading::{Block, Context, bounded, stem};
use crate::tree::{Kind, Tree};
use detect::lack;
use indexmap::IndexMap;
use model::{Diagnostic, Format, Place, Severity, Workflow, WorkflowId};

/// Which of the three shapes a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Generation {
    Config,
    Spec,
    Graph,
}

/// What was read from a file.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    pub(crate) workflow: Workflow,
    pub(crate) diagnostics: Vec<Diagnostic>,
    generation: Generation,
    /// Graph files: the place of a route → the index of the edge that makes it.
    routes: IndexMap<Place, usize>,
    /// Graph files: where each node has its name and what it is for.
    written: Vec<graph::Written>,
}

/// Reads the workflow of a tree as far as there is one.
pub(crate) fn read(path: &str, text: &str, tree: &Tree) -> Reading {
    let mut context = Context::new(text, tree);
    let stem = stem(path);
    let Some(root) = tree.root.filter(|root| tree.entries(*root).is_some()) else {
        if tree.broken().is_none() {
            let said = "This file holds no workflow: its outermost level is not a list of fields";
            context.report("GH0105", Severity::Error, Place::document(), said, Some(NO_STEPS));
        }
        let workflow = Workflow::new(
            WorkflowId::new(stem),
            model::step::humanise(stem),
            Format::Stepwise,
            Vec::new(),
        );
        return finish(context, workflow, Generation::Config);
    };
    let mut block = Block::open(&context, root, Place::document());
    if block.has(&context, "nodes") && !block.has(&context, "steps") {
        let graph = graph::read(&mut context, &mut block);
        let mut workflow = finish_root(&mut context, block, stem, graph.steps);
        workflow.next_reported = false;
        return Reading {
            routes: graph.routes,
            written: graph.written,
            ..finish(context, workflow, Generation::Graph)
        };
    }
    let list = block.take(&context, "steps");
    let mut items: Vec<_> = match list.map(|id| (id, &tree.node(tree.resolve(id)).kind)) {
        Some((_, Kind::List { items, .. })) => items.clone(),
        found => {
            let place = Place::document().field("steps");
            match found {
                Some((id, _)) if !context.is_null(id) => {
                    let said = "`steps` is not a list, so there is nothing to run";
                    context.report("GH0105", Severity::Error, place, said, Some(NO_STEPS));
                }
                _ if tree.broken().is_some() => {}
                _ => context.report(
                    "GH0105",
                    Severity::Error,
                    place,
                    "This flow has no steps",
                    Some(NO_STEPS),
                ),
            }
            Vec::new()
        }
    };
    bounded(&mut context, &mut items);
    let generation = config::generation(&context, &block, &items);
    let mut steps: Vec<_> = items
        .iter()
        .enumerate()
        .map(|(n, id)| config::step(&mut context, n, *id, generation))
        .collect();
    fork::of_flow(&mut context, &mut block, &items, &mut steps);
    let mut workflow = finish_root(&mut context, block, stem, steps);
    workflow.spec_generation = generation == Generation::Spec;
    finish(context, workflow, generation)
}

fn finish(context: Context<'_>, workflow: Workflow, generation: Generation) -> Reading {
    Reading {
        workflow,
        diagnostics: context.finish(),
        generation,
        routes: IndexMap::new(),
        written: Vec::new(),
    }
}

const NO_STEPS: &str = "Write `steps:` and below it one `- id: …` for each step";

fn finish_root(context: &mut Context<'_>, mut block: Block, stem: &str, steps: Vec<model::Step>) -> Workflow {
    let id = block
        .text(context, "key")
        .or_else(|| block.text(context, "id"))
        .unwrap_or_else(|| stem.to_owned());
    let title = block.text(context, "title").or_else(|| block.text(context, "name"));
    let title = title.unwrap_or_else(|| model::step::humanise(&id));
    let description = block.text(context, "description");
    let mut workflow = Workflow::new(WorkflowId::new(id), title, Format::Stepwise, steps);
    workflow.description = description;
    workflow.fields = block.rest(context);
    workflow
}

/// The dialect of flows.
pub(crate) struct Stepwise;

impl Dialect for Stepwise {
    fn format(&self) -> Format {
        Format::Stepwise
    }

    fn words(&self) -> &'static [&'static str] {
        &["steps", "nodes"]
    }

    fn holds(&self, file: &File<'_>) -> bool {
        let Some(tree) = &file.tree else { return false };
        lack(&Context::new(file.text, tree), file.text).is_none()
    }

    fn lacks(&self, file: &File<'_>) -> Option<String> {
        let (context, root) = file.root()?;
        let is_near = root.has(&context, "steps") || root.has(&context, "nodes");
        lack(&context, file.text).filter(|_| is_near)
    }

    fn read(&self, file: File<'_>) -> Box<dyn document::Reading> {
        let tree = file.tree.unwrap_or_else(|| Tree::read(file.path, file.text));
        let reading = read(file.path, file.text, &tree);
        Box::new(InTree { tree, reading })
    }
}

/// What a file lacks of a flow that comes near no format, as the end of a sentence.
pub(crate) fn lacks_of_a_flow(file: &File<'_>) -> String {
    let lacks = file
        .tree
        .as_ref()
        .and_then(|tree| lack(&Context::new(file.text, tree), file.text));
    lacks.unwrap_or_default()
}

impl Reading {
    fn list_key(&self) -> &'static str {
        if self.generation == Generation::Graph {
            "nodes"
        } else {
            "steps"
        }
    }
}

impl TreeReading for Reading {
    fn workflow(&self) -> &Workflow {
        &self.workflow
    }

    fn own_diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    fn shape(&self) -> Option<(Shape, &'static str)> {
        Some(match self.generation {
            Generation::Graph => (Shape::Graph, "nodes"),
            Generation::Config | Generation::Spec => (Shape::Flow, "steps"),
        })
    }

    fn file_path(&self, place: &Place) -> Vec<String> {
        let Some(step) = place.step else {
            return place.path.clone();
        };
        if let Some(edge) = self.routes.get(place) {
            return vec!["edges".to_owned(), edge.to_string(), "to".to_owned()];
        }
        let mut path = vec![self.list_key().to_owned(), step.to_string()];
        path.extend(place.path.iter().cloned());
        path
    }

    fn place_of(&self, path: Vec<String>) -> Place {
        if path.len() >= 2 {
            if path[0] == self.list_key()
                && let Ok(step) = path[1].parse()
            {
                return Place {
                    step: Some(step),
                    path: path[2..].to_vec(),
                };
            }
            if self.generation == Generation::Graph
                && path[0] == "edges"
                && let Ok(edge) = path[1].parse::<usize>()
                && let Some((place, _)) = self.routes.iter().find(|(_, e)| **e == edge)
            {
                return place.clone();
            }
        }
        Place { step: None, path }
    }

    fn field(&self, step: usize, field: StepField) -> Option<Place> {
        let place = Place::step(step);
        let graph = self.generation == Generation::Graph;
        let keys = |keys: graph::Keys| place.clone().path(keys.iter().map(|key| (*key).to_owned()));
        match (field, self.written.get(step)) {
            (StepField::Name, Some(node)) => return Some(keys(node.name)),
            (StepField::Intent, Some(node)) => return Some(keys(node.intent)),
            _ => {}
        }
        Some(match field {
            StepField::Name => {
                let titled = self
                    .workflow
                    .steps()
                    .get(step)
                    .is_some_and(|s| s.fields.contains_key("title"));
                place.field(if titled { "title" } else { "name" })
            }
            StepField::Intent => match self.generation {
                Generation::Config => place.field("role"),
                Generation::Spec => place.field("objective"),
                Generation::Graph => place.field("params").field("objective"),
            },
            StepField::MaxIterations if graph => place.field("params").field("max_iterations"),
            StepField::MaxIterations => place.field("routing").field("max_iterations"),
            StepField::HumanGate => place.field("human_gate"),
            StepField::GateQuestion => place.field("gate_question"),
        })
    }
}
