//! The token: one step after another (linear, microloop, branch, guarded, a runbook's transitions), with gates and retries.
//!
//! A step's outcome, the route taken and the start of the next step are one commit: one commit makes them together.

use super::commit::{Commit, interrupted_error};
use crate::apply::said_of_step;
use crate::cursor::{Cursor, Due};
use crate::routing::{loop_count, no_way_on, route};
use crate::state::GateRound;
use crate::{
    Alternative, Answer, Artifact, Below, Decision, EndStatus, Event, ExecutionStatus, GateId, GateOpened, GateReason,
    Given, Held, Instance, JoinCause, Lasting, Purpose, RouteDecision, RouteKind, RouteReason, RouteSource, StepResult,
    ToolAsk, WhyNotCode, call_approval, edges, gate, runbook,
};
use model::{Back, GateAt, GateRequirement, Routing, Step, StepId};
use std::borrow::Cow;
use std::sync::Arc;

/// What a step's own gate is asked about.
pub(crate) struct Asked {
    shown: Vec<Artifact>,
    changes_to: Option<StepId>,
    approve_to: Option<StepId>,
    below: Vec<Held>,
}

impl Commit<'_> {
    /// Carries on from where a cut-off commit ends; `false` when nothing is due.
    pub(crate) fn carry_on(&mut self) -> bool {
        if self.by_dependencies() {
            return self.carry_on_stages();
        }
        match self.now.cursor.clone() {
            Cursor::Between(due) => self.follow_due(&due),
            Cursor::Ready { step, path } if !self.now.paused => self.go(&step, path),
            _ => {}
        }
        while let Some(due) = self.due_in_branches() {
            self.follow_due(&due);
        }
        self.turn_forks();
        !self.events.is_empty()
    }

    /// What is due between two events in a branch. What is cut off is due to the token that waits for it.
    fn due_in_branches(&self) -> Option<Due> {
        if self.now.status.ended() || matches!(self.now.cursor, Cursor::Between(_)) {
            return None;
        }
        self.now.forks.going().find_map(|(_, branch)| match &branch.cursor {
            Cursor::Between(Due::CutOff { .. }) => None,
            Cursor::Between(due) => Some(due.clone()),
            _ => None,
        })
    }

    pub(crate) fn follow_due(&mut self, due: &Due) {
        match due {
            Due::Start => {
                self.emit(Event::RunStarted);
                self.first();
            }
            Due::Entry => self.first(),
            Due::Leave { instance } => {
                let last = self.now.visit(instance).and_then(|v| v.attempts.last());
                match last.map(|a| (a.result.clone(), a.interrupted.clone())) {
                    Some((Some(result), _)) => self.leave(instance, &result),
                    Some((None, reason)) => {
                        let error = interrupted_error(&instance.step, reason.as_deref().unwrap_or_default());
                        self.give_up(&instance.step, error);
                    }
                    None => self.give_up(&instance.step, format!("step '{}' failed", instance.step)),
                }
            }
            Due::Answered { gate, round } => {
                let asked = self
                    .now
                    .gates
                    .get(gate)
                    .and_then(|r| r.iter().find(|r| r.opened.round == *round));
                let asked = asked.and_then(|r| Some((Arc::clone(&r.opened), Arc::clone(&r.answer.as_ref()?.0))));
                match asked {
                    Some((opened, decision)) => self.follow(&opened, &decision),
                    None => self.fail(format!("the answer to round {round} of gate '{gate}' is missing")),
                }
            }
            Due::EndBranch { branch } => self.end_branch(*branch),
            Due::Joined { fork } => self.follow_join(*fork),
            // The token that waits for it puts it down.
            Due::CutOff { .. } => {}
            Due::Complete { stopped, message } => self.end(*stopped, message.clone()),
            Due::Abort { in_flight, error } => self.cut_off(in_flight.as_ref(), error.clone()),
        }
    }

    /// Enters the first step.
    pub(crate) fn first(&mut self) {
        let begins = self.now.begins_at.as_ref().and_then(|step| self.workflow.step(step));
        let begins = begins.map(|step| self.workflow.entered_at(step));
        match begins.or_else(|| self.workflow.entry()) {
            Some(step) => self.go(&step.id, runbook::start(self.workflow, step)),
            None => self.end(false, None),
        }
    }

    /// The workflow has come to its end.
    fn end(&mut self, stopped: bool, message: Option<String>) {
        let (status, error) = if stopped {
            let said = message.clone().unwrap_or_else(|| "The runbook stopped".to_owned());
            let at = self.now.routes.last().map(|route| &route.from.step);
            (EndStatus::Failed, Some(self.with_why_inside(said, at)))
        } else if let Some(said) = self.left_undone() {
            (EndStatus::Stopped, Some(said))
        } else if self.part_completed() {
            return;
        } else {
            (EndStatus::Succeeded, None)
        };
        self.complete(status, error, message, 0);
    }

    /// Where no way led on, and how much of the workflow is not done; `None` when the end is one that the workflow has.
    fn left_undone(&self) -> Option<String> {
        let last = self.now.routes.last().filter(|route| no_way_on(self.workflow, route))?;
        let results = self.now.results();
        let done = |step: &&Step| {
            let elsewhere = self.now.elsewhere.contains_key(&step.id);
            elsewhere
                || results
                    .iter()
                    .any(|(at, result)| at.step == step.id && result.status.completes())
        };
        let all = self.workflow.steps().len();
        let left = all - self.workflow.steps().iter().filter(done).count();
        let name = self
            .workflow
            .step(&last.from.step)
            .map_or(last.from.step.as_str(), |step| step.name.as_str());
        let undone = match left {
            0 => "Every step has been done, and still nothing says that this is the end".to_owned(),
            1 => format!("1 of {all} steps was not done"),
            _ => format!("{left} of {all} steps were not done"),
        };
        Some(format!(
            "No way led on from “{name}”: none of its conditions held. {undone}"
        ))
    }

    /// Creates the run.
    pub(crate) fn create(&mut self) {
        self.emit(Event::RunCreated(Arc::clone(&self.created)));
        if self.created.continues.is_some() || self.created.imported.is_some() {
            // The earlier run's events come first; of what was taken in nothing is carried out.
            return;
        }
        self.emit(Event::RunStarted);
        if !self.by_dependencies() {
            self.first();
        }
    }

    /// A person answered.
    pub(crate) fn answer(&mut self, opened: &GateOpened, decision: &Arc<Decision>) {
        self.emit(Event::GateAnswered(Arc::clone(decision)));
        self.follow(opened, decision);
    }

    /// A person lets the run go on: the step it stood before is entered.
    pub(crate) fn resume(&mut self, by: &str, given: Option<&Given>) {
        self.emit(Event::Resumed {
            by: by.to_owned(),
            given: given.cloned().map(Box::new),
        });
        match self.now.cursor.clone() {
            Cursor::Ready { step, path } => self.go(&step, path),
            // It had waited behind its last flow.
            Cursor::Between(due @ Due::Complete { .. }) => self.follow_due(&due),
            _ => {}
        }
    }

    /// The token comes to a step: it is entered unless the run is paused or the step does not exist.
    pub(crate) fn go(&mut self, step: &StepId, path: Vec<u32>) {
        let Some(step) = self.workflow.step(step) else {
            return self.fail_at(step, format!("Invalid routing: step '{step}' not found"));
        };
        // A branch enters where there is room.
        if !self.now.paused && self.now.forks.token(&step.id).is_none() {
            self.enter(step, path);
        }
    }

    pub(crate) fn enter(&mut self, step: &Step, path: Vec<u32>) {
        let limit = self.safety_limit();
        let (executed, since) = (self.now.executed, self.now.executed_when_answered);
        if executed.saturating_sub(since) as usize >= limit {
            let error = format!(
                "Safety limit reached: {} steps{}",
                executed.saturating_add(1),
                self.circle()
            );
            return self.end_at(&step.id, error, JoinCause::Limit);
        }
        let instance = self.now.next_visit(&step.id, path);
        self.approach(step, instance);
    }

    /// Of flows that have led to each other over and over: which, as the end of a sentence.
    fn circle(&self) -> String {
        let begun = self.now.flows.iter().filter_map(|ended| ended.leads.flow());
        let begun: Vec<&str> = begun.collect();
        let Some((last, before)) = begun.split_last() else {
            return String::new();
        };
        let Some(first) = before.iter().rposition(|flow| flow == last) else {
            return String::new();
        };
        let names: Vec<String> = begun[first..].iter().map(|flow| format!("`{flow}`")).collect();
        format!("; the flows lead to each other: {}", names.join(" → "))
    }

    /// A visit is to begin: what stands before it comes first.
    pub(crate) fn approach(&mut self, step: &Step, instance: Instance) {
        if let Some(why) = self.blocked_by(step, GateAt::Before)
            && !self.approved(&GateId::of(&self.workflow.id, &step.id), &instance)
        {
            let results = self.now.results();
            let shown = gate::shown_before(&results, step);
            let changes_to = gate::changes_before(self.workflow, &results, step);
            let asked = Asked {
                shown,
                changes_to,
                approve_to: Some(step.id.clone()),
                below: Vec::new(),
            };
            return self.ask(step, instance, why, asked);
        }
        self.prepare(step, instance);
    }

    /// Why the step's gate stops the run at this point; `None` when it does not.
    pub(crate) fn blocked_by(&self, step: &Step, at: GateAt) -> Option<GateReason> {
        gate::blocks(&self.workflow.id, step, at, self.created.gate_rules())
    }

    /// Nothing stands before the step any more but what it needs itself: a person who carries it out, or one who permits
    /// what it wants to do.
    pub(crate) fn prepare(&mut self, step: &Step, instance: Instance) {
        if let Some(asked) = gate::carried_out_by_a_person(step, self.workflow.format, &self.created) {
            if asked.attempt && self.said(&instance) {
                return self.begin_visit(step, instance);
            }
            return self.ask_outcome(step, instance, asked);
        }
        let gate = GateId::permission(&self.workflow.id, &step.id);
        let needs = self.unpermitted(step);
        if !needs.is_empty() && !self.approved(&gate, &instance) {
            return self.ask_permission(step, instance, needs);
        }
        self.begin_visit(step, instance);
    }

    /// Whether a person has said how this visit went, which they carry out.
    fn said(&self, instance: &Instance) -> bool {
        let gate = GateId::outcome(&self.workflow.id, &instance.step);
        let round = self.now.gates.get(&gate).and_then(|rounds| rounds.last());
        round.is_some_and(|round| round.opened.instance == *instance && round.answer.is_some())
    }

    /// What the step needs a person's permission for and nobody has permitted for this run.
    fn unpermitted(&self, step: &Step) -> Vec<String> {
        let Some(needs) = self.created.permissions.get(&step.id) else {
            return Vec::new();
        };
        let mut permitted: Vec<&String> = Vec::new();
        for round in self.now.gates.values().flatten() {
            if let (Purpose::Permission { needs }, Some((decision, _))) = (&round.opened.purpose, &round.answer)
                && decision.answer == Answer::Approve
                && matches!(decision.lasting, Some(Lasting::Run | Lasting::Always))
            {
                permitted.extend(needs);
            }
        }
        needs.iter().filter(|need| !permitted.contains(need)).cloned().collect()
    }

    /// Whether what stands before this visit has been passed already.
    pub(crate) fn approved(&self, gate: &GateId, instance: &Instance) -> bool {
        let rounds = self.now.gates.get(gate).into_iter().flatten();
        // A tool call may name this gate as its own: whoever approves the call approves nothing else.
        let mut rounds = rounds.filter(|round| !matches!(round.opened.purpose, Purpose::Tool { .. }));
        let round = rounds.next_back();
        let answer = |round: &GateRound| round.answer.as_ref().map(|(decision, _)| decision.answer);
        round.is_some_and(|round| round.opened.instance == *instance && answer(round) == Some(Answer::Approve))
    }

    fn begin_visit(&mut self, step: &Step, instance: Instance) {
        let comments = self.now.comments.get(&step.id).cloned().unwrap_or_default();
        self.begin(instance, 1, comments);
    }

    /// A visit came to its end: the run fails, a person is asked, or the route is taken.
    pub(crate) fn leave(&mut self, instance: &Instance, result: &StepResult) {
        if result.status == ExecutionStatus::Blocked {
            let needs = result.lifecycle.as_ref().map(|lifecycle| lifecycle.needs.clone());
            return match (
                needs.filter(|needs| !needs.is_empty()),
                self.workflow.step(&instance.step),
            ) {
                (Some(needs), Some(step)) => self.ask_permission(step, instance.clone(), needs),
                _ => self.ask_tool(instance, result),
            };
        }
        if let Some(step) = self.workflow.step(&instance.step) {
            if self.ended_by_a_person(step, instance, result) {
                return;
            }
            if let Some(who) = self.to_be_asked(instance, result) {
                return self.ask_outcome(step, instance.clone(), gate::AskedPerson::to_take_over(who));
            }
            if self.hear(step, instance, result) {
                return;
            }
        }
        if self.by_dependencies() {
            return self.stage_left(instance, result);
        }
        let Some(step) = self.workflow.step(&instance.step) else {
            return self.fail_at(
                &instance.step,
                format!("Invalid routing: step '{}' not found", instance.step),
            );
        };
        if let Routing::Return { back: Back::Halt, .. } = &step.routing
            && result.status != ExecutionStatus::Failed
        {
            let error = format!(
                "The detour that ends with “{}” says that the flow stops there",
                step.name
            );
            return self.fail_at(&step.id, error);
        }
        if matches!(step.routing, Routing::Transitions { .. }) {
            let passed = result.status != ExecutionStatus::Failed;
            let decision = self.by_transition(instance, passed);
            if self.asks_about(step, instance, result, None, decision.to.as_ref()) {
                return;
            }
            return self.take(decision);
        }
        if result.status == ExecutionStatus::Failed {
            let error = result.error.clone().filter(|e| !e.trim().is_empty());
            return self.fail_at(&step.id, error.unwrap_or_else(|| format!("step '{}' failed", step.id)));
        }
        let Some(decision) = self.way_on(step, instance, result) else {
            return;
        };
        // The gate's bar stands across the outgoing edge: while the loop turns by itself nobody is asked. An agent that says there
        // was nothing to do does not pass it by saying so.
        let turns = decision.loop_state != self.now.loop_state || decision.to.as_ref() == Some(&step.id);
        let turns = turns && !self.leaves_for_good(step, &decision);
        if !turns {
            let changes_to = gate::changes_after(self.workflow, step);
            if self.asks_about(step, instance, result, Some(&changes_to), decision.to.as_ref()) {
                return;
            }
        }
        self.lead_on(step, decision);
    }

    /// The quality standards that the project asks a person about when a result does not meet them.
    fn below(&self, result: &StepResult) -> Vec<Held> {
        let standards = self.created.standards();
        match standards.below {
            Below::Ask => result.below(&standards),
            Below::Warn | Below::Fail => Vec::new(),
        }
    }

    /// The same where nobody has let this visit's result go on yet.
    fn below_unanswered(&self, instance: &Instance, result: &StepResult) -> Option<Vec<Held>> {
        let gate = GateId::quality(&self.workflow.id, &instance.step);
        let below = self.below(result);
        let asks = !below.is_empty() && self.created.policy.stops_runs() && !self.approved(&gate, instance);
        asks.then_some(below)
    }

    /// Into the branches of a fork, or along the route; where a flow would end with issues that nobody has come back to, a person is
    /// asked first.
    fn lead_on(&mut self, step: &Step, decision: RouteDecision) {
        match &step.routing {
            _ if self.ends_with_open_issues(&decision) => self.ask_left_open(step, &decision),
            Routing::Fork(fork) if decision.detour.is_none() => self.fork(&decision.from, fork),
            _ => self.take(decision),
        }
    }

    /// Where the transitions of a runbook lead. What was skipped goes the way of what has passed, and the log says that it did not pass.
    fn by_transition(&self, instance: &Instance, passed: bool) -> RouteDecision {
        let mut decision = runbook::route(self.workflow, instance, &self.now.frame, passed);
        let result = self.now.visit(instance).and_then(|visit| visit.result());
        if result.is_some_and(|result| result.status == ExecutionStatus::Skipped) {
            decision.looked_at.insert("status".to_owned(), "skipped".into());
        }
        decision
    }

    /// Where the rules of the file lead.
    pub(crate) fn by_rule(&self, step: &Step, instance: &Instance, result: &StepResult) -> RouteDecision {
        let decision = route(step, self.workflow, result, &self.now.loop_state);
        let decision = RouteDecision {
            from: instance.clone(),
            ..decision
        };
        if step.routing == Routing::Sequence {
            self.past_what_is_kept(decision)
        } else {
            decision
        }
    }

    /// In a run that was taken up again what had been completed is passed by: it never runs twice (seed 000 "Resume").
    fn past_what_is_kept(&self, mut decision: RouteDecision) -> RouteDecision {
        while let Some(kept) = decision.to.take_if(|to| self.now.kept.contains(to)) {
            let after = self
                .workflow
                .step(&kept)
                .and_then(|kept| self.workflow.step_after(kept));
            decision.to = after.map(|step| step.id.clone());
            if decision.to.is_none() {
                decision.decision = RouteKind::Terminate;
                decision.reason = RouteReason::CompleteNoRouting;
            }
        }
        decision
    }

    pub(crate) fn take(&mut self, mut decision: RouteDecision) {
        decision.branch = self.now.forks.token(&decision.from.step);
        decision.edge = edges::taken(self.workflow, &decision);
        let to = decision.to.clone();
        let moved = decision.runbook.as_deref().cloned().unwrap_or_default();
        let branch = decision.branch;
        self.emit(Event::Routed(Arc::new(decision)));
        let arrived = branch.filter(|id| {
            let cursor = self.now.forks.branch(*id).map(|branch| &branch.cursor);
            matches!(cursor, Some(Cursor::Between(Due::EndBranch { .. })))
        });
        // A detour has led back to a step that is left with the result that it had.
        let left = match (
            branch,
            to.as_ref().and_then(|to| self.now.forks.branch_at(to)),
            &self.now.cursor,
        ) {
            (None, _, Cursor::Between(Due::Leave { instance })) => Some(instance.clone()),
            (Some(_), Some(Cursor::Between(Due::Leave { instance })), _) => Some(instance.clone()),
            _ => None,
        };
        if let Some(instance) = left {
            return self.follow_due(&Due::Leave { instance });
        }
        match (arrived, to) {
            (Some(branch), _) => self.end_branch(branch),
            (None, Some(step)) => self.go(&step, moved.path),
            (None, None) => self.end(moved.stopped, moved.message),
        }
    }

    /// A person sends the run to another step.
    pub(crate) fn jump(&mut self, by: &str, from: &Instance, to: &StepId) {
        let decision = runbook::jump(self.workflow, from, &self.now.frame, to);
        let mut looked_at = decision.looked_at.clone();
        looked_at.insert("by".to_owned(), by.into());
        self.take(RouteDecision { looked_at, ..decision });
    }

    /// Where a rejection of a step leads by its own gate. Of a stage that is one that it waits for, and that is done again; nothing else
    /// leads back in a pipeline.
    pub(crate) fn rejected_to(&self, step: &Step) -> Option<StepId> {
        let to = step.gate.as_ref()?.on_reject.as_ref()?;
        let leads = !self.by_dependencies() || self.before(step).contains(&self.workflow.step(to)?.ordinal);
        leads.then(|| to.clone())
    }

    /// The step as people are asked about it.
    pub(crate) fn as_asked<'s>(&self, step: &'s Step) -> Cow<'s, Step> {
        gate::as_asked(self.workflow, self.now.created.as_deref(), step)
    }

    pub(crate) fn ask(&mut self, step: &Step, instance: Instance, why: GateReason, asked: Asked) {
        let named = self.as_asked(step);
        let step = named.as_ref();
        let Some(own) = &step.gate else { return };
        let gate = GateId::of(&self.workflow.id, &step.id);
        let last = self.now.visit(&instance).and_then(|visit| visit.attempts.last());
        let skipped = last.and_then(|last| last.result.as_deref()?.skipped());
        let question = match skipped.filter(|_| own.at == GateAt::After) {
            Some(why) => gate::question_skipped(step, own, why),
            None => gate::question(step, own, self.now.is_rehearsal()),
        };
        self.open(GateOpened {
            round: 0,
            gate,
            instance,
            at: own.at,
            purpose: Purpose::Approval,
            requirement: own.requirement,
            question,
            why,
            asks: own.asks.clone(),
            shown: asked.shown,
            changes_to: asked.changes_to,
            reject_to: self.rejected_to(step),
            approve_to: asked.approve_to,
            below: asked.below,
            feedback: Vec::new(),
        });
    }

    /// Asks a person about what a visit came to, where somebody is to be asked: at the step's own gate, else because the result is
    /// below the project's quality standards (seed 003 `quality_gate_override`). Says whether somebody is asked.
    pub(crate) fn asks_about(
        &mut self,
        step: &Step,
        instance: &Instance,
        result: &StepResult,
        changes_to: Option<&StepId>,
        approve_to: Option<&StepId>,
    ) -> bool {
        let own = self.blocked_by(step, GateAt::After);
        let below = match own {
            Some(_) => self.below(result),
            None => match self.below_unanswered(instance, result) {
                Some(below) => below,
                None => return false,
            },
        };
        let asked = Asked {
            shown: gate::shown_after(&self.now.results(), step, result),
            changes_to: changes_to.cloned(),
            approve_to: approve_to.cloned(),
            below,
        };
        match own {
            Some(why) => self.ask(step, instance.clone(), why, asked),
            None => self.ask_below(step, instance.clone(), asked),
        }
        true
    }

    /// Asks whether a run goes on without a stage that has failed, at the gate that stands behind it.
    pub(crate) fn ask_spared(
        &mut self,
        step: &Step,
        instance: &Instance,
        why: GateReason,
        result: &StepResult,
        error: &str,
    ) {
        let named = self.as_asked(step);
        let step = named.as_ref();
        let Some(own) = &step.gate else { return };
        let shown = gate::shown_after(&self.now.results(), step, result);
        self.open(GateOpened {
            round: 0,
            gate: GateId::of(&self.workflow.id, &step.id),
            instance: instance.clone(),
            at: GateAt::After,
            purpose: Purpose::Approval,
            requirement: own.requirement,
            question: gate::question_failed(step, own, error),
            why,
            asks: own.asks.clone(),
            shown,
            changes_to: Some(step.id.clone()),
            reject_to: self.rejected_to(step),
            approve_to: None,
            below: Vec::new(),
            feedback: Vec::new(),
        });
    }

    /// Asks whether a result goes on that is below the standards, of a step that asks nobody by itself.
    fn ask_below(&mut self, step: &Step, instance: Instance, asked: Asked) {
        let own = step.gate.as_ref();
        self.open(GateOpened {
            round: 0,
            gate: GateId::quality(&self.workflow.id, &step.id),
            instance,
            at: GateAt::After,
            purpose: Purpose::Approval,
            requirement: GateRequirement::Required,
            question: gate::question_below(&self.as_asked(step), &asked.below),
            why: GateReason::BelowStandard,
            asks: own.map(|own| own.asks.clone()).unwrap_or_default(),
            shown: asked.shown,
            changes_to: asked.changes_to,
            reject_to: self.rejected_to(step),
            approve_to: asked.approve_to,
            below: asked.below,
            feedback: Vec::new(),
        });
    }

    /// Asks for the outcome of a step that a person carries out.
    fn ask_outcome(&mut self, step: &Step, instance: Instance, asked: gate::AskedPerson) {
        let gate = match asked.attempt {
            true => GateId::outcome(&self.workflow.id, &step.id),
            false => GateId::of(&self.workflow.id, &step.id),
        };
        let leads = |passed| runbook::route(self.workflow, &instance, &self.now.frame, passed).to;
        let (approve_to, reject_to) = match asked.attempt {
            // What follows is decided when the attempt has been taken up.
            true => (Some(step.id.clone()), None),
            false => (leads(true), leads(false)),
        };
        let shown: Vec<Artifact> = gate::shown_before(&self.now.results(), step);
        let decided_after = asked.attempt && self.blocked_by(step, GateAt::After).is_some();
        self.open(GateOpened {
            round: 0,
            gate,
            at: GateAt::Before,
            purpose: Purpose::Outcome {
                pass: asked.pass,
                fail: asked.fail,
                attempt: asked.attempt,
            },
            requirement: GateRequirement::Required,
            question: gate::question_of_work(&self.as_asked(step), decided_after),
            why: asked.why,
            asks: asked.who,
            shown,
            changes_to: None,
            reject_to,
            approve_to,
            instance,
            below: Vec::new(),
            feedback: Vec::new(),
        });
    }

    /// Asks whether the step may do what it wants to do.
    fn ask_permission(&mut self, step: &Step, instance: Instance, needs: Vec<String>) {
        self.open(GateOpened {
            round: 0,
            gate: GateId::permission(&self.workflow.id, &step.id),
            instance,
            at: GateAt::Before,
            requirement: GateRequirement::Required,
            question: gate::question_of_permission(&self.as_asked(step), self.retries(&step.id).0),
            why: GateReason::Permission,
            purpose: Purpose::Permission { needs },
            asks: Vec::new(),
            shown: Vec::new(),
            changes_to: None,
            reject_to: None,
            approve_to: Some(step.id.clone()),
            below: Vec::new(),
            feedback: Vec::new(),
        });
    }

    /// Asks whether a step's tool may be called.
    fn ask_tool(&mut self, instance: &Instance, result: &StepResult) {
        let asks = result.lifecycle.as_ref().and_then(|lifecycle| lifecycle.asks.clone());
        let (Some(step), Some(ask)) = (self.workflow.step(&instance.step), asks) else {
            return self.give_up(&instance.step, format!("step '{}' waits for nothing", instance.step));
        };
        let shown: Vec<Artifact> = gate::shown_before(&self.now.results(), step);
        let attempt = self.now.next_attempt(instance).saturating_sub(1);
        let is_it = |other: &ToolAsk| other.call == ask.call && other.place == ask.place;
        let before = call_approval(&self.now, instance, attempt, is_it)
            .or_else(|| call_approval::in_earlier_visits(&self.now, instance, is_it));
        let question = call_approval::question(&self.as_asked(step), &ask, before.as_ref());
        self.open(GateOpened {
            round: 0,
            gate: ask.gate.as_str().into(),
            instance: instance.clone(),
            at: GateAt::Before,
            requirement: GateRequirement::Required,
            question,
            why: GateReason::ToolApproval,
            purpose: Purpose::Tool { ask },
            asks: step.gate.as_ref().map(|gate| gate.asks.clone()).unwrap_or_default(),
            shown,
            changes_to: None,
            reject_to: None,
            approve_to: Some(step.id.clone()),
            below: Vec::new(),
            feedback: Vec::new(),
        });
    }

    /// Opens the gate's next round.
    pub(crate) fn open(&mut self, opened: GateOpened) {
        let rounds = self.now.gates.get(&opened.gate).map_or(0, |rounds| rounds.len());
        let round = u32::try_from(rounds).unwrap_or(u32::MAX).saturating_add(1);
        // What a branch made can be done again in that branch alone: the others go on meanwhile.
        let changes_to = opened.changes_to.filter(|to| self.is_beside(&opened.instance.step, to));
        self.emit(Event::GateOpened(Arc::new(GateOpened {
            round,
            changes_to,
            ..opened
        })));
    }

    /// Whether the token at one step can be sent to the other: it is in the same branch.
    pub(crate) fn is_beside(&self, step: &StepId, to: &StepId) -> bool {
        let Some(id) = self.now.forks.token(step) else {
            let both = self.workflow.step(step).zip(self.workflow.step(to));
            return both.is_none_or(|(step, to)| !model::branches::apart(self.workflow, step, to));
        };
        let forked = self.now.forks.get(id.fork).map(|fork| &fork.forked.from.step);
        let forked = forked
            .and_then(|step| self.workflow.step(step))
            .map(|step| &step.routing);
        match forked {
            Some(Routing::Fork(fork)) => {
                model::branches::branch_of(self.workflow, fork, to).is_some_and(|place| place + 1 == id.branch as usize)
            }
            _ => false,
        }
    }

    /// What a person's answer leads to.
    fn follow(&mut self, opened: &GateOpened, decision: &Decision) {
        let Some(step) = self.workflow.step(&opened.instance.step) else {
            let error = format!("Invalid routing: step '{}' not found", opened.instance.step);
            return self.fail_at(&opened.instance.step, error);
        };
        if let Some(result) = said_of_step(opened, decision) {
            return self.leave(&opened.instance, &result);
        }
        if self.now.goes_on_amid(opened, decision) {
            // Paused, it stands between two attempts until the run goes on.
            if !self.now.paused {
                self.retry(&opened.instance, self.now.next_attempt(&opened.instance));
            }
            return;
        }
        if !opened.feedback.is_empty() && self.follow_feedback(opened, decision) {
            return;
        }
        if self.by_dependencies() {
            return self.follow_stage(opened, decision);
        }
        match decision.answer {
            Answer::Approve | Answer::Pass | Answer::Fail if opened.at == GateAt::Before => {
                let instance = opened.instance.clone();
                match opened.purpose {
                    // A branch enters where there is room.
                    _ if self.now.paused || self.now.forks.token(&step.id).is_some() => {}
                    Purpose::Permission { .. } | Purpose::Outcome { .. } => self.begin_visit(step, instance),
                    _ => self.prepare(step, instance),
                }
            }
            Answer::Approve if matches!(step.routing, Routing::Transitions { .. }) => {
                self.take(self.by_transition(&opened.instance, true));
            }
            Answer::Approve => match self.now.visit(&opened.instance).and_then(|v| v.result()) {
                Some(result) => {
                    let result = result.clone();
                    if let Some(decision) = self.way_on(step, &opened.instance, &result) {
                        self.lead_on(step, decision);
                    }
                }
                None => self.fail_at(&step.id, format!("step '{}' failed", step.id)),
            },
            Answer::Changes => match &opened.changes_to {
                Some(to) => self.take(self.by_person(step, opened, decision, to, RouteKind::Loop)),
                None => self.fail_at(&step.id, format!("Nothing to repeat before step '{}'", step.id)),
            },
            Answer::Reject => match &opened.reject_to {
                Some(to) => self.take(self.by_person(step, opened, decision, to, RouteKind::Advance)),
                None => {
                    let error = format!("Rejected by {}: {}", decision.by.trim(), decision.comment.trim());
                    self.end_at(&step.id, error, JoinCause::Rejected);
                }
            },
            Answer::Choose => match self.now.visit(&opened.instance).and_then(|v| v.result()) {
                Some(result) => {
                    let result = result.clone();
                    self.leave(&opened.instance, &result);
                }
                None => self.fail_at(&step.id, format!("step '{}' failed", step.id)),
            },
            // Said of the step itself, above; an approval does not take them.
            Answer::Pass | Answer::Fail => {}
        }
    }

    /// A route that a person chose; loop counters are not touched by people's rounds.
    pub(crate) fn by_person(
        &self,
        step: &Step,
        opened: &GateOpened,
        decision: &Decision,
        to: &StepId,
        kind: RouteKind,
    ) -> RouteDecision {
        let (reason, answer) = match decision.answer {
            Answer::Changes => (RouteReason::ChangesRequested(Some(opened.round)), "changes"),
            Answer::Reject => (RouteReason::Rejected(Some(opened.round)), "reject"),
            _ => (RouteReason::Approved(Some(opened.round)), "approve"),
        };
        let loop_state = self.now.loop_state.clone();
        RouteDecision {
            from: opened.instance.clone(),
            to: Some(to.clone()),
            decision: kind,
            reason,
            source: RouteSource::Person,
            edge: None,
            looked_at: model::Fields::new(),
            alternatives: vec![Alternative {
                to: opened.approve_to.clone(),
                why_not: WhyNotCode::PersonDecided.of(answer),
            }],
            loop_count: match &step.routing {
                Routing::Microloop(microloop) => loop_count(step, microloop, &loop_state),
                _ => None,
            },
            loop_state,
            runbook: None,
            branch: None,
            detour: None,
        }
    }
}
