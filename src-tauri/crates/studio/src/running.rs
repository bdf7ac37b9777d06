//! Starting runs, steering them, and looking at them as of any event.

use crate::command::{ActOn, LogAfter, Nothing, PathOf, RunAt, StartOf, Started, StepAt};
use crate::history::History;
use crate::show::workflow::agent as agent_view;
use crate::show::{faces, log as show_log, problems, run as show, step as show_step, timeline as show_timeline, words};
use crate::studio::{Client, Driving, lock, now};
use crate::view::run::{FileView, LogView, RunView, StepDetail, TimelineView};
use crate::view::runs::RunsView;
use crate::view::workflow::{AgentPlan, AskPlan, StartBrief};
use crate::{ApiError, Studio};
use engine::{Digest, Event, Instance, Intent, RunId};
use model::{AgentKey, Severity, StepId};
use runtime::{Control, Driver, Options, ScenarioSource, StartRequest};
use std::sync::Arc;
use store::vocabulary::Vocabulary;
use store::{RunFilter, StepFacts};

impl Studio {
    /// What a start would do: who works with what, who is asked, what is written.
    pub(crate) async fn start_brief(&self, of: PathOf) -> Result<StartBrief, ApiError> {
        let document = self.document(&of.path)?;
        let (config, fault) = self.config();
        if let Some(fault) = fault {
            return Err(fault);
        }
        let workflow = document.workflow();
        let engines = |agent: &AgentKey| config.engine_of(agent);
        let mut agents: Vec<AgentPlan> = Vec::new();
        for step in workflow.steps() {
            let key = step.agent_key();
            let known = agents.iter_mut().find(|plan| plan.agent.name == key.as_str());
            match known {
                Some(plan) => plan.steps.push(words::of_step(step)),
                None => {
                    let agent = agent_view(&key, &engines);
                    let words = match agent.engine.as_str() {
                        "stub" => "is played by a built-in stand-in: nothing is executed".to_owned(),
                        _ => format!("runs the command  {}", agent.command),
                    };
                    agents.push(AgentPlan {
                        agent,
                        steps: vec![words::of_step(step)],
                        words,
                    });
                }
            }
        }
        let asks = workflow
            .steps()
            .iter()
            .filter_map(|step| {
                let gate = step.gate.as_ref().filter(|g| faces::blocks(g, &config.limits))?;
                Some(AskPlan {
                    step: words::of_step(step),
                    question: gate
                        .question
                        .clone()
                        .unwrap_or_else(|| crate::show::workflow::question(step)),
                    asks: gate.asks.iter().map(ToString::to_string).collect(),
                    at: gate.at,
                })
            })
            .collect();
        let mut writes: Vec<String> = workflow
            .steps()
            .iter()
            .flat_map(|s| s.outputs.iter().cloned())
            .collect();
        writes.sort();
        writes.dedup();
        Ok(StartBrief {
            path: of.path.clone(),
            title: workflow.title.clone(),
            errors: problems::problems(&document)
                .into_iter()
                .filter(|p| p.severity == Severity::Error)
                .collect(),
            agents,
            asks,
            writes,
            scenarios: self.scenarios(&of.path),
        })
    }

    /// Starts a run and carries it out in the background.
    pub(crate) async fn start_run(&self, of: StartOf) -> Result<Started, ApiError> {
        let run = self.create_run(&of)?;
        self.see_to(&run);
        Ok(Started {
            run_id: run.to_string(),
        })
    }

    /// Creates a run; nothing is carried out yet.
    ///
    /// # Errors
    /// `invalid_workflow`, `invalid_file`, `read_only`, and what the store reports.
    pub fn create_run(&self, of: &StartOf) -> Result<RunId, ApiError> {
        self.writable()?;
        let document = self.document(&of.path)?;
        let scenario = match &of.scenario {
            None => None,
            Some(path) => {
                let file = self.inside(path)?;
                let text = std::fs::read_to_string(&file).map_err(|e| {
                    ApiError::new("unreadable", format!("The scenario {path} cannot be read: {e}."))
                        .hint("Check the path.")
                })?;
                Some(ScenarioSource {
                    path: path.clone(),
                    text,
                })
            }
        };
        let request = StartRequest {
            path: of.path.clone(),
            source: document.text().to_owned(),
            scenario,
            by: self.0.identity.person().name,
            initiator: self.0.client.word().into(),
            ..StartRequest::default()
        };
        Ok(self.driver(self.options())?.start(&request)?)
    }

    /// How this client drives runs.
    pub fn options(&self) -> Options {
        Options {
            pass: self.config().0.pass,
            ..Options::of(self.0.client.word())
        }
    }

    /// A driver for this project.
    ///
    /// # Errors
    /// `io` when the folder has gone.
    pub fn driver(&self, options: Options) -> Result<Driver, ApiError> {
        Ok(Driver::new(Arc::clone(&self.0.store), &self.0.root, options)?)
    }

    /// Drives a run in the background when nobody else does. The command line drives in the foreground and does not.
    pub(crate) fn see_to(&self, run: &RunId) {
        if self.0.client == Client::Cli || self.0.read_only.is_some() {
            return;
        }
        let mut driving = lock(&self.0.driving);
        driving.retain(|_, driving| !driving.task.is_finished());
        if driving.contains_key(run) || self.driver_of(run).is_some() {
            return;
        }
        let Ok(driver) = self.driver(self.options()) else {
            return;
        };
        let id = run.clone();
        let control = Control::default();
        let stop = control.clone();
        let task = tokio::spawn(async move {
            match driver.drive(&id, &stop).await {
                Ok((end, _)) => tracing::info!(run = %id, ?end, "done driving"),
                Err(runtime::Error::Driven { owner, .. }) => tracing::info!(run = %id, %owner, "driven elsewhere"),
                Err(error) => tracing::error!(run = %id, %error, "driving stopped"),
            }
        });
        driving.insert(run.clone(), Driving { control, task });
    }

    /// Takes up the runs that a client of this kind started and nobody drives: a window that was closed in the middle of
    /// its runs goes on with them when it is opened again.
    pub(crate) fn take_up(&self) -> Result<(), ApiError> {
        let open = self.0.store.runs(&RunFilter {
            open_only: true,
            ..RunFilter::default()
        })?;
        for row in open.into_iter().filter(|row| row.initiator == self.0.client.word()) {
            self.see_to(&row.run);
        }
        Ok(())
    }

    /// Lets go of every run this process drives and waits until their programs have ended, at most five seconds. What was
    /// in flight is recorded as cut off; the runs can be taken up again.
    pub async fn close(&self) {
        let driving: Vec<Driving> = lock(&self.0.driving).drain().map(|(_, driving)| driving).collect();
        for driving in &driving {
            driving.control.stop();
        }
        let all = async {
            for driving in driving {
                // A task that panicked has said so already.
                let _ = driving.task.await;
            }
        };
        if tokio::time::timeout(std::time::Duration::from_secs(5), all)
            .await
            .is_err()
        {
            tracing::warn!("some runs did not let go in time; they are taken up again at the next start");
        }
    }

    /// Drives a run in the foreground until it ends; with `until_blocked` until it waits for a person.
    ///
    /// # Errors
    /// `driven_elsewhere`, and what store and programs report.
    pub async fn drive(&self, run: &RunId, fast: bool, until_blocked: bool) -> Result<RunView, ApiError> {
        self.writable()?;
        let options = Options {
            fast,
            until_blocked,
            ..self.options()
        };
        self.driver(options)?.drive(run, &Control::default()).await?;
        self.run_view(RunAt {
            run_id: run.to_string(),
            at: None,
        })
        .await
    }

    /// Events of a run after `after`, rendered in a vocabulary: JSON objects, one an event.
    ///
    /// # Errors
    /// `not_found`, and what the store reports.
    pub fn events(
        &self,
        id: &str,
        vocabulary: Vocabulary,
        after: u64,
    ) -> Result<(RunId, Vec<serde_json::Value>), ApiError> {
        let history = self.history(id)?;
        let facts = StepFacts::of(history.workflow());
        let mut rendered = store::vocabulary::render(vocabulary, &history.run, &history.events, &facts);
        rendered.retain(|e| {
            e.get("seq")
                .and_then(serde_json::Value::as_u64)
                .is_none_or(|seq| seq > after)
        });
        Ok((history.run.clone(), rendered))
    }

    /// Who drives a run now; one that has died counts for nothing.
    pub(crate) fn driver_of(&self, run: &RunId) -> Option<String> {
        runtime::driven_by(&self.0.store, run).ok().flatten()
    }

    /// Hands an intent of a person to a run.
    pub(crate) async fn submit(&self, history: &History, intent: Intent) -> Result<(), ApiError> {
        let stored = runtime::answer::submit(&self.0.store, history.workflow(), &history.run, intent)?;
        // Nobody drives a run that has ended, so nobody else writes its files to the end.
        if stored.iter().any(|s| matches!(s.event, Event::RunCompleted(_))) && self.driver_of(&history.run).is_none() {
            let facts = StepFacts::of(history.workflow());
            if let Err(error) = self.0.store.write_run_dir(&history.run, &facts) {
                tracing::warn!(run = %history.run, %error, "the run's files could not be written; nothing recorded is lost");
            }
        }
        Ok(())
    }

    /// A run as of an event.
    pub(crate) async fn run_view(&self, of: RunAt) -> Result<RunView, ApiError> {
        let history = self.history(&of.run_id)?;
        let at = of.at.filter(|at| *at < history.last());
        let state = history.state(at);
        let around = show::Around {
            driver: self.driver_of(&history.run),
            source_changed: self.source_changed(&history),
            last: history.last(),
            now: now().0,
        };
        Ok(show::run(history.workflow(), history.until(at), &state, &around))
    }

    fn source_changed(&self, history: &History) -> bool {
        let document = &history.document;
        self.inside(document.path())
            .ok()
            .and_then(|file| std::fs::read(file).ok())
            .is_some_and(|bytes| bytes != document.text().as_bytes())
    }

    /// One step of a run as of an event.
    pub(crate) async fn step_detail(&self, of: StepAt) -> Result<StepDetail, ApiError> {
        let history = self.history(&of.run_id)?;
        let workflow = history.workflow();
        let step = workflow.step(&StepId::new(of.step.clone())).ok_or_else(|| {
            ApiError::new(
                "not_found",
                format!("The workflow of this run has no step “{}”.", of.step),
            )
        })?;
        let at = of.at.filter(|at| *at < history.last());
        let events = history.until(at);
        let state = history.state(at);
        let created = state.created.as_deref();
        let limits = created.map(|c| c.limits).unwrap_or_default();
        let (drawing, _) = faces::picture(workflow, &[], &limits);
        let routes = show::routes(workflow, &drawing, events);
        let blobs = |digest: &Digest| self.0.store.blob(digest).ok();
        let facts = StepFacts::of(workflow);
        let receipt = |instance: &Instance, attempt: u32| {
            store::rundir::receipt_of(events, &facts, instance, attempt).map(|(path, bytes)| FileView {
                path,
                text: String::from_utf8_lossy(&bytes).into_owned(),
            })
        };
        let time = if at.is_some() {
            state.last_at.map_or(0, |t| t.0)
        } else {
            now().0
        };
        Ok(show_step::detail(
            workflow, &state, step, &routes, time, &blobs, &receipt,
        ))
    }

    /// A run over time. The whole of it, whatever the playhead: the playhead stands in it.
    pub(crate) async fn timeline(&self, of: RunAt) -> Result<TimelineView, ApiError> {
        let history = self.history(&of.run_id)?;
        Ok(show_timeline::timeline(
            history.workflow(),
            history.until(of.at),
            now().0,
        ))
    }

    /// A run's log for people.
    ///
    /// # Errors
    /// `not_found`, and what the store reports.
    pub async fn log(&self, of: LogAfter) -> Result<LogView, ApiError> {
        let history = self.history(&of.run_id)?;
        let after = of.after.unwrap_or(0);
        let from = history.events.partition_point(|e| e.seq <= after);
        Ok(show_log::log(history.workflow(), &history.events[from..], after))
    }

    /// Pauses, resumes, ends or takes up a run.
    pub(crate) async fn act(&self, of: ActOn) -> Result<RunView, ApiError> {
        self.writable()?;
        let history = self.history(&of.run_id)?;
        let by = self.person_or_somebody();
        let intent = match of.action.as_str() {
            "pause" => Some(Intent::Pause { by }),
            "resume" => Some(Intent::Resume { by }),
            "abort" => Some(Intent::Abort {
                by,
                reason: of.reason.unwrap_or_default().trim().to_owned(),
            }),
            "drive" => None,
            other => {
                return Err(
                    ApiError::new("bad_parameters", format!("A run cannot be asked to “{other}”."))
                        .hint("Actions are pause, resume, abort and drive."),
                );
            }
        };
        if let Some(intent) = intent {
            self.submit(&history, intent).await?;
        }
        self.see_to(&history.run);
        self.run_view(RunAt {
            run_id: of.run_id,
            at: None,
        })
        .await
    }

    fn person_or_somebody(&self) -> String {
        let name = self.0.identity.person().name;
        if name.is_empty() { "somebody".to_owned() } else { name }
    }

    /// All runs, latest first.
    pub(crate) async fn runs(&self, _: Nothing) -> Result<RunsView, ApiError> {
        let rows = self.0.store.runs(&RunFilter::default())?;
        let now = now().0;
        let runs = rows
            .iter()
            .map(|row| {
                // Only what has not ended needs its log for words such as “waits for a decision at …”.
                let open = (!row.status.ended())
                    .then(|| self.history(row.run.as_str()).ok())
                    .flatten();
                let state = open.as_ref().map(|h| h.state(None));
                show::row(
                    row,
                    open.as_ref().zip(state.as_ref()).map(|(h, s)| (h.workflow(), s)),
                    None,
                    now,
                )
            })
            .collect();
        Ok(RunsView { runs })
    }
}

/// What the command line needs besides the list of commands.
impl Studio {
    /// Makes a run ready to be driven again: lets it go on when it is paused. Returns its whole id.
    ///
    /// # Errors
    /// `not_found`; `refused:run_ended`.
    pub async fn resume(&self, id: &str) -> Result<RunId, ApiError> {
        self.writable()?;
        let history = self.history(id)?;
        let state = history.state(None);
        if state.status.ended() || state.paused {
            // Of a run that has ended the engine says so itself.
            self.submit(
                &history,
                Intent::Resume {
                    by: self.person_or_somebody(),
                },
            )
            .await?;
        }
        Ok(history.run.clone())
    }

    /// All runs, latest first.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn all_runs(&self) -> Result<Vec<crate::view::runs::RunRowView>, ApiError> {
        Ok(self.runs(Nothing {}).await?.runs)
    }

    /// A run as of an event.
    ///
    /// # Errors
    /// `not_found`.
    pub async fn view(&self, of: RunAt) -> Result<RunView, ApiError> {
        self.run_view(of).await
    }

    /// Pauses, resumes or ends a run.
    ///
    /// # Errors
    /// `not_found`, `refused:…`.
    pub async fn order(&self, of: ActOn) -> Result<RunView, ApiError> {
        self.act(of).await
    }

    /// Whether a run has ended.
    ///
    /// # Errors
    /// `not_found`.
    pub fn has_ended(&self, id: &str) -> Result<bool, ApiError> {
        let run = self.find_run(id)?;
        Ok(self.0.store.run(run.as_str())?.is_some_and(|row| row.status.ended()))
    }

    /// Whether somebody drives a run.
    pub fn is_driven(&self, run: &RunId) -> bool {
        self.driver_of(run).is_some()
    }

    /// The decision a run waits for.
    ///
    /// # Errors
    /// What the store reports.
    pub fn waiting_at(&self, run: &RunId) -> Result<Option<crate::view::gate::GateCard>, ApiError> {
        Ok(self.waiting()?.into_iter().find(|card| card.run_id == run.as_str()))
    }

    /// A gate by its id or the id of its step, with the round that waits (or `round`).
    ///
    /// # Errors
    /// `not_found`.
    pub fn find_gate(&self, id: &str, gate: &str, round: Option<u32>) -> Result<(RunId, String, u32), ApiError> {
        let history = self.history(id)?;
        let state = history.state(None);
        let found = state.gates.iter().find_map(|(key, rounds)| {
            let last = rounds.last()?;
            let fits = key.as_str() == gate || last.opened.instance.step.as_str() == gate;
            fits.then(|| (key.to_string(), round.unwrap_or(last.opened.round)))
        });
        let (gate, round) = found.ok_or_else(|| {
            ApiError::new("not_found", format!("The run has not asked “{gate}” (yet)."))
                .hint("`gatehouse status RUN` shows what it waits for.")
        })?;
        Ok((history.run.clone(), gate, round))
    }

    /// The signing key, shortened.
    pub fn key_short(&self) -> String {
        crate::identity::short(&self.0.identity.public())
    }
}
