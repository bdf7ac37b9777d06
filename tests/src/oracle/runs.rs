//! Whole runs: a recorded flow and script become a flow file and a scenario, the real driver carries them out with the stub
//! on a store of their own, and the log is rendered in the words of seed 001.

use super::Context;
use super::case::{Case, Fault};
use super::flow::{self, Generation, same};
use dialect::Document;
use engine::RunId;
use runtime::{Control, Driver, End, Options, RunWorkflow, ScenarioSource, StartRequest};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use store::{Facts, Store, contract, vocabulary};

/// What is compared of a run.
struct Outcome {
    /// In the words of seed 001.
    events: Vec<Value>,
    /// Receipts by file name, the latest of each step.
    receipts: Map<String, Value>,
}

/// `end_to_end.json`.
pub fn end_to_end(context: &Context, case: &Case) -> Result<(), Fault> {
    let steps = case.get("flow").as_array().cloned().unwrap_or_default();
    if case.body.get("end_step").is_some() {
        return Err(Fault::NotImplemented("a run cannot be told to end at a step"));
    }
    let text = flow::text("t", &steps, Generation::Config)?;
    let outcome = run(context, "t.yaml", &text, case.get("script"))?;
    ended(case, &outcome)?;
    let recorded = case.expected("events").as_array().cloned().unwrap_or_default();
    same("kinds of events", &kinds(&recorded), &kinds(&outcome.events))?;
    for (expected, answered) in recorded.iter().zip(&outcome.events) {
        payload(expected, answered)?;
    }
    let receipts = case.expected("receipts").as_object().into_iter().flatten();
    for (name, expected) in receipts {
        receipt(name, expected, outcome.receipts.get(name))?;
    }
    Ok(())
}

/// `real_flow_runs.json`.
pub fn real_flow(context: &Context, case: &Case) -> Result<(), Fault> {
    let path = case.text("flow_file");
    let file = context.folder.join(path);
    let text = std::fs::read_to_string(&file).map_err(|e| Fault::differs(format!("{}: {e}", file.display())))?;
    let outcome = run(context, path, &text, case.get("script"))?;
    ended(case, &outcome)?;
    same("kinds of events", case.expected("event_kinds"), &kinds(&outcome.events))?;
    let routes: Vec<Value> = of_kind(&outcome.events, "route_decision")
        .map(|e| json!({"from_step": e["payload"]["from_step"], "to_step": e["payload"]["to_step"], "reason": e["payload"]["reason"]}))
        .collect();
    same("route decisions", case.expected("route_decisions"), &json!(routes))
}

fn ended(case: &Case, outcome: &Outcome) -> Result<(), Fault> {
    let visited: Vec<&Value> = of_kind(&outcome.events, "step_start").map(|e| &e["step_id"]).collect();
    same("visited", case.expected("visited"), &json!(visited))?;
    let end = of_kind(&outcome.events, "run_completed").next().map(|e| &e["payload"]);
    let end = end.ok_or_else(|| Fault::differs("the run did not end"))?;
    same("final status", case.expected("final_status"), &end["status"])?;
    same("error", case.expected("error"), &end["error"])
}

/// Every recorded field of a payload, but for who carried the run out. Of a failed run the origin counts the failed
/// execution as completed; the seed's word is about steps that were, so there the count is not compared.
fn payload(expected: &Value, answered: &Value) -> Result<(), Fault> {
    let kind = expected["kind"].as_str().unwrap_or_default();
    let failed = kind == "run_completed" && expected["payload"]["status"] == "failed";
    same(&format!("step of {kind}"), &expected["step_id"], &answered["step_id"])?;
    for (field, value) in expected["payload"].as_object().into_iter().flatten() {
        let ours = matches!(field.as_str(), "engine" | "backend" | "initiator" | "duration_ms");
        if ours || (failed && field == "steps_completed") {
            continue;
        }
        same(&format!("{field} of {kind}"), value, &answered["payload"][field])?;
    }
    if kind == "route_decision" && !answered["payload"]["routing_source"].is_string() {
        return Err(Fault::differs("a route_decision has no routing_source"));
    }
    Ok(())
}

/// The receipt of a step's latest execution. The origin lets what was reported overwrite the receipt's own status; here it
/// stands under `report`.
fn receipt(name: &str, expected: &Value, answered: Option<&Value>) -> Result<(), Fault> {
    let answered = answered.ok_or_else(|| Fault::differs(format!("there is no receipt {name}")))?;
    let reported = answered["report"].get("status").unwrap_or(&answered["status"]);
    if let Some(status) = expected.get("status") {
        same(&format!("status in {name}"), status, reported)?;
    }
    match expected.get("routing") {
        Some(routing) => same(&format!("routing in {name}"), routing, &answered["routing"]),
        None => Ok(()),
    }
}

fn kinds(events: &[Value]) -> Value {
    events.iter().map(|e| e["kind"].clone()).collect()
}

fn of_kind<'a>(events: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    events.iter().filter(move |e| e["kind"] == kind)
}

/// The script as a scenario.
fn scenario(script: &Value) -> Result<String, Fault> {
    let mut steps = Map::new();
    for (step, entries) in script.as_object().into_iter().flatten() {
        let entries = entries.as_array().map_or(&[][..], Vec::as_slice);
        let entries: Result<Vec<Value>, Fault> = entries.iter().map(entry).collect();
        steps.insert(step.clone(), Value::Array(entries?));
    }
    serde_yaml::to_string(&json!({"name": "recorded", "steps": steps})).map_err(|e| Fault::differs(e.to_string()))
}

fn entry(scripted: &Value) -> Result<Value, Fault> {
    let mut out = Map::new();
    for (field, value) in scripted.as_object().into_iter().flatten() {
        match field.as_str() {
            "receipt" => out.insert("report".to_owned(), value.clone()),
            "status" | "error" => out.insert(field.clone(), value.clone()),
            "no_receipt" => out.insert("receipt".to_owned(), json!("missing")),
            "corrupt" => out.insert("receipt".to_owned(), json!("unreadable")),
            "raise" => {
                out.insert("status".to_owned(), json!("failed"));
                out.insert("error".to_owned(), value.clone())
            }
            other => {
                return Err(Fault::differs(format!(
                    "the script has a field `{other}` that is not known"
                )));
            }
        };
    }
    Ok(Value::Object(out))
}

fn run(context: &Context, path: &str, text: &str, script: &Value) -> Result<Outcome, Fault> {
    let broken = |what: &str, error: &dyn std::fmt::Display| Fault::differs(format!("{what}: {error}"));
    let root = tempfile::tempdir().map_err(|e| broken("no temporary folder", &e))?;
    let store = Store::open_memory().map_err(|e| broken("no store", &e))?;
    let store = Arc::new(store);
    let options = Options {
        fast: true,
        render: None,
        ..Options::of("test")
    };
    let driver = Driver::new(Arc::clone(&store), root.path(), options).map_err(|e| broken("no driver", &e))?;
    let request = StartRequest {
        path: path.to_owned(),
        source: text.to_owned(),
        scenario: Some(ScenarioSource {
            path: "recorded.scenario.yaml".to_owned(),
            text: scenario(script)?,
        }),
        by: "oracle".to_owned(),
        initiator: "test".to_owned(),
        despite_errors: true,
        ..StartRequest::default()
    };
    let id = driver
        .start(&request)
        .map_err(|e| broken("the run was not created", &e))?;
    let driven = context.runtime.block_on(driver.drive(&id, &Control::default()));
    let (end, _) = driven.map_err(|e| broken("the run was not driven", &e))?;
    if end != End::Ended {
        return Err(Fault::differs(format!("the run did not end: {end:?}")));
    }
    rendered(&store, &id, path, text)
}

/// What the log of a run renders to; it must keep the contract's own rules, whatever was recorded.
fn rendered(store: &Store, id: &RunId, path: &str, text: &str) -> Result<Outcome, Fault> {
    let unreadable = |e: store::Error| Fault::differs(format!("the log cannot be read: {e}"));
    let facts = Facts::of(RunWorkflow::Written(Document::parse(path, text)));
    let stored = store.events(id, 0, usize::MAX).map_err(unreadable)?;
    let events = vocabulary::render(vocabulary::Vocabulary::Stepwise, id, &stored, &facts);
    let violations = contract::event_stream::check(&events);
    if !violations.is_empty() {
        return Err(Fault::differs(format!("the events break the contract: {violations:?}")));
    }
    let findings = store.verify(id).map_err(unreadable)?;
    if !findings.is_empty() {
        return Err(Fault::differs(format!("the log does not verify: {findings:?}")));
    }
    let mut receipts = Map::new();
    for (path, bytes) in store.render_run(id, &facts).map_err(unreadable)? {
        let name = path.rsplit('/').next().unwrap_or_default();
        if !path.contains("/receipts/") {
            continue;
        }
        let receipt: Value = serde_json::from_slice(&bytes).map_err(|e| Fault::differs(format!("{path}: {e}")))?;
        let broken = contract::receipt::check(&receipt);
        if !broken.is_empty() {
            return Err(Fault::differs(format!("{path} breaks the contract: {broken:?}")));
        }
        receipts.insert(name.to_owned(), receipt);
    }
    Ok(Outcome { events, receipts })
}
