//! What people say to a run, from any process: answers, pause, resume, abort. The run's driver, wherever it is, sees the
//! new events and acts on them; where nobody drives the run, the next driver does.

use crate::driver::crash::Hook;
use crate::{Error, clock, source};
use engine::{At, Command, Intent, RunId, RunState, decide};
use model::Workflow;
use store::{Store, Stored};

/// How often a command is decided again because somebody else was faster.
const TRIES: usize = 20;

/// Decides and appends a command. When somebody appends meanwhile the run is loaded and decided again, so that of two
/// answers to one gate the first wins and the second is refused with who was first.
///
/// # Errors
/// [`Error::Refused`] when the command does not fit the run's state; [`Error::Store`].
pub fn submit(store: &Store, workflow: &Workflow, run: &RunId, intent: Intent) -> Result<Vec<Stored>, Error> {
    let hook = Hook::from_environment();
    for _ in 0..TRIES {
        let (state, _) = store.load(run)?;
        let at = clock::now()
            .max(state.last_at.unwrap_or_default())
            .max(signed_at(&intent));
        let decided = decide(
            workflow,
            &state,
            &Command {
                at,
                intent: intent.clone(),
            },
        )?;
        let expected = state.seq;
        let state = decided.state;
        let batch: Vec<_> = decided.events.into_iter().map(|event| (at, event)).collect();
        hook.before(expected + 1, state.seq);
        match store.append(run, expected, &batch, &state) {
            Err(store::Error::Conflict { .. }) => {}
            other => {
                let stored = other?;
                hook.after(expected + 1, state.seq);
                return Ok(stored);
            }
        }
    }
    Err(Error::Unusable {
        run: run.clone(),
        reason: format!("it moved on {TRIES} times while the command was decided; give the command again"),
    })
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
    let stored = submit(store, &workflow, run, intent)?;
    Ok((stored, store.load(run)?.0))
}
