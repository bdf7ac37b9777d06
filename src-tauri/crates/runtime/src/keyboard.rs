//! A person at a terminal who can type into the terminal of a step.

use std::fmt::Debug;

/// Who lends their terminal to steps that have one, one at a time.
pub trait Keyboard: Debug + Send + Sync {
    /// Lends it to a step until the console is dropped. `run`: the run that the step is of, which may be one inside of another; `step`: its
    /// id; `name`: what a person reads. `None`: another step has it, so that this
    /// one's input is at its end, as where nobody sits at a terminal.
    fn lend(&self, run: &str, step: &str, name: &str) -> Option<process::Console>;
}
