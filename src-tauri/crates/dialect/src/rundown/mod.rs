//! Runbooks (seed 002): Markdown whose H2 headings are steps and whose H3 headings are substeps.
//!
//! * `front`, `blocks`, `heading`, `id`, `transition`: the pieces of the text. `unit`: a step with its pieces.
//! * `build`: from units to the model. `check`, `levels`, `order`, `jump`: what breaks a rule. `later`: what is not carried out.
//! * `place`: what a symbolic place stands for. `edit`, `change`, `rename`, `write`: changes.

mod blocks;
mod build;
mod change;
mod check;
mod detect;
mod edit;
mod front;
mod heading;
mod id;
mod jump;
mod later;
mod levels;
mod order;
mod place;
mod rename;
mod report;
mod transition;
mod unit;
mod write;

pub(crate) use detect::by_name;
pub use detect::is_named;
pub(crate) use front::Front;
use model::{Diagnostic, Workflow};
use unit::{Preamble, Unit};

/// A runbook, read.
#[derive(Debug, Clone)]
pub(crate) struct Runbook {
    pub(crate) workflow: Workflow,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) front: Option<Front>,
    preamble: Preamble,
    units: Vec<Unit>,
    order: order::Order,
}

/// Steps past this many are not read: a step takes some hundred times the memory of `## 1 A`.
const MOST_STEPS: usize = 500_000;

/// Reads a runbook of any content.
pub(crate) fn read(path: &str, text: &str) -> Runbook {
    let (front, from) = Front::read(text);
    let (preamble, units, left_out) = unit::gather(text, blocks::read(text, from), MOST_STEPS);
    let mut report = report::Report::default();
    let workflow = build::workflow(path, text, front.as_ref(), &preamble, &units);
    let order = order::check(&units, text, &mut report);
    check::all(
        &check::Subject {
            text,
            front: front.as_ref(),
            preamble: &preamble,
            units: &units,
            workflow: &workflow,
            left_out,
        },
        &mut report,
    );
    jump::check(&workflow, &units, &mut report);
    Runbook {
        workflow,
        diagnostics: report.finish(),
        front,
        preamble,
        units,
        order,
    }
}

/// What the model's rules find, without what a rule of this format says more exactly of the same step: two steps of one
/// number break the sequence.
pub(crate) fn without_doubles(found: Vec<Diagnostic>, known: &[Diagnostic]) -> Vec<Diagnostic> {
    let said: std::collections::HashSet<usize> = known
        .iter()
        .filter(|d| {
            matches!(
                d.code.as_str(),
                "GH0202" | "GH0203" | "GH0208" | "GH0209" | "GH0201" | "GH0210"
            )
        })
        .filter_map(|d| d.place.step)
        .collect();
    let doubled = |d: &Diagnostic| d.code == "GH0004" && d.place.step.is_some_and(|step| said.contains(&step));
    found.into_iter().filter(|d| !doubled(d)).collect()
}
