//! `tool_results.json`: every explicit tool call of every attempt, with what came of it (seed 000 "Tool calls").

use super::Record;
use crate::rfc3339;
use engine::{At, Instance, ToolRecord, ToolStatus};
use serde_json::{Value, json};

impl Record {
    /// In the order in which they were made. A call that an earlier attempt of the visit made stands there and not
    /// again.
    pub(super) fn tool_results(&self) -> Vec<Value> {
        let each = self.calls.iter();
        each.map(|one| result(&one.instance, one.attempt, one.place, &one.call))
            .collect()
    }
}

/// A call as `tool_results.json` and the RunStep entries hold it; times only of calls that were made.
pub(super) fn call(call: &ToolRecord) -> Value {
    let made = matches!(call.status, ToolStatus::Completed | ToolStatus::Failed);
    let time = |at: At| made.then(|| rfc3339(at));
    json!({
        "name": call.name,
        "args": call.args,
        "required": call.required,
        "risk": call.risk,
        "gate": call.gate,
        "status": call.status,
        "error": (!call.error.is_empty()).then_some(&call.error),
        "output": call.output,
        "earlier_attempt": call.earlier,
        "started_at": time(call.started_at),
        "ended_at": time(call.ended_at),
    })
}

fn result(instance: &Instance, attempt: u32, n: u32, record: &ToolRecord) -> Value {
    let mut out = call(record);
    if let Value::Object(out) = &mut out {
        out.remove("earlier_attempt");
        out.insert("step_id".to_owned(), json!(instance.step));
        out.insert("visit".to_owned(), json!(instance.visit));
        out.insert("attempt".to_owned(), json!(attempt));
        out.insert("call".to_owned(), json!(n));
    }
    out
}
