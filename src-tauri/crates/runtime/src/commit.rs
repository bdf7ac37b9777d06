//! The one way in which something is added to a run's log: decide on its state, append in one commit, and decide again where somebody
//! else was faster.

use crate::Error;
use crate::driver::crash::Hook;
use engine::{At, Event, RunId, RunState, apply};
use store::{Store, Stored};

/// How often a commit is decided again because somebody else was faster.
const TRIES: usize = 50;
/// How often a commit waits again for another program that keeps the history locked.
const LOCKED: usize = 3;
/// Events read at once.
const PAGE: usize = 1000;

/// What is to be appended, and the state after it.
pub(crate) struct Batch {
    pub events: Vec<(At, Event)>,
    pub state: RunState,
}

/// Appends what `decide` makes of the run's state, with the contents it names, and brings `state` to what the log says then. Nothing is
/// appended where nothing is decided, and where `decide` refuses. When somebody appends meanwhile it is decided again: of two answers to
/// one gate the first wins, and the second is refused with who was first.
///
/// # Errors
/// What `decide` refuses; [`Error::Store`]; [`Error::Unusable`] when others keep writing.
pub(crate) fn commit(
    store: &Store,
    run: &RunId,
    state: &mut RunState,
    blobs: &[Vec<u8>],
    mut decide: impl FnMut(&RunState) -> Result<Batch, Error>,
) -> Result<Vec<Stored>, Error> {
    let hook = Hook::from_environment();
    let mut locked = 0;
    for _ in 0..TRIES {
        let batch = decide(state)?;
        if batch.events.is_empty() {
            return Ok(Vec::new());
        }
        let (before, last) = (state.seq, batch.state.seq);
        hook.before(before + 1, last);
        match store.append_with(run, before, &batch.events, &batch.state, blobs) {
            Ok(stored) => {
                hook.after(before + 1, last);
                *state = batch.state;
                return Ok(stored);
            }
            Err(store::Error::Conflict { .. }) => {}
            // Each try has waited some seconds already.
            Err(store::Error::Locked { .. }) if locked < LOCKED => locked += 1,
            Err(other) => return Err(other.into()),
        }
        catch_up(store, run, state)?;
    }
    Err(Error::Unusable {
        run: run.clone(),
        reason: "other programs keep writing to it; try again".into(),
    })
}

/// Applies what others have appended since; whether there was anything.
///
/// # Errors
/// [`Error::Store`].
pub(crate) fn catch_up(store: &Store, run: &RunId, state: &mut RunState) -> Result<bool, Error> {
    let before = state.seq;
    loop {
        let page = store.events(run, state.seq, PAGE)?;
        for stored in &page {
            apply(state, stored.at, &stored.event);
        }
        if page.len() < PAGE {
            return Ok(state.seq > before);
        }
    }
}
