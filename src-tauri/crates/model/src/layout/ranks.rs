//! The layer of each item: as early as its predecessors allow, then moved to shorten the edges.

use super::parts::{Item, Link, Port};

/// "`to` stands at least one layer after `from`", with how much a shorter edge is worth.
#[derive(Clone, Copy, Debug)]
struct Before {
    from: usize,
    to: usize,
    weight: i64,
}

/// The layer of each item.
pub(super) fn layers_of(items: &[Item], links: &[Link]) -> Vec<usize> {
    let constraints: Vec<Before> = links
        .iter()
        .filter(|link| link.from != link.to)
        .map(|link| {
            let (from, to) = if link.back {
                (link.to, link.from)
            } else {
                (link.from, link.to)
            };
            Before {
                from,
                to,
                weight: if link.is_flow && !link.back { 2 } else { 1 },
            }
        })
        .collect();
    // Where everything depends, a layer is a wave: what may begin at the same time stands in one.
    let waves = links.iter().any(|link| link.depends) && links.iter().all(|link| link.depends || link.back);
    let mut rank = if waves {
        earliest(items.len(), &constraints)
    } else {
        ranks(items.len(), &constraints)
    };
    // Entries stand before everything, exits after everything.
    if items.iter().any(|item| item.port == Port::Entry) {
        for (rank, item) in rank.iter_mut().zip(items) {
            *rank = if item.port == Port::Entry { 0 } else { *rank + 1 };
        }
    }
    let last = rank
        .iter()
        .zip(items)
        .filter(|(_, item)| item.port != Port::Exit)
        .map(|(rank, _)| *rank)
        .max()
        .unwrap_or(0);
    for (rank, item) in rank.iter_mut().zip(items) {
        if item.port == Port::Exit {
            *rank = last + 1;
        }
    }
    let lowest = rank.iter().copied().min().unwrap_or(0);
    for rank in &mut rank {
        *rank -= lowest;
    }
    rank
}

/// The first layer that each of `nodes` may stand in. The constraints must be free of cycles.
fn earliest(nodes: usize, constraints: &[Before]) -> Vec<usize> {
    let mut out = vec![Vec::new(); nodes];
    let mut into = vec![Vec::new(); nodes];
    for rule in constraints {
        out[rule.from].push((rule.to, rule.weight));
        into[rule.to].push((rule.from, rule.weight));
    }
    let mut rank = vec![0; nodes];
    for node in topological(&out, &into) {
        rank[node] = into[node].iter().map(|&(from, _)| rank[from] + 1).max().unwrap_or(0);
    }
    rank
}

/// The layer of each of `nodes`, from 0, with short edges. The constraints must be free of cycles.
fn ranks(nodes: usize, constraints: &[Before]) -> Vec<usize> {
    let mut out = vec![Vec::new(); nodes];
    let mut into = vec![Vec::new(); nodes];
    for rule in constraints {
        out[rule.from].push((rule.to, rule.weight));
        into[rule.to].push((rule.from, rule.weight));
    }
    let order = topological(&out, &into);
    let mut rank = vec![0i64; nodes];
    for &node in &order {
        rank[node] = into[node].iter().map(|&(from, _)| rank[from] + 1).max().unwrap_or(0);
    }

    let length = |rank: &[i64]| {
        constraints
            .iter()
            .map(|rule| rule.weight * (rank[rule.to] - rank[rule.from]))
            .sum::<i64>()
    };
    let weight = |list: &[(usize, i64)]| list.iter().map(|(_, weight)| weight).sum::<i64>();
    let pull: Vec<i64> = (0..nodes)
        .map(|node| weight(&out[node]) - weight(&into[node]))
        .collect();
    let mut best = rank.clone();
    let mut shortest = length(&best);
    // A chain moves only as a whole, so a node that gains nothing by moving still follows its neighbour: late in the backward
    // pass, early in the forward one. Few passes settle it; the shortest one seen is kept.
    for _ in 0..8 {
        for &node in order.iter().rev() {
            if pull[node] >= 0
                && let Some(latest) = out[node].iter().map(|&(to, _)| rank[to] - 1).min()
            {
                rank[node] = latest;
            }
        }
        for &node in &order {
            if pull[node] <= 0
                && let Some(earliest) = into[node].iter().map(|&(from, _)| rank[from] + 1).max()
            {
                rank[node] = earliest;
            }
        }
        let now = length(&rank);
        if now >= shortest {
            break;
        }
        shortest = now;
        best.clone_from(&rank);
    }
    let first = best.iter().copied().min().unwrap_or(0);
    best.into_iter().map(|rank| (rank - first) as usize).collect()
}

fn topological(out: &[Vec<(usize, i64)>], into: &[Vec<(usize, i64)>]) -> Vec<usize> {
    let mut waiting: Vec<usize> = into.iter().map(Vec::len).collect();
    let mut order: Vec<usize> = (0..out.len()).filter(|&node| waiting[node] == 0).collect();
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        next += 1;
        for &(to, _) in &out[node] {
            waiting[to] -= 1;
            if waiting[to] == 0 {
                order.push(to);
            }
        }
    }
    order
}
