//! Groups: each is laid out for itself and stands as one box in what contains it. An edge across a group's border passes a port.

use super::absolute::{absolute, climb};
use super::cycles::{Arc, back_edges};
use super::fitting::lay_out;
use super::nesting::{components, fill, parents};
use super::parts::{
    Arranged, Container, Content, Item, Laid, LaidBar, Link, PADDING, Port, Riser, Room, Route, frame, size, snap,
    text_width,
};
use super::{Direction, EdgeKind, Input, bands};
use std::collections::HashMap;

/// Room for a group's title, px.
const TITLE: f64 = 28.0;
/// Most of a title that its group is widened for, and room beside it, px.
const TITLE_MOST: f64 = 200.0;
const TITLE_BESIDE: f64 = 72.0;
/// Room between components, px.
const COMPONENT_GAP: f64 = 48.0;
/// How far beside each other the arcs of one box climb, as parts of its width.
const ASIDE: [f64; 4] = [0.0, -0.12, 0.12, -0.2];

/// Arranges the input. `edges` are those of the input that are valid.
pub(super) fn arrange(input: &Input, edges: &[usize]) -> Arranged {
    let parents = parents(input);
    let node_container = |node: usize| {
        if let Some(group) = frame(input, node) {
            return parents[group];
        }
        input.nodes[node]
            .group
            .filter(|&group| group < input.groups.len())
            .map_or(0, |group| group + 1)
    };
    let lanes = bands::of(input);
    let mut containers = vec![Container::default(); input.groups.len() + 1];
    let mut slot_of_node = vec![0; input.nodes.len()];
    let mut slot_of_group = vec![0; input.groups.len()];
    fill(
        input,
        &parents,
        &node_container,
        &mut containers,
        &mut slot_of_node,
        &mut slot_of_group,
    );

    let depth_of = |mut container: usize| {
        let mut depth = 0;
        while container != 0 {
            container = parents[container - 1];
            depth += 1;
        }
        depth
    };
    // The containers of both ends, innermost first, up to the one that holds both.
    let mut chains: Vec<(Vec<usize>, Vec<usize>, usize)> = Vec::with_capacity(edges.len());
    for &edge in edges {
        let (mut a, mut b) = (
            node_container(input.edges[edge].from),
            node_container(input.edges[edge].to),
        );
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let (mut deep_a, mut deep_b) = (depth_of(a), depth_of(b));
        while a != b {
            if deep_a >= deep_b {
                left.push(a);
                a = parents[a - 1];
                deep_a -= 1;
            } else {
                right.push(b);
                b = parents[b - 1];
                deep_b -= 1;
            }
        }
        let end = |chain: &[usize], node: usize| {
            chain
                .last()
                .map_or(slot_of_node[node], |&group| slot_of_group[group - 1])
        };
        let (from, to) = (end(&left, input.edges[edge].from), end(&right, input.edges[edge].to));
        containers[a].links.push((edge, left.len(), true, from, to));
        chains.push((left, right, a));
    }
    for container in &mut containers {
        let arcs: Vec<Arc> = container
            .links
            .iter()
            .map(|&(edge, _, _, from, to)| {
                let kind = input.edges[edge].kind;
                let weight = match kind {
                    EdgeKind::Flow | EdgeKind::Depends => 4,
                    EdgeKind::Branch => 2,
                    EdgeKind::Reject | EdgeKind::Loop | EdgeKind::Detour | EdgeKind::Sent | EdgeKind::Feedback => 1,
                };
                Arc {
                    from,
                    to,
                    is_loop: kind == EdgeKind::Loop,
                    weight,
                }
            })
            .collect();
        // Where there are lanes, they say what is back between two of them.
        let between = |arc: &Arc| match (&lanes, container.contents[arc.from], container.contents[arc.to]) {
            (Some(lanes), Content::Node(from), Content::Node(to)) if lanes[from] != lanes[to] => {
                Some(lanes[from] > lanes[to])
            }
            _ => None,
        };
        let within: Vec<Arc> = arcs.iter().filter(|arc| between(arc).is_none()).copied().collect();
        let mut within = back_edges(container.contents.len(), &within).into_iter();
        let back = arcs
            .iter()
            .map(|arc| between(arc).or_else(|| within.next()).unwrap_or(false));
        container.back = back.collect();
    }
    let mut is_back = vec![false; input.edges.len()];
    for container in &containers {
        for (link, &back) in container.links.iter().zip(&container.back) {
            is_back[link.0] = back;
        }
    }
    for (&edge, (left, right, _)) in edges.iter().zip(&chains).filter(|(edge, _)| !is_back[**edge]) {
        let mut slot = slot_of_node[input.edges[edge].from];
        for (place, &container) in left.iter().enumerate() {
            let port = add_port(&mut containers[container], edge, place);
            containers[container].links.push((edge, place, false, slot, port));
            containers[container].back.push(false);
            slot = slot_of_group[container - 1];
        }
        let mut slot = slot_of_node[input.edges[edge].to];
        for (height, &container) in right.iter().enumerate() {
            let place = left.len() + right.len() - height;
            let port = add_port(&mut containers[container], edge, place);
            containers[container].links.push((edge, place, false, port, slot));
            containers[container].back.push(false);
            slot = slot_of_group[container - 1];
        }
    }

    let mut inside_out: Vec<usize> = (0..containers.len()).collect();
    inside_out.sort_by_key(|&container| (std::cmp::Reverse(depth_of(container)), container));
    // Per edge: where it crosses the border of the group last laid out, (leaving, arriving), from the group's upper edge.
    let mut ports = vec![(0.0, 0.0); input.edges.len()];
    let mut tops: Vec<(Option<f64>, Option<f64>)> = vec![(None, None); input.edges.len()];
    let mut risers: Vec<Riser> = Vec::new();
    for &index in &inside_out {
        let mut container = std::mem::take(&mut containers[index]);
        let sizes: Vec<(f64, f64)> = container
            .contents
            .iter()
            .map(|content| match *content {
                Content::Node(node) => size(input, node),
                Content::Group(group) => containers[group + 1].size,
                Content::Port(..) => (0.0, 0.0),
            })
            .collect();
        let title = index.checked_sub(1).map(|group| input.groups[group].title.as_str());
        let room = room(input, depth_of(index));
        let frame = Frame {
            title,
            lanes: lanes.as_deref(),
            room,
        };
        place_contents(input, &mut container, &sizes, &ports, &tops, frame);
        for (content, place) in container.contents.iter().zip(&container.places) {
            if let Content::Port(edge, at) = *content {
                let leaves = chains[edges.binary_search(&edge).expect("ports belong to valid edges")]
                    .0
                    .len()
                    > at;
                if leaves {
                    ports[edge].0 = place.1
                } else {
                    ports[edge].1 = place.1
                }
            }
        }
        // Arcs that start or end in here and belong further out climb to the upper edge now, while the places are known; those
        // of one box side by side.
        let mut climbed: HashMap<(usize, bool), usize> = HashMap::new();
        for (&edge, (left, right, _)) in edges.iter().zip(&chains).filter(|(edge, _)| is_back[**edge]) {
            for (chain, leaves) in [(left, true), (right, false)] {
                let Some(at) = chain.iter().position(|&container| container == index) else {
                    continue;
                };
                let node = if leaves {
                    input.edges[edge].from
                } else {
                    input.edges[edge].to
                };
                let slot = if at == 0 {
                    slot_of_node[node]
                } else {
                    slot_of_group[chain[at - 1] - 1]
                };
                let known = if leaves { tops[edge].0 } else { tops[edge].1 };
                let before = climbed.entry((slot, leaves)).or_default();
                let aside = ASIDE[*before % ASIDE.len()];
                *before += usize::from(known.is_none());
                let part = if leaves { 0.72 - aside } else { 0.28 + aside };
                let Container {
                    places,
                    layer_start,
                    component_top,
                    ..
                } = &container;
                let (points, top) = climb(places, &sizes, layer_start, component_top[slot], slot, known, part);
                risers.push(Riser {
                    edge,
                    leaves,
                    container: index,
                    points,
                });
                if leaves {
                    tops[edge].0 = Some(top)
                } else {
                    tops[edge].1 = Some(top)
                }
            }
        }
        containers[index] = container;
    }
    absolute(input, containers, &parents, risers)
}

/// The room for the contents of a container with this many around it.
fn room(input: &Input, depth: usize) -> Option<Room> {
    let asked = input.room?;
    let sane = |value: f64| if value.is_finite() { value.max(0.0) } else { 0.0 };
    let header = bands::header(input);
    let (main, cross) = match input.direction {
        Direction::Right => (sane(asked.width), sane(asked.height)),
        Direction::Down => (sane(asked.height), sane(asked.width)),
    };
    let around = 2.0 * super::MARGIN + depth as f64 * 2.0 * PADDING;
    // A room in which not even two boxes stand beside each other is no measure.
    let least = 2.0 * super::NODE_WIDTH;
    Some(Room {
        main: (main - around).max(least),
        cross: (cross - around - header).max(least / 2.0),
        header,
    })
}

fn add_port(container: &mut Container, edge: usize, place: usize) -> usize {
    container.contents.push(Content::Port(edge, place));
    container.contents.len() - 1
}

/// What a container is to be laid out with.
struct Frame<'a> {
    /// Of a group.
    title: Option<&'a str>,
    /// The lane of each node.
    lanes: Option<&'a [usize]>,
    room: Option<Room>,
}

/// Lays out the components of a container below each other and finds its size.
fn place_contents(
    input: &Input,
    container: &mut Container,
    sizes: &[(f64, f64)],
    ports: &[(f64, f64)],
    tops: &[(Option<f64>, Option<f64>)],
    Frame { title, lanes, room }: Frame<'_>,
) {
    let is_group = title.is_some();
    let count = container.contents.len();
    let right = input.direction == Direction::Right;
    let lane_of = |item: usize| match (lanes, container.contents[item]) {
        (Some(lanes), Content::Node(node)) => lanes[node],
        _ => 0,
    };
    // Lanes lie across everything, so that everything in them is laid out together.
    let component = match lanes {
        Some(_) => vec![0; count],
        None => components(count, container.links.iter().map(|link| (link.3, link.4))),
    };
    let component_count = component.iter().max().map_or(0, |last| last + 1);
    let mut members = vec![Vec::new(); component_count];
    let mut local = vec![0; count];
    for item in 0..count {
        local[item] = members[component[item]].len();
        members[component[item]].push(item);
    }
    let mut links_of = vec![Vec::new(); component_count];
    for (index, link) in container.links.iter().enumerate() {
        links_of[component[link.3]].push(index);
    }
    let line = |item: usize| {
        Item {
            main: sizes[item].0,
            cross: sizes[item].1,
            port: Port::Box,
            lane: 0,
        }
        .line()
    };
    // An edge of the group's own border is spread like those of a box; one from inside has its place at the border already.
    let passes_border = |item: usize, end: usize| match container.contents[item] {
        Content::Group(group) => frame(input, end) != Some(group),
        _ => false,
    };
    let is_a_group = |item: usize| matches!(container.contents[item], Content::Group(_));
    let leaving_ports: Vec<bool> = {
        let mut leaving = vec![false; count];
        for link in &container.links {
            leaving[link.4] |= matches!(container.contents[link.4], Content::Port(..));
        }
        leaving
    };
    let (pad_main, pad_cross) = match (is_group, right) {
        (false, _) => (0.0, 0.0),
        (true, true) => (PADDING, PADDING + TITLE),
        (true, false) => (PADDING + TITLE, PADDING),
    };
    // The title stands along the upper edge, with room for a few words about what happened.
    let title_width = title.map_or(0.0, |title| snap(text_width(title).min(TITLE_MOST) + TITLE_BESIDE));
    let least = if right { (title_width, 0.0) } else { (0.0, title_width) };
    let mut places = vec![(0.0, 0.0); count];
    let mut layer_start = vec![0.0; count];
    container.component_top = vec![None; count];
    let mut routes = vec![Route::Around(Vec::new()); container.links.len()];
    container.implied = vec![false; container.links.len()];
    container.label_after = vec![0; container.links.len()];
    let (mut main, mut cross) = (0.0f64, pad_cross);
    for (members, indices) in members.iter().zip(&links_of) {
        let items: Vec<Item> = members
            .iter()
            .map(|&item| {
                let port = match container.contents[item] {
                    Content::Port(..) if leaving_ports[item] => Port::Exit,
                    Content::Port(..) => Port::Entry,
                    _ => Port::Box,
                };
                Item {
                    main: sizes[item].0,
                    cross: sizes[item].1,
                    port,
                    lane: lane_of(item),
                }
            })
            .collect();
        let links: Vec<Link> = indices
            .iter()
            .map(|&index| {
                let (edge, _, is_main, from, to) = container.links[index];
                let (leaves, arrives) = (
                    passes_border(from, input.edges[edge].from),
                    passes_border(to, input.edges[edge].to),
                );
                let label = input.edges[edge]
                    .label
                    .as_deref()
                    .filter(|label| is_main && !label.is_empty())
                    .map(text_width);
                let (label_main, label_cross) = match (label, right) {
                    (None, _) => (0.0, 0.0),
                    (Some(width), true) => (width, 18.0),
                    (Some(width), false) => (18.0, width + 10.0),
                };
                Link {
                    from: local[from],
                    to: local[to],
                    back: container.back[index],
                    is_flow: input.edges[edge].kind == EdgeKind::Flow,
                    depends: input.edges[edge].kind == EdgeKind::Depends || input.edges[edge].together,
                    from_port: leaves.then(|| ports[edge].0 - line(from)),
                    to_port: arrives.then(|| ports[edge].1 - line(to)),
                    from_top: match (leaves, from == to && is_a_group(from)) {
                        (true, _) => tops[edge].0,
                        // From the border of a group back into it: wide enough to be seen as a way of the whole.
                        (false, true) => Some(snap(sizes[from].0 * 0.72)),
                        (false, false) => None,
                    },
                    to_top: arrives.then(|| tops[edge].1).flatten(),
                    label_main,
                    label_cross,
                }
            })
            .collect();
        let Laid {
            main: wide,
            cross: high,
            items: at,
            layer_start: starts,
            row_top,
            rows,
            routes: ways,
            label_after,
            implied,
            bars,
        } = lay_out(items, links, room);
        container
            .rows
            .extend(rows.iter().map(|row| (row.0 + cross, row.1 + cross)));
        for ((&item, place), (start, top)) in members.iter().zip(at).zip(starts.into_iter().zip(row_top)) {
            places[item] = (place.0 + pad_main, place.1 + cross);
            layer_start[item] = start + pad_main;
            let top = top.map_or(cross, |top| top + cross);
            container.component_top[item] = Some(top).filter(|top| *top > pad_cross);
        }
        for (place, (&index, mut way)) in indices.iter().zip(ways).enumerate() {
            way.shift(pad_main, cross);
            routes[index] = way;
            container.implied[index] = implied[place];
            container.label_after[index] = label_after[place];
        }
        let outer = |items: Vec<usize>| items.into_iter().map(|item| members[item]).collect();
        container.bars.extend(bars.into_iter().map(|bar| LaidBar {
            main: bar.main + pad_main,
            low: bar.low + cross,
            high: bar.high + cross,
            from: outer(bar.from),
            to: outer(bar.to),
        }));
        main = main.max(wide);
        cross += high + COMPONENT_GAP;
    }
    cross -= if component_count > 0 { COMPONENT_GAP } else { 0.0 };
    let content = if component_count == 0 && is_group {
        (120.0, 24.0)
    } else {
        (main, cross - pad_cross)
    };
    let content = (content.0.max(least.0), content.1.max(least.1));
    let size = (
        content.0 + pad_main + if is_group { PADDING } else { 0.0 },
        content.1 + pad_cross + if is_group { PADDING } else { 0.0 },
    );
    // Edges cross the border itself, not the layer of ports.
    for (link, way) in container.links.iter().zip(&mut routes) {
        if let Route::Across(runs) = way {
            if matches!(container.contents[link.3], Content::Port(..))
                && let Some(first) = runs.first_mut()
            {
                first.start = 0.0;
            }
            if matches!(container.contents[link.4], Content::Port(..))
                && let Some(last) = runs.last_mut()
            {
                last.end = size.0;
            }
        }
    }
    (
        container.size,
        container.places,
        container.layer_start,
        container.routes,
    ) = (size, places, layer_start, routes);
}
