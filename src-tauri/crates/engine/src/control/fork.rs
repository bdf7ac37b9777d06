//! Forks: several tokens on the one machine. The token that comes to a fork waits at the join while each branch moves a token of its own;
//! what the branches do next follows from where they stand ([`Commit::turn_forks`]), so a log that was cut off anywhere goes on the same
//! way.

use super::commit::Commit;
use crate::cursor::{Cursor, Due};
use crate::forks::Fork;
use crate::routing::no_way_on;
use crate::state::RunState;
use crate::{
    At, BranchEnd, BranchEnded, BranchId, EndStatus, Event, ExecutionStatus, Forked, Instance, JoinCause, Joined,
    RouteDecision, RouteKind, RouteReason, RouteSource, StepResult, edges,
};
use model::{BranchFailure, Fields, JoinRule, StepId, Workflow, fork};
use std::sync::Arc;

/// Whether branches are due to begin or to go on, which only a log that was cut off inside a commit, or what a person said, leaves behind.
pub(crate) fn is_due(workflow: &Workflow, state: &RunState) -> bool {
    let Some(created) = &state.created else {
        return false;
    };
    let mut commit = Commit::new(workflow, state, created, state.last_at.unwrap_or_default());
    commit.turn_forks();
    !commit.events.is_empty()
}

impl Commit<'_> {
    /// A visit leads into branches.
    pub(crate) fn fork(&mut self, from: &Instance, fork: &fork::Fork) {
        let Some(join) = fork.join.clone() else {
            return self.fail_at(&from.step, format!("The branches of step '{}' never meet", from.step));
        };
        let until = fork
            .rules
            .timeout_ms
            .map(|ms| At(self.at.0.saturating_add_unsigned(ms)));
        self.emit(Event::Forked(Arc::new(Forked {
            fork: self.now.forks.next(),
            from: from.clone(),
            within: self.now.forks.token(&from.step),
            heads: fork.targets.clone(),
            join,
            rules: fork.rules.clone(),
            until,
        })));
    }

    /// Brings the branches on as far as they go without waiting.
    pub(crate) fn turn_forks(&mut self) {
        loop {
            let aborting = matches!(self.now.cursor, Cursor::Between(Due::Abort { .. }));
            if aborting || self.now.status.ended() || !(self.join_one() || self.begin_one() || self.enter_one()) {
                return;
            }
        }
    }

    /// Counts the branches of one fork, where the count is due.
    fn join_one(&mut self) -> bool {
        let due = self.now.forks.open().find_map(|fork| Some((fork, count_due(fork)?)));
        let Some((fork, cause)) = due else { return false };
        let joined = self.count(fork, cause, None);
        self.join(joined);
        true
    }

    /// Begins one branch.
    fn begin_one(&mut self) -> bool {
        if self.now.paused {
            return false;
        }
        let next = self.now.forks.open().find_map(|fork| {
            let place = fork.branches[..fork.due()]
                .iter()
                .position(|b| b.began_at.is_none() && b.ended.is_none())?;
            Some((Arc::clone(&fork.forked), place))
        });
        let Some((forked, place)) = next else { return false };
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let mut route = self.route_of(
            &forked.from,
            forked.heads[place].clone(),
            RouteReason::Fork {
                nth: number(place).saturating_add(1),
                of: number(forked.heads.len()),
            },
        );
        route.branch = Some(BranchId {
            fork: forked.fork,
            branch: number(place).saturating_add(1),
        });
        self.emit(Event::Routed(Arc::new(route)));
        true
    }

    /// Lets one branch enter the step it has come to, where there is room.
    fn enter_one(&mut self) -> bool {
        let limit = self.created.limits.parallel.max(1) as usize;
        if self.now.paused || self.at_work() >= limit {
            return false;
        }
        let ready = self.now.forks.going().find_map(|(_, branch)| match &branch.cursor {
            Cursor::Ready { step, path } => Some((step.clone(), path.clone())),
            _ => None,
        });
        let Some((step, path)) = ready else { return false };
        let Some(found) = self.workflow.step(&step) else {
            self.fail_at(&step, format!("Invalid routing: step '{step}' not found"));
            return true;
        };
        self.enter(found, path);
        true
    }

    /// How many attempts of branches are under way; what only waits for a person or a run inside takes no room.
    fn at_work(&self) -> usize {
        let works = |cursor: &Cursor| match cursor {
            Cursor::Running { instance, .. } | Cursor::Retrying { instance, .. } => {
                let last = self.now.visit(instance).and_then(|visit| visit.attempts.last());
                !last.is_some_and(|attempt| attempt.started.only_waits())
            }
            _ => false,
        };
        self.now
            .forks
            .going()
            .filter(|(_, branch)| works(&branch.cursor))
            .count()
    }

    /// A branch has come to the join, or to an end that the flow has.
    pub(crate) fn end_branch(&mut self, id: BranchId) {
        let route = self.now.forks.branch(id).and_then(|branch| branch.last);
        let route = route.and_then(|index| self.now.routes.get(index)).cloned();
        let stuck = route.as_ref().filter(|route| no_way_on(self.workflow, route));
        let error = stuck.map(|route| {
            let name = self
                .workflow
                .step(&route.from.step)
                .map_or(route.from.step.as_str(), |step| &step.name);
            format!("No way led on from “{name}”: none of its conditions held")
        });
        let visit = route.as_ref().and_then(|route| self.now.visit(&route.from));
        let status = visit
            .and_then(|visit| visit.result())
            .map_or("BLOCKED".to_owned(), status_of);
        self.emit(Event::BranchEnded(Arc::new(BranchEnded {
            branch: id,
            end: if error.is_some() {
                BranchEnd::Failed
            } else {
                BranchEnd::Completed
            },
            status,
            error,
        })));
    }

    /// A step has failed for good: the branch that stands there, or the run.
    pub(crate) fn fail_at(&mut self, step: &StepId, error: String) {
        let Some(branch) = self.now.forks.token(step) else {
            if !self.part_failed(step, &error) {
                self.fail(error);
            }
            return;
        };
        self.emit(Event::BranchEnded(Arc::new(BranchEnded {
            branch,
            end: BranchEnd::Failed,
            status: "failed".to_owned(),
            error: Some(error),
        })));
    }

    /// The run ends here, from whichever token: what is beside it is cut off first. `cause` says why of branches.
    pub(crate) fn end_at(&mut self, step: &StepId, error: String, cause: JoinCause) {
        let branch = self.now.forks.token(step).map(|id| self.now.forks.outermost(id.fork));
        let outermost = branch.and_then(|fork| self.now.forks.get(fork));
        let Some(fork) = outermost else {
            return self.fail_because(error, cause);
        };
        let joined = self.count(fork, cause, Some(error));
        self.join(joined);
    }

    fn fail_because(&mut self, error: String, cause: JoinCause) {
        let refused = u32::from(cause == JoinCause::Limit);
        self.complete(EndStatus::Failed, Some(error), None, refused);
    }

    /// The time of a fork is over.
    pub(crate) fn expire(&mut self, fork: u32) {
        if let Some(fork) = self.now.forks.get(fork) {
            let joined = self.count(fork, JoinCause::Timeout, None);
            self.join(joined);
        }
    }

    fn join(&mut self, joined: Joined) {
        let fork = joined.fork;
        self.emit(Event::Joined(Arc::new(joined)));
        self.follow_join(fork);
    }

    /// What follows the count: what is cut off is put down, then the step at the join or the failure.
    pub(crate) fn follow_join(&mut self, number: u32) {
        let Some((forked, joined)) = self.now.forks.get(number).and_then(|fork| {
            let (joined, _) = fork.joined.as_ref()?;
            Some((Arc::clone(&fork.forked), Arc::clone(joined)))
        }) else {
            return;
        };
        for id in &joined.cut_off {
            let cursor = self.now.forks.branch(*id).map(|branch| branch.cursor.clone());
            if let Some(Cursor::Between(Due::CutOff { instance, attempt })) = cursor {
                self.put_down(instance, attempt, joined.cause.cut_off());
            }
        }
        match &joined.error {
            Some(error) if joined.cause.ends_run() => self.fail_because(error.clone(), joined.cause),
            Some(error) => self.fail_at(&forked.from.step, error.clone()),
            None => {
                let reason = RouteReason::Joined {
                    rule: joined.rule.word().to_owned(),
                    got: if joined.rule.counts_verified() {
                        joined.verified
                    } else {
                        joined.completed
                    },
                    of: joined.of,
                };
                let mut route = self.route_of(&forked.from, forked.join.clone(), reason);
                route.looked_at = looked_at(&joined);
                self.take(route);
            }
        }
    }

    fn route_of(&self, from: &Instance, to: StepId, reason: RouteReason) -> RouteDecision {
        let mut route = RouteDecision {
            from: from.clone(),
            to: Some(to),
            decision: RouteKind::Advance,
            reason,
            source: RouteSource::Deterministic,
            edge: None,
            looked_at: Fields::new(),
            alternatives: Vec::new(),
            loop_count: None,
            loop_state: self.now.loop_state.clone(),
            runbook: None,
            branch: None,
            detour: None,
        };
        route.edge = edges::taken(self.workflow, &route);
        route
    }

    /// The whole count. `error`: why the run ends with it.
    fn count(&self, fork: &Fork, cause: JoinCause, error: Option<String>) -> Joined {
        let ended: Vec<&BranchEnded> = fork
            .branches
            .iter()
            .filter_map(|b| Some(&*b.ended.as_ref()?.0))
            .collect();
        let with = |end: BranchEnd| ended.iter().filter(move |e| e.end == end);
        let completed = with(BranchEnd::Completed).count();
        let verified = with(BranchEnd::Completed)
            .filter(|e| e.status == fork::VERIFIED)
            .count();
        let failed = with(BranchEnd::Failed).count();
        let rules = &fork.forked.rules;
        let of = fork.branches.len();
        let needs = match (rules.on_failure, rules.join) {
            // Of those that did not fail.
            (BranchFailure::BestEffort, JoinRule::AllComplete | JoinRule::AllVerified) => completed.max(1),
            (_, rule) => rule.needs(of),
        };
        let got = if rules.join.counts_verified() {
            verified
        } else {
            completed
        };
        let met = error.is_none() && cause != JoinCause::FailFast && got >= needs;
        let statuses: Vec<&str> = ended.iter().map(|e| e.status.as_str()).collect();
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let mut joined = Joined {
            fork: fork.forked.fork,
            met,
            cause,
            rule: rules.join,
            of: number(of),
            needs: number(needs),
            completed: number(completed),
            verified: number(verified),
            failed: number(failed),
            status: rules.merge.of(&statuses),
            cut_off: self.now.forks.unended(fork.forked.fork),
            error,
        };
        if !met && joined.error.is_none() {
            joined.error = Some(self.unmet(fork, &joined));
        }
        joined
    }

    /// Why the branches do not meet, as the error of the run or of the branch around.
    fn unmet(&self, fork: &Fork, joined: &Joined) -> String {
        let name = |step: &StepId| {
            self.workflow
                .step(step)
                .map_or(step.to_string(), |step| step.name.clone())
        };
        let heads = fork.forked.heads.iter().zip(&fork.branches);
        let failures = heads.filter_map(|(head, branch)| {
            let ended = branch.ended.as_ref().map(|(ended, _)| ended)?;
            let error = ended.error.as_deref().filter(|_| ended.end == BranchEnd::Failed)?;
            Some(format!("; “{}” failed: {error}", name(head)))
        });
        let why = match joined.cause {
            JoinCause::Timeout => "; the time was over",
            _ => "",
        };
        let from = name(&fork.forked.from.step);
        format!(
            "The branches of “{from}” did not meet: {}{why}{}",
            joined.count(),
            failures.collect::<String>()
        )
    }
}

/// Why the branches of an open fork are to be counted now.
fn count_due(fork: &Fork) -> Option<JoinCause> {
    let with = |end: BranchEnd| {
        let mut ended = fork.branches.iter().filter_map(|b| b.ended.as_ref());
        ended.any(|(ended, _)| ended.end == end)
    };
    let rules = &fork.forked.rules;
    match () {
        () if rules.on_failure == BranchFailure::FailFast && with(BranchEnd::Failed) => Some(JoinCause::FailFast),
        () if fork.branches.iter().all(|b| b.ended.is_some()) => Some(JoinCause::AllEnded),
        () if rules.join == JoinRule::FirstComplete && with(BranchEnd::Completed) => Some(JoinCause::First),
        () => None,
    }
}

/// What a branch ends with: what its last step reported, else how that went.
fn status_of(result: &StepResult) -> String {
    let reported = result.report.get("status").filter(|_| result.receipt_readable);
    let text = reported.map(crate::value::text).filter(|text| !text.is_empty());
    text.unwrap_or_else(|| match result.status {
        ExecutionStatus::Succeeded => "succeeded".to_owned(),
        other => other.word().to_owned(),
    })
}

/// The count as the fields of a routing decision: what a person reads beside it.
fn looked_at(joined: &Joined) -> Fields {
    let mut fields = Fields::new();
    let mut put = |key: &str, value: serde_json::Value| drop(fields.insert(key.to_owned(), value));
    put("count", joined.count().into());
    put("status", joined.status.as_str().into());
    put("branches", joined.of.into());
    put("completed", joined.completed.into());
    put("verified", joined.verified.into());
    put("failed", joined.failed.into());
    put("cut_off", joined.cut_off.len().into());
    fields
}
