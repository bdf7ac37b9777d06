//! What several rules ask of the graph: which steps can be reached, and which lie on a common cycle.

use crate::{FlowKind, Workflow};
use petgraph::stable_graph::NodeIndex;
use petgraph::visit::{Dfs, EdgeFiltered, EdgeRef};

/// Reachability from the entry and the cycles, over every edge but dependencies.
pub(super) struct Reach {
    /// By ordinal.
    pub(super) reached: Vec<bool>,
    /// By ordinal: the number of the strongly connected component.
    pub(super) component: Vec<usize>,
    /// Ordinals of each component.
    pub(super) components: Vec<Vec<usize>>,
}

impl Reach {
    pub(super) fn of(workflow: &Workflow) -> Self {
        let graph = workflow.graph();
        let count = workflow.steps().len();
        let flows = EdgeFiltered::from_fn(graph, |edge| edge.weight().kind != FlowKind::DependsOn);
        let mut reached = vec![false; count];
        if count > 0 {
            let mut walk = Dfs::new(&flows, workflow.node(0));
            while let Some(node) = walk.next(&flows) {
                reached[graph[node]] = true;
            }
        }
        let mut component = vec![0; count];
        let mut components = petgraph::algo::kosaraju_scc(&flows)
            .into_iter()
            .map(|nodes| nodes.into_iter().map(|node: NodeIndex| graph[node]).collect::<Vec<_>>())
            .collect::<Vec<_>>();
        for ordinals in &mut components {
            ordinals.sort_unstable();
        }
        components.sort_unstable_by_key(|ordinals| ordinals.first().copied());
        for (number, ordinals) in components.iter().enumerate() {
            for &ordinal in ordinals {
                component[ordinal] = number;
            }
        }
        Self {
            reached,
            component,
            components,
        }
    }

    /// By ordinal: what is reached from the entry, or from one of these steps.
    pub(super) fn reached_also_from(&self, workflow: &Workflow, steps: &[usize]) -> Vec<bool> {
        let graph = workflow.graph();
        let flows = EdgeFiltered::from_fn(graph, |edge| edge.weight().kind != FlowKind::DependsOn);
        let mut reached = self.reached.clone();
        let mut walk = Dfs::empty(&flows);
        for &ordinal in steps {
            walk.move_to(workflow.node(ordinal));
            while let Some(node) = walk.next(&flows) {
                reached[graph[node]] = true;
            }
        }
        reached
    }

    /// True when a run can come back to the steps of this component.
    pub(super) fn is_cycle(&self, workflow: &Workflow, number: usize) -> bool {
        match self.components[number].as_slice() {
            [only] => {
                let node = workflow.node(*only);
                let mut edges = workflow.graph().edges(node);
                edges.any(|edge| edge.target() == node && edge.weight().kind != FlowKind::DependsOn)
            }
            _ => true,
        }
    }
}
