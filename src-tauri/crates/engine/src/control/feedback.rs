//! Feedback: what a step's report says to those who worked before it sends the work back to them, or a person is asked (seed 003
//! `feedback_loops`). Where the work goes from there is up to the workflow: it comes back to the step that reported as it came the first
//! time.

use super::bars::gates_between;
use super::commit::Commit;
use crate::doer::{agents_of, engine_of};
use crate::feedback::Sent;
use crate::issues::{Issue, acknowledged, issues};
use crate::routing::no_way_on;
use crate::{
    Alternative, Answer, At, Decision, Event, FeedbackAcknowledged, FeedbackFault, FeedbackGiven, FeedbackLimit,
    FeedbackStatus, FeedbackTarget, GateId, GateOpened, GateReason, Instance, LoopCount, Purpose, RouteDecision,
    RouteKind, RouteReason, RouteSource, SentBack, StepResult, WhyNotCode, gate,
};
use model::branches::branch_of;
use model::{AgentKey, Feedback, Fields, GateAt, GateRequirement, Routing, Step, StepId};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Commit<'_> {
    /// Takes up what a visit's report says to those before it, and to those that it was reported to by. Whether the work has been sent
    /// back by that, or a person is asked: then nothing else follows from the visit.
    pub(crate) fn hear(&mut self, step: &Step, instance: &Instance, result: &StepResult) -> bool {
        let own = self.agent_of(instance);
        let issues = issues(result, own.as_ref());
        if issues.is_empty() && self.now.feedback.is_empty() {
            return false;
        }
        self.note_acknowledged(instance, result, own.as_ref());
        // A log may be cut off between two of them.
        let heard = self.now.feedback.of_visit(instance).count();
        for issue in issues.into_iter().skip(heard) {
            let given = self.given(step, instance, issue);
            self.emit(Event::FeedbackGiven(Arc::new(given)));
        }
        // Who failed, or cannot be read, takes nothing back.
        let speaks = result.status.completes() && result.receipt_readable;
        let settled = self.now.feedback.open().map(|one| one.last()).filter(|_| speaks);
        let settled = settled.filter(|last| last.from.step == step.id && last.from != *instance);
        for id in settled.map(|last| last.id.clone()).collect::<Vec<_>>() {
            let by = instance.clone();
            self.emit(Event::FeedbackResolved { id, by });
        }
        let pending = |one: &&crate::FeedbackLoop| one.status == FeedbackStatus::Pending;
        let now = self.now.feedback.of_visit(instance).filter(pending);
        let now: Vec<Arc<FeedbackGiven>> = now.map(|one| Arc::clone(one.last())).collect();
        if now.is_empty() {
            return false;
        }
        let to = self.back_to(step, &now);
        match to {
            Some(_) if self.by_dependencies() && !now.iter().any(|given| given.asks()) => {
                self.send_back(instance, now.iter().flat_map(|given| given.steps()), Sent::Reported)
            }
            Some(to) if !now.iter().any(|given| given.asks()) => {
                let route = self.route_back(step, instance, result, &now, to);
                self.take(route);
            }
            to => self.ask_feedback(step, instance, result, &now, to),
        }
        true
    }

    /// Who carried a visit out, where one agent did.
    fn agent_of(&self, instance: &Instance) -> Option<AgentKey> {
        let last = self.now.visit(instance)?.attempts.last()?;
        last.started.agents.first().cloned()
    }

    fn note_acknowledged(&mut self, instance: &Instance, result: &StepResult, own: Option<&AgentKey>) {
        let open = self.now.feedback.for_step(&instance.step);
        let unsaid = open.filter(|one| one.acknowledged.iter().all(|(said, _)| said.by != *instance));
        let ids: Vec<String> = unsaid.map(|one| one.last().id.clone()).collect();
        for (id, agent, reason) in acknowledged(result, own, &ids) {
            let by = instance.clone();
            self.emit(Event::FeedbackAcknowledged(Arc::new(FeedbackAcknowledged {
                id,
                by,
                agent,
                reason,
            })));
        }
    }

    /// An issue as an event: the loop that it belongs to, whose work it means, and what keeps it from being sent back.
    fn given(&self, step: &Step, instance: &Instance, issue: Issue) -> FeedbackGiven {
        let targets: Vec<FeedbackTarget> = issue.to.iter().map(|named| self.target(step, named)).collect();
        let same = |last: &FeedbackGiven| {
            let like = |one: &FeedbackTarget| targets.iter().any(|other| other.is_like(one));
            last.agent == issue.agent && last.targets.len() == targets.len() && last.targets.iter().all(like)
        };
        let mut open = self.now.feedback.open().map(|one| (one, one.last()));
        let known = open.find(|(_, last)| last.from.step == step.id && last.from != *instance && same(last));
        let limits = &self.created.limits;
        let sent = self.now.feedback.sent(&step.id);
        let is_over = known.is_some_and(|(one, _)| self.time_of(one.opened_at()) >= limits.feedback_ms);
        FeedbackGiven {
            id: known.map_or_else(|| self.now.feedback.next_id(&step.id), |(_, last)| last.id.clone()),
            from: instance.clone(),
            agent: issue.agent,
            kind: issue.kind,
            severity: issue.severity,
            message: issue.message,
            targets,
            round: sent.saturating_add(1),
            most: limits.feedback_rounds,
            within_ms: Some(limits.feedback_ms),
            fault: issue.fault,
            limit: match () {
                () if sent >= limits.feedback_rounds => Some(FeedbackLimit::Rounds),
                () if is_over => Some(FeedbackLimit::Time),
                () => None,
            },
        }
    }

    /// How long a loop has taken that was opened then, milliseconds: since a person answered last, whose time it is not.
    fn time_of(&self, opened_at: At) -> u64 {
        let answers = self.now.gates.values().flatten();
        let answered = answers
            .filter_map(|round| round.answer.as_ref().map(|(_, at)| *at))
            .max();
        self.at.since_ms(opened_at.max(answered.unwrap_or(opened_at)))
    }

    /// Whose work is meant: the step of this name, else the one that an agent of this name did last.
    fn target(&self, from: &Step, named: &str) -> FeedbackTarget {
        let by_id = self.workflow.step(&self.workflow.meant_at(from, named));
        let by_id = by_id.or_else(|| self.workflow.step(&StepId::new(named)));
        let steps = || self.workflow.steps().iter();
        let by_name = || steps().find(|step| step.name.trim().to_lowercase() == named.to_lowercase());
        let found = by_id.or_else(|| self.step_of_agent(from, named)).or_else(by_name);
        FeedbackTarget {
            named: named.to_owned(),
            step: found.map(|step| step.id.clone()),
            fault: match found {
                Some(step) => self.fault_of(from, step),
                None => Some(FeedbackFault::Unknown),
            },
        }
    }

    /// The step that an agent did last, of those that can be done again; else any of theirs.
    fn step_of_agent(&self, from: &Step, named: &str) -> Option<&Step> {
        let steps = self.workflow.steps().iter();
        let theirs = steps.filter(|step| {
            agents_of(step, &self.created)
                .iter()
                .any(|agent| agent.as_str() == named)
        });
        theirs.max_by_key(|step| {
            (
                self.fault_of(from, step).is_none(),
                step.id != from.id,
                self.last_visit(&step.id),
            )
        })
    }

    /// The place of a step's latest visit among all visits; 0: it has not been done.
    fn last_visit(&self, step: &StepId) -> u32 {
        let visits = self.now.steps.get(step).map(|step| &step.visits);
        visits.and_then(|visits| visits.last()).map_or(0, |visit| visit.number)
    }

    /// Why the work cannot go back from one step to another.
    fn fault_of(&self, from: &Step, to: &Step) -> Option<FeedbackFault> {
        let flow = |step: &Step| self.workflow.part_of(step).map(|part| part.key.clone());
        Some(match () {
            () if matches!(from.routing, Routing::Transitions { .. }) => FeedbackFault::Runbook,
            () if from.id == to.id => FeedbackFault::Itself,
            () if self.last_visit(&to.id) == 0 => FeedbackFault::Later,
            () if self.by_dependencies() => {
                let waits = self.before(from).contains(&to.ordinal);
                return (!waits).then_some(FeedbackFault::Beside);
            }
            () if flow(from) != flow(to) => FeedbackFault::Flow,
            () if from.detour_from != to.detour_from => FeedbackFault::Detour,
            () => {
                let place = self.place_of(from, to);
                let sound = place.id != from.id && self.is_beside(&from.id, &place.id);
                if sound {
                    return self.leads_on_past_a_gate(from, place).then_some(FeedbackFault::Gate);
                }
                FeedbackFault::Branch
            }
        })
    }

    /// Whether the way to a step leads on and not back, past a gate between the two, or past that of the step that reports where what
    /// follows may end without it. What was done in an earlier round of a loop may lie ahead again.
    fn leads_on_past_a_gate(&self, from: &Step, to: &Step) -> bool {
        if model::before(self.workflow, from)[to.ordinal] {
            return false;
        }
        let own = || self.blocked_by(from, GateAt::After).is_some();
        gates_between(self.workflow, &self.now, from, to)
            || own() && !model::leads_back(self.workflow, from)[to.ordinal]
    }

    /// Where a token that stands at one step goes so that another one is done again: there, or to the fork in one of whose branches it
    /// stands and the token does not, so that the branches can meet.
    fn place_of<'s>(&'s self, from: &Step, to: &'s Step) -> &'s Step {
        let holds = |step: &Step, inside: &StepId| match &step.routing {
            Routing::Fork(fork) => branch_of(self.workflow, fork, inside),
            _ => None,
        };
        let forks = self.workflow.steps().iter();
        let around = forks.filter(|fork| {
            let there = holds(fork, &to.id);
            there.is_some() && there != holds(fork, &from.id)
        });
        let around: Vec<&Step> = around.collect();
        let outermost = around
            .iter()
            .find(|fork| around.iter().all(|other| holds(other, &fork.id).is_none()));
        outermost.copied().unwrap_or(to)
    }

    /// Where the work goes back to: of the steps that are to be done again the one that was done first.
    fn back_to(&self, from: &Step, loops: &[Arc<FeedbackGiven>]) -> Option<StepId> {
        let steps = loops.iter().flat_map(|given| given.steps());
        let steps = steps.filter_map(|id| self.workflow.step(id));
        let places = steps.map(|step| {
            if self.by_dependencies() {
                step
            } else {
                self.place_of(from, step)
            }
        });
        places
            .min_by_key(|place| self.last_visit(&place.id))
            .map(|place| place.id.clone())
    }

    /// The route back to an earlier step. Loop counters are not touched by it, as they are not by a person's.
    fn route_back(
        &self,
        step: &Step,
        instance: &Instance,
        result: &StepResult,
        loops: &[Arc<FeedbackGiven>],
        to: StepId,
    ) -> RouteDecision {
        let ids: Vec<&str> = loops.iter().map(|given| given.id.as_str()).collect();
        let ids = ids.join("+");
        let instead = result.status.completes().then(|| self.by_rule(step, instance, result));
        let looked = loops
            .iter()
            .map(|given| (given.id.clone(), given.message.as_str().into()));
        RouteDecision {
            from: instance.clone(),
            to: Some(to),
            decision: RouteKind::Loop,
            alternatives: instead
                .map(|instead| Alternative {
                    to: instead.to,
                    why_not: WhyNotCode::FeedbackGiven.of(&ids),
                })
                .into_iter()
                .collect(),
            reason: RouteReason::Feedback(ids),
            source: RouteSource::EnvelopeFallback,
            edge: None,
            looked_at: looked.collect::<Fields>(),
            loop_count: loops.first().map(|given| LoopCount {
                taken: given.round.saturating_sub(1),
                max: given.most,
            }),
            loop_state: Arc::clone(&self.now.loop_state),
            runbook: None,
            branch: None,
            detour: None,
        }
    }

    /// Asks a person what becomes of issues that the run does not send back by itself.
    fn ask_feedback(
        &mut self,
        step: &Step,
        instance: &Instance,
        result: &StepResult,
        loops: &[Arc<FeedbackGiven>],
        changes_to: Option<StepId>,
    ) {
        let by_token = !self.by_dependencies() && result.status.completes();
        let approve_to = match &step.routing {
            Routing::Transitions { .. } => None,
            _ if by_token => self.by_rule(step, instance, result).to,
            _ => None,
        };
        self.open(GateOpened {
            round: 0,
            gate: GateId::feedback(&self.workflow.id, &step.id),
            instance: instance.clone(),
            at: GateAt::After,
            purpose: Purpose::Approval,
            requirement: GateRequirement::Required,
            question: question(&self.as_asked(step), loops),
            why: GateReason::Feedback,
            asks: self.decides(step),
            shown: gate::shown_after(&self.now.results(), step, result),
            changes_to,
            reject_to: self.rejected_to(step),
            approve_to,
            below: Vec::new(),
            feedback: loops.iter().map(|given| given.id.clone()).collect(),
        });
    }

    /// Who is asked about the issues that a step reports: the person to whom it escalates, else the one whom the workflow names for that, else
    /// whoever its own gate asks.
    fn decides(&self, step: &Step) -> Vec<AgentKey> {
        let is_person = |who: &&AgentKey| engine_of(step, std::slice::from_ref(*who), &self.created).is_person();
        let own = step.escalate_to.as_ref().filter(is_person).cloned();
        match own.or_else(|| Feedback::of(self.workflow).escalate_to) {
            Some(who) => vec![who],
            None => step.gate.as_ref().map(|own| own.asks.clone()).unwrap_or_default(),
        }
    }

    /// Whether a flow would end with issues that nobody has come back to: the way led past the step that reported them.
    pub(crate) fn ends_with_open_issues(&self, decision: &RouteDecision) -> bool {
        decision.to.is_none()
            && self.now.forks.token(&decision.from.step).is_none()
            && self.now.feedback.open().next().is_some()
            && !no_way_on(self.workflow, decision)
    }

    /// Asks a person about those.
    pub(crate) fn ask_left_open(&mut self, step: &Step, decision: &RouteDecision) {
        let open: Vec<Arc<FeedbackGiven>> = self.now.feedback.open().map(|one| Arc::clone(one.last())).collect();
        match self.now.visit(&decision.from).and_then(|visit| visit.result().cloned()) {
            Some(result) => {
                let to = self.back_to(step, &open);
                self.ask_feedback(step, &decision.from, &result, &open, to);
            }
            None => self.fail_at(&step.id, format!("step '{}' failed", step.id)),
        }
    }

    /// What a person's answer leads to about issues; `false`: what it leads to at every gate.
    pub(crate) fn follow_feedback(&mut self, opened: &GateOpened, decision: &Decision) -> bool {
        let own = self.now.feedback.of_visit(&opened.instance).next().is_some();
        match decision.answer {
            Answer::Approve if own => match self
                .now
                .visit(&opened.instance)
                .and_then(|visit| visit.result().cloned())
            {
                Some(result) => self.leave(&opened.instance, &result),
                None => return false,
            },
            Answer::Changes if self.by_dependencies() => {
                let loops = self.now.feedback.of_visit(&opened.instance);
                let loops: Vec<Arc<FeedbackGiven>> = loops.map(|one| Arc::clone(one.last())).collect();
                self.send_back(
                    &opened.instance,
                    loops.iter().flat_map(|given| given.steps()),
                    Sent::Decided,
                );
            }
            _ => return false,
        }
        true
    }

    /// Stages are done again: those that issues were reported to, or that a rejection leads back to, as soon as there is room, and after them
    /// what lies between them and the one that reported or was rejected. What else depends on them goes by the rule of changes that a person
    /// requests.
    pub(crate) fn send_back<'a>(&mut self, instance: &Instance, to: impl Iterator<Item = &'a StepId>, by: Sent) {
        let Some(from) = self.workflow.step(&instance.step) else {
            return;
        };
        let before = self.before(from);
        let targets: BTreeSet<usize> = to.filter_map(|id| Some(self.workflow.step(id)?.ordinal)).collect();
        let steps = self.workflow.steps();
        let behind = |step: &Step| !self.before(step).is_disjoint(&targets);
        let completed = |step: &Step| {
            let stage = self.now.stages.get(&step.id);
            stage.is_some_and(|stage| stage.cursor == crate::Cursor::Nowhere && stage.settled.is_some())
        };
        let between = before
            .iter()
            .map(|stage| &steps[*stage])
            .filter(|step| behind(step) && completed(step));
        let to = targets.iter().map(|stage| steps[*stage].id.clone()).collect();
        let again = between.chain([from]).map(|step| step.id.clone()).collect();
        self.emit(Event::SentBack(Arc::new(SentBack {
            from: instance.clone(),
            to,
            again,
            by_person: by != Sent::Reported,
            rejected: by == Sent::Rejected,
        })));
    }
}

/// What is said of issues that a person is to decide about.
fn question(step: &Step, loops: &[Arc<FeedbackGiven>]) -> String {
    let each = loops.iter().map(|given| {
        let to: Vec<String> = given
            .targets
            .iter()
            .map(|target| format!("“{}”", target.named))
            .collect();
        let to = if to.is_empty() {
            String::new()
        } else {
            format!(" of {}", to.join(" and "))
        };
        let mut why: Vec<String> = given.fault.iter().map(|fault| fault.words("")).collect();
        let targets = given.targets.iter();
        why.extend(targets.filter_map(|target| Some(target.fault.as_ref()?.words(&target.named))));
        why.extend(given.limit.as_ref().map(|limit| match limit {
            FeedbackLimit::Time => "its time is over".to_owned(),
            _ if given.most == 1 => "it has sent work back once".to_owned(),
            _ => format!("it has sent work back {} times", given.most),
        }));
        let why = if why.is_empty() {
            "nobody has come back to it".to_owned()
        } else {
            why.join("; ")
        };
        format!("{}{to} ({why}): {}", given.kind.title(), given.message)
    });
    let each: Vec<String> = each.collect();
    format!(
        "“{}” reports an issue that a person decides about. {}",
        step.name,
        each.join(" ")
    )
}
