//! Runbooks carried out: a result after the other through the engine, every transition compared.

use super::Context;
use super::case::{Case, Fault};
use super::flow::same;
use dialect::Document;
use engine::runbook::{Mode, aggregate};
use engine::{
    Answer, At, Command, Decision, EndStatus, Event, Instance, Intent, RouteDecision, RouteReason, RunCreated,
    RunState, RunStatus, decide,
};
use model::{Quantifier, Transition, Workflow};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// `execution_traces.json` and `recovery_traces.json`: a person says how each unit went; every transition and the end must be the recorded ones, or
/// those of another accepted reading.
pub fn trace(_: &Context, case: &Case) -> Result<(), Fault> {
    let mut readings = vec![case.get("expected").clone()];
    readings.extend(case.body.get("also_accept").cloned());
    for field in ["runbook", "runbook_transitions_last"] {
        let Some(text) = case.body.get(field).and_then(Value::as_str) else {
            continue;
        };
        let agrees = |reading: &Value| agree(reading, &played(text, &results(reading, case))?);
        let first = agrees(&readings[0]);
        if first.is_err() && readings[1..].iter().all(|reading| agrees(reading).is_err()) {
            return first;
        }
    }
    Ok(())
}

/// What is answered unit by unit. Another reading may need more answers than the recorded one: it holds them itself.
fn results(reading: &Value, case: &Case) -> String {
    let given = case.text("sequence");
    let steps = reading["steps"].as_array().map_or(&[][..], Vec::as_slice);
    let more = steps.iter().skip(given.len());
    let more = more.map(|step| if step["result"] == "PASS" { 'P' } else { 'F' });
    given.chars().chain(more).collect()
}

fn agree(reading: &Value, answered: &Value) -> Result<(), Fault> {
    let steps = reading["steps"].as_array().map_or(&[][..], Vec::as_slice);
    let made = answered["steps"].as_array().map_or(&[][..], Vec::as_slice);
    for (n, step) in steps.iter().enumerate() {
        let found = made.get(n).unwrap_or(&Value::Null);
        same(&format!("transition {}", n + 1), step, found)?;
    }
    same("the number of transitions", &json!(steps.len()), &json!(made.len()))?;
    same("the end", &reading["final"], &answered["final"])
}

fn played(text: &str, results: &str) -> Result<Value, Fault> {
    let document = Document::parse("case.runbook.md", text);
    let workflow = document.workflow();
    let mut state = RunState::default();
    let mut routes = send(workflow, &mut state, Intent::Create(Arc::new(created(workflow))))?;
    let mut steps = Vec::new();
    for result in results.chars() {
        let Some(waiting) = state.waiting() else { break };
        let opened = waiting.opened.clone();
        let answer = if result == 'P' { Answer::Pass } else { Answer::Fail };
        let decision = Decision {
            gate: opened.gate.clone(),
            round: opened.round,
            answer,
            by: "oracle".to_owned(),
            comment: String::new(),
            seen: Vec::new(),
            undrawn: Vec::new(),
            via: "test".to_owned(),
            lasting: None,
            way: None,
            report: Default::default(),
            key_name: None,
            signature: None,
        };
        routes = send(workflow, &mut state, Intent::Answer(Arc::new(decision)))?;
        let route = routes
            .pop()
            .ok_or_else(|| Fault::differs("an answer led to no route"))?;
        steps.push(transition(&route, result == 'P'));
    }
    let end = match state.status {
        RunStatus::Ended(EndStatus::Succeeded) => "COMPLETE",
        RunStatus::Ended(_) => "STOPPED",
        _ => "waiting",
    };
    drop(routes);
    Ok(json!({"steps": steps, "final": end}))
}

fn send(workflow: &Workflow, state: &mut RunState, intent: Intent) -> Result<Vec<RouteDecision>, Fault> {
    let command = Command { at: At(0), intent };
    let decided = decide(workflow, state, &command).map_err(|refusal| Fault::differs(refusal.message))?;
    *state = decided.state;
    let routed = decided.events.iter().filter_map(|event| match event {
        Event::Routed(route) => Some(RouteDecision::clone(route)),
        _ => None,
    });
    Ok(routed.collect())
}

fn transition(route: &RouteDecision, passed: bool) -> Value {
    let moved = route.runbook.as_deref().cloned().unwrap_or_default();
    let action = match &route.reason {
        RouteReason::Outcome { moved, .. } => moved.to_string(),
        RouteReason::Jump(to) => to.to_string(),
        _ => String::new(),
    };
    let mut out = Map::new();
    out.insert("result".to_owned(), json!(if passed { "PASS" } else { "FAIL" }));
    out.insert("from".to_owned(), position(&route.from));
    out.insert("action".to_owned(), json!(action));
    match &route.to {
        Some(step) => {
            let instance = Instance {
                step: step.clone(),
                visit: 1,
                path: moved.path,
            };
            out.insert("to".to_owned(), position(&instance));
        }
        None => {
            out.insert(
                "status".to_owned(),
                json!(if moved.stopped { "STOPPED" } else { "COMPLETE" }),
            );
            if let Some(message) = moved.message {
                out.insert("message".to_owned(), json!(message));
            }
        }
    }
    Value::Object(out)
}

/// A place as the recordings write it: step, instance of `{N}`, substep, instance of `{n}`.
fn position(instance: &Instance) -> Value {
    let id = instance.step.as_str();
    let (step, substep) = id
        .split_once('.')
        .map_or((id, None), |(step, substep)| (step, Some(substep)));
    let mut path = instance.path.iter();
    let mut out = Map::new();
    out.insert("step".to_owned(), json!(step));
    if step == "{N}" {
        out.extend(path.next().map(|n| ("instance".to_owned(), json!(n))));
    }
    if let Some(substep) = substep {
        out.insert("substep".to_owned(), json!(substep));
        if substep == "{n}" {
            out.extend(path.next().map(|n| ("substep_instance".to_owned(), json!(n))));
        }
    }
    Value::Object(out)
}

/// A run in which a person is asked for every unit.
fn created(workflow: &Workflow) -> RunCreated {
    RunCreated {
        prompted: true,
        ..RunCreated::new("case", workflow, "case.runbook.md", "0", "test")
    }
}

/// `aggregation.json`: the outcome of a parent from those of its units. Early decisions are allowed where recorded so.
pub fn aggregation(_: &Context, case: &Case) -> Result<(), Fault> {
    let words = case.text("modifiers");
    if case.expected("parse_error").is_string() {
        return refused(words);
    }
    let transitions = match words {
        "PASS ALL / FAIL ANY" => pair(Quantifier::All, Quantifier::Any),
        "PASS ANY / FAIL ALL" => pair(Quantifier::Any, Quantifier::All),
        "only 'PASS ANY: x' given" => pair(Quantifier::Any, Quantifier::All)[..1].to_vec(),
        "none given" => Vec::new(),
        other => {
            return Err(Fault::differs(format!(
                "the modifiers `{other}` are not known to the adapter"
            )));
        }
    };
    let children = case.get("children").as_array().map_or(&[][..], Vec::as_slice);
    let units = children.iter().map(|child| match child.as_str() {
        Some("pass") => Some(true),
        Some("fail") => Some(false),
        _ => None,
    });
    let answered = match aggregate(Mode::of(&transitions), units) {
        Some(true) => json!("pass"),
        Some(false) => json!("fail"),
        None => Value::Null,
    };
    if answered == *case.expected("early_outcome_allowed") {
        return Ok(());
    }
    same("the outcome", case.expected("outcome"), &answered)
}

fn pair(pass: Quantifier, fail: Quantifier) -> Vec<Transition> {
    let transition = |passed, word: &str, quantifier| Transition {
        passed,
        word: word.to_owned(),
        quantifier: Some(quantifier),
        action: model::Action::Continue,
    };
    vec![transition(true, "PASS", pass), transition(false, "FAIL", fail)]
}

/// Modifiers that contradict each other are an error of the runbook.
fn refused(words: &str) -> Result<(), Fault> {
    let lines: String = words.split(" + ").map(|word| format!("- {word}: CONTINUE\n")).collect();
    let text = format!("# T\n\n## 1 A\n{lines}\n### 1.1 X\n\nDo.\n");
    let document = Document::parse("case.runbook.md", &text);
    let errors = document
        .diagnostics()
        .iter()
        .filter(|d| d.severity == model::Severity::Error);
    if errors.count() > 0 {
        Ok(())
    } else {
        Err(Fault::differs(format!("`{words}` was read without an error")))
    }
}
