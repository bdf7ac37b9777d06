//! The workflows that the steps of a run run, as they stood when it was begun: each is carried out as it is when its step begins, and whether
//! that is another text by then is known.

use crate::flows;
use crate::pipeline::run::{self, Owned};
use crate::pipeline::state_file;
use crate::project::{self, DEEPEST};
use dialect::Document;
use dialect::pipeline::id::PipelineId;
use dialect::pipeline::with_states;
use engine::{Digest, RunCreated, RunId, RunState};
use model::{Fields, Question, Step, Work};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use store::Store;

/// Those inside of a workflow, however deep, by path. What is not there yet is absent. `around`: the run around the one that is begun; what was
/// inside of that is as it was then.
pub(crate) fn texts(root: &Path, document: &Document, around: Option<&RunCreated>) -> BTreeMap<String, Digest> {
    if document.workflow().steps().iter().all(|step| files(step).is_empty()) {
        return BTreeMap::new();
    }
    let mut found = around.map_or_else(BTreeMap::new, |around| around.listed.clone());
    let inside = within(root, document, |path| found.contains_key(path));
    let texts = inside
        .iter()
        .map(|listed| (listed.path().to_owned(), digest(root, listed)));
    found.extend(texts);
    found
}

/// The workflows inside of one, however deep, each once and without those that are known already.
fn within(root: &Path, document: &Document, is_known: impl Fn(&str) -> bool) -> Vec<Document> {
    let mut found: Vec<Document> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![(document.clone(), 0)];
    while let Some((around, depth)) = open.pop() {
        for (path, text) in there(root, &around) {
            if is_known(&path) || !seen.insert(path.clone()) {
                continue;
            }
            let listed = Document::parse(&path, &text);
            if depth < DEEPEST {
                open.push((listed.clone(), depth + 1));
            }
            found.push(listed);
        }
    }
    found
}

/// The files that the steps of a workflow run, as far as they are there: their paths and texts.
fn there(root: &Path, around: &Document) -> Vec<(String, String)> {
    // A file below the run's own folder is made by the run.
    let no_run = RunId::from("-");
    let files = around.workflow().steps().iter().flat_map(files);
    let found = files.filter_map(|file| project::find_listed(root, around.path(), file, &no_run).ok());
    found.collect()
}

/// Goes through the workflows inside of one, however deep, each once, with what its run would be given of these answers. `begins`: with which
/// answers it would begin then, or why it cannot.
pub(crate) fn each<E>(
    root: &Path,
    document: &Document,
    answers: &Fields,
    begins: impl Fn(&Document, &Fields) -> Result<Fields, E>,
) -> Result<(), E> {
    let mut seen = BTreeSet::from([document.path().to_owned()]);
    let mut open = vec![(document.clone(), answers.clone(), 0)];
    while let Some((around, answers, depth)) = open.pop() {
        for (path, text) in there(root, &around) {
            if !seen.insert(path.clone()) {
                continue;
            }
            let listed = Document::parse(&path, &text);
            let inputs = begins(&listed, &given(root, &listed, &answers))?;
            if depth < DEEPEST {
                open.push((listed, inputs, depth + 1));
            }
        }
    }
    Ok(())
}

/// What is asked before a run of this workflow begins: by the workflow itself, and by those inside of it, whose runs are given the answers
/// by name. Of several questions of one name the first is asked.
pub fn asked(root: &Path, document: &Document) -> Vec<Question> {
    let mut asked = document.workflow().questions.clone();
    for listed in within(root, document, |path| path == document.path()) {
        for question in &listed.workflow().questions {
            if asked.iter().all(|one| one.name != question.name) {
                asked.push(question.clone());
            }
        }
    }
    asked
}

/// The answers that a run inside another one is given: those to what its workflow asks, and the workflows inside of that.
pub(crate) fn given(root: &Path, document: &Document, answers: &Fields) -> Fields {
    let mut given = Fields::new();
    for question in asked(root, document) {
        if let Some(answer) = answers.get(&question.name) {
            given.insert(question.name, answer.clone());
        }
    }
    given
}

/// Whether a workflow that a run lists is another one than when that was begun; what was not there then is none.
pub(crate) fn has_changed(root: &Path, created: &RunCreated, path: &str, text: &str) -> bool {
    let then = created.listed.get(path);
    then.is_some_and(|then| *then != digest(root, &Document::parse(path, text)))
}

/// The workflows that a step of a run runs and that are others now than when the run was begun, by path.
pub fn changed(root: &Path, created: &RunCreated, step: &Step) -> Vec<String> {
    let found = files(step)
        .iter()
        .filter_map(|file| project::find_listed(root, &created.path, file, &created.run_id).ok());
    let changed = found.filter(|(path, text)| has_changed(root, created, path, text));
    changed.map(|(path, _)| path).collect()
}

/// Why a run is not begun: one of its steps runs a pipeline's file that has a run already, which was begun for something else.
///
/// # Errors
/// What the store reports.
pub(crate) fn taken(
    store: &Store,
    root: &Path,
    document: &Document,
    created: &RunCreated,
) -> Result<Option<String>, store::Error> {
    // A token may never come to such a step, which asks by itself.
    if document.workflow().contract().control == model::Control::Token {
        return Ok(None);
    }
    for step in document.workflow().steps() {
        let by = Owned {
            created,
            step: &step.id,
        };
        for file in files(step) {
            let Ok((path, text)) = project::find_listed(root, document.path(), file, &created.run_id) else {
                continue;
            };
            if PipelineId::of_file(&path).is_none() {
                continue;
            }
            if let Some(why) = run::taken(store, &Document::parse(&path, &text), &by)? {
                return Ok(Some(format!("its step “{}” runs `{file}`, but {why}", step.name)));
            }
        }
    }
    Ok(None)
}

fn files(step: &Step) -> &[String] {
    match &step.work {
        Work::SubWorkflow { files } => files,
        _ => &[],
    }
}

/// Of what would be carried out: with the flows that a file leads to, and without the states that a run writes into a pipeline's file.
fn digest(root: &Path, document: &Document) -> Digest {
    let whole = flows::gathered(root, document, true).ok().flatten();
    let workflow = document.workflow();
    let text = whole.as_deref().unwrap_or_else(|| document.text());
    let fresh = match workflow.contract().state_in_file {
        true => with_states(text, &state_file::states(workflow, &RunState::default())).ok(),
        false => None,
    };
    store::digest_of(fresh.as_deref().unwrap_or(text).as_bytes())
}
