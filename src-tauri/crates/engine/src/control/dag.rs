//! Stages that wait for each other (seed 004 "PIPELINE RUN"; CONTRACTS "Pipelines"), several of them in flight at once.
//!
//! What happens next follows from where the stages stand and from nothing else: every command ends with [`Commit::schedule`], which
//! skips what can never run, queues what may begin, starts what there is room for and ends the run when nothing is left. It may be
//! called at any time, so a log that was cut off anywhere goes on the same way.

use super::commit::{Commit, interrupted_error};
use crate::cursor::{Cursor, Due};
use crate::feedback::Sent;
use crate::stages::plan::{Plan, Standing};
use crate::state::{RunState, RunStatus};
use crate::{
    Answer, Choice, Decision, EndStatus, Event, ExecutionStatus, GateOpened, Instance, Refusal, RefusalCode, Settled,
    StageEnd, StepResult,
};
use model::{Control, GateAt, OnFailure, Step, StepId, Workflow};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// Whether something is due by itself, which only a log that was cut off inside a commit, or what a person said, leaves behind.
pub(crate) fn is_due(workflow: &Workflow, state: &RunState) -> bool {
    let Some(created) = &state.created else {
        return false;
    };
    Commit::new(workflow, state, created, state.last_at.unwrap_or_default()).carry_on()
}

/// Whether no more stages of a run are queued: one has failed where that ends all, or a person has rejected one.
pub fn is_halted(workflow: &Workflow, state: &RunState) -> bool {
    let Some(created) = &state.created else {
        return false;
    };
    Commit::new(workflow, state, created, state.last_at.unwrap_or_default()).is_halted()
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
        let due = self.now.stages.busy().filter_map(|(_, stage)| match &stage.cursor {
            Cursor::Between(due) => Some(due.clone()),
            _ => None,
        });
        for due in due.collect::<Vec<_>>() {
            self.follow_due(&due);
        }
        self.schedule();
        !self.events.is_empty()
    }

    /// A stage's visit came to its end: it has failed, a person is asked, its agent left it out, or it is completed.
    pub(crate) fn stage_left(&mut self, instance: &Instance, result: &StepResult) {
        let Some(step) = self.workflow.step(&instance.step) else {
            return self.stage_failed(
                &instance.step,
                format!("stage '{}' is not in the pipeline", instance.step),
            );
        };
        match result.status {
            // One that is blocked has asked somebody before.
            ExecutionStatus::Failed | ExecutionStatus::Blocked => {
                let error = failure_of(&step.id, result.error.as_deref());
                if !self.asks_about_spared(step, instance, result, &error) {
                    self.stage_failed(&step.id, error);
                }
            }
            // Also of what was left out: an agent that says there was nothing to do does not pass a gate by saying so.
            _ if self.asks_about(step, instance, result, Some(&step.id), None) => {}
            // Only what is completed lets begin what waits for it.
            ExecutionStatus::Skipped => {
                let why = result.skipped().map(str::to_owned);
                self.settle(&step.id, StageEnd::Skipped, why);
            }
            ExecutionStatus::Succeeded => self.settle(&step.id, StageEnd::Completed, None),
        }
    }

    /// A stage has failed for good without a result.
    pub(crate) fn stage_lost(&mut self, id: &StepId, error: String) {
        let last = self.now.steps.get(id).and_then(|state| state.visits.last());
        let instance = last.map(|visit| visit.instance.clone());
        let nothing = StepResult {
            error: Some(error.clone()),
            ..StepResult::new(ExecutionStatus::Failed)
        };
        let asked = self.workflow.step(id).zip(instance);
        let asked = asked.is_some_and(|(step, instance)| self.asks_about_spared(step, &instance, &nothing, &error));
        if !asked {
            self.stage_failed(id, error);
        }
    }

    /// Asks at the gate of a stage that has failed, where the run goes on without it: a failure passes no gate. Says whether somebody is asked.
    fn asks_about_spared(&mut self, step: &Step, instance: &Instance, result: &StepResult, error: &str) -> bool {
        let Some(why) = self.blocked_by(step, GateAt::After) else {
            return false;
        };
        if self.is_spared(&step.id).is_none() {
            return false;
        }
        self.ask_spared(step, instance, why, result, error);
        true
    }

    /// What a stage has failed with whose gate lets the run go on without it; `None`: it has not failed.
    fn spared_with(&self, instance: &Instance) -> Option<String> {
        let visit = self.now.visit(instance)?;
        match visit.result() {
            Some(result) if result.status.completes() => None,
            Some(result) => Some(failure_of(&instance.step, result.error.as_deref())),
            None => {
                let reason = visit.attempts.last().and_then(|attempt| attempt.interrupted.as_deref());
                Some(interrupted_error(&instance.step, reason.unwrap_or_default()))
            }
        }
    }

    pub(crate) fn stage_failed(&mut self, step: &StepId, error: String) {
        let spared = self.is_spared(step);
        self.emit(Event::Settled(Arc::new(Settled {
            step: step.clone(),
            status: StageEnd::Failed,
            because: None,
            error: Some(error),
            rejected: false,
            spared: spared.map(str::to_owned),
        })));
    }

    fn settle(&mut self, step: &StepId, status: StageEnd, error: Option<String>) {
        self.emit(Event::Settled(Arc::new(Settled {
            step: step.clone(),
            status,
            because: None,
            error,
            rejected: false,
            spared: None,
        })));
    }

    /// A person lets what came of a stage go on. What its agent left out stays skipped, and what waits for it begins all the same.
    fn let_go_on(&mut self, step: &StepId, by: &str) {
        let latest = self.now.latest_result(step);
        let skipped = latest.and_then(|(_, result)| result.skipped());
        match skipped.map(str::to_owned) {
            None => self.settle(step, StageEnd::Completed, None),
            Some(why) => self.emit(Event::Settled(Arc::new(Settled {
                step: step.clone(),
                status: StageEnd::Skipped,
                because: None,
                spared: Some(format!("{by} lets the run go on without it")),
                error: Some(why),
                rejected: false,
            }))),
        }
    }

    /// What a person's answer leads to; [`Commit::schedule`] does the rest.
    pub(crate) fn follow_stage(&mut self, opened: &GateOpened, decision: &Decision) {
        let step = &opened.instance.step;
        let led = self.workflow.step(step).and_then(|step| self.rejected_to(step));
        if let Some(to) = led.filter(|_| decision.answer == Answer::Reject && opened.reject_to.is_some()) {
            return self.send_back(&opened.instance, std::iter::once(&to), Sent::Rejected);
        }
        match decision.answer {
            // It was queued when the question was asked, and is again.
            Answer::Approve | Answer::Pass | Answer::Fail | Answer::Choose if opened.at == GateAt::Before => {}
            Answer::Approve | Answer::Pass | Answer::Fail | Answer::Choose => {
                match self.spared_with(&opened.instance) {
                    Some(error) => self.stage_failed(step, error),
                    None => self.let_go_on(step, decision.by.trim()),
                }
            }
            Answer::Changes if opened.is_about_another() => {}
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
                    spared: None,
                })));
            }
        }
    }

    /// Ends a run that a person aborts: what is in flight is cut off, everything else stays as it is.
    pub(crate) fn cut_off_stages(&mut self, error: String) {
        for (step, stage) in self.now.stages.clone().busy() {
            if let Cursor::Running { instance, attempt } = &stage.cursor {
                self.put_down(instance.clone(), *attempt, &error);
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
            at: None,
        });
        Ok(())
    }

    /// In these visits runs inside this one wait for people: such a stage counts as one of which somebody is asked.
    pub(crate) fn asked_inside(&mut self, visits: &BTreeSet<Instance>) {
        let is_in_flight = |visit: &&Instance| {
            let cursor = self.now.cursor_of(&visit.step);
            matches!(cursor, Cursor::Running { instance, .. } if instance == *visit)
        };
        self.asked_inside = visits.iter().filter(is_in_flight).count();
    }

    /// Brings the stages on as far as they go without waiting.
    pub(crate) fn schedule(&mut self) {
        // A log may end inside an abort: until that is carried on nothing begins.
        let aborting = matches!(self.now.cursor, Cursor::Between(Due::Abort { .. }));
        if aborting || self.now.status.ended() {
            return;
        }
        self.skip();
        let rejected = self.rejection();
        let halted = self.is_halted();
        let held = loop {
            let ready = self.queue(halted);
            if self.now.paused {
                break ready;
            }
            // A stage that asks a person first holds up nobody: the next wave may begin.
            if !self.start_queued() {
                break false;
            }
        };
        if !self.plan().is_open() && !held {
            self.end_of_stages(halted, rejected);
        }
    }

    /// Whether no more stages are queued.
    fn is_halted(&mut self) -> bool {
        let failed = self.plan().has_failed() && self.workflow.on_failure == OnFailure::Halt;
        failed || self.rejection().is_some()
    }

    /// What the stages may do next, as they stand now.
    fn plan(&mut self) -> &Plan {
        self.now.stages.plan(self.workflow, &self.created)
    }

    /// Queues what may begin, unless the run is paused; whether there was anything.
    fn queue(&mut self, halted: bool) -> bool {
        if halted {
            return false;
        }
        let (on_failure, workflow, asked) = (self.workflow.on_failure, self.workflow, self.asked_inside);
        let mut ready = self.sent_back();
        if ready.is_empty() {
            ready = self.plan().ready(on_failure, asked);
        } else {
            // What depends on them is not met any more.
            let mut plan = self.plan().clone();
            ready.iter().for_each(|&stage| plan.set(stage, Standing::Queued));
            ready.extend(plan.ready(on_failure, asked));
            ready.sort_unstable();
        }
        if !self.now.paused && !ready.is_empty() {
            let steps = ready.iter().map(|&n| workflow.steps()[n].id.clone()).collect();
            self.emit(Event::Queued { steps });
        }
        !ready.is_empty()
    }

    /// What depends on a stage that failed or was skipped is skipped too; what is queued only when that stage was sent back.
    fn skip(&mut self) {
        if self.plan().doomed().next().is_none() {
            return;
        }
        let steps = self.workflow.steps();
        let mut plan = self.plan().clone();
        let is_lost = |stage: &usize| matches!(plan.stands(*stage), Standing::Failed | Standing::Skipped);
        let lost = plan.doomed().flat_map(|stage| plan.waits_for(stage).iter().copied());
        let lost: BTreeSet<usize> = lost.filter(is_lost).collect();
        let mut open: VecDeque<(usize, StepId)> = lost.into_iter().map(|n| (n, self.cause(&steps[n].id))).collect();
        let mut skipped: Vec<(usize, StepId)> = Vec::new();
        while let Some((stage, cause)) = open.pop_front() {
            for dependent in plan.dependents(stage).to_vec() {
                if plan.waits(dependent) {
                    plan.set(dependent, Standing::Skipped);
                    skipped.push((dependent, cause.clone()));
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
                spared: None,
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
    fn rejection(&mut self) -> Option<String> {
        let first = self.plan().rejected().next().cloned()?;
        self.now.stages.get(&first)?.settled.as_ref()?.error.clone()
    }

    /// Completed stages of which a person has asked for changes before what depends on them begins, or to which a later one has reported
    /// an issue: they run again. One that was in
    /// flight when it was asked does so afterwards.
    fn sent_back(&mut self) -> Vec<usize> {
        let awaited = self.now.feedback.awaited();
        if self.now.comments.is_empty() && awaited.is_empty() {
            return Vec::new();
        }
        let asked = self.now.comments.keys().chain(awaited);
        let asked = asked.filter_map(|id| self.workflow.step(id));
        let mut asked: Vec<usize> = asked.map(|step| step.ordinal).collect();
        asked.sort_unstable();
        asked.dedup();
        let plan = self.plan();
        asked.retain(|stage| plan.stands(*stage) == Standing::Completed);
        asked
    }

    /// Starts queued stages in document order: those marked parallel while there is room, of the others one at a time.
    /// Whether one of them asks a person before it begins.
    fn start_queued(&mut self) -> bool {
        let limit = self.created.limits.parallel.max(1) as usize;
        let (mut from, mut asks) = (0, false);
        // What a queued stage waits for may have been sent back meanwhile: then it is not among these.
        while let Some(stage) = self.plan().next_queued(from, limit) {
            from = stage + 1;
            self.start_stage(&self.workflow.steps()[stage]);
            asks |= self.plan().stands(stage) != Standing::InFlight;
        }
        asks
    }

    fn start_stage(&mut self, step: &Step) {
        let instance = self.now.next_visit(&step.id, Vec::new());
        if self.is_to_be_done(step, &instance) {
            self.approach(step, instance);
        }
    }

    /// Nothing is queued, in flight or asked any more.
    fn end_of_stages(&mut self, halted: bool, rejected: Option<String>) {
        let plan = self.plan().clone();
        let names = |standing: Standing| -> Vec<&str> {
            let steps = self.workflow.steps().iter();
            steps
                .filter(|s| plan.stands(s.ordinal) == standing && plan.is_reached(s.ordinal))
                .map(|s| s.id.as_str())
                .collect()
        };
        let settled = |step: &Step| self.now.stages.get(&step.id).and_then(|stage| stage.settled.as_ref());
        let has_failed = |step: &Step| settled(step).is_some_and(|settled| settled.status == StageEnd::Failed);
        let completed = |step: &Step| plan.stands(step.ordinal) == Standing::Completed && !has_failed(step);
        let (failed, pending) = (names(Standing::Failed), names(Standing::Pending));
        let error = match failed.first() {
            _ if rejected.is_some() => rejected,
            Some(first) if halted => {
                let said = format!("{} failed at stage: {first}", self.workflow.format.label());
                Some(self.with_why_inside(said, Some(&StepId::from(*first))))
            }
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
        let inside = |stage: &&str| self.why_inside(&StepId::from(*stage)).map(str::to_owned);
        let error = error.or_else(|| failed.iter().find_map(inside));
        self.complete(status, error, None, 0);
    }
}

/// Why a stage has failed, in its own words or in ours.
fn failure_of(stage: &StepId, error: Option<&str>) -> String {
    let said = error.filter(|error| !error.trim().is_empty());
    said.map_or_else(|| format!("stage '{stage}' failed"), str::to_owned)
}

/// The stages about which something must be said before the run can be taken up again, in document order: those that failed, that were cut
/// off, and that their agents left out.
pub fn unsettled<'a>(workflow: &'a Workflow, state: &RunState) -> Vec<&'a Step> {
    let lost = |step: &&Step| {
        let settled = state.stages.get(&step.id).and_then(|stage| stage.settled.as_ref());
        settled.is_some_and(|s| match s.status {
            StageEnd::Failed | StageEnd::Aborted => true,
            StageEnd::Skipped => s.is_left_out_by_agent() && s.spared.is_none(),
            StageEnd::Completed => false,
        })
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
        _ => return refuse("This run has not ended. Stop it first, or let it end; then resume it.".to_owned()),
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
