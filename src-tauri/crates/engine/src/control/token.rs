//! The token: one step after another (linear, microloop, branch, guarded), with gates and retries.
//!
//! A [`Walk`] carries a run on from one point until something has to be waited for: an attempt, a pause before a retry, a
//! person, or nothing more. All its events belong to one commit, so that the outcome of a step, the route taken and the
//! start of the next step are durable together.

use crate::apply::abort_error;
use crate::routing::{loop_count, route};
use crate::state::{Cursor, Due, RunState};
use crate::{
    Alternative, Answer, At, AttemptStarted, Decision, EndStatus, EngineInfo, Event, ExecutionStatus, GateId,
    GateOpened, Instance, RouteDecision, RouteKind, RouteSource, RunCompleted, RunCreated, StepResult, gate,
};
use model::{AgentKey, GateAt, Routing, Step, StepId, Workflow};

/// A run executes at most this many visits per step of its workflow without a person's answer in between (seed 001's
/// origin: a net under cycles that no bound ends).
pub const SAFETY_FACTOR: usize = 10;

/// How often one visit is tried again after its driver died, at least.
pub const INTERRUPTIONS: usize = 3;

/// The consequences of one command, event by event. `state` is the state *before* the command; what the events so far
/// have changed of it is kept here.
pub(crate) struct Walk<'a> {
    workflow: &'a Workflow,
    state: &'a RunState,
    created: &'a RunCreated,
    at: At,
    completed: u32,
    paused: bool,
    answered: bool,
    comment: Option<(StepId, String)>,
    ended: Option<(Instance, Box<StepResult>)>,
    events: Vec<Event>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(workflow: &'a Workflow, state: &'a RunState, created: &'a RunCreated, at: At) -> Self {
        Self {
            workflow,
            state,
            created,
            at,
            completed: state.completed,
            paused: state.paused,
            answered: false,
            comment: None,
            ended: None,
            events: Vec::new(),
        }
    }

    pub(crate) fn into_events(self) -> Vec<Event> {
        self.events
    }

    /// Carries on from where a cut-off commit ends; `false` when nothing is due.
    pub(crate) fn carry_on(&mut self) -> bool {
        let state = self.state;
        match &state.cursor {
            Cursor::Between(due) => self.follow_due(due),
            Cursor::Ready { step } if !state.paused => self.go(step),
            _ => return false,
        }
        true
    }

    fn follow_due(&mut self, due: &Due) {
        match due {
            Due::Start => {
                self.events.push(Event::RunStarted);
                self.first();
            }
            Due::Entry => self.first(),
            Due::Leave { instance } => {
                let last = self.state.visit(instance).and_then(|v| v.attempts.last());
                match last.map(|a| (a.result.as_deref(), a.interrupted.as_deref())) {
                    Some((Some(result), _)) => self.leave(instance, result),
                    Some((None, reason)) => self.fail(interrupted_error(&instance.step, reason.unwrap_or_default())),
                    None => self.fail(format!("step '{}' failed", instance.step)),
                }
            }
            Due::Answered { gate, round } => {
                let asked = self
                    .state
                    .gates
                    .get(gate)
                    .and_then(|r| r.iter().find(|r| r.opened.round == *round));
                match asked.and_then(|r| Some((&r.opened, r.answer.as_ref()?))) {
                    Some((opened, (decision, _))) => self.follow(opened, decision),
                    None => self.fail(format!("the answer to round {round} of gate '{gate}' is missing")),
                }
            }
            Due::Complete => self.complete(EndStatus::Succeeded, None, 0),
            Due::Abort { in_flight, error } => self.cut_off(in_flight.as_ref(), error.clone()),
        }
    }

    /// Enters the first step.
    pub(crate) fn first(&mut self) {
        match self.workflow.entry() {
            Some(step) => self.go(&step.id),
            None => self.complete(EndStatus::Succeeded, None, 0),
        }
    }

    /// Creates the run.
    pub(crate) fn create(&mut self) {
        self.events.push(Event::RunCreated(Box::new(self.created.clone())));
        self.events.push(Event::RunStarted);
        self.first();
    }

    /// An attempt ended.
    pub(crate) fn finish(&mut self, instance: &Instance, attempt: u32, result: &StepResult) {
        let failures = self.state.visit(instance).map_or(0, |v| {
            v.attempts
                .iter()
                .filter(|a| a.result.as_ref().is_some_and(|r| r.status == ExecutionStatus::Failed))
                .count()
        });
        let (extra, backoff_ms) = self.retries(&instance.step);
        let again = result.status == ExecutionStatus::Failed && failures < extra as usize;
        let retry_at = again.then(|| At(self.at.0.saturating_add_unsigned(backoff_ms)));
        let result = Box::new(result.clone());
        if result.status != ExecutionStatus::Failed {
            self.completed = self.completed.saturating_add(1);
        }
        self.events.push(Event::AttemptEnded {
            instance: instance.clone(),
            attempt,
            result: result.clone(),
            retry_at,
        });
        if retry_at.is_none() {
            self.ended = Some((instance.clone(), result.clone()));
            self.leave(instance, &result);
        }
    }

    /// An attempt was cut off by a crash: that is not the step's failure, so the step's retries are not used up by it,
    /// but it is bounded all the same: a step that takes its driver down every time must not do so for ever.
    pub(crate) fn interrupt(&mut self, instance: &Instance, attempt: u32, reason: &str) {
        let before = self
            .state
            .visit(instance)
            .map_or(0, |v| v.attempts.iter().filter(|a| a.interrupted.is_some()).count());
        let (extra, _) = self.retries(&instance.step);
        let retry_at = (before < (extra as usize).max(INTERRUPTIONS)).then_some(self.at);
        self.events.push(Event::AttemptInterrupted {
            instance: instance.clone(),
            attempt,
            reason: reason.to_owned(),
            retry_at,
        });
        if retry_at.is_none() {
            self.fail(interrupted_error(&instance.step, reason));
        }
    }

    /// The pause before a retry is over.
    pub(crate) fn retry(&mut self, instance: &Instance, attempt: u32) {
        let comments = self
            .state
            .visit(instance)
            .and_then(|v| v.attempts.last())
            .map(|a| a.started.comments.clone())
            .unwrap_or_default();
        self.begin(instance.clone(), attempt, comments);
    }

    /// A person answered.
    pub(crate) fn answer(&mut self, opened: &GateOpened, decision: &Decision) {
        self.answered = true;
        self.events.push(Event::GateAnswered(Box::new(decision.clone())));
        if decision.answer == Answer::Changes {
            self.comment = opened.changes_to.clone().map(|step| (step, decision.comment.clone()));
        }
        self.follow(opened, decision);
    }

    /// An attempt printed something.
    pub(crate) fn output(&mut self, instance: &Instance, attempt: u32, stream: &str, text: &str) {
        let (instance, stream, text) = (instance.clone(), stream.to_owned(), text.to_owned());
        self.events.push(Event::Output {
            instance,
            attempt,
            stream,
            text,
        });
    }

    /// A person pauses the run.
    pub(crate) fn pause(&mut self, by: &str) {
        self.events.push(Event::Paused { by: by.to_owned() });
    }

    /// A person lets the run go on: the step it stood before is entered.
    pub(crate) fn resume(&mut self, by: &str) {
        self.paused = false;
        self.events.push(Event::Resumed { by: by.to_owned() });
        let state = self.state;
        if let Cursor::Ready { step } = &state.cursor {
            self.go(step);
        }
    }

    /// A person ends the run.
    pub(crate) fn abort(&mut self, by: &str, reason: &str) {
        let in_flight = match &self.state.cursor {
            Cursor::Running { instance, attempt } => Some((instance.clone(), *attempt)),
            _ => None,
        };
        self.events.push(Event::Aborted {
            by: by.to_owned(),
            reason: reason.to_owned(),
        });
        self.cut_off(in_flight.as_ref(), abort_error(by, reason));
    }

    /// The token comes to a step: it is entered unless the run is paused or the step does not exist.
    pub(crate) fn go(&mut self, step: &StepId) {
        let Some(step) = self.workflow.step(step) else {
            return self.fail(format!("Invalid routing: step '{step}' not found"));
        };
        if !self.paused {
            self.enter(step);
        }
    }

    fn enter(&mut self, step: &Step) {
        let limit = self.workflow.steps().len().saturating_mul(SAFETY_FACTOR);
        let since = if self.answered {
            self.state.executed
        } else {
            self.state.executed_when_answered
        };
        if self.state.executed.saturating_sub(since) as usize >= limit {
            let reached = self.state.executed.saturating_add(1);
            let error = format!("Safety limit reached: {reached} steps");
            return self.complete(EndStatus::Failed, Some(error), 1);
        }
        let instance = self.state.next_visit(&step.id);
        if let Some(why) = gate::blocks(step, GateAt::Before, &self.created.limits)
            && !self.approved(step, &instance)
        {
            let results = self.results();
            let shown = gate::shown_before(&results, step);
            let changes_to = gate::changes_before(self.workflow, &results, step);
            return self.ask(step, instance, why, shown, changes_to, Some(step.id.clone()));
        }
        self.begin_visit(step, instance);
    }

    /// What came of all attempts so far, the one that this command ends included.
    fn results(&self) -> Vec<(&Instance, &StepResult)> {
        let mut results = self.state.results();
        results.extend(self.ended.as_ref().map(|(instance, result)| (instance, &**result)));
        results
    }

    /// Whether this visit's before-gate has been passed already (it was approved while the run was paused).
    fn approved(&self, step: &Step, instance: &Instance) -> bool {
        let rounds = self.state.gates.get(&GateId::of(&self.workflow.id, &step.id));
        rounds.and_then(|rounds| rounds.last()).is_some_and(|round| {
            round.opened.instance == *instance
                && round
                    .answer
                    .as_ref()
                    .is_some_and(|(decision, _)| decision.answer == Answer::Approve)
        })
    }

    fn begin_visit(&mut self, step: &Step, instance: Instance) {
        let mut comments = self.state.comments.get(&step.id).cloned().unwrap_or_default();
        if let Some((_, comment)) = self.comment.take_if(|(to, _)| *to == step.id) {
            comments.push(comment);
        }
        self.begin(instance, 1, comments);
    }

    fn begin(&mut self, instance: Instance, attempt: u32, comments: Vec<String>) {
        let step = self.workflow.step(&instance.step);
        let agents = step.map(|s| s.agents.clone()).unwrap_or_default();
        let engines = &self.created.engines;
        let engine = step
            .and_then(|s| engines.get(&s.agent_key()))
            .or_else(|| engines.get(&AgentKey::new("*")))
            .cloned()
            .unwrap_or_else(EngineInfo::stub);
        self.events.push(Event::AttemptStarted(AttemptStarted {
            instance,
            attempt,
            agents,
            engine,
            comments,
        }));
    }

    /// A visit came to its end: the run fails, a person is asked, or the route is taken.
    fn leave(&mut self, instance: &Instance, result: &StepResult) {
        let Some(step) = self.workflow.step(&instance.step) else {
            return self.fail(format!("Invalid routing: step '{}' not found", instance.step));
        };
        if result.status == ExecutionStatus::Failed {
            let error = result.error.clone().filter(|e| !e.trim().is_empty());
            return self.fail(error.unwrap_or_else(|| format!("step '{}' failed", step.id)));
        }
        let decision = self.decision(step, instance, result);
        // The gate's bar stands across the outgoing edge: while the loop turns by itself nobody is asked.
        let turns = decision.loop_state != self.state.loop_state;
        if result.status == ExecutionStatus::Succeeded
            && !turns
            && let Some(why) = gate::blocks(step, GateAt::After, &self.created.limits)
        {
            let shown = gate::shown_after(&self.results(), step, result);
            let changes_to = Some(gate::changes_after(self.workflow, step));
            return self.ask(step, instance.clone(), why, shown, changes_to, decision.to);
        }
        self.take(decision);
    }

    fn decision(&self, step: &Step, instance: &Instance, result: &StepResult) -> RouteDecision {
        let decision = route(step, self.workflow, result, &self.state.loop_state);
        RouteDecision {
            from: instance.clone(),
            ..decision
        }
    }

    fn take(&mut self, decision: RouteDecision) {
        let to = decision.to.clone();
        self.events.push(Event::Routed(Box::new(decision)));
        match to {
            Some(step) => self.go(&step),
            None => self.complete(EndStatus::Succeeded, None, 0),
        }
    }

    fn ask(
        &mut self,
        step: &Step,
        instance: Instance,
        why: &str,
        shown: Vec<crate::Artifact>,
        changes_to: Option<StepId>,
        approve_to: Option<StepId>,
    ) {
        let Some(asked) = &step.gate else { return };
        let gate = GateId::of(&self.workflow.id, &step.id);
        let rounds = self.state.gates.get(&gate).map_or(0, Vec::len);
        self.events.push(Event::GateOpened(Box::new(GateOpened {
            gate,
            instance,
            round: u32::try_from(rounds).unwrap_or(u32::MAX).saturating_add(1),
            at: asked.at,
            requirement: asked.requirement,
            question: gate::question(step, asked),
            why: why.to_owned(),
            asks: asked.asks.clone(),
            shown,
            changes_to,
            reject_to: asked.on_reject.clone(),
            approve_to,
        })));
    }

    /// What a person's answer leads to.
    fn follow(&mut self, opened: &GateOpened, decision: &Decision) {
        let Some(step) = self.workflow.step(&opened.instance.step) else {
            return self.fail(format!("Invalid routing: step '{}' not found", opened.instance.step));
        };
        match decision.answer {
            Answer::Approve if opened.at == GateAt::Before => {
                if !self.paused {
                    self.begin_visit(step, opened.instance.clone());
                }
            }
            Answer::Approve => match self.state.visit(&opened.instance).and_then(|v| v.result()) {
                Some(result) => self.take(self.decision(step, &opened.instance, result)),
                None => self.fail(format!("step '{}' failed", step.id)),
            },
            Answer::Changes => match &opened.changes_to {
                Some(to) => self.take(self.by_person(step, opened, decision, to, RouteKind::Loop)),
                None => self.fail(format!("Nothing to repeat before step '{}'", step.id)),
            },
            Answer::Reject => match &opened.reject_to {
                Some(to) => self.take(self.by_person(step, opened, decision, to, RouteKind::Advance)),
                None => self.fail(format!(
                    "Rejected by {}: {}",
                    decision.by.trim(),
                    decision.comment.trim()
                )),
            },
        }
    }

    /// A route that a person chose; loop counters are not touched by people's rounds.
    fn by_person(
        &self,
        step: &Step,
        opened: &GateOpened,
        decision: &Decision,
        to: &StepId,
        kind: RouteKind,
    ) -> RouteDecision {
        let (reason, answer) = match decision.answer {
            Answer::Changes => (format!("changes_requested:{}", opened.round), "changes"),
            Answer::Reject => (format!("rejected:{}", opened.round), "reject"),
            Answer::Approve => (format!("approved:{}", opened.round), "approve"),
        };
        let loop_state = self.state.loop_state.clone();
        RouteDecision {
            from: opened.instance.clone(),
            to: Some(to.clone()),
            decision: kind,
            reason,
            source: RouteSource::Person,
            looked_at: model::Fields::new(),
            alternatives: vec![Alternative {
                to: opened.approve_to.clone(),
                why_not: format!("person_decided:{answer}"),
            }],
            loop_count: match &step.routing {
                Routing::Microloop(microloop) => loop_count(step, microloop, &loop_state),
                _ => None,
            },
            loop_state,
        }
    }

    fn cut_off(&mut self, in_flight: Option<&(Instance, u32)>, error: String) {
        if let Some((instance, attempt)) = in_flight {
            self.events.push(Event::AttemptInterrupted {
                instance: instance.clone(),
                attempt: *attempt,
                reason: error.clone(),
                retry_at: None,
            });
        }
        self.complete(EndStatus::Aborted, Some(error), 0);
    }

    fn fail(&mut self, error: String) {
        self.complete(EndStatus::Failed, Some(error), 0);
    }

    /// `refused`: executions that were counted but not begun (the one that met the safety limit).
    fn complete(&mut self, status: EndStatus, error: Option<String>, refused: u32) {
        self.events.push(Event::RunCompleted(RunCompleted {
            status,
            error,
            steps_completed: self.completed,
            total_steps_executed: self.state.executed.saturating_add(refused),
        }));
    }

    /// Extra attempts of a step and the pause before each, milliseconds.
    fn retries(&self, step: &StepId) -> (u32, u64) {
        let limits = &self.created.limits;
        match self.workflow.step(step).and_then(|s| s.retries) {
            Some(own) => (own.max, own.backoff_ms),
            None => (limits.max_retries, limits.backoff_ms),
        }
    }
}

fn interrupted_error(step: &StepId, reason: &str) -> String {
    match reason.trim() {
        "" => format!("step '{step}' was interrupted too often"),
        reason => format!("step '{step}' was interrupted too often: {reason}"),
    }
}
