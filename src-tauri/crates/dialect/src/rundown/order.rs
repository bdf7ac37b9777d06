//! Rule 4, ordering: prompt, body, transitions (the contract's order), or transitions first (all later files). Both are
//! read; what stands in neither is reported.

use super::report::Report;
use super::unit::{Meant, PartKind, Unit};
use crate::text::Span;
use model::{Diagnostic, Edit, Place, Severity};

/// How many steps of a file follow which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Order {
    pub(super) first: usize,
    pub(super) last: usize,
}

impl Order {
    /// Whether a new transition belongs before the text of its step.
    pub(super) fn transitions_first(self) -> bool {
        self.first > self.last
    }
}

/// Where the transitions of one step stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stand {
    /// There are none, or there is nothing else.
    Open,
    First,
    Last,
    /// At both ends.
    Both,
    /// Between other things.
    Between,
}

pub(super) fn check(units: &[Unit], text: &str, report: &mut Report) -> Order {
    let mut order = Order::default();
    let mut both = None;
    let (mut a_first, mut a_last) = (None, None);
    for (ordinal, unit) in units.iter().enumerate() {
        // Below a heading that is none stands another step; where that leaves no order, the heading is the error.
        if !unit.glued.is_empty() {
            continue;
        }
        let is_named = is_broken_by_slips(unit);
        if !is_named {
            prose_after_body(ordinal, unit, text, report);
        }
        match stand(unit) {
            Stand::Open => {}
            Stand::First => {
                order.first += 1;
                a_first = a_first.or(Some(ordinal));
            }
            Stand::Last => {
                order.last += 1;
                a_last = a_last.or(Some(ordinal));
            }
            Stand::Both => both = both.or(Some(ordinal)),
            Stand::Between if is_named => {}
            Stand::Between => report.error(
                "GH0204",
                transitions_place(ordinal, unit),
                "These transitions stand between the prompt and the body of their step",
                "Put them at the end of the step, or right below its heading",
            ),
        }
    }
    let first_place = |ordinal: usize| transitions_place(ordinal, &units[ordinal]);
    match (a_first, a_last, both) {
        (_, _, Some(both)) => report.push(
            Diagnostic::new(
                "GH0220",
                Severity::Warning,
                first_place(both),
                "The transitions of this step stand on both sides of its text",
            )
            .help("Keep them together, at the end of the step or right below its heading"),
        ),
        (Some(first), Some(last), None) => {
            // The rarer order is the one that was probably not meant.
            let (odd, other) = if order.first > order.last {
                (last, first)
            } else {
                (first, last)
            };
            let (here, there) = if odd == first {
                ("above", "below")
            } else {
                ("below", "above")
            };
            report.push(
                Diagnostic::new(
                    "GH0220",
                    Severity::Warning,
                    first_place(odd),
                    format!(
                        "This step has its transitions {here} its text, other steps of this file have them {there}"
                    ),
                )
                .related(first_place(other), format!("{there} the text"))
                .help("Both are read. One order in a file is easier on its readers"),
            );
        }
        (Some(first), None, None) => report.push(
            Diagnostic::new(
                "GH0221",
                Severity::Note,
                first_place(first),
                "The transitions of this runbook stand above the text of their steps: the order of later files",
            )
            .help("Both orders are read. The contract has prompt, body, transitions"),
        ),
        _ => {}
    }
    order
}

/// Whether a step has its parts in no order because a line that was meant as a transition is read as text: that line is named instead.
pub(super) fn is_broken_by_slips(unit: &Unit) -> bool {
    let slips = |(_, meant): &(Span, Meant)| !matches!(meant, Meant::File(_));
    unit.meant.iter().any(slips) && is_in_no_order(unit)
}

/// Whether the parts of a step stand in neither order.
pub(super) fn is_in_no_order(unit: &Unit) -> bool {
    stand(unit) == Stand::Between || text_behind_body(unit).is_some()
}

/// The first transition of a step, good or broken.
fn transitions_place(ordinal: usize, unit: &Unit) -> Place {
    let place = Place::step(ordinal);
    let good = unit.transitions.first().map(|read| read.span.start);
    let broken = unit.broken.first().map(|(span, _)| span.start);
    match (good, broken) {
        (Some(good), Some(broken)) if broken < good => super::place::raw(place, unit.broken[0].0),
        (Some(_), _) => place.field("transitions").field("0"),
        (None, Some(_)) => super::place::raw(place, unit.broken[0].0),
        (None, None) => place,
    }
}

fn stand(unit: &Unit) -> Stand {
    // Shown blocks may stand anywhere.
    let kinds: Vec<bool> = unit
        .parts
        .iter()
        .filter(|part| part.kind != PartKind::Shown)
        .map(|part| part.kind == PartKind::Transitions)
        .collect();
    let (Some(from), Some(to)) = (kinds.iter().position(|t| *t), kinds.iter().rposition(|t| *t)) else {
        return Stand::Open;
    };
    if kinds.iter().all(|t| *t) {
        return Stand::Open;
    }
    let together = kinds[from..=to].iter().all(|t| *t);
    match (from == 0, to + 1 == kinds.len(), together) {
        (true, _, true) => Stand::First,
        (_, true, true) => Stand::Last,
        (true, true, false) if kinds.windows(2).filter(|w| w[0] != w[1]).count() == 2 => Stand::Both,
        _ => Stand::Between,
    }
}

/// The body of a step and how many parts behind it a text stands, where one does.
fn text_behind_body(unit: &Unit) -> Option<(usize, usize)> {
    let is_body = |kind: PartKind| matches!(kind, PartKind::Code(_) | PartKind::Files);
    let body = unit.parts.iter().position(|part| is_body(part.kind))?;
    let after = unit.parts[body..]
        .iter()
        .position(|part| part.kind == PartKind::Prose)?;
    Some((body, after))
}

fn prose_after_body(ordinal: usize, unit: &Unit, text: &str, report: &mut Report) {
    let Some((body, after)) = text_behind_body(unit) else {
        return;
    };
    let (from, to) = (unit.parts[body].span, unit.parts[body + after].span);
    let mut diagnostic = Diagnostic::new(
        "GH0204",
        Severity::Error,
        super::place::raw(Place::step(ordinal), to),
        "This text stands behind the body of its step; a prompt comes first",
    )
    .help("Move it above the code block or the list of runbooks");
    let simple = after == 1 && from.end <= to.start;
    if simple {
        let whole = Span {
            start: from.start,
            end: to.end,
        };
        let swapped = format!(
            "{}{}{}",
            &text[to.start..to.end],
            &text[from.end..to.start],
            &text[from.start..from.end]
        );
        let edit = Edit::Set {
            place: super::place::raw(Place::step(ordinal), whole),
            value: swapped.into(),
        };
        diagnostic = diagnostic.fix("Move the text above the body", edit);
    }
    report.push(diagnostic);
}
