//! Lanes: bands across the drawing, one behind the other, each holding the steps of one phase. A step of a later lane stands in a
//! later layer than every step of an earlier one, so that no lane reaches into another.

use super::drawing::{Lane, Point};
use super::parts::{frame, size, snap, text_width};
use super::{Direction, EdgeKind, Input, paths};

/// Room for titles where lanes stand beside each other, px.
const TITLE_HEIGHT: f64 = 28.0;
/// Most of a title that room is kept for where lanes lie below each other, and room beside it, px.
const TITLE_MOST: f64 = 160.0;
const TITLE_BESIDE: f64 = 24.0;
/// Distance of the lanes from the edge of the drawing, px.
const EDGE: f64 = 4.0;

/// The lane of each node; `None` where nothing is divided into lanes. Containers and dependencies have areas of their own, so
/// that they are never divided.
pub(super) fn of(input: &Input) -> Option<Vec<usize>> {
    let divided = !input.lanes.is_empty()
        && input.groups.is_empty()
        && input.edges.iter().all(|edge| edge.kind != EdgeKind::Depends);
    divided.then(|| {
        let mut lanes: Vec<Option<usize>> = vec![None; input.nodes.len()];
        for (lane, members) in input.lanes.iter().enumerate() {
            for &node in &members.nodes {
                if let Some(place) = lanes.get_mut(node) {
                    // Of a node in two lanes the first one counts.
                    place.get_or_insert(lane);
                }
            }
        }
        // A node in no lane stands with the node before it.
        let mut before = 0;
        let lanes = lanes.into_iter().map(|lane| {
            before = lane.unwrap_or(before);
            before
        });
        lanes.collect()
    })
}

/// Moves later lanes further on until no two share a layer. Layers without a box are left out.
pub(super) fn apart(rank: &mut [usize], lanes: &[usize]) {
    let Some(count) = lanes.iter().max().map(|last| last + 1).filter(|count| *count > 1) else {
        return;
    };
    let mut bounds: Vec<Option<(usize, usize)>> = vec![None; count];
    for (&rank, &lane) in rank.iter().zip(lanes) {
        let (low, high) = bounds[lane].unwrap_or((rank, rank));
        bounds[lane] = Some((low.min(rank), high.max(rank)));
    }
    let mut shift = vec![0; count];
    let (mut now, mut free) = (0, 0);
    for (lane, (low, high)) in bounds.iter().enumerate().filter_map(|(n, bound)| Some((n, (*bound)?))) {
        now = now.max(free.max(low) - low);
        shift[lane] = now;
        free = high + now + 1;
    }
    for (rank, &lane) in rank.iter_mut().zip(lanes) {
        *rank += shift[lane];
    }
    let mut used: Vec<usize> = rank.to_vec();
    used.sort_unstable();
    used.dedup();
    for rank in rank {
        *rank = used.binary_search(rank).unwrap_or(*rank);
    }
}

/// Room for titles before the boxes on the cross axis, px.
pub(super) fn header(input: &Input) -> f64 {
    if of(input).is_none() {
        return 0.0;
    }
    let widest = |titles: &mut dyn Iterator<Item = f64>| titles.fold(0.0, f64::max);
    match input.direction {
        Direction::Right => TITLE_HEIGHT,
        Direction::Down => {
            let mut titles = input.lanes.iter().map(|lane| text_width(&lane.title));
            snap(widest(&mut titles).min(TITLE_MOST) + TITLE_BESIDE)
        }
    }
}

/// The lanes that have a title, with their places, row by row: a lane that is broken is drawn in each of its rows. `nodes`: where
/// each begins. `rows`: upper and lower edge of each on the cross axis. `sizes`: of the whole drawing.
pub(super) fn bands(input: &Input, nodes: &[(f64, f64)], rows: &[(f64, f64)], sizes: (f64, f64)) -> Vec<Lane> {
    let Some(lanes) = of(input) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    let mut pieces = vec![0usize; input.lanes.len()];
    let last = rows.len().saturating_sub(1);
    for (row, &(top, bottom)) in rows.iter().enumerate() {
        let above = if row == 0 { EDGE } else { top - header(input) - EDGE };
        let below = if row == last { sizes.1 - EDGE } else { bottom + EDGE };
        let own: Vec<usize> = (0..lanes.len())
            .filter(|&node| last == 0 || (top <= nodes[node].1 && nodes[node].1 < bottom))
            .collect();
        for mut lane in in_row(input, &lanes, &own, nodes, (above, below), sizes.0) {
            pieces[lane.0] += 1;
            if pieces[lane.0] > 1 {
                lane.1.id = format!("{}/{}", lane.1.id, pieces[lane.0]);
            }
            out.push(lane.1);
        }
    }
    out
}

/// The lanes of one row, each with its place among the input's.
fn in_row(
    input: &Input,
    lanes: &[usize],
    own: &[usize],
    nodes: &[(f64, f64)],
    (top, bottom): (f64, f64),
    length: f64,
) -> Vec<(usize, Lane)> {
    let mut bounds: Vec<Option<(f64, f64)>> = vec![None; input.lanes.len()];
    for &node in own.iter().filter(|&&node| frame(input, node).is_none()) {
        let lane = lanes[node];
        let (start, end) = (nodes[node].0, nodes[node].0 + size(input, node).0);
        let (low, high) = bounds[lane].unwrap_or((start, end));
        bounds[lane] = Some((low.min(start), high.max(end)));
    }
    let held: Vec<(usize, (f64, f64))> = bounds
        .iter()
        .enumerate()
        .filter_map(|(lane, bound)| Some((lane, (*bound)?)))
        .collect();
    let middle = |before: usize, after: usize| snap((held[before].1.1 + held[after].1.0) / 2.0);
    let mut members: Vec<Vec<String>> = vec![Vec::new(); input.lanes.len()];
    for &node in own {
        members[lanes[node]].push(input.nodes[node].id.clone());
    }
    let mut out = Vec::with_capacity(held.len());
    for (place, &(lane, _)) in held.iter().enumerate() {
        let title = &input.lanes[lane].title;
        let start = if place == 0 { EDGE } else { middle(place - 1, place) };
        let end = if place + 1 == held.len() {
            length - EDGE
        } else {
            middle(place, place + 1)
        };
        if title.is_empty() {
            continue;
        }
        let turned = |at| paths::turned(input.direction, at);
        let Point { x, y } = turned((start, top));
        let Point { x: width, y: height } = turned((end - start, bottom - top));
        let nodes = std::mem::take(&mut members[lane]);
        let id = input.lanes[lane].id.clone();
        let title = title.clone();
        let band = Lane {
            id,
            title,
            x,
            y,
            width,
            height,
            nodes,
        };
        out.push((lane, band));
    }
    out
}
