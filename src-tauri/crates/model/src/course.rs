//! Where a flow ends, and how the flows of a list follow each other: where each leads when it has come to its end, and where when it has failed.

use crate::part::behind;
use crate::{Destination, Onward, Routing, Step, Workflow};
use petgraph::Direction::Incoming;
use petgraph::algo::dominators::simple_fast;
use petgraph::stable_graph::{NodeIndex, StableDiGraph};

/// Where a flow leads that has come to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lead {
    /// The flow that follows, by its place in the list.
    pub(crate) to: usize,
    /// The flow in between, which leads back.
    pub(crate) by_way_of: Option<usize>,
}

/// Where the flows of a list lead, by their places in it; a workflow that is one flow has none.
#[derive(Debug, Default)]
pub(crate) struct Course {
    /// When they have come to their end.
    pub(crate) ends: Vec<Vec<Lead>>,
    /// When one of their steps has failed. Back to that step nothing leads that was not there before.
    pub(crate) fails: Vec<Vec<usize>>,
}

/// The flow that a step stands in, by its place in the list.
pub(crate) fn flow_of(workflow: &Workflow, ordinal: usize) -> Option<usize> {
    workflow.parts().iter().position(|part| part.steps.contains(&ordinal))
}

/// Whether the flow can end at a step without a failure.
pub(crate) fn may_end(workflow: &Workflow, step: &Step) -> bool {
    match &step.routing {
        Routing::Sequence => workflow.step_after(step).is_none(),
        Routing::Terminal => true,
        Routing::Linear { next } | Routing::Guarded { next, .. } | Routing::Unknown { next, .. } => next.is_none(),
        // A detour ends where it was left, or the flow with it.
        Routing::Fork(_) | Routing::Return { .. } => false,
        Routing::Microloop(microloop) => microloop.next.is_none(),
        Routing::Branch(branch) => branch.next.is_none(),
        // A runbook also ends by STOP, by COMPLETE and by a failure that no transition names, none of which is an edge; a
        // pipeline's stages lead nowhere back.
        Routing::Transitions { .. } | Routing::Dependencies => true,
    }
}

impl Course {
    pub(crate) fn of(workflow: &Workflow) -> Self {
        let parts = workflow.parts();
        let at = |key: &str| parts.iter().position(|part| part.key == key);
        let led = |onward: &Onward| match &onward.to {
            Destination::Part(key) => at(key),
            _ => None,
        };
        let goes_back = |onward: &Onward| matches!(onward.to, Destination::Return | Destination::Pause);
        let mut course = Self {
            ends: vec![Vec::new(); parts.len()],
            fails: vec![Vec::new(); parts.len()],
        };
        for (own, part) in parts.iter().enumerate() {
            if let Some(to) = led(&part.on_complete) {
                course.ends[own].push(Lead { to, by_way_of: None });
                let behind = behind(parts, own, Some(to));
                if goes_back(&parts[to].on_complete) {
                    let by_way_of = Some(to);
                    course.ends[own].extend(behind.iter().map(|to| Lead { to: *to, by_way_of }));
                }
                if goes_back(&parts[to].on_failure) {
                    course.fails[to].extend(behind);
                }
            }
            if part.on_complete.to == Destination::Pause {
                let behind = behind(parts, own, None).into_iter();
                course.ends[own].extend(behind.map(|to| Lead { to, by_way_of: None }));
            }
            course.fails[own].extend(led(&part.on_failure));
        }
        course
    }

    fn graph(&self) -> StableDiGraph<(), ()> {
        let mut graph = StableDiGraph::new();
        let nodes: Vec<NodeIndex> = self.ends.iter().map(|_| graph.add_node(())).collect();
        for (own, leads) in self.ends.iter().enumerate() {
            for lead in leads {
                graph.add_edge(nodes[lead.by_way_of.unwrap_or(own)], nodes[lead.to], ());
            }
        }
        graph
    }

    /// By place: whether a flow leads to this one without going back, itself included. `first`: where a run begins.
    pub(crate) fn before(&self, first: usize, flow: usize) -> Vec<bool> {
        let mut graph = self.graph();
        // What a failure leads to comes behind what has failed.
        for (own, leads) in self.fails.iter().enumerate() {
            for to in leads {
                graph.add_edge(NodeIndex::new(own), NodeIndex::new(*to), ());
            }
        }
        let tree = simple_fast(&graph, NodeIndex::new(first));
        let mut before = vec![false; self.ends.len()];
        before[flow] = true;
        let mut open = vec![NodeIndex::new(flow)];
        while let Some(at) = open.pop() {
            for from in graph.neighbors_directed(at, Incoming) {
                let back = tree
                    .dominators(from)
                    .is_some_and(|mut through| through.any(|one| one == at));
                if !back && !std::mem::replace(&mut before[from.index()], true) {
                    open.push(from);
                }
            }
        }
        before
    }

    /// The flows that every way from one to another leads through, in the order of the way, both included; none where no way leads there.
    pub(crate) fn through(&self, from: usize, to: usize) -> Vec<usize> {
        let graph = self.graph();
        let tree = simple_fast(&graph, NodeIndex::new(from));
        let led = tree.dominators(NodeIndex::new(to));
        let mut places: Vec<usize> = led.into_iter().flatten().map(NodeIndex::index).collect();
        places.reverse();
        places
    }
}
