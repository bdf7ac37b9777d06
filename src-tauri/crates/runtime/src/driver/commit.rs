//! The run's log as its driver sees it: decide, append in one commit, apply; and read what others have appended.

use super::crash::Hook;
use crate::{Error, clock};
use engine::{Command, Cursor, Event, Intent, Refusal, RefusalCode, RunId, RunState, apply, decide};
use model::Workflow;
use store::Store;

/// How often a commit is decided again because somebody else was faster.
const TRIES: usize = 50;
/// How often a commit waits again for another program that keeps the history locked.
const LOCKED: usize = 3;
/// Events read at once.
const PAGE: usize = 1000;

pub(super) struct Log<'a> {
    pub store: &'a Store,
    pub run: &'a RunId,
    pub workflow: &'a Workflow,
    pub state: RunState,
    pub hook: Hook,
}

impl Log<'_> {
    /// Decides these intents one after the other and appends what comes of them in one commit. Intents that no longer fit
    /// are left out: the run moved on. The blobs that they name are part of the commit.
    pub fn commit(&mut self, intents: &[Intent], blobs: &[Vec<u8>]) -> Result<(), Error> {
        let mut locked = 0;
        for _ in 0..TRIES {
            let before = self.state.seq;
            let batch = self.decide(intents);
            if batch.is_empty() {
                return Ok(());
            }
            self.hook.before(before + 1, self.state.seq);
            match self.store.append_with(self.run, before, &batch, &self.state, blobs) {
                Ok(_) => {
                    self.hook.after(before + 1, self.state.seq);
                    return Ok(());
                }
                Err(error) => {
                    // The state is ahead of the log now, so it is folded anew.
                    self.state = self.store.load(self.run)?.0;
                    match error {
                        store::Error::Conflict { .. } => {}
                        // Each try has waited some seconds already.
                        store::Error::Locked { .. } if locked < LOCKED => locked += 1,
                        other => return Err(other.into()),
                    }
                }
            }
        }
        Err(Error::Unusable {
            run: self.run.clone(),
            reason: "other programs keep writing to it".into(),
        })
    }

    fn decide(&mut self, intents: &[Intent]) -> Vec<(engine::At, Event)> {
        let mut at = clock::now().max(self.state.last_at.unwrap_or_default());
        let mut batch = Vec::new();
        for intent in intents {
            // The driver has waited for it, whatever the clock of the machine has done meanwhile.
            if let Intent::Retry { instance } = intent
                && let Cursor::Retrying { at: due, .. } = self.state.cursor_of(&instance.step)
            {
                at = at.max(*due);
            }
            match decide(
                self.workflow,
                &self.state,
                &Command {
                    at,
                    intent: intent.clone(),
                },
            ) {
                Ok(decided) => {
                    batch.extend(decided.events.into_iter().map(|event| (at, event)));
                    self.state = decided.state;
                }
                Err(Refusal {
                    code: RefusalCode::StaleAttempt | RefusalCode::RunEnded,
                    message,
                }) => {
                    tracing::debug!(run = %self.run, %message, "an outcome that nobody wants any more");
                }
                Err(Refusal { message, .. }) => tracing::warn!(run = %self.run, %message, "refused"),
            }
        }
        batch
    }

    /// Applies what others have appended. True when there was anything.
    pub fn catch_up(&mut self) -> Result<bool, Error> {
        let before = self.state.seq;
        loop {
            let page = self.store.events(self.run, self.state.seq, PAGE)?;
            for stored in &page {
                apply(&mut self.state, stored.at, &stored.event);
            }
            if page.len() < PAGE {
                return Ok(self.state.seq > before);
            }
        }
    }
}
