//! Pipelines (seed 004).
//!
//! * `query`: the list of them, and where one stands; `present`: in words. `draft`: what they are made of, and creating them.
//! * `start`: what holds before one is run, ending and resuming. `errors`: what goes wrong on the way.

pub(crate) mod draft;
mod errors;
pub(crate) mod present;
pub(crate) mod query;
pub(crate) mod start;
pub mod view;
