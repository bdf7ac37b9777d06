//! Which edges point back. Cycles are normal in a workflow; the drawing needs an order all the same.
//!
//! Within each strongly connected component three orders are tried: the document's, a depth-first one, and the greedy one of
//! Eades, Lin and Smyth (1993). People write steps in the order they happen, so another order must be much better to win.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

/// An edge between items, with what it means.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    pub(super) from: usize,
    pub(super) to: usize,
    /// The author calls it a loop: it may point back, whatever the other edges say.
    pub(super) is_loop: bool,
    /// How wrong it looks when it points back.
    pub(super) weight: usize,
}

/// For each arc, whether it is drawn as a back edge. Reversing those arcs leaves no cycle, self loops aside.
pub(super) fn back_edges(nodes: usize, arcs: &[Arc]) -> Vec<bool> {
    let mut back: Vec<bool> = arcs.iter().map(|arc| arc.from == arc.to).collect();
    let plain = |arc: &Arc| !arc.is_loop && arc.from != arc.to;

    let mut graph = DiGraph::<(), ()>::with_capacity(nodes, arcs.len());
    for _ in 0..nodes {
        graph.add_node(());
    }
    for arc in arcs.iter().filter(|arc| plain(arc)) {
        graph.add_edge(NodeIndex::new(arc.from), NodeIndex::new(arc.to), ());
    }
    let mut component = vec![usize::MAX; nodes];
    let mut knots: Vec<Vec<usize>> = Vec::new();
    for members in kosaraju_scc(&graph) {
        if members.len() > 1 {
            let mut members: Vec<usize> = members.into_iter().map(NodeIndex::index).collect();
            members.sort_unstable();
            for &member in &members {
                component[member] = knots.len();
            }
            knots.push(members);
        }
    }
    if !knots.is_empty() {
        let mut inside: Vec<Vec<usize>> = vec![Vec::new(); knots.len()];
        for (index, arc) in arcs.iter().enumerate().filter(|(_, arc)| plain(arc)) {
            let knot = component[arc.from];
            if knot != usize::MAX && knot == component[arc.to] {
                inside[knot].push(index);
            }
        }
        let mut local = vec![0; nodes];
        for (members, inside) in knots.iter().zip(&inside) {
            for (position, &member) in members.iter().enumerate() {
                local[member] = position;
            }
            let pairs: Vec<(usize, usize)> = inside
                .iter()
                .map(|&index| (local[arcs[index].from], local[arcs[index].to]))
                .collect();
            let weights: Vec<usize> = inside.iter().map(|&index| arcs[index].weight).collect();
            let place = best_order(members.len(), &pairs, &weights);
            for (&index, &(from, to)) in inside.iter().zip(&pairs) {
                back[index] = place[to] <= place[from];
            }
        }
    }

    let place = topological(nodes, arcs, &back);
    for (index, arc) in arcs.iter().enumerate() {
        if arc.is_loop && arc.from != arc.to {
            back[index] = place[arc.to] <= place[arc.from];
        }
    }
    back
}

/// Place of each node in the order with the least weight against it; the document's counts as two thirds.
fn best_order(nodes: usize, pairs: &[(usize, usize)], weights: &[usize]) -> Vec<usize> {
    let against = |place: &[usize]| {
        let wrong = pairs
            .iter()
            .zip(weights)
            .filter(|((from, to), _)| place[*to] <= place[*from]);
        wrong.map(|(_, weight)| weight).sum::<usize>()
    };
    let mut best: Vec<usize> = (0..nodes).collect();
    let mut fewest = against(&best) * 2 / 3;
    for other in [depth_first(nodes, pairs), greedy(nodes, pairs)] {
        let count = against(&other);
        if count < fewest {
            (best, fewest) = (other, count);
        }
    }
    best
}

fn neighbours(nodes: usize, pairs: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut lists = vec![Vec::new(); nodes];
    for (from, to) in pairs {
        lists[from].push(to);
    }
    lists
}

/// Reverse postorder from the first node; iterative, since a chain may be thousands of steps deep.
fn depth_first(nodes: usize, pairs: &[(usize, usize)]) -> Vec<usize> {
    let out = neighbours(nodes, pairs.iter().copied());
    let mut seen = vec![false; nodes];
    let mut place = vec![0; nodes];
    let mut next_place = nodes;
    for root in 0..nodes {
        if seen[root] {
            continue;
        }
        seen[root] = true;
        let mut stack = vec![(root, 0)];
        while let Some((node, tried)) = stack.last_mut() {
            if let Some(&to) = out[*node].get(*tried) {
                *tried += 1;
                if !seen[to] {
                    seen[to] = true;
                    stack.push((to, 0));
                }
            } else {
                next_place -= 1;
                place[*node] = next_place;
                stack.pop();
            }
        }
    }
    place
}

/// Sinks to the back, sources to the front, else the node with the most out over in to the front.
fn greedy(nodes: usize, pairs: &[(usize, usize)]) -> Vec<usize> {
    let out = neighbours(nodes, pairs.iter().copied());
    let into = neighbours(nodes, pairs.iter().map(|&(from, to)| (to, from)));
    let mut outs: Vec<isize> = out.iter().map(|list| list.len() as isize).collect();
    let mut ins: Vec<isize> = into.iter().map(|list| list.len() as isize).collect();
    let rank = |outs: &[isize], ins: &[isize], node: usize| match (outs[node], ins[node]) {
        (0, _) => (2, 0),
        (_, 0) => (1, 0),
        (o, i) => (0, o - i),
    };
    // Stale entries are skipped: an entry counts only while it says the node's present rank.
    let mut heap: BinaryHeap<((i32, isize), Reverse<usize>)> = (0..nodes)
        .map(|node| (rank(&outs, &ins, node), Reverse(node)))
        .collect();
    let mut done = vec![false; nodes];
    let mut place = vec![0; nodes];
    let (mut front, mut rear) = (0, nodes);
    while let Some((key, Reverse(node))) = heap.pop() {
        if done[node] || key != rank(&outs, &ins, node) {
            continue;
        }
        done[node] = true;
        if key.0 == 2 {
            rear -= 1;
            place[node] = rear;
        } else {
            place[node] = front;
            front += 1;
        }
        for &to in out[node].iter().filter(|&&to| !done[to]) {
            ins[to] -= 1;
            heap.push((rank(&outs, &ins, to), Reverse(to)));
        }
        for &from in into[node].iter().filter(|&&from| !done[from]) {
            outs[from] -= 1;
            heap.push((rank(&outs, &ins, from), Reverse(from)));
        }
    }
    place
}

/// Topological place of each node, the lowest index first among the free ones; loops by meaning do not count.
fn topological(nodes: usize, arcs: &[Arc], back: &[bool]) -> Vec<usize> {
    let pairs: Vec<(usize, usize)> = arcs
        .iter()
        .zip(back)
        .filter(|(arc, _)| !arc.is_loop && arc.from != arc.to)
        .map(|(arc, &back)| if back { (arc.to, arc.from) } else { (arc.from, arc.to) })
        .collect();
    let out = neighbours(nodes, pairs.iter().copied());
    let mut waiting = vec![0usize; nodes];
    for &(_, to) in &pairs {
        waiting[to] += 1;
    }
    let mut free: BinaryHeap<Reverse<usize>> = (0..nodes).filter(|&node| waiting[node] == 0).map(Reverse).collect();
    let mut place = vec![0; nodes];
    let mut next = 0;
    while let Some(Reverse(node)) = free.pop() {
        place[node] = next;
        next += 1;
        for &to in &out[node] {
            waiting[to] -= 1;
            if waiting[to] == 0 {
                free.push(Reverse(to));
            }
        }
    }
    place
}
