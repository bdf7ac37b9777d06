//! What a person did, once they have said how it went: the attempt takes up their word and, like any other, the files they made.

use super::{Execution, Executor, Sink};
use crate::brief::Brief;
use crate::transcript::PERSON;
use engine::{Answer, Decision};
use serde_json::{Value, json};
use std::future::Future;
use std::pin::Pin;

/// The answer to the question how a step went.
#[derive(Debug)]
pub(crate) struct Person {
    said: Option<std::sync::Arc<Decision>>,
    /// One of several people who were asked: what was said is told with the name of whoever said it.
    named: bool,
    /// Somebody else of them has answered.
    silent: bool,
}

impl Person {
    /// `said`: the answer; absent: nobody was asked.
    pub fn new(said: Option<std::sync::Arc<Decision>>) -> Self {
        Self {
            said,
            named: false,
            silent: false,
        }
    }

    /// The one of several people in whose place the answer stands.
    pub fn of_several(said: Option<std::sync::Arc<Decision>>) -> Self {
        Self {
            named: true,
            ..Self::new(said)
        }
    }

    /// Another one of them, who said nothing.
    pub fn beside() -> Self {
        Self {
            silent: true,
            ..Self::new(None)
        }
    }

    fn execution(&self) -> Execution {
        if self.silent {
            return Execution {
                transcript: vec![line("")],
                ..Execution::success()
            };
        }
        let Some(said) = &self.said else {
            return Execution::failure("nobody was asked how this step went");
        };
        let (by, comment) = (said.by.trim(), said.comment.trim());
        let execution = match (said.answer, comment) {
            (Answer::Pass, _) => Execution::success(),
            (_, "") => Execution::failure(format!("{by} said that it did not go well")),
            _ => Execution::failure(comment),
        };
        Execution {
            output: match (self.named, comment) {
                (true, comment) if !comment.is_empty() => format!("{by}: {comment}"),
                _ => comment.to_owned(),
            },
            report: said.report.clone(),
            transcript: vec![line(&words(said))],
            ..execution
        }
    }
}

/// A line of the transcript. Nobody read a brief to a person, so it is all that there is.
fn line(content: &str) -> Value {
    json!({"role": PERSON, "content": content})
}

/// `Ada answered FAIL: The client sent no files.`
fn words(said: &Decision) -> String {
    let answer = if said.answer == Answer::Pass { "PASS" } else { "FAIL" };
    match said.comment.trim() {
        "" => format!("{} answered {answer}", said.by.trim()),
        comment => format!("{} answered {answer}: {comment}", said.by.trim()),
    }
}

impl Executor for Person {
    fn execute<'a>(
        &'a self,
        _brief: &'a Brief,
        _sink: &'a Sink,
    ) -> Pin<Box<dyn Future<Output = Execution> + Send + 'a>> {
        Box::pin(std::future::ready(self.execution()))
    }
}
