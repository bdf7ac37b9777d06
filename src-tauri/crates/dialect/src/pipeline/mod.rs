//! Agent pipelines (seed 004): stages that wait for each other, a YAML file each.
//!
//! * [`id`]: names, ids and folders, everything a path is made of.

pub mod id;
