//! The step that matters most as of an event: what the window looks at where nobody has chosen one.

use crate::run::index::{Index, Way};
use crate::run::{instances, present, touched};
use engine::{Outcome, RunState, StepStatus};
use model::{Step, Work, Workflow};
use std::collections::HashMap;

/// Where a person is waited for, else what is at work, else where the run ended, else what was left last. What holds other steps is at work, and
/// fails, only in them.
pub fn step<'a>(workflow: &'a Workflow, state: &RunState, index: &Index) -> Option<&'a Step> {
    let named = |id| workflow.step(id);
    if let Some(round) = state.open_gates().first() {
        return named(&round.opened.instance.step);
    }
    let status = |step: &Step| instances::status(workflow, state, step, &[]);
    let goes_on = touched::at_work(workflow, state);
    let goes_on = goes_on.iter().map(|at| &workflow.steps()[*at]);
    let goes_on: Vec<(&Step, StepStatus)> = goes_on
        .filter(|step| step.work != Work::Group)
        .map(|step| (step, status(step)))
        .collect();
    let first = |wanted| {
        goes_on
            .iter()
            .find(|(_, status)| *status == wanted)
            .map(|(step, _)| *step)
    };
    let at_work = [StepStatus::Blocked, StepStatus::Running, StepStatus::Retrying];
    if let Some(step) = at_work.into_iter().find_map(first) {
        return Some(step);
    }
    let outcome = state.outcome();
    if let Some(Outcome::Refused(refused)) = outcome {
        return named(&refused.opened.instance.step);
    }
    // How the run ended is how the step stands at which it did.
    let ended = match outcome {
        Some(Outcome::Aborted) => Some(StepStatus::Interrupted),
        Some(Outcome::Failed) => Some(StepStatus::Failed),
        _ => None,
    };
    let orders = [StepStatus::Refused, StepStatus::Failed, StepStatus::Interrupted];
    let orders: Vec<StepStatus> = ended.into_iter().chain(orders).collect();
    // Only where a step began can it have gone wrong.
    let begun = state.steps.keys().filter_map(named);
    let wrong: Vec<(&Step, StepStatus)> = begun
        .filter(|step| step.work != Work::Group)
        .map(|step| (step, status(step)))
        .filter(|(_, status)| orders.contains(status))
        .collect();
    let decided = orders
        .iter()
        .find(|order| wrong.iter().any(|(_, status)| status == *order));
    let Some(decided) = decided else {
        return present::left(workflow, state, index);
    };
    // Of several the one that the run came to last: an earlier one may have been of another round.
    let came = came_to(workflow, index);
    let wrong = wrong.iter().filter(|(_, status)| status == decided);
    wrong.map(|(step, _)| *step).max_by_key(|step| {
        (
            came.get(&step.ordinal).copied().unwrap_or(0),
            std::cmp::Reverse(step.ordinal),
        )
    })
}

/// The number of the last decision that led to a step, by its place; those that none led to are not there.
fn came_to(workflow: &Workflow, index: &Index) -> HashMap<usize, u32> {
    let flows = workflow.flows();
    let to = |way| match way {
        Way::Flow(flow) => flows.get(flow).map(|(_, to, _)| to.ordinal),
        Way::Sent(_, to) | Way::Reported(_, to) => Some(to),
    };
    let passes = index.passes(0);
    passes
        .iter()
        .filter_map(|pass| Some((to(pass.way)?, pass.number)))
        .collect()
}
