//! Single routing decisions: which step is next, and why.
//!
//! The later parts of the origin (spec router, graph router, handoff) put their reasons and confidences in words of their
//! own; there, the decision and its target are compared.

use super::Context;
use super::case::{Case, Fault};
use super::flow::{self, Generation, same};
use engine::{ExecutionStatus, RouteDecision, StepResult};
use serde_json::{Map, Value, json};
use store::vocabulary::stepwise::{decision_word, source_word};

/// The steps of the case flow: author, critic, done; the step under test may be the last one.
fn case_flow(routing: &Value, step: &str, is_last: bool, generation: Generation) -> Result<dialect::Document, Fault> {
    let mut tested = json!({"id": step});
    if !routing.is_null() {
        tested["routing"] = routing.clone();
    }
    let mut steps = vec![json!({"id": "author"}), tested];
    if !is_last {
        steps.push(json!({"id": "done"}));
    }
    Ok(flow::read(&flow::text("case", &steps, generation)?))
}

/// `routing_config.json`: the table of the contract.
pub fn config(_: &Context, case: &Case) -> Result<(), Fault> {
    let routing = case.get("routing");
    let step = case.text("step_id");
    let is_last = case.get("step_is_last") == &Value::Bool(true);
    let document = case_flow(routing, step, is_last, Generation::Config)?;
    let target = routing.get("loop_target").and_then(Value::as_str);
    let taken = case.get("loop_iteration").as_u64().unwrap_or(0);
    let loops = target.map_or_else(Default::default, |target| flow::loops(step, target, taken));

    let routed = flow::route(&document, step, &config_result(case), &loops)?;
    let answer = json!({
        "to_step": routed.to,
        "decision": decision_word(routed.decision),
        "reason": routed.reason,
        "loop_state_after": routed.loop_state,
        "receipt_routing": routed.loop_count.map(|l| json!({"loop_iteration": l.taken, "max_iterations": l.max})),
    });
    for field in ["to_step", "decision", "reason", "loop_state_after", "receipt_routing"] {
        if case.compares(field) {
            same(field, case.expected(field), &answer[field])?;
        }
    }
    Ok(())
}

/// A microloop reads the receipt. A branch without a field reads the *result's* status, which the origin lets be any word:
/// here the execution's status is one of three, and any other word is what the step reported.
fn config_result(case: &Case) -> StepResult {
    let receipt = case.get("receipt").as_object();
    let status = case.get("result_status").as_str();
    if case.get("routing").get("kind").and_then(Value::as_str) != Some("branch") {
        return flow::result(ExecutionStatus::Succeeded, receipt);
    }
    match status {
        Some("skipped") => flow::result(ExecutionStatus::Skipped, Some(&Map::new())),
        Some("failed") => flow::result(ExecutionStatus::Failed, Some(&Map::new())),
        Some("succeeded") | None => flow::result(ExecutionStatus::Succeeded, Some(&Map::new())),
        Some(word) => {
            let report = Map::from_iter([("status".to_owned(), json!(word))]);
            flow::result(ExecutionStatus::Succeeded, Some(&report))
        }
    }
}

/// `routing_driver.json`: the later driver, in its three modes; it reads no receipt.
pub fn driver(_: &Context, case: &Case) -> Result<(), Fault> {
    let routing = case.get("routing");
    let is_last = case.get("step_is_last") == &Value::Bool(true);
    let document = case_flow(routing, "critic", is_last, Generation::Config)?;
    let reported = case.get("step_result").as_object();
    let reads = routing.get("kind").and_then(Value::as_str) != Some("microloop");
    let result = flow::result(ExecutionStatus::Succeeded, reported.filter(|_| reads));
    let routed = flow::route(&document, "critic", &result, &Default::default())?;
    same(
        "decision",
        case.expected("decision"),
        &json!(decision_word(routed.decision)),
    )?;
    same("to_step", case.expected("to_step"), &json!(routed.to))?;
    same("reason", case.expected("reason"), &json!(routed.reason))?;
    same(
        "routing_source",
        case.expected("routing_source"),
        &json!(source_word(routed.source)),
    )?;
    same(
        "loop_state_after",
        case.expected("loop_state_after"),
        &json!(routed.loop_state),
    )
}

/// `navigator_candidates.json`: the ways on that a navigator chooses among.
pub fn candidates(_: &Context, case: &Case) -> Result<(), Fault> {
    let document = case_flow(case.get("routing"), "critic", false, Generation::Config)?;
    let workflow = document.workflow();
    let step = workflow
        .step(&"critic".into())
        .ok_or_else(|| Fault::differs("the dialect found no step `critic`"))?;
    let result = flow::result(ExecutionStatus::Succeeded, case.get("step_result").as_object());
    let taken = case.get("loop_iteration").as_u64().unwrap_or(0);
    let found = engine::ways::ways(step, workflow, &result, &flow::loops("critic", "author", taken));
    let found: Vec<Value> = found
        .iter()
        .map(|way| {
            json!({
                "candidate_id": way.id,
                "action": way.action,
                "target": way.to,
                "priority": way.priority,
                "is_default": way.is_default,
                "source": if way.drawn { "graph_edge" } else { "fast_path" },
            })
        })
        .collect();
    same("candidates", case.get("expected"), &json!(found))
}

/// `decision_vocabulary.json`: what a word of a routing signal means. The origin takes a word that it does not know for `advance`; here
/// such a signal does not count.
pub fn signal_word(_: &Context, case: &Case) -> Result<(), Fault> {
    let found = engine::ways::signal_word(case.text("input"));
    same("valid", case.get("valid"), &json!(found.is_some()))?;
    same("word", case.get("expected"), &json!(found))
}

/// Compares what a later part of the origin decided: the decision, and its target where it names one.
fn decided(case: &Case, routed: &RouteDecision) -> Result<(), Fault> {
    same(
        "decision",
        case.expected("decision"),
        &json!(decision_word(routed.decision)),
    )?;
    match case.get("expected").get("to_step") {
        Some(to) => same("to_step", to, &json!(routed.to)),
        None => Ok(()),
    }
}

/// `routing_spec.json`: the spec generation. Its microloops read `status`, which spec flows write as `exit_on`.
pub fn spec(_: &Context, case: &Case) -> Result<(), Fault> {
    let config = case.get("config");
    let mut routing = config.clone();
    routing["kind"] = case.get("kind").clone();
    if let Some(values) = config.get("loop_success_values") {
        routing["exit_on"] = json!({"status": values});
    }
    let taken = case.get("iteration").as_u64().unwrap_or(0);
    let routed = spec_step(&routing, &json!({"status": case.get("status")}), taken)?;
    decided(case, &routed)
}

/// `microloop_termination_handoff.json`: when a loop of the spec generation ends.
pub fn termination(_: &Context, case: &Case) -> Result<(), Fault> {
    let config = case.get("config");
    let mut routing = json!({"kind": "microloop", "loop_target": "a", "next": "b"});
    if let Some(values) = config.get("loop_success_values") {
        // As the recorded spec flows write it.
        routing["exit_on"] = json!({"status": values, "can_further_iteration_help": false});
    }
    if let Some(max) = config.get("max_iterations") {
        routing["max_iterations"] = max.clone();
    }
    let taken = case.get("iteration").as_u64().unwrap_or(0);
    let routed = spec_step(&routing, case.get("handoff"), taken)?;
    if case.get("expected").is_null() {
        // Nothing ends the loop.
        return same("decision", &json!("loop"), &json!(decision_word(routed.decision)));
    }
    decided(case, &routed)
}

/// A step `s` among a, b, d, m in a spec flow.
fn spec_step(routing: &Value, report: &Value, taken: u64) -> Result<RouteDecision, Fault> {
    let steps: Vec<Value> = ["a", "s", "b", "d", "m"]
        .into_iter()
        .map(|id| {
            let routing = if id == "s" {
                routing.clone()
            } else {
                json!({"kind": "linear"})
            };
            json!({"id": id, "routing": routing})
        })
        .collect();
    let document = flow::read(&flow::text("case", &steps, Generation::Spec)?);
    let result = flow::result(ExecutionStatus::Succeeded, report.as_object());
    flow::route(&document, "s", &result, &flow::loops("s", "a", taken))
}

/// `conditions_cel.json`: a condition, as the first guard of a spec step. The cases give `iteration_count` with what was
/// reported.
pub fn condition(_: &Context, case: &Case) -> Result<(), Fault> {
    let condition = match case.body.get("expression") {
        Some(expression) => expression.clone(),
        None => json!({"field": case.get("field"), "operator": case.get("operator"), "value": case.get("value")}),
    };
    let routing = json!({"kind": "branch", "when": [{"condition": condition, "next": "m"}], "default": "d"});
    let routed = spec_step(&routing, case.get("context"), 0)?;
    let held = routed.to == Some("m".into());
    same("result", case.expected("result"), &json!(held))
}

/// `graph_routing.json`: a graph file. The origin has two routers that differ; the step router is the one that runs flows.
pub fn graph(context: &Context, case: &Case) -> Result<(), Fault> {
    let graph = context.file.get("graphs").and_then(|g| g.get(case.text("graph")));
    let graph = graph.ok_or_else(|| Fault::differs("the file does not hold its graph"))?;
    let document = dialect::Document::parse("case.graph.json", &graph.to_string());
    let workflow = document.workflow();
    let step = workflow
        .step(&"a".into())
        .ok_or_else(|| Fault::differs("the dialect found no node `a`"))?;
    let taken = case.get("iteration_count").as_u64().unwrap_or(0);
    let mut loops = std::collections::BTreeMap::new();
    for (target, _) in step.routing.targets().into_iter().map(|(_, to)| (to, ())) {
        loops.extend(flow::loops("a", target.as_str(), taken));
    }
    let result = flow::result(ExecutionStatus::Succeeded, case.get("step_output").as_object());
    let routed = engine::routing::route(step, workflow, &result, &loops);
    same("to", &case.get("step_router")["to"], &json!(routed.to))
}

/// One status made of those of the branches that meet.
pub fn merged_status(_: &Context, case: &Case) -> Result<(), Fault> {
    let mode = case.text("mode");
    let known = model::Merge::WORDS.iter().find(|(word, _)| *word == mode);
    let Some((_, merge)) = known else {
        return Err(Fault::differs(format!("the word `{mode}` is not known")));
    };
    let statuses = case.get("statuses").as_array().map_or(&[][..], Vec::as_slice);
    let statuses: Vec<&str> = statuses.iter().filter_map(Value::as_str).collect();
    let (found, expected) = (merge.of(&statuses), case.get("expected").as_str().unwrap_or_default());
    if found == expected {
        return Ok(());
    }
    Err(Fault::differs(format!("{found}, not {expected}")))
}
