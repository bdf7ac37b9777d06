//! The person for whom runs are driven: which runs are theirs, and what they have permitted. What a log says of either may have been
//! written by anybody who can write the project's files.

use engine::{Decision, RunId};
use std::fmt::Debug;
use store::Head;

/// Knows both from what is kept with the person.
pub trait Owner: Debug + Send + Sync {
    /// A run is about to be created for them, or was taken up again, with a log up to `head`; `inside`: as part of this one. `permit`: they are to have permitted
    /// all that it asks for.
    fn began(&self, run: &RunId, head: Head, inside: Option<&RunId>, permit: bool);

    /// The log of a run was written, or read and found good, up to an event; of one that is not theirs nothing is kept.
    fn saw(&self, run: &RunId, to: u64);

    /// Up to which event they began, took up or saw a run's log; 0 where it is not theirs.
    fn seen(&self, run: &RunId) -> u64;

    /// Why nobody whom they know can be held to the answer that a run's log has as this event, in a sentence; absent: it is signed with their
    /// own key or one that they confirmed, and it fits the log.
    fn doubt(&self, run: &RunId, answer: u64) -> Option<String>;

    /// Whether a run is theirs, and its log still has what they began, took up or saw last.
    fn is_theirs(&self, run: &RunId) -> bool;

    /// The same of a run that is over: it was theirs when it ended.
    fn was_theirs(&self, run: &RunId) -> bool;

    /// Whether they permitted all that a run of theirs asks for when they began it.
    fn permits_all(&self, run: &RunId) -> bool;

    /// Whether they gave an answer of a run themselves: it is signed with their key, and the signature holds.
    fn gave(&self, run: &RunId, decision: &Decision) -> bool;
}
