//! Which steps a stretch of a run's log is about: of no other one is anything else said on its picture.

use engine::{Cursor, Event, RunState};
use model::{Step, StepId, Work, Workflow};
use std::collections::BTreeSet;
use store::Stored;

/// The places in the file of the steps of which something else may be said in the one state than in the other; `None`: of any.
/// `events`: those of the longer log of the two that the shorter one has not.
pub fn between<'a>(
    workflow: &Workflow,
    events: impl Iterator<Item = &'a Stored>,
    states: [&RunState; 2],
) -> Option<BTreeSet<usize>> {
    // What a container is, and which instances there are, follows from what happens elsewhere.
    let alone = |step: &Step| step.work != Work::Group && !step.dynamic;
    if !workflow.steps().iter().all(alone) {
        return None;
    }
    let mut touched = BTreeSet::new();
    let mut touch = |id: &StepId| touched.extend(workflow.step(id).map(|step| step.ordinal));
    for stored in events {
        match &stored.event {
            Event::Output { .. }
            | Event::Checkpointed(_)
            | Event::AnotherLog(_)
            | Event::EvidencePromoted(_)
            | Event::Paused { .. }
            | Event::Resumed { .. }
            | Event::TakenUp { .. } => {}
            Event::AttemptStarted(started) => touch(&started.instance.step),
            Event::AttemptEnded { instance, .. }
            | Event::AttemptInterrupted { instance, .. }
            | Event::ToolCalled { instance, .. }
            | Event::NavigatorAnswered { instance, .. } => touch(&instance.step),
            Event::NavigatorAsked(asked) => touch(&asked.instance.step),
            Event::Routed(route) => {
                touch(&route.from.step);
                route.to.iter().for_each(&mut touch);
            }
            Event::GateOpened(opened) => touch(&opened.instance.step),
            Event::GateAnswered(decision) => {
                let asked = states.iter().filter_map(|state| state.gates.get(&decision.gate));
                asked.flatten().for_each(|round| touch(&round.opened.instance.step));
                // An answer may take back what was refused elsewhere.
                let refused = states.iter().flat_map(|state| &state.rejections);
                refused.for_each(|one| touch(&one.instance.step));
            }
            Event::Queued { steps } => steps.iter().for_each(&mut touch),
            Event::Settled(settled) => touch(&settled.step),
            Event::RunCreated(_)
            | Event::RunStarted
            | Event::Forked(_)
            | Event::BranchEnded(_)
            | Event::Joined(_)
            | Event::FeedbackGiven(_)
            | Event::FeedbackAcknowledged(_)
            | Event::FeedbackResolved { .. }
            | Event::SentBack(_)
            | Event::FlowEnded(_)
            | Event::Reopened { .. }
            | Event::TakenOver(_)
            | Event::Aborted { .. }
            | Event::RunCompleted(_) => return None,
        }
    }
    Some(touched)
}

/// The places of the steps of which what is said depends on more than the log: on the time, and on whether somebody carries the run on.
pub fn at_work(workflow: &Workflow, state: &RunState) -> BTreeSet<usize> {
    let cursors = state.cursors().filter_map(|cursor| match cursor {
        Cursor::Running { instance, .. } | Cursor::Choosing { instance } | Cursor::Retrying { instance, .. } => {
            Some(&instance.step)
        }
        // It begins where somebody carries the run on.
        Cursor::Ready { step, .. } => Some(step),
        _ => None,
    });
    let open = state.steps.iter().filter_map(|(id, step)| {
        let last = step.visits.last()?.attempts.last()?;
        last.ended_at.is_none().then_some(id)
    });
    // A stage is at work also between two attempts, and between its work and its end.
    let stages = state.stages.busy().map(|(id, _)| id);
    let steps = cursors.chain(open).chain(stages).filter_map(|id| workflow.step(id));
    steps.map(|step| step.ordinal).collect()
}
