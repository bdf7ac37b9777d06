//! From a recorded case to the text of a flow file, and from there through the dialect, as any file of a person.

use super::case::Fault;
use dialect::Document;
use engine::{ExecutionStatus, RouteDecision, StepResult};
use model::{Fields, StepId};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Which generation of flow files a text is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generation {
    /// `agents`, the bound read before success.
    Config,
    /// `station`, `exit_on`, success read before the bound.
    Spec,
}

/// The text of a flow. Steps without agents get `a`, as in the recorded runs.
///
/// # Errors
/// A step is no object.
pub fn text(key: &str, steps: &[Value], generation: Generation) -> Result<String, Fault> {
    let mut written = Vec::with_capacity(steps.len());
    for step in steps {
        let given = step.as_object().ok_or_else(|| Fault::differs("a step is no object"))?;
        let mut out = Map::new();
        match generation {
            Generation::Config => out.insert("agents".to_owned(), json!(["a"])),
            Generation::Spec => out.insert("station".to_owned(), json!("a")),
        };
        out.insert("role".to_owned(), json!("r"));
        for (field, value) in given {
            out.insert(field.clone(), value.clone());
        }
        written.push(Value::Object(out));
    }
    let flow = json!({"key": key, "title": "A recorded case", "steps": written});
    serde_yaml::to_string(&flow).map_err(|e| Fault::differs(e.to_string()))
}

/// Reads a text.
pub fn read(text: &str) -> Document {
    Document::parse("case.yaml", text)
}

/// The product's decision after a step. `loops`: how often each loop has been taken (`<step>:<target>`).
///
/// # Errors
/// The step is not there.
pub fn route(
    document: &Document,
    step: &str,
    result: &StepResult,
    loops: &BTreeMap<String, u32>,
) -> Result<RouteDecision, Fault> {
    let workflow = document.workflow();
    match workflow.step(&StepId::from(step)) {
        Some(step) => Ok(engine::routing::route(step, workflow, result, loops)),
        None => Err(Fault::differs(format!("the dialect found no step `{step}`"))),
    }
}

/// One loop's counter, as the log keeps it: a loop that was never taken has none.
pub fn loops(step: &str, target: &str, taken: u64) -> BTreeMap<String, u32> {
    let taken = u32::try_from(taken).unwrap_or(u32::MAX);
    let counted = (taken > 0).then(|| (engine::routing::loop_key(&step.into(), &target.into()), taken));
    counted.into_iter().collect()
}

/// A result: what the step reported, over how its execution went. `None`: its receipt cannot be read.
pub fn result(status: ExecutionStatus, report: Option<&Map<String, Value>>) -> StepResult {
    let mut result = StepResult::new(status);
    match report {
        Some(fields) => result.report = fields.clone().into_iter().collect::<Fields>(),
        None => result.receipt_readable = false,
    }
    result
}

/// Compares one value, with its name in the message.
///
/// # Errors
/// They differ.
pub fn same(what: &str, expected: &Value, answered: &Value) -> Result<(), Fault> {
    if expected == answered {
        return Ok(());
    }
    Err(Fault::differs(format!("{what} is {answered}, recorded is {expected}")))
}
