//! A gate that is put in, changed or taken out, in every format that writes it in fields of a step.

use super::Change;
use model::NewGate;
use serde_json::Value;

/// The fields that a gate has besides the word.
const MORE: [&str; 4] = ["gate_at", "gate_question", "gate_asks", "on_reject"];

/// The changes that make a gate. `path`: the keys to a field of the step. `written`: whether a field is there. `nobody`: what keeps
/// everybody away where saying nothing does not.
pub(crate) fn gate_changes(
    path: &dyn Fn(&str) -> Vec<String>,
    written: &dyn Fn(&str) -> bool,
    gate: Option<&NewGate>,
    nobody: Option<&str>,
) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut put = |field: &str, value: Option<Value>| {
        changes.push(Change {
            path: path(field),
            value,
        });
    };
    match gate {
        None => {
            match nobody {
                Some(word) => put("human_gate", Some(word.into())),
                None if written("human_gate") => put("human_gate", None),
                None => {}
            }
            MORE.into_iter()
                .filter(|field| written(field))
                .for_each(|field| put(field, None));
        }
        Some(gate) => {
            put("human_gate", Some(gate.requirement.word().into()));
            if let Some(at) = gate.at {
                let word = match at {
                    model::GateAt::Before => "before",
                    model::GateAt::After => "after",
                };
                put("gate_at", Some(word.into()));
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
