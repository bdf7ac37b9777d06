//! The lanes of back edges: flat above the boxes they span where there is room, else along their passes.

use super::layers::What;
use super::parts::{GRID, LANE_BASE, Plan, Route, Run};

/// A stretch of a layer that an arc occupies.
#[derive(Clone, Copy)]
struct Taken {
    top: f64,
    bottom: f64,
    start: f64,
    end: f64,
}

/// Routes of all arcs, by link. Short arcs choose first, so long ones run outside of them.
pub(super) fn arcs(plan: &Plan, items: &[(f64, f64)], tops: &[(f64, f64)]) -> Vec<(usize, Route)> {
    let layer = |item: usize| plan.graph.cells[plan.cell_of[item]].layer;
    let mut links: Vec<usize> = (0..plan.links.len())
        .filter(|&link| plan.links[link].back && !plan.around[link])
        .collect();
    links.sort_by_key(|&link| (layer(plan.links[link].from).abs_diff(layer(plan.links[link].to)), link));
    let mut taken: Vec<Vec<Taken>> = vec![Vec::new(); plan.graph.layers.len()];
    links
        .into_iter()
        .map(|index| {
            let link = &plan.links[index];
            let from = (items[link.from].0 + tops[index].0, items[link.from].1);
            let to = (items[link.to].0 + tops[index].1, items[link.to].1);
            let runs = match flat(plan, items, index, from, to, &taken) {
                Some(cross) => vec![Run {
                    start: from.0,
                    end: to.0,
                    cross,
                }],
                None => along_passes(plan, items, index, from, to),
            };
            let (first, last) = (layer(link.to), layer(link.from));
            for (at, taken) in taken.iter_mut().enumerate().take(last + 1).skip(first) {
                let cross = if runs.len() == 1 {
                    runs[0].cross
                } else {
                    runs[(last - at).min(runs.len() - 1)].cross
                };
                taken.push(Taken {
                    top: cross - link.thickness() + GRID,
                    bottom: cross + GRID,
                    start: to.0,
                    end: from.0,
                });
            }
            (index, Route::Over { from, to, runs })
        })
        .collect()
}

/// The lowest flat lane above all boxes between, or none when a box above is in the way.
fn flat(
    plan: &Plan,
    items: &[(f64, f64)],
    index: usize,
    from: (f64, f64),
    to: (f64, f64),
    taken: &[Vec<Taken>],
) -> Option<f64> {
    let link = &plan.links[index];
    let graph = &plan.graph;
    let (from_lane, to_lane) = plan.lanes[index];
    let mut lowest = (from.1 - from_lane).min(to.1 - to_lane);
    let mut highest = f64::NEG_INFINITY;
    let mut passing: Vec<f64> = Vec::new();
    let (from_cell, to_cell) = (plan.cell_of[link.from], plan.cell_of[link.to]);
    let mut own: Vec<usize> = plan.passes[index].clone();
    own.extend([from_cell, to_cell]);
    for &cell in &own {
        let layer = &graph.layers[graph.cells[cell].layer];
        let place = graph.place[cell];
        let is_end = cell == from_cell || cell == to_cell;
        for &below in layer[place + 1..].iter().take(if is_end { 0 } else { usize::MAX }) {
            match graph.cells[below].what {
                What::Item(item) => {
                    lowest = lowest.min(items[item].1 - LANE_BASE + 2.0 * GRID);
                    break;
                }
                What::Pass(other) if !plan.links[other].back => passing.push(plan.at[below]),
                What::Pass(_) => {}
            }
        }
        for &above in layer[..place].iter().rev() {
            match graph.cells[above].what {
                What::Item(item) => {
                    highest = highest.max(items[item].1 + plan.items[item].cross + link.thickness());
                    break;
                }
                What::Pass(other) if !plan.links[other].back => passing.push(plan.at[above]),
                What::Pass(_) => {}
            }
        }
    }
    let (first, last) = (graph.cells[to_cell].layer, graph.cells[from_cell].layer);
    // Open intervals where the lane may not lie, the lowest on the screen first.
    let mut blocked: Vec<(f64, f64)> = taken[first..=last]
        .iter()
        .flatten()
        .filter(|other| other.start < from.0 && to.0 < other.end)
        .map(|other| (other.top - GRID, other.bottom + link.thickness() - GRID))
        .chain(passing.iter().map(|at| (at - 10.0, at + 10.0)))
        .collect();
    blocked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.total_cmp(&b.0)));
    let floor = |value: f64| (value / GRID).floor() * GRID;
    let mut lane = floor(lowest);
    for (top, bottom) in blocked {
        if top < lane && lane < bottom {
            lane = floor(top);
        }
    }
    (lane >= highest).then_some(lane)
}

/// Lane above the box it leaves, its passes, lane above the box it reaches.
fn along_passes(plan: &Plan, items: &[(f64, f64)], index: usize, from: (f64, f64), to: (f64, f64)) -> Vec<Run> {
    let link = &plan.links[index];
    let (from_lane, to_lane) = plan.lanes[index];
    let bounds = |item: usize| plan.bounds[plan.graph.cells[plan.cell_of[item]].layer];
    let mut runs = vec![Run {
        start: from.0,
        end: bounds(link.from).0,
        cross: items[link.from].1 - from_lane,
    }];
    for &pass in plan.passes[index].iter().rev() {
        let (start, end) = plan.bounds[plan.graph.cells[pass].layer];
        runs.push(Run {
            start: end,
            end: start,
            cross: plan.at[pass],
        });
    }
    runs.push(Run {
        start: bounds(link.to).1,
        end: to.0,
        cross: items[link.to].1 - to_lane,
    });
    runs
}
