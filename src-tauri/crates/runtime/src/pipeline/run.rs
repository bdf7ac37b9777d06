//! The run of a pipeline's file: a file has one, which goes on when it is resumed.

use super::list;
use crate::derived_id::derived_id;
use dialect::Document;
use dialect::pipeline::id::PipelineId;
use dialect::pipeline::{PipelineStatus, StageStatus};
use engine::{Continued, Event, ParentRun, RunCreated, RunId};
use model::StepId;
use serde_json::json;
use std::sync::Arc;
use store::{RunFilter, RunRow, Store};

/// The id of the run of a pipeline's file (its path relative to the project, with `/`). It follows from the path, so that of two
/// programs that start the pipeline at once only one can create it.
pub fn run_id(path: &str) -> RunId {
    derived_id(&json!(["gatehouse-pipeline-run-v1", path]))
}

/// The run that a pipeline's file shows: the latest of its path that is no rehearsal; `None` when it was never started here.
///
/// # Errors
/// What the store reports.
pub fn run_of(store: &Store, path: &str) -> Result<Option<RunRow>, store::Error> {
    Ok(latest(store, path)?.map(|(row, _)| row))
}

fn latest(store: &Store, path: &str) -> Result<Option<(RunRow, Arc<RunCreated>)>, store::Error> {
    let filter = RunFilter {
        path: Some(path.to_owned()),
        ..RunFilter::default()
    };
    for row in store.runs(&filter)? {
        let Some(created) = begun_with(store, &row.run)? else {
            continue;
        };
        if !created.is_rehearsal() && row.format.contract().state_in_file {
            return Ok(Some((row, created)));
        }
    }
    Ok(None)
}

/// What a run was begun with; `None` when it is not there.
fn begun_with(store: &Store, run: &RunId) -> Result<Option<Arc<RunCreated>>, store::Error> {
    let first = store.events(run, 0, 1)?.into_iter().next();
    Ok(match first.map(|stored| stored.event) {
        Some(Event::RunCreated(created)) => Some(created),
        _ => None,
    })
}

/// The step that is to run a pipeline's file as a run inside its own.
pub(crate) struct Owned<'a> {
    /// The run of the step.
    pub created: &'a RunCreated,
    /// Which step.
    pub step: &'a StepId,
}

impl Owned<'_> {
    /// Whether it began a run: when it was tried before, in a run that this one goes on from, or in one in whose place this one was begun anew by
    /// the step around it.
    fn has_begun(&self, store: &Store, inside: &ParentRun) -> Result<bool, store::Error> {
        if inside.instance.step != *self.step {
            return Ok(false);
        }
        let earlier = self.created.earlier().map(Continued::run);
        let mut runs = std::iter::once(&self.created.run_id).chain(earlier);
        if runs.any(|run| *run == inside.run) {
            return Ok(true);
        }
        let Some(place) = &self.created.parent else {
            return Ok(false);
        };
        let Some(before) = begun_with(store, &inside.run)?.and_then(|before| before.parent.clone()) else {
            return Ok(false);
        };
        let Some(around) = begun_with(store, &place.run)?.filter(|_| before.index == place.index) else {
            return Ok(false);
        };
        let step = &place.instance.step;
        let up = Owned { created: &around, step };
        up.has_begun(store, &before)
    }
}

/// The id of a pipeline whose file says that its run has begun; a pipeline has one. `None`: it says nothing of one, or is no pipeline's.
pub fn begun(document: &Document) -> Option<PipelineId> {
    let workflow = document.workflow();
    let id = PipelineId::of_file(document.path()).filter(|_| workflow.contract().state_in_file)?;
    let is_pending = |step| list::stage_stated(document, step) == StageStatus::Pending;
    let is_fresh = list::stated(document) == PipelineStatus::Pending && workflow.steps().iter().all(is_pending);
    (!is_fresh).then_some(id)
}

/// Why a pipeline's file is not run inside another run: it has one run, which was begun for something else.
///
/// # Errors
/// What the store reports.
pub(crate) fn taken(store: &Store, document: &Document, by: &Owned<'_>) -> Result<Option<String>, store::Error> {
    let path = document.path();
    let Some(id) = PipelineId::of_file(path).filter(|_| document.workflow().contract().state_in_file) else {
        return Ok(None);
    };
    let Some((row, created)) = latest(store, path)? else {
        let why = "it is a pipeline that was begun somewhere else, as its file says, and a pipeline has one run";
        return Ok(begun(document).map(|_| why.to_owned()));
    };
    let is_own = match &created.parent {
        Some(inside) => by.has_begun(store, inside)?,
        None => false,
    };
    Ok((!is_own).then(|| {
        format!(
            "it is a pipeline that has a run already ({}), and a pipeline has one run; make a copy of it, with “Duplicate…” in the window or \
             with: gatehouse pipeline create --from {id}",
            row.run
        )
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_one_run() {
        let a = run_id("pipelines/PIPE-20250101-a-000000.yaml");
        assert_eq!(a, run_id("pipelines/PIPE-20250101-a-000000.yaml"));
        assert_ne!(a, run_id("pipelines/PIPE-20250101-a-000001.yaml"));
        // A program of another version finds the same run.
        assert_eq!(a.as_str(), "6f8dd72e-b0b5-8b77-bbd8-0c25e909a6bf");
    }
}
