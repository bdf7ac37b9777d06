//! StepSpec cases about what is done around a step's work, the clock and the guardrails, and about what is put down of it.

use super::Context;
use super::case::{Case, Fault};
use super::flow::same;
use crate::project::Project;
use guardrail::{Rules, Stage, check};
use permission::Policy;
use regex::Regex;
use serde_json::{Value, json};
use tool::Registry;

/// `get_current_time.json`: the form of what the tool answers.
pub fn current_time(context: &Context, case: &Case) -> Result<(), Fault> {
    let project = Project::new(&[])?;
    let around = tool::Context::new(&project.root, Policy::default(), "oracle");
    let registry = Registry::built_in();
    let call = registry.call("getCurrentTime", case.get("args"), &around, std::future::pending());
    let outcome = context.runtime.block_on(call);
    same("ok", case.expected("ok"), &json!(outcome.is_completed()))?;
    let said = outcome.output.as_str().unwrap_or_default();
    let form = Regex::new(case.expected("regex").as_str().unwrap_or_default()).map_err(anyhow::Error::from)?;
    if !form.is_match(said) {
        return Err(Fault::differs(format!("{said} has another form than {form}")));
    }
    Ok(())
}

/// `guardrails.json`: what is found in a payload, and where. The origin keeps what it found word for word.
pub fn guardrail(_: &Context, case: &Case) -> Result<(), Fault> {
    let rules = Rules::read(case.get("guardrails")).map_err(|e| Fault::differs(e.to_string()))?;
    let stage = match case.text("stage") {
        "inputs" => Stage::Inputs,
        _ => Stage::Outputs,
    };
    let answered = match check(stage, case.get("payload"), &rules) {
        None => Value::Null,
        Some(report) => {
            let violations = report
                .violations
                .iter()
                .map(|v| json!({"type": v.kind.word(), "rule": v.rule, "match": v.found.reveal(), "source": v.source}));
            let violations: Vec<Value> = violations.collect();
            json!({"stage": report.stage.word(), "status": report.status.word(), "violations": violations})
        }
    };
    same("the report", case.get("expected"), &answered)
}

/// `timeline_order.json`: which entry of a timeline stands where.
pub fn timeline(_: &Context, case: &Case) -> Result<(), Fault> {
    let mut entries = case.get("entries").as_array().cloned().unwrap_or_default();
    store::rundir::in_order(&mut entries);
    let order: Vec<&Value> = entries.iter().map(|entry| &entry["id"]).collect();
    same("the order", case.expected("order"), &json!(order))
}

/// `artifact_ids.json`: the id of a version of a file.
pub fn artifact_id(_: &Context, case: &Case) -> Result<(), Fault> {
    let id = store::rundir::artifact_id(case.text("path"), case.text("checksum"), case.text("type"));
    same("the id", case.expected("artifact_id"), &json!(id))
}
