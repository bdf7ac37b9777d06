//! Stages that wait for each other (seed 004 "PIPELINE RUN"; CONTRACTS "Pipelines"), several of them in flight at once.
//!
//! What happens next follows from where the stages stand and from nothing else: every command ends with [`Commit::schedule`], which
//! skips what can never run, queues what may begin, starts what there is room for and ends the run when nothing is left. It may be
//! called at any time, so a log that was cut off anywhere goes on the same way.

use super::commit::Commit;
use crate::state::{Cursor, Due, RunState, RunStatus, Stage};
use crate::{
    Answer, Choice, Decision, EndStatus, Event, ExecutionStatus, GateOpened, Instance, Refusal, RefusalCode, Settled,
    StageEnd, StepResult, gate,
};
use model::{Control, GateAt, OnFailure, Step, StepId, Workflow};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Where a stage stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Pending,
    Queued,
    /// In an attempt, or between two.
    InFlight,
    /// In front of a person.
    Asking,
    /// Between two events of one commit.
    Between,
    Completed,
    Failed,
    Skipped,
    Aborted,
}

/// Whether something is due by itself, which only a log that was cut off inside a commit leaves behind.
pub(crate) fn is_due(workflow: &Workflow, state: &RunState) -> bool {
    let Some(created) = &state.created else {
        return false;
    };
    Commit::new(workflow, state, created, state.last_at.unwrap_or_default()).carry_on()
}

impl Commit<'_> {
    /// Whether the run's stages wait for each other.
    pub(crate) fn by_dependencies(&self) -> bool {
        self.created.format.contract().control == Control::Stages
    }

    /// Carries on from where a cut-off commit ends; `false` when nothing is due.
    pub(crate) fn carry_on_stages(&mut self) -> bool {
        match self.now.cursor.clone() {
            Cursor::Between(Due::Start) => self.emit(Event::RunStarted),
            Cursor::Between(Due::Abort { error, .. }) => {
                self.cut_off_stages(error);
                return true;
            }
            _ => {}
        }
        let due = self.now.stages.values().filter_map(|stage| match &stage.cursor {
            Cursor::Between(due) => Some(due.clone()),
            _ => None,
        });
        for due in due.collect::<Vec<_>>() {
            self.follow_due(&due);
        }
        self.schedule();
        !self.events.is_empty()
    }

    /// A stage's visit came to its end: it has failed, a person is asked, or it is completed.
    pub(crate) fn stage_left(&mut self, instance: &Instance, result: &StepResult) {
        let Some(step) = self.workflow.step(&instance.step) else {
            return self.stage_failed(
                &instance.step,
                format!("stage '{}' is not in the pipeline", instance.step),
            );
        };
        match result.status {
            ExecutionStatus::Failed => {
                let error = result.error.clone().filter(|e| !e.trim().is_empty());
                self.stage_failed(&step.id, error.unwrap_or_else(|| format!("stage '{}' failed", step.id)));
            }
            // Also of what was left out: an agent that says there was nothing to do does not pass a gate by saying so.
            _ if let Some(why) = self.blocked_by(step, GateAt::After) => {
                let shown = gate::shown_after(&self.now.results(), step, result);
                self.ask(step, instance.clone(), why, shown, Some(step.id.clone()), None);
            }
            ExecutionStatus::Succeeded | ExecutionStatus::Skipped | ExecutionStatus::Blocked => {
                self.settle(&step.id, StageEnd::Completed, None)
            }
        }
    }

    pub(crate) fn stage_failed(&mut self, step: &StepId, error: String) {
        self.settle(step, StageEnd::Failed, Some(error));
    }

    fn settle(&mut self, step: &StepId, status: StageEnd, error: Option<String>) {
        self.emit(Event::Settled(Arc::new(Settled {
            step: step.clone(),
            status,
            because: None,
            error,
            rejected: false,
        })));
    }

    /// What a person's answer leads to; [`Commit::schedule`] does the rest.
    pub(crate) fn follow_stage(&mut self, opened: &GateOpened, decision: &Decision) {
        let step = &opened.instance.step;
        match decision.answer {
            // It was queued when the question was asked, and is again.
            Answer::Approve | Answer::Pass | Answer::Fail if opened.at == GateAt::Before => {}
            Answer::Approve | Answer::Pass | Answer::Fail => self.settle(step, StageEnd::Completed, None),
            Answer::Changes if sent_elsewhere(opened) => {}
            Answer::Changes => self.emit(Event::Queued {
                steps: vec![step.clone()],
            }),
            Answer::Reject => {
                let (by, comment) = (decision.by.trim(), decision.comment.trim());
                self.emit(Event::Settled(Arc::new(Settled {
                    step: step.clone(),
                    status: StageEnd::Failed,
                    because: None,
                    error: Some(format!("Rejected by {by}: {comment}")),
                    rejected: true,
                })));
            }
        }
    }

    /// Ends a run that a person aborts: what is in flight is cut off, everything else stays as it is.
    pub(crate) fn cut_off_stages(&mut self, error: String) {
        for (step, stage) in &self.now.stages.clone() {
            match &stage.cursor {
                Cursor::Nowhere | Cursor::Ready { .. } => continue,
                Cursor::Running { instance, attempt } => self.emit(Event::AttemptInterrupted {
                    instance: instance.clone(),
                    attempt: *attempt,
                    reason: error.clone(),
                    retry_at: None,
                }),
                Cursor::Retrying { .. } | Cursor::AtGate { .. } | Cursor::Between(_) => {}
            }
            self.settle(step, StageEnd::Aborted, None);
        }
        self.complete(EndStatus::Aborted, Some(error), None, 0);
    }

    /// A person takes up a run that has ended.
    pub(crate) fn reopen(&mut self, by: &str, choices: &BTreeMap<StepId, Choice>) -> Result<(), Refusal> {
        check_choices(self.workflow, &self.now, choices)?;
        let retried = |step: &StepId| choices.get(step) == Some(&Choice::Retry);
        let again = |settled: &Settled| {
            retried(&settled.step)
                || settled.status == StageEnd::Skipped && settled.because.as_ref().is_some_and(retried)
        };
        let settled = self.now.stages.values().filter_map(|stage| stage.settled.as_ref());
        let reset = settled.filter(|s| again(s)).map(|s| s.step.clone()).collect();
        self.emit(Event::Reopened {
            by: by.to_owned(),
            choices: choices.clone(),
            reset,
        });
        Ok(())
    }

    /// Brings the stages on as far as they go without waiting.
    pub(crate) fn schedule(&mut self) {
        // A log may end inside an abort: until that is carried on nothing begins.
        let aborting = matches!(self.now.cursor, Cursor::Between(Due::Abort { .. }));
        if aborting || self.now.status.ended() {
            return;
        }
        let mut stands = self.standings();
        self.skip(&mut stands);
        let rejected = self.rejection();
        let failed = stands.contains(&Standing::Failed) && self.workflow.on_failure == OnFailure::Halt;
        let halted = failed || rejected.is_some();
        let held = loop {
            let ready = self.queue(&mut stands, halted);
            if self.now.paused {
                break ready;
            }
            // A stage that asks a person first holds up nobody: the next wave may begin.
            if !self.start_queued(&mut stands) {
                break false;
            }
        };
        let open = |s: &Standing| {
            use Standing::{Asking, Between, InFlight, Queued};
            matches!(s, Queued | InFlight | Asking | Between)
        };
        if !stands.iter().any(open) && !held {
            self.end_of_stages(&stands, halted, rejected);
        }
    }

    /// Queues what may begin, unless the run is paused; whether there was anything.
    fn queue(&mut self, stands: &mut [Standing], halted: bool) -> bool {
        let mut ready = self.sent_back(stands, halted);
        for &ordinal in &ready {
            stands[ordinal] = Standing::Queued;
        }
        ready.extend(self.ready(stands, halted));
        ready.sort_unstable();
        for &ordinal in &ready {
            stands[ordinal] = Standing::Queued;
        }
        if !self.now.paused && !ready.is_empty() {
            let steps = ready.iter().map(|&n| self.workflow.steps()[n].id.clone()).collect();
            self.emit(Event::Queued { steps });
        }
        !ready.is_empty()
    }

    /// Where every stage stands.
    fn standings(&self) -> Vec<Standing> {
        let mut stands = vec![Standing::Pending; self.workflow.steps().len()];
        for (id, stage) in &self.now.stages {
            if let Some(step) = self.workflow.step(id) {
                stands[step.ordinal] = stands_now(stage);
            }
        }
        stands
    }

    /// What depends on a stage that failed or was skipped is skipped too; what is queued only when that stage was sent back.
    fn skip(&mut self, stands: &mut [Standing]) {
        let steps = self.workflow.steps();
        let lost = steps
            .iter()
            .filter(|s| matches!(stands[s.ordinal], Standing::Failed | Standing::Skipped));
        let mut open: VecDeque<(&Step, StepId)> = lost.map(|step| (step, self.cause(&step.id))).collect();
        let mut skipped: Vec<(usize, StepId)> = Vec::new();
        while let Some((step, cause)) = open.pop_front() {
            for dependent in self.workflow.dependents(step) {
                let waits = matches!(stands[dependent.ordinal], Standing::Pending | Standing::Queued);
                if waits && self.is_reached(dependent) {
                    stands[dependent.ordinal] = Standing::Skipped;
                    skipped.push((dependent.ordinal, cause.clone()));
                    open.push_back((dependent, cause.clone()));
                }
            }
        }
        skipped.sort_unstable();
        for (ordinal, cause) in skipped {
            self.emit(Event::Settled(Arc::new(Settled {
                step: steps[ordinal].id.clone(),
                status: StageEnd::Skipped,
                because: Some(cause),
                error: None,
                rejected: false,
            })));
        }
    }

    /// The stage with which it began that this one cannot run.
    fn cause(&self, step: &StepId) -> StepId {
        let settled = self.now.stages.get(step).and_then(|stage| stage.settled.as_ref());
        let because = settled
            .filter(|settled| settled.status == StageEnd::Skipped)
            .and_then(|settled| settled.because.clone());
        because.unwrap_or_else(|| step.clone())
    }

    /// Why the run ends after a person's rejection.
    fn rejection(&self) -> Option<String> {
        let mut settled = self.now.stages.values().filter_map(|stage| stage.settled.as_ref());
        settled.find(|s| s.rejected).and_then(|s| s.error.clone())
    }

    /// Completed stages of which a person has asked for changes before what depends on them begins: they run again. One that was in
    /// flight when it was asked does so afterwards.
    fn sent_back(&self, stands: &[Standing], halted: bool) -> Vec<usize> {
        if self.now.comments.is_empty() {
            return Vec::new();
        }
        let asked =
            |step: &&Step| stands[step.ordinal] == Standing::Completed && self.now.comments.contains_key(&step.id);
        let steps = self.workflow.steps().iter().filter(|_| !halted);
        steps.filter(asked).map(|step| step.ordinal).collect()
    }

    /// Pending stages whose dependencies are all completed, as far as they may be queued now. Where a failure halts the pipeline
    /// the next wave waits for the one before: what has begun by then must not depend on who was quicker.
    fn ready(&self, stands: &[Standing], halted: bool) -> Vec<usize> {
        let busy = |step: &Step| match stands[step.ordinal] {
            Standing::InFlight | Standing::Between => true,
            Standing::Queued => self.is_met(step, stands),
            _ => false,
        };
        let steps = self.workflow.steps();
        if halted || self.workflow.on_failure == OnFailure::Halt && steps.iter().any(busy) {
            return Vec::new();
        }
        let ready = |step: &&Step| {
            stands[step.ordinal] == Standing::Pending && self.is_met(step, stands) && self.is_reached(step)
        };
        steps.iter().filter(ready).map(|step| step.ordinal).collect()
    }

    /// Whether everything that a stage waits for is completed.
    fn is_met(&self, step: &Step, stands: &[Standing]) -> bool {
        step.depends_on.iter().all(|id| {
            let step = self.workflow.step(id);
            step.is_some_and(|step| stands[step.ordinal] == Standing::Completed)
        })
    }

    /// Of two stages of one name the second is never reached.
    fn is_reached(&self, step: &Step) -> bool {
        let first = self.workflow.step(&step.id);
        first.is_some_and(|first| first.ordinal == step.ordinal)
    }

    /// Starts queued stages in document order: those marked parallel while there is room, of the others one at a time.
    /// Whether one of them asks a person before it begins.
    fn start_queued(&mut self, stands: &mut [Standing]) -> bool {
        let workflow = self.workflow;
        let steps = workflow.steps();
        let in_flight = || steps.iter().filter(|s| stands[s.ordinal] == Standing::InFlight);
        let mut room = (self.created.limits.parallel.max(1) as usize).saturating_sub(in_flight().count());
        let mut alone = in_flight().any(|step| !step.parallel);
        let mut asks = false;
        for step in steps {
            if room == 0 {
                break;
            }
            if stands[step.ordinal] != Standing::Queued || alone && !step.parallel {
                continue;
            }
            // A person may have sent back meanwhile what it waits for.
            if !self.is_met(step, stands) {
                continue;
            }
            self.start_stage(step);
            if matches!(self.events.last(), Some(Event::AttemptStarted(_))) {
                stands[step.ordinal] = Standing::InFlight;
                room -= 1;
                alone |= !step.parallel;
            } else {
                stands[step.ordinal] = Standing::Asking;
                asks = true;
            }
        }
        asks
    }

    fn start_stage(&mut self, step: &Step) {
        let instance = self.now.next_visit(&step.id, Vec::new());
        self.approach(step, instance);
    }

    /// Nothing is queued, in flight or asked any more.
    fn end_of_stages(&mut self, stands: &[Standing], halted: bool, rejected: Option<String>) {
        let names = |standing: Standing| -> Vec<&str> {
            let steps = self.workflow.steps().iter();
            steps
                .filter(|s| stands[s.ordinal] == standing && self.is_reached(s))
                .map(|s| s.id.as_str())
                .collect()
        };
        let completed = |step: &Step| stands[step.ordinal] == Standing::Completed;
        let (failed, pending) = (names(Standing::Failed), names(Standing::Pending));
        let error = match failed.first() {
            _ if rejected.is_some() => rejected,
            Some(first) if halted => Some(format!("Pipeline failed at stage: {first}")),
            _ if !pending.is_empty() => Some(format!(
                "Deadlock detected (cycle or unmet dependencies). Pending stages: {}",
                pending.join(", ")
            )),
            _ => None,
        };
        let status = match &error {
            Some(_) => EndStatus::Failed,
            None if self.workflow.steps().iter().all(completed) => EndStatus::Succeeded,
            None => EndStatus::CompletedWithFailures,
        };
        self.complete(status, error, None, 0);
    }
}

fn stands_now(stage: &Stage) -> Standing {
    match (&stage.cursor, &stage.settled) {
        (Cursor::Nowhere, None) => Standing::Pending,
        (Cursor::Nowhere, Some(settled)) => ended(settled.status),
        (Cursor::Ready { .. }, _) => Standing::Queued,
        (Cursor::Running { .. } | Cursor::Retrying { .. }, _) => Standing::InFlight,
        (Cursor::AtGate { .. }, _) => Standing::Asking,
        (Cursor::Between(_), _) => Standing::Between,
    }
}

/// Whether "request changes" of this gate is about another stage, which this one then waits for again.
pub(crate) fn sent_elsewhere(opened: &GateOpened) -> bool {
    opened.changes_to.as_ref().is_some_and(|to| *to != opened.instance.step)
}

fn ended(status: StageEnd) -> Standing {
    match status {
        StageEnd::Completed => Standing::Completed,
        StageEnd::Failed => Standing::Failed,
        StageEnd::Skipped => Standing::Skipped,
        StageEnd::Aborted => Standing::Aborted,
    }
}

/// The stages about which something must be said before the run can be taken up again, in document order.
pub fn unsettled<'a>(workflow: &'a Workflow, state: &RunState) -> Vec<&'a Step> {
    let lost = |step: &&Step| {
        let settled = state.stages.get(&step.id).and_then(|stage| stage.settled.as_ref());
        settled.is_some_and(|s| matches!(s.status, StageEnd::Failed | StageEnd::Aborted))
    };
    workflow.steps().iter().filter(lost).collect()
}

fn check_choices(workflow: &Workflow, state: &RunState, choices: &BTreeMap<StepId, Choice>) -> Result<(), Refusal> {
    let refuse = |message: String| Err(Refusal::new(RefusalCode::CannotReopen, message));
    let lost = unsettled(workflow, state);
    match state.status {
        RunStatus::Ended(EndStatus::Failed | EndStatus::Aborted) => {}
        RunStatus::Ended(EndStatus::CompletedWithFailures) if !lost.is_empty() => {}
        RunStatus::Ended(_) => return refuse("This run is complete: there is nothing left to resume.".to_owned()),
        _ => return refuse("This run has not ended. Abort it first, or let it end; then resume it.".to_owned()),
    }
    let undecided: Vec<String> = lost
        .iter()
        .filter(|step| !choices.contains_key(&step.id))
        .map(|step| format!("“{}”", step.name))
        .collect();
    if !undecided.is_empty() {
        let message = format!("Say for {} whether to retry or to skip it.", undecided.join(", "));
        return Err(Refusal::new(RefusalCode::ChoiceNeeded, message));
    }
    if let Some(other) = choices.keys().find(|id| !lost.iter().any(|step| step.id == **id)) {
        let message =
            format!("Stage “{other}” has not failed and was not cut off, so it can be neither retried nor skipped.");
        return Err(Refusal::new(RefusalCode::ChoiceNeeded, message));
    }
    Ok(())
}
