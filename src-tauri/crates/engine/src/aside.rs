//! How long a detour may last (the flow files' `max_duration_seconds`): all its steps together, while they work. Waiting for a person is
//! not counted, and where a person has answered or taken the run up again the time begins anew, as every bound does. What counts is how long
//! attempts were measured to take: the log's times are those of a clock that somebody may set.

use crate::state::{AttemptState, RunState, Visit};
use crate::{At, StepResult};
use model::{Detour, Step, StepId, Workflow};

/// What is left of a detour's time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeLeft<'w> {
    /// Which detour.
    pub detour: &'w Detour,
    /// Its whole time, milliseconds.
    pub of_ms: u64,
    /// What its steps have not used up, milliseconds.
    pub left_ms: u64,
}

impl TimeLeft<'_> {
    /// Why a step of a detour does not begin, or was ended.
    pub fn over(&self) -> String {
        let seconds = self.of_ms as f64 / 1000.0;
        format!("The detour “{}” has used up its {seconds} s", self.detour.name)
    }
}

/// What is left to a step of a detour before its next attempt, or when that in flight began; of detours inside of each other the least. `None`
/// where nothing bounds it.
pub fn time_left<'w>(workflow: &'w Workflow, state: &RunState, step: &'w Step) -> Option<TimeLeft<'w>> {
    let mut least: Option<TimeLeft<'w>> = None;
    let mut step = step;
    // Detours are three deep at most; a workflow made by hand goes on for no longer than it has steps.
    for _ in 0..workflow.steps().len() {
        let Some(from) = step.detour_from.as_ref().and_then(|from| workflow.step(from)) else {
            break;
        };
        let taken = model::branches::detour_of(workflow, step);
        if let Some((detour, of_ms)) = taken.and_then(|detour| Some((detour, detour.max_duration_ms?))) {
            let used = used_ms(workflow, state, &from.id, detour);
            let left_ms = of_ms.saturating_sub(used);
            if least.is_none_or(|least| left_ms < least.left_ms) {
                least = Some(TimeLeft { detour, of_ms, left_ms });
            }
        }
        step = from;
    }
    least
}

/// How long an attempt worked that comes to this at that time.
pub(crate) fn worked_ms(attempt: &AttemptState, result: &StepResult, ended_at: At) -> u64 {
    let by_person = attempt.started.engines().iter().any(|engine| engine.is_person());
    match by_person {
        // What a person does takes from the question on, and begins with their answer.
        true => result.duration_ms.min(ended_at.since_ms(attempt.started_at)),
        false => result.duration_ms,
    }
}

/// How long the steps of a detour have worked since it was taken last, or since a person last had a say.
fn used_ms(workflow: &Workflow, state: &RunState, from: &StepId, detour: &Detour) -> u64 {
    let last = |id: &StepId| state.steps.get(id).and_then(|step| step.visits.last());
    let taken = last(from).map_or(0, |visit| visit.number);
    let since = taken.max(state.executed_when_answered);
    let is_inside = |step: &Step| {
        let mut step = step;
        for _ in 0..workflow.steps().len() {
            let Some(above) = &step.detour_from else { return false };
            if above == from {
                return model::branches::detour_of(workflow, step).is_some_and(|of| of.first == detour.first);
            }
            let Some(next) = workflow.step(above) else { return false };
            step = next;
        }
        false
    };
    let worked = |visit: &Visit| -> u64 {
        // What was cut off with its driver may have lain for days: nobody has measured it.
        let ended = visit
            .attempts
            .iter()
            .filter_map(|one| Some(worked_ms(one, one.result.as_ref()?, one.ended_at?)));
        ended.sum()
    };
    let inside = workflow.steps().iter().filter(|step| is_inside(step));
    let visits = inside
        .filter_map(|step| state.steps.get(&step.id))
        .flat_map(|step| &step.visits);
    visits
        .filter(|visit| visit.number > since)
        .map(|visit| worked(visit))
        .sum()
}
