//! What tests have seen of a workflow: the steps that were entered and the edges that were taken.

use engine::{RunState, edges};
use model::{FlowKind, Workflow};
use std::collections::BTreeSet;

/// Steps and edges, by ordinal and by index into [`Workflow::flows`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Coverage {
    /// Ordinals of steps; containers have no share of their own, they are what is inside them.
    pub steps: BTreeSet<usize>,
    /// Indices of edges.
    pub edges: BTreeSet<usize>,
}

impl Coverage {
    /// What a run has seen: a step counts when the run came to it, also when it was sent elsewhere from there.
    pub fn of(workflow: &Workflow, state: &RunState) -> Self {
        let asked = state.gates.values().flatten().map(|round| &round.opened.instance.step);
        let entered = state.steps.keys().chain(asked);
        let steps: BTreeSet<usize> = entered
            .filter_map(|id| workflow.step(id))
            .map(|step| step.ordinal)
            .collect();
        let routes = state.routes.iter().filter_map(|r| edges::taken(workflow, r));
        // What a stage waits for was there when the run came to it.
        let flows = workflow.flows();
        let met = flows
            .iter()
            .enumerate()
            .filter(|(_, (_, to, flow))| flow.kind == FlowKind::DependsOn && steps.contains(&to.ordinal))
            .map(|(index, _)| index);
        Self {
            edges: routes.chain(met).collect(),
            steps,
        }
    }

    /// Everything there is to see.
    pub fn whole(workflow: &Workflow) -> Self {
        let steps = workflow.steps().iter();
        Self {
            steps: steps
                .filter(|step| workflow.children(step).next().is_none())
                .map(|step| step.ordinal)
                .collect(),
            edges: (0..workflow.flows().len()).collect(),
        }
    }

    /// Adds what another test has seen.
    pub fn absorb(&mut self, other: &Self) {
        self.steps.extend(&other.steps);
        self.edges.extend(&other.edges);
    }

    /// What is here and not there.
    pub fn without(&self, other: &Self) -> Self {
        Self {
            steps: self.steps.difference(&other.steps).copied().collect(),
            edges: self.edges.difference(&other.edges).copied().collect(),
        }
    }

    /// How many steps and edges.
    pub fn len(&self) -> usize {
        self.steps.len() + self.edges.len()
    }

    /// Nothing at all.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.edges.is_empty()
    }
}
