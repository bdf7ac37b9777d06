//! What people say to a run, from any process: answers, pause, resume, abort. The run's driver, wherever it is, sees the
//! new events and acts on them. Where nobody drives the run, the next driver does: nothing is begun in the log before.

use crate::{Error, clock, driven_by, source};
use engine::{At, Command, Event, Intent, RunId, RunState, decide, decide_idle};
use history::{Batch, Live};
use model::Workflow;
use store::{Store, Stored};

/// Decides and appends a command to a run, and brings it to what the log says then. When somebody appends meanwhile it is decided again, so that of two
/// answers to one gate the first wins and the second is refused with who was first.
///
/// # Errors
/// [`Error::Refused`] when the command does not fit the run's state; [`Error::Store`].
pub fn submit(store: &Store, workflow: &Workflow, live: &mut Live, intent: Intent) -> Result<Vec<Stored>, Error> {
    let decide = match driven_by(store, live.run())? {
        Some(_) => decide,
        None => decide_idle,
    };
    let after = signed_behind(&intent);
    if after.is_some() {
        // An answer stands directly behind what it was signed on: what is due comes before, and moves the run.
        live.commit(store, &[], |state| {
            let at = clock::now().max(state.last_at.unwrap_or_default());
            let mut batch = Batch::on(state);
            let intent = Intent::Proceed;
            if let Ok(decided) = decide(workflow, state, &Command { at, intent }) {
                batch.add(at, decided);
            }
            Ok::<_, Error>(batch)
        })?;
    }
    live.commit(store, &[], |state| {
        let at = clock::now()
            .max(state.last_at.unwrap_or_default())
            .max(signed_at(&intent));
        let intent = intent.clone();
        let decided = decide(workflow, state, &Command { at, intent })?;
        let is_behind =
            |after: u64| after == state.seq && matches!(decided.events.first(), Some(Event::GateAnswered(_)));
        if after.is_some_and(|after| !is_behind(after)) {
            return Err(Error::Moved);
        }
        let mut batch = Batch::on(state);
        batch.add(at, decided);
        Ok::<_, Error>(batch)
    })
}

/// The event directly behind which an answer is to be recorded.
fn signed_behind(intent: &Intent) -> Option<u64> {
    let Intent::Answer(decision) = intent else { return None };
    let grounds = decision.signature.as_ref()?.grounds.as_ref()?;
    grounds.next.then_some(grounds.after)
}

/// When an answer was signed: the clock may have stepped back since, and nothing is recorded before it was signed.
fn signed_at(intent: &Intent) -> At {
    let Intent::Answer(decision) = intent else {
        return At::default();
    };
    let grounds = decision.signature.as_ref().and_then(|signed| signed.grounds.as_ref());
    grounds.map(|grounds| grounds.at).unwrap_or_default()
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
