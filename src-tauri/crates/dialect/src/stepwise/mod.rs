//! Stepwise flows (seed 001): config flows (`key`, `agents`, `role`), spec flows of the later generation (`station`,
//! `objective`, `exit_on`, `when`) and graph files (`nodes`, `edges`).

mod author;
mod condition;
mod config;
mod detect;
mod detour;
mod fork;
mod graph;
mod list;
mod mentions;
mod policy;
mod rename;
mod routing;
mod several;
mod shown;
mod written;

use crate::dialect::{Dialect, File};
use crate::document::{self, Consequence, ListedFlow, StepField};
use crate::edit::{EditError, Put, Sheet, Source, TreeError, tree_edit};
use crate::fields::Shape;
use crate::form::Entries;
use crate::in_tree::{InTree, TreeReading};
use crate::reading::{Block, Context, bounded, stem};
use crate::said::called;
use crate::text::{TextEdit, apply};
use crate::tree::{Kind, Tree};
use author::Author;
use detect::lack;
use indexmap::IndexMap;
pub use list::key_of;
use model::{
    Condition, Diagnostic, Edit, FlowEdit, FlowKind, Format, Gestures, NewStep, Place, Routing, Severity, Spot, Step,
    StepKind, Workflow, WorkflowId,
};
use serde_json::Value;
pub use several::{Flow, never_begins, together};

/// Which of the three shapes a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Generation {
    Config,
    Spec,
    Graph,
    /// A list of flows.
    List,
}

/// What a person calls a file of nodes and edges.
pub(crate) const GRAPH_FILE: &str = "Graph file";

/// What was read from a file.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    pub(crate) workflow: Workflow,
    pub(crate) diagnostics: Vec<Diagnostic>,
    generation: Generation,
    /// Graph files: the place of a route → the index of the edge that makes it.
    routes: IndexMap<Place, usize>,
    /// Where each step or node of the file's own list has its name and what it is for.
    written: Vec<written::Written>,
    /// Where the steps of detours stand, which come behind the others.
    detours: Vec<Vec<String>>,
    /// Lists of flows: what each is called and where it is.
    listed: Vec<ListedFlow>,
    /// Lists of flows: each one leads to the next where it does not say otherwise.
    in_order: bool,
    /// Lists of flows: the keys of those in the order, as they begin.
    order: Vec<String>,
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
    if list::is_one(&context, &block) {
        return list_of_flows(context, block, stem);
    }
    if block.has(&context, "nodes") && !block.has(&context, "steps") {
        let mut graph = graph::read(&mut context, &mut block);
        let escalation = policy::of_flow(&mut context, &block, &graph.bounded, &mut graph.steps);
        let detours = detour::of_flow(&mut context, &mut block, "nodes", &graph.items, &mut graph.steps);
        let mut workflow = finish_flow(&mut context, block, stem, graph.steps);
        workflow.escalation = escalation;
        workflow.next_reported = false;
        return Reading {
            detours,
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
    let written = items
        .iter()
        .map(|id| config::written(&context, *id, generation))
        .collect();
    fork::of_flow(&mut context, &mut block, &items, &mut steps);
    let bounded: Vec<bool> = items.iter().map(|id| policy::has_bound(&context, *id)).collect();
    let escalation = policy::of_flow(&mut context, &block, &bounded, &mut steps);
    let detours = detour::of_flow(&mut context, &mut block, "steps", &items, &mut steps);
    let mut workflow = finish_flow(&mut context, block, stem, steps);
    workflow.escalation = escalation;
    workflow.spec_generation = generation == Generation::Spec;
    Reading {
        detours,
        written,
        ..finish(context, workflow, generation)
    }
}

/// A list of flows, each of them drawn as a step.
fn list_of_flows(mut context: Context<'_>, mut block: Block, stem: &str) -> Reading {
    let in_order = block.peek(&context, "in_order").is_none() || block.flag(&mut context, "in_order");
    let id = block.take(&context, "flows");
    let mut items = id.and_then(|id| context.tree.items(id)).unwrap_or_default().to_vec();
    bounded(&mut context, &mut items);
    let (mut steps, mut listed, mut indices) = (Vec::new(), Vec::new(), Vec::new());
    for (n, id) in items.iter().enumerate() {
        let (step, flow, index) = list::step(&mut context, n, *id);
        steps.push(step);
        listed.push(flow);
        indices.push(index);
    }
    let order = list::lead(&mut steps, &indices);
    if !in_order {
        steps
            .iter_mut()
            .for_each(|step| step.routing = model::Routing::Terminal);
    }
    let workflow = finish_root(&mut context, block, stem, steps);
    Reading {
        listed,
        in_order,
        order,
        ..finish(context, workflow, Generation::List)
    }
}

fn finish(context: Context<'_>, workflow: Workflow, generation: Generation) -> Reading {
    Reading {
        workflow,
        diagnostics: context.finish(),
        generation,
        routes: IndexMap::new(),
        written: Vec::new(),
        detours: Vec::new(),
        listed: Vec::new(),
        in_order: true,
        order: Vec::new(),
    }
}

const NO_STEPS: &str = "Write `steps:` and below it one `- id: …` for each step";

/// The same of a flow, which may say what follows it.
fn finish_flow(context: &mut Context<'_>, block: Block, stem: &str, steps: Vec<model::Step>) -> Workflow {
    let [complete, failure] = ["on_complete", "on_failure"].map(|key| list::onward(context, &block, key));
    let mut workflow = finish_root(context, block, stem, steps);
    workflow.on_complete = complete;
    workflow.after_failure = failure;
    workflow
}

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
        &["steps", "nodes", "flows"]
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
        if several::is_one(file.text) {
            return Box::new(several::Several::read(file.path, file.text));
        }
        let tree = file.tree.unwrap_or_else(|| Tree::read(file.path, file.text));
        let reading = read(file.path, file.text, &tree);
        Box::new(InTree { tree, reading })
    }
}

/// Whether a text is several flows put together by [`together`].
pub fn holds_several(text: &str) -> bool {
    several::is_one(text)
}

/// Whether a file is a list of flows.
fn is_list(path: &str, text: &str) -> bool {
    read(path, text, &Tree::read(path, text)).generation == Generation::List
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
    /// It is no part of an order: another flow leads to it, and it leads back.
    fn is_utility(&self) -> bool {
        let metadata = self.workflow.fields.get("metadata");
        metadata.and_then(|metadata| metadata["is_utility_flow"].as_bool()) == Some(true)
    }

    /// Where a step of a detour stands.
    fn detour(&self, step: usize) -> Option<&Vec<String>> {
        let own = self.workflow.steps().len() - self.detours.len();
        self.detours.get(step.checked_sub(own)?)
    }

    /// How many entries the list of its steps has.
    fn count(&self, text: &str, tree: &Tree) -> usize {
        let list = tree.root.and_then(|root| tree.get(text, root, self.list_key()));
        list.and_then(|list| tree.items(list)).map_or(0, <[_]>::len)
    }

    /// A step where there is none: a whole one behind the last one, and nothing else.
    fn behind_the_last(
        &self,
        path: &str,
        text: &str,
        tree: &Tree,
        (step, rest): (usize, &[String]),
        edit: &Edit,
    ) -> Result<Vec<TextEdit>, TreeError> {
        let count = self.count(text, tree);
        match edit {
            Edit::Set { value, .. } if rest.is_empty() && step == count && count > 0 => {
                let keys = [self.list_key().to_owned(), step.to_string()];
                let place = Place::document();
                let value = value.clone();
                tree_edit(path, text, tree, &keys, &Edit::Set { place, value })
            }
            // An empty list may be written as nothing, which would become a list of fields.
            Edit::Set {
                value: Value::Object(map),
                ..
            } if rest.is_empty() && step == count => {
                let mut sheet = Sheet::of(Source { name: path, text, tree });
                sheet.insert(self.list_key(), step, map)?;
                Ok(sheet.finish())
            }
            _ => Err(EditError::Missing {
                path: [&[self.list_key().to_owned(), step.to_string()], rest]
                    .concat()
                    .join("."),
            }
            .into()),
        }
    }

    /// A way that is always taken stands behind all others, and nothing follows otherwise: no change hides a way behind it.
    fn keeps_its_ways(&self, path: &str, after: &str, step: usize) -> Result<(), TreeError> {
        let hides = |reading: &Self| match &reading.workflow.steps().get(step)?.routing {
            Routing::Guarded { guards, next } => {
                let first = guards.iter().position(|guard| guard.condition == Condition::Always)?;
                match (first + 1 < guards.len(), next) {
                    (true, _) => Some("only the last way can be taken always: those behind it would never be"),
                    (false, Some(_)) => Some(
                        "“Otherwise” says what follows when no condition holds: name the step there, or take that out first",
                    ),
                    (false, None) => None,
                }
            }
            _ => None,
        };
        let is_by_conditions = |step: &model::Step| matches!(step.routing, Routing::Guarded { .. });
        if !self.workflow.steps().get(step).is_some_and(is_by_conditions) || hides(self).is_some() {
            return Ok(());
        }
        let after = read(path, after, &Tree::read(path, after));
        hides(&after).map_or(Ok(()), |why| Err(TreeError::unsound(why)))
    }

    /// So many ways lead on from a step, without that of a rejection.
    fn ways_out(&self, step: &Step) -> usize {
        let flows = self.workflow.flows().into_iter();
        let leaving = flows.filter(|(from, _, flow)| from.ordinal == step.ordinal && flow.kind != FlowKind::Reject);
        leaving.count()
    }

    /// That a change of what follows a step takes its last way away.
    fn ends(&self, path: &str, text: &str, tree: &Tree, edit: &Edit) -> Option<Consequence> {
        let place = edit.place();
        let is_routing = place.path.first().is_some_and(|key| key == "routing");
        let step = self.workflow.steps().get(place.step.filter(|_| is_routing)?)?;
        if self.ways_out(step) == 0 {
            return None;
        }
        let edits = TreeReading::edit(self, path, text, tree, edit).ok()?;
        let changed = apply(text, &edits);
        let after = read(path, &changed, &Tree::read(path, &changed));
        let now = after.workflow.steps().get(step.ordinal)?;
        let said = || Consequence::of(&step.id, format!("no way leads on from {} any more", called(&step.id)));
        (after.ways_out(now) == 0).then(said)
    }

    fn list_key(&self) -> &'static str {
        match self.generation {
            Generation::Graph => "nodes",
            Generation::List => "flows",
            Generation::Config | Generation::Spec => "steps",
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

    fn label(&self) -> &'static str {
        match self.generation {
            Generation::Graph => GRAPH_FILE,
            Generation::Config | Generation::Spec | Generation::List => self.workflow.format.label(),
        }
    }

    fn flows(&self) -> Option<&[ListedFlow]> {
        (self.generation == Generation::List).then_some(self.listed.as_slice())
    }

    // A flow beside the order is led to by what its files say, which stand elsewhere.
    fn in_words(&self, mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
        found.retain(|one| self.generation != Generation::List || one.code != "GH0002");
        found
    }

    fn shape(&self) -> Option<(Shape, &'static str)> {
        Some(match self.generation {
            Generation::Graph => (Shape::Graph, "nodes"),
            Generation::Config | Generation::Spec => (Shape::Flow, "steps"),
            Generation::List => (Shape::FlowList, "flows"),
        })
    }

    fn file_path(&self, place: &Place) -> Vec<String> {
        let Some(step) = place.step else {
            return place.path.clone();
        };
        if let Some(edge) = self.routes.get(place) {
            return vec!["edges".to_owned(), edge.to_string(), "to".to_owned()];
        }
        let in_list = || vec![self.list_key().to_owned(), step.to_string()];
        let mut path = self.detour(step).cloned().unwrap_or_else(in_list);
        path.extend(place.path.iter().cloned());
        path
    }

    fn place_of(&self, path: Vec<String>) -> Place {
        let own = self.workflow.steps().len() - self.detours.len();
        let inside = self.detours.iter().enumerate().filter(|(_, way)| path.starts_with(way));
        if let Some((n, way)) = inside.max_by_key(|(n, way)| (way.len(), std::cmp::Reverse(*n))) {
            return Place {
                step: Some(own + n),
                path: path[way.len()..].to_vec(),
            };
        }
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
        if self.detour(step).is_some() && field == StepField::Intent {
            return Some(place.field("objective"));
        }
        let graph = self.generation == Generation::Graph;
        let keys = |keys: written::Keys| place.clone().path(keys.iter().map(|key| (*key).to_owned()));
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
                Generation::List => place.field("description"),
                Generation::Spec => place.field("objective"),
                Generation::Graph => place.field("params").field("objective"),
            },
            StepField::MaxIterations if graph => place.field("params").field("max_iterations"),
            StepField::MaxIterations => place.field("routing").field("max_iterations"),
            StepField::HumanGate => place.field("human_gate"),
            StepField::GateQuestion => place.field("gate_question"),
        })
    }

    fn consequences(&self, path: &str, text: &str, tree: &Tree, edit: &Edit) -> Vec<Consequence> {
        if self.generation == Generation::List {
            return Vec::new();
        }
        match rename::is_one(self, edit) {
            true => rename::consequence(self, text, tree, edit).into_iter().collect(),
            false => {
                let mut found = Author::new(self, path, text, tree).entails(edit);
                if found.is_empty() {
                    found.extend(self.ends(path, text, tree, edit));
                }
                found
            }
        }
    }

    fn edit(&self, path: &str, text: &str, tree: &Tree, edit: &Edit) -> Result<Vec<TextEdit>, TreeError> {
        if let Some(fault) = tree.broken() {
            return Err(TreeError::Broken(fault.at));
        }
        if rename::is_one(self, edit) {
            return rename::edits(self, path, text, tree, edit);
        }
        let of_a_step = edit.place().step.is_some_and(|step| self.detour(step).is_none());
        let path_in_step = edit.place().path.as_slice();
        let of_whole = path_in_step.len() < 2 || matches!(path_in_step, [_, key] if key == "kind" || key == "next");
        if of_a_step
            && of_whole
            && self.generation != Generation::List
            && let Some(edits) = Author::new(self, path, text, tree).value_edit(edit)
        {
            return edits;
        }
        let keys = self.file_path(edit.place());
        if let [list, step, rest @ ..] = keys.as_slice()
            && list == self.list_key()
            && let Some(step) = step
                .parse::<usize>()
                .ok()
                .filter(|step| *step >= self.count(text, tree))
        {
            return self.behind_the_last(path, text, tree, (step, rest), edit);
        }
        let edits = tree_edit(path, text, tree, &keys, edit)?;
        if let (Some(step), true, [routing, ..]) = (edit.place().step, of_a_step, path_in_step)
            && routing == "routing"
        {
            self.keeps_its_ways(path, &apply(text, &edits), step)?;
        }
        Ok(edits)
    }

    fn flow_edit(&self, path: &str, text: &str, tree: &Tree, edit: &FlowEdit) -> Result<Vec<TextEdit>, TreeError> {
        if self.generation == Generation::List {
            let why = "this file lists flows; change each one in its own file".to_owned();
            return Err(EditError::Unfit { why }.into());
        }
        Author::new(self, path, text, tree).flow_edit(edit)
    }

    fn paste(&self, path: &str, text: &str, tree: &Tree, steps: &[&NewStep], at: &Spot) -> Put<TreeError> {
        match self.generation {
            Generation::List => Err((
                0,
                TreeError::unfit("this file lists flows; change each one in its own file"),
            )),
            _ => Author::new(self, path, text, tree).paste(steps, at),
        }
    }

    fn flow_consequences(&self, path: &str, text: &str, tree: &Tree, edit: &FlowEdit) -> Vec<Consequence> {
        if self.generation == Generation::List {
            return Vec::new();
        }
        Author::new(self, path, text, tree).flow_entails(edit)
    }

    fn palette(&self) -> Vec<StepKind> {
        self.kinds()
    }

    fn gestures(&self) -> Gestures {
        self.offered()
    }

    fn entries(&self, text: &str, tree: &Tree, step: Option<usize>) -> Option<Entries> {
        self.form_of(text, tree, step)
    }
}
