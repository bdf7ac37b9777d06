//! From cells and cross coordinates to the ways of the links.

use super::layers::What;
use super::parts::{GRID, Laid, Link, Plan, Port, Route, Run, snap};

/// Distance between two edges at one side of a box, and between two arcs at its upper edge, px.
const SPREAD: f64 = 14.0;
const TOP_SPREAD: f64 = 24.0;
/// Part of a box's side, from each corner, that edges keep off, px.
const CORNER: f64 = 12.0;

/// Final places and routes of a component; the smallest coordinates are 0.
pub(super) fn route(plan: &Plan) -> Laid {
    let items: Vec<(f64, f64)> = plan
        .items
        .iter()
        .enumerate()
        .map(|(index, item)| {
            let cell = plan.cell_of[index];
            let (start, end) = plan.bounds[plan.graph.cells[cell].layer];
            let line = if matches!(item.port, Port::Box | Port::Bar) {
                item.line()
            } else {
                0.0
            };
            (snap(start + (end - start - item.main) / 2.0), plan.at[cell] - line)
        })
        .collect();
    let (mut from_ports, mut to_ports) = (side_ports(plan, true), side_ports(plan, false));
    super::bars::follow(plan, &mut from_ports, &mut to_ports);
    let tops = top_ports(plan);
    let mut routes: Vec<Route> = plan
        .links
        .iter()
        .enumerate()
        .map(|(index, link)| {
            if plan.around[index] || link.back {
                Route::Around(Vec::new())
            } else {
                Route::Across(across(plan, &items, index, from_ports[index], to_ports[index]))
            }
        })
        .collect();
    for (link, way) in super::arcs::arcs(plan, &items, &tops) {
        routes[link] = way;
    }
    go_around(plan, &items, &mut routes);
    settle(plan, items, routes)
}

fn across(plan: &Plan, items: &[(f64, f64)], index: usize, from_port: f64, to_port: f64) -> Vec<Run> {
    let Link { from, to, .. } = plan.links[index];
    let bounds = |cell: usize| plan.bounds[plan.graph.cells[cell].layer];
    let mut runs = Vec::with_capacity(plan.passes[index].len() + 2);
    let cell = plan.cell_of[from];
    runs.push(Run {
        start: items[from].0 + plan.items[from].main,
        end: bounds(cell).1,
        cross: plan.at[cell] + from_port,
    });
    for &pass in &plan.passes[index] {
        let (start, end) = bounds(pass);
        runs.push(Run {
            start,
            end,
            cross: plan.at[pass],
        });
    }
    let cell = plan.cell_of[to];
    runs.push(Run {
        start: bounds(cell).0,
        end: items[to].0,
        cross: plan.at[cell] + to_port,
    });
    runs
}

/// Where each forward link leaves (or reaches) its box, from the box's line. Straight edges keep the middle; those that turn up lie
/// above them, those that turn down below.
fn side_ports(plan: &Plan, leaving: bool) -> Vec<f64> {
    let mut ports = vec![0.0; plan.links.len()];
    let mut by_item: Vec<Vec<(f64, usize)>> = vec![Vec::new(); plan.items.len()];
    for (index, link) in plan.links.iter().enumerate() {
        if link.back || plan.around[index] {
            continue;
        }
        let (own, other, fixed, other_port) = if leaving {
            (link.from, link.to, link.from_port, link.to_port)
        } else {
            (link.to, link.from, link.to_port, link.from_port)
        };
        if let Some(port) = fixed {
            ports[index] = port;
            continue;
        }
        let next = if leaving {
            plan.passes[index].first()
        } else {
            plan.passes[index].last()
        };
        let at = next.map_or_else(
            || plan.at[plan.cell_of[other]] + other_port.unwrap_or(0.0),
            |&pass| plan.at[pass],
        );
        by_item[own].push((at - plan.at[plan.cell_of[own]], index));
    }
    for (item, list) in by_item.iter_mut().enumerate() {
        if list.len() < 2 {
            continue;
        }
        list.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let last = list.len() - 1;
        let straight: Vec<usize> = (0..=last).filter(|&place| list[place].0.abs() < GRID).collect();
        let middle = match (straight.first(), straight.last()) {
            (Some(&first), Some(&end)) => (first + end) as f64 / 2.0,
            _ => last as f64 / 2.0,
        };
        let room = (plan.items[item].cross / 2.0 - CORNER).max(4.0);
        let spread = SPREAD.min(room / middle.max(last as f64 - middle).max(0.5));
        for (place, &(_, link)) in list.iter().enumerate() {
            ports[link] = (place as f64 - middle) * spread;
        }
    }
    ports
}

/// Where each arc leaves and reaches the upper edge of its boxes, from the box's start: those that leave nearer to the start, long
/// ones inside, so that arcs of one box do not cross.
fn top_ports(plan: &Plan) -> Vec<(f64, f64)> {
    let mut tops = vec![(0.0, 0.0); plan.links.len()];
    // (group, height) sorts the ports of one box: leaving short to long, then self loops, then arriving long to short.
    let mut by_item: Vec<Vec<(u8, f64, usize, bool)>> = vec![Vec::new(); plan.items.len()];
    for (index, link) in plan.links.iter().enumerate().filter(|(_, link)| link.back) {
        let (from_lane, to_lane) = plan.lanes[index];
        if link.from == link.to {
            by_item[link.from].push((1, -to_lane, index, false));
            by_item[link.from].push((2, from_lane, index, true));
        } else {
            by_item[link.from].push((0, from_lane, index, true));
            by_item[link.to].push((3, -to_lane, index, false));
        }
    }
    for (item, list) in by_item.iter_mut().enumerate() {
        list.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
        let width = plan.items[item].main;
        let spread = TOP_SPREAD.min((width - 2.0 * CORNER).max(0.0) / (list.len().max(2) - 1) as f64);
        let start = width / 2.0 - spread * (list.len().max(1) - 1) as f64 / 2.0;
        for (place, &(_, _, link, leaves)) in list.iter().enumerate() {
            let port = start + place as f64 * spread;
            if leaves {
                tops[link].0 = plan.links[link].from_top.unwrap_or(port);
            } else {
                tops[link].1 = plan.links[link].to_top.unwrap_or(port);
            }
        }
    }
    tops
}

/// The links without passes: out into the gap after the box, up over everything, and down in the gap before the other box.
fn go_around(plan: &Plan, items: &[(f64, f64)], routes: &mut [Route]) {
    if !plan.around.contains(&true) {
        return;
    }
    let mut high = plan
        .graph
        .cells
        .iter()
        .zip(&plan.at)
        .map(|(cell, at)| at - cell.up)
        .fold(0.0, f64::min);
    for way in routes.iter() {
        if let Route::Over { runs, .. } = way {
            high = runs.iter().map(|run| run.cross - 20.0).fold(high, f64::min);
        }
    }
    let mut taken = 0;
    for (index, link) in plan.links.iter().enumerate().filter(|(index, _)| plan.around[*index]) {
        taken += 1;
        let lane = snap(high) - 24.0 - f64::from(taken) * 12.0;
        let aside = 12.0 + f64::from(taken % 5) * GRID;
        let (from, to) = (plan.cell_of[link.from], plan.cell_of[link.to]);
        let out = plan.bounds[plan.graph.cells[from].layer].1 + aside;
        let back_in = plan.bounds[plan.graph.cells[to].layer].0 - aside;
        let (start, end) = (items[link.from].0 + plan.items[link.from].main, items[link.to].0);
        let leave = plan.at[from] + link.from_port.unwrap_or(0.0);
        let reach = plan.at[to] + link.to_port.unwrap_or(0.0);
        routes[index] = Route::Around(vec![
            (start, leave),
            (out, leave),
            (out, lane),
            (back_in, lane),
            (back_in, reach),
            (end, reach),
        ]);
    }
}

/// Moves everything so that the smallest coordinate is 0, lanes and labels included.
fn settle(plan: &Plan, mut items: Vec<(f64, f64)>, mut routes: Vec<Route>) -> Laid {
    let mut low = (f64::INFINITY, f64::INFINITY);
    let mut high = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    let mut cover = |main: f64, up: f64, down: f64| {
        low = (low.0.min(main), low.1.min(up));
        high = (high.0.max(main), high.1.max(down));
    };
    for (&(main, cross), item) in items.iter().zip(&plan.items) {
        cover(main, cross, cross + item.cross);
        cover(main + item.main, cross, cross);
    }
    for (way, link) in routes.iter().zip(&plan.links) {
        match way {
            Route::Across(runs) => runs.iter().for_each(|run| cover(run.start, run.cross, run.cross)),
            Route::Over { runs, .. } => runs
                .iter()
                .for_each(|run| cover(run.end, run.cross - link.thickness(), run.cross)),
            Route::Around(points) => points.iter().for_each(|&(main, cross)| cover(main, cross - 4.0, cross)),
            // Only what was broken into rows has such ways, and that is put together from settled rows.
            Route::Broken { .. } => debug_assert!(false, "a row has no broken ways"),
        }
    }
    let floor = |value: f64| {
        if value.is_finite() {
            (value / GRID).floor() * GRID
        } else {
            0.0
        }
    };
    let (main, cross) = (floor(low.0), floor(low.1));
    for place in &mut items {
        *place = (place.0 - main, place.1 - cross);
    }
    for way in &mut routes {
        way.shift(-main, -cross);
    }
    let layer_start = plan
        .cell_of
        .iter()
        .map(|&cell| {
            debug_assert!(matches!(plan.graph.cells[cell].what, What::Item(_)), "items are cells");
            plan.bounds[plan.graph.cells[cell].layer].0 - main
        })
        .collect();
    let size = |low: f64, high: f64| {
        if high.is_finite() {
            ((high - low) / GRID).ceil() * GRID
        } else {
            0.0
        }
    };
    Laid {
        main: size(main, high.0),
        cross: size(cross, high.1),
        bars: super::bars::placed(plan, &items),
        rows: vec![(0.0, size(cross, high.1))],
        row_top: vec![None; items.len()],
        items,
        layer_start,
        label_after: vec![0; routes.len()],
        implied: vec![false; routes.len()],
        routes,
    }
}

impl Route {
    /// Moves the whole way.
    pub(super) fn shift(&mut self, main: f64, cross: f64) {
        let move_runs = |runs: &mut Vec<Run>| {
            for run in runs {
                *run = Run {
                    start: run.start + main,
                    end: run.end + main,
                    cross: run.cross + cross,
                };
            }
        };
        match self {
            Self::Across(runs) => move_runs(runs),
            Self::Broken { out, between, home } => {
                move_runs(out);
                move_runs(home);
                for point in between {
                    *point = (point.0 + main, point.1 + cross);
                }
            }
            Self::Over { from, to, runs } => {
                *from = (from.0 + main, from.1 + cross);
                *to = (to.0 + main, to.1 + cross);
                move_runs(runs);
            }
            Self::Around(points) => {
                for point in points {
                    *point = (point.0 + main, point.1 + cross);
                }
            }
        }
    }
}
