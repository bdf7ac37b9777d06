//! JSON-RPC 2.0 with a program that is started for it: a language server, an MCP server.
//!
//! One task hears everything that the program says, so that it never waits for us ([`peer`]); questions wait for their answers by number, each with
//! its own deadline. What the program is not asked for costs it: too much of it ends the conversation. Nothing it says is taken for
//! anything but data.

mod peer;

pub(crate) use peer::{Peer, Start};

use serde_json::Value;
use std::time::Duration;

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The line of the configuration is no command.
    #[error("`{0}` is no command: a program and its arguments are needed, quoted as a shell would")]
    NoCommand(String),
    /// The program is not there.
    #[error("the program `{0}` was not found. Install it, or correct its command in gatehouse.yaml")]
    Absent(String),
    /// The program could not be started.
    #[error("the program `{program}` could not be started: {why}")]
    NotStarted {
        /// Its name.
        program: String,
        /// What the system says.
        why: String,
    },
    /// The conversation is over.
    #[error("the program does not answer any more: {0}")]
    Over(String),
    /// No answer came in time.
    #[error("`{method}` was not answered within {} seconds{}", seconds(*.after), strayed(*.strays))]
    Late {
        /// What was asked.
        method: String,
        /// How long was waited.
        after: Duration,
        /// How many answers came that nobody had asked for.
        strays: u32,
    },
    /// The program answered that it cannot.
    #[error("the program refused `{method}`: {message} (code {code})")]
    Refused {
        /// What was asked.
        method: String,
        /// Its number for the reason.
        code: i64,
        /// Its words for it.
        message: String,
    },
    /// The answer is none that the protocol knows.
    #[error("the program's answer to `{method}` cannot be read: {why}")]
    Strange {
        /// What was asked.
        method: String,
        /// What is wrong with it.
        why: String,
    },
}

/// Seconds for a reader: tenths where they matter.
fn seconds(duration: Duration) -> String {
    let tenths = (duration.as_secs_f64() * 10.0).round();
    format!("{}", tenths / 10.0)
}

fn strayed(strays: u32) -> String {
    match strays {
        0 => String::new(),
        n => format!(", and {n} answers came to questions that nobody asked"),
    }
}

impl Error {
    /// Whether another attempt with a fresh program may go better.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self, Self::Over(_))
    }
}

/// What is done with what the program says of its own accord.
pub(crate) trait Manners: Send + 'static {
    /// The program asks something.
    ///
    /// # Errors
    /// The code and the words with which it is refused.
    fn asked(&mut self, method: &str, params: &Value) -> Result<Value, (i64, String)>;

    /// The program tells something.
    fn told(&mut self, method: &str, params: &Value);

    /// What tells the program that a question is not waited for any more: a method and its parameters.
    fn withdrawal(id: i64) -> (&'static str, Value)
    where
        Self: Sized;
}

/// The refusal of what is not offered.
pub(crate) fn not_offered(method: &str) -> (i64, String) {
    (-32601, format!("`{method}` is not offered here"))
}

/// Words of a program in a sentence of ours.
pub(crate) fn brief(text: &str) -> String {
    const MOST: usize = 500;
    let text = text.trim();
    match text.char_indices().nth(MOST) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}
