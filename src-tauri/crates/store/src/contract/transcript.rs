//! Transcripts: JSON lines (seed 001 "Transcript Format").

use crate::timestamp;
use serde_json::Value;

/// What breaks the contract in one line, as field names; empty for a valid line. `$` when it is no JSON object. A blank
/// line is skipped, so it breaks nothing. Roles are not enumerated by the seed.
pub fn check(line: &str) -> Vec<&'static str> {
    if line.trim().is_empty() {
        return Vec::new();
    }
    let Ok(Value::Object(line)) = serde_json::from_str::<Value>(line) else {
        return vec!["$"];
    };
    let mut broken = Vec::new();
    if line
        .get("timestamp")
        .and_then(Value::as_str)
        .and_then(timestamp::parse)
        .is_none()
    {
        broken.push("timestamp");
    }
    let given = |field: &str| line.get(field).is_some_and(|v| !v.is_null());
    let kind = line.get("type").and_then(Value::as_str);
    match (kind, line.get("role").and_then(Value::as_str)) {
        (Some("tool_use"), _) => {
            broken.extend(["tool", "input"].into_iter().filter(|f| !line.contains_key(*f)));
        }
        (Some("tool_result"), _) => {
            broken.extend(
                ["tool", "success", "output"]
                    .into_iter()
                    .filter(|f| !line.contains_key(*f)),
            );
        }
        (_, Some(_)) if !given("content") => broken.push("content"),
        (_, Some(_)) | (Some(_), None) => {}
        (None, None) => broken.push("role"),
    }
    broken
}
