//! Pipelines as files of a project (seed 004): where their stages put what they make, and their state in their file.

pub mod outputs;
pub mod state_file;
