//! Dependencies, drawn: waves as columns, what may run side by side between bars, and nothing through a bar it does not belong to.

use proptest::prelude::*;

use super::svg::{Decorate, EdgeText, NodeText, svg};
use super::tests::{boxed, broken, check, input};
use super::*;

fn waiting(nodes: usize, pairs: &[(usize, usize)], direction: Direction) -> Input {
    let edges: Vec<_> = pairs.iter().map(|&(from, to)| (from, to, EdgeKind::Depends)).collect();
    input(nodes, &edges, direction)
}

/// Analysis, three designs side by side, planning, two builds, a release that names the analysis as well.
const DELIVERY: [(usize, usize); 11] = [
    (0, 1),
    (0, 2),
    (0, 3),
    (1, 4),
    (2, 4),
    (3, 4),
    (4, 5),
    (4, 6),
    (5, 7),
    (6, 7),
    (0, 7),
];

fn ends(fork: &Fork) -> String {
    format!("{} | {}", fork.from.join(" "), fork.to.join(" "))
}

/// The first promise about bars that a drawing breaks.
fn broken_bars(input: &Input, drawing: &Drawing) -> Option<String> {
    let right = input.direction == Direction::Right;
    let bar = |fork: &Fork| match right {
        true => (fork.x1, fork.y1, fork.y2),
        false => (fork.y1, fork.x1, fork.x2),
    };
    for (index, fork) in drawing.forks.iter().enumerate() {
        let (main, low, high) = bar(fork);
        if high - low < 16.0 || (right && fork.x1 != fork.x2) || (!right && fork.y1 != fork.y2) {
            return Some(format!("{} is no bar: {fork:?}", ends(fork)));
        }
        for node in &drawing.nodes {
            let (start, end, top, bottom) = match right {
                true => (node.x, node.x + node.width, node.y, node.y + node.height),
                false => (node.y, node.y + node.height, node.x, node.x + node.width),
            };
            if start - 4.0 < main && main < end + 4.0 && top < high && low < bottom {
                return Some(format!("{} lies on {}", ends(fork), node.id));
            }
        }
        for other in &drawing.forks[index + 1..] {
            let (at, from, to) = bar(other);
            if (at - main).abs() < 8.0 && from < high && low < to {
                return Some(format!("{} and {} touch", ends(fork), ends(other)));
            }
        }
        for edge in &drawing.edges {
            let own = fork.from.contains(&edge.from) && fork.to.contains(&edge.to);
            let touches = edge.points.windows(2).any(|pair| {
                let (a, b) = match right {
                    true => ((pair[0].x, pair[0].y), (pair[1].x, pair[1].y)),
                    false => ((pair[0].y, pair[0].x), (pair[1].y, pair[1].x)),
                };
                let (first, last) = if a.0 <= b.0 { (a, b) } else { (b, a) };
                if first.0 > main || last.0 < main {
                    return false;
                }
                let part = if last.0 > first.0 {
                    (main - first.0) / (last.0 - first.0)
                } else {
                    0.0
                };
                let at = first.1 + (last.1 - first.1) * part;
                low - 0.2 <= at && at <= high + 0.2
            });
            if touches != own && !edge.back && !edge.implied {
                return Some(format!(
                    "{} -> {} {} {}",
                    edge.from,
                    edge.to,
                    if own { "misses" } else { "runs through" },
                    ends(fork)
                ));
            }
        }
    }
    None
}

#[test]
fn what_waits_for_the_same_stands_between_bars() {
    let drawing = check(&waiting(8, &DELIVERY, Direction::Right));
    assert_eq!(
        drawing.forks.iter().map(ends).collect::<Vec<_>>(),
        ["n0 | n1 n2 n3", "n4 | n5 n6", "n1 n2 n3 | n4", "n5 n6 | n7"]
    );
    assert_eq!(broken_bars(&Input::default(), &drawing), None);
    // Every line of a lane is straight, but for its way along the bar.
    for edge in drawing.edges.iter().filter(|edge| !edge.implied) {
        let level = |pair: &[Point]| pair[0].y == pair[1].y || pair[0].x == pair[1].x;
        assert!(
            edge.points.windows(2).all(level),
            "{} -> {}: {}",
            edge.from,
            edge.to,
            edge.path
        );
    }
    // Lanes stand in one column, one below the other; what they part from in the middle.
    let at = |id: &str| (boxed(&drawing, id).x, boxed(&drawing, id).y);
    assert!(at("n1").0 == at("n2").0 && at("n2").0 == at("n3").0);
    assert!(at("n1").1 < at("n2").1 && at("n2").1 < at("n3").1 && at("n0").1 == at("n2").1);
}

#[test]
fn what_goes_without_saying_is_kept_quietly() {
    let drawing = check(&waiting(8, &DELIVERY, Direction::Right));
    let implied: Vec<&str> = drawing
        .edges
        .iter()
        .filter(|edge| edge.implied)
        .map(|edge| edge.id.as_str())
        .collect();
    assert_eq!(implied, ["e10"]);
    // Written twice it is the same line twice.
    let twice = check(&waiting(3, &[(0, 1), (0, 1), (0, 2), (0, 2), (0, 2)], Direction::Right));
    assert_eq!(
        twice.edges.iter().map(|edge| edge.implied).collect::<Vec<_>>(),
        [false, true, false, true, true]
    );
    assert_eq!(twice.edges[0].path, twice.edges[1].path);
    assert_eq!(twice.edges[2].path, twice.edges[4].path);
    assert_eq!(twice.forks.len(), 1);
    // A flow that also goes straight on says something of its own.
    let flow = input(
        3,
        &[(0, 1), (1, 2), (0, 2)].map(|(a, b)| (a, b, EdgeKind::Flow)),
        Direction::Right,
    );
    assert!(check(&flow).edges.iter().all(|edge| !edge.implied));
}

#[test]
fn a_column_is_a_wave() {
    // The last root could stand anywhere before its end: it may begin at once.
    let drawing = check(&waiting(5, &[(0, 1), (1, 2), (2, 3), (4, 3)], Direction::Right));
    assert_eq!(boxed(&drawing, "n4").x, boxed(&drawing, "n0").x);
}

#[test]
fn one_bar_joins_and_parts() {
    let drawing = check(&waiting(
        5,
        &[(0, 2), (1, 2), (0, 3), (1, 3), (0, 4), (1, 4)],
        Direction::Right,
    ));
    assert_eq!(drawing.forks.iter().map(ends).collect::<Vec<_>>(), ["n0 n1 | n2 n3 n4"]);
    // What ends together need not begin together: one bar after the other on the way.
    let both = [(0, 3), (1, 3), (0, 4), (1, 4), (0, 5), (1, 5), (2, 3), (2, 4)];
    let drawing = check(&waiting(6, &both, Direction::Right));
    assert_eq!(
        drawing.forks.iter().map(ends).collect::<Vec<_>>(),
        ["n0 n1 n2 | n3 n4", "n0 n1 | n3 n4 n5"]
    );
    assert!(drawing.forks[1].x1 < drawing.forks[0].x1);
    assert_eq!(broken_bars(&Input::default(), &drawing), None);
}

#[test]
fn a_bar_knows_whether_its_lanes_take_turns() {
    let mut turns = waiting(4, &[(0, 1), (0, 2), (1, 3), (2, 3)], Direction::Right);
    for node in &mut turns.nodes {
        node.parallel = false;
    }
    let together = |input: &Input| {
        check(input)
            .forks
            .iter()
            .map(|fork| fork.beside.join(" "))
            .collect::<Vec<_>>()
    };
    assert_eq!(together(&turns), ["", ""]);
    turns.nodes[1].parallel = true;
    assert_eq!(together(&turns), ["", ""], "one alone runs beside nothing");
    turns.nodes[2].parallel = true;
    assert_eq!(together(&turns), ["n1 n2", "n1 n2"]);
}

#[test]
fn numbers_of_lanes_keep_apart() {
    let drawing = check(&waiting(8, &DELIVERY, Direction::Right));
    let places: Vec<Point> = drawing.edges.iter().map(|edge| edge.number_at).collect();
    for (index, a) in places.iter().enumerate() {
        for (other, b) in places.iter().enumerate().skip(index + 1) {
            assert!((a.x - b.x).hypot(a.y - b.y) > 16.0, "{index} and {other}: {a:?} {b:?}");
        }
    }
}

#[test]
fn two_hundred_side_by_side() {
    let mut pairs: Vec<(usize, usize)> = (1..=200).map(|node| (0, node)).collect();
    pairs.extend((1..=200).map(|node| (node, 201)));
    for direction in [Direction::Right, Direction::Down] {
        let input = waiting(202, &pairs, direction);
        let drawing = check(&input);
        assert_eq!((drawing.forks.len(), broken_bars(&input, &drawing)), (2, None));
    }
}

#[test]
fn a_thousand_stages_in_full_waves_need_no_line_for_each_pair() {
    // Each of fifty waves waits for all twenty of the wave before: 19 600 dependencies, 49 bars.
    let pairs: Vec<(usize, usize)> = (20..1_000)
        .flat_map(|to| (to / 20 * 20 - 20..to / 20 * 20).map(move |from| (from, to)))
        .collect();
    let drawing = draw(&waiting(1_000, &pairs, Direction::Right));
    assert_eq!((drawing.edges.len(), drawing.forks.len()), (19_600, 49));
    assert!(
        drawing
            .forks
            .iter()
            .all(|fork| fork.from.len() == 20 && fork.to.len() == 20)
    );
}

#[test]
fn stages_that_wait_in_a_circle_are_drawn_too() {
    let input = waiting(5, &[(0, 1), (1, 2), (2, 0), (2, 3), (2, 4), (4, 4)], Direction::Right);
    let drawing = check(&input);
    assert_eq!(drawing.edges.iter().filter(|edge| edge.back).count(), 2);
    assert_eq!(drawing.forks.len(), 1);
}

struct Plain;

impl Decorate for Plain {
    fn node(&self, id: &str) -> NodeText {
        NodeText {
            title: id.to_owned(),
            ..NodeText::default()
        }
    }

    fn edge(&self, id: &str) -> EdgeText {
        EdgeText {
            numbers: if id == "e0" { "1".into() } else { String::new() },
            ..EdgeText::default()
        }
    }

    fn title(&self) -> String {
        "Delivery".into()
    }
}

#[test]
fn the_report_shows_bars_and_quiet_dependencies() {
    let mut input = waiting(8, &DELIVERY, Direction::Right);
    input.nodes[5].parallel = false;
    let text = svg(&draw(&input), &Plain);
    assert_eq!(text.matches("class=\"fork beside\"").count(), 2);
    assert_eq!(text.matches("class=\"fork\"").count(), 2);
    assert_eq!(text.matches("class=\"edge depends implied\"").count(), 1);
    assert_eq!(
        text.matches("class=\"edge depends taken\"").count(),
        2,
        "line and number"
    );
    assert_eq!(text.matches("<g ").count(), text.matches("</g>").count());
}

fn any_pipeline() -> impl Strategy<Value = Input> {
    (2usize..40, any::<bool>()).prop_flat_map(|(nodes, right)| {
        // Few dependencies of neighbours as people write them, or any at all; some sets are shared.
        let own = prop::collection::vec((any::<prop::sample::Index>(), 1usize..6), 0..4);
        (prop::collection::vec((own, any::<bool>()), nodes), Just(right)).prop_map(move |(stages, right)| {
            let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
            for (node, (own, same)) in stages.iter().enumerate().skip(1) {
                let set = match *same && node > 2 {
                    true => sets[node - 1].clone(),
                    false => own
                        .iter()
                        .map(|(any, near)| {
                            if *near < 4 {
                                node.saturating_sub(*near)
                            } else {
                                any.index(node)
                            }
                        })
                        .collect(),
                };
                sets.push(set);
            }
            let pairs: Vec<(usize, usize)> = (sets.iter().enumerate())
                .flat_map(|(to, set)| set.iter().map(move |&from| (from, to)))
                .collect();
            waiting(nodes, &pairs, if right { Direction::Right } else { Direction::Down })
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn the_promises_hold_on_any_pipeline(input in any_pipeline()) {
        let drawing = draw(&input);
        prop_assert_eq!(broken(&input, &drawing), None);
        prop_assert_eq!(broken_bars(&input, &drawing), None);
        prop_assert_eq!(draw(&input), drawing);
    }
}
