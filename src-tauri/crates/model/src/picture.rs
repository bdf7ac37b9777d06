//! From a workflow to the input of the layout: structure alone, never a run's status.

use crate::layout::{Direction, EdgeKind, InEdge, InGroup, InNode, Input, NODE_HEIGHT, NODE_WIDTH, Side};
use crate::{FlowKind, GateAt, StepId, Work, Workflow};
use std::collections::HashMap;

/// The widest box, px; a longer name is cut short where it is drawn.
pub const NODE_WIDTH_MAX: f64 = 240.0;
/// Room in a box beside its name, px: number, icon, padding.
const BESIDE_NAME: f64 = 56.0;
/// Estimated width of one character of a name, px (13 px type).
const CHARACTER: f64 = 7.0;

/// What the layout needs to draw a workflow. Node `i` is the step of ordinal `i` (containers too, so that indices agree);
/// a node's id is the ordinal as text, because two steps may share an author's id. An edge's id is
/// `<from ordinal>-<to ordinal>-<n>`, `n` counting the edges between the two from 0 as written: it stays the same while
/// other routes change.
pub fn input(workflow: &Workflow, direction: Direction) -> Input {
    let steps = workflow.steps();
    let groups: Vec<&crate::Step> = steps.iter().filter(|step| step.work == Work::Group).collect();
    let group_of: HashMap<&StepId, usize> = groups.iter().enumerate().map(|(n, step)| (&step.id, n)).collect();
    let parent = |step: &crate::Step| step.parent.as_ref().and_then(|id| group_of.get(id).copied());
    let nodes = steps
        .iter()
        .map(|step| InNode {
            id: step.ordinal.to_string(),
            width: width(&step.name),
            height: NODE_HEIGHT,
            gate: step.gate.as_ref().map(|gate| match gate.at {
                GateAt::Before => Side::Before,
                GateAt::After => Side::After,
            }),
            group: if step.work == Work::Group {
                group_of.get(&step.id).copied()
            } else {
                parent(step)
            },
        })
        .collect();
    let edges = workflow
        .flows()
        .into_iter()
        .zip(edge_ids(workflow))
        .map(|((from, to, flow), id)| {
            let bound = flow.max_iterations.map(|max| format!("↻ {max}"));
            InEdge {
                id,
                from: from.ordinal,
                to: to.ordinal,
                label: flow.label.clone().or(bound),
                kind: kind(flow.kind),
            }
        })
        .collect();
    let groups = groups
        .iter()
        .map(|step| InGroup {
            id: step.ordinal.to_string(),
            title: step.name.clone(),
            parent: parent(step),
        })
        .collect();
    Input {
        nodes,
        edges,
        groups,
        direction,
    }
}

/// The ids of the drawn edges, in the order of [`Workflow::flows`]: `<from ordinal>-<to ordinal>-<n>`.
pub fn edge_ids(workflow: &Workflow) -> Vec<String> {
    let mut seen: HashMap<(usize, usize), usize> = HashMap::new();
    let mut id = |from: usize, to: usize| {
        let n = seen.entry((from, to)).or_default();
        let id = format!("{from}-{to}-{n}");
        *n += 1;
        id
    };
    let flows = workflow.flows();
    flows.iter().map(|(from, to, _)| id(from.ordinal, to.ordinal)).collect()
}

/// A box as wide as its name needs, on a grid of 8 px, between the usual width and [`NODE_WIDTH_MAX`].
fn width(name: &str) -> f64 {
    let wanted = name.chars().count() as f64 * CHARACTER + BESIDE_NAME;
    ((wanted / 8.0).ceil() * 8.0).clamp(NODE_WIDTH, NODE_WIDTH_MAX)
}

fn kind(kind: FlowKind) -> EdgeKind {
    match kind {
        FlowKind::Next => EdgeKind::Flow,
        FlowKind::Loop => EdgeKind::Loop,
        FlowKind::Branch => EdgeKind::Branch,
        FlowKind::Reject => EdgeKind::Reject,
        FlowKind::DependsOn => EdgeKind::Depends,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::draw;
    use crate::{Format, Gate, GateAt, GateRequirement, Microloop, Routing, Step};

    fn workflow() -> Workflow {
        let gate = Gate {
            requirement: GateRequirement::Required,
            at: GateAt::After,
            question: None,
            asks: Vec::new(),
            on_reject: Some("author".into()),
        };
        let microloop = Microloop {
            loop_target: Some("author".into()),
            condition_field: None,
            success_values: Vec::new(),
            max_iterations: 3,
            next: Some("sign".into()),
            exit_on: indexmap::IndexMap::new(),
        };
        let steps = vec![
            Step::new("author", 0),
            Step {
                routing: Routing::Microloop(microloop),
                ..Step::new("critic", 1)
            },
            Step {
                gate: Some(gate),
                ..Step::new("sign", 2)
            },
            Step {
                name: "Publish the reviewed contract everywhere".to_owned(),
                ..Step::new("publish", 3)
            },
        ];
        Workflow::new("w".into(), "W".to_owned(), Format::Stepwise, steps)
    }

    #[test]
    fn nodes_are_steps_and_edges_keep_their_ids() {
        let input = input(&workflow(), Direction::Right);
        assert_eq!(
            input.nodes.iter().map(|n| n.gate).collect::<Vec<_>>(),
            [None, None, Some(Side::After), None]
        );
        let edges: Vec<(&str, Option<&str>, EdgeKind)> = input
            .edges
            .iter()
            .map(|e| (e.id.as_str(), e.label.as_deref(), e.kind))
            .collect();
        assert_eq!(
            edges,
            [
                ("0-1-0", None, EdgeKind::Flow),
                ("1-0-0", Some("↻ 3"), EdgeKind::Loop),
                ("1-2-0", None, EdgeKind::Flow),
                ("2-3-0", None, EdgeKind::Flow),
                ("2-0-0", Some("rejected"), EdgeKind::Reject),
            ]
        );
    }

    #[test]
    fn long_names_widen_the_box_up_to_a_bound() {
        let input = input(&workflow(), Direction::Down);
        assert_eq!(input.nodes[0].width, NODE_WIDTH);
        assert_eq!(input.nodes[3].width, NODE_WIDTH_MAX);
    }

    #[test]
    fn two_steps_of_one_id_are_two_boxes() {
        let steps = vec![Step::new("a", 0), Step::new("a", 1)];
        let input = input(
            &Workflow::new("w".into(), "W".to_owned(), Format::Stepwise, steps),
            Direction::Right,
        );
        assert_eq!(input.nodes.len(), 2);
        assert_ne!(input.nodes[0].id, input.nodes[1].id);
    }

    #[test]
    fn it_can_be_drawn() {
        let drawing = draw(&input(&workflow(), Direction::Right));
        assert_eq!(drawing.nodes.len(), 4);
        assert_eq!(drawing.edges.len(), 5);
        assert_eq!(drawing.bars.len(), 1);
    }
}
