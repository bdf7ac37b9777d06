//! What happened around the work of an attempt, in words: tools, guardrails, validation, context (seed 000 "Execution lifecycle").

use super::{log, words};
use crate::view::FieldView;
use crate::view::Status;
use crate::view::gate::CheckView;
use crate::view::lifecycle::{ContextView, GuardFinding, GuardrailView, PassageView, ToolCallView, ValidationView};
use engine::{CheckStatus, GuardrailReport, ToolRecord, ToolStatus, Validation};
use serde_json::Value;

/// Most of what a tool answered that is shown, in characters.
const ANSWER_MOST: usize = 8_000;

/// A tool call that was made, or was not.
pub fn tool(call: &ToolRecord) -> ToolCallView {
    let was_called = matches!(call.status, ToolStatus::Completed | ToolStatus::Failed);
    let took = u64::try_from(call.ended_at.0 - call.started_at.0).ok();
    let output = readable(&call.output);
    ToolCallView {
        name: log::visible(&call.name),
        status: match call.status {
            ToolStatus::Completed => Status::Done,
            ToolStatus::Failed => Status::Failed,
            ToolStatus::Skipped => Status::Skipped,
            ToolStatus::Blocked => Status::Blocked,
        },
        words: match call.status {
            ToolStatus::Completed if call.earlier => "answered in an earlier attempt; it was not called again",
            ToolStatus::Completed => "answered",
            ToolStatus::Failed => "failed",
            ToolStatus::Skipped => "is not known here",
            ToolStatus::Blocked if call.error == "approval required" => "waits for a person",
            ToolStatus::Blocked => "may not be used here",
        }
        .to_owned(),
        risk: call.risk,
        required: call.required,
        args: readable(&call.args),
        output: match output.char_indices().nth(ANSWER_MOST) {
            Some((end, _)) => format!("{}…", &output[..end]),
            None => output,
        },
        error: Some(log::plain(&call.error)).filter(|error| !error.trim().is_empty()),
        duration_ms: took.filter(|_| was_called && call.ended_at.0 > 0),
        earlier: call.earlier,
        gate: call.gate.clone(),
    }
}

/// Arguments and answers as a person reads them, control characters made visible; nothing and an empty block are empty.
pub fn readable(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Object(fields) if fields.is_empty() => String::new(),
        value => log::visible_text(&words::value(value)),
    }
}

/// What the guardrails of one stage say.
pub fn guardrail(report: &GuardrailReport) -> GuardrailView {
    let findings: Vec<GuardFinding> = report.violations.iter().map(finding).collect();
    let (status, words) = match (report.status.as_str(), findings.len()) {
        ("failed", n) => (
            Status::Failed,
            format!(
                "{} that may not stand there",
                words::count(n, "thing was found", "things were found")
            ),
        ),
        ("warned", n) => (
            Status::Waiting,
            format!("{} to look at", words::count(n, "thing was found", "things were found")),
        ),
        _ => (Status::Done, "nothing was found".to_owned()),
    };
    GuardrailView {
        name: match report.stage.as_str() {
            "inputs" => "What goes in".to_owned(),
            "outputs" => "What comes out".to_owned(),
            other => log::visible(other),
        },
        status,
        words,
        findings,
    }
}

fn finding(violation: &engine::Violation) -> GuardFinding {
    GuardFinding {
        kind: match violation.kind.as_str() {
            "pii" => "personal data".to_owned(),
            "secret" => "a secret".to_owned(),
            "moderation" => "a word of the moderation list".to_owned(),
            "rules_blocklist" => "a word that the project's rules forbid".to_owned(),
            "rules_pattern" => "a pattern that the project's rules forbid".to_owned(),
            "size" => "too much text".to_owned(),
            other => log::visible(&other.replace('_', " ")),
        },
        rule: log::visible(&violation.rule),
        found: log::visible(&violation.found),
        source: log::visible(&violation.source),
        blocks: violation.action != "warn",
    }
}

/// What validation came to; a check without a runner is no pass, and says which is missing.
pub fn validation(validation: &Validation) -> ValidationView {
    let count = |status| validation.checks.iter().filter(|check| check.status == status).count();
    let (failed, absent) = (count(CheckStatus::Failed), count(CheckStatus::Absent));
    let all = validation.checks.len();
    let mut parts = vec![match (failed, count(CheckStatus::Passed)) {
        (0, 0) => "nothing was checked".to_owned(),
        (0, passed) => format!("{} passed", words::count(passed, "check", "checks")),
        (failed, _) => format!("{failed} of {} failed", words::count(all, "check", "checks")),
    }];
    if absent > 0 {
        parts.push(format!(
            "{} not be made",
            if absent == 1 { "1 could" } else { "some could" }
        ));
    }
    ValidationView {
        policy: log::visible(&validation.policy),
        passed: validation.passed,
        words: parts.join(", "),
        checks: validation.checks.iter().map(check).collect(),
    }
}

fn check(check: &engine::CheckRecord) -> CheckView {
    let name = format!("{} of {}", check_words(&check.check), check.target);
    let line = check.line.map(|line| format!("line {line}: ")).unwrap_or_default();
    CheckView {
        name: log::visible(&name),
        status: match check.status {
            CheckStatus::Passed => Status::Done,
            CheckStatus::Failed => Status::Failed,
            CheckStatus::Absent => Status::Skipped,
        },
        detail: match check.status {
            CheckStatus::Absent if check.message.trim().is_empty() => "its runner is not on this machine".to_owned(),
            _ => log::plain(&format!("{line}{}", check.message)).trim().to_owned(),
        },
    }
}

fn check_words(check: &str) -> String {
    match check {
        "json" => "JSON".to_owned(),
        "yaml" => "YAML".to_owned(),
        "schema" => "Schema".to_owned(),
        "template" => "Template".to_owned(),
        "ast" => "Syntax".to_owned(),
        "typecheck" => "Types".to_owned(),
        "lint" => "Style".to_owned(),
        other => other.to_owned(),
    }
}

/// What was looked up for the agent. The payload is a block whose lists of blocks are what was found; whatever else stands in it is
/// shown as it is.
pub fn context(value: &Value) -> Option<ContextView> {
    let fields = value.as_object().filter(|fields| !fields.is_empty())?;
    let mut said = Vec::new();
    let mut passages = Vec::new();
    for (name, value) in fields {
        match value {
            Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_object) => {
                passages.extend(items.iter().map(|item| passage(name, item)));
            }
            Value::Null => {}
            value => said.push(FieldView {
                name: name.replace('_', " "),
                value: readable(value),
            }),
        }
    }
    said.retain(|field| !field.value.is_empty());
    let tokens: u64 = passages.iter().filter_map(|passage| passage.tokens).sum();
    let mut words = words::count(passages.len(), "passage", "passages");
    if tokens > 0 {
        words.push_str(&format!(", {tokens} tokens"));
    }
    Some(ContextView {
        words,
        fields: said,
        passages,
    })
}

fn passage(list: &str, item: &Value) -> PassageView {
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| item.get(name).and_then(Value::as_str));
        found.map(log::visible_text).unwrap_or_default()
    };
    let title = text(&["title", "source", "path", "id", "method", "name"]);
    let body = text(&["text", "content", "summary", "value"]);
    PassageView {
        title: if title.is_empty() {
            list.replace('_', " ")
        } else {
            title
        },
        tier: text(&["tier", "kind"]),
        tokens: item.get("tokens").and_then(Value::as_u64),
        text: if body.is_empty() { readable(item) } else { body },
    }
}
