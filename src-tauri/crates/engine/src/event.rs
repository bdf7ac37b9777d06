//! What happened. The one internal event enum; the public vocabularies are mappings at the edge that renders them.
//!
//! Persisted: fields are only ever added, with a default, and the version below is raised when a meaning changes.

use crate::{
    At, BranchEnded, BranchId, Digest, EngineInfo, FeedbackAcknowledged, FeedbackGiven, FlowEnded, Forked, GateId,
    GateReason, Given, GuardStage, GuardStatus, Held, Instance, Joined, Lifecycle, ModelName, Promotion, RouteReason,
    RunCreated, RunId, SentBack, Signature, Standards, TookPart, ToolAsk, ToolRecord, Way, WhyNot,
};
use model::{AgentKey, Fields, GateAt, GateRequirement, StepId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The stream of an attempt's output in which Gatehouse itself speaks. Nothing that a program prints comes into it: what stands in
/// `stdout` and `stderr` was printed by whoever works, whatever it calls itself.
pub const REMARKS: &str = "gatehouse";

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
        /// `stdout` or `stderr`; [`REMARKS`]: what Gatehouse itself says of the attempt.
        stream: String,
        /// At most 16 KiB, cut on a character boundary.
        text: String,
    },
    /// What a call that a step declares came to, recorded as soon as that is known: an attempt that is cut off says nothing of it. The calls
    /// of an attempt come in the order of the step's list; one that a person is asked about is in the attempt's end alone, and in a rehearsal
    /// all are.
    ToolCalled {
        /// Which visit.
        instance: Instance,
        /// Which attempt, 1-based.
        attempt: u32,
        /// What came of it; the attempt's result repeats it.
        call: Arc<ToolRecord>,
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
        /// Its driver let go of it in order, as when a window is closed, or the run goes back to a moment at which it was under way: that is
        /// nobody's failure, and not counted with the others.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        let_go: bool,
        /// When the driver that died was last known to be at work; absent: it was cut off as it is recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seen: Option<At>,
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
    /// A report says that something is wrong with earlier work: a feedback loop opens, or goes round again (seed 003).
    FeedbackGiven(Arc<FeedbackGiven>),
    /// A step that an issue was reported to leaves its work as it is.
    FeedbackAcknowledged(Arc<FeedbackAcknowledged>),
    /// The step that reported an issue does not report it any more.
    FeedbackResolved {
        /// Which loop.
        id: String,
        /// The visit that reports it no more.
        by: Instance,
    },
    /// Stages of a pipeline are pending again because of issues that a later one reported.
    SentBack(Arc<SentBack>),
    /// One flow of several has come to its end, and another goes on. The end of the last one is the run's.
    FlowEnded(Arc<FlowEnded>),
    /// A run that had ended goes on: a pipeline (seed 004 "resume"), or a run of another format whose contract allows it
    /// ([`model::contract`]).
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
    /// A run goes on from an imported session: what had been done elsewhere counts as done, and is not done here.
    TakenOver(Arc<TakenOver>),
    /// A person named this moment, so that one can go back to it (seed 003 `checkpoints`; see [`crate::Checkpoint`]).
    Checkpointed(Arc<Checkpointed>),
    /// The log is not the one that the Gatehouse of whoever goes on in it had seen last: events of it are missing or were replaced. It stands
    /// before what they do, so that the record names it for good.
    AnotherLog(Arc<AnotherLog>),
    /// No new attempt starts until it is resumed; attempts in flight finish.
    Paused {
        /// Who asked for it.
        by: String,
        /// How they gave the order, and their signature; absent: nobody signed it, as in logs of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        given: Option<Box<Given>>,
    },
    /// It goes on.
    Resumed {
        /// Who asked for it.
        by: String,
        /// As of [`Event::Paused`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        given: Option<Box<Given>>,
    },
    /// A person takes up a run that nobody carried on: from here on the program that they gave the order to does. A driver that takes a run up by
    /// itself records nothing.
    TakenUp {
        /// The name of whoever takes it up.
        by: String,
        /// As of [`Event::Paused`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        given: Option<Box<Given>>,
    },
    /// A person ended the run; attempts in flight are cancelled.
    Aborted {
        /// The name of whoever asked for it.
        by: String,
        /// Why, in their words; may be empty.
        #[serde(default)]
        reason: String,
        /// As of [`Event::Paused`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        given: Option<Box<Given>>,
    },
    /// The run has ended: its last event, unless it is taken up again ([`Event::Reopened`]).
    RunCompleted(RunCompleted),
}

/// See [`Event::TakenOver`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenOver {
    /// Who said so.
    pub by: String,
    /// What the session calls itself; empty: nothing.
    #[serde(default)]
    pub session: String,
    /// Steps that it says were completed.
    pub completed: Vec<StepId>,
    /// Steps that it says were left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<StepId>,
    /// Those of them that have a gate: nobody was asked there, here or by what the session can show.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unasked: Vec<StepId>,
    /// Those of them of which the session says besides that a gate was not passed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_passed: Vec<StepId>,
    /// Where this run begins.
    pub at: StepId,
}

/// See [`Event::Checkpointed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpointed {
    /// Who made it.
    pub by: String,
    /// What it is called.
    pub name: String,
}

/// See [`Event::AnotherLog`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnotherLog {
    /// Whose Gatehouse had seen another one.
    pub by: String,
    /// How many events that one had when it was seen last.
    pub events: u64,
    /// The chain's link of the last of them, 64 hexadecimal digits.
    pub link: String,
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
    /// Whether it is completed, failed, skipped or aborted.
    pub status: StageEnd,
    /// Of a skipped stage: the stage that it cannot do without, which failed or was skipped itself; absent: a person or its agent skipped it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<StepId>,
    /// Of a failed stage, and of one that its agent skipped: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// A person rejected it: the run ends, whatever the pipeline says of failures (CONTRACTS "Human gates").
    #[serde(default, skip_serializing_if = "is_false")]
    pub rejected: bool,
    /// What waits for it goes on without it, and why: it was not to be done, or it failed and the workflow can do without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spared: Option<String>,
}

impl Settled {
    /// Whether the stage began and its agent left it out; nobody else says why in the place of an error.
    pub fn is_left_out_by_agent(&self) -> bool {
        self.status == StageEnd::Skipped && self.error.is_some()
    }
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

    /// The people among its agents, in their order. Of several one question is asked, and one of them answers it for all.
    pub fn people(&self) -> Vec<&AgentKey> {
        let each = self.agents.iter().zip(self.engines());
        each.filter(|(_, engine)| engine.is_person())
            .map(|(agent, _)| agent)
            .collect()
    }

    /// Whether people alone carry it out.
    pub fn is_by_people(&self) -> bool {
        self.engines().iter().all(EngineInfo::is_person)
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
    /// Why it failed, or was skipped.
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
    /// Those of them that stand where nothing stood when its work began, as far as somebody looked: their paths. Of every other one nothing tells
    /// whether a file was there before. Where it did not pass they are none of the files that it made, which are not kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub appeared: Vec<String>,
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
    /// Of a step that runs other workflows and failed: how a person ended one of those runs. It is not tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_inside: Option<Box<EndedInside>>,
    /// Of a step that runs other workflows, where only somebody else may approve: who carried steps out in those runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hands: Vec<TookPart>,
}

/// How a person ended a run inside a step: the step ends with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EndedInside {
    /// They refused, and that decided it.
    Refused(Box<RefusedInside>),
    /// They ended it.
    Aborted {
        /// Which run.
        run: RunId,
        /// The name of whoever asked for it.
        by: String,
        /// Why, in their words; may be empty.
        #[serde(default)]
        reason: String,
    },
}

/// A refusal in a run inside a step, as the run around it keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RefusedInside {
    /// In which run it was said; its log holds it as it was asked and signed there.
    pub run: RunId,
    /// What was asked, of the visit of the step around it.
    pub opened: GateOpened,
    /// Who refused, and in what words.
    pub decision: Decision,
    /// When.
    pub at: At,
}

impl RefusedInside {
    /// Whether it rejects the step; that something was not permitted is a failure of what wanted it.
    pub(crate) fn rejects(&self) -> bool {
        !matches!(self.opened.purpose, Purpose::Permission { .. })
    }
}

/// What one of several agents came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentResult {
    /// The agent, by its name in the workflow.
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
    /// What it reports of each standard: each of several agents is held to them.
    pub fn held(&self, standards: &Standards) -> Vec<Held> {
        let agents = self.agents.iter().map(|one| &one.result.report);
        standards.held(&std::iter::once(&self.report).chain(agents).collect::<Vec<_>>())
    }

    /// The standards that it does not meet. What failed is judged by its failure.
    pub fn below(&self, standards: &Standards) -> Vec<Held> {
        let mut held = match self.status {
            // An agent that says there was nothing to do does not pass a standard by saying so.
            ExecutionStatus::Succeeded | ExecutionStatus::Skipped => self.held(standards),
            ExecutionStatus::Failed | ExecutionStatus::Blocked => Vec::new(),
        };
        held.retain(|held| !held.is_met());
        held
    }

    /// Why an agent left the work out, in its words; `None`: it did not.
    pub fn skipped(&self) -> Option<&str> {
        let said = self.error.as_deref().map(str::trim).filter(|why| !why.is_empty());
        (self.status == ExecutionStatus::Skipped).then(|| said.unwrap_or("no reason was given"))
    }

    /// Whether the project's guardrails let nothing of it begin: what goes in is the same however often it is tried.
    pub fn is_stopped_at_inputs(&self) -> bool {
        let held = self
            .lifecycle
            .as_ref()
            .and_then(|held| held.guardrail(GuardStage::Inputs));
        self.status == ExecutionStatus::Failed && held.is_some_and(|report| report.status == GuardStatus::Failed)
    }

    /// Whether nobody tries it again, however it failed: a person has ended it, or it may not go in.
    pub(crate) fn is_final(&self) -> bool {
        self.ended_inside.is_some() || self.is_stopped_at_inputs()
    }

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
            appeared: Vec::new(),
            transcript: None,
            tools: Vec::new(),
            lifecycle: None,
            answered: None,
            agents: Vec::new(),
            ended_inside: None,
            hands: Vec::new(),
        }
    }

    /// What a person refused in a run inside the step, where that ended it.
    pub(crate) fn refused_inside(&self) -> Option<&RefusedInside> {
        match self.ended_inside.as_deref() {
            Some(EndedInside::Refused(refused)) if self.status == ExecutionStatus::Failed => Some(refused.as_ref()),
            _ => None,
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
    /// Tokens that the model read.
    pub prompt: u64,
    /// Tokens that it wrote.
    pub completion: u64,
    /// Both together, as reported: providers count differently.
    pub total: u64,
}

impl Tokens {
    /// Adds what another one used.
    pub fn add(&mut self, other: Self) {
        self.prompt = self.prompt.saturating_add(other.prompt);
        self.completion = self.completion.saturating_add(other.completion);
        self.total = self.total.saturating_add(other.total);
    }
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
    /// Whether its owner could execute it; absent where that was not recorded: of older runs, and of what a rehearsal plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executable: Option<bool>,
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
        /// The name of the detour in its file.
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
    /// Why not.
    pub why_not: WhyNot,
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
    /// The quality standards that the result does not meet: an approval lets it go on all the same, and says why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub below: Vec<Held>,
    /// The feedback loops that it is about: an approval lets the work go on as it is, and says why ([`FeedbackGiven::id`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feedback: Vec<String>,
}

impl GateOpened {
    /// Whether an answer lets a result go on that is below the project's quality standards (seed 003 `quality_gate_override`).
    pub fn overrides(&self, answer: Answer) -> bool {
        answer == Answer::Approve && !self.below.is_empty()
    }

    /// Whether an answer is refused without a comment: what is to change, why it is rejected, why it goes on below a standard, what
    /// went wrong with work that somebody did. A runbook's NO is one of its two outcomes and needs none.
    pub fn needs_comment(&self, answer: Answer) -> bool {
        match answer {
            Answer::Changes | Answer::Reject => true,
            Answer::Approve => self.overrides(answer) || !self.feedback.is_empty(),
            Answer::Fail => matches!(self.purpose, Purpose::Outcome { attempt: true, .. }),
            Answer::Pass | Answer::Choose => false,
        }
    }

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
    /// For this visit of the step, with its retries.
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

/// The comment of an approval that `--yes` gives, where a reader of the record finds it.
pub const APPROVED_BY_YES: &str = "approved by --yes";

/// See [`Event::GateAnswered`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// Which gate.
    pub gate: GateId,
    /// Which round.
    pub round: u32,
    /// The answer.
    pub answer: Answer,
    /// The name that the decision is given in.
    pub by: String,
    /// Why; where it is mandatory says [`GateOpened::needs_comment`].
    #[serde(default)]
    pub comment: String,
    /// Digest of every artifact that the answer is bound to, in the order of the question.
    #[serde(default)]
    pub seen: Vec<Digest>,
    /// Those of them that were named and not shown: what the page could not draw, and all of an answer of `--yes`, for which nobody looked; signed
    /// with the rest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undrawn: Vec<Digest>,
    /// How it was given: `desktop`, `cli`, `serve`, [`Decision::YES`], [`Decision::SCENARIO`].
    #[serde(default)]
    pub via: String,
    /// Of a permission: for how long; absent: once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lasting: Option<Lasting>,
    /// The way that was chosen, as [`Way::id`] names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way: Option<String>,
    /// Of a step that a person carried out: what they report of it, as an agent would. It decides the way on where the routing asks for it.
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub report: Fields,
    /// The name that belongs to the signing key, where the answer is given in another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_name: Option<String>,
    /// ed25519 over [`Decision::statement`]; absent for scripted answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
}

impl Decision {
    /// `via` of an answer that a scenario gives.
    pub const SCENARIO: &str = "scenario";
    /// `via` of an approval that `--yes` gives in a person's name, who has not looked at what is asked.
    pub const YES: &str = "cli --yes";

    /// Whether a scenario gave it, and no person.
    pub fn is_scripted(&self) -> bool {
        self.via == Self::SCENARIO
    }

    /// Whether `--yes` gave it: nobody has looked at the run.
    pub fn is_unseen(&self) -> bool {
        // The first logs told it by the comment alone.
        self.via == Self::YES || (self.via == "cli" && self.comment == APPROVED_BY_YES)
    }

    /// An answer that nobody has given: what it would lead to can be asked.
    pub fn considered(opened: &GateOpened, answer: Answer) -> Self {
        Self {
            gate: opened.gate.clone(),
            round: opened.round,
            answer,
            by: String::new(),
            comment: String::new(),
            seen: Vec::new(),
            undrawn: Vec::new(),
            via: String::new(),
            lasting: None,
            way: None,
            report: Fields::new(),
            key_name: None,
            signature: None,
        }
    }
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
    /// Everything that was to be done is done.
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
