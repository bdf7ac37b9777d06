//! From a template to a pipeline (seed 004 "Copy template stages to new pipeline definition").

use super::compose::written;
use super::id::PipelineId;
use super::states::taken_over;
use super::write::{NAME, WriteError, changed, root_of};
use super::{PipelineStatus, StageState, StageStatus, States, with_states};
use crate::document::Document;
use crate::edit::{Change, EditError};
use crate::text::{Span, TextEdit, apply};
use crate::tree::{Budget, Kind, NodeId, Tree};
use serde_json::Value;

/// The text of a new pipeline made of a template's text: the template with an id, all states pending, and without what belonged to
/// a run; comments and everything else as they are. `name`: what a person reads, where it is another than the template's.
///
/// # Errors
/// [`WriteError`]: the template cannot be read, or there is no way to write these keys without changing something else.
pub fn instantiate(template: &str, id: &PipelineId, name: Option<&str>) -> Result<String, WriteError> {
    let text = with_id(template, id)?;
    let (tree, root) = root_of(&text)?;
    let mut changes = Vec::new();
    if let Some(name) = name {
        changes.push(Change {
            path: vec!["name".to_owned()],
            value: Some(name.into()),
        });
    }
    let stages = tree.get(&text, root, "stages").and_then(|id| tree.items(id));
    let stages = stages.ok_or(WriteError::NoPipeline)?;
    // What has no place for the states of a run gives no pipeline that could run.
    if let Some(place) = taken_over(&text, &tree, root).into_iter().next() {
        let stage = place.step.map(|n| format!("stages.{n}"));
        let path = stage.into_iter().chain(place.path).collect::<Vec<_>>().join(".");
        return Err(WriteError::NotExact(EditError::Shared { path }));
    }
    let mut left_over = |holder: NodeId, path: &[String]| {
        for key in ["error", "started_at", "completed_at", "duration_seconds"] {
            let own = tree.get(&text, holder, key).is_some();
            if own && !matches!(tree.node(holder).kind, Kind::Alias { .. }) {
                let mut path = path.to_vec();
                path.push(key.to_owned());
                changes.push(Change { path, value: None });
            }
        }
    };
    left_over(root, &[]);
    for (n, stage) in stages.iter().enumerate() {
        left_over(*stage, &["stages".to_owned(), n.to_string()]);
    }
    let text = changed(&text, &tree, &changes)?;
    // By this name every text is read as a pipeline.
    let before = Document::parse(&id.file_name(), template);
    let pending = |name: &str| StageState {
        name: name.to_owned(),
        status: StageStatus::Pending,
        error: None,
    };
    let states = States {
        status: PipelineStatus::Pending,
        error: None,
        stages: before
            .workflow()
            .steps()
            .iter()
            .map(|step| pending(step.id.as_str()))
            .collect(),
    };
    let text = with_states(&text, &states)?;
    let after = Document::parse(&id.file_name(), &text);
    if after.workflow().id.as_str() == id.as_str() && after.workflow().steps() == before.workflow().steps() {
        Ok(text)
    } else {
        Err(not_exact("pipeline_id"))
    }
}

fn not_exact(path: &str) -> WriteError {
    let path = path.to_owned();
    WriteError::NotExact(EditError::NotExact { path })
}

/// The text with `pipeline_id`; a new one stands before everything else.
fn with_id(text: &str, id: &PipelineId) -> Result<String, WriteError> {
    let (tree, root) = root_of(text)?;
    let first = match &tree.node(root).kind {
        Kind::Map { entries, flow: false } if tree.get(text, root, "pipeline_id").is_none() => entries.first(),
        _ => None,
    };
    let Some((first, _)) = first else {
        let value = Some(id.as_str().into());
        let path = vec!["pipeline_id".to_owned()];
        return changed(text, &tree, &[Change { path, value }]);
    };
    let at = tree.node(*first).span.start;
    let line = text[..at].rfind(['\n', '\r']).map_or(0, |n| n + 1);
    let indent = text[line..at].trim_start_matches('\u{feff}');
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    if !indent.trim_matches(' ').is_empty() {
        return Err(not_exact("pipeline_id"));
    }
    let edit = TextEdit {
        span: Span { start: at, end: at },
        replacement: format!("pipeline_id: {id}{newline}{indent}"),
    };
    Ok(apply(text, &[edit]))
}

/// A template in a pipeline configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// What it is called by: `full_sdlc`.
    pub key: String,
    /// It as a file of its own, for [`instantiate`] and [`Document::parse`].
    pub text: String,
}

/// The templates of a pipeline configuration, the mapping `templates` at its top, in its order. Entries without a list of
/// `stages` are passed over. Values are kept, comments are not. Empty for a text that is no such configuration.
pub fn templates(text: &str) -> Vec<Template> {
    let tree = Tree::read(NAME, text);
    let Some(root) = tree.root.filter(|_| tree.broken().is_none()) else {
        return Vec::new();
    };
    let mut budget = Budget::of(&tree);
    let list = tree
        .get(text, root, "templates")
        .map(|id| tree.value(text, id, &mut budget));
    let Some(Value::Object(list)) = list.filter(|_| !budget.spent) else {
        return Vec::new();
    };
    list.into_iter()
        .filter(|(_, value)| value.get("stages").is_some_and(Value::is_array))
        .map(|(key, value)| Template {
            text: written(&value),
            key,
        })
        .collect()
}

/// What a configuration says that means nothing to Gatehouse, one sentence each: everything but its templates.
pub fn without_effect(text: &str) -> Vec<String> {
    let tree = Tree::read(NAME, text);
    if let Some(fault) = tree.broken() {
        return vec![format!("nothing of it is read: {}", fault.detail)];
    }
    let mut budget = Budget::of(&tree);
    let read = tree.root.map(|root| tree.value(text, root, &mut budget));
    let Some(Value::Object(keys)) = read.filter(|_| !budget.spent) else {
        return vec!["nothing of it is read: its outermost level is not a list of fields".to_owned()];
    };
    let mut said = Vec::new();
    for (key, value) in keys {
        match value {
            Value::Object(list) if key == "templates" => {
                let stages = |value: &Value| value.get("stages").is_some_and(Value::is_array);
                let others = list.into_iter().filter(|(_, value)| !stages(value));
                said.extend(
                    others.map(|(key, _)| format!("`templates.{key}` has no list of stages and is no template")),
                );
            }
            _ => said.push(format!("`{key}` has no effect; `templates` is what is read here")),
        }
    }
    said
}
