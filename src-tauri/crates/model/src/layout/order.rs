//! The order within the layers: barycentre sweeps with transposition, the fewest crossings win, the first found wins ties.

use super::layers::Layers;

/// Bounds sweeps times segments: small graphs get all the sweeps that help, large ones stay quick.
const WORK: usize = 120_000;

/// Reorders the layers to cross few segments. The work is bounded by the size of the graph.
pub(super) fn reduce_crossings(graph: &mut Layers) {
    let mut best = graph.layers.clone();
    let mut fewest = crossings(graph);
    if fewest == 0 {
        return;
    }
    let sweeps = (WORK / graph.segments.len().max(1)).clamp(3, 80);
    let document = graph.layers.clone();
    for start in [document, walk_order(graph)] {
        graph.layers = start;
        graph.number();
        let mut tired = 0;
        for sweep in 0..sweeps {
            let forward = sweep % 2 == 0;
            sweep_once(graph, forward, sweep % 4 >= 2);
            transpose(graph);
            let now = crossings(graph);
            if now < fewest {
                fewest = now;
                best.clone_from(&graph.layers);
                tired = 0;
            } else {
                tired += 1;
            }
            if fewest == 0 || tired >= 16 {
                break;
            }
        }
        if fewest == 0 {
            break;
        }
    }
    graph.layers = best;
    graph.number();
}

/// Layers filled in the order a depth-first walk meets the cells: what belongs together starts together.
fn walk_order(graph: &Layers) -> Vec<Vec<usize>> {
    let mut layers: Vec<Vec<usize>> = vec![Vec::new(); graph.layers.len()];
    let mut seen = vec![false; graph.cells.len()];
    for &root in graph.layers.iter().flatten() {
        let mut stack = vec![root];
        while let Some(cell) = stack.pop() {
            if seen[cell] {
                continue;
            }
            seen[cell] = true;
            layers[graph.cells[cell].layer].push(cell);
            let mut next: Vec<usize> = graph
                .leaving
                .of(cell)
                .map(|segment| graph.segments[segment].after)
                .collect();
            next.reverse();
            stack.extend(next);
        }
    }
    layers
}

/// Sorts every layer by the mean place of its neighbours in the layer before it (or after it). Cells without neighbours stay.
fn sweep_once(graph: &mut Layers, forward: bool, ties_turn: bool) {
    let depth = graph.layers.len();
    for step in 1..depth {
        let index = if forward { step } else { depth - 1 - step };
        let mut layer = std::mem::take(&mut graph.layers[index]);
        let mut sortable: Vec<(f64, usize, usize)> = Vec::with_capacity(layer.len());
        let mut fixed: Vec<(usize, usize)> = Vec::new();
        for (place, &cell) in layer.iter().enumerate() {
            let (mut sum, mut count) = (0.0, 0u32);
            if forward {
                for segment in graph.arriving.of(cell) {
                    sum += f64::from(graph.key_before(segment));
                    count += 1;
                }
            } else {
                for segment in graph.leaving.of(cell) {
                    sum += f64::from(graph.key_after(segment));
                    count += 1;
                }
            }
            if count == 0 {
                fixed.push((place, cell));
            } else {
                sortable.push((sum / f64::from(count), place, cell));
            }
        }
        sortable.sort_by(|a, b| {
            a.0.total_cmp(&b.0)
                .then_with(|| if ties_turn { b.1.cmp(&a.1) } else { a.1.cmp(&b.1) })
        });
        let mut sorted = sortable.into_iter().map(|(_, _, cell)| cell);
        let mut held = fixed.into_iter().peekable();
        for (place, slot) in layer.iter_mut().enumerate() {
            *slot = match held.next_if(|(at, _)| *at == place) {
                Some((_, cell)) => cell,
                None => sorted.next().expect("fixed and sorted cells together fill the layer"),
            };
        }
        for (place, &cell) in layer.iter().enumerate() {
            graph.place[cell] = place;
        }
        graph.layers[index] = layer;
    }
}

/// Swaps neighbours while that removes crossings.
fn transpose(graph: &mut Layers) {
    let mut left: [Vec<u32>; 2] = Default::default();
    let mut right: [Vec<u32>; 2] = Default::default();
    let mut dirty = vec![true; graph.layers.len()];
    for _ in 0..(WORK / 4 / graph.segments.len().max(1)).clamp(1, 8) {
        let mut improved = false;
        for index in 0..graph.layers.len() {
            if !std::mem::take(&mut dirty[index]) {
                continue;
            }
            let mut changed = false;
            if graph.layers[index].len() > 1 {
                keys(graph, graph.layers[index][0], &mut left);
            }
            for place in 1..graph.layers[index].len() {
                let (a, b) = (graph.layers[index][place - 1], graph.layers[index][place]);
                keys(graph, b, &mut right);
                let (mut now, mut swapped) = (0, 0);
                for side in 0..2 {
                    now += inversions(&left[side], &right[side]);
                    swapped += inversions(&right[side], &left[side]);
                }
                if swapped < now {
                    graph.layers[index].swap(place - 1, place);
                    graph.place[a] = place;
                    graph.place[b] = place - 1;
                    changed = true;
                } else {
                    std::mem::swap(&mut left, &mut right);
                }
            }
            if changed {
                improved = true;
                dirty[index] = true;
                if index > 0 {
                    dirty[index - 1] = true;
                }
                if let Some(next) = dirty.get_mut(index + 1) {
                    *next = true;
                }
            }
        }
        if !improved {
            break;
        }
    }
}

fn keys(graph: &Layers, cell: usize, into: &mut [Vec<u32>; 2]) {
    into[0].clear();
    into[0].extend(graph.arriving.of(cell).map(|segment| graph.key_before(segment)));
    into[0].sort_unstable();
    into[1].clear();
    into[1].extend(graph.leaving.of(cell).map(|segment| graph.key_after(segment)));
    into[1].sort_unstable();
}

/// Pairs with the first of `a` greater than that of `b`; both sorted.
fn inversions(a: &[u32], b: &[u32]) -> usize {
    let mut below = 0;
    let mut sum = 0;
    for &key in a {
        while below < b.len() && b[below] < key {
            below += 1;
        }
        sum += below;
    }
    sum
}

/// Crossings between all neighbouring layers (Barth, Mutzel and Jünger 2004, with a Fenwick tree).
pub(super) fn crossings(graph: &Layers) -> usize {
    let mut total = 0;
    let mut ends: Vec<u32> = Vec::new();
    let mut tree: Vec<u32> = Vec::new();
    let mut bundle: Vec<(u32, u32)> = Vec::new();
    for index in 1..graph.layers.len() {
        ends.clear();
        for &cell in &graph.layers[index - 1] {
            bundle.clear();
            bundle.extend(
                graph
                    .leaving
                    .of(cell)
                    .map(|segment| (graph.key_before(segment), graph.key_after(segment))),
            );
            bundle.sort_unstable();
            ends.extend(bundle.iter().map(|(_, after)| *after));
        }
        let size = graph.layers[index].len() * 2;
        tree.clear();
        tree.resize(size + 1, 0);
        for (seen, &end) in ends.iter().enumerate() {
            let mut at = end as usize + 1;
            let mut up_to = 0;
            while at > 0 {
                up_to += tree[at] as usize;
                at &= at - 1;
            }
            total += seen - up_to;
            at = end as usize + 1;
            while at <= size {
                tree[at] += 1;
                at += at & at.wrapping_neg();
            }
        }
    }
    total
}
