//! A scenario made of what a run did: played again, the same workflow goes the same way.

use super::check::{path, word};
use crate::executor::stub::remark;
use crate::project::as_written;
use engine::{AgentResult, Digest, ExecutionStatus, GateReason, RunId, RunState, StepResult, Visit};
use indexmap::IndexMap;
use model::{StepId, Workflow};
use serde_json::{Map, Value, json};

/// A longer text of a step, or of a file that it made, is not written into a scenario.
const LONGEST_TEXT: usize = 4_000;

/// What a scenario is made of.
pub struct Recorded<'a> {
    /// The run.
    pub run: &'a RunId,
    /// The version of the workflow that it keeps.
    pub workflow: &'a Workflow,
    /// Where it stands.
    pub state: &'a RunState,
    /// Reads what a step made; files that are no short texts are left out.
    pub text_of: &'a dyn Fn(&Digest) -> Option<String>,
}

/// What a run did, as the value of a scenario file: what every visit came to, what people and the navigator said, how it ended.
pub fn recorded(name: &str, description: &str, of: &Recorded<'_>) -> Map<String, Value> {
    let state = of.state;
    let mut steps: IndexMap<&StepId, Vec<Value>> = IndexMap::new();
    let mut navigator: IndexMap<&StepId, Vec<Value>> = IndexMap::new();
    for visit in state.visits() {
        let step = &visit.instance.step;
        steps.entry(step).or_default().push(of.entry(visit));
        let said = visit.navigation.as_ref().and_then(|asked| asked.said.as_ref());
        if let Some((said, _)) = said
            && let Some(way) = &said.way
        {
            let chosen = json!({"way": way, "reasons": said.reasons});
            navigator.entry(step).or_default().push(chosen);
        }
    }
    // What only succeeds need not be said.
    let is_plain = |visits: &Vec<Value>| visits.iter().all(|visit| visit == &json!({}));
    steps.retain(|_, visits| !is_plain(visits));
    let mut out = Map::new();
    out.insert("name".to_owned(), name.into());
    if !description.is_empty() {
        out.insert("description".to_owned(), description.into());
    }
    let mut put = |key: &str, value: Map<String, Value>| {
        if !value.is_empty() {
            out.insert(key.to_owned(), value.into());
        }
    };
    let named = |all: IndexMap<&StepId, Vec<Value>>| {
        let all = all.into_iter();
        all.map(|(step, visits)| (step.to_string(), Value::from(visits)))
            .collect()
    };
    put("steps", named(steps));
    put("gates", answers(state));
    put("navigator", named(navigator));
    let mut expect = Map::new();
    expect.insert("status".to_owned(), word(state.status).into());
    let entered = path(state).into_iter().map(|step| Value::from(step.to_string()));
    expect.insert("path".to_owned(), entered.collect());
    out.insert("expect".to_owned(), expect.into());
    out
}

/// What people answered, by the steps that the gates belong to. Permissions are not asked for where nothing is executed.
fn answers(state: &RunState) -> Map<String, Value> {
    let mut out: IndexMap<String, Vec<Value>> = IndexMap::new();
    let mut rounds: Vec<_> = state.gates.iter().flat_map(|(_, rounds)| rounds).collect();
    rounds.sort_by_key(|round| round.opened_at);
    for round in rounds {
        if matches!(round.opened.why, GateReason::Permission | GateReason::ToolApproval) {
            continue;
        }
        let Some((decision, _)) = &round.answer else { continue };
        let mut reply = Map::new();
        let mut put = |key: &str, value: Value| drop(reply.insert(key.to_owned(), value));
        put("answer", serde_json::to_value(decision.answer).unwrap_or_default());
        if let Some(way) = &decision.way {
            put("way", way.as_str().into());
        }
        put("by", decision.by.as_str().into());
        if !decision.comment.is_empty() {
            put("comment", decision.comment.as_str().into());
        }
        // A step with several gates of its own is told apart by their ids.
        let of_step = |gate: &&engine::GateId| {
            let rounds = state.rounds_of(gate);
            rounds
                .into_iter()
                .any(|one| one.opened.instance.step == round.opened.instance.step)
        };
        let is_only = state.gates.keys().filter(of_step).count() == 1;
        let key = match is_only {
            true => round.opened.instance.step.to_string(),
            false => round.opened.gate.to_string(),
        };
        out.entry(key).or_default().push(reply.into());
    }
    out.into_iter().map(|(key, replies)| (key, replies.into())).collect()
}

impl Recorded<'_> {
    /// What a step came to at one visit; of one that was tried again what each attempt came to.
    fn entry(&self, visit: &Visit) -> Value {
        let step = &visit.instance.step;
        let results = visit.attempts.iter().filter_map(|attempt| attempt.result.as_deref());
        let results: Vec<&StepResult> = results
            .filter(|result| result.status != ExecutionStatus::Blocked)
            .collect();
        match results.as_slice() {
            [] => json!({}),
            [one] => self.result(step, one).into(),
            many => {
                let attempts: Vec<Value> = many.iter().map(|one| self.result(step, one).into()).collect();
                json!({"attempts": attempts})
            }
        }
    }

    fn result(&self, step: &StepId, result: &StepResult) -> Map<String, Value> {
        let mut out = Map::new();
        let mut put = |key: &str, value: Value| drop(out.insert(key.to_owned(), value));
        if result.status != ExecutionStatus::Succeeded {
            put("status", result.status.word().into());
        }
        if let Some(error) = &result.error {
            put("error", error.as_str().into());
        }
        if !result.receipt_readable {
            put("receipt", "unreadable".into());
        }
        // Of several agents each says its own.
        if result.agents.is_empty() {
            if !result.report.is_empty() {
                put("report", Value::Object(result.report.clone().into_iter().collect()));
            }
            if !result.output.is_empty() && result.output.len() <= LONGEST_TEXT && !self.is_remark(step, result) {
                put("output", result.output.as_str().into());
            }
        } else {
            let part = |one: &AgentResult| {
                let mut part = self.result(step, &one.result);
                part.shift_remove("receipt");
                part.shift_remove("artifacts");
                (one.agent.to_string(), Value::from(part))
            };
            put("agents", result.agents.iter().map(part).collect::<Map<_, _>>().into());
        }
        let made = result.artifacts.iter().filter(|made| !made.was_there);
        let texts = made.filter_map(|made| {
            let is_short = made.bytes <= LONGEST_TEXT as u64;
            let text = is_short.then(|| (self.text_of)(&made.digest)).flatten()?;
            Some((as_written(&made.path, self.run), Value::from(text)))
        });
        let texts: Map<String, Value> = texts.collect();
        if !texts.is_empty() {
            put("artifacts", texts.into());
        }
        out
    }

    /// What a rehearsal says of itself is nothing that somebody said.
    fn is_remark(&self, step: &StepId, result: &StepResult) -> bool {
        let step = self.workflow.step(step);
        step.is_some_and(|step| result.output == remark(&step.name, result.status))
    }
}
