//! Agent pipelines (seed 004): stages that wait for each other, a YAML file each.
//!
//! * [`id`]: names, ids and folders, everything a path is made of. `words`: the words for failure handling and states.
//! * `edit`, `stage_edit`: what a person changes in the graph.
//! * `detect`, `stage`, `check`: reading, and what is wrong with a pipeline.
//! * [`with_states`]: the state of a run, written into the file. [`compose`]: a new file. [`instantiate`]: a pipeline of a
//!   template; [`templates`]: those of a pipeline configuration.

mod check;
mod compose;
mod detect;
mod edit;
mod file;
mod flow_edit;
pub mod id;
mod paste;
mod shown;
mod stage;
mod stage_edit;
mod states;
mod template;
mod words;
mod write;

use crate::dialect::{Dialect, File};
use crate::document::{self, Consequence, StepField};
use crate::edit::{Put, TreeError};
use crate::fields::Shape;
use crate::form::Entries;
use crate::in_tree::{InTree, TreeReading};
use crate::reading::{Block, Context, gate};
use crate::said::shortened;
use crate::tree::{Kind, NodeId, Tree};
pub use compose::{Definition, StageDefinition, compose};
use detect::{holds_one, is_named, lack};
use id::PipelineId;
use model::{
    Diagnostic, Edit, FlowEdit, Format, Gestures, NewStep, OnFailure, Place, Retries, Severity, Spot, Step, StepId,
    StepKind, Workflow, WorkflowId,
};
use serde_json::Value;
use stage::{Odd, Positions};
pub use states::{StageState, States, with_states};
use std::collections::BTreeMap;
pub use template::{Template, instantiate, templates, without_effect};
use words::Vocabulary;
pub use words::{DEFAULT_MAX_RETRIES, DEFAULT_RETRY_DELAY_SECONDS, ErrorHandling, PipelineStatus, StageStatus};
pub use write::WriteError;

/// The state of what has not begun.
const PENDING: &str = "pending";

/// What was read from a file.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    pub(crate) workflow: Workflow,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Stages that are written in another way than most.
    odd: BTreeMap<usize, Odd>,
}

/// Reads the pipeline of a tree as far as there is one.
pub(crate) fn read(path: &str, text: &str, tree: &Tree) -> Reading {
    let mut context = Context::new(text, tree);
    let named = PipelineId::of_file(path);
    let Some(root) = tree.root.filter(|root| tree.entries(*root).is_some()) else {
        if tree.broken().is_none() {
            no_stages(
                &mut context,
                "This file holds no pipeline: its outermost level is not a list of fields",
            );
        }
        let id = named.map_or_else(|| stem(path).to_owned(), |id| id.to_string());
        let workflow = Workflow::new(
            WorkflowId::new(&*id),
            model::step::humanise(&id),
            Format::Pipeline,
            Vec::new(),
        );
        return Reading {
            workflow,
            diagnostics: context.finish(),
            odd: BTreeMap::new(),
        };
    };
    let mut block = Block::open(&context, root, Place::document());
    let id = identity(&mut context, &mut block, named.as_ref(), path);
    let title = block.text(&mut context, "name").filter(|name| !name.trim().is_empty());
    let title = title.unwrap_or_else(|| {
        let known = PipelineId::parse(&id);
        model::step::humanise(known.as_ref().map_or(id.as_str(), PipelineId::name))
    });
    let description = block.text(&mut context, "description");
    of_the_run::<PipelineStatus>(&mut context, &mut block);
    let handling = error_handling(&mut context, &mut block);
    let retries = retry_settings(&mut context, &mut block, handling);
    let mut odd: BTreeMap<usize, Odd> = BTreeMap::new();
    let mut steps = Vec::new();
    for (n, id) in stages(&mut context, &mut block).into_iter().enumerate() {
        let (mut step, written) = stage::read(&mut context, n, id);
        if written.is_odd() {
            odd.insert(n, written);
        }
        step.retries = step.retries.or(retries);
        steps.push(step);
    }
    for (n, to) in gate::without_effect(&mut context, &mut steps, "stage") {
        odd.entry(n).or_default().on_reject = Some(to);
    }
    let mut workflow = Workflow::new(WorkflowId::new(id), title, Format::Pipeline, steps);
    workflow.description = description;
    workflow.on_failure = match handling {
        ErrorHandling::SkipDependents => OnFailure::SkipDependents,
        ErrorHandling::Halt | ErrorHandling::Retry => OnFailure::Halt,
    };
    workflow.fields = block.rest(&mut context);
    check::check(&mut context, &workflow);
    match named {
        // The state of a run is kept in a file that is named by its id, and in no other.
        Some(_) => check::taken_over(&mut context, root),
        None => check::stated(&mut context, root),
    }
    Reading {
        workflow,
        diagnostics: context.finish(),
        odd,
    }
}

/// The pipeline's id: that of the file's name, else `pipeline_id`, else the file's name without ending. What is not in the
/// form of ids is never taken from the text, because an id becomes part of paths.
fn identity(context: &mut Context<'_>, block: &mut Block, named: Option<&PipelineId>, path: &str) -> String {
    let place = Place::document().field("pipeline_id");
    let given = block.text(context, "pipeline_id").filter(|id| !id.is_empty());
    let read = given.as_deref().map(PipelineId::parse);
    let set = |id: &PipelineId| Edit::Set {
        place: Place::document().field("pipeline_id"),
        value: id.as_str().into(),
    };
    match (&given, &read, named) {
        (Some(_), Some(Ok(read)), Some(named)) if read != named => context.push(
            Diagnostic::new(
                "GH0306",
                Severity::Warning,
                place,
                format!("`pipeline_id` says `{read}`, the file is named `{named}`; the file's name counts"),
            )
            .help("Write the id of the file's name, or name the file like the id")
            .fix(format!("Change to `{named}`"), set(named)),
        ),
        (Some(_), Some(Ok(read)), None) => context.push(
            Diagnostic::new(
                "GH0306",
                Severity::Warning,
                place.clone(),
                format!("This file is not named like its id, so nobody finds it under `{read}`"),
            )
            .help(format!(
                "Name it `{}`; a template has no `pipeline_id`",
                read.file_name()
            ))
            .fix("Remove `pipeline_id`", Edit::Remove { place }),
        ),
        (Some(given), Some(Err(malformed)), named) => {
            let said = format!("{malformed}: `{}`", shortened(given));
            let found = Diagnostic::new("GH0305", Severity::Error, place.clone(), said)
                .help("An id is PIPE-, eight digits, a name of a-z, 0-9, - and _, and six digits: PIPE-20260131-my-name-093000");
            context.push(match named {
                Some(named) => found.fix(format!("Change to `{named}`"), set(named)),
                None => found.fix("Remove `pipeline_id`", Edit::Remove { place }),
            });
        }
        _ => {}
    }
    match (named, read) {
        (Some(named), _) => named.to_string(),
        (None, Some(Ok(read))) => read.to_string(),
        _ => stem(path).to_owned(),
    }
}

/// Takes what belongs to a run and says nothing of what is done. A status that means nothing is an error before the run.
fn of_the_run<T: Vocabulary>(context: &mut Context<'_>, block: &mut Block) {
    for key in ["started_at", "completed_at", "duration_seconds", "error"] {
        block.take(context, key);
    }
    let Some(word) = block.text(context, "status").filter(|word| T::exactly(word).is_none()) else {
        return;
    };
    let place = block.place("status");
    let said = format!("The status `{}` is not known", shortened(&word));
    let found = Diagnostic::new("GH0304", Severity::Error, place.clone(), said)
        .help(format!("Known: {}. Gatehouse writes this field itself", T::known()));
    let right = T::meant(&word).map_or(PENDING, Vocabulary::as_word);
    let edit = Edit::Set {
        place,
        value: right.into(),
    };
    context.push(found.fix(format!("Change to `{right}`"), edit));
}

fn error_handling(context: &mut Context<'_>, block: &mut Block) -> ErrorHandling {
    let Some(word) = block.text(context, "error_handling") else {
        return ErrorHandling::Halt;
    };
    if let Some(handling) = ErrorHandling::of_word(&word) {
        return handling;
    }
    let place = block.place("error_handling");
    let said = format!("`error_handling: {}` is not known", shortened(&word));
    let found = Diagnostic::new("GH0303", Severity::Error, place.clone(), said).help(format!(
        "Write one of {}; without the field it is halt",
        ErrorHandling::known()
    ));
    let fix = |right: ErrorHandling| Edit::Set {
        place,
        value: right.word().into(),
    };
    context.push(match ErrorHandling::meant(&word) {
        Some(right) => found.fix(format!("Change to `{right}`"), fix(right)),
        None => found,
    });
    ErrorHandling::Halt
}

/// The retries of every stage that has none of its own.
fn retry_settings(context: &mut Context<'_>, block: &mut Block, handling: ErrorHandling) -> Option<Retries> {
    const KEYS: [&str; 2] = ["max_retries", "retry_delay_seconds"];
    if handling != ErrorHandling::Retry {
        // They stay among the fields: they have no effect, but they are the author's.
        if let Some(key) = KEYS.into_iter().find(|key| block.has(context, key)) {
            let found = Diagnostic::new(
                "GH0310",
                Severity::Warning,
                block.place(key),
                format!("`{key}` has no effect under `error_handling: {handling}`"),
            );
            let edit = Edit::Set {
                place: Place::document().field("error_handling"),
                value: ErrorHandling::Retry.word().into(),
            };
            context.push(
                found
                    .help("Write `error_handling: retry`, give single stages `retries`, or remove the field")
                    .fix("Set `error_handling: retry`", edit),
            );
        }
        return None;
    }
    let max = block
        .count(context, KEYS[0], "2 is used")
        .unwrap_or(DEFAULT_MAX_RETRIES);
    let pause = block.seconds(context, KEYS[1], "30 is used");
    Some(Retries {
        max: Some(max),
        backoff_ms: pause.unwrap_or(DEFAULT_RETRY_DELAY_SECONDS * 1000),
    })
}

/// The entries of `stages`.
fn stages(context: &mut Context<'_>, block: &mut Block) -> Vec<NodeId> {
    /// Stages past this many are not read: a stage takes some hundred times the memory of `- x`.
    const MOST_STAGES: usize = 500_000;
    let tree = context.tree;
    let list = block.take(context, "stages");
    let mut items = match list.map(|id| (id, &tree.node(tree.resolve(id)).kind)) {
        Some((_, Kind::List { items, .. })) if !items.is_empty() => items.clone(),
        Some((id, Kind::List { .. } | Kind::Scalar { .. })) if tree.items(id).is_some() || context.is_null(id) => {
            if tree.broken().is_none() {
                no_stages(context, "This pipeline has no stages, so there is nothing to run");
            }
            Vec::new()
        }
        Some(_) => {
            no_stages(context, "`stages` is not a list, so there is nothing to run");
            Vec::new()
        }
        None => {
            if tree.broken().is_none() {
                no_stages(context, "This pipeline has no `stages`");
            }
            Vec::new()
        }
    };
    if items.len() > MOST_STAGES {
        let said = format!(
            "This pipeline has {} stages; the first {MOST_STAGES} are read",
            items.len()
        );
        context.report(
            "GH0113",
            Severity::Error,
            Place::document(),
            said,
            Some("Split the file"),
        );
        items.truncate(MOST_STAGES);
    }
    items
}

fn no_stages(context: &mut Context<'_>, said: &str) {
    let place = Place::document().field("stages");
    let help = "Write `stages:` and below it one `- name: …` for each stage";
    context.report("GH0301", Severity::Error, place, said, Some(help));
}

/// The file's name without folder and ending.
fn stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = [".yaml", ".yml", ".json"].iter().find_map(|end| name.strip_suffix(end));
    let stem = stem.unwrap_or(name);
    if stem.is_empty() { "pipeline" } else { stem }
}

/// The dialect of pipelines.
pub(crate) struct Pipeline;

impl Dialect for Pipeline {
    fn format(&self) -> Format {
        Format::Pipeline
    }

    fn is_named(&self, path: &str) -> bool {
        is_named(path)
    }

    fn words(&self) -> &'static [&'static str] {
        &["stages"]
    }

    fn holds(&self, file: &File<'_>) -> bool {
        let tree = file.tree.as_ref();
        tree.is_some_and(|tree| holds_one(file.path, file.text, tree))
    }

    fn lacks(&self, file: &File<'_>) -> Option<String> {
        let (context, root) = file.root()?;
        root.has(&context, "stages").then(|| lack(&context, &root))
    }

    fn read(&self, file: File<'_>) -> Box<dyn document::Reading> {
        let tree = file.tree.unwrap_or_else(|| Tree::read(file.path, file.text));
        let reading = read(file.path, file.text, &tree);
        Box::new(InTree { tree, reading })
    }
}

impl Reading {
    fn positions(&self, step: usize) -> Option<&Positions> {
        self.odd.get(&step)?.depends_on.as_ref()
    }

    /// Where the file says that a rejection at a stage leads, whether that is carried out or not.
    fn on_reject<'r>(&'r self, step: &'r Step) -> Option<&'r StepId> {
        let odd = self.odd.get(&step.ordinal).and_then(|odd| odd.on_reject.as_ref());
        odd.or_else(|| step.gate.as_ref()?.on_reject.as_ref())
    }
}

impl TreeReading for Reading {
    fn workflow(&self) -> &Workflow {
        &self.workflow
    }

    fn own_diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    fn in_words(&self, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
        check::in_words(found, &self.workflow)
    }

    fn shape(&self) -> Option<(Shape, &'static str)> {
        Some((Shape::Pipeline, "stages"))
    }

    fn consequences(&self, _path: &str, _text: &str, _tree: &Tree, edit: &Edit) -> Vec<Consequence> {
        self.goes_with(edit)
    }

    fn edit(&self, path: &str, text: &str, tree: &Tree, edit: &Edit) -> file::Edits {
        self.edit_in(path, text, tree, edit)
    }

    fn file_path(&self, place: &Place) -> Vec<String> {
        let Some(step) = place.step else {
            return place.path.clone();
        };
        let mut path = vec!["stages".to_owned(), step.to_string()];
        path.extend(place.path.iter().cloned());
        if let (Some(places), [list, n, ..]) = (self.positions(step), place.path.as_slice())
            && list == "depends_on"
            && let Ok(n) = n.parse::<usize>()
        {
            match places {
                Positions::Single => {
                    path.remove(3);
                }
                Positions::Of(positions) => {
                    if let Some(at) = positions.get(n) {
                        path[3] = at.to_string();
                    }
                }
            }
        }
        path
    }

    fn place_of(&self, path: Vec<String>) -> Place {
        let step = path.get(1).filter(|_| path[0] == "stages").and_then(|n| n.parse().ok());
        let Some(step) = step else {
            return Place { step: None, path };
        };
        let mut path = path[2..].to_vec();
        if let (Some(places), [list, rest @ ..]) = (self.positions(step), path.as_slice())
            && list == "depends_on"
        {
            let written = rest.first().and_then(|n| n.parse::<usize>().ok());
            match (places, written) {
                (Positions::Single, None) => path.push("0".to_owned()),
                (Positions::Of(positions), Some(written)) => match positions.binary_search(&written) {
                    Ok(n) => path[1] = n.to_string(),
                    Err(_) => path.truncate(1),
                },
                _ => {}
            }
        }
        Place { step: Some(step), path }
    }

    fn field(&self, step: usize, field: StepField) -> Option<Place> {
        let place = Place::step(step);
        match field {
            StepField::Name => Some(place.field("name")),
            StepField::Intent => Some(place.field("description")),
            // Nothing loops in a pipeline.
            StepField::MaxIterations => None,
            StepField::HumanGate => {
                let short = self.odd.get(&step).is_some_and(|odd| odd.gate);
                Some(place.field(if short { "gate" } else { "human_gate" }))
            }
            StepField::GateQuestion => Some(place.field("gate_question")),
        }
    }

    fn does(&self, written: &dyn Fn(&Place) -> Option<Value>, step: &Step, to: &str) -> Option<Vec<Edit>> {
        Some(self.done_by(written, step, to))
    }

    fn flow_edit(&self, path: &str, text: &str, tree: &Tree, edit: &FlowEdit) -> file::Edits {
        flow_edit::Stages::of(self, path, text, tree).edit(edit)
    }

    fn paste(&self, path: &str, text: &str, tree: &Tree, steps: &[&NewStep], at: &Spot) -> Put<TreeError> {
        flow_edit::Stages::of(self, path, text, tree).paste(steps, at)
    }

    fn flow_consequences(&self, path: &str, text: &str, tree: &Tree, edit: &FlowEdit) -> Vec<Consequence> {
        flow_edit::Stages::of(self, path, text, tree).entails(edit)
    }

    fn palette(&self) -> Vec<StepKind> {
        Self::kinds()
    }

    fn gestures(&self) -> Gestures {
        Self::offered()
    }

    fn entries(&self, _text: &str, _tree: &Tree, step: Option<usize>) -> Option<Entries> {
        self.form_of(step)
    }
}
