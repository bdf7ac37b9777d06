//! A pipeline's file from nothing.

use super::id::PipelineId;
use super::{ErrorHandling, PENDING};
use crate::edit::write::{Pen, double_quoted};
use crate::tree::{Budget, Grammar, Style, Tree};
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
    let pretty = Writer { plainly: true }.file(value);
    if holds(&pretty) {
        return pretty;
    }
    // A text that some rule of YAML reads otherwise after all: with every text in quotes there is no such rule.
    Writer { plainly: false }.file(value)
}

/// The lines of a new entry of a list, without indentation and final line end: the first one for behind its dash, the others two blanks
/// deeper than that.
pub(crate) fn entry_lines(value: &Map<String, Value>) -> Vec<String> {
    let mut out = "- ".to_owned();
    Writer { plainly: true }.map(value, "  ", &mut out);
    out.lines().map(str::to_owned).collect()
}

/// Lists up to this many characters stand on one line.
const WIDE: usize = 100;

struct Writer {
    /// Without quotes where they are not needed, several lines as several lines.
    plainly: bool,
}

impl Writer {
    fn file(&self, value: &Value) -> String {
        let mut out = String::new();
        match value {
            Value::Object(map) if !map.is_empty() => self.map(map, "", &mut out),
            other => {
                out.push_str(&self.inline(other, false));
                out.push('\n');
            }
        }
        out
    }

    fn inline(&self, value: &Value, flow: bool) -> String {
        let style = if self.plainly { Style::Plain } else { Style::Double };
        let pen = Pen {
            grammar: Grammar::Yaml,
            flow,
            newline: "\n",
            style,
        };
        pen.inline(value)
    }

    fn map(&self, map: &Map<String, Value>, indent: &str, out: &mut String) {
        for (n, (key, value)) in map.iter().enumerate() {
            // The first key of an entry stands behind its dash.
            if n > 0 || !out.ends_with("- ") {
                out.push_str(indent);
            }
            match self.inline(&Value::from(key.as_str()), true) {
                // `? ` and `<<` have meanings of their own as keys.
                key if key == "<<" => out.push_str(&double_quoted(&key)),
                key => out.push_str(&key),
            }
            out.push(':');
            self.behind_colon(value, indent, out);
        }
    }

    fn behind_colon(&self, value: &Value, indent: &str, out: &mut String) {
        let deeper = format!("{indent}  ");
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                out.push('\n');
                self.map(inner, &deeper, out);
            }
            Value::Array(items) if !items.is_empty() => {
                let flat = items.iter().all(|item| !item.is_array() && !item.is_object());
                let line = if flat { self.inline(value, false) } else { String::new() };
                if flat && line.chars().count() <= WIDE {
                    out.push(' ');
                    out.push_str(&line);
                    out.push('\n');
                } else {
                    out.push('\n');
                    self.list(items, &deeper, out);
                }
            }
            Value::String(text) if self.plainly && goes_in_lines(text) => {
                let ends = text.len() - text.trim_end_matches('\n').len();
                out.push_str([" |-\n", " |\n", " |+\n"][ends.min(2)]);
                for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
                    if !line.is_empty() {
                        out.push_str(&deeper);
                        out.push_str(line);
                    }
                    out.push('\n');
                }
            }
            other => {
                out.push(' ');
                out.push_str(&self.inline(other, false));
                out.push('\n');
            }
        }
    }

    fn list(&self, items: &[Value], indent: &str, out: &mut String) {
        for item in items {
            out.push_str(indent);
            out.push_str("- ");
            match item {
                Value::Object(map) if !map.is_empty() => self.map(map, &format!("{indent}  "), out),
                other => {
                    out.push_str(&self.inline(other, false));
                    out.push('\n');
                }
            }
        }
    }
}

/// Whether a text reads best in lines of its own and such lines can carry it.
fn goes_in_lines(text: &str) -> bool {
    let odd = |c: char| c != '\n' && (c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}'));
    text.trim_end_matches('\n').contains('\n')
        && !text.starts_with([' ', '\t', '\n'])
        && !text.chars().any(odd)
        && text.lines().all(|line| line.is_empty() || !line.trim().is_empty())
}
