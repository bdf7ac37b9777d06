//! A `gatehouse` that goes on in the background, with what it prints as it comes.

use crate::program::{self, Said};
use crate::project::Project;
use anyhow::Context as _;
use std::io::{BufRead, BufReader, Read as _};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long anything may take before the test gives up.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program that does not outlive its value.
#[derive(Debug)]
pub struct Driven {
    child: Child,
    said: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

impl Driven {
    /// Starts `gatehouse …` in a project.
    ///
    /// # Errors
    /// The program is not built, or cannot be started.
    pub fn start(project: &Project, arguments: &[&str]) -> anyhow::Result<Self> {
        let mut command = program::command(&project.root, arguments)?;
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let out = child.stdout.take().context("its output is a pipe")?;
        let said = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&said);
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(out).split(b'\n').map_while(Result::ok) {
                let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
                heard.push_str(&String::from_utf8_lossy(&line));
                heard.push('\n');
            }
        });
        Ok(Self {
            child,
            said,
            reader: Some(reader),
        })
    }

    /// What it has printed so far.
    pub fn said(&self) -> String {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether it still goes on.
    pub fn goes_on(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends it as `kill -9` does, and leaves what it started alone.
    pub fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// It does not end.
    pub fn end(mut self) -> anyhow::Result<Said> {
        let begun = Instant::now();
        let code = loop {
            if let Some(status) = self.child.try_wait()? {
                break status.code();
            }
            anyhow::ensure!(begun.elapsed() < PATIENCE, "it does not end; it said:\n{}", self.said());
            std::thread::sleep(Duration::from_millis(20));
        };
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
        let mut err = String::new();
        if let Some(mut from) = self.child.stderr.take() {
            from.read_to_string(&mut err)?;
        }
        Ok(Said {
            code,
            out: self.said(),
            err,
        })
    }
}

impl Drop for Driven {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Looks again and again until there is something to see.
///
/// # Errors
/// Nothing was to be seen for a minute; the message names what was looked for.
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> anyhow::Result<T> {
    let begun = Instant::now();
    loop {
        if let Some(seen) = look() {
            return Ok(seen);
        }
        anyhow::ensure!(begun.elapsed() < PATIENCE, "it did not come to this: {what}");
        std::thread::sleep(Duration::from_millis(25));
    }
}
