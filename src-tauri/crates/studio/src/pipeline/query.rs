//! The list of pipelines, and where one stands.

use crate::command::{Nothing, PipelineOf};
use crate::lock::lock;
use crate::pipeline::errors::begun_elsewhere;
use crate::pipeline::present;
use crate::pipeline::view::{PipelineRow, PipelineView, PipelinesView, StageChoice, StageView};
use crate::run::history::History;
use crate::run::open_work::OpenWork;
use crate::run::status;
use crate::studio::now;
use crate::text::safe;
use crate::view::Status;
use crate::{ApiError, Studio, words};
use dialect::Document;
use dialect::pipeline::id::PipelineId;
use dialect::pipeline::{PipelineStatus, StageStatus, with_states};
use engine::RunState;
use model::{Control, Severity, Step, StepId};
use runtime::config::Config;
use runtime::pipeline::active::{self, Active};
use runtime::pipeline::estimate::Past;
use runtime::pipeline::run::run_of;
use runtime::pipeline::{Error, Folder, list, state_file};
use std::collections::HashMap;
use store::RunRow;
use store::regular::LARGEST_WORKFLOW;

impl Studio {
    /// Where the project's pipelines lie. Settings that keep a run from starting keep nobody from looking at a pipeline, or from stopping it.
    pub(crate) fn pipelines(&self) -> Result<Folder, ApiError> {
        let config = match self.config() {
            (config, None) => config,
            (_, Some(fault)) => Config::only_pipelines(&self.0.root).ok_or(fault)?,
        };
        Ok(Folder::of(&self.0.root, &config)?)
    }

    /// The project's pipelines, latest first.
    ///
    /// # Errors
    /// `invalid_file`, `outside_project`, and what the store reports.
    pub fn pipeline_list(&self, _: Nothing) -> Result<PipelinesView, ApiError> {
        let folder = self.pipelines()?;
        let active = match active::read(&folder) {
            Ok(Some(Active::Named(id))) => Some(id.to_string()),
            // A broken file there says nothing of the others.
            _ => None,
        };
        let entries = list::all(&folder)?;
        let runs = entries.iter().map(|entry| run_of(&self.0.store, &entry.path));
        let runs = runs.collect::<Result<Vec<_>, _>>()?;
        let mut rows = self.rows(runs.iter().flatten()).into_iter();
        let mut pipelines = Vec::new();
        for (entry, run) in entries.into_iter().zip(runs) {
            let row = run.as_ref().and_then(|run| Some((run, rows.next()?)));
            let (status, word) = match (row, &entry.document) {
                (Some((run, row)), _) => (row.status, word_of_row(run)),
                (None, Ok(document)) => of_file(list::stated(document)),
                (None, Err(_)) => of_file(PipelineStatus::Pending),
            };
            let (name, stages, problem) = match &entry.document {
                Ok(document) => {
                    let workflow = document.workflow();
                    (workflow.title.clone(), workflow.steps().len(), first_error(document))
                }
                Err(error) => {
                    let name = entry.id.as_ref().map_or_else(|name| name.as_str(), PipelineId::name);
                    (name.to_owned(), 0, Some(error.to_string()))
                }
            };
            let problem = problem.or_else(|| match (&entry.id, &entry.document, &run) {
                (Err(_), ..) => Some(NO_ID.to_owned()),
                (Ok(id), Ok(document), None) => begun_elsewhere(id, document).map(|error| error.message),
                _ => None,
            });
            pipelines.push(PipelineRow {
                created: entry.id.as_ref().map(created).unwrap_or_default(),
                id: entry.id.map_or_else(|name| safe::visible(&name), |id| id.to_string()),
                path: entry.path,
                name: safe::visible(&name),
                status,
                status_word: word.to_owned(),
                stages: u32::try_from(stages).unwrap_or(u32::MAX),
                run_id: run.map(|run| run.run.to_string()),
                problem,
            });
        }
        Ok(PipelinesView {
            folder: folder.relative().to_owned(),
            pipelines,
            active,
        })
    }

    /// Where a pipeline stands; without an id the one that was started last.
    ///
    /// # Errors
    /// `invalid_id` before any path is built; `not_found`, `unreadable`, and what the store reports.
    pub fn pipeline_status(&self, of: PipelineOf) -> Result<PipelineView, ApiError> {
        let folder = self.pipelines()?;
        let (path, document) = match list::find(&folder, of.id.as_deref()) {
            Ok(found) => found,
            // Its run keeps the version that it began with, whatever became of the file since.
            Err(Error::NotFound { id }) => {
                let path = folder.path_of(&id);
                return match run_of(&self.0.store, &path)? {
                    Some(row) => self.with_run(&folder, &path, &row),
                    None => Err(Error::NotFound { id }.into()),
                };
            }
            Err(other) => return Err(other.into()),
        };
        match run_of(&self.0.store, &path)? {
            Some(row) => self.with_run(&folder, &path, &row),
            None => self.without_run(&folder, &path, &document),
        }
    }

    /// By the run's own log and the version it keeps: both are the truth, the file is rendered from them.
    fn with_run(&self, folder: &Folder, path: &str, row: &RunRow) -> Result<PipelineView, ApiError> {
        let history = self.history(row.run.as_str())?;
        let state = history.state(None);
        let workflow = history.workflow();
        // Where the driver died right after the run's last event, nobody else brings the file up to date.
        let has_file = || self.inside(path).is_ok_and(|file| file.is_file());
        if state.status.ended() && self.0.read_only.is_none() && has_file() {
            self.show_state(&row.run);
        }
        let past = self.past_of(&history)?.unwrap_or_default();
        let now = now();
        let outputs = outputs_of(folder, path);
        let names = present::folders(workflow);
        let output = |step: &Step| {
            let folder = format!("{outputs}/{}", names.get(step.ordinal)?);
            holds_something(&self.0.root, &folder).then_some(folder)
        };
        let mut stages = present::stages(workflow, &state, now.0, output);
        let waiting = self.that_wait();
        let (status, _) = self.stands(&history, &waiting)?;
        if !state.status.ended() {
            let open = OpenWork::of(self, &history, &state, status, &waiting)?;
            for stage in &mut stages {
                if let Some((now, _)) = open.of_step(&stage.step.id, stage.status) {
                    stage.status = now;
                }
                // Where nobody carries it out nothing takes time any more.
                if let (Status::LeftOpen, Some(last)) = (stage.status, state.moved_at) {
                    stage.duration_ms = present::duration(&state, &StepId::new(stage.step.id.clone()), last.0);
                }
            }
        }
        let mut choices = present::choices(workflow, &state);
        self.add_what_is_asked_anew(&history, &state, &mut choices);
        let driver = self.driver_of(&row.run);
        // A stage that waits for a person, or that nobody carries on, is “running” in the words of the files alone.
        let current = stages
            .iter()
            .filter(|stage| driver.is_some() && stage.status == Status::Running);
        Ok(PipelineView {
            id: workflow.id.to_string(),
            path: path.to_owned(),
            name: safe::visible(&workflow.title),
            status,
            status_word: state_file::pipeline_status(state.status).word().to_owned(),
            progress: present::progress(workflow, &state),
            current: current.map(|stage| stage.step.clone()).collect(),
            stages,
            estimate: present::estimate(
                workflow,
                &past.remaining(workflow, &state, driver.as_ref().map(|_| now)),
            ),
            outputs,
            run_id: Some(row.run.to_string()),
            driver,
            source_changed: self.source_changed(&history),
            stages_changed: self.stages_changed(&history),
            error: state.error.clone(),
            choices,
            ending: present::ending(workflow, history.events(), &state),
        })
    }

    /// Adds to what is said of stages before a pipeline goes on: of one whose run inside has ended, that another one begins.
    pub(crate) fn add_what_is_asked_anew(&self, history: &History, state: &RunState, choices: &mut [StageChoice]) {
        for choice in choices {
            let id = StepId::new(choice.step.id.clone());
            let visit = state.steps.get(&id).and_then(|step| step.visits.last());
            let Some(visit) = visit else { continue };
            if self
                .begun_inside(history, state, visit)
                .iter()
                .any(|row| row.status.ended())
            {
                choice
                    .retry
                    .push_str(" The workflow inside it begins anew: what people answered there is asked again.");
            }
        }
    }

    /// By what the file states: nothing of it has happened in this history.
    fn without_run(&self, folder: &Folder, path: &str, document: &Document) -> Result<PipelineView, ApiError> {
        let workflow = document.workflow();
        let past = Past::of(&self.0.store, workflow, None)?;
        let (status, word) = of_file(list::stated(document));
        let stated = |step: &Step| list::stage_stated(document, step);
        let outputs = outputs_of(folder, path);
        let names = present::folders(workflow);
        let stage = |step: &Step| {
            let folder = names.get(step.ordinal).map(|name| format!("{outputs}/{name}"));
            StageView {
                step: words::of_step(step),
                status: stage_status(stated(step)),
                status_word: stated(step).word().to_owned(),
                agents: step.agents.iter().map(ToString::to_string).collect(),
                duration_ms: None,
                output: folder.filter(|folder| holds_something(&self.0.root, folder)),
                reason: None,
            }
        };
        let statuses: Vec<_> = workflow.steps().iter().map(|step| step_status(stated(step))).collect();
        let left = past.remaining(workflow, &RunState::default(), None);
        Ok(PipelineView {
            id: workflow.id.to_string(),
            path: path.to_owned(),
            name: safe::visible(&workflow.title),
            status,
            status_word: word.to_owned(),
            progress: present::of_statuses(&statuses),
            stages: workflow.steps().iter().map(stage).collect(),
            current: Vec::new(),
            estimate: present::estimate(workflow, &left),
            outputs,
            run_id: None,
            driver: None,
            source_changed: false,
            stages_changed: Vec::new(),
            error: PipelineId::of_file(path).and_then(|id| Some(begun_elsewhere(&id, document)?.message)),
            choices: Vec::new(),
            ending: None,
        })
    }

    /// How long the stages of a pipeline's run took in past runs; `None` for other formats.
    pub(crate) fn past_of(&self, history: &History) -> Result<Option<Past>, ApiError> {
        let workflow = history.workflow();
        if workflow.contract().control != Control::Stages {
            return Ok(None);
        }
        // A window looks at a run several times a second; the past is read again only when there is more of it.
        let reach = Past::reach(&self.0.store, Some(history.id()))?;
        if let Some((_, past)) = lock(&self.0.runs.pasts)
            .get(history.id())
            .filter(|(of, _)| *of == reach)
        {
            return Ok(Some(past.clone()));
        }
        let past = Past::of(&self.0.store, workflow, Some(history.id()))?;
        lock(&self.0.runs.pasts).insert(history.id().clone(), (reach, past.clone()));
        Ok(Some(past))
    }

    /// How the stages of a pipeline's file differ from those that its run has, apart from their states: sentences.
    pub(crate) fn stages_changed(&self, history: &History) -> Vec<String> {
        let document = &history.document;
        if !document.workflow().contract().state_in_file {
            return Vec::new();
        }
        let text = self.text_in(document.path(), LARGEST_WORKFLOW).ok();
        let Some(text) = text.filter(|text| text != document.text()) else {
            return Vec::new();
        };
        let digest = store::digest_of(text.as_bytes());
        let mut known = lock(&history.stages_changed);
        if let Some((_, said)) = known.as_ref().filter(|(of, _)| *of == digest) {
            return said.clone();
        }
        let states = state_file::states(document.workflow(), &history.state(None));
        let read = |text: &str| {
            let text = with_states(text, &states).ok()?;
            Some(Document::parse(document.path(), &text))
        };
        let said = match (read(&text), read(document.text())) {
            (Some(now), Some(kept)) => differing(now.workflow().steps(), kept.workflow().steps()),
            _ => Vec::new(),
        };
        *known = Some((digest, said.clone()));
        said
    }

    /// Whether a pipeline's file differs from the version that its run keeps in the states alone, which the run itself writes.
    pub(crate) fn only_states_differ(&self, history: &History, now: &[u8]) -> bool {
        let document = &history.document;
        if !document.workflow().contract().state_in_file {
            return false;
        }
        let states = state_file::states(document.workflow(), &history.state(None));
        let same = |text: &str| with_states(text, &states).ok();
        let now = std::str::from_utf8(now).ok().and_then(same);
        now.is_some() && now == same(document.text())
    }
}

/// More stages that differ are counted, not named.
const MOST_NAMED: usize = 6;

/// The stages of a pipeline's file that differ from those that its run has, as sentences.
fn differing(now: &[Step], kept: &[Step]) -> Vec<String> {
    let by_id = |steps: &[Step]| -> HashMap<StepId, Step> {
        let alone = |step: &Step| Step {
            ordinal: 0,
            number: String::new(),
            ..step.clone()
        };
        steps.iter().map(|step| (step.id.clone(), alone(step))).collect()
    };
    let (in_file, in_run) = (by_id(now), by_id(kept));
    let named = |steps: &[&Step]| {
        let mut names: Vec<String> = steps
            .iter()
            .take(MOST_NAMED)
            .map(|step| format!("“{}”", safe::visible(&step.name)))
            .collect();
        if steps.len() > MOST_NAMED {
            names.push(format!("{} more", steps.len() - MOST_NAMED));
        }
        names.join(", ")
    };
    let added: Vec<&Step> = now.iter().filter(|step| !in_run.contains_key(&step.id)).collect();
    let gone: Vec<&Step> = kept.iter().filter(|step| !in_file.contains_key(&step.id)).collect();
    let is_other = |step: &&Step| {
        in_file
            .get(&step.id)
            .is_some_and(|now| in_run.get(&step.id) != Some(now))
    };
    let other: Vec<&Step> = kept.iter().filter(is_other).collect();
    let mut said = Vec::new();
    if !added.is_empty() {
        let what = words::count(added.len(), "stage", "stages");
        said.push(format!(
            "The file has {what} that this run never had: {}.",
            named(&added)
        ));
    }
    if !other.is_empty() {
        let what = words::count(other.len(), "stage was", "stages were");
        said.push(format!(
            "{what} changed in the file since the run began, which has what stood there then: {}.",
            named(&other)
        ));
    }
    if !gone.is_empty() {
        let what = words::count(gone.len(), "stage of this run is", "stages of this run are");
        said.push(format!("{what} not in the file any more: {}.", named(&gone)));
    }
    said
}

/// Of a pipeline whose file is not named by an id.
const NO_ID: &str = "the name of its file is no pipeline id (PIPE-YYYYMMDD-name-HHmmss.yaml); create it with \
    `gatehouse pipeline create --file`";

/// The first error of a file, with its line.
pub(crate) fn first_error(document: &Document) -> Option<String> {
    let fault = document.diagnostics().iter().find(|d| d.severity == Severity::Error)?;
    let line = document
        .span(&fault.place)
        .map(|span| document.position(span.start).line);
    let place = line.map_or_else(String::new, |line| format!("line {line}: "));
    Some(format!("{place}{}", fault.message))
}

/// `2026-01-31 09:30:00`, as the id says it.
fn created(id: &PipelineId) -> String {
    let (date, time) = (id.date(), id.time());
    format!(
        "{}-{}-{} {}:{}:{}",
        &date[..4],
        &date[4..6],
        &date[6..],
        &time[..2],
        &time[2..4],
        &time[4..]
    )
}

/// Where the outputs of a pipeline's run are, relative to the project.
fn outputs_of(folder: &Folder, path: &str) -> String {
    match PipelineId::of_file(path) {
        Some(id) => format!("{}/outputs/{id}", folder.relative()),
        None => format!("{}/outputs", folder.relative()),
    }
}

fn holds_something(root: &std::path::Path, folder: &str) -> bool {
    let folder = runtime::project::inside(root, folder).ok();
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok());
    entries.is_some_and(|mut entries| entries.next().is_some())
}

fn word_of_row(row: &RunRow) -> &'static str {
    use store::StatusWord as W;
    let word = match row.status {
        W::New | W::Imported => PipelineStatus::Pending,
        W::Running | W::Blocked => PipelineStatus::Running,
        W::Paused => PipelineStatus::Paused,
        W::Succeeded => PipelineStatus::Completed,
        W::Failed | W::Refused | W::Stopped => PipelineStatus::Failed,
        W::Aborted => PipelineStatus::Aborted,
        W::CompletedWithFailures => PipelineStatus::CompletedWithFailures,
    };
    word.word()
}

fn of_file(status: PipelineStatus) -> (Status, &'static str) {
    let shown = match status {
        PipelineStatus::Pending => Status::NotStarted,
        PipelineStatus::Running => Status::Running,
        PipelineStatus::Paused => Status::Paused,
        PipelineStatus::Completed => Status::Done,
        PipelineStatus::CompletedWithFailures => Status::Partly,
        PipelineStatus::Failed => Status::Failed,
        PipelineStatus::Aborted => Status::Aborted,
    };
    (shown, status.word())
}

fn step_status(status: StageStatus) -> engine::StepStatus {
    use engine::StepStatus as S;
    match status {
        StageStatus::Pending => S::NotStarted,
        StageStatus::Queued => S::Queued,
        StageStatus::Running => S::Running,
        StageStatus::Completed => S::Succeeded,
        StageStatus::Failed => S::Failed,
        StageStatus::Skipped => S::Skipped,
        StageStatus::Aborted => S::Interrupted,
    }
}

fn stage_status(status: StageStatus) -> Status {
    status::step_status(step_status(status))
}
