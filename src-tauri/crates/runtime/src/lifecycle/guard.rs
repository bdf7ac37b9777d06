//! Guardrails: what goes into a step, and what comes out of it.

use super::Around;
use crate::artifacts::Found;
use crate::executor::Execution;
use engine::{GuardrailReport, Lifecycle, Violation};
use guardrail::{Report, Stage, Status, check};
use serde_json::{Map, Value, json};

/// Files beyond this are no texts that a rule could read to its end in the time of a step.
const LARGEST_TEXT: usize = 4 * 1024 * 1024;

/// Checks what goes into the step: its inputs, the run's answers and the arguments of its tools. `Some`: why it must not begin.
pub(super) fn inputs(around: &Around, held: &mut Lifecycle) -> Option<String> {
    let calls: Vec<Value> = around.step.tools.iter().map(|call| call.args.clone()).collect();
    let mut payload: Map<String, Value> = around.step.parameters.clone().into_iter().collect();
    if !around.inputs.is_empty() {
        payload.insert("run".to_owned(), json!(around.inputs));
    }
    if !calls.is_empty() {
        payload.insert("tools".to_owned(), Value::Array(calls));
    }
    report(around, Stage::Inputs, &Value::Object(payload), held)
}

/// Checks what the step made and said.
///
/// # Errors
/// Why its outputs are not taken.
pub(super) fn outputs(
    around: &Around,
    execution: &Execution,
    found: &Found,
    held: &mut Lifecycle,
) -> Result<(), String> {
    if !around.toolbox.settings.guardrails.is_on(Stage::Outputs) {
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
    payload.insert("output".to_owned(), execution.output.as_str().into());
    if !execution.report.is_empty() {
        payload.insert("report".to_owned(), json!(execution.report));
    }
    report(around, Stage::Outputs, &Value::Object(payload), held).map_or(Ok(()), Err)
}

fn report(around: &Around, stage: Stage, payload: &Value, held: &mut Lifecycle) -> Option<String> {
    let report = check(stage, payload, &around.toolbox.settings.guardrails)?;
    let failed = (report.status == Status::Failed).then(|| sentence(&report));
    held.guardrails.push(GuardrailReport {
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
    failed
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
