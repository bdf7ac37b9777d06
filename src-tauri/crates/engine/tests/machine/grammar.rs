//! The contract's event grammar as an automaton (seed 001 "Event Sequencing"), run over every log that a test makes.

use engine::{At, Event, ExecutionStatus, GateId, Instance};
use std::collections::BTreeMap;

#[derive(Default)]
struct Grammar {
    created: bool,
    started: bool,
    completed: bool,
    in_flight: Option<(Instance, u32)>,
    gate: Option<(GateId, u32)>,
    /// Attempts of each visit so far, and whether the last one lets another follow.
    visits: BTreeMap<Instance, (u32, bool)>,
    rounds: BTreeMap<GateId, u32>,
}

/// Panics when a prefix of a run's log breaks the grammar.
pub fn check_grammar(log: &[(At, Event)]) {
    let mut g = Grammar::default();
    let mut last = At(i64::MIN);
    for (i, (at, event)) in log.iter().enumerate() {
        assert!(*at >= last, "time goes forward");
        last = *at;
        assert!(!g.completed, "run_completed is the last event (event {i}: {event:?})");
        assert_eq!(
            i == 0,
            matches!(event, Event::RunCreated(_)),
            "run_created is the first event and comes once"
        );
        if !matches!(event, Event::RunCreated(_) | Event::RunStarted) {
            assert!(g.started, "nothing comes before run_started (event {i}: {event:?})");
        }
        g.step(event);
    }
}

impl Grammar {
    fn step(&mut self, event: &Event) {
        match event {
            Event::RunCreated(_) => self.created = true,
            Event::RunStarted => {
                assert!(self.created && !self.started, "run_started comes once");
                self.started = true;
            }
            Event::AttemptStarted(a) => {
                assert!(self.in_flight.is_none() && self.gate.is_none(), "one thing at a time");
                let (attempts, open) = self.visits.entry(a.instance.clone()).or_insert((0, true));
                assert!(
                    *open,
                    "a visit that has come to its end never runs again: {:?}",
                    a.instance
                );
                *attempts += 1;
                assert_eq!(a.attempt, *attempts, "attempts count from 1");
                self.in_flight = Some((a.instance.clone(), a.attempt));
            }
            Event::Output { instance, attempt, .. } => {
                assert_eq!(self.in_flight, Some((instance.clone(), *attempt)));
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
            } => {
                self.close(instance, *attempt, retry_at.is_some());
            }
            Event::Routed(route) => {
                // A person sends a run that waits elsewhere: the gate is left unanswered.
                if route.reason.starts_with("jump:") {
                    self.gate = None;
                }
                assert!(
                    self.in_flight.is_none() && self.gate.is_none(),
                    "a route is taken between two steps"
                );
                // A before-gate may send the token away before the visit has begun.
                assert!(
                    self.visits.get(&route.from).is_none_or(|(_, open)| !open),
                    "a route leaves an ended visit"
                );
            }
            Event::GateOpened(opened) => {
                assert!(self.in_flight.is_none() && self.gate.is_none(), "one thing at a time");
                let round = self.rounds.entry(opened.gate.clone()).or_default();
                *round += 1;
                assert_eq!(opened.round, *round, "rounds count from 1");
                self.gate = Some((opened.gate.clone(), opened.round));
            }
            Event::GateAnswered(decision) => {
                assert_eq!(
                    self.gate.take(),
                    Some((decision.gate.clone(), decision.round)),
                    "the open round is answered"
                );
            }
            Event::Paused { .. } | Event::Resumed { .. } => {}
            Event::Queued { .. } | Event::Settled(_) | Event::Reopened { .. } => {
                panic!("only a pipeline has stages: {event:?}");
            }
            Event::Aborted { .. } => self.gate = None,
            Event::RunCompleted(_) => {
                assert!(
                    self.in_flight.is_none() && self.gate.is_none(),
                    "nothing is left open at the end"
                );
                self.completed = true;
            }
        }
    }

    fn close(&mut self, instance: &Instance, attempt: u32, again: bool) {
        assert_eq!(
            self.in_flight.take(),
            Some((instance.clone(), attempt)),
            "the attempt in flight ends, once"
        );
        self.visits.get_mut(instance).unwrap().1 = again;
    }
}
