//! What holds before a pipeline is run, and resuming one (seed 004 "PIPELINE RUN", "PIPELINE RESUME"; CONTRACTS "Pipelines").

use crate::command::{PathOf, PipelineOf, StartOf};
use crate::pipeline::errors::begun_elsewhere;
use crate::pipeline::query::first_error;
use crate::pipeline::view::PipelineView;
use crate::studio::now;
use crate::text::safe;
use crate::{ApiError, Studio};
use dialect::Document;
use dialect::pipeline::PipelineStatus;
use dialect::pipeline::id::PipelineId;
use engine::{RunId, RunStatus};
use runtime::pipeline::run::{run_id, run_of};
use runtime::pipeline::{Error, active, list, state_file};
use store::regular::LARGEST_WORKFLOW;

/// So long after its start a pipeline that nobody carries out is not said to have been interrupted, milliseconds.
const TAKING_UP_MS: u64 = 5_000;

/// What `pipeline run` leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    /// A run was created and is to be driven.
    Started(RunId),
    /// The pipeline is completed already: nothing runs.
    Completed,
}

impl Studio {
    /// Starts a pipeline; one that is completed is left as it is. `answers`: see [`Studio::inputs_from_words`].
    ///
    /// # Errors
    /// `invalid_id` before any path is built; `invalid_workflow`; `bad_parameters`; `pipeline_running`, `pipeline_ended`, `pipeline_elsewhere`.
    pub fn start_pipeline(&self, id: &str, permit: bool, answers: &[String]) -> Result<Begun, ApiError> {
        let folder = self.pipelines()?;
        let id = PipelineId::parse(id).map_err(Error::from)?;
        // Whether it is there is said before anything else of it.
        folder.read(&id)?;
        let path = folder.path_of(&id);
        let of = StartOf {
            inputs: self.inputs_from_words(&PathOf { path: path.clone() }, answers)?,
            path,
            permit,
            ..StartOf::default()
        };
        match self.create_run(&of) {
            Ok(run) => Ok(Begun::Started(run)),
            Err(error) if error.code == COMPLETED => Ok(Begun::Completed),
            Err(error) => Err(error),
        }
    }

    /// Rehearses a pipeline in a run of its own; its file stays as it is, whatever it says. `answers`: see [`Studio::inputs_from_words`].
    ///
    /// # Errors
    /// `invalid_id` before any path is built; `invalid_workflow`; `bad_parameters`; `invalid_file` for the scenario.
    pub fn rehearse_pipeline(&self, id: &str, scenario: Option<String>, answers: &[String]) -> Result<RunId, ApiError> {
        let folder = self.pipelines()?;
        let id = PipelineId::parse(id).map_err(Error::from)?;
        folder.read(&id)?;
        let path = folder.path_of(&id);
        self.create_run(&StartOf {
            inputs: self.inputs_from_words(&PathOf { path: path.clone() }, answers)?,
            path,
            rehearse: true,
            scenario,
            ..StartOf::default()
        })
    }

    /// What holds before any pipeline is started, from wherever: dependencies can be met, and a file that is named by
    /// an id has one run. Gives the id of that run; `None` for files that may be run again and again.
    pub(crate) fn before_start(&self, document: &Document) -> Result<Option<RunId>, ApiError> {
        if !document.workflow().contract().state_in_file {
            return Ok(None);
        }
        let path = document.path();
        let named = PipelineId::of_file(path);
        if let Some(id) = &named {
            self.not_started(id, document)?;
        }
        if let Some(other) = list::other_id(path, document) {
            let message = format!(
                "{path} says that it is the pipeline “{}”; it is not run under another id.",
                safe::visible(&other)
            );
            return Err(ApiError::new("invalid_workflow", message)
                .hint("Write the id of the file's name as `pipeline_id`, or create a new pipeline with: gatehouse pipeline create"));
        }
        let stuck = list::never_begin(document);
        if !stuck.is_empty() {
            let message = format!(
                "Deadlock detected (cycle or unmet dependencies). Pending stages: {}",
                stuck.join(", ")
            );
            let why = first_error(document).unwrap_or_else(|| "these stages wait for each other".to_owned());
            return Err(
                ApiError::new("invalid_workflow", message).hint(format!("Nothing was started. In {path}, {why}."))
            );
        }
        Ok(named.map(|_| run_id(path)))
    }

    /// A pipeline that has a run is not started again.
    fn not_started(&self, id: &PipelineId, document: &Document) -> Result<(), ApiError> {
        let resume = format!("Go on with: gatehouse pipeline resume {id}");
        let Some(run) = run_of(&self.0.store, document.path())? else {
            return begun_elsewhere(id, document).map_or(Ok(()), Err);
        };
        use store::StatusWord as W;
        Err(match run.status {
            W::Succeeded => completed(id),
            W::Failed | W::Refused | W::Stopped | W::Aborted | W::CompletedWithFailures => {
                let how = match run.status {
                    W::Refused => "was rejected",
                    W::Stopped | W::Aborted => "was stopped",
                    W::Failed => "has failed",
                    _ => "was completed with failures",
                };
                ApiError::new("pipeline_ended", format!("Pipeline {id} {how}.")).hint(resume)
            }
            W::New | W::Running | W::Blocked | W::Paused | W::Imported => match self.driver_of(&run.run) {
                Some(driver) => ApiError::new(
                    "pipeline_running",
                    format!("Pipeline {id} is running already, carried out by {driver}."),
                )
                .hint(format!("See it with: gatehouse pipeline status {id}")),
                None if run.paused => ApiError::new(
                    "pipeline_running",
                    format!("Pipeline {id} has been started and is paused."),
                )
                .hint(resume),
                None if run.status == W::Blocked => ApiError::new(
                    "pipeline_running",
                    format!("Pipeline {id} has been started and waits for a person."),
                )
                .hint(format!("See what is asked with: gatehouse pipeline status {id}")),
                // Whoever started it may be about to carry it out.
                None if now().since_ms(run.created_at) < TAKING_UP_MS => ApiError::new(
                    "pipeline_running",
                    format!("Pipeline {id} was started a moment ago, and nobody carries it out yet."),
                )
                .hint(format!(
                    "See how it stands with: gatehouse pipeline status {id}. If nobody carries it out then, go on with: gatehouse pipeline resume {id}"
                )),
                None => ApiError::new(
                    "pipeline_running",
                    format!("Pipeline {id} has been started, and nobody carries it out now: it was interrupted."),
                )
                .hint(resume),
            },
        })
    }

    /// A pipeline has begun: it is the one that is meant when none is named.
    pub(crate) fn has_begun(&self, path: &str) {
        let Ok(folder) = self.pipelines() else { return };
        let Some(id) = folder.id_of(path) else { return };
        match active::set(&folder, &id) {
            Ok(true) => {}
            Ok(false) => tracing::warn!(%id, "active-pipeline.yaml is a pipeline itself and was left as it is"),
            // It only spares people typing the id.
            Err(error) => tracing::warn!(%id, %error, "the pipeline could not be noted as the active one"),
        }
    }

    /// A pipeline that may be resumed: it has a run that nobody drives and that is not completed.
    ///
    /// # Errors
    /// `invalid_id` before any path is built; `not_found`; `pipeline_running`, `pipeline_completed`, `pipeline_pending`.
    pub fn resumable_pipeline(&self, id: &str) -> Result<PipelineView, ApiError> {
        let named = PipelineId::parse(id).map_err(Error::from)?;
        let view = self.pipeline_status(PipelineOf::named(id))?;
        let Some(run) = &view.run_id else {
            let folder = self.pipelines()?;
            // Says it where it was run somewhere else.
            self.not_started(&named, &folder.read(&named)?)?;
            return Err(ApiError::new(
                "pipeline_pending",
                format!("Pipeline {id} has not been started: there is nothing to resume."),
            )
            .hint(format!("Start it with: gatehouse pipeline run {id}")));
        };
        if let Some(driver) = &view.driver {
            return Err(ApiError::new(
                "pipeline_running",
                format!("Pipeline {id} is running, carried out by {driver}."),
            )
            .hint(format!("Stop it first (gatehouse pipeline abort {id}), or let it end.")));
        }
        if self.history(run)?.state(None).status == RunStatus::Ended(engine::EndStatus::Succeeded) {
            return Err(completed(&named));
        }
        Ok(view)
    }

    /// Writes the state of a run into its pipeline's file where nobody drives it: whoever drives it does so by themselves.
    pub(crate) fn show_state(&self, run: &RunId) {
        if self.driver_of(run).is_some() {
            return;
        }
        let shown = self.history(run.as_str()).map_err(|error| error.to_string());
        let shown = shown.and_then(|history| {
            let state = history.state(None);
            state_file::write(&self.0.store, &self.0.root, &state).map_err(|error| error.to_string())
        });
        if let Err(error) = shown {
            tracing::warn!(%run, %error, "the pipeline's file does not show the state of its run");
        }
    }

    /// Why a pipeline's own file does not show the state of its run, as a sentence, with what it says instead.
    pub fn unshown(&self, run: &RunId) -> Option<String> {
        let why = self.0.store.unshown(run).ok().flatten()?;
        let said = self.said_instead(run);
        let said = said.map_or_else(String::new, |said| format!("; it still says “{said}”"));
        Some(format!(
            "The pipeline's file does not show how this run stands: {}{said}. The record is whole; `gatehouse rebuild {run}` writes the file once it \
             can be, and so does `gatehouse pipeline status`.",
            why.trim_end_matches('.')
        ))
    }

    /// What a pipeline's own file says of its state, where that can be read and is not what its run has come to.
    fn said_instead(&self, run: &RunId) -> Option<PipelineStatus> {
        let history = self.history(run.as_str()).ok()?;
        let path = history.document.path();
        let text = self.text_in(path, LARGEST_WORKFLOW).ok()?;
        let said = list::stated_word(&Document::parse(path, &text))?;
        (said != state_file::pipeline_status(history.state(None).status)).then_some(said)
    }
}

/// The code of a pipeline in which nothing is left to do.
const COMPLETED: &str = "pipeline_completed";

fn completed(id: &PipelineId) -> ApiError {
    ApiError::new(
        COMPLETED,
        format!("Pipeline {id} is completed: there is nothing left to do."),
    )
    .hint(format!(
        "Run it anew as another pipeline: gatehouse pipeline create --from {id}"
    ))
}
