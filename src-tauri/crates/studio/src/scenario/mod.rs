//! Scenarios: scripts beside a workflow.
//!
//! * [`trial`]: as tests, tried in memory. `table`: as tables that can be filled in; `following`: whose steps get other ids.

pub(crate) mod following;
pub(crate) mod table;
pub mod trial;
pub mod view;
