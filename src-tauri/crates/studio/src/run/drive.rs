//! Driving runs: which of them this process carries on, and letting go of them.

use crate::lock::lock;
use crate::notice::Notice;
use crate::run::cache::Driving;
use crate::run::history::History;
use crate::run::present::status_of_word;
use crate::run::view::RunHead;
use crate::studio::Client;
use crate::terminal::query::InWindow;
use crate::{ApiError, Studio};
use engine::RunId;
use runtime::{Control, Driver, Options};
use std::sync::Arc;
use store::RunFilter;

/// What can be done where a driver does not follow an answer.
pub(crate) const CONFIRM: &str = "Compare the fingerprint of its key with whoever it belongs to and confirm it (`gatehouse people`); \
                                  then resume the run. Or stop it.";

impl Studio {
    /// A driver for this project.
    pub(crate) fn driver(&self, options: Options) -> Result<Driver, ApiError> {
        Ok(Driver::new(Arc::clone(&self.0.store), &self.0.root, options)?)
    }

    /// Drives a run of this person in the background when nobody else does. The command line drives in the foreground and does not; what
    /// somebody else left open is taken up by nobody until a person says so.
    pub(crate) fn see_to(&self, run: &RunId) {
        if self.0.client == Client::Cli || self.0.read_only.is_some() || !self.is_mine(run) {
            return;
        }
        let mut driving = lock(&self.0.runs.driving);
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
        lock(&self.0.runs.let_go).remove(run);
        let (id, studio) = (run.clone(), self.clone());
        let control = Control::default();
        let stop = control.clone();
        let task = tokio::spawn(async move {
            match driver.drive(&id, &stop).await {
                Ok((end, _)) => tracing::info!(run = %id, ?end, "done driving"),
                Err(runtime::Error::Driven { owner, .. }) => tracing::info!(run = %id, %owner, "driven elsewhere"),
                Err(runtime::Error::Restricted) => tracing::info!(run = %id, "left open: the project is not trusted"),
                Err(error @ runtime::Error::Ousted { .. }) => tracing::warn!(run = %id, %error, "driven elsewhere"),
                Err(error) => {
                    tracing::error!(run = %id, %error, "driving stopped");
                    if let Ok(Some(row)) = studio.0.store.run(id.as_str()) {
                        let why = format!(
                            "This program carried it on and stopped. {}",
                            ApiError::from(error).message
                        );
                        lock(&studio.0.runs.let_go).insert(id.clone(), (row.seq, why));
                        studio.notify(Notice::Run {
                            run_id: id.to_string(),
                            last: row.seq,
                            status: status_of_word(row.status),
                        });
                    }
                }
            }
        });
        driving.insert(run.clone(), Driving { control, task });
    }

    /// The same of a run that somebody has answered in. Whoever drives the run around it drives this one too, and goes on with what follows.
    pub(crate) fn see_to_with_around(&self, run: &RunId) {
        let around = self.around(run).unwrap_or_default();
        // One that is paused begins nothing: what it had begun goes on by itself.
        let goes_on = |run: &RunId| {
            let state = self.history(run.as_str()).map(|history| history.state(None));
            state.is_ok_and(|state| !state.paused && !state.status.ended())
        };
        match around.last().filter(|_| around.iter().all(goes_on)) {
            Some(outermost) if self.is_mine(outermost) => {
                self.see_to(outermost);
                // A run around that has gone on without this one drives it no more.
                if around.first().is_some_and(|next| self.has_left(next, run)) {
                    self.see_to(run);
                }
            }
            _ => self.see_to(run),
        }
    }

    /// Whether a run that lies directly inside another one is open, and none of its steps waits for it.
    fn has_left(&self, around: &RunId, run: &RunId) -> bool {
        let is_open = self
            .history(run.as_str())
            .is_ok_and(|history| !history.state(None).status.ended());
        let around = self.history(around.as_str());
        is_open && around.is_ok_and(|around| self.open_inside(&around).iter().all(|(_, row)| row.run != *run))
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

    /// Lets go of every run that this process carries on and that does something: nobody waits for its programs to have ended.
    pub(crate) fn let_go_of_what_is_real(&self) {
        for (run, driving) in lock(&self.0.runs.driving).iter() {
            if !self.is_rehearsal(run) {
                driving.control.stop();
            }
        }
    }

    /// Lets go of every run this process drives and waits until their programs have ended, at most five seconds. What was
    /// in flight is recorded as cut off; the runs can be taken up again.
    pub async fn close(&self) {
        let driving: Vec<Driving> = lock(&self.0.runs.driving).drain().map(|(_, driving)| driving).collect();
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

    /// The same of a run that somebody takes up: a driver would let go of it at once where it was answered with a key that nobody has confirmed.
    pub(crate) fn may_go_on(&self, history: &History) -> Result<(), ApiError> {
        self.may_drive(history)?;
        match self.unvouched(history.id()) {
            Some(why) => Err(ApiError::new("refused:not_vouched", why).hint(CONFIRM)),
            None => Ok(()),
        }
    }

    /// The last thing a program does that may end while parts of it still hold the project: what was recorded is in the one file then.
    /// Nothing can be read or written any more.
    pub fn put_away(&self) {
        self.0.store.close();
    }

    /// Drives a run in the foreground until it ends; with `until_blocked` until it waits for a person. How it stands then.
    ///
    /// # Errors
    /// `driven_elsewhere`, and what store and programs report.
    pub async fn drive(&self, run: &RunId, fast: bool, until_blocked: bool) -> Result<RunHead, ApiError> {
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
    ) -> Result<RunHead, ApiError> {
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
        self.run_head(run)
    }

    /// Who drives a run now; one that has died counts for nothing.
    pub(crate) fn driver_of(&self, run: &RunId) -> Option<String> {
        runtime::driven_by(&self.0.store, run).ok().flatten()
    }

    /// Waits a little until whoever drove a run to its end has let go of it: nobody would drive it on otherwise.
    pub(crate) async fn until_let_go(&self, run: &RunId) {
        let mine = || {
            lock(&self.0.runs.driving)
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
}
