//! Which gates a run has passed, and which bar its way to a step: one answer for a report that names a step, for an issue that leads on, and
//! for a person who takes a run up.

use crate::state::{GateRound, RunState, Visit};
use crate::{Answer, GateRules, Purpose, gate};
use model::between::Bars;
use model::{GateAt, Workflow, before};

/// What bars the ways of a run. `here`: where it is, by place, each with the gate that is still to be asked there; `passed`: see [`passed`].
pub(super) fn bars(workflow: &Workflow, state: &RunState, here: &[(usize, Option<usize>)], passed: &[usize]) -> Bars {
    let rules = GateRules::of(state.created.as_deref());
    Bars::of(workflow, here, passed, |step| {
        gate::asked_at(&workflow.id, step, rules).is_some()
    })
}

/// Whether a gate asks a person what is to become of the run, and not what came of a step or whether it may do something.
pub(super) fn is_asked(round: &GateRound) -> bool {
    matches!(round.opened.purpose, Purpose::Approval | Purpose::Way { .. })
}

/// The places of the steps whose gates were approved, where the run has not been before them since.
pub(super) fn passed(workflow: &Workflow, state: &RunState) -> Vec<usize> {
    let rounds = state.gates.values().filter_map(|rounds| rounds.last());
    let answered = rounds.filter(|round| is_asked(round)).filter_map(|round| {
        let (decision, at) = round.answer.as_ref()?;
        let step = workflow.step(&round.opened.instance.step)?;
        let approved = matches!(decision.answer, Answer::Approve | Answer::Choose);
        approved.then_some((round, step, *at))
    });
    let holds = answered.filter(|(round, step, at)| {
        let before = before(workflow, step);
        !workflow.steps().iter().any(|other| {
            let mut visits = state.visits_of(&other.id).rev();
            let began = |visit: &Visit| visit.attempts.first().is_some_and(|first| first.started_at > *at);
            // What is asked about work that was done anew is asked anew.
            let counts = other.id != step.id || round.opened.at == GateAt::After;
            counts && before[other.ordinal] && visits.next().is_some_and(began)
        })
    });
    holds.map(|(_, step, _)| step.ordinal).collect()
}
