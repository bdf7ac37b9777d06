//! Steps and substeps of a runbook that come, go and move: the others are numbered anew, and every jump, name in `agents` and
//! scenario follows.
//!
//! First the identifiers become what they will be, then the texts of steps come, go or change places; the whole is read again and
//! must break no rule that the runbook did not break before.

use super::id::inside;
use super::in_front::{self, names};
use super::lines::{Lines, Saying, Stands, is_name, passes};
use super::pasted::{Block, Goal, Lost, Put, is_by_name, leading};
use super::unit::{PartKind, Unit};
use super::{Runbook, read};
use crate::document::{Changed, Consequence, Document, Reading as _};
use crate::edit::EditError;
use crate::said::{called, listed};
use crate::scenario::{Name, NewId, take_out};
use crate::sound::sound;
use crate::text::{Span, TextEdit, apply, compose};
use model::{Action, Edit, FlowEdit, NewStep, Spot, Step, StepId};
use serde_json::Value;
use std::collections::HashMap;

type Edits = Result<Changed, EditError>;

/// What a new command is until somebody writes it: it fails, and is named as what is still to be written.
pub(super) const TO_BE_WRITTEN: &str = "# Write here what is to be run; until then this step fails.\nexit 1";

/// What a new step runs until somebody names another runbook.
pub(super) const OTHER: &str = "other.runbook.md";

/// Old identifiers with the new ones.
pub(super) type Renamed = HashMap<String, String>;

/// A runbook whose steps are changed.
pub(super) struct Steps<'a> {
    pub(super) runbook: &'a Runbook,
    pub(super) document: &'a Document,
}

/// What happens to the text once the identifiers are right.
pub(super) enum Shift {
    /// A new step stands behind a unit, or at the end of the file.
    Put(Option<usize>, String),
    Take(usize),
    /// One unit behind another, or before it.
    Move(usize, usize, bool),
    /// One unit onto another level, behind all that stands inside of another one; `None`: it stands there.
    Level {
        unit: usize,
        behind: Option<usize>,
        level: usize,
    },
}

/// A step that came.
struct Added {
    changed: Changed,
    /// What it does not say any more.
    lost: Vec<Lost>,
}

impl From<Changed> for Added {
    fn from(changed: Changed) -> Self {
        let lost = Vec::new();
        Self { changed, lost }
    }
}

/// What of what followed a step follows a new one behind it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Follower {
    /// Whatever it was.
    Any,
    /// The end of the runbook.
    End,
}

impl<'a> Steps<'a> {
    pub(super) fn of(runbook: &'a Runbook, document: &'a Document) -> Self {
        Self { runbook, document }
    }

    pub(super) fn units(&self) -> &'a [Unit] {
        &self.runbook.units
    }

    pub(super) fn id(&self, n: usize) -> &'a str {
        self.runbook.workflow.steps()[n].id.as_str()
    }

    pub(super) fn position(&self, id: &StepId) -> Result<usize, EditError> {
        let found = self.runbook.workflow.step(id).map(|step| step.ordinal);
        found.ok_or_else(|| EditError::no_step(id))
    }

    /// The steps inside of a step, or of the runbook itself, in the order of the file.
    pub(super) fn siblings(&self, parent: Option<usize>) -> Vec<usize> {
        let own = |n: &usize| self.units()[*n].parent == parent;
        (0..self.units().len()).filter(own).collect()
    }

    pub(super) fn is_numbered(&self, n: usize) -> bool {
        last(self.id(n)).parse::<u32>().is_ok()
    }

    /// Those of them that are numbered.
    pub(super) fn numbered(&self, parent: Option<usize>) -> Vec<usize> {
        let mut siblings = self.siblings(parent);
        siblings.retain(|n| self.is_numbered(*n));
        siblings
    }

    /// Steps of a number that is only known when the runbook runs cannot be counted.
    pub(super) fn countable(&self, parent: Option<usize>) -> Result<(), EditError> {
        let dynamic = (0..self.units().len()).any(|n| self.units()[n].parent == parent && self.id(n).contains('{'));
        match dynamic {
            true => Err(EditError::unfit(
                "steps here are numbered while the runbook runs; change them in the source",
            )),
            false => Ok(()),
        }
    }

    pub(super) fn edit(&self, edit: &FlowEdit) -> Edits {
        match edit {
            FlowEdit::Add { step, at } => Ok(self.add(step, at)?.changed),
            FlowEdit::Duplicate { step, .. } => Ok(self.duplicate(self.position(step)?)?.changed),
            FlowEdit::Level { step, deeper } => Ok(self.leveled(step, *deeper)?.changed),
            FlowEdit::Gate { .. } => Err(EditError::unfit(
                "a runbook has no gates; a step without a command is carried out by a person, who says how it went",
            )),
            FlowEdit::Connect { .. } | FlowEdit::Disconnect { .. } | FlowEdit::Route { .. } => {
                let edits = Lines::of(self.runbook, self.document).edit(edit);
                edits.map(Changed::from)
            }
        }
    }

    /// A whole step that goes or moves; `None`: the change is one of a value.
    pub(super) fn value_edit(&self, edit: &Edit) -> Option<Edits> {
        let place = edit.place();
        let n = place
            .step
            .filter(|n| *n < self.units().len() && place.path.is_empty())?;
        match edit {
            Edit::Remove { .. } => Some(self.remove(n)),
            Edit::Move { to, .. } => Some(self.moved(n, *to)),
            Edit::Set { .. } | Edit::Rename { .. } => None,
        }
    }

    fn add(&self, new: &NewStep, at: &Spot) -> Result<Added, EditError> {
        let on_a_line = matches!(at, Spot::Between { .. });
        if new.kind == "named" && !on_a_line {
            let title = new.name.as_deref().unwrap_or("Take it back");
            let id = self.free_name(new, title)?;
            let lines = ["PASS: COMPLETE".to_owned(), "FAIL: STOP".to_owned()];
            let block = written(2, &id, title, &body(new), &lines);
            let changed = self.carried_out(&Renamed::new(), Vec::new(), Shift::Put(None, block))?;
            return Ok(changed.into());
        }
        let steps = self.runbook.workflow.steps();
        match at {
            Spot::Alone => Err(EditError::unfit("only a named step stands outside of the order")),
            Spot::End => self.put_behind(new, None, self.numbered(None).last().copied(), Some(Follower::End)),
            Spot::Inside { step } => {
                let parent = self.position(step)?;
                if self.units()[parent].parent.is_some() {
                    return Err(EditError::unfit("a substep holds no other steps"));
                }
                let behind = self.numbered(Some(parent)).last().copied();
                self.put_behind(new, Some(parent), behind, Some(Follower::End))
            }
            Spot::After { step } => {
                let behind = self.position(step)?;
                if steps[behind].jump_only {
                    return self.on_the_way(new, self.last_inside(&steps[behind]), true);
                }
                self.put_behind(new, self.units()[behind].parent, Some(behind), Some(Follower::Any))
            }
            Spot::Between { from, to, label } => {
                let lines = Lines::of(self.runbook, self.document);
                let line = lines.line(lines.step(from)?, lines.step(to)?, label.as_deref())?;
                let (in_order, passed) = match line.stands {
                    Stands::Order => (lines.is_next(line.from, line.to), true),
                    Stands::Action(passed) => (lines.continues(&line), passed),
                    Stands::Retry(_) => {
                        return Err(EditError::unfit(format!(
                            "nothing can stand on the way on which {} is tried again; add the step before or behind it",
                            called(&line.from.id)
                        )));
                    }
                };
                if !in_order || new.kind == "named" {
                    return self.on_the_way(new, line.from, passed);
                }
                let beside = self.runbook.workflow.sibling_after(line.from).is_some();
                let own = line.from.ordinal;
                let behind = if beside { Some(own) } else { self.units()[own].parent };
                let behind = behind.unwrap_or(own);
                self.put_behind(new, self.units()[behind].parent, Some(behind), None)
            }
        }
    }

    /// The step that leads on from a step: of one that leaves this to its substeps the last of those.
    fn last_inside(&self, step: &'a Step) -> &'a Step {
        let last = self.runbook.workflow.children(step).next_back();
        last.filter(|_| !model::ways::decides(step)).unwrap_or(step)
    }

    /// A name that no other step has: the given one, else made of the title.
    fn free_name(&self, new: &NewStep, title: &str) -> Result<String, EditError> {
        let free = |name: &String| is_name(name) && (0..self.units().len()).all(|n| self.id(n) != name);
        if let Some(given) = new.id.as_ref().map(ToString::to_string) {
            return match free(&given) {
                true => Ok(given),
                false => Err(EditError::unsound(format!(
                    "“{given}” cannot name the new step: a name has letters, digits and `_`, begins with no digit, and no other step has it"
                ))),
            };
        }
        let name: String = title.split(|c: char| !c.is_ascii_alphanumeric()).map(capital).collect();
        let name = match name.chars().next() {
            Some(first) if !first.is_ascii_digit() => name,
            _ => format!("Step{name}"),
        };
        let counted = (2..).map(|n| format!("{name}{n}"));
        let mut names = std::iter::once(name.clone()).chain(counted);
        Ok(names.find(free).unwrap_or(name))
    }

    /// A new step on the way that a jump takes: the jump leads to it, and it leads on to where the jump led. It stands outside of the
    /// order, where nothing but a jump comes by.
    fn on_the_way(&self, new: &NewStep, from: &Step, passed: bool) -> Result<Added, EditError> {
        let lines = Lines::of(self.runbook, self.document);
        let onward = lines.as_elsewhere(lines.readable(&from.id)?, passed)?;
        let title = title_of(new);
        let id = self.free_name(new, title)?;
        let mut lost = Vec::new();
        let block = match &new.text {
            Some(text) => {
                let put = self.pasted(text, None, &id, &Renamed::new())?;
                // What follows when it passes is where the jump led.
                lost.extend(put.lost.into_iter().filter(|lost| !lost.passed));
                leading(&put.text, &onward)?
            }
            None => {
                let lines = [format!("PASS: {onward}"), "FAIL: STOP".to_owned()];
                written(2, &id, title, &body(new), &lines)
            }
        };
        let jump = Saying {
            step: from.ordinal,
            passed,
            action: Some(lines.with_last(lines.written(from, passed), &format!("GOTO {id}"))),
        };
        let changed = self.carried_out(&Renamed::new(), lines.say(&jump)?, Shift::Put(None, block))?;
        Ok(Added { changed, lost })
    }

    /// A text that was pasted, as a step inside of another one or of the runbook itself. A text that is a step of this very runbook
    /// leads where that leads. Of any other one the names mean what they say; a number may be that of another step.
    fn pasted(&self, text: &str, parent: Option<usize>, id: &str, renamed: &Renamed) -> Result<Put, EditError> {
        let block = Block::of(text)?;
        let own = |n: usize| self.runbook.step_text(self.document, n);
        let is_own = (0..self.units().len()).any(|n| own(n).is_some_and(|own| same_text(&own, block.text())));
        self.block(&block, parent, id, renamed, is_own)
    }

    fn block(
        &self,
        block: &Block,
        parent: Option<usize>,
        id: &str,
        renamed: &Renamed,
        is_own: bool,
    ) -> Result<Put, EditError> {
        let goal = Goal {
            id,
            level: if parent.is_some() { 3 } else { 2 },
            repeated: parent.is_some_and(|parent| self.id(parent).contains('{')),
        };
        block.put(&goal, |to| {
            let is_meant = (is_own || is_by_name(to)) && self.is_there(to);
            is_meant.then(|| renamed.get(to).cloned().unwrap_or_else(|| to.to_owned()))
        })
    }

    fn is_there(&self, id: &str) -> bool {
        self.runbook.workflow.step(&id.into()).is_some()
    }

    /// What the steps beside a new one have behind their numbers: `## 1. Build` a stop, `## 1 Build` nothing.
    pub(super) fn behind_numbers(&self, siblings: &[usize]) -> &'static str {
        let has_stop = |n: &&usize| {
            let heading = self.units()[**n].heading.span;
            let line = &self.document.text()[heading.start..heading.end];
            let behind = line.trim_start_matches(['#', ' ']).strip_prefix(self.id(**n));
            behind.is_some_and(|behind| behind.starts_with('.'))
        };
        match siblings.iter().filter(has_stop).count() * 2 > siblings.len() {
            true => ".",
            false => "",
        }
    }

    /// A new numbered step behind another one of its level, or as the first one there.
    fn put_behind(
        &self,
        new: &NewStep,
        parent: Option<usize>,
        behind: Option<usize>,
        takes_over: Option<Follower>,
    ) -> Result<Added, EditError> {
        self.countable(parent)?;
        let siblings = self.numbered(parent);
        let at = match behind {
            Some(behind) => siblings.iter().filter(|n| **n <= behind).count(),
            None => siblings.len(),
        };
        let prefix = parent.map_or_else(String::new, |parent| format!("{}.", self.id(parent)));
        let renamed = self.counted(
            &prefix,
            siblings
                .iter()
                .enumerate()
                .map(|(n, unit)| (*unit, n + 1 + usize::from(n >= at))),
        );
        let id = format!("{prefix}{}", at + 1);
        let mut lost = Vec::new();
        let block = match &new.text {
            Some(text) => {
                let put = self.pasted(text, parent, &id, &renamed)?;
                lost = put.lost;
                put.text
            }
            None => {
                let lines = ["PASS: CONTINUE".to_owned(), "FAIL: STOP".to_owned()];
                written(
                    if parent.is_some() { 3 } else { 2 },
                    &format!("{id}{}", self.behind_numbers(&siblings)),
                    title_of(new),
                    &body(new),
                    &lines,
                )
            }
        };
        // A step without substeps gets its first one behind its own text.
        let changed = self.carried_out(&renamed, Vec::new(), Shift::Put(behind.or(parent), block))?;
        let changed = match (behind, takes_over) {
            (Some(behind), Some(follower)) => Changed {
                edits: self.taken_over(changed.edits, behind, &StepId::new(id), follower)?,
                ..changed
            },
            _ => changed,
        };
        Ok(Added { changed, lost })
    }

    /// What followed a step when it passed follows the new one behind it.
    pub(super) fn taken_over(
        &self,
        edits: Vec<TextEdit>,
        behind: usize,
        new: &StepId,
        follower: Follower,
    ) -> Result<Vec<TextEdit>, EditError> {
        let (text, path) = (self.document.text(), self.document.path());
        let now = apply(text, &edits);
        let (runbook, document) = (read(path, &now), Document::parse(path, &now));
        let lines = Lines::of(&runbook, &document);
        let (old, new) = (&lines.steps()[behind], lines.step(new)?);
        let Some(read) = lines.written(old, true) else {
            return Ok(edits);
        };
        let follows = match read.transition.action.last() {
            Action::Complete { .. } => true,
            // It goes there already, and would not come back to itself.
            Action::Goto(jump) if jump.target() == Some(&new.id) => false,
            Action::Stop { .. } | Action::Goto(_) => follower == Follower::Any,
            Action::Continue | Action::Retry { .. } => false,
        };
        if !follows {
            return Ok(edits);
        }
        let saying = |step: &Step, action: String| Saying {
            step: step.ordinal,
            passed: true,
            action: Some(action),
        };
        let plan = [
            saying(new, lines.last(read)),
            saying(old, lines.with_last(Some(read), "CONTINUE")),
        ];
        Ok(compose(text, &edits, &lines.put(&plan)?))
    }

    fn duplicate(&self, n: usize) -> Result<Added, EditError> {
        let parent = self.units()[n].parent;
        self.countable(parent)?;
        let siblings = self.numbered(parent);
        let Some(at) = siblings.iter().position(|unit| *unit == n) else {
            return Err(EditError::unfit("a named step is called by its name; add another one"));
        };
        let prefix = parent.map_or_else(String::new, |parent| format!("{}.", self.id(parent)));
        let renamed = self.counted(
            &prefix,
            siblings
                .iter()
                .enumerate()
                .map(|(n, unit)| (*unit, n + 1 + usize::from(n > at))),
        );
        let Some(own) = self.runbook.step_text(self.document, n) else {
            return Err(EditError::unfit("a step with substeps is copied in the source"));
        };
        let put = self.block(
            &Block::of(&own)?,
            parent,
            &format!("{prefix}{}", at + 2),
            &renamed,
            true,
        )?;
        Ok(Added {
            changed: self.carried_out(&renamed, Vec::new(), Shift::Put(Some(n), put.text))?,
            lost: put.lost,
        })
    }

    fn remove(&self, n: usize) -> Edits {
        let parent = self.units()[n].parent;
        let siblings = self.numbered(parent);
        let inside = |id: &str| inside(id, self.id(n)).is_some();
        let text = self.document.text();
        let jumping = |unit: usize| {
            let targets = self.units()[unit].transitions.iter().filter_map(|read| read.target);
            targets
                .filter(|span| inside(&text[span.start..span.end]))
                .collect::<Vec<Span>>()
        };
        let gone = |unit: usize| unit == n || self.units()[unit].parent == Some(n);
        let jumps: Vec<(usize, Span)> = (0..self.units().len())
            .filter(|unit| !gone(*unit))
            .flat_map(|unit| jumping(unit).into_iter().map(move |span| (unit, span)))
            .collect();
        let at = siblings.iter().position(|unit| *unit == n);
        let next = at.and_then(|at| siblings.get(at + 1));
        let mut more = Vec::new();
        let prefix = parent.map_or_else(String::new, |parent| format!("{}.", self.id(parent)));
        let mut renamed = Renamed::new();
        if let Some(at) = at {
            self.countable(parent)?;
            let left = siblings.iter().filter(|unit| **unit != n).enumerate();
            renamed = self.counted(&prefix, left.map(|(n, unit)| (*unit, n + 1)));
            // What jumped to it jumps to what stands in its place.
            for (_, span) in &jumps {
                let Some(_) = next else { break };
                more.push(TextEdit {
                    span: *span,
                    replacement: format!("{prefix}{}", at + 1),
                });
            }
        }
        let onward = self.jumps_on(n);
        if let (Some(onward), None) = (&onward, at) {
            more.extend(jumps.iter().map(|(_, span)| TextEdit {
                span: *span,
                replacement: onward.clone(),
            }));
        } else if let (Some((unit, _)), None) = (jumps.first(), next) {
            let mut all: Vec<StepId> = jumps.iter().map(|(unit, _)| StepId::from(self.id(*unit))).collect();
            all.dedup();
            let to = called(self.id(n));
            let said = match listed(&all).filter(|_| all.len() > 1) {
                Some(all) => format!("{all} jump to {to}; lead them elsewhere first"),
                None => format!("{} jumps to {to}; lead it elsewhere first", called(self.id(*unit))),
            };
            return Err(EditError::unsound(said));
        }
        let taken = self.forgotten(n)?;
        if taken.is_empty() {
            return self.carried_out(&renamed, more, Shift::Take(n));
        }
        // The step goes out of a runbook whose front matter does not name it any more: another step may get its number.
        let (text, path) = (self.document.text(), self.document.path());
        let document = Document::parse(path, &apply(text, &taken));
        let changed = Steps::of(&read(path, document.text()), &document).remove(n)?;
        Ok(Changed {
            edits: compose(text, &taken, &changed.edits),
            ..changed
        })
    }

    /// Where a step jumps to that stands outside of the order, as it stands behind GOTO; `None` where it leads to no other step.
    fn jumps_on(&self, n: usize) -> Option<String> {
        let step = &self.runbook.workflow.steps()[n];
        let lines = Lines::of(self.runbook, self.document);
        let action = lines.as_elsewhere(self.last_inside(step), true).ok()?;
        action
            .strip_prefix("GOTO ")
            .filter(|_| step.jump_only)
            .map(str::to_owned)
    }

    /// The edits that take a step, and what stands inside of it, out of the front matter.
    fn forgotten(&self, n: usize) -> Result<Vec<TextEdit>, EditError> {
        let Some(front) = &self.runbook.front else {
            return Ok(Vec::new());
        };
        let goes = |unit: usize| unit == n || self.units()[unit].parent == Some(n);
        // Of two steps of one identifier the other one is still named.
        let is_gone = |name: &Name| {
            let mut called = (0..self.units().len())
                .filter(|unit| self.id(*unit) == name.step)
                .peekable();
            called.peek().is_some() && called.all(goes)
        };
        let names: Vec<Name> = names(front, self.document.text()).into_iter().filter(is_gone).collect();
        if names.is_empty() {
            return Ok(Vec::new());
        }
        in_front::taken_out(front, self.document.text(), |sheet| take_out(sheet, names))
    }

    /// What a change of a step entails besides what it says.
    pub(super) fn entails(&self, edit: &Edit) -> Vec<Consequence> {
        let place = edit.place();
        let n = place.step.filter(|n| *n < self.units().len() && place.path.is_empty());
        let (Edit::Remove { .. }, Some(n)) = (edit, n) else {
            return Vec::new();
        };
        let step = &self.runbook.workflow.steps()[n];
        let inside: Vec<String> = (0..self.units().len())
            .filter(|unit| self.units()[*unit].parent == Some(n))
            .map(|unit| format!("“{}”", self.runbook.workflow.steps()[unit].name))
            .collect();
        let is_named = self.forgotten(n).is_ok_and(|edits| !edits.is_empty());
        let said = [
            match inside.as_slice() {
                [] => None,
                [one] => Some(format!("the step in it goes too: {one}")),
                all => Some(format!("the {} steps in it go too: {}", all.len(), all.join(", "))),
            },
            is_named.then(|| format!("what the head of the file says of {} goes with it", called(self.id(n)))),
        ];
        let said = said.into_iter().flatten();
        let mut found: Vec<Consequence> = said.map(|said| Consequence::of(&step.id, said)).collect();
        found.extend(self.left_behind_without(n));
        found
    }

    /// Steps that nothing leads to once a step is deleted.
    fn left_behind_without(&self, n: usize) -> Option<Consequence> {
        let path = self.document.path();
        let text = apply(self.document.text(), &self.remove(n).ok()?.edits);
        let (runbook, document) = (read(path, &text), Document::parse(path, &text));
        let gone = |unit: usize| unit == n || self.units()[unit].parent == Some(n);
        let mut places = 0..;
        let now: Vec<Option<usize>> = (0..self.units().len())
            .map(|unit| if gone(unit) { None } else { places.next() })
            .collect();
        let after = Lines::of(&runbook, &document);
        Lines::of(self.runbook, self.document).left_behind(&after, |unit| now[unit])
    }

    /// What a change of the flow entails besides what it says.
    pub(super) fn flow_entails(&self, edit: &FlowEdit) -> Vec<Consequence> {
        let (added, more) = match edit {
            FlowEdit::Add { step, at } => match self.add(step, at) {
                Ok(added) => {
                    let more = self.beside_an_addition(step, at, &added.changed.edits);
                    (Ok(added), more)
                }
                Err(error) => (Err(error), None),
            },
            FlowEdit::Duplicate { step, .. } => (self.position(step).and_then(|n| self.duplicate(n)), None),
            FlowEdit::Level { step, deeper } => return self.level_entails(step, *deeper).unwrap_or_default(),
            _ => return Lines::of(self.runbook, self.document).entails(edit),
        };
        let lost = added.map_or_else(|_| Vec::new(), |added| added.lost);
        let lost = lost.iter().map(|lost| Consequence {
            about: Vec::new(),
            said: lost.said(|id| self.is_there(id)),
        });
        more.into_iter().chain(lost).collect()
    }

    fn beside_an_addition(&self, new: &NewStep, at: &Spot, edits: &[TextEdit]) -> Option<Consequence> {
        let lines = Lines::of(self.runbook, self.document);
        let after = read(self.document.path(), &apply(self.document.text(), edits));
        let is_new = |step: &&Step| !self.is_there(step.id.as_str());
        let named = after.workflow.steps().iter().filter(is_new).find(|step| step.jump_only);
        match (named, at) {
            (Some(named), _) if new.kind != "named" => {
                let said = format!(
                    "the new step stands outside of the order, as `{}`: the jump on whose way it is leads to it",
                    named.id
                );
                Some(Consequence::of(&named.id, said))
            }
            (None, Spot::Between { from, to, label }) => {
                let line = lines
                    .line(lines.step(from).ok()?, lines.step(to).ok()?, label.as_deref())
                    .ok()?;
                let passed = line.stands != Stands::Action(false);
                let also = lines.leads_on(line.from, !passed).then_some(!passed)?;
                let said = format!(
                    "{} leads to the new step when it {}, too",
                    called(&line.from.id),
                    passes(also)
                );
                Some(Consequence::of(&line.from.id, said))
            }
            _ => None,
        }
    }

    fn moved(&self, n: usize, to: usize) -> Edits {
        let parent = self.units()[n].parent;
        self.countable(parent)?;
        if !self.is_numbered(n) {
            return Err(EditError::unfit(
                "a named step stands outside of the order; where it stands means nothing",
            ));
        }
        let siblings = self.siblings(parent);
        let at = siblings.iter().position(|unit| *unit == n);
        let (Some(at), Some(other)) = (at, siblings.get(to)) else {
            return Err(EditError::Missing {
                path: format!("steps.{n}"),
            });
        };
        if at == to {
            return Ok(Changed::default());
        }
        let mut order = siblings.clone();
        let unit = order.remove(at);
        order.insert(to, unit);
        order.retain(|unit| self.is_numbered(*unit));
        let prefix = parent.map_or_else(String::new, |parent| format!("{}.", self.id(parent)));
        let renamed = self.counted(&prefix, order.iter().enumerate().map(|(n, unit)| (*unit, n + 1)));
        self.carried_out(&renamed, Vec::new(), Shift::Move(n, *other, to > at))
    }

    /// The new identifiers of some units and of what stands inside of them.
    pub(super) fn counted(&self, prefix: &str, units: impl Iterator<Item = (usize, usize)>) -> Renamed {
        let mut renamed = Renamed::new();
        for (unit, number) in units {
            let (old, new) = (self.id(unit), format!("{prefix}{number}"));
            for n in (0..self.units().len()).filter(|n| self.units()[*n].parent == Some(unit)) {
                // One that is called after another step than the one around it keeps its name.
                if let Some(rest) = self.id(n).strip_prefix(old).filter(|rest| rest.starts_with('.')) {
                    renamed.insert(self.id(n).to_owned(), format!("{new}{rest}"));
                }
            }
            renamed.insert(old.to_owned(), new);
        }
        renamed.retain(|old, new| old != new);
        renamed
    }

    /// Identifiers first, then the texts.
    pub(super) fn carried_out(&self, renamed: &Renamed, more: Vec<TextEdit>, shift: Shift) -> Edits {
        let (text, path) = (self.document.text(), self.document.path());
        let mut first = more;
        let mut put = |span: Span, replacement: &str| {
            let is_new = !first.iter().any(|edit| edit.span == span);
            if is_new {
                first.push(TextEdit {
                    span,
                    replacement: replacement.to_owned(),
                });
            }
        };
        for (n, unit) in self.units().iter().enumerate() {
            if let Some(new) = renamed.get(self.id(n)) {
                put(unit.heading.id_span, new);
            }
            for span in unit.transitions.iter().filter_map(|read| read.target) {
                if let Some(new) = renamed.get(&text[span.start..span.end]) {
                    put(span, new);
                }
            }
        }
        if let Some(front) = &self.runbook.front {
            first.extend(in_front::renamed(front, text, |id| renamed.get(id).cloned()));
        }
        let middle = apply(text, &first);
        let now = read(path, &middle);
        let second = shifted(&now.units, &middle, &shift);
        let changed = apply(&middle, &second);
        let after = Document::parse(path, &changed);
        sound(self.document, &after)?;
        Ok(Changed {
            edits: compose(text, &first, &second),
            ids: self.new_ids(renamed, &shift),
        })
    }

    /// What becomes of the identifiers, in the order of the file.
    fn new_ids(&self, renamed: &Renamed, shift: &Shift) -> Vec<NewId> {
        let goes =
            |n: usize| matches!(shift, Shift::Take(taken) if n == *taken || self.units()[n].parent == Some(*taken));
        let steps = self.runbook.workflow.steps().iter();
        // Of two steps of one identifier the first is meant.
        let meant = steps.filter(|step| self.position(&step.id) == Ok(step.ordinal));
        let new_id = |step: &Step| match (goes(step.ordinal), renamed.get(step.id.as_str())) {
            (true, _) => Some((step.id.clone(), None)),
            (false, Some(new)) => Some((step.id.clone(), Some(StepId::new(new.as_str())))),
            (false, None) => None,
        };
        meant.filter_map(new_id).collect()
    }
}

/// Whether two texts say the same in the same words, whatever their line ends.
fn same_text(a: &str, b: &str) -> bool {
    a.lines().map(str::trim_end).eq(b.lines().map(str::trim_end))
}

/// The texts of steps come, go or change places.
fn shifted(units: &[Unit], text: &str, shift: &Shift) -> Vec<TextEdit> {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let edit = |start: usize, end: usize, replacement: String| TextEdit {
        span: Span { start, end },
        replacement,
    };
    let end_of = |n: usize| text[..units[n].end].trim_end().len();
    let own_end_of = |n: usize| {
        let inside = units.iter().any(|unit| unit.parent == Some(n));
        if inside {
            end_of(n)
        } else {
            text[..units[n].own_end].trim_end().len()
        }
    };
    // What divides the head of a step from what stands above it; `None` above the first line.
    let above = |at: usize| {
        let gap = &text[text[..at].trim_end().len()..at];
        (gap.len() < at && gap.contains('\n')).then_some(gap)
    };
    let head_behind = |at: usize| units.iter().map(|unit| unit.head).find(|head| *head >= at);
    // At the end as far apart as the last two.
    let last = || units.iter().rev().find_map(|unit| above(unit.head));
    let usual = newline.repeat(2);
    match shift {
        Shift::Put(behind, block) => {
            let at = behind.map_or(text.trim_end().len(), own_end_of);
            let block = block.trim_end().replace('\n', newline);
            let end = if at == text.len() { newline } else { "" };
            // As far apart as what it comes between.
            let joint = head_behind(at).map_or_else(last, above).unwrap_or(&usual);
            vec![edit(at, at, format!("{joint}{block}{end}"))]
        }
        Shift::Take(n) => {
            let start = units[*n].head;
            match head_behind(units[*n].end) {
                Some(next) => vec![edit(start, next, String::new())],
                None => vec![edit(
                    text[..start].trim_end().len(),
                    text.trim_end().len(),
                    String::new(),
                )],
            }
        }
        Shift::Move(n, other, behind) => {
            let (start, end) = (units[*n].head, end_of(*n));
            let block = units[*n].up_to(text, end);
            let taken = shifted(units, text, &Shift::Take(*n));
            let put = match behind {
                true => {
                    let at = end_of(*other);
                    let joint = head_behind(end).and_then(above).unwrap_or(&usual);
                    edit(at, at, format!("{joint}{block}"))
                }
                false => {
                    let at = units[*other].head;
                    edit(at, at, format!("{block}{}", above(start).unwrap_or(&usual)))
                }
            };
            taken.into_iter().chain([put]).collect()
        }
        Shift::Level { unit, behind, level } => {
            let start = units[*unit].heading.span.start;
            let marks = "#".repeat(*level);
            let rest = text[start..].trim_start_matches('#');
            let old = edit(start, text.len() - rest.len(), marks.clone());
            let Some(behind) = behind else { return vec![old] };
            let comments = units[*unit].up_to(text, start);
            let block = format!("{comments}{marks}{}", &text[old.span.end..end_of(*unit)]);
            let at = end_of(*behind);
            let joint = head_behind(at).map_or_else(last, above).unwrap_or(&usual);
            let put = edit(at, at, format!("{joint}{block}"));
            shifted(units, text, &Shift::Take(*unit))
                .into_iter()
                .chain([put])
                .collect()
        }
    }
}

/// The last part of an identifier.
fn last(id: &str) -> &str {
    id.rsplit('.').next().unwrap_or(id)
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// What a new step says: instructions, a command or runbooks.
fn body(new: &NewStep) -> String {
    let given = |key: &str| {
        new.fields
            .get(key)
            .and_then(Value::as_str)
            .map(str::trim)
            .filter(|text| !text.is_empty())
    };
    let prompt = given("prompt").map(str::to_owned);
    match new.kind.as_str() {
        "command" => {
            let said = prompt.map(|text| format!("{text}\n\n")).unwrap_or_default();
            format!("{said}```bash\n{}\n```", given("command").unwrap_or(TO_BE_WRITTEN))
        }
        "runbooks" => format!("- {}", given("files").unwrap_or(OTHER)),
        _ => prompt.unwrap_or_else(|| task_of(new).to_owned()),
    }
}

/// What is to be done in a new step.
fn task_of(new: &NewStep) -> &str {
    task(title_of(new))
}

/// What is to be done in a step that is called so: that, where it is a sentence in Markdown and nothing else.
pub(super) fn task(name: &str) -> &str {
    let is_plain = name.starts_with(char::is_alphabetic) && !name.contains(['\n', '\r', '`', '<', '{', '[', '|']);
    if is_plain && is_prose(name) {
        name
    } else {
        "Say here what is to be done."
    }
}

/// Whether a text is read as what is to be done in a step, and as nothing else: `PASS: STOP` says what follows it.
fn is_prose(text: &str) -> bool {
    let lines = ["PASS: CONTINUE".to_owned(), "FAIL: STOP".to_owned()];
    let found = read("new.runbook.md", &written(2, "1", "New", text, &lines));
    let [unit] = found.units.as_slice() else { return false };
    let kinds: Vec<PartKind> = unit.parts.iter().map(|part| part.kind).collect();
    kinds == [PartKind::Prose, PartKind::Transitions] && unit.transitions.len() == 2 && found.diagnostics.is_empty()
}

/// What a person reads of a new step.
fn title_of(new: &NewStep) -> &str {
    let given = new.name.as_deref().map(str::trim);
    given.filter(|name| !name.is_empty()).unwrap_or("New step")
}

fn written(level: usize, id: &str, title: &str, body: &str, lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| format!("- {line}")).collect();
    format!("{} {id} {title}\n\n{body}\n\n{}\n", "#".repeat(level), lines.join("\n"))
}
