//! The version of a workflow that a run started with.

use crate::config::Config;
use crate::entered::Said;
use crate::scenario::Scenario;
use crate::{Error, entered};
use dialect::Document;
use dialect::stepspec::leaves;
use engine::{Digest, RunCreated, RunId};
use model::placeholder::{Folders, answered, answers_in, resolve, resolve_known};
use model::{Fields, Workflow};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use store::{Facts, Store};

/// The workflow of a run.
#[derive(Debug)]
pub enum RunWorkflow {
    /// As it is written: whoever else holds the text read shares it.
    Written(Document),
    /// With its placeholders replaced, or of a run that has none of its own.
    Made(Box<Workflow>),
}

impl Deref for RunWorkflow {
    type Target = Workflow;

    fn deref(&self) -> &Workflow {
        match self {
            Self::Written(document) => document.workflow(),
            Self::Made(workflow) => workflow,
        }
    }
}

/// The workflow of a run, read again from the text it started with: later changes of the file do not touch it.
///
/// # Errors
/// [`Error::Store`] when the run or its source is not there or was changed; [`Error::Unusable`].
pub fn workflow_of(store: &Store, run: &RunId) -> Result<RunWorkflow, Error> {
    workflow(store, &*created(store, run)?)
}

/// The scenario that scripts a run, if one does.
///
/// # Errors
/// Those of [`workflow_of`].
pub fn scenario_of(store: &Store, run: &RunId) -> Result<Option<Scenario>, Error> {
    scenario(store, &*created(store, run)?)
}

pub(crate) fn workflow(store: &Store, created: &RunCreated) -> Result<RunWorkflow, Error> {
    let workflow = written(store, created)?;
    Ok(match resolved(&workflow, &created.folders, &created.inputs) {
        Ok(Cow::Owned(resolved)) => RunWorkflow::Made(Box::new(resolved)),
        Ok(Cow::Borrowed(_)) | Err(_) => workflow,
    })
}

/// What the files of a run take from its workflow: as written, placeholders and all, so that whoever has the text renders the same.
pub(crate) fn facts(store: &Store, created: &RunCreated) -> Result<Facts, Error> {
    Ok(Facts::of(written(store, created)?))
}

/// It as it stands in that text, placeholders and all.
pub(crate) fn written(store: &Store, created: &RunCreated) -> Result<RunWorkflow, Error> {
    if created.imported.is_some() {
        // Whatever its document holds, nothing of it is run.
        let nothing = Workflow::new(
            created.workflow.clone(),
            created.title.clone(),
            created.format,
            Vec::new(),
        );
        return Ok(RunWorkflow::Made(Box::new(nothing)));
    }
    let text = text(store, &created.run_id, &created.source)?;
    Ok(RunWorkflow::Written(Document::parse(&created.path, &text)))
}

/// The workflow as a run works with it: placeholders in paths, inputs and arguments replaced by the project's folders and the run's
/// answers (seed 000 "Fields"). Other formats know none.
///
/// # Errors
/// Which step holds a placeholder that stands for nothing.
pub(crate) fn resolved<'w>(
    workflow: &'w Workflow,
    folders: &BTreeMap<String, String>,
    answers: &Fields,
) -> Result<Cow<'w, Workflow>, String> {
    if !workflow.contract().placeholders {
        return Ok(Cow::Borrowed(workflow));
    }
    let folders = Folders::kept(folders);
    let verbatim = workflow.verbatim;
    let mut fault = None;
    let workflow = workflow.clone().with_steps(|step| {
        let name = step.name.clone();
        let mut put = |text: &mut String| match resolve(text, &folders, answers) {
            Ok(resolved) => *text = resolved,
            Err(why) => {
                fault.get_or_insert_with(|| format!("step “{name}”: {why}"));
            }
        };
        let paths = [&mut step.inputs, &mut step.outputs, &mut step.templates];
        paths.into_iter().flatten().for_each(&mut put);
        let mut put = |text: &mut String| match verbatim {
            true => *text = resolve_known(text, &folders, answers),
            false => put(text),
        };
        step.intent.iter_mut().for_each(&mut put);
        step.parameters.values_mut().for_each(|value| in_texts(value, &mut put));
        step.tools
            .iter_mut()
            .for_each(|call| in_texts(&mut call.args, &mut put));
    });
    fault.map_or(Ok(Cow::Owned(workflow)), Err)
}

/// The answers by which a path of a step leads out of the folder that it is written in, each with why it cannot be given: what may not be
/// written in the file (GH0408) may not be answered either.
pub(crate) fn led_out(workflow: &Workflow, answers: &Fields) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    if !workflow.contract().placeholders {
        return found;
    }
    for step in workflow.steps() {
        let paths = step.inputs.iter().chain(&step.outputs).chain(&step.templates);
        for (path, name) in paths.filter_map(|path| Some((path, led_out_by(path, answers)?))) {
            if found.iter().any(|(of, _)| of == name) {
                continue;
            }
            let asked = workflow.questions.iter().find(|question| question.name == name);
            let label = asked.map_or(name, |question| question.label.as_str());
            let why = format!(
                "“{label}” leads `{path}` of the step “{}” out of its folder.",
                step.name
            );
            found.push((name.to_owned(), why));
        }
    }
    found
}

/// The name of the answer that leads a path out, where it does not lead out as it is written.
fn led_out_by<'p>(path: &'p str, answers: &Fields) -> Option<&'p str> {
    if leaves(path) || !leaves(&answered(path, answers)) {
        return None;
    }
    let alone = |name: &str| answers.get(name).map(|answer| (name.to_owned(), answer.clone()));
    let leads_out = |name: &&str| leaves(&answered(path, &alone(name).into_iter().collect()));
    // Where none does by itself, they do together.
    answers_in(path).find(leads_out).or_else(|| answers_in(path).last())
}

/// What the gates of a workflow ask with answers in it that this run was not given: whoever is asked would sign a question with holes.
///
/// # Errors
/// Which step asks so.
pub(crate) fn asks_in_full(workflow: &Workflow, answers: &Fields) -> Result<(), String> {
    // Texts of the BMAD method may hold names that are told as they are written.
    if !workflow.contract().placeholders || workflow.verbatim {
        return Ok(());
    }
    for step in workflow.steps() {
        let Some(gate) = &step.gate else { continue };
        let question = gate.question.as_deref();
        let question = question.map(|question| ("the question of its gate", question));
        let asked = [("its name, which its gate asks with", step.name.as_str())];
        for (place, text) in question.into_iter().chain(asked) {
            for name in answers_in(text) {
                let written = format!("{{{{{name}}}}}");
                let known = match answers.get(name).is_some_and(shows_nothing) {
                    true => Err(format!("`{written}` was left without an answer")),
                    false => resolve(&written, &Folders::default(), answers),
                };
                known.map_err(|why| format!("step “{}”, in {place}: {why}", step.name))?;
            }
        }
    }
    Ok(())
}

/// Whether nobody can see anything of an answer that is text.
fn shows_nothing(answer: &Value) -> bool {
    let is_unseen = |c: char| c.is_whitespace() || c.is_control() || model::is_unseen(c);
    answer.as_str().is_some_and(|text| text.chars().all(is_unseen))
}

fn in_texts(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| in_texts(item, change)),
        Value::Object(map) => map.values_mut().for_each(|value| in_texts(value, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The project's configuration as it was when a run was created; of runs that kept none the defaults.
pub(crate) fn config(store: &Store, created: &RunCreated) -> Result<Config, Error> {
    match &created.config {
        Some(digest) => Ok(Config::kept(&text(store, &created.run_id, digest)?)?),
        None => Ok(Config::default()),
    }
}

/// Whether what is said to a run may be recorded, by the guardrails that it began with; what they only warn of, in sentences.
///
/// # Errors
/// [`Error::Guardrail`]: each part that they stop, by its field; [`Error::Store`].
pub fn may_be_said(store: &Store, created: &RunCreated, said: &[Said]) -> Result<Vec<String>, Error> {
    entered::may_be_said(&config(store, created)?.around.guardrails, said)
}

/// The same of what is typed before there is a run, by the guardrails of the project as they are.
///
/// # Errors
/// [`Error::Guardrail`]: each part that they stop, by its field.
pub fn may_be_typed(config: &Config, said: &[Said]) -> Result<Vec<String>, Error> {
    entered::may_be_said(&config.around.guardrails, said)
}

pub(crate) fn scenario(store: &Store, created: &RunCreated) -> Result<Option<Scenario>, Error> {
    let Some(reference) = &created.scenario else {
        return Ok(None);
    };
    let text = text(store, &created.run_id, &reference.source)?;
    let script = Scenario::kept(Path::new(&reference.name), &text)?;
    if !created.format.contract().placeholders {
        return Ok(Some(script));
    }
    let folders = Folders::kept(&created.folders);
    let at = |path: &str| resolve(path, &folders, &created.inputs).unwrap_or_else(|_| path.to_owned());
    Ok(Some(script.with_files_at(at)))
}

pub(crate) fn created(store: &Store, run: &RunId) -> Result<Arc<RunCreated>, Error> {
    match store.events(run, 0, 1)?.pop().map(|stored| stored.event) {
        Some(engine::Event::RunCreated(created)) => Ok(created),
        Some(_) => Err(unusable(
            run,
            "its first event is not its creation; verify the run to see what was changed",
        )),
        None => Err(store::Error::UnknownRun { run: run.to_string() }.into()),
    }
}

pub(crate) fn text(store: &Store, run: &RunId, digest: &Digest) -> Result<String, Error> {
    String::from_utf8(store.blob(digest)?).map_err(|_| unusable(run, "its source is not text"))
}

fn unusable(run: &RunId, reason: &str) -> Error {
    Error::Unusable {
        run: run.clone(),
        reason: reason.to_owned(),
    }
}
