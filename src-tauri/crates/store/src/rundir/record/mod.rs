//! What a run's log says beside its receipts, in the files that seed 000 names: one pass over the log, then a pure function for each file.
//!
//! Of a StepSpec run all of them are there; of a run of another format those for which its log has something to say.

mod approvals;
mod artifacts;
mod decisions;
mod evidence;
mod gates;
mod manifest;
mod timeline;
mod tools;

pub use artifacts::artifact_id;
pub use timeline::in_order;

use super::{Files, json};
use crate::{Facts, Stored, rfc3339, session};
use engine::{
    At, Decision, Event, EvidenceState, GateId, GateOpened, Instance, Level, Promotion, RunCreated, RunState, RunSteps,
    StepResult, ToolRecord, ledger,
};
use model::ContractWords;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a log says, gathered event by event.
#[derive(Debug)]
pub(super) struct Record {
    pub created: Arc<RunCreated>,
    pub state: RunState,
    steps: RunSteps,
    /// In the order in which they ended.
    attempts: Vec<Ended>,
    /// What every tool call came to, in the order in which that was known. One that an earlier attempt made stands there and not again.
    calls: Vec<Called>,
    /// In the order in which they were asked.
    rounds: Vec<Round>,
    /// Places in `rounds` of those that wait for an answer.
    asked: BTreeMap<(GateId, u32), usize>,
    /// Places in `rounds`, in the order in which they were answered: gates of a pipeline are asked side by side.
    answered: Vec<usize>,
    log: session::Log,
}

/// A file of the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum File {
    Approvals,
    Gates,
    Decisions,
    ToolResults,
    Evidence,
    Artifacts,
    Manifest,
    Timeline,
}

impl File {
    pub const ALL: [Self; 8] = [
        Self::Approvals,
        Self::Gates,
        Self::Decisions,
        Self::ToolResults,
        Self::Evidence,
        Self::Artifacts,
        Self::Manifest,
        Self::Timeline,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Approvals => "approvals.json",
            Self::Gates => "gates.json",
            Self::Decisions => "decisions.json",
            Self::ToolResults => "tool_results.json",
            Self::Evidence => "evidence.json",
            Self::Artifacts => "artifacts.json",
            Self::Manifest => "manifest.json",
            Self::Timeline => "timeline.json",
        }
    }
}

/// An attempt that ended by itself.
#[derive(Debug)]
struct Ended {
    instance: Instance,
    attempt: u32,
    at: At,
    result: Arc<StepResult>,
}

/// A tool call of an attempt.
#[derive(Debug)]
struct Called {
    instance: Instance,
    attempt: u32,
    /// Its place in the step's list, from 1.
    place: u32,
    call: Arc<ToolRecord>,
}

/// One round of a gate.
#[derive(Debug)]
struct Round {
    /// The number of the event that answered; 0: none has.
    seq: u64,
    opened: Arc<GateOpened>,
    opened_at: At,
    answer: Option<(Arc<Decision>, At)>,
    /// What evidence there was for what was shown, when it was answered.
    looked: Vec<Looked>,
}

impl Round {
    fn answered(&self) -> Option<(&Decision, At)> {
        self.answer.as_ref().map(|(decision, at)| (&**decision, *at))
    }
}

/// A record of evidence as it stood when a person decided.
#[derive(Debug)]
struct Looked {
    id: String,
    claim: String,
    level: Level,
    score: f64,
    /// The level that the answer raised it to.
    promoted: Option<Level>,
}

impl Record {
    /// A record of a log's first event. `None`: that is not a run's.
    pub fn begin(first: &Stored) -> Option<Self> {
        let Event::RunCreated(created) = &first.event else {
            return None;
        };
        let mut record = Self {
            created: Arc::clone(created),
            state: RunState::default(),
            steps: RunSteps::default(),
            attempts: Vec::new(),
            calls: Vec::new(),
            rounds: Vec::new(),
            asked: BTreeMap::new(),
            answered: Vec::new(),
            log: session::Log::default(),
        };
        record.push(first);
        Some(record)
    }

    /// Takes up the next event.
    pub fn push(&mut self, stored: &Stored) {
        match &stored.event {
            Event::ToolCalled {
                instance,
                attempt,
                call,
            } => {
                let told = self.told(instance, *attempt);
                self.called(instance, *attempt, told, Arc::clone(call));
            }
            Event::AttemptEnded {
                instance,
                attempt,
                result,
                ..
            } => {
                let told = self.told(instance, *attempt);
                let calls = result.lifecycle.iter().flat_map(|around| &around.calls);
                for (place, call) in calls.enumerate().skip(told) {
                    self.called(instance, *attempt, place, Arc::new(call.clone()));
                }
                self.attempts.push(Ended {
                    instance: instance.clone(),
                    attempt: *attempt,
                    at: stored.at,
                    result: Arc::clone(result),
                });
            }
            Event::GateOpened(opened) => {
                self.asked
                    .insert((opened.gate.clone(), opened.round), self.rounds.len());
                self.rounds.push(Round {
                    seq: 0,
                    opened: Arc::clone(opened),
                    opened_at: stored.at,
                    answer: None,
                    looked: Vec::new(),
                });
            }
            Event::GateAnswered(decision) => {
                if let Some(place) = self.asked.remove(&(decision.gate.clone(), decision.round)) {
                    let round = &mut self.rounds[place];
                    round.looked = looked(&self.state.evidence, &round.opened);
                    round.answer = Some((Arc::clone(decision), stored.at));
                    round.seq = stored.seq;
                    self.answered.push(place);
                }
            }
            _ => {}
        }
        engine::apply(&mut self.state, stored.at, &stored.event);
        self.log.push(stored, &self.state);
        if self.is_whole() {
            self.steps.push(stored.at, &stored.event);
        }
        if matches!(stored.event, Event::GateAnswered(_) | Event::EvidencePromoted(_)) {
            self.note_promotions();
        }
    }

    /// How many calls of an attempt under way the log has told by now.
    fn told(&self, instance: &Instance, attempt: u32) -> usize {
        let one = self.state.attempt(instance, attempt);
        one.map_or(0, |one| one.calls().len())
    }

    /// `place`: in the step's list, from 0.
    fn called(&mut self, instance: &Instance, attempt: u32, place: usize, call: Arc<ToolRecord>) {
        if call.earlier {
            return;
        }
        self.calls.push(Called {
            instance: instance.clone(),
            attempt,
            place: u32::try_from(place + 1).unwrap_or(u32::MAX),
            call,
        });
    }

    /// Whether every file is there; its RunSteps are only gathered then.
    pub fn is_whole(&self) -> bool {
        self.created.format.contract().vocabulary == ContractWords::StepSpec
    }

    /// The run as a session (seed 003), as it stands now.
    pub fn session(&self, facts: &Facts) -> Vec<u8> {
        json::file(session::document(&self.created, &self.state, &self.log, facts))
    }

    /// What the answers raised, from the state's own account of it.
    fn note_promotions(&mut self) {
        let mut raised: BTreeMap<(&str, u32), Vec<&Promotion>> = BTreeMap::new();
        for (promotion, _) in self.state.evidence.iter().flat_map(|held| &held.promotions) {
            if let Some((gate, round)) = &promotion.gate {
                raised.entry((gate.as_str(), *round)).or_default().push(promotion);
            }
        }
        for round in &mut self.rounds {
            let of_round = raised.get(&(round.opened.gate.as_str(), round.opened.round));
            for promotion in of_round.into_iter().flatten() {
                if let Some(looked) = round.looked.iter_mut().find(|looked| looked.id == promotion.evidence) {
                    looked.promoted = Some(promotion.to);
                }
            }
        }
    }

    /// Adds the files. `stream` is the log in the words of seed 000, where the run speaks them.
    pub fn render(&self, facts: &Facts, stream: &[Value], files: &mut Files) {
        for file in File::ALL {
            if let Some(bytes) = self.file(file, facts, stream) {
                files.insert(file.name().to_owned(), bytes);
            }
        }
    }

    /// One file; `None`: the log has nothing for it.
    pub fn file(&self, file: File, facts: &Facts, stream: &[Value]) -> Option<Vec<u8>> {
        let whole = self.is_whole();
        let there = match file {
            // An approval ceases to count when its gate is asked again: the file that held it must say so.
            File::Approvals | File::Decisions => !self.answered.is_empty(),
            File::Gates => !self.rounds.is_empty(),
            File::ToolResults => !self.calls.is_empty(),
            File::Evidence => !self.state.evidence.is_empty(),
            File::Artifacts => self.attempts.iter().any(|ended| !ended.result.artifacts.is_empty()),
            File::Manifest | File::Timeline => false,
        };
        if !whole && !there {
            return None;
        }
        let lists: Vec<(&str, Value)> = match file {
            File::Approvals => vec![("approvals", self.approvals().into())],
            File::Gates => {
                let mut gates = vec![("gates", self.gates(facts).into())];
                gates.extend(whole.then(|| ("policy", self.policy(facts))));
                gates
            }
            File::Decisions => vec![("decisions", self.decisions(facts).into())],
            File::ToolResults => vec![("results", self.tool_results().into())],
            File::Evidence => {
                let evidence = self.evidence();
                // The name by which an original reads the list, and the one by which we wrote it before.
                vec![
                    ("evidence", evidence.clone().into()),
                    ("records", evidence.into()),
                    ("assurance", self.assurances()),
                ]
            }
            File::Artifacts => vec![("artifacts", self.artifacts().into())],
            File::Manifest => vec![("steps", self.run_steps(facts).into()), ("run", self.run(facts))],
            File::Timeline => vec![
                ("entries", self.timeline(facts, stream).into()),
                ("generated_at", json!(time(self.state.last_at))),
            ],
        };
        let mut content = self.head();
        content.extend(lists.into_iter().map(|(key, value)| (key.to_owned(), value)));
        Some(json::file(Value::Object(content)))
    }

    /// The files that an event may change, once it has been taken up.
    pub fn changed_by(&self, event: &Event) -> Vec<File> {
        use File::{Approvals, Artifacts, Decisions, Evidence, Gates, Manifest, Timeline, ToolResults};
        let mut files = match event {
            // Every file of a run that has them all is there from its first event on.
            Event::RunCreated(_) => File::ALL.to_vec(),
            Event::Output { .. } => Vec::new(),
            Event::ToolCalled { .. } => vec![Manifest, ToolResults],
            Event::AttemptEnded { instance, result, .. } => {
                let lifecycle = result.lifecycle.as_deref();
                let has_calls = lifecycle.is_some_and(|lifecycle| !lifecycle.calls.is_empty());
                let has_evidence = lifecycle.is_some_and(|lifecycle| !lifecycle.evidence.is_empty());
                let mut files = vec![Manifest];
                files.extend(has_calls.then_some(ToolResults));
                // A step that is completed again takes back what it has claimed before.
                let of_step = |held: &EvidenceState| held.instance.step == instance.step;
                let takes_back = result.status.completes() && self.state.evidence.iter().any(of_step);
                files.extend((has_evidence || takes_back).then_some(Evidence));
                files.extend((has_evidence || !result.artifacts.is_empty()).then_some(Artifacts));
                files
            }
            Event::GateOpened(_) => vec![Approvals, Manifest],
            Event::GateAnswered(_) | Event::EvidencePromoted(_) => vec![Approvals, Decisions, Evidence, Manifest],
            _ => vec![Manifest],
        };
        // Whether a question waits or is closed may follow from anything.
        if !matches!(event, Event::Output { .. }) && !self.rounds.is_empty() {
            files.push(Gates);
        }
        if self.is_whole() {
            files.push(Timeline);
        }
        files
    }

    /// The rounds that were answered, oldest answer first.
    fn decided(&self) -> impl Iterator<Item = (&Round, &Decision, At)> {
        let rounds = self.answered.iter().map(|place| &self.rounds[*place]);
        rounds.filter_map(|round| round.answered().map(|(decision, at)| (round, decision, at)))
    }

    /// What every file begins with; those of a rehearsal say so.
    fn head(&self) -> Map<String, Value> {
        let mut head = Map::from_iter([
            ("run_id".to_owned(), json!(self.created.run_id)),
            ("workflow_id".to_owned(), json!(self.created.workflow)),
            ("version".to_owned(), json!(1)),
        ]);
        if self.created.is_rehearsal() {
            head.insert("rehearsal".to_owned(), json!(true));
        }
        head
    }
}

/// What stands at that moment for what is shown, in the order recorded.
fn looked(evidence: &[EvidenceState], opened: &GateOpened) -> Vec<Looked> {
    let stands = evidence.iter().filter(|held| !held.superseded);
    stands
        .filter(|held| ledger::is_shown(&held.record, opened))
        .map(|held| Looked {
            id: held.record.id.clone(),
            claim: held.record.claim.clone(),
            level: held.record.level,
            score: engine::evidence::score(Some(held.record.reliability), &held.record.congruence),
            promoted: None,
        })
        .collect()
}

/// How far a set of records carries: as far as the weakest.
fn assurance<'a>(scores: impl Iterator<Item = (&'a str, f64)>) -> Value {
    let mut records = 0_u64;
    let counted = scores.inspect(|_| records += 1);
    let weakest = engine::evidence::weakest(counted);
    json!({
        "score": weakest.map_or(0.0, |(_, score)| score),
        "weakest": weakest.map(|(id, _)| id),
        "records": records,
    })
}

pub(super) fn time(at: Option<At>) -> Option<String> {
    at.map(rfc3339)
}
