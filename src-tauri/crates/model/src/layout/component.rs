//! One connected component: items and links in, places and routes out. Main and cross axis are those of `layers`.

use super::bars;
use super::coordinates::cross_coordinates;
use super::layers::{Cell, Layers, Segment, What};
use super::order::reduce_crossings;
use super::parts::{GRID, Item, LANE_BASE, Laid, Link, Plan, Port, snap};

/// Room between two layers, two boxes of a layer, and beside a passing edge, px.
const LAYER_GAP: f64 = 56.0;
const BAR_GAP: f64 = 32.0;
const BOX_GAP: f64 = 32.0;
const PASS_GAP: f64 = 16.0;
/// Half the room a passing edge takes, px.
const PASS_HALF: f64 = 4.0;

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
