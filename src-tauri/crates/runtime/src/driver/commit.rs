//! The run's log as its driver sees it: decide, append in one commit, apply; and read what others have appended.

use crate::{Error, Owner, clock};
use engine::{Command, Cursor, Event, Intent, Refusal, RefusalCode, RunId, RunState, decide};
use history::{Batch, Live};
use model::Workflow;
use store::Store;

pub(super) struct Log<'a> {
    pub store: &'a Store,
    pub workflow: &'a Workflow,
    pub live: Live,
    /// Who says whether what others append is followed; absent: it is taken as it stands.
    pub owner: Option<&'a dyn Owner>,
    /// The state after what was written here, or was found good.
    pub known: RunState,
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
        let own = self.live.commit(self.store, blobs, |state| {
            Ok::<_, Error>(decided(&run, workflow, state, intents))
        })?;
        // Somebody else may have been faster.
        let before = own.first().map_or(self.state().seq, |first| first.seq - 1);
        self.vouch(before)?;
        self.known = self.state().clone();
        Ok(())
    }

    /// Applies what others have appended.
    pub fn catch_up(&mut self) -> Result<(), Error> {
        self.live.catch_up(self.store)?;
        self.vouch(self.state().seq)
    }

    /// The same before anything is done: nobody has watched what was appended since whoever drives saw the log last. What a dead driver of theirs
    /// wrote is among it, so that answers alone are looked at.
    pub fn begin(&mut self) -> Result<(), Error> {
        self.live.catch_up(self.store)?;
        if let Some(owner) = self.owner {
            let mut answers = Vec::new();
            self.store.each_event(self.run(), owner.seen(self.run()), |stored| {
                if matches!(stored.event, Event::GateAnswered(_)) {
                    answers.push(stored.seq);
                }
            })?;
            for answer in answers {
                self.ask(owner, answer)?;
            }
        }
        self.known = self.state().clone();
        Ok(())
    }

    /// Refuses what others have appended, up to this event, unless it is what people say to runs, with all that follows from it and nothing else,
    /// and every answer is somebody's.
    fn vouch(&mut self, to: u64) -> Result<(), Error> {
        let Some(owner) = self.owner.filter(|_| to > self.known.seq) else {
            return Ok(());
        };
        let count = usize::try_from(to - self.known.seq).unwrap_or(usize::MAX);
        let others = self.store.events(self.run(), self.known.seq, count)?;
        let mut rest = others.as_slice();
        while let [first, ..] = rest {
            // In front of it stands what was due, if a log was cut off.
            let said = rest.iter().find_map(|stored| Some((stored, said(&stored.event)?)));
            match &said {
                Some((answer, Intent::Answer(_))) => self.ask(owner, answer.seq)?,
                // It leads past gates, and nobody signs it.
                Some((moved, Intent::Jump { by, .. } | Intent::Reopen { by, .. }))
                    if !is_seen(owner, self.run(), moved.seq) =>
                {
                    let why = format!(
                        "Event {} sends it to another step in the name of {by}, and you did not do that here.",
                        moved.seq
                    );
                    return Err(self.unvouched(why));
                }
                _ => {}
            }
            let decided = said.and_then(|(stored, intent)| {
                let command = Command { at: stored.at, intent };
                decide(self.workflow, &self.known, &command).ok()
            });
            let is_next = |events: &[Event]| {
                let both = events.iter().zip(rest);
                events.len() <= rest.len() && both.into_iter().all(|(event, stored)| *event == stored.event)
            };
            match decided.filter(|decided| !decided.events.is_empty() && is_next(&decided.events)) {
                Some(decided) => {
                    rest = &rest[decided.events.len()..];
                    self.known = decided.state;
                }
                None => {
                    let why = format!(
                        "Event {} does not follow from anything that people say to runs.",
                        first.seq
                    );
                    return Err(self.unvouched(why));
                }
            }
        }
        Ok(())
    }

    fn ask(&self, owner: &dyn Owner, answer: u64) -> Result<(), Error> {
        match owner.doubt(self.run(), answer) {
            None => Ok(()),
            Some(why) => Err(self.unvouched(why)),
        }
    }

    fn unvouched(&self, why: String) -> Error {
        Error::Unvouched {
            run: self.run().clone(),
            why,
        }
    }
}

/// Whether whoever drives has said what stands there themselves: it is kept a moment after it was recorded.
fn is_seen(owner: &dyn Owner, run: &RunId, seq: u64) -> bool {
    (0..20).any(|nth| {
        if nth > 0 {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        owner.seen(run) >= seq
    })
}

/// What somebody said for an event to be recorded; nothing where drivers alone record it.
fn said(event: &Event) -> Option<Intent> {
    Some(match event {
        Event::GateAnswered(decision) => Intent::Answer(decision.clone()),
        Event::Paused { by } => Intent::Pause { by: by.clone() },
        Event::Resumed { by } => Intent::Resume { by: by.clone() },
        Event::TakenOver(taken) => Intent::TakeOver(taken.clone()),
        Event::Checkpointed(made) => Intent::Checkpoint {
            by: made.by.clone(),
            name: made.name.clone(),
        },
        Event::Aborted { by, reason } => Intent::Abort {
            by: by.clone(),
            reason: reason.clone(),
        },
        Event::Reopened { by, choices, .. } => Intent::Reopen {
            by: by.clone(),
            choices: choices.clone(),
        },
        Event::EvidencePromoted(promotion) => Intent::Promote {
            by: promotion.by.clone(),
            evidence: promotion.evidence.clone(),
            to: promotion.to.word().to_owned(),
            reason: promotion.reason.clone(),
        },
        Event::Routed(route) => Intent::Jump {
            by: route.looked_at.get("by")?.as_str()?.to_owned(),
            to: route.to.clone()?,
        },
        _ => return None,
    })
}

fn decided(run: &RunId, workflow: &Workflow, state: &RunState, intents: &[Intent]) -> Batch {
    let mut at = clock::now().max(state.last_at.unwrap_or_default());
    let mut batch = Batch::on(state);
    for intent in intents {
        // The driver has waited for it, whatever the clock of the machine has done meanwhile.
        if let Intent::Retry { instance } = intent {
            let due = match batch.state().cursor_of(&instance.step) {
                Cursor::Retrying { at, .. } => Some(*at),
                Cursor::AtJoin { fork } => batch.state().forks.get(*fork).and_then(|fork| fork.deadline()),
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
