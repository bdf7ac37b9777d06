//! What lies between two steps: the gates that a jump would lead past.

use crate::branches::inside;
use crate::{FlowKind, Routing, Step, Workflow};
use petgraph::visit::EdgeRef as _;

/// The steps at which a person is asked (`asks`) and that every way of the workflow from one step to the other leads through,
/// nearest first; none where some way leads there without one, or no way at all. A fork asks where a step of its branches does.
///
/// Costs at most one walk of the graph and one for each fork.
pub fn gates_between<'w>(
    workflow: &'w Workflow,
    from: &Step,
    to: &Step,
    asks: impl Fn(&Step) -> bool,
) -> Vec<&'w Step> {
    let steps = workflow.steps();
    let beside = |step: &Step| match &step.routing {
        Routing::Fork(fork) => {
            let mut inner = inside(workflow, fork).into_iter().flatten();
            inner.find(|place| asks(&steps[*place]))
        }
        _ => None,
    };
    let stops = |step: &Step| match asks(step) {
        true => Some(step.ordinal),
        false => beside(step),
    };
    let mut seen = vec![false; steps.len()];
    let mut stopped = Vec::new();
    let mut next = std::collections::VecDeque::from([from.ordinal]);
    while let Some(at) = next.pop_front() {
        for edge in workflow.graph().edges(workflow.node(at)) {
            let there = workflow.graph()[edge.target()];
            if matches!(edge.weight().kind, FlowKind::DependsOn | FlowKind::Reject) {
                continue;
            }
            if there == to.ordinal {
                return Vec::new();
            }
            if std::mem::replace(&mut seen[there], true) || there == from.ordinal {
                continue;
            }
            match stops(&steps[there]) {
                Some(gate) => stopped.push((there, gate)),
                None => next.push_back(there),
            }
        }
    }
    stopped.retain(|(at, _)| leads_to(workflow, *at, to.ordinal));
    stopped.into_iter().map(|(_, gate)| &steps[gate]).collect()
}

fn leads_to(workflow: &Workflow, from: usize, to: usize) -> bool {
    let mut seen = vec![false; workflow.steps().len()];
    let mut next = vec![from];
    while let Some(at) = next.pop() {
        for edge in workflow.graph().edges(workflow.node(at)) {
            if matches!(edge.weight().kind, FlowKind::DependsOn | FlowKind::Reject) {
                continue;
            }
            let there = workflow.graph()[edge.target()];
            if there == to {
                return true;
            }
            if !std::mem::replace(&mut seen[there], true) {
                next.push(there);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{branch, end, flow, gated, microloop, step, to};

    fn between(steps: Vec<Step>, from: &str, to: &str) -> Vec<String> {
        let workflow = flow(steps);
        let at = |id: &str| workflow.step(&id.into()).expect("a step");
        let found = gates_between(&workflow, at(from), at(to), |step| step.gate.is_some());
        found.iter().map(|step| step.id.to_string()).collect()
    }

    #[test]
    fn only_what_every_way_leads_through_is_passed_by() {
        let line = || {
            vec![
                step("draft", to("approve")),
                gated("approve", to("publish")),
                step("publish", end()),
            ]
        };
        assert_eq!(between(line(), "draft", "publish"), ["approve"]);
        assert_eq!(between(line(), "draft", "approve"), [""; 0]);
        assert_eq!(between(line(), "publish", "draft"), [""; 0], "no way leads there");
        let around = vec![
            step("triage", branch(&[("small", "publish")], Some("approve"))),
            gated("approve", to("publish")),
            step("publish", end()),
        ];
        assert_eq!(between(around, "triage", "publish"), [""; 0]);
        let back = vec![
            step("draft", to("judge")),
            gated("judge", Routing::Microloop(microloop("draft", Some("publish")))),
            step("publish", end()),
        ];
        assert_eq!(between(back, "draft", "publish"), ["judge"]);
    }
}
