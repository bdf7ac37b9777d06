//! Guardrails: what goes into a step, and what comes out of it.

use super::collect::LIMIT;
use super::{Attempt, blocking};
use crate::entered;
use crate::executor::Execution;
use engine::{GuardrailReport, Violation};
use guardrail::{Found, Report, Rules, Stage, Status, check};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

/// Files beyond this are no texts that a rule could read to its end in the time of a step.
const LARGEST_TEXT: usize = 4 * 1024 * 1024;

/// What is looked at, by name.
#[derive(Default)]
struct Payload {
    texts: Map<String, Value>,
    /// What is too long for that: paths and bytes.
    unread: Vec<(String, u64)>,
}

/// Checks what goes into the step: its inputs, the run's answers and the arguments of its tools.
///
/// # Errors
/// Why it must not begin.
pub(super) async fn inputs(attempt: &mut Attempt) -> Result<(), String> {
    let care = &attempt.job.care;
    if !care.toolbox.settings.guardrails.is_on(Stage::Inputs) {
        return Ok(());
    }
    let calls: Vec<Value> = care.step.tools.iter().map(|call| call.args.clone()).collect();
    let mut payload = Payload {
        texts: care.step.parameters.clone().into_iter().collect(),
        ..Payload::default()
    };
    if !care.inputs.is_empty() {
        beside(&mut payload.texts, "run", json!(care.inputs));
    }
    if !calls.is_empty() {
        beside(&mut payload.texts, "tools", Value::Array(calls));
    }
    report(attempt, Stage::Inputs, payload).await
}

/// Checks what the step made and said.
///
/// # Errors
/// Why its outputs are not taken.
pub(super) async fn outputs(attempt: &mut Attempt) -> Result<(), String> {
    let (found, execution) = (&attempt.found, &attempt.execution);
    if !attempt.job.care.toolbox.settings.guardrails.is_on(Stage::Outputs) {
        return Ok(());
    }
    let mut payload = Payload {
        unread: found.too_large.clone(),
        ..Payload::default()
    };
    for (artifact, bytes) in found.artifacts.iter().zip(&found.blobs) {
        match bytes.len() > LARGEST_TEXT {
            true => payload.unread.push((artifact.path.clone(), artifact.bytes)),
            // What is no text may hold one.
            false => drop(
                payload
                    .texts
                    .insert(artifact.path.clone(), String::from_utf8_lossy(bytes).into()),
            ),
        }
    }
    beside(&mut payload.texts, "output", execution.output.as_str().into());
    // The name of a file is kept as long as what stands in it.
    let paths = found.artifacts.iter().map(|artifact| artifact.path.as_str());
    let paths: Vec<&str> = paths.chain(execution.made.iter().map(String::as_str)).collect();
    if !paths.is_empty() {
        beside(&mut payload.texts, "files", json!(paths));
    }
    // What an agent reports, and another one after it again, is kept all the same.
    let parts = execution.parts.iter().map(|part| &part.execution);
    let whole = std::iter::once(execution).filter(|_| execution.parts.is_empty());
    parts.chain(whole).for_each(|one| reported(&mut payload.texts, one));
    report(attempt, Stage::Outputs, payload).await
}

/// Checks what is recorded of an attempt that failed before its outputs were looked at: what it said and reported, and why it failed.
/// What is found stands behind that reason, or in its place where the reason itself holds it.
pub(super) async fn failed(attempt: &mut Attempt) {
    let Err(found) = outputs(attempt).await else { return };
    let rules = &attempt.job.care.toolbox.settings.guardrails;
    let is_blocked = |why: &String| {
        let report = check(Stage::Outputs, &json!({"error": why}), rules);
        report.is_some_and(|report| report.status == Status::Failed)
    };
    let why = attempt.execution.error.take().filter(|why| !is_blocked(why));
    attempt.execution.error = Some(match why {
        Some(why) => format!("{why}; {found}"),
        None => found,
    });
}

/// Adds all that a report holds, wherever it is kept.
fn reported(texts: &mut Map<String, Value>, execution: &Execution) {
    let tools = execution.tools.iter();
    let tools = tools.map(|call| json!({"tool": call.tool, "input": call.input, "output": call.output}));
    for (name, said) in [
        ("report", json!(execution.report)),
        ("transcript", json!(execution.transcript)),
        ("tools", tools.collect()),
    ] {
        let keys = keys(&said);
        if !keys.is_empty() {
            beside(texts, &format!("{name} keys"), json!(keys));
        }
        if said != json!([]) && said != json!({}) {
            beside(texts, name, said);
        }
    }
    if let Some(error) = &execution.error {
        beside(texts, "error", error.as_str().into());
    }
    if let Some(answered) = &execution.answered {
        beside(texts, "model", json!([answered.provider, answered.model]));
    }
}

/// Every key in a value, each once: rules take keys for names of ours, and an agent chooses those of what it says.
fn keys(value: &Value) -> BTreeSet<&str> {
    let (mut keys, mut open) = (BTreeSet::new(), vec![value]);
    while let Some(next) = open.pop() {
        match next {
            Value::Array(items) => open.extend(items),
            Value::Object(map) => {
                keys.extend(map.keys().map(String::as_str));
                open.extend(map.values());
            }
            _ => {}
        }
    }
    keys
}

/// Adds what has a name of ours; a file or an input of that name is looked at too.
fn beside(payload: &mut Map<String, Value>, name: &str, value: Value) {
    let value = match payload.remove(name) {
        Some(theirs) => json!([theirs, value]),
        None => value,
    };
    payload.insert(name.to_owned(), value);
}

async fn report(attempt: &mut Attempt, stage: Stage, payload: Payload) -> Result<(), String> {
    let care = &attempt.job.care;
    let rules = care.toolbox.settings.guardrails.clone();
    let look = move |_: &AtomicBool| {
        let report = check(stage, &Value::Object(payload.texts), &rules);
        Ok(report.map(|report| report.unread(&payload.unread, &rules)))
    };
    let report = match care.is_scripted() {
        true => look(&AtomicBool::new(false))?,
        false => blocking("the guardrails could not look at it", LIMIT, &attempt.sink, look).await?,
    };
    let Some(report) = report else {
        return Ok(());
    };
    let failed = (report.status == Status::Failed).then(|| sentence(&report, &care.asked));
    if report.status == Status::Warned {
        for unread in report.violations.iter().filter(|violation| violation.rule == "unread") {
            let said = format!("the guardrails: {} has {}", unread.source, unread.shown);
            attempt.sink.remark(&said);
        }
    }
    attempt.held.guardrails.push(recorded(report));
    failed.map_or(Ok(()), Err)
}

/// What the rules say of a text that somebody tries: a report for each end of a step at which anything is looked for.
pub fn tried_text(text: &str, rules: &Rules) -> Vec<GuardrailReport> {
    let payload = Value::from(text);
    let reports = [Stage::Inputs, Stage::Outputs].map(|stage| check(stage, &payload, rules));
    reports.into_iter().flatten().map(recorded).collect()
}

/// As the log keeps it.
fn recorded(report: Report) -> GuardrailReport {
    GuardrailReport {
        stage: report.stage.word().into(),
        status: report.status.word().into(),
        violations: report
            .violations
            .into_iter()
            .map(|v| Violation {
                kind: v.kind.word().into(),
                rule: v.rule,
                found: v.shown,
                source: v.source,
                action: v.action.word().into(),
            })
            .collect(),
    }
}

/// Why a step is stopped, in words. `asked`: the run's questions, by their names. What an answer holds, and an input that repeats it, is said
/// once, of the question.
fn sentence(report: &Report, asked: &BTreeMap<String, String>) -> String {
    let blocking = || {
        report
            .violations
            .iter()
            .filter(|v| v.action == guardrail::Action::Block)
    };
    let question = |v: &guardrail::Violation| {
        let name = v
            .source
            .strip_prefix("run.")
            .filter(|_| report.stage == Stage::Inputs)?;
        asked.get(name)
    };
    let answered: Vec<&Found> = blocking().filter(|v| question(v).is_some()).map(|v| &v.found).collect();
    let what: Vec<String> = blocking()
        .filter(|v| question(v).is_some() || !answered.contains(&&v.found))
        .take(3)
        .map(|v| {
            let place = match (question(v), v.source.as_str()) {
                (Some(label), _) => format!("“{label}”"),
                (None, "") if report.stage == Stage::Inputs => "what goes in".to_owned(),
                (None, "") => "what came out".to_owned(),
                (None, source) => format!("`{source}`"),
            };
            format!("{place} {}", entered::says(v))
        })
        .collect();
    what.join("; ")
}

#[cfg(test)]
mod tests {
    use guardrail::{Action, Kind, Stage, Status};

    #[test]
    fn a_log_calls_what_was_found_as_the_guardrails_do() {
        let stages = [Stage::Inputs, Stage::Outputs].map(Stage::word);
        assert!(
            engine::GuardStage::ALL
                .iter()
                .map(engine::GuardStage::as_str)
                .eq(stages)
        );
        let statuses = [Status::Passed, Status::Warned, Status::Failed].map(Status::word);
        assert!(
            engine::GuardStatus::ALL
                .iter()
                .map(engine::GuardStatus::as_str)
                .eq(statuses)
        );
        let kinds = [
            Kind::Personal,
            Kind::Secret,
            Kind::Moderation,
            Kind::Phrase,
            Kind::Pattern,
            Kind::Size,
        ];
        assert!(
            engine::ViolationKind::ALL
                .iter()
                .map(engine::ViolationKind::as_str)
                .eq(kinds.map(Kind::word))
        );
        let actions = [Action::Block, Action::Warn].map(Action::word);
        assert!(
            engine::GuardAction::ALL
                .iter()
                .map(engine::GuardAction::as_str)
                .eq(actions)
        );
    }
}
