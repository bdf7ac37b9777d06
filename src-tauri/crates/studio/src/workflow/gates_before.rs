//! Which gates stand before a step, in plain words.

use crate::words::of_step;
use crate::workflow::authoring::view::GatesBeforeView;
use engine::{GateRules, gate};
use model::{GateAt, Step, Work, Workflow};

/// What stands before a step under the project's policy.
pub fn gates_before(workflow: &Workflow, step: &Step, rules: GateRules<'_>) -> GatesBeforeView {
    let blocks = |step: &Step, at: GateAt| gate::blocks(&workflow.id, step, at, rules).is_some();
    let prompts = |step: &Step| matches!(step.work, Work::Prompt { .. });
    let asks = |step: &Step| prompts(step) || blocks(step, GateAt::Before) || blocks(step, GateAt::After);
    // A step that a person does has no gate: whoever does it says how it went.
    let by_prompt = workflow.steps().iter().any(prompts);
    let found = model::gates_before(workflow, step, asks);
    let called = |places: &[usize]| {
        places
            .iter()
            .map(|at| format!("“{}”", workflow.steps()[*at].name))
            .collect::<Vec<_>>()
    };
    let (gates, open) = (called(&found.gates), called(&found.open));
    let mut words = match (open.as_slice(), gates.as_slice()) {
        ([], _) if !found.reached => "No way leads here from where the run begins.".to_owned(),
        ([], steps) if by_prompt => format!(
            "There are no gates here. On every way here a person does {} and says how it went.",
            steps.join(" or ")
        ),
        ([], [gate]) => format!("Every way here passes the gate at {gate}."),
        ([], gates) => format!("Every way here passes a gate: {}.", gates.join(", ")),
        ([_], _) => "The run begins here: nobody is asked before.".to_owned(),
        (way, []) if by_prompt => format!(
            "There are no gates here, and nobody does anything by hand on this way: {}.",
            way.join(" → ")
        ),
        (way, steps) if by_prompt => format!(
            "There are no gates here, and nobody does anything by hand on this way: {}. On other ways a person does {} and says \
             how it went.",
            way.join(" → "),
            steps.join(" or ")
        ),
        (way, []) => format!("No gate stands before this step: {}.", way.join(" → ")),
        (way, gates) => format!(
            "A way leads here past every gate: {}. Other ways pass {}.",
            way.join(" → "),
            gates.join(", ")
        ),
    };
    if blocks(step, GateAt::Before) {
        words += " The step itself asks before its work.";
    }
    let refs = |places: &[usize]| places.iter().map(|at| of_step(&workflow.steps()[*at])).collect();
    GatesBeforeView {
        gates: refs(&found.gates),
        open: refs(&found.open),
        words,
    }
}
