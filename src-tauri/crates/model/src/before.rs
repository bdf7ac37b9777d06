//! What lies before a step, where a run can be that comes to it without going back; and what lies behind one.

use crate::{Step, Workflow};
use petgraph::Direction::Incoming;
use petgraph::algo::dominators::simple_fast;

/// By place: whether a way of the workflow leads from there to this step without going back, the step itself included. A way
/// goes back where it leads to a step that every way from the beginning has led through already: so what lies inside a loop
/// behind a step is not before it, although the loop leads there again.
///
/// Of several flows only those of the step's own are before it. Costs one walk of the graph, beside its tree of dominators.
pub fn before(workflow: &Workflow, step: &Step) -> Vec<bool> {
    let graph = workflow.graph();
    let entry = match workflow.part_of(step) {
        Some(part) => workflow.entry_of(&part.key),
        None => workflow.entry(),
    };
    let through = entry.map(|entry| simple_fast(graph, workflow.node(entry.ordinal)));
    let mut before = vec![false; workflow.steps().len()];
    before[step.ordinal] = true;
    let mut next = vec![step.ordinal];
    while let Some(at) = next.pop() {
        let there = workflow.node(at);
        for from in graph.neighbors_directed(there, Incoming) {
            let led = through.as_ref().and_then(|through| through.dominators(from));
            let back = led.into_iter().flatten().any(|passed| passed == there);
            if !back && !std::mem::replace(&mut before[graph[from]], true) {
                next.push(graph[from]);
            }
        }
    }
    before
}

/// The places of the steps that every way of the workflow from one step to another leads through, in the order of the way, both
/// included; none where no way leads there.
pub fn through(workflow: &Workflow, from: &Step, to: &Step) -> Vec<usize> {
    let graph = workflow.graph();
    let through = simple_fast(graph, workflow.node(from.ordinal));
    let led = through.dominators(workflow.node(to.ordinal));
    let mut places: Vec<usize> = led.into_iter().flatten().map(|node| graph[node]).collect();
    places.reverse();
    places
}

/// By place: the steps that can come once one has come, itself included. With a step its container has come, whose lines lead on from there.
pub fn behind(workflow: &Workflow, step: &Step) -> Vec<bool> {
    let mut out = vec![false; workflow.steps().len()];
    let mut open = vec![workflow.entered_at(step).ordinal];
    while let Some(ordinal) = open.pop() {
        if std::mem::replace(&mut out[ordinal], true) {
            continue;
        }
        let graph = workflow.graph();
        open.extend(graph.neighbors(workflow.node(ordinal)).map(|next| graph[next]));
        let around = workflow.steps().get(ordinal).and_then(|step| workflow.container(step));
        open.extend(around.map(|around| around.ordinal));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{branch, end, flow, gated, microloop, step, to};
    use crate::{Routing, StepId};

    fn names(steps: Vec<Step>, id: &str) -> Vec<String> {
        let workflow = flow(steps);
        let at = workflow.step(&StepId::from(id)).expect("a step");
        let found = before(&workflow, at);
        let steps = workflow.steps().iter().filter(|step| found[step.ordinal]);
        steps.map(|step| step.id.to_string()).collect()
    }

    #[test]
    fn what_lies_behind_a_step_in_its_loop_is_not_before_it() {
        let turning = || {
            vec![
                step("draft", to("check")),
                gated("check", to("publish")),
                step("publish", Routing::Microloop(microloop("draft", Some("done")))),
                step("done", end()),
            ]
        };
        assert_eq!(names(turning(), "check"), ["draft", "check"]);
        assert_eq!(names(turning(), "draft"), ["draft"]);
        assert_eq!(names(turning(), "done"), ["draft", "check", "publish", "done"]);
    }

    #[test]
    fn of_two_ways_only_the_one_that_leads_there_is_before_it() {
        let steps = vec![
            step("triage", branch(&[("small", "note")], Some("lawyer"))),
            gated("lawyer", to("publish")),
            step("note", to("publish")),
            step("publish", Routing::Microloop(microloop("triage", None))),
        ];
        assert_eq!(names(steps, "lawyer"), ["triage", "lawyer"]);
    }

    #[test]
    fn only_what_every_way_leads_through_is_named() {
        let workflow = flow(vec![
            step("triage", branch(&[("small", "note")], Some("lawyer"))),
            step("lawyer", to("publish")),
            step("note", to("publish")),
            step("publish", end()),
            step("lost", end()),
        ]);
        let at = |id: &str| workflow.step(&StepId::from(id)).expect("a step");
        assert_eq!(through(&workflow, at("triage"), at("publish")), [0, 3]);
        assert_eq!(through(&workflow, at("triage"), at("note")), [0, 2]);
        assert_eq!(through(&workflow, at("publish"), at("note")), [0; 0]);
    }

    #[test]
    fn behind_a_step_lies_what_it_leads_to_and_what_a_loop_leads_back_to() {
        let workflow = flow(vec![
            step("draft", to("check")),
            step("check", Routing::Microloop(microloop("draft", Some("publish")))),
            step("publish", to("done")),
            step("done", end()),
        ]);
        let of = |id: &str| behind(&workflow, workflow.step(&StepId::from(id)).expect("a step"));
        assert_eq!(of("check"), [true; 4]);
        assert_eq!(of("publish"), [false, false, true, true]);
    }
}
