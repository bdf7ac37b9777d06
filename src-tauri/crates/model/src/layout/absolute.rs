//! From places inside each container to places in the drawing.

use super::Input;
use super::parts::{Arranged, Container, Content, LaidBar, PADDING, Piece, Riser, frame, snap};

/// The way from an item's upper edge (at `known`, else at a part of its width that its own arcs leave free) to its container's,
/// past what stands above; and where it arrives, from the container's start.
pub(super) fn climb(
    places: &[(f64, f64)],
    sizes: &[(f64, f64)],
    layer_start: &[f64],
    component_top: Option<f64>,
    slot: usize,
    known: Option<f64>,
    part: f64,
) -> (Vec<(f64, f64)>, f64) {
    let (start, top) = places[slot];
    let main = start + known.unwrap_or_else(|| snap(sizes[slot].0 * part));
    let in_the_way = places.iter().zip(sizes).enumerate().any(|(other, (place, size))| {
        other != slot && size.0 > 0.0 && place.1 < top && place.0 - 6.0 < main && main < place.0 + size.0 + 6.0
    });
    let mut points = vec![(main, top)];
    if in_the_way {
        // Beside the layer is room up to the component's edge, between components is room up to the container's.
        let aside = layer_start[slot] - 12.0;
        points.extend([(main, top - 16.0), (aside, top - 16.0)]);
        let border = PADDING / 2.0;
        let last = component_top.map_or(aside, |edge| {
            points.extend([(aside, edge - 12.0), (border, edge - 12.0)]);
            border
        });
        points.push((last, 0.0));
        (points, last)
    } else {
        points.push((main, 0.0));
        (points, main)
    }
}

/// Adds up the places from the outside in.
pub(super) fn absolute(
    input: &Input,
    containers: Vec<Container>,
    parents: &[usize],
    mut risers: Vec<Riser>,
) -> Arranged {
    let mut origin = vec![(0.0, 0.0); containers.len()];
    let mut arranged = Arranged {
        main: containers[0].size.0,
        cross: containers[0].size.1,
        nodes: vec![(0.0, 0.0); input.nodes.len()],
        groups: vec![(0.0, 0.0, 0.0, 0.0, 0); input.groups.len()],
        pieces: Vec::new(),
        risers: Vec::new(),
        bars: Vec::new(),
        rows: containers[0].rows.clone(),
    };
    let mut framed = vec![None; input.groups.len()];
    for node in (0..input.nodes.len()).rev() {
        if let Some(group) = frame(input, node) {
            framed[group] = Some(node);
        }
    }
    let mut depth = vec![0u32; containers.len()];
    let mut outside_in = vec![0usize];
    let mut children = vec![Vec::new(); containers.len()];
    for (group, &parent) in parents.iter().enumerate() {
        children[parent].push(group + 1);
    }
    let mut next = 0;
    while let Some(&index) = outside_in.get(next) {
        next += 1;
        outside_in.extend(&children[index]);
        let container = &containers[index];
        let (main, cross) = origin[index];
        for (content, place) in container.contents.iter().zip(&container.places) {
            let at = (main + place.0, cross + place.1);
            match *content {
                Content::Node(node) => arranged.nodes[node] = at,
                Content::Group(group) => {
                    origin[group + 1] = at;
                    let size = containers[group + 1].size;
                    arranged.groups[group] = (at.0, at.1, size.0, size.1, depth[index]);
                    depth[group + 1] = depth[index] + 1;
                }
                Content::Port(..) => {}
            }
        }
        let node_at = |slot: usize| match container.contents[slot] {
            Content::Node(node) => Some(node),
            Content::Group(group) => framed[group],
            Content::Port(..) => None,
        };
        let nodes = |slots: &[usize]| slots.iter().filter_map(|&slot| node_at(slot)).collect();
        arranged.bars.extend(container.bars.iter().map(|bar| LaidBar {
            main: bar.main + main,
            low: bar.low + cross,
            high: bar.high + cross,
            from: nodes(&bar.from),
            to: nodes(&bar.to),
        }));
        for (index, ((link, way), &back)) in container
            .links
            .iter()
            .zip(&container.routes)
            .zip(&container.back)
            .enumerate()
        {
            let mut route = way.clone();
            route.shift(main, cross);
            arranged.pieces.push(Piece {
                edge: link.0,
                route,
                is_main: link.2,
                back,
                implied: container.implied[index],
                label_after: container.label_after[index],
                place: link.1,
            });
        }
    }
    for riser in &mut risers {
        let (main, cross) = origin[riser.container];
        for point in &mut riser.points {
            *point = (point.0 + main, point.1 + cross);
        }
    }
    arranged.risers = risers;
    arranged.pieces.sort_by_key(|piece| (piece.edge, piece.place));
    arranged
}
