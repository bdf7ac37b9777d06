//! What holds a program and all that it starts.

use crate::Confinement;
use std::io;
use std::path::Path;
use tokio::process::{Child, Command};

/// Held by whoever started a program. When it is let go, by will or because its holder died, the program ends with all that it started.
#[cfg(target_os = "linux")]
#[derive(Debug)]
pub(crate) struct Leash(Option<io::PipeWriter>);

#[cfg(target_os = "linux")]
impl Leash {
    /// Starts a program below a supervisor of its own (see [`crate::supervisor`]), confined. `directory`: where it runs; `mark`: what
    /// [`kill_marked`](crate::kill_marked) finds it by; `terminal`: its standard input is a terminal, which becomes its own.
    pub fn spawn(
        mut command: Command,
        confinement: &Confinement,
        directory: &Path,
        mark: &str,
        terminal: bool,
    ) -> io::Result<(Child, Self)> {
        let (control, holder) = io::pipe()?;
        let cage = crate::supervisor::Cage::new(confinement, directory, mark);
        crate::supervisor::below(&mut command, &control, cage, terminal);
        Ok((command.spawn()?, Self(Some(holder))))
    }

    /// Asks the program and its group to end.
    pub fn terminate(&self) {
        use std::io::Write;
        if let Some(mut holder) = self.0.as_ref() {
            // That nobody is left to be told is no fault.
            let _ = holder.write_all(&[crate::supervisor::TERMINATE]);
        }
    }

    /// Kills the program and all that it started.
    pub fn kill(&mut self) {
        self.0 = None;
    }
}

/// Elsewhere a process group is what can be ended as a whole; who leaves it is not found.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub(crate) struct Leash(Option<nix::unistd::Pid>);

#[cfg(not(target_os = "linux"))]
impl Leash {
    /// Starts a program as the leader of a group. Nothing is enforced ([`crate::Enforced`]).
    pub fn spawn(mut command: Command, _: &Confinement, _: &Path, _: &str, _: bool) -> io::Result<(Child, Self)> {
        let child = command.process_group(0).kill_on_drop(true).spawn()?;
        let leader = child.id().and_then(|id| i32::try_from(id).ok());
        Ok((child, Self(leader.map(nix::unistd::Pid::from_raw))))
    }

    /// Asks the group to end.
    pub fn terminate(&self) {
        self.signal(nix::sys::signal::Signal::SIGTERM);
    }

    /// Kills the group. Its number may belong to others later, so this is done once.
    pub fn kill(&mut self) {
        self.signal(nix::sys::signal::Signal::SIGKILL);
        self.0 = None;
    }

    fn signal(&self, signal: nix::sys::signal::Signal) {
        if let Some(leader) = self.0 {
            // That nobody is left to be told is no fault.
            let _ = nix::sys::signal::killpg(leader, signal);
        }
    }
}
