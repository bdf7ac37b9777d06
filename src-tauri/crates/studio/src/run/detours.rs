//! Detours in words: when one is taken, where it leads back to, and why one was or was not taken.

use engine::RouteDecision;
use model::{Back, Detour, Step, StepId, Workflow};

/// What it means to take a detour that begins with a step.
pub fn aside(first: &str, detour: Option<&Detour>) -> String {
    let then = match detour.map(|detour| &detour.back) {
        Some(Back::Resume) => "then this step is done again",
        Some(Back::Advance) => "then the way on is decided",
        Some(Back::Halt) => "then the flow has failed",
        Some(Back::To(_)) | None => "then the flow goes on elsewhere",
    };
    format!("“{first}” runs first, {then}.")
}

/// What a person reads of a step; its id where it is gone.
fn name(workflow: &Workflow, id: &StepId) -> String {
    let step = workflow.step(id);
    step.map_or_else(|| id.to_string(), |step| step.name.clone())
}

/// `once`, `3 times`.
pub fn times(n: u32) -> String {
    match n {
        1 => "once".to_owned(),
        n => format!("{n} times"),
    }
}

/// The detours that a step may take, a line each.
pub fn of_step(workflow: &Workflow, step: &Step) -> Vec<String> {
    let line = |detour: &Detour| {
        let first = name(workflow, &detour.first);
        let when = match detour.when() {
            Some(when) => format!("when {when}"),
            None => "when somebody chooses it".to_owned(),
        };
        let long = detour
            .max_duration_ms
            .map_or_else(String::new, |ms| format!(", {} s long", ms as f64 / 1000.0));
        format!("{when}: first “{first}”, at most {}{long}", times(detour.max_uses))
    };
    step.detours.iter().map(line).collect()
}

/// Where the last step of a detour leads back to.
pub fn back(workflow: &Workflow, from: &StepId, back: &Back) -> String {
    let name = |id: &StepId| name(workflow, id);
    match back {
        Back::Resume => format!("back to “{}”, which is done again", name(from)),
        Back::Advance => format!("back to “{}”, which goes on with the result it had", name(from)),
        Back::To(to) => format!("on to “{}”", name(to)),
        Back::Halt => "the flow stops here as failed".to_owned(),
    }
}

/// Why a route led into a detour.
pub fn taken(workflow: &Workflow, route: &RouteDecision, id: &str) -> String {
    let from = name(workflow, &route.from.step);
    let step = workflow.step(&route.from.step);
    let detour = step.and_then(|step| step.detours.iter().find(|detour| detour.id == id));
    let called = detour.map_or(id, |detour| detour.name.as_str());
    let when = detour.and_then(Detour::when);
    let when = when.map_or_else(String::new, |when| format!(" What it waits for was so: {when}."));
    match detour.is_some_and(|detour| detour.injected) {
        true => format!("“{called}” is put in after “{from}”.{when}"),
        false => format!("“{from}” takes the detour “{called}” before it goes on.{when}"),
    }
}

/// How a detour came back.
pub fn returned(workflow: &Workflow, route: &RouteDecision) -> String {
    let step = workflow.step(&route.from.step);
    match step.map(|step| &step.routing) {
        Some(model::Routing::Return { from, back: how }) => {
            format!("The detour is over: {}.", back(workflow, from, how))
        }
        _ => "The detour is over.".to_owned(),
    }
}
