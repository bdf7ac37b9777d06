//! What is asked of a run.

use crate::{
    AnotherLog, At, Choice, Decision, Given, Instance, NavigatorSaid, RunCreated, Signature, StepResult, TakenOver,
    ToolRecord,
};
use model::StepId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An intent with the time it arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    /// When; becomes the time of every event it causes.
    pub at: At,
    /// What is asked of the run.
    pub intent: Intent,
}

/// The intents. Those of people are refused with a reason; those of the driver are refused when they are stale.
#[derive(Debug, Clone, PartialEq)]
pub enum Intent {
    /// Creates the run and starts its first step.
    Create(Arc<RunCreated>),
    /// An attempt printed something.
    Output {
        /// Which visit.
        instance: Instance,
        /// Which attempt.
        attempt: u32,
        /// `stdout` or `stderr`; [`crate::REMARKS`]: what Gatehouse itself says of the attempt.
        stream: String,
        /// What.
        text: String,
    },
    /// A call that a step declares has come to something.
    Called {
        /// Which visit.
        instance: Instance,
        /// Which attempt.
        attempt: u32,
        /// What came of it.
        call: Arc<ToolRecord>,
    },
    /// An attempt ended.
    Finish {
        /// Which visit.
        instance: Instance,
        /// Which attempt.
        attempt: u32,
        /// What came of it.
        result: Arc<StepResult>,
    },
    /// An attempt was in flight when its driver died; the ordinary retry rule decides, and where the step allows no
    /// retry it is tried once more all the same: an interruption is not the step's failure.
    Interrupt {
        /// Which visit.
        instance: Instance,
        /// Which attempt.
        attempt: u32,
        /// What is known of it.
        reason: String,
        /// Its driver let go of it in order, or the run goes back to a moment at which it was under way: it is tried again oftener than
        /// after a crash.
        let_go: bool,
        /// When the driver that died was last known to be at work; absent: the attempt is cut off now.
        seen: Option<At>,
    },
    /// A navigator has chosen a way on, or could not.
    Navigated {
        /// From which visit.
        instance: Instance,
        /// What it said.
        said: Arc<NavigatorSaid>,
    },
    /// The pause before a retry is over.
    Retry {
        /// Which visit.
        instance: Instance,
    },
    /// The log was cut off inside a commit, or ends behind what a person said: what follows from its last event is carried on.
    Proceed,
    /// In these visits runs inside this one wait for people and for nothing else: other stages need not wait with them.
    AskedInside {
        /// Whichever of them are not in flight any more are left out.
        visits: BTreeSet<Instance>,
    },
    /// A person answers a gate.
    Answer(Arc<Decision>),
    /// A person pauses the run.
    Pause {
        /// The name of whoever asks for it.
        by: String,
        /// How, and their signature; absent: nobody signs it.
        given: Option<Box<Given>>,
    },
    /// A person lets it go on.
    Resume {
        /// The name of whoever asks for it.
        by: String,
        /// How, and their signature; absent: nobody signs it.
        given: Option<Box<Given>>,
    },
    /// A person takes up a run that nobody carries on ([`crate::Event::TakenUp`]).
    TakeUp {
        /// The name of whoever takes it up.
        by: String,
        /// How, and their signature; absent: nobody signs it.
        given: Option<Box<Given>>,
    },
    /// A person takes up a run that has ended ([`crate::Event::Reopened`]).
    Reopen {
        /// The name of whoever asks for it.
        by: String,
        /// What becomes of each stage that failed or was cut off.
        choices: BTreeMap<StepId, Choice>,
    },
    /// A person promotes a record of evidence by one level (seed 000 "Evidence"); the run may have ended.
    Promote {
        /// The name of whoever asks for it.
        by: String,
        /// Which record.
        evidence: String,
        /// To which level: `L1`, `L2`.
        to: String,
        /// What it is founded on.
        reason: String,
        /// Of whoever asks for it, over [`crate::Promotion::statement`].
        signature: Option<Signature>,
    },
    /// A person goes on from an imported session with its workflow.
    TakeOver(Arc<TakenOver>),
    /// A person names this moment, so that one can go back to it.
    Checkpoint {
        /// The name of whoever asks for it.
        by: String,
        /// What it is called.
        name: String,
    },
    /// Somebody goes on in a log that is not the one that their Gatehouse had seen last; the run may have ended.
    AnotherLog(Arc<AnotherLog>),
    /// A person sends a runbook that waits to another step (`goto` of seed 002's program).
    Jump {
        /// The name of whoever asks for it.
        by: String,
        /// Where to; a dynamic step in its current instance.
        to: StepId,
    },
    /// A person ends it.
    Abort {
        /// The name of whoever asks for it.
        by: String,
        /// Why, in their words; may be empty.
        reason: String,
        /// How, and their signature; absent: nobody signs it.
        given: Option<Box<Given>>,
    },
}
