//! What a person enters at a start, and says to a run later, held against the project's guardrails before anything of it is recorded: what stands in
//! a record stays there. A start, an answer and a step say what was found in the same words.

use crate::Error;
use dialect::in_a_row;
use guardrail::{Action, Kind, Rules, Stage, Violation, check};
use model::{AgentKey, Fields, StepId, Workflow};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::slice;

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
    let all = |said: &Said, action: Action| {
        let payload = Value::Object(Map::from_iter([(said.field.to_owned(), said.value.clone())]));
        let comes_out = said.is_output.then_some(Stage::Outputs);
        let stages = std::iter::once(Stage::Inputs).chain(comes_out);
        let found = stages.flat_map(|stage| all_of(action, stage, &payload, rules));
        found.collect::<Vec<_>>()
    };
    let faults = said.iter().filter_map(|said| {
        let found = STOPPED.tell(&all(said, Action::Block))?;
        Some((Some(said.field.to_owned()), format!("{} {found}.", said.name)))
    });
    refused(faults.collect(), SAY_AGAIN)?;
    let warned = said.iter().filter_map(|said| {
        let found = WARNED.tell(&all(said, Action::Warn))?;
        Some(format!("{} {found}.", said.name))
    });
    Ok(warned.collect())
}

/// Whether a run may begin with these answers. `subject`: what was typed of what it is about; `assigned`: whose name was typed for a step.
///
/// # Errors
/// [`Error::Guardrail`]: each answer that the rules stop, by the words of its question.
pub(crate) fn allowed(
    rules: &Rules,
    workflow: &Workflow,
    inputs: &Fields,
    subject: Option<&str>,
    assigned: &BTreeMap<StepId, AgentKey>,
) -> Result<(), Error> {
    let stopped = |payload: &Value| {
        let found: Vec<Violation> = all_of(Action::Block, Stage::Inputs, payload, rules).collect();
        STOPPED.tell(&found)
    };
    let mut faults = Vec::new();
    if let Some(found) = subject.and_then(|subject| stopped(&json!({"subject": subject}))) {
        faults.push((None, format!("“{SUBJECT}” {found}.")));
    }
    for (step, name) in assigned {
        let found = stopped(&json!({"name": name.as_str()}));
        faults.extend(found.map(|found| (None, format!("The name of whoever does `{step}` {found}."))));
    }
    for (name, value) in inputs {
        let question = workflow.questions.iter().find(|question| question.name == *name);
        // A name that the workflow does not ask for was typed like any answer.
        let typed = question.is_none().then(|| stopped(&json!([name]))).flatten();
        if let Some(found) = typed {
            faults.push((None, format!("The name of an input {found}.")));
            continue;
        }
        let payload = Value::Object(Map::from_iter([(name.clone(), value.clone())]));
        let Some(found) = stopped(&payload) else {
            continue;
        };
        faults.push(match question {
            Some(question) => (Some(question.name.clone()), format!("“{}” {found}.", question.label)),
            None => (None, format!("`{name}` {found}.")),
        });
    }
    if faults.is_empty() {
        // Each for itself may be short enough.
        faults.extend(stopped(&json!(inputs)).map(|found| (None, format!("What was entered {found}."))));
    }
    refused(faults, START_AGAIN)
}

fn refused(faults: Vec<(Option<String>, String)>, again: &'static str) -> Result<(), Error> {
    match faults.is_empty() {
        true => Ok(()),
        false => Err(Error::Guardrail { faults, again }),
    }
}

/// Everything in a payload that comes to this.
fn all_of(action: Action, stage: Stage, payload: &Value, rules: &Rules) -> impl Iterator<Item = Violation> + use<> {
    let report = check(stage, payload, rules).into_iter();
    let found = report.flat_map(|report| report.violations);
    found.filter(move |found| found.action == action)
}

/// What a project does about what its rules find, in the words of a sentence: about what a text holds, and about how long it is.
struct Follows {
    of_parts: &'static str,
    of_size: &'static str,
}

const STOPPED: Follows = Follows {
    of_parts: "which this project stops",
    of_size: "this project stops that",
};
const WARNED: Follows = Follows {
    of_parts: "of which this project warns",
    of_size: "this project warns of that",
};

impl Follows {
    /// What the rules say of the place that all of this was found in, each sort of it once; `None`: nothing was.
    fn tell(&self, found: &[Violation]) -> Option<String> {
        let (mut parts, mut sizes) = (Vec::new(), Vec::new());
        for one in found {
            let of_its_kind = match one.kind {
                Kind::Size => &mut sizes,
                _ => &mut parts,
            };
            let words = one.in_words();
            if !of_its_kind.contains(&words) {
                of_its_kind.push(words);
            }
        }
        let parts = in_a_row(&parts).map(|parts| format!("holds {parts}, {}", self.of_parts));
        let sizes = in_a_row(&sizes).map(|sizes| format!("has {sizes}: {}", self.of_size));
        match (parts, sizes) {
            (Some(parts), Some(sizes)) => Some(format!("{parts}, and {sizes}")),
            (parts, sizes) => parts.or(sizes),
        }
    }
}

/// What a rule says of the place that it was found in.
pub(crate) fn says(found: &Violation) -> String {
    STOPPED.tell(slice::from_ref(found)).unwrap_or_default()
}
