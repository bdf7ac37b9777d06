//! Where dependencies part and meet: which of them go without saying, and which stages stand as lanes between bars.
//!
//! Stages that wait for the same stages begin together, stages that the same stages wait for end together: between the two
//! sets every one leads to every other, and one bar says what the lines between all pairs would say.

use super::parts::{Item, Link, Port};
use std::collections::BTreeMap;

/// Above so many items of one component no dependency is called implied: the sets of what follows would take too much room.
const MOST_ITEMS: usize = 4_096;
/// Width of a bar, px.
pub(super) const BAR: f64 = 4.0;
/// Least distance of two lines at a bar, and from a bar's end, px.
pub(super) const BAR_SPREAD: f64 = 8.0;

/// One bar: every item of `from` leads to every item of `to`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sheaf {
    pub(super) from: Vec<usize>,
    pub(super) to: Vec<usize>,
}

/// What the dependencies of a component say.
#[derive(Clone, Debug, Default)]
pub(super) struct Forks {
    /// For each link whether other dependencies say it already.
    pub(super) implied: Vec<bool>,
    /// For each link that is written twice the first one: it has the same way.
    pub(super) twin: Vec<Option<usize>>,
    pub(super) sheaves: Vec<Sheaf>,
    /// The bars on the way of each link: that where its start meets others, that where its end parts from others. The same
    /// bar may be both.
    pub(super) through: Vec<(Option<usize>, Option<usize>)>,
}

/// A component with its bars as items of their own.
#[derive(Clone, Debug)]
pub(super) struct Barred {
    /// The items as given, then one for each sheaf.
    pub(super) items: Vec<Item>,
    pub(super) links: Vec<Link>,
    pub(super) rank: Vec<usize>,
    /// Of each link as given the links that its way consists of.
    pub(super) pieces: Vec<Vec<usize>>,
}

/// Reads the dependencies. `rank` is the layer of each item.
pub(super) fn forks(items: &[Item], links: &[Link], rank: &[usize]) -> Forks {
    let counts = |link: &Link| {
        let boxes = items[link.from].port == Port::Box && items[link.to].port == Port::Box;
        link.depends
            && !link.back
            && link.from != link.to
            && boxes
            && link.from_port.is_none()
            && link.to_port.is_none()
    };
    let (implied, twin) = implied(items.len(), links, &counts, rank);
    let mut before = vec![Vec::new(); items.len()];
    let mut after = vec![Vec::new(); items.len()];
    for (link, _) in (links.iter().zip(&implied)).filter(|(link, implied)| counts(link) && !**implied) {
        before[link.to].push(link.from);
        after[link.from].push(link.to);
    }
    let mut sheaves: Vec<Sheaf> = Vec::new();
    let mut fork_of = vec![None; items.len()];
    for (from, to) in alike(&mut before) {
        to.iter().for_each(|&item| fork_of[item] = Some(sheaves.len()));
        sheaves.push(Sheaf { from, to });
    }
    let mut join_of = vec![None; items.len()];
    for (to, from) in alike(&mut after) {
        let sheaf = Sheaf { from, to };
        // One bar for both where they stand in one gap; else one at each end of the way between them.
        let first = sheaf.to.first().and_then(|&item| fork_of[item]);
        let same = first.filter(|&other| sheaves[other] == sheaf && is_short(&sheaf, rank));
        let index = same.unwrap_or(sheaves.len());
        sheaf.from.iter().for_each(|&item| join_of[item] = Some(index));
        if same.is_none() {
            sheaves.push(sheaf);
        }
    }
    let through = (links.iter().zip(&implied))
        .map(|(link, implied)| match counts(link) && !implied {
            true => (join_of[link.from], fork_of[link.to]),
            false => (None, None),
        })
        .collect();
    Forks {
        implied,
        twin,
        sheaves,
        through,
    }
}

/// Whether all that leads to a bar stands in the layer before all that follows it.
fn is_short(sheaf: &Sheaf, rank: &[usize]) -> bool {
    let last = sheaf.from.iter().map(|&item| rank[item]).max();
    let first = sheaf.to.iter().map(|&item| rank[item]).min();
    last.zip(first).is_some_and(|(last, first)| last + 1 == first)
}

/// The sets that at least two items share, each with those items; both in ascending order.
fn alike(sets: &mut [Vec<usize>]) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut sharing: BTreeMap<&[usize], Vec<usize>> = BTreeMap::new();
    for set in sets.iter_mut() {
        set.sort_unstable();
    }
    for (item, set) in sets.iter().enumerate().filter(|(_, set)| !set.is_empty()) {
        sharing.entry(set).or_default().push(item);
    }
    let shared = sharing.into_iter().filter(|(_, items)| items.len() > 1);
    shared.map(|(set, items)| (set.to_vec(), items)).collect()
}

/// Whether each dependency follows from others: there is a longer way between its ends, or it is written twice.
fn implied(
    items: usize,
    links: &[Link],
    counts: &dyn Fn(&Link) -> bool,
    rank: &[usize],
) -> (Vec<bool>, Vec<Option<usize>>) {
    let mut implied = vec![false; links.len()];
    let mut twin = vec![None; links.len()];
    let mut out: Vec<Vec<(usize, usize)>> = vec![Vec::new(); items];
    for (index, link) in links.iter().enumerate().filter(|(_, link)| counts(link)) {
        out[link.from].push((link.to, index));
    }
    for list in &mut out {
        list.sort_unstable();
        for pair in list.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            implied[pair[1].1] = true;
            twin[pair[1].1] = twin[pair[0].1].or(Some(pair[0].1));
        }
    }
    if items > MOST_ITEMS {
        return (implied, twin);
    }
    // What can be reached from each item, as bits: from the last layer to the first.
    let words = items.div_ceil(64);
    let mut reached = vec![0u64; items * words];
    let mut order: Vec<usize> = (0..items).collect();
    order.sort_by_key(|&item| std::cmp::Reverse(rank[item]));
    let mut here = vec![0u64; words];
    for item in order {
        here.fill(0);
        for &(to, _) in &out[item] {
            for (bits, more) in here.iter_mut().zip(&reached[to * words..(to + 1) * words]) {
                *bits |= more;
            }
        }
        for &(to, link) in &out[item] {
            implied[link] |= here[to / 64] >> (to % 64) & 1 == 1;
        }
        for &(to, _) in &out[item] {
            here[to / 64] |= 1 << (to % 64);
        }
        reached[item * words..(item + 1) * words].copy_from_slice(&here);
    }
    (implied, twin)
}

impl Forks {
    /// Leaves bars out, each by its sheaf: the dependencies through them are drawn one by one.
    pub(super) fn without(&mut self, bars: &[usize]) {
        let mut kept = vec![None; self.sheaves.len()];
        let mut left = Vec::new();
        for (index, sheaf) in std::mem::take(&mut self.sheaves).into_iter().enumerate() {
            if bars.binary_search(&index).is_err() {
                kept[index] = Some(left.len());
                left.push(sheaf);
            }
        }
        self.sheaves = left;
        for (join, fork) in &mut self.through {
            *join = join.and_then(|bar| kept[bar]);
            *fork = fork.and_then(|bar| kept[bar]);
        }
    }
}

impl Sheaf {
    /// Whether lines between all pairs are few enough to be drawn without the bar.
    pub(super) fn is_dispensable(&self) -> bool {
        let (from, to) = (self.from.len(), self.to.len());
        from * to <= 2 * (from + to)
    }

    /// Whether it joins several and parts into several.
    pub(super) fn is_knot(&self) -> bool {
        self.from.len() > 1 && self.to.len() > 1
    }
}

/// Puts the bars between the layers: each in the gap next to the stages it gathers.
pub(super) fn with_bars(mut items: Vec<Item>, links: Vec<Link>, rank: &[usize], forks: &Forks) -> Barred {
    let first_bar = items.len();
    let depth = rank.iter().max().map_or(0, |last| last + 1);
    // The gap after a layer: 0 without bars, 1 with one column of them, 2 where one leads to another.
    let mut columns = vec![0usize; depth];
    let mut forking = vec![false; forks.sheaves.len()];
    for &(_, fork) in &forks.through {
        if let Some(fork) = fork {
            forking[fork] = true;
        }
    }
    let gap_of: Vec<usize> = (forks.sheaves.iter().zip(&forking))
        .map(|(sheaf, &forks)| match forks {
            true => sheaf.to.iter().map(|&item| rank[item]).min().unwrap_or(1) - 1,
            false => sheaf.from.iter().map(|&item| rank[item]).max().unwrap_or(0),
        })
        .collect();
    for &gap in &gap_of {
        columns[gap] = columns[gap].max(1);
    }
    for &(join, fork) in &forks.through {
        if let (Some(join), Some(fork)) = (join, fork)
            && join != fork
            && gap_of[join] == gap_of[fork]
        {
            columns[gap_of[join]] = 2;
        }
    }
    let mut place = Vec::with_capacity(depth);
    let mut next = 0;
    for &columns in &columns {
        place.push(next);
        next += 1 + columns;
    }
    let mut layer: Vec<usize> = rank.iter().map(|&rank| place[rank]).collect();
    for (sheaf, (&gap, &forks)) in forks.sheaves.iter().zip(gap_of.iter().zip(&forking)) {
        let lines = sheaf.from.len().max(sheaf.to.len()) as f64;
        items.push(Item {
            main: BAR,
            cross: (lines + 1.0) * BAR_SPREAD,
            port: Port::Bar,
            lane: 0,
        });
        let last = place[gap] + columns[gap];
        layer.push(if forks { last } else { place[gap] + 1 });
    }

    let mut pieces: Vec<Vec<usize>> = Vec::with_capacity(links.len());
    let mut laid: Vec<Link> = Vec::with_capacity(links.len());
    let mut between: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (index, link) in links.into_iter().enumerate() {
        let (join, fork) = forks.through[index];
        if let Some(first) = forks.twin[index] {
            pieces.push(pieces[first].clone());
            continue;
        }
        let is_flow = link.is_flow || (link.depends && !forks.implied[index]);
        if join.is_none() && fork.is_none() {
            pieces.push(vec![laid.len()]);
            laid.push(Link { is_flow, ..link });
            continue;
        }
        let mut stops = vec![link.from];
        stops.extend(join.map(|bar| first_bar + bar));
        stops.extend(fork.filter(|_| fork != join).map(|bar| first_bar + bar));
        stops.push(link.to);
        let mut own = Vec::with_capacity(stops.len() - 1);
        for pair in stops.windows(2) {
            own.push(*between.entry((pair[0], pair[1])).or_insert_with(|| {
                laid.push(Link {
                    from: pair[0],
                    to: pair[1],
                    is_flow: true,
                    ..link.clone()
                });
                laid.len() - 1
            }));
        }
        pieces.push(own);
    }
    Barred {
        items,
        links: laid,
        rank: layer,
        pieces,
    }
}
