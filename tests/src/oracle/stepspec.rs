//! StepSpec cases that are tables: the policy of gates, the states of a step, retries, and the rules for one StepSpec. What a person
//! would write is written, read by the dialect and by `gatehouse.yaml`'s reader, and judged by the engine.

use super::Context;
use super::case::{Case, Fault};
use super::flow::same;
use crate::project::Project;
use dialect::{Document, stepspec};
use engine::{At, Command, Cursor, ExecutionStatus, Intent, StepResult, decide};
use model::Step;
use runtime::config::Config;
use runtime::{Driver, Options, StartRequest};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;
use store::Store;

/// A workflow of these steps as a file has it.
pub fn text(top: &Value, steps: &[Value]) -> String {
    let mut file = top.as_object().cloned().unwrap_or_default();
    file.insert("format".to_owned(), json!("stepspec"));
    file.insert("steps".to_owned(), json!(steps));
    Value::Object(file).to_string()
}

/// The project's file as the case has it: what the origin keeps in a folder of its own is `gatehouse.yaml` here.
pub fn config(case: &Case) -> Result<Config, Fault> {
    let text = config_text(case.get("config"))?;
    Config::parse(Path::new(runtime::config::CONFIG_FILE), &text).map_err(|e| Fault::differs(e.to_string()))
}

/// The same as text.
pub fn config_text(config: &Value) -> Result<String, Fault> {
    match config {
        Value::Null => Ok(String::new()),
        config => serde_yaml::to_string(config).map_err(|e| Fault::differs(e.to_string())),
    }
}

/// The only step of a document.
fn only_step(document: &Document) -> Result<&Step, Fault> {
    match document.workflow().steps() {
        [step] => Ok(step),
        steps => Err(Fault::differs(format!("{} steps were read", steps.len()))),
    }
}

/// `gates.json`: whether the policy stops a run at a step, and the fixed reason.
pub fn gate(_: &Context, case: &Case) -> Result<(), Fault> {
    let mut step = Map::new();
    for field in ["id", "name"] {
        step.insert(field.to_owned(), json!("a"));
    }
    for field in ["phase", "human_gate"] {
        step.insert(field.to_owned(), case.get(field).clone());
    }
    let written = text(&json!({"workflow": case.get("workflow")}), &[Value::Object(step)]);
    let document = Document::parse("w.json", &written);
    let step = only_step(&document)?;
    let config = config(case)?;
    let verdict = config.policy.judge(step, &document.workflow().id, &config.limits);
    let answered = json!({"block": verdict.blocks, "reason": verdict.reason});
    same("the verdict", case.get("expected"), &answered)
}

/// `retry_policy.json`: how often a step that always fails is tried, and the pause between two attempts. The run is created as any
/// other; then the machine is driven without a clock: it says itself when the next attempt is due.
pub fn retry(_: &Context, case: &Case) -> Result<(), Fault> {
    let mut step = case.get("step_spec").as_object().cloned().unwrap_or_default();
    for field in ["id", "name"] {
        step.insert(field.to_owned(), json!("a"));
    }
    let (attempts, pauses) = failing(
        &text(&json!({"workflow": "w"}), &[Value::Object(step)]),
        &config_text(case.get("config"))?,
    )?;
    same("attempts", case.expected("total_attempts"), &json!(attempts))?;
    same("extra attempts", case.expected("max"), &json!(pauses.len()))?;
    let pause = case.expected("backoff_seconds").as_u64().unwrap_or_default();
    same("pauses", &json!(vec![pause * 1000; pauses.len()]), &json!(pauses))
}

/// Attempts of the first step when every one fails, and the milliseconds between them.
fn failing(workflow: &str, config: &str) -> Result<(u32, Vec<u64>), Fault> {
    const MOST: u32 = 100;
    let project = Project::new(&[(runtime::config::CONFIG_FILE, config)])?;
    let store = Arc::new(Store::open_memory().map_err(anyhow::Error::from)?);
    let driver = Driver::new(Arc::clone(&store), &project.root, Options::of("test")).map_err(anyhow::Error::from)?;
    let request = StartRequest {
        path: "w.json".to_owned(),
        source: workflow.to_owned(),
        initiator: "test".to_owned(),
        rehearse: true,
        despite_errors: true,
        ..StartRequest::default()
    };
    let run = driver.start(&request).map_err(anyhow::Error::from)?;
    let (mut state, _) = store.load(&run).map_err(anyhow::Error::from)?;
    let document = Document::parse("w.json", workflow);
    let (mut now, mut attempts, mut pauses) = (At(0), 0, Vec::new());
    while !state.status.ended() {
        let intent = match state.cursor.clone() {
            Cursor::Running { instance, attempt } if attempt < MOST => {
                attempts = attempt;
                now = At(now.0.max(state.last_at.unwrap_or_default().0));
                let result = Arc::new(StepResult::new(ExecutionStatus::Failed));
                Intent::Finish {
                    instance,
                    attempt,
                    result,
                }
            }
            Cursor::Retrying { instance, at, .. } => {
                pauses.push(at.since_ms(now));
                now = at;
                Intent::Retry { instance }
            }
            other => return Err(Fault::differs(format!("the run stands at {other:?}"))),
        };
        let decided = decide(document.workflow(), &state, &Command { at: now, intent });
        state = decided.map_err(|refusal| Fault::differs(refusal.message))?.state;
    }
    Ok((attempts, pauses))
}

/// `resume_start.json`: which steps run when a run is taken up again.
pub fn resume_start(_: &Context, case: &Case) -> Result<(), Fault> {
    let statuses = case.get("statuses").as_array().map_or(&[][..], Vec::as_slice);
    let completed: Vec<bool> = statuses.iter().map(|status| status == "completed").collect();
    let again = engine::control::resume::plan(&completed);
    let start = again.first().copied().unwrap_or(completed.len());
    same(
        "it",
        case.get("expected"),
        &json!({"start_index": start, "re_executed": again}),
    )
}

/// `transitions.json`: which moves of a step the seed allows.
pub fn transition(_: &Context, case: &Case) -> Result<(), Fault> {
    let current = case.get("current");
    let moved = engine::run_step::transition(current.as_str().unwrap_or_default(), case.text("requested"));
    let stays = current.as_str().filter(|word| !word.is_empty()).unwrap_or("pending");
    let answered = match moved {
        // To stay is no move: what was written stays as it was.
        Ok(to) if to.word() == stays => json!({"allowed": true, "error": null, "status_after": current}),
        Ok(to) => json!({"allowed": true, "error": null, "status_after": to.word()}),
        Err(error) => json!({"allowed": false, "error": error, "status_after": current}),
    };
    same("the move", case.get("expected"), &answered)
}

/// `output_placeholders.json`: what is wrong with the outputs of a step. A path that leads out is one more issue here.
pub fn outputs(_: &Context, case: &Case) -> Result<(), Fault> {
    let outputs: Vec<String> = texts(case.get("outputs"));
    let mut issues = stepspec::output_issues(&outputs);
    // Where the text is silent it is also asked whether the path stays inside.
    if case.level == super::case::Level::May {
        let leaves = outputs.iter().filter(|path| stepspec::leaves(path));
        issues.extend(leaves.map(|path| format!("output path leads out of its folder: {path}")));
    }
    let answered = json!({"ok": issues.is_empty(), "issues": issues});
    same("it", case.get("expected"), &answered)
}

/// `step_spec_schema.json`: which fields break the seed's form.
pub fn schema(_: &Context, case: &Case) -> Result<(), Fault> {
    errors(case, stepspec::schema_errors(case.get("step_spec")))
}

/// `evidence_schema.json`: the same for a record of evidence.
pub fn evidence_schema(_: &Context, case: &Case) -> Result<(), Fault> {
    errors(case, engine::evidence::schema_errors(case.get("record")))
}

fn errors(case: &Case, errors: Vec<String>) -> Result<(), Fault> {
    same(
        "it",
        case.get("expected"),
        &json!({"ok": errors.is_empty(), "errors": errors}),
    )
}

/// `validation_policy.json`: the checks that a policy's words ask for.
pub fn validation(_: &Context, case: &Case) -> Result<(), Fault> {
    let checks = stepspec::validation_checks(case.text("policy"));
    same("the checks", case.get("expected"), &json!(checks))
}

/// `promotion.json`: levels go up one at a time.
pub fn promotion(_: &Context, case: &Case) -> Result<(), Fault> {
    let answered = match engine::evidence::promote(case.text("current"), case.text("target")) {
        Ok(level) => json!({"ok": true, "level": level.word()}),
        Err(error) => json!({"ok": false, "error": error}),
    };
    same("it", case.get("expected"), &answered)
}

/// `wlnk.json`: assurance is the weakest record's.
pub fn weakest(_: &Context, case: &Case) -> Result<(), Fault> {
    let records = case.get("records").as_array().map_or(&[][..], Vec::as_slice);
    let scores = records.iter().map(|record| {
        let congruence = record["congruence"].as_str().unwrap_or_default();
        (
            &record["id"],
            engine::evidence::score(record["reliability"].as_f64(), congruence),
        )
    });
    let answered = match engine::evidence::weakest(scores) {
        Some((id, score)) => json!({"score": score, "weakest_id": id}),
        None => json!({"score": 0.0, "weakest_id": null}),
    };
    same("it", case.get("expected"), &answered)
}

/// `decay.json`: whether a record still holds at a moment.
pub fn decay(_: &Context, case: &Case) -> Result<(), Fault> {
    let record = case.get("record");
    let text = |field: &str| record[field].as_str().unwrap_or_default();
    let now = runtime::clock::moment(case.text("now"));
    let now = now.ok_or_else(|| Fault::differs(format!("{} is no time", case.text("now"))))?;
    let decay = studio::evidence::decay::decay(text("level"), text("valid_until"), now);
    let answered = json!({"status": decay.status.word(), "reason": decay.reason.word()});
    same("it", case.get("expected"), &answered)
}

/// The texts of a list.
pub fn texts(list: &Value) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}
