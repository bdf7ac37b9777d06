//! Texts as they are shown: Markdown rendered, documents with nothing of them hidden, what changed between two versions, tables, and lines to be pasted into a shell.

pub(crate) mod artifact;
pub(crate) mod changes;
pub(crate) mod csv;
pub(crate) mod document;
pub(crate) mod markdown;
pub mod paste;
pub mod safe;
