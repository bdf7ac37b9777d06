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
use model::{Step, Work};
use std::collections::BTreeMap;
use std::path::Path;
use store::Store;

/// Those inside of a workflow, however deep, by path. What is not there yet is absent. `around`: the run around the one that is begun; what was
/// inside of that is as it was then.
pub(crate) fn texts(root: &Path, document: &Document, around: Option<&RunCreated>) -> BTreeMap<String, Digest> {
    if document.workflow().steps().iter().all(|step| files(step).is_empty()) {
        return BTreeMap::new();
    }
    // A file below the run's own folder is made by the run.
    let no_run = RunId::from("-");
    let mut found = around.map_or_else(BTreeMap::new, |around| around.listed.clone());
    let mut open = vec![(document.clone(), 0)];
    while let Some((around, depth)) = open.pop() {
        for file in around.workflow().steps().iter().flat_map(files) {
            let Ok((path, text)) = project::find_listed(root, around.path(), file, &no_run) else {
                continue;
            };
            if found.contains_key(&path) {
                continue;
            }
            let listed = Document::parse(&path, &text);
            found.insert(path, digest(root, &listed));
            if depth < DEEPEST {
                open.push((listed, depth + 1));
            }
        }
    }
    found
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
