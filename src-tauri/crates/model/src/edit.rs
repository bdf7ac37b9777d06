//! A change a person wants, in terms of the model. A dialect turns it into the smallest text edits.

use crate::Place;
use serde::{Deserialize, Serialize};

/// One change to a workflow's source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[ts(export_to = "model.gen.ts")]
pub enum Edit {
    /// Sets a field to a value; inserts it where it is absent.
    Set {
        /// Which field.
        place: Place,
        /// The new value.
        #[ts(type = "unknown")]
        value: serde_json::Value,
    },
    /// Removes a field with the lines it stands on.
    Remove {
        /// Which field.
        place: Place,
    },
    /// Moves an item of a list, most often a whole step, to another position among its siblings.
    Move {
        /// Which item.
        place: Place,
        /// Its position afterwards, 0-based, among all its siblings in the order of the file: of a step among those of its level,
        /// whether the format numbers them or not.
        to: usize,
    },
    /// Gives a field another name; its value stays as it is.
    Rename {
        /// Which field.
        place: Place,
        /// Its name afterwards.
        to: String,
    },
}

impl Edit {
    /// What is changed.
    pub fn place(&self) -> &Place {
        match self {
            Self::Set { place, .. }
            | Self::Remove { place }
            | Self::Move { place, .. }
            | Self::Rename { place, .. } => place,
        }
    }
}
