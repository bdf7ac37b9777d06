//! One receipt (seed 001 "Receipt Schema").

use super::attempts::{Attempt, Outcome};
use crate::rfc3339;
use crate::vocabulary::stepwise::decision_word;
use engine::{ExecutionStatus, RunCreated, Tokens};
use serde_json::{Map, Value, json};

/// The receipt of an attempt. `transcript_path` is relative to the flow's folder, as the originals write it.
///
/// What the agent reported is under `report`, so that it can never overwrite what was measured; `visit`, `attempt` and
/// what else the contract does not know stand beside its fields, which it allows.
pub(super) fn receipt(created: &RunCreated, attempt: &Attempt, transcript_path: &str) -> Value {
    let started = &attempt.started;
    let engine = attempt.engine();
    let (status, error, duration_ms, tokens) = match &attempt.outcome {
        Outcome::Ended(result) => {
            let error = match result.status {
                ExecutionStatus::Failed => Some(result.error.as_deref().unwrap_or("the step failed")),
                _ => None,
            };
            (result.status.word(), error, result.duration_ms, result.tokens)
        }
        Outcome::Interrupted(reason) => {
            let elapsed = attempt.ended_at.since_ms(attempt.started_at);
            ("failed", Some(reason.as_str()), elapsed, Tokens::default())
        }
    };
    let mut receipt = Map::new();
    let mut set = |field: &str, value: Value| {
        receipt.insert(field.to_owned(), value);
    };
    // What is configured says nothing about who answered: that is told by what answered.
    let (provider, model) = match &attempt.outcome {
        Outcome::Ended(result) => result.answered.as_ref().map(|by| (&by.provider, &by.model)),
        Outcome::Interrupted(_) => None,
    }
    .unwrap_or((&engine.provider, &engine.model));
    if created.is_rehearsal() {
        set("rehearsal", json!(true));
    }
    set("engine", json!(engine.engine));
    set("mode", json!(engine.mode));
    set("provider", json!(provider));
    set("model", json!(model));
    let (flow, step) = attempt.in_flow(created);
    set("step_id", json!(step));
    set("flow_key", json!(flow));
    set("run_id", json!(created.run_id));
    set("agent_key", json!(attempt.agent()));
    set("started_at", json!(rfc3339(attempt.started_at)));
    set("completed_at", json!(rfc3339(attempt.ended_at)));
    set("duration_ms", json!(duration_ms));
    set("status", json!(status));
    set("tokens", json!(tokens));
    set("transcript_path", json!(transcript_path));
    set("visit", json!(started.instance.visit));
    set("attempt", json!(started.attempt));
    if let Some(error) = error {
        set("error", json!(error));
    }
    if !started.instance.path.is_empty() {
        set("path", json!(started.instance.path));
    }
    if started.agents.len() > 1 {
        set("agents", json!(started.agents));
    }
    if !started.comments.is_empty() {
        set("comments", json!(started.comments));
    }
    if let Some(routing) = &attempt.routing {
        let decided = routing.decided.as_ref();
        let (decision, reason) =
            decided.map_or(("pending", ""), |(decision, reason)| (decision_word(*decision), reason));
        let routing = json!({
            "loop_iteration": routing.loop_iteration,
            "max_iterations": routing.max_iterations,
            "decision": decision,
            "reason": reason,
        });
        set("routing", routing);
    }
    if let Outcome::Ended(result) = &attempt.outcome {
        if !result.report.is_empty() {
            set("report", json!(result.report));
        }
        if !result.receipt_readable {
            set("report_readable", json!(false));
        }
        if !result.artifacts.is_empty() {
            set("artifacts", json!(result.artifacts));
        }
    }
    Value::Object(receipt)
}
