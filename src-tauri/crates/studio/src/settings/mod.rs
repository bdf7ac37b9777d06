//! The person, and what they let a project do: all of it lies with them, outside of every project.
//!
//! * `query`: settings; `context`: what holds for everything that the project does; `agents`: who does its work; `file`: where both stand;
//!   [`check`]: what is wrong there.
//! * [`identity`]: who signs. [`keys`]: whose key is whose. `trust`: what a person lets a project do.

pub(crate) mod agents;
pub(crate) mod agents_view;
pub mod check;
pub(crate) mod context;
pub(crate) mod context_view;
mod file;
pub mod identity;
pub mod keys;
mod people;
pub(crate) mod people_view;
pub(crate) mod query;
pub(crate) mod trust;
pub(crate) mod view;
