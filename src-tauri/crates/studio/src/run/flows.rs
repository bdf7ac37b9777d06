//! The flows of a run of several: which has been gone through, which goes on, which is to come; and of a start, which would be gone
//! through.

use crate::run::status;
use crate::run::view::FlowState;
use crate::text::safe;
use crate::view::Status;
use crate::words;
use crate::workflow::view::FlowPlan;
use engine::RunState;
use model::{Part, StepId, Workflow};

/// How each flow stands, in the run's order. Flows beside the order are told once they have begun.
pub fn of_run(workflow: &Workflow, state: &RunState) -> Vec<FlowState> {
    let parts = workflow.parts();
    if parts.len() < 2 {
        return Vec::new();
    }
    let current = current(workflow, state);
    let shown = |part: &&Part| !part.utility || has_begun(workflow, state, part);
    let each = parts.iter().filter(shown).map(|part| {
        let (status, words) = how(workflow, state, part, current);
        FlowState {
            key: part.key.clone(),
            title: part.title.clone(),
            file: part.file.clone(),
            beside: part.utility,
            status,
            words,
        }
    });
    each.collect()
}

/// The flows that a start would go through, in their order; those that others lead to behind them. Empty: it is one flow.
pub fn to_come(workflow: &Workflow) -> Vec<FlowPlan> {
    let parts = workflow.parts();
    if parts.len() < 2 {
        return Vec::new();
    }
    let (beside, order): (Vec<&Part>, Vec<&Part>) = parts.iter().partition(|part| part.utility);
    let of_part = |part: &Part| FlowPlan {
        key: part.key.clone(),
        title: safe::visible(&part.title),
        file: part.file.clone(),
        beside: part.utility,
        steps: workflow.steps()[part.steps.clone()]
            .iter()
            .map(words::of_step)
            .collect(),
    };
    order.into_iter().chain(beside).map(of_part).collect()
}

fn has_begun(workflow: &Workflow, state: &RunState, part: &Part) -> bool {
    steps(workflow, part).any(|step| state.steps.contains_key(step))
}

fn steps<'w>(workflow: &'w Workflow, part: &Part) -> impl Iterator<Item = &'w StepId> {
    workflow.steps()[part.steps.clone()].iter().map(|step| &step.id)
}

/// The flow that the run is in, or ended in: that of the step entered last, or of the one that another flow led to.
fn current<'w>(workflow: &'w Workflow, state: &RunState) -> Option<&'w Part> {
    let led = state.flows.last().and_then(|ended| ended.leads.step());
    let visits = state.visits();
    let last = visits.iter().max_by_key(|visit| visit.number);
    // What a flow leads to may not have begun yet.
    let after_all = state
        .flows
        .last()
        .is_some_and(|ended| last.is_some_and(|last| last.instance == ended.from));
    let step = match last {
        Some(last) if !after_all || led.is_none() => Some(&last.instance.step),
        _ => led.or(workflow.parts().first().and_then(|part| steps(workflow, part).next())),
    };
    step.and_then(|step| workflow.step(step))
        .and_then(|step| workflow.part_of(step))
}

fn how(workflow: &Workflow, state: &RunState, part: &Part, current: Option<&Part>) -> (Status, String) {
    if current.is_some_and(|current| current.key == part.key) {
        return (status::run_status(state), status::run_status_words(workflow, state));
    }
    let ended = state.flows.iter().rev().find(|ended| ended.flow == part.key);
    match ended {
        Some(ended) => match (&ended.failed, &ended.unmet) {
            (Some(why), _) => (Status::Failed, format!("failed: {why}")),
            (None, Some(why)) => (Status::Stopped, format!("does not lead on: {why}")),
            (None, None) => (Status::Done, "done".to_owned()),
        },
        None if state.status.ended() => (Status::Skipped, "not reached".to_owned()),
        None => (Status::NotStarted, "to come".to_owned()),
    }
}
