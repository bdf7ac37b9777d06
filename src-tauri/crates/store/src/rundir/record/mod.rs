//! What a run's log says beside its receipts, in the files that seed 000 names: one pass over the log ([`Record::gather`]), then
//! a pure function for each file.
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
use crate::{Facts, Stored, rfc3339};
use engine::{
    At, Decision, Event, EvidenceState, GateOpened, Instance, Level, Promotion, RunCreated, RunState, RunSteps,
    StepResult, ledger,
};
use model::ContractWords;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A log read once.
pub(super) struct Record<'a> {
    pub created: &'a RunCreated,
    pub state: RunState,
    steps: RunSteps,
    /// In the order in which they ended.
    attempts: Vec<Ended<'a>>,
    /// In the order in which they were asked.
    rounds: Vec<Round<'a>>,
    /// Places in `rounds`, in the order in which they were answered: gates of a pipeline are asked side by side.
    answered: Vec<usize>,
}

/// An attempt that ended by itself.
struct Ended<'a> {
    instance: &'a Instance,
    attempt: u32,
    at: At,
    result: &'a StepResult,
}

/// One round of a gate.
struct Round<'a> {
    opened: &'a GateOpened,
    opened_at: At,
    answer: Option<(&'a Decision, At)>,
    /// What evidence there was for what was shown, when it was answered.
    looked: Vec<Looked>,
}

/// A record of evidence as it stood when a person decided.
struct Looked {
    id: String,
    claim: String,
    level: Level,
    score: f64,
    /// The level that the answer raised it to.
    promoted: Option<Level>,
}

impl<'a> Record<'a> {
    /// Reads a log. `None`: it does not begin with a run.
    pub fn gather(events: &'a [Stored]) -> Option<Self> {
        let Some(Event::RunCreated(created)) = events.first().map(|stored| &stored.event) else {
            return None;
        };
        let mut record = Self {
            created,
            state: RunState::default(),
            steps: RunSteps::default(),
            attempts: Vec::new(),
            rounds: Vec::new(),
            answered: Vec::new(),
        };
        let whole = record.is_whole();
        let mut asked: BTreeMap<(&str, u32), usize> = BTreeMap::new();
        for stored in events {
            match &stored.event {
                Event::AttemptEnded {
                    instance,
                    attempt,
                    result,
                    ..
                } => record.attempts.push(Ended {
                    instance,
                    attempt: *attempt,
                    at: stored.at,
                    result,
                }),
                Event::GateOpened(opened) => {
                    asked.insert((opened.gate.as_str(), opened.round), record.rounds.len());
                    record.rounds.push(Round {
                        opened,
                        opened_at: stored.at,
                        answer: None,
                        looked: Vec::new(),
                    });
                }
                Event::GateAnswered(decision) => {
                    if let Some(place) = asked.remove(&(decision.gate.as_str(), decision.round)) {
                        let round = &mut record.rounds[place];
                        round.looked = looked(&record.state.evidence, round.opened);
                        round.answer = Some((decision, stored.at));
                        record.answered.push(place);
                    }
                }
                _ => {}
            }
            engine::apply(&mut record.state, stored.at, &stored.event);
            if whole {
                record.steps.push(stored.at, &stored.event);
            }
        }
        record.note_promotions();
        Some(record)
    }

    /// Whether every file is there; its RunSteps are only gathered then.
    fn is_whole(&self) -> bool {
        self.created.format.contract().vocabulary == ContractWords::StepSpec
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
        let whole = self.is_whole();
        let mut put = |name: &str, there: bool, lists: Vec<(&str, Value)>| {
            if whole || there {
                let mut file = self.head();
                file.extend(lists.into_iter().map(|(key, value)| (key.to_owned(), value)));
                files.insert(name.to_owned(), json::file(Value::Object(file)));
            }
        };
        // An approval ceases to count when its gate is asked again: the file that held it must say so.
        let decided = !self.answered.is_empty();
        put("approvals.json", decided, vec![("approvals", self.approvals().into())]);
        let mut gates = vec![("gates", self.gates(facts).into())];
        gates.extend(whole.then(|| ("policy", self.policy(facts))));
        put("gates.json", !self.rounds.is_empty(), gates);
        put(
            "decisions.json",
            decided,
            vec![("decisions", self.decisions(facts).into())],
        );
        let results = self.tool_results();
        put(
            "tool_results.json",
            !results.is_empty(),
            vec![("results", results.into())],
        );
        let evidence = self.evidence();
        // The name by which an original reads the list, and the one by which we wrote it before.
        let lists = vec![
            ("evidence", evidence.clone().into()),
            ("records", evidence.into()),
            ("assurance", self.assurances()),
        ];
        put("evidence.json", !self.state.evidence.is_empty(), lists);
        let artifacts = self.artifacts();
        put(
            "artifacts.json",
            !artifacts.is_empty(),
            vec![("artifacts", artifacts.into())],
        );
        if whole {
            let manifest = vec![("steps", self.run_steps(facts).into()), ("run", self.run(facts))];
            put("manifest.json", true, manifest);
            let timeline = vec![
                ("entries", self.timeline(facts, stream).into()),
                ("generated_at", json!(time(self.state.last_at))),
            ];
            put("timeline.json", true, timeline);
        }
    }

    /// The rounds that were answered, oldest answer first.
    fn decided(&self) -> impl Iterator<Item = (&Round<'a>, &'a Decision, At)> {
        let rounds = self.answered.iter().map(|place| &self.rounds[*place]);
        rounds.filter_map(|round| round.answer.map(|(decision, at)| (round, decision, at)))
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
