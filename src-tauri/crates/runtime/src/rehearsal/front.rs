//! The scenarios in a runbook's front matter.
//!
//! ```yaml
//! scenarios:
//!   rolls-back:
//!     description: The migration fails
//!     commands:
//!       - rd run --prompted deploy.runbook.md
//!       - rd pass
//!       - rd fail
//!     result: STOP
//! ```
//!
//! Instead of `commands` and `result` an entry may be written as a [`Scenario`]: `steps`, `gates`, `expect`.

use crate::scenario::Scenario;
use engine::EndStatus;
use model::Workflow;
use serde_json::{Map, Value};
use std::path::Path;

/// How a scenario says that the run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// COMPLETE.
    Complete,
    /// STOP.
    Stop,
}

impl Ends {
    /// The word in the file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Complete => "COMPLETE",
            Self::Stop => "STOP",
        }
    }

    /// How a run of ours ended, in the words of a runbook: STOP is everything that is not COMPLETE.
    pub fn of(end: EndStatus) -> Self {
        match end {
            EndStatus::Succeeded => Self::Complete,
            EndStatus::Failed | EndStatus::Aborted | EndStatus::CompletedWithFailures | EndStatus::Stopped => {
                Self::Stop
            }
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        match word.to_ascii_uppercase().as_str() {
            "COMPLETE" | "COMPLETED" => Some(Self::Complete),
            "STOP" | "STOPPED" => Some(Self::Stop),
            _ => None,
        }
    }
}

/// A scenario of the front matter.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Its key.
    pub name: String,
    /// What it shows.
    pub description: Option<String>,
    /// What it does; or why that cannot be read.
    pub content: Result<Content, String>,
}

/// What a scenario does.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Commands of the original program.
    Commands {
        /// In order, as written.
        commands: Vec<String>,
        /// How the run ends; absent: not said.
        result: Option<Ends>,
    },
    /// Our own form.
    Script {
        /// Its text.
        text: String,
        /// Read.
        scenario: Box<Scenario>,
    },
}

/// The scenarios that a workflow's own file holds, in its order; those of other formats lie beside it
/// ([`crate::scenario::find`]).
pub fn listed(workflow: &Workflow) -> Vec<Listed> {
    if !workflow.contract().scenarios_in_file {
        return Vec::new();
    }
    match workflow.fields.get("scenarios") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Object(all)) => all.iter().map(|(name, body)| one(name, body)).collect(),
        Some(_) => vec![Listed {
            name: "scenarios".to_owned(),
            description: None,
            content: Err("`scenarios` is not a list of names with commands".to_owned()),
        }],
    }
}

fn one(name: &str, body: &Value) -> Listed {
    let description = body.get("description").and_then(Value::as_str);
    Listed {
        name: name.to_owned(),
        description: description.map(|d| d.trim().to_owned()).filter(|d| !d.is_empty()),
        content: match body {
            Value::Object(body) => content(name, body),
            _ => Err("it has neither commands nor steps".to_owned()),
        },
    }
}

fn content(name: &str, body: &Map<String, Value>) -> Result<Content, String> {
    let Some(commands) = body.get("commands") else {
        if !["steps", "gates", "expect"].iter().any(|key| body.contains_key(*key)) {
            return Err("it has neither commands nor steps".to_owned());
        }
        let mut script = body.clone();
        script.entry("name").or_insert_with(|| name.into());
        let text = Value::Object(script).to_string();
        let scenario = Scenario::parse(Path::new(name), &text).map_err(|fault| fault.message)?;
        let scenario = Box::new(scenario);
        return Ok(Content::Script { text, scenario });
    };
    // A slip in a name would leave nothing to hold the run to.
    const KNOWN: [&str; 3] = ["description", "commands", "result"];
    if let Some(key) = body.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        return Err(format!(
            "it has the key `{key}`, and one with commands has {}",
            KNOWN.join(", ")
        ));
    }
    let lines: Option<Vec<String>> = match commands {
        Value::Array(lines) => lines.iter().map(|l| l.as_str().map(str::to_owned)).collect(),
        _ => None,
    };
    let commands = lines.ok_or("its `commands` are not a list of lines of text")?;
    let result = match body.get("result") {
        None => None,
        Some(Value::Null) => return Err("its `result` is empty; it can be COMPLETE or STOP".to_owned()),
        Some(word) => {
            let known = word.as_str().and_then(Ends::from_word);
            Some(known.ok_or_else(|| format!("its `result` is {word}; it can be COMPLETE or STOP"))?)
        }
    };
    Ok(Content::Commands { commands, result })
}

/// The line (1-based) on which a scenario's name stands in a file's front matter.
pub fn line(text: &str, name: &str) -> Option<usize> {
    let mut inside = None;
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if index > 0 && trimmed == "---" {
            return None;
        }
        let indent = line.len() - line.trim_start().len();
        match inside {
            None if indent == 0 && trimmed.starts_with("scenarios:") => inside = Some(0),
            None => {}
            Some(_) if indent == 0 && !trimmed.is_empty() && !trimmed.starts_with('#') => return None,
            Some(depth) => {
                let key = trimmed
                    .split_once(':')
                    .map(|(key, _)| key.trim().trim_matches(['"', '\'']));
                if indent > 0 && (depth == 0 || indent == depth) && !trimmed.starts_with('#') && !trimmed.is_empty() {
                    if key == Some(name) {
                        return Some(index + 1);
                    }
                    inside = Some(indent);
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Format;
    use serde_json::json;

    fn read(scenarios: Value) -> Vec<Listed> {
        let mut workflow = Workflow::new("w".into(), "W".to_owned(), Format::Rundown, Vec::new());
        workflow.fields.insert("scenarios".to_owned(), scenarios);
        listed(&workflow)
    }

    #[test]
    fn both_forms_are_read() {
        let found = read(json!({
            "a": {"description": " it works ", "commands": ["rd run x", "rd pass"], "result": "COMPLETE"},
            "b": {"steps": {"1": [{"status": "failed"}]}, "expect": {"status": "failed"}},
        }));
        assert_eq!(found[0].description.as_deref(), Some("it works"));
        let Ok(Content::Commands { commands, result }) = &found[0].content else {
            panic!("{found:?}");
        };
        assert_eq!((commands.len(), *result), (2, Some(Ends::Complete)));
        let Ok(Content::Script { scenario, .. }) = &found[1].content else {
            panic!("{found:?}");
        };
        assert_eq!(scenario.name, "b");
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        for (body, says) in [
            (json!(3), "neither commands nor steps"),
            (json!({"result": "STOP"}), "neither commands nor steps"),
            (json!({"commands": "rd pass"}), "not a list"),
            (json!({"commands": ["rd run x"], "result": "DONE"}), "COMPLETE or STOP"),
            (
                json!({"commands": ["rd run x"], "result": null}),
                "its `result` is empty",
            ),
            (json!({"commands": ["rd run x"], "result": ""}), "COMPLETE or STOP"),
            (
                json!({"commands": ["rd run x"], "result": "STOP", "expected": "COMPLETE"}),
                "the key `expected`",
            ),
            (
                json!({"steps": {"1": [{"status": "failed"}]}, "expect": {}}),
                "`expect` says nothing",
            ),
            (json!({"steps": {"1": [{"state": "failed"}]}}), "state"),
        ] {
            let found = read(json!({ "x": body }));
            let problem = found[0].content.as_ref().expect_err("unreadable");
            assert!(problem.contains(says), "{problem}");
        }
        assert!(read(json!(["a"]))[0].content.is_err());
        assert!(read(Value::Null).is_empty());
    }

    #[test]
    fn a_name_has_its_line() {
        let text = "---\nname: commands\nscenarios:\n\n  # first\n  good:\n    commands:\n      - rd run x\n  \"quite bad\":\n    \
                    result: STOP\ntags: [good]\n---\n## 1 good: x\n";
        assert_eq!(line(text, "good"), Some(6));
        assert_eq!(line(text, "quite bad"), Some(9));
        assert_eq!(line(text, "commands"), None);
        assert_eq!(line(text, "tags"), None);
    }
}
