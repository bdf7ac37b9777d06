//! What lies before a step, where a run can be that comes to it without going back; and what lies behind one.

use crate::course::{Course, flow_of, may_end};
use crate::{FlowKind, Part, Step, Workflow};
use petgraph::Direction::Incoming;
use petgraph::algo::dominators::simple_fast;
use petgraph::visit::EdgeFiltered;
use std::collections::BTreeSet;

/// By place: whether a way of the workflow leads from there to this step without going back, the step itself included. A way
/// goes back where it leads to a step that every way from the beginning has led through already: so what lies inside a loop
/// behind a step is not before it, although the loop leads there again.
///
/// Of several flows the whole of each is before it that leads to the step's own when it has come to its end, without going back. Costs one
/// walk of the graph and one of its tree of dominators.
pub fn before(workflow: &Workflow, step: &Step) -> Vec<bool> {
    let graph = workflow.graph();
    let entry = match workflow.part_of(step) {
        Some(part) => workflow.entry_of(&part.key),
        None => workflow.entry(),
    };
    let through = entry.map(|entry| Through::from(workflow, entry));
    let mut before = vec![false; workflow.steps().len()];
    before[step.ordinal] = true;
    let mut next = vec![step.ordinal];
    while let Some(at) = next.pop() {
        for from in graph.neighbors_directed(workflow.node(at), Incoming) {
            let from = graph[from];
            let back = through
                .as_ref()
                .is_some_and(|through| through.is_on_every_way(at, from));
            if !back && !std::mem::replace(&mut before[from], true) {
                next.push(from);
            }
        }
    }
    let begins = workflow.entry().and_then(|entry| flow_of(workflow, entry.ordinal));
    if let Some((first, own)) = begins.zip(flow_of(workflow, step.ordinal)) {
        let flows = Course::of(workflow).before(first, own);
        for (place, part) in workflow.parts().iter().enumerate() {
            if place != own && flows[place] {
                before[part.steps.clone()].fill(true);
            }
        }
    }
    before
}

/// Which steps every way from a beginning leads through: the tree of dominators, numbered so that one look tells whether one lies below another.
struct Through {
    /// By place: when a step was come to and left in a walk of the tree; absent: no way leads there.
    walked: Vec<Option<(usize, usize)>>,
}

impl Through {
    fn from(workflow: &Workflow, entry: &Step) -> Self {
        let graph = workflow.graph();
        let root = workflow.node(entry.ordinal);
        let tree = simple_fast(graph, root);
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); workflow.steps().len()];
        for node in graph.node_indices() {
            if let Some(above) = tree.immediate_dominator(node) {
                below[graph[above]].push(graph[node]);
            }
        }
        let mut walked = vec![None; below.len()];
        let mut clock = 0;
        let mut open = vec![(entry.ordinal, false)];
        while let Some((at, is_left)) = open.pop() {
            clock += 1;
            match &mut walked[at] {
                Some((_, left)) if is_left => *left = clock,
                place => {
                    *place = Some((clock, clock));
                    open.push((at, true));
                    open.extend(below[at].iter().map(|below| (*below, false)));
                }
            }
        }
        Self { walked }
    }

    /// Whether every way from the beginning to a step leads through this one, which may be that step itself.
    fn is_on_every_way(&self, one: usize, to: usize) -> bool {
        match (self.walked[one], self.walked[to]) {
            (Some((came, left)), Some((at, _))) => came <= at && at <= left,
            _ => false,
        }
    }
}

/// By place: whether every way from there leads to this step before the workflow ends.
pub fn leads_back(workflow: &Workflow, to: &Step) -> Vec<bool> {
    let graph = workflow.graph();
    let others = workflow.steps().iter().filter(|step| step.ordinal != to.ordinal);
    let mut open: Vec<usize> = others
        .filter(|step| may_end(workflow, step))
        .map(|step| step.ordinal)
        .collect();
    let mut back = vec![true; workflow.steps().len()];
    while let Some(at) = open.pop() {
        if at != to.ordinal && std::mem::replace(&mut back[at], false) {
            open.extend(
                graph
                    .neighbors_directed(workflow.node(at), Incoming)
                    .map(|from| graph[from]),
            );
        }
    }
    back
}

/// The places of the steps that every way of the workflow from one step to another leads through, in the order of the way, both
/// included; none where no way leads there.
///
/// Of several flows those that every way leads through come first, one after the other; where none leads to the step's own at its end, it is
/// looked at alone, from its beginning.
pub fn through(workflow: &Workflow, from: &Step, to: &Step) -> Vec<usize> {
    let flows = flow_of(workflow, from.ordinal).zip(flow_of(workflow, to.ordinal));
    let Some((first, last)) = flows.filter(|(first, last)| first != last) else {
        return through_flow(workflow, from, to);
    };
    let mut places = Vec::new();
    let mut begins = Some(from);
    for flow in Course::of(workflow).through(first, last) {
        let part = &workflow.parts()[flow];
        if flow != first {
            begins = workflow.entry_of(&part.key);
        }
        if let Some(begins) = begins.filter(|_| flow != last) {
            places.extend(to_the_end(workflow, begins, part));
        }
    }
    if let Some(entry) = workflow.entry_of(&workflow.parts()[last].key) {
        places.extend(through_flow(workflow, entry, to));
    }
    places
}

/// The same from a step to the end of its flow, wherever it ends. A rejection leads to no other flow.
fn to_the_end(workflow: &Workflow, from: &Step, part: &Part) -> Vec<usize> {
    let graph = workflow.graph();
    let flows = EdgeFiltered::from_fn(graph, |edge| {
        !matches!(edge.weight().kind, FlowKind::DependsOn | FlowKind::Reject)
    });
    let tree = simple_fast(&flows, workflow.node(from.ordinal));
    let steps = workflow.steps()[part.steps.clone()].iter();
    let ends = steps.filter(|step| may_end(workflow, step));
    let mut ways = ends.filter_map(|end| tree.dominators(workflow.node(end.ordinal)));
    let mut places: Vec<usize> = ways.next().into_iter().flatten().map(|node| graph[node]).collect();
    for way in ways {
        let way: BTreeSet<usize> = way.map(|node| graph[node]).collect();
        places.retain(|place| way.contains(place));
    }
    places.reverse();
    places
}

fn through_flow(workflow: &Workflow, from: &Step, to: &Step) -> Vec<usize> {
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
    use crate::rules::testing::{branch, end, flow, gated, list, microloop, step, to};
    use crate::{Destination, Routing, StepId};

    fn names(steps: Vec<Step>, id: &str) -> Vec<String> {
        let workflow = flow(steps);
        let at = workflow.step(&StepId::from(id)).expect("a step");
        let found = before(&workflow, at);
        let steps = workflow.steps().iter().filter(|step| found[step.ordinal]);
        steps.map(|step| step.id.to_string()).collect()
    }

    #[test]
    fn what_has_failed_is_before_what_the_failure_leads_to() {
        let then = |key: &str| Destination::Part(key.to_owned());
        let workflow = list(vec![
            ("one", vec![step("a", end())], then("two"), Destination::End),
            ("two", vec![step("b", end())], then("three"), then("mend")),
            ("three", vec![step("c", end())], Destination::End, Destination::End),
            ("mend", vec![gated("m", end())], Destination::Return, Destination::End),
        ]);
        let found = before(&workflow, workflow.step(&"mend/m".into()).expect("a step"));
        let found: Vec<&str> = workflow
            .steps()
            .iter()
            .filter(|step| found[step.ordinal])
            .map(|step| step.id.as_str())
            .collect();
        assert_eq!(found, ["one/a", "two/b", "mend/m"]);
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

    #[test]
    fn what_is_mended_before_it_is_looked_at_again_leads_back() {
        let workflow = flow(vec![
            step("write", to("review")),
            gated("review", branch(&[("OK", "publish")], Some("mend"))),
            step("mend", to("review")),
            step("publish", end()),
        ]);
        let at = |id: &str| workflow.step(&StepId::from(id)).expect("a step");
        assert_eq!(leads_back(&workflow, at("review")), [true, true, true, false]);
        assert_eq!(before(&workflow, at("review")), [true, true, false, false]);
    }

    #[test]
    fn a_long_flow_is_looked_through_once() {
        let count = 200_000;
        let name = |n: usize| format!("s{n}");
        let mut steps: Vec<Step> = (1..count).map(|n| step(&name(n - 1), to(&name(n)))).collect();
        steps.push(step(&name(count - 1), end()));
        let workflow = flow(steps);
        let last = workflow.steps().last().expect("a step");
        assert!(before(&workflow, last).into_iter().all(|one| one));
    }

    #[test]
    fn of_several_flows_those_that_lead_there_are_before_it_and_gone_through() {
        let then = |key: &str| Destination::Part(key.to_owned());
        let workflow = list(vec![
            (
                "one",
                vec![step("a", to("g")), step("g", end())],
                then("two"),
                Destination::End,
            ),
            (
                "two",
                vec![step("b", branch(&[("x", "c")], None)), step("c", end())],
                then("three"),
                then("mend"),
            ),
            (
                "three",
                vec![step("d", to("e")), step("e", end())],
                Destination::End,
                then("one"),
            ),
            ("mend", vec![step("m", end())], Destination::End, Destination::End),
        ]);
        let at = |id: &str| workflow.step(&StepId::from(id)).expect("a step");
        let names = |places: Vec<usize>| -> Vec<String> {
            let steps = places.into_iter().map(|place| &workflow.steps()[place]);
            steps.map(|step| step.id.to_string()).collect()
        };
        let found = before(&workflow, at("three/d"));
        let steps = workflow.steps().iter().filter(|step| found[step.ordinal]);
        let earlier: Vec<&str> = steps.map(|step| step.id.as_str()).collect();
        assert_eq!(earlier, ["one/a", "one/g", "two/b", "two/c", "three/d"]);
        let first = before(&workflow, at("one/a"));
        assert_eq!(
            first.iter().filter(|is| **is).count(),
            1,
            "what a failure leads back to"
        );
        let way = through(&workflow, at("one/a"), at("three/e"));
        assert_eq!(names(way), ["one/a", "one/g", "two/b", "three/d", "three/e"]);
        assert_eq!(names(through(&workflow, at("one/a"), at("mend/m"))), ["mend/m"]);
    }
}
