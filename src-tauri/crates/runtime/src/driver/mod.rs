//! The driver: creates runs and carries them out, one select loop a run.

mod begin;
mod commit;
mod earlier;
mod files;
mod lease;
mod navigator;
mod turn;
mod work;

pub use begin::{ScenarioSource, StartRequest, to_run};
pub use earlier::{GoOn, Point, can_go_back};
pub use lease::host;

use crate::Keyboard;
use crate::attempt::Toolbox;
use crate::config::Config;
use crate::executor::Environment;
use crate::imported::ImportRequest;
use crate::waiting::Waits;
use crate::{Error, Owner, checkpoint, desk, kept, permits, pipeline, source};
use engine::{Event, RunId, RunState};
use history::Live;
use permission::{Need, Permissions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use tokio::sync::watch;
use tracing::Instrument;

/// How runs are driven.
#[derive(Debug, Clone)]
pub struct Options {
    /// Which program drives: `desktop`, `cli`, `serve`, `test`; others read it with its process and host.
    pub client: String,
    /// In a rehearsal scripted times, the pauses before another attempt and the times of forks pass at once, in their order: for tests and
    /// for `--fast`.
    pub fast: bool,
    /// Return when the run waits for a person, or is paused, instead of waiting with it.
    pub until_blocked: bool,
    /// Environment variables that reach commands although their names look like secrets (`gatehouse.yaml`).
    pub pass: Vec<String>,
    /// What scripts and commands may run, read, write and use (`gatehouse.yaml`).
    pub permissions: Permissions,
    /// What each process of a step may use up (`gatehouse.yaml`).
    pub limits: process::Limits,
    /// Nothing is driven for real where reading alone keeps a part of what steps are kept from (`gatehouse.yaml`).
    pub enforced: bool,
    /// What was permitted for all runs, by whoever drives this one.
    pub granted: Vec<Need>,
    /// For whom runs are begun and driven; absent: what a log says of permissions and of runs inside it is taken as it
    /// stands.
    pub owner: Option<Arc<dyn Owner>>,
    /// Who types into the terminals of steps; absent: nobody.
    pub keyboard: Option<Arc<dyn Keyboard>>,
    /// Nothing of the project may run: rehearsals alone are started and driven.
    pub restricted: bool,
    /// How long a driver that no longer reports in keeps its run, milliseconds; it reports in five times as often.
    pub lease_ms: u64,
    /// How often the history is looked at for what other processes have said.
    pub watch: Duration,
    /// In a rehearsal that writes no files, what is decided waits so long for more, to share one synced commit with it; zero: it does not
    /// wait.
    pub together: Duration,
    /// Write the run's files while it runs, at most this often, and at every gate and end; absent: never.
    pub render: Option<Duration>,
}

impl Options {
    /// The defaults for a program.
    pub fn of(client: impl Into<String>) -> Self {
        Self {
            client: client.into(),
            fast: false,
            until_blocked: false,
            pass: Vec::new(),
            permissions: Permissions::default(),
            limits: process::Limits::default(),
            enforced: false,
            granted: Vec::new(),
            owner: None,
            keyboard: None,
            restricted: false,
            lease_ms: 10_000,
            watch: Duration::from_millis(50),
            together: Duration::from_millis(4),
            render: Some(Duration::from_secs(1)),
        }
    }
}

/// Stops driving, from anywhere. Clones stop the same thing.
#[derive(Debug, Clone, Default)]
pub struct Control {
    stop: Arc<watch::Sender<bool>>,
    /// Of a run inside another one: tells whoever drives that one whether it waits for a person.
    waits: Option<Arc<Waits>>,
}

impl Control {
    /// Of a run inside another one.
    pub(crate) fn of_inner(waits: Arc<Waits>) -> Self {
        Self {
            waits: Some(waits),
            ..Self::default()
        }
    }

    /// Whether the run waits for a person and for nothing else.
    fn waits(&self, does: bool) {
        if let Some(waits) = &self.waits {
            waits.say(does);
        }
    }

    /// Lets go of the run: what is in flight is ended and recorded as interrupted, the run stays as it is and can be
    /// driven on later. To end the run itself, submit [`engine::Intent::Abort`].
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }

    async fn stopped(&self) {
        // The sender lives as long as `self`, so waiting cannot fail.
        let _ = self.stop.subscribe().wait_for(|stop| *stop).await;
    }
}

/// Why driving came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The run has ended.
    Ended,
    /// It waits for a person, or is paused ([`Options::until_blocked`]).
    Blocked,
    /// [`Control::stop`].
    Stopped,
}

/// Who drives a run now, in words; a lease that has expired, or whose process is no more, counts for nothing.
///
/// # Errors
/// [`store::Error::Sql`].
pub fn driven_by(store: &Store, run: &RunId) -> Result<Option<String>, Error> {
    Ok(lease::held(store, run)?.map(|row| row.owner))
}

/// Refuses a run whose log leads past somebody who was asked and had not answered ([`Live::passed`]).
///
/// # Errors
/// [`Error::Unusable`].
pub(crate) fn in_order(live: &Live) -> Result<(), Error> {
    live.passed().map_or(Ok(()), |reason| {
        Err(Error::Unusable {
            run: live.run().clone(),
            reason: format!(
                "{reason}. No Gatehouse writes that; see: gatehouse verify {}",
                live.run()
            ),
        })
    })
}

/// Creates and drives the runs of one project.
#[derive(Debug, Clone)]
pub struct Driver {
    pub(crate) store: Arc<Store>,
    pub(crate) root: PathBuf,
    options: Options,
}

impl Driver {
    /// A driver for the project whose history `store` is; `root` is its folder.
    ///
    /// # Errors
    /// [`Error::Io`] when the folder is not there.
    pub fn new(store: Arc<Store>, root: &Path, options: Options) -> Result<Self, Error> {
        let canonical = root.canonicalize();
        let root = canonical.map_err(|source| Error::Io {
            what: root.display().to_string(),
            source,
        })?;
        Ok(Self { store, root, options })
    }

    /// Who types into the terminals of steps.
    pub(crate) fn keyboard(&self) -> Option<Arc<dyn Keyboard>> {
        self.options.keyboard.clone()
    }

    /// The same driver for what lies inside a rehearsal: whatever run it finds there, nothing of the project is
    /// executed.
    pub(crate) fn restricted(mut self) -> Self {
        self.options.restricted = true;
        self
    }

    /// Creates a run: its first events are durable when this returns, and nothing has been carried out yet. Follow it
    /// with [`Driver::drive`].
    ///
    /// # Errors
    /// [`Error::Restricted`]; [`Error::OnlyRead`]; [`Error::Workflow`], [`Error::File`] when workflow, scenario or
    /// `gatehouse.yaml` cannot be used; [`Error::Refused`]; [`Error::Store`].
    pub fn start(&self, request: &StartRequest) -> Result<RunId, Error> {
        begin::start(&self.store, &self.root, &self.options, request)
    }

    /// Takes a session of elsewhere in as a run to look at; nothing of it is ever carried out.
    ///
    /// # Errors
    /// [`Error::Workflow`]: it is no session, or cannot be read; [`Error::Store`].
    pub fn import(&self, request: &ImportRequest) -> Result<RunId, Error> {
        begin::import(&self.store, &self.options, request)
    }

    /// Whether a run that was found, and not begun here, is the owner's.
    pub(crate) fn is_owned(&self, run: &RunId) -> bool {
        self.options.owner.as_ref().is_none_or(|owner| owner.is_theirs(run))
    }

    /// Whether a run that is over was the owner's.
    pub(crate) fn was_owned(&self, run: &RunId) -> bool {
        self.options.owner.as_ref().is_none_or(|owner| owner.was_theirs(run))
    }

    /// Why an answer in a run inside another one, which ended with it while nobody drove it here, is not followed outside either: nobody whom the
    /// owner knows has given it. What a scenario answers nobody gives.
    pub(crate) fn doubt(&self, run: &RunId, is_scripted: bool) -> Result<Option<String>, store::Error> {
        let Some(owner) = &self.options.owner else {
            return Ok(None);
        };
        let mut answers = Vec::new();
        self.store.each_event(run, owner.seen(run), |stored| {
            if let Event::GateAnswered(decision) = &stored.event
                && !(is_scripted && decision.is_scripted())
            {
                answers.push(stored.seq);
            }
        })?;
        Ok(answers.into_iter().find_map(|answer| owner.doubt(run, answer)))
    }

    /// A run inside another one was taken up with that one, and is the owner's again.
    pub(crate) fn took_up(&self, run: &RunId, around: &RunId) -> Result<(), store::Error> {
        if let (Some(owner), Some(head)) = (&self.options.owner, self.store.head(run)?) {
            owner.began(run, head, Some(around), true);
        }
        Ok(())
    }

    /// Drives a run until it ends (see [`Options::until_blocked`] and [`Control`] for less). Waits for people, for
    /// retries and for what other processes say. An attempt that was in flight when an earlier driver died is recorded
    /// as interrupted and tried again. When this returns, or is dropped, no process of the run is left.
    ///
    /// # Errors
    /// [`Error::Restricted`]; [`Error::OnlyRead`]; [`Error::Driven`] while somebody else drives it; [`Error::Ousted`];
    /// [`Error::Unvouched`]; [`Error::Store`]; [`Error::Unusable`].
    pub async fn drive(&self, run: &RunId, control: &Control) -> Result<(End, RunState), Error> {
        let mut live = Live::open(&self.store, run)?;
        let Some(created) = live.state().created.clone() else {
            return Err(Error::Unusable {
                run: run.clone(),
                reason: "its log does not begin with its creation".into(),
            });
        };
        in_order(&live)?;
        if created.imported.is_some() {
            return Err(Error::Unusable {
                run: run.clone(),
                reason: "it was imported, and nothing of it is carried out; go on from it with its workflow".into(),
            });
        }
        if self.options.restricted && !created.is_rehearsal() {
            return Err(Error::Restricted);
        }
        let workflow = source::workflow(&self.store, &created)?;
        let scenario = source::scenario(&self.store, &created)?.map(Arc::new);
        let policy = permits::policy(&self.options.permissions, &self.options.pass, &created.path);
        let kept = match created.is_rehearsal() {
            // It starts nothing.
            true => kept::Kept {
                confinement: tool::confinement::always(&self.root),
                only_read: Vec::new(),
            },
            false => kept::kept(&self.root, &policy, self.options.limits, &created.path),
        };
        if self.options.enforced {
            kept::demanded(&kept)?;
        }
        let hold = lease::Hold::take(&self.store, run, &self.options)?;
        live.drive(hold.lease());
        // Once for all its attempts, whose desks lie there too; in a rehearsal nobody has one.
        if !created.is_rehearsal() {
            desk::clear_old();
        }
        if let Some(continued) = created.continues.as_ref().filter(|_| !created.is_rehearsal()) {
            let done = checkpoint::finish(&self.store, &self.root, run, (continued, live.state()))?;
            done.map_err(|reason| Error::Unusable {
                run: run.clone(),
                reason,
            })?;
        }
        let suspects = hold.suspects(&workflow, live.state());
        let environment = Environment {
            confinement: Arc::new(kept.confinement),
            policy,
            granted: self.options.granted.clone(),
        };
        let toolbox = Toolbox::new(
            &self.root,
            Some(&self.store),
            source::config(&self.store, &created)?,
            &environment,
            crate::executor::mark(&self.root.to_string_lossy(), created.run_id.as_str(), "servers", 0, 0),
        );
        let named = match &self.options.owner {
            Some(_) => Config::load(&self.root).unwrap_or_default(),
            None => Config::default(),
        };
        let named = named.bound().map(|(_, engine)| engine.command.clone()).collect();
        // A scripted file is something that is done outside.
        let writes = scenario.as_ref().is_some_and(|scenario| scenario.makes_files());
        let together = Some(self.options.together).filter(|_| created.is_rehearsal() && !writes);
        let turn = turn::Turn {
            log: commit::Log::new(
                &self.store,
                &workflow,
                live,
                // In a rehearsal nothing is carried out, whoever answers.
                self.options.owner.as_deref().filter(|_| !created.is_rehearsal()),
                together,
            ),
            desk: work::Desk::new(self.clone(), scenario, environment, Arc::new(toolbox), named),
            options: &self.options,
            hold,
            suspects,
            files: files::Files::new(
                &self.store,
                &self.root,
                run,
                source::facts(&self.store, &created)?,
                self.options.render,
                pipeline::state_file::has_file(&created),
            ),
            answered: Default::default(),
            thinking: Default::default(),
            pauses: Default::default(),
            watched: Default::default(),
            seen: 0,
            unrecorded: None,
            beside: None,
        };
        turn.run(control)
            .instrument(tracing::info_span!("run", id = %run))
            .await
    }
}
