//! What should be in flight now. Level-triggered: the driver starts what is missing and cancels what is no longer there.

use crate::control::{dag, fork};
use crate::{At, Cursor, GateId, Instance, RunState};
use model::Workflow;
use std::collections::BTreeSet;

/// One thing that should be happening.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Carry out this attempt.
    Execute {
        /// Which visit.
        instance: Instance,
        /// Which attempt.
        attempt: u32,
    },
    /// Send [`crate::Intent::Retry`] at this time: the next attempt of this visit is due, or the time of the fork behind it is over.
    WaitUntil {
        /// Which visit.
        instance: Instance,
        /// When the driver is to wake the run.
        at: At,
    },
    /// Ask the navigator which way on to take from this visit.
    Navigate {
        /// Which visit.
        instance: Instance,
    },
    /// Send [`crate::Intent::Proceed`]: the log was cut off inside a commit, or a person said something; what follows from it
    /// is due.
    Proceed,
    /// A person must be asked; nothing is to be executed, but a scenario may answer and a window may notify.
    Ask {
        /// Which gate.
        gate: GateId,
        /// Which round.
        round: u32,
    },
}

/// What should be in flight, given the state. It follows from where the token stands, of a pipeline from where its stages
/// stand; a paused run finishes what is in flight, starts nothing and may still be answered.
pub fn effects(workflow: &Workflow, state: &RunState) -> BTreeSet<Effect> {
    let mut out = BTreeSet::new();
    if state.status.ended() {
        return out;
    }
    let mut in_flight = false;
    for cursor in state.cursors() {
        match cursor {
            Cursor::Running { instance, attempt } => {
                in_flight = true;
                out.insert(Effect::Execute {
                    instance: instance.clone(),
                    attempt: *attempt,
                });
            }
            Cursor::Retrying { instance, at, .. } if !state.paused => {
                out.insert(Effect::WaitUntil {
                    instance: instance.clone(),
                    at: *at,
                });
            }
            Cursor::Choosing { instance } if !state.paused => {
                in_flight = true;
                out.insert(Effect::Navigate {
                    instance: instance.clone(),
                });
            }
            Cursor::AtGate { gate, round } => {
                out.insert(Effect::Ask {
                    gate: gate.clone(),
                    round: *round,
                });
            }
            Cursor::AtJoin { fork } if !state.paused => {
                let fork = state.forks.get(*fork);
                if let Some((fork, at)) = fork.and_then(|fork| Some((fork, fork.deadline()?))) {
                    out.insert(Effect::WaitUntil {
                        instance: fork.forked.from.clone(),
                        at,
                    });
                }
            }
            Cursor::Between(_) => {
                out.insert(Effect::Proceed);
            }
            Cursor::Retrying { .. }
            | Cursor::Choosing { .. }
            | Cursor::Nowhere
            | Cursor::Ready { .. }
            | Cursor::AtJoin { .. } => {}
        }
    }
    let ready = matches!(state.cursor, Cursor::Ready { .. }) && !state.paused && !state.has_stages();
    if ready || state.forks.is_forked() && fork::is_due(workflow, state) {
        out.insert(Effect::Proceed);
    }
    // What an attempt in flight comes to brings along whatever else is due, and looking takes time for every stage there is.
    if state.has_stages() && !in_flight && dag::is_due(workflow, state) {
        out.insert(Effect::Proceed);
    }
    out
}
