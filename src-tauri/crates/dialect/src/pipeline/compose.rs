//! A pipeline's file from nothing.

use super::id::PipelineId;
use super::{ErrorHandling, PENDING};
use crate::edit::{Habit, Writer};
use crate::tree::{Budget, Tree};
use model::{Gate, GateAt, Work};
use serde_json::{Map, Value};

/// A pipeline as somebody wants it, before it has a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Definition {
    /// `None` for a template: it gets no states either.
    pub id: Option<PipelineId>,
    /// What a person reads.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// What becomes of the rest after a failure; absent: halt.
    pub error_handling: Option<ErrorHandling>,
    /// Extra attempts under `retry`; absent: 2.
    pub max_retries: Option<u32>,
    /// Seconds between attempts under `retry`; absent: 30.
    pub retry_delay_seconds: Option<u32>,
    /// In the order of the file.
    pub stages: Vec<StageDefinition>,
}

/// A stage of a [`Definition`].
#[derive(Debug, Clone, PartialEq)]
pub struct StageDefinition {
    /// Unique in the pipeline.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// What is done: by agents, a script or other workflows. Anything else is written as work for agents.
    pub work: Work,
    /// Who does it.
    pub agents: Vec<String>,
    /// May run beside others.
    pub parallel: bool,
    /// Names of stages.
    pub depends_on: Vec<String>,
    /// What it reads.
    pub inputs: Vec<String>,
    /// What it makes.
    pub outputs: Vec<String>,
    /// Where a person is asked.
    pub gate: Option<Gate>,
}

impl StageDefinition {
    /// A stage that agents do, with nothing else said.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: None,
            work: Work::Agent,
            agents: Vec::new(),
            parallel: false,
            depends_on: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            gate: None,
        }
    }

    fn value(&self, with_state: bool) -> Value {
        let mut map = Map::new();
        let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
        put("name", self.name.as_str().into());
        if let Some(description) = &self.description {
            put("description", description.as_str().into());
        }
        match &self.work {
            Work::Command { script, .. } => {
                put("run", script.as_str().into());
            }
            Work::SubWorkflow { files } => {
                match files.as_slice() {
                    [one] => put("workflow", one.as_str().into()),
                    several => put("workflows", several.into()),
                };
            }
            _ => {}
        }
        if matches!(self.work, Work::Agent) || !self.agents.is_empty() {
            put("agents", self.agents.as_slice().into());
        }
        put("parallel", self.parallel.into());
        put("depends_on", self.depends_on.as_slice().into());
        if !self.inputs.is_empty() {
            put("inputs", self.inputs.as_slice().into());
        }
        put("outputs", self.outputs.as_slice().into());
        if let Some(gate) = &self.gate {
            put("human_gate", gate.requirement.word().into());
            if gate.at == GateAt::Before {
                put("gate_at", "before".into());
            }
            if let Some(question) = &gate.question {
                put("gate_question", question.as_str().into());
            }
            if !gate.asks.is_empty() {
                let asks: Vec<&str> = gate.asks.iter().map(|key| key.as_str()).collect();
                put("gate_asks", asks.into());
            }
            if let Some(to) = &gate.on_reject {
                put("on_reject", to.as_str().into());
            }
        }
        if with_state {
            put("status", PENDING.into());
        }
        Value::Object(map)
    }
}

/// The text of a new pipeline's file: every state pending, quotes only where a text needs them, scripts and other texts of several
/// lines as they are. Whatever the texts hold, reading the file gives them back.
pub fn compose(definition: &Definition) -> String {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
    if let Some(id) = &definition.id {
        put("pipeline_id", id.as_str().into());
    }
    put("name", definition.name.as_str().into());
    if let Some(description) = &definition.description {
        put("description", description.as_str().into());
    }
    let with_state = definition.id.is_some();
    if with_state {
        put("status", PENDING.into());
    }
    if let Some(handling) = definition.error_handling {
        put("error_handling", handling.word().into());
    }
    if let Some(max) = definition.max_retries {
        put("max_retries", max.into());
    }
    if let Some(seconds) = definition.retry_delay_seconds {
        put("retry_delay_seconds", seconds.into());
    }
    let stages = definition.stages.iter().map(|stage| stage.value(with_state)).collect();
    put("stages", Value::Array(stages));
    written(&Value::Object(map))
}

/// A mapping as a YAML file.
pub(super) fn written(value: &Value) -> String {
    let holds = |text: &str| {
        let tree = Tree::read(super::write::NAME, text);
        let mut budget = Budget::of(&tree);
        let read = tree.root.map(|root| tree.value(text, root, &mut budget));
        tree.faults.is_empty() && read.as_ref() == Some(value)
    };
    let pretty = Writer {
        plainly: true,
        habit: Habit::default(),
    }
    .file(value);
    if holds(&pretty) {
        return pretty;
    }
    // A text that some rule of YAML reads otherwise after all: with every text in quotes there is no such rule.
    Writer {
        plainly: false,
        habit: Habit::default(),
    }
    .file(value)
}
