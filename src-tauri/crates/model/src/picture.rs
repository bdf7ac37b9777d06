//! From a workflow to the input of the layout: structure alone, never a run's status.

use crate::layout::{Direction, EdgeKind, InEdge, InGroup, InLane, InNode, Input, NODE_HEIGHT, NODE_WIDTH, Room, Side};
use crate::{FlowKind, GateAt, Routing, Step, StepId, Work, Workflow, branches};
use std::collections::{BTreeSet, HashMap};

/// The widest box, px; a longer name is cut short where it is drawn.
pub const NODE_WIDTH_MAX: f64 = 240.0;
/// Room in a box beside its name, px: number, icon, padding.
const BESIDE_NAME: f64 = 56.0;
/// Estimated width of one character of a name, px (13 px type).
const CHARACTER: f64 = 7.0;

/// A workflow ready to be laid out, and what of it each part of the drawing stands for.
#[derive(Debug, Clone, Default)]
pub struct Picture {
    /// What the layout needs. A node's id is the ordinal of its step as text, because two steps may share an author's id. An
    /// edge's id is `<from ordinal>-<to ordinal>-<n>`, `n` counting the edges between the two from 0 as written: it stays the
    /// same while other routes change. A group's id is that of the node that is its border.
    pub input: Input,
    /// Of each node the ordinal of its step.
    pub steps: Vec<usize>,
    /// Of each edge of the workflow, in the order of [`Workflow::flows`], the index of the edge that is drawn for it; `None`
    /// where it lies inside a collapsed container.
    pub edges: Vec<Option<usize>>,
}

/// What the layout needs to draw the whole workflow.
pub fn input(workflow: &Workflow, direction: Direction) -> Input {
    picture(workflow, direction, &BTreeSet::new(), None).input
}

/// A container is the titled border of what it holds, and its edges end there. A collapsed one is a box: what it holds is
/// left out, and the edges across its border end at the box, those that would then look the same drawn as one. A flow too long for
/// `room` is broken into rows.
pub fn picture(workflow: &Workflow, direction: Direction, collapsed: &BTreeSet<StepId>, room: Option<Room>) -> Picture {
    let steps = workflow.steps();
    let stands = stands_for(workflow, collapsed);
    let shown: Vec<usize> = (0..steps.len()).filter(|&ordinal| stands[ordinal] == ordinal).collect();
    let mut node_of = vec![0; steps.len()];
    for (node, &ordinal) in shown.iter().enumerate() {
        node_of[ordinal] = node;
    }
    let is_border = |step: &&Step| step.work == Work::Group && !collapsed.contains(&step.id);
    let borders: Vec<&Step> = shown.iter().map(|&ordinal| &steps[ordinal]).filter(is_border).collect();
    let group_of: HashMap<usize, usize> = borders.iter().enumerate().map(|(n, step)| (step.ordinal, n)).collect();
    let around = |step: &Step| {
        let container = workflow.container(step)?;
        group_of.get(&container.ordinal).copied()
    };
    let beside = beside(workflow);
    let nodes = shown.iter().map(|&ordinal| &steps[ordinal]).map(|step| InNode {
        id: step.ordinal.to_string(),
        width: width(&step.name),
        height: NODE_HEIGHT,
        gate: step.gate.as_ref().map(|gate| match gate.at {
            GateAt::Before => Side::Before,
            GateAt::After => Side::After,
        }),
        group: around(step),
        frame: group_of.get(&step.ordinal).copied(),
        // Of any other step it is its agents that work together.
        parallel: step.parallel && step.routing == Routing::Dependencies || beside[step.ordinal],
    });
    let (drawn, edges) = edges(workflow, &stands, &node_of);
    let groups = borders.iter().map(|step| InGroup {
        id: step.ordinal.to_string(),
        title: step.name.clone(),
        parent: around(step),
    });
    let input = Input {
        nodes: nodes.collect(),
        edges: drawn,
        groups: groups.collect(),
        lanes: lanes(workflow, &node_of),
        direction,
        room,
    };
    Picture {
        input,
        steps: shown,
        edges,
    }
}

/// By ordinal: whether a step stands at the beginning or the end of a branch that runs beside others.
fn beside(workflow: &Workflow) -> Vec<bool> {
    let mut out = vec![false; workflow.steps().len()];
    let ways = workflow.flows().into_iter().zip(branches::together(workflow));
    for ((from, to, _), _) in ways.filter(|(_, together)| *together) {
        let begins = match &from.routing {
            Routing::Fork(fork) if fork.rules.batch == Some(1) => continue,
            Routing::Fork(fork) => fork.targets.contains(&to.id),
            _ => false,
        };
        out[if begins { to.ordinal } else { from.ordinal }] = true;
    }
    out
}

/// Steps of one phase in a row are a lane; those without a phase divide lanes and are in none that is seen.
fn lanes(workflow: &Workflow, node_of: &[usize]) -> Vec<InLane> {
    if !workflow.contract().phase_lanes || workflow.steps().iter().all(|step| step.phase.is_none()) {
        return Vec::new();
    }
    let mut lanes: Vec<InLane> = Vec::new();
    for step in workflow.steps() {
        let title = step.phase.as_deref().unwrap_or_default();
        match lanes.last_mut().filter(|lane| lane.title == title) {
            Some(lane) => lane.nodes.push(node_of[step.ordinal]),
            None => lanes.push(InLane {
                id: step.ordinal.to_string(),
                title: title.to_owned(),
                nodes: vec![node_of[step.ordinal]],
            }),
        }
    }
    lanes
}

/// Of each step the ordinal of the step that is drawn for it: itself, or the outermost collapsed container around it.
fn stands_for(workflow: &Workflow, collapsed: &BTreeSet<StepId>) -> Vec<usize> {
    let mut stands: Vec<usize> = Vec::with_capacity(workflow.steps().len());
    for step in workflow.steps() {
        // A container stands before what it holds.
        let around = workflow.container(step).map(|container| {
            let drawn = stands[container.ordinal];
            let is_hidden = drawn != container.ordinal || collapsed.contains(&container.id);
            (drawn, is_hidden)
        });
        stands.push(match around {
            Some((drawn, true)) => drawn,
            _ => step.ordinal,
        });
    }
    stands
}

/// The edges to draw, and for each of the workflow's own which of them it is.
fn edges(workflow: &Workflow, stands: &[usize], node_of: &[usize]) -> (Vec<InEdge>, Vec<Option<usize>>) {
    let mut drawn: Vec<InEdge> = Vec::new();
    let mut seen: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
    let mut of = Vec::new();
    for ((from, to, flow), together) in workflow.flows().into_iter().zip(branches::together(workflow)) {
        let (start, end) = (stands[from.ordinal], stands[to.ordinal]);
        let joined = start != from.ordinal || end != to.ordinal;
        // What a collapsed container does in itself is not seen, but for its own way back to its beginning.
        if joined && start == end && start != from.ordinal {
            of.push(None);
            continue;
        }
        let edge = InEdge {
            id: String::new(),
            from: node_of[start],
            to: node_of[end],
            label: flow.drawn_label(),
            kind: kind(flow.kind),
            together,
        };
        let between = seen.entry((start, end)).or_default();
        let alike = |other: &&usize| (&drawn[**other].label, drawn[**other].kind) == (&edge.label, edge.kind);
        let same = between.iter().find(|other| joined && alike(other)).copied();
        of.push(Some(same.unwrap_or_else(|| {
            let id = format!("{start}-{end}-{}", between.len());
            between.push(drawn.len());
            drawn.push(InEdge { id, ..edge });
            drawn.len() - 1
        })));
    }
    (drawn, of)
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
        FlowKind::Detour => EdgeKind::Detour,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::draw;
    use crate::{
        Action, Format, Gate, GateAt, GateRequirement, Jump, Microloop, Quantifier, Routing, Step, Transition,
    };

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
    fn phases_in_a_row_are_lanes() {
        let phases = [Some("Plan"), Some("Plan"), None, Some("Build"), Some("Plan")];
        let steps = phases.iter().enumerate().map(|(n, phase)| Step {
            phase: phase.map(str::to_owned),
            ..Step::new(format!("s{n}"), n)
        });
        let steps: Vec<Step> = steps.collect();
        let of = |format| Workflow::new("w".into(), "W".to_owned(), format, steps.clone());
        let input = input(&of(Format::StepSpec), Direction::Right);
        let lanes: Vec<(&str, &str, &[usize])> = input
            .lanes
            .iter()
            .map(|lane| (lane.id.as_str(), lane.title.as_str(), lane.nodes.as_slice()))
            .collect();
        assert_eq!(
            lanes,
            [
                ("0", "Plan", &[0, 1][..]),
                ("2", "", &[2]),
                ("3", "Build", &[3]),
                ("4", "Plan", &[4])
            ]
        );
        let drawing = draw(&input);
        let titles: Vec<&str> = drawing.lanes.iter().map(|lane| lane.title.as_str()).collect();
        assert_eq!(titles, ["Plan", "Build", "Plan"]);
        // A phase of another format is a word on the step.
        assert!(super::input(&of(Format::Stepwise), Direction::Right).lanes.is_empty());
    }

    #[test]
    fn the_branches_of_a_fork_stand_between_two_bars() {
        let to = |next: &str| Routing::Linear {
            next: Some(next.into()),
        };
        let fork = |batch| {
            let targets = ["b", "c"].map(Into::into).to_vec();
            let rules = crate::ForkRules {
                batch,
                ..Default::default()
            };
            Routing::Fork(Box::new(crate::Fork {
                targets,
                join: None,
                rules,
            }))
        };
        let steps = |batch| {
            [
                ("a", fork(batch)),
                ("b", to("b2")),
                ("b2", to("j")),
                ("c", to("j")),
                ("j", Routing::Terminal),
            ]
        };
        let drawn = |batch| {
            let steps = steps(batch).into_iter().enumerate();
            let steps = steps.map(|(n, (id, routing))| Step {
                routing,
                ..Step::new(id, n)
            });
            let workflow = Workflow::new("f".into(), "F".into(), Format::Stepwise, steps.collect());
            draw(&input(&workflow, Direction::Right))
        };
        let bars = |drawing: &crate::layout::Drawing| {
            let bars = drawing
                .forks
                .iter()
                .map(|bar| (bar.from.join(","), bar.to.join(","), bar.beside.len()));
            bars.collect::<Vec<_>>()
        };
        let side_by_side = drawn(None);
        let between = [
            ("0".to_owned(), "1,3".to_owned(), 2),
            ("2,3".to_owned(), "4".to_owned(), 2),
        ];
        assert_eq!(bars(&side_by_side), between);
        assert!(
            side_by_side
                .edges
                .iter()
                .all(|edge| edge.label.is_none() && !edge.implied)
        );
        assert_eq!(
            bars(&drawn(Some(1)))[0].2,
            0,
            "one after the other is not beside each other"
        );
    }

    #[test]
    fn it_can_be_drawn() {
        let drawing = draw(&input(&workflow(), Direction::Right));
        assert_eq!(drawing.nodes.len(), 4);
        assert_eq!(drawing.edges.len(), 5);
        assert_eq!(drawing.bars.len(), 1);
    }

    /// A container that decides, with a retry; a step after it; a step that only a jump reaches.
    fn runbook() -> Workflow {
        let on = |word: &str, quantifier, action| Transition {
            passed: word == "PASS",
            word: word.to_owned(),
            quantifier,
            action,
        };
        let recover = || Action::Goto(Jump::To("Recover".into()));
        let again = Action::Retry {
            times: 1,
            then: Box::new(recover()),
        };
        let steps: Vec<(&str, Vec<Transition>)> = vec![
            (
                "1",
                vec![
                    on("PASS", Some(Quantifier::All), Action::Continue),
                    on("FAIL", Some(Quantifier::Any), again),
                ],
            ),
            ("1.1", vec![on("FAIL", None, recover())]),
            ("1.2", vec![on("FAIL", None, recover())]),
            ("2", Vec::new()),
            ("Recover", Vec::new()),
        ];
        let steps = steps.into_iter().enumerate().map(|(ordinal, (id, transitions))| Step {
            parent: id.split_once('.').map(|(parent, _)| parent.into()),
            jump_only: id == "Recover",
            work: if id == "1" { Work::Group } else { Work::Agent },
            routing: Routing::Transitions { transitions },
            ..Step::new(id, ordinal)
        });
        Workflow::new("w".into(), "W".to_owned(), Format::Rundown, steps.collect())
    }

    fn ways(picture: &Picture) -> Vec<String> {
        let edges = picture.input.edges.iter();
        edges
            .map(|e| format!("{} {}", e.id, e.label.as_deref().unwrap_or("–")))
            .collect()
    }

    #[test]
    fn a_container_is_the_border_of_what_it_holds() {
        let workflow = runbook();
        let open = picture(&workflow, Direction::Right, &BTreeSet::new(), None);
        assert_eq!(open.steps, [0, 1, 2, 3, 4]);
        assert_eq!(open.input.nodes[0].frame, Some(0));
        assert_eq!(
            open.input.nodes.iter().map(|n| n.group).collect::<Vec<_>>(),
            [None, Some(0), Some(0), None, None]
        );
        assert_eq!(
            ways(&open),
            [
                "0-3-0 PASS ALL",
                "0-1-0 FAIL ANY ↻ 1",
                "0-4-0 FAIL ANY",
                "1-2-0 –",
                "1-4-0 FAIL",
                "2-4-0 FAIL"
            ]
        );
        assert_eq!(
            open.input.edges.iter().map(|e| e.id.clone()).collect::<Vec<_>>(),
            edge_ids(&workflow)
        );
        let drawing = draw(&open.input);
        let (border, first, retry) = (&drawing.nodes[0], &drawing.nodes[1], &drawing.edges[1]);
        assert!(border.x < first.x && border.y < first.y && border.width > first.width);
        assert_eq!(
            (drawing.edges[0].points[0].x, retry.back),
            (border.x + border.width, true)
        );
    }

    #[test]
    fn a_collapsed_container_is_a_box_with_the_edges_of_what_it_holds() {
        let workflow = runbook();
        let closed = picture(&workflow, Direction::Right, &BTreeSet::from(["1".into()]), None);
        assert_eq!(closed.steps, [0, 3, 4]);
        assert!(closed.input.groups.is_empty() && closed.input.nodes[0].frame.is_none());
        assert_eq!(
            ways(&closed),
            ["0-3-0 PASS ALL", "0-0-0 FAIL ANY ↻ 1", "0-4-0 FAIL ANY", "0-4-1 FAIL"]
        );
        // Both failures inside are one edge, what happens between the two steps is none.
        assert_eq!(closed.edges, [Some(0), Some(1), Some(2), None, Some(3), Some(3)]);
        assert_eq!(draw(&closed.input).edges.len(), 4);
    }
}
