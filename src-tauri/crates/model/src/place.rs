//! A symbolic place in a workflow. A dialect knows which bytes it stands for.

use serde::{Deserialize, Serialize};

/// Where something stands: a step and a path of field names (list indices as decimal text), or the document.
///
/// `Place::step(3).field("routing").field("next")` is the `next` of the fourth step's routing.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, ts_rs::TS)]
#[ts(export_to = "model.gen.ts")]
pub struct Place {
    /// The step's position in document order, 0-based; absent: the document itself.
    pub step: Option<usize>,
    /// Names of fields, outermost first; empty: the whole step or document.
    pub path: Vec<String>,
}

impl Place {
    /// The whole document.
    pub fn document() -> Self {
        Self::default()
    }
    /// The step at this position in document order.
    pub fn step(ordinal: usize) -> Self {
        Self {
            step: Some(ordinal),
            path: Vec::new(),
        }
    }
    /// One field further in.
    #[must_use]
    pub fn field(mut self, name: impl Into<String>) -> Self {
        self.path.push(name.into());
        self
    }
    /// Several fields further in.
    #[must_use]
    pub fn path(mut self, path: impl IntoIterator<Item = String>) -> Self {
        self.path.extend(path);
        self
    }
}
