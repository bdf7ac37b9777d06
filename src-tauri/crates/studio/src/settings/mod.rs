//! The person, and what they let a project do: all of it lies with them, outside of every project.
//!
//! * `query`: settings. [`check`]: what is wrong in the project's file.
//! * `context`: what holds for everything that the project does; `agents`: who does its work; `guardrails`: what its texts must not hold;
//!   `permissions`: what its steps may do; `gates`: which gates stop a run; `file`: where all of that stands; `fields`: a value of it in a form.
//! * [`identity`]: who signs. [`keys`]: whose key is whose. `trust`: what a person lets a project do; `made`: what they have made there themselves.

pub(crate) mod agents;
pub(crate) mod agents_view;
pub mod check;
pub(crate) mod context;
pub(crate) mod field_view;
mod fields;
mod file;
mod gates;
pub(crate) mod gates_view;
mod guardrails;
pub(crate) mod guardrails_view;
pub mod identity;
pub mod keys;
pub(crate) mod made;
mod people;
pub(crate) mod people_view;
mod permissions;
pub(crate) mod permissions_view;
pub(crate) mod query;
pub(crate) mod trust;
pub(crate) mod view;
