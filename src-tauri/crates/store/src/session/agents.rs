//! `agent_contexts`: what each agent did, over all its attempts.

use super::{Of, time};
use engine::{Artifact, At, AttemptState, Decision, ExecutionStatus, GateReason, Instance, Purpose, StepResult, Visit};
use indexmap::IndexMap;
use model::{AgentKey, Step};
use serde_json::{Map, Value, json};

/// Who does a step that names nobody.
pub(super) const NOBODY: &str = "unnamed";

/// What one agent came to in one attempt.
struct Part<'a> {
    step: &'a str,
    visit: &'a Visit,
    attempt: u32,
    began: At,
    ended: Option<At>,
    /// Absent while it works, and where it was cut off.
    result: Option<&'a StepResult>,
    cut_off: bool,
    /// Who took the step over behind this attempt.
    escalated_to: Option<&'a str>,
    /// Of a step that several people were asked to do: who was asked, and the answer that one of them gave for all.
    answered: Option<(Vec<&'a AgentKey>, &'a Decision)>,
    /// Somebody else of them gave it.
    stood_by: bool,
}

impl Of<'_> {
    pub(super) fn agents(&self) -> Map<String, Value> {
        let mut parts: IndexMap<String, Vec<Part<'_>>> = IndexMap::new();
        let mut all = self.state.visits();
        all.sort_by_key(|visit| visit.number);
        for visit in all {
            for (n, attempt) in visit.attempts.iter().enumerate() {
                let next = visit.attempts.get(n + 1).map(|next| &next.started.agents);
                let other = next.filter(|next| **next != attempt.started.agents);
                let other = other.or_else(|| self.asked_to_take_over(&visit.instance).filter(|_| next.is_none()));
                let other = other.and_then(|next| next.first()).map(AgentKey::as_str);
                for (agent, part) in self.each(visit, attempt) {
                    parts.entry(agent).or_default().push(Part {
                        escalated_to: other,
                        ..part
                    });
                }
            }
        }
        let mut agents: Map<String, Value> = Map::new();
        for (agent, parts) in &parts {
            let mut context = context(parts, self.state.status.ended());
            if let Some(inputs) = self.inputs(agent, Some(parts)) {
                context["inputs"] = inputs;
            }
            if let Some(last) = parts.last()
                && let Some(event) = self.log.begun(&last.visit.instance, last.attempt)
            {
                context["context_snapshot_id"] = json!(format!("{}@{event}", self.created.run_id));
            }
            let received = self.feedback_received(agent);
            if !received.is_empty() {
                context["feedback_received"] = received.into();
            }
            agents.insert(agent.clone(), context);
        }
        for step in self.facts.steps() {
            for agent in &step.agents {
                let known = agents.contains_key(agent.as_str());
                if !known {
                    let mut context = json!({"status": "pending"});
                    if let Some(inputs) = self.inputs(agent.as_str(), None) {
                        context["inputs"] = inputs;
                    }
                    agents.insert(agent.to_string(), context);
                }
            }
        }
        agents
    }

    /// What the steps of an agent take, as they name it, and which files of that were there when it began last. `None`: they name nothing.
    fn inputs(&self, agent: &str, parts: Option<&[Part<'_>]>) -> Option<Value> {
        let theirs = |step: &Step| {
            let does = parts.into_iter().flatten().any(|part| part.step == step.id.as_str());
            does || step.agents.iter().any(|one| one.as_str() == agent)
        };
        let mut required: Vec<&String> = Vec::new();
        for step in self.facts.steps().filter(|step| theirs(step)) {
            for input in &step.inputs {
                if !required.contains(&input) {
                    required.push(input);
                }
            }
        }
        if required.is_empty() {
            return None;
        }
        let mut received = Map::new();
        if let Some(last) = parts.and_then(<[_]>::last) {
            let taken = self
                .facts
                .get(&last.visit.instance.step)
                .map_or(&[][..], |step| step.inputs.as_slice());
            for made in self.made_before(last) {
                if taken.iter().any(|input| engine::gate::names(input, &made.path)) {
                    received.insert(made.path.clone(), json!({"digest": made.digest}));
                }
            }
        }
        Some(json!({"required": required, "received": received}))
    }

    /// What had been made, the latest of each path last, when an attempt began.
    fn made_before(&self, part: &Part<'_>) -> impl Iterator<Item = &Artifact> {
        let (began, number) = (part.began, part.visit.number);
        let before = self
            .state
            .visits()
            .into_iter()
            .filter(move |visit| visit.number < number);
        let attempts = before.flat_map(|visit| &visit.attempts);
        let ended = attempts.filter(move |attempt| attempt.ended_at.is_some_and(|at| at <= began));
        ended
            .filter_map(|attempt| attempt.result.as_deref())
            .flat_map(|result| &result.artifacts)
    }

    /// What each agent of an attempt came to. Of several people who were asked with one question the one who answered did it: whoever goes by the name
    /// of the answer, else the first of them, in whose place it stands.
    fn each<'a>(&'a self, visit: &'a Visit, attempt: &'a AttemptState) -> Vec<(String, Part<'a>)> {
        let started = &attempt.started;
        let whole = |result: Option<&'a StepResult>| Part {
            step: visit.instance.step.as_str(),
            visit,
            attempt: started.attempt,
            began: attempt.started_at,
            ended: attempt.ended_at,
            result,
            cut_off: attempt.interrupted.is_some(),
            escalated_to: None,
            answered: None,
            stood_by: false,
        };
        if started.agents.is_empty() {
            return vec![(NOBODY.to_owned(), whole(attempt.result.as_deref()))];
        }
        let several = attempt
            .result
            .as_ref()
            .map_or(&[][..], |result| result.agents.as_slice());
        let part = |agent: &AgentKey| match several.iter().find(|one| one.agent == *agent) {
            Some(one) => Part {
                began: one.started_at,
                ended: Some(one.ended_at),
                result: Some(&one.result),
                ..whole(None)
            },
            None => whole(attempt.result.as_deref()),
        };
        let people = started.people();
        let answer = (people.len() > 1).then(|| self.answer(attempt)).flatten();
        let of_people = |agent: &AgentKey, answer: &'a Decision| {
            let is_by = |one: &&&AgentKey| one.as_str().to_lowercase() == answer.by.trim().to_lowercase();
            let place = people[0];
            let who = people.iter().find(is_by).copied().unwrap_or(place);
            let is_who = who == agent;
            Part {
                result: part(place).result.filter(|_| is_who),
                answered: Some((people.clone(), answer)),
                stood_by: !is_who,
                ..part(place)
            }
        };
        let each = started.agents.iter().map(|agent| {
            let part = match answer {
                Some(answer) if people.contains(&agent) => of_people(agent, answer),
                _ => part(agent),
            };
            (agent.to_string(), part)
        });
        each.collect()
    }

    /// What was said of the work of a step before an attempt took it up.
    fn answer(&self, attempt: &AttemptState) -> Option<&Decision> {
        let rounds = self.state.gates.values().flatten();
        let about = rounds.filter(|round| {
            let opened = &round.opened;
            matches!(opened.purpose, Purpose::Outcome { .. }) && opened.instance == attempt.started.instance
        });
        let answered = about.filter_map(|round| round.answer.as_ref());
        let before = answered.filter(|(_, at)| *at <= attempt.started_at);
        before.max_by_key(|(_, at)| *at).map(|(decision, _)| &**decision)
    }

    /// Who has been asked to take a visit over that has failed for good, and has not answered.
    fn asked_to_take_over(&self, instance: &Instance) -> Option<&Vec<AgentKey>> {
        let open = self
            .state
            .gates
            .values()
            .flatten()
            .filter(|round| round.answer.is_none());
        let mut open = open.map(|round| &round.opened);
        let asked = open.find(|opened| opened.why == GateReason::Escalated && opened.instance == *instance);
        asked.map(|opened| &opened.asks)
    }
}

/// `over`: the run has ended, so that nobody is at work any more.
fn context(parts: &[Part<'_>], over: bool) -> Value {
    let mut out = Map::new();
    let last = &parts[parts.len() - 1];
    let status = match last.result.map(|result| result.status) {
        _ if last.stood_by => "skipped",
        _ if last.cut_off => "failed",
        None | Some(ExecutionStatus::Blocked) if over => "failed",
        None | Some(ExecutionStatus::Blocked) => "in_progress",
        Some(ExecutionStatus::Succeeded) => "completed",
        Some(ExecutionStatus::Failed) => "failed",
        Some(ExecutionStatus::Skipped) => "skipped",
    };
    out.insert("status".to_owned(), json!(status));
    if let Some(first) = parts.iter().find(|part| !part.stood_by) {
        out.insert("execution_start".to_owned(), json!(time(first.began)));
    }
    if let Some(ended) = last.ended.filter(|_| status != "in_progress" && !last.stood_by) {
        out.insert("execution_end".to_owned(), json!(time(ended)));
    }
    let took: u64 = parts
        .iter()
        .filter_map(|part| part.result)
        .map(|result| result.duration_ms)
        .sum();
    out.insert("duration_ms".to_owned(), json!(took));
    out.insert("outputs".to_owned(), Value::Object(outputs(parts)));
    let results: Vec<Value> = parts.iter().filter_map(|part| validation(part.result?)).collect();
    if !results.is_empty() {
        out.insert("validation_results".to_owned(), results.into());
    }
    let answers: Vec<Value> = parts.iter().filter_map(answer).collect();
    if !answers.is_empty() {
        out.insert("answers".to_owned(), answers.into());
    }
    if let Some(other) = last.escalated_to {
        out.insert("escalated_to".to_owned(), json!(other));
    }
    let retries = parts.iter().filter(|part| part.attempt > 1 && !part.stood_by).count();
    out.insert("retries".to_owned(), json!(retries));
    Value::Object(out)
}

/// At which visit of which step several people were asked with one question, and who of them answered it for all.
fn answer(part: &Part<'_>) -> Option<Value> {
    let (asked, answer) = part.answered.as_ref()?;
    let asked: Vec<&str> = asked.iter().map(|one| one.as_str()).collect();
    let mut said = json!({
        "step": part.step,
        "visit": part.visit.instance.visit,
        "attempt": part.attempt,
        "asked": asked,
        "answered_by": answer.by,
    });
    if !part.visit.instance.path.is_empty() {
        said["instance"] = json!(part.visit.instance.path);
    }
    Some(said)
}

/// What it reported of each step, and each file that it made. Of a step that it did more than once the scores of each round stand beside those of the
/// last one.
fn outputs(parts: &[Part<'_>]) -> Map<String, Value> {
    let mut out = Map::new();
    let mut rounds: IndexMap<&str, Vec<Value>> = IndexMap::new();
    for part in parts {
        let Some(result) = part.result else { continue };
        let passed = result
            .lifecycle
            .as_ref()
            .and_then(|lifecycle| lifecycle.validation.as_ref())
            .map(|validation| validation.passed);
        let mut said = Map::new();
        if !result.report.is_empty() {
            said.insert("structured_data".to_owned(), json!(result.report));
            let scores = engine::scores::of(&result.report);
            if !scores.is_empty() {
                let scores = scores
                    .into_iter()
                    .map(|(score, value)| (score.field().to_owned(), json!(value)));
                let scores: Map<String, Value> = scores.collect();
                rounds.entry(part.step).or_default().push(Value::Object(scores.clone()));
                said.insert("quality_metrics".to_owned(), Value::Object(scores));
            }
        }
        if let Some(passed) = passed {
            said.insert("validation_passed".to_owned(), json!(passed));
        }
        if !said.is_empty() {
            out.insert(part.step.to_owned(), Value::Object(said));
        }
        // What was there before the run is shown, and nobody in it made it.
        for artifact in result.artifacts.iter().filter(|artifact| !artifact.was_there) {
            out.insert(artifact.path.to_string(), json!({"file_reference": artifact.path}));
        }
    }
    for (step, scores) in rounds.into_iter().filter(|(_, scores)| scores.len() > 1) {
        if let Some(Value::Object(said)) = out.get_mut(step) {
            said.insert("quality_rounds".to_owned(), scores.into());
        }
    }
    out
}

fn validation(result: &StepResult) -> Option<Value> {
    let validation = result.lifecycle.as_ref()?.validation.as_ref()?;
    let errors: Vec<String> = validation
        .checks
        .iter()
        .filter(|check| !check.message.is_empty())
        .map(|check| format!("{}: {}: {}", check.target, check.check, check.message))
        .collect();
    Some(json!({"type": "checklist", "passed": validation.passed, "errors": errors}))
}
