//! One connected component: items and links in, places and routes out. Main and cross axis are those of `layers`.

use super::bars;
use super::coordinates::cross_coordinates;
use super::forks::{forks, with_bars};
use super::layers::{Cell, Layers, Segment, What};
use super::order::reduce_crossings;
use super::ranks::layers_of;
use super::rows;

/// All places are multiples of this, px.
pub(super) const GRID: f64 = 4.0;
/// Room between two layers, two boxes of a layer, and beside a passing edge, px.
const LAYER_GAP: f64 = 56.0;
const BAR_GAP: f64 = 32.0;
const BOX_GAP: f64 = 32.0;
const PASS_GAP: f64 = 16.0;
/// Height of the innermost lane above its box, px: room for an arrowhead and a number below the line.
pub(super) const LANE_BASE: f64 = 32.0;
/// More items than this are looked at from afar: there a few cut bars are not worth a third drawing.
const MANY: usize = 300;
/// Half the room a passing edge takes, px.
const PASS_HALF: f64 = 4.0;

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

/// Places the items of one component and routes its links; where it has to fit into a room, in rows.
pub(super) fn lay_out(items: Vec<Item>, links: Vec<Link>, room: Option<Room>) -> Laid {
    let mut rank = layers_of(&items, &links);
    let lanes: Vec<usize> = items.iter().map(|item| item.lane).collect();
    super::bands::apart(&mut rank, &lanes);
    if !links.iter().any(|link| link.depends) {
        return place(items, links, &rank, room).0;
    }
    let mut forks = forks(&items, &links, &rank);
    let count = items.len();
    let mut attempts = 0..if count > MANY { 1 } else { 2 };
    loop {
        let barred = with_bars(items.clone(), links.clone(), &rank, &forks);
        let (laid, mut cut) = place(barred.items, barred.links, &barred.rank, room);
        cut.retain(|&bar| forks.sheaves[bar].is_dispensable());
        // Few attempts: another cut bar is less bad than a slow drawing.
        if cut.is_empty() || attempts.next().is_none() {
            return bars::joined(laid, count, &barred.pieces, forks);
        }
        // Where many lead to many the bars often are in each other's way; the others may find room without them.
        let knots: Vec<usize> = cut
            .iter()
            .copied()
            .filter(|&bar| forks.sheaves[bar].is_knot())
            .collect();
        forks.without(if knots.is_empty() { &cut } else { &knots });
    }
}

/// Also the bars that lines go a long way around for, by their place among the bars.
fn place(items: Vec<Item>, links: Vec<Link>, rank: &[usize], room: Option<Room>) -> (Laid, Vec<usize>) {
    match room {
        Some(room) => rows::fitted(items, links, rank, room),
        None => in_one_row(items, links, rank),
    }
}

/// The same, in one row.
pub(super) fn in_one_row(items: Vec<Item>, links: Vec<Link>, rank: &[usize]) -> (Laid, Vec<usize>) {
    let mut plan = plan(items, links, rank);
    reduce_crossings(&mut plan.graph);
    let (graph, items) = (&plan.graph, &plan.items);
    let has_lanes =
        |cell: usize| matches!(graph.cells[cell].what, What::Item(item) if graph.cells[cell].up > items[item].line());
    let mut at = cross_coordinates(graph, &|upper, lower| {
        if graph.is_pass(upper) || graph.is_pass(lower) {
            PASS_GAP
        } else if has_lanes(lower) {
            PASS_GAP - GRID
        } else {
            BOX_GAP
        }
    });
    for place in &mut at {
        *place = snap(*place);
    }
    plan.at = at;
    let cut = bars::stretch(&mut plan);
    plan.bounds = layer_bounds(&plan);
    (super::routes::route(&plan), cut)
}

fn plan(items: Vec<Item>, links: Vec<Link>, rank: &[usize]) -> Plan {
    let (lanes, lane_room) = lanes(&items, &links, rank);
    let mut cells: Vec<Cell> = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let (up, down) = match item.port {
            Port::Box | Port::Bar => (item.line(), item.cross - item.line()),
            Port::Entry | Port::Exit => (PASS_HALF, PASS_HALF),
        };
        cells.push(Cell {
            layer: rank[index],
            what: What::Item(index),
            up: up + lane_room[index],
            down,
        });
    }
    let around = too_long(&links, rank, items.len());
    let mut passes = vec![Vec::new(); links.len()];
    let mut segments = Vec::with_capacity(links.len());
    for (index, link) in links.iter().enumerate() {
        if link.from == link.to || around[index] {
            continue;
        }
        let (early, late) = if link.back {
            (link.to, link.from)
        } else {
            (link.from, link.to)
        };
        let (early_off, late_off) = if link.back {
            (
                -items[early].line() - lanes[index].1,
                -items[late].line() - lanes[index].0,
            )
        } else {
            (link.from_port.unwrap_or(0.0), link.to_port.unwrap_or(0.0))
        };
        let own = u32::from(!link.back);
        let end_priority = match (link.back, link.is_flow) {
            (true, _) => 0,
            (false, true) => 2,
            (false, false) => 1,
        };
        let mut previous = (early, early_off, own, true);
        for layer in rank[early] + 1..=rank[late] {
            let next = if layer == rank[late] {
                (late, late_off, own, true)
            } else {
                let up = if link.back {
                    link.thickness() - PASS_HALF
                } else {
                    PASS_HALF
                };
                cells.push(Cell {
                    layer,
                    what: What::Pass(index),
                    up,
                    down: PASS_HALF,
                });
                passes[index].push(cells.len() - 1);
                (cells.len() - 1, 0.0, 1, false)
            };
            segments.push(Segment {
                before: previous.0,
                after: next.0,
                before_off: previous.1,
                after_off: next.1,
                before_sub: previous.2,
                after_sub: next.2,
                priority: if !previous.3 && !next.3 { 3 } else { end_priority },
            });
            previous = next;
        }
    }
    let mut graph = Layers::new(cells, segments);
    lift_lanes(&mut graph, &links);
    let cell_of = (0..items.len()).collect();
    Plan {
        items,
        links,
        graph,
        cell_of,
        passes,
        around,
        lanes,
        at: Vec::new(),
        bounds: Vec::new(),
    }
}

/// In the first order the passes of arcs lie above the boxes, where arcs belong; all else keeps the document's order.
fn lift_lanes(graph: &mut Layers, links: &[Link]) {
    let is_arc = |what: What| matches!(what, What::Pass(link) if links[link].back);
    for layer in &mut graph.layers {
        layer.sort_by_key(|&cell| !is_arc(graph.cells[cell].what));
    }
    graph.number();
}

/// How far above its two boxes (from, to) each arc runs, and the room the arcs of each item take. Short arcs lie inside long ones.
fn lanes(items: &[Item], links: &[Link], rank: &[usize]) -> (Vec<(f64, f64)>, Vec<f64>) {
    let mut arcs: Vec<usize> = (0..links.len()).filter(|&link| links[link].back).collect();
    arcs.sort_by_key(|&link| (rank[links[link].from].abs_diff(rank[links[link].to]), link));
    let mut lanes = vec![(0.0, 0.0); links.len()];
    // Arcs that leave lie towards the start, those that arrive towards the end: both may use the same height.
    let mut leaving = vec![0.0f64; items.len()];
    let mut arriving = vec![0.0f64; items.len()];
    for link in arcs {
        let Link { from, to, .. } = links[link];
        if from == to {
            let height = leaving[from].max(arriving[from]);
            lanes[link] = (LANE_BASE + height, LANE_BASE + height);
            leaving[from] = height + links[link].thickness();
            arriving[from] = leaving[from];
        } else {
            lanes[link] = (LANE_BASE + leaving[from], LANE_BASE + arriving[to]);
            leaving[from] += links[link].thickness();
            arriving[to] += links[link].thickness();
        }
    }
    let room = leaving
        .iter()
        .zip(&arriving)
        .map(|(a, b)| a.max(*b))
        .map(|room| if room > 0.0 { room + LANE_BASE - GRID } else { 0.0 });
    (lanes, room.collect())
}

/// Bounds memory and time on graphs with very many very long edges: the longest ones run around the drawing.
fn too_long(links: &[Link], rank: &[usize], items: usize) -> Vec<bool> {
    let span = |link: &Link| rank[link.from].abs_diff(rank[link.to]);
    let mut around = vec![false; links.len()];
    let mut total: usize = links.iter().map(span).sum();
    let limit = 8 * (items + links.len()) + 20_000;
    if total > limit {
        let mut longest: Vec<usize> = (0..links.len()).collect();
        longest.sort_by_key(|&link| (std::cmp::Reverse(span(&links[link])), link));
        for link in longest {
            if total <= limit {
                break;
            }
            total -= span(&links[link]);
            around[link] = span(&links[link]) > 1;
        }
    }
    around
}

/// Start and end of every layer. A gap grows in coarse steps for a label and for steep edges, so that small edits move nothing.
fn layer_bounds(plan: &Plan) -> Vec<(f64, f64)> {
    let graph = &plan.graph;
    let depth = graph.layers.len();
    let mut width = vec![0.0f64; depth];
    let mut ports_only = vec![true; depth];
    let mut bars = vec![false; depth];
    for (index, layer) in graph.layers.iter().enumerate() {
        for &cell in layer {
            if let What::Item(item) = graph.cells[cell].what {
                width[index] = width[index].max((plan.items[item].main / GRID).ceil() * GRID);
                ports_only[index] &= matches!(plan.items[item].port, Port::Entry | Port::Exit);
                bars[index] |= plan.items[item].port == Port::Bar;
            }
        }
    }
    let mut gap = vec![LAYER_GAP; depth];
    for index in 0..depth {
        if ports_only[index] || (index + 1 < depth && ports_only[index + 1]) {
            gap[index] = LAYER_GAP / 2.0;
        }
        if bars[index] || bars.get(index + 1) == Some(&true) {
            gap[index] = BAR_GAP;
        }
    }
    let mut steepest = vec![0.0f64; depth];
    let is_bar = |cell: usize| matches!(graph.cells[cell].what, What::Item(item) if plan.items[item].port == Port::Bar);
    // A bar is as long as its lines need to be straight.
    for segment in (graph.segments.iter()).filter(|segment| !is_bar(segment.before) && !is_bar(segment.after)) {
        let layer = graph.cells[segment.before].layer;
        let rise = (plan.at[segment.before] + segment.before_off - plan.at[segment.after] - segment.after_off).abs();
        steepest[layer] = steepest[layer].max(rise);
    }
    for (gap, steepest) in gap.iter_mut().zip(&steepest) {
        *gap += (((steepest - 128.0) * 0.15).clamp(0.0, 64.0) / 16.0).ceil() * 16.0;
    }
    for link in plan.links.iter().filter(|link| link.label_main > 0.0) {
        if !link.back {
            let layer = graph.cells[plan.cell_of[link.from]].layer;
            let need = LAYER_GAP + ((link.label_main + 16.0 - LAYER_GAP).max(0.0) / 32.0).ceil() * 32.0;
            gap[layer] = gap[layer].max(need);
        }
    }
    let mut bounds = Vec::with_capacity(depth);
    let mut start = 0.0;
    for index in 0..depth {
        bounds.push((start, start + width[index]));
        start += width[index] + gap[index];
    }
    bounds
}
