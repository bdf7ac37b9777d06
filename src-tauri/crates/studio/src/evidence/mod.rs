//! Evidence: what supports what was made, how far it carries and for how long.
//!
//! * `query`: looking the project's evidence over, and promoting it; `known`: what each run recorded, read once.
//! * [`decay`]: for how long it carries. `present`: in words; `table`: as a table to be saved.

pub mod decay;
pub(crate) mod known;
pub(crate) mod present;
pub(crate) mod query;
mod table;
pub mod view;
