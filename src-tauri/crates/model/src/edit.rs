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
}
