//! Sessions (seed 003).
//!
//! * [`query`]: opening one, taking it in as a run, and going on from it; `present`: what one says.

pub(crate) mod present;
pub mod query;
pub mod view;
