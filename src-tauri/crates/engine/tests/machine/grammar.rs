//! The contract's event grammar as an automaton (seed 001 "Event Sequencing"), run over every log that a test makes; and that of
//! pipelines (seed 004), whose stages each move on for themselves.

use crate::run_steps::check_run_steps;
use engine::{
    Answer, At, BranchEnd, BranchEnded, BranchId, Event, ExecutionStatus, Forked, GateId, GateOpened, Instance, Joined,
    Purpose, RouteDecision, StageEnd,
};
use model::{GateAt, StepId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What one token is doing.
#[derive(Default, Debug)]
struct Token {
    in_flight: Option<(Instance, u32)>,
    gate: Option<(GateId, u32)>,
    /// The visit that a permission was last asked for.
    asked: Option<Instance>,
    /// It waits for the branches of this fork.
    at_join: Option<u32>,
    /// A navigator is asked about this visit.
    navigator: Option<Instance>,
}

impl Token {
    fn is_idle(&self) -> bool {
        self.in_flight.is_none() && self.navigator.is_none() && self.gate.is_none() && self.at_join.is_none()
    }
}

/// A fork whose branches have not met.
#[derive(Clone)]
struct Open {
    forked: Arc<Forked>,
    begun: BTreeSet<u32>,
    ended: BTreeMap<u32, BranchEnded>,
}

#[derive(Default)]
struct Grammar {
    created: bool,
    started: bool,
    completed: bool,
    aborted: bool,
    main: Token,
    /// The tokens of branches, and at which steps they stand.
    branches: BTreeMap<BranchId, Token>,
    at: BTreeMap<StepId, BranchId>,
    forks: BTreeMap<u32, Open>,
    joined: BTreeSet<u32>,
    /// Forks that have met, or were cut off.
    past: BTreeMap<u32, Open>,
    /// Forks whose count was as asked for.
    met: BTreeSet<u32>,
    /// Where each branch was led last.
    led: BTreeMap<BranchId, StepId>,
    /// Attempts of branches that were cut off.
    cut: BTreeSet<(Instance, u32)>,
    /// Attempts of each visit so far, and whether the last one lets another follow.
    visits: BTreeMap<Instance, (u32, bool)>,
    rounds: BTreeMap<GateId, u32>,
    steps: BTreeMap<GateId, StepId>,
}

/// Panics when a prefix of a run's log breaks the grammar.
pub fn check_grammar(log: &[(At, Event)]) {
    check_run_steps(log);
    let mut g = Grammar::default();
    let mut last = At(i64::MIN);
    for (i, (at, event)) in log.iter().enumerate() {
        assert!(*at >= last, "time goes forward");
        last = *at;
        // Unless it is taken up again, and what it found may be vouched for at any time.
        let after_the_end = matches!(
            event,
            Event::Reopened { .. } | Event::EvidencePromoted(_) | Event::AnotherLog(_)
        );
        assert!(
            !g.completed || after_the_end,
            "run_completed is the last event (event {i}: {event:?})"
        );
        assert_eq!(
            i == 0,
            matches!(event, Event::RunCreated(_)),
            "run_created is the first event and comes once"
        );
        // Whoever takes it up may find a run that nobody has started yet.
        if !matches!(event, Event::RunCreated(_) | Event::RunStarted | Event::TakenUp { .. }) {
            assert!(g.started, "nothing comes before run_started (event {i}: {event:?})");
        }
        g.step(event);
    }
}

impl Grammar {
    /// The token that is at a step.
    fn token(&mut self, step: &StepId) -> &mut Token {
        match self.at.get(step) {
            Some(id) => self.branches.get_mut(id).expect("a branch has a token"),
            None => &mut self.main,
        }
    }

    fn step(&mut self, event: &Event) {
        match event {
            Event::RunCreated(_) => self.created = true,
            Event::RunStarted => {
                assert!(self.created && !self.started, "run_started comes once");
                self.started = true;
            }
            Event::AttemptStarted(a) => {
                assert!(self.token(&a.instance.step).is_idle(), "one thing at a time");
                let (attempts, open) = self.visits.entry(a.instance.clone()).or_insert((0, true));
                assert!(
                    *open,
                    "a visit that has come to its end never runs again: {:?}",
                    a.instance
                );
                *attempts += 1;
                assert_eq!(a.attempt, *attempts, "attempts count from 1");
                self.token(&a.instance.step).in_flight = Some((a.instance.clone(), a.attempt));
            }
            Event::Output { instance, attempt, .. } | Event::ToolCalled { instance, attempt, .. } => {
                assert_eq!(self.token(&instance.step).in_flight, Some((instance.clone(), *attempt)));
            }
            Event::AttemptEnded {
                instance,
                attempt,
                result,
                retry_at,
            } => {
                let failed = result.status == ExecutionStatus::Failed;
                assert!(failed || retry_at.is_none(), "only a failure is tried again");
                // Who waits for a tool goes on with another attempt of the same visit.
                let blocked = result.status == ExecutionStatus::Blocked;
                self.close(instance, *attempt, retry_at.is_some() || blocked);
            }
            Event::AttemptInterrupted {
                instance,
                attempt,
                retry_at,
                ..
            } => {
                if self.cut.remove(&(instance.clone(), *attempt)) {
                    assert_eq!(*retry_at, None, "what is cut off is not tried again");
                    self.visits.get_mut(instance).unwrap().1 = false;
                } else {
                    self.close(instance, *attempt, retry_at.is_some());
                }
            }
            Event::NavigatorAsked(asked) => {
                assert!(self.token(&asked.instance.step).is_idle(), "one thing at a time");
                assert!(
                    self.visits.get(&asked.instance).is_some_and(|(_, open)| !open),
                    "a way on is chosen after the visit"
                );
                assert!(!asked.ways.is_empty(), "there is something to choose among");
                self.token(&asked.instance.step).navigator = Some(asked.instance.clone());
            }
            Event::NavigatorAnswered { instance, said } => {
                let asked = self.token(&instance.step).navigator.take();
                assert_eq!(asked.as_ref(), Some(instance), "who was asked answers");
                assert!(said.refused.is_some() || said.way.is_some(), "what counts names a way");
            }
            Event::Routed(route) => self.routed(route),
            Event::GateOpened(opened) => {
                assert!(self.token(&opened.instance.step).is_idle(), "one thing at a time");
                let round = self.rounds.entry(opened.gate.clone()).or_default();
                *round += 1;
                assert_eq!(opened.round, *round, "rounds count from 1");
                self.steps.insert(opened.gate.clone(), opened.instance.step.clone());
                let is_permission = matches!(opened.purpose, Purpose::Permission { .. });
                let token = self.token(&opened.instance.step);
                token.gate = Some((opened.gate.clone(), opened.round));
                token.asked = is_permission.then(|| opened.instance.clone());
            }
            Event::GateAnswered(decision) => {
                let step = self.steps[&decision.gate].clone();
                let token = self.token(&step);
                assert_eq!(
                    token.gate.take(),
                    Some((decision.gate.clone(), decision.round)),
                    "the open round is answered"
                );
                // What was refused in the middle of a visit is its end.
                let refused = token.asked.take().filter(|_| decision.answer == Answer::Reject);
                if let Some((_, open)) = refused.and_then(|visit| self.visits.get_mut(&visit)) {
                    *open = false;
                }
            }
            Event::Forked(forked) => self.forked(forked),
            Event::BranchEnded(ended) => {
                let token = self.branches.remove(&ended.branch).expect("a branch that is under way");
                assert!(token.is_idle(), "a branch ends between two steps");
                self.at.retain(|_, id| *id != ended.branch);
                let open = self.forks.get_mut(&ended.branch.fork).expect("of a fork that is open");
                open.ended.insert(ended.branch.branch, (**ended).clone());
            }
            Event::Joined(joined) => self.join(joined),
            Event::FlowEnded(ended) => {
                assert!(
                    self.main.is_idle() && self.forks.is_empty(),
                    "a flow ends between two steps"
                );
                assert!(
                    self.visits.get(&ended.from).is_none_or(|(_, open)| !open),
                    "its last visit has ended"
                );
            }
            Event::EvidencePromoted(_)
            | Event::Checkpointed(_)
            | Event::AnotherLog(_)
            | Event::TakenOver(_)
            | Event::Paused { .. }
            | Event::Resumed { .. }
            | Event::TakenUp { .. } => {}
            Event::FeedbackGiven(given) => self.heard(&given.from),
            Event::FeedbackAcknowledged(said) => self.heard(&said.by),
            Event::FeedbackResolved { by, .. } => self.heard(by),
            Event::Reopened { at, .. } => {
                assert!(self.completed, "only what has ended is taken up again");
                (self.completed, self.aborted) = (false, false);
                let left = std::mem::take(&mut self.forks);
                self.joined.extend(left.keys());
                self.past.extend(left);
                self.branches.clear();
                self.at.clear();
                self.main = Token::default();
                if let Some(fork) = at.as_ref().and_then(|at| at.fork) {
                    self.main.at_join = Some(fork);
                    self.reopened(fork);
                }
            }
            Event::Queued { .. } | Event::Settled(_) | Event::SentBack(_) => {
                panic!("only a pipeline has stages: {event:?}");
            }
            Event::Aborted { .. } => {
                self.aborted = true;
                self.main.gate = None;
                self.main.navigator = None;
                self.branches.values_mut().for_each(|token| {
                    token.gate = None;
                    token.navigator = None;
                });
            }
            Event::RunCompleted(_) => {
                let idle = |token: &Token| token.in_flight.is_none() && token.gate.is_none();
                assert!(
                    idle(&self.main) && self.branches.values().all(idle) && self.cut.is_empty(),
                    "nothing is left open at the end"
                );
                assert!(self.forks.is_empty() || self.aborted, "branches meet, or are cut off");
                self.completed = true;
            }
        }
    }

    /// What a visit reports is taken up when it has ended and before anything follows from it.
    fn heard(&mut self, visit: &Instance) {
        assert!(self.token(&visit.step).is_idle(), "a report is read between two steps");
        assert!(
            self.visits.get(visit).is_some_and(|(_, open)| !open),
            "a visit reports at its end"
        );
    }

    fn routed(&mut self, route: &RouteDecision) {
        // A person sends a run that waits elsewhere: the gate is left unanswered.
        if matches!(route.reason, engine::RouteReason::Jump(_)) {
            self.main.gate = None;
        }
        let begins = matches!(route.reason, engine::RouteReason::Fork { .. });
        let joins = matches!(route.reason, engine::RouteReason::Joined { .. });
        let is_reached = route.to.clone();
        if begins {
            let id = route.branch.expect("the branch that begins");
            let open = self.forks.get_mut(&id.fork).expect("of a fork that is open");
            assert!(open.begun.insert(id.branch), "a branch begins once");
            let head = open.forked.heads[id.branch as usize - 1].clone();
            assert_eq!(route.to, Some(head), "with its first step");
            self.branches.insert(id, Token::default());
        } else {
            assert_eq!(
                self.at.get(&route.from.step).copied(),
                route.branch,
                "it names its token"
            );
            assert!(
                self.token(&route.from.step).is_idle(),
                "a route is taken between two steps"
            );
            if let Some(id) = route.branch {
                self.at.retain(|_, at| *at != id);
            }
        }
        // A before-gate may send the token away before the visit has begun.
        assert!(
            joins || self.visits.get(&route.from).is_none_or(|(_, open)| !open),
            "a route leaves an ended visit"
        );
        if let (Some(id), Some(to)) = (route.branch, route.to.clone()) {
            self.led.insert(id, to);
        }
        if let (Some(id), Some(to)) = (route.branch, is_reached)
            && self.forks[&id.fork].forked.join != to
        {
            assert_eq!(self.at.insert(to, id), None, "one token at a step");
        }
    }

    fn forked(&mut self, forked: &Arc<Forked>) {
        assert_eq!(
            forked.fork as usize,
            self.forks.len() + self.joined.len() + 1,
            "forks count from 1"
        );
        assert_eq!(
            forked.within,
            self.at.get(&forked.from.step).copied(),
            "it names the branch around"
        );
        let token = self.token(&forked.from.step);
        assert!(token.is_idle(), "a fork begins between two steps");
        token.at_join = Some(forked.fork);
        let open = Open {
            forked: Arc::clone(forked),
            begun: BTreeSet::new(),
            ended: BTreeMap::new(),
        };
        self.forks.insert(forked.fork, open);
    }

    fn join(&mut self, joined: &Joined) {
        let open = self.forks.remove(&joined.fork).expect("a fork meets once");
        self.joined.insert(joined.fork);
        self.past.insert(joined.fork, open.clone());
        let with = |end: BranchEnd| open.ended.values().filter(move |e| e.end == end);
        let verified = with(BranchEnd::Completed).filter(|e| e.status == "VERIFIED").count();
        assert_eq!(joined.of as usize, open.forked.heads.len());
        assert_eq!(joined.completed as usize, with(BranchEnd::Completed).count());
        assert_eq!(joined.verified as usize, verified);
        assert_eq!(joined.failed as usize, with(BranchEnd::Failed).count());
        assert_eq!(joined.met, joined.error.is_none());
        self.met.extend(joined.met.then_some(joined.fork));
        let mine = joined.cut_off.iter().filter(|id| id.fork == joined.fork).count();
        assert_eq!(
            mine + open.ended.len(),
            open.forked.heads.len(),
            "what has not ended is cut off"
        );
        for id in &joined.cut_off {
            if let Some(token) = self.branches.remove(id) {
                self.cut.extend(token.in_flight);
            }
            self.at.retain(|_, at| at != id);
            if id.fork != joined.fork {
                let inner = self.forks.remove(&id.fork);
                self.past.extend(inner.map(|inner| (id.fork, inner)));
                self.joined.insert(id.fork);
            }
        }
        let token = self.token(&open.forked.from.step);
        assert_eq!(token.at_join.take(), Some(joined.fork), "a token waits for it");
    }

    /// A fork goes on: its branches that have not come to their end by themselves, and the forks that they stand at.
    fn reopened(&mut self, number: u32) {
        let mut open = self.past.remove(&number).expect("a fork that has begun");
        self.joined.remove(&number);
        open.ended.retain(|_, ended| ended.end == BranchEnd::Completed);
        for branch in open.begun.clone() {
            let id = BranchId { fork: number, branch };
            if open.ended.contains_key(&branch) {
                continue;
            }
            let mut token = Token::default();
            let place = self.led[&id].clone();
            let of_branch = |(_, inner): &(&u32, &Open)| inner.forked.within == Some(id);
            let inner = self
                .past
                .iter()
                .filter(of_branch)
                .map(|(n, inner)| (*n, inner.forked.from.step.clone()))
                .next_back();
            token.at_join = inner
                .filter(|(n, step)| *step == place && !self.met.contains(n))
                .map(|(n, _)| n);
            let inner = token.at_join;
            if place != open.forked.join {
                self.at.insert(place, id);
            }
            self.branches.insert(id, token);
            if let Some(inner) = inner {
                self.reopened(inner);
            }
        }
        self.forks.insert(number, open);
    }

    fn close(&mut self, instance: &Instance, attempt: u32, again: bool) {
        assert_eq!(
            self.token(&instance.step).in_flight.take(),
            Some((instance.clone(), attempt)),
            "the attempt in flight ends, once"
        );
        self.visits.get_mut(instance).unwrap().1 = again;
    }
}

/// Where a stage of a pipeline is between two events.
#[derive(Debug, Clone, PartialEq)]
enum Point {
    Pending,
    Queued,
    InFlight(Instance, u32),
    /// Its last attempt ended and another is to follow.
    Retrying(Instance, u32),
    Asking(GateId, u32),
    /// Its attempt ended for good, or a person answered: the next event of this stage says what that leads to.
    Due,
    Settled(StageEnd),
}

/// The grammar of a pipeline's log: `created started (queued | settled | stage's own)* completed (reopened … completed)*`.
#[derive(Default)]
struct Stages {
    started: bool,
    ended: bool,
    aborting: bool,
    stages: BTreeMap<StepId, Point>,
    attempts: BTreeMap<Instance, u32>,
    asked: BTreeMap<GateId, GateOpened>,
    /// Stages that are to run again because a person asked for changes.
    again: BTreeSet<StepId>,
}

/// Panics when a prefix of a pipeline's log breaks the grammar.
pub fn check_stage_grammar(log: &[(At, Event)]) {
    check_run_steps(log);
    let mut g = Stages::default();
    let mut last = At(i64::MIN);
    for (i, (at, event)) in log.iter().enumerate() {
        assert!(*at >= last, "time goes forward");
        last = *at;
        let reopens = matches!(event, Event::Reopened { .. });
        assert_eq!(
            g.ended, reopens,
            "run_completed is the last event, or the run is reopened (event {i}: {event:?})"
        );
        let first = matches!(event, Event::RunCreated(_));
        assert_eq!(i == 0, first, "run_created is the first event and comes once");
        assert!(
            first || g.started || matches!(event, Event::RunStarted),
            "nothing comes before run_started (event {i}: {event:?})"
        );
        g.step(event);
    }
}

impl Stages {
    fn at(&mut self, step: &StepId) -> &mut Point {
        self.stages.entry(step.clone()).or_insert(Point::Pending)
    }

    fn step(&mut self, event: &Event) {
        let settles = matches!(
            event,
            Event::AttemptInterrupted { .. } | Event::Settled(_) | Event::RunCompleted(_)
        );
        assert!(!self.aborting || settles, "an abort begins nothing: {event:?}");
        match event {
            Event::RunCreated(_)
            | Event::EvidencePromoted(_)
            | Event::Checkpointed(_)
            | Event::AnotherLog(_)
            | Event::TakenOver(_)
            | Event::Paused { .. }
            | Event::Resumed { .. }
            | Event::TakenUp { .. } => {}
            Event::NavigatorAsked(_) | Event::NavigatorAnswered { .. } => {
                panic!("a pipeline has no ways to choose: {event:?}")
            }
            Event::RunStarted => assert!(!std::mem::replace(&mut self.started, true), "run_started comes once"),
            Event::Queued { steps } => {
                assert!(!steps.is_empty(), "a wave holds something");
                for step in steps {
                    self.queue(step);
                }
            }
            Event::AttemptStarted(a) => {
                self.again.remove(&a.instance.step);
                let made = self.attempts.entry(a.instance.clone()).or_default();
                *made += 1;
                assert_eq!(a.attempt, *made, "attempts count from 1");
                let at = self.at(&a.instance.step);
                let fits = match &*at {
                    Point::Queued => a.attempt == 1,
                    Point::Retrying(instance, attempt) => *instance == a.instance && *attempt == a.attempt,
                    _ => false,
                };
                assert!(fits, "queued before it is started: {a:?} at {at:?}");
                *at = Point::InFlight(a.instance.clone(), a.attempt);
            }
            Event::Output { instance, attempt, .. } | Event::ToolCalled { instance, attempt, .. } => {
                assert_eq!(*self.at(&instance.step), Point::InFlight(instance.clone(), *attempt));
            }
            Event::AttemptEnded {
                instance,
                attempt,
                result,
                retry_at,
            } => {
                let failed = result.status == ExecutionStatus::Failed;
                assert!(failed || retry_at.is_none(), "only a failure is tried again");
                self.close(instance, *attempt, retry_at.is_some());
            }
            Event::AttemptInterrupted {
                instance,
                attempt,
                retry_at,
                ..
            } => self.close(instance, *attempt, retry_at.is_some()),
            Event::GateOpened(opened) => {
                let before = self.asked.get(&opened.gate).map_or(0, |o| o.round);
                assert_eq!(opened.round, before + 1, "rounds count from 1");
                self.asked.insert(opened.gate.clone(), (**opened).clone());
                let at = self.at(&opened.instance.step);
                assert!(
                    matches!(at, Point::Queued | Point::Due),
                    "asked before or after the work: {at:?}"
                );
                *at = Point::Asking(opened.gate.clone(), opened.round);
            }
            Event::GateAnswered(decision) => {
                let asked = self.asked[&decision.gate].clone();
                // A person takes over what another one has failed at, in the same visit.
                let made = self.attempts.get(&asked.instance).copied().unwrap_or_default();
                let instance = asked.instance.clone();
                let (step, about) = (asked.instance.step, asked.changes_to);
                // What lies between is said next.
                let reported = !asked.feedback.is_empty();
                let next = match decision.answer {
                    Answer::Pass | Answer::Fail if made > 0 => Point::Retrying(instance, made + 1),
                    Answer::Approve | Answer::Choose | Answer::Pass | Answer::Fail if asked.at == GateAt::Before => {
                        Point::Queued
                    }
                    Answer::Changes if about.as_ref() != Some(&step) && !reported => Point::Pending,
                    _ => Point::Due,
                };
                self.again.extend(about.filter(|_| decision.answer == Answer::Changes));
                let open = std::mem::replace(self.at(&step), next);
                assert_eq!(
                    open,
                    Point::Asking(decision.gate.clone(), decision.round),
                    "the open round is answered"
                );
            }
            Event::Settled(settled) => self.settle(&settled.step, settled.status),
            Event::FeedbackGiven(given) => {
                assert_eq!(
                    *self.at(&given.from.step),
                    Point::Due,
                    "a report is read when the attempt has ended"
                );
                self.again.extend(given.steps().cloned());
            }
            Event::FeedbackAcknowledged(said) => assert_eq!(*self.at(&said.by.step), Point::Due),
            Event::FeedbackResolved { by, .. } => assert_eq!(*self.at(&by.step), Point::Due),
            Event::SentBack(sent) => {
                assert_eq!(*self.at(&sent.from.step), Point::Due);
                if sent.rejected {
                    self.again.extend(sent.to.iter().cloned());
                }
                for step in &sent.again {
                    let at = self.at(step);
                    let done = matches!(at, Point::Due | Point::Settled(StageEnd::Completed | StageEnd::Skipped));
                    assert!(done, "what is done again has been done: {step} is {at:?}");
                    *at = Point::Pending;
                }
            }
            Event::Aborted { .. } => {
                self.aborting = true;
                for at in self.stages.values_mut().filter(|at| **at == Point::Queued) {
                    *at = Point::Pending;
                }
            }
            Event::RunCompleted(_) => {
                // What was queued may wait again for a stage that was sent back and is not done again.
                let queued = self.stages.values_mut().filter(|at| **at == Point::Queued);
                queued.for_each(|at| *at = Point::Pending);
                let open = |at: &&Point| !matches!(at, Point::Pending | Point::Settled(_));
                assert_eq!(self.stages.values().find(open), None, "nothing is left open at the end");
                (self.ended, self.aborting) = (true, false);
            }
            Event::Reopened { choices, reset, .. } => {
                for step in reset {
                    assert_ne!(
                        *self.at(step),
                        Point::Settled(StageEnd::Completed),
                        "what is completed stays"
                    );
                    *self.at(step) = Point::Pending;
                }
                for (step, _) in choices.iter().filter(|(_, choice)| **choice == engine::Choice::Skip) {
                    *self.at(step) = Point::Settled(StageEnd::Skipped);
                }
                self.ended = false;
            }
            Event::Routed(_) | Event::Forked(_) | Event::BranchEnded(_) | Event::Joined(_) | Event::FlowEnded(_) => {
                panic!("stages wait for each other, nothing is routed: {event:?}")
            }
        }
    }

    fn queue(&mut self, step: &StepId) {
        let again = self.again.contains(step);
        let at = self.at(step);
        let sent_back = again && matches!(at, Point::Due | Point::Settled(StageEnd::Completed | StageEnd::Skipped));
        assert!(*at == Point::Pending || sent_back, "queued once: {step} is {at:?}");
        *at = Point::Queued;
    }

    fn settle(&mut self, step: &StepId, status: StageEnd) {
        let aborting = self.aborting;
        let at = self.at(step);
        let fits = match status {
            StageEnd::Completed | StageEnd::Failed => *at == Point::Due && !aborting,
            // It never began, or its agent left it out.
            StageEnd::Skipped => matches!(at, Point::Pending | Point::Queued | Point::Due) && !aborting,
            StageEnd::Aborted => aborting && matches!(at, Point::Due | Point::Retrying(..) | Point::Asking(..)),
        };
        assert!(
            fits,
            "settled once for each time it was queued: {step} is {at:?}, then {status:?}"
        );
        *at = Point::Settled(status);
    }

    fn close(&mut self, instance: &Instance, attempt: u32, again: bool) {
        let at = self.at(&instance.step);
        assert_eq!(
            *at,
            Point::InFlight(instance.clone(), attempt),
            "the attempt in flight ends, once"
        );
        *at = if again {
            Point::Retrying(instance.clone(), attempt + 1)
        } else {
            Point::Due
        };
    }
}
