//! Every attempt that left a receipt, gathered from the log: neither one that was left out nor one that only asked for
//! a tool's approval, for neither did the step's work. Of an attempt by several agents each has a receipt; one that was
//! cut off has one, which names them all.

use crate::by_people::ByPeople;
use crate::{Facts, Stored};
use engine::{
    At, AttemptStarted, EndStatus, EngineInfo, Event, ExecutionStatus, Instance, RouteDecision, RouteKind,
    RunCompleted, RunCreated, StepResult,
};
use imbl::{HashMap, Vector};
use model::{AgentKey, Routing as Routes};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// One attempt that ended and did its work, well or not; of several agents what one of them did in it.
#[derive(Debug, Clone)]
pub(super) struct Attempt {
    pub started: Arc<AttemptStarted>,
    /// Which of several agents.
    by: Option<AgentKey>,
    pub started_at: At,
    pub ended_at: At,
    pub outcome: Outcome,
    /// Of a step with a microloop.
    pub routing: Option<Routing>,
}

#[derive(Debug, Clone)]
pub(super) enum Outcome {
    Ended(Arc<StepResult>),
    /// Cut off by a crash or an abort, and why.
    Interrupted(String),
}

/// `routing` of a receipt.
#[derive(Debug, Clone)]
pub(super) struct Routing {
    pub loop_iteration: u32,
    pub max_iterations: u32,
    /// What was decided, and why. Absent: pending; it stays so when the run failed at this step (CONTRACTS "Stepwise").
    pub decided: Option<(RouteKind, String)>,
}

impl Attempt {
    /// The flow of its step, and what that flow's file calls the step.
    pub fn in_flow<'a>(&'a self, created: &'a RunCreated) -> (&'a str, &'a str) {
        created.in_flow(self.started.instance.step.as_str())
    }

    /// Who did it: the first agent of the step where one works; the originals write `unknown` where there is none.
    pub fn agent(&self) -> &str {
        let who = self.by.as_ref().or(self.started.agents.first());
        who.map_or("unknown", |a| a.as_str())
    }

    /// What carried it out.
    pub fn engine(&self) -> &EngineInfo {
        self.by
            .as_ref()
            .map_or(&self.started.engine, |by| self.started.engine_of(by))
    }

    /// A route leaves its step. Whether that changes it.
    fn decided(&mut self, route: &RouteDecision) -> bool {
        let decided = Some((route.decision, route.reason.to_string()));
        match (&mut self.routing, route.loop_count) {
            (Some(routing), None) => routing.decided = decided,
            (routing, Some(count)) => {
                *routing = Some(Routing {
                    loop_iteration: count.taken,
                    max_iterations: count.max,
                    decided,
                });
            }
            (None, None) => return false,
        }
        true
    }

    /// The run has ended and this attempt's step was never left: nothing is decided any more. Whether that changes it.
    fn ended_with(&mut self, end: &RunCompleted) -> bool {
        let well = matches!(&self.outcome, Outcome::Ended(result) if result.status.completes());
        match &mut self.routing {
            Some(routing) if routing.decided.is_none() && (well || end.status == EndStatus::Aborted) => {
                let said = end.error.as_deref().or(end.message.as_deref());
                routing.decided = Some((RouteKind::Terminate, said.unwrap_or("the run ended").to_owned()));
                true
            }
            _ => false,
        }
    }
}

/// An attempt that has begun.
#[derive(Debug, Clone)]
struct Begun {
    started: Arc<AttemptStarted>,
    at: At,
    /// Of what people carry out: from when to when they did.
    by_people: Option<(At, At)>,
}

/// The attempts of a log, in the order in which they ended. Feed it the log from the first event on. Copies share what
/// they hold.
#[derive(Debug, Clone, Default)]
pub(super) struct Attempts {
    pub all: Vector<Attempt>,
    begun: HashMap<(Instance, u32), Begun>,
    by_people: ByPeople,
    /// The last attempt of each visit, which is the one a route leaves from; of several agents that of each.
    last_of: HashMap<Instance, Range<usize>>,
    loop_state: Arc<BTreeMap<String, u32>>,
}

impl Attempts {
    /// All of a log.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Stored>, facts: &Facts) -> Self {
        let mut attempts = Self::default();
        for stored in events {
            attempts.push(stored, facts);
        }
        attempts
    }

    /// Takes up the next event. Gives the places of the attempts that it adds or changes.
    pub fn push(&mut self, stored: &Stored, facts: &Facts) -> Vec<usize> {
        let by_people = self.by_people.push(stored);
        match &stored.event {
            Event::AttemptStarted(started) => {
                let key = (started.instance.clone(), started.attempt);
                let begun = Begun {
                    started: Arc::clone(started),
                    at: stored.at,
                    by_people,
                };
                self.begun.insert(key, begun);
                // What its visit leads to is decided with the last of its attempts.
                let mut earlier: Vec<usize> = self
                    .last_of
                    .get(&started.instance)
                    .cloned()
                    .into_iter()
                    .flatten()
                    .collect();
                earlier.retain(|place| self.all[*place].routing.take().is_some());
                earlier
            }
            Event::AttemptEnded {
                instance,
                attempt,
                result,
                ..
            } => {
                if matches!(result.status, ExecutionStatus::Skipped | ExecutionStatus::Blocked) {
                    if self.begun.remove(&(instance.clone(), *attempt)).is_some() {
                        self.last_of.remove(instance);
                    }
                    return Vec::new();
                }
                self.ended(stored.at, instance, *attempt, Outcome::Ended(Arc::clone(result)), facts)
            }
            Event::AttemptInterrupted {
                instance,
                attempt,
                reason,
                seen,
                ..
            } => self.ended(
                seen.unwrap_or(stored.at),
                instance,
                *attempt,
                Outcome::Interrupted(reason.clone()),
                facts,
            ),
            Event::Routed(route) => {
                self.loop_state = Arc::clone(&route.loop_state);
                let mut last: Vec<usize> = self.last_of.get(&route.from).cloned().into_iter().flatten().collect();
                last.retain(|place| self.all[*place].decided(route));
                last
            }
            Event::RunCompleted(end) => {
                let mut last: Vec<usize> = self.last_of.values().cloned().flatten().collect();
                last.retain(|place| self.all[*place].ended_with(end));
                last
            }
            _ => Vec::new(),
        }
    }

    fn ended(&mut self, at: At, instance: &Instance, attempt: u32, outcome: Outcome, facts: &Facts) -> Vec<usize> {
        let Some(begun) = self.begun.remove(&(instance.clone(), attempt)) else {
            return Vec::new();
        };
        let (outcome, started_at, ended_at) = match (outcome, begun.by_people) {
            (Outcome::Ended(result), Some((asked, answered))) => {
                let theirs = StepResult {
                    duration_ms: answered.since_ms(asked),
                    // As of one of several agents: it stands in the transcript.
                    output: String::new(),
                    ..StepResult::clone(&result)
                };
                (Outcome::Ended(Arc::new(theirs)), asked, answered)
            }
            (outcome, _) => (outcome, begun.at, at),
        };
        let place = self.all.len();
        let whole = Attempt {
            started: begun.started,
            by: None,
            started_at,
            ended_at,
            outcome,
            routing: pending(instance, facts, &self.loop_state),
        };
        let each = by_agent(&whole);
        match each.is_empty() {
            true => self.all.push_back(whole),
            false => self.all.extend(each),
        }
        let places = place..self.all.len();
        self.last_of.insert(instance.clone(), places.clone());
        places.collect()
    }
}

/// What each of several agents did in an attempt. Who is named twice has one receipt, who skipped it has none.
fn by_agent(whole: &Attempt) -> Vec<Attempt> {
    let Outcome::Ended(result) = &whole.outcome else {
        return Vec::new();
    };
    let all = &result.agents;
    let last = |n: usize, agent: &AgentKey| all[n + 1..].iter().all(|later| later.agent != *agent);
    let worked = all.iter().enumerate().filter(|(n, one)| {
        !matches!(one.result.status, ExecutionStatus::Skipped | ExecutionStatus::Blocked) && last(*n, &one.agent)
    });
    // What did not pass, although each of them did well, did not pass for any of them.
    let failed_all =
        result.status == ExecutionStatus::Failed && all.iter().all(|one| one.result.status != ExecutionStatus::Failed);
    let parts = worked.map(|(_, one)| {
        let mut own = one.result.clone();
        // It stands in the transcript, and is not to be held twice for as long as the run goes on.
        own.output = String::new();
        // Files are the step's: all of them made them.
        own.artifacts.clone_from(&result.artifacts);
        if failed_all {
            own.status = ExecutionStatus::Failed;
            own.error.clone_from(&result.error);
        }
        Attempt {
            by: Some(one.agent.clone()),
            started_at: one.started_at,
            ended_at: one.ended_at,
            outcome: Outcome::Ended(Arc::new(own)),
            ..whole.clone()
        }
    });
    parts.collect()
}

/// The count as it is before any decision (CONTRACTS "Stepwise").
fn pending(instance: &Instance, facts: &Facts, loop_state: &BTreeMap<String, u32>) -> Option<Routing> {
    let Routes::Microloop(microloop) = &facts.get(&instance.step)?.routing else {
        return None;
    };
    let taken = microloop
        .loop_target
        .as_ref()
        .and_then(|to| loop_state.get(&format!("{}:{to}", instance.step)));
    Some(Routing {
        loop_iteration: taken.copied().unwrap_or(0),
        max_iterations: microloop.max_iterations,
        decided: None,
    })
}
