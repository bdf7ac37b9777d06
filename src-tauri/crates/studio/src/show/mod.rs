//! From state to what a person reads: pure builders of view structs. They do no I/O; what they need is handed in.

pub mod artifact;
pub mod faces;
pub mod gate;
pub mod log;
pub mod problems;
pub mod report;
pub mod run;
pub mod step;
pub mod timeline;
pub mod words;
pub mod workflow;
