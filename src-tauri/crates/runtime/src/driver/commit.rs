//! The run's log as its driver sees it: decide, append in one commit, apply; and read what others have appended.

use crate::{Error, clock};
use engine::{Command, Cursor, Intent, Refusal, RefusalCode, RunId, RunState, decide};
use history::{Batch, Live};
use model::Workflow;
use store::Store;

pub(super) struct Log<'a> {
    pub store: &'a Store,
    pub workflow: &'a Workflow,
    pub live: Live,
}

impl Log<'_> {
    /// The run's state.
    pub fn state(&self) -> &RunState {
        self.live.state()
    }

    /// Which run.
    pub fn run(&self) -> &RunId {
        self.live.run()
    }

    /// Decides these intents one after the other and appends what comes of them in one commit. Intents that no longer fit
    /// are left out: the run moved on. The blobs that they name are part of the commit.
    pub fn commit(&mut self, intents: &[Intent], blobs: &[Vec<u8>]) -> Result<(), Error> {
        let (run, workflow) = (self.run().clone(), self.workflow);
        self.live.commit(self.store, blobs, |state| {
            Ok::<_, Error>(decided(&run, workflow, state, intents))
        })?;
        Ok(())
    }

    /// Applies what others have appended. True when there was anything.
    pub fn catch_up(&mut self) -> Result<bool, Error> {
        Ok(self.live.catch_up(self.store)?)
    }
}

fn decided(run: &RunId, workflow: &Workflow, state: &RunState, intents: &[Intent]) -> Batch {
    let mut at = clock::now().max(state.last_at.unwrap_or_default());
    let mut batch = Batch::on(state);
    for intent in intents {
        // The driver has waited for it, whatever the clock of the machine has done meanwhile.
        if let Intent::Retry { instance } = intent {
            let due = match batch.state().cursor_of(&instance.step) {
                Cursor::Retrying { at, .. } => Some(*at),
                Cursor::AtJoin { fork } => batch.state().forks.get(*fork).and_then(|fork| fork.forked.until),
                _ => None,
            };
            at = at.max(due.unwrap_or(at));
        }
        let intent = intent.clone();
        match decide(workflow, batch.state(), &Command { at, intent }) {
            Ok(decided) => batch.add(at, decided),
            Err(Refusal {
                code: RefusalCode::StaleAttempt | RefusalCode::RunEnded,
                message,
            }) => {
                tracing::debug!(%run, %message, "an outcome that nobody wants any more");
            }
            Err(Refusal { message, .. }) => tracing::warn!(%run, %message, "refused"),
        }
    }
    batch
}
