//! What a person does to a workflow in a window: a value changed, a step added, one step led to another. A dialect turns each into
//! the smallest change of the text, whatever the format; it means the same in a draft and in a file.

use crate::edit::Edit;
use crate::{Fields, GateAt, GateRequirement, StepId};
use serde::{Deserialize, Serialize};

/// One gesture. In a list each one is made on what those before it have left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(untagged)]
#[ts(export_to = "model.gen.ts")]
pub enum Gesture {
    /// A value is set, removed, moved or renamed. Of a whole step `remove` takes it out with what leads to it led on, and `move` gives
    /// it another position among all the steps of its level, in the order of the file and in every format alike; `set` of a step's id
    /// is followed by everything that names it.
    Value(Edit),
    /// The flow is changed: steps, and what leads from one to another.
    Flow(FlowEdit),
}

/// A change of steps and of what leads from one to another. Steps are named by their ids.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[ts(export_to = "model.gen.ts")]
pub enum FlowEdit {
    /// Adds a step.
    Add {
        /// What it is.
        step: NewStep,
        /// Where it goes.
        at: Spot,
    },
    /// Puts a copy of a step behind it, in line: what followed the step follows the copy. A copy of a stage waits for what the stage waits
    /// for, and what waits for the stage waits for both.
    Duplicate {
        /// Which step.
        step: StepId,
        /// The id of the copy; absent: one is made.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        id: Option<StepId>,
    },
    /// Puts a step onto another level: as the last one into the step before it, or out of the step around it and behind that one. What
    /// leads to it leads there.
    Level {
        /// Which step.
        step: StepId,
        /// Into the step before it; otherwise out of the one around it.
        deeper: bool,
    },
    /// Leads one step to another.
    Connect {
        /// Where the edge leaves.
        from: StepId,
        /// Where it leads.
        to: StepId,
        /// As what; absent: as what an edge of this direction means in the format.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        way: Option<Way>,
    },
    /// Takes an edge away.
    Disconnect {
        /// Where it leaves.
        from: StepId,
        /// Where it leads.
        to: StepId,
        /// Of several edges between the two the one with this label, as it is drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        label: Option<String>,
    },
    /// Says what follows a step, in place of what followed it.
    Route {
        /// Which step.
        step: StepId,
        /// What follows.
        to: Route,
    },
    /// Puts a gate in, changes it, or takes it out.
    Gate {
        /// At which step.
        step: StepId,
        /// What is asked; absent: nobody is asked any more.
        #[serde(default)]
        #[ts(optional)]
        gate: Option<NewGate>,
    },
}

/// A step that is to be added.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ts_rs::TS)]
#[serde(default)]
#[ts(export_to = "model.gen.ts")]
pub struct NewStep {
    /// Which kind of those that the palette offers; empty: the first one.
    #[ts(optional, as = "Option<_>")]
    pub kind: String,
    /// Its id; absent: made of its name, or the next number where steps are numbered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub id: Option<StepId>,
    /// What a person reads; absent: what the kind is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub name: Option<String>,
    /// More of its fields, by their names in the form.
    #[ts(optional, type = "Record<string, unknown>")]
    pub fields: Fields,
    /// The text of a step that was copied out of a file of this format: it is what is added, as it is written, with another id where its
    /// own is taken. Several that are added at one spot one after the other lead to each other as their texts say.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub text: Option<String>,
}

/// Where a step goes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "where", rename_all = "snake_case")]
#[ts(export_to = "model.gen.ts")]
pub enum Spot {
    /// Behind the last step: where the flow ended it goes on to the new one.
    End,
    /// Behind a step: what followed that one follows the new one.
    After {
        /// Which step.
        step: StepId,
    },
    /// On the way from one step to another.
    Between {
        /// Where the edge leaves.
        from: StepId,
        /// Where it leads.
        to: StepId,
        /// Of several edges between the two the one with this label, as it is drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        label: Option<String>,
    },
    /// Inside of a step, as its last substep.
    Inside {
        /// Which step.
        step: StepId,
    },
    /// By itself, with nothing that leads to it, where the format allows that.
    Alone,
}

/// What an edge that is drawn means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "as", rename_all = "snake_case")]
#[ts(export_to = "model.gen.ts")]
pub enum Way {
    /// What follows.
    Next,
    /// Back, so often at most.
    Back {
        /// The largest number of rounds; absent: the format's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        most: Option<u32>,
        /// Until what the step reports has this value; absent: the format's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        until: Option<String>,
    },
    /// Where the reported field has a value.
    Value {
        /// Which field; absent: the one that is asked already, or `status`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        field: Option<String>,
        /// Which value.
        value: String,
    },
    /// Beside other branches.
    Beside,
    /// The later one waits until the earlier one is completed.
    Waits,
    /// After a rejection at the gate.
    Rejected,
}

/// One of the things that a line can mean, where its direction alone does not say which.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ts_rs::TS)]
#[ts(export_to = "model.gen.ts")]
pub struct DrawnWay {
    /// What [`FlowEdit::Connect`] takes.
    pub way: Way,
    /// What a person reads: `If it fails`.
    pub label: String,
    /// What the value is called that a person writes into the way: `“status” is`; absent: nothing is to be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub asks: Option<String>,
    /// What is written where nobody writes another value.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub usual: Option<String>,
}

impl DrawnWay {
    /// A way of which nothing is asked.
    pub fn of(way: Way, label: impl Into<String>) -> Self {
        Self {
            way,
            label: label.into(),
            asks: None,
            usual: None,
        }
    }
}

/// What follows a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "as", rename_all = "snake_case")]
#[ts(export_to = "model.gen.ts")]
pub enum Route {
    /// Another step.
    Next {
        /// Which.
        to: StepId,
    },
    /// Nothing: the flow ends.
    End,
    /// Back, until a field has one of some values.
    Loop {
        /// Where it goes back to.
        back: StepId,
        /// The largest number of rounds.
        most: u32,
        /// Which reported field ends the loop; absent: `status`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        field: Option<String>,
        /// The values that end it.
        #[serde(default)]
        #[ts(optional, as = "Option<_>")]
        values: Vec<String>,
        /// What follows then; absent: what followed until now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        next: Option<StepId>,
    },
    /// By the value of a field.
    Branch {
        /// Which reported field; absent: `status`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        field: Option<String>,
        /// Each value with the step that it leads to, in their order.
        branches: Vec<(String, StepId)>,
        /// What follows every other value; absent: the flow ends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        next: Option<StepId>,
    },
    /// Several steps beside each other.
    Fork {
        /// The first steps of the branches.
        targets: Vec<StepId>,
        /// Where they meet; absent: where their ways meet by themselves.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        join: Option<StepId>,
    },
}

/// A gate that is to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[ts(export_to = "model.gen.ts")]
pub struct NewGate {
    /// How strongly it asks; absent: always.
    #[serde(default = "required")]
    #[ts(optional, as = "Option<_>")]
    pub requirement: GateRequirement,
    /// Before or after the work; absent: as it is, or the format's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub at: Option<GateAt>,
    /// The question; absent: as it is, or one is made of the step's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub question: Option<String>,
    /// Whom; absent: as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub asks: Option<Vec<String>>,
}

fn required() -> GateRequirement {
    GateRequirement::Required
}

impl From<Edit> for Gesture {
    fn from(edit: Edit) -> Self {
        Self::Value(edit)
    }
}

impl From<FlowEdit> for Gesture {
    fn from(edit: FlowEdit) -> Self {
        Self::Flow(edit)
    }
}

impl FlowEdit {
    /// The step that it is about: that it begins at, or stands behind.
    pub fn step(&self) -> Option<&StepId> {
        match self {
            Self::Add { at, .. } => match at {
                Spot::After { step } | Spot::Inside { step } => Some(step),
                Spot::Between { from, .. } => Some(from),
                Spot::End | Spot::Alone => None,
            },
            Self::Duplicate { step, .. }
            | Self::Level { step, .. }
            | Self::Route { step, .. }
            | Self::Gate { step, .. } => Some(step),
            Self::Connect { from, .. } | Self::Disconnect { from, .. } => Some(from),
        }
    }
}
