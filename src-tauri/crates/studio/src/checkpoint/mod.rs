//! Checkpoints: moments of a run that one can go back to.

pub(crate) mod query;
pub mod view;
