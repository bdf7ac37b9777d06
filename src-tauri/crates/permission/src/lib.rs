//! Floor 1: permissions as data (seed 002, issue "Rundown runbooks").
//!
//! ```text
//! uses(language, script)          -> Uses       // what a script runs, reads, writes and uses, without running it
//! Permissions::of(workflow path)  -> Policy     // the rules of gatehouse.yaml for one workflow
//! Policy::judge(uses, granted)    -> Verdict    // allowed, to be asked, denied and by what
//! Policy::passes_env(name)        -> bool       // what a process inherits
//! Policy::denied_programs()       -> DeniedPrograms // which files a kernel can refuse by the rules
//! ```
//!
//! No files, no processes, no clock (`clippy.toml` bans them): what is compared is text, and where links lead is asked of whoever made the
//! policy ([`Spelling`]). While those stay as they are, the same script gets the same verdict before the start and during the run. A static reading cannot follow a program into what it does itself; what it cannot know it says
//! (`Need::unclear`), and the environment that processes inherit is scrubbed whatever a script says.
//!
//! * [`need`]: commands, files and variables as values; [`policy`]: modes and rules; [`reading`]: both from configuration;
//!   [`judge`]: the verdict.
//! * `spelling`: one form for every spelling of a path.
//! * [`shell`]: what a script of bash or sh needs.

#![deny(missing_docs)]

mod builtin;
mod command;
mod files;
pub mod judge;
pub mod need;
mod pattern;
mod place;
pub mod policy;
mod programs;
pub mod reading;
pub mod shell;
mod spelling;
mod text;

pub use builtin::secret_folders;
pub use files::{DeniedFiles, NamedPlace};
pub use judge::{Denied, Verdict};
pub use need::{Grant, Kind, Need, Uses};
pub use policy::{Mode, Network, Override, Permissions, Policy, Rules};
pub use programs::DeniedPrograms;
pub use reading::Unusable;
pub use shell::uses;
pub use spelling::{Lookup, Spelling};
