//! What can be filled in of a step or of a workflow, as data: one row a field. `flow`, `pipeline`, `runbook`, `stepspec`, `agent_workflow`: the rows of
//! each format; `meaning`: what values say in words; `scenario`: of a scenario beside one; `shared`: those that several have. Which rows a step shows follows from what it is.

pub(crate) mod agent_workflow;
pub(crate) mod flow;
mod meaning;
pub(crate) mod pipeline;
pub(crate) mod runbook;
pub(crate) mod scenario;
mod shared;
pub(crate) mod stepspec;
mod written;

use crate::does;
use crate::edit::EditError;
use model::{
    Diagnostic, Form, FormControl, FormField, FormOption, FormProblem, FormSection, KindNames, NewStep, Place,
    Reference, Step, StepId, StepKind, Workflow,
};
use serde_json::Value;
pub(crate) use written::{condition, guards, known_comparisons, values};

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
    /// The row that names the reported field whose values are filled in here; empty: they are values of none.
    values_of: &'static str,
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
    /// Steps one after the other, of which one can come again.
    Sequence,
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
        values_of: "",
    }
}

impl Row {
    /// What a person reads.
    pub(crate) fn label(&self) -> &'static str {
        self.label
    }

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

    /// The same where what is filled in are values of the reported field that another row names.
    pub(crate) const fn values_of(mut self, row: &'static str) -> Self {
        self.values_of = row;
        self
    }

    /// How it is filled in, where this is written.
    fn control(&self, value: &Value, place: &Place) -> FormControl {
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
            What::Texts => FormControl::Several { of: None, again: false },
            What::Names(of) => FormControl::Several {
                of: Some(of),
                again: false,
            },
            What::Sequence => FormControl::Several {
                of: Some(Reference::Step),
                again: true,
            },
            What::Name(to) => FormControl::Reference { to },
            What::Pairs => FormControl::KeyValue,
            What::Ways => values(value, place),
            What::Guards => guards(value, place),
            What::Condition => FormControl::Condition {
                comparisons: known_comparisons([value]),
                written: condition(value, place),
            },
            What::Transition => FormControl::Transition { options: Vec::new() },
            What::Calls => FormControl::ToolCalls,
            What::Questions => FormControl::Questions,
        }
    }
}

/// What does the work of a step, among those that its format has.
pub(crate) const fn done_by(options: &'static [(&'static str, &'static str)]) -> Row {
    row(
        FormSection::Work,
        does::DOES,
        "What does it",
        "What does not fit another choice goes; it is said which, and asked, before.",
        What::Choice(options),
    )
    .or("\"work\"")
}

/// Where a rejection can lead to where steps wait for each other: nowhere, or back to what the step waits for. `written`: where the file says
/// that it leads.
pub(crate) fn sent_back(workflow: &Workflow, step: &Step, written: Option<&StepId>) -> FormControl {
    let option = |value: &str, label: String| FormOption {
        value: value.to_owned(),
        label,
    };
    let mut options = vec![option("", "The run ends".to_owned())];
    let before = workflow
        .all_before(step)
        .into_iter()
        .filter(|one| one.ordinal != step.ordinal);
    options.extend(before.map(|one| option(one.id.as_str(), one.name.clone())));
    if let Some(to) = written.filter(|to| options.iter().all(|one| one.value != to.as_str())) {
        let name = workflow.step(to).map_or(to.as_str(), |step| &step.name);
        options.push(option(to.as_str(), format!("{name} (without effect)")));
    }
    FormControl::Choice { options }
}

/// What is written, with what a person reads.
fn options(known: &[(&str, &str)]) -> Vec<FormOption> {
    let option = |(value, label): &(&str, &str)| FormOption {
        value: (*value).to_owned(),
        label: (*label).to_owned(),
    };
    known.iter().map(option).collect()
}

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
    /// What is shown in the place of what is written.
    shown: Option<Value>,
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
            shown: None,
            place,
        }
    }
}

/// What holds at a place, and the name of what it is taken over from by `<<` where nothing is written there.
pub(crate) type Held = (Value, Option<String>);

/// The rows of a step, or of the workflow itself, with where each stands.
#[derive(Debug)]
pub(crate) struct Entries {
    kind: &'static str,
    label: &'static str,
    entries: Vec<Entry>,
    /// Nobody is asked there.
    is_ungated: bool,
}

impl Entries {
    pub(crate) fn new(kind: &'static str, label: &'static str) -> Self {
        Self {
            kind,
            label,
            entries: Vec::new(),
            is_ungated: false,
        }
    }

    /// Where nobody is asked: of a gate the form has the word that says whether there is one, and what is written of it all the same.
    pub(crate) fn gated(&mut self, step: &Step) {
        self.is_ungated = step.gate.is_none();
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

    /// A row that stands elsewhere, and shows something else than what is written there.
    pub(crate) fn showing_at(&mut self, row: Row, place: Place, shown: Option<Value>) {
        self.entries.push(Entry {
            shown,
            ..Entry::of(row, place)
        });
    }

    /// What does the work of a step, as a word of [`does`].
    pub(crate) fn does(&mut self, row: Row, step: &Step, word: &str) {
        let place = Place::step(step.ordinal).field(does::DOES);
        self.showing_at(row, place, Some(word.into()));
    }

    /// A row whose name is its keys, with what is to be said of it here, and what is shown in the place of what is written.
    pub(crate) fn told(&mut self, row: Row, whole: &Place, help: String, shown: Option<Value>) {
        let place = whole.clone().path(row.name.split('.').map(str::to_owned));
        self.entries.push(Entry {
            help: Some(help),
            shown,
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

    /// A row that stands elsewhere, and has options of its own here. `label`: what it is called by, where that is not its own.
    pub(crate) fn filled_by(&mut self, row: Row, label: Option<String>, control: FormControl, place: Place) {
        let control = Some(control);
        self.entries.push(Entry {
            label,
            control,
            ..Entry::of(row, place)
        });
    }

    /// What a person reads of each field of the form, with where it stands.
    pub(crate) fn labels(mut self) -> Vec<(Place, String)> {
        self.entries.sort_by_key(|entry| entry.row.section);
        let label = |entry: Entry| {
            let label = entry.label.unwrap_or_else(|| entry.row.label.to_owned());
            (entry.place, label)
        };
        self.entries.into_iter().map(label).collect()
    }

    /// The form, with what stands where and what is wrong with it. `value`: what holds at a place, and the name of what it is taken over
    /// from by `<<` where nothing is written there.
    pub(crate) fn form(
        self,
        step: Option<usize>,
        value: &dyn Fn(&Place) -> Option<Held>,
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
                place: found.place.clone(),
            })
        };
        // The field whose values a row holds is named by another one; where that says nothing, the status decides.
        let places: Vec<(&str, Place)> = self
            .entries
            .iter()
            .map(|one| (one.row.name, one.place.clone()))
            .collect();
        let named = |row: &str| {
            let (_, place) = places.iter().find(|(name, _)| *name == row)?;
            let (name, _) = value(place)?;
            name.as_str().filter(|name| !name.is_empty()).map(str::to_owned)
        };
        let values_of = |row: &Row| {
            let by = (!row.values_of.is_empty()).then_some(row.values_of)?;
            Some(named(by).unwrap_or_else(|| "status".to_owned()))
        };
        let field = |Entry {
                         row,
                         label,
                         control,
                         help,
                         default,
                         shown,
                         place,
                     }: Entry| {
            let (written, taken_over) = value(&place).unwrap_or_default();
            let values_of = values_of(&row);
            let help = help.unwrap_or_else(|| row.help.to_owned());
            let help = match meaning::said(&row, values_of.as_deref(), &written) {
                Some(said) if help.is_empty() => said,
                Some(said) => format!("{said} {help}"),
                None => help,
            };
            let help = match &taken_over {
                None => help,
                Some(from) => {
                    let said =
                        format!("From `&{from}`; what is filled in here is written into this step and counts there.");
                    match help.as_str() {
                        "" => said,
                        help => format!("{said} {help}"),
                    }
                }
            };
            FormField {
                name: row.name.to_owned(),
                label: label.unwrap_or_else(|| row.label.to_owned()),
                section: row.section,
                help,
                control: control.unwrap_or_else(|| row.control(&written, &place)),
                value: shown.unwrap_or(written),
                default: default.unwrap_or_else(|| serde_json::from_str(row.default).unwrap_or(Value::Null)),
                values_of,
                taken_over,
                problem: problem(&place),
                place,
            }
        };
        let is_ungated = self.is_ungated;
        let counts = |entry: &Entry| {
            let is_of_gate = entry.row.section == FormSection::Gate && entry.row.name != shared::GATE.name;
            !is_ungated || !is_of_gate || value(&entry.place).is_some()
        };
        let mut fields: Vec<FormField> = self.entries.into_iter().filter(counts).map(field).collect();
        fields.sort_by_key(|field| field.section);
        Form {
            kind: self.kind.to_owned(),
            label: self.label.to_owned(),
            fields,
        }
    }
}

/// Which of the kinds of a format a new step is of, and what a person reads of it.
///
/// # Errors
/// The format has no such kind.
pub(crate) fn chosen<'n>(
    kinds: &[(&'static str, &'static str, &str)],
    new: &'n NewStep,
) -> Result<(&'static str, &'n str), EditError> {
    let kind = match new.kind.as_str() {
        "" => kinds.first(),
        named => kinds.iter().find(|kind| kind.0 == named),
    };
    let kind = kind.ok_or_else(|| EditError::unfit(format!("there is no kind of step `{}` here", new.kind)))?;
    let given = new.name.as_deref().map(str::trim);
    Ok((kind.0, given.filter(|name| !name.is_empty()).unwrap_or(kind.1)))
}

/// The kinds of step of a format.
pub(crate) fn palette(kinds: &[(&str, &str, &str)]) -> Vec<StepKind> {
    kinds
        .iter()
        .map(|(kind, label, help)| StepKind {
            kind: (*kind).to_owned(),
            label: (*label).to_owned(),
            help: (*help).to_owned(),
            names: None,
        })
        .collect()
}

/// The same where a kind names something that stands in a row of its form, or has a script there.
pub(crate) fn naming(mut kinds: Vec<StepKind>, kind: &str, row: &Row) -> Vec<StepKind> {
    let of = match row.what {
        What::Name(of) => Some(of),
        What::Script => None,
        _ => return kinds,
    };
    if let Some(one) = kinds.iter_mut().find(|one| one.kind == kind) {
        one.names = Some(KindNames {
            field: row.name.to_owned(),
            label: row.label.to_owned(),
            help: row.help.to_owned(),
            of,
        });
    }
    kinds
}
