//! A project for recorded pipelines: their file, agents that do as the case says, and the façade every client uses.

use super::case::Fault;
use crate::project::Project;
use dialect::pipeline::id::PipelineId;
use dialect::pipeline::{Definition, ErrorHandling, StageDefinition, compose};
use engine::{Choice, Event, RunId, RunState};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use studio::command::{ActOn, PipelineOf};
use studio::pipeline::view::PipelineView;
use studio::run::view::RunAction;
use studio::settings::identity::Identity;
use studio::{ApiError, Client, Studio};

/// Where the cases' pipelines lie.
pub const FOLDER: &str = "pipelines";
/// The id of a case's pipeline.
pub const ID: &str = "PIPE-20250101-case-120000";
/// The agent whose work follows a script of the case, `.case/<stage's name in hexadecimal digits>`.
pub const SCRIPTED: &str = "scripted";
/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Every agent does nothing, and well, but the one whose stages follow a script.
const CONFIG: &str = r#"runtime: {parallel_stages: 8}
agents:
  "*": {engine: shell, run: "true"}
  scripted: {engine: shell, run: 'sh ".case/$(printf %s "$GATEHOUSE_STEP" | od -An -v -tx1 | tr -d " \n")"'}
"#;

/// A project and its façade.
pub struct Desk {
    pub project: Project,
    pub studio: Studio,
}

impl Desk {
    /// A project whose agents do nothing, or follow a script.
    pub fn new() -> Result<Self, Fault> {
        Self::with(CONFIG)
    }

    pub fn with(config: &str) -> Result<Self, Fault> {
        let project = Project::new(&[("gatehouse.yaml", config)])?;
        let me = Identity::open_in(&project.home(), false).map_err(fault)?;
        me.trust(&project.root, true).map_err(fault)?;
        // The command line's façade drives nothing by itself.
        let studio = Studio::open_as(&project.root, Client::Cli, me).map_err(fault)?;
        Ok(Self { project, studio })
    }

    /// Where a pipeline's file is.
    pub fn file(&self, id: &str) -> PathBuf {
        self.project.root.join(FOLDER).join(format!("{id}.yaml"))
    }

    pub fn put(&self, id: &str, text: &str) -> Result<(), Fault> {
        Ok(self.project.write(&[(&format!("{FOLDER}/{id}.yaml"), text)])?)
    }

    pub fn text(&self, id: &str) -> String {
        std::fs::read_to_string(self.file(id)).unwrap_or_default()
    }

    /// What a stage of the agent [`SCRIPTED`] does.
    pub fn script(&self, stage: &str, script: &str) -> Result<(), Fault> {
        let name: String = stage.bytes().map(|b| format!("{b:02x}")).collect();
        Ok(self.project.write(&[(&format!(".case/{name}"), script)])?)
    }

    pub fn status(&self, id: &str) -> Result<PipelineView, Fault> {
        self.studio.pipeline_status(PipelineOf::named(id)).map_err(fault)
    }

    /// Drives a run to its end.
    pub async fn drive(&self, run: &RunId) -> Result<(), Fault> {
        let driving = self.studio.drive(run, false, true);
        let ended = tokio::time::timeout(PATIENCE, driving).await;
        ended
            .map_err(|_| Fault::differs("the run does not end"))?
            .map_err(fault)?;
        Ok(())
    }

    pub fn state(&self, run: &RunId) -> Result<RunState, Fault> {
        let (state, _) = self.project.store()?.load(run).map_err(anyhow::Error::from)?;
        Ok(state)
    }

    pub fn events(&self, run: &RunId) -> Result<Vec<Event>, Fault> {
        let events = self
            .project
            .store()?
            .events(run, 0, 1_000_000)
            .map_err(anyhow::Error::from)?;
        Ok(events.into_iter().map(|stored| stored.event).collect())
    }

    /// Waits until the pipeline is as it should be.
    pub async fn until(&self, what: &str, mut holds: impl FnMut() -> Result<bool, Fault>) -> Result<(), Fault> {
        let begun = Instant::now();
        while !holds()? {
            if begun.elapsed() > PATIENCE {
                return Err(Fault::differs(format!("it never comes to this: {what}")));
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        Ok(())
    }

    pub async fn abort(&self, run: &RunId) -> Result<(), ApiError> {
        let order = ActOn::new(run.to_string(), RunAction::Abort);
        self.studio.act(order).await.map(drop)
    }

    /// Takes the pipeline up again: every stage of which something must be said is retried, or skipped.
    pub async fn reopen(&self, id: &str, choice: Choice) -> Result<RunId, ApiError> {
        let view = self.studio.resumable_pipeline(id)?;
        let run = view.run_id.unwrap_or_default();
        let choices: BTreeMap<String, Choice> = view.choices.into_iter().map(|c| (c.step.id, choice)).collect();
        let order = ActOn {
            choices,
            ..ActOn::new(run.clone(), RunAction::Reopen)
        };
        self.studio.act(order).await?;
        Ok(RunId::from(run))
    }
}

/// What a client is told is how the product differs.
pub fn fault(error: ApiError) -> Fault {
    Fault::differs(format!("{}: {}", error.code, error.message))
}

/// The stages of a case.
pub fn stages(case: &Value) -> Vec<StageDefinition> {
    let words = |value: &Value| -> Vec<String> {
        let items = value.as_array().into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let stage = |stage: &Value| StageDefinition {
        agents: words(&stage["agents"]),
        parallel: stage["parallel"] == true,
        depends_on: words(&stage["depends_on"]),
        outputs: words(&stage["outputs"]),
        ..StageDefinition::new(stage["name"].as_str().unwrap_or_default())
    };
    case["stages"].as_array().into_iter().flatten().map(stage).collect()
}

/// The text of a pipeline's file; `handling`: any word, as a person may write it.
pub fn text(id: &str, stages: Vec<StageDefinition>, handling: Option<&str>) -> Result<String, Fault> {
    let known = handling.and_then(ErrorHandling::of_word);
    let text = compose(&Definition {
        id: Some(PipelineId::parse(id).map_err(|e| Fault::differs(e.to_string()))?),
        name: "A recorded case".to_owned(),
        error_handling: known,
        stages,
        ..Definition::default()
    });
    Ok(match handling.filter(|_| known.is_none()) {
        Some(odd) => text.replacen("stages:", &format!("error_handling: {odd}\nstages:"), 1),
        None => text,
    })
}
