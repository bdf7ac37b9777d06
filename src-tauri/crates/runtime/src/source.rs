//! The version of a workflow that a run started with.

use crate::Error;
use crate::scenario::Scenario;
use dialect::Document;
use engine::{Digest, RunCreated, RunId};
use model::Workflow;
use std::path::Path;
use store::Store;

/// The workflow of a run, read again from the text it started with: later changes of the file do not touch it.
///
/// # Errors
/// [`Error::Store`] when the run or its source is not there or was changed; [`Error::Unusable`].
pub fn workflow_of(store: &Store, run: &RunId) -> Result<Workflow, Error> {
    workflow(store, &created(store, run)?)
}

/// The scenario that scripts a run, if one does.
///
/// # Errors
/// Those of [`workflow_of`].
pub fn scenario_of(store: &Store, run: &RunId) -> Result<Option<Scenario>, Error> {
    scenario(store, &created(store, run)?)
}

pub(crate) fn workflow(store: &Store, created: &RunCreated) -> Result<Workflow, Error> {
    let text = text(store, &created.run_id, &created.source)?;
    Ok(Document::parse(&created.path, &text).workflow().clone())
}

pub(crate) fn scenario(store: &Store, created: &RunCreated) -> Result<Option<Scenario>, Error> {
    let Some(reference) = &created.scenario else {
        return Ok(None);
    };
    let text = text(store, &created.run_id, &reference.source)?;
    Ok(Some(Scenario::parse(Path::new(&reference.name), &text)?))
}

fn created(store: &Store, run: &RunId) -> Result<RunCreated, Error> {
    match store.events(run, 0, 1)?.pop().map(|stored| stored.event) {
        Some(engine::Event::RunCreated(created)) => Ok(*created),
        Some(_) => Err(unusable(
            run,
            "its first event is not its creation; verify the run to see what was changed",
        )),
        None => Err(store::Error::UnknownRun { run: run.to_string() }.into()),
    }
}

fn text(store: &Store, run: &RunId, digest: &Digest) -> Result<String, Error> {
    String::from_utf8(store.blob(digest)?).map_err(|_| unusable(run, "its source is not text"))
}

fn unusable(run: &RunId, reason: &str) -> Error {
    Error::Unusable {
        run: run.clone(),
        reason: reason.to_owned(),
    }
}
