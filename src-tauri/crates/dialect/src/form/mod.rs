//! What can be filled in of a step or of a workflow, as data: one row a field. `flow`, `pipeline`, `runbook`, `stepspec`: the rows of
//! each format; `scenario`: of a scenario beside one; `shared`: those that several have. Which rows a step shows follows from what it is.

pub(crate) mod flow;
pub(crate) mod pipeline;
pub(crate) mod runbook;
pub(crate) mod scenario;
mod shared;
pub(crate) mod stepspec;

use model::{
    Diagnostic, Form, FormControl, FormField, FormOption, FormProblem, FormSection, Place, Reference, StepKind,
};
use serde_json::Value;

/// A field of a form before it is looked up in a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// Keys from the step, with dots between.
    pub(crate) name: &'static str,
    label: &'static str,
    section: FormSection,
    help: &'static str,
    what: What,
    /// What holds where nothing is written, as JSON; empty: nothing does.
    default: &'static str,
}

/// How a row is filled in.
#[derive(Debug, Clone, Copy)]
pub(crate) enum What {
    Text,
    Long,
    Script,
    /// A whole number from the first to the last.
    Count(u32, u32),
    Seconds,
    Flag,
    /// What is written, and what a person reads.
    Choice(&'static [(&'static str, &'static str)]),
    Texts,
    /// Names, each of something.
    Names(Reference),
    Name(Reference),
    Pairs,
    /// Values with where each leads.
    Ways,
    /// Conditions with where each leads.
    Guards,
    Condition,
    Transition,
    Calls,
    Questions,
}

pub(crate) const fn row(
    section: FormSection,
    name: &'static str,
    label: &'static str,
    help: &'static str,
    what: What,
) -> Row {
    Row {
        name,
        label,
        section,
        help,
        what,
        default: "",
    }
}

impl Row {
    /// The same with what holds where nothing is written.
    pub(crate) const fn or(mut self, default: &'static str) -> Self {
        self.default = default;
        self
    }

    /// The same for a field that the file calls otherwise.
    pub(crate) const fn called(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    fn control(&self) -> FormControl {
        match self.what {
            What::Text => FormControl::Text,
            What::Long => FormControl::LongText,
            What::Script => FormControl::Script,
            What::Count(min, max) => FormControl::Number {
                min: min.into(),
                max: Some(max.into()),
                whole: true,
            },
            What::Seconds => FormControl::Duration,
            What::Flag => FormControl::Flag,
            What::Choice(known) => FormControl::Choice {
                options: options(known),
            },
            What::Texts => FormControl::Several { of: None },
            What::Names(of) => FormControl::Several { of: Some(of) },
            What::Name(to) => FormControl::Reference { to },
            What::Pairs => FormControl::KeyValue,
            What::Ways => FormControl::Ways {
                comparisons: Vec::new(),
            },
            What::Guards => FormControl::Ways {
                comparisons: options(&COMPARISONS),
            },
            What::Condition => FormControl::Condition {
                comparisons: options(&COMPARISONS),
            },
            What::Transition => FormControl::Transition { options: Vec::new() },
            What::Calls => FormControl::ToolCalls,
            What::Questions => FormControl::Questions,
        }
    }
}

/// What is written, with what a person reads.
fn options(known: &[(&str, &str)]) -> Vec<FormOption> {
    let option = |(value, label): &(&str, &str)| FormOption {
        value: (*value).to_owned(),
        label: (*label).to_owned(),
    };
    known.iter().map(option).collect()
}

/// The words of a comparison, as they are written, with what a person reads between the field and the value.
pub(crate) const COMPARISONS: [(&str, &str); 11] = [
    ("equals", "is"),
    ("not_equals", "is not"),
    ("in", "is one of"),
    ("not_in", "is none of"),
    ("contains", "contains"),
    ("gt", "is more than"),
    ("gte", "is at least"),
    ("lt", "is less than"),
    ("lte", "is at most"),
    ("exists", "is reported"),
    ("matches", "matches the pattern"),
];

/// A row with where it stands.
#[derive(Debug)]
struct Entry {
    row: Row,
    /// The label that it has here, where that is not its own.
    label: Option<String>,
    /// The same for how it is filled in.
    control: Option<FormControl>,
    /// The same for what is said of it.
    help: Option<String>,
    /// What holds here where nothing is written.
    default: Option<Value>,
    place: Place,
}

impl Entry {
    fn of(row: Row, place: Place) -> Self {
        Self {
            row,
            label: None,
            control: None,
            help: None,
            default: None,
            place,
        }
    }
}

/// The rows of a step, or of the workflow itself, with where each stands.
#[derive(Debug)]
pub(crate) struct Entries {
    kind: &'static str,
    label: &'static str,
    entries: Vec<Entry>,
}

impl Entries {
    pub(crate) fn new(kind: &'static str, label: &'static str) -> Self {
        Self {
            kind,
            label,
            entries: Vec::new(),
        }
    }

    /// Rows whose names are their keys.
    pub(crate) fn rows<'r>(&mut self, whole: &Place, rows: impl IntoIterator<Item = &'r Row>) {
        for row in rows {
            let place = whole.clone().path(row.name.split('.').map(str::to_owned));
            self.entries.push(Entry::of(*row, place));
        }
    }

    /// A row that stands elsewhere.
    pub(crate) fn at(&mut self, row: Row, place: Place) {
        self.entries.push(Entry::of(row, place));
    }

    /// A row whose name is its keys, with what holds here where nothing is written, and what is to be said of that.
    pub(crate) fn holding(&mut self, row: Row, whole: &Place, help: String, default: Option<Value>) {
        let place = whole.clone().path(row.name.split('.').map(str::to_owned));
        self.entries.push(Entry {
            help: Some(help),
            default,
            ..Entry::of(row, place)
        });
    }

    /// A row that stands elsewhere, and is called by what it is about.
    pub(crate) fn labelled(&mut self, row: Row, label: String, place: Place) {
        let label = Some(label);
        self.entries.push(Entry {
            label,
            ..Entry::of(row, place)
        });
    }

    /// A row that stands elsewhere, and has options of its own here.
    pub(crate) fn filled_by(&mut self, row: Row, control: FormControl, place: Place) {
        let control = Some(control);
        self.entries.push(Entry {
            control,
            ..Entry::of(row, place)
        });
    }

    /// The form, with what stands where and what is wrong with it.
    pub(crate) fn form(
        self,
        step: Option<usize>,
        value: &dyn Fn(&Place) -> Option<Value>,
        diagnostics: &[Diagnostic],
    ) -> Form {
        let found: Vec<_> = diagnostics
            .iter()
            .filter(|found| found.place.step.is_none_or(|at| Some(at) == step) && !found.place.path.is_empty())
            .collect();
        let problem = |place: &Place| {
            let here = found
                .iter()
                .filter(|found| found.place.step == place.step && found.place.path.starts_with(&place.path));
            here.max_by_key(|found| found.severity).map(|found| FormProblem {
                code: found.code.clone(),
                severity: found.severity,
                message: found.message.clone(),
            })
        };
        let field = |Entry {
                         row,
                         label,
                         control,
                         help,
                         default,
                         place,
                     }: Entry| FormField {
            name: row.name.to_owned(),
            label: label.unwrap_or_else(|| row.label.to_owned()),
            section: row.section,
            help: help.unwrap_or_else(|| row.help.to_owned()),
            control: control.unwrap_or_else(|| row.control()),
            value: value(&place).unwrap_or(Value::Null),
            default: default.unwrap_or_else(|| serde_json::from_str(row.default).unwrap_or(Value::Null)),
            problem: problem(&place),
            place,
        };
        let mut fields: Vec<FormField> = self.entries.into_iter().map(field).collect();
        fields.sort_by_key(|field| field.section);
        Form {
            kind: self.kind.to_owned(),
            label: self.label.to_owned(),
            fields,
        }
    }
}

/// The kinds of step of a format.
pub(crate) fn palette(kinds: &[(&str, &str, &str)]) -> Vec<StepKind> {
    kinds
        .iter()
        .map(|(kind, label, help)| StepKind {
            kind: (*kind).to_owned(),
            label: (*label).to_owned(),
            help: (*help).to_owned(),
        })
        .collect()
}
