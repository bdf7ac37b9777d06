//! Which gates a run has passed, and which bar its way to a step: one answer for a report that names a step, for an issue that leads on, for a
//! person who takes a run up, and for one who chooses the way on.

use crate::state::{GateRound, RunState, Visit};
use crate::{Answer, GateRules, Purpose, Way, WayAction, gate};
use model::between::{self, Bars};
use model::{Detour, FlowKind, GateAt, Step, Workflow, before, branches};

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

/// Whether every way of the workflow from one step to another leads through a gate; where none leads there, every way from where the run begins
/// through one that nobody has approved in this round.
pub(super) fn gates_between(workflow: &Workflow, state: &RunState, from: &Step, to: &Step) -> bool {
    let edges = workflow.flows_between(from, to).into_iter();
    let mut kinds = edges.map(|(_, flow)| flow.kind);
    if kinds.any(|kind| !matches!(kind, FlowKind::DependsOn | FlowKind::Reject)) {
        return false;
    }
    let passed = passed(workflow, state);
    let bars = bars(workflow, state, &[(from.ordinal, None)], &passed);
    bars.gate_before(to).is_some()
}

/// Whether a gate of a detour asks.
pub(super) fn detour_asks(workflow: &Workflow, rules: GateRules<'_>, detour: &Detour) -> bool {
    branches::steps_of(workflow, detour).any(|step| gate::asked_at(&workflow.id, step, rules).is_some())
}

/// Whether a way on that a person may choose leads past a gate that would ask: past one between the two steps, past one at which another of the ways
/// stops, or past a detour that is due and asks.
pub(crate) fn leads_past(workflow: &Workflow, state: &RunState, from: &Step, ways: &[Way], chosen: &Way) -> bool {
    let rules = GateRules::of(state.created.as_deref());
    let asks = |step: &Step| gate::asked_at(&workflow.id, step, rules).is_some();
    let step_of = |way: &Way| way.to.as_ref().and_then(|to| workflow.step(to));
    let others = || ways.iter().filter(|way| way.id != chosen.id);
    let asks_aside = |way: &Way| {
        let detour = from
            .detours
            .iter()
            .find(|detour| Some(&detour.first) == way.to.as_ref());
        way.is_due() && detour.is_some_and(|detour| detour_asks(workflow, rules, detour))
    };
    let stays = matches!(chosen.action, WayAction::Detour | WayAction::Loop | WayAction::Repeat);
    if !stays && others().any(asks_aside) {
        return true;
    }
    let to = step_of(chosen);
    if to.is_some_and(|to| gates_between(workflow, state, from, to)) {
        return true;
    }
    // Nobody has to take a detour that is only offered.
    let drawn = others().filter(|way| way.drawn && (way.action != WayAction::Detour || way.is_due()));
    let drawn: Vec<Option<&Step>> = drawn.map(step_of).collect();
    between::leads_past(workflow, from, to, &drawn, asks)
}
