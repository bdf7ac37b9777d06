//! What happens around the work of one attempt (seed 000 "Execution lifecycle"): guardrails, tools, context, validation and
//! evidence. The runtime does it and returns it as data; here are its forms, and what the machine must know of them.

use crate::words::fixed_words;
use crate::{At, Digest, Evidence, GateId};
use model::{Risk, StepId, ToolRefusal};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything that was done around the work, in the order of the seed: input guardrails, tools, context, output guardrails,
/// validation, evidence. What was not asked for is empty.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Lifecycle {
    /// Tool calls, in order; of a call that was not reached nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolRecord>,
    /// At most one of the inputs and one of the outputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guardrails: Vec<GuardrailReport>,
    /// What was looked up for the agent (`telis_context`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Value>,
    /// Validation: absent when no check was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<Validation>,
    /// Evidence for what the step made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// What the branches that met here had changed in folders of their own, brought in before the work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub brought_in: Vec<BroughtIn>,
    /// Files that were another version, when its work began, than the one that a person had approved: those that it goes by, and of the others
    /// what was not on record yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_as_approved: Vec<NotAsApproved>,
    /// Files it made that are too large to be kept, or have a name that is no text: nothing behind the record has what they held.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unkept: Vec<Unkept>,
    /// Files it found there and that hold the very same bytes after its work, whether it wrote them again or only touched them: paths,
    /// relative to the project, at which it found them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unchanged: Vec<String>,
    /// Files that the workflow says it makes and that were not there when its work had ended well: paths, relative to the project or
    /// to the step's own folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmade: Vec<String>,
    /// Files that the workflow says it takes and that were not there when its work began: paths, relative to the project.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untaken: Vec<String>,
    /// Of a blocked attempt: the call that a person must approve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asks: Option<ToolAsk>,
    /// Of a blocked attempt: what it wants to do that whoever drives the run has not permitted, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
}

/// A file that a branch in a folder of its own had changed, now in the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BroughtIn {
    /// Its path, relative to the project.
    pub path: String,
    /// The branch, by its first step.
    pub branch: StepId,
    /// The branch removed it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
}

/// A file that was another one than what a person had approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotAsApproved {
    /// Its path, relative to the project.
    pub path: String,
    /// The gate at which it was approved.
    pub gate: GateId,
    /// Which round of it.
    pub round: u32,
    /// What was approved; absent: it was not there when what lies beside it was approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved: Option<Digest>,
    /// What was there; absent: nothing, or nothing that could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Digest>,
}

/// A file that was made and is too large to be kept, or has a name by which no record could name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unkept {
    /// Its path, relative to the project.
    pub path: String,
    /// How large it was, bytes.
    pub bytes: u64,
    /// Its name is not UTF-8, and stands in `path` with each such byte as `\xe9`: that, not its size, is why it is not kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unnamed: bool,
}

/// One explicit tool call (seed 000 "Tool calls", `tool_results.json`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolRecord {
    /// Which tool.
    pub name: String,
    /// Its arguments, placeholders resolved.
    #[serde(default)]
    pub args: Value,
    /// Whether its failure fails the step.
    #[serde(default)]
    pub required: bool,
    /// What it risks: the call's own word, else the tool's.
    pub risk: Risk,
    /// What became of it.
    pub status: ToolStatus,
    /// Why it was not completed; empty when it was.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// What it answered.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub output: Value,
    /// The gate that must approve it, or has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
    /// It was made in an earlier attempt of this visit, before a person was asked or with a person's approval; it was not made again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub earlier: bool,
    /// When it was called.
    #[serde(default)]
    pub started_at: At,
    /// When it answered.
    #[serde(default)]
    pub ended_at: At,
}

impl ToolRecord {
    /// Whether a person must approve it first.
    pub fn waits(&self) -> bool {
        self.status == ToolStatus::Blocked && ToolRefusal::from(self.error.as_str()) == ToolRefusal::Approval
    }
}

/// What became of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolStatus {
    /// It answered.
    Completed,
    /// It did not.
    Failed,
    /// There is no such tool.
    Skipped,
    /// A list or a missing approval stands in its way.
    Blocked,
}

impl ToolStatus {
    /// What a call is that is refused before it is made.
    pub fn of(refusal: &ToolRefusal) -> Self {
        match refusal {
            ToolRefusal::Unknown => Self::Skipped,
            ToolRefusal::Blocklisted | ToolRefusal::NotListed | ToolRefusal::Approval => Self::Blocked,
            ToolRefusal::Other(_) => Self::Failed,
        }
    }
}

fixed_words! {
    /// What the guardrails looked at.
    pub enum GuardStage {
        /// What goes into the work.
        Inputs = "inputs",
        /// What came out of it.
        Outputs = "outputs",
    }
}

fixed_words! {
    /// What came of it.
    pub enum GuardStatus {
        /// Nothing was found.
        Passed = "passed",
        /// Something was found that only warns.
        Warned = "warned",
        /// Something was found that blocks.
        Failed = "failed",
    }
}

fixed_words! {
    /// What sort of rule found something.
    pub enum ViolationKind {
        /// Personal data.
        Personal = "pii",
        /// A key, a password, a token.
        Secret = "secret",
        /// A word of the moderation list.
        Moderation = "moderation",
        /// A phrase that the project's rules forbid.
        Phrase = "rules_blocklist",
        /// A pattern that they forbid.
        Pattern = "rules_pattern",
        /// Too much text.
        Size = "size",
    }
}

fixed_words! {
    /// What a finding leads to.
    pub enum GuardAction {
        /// The attempt fails.
        Block = "block",
        /// It is noted, and the attempt goes on.
        Warn = "warn",
    }
}

impl Default for GuardAction {
    /// Of logs that do not say.
    fn default() -> Self {
        Self::Other(String::new())
    }
}

/// What the guardrails say of what goes in or comes out (seed 000 `guardrails`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardrailReport {
    /// What was looked at.
    pub stage: GuardStage,
    /// What came of it.
    pub status: GuardStatus,
    /// What was found, in order.
    #[serde(default)]
    pub violations: Vec<Violation>,
}

/// One thing a guardrail found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// What sort of rule found it.
    #[serde(rename = "type")]
    pub kind: ViolationKind,
    /// Which rule: `email`, `iban` …
    pub rule: String,
    /// What was found, made unreadable where it must not be kept.
    #[serde(rename = "match")]
    pub found: String,
    /// Where: the key of an input, the path of a file.
    pub source: String,
    /// What it leads to.
    #[serde(default)]
    pub action: GuardAction,
}

/// What validation came to (seed 000 "Validation gates").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Validation {
    /// The policy as written.
    pub policy: String,
    /// Whether no check failed. One whose runner is not there is no pass: `false` when nothing at all could be checked.
    pub passed: bool,
    /// Each check of each target.
    #[serde(default)]
    pub checks: Vec<CheckRecord>,
}

/// One check of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckRecord {
    /// `json`, `yaml`, `template`, `ast`, `typecheck`, `lint`, or a check of the project by its name.
    pub check: String,
    /// Path relative to the project.
    pub target: String,
    /// What came of it.
    pub status: CheckStatus,
    /// What is wrong, or which runner is missing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// 1-based line of the fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// Nothing is wrong.
    Passed,
    /// Something is.
    Failed,
    /// Its runner is not on this machine: it says nothing, and is never taken as a pass.
    Absent,
}

/// A tool call that a person must approve before it is made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolAsk {
    /// The gate's name: the call's own, else `tool:<name>:<step>`.
    pub gate: String,
    /// Which tool.
    pub tool: String,
    /// Its arguments, placeholders resolved.
    pub args: Value,
    /// What it risks.
    pub risk: Risk,
    /// Digest of tool and arguments: an approval is for this call and no other.
    pub call: Digest,
    /// Its place in the step's list of calls, from 0: two of them may have the same arguments.
    #[serde(default, skip_serializing_if = "is_first")]
    pub place: usize,
}

fn is_first(place: &usize) -> bool {
    *place == 0
}

impl Lifecycle {
    /// Whether nothing was done.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The report of a stage.
    pub fn guardrail(&self, stage: GuardStage) -> Option<&GuardrailReport> {
        self.guardrails.iter().find(|report| report.stage == stage)
    }
}
