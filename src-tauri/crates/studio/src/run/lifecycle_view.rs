//! What happens around the work of a step, for people: tools, guardrails, context, checks (seed 000 "Execution lifecycle").

use crate::view::{FieldView, Status};
use model::Risk;
use serde::Serialize;
use ts_rs::TS;

/// A tool call as a step declares it.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ToolPlan {
    /// Which tool.
    pub name: String,
    /// What it does; absent: no tool of that name is known.
    pub description: Option<String>,
    /// Its arguments as written, for people; empty: none.
    pub args: String,
    /// Whether its failure fails the step.
    pub required: bool,
    /// What it risks.
    pub risk: Risk,
    /// What comes of it before anything is called.
    pub verdict: ToolVerdict,
    /// In words: `a person is asked first: it is of high risk`.
    pub words: String,
    /// The program that is started for it: a command of the project, an MCP server.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub starts: Option<String>,
}

/// What the project's rules say to a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "studio.gen.ts")]
pub enum ToolVerdict {
    /// It is called.
    Called,
    /// A person is asked first.
    Asks,
    /// A list refuses it.
    Refused,
    /// There is no such tool.
    Unknown,
}

/// A tool call that was made, or was not.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ToolCallView {
    /// Which tool.
    pub name: String,
    /// done, failed, skipped, blocked.
    pub status: Status,
    /// In words: `answered`, `failed`, `is not known`, `was not allowed`.
    pub words: String,
    /// What it risks.
    pub risk: Risk,
    /// Whether its failure fails the step.
    pub required: bool,
    /// Its arguments, for people; empty: none.
    pub args: String,
    /// What it answered, for people; empty: nothing. Control characters are made visible.
    pub output: String,
    /// Why it was not completed.
    pub error: Option<String>,
    /// How long it took; absent: it was not called.
    pub duration_ms: Option<u64>,
    /// It was made in an earlier attempt and was not made again.
    pub earlier: bool,
    /// The gate that must approve it, or has.
    pub gate: Option<String>,
}

/// What the guardrails say of what goes in or comes out.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct GuardrailView {
    /// `What goes in`, `What comes out`.
    pub name: String,
    /// done = nothing found, waiting = found what only warns, failed = found what blocks.
    pub status: Status,
    /// One line.
    pub words: String,
    /// What was found.
    pub findings: Vec<GuardFinding>,
}

/// One thing a guardrail found.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct GuardFinding {
    /// What it is, in words: `personal data`, `a secret`.
    pub kind: String,
    /// Which rule.
    pub rule: String,
    /// What was found, made unreadable where it must not be kept.
    pub found: String,
    /// Where.
    pub source: String,
    /// It stops the step; else it only warns.
    pub blocks: bool,
}

/// What validation came to.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ValidationView {
    /// The policy as written.
    pub policy: String,
    /// Whether it was passed.
    pub passed: bool,
    /// One line.
    pub words: String,
    /// Each check of each file; one whose runner is missing is no pass.
    pub checks: Vec<CheckView>,
}

/// What was looked up for the agent before it began (`telis_context`).
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct ContextView {
    /// One line: `4 passages, 620 tokens`.
    pub words: String,
    /// What is known of it.
    pub fields: Vec<FieldView>,
    /// What was found.
    pub passages: Vec<PassageView>,
}

/// Something that was looked up.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct PassageView {
    /// Where it comes from.
    pub title: String,
    /// `micro`, `lsp` …; empty: not said.
    pub tier: String,
    /// How many tokens it takes; absent: not said.
    pub tokens: Option<u64>,
    /// The text.
    pub text: String,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct CheckView {
    /// What was checked.
    pub name: String,
    /// done = passed, failed, waiting = warning, not_started = a note: nothing was checked.
    pub status: Status,
    /// One line.
    pub detail: String,
}
