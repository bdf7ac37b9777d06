//! Who holds whom: the tree of containers, and the components inside one.

use super::Input;
use super::parts::{Container, Content, frame};

/// The container of each group; a group that would contain itself stands outermost.
pub(super) fn parents(input: &Input) -> Vec<usize> {
    let count = input.groups.len();
    let direct: Vec<Option<usize>> = input
        .groups
        .iter()
        .map(|group| group.parent.filter(|&parent| parent < count))
        .collect();
    let mut sound: Vec<Option<bool>> = vec![None; count];
    for start in 0..count {
        let mut path = Vec::new();
        let mut at = Some(start);
        let mut on_path = vec![];
        while let Some(group) = at {
            if sound[group].is_some() {
                break;
            }
            if on_path.binary_search(&group).is_ok() {
                break;
            }
            path.push(group);
            let slot = on_path.partition_point(|&other| other < group);
            on_path.insert(slot, group);
            at = direct[group];
        }
        let ring_from = at.and_then(|group| path.iter().position(|&other| other == group && sound[other].is_none()));
        for (place, &group) in path.iter().enumerate() {
            sound[group] = Some(ring_from.is_none_or(|from| place < from));
        }
    }
    (0..count)
        .map(|group| {
            if sound[group] == Some(true) {
                direct[group].map_or(0, |parent| parent + 1)
            } else {
                0
            }
        })
        .collect()
}

/// Puts nodes and groups into their containers, in document order; a group stands where its first node does.
pub(super) fn fill(
    input: &Input,
    parents: &[usize],
    node_container: &dyn Fn(usize) -> usize,
    containers: &mut [Container],
    slot_of_node: &mut [usize],
    slot_of_group: &mut [usize],
) {
    let mut entered = vec![false; input.groups.len()];
    let mut enter = |container: usize, containers: &mut [Container], slot_of_group: &mut [usize]| {
        let mut at = container;
        while at != 0 && !std::mem::replace(&mut entered[at - 1], true) {
            let parent = parents[at - 1];
            slot_of_group[at - 1] = containers[parent].contents.len();
            containers[parent].contents.push(Content::Group(at - 1));
            at = parent;
        }
    };
    for (node, slot) in slot_of_node.iter_mut().enumerate() {
        if let Some(group) = frame(input, node) {
            enter(group + 1, containers, slot_of_group);
            *slot = slot_of_group[group];
            continue;
        }
        let container = node_container(node);
        enter(container, containers, slot_of_group);
        *slot = containers[container].contents.len();
        containers[container].contents.push(Content::Node(node));
    }
    for group in 0..input.groups.len() {
        enter(group + 1, containers, slot_of_group);
    }
}

/// The component of each item, numbered in document order.
pub(super) fn components(count: usize, pairs: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    let mut sets = petgraph::unionfind::UnionFind::<usize>::new(count);
    for (a, b) in pairs {
        sets.union(a, b);
    }
    let mut number = vec![usize::MAX; count];
    let mut next = 0;
    (0..count)
        .map(|item| {
            let root = sets.find(item);
            if number[root] == usize::MAX {
                number[root] = next;
                next += 1;
            }
            number[root]
        })
        .collect()
}
