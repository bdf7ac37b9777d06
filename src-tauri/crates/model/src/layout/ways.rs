//! The whole way of an edge, put together from its pieces.

use super::parts::{Arranged, Piece, Riser, Route, Run};
use super::paths::Pen;

/// The way of one edge from its first box to its last.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    pub(super) edge: usize,
    pub(super) back: bool,
    pub(super) implied: bool,
    /// From the box to the border of its group, and from the border to the box; only of arcs.
    pub(super) out: Vec<(f64, f64)>,
    pub(super) route: Option<Route>,
    pub(super) home: Vec<(f64, f64)>,
    /// The curve that carries the label: between this run and the next.
    pub(super) label_after: usize,
}

impl Arranged {
    /// Moves everything by the same distance.
    pub(super) fn shift(&mut self, main: f64, cross: f64) {
        for node in &mut self.nodes {
            *node = (node.0 + main, node.1 + cross);
        }
        for group in &mut self.groups {
            (group.0, group.1) = (group.0 + main, group.1 + cross);
        }
        for piece in &mut self.pieces {
            piece.route.shift(main, cross);
        }
        for bar in &mut self.bars {
            (bar.main, bar.low, bar.high) = (bar.main + main, bar.low + cross, bar.high + cross);
        }
        for row in &mut self.rows {
            *row = (row.0 + cross, row.1 + cross);
        }
        for point in self.risers.iter_mut().flat_map(|riser| &mut riser.points) {
            *point = (point.0 + main, point.1 + cross);
        }
    }

    /// One way for each of the valid edges, in their order.
    pub(super) fn ways(&mut self, valid: &[usize]) -> Vec<Way> {
        let count = valid.last().map_or(0, |last| last + 1);
        let mut ways: Vec<Way> = (0..count).map(|edge| Way { edge, ..Way::default() }).collect();
        for Piece {
            edge,
            route,
            is_main,
            back,
            label_after,
            implied,
            ..
        } in std::mem::take(&mut self.pieces)
        {
            let way = &mut ways[edge];
            way.back |= back;
            way.implied |= implied;
            if is_main {
                way.label_after = label_after;
            }
            way.route = Some(match (way.route.take(), route) {
                (None, route) => route,
                (Some(Route::Across(mut runs)), Route::Broken { out, between, home }) => {
                    let before = runs.len();
                    let joined = join(&mut runs, out);
                    if is_main {
                        way.label_after += before - usize::from(joined);
                    }
                    let out = runs;
                    Route::Broken { out, between, home }
                }
                (Some(Route::Broken { out, between, mut home }), Route::Across(more)) => {
                    join(&mut home, more);
                    Route::Broken { out, between, home }
                }
                (Some(Route::Across(mut runs)), Route::Across(more)) => {
                    let before = runs.len();
                    let joined = join(&mut runs, more);
                    if is_main {
                        way.label_after += before - usize::from(joined);
                    }
                    Route::Across(runs)
                }
                // A piece that goes around everything has corners; the rest of the way joins as corners too.
                (Some(first), second) => {
                    let mut points = first.corners();
                    points.extend(second.corners());
                    Route::Around(points)
                }
            });
        }
        // Inner containers come first: out of a box the points follow each other, into a box they do the other way round.
        for Riser {
            edge, leaves, points, ..
        } in std::mem::take(&mut self.risers)
        {
            let way = &mut ways[edge];
            if leaves {
                way.out.extend(points)
            } else {
                way.home.extend(points)
            }
        }
        for way in &mut ways {
            way.home.reverse();
        }
        valid.iter().map(|&edge| std::mem::take(&mut ways[edge])).collect()
    }
}

/// Whether the two ways met in one straight run, as they do at a border.
fn join(runs: &mut Vec<Run>, more: Vec<Run>) -> bool {
    let mut more = more.into_iter();
    let mut joined = false;
    if let (Some(last), Some(next)) = (runs.last_mut(), more.next()) {
        if (last.cross - next.cross).abs() < 0.01 {
            last.end = next.end;
            joined = true;
        } else {
            runs.push(next);
        }
    }
    runs.extend(more);
    joined
}

impl Route {
    /// The same way as a rectilinear line.
    pub(super) fn corners(self) -> Vec<(f64, f64)> {
        match self {
            Self::Around(points) => points,
            Self::Broken { out, between, home } => {
                let mut points = Self::Across(out).corners();
                points.extend(between);
                points.extend(Self::Across(home).corners());
                points
            }
            Self::Across(runs) | Self::Over { runs, .. } => {
                let mut points: Vec<(f64, f64)> = Vec::with_capacity(runs.len() * 2);
                for run in runs {
                    if let Some(&(main, cross)) = points.last()
                        && cross != run.cross
                    {
                        let middle = (main + run.start) / 2.0;
                        points.extend([(middle, cross), (middle, run.cross)]);
                    }
                    points.extend([(run.start, run.cross), (run.end, run.cross)]);
                }
                points
            }
        }
    }
}

impl Way {
    /// Where it leaves its first box.
    pub(super) fn start(&self) -> (f64, f64) {
        if let Some(&first) = self.out.first() {
            return first;
        }
        match &self.route {
            Some(Route::Across(runs) | Route::Broken { out: runs, .. }) => {
                runs.first().map_or((0.0, 0.0), |run| (run.start, run.cross))
            }
            Some(Route::Over { from, .. }) => *from,
            Some(Route::Around(points)) => points.first().copied().unwrap_or((0.0, 0.0)),
            None => (0.0, 0.0),
        }
    }

    pub(super) fn draw(&self, pen: &mut Pen) {
        pen.rounded(&self.out);
        if let Some(route) = &self.route {
            pen.route(route);
        }
        pen.rounded(&self.home);
    }
}
