//! Bundles: a run handed over as one file, with all that somebody else needs to look at it, to replay it and to check it.
//!
//! * `query`: making, checking and unpacking one; `archive`: the file itself, a ZIP archive; `layout`: whether it is that and nothing else.
//!
//! Unpacked, a bundle is a project of its own whose history holds these runs alone ([`store::Excerpt`]) and in which nothing new is recorded.

mod archive;
mod layout;
pub(crate) mod query;
pub mod view;
