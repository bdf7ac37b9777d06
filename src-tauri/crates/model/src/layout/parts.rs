//! What the steps of the layout hand to each other: items, links, routes, containers, and the measures that all of them use.

use super::layers::Layers;
use super::{Direction, Input};

/// All places are multiples of this, px.
pub(super) const GRID: f64 = 4.0;
/// Height of the innermost lane above its box, px: room for an arrowhead and a number below the line.
pub(super) const LANE_BASE: f64 = 32.0;
/// Room between a group's border and what it holds, px.
pub(super) const PADDING: f64 = 16.0;
/// Labels longer than this are cut short by whoever draws them, px.
const LABEL_MOST: f64 = 168.0;

pub(super) fn snap(value: f64) -> f64 {
    (value / GRID).round() * GRID
}

/// Whether an item is a box, the place where an edge enters or leaves the container, or a bar where dependencies part or meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Port {
    Box,
    Entry,
    Exit,
    Bar,
}

/// A box to place.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) main: f64,
    pub(super) cross: f64,
    pub(super) port: Port,
    /// Which lane it stands in; 0 where nothing is divided.
    pub(super) lane: usize,
}

impl Item {
    /// Distance of the line its edges hold to from the upper edge, px.
    pub(super) fn line(&self) -> f64 {
        snap(self.cross / 2.0)
    }
}

/// An edge between two items of the component.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Points back: drawn as an arc above the boxes.
    pub(super) back: bool,
    /// The way on, not a side branch: worth a straight line.
    pub(super) is_flow: bool,
    /// The later waits for the earlier.
    pub(super) depends: bool,
    /// Where it leaves and reaches a group, from the group's line; `None` at a plain box, which spreads its edges itself.
    pub(super) from_port: Option<f64>,
    pub(super) to_port: Option<f64>,
    /// Where an arc leaves and reaches a group's upper edge, from the group's start.
    pub(super) from_top: Option<f64>,
    pub(super) to_top: Option<f64>,
    /// Room its label takes along the main axis and the cross axis, px; 0 without a label.
    pub(super) label_main: f64,
    pub(super) label_cross: f64,
}

impl Link {
    /// Room its lane takes, line and label, px.
    pub(super) fn thickness(&self) -> f64 {
        (self.label_cross + 6.0).max(24.0)
    }
}

/// A straight stretch along the main axis; `end` lies before `start` on an arc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) cross: f64,
}

/// The way of one link.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Route {
    /// From the far side of one box to the near side of another, in runs joined by curves.
    Across(Vec<Run>),
    /// Up from a box, along the runs, down on a box. Points are (main, cross).
    Over {
        from: (f64, f64),
        to: (f64, f64),
        runs: Vec<Run>,
    },
    /// Out of one row, around between the rows, and into a later one. `between` is a rectilinear line of (main, cross).
    Broken {
        out: Vec<Run>,
        between: Vec<(f64, f64)>,
        home: Vec<Run>,
    },
    /// Outside of everything, for links too long to give a place in every layer: corners of a rectilinear line.
    Around(Vec<(f64, f64)>),
}

/// The room a drawing is to fill, on main and cross axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Room {
    pub(super) main: f64,
    pub(super) cross: f64,
    /// Room that every row but the first takes before its boxes, for the titles of lanes.
    pub(super) header: f64,
}

/// A component with its places.
#[derive(Clone, Debug)]
pub(super) struct Laid {
    pub(super) main: f64,
    pub(super) cross: f64,
    /// Upper corner nearest to the start of each item: (main, cross).
    pub(super) items: Vec<(f64, f64)>,
    /// Start of the layer of each item.
    pub(super) layer_start: Vec<f64>,
    /// Upper edge of the row of each item; `None` in the first.
    pub(super) row_top: Vec<Option<f64>>,
    /// Upper and lower edge of each row on the cross axis.
    pub(super) rows: Vec<(f64, f64)>,
    pub(super) routes: Vec<Route>,
    /// Where a link's texts stand: between this run of its route and the next.
    pub(super) label_after: Vec<usize>,
    /// Whether a link says only what others say already.
    pub(super) implied: Vec<bool>,
    pub(super) bars: Vec<LaidBar>,
}

/// A bar with its place: from `low` to `high` on the cross axis.
#[derive(Clone, Debug)]
pub(super) struct LaidBar {
    pub(super) main: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    /// Items that lead to it, and that follow it.
    pub(super) from: Vec<usize>,
    pub(super) to: Vec<usize>,
}

/// What the later steps need to know about one component.
pub(super) struct Plan {
    pub(super) items: Vec<Item>,
    pub(super) links: Vec<Link>,
    pub(super) graph: Layers,
    /// Cell of each item.
    pub(super) cell_of: Vec<usize>,
    /// Passes of each link from the earlier layer to the later.
    pub(super) passes: Vec<Vec<usize>>,
    /// Links that get no passes.
    pub(super) around: Vec<bool>,
    /// For each link that arcs, how far its lane lies above the box at its two ends.
    pub(super) lanes: Vec<(f64, f64)>,
    /// Cross coordinate of each cell's line.
    pub(super) at: Vec<f64>,
    /// Start and end of each layer.
    pub(super) bounds: Vec<(f64, f64)>,
}

/// A piece of an edge's way inside one container.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) edge: usize,
    pub(super) route: Route,
    /// The piece between the two boxes (or groups) that stand side by side: it carries the label.
    pub(super) is_main: bool,
    pub(super) back: bool,
    /// Other dependencies say it already.
    pub(super) implied: bool,
    /// Where the texts stand: between this run of the route and the next.
    pub(super) label_after: usize,
    /// Order along the edge.
    pub(super) place: usize,
}

/// The way of an arc from an item up to the border of the group around it; the arc runs it upwards or downwards.
#[derive(Clone, Debug)]
pub(super) struct Riser {
    pub(super) edge: usize,
    /// The arc leaves the group here; else it reaches it.
    pub(super) leaves: bool,
    pub(super) container: usize,
    pub(super) points: Vec<(f64, f64)>,
}

/// The whole drawing on main and cross axis.
#[derive(Clone, Debug, Default)]
pub(super) struct Arranged {
    pub(super) main: f64,
    pub(super) cross: f64,
    /// (main, cross) of each node of the input.
    pub(super) nodes: Vec<(f64, f64)>,
    /// (main, cross, main size, cross size, depth) of each group.
    pub(super) groups: Vec<(f64, f64, f64, f64, u32)>,
    pub(super) pieces: Vec<Piece>,
    /// From the inside out.
    pub(super) risers: Vec<Riser>,
    /// Where dependencies part or meet; `from` and `to` are nodes.
    pub(super) bars: Vec<LaidBar>,
    /// Upper and lower edge of each row of what stands outermost, where it is one component.
    pub(super) rows: Vec<(f64, f64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Node(usize),
    Group(usize),
    /// Edge, and its place along the edge.
    Port(usize, usize),
}

/// Index 0 is the outermost container, group `g` is `g + 1`.
#[derive(Clone, Debug, Default)]
pub(super) struct Container {
    pub(super) contents: Vec<Content>,
    /// Links with their edge, place along the edge, and whether they are the main piece.
    pub(super) links: Vec<(usize, usize, bool, usize, usize)>,
    pub(super) back: Vec<bool>,
    pub(super) size: (f64, f64),
    pub(super) places: Vec<(f64, f64)>,
    pub(super) layer_start: Vec<f64>,
    /// Upper edge of the component, or of its row, that each of the contents belongs to; `None` for what stands first.
    pub(super) component_top: Vec<Option<f64>>,
    pub(super) routes: Vec<Route>,
    pub(super) implied: Vec<bool>,
    pub(super) label_after: Vec<usize>,
    /// `from` and `to` are places among the contents.
    pub(super) bars: Vec<LaidBar>,
    /// Upper and lower edge of each row.
    pub(super) rows: Vec<(f64, f64)>,
}

/// Estimated width of a text at 11 px, px.
pub(super) fn text_width(text: &str) -> f64 {
    text.chars()
        .map(|letter| if (letter as u32) < 0x2e80 { 6.2 } else { 11.0 })
        .sum::<f64>()
        .min(LABEL_MOST)
}

/// The group whose border a node is.
pub(super) fn frame(input: &Input, node: usize) -> Option<usize> {
    input.nodes[node].frame.filter(|&group| group < input.groups.len())
}

/// Size of a node on main and cross axis, made sound.
pub(super) fn size(input: &Input, node: usize) -> (f64, f64) {
    let node = &input.nodes[node];
    let sane = |value: f64, usual: f64| {
        if value.is_finite() && value > 0.0 {
            value.clamp(8.0, 4_000.0)
        } else {
            usual
        }
    };
    let (width, height) = (
        sane(node.width, super::NODE_WIDTH),
        sane(node.height, super::NODE_HEIGHT),
    );
    match input.direction {
        Direction::Right => (width, height),
        Direction::Down => (height, width),
    }
}
