//! Agent workflows: the workflow files of seed 003's family, YAML or JSON. A block `workflow` says what the file is for; a `sequence`, or
//! `parallel_groups`, lists who does what, what it makes and what it takes.
//!
//! * `author`: gestures on its steps. `shown`: what a window offers. `detect`: what makes a file one. `step`: one entry. `group`: groups, where they wait and how they end. `check`: what is wrong with the
//!   whole.
//! * A step of a sequence waits for the one before it, or for what its `depends_on` names. A group waits for the one before it, or for those
//!   that `depends_on_groups` names; its steps go on beside each other (`parallel: true`) or one after the other.

mod author;
mod check;
mod detect;
mod group;
mod shown;
mod step;

use crate::dialect::{Dialect, File};
use crate::document::{self, Changed, Consequence, StepField};
use crate::edit::{Put, TreeError};
use crate::fields::Shape;
use crate::form::Entries;
use crate::in_tree::{InTree, TreeReading};
use crate::reading::{Block, Context, bounded, gate, stem};
use crate::tree::{NodeId, Tree};
use author::Author;
use detect::{Generation, generation, lack};
use group::Groups;
use model::{
    Diagnostic, Edit, FlowEdit, Format, Gestures, NewStep, Place, Severity, Spot, Step, StepId, StepKind, Workflow,
    WorkflowId,
};
use std::collections::{BTreeMap, HashMap, HashSet};
use step::Entry;

/// More dependencies than these are not read: groups that wait for groups would have as many as the product of both.
const MOST_WAITS: usize = 500_000;

/// What was read from a file.
#[derive(Debug)]
pub(crate) struct Reading {
    workflow: Workflow,
    diagnostics: Vec<Diagnostic>,
    generation: Generation,
    /// Where each step stands in its list: in which group, and at which place of it.
    at: Vec<(Option<usize>, usize)>,
    /// The step at such a place.
    steps: BTreeMap<(Option<usize>, usize), usize>,
    /// What each step waits for, and where that comes from.
    waits: Vec<Waits>,
    /// Where rejections at a step are said to lead and do not.
    rejected: BTreeMap<usize, StepId>,
}

/// What a step waits for.
#[derive(Debug, Default)]
struct Waits {
    /// The number that others may name it by.
    number: Option<String>,
    /// What its own `depends_on` names; `None`: it has none.
    named: Option<Vec<StepId>>,
    /// The steps that it waits for because of where it stands.
    around: Vec<usize>,
}

/// Reads the workflow of a tree as far as there is one.
fn read(path: &str, text: &str, tree: &Tree) -> Reading {
    let mut context = Context::new(text, tree);
    let root = tree.root.filter(|root| context.is_map(*root));
    let mut reading = Reading {
        workflow: Workflow::new(
            WorkflowId::new(stem(path)),
            model::step::humanise(stem(path)),
            Format::AgentWorkflow,
            Vec::new(),
        ),
        diagnostics: Vec::new(),
        generation: Generation::Inside,
        at: Vec::new(),
        steps: BTreeMap::new(),
        waits: Vec::new(),
        rejected: BTreeMap::new(),
    };
    let Some(root) = root else {
        no_steps(&mut context, Place::document());
        reading.diagnostics = context.finish();
        return reading;
    };
    let mut block = Block::open(&context, root, Place::document());
    let found = generation(&context, &block);
    let entries = match found {
        Some((of, list)) => {
            reading.generation = of;
            steps(&mut context, &block, of, list, &mut reading)
        }
        None => Vec::new(),
    };
    if entries.is_empty() && tree.broken().is_none() {
        no_steps(
            &mut context,
            Place::document().path(reading.generation.way().iter().map(ToString::to_string)),
        );
    }
    for key in ["sequence", "parallel_groups"] {
        let other = block.take(&context, key);
        // Two lists would be two workflows.
        if other.is_some_and(|id| !context.says_nothing(id)) && reading.generation.way() != [key] {
            let said = format!(
                "`{key}` has no effect beside `{}`: its steps would not be done",
                reading.generation.way().join(".")
            );
            let help = "Make one list of both, or two files";
            context.report(
                "GH0702",
                Severity::Error,
                Place::document().field(key),
                said,
                Some(help),
            );
        }
    }
    let head = block.take(&context, "workflow").filter(|id| context.is_map(*id));
    let head = head.map(|id| Block::open(&context, id, Place::document().field("workflow")));
    let mut workflow = match head {
        Some(head) => headed(&mut context, path, head, entries),
        None => Workflow::new(
            reading.workflow.id.clone(),
            reading.workflow.title.clone(),
            Format::AgentWorkflow,
            entries,
        ),
    };
    for (key, value) in block.rest(&mut context) {
        workflow.fields.entry(key).or_insert(value);
    }
    check::check(&mut context, &workflow);
    reading.workflow = workflow;
    reading.diagnostics = context.finish();
    reading
}

/// The workflow with what its head says of it.
fn headed(context: &mut Context<'_>, path: &str, mut head: Block, steps: Vec<Step>) -> Workflow {
    head.take(context, "sequence");
    let id = head.text(context, "id").filter(|id| !id.trim().is_empty());
    let name = head.text(context, "name").filter(|name| !name.trim().is_empty());
    // Later files name themselves by what earlier ones have as their id.
    let id = id.or_else(|| name.clone().filter(|name| !name.contains(char::is_whitespace)));
    let id = id.unwrap_or_else(|| stem(path).to_owned());
    let title = match name {
        Some(name) if name != id => name,
        _ => model::step::humanise(&id),
    };
    let kind = head.text(context, "type");
    let category = head.text(context, "category");
    let mut workflow = Workflow::new(WorkflowId::new(id), title, Format::AgentWorkflow, steps);
    workflow.description = head.text(context, "description");
    // `type: greenfield` beside `category: service`; the first files write the kind out.
    workflow.kind = match (kind, category) {
        (Some(kind), Some(category)) => Some(format!("{kind}-{category}")),
        (kind, category) => kind.or(category),
    };
    workflow.fields = head.rest(context);
    workflow
}

/// The steps of a list, with what each waits for.
fn steps(context: &mut Context<'_>, root: &Block, of: Generation, list: NodeId, reading: &mut Reading) -> Vec<Step> {
    let mut items = context.items(list).unwrap_or(&[]).to_vec();
    bounded(context, &mut items);
    let default = group::strategy(context, root);
    let mut taken = HashSet::new();
    let mut entries: Vec<Entry> = Vec::new();
    let mut groups = Groups::default();
    match of {
        Generation::Inside | Generation::Beside => {
            let last = items.len().saturating_sub(1);
            for (n, item) in items.into_iter().enumerate() {
                if let Some(entry) = entry(context, (None, n), n == last, item, &mut taken, reading) {
                    entries.push(entry);
                }
            }
        }
        Generation::Groups => {
            let last = items.len().saturating_sub(1);
            for (g, item) in items.into_iter().enumerate() {
                let (rules, members) = group::read(context, g, item, &default, &groups);
                let first = entries.len();
                let behind = members.len().saturating_sub(1);
                for (n, item) in members.into_iter().enumerate() {
                    if let Some(mut entry) = entry(
                        context,
                        (Some(g), n),
                        g == last && n == behind,
                        item,
                        &mut taken,
                        reading,
                    ) {
                        rules.told(context, &mut entry.step);
                        entries.push(entry);
                    }
                }
                groups.add(rules, first..entries.len());
            }
        }
    }
    let (waits, written) = waits(context, &entries, &groups, of);
    reading.waits = written;
    let mut steps: Vec<Step> = entries.into_iter().map(|entry| entry.step).collect();
    for (step, waits) in steps.iter_mut().zip(waits) {
        step.depends_on = waits;
        step.retries = step.retries.or(default.retries);
    }
    reading.rejected = gate::without_effect(context, &mut steps, "step");
    steps
}

/// One entry of a list; what names no agent is no step, and is named.
fn entry(
    context: &mut Context<'_>,
    at: (Option<usize>, usize),
    is_last: bool,
    item: NodeId,
    taken: &mut HashSet<String>,
    reading: &mut Reading,
) -> Option<Entry> {
    let place = Place::document().path(reading.way(at));
    if !check::is_step(context, item, is_last, &place) {
        return None;
    }
    let ordinal = reading.at.len();
    reading.at.push(at);
    reading.steps.insert(at, ordinal);
    Some(step::read(context, ordinal, item, taken))
}

/// What each step waits for.
fn waits(
    context: &mut Context<'_>,
    entries: &[Entry],
    groups: &Groups,
    of: Generation,
) -> (Vec<Vec<StepId>>, Vec<Waits>) {
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    for (n, entry) in entries.iter().enumerate() {
        by_name.entry(entry.step.id.as_str()).or_insert(n);
        if let Some(number) = &entry.number {
            by_name.entry(number).or_insert(n);
        }
    }
    let mut left = MOST_WAITS;
    let mut reported = false;
    let mut all = Vec::with_capacity(entries.len());
    let mut written = Vec::with_capacity(entries.len());
    for (n, entry) in entries.iter().enumerate() {
        let named = entry
            .waits
            .iter()
            .flatten()
            .map(|name| match by_name.get(name.as_str()) {
                Some(&other) => entries[other].step.id.clone(),
                // The rule about steps that are not there names it.
                None => StepId::new(name.as_str()),
            });
        let mut own: Vec<StepId> = named.collect();
        let around: Vec<usize> = match of {
            // What cannot be kept is not looked for either.
            _ if reported => Vec::new(),
            Generation::Groups => groups.before(context, n),
            _ if entry.waits.is_some() => Vec::new(),
            _ => n.checked_sub(1).into_iter().collect(),
        };
        written.push(Waits {
            number: entry.number.clone().filter(|number| step::is_number(number)),
            named: entry.waits.is_some().then(|| own.clone()),
            around: around.clone(),
        });
        let known: HashSet<StepId> = own.iter().cloned().collect();
        let around = around.into_iter().map(|other| entries[other].step.id.clone());
        own.extend(around.filter(|id| !known.contains(id) && *id != entry.step.id));
        if own.len() > left && !reported {
            reported = true;
            let said = format!("The groups of this workflow wait for each other in more than {MOST_WAITS} ways");
            let help = "Put a step between the groups that waits for the one and that the other waits for";
            context.report("GH0113", Severity::Error, Place::document(), said, Some(help));
        }
        own.truncate(left);
        left -= own.len();
        all.push(own);
    }
    (all, written)
}

fn no_steps(context: &mut Context<'_>, place: Place) {
    let said = "This workflow has no step, so there is nothing to run";
    let help = "Write `sequence:` below `workflow:`, and one `- agent: …` for each step";
    context.report("GH0701", Severity::Error, place, said, Some(help));
}

/// The dialect of agent workflows.
pub(crate) struct AgentWorkflow;

impl Dialect for AgentWorkflow {
    fn format(&self) -> Format {
        Format::AgentWorkflow
    }

    fn words(&self) -> &'static [&'static str] {
        &["sequence", "parallel_groups"]
    }

    fn holds(&self, file: &File<'_>) -> bool {
        let root = file.root();
        root.is_some_and(|(context, root)| generation(&context, &root).is_some() && lack(&context, &root).is_none())
    }

    fn lacks(&self, file: &File<'_>) -> Option<String> {
        let (context, root) = file.root()?;
        generation(&context, &root)?;
        lack(&context, &root)
    }

    fn read(&self, file: File<'_>) -> Box<dyn document::Reading> {
        let tree = file.tree.unwrap_or_else(|| Tree::read(file.path, file.text));
        let reading = read(file.path, file.text, &tree);
        Box::new(InTree { tree, reading })
    }
}

impl Reading {
    /// Where the file says that a rejection at a step leads, whether that is carried out or not.
    fn on_reject<'r>(&'r self, step: &'r Step) -> Option<&'r StepId> {
        let odd = self.rejected.get(&step.ordinal);
        odd.or_else(|| step.gate.as_ref()?.on_reject.as_ref())
    }

    /// The keys from the root of the file to an entry.
    fn way(&self, (group, n): (Option<usize>, usize)) -> Vec<String> {
        let mut way: Vec<String> = self.generation.way().iter().map(ToString::to_string).collect();
        if let Some(group) = group {
            way.extend([group.to_string(), "agents".to_owned()]);
        }
        way.push(n.to_string());
        way
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
        // Its steps are not the entries of one list: what is found is put in its place afterwards.
        Some((Shape::AgentWorkflow, ""))
    }

    fn of_table(&self, place: Place) -> Place {
        self.place_of(place.path)
    }

    fn file_path(&self, place: &Place) -> Vec<String> {
        let Some(at) = place.step.and_then(|step| self.at.get(step)) else {
            return place.path.clone();
        };
        let mut way = self.way(*at);
        way.extend(place.path.iter().cloned());
        way
    }

    fn place_of(&self, path: Vec<String>) -> Place {
        let way = self.generation.way();
        let behind = path.len().min(way.len());
        let rest = &path[behind..];
        let is_inside = path[..behind].iter().eq(way.iter());
        let number = |at: usize| rest.get(at).and_then(|n| n.parse::<usize>().ok());
        let (at, used) = match self.generation {
            _ if !is_inside => (None, 0),
            Generation::Groups if rest.get(1).is_some_and(|key| key == "agents") => {
                (number(0).zip(number(2)).map(|(group, n)| (Some(group), n)), 3)
            }
            Generation::Groups => (None, 0),
            Generation::Inside | Generation::Beside => (number(0).map(|n| (None, n)), 1),
        };
        match at.and_then(|at| self.steps.get(&at)) {
            Some(step) => Place::step(*step).path(rest[used..].iter().cloned()),
            None => Place { step: None, path },
        }
    }

    fn changed(&self, path: &str, text: &str, tree: &Tree, edit: &Edit) -> Result<Changed, TreeError> {
        Author::of(self, path, text, tree).edit(edit)
    }

    fn flow_changed(&self, path: &str, text: &str, tree: &Tree, edit: &FlowEdit) -> Result<Changed, TreeError> {
        Author::of(self, path, text, tree).flow_edit(edit)
    }

    fn consequences(&self, path: &str, text: &str, tree: &Tree, edit: &Edit) -> Vec<Consequence> {
        Author::of(self, path, text, tree).entails(edit)
    }

    fn paste(&self, path: &str, text: &str, tree: &Tree, steps: &[&NewStep], at: &Spot) -> Put<TreeError> {
        Author::of(self, path, text, tree).paste(steps, at)
    }

    fn flow_consequences(&self, path: &str, text: &str, tree: &Tree, edit: &FlowEdit) -> Vec<Consequence> {
        Author::of(self, path, text, tree).flow_entails(edit)
    }

    fn palette(&self) -> Vec<StepKind> {
        Self::kinds()
    }

    fn gestures(&self) -> Gestures {
        Self::offered()
    }

    fn entries(&self, text: &str, tree: &Tree, step: Option<usize>) -> Option<Entries> {
        self.form_of(text, tree, step)
    }

    fn field(&self, step: usize, field: StepField) -> Option<Place> {
        let place = Place::step(step);
        Some(match field {
            StepField::Name => place.field("name"),
            StepField::Intent => place.field("description"),
            // Nothing loops here.
            StepField::MaxIterations => return None,
            StepField::HumanGate => place.field("human_gate"),
            StepField::GateQuestion => place.field("gate_question"),
        })
    }
}
