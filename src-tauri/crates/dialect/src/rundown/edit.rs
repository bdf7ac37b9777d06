//! Changes of a runbook: from a place and a value to the smallest change of the text.
//!
//! Every candidate is proved: the changed text is read again, and the model must be the old one with exactly the wanted
//! change. What cannot be proved is not written.

use super::build::{slice, with_plain_ends};
use super::change::Change;
use super::place::{Field, raw_span};
use super::write::{Way, Writer};
use super::{Runbook, front, in_front, read};
use crate::document::Document;
use crate::edit::{EditError, TreeError, tree_edit, trimmed};
use crate::text::{TextEdit, apply};
use model::{Edit, Place, Step, Workflow};
use serde_json::Value;

impl Runbook {
    /// See [`Document::edit`].
    pub(super) fn edit_in(&self, document: &Document, edit: &Edit) -> Result<Vec<TextEdit>, EditError> {
        let place = edit.place();
        let path = shown(place);
        if matches!(edit, Edit::Move { .. }) {
            let why = "what stands in a runbook is numbered; move it in the source".to_owned();
            return Err(EditError::NotUnderstood { path, why });
        }
        let text = document.text();
        if raw_span(text, place).is_some() {
            return proposed(document, edit).ok_or(EditError::Missing { path });
        }
        let Some(ordinal) = place.step else {
            return self.edit_document(document, edit);
        };
        let missing = || EditError::Missing { path: path.clone() };
        // What a step says in Markdown has no name that could be another one.
        if matches!(edit, Edit::Rename { .. }) {
            return Err(missing());
        }
        let unit = self.units.get(ordinal).ok_or_else(missing)?;
        let field = Field::of(&place.path).ok_or_else(missing)?;
        let value = match edit {
            Edit::Set { value, .. } => Some(value),
            Edit::Remove { .. } | Edit::Move { .. } | Edit::Rename { .. } => None,
        };
        let wanted = match value {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(field.normal(text)),
            Some(_) => return Err(missing()),
        };
        let now = unit.value_of(text, field);
        let may_be_blank = matches!(field, Field::Title | Field::Prompt);
        match &wanted {
            Some(wanted) if now.as_ref().is_some_and(|now| now == wanted) => return Ok(Vec::new()),
            Some(wanted) if may_be_blank && wanted.is_empty() && now.is_none() => return Ok(Vec::new()),
            None if may_be_blank && now.is_none() => return Err(missing()),
            _ => {}
        }
        let change = Change {
            runbook: self,
            document,
            ordinal,
            unit,
            writer: Writer { text, runbook: self },
            path: path.clone(),
        };
        match (field, wanted) {
            (Field::Title, title) => change.title(title.as_deref().unwrap_or("")),
            (Field::Prompt, prompt) => change.prompt(prompt.as_deref().unwrap_or("")),
            (Field::Command, Some(script)) => change.command(&script),
            (Field::Command, None) => change.without_command(),
            (Field::Transition(n), Some(line)) => change.transition(n, &line),
            (Field::Transition(n), None) => change.without_transition(n),
            (Field::Target(n), Some(target)) => change.target(n, &target),
            (Field::File(n), Some(file)) => change.file(n, &file),
            (Field::File(n), None) => change.without_file(n),
            (Field::Id, Some(id)) => change.id(&id),
            _ => Err(missing()),
        }
    }

    /// A field of the front matter, the title or the description.
    fn edit_document(&self, document: &Document, edit: &Edit) -> Result<Vec<TextEdit>, EditError> {
        let place = edit.place();
        let text = document.text();
        let path = shown(place);
        let missing = || EditError::Missing { path: path.clone() };
        let [first, ..] = place.path.as_slice() else {
            return Err(missing());
        };
        let in_front = self.workflow.fields.contains_key(first);
        let writer = Writer { text, runbook: self };
        if !in_front && matches!((first.as_str(), place.path.len()), ("title" | "description", 1)) {
            let said = |runbook: &Self, text: &str, field: &str| {
                let span = runbook.preamble_span(&[field.to_owned()]);
                span.map(|span| slice(text, span))
            };
            let now = said(self, text, first);
            let other = if first == "title" { "description" } else { "title" };
            let (ways, wanted) = match edit {
                Edit::Set {
                    value: Value::String(value),
                    ..
                } => {
                    let wanted = with_plain_ends(value.trim());
                    if wanted == *now.as_deref().unwrap_or_default() {
                        return Ok(Vec::new());
                    }
                    (writer.heading_text(first, &wanted), wanted)
                }
                Edit::Remove { .. } if first == "description" && now.is_some() => {
                    (writer.heading_text(first, ""), String::new())
                }
                _ => return Err(missing()),
            };
            return self.proved(document, ways, &path, |after, changed| {
                said(after, changed, first).unwrap_or_default() == wanted
                    && said(after, changed, other) == said(self, text, other)
                    && after.workflow.steps() == self.workflow.steps()
                    && after.workflow.fields == self.workflow.fields
            });
        }
        // Who does the only step that is named goes with the whole block: an empty one says nothing.
        let is_last = matches!(edit, Edit::Remove { .. })
            && matches!(place.path.as_slice(), [agents, _] if agents == "agents")
            && self.value_at(text, place).is_some()
            && self
                .workflow
                .fields
                .get(first)
                .and_then(Value::as_object)
                .is_some_and(|named| named.len() == 1);
        let taken = if is_last { &place.path[..1] } else { &place.path[..] };
        // Where nothing but remarks would be left, they stay.
        let is_remarked = |front: &front::Front| self.workflow.fields.len() == 1 && front.source(text).contains('#');
        let ways = match &self.front {
            Some(front) if is_last && front.tree.broken().is_none() && !is_remarked(front) => {
                vec![in_front::taken_out(front, text, |sheet| {
                    sheet.take_out(vec![taken.to_vec()])
                })?]
            }
            Some(front) if front.tree.root.is_some() => {
                let source = front.source(text);
                let edits = tree_edit(front::NAME, source, &front.tree, taken, edit)
                    .map_err(|error| error.at(text, front.inner.start))?;
                vec![edits.into_iter().map(|edit| moved(edit, front.inner.start)).collect()]
            }
            Some(front) if front.tree.broken().is_some() => {
                let at = front.tree.broken().map_or(0, |fault| fault.at);
                return Err(TreeError::Broken(at).at(text, front.inner.start));
            }
            _ => match edit {
                Edit::Set { value, .. } => vec![writer.new_front(&place.path, value)],
                Edit::Remove { .. } | Edit::Move { .. } | Edit::Rename { .. } => return Err(missing()),
            },
        };
        // What the YAML says is proved already; the Markdown must be what it was.
        let bare = |workflow: &Workflow| -> Vec<Step> {
            let without = |step: &Step| Step {
                agents: Vec::new(),
                ..step.clone()
            };
            workflow.steps().iter().map(without).collect()
        };
        let before = bare(&self.workflow);
        let value = match edit {
            Edit::Set { value, .. } => Some(value.clone()),
            Edit::Remove { .. } | Edit::Move { .. } | Edit::Rename { .. } => None,
        };
        let others = |workflow: &Workflow| {
            let mut fields = workflow.fields.clone();
            fields.shift_remove(first);
            if let Edit::Rename { to, .. } = edit {
                fields.shift_remove(to);
            }
            fields
        };
        self.proved(document, ways, &path, |after, changed| {
            let whole = match &after.front {
                Some(front) => front.tree.broken().is_none(),
                None => is_last,
            };
            let now = after.value_at(changed, place);
            whole
                && now == value
                && bare(&after.workflow) == before
                && others(&after.workflow) == others(&self.workflow)
        })
    }

    /// The first way that says what is wanted.
    pub(super) fn proved(
        &self,
        document: &Document,
        ways: Vec<Way>,
        path: &str,
        holds: impl Fn(&Self, &str) -> bool,
    ) -> Result<Vec<TextEdit>, EditError> {
        let text = document.text();
        ways.into_iter()
            .map(|way| {
                way.into_iter()
                    .map(|edit| trimmed(text, edit))
                    .filter(|edit| !edit.is_empty())
                    .collect()
            })
            .find(|way: &Way| {
                let changed = apply(text, way);
                holds(&read(document.path(), &changed), &changed)
            })
            .ok_or_else(|| EditError::NotExact { path: path.to_owned() })
    }
}

/// `steps.2.title`.
fn shown(place: &Place) -> String {
    let step = place.step.into_iter().flat_map(|n| ["steps".to_owned(), n.to_string()]);
    step.chain(place.path.iter().cloned()).collect::<Vec<_>>().join(".")
}

/// Bytes without a name are changed only as a problem of this very document proposes, and only when that mends it.
fn proposed(document: &Document, edit: &Edit) -> Option<Vec<TextEdit>> {
    let Edit::Set {
        place,
        value: Value::String(value),
    } = edit
    else {
        return None;
    };
    let fixes = |d: &&model::Diagnostic| d.fix.as_ref().is_some_and(|fix| fix.edit == *edit);
    let code = document.diagnostics().iter().find(fixes)?.code.clone();
    let span = raw_span(document.text(), place)?;
    let edits = vec![trimmed(
        document.text(),
        TextEdit {
            span,
            replacement: value.clone(),
        },
    )];
    let count = |document: &Document| document.diagnostics().iter().filter(|d| d.code == code).count();
    let after = Document::parse(document.path(), &apply(document.text(), &edits));
    let bounded = count(document) > model::rules::MOST_OF_A_CODE;
    (bounded || count(&after) < count(document)).then_some(edits)
}

fn moved(mut edit: TextEdit, by: usize) -> TextEdit {
    edit.span = super::place::shifted(edit.span, by);
    edit
}
