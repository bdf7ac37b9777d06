//! What one command leads to, event by event: attempts and the run's end. Where the token goes is in [`super::token`].

use crate::apply::abort_error;
use crate::state::{Cursor, RunState};
use crate::{
    At, AttemptStarted, EndStatus, EngineInfo, Event, ExecutionStatus, Frame, Instance, RunCompleted, RunCreated,
    StepResult,
};
use model::{AgentKey, Routing, Step, StepId, Work, Workflow};
use std::collections::BTreeMap;

/// How often one visit is tried again after its driver died, at least.
pub const INTERRUPTIONS: usize = 3;

/// The consequences of one command: a walk goes on from one point until something has to be waited for (an attempt, a
/// pause before a retry, a person) or the run has ended. `state` is the state *before* the command; what the events so
/// far have changed of it is kept here, so that no state is copied.
pub(crate) struct Walk<'a> {
    pub(crate) workflow: &'a Workflow,
    pub(crate) state: &'a RunState,
    pub(crate) created: &'a RunCreated,
    pub(crate) at: At,
    pub(crate) completed: u32,
    pub(crate) executed: u32,
    /// The step of which this command itself has made a visit.
    pub(crate) fresh: Option<StepId>,
    /// What the run remembers of a runbook, after the routes taken so far.
    pub(crate) frame: Frame,
    /// What the workflow says at its end.
    pub(crate) message: Option<String>,
    pub(crate) paused: bool,
    pub(crate) answered: bool,
    pub(crate) comment: Option<(StepId, String)>,
    pub(crate) ended: Option<(&'a Instance, &'a StepResult)>,
    pub(crate) events: Vec<Event>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(workflow: &'a Workflow, state: &'a RunState, created: &'a RunCreated, at: At) -> Self {
        Self {
            workflow,
            state,
            created,
            at,
            completed: state.completed,
            executed: state.executed,
            fresh: None,
            frame: state.frame.clone(),
            message: None,
            paused: state.paused,
            answered: false,
            comment: None,
            ended: None,
            events: Vec::new(),
        }
    }

    /// The events, with what follows from where a pipeline's stages stand now.
    pub(crate) fn settled(mut self) -> Vec<Event> {
        if self.by_dependencies() {
            self.schedule();
        }
        self.events
    }

    pub(crate) fn into_events(self) -> Vec<Event> {
        self.events
    }

    /// An attempt ended.
    pub(crate) fn finish(&mut self, instance: &'a Instance, attempt: u32, result: &'a StepResult) {
        let failures = self.state.visit(instance).map_or(0, |v| {
            v.attempts
                .iter()
                .filter(|a| a.result.as_ref().is_some_and(|r| r.status == ExecutionStatus::Failed))
                .count()
        });
        let (extra, backoff_ms) = self.retries(&instance.step);
        let again = result.status == ExecutionStatus::Failed && failures < extra as usize;
        let retry_at = again.then(|| At(self.at.0.saturating_add_unsigned(backoff_ms)));
        if result.status.completes() {
            self.completed = self.completed.saturating_add(1);
        }
        self.events.push(Event::AttemptEnded {
            instance: instance.clone(),
            attempt,
            result: Box::new(result.clone()),
            retry_at,
        });
        if retry_at.is_none() {
            self.ended = Some((instance, result));
            self.leave(instance, result);
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
            self.give_up(&instance.step, interrupted_error(&instance.step, reason));
        }
    }

    /// A step has failed for good without a result.
    pub(crate) fn give_up(&mut self, step: &StepId, error: String) {
        if self.by_dependencies() {
            self.stage_failed(step, error);
        } else {
            self.fail(error);
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
        let error = abort_error(by, reason);
        if self.by_dependencies() {
            self.cut_off_stages(error);
        } else {
            self.cut_off(in_flight.as_ref(), error);
        }
    }

    /// What came of all attempts so far, the one that this command ends included.
    pub(crate) fn results(&self) -> Vec<(&Instance, &StepResult)> {
        let mut results = self.state.results();
        results.extend(self.ended);
        results
    }

    pub(crate) fn begin(&mut self, instance: Instance, attempt: u32, comments: Vec<String>) {
        let step = self.workflow.step(&instance.step);
        let agents = step.map(|s| agents_of(s, self.created)).unwrap_or_default();
        let (engine, crew) = step.map_or_else(|| (EngineInfo::stub(), Vec::new()), |s| engines_of(s, self.created));
        let agents = agents.into_iter().filter(|agent| !agent.as_str().is_empty()).collect();
        self.events.push(Event::AttemptStarted(AttemptStarted {
            instance,
            attempt,
            agents,
            engine,
            crew,
            comments,
        }));
    }

    pub(crate) fn cut_off(&mut self, in_flight: Option<&(Instance, u32)>, error: String) {
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

    pub(crate) fn fail(&mut self, error: String) {
        self.complete(EndStatus::Failed, Some(error), 0);
    }

    /// `refused`: executions that were counted but not begun (the one that met the safety limit).
    pub(crate) fn complete(&mut self, status: EndStatus, error: Option<String>, refused: u32) {
        self.events.push(Event::RunCompleted(RunCompleted {
            status,
            error,
            steps_completed: self.completed,
            total_steps_executed: self.executed.saturating_add(refused),
            message: self.message.take(),
        }));
    }

    /// Extra attempts of a step and the pause before each, milliseconds.
    pub(crate) fn retries(&self, step: &StepId) -> (u32, u64) {
        let limits = &self.created.limits;
        let step = self.workflow.step(step);
        match step.and_then(|s| s.retries) {
            // Whoever said how it went has said it: nothing is different the next time.
            _ if step.is_some_and(|s| engine_of(s, &agents_of(s, self.created), self.created).is_person()) => (0, 0),
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

/// Who does a step: whom the run's starter gave it to, else whom the workflow names.
pub(crate) fn agents_of(step: &Step, created: &RunCreated) -> Vec<AgentKey> {
    match created.assigned.get(&step.id) {
        Some(agent) => vec![agent.clone()],
        None => step.agents.clone(),
    }
}

/// What carries an attempt of a step out in this run, and, of a stage that several agents work at, what carries each of them out.
pub fn engines_of(step: &Step, created: &RunCreated) -> (EngineInfo, Vec<EngineInfo>) {
    let agents = agents_of(step, created);
    let each = |agent| engine_of(step, std::slice::from_ref(agent), created);
    let crew = match agents.len() > 1 && step.routing == Routing::Dependencies {
        true => agents.iter().map(each).collect(),
        false => Vec::new(),
    };
    (engine_of(step, &agents, created), crew)
}

/// What carries a step out in this run: a person where every step is asked for, nothing in a rehearsal, else [`doer`].
pub(crate) fn engine_of(step: &Step, agents: &[AgentKey], created: &RunCreated) -> EngineInfo {
    let is_own = matches!(step.work, Work::Command { .. } | Work::SubWorkflow { .. });
    match () {
        () if created.prompted && step.work != Work::Group => EngineInfo::person(),
        () if created.is_rehearsal() && is_own => EngineInfo::stub(),
        () => doer(step, agents, &created.engines),
    }
}

/// What carries a step out for real: the engine its agent is bound to; what stands in the workflow itself when nobody is named, or
/// nobody with an engine; the stub where it is nobody.
pub fn doer(step: &Step, agents: &[AgentKey], engines: &BTreeMap<AgentKey, EngineInfo>) -> EngineInfo {
    let own = match &step.work {
        Work::Command { language, script } => Some(EngineInfo::script(language, script)),
        Work::SubWorkflow { files } => Some(EngineInfo::runbooks(files)),
        Work::Agent | Work::Prompt { .. } | Work::Group => None,
    };
    let bound = agents.first().and_then(|agent| engines.get(agent));
    let unknown = || engines.get(&AgentKey::new("unknown")).filter(|_| agents.is_empty());
    let any = || engines.get(&AgentKey::new("*"));
    match own {
        Some(own) => match bound {
            // A runbook's step is given to somebody: its script is not run by itself because nobody does their work.
            Some(engine) if !engine.is_stub() || matches!(step.routing, Routing::Transitions { .. }) => engine.clone(),
            _ => own,
        },
        None => bound
            .or_else(unknown)
            .or_else(any)
            .cloned()
            .unwrap_or_else(EngineInfo::stub),
    }
}
