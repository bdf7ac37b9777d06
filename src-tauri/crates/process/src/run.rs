//! Running a command: its own process group, streamed output, and an end for everything it started.

use crate::console::Console;
use crate::group::{Group, Order};
use crate::screen::Screen;
use crate::terminal::Shown;
use crate::text::{Decoder, LastLine, beginning};
use crate::{DRAIN, GRACE, KEPT, kill_marked};
use nix::sys::signal::Signal;
use std::future::Future;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::pin::Pin;
use std::process::ExitStatus;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, ReadBuf};
use tokio::process::ChildStdout;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

/// How often printed text becomes an event.
const BATCH: Duration = Duration::from_millis(100);
/// Who follows a command while it runs.
pub trait Watch: Sync {
    /// A piece of what it prints for people; `stream` is `stdout` or `stderr`. Must not wait.
    fn print(&self, stream: &'static str, text: &str);

    /// Resolves when the command is to be ended; may be dropped and called again.
    fn stopped(&self) -> impl Future<Output = ()> + Send;
}

/// Nobody follows, and nothing ends the command but itself (or that the call is dropped).
#[derive(Debug, Clone, Copy)]
pub struct Nobody;

impl Watch for Nobody {
    fn print(&self, _stream: &'static str, _text: &str) {}

    fn stopped(&self) -> impl Future<Output = ()> + Send {
        std::future::pending()
    }
}

/// What a command is told, and what its answer is.
#[derive(Debug)]
pub struct Talk {
    /// What it reads on standard input.
    pub input: Vec<u8>,
    /// Whether standard output is for people (streamed and part of the output) or an answer (kept apart).
    pub speaks: bool,
    /// How many bytes of its output and, beside that, of its answer are kept ([`KEPT`]).
    pub kept: usize,
    /// Whether it gets a terminal in place of pipes: 80 columns, 24 lines. What it prints on either stream is then one, `stdout`, and is kept as
    /// the text that such a terminal would show. `input` is typed; after it, every read finds the end of the input.
    pub terminal: bool,
    /// Of a program with a terminal: the person's own, to which it is passed through. `input` is typed first then, and the input ends where
    /// nobody types any more.
    pub console: Option<Console>,
}

impl Default for Talk {
    /// It is told nothing and speaks.
    fn default() -> Self {
        Self {
            input: Vec::new(),
            speaks: true,
            kept: KEPT,
            terminal: false,
            console: None,
        }
    }
}

/// How it ended.
#[derive(Debug)]
pub struct Ended {
    /// Exit code or signal.
    pub status: ExitStatus,
    /// What it printed for people, both streams in the order of arrival.
    pub output: String,
    /// Standard output when it is an answer.
    pub answer: Vec<u8>,
    /// How many more bytes of the answer came and were not kept.
    pub cut: u64,
    /// Whether it was told to end ([`Watch::stopped`]).
    pub stopped: bool,
    /// The last line on standard error that is not blank.
    pub last_complaint: Option<String>,
}

impl Ended {
    /// Why the command did not end well, with the last line of its complaint; absent when it did.
    pub fn complaint(&self) -> Option<String> {
        let how = unwell(self.status)?;
        Some(match &self.last_complaint {
            Some(line) => format!("{how}: {line}"),
            None => how,
        })
    }
}

/// How a command ended that did not end well.
pub(crate) fn unwell(status: ExitStatus) -> Option<String> {
    if status.success() {
        return None;
    }
    Some(match (status.code(), status.signal()) {
        (Some(code), _) => format!("command ended with exit code {code}"),
        (None, Some(signal)) => {
            let name = Signal::try_from(signal).map_or("unknown", |s| s.as_str());
            format!("command was ended by signal {signal} ({name})")
        }
        (None, None) => "command did not end well".to_owned(),
    })
}

/// Runs a command to its end. When this returns no process that it started is left; when it is dropped they are being killed.
///
/// # Errors
/// The command could not be started.
pub async fn run<W: Watch>(order: Order<'_>, talk: Talk, watch: &W) -> io::Result<Ended> {
    let mark = order.mark.clone();
    // What is not read by then is no longer written when this is dropped.
    let mut feeding = JoinSet::new();
    let mut console = None;
    let (mut group, stdout) = match talk.terminal {
        true => {
            let (group, terminal) = Group::in_terminal(order)?;
            let (keys, shown) = terminal.split()?;
            match talk.console {
                Some(lent) => {
                    keys.resize(lent.size);
                    feeding.spawn(keys.pass_on(talk.input, lent.typed));
                    console = Some((lent.shown, lent.lent));
                }
                None => {
                    feeding.spawn(keys.type_and_end(talk.input));
                }
            }
            (group, Some(Out::Terminal(shown)))
        }
        false => {
            let mut group = Group::start(order)?;
            if let Some(mut stdin) = group.stdin() {
                let input = talk.input;
                feeding.spawn(async move {
                    // A command that reads none of it, or ends early, is not at fault.
                    let _ = stdin.write_all(&input).await;
                });
            }
            let stdout = group.stdout().map(Out::Pipe);
            (group, stdout)
        }
    };
    let mut screen = talk.terminal.then(Screen::default);
    let mut stdout = Tap::new(stdout);
    let mut stderr = Tap::new(group.stderr());
    let mut log = Log::new(talk.kept);
    let mut answer = Answer::new(talk.kept);
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
                if let Some(screen) = &mut screen {
                    if let Some((shown, _)) = &mut console {
                        shown(&stdout.buffer[..count]);
                    }
                    screen.print(&stdout.text(count));
                    let lines = screen.lines();
                    // Both streams are one: what was said last is the complaint.
                    last_line.add(&lines);
                    log.add("stdout", &lines);
                } else if talk.speaks {
                    log.add("stdout", &stdout.text(count));
                } else {
                    answer.add(&stdout.buffer[..count]);
                }
            }
            count = stderr.fill(), if stderr.open() => {
                let text = stderr.text(count);
                last_line.add(&text);
                log.add("stderr", &text);
            }
            _ = batches.tick(), if log.waiting() || screen.as_ref().is_some_and(Screen::waiting) => {
                if let Some(screen) = &mut screen {
                    // A question is shown before somebody has answered it and so ended its line.
                    let begun = screen.unfinished();
                    last_line.add(&begun);
                    log.add("stdout", &begun);
                }
                log.flush(watch);
            }
            _ = watch.stopped(), if !stopped && status.is_none() => {
                stopped = true;
                group.terminate();
                deadline = Some(Instant::now() + GRACE);
            }
            ended = group.wait(), if status.is_none() => {
                status = Some(ended?);
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
    feeding.abort_all();
    if stopped {
        // Where no supervisor finds those that left the group (a daemon, a new session), the mark does.
        kill_marked(mark).await;
    }
    let rest = stdout.decoder.finish();
    match &mut screen {
        Some(screen) => {
            screen.print(&rest);
            let rest = screen.lines() + &screen.unfinished();
            last_line.add(&rest);
            log.add("stdout", &rest);
        }
        None => log.add("stdout", &rest),
    }
    let rest = stderr.decoder.finish();
    last_line.add(&rest);
    log.add("stderr", &rest);
    log.flush(watch);
    let status = status.expect("the loop ends only after the command has");
    Ok(Ended {
        status,
        output: log.whole(),
        answer: answer.bytes,
        cut: answer.dropped,
        stopped,
        last_complaint: last_line.get(),
    })
}

async fn pause(deadline: Option<Instant>) {
    if let Some(deadline) = deadline {
        sleep_until(deadline).await;
    }
}

/// Where what is printed for people, or answered, comes from.
enum Out {
    Pipe(ChildStdout),
    Terminal(Shown),
}

impl AsyncRead for Out {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Pipe(stdout) => Pin::new(stdout).poll_read(context, into),
            Self::Terminal(shown) => Pin::new(shown).poll_read(context, into),
        }
    }
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

/// What was answered.
struct Answer {
    kept: usize,
    bytes: Vec<u8>,
    dropped: u64,
}

impl Answer {
    fn new(kept: usize) -> Self {
        Self {
            kept,
            bytes: Vec::new(),
            dropped: 0,
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        let room = self.kept.saturating_sub(self.bytes.len()).min(bytes.len());
        self.bytes.extend_from_slice(&bytes[..room]);
        self.dropped += (bytes.len() - room) as u64;
    }
}

/// What was printed for people.
struct Log {
    /// How much of it is kept, in bytes.
    kept: usize,
    pending: Vec<(&'static str, String)>,
    whole: String,
    dropped: u64,
}

impl Log {
    fn new(kept: usize) -> Self {
        Self {
            kept,
            pending: Vec::new(),
            whole: String::new(),
            dropped: 0,
        }
    }

    fn add(&mut self, stream: &'static str, text: &str) {
        if text.is_empty() {
            return;
        }
        let room = self.kept.saturating_sub(self.whole.len());
        let kept = beginning(text, room);
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

    fn flush(&mut self, watch: &impl Watch) {
        for (stream, text) in self.pending.drain(..) {
            watch.print(stream, &text);
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
