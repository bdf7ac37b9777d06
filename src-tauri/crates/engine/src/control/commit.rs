//! What one command leads to, event by event: attempts and the run's end. Where the token goes is in [`super::token`].

use crate::apply::{abort_error, apply};
use crate::aside::{time_left, worked_ms};
use crate::cursor::{Cursor, Due};
use crate::doer::{agents_of, engine_of, engines_at};
use crate::standards::all_words;
use crate::state::{AttemptState, RunState};
use crate::{
    At, AttemptStarted, Below, Checkpointed, EndStatus, EngineInfo, Event, ExecutionStatus, GateId, GateReason, Given,
    Instance, RunCompleted, RunCreated, StepResult, TakenOver, ToolRecord, ToolStatus,
};
use model::{AgentKey, Routing, StepId, Workflow};
use std::sync::Arc;

/// How often one visit is tried again after its driver died, at least.
pub const INTERRUPTIONS: usize = 3;

/// The same where its driver let go of it: people close windows, and a step may have its own driver ended, which comes back and begins it again.
pub const LET_GO: usize = 30;

/// The consequences of one command: a commit goes on from one point until something has to be waited for (an attempt, a
/// pause before a retry, a person) or the run has ended. Every event is applied as it is made, so that the next one is decided on the
/// state that the log will have.
pub(crate) struct Commit<'a> {
    pub(crate) workflow: &'a Workflow,
    pub(crate) created: Arc<RunCreated>,
    pub(crate) at: At,
    /// The state after the events so far.
    pub(crate) now: RunState,
    pub(crate) events: Vec<Event>,
    /// In how many of the stages in flight a run inside waits for people, as far as the driver has said so.
    pub(crate) asked_inside: usize,
}

impl<'a> Commit<'a> {
    pub(crate) fn new(workflow: &'a Workflow, state: &RunState, created: &Arc<RunCreated>, at: At) -> Self {
        Self {
            workflow,
            created: Arc::clone(created),
            at,
            now: state.clone(),
            events: Vec::new(),
            asked_inside: 0,
        }
    }

    pub(crate) fn emit(&mut self, event: Event) {
        apply(&mut self.now, self.at, &event);
        self.events.push(event);
    }

    /// With what follows from where a pipeline's stages stand now.
    pub(crate) fn settled(mut self) -> Self {
        if self.by_dependencies() {
            self.schedule();
        } else if self.now.forks.is_forked() {
            self.turn_forks();
        }
        self
    }

    /// An attempt ended.
    pub(crate) fn finish(&mut self, instance: &Instance, attempt: u32, result: &Arc<StepResult>) {
        let failures = self.failures(instance);
        let over = self.workflow.step(&instance.step);
        let over = over.and_then(|step| time_left(self.workflow, &self.now, step));
        let begun = self.now.attempt(instance, attempt);
        let worked = begun.map_or(0, |begun| worked_ms(begun, result, self.at));
        let over = over.filter(|left| left.left_ms <= worked && result.status == ExecutionStatus::Failed);
        let result = &match &over {
            // Whatever ended it, there is no time for another attempt.
            Some(left) => Arc::new(StepResult {
                error: Some(match &result.error {
                    Some(error) => format!("{}: {error}", left.over()),
                    None => left.over(),
                }),
                ..StepResult::clone(result)
            }),
            None => self.judged(result),
        };
        let (extra, backoff_ms) = self.retries(&instance.step);
        let has_failed = result.status == ExecutionStatus::Failed;
        let may_go_on = has_failed && over.is_none() && !result.is_final();
        let again = may_go_on && failures < extra as usize;
        // Whoever takes over begins at once: that is no pause before the same is tried again.
        let spent = may_go_on && failures == extra as usize;
        // A person is asked first, where the visit is left.
        let by_another = self.takes_over(&instance.step);
        let taken_over = spent && by_another.is_some_and(|who| !self.is_person(&instance.step, &who));
        let retry_at = again
            .then(|| At(self.at.0.saturating_add_unsigned(backoff_ms)))
            .or(taken_over.then_some(self.at));
        self.emit(Event::AttemptEnded {
            instance: instance.clone(),
            attempt,
            result: Arc::clone(result),
            retry_at,
        });
        if retry_at.is_none() {
            self.leave(instance, result);
        }
    }

    /// How many attempts of a visit have failed.
    fn failures(&self, instance: &Instance) -> usize {
        let attempts = self
            .now
            .visit(instance)
            .map_or(&[][..], |visit| visit.attempts.as_slice());
        let failed = |result: &Arc<StepResult>| result.status == ExecutionStatus::Failed;
        attempts
            .iter()
            .filter(|a| a.result.as_ref().is_some_and(failed))
            .count()
    }

    /// Who does a step once more that has failed for good.
    fn takes_over(&self, step: &StepId) -> Option<AgentKey> {
        let step = self.workflow.step(step)?;
        let who = step.escalate_to.clone().filter(|_| !self.created.prompted)?;
        (agents_of(step, &self.created) != [who.clone()]).then_some(who)
    }

    fn is_person(&self, step: &StepId, who: &AgentKey) -> bool {
        let step = self.workflow.step(step);
        step.is_some_and(|step| engine_of(step, std::slice::from_ref(who), &self.created).is_person())
    }

    /// The person who takes a visit over that has failed for good, and has not been asked yet.
    pub(crate) fn to_be_asked(&self, instance: &Instance, result: &StepResult) -> Option<AgentKey> {
        let has_failed = result.status == ExecutionStatus::Failed && !result.is_final();
        let who = self.takes_over(&instance.step).filter(|_| has_failed)?;
        let (extra, _) = self.retries(&instance.step);
        let gate = GateId::outcome(&self.workflow.id, &instance.step);
        let asked = self.now.rounds_of(&gate);
        let mut asked = asked.filter(|round| round.opened.instance == *instance);
        let is_due = self.failures(instance) > extra as usize && self.is_person(&instance.step, &who);
        (is_due && !asked.any(|round| round.opened.why == GateReason::Escalated)).then_some(who)
    }

    /// Who takes this attempt over, because whoever the step names has failed as often as they may.
    fn taken_over_by(&self, instance: &Instance) -> Option<AgentKey> {
        let (extra, _) = self.retries(&instance.step);
        let is_due = self.failures(instance) > extra as usize;
        self.takes_over(&instance.step).filter(|_| is_due)
    }

    /// What an attempt has come to: where the project lets nothing pass below its quality standards, that is a failure.
    fn judged(&self, result: &Arc<StepResult>) -> Arc<StepResult> {
        let standards = self.created.standards();
        let missed = match standards.below {
            Below::Fail => result.below(&standards),
            Below::Ask | Below::Warn => Vec::new(),
        };
        if missed.is_empty() {
            return Arc::clone(result);
        }
        Arc::new(StepResult {
            status: ExecutionStatus::Failed,
            error: Some(format!("Below the project's standard: {}", all_words(&missed))),
            ..StepResult::clone(result)
        })
    }

    /// An attempt was cut off: that is not the step's failure, so the step's retries are not used up by it, but it is
    /// bounded all the same: a step that takes its driver down every time must not do so for ever.
    pub(crate) fn interrupt(
        &mut self,
        instance: &Instance,
        attempt: u32,
        reason: &str,
        let_go: bool,
        seen: Option<At>,
    ) {
        let alike = |attempt: &&AttemptState| attempt.interrupted.is_some() && attempt.let_go == let_go;
        let visit = self.now.visit(instance);
        let before = visit.map_or(0, |visit| visit.attempts.iter().filter(alike).count());
        let (extra, _) = self.retries(&instance.step);
        let most = if let_go { LET_GO } else { INTERRUPTIONS };
        let retry_at = (before < most.max(extra as usize)).then_some(self.at);
        let reason = self.cut_off_because(instance, attempt, reason);
        let error = interrupted_error(&instance.step, &reason);
        self.emit(Event::AttemptInterrupted {
            instance: instance.clone(),
            attempt,
            reason,
            let_go,
            seen,
            retry_at,
        });
        if retry_at.is_none() {
            self.give_up(&instance.step, error);
        }
    }

    /// A step has failed for good without a result.
    pub(crate) fn give_up(&mut self, step: &StepId, error: String) {
        if self.by_dependencies() {
            self.stage_lost(step, error);
        } else {
            self.fail_at(step, error);
        }
    }

    /// The pause before a retry is over.
    pub(crate) fn retry(&mut self, instance: &Instance, attempt: u32) {
        let comments = self
            .now
            .visit(instance)
            .and_then(|v| v.attempts.last())
            .map(|a| a.started.comments.clone())
            .unwrap_or_default();
        self.begin(instance.clone(), attempt, comments);
    }

    /// An attempt printed something.
    pub(crate) fn output(&mut self, instance: &Instance, attempt: u32, stream: &str, text: &str) {
        let (instance, stream, text) = (instance.clone(), stream.to_owned(), text.to_owned());
        self.emit(Event::Output {
            instance,
            attempt,
            stream,
            text,
        });
    }

    /// A call that the step declares has come to something.
    pub(crate) fn called(&mut self, instance: &Instance, attempt: u32, call: &Arc<ToolRecord>) {
        self.emit(Event::ToolCalled {
            instance: instance.clone(),
            attempt,
            call: Arc::clone(call),
        });
    }

    /// Why an attempt was cut off, and of which call nobody knows whether it was made: the next one behind those of which it is known what they
    /// came to. Behind a required one that was not completed nothing is called.
    fn cut_off_because(&self, instance: &Instance, attempt: u32, reason: &str) -> String {
        let known = self.now.attempt(instance, attempt).map_or(&[][..], AttemptState::calls);
        let goes_on = known
            .iter()
            .all(|call| !call.required || call.status == ToolStatus::Completed);
        let step = self.workflow.step(&instance.step);
        let next = step.and_then(|step| step.tools.get(known.len()));
        match next.filter(|_| goes_on && !self.created.is_rehearsal()) {
            Some(call) => format!(
                "{reason}; whether its call of the tool {} was made is not known",
                call.name
            ),
            None => reason.to_owned(),
        }
    }

    /// A person pauses the run.
    pub(crate) fn pause(&mut self, by: &str, given: Option<&Given>) {
        self.emit(Event::Paused {
            by: by.to_owned(),
            given: given.cloned().map(Box::new),
        });
    }

    /// What had been done elsewhere counts as done; then the run begins.
    pub(crate) fn take_over(&mut self, taken: &Arc<TakenOver>) {
        self.emit(Event::TakenOver(Arc::clone(taken)));
        self.carry_on();
    }

    /// A person names this moment.
    pub(crate) fn checkpoint(&mut self, by: &str, name: String) {
        self.emit(Event::Checkpointed(Arc::new(Checkpointed {
            by: by.to_owned(),
            name,
        })));
    }

    /// A person ends the run.
    pub(crate) fn abort(&mut self, by: &str, reason: &str, given: Option<&Given>) {
        let in_flight = match &self.now.cursor {
            Cursor::Running { instance, attempt } => Some((instance.clone(), *attempt)),
            _ => None,
        };
        self.emit(Event::Aborted {
            by: by.to_owned(),
            reason: reason.to_owned(),
            given: given.cloned().map(Box::new),
        });
        let error = abort_error(by, reason);
        if self.by_dependencies() {
            self.cut_off_stages(error);
        } else {
            self.cut_off(in_flight.as_ref(), error);
        }
    }

    pub(crate) fn begin(&mut self, instance: Instance, attempt: u32, comments: Vec<String>) {
        let step = self.workflow.step(&instance.step);
        let left = step.and_then(|step| time_left(self.workflow, &self.now, step));
        if let Some(left) = left.filter(|left| left.left_ms == 0) {
            return self.give_up(&instance.step, left.over());
        }
        let other = self.taken_over_by(&instance);
        let agents = match &other {
            Some(other) => vec![other.clone()],
            None => step.map(|s| agents_of(s, &self.created)).unwrap_or_default(),
        };
        let (engine, crew) = step.map_or_else(
            || (EngineInfo::stub(), Vec::new()),
            |s| engines_at(s, other.as_ref(), &self.created),
        );
        let agents = agents.into_iter().filter(|agent| !agent.as_str().is_empty()).collect();
        self.emit(Event::AttemptStarted(Arc::new(AttemptStarted {
            instance,
            attempt,
            agents,
            engine,
            crew,
            comments,
        })));
    }

    /// Cuts an attempt off that nobody tries again.
    pub(crate) fn put_down(&mut self, instance: Instance, attempt: u32, why: &str) {
        let reason = self.cut_off_because(&instance, attempt, why);
        self.emit(Event::AttemptInterrupted {
            instance,
            attempt,
            reason,
            let_go: false,
            seen: None,
            retry_at: None,
        });
    }

    pub(crate) fn cut_off(&mut self, in_flight: Option<&(Instance, u32)>, error: String) {
        if let Some((instance, attempt)) = in_flight {
            self.put_down(instance.clone(), *attempt, &error);
        }
        let branches = self.now.forks.going().filter_map(|(_, branch)| match &branch.cursor {
            Cursor::Running { instance, attempt } | Cursor::Between(Due::CutOff { instance, attempt }) => {
                Some((instance.clone(), *attempt))
            }
            _ => None,
        });
        for (instance, attempt) in branches.collect::<Vec<_>>() {
            self.put_down(instance, attempt, &error);
        }
        self.complete(EndStatus::Aborted, Some(error), None, 0);
    }

    pub(crate) fn fail(&mut self, error: String) {
        self.complete(EndStatus::Failed, Some(error), None, 0);
    }

    /// How often steps may be entered since a person last answered: the project's word, else what the file allows.
    pub(crate) fn safety_limit(&self) -> usize {
        let own = self.created.limits.max_steps;
        let sent = self.now.feedback.sent_by_all() as usize;
        let foreseen = || {
            let again = sent.saturating_mul(self.workflow.steps().len());
            self.workflow.safety_limit().saturating_add(again)
        };
        own.map_or_else(foreseen, |steps| steps.get() as usize)
    }

    /// `message`: what the workflow says at its end. `refused`: executions that were counted but not begun (the one that met the safety
    /// limit).
    pub(crate) fn complete(&mut self, status: EndStatus, error: Option<String>, message: Option<String>, refused: u32) {
        self.emit(Event::RunCompleted(RunCompleted {
            status,
            error,
            steps_completed: self.now.completed,
            total_steps_executed: self.now.executed.saturating_add(refused),
            message,
        }));
    }

    /// Extra attempts of a step and the pause before each, milliseconds.
    pub(crate) fn retries(&self, step: &StepId) -> (u32, u64) {
        let limits = &self.created.limits;
        let step = self.workflow.step(step);
        match step.and_then(|s| s.retries) {
            // Whoever said how it went has said it: nothing is different the next time.
            _ if step.is_some_and(|s| engine_of(s, &agents_of(s, &self.created), &self.created).is_person()) => (0, 0),
            Some(own) => (own.max.unwrap_or(limits.max_retries), own.backoff_ms),
            // Of a runbook, a failure is an outcome: its own RETRY says what is done again.
            None if step.is_some_and(|s| matches!(s.routing, Routing::Transitions { .. })) => (0, 0),
            None => (limits.max_retries, limits.backoff_ms),
        }
    }
}

pub(crate) fn interrupted_error(step: &StepId, reason: &str) -> String {
    match reason.trim() {
        "" => format!("step '{step}' was interrupted too often"),
        reason => format!("step '{step}' was interrupted too often: {reason}"),
    }
}
