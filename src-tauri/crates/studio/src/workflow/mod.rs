//! Workflow files: finding, opening, checking and changing them.
//!
//! * `library`: finding them; `documents`: open files, edits, undo; [`authoring`]: previews, forms, new files.
//! * [`check`]: without opening a project; [`explain`]: the pages of diagnostic codes; `problems`: diagnostics with their place;
//!   `labels`: fields as the forms call them.
//! * `present`: a workflow's steps in words; `drawing`: its picture; `prose`: its text, rendered; `tools`, `programs`: what its steps may start;
//!   `gates_before`: which gates stand before a step.

pub(crate) mod authoring;
pub mod check;
pub(crate) mod documents;
pub(crate) mod drawing;
pub mod explain;
pub(crate) mod gates_before;
pub(crate) mod labels;
pub(crate) mod library;
pub(crate) mod library_view;
pub(crate) mod present;
pub(crate) mod problems;
pub(crate) mod programs;
pub(crate) mod prose;
pub(crate) mod read;
pub(crate) mod scanned;
pub(crate) mod tools;
pub mod view;
