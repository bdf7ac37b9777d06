//! What the renderings need to know of a workflow and the log does not repeat.

use model::{ContractWords, Retries, Step, StepId, ToolCall, Workflow};
use serde_json::{Map, Value, json};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// What the renderings read of the version of a workflow that a run keeps: as it is written, placeholders and all, so that whoever has
/// the text renders the same. A step that is not in it is rendered without role and index. Copies share it with whoever else holds it.
#[derive(Clone)]
pub struct Facts(Arc<dyn Deref<Target = Workflow> + Send + Sync>);

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Facts").field(&self.0.id).finish()
    }
}

impl Facts {
    /// Those of a workflow.
    pub fn of(workflow: impl Deref<Target = Workflow> + Send + Sync + 'static) -> Self {
        Self(Arc::new(workflow))
    }

    /// A step by its id; of two of one id the first, as everywhere.
    pub(crate) fn get(&self, step: &StepId) -> Option<&Step> {
        self.0.step(step)
    }

    /// The steps as they stand in the file.
    pub(crate) fn steps(&self) -> impl Iterator<Item = &Step> {
        let steps = self.0.steps().iter();
        steps.filter(|step| self.get(&step.id).is_some_and(|first| first.ordinal == step.ordinal))
    }

    /// A step's place in its file, 1-based; absent: it is not in it.
    pub(crate) fn place(&self, step: &StepId) -> Option<u32> {
        let step = self.get(step)?;
        Some(u32::try_from(step.ordinal + 1).unwrap_or(u32::MAX))
    }

    /// Whether stages of it may be at work beside each other: one is marked for that, and others may begin when it does.
    pub(crate) fn is_beside(&self) -> bool {
        let beside = |wave: &Vec<&Step>| wave.len() > 1 && wave.iter().any(|step| step.parallel);
        self.0.waves().iter().any(beside)
    }

    /// Whether its steps have the twelve fields of StepSpec ([`spec`]).
    pub(crate) fn is_stepspec(&self) -> bool {
        self.0.contract().vocabulary == ContractWords::StepSpec
    }
}

/// `role` of seed 001: what a step is to do.
pub(crate) fn role(step: &Step) -> &str {
    step.intent.as_deref().unwrap_or_default()
}

/// Whether what a step's gate decides can be taken back, in the author's words (the step's own field `reversibility`).
pub(crate) fn reversibility(step: &Step) -> Option<String> {
    let said = match step.fields.get("reversibility")? {
        Value::String(text) => text.trim().to_owned(),
        Value::Null => return None,
        other => other.to_string(),
    };
    (!said.is_empty()).then_some(said)
}

/// The twelve fields of a StepSpec step as they were read; what was left out has its default (seed 000 "Fields").
pub(crate) fn spec(step: &Step) -> Value {
    let text = |text: &Option<String>| json!(text.as_deref().unwrap_or_default());
    json!({
        "id": step.id,
        "name": step.name,
        "description": text(&step.intent),
        "phase": text(&step.phase),
        "inputs": step.parameters,
        "outputs": step.outputs,
        "templates": step.templates,
        "tools": step.tools.iter().map(tool).collect::<Vec<_>>(),
        "validation": text(&step.validation),
        "evidence": text(&step.evidence),
        "human_gate": step.gate.as_ref().map_or("none", |gate| gate.requirement.word()),
        "retries": step.retries.as_ref().map_or_else(|| json!({}), retries),
    })
}

fn tool(call: &ToolCall) -> Value {
    let mut out = Map::from_iter([
        ("name".to_owned(), json!(call.name)),
        ("args".to_owned(), call.args.clone()),
        ("required".to_owned(), json!(call.required)),
    ]);
    if let Some(risk) = call.risk {
        out.insert("risk".to_owned(), json!(risk.word()));
    }
    if let Some(gate) = &call.gate {
        out.insert("gate".to_owned(), json!(gate));
    }
    Value::Object(out)
}

fn retries(retries: &Retries) -> Value {
    let seconds = match retries.backoff_ms % 1_000 {
        0 => json!(retries.backoff_ms / 1_000),
        _ => json!(retries.backoff_ms as f64 / 1e3),
    };
    let mut out = Map::from_iter([("backoff_seconds".to_owned(), seconds)]);
    if let Some(max) = retries.max {
        out.insert("max".to_owned(), json!(max));
    }
    Value::Object(out)
}
