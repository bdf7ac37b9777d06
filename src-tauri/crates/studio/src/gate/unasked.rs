//! Gates at which a run asked nobody, and answers that nobody has looked before giving: whoever reads a record is not to take either for a
//! person's decision.

use super::people::listed;
use super::policy;
use engine::{Decision, GatePolicy, GateReason, GateRules, RunState};
use model::{GateAt, Step, Workflow};
use serde::Serialize;

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
    let steps = passed(workflow, state);
    steps
        .map(|(step, reason)| Unasked {
            step: step.name.clone(),
            why: policy::words(&reason, Some(step), &workflow.id, rules.policy),
        })
        .collect()
}

fn passed<'a>(workflow: &'a Workflow, state: &'a RunState) -> impl Iterator<Item = (&'a Step, GateReason)> + 'a {
    let rules = GateRules::of(state.created.as_deref());
    let heard = GatePolicy {
        mode: None,
        ..rules.policy.clone()
    };
    workflow.steps().iter().filter_map(move |step| {
        let gate = step.gate.as_ref()?;
        let judged = |policy: &GatePolicy| policy.judge(Some(gate), step.phase.as_deref(), &workflow.id, rules.limits);
        let verdict = judged(rules.policy);
        // A step of some formats has an optional gate without that anybody wrote one; what stops nobody anyway was not taken away.
        match verdict.reason {
            GateReason::NotBlocking => return None,
            GateReason::HitlDisabled if !judged(&heard).blocks => return None,
            _ => {}
        }
        let went_by = |visit: &engine::Visit| match gate.at {
            GateAt::Before => !visit.attempts.is_empty(),
            GateAt::After => visit.result().is_some_and(|result| result.status.completes()),
        };
        let is_passed = !verdict.blocks && state.visits_of(&step.id).any(went_by);
        let asked = |round: &engine::GateRound| round.opened.instance.step == step.id;
        (is_passed && !state.gates.values().flatten().any(asked)).then_some((step, verdict.reason))
    })
}

/// What is to be said of the whole run: that its settings let no gate ask, and how many answers `--yes` gave.
pub fn remarks(workflow: &Workflow, state: &RunState) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(silence) = GateRules::of(state.created.as_deref()).policy.silences() {
        let names: Vec<String> = passed(workflow, state)
            .map(|(step, _)| format!("“{}”", step.name))
            .collect();
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
