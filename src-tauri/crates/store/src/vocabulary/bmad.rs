//! The words of seed 000 (`WorkflowStarted` …) and those CONTRACTS adds: `{id, type, timestamp, payload}`, where every
//! payload has `run_id` and an ISO 8601 `timestamp`.
//!
//! `ValidationPassed`, `ValidationFailed` and `EvidenceRecorded` come from reports that say so (`validation`, `evidence`):
//! no event of the log is a validation of its own yet.

use crate::{Facts, Stored, rfc3339};
use engine::{Answer, At, EndStatus, Event, ExecutionStatus, GateOpened, Instance, RunId, StepResult};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A rendering in progress.
#[derive(Debug)]
pub struct Renderer<'a> {
    run: RunId,
    facts: &'a Facts,
    workflow: String,
    /// When each visit that is running began.
    begun: BTreeMap<Instance, At>,
    gates: BTreeMap<String, GateOpened>,
}

impl<'a> Renderer<'a> {
    /// A rendering of one run from its first event on.
    pub fn new(run: &RunId, facts: &'a Facts) -> Self {
        Self {
            run: run.clone(),
            facts,
            workflow: String::new(),
            begun: BTreeMap::new(),
            gates: BTreeMap::new(),
        }
    }

    /// The lines of the next event.
    pub fn push(&mut self, stored: &Stored) -> Vec<Value> {
        let mut out: Vec<(&str, Value)> = Vec::new();
        match &stored.event {
            Event::RunCreated(created) => self.workflow = created.workflow.to_string(),
            Event::RunStarted => out.push(("WorkflowStarted", json!({}))),
            Event::AttemptStarted(started) => {
                let name = self.facts.get(&started.instance.step).map_or("", |f| f.role.as_str());
                let kind = if self.begun.insert(started.instance.clone(), stored.at).is_none() {
                    Some((
                        "WorkflowStepStarted",
                        json!({"agents": started.agents, "description": name}),
                    ))
                } else {
                    None
                };
                out.extend(kind.map(|(kind, rest)| (kind, of(&started.instance, started.attempt, rest))));
            }
            Event::AttemptEnded {
                instance,
                attempt,
                result,
                retry_at,
            } => {
                self.ended(&mut out, instance, *attempt, result, *retry_at);
            }
            Event::AttemptInterrupted {
                instance,
                attempt,
                reason,
                retry_at,
            } => {
                if retry_at.is_none() {
                    self.begun.remove(instance);
                    out.push(("WorkflowStepFailed", of(instance, *attempt, json!({"error": reason}))));
                }
            }
            Event::GateOpened(gate) => {
                let rest =
                    json!({"gate_id": gate.gate, "round": gate.round, "reason": gate.why, "question": gate.question});
                out.push((
                    "WorkflowStepBlocked",
                    of(&gate.instance, 0, json!({"gate_id": gate.gate})),
                ));
                out.push(("HumanGateRequired", of(&gate.instance, 0, rest)));
                self.gates.insert(gate.gate.to_string(), (**gate).clone());
            }
            Event::GateAnswered(decision) => {
                let kind = match decision.answer {
                    Answer::Approve | Answer::Pass => "HumanGateApproved",
                    Answer::Changes => "HumanGateChangesRequested",
                    Answer::Reject | Answer::Fail => "HumanGateRejected",
                };
                let rest = json!({
                    "gate_id": decision.gate,
                    "round": decision.round,
                    "by": decision.by,
                    "comment": decision.comment,
                });
                let rest = match self.gates.get(decision.gate.as_str()) {
                    Some(gate) => of(&gate.instance, 0, rest),
                    None => rest,
                };
                out.push((kind, rest));
            }
            Event::EvidencePromoted(promotion) => out.push(("EvidencePromoted", json!(promotion))),
            Event::Resumed { by } => out.push(("WorkflowResumed", json!({"by": by}))),
            Event::RunCompleted(end) => {
                let kind = if matches!(end.status, EndStatus::Succeeded | EndStatus::CompletedWithFailures) {
                    "WorkflowCompleted"
                } else {
                    "WorkflowFailed"
                };
                let rest = json!({
                    "status": end.status,
                    "error": end.error,
                    "steps_completed": end.steps_completed,
                    "total_steps_executed": end.total_steps_executed,
                });
                out.push((kind, rest));
            }
            Event::Reopened { by, .. } => out.push(("WorkflowResumed", json!({"by": by}))),
            Event::Output { .. }
            | Event::Routed(_)
            | Event::Queued { .. }
            | Event::Settled(_)
            | Event::Paused { .. }
            | Event::Aborted { .. } => {}
        }
        out.into_iter()
            .enumerate()
            .map(|(i, (kind, rest))| self.line(stored, i, kind, rest))
            .collect()
    }

    fn ended(
        &mut self,
        out: &mut Vec<(&'static str, Value)>,
        instance: &Instance,
        attempt: u32,
        result: &StepResult,
        retry_at: Option<At>,
    ) {
        for artifact in &result.artifacts {
            let rest = json!({"path": artifact.path, "sha256": artifact.digest, "bytes": artifact.bytes});
            out.push(("ArtifactReady", of(instance, attempt, rest)));
        }
        if let Some(validation) = result.report.get("validation") {
            let passed =
                matches!(validation.as_str(), Some("passed" | "PASSED" | "pass")) || validation == &json!(true);
            let kind = if passed { "ValidationPassed" } else { "ValidationFailed" };
            out.push((kind, of(instance, attempt, json!({"validation": validation}))));
        }
        if let Some(evidence) = result.report.get("evidence") {
            out.push(("EvidenceRecorded", of(instance, attempt, json!({"evidence": evidence}))));
        }
        if retry_at.is_some() {
            return;
        }
        self.begun.remove(instance);
        let rest = json!({"status": result.status.word(), "duration_ms": result.duration_ms, "error": result.error});
        let failed = result.status == ExecutionStatus::Failed;
        let kind = if failed {
            "WorkflowStepFailed"
        } else {
            "WorkflowStepCompleted"
        };
        out.push((kind, of(instance, attempt, rest)));
    }

    fn line(&self, stored: &Stored, i: usize, kind: &str, rest: Value) -> Value {
        let timestamp = rfc3339(stored.at);
        let mut payload = Map::new();
        payload.insert("run_id".to_owned(), json!(self.run));
        payload.insert("timestamp".to_owned(), json!(timestamp));
        payload.insert("workflow_id".to_owned(), json!(self.workflow));
        if let Value::Object(rest) = rest {
            payload.extend(rest);
        }
        // One event can be several lines: the id stays unique and sorts in order.
        let id = format!("{}:{:06}.{i}", self.run, stored.seq);
        json!({"id": id, "type": kind, "timestamp": timestamp, "payload": payload})
    }
}

/// The step a line is about, before the rest of its payload; attempt 0 = no attempt.
fn of(instance: &Instance, attempt: u32, rest: Value) -> Value {
    let mut payload = Map::new();
    payload.insert("step_id".to_owned(), json!(instance.step));
    payload.insert("visit".to_owned(), json!(instance.visit));
    if attempt > 0 {
        payload.insert("attempt".to_owned(), json!(attempt));
    }
    if let Value::Object(rest) = rest {
        payload.extend(rest);
    }
    Value::Object(payload)
}
