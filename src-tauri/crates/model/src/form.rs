//! Forms: what can be filled in of a step or of a workflow, as data from its dialect. Inspector, create dialog and outline show one
//! form; whoever shows it knows no format.

use crate::{Place, Severity};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The form of a step, or of the workflow itself.
#[derive(Debug, Clone, PartialEq, Serialize, ts_rs::TS)]
#[ts(export_to = "model.gen.ts")]
pub struct Form {
    /// The kind of step, as the palette names it; of the workflow itself its shape.
    pub kind: String,
    /// What a person calls that.
    pub label: String,
    /// In the order shown; those of one section stand together.
    pub fields: Vec<FormField>,
}

/// A field of a form.
#[derive(Debug, Clone, PartialEq, Serialize, ts_rs::TS)]
#[ts(export_to = "model.gen.ts")]
pub struct FormField {
    /// Its name: `human_gate`, `routing.max_iterations`.
    pub name: String,
    /// What a person reads.
    pub label: String,
    /// Under which heading it stands.
    pub section: FormSection,
    /// One line of help; empty: none is needed.
    pub help: String,
    /// How it is filled in.
    pub control: FormControl,
    /// Where it stands, or would stand: goes into the edit.
    pub place: Place,
    /// What is written; null where nothing is.
    #[ts(type = "unknown")]
    pub value: Value,
    /// What holds where nothing is written; null where nothing does.
    #[ts(type = "unknown")]
    pub default: Value,
    /// The reported field that what is filled in here are values of; absent: they are values of none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub values_of: Option<String>,
    /// The name of the part of the file that the value is taken over from (`<<: *name`); absent: it is written here, or nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub taken_over: Option<String>,
    /// What is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<FormProblem>,
}

/// What is wrong with a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ts_rs::TS)]
#[ts(export_to = "model.gen.ts")]
pub struct FormProblem {
    /// `GH0001`.
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// Where: the field's own place, or that of a part of it, as the condition of one way.
    pub place: Place,
}

/// The headings of a form, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "model.gen.ts")]
pub enum FormSection {
    /// What it is.
    What,
    /// Who does it, and with what.
    Work,
    /// What it reads and makes.
    Files,
    /// What follows.
    Flow,
    /// Where a person is asked.
    Gate,
    /// How what it makes is checked.
    Checks,
    /// How often and how long it is tried.
    Limits,
    /// What is asked before a run begins.
    Questions,
}

/// How a field is filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[ts(export_to = "model.gen.ts")]
pub enum FormControl {
    /// One line.
    Text,
    /// Several lines.
    LongText,
    /// A script of a shell.
    Script,
    /// A number.
    Number {
        /// Smallest.
        min: f64,
        /// Largest; absent: there is none.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        max: Option<f64>,
        /// Whole numbers alone.
        whole: bool,
    },
    /// Seconds.
    Duration,
    /// Yes or no.
    Flag,
    /// One of a list; an empty value takes the field out.
    Choice {
        /// In the order shown.
        options: Vec<FormOption>,
    },
    /// A list of texts, or of names of something.
    Several {
        /// What each one names; absent: they are texts.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        of: Option<Reference>,
        /// One can stand there more than once: they are a sequence.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(optional, as = "Option<_>")]
        again: bool,
    },
    /// The name of something.
    Reference {
        /// Of what.
        to: Reference,
    },
    /// Names with values.
    KeyValue,
    /// `{field, operator, value}`, or an expression as text.
    Condition {
        /// What `operator` can be; the first one counts where none is written.
        comparisons: Vec<Comparison>,
        /// How it is written.
        written: ConditionWritten,
    },
    /// Values, each with the step that it leads to.
    Ways {
        /// Those that are written, in their order.
        ways: Vec<FormWay>,
    },
    /// Conditions, each with the step that it leads to.
    Guards {
        /// What `operator` can be; the first one counts where none is written.
        comparisons: Vec<Comparison>,
        /// Those that are written, in their order.
        ways: Vec<FormWay>,
        /// What another one is written under: its condition, and the step.
        keys: [String; 2],
        /// Something else than a list of them is written.
        other: bool,
    },
    /// A line of a runbook: what follows an outcome.
    Transition {
        /// The usual ones, with what a person reads; any other line may be written too.
        options: Vec<FormOption>,
    },
    /// Tool calls, each with its arguments.
    ToolCalls,
    /// Questions that are asked before a run begins.
    Questions,
}

/// One of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[ts(export_to = "model.gen.ts")]
pub struct FormOption {
    /// What is written.
    pub value: String,
    /// What a person reads.
    pub label: String,
}

/// A comparison of a condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[ts(export_to = "model.gen.ts")]
pub struct Comparison {
    /// What is written.
    pub value: String,
    /// What a person reads between field and value.
    pub label: String,
    /// What it compares with.
    pub takes: Takes,
}

/// What a comparison compares with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "model.gen.ts")]
pub enum Takes {
    /// Nothing: it has no value.
    Nothing,
    /// Several values.
    List,
    /// A number.
    Number,
    /// A text, whatever it looks like.
    Text,
    /// One value: yes or no, a number, a text.
    Value,
}

/// How a condition is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "as", rename_all = "snake_case")]
#[ts(export_to = "model.gen.ts")]
pub enum ConditionWritten {
    /// There is none.
    Nothing,
    /// By `field`, `operator` and `value`, which stand in it under these names.
    Pieces {
        /// The reported field.
        #[ts(type = "unknown")]
        field: Value,
        /// The comparison; null: it is not written, the first one counts.
        #[ts(type = "unknown")]
        operator: Value,
        /// What it compares with: one value, or a list of them; null where nothing is written.
        #[ts(type = "unknown")]
        value: Value,
        /// More belongs to it.
        more: bool,
    },
    /// By an expression.
    Text {
        /// The expression.
        text: String,
        /// Where that stands.
        place: Place,
        /// More belongs to it.
        more: bool,
    },
    /// In more detail than there are pieces for.
    Block,
}

/// A way that is written, with where it leads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[ts(export_to = "model.gen.ts")]
pub struct FormWay {
    /// The value, or the condition.
    #[ts(type = "unknown")]
    pub when: Value,
    /// How the condition is written; of a value nothing.
    pub written: ConditionWritten,
    /// The step; empty: none is written.
    pub to: String,
    /// The whole of it: what is taken out, moved, or called otherwise.
    pub place: Place,
    /// Where the value or the condition stands.
    pub when_place: Place,
    /// Where the step stands.
    pub to_place: Place,
}

/// What a name in a form can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "model.gen.ts")]
pub enum Reference {
    /// A step of this workflow.
    Step,
    /// An agent.
    Agent,
    /// A file of the project.
    File,
    /// Another workflow of the project.
    Workflow,
    /// Another runbook of the project.
    Runbook,
    /// A tool.
    Tool,
    /// A template that what a step makes is held against.
    Template,
    /// A person or a role.
    Person,
    /// A field that steps report.
    Field,
}

/// A kind of step that a format has: an entry of the palette.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ts_rs::TS)]
#[ts(export_to = "model.gen.ts")]
pub struct StepKind {
    /// What [`crate::NewStep::kind`] takes.
    pub kind: String,
    /// What a person calls it.
    pub label: String,
    /// What it is for, in a sentence.
    pub help: String,
    /// What whoever adds one says of it beside its name; absent: nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub names: Option<KindNames>,
}

/// What a kind of step names, or is given to carry out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ts_rs::TS)]
#[ts(export_to = "model.gen.ts")]
pub struct KindNames {
    /// The field of [`crate::NewStep::fields`] that it stands in.
    pub field: String,
    /// What a person calls it.
    pub label: String,
    /// What it is, in a sentence.
    pub help: String,
    /// Of which names it is one; absent: a text of any length, which may still be written later.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub of: Option<Reference>,
}

/// Which gestures mean something in a workflow: what is false is not offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, ts_rs::TS)]
#[ts(export_to = "model.gen.ts")]
pub struct Gestures {
    /// Steps can be added, removed and duplicated.
    pub steps: bool,
    /// A step can stand inside of another.
    pub inside: bool,
    /// The order of the file means something.
    pub order: bool,
    /// What follows a step can be chosen: edges are drawn from step to step.
    pub next: bool,
    /// An edge says that one step waits for another.
    pub waits: bool,
    /// Ways back, with a bound.
    pub loops: bool,
    /// Ways by value.
    pub branches: bool,
    /// Branches beside each other.
    pub forks: bool,
    /// Gates.
    pub gates: bool,
    /// A way after a rejection.
    pub rejections: bool,
}
