//! The token: one step after another (linear, microloop, branch, guarded), with gates and retries.
//!
//! A step's outcome, the route taken and the start of the next step are one commit: one walk makes them together.

use super::walk::{Walk, interrupted_error};
use crate::routing::{loop_count, route};
use crate::state::{Cursor, Due};
use crate::{
    Alternative, Answer, Decision, EndStatus, Event, ExecutionStatus, GateId, GateOpened, Instance, RouteDecision,
    RouteKind, RouteSource, StepResult, gate,
};
use model::{GateAt, Routing, Step, StepId};

/// A run executes at most this many visits per step of its workflow without a person's answer in between (seed 001's
/// origin: a net under cycles that no bound ends).
pub const SAFETY_FACTOR: usize = 10;

impl Walk<'_> {
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

    /// A person answered.
    pub(crate) fn answer(&mut self, opened: &GateOpened, decision: &Decision) {
        self.answered = true;
        self.events.push(Event::GateAnswered(Box::new(decision.clone())));
        if decision.answer == Answer::Changes {
            self.comment = opened.changes_to.clone().map(|step| (step, decision.comment.clone()));
        }
        self.follow(opened, decision);
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

    /// A visit came to its end: the run fails, a person is asked, or the route is taken.
    pub(crate) fn leave(&mut self, instance: &Instance, result: &StepResult) {
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
}
