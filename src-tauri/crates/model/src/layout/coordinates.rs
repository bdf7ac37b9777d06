//! Cross coordinates after Brandes and Köpf (2002): four alignments, each packed, the mean of the middle two.
//!
//! Every packing keeps every separation, and the middle of four keeps it too, so cells never overlap.

use super::layers::Layers;

/// How far two neighbours of a layer must stay apart, in px, beside their own extents.
pub(super) type Gap<'a> = &'a dyn Fn(usize, usize) -> f64;

/// The cross coordinate of each cell's line, in px; the smallest upper edge lies at 0.
pub(super) fn cross_coordinates(graph: &Layers, gap: Gap<'_>) -> Vec<f64> {
    let count = graph.cells.len();
    if count == 0 {
        return Vec::new();
    }
    let conflicts = conflicts(graph);
    let mut packings: Vec<Vec<f64>> = Vec::with_capacity(4);
    for from_before in [true, false] {
        for downwards in [true, false] {
            packings.push(pack(graph, &conflicts, from_before, downwards, gap));
        }
    }
    // All are moved onto the narrowest: those packed upwards by their upper edges, those packed downwards by their lower ones.
    let span = |packing: &[f64]| {
        packing
            .iter()
            .zip(&graph.cells)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (&at, cell)| {
                (low.min(at - cell.up), high.max(at + cell.down))
            })
    };
    let spans: Vec<(f64, f64)> = packings.iter().map(|packing| span(packing)).collect();
    let narrowest = (0..4)
        .min_by(|&a, &b| (spans[a].1 - spans[a].0).total_cmp(&(spans[b].1 - spans[b].0)))
        .unwrap_or(0);
    for index in 0..4 {
        let shift = if index % 2 == 0 {
            spans[narrowest].0 - spans[index].0
        } else {
            spans[narrowest].1 - spans[index].1
        };
        for at in &mut packings[index] {
            *at += shift;
        }
    }
    let mut middle: Vec<f64> = (0..count)
        .map(|cell| {
            let mut four = [
                packings[0][cell],
                packings[1][cell],
                packings[2][cell],
                packings[3][cell],
            ];
            four.sort_by(f64::total_cmp);
            (four[1] + four[2]) / 2.0
        })
        .collect();
    straighten(graph, &mut middle, gap);
    let low = span(&middle).0;
    for at in &mut middle {
        *at -= low;
    }
    middle
}

/// Takes out bends that the mean left in: where two cells are each other's only way on, one side moves in line with the other,
/// with all that already stands in line with it, when its neighbours leave room.
fn straighten(graph: &Layers, at: &mut [f64], gap: Gap<'_>) {
    // The one segment of highest priority on a side.
    let only = |segments: &mut dyn Iterator<Item = usize>| {
        let mut best: Option<(u8, usize, bool)> = None;
        for segment in segments {
            let priority = graph.segments[segment].priority;
            best = match best {
                Some((top, kept, _)) if priority == top => Some((top, kept, false)),
                Some((top, ..)) if priority < top => best,
                _ => Some((priority, segment, true)),
            };
        }
        best.filter(|(priority, _, is_only)| *priority > 0 && *is_only)
            .map(|(_, segment, _)| segment)
    };
    let count = graph.cells.len();
    let onward: Vec<Option<usize>> = (0..count)
        .map(|cell| {
            only(&mut graph.leaving.of(cell))
                .filter(|&s| only(&mut graph.arriving.of(graph.segments[s].after)) == Some(s))
        })
        .collect();
    let mut inward: Vec<Option<usize>> = vec![None; count];
    for segment in onward.iter().flatten() {
        inward[graph.segments[*segment].after] = Some(*segment);
    }
    let bend = |segment: usize, at: &[f64]| {
        let ends = &graph.segments[segment];
        at[ends.before] + ends.before_off - at[ends.after] - ends.after_off
    };
    let fits = |cell: usize, by: f64, at: &[f64]| {
        let layer = &graph.layers[graph.cells[cell].layer];
        let place = graph.place[cell];
        let apart = |upper: usize, lower: usize| graph.cells[upper].down + graph.cells[lower].up + gap(upper, lower);
        let above = place.checked_sub(1).map(|other| layer[other]);
        let below = layer.get(place + 1).copied();
        above.is_none_or(|other| at[cell] + by - at[other] >= apart(other, cell))
            && below.is_none_or(|other| at[other] - at[cell] - by >= apart(cell, other))
    };
    let mut moving: Vec<usize> = Vec::new();
    for cell in graph.layers.iter().flatten().copied() {
        let Some(segment) = onward[cell] else { continue };
        let by = bend(segment, at);
        if by.abs() < 0.01 {
            continue;
        }
        for forward in [true, false] {
            moving.clear();
            let mut next = Some(if forward { graph.segments[segment].after } else { cell });
            while let Some(cell) = next {
                moving.push(cell);
                let link = if forward { onward[cell] } else { inward[cell] };
                next = link.filter(|&link| bend(link, at).abs() < 0.01).map(|link| {
                    if forward {
                        graph.segments[link].after
                    } else {
                        graph.segments[link].before
                    }
                });
            }
            let by = if forward { by } else { -by };
            if moving.iter().all(|&cell| fits(cell, by, at)) {
                for &cell in &moving {
                    at[cell] += by;
                }
                break;
            }
        }
    }
}

/// Segments that would bend a long edge: those that cross a piece between two passes.
fn conflicts(graph: &Layers) -> Vec<bool> {
    let mut marked = vec![false; graph.segments.len()];
    let inner = |segment: usize| {
        let ends = &graph.segments[segment];
        graph.is_pass(ends.before) && graph.is_pass(ends.after)
    };
    for index in 1..graph.layers.len() {
        let layer = &graph.layers[index];
        let last = graph.layers[index - 1].len();
        let mut low = 0;
        let mut scanned = 0;
        for (place, &cell) in layer.iter().enumerate() {
            let through = graph.arriving.of(cell).find(|&segment| inner(segment));
            if through.is_none() && place + 1 != layer.len() {
                continue;
            }
            let high = through.map_or(last, |segment| graph.place[graph.segments[segment].before]);
            for &between in &layer[scanned..=place] {
                for segment in graph.arriving.of(between) {
                    let at = graph.place[graph.segments[segment].before];
                    if !inner(segment) && (at < low || at > high) {
                        marked[segment] = true;
                    }
                }
            }
            scanned = place + 1;
            low = high;
        }
    }
    marked
}

/// One packing: cells aligned into blocks with their neighbours of the layer before (or after), top first (or bottom first).
fn pack(graph: &Layers, conflicts: &[bool], from_before: bool, downwards: bool, gap: Gap<'_>) -> Vec<f64> {
    let count = graph.cells.len();
    let depth = graph.layers.len();
    let mut root: Vec<usize> = (0..count).collect();
    // Where a cell's line lies relative to its root's.
    let mut shift = vec![0.0; count];
    let mut found: Vec<(u8, usize, usize)> = Vec::new();
    for step in 1..depth {
        let layer = &graph.layers[if from_before { step } else { depth - 1 - step }];
        let mut reached: Option<usize> = None;
        for turn in 0..layer.len() {
            let cell = if downwards {
                layer[turn]
            } else {
                layer[layer.len() - 1 - turn]
            };
            found.clear();
            if from_before {
                found.extend(
                    graph
                        .arriving
                        .of(cell)
                        .map(|s| (graph.segments[s].priority, graph.place[graph.segments[s].before], s)),
                );
            } else {
                found.extend(
                    graph
                        .leaving
                        .of(cell)
                        .map(|s| (graph.segments[s].priority, graph.place[graph.segments[s].after], s)),
                );
            }
            let top = found.iter().map(|(priority, _, _)| *priority).max().unwrap_or(0);
            if top == 0 {
                continue;
            }
            found.retain(|(priority, _, segment)| *priority == top && !conflicts[*segment]);
            found.sort_unstable_by_key(|&(_, place, segment)| (place, segment));
            if found.is_empty() {
                continue;
            }
            let (low, high) = ((found.len() - 1) / 2, found.len() / 2);
            for median in if downwards { [low, high] } else { [high, low] } {
                let (_, place, segment) = found[median];
                let free = match reached {
                    None => true,
                    Some(at) if downwards => place > at,
                    Some(at) => place < at,
                };
                if free {
                    let ends = &graph.segments[segment];
                    let (other, other_off, own_off) = if from_before {
                        (ends.before, ends.before_off, ends.after_off)
                    } else {
                        (ends.after, ends.after_off, ends.before_off)
                    };
                    root[cell] = root[other];
                    shift[cell] = shift[other] + other_off - own_off;
                    reached = Some(place);
                    break;
                }
            }
        }
    }
    compact(graph, &root, &shift, downwards, gap)
}

/// Packs the blocks against one side: each as near as its neighbours allow, then back towards what follows it.
fn compact(graph: &Layers, root: &[usize], shift: &[f64], downwards: bool, gap: Gap<'_>) -> Vec<f64> {
    let count = graph.cells.len();
    // Rules between roots: the second lies at least `distance` after the first, in packing direction.
    let mut rules: Vec<(usize, usize, f64)> = Vec::new();
    for layer in &graph.layers {
        for pair in layer.windows(2) {
            let (upper, lower) = (pair[0], pair[1]);
            let apart = graph.cells[upper].down + graph.cells[lower].up + gap(upper, lower);
            let distance = apart + shift[upper] - shift[lower];
            rules.push(if downwards {
                (root[upper], root[lower], distance)
            } else {
                (root[lower], root[upper], distance)
            });
        }
    }
    let mut starts = vec![0usize; count + 1];
    let mut waiting = vec![0u32; count];
    for &(first, second, _) in &rules {
        starts[first + 1] += 1;
        waiting[second] += 1;
    }
    for cell in 0..count {
        starts[cell + 1] += starts[cell];
    }
    let mut next = starts.clone();
    let mut by_first = vec![(0usize, 0.0f64); rules.len()];
    for &(first, second, distance) in &rules {
        by_first[next[first]] = (second, distance);
        next[first] += 1;
    }
    let mut order: Vec<usize> = (0..count)
        .filter(|&cell| root[cell] == cell && waiting[cell] == 0)
        .collect();
    let mut at = vec![0.0f64; count];
    let mut turn = 0;
    while let Some(&block) = order.get(turn) {
        turn += 1;
        for &(second, distance) in &by_first[starts[block]..starts[block + 1]] {
            at[second] = at[second].max(at[block] + distance);
            waiting[second] -= 1;
            if waiting[second] == 0 {
                order.push(second);
            }
        }
    }
    for &block in order.iter().rev() {
        let nearest = by_first[starts[block]..starts[block + 1]]
            .iter()
            .map(|&(second, distance)| at[second] - distance)
            .fold(f64::INFINITY, f64::min);
        if nearest.is_finite() {
            at[block] = at[block].max(nearest);
        }
    }
    let sign = if downwards { 1.0 } else { -1.0 };
    (0..count).map(|cell| sign * at[root[cell]] + shift[cell]).collect()
}
