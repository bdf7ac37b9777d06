//! The layered drawing of a workflow: places and ways of everything, computed once from structure alone.
//!
//! The window, the report and the command line draw the same [`Drawing`]. It depends on ids, order, sizes, edges and groups,
//! never on a run's status. It is deterministic: document order decides ties, and nothing iterates over a hash.
//!
//! Back edges become arcs above the row (beside it when the drawing runs down), each in a lane of its own. The steps are those of
//! Sugiyama: order of the cycles ([`cycles`]), layers ([`ranks`]), order in the layers ([`order`]), coordinates ([`coordinates`]),
//! ways ([`routes`], [`arcs`]); groups are laid out inside out ([`containers`]). What waits for the same, and what the same waits for, stands
//! between bars ([`forks`], [`bars`]). Steps of one phase stand in a lane ([`bands`]). A flow too long for its room is broken into rows
//! ([`rows`]), each of them laid out for itself. What these steps hand to each other are [`parts`].

mod absolute;
mod arcs;
mod bands;
#[cfg(test)]
mod bands_tests;
mod bars;
mod component;
mod containers;
mod coordinates;
mod crossings;
mod cycles;
mod drawing;
mod fitting;
mod forks;
mod labels;
#[cfg(test)]
mod lanes_tests;
mod layers;
mod nesting;
mod order;
mod parts;
mod paths;
mod ranks;
mod routes;
mod rows;
#[cfg(test)]
mod rows_tests;
mod sent;
pub mod svg;
#[cfg(test)]
mod tests;
mod ways;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

pub use crossings::crossings;
pub use drawing::{Arrow, Bar, Direction, Drawing, EdgeKind, EdgePath, Fork, GroupBox, Lane, NodeBox, Point};
pub use sent::add_sent;

/// Usual size of a step's box, px.
pub const NODE_WIDTH: f64 = 168.0;
/// Usual size of a step's box, px.
pub const NODE_HEIGHT: f64 = 64.0;
/// Empty border around the drawing, px.
const MARGIN: f64 = 24.0;
/// Distance of a gate's bar from its box, px.
const BAR_GAP: f64 = 8.0;
/// Length of an arrow's head, px.
const ARROW: f64 = 10.0;

/// What is to be drawn.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// Boxes in document order, which decides ties.
    pub nodes: Vec<InNode>,
    /// Edges; one that names no node is left out.
    pub edges: Vec<InEdge>,
    /// Titled containers.
    pub groups: Vec<InGroup>,
    /// Lanes, in the order in which they lie along the flow. Where there are containers or dependencies, nothing is divided into
    /// lanes.
    pub lanes: Vec<InLane>,
    /// Where the flow runs to.
    pub direction: Direction,
    /// What the drawing is to fit into. A flow that would have to be shrunk to fit is broken into rows; without a room it is one row.
    pub room: Option<Room>,
}

/// The room a drawing is to fit into at its full size, with its margin. Whoever shows it says so in coarse steps, so that the picture
/// stays the same while a window is dragged a little wider.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(export_to = "drawing.gen.ts")]
pub struct Room {
    /// px
    pub width: f64,
    /// px
    pub height: f64,
}

/// On which side of a node a gate's bar stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Across the edges that arrive: a person is asked before the work.
    Before,
    /// Across the edges that leave: a person is asked after it.
    After,
}

/// A box to be placed.
#[derive(Clone, Debug)]
pub struct InNode {
    /// Unique among the nodes.
    pub id: String,
    /// px; a size that is not a positive number becomes the usual one.
    pub width: f64,
    /// px
    pub height: f64,
    /// Where a bar across the edges is drawn; absent: none.
    pub gate: Option<Side>,
    /// Index of the group that holds it.
    pub group: Option<usize>,
    /// Index of the group whose border it is: it has that group's place and size, and its edges end at the border. Its own
    /// size and `group` mean nothing then.
    pub frame: Option<usize>,
    /// It may run beside others that are ready.
    pub parallel: bool,
}

/// An edge to be routed.
#[derive(Clone, Debug)]
pub struct InEdge {
    /// Unique among the edges.
    pub id: String,
    /// Index of the node it leaves.
    pub from: usize,
    /// Index of the node it reaches.
    pub to: usize,
    /// Text beside the line; room is kept for its estimated width, in coarse steps.
    pub label: Option<String>,
    /// What the edge means.
    pub kind: EdgeKind,
    /// It is gone together with others from where they part, or to where they meet: the bars gather it as they gather dependencies.
    pub together: bool,
}

/// A titled container.
#[derive(Clone, Debug)]
pub struct InGroup {
    /// Unique among the groups.
    pub id: String,
    /// Shown in its upper corner.
    pub title: String,
    /// Index of the group around it. A group that would contain itself stands outermost.
    pub parent: Option<usize>,
}

/// A lane: nodes that stand together, before those of every later lane.
#[derive(Clone, Debug)]
pub struct InLane {
    /// Unique among the lanes.
    pub id: String,
    /// Shown at its beginning; a lane without one divides as others do and is not drawn.
    pub title: String,
    /// Indices of its nodes. A node in no lane stands with the node before it.
    pub nodes: Vec<usize>,
}

/// Places and routes everything. Total: hostile input (edges out of range, rings of groups, sizes that are no numbers) is
/// drawn as far as it makes sense. Work is bounded: see `order::WORK`.
pub fn draw(input: &Input) -> Drawing {
    let valid: Vec<usize> = (0..input.edges.len())
        .filter(|&edge| input.edges[edge].from.max(input.edges[edge].to) < input.nodes.len())
        .collect();
    let mut arranged = containers::arrange(input, &valid);
    let header = bands::header(input);
    arranged.shift(MARGIN, MARGIN + header);
    let place = |at: (f64, f64)| paths::turned(input.direction, at);

    let nodes: Vec<NodeBox> = input
        .nodes
        .iter()
        .enumerate()
        .map(|(index, node)| {
            let (at, size) = match parts::frame(input, index) {
                Some(group) => {
                    let (main, cross, main_size, cross_size, _) = arranged.groups[group];
                    ((main, cross), (main_size, cross_size))
                }
                None => (arranged.nodes[index], parts::size(input, index)),
            };
            let Point { x, y } = place(at);
            let Point { x: width, y: height } = place(size);
            NodeBox {
                id: node.id.clone(),
                x,
                y,
                width,
                height,
            }
        })
        .collect();
    let groups: Vec<GroupBox> = input
        .groups
        .iter()
        .zip(&arranged.groups)
        .map(|(group, &(main, cross, main_size, cross_size, depth))| {
            let (Point { x, y }, Point { x: width, y: height }) =
                (place((main, cross)), place((main_size, cross_size)));
            GroupBox {
                id: group.id.clone(),
                title: group.title.clone(),
                depth,
                x,
                y,
                width,
                height,
            }
        })
        .collect();
    let mut edges = Vec::with_capacity(valid.len());
    // A border is no obstacle: texts stand inside it.
    let boxes: Vec<&NodeBox> = (0..nodes.len())
        .filter(|&node| parts::frame(input, node).is_none())
        .map(|node| &nodes[node])
        .collect();
    let mut texts = labels::Texts::new(input.direction, &boxes);
    // Labels of ways that leave one box together lie below each other, each on its own line.
    let mut labelled = vec![0usize; input.nodes.len()];
    let has_label = |edge: &InEdge| edge.label.as_ref().is_some_and(|label| !label.is_empty());
    for &edge in &valid {
        labelled[input.edges[edge].from] += usize::from(has_label(&input.edges[edge]));
    }
    let forks = arranged
        .bars
        .iter()
        .enumerate()
        .map(|(n, bar)| fork(input, n, bar))
        .collect();
    for way in arranged.ways(&valid) {
        let edge = &input.edges[way.edge];
        let mut pen = paths::Pen::new(input.direction, way.start());
        way.draw(&mut pen);
        let (path, points, arrow) = pen.finish();
        let label = edge.label.clone().filter(|label| !label.is_empty());
        let (label_at, number_at) = texts.place(&way, label.as_deref(), labelled[edge.from] > 2);
        edges.push(EdgePath {
            id: edge.id.clone(),
            from: input.nodes[edge.from].id.clone(),
            to: input.nodes[edge.to].id.clone(),
            kind: edge.kind,
            back: way.back,
            implied: way.implied,
            path,
            points,
            arrow,
            label,
            label_at,
            number_at,
        });
    }
    let bars = gate_bars(input, &nodes, &edges);
    let whole = (arranged.main + 2.0 * MARGIN, arranged.cross + 2.0 * MARGIN + header);
    let lanes = bands::bands(input, &arranged.nodes, &arranged.rows, whole);
    let Point { x: width, y: height } = place(whole);
    Drawing {
        width,
        height,
        direction: input.direction,
        nodes,
        edges,
        groups,
        lanes,
        bars,
        forks,
    }
}

fn fork(input: &Input, n: usize, bar: &parts::LaidBar) -> Fork {
    let ids = |nodes: &[usize]| nodes.iter().map(|&node| input.nodes[node].id.clone()).collect();
    // One alone runs beside nothing.
    let beside = |nodes: &[usize]| {
        let marked: Vec<usize> = nodes
            .iter()
            .copied()
            .filter(|&node| input.nodes[node].parallel)
            .collect();
        if marked.len() > 1 { marked } else { Vec::new() }
    };
    let (start, end) = (
        paths::turned(input.direction, (bar.main, bar.low)),
        paths::turned(input.direction, (bar.main, bar.high)),
    );
    Fork {
        id: format!("bar-{n}"),
        x1: start.x,
        y1: start.y,
        x2: end.x,
        y2: end.y,
        from: ids(&bar.from),
        to: ids(&bar.to),
        beside: ids(&[beside(&bar.from), beside(&bar.to)].concat()),
    }
}

/// The bar spans the middle of its side and every edge that leaves, or arrives, there.
fn gate_bars(input: &Input, nodes: &[NodeBox], edges: &[EdgePath]) -> Vec<Bar> {
    if input.nodes.iter().all(|node| node.gate.is_none()) {
        return Vec::new();
    }
    let right = input.direction == Direction::Right;
    let across = |point: Point| if right { point.y } else { point.x };
    let mut spans: Vec<(f64, f64)> = nodes
        .iter()
        .map(|node| {
            if right {
                node.y + node.height / 2.0
            } else {
                node.x + node.width / 2.0
            }
        })
        .map(|middle| (middle - 16.0, middle + 16.0))
        .collect();
    // `edges` holds the valid edges in input order.
    let valid = input.edges.iter().filter(|edge| edge.from.max(edge.to) < nodes.len());
    for (edge, ends) in edges.iter().zip(valid).filter(|(edge, _)| !edge.back) {
        let mut widen = |node: usize, side: Side, at: Option<&Point>| {
            if let Some(at) = at
                .filter(|_| input.nodes[node].gate == Some(side))
                .map(|at| across(*at))
            {
                let span = &mut spans[node];
                *span = (span.0.min(at - 8.0), span.1.max(at + 8.0));
            }
        };
        widen(ends.from, Side::After, edge.points.first());
        widen(ends.to, Side::Before, edge.points.last());
    }
    nodes
        .iter()
        .zip(&input.nodes)
        .zip(spans)
        .filter_map(|((place, node), span)| Some((place, node.gate?, span)))
        .map(|(place, side, (low, high))| {
            let (start, length) = if right {
                (place.x, place.width)
            } else {
                (place.y, place.height)
            };
            let at = match side {
                Side::After => start + length + BAR_GAP,
                // Clear of the arrow heads.
                Side::Before => start - BAR_GAP - ARROW,
            };
            let (x1, y1, x2, y2) = if right {
                (at, low, at, high)
            } else {
                (low, at, high, at)
            };
            Bar {
                x1,
                y1,
                x2,
                y2,
                node: place.id.clone(),
            }
        })
        .collect()
}
