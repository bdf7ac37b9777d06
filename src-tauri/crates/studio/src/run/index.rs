//! Where in a run's log stands what is asked for again and again, so that nobody has to look through it.

use dialect::Document;
use engine::{Answer, At, Event, GateId, Instance, Purpose, SentBack};
use history::Fold;
use imbl::{HashMap, OrdMap, Vector};
use model::{Control, FlowKind, GateAt, StepId, Workflow};
use std::sync::Arc;
use store::Stored;

/// A round of a gate.
type Round = (GateId, u32);

/// A way that a run went, apart from how the workflow is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// An edge of the workflow, by its place.
    Flow(usize),
    /// One that a person sent it, from step to step, and that the workflow does not have.
    Sent(usize, usize),
    /// The same, sent by the report of a step.
    Reported(usize, usize),
}

/// That a run went a way.
#[derive(Debug, Clone, Copy)]
pub struct Pass {
    /// The number of the decision.
    pub number: u32,
    pub way: Way,
}

/// Why a stage of a pipeline is done again, where what it waits for is not why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Again {
    /// A person asked for it at this visit, in this round.
    Asked(Instance, u32),
    /// The report or the rejection of a later stage sent it back: that event is the way.
    SentBack,
}

/// Which stages of a pipeline are done again for another reason than what they wait for, told from a log event by event.
#[derive(Clone, Default)]
pub struct Changes {
    /// Of every gate the visit at which it was asked last, and the stage to which changes lead.
    gates: HashMap<GateId, (Instance, StepId)>,
    /// Of every stage that is to be done again and has not begun, why.
    wanted: HashMap<StepId, Again>,
}

impl Changes {
    /// Takes up what an event says of it.
    pub fn push(&mut self, event: &Event) {
        match event {
            Event::GateOpened(opened) => {
                if let Some(to) = &opened.changes_to {
                    let asked = (opened.instance.clone(), to.clone());
                    self.gates.insert(opened.gate.clone(), asked);
                }
            }
            Event::GateAnswered(decision) if decision.answer == Answer::Changes => {
                if let Some((at, to)) = self.gates.get(&decision.gate) {
                    self.wanted.insert(to.clone(), Again::Asked(at.clone(), decision.round));
                }
            }
            Event::SentBack(sent) => {
                // One that waits for another of them begins when that has been done again, as it did the first time.
                for to in sent.to.iter().filter(|to| !sent.again.contains(to)) {
                    self.wanted.insert(to.clone(), Again::SentBack);
                }
            }
            // It was queued before that was said: it is not queued once more for it.
            Event::AttemptStarted(started) => {
                self.wanted.remove(&started.instance.step);
            }
            _ => {}
        }
    }

    /// Why a stage is done again that is queued now; `None`: because of what it waits for.
    pub fn take(&mut self, step: &StepId) -> Option<Again> {
        self.wanted.remove(step)
    }
}

/// The index of a log.
#[derive(Clone)]
pub struct Index {
    document: Arc<Document>,
    /// Of each stage of a pipeline the dependencies that it waits for.
    waits: Arc<Vec<Vec<usize>>>,
    changes: Changes,
    latest: At,
    /// Which event asked; of an approval of what was done also about which visit.
    asked: HashMap<Round, (u64, Option<Instance>)>,
    /// Which event answered it, and when that was, by the times and by the order of the log.
    answered: HashMap<Round, (u64, At)>,
    /// Which event asked for an approval, and which gave it.
    approved: HashMap<Instance, (u64, u64)>,
    /// The events that are routing decisions.
    pub routed: Vector<u64>,
    /// The events at which attempts ended that went by other files than those that people had approved.
    pub differing: Vector<u64>,
    /// The events that name the log as another one than somebody had seen.
    pub other_logs: Vector<u64>,
    /// The first event that is not what was written down, or behind which others are missing.
    pub altered: Option<u64>,
    /// How many numbered decisions there are.
    pub numbers: u32,
    /// Every way that was gone, in order.
    passes: Vector<Pass>,
    /// How often each was.
    pub often: OrdMap<Way, u32>,
    /// Those that people and reports sent the run, in the order in which they were gone first.
    pub sent: Vector<Way>,
}

impl Index {
    /// That of a log without events.
    pub fn new(document: Arc<Document>) -> Self {
        let workflow = document.workflow();
        let mut waits = vec![Vec::new(); workflow.steps().len()];
        if workflow.contract().control == Control::Stages {
            for (flow, (_, to, edge)) in workflow.flows().into_iter().enumerate() {
                if edge.kind == FlowKind::DependsOn {
                    waits[to.ordinal].push(flow);
                }
            }
        }
        Self {
            waits: Arc::new(waits),
            document,
            changes: Changes::default(),
            latest: At::default(),
            asked: HashMap::new(),
            answered: HashMap::new(),
            approved: HashMap::new(),
            routed: Vector::new(),
            differing: Vector::new(),
            other_logs: Vector::new(),
            altered: None,
            numbers: 0,
            passes: Vector::new(),
            often: OrdMap::new(),
            sent: Vector::new(),
        }
    }

    /// The event that asked in this round.
    pub fn asked(&self, gate: &GateId, round: u32) -> Option<u64> {
        Some(self.asked.get(&(gate.clone(), round))?.0)
    }

    /// When this round was answered; one that was not: after everything.
    pub fn answered(&self, gate: &GateId, round: u32) -> At {
        let answered = self.answered.get(&(gate.clone(), round));
        answered.map_or(self.latest, |(_, at)| *at)
    }

    /// The event that answered this round.
    pub fn answered_by(&self, gate: &GateId, round: u32) -> Option<u64> {
        Some(self.answered.get(&(gate.clone(), round))?.0)
    }

    /// The events that asked for the approval of what a visit made, and that gave it.
    pub fn approved(&self, instance: &Instance) -> Option<(u64, u64)> {
        self.approved.get(instance).copied()
    }

    /// The ways that were gone by decisions with a number above this one, in order.
    pub fn passes(&self, after: u32) -> Vec<Pass> {
        let late = self.passes.iter().rev().take_while(|pass| pass.number > after);
        let mut late: Vec<Pass> = late.copied().collect();
        late.reverse();
        late
    }

    /// The way that was gone last.
    pub fn last(&self) -> Option<Way> {
        self.passes.last().map(|pass| pass.way)
    }

    fn went(&mut self, way: Way) {
        let number = self.numbers;
        self.passes.push_back(Pass { number, way });
        let often = self.often.get(&way).copied().unwrap_or(0);
        if often == 0 && !matches!(way, Way::Flow(_)) {
            self.sent.push_back(way);
        }
        self.often.insert(way, often + 1);
    }
}

/// The way of a routing decision; `None` at the end of the workflow, and where branches have met: each has gone its own way there.
pub fn way(workflow: &Workflow, route: &engine::RouteDecision) -> Option<Way> {
    if matches!(route.reason, engine::RouteReason::Joined { .. }) {
        return None;
    }
    engine::edges::taken(workflow, route).map(Way::Flow).or_else(|| {
        let from = workflow.step(&route.from.step)?;
        let to = workflow.step(route.to.as_ref()?)?;
        Some(match route.reason {
            engine::RouteReason::Feedback(_) => Way::Reported(from.ordinal, to.ordinal),
            _ => Way::Sent(from.ordinal, to.ordinal),
        })
    })
}

/// The way that work of a pipeline goes back, from stage to stage by their places: of a rejection the one that the workflow has for it.
pub fn way_back(workflow: &Workflow, sent: &SentBack, from: usize, to: usize) -> Way {
    let flows = workflow.flows();
    let rejects = flows
        .iter()
        .position(|(one, other, flow)| flow.kind == FlowKind::Reject && (one.ordinal, other.ordinal) == (from, to));
    match rejects {
        Some(flow) if sent.rejected => Way::Flow(flow),
        _ if sent.by_person => Way::Sent(from, to),
        _ => Way::Reported(from, to),
    }
}

impl Fold for Index {
    fn push(&mut self, stored: &Stored) {
        if !stored.fits {
            self.altered.get_or_insert(stored.seq);
        }
        self.latest = match &stored.event {
            // What comes next was recorded in that one, before this one was created.
            Event::RunCreated(created) => created.earlier().last().map_or(stored.at, |first| first.at),
            _ => self.latest.max(stored.at),
        };
        self.changes.push(&stored.event);
        match &stored.event {
            Event::GateOpened(opened) => {
                let round = (opened.gate.clone(), opened.round);
                // What was approved before the work is no reason for what follows it.
                let approval = opened.purpose == Purpose::Approval && opened.at == GateAt::After;
                let about = approval.then(|| opened.instance.clone());
                self.asked.entry(round).or_insert((stored.seq, about));
            }
            Event::GateAnswered(decision) => {
                let round = (decision.gate.clone(), decision.round);
                if let (Answer::Approve, Some((asked, Some(instance)))) = (&decision.answer, self.asked.get(&round)) {
                    self.approved.insert(instance.clone(), (*asked, stored.seq));
                }
                self.answered.entry(round).or_insert((stored.seq, self.latest));
            }
            Event::Routed(route) if self.document.workflow().contract().control != Control::Stages => {
                self.routed.push_back(stored.seq);
                self.numbers += 1;
                if let Some(way) = way(self.document.workflow(), route) {
                    self.went(way);
                }
            }
            Event::AttemptEnded { result, .. } => {
                let around = result.lifecycle.as_ref();
                if around.is_some_and(|around| !around.not_as_approved.is_empty()) {
                    self.differing.push_back(stored.seq);
                }
            }
            Event::AnotherLog(_) => self.other_logs.push_back(stored.seq),
            Event::SentBack(sent) => {
                let document = Arc::clone(&self.document);
                let ordinal = |id: &model::StepId| document.workflow().step(id).map(|step| step.ordinal);
                self.numbers += 1;
                for to in sent.to.iter().filter_map(ordinal) {
                    if let Some(from) = ordinal(&sent.from.step) {
                        self.went(way_back(document.workflow(), sent, from, to));
                    }
                }
            }
            Event::Queued { steps } => {
                let document = Arc::clone(&self.document);
                let waits = Arc::clone(&self.waits);
                let ordinal = |id: &StepId| document.workflow().step(id).map(|step| step.ordinal);
                let mut ways: Vec<Way> = Vec::new();
                for (id, at) in steps.iter().filter_map(|id| Some((id, ordinal(id)?))) {
                    let asked = match self.changes.take(id) {
                        Some(Again::SentBack) => continue,
                        Some(Again::Asked(asked, _)) => ordinal(&asked.step),
                        None => None,
                    };
                    match asked {
                        Some(from) => ways.push(Way::Sent(from, at)),
                        None => ways.extend(waits[at].iter().map(|flow| Way::Flow(*flow))),
                    }
                }
                self.numbers += u32::from(!ways.is_empty());
                for way in ways {
                    self.went(way);
                }
            }
            _ => {}
        }
    }
}
