//! For crash tests alone: the process kills itself at a given event, the way a power cut would.
//!
//! `GATEHOUSE_KILL_BEFORE_EVENT=<seq>`: right before the commit that contains this event. `GATEHOUSE_KILL_AFTER_EVENT`:
//! right after it is durable and before anything follows from it.

use std::sync::OnceLock;

/// When this process kills itself.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Hook {
    before: Option<u64>,
    after: Option<u64>,
}

impl Hook {
    pub fn from_environment() -> Self {
        static HOOK: OnceLock<Hook> = OnceLock::new();
        let read = |name: &str| std::env::var(name).ok()?.parse().ok();
        *HOOK.get_or_init(|| Self {
            before: read("GATEHOUSE_KILL_BEFORE_EVENT"),
            after: read("GATEHOUSE_KILL_AFTER_EVENT"),
        })
    }

    /// A commit of the events `first..=last` is about to be made.
    pub fn before(self, first: u64, last: u64) {
        kill_when(self.before, first, last);
    }

    /// It is durable.
    pub fn after(self, first: u64, last: u64) {
        kill_when(self.after, first, last);
    }
}

fn kill_when(seq: Option<u64>, first: u64, last: u64) {
    if seq.is_some_and(|seq| (first..=last).contains(&seq)) {
        use nix::sys::signal::{Signal, kill};
        // SIGKILL to oneself does not return.
        let _ = kill(nix::unistd::Pid::this(), Signal::SIGKILL);
    }
}
