//! The pipeline's file always shows the state of its latest run (seed 004 "Update pipeline file with current state"): a
//! rendering of the log, written by text edits of the file itself, so that everything else in it stays as people wrote
//! it.

use crate::{kept, project};
use dialect::pipeline::id::PipelineId;
use dialect::pipeline::{PipelineStatus, StageState, StageStatus, States, WriteError, with_states};
use engine::{EndStatus, RunCreated, RunState, RunStatus, StepStatus};
use model::Workflow;
use std::io;
use std::path::Path;
use store::Store;
use store::below;
use store::regular::{LARGEST_WORKFLOW, NotRead};

/// Why a pipeline's file does not show the state of its run. Nothing recorded is lost: the next writing may succeed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The history cannot be read.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The file cannot be read or written.
    #[error("`{0}` could not be written: {1}")]
    Io(String, io::Error),
    /// What stands in the file cannot hold a state. It is left as it is.
    #[error("`{0}` was left as it is: {1}")]
    Text(String, WriteError),
    /// The file lies outside of the project now.
    #[error("`{0}` was not written: {1}")]
    Escape(String, project::Escape),
}

/// Whether a run has a file that shows its state: a pipeline's, named by its id.
pub fn has_file(created: &RunCreated) -> bool {
    created.format.contract().state_in_file && !created.is_rehearsal() && PipelineId::of_file(&created.path).is_some()
}

/// The state of a run in the words of the format.
pub fn states(workflow: &Workflow, state: &RunState) -> States {
    let stages = workflow.steps().iter().map(|step| {
        let status = stage_status(state.step_status(&step.id));
        let settled = state.stages.get(&step.id).and_then(|stage| stage.settled.as_ref());
        let error = settled.and_then(|settled| settled.error.clone());
        StageState {
            name: step.id.to_string(),
            error: error.filter(|_| matches!(status, StageStatus::Failed | StageStatus::Skipped)),
            status,
        }
    });
    let status = pipeline_status(state.status);
    States {
        error: state.error.clone().filter(|_| status == PipelineStatus::Failed),
        stages: stages.collect(),
        status,
    }
}

/// The run's status in the words of the format.
pub fn pipeline_status(status: RunStatus) -> PipelineStatus {
    match status {
        RunStatus::New | RunStatus::Imported => PipelineStatus::Pending,
        RunStatus::Running | RunStatus::Blocked => PipelineStatus::Running,
        RunStatus::Paused => PipelineStatus::Paused,
        RunStatus::Ended(EndStatus::Succeeded) => PipelineStatus::Completed,
        RunStatus::Ended(EndStatus::CompletedWithFailures) => PipelineStatus::CompletedWithFailures,
        RunStatus::Ended(EndStatus::Failed | EndStatus::Stopped) => PipelineStatus::Failed,
        RunStatus::Ended(EndStatus::Aborted) => PipelineStatus::Aborted,
    }
}

/// A stage's status in the words of the format; one that waits for a person is running.
pub fn stage_status(status: StepStatus) -> StageStatus {
    match status {
        StepStatus::NotStarted => StageStatus::Pending,
        StepStatus::Queued => StageStatus::Queued,
        StepStatus::Running | StepStatus::Retrying | StepStatus::Blocked => StageStatus::Running,
        StepStatus::Succeeded => StageStatus::Completed,
        StepStatus::Failed | StepStatus::Refused => StageStatus::Failed,
        StepStatus::Skipped => StageStatus::Skipped,
        StepStatus::Interrupted => StageStatus::Aborted,
    }
}

/// Writes the state of a run into its pipeline's file; a file that is gone is made again from the version that the run
/// keeps. Does nothing for a run without such a file ([`has_file`]). `root` is the project's canonical folder. That it could
/// not be done is noted ([`Store::unshown`]) until somebody can.
///
/// # Errors
/// [`Error`]; the file is as it was then.
pub fn write(store: &Store, root: &Path, state: &RunState) -> Result<(), Error> {
    let Some(created) = state.created.as_deref().filter(|created| has_file(created)) else {
        return Ok(());
    };
    let shown = show(store, root, state, created);
    let why = shown.as_ref().err().map(ToString::to_string);
    if let Err(error) = store.note_unshown(&created.run_id, why.as_deref()) {
        tracing::warn!(run = %created.run_id, %error, "that a pipeline's file shows its run, or does not, could not be noted");
    }
    shown
}

fn show(store: &Store, root: &Path, state: &RunState, created: &RunCreated) -> Result<(), Error> {
    let path = &created.path;
    let io = |error| Error::Io(path.clone(), error);
    project::inside(root, path).map_err(|escape| Error::Escape(path.clone(), escape))?;
    let source = store.blob(&created.source)?;
    let source = String::from_utf8_lossy(&source);
    let document = dialect::Document::parse(path, &source);
    // Somebody may be editing it: their change stays, and so does the state.
    let _alone = store::alone::authoring(root).map_err(io)?;
    let before = match below::read_text(root, path, LARGEST_WORKFLOW) {
        Ok(text) => Some(text),
        Err(NotRead::Missing) => None,
        Err(NotRead::Io(error)) => return Err(io(error)),
        Err(error) => return Err(io(std::io::Error::other(error.to_string()))),
    };
    let text = before.as_deref().unwrap_or(&source);
    let text = with_states(text, &states(document.workflow(), state)).map_err(|e| Error::Text(path.clone(), e))?;
    if before.as_ref() == Some(&text) {
        return Ok(());
    }
    kept::write_behind_links(root, path, &text).map_err(io)?;
    // The states are no change of another program; what one wrote before them is.
    let known = store.journal_known(path)?;
    let was = before.as_deref().map(|text| store::digest_of(text.as_bytes()));
    if known.is_some() && (was.is_none() || known == was) {
        store.journal_know(path, &store.put_blob(text.as_bytes())?)?;
    }
    Ok(())
}
