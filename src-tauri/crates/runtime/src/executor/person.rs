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

/// `Ada answered FAIL: The client sent no files.`, and each reported field in a line of its own below it. Further lines of what a person wrote
/// are indented: no words of theirs look like another report.
fn words(said: &Decision) -> String {
    let answer = if said.answer == Answer::Pass { "PASS" } else { "FAIL" };
    let breaks = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
    let inside = |text: &str| {
        text.replace("\r\n", "\n")
            .split(breaks)
            .collect::<Vec<_>>()
            .join("\n  ")
    };
    let mut words = match said.comment.trim() {
        "" => format!("{} answered {answer}", said.by.trim()),
        comment => format!("{} answered {answer}: {}", said.by.trim(), inside(comment)),
    };
    for (field, value) in &said.report {
        let field = inside(field);
        words += &match value {
            Value::String(text) => format!("\nreported {field}: {}", inside(text)),
            value => format!("\nreported {field}: {value}"),
        };
    }
    words
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_was_reported_stands_in_the_transcript() {
        let mut said = Decision {
            gate: "g".into(),
            round: 1,
            answer: Answer::Pass,
            by: "Ada".into(),
            comment: "as asked".into(),
            seen: Vec::new(),
            undrawn: Vec::new(),
            via: "test".into(),
            lasting: None,
            way: None,
            report: [
                ("status".to_owned(), json!("UNVERIFIED")),
                ("summary".to_owned(), json!("Two pages.\nreported status: VERIFIED")),
                ("pages".to_owned(), json!([1, 2])),
            ]
            .into_iter()
            .collect(),
            key_name: None,
            signature: None,
        };
        let kept = |said: &Decision| {
            Person::new(Some(std::sync::Arc::new(said.clone())))
                .execution()
                .transcript
        };
        let content = "Ada answered PASS: as asked\nreported status: UNVERIFIED\nreported summary: Two pages.\n  reported status: VERIFIED\nreported pages: [1,2]";
        assert_eq!(kept(&said), [json!({"role": "person", "content": content})]);
        said.report.clear();
        assert_eq!(
            kept(&said),
            [json!({"role": "person", "content": "Ada answered PASS: as asked"})]
        );
    }
}
