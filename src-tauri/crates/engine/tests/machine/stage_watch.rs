//! A second pair of eyes on a pipeline's events: it keeps its own account of every stage and knows nothing of the engine's state.

use crate::stage_rules::Stands;
use crate::stage_sim::{Case, Spec};
use engine::{Answer, At, Choice, Event, Instance};
use model::{GateAt, OnFailure, StepId};
use std::collections::{BTreeMap, BTreeSet};

/// Where a stage is, as far as its events tell.
#[derive(Debug, Clone, PartialEq)]
enum Place {
    Queued,
    Running(Instance, u32),
    /// Between two attempts: not before this time.
    Between(At),
    Asking {
        before: bool,
    },
    /// In the middle of a commit.
    Ended,
    Rests(Stands),
}

pub struct Watch<'a> {
    case: &'a Case,
    places: BTreeMap<String, Place>,
    /// Of each gate: whose it is, and which stage a request for changes is about.
    gates: BTreeMap<engine::GateId, (StepId, Option<StepId>)>,
    paused: bool,
    ended: bool,
    rejected: bool,
    /// Stages that are to run again because a person asked for changes.
    sent_back: BTreeSet<StepId>,
    /// Visits and gate rounds of each stage so far.
    visits: BTreeMap<String, u32>,
    rounds: BTreeMap<String, u32>,
}

impl<'a> Watch<'a> {
    pub fn new(case: &'a Case) -> Self {
        let pending = |s: &Spec| (s.name.clone(), Place::Rests(Stands::Pending));
        Self {
            case,
            places: case.stages.iter().map(pending).collect(),
            gates: BTreeMap::new(),
            paused: false,
            ended: false,
            rejected: false,
            sent_back: BTreeSet::new(),
            visits: BTreeMap::new(),
            rounds: BTreeMap::new(),
        }
    }

    pub fn see(&mut self, at: At, event: &Event) {
        match event {
            Event::NavigatorAsked(_) | Event::NavigatorAnswered { .. } => panic!("a pipeline has no ways to choose"),
            Event::FlowEnded(_) => panic!("a pipeline is one flow"),
            Event::Queued { steps } => steps.iter().for_each(|step| self.queue(step)),
            Event::AttemptStarted(a) => {
                let step = &a.instance.step;
                assert!(!self.paused, "{step} begins in a paused run");
                // One that is tried again has begun, whatever was sent back meanwhile.
                assert!(
                    a.attempt > 1 || self.met(step),
                    "{step} begins before what it waits for is completed"
                );
                match self.place(step) {
                    Place::Queued => assert_eq!(a.attempt, 1),
                    Place::Between(not_before) => assert!(at >= *not_before, "{step} is tried again too early"),
                    other => panic!("{step} begins, and is {other:?}"),
                }
                *self.place(step) = Place::Running(a.instance.clone(), a.attempt);
                self.visits.insert(step.to_string(), a.instance.visit);
                self.sent_back.remove(step);
                self.check_room();
            }
            Event::AttemptEnded { instance, retry_at, .. } | Event::AttemptInterrupted { instance, retry_at, .. } => {
                *self.place(&instance.step) = retry_at.map_or(Place::Ended, Place::Between);
            }
            Event::GateOpened(opened) => {
                let (step, before) = (&opened.instance.step, opened.at == GateAt::Before);
                assert!(!before || self.met(step), "{step} is asked about too early");
                *self.place(step) = Place::Asking { before };
                let about = opened.changes_to.clone();
                self.gates.insert(opened.gate.clone(), (step.clone(), about));
                self.rounds.insert(step.to_string(), opened.round);
            }
            Event::GateAnswered(decision) => {
                let (step, about) = self.gates[&decision.gate].clone();
                let before = *self.place(&step) == Place::Asking { before: true };
                *self.place(&step) = match decision.answer {
                    Answer::Approve if before => Place::Queued,
                    Answer::Changes if about.as_ref() != Some(&step) => Place::Rests(Stands::Pending),
                    _ => Place::Ended,
                };
                self.sent_back
                    .extend(about.filter(|_| decision.answer == Answer::Changes));
            }
            Event::Settled(settled) => {
                self.rejected |= settled.rejected;
                *self.place(&settled.step) = Place::Rests(Stands::of(settled));
            }
            Event::Aborted { .. } => self
                .places
                .values_mut()
                .filter(|p| **p == Place::Queued)
                .for_each(|p| *p = Place::Rests(Stands::Pending)),
            Event::Reopened { choices, reset, .. } => {
                (self.ended, self.paused, self.rejected) = (false, false, false);
                for step in reset {
                    *self.place(step) = Place::Rests(Stands::Pending);
                }
                for (step, _) in choices.iter().filter(|(_, choice)| **choice == Choice::Skip) {
                    *self.place(step) = Place::Rests(Stands::Skipped(true));
                }
            }
            Event::RunCompleted(_) => {
                // What waits again for a stage that was sent back has not begun.
                let waits = |s: &&Spec| self.places[&s.name] == Place::Queued && !self.met(&s.name.as_str().into());
                let stages = self.case.stages.iter().filter(waits);
                for name in stages.map(|s| s.name.clone()).collect::<Vec<_>>() {
                    self.places.insert(name, Place::Rests(Stands::Pending));
                }
                self.ended = true;
            }
            Event::EvidencePromoted(_) | Event::Checkpointed(_) | Event::AnotherLog(_) | Event::TakenOver(_) => {}
            Event::TakenUp { .. } => {}
            Event::Paused { .. } => self.paused = true,
            Event::Resumed { .. } => self.paused = false,
            Event::RunCreated(_) | Event::RunStarted | Event::Routed(_) => {}
            Event::Output { .. } | Event::ToolCalled { .. } => {}
            Event::Forked(_) | Event::BranchEnded(_) | Event::Joined(_) => {}
            // A rejection that leads back; what lies between is done again behind that.
            Event::SentBack(sent) if sent.rejected => {
                for step in &sent.again {
                    *self.place(step) = Place::Rests(Stands::Pending);
                }
                self.sent_back.extend(sent.to.iter().cloned());
            }
            Event::FeedbackGiven(_)
            | Event::FeedbackAcknowledged(_)
            | Event::FeedbackResolved { .. }
            | Event::SentBack(_) => panic!("these stages report nothing"),
        }
    }

    fn queue(&mut self, step: &StepId) {
        let again = self.sent_back.contains(step);
        let may = !self.paused && !self.halted() && self.met(step);
        let place = self.place(step).clone();
        let fits = match place {
            Place::Rests(Stands::Pending) => may,
            // What was sent back is queued at once, so that nothing begins that waits for it; what it waits for itself may have been
            // sent back before, and then it begins behind that.
            Place::Rests(Stands::Completed) => again && !self.paused && !self.halted(),
            // After its own gate: it has not come to its end yet.
            Place::Ended => again,
            _ => false,
        };
        assert!(fits, "{step} is queued, and is {place:?}");
        *self.place(step) = Place::Queued;
    }

    /// After a commit: everything that can run does, and nothing is half done.
    pub fn settled(&self) {
        let places = || self.places.values();
        assert!(places().all(|p| *p != Place::Ended), "a stage is left half done");
        if self.ended {
            let rests = places().all(|p| matches!(p, Place::Rests(_)));
            return assert!(rests, "nothing goes on after the end: {:?}", self.places);
        }
        if self.paused {
            return;
        }
        let busy = |s: &Spec| match self.places[&s.name] {
            Place::Running(..) | Place::Between(_) => true,
            // Unless it waits again for what was sent back.
            Place::Queued => self.met(&s.name.as_str().into()),
            _ => false,
        };
        let busy = self.case.stages.iter().any(busy);
        let waves = self.case.on_failure == OnFailure::Halt;
        let (in_flight, alone) = self.in_flight();
        let full = in_flight >= self.case.limits.parallel as usize;
        for spec in &self.case.stages {
            match self.places[&spec.name] {
                Place::Rests(Stands::Completed) if !self.halted() => {
                    let again = self.sent_back.contains(spec.name.as_str());
                    assert!(!again, "{} is to run again", spec.name);
                }
                Place::Rests(Stands::Pending) if !(self.halted() || waves && busy) => {
                    assert!(!self.met(&spec.name.as_str().into()), "{} could run", spec.name);
                }
                Place::Queued if self.met(&spec.name.as_str().into()) => {
                    assert!(full || !spec.parallel && alone > 0, "{} could begin", spec.name)
                }
                _ => {}
            }
        }
    }

    fn check_room(&self) {
        let (in_flight, alone) = self.in_flight();
        let limit = self.case.limits.parallel as usize;
        assert!(in_flight <= limit, "{in_flight} in flight, {limit} may be");
        assert!(alone <= 1, "{alone} stages that run alone are in flight");
    }

    /// How many stages are in flight, and how many of them are not marked parallel.
    fn in_flight(&self) -> (usize, usize) {
        let flying = |s: &&Spec| matches!(self.places[&s.name], Place::Running(..) | Place::Between(_));
        let flying = || self.case.stages.iter().filter(flying);
        (flying().count(), flying().filter(|s| !s.parallel).count())
    }

    fn halted(&self) -> bool {
        let failed = self.places.values().any(|p| *p == Place::Rests(Stands::Failed));
        self.rejected || failed && self.case.on_failure == OnFailure::Halt
    }

    fn met(&self, step: &StepId) -> bool {
        self.case.spec(step).waits.iter().all(|d| self.completed(d))
    }

    fn completed(&self, name: &str) -> bool {
        self.places.get(name) == Some(&Place::Rests(Stands::Completed))
    }

    fn place(&mut self, step: &StepId) -> &mut Place {
        self.places.get_mut(step.as_str()).unwrap()
    }

    pub fn running(&self) -> BTreeSet<(Instance, u32)> {
        let running = |place: &Place| match place {
            Place::Running(instance, attempt) => Some((instance.clone(), *attempt)),
            _ => None,
        };
        self.places.values().filter_map(running).collect()
    }

    /// Stages that failed, were aborted or left out by their agents.
    pub fn lost(&self) -> Vec<String> {
        let lost = |p: &Place| matches!(p, Place::Rests(Stands::Failed | Stands::Aborted | Stands::LeftOut));
        self.places
            .iter()
            .filter(|(_, p)| lost(p))
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// Where every stage would stand were the run aborted now: what is under way is aborted, what is queued has not begun.
    pub fn aborted(&self) -> BTreeMap<String, Stands> {
        let stands = |place: &Place| match place {
            Place::Rests(stands) => *stands,
            Place::Queued => Stands::Pending,
            _ => Stands::Aborted,
        };
        self.places
            .iter()
            .map(|(name, place)| (name.clone(), stands(place)))
            .collect()
    }

    /// The visits and gate rounds of a stage so far.
    pub fn counts(&self) -> (BTreeMap<String, u32>, BTreeMap<String, u32>) {
        (self.visits.clone(), self.rounds.clone())
    }
}
