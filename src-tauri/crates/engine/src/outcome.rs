//! What a run came to, in the terms of the people it is for: that somebody refused is told apart from a failure, and from having
//! gone well by the way the workflow has for that case.
//!
//! It is read off the log like everything else, so a run of an earlier version has it too. The contracts' own words for a run's end
//! ([`EndStatus`]) stay what they are.

use crate::state::{GateRound, Rejection, RunState, RunStatus};
use crate::{
    Answer, At, Decision, EndStatus, GateId, GateOpened, Instance, Purpose, RefusedInside, RunId, StageEnd, StepResult,
};
use model::{StepId, WorkflowId};
use std::sync::Arc;

/// What a run that has ended came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome<'a> {
    /// It went well.
    Done,
    /// A person refused, and that decided it.
    Refused(Refused<'a>),
    /// It went wrong.
    Failed,
    /// It could not go on: what was asked for is not all done.
    Stopped,
    /// A person ended it.
    Aborted,
    /// It went to its end, but not every stage of it went well.
    CompletedWithFailures,
}

/// A person's refusal: what was asked, and the answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Refused<'a> {
    /// What was asked, and about which visit of which step.
    pub opened: &'a GateOpened,
    /// Who refused, and in what words.
    pub decision: &'a Decision,
    /// When it was decided.
    pub at: At,
    /// The run inside this one in which it was said, however deep that lies; absent: this one.
    pub inside: Option<&'a RunId>,
}

impl Refused<'_> {
    /// The same as the run around keeps it: of the run `run`, or one inside it, which carried out the visit `instance` of a step of `workflow`.
    pub fn inside(&self, run: &RunId, workflow: &WorkflowId, instance: &Instance) -> RefusedInside {
        let gate = GateId::inside(workflow, &instance.step);
        RefusedInside {
            run: self.inside.unwrap_or(run).clone(),
            opened: GateOpened {
                gate: gate.clone(),
                instance: instance.clone(),
                round: 1,
                asks: Vec::new(),
                shown: Vec::new(),
                changes_to: None,
                reject_to: None,
                approve_to: None,
                below: Vec::new(),
                feedback: Vec::new(),
                ..self.opened.clone()
            },
            decision: Decision {
                gate,
                round: 1,
                seen: Vec::new(),
                undrawn: Vec::new(),
                signature: None,
                ..self.decision.clone()
            },
            at: self.at,
        }
    }
}

impl RunState {
    /// What the run came to; `None` while it has not ended.
    pub fn outcome(&self) -> Option<Outcome<'_>> {
        let RunStatus::Ended(end) = self.status else {
            return None;
        };
        let or = |otherwise| self.refusal_that_decided(end).map_or(otherwise, Outcome::Refused);
        Some(match end {
            EndStatus::Succeeded => or(Outcome::Done),
            EndStatus::Failed => or(Outcome::Failed),
            EndStatus::Stopped => Outcome::Stopped,
            EndStatus::Aborted => Outcome::Aborted,
            EndStatus::CompletedWithFailures => Outcome::CompletedWithFailures,
        })
    }

    /// What a person refused in a run that did not go well: what ended it, else what stands although it ended for another reason as well. Who
    /// runs it anew would ask for that again. `None`: nobody refused anything, or what was refused was done again or approved since.
    pub fn refusal(&self) -> Option<Refused<'_>> {
        let stands = |r: &&Rejection| {
            let again = self.last_visit(&r.instance.step, &r.instance.path);
            let was_done_again = r.settled || r.led_back || again.is_some_and(|last| last > r.instance.visit);
            !was_done_again && (!self.has_stages() || self.has_failed(&r.instance.step))
        };
        match self.outcome()? {
            Outcome::Refused(refused) => Some(refused),
            Outcome::Failed | Outcome::CompletedWithFailures => {
                let mut standing = self.rejections.iter().rev().filter(stands);
                standing.find_map(|rejection| self.refused(rejection))
            }
            Outcome::Done | Outcome::Stopped | Outcome::Aborted => None,
        }
    }

    /// The refusal that a step was left with, in the dynamic instances within `path` (all of them when it is empty); `None` when
    /// nobody refused, when it was taken back, and when the step was entered again since.
    pub fn refused_at(&self, step: &StepId, path: &[u32]) -> Option<Refused<'_>> {
        let standing = self.rejections.iter().rev();
        let mut here = standing.filter(|r| r.instance.step == *step && r.instance.path.starts_with(path));
        let rejection = here.next()?;
        let later = self
            .last_visit(step, path)
            .is_some_and(|last| last > rejection.instance.visit);
        (!later).then(|| self.refused(rejection)).flatten()
    }

    pub(crate) fn refused<'a>(&'a self, rejection: &'a Rejection) -> Option<Refused<'a>> {
        if let Some(inside) = &rejection.inside {
            return Some(Refused {
                opened: &inside.opened,
                decision: &inside.decision,
                at: inside.at,
                inside: Some(&inside.run),
            });
        }
        let rounds = self.gates.get(&rejection.gate)?;
        let GateRound { opened, answer, .. } = rounds.iter().find(|r| r.opened.round == rejection.round)?;
        let (decision, at) = answer.as_ref()?;
        Some(Refused {
            opened,
            decision,
            at: *at,
            inside: None,
        })
    }

    /// The last refusal that had ended the run before it was taken up again; `None` while it stands as that, and where none had.
    pub fn refused_before(&self) -> Option<Refused<'_>> {
        self.refused(self.overruled.as_ref()?)
    }

    /// Keeps of a run that is taken up again the refusal that had ended it.
    pub(crate) fn overrule(&mut self) {
        let Some(Outcome::Refused(refused)) = self.outcome() else {
            return;
        };
        let (gate, round, instance) = (&refused.opened.gate, refused.opened.round, &refused.opened.instance);
        let of_it = |one: &&Rejection| one.gate == *gate && one.round == round && one.instance == *instance;
        self.overruled = self.rejections.iter().find(of_it).cloned();
    }

    fn last_visit(&self, step: &StepId, path: &[u32]) -> Option<u32> {
        let visits = self.steps.get(step)?.visits.iter().rev();
        visits
            .map(|visit| &visit.instance)
            .find(|i| i.path.starts_with(path))
            .map(|i| i.visit)
    }

    /// The refusal by which the run ended as it did, the last of several.
    fn refusal_that_decided(&self, end: EndStatus) -> Option<Refused<'_>> {
        let standing = self.rejections.iter().rev().filter_map(|r| Some((r, self.refused(r)?)));
        if self.has_stages() {
            let mut standing = standing.filter(|(r, _)| self.has_failed(&r.instance.step));
            return standing
                .find(|(r, _)| self.is_rejected_stage(&r.instance.step) || self.only_refusals())
                .map(|(_, refused)| refused);
        }
        let stopped = self
            .routes
            .last()
            .and_then(|r| r.runbook.as_deref())
            .is_some_and(|m| m.stopped);
        let decides = |rejection: &Rejection, refused: &Refused<'_>| match end {
            EndStatus::Succeeded => !self.was_granted_after(rejection, refused),
            // Either the refusal itself ended the run, or a runbook went on and stopped because of it and of nothing else.
            _ => {
                !rejection.then_failed && (!rejection.went_on || stopped) && !self.was_granted_after(rejection, refused)
            }
        };
        let mut standing = standing.filter(|(rejection, refused)| !rejection.settled && decides(rejection, refused));
        standing.next().map(|(_, refused)| refused)
    }

    /// What people have rejected at gates, and in runs inside steps, and nobody has approved since: the run goes on as the workflow has it for
    /// that case.
    pub(crate) fn rejected(&self) -> impl Iterator<Item = &Rejection> {
        let standing = self.rejections.iter().filter(|r| !r.settled);
        standing.filter(|rejection| {
            let rejects = |refused: &Refused<'_>| match &rejection.inside {
                Some(inside) => inside.rejects(),
                None => matches!(refused.opened.purpose, Purpose::Approval | Purpose::Way { .. }),
            };
            let refused = self.refused(rejection);
            refused.is_some_and(|refused| rejects(&refused) && !self.was_granted_after(rejection, &refused))
        })
    }

    /// What was not permitted was permitted by another answer: the step was carried out after all.
    fn was_granted_after(&self, rejection: &Rejection, refused: &Refused<'_>) -> bool {
        let path = &rejection.instance.path;
        let mut visits = self.visits_of(&rejection.instance.step);
        let again =
            |visit: &crate::Visit| visit.instance.path == *path && visit.instance.visit > rejection.instance.visit;
        !matches!(refused.opened.purpose, Purpose::Approval) && visits.any(again)
    }

    fn has_failed(&self, step: &StepId) -> bool {
        let settled = self.stages.get(step).and_then(|stage| stage.settled.as_ref());
        settled.is_some_and(|settled| settled.status == StageEnd::Failed)
    }

    fn is_rejected_stage(&self, step: &StepId) -> bool {
        let settled = self.stages.get(step).and_then(|stage| stage.settled.as_ref());
        settled.is_some_and(|settled| settled.rejected)
    }

    /// Whether every stage that failed did so because a person refused.
    fn only_refusals(&self) -> bool {
        let failed = self.stages.keys().filter(|step| self.has_failed(step));
        failed.into_iter().all(|step| self.refused_at(step, &[]).is_some())
    }

    /// A person answered: what the same question was answered with before counts no longer.
    pub(crate) fn note_answer(&mut self, opened: &GateOpened, decision: &Decision) {
        let instance = &opened.instance;
        self.rejections
            .retain(|r| r.gate != decision.gate || r.instance.path != instance.path);
        match (&opened.purpose, decision.answer) {
            // How a step went that a person carries out is no refusal; that it went badly is a failure like any other.
            (Purpose::Outcome { .. }, Answer::Fail) => self.note_failure(),
            (Purpose::Outcome { .. }, _) => {}
            (_, Answer::Reject) => self.rejections.push(Rejection {
                gate: decision.gate.clone(),
                round: decision.round,
                instance: instance.clone(),
                went_on: false,
                then_failed: false,
                led_back: false,
                settled: false,
                inside: None,
            }),
            (Purpose::Approval, Answer::Approve) if opened.why.is_of_gate() => {
                self.rejections.iter_mut().for_each(|r| r.settled |= r.led_back)
            }
            _ => {}
        }
    }

    /// A step that runs other workflows came to its end: what a person refused in one of those runs stands, and what they had refused
    /// there before counts no longer.
    pub(crate) fn note_inside(&mut self, instance: &Instance, result: &StepResult) {
        let refused = result.refused_inside();
        if refused.is_none() && !result.status.completes() {
            return;
        }
        let here = |r: &Rejection| r.instance.step == instance.step && r.instance.path == instance.path;
        self.rejections.retain(|r| r.inside.is_none() || !here(r));
        if let Some(refused) = refused {
            self.rejections.push(Rejection {
                gate: refused.decision.gate.clone(),
                round: refused.decision.round,
                instance: instance.clone(),
                went_on: false,
                then_failed: false,
                led_back: false,
                settled: false,
                inside: Some(Arc::new(refused.clone())),
            });
        }
    }

    /// The run leads on after a rejection: back, where the step that it leads to had begun before anybody was asked there.
    pub(crate) fn note_led_back(&mut self, from: &Instance, to: &StepId) {
        if self.rejections.is_empty() {
            return;
        }
        let first = self.visits_of(to).next().and_then(|visit| visit.attempts.first());
        let Some(began) = first.map(|attempt| attempt.started_at) else {
            return;
        };
        for rejection in self.rejections.iter_mut().filter(|r| r.instance == *from) {
            // What was said in a run inside is no gate of this one.
            let inside = rejection.inside.as_ref().map(|inside| inside.at);
            let first = || self.gates.get(&rejection.gate)?.front().map(|round| round.opened_at);
            rejection.led_back |= inside.or_else(first).is_some_and(|asked| began <= asked);
        }
    }

    /// Something went wrong by itself.
    pub(crate) fn note_failure(&mut self) {
        self.rejections.iter_mut().for_each(|r| r.then_failed = true);
    }

    /// A step began, or a person is asked.
    pub(crate) fn note_progress(&mut self) {
        self.rejections.iter_mut().for_each(|r| r.went_on = true);
    }
}
