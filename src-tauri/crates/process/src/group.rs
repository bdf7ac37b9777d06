//! A program and everything it starts, as one thing.

use crate::leash::Leash;
use crate::terminal::Terminal;
use crate::{Confinement, MARK, kill_marked};
use nix::sys::signal::Signal;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

/// Which program is to be started, and how.
#[derive(Debug, Clone)]
pub struct Order<'a> {
    /// The program: a path, or a name that is looked for in the `PATH` of `environment`.
    pub program: &'a str,
    /// Its arguments.
    pub arguments: &'a [String],
    /// Where it runs.
    pub directory: &'a Path,
    /// Its whole environment; nothing is inherited. [`MARK`] is added.
    pub environment: Vec<(OsString, OsString)>,
    /// What marks the program and all that it starts ([`MARK`]), so that [`kill_marked`](crate::kill_marked) finds them.
    pub mark: String,
    /// What it is kept from.
    pub confinement: Arc<Confinement>,
}

/// The program with all it started; whatever of it is left is killed when this goes out of scope.
#[derive(Debug)]
pub(crate) struct Group {
    child: Child,
    leash: Leash,
    mark: String,
}

impl Group {
    /// Starts the program with a pipe for each of its three streams.
    pub fn start(order: Order<'_>) -> io::Result<Self> {
        Self::with(order, [Stdio::piped(), Stdio::piped(), Stdio::piped()], false)
    }

    /// Starts the program in a terminal of its own; what is given is the terminal's other end.
    pub fn in_terminal(order: Order<'_>) -> io::Result<(Self, Terminal)> {
        let (terminal, streams) = Terminal::open()?;
        // The program's end is held by nobody else once it is started: it closes with the last who holds it.
        Ok((Self::with(order, streams, true)?, terminal))
    }

    fn with(order: Order<'_>, [stdin, stdout, stderr]: [Stdio; 3], terminal: bool) -> io::Result<Self> {
        let mut command = Command::new(order.program);
        command
            .args(order.arguments)
            .current_dir(order.directory)
            .env_clear()
            .envs(order.environment)
            .env(MARK, &order.mark)
            .stdin(stdin)
            .stdout(stdout)
            .stderr(stderr);
        let (child, leash) = Leash::spawn(command, &order.confinement, order.directory, &order.mark, terminal)?;
        Ok(Self {
            child,
            leash,
            mark: order.mark,
        })
    }

    pub fn stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    pub fn stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    pub fn stderr(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// Asks the program and its group to end.
    pub fn terminate(&self) {
        self.leash.terminate();
        self.wake();
    }

    /// Kills the program and whatever it started.
    pub fn kill(&mut self) {
        self.leash.kill();
        self.wake();
    }

    /// Whoever was stopped cannot hear that it is to end.
    fn wake(&self) {
        let started = self.child.id().and_then(|id| i32::try_from(id).ok());
        if let Some(started) = started {
            // That nobody is left to be woken is no fault.
            let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(started), Signal::SIGCONT);
        }
    }

    /// Waits for the program; what it left running ends with it. May be dropped and called again.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await?;
        self.kill();
        if status.signal() == Some(Signal::SIGKILL as i32) {
            // It may have been the supervisor that somebody killed: then the mark is what is left to find the others by.
            kill_marked(self.mark.clone()).await;
        }
        Ok(status)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
