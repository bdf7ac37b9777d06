//! A scenario made of what a run did: played again, the same workflow goes the same way.

use super::check::{end, unplayed};
use crate::executor::stub::is_remark;
use crate::inside::RUNS;
use crate::project::as_written;
use engine::{AgentResult, Digest, ExecutionStatus, GateId, GateReason, Instance, RunId, RunState, StepResult, Visit};
use guardrail::{Rules, Stage, Status, check};
use indexmap::IndexMap;
use model::{StepId, Work, Workflow};
use serde_json::{Map, Value, json};
use std::cell::Cell;

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
    /// What had ended it before it was taken up again.
    pub overtaken: &'a Overtaken,
    /// Reads what a step made; files that are no short texts are left out.
    pub text_of: &'a dyn Fn(&Digest) -> Option<String>,
}

/// What had ended a run before somebody took it up again. A script ends there and nobody takes it up, so that it is left out.
#[derive(Debug, Default)]
pub struct Overtaken {
    visits: Vec<Instance>,
    rounds: Vec<(GateId, u32)>,
}

impl Overtaken {
    /// Takes in that a run which had ended like this was taken up again at this step.
    pub fn add(&mut self, before: &RunState, step: &StepId) {
        let rounds = || {
            let opened = before.gates.values().flatten().map(|round| &*round.opened);
            opened.filter(move |opened| opened.instance.step == *step)
        };
        let visits = before.visits_of(step).map(|visit| &visit.instance);
        let all = rounds().map(|opened| &opened.instance).chain(visits);
        let Some(last) = all.max_by_key(|at| at.visit) else {
            return;
        };
        let asked = rounds().filter(|opened| opened.instance == *last);
        self.rounds
            .extend(asked.map(|opened| (opened.gate.clone(), opened.round)));
        self.visits.push(last.clone());
    }
}

/// What a run did, as the value of a scenario file: what every visit came to, what people and the navigator said, how it ended. What is long,
/// or holds a secret or somebody's data, is left out, and the description says so: a scenario lies beside its workflow, for everybody.
pub fn recorded(name: &str, of: &Recorded<'_>) -> Map<String, Value> {
    let state = of.state;
    let texts = Texts::default();
    let of = &Recording { of, texts: &texts };
    let mut steps: IndexMap<&StepId, Vec<Value>> = IndexMap::new();
    let mut navigator: IndexMap<&StepId, Vec<Value>> = IndexMap::new();
    let visits = state.visits().into_iter();
    let visits: Vec<&Visit> = visits
        .filter(|visit| !of.of.overtaken.visits.contains(&visit.instance))
        .collect();
    for visit in &visits {
        let step = &visit.instance.step;
        steps.entry(step).or_default().push(of.entry(visit));
        // What it says is looked up by the visit: one at which it named no way has a place too.
        let said = visit.navigation.as_ref().and_then(|asked| asked.said.as_ref());
        let way = said.and_then(|(said, _)| said.way.as_deref()).unwrap_or_default();
        let mut chosen = json!({"way": way});
        if let Some(reasons) = said.and_then(|(said, _)| texts.kept(&said.reasons)) {
            chosen["reasons"] = reasons.into();
        }
        navigator.entry(step).or_default().push(chosen);
    }
    for (step, at, to) in sent_elsewhere(state) {
        let visits = steps.entry(step).or_default();
        let at = at.min(visits.len());
        visits.insert(at, json!({"jump": to.as_str()}));
    }
    // What only succeeds need not be said.
    let is_plain = |visits: &Vec<Value>| visits.iter().all(|visit| visit == &json!({}));
    steps.retain(|_, visits| !is_plain(visits));
    navigator.retain(|_, said| said.iter().any(|one| one["way"] != ""));
    let gates = of.answers();
    let mut out = Map::new();
    out.insert("name".to_owned(), name.into());
    out.insert("description".to_owned(), of.about().into());
    if let Some(from) = state.created.as_ref().and_then(|created| created.begins_at.as_ref()) {
        out.insert("from".to_owned(), from.to_string().into());
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
    put("gates", gates);
    put("navigator", named(navigator));
    let mut expect = Map::new();
    // How it ends then depends on what the workflow has for a failure.
    if unplayed(state).is_none() {
        expect.insert("status".to_owned(), end(state).into());
    }
    let entered = visits.iter().map(|visit| Value::from(visit.instance.step.to_string()));
    expect.insert("path".to_owned(), entered.collect());
    out.insert("expect".to_owned(), expect.into());
    out
}

/// Where a person sent the run in place of saying how a step went: the step, which of the times that it was asked about, and where to. Whoever
/// was sent elsewhere from it has made no visit.
fn sent_elsewhere(state: &RunState) -> Vec<(&StepId, usize, &StepId)> {
    let mut sent: Vec<(&StepId, usize, &StepId)> = Vec::new();
    for route in &state.routes {
        let engine::RouteReason::Jump(to) = &route.reason else {
            continue;
        };
        if !was_asked(state, &route.from) {
            continue;
        }
        let step = &route.from.step;
        let before = sent.iter().filter(|(other, ..)| *other == step).count();
        let visits = (route.from.visit as usize).saturating_sub(1);
        sent.push((step, visits + before, to));
    }
    sent
}

/// Whether a person was asked how a step went and did not say so.
fn was_asked(state: &RunState, instance: &engine::Instance) -> bool {
    let mut rounds = state.gates.values().flatten();
    rounds.any(|round| {
        let is_outcome = matches!(round.opened.purpose, engine::Purpose::Outcome { .. });
        is_outcome && round.answer.is_none() && round.opened.instance == *instance
    })
}

/// The texts of a run, those that may stand in a scenario and those that may not.
struct Texts {
    rules: Option<Rules>,
    left_out: Cell<usize>,
}

impl Default for Texts {
    fn default() -> Self {
        let looked_for = json!({"enabled": true, "moderation": {"enabled": false}, "rules": {"enabled": false}});
        Self {
            rules: Rules::read(&looked_for).ok(),
            left_out: Cell::new(0),
        }
    }
}

impl Texts {
    /// The text where it may stand there; an empty one need not.
    fn kept<'t>(&self, text: &'t str) -> Option<&'t str> {
        if text.is_empty() {
            return None;
        }
        let found = |rules| check(Stage::Outputs, &json!({"text": text}), rules);
        let report = self.rules.as_ref().and_then(found);
        let is_clean = report.is_some_and(|report| report.status == Status::Passed);
        if text.len() > LONGEST_TEXT || !is_clean {
            self.left_out.set(self.left_out.get() + 1);
            return None;
        }
        Some(text)
    }

    /// A reported value with the texts in it that may stand there.
    fn of_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) if text.is_empty() => value.clone(),
            Value::String(text) => self.kept(text).map_or_else(|| "•••".into(), Value::from),
            Value::Array(items) => items.iter().map(|item| self.of_value(item)).collect(),
            Value::Object(fields) => {
                let fields = fields.iter().map(|(name, value)| (name.clone(), self.of_value(value)));
                Value::Object(fields.collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn about(&self, state: &RunState) -> String {
        let begun = state
            .created_at
            .and_then(|at| chrono::DateTime::from_timestamp_millis(at.0));
        let mut about = match begun {
            Some(begun) => format!("What the run of {} UTC did.", begun.format("%Y-%m-%d %H:%M")),
            None => "What a run did.".to_owned(),
        };
        match self.left_out.get() {
            0 => {}
            1 => about += " One text is left out: it is long, or holds what looks like a secret or somebody’s data.",
            n => {
                about += &format!(
                    " {n} texts are left out: they are long, or hold what looks like a secret or somebody’s data."
                )
            }
        }
        // Nobody was asked there: a script has no place at which it could say so.
        let jumps = state
            .routes
            .iter()
            .filter(|route| matches!(route.reason, engine::RouteReason::Jump(_)) && !was_asked(state, &route.from));
        match jumps.count() {
            0 => {}
            1 => about += " That a person sent it to another step before one began is left out.",
            n => about += &format!(" That a person sent it to another step before one began, {n} times, is left out."),
        }
        about
    }
}

/// A scenario that is being made.
struct Recording<'a> {
    of: &'a Recorded<'a>,
    texts: &'a Texts,
}

impl Recording<'_> {
    /// What the scenario is of, and what of that it leaves out.
    fn about(&self) -> String {
        let mut about = self.texts.about(self.of.state);
        if !self.of.overtaken.visits.is_empty() {
            about += " It was taken up again: what had ended it before that is left out.";
        }
        if let Some(unplayed) = unplayed(self.of.state) {
            about += &format!(" {unplayed}");
        }
        about
    }

    /// What people answered, by the steps that the gates belong to. Permissions are not asked for where nothing is executed, and what a person
    /// carried out is done by the script.
    fn answers(&self) -> Map<String, Value> {
        let state = self.of.state;
        let mut out: IndexMap<String, Vec<Value>> = IndexMap::new();
        let mut rounds: Vec<_> = state.gates.iter().flat_map(|(_, rounds)| rounds).collect();
        rounds.sort_by_key(|round| round.opened_at);
        for round in rounds {
            let by_script = matches!(
                round.opened.why,
                GateReason::Permission | GateReason::ToolApproval | GateReason::Assigned | GateReason::EveryStep
            );
            let (gate, number) = (&round.opened.gate, round.opened.round);
            let is_overtaken = || {
                let mut overtaken = self.of.overtaken.rounds.iter();
                overtaken.any(|(other, nth)| other == gate && *nth == number)
            };
            if by_script || is_overtaken() {
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
            if let Some(comment) = self.texts.kept(&decision.comment) {
                put("comment", comment.into());
            }
            // A step with several gates of its own is told apart by their ids.
            let of_step = |gate: &&engine::GateId| {
                let rounds = state.rounds_of(gate);
                rounds
                    .into_iter()
                    .any(|one| one.opened.instance.step == round.opened.instance.step)
            };
            let step = &round.opened.instance.step;
            let is_only = state.gates.keys().filter(of_step).count() == 1;
            let is_own = round.opened.gate == engine::GateId::of(&self.of.workflow.id, step);
            let key = match is_only && is_own {
                true => step.to_string(),
                false => round.opened.gate.to_string(),
            };
            out.entry(key).or_default().push(reply.into());
        }
        out.into_iter().map(|(key, replies)| (key, replies.into())).collect()
    }

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
        if let Some(error) = result.error.as_deref().and_then(|error| self.texts.kept(error)) {
            put("error", error.into());
        }
        if !result.receipt_readable {
            put("receipt", "unreadable".into());
        }
        // Of several agents each says its own.
        if result.agents.is_empty() {
            let mut report: Map<String, Value> = result.report.clone().into_iter().collect();
            // Which runs carried it out is of this run alone.
            if self.runs_others(step) {
                report.shift_remove(RUNS);
            }
            if !report.is_empty() {
                put("report", self.texts.of_value(&Value::Object(report)));
            }
            if !self.is_remark(step, result)
                && let Some(output) = self.texts.kept(&result.output)
            {
                put("output", output.into());
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
            let text = is_short.then(|| (self.of.text_of)(&made.digest)).flatten()?;
            let text = match text.is_empty() {
                true => "",
                false => self.texts.kept(&text)?,
            };
            Some((as_written(&made.path, self.of.run), Value::from(text)))
        });
        let texts: Map<String, Value> = texts.collect();
        if !texts.is_empty() {
            put("artifacts", texts.into());
        }
        out
    }

    fn runs_others(&self, step: &StepId) -> bool {
        let step = self.of.workflow.step(step);
        step.is_some_and(|step| matches!(step.work, Work::SubWorkflow { .. }))
    }

    /// What a rehearsal says of itself is nothing that somebody said, and neither is what the runs inside a step came to: the scenario
    /// does not go through them.
    fn is_remark(&self, step: &StepId, result: &StepResult) -> bool {
        if self.runs_others(step) && result.report.contains_key(RUNS) {
            return true;
        }
        let step = self.of.workflow.step(step);
        step.is_some_and(|step| is_remark(&result.output, step, result.status))
    }
}
