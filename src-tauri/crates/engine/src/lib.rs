//! Floor 1: the pure run machine.
//!
//! ```text
//! decide (&Workflow, &RunState, &Command) -> Result<Decided, Refusal>   (the events, and the state after them)
//! apply  (&mut RunState, At, &Event)                  // total: never fails on a verified log
//! effects(&Workflow, &RunState) -> BTreeSet<Effect>   // level-triggered: what should be in flight now
//! ```
//!
//! No input or output, no clock, no randomness, no environment (`clippy.toml` bans them): time and identity come in with
//! the command. A run's state is the fold of its events and nothing else; every prefix of a log can be resumed.
//!
//! * [`command`], [`event`], [`state`], [`effect`], [`refusal`]: what goes in, what comes out, what is kept.
//! * [`decide()`], [`apply()`]: the two halves of the machine; [`foreseen()`]: what an answer would lead to.
//! * [`routing`], [`runbook`], [`route_reason`], [`why_not`], [`value`]: which step is next and why, why not another, and the
//!   values that decide it; [`gate`], [`gate_reason`]: where a person is asked, and why; [`call_approval()`]: what the approval of a
//!   tool call is still worth;
//!   [`edges`]: which drawn edge a decision took.
//! * [`choosing`], [`ways`]: what a navigator or a person chooses among where the rules leave it open, and how it is found.
//! * [`fork`], [`forks`]: branches beside each other, as events and as they stand; [`parts`]: the end of a flow of several;
//!   [`passed()`], [`is_behind_end()`]: events that no machine makes, past somebody who is asked and behind the end of a run.
//! * [`issues`], [`feedback`], [`feedback_loops`]: what agents report to those before them: as written, as events, as it stands.
//! * [`standards`], [`scores`]: the quality standards of a project, held against what steps report; how good they find it themselves.
//! * [`control`]: how the token moves, and what one command leads to.
//! * [`run_step`]: the log as the entries of seed 000; [`ledger`]: the records of evidence as they stand; [`outcome`]: what a run came to;
//!   [`statement`]: what a signature covers.

#![deny(missing_docs)]

pub mod apply;
pub mod aside;
mod call_approval;
pub mod checkpoint;
pub mod choosing;
pub mod command;
pub mod control;
pub mod created;
mod cursor;
mod decide;
pub mod doer;
pub mod edges;
pub mod effect;
pub mod event;
pub mod evidence;
pub mod feedback;
pub mod feedback_loops;
mod foreseen;
pub mod fork;
pub mod forks;
mod four_eyes;
pub mod gate;
pub mod gate_reason;
pub mod grounds;
pub mod ids;
pub mod issues;
pub mod ledger;
pub mod lifecycle;
pub mod limits;
mod order;
pub mod outcome;
pub mod parts;
mod passed;
pub mod policy;
pub mod refusal;
pub mod route_reason;
pub mod routing;
pub mod run_step;
pub mod runbook;
mod said;
pub mod scores;
mod stages;
pub mod standards;
pub mod state;
pub mod statement;
mod took_part;
pub mod value;
mod waited;
pub mod ways;
pub mod why_not;
mod words;

pub use apply::{apply, fold};
pub use call_approval::{CallApproval, Came, call_approval};
pub use checkpoint::Checkpoint;
pub use choosing::{Choosing, RoutingMode, Way, WayAction, WayId};
pub use command::{Command, Intent};
pub use control::mended::{Mended, mended};
pub use created::*;
pub use cursor::{Cursor, Due, Stage};
pub use decide::{Decided, decide, decide_idle};
pub use effect::{Effect, effects};
pub use event::*;
pub use evidence::{About, Evidence, Level, Promotion};
pub use feedback::{
    FeedbackAcknowledged, FeedbackFault, FeedbackGiven, FeedbackKind, FeedbackLimit, FeedbackSeverity, FeedbackTarget,
    SentBack,
};
pub use feedback_loops::{FeedbackLoop, FeedbackLoops, FeedbackStatus};
pub use foreseen::foreseen;
pub use fork::{BranchEnd, BranchEnded, BranchId, Forked, JoinCause, Joined};
pub use forks::Forks;
pub use four_eyes::{Hand, is_same_name, plain_name};
pub use gate_reason::GateReason;
pub use grounds::{Given, Grounds, RegisterMark, Signature};
pub use ids::{At, Digest, GateId, Instance, RunId};
pub use lifecycle::{
    BroughtIn, CheckRecord, CheckStatus, GuardAction, GuardStage, GuardStatus, GuardrailReport, Lifecycle,
    NotAsApproved, ToolAsk, ToolRecord, ToolStatus, Unkept, Validation, Violation, ViolationKind,
};
pub use limits::Limits;
pub use order::{Order, OrderKind};
pub use outcome::{Outcome, Refused};
pub use parts::{FlowEnded, FlowLead};
pub use passed::{is_behind_end, passed};
pub use policy::{GatePolicy, GateRules};
pub use refusal::{Refusal, RefusalCode};
pub use route_reason::{Moved, RouteReason};
pub use run_step::{RunStep, RunStepStatus, RunSteps};
pub use said::{follows, said};
pub use stages::Stages;
pub use standards::{Below, Held, Standard, Standards};
pub use state::{
    AttemptState, EvidenceState, GateRound, Navigation, Rejection, RunState, RunStatus, StepState, StepStatus, Visit,
};
pub use took_part::{Part, TookPart};
pub use waited::{waited_ms, waits};
pub use why_not::{WhyNot, WhyNotCode};
