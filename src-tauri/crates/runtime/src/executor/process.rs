//! Running a command: its own process group, streamed output, and an end for everything it started.

use super::text::Decoder;
use super::{Sink, kill_marked};
use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop, ProcessGroup};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

/// How long a group that was told to end may take before it is killed.
pub(super) const GRACE: Duration = Duration::from_secs(3);
/// How often printed text becomes an event.
const BATCH: Duration = Duration::from_millis(100);
/// How long output is still read after the command itself has ended: whoever holds the pipe open after that has left
/// the process group and is not waited for.
const DRAIN: Duration = Duration::from_millis(500);
/// What is kept of one attempt's output; beyond it the rest is counted and dropped, and the output says so.
const KEPT: usize = 64 * 1024 * 1024;

/// What is to be run.
pub(super) struct Order<'a> {
    /// The program.
    pub program: &'a str,
    /// Its arguments.
    pub arguments: &'a [String],
    /// Where it runs.
    pub directory: &'a Path,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// The mark that its environment carries.
    pub mark: String,
    /// What it reads on standard input.
    pub input: Vec<u8>,
    /// Whether standard output is for people (streamed and part of the output) or an answer (kept apart).
    pub speaks: bool,
}

/// How it ended.
pub(super) struct Ended {
    /// Exit code or signal.
    pub status: ExitStatus,
    /// What it printed for people, both streams in the order of arrival.
    pub output: String,
    /// Standard output when it is an answer.
    pub answer: Vec<u8>,
    /// The last line on standard error that is not blank.
    pub last_complaint: Option<String>,
}

/// The group; whatever of it is left is killed when this goes out of scope.
struct Group {
    child: Box<dyn ChildWrapper>,
    /// Its leader has ended and the rest was killed: its number may belong to others by now.
    over: bool,
}

impl Group {
    fn kill(&mut self) {
        if !self.over {
            // That nobody is left to be killed is no fault.
            let _ = self.child.start_kill();
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Runs a command to its end. When this returns (or is dropped) no process of its group is left.
///
/// # Errors
/// The command could not be started.
pub(super) async fn run(order: Order<'_>, sink: &Sink) -> io::Result<Ended> {
    let mut command = Command::new(order.program);
    command
        .args(order.arguments)
        .current_dir(order.directory)
        .env_clear()
        .envs(order.environment)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut wrap = CommandWrap::from(command);
    wrap.wrap(ProcessGroup::leader()).wrap(KillOnDrop);
    let mut group = Group {
        child: wrap.spawn()?,
        over: false,
    };

    let feeder = group.child.stdin().take().map(|mut stdin| {
        let input = order.input;
        tokio::spawn(async move {
            // A command that reads none of it, or ends early, is not at fault.
            let _ = stdin.write_all(&input).await;
        })
    });
    let mut stdout = Tap::new(group.child.stdout().take());
    let mut stderr = Tap::new(group.child.stderr().take());
    let mut log = Log::default();
    let mut answer = Vec::new();
    let mut last_line = LastLine::default();

    let mut status = None;
    let mut stopped = false;
    // Signals SIGTERM → SIGKILL while stopping; the end of reading once the command has ended.
    let mut deadline = None;
    let mut batches = interval(BATCH);
    batches.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while status.is_none() || stdout.open() || stderr.open() {
        tokio::select! {
            count = stdout.fill(), if stdout.open() => {
                if order.speaks {
                    log.add("stdout", &stdout.text(count));
                } else {
                    keep(&mut answer, &stdout.buffer[..count]);
                }
            }
            count = stderr.fill(), if stderr.open() => {
                let text = stderr.text(count);
                last_line.add(&text);
                log.add("stderr", &text);
            }
            _ = batches.tick(), if log.waiting() => log.flush(sink),
            _ = sink.stopped(), if !stopped && status.is_none() => {
                stopped = true;
                terminate(&*group.child);
                deadline = Some(Instant::now() + GRACE);
            }
            ended = group.child.wait(), if status.is_none() => {
                status = Some(ended?);
                // What the command left running in its group ends with it.
                group.kill();
                group.over = true;
                deadline = Some(Instant::now() + DRAIN);
            }
            () = pause(deadline), if deadline.is_some() => {
                if status.is_some() {
                    break;
                }
                group.kill();
                deadline = None;
            }
        }
    }
    if let Some(feeder) = feeder {
        feeder.abort();
    }
    if stopped {
        // Those that left the group (a daemon, a new session) are ended too when the attempt is called off.
        kill_marked(order.mark).await;
    }
    log.add("stdout", &stdout.decoder.finish());
    let rest = stderr.decoder.finish();
    last_line.add(&rest);
    log.add("stderr", &rest);
    log.flush(sink);
    let status = status.expect("the loop ends only after the command has");
    Ok(Ended {
        status,
        output: log.whole(),
        answer,
        last_complaint: last_line.get(),
    })
}

async fn pause(deadline: Option<Instant>) {
    if let Some(deadline) = deadline {
        sleep_until(deadline).await;
    }
}

fn terminate(group: &dyn ChildWrapper) {
    let _ = group.signal(nix::sys::signal::Signal::SIGTERM as i32);
}

fn keep(whole: &mut Vec<u8>, bytes: &[u8]) {
    let room = KEPT.saturating_sub(whole.len());
    whole.extend_from_slice(&bytes[..bytes.len().min(room)]);
}

/// One stream of the command.
struct Tap<R> {
    stream: Option<R>,
    buffer: Vec<u8>,
    decoder: Decoder,
}

impl<R: AsyncRead + Unpin> Tap<R> {
    fn new(stream: Option<R>) -> Self {
        Self {
            stream,
            buffer: vec![0; 64 * 1024],
            decoder: Decoder::default(),
        }
    }

    fn open(&self) -> bool {
        self.stream.is_some()
    }

    /// The number of bytes that arrived, in `buffer`; 0 closes the stream. Cancel-safe.
    async fn fill(&mut self) -> usize {
        let Some(stream) = &mut self.stream else {
            return std::future::pending().await;
        };
        // A stream that cannot be read any more has ended.
        let count = stream.read(&mut self.buffer).await.unwrap_or(0);
        if count == 0 {
            self.stream = None;
        }
        count
    }

    fn text(&mut self, count: usize) -> String {
        self.decoder.push(&self.buffer[..count])
    }
}

/// What was printed for people.
#[derive(Default)]
struct Log {
    pending: Vec<(&'static str, String)>,
    whole: String,
    dropped: u64,
}

impl Log {
    fn add(&mut self, stream: &'static str, text: &str) {
        if text.is_empty() {
            return;
        }
        let room = KEPT.saturating_sub(self.whole.len());
        let kept = crate::brief::beginning(text, room);
        self.whole.push_str(kept);
        self.dropped += (text.len() - kept.len()) as u64;
        match self.pending.last_mut() {
            Some((last, waiting)) if *last == stream => waiting.push_str(text),
            _ => self.pending.push((stream, text.to_owned())),
        }
    }

    fn waiting(&self) -> bool {
        !self.pending.is_empty()
    }

    fn flush(&mut self, sink: &Sink) {
        for (stream, text) in self.pending.drain(..) {
            sink.print(stream, &text);
        }
    }

    fn whole(mut self) -> String {
        if self.dropped > 0 {
            self.whole
                .push_str(&format!("\n[{} more bytes were not kept]\n", self.dropped));
        }
        self.whole
    }
}

/// The last line that is not blank, at most 500 bytes of it.
#[derive(Default)]
struct LastLine {
    current: String,
    last: String,
}

impl LastLine {
    fn add(&mut self, text: &str) {
        let mut lines = text.split('\n').peekable();
        while let Some(line) = lines.next() {
            let room = 500usize.saturating_sub(self.current.len());
            self.current.push_str(crate::brief::beginning(line, room));
            if lines.peek().is_some() {
                self.end();
            }
        }
    }

    fn end(&mut self) {
        let line = std::mem::take(&mut self.current);
        if !line.trim().is_empty() {
            self.last = line.trim().to_owned();
        }
    }

    fn get(mut self) -> Option<String> {
        self.end();
        Some(self.last).filter(|line| !line.is_empty())
    }
}
