//! Step results (seed 001 "StepResult Guarantees").

use serde_json::Value;

/// Bound on a result's output, bytes: the output is strictly shorter (50 KB of 1 024).
pub const OUTPUT_LIMIT: usize = 51_200;

/// What breaks the contract in a result, as field names; empty for a valid one. `context_step_id` is the step the result
/// was asked for.
pub fn check(result: &Value, context_step_id: &str) -> Vec<&'static str> {
    let mut broken = Vec::new();
    if result.get("step_id").and_then(Value::as_str) != Some(context_step_id) {
        broken.push("step_id");
    }
    if !matches!(
        result.get("status").and_then(Value::as_str),
        Some("succeeded" | "failed" | "skipped")
    ) {
        broken.push("status");
    }
    if !result.get("duration_ms").is_some_and(Value::is_u64) {
        broken.push("duration_ms");
    }
    if result
        .get("output")
        .and_then(Value::as_str)
        .is_none_or(|o| o.len() >= OUTPUT_LIMIT)
    {
        broken.push("output");
    }
    broken
}

/// The longest beginning of `text` that is strictly shorter than `limit` bytes and ends on a character boundary.
pub fn cut(text: &str, limit: usize) -> &str {
    if text.len() < limit {
        return text;
    }
    let end = (0..limit).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
    &text[..end]
}
