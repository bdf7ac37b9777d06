//! Floor 1: programs, started and ended. Nobody else in the house starts one.
//!
//! ```text
//! run(order, talk, watch)        -> Ended         // one command from start to end, its output streamed
//! Conversation::start(order, …)  -> Conversation  // a program that one goes on talking with
//! kill_marked(mark)              -> usize         // what is left of something whose driver died
//! ```
//!
//! Between this program and each one that it starts stands a supervisor (`supervisor/`), to which the kernel hands every process that the
//! program leaves behind, in whatever session, group or environment. Whatever is left when the program ends, when the call is dropped or when
//! this program dies, be it by SIGKILL, is killed. A program that is told to end has [`GRACE`] for it. What is kept of what a program prints
//! is bounded everywhere, however much it prints.
//!
//! The mark in the environment ([`MARK`]) finds what was left where there is no supervisor: on other systems than Linux, or when somebody
//! killed it.
//!
//! Every program is confined ([`Confinement`]): what it must not change, what it must not read, what it may use up. [`Enforced`] says how much of
//! that this machine's kernel holds.
//!
//! Which program may be started, with which variables, is not decided here: that is for whoever gives the order.

#![deny(missing_docs)]

mod confinement;
mod console;
mod conversation;
mod framing;
mod group;
mod leash;
mod leftover;
mod run;
mod screen;
#[cfg(target_os = "linux")]
mod supervisor;
mod terminal;
mod text;

pub use confinement::{Confinement, Enforced, Limits};
pub use console::{Console, Onlooker, Size, Typed};
pub use conversation::{Conversation, Silence, Speaker};
pub use framing::Framing;
pub use group::Order;
pub use leftover::{MARK, kill_marked, part_of};
pub use run::{Ended, Nobody, Talk, Watch, run};

use std::time::Duration;

/// How long a group that was told to end may take before it is killed.
pub const GRACE: Duration = Duration::from_secs(3);

/// What is kept of one command's output unless the order says less; beyond it the rest is counted and dropped, and the output says so.
pub const KEPT: usize = 64 * 1024 * 1024;

/// How long output is still read after the command itself has ended: whoever holds the pipe open after that has left
/// the process group and is not waited for.
const DRAIN: Duration = Duration::from_millis(500);

impl Enforced {
    /// What holds on this machine; found out once.
    pub fn here() -> Self {
        #[cfg(target_os = "linux")]
        return supervisor::enforced();
        #[cfg(not(target_os = "linux"))]
        Self::default()
    }
}
