//! Rows: a long flow fills its room, keeps the promises of every drawing, and can be read.

use proptest::prelude::*;

use super::bands_tests::{any_lanes, lane};
use super::tests::{any_graph, broken, check, input};
use super::*;

const WINDOW: Room = Room {
    width: 800.0,
    height: 400.0,
};

fn chain(steps: usize) -> Vec<(usize, usize, EdgeKind)> {
    (1..steps).map(|node| (node - 1, node, EdgeKind::Flow)).collect()
}

fn within(room: Room, mut input: Input) -> Input {
    input.room = Some(room);
    input
}

/// How much the drawing is shrunk to fit its room.
fn scale(drawing: &Drawing, room: Room) -> f64 {
    (room.width / drawing.width).min(room.height / drawing.height).min(1.0)
}

fn rows(drawing: &Drawing) -> usize {
    let mut tops: Vec<i64> = drawing.nodes.iter().map(|node| node.y as i64).collect();
    tops.sort_unstable();
    tops.dedup();
    tops.len()
}

#[test]
fn seven_steps_can_be_read_in_a_small_window() {
    let mut edges = chain(7);
    edges.extend([(3, 2, EdgeKind::Loop), (5, 1, EdgeKind::Reject)]);
    let drawing = check(&within(WINDOW, input(7, &edges, Direction::Right)));
    // Names are written at 13 px, what happened at 12.
    assert!(
        scale(&drawing, WINDOW) >= 11.0 / 12.0,
        "{} x {}",
        drawing.width,
        drawing.height
    );
    assert!(rows(&drawing) > 1);
}

#[test]
fn what_fits_is_not_broken() {
    let room = Room {
        width: 1_000.0,
        height: 300.0,
    };
    let plain = input(4, &chain(4), Direction::Right);
    assert_eq!(draw(&within(room, plain.clone())), draw(&plain));
    // Nor is what is too high: rows would make it higher.
    let wide: Vec<_> = (1..20).map(|to| (0, to, EdgeKind::Flow)).collect();
    let wide = input(20, &wide, Direction::Right);
    assert_eq!(draw(&within(room, wide.clone())), draw(&wide));
}

#[test]
fn many_steps_are_a_picture() {
    for steps in [30, 300, 2_000] {
        for direction in [Direction::Right, Direction::Down] {
            let drawing = check(&within(WINDOW, input(steps, &chain(steps), direction)));
            let wanted = WINDOW.width / WINDOW.height;
            let shape = drawing.width / drawing.height;
            assert!((wanted / 1.5..wanted * 1.5).contains(&shape), "{steps}: {shape}");
            assert_eq!(crossings(&drawing), 0);
        }
    }
}

#[test]
fn a_page_is_filled_in_its_width_where_its_height_is_no_bound() {
    let page = Room {
        width: 760.0,
        height: 1e6,
    };
    for steps in [7, 30, 300] {
        let drawing = check(&within(page, input(steps, &chain(steps), Direction::Right)));
        assert!((600.0..=776.0).contains(&drawing.width), "{steps}: {}", drawing.width);
    }
}

#[test]
fn a_way_back_goes_straight_up_where_it_can() {
    let room = Room {
        width: 640.0,
        height: 400.0,
    };
    let mut edges = chain(4);
    edges.push((3, 0, EdgeKind::Reject));
    let mut boxes = input(4, &edges, Direction::Right);
    // Only two stand in a row.
    for node in &mut boxes.nodes {
        node.width = 240.0;
    }
    let drawing = check(&within(room, boxes));
    let back = drawing.edges.last().expect("drawn");
    let (to, last) = (&drawing.nodes[0], back.points.last().expect("points"));
    assert!(back.back && (last.y - to.y - to.height).abs() < 0.2, "{back:?}");
    assert_eq!(back.arrow.angle_deg, -90.0);
}

#[test]
fn a_loop_is_not_broken_for_a_fuller_row() {
    // Three would fit in a row; author and critic stand together all the same.
    let mut edges = chain(6);
    edges.push((3, 2, EdgeKind::Loop));
    let drawing = check(&within(WINDOW, input(6, &edges, Direction::Right)));
    assert!(rows(&drawing) > 1);
    assert_eq!(drawing.nodes[2].y, drawing.nodes[3].y);
}

#[test]
fn a_lane_that_is_broken_is_drawn_in_each_row() {
    let mut phased = input(9, &chain(9), Direction::Right);
    phased.lanes = vec![lane("Plan", &[0, 1, 2, 3, 4]), lane("Build", &[5, 6, 7, 8])];
    let drawing = check(&within(WINDOW, phased));
    let mut ids: Vec<&str> = drawing.lanes.iter().map(|lane| lane.id.as_str()).collect();
    assert!(ids.len() > 2);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), drawing.lanes.len(), "each piece has an id of its own");
    for band in &drawing.lanes {
        for node in &drawing.nodes {
            let inside = band.x < node.x
                && node.x + node.width < band.x + band.width
                && band.y + 28.0 <= node.y
                && node.y + node.height <= band.y + band.height;
            assert_eq!(band.nodes.contains(&node.id), inside, "{} and {}", band.id, node.id);
        }
    }
}

fn any_room() -> impl Strategy<Value = Room> {
    (prop_oneof![200.0..2_000.0, Just(f64::NAN)], 100.0..1_500.0)
        .prop_map(|(width, height): (f64, f64)| Room { width, height })
}

/// No two lanes overlap, and each lies inside.
fn broken_bands(drawing: &Drawing) -> Option<String> {
    for (index, a) in drawing.lanes.iter().enumerate() {
        if a.x < 0.0 || a.y < 0.0 || a.x + a.width > drawing.width || a.y + a.height > drawing.height {
            return Some(format!("{} lies outside", a.id));
        }
        for b in &drawing.lanes[index + 1..] {
            if a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height {
                return Some(format!("{} and {} overlap", a.id, b.id));
            }
        }
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn the_promises_hold_in_any_room(input in any_graph(), room in any_room()) {
        let input = within(room, input);
        let drawing = draw(&input);
        prop_assert_eq!(broken(&input, &drawing), None);
        prop_assert_eq!(draw(&input), drawing);
    }

    #[test]
    fn lanes_hold_in_any_room(input in any_lanes(), room in any_room()) {
        let input = within(room, input);
        let drawing = draw(&input);
        prop_assert_eq!(broken(&input, &drawing), None);
        prop_assert_eq!(broken_bands(&drawing), None);
    }

    #[test]
    fn a_row_with_shortcuts_keeps_its_promises(
        steps in 8usize..40,
        more in prop::collection::vec((0usize..40, 0usize..40, any::<bool>()), 0..8),
        room in any_room(),
    ) {
        let mut edges = chain(steps);
        edges.extend(more.into_iter().map(|(a, b, flow)| {
            let kind = if flow { EdgeKind::Flow } else { EdgeKind::Loop };
            (a % steps, b % steps, kind)
        }));
        for direction in [Direction::Right, Direction::Down] {
            let input = within(room, input(steps, &edges, direction));
            let drawing = draw(&input);
            prop_assert_eq!(broken(&input, &drawing), None);
        }
    }
}
