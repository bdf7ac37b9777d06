//! Every attempt that left a receipt, gathered from the log: neither one that was left out nor one that only asked for a tool's
//! approval, for neither did the step's work.

use crate::{Facts, Stored};
use engine::{At, AttemptStarted, EndStatus, Event, ExecutionStatus, Instance, RouteKind, RunCompleted, StepResult};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

/// One attempt that ended and did its work, well or not.
#[derive(Debug)]
pub(super) struct Attempt<'a> {
    pub started: &'a AttemptStarted,
    pub started_at: At,
    pub ended_at: At,
    pub outcome: Outcome<'a>,
    /// Of a step with a microloop.
    pub routing: Option<Routing<'a>>,
}

#[derive(Debug)]
pub(super) enum Outcome<'a> {
    Ended(&'a StepResult),
    /// Cut off by a crash or an abort, and why.
    Interrupted(&'a str),
}

/// `routing` of a receipt.
#[derive(Debug)]
pub(super) struct Routing<'a> {
    pub loop_iteration: u32,
    pub max_iterations: u32,
    /// What was decided, and why. Absent: pending; it stays so when the run failed at this step (CONTRACTS "Stepwise").
    pub decided: Option<(RouteKind, Cow<'a, str>)>,
}

impl<'a> Attempt<'a> {
    /// First agent of the step; the originals write `unknown` where there is none.
    pub fn agent(&self) -> &str {
        self.started.agents.first().map_or("unknown", |a| a.as_str())
    }

    /// The run has ended and this attempt's step was never left: nothing is decided any more.
    fn ended_with(&mut self, end: &'a RunCompleted) {
        let well = matches!(&self.outcome, Outcome::Ended(result) if result.status.completes());
        if let Some(routing) = &mut self.routing
            && routing.decided.is_none()
            && (well || end.status == EndStatus::Aborted)
        {
            let said = end.error.as_deref().or(end.message.as_deref());
            routing.decided = Some((RouteKind::Terminate, said.unwrap_or("the run ended").into()));
        }
    }
}

/// In the order in which they ended.
pub(super) fn gather<'a>(events: &'a [Stored], facts: &Facts) -> Vec<Attempt<'a>> {
    let mut begun: HashMap<(&Instance, u32), (&AttemptStarted, At)> = HashMap::new();
    let mut attempts: Vec<Attempt<'a>> = Vec::new();
    // The last attempt of each visit, which is the one a route leaves from.
    let mut last_of: HashMap<&Instance, usize> = HashMap::new();
    let mut loop_state: BTreeMap<String, u32> = BTreeMap::new();
    for stored in events {
        match &stored.event {
            Event::AttemptStarted(started) => {
                // What its visit leads to is decided with the last of its attempts.
                if let Some(earlier) = last_of.get(&started.instance) {
                    attempts[*earlier].routing = None;
                }
                begun.insert((&started.instance, started.attempt), (started, stored.at));
            }
            Event::AttemptEnded {
                instance,
                attempt,
                result,
                ..
            } => {
                let Some((started, started_at)) = begun.remove(&(instance, *attempt)) else {
                    continue;
                };
                if matches!(result.status, ExecutionStatus::Skipped | ExecutionStatus::Blocked) {
                    last_of.remove(instance);
                    continue;
                }
                last_of.insert(instance, attempts.len());
                attempts.push(Attempt {
                    started,
                    started_at,
                    ended_at: stored.at,
                    outcome: Outcome::Ended(result),
                    routing: pending(instance, facts, &loop_state),
                });
            }
            Event::AttemptInterrupted {
                instance,
                attempt,
                reason,
                ..
            } => {
                let Some((started, started_at)) = begun.remove(&(instance, *attempt)) else {
                    continue;
                };
                last_of.insert(instance, attempts.len());
                attempts.push(Attempt {
                    started,
                    started_at,
                    ended_at: stored.at,
                    outcome: Outcome::Interrupted(reason),
                    routing: pending(instance, facts, &loop_state),
                });
            }
            Event::Routed(route) => {
                loop_state.clone_from(&route.loop_state);
                let Some(attempt) = last_of.get(&route.from).map(|i| &mut attempts[*i]) else {
                    continue;
                };
                let decided = Some((route.decision, Cow::from(route.reason.to_string())));
                match (&mut attempt.routing, route.loop_count) {
                    (Some(routing), None) => routing.decided = decided,
                    (routing, Some(count)) => {
                        *routing = Some(Routing {
                            loop_iteration: count.taken,
                            max_iterations: count.max,
                            decided,
                        });
                    }
                    (None, None) => {}
                }
            }
            Event::RunCompleted(end) => last_of.values().for_each(|i| attempts[*i].ended_with(end)),
            _ => {}
        }
    }
    attempts
}

/// The count as it is before any decision (CONTRACTS "Stepwise").
fn pending<'a>(instance: &Instance, facts: &Facts, loop_state: &BTreeMap<String, u32>) -> Option<Routing<'a>> {
    let microloop = facts.get(&instance.step)?.microloop.as_ref()?;
    let taken = microloop
        .target
        .as_ref()
        .and_then(|to| loop_state.get(&format!("{}:{to}", instance.step)));
    Some(Routing {
        loop_iteration: taken.copied().unwrap_or(0),
        max_iterations: microloop.max,
        decided: None,
    })
}
