//! An edge of the graph: how one step leads to another.

use serde::{Deserialize, Serialize};

/// What an edge of the graph means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "model.gen.ts")]
pub enum FlowKind {
    /// Goes on.
    Next,
    /// Goes back, bounded by `max_iterations`.
    Loop,
    /// Taken for one value.
    Branch,
    /// Taken after a rejection.
    Reject,
    /// Must be completed first (from the dependency to the dependent).
    DependsOn,
    /// Leads aside, or back from there.
    Detour,
}

/// An edge: how one step leads to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Flow {
    /// What it means.
    pub kind: FlowKind,
    /// The branch value or condition, for people; `max` of a loop is in `max_iterations`.
    pub label: Option<String>,
    /// Bound of a loop edge.
    pub max_iterations: Option<u32>,
}

impl Flow {
    /// What stands on its line where it is drawn; of a loop that says nothing else, how often it may turn.
    pub fn drawn_label(&self) -> Option<String> {
        let bound = || self.max_iterations.map(|max| format!("↻ {max}"));
        self.label.clone().or_else(bound)
    }
}
