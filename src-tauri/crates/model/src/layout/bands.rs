//! Lanes: bands across the drawing, one behind the other, each holding the steps of one phase. A step of a later lane stands in a
//! later layer than every step of an earlier one, so that no lane reaches into another.

use super::component::snap;
use super::containers::{frame, size, text_width};
use super::drawing::{Lane, Point};
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

/// The lanes that have a title, with their places. `main` of each node: where it begins. `sizes`: of the whole drawing.
pub(super) fn bands(input: &Input, main: &[f64], sizes: (f64, f64)) -> Vec<Lane> {
    let Some(lanes) = of(input) else {
        return Vec::new();
    };
    let mut bounds: Vec<Option<(f64, f64)>> = vec![None; input.lanes.len()];
    for (node, &lane) in lanes
        .iter()
        .enumerate()
        .filter(|(node, _)| frame(input, *node).is_none())
    {
        let (start, end) = (main[node], main[node] + size(input, node).0);
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
    for (node, &lane) in lanes.iter().enumerate() {
        members[lane].push(input.nodes[node].id.clone());
    }
    let mut out = Vec::with_capacity(held.len());
    for (place, &(lane, _)) in held.iter().enumerate() {
        let title = &input.lanes[lane].title;
        let start = if place == 0 { EDGE } else { middle(place - 1, place) };
        let end = if place + 1 == held.len() {
            sizes.0 - EDGE
        } else {
            middle(place, place + 1)
        };
        if title.is_empty() {
            continue;
        }
        let turned = |at| paths::turned(input.direction, at);
        let Point { x, y } = turned((start, EDGE));
        let Point { x: width, y: height } = turned((end - start, sizes.1 - 2.0 * EDGE));
        out.push(Lane {
            id: input.lanes[lane].id.clone(),
            title: title.clone(),
            x,
            y,
            width,
            height,
            nodes: std::mem::take(&mut members[lane]),
        });
    }
    out
}
