//! Executors: who does the work of an attempt. They get a brief, may print while they work, and return what came of it;
//! they write no events and no contract files, so that all engines agree by construction.
//!
//! * [`stub`]: follows a scenario, offline. * [`shell`]: a command line, or a script in the workflow itself. *
//!   [`command`]: an agent program, JSON in and out. * `runbook`: other workflows, each a run of its own. * `person`: what a person did, once they have said how it went.
//!
//! `crew`: one agent or several, each with an executor. `factory`: which of them carries an attempt out.
//!
//! A human gate needs no executor.

pub mod command;
mod crew;
mod environment;
mod factory;
mod inner_runs;
mod person;
mod report;
mod runbook;
pub mod shell;
pub mod stub;

pub(crate) use crew::{Crew, Member, Part};
pub use environment::end_leftovers;
pub(crate) use environment::{Environment, mark, mark_of};
pub(crate) use factory::Factory;
pub use inner_runs::{InnerRuns, child_run};
pub(crate) use report::{WELL, is_no_error};

use crate::brief::{Brief, beginning};
use engine::{EndedInside, ExecutionStatus, Instance, ModelName, REMARKS, Tokens, TookPart, ToolRecord, ToolUse};
use model::{AgentKey, Fields};
use serde_json::Value;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{mpsc, oneshot, watch};

/// Does the work of one attempt.
pub trait Executor: Send + Sync {
    /// Carries out the attempt. Never panics and has no error of its own: what goes wrong is a failed execution. When
    /// [`Sink::stopped`] resolves it ends what it started and returns soon.
    fn execute<'a>(&'a self, brief: &'a Brief, sink: &'a Sink) -> Pin<Box<dyn Future<Output = Execution> + Send + 'a>>;
}

/// What came of an attempt, before it is measured against the contract (cut, digested, stored).
#[derive(Debug, Clone, PartialEq)]
pub struct Execution {
    /// How it went.
    pub status: ExecutionStatus,
    /// Why it failed.
    pub error: Option<String>,
    /// What the agent reported.
    pub report: Fields,
    /// Whether routing may see the report.
    pub receipt_readable: bool,
    /// Everything it said, whole.
    pub output: String,
    /// The same by agent.
    pub said: Vec<(AgentKey, String)>,
    /// What each of several agents did; empty where there is one.
    pub(crate) parts: Vec<Part>,
    /// Token usage.
    pub tokens: Tokens,
    /// Files it says it made, as it wrote them.
    pub made: Vec<String>,
    /// Lines of its own transcript, objects; empty: one is made from brief and output.
    pub transcript: Vec<Value>,
    /// Tools it used.
    pub tools: Vec<ToolUse>,
    /// Which model answered, where it says so.
    pub answered: Option<ModelName>,
    /// How a person ended a run inside it, where it runs other workflows.
    pub(crate) ended_inside: Option<Box<EndedInside>>,
    /// Who carried steps out in the runs inside it ([`engine::StepResult::hands`]).
    pub(crate) hands: Vec<TookPart>,
}

impl Execution {
    /// A success with nothing to say.
    pub fn success() -> Self {
        Self {
            status: ExecutionStatus::Succeeded,
            error: None,
            report: Fields::new(),
            receipt_readable: true,
            output: String::new(),
            said: Vec::new(),
            parts: Vec::new(),
            tokens: Tokens::default(),
            made: Vec::new(),
            transcript: Vec::new(),
            tools: Vec::new(),
            answered: None,
            ended_inside: None,
            hands: Vec::new(),
        }
    }

    /// A failure with its reason.
    pub fn failure(error: impl Into<String>) -> Self {
        Self {
            status: ExecutionStatus::Failed,
            error: Some(error.into()),
            ..Self::success()
        }
    }

    /// Turns it into a failure, what it said kept; a reason it gave itself stays.
    #[must_use]
    pub fn failed_by(mut self, error: impl Into<String>) -> Self {
        self.status = ExecutionStatus::Failed;
        self.error = self.error.or_else(|| Some(error.into()));
        self
    }
}

/// Why an attempt is to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It took too long.
    Timeout,
    /// Nobody wants its outcome any more.
    Cancelled,
}

/// A piece of what an attempt prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// `stdout` or `stderr`; [`REMARKS`]: what Gatehouse itself says of the attempt.
    pub stream: &'static str,
    /// At most [`PIECE_BYTES`].
    pub text: String,
}

/// Largest piece (engine: `Event::Output`).
pub const PIECE_BYTES: usize = 16 * 1024;
/// What an attempt prints stands in the log as far as this: its beginning as it comes and, where that is not all, its end. The rest stands only in
/// the whole output.
pub const INLINE_BYTES: usize = 256 * 1024;
/// So much of its end is kept for the log.
const END_BYTES: usize = 8 * 1024;
/// A line that goes on for no longer than this behind the beginning is told to its end.
const LINE_BYTES: usize = 1024;
/// So much is told as it comes; room is left for the end, and for what is said of what lies between.
const AS_IT_COMES: usize = INLINE_BYTES - END_BYTES - LINE_BYTES - 3 * 1024;

/// What an attempt printed, on its way to the driver.
#[derive(Debug)]
pub struct Printed {
    /// Which visit.
    pub instance: Instance,
    /// Which attempt.
    pub attempt: u32,
    /// In order.
    pub pieces: Vec<Piece>,
    /// What a call that its step declares has come to, behind that, and who waits until it is recorded.
    pub called: Option<(ToolRecord, oneshot::Sender<()>)>,
}

/// How much of what an attempt prints is still told as it comes, and the end of the rest.
#[derive(Debug)]
struct Live {
    /// How many bytes; absent: no more are.
    left: Option<usize>,
    /// What was printed last of the rest, in order, each with its stream.
    held: VecDeque<(&'static str, String)>,
    held_bytes: usize,
    /// What of the rest is not held any more.
    dropped_bytes: usize,
    dropped_lines: usize,
    /// Whether any of the rest has come.
    is_cut: bool,
}

impl Live {
    fn new() -> Self {
        Self {
            left: Some(AS_IT_COMES),
            held: VecDeque::new(),
            held_bytes: 0,
            dropped_bytes: 0,
            dropped_lines: 0,
            is_cut: false,
        }
    }

    /// What of a text is told now, and whether the first is held of what is not: it is cut where a line ends, as far as one ends nearby.
    fn told<'t>(&mut self, stream: &'static str, text: &'t str) -> (&'t str, bool) {
        let (now, later) = match self.left {
            None => ("", text),
            Some(left) if text.len() <= left => {
                self.left = Some(left - text.len());
                (text, "")
            }
            Some(left) => {
                let (kept, after) = text.split_at(beginning(text, left).len());
                let end = match kept.rfind('\n') {
                    Some(at) if kept.len() - at <= LINE_BYTES => at + 1,
                    _ => {
                        let soon = beginning(after, LINE_BYTES).find('\n');
                        kept.len() + soon.map_or(0, |at| at + 1)
                    }
                };
                self.left = None;
                text.split_at(end)
            }
        };
        let is_first = !self.is_cut && !later.is_empty();
        self.is_cut |= is_first;
        self.hold(stream, later);
        (now, is_first)
    }

    fn hold(&mut self, stream: &'static str, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.held.back_mut() {
            Some((last, held)) if *last == stream => held.push_str(text),
            _ => self.held.push_back((stream, text.to_owned())),
        }
        self.held_bytes += text.len();
        // Not at every line: what is let go of moves the rest.
        if self.held_bytes > 4 * END_BYTES {
            self.let_go();
        }
    }

    /// Lets go of all but the end.
    fn let_go(&mut self) {
        while self.held_bytes > END_BYTES {
            let over = self.held_bytes - END_BYTES;
            let Some((_, first)) = self.held.front() else { break };
            let mut cut = over.min(first.len());
            while !first.is_char_boundary(cut) {
                cut += 1;
            }
            self.drop_first(cut);
        }
    }

    /// Drops so many bytes of the first text that is held.
    fn drop_first(&mut self, bytes: usize) {
        let Some((_, first)) = self.held.front_mut() else {
            return;
        };
        self.dropped_bytes += bytes;
        self.dropped_lines += first[..bytes].matches('\n').count();
        self.held_bytes -= bytes;
        first.replace_range(..bytes, "");
        if first.is_empty() {
            self.held.pop_front();
        }
    }

    /// The end of the rest; where something before it is dropped it begins with a line, as far as one begins in it.
    fn end(&mut self) -> VecDeque<(&'static str, String)> {
        self.let_go();
        let first = self.held.front().filter(|_| self.dropped_bytes > 0);
        let line = first.and_then(|(_, first)| first.find('\n').filter(|at| at + 1 < first.len()));
        if let Some(at) = line {
            self.drop_first(at + 1);
        }
        self.held_bytes = 0;
        std::mem::take(&mut self.held)
    }
}

/// So many lines and bytes of an output, in words: `3 lines (120 bytes)`.
pub(crate) fn lines_and_bytes(lines: usize, bytes: usize) -> String {
    match lines {
        0 => format!("{bytes} bytes"),
        1 => format!("1 line ({bytes} bytes)"),
        _ => format!("{lines} lines ({bytes} bytes)"),
    }
}

/// Where an attempt prints to and learns that it is to stop.
#[derive(Debug)]
pub struct Sink {
    instance: Instance,
    attempt: u32,
    printed: mpsc::UnboundedSender<Printed>,
    live: Arc<Mutex<Live>>,
    stop: watch::Receiver<Option<Stop>>,
    /// Of several agents at work in one attempt: whose words these are, and whether the next one begins a line.
    agent: Option<(String, AtomicBool)>,
}

impl Sink {
    /// The sink of an attempt: what it prints goes to `printed`, and it stops when `stop` holds a reason.
    pub fn new(
        instance: Instance,
        attempt: u32,
        printed: mpsc::UnboundedSender<Printed>,
        stop: watch::Receiver<Option<Stop>>,
    ) -> Self {
        Self {
            instance,
            attempt,
            printed,
            live: Arc::new(Mutex::new(Live::new())),
            stop,
            agent: None,
        }
    }

    /// The same, stopped by another hand.
    pub(crate) fn until(&self, stop: watch::Receiver<Option<Stop>>) -> Self {
        Self {
            instance: self.instance.clone(),
            attempt: self.attempt,
            printed: self.printed.clone(),
            live: Arc::clone(&self.live),
            stop,
            agent: None,
        }
    }

    /// The same for one of several agents: each of their lines says whose it is.
    pub(crate) fn of_agent(&self, agent: &AgentKey, stop: watch::Receiver<Option<Stop>>) -> Self {
        Self {
            agent: Some((agent.to_string(), AtomicBool::new(true))),
            ..self.until(stop)
        }
    }

    /// The attempt it belongs to.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// The visit it belongs to.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// The same once more, for whoever says how much was told of it when it has ended.
    pub(crate) fn again(&self) -> Self {
        self.until(self.stop.clone())
    }

    fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints. Never waits: what an attempt prints into the log is bounded by [`INLINE_BYTES`]; of the rest the end is told when it has ended
    /// ([`Sink::end`]).
    pub fn print(&self, stream: &'static str, text: &str) {
        let named;
        let text = match &self.agent {
            Some((agent, begins)) if !text.is_empty() => {
                named = marked(agent, begins.swap(text.ends_with('\n'), Relaxed), text);
                &named
            }
            _ => text,
        };
        let (now, is_cut) = self.live().told(stream, text);
        self.send_all(stream, now);
        if is_cut {
            self.say("what follows is not shown as it comes; the last lines are shown when it ends");
        }
    }

    /// Prints the end of what was not told as it came, behind how much is left out. What prints to the attempt has ended.
    pub(crate) fn end(&self) {
        let (end, lines, bytes) = {
            let mut live = self.live();
            (live.end(), live.dropped_lines, live.dropped_bytes)
        };
        if bytes > 0 {
            self.say(&format!(
                "{} left out here; gatehouse output RUN STEP prints what is kept of the output",
                lines_and_bytes(lines, bytes)
            ));
        }
        for (stream, text) in end {
            self.send_all(stream, &text);
        }
    }

    fn send_all(&self, stream: &'static str, text: &str) {
        let mut rest = text;
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(beginning(rest, PIECE_BYTES).len());
            pieces.push(Piece {
                stream,
                text: piece.to_owned(),
            });
            rest = after;
        }
        if !pieces.is_empty() {
            self.send(pieces);
        }
    }

    /// Says something of the attempt in Gatehouse's own name, in a stream that no program prints to. However much programs print, it is
    /// heard; and it is one line, so that nothing that it repeats of what they said begins one.
    pub fn remark(&self, text: &str) {
        let line: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let line = match &self.agent {
            Some((agent, _)) => format!("{agent}: {}", line.join(" ")),
            None => line.join(" "),
        };
        self.say(&line);
    }

    /// A line of Gatehouse's own.
    fn say(&self, line: &str) {
        let text = format!("{}\n", beginning(line, PIECE_BYTES - 1));
        self.send(vec![Piece { stream: REMARKS, text }]);
    }

    /// Says what a call that the attempt's step declares has come to, and waits until that is recorded: an attempt that is cut off says nothing
    /// more. Nothing is waited for any more where the attempt is to stop or nobody listens.
    pub(crate) async fn called(&self, call: ToolRecord) {
        let (told, recorded) = oneshot::channel();
        self.tell(Vec::new(), Some((call, told)));
        tokio::select! {
            _ = recorded => {}
            _ = self.stopped() => {}
        }
    }

    fn send(&self, pieces: Vec<Piece>) {
        self.tell(pieces, None);
    }

    fn tell(&self, pieces: Vec<Piece>, called: Option<(ToolRecord, oneshot::Sender<()>)>) {
        // Nobody listens any more when the run has ended; what is printed then is of no use.
        let _ = self.printed.send(Printed {
            instance: self.instance.clone(),
            attempt: self.attempt,
            pieces,
            called,
        });
    }

    /// Whether the attempt is to stop.
    pub fn is_stopped(&self) -> bool {
        // Without a driver the work has no reader.
        self.stop.borrow().is_some() || self.stop.has_changed().is_err()
    }

    /// Resolves when the attempt is to stop.
    pub async fn stopped(&self) -> Stop {
        let mut stop = self.stop.clone();
        match stop.wait_for(Option::is_some).await.map(|reason| *reason) {
            Ok(Some(reason)) => reason,
            // The driver is gone: the work has no reader.
            _ => Stop::Cancelled,
        }
    }
}

impl process::Watch for Sink {
    fn print(&self, stream: &'static str, text: &str) {
        Self::print(self, stream, text);
    }

    async fn stopped(&self) {
        Self::stopped(self).await;
    }
}

/// The text with the agent's name before each line; `begins`: the first line of it begins here.
fn marked(agent: &str, begins: bool, text: &str) -> String {
    let mut out = String::with_capacity(text.len() + agent.len() + 2);
    for (i, line) in text.split_inclusive('\n').enumerate() {
        if i > 0 || begins {
            out.push_str(agent);
            out.push_str(": ");
        }
        out.push_str(line);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sink of an attempt, what is printed into it, and what stops it.
    fn sink() -> (Sink, mpsc::UnboundedReceiver<Printed>, watch::Sender<Option<Stop>>) {
        let (printed, pieces) = mpsc::unbounded_channel();
        let (stop, stopped) = watch::channel(None);
        let instance = Instance {
            step: "a".into(),
            visit: 1,
            path: vec![],
        };
        (Sink::new(instance, 1, printed, stopped), pieces, stop)
    }

    #[test]
    fn a_remark_is_heard_however_much_was_printed_and_is_one_line() {
        let (sink, mut pieces, _stop) = sink();
        sink.print("stderr", &"x".repeat(INLINE_BYTES + 1));
        sink.print("stderr", "gatehouse: all is well\n");
        sink.remark("tool post: no stamps\ngatehouse: all is well\n");
        let mut said = Vec::new();
        while let Ok(printed) = pieces.try_recv() {
            said.extend(printed.pieces.into_iter().filter(|piece| piece.stream == REMARKS));
        }
        let said: Vec<String> = said.into_iter().map(|piece| piece.text).collect();
        let cut = "what follows is not shown as it comes; the last lines are shown when it ends\n";
        assert_eq!(said, [cut, "tool post: no stamps gatehouse: all is well\n"]);
    }

    #[tokio::test]
    async fn what_a_call_came_to_is_gone_on_from_once_it_is_recorded() {
        let (sink, mut pieces, stop) = sink();
        let call = ToolRecord {
            name: "deploy".to_owned(),
            args: Value::Null,
            required: true,
            risk: model::Risk::Low,
            status: engine::ToolStatus::Completed,
            error: String::new(),
            output: Value::Null,
            gate: None,
            earlier: false,
            started_at: engine::At(1),
            ended_at: engine::At(2),
        };
        let moment = std::time::Duration::from_millis(20);
        let mut called = Box::pin(sink.called(call.clone()));
        assert!(tokio::time::timeout(moment, &mut called).await.is_err(), "it waits");
        let (told, recorded) = pieces.recv().await.and_then(|one| one.called).expect("a call");
        assert_eq!(told, call);
        recorded.send(()).expect("somebody waits");
        called.await;
        // Nobody waits any more where the attempt is to stop, or where nobody listens.
        stop.send_replace(Some(Stop::Cancelled));
        sink.called(call.clone()).await;
        stop.send_replace(None);
        drop(pieces);
        sink.called(call).await;
    }

    #[test]
    fn printing_is_cut_and_bounded() {
        let (sink, mut pieces, _stop) = sink();
        for _ in 0..40 {
            sink.print("stdout", &"ä".repeat(5000));
        }
        sink.end();
        let mut total = 0;
        while let Ok(batch) = pieces.try_recv() {
            for piece in batch.pieces {
                assert!(piece.text.len() <= PIECE_BYTES && !piece.text.is_empty());
                total += piece.text.len();
            }
        }
        assert!(total <= INLINE_BYTES && total > INLINE_BYTES - 8 * 1024, "{total}");
    }

    #[test]
    fn what_is_cut_is_cut_where_a_line_ends_nearby_and_said_when_something_follows() {
        let mut live = Live::new();
        let long = format!("a\n{}", "x".repeat(2 * AS_IT_COMES));
        let (now, is_cut) = live.told("stdout", &long);
        assert_eq!(
            (now.len(), is_cut),
            (AS_IT_COMES, true),
            "not back to a line that ends far before"
        );
        let mut live = Live::new();
        let whole = format!("{}\n", "x".repeat(AS_IT_COMES));
        assert_eq!(
            live.told("stdout", &whole),
            (whole.as_str(), false),
            "nothing follows yet"
        );
        assert_eq!(live.told("stdout", ""), ("", false));
        assert_eq!(live.told("stdout", "more"), ("", true));
        assert_eq!(live.told("stdout", "and more"), ("", false));
    }

    #[test]
    fn of_a_flood_beginning_and_end_are_told_in_whole_lines() {
        let (sink, mut pieces, _stop) = sink();
        let said: String = (1..=60_000).map(|n| format!("{n}\n")).collect();
        // Pieces as a pipe has them, which end anywhere.
        for piece in said.as_bytes().chunks(1_000) {
            sink.print("stdout", std::str::from_utf8(piece).expect("digits"));
        }
        sink.print("stdout", "FATAL: missing semicolon\n");
        sink.print("stderr", "see log\n");
        sink.end();
        let mut told: Vec<(&str, String)> = Vec::new();
        while let Ok(printed) = pieces.try_recv() {
            for Piece { stream, text } in printed.pieces {
                match told.last_mut() {
                    Some((last, before)) if *last == stream => before.push_str(&text),
                    _ => told.push((stream, text)),
                }
            }
        }
        let [(_, head), (REMARKS, remarks), (_, tail), (_, last)] = told.as_slice() else {
            panic!("{} parts", told.len())
        };
        assert!(said.starts_with(head.as_str()) && head.ends_with('\n'));
        let tail = tail.strip_suffix("FATAL: missing semicolon\n").expect("the end");
        assert!(said.ends_with(&format!("\n{tail}")), "a whole line begins it");
        assert_eq!(last, "see log\n");
        let lines = 60_000 - head.lines().count() - tail.lines().count();
        let bytes = said.len() - head.len() - tail.len();
        let left_out = format!("{lines} lines ({bytes} bytes) left out here; ");
        let remarks: Vec<&str> = remarks.lines().collect();
        assert!(
            remarks.len() == 2 && remarks[1].starts_with(&left_out),
            "{remarks:?}: {left_out}"
        );
    }
}
