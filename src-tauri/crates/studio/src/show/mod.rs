//! From state to what a person reads: pure builders of view structs. They do no I/O; what they need is handed in.

pub mod artifact;
pub mod asking;
pub mod beside;
pub mod changes;
pub mod consequences;
pub mod decisions;
pub mod dependencies;
pub mod detours;
pub mod evidence;
pub mod faces;
pub mod flows;
pub mod forks;
pub mod gate;
pub mod instances;
pub mod lifecycle;
pub mod log;
pub mod paste;
pub mod people;
pub mod pipeline;
pub mod policy;
pub mod problems;
pub mod programs;
pub mod prose;
pub mod reasons;
pub mod report;
pub mod rounds;
pub mod run;
#[cfg(test)]
mod sample;
pub mod session;
pub mod standards;
pub mod step;
pub mod timeline;
pub mod tools;
pub mod transitions;
pub mod words;
pub mod workflow;
