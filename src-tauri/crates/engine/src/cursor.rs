//! Where a run stands: its token, and each stage of a pipeline.

use crate::{At, BranchId, GateId, Instance, Settled};
use model::StepId;
use std::sync::Arc;

/// Where the token is (token control: linear, microloop, branch).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Cursor {
    /// Nowhere: not started or ended; or paused behind its last flow ([`crate::FlowLead::End`]).
    #[default]
    Nowhere,
    /// At a step that is to be started; a commit ends here only while the run is paused or behind what a person said ([`crate::decide_idle`]).
    Ready {
        /// Which.
        step: StepId,
        /// In which dynamic instance ([`Instance::path`]).
        path: Vec<u32>,
    },
    /// In an attempt.
    Running {
        /// Which visit.
        instance: Instance,
        /// Which attempt.
        attempt: u32,
    },
    /// Between two attempts.
    Retrying {
        /// Which visit.
        instance: Instance,
        /// The attempt to come.
        attempt: u32,
        /// Not before.
        at: At,
    },
    /// Waiting for an agent to choose the way on.
    Choosing {
        /// From which visit.
        instance: Instance,
    },
    /// In front of a person.
    AtGate {
        /// Which gate.
        gate: GateId,
        /// Which round.
        round: u32,
    },
    /// Where branches are to meet.
    AtJoin {
        /// Of which fork.
        fork: u32,
    },
    /// Between two events of one commit: something is due ([`crate::Effect::Proceed`]). A commit ends here only behind what a person said
    /// ([`crate::decide_idle`]); a log that was cut off inside one does.
    Between(Due),
}

/// What is due between two events of one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Due {
    /// The run was created: it is to be started.
    Start,
    /// It was started: its first step is to be entered.
    Entry,
    /// A visit came to its end: a gate, a route or the run's failure follows.
    Leave {
        /// Which visit.
        instance: Instance,
    },
    /// A person answered: what they chose follows.
    Answered {
        /// Which gate.
        gate: GateId,
        /// Which round.
        round: u32,
    },
    /// A route led nowhere: the run ends.
    Complete {
        /// Not well (STOP of seed 002).
        stopped: bool,
        /// What the workflow says.
        message: Option<String>,
    },
    /// A branch has come to its end: it is to be put down.
    EndBranch {
        /// Which.
        branch: BranchId,
    },
    /// A branch goes on no further: its attempt in flight is to be put down.
    CutOff {
        /// Which visit.
        instance: Instance,
        /// Which attempt.
        attempt: u32,
    },
    /// Branches have been counted: what is cut off, then the step at the join or the failure follows.
    Joined {
        /// Of which fork.
        fork: u32,
    },
    /// A person ended the run.
    Abort {
        /// The attempt that was in flight and is to be cut off.
        in_flight: Option<(Instance, u32)>,
        /// The run's error.
        error: String,
    },
}

/// A stage of a pipeline: each one has a cursor of its own.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stage {
    /// [`Cursor::Ready`]: queued. [`Cursor::Nowhere`]: pending, or settled.
    pub cursor: Cursor,
    /// How it ended, until it is to run again.
    pub settled: Option<Arc<Settled>>,
}
