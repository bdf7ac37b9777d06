//! Receipts (seed 001 "Receipt Schema").

use super::paths::is_inside;
use crate::timestamp;
use serde_json::{Map, Value};

/// Fields that every receipt has.
pub const REQUIRED: [&str; 14] = [
    "engine",
    "mode",
    "provider",
    "model",
    "step_id",
    "flow_key",
    "run_id",
    "agent_key",
    "started_at",
    "completed_at",
    "duration_ms",
    "status",
    "tokens",
    "transcript_path",
];

const TEXTS: [&str; 7] = [
    "engine",
    "provider",
    "model",
    "step_id",
    "flow_key",
    "run_id",
    "agent_key",
];

/// The fields that break the contract, as paths (`tokens.total`), sorted; empty for a valid receipt. `$` when it is no
/// object at all. Unknown fields are allowed.
pub fn check(receipt: &Value) -> Vec<String> {
    let Value::Object(receipt) = receipt else {
        return vec!["$".to_owned()];
    };
    let mut broken: Vec<String> = Vec::new();
    let mut demand = |field: &str, holds: bool| {
        if !holds {
            broken.push(field.to_owned());
        }
    };
    for field in TEXTS {
        demand(field, text(receipt, field).is_some_and(|t| !t.is_empty()));
    }
    demand("mode", matches!(text(receipt, "mode"), Some("stub" | "sdk" | "cli")));
    // A StepResult may be skipped; a receipt may not.
    demand(
        "status",
        matches!(text(receipt, "status"), Some("succeeded" | "failed")),
    );
    for field in ["started_at", "completed_at"] {
        demand(
            field,
            text(receipt, field).is_some_and(|t| timestamp::parse(t).is_some()),
        );
    }
    demand("duration_ms", is_count(receipt.get("duration_ms")));
    match receipt.get("tokens") {
        Some(Value::Object(tokens)) => {
            for field in ["prompt", "completion", "total"] {
                demand(&format!("tokens.{field}"), is_count(tokens.get(field)));
            }
        }
        _ => demand("tokens", false),
    }
    demand(
        "transcript_path",
        text(receipt, "transcript_path").is_some_and(is_inside),
    );
    demand(
        "error",
        matches!(receipt.get("error"), None | Some(Value::Null | Value::String(_))),
    );
    match receipt.get("routing") {
        None | Some(Value::Null) => {}
        Some(Value::Object(routing)) => {
            for field in ["loop_iteration", "max_iterations"] {
                demand(&format!("routing.{field}"), is_count(routing.get(field)));
            }
            let decision = matches!(
                text(routing, "decision"),
                Some("loop" | "advance" | "terminate" | "pending")
            );
            demand("routing.decision", decision);
            demand("routing.reason", text(routing, "reason").is_some());
        }
        Some(_) => demand("routing", false),
    }
    match receipt.get("tools_allowed") {
        None | Some(Value::Null) => {}
        Some(Value::Array(tools)) => demand("tools_allowed", tools.iter().all(Value::is_string)),
        Some(_) => demand("tools_allowed", false),
    }
    broken.sort();
    broken
}

fn text<'a>(object: &'a Map<String, Value>, field: &str) -> Option<&'a str> {
    object.get(field)?.as_str()
}

/// A whole number of at least 0: `1.5`, `"5"` and `true` are none.
fn is_count(value: Option<&Value>) -> bool {
    value.is_some_and(Value::is_u64)
}
