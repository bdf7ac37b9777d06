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
        /// What `operator` can be, with what a person reads between field and value.
        comparisons: Vec<FormOption>,
    },
    /// Values, or conditions, each with the step that it leads to.
    Ways {
        /// Of ways by condition what `operator` can be; empty: the ways go by values.
        comparisons: Vec<FormOption>,
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
