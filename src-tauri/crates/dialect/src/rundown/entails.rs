//! What a line that is drawn, cut or led elsewhere changes besides what it says.

use super::lines::{Follows, Lines, Saying, passes};
use super::read;
use crate::document::{Consequence, Document};
use crate::said::{called, listed};
use crate::text::apply;
use model::{Action, FlowEdit, Jump, Step, StepId, Workflow, behind};

impl Lines<'_> {
    /// What a line entails besides what it says.
    pub(super) fn entails(&self, edit: &FlowEdit) -> Vec<Consequence> {
        let Ok(plan) = self.plan(edit) else { return Vec::new() };
        let Ok(edits) = self.put(&plan) else { return Vec::new() };
        if edits.is_empty() {
            return Vec::new();
        }
        let (path, text) = (self.document.path(), apply(self.document.text(), &edits));
        let (runbook, document) = (read(path, &text), Document::parse(path, &text));
        let after = Lines::of(&runbook, &document);
        let mut found: Vec<Consequence> = Vec::new();
        let is_cut = matches!(edit, FlowEdit::Disconnect { .. });
        for saying in &plan {
            let (step, passed) = (&self.steps()[saying.step], saying.passed);
            let mut said: Vec<String> = Vec::new();
            if is_cut {
                said.extend(self.instead(&after, step, passed));
            } else {
                said.extend(self.given_up(&after, step, passed));
            }
            if matches!(edit, FlowEdit::Connect { .. }) {
                said.extend(self.tried_again(&after, step, passed));
            }
            said.extend(self.lost_message(&after, step, passed));
            if !is_cut && self.changed(&after, step, passed).is_some() {
                said.extend(after.unbounded(saying));
            }
            if !is_cut {
                said.extend(after.not_asked(saying));
            }
            found.extend(said.into_iter().map(|said| Consequence::of(&step.id, said)));
        }
        found.extend(self.left_behind(&after, Some));
        found
    }

    /// What follows an outcome of a step.
    pub(super) fn follows<'s>(&'s self, step: &'s Step, passed: bool) -> Follows<'s> {
        let workflow = &self.runbook.workflow;
        let Some(read) = self.written(step, passed) else {
            return match self.decides(step) {
                _ if passed => self.onward(step),
                Some(around) if self.awaits_all(around) => self.onward(step),
                Some(around) => Follows::Container(around),
                None => Follows::Stop,
            };
        };
        match read.transition.action.last() {
            Action::Continue => self.onward(step),
            Action::Complete { .. } => Follows::Complete,
            Action::Stop { .. } | Action::Retry { .. } => Follows::Stop,
            Action::Goto(jump) => {
                let target = match jump {
                    Jump::To(id) | Jump::Next(Some(id)) => workflow.step(id),
                    Jump::Next(None) => workflow.innermost_dynamic(step),
                };
                target.map_or(Follows::Stop, Follows::Step)
            }
        }
    }

    /// What follows an outcome now, where something else did: as a part that can be compared.
    fn changed<'s>(&'s self, after: &'s Lines<'_>, step: &'s Step, passed: bool) -> Option<(Follows<'s>, Follows<'s>)> {
        let now = &after.steps()[step.ordinal];
        let (old, new) = (self.follows(step, passed), after.follows(now, passed));
        let at = |follows: &Follows<'_>, workflow: &Workflow| match follows {
            Follows::Step(to) => (0, workflow.entered_at(to).ordinal),
            Follows::Container(around) => (1, around.ordinal),
            Follows::Complete => (2, 0),
            Follows::Stop => (3, 0),
        };
        (at(&old, &self.runbook.workflow) != at(&new, &after.runbook.workflow)).then_some((old, new))
    }

    /// What comes in place of a line that is cut.
    fn instead(&self, after: &Lines<'_>, step: &Step, passed: bool) -> Option<String> {
        let (_, new) = self.changed(after, step, passed)?;
        Some(new.said(step, passed, |to| &to.id))
    }

    /// What followed an outcome until now. That a failure stops a runbook is what it does anyway.
    fn given_up(&self, after: &Lines<'_>, step: &Step, passed: bool) -> Option<String> {
        let (old, new) = self.changed(after, step, passed)?;
        let when = format!("when it {}", passes(passed));
        let stops = if matches!(new, Follows::Stop) {
            ", the runbook stops then"
        } else {
            ""
        };
        let id = called(&step.id);
        match old {
            Follows::Step(to) => Some(format!("{id} does not lead to {} any more {when}", called(&to.id))),
            Follows::Container(around) => Some(format!(
                "what {} says of its steps does not count any more when {id} {}{stops}",
                called(&around.id),
                passes(passed)
            )),
            Follows::Complete => Some(format!("the runbook no longer ends when {id} {}", passes(passed))),
            Follows::Stop if passed => Some(format!("the runbook does not stop any more when {id} passes")),
            Follows::Stop => None,
        }
    }

    /// A line from a step to itself says when it is done again, and how often.
    fn tried_again(&self, after: &Lines<'_>, step: &Step, passed: bool) -> Option<String> {
        let times = |lines: &Lines<'_>, step: &Step| match lines.written(step, passed)?.transition.action {
            Action::Retry { times, .. } => Some(times),
            _ => None,
        };
        let now = times(after, &after.steps()[step.ordinal])?;
        let often = match now {
            1 => "once".to_owned(),
            n => format!("{n} times at most"),
        };
        (times(self, step) != Some(now)).then(|| {
            format!(
                "{} is tried again when it {}, {often}",
                called(&step.id),
                passes(passed)
            )
        })
    }

    /// The message of an end that is not there any more.
    fn lost_message(&self, after: &Lines<'_>, step: &Step, passed: bool) -> Option<String> {
        let words = |lines: &Lines<'_>, step: &Step| match lines.written(step, passed)?.transition.action.last() {
            Action::Complete { message } | Action::Stop { message } => message.clone(),
            _ => None,
        };
        let old = words(self, step)?;
        let now = words(after, &after.steps()[step.ordinal]);
        (now.as_ref() != Some(&old)).then(|| format!("the message “{old}” of {} is lost", called(&step.id)))
    }

    /// A way back that nothing bounds.
    fn unbounded(&self, saying: &Saying) -> Option<String> {
        let workflow = &self.runbook.workflow;
        let step = &self.steps()[saying.step];
        let read = self.written(step, saying.passed)?;
        let Follows::Step(to) = self.follows(step, saying.passed) else {
            return None;
        };
        let when = passes(saying.passed);
        match read.transition.action.last() {
            Action::Goto(Jump::Next(_)) => Some(format!(
                "{} begins its next round each time {} {when}, until a step completes or stops the runbook",
                called(&to.id),
                called(&step.id)
            )),
            Action::Goto(Jump::To(_)) if behind(workflow, to)[step.ordinal] => {
                let way = match to.ordinal <= step.ordinal && !to.jump_only {
                    true => format!(
                        "{} leads back to {} as often as it {when}",
                        called(&step.id),
                        called(&to.id)
                    ),
                    false => format!(
                        "{} leads to {} as often as it {when}, and from there the way comes back",
                        called(&step.id),
                        called(&to.id)
                    ),
                };
                Some(format!(
                    "{way}: a jump has no bound, only a step that is tried again has one"
                ))
            }
            _ => None,
        }
    }

    /// Why what a container is to say of a failure may not come to count: a step in it says itself what follows, or stops the runbook.
    fn not_asked(&self, saying: &Saying) -> Option<String> {
        if saying.passed {
            return None;
        }
        let step = &self.steps()[saying.step];
        let own = |inside: &Step| self.written(inside, false).map(|read| read.transition.action.last());
        // How many rounds there will be is open: the failure of one is put together with no others (CONTRACTS "Rundown").
        let alone = |inside: &&Step| inside.dynamic && own(inside).is_none();
        let elsewhere = |inside: &&Step| own(inside).is_some_and(|action| *action != Action::Continue);
        let mut inside = self.runbook.workflow.children(step);
        let found = inside.find(|inside| elsewhere(inside) || alone(inside))?;
        Some(match alone(&found) {
            true => format!(
                "{} stops the runbook when it fails, whatever {} says",
                called(&found.id),
                called(&step.id)
            ),
            false => format!(
                "{} says itself what follows when it fails, which comes before what {} says",
                called(&found.id),
                called(&step.id)
            ),
        })
    }

    /// Steps that nothing leads to any more. `now`: where a step stands afterwards; `None`: it is deleted.
    pub(super) fn left_behind(&self, after: &Lines<'_>, now: impl Fn(usize) -> Option<usize>) -> Option<Consequence> {
        let entered = |workflow: &Workflow| workflow.entry().map(|entry| behind(workflow, entry));
        let (old, new) = (entered(&self.runbook.workflow)?, entered(&after.runbook.workflow)?);
        let gone = |step: &Step| old[step.ordinal] && now(step.ordinal).is_some_and(|now| !new[now]);
        let workflow = &self.runbook.workflow;
        let whole = |step: &&Step| gone(step) && !workflow.container(step).is_some_and(gone);
        let about: Vec<StepId> = self.steps().iter().filter(whole).map(|step| step.id.clone()).collect();
        let names = match about.as_slice() {
            [first, others @ ..] if others.len() >= MOST_NAMES => {
                format!("{} and {} other steps", called(first), others.len())
            }
            all => listed(all)?,
        };
        let said = format!("nothing leads to {names} any more");
        Some(Consequence { about, said })
    }
}

impl Follows<'_> {
    /// That it follows an outcome of a step. `id`: what a step is called before the gesture.
    pub(super) fn said<'s>(&'s self, step: &Step, passed: bool, id: impl Fn(&'s Step) -> &'s StepId) -> String {
        let when = format!("{} {}", called(&step.id), passes(passed));
        match self {
            Follows::Step(to) => format!("when {when}, {} comes next", called(id(to))),
            Follows::Container(around) => format!("when {when}, {} decides what follows", called(id(around))),
            Follows::Complete => format!("the runbook is complete when {when}"),
            Follows::Stop => format!("the runbook stops when {when}"),
        }
    }
}

/// More names are not listed in one sentence.
const MOST_NAMES: usize = 4;
