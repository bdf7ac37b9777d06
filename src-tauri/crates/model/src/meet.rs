//! Where ways that part meet again, in plain numbers: a step is its place, and for each there is the list of steps that it leads to.

use std::collections::VecDeque;

/// Of so many steps that all branches lead to it is tried whether they meet there.
const MOST_TRIED: usize = 64;

/// By place: whether a step is reached from this one, itself included, without entering those where it stops.
pub(crate) fn walk(ways: &[Vec<usize>], from: usize, mut stops: impl FnMut(usize) -> bool) -> Vec<bool> {
    let mut seen = vec![false; ways.len()];
    let mut open = vec![from];
    seen[from] = true;
    while let Some(at) = open.pop() {
        for &to in &ways[at] {
            if !stops(to) && !std::mem::replace(&mut seen[to], true) {
                open.push(to);
            }
        }
    }
    seen
}

/// The steps of a branch, and whether it can lead to the join.
pub(crate) fn region(ways: &[Vec<usize>], head: usize, join: usize) -> (Vec<usize>, bool) {
    let mut meets = false;
    let inside = walk(ways, head, |to| {
        meets |= to == join;
        to == join
    });
    let inside = inside.iter().enumerate().filter(|(_, is)| **is).map(|(n, _)| n);
    (inside.collect(), meets)
}

/// The nearest step that every branch of a fork leads to.
pub(crate) fn meeting(ways: &[Vec<usize>], fork: usize, heads: &[usize]) -> Option<usize> {
    let mut total: Vec<Option<usize>> = vec![Some(0); ways.len()];
    for &head in heads {
        let mut far: Vec<Option<usize>> = vec![None; total.len()];
        let mut open = VecDeque::from([head]);
        far[head] = Some(0);
        while let Some(at) = open.pop_front() {
            let next = far[at].map(|d| d + 1);
            for &to in &ways[at] {
                if to != fork && far[to].is_none() {
                    far[to] = next;
                    open.push_back(to);
                }
            }
        }
        for (sum, far) in total.iter_mut().zip(far) {
            *sum = sum.zip(far).map(|(sum, far)| sum + far);
        }
    }
    let reached = total.into_iter().enumerate().filter_map(|(n, far)| Some((far?, n)));
    let mut reached: Vec<(usize, usize)> = reached.filter(|(_, n)| *n != fork && !heads.contains(n)).collect();
    reached.sort_unstable();
    // A loop behind the join may lead into a branch again: where they meet the branches are apart before.
    let apart = |join: usize| {
        let mut seen = vec![false; ways.len()];
        seen[fork] = true;
        let inside = heads.iter().flat_map(|head| region(ways, *head, join).0);
        inside.into_iter().all(|at| !std::mem::replace(&mut seen[at], true))
    };
    let tried = reached.iter().take(MOST_TRIED).map(|(_, n)| *n);
    let sound = tried.into_iter().find(|join| apart(*join));
    sound.or_else(|| reached.first().map(|(_, n)| *n))
}
