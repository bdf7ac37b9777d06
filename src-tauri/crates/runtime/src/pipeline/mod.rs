//! Pipelines as files of a project (seed 004): where their stages put what they make, and their state in their file.
//!
//! * [`Folder`]: where they lie. [`template`]: what they are made of; [`create`]: making one. [`list`]: those there are;
//!   [`active`]: the one that was started last; [`run`]: the run of a file.
//!   [`estimate`]: how long they take.

pub mod active;
pub mod create;
mod error;
pub mod estimate;
mod folder;
pub mod list;
pub mod outputs;
pub mod run;
pub mod state_file;
pub mod template;

pub use error::Error;
pub use folder::Folder;
