//! Where the texts of an edge go: beside a straight line, on a curve, above an arc.

use super::parts::{Route, Run, text_width};
use super::paths::{cubic, turned};
use super::ways::Way;
use super::{Direction, NodeBox, Point};

/// Height of a label, px.
const HEIGHT: f64 = 16.0;
/// Distance of a text's middle from its line, px.
const BESIDE: f64 = 11.0;
/// A stretch along the flow that a text has room on, px.
const LONG: f64 = 40.0;
/// Width of a number, px.
const NUMBER: f64 = 20.0;
/// From the middle of a label to that of label and number together, px.
const TOGETHER: f64 = 8.0;

/// Left, upper, right, lower.
type Rectangle = (f64, f64, f64, f64);

/// Remembers what is taken, so that labels do not cover each other or a box.
pub(super) struct Texts {
    direction: Direction,
    /// By labels and boxes.
    words: Taken,
    /// By the numbers of labelled ways, which stand there in a run only.
    numbers: Taken,
}

/// Taken rectangles by columns of `COLUMN` px.
#[derive(Default)]
struct Taken {
    columns: Vec<Vec<Rectangle>>,
}

const COLUMN: f64 = 256.0;

impl Taken {
    fn columns(rectangle: Rectangle) -> std::ops::RangeInclusive<usize> {
        // Saturating: coordinates are finite, and negative ones belong to the first column.
        (rectangle.0 / COLUMN) as usize..=(rectangle.2 / COLUMN) as usize
    }

    fn take(&mut self, rectangle: Rectangle) {
        let columns = Self::columns(rectangle);
        if self.columns.len() <= *columns.end() {
            self.columns.resize(*columns.end() + 1, Vec::new());
        }
        for column in columns {
            self.columns[column].push(rectangle);
        }
    }

    fn is_free(&self, rectangle: Rectangle) -> bool {
        !Self::columns(rectangle)
            .filter_map(|column| self.columns.get(column))
            .flatten()
            .any(|other| {
                other.0 < rectangle.2 && rectangle.0 < other.2 && other.1 < rectangle.3 && rectangle.1 < other.3
            })
    }
}

impl Texts {
    pub(super) fn new(direction: Direction, nodes: &[&NodeBox]) -> Self {
        let mut words = Taken::default();
        for node in nodes {
            words.take((node.x, node.y, node.x + node.width, node.y + node.height));
        }
        Self {
            direction,
            words,
            numbers: Taken::default(),
        }
    }

    /// Middle of the label and of the number of one edge. `on_line`: the label interrupts its line even where that is straight, because
    /// others lie close above and below it.
    pub(super) fn place(&mut self, way: &Way, label: Option<&str>, on_line: bool) -> (Option<Point>, Point) {
        let number = self.number(way);
        let Some(label) = label else { return (None, number) };
        let width = text_width(label) + 8.0;
        let tried = self.candidates(way, width, on_line);
        let side = self.side(way);
        let words = |at: Point| around(at, width);
        let beside = |at: Point| {
            let y = at.y + side.unwrap_or(0.0) * HEIGHT;
            around(Point { x: at.x, y }, NUMBER)
        };
        let is_free = |at: Point| self.words.is_free(words(at));
        let has_room =
            |at: Point| self.numbers.is_free(words(at)) && (side.is_none() || self.words.is_free(beside(at)));
        let best = tried
            .iter()
            .copied()
            .find(|&at| is_free(at) && has_room(at))
            .or_else(|| tried.iter().copied().find(|&at| is_free(at)))
            .or_else(|| tried.first().copied())
            .unwrap_or(number);
        self.words.take(words(best));
        let Some(side) = side else {
            return (Some(round(best)), number);
        };
        self.numbers.take(beside(best));
        let number = Point {
            x: best.x,
            y: best.y + side * TOGETHER,
        };
        (Some(round(best)), round(number))
    }

    /// Where the number stands from the label, with which it is read: above it (-1) where the way climbs, else below it (1), so that two ways
    /// that part have theirs on the outer sides. `None`: it has a place of its own on its line.
    fn side(&self, way: &Way) -> Option<f64> {
        match &way.route {
            Some(Route::Across(runs)) => {
                let (from, to) = gap(runs, way.label_after)?;
                let climbs = self.direction == Direction::Right && to.1 < from.1 - 1.0;
                Some(if climbs { -1.0 } else { 1.0 })
            }
            Some(Route::Around(_)) => Some(1.0),
            Some(Route::Over { .. } | Route::Broken { .. }) | None => None,
        }
    }

    /// Places for the label, best first.
    fn candidates(&self, way: &Way, width: f64, on_line: bool) -> Vec<Point> {
        let right = self.direction == Direction::Right;
        let beside = if right { BESIDE } else { width / 2.0 + 6.0 };
        let point = |at| turned(self.direction, at);
        match &way.route {
            Some(Route::Across(runs) | Route::Broken { out: runs, .. }) => {
                let Some((from, to)) = gap(runs, way.label_after) else {
                    return Vec::new();
                };
                let straight = (from.1 - to.1).abs() < 1.0 && !on_line;
                let mut found = Vec::new();
                for part in [0.5, 0.62, 0.38, 0.74, 0.26] {
                    let at = on_curve(from, to, part);
                    if straight {
                        found.extend([point((at.0, at.1 - beside)), point((at.0, at.1 + beside))]);
                    } else {
                        found.push(point(at));
                    }
                }
                found
            }
            Some(Route::Over { runs, .. }) => {
                let longest = runs
                    .iter()
                    .copied()
                    .max_by(|a, b| (a.start - a.end).abs().total_cmp(&(b.start - b.end).abs()));
                let run = if runs.len() == 1 {
                    runs.first().copied()
                } else {
                    longest
                };
                run.map(|run| [0.5, 0.35, 0.65, 0.2, 0.8].map(|part| run.start + (run.end - run.start) * part))
                    .map(|mains| {
                        mains
                            .map(|main| point((main, run.map_or(0.0, |run| run.cross) - beside)))
                            .to_vec()
                    })
                    .unwrap_or_default()
            }
            Some(Route::Around(points)) => middle_of_longest(points).map(|at| vec![point(at)]).unwrap_or_default(),
            None => Vec::new(),
        }
    }

    /// The number of a way without a label goes above a straight line and on a curve; that of an arc under it, where a label is not.
    fn number(&self, way: &Way) -> Point {
        let point = |at| turned(self.direction, at);
        let at = match &way.route {
            Some(Route::Across(runs)) => gap(runs, way.label_after).map(|(from, to)| {
                if (from.1 - to.1).abs() < 1.0 {
                    (f64::midpoint(from.0, to.0), from.1 - BESIDE)
                } else {
                    on_curve(from, to, 0.5)
                }
            }),
            Some(Route::Over { runs, .. }) => runs
                .iter()
                .copied()
                .max_by(|a, b| (a.start - a.end).abs().total_cmp(&(b.start - b.end).abs()))
                .map(|run| (f64::midpoint(run.start, run.end), run.cross + BESIDE)),
            Some(Route::Around(points) | Route::Broken { between: points, .. }) => middle_of_longest(points),
            None => None,
        };
        round(point(at.unwrap_or_else(|| way.start())))
    }
}

/// What a text with its middle here covers.
fn around(at: Point, width: f64) -> Rectangle {
    (
        at.x - width / 2.0,
        at.y - HEIGHT / 2.0,
        at.x + width / 2.0,
        at.y + HEIGHT / 2.0,
    )
}

fn round(point: Point) -> Point {
    Point {
        x: point.x.round(),
        y: point.y.round(),
    }
}

/// The ends of the gap after a run; the last gap when there are fewer.
fn gap(runs: &[Run], after: usize) -> Option<((f64, f64), (f64, f64))> {
    let after = after.min(runs.len().checked_sub(2)?);
    Some((
        (runs[after].end, runs[after].cross),
        (runs[after + 1].start, runs[after + 1].cross),
    ))
}

fn on_curve(from: (f64, f64), to: (f64, f64), part: f64) -> (f64, f64) {
    let half = (to.0 - from.0) / 2.0;
    cubic(from, (from.0 + half, from.1), (to.0 - half, to.1), to, part)
}

/// Of a rectilinear line: the stretches along the flow lie in gutters, where there is room; those across it run close to boxes.
fn middle_of_longest(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let along = |pair: &[(f64, f64)]| pair[0].1 == pair[1].1 && (pair[0].0 - pair[1].0).abs() >= LONG;
    let length = |pair: &[(f64, f64)]| (pair[0].0 - pair[1].0).hypot(pair[0].1 - pair[1].1);
    points
        .windows(2)
        .max_by(|a, b| along(a).cmp(&along(b)).then(length(a).total_cmp(&length(b))))
        .map(|pair| (f64::midpoint(pair[0].0, pair[1].0), f64::midpoint(pair[0].1, pair[1].1)))
}
