//! The scenarios in runbooks' front matter, tried in memory: the end and, command by command, where the run stands.

use super::Context;
use super::case::{Case, Fault};
use super::flow::same;
use dialect::Document;
use engine::Instance;
use model::Workflow;
use runtime::rehearsal::front::{self, Ends};
use runtime::rehearsal::trial::{self, Station, Trial};
use runtime::rehearsal::{Rehearsal, Setting, Standing};
use runtime::scenario::Scenario;
use serde_json::{Value, json};
use std::path::Path;

/// `scenarios.json`: the scenario ends as recorded, stands after every command where the original stood, and its text as a
/// scripted run goes the same way.
pub fn scenario(_: &Context, case: &Case) -> Result<(), Fault> {
    let file = case.text("file");
    let own = file.rsplit('/').next().unwrap_or(file);
    let read = |name: &str| {
        let text = case.get("files").get(name).and_then(Value::as_str)?;
        Some(Document::parse(name, text))
    };
    let document = read(own).ok_or_else(|| Fault::differs(format!("the case has no file {own}")))?;
    let workflow = document.workflow();
    let name = case.text("scenario");
    let listed = front::listed(workflow);
    let listed = listed
        .iter()
        .find(|listed| listed.name == name)
        .ok_or_else(|| Fault::differs(format!("the front matter holds no scenario {name}")))?;
    let find = |file: &str| read(file).map(|found| found.workflow().clone());
    let trial = trial::listed(workflow, &Setting::default(), own, listed, &find);
    commands(workflow, case, &trial).map_err(|fault| told(fault, &trial))?;
    let ended = trial.ended.map(|end| Ends::of(end).word());
    same("the end", case.expected("result"), &json!(ended)).map_err(|fault| told(fault, &trial))?;
    script(workflow, &trial)
}

fn told(fault: Fault, trial: &Trial) -> Fault {
    match fault {
        Fault::Differs(how) => Fault::Differs(format!("{how} ({})", trial.words)),
        other => other,
    }
}

/// What was recorded after each command, as far as the run has not ended.
fn commands(workflow: &Workflow, case: &Case, trial: &Trial) -> Result<(), Fault> {
    let recorded = case.get("commands").as_array().map_or(&[][..], Vec::as_slice);
    for (recorded, station) in recorded.iter().zip(&trial.stations) {
        let command = recorded["command"].as_str().unwrap_or_default();
        same("the command", &recorded["command"], &json!(station.command.trim()))?;
        let state = &recorded["states"][0];
        let Some(waits) = &station.waits else { break };
        same(
            &format!("`{command}` leads to"),
            &place(state),
            &ours(workflow, waits, state),
        )?;
        let action = state["lastAction"].as_str().filter(|action| *action != "START");
        if let Some(action) = action {
            let made = action_of(station);
            if !made.starts_with(action) {
                return Err(Fault::differs(format!("`{command}` is {made}, recorded is {action}")));
            }
        }
    }
    Ok(())
}

fn place(state: &Value) -> Value {
    let at_instance = state["step"] == "{N}";
    let instance = state.get("instance").filter(|_| at_instance);
    json!({"step": state["step"], "substep": state.get("substep"), "instance": instance})
}

/// Our place in the recorder's words: it calls a dynamic substep `{n}` at first and by its number later.
fn ours(workflow: &Workflow, waits: &Instance, state: &Value) -> Value {
    let step = workflow.step(&waits.step);
    let around = step.and_then(|step| workflow.container(step));
    let id = waits.step.as_str();
    let (outer, inner) = match around {
        Some(around) => (around.id.as_str(), id.get(around.id.as_str().len() + 1..)),
        None => (id, None),
    };
    let counts = state["substep"].as_str().is_some_and(|s| s.parse::<u32>().is_ok());
    let inner = match inner {
        Some("{n}") if counts => state["substep"].clone(),
        inner => json!(inner),
    };
    let instance = waits.path.first().filter(|_| outer == "{N}");
    json!({"step": outer, "substep": inner, "instance": instance})
}

fn action_of(station: &Station) -> &str {
    let reason = station.reason.as_deref().unwrap_or_default();
    match reason.split_once(':') {
        Some(("jump", _)) => "GOTO",
        Some((_, action)) => action,
        None => reason,
    }
}

/// The text made from it, played: the same path, the same end.
fn script(workflow: &Workflow, trial: &Trial) -> Result<(), Fault> {
    let text = trial.script.as_deref().unwrap_or_default();
    let scenario = Scenario::parse(Path::new("case"), text).map_err(|fault| Fault::differs(fault.to_string()))?;
    let setting = Setting {
        prompted: trial.prompted,
        ..Setting::default()
    };
    let played = Rehearsal::play(workflow, &setting, &scenario).map_err(|refusal| Fault::differs(refusal.message))?;
    let steps: Vec<&str> = trial.path.iter().map(|step| step.as_str()).collect();
    let path = runtime::scenario::path(played.state());
    let played_steps: Vec<&str> = path.iter().map(|step| step.as_str()).collect();
    same("the path of the scripted run", &json!(steps), &json!(played_steps))?;
    match (played.standing(), trial.ended) {
        (Standing::Ended(end), Some(wanted)) if end == wanted => Ok(()),
        (standing, wanted) => Err(Fault::differs(format!(
            "the scripted run is {standing:?}, not {wanted:?}"
        ))),
    }
}
