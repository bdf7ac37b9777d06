//! Floor 0: what a workflow *is*, whatever text it was written in.
//!
//! This crate knows no text, does no input or output and reads no clock. A [`Workflow`] is a list of [`Step`]s in
//! document order and the directed graph that their routing spans; the graph may contain cycles. Status never lives here:
//! what happened in a run is the engine's state.
//!
//! * [`step`], [`routing`], [`gate`], [`workflow`]: the graph and its parts, wide enough for every format.
//! * `flow`: an edge of the graph.
//! * [`fork`], [`branches`]: branches that run beside each other, and where they meet.
//! * [`between`]: which gate bars the way to a step, and which way leads past one; [`before()`], [`behind()`], [`leads_back`], [`through`]: what lies before and behind one.
//! * [`detour`]: what may be done between a step and what follows it.
//! * [`part`]: several flows in one workflow; `course`: how they follow each other.
//! * [`feedback`]: how often, how long and with whom in the end steps report to earlier ones.
//! * [`contract`]: what a format is, one row each; nothing else asks which format a workflow has.
//! * `outline`, [`ways`]: what contains what, and where a runbook's transitions lead; `dependencies`: what waits for what.
//! * [`Asked`]: what whoever carries a step out is asked to report of it.
//! * [`place`], [`diagnostic`], [`edit`]: where something stands, what is wrong with it, what would mend it; all symbolic,
//!   a dialect turns them into byte spans.
//! * [`gesture`], [`form`]: what a person does to a workflow, and what can be filled in of it.
//! * [`placeholder`]: `{output_folder}` and `{{answer}}` in paths and texts.
//! * [`spelling`]: names in whatever letters they are written.
//! * [`rules`]: one file a rule.
//! * [`layout`], [`picture`]: the layered drawing that the window, the report and the command line share.

mod asked;
mod before;
pub mod beginning;
pub mod between;
pub mod branches;
pub mod cel;
pub mod contract;
mod course;
mod dependencies;
pub mod detour;
pub mod diagnostic;
pub mod edit;
pub mod feedback;
mod flow;
pub mod fork;
pub mod form;
pub mod gate;
mod gates_before;
pub mod gesture;
pub mod ids;
pub mod layout;
mod meet;
mod outline;
pub mod part;
pub mod pattern;
pub mod picture;
pub mod place;
pub mod placeholder;
pub mod question;
pub mod routing;
pub mod rules;
pub mod spelling;
pub mod step;
pub mod thousands;
mod tool_refusal;
mod unseen;
pub mod ways;
mod whether;
mod words_read;
pub mod workflow;

pub use asked::Asked;
pub use before::{before, behind, leads_back, through};
pub use contract::{Contract, ContractWords, Control, Format, Prose, Reopening, SilentGate};
pub use dependencies::CriticalPath;
pub use detour::{Detour, Escalation, Trigger};
pub use diagnostic::{Diagnostic, Severity};
pub use edit::Edit;
pub use feedback::Feedback;
pub use flow::{Flow, FlowKind};
pub use fork::{BranchFailure, Fork, ForkRules, JoinRule, Merge};
pub use form::{
    Comparison, ConditionWritten, Form, FormControl, FormField, FormOption, FormProblem, FormSection, FormWay,
    Gestures, KindNames, Reference, StepKind, Takes,
};
pub use gate::{Gate, GateAt, GateRequirement};
pub use gates_before::{GatesBefore, gates_before};
pub use gesture::{DrawnWay, FlowEdit, Gesture, NewGate, NewStep, Route, Spot, Way};
pub use ids::{AgentKey, StepId, WorkflowId};
pub use part::{Destination, Onward, Part};
pub use place::Place;
pub use placeholder::{Folders, Placeholder};
pub use question::{Question, QuestionKind, typed_number};
pub use routing::{Action, Back, Branch, Condition, Guard, Jump, Microloop, Operator, Quantifier, Routing, Transition};
pub use step::{Retries, Risk, Step, ToolCall, Work};
pub use tool_refusal::ToolRefusal;
pub use unseen::is_unseen;
pub use whether::{Failing, Whether};
pub use workflow::{OnFailure, Workflow};

/// Fields that the model does not interpret, in document order. They are kept, shown and written back.
pub type Fields = indexmap::IndexMap<String, serde_json::Value>;
