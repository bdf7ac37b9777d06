//! Plain text: spans, lines and changes. Nothing here knows any format.

mod change;
mod lines;
mod merge;

pub(crate) use change::trimmed;
pub use change::{TextEdit, apply, compose, invert};
pub use lines::{Lines, Position};
pub use merge::{Clash, MergeConflict, Side, difference, merge, merge_as};

/// A range of bytes, end excluded; both ends lie on character boundaries of the text they belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}
