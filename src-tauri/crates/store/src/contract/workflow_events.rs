//! The order of events in the words of seed 000 ("Events", "Allowed transitions"; CONTRACTS "StepSpec").
//!
//! A step's lines are moves: started, then completed, failed or blocked; a completed one never starts again. The run starts
//! once, and after it has ended nothing comes but that it is taken up again, or that a person raises a record of evidence.

use crate::timestamp;
use serde_json::Value;
use std::collections::BTreeMap;

/// Every broken rule, as `<index>: <what>`; the stream of a run that still goes on is held to the same rules. Empty: none.
pub fn check(events: &[Value]) -> Vec<String> {
    let mut stream = Stream::default();
    for (i, event) in events.iter().enumerate() {
        for broken in stream.next(event) {
            stream.broken.push(format!("{i}: {broken}"));
        }
    }
    stream.broken
}

#[derive(Default)]
struct Stream<'a> {
    broken: Vec<String>,
    started: bool,
    ended: bool,
    last: &'a str,
    /// How each visit of each step stands: the last of its moves.
    steps: BTreeMap<String, &'static str>,
}

impl<'a> Stream<'a> {
    fn next(&mut self, event: &'a Value) -> Vec<String> {
        let text = |value: &'a Value, field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default();
        let (kind, at) = (text(event, "type"), text(event, "timestamp"));
        let payload = &event["payload"];
        let mut broken = Vec::new();
        if text(payload, "run_id").is_empty() {
            broken.push("payload.run_id is missing".to_owned());
        }
        if timestamp::strict(text(payload, "timestamp")).is_none() {
            broken.push("payload.timestamp is no ISO 8601 time".to_owned());
        }
        if at < self.last {
            broken.push(format!("{at} comes after {}", self.last));
        }
        self.last = at;
        match kind {
            "WorkflowStarted" if self.started => broken.push("WorkflowStarted comes twice".to_owned()),
            "WorkflowStarted" => self.started = true,
            _ if !self.started => broken.push(format!("{kind} comes before WorkflowStarted")),
            "WorkflowResumed" => self.ended = false,
            "EvidencePromoted" => {}
            _ if self.ended => broken.push(format!("{kind} comes after the end")),
            "WorkflowCompleted" | "WorkflowFailed" => self.ended = true,
            _ => {}
        }
        broken.extend(self.moved(kind, payload));
        broken
    }

    fn moved(&mut self, kind: &str, payload: &Value) -> Option<String> {
        let to = match kind {
            "WorkflowStepStarted" => "running",
            "WorkflowStepCompleted" => "completed",
            "WorkflowStepFailed" => "failed",
            "WorkflowStepBlocked" => "blocked",
            _ => return None,
        };
        let visit = format!("{} {} {}", payload["step_id"], payload["visit"], payload["path"]);
        let from = self.steps.insert(visit.clone(), to).unwrap_or("pending");
        engine::run_step::transition(from, to)
            .err()
            .or_else(|| (from == to).then(|| format!("{to} again")))
            .map(|broken| format!("step {visit}: {broken}"))
    }
}
