//! A program and everything it starts, as one thing.

use crate::MARK;
use nix::sys::signal::Signal;
use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop, ProcessGroup};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

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
}

/// The group; whatever of it is left is killed when this goes out of scope.
#[derive(Debug)]
pub(crate) struct Group {
    child: Box<dyn ChildWrapper>,
    /// Its leader has ended and the rest was killed: its number may belong to others by now.
    over: bool,
}

impl Group {
    /// Starts the program with a pipe for each of its three streams.
    pub fn start(order: Order<'_>) -> io::Result<Self> {
        let mut command = Command::new(order.program);
        command
            .args(order.arguments)
            .current_dir(order.directory)
            .env_clear()
            .envs(order.environment)
            .env(MARK, order.mark)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut wrap = CommandWrap::from(command);
        wrap.wrap(ProcessGroup::leader()).wrap(KillOnDrop);
        Ok(Self {
            child: wrap.spawn()?,
            over: false,
        })
    }

    pub fn stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin().take()
    }

    pub fn stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout().take()
    }

    pub fn stderr(&mut self) -> Option<ChildStderr> {
        self.child.stderr().take()
    }

    /// Asks the group to end.
    pub fn terminate(&self) {
        if !self.over {
            // That nobody is left to be told is no fault.
            let _ = self.child.signal(Signal::SIGTERM as i32);
        }
    }

    /// Kills whatever is left of the group.
    pub fn kill(&mut self) {
        if !self.over {
            let _ = self.child.start_kill();
        }
    }

    /// Waits for the program; what it left running in its group ends with it. May be dropped and called again.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await?;
        self.kill();
        self.over = true;
        Ok(status)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
