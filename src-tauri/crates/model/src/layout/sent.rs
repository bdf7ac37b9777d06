//! Ways that a run took and no workflow draws: a person, or the report of a step, sent it back, or elsewhere. They are laid over a finished drawing, below
//! the boxes, so that nothing moves.

use super::paths::Pen;
use super::{Direction, Drawing, EdgeKind, EdgePath, NodeBox, Point};

/// Distance of a way from the boxes it runs along (less than that of the ways in a gutter), and from another such way, px.
const OFF: f64 = 12.0;
const APART: f64 = 16.0;
/// What is kept free beside a way, px.
const CLEAR: f64 = 6.0;
/// Where on its box a way begins and ends, as parts of the width: the first that is free.
const LEAVES: [f64; 4] = [0.72, 0.6, 0.84, 0.5];
const REACHES: [f64; 4] = [0.28, 0.4, 0.16, 0.5];
/// How often a lane is moved before it is taken as it is.
const TRIES: usize = 64;

/// Draws the way of this kind from one box to another (or back to itself) onto what is drawn already. Whether it was drawn: not where a box is
/// missing.
pub fn add_sent(drawing: &mut Drawing, id: String, kind: EdgeKind, from: &str, to: &str) -> bool {
    let Some(edge) = sent(drawing, id, kind, from, to) else {
        return false;
    };
    // Below the last boxes there may be no room for it: then the drawing becomes a little higher.
    let lowest = edge.points.iter().map(|point| point.y).fold(0.0, f64::max);
    drawing.height = drawing.height.max((lowest + OFF).ceil());
    drawing.edges.push(edge);
    true
}

fn sent(drawing: &Drawing, id: String, kind: EdgeKind, from: &str, to: &str) -> Option<EdgePath> {
    let find = |id: &str| drawing.nodes.iter().find(|node| node.id == id);
    let (start, end) = (find(from)?, find(to)?);
    let [first, left, right, last] = points(drawing, start, end);
    let mut pen = Pen::new(Direction::Right, (first.x, first.y));
    pen.rounded(&[left, right, last].map(|point| (point.x, point.y)));
    let (path, points, arrow) = pen.finish();
    Some(EdgePath {
        id,
        from: from.to_owned(),
        to: to.to_owned(),
        kind,
        back: true,
        implied: false,
        path,
        points,
        arrow,
        label: None,
        label_at: None,
        number_at: Point {
            x: f64::midpoint(left.x, right.x).round(),
            y: left.y.round(),
        },
    })
}

/// Four corners: out of the one box, along a lane, into the other.
fn points(drawing: &Drawing, from: &NodeBox, to: &NodeBox) -> [Point; 4] {
    let above = to.y + to.height < from.y;
    let below = to.y > from.y + from.height;
    // Boxes beside each other are joined below, boxes above each other between them.
    let leaves = if above { from.y } else { from.y + from.height };
    let reaches = if below { to.y } else { to.y + to.height };
    let mut lane = match (above, below) {
        (true, _) => reaches + OFF,
        (_, true) => leaves + OFF,
        _ => leaves.max(reaches) + OFF,
    };
    let bound = match (above, below) {
        (true, _) => leaves - CLEAR,
        (_, true) => reaches - CLEAR,
        _ => f64::INFINITY,
    };
    let others = |x: f64, y1: f64, y2: f64| {
        let (top, bottom) = (y1.min(y2), y1.max(y2));
        obstacles(drawing, from, to).any(|node| {
            node.x - CLEAR < x && x < node.x + node.width + CLEAR && node.y < bottom && top < node.y + node.height
        })
    };
    let place = |node: &NodeBox, parts: [f64; 4], edge: f64, lane: f64| {
        let at = |part: f64| (node.x + node.width * part).round();
        let free = parts.into_iter().map(at).find(|&x| !others(x, edge, lane));
        free.unwrap_or_else(|| at(parts[0]))
    };
    let (mut x1, mut x2) = (0.0, 0.0);
    for _ in 0..TRIES {
        x1 = place(from, LEAVES, leaves, lane);
        x2 = place(to, REACHES, reaches, lane);
        let (left, right) = (x1.min(x2), x1.max(x2));
        let in_the_way = drawing
            .nodes
            .iter()
            .filter(|node| !holds(node, from) && !holds(node, to))
            .filter(|node| node.x < right && left < node.x + node.width)
            .filter(|node| node.y - CLEAR < lane && lane < node.y + node.height + CLEAR)
            .map(|node| node.y + node.height + OFF);
        let other_ways = drawing
            .edges
            .iter()
            .filter(|edge| matches!(edge.kind, EdgeKind::Sent | EdgeKind::Feedback))
            .filter(|edge| (edge.number_at.y - lane).abs() < APART)
            .filter(|edge| {
                edge.points.iter().any(|at| left < at.x && at.x < right) || (edge.number_at.x - x1).abs() < OFF
            })
            .map(|edge| edge.number_at.y + APART);
        match in_the_way.chain(other_ways).fold(lane, f64::max) {
            next if next > lane && next <= bound => lane = next,
            _ => break,
        }
    }
    let lane = lane.min(bound);
    [(x1, leaves), (x1, lane), (x2, lane), (x2, reaches)].map(|(x, y)| Point { x, y })
}

/// Boxes that a way from the one to the other must not cross.
fn obstacles<'a>(drawing: &'a Drawing, from: &'a NodeBox, to: &'a NodeBox) -> impl Iterator<Item = &'a NodeBox> {
    let ends = move |node: &&NodeBox| node.id != from.id && node.id != to.id;
    (drawing.nodes.iter().filter(ends)).filter(|node| !holds(node, from) && !holds(node, to))
}

/// Whether the other box lies inside this one, which is then a border.
fn holds(node: &NodeBox, other: &NodeBox) -> bool {
    node.id != other.id
        && node.x <= other.x
        && node.y <= other.y
        && other.x + other.width <= node.x + node.width
        && other.y + other.height <= node.y + node.height
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, input};
    use super::super::{Room, draw};
    use super::*;

    fn chain(steps: usize, room: Option<Room>) -> Drawing {
        let edges: Vec<_> = (1..steps).map(|node| (node - 1, node, EdgeKind::Flow)).collect();
        let mut input = input(steps, &edges, Direction::Right);
        input.room = room;
        check(&input)
    }

    fn crosses(drawing: &Drawing, edge: &EdgePath) -> bool {
        drawing.nodes.iter().any(|node| {
            let inside = |at: &Point| {
                node.x + 1.0 < at.x
                    && at.x < node.x + node.width - 1.0
                    && node.y + 1.0 < at.y
                    && at.y < node.y + node.height - 1.0
            };
            edge.points.windows(2).any(|pair| {
                (0..=20).any(|step| {
                    let part = f64::from(step) / 20.0;
                    inside(&Point {
                        x: pair[0].x + (pair[1].x - pair[0].x) * part,
                        y: pair[0].y + (pair[1].y - pair[0].y) * part,
                    })
                })
            })
        })
    }

    #[test]
    fn back_to_itself_and_back_along_the_row() {
        let mut drawing = chain(4, None);
        let before = drawing.clone();
        for (from, to) in [("n2", "n2"), ("n3", "n1"), ("n3", "n0"), ("n0", "n2")] {
            assert!(add_sent(
                &mut drawing,
                format!("{from}-{to}-sent"),
                EdgeKind::Sent,
                from,
                to
            ));
            let edge = drawing.edges.last().expect("drawn");
            assert!(!crosses(&drawing, edge), "{edge:?}");
            let low = edge.points.iter().map(|at| at.y).fold(0.0, f64::max);
            assert!(low < drawing.height, "{edge:?}");
            assert_eq!(edge.arrow.angle_deg, -90.0);
        }
        assert_eq!(drawing.nodes, before.nodes);
        // Two ways along the row do not lie on each other.
        let lanes: Vec<f64> = drawing.edges[3..].iter().map(|edge| edge.number_at.y).collect();
        assert!(lanes[1] != lanes[2], "{lanes:?}");
        assert!(!add_sent(&mut drawing, "x".into(), EdgeKind::Feedback, "n0", "nowhere"));
    }

    #[test]
    fn between_rows() {
        let room = Room {
            width: 800.0,
            height: 400.0,
        };
        let drawing = chain(9, Some(room));
        for from in 0..9 {
            for to in 0..9 {
                let (from, to) = (format!("n{from}"), format!("n{to}"));
                let edge = sent(&drawing, "s".into(), EdgeKind::Sent, &from, &to).expect("drawn");
                let (first, last) = (edge.points[0], edge.points[edge.points.len() - 1]);
                let node = |id: &str| drawing.nodes.iter().find(|node| node.id == id).expect("drawn");
                let on = |node: &NodeBox, at: Point| {
                    node.x <= at.x
                        && at.x <= node.x + node.width
                        && ((at.y - node.y).abs() < 0.2 || (at.y - node.y - node.height).abs() < 0.2)
                };
                assert!(on(node(&from), first) && on(node(&to), last), "{edge:?}");
            }
        }
    }

    #[test]
    fn the_same_every_time() {
        let drawing = chain(5, None);
        let edge = || sent(&drawing, "s".into(), EdgeKind::Sent, "n4", "n1");
        assert_eq!(edge(), edge());
        assert_eq!(draw(&crate::layout::Input::default()).edges.len(), 0);
    }
}
