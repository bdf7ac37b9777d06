//! The words of seed 000 (`WorkflowStarted` …) and those CONTRACTS adds: `{id, seq, type, timestamp, payload}`, where
//! every payload has `run_id` and an ISO 8601 `timestamp`.
//!
//! A step's lines are its moves through the contract's state machine ([`engine::run_step`]), and each stands in its
//! table: `WorkflowStepStarted` for every attempt, and without one where a step is running for another reason: it is
//! asked about before its work, or it goes on after an answer. `WorkflowStepFailed` for every attempt that did not
//! succeed, `WorkflowStepBlocked` in front of a person, `WorkflowStepCompleted` when it is left, which is after its
//! evidence and after a gate behind its work. What was done around the work comes before the attempt's end, in the
//! order in which it was done.
//!
//! `seq` is the line's place in the stream; `id` names the log's event and the line of it.

use crate::facts::role;
use crate::{Facts, Stored, rfc3339};
use engine::run_step::Change;
use engine::{
    Answer, At, AttemptStarted, Decision, EndStatus, Event, EvidenceState, ExecutionStatus, GateId, GateOpened,
    GuardStage, GuardStatus, Instance, Lifecycle, Promotion, Purpose, RunId, RunStepStatus, RunSteps, StepResult,
    ToolRecord, ToolStatus, ledger,
};
use model::{AgentKey, Control};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A rendering in progress.
#[derive(Debug)]
pub struct Renderer {
    run: RunId,
    facts: Facts,
    workflow: String,
    /// Whether one thing happens after another, so that a gate holds up the whole run.
    one_by_one: bool,
    /// Nothing of it happens for real: every line says so.
    rehearsal: bool,
    steps: RunSteps,
    /// How the last attempt of each visit went that is not left yet.
    last: BTreeMap<Instance, Last>,
    /// Visits whose last line says that they are running.
    running: BTreeSet<Instance>,
    /// How many calls of the attempts under way have a line already.
    told: BTreeMap<(Instance, u32), usize>,
    seq: u64,
    gates: BTreeMap<GateId, GateOpened>,
    evidence: Vec<EvidenceState>,
}

#[derive(Debug)]
struct Last {
    attempt: u32,
    begun: At,
    status: &'static str,
    duration_ms: u64,
}

impl Last {
    fn begun(attempt: u32, begun: At) -> Self {
        Self {
            attempt,
            begun,
            status: ExecutionStatus::Succeeded.word(),
            duration_ms: 0,
        }
    }
}

type Lines = Vec<(&'static str, Value)>;

impl Renderer {
    /// A rendering of one run from its first event on.
    pub fn new(run: &RunId, facts: Facts) -> Self {
        Self {
            run: run.clone(),
            facts,
            workflow: String::new(),
            one_by_one: true,
            rehearsal: false,
            steps: RunSteps::default(),
            last: BTreeMap::new(),
            running: BTreeSet::new(),
            told: BTreeMap::new(),
            seq: 0,
            gates: BTreeMap::new(),
            evidence: Vec::new(),
        }
    }

    /// The lines of the next event.
    pub fn push(&mut self, stored: &Stored) -> Vec<Value> {
        let changes = self.steps.push(stored.at, &stored.event);
        let mut out: Lines = Vec::new();
        match &stored.event {
            Event::RunCreated(created) => {
                self.workflow = created.workflow.to_string();
                self.one_by_one = created.format.contract().control == Control::Token;
                self.rehearsal = created.is_rehearsal();
            }
            Event::RunStarted => out.push(("WorkflowStarted", json!({}))),
            Event::AttemptStarted(started) => self.started(&mut out, stored.at, started),
            Event::AttemptEnded {
                instance,
                attempt,
                result,
                retry_at,
            } => {
                let told = self.told.remove(&(instance.clone(), *attempt)).unwrap_or(0);
                around(&mut out, instance, *attempt, result, told);
                if result.status.completes()
                    && let Some(lifecycle) = &result.lifecycle
                {
                    ledger::record(&mut self.evidence, stored.at, instance, &lifecycle.evidence);
                }
                if let Some(last) = self.last.get_mut(instance) {
                    last.status = result.status.word();
                    last.duration_ms = result.duration_ms;
                }
                let asks = result.lifecycle.as_ref().and_then(|l| l.asks.as_ref());
                self.changed(&mut out, &changes, *retry_at, asks.map(|ask| ask.gate.as_str()));
            }
            Event::ToolCalled {
                instance,
                attempt,
                call,
            } => {
                *self.told.entry((instance.clone(), *attempt)).or_default() += 1;
                out.extend((!call.earlier).then(|| called(instance, *attempt, call)));
            }
            Event::AttemptInterrupted {
                instance,
                attempt,
                retry_at,
                ..
            } => {
                self.told.remove(&(instance.clone(), *attempt));
                self.changed(&mut out, &changes, *retry_at, None);
            }
            Event::GateOpened(gate) => self.gate_opened(&mut out, stored.at, gate, &changes),
            Event::GateAnswered(decision) => self.gate_answered(&mut out, stored.at, decision, &changes),
            Event::EvidencePromoted(promotion) => {
                ledger::promote(&mut self.evidence, stored.at, promotion);
                out.push(self.promoted(promotion));
            }
            Event::Paused { by, .. } => out.push(("WorkflowPaused", json!({"by": by}))),
            Event::Resumed { by, .. } | Event::Reopened { by, .. } => out.push(("WorkflowResumed", json!({"by": by}))),
            Event::RunCompleted(end) => {
                self.changed(&mut out, &changes, None, None);
                let kind = match end.status {
                    EndStatus::Succeeded | EndStatus::CompletedWithFailures => "WorkflowCompleted",
                    EndStatus::Failed | EndStatus::Aborted | EndStatus::Stopped => "WorkflowFailed",
                };
                let rest = json!({
                    "status": end.status.in_contract(),
                    "error": end.error,
                    "steps_completed": end.steps_completed,
                    "total_steps_executed": end.total_steps_executed,
                });
                out.push((kind, rest));
            }
            Event::Routed(_) | Event::Forked(_) | Event::Settled(_) | Event::SentBack(_) => {
                self.changed(&mut out, &changes, None, None)
            }
            Event::Output { .. }
            | Event::NavigatorAsked(_)
            | Event::NavigatorAnswered { .. }
            | Event::Queued { .. }
            | Event::BranchEnded(_)
            | Event::Joined(_)
            | Event::FlowEnded(_)
            | Event::FeedbackGiven(_)
            | Event::FeedbackAcknowledged(_)
            | Event::FeedbackResolved { .. }
            | Event::Checkpointed(_)
            | Event::AnotherLog(_)
            | Event::TakenOver(_)
            | Event::TakenUp { .. }
            | Event::Aborted { .. } => {}
        }
        let mut lines = Vec::with_capacity(out.len());
        for (i, (kind, rest)) in out.into_iter().enumerate() {
            lines.push(self.line(stored, i, kind, rest));
        }
        lines
    }

    fn started(&mut self, out: &mut Lines, at: At, started: &AttemptStarted) {
        self.last
            .insert(started.instance.clone(), Last::begun(started.attempt, at));
        self.running(out, &started.instance, started.attempt, &started.agents);
    }

    fn running(&mut self, out: &mut Lines, instance: &Instance, attempt: u32, agents: &[AgentKey]) {
        let facts = self.facts.get(&instance.step);
        let rest = json!({
            "name": facts.map_or("", |f| f.name.as_str()),
            "phase": facts.and_then(|f| f.phase.as_deref()),
            "description": facts.map_or("", role),
            "agents": agents,
        });
        out.push(("WorkflowStepStarted", of(instance, attempt, rest)));
        self.running.insert(instance.clone());
    }

    /// A step's moves that have no line of their own. That it is running is said before the next of them at the latest:
    /// an answer is mostly followed by an attempt, which says so itself.
    fn changed(&mut self, out: &mut Lines, changes: &[Change], retry_at: Option<At>, gate: Option<&str>) {
        for change in changes.iter().filter(|change| change.to != RunStepStatus::Running) {
            let instance = &change.instance;
            if !self.running.contains(instance) {
                let agents = self.facts.get(&instance.step).map(|f| f.agents.clone());
                self.running(out, instance, 0, &agents.unwrap_or_default());
            }
            self.running.remove(instance);
            let last = self.last.get(instance);
            let attempt = last.map_or(0, |last| last.attempt);
            match change.to {
                RunStepStatus::Completed => {
                    let rest = json!({
                        "status": last.map_or("succeeded", |last| last.status),
                        "duration_ms": last.map_or(0, |last| last.duration_ms),
                        "error": null,
                    });
                    out.push(("WorkflowStepCompleted", of(instance, attempt, rest)));
                    self.last.remove(instance);
                }
                RunStepStatus::Failed => {
                    let rest = json!({"error": change.error, "retry_at": retry_at.map(rfc3339)});
                    out.push(("WorkflowStepFailed", of(instance, attempt, rest)));
                }
                RunStepStatus::Blocked => {
                    let rest = json!({"gate_id": gate, "reason": change.error});
                    out.push(("WorkflowStepBlocked", of(instance, attempt, rest)));
                }
                RunStepStatus::Pending | RunStepStatus::Running => {}
            }
        }
    }

    fn gate_opened(&mut self, out: &mut Lines, at: At, gate: &GateOpened, changes: &[Change]) {
        let instance = &gate.instance;
        if matches!(gate.purpose, Purpose::Outcome { attempt: false, .. }) {
            // Whoever is asked how it went carries it out: that is the attempt.
            let started = AttemptStarted {
                instance: instance.clone(),
                attempt: 1,
                agents: gate.asks.clone(),
                engine: engine::EngineInfo::person(),
                crew: Vec::new(),
                comments: Vec::new(),
            };
            self.started(out, at, &started);
        }
        self.changed(out, changes, None, Some(gate.gate.as_str()));
        let shown = gate.shown.iter().map(|a| json!({"path": a.path, "sha256": a.digest}));
        let rest = json!({
            "gate_id": gate.gate,
            "round": gate.round,
            "reason": gate.why,
            "question": gate.question,
            "phase": self.facts.get(&instance.step).and_then(|f| f.phase.as_deref()),
            "asks": gate.asks,
            "shown": shown.collect::<Vec<_>>(),
        });
        out.push(("HumanGateRequired", of(instance, 0, rest)));
        if self.one_by_one {
            let rest = json!({"gate_id": gate.gate, "reason": gate.why});
            out.push(("WorkflowBlocked", of(instance, 0, rest)));
        }
        self.gates.insert(gate.gate.clone(), gate.clone());
    }

    fn gate_answered(&mut self, out: &mut Lines, at: At, decision: &Decision, changes: &[Change]) {
        let kind = match decision.answer {
            Answer::Approve | Answer::Pass | Answer::Choose => "HumanGateApproved",
            Answer::Changes => "HumanGateChangesRequested",
            Answer::Reject | Answer::Fail => "HumanGateRejected",
        };
        let rest = json!({
            "gate_id": decision.gate,
            "round": decision.round,
            "by": decision.by,
            "comment": decision.comment,
            "via": decision.via,
            "signed": decision.signature.is_some(),
        });
        let Some(gate) = self.gates.remove(&decision.gate) else {
            return out.push((kind, rest));
        };
        out.push((kind, of(&gate.instance, 0, rest)));
        let promotions = ledger::corroborate(&mut self.evidence, self.rehearsal, at, &gate, decision);
        out.extend(promotions.iter().map(|promotion| self.promoted(promotion)));
        if let (Purpose::Outcome { attempt: false, .. }, Some(last)) =
            (&gate.purpose, self.last.get_mut(&gate.instance))
        {
            last.duration_ms = at.since_ms(last.begun);
        }
        self.changed(out, changes, None, Some(gate.gate.as_str()));
        if self.one_by_one && goes_on(&gate, decision) {
            out.push(("WorkflowResumed", json!({"by": decision.by, "gate_id": decision.gate})));
        }
    }

    fn promoted(&self, promotion: &Promotion) -> (&'static str, Value) {
        let held = self.evidence.iter().find(|held| held.record.id == promotion.evidence);
        let (gate, round) = promotion.gate.as_ref().map(|(gate, round)| (gate, *round)).unzip();
        let rest = json!({
            "evidence_id": promotion.evidence,
            "from": promotion.from,
            "to": promotion.to,
            "by": promotion.by,
            "reason": promotion.reason,
            "gate_id": gate,
            "round": round,
        });
        let rest = match held {
            Some(held) => of(&held.instance, 0, rest),
            None => rest,
        };
        ("EvidencePromoted", rest)
    }

    fn line(&mut self, stored: &Stored, i: usize, kind: &str, rest: Value) -> Value {
        self.seq += 1;
        let timestamp = rfc3339(stored.at);
        let mut payload = Map::new();
        payload.insert("run_id".to_owned(), json!(self.run));
        payload.insert("timestamp".to_owned(), json!(timestamp));
        payload.insert("workflow_id".to_owned(), json!(self.workflow));
        if self.rehearsal {
            payload.insert("rehearsal".to_owned(), json!(true));
        }
        if let Value::Object(rest) = rest {
            payload.extend(rest);
        }
        let id = format!("{}:{:06}.{i:04}", self.run, stored.seq);
        json!({"id": id, "seq": self.seq, "type": kind, "timestamp": timestamp, "payload": payload})
    }
}

/// Whether a run that waited goes on after this answer; otherwise it ends with it.
fn goes_on(gate: &GateOpened, decision: &Decision) -> bool {
    let about_going_on = matches!(
        gate.purpose,
        Purpose::Approval | Purpose::Tool { .. } | Purpose::Way { .. }
    );
    match decision.answer {
        Answer::Reject if about_going_on => gate.reject_to.is_some(),
        Answer::Changes => gate.changes_to.is_some(),
        _ => true,
    }
}

/// A call that was made, or was not.
fn called(instance: &Instance, attempt: u32, call: &ToolRecord) -> (&'static str, Value) {
    let called = matches!(call.status, ToolStatus::Completed | ToolStatus::Failed);
    let rest = json!({
        "tool": call.name,
        "status": call.status,
        "risk": call.risk,
        "required": call.required,
        "error": (!call.error.is_empty()).then_some(&call.error),
        "gate_id": call.gate,
        "started_at": called.then(|| rfc3339(call.started_at)),
        "ended_at": called.then(|| rfc3339(call.ended_at)),
    });
    let kind = if called { "ToolCalled" } else { "ToolNotCalled" };
    (kind, of(instance, attempt, rest))
}

/// What was done in an attempt, in the order of the seed: guardrails of the inputs, tools, guardrails of the outputs,
/// validation, files, evidence. `told`: how many of its calls have a line already.
fn around(out: &mut Lines, instance: &Instance, attempt: u32, result: &StepResult, told: usize) {
    let none = Lifecycle::default();
    let lifecycle = result.lifecycle.as_deref().unwrap_or(&none);
    let guardrail = |out: &mut Lines, stage| {
        if let Some(report) = lifecycle
            .guardrail(stage)
            .filter(|report| report.status == GuardStatus::Failed)
        {
            let rest = json!({"stage": report.stage, "violations": report.violations});
            out.push(("GuardrailFailed", of(instance, attempt, rest)));
        }
    };
    guardrail(out, GuardStage::Inputs);
    let calls = lifecycle.calls.iter().skip(told).filter(|call| !call.earlier);
    out.extend(calls.map(|call| called(instance, attempt, call)));
    guardrail(out, GuardStage::Outputs);
    if let Some(validation) = &lifecycle.validation {
        let rest = json!({"validation": validation.policy, "checks": validation.checks});
        out.push((passed(validation.passed), of(instance, attempt, rest)));
    } else if let Some(said) = result.report.get("validation") {
        // What an agent of another format says of its own check.
        let well = matches!(said.as_str(), Some("passed" | "PASSED" | "pass")) || said == &json!(true);
        out.push((passed(well), of(instance, attempt, json!({"validation": said}))));
    }
    if !result.status.completes() {
        return;
    }
    for artifact in &result.artifacts {
        let rest = json!({"path": artifact.path, "sha256": artifact.digest, "bytes": artifact.bytes});
        out.push(("ArtifactReady", of(instance, attempt, rest)));
    }
    for record in &lifecycle.evidence {
        out.push(("EvidenceRecorded", of(instance, attempt, json!({"evidence": record}))));
    }
    if let (true, Some(said)) = (lifecycle.evidence.is_empty(), result.report.get("evidence")) {
        out.push(("EvidenceRecorded", of(instance, attempt, json!({"evidence": said}))));
    }
}

fn passed(well: bool) -> &'static str {
    if well { "ValidationPassed" } else { "ValidationFailed" }
}

/// The step a line is about, before the rest of its payload; attempt 0 = no attempt.
fn of(instance: &Instance, attempt: u32, rest: Value) -> Value {
    let mut payload = Map::new();
    payload.insert("step_id".to_owned(), json!(instance.step));
    payload.insert("visit".to_owned(), json!(instance.visit));
    if !instance.path.is_empty() {
        payload.insert("path".to_owned(), json!(instance.path));
    }
    if attempt > 0 {
        payload.insert("attempt".to_owned(), json!(attempt));
    }
    if let Value::Object(rest) = rest {
        payload.extend(rest);
    }
    Value::Object(payload)
}
