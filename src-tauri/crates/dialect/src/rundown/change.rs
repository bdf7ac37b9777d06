//! The changes of one step: what each makes of the model, and the ways of writing it.

use super::Runbook;
use super::place::Field;
use super::rename::{Rename, retarget};
use super::transition::{self, Line};
use super::unit::Unit;
use super::write::{Way, Writer};
use crate::document::Document;
use crate::edit::EditError;
use crate::text::TextEdit;
use model::{Routing, Step, StepId, Transition, Work, Workflow};
use serde_json::Value;

/// A change of one step.
pub(super) struct Change<'a> {
    pub(super) runbook: &'a Runbook,
    pub(super) document: &'a Document,
    pub(super) ordinal: usize,
    pub(super) unit: &'a Unit,
    pub(super) writer: Writer<'a>,
    /// The place, for errors.
    pub(super) path: String,
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

    /// What the step does.
    fn work(&self) -> &Work {
        &self.runbook.workflow.steps()[self.ordinal].work
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

    pub(super) fn title(&self, title: &str) -> Edits {
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

    pub(super) fn prompt(&self, wanted: &str) -> Edits {
        self.try_ways(self.writer.prompt(self.unit, wanted), |old, _, _, _| {
            let mut step = old.clone();
            step.intent = Some(wanted.to_owned()).filter(|text| !text.is_empty());
            if let Work::Prompt { text } = &mut step.work {
                wanted.clone_into(text);
            }
            Some(step)
        })
    }

    pub(super) fn command(&self, script: &str) -> Edits {
        let mut wanted = script.to_owned();
        if !wanted.is_empty() && !wanted.ends_with('\n') {
            wanted.push('\n');
        }
        if self.unit.command().is_none() && matches!(self.work(), Work::Group) {
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

    pub(super) fn without_command(&self) -> Edits {
        let fence = self.unit.command().ok_or_else(|| self.missing())?;
        self.try_ways(self.writer.without_block(fence.span), |old, _, _, _| {
            Some(Step {
                work: Work::Prompt {
                    text: old.intent.clone().unwrap_or_default(),
                },
                // It was the command that asked for one.
                terminal: false,
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

    pub(super) fn transition(&self, n: usize, line: &str) -> Edits {
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

    pub(super) fn without_transition(&self, n: usize) -> Edits {
        let gone = self.unit.transitions.get(n).ok_or_else(|| self.missing())?;
        let mut wanted = self.transitions();
        wanted.remove(n);
        let ways = self.writer.without_line(gone.span);
        self.try_ways(ways, |old, _, _, _| Self::with_transitions(old, wanted.clone()))
    }

    pub(super) fn target(&self, n: usize, target: &str) -> Edits {
        let span = self.unit.span_of(Field::Target(n)).ok_or_else(|| self.missing())?;
        let id = super::id::whole(target)
            .map(|id| StepId::new(id.to_string()))
            .map_err(|_| self.not_understood(format!("“{target}” is no identifier of a step")))?;
        let mut wanted = self.transitions();
        retarget(&mut wanted[n].action, &|_| Some(id.clone()));
        let ways = vec![vec![TextEdit {
            span,
            replacement: target.to_owned(),
        }]];
        self.try_ways(ways, |old, _, _, _| Self::with_transitions(old, wanted.clone()))
    }

    pub(super) fn file(&self, n: usize, file: &str) -> Edits {
        let mut wanted: Vec<String> = self.unit.files.iter().map(|(_, file)| file.clone()).collect();
        let ways = if n < wanted.len() {
            wanted[n] = file.to_owned();
            self.writer.file(self.unit, n, file)
        } else if n == wanted.len() && (n > 0 || matches!(self.work(), Work::Prompt { .. })) {
            wanted.push(file.to_owned());
            self.writer.new_file(self.unit, file)
        } else {
            return Err(self.missing());
        };
        self.with_files(ways, wanted)
    }

    pub(super) fn without_file(&self, n: usize) -> Edits {
        let (span, _) = *self.unit.files.get(n).as_ref().ok_or_else(|| self.missing())?;
        let mut wanted: Vec<String> = self.unit.files.iter().map(|(_, file)| file.clone()).collect();
        wanted.remove(n);
        self.with_files(self.writer.without_line(*span), wanted)
    }

    fn with_files(&self, ways: Vec<Way>, wanted: Vec<String>) -> Edits {
        self.try_ways(ways, |old, new, after, _| {
            // The work of a step with substeps, or with a command, says nothing of its files.
            let files = after.units.get(self.ordinal)?.files.iter().map(|(_, file)| file);
            if !files.eq(wanted.iter()) {
                return None;
            }
            let work = match (&old.work, wanted.is_empty()) {
                (Work::SubWorkflow { .. }, false) => Work::SubWorkflow { files: wanted.clone() },
                (Work::SubWorkflow { .. }, true) => Work::Prompt {
                    text: old.intent.clone().unwrap_or_default(),
                },
                (Work::Prompt { .. }, false) => Work::SubWorkflow { files: wanted.clone() },
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
    pub(super) fn id(&self, wanted: &str) -> Edits {
        let new = super::id::whole(wanted)
            .map_err(|_| self.not_understood(format!("“{wanted}” is no identifier of a step")))?;
        let fits = new.substep.is_some() == (self.unit.heading.level == 3);
        if !fits || self.runbook.workflow.step(&StepId::new(wanted)).is_some() {
            return Err(self.not_understood(format!("“{wanted}” cannot stand here, or is already taken")));
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
