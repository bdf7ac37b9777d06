//! Starting runs, driving and steering them.

use crate::command::{ActOn, RunAt, StartOf, Started, TakeUpOf};
use crate::run::history::History;
use crate::run::view::{ResumeView, RunAction, RunView};
use crate::studio::{Client, Driving, lock};
use crate::terminal::query::InWindow;
use crate::{ApiError, Studio, words};
use engine::{Choice, Instance, Intent, RunId, RunState};
use history::Live;
use model::{Reopening, StepId};
use runtime::{Control, Driver, Options, ScenarioSource, StartRequest};
use std::sync::Arc;
use store::{RunFilter, StepFacts};

/// The attempts that have begun and not ended.
fn in_flight(state: &RunState) -> Vec<(Instance, u32)> {
    let mut found = Vec::new();
    for visit in state.steps.values().flat_map(|step| &step.visits) {
        let open = visit.attempts.iter();
        let open = open.filter(|one| one.result.is_none() && one.interrupted.is_none());
        found.extend(open.map(|one| (visit.instance.clone(), one.started.attempt)));
    }
    found
}

impl Studio {
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
        let longest = runtime::subject::LONGEST;
        let typed = of.subject.as_deref().unwrap_or_default().trim();
        if typed.chars().count() > longest {
            let what = format!("What the run is about takes at most {longest} characters.");
            return Err(ApiError::new("bad_parameters", what)
                .hint("Say it shorter: it stands in lists and on every page of the report."));
        }
        for name in of.assigned.values() {
            crate::settings::query::good_name(name)?;
        }
        let document = self.document(&of.path)?;
        let inside = match &of.scenario {
            Some(named) => self.scenario_inside(&document, named)?,
            None => None,
        };
        let asks_everywhere = inside.as_ref().is_some_and(|(_, prompted)| *prompted);
        let scenario = match (&of.scenario, inside) {
            (None, _) => None,
            (Some(_), Some((source, _))) => Some(source),
            (Some(path), None) => {
                let file = self.inside(path)?;
                let text = store::regular::read_text_through(&file, store::regular::LARGEST_SETTINGS).map_err(|e| {
                    ApiError::new("unreadable", format!("The scenario {path} cannot be read: {e}."))
                        .hint("Check the path.")
                })?;
                Some(ScenarioSource {
                    path: path.clone(),
                    text,
                })
            }
        };
        // A rehearsal leaves the pipeline as it is.
        let rehearse = of.rehearse || scenario.is_some();
        let run_id = if rehearse { None } else { self.before_start(&document)? };
        let request = StartRequest {
            run_id: run_id.clone(),
            path: of.path.clone(),
            source: document.text().to_owned(),
            rehearse,
            scenario,
            prompted: of.prompted || asks_everywhere,
            permit: of.permit,
            begins_at: of.from.as_deref().map(Into::into),
            subject: of.subject.clone(),
            inputs: of.inputs.clone(),
            assigned: of
                .assigned
                .iter()
                .map(|(step, to)| (step.as_str().into(), to.as_str().into()))
                .collect(),
            by: self.0.identity.person().name,
            initiator: self.0.client.word().into(),
            ..StartRequest::default()
        };
        let started = self.driver(self.options())?.start(&request);
        if run_id.is_some() {
            match &started {
                Ok(_) => self.has_begun(&of.path),
                // Somebody else started the pipeline at the same moment.
                Err(_) => self.before_start(&document).map(|_| ())?,
            }
        }
        Ok(started?)
    }

    /// How this client drives runs.
    pub fn options(&self) -> Options {
        let config = self.config().0;
        let rights = self.rights();
        Options {
            pass: config.pass,
            permissions: config.permissions,
            limits: config.bounds,
            enforced: config.enforced,
            granted: rights.granted,
            restricted: rights.trusted.is_none(),
            owner: Some(Arc::new(self.clone())),
            ..Options::of(self.0.client.word())
        }
    }

    /// What reading scripts alone keeps of the rules for a workflow on this machine, as a sentence; nothing where the kernel holds all. An empty
    /// path: the rules for every workflow.
    pub fn only_read_of(&self, path: &str) -> Option<String> {
        let config = self.config().0;
        let policy = runtime::permits::policy(&config.permissions, &config.pass, path);
        words::only_read(&runtime::kept(&self.0.root, &policy, config.bounds, path).only_read)
    }

    /// The same of a run, where it was started and when.
    ///
    /// # Errors
    /// Those of the history.
    pub fn only_read_in(&self, run: &RunId) -> Result<Option<String>, ApiError> {
        let state = Live::open(&self.0.store, run)?.into_state();
        let created = state.created.as_deref();
        Ok(created.and_then(|created| words::only_read(created.only_read.as_deref()?)))
    }

    /// A driver for this project.
    ///
    /// # Errors
    /// `io` when the folder has gone.
    pub fn driver(&self, options: Options) -> Result<Driver, ApiError> {
        Ok(Driver::new(Arc::clone(&self.0.store), &self.0.root, options)?)
    }

    /// Drives a run of this person in the background when nobody else does. The command line drives in the foreground and does not; what
    /// somebody else left open is taken up by nobody until a person says so.
    pub(crate) fn see_to(&self, run: &RunId) {
        if self.0.client == Client::Cli || self.0.read_only.is_some() || !self.is_mine(run) {
            return;
        }
        let mut driving = lock(&self.0.driving);
        driving.retain(|_, driving| !driving.task.is_finished());
        if driving.contains_key(run) || self.driver_of(run).is_some() {
            return;
        }
        let keyboard = InWindow { studio: self.clone() };
        let options = Options {
            keyboard: Some(Arc::new(keyboard)),
            ..self.options()
        };
        let Ok(driver) = self.driver(options) else {
            return;
        };
        let id = run.clone();
        let control = Control::default();
        let stop = control.clone();
        let task = tokio::spawn(async move {
            match driver.drive(&id, &stop).await {
                Ok((end, _)) => tracing::info!(run = %id, ?end, "done driving"),
                Err(runtime::Error::Driven { owner, .. }) => tracing::info!(run = %id, %owner, "driven elsewhere"),
                Err(runtime::Error::Restricted) => tracing::info!(run = %id, "left open: the project is not trusted"),
                Err(error) => tracing::error!(run = %id, %error, "driving stopped"),
            }
        });
        driving.insert(run.clone(), Driving { control, task });
    }

    /// Takes up the runs that this person started in a client of this kind and nobody drives: a window that was closed in the middle
    /// of its runs goes on with them when it is opened again. Runs that somebody else left open stay so.
    pub(crate) fn take_up(&self) -> Result<(), ApiError> {
        let open = self.0.store.runs(&RunFilter {
            open_only: true,
            ..RunFilter::default()
        })?;
        for row in open.iter().filter(|row| row.initiator == self.0.client.word()) {
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

    /// Refuses where driving a run would start programs of a project that the person does not trust.
    pub(crate) fn may_drive(&self, history: &History) -> Result<(), ApiError> {
        let rehearsal = history.created().is_some_and(engine::RunCreated::is_rehearsal);
        match rehearsal || self.is_trusted() {
            true => Ok(()),
            false => Err(runtime::Error::Restricted.into()),
        }
    }

    /// The last thing a program does that may end while parts of it still hold the project: what was recorded is in the one file then.
    /// Nothing can be read or written any more.
    pub fn put_away(&self) {
        self.0.store.close();
    }

    /// Drives a run in the foreground until it ends; with `until_blocked` until it waits for a person.
    ///
    /// # Errors
    /// `driven_elsewhere`, and what store and programs report.
    pub async fn drive(&self, run: &RunId, fast: bool, until_blocked: bool) -> Result<RunView, ApiError> {
        self.drive_under(run, fast, until_blocked, None, &Control::default())
            .await
    }

    /// The same under a control, which can let go of the run before; `keyboard`: who types into the terminals of steps.
    ///
    /// # Errors
    /// As [`Self::drive`].
    pub async fn drive_under(
        &self,
        run: &RunId,
        fast: bool,
        until_blocked: bool,
        keyboard: Option<Arc<dyn runtime::Keyboard>>,
        control: &Control,
    ) -> Result<RunView, ApiError> {
        self.writable()?;
        let options = Options {
            fast,
            until_blocked,
            keyboard,
            ..self.options()
        };
        self.may_drive(self.history(run.as_str())?.as_ref())?;
        self.take_over(run);
        self.driver(options)?.drive(run, control).await?;
        self.run_view(RunAt {
            run_id: run.to_string(),
            at: None,
        })
        .await
    }

    /// Who drives a run now; one that has died counts for nothing.
    pub(crate) fn driver_of(&self, run: &RunId) -> Option<String> {
        runtime::driven_by(&self.0.store, run).ok().flatten()
    }

    /// Hands an intent of a person to a run.
    pub(crate) async fn submit(&self, history: &History, intent: Intent) -> Result<(), ApiError> {
        let is_good = self.unvouched(history.id()).is_none();
        let stored = runtime::answer::submit(&self.0.store, history.workflow(), &mut history.live(), intent)?;
        // What is said now does not vouch for what somebody else wrote before it.
        if let Some(last) = stored.last().filter(|_| is_good) {
            runtime::Owner::saw(self, history.id(), last.seq);
        }
        if history.workflow().contract().state_in_file {
            self.show_state(history.id());
        }
        // What nobody drives has nobody else who writes its files.
        if !stored.is_empty() && self.driver_of(history.id()).is_none() {
            let facts = StepFacts::of(history.workflow());
            if let Err(error) = self.0.store.write_run_dir(history.id(), &facts) {
                tracing::warn!(run = %history.id(), %error, "the run's files could not be written; nothing recorded is lost");
            }
        }
        Ok(())
    }
    /// Pauses, resumes, ends or takes up a run.
    pub(crate) async fn act(&self, of: ActOn) -> Result<RunView, ApiError> {
        self.writable()?;
        let history = self.history(&of.run_id)?;
        let by = self.person_or_somebody();
        let intent = match of.action {
            RunAction::Pause => Some(Intent::Pause { by }),
            RunAction::Resume => Some(Intent::Resume { by }),
            RunAction::Abort => {
                let reason = of.reason.clone().unwrap_or_default();
                self.end(&history, &by, reason.trim()).await?;
                None
            }
            RunAction::Jump => {
                let Some(to) = of.to.filter(|to| !to.trim().is_empty()) else {
                    return Err(ApiError::new("bad_parameters", "A jump needs the step it leads to."));
                };
                Some(Intent::Jump {
                    by,
                    to: to.trim().into(),
                })
            }
            RunAction::Reopen => Some(Intent::Reopen {
                by,
                choices: of
                    .choices
                    .into_iter()
                    .map(|(step, choice)| (step.into(), choice))
                    .collect(),
            }),
            RunAction::Drive => {
                self.may_drive(&history)?;
                self.take_over(history.id());
                None
            }
        };
        let reopens = matches!(intent, Some(Intent::Reopen { .. }));
        if reopens {
            // A run that cannot be driven is not opened anew.
            self.may_drive(&history)?;
        }
        if reopens && history.state(None).status.ended() {
            self.until_let_go(history.id()).await;
        }
        if let Some(intent) = intent {
            self.submit(&history, intent).await?;
        }
        if reopens {
            self.take_over(history.id());
        }
        if reopens && history.workflow().contract().state_in_file {
            self.has_begun(history.document.path());
        }
        self.see_to(history.id());
        self.run_view(RunAt {
            run_id: of.run_id,
            at: None,
        })
        .await
    }

    /// Ends a run in a person's name, and with it the runs inside it and, where nobody drives it, the programs of a driver that died:
    /// no driver will ever look at it again.
    async fn end(&self, history: &History, by: &str, reason: &str) -> Result<(), ApiError> {
        let before = history.state(None);
        let intent = Intent::Abort {
            by: by.to_owned(),
            reason: reason.to_owned(),
        };
        if self.driver_of(history.id()).is_none() {
            // First: whoever reads "stopped" must be able to believe it.
            let root = self.0.root.to_string_lossy();
            for (instance, attempt) in in_flight(&before) {
                runtime::executor::end_leftovers(&root, history.id(), &instance, attempt).await;
            }
        }
        self.submit(history, intent).await?;
        let open = RunFilter {
            open_only: true,
            ..RunFilter::default()
        };
        for row in self.0.store.runs(&open)? {
            if self
                .parent_run(&row.run)?
                .is_some_and(|parent| parent.run == *history.id())
            {
                let inside = self.history(row.run.as_str())?;
                match Box::pin(self.end(&inside, by, reason)).await {
                    // Its driver was faster.
                    Err(error) if error.code.starts_with("refused:") => {}
                    other => other?,
                }
            }
        }
        Ok(())
    }

    /// Waits a little until whoever drove a run to its end has let go of it: nobody would drive it on otherwise.
    async fn until_let_go(&self, run: &RunId) {
        let mine = || {
            lock(&self.0.driving)
                .get(run)
                .is_some_and(|driving| !driving.task.is_finished())
        };
        for _ in 0..100 {
            if !mine() && self.driver_of(run).is_none() {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    }

    pub(crate) fn person_or_somebody(&self) -> String {
        let name = self.0.identity.person().name;
        if name.is_empty() { "somebody".to_owned() } else { name }
    }

    /// What it means to take up a run that has ended, at a step or where it stood.
    ///
    /// # Errors
    /// `not_found`; `refused:cannot_reopen`.
    pub async fn taken_up(&self, of: TakeUpOf) -> Result<ResumeView, ApiError> {
        let history = self.history(&of.run_id)?;
        let from = of.from.as_deref().map(StepId::from);
        if of.mended {
            return self.mended(&history, from.as_ref());
        }
        crate::run::present::taken_up(history.workflow(), &history.state(None), from.as_ref())
            .map_err(|why| ApiError::new("refused:cannot_reopen", why).hint("Choose another step, or start a new run."))
    }

    /// Makes a run ready to be driven again: lets it go on when it is paused, and takes it up where it failed when its format has
    /// that (StepSpec). Returns its whole id.
    ///
    /// # Errors
    /// `not_found`; `refused:run_ended`, `refused:cannot_reopen`.
    pub async fn resume(&self, id: &str, from: Option<&str>) -> Result<RunId, ApiError> {
        self.writable()?;
        let history = self.history(id)?;
        let state = history.state(None);
        if state.status.ended() {
            // A driver that died after the last event had still its files to write.
            self.finish_files(&history)?;
        }
        self.may_drive(&history)?;
        if state.status.ended() || state.paused || from.is_some() {
            let by = self.person_or_somebody();
            // What cannot be taken up again the engine says itself.
            let intent = match history.workflow().contract().reopening {
                Reopening::AtOpenStep | Reopening::WhereItStood if state.status.ended() => Intent::Reopen {
                    by,
                    choices: from.map(|step| (step.into(), Choice::Retry)).into_iter().collect(),
                },
                _ if from.is_some() => {
                    return Err(ApiError::new(
                        "refused:cannot_reopen",
                        "This run has not ended: it goes on where it stands.",
                    )
                    .hint("Leave the step away, or stop the run first."));
                }
                _ => Intent::Resume { by },
            };
            let reopens = matches!(intent, Intent::Reopen { .. });
            self.submit(&history, intent).await?;
            if reopens {
                self.take_over(history.id());
            }
        }
        Ok(history.id().clone())
    }

    /// Pauses, resumes or ends a run.
    ///
    /// # Errors
    /// `not_found`, `refused:…`.
    pub async fn order(&self, of: ActOn) -> Result<RunView, ApiError> {
        self.act(of).await
    }
}
