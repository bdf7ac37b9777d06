//! What the renderings need to know of a workflow and the log does not repeat.

use model::{AgentKey, ContractWords, Gate, Retries, Routing, Step, StepId, ToolCall, Workflow};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

/// Facts of every step. Parsed by the caller from the source blob that the run keeps; a step that is not in it is rendered
/// without role and index. Copies share them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts(Arc<BTreeMap<StepId, StepFacts>>);

impl Deref for Facts {
    type Target = BTreeMap<StepId, StepFacts>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<I: IntoIterator<Item = (StepId, StepFacts)>> From<I> for Facts {
    fn from(facts: I) -> Self {
        Self(Arc::new(facts.into_iter().collect()))
    }
}

/// Facts of one step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepFacts {
    /// `role` of seed 001: what the step is to do.
    pub role: String,
    /// Place in the file, 1-based.
    pub index: u32,
    /// Who performs it.
    pub agents: Vec<AgentKey>,
    /// What it takes, as written.
    pub inputs: Vec<String>,
    /// It has a microloop: its receipts carry `routing`.
    pub microloop: Option<LoopFacts>,
    /// What a person reads.
    pub name: String,
    /// Phase or lane.
    pub phase: Option<String>,
    /// Where a person is asked.
    pub gate: Option<Gate>,
    /// Whether what its gate decides can be taken back, in the author's words (the step's own field `reversibility`).
    pub reversibility: Option<String>,
    /// Of a StepSpec step: its twelve fields as they were read (seed 000 "Fields").
    pub spec: Option<Value>,
}

/// Facts of a microloop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopFacts {
    /// Where it loops to.
    pub target: Option<StepId>,
    /// Its bound.
    pub max: u32,
}

impl StepFacts {
    /// The facts of every step of a workflow. Of two steps with one id the first counts, as everywhere.
    pub fn of(workflow: &Workflow) -> Facts {
        let mut facts = BTreeMap::new();
        for step in workflow.steps() {
            let microloop = match &step.routing {
                Routing::Microloop(m) => Some(LoopFacts {
                    target: m.loop_target.clone(),
                    max: m.max_iterations,
                }),
                _ => None,
            };
            facts.entry(step.id.clone()).or_insert_with(|| Self {
                role: step.intent.clone().unwrap_or_default(),
                index: u32::try_from(step.ordinal + 1).unwrap_or(u32::MAX),
                agents: step.agents.clone(),
                inputs: step.inputs.clone(),
                microloop,
                name: step.name.clone(),
                phase: step.phase.clone(),
                gate: step.gate.clone(),
                reversibility: reversibility(step),
                spec: (workflow.contract().vocabulary == ContractWords::StepSpec).then(|| spec(step)),
            });
        }
        Facts(Arc::new(facts))
    }
}

fn reversibility(step: &Step) -> Option<String> {
    let said = match step.fields.get("reversibility")? {
        Value::String(text) => text.trim().to_owned(),
        Value::Null => return None,
        other => other.to_string(),
    };
    (!said.is_empty()).then_some(said)
}

/// The twelve fields of a step; what was left out has its default.
fn spec(step: &Step) -> Value {
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
