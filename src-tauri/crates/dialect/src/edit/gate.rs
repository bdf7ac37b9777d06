//! A gate that is put in, changed or taken out, in every format that writes it in fields of a step.

use super::Change;
use crate::said::called;
use model::{GateAt, NewGate, Step, Workflow};
use serde_json::Value;

/// The fields that a gate has besides the word.
pub(crate) const GATE_FIELDS: [&str; 4] = ["gate_at", "gate_question", "gate_asks", "on_reject"];

/// What a gate is where nothing is said.
pub(crate) struct Unsaid {
    /// When a person is asked.
    pub(crate) at: GateAt,
    /// What keeps everybody away where saying nothing does not.
    pub(crate) nobody: Option<&'static str>,
}

/// A step that asks after its work where it says no more, and nobody where it says nothing.
pub(crate) const AFTER: Unsaid = Unsaid {
    at: GateAt::After,
    nobody: None,
};

/// Whether a rejection at a step can lead to another one, where steps wait for each other: work goes back only to what was waited for.
pub(crate) fn leads_back(workflow: &Workflow, from: &Step, to: &Step) -> bool {
    let behind = workflow.all_dependents(to);
    from.ordinal != to.ordinal && behind.iter().any(|step| step.ordinal == from.ordinal)
}

/// Why it cannot.
pub(crate) fn no_way_back(from: &Step, to: &Step) -> String {
    match from.ordinal == to.ordinal {
        true => format!(
            "what is rejected at {} goes back to a step that was done before it",
            called(&from.id)
        ),
        false => format!(
            "{} does not wait for {}, so what is rejected cannot go back to it",
            called(&from.id),
            called(&to.id)
        ),
    }
}

/// The changes that make a gate; what holds without being written is not written. `path`: the keys to a field of the step. `field`: what
/// is written in it.
pub(crate) fn gate_changes<'v>(
    path: &dyn Fn(&str) -> Vec<String>,
    field: &dyn Fn(&str) -> Option<&'v Value>,
    gate: Option<&NewGate>,
    unsaid: &Unsaid,
) -> Vec<Change> {
    let written = |name: &str| field(name).is_some();
    let mut changes = Vec::new();
    let mut put = |field: &str, value: Option<Value>| {
        changes.push(Change {
            path: path(field),
            value,
        });
    };
    match gate {
        None => {
            match unsaid.nobody {
                Some(word) => put("human_gate", Some(word.into())),
                None if written("human_gate") => put("human_gate", None),
                None => {}
            }
            GATE_FIELDS
                .into_iter()
                .filter(|field| written(field))
                .for_each(|field| put(field, None));
        }
        Some(gate) => {
            put("human_gate", Some(gate.requirement.word().into()));
            if let Some(at) = gate.at {
                let word = match at {
                    GateAt::Before => "before",
                    GateAt::After => "after",
                };
                match field("gate_at") {
                    Some(now) if now.as_str() == Some(word) => {}
                    None if at == unsaid.at => {}
                    Some(_) if at == unsaid.at => put("gate_at", None),
                    _ => put("gate_at", Some(word.into())),
                }
            }
            let question = gate.question.as_deref().map(str::trim);
            match question {
                Some("") if written("gate_question") => put("gate_question", None),
                Some("") | None => {}
                Some(question) => put("gate_question", Some(question.into())),
            }
            match gate.asks.as_deref() {
                Some([]) if written("gate_asks") => put("gate_asks", None),
                Some([]) | None => {}
                Some(asks) => put("gate_asks", Some(asks.into())),
            }
        }
    }
    changes
}
