//! Guardrails: what goes into a step, and what comes out of it.

use super::Attempt;
use engine::{GuardrailReport, Violation};
use guardrail::{Report, Stage, Status, check};
use serde_json::{Map, Value, json};

/// Files beyond this are no texts that a rule could read to its end in the time of a step.
const LARGEST_TEXT: usize = 4 * 1024 * 1024;

/// Checks what goes into the step: its inputs, the run's answers and the arguments of its tools.
///
/// # Errors
/// Why it must not begin.
pub(super) fn inputs(attempt: &mut Attempt) -> Result<(), String> {
    let care = &attempt.job.care;
    if !care.toolbox.settings.guardrails.is_on(Stage::Inputs) {
        return Ok(());
    }
    let calls: Vec<Value> = care.step.tools.iter().map(|call| call.args.clone()).collect();
    let mut payload: Map<String, Value> = care.step.parameters.clone().into_iter().collect();
    if !care.inputs.is_empty() {
        beside(&mut payload, "run", json!(care.inputs));
    }
    if !calls.is_empty() {
        beside(&mut payload, "tools", Value::Array(calls));
    }
    report(attempt, Stage::Inputs, &Value::Object(payload))
}

/// Checks what the step made and said.
///
/// # Errors
/// Why its outputs are not taken.
pub(super) fn outputs(attempt: &mut Attempt) -> Result<(), String> {
    let (found, execution) = (&attempt.found, &attempt.execution);
    if !attempt.job.care.toolbox.settings.guardrails.is_on(Stage::Outputs) {
        return Ok(());
    }
    let mut payload = Map::new();
    for (artifact, bytes) in found.artifacts.iter().zip(&found.blobs) {
        if let Ok(text) = std::str::from_utf8(bytes)
            && text.len() <= LARGEST_TEXT
        {
            payload.insert(artifact.path.clone(), text.into());
        }
    }
    beside(&mut payload, "output", execution.output.as_str().into());
    if !execution.report.is_empty() {
        beside(&mut payload, "report", json!(execution.report));
    }
    report(attempt, Stage::Outputs, &Value::Object(payload))
}

/// Adds what has a name of ours; a file or an input of that name is looked at too.
fn beside(payload: &mut Map<String, Value>, name: &str, value: Value) {
    let value = match payload.remove(name) {
        Some(theirs) => json!([theirs, value]),
        None => value,
    };
    payload.insert(name.to_owned(), value);
}

fn report(attempt: &mut Attempt, stage: Stage, payload: &Value) -> Result<(), String> {
    let Some(report) = check(stage, payload, &attempt.job.care.toolbox.settings.guardrails) else {
        return Ok(());
    };
    let failed = (report.status == Status::Failed).then(|| sentence(&report));
    attempt.held.guardrails.push(GuardrailReport {
        stage: stage.word().to_owned(),
        status: report.status.word().to_owned(),
        violations: report
            .violations
            .into_iter()
            .map(|v| Violation {
                kind: v.kind.word().to_owned(),
                rule: v.rule,
                found: v.shown,
                source: v.source,
                action: v.action.word().to_owned(),
            })
            .collect(),
    });
    failed.map_or(Ok(()), Err)
}

fn sentence(report: &Report) -> String {
    let blocking = report.violations.iter().filter(|v| v.action.word() == "block");
    let what: Vec<String> = blocking
        .take(3)
        .map(|v| match v.source.as_str() {
            "" => format!("{} {}", v.kind.word(), v.shown),
            source => format!("{} {} in {source}", v.kind.word(), v.shown),
        })
        .collect();
    format!("guardrail failed ({}): {}", report.stage.word(), what.join("; "))
}
