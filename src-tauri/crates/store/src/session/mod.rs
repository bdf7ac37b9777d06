//! The state of a run as one session document (seed 003): a fold of its log, for runs of every format.
//!
//! Only what happened stands in it. What the seed wants and a run does not know is left out; where the seed wants a word and the run has none, the
//! word is the one that claims least, and a key beside it says that nobody stated it.

mod agents;
mod feedback;
mod log;

pub(crate) use log::{Log, file_of};

use crate::{Facts, StatusWord, Stored, digest_of, rfc3339};
use engine::{
    Answer, At, Checkpoint, Decision, Event, ExecutionStatus, GateOpened, GateReason, Instance, Purpose, RunCreated,
    RunState, RunStatus, StepStatus,
};
use model::{Control, GateAt, StepId};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The version of the schema that the documents keep.
const SCHEMA: &str = "2.0.0";

/// The kinds of workflows that the seed knows.
const KINDS: [&str; 7] = [
    "greenfield-fullstack",
    "greenfield-fullstack-v2",
    "greenfield-ui",
    "greenfield-service",
    "brownfield-fullstack",
    "brownfield-ui",
    "brownfield-service",
];

/// The kind of a workflow whose author names none of them.
const UNSTATED: &str = "brownfield-service";

/// The document of a log, as the run stood after its last event. `None`: it does not begin with a run.
pub fn session<'a>(events: impl IntoIterator<Item = &'a Stored>, facts: &Facts) -> Option<Value> {
    let (mut state, mut log, mut created) = (RunState::default(), Log::default(), None);
    for stored in events {
        engine::apply(&mut state, stored.at, &stored.event);
        log.push(stored, &state);
        match (&stored.event, created) {
            (Event::RunCreated(first), None) => created = Some(first),
            (_, None) => return None,
            _ => {}
        }
    }
    Some(document(created?, &state, &log, facts))
}

/// The same of a run that was folded elsewhere.
pub(crate) fn document(created: &RunCreated, state: &RunState, log: &Log, facts: &Facts) -> Value {
    let of = Of {
        created,
        state,
        log,
        facts,
    };
    of.document()
}

/// Whether a run turns with this event: it begins, waits for somebody, goes on or ends. The document in its folder is of the last such event, so that
/// it says at any time whom the run waits for, and costs nothing while steps follow one another.
pub(crate) fn turns(event: &Event) -> bool {
    matches!(
        event,
        Event::RunCreated(_)
            | Event::GateOpened(_)
            | Event::GateAnswered(_)
            | Event::Paused { .. }
            | Event::Resumed { .. }
            | Event::Aborted { .. }
            | Event::RunCompleted(_)
    )
}

/// Whether an event is a checkpoint that somebody named: of each the run's folder holds the document as it stood then.
pub(crate) fn is_named(event: &Event) -> bool {
    Checkpoint::of(event).is_some_and(|made| made.is_named())
}

/// What a document is made of.
struct Of<'a> {
    created: &'a RunCreated,
    state: &'a RunState,
    log: &'a Log,
    facts: &'a Facts,
}

impl Of<'_> {
    fn document(&self) -> Value {
        json!({
            "session_id": self.id(),
            "schema_version": SCHEMA,
            "project_metadata": self.project(),
            "workflow_state": self.workflow_state(),
            "agent_contexts": self.agents(),
            "global_context": self.created.global_context.as_deref().cloned().unwrap_or_default(),
            "artifacts": self.artifacts(),
            "validation_history": self.log.validations(self.facts),
            "decision_log": self.log.decisions(self.facts),
            "feedback_loops": self.feedback_loops(),
            "checkpoints": self.log.checkpoints(self.facts),
            "metadata": self.metadata(),
        })
    }

    /// The moment the run was created, and eight digits of a digest of its id.
    fn id(&self) -> String {
        let began = self.log.began.0;
        let digest = digest_of(self.created.run_id.as_str().as_bytes()).to_string();
        let own: String = digest.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
        format!("bmad-session-{:013}-{own}", began.clamp(0, 9_999_999_999_999))
    }

    fn project(&self) -> Value {
        let created = self.created;
        let says = |word: &str| KINDS.iter().find(|kind| **kind == word);
        let stated = says(created.workflow.as_str()).or_else(|| created.kind.as_deref().and_then(says));
        let name = [
            created.title.as_str(),
            created.workflow.as_str(),
            created.run_id.as_str(),
        ];
        let name = name.into_iter().find(|name| !name.is_empty()).unwrap_or("run");
        let mut project = Map::from_iter([
            ("name".to_owned(), json!(name)),
            ("workflow_type".to_owned(), json!(stated.unwrap_or(&UNSTATED))),
            ("workflow_type_stated".to_owned(), json!(stated.is_some())),
            ("workflow".to_owned(), json!(created.workflow)),
            ("workflow_version".to_owned(), json!(created.source)),
        ]);
        let mut times = |key: &str, at: Option<At>| {
            if let Some(at) = at {
                project.insert(key.to_owned(), json!(time(at)));
            }
        };
        times("created_at", Some(self.log.began));
        times("updated_at", self.state.last_at);
        Value::Object(project)
    }

    fn workflow_state(&self) -> Value {
        let mut by_status: BTreeMap<&'static str, Vec<u32>> = BTreeMap::new();
        let mut failed = Vec::new();
        for step in self.facts.steps().map(|step| &step.id) {
            match self.state.step_status(step) {
                StepStatus::Succeeded => by_status.entry("completed").or_default().push(place(self.facts, step)),
                StepStatus::Skipped => by_status.entry("skipped").or_default().push(place(self.facts, step)),
                StepStatus::Failed | StepStatus::Refused | StepStatus::Interrupted => failed.push(self.failed(step)),
                _ => {}
            }
        }
        let (passed, not_passed) = self.quality_gates();
        let mut out = Map::from_iter([
            ("current_step".to_owned(), json!(self.current())),
            (
                "completed_steps".to_owned(),
                json!(by_status.remove("completed").unwrap_or_default()),
            ),
            ("failed_steps".to_owned(), failed.into()),
            (
                "skipped_steps".to_owned(),
                json!(by_status.remove("skipped").unwrap_or_default()),
            ),
            ("quality_gates_passed".to_owned(), passed.into()),
            ("quality_gates_failed".to_owned(), not_passed.into()),
            ("execution_mode".to_owned(), json!(self.mode())),
        ]);
        if let Some(score) = self.overall_score() {
            out.insert("overall_quality_score".to_owned(), json!(score));
        }
        let why = self.waits();
        out.insert("paused".to_owned(), json!(why.is_some()));
        if let Some(why) = why {
            out.insert("pause_reason".to_owned(), json!(why));
        }
        Value::Object(out)
    }

    /// The place in the file of the step that was entered last; 0: none was.
    fn current(&self) -> u32 {
        let last = self.state.visits().into_iter().max_by_key(|visit| visit.number);
        last.map_or(0, |visit| self.place(&visit.instance))
    }

    fn place(&self, instance: &Instance) -> u32 {
        place(self.facts, &instance.step)
    }

    fn failed(&self, step: &StepId) -> Value {
        let last = self.state.visits_of(step).next_back();
        let attempt = last.and_then(|visit| visit.attempts.last());
        let error = self.refusal(step).or_else(|| {
            let said = attempt?.result.as_ref().and_then(|result| result.error.clone());
            said.or_else(|| attempt?.interrupted.clone())
        });
        let mut out = Map::from_iter([
            ("step_id".to_owned(), json!(place(self.facts, step))),
            (
                "retry_count".to_owned(),
                json!(last.map_or(0, |visit| visit.attempts.len().saturating_sub(1))),
            ),
        ]);
        if let Some(agent) = attempt.and_then(|attempt| attempt.started.agents.first()) {
            out.insert("agent".to_owned(), json!(agent));
        }
        if let Some(error) = error {
            out.insert("error".to_owned(), json!(error));
        }
        Value::Object(out)
    }

    /// What a person said who refused a step.
    fn refusal(&self, step: &StepId) -> Option<String> {
        let rounds = self.state.gates.values().flatten();
        let answered = rounds.filter(|round| round.opened.instance.step == *step);
        let last = answered
            .filter_map(|round| round.answer.as_ref())
            .max_by_key(|(decision, at)| (*at, decision.round))?;
        let (decision, _) = last;
        (decision.answer == Answer::Reject).then(|| said(decision))
    }

    /// The project's standards that the latest report of each step meets and does not meet; the gates whose last round was answered with a yes, and with a
    /// no or with changes. How a step of a person went, and which way one took, is no gate of quality.
    fn quality_gates(&self) -> (Vec<Value>, Vec<Value>) {
        let (mut passed, mut failed) = (Vec::new(), Vec::new());
        let standards = self.created.standards();
        for step in self.facts.steps().map(|step| &step.id) {
            let Some((instance, result)) = self.state.latest_result(step) else {
                continue;
            };
            for held in result.held(&standards) {
                let name = format!("{step}:{}", held.standard.key());
                match held.is_met() {
                    true => passed.push(json!(name)),
                    false => failed.push(json!({
                        "gate_name": name,
                        "step_id": self.place(instance),
                        "reason": held.words(),
                    })),
                }
            }
        }
        let own = self.state.gates.iter();
        for (gate, rounds) in own.filter(|(_, rounds)| rounds.iter().all(|round| !is_apart(&round.opened.why))) {
            // What is asked anew is not passed, whatever was said before.
            let last = rounds.last();
            let Some((round, (decision, _))) = last.and_then(|round| Some((round, round.answer.as_ref()?))) else {
                continue;
            };
            match decision.answer {
                // The run goes on without it: nobody has approved what there is not.
                Answer::Approve if self.is_without(&round.opened) => failed.push(json!({
                    "gate_name": gate,
                    "step_id": self.place(&round.opened.instance),
                    "reason": format!("the step has failed, and the run goes on without it ({})", said(decision)),
                })),
                Answer::Approve => passed.push(json!(gate)),
                Answer::Changes | Answer::Reject => failed.push(json!({
                    "gate_name": gate,
                    "step_id": self.place(&round.opened.instance),
                    "reason": said(decision),
                })),
                Answer::Pass | Answer::Fail | Answer::Choose => {}
            }
        }
        (passed, failed)
    }

    /// Whether a gate asks if the run goes on without what its step should have made: the visit failed, or was cut off too often.
    fn is_without(&self, opened: &GateOpened) -> bool {
        let asks = opened.at == GateAt::After && opened.purpose == Purpose::Approval;
        let visit = self.state.visit(&opened.instance).filter(|_| asks);
        visit
            .and_then(|visit| visit.attempts.last())
            .is_some_and(|attempt| match &attempt.result {
                Some(result) => result.status == ExecutionStatus::Failed,
                None => attempt.interrupted.is_some(),
            })
    }

    fn overall_score(&self) -> Option<f64> {
        engine::scores::of_run(self.state, self.facts.steps().map(|step| &step.id))
    }

    fn mode(&self) -> &'static str {
        let stages = self.created.format.contract().control == Control::Stages && self.facts.is_beside();
        let beside = stages || self.state.forks.all().next().is_some();
        match beside {
            true => "parallel_optimized",
            false => "sequential",
        }
    }

    /// Why nothing goes on until somebody does something.
    fn waits(&self) -> Option<String> {
        if self.state.paused && !self.state.status.ended() {
            return Some(format!("set aside by {}", self.log.paused_by));
        }
        match self.state.status {
            RunStatus::Blocked => self.state.waiting().map(|round| round.opened.question.clone()),
            _ => None,
        }
    }

    fn artifacts(&self) -> Value {
        let paths: Vec<&str> = self
            .state
            .artifacts()
            .into_iter()
            .filter(|(_, made)| !made.was_there)
            .map(|(_, made)| made.path.as_str())
            .collect();
        json!({"generated": paths})
    }

    fn metadata(&self) -> Value {
        let created = self.created;
        let mut out = Map::from_iter([
            ("run_id".to_owned(), json!(created.run_id)),
            ("events".to_owned(), json!(self.state.seq)),
            ("status".to_owned(), json!(StatusWord::of(self.state).as_str())),
        ]);
        if created.is_rehearsal() {
            out.insert("environment".to_owned(), json!("rehearsal"));
        }
        if !created.by.is_empty() {
            out.insert("user_id".to_owned(), json!(created.by));
        }
        if let Some(earlier) = &created.continues {
            let mut from = json!({"run_id": earlier.run(), "events": earlier.events});
            if let Some(checkpoint) = &earlier.back_to {
                from["checkpoint"] = json!(checkpoint);
            }
            out.insert("continues".to_owned(), from);
        }
        if let Some(error) = &self.state.error {
            out.insert("error".to_owned(), json!(error));
        }
        Value::Object(out)
    }
}

/// Whether a gate is about what stands elsewhere in the document: a standard of the project, an issue between agents.
fn is_apart(why: &GateReason) -> bool {
    matches!(why, GateReason::BelowStandard | GateReason::Feedback)
}

/// Who answered, what, and why.
fn said(decision: &Decision) -> String {
    let answered = format!("{}: {}", decision.by, log::word(decision.answer));
    match decision.comment.as_str() {
        "" => answered,
        comment => format!("{answered}: {comment}"),
    }
}

/// A step's place in its file, 1-based; 0: it is not in it.
fn place(facts: &Facts, step: &StepId) -> u32 {
    facts.place(step).unwrap_or(0)
}

/// A time that RFC 3339 can write, whatever the clock said.
fn time(at: At) -> String {
    const LAST: i64 = 253_402_300_799_999;
    rfc3339(At(at.0.clamp(0, LAST)))
}
