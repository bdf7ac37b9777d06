//! Texts as they are shown: Markdown rendered, documents (also those of Word) with nothing of them hidden, what changed between two versions (`compared` remembers it), what a page draws itself, tables, and lines to be pasted into a shell.

pub(crate) mod artifact;
pub(crate) mod changes;
pub(crate) mod compared;
pub(crate) mod csv;
pub(crate) mod document;
pub(crate) mod markdown;
pub(crate) mod media;
pub mod paste;
pub mod safe;
pub(crate) mod word;
