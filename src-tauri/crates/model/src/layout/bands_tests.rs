//! Lanes: no step reaches into another's, whatever the edges are.

use proptest::prelude::*;

use super::svg::{Decorate, EdgeText, NodeText, svg};
use super::tests::{boxed, broken, check, input};
use super::*;

pub(super) fn lane(title: &str, nodes: &[usize]) -> InLane {
    InLane {
        id: format!("l{}", nodes.first().copied().unwrap_or(99)),
        title: title.to_owned(),
        nodes: nodes.to_vec(),
    }
}

/// Six steps in a row, a way back to the second and one into the same lane.
fn six(direction: Direction) -> Input {
    use EdgeKind::{Flow, Reject};
    let mut edges: Vec<_> = (0..5).map(|n| (n, n + 1, Flow)).collect();
    edges.extend([(4, 1, Reject), (3, 2, Reject)]);
    let mut input = input(6, &edges, direction);
    input.lanes = vec![
        lane("Phase 1 Analysis", &[0, 1]),
        lane("Phase 2 Planning", &[2, 3, 4]),
        lane("Phase 3 Solutioning", &[5]),
    ];
    input
}

/// The first promise about lanes that a drawing breaks.
fn broken_lanes(input: &Input, drawing: &Drawing) -> Option<String> {
    let right = drawing.direction == Direction::Right;
    let along = |x: f64, y: f64| if right { x } else { y };
    let mut last = 0.0;
    for lane in &drawing.lanes {
        let start = along(lane.x, lane.y);
        let end = start + along(lane.width, lane.height);
        if start < last || end <= start {
            return Some(format!(
                "{} begins at {start}, the one before ends at {last}",
                lane.title
            ));
        }
        last = end;
        if lane.x < 0.0 || lane.y < 0.0 || lane.x + lane.width > drawing.width || lane.y + lane.height > drawing.height
        {
            return Some(format!("{} lies outside", lane.title));
        }
        for node in &drawing.nodes {
            let (from, to) = (along(node.x, node.y), along(node.x + node.width, node.y + node.height));
            let inside = start < from && to < end;
            let outside = to < start || end < from;
            if lane.nodes.contains(&node.id) {
                let clear = node.x > lane.x && node.y > lane.y;
                let below = node.y + node.height < lane.y + lane.height && node.x + node.width < lane.x + lane.width;
                if !inside || !clear || !below {
                    return Some(format!("{} is not in {}", node.id, lane.title));
                }
            } else if !outside {
                return Some(format!("{} reaches into {}", node.id, lane.title));
            }
        }
    }
    let titled = input.lanes.iter().filter(|lane| !lane.title.is_empty()).count();
    (drawing.lanes.len() > titled).then(|| "more lanes than there are".to_owned())
}

#[test]
fn steps_of_one_phase_stand_together() {
    for direction in [Direction::Right, Direction::Down] {
        let input = six(direction);
        let drawing = check(&input);
        assert_eq!(broken_lanes(&input, &drawing), None);
        let titles: Vec<&str> = drawing.lanes.iter().map(|lane| lane.title.as_str()).collect();
        assert_eq!(titles, ["Phase 1 Analysis", "Phase 2 Planning", "Phase 3 Solutioning"]);
        let members: Vec<usize> = drawing.lanes.iter().map(|lane| lane.nodes.len()).collect();
        assert_eq!(members, [2, 3, 1]);
        // Lanes follow each other without a gap, from edge to edge.
        let (first, last) = (&drawing.lanes[0], &drawing.lanes[2]);
        match direction {
            Direction::Right => {
                assert_eq!(first.x + first.width, drawing.lanes[1].x);
                assert_eq!((first.x, last.x + last.width), (4.0, drawing.width - 4.0));
                assert!(
                    drawing.nodes.iter().all(|node| node.y >= first.y + 28.0),
                    "below the titles"
                );
            }
            Direction::Down => {
                assert_eq!(first.y + first.height, drawing.lanes[1].y);
                assert_eq!((first.y, last.y + last.height), (4.0, drawing.height - 4.0));
                let room = super::parts::text_width("Phase 3 Solutioning");
                assert!(
                    drawing.nodes.iter().all(|node| node.x > first.x + 12.0 + room),
                    "beside the titles"
                );
            }
        }
        assert!(drawing.edges[5].back && drawing.edges[6].back);
    }
}

#[test]
fn the_row_itself_looks_as_without_lanes() {
    let input = six(Direction::Right);
    let plain = Input {
        lanes: Vec::new(),
        ..input.clone()
    };
    let (with, without) = (check(&input), check(&plain));
    for (a, b) in with.nodes.iter().zip(&without.nodes) {
        assert_eq!((a.x, a.y - 28.0), (b.x, b.y));
    }
    assert!(without.lanes.is_empty());
}

/// Two steps of one id: the second is reached by nothing, and stands in its lane all the same.
#[test]
fn a_step_that_nothing_leads_to_stands_in_its_lane() {
    use EdgeKind::Flow;
    for direction in [Direction::Right, Direction::Down] {
        let mut input = input(5, &[(0, 1, Flow), (1, 1, Flow), (2, 3, Flow), (4, 0, Flow)], direction);
        input.lanes = vec![lane("A", &[0, 1]), lane("B", &[2]), lane("", &[3]), lane("A", &[4])];
        let drawing = check(&input);
        assert_eq!(broken_lanes(&input, &drawing), None);
        assert_eq!(drawing.lanes.len(), 3, "the one without a title is not drawn");
        assert!(drawing.edges[3].back, "from a later lane to an earlier one is back");
        let along = |id| match direction {
            Direction::Right => boxed(&drawing, id).x,
            Direction::Down => boxed(&drawing, id).y,
        };
        assert!(along("n1") < along("n2") && along("n2") < along("n3") && along("n3") < along("n4"));
    }
}

#[test]
fn containers_and_dependencies_are_not_divided() {
    let mut held = six(Direction::Right);
    held.groups.push(InGroup {
        id: "g".into(),
        title: "G".into(),
        parent: None,
    });
    assert!(check(&held).lanes.is_empty());
    let mut waits = six(Direction::Right);
    waits.edges[0].kind = EdgeKind::Depends;
    assert!(check(&waits).lanes.is_empty());
}

struct Plain;

impl Decorate for Plain {
    fn node(&self, id: &str) -> NodeText {
        NodeText {
            title: id.to_owned(),
            ..NodeText::default()
        }
    }
    fn edge(&self, _: &str) -> EdgeText {
        EdgeText::default()
    }
    fn title(&self) -> String {
        "Lanes".to_owned()
    }
}

#[test]
fn the_report_shows_them() {
    let text = svg(&check(&six(Direction::Down)), &Plain);
    assert_eq!(text.matches("class=\"lane\"").count(), 3);
    assert!(text.contains(">Phase 2 Planning</text>"), "{text}");
    let (lane, edge) = (text.rfind("class=\"lane\""), text.find("class=\"edge"));
    assert!(lane < edge, "lanes lie behind everything");
}

pub(super) fn any_lanes() -> impl Strategy<Value = Input> {
    use EdgeKind::{Branch, Flow, Loop, Reject};
    let kind = prop_oneof![4 => Just(Flow), 1 => Just(Branch), 1 => Just(Reject), 1 => Just(Loop)];
    let label = prop_oneof![3 => Just(None), 1 => Just(Some("when it is urgent".to_owned()))];
    (1usize..24).prop_flat_map(move |nodes| {
        let edges = prop::collection::vec((0..nodes, 0..nodes, kind.clone(), label.clone()), 0..40);
        let sizes = prop::collection::vec(prop_oneof![Just((168.0, 64.0)), (40.0..300.0, 20.0..150.0)], nodes);
        // Document order, as in a file, or any.
        let row = prop::collection::vec(any::<bool>(), nodes).prop_map(|starts| {
            let mut lane = 0;
            let of = |starts: bool| {
                lane += usize::from(starts);
                lane
            };
            starts.into_iter().map(of).collect::<Vec<usize>>()
        });
        let lanes = prop_oneof![2 => row, 1 => prop::collection::vec(0..6usize, nodes)];
        let chain = any::<bool>();
        (edges, sizes, lanes, chain, any::<bool>()).prop_map(move |(edges, sizes, lanes, chain, right)| {
            let direction = if right { Direction::Right } else { Direction::Down };
            let row = (1..nodes).filter(|_| chain).map(|n| (n - 1, n, Flow, None));
            let edges: Vec<_> = row.chain(edges).collect();
            let plain: Vec<_> = edges.iter().map(|(from, to, kind, _)| (*from, *to, *kind)).collect();
            let mut input = input(nodes, &plain, direction);
            for (edge, (_, _, _, label)) in input.edges.iter_mut().zip(edges) {
                edge.label = label;
            }
            for (node, (width, height)) in input.nodes.iter_mut().zip(sizes) {
                (node.width, node.height) = (width, height);
            }
            for of in 0..=lanes.iter().copied().max().unwrap_or(0) {
                let members: Vec<usize> = (0..nodes).filter(|node| lanes[*node] == of).collect();
                let title = if of % 5 == 4 { "" } else { "Phase" };
                input.lanes.push(lane(title, &members));
            }
            input
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn no_step_reaches_into_another_lane(input in any_lanes()) {
        let drawing = draw(&input);
        prop_assert_eq!(broken(&input, &drawing), None);
        prop_assert_eq!(broken_lanes(&input, &drawing), None);
        prop_assert_eq!(draw(&input), drawing);
    }
}
