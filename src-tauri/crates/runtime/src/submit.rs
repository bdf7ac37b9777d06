//! What people say to a run, from any process: answers, pause, resume, abort. The run's driver, wherever it is, sees the
//! new events and acts on them; where nobody drives the run, the next driver does. Nothing is begun in the log before: a driver may not follow
//! what was said, and what it had not begun would stand there as work.

use crate::{Error, clock, source};
use engine::{At, Command, Event, Grounds, Intent, Order, RunId, RunState, decide_idle};
use history::{Batch, Live};
use model::Workflow;
use store::{Store, Stored};

/// Decides and appends a command to a run, and brings it to what the log says then. When somebody appends meanwhile it is decided again, so that of two
/// answers to one gate the first wins and the second is refused with who was first. What is refused records nothing.
///
/// # Errors
/// [`Error::Refused`] when the command does not fit the run's state; [`Error::Store`]. [`Error::Moved`]: what was due may have been recorded.
pub fn submit(store: &Store, workflow: &Workflow, live: &mut Live, intent: Intent) -> Result<Vec<Stored>, Error> {
    let decided = |state: &RunState, at: At, intent: Intent| decide_idle(workflow, state, &Command { at, intent });
    let now = |state: &RunState| {
        let at = clock::now().max(state.last_at.unwrap_or_default());
        at.max(signed_at(&intent))
    };
    let after = signed_behind(&intent);
    let is_behind = |events: &[Event], after: u64, state: &RunState| {
        let is_signed = |event: &Event| {
            matches!(event, Event::GateAnswered(_) | Event::EvidencePromoted(_)) || Order::of(event).is_some()
        };
        after == state.seq && events.first().is_some_and(is_signed)
    };
    if let Some(after) = after {
        // An answer stands directly behind what it was signed on: what is due comes before, and moves the run.
        live.commit(store, &[], |state| {
            let (at, mut batch) = (now(state), Batch::on(state));
            let answered = decided(state, at, intent.clone())?;
            if is_behind(&answered.events, after, state) {
                return Ok(batch);
            }
            if let Ok(due) = decided(state, at, Intent::Proceed) {
                batch.add(at, due);
            }
            Ok::<_, Error>(batch)
        })?;
    }
    live.commit(store, &[], |state| {
        let (at, mut batch) = (now(state), Batch::on(state));
        let answered = decided(state, at, intent.clone())?;
        if after.is_some_and(|after| !is_behind(&answered.events, after, state)) {
            return Err(Error::Moved);
        }
        batch.add(at, answered);
        Ok::<_, Error>(batch)
    })
}

/// What a person had before them when they signed what they say.
fn grounds(intent: &Intent) -> Option<&Grounds> {
    let signature = match intent {
        Intent::Answer(decision) => decision.signature.as_ref(),
        Intent::Promote { signature, .. } => signature.as_ref(),
        Intent::Pause { given, .. }
        | Intent::Resume { given, .. }
        | Intent::TakeUp { given, .. }
        | Intent::Abort { given, .. } => given.as_ref()?.signature.as_ref(),
        _ => None,
    };
    signature?.grounds.as_ref()
}

/// The event directly behind which it is to be recorded.
fn signed_behind(intent: &Intent) -> Option<u64> {
    grounds(intent)
        .filter(|grounds| grounds.next)
        .map(|grounds| grounds.after)
}

/// When it was signed: the clock may have stepped back since, and nothing is recorded before it was signed.
fn signed_at(intent: &Intent) -> At {
    grounds(intent).map(|grounds| grounds.at).unwrap_or_default()
}

/// [`submit`] with the run's own version of its workflow.
///
/// # Errors
/// Those of [`submit`].
pub fn submit_to(store: &Store, run: &RunId, intent: Intent) -> Result<(Vec<Stored>, RunState), Error> {
    let workflow = source::workflow_of(store, run)?;
    let mut live = Live::open(store, run)?;
    let stored = submit(store, &workflow, &mut live, intent)?;
    Ok((stored, live.into_state()))
}
