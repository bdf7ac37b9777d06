//! Sessions (seed 003): the state of a run of several agents as one document, YAML or JSON. A session is no workflow: it is read, checked by its
//! schema and shown, and nothing of it is run.

mod breaks;
mod keeping;

use crate::dialect::File;
use crate::document::{Document, StepField};
use crate::fields::Shape;
use crate::in_tree::InTree;
use crate::in_tree::TreeReading;
use crate::not_a_workflow::NotAWorkflow;
use crate::other_files::{SESSION, looks_like};
use crate::text::Lines;
use crate::tree::{Budget, NodeId, Tree};
pub use breaks::{Break, breaks};
pub use keeping::{ASIDE, Least, keeping};
use model::{Diagnostic, Format, Place, Severity, Workflow, WorkflowId};
use serde_json::Value;
use std::collections::HashMap;

/// The schema that every session keeps (JSON Schema, draft-07).
pub const SCHEMA: &str = include_str!("context_state.schema.json");

/// What is said where somebody wants to run a session.
pub(crate) const LACKS: &str = "what is to be run is not in it: it holds the state of a run";

/// A session, read.
#[derive(Debug, Clone)]
pub struct Session {
    document: Document,
    value: Value,
    lines: Lined,
}

/// The lines on which the parts of lists and of lists of fields begin, by the keys that lead to them.
#[derive(Debug, Clone, Default)]
struct Lined {
    items: HashMap<Vec<String>, Vec<u32>>,
    fields: HashMap<Vec<String>, HashMap<String, u32>>,
}

/// What people are told part by part.
const TOLD: [&[&str]; 7] = [
    &["agent_contexts"],
    &["decision_log"],
    &["feedback_loops"],
    &["checkpoints"],
    &["validation_history"],
    &["workflow_state", "quality_gates_passed"],
    &["workflow_state", "quality_gates_failed"],
];

impl Lined {
    /// One look at each part, however many there are.
    fn of(text: &str, tree: &Tree) -> Self {
        let lines = Lines::of(text);
        let line = |id: NodeId| u32::try_from(lines.line_of(tree.node(id).span.start) + 1).unwrap_or(u32::MAX);
        let mut all = Self::default();
        for way in TOLD {
            let (Some(node), used) = tree.walk(text, way.iter().copied()) else {
                continue;
            };
            if used < way.len() {
                continue;
            }
            let way: Vec<String> = way.iter().map(ToString::to_string).collect();
            if let Some(items) = tree.items(node) {
                all.items.insert(way, items.iter().map(|item| line(*item)).collect());
            } else if let Some(entries) = tree.entries(node) {
                let entries = entries
                    .iter()
                    .map(|(key, _)| (tree.key(text, *key).to_owned(), line(*key)));
                all.fields.insert(way, entries.collect());
            }
        }
        all
    }
}

impl Session {
    /// Reads a text of any content; `None` where it is no session. A session has three or more of the five keys that every session needs, so
    /// that those of the wild that break the schema open too.
    pub fn read(path: &str, text: &str) -> Option<Self> {
        let file = File::of(path, text);
        let told = file.root().and_then(|(context, root)| looks_like(&context, &root));
        if told != Some(SESSION) {
            return None;
        }
        let tree = file.tree?;
        let mut budget = Budget::of(&tree);
        let value = tree.value(text, tree.root?, &mut budget);
        let found = match tree.broken() {
            // What stands behind the break is not known.
            Some(_) => Vec::new(),
            None => breaks(&value).iter().map(|one| one.diagnostic(&value)).collect(),
        };
        let lines = Lined::of(text, &tree);
        let reading = InTree {
            tree,
            reading: Whole {
                workflow: Workflow::new(WorkflowId::new(path), String::new(), Format::ContextState, Vec::new()),
                found,
            },
        };
        let diagnostics = {
            use crate::document::Reading as _;
            let mut found = reading.diagnostics(text);
            if budget.spent {
                let said =
                    "This session repeats parts of itself past all measure, or nests them deeper than anybody writes";
                found.push(Diagnostic::new("GH0113", Severity::Error, Place::document(), said));
            }
            found
        };
        let not = NotAWorkflow {
            looks_like: Some(SESSION),
            ..NotAWorkflow::new(Format::ContextState, LACKS)
        };
        let document = Document::read(path, text, Box::new(reading), diagnostics, Some(not));
        Some(Self { document, value, lines })
    }

    /// Its text, where everything stands in it, and what of it breaks the schema ([`Document::diagnostics`]). Edits change it like any file; its
    /// workflow has no step.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The line on which an entry of a list begins; 1: it is none that people are told of.
    pub fn line_of_item(&self, list: &[&str], n: usize) -> u32 {
        let lines = self.lines.items.get(&*owned(list));
        lines.and_then(|lines| lines.get(n)).copied().unwrap_or(1)
    }

    /// The same of a field.
    pub fn line_of_field(&self, block: &[&str], name: &str) -> u32 {
        let lines = self.lines.fields.get(&*owned(block));
        lines.and_then(|lines| lines.get(name)).copied().unwrap_or(1)
    }

    /// What it says.
    pub fn value(&self) -> &Value {
        &self.value
    }
}

fn owned(way: &[&str]) -> Vec<String> {
    way.iter().map(ToString::to_string).collect()
}

/// A session as one tree: places are keys from its root.
#[derive(Debug)]
struct Whole {
    workflow: Workflow,
    found: Vec<Diagnostic>,
}

impl TreeReading for Whole {
    fn workflow(&self) -> &Workflow {
        &self.workflow
    }

    fn own_diagnostics(&self) -> &[Diagnostic] {
        &self.found
    }

    // The rules of workflows say nothing of a session.
    fn in_words(&self, _found: Vec<Diagnostic>) -> Vec<Diagnostic> {
        Vec::new()
    }

    fn shape(&self) -> Option<(Shape, &'static str)> {
        None
    }

    fn file_path(&self, place: &Place) -> Vec<String> {
        place.path.clone()
    }

    fn place_of(&self, path: Vec<String>) -> Place {
        Place::document().path(path)
    }

    fn field(&self, _step: usize, _field: StepField) -> Option<Place> {
        None
    }
}
