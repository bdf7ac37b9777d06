//! What happened at a step, instance by instance: the one fold that overlay, inspector and report share. A dynamic step (seed
//! 002) has instances, and so has everything inside one; a container's status is that of what it holds.

use crate::gate::asking;
use engine::{
    Answer, At, BranchEnd, Cursor, Decision, GateId, GateRound, Instance, Outcome, RouteDecision, RouteReason,
    RouteSource, RunState, StepStatus, Visit,
};
use model::{Routing, Step, StepId, Work, Workflow};
use std::collections::{BTreeMap, BTreeSet};

/// Of how many dynamic steps this one is part, itself included: the length of its paths.
pub fn depth(workflow: &Workflow, step: &Step) -> usize {
    let around = workflow.container(step).map_or(0, |around| depth(workflow, around));
    around + usize::from(step.dynamic)
}

/// The instances of a step that have begun, in order; empty for a step that is part of no dynamic one.
pub fn paths(workflow: &Workflow, state: &RunState, step: &Step) -> Vec<Vec<u32>> {
    let depth = depth(workflow, step);
    if depth == 0 {
        return Vec::new();
    }
    let mut paths = BTreeSet::new();
    collect(workflow, state, step, depth, &mut paths);
    paths.into_iter().collect()
}

fn collect(workflow: &Workflow, state: &RunState, step: &Step, depth: usize, paths: &mut BTreeSet<Vec<u32>>) {
    let mut keep = |path: &[u32]| {
        if let Some(path) = path.get(..depth) {
            paths.insert(path.to_vec());
        }
    };
    for visit in visits(state, step) {
        keep(&visit.instance.path);
    }
    match &state.cursor {
        Cursor::Ready { step: here, path } if *here == step.id => keep(path),
        Cursor::AtGate { .. } => {
            if let Some(round) = state.waiting().filter(|r| r.opened.instance.step == step.id) {
                keep(&round.opened.instance.path);
            }
        }
        _ => {}
    }
    for inside in workflow.children(step) {
        collect(workflow, state, inside, depth, paths);
    }
}

/// The status of a step in the instance `path`; an empty path means all of them.
pub fn status(workflow: &Workflow, state: &RunState, step: &Step, path: &[u32]) -> StepStatus {
    if step.work == Work::Group {
        return container(workflow, state, step, path);
    }
    match state.step_status_in(&step.id, path) {
        // What a person's answer begins is recorded after it: between the two neither "not yet" nor what was before it is true.
        _ if is_answered(state, step, path) => StepStatus::Queued,
        StepStatus::Failed if ends_loop(workflow, state, step, path) || says_complete(state, step, path) => {
            StepStatus::Succeeded
        }
        // What failed before is not what became of it: a person was to say.
        StepStatus::Failed if is_left_waiting(state, step, path) => StepStatus::Interrupted,
        StepStatus::Failed if says_no(state, step, path) => StepStatus::Succeeded,
        // Carried out, and whoever was to say whether it is well done is asked no longer.
        StepStatus::Succeeded if is_left_unanswered(state, step, path) => StepStatus::Interrupted,
        status => status,
    }
}

/// Whether nobody has answered what was asked about the last visit here, and nobody will: the run has ended, or the branch was cut off.
fn is_left_unanswered(state: &RunState, step: &Step, path: &[u32]) -> bool {
    is_unanswered(state, step, path) && (state.status.ended() || is_cut_off(state, &step.id, At::default()))
}

/// Whether the run went on without an answer to what was asked about the last visit here.
pub fn is_passed_over(state: &RunState, step: &Step, path: &[u32]) -> bool {
    is_unanswered(state, step, path)
        && (state.outcome() == Some(Outcome::Done) || is_cut_off(state, &step.id, At::default()))
}

/// Whether nobody has answered what was asked about the last visit here.
fn is_unanswered(state: &RunState, step: &Step, path: &[u32]) -> bool {
    let Some(created) = state.created.as_deref().filter(|_| !state.gates.is_empty()) else {
        return false;
    };
    let began = visits(state, step)
        .rfind(|visit| visit.instance.path.starts_with(path))
        .and_then(|visit| visit.attempts.last())
        .map(|attempt| attempt.started_at);
    // Looked up by their names, as this is asked of every step that is drawn and a run may have very many gates.
    let (workflow, id) = (&created.workflow, &step.id);
    let gates = [
        GateId::of(workflow, id),
        GateId::quality(workflow, id),
        GateId::feedback(workflow, id),
        GateId::way(workflow, id),
    ];
    let mut last = gates.iter().filter_map(|gate| state.gates.get(gate)?.last());
    last.any(|round| {
        let here = round.opened.instance.path.starts_with(path);
        here && round.answer.is_none() && Some(round.opened_at) >= began
    })
}

/// Whether the branch of a fork was cut off, no earlier than at `since`, whose token stood at this step.
fn is_cut_off(state: &RunState, step: &StepId, since: At) -> bool {
    let mut branches = state.forks.all().flat_map(|fork| &fork.branches);
    branches.any(|branch| {
        let ended = branch.ended.as_ref();
        let is_cut = ended.is_some_and(|(ended, at)| ended.end == BranchEnd::CutOff && *at >= since);
        let led = branch.last.and_then(|route| state.routes.get(route));
        is_cut && led.is_some_and(|route| route.to.as_ref() == Some(step))
    })
}

/// What became of a question that nobody has answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unanswered {
    /// It is asked still.
    Waits,
    /// The branch in which it was asked was cut off.
    CutOff,
    /// Somebody sent the run elsewhere.
    Left,
    /// The run ended, or what was asked about begins anew.
    Ended,
}

/// What became of a question; `None`: it was answered, or what it was about was tried again without an answer.
pub fn unanswered(state: &RunState, round: &GateRound) -> Option<Unanswered> {
    if round.answer.is_some() {
        return None;
    }
    let (opened, at) = (&round.opened, &round.opened.instance);
    let is_it = |open: &&GateRound| open.opened.gate == opened.gate && open.opened.round == opened.round;
    if state.open_gates().iter().any(is_it) {
        return Some(Unanswered::Waits);
    }
    let last = state.visit(at).and_then(|visit| visit.attempts.last());
    if last.is_some_and(|last| last.started_at > round.opened_at) {
        return None;
    }
    Some(match () {
        () if is_left(state, at) => Unanswered::Left,
        () if is_cut_off(state, &at.step, round.opened_at) => Unanswered::CutOff,
        () => Unanswered::Ended,
    })
}

/// Whether somebody sent the run away from here.
fn is_left(state: &RunState, at: &Instance) -> bool {
    let is_jump = |route: &RouteDecision| matches!(route.reason, RouteReason::Jump(_));
    if let Some(visit) = state.visit(at) {
        let left = visit.left_by.and_then(|route| state.routes.get(route));
        return left.is_some_and(|route| is_jump(route));
    }
    // Its work has not begun: the run may have been sent away and have come here again.
    let is_to = |route: &RouteDecision| route.to.as_ref() == Some(&at.step);
    let last = state
        .routes
        .iter()
        .rev()
        .find(|route| route.from == *at || is_to(route));
    last.is_some_and(|route| is_jump(route) && !is_to(route))
}

/// Whether a person was still asked here when the run ended.
pub fn is_left_waiting(state: &RunState, step: &Step, path: &[u32]) -> bool {
    let rounds = state.gates.values().flatten();
    let here = |round: &&GateRound| {
        let instance = &round.opened.instance;
        instance.step == step.id && instance.path.starts_with(path)
    };
    let last = rounds
        .filter(here)
        .max_by_key(|round| (round.opened_at, round.opened.round));
    let began = visits(state, step)
        .rfind(|visit| visit.instance.path.starts_with(path))
        .and_then(|visit| visit.attempts.last())
        .map(|attempt| attempt.started_at);
    state.status.ended() && last.is_some_and(|round| round.answer.is_none() && Some(round.opened_at) >= began)
}

/// Whether a person has answered here and what they let begin, or have done, is not taken up yet.
pub fn is_answered(state: &RunState, step: &Step, path: &[u32]) -> bool {
    let (amid, at) = match state.cursor_of(&step.id) {
        _ if state.status.ended() => return false,
        Cursor::Ready { step: here, .. } if *here == step.id => (None, None),
        Cursor::Retrying { instance, at, .. } if instance.step == step.id => (Some(instance), Some(*at)),
        _ => return false,
    };
    let here = |round: &&GateRound| {
        let instance = &round.opened.instance;
        instance.step == step.id && instance.path.starts_with(path)
    };
    let rounds = state.gates.values().flatten().filter(here);
    let last = rounds.max_by_key(|round| (round.opened_at, round.opened.round));
    last.is_some_and(|round| {
        let answered = round.answer.as_ref().filter(|(d, _)| d.answer != Answer::Changes);
        match amid {
            Some(amid) => *amid == round.opened.instance && answered.map(|(_, when)| *when) == at,
            None => answered.is_some() && state.visit(&round.opened.instance).is_none(),
        }
    })
}

/// The last visit here, and the way it was left by.
fn left_by<'a>(state: &'a RunState, step: &Step, path: &[u32]) -> Option<(&'a Visit, &'a RouteDecision)> {
    let visit = visits(state, step).rfind(|visit| visit.instance.path.starts_with(path))?;
    Some((visit, state.routes.get(visit.left_by?)?))
}

/// The dynamic step that turns here: the step itself, or the one around it.
fn turning<'a>(workflow: &'a Workflow, step: &'a Step) -> Option<&'a Step> {
    if step.dynamic {
        return Some(step);
    }
    turning(workflow, workflow.container(step)?)
}

fn is_inside(workflow: &Workflow, id: &StepId, around: &Step) -> bool {
    let mut at = workflow.step(id);
    while let Some(step) = at {
        if step.id == around.id {
            return true;
        }
        at = workflow.container(step);
    }
    false
}

/// Whether a loop ended here because there was no next one: looking for it is all that the last instance did, it failed, and the
/// runbook has a way out of the loop for that.
fn ends_loop(workflow: &Workflow, state: &RunState, step: &Step, path: &[u32]) -> bool {
    let (Some((visit, route)), Some(dynamic)) = (left_by(state, step, path), turning(workflow, step)) else {
        return false;
    };
    let written = route.source == RouteSource::Deterministic && route.reason.passed() == Some(false) && !stops(route);
    let out = route.to.as_ref().is_none_or(|to| !is_inside(workflow, to, dynamic));
    let instance = visit
        .instance
        .path
        .get(..depth(workflow, dynamic))
        .unwrap_or(&visit.instance.path);
    let here = |other: &&std::sync::Arc<Visit>| {
        other.instance.path.starts_with(instance) && is_inside(workflow, &other.instance.step, dynamic)
    };
    written && out && state.steps.values().flat_map(|s| &s.visits).filter(here).count() == 1
}

/// Whether a person's NO is what the runbook calls complete.
fn says_complete(state: &RunState, step: &Step, path: &[u32]) -> bool {
    let complete = |(_, route): (&Visit, &RouteDecision)| route.to.is_none() && !stops(route);
    matches!(step.work, Work::Prompt { .. }) && left_by(state, step, path).is_some_and(complete)
}

/// The answer NO of a person to what a runbook asks, where the runbook goes on from it: an answer, and no failure.
pub fn answered_no<'a>(state: &'a RunState, step: &Step, visit: &Visit) -> Option<&'a Decision> {
    let gate = gate_left_by(state, step, visit)?;
    let mut rounds = state.rounds_of(&gate);
    said_no(rounds.rfind(|round| round.opened.instance == visit.instance)?)
}

/// The same where it is known what people were asked about this visit, in order.
pub fn answered_no_in<'a>(
    state: &RunState,
    step: &Step,
    visit: &Visit,
    rounds: &'a [GateRound],
) -> Option<&'a Decision> {
    let gate = gate_left_by(state, step, visit)?;
    said_no(rounds.iter().rfind(|round| round.opened.gate == gate)?)
}

/// The gate of what a runbook asks, where it went on from the answer.
fn gate_left_by(state: &RunState, step: &Step, visit: &Visit) -> Option<GateId> {
    if !matches!(step.work, Work::Prompt { .. }) || stops(state.routes.get(visit.left_by?)?) {
        return None;
    }
    Some(GateId::of(&state.created.as_deref()?.workflow, &step.id))
}

/// The answer to a round, where it is a NO.
fn said_no(round: &GateRound) -> Option<&Decision> {
    let (decision, _) = round.answer.as_ref()?;
    (asking::is_question(&round.opened.purpose) && decision.answer == Answer::Fail).then_some(&**decision)
}

/// Whether the last visit here was answered NO, and the runbook went on from that.
pub fn says_no(state: &RunState, step: &Step, path: &[u32]) -> bool {
    left_by(state, step, path).is_some_and(|(visit, _)| answered_no(state, step, visit).is_some())
}

/// How often the work of a step had begun with this visit, itself counted.
pub fn times(state: &RunState, instance: &Instance) -> u32 {
    Times::of(state).nth(instance)
}

/// The same for many visits of one run: what was refused of a step is gathered once, as a step in a loop may have very many rounds.
#[derive(Debug)]
pub struct Times<'a> {
    state: &'a RunState,
    /// Of each step that was asked for, the visits at which nothing was done, in order.
    refused: BTreeMap<StepId, Vec<u32>>,
}

impl<'a> Times<'a> {
    /// Of a run as it stands.
    pub fn of(state: &'a RunState) -> Self {
        Self {
            state,
            refused: BTreeMap::new(),
        }
    }

    /// How often the work of a step had begun with this visit, itself counted.
    pub fn nth(&mut self, instance: &Instance) -> u32 {
        let earlier = self
            .refused(&instance.step)
            .partition_point(|visit| *visit < instance.visit);
        instance
            .visit
            .saturating_sub(u32::try_from(earlier).unwrap_or(u32::MAX))
    }

    /// Whether nothing was done at this visit, because a person refused it.
    pub fn is_refused(&mut self, instance: &Instance) -> bool {
        self.refused(&instance.step).binary_search(&instance.visit).is_ok()
    }

    fn refused(&mut self, step: &StepId) -> &[u32] {
        let state = self.state;
        self.refused.entry(step.clone()).or_insert_with(|| {
            let refused = refused_visits(state, step);
            // One that was taken up again is gone, and its answer is not.
            let untouched = refused.filter(|at| state.visit(at).is_none_or(is_untouched));
            let mut visits: Vec<u32> = untouched.map(|at| at.visit).collect();
            visits.sort_unstable();
            visits
        })
    }
}

/// The same of a log that is read event by event: the visits at which the work of a step began. One at which a person refused what the step
/// wanted to do has a number, and no work.
#[derive(Debug, Default)]
pub struct Begun(BTreeSet<u32>);

impl Begun {
    /// Takes in that the work began at a visit; how often it has with this one.
    pub fn nth(&mut self, visit: u32) -> u32 {
        self.0.insert(visit);
        let later = self.0.range(visit.saturating_add(1)..).count();
        u32::try_from(self.0.len() - later).unwrap_or(u32::MAX)
    }
}

/// The visits of a step at which nothing was done: a person refused what it wanted to do, and that answer is all there was.
pub fn never_begun<'a>(state: &'a RunState, step: &StepId) -> Vec<&'a Visit> {
    let visits = refused_visits(state, step).filter_map(|instance| state.visit(instance));
    visits.filter(|visit| is_untouched(visit)).collect()
}

/// The visits of a step at which a person refused what it wanted to do.
fn refused_visits<'a>(state: &'a RunState, step: &StepId) -> impl Iterator<Item = &'a Instance> {
    // Looked up by its name, as this is asked of every step that is drawn and a run may have very many gates.
    let gate = state
        .created
        .as_deref()
        .map(|created| GateId::permission(&created.workflow, step));
    let rounds = gate.and_then(|gate| state.gates.get(&gate)).into_iter().flatten();
    let answer = |round: &GateRound| round.answer.as_ref().map(|(decision, _)| decision.answer);
    let refused = rounds.filter(move |round| answer(round) == Some(Answer::Reject));
    refused.map(|round| &round.opened.instance)
}

/// Whether nothing but the answer of a person stands at a visit.
fn is_untouched(visit: &Visit) -> bool {
    match visit.attempts.as_slice() {
        [] => true,
        [only] => only.started.engine.is_person(),
        _ => false,
    }
}

/// Of a dynamic step, or of the one inside it that looks for the next: that there was none, `nothing left after 3`. Where a person says
/// so nothing is known of what was left.
pub fn nothing_left(workflow: &Workflow, state: &RunState, step: &Step, path: &[u32]) -> Option<String> {
    let ends = |step: &Step| {
        step.work != Work::Group && !matches!(step.work, Work::Prompt { .. }) && ends_loop(workflow, state, step, path)
    };
    let inside = || step.dynamic && workflow.children(step).any(&ends);
    if !ends(step) && !inside() {
        return None;
    }
    let before = paths(workflow, state, step).len().saturating_sub(1);
    Some(match (path, before) {
        ([], 0) => "there was nothing to do".to_owned(),
        ([], n) => format!("nothing left after {n}"),
        _ => "nothing left".to_owned(),
    })
}

/// A container is at work while something in it is, or while the token goes from one of its steps to another; afterwards it is
/// what decided the way out of it.
fn container(workflow: &Workflow, state: &RunState, step: &Step, path: &[u32]) -> StepStatus {
    let inside: Vec<StepStatus> = workflow
        .children(step)
        .map(|child| status(workflow, state, child, path))
        .collect();
    for now in [StepStatus::Blocked, StepStatus::Running, StepStatus::Retrying] {
        if inside.contains(&now) {
            return now;
        }
    }
    if inside.contains(&StepStatus::Queued) {
        return StepStatus::Running;
    }
    if inside.iter().all(|child| *child == StepStatus::NotStarted) {
        return StepStatus::NotStarted;
    }
    let holds = |id: &StepId| {
        let found = workflow.step(id).and_then(|found| workflow.container(found));
        found.is_some_and(|around| around.id == step.id)
    };
    let last = state
        .routes
        .iter()
        .rev()
        .find(|route| holds(&route.from.step) && route.from.path.starts_with(path));
    match last {
        Some(route) if !state.status.ended() && route.to.as_ref().is_some_and(holds) && to_here(route, path) => {
            StepStatus::Running
        }
        Some(route) if state.refused_at(&route.from.step, &route.from.path).is_some() && !to_next(route) => {
            StepStatus::Refused
        }
        // COMPLETE ends well, whatever the outcome before it was.
        Some(route) if route.to.is_none() && !stops(route) => StepStatus::Succeeded,
        Some(route)
            if workflow
                .step(&route.from.step)
                .is_some_and(|from| ends_loop(workflow, state, from, path)) =>
        {
            StepStatus::Succeeded
        }
        Some(route) if route.reason.passed() == Some(false) && only_refused(&inside) => StepStatus::Refused,
        Some(route) if route.reason.passed() == Some(false) => StepStatus::Failed,
        Some(_) if inside.contains(&StepStatus::Interrupted) => StepStatus::Interrupted,
        Some(_) => StepStatus::Succeeded,
        None if inside.contains(&StepStatus::Interrupted) => StepStatus::Interrupted,
        None if inside.contains(&StepStatus::Failed) => StepStatus::Failed,
        None => StepStatus::Succeeded,
    }
}

/// Whether nothing in a container failed but what a person refused.
fn only_refused(inside: &[StepStatus]) -> bool {
    inside.contains(&StepStatus::Refused) && !inside.contains(&StepStatus::Failed)
}

/// Whether the outcome of a step was taken for a good one of what is around it.
fn to_next(route: &RouteDecision) -> bool {
    route.reason.passed() == Some(true)
}

fn stops(route: &RouteDecision) -> bool {
    route.runbook.as_ref().is_some_and(|moved| moved.stopped)
}

fn to_here(route: &RouteDecision, path: &[u32]) -> bool {
    route.runbook.as_ref().is_some_and(|moved| moved.path.starts_with(path))
}

/// Some visits of a step in an instance, in order, and what stands before and behind them.
pub struct Page<'a> {
    /// In order.
    pub visits: Vec<&'a Visit>,
    /// The one before the first of them.
    pub before: Option<&'a Visit>,
    /// The last one of as many behind them.
    pub behind: Option<&'a Visit>,
}

/// The last visits of a step in the instance `path` that begin no later than visit `until` (absent: the latest), at most `most`. What it
/// costs does not depend on how many visits there are, but where those of one instance stand far apart.
pub fn page<'a>(state: &'a RunState, step: &Step, path: &[u32], until: Option<u32>, most: usize) -> Page<'a> {
    let Some(of) = state.steps.get(&step.id) else {
        return Page {
            visits: Vec::new(),
            before: None,
            behind: None,
        };
    };
    // A visit's place is its number less one.
    let all = of.visits.len();
    let end = until
        .and_then(|until| usize::try_from(until).ok())
        .map_or(all, |until| until.min(all));
    let visit = |place: usize| of.visits.get(place).map(|visit| &**visit);
    let here = |visit: &&Visit| visit.instance.path.starts_with(path);
    let mut before = (0..end).rev().filter_map(visit).filter(here);
    let mut visits: Vec<&Visit> = before.by_ref().take(most).collect();
    visits.reverse();
    Page {
        before: before.next(),
        visits,
        behind: (end..all).filter_map(visit).filter(here).take(most).last(),
    }
}

/// How many visits of a step there were in the instance `path`.
pub fn count(state: &RunState, step: &Step, path: &[u32]) -> usize {
    match path {
        [] => state.steps.get(&step.id).map_or(0, |of| of.visits.len()),
        path => visits(state, step)
            .filter(|visit| visit.instance.path.starts_with(path))
            .count(),
    }
}

/// Visits of a step, in order.
pub fn visits<'a>(state: &'a RunState, step: &Step) -> impl DoubleEndedIterator<Item = &'a Visit> {
    state.visits_of(&step.id)
}

/// Retries taken by a step or container, and how many it may take, `1/2`; `None` while there are none.
pub fn retry(state: &RunState, step: &Step) -> Option<String> {
    let taken = state.frame.retries.get(&step.id).copied().filter(|taken| *taken > 0)?;
    let Routing::Transitions { transitions } = &step.routing else {
        return None;
    };
    let most = transitions.iter().find_map(|t| match &t.action {
        model::Action::Retry { times, .. } => Some(*times),
        _ => None,
    })?;
    Some(format!("{taken}/{most}"))
}

#[cfg(test)]
mod tests;
