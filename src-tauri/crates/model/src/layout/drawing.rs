//! What is drawn: boxes, ways, containers and bars with their places.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Where the flow runs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "drawing.gen.ts")]
pub enum Direction {
    /// Layers from left to right.
    #[default]
    Right,
    /// Layers from top to bottom.
    Down,
}

/// What an edge means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "drawing.gen.ts")]
pub enum EdgeKind {
    /// The way on.
    Flow,
    /// Back by meaning: another round.
    Loop,
    /// One of several labelled ways.
    Branch,
    /// The later waits for the earlier.
    Depends,
    /// The way after a refusal.
    Reject,
    /// Aside, or back from there.
    Detour,
    /// No workflow's: a person sent the run this way.
    Sent,
    /// No workflow's either: the report of a step sent the work back this way.
    Feedback,
}

/// Everything placed; px, the origin in the upper left corner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(export_to = "drawing.gen.ts")]
pub struct Drawing {
    /// Size of the whole, with a margin.
    pub width: f64,
    /// Size of the whole, with a margin.
    pub height: f64,
    /// Where the flow runs to.
    pub direction: Direction,
    /// One for each node of the input, in its order.
    pub nodes: Vec<NodeBox>,
    /// One for each valid edge of the input, in its order.
    pub edges: Vec<EdgePath>,
    /// One for each group of the input, in its order; draw outer ones (smaller `depth`) first.
    pub groups: Vec<GroupBox>,
    /// Titled bands behind everything, one behind the other along the flow; they never overlap.
    pub lanes: Vec<Lane>,
    /// One for each gate.
    pub bars: Vec<Bar>,
    /// Where dependencies part or meet: what may run beside each other stands between two of them.
    pub forks: Vec<Fork>,
}

/// A placed box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(export_to = "drawing.gen.ts")]
pub struct NodeBox {
    /// The node's id.
    pub id: String,
    /// Left edge, on a grid of 4 px.
    pub x: f64,
    /// Upper edge, on a grid of 4 px.
    pub y: f64,
    /// px
    pub width: f64,
    /// px
    pub height: f64,
}

/// A placed edge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(export_to = "drawing.gen.ts")]
pub struct EdgePath {
    /// The edge's id.
    pub id: String,
    /// Id of the node it leaves.
    pub from: String,
    /// Id of the node it reaches.
    pub to: String,
    /// What the edge means.
    pub kind: EdgeKind,
    /// Points against the flow: drawn as an arc.
    pub back: bool,
    /// A dependency that others say already: drawn quietly.
    pub implied: bool,
    /// SVG path data: absolute M, L, C and Q only.
    pub path: String,
    /// The same as a chain of points, for hit tests and the canvas.
    pub points: Vec<Point>,
    /// The head at its end.
    pub arrow: Arrow,
    /// The label as given.
    pub label: Option<String>,
    /// Middle of the label; there is one when the edge has a label.
    pub label_at: Option<Point>,
    /// Middle of the number that says when the edge was taken; close to that of the label it is the middle of both, one below the other.
    pub number_at: Point,
}

/// A place, px.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(export_to = "drawing.gen.ts")]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
}

/// The tip of an arrowhead.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(export_to = "drawing.gen.ts")]
pub struct Arrow {
    /// Tip, px.
    pub x: f64,
    /// Tip, px.
    pub y: f64,
    /// Where it points: 0 right, 90 down.
    pub angle_deg: f64,
}

/// A placed container.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(export_to = "drawing.gen.ts")]
pub struct GroupBox {
    /// The group's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// How many groups lie around it.
    pub depth: u32,
    /// Left edge, px.
    pub x: f64,
    /// Upper edge, px.
    pub y: f64,
    /// px
    pub width: f64,
    /// px
    pub height: f64,
}

/// A placed lane: a band across the whole drawing. Its title stands in its upper left corner: where the flow runs to the right in a
/// strip of 28 px above the boxes, where it runs down in a column before them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(export_to = "drawing.gen.ts")]
pub struct Lane {
    /// The lane's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Left edge, px.
    pub x: f64,
    /// Upper edge, px.
    pub y: f64,
    /// px
    pub width: f64,
    /// px
    pub height: f64,
    /// Ids of the nodes in it, in document order.
    pub nodes: Vec<String>,
}

/// The bar across the outgoing edges of a gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(export_to = "drawing.gen.ts")]
pub struct Bar {
    /// One end, px.
    pub x1: f64,
    /// One end, px.
    pub y1: f64,
    /// Other end, px.
    pub x2: f64,
    /// Other end, px.
    pub y2: f64,
    /// Id of the gate's node.
    pub node: String,
}

/// A bar where dependencies, or the branches of a fork, part or meet: what leads to it comes before all that follows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(export_to = "drawing.gen.ts")]
pub struct Fork {
    /// Unique among bars and edges.
    pub id: String,
    /// One end, px.
    pub x1: f64,
    /// One end, px.
    pub y1: f64,
    /// Other end, px.
    pub x2: f64,
    /// Other end, px.
    pub y2: f64,
    /// Ids of the nodes that lead to it.
    pub from: Vec<String>,
    /// Ids of the nodes that follow it.
    pub to: Vec<String>,
    /// Ids of the nodes on a side of it that may run at the same time; empty: what begins there takes turns.
    pub beside: Vec<String>,
}
