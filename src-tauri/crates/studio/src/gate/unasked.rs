//! Gates at which a run asked nobody, and answers that nobody has looked before giving: whoever reads a record is not to take either for a
//! person's decision.

use super::people::listed;
use super::policy;
use engine::{Decision, GatePolicy, GateReason, GateRules, Purpose, RunState, Visit};
use model::{GateAt, Step, StepId, Workflow};
use serde::Serialize;
use std::collections::HashSet;

/// So many steps are named at most.
const MOST_NAMED: usize = 5;

/// A gate that the run has passed, and that asked nobody there.
#[derive(Serialize)]
pub struct Unasked {
    /// The step's name.
    pub step: String,
    /// Why, in words.
    pub why: String,
}

/// The gates that a run has passed without anybody being asked, in the order of the file; optional ones, which ask only where the policy
/// says so, are none.
pub fn gates(workflow: &Workflow, state: &RunState) -> Vec<Unasked> {
    let rules = GateRules::of(state.created.as_deref());
    let passed = passed(workflow, state).into_iter();
    passed
        .map(|(step, reason)| Unasked {
            step: step.name.clone(),
            why: policy::words(&reason, Some(step), &workflow.id, rules.policy),
        })
        .collect()
}

fn passed<'a>(workflow: &'a Workflow, state: &'a RunState) -> Vec<(&'a Step, GateReason)> {
    let rules = GateRules::of(state.created.as_deref());
    let heard = GatePolicy {
        mode: None,
        ..rules.policy.clone()
    };
    let rounds = state.gates.values().flatten();
    let asked: HashSet<&StepId> = rounds
        .filter(|round| round.opened.purpose == Purpose::Approval)
        .map(|round| &round.opened.instance.step)
        .collect();
    let unasked = workflow.steps().iter().filter(|step| !asked.contains(&step.id));
    let passed = unasked.filter_map(|step| {
        let gate = step.gate.as_ref()?;
        let went_by = |visit: &Visit| match gate.at {
            GateAt::Before => !visit.attempts.is_empty(),
            GateAt::After => visit.result().is_some_and(|result| result.status.completes()),
        };
        if !state.visits_of(&step.id).any(went_by) {
            return None;
        }
        let judged = |policy: &GatePolicy| policy.judge(step, &workflow.id, rules.limits);
        // What would stop nobody anyway was not taken away by the mode. A step of some formats has an optional gate although nobody wrote one.
        let otherwise = judged(&heard);
        let verdict = match otherwise.blocks {
            true => judged(rules.policy),
            false => otherwise,
        };
        (!verdict.blocks && verdict.reason != GateReason::NotBlocking).then_some((step, verdict.reason))
    });
    passed.collect()
}

/// What is to be said of the whole run: that its settings let no gate ask, and how many answers `--yes` gave.
pub fn remarks(workflow: &Workflow, state: &RunState) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(silence) = GateRules::of(state.created.as_deref()).policy.silences() {
        let passed = passed(workflow, state).into_iter();
        let silenced = passed.filter(|(_, reason)| *reason == GateReason::HitlDisabled);
        let names: Vec<String> = silenced.map(|(step, _)| format!("“{}”", step.name)).collect();
        let more = names.len().saturating_sub(MOST_NAMED);
        let mut named: Vec<String> = names.into_iter().take(MOST_NAMED).collect();
        if more > 0 {
            named.push(format!("{more} more"));
        }
        if let Some(named) = listed(&named, "and") {
            said.push(format!("Nobody was asked at the gate of {named}: {silence}."));
        }
    }
    let rounds = state.gates.values().flatten();
    let unseen = rounds.filter(|round| {
        let answer = round.answer.as_ref();
        answer.is_some_and(|(decision, _)| decision.via == Decision::YES)
    });
    match unseen.count() {
        0 => {}
        1 => said.push("One answer was given by --yes: nobody looked at what it approves.".to_owned()),
        n => said.push(format!(
            "{n} answers were given by --yes: nobody looked at what they approve."
        )),
    }
    said
}
