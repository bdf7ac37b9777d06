//! Stepwise flows (seed 001): config flows (`key`, `agents`, `role`), spec flows of the later generation (`station`,
//! `objective`, `exit_on`, `when`) and graph files (`nodes`, `edges`).

mod config;
mod detect;
mod graph;
mod routing;

use crate::StepField;
use crate::fields::Shape;
use crate::reading::{Block, Context};
use crate::tree::{Kind, Tree};
pub(crate) use detect::lack;
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
        let workflow = finish_root(&mut context, block, stem, graph.steps);
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
    let steps = items
        .iter()
        .enumerate()
        .map(|(n, id)| config::step(&mut context, n, *id, generation))
        .collect();
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

/// Steps past this many are not read: a step takes some hundred times the memory of `- x`.
const MOST_STEPS: usize = 500_000;

pub(crate) fn bounded(context: &mut Context<'_>, items: &mut Vec<crate::tree::NodeId>) {
    if items.len() > MOST_STEPS {
        let said = format!("This flow has {} steps; the first {MOST_STEPS} are read", items.len());
        context.report(
            "GH0113",
            Severity::Error,
            Place::document(),
            said,
            Some("Split the file"),
        );
        items.truncate(MOST_STEPS);
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

/// The file's name without folder and endings: `flows/build-flow.graph.json` → `build-flow`.
pub(crate) fn stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = ["yaml", "yml", "json"]
        .iter()
        .find_map(|end| name.strip_suffix(end)?.strip_suffix('.'))
        .unwrap_or(name);
    let stem = stem.strip_suffix(".graph").unwrap_or(stem);
    if stem.is_empty() { "flow" } else { stem }
}

impl Reading {
    /// By which table of fields the file is held, and where its steps stand.
    pub(crate) fn shape(&self) -> (Shape, &'static str) {
        match self.generation {
            Generation::Graph => (Shape::Graph, "nodes"),
            Generation::Config | Generation::Spec => (Shape::Flow, "steps"),
        }
    }

    fn list_key(&self) -> &'static str {
        if self.generation == Generation::Graph {
            "nodes"
        } else {
            "steps"
        }
    }

    /// A place as keys from the root of the file.
    pub(crate) fn file_path(&self, place: &Place) -> Vec<String> {
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

    /// Keys from the root of the file as a place.
    pub(crate) fn place_of(&self, path: Vec<String>) -> Place {
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

    /// Where a field that people edit stands in this generation.
    pub(crate) fn field(&self, step: usize, field: StepField) -> Place {
        let place = Place::step(step);
        let graph = self.generation == Generation::Graph;
        let keys = |keys: graph::Keys| place.clone().path(keys.iter().map(|key| (*key).to_owned()));
        match (field, self.written.get(step)) {
            (StepField::Name, Some(node)) => return keys(node.name),
            (StepField::Intent, Some(node)) => return keys(node.intent),
            _ => {}
        }
        match field {
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
        }
    }
}
