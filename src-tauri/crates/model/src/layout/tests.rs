//! The drawing's promises, on cases written by hand and on random graphs.

use proptest::prelude::*;

use super::svg::{Decorate, EdgeText, NodeText, Tone, svg};
use super::*;

/// A graph in short: nodes `0..nodes`, edges with kinds.
pub(super) fn input(nodes: usize, edges: &[(usize, usize, EdgeKind)], direction: Direction) -> Input {
    Input {
        nodes: (0..nodes)
            .map(|node| InNode {
                id: format!("n{node}"),
                width: NODE_WIDTH,
                height: NODE_HEIGHT,
                gate: None,
                group: None,
                frame: None,
                parallel: true,
            })
            .collect(),
        edges: edges
            .iter()
            .enumerate()
            .map(|(index, &(from, to, kind))| InEdge {
                id: format!("e{index}"),
                from,
                to,
                label: None,
                kind,
                together: false,
            })
            .collect(),
        groups: Vec::new(),
        lanes: Vec::new(),
        direction,
        room: None,
    }
}

fn flow(pairs: &[(usize, usize)]) -> Vec<(usize, usize, EdgeKind)> {
    pairs.iter().map(|&(from, to)| (from, to, EdgeKind::Flow)).collect()
}

pub(super) fn boxed<'a>(drawing: &'a Drawing, id: &str) -> &'a NodeBox {
    drawing.nodes.iter().find(|node| node.id == id).expect("drawn")
}

fn on_border(node: &NodeBox, at: Point) -> bool {
    let (right, lower) = (node.x + node.width, node.y + node.height);
    let near = |a: f64, b: f64| (a - b).abs() <= 0.11;
    let within = |low: f64, value: f64, high: f64| low - 0.11 <= value && value <= high + 0.11;
    ((near(at.x, node.x) || near(at.x, right)) && within(node.y, at.y, lower))
        || ((near(at.y, node.y) || near(at.y, lower)) && within(node.x, at.x, right))
}

/// The first promise that a drawing breaks.
pub(super) fn broken(input: &Input, drawing: &Drawing) -> Option<String> {
    let is_border = |index: usize| input.nodes[index].frame.is_some_and(|group| group < input.groups.len());
    let mut by_left: Vec<&NodeBox> = drawing
        .nodes
        .iter()
        .enumerate()
        .filter(|(index, _)| !is_border(*index))
        .map(|(_, node)| node)
        .collect();
    by_left.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    for (index, a) in by_left.iter().enumerate() {
        for b in by_left[index + 1..].iter().take_while(|b| b.x < a.x + a.width) {
            if a.y < b.y + b.height && b.y < a.y + a.height {
                return Some(format!("boxes {} and {} overlap", a.id, b.id));
            }
        }
        if a.x % 4.0 != 0.0 || a.y % 4.0 != 0.0 {
            return Some(format!("box {} is off the grid: {}, {}", a.id, a.x, a.y));
        }
        if a.x < 0.0 || a.y < 0.0 || a.x + a.width > drawing.width || a.y + a.height > drawing.height {
            return Some(format!("box {} lies outside", a.id));
        }
    }
    let valid = input
        .edges
        .iter()
        .filter(|edge| edge.from < input.nodes.len() && edge.to < input.nodes.len())
        .count();
    if drawing.edges.len() != valid {
        return Some(format!("{} of {valid} edges drawn", drawing.edges.len()));
    }
    for edge in &drawing.edges {
        let (first, last) = (edge.points[0], edge.points[edge.points.len() - 1]);
        if !on_border(boxed(drawing, &edge.from), first) {
            return Some(format!("{} starts at {first:?}, off its box", edge.id));
        }
        if !on_border(boxed(drawing, &edge.to), last) || (edge.arrow.x, edge.arrow.y) != (last.x, last.y) {
            return Some(format!("{} ends at {last:?}, off its box", edge.id));
        }
        if edge
            .points
            .iter()
            .any(|at| at.x < 0.0 || at.y < 0.0 || at.x > drawing.width || at.y > drawing.height)
        {
            return Some(format!("{} leaves the drawing", edge.id));
        }
        if let Some(node) = touched(drawing, &by_left, edge) {
            return Some(format!(
                "{} ({} -> {}) runs through {node}",
                edge.id, edge.from, edge.to
            ));
        }
        if edge
            .path
            .chars()
            .any(|letter| letter.is_ascii_alphabetic() && !"MLCQ".contains(letter))
        {
            return Some(format!("{} has an odd path: {}", edge.id, edge.path));
        }
    }
    None
}

/// A box whose inside an edge passes through.
fn touched(drawing: &Drawing, by_left: &[&NodeBox], edge: &EdgePath) -> Option<String> {
    let widest = drawing.nodes.iter().map(|node| node.width).fold(0.0, f64::max);
    for pair in edge.points.windows(2) {
        let steps = ((pair[0].x - pair[1].x).hypot(pair[0].y - pair[1].y) / 6.0)
            .ceil()
            .max(1.0);
        for step in 0..=steps as usize {
            let part = step as f64 / steps;
            let (x, y) = (
                pair[0].x + (pair[1].x - pair[0].x) * part,
                pair[0].y + (pair[1].y - pair[0].y) * part,
            );
            let from = by_left.partition_point(|node| node.x < x - widest);
            for node in by_left[from..].iter().take_while(|node| node.x < x) {
                if node.x + 0.5 < x
                    && x < node.x + node.width - 0.5
                    && node.y + 0.5 < y
                    && y < node.y + node.height - 0.5
                {
                    return Some(node.id.clone());
                }
            }
        }
    }
    None
}

#[track_caller]
pub(super) fn check(input: &Input) -> Drawing {
    let drawing = draw(input);
    assert_eq!(broken(input, &drawing), None);
    drawing
}

#[track_caller]
fn check_both(nodes: usize, edges: &[(usize, usize, EdgeKind)]) {
    for direction in [Direction::Right, Direction::Down] {
        check(&input(nodes, edges, direction));
    }
}

fn critic() -> Input {
    use EdgeKind::{Flow, Loop};
    let mut input = input(
        6,
        &[
            (0, 1, Flow),
            (1, 2, Flow),
            (2, 3, Flow),
            (3, 2, Loop),
            (3, 4, Flow),
            (4, 5, Flow),
        ],
        Direction::Right,
    );
    for (node, id) in input
        .nodes
        .iter_mut()
        .zip(["normalise", "frame", "author", "critique", "scenarios", "scope"])
    {
        node.id = id.to_owned();
        node.gate = (id == "critique").then_some(Side::After);
    }
    input.edges[3].label = Some("↻ 5".to_owned());
    input
}

#[test]
fn the_author_and_the_critic() {
    let drawing = check(&critic());
    let boxes: Vec<String> = drawing
        .nodes
        .iter()
        .map(|node| format!("{} {},{}", node.id, node.x, node.y))
        .collect();
    let edges: Vec<String> = drawing
        .edges
        .iter()
        .map(|edge| format!("{} {}", edge.id, edge.path))
        .collect();
    insta::assert_snapshot!(format!(
        "{}x{}\n{}\n{}\n{:?}",
        drawing.width,
        drawing.height,
        boxes.join("\n"),
        edges.join("\n"),
        drawing.bars
    ));
}

#[test]
fn the_bar_stands_on_the_side_where_a_person_is_asked() {
    let mut input = critic();
    let after = check(&input);
    input.nodes[3].gate = Some(Side::Before);
    let before = check(&input);
    let node = &before.nodes[3];
    assert!(after.bars[0].x1 > node.x + node.width && after.bars[0].x1 < after.nodes[4].x);
    assert!(before.bars[0].x1 < node.x && before.bars[0].x1 > before.nodes[2].x + before.nodes[2].width);
    assert_eq!(before.bars[0].node, node.id);
}

#[test]
fn a_row_stays_a_row_whatever_loops_over_it() {
    let drawing = check(&critic());
    assert!(drawing.nodes.iter().all(|node| node.y == drawing.nodes[0].y));
    let arc = &drawing.edges[3];
    assert!(
        arc.back && arc.points.iter().all(|at| at.y <= drawing.nodes[0].y),
        "the arc lies above the row"
    );
    assert_eq!(arc.arrow.angle_deg, 90.0);
    assert!(
        drawing
            .edges
            .iter()
            .filter(|edge| !edge.back)
            .all(|edge| edge.arrow.angle_deg == 0.0 && !edge.path.contains('C'))
    );
}

#[test]
fn nothing_and_one() {
    let nothing = check(&Input::default());
    assert_eq!((nothing.nodes.len(), nothing.edges.len()), (0, 0));
    check_both(1, &[]);
    check_both(1, &[(0, 0, EdgeKind::Loop)]);
    check_both(3, &[]);
}

#[test]
fn ways_around_boxes() {
    check_both(5, &flow(&[(0, 1), (1, 2), (2, 3), (3, 4), (0, 4), (0, 3), (1, 4)]));
    check_both(
        6,
        &flow(&[(0, 1), (0, 2), (0, 3), (0, 4), (1, 5), (2, 5), (3, 5), (4, 5)]),
    );
    check_both(4, &flow(&[(0, 1), (2, 3)]));
}

#[test]
fn loops_keep_apart() {
    use EdgeKind::{Flow, Loop, Reject};
    let mut edges = flow(&[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]);
    edges.extend([
        (2, 1, Loop),
        (3, 1, Loop),
        (3, 2, Loop),
        (4, 0, Reject),
        (5, 3, Loop),
        (3, 3, Loop),
        (3, 3, Loop),
    ]);
    edges.push((0, 5, Flow));
    for direction in [Direction::Right, Direction::Down] {
        let drawing = check(&input(6, &edges, direction));
        let back: Vec<&EdgePath> = drawing.edges.iter().filter(|edge| edge.back).collect();
        assert_eq!(back.len(), 7);
        for (index, a) in back.iter().enumerate() {
            for b in &back[index + 1..] {
                assert!(
                    shared_length(a, b) < 4.0,
                    "{} and {} run on top of each other for {} px",
                    a.id,
                    b.id,
                    shared_length(a, b)
                );
            }
        }
    }
}

/// How far two edges lie on top of each other, px.
fn shared_length(a: &EdgePath, b: &EdgePath) -> f64 {
    let mut shared = 0.0f64;
    for p in a.points.windows(2) {
        for q in b.points.windows(2) {
            let overlap =
                |p0: f64, p1: f64, q0: f64, q1: f64| (p0.max(p1).min(q0.max(q1)) - p0.min(p1).max(q0.min(q1))).max(0.0);
            if p[0].y == p[1].y && q[0].y == q[1].y && (p[0].y - q[0].y).abs() < 2.0 {
                shared += overlap(p[0].x, p[1].x, q[0].x, q[1].x);
            }
            if p[0].x == p[1].x && q[0].x == q[1].x && (p[0].x - q[0].x).abs() < 2.0 {
                shared += overlap(p[0].y, p[1].y, q[0].y, q[1].y);
            }
        }
    }
    shared
}

#[test]
fn parallel_edges_keep_apart() {
    let drawing = check(&input(
        3,
        &flow(&[(0, 1), (0, 1), (0, 1), (1, 2), (0, 2), (0, 2)]),
        Direction::Right,
    ));
    for (index, a) in drawing.edges.iter().enumerate() {
        for b in &drawing.edges[index + 1..] {
            assert!(shared_length(a, b) < 1.0, "{} and {}", a.id, b.id);
        }
    }
}

#[test]
fn an_authors_order_decides_what_points_back() {
    // Two refusals against one way on: the way on stays forward.
    let mut edges = flow(&[(0, 1), (1, 2), (2, 3), (3, 4)]);
    edges.extend([(3, 0, EdgeKind::Reject), (4, 2, EdgeKind::Reject)]);
    let drawing = check(&input(5, &edges, Direction::Right));
    assert_eq!(
        drawing.edges.iter().map(|edge| edge.back).collect::<Vec<_>>(),
        [false, false, false, false, true, true]
    );
    // "Loop" to a later step is drawn as a way on.
    let drawing = check(&input(2, &[(0, 1, EdgeKind::Loop)], Direction::Right));
    assert!(!drawing.edges[0].back);
}

#[test]
fn hostile_input_is_drawn_as_far_as_it_makes_sense() {
    let mut hostile = input(
        4,
        &flow(&[(0, 1), (1, 0), (0, 1), (2, 2), (9, 1), (1, 9), (usize::MAX, 0)]),
        Direction::Right,
    );
    hostile.nodes[0].width = f64::NAN;
    hostile.nodes[1].height = -7.0;
    hostile.nodes[2].width = f64::INFINITY;
    hostile.nodes[3].group = Some(77);
    hostile.nodes[2].group = Some(0);
    hostile.groups = (0..3)
        .map(|group| InGroup {
            id: format!("g{group}"),
            title: "<g>".into(),
            parent: Some((group + 1) % 3),
        })
        .collect();
    let drawing = check(&hostile);
    assert_eq!(drawing.edges.len(), 4);
    assert!(
        drawing
            .groups
            .iter()
            .all(|group| group.width > 0.0 && group.height > 0.0)
    );
}

fn grouped() -> Input {
    use EdgeKind::{Branch, Flow, Loop, Reject};
    let edges = [
        (0, 1, Flow),
        (0, 2, Flow),
        (1, 3, Flow),
        (2, 3, Flow),
        (3, 4, Flow),
        (4, 5, Flow),
        (5, 6, Flow),
        (6, 7, Flow),
        (2, 7, Branch),
        (5, 4, Loop),
        (6, 2, Loop),
        (5, 0, Reject),
        (7, 1, Reject),
    ];
    let mut input = input(9, &edges, Direction::Right);
    for (node, group) in
        input
            .nodes
            .iter_mut()
            .zip([None, Some(0), Some(0), Some(0), Some(1), Some(1), None, None, None])
    {
        node.group = group;
    }
    input.groups = vec![
        InGroup {
            id: "outer".into(),
            title: "Checks".into(),
            parent: None,
        },
        InGroup {
            id: "inner".into(),
            title: "Deep checks".into(),
            parent: Some(0),
        },
        InGroup {
            id: "empty".into(),
            title: "Nothing yet".into(),
            parent: None,
        },
    ];
    input
}

#[test]
fn groups_hold_their_own_and_nothing_else() {
    for direction in [Direction::Right, Direction::Down] {
        let drawing = check(&Input { direction, ..grouped() });
        assert_eq!(
            drawing.groups.iter().map(|group| group.depth).collect::<Vec<_>>(),
            [0, 1, 0]
        );
        for (index, node) in drawing.nodes.iter().enumerate() {
            for (group, members) in drawing.groups.iter().zip([&[1usize, 2, 3, 4, 5][..], &[4, 5], &[]]) {
                let inside = group.x <= node.x
                    && node.x + node.width <= group.x + group.width
                    && group.y <= node.y
                    && node.y + node.height <= group.y + group.height;
                let apart = group.x + group.width <= node.x
                    || node.x + node.width <= group.x
                    || group.y + group.height <= node.y
                    || node.y + node.height <= group.y;
                assert!(
                    if members.contains(&index) { inside } else { apart },
                    "{} and {}",
                    node.id,
                    group.id
                );
            }
        }
    }
}

#[test]
fn the_same_every_time() {
    let first = draw(&grouped());
    for _ in 0..100 {
        assert_eq!(draw(&grouped()), first);
    }
}

#[test]
fn a_status_or_a_title_moves_nothing_and_a_short_label_neither() {
    let mut labelled = critic();
    let before = draw(&labelled);
    labelled.edges[1].label = Some("ok".into());
    assert_eq!(draw(&labelled).nodes, before.nodes);
}

#[test]
fn labels_keep_off_boxes_and_each_other() {
    let mut branching = input(
        6,
        &flow(&[(0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (1, 5)]),
        Direction::Right,
    );
    for edge in &mut branching.edges {
        edge.kind = EdgeKind::Branch;
        edge.label = Some("when it is urgent".into());
    }
    let drawing = check(&branching);
    let places: Vec<Point> = drawing
        .edges
        .iter()
        .map(|edge| edge.label_at.expect("labelled"))
        .collect();
    for (index, at) in places.iter().enumerate() {
        let (half, tall) = (50.0, 8.0);
        for node in &drawing.nodes {
            let apart = at.x + half <= node.x
                || node.x + node.width <= at.x - half
                || at.y + tall <= node.y
                || node.y + node.height <= at.y - tall;
            assert!(apart, "label {index} lies on {}", node.id);
        }
        for other in &places[index + 1..] {
            assert!(
                (at.x - other.x).abs() >= 2.0 * half || (at.y - other.y).abs() >= 2.0 * tall - 1.0,
                "labels {index} and another"
            );
        }
    }
}

/// A question whose YES leads to the step above and whose NO past it, and a step that two ways leave that cross.
#[test]
fn a_number_is_read_with_the_label_of_its_own_way() {
    for direction in [Direction::Right, Direction::Down] {
        let mut asking = input(
            6,
            &flow(&[(0, 1), (0, 2), (1, 2), (1, 4), (2, 3), (3, 4), (2, 5)]),
            direction,
        );
        let labels = ["FAIL ANY", "PASS ALL", "YES", "NO", "YES", "PASS", "NO"];
        for (edge, label) in asking.edges.iter_mut().zip(labels) {
            edge.label = Some(label.into());
        }
        let drawing = check(&asking);
        for edge in drawing.edges.iter().filter(|edge| !edge.back) {
            let far = |at: Point| (at.x - edge.number_at.x).hypot(at.y - edge.number_at.y);
            let own = far(edge.label_at.expect("labelled"));
            assert!(own <= 9.0, "{} stands {own} px from its label", edge.id);
            for other in drawing.edges.iter().filter(|other| other.id != edge.id) {
                let at = other.label_at.expect("labelled");
                assert!(
                    own < far(at),
                    "the number of {} lies on the label of {}",
                    edge.id,
                    other.id
                );
            }
        }
    }
}

#[test]
fn five_thousand_steps_in_a_row() {
    let pairs: Vec<(usize, usize)> = (1..5_000).map(|node| (node - 1, node)).collect();
    let drawing = check(&input(5_000, &flow(&pairs), Direction::Right));
    assert!(drawing.nodes.iter().all(|node| node.y == drawing.nodes[0].y));
    assert_eq!(crossings(&drawing), 0);
}

#[test]
fn thirty_to_thirty() {
    let pairs: Vec<(usize, usize)> = (0..30).flat_map(|from| (30..60).map(move |to| (from, to))).collect();
    let drawing = check(&input(60, &flow(&pairs), Direction::Right));
    // Every pair of starts with every pair of ends crosses once: no order does better.
    assert_eq!(crossings(&drawing), 435 * 435);
}

#[test]
fn very_many_very_long_edges_run_around() {
    let mut pairs: Vec<(usize, usize)> = (1..600).map(|node| (node - 1, node)).collect();
    pairs.extend((0..100).map(|node| (node, 599 - node)));
    let mut edges = flow(&pairs);
    edges.extend((0..50).map(|node| (590 - node, node, EdgeKind::Loop)));
    check_both(600, &edges);
}

#[test]
fn what_can_be_drawn_without_crossings_is() {
    let tree: Vec<(usize, usize)> = (1..200).map(|node| ((node - 1) / 3, node)).collect();
    assert_eq!(crossings(&check(&input(200, &flow(&tree), Direction::Right))), 0);
    let ladder: Vec<(usize, usize)> = (0..20)
        .flat_map(|n| [(2 * n, 2 * n + 2), (2 * n + 1, 2 * n + 3)])
        .collect();
    assert_eq!(crossings(&check(&input(42, &flow(&ladder), Direction::Down))), 0);
}

struct Shown;

impl Decorate for Shown {
    fn node(&self, id: &str) -> NodeText {
        NodeText {
            title: format!("1 <{id}> & \"co\""),
            sub: "✓ done · 12 s".into(),
            tone: Tone::Done,
        }
    }

    fn edge(&self, id: &str) -> EdgeText {
        EdgeText {
            label: None,
            numbers: if id == "e3" { "4".into() } else { String::new() },
            dim: id == "e4",
        }
    }

    fn title(&self) -> String {
        "Flow of <script>alert(1)</script>\u{1}".into()
    }
}

#[test]
fn the_svg_is_well_formed_and_escaped() {
    let text = svg(&draw(&critic()), &Shown);
    assert!(text.starts_with("<svg ") && text.ends_with("</svg>"));
    assert!(
        !text.contains("<script") && !text.contains('\u{1}') && text.contains("&lt;normalise&gt; &amp; &quot;co&quot;")
    );
    assert!(text.contains("prefers-color-scheme:dark") && !text.contains("url(") && text.matches("http").count() == 1);
    assert_eq!(text.matches("<g ").count(), text.matches("</g>").count());
    // One for the picture, one for each box, one for the label.
    assert_eq!(text.matches("<title>").count(), 1 + 6 + 1);
    assert_eq!(
        (text.matches("edge taken").count(), text.matches("edge dim").count()),
        (2, 1)
    );
}

#[test]
fn ways_back_into_a_group_keep_apart() {
    use EdgeKind::{Flow, Loop};
    // Node 0 is the border of the group that holds 1 and 2; it and 3 both lead back to 1.
    let edges = [(1, 2, Flow), (0, 3, Flow), (0, 1, Loop), (3, 1, Loop)];
    let mut input = input(4, &edges, Direction::Right);
    input.groups.push(InGroup {
        id: "n0".into(),
        title: "Checks".into(),
        parent: None,
    });
    input.nodes[0].frame = Some(0);
    input.nodes[1].group = Some(0);
    input.nodes[2].group = Some(0);
    let drawing = check(&input);
    let (border, first) = (boxed(&drawing, "n0"), boxed(&drawing, "n1"));
    let (retry, other) = (&drawing.edges[2], &drawing.edges[3]);
    assert!((retry.arrow.x - other.arrow.x).abs() >= 12.0, "{retry:?} {other:?}");
    let starts = retry.points[0];
    assert!(
        (starts.y - border.y).abs() < 0.2 && starts.x > first.x + first.width,
        "{starts:?}"
    );
}

pub(super) fn any_graph() -> impl Strategy<Value = Input> {
    use EdgeKind::{Branch, Depends, Flow, Loop, Reject};
    let kind = prop_oneof![4 => Just(Flow), 1 => Just(Branch), 1 => Just(Depends), 1 => Just(Reject), 2 => Just(Loop)];
    let label = prop_oneof![3 => Just(None), 1 => Just(Some("when it is urgent".to_owned()))];
    (1usize..24, 0usize..4).prop_flat_map(move |(nodes, groups)| {
        let edges = prop::collection::vec((0..nodes + 1, 0..nodes, kind.clone(), label.clone()), 0..40);
        let boxes = prop::collection::vec(
            (
                prop_oneof![Just(168.0), 40.0..300.0],
                prop_oneof![Just(64.0), 20.0..150.0],
                0..groups + 3,
                prop_oneof![5 => Just(None), 1 => (0..groups + 1).prop_map(Some)],
                prop_oneof![Just(None), Just(Some(Side::Before)), Just(Some(Side::After))],
            ),
            nodes,
        );
        let parents = prop::collection::vec(0..groups + 2, groups);
        (boxes, edges, parents, any::<bool>()).prop_map(|(boxes, edges, parents, right)| Input {
            nodes: boxes
                .into_iter()
                .enumerate()
                .map(|(index, (width, height, group, frame, gate))| InNode {
                    id: format!("n{index}"),
                    width,
                    height,
                    gate,
                    group: Some(group).filter(|_| !parents.is_empty()),
                    frame,
                    parallel: true,
                })
                .collect(),
            edges: edges
                .into_iter()
                .enumerate()
                .map(|(index, (from, to, kind, label))| InEdge {
                    id: format!("e{index}"),
                    from,
                    to,
                    label,
                    kind,
                    together: false,
                })
                .collect(),
            groups: parents
                .iter()
                .enumerate()
                .map(|(index, &parent)| InGroup {
                    id: format!("g{index}"),
                    title: "Group".into(),
                    parent: Some(parent),
                })
                .collect(),
            lanes: Vec::new(),
            direction: if right { Direction::Right } else { Direction::Down },
            room: None,
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn the_promises_hold_on_any_graph(input in any_graph()) {
        let drawing = draw(&input);
        prop_assert_eq!(broken(&input, &drawing), None);
        prop_assert_eq!(draw(&input), drawing);
    }
}
