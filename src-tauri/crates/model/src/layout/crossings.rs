//! How often the drawn edges cross: the measure of the drawing's quality.

use super::{Drawing, Point};

/// Pairs of drawn segments of different edges that properly cross. Touching ends do not count.
pub fn crossings(drawing: &Drawing) -> usize {
    let mut segments: Vec<(f64, f64, Point, Point, usize)> = Vec::new();
    for (edge, path) in drawing.edges.iter().enumerate() {
        for pair in path.points.windows(2) {
            segments.push((
                pair[0].x.min(pair[1].x),
                pair[0].x.max(pair[1].x),
                pair[0],
                pair[1],
                edge,
            ));
        }
    }
    segments.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.4.cmp(&b.4)));
    let mut open: Vec<usize> = Vec::new();
    let mut total = 0;
    for (index, &(low, _, a, b, edge)) in segments.iter().enumerate() {
        open.retain(|&other| segments[other].1 >= low);
        for &other in &open {
            let (_, _, c, d, other_edge) = segments[other];
            total += usize::from(edge != other_edge && cross(a, b, c, d));
        }
        open.push(index);
    }
    total
}

fn side(from: Point, to: Point, at: Point) -> f64 {
    (to.x - from.x) * (at.y - from.y) - (to.y - from.y) * (at.x - from.x)
}

fn cross(a: Point, b: Point, c: Point, d: Point) -> bool {
    // Zero counts as one side, so that a crossing at a joint of two segments is counted once.
    let differ = |p: f64, q: f64| (p > 0.0) != (q > 0.0);
    differ(side(a, b, c), side(a, b, d)) && differ(side(c, d, a), side(c, d, b))
}
