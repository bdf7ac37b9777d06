//! The ways that a runbook's transitions open, as far as the text alone says where they lead (seed 002 "Transitions",
//! "Actions"): the edges that are drawn. What a run does at each of them is the engine's.

use crate::{Action, Flow, FlowKind, Jump, Quantifier, Routing, Step, Transition, Workflow};

/// The edges out of one step or container: (ordinal of the step reached, edge).
pub(crate) fn of(workflow: &Workflow, step: &Step) -> Vec<(usize, Flow)> {
    let Routing::Transitions { transitions } = &step.routing else {
        return Vec::new();
    };
    let is_container = workflow.children(step).next().is_some();
    if is_container && transitions.is_empty() {
        // Its last step leads on.
        return Vec::new();
    }
    let mut out = Vec::new();
    // Under a container that awaits all of its steps, one without a transition of its own goes on, whatever came of it; where
    // the first failure decides, the container's edge leads on from there.
    let awaited_around = workflow.container(step).is_some_and(awaits_all);
    for passed in [true, false] {
        match transitions.iter().find(|t| t.passed == passed) {
            Some(transition) => action(workflow, step, transition, &mut out),
            None if passed || awaited_around => {
                if let Some(to) = on(workflow, step) {
                    out.push((to, edge(FlowKind::Next, None, None)));
                }
            }
            None => {}
        }
    }
    out.dedup();
    out
}

/// Whether a container puts the outcomes of what it contains together by transitions of its own.
pub fn decides(container: &Step) -> bool {
    matches!(&container.routing, Routing::Transitions { transitions } if !transitions.is_empty())
}

/// Whether a container awaits all of its steps: PASS ANY or FAIL ALL is written (seed 002 "Modifiers").
fn awaits_all(container: &Step) -> bool {
    let is_written = |t: &Transition| {
        matches!(
            (t.passed, t.quantifier),
            (true, Some(Quantifier::Any)) | (false, Some(Quantifier::All))
        )
    };
    matches!(&container.routing, Routing::Transitions { transitions } if transitions.iter().any(is_written))
}

fn action(workflow: &Workflow, step: &Step, transition: &Transition, out: &mut Vec<(usize, Flow)>) {
    let label = label(transition);
    if let Action::Retry { times, .. } = &transition.action {
        let to = workflow.entered_at(step).ordinal;
        let label = format!("{label} ↻ {times}");
        out.push((to, edge(FlowKind::Loop, Some(label), Some(*times))));
    }
    match transition.action.last() {
        Action::Continue => {
            if let Some(to) = on(workflow, step) {
                out.push((to, edge(FlowKind::Branch, Some(label), None)));
            }
        }
        Action::Goto(jump) => {
            let target = match jump {
                Jump::To(id) | Jump::Next(Some(id)) => workflow.step(id),
                Jump::Next(None) => innermost_dynamic(workflow, step),
            };
            if let Some(target) = target {
                let to = workflow.entered_at(target).ordinal;
                let back = matches!(jump, Jump::Next(_)) || to <= step.ordinal;
                let kind = if back { FlowKind::Loop } else { FlowKind::Branch };
                let label = match jump {
                    Jump::Next(_) => format!("{label} · next"),
                    Jump::To(_) => label,
                };
                out.push((to, edge(kind, Some(label), None)));
            }
        }
        Action::Complete { .. } | Action::Stop { .. } | Action::Retry { .. } => {}
    }
}

/// Where CONTINUE leads: the next sibling; after the last one what follows the container, unless that decides itself.
fn on(workflow: &Workflow, step: &Step) -> Option<usize> {
    let next = match (workflow.sibling_after(step), workflow.container(step)) {
        (Some(next), _) => next,
        (None, Some(around)) if !decides(around) => workflow.sibling_after(around)?,
        (None, _) => return None,
    };
    Some(workflow.entered_at(next).ordinal)
}

/// The dynamic step or substep that a bare `NEXT` advances: the step itself, one beside it, or one around it.
pub fn innermost_dynamic<'a>(workflow: &'a Workflow, step: &'a Step) -> Option<&'a Step> {
    if step.dynamic {
        return Some(step);
    }
    let around = workflow.container(step)?;
    let beside = workflow.dynamic_child(around);
    beside.or_else(|| around.dynamic.then_some(around))
}

fn edge(kind: FlowKind, label: Option<String>, max_iterations: Option<u32>) -> Flow {
    Flow {
        kind,
        label,
        max_iterations,
    }
}

/// `PASS`, `FAIL ANY`: the author's words.
fn label(transition: &Transition) -> String {
    match transition.quantifier {
        None => transition.word.clone(),
        Some(Quantifier::All) => format!("{} ALL", transition.word),
        Some(Quantifier::Any) => format!("{} ANY", transition.word),
    }
}
