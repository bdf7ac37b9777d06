//! Lines and curves on main and cross axis, turned into SVG path data and points for the asked direction.

use super::parts::{Route, Run};
use std::fmt::Write as _;

use super::{Arrow, Direction, Point};

/// Greatest radius of a rounded corner and of an arc's shoulder, px.
const CORNER: f64 = 12.0;
const SHOULDER: f64 = 64.0;
/// Steps a curve is cut into for the points.
const STEPS: usize = 8;
/// Handle length of a quarter ellipse, as a part of its radius.
const QUARTER: f64 = 0.5523;

/// Writes one edge.
pub(super) struct Pen {
    direction: Direction,
    path: String,
    points: Vec<Point>,
    at: (f64, f64),
    /// Direction of the last movement.
    heading: (f64, f64),
}

/// Swaps the axes as the direction asks.
pub(super) fn turned(direction: Direction, (main, cross): (f64, f64)) -> Point {
    match direction {
        Direction::Right => Point { x: main, y: cross },
        Direction::Down => Point { x: cross, y: main },
    }
}

fn number(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

impl Pen {
    pub(super) fn new(direction: Direction, start: (f64, f64)) -> Self {
        let mut pen = Self {
            direction,
            path: String::new(),
            points: Vec::new(),
            at: start,
            heading: (1.0, 0.0),
        };
        pen.write('M', &[start]);
        pen.points.push(turned(direction, start));
        pen
    }

    fn write(&mut self, command: char, ends: &[(f64, f64)]) {
        if !self.path.is_empty() {
            self.path.push(' ');
        }
        self.path.push(command);
        for &end in ends {
            let Point { x, y } = turned(self.direction, end);
            let _ = write!(self.path, " {} {}", number(x), number(y));
        }
    }

    fn reach(&mut self, to: (f64, f64), before: (f64, f64)) {
        if to != before {
            self.heading = (to.0 - before.0, to.1 - before.1);
        }
        self.at = to;
        self.points.push(turned(self.direction, to));
    }

    pub(super) fn line(&mut self, to: (f64, f64)) {
        if to == self.at {
            return;
        }
        self.write('L', &[to]);
        self.reach(to, self.at);
    }

    pub(super) fn curve(&mut self, first: (f64, f64), second: (f64, f64), to: (f64, f64)) {
        let from = self.at;
        self.write('C', &[first, second, to]);
        let mut before = from;
        for step in 1..=STEPS {
            let point = cubic(from, first, second, to, step as f64 / STEPS as f64);
            self.reach(point, before);
            before = point;
        }
        // The curve's own direction at its end: its last chord only nearly has it.
        self.heading = (to.0 - second.0, to.1 - second.1);
    }

    /// Straight stretches, joined by curves that leave and arrive along the main axis.
    fn runs(&mut self, runs: &[Run]) {
        for (index, run) in runs.iter().enumerate() {
            let start = (run.start, run.cross);
            if index > 0 && self.at.1 != run.cross {
                let half = (start.0 - self.at.0) / 2.0;
                self.curve((self.at.0 + half, self.at.1), (start.0 - half, start.1), start);
            } else if index == 0 {
                self.line(start);
            }
            // A stretch that goes straight on is drawn as one line.
            if runs.get(index + 1).is_none_or(|next| next.cross != run.cross) {
                self.line((run.end, run.cross));
            }
        }
    }

    /// A rectilinear line with rounded corners.
    pub(super) fn rounded(&mut self, points: &[(f64, f64)]) {
        for (index, &corner) in points.iter().enumerate() {
            let Some(&next) = points.get(index + 1) else {
                self.line(corner);
                break;
            };
            let (before, after) = (distance(self.at, corner), distance(corner, next));
            let radius = CORNER.min(before / 2.0).min(after / 2.0);
            if radius < 1.0 {
                self.line(corner);
                continue;
            }
            let entry = toward(corner, self.at, radius / before);
            let exit = toward(corner, next, radius / after);
            self.line(entry);
            let from = self.at;
            self.write('Q', &[corner, exit]);
            self.reach(
                (
                    (from.0 + 2.0 * corner.0 + exit.0) / 4.0,
                    (from.1 + 2.0 * corner.1 + exit.1) / 4.0,
                ),
                from,
            );
            self.reach(exit, self.at);
        }
    }

    /// One route, from wherever the pen stands.
    pub(super) fn route(&mut self, route: &Route) {
        match route {
            Route::Across(runs) => self.runs(runs),
            Route::Around(points) => self.rounded(points),
            Route::Broken { out, between, home } => {
                self.runs(out);
                self.rounded(between);
                self.runs(home);
            }
            Route::Over { from, to, runs } => {
                let (Some(&first), Some(&last)) = (runs.first(), runs.last()) else {
                    return;
                };
                self.line(*from);
                let room = |run: Run| {
                    if runs.len() == 1 {
                        (run.start - run.end).abs() / 2.0
                    } else {
                        (run.start - run.end).abs()
                    }
                };
                let sign = if to.0 <= from.0 { -1.0 } else { 1.0 };
                let (leave, arrive) = (SHOULDER.min(room(first)), SHOULDER.min(room(last)));
                let high = first.cross;
                let climb = (from.1 - high).min(SHOULDER);
                self.line((from.0, high + climb));
                self.curve(
                    (from.0, high + climb * (1.0 - QUARTER)),
                    (from.0 + sign * leave * (1.0 - QUARTER), high),
                    (from.0 + sign * leave, high),
                );
                let mut inner = runs.to_vec();
                inner[0].start = from.0 + sign * leave;
                let end = inner.len() - 1;
                inner[end].end = to.0 - sign * arrive;
                self.runs(&inner);
                let low = last.cross;
                let fall = (to.1 - low).min(SHOULDER);
                self.curve(
                    (to.0 - sign * arrive * (1.0 - QUARTER), low),
                    (to.0, low + fall * (1.0 - QUARTER)),
                    (to.0, low + fall),
                );
                self.line(*to);
            }
        }
    }

    /// Path data, points and the arrowhead at the end.
    pub(super) fn finish(self) -> (String, Vec<Point>, Arrow) {
        let Point { x, y } = turned(self.direction, self.at);
        let heading = turned(self.direction, self.heading);
        let angle = (heading.y.atan2(heading.x).to_degrees() / 90.0).round() * 90.0;
        let points = self
            .points
            .into_iter()
            .map(|point| Point {
                x: number(point.x),
                y: number(point.y),
            })
            .collect();
        (
            self.path,
            points,
            Arrow {
                x: number(x),
                y: number(y),
                angle_deg: angle,
            },
        )
    }
}

fn distance(a: (f64, f64), b: (f64, f64)) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

fn toward(from: (f64, f64), to: (f64, f64), part: f64) -> (f64, f64) {
    (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part)
}

/// The point at `part` of a cubic curve.
pub(super) fn cubic(from: (f64, f64), first: (f64, f64), second: (f64, f64), to: (f64, f64), part: f64) -> (f64, f64) {
    let rest = 1.0 - part;
    let blend = |a: f64, b: f64, c: f64, d: f64| {
        rest * rest * rest * a + 3.0 * rest * rest * part * b + 3.0 * rest * part * part * c + part * part * part * d
    };
    (
        blend(from.0, first.0, second.0, to.0),
        blend(from.1, first.1, second.1, to.1),
    )
}
