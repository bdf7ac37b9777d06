//! A step: one unit of work, with its gate and its routing.

use crate::{AgentKey, Detour, Failing, Fields, Gate, Routing, StepId, Whether, WorkflowId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One step of a workflow.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The author's id.
    pub id: StepId,
    /// Position in document order, 0-based: tells two steps of one id apart.
    pub ordinal: usize,
    /// What stands before the name in the window: `4`, `2.1`, `{N}`.
    pub number: String,
    /// What a person reads; made from the id where the author gave none.
    pub name: String,
    /// What the step is for, in the author's words (`role`, `objective`, `description`).
    pub intent: Option<String>,
    /// What is done.
    pub work: Work,
    /// Who does it; the first one names the receipt (seed 001).
    pub agents: Vec<AgentKey>,
    /// What it reads: paths or names, as written.
    pub inputs: Vec<String>,
    /// What it makes: paths or patterns, as written.
    pub outputs: Vec<String>,
    /// Where a person is asked.
    pub gate: Option<Gate>,
    /// What comes next.
    pub routing: Routing,
    /// What may be done before it is left, in the order written.
    pub detours: Vec<Detour>,
    /// Of a step of a detour: the step that the detour leaves.
    pub detour_from: Option<StepId>,
    /// Of a step of several flows in one workflow: the id that its own flow has in its file.
    pub flow: Option<WorkflowId>,
    /// Steps that must be completed first (seed 004; the only edges that must be acyclic).
    pub depends_on: Vec<StepId>,
    /// Of a stage: it may run beside others that are ready (seed 004). Of every step: its agents work together, not in their order.
    pub parallel: bool,
    /// Its command gets a terminal in place of pipes.
    pub terminal: bool,
    /// The step or group that contains this one (runbook substeps, phases).
    pub parent: Option<StepId>,
    /// A template that is instantiated at run time (`{N}`, `{n}` in seed 002).
    pub dynamic: bool,
    /// Reached by an explicit jump alone, the sequence passes it by (named steps of seed 002; a named *substep* is part of
    /// the sequence, CONTRACTS "Rundown").
    pub jump_only: bool,
    /// What decides whether it is done at all; absent: nothing has to.
    pub whether: Option<Whether>,
    /// What follows its failure.
    pub failing: Failing,
    /// Who does it once more when it has failed for good.
    pub escalate_to: Option<AgentKey>,
    /// Extra attempts after a failure; absent: the project's default.
    pub retries: Option<Retries>,
    /// Bound on one attempt, in milliseconds; absent: the project's default.
    pub timeout_ms: Option<u64>,
    /// Phase or lane label (seed 000 `phase`).
    pub phase: Option<String>,
    /// Structured inputs (seed 000 `inputs`: context, artifacts, validation_targets, telis_… and whatever else the author gave).
    pub parameters: Fields,
    /// Templates that what it makes is held against, as written: `template:{template_folder}/prd.template.md` (seed 000 `templates`).
    pub templates: Vec<String>,
    /// Explicit tool calls (seed 000 `tools`).
    pub tools: Vec<ToolCall>,
    /// Validation policy (seed 000 `validation`).
    pub validation: Option<String>,
    /// Evidence requirement, as written: the level that is to be reached, L0, L1 or L2 (seed 000 `evidence`).
    pub evidence: Option<String>,
    /// Everything else the author wrote on this step.
    pub fields: Fields,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// An agent does it; `gatehouse.yaml` says which engine the agent is bound to.
    Agent,
    /// A command written in the workflow itself (seed 002 executable code block).
    Command {
        /// `bash`, `sh`, `shell`.
        language: String,
        /// As written.
        script: String,
    },
    /// A person reads it and answers (seed 002 prompt).
    Prompt {
        /// As written.
        text: String,
    },
    /// A container of other steps.
    Group,
    /// Another workflow, run as a linked run.
    SubWorkflow {
        /// Paths as written, relative to the file.
        files: Vec<String>,
    },
}

/// A retry policy (seed 000 `retries`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retries {
    /// Extra attempts after the first; absent: the project's default.
    pub max: Option<u32>,
    /// Pause between two attempts, milliseconds.
    pub backoff_ms: u64,
}

/// A tool call a step declares (seed 000 "Tool calls").
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// Which tool.
    pub name: String,
    /// Its arguments.
    pub args: Value,
    /// Whether its failure blocks the step.
    pub required: bool,
    /// What the call risks; absent: what the tool itself says.
    pub risk: Option<Risk>,
    /// Name of the gate that must approve it (seed 000 "Tool calls": a call that names one always asks).
    pub gate: Option<String>,
}

/// What a tool call can do harm to (seed 000 `risk`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "model.gen.ts")]
pub enum Risk {
    /// Nothing of value.
    Low,
    /// Asks a person where the project's policy says so.
    Medium,
    /// Always asks a person.
    High,
}

impl Risk {
    /// The word in the file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// Reads the word in the file, whatever its case.
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word.trim().to_lowercase().as_str() {
            "low" => Self::Low,
            "medium" => Self::Medium,
            "high" => Self::High,
            _ => return None,
        })
    }
}

/// One of the files that a step says it makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Output<'a> {
    /// Its path, a pattern or a folder.
    pub path: &'a str,
    /// The step may go well without it: `(optional)` stands behind the path, as it does behind a template's headings.
    pub optional: bool,
}

impl<'a> Output<'a> {
    /// Reads an output as it is written.
    pub fn of(written: &'a str) -> Self {
        let written = written.trim();
        match written.strip_suffix("(optional)") {
            Some(path) => Self {
                path: path.trim_end(),
                optional: true,
            },
            None => Self {
                path: written,
                optional: false,
            },
        }
    }
}

impl Step {
    /// A step with nothing but an id, everything else at its default.
    pub fn new(id: impl Into<StepId>, ordinal: usize) -> Self {
        let id = id.into();
        Self {
            number: (ordinal + 1).to_string(),
            name: humanise(id.as_str()),
            id,
            ordinal,
            intent: None,
            work: Work::Agent,
            agents: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            gate: None,
            routing: Routing::Sequence,
            detours: Vec::new(),
            detour_from: None,
            flow: None,
            depends_on: Vec::new(),
            parallel: false,
            terminal: false,
            parent: None,
            dynamic: false,
            jump_only: false,
            whether: None,
            failing: Failing::Stops,
            escalate_to: None,
            retries: None,
            timeout_ms: None,
            phase: None,
            parameters: Fields::new(),
            templates: Vec::new(),
            tools: Vec::new(),
            validation: None,
            evidence: None,
            fields: Fields::new(),
        }
    }

    /// How a sentence for people speaks of it: its name with its id behind, the id alone where the name says no more.
    pub fn called(&self) -> String {
        let id = self.id.as_str();
        match self.name.trim() {
            name if name.is_empty() || name == id || name == humanise(id) => format!("`{id}`"),
            name => format!("“{name}” (`{id}`)"),
        }
    }

    /// The same as pictures and lists call it, without its id: of a workflow's own steps in a sentence about where they lead.
    pub fn spoken(&self) -> String {
        match self.name.trim() {
            name if name.is_empty() || name == self.id.as_str() => format!("`{}`", self.id),
            name => format!("“{name}”"),
        }
    }

    /// The agent that names receipts and transcripts: the first one, `unknown` where none is written (seed 001).
    pub fn agent_key(&self) -> AgentKey {
        self.agents.first().cloned().unwrap_or_else(|| AgentKey::new("unknown"))
    }
}

/// `critique_reqs` → `Critique reqs`: what a reviewer reads where the author gave no name.
pub fn humanise(id: &str) -> String {
    let spaced: String = id.chars().map(|c| if c == '_' || c == '-' { ' ' } else { c }).collect();
    let trimmed = spaced.trim();
    let mut chars = trimmed.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => id.to_owned(),
    }
}
