//! Runbooks (seed 002): Markdown whose H2 headings are steps and whose H3 headings are substeps.
//!
//! * `front`, `blocks`, `heading`, `glued`, `html`, `id`, `transition`: the pieces of the text. `unit`: a step with its pieces.
//! * `build`: from units to the model. `check`, `levels`, `order`, `jump`: what breaks a rule. `later`: what is not carried out.
//! * `place`: what a symbolic place stands for. `edit`, `change`, `rename`, `write`: changes.
//!   `does`: what does the work of a step. `flow_edit`: steps that come, go and move. `level`: one that goes to another level. `pasted`: the text
//!   of a step that comes once more. `lines`: what leads from one
//!   to another, `entails`: what is said of that. `in_front`: the names of steps above them.

mod blocks;
mod build;
mod change;
mod check;
mod detect;
mod does;
mod edit;
mod entails;
mod flow_edit;
mod front;
mod glued;
mod heading;
mod html;
mod id;
mod in_front;
mod jump;
mod later;
mod level;
mod levels;
mod lines;
mod name;
mod order;
mod pasted;
mod place;
mod rename;
mod report;
mod shown;
mod transition;
mod unit;
mod write;

use crate::dialect::{Dialect, File};
use crate::document::{Changed, Consequence, Document, Reading, StepField};
use crate::edit::EditError;
use crate::fields::{self, Shape};
use crate::form::Entries;
use crate::text::Span;
use front::Front;
use model::{Diagnostic, DrawnWay, Edit, FlowEdit, Format, Gestures, Place, Step, StepKind, Workflow};
pub use name::is_named;
use serde_json::Value;
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

/// The dialect of runbooks.
pub(crate) struct Rundown;

impl Dialect for Rundown {
    fn format(&self) -> Format {
        Format::Rundown
    }

    fn is_named(&self, path: &str) -> bool {
        is_named(path)
    }

    // Notes are far more frequent than runbooks: without the name a person has to say that it is one.
    fn holds(&self, _file: &File<'_>) -> bool {
        false
    }

    fn lacks(&self, file: &File<'_>) -> Option<String> {
        if file.tree.is_some() {
            return None;
        }
        let lacks = read(file.path, file.text).lacks(file.path);
        Some(lacks.unwrap_or("its name does not end in `.runbook.md`").to_owned())
    }

    fn read(&self, file: File<'_>) -> Box<dyn Reading> {
        Box::new(read(file.path, file.text))
    }
}

impl Reading for Runbook {
    fn workflow(&self) -> &Workflow {
        &self.workflow
    }

    // Whoever opens a file without the name says that it is one.
    fn may_be_one(&self, path: &str) -> bool {
        self.lacks(path).is_none()
    }

    fn keys_at(&self, text: &str, offset: usize) -> Option<(Shape, Vec<String>)> {
        let front = self.front.as_ref()?;
        let inside = offset.checked_sub(front.inner.start)?;
        let path = front.tree.path_at(front.source(text), inside);
        (offset <= front.inner.end).then_some((Shape::FrontMatter, path))
    }

    fn diagnostics(&self, text: &str) -> Vec<Diagnostic> {
        let mut found = self.diagnostics.clone();
        found.extend(without_doubles(model::rules::check(&self.workflow), &found));
        if let Some(front) = self.front.as_ref().filter(|front| front.tree.broken().is_none()) {
            found.extend(fields::check(Shape::FrontMatter, front.source(text), &front.tree, ""));
        }
        found
    }

    fn span(&self, text: &str, place: &Place) -> Option<Span> {
        self.span_at(text, place)
    }

    fn value_span(&self, text: &str, place: &Place) -> Option<Span> {
        self.value_span_at(text, place)
    }

    fn place_at(&self, text: &str, offset: usize) -> Place {
        self.place_of(text, offset)
    }

    fn place_by_keys(&self, keys: Vec<String>) -> Place {
        match keys.as_slice() {
            [list, n, path @ ..] if list == "steps" && n.parse::<usize>().is_ok() => Place {
                step: n.parse().ok(),
                path: path.to_vec(),
            },
            _ => Place { step: None, path: keys },
        }
    }

    // A step with substeps is copied in the source: each of them is a step of its own.
    fn step_text(&self, document: &Document, step: usize) -> Option<String> {
        let unit = self.units.get(step)?;
        let is_alone = self.units.iter().all(|other| other.parent != Some(step));
        let own = unit.up_to(document.text(), unit.own_end);
        is_alone.then(|| own.trim_end().to_owned() + "\n")
    }

    fn value(&self, text: &str, place: &Place) -> Option<Value> {
        self.value_at(text, place)
    }

    // A runbook writes neither loop bounds nor gates: its transitions say both.
    fn field(&self, step: usize, field: StepField) -> Option<Place> {
        match field {
            StepField::Name => Some(Place::step(step).field("title")),
            StepField::Intent => Some(Place::step(step).field("prompt")),
            StepField::MaxIterations | StepField::HumanGate | StepField::GateQuestion => None,
        }
    }

    fn listed_file(&self, step: usize, file: usize) -> Place {
        Place::step(step).field("files").field(file.to_string())
    }

    fn parts_of(&self, text: &str) -> Vec<String> {
        pasted::parts_of(text)
    }

    fn consequences(&self, document: &Document, edit: &Edit) -> Vec<Consequence> {
        let mut found = flow_edit::Steps::of(self, document).entails(edit);
        found.extend(self.given(document, edit));
        found
    }

    fn edit(&self, document: &Document, edit: &Edit) -> Result<Changed, EditError> {
        let of_a_step = flow_edit::Steps::of(self, document).value_edit(edit);
        of_a_step.unwrap_or_else(|| self.edit_in(document, edit).map(Changed::from))
    }

    fn does_now(&self, step: &Step) -> &'static str {
        Self::does_word(step)
    }

    fn does(&self, _text: &str, step: &Step, to: &str) -> Option<Vec<Edit>> {
        self.done_by(step, to)
    }

    fn flow_edit(&self, document: &Document, edit: &FlowEdit) -> Result<Changed, EditError> {
        flow_edit::Steps::of(self, document).edit(edit)
    }

    fn flow_consequences(&self, document: &Document, edit: &FlowEdit) -> Vec<Consequence> {
        flow_edit::Steps::of(self, document).flow_entails(edit)
    }

    fn palette(&self) -> Vec<StepKind> {
        Self::kinds()
    }

    fn gestures(&self) -> Gestures {
        Self::offered()
    }

    fn drawn(&self, _from: &Step, _to: &Step) -> Vec<DrawnWay> {
        Self::outcomes()
    }

    fn entries(&self, _text: &str, step: Option<usize>) -> Option<Entries> {
        self.form_of(step)
    }
}

/// What the model's rules find, without what a rule of this format says more exactly of the same step: two steps of one
/// number break the sequence.
fn without_doubles(found: Vec<Diagnostic>, known: &[Diagnostic]) -> Vec<Diagnostic> {
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
