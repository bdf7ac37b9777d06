//! A person has ended a run inside a step: what follows in the run around it.

use super::commit::Commit;
use crate::feedback::Sent;
use crate::{
    EndedInside, Event, ExecutionStatus, Frame, Instance, JoinCause, Moved, RefusedInside, RouteDecision, RouteKind,
    Settled, StageEnd, StepResult, runbook,
};
use model::{Routing, Step, StepId, Work};
use std::sync::Arc;

impl Commit<'_> {
    /// Why a step failed that runs other workflows, in words. Of any other step the run's own words say where to look; here what happened is
    /// told by another run.
    pub(crate) fn why_inside(&self, step: &StepId) -> Option<&str> {
        let step = self.workflow.step(step);
        let step = step.filter(|step| matches!(step.work, Work::SubWorkflow { .. }))?;
        let result = self.now.steps.get(&step.id)?.visits.last()?.result()?;
        let why = result.error.as_deref().map(str::trim).filter(|why| !why.is_empty());
        why.filter(|_| result.status == ExecutionStatus::Failed)
    }

    /// How a run ends, with the reason of a step that it ends at, where that runs other workflows.
    pub(crate) fn with_why_inside(&self, said: String, at: Option<&StepId>) -> String {
        match at.and_then(|step| self.why_inside(step)) {
            Some(why) => format!("{said}: {why}"),
            None => said,
        }
    }

    /// What follows where a person ended a run inside the step that is left; `false`: what follows any failure.
    pub(crate) fn ended_by_a_person(&mut self, step: &Step, instance: &Instance, result: &StepResult) -> bool {
        let ended = result.ended_inside.as_deref();
        let Some(ended) = ended.filter(|_| result.status == ExecutionStatus::Failed) else {
            return false;
        };
        let said = result.error.clone().filter(|said| !said.trim().is_empty());
        let error = said.unwrap_or_else(|| format!("step '{}' failed", step.id));
        // A runbook has no gates: what was refused is FAIL there, whose transition says what follows; but nothing begins it once more.
        let is_runbook = matches!(step.routing, Routing::Transitions { .. });
        let instead = if is_runbook {
            self.instead_of_retry(instance)
        } else {
            None
        };
        match (ended, instead) {
            // What is written for when it is not tried again.
            (_, Some(Some(decision))) => self.take(decision),
            (EndedInside::Refused(refused), instead) if instead.is_some() || !is_runbook && refused.rejects() => {
                self.rejected_inside(step, instance, refused, error);
            }
            (EndedInside::Aborted { .. }, Some(None)) => self.fail_at(&step.id, error),
            (EndedInside::Refused(_) | EndedInside::Aborted { .. }, _) => return false,
        }
        true
    }

    /// A rejection in a run inside rejects the step around it, as one at the step's own gate does.
    fn rejected_inside(&mut self, step: &Step, instance: &Instance, refused: &RefusedInside, error: String) {
        match self.rejected_to(step) {
            Some(to) if self.by_dependencies() => self.send_back(instance, std::iter::once(&to), Sent::Rejected),
            Some(to) => {
                let decision = self.by_person(step, &refused.opened, &refused.decision, &to, RouteKind::Advance);
                self.take(decision);
            }
            None if self.by_dependencies() => self.emit(Event::Settled(Arc::new(Settled {
                step: step.id.clone(),
                status: StageEnd::Failed,
                because: None,
                error: Some(error),
                rejected: true,
                spared: None,
            }))),
            None => self.end_at(&step.id, error, JoinCause::Rejected),
        }
    }

    /// Where a runbook's transition would do the same once more after a failure: where it leads when it is not tried again;
    /// nothing inside: it stops then. Absent: it would not.
    fn instead_of_retry(&self, instance: &Instance) -> Option<Option<RouteDecision>> {
        let mut frame = Frame::clone(&self.now.frame);
        let mut decision = runbook::route(self.workflow, instance, &frame, false);
        let mut retries = false;
        while let Some(Moved::Retry { of, .. }) = decision.reason.moved() {
            let unit = decision.runbook.as_ref().and_then(|moved| moved.unit.clone());
            let unit = unit.unwrap_or_else(|| instance.step.clone());
            if frame.retries.insert(unit, *of) == Some(*of) {
                return Some(None);
            }
            retries = true;
            decision = runbook::route(self.workflow, instance, &frame, false);
        }
        if !retries {
            return None;
        }
        // It was not tried so often: that is no reason, and nothing to remember.
        decision.loop_count = None;
        decision.alternatives.clear();
        if let Some(moved) = &mut decision.runbook {
            let before = &self.now.frame.retries;
            let retries = &mut Arc::make_mut(&mut moved.frame).retries;
            retries.retain(|unit, taken| before.get(unit).map(|was| *taken = *was).is_some());
        }
        let stops = decision.runbook.as_ref().is_some_and(|moved| moved.stopped);
        Some(Some(decision).filter(|_| !stops))
    }
}
