//! What a person enters at a start, and says to a run later, held against the project's guardrails before anything of it is recorded: what stands in
//! a record stays there. A start, an answer and a step say what was found in the same words.

use crate::Error;
use guardrail::{Action, Kind, Rules, Stage, Violation, check};
use model::{Fields, Workflow};
use serde_json::{Map, Value, json};

/// What a start asks of every workflow, in the words of the window.
const SUBJECT: &str = "What is this about?";

/// What to do with what a guardrail stops at a start.
const START_AGAIN: &str = "Take it out and start again.";
/// The same of what is said to a run.
const SAY_AGAIN: &str = "Take it out and say it again.";

/// Something that a person says to a run.
#[derive(Debug, Clone)]
pub struct Said {
    /// The field that it is typed in.
    pub field: &'static str,
    /// As they call it: `Your comment`.
    pub name: &'static str,
    /// All of it.
    pub value: Value,
    /// It is what came of a step too, and held against the rules of what comes out of one.
    pub is_output: bool,
}

/// Whether what is said to a run may be recorded; what the rules only warn of, a sentence for each part.
///
/// # Errors
/// [`Error::Guardrail`]: each part that the rules stop, by its field.
pub(crate) fn may_be_said(rules: &Rules, said: &[Said]) -> Result<Vec<String>, Error> {
    let first = |said: &Said, action: Action| {
        let payload = Value::Object(Map::from_iter([(said.field.to_owned(), said.value.clone())]));
        let comes_out = said.is_output.then_some(Stage::Outputs);
        let mut stages = std::iter::once(Stage::Inputs).chain(comes_out);
        stages.find_map(|stage| first_of(action, stage, &payload, rules))
    };
    let faults = said.iter().filter_map(|said| {
        let found = first(said, Action::Block)?;
        Some((Some(said.field.to_owned()), format!("{} {}.", said.name, says(&found))))
    });
    refused(faults.collect(), SAY_AGAIN)?;
    let warned = said.iter().filter_map(|said| {
        let found = first(said, Action::Warn)?;
        Some(format!("{} {}.", said.name, warns(&found)))
    });
    Ok(warned.collect())
}

/// Whether a run may begin with these answers. `subject`: what was typed of what it is about.
///
/// # Errors
/// [`Error::Guardrail`]: each answer that the rules stop, by the words of its question.
pub(crate) fn allowed(rules: &Rules, workflow: &Workflow, inputs: &Fields, subject: Option<&str>) -> Result<(), Error> {
    let mut faults = Vec::new();
    if let Some(found) = subject.and_then(|subject| stopped(Stage::Inputs, &json!({"subject": subject}), rules)) {
        faults.push((None, format!("“{SUBJECT}” {}.", says(&found))));
    }
    for (name, value) in inputs {
        let question = workflow.questions.iter().find(|question| question.name == *name);
        // A name that the workflow does not ask for was typed like any answer.
        let typed = question
            .is_none()
            .then(|| stopped(Stage::Inputs, &json!([name]), rules))
            .flatten();
        if let Some(found) = typed {
            faults.push((None, format!("The name of an input {}.", says(&found))));
            continue;
        }
        let payload = Value::Object(Map::from_iter([(name.clone(), value.clone())]));
        let Some(found) = stopped(Stage::Inputs, &payload, rules) else {
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
        faults.extend(
            stopped(Stage::Inputs, &json!(inputs), rules)
                .map(|found| (None, format!("What was entered {}.", says(&found)))),
        );
    }
    refused(faults, START_AGAIN)
}

fn refused(faults: Vec<(Option<String>, String)>, again: &'static str) -> Result<(), Error> {
    match faults.is_empty() {
        true => Ok(()),
        false => Err(Error::Guardrail { faults, again }),
    }
}

/// The first thing in a payload that lets nothing go in, or out.
fn stopped(stage: Stage, payload: &Value, rules: &Rules) -> Option<Violation> {
    first_of(Action::Block, stage, payload, rules)
}

/// The first thing in a payload that comes to this.
fn first_of(action: Action, stage: Stage, payload: &Value, rules: &Rules) -> Option<Violation> {
    let found = check(stage, payload, rules)?.violations;
    found.into_iter().find(|found| found.action == action)
}

/// What a rule says of the place that it was found in.
pub(crate) fn says(found: &Violation) -> String {
    match found.kind {
        Kind::Size => format!("has {}: this project stops that", found.in_words()),
        _ => format!("holds {}, which this project stops", found.in_words()),
    }
}

/// The same of a rule that lets it pass.
fn warns(found: &Violation) -> String {
    match found.kind {
        Kind::Size => format!("has {}: this project warns of that", found.in_words()),
        _ => format!("holds {}, of which this project warns", found.in_words()),
    }
}
