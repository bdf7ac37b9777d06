//! Changes of a runbook: from a place and a value to the smallest change of the text.
//!
//! Every candidate is proved: the changed text is read again, and the model must be the old one with exactly the wanted
//! change. What cannot be proved is not written.

use super::build::slice;
use super::place::{Field, raw_span};
use super::transition::{self, Line};
use super::unit::Unit;
use super::write::Writer;
use super::{Runbook, front, read};
use crate::document::Document;
use crate::edit::{EditError, tree_edit, trimmed};
use crate::text::{TextEdit, apply};
use model::{Action, Edit, Jump, Place, Routing, Step, StepId, Transition, Work, Workflow};
use serde_json::Value;

/// One way of writing a change.
pub(super) type Way = Vec<TextEdit>;

impl Runbook {
    /// See [`Document::edit`].
    pub(crate) fn edit(&self, document: &Document, edit: &Edit) -> Result<Vec<TextEdit>, EditError> {
        let (Edit::Set { place, .. } | Edit::Remove { place }) = edit;
        let path = shown(place);
        let text = document.text();
        if raw_span(text, place).is_some() {
            return proposed(document, edit).ok_or(EditError::Missing { path });
        }
        let Some(ordinal) = place.step else {
            return self.edit_document(document, edit);
        };
        let missing = || EditError::Missing { path: path.clone() };
        let unit = self.units.get(ordinal).ok_or_else(missing)?;
        let field = Field::of(&place.path).ok_or_else(missing)?;
        let value = match edit {
            Edit::Set { value, .. } => Some(value),
            Edit::Remove { .. } => None,
        };
        let wanted = match value {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.replace("\r\n", "\n").replace('\r', "\n")),
            Some(_) => return Err(missing()),
        };
        if wanted.is_some() && unit.value_of(text, field) == wanted.as_deref().map(Value::from) {
            return Ok(Vec::new());
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
            (Field::Title, title) => change.title(title.as_deref().map(str::trim).unwrap_or("")),
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
        let (Edit::Set { place, .. } | Edit::Remove { place }) = edit;
        let text = document.text();
        let path = shown(place);
        let missing = || EditError::Missing { path: path.clone() };
        let [first, ..] = place.path.as_slice() else {
            return Err(missing());
        };
        let in_front = self.workflow.fields.contains_key(first);
        let writer = Writer { text, runbook: self };
        if !in_front && matches!((first.as_str(), place.path.len()), ("title" | "description", 1)) {
            let (ways, wanted) = match edit {
                Edit::Set {
                    value: Value::String(value),
                    ..
                } => (
                    writer.heading_text(first, value.trim()),
                    Some(value.trim().replace("\r\n", "\n")),
                ),
                Edit::Remove { .. } if first == "description" => (writer.heading_text(first, ""), None),
                _ => return Err(missing()),
            };
            return self.proved(document, ways, &path, |after, changed| {
                let now = after.preamble_span(&place.path).map(|span| slice(changed, span));
                now == wanted
                    && after.workflow.steps() == self.workflow.steps()
                    && after.workflow.fields == self.workflow.fields
            });
        }
        let ways = match &self.front {
            Some(front) if front.tree.root.is_some() => {
                let source = front.source(text);
                let edits = tree_edit(front::NAME, source, &front.tree, &place.path, edit)
                    .map_err(|error| error.at(document, front.inner.start))?;
                vec![edits.into_iter().map(|edit| moved(edit, front.inner.start)).collect()]
            }
            _ => match edit {
                Edit::Set { value, .. } => vec![writer.new_front(&place.path, value)],
                Edit::Remove { .. } => return Err(missing()),
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
            Edit::Remove { .. } => None,
        };
        let others = |workflow: &Workflow| {
            let mut fields = workflow.fields.clone();
            fields.shift_remove(first);
            fields
        };
        self.proved(document, ways, &path, |after, changed| {
            let now = after.value(changed, place).filter(|_| after.front.is_some());
            now == value && bare(&after.workflow) == before && others(&after.workflow) == others(&self.workflow)
        })
    }

    /// The first way that says what is wanted.
    fn proved(
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

/// A change of one step.
struct Change<'a> {
    runbook: &'a Runbook,
    document: &'a Document,
    ordinal: usize,
    unit: &'a Unit,
    writer: Writer<'a>,
    path: String,
}

type Edits = Result<Vec<TextEdit>, EditError>;

impl Change<'_> {
    fn missing(&self) -> EditError {
        EditError::Missing {
            path: self.path.clone(),
        }
    }

    fn not_understood(&self, why: impl Into<String>) -> EditError {
        EditError::NotUnderstood {
            path: self.path.clone(),
            why: why.into(),
        }
    }

    /// Tries the ways: everything else stays, and of this step only what `expected` says differs. `expected` makes the
    /// wanted step from the old one and the new one (for what follows from the change); `None`: the change is not there.
    fn try_ways(&self, ways: Vec<Way>, expected: impl Fn(&Step, &Step, &Runbook, &str) -> Option<Step>) -> Edits {
        let before = &self.runbook.workflow;
        self.runbook.proved(self.document, ways, &self.path, |after, text| {
            let (old, new) = (before.steps(), after.workflow.steps());
            let outside = old.len() == new.len()
                && after.workflow.title == before.title
                && after.workflow.description == before.description
                && after.workflow.fields == before.fields;
            outside
                && old.iter().zip(new).enumerate().all(|(n, (old, new))| {
                    if n == self.ordinal {
                        expected(old, new, after, text).as_ref() == Some(new)
                    } else {
                        old == new
                    }
                })
        })
    }

    fn title(&self, title: &str) -> Edits {
        if title.contains('\n') {
            return Err(self.not_understood("a title is one line"));
        }
        self.try_ways(self.writer.title(self.unit, title), |old, new, after, text| {
            let now = after.units[self.ordinal].value_of(text, Field::Title);
            let said = now.as_ref().and_then(Value::as_str).unwrap_or("") == title;
            said.then(|| Step {
                name: new.name.clone(),
                ..old.clone()
            })
        })
    }

    fn prompt(&self, prompt: &str) -> Edits {
        let wanted = prompt.trim_matches([' ', '\t', '\n']);
        self.try_ways(self.writer.prompt(self.unit, wanted), |old, _, _, _| {
            let mut step = old.clone();
            step.intent = Some(wanted.to_owned()).filter(|text| !text.is_empty());
            if let Work::Prompt { text } = &mut step.work {
                wanted.clone_into(text);
            }
            Some(step)
        })
    }

    fn command(&self, script: &str) -> Edits {
        let mut wanted = script.to_owned();
        if !wanted.is_empty() && !wanted.ends_with('\n') {
            wanted.push('\n');
        }
        if self.unit.command().is_none() && matches!(self.runbook.workflow.steps()[self.ordinal].work, Work::Group) {
            return Err(self.missing());
        }
        self.try_ways(self.writer.command(self.unit, &wanted), |old, _, _, _| {
            let language = match &old.work {
                Work::Command { language, .. } => language.clone(),
                Work::Prompt { .. } => super::write::LANGUAGE.to_owned(),
                _ => return None,
            };
            Some(Step {
                work: Work::Command {
                    language,
                    script: wanted.clone(),
                },
                ..old.clone()
            })
        })
    }

    fn without_command(&self) -> Edits {
        let fence = self.unit.command().ok_or_else(|| self.missing())?;
        self.try_ways(self.writer.without_block(fence.span), |old, _, _, _| {
            Some(Step {
                work: Work::Prompt {
                    text: old.intent.clone().unwrap_or_default(),
                },
                ..old.clone()
            })
        })
    }

    fn with_transitions(old: &Step, transitions: Vec<Transition>) -> Option<Step> {
        Some(Step {
            routing: Routing::Transitions { transitions },
            ..old.clone()
        })
    }

    fn transitions(&self) -> Vec<Transition> {
        self.unit
            .transitions
            .iter()
            .map(|read| read.transition.clone())
            .collect()
    }

    fn transition(&self, n: usize, line: &str) -> Edits {
        let line = line.trim();
        let read = match transition::read(line, 0) {
            Line::Transition(read) if !line.contains('\n') => read.transition,
            Line::Broken(broken) => return Err(self.not_understood(broken.said)),
            _ => return Err(self.not_understood("a transition is one line, `PASS: CONTINUE`")),
        };
        let mut wanted = self.transitions();
        let ways = if n < wanted.len() {
            wanted[n] = read;
            vec![vec![TextEdit {
                span: self.unit.transitions[n].span,
                replacement: line.to_owned(),
            }]]
        } else if n == wanted.len() {
            wanted.push(read);
            self.writer.new_transition(self.unit, line)
        } else {
            return Err(self.missing());
        };
        self.try_ways(ways, |old, _, _, _| Self::with_transitions(old, wanted.clone()))
    }

    fn without_transition(&self, n: usize) -> Edits {
        let gone = self.unit.transitions.get(n).ok_or_else(|| self.missing())?;
        let mut wanted = self.transitions();
        wanted.remove(n);
        let ways = self.writer.without_line(gone.span);
        self.try_ways(ways, |old, _, _, _| Self::with_transitions(old, wanted.clone()))
    }

    fn target(&self, n: usize, target: &str) -> Edits {
        let span = self.unit.span_of(Field::Target(n)).ok_or_else(|| self.missing())?;
        let target = target.trim();
        let id = super::id::whole(target)
            .map(|id| StepId::new(id.to_string()))
            .map_err(|_| self.not_understood(format!("`{target}` is no identifier of a step")))?;
        let mut wanted = self.transitions();
        retarget(&mut wanted[n].action, &|_| Some(id.clone()));
        let ways = vec![vec![TextEdit {
            span,
            replacement: target.to_owned(),
        }]];
        self.try_ways(ways, |old, _, _, _| Self::with_transitions(old, wanted.clone()))
    }

    fn file(&self, n: usize, file: &str) -> Edits {
        let file = file.trim();
        let mut wanted: Vec<String> = self.unit.files.iter().map(|(_, file)| file.clone()).collect();
        let ways = if n < wanted.len() {
            wanted[n] = file.to_owned();
            self.writer.file(self.unit, n, file)
        } else if n == wanted.len() && n > 0 {
            wanted.push(file.to_owned());
            self.writer.new_file(self.unit, file)
        } else {
            return Err(self.missing());
        };
        self.with_files(ways, wanted)
    }

    fn without_file(&self, n: usize) -> Edits {
        let (span, _) = *self.unit.files.get(n).as_ref().ok_or_else(|| self.missing())?;
        let mut wanted: Vec<String> = self.unit.files.iter().map(|(_, file)| file.clone()).collect();
        wanted.remove(n);
        self.with_files(self.writer.without_line(*span), wanted)
    }

    fn with_files(&self, ways: Vec<Way>, wanted: Vec<String>) -> Edits {
        self.try_ways(ways, |old, new, _, _| {
            let work = match (&old.work, wanted.is_empty()) {
                (Work::SubWorkflow { .. }, false) => Work::SubWorkflow { files: wanted.clone() },
                (Work::SubWorkflow { .. }, true) => Work::Prompt {
                    text: old.intent.clone().unwrap_or_default(),
                },
                (other, _) => other.clone(),
            };
            Some(Step {
                work,
                // A step without a title is called by its first runbook.
                name: new.name.clone(),
                ..old.clone()
            })
        })
    }

    /// Another identifier, everywhere: in the heading, in those of its substeps, in every jump, in `agents`.
    fn id(&self, wanted: &str) -> Edits {
        let wanted = wanted.trim();
        let new = super::id::whole(wanted)
            .map_err(|_| self.not_understood(format!("`{wanted}` is no identifier of a step")))?;
        let fits = new.substep.is_some() == (self.unit.heading.level == 3);
        if !fits || self.runbook.workflow.step(&StepId::new(wanted)).is_some() {
            return Err(self.not_understood(format!("`{wanted}` cannot stand here, or is already taken")));
        }
        let rename = Rename::of(self.runbook, self.ordinal, wanted);
        let ways = rename.ways(self.document.text(), self.runbook);
        let before = &self.runbook.workflow;
        let agents =
            |workflow: &Workflow| -> Vec<_> { workflow.steps().iter().map(|step| step.agents.clone()).collect() };
        self.runbook.proved(self.document, ways, &self.path, |after, _| {
            let expected: Vec<Step> = before.steps().iter().map(|step| rename.step(step)).collect();
            let unnamed = |steps: &[Step]| -> Vec<Step> {
                let without = |step: &Step| Step {
                    name: String::new(),
                    ..step.clone()
                };
                steps.iter().map(without).collect()
            };
            unnamed(&expected) == unnamed(after.workflow.steps()) && agents(before) == agents(&after.workflow)
        })
    }
}

/// Puts another identifier into a jump.
pub(super) fn retarget(action: &mut Action, to: &dyn Fn(&StepId) -> Option<StepId>) {
    match action {
        Action::Retry { then, .. } => retarget(then, to),
        Action::Goto(Jump::To(id) | Jump::Next(Some(id))) => {
            if let Some(new) = to(id) {
                *id = new;
            }
        }
        _ => {}
    }
}

pub(super) use super::rename::Rename;
