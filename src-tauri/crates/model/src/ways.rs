//! The ways that a runbook's transitions open, as far as the text alone says where they lead (seed 002 "Transitions",
//! "Actions"): the edges that are drawn. What a run does at each of them is the engine's.

use crate::flow::{Flow, FlowKind};
use crate::outline::Outline;
use crate::{Action, Jump, Quantifier, Routing, Step, Transition};

/// The edges out of one step or container: (ordinal of the step reached, edge).
pub(crate) fn of(outline: &Outline, step: &Step) -> Vec<(usize, Flow)> {
    let Routing::Transitions { transitions } = &step.routing else {
        return Vec::new();
    };
    let is_container = outline.children(step).next().is_some();
    if is_container && transitions.is_empty() {
        // Its last step leads on.
        return Vec::new();
    }
    let mut out = Vec::new();
    // Under a container that awaits all of its steps, one without a transition of its own goes on, whatever came of it; where
    // the first failure decides, the container's edge leads on from there.
    let awaited_around = outline.container(step).is_some_and(awaits_all);
    for passed in [true, false] {
        match transitions.iter().find(|t| t.passed == passed) {
            Some(transition) => action(outline, step, transition, &mut out),
            None if passed || awaited_around => {
                if let Some(to) = on(outline, step) {
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

fn action(outline: &Outline, step: &Step, transition: &Transition, out: &mut Vec<(usize, Flow)>) {
    let label = label(transition);
    if let Action::Retry { times, .. } = &transition.action {
        let to = outline.entered_at(step).ordinal;
        let label = format!("{label} ↻ {times}");
        out.push((to, edge(FlowKind::Loop, Some(label), Some(*times))));
    }
    match transition.action.last() {
        Action::Continue => {
            if let Some(to) = on(outline, step) {
                out.push((to, edge(FlowKind::Branch, Some(label), None)));
            }
        }
        Action::Goto(jump) => {
            let target = match jump {
                Jump::To(id) | Jump::Next(Some(id)) => outline.step(id),
                Jump::Next(None) => outline.innermost_dynamic(step),
            };
            if let Some(target) = target {
                let to = outline.entered_at(target).ordinal;
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
fn on(outline: &Outline, step: &Step) -> Option<usize> {
    let next = match (outline.sibling_after(step), outline.container(step)) {
        (Some(next), _) => next,
        (None, Some(around)) if !decides(around) => outline.sibling_after(around)?,
        (None, _) => return None,
    };
    Some(outline.entered_at(next).ordinal)
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
