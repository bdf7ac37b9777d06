//! A step of a runbook that goes to another level: into the step before it, or out of the one around it.
//!
//! What it says of the way on stays. Only where it says nothing, and the step around it does, it says that in its place.

use super::flow_edit::{Follower, Renamed, Shift, Steps};
use super::lines::{Follows, Lines};
use super::{pasted, read};
use crate::document::{Changed, Consequence, Document};
use crate::edit::EditError;
use crate::said::called;
use crate::text::{Span, TextEdit, apply};
use model::{Action, Step, StepId, Work, Workflow};

/// A step on another level.
pub(super) struct Leveled {
    pub(super) changed: Changed,
    unit: usize,
    /// The step that it goes into, or out of.
    around: usize,
    /// Where it stands then, counted as all steps are.
    to: usize,
    /// It says what the step around it said of the way on.
    taken_over: bool,
}

impl Leveled {
    /// Where a step stands then.
    fn now(&self, ordinal: usize) -> usize {
        match ordinal {
            n if n == self.unit => self.to,
            n if n > self.unit && n <= self.to => n - 1,
            n => n,
        }
    }

    /// Where a step stood that stands there then.
    fn before(&self, ordinal: usize) -> usize {
        match ordinal {
            n if n == self.to => self.unit,
            n if n >= self.unit && n < self.to => n + 1,
            n => n,
        }
    }
}

impl Steps<'_> {
    pub(super) fn leveled(&self, step: &StepId, deeper: bool) -> Result<Leveled, EditError> {
        let n = self.position(step)?;
        self.countable(self.units()[n].parent)?;
        if !self.is_numbered(n) {
            return Err(EditError::unfit(
                "a named step stands outside of the order, and is called by its name on its level; move it in the source",
            ));
        }
        // What is called otherwise than it stands would share a number with what comes there.
        self.in_order(None)?;
        self.in_order(self.units()[n].parent)?;
        let leveled = match deeper {
            true => self.deeper(n)?,
            false => self.out(n)?,
        };
        // A heading that is half a number can be read as another one once those beside it are counted anew.
        let text = apply(self.document.text(), &leveled.changed.edits);
        let after = Document::parse(self.document.path(), &text);
        let (old, new) = (self.document.workflow().steps(), after.workflow().steps());
        let named = |step: &Step| {
            new.get(leveled.now(step.ordinal))
                .is_some_and(|now| now.name == step.name)
        };
        match old.len() == new.len() && old.iter().all(named) {
            true => Ok(leveled),
            false => Err(EditError::unfit(
                "the headings around it could be read otherwise then; move it in the source",
            )),
        }
    }

    /// Whether steps of one level are numbered as they stand.
    fn in_order(&self, parent: Option<usize>) -> Result<(), EditError> {
        let prefix = parent.map_or_else(String::new, |parent| format!("{}.", self.id(parent)));
        let level = self.numbered(parent).into_iter().enumerate();
        let mut wrong = level.filter(|(n, unit)| self.id(*unit) != format!("{prefix}{}", n + 1));
        match wrong.next() {
            None => Ok(()),
            Some((n, unit)) => Err(EditError::unfit(format!(
                "{} is number {} on its level and is not called so; number the steps there first",
                called(self.id(unit)),
                n + 1
            ))),
        }
    }

    /// A step becomes the last one inside of the step before it.
    fn deeper(&self, n: usize) -> Result<Leveled, EditError> {
        let from = self.units()[n].parent;
        let siblings = self.siblings(from);
        let at = siblings.iter().position(|unit| *unit == n);
        let Some(around) = at.and_then(|at| at.checked_sub(1)).map(|at| siblings[at]) else {
            return Err(EditError::unfit(format!(
                "there is no step before {} that it could be put into",
                called(self.id(n))
            )));
        };
        if from.is_some() || self.units().iter().any(|unit| unit.parent == Some(n)) {
            return Err(EditError::unfit("a substep holds no other steps"));
        }
        if !self.is_numbered(around) {
            return Err(EditError::unfit(format!(
                "{0} stands outside of the order, and {1} would come out of it; move {1} before it first",
                called(self.id(around)),
                called(self.id(n))
            )));
        }
        self.countable(Some(around))?;
        self.in_order(Some(around))?;
        let new = format!("{}.{}", self.id(around), self.numbered(Some(around)).len() + 1);
        let shift = Shift::Level {
            unit: n,
            behind: None,
            level: 3,
        };
        let changed = self.on_level(n, &new, Renamed::new(), shift)?;
        Ok(Leveled {
            changed,
            unit: n,
            around,
            to: n,
            taken_over: false,
        })
    }

    /// A substep becomes the step behind the one around it.
    fn out(&self, n: usize) -> Result<Leveled, EditError> {
        let Some(around) = self.units()[n].parent else {
            return Err(EditError::unfit(format!(
                "{} stands on the outermost level already",
                called(self.id(n))
            )));
        };
        if !self.is_numbered(around) && !self.id(around).contains('{') {
            return Err(EditError::unfit(format!(
                "{} stands outside of the order, where no step follows; move the step in the source",
                called(self.id(around))
            )));
        }
        self.countable(None)?;
        let steps = self.numbered(None);
        let at = steps.iter().filter(|unit| **unit <= around).count();
        let later = steps.iter().enumerate().skip(at).map(|(n, unit)| (*unit, n + 2));
        let renamed = self.counted("", later);
        let last = self.siblings(Some(around)).last().copied();
        let behind = last.filter(|last| *last != n);
        let new = (at + 1).to_string();
        let shift = Shift::Level {
            unit: n,
            behind,
            level: 2,
        };
        let changed = self.on_level(n, &new, renamed, shift)?;
        let text = self.document.text();
        let edits = match self.is_open(n) {
            true => self.taken_over(changed.edits.clone(), around, &StepId::new(new), Follower::Any)?,
            false => changed.edits.clone(),
        };
        Ok(Leveled {
            taken_over: apply(text, &edits) != apply(text, &changed.edits),
            changed: Changed { edits, ..changed },
            unit: n,
            around,
            to: behind.unwrap_or(n),
        })
    }

    /// Whether a step says nothing of its own of what follows when it passes.
    fn is_open(&self, n: usize) -> bool {
        let lines = Lines::of(self.runbook, self.document);
        let read = lines.written(&lines.steps()[n], true);
        self.units()[n].broken.is_empty() && read.is_none_or(|read| read.transition.action == Action::Continue)
    }

    /// A step on another level, as `new`; `renamed`: what the steps there are called then.
    fn on_level(&self, n: usize, new: &str, mut renamed: Renamed, shift: Shift) -> Result<Changed, EditError> {
        let from = self.units()[n].parent;
        if let Shift::Level { level, .. } = shift {
            pasted::leveled(self.document.text(), &self.units()[n], level)?;
        }
        let left = self.numbered(from).into_iter().filter(|unit| *unit != n).enumerate();
        let prefix = from.map_or_else(String::new, |from| format!("{}.", self.id(from)));
        renamed.extend(self.counted(&prefix, left.map(|(n, unit)| (unit, n + 1))));
        renamed.insert(self.id(n).to_owned(), new.to_owned());
        self.carried_out(&renamed, self.stop_behind(n, new).into_iter().collect(), shift)
    }

    /// The stop behind a number: `## 2. Test` has one where the steps beside it do, `### 1.1 Test` never.
    fn stop_behind(&self, n: usize, new: &str) -> Option<TextEdit> {
        let (text, number) = (self.document.text(), self.units()[n].heading.id_span);
        let stops = text[number.end..].starts_with('.');
        match self.units()[n].parent {
            None => stops.then(|| TextEdit {
                span: Span {
                    start: number.end,
                    end: number.end + 1,
                },
                replacement: String::new(),
            }),
            Some(_) => {
                let wanted = text[number.end..].starts_with(' ') && self.behind_numbers(&self.numbered(None)) == ".";
                wanted.then(|| TextEdit {
                    span: number,
                    replacement: format!("{new}."),
                })
            }
        }
    }

    /// What it entails besides what it says; `None`: it is refused.
    pub(super) fn level_entails(&self, step: &StepId, deeper: bool) -> Option<Vec<Consequence>> {
        let leveled = self.leveled(step, deeper).ok()?;
        let (path, text) = (
            self.document.path(),
            apply(self.document.text(), &leveled.changed.edits),
        );
        let (runbook, document) = (read(path, &text), Document::parse(path, &text));
        let (old, new) = (Lines::of(self.runbook, self.document), Lines::of(&runbook, &document));
        let (was, is) = (&old.steps()[leveled.unit], new.steps().get(leveled.to)?);
        let around = &old.steps()[leveled.around];
        let mut found = Vec::new();
        if leveled.taken_over {
            let said = new.written(is, true).map(|read| new.last(read))?;
            found.push(Consequence {
                about: vec![around.id.clone(), was.id.clone()],
                said: format!(
                    "{} says `{said}` now of what follows when it passes, in place of {}, which goes on to it",
                    called(&was.id),
                    called(&around.id)
                ),
            });
        }
        let said = (!leveled.taken_over)
            .then_some(true)
            .into_iter()
            .chain([false])
            .filter_map(|passed| {
                let (before, after) = (old.follows(was, passed), new.follows(is, passed));
                differ(&leveled, (&before, old.runbook), (&after, new.runbook))
                    .then(|| after.said(was, passed, |step| &old.steps()[leveled.before(step.ordinal)].id))
            });
        found.extend(said.map(|said| Consequence::of(&was.id, said)));
        let holds = |step: &Step| step.work == Work::Group;
        match (holds(around), holds(new.steps().get(leveled.now(leveled.around))?)) {
            (false, true) => found.push(Consequence::of(
                &around.id,
                format!(
                    "nobody is asked about {} itself any more: {} is done in its place",
                    called(&around.id),
                    called(&was.id)
                ),
            )),
            (true, false) => found.push(Consequence::of(
                &around.id,
                format!(
                    "{} holds no step any more and is done itself: a person is asked",
                    called(&around.id)
                ),
            )),
            _ => {}
        }
        if was.agents != is.agents {
            let names = |step: &Step| {
                step.agents
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let said = match is.agents.is_empty() {
                true => format!("{} is not done by {} any more", called(&was.id), names(was)),
                false => format!("{} is done by {}", called(&was.id), names(is)),
            };
            found.push(Consequence::of(&was.id, said));
        }
        found.extend(old.left_behind(&new, |ordinal| Some(leveled.now(ordinal))));
        Some(found)
    }
}

/// Whether something else follows a step: that another step comes next is what it is moved for.
fn differ(
    leveled: &Leveled,
    (old, before): (&Follows<'_>, &super::Runbook),
    (new, after): (&Follows<'_>, &super::Runbook),
) -> bool {
    let entered = |workflow: &Workflow, step: &Step| workflow.entered_at(step).ordinal;
    match (old, new) {
        (Follows::Container(old), Follows::Container(new)) => leveled.now(old.ordinal) != new.ordinal,
        (Follows::Step(old), Follows::Step(new)) => {
            let (old, new) = (entered(&before.workflow, old), entered(&after.workflow, new));
            // A step that follows itself would be led in a circle.
            leveled.now(old) != new && new == leveled.to
        }
        (Follows::Complete, Follows::Complete) | (Follows::Stop, Follows::Stop) => false,
        _ => true,
    }
}
