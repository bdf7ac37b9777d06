//! The transcript of an attempt: JSON lines, each with a timestamp and a role or type (seed 001 "Transcript Format").

use crate::brief::Brief;
use crate::executor::Execution;
use engine::At;
use serde_json::{Map, Value, json};
use store::rfc3339;

/// Whose line it is where a person carried a step out.
pub(crate) const PERSON: &str = "person";

/// What was said, from brief to answer, as it is stored.
pub(crate) fn lines(brief: &Brief, execution: &Execution, output: &str, started: At, ended: At) -> Vec<u8> {
    let (start, end) = (rfc3339(started), rfc3339(ended));
    let mut all = Vec::new();
    let own = &execution.transcript;
    // A program that quotes its own instructions is not told them twice, and a person was shown another page.
    let begins = own.first().and_then(|line| line.get("role")).and_then(Value::as_str);
    if !matches!(begins, Some("system" | PERSON)) {
        all.push(json!({"timestamp": start, "role": "system", "content": brief.system}));
        all.push(json!({"timestamp": start, "role": "user", "content": brief.prompt}));
    }
    if own.is_empty() {
        for tool in &execution.tools {
            let (called, answered) = (rfc3339(tool.started_at), rfc3339(tool.ended_at));
            all.push(json!({"timestamp": called, "type": "tool_use", "tool": tool.tool, "input": tool.input}));
            all.push(json!({
                "timestamp": answered, "type": "tool_result", "tool": tool.tool, "success": tool.success,
                "output": tool.output
            }));
        }
        all.push(json!({"timestamp": end, "role": "assistant", "content": output}));
    } else {
        all.extend(own.iter().map(|line| whole(line, &end)));
    }
    let mut bytes = Vec::new();
    for line in all {
        bytes.extend_from_slice(line.to_string().as_bytes());
        bytes.push(b'\n');
    }
    bytes
}

/// A program's own line with everything that a line must have.
fn whole(line: &Value, now: &str) -> Value {
    let mut fields = match line {
        Value::Object(fields) => fields.clone(),
        Value::String(text) => Map::from_iter([("content".to_owned(), text.as_str().into())]),
        other => Map::from_iter([("content".to_owned(), other.to_string().into())]),
    };
    if !fields.get("role").or(fields.get("type")).is_some_and(Value::is_string) {
        fields.insert("role".to_owned(), "assistant".into());
    }
    if fields.contains_key("role") && !fields.contains_key("content") {
        fields.insert("content".to_owned(), "".into());
    }
    let timestamp = match fields.shift_remove("timestamp") {
        Some(Value::String(text)) if chrono::DateTime::parse_from_rfc3339(&text).is_ok() => text,
        _ => now.to_owned(),
    };
    let mut out = Map::from_iter([("timestamp".to_owned(), timestamp.into())]);
    out.extend(fields);
    Value::Object(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_programs_lines_are_completed() {
        for (line, expected) in [
            (
                json!("hello"),
                json!({"timestamp": "T", "content": "hello", "role": "assistant"}),
            ),
            (
                json!({"type": "tool_use", "tool": "Read"}),
                json!({"timestamp": "T", "type": "tool_use", "tool": "Read"}),
            ),
            (
                json!({"role": "user"}),
                json!({"timestamp": "T", "role": "user", "content": ""}),
            ),
            (
                json!({"role": "user", "content": "x", "timestamp": "2025-01-15T10:00:00Z"}),
                json!({"timestamp": "2025-01-15T10:00:00Z", "role": "user", "content": "x"}),
            ),
            (json!(3), json!({"timestamp": "T", "content": "3", "role": "assistant"})),
        ] {
            assert_eq!(whole(&line, "T"), expected);
        }
    }
}
