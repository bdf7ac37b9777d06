//! What a runbook's transitions did, in plain words (seed 002 "Transitions", "Actions"; the reasons of `engine::runbook`).

use crate::gate::asking;
use crate::words;
use engine::{Instance, Moved, RouteDecision, RouteReason, RouteSource, RunState, RunbookMove};
use model::{Action, Jump, Quantifier, Routing, Step, StepId, Work, Workflow};
use serde_json::Value;

/// The headline of a why-card; `None` for a route that is no runbook's.
pub fn headline(workflow: &Workflow, route: &RouteDecision) -> Option<String> {
    let moved = route.runbook.as_deref()?;
    let moved_by = route.reason.moved();
    let from = subject(workflow, route, moved);
    Some(match reached(workflow, route, moved) {
        Some(_) if matches!(moved_by, Some(Moved::Retry { .. })) => format!("Why {from} again?"),
        Some(to) if matches!(moved_by, Some(Moved::Continue | Moved::GotoNext)) => format!("Why on to {to}?"),
        Some(to) => format!("Why to {to}?"),
        None if moved.stopped => "Why did the runbook stop here?".into(),
        None => "Why was the runbook complete here?".into(),
    })
}

/// What a workflow itself says at its end; of a rehearsal nothing of it has happened. With what stands before it.
pub fn message(said: &str, is_rehearsal: bool) -> String {
    match is_rehearsal {
        true => format!(", in the rehearsal: {said}"),
        false => format!(": {said}"),
    }
}

/// Why the route was taken; `None` for a route that is no runbook's.
pub fn why(workflow: &Workflow, route: &RouteDecision, is_rehearsal: bool) -> Option<String> {
    let moved = route.runbook.as_deref()?;
    let to = reached(workflow, route, moved);
    if matches!(route.reason, RouteReason::Jump(_)) {
        let by = route.looked_at.get("by").and_then(Value::as_str).unwrap_or("A person");
        return Some(format!(
            "{by} sent the run to {}.",
            to.unwrap_or_else(|| "another step".into())
        ));
    }
    let RouteReason::Outcome { passed, moved: by } = &route.reason else {
        return None;
    };
    let happened = happened(workflow, route, moved, *passed);
    let used_up = route
        .loop_count
        .filter(|_| !matches!(by, Moved::Retry { .. }))
        .map(|c| match c.max {
            1 => ", its one retry was used up".to_owned(),
            n => format!(", all {n} retries were used up"),
        })
        .unwrap_or_default();
    Some(format!(
        "{happened}{used_up}, {}",
        consequence(workflow, route, moved, by, to, is_rehearsal)
    ))
}

/// What the runbook does then: `so the run went on to “Deploy”.`
fn consequence(
    workflow: &Workflow,
    route: &RouteDecision,
    moved: &RunbookMove,
    by: &Moved,
    to: Option<String>,
    is_rehearsal: bool,
) -> String {
    let message = moved.message.as_deref();
    let message = message.map_or_else(|| ".".to_owned(), |said| self::message(said, is_rehearsal));
    let written = route.source == RouteSource::Deterministic;
    let failed = route.reason.passed() == Some(false);
    match (by, to) {
        (Moved::Retry { .. }, _) => match route.loop_count {
            Some(c) => format!("so it is tried again: retry {} of {}.", c.taken + 1, c.max),
            None => "so it is tried again.".into(),
        },
        (Moved::Continue, Some(to)) if written => {
            format!("and the runbook says to continue then: the run went on to {to}.")
        }
        (Moved::Continue, Some(to)) if failed => match around(workflow, &route.from.step) {
            Some(around) => format!("which {around} judges when all its steps are done: the run went on to {to}."),
            None => format!("and the run went on to {to}."),
        },
        (Moved::Continue, Some(to)) => format!("so the run went on to {to}."),
        (Moved::Continue, None) => "and nothing follows it: the runbook is complete.".into(),
        (Moved::Complete, _) => format!("and the runbook says that it is complete then{message}"),
        (Moved::Stop, _) if written => format!("and the runbook says to stop then{message}"),
        (Moved::Stop, _) => format!("and nothing else is written for that case: the runbook stopped{message}"),
        (Moved::GotoNext, Some(to)) => format!("and the runbook says to begin the next one: {to}."),
        (Moved::Goto(_), Some(to)) => format!("and the runbook says to go to {to} then."),
        (Moved::Goto(_) | Moved::GotoNext, None) => "so the runbook ended.".into(),
    }
}

/// `“Run the tests” failed`; of a container `of the 3 steps in “Checks” 2 passed and 1 failed, which counts as failed`.
fn happened(workflow: &Workflow, route: &RouteDecision, moved: &RunbookMove, passed: bool) -> String {
    let word = if passed { "passed" } else { "failed" };
    let Some(unit) = &moved.unit else {
        let asks = |step: &Step| {
            // What is given to somebody may be given to a program, whose failure is none of the answers.
            let by_anybody = matches!(step.work, Work::Prompt { .. }) && step.agents.is_empty();
            by_anybody && engine::gate::outcome_words(step).1 == engine::gate::NO
        };
        let word = match workflow.step(&route.from.step).is_some_and(asks) && !passed {
            true => "was answered NO",
            false if route.looked_at.get("status").and_then(Value::as_str) == Some("skipped") => {
                "was skipped, which counts as passed"
            }
            false => word,
        };
        return format!("{} {word}", asking::step_of(workflow, &route.from));
    };
    let name = words::step_ref(workflow, unit).name;
    let counted = |key: &str| route.looked_at.get(key).and_then(Value::as_u64).unwrap_or(0);
    let (well, badly) = (counted("passed"), counted("failed"));
    let counts = match (well, badly) {
        (well, 0) => format!("{} passed", steps(well)),
        (0, badly) => format!("{} failed", steps(badly)),
        (well, badly) => format!("{} passed and {badly} failed", steps(well)),
    };
    format!("in “{name}” {counted}, which counts as {word}", counted = counts).replacen("in ", "In ", 1)
}

fn steps(n: u64) -> String {
    words::count(usize::try_from(n).unwrap_or(usize::MAX), "step", "steps")
}

/// Who decided: of a default of the format its own words.
pub fn source(route: &RouteDecision) -> Option<&'static str> {
    route.runbook.as_ref()?;
    match route.source {
        RouteSource::FastPath => Some("what a runbook does where nothing is written"),
        RouteSource::Deterministic => Some("the runbook’s own transition"),
        _ => None,
    }
}

/// What the transitions of a step say, one line each, the defaults included: `PASS: then “Deploy”`.
pub fn written(workflow: &Workflow, step: &Step) -> Vec<String> {
    let Routing::Transitions { transitions } = &step.routing else {
        return Vec::new();
    };
    if step.work == Work::Group && transitions.is_empty() {
        return vec!["after its last step the runbook goes on".to_owned()];
    }
    let judged = workflow.container(step).filter(|around| model::ways::decides(around));
    let mut lines: Vec<String> = transitions
        .iter()
        .map(|t| {
            let quantifier = match t.quantifier {
                None => "",
                Some(Quantifier::All) => " ALL",
                Some(Quantifier::Any) => " ANY",
            };
            format!("{}{quantifier}: {}", t.word, action(workflow, step, &t.action))
        })
        .collect();
    for passed in [true, false] {
        if transitions.iter().any(|t| t.passed == passed) {
            continue;
        }
        let word = if passed { "PASS" } else { "FAIL" };
        let then = match (judged, passed) {
            (Some(around), false) => format!("“{}” judges", around.name),
            (_, true) => action(workflow, step, &Action::Continue),
            (None, false) => "the runbook stops".to_owned(),
        };
        lines.push(format!("{word}: {then} (nothing written)"));
    }
    lines
}

fn action(workflow: &Workflow, step: &Step, what: &Action) -> String {
    let name = |id: &StepId| format!("“{}”", words::step_ref(workflow, id).name);
    let said = |message: &Option<String>| message.as_deref().map(|m| format!(": {m}")).unwrap_or_default();
    match what {
        Action::Continue => match (workflow.sibling_after(step), workflow.container(step)) {
            (Some(next), _) => format!("then “{}”", next.name),
            (None, Some(around)) if model::ways::decides(around) => format!("“{}” judges", around.name),
            (None, Some(around)) => match workflow.sibling_after(around) {
                Some(next) => format!("then “{}”", next.name),
                None => "the runbook is complete".to_owned(),
            },
            (None, None) => "the runbook is complete".to_owned(),
        },
        Action::Complete { message } => format!("the runbook is complete{}", said(message)),
        Action::Stop { message } => format!("the runbook stops{}", said(message)),
        Action::Goto(Jump::To(id)) => format!("go to {}", name(id)),
        Action::Goto(Jump::Next(Some(id))) => format!("the next {}", name(id)),
        Action::Goto(Jump::Next(None)) => match workflow.innermost_dynamic(step) {
            Some(dynamic) => format!("the next “{}”", dynamic.name),
            None => "the next instance".to_owned(),
        },
        Action::Retry { times, then } => format!(
            "again, at most {}, and then {}",
            words::count(usize::try_from(*times).unwrap_or(usize::MAX), "time", "times"),
            action(workflow, step, then)
        ),
    }
}

/// How a runbook that has ended says so, in the words that lists have for it: `failed: rolled back`, `done: all shards are on 3.2`;
/// `None` for any other end.
pub fn ended(state: &RunState) -> Option<String> {
    let stopped = state
        .routes
        .last()
        .and_then(|r| r.runbook.as_deref())
        .is_some_and(|m| m.stopped);
    let message = state.message.as_deref().map(str::trim).filter(|m| !m.is_empty())?;
    let message = self::message(message, state.is_rehearsal());
    match state.status {
        engine::RunStatus::Ended(engine::EndStatus::Failed) if stopped => Some(format!("failed{message}")),
        engine::RunStatus::Ended(engine::EndStatus::Succeeded) => Some(format!("done{message}")),
        _ => None,
    }
}

/// Whose outcome decided.
fn subject(workflow: &Workflow, route: &RouteDecision, moved: &RunbookMove) -> String {
    match &moved.unit {
        Some(unit) => format!("“{}”", words::step_ref(workflow, unit).name),
        None => asking::step_of(workflow, &route.from),
    }
}

/// The step reached, with its instance.
fn reached(workflow: &Workflow, route: &RouteDecision, moved: &RunbookMove) -> Option<String> {
    let at = Instance {
        step: route.to.clone()?,
        visit: 1,
        path: moved.path.clone(),
    };
    Some(asking::step_of(workflow, &at))
}

/// The container around a step.
fn around(workflow: &Workflow, step: &StepId) -> Option<String> {
    let around = workflow.container(workflow.step(step)?)?;
    Some(format!("“{}”", around.name))
}

#[cfg(test)]
mod tests;
