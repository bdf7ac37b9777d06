//! Texts as they are shown: Markdown rendered, what changed between two versions, and lines to be pasted into a shell.

pub(crate) mod artifact;
pub(crate) mod changes;
pub(crate) mod markdown;
pub mod paste;
pub mod safe;
