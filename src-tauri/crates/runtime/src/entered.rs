//! What a person enters at a start, held against the project's guardrails before anything of it is recorded: what stands in a record
//! stays there. A start and a step say what was found in the same words.

use crate::Error;
use guardrail::{Action, Kind, Rules, Stage, Violation, check};
use model::{Fields, Workflow};
use serde_json::{Map, Value, json};

/// What a start asks of every workflow, in the words of the window.
const SUBJECT: &str = "What is this about?";

/// Whether a run may begin with these answers. `subject`: what was typed of what it is about.
///
/// # Errors
/// [`Error::Guardrail`]: each answer that the rules stop, by the words of its question.
pub(crate) fn allowed(rules: &Rules, workflow: &Workflow, inputs: &Fields, subject: Option<&str>) -> Result<(), Error> {
    let mut faults = Vec::new();
    if let Some(found) = subject.and_then(|subject| stopped(&json!({"subject": subject}), rules)) {
        faults.push((None, format!("“{SUBJECT}” {}.", says(&found))));
    }
    for (name, value) in inputs {
        let question = workflow.questions.iter().find(|question| question.name == *name);
        // A name that the workflow does not ask for was typed like any answer.
        let typed = question.is_none().then(|| stopped(&json!([name]), rules)).flatten();
        if let Some(found) = typed {
            faults.push((None, format!("The name of an input {}.", says(&found))));
            continue;
        }
        let Some(found) = stopped(&Value::Object(Map::from_iter([(name.clone(), value.clone())])), rules) else {
            continue;
        };
        faults.push(match question {
            Some(question) => (
                Some(question.name.clone()),
                format!("“{}” {}.", question.label, says(&found)),
            ),
            None => (None, format!("`{name}` {}.", says(&found))),
        });
    }
    if faults.is_empty() {
        // Each for itself may be short enough.
        faults
            .extend(stopped(&json!(inputs), rules).map(|found| (None, format!("What was entered {}.", says(&found)))));
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(Error::Guardrail { faults }),
    }
}

/// The first thing in a payload that lets nothing go in.
fn stopped(payload: &Value, rules: &Rules) -> Option<Violation> {
    let found = check(Stage::Inputs, payload, rules)?.violations;
    found.into_iter().find(|found| found.action == Action::Block)
}

/// What a rule says of the place that it was found in.
pub(crate) fn says(found: &Violation) -> String {
    match found.kind {
        Kind::Size => format!("has {}: this project stops that", found.in_words()),
        _ => format!("holds {}, which this project stops", found.in_words()),
    }
}
