//! What happened. The one internal event enum; the public vocabularies are mappings at the edge that renders them.
//!
//! Persisted: fields are only ever added, with a default, and the version below is raised when a meaning changes.

use crate::{
    At, BranchEnded, BranchId, Choosing, Digest, FlowEnded, Forked, GateId, GatePolicy, GateReason, GateRules, Grounds,
    Instance, Joined, Lifecycle, Limits, Promotion, RouteReason, RunId, ToolAsk, Way,
};
use model::{AgentKey, Fields, GateAt, GateRequirement, StepId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Version of the persisted event form.
pub const EVENT_VERSION: u32 = 1;

/// One event of a run's log, before it is given its sequence number and time. What it carries is shared: the log, the states folded
/// from it and the intent that led to it hold the same values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The run exists: everything it needs is fixed here, so that later changes of files or settings do not touch it.
    RunCreated(Arc<RunCreated>),
    /// Execution began.
    RunStarted,
    /// An attempt of a step is to be carried out; durable before it starts.
    AttemptStarted(Arc<AttemptStarted>),
    /// A piece of what an attempt printed while it ran.
    Output {
        /// Which visit.
        instance: Instance,
        /// Which attempt, 1-based.
        attempt: u32,
        /// `stdout` or `stderr`.
        stream: String,
        /// At most 16 KiB, cut on a character boundary.
        text: String,
    },
    /// An attempt came to its end.
    AttemptEnded {
        /// Which visit.
        instance: Instance,
        /// Which attempt, 1-based.
        attempt: u32,
        /// What came of it.
        result: Arc<StepResult>,
        /// A failed attempt that is tried again: not before this time.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_at: Option<At>,
    },
    /// An attempt was in flight when its driver died.
    AttemptInterrupted {
        /// Which visit.
        instance: Instance,
        /// Which attempt, 1-based.
        attempt: u32,
        /// What is known of it.
        reason: String,
        /// Tried again, not before this time; absent: the step has failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_at: Option<At>,
    },
    /// An agent is to choose among the ways on.
    NavigatorAsked(Arc<NavigatorAsked>),
    /// It has said which, or nothing that counts.
    NavigatorAnswered {
        /// The visit whose way on is chosen.
        instance: Instance,
        /// What it said.
        said: Arc<NavigatorSaid>,
    },
    /// Which step is next, and why.
    Routed(Arc<RouteDecision>),
    /// The run waits for a person.
    GateOpened(Arc<GateOpened>),
    /// A person answered.
    GateAnswered(Arc<Decision>),
    /// Stages whose dependencies are completed are to be carried out as soon as there is room (seed 004: `queued`).
    Queued {
        /// In document order.
        steps: Vec<StepId>,
    },
    /// A stage of a pipeline has come to its end for now.
    Settled(Arc<Settled>),
    /// Several branches begin beside each other.
    Forked(Arc<Forked>),
    /// A branch has come to its end by itself.
    BranchEnded(Arc<BranchEnded>),
    /// The branches of a fork have met, or will not.
    Joined(Arc<Joined>),
    /// One flow of several has come to its end, and another goes on. The end of the last one is the run's.
    FlowEnded(Arc<FlowEnded>),
    /// A pipeline that had ended goes on (seed 004 "resume").
    Reopened {
        /// Who asked for it.
        by: String,
        /// What becomes of each stage that had failed or been cut off.
        choices: BTreeMap<StepId, Choice>,
        /// Stages that are pending again: those to be retried and what had been skipped because of them.
        reset: Vec<StepId>,
        /// Of a run with a token: where it goes on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Stand>,
    },
    /// A record of evidence went up one level.
    EvidencePromoted(Arc<Promotion>),
    /// No new attempt starts until it is resumed; attempts in flight finish.
    Paused {
        /// Who asked for it.
        by: String,
    },
    /// It goes on.
    Resumed {
        /// Who asked for it.
        by: String,
    },
    /// A person ended the run; attempts in flight are cancelled.
    Aborted {
        /// Who.
        by: String,
        /// Why.
        #[serde(default)]
        reason: String,
    },
    /// The run has ended: its last event, unless a pipeline is taken up again ([`Event::Reopened`]).
    RunCompleted(RunCompleted),
}

/// Where a token stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stand {
    /// At which step.
    pub step: StepId,
    /// In which dynamic instance ([`Instance::path`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<u32>,
    /// The step is a fork that has begun, and its branches had not all come to their end: they go on, in this fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork: Option<u32>,
}

/// See [`Event::Settled`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled {
    /// Which stage.
    pub step: StepId,
    /// How.
    pub status: StageEnd,
    /// Of a skipped stage: the stage that it cannot do without, which failed or was skipped itself; absent: a person skipped it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<StepId>,
    /// Of a failed stage: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// A person rejected it: the run ends, whatever the pipeline says of failures (CONTRACTS "Human gates").
    #[serde(default, skip_serializing_if = "is_false")]
    pub rejected: bool,
}

/// How a stage ended (seed 004; `pending`, `queued` and `running` are no ends).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageEnd {
    /// Well: what depends on it may begin.
    Completed,
    /// Not well.
    Failed,
    /// It was left out.
    Skipped,
    /// It was cut off when the run was aborted.
    Aborted,
}

/// What becomes of a failed or aborted stage when its pipeline is taken up again (seed 004 "Retry failed stages or skip?").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "engine.gen.ts")]
pub enum Choice {
    /// It runs again.
    Retry,
    /// It is left out, and with it everything that depends on it.
    Skip,
}

/// See [`Event::RunCreated`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunCreated {
    /// [`EVENT_VERSION`] of the log.
    pub version: u32,
    /// Which run.
    pub run_id: RunId,
    /// The workflow's id (`flow_key` of seed 001).
    pub workflow: model::WorkflowId,
    /// The keys of its flows, in their order, where it has several (`flows` of seed 001).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<String>,
    /// Its title at the time.
    pub title: String,
    /// Its contract.
    pub format: model::Format,
    /// Path of the source, relative to the project, with `/`.
    pub path: String,
    /// Blob of the source text: the version this run keeps.
    pub source: Digest,
    /// The file of instructions that stands in that text behind the workflow's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<FileRef>,
    /// `desktop`, `cli`, `test`: who asked for the run.
    pub initiator: String,
    /// The person who started it.
    #[serde(default)]
    pub by: String,
    /// What this run is about, in the words of whoever started it, or an answer given at the start: what tells it from other runs
    /// of its workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Values given at the start.
    #[serde(default)]
    pub inputs: Fields,
    /// Engine of each agent of the workflow; the key `*` is the default.
    pub engines: BTreeMap<AgentKey, EngineInfo>,
    /// Blob and name of the scenario that scripts the run, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<ScenarioRef>,
    /// A rehearsal: nothing of it happens for real, so that nothing of it counts. Ask [`RunCreated::is_rehearsal`].
    #[serde(default, skip_serializing_if = "is_false")]
    pub rehearsal: bool,
    /// Limits and policy at the time.
    pub limits: Limits,
    /// The project's policy of human gates at the time.
    #[serde(default, skip_serializing_if = "GatePolicy::is_default")]
    pub policy: GatePolicy,
    /// Who decides where the rules leave more than one way.
    #[serde(default, skip_serializing_if = "Choosing::is_default")]
    pub choosing: Choosing,
    /// Blob of the project's configuration at the time: the tools, servers, checks and guardrails of this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<Digest>,
    /// What placeholders in paths stand for at the time: `output_folder` → `docs` (seed 000 "Output layout enforcement").
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub folders: BTreeMap<String, String>,
    /// The step of another run that this one carries out (a runbook in a runbook, seed 002 "Runbooks").
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ParentRun>,
    /// A person is asked for the outcome of every step; nothing is executed (`--prompted`).
    #[serde(default, skip_serializing_if = "is_false")]
    pub prompted: bool,
    /// Who started the run permitted everything that would be asked for, in the runs inside it too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub permitted: bool,
    /// Steps given to somebody at the start: over what the workflow says.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub assigned: BTreeMap<StepId, AgentKey>,
    /// What a step may do only when a person permits it, in words; steps that need nobody's permission are absent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub permissions: BTreeMap<StepId, Vec<String>>,
    /// What steps were kept from by reading scripts alone, in words, on the machine where the run was started; empty: the kernel held all. Absent in
    /// rehearsals, and in logs that do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_read: Option<Vec<String>>,
}

impl RunCreated {
    /// Whether nothing of this run happens for real. Runs of older versions are rehearsals when a scenario scripts them.
    pub fn is_rehearsal(&self) -> bool {
        self.rehearsal || self.scenario.is_some()
    }

    /// The flow that a step belongs to, by its key, and the id that the flow's own file gives the step (seed 001
    /// `flow_key`, `step_id`). A run of one flow has one key for all.
    pub fn in_flow<'a>(&'a self, step: &'a str) -> (&'a str, &'a str) {
        let inside = step.split_once('/');
        match inside.filter(|(key, _)| self.flows.iter().any(|flow| flow == key)) {
            Some(found) => found,
            None => (self.workflow.as_str(), step),
        }
    }

    /// The keys of the run's flows, in their order (seed 001 `run_created.flows`).
    pub fn flow_keys(&self) -> Vec<&str> {
        match self.flows.is_empty() {
            true => vec![self.workflow.as_str()],
            false => self.flows.iter().map(String::as_str).collect(),
        }
    }

    /// What decides in this run whether a gate stops it.
    pub fn gate_rules(&self) -> GateRules<'_> {
        GateRules {
            policy: &self.policy,
            limits: &self.limits,
        }
    }
}

impl<'a> GateRules<'a> {
    /// Those of a run; of none the defaults.
    pub fn of(created: Option<&'a RunCreated>) -> Self {
        created.map_or_else(GateRules::default, RunCreated::gate_rules)
    }
}

/// The step of a run that another run carries out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParentRun {
    /// Which run.
    pub run: RunId,
    /// Which visit of which step.
    pub instance: Instance,
    /// Which of the step's runbooks, 0-based.
    pub index: u32,
    /// How many runs are around this one: 1 for a child, 2 for a child's child.
    pub depth: u32,
}

/// A file of the project in the version that a run keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRef {
    /// Its path, relative to the project, with `/`.
    pub path: String,
    /// Blob of its text.
    pub source: Digest,
}

/// Which scenario scripts a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScenarioRef {
    /// Its name.
    pub name: String,
    /// Blob of its text.
    pub source: Digest,
}

/// What carries out the work of an agent (receipt fields of seed 001).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineInfo {
    /// Identifier in receipts and events: `stub-step`, `shell-step`, `command-step`, `claude-step`.
    pub engine: String,
    /// Suffix of transcript files: `stub`, `shell`, `command`, `claude`.
    pub short: String,
    /// `stub`, `sdk` or `cli`.
    pub mode: String,
    /// `local`: whose model answers is known when it has answered ([`StepResult::answered`]). Logs of older versions hold what was
    /// configured.
    pub provider: String,
    /// `none`, likewise.
    pub model: String,
    /// The program that is run, for people; empty for the stub.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The model that gatehouse.yaml asks the program to use. It is told so; that is no claim about what answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wants: Option<Box<ModelName>>,
}

/// A model and whose it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelName {
    /// API provider; `local` where nobody else is asked.
    pub provider: String,
    /// Model identifier; `none` where no model answers.
    pub model: String,
}

impl EngineInfo {
    fn local(short: &str, mode: &str, command: String) -> Self {
        Self {
            engine: format!("{short}-step"),
            short: short.to_owned(),
            mode: mode.to_owned(),
            provider: "local".to_owned(),
            model: "none".to_owned(),
            command,
            wants: None,
        }
    }

    /// Plays a step in a rehearsal: nothing is executed. In a run for real it stands for nobody.
    pub fn stub() -> Self {
        Self::local("stub", "stub", String::new())
    }

    /// A program of the project: `shell` for a command line, `command` for a program with arguments.
    pub fn program(short: &str, command: String) -> Self {
        Self::local(short, "cli", command)
    }

    /// A command that stands in the workflow itself, by its language: `bash`; `sh` and `shell` are `sh`.
    pub fn script(language: &str, script: &str) -> Self {
        let shell = if language == "bash" { "bash" } else { "sh" };
        Self::local(shell, "cli", script.to_owned())
    }

    /// Other workflows, each a run of its own.
    pub fn runbooks(files: &[String]) -> Self {
        Self::local("runbook", "cli", files.join("\n"))
    }

    /// A person, who says how it went.
    pub fn person() -> Self {
        Self::local("person", "cli", String::new())
    }

    /// Whether it is nobody: the stand-in of rehearsals.
    pub fn is_stub(&self) -> bool {
        self.engine == "stub-step"
    }

    /// Whether it is a run of its own.
    pub fn is_run(&self) -> bool {
        self.engine == "runbook-step"
    }

    /// Whether it mostly waits, and nothing is carried out meanwhile: a run inside, whose steps are counted there, or a person.
    pub fn only_waits(&self) -> bool {
        self.is_run() || self.is_person()
    }

    /// Whether a person does it.
    pub fn is_person(&self) -> bool {
        self.engine == "person-step"
    }
}

/// See [`Event::AttemptStarted`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttemptStarted {
    /// Which visit.
    pub instance: Instance,
    /// Which attempt, 1-based.
    pub attempt: u32,
    /// Who does it (the step's agents).
    pub agents: Vec<AgentKey>,
    /// By which engine.
    pub engine: EngineInfo,
    /// Of a step that several agents carry out: the engine of each, in their order (seeds 001 and 004 `agents`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub crew: Vec<EngineInfo>,
    /// What a person asked to be changed since the last visit, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<String>,
}

impl AttemptStarted {
    /// The engines of the attempt: one for each of its agents.
    pub fn engines(&self) -> &[EngineInfo] {
        match self.crew.as_slice() {
            [] => std::slice::from_ref(&self.engine),
            crew => crew,
        }
    }

    /// What carries the work of one of its agents out.
    pub fn engine_of(&self, agent: &AgentKey) -> &EngineInfo {
        let place = self.agents.iter().position(|one| one == agent);
        place.and_then(|place| self.crew.get(place)).unwrap_or(&self.engine)
    }

    /// Whether all who carry it out only wait ([`EngineInfo::only_waits`]).
    pub fn only_waits(&self) -> bool {
        self.engines().iter().all(EngineInfo::only_waits)
    }
}

/// How the execution itself went; what the agent *said* is in [`StepResult::report`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExecutionStatus {
    /// It was carried out.
    Succeeded,
    /// It was not.
    Failed,
    /// It was left out; the run goes on (CONTRACTS "Stepwise").
    Skipped,
    /// It waits for a person: a tool call must be approved before the step can be carried out (seed 000 "Tool calls").
    Blocked,
}

impl ExecutionStatus {
    /// The word of seed 001.
    pub fn word(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Blocked => "blocked",
        }
    }

    /// Whether the step is done with.
    pub fn completes(self) -> bool {
        matches!(self, Self::Succeeded | Self::Skipped)
    }
}

/// Result of one attempt (seed 001 "StepResult Guarantees").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepResult {
    /// How the execution went.
    pub status: ExecutionStatus,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What the agent reported: any fields. Routing reads it first.
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub report: Fields,
    /// False when the receipt could not be read: routing then sees no values at all.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub receipt_readable: bool,
    /// Strictly less than 51 200 bytes, cut on a character boundary.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// Blob of the whole output when `output` was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole_output: Option<Digest>,
    /// How long it took, milliseconds.
    pub duration_ms: u64,
    /// Token usage.
    #[serde(default)]
    pub tokens: Tokens,
    /// What it made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Artifact>,
    /// Blob of the transcript (JSON lines, seed 001 "Transcript Format").
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<Digest>,
    /// Tools it used, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolUse>,
    /// What was done around the work: tool calls of the step itself, guardrails, validation, evidence (seed 000).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifecycle: Option<Box<Lifecycle>>,
    /// Which model answered, as what answered reported it; absent: none was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<ModelName>,
    /// Of a step that several agents carry out: what each of them came to, in their order; who did not begin is absent. The fields
    /// above are all of them as one. Files, checks and tools of the step itself belong to the step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentResult>,
}

/// What one of several agents came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentResult {
    /// Who.
    pub agent: AgentKey,
    /// When they began.
    pub started_at: At,
    /// When they came to their end.
    pub ended_at: At,
    /// What of.
    pub result: StepResult,
}

fn yes() -> bool {
    true
}
fn is_false(value: &bool) -> bool {
    !*value
}
fn is_true(value: &bool) -> bool {
    *value
}

impl StepResult {
    /// A result with nothing but a status.
    pub fn new(status: ExecutionStatus) -> Self {
        Self {
            status,
            error: None,
            report: Fields::new(),
            receipt_readable: true,
            output: String::new(),
            whole_output: None,
            duration_ms: 0,
            tokens: Tokens::default(),
            artifacts: Vec::new(),
            transcript: None,
            tools: Vec::new(),
            lifecycle: None,
            answered: None,
            agents: Vec::new(),
        }
    }

    /// The contents that it refers to, with what each is; those of its agents too.
    pub fn digests(&self) -> Vec<(&'static str, &Digest)> {
        let mut out: Vec<(&'static str, &Digest)> = Vec::new();
        for result in std::iter::once(self).chain(self.agents.iter().map(|one| &one.result)) {
            out.extend(result.whole_output.iter().map(|digest| ("the whole output", digest)));
            out.extend(result.transcript.iter().map(|digest| ("the transcript", digest)));
            out.extend(result.artifacts.iter().map(|made| ("an artifact", &made.digest)));
        }
        out
    }
}

/// Token usage of one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tokens {
    /// Read.
    pub prompt: u64,
    /// Written.
    pub completion: u64,
    /// Both.
    pub total: u64,
}

/// A file a step made, as it was then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Relative to the project, with `/`.
    pub path: String,
    /// Its bytes.
    pub digest: Digest,
    /// How many.
    pub bytes: u64,
    /// It was there before the run began and has not been written since: it is shown, and no work of this run.
    #[serde(default, skip_serializing_if = "is_false")]
    pub was_there: bool,
}

/// One tool call an agent made (seed 001 "Tool-Level Events").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    /// Which tool.
    pub tool: String,
    /// Its input.
    #[serde(default)]
    pub input: Value,
    /// Whether it worked.
    pub success: bool,
    /// What it answered.
    #[serde(default)]
    pub output: Value,
    /// When it was called.
    #[serde(default)]
    pub started_at: At,
    /// When it answered.
    #[serde(default)]
    pub ended_at: At,
}

/// What a routing decision does (seed 001 "Routing Decision Values").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RouteKind {
    /// Goes on.
    Advance,
    /// Goes back to the loop's target.
    Loop,
    /// The flow ends.
    Terminate,
}

/// Who or what decided (seed 001 "`routing_source` Field"; `Person`, which the seed does not list, is rendered as `person`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RouteSource {
    /// Obvious: no routing and last step, or an explicit target.
    FastPath,
    /// The routing table.
    Deterministic,
    /// A person, by answering a gate.
    Person,
    /// An agent that chose among candidates.
    Navigator,
    /// The same, for a detour.
    NavigatorDetour,
    /// A signal inside a step's output.
    EnvelopeFallback,
    /// Nothing else helped.
    Escalate,
}

/// A navigator has been asked: durable before it begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NavigatorAsked {
    /// The visit whose way on is to be chosen.
    pub instance: Instance,
    /// Who is asked.
    pub navigator: AgentKey,
    /// What carries it out.
    pub engine: EngineInfo,
    /// What it chooses among, nearest first.
    pub ways: Vec<Way>,
}

/// What a navigator said.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct NavigatorSaid {
    /// The way that it chose, as it was named; absent: it chose none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way: Option<String>,
    /// Its reasons, in its own words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasons: String,
    /// Why its answer does not count: it failed, named no way, or named one that is not on the list. The next source decides then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Blob of what it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brief: Option<Digest>,
    /// Blob of what it wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<Digest>,
    /// How long it took, milliseconds.
    #[serde(default)]
    pub duration_ms: u64,
    /// Token usage.
    #[serde(default)]
    pub tokens: Tokens,
    /// Which model answered, as what answered reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<ModelName>,
}

/// See [`Event::Routed`]. Everything a why-card shows is here; nothing is computed again later.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RouteDecision {
    /// The visit that was left.
    pub from: Instance,
    /// The next step; absent: the flow ends.
    pub to: Option<StepId>,
    /// What it does.
    pub decision: RouteKind,
    /// Why; in the log the contract's reason string, e.g. `loop_iteration:2`.
    pub reason: RouteReason,
    /// Who decided.
    pub source: RouteSource,
    /// The edge that it took, as an index into [`model::Workflow::flows`]. Absent: it led along none, or the log is of a
    /// version that did not say it; [`crate::edges::taken`] knows both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge: Option<usize>,
    /// The fields that were looked at, with what they held (absent ones are null).
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub looked_at: Fields,
    /// Other ways out, each with why it was not taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<Alternative>,
    /// Of a microloop: loops already taken before this decision, and the bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loop_count: Option<LoopCount>,
    /// All counters after this decision, `<step>:<loop_target>` → loops taken.
    #[serde(default)]
    pub loop_state: Arc<BTreeMap<String, u32>>,
    /// Of a runbook: where exactly the token goes and what is remembered there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runbook: Option<Box<RunbookMove>>,
    /// The branch whose token moves; absent: the run's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<BranchId>,
    /// It leads into a detour, or back from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detour: Option<DetourMove>,
}

/// What a route means for a detour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DetourMove {
    /// Into a detour.
    Out {
        /// Which.
        id: String,
        /// It leads back to the visit that it leaves, which is not done again.
        on: bool,
    },
    /// Back to the step that it left, which is done again.
    Again,
    /// Back to the step that it left, which is left with the result that it had.
    On,
    /// To another step.
    Elsewhere,
}

/// What a runbook's transition does beside leading to a step (seed 002).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RunbookMove {
    /// Dynamic indices of the step reached, outermost first ([`Instance::path`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<u32>,
    /// What the run remembers afterwards.
    #[serde(default)]
    pub frame: Arc<Frame>,
    /// The container whose transition decided; absent: the step's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<StepId>,
    /// STOP: the run ends badly.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stopped: bool,
    /// What COMPLETE or STOP says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What a runbook remembers between two steps. Every route replaces it as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Frame {
    /// The current instance of each dynamic step that was entered, 1-based.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub instances: BTreeMap<StepId, u32>,
    /// Retries taken by the current unit and by the container around it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub retries: BTreeMap<StepId, u32>,
    /// Outcomes of the units of the container that the run is in, in the order they were last recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<UnitOutcome>,
}

/// The outcome of one unit of a container.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitOutcome {
    /// Which step.
    pub step: StepId,
    /// In which instance.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<u32>,
    /// PASS or FAIL.
    pub passed: bool,
}

/// Counter of a microloop at a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopCount {
    /// Loops already taken.
    pub taken: u32,
    /// The bound.
    pub max: u32,
}

/// A way out that was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alternative {
    /// Where it leads; absent: the flow ends.
    pub to: Option<StepId>,
    /// Why not, as a code with its values: `status_not_matched:UNVERIFIED`, `iterations_left:1/5` …
    pub why_not: String,
}

/// See [`Event::GateOpened`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateOpened {
    /// Which gate.
    pub gate: GateId,
    /// The visit it belongs to.
    pub instance: Instance,
    /// How often this gate has been asked in this run, 1-based.
    pub round: u32,
    /// Before or after the work.
    pub at: GateAt,
    /// What the answer is for.
    #[serde(default, skip_serializing_if = "Purpose::is_approval")]
    pub purpose: Purpose,
    /// As written.
    pub requirement: GateRequirement,
    /// The question.
    pub question: String,
    /// Why a person is asked.
    pub why: GateReason,
    /// Whom the author wants to ask.
    #[serde(default)]
    pub asks: Vec<AgentKey>,
    /// What there is to look at: bound to the answer by digest.
    #[serde(default)]
    pub shown: Vec<Artifact>,
    /// Where "request changes" leads.
    pub changes_to: Option<StepId>,
    /// Where "reject" leads; absent: the run ends as failed.
    pub reject_to: Option<StepId>,
    /// Where "approve" leads; absent: the flow ends.
    pub approve_to: Option<StepId>,
}

impl GateOpened {
    /// Whether "request changes" is about another stage, which this one then waits for again.
    pub(crate) fn is_about_another(&self) -> bool {
        self.changes_to.as_ref().is_some_and(|to| *to != self.instance.step)
    }
}

/// What a person's answer is for.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Purpose {
    /// To let the run go on: approve, request changes, reject (CONTRACTS "Human gates").
    #[default]
    Approval,
    /// To say how a step went that a person carries out: pass or fail (seed 002 "Prompt").
    Outcome {
        /// The author's word for well: `YES`, `PASS`.
        pass: String,
        /// The author's word for not well: `NO`, `FAIL`.
        fail: String,
        /// The answer begins the attempt, which takes up what the person made; otherwise the answer is the attempt (runbooks).
        #[serde(default, skip_serializing_if = "is_false")]
        attempt: bool,
    },
    /// To let a step's tool be called: approve or reject (seed 000 "Tool calls").
    Tool {
        /// The call, as it will be made.
        ask: ToolAsk,
    },
    /// To permit what a step wants to do: approve or reject.
    Permission {
        /// What it wants to do, in words.
        needs: Vec<String>,
    },
    /// To choose the way on where nothing else decides it: one of the ways, changes, or reject (seed 001 `escalate`).
    Way {
        /// What there is to choose among, nearest first.
        ways: Vec<Way>,
    },
}

impl Purpose {
    fn is_approval(&self) -> bool {
        *self == Self::Approval
    }
}

/// For how long a permission holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "engine.gen.ts")]
pub enum Lasting {
    /// For this visit of the step.
    Once,
    /// To the end of this run.
    Run,
    /// For later runs of this project too.
    Always,
}

/// A person's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "engine.gen.ts")]
pub enum Answer {
    /// Go on.
    Approve,
    /// Again, with the comment as an input.
    Changes,
    /// Not at all.
    Reject,
    /// It went well (YES of a runbook's prompt).
    Pass,
    /// It did not (NO).
    Fail,
    /// On along the way that [`Decision::way`] names.
    Choose,
}

/// See [`Event::GateAnswered`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// Which gate.
    pub gate: GateId,
    /// Which round.
    pub round: u32,
    /// The answer.
    pub answer: Answer,
    /// Who.
    pub by: String,
    /// Why; mandatory for changes and reject.
    #[serde(default)]
    pub comment: String,
    /// Digest of every artifact that was shown, in the order shown.
    #[serde(default)]
    pub seen: Vec<Digest>,
    /// How it was given: `desktop`, `cli`, `serve`, `scenario`.
    #[serde(default)]
    pub via: String,
    /// Of a permission: for how long; absent: once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lasting: Option<Lasting>,
    /// The way that was chosen, as [`Way::id`] names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way: Option<String>,
    /// The name that belongs to the signing key, where the answer is given in another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_name: Option<String>,
    /// ed25519 over [`Decision::statement`]; absent for scripted answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
}

/// An ed25519 signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// Public key, 64 hexadecimal digits.
    pub key: String,
    /// Signature, 128 hexadecimal digits.
    pub signature: String,
    /// What was known when it was made; absent in signatures that cover less ([`Decision::statement`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grounds: Option<Grounds>,
}

/// See [`Event::RunCompleted`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunCompleted {
    /// How it ended.
    pub status: EndStatus,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What the workflow says at its end (COMPLETE and STOP of seed 002).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Step executions that succeeded (or were skipped).
    pub steps_completed: u32,
    /// All step executions.
    pub total_steps_executed: u32,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndStatus {
    /// Well.
    Succeeded,
    /// Not well.
    Failed,
    /// By a person's order.
    Aborted,
    /// To its end, but not every stage of it (seed 004 `completed_with_failures`).
    CompletedWithFailures,
    /// No way led on: what the workflow asked for is not all done.
    Stopped,
}

impl EndStatus {
    /// The same as the contracts have it: none of them knows a run that could not go on, and it did not end well.
    pub fn in_contract(self) -> Self {
        match self {
            Self::Stopped => Self::Failed,
            other => other,
        }
    }
}
