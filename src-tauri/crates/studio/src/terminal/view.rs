//! The terminals that steps have while they run.

use serde::Serialize;
use ts_rs::TS;

/// The terminals of a run's steps into which a person can type here.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TerminalsView {
    /// In the order in which they were opened; none where this program does not drive the run, or no step of it has one now.
    pub terminals: Vec<TerminalView>,
}

/// What one of them shows.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct TerminalView {
    /// Names it where something is typed.
    pub id: u64,
    /// The id of its step.
    pub step: String,
    /// What people call the step.
    pub name: String,
    /// Its lines, from the top; nothing of colours.
    pub lines: Vec<String>,
    /// Where the next character would stand; absent: its program hides it.
    pub cursor: Option<CursorView>,
}

/// A cursor and the line around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "studio.gen.ts")]
pub struct CursorView {
    /// Which line, from 0.
    pub line: u32,
    /// What stands before it.
    pub before: String,
    /// What stands under it; a blank where nothing does.
    pub under: String,
    /// What stands behind it.
    pub after: String,
}
