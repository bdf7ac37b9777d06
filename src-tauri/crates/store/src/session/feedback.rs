//! `feedback_loops` and `feedback_received`: what agents reported to those before them, and what came of it.

use super::agents::NOBODY;
use super::{Of, place, time};
use engine::{FeedbackGiven, FeedbackKind, FeedbackLoop, FeedbackSeverity, FeedbackTarget};
use model::AgentKey;
use serde_json::{Map, Value, json};

impl Of<'_> {
    /// Every loop, in the order opened. Only what the seed has a word for stands in its own fields; ours stand beside.
    pub(super) fn feedback_loops(&self) -> Vec<Value> {
        self.state.feedback.all().map(|one| self.feedback_loop(one)).collect()
    }

    fn feedback_loop(&self, one: &FeedbackLoop) -> Value {
        let last = one.last();
        let steps = last.targets.iter().filter_map(|target| target.step.as_ref());
        let mut out = Map::from_iter([
            ("id".to_owned(), json!(last.id)),
            ("triggered_at".to_owned(), json!(time(one.opened_at()))),
            ("source_agent".to_owned(), json!(source(last))),
            ("target_agents".to_owned(), json!(self.targets(last))),
            ("description".to_owned(), json!(last.message)),
            ("status".to_owned(), json!(one.status.word())),
            ("type".to_owned(), json!(last.kind)),
            ("severity".to_owned(), json!(last.severity)),
            ("reported".to_owned(), json!(one.given.len())),
            ("source_step".to_owned(), json!(place(self.facts, &last.from.step))),
            (
                "target_steps".to_owned(),
                steps.map(|step| json!(place(self.facts, step))).collect(),
            ),
        ]);
        let asked = self.asked_about(&last.id);
        if !asked.is_empty() {
            out.insert("escalated_to".to_owned(), json!(asked));
        }
        if let Some(word) = issue_type(&last.kind) {
            out.insert("issue_type".to_owned(), json!(word));
        }
        let ended = one.ended.as_ref();
        let unclosed = one
            .acknowledged
            .last()
            .map(|(said, at)| (format!("acknowledged: {}", said.reason), *at));
        if let Some((how, at)) = ended.or(unclosed.as_ref()) {
            out.insert("resolution".to_owned(), json!(how));
            if ended.is_some() {
                out.insert("resolved_at".to_owned(), json!(time(*at)));
            }
        }
        Value::Object(out)
    }

    /// Whom the run has asked about a loop last; empty: nobody, or anybody.
    fn asked_about(&self, id: &String) -> &[AgentKey] {
        let rounds = self.state.gates.values().flatten();
        let asked = rounds.filter(|round| round.opened.feedback.contains(id));
        let last = asked.max_by_key(|round| round.opened_at);
        last.map_or(&[][..], |round| &round.opened.asks)
    }

    /// What was reported to an agent.
    pub(super) fn feedback_received(&self, agent: &str) -> Vec<Value> {
        let all = self.state.feedback.all();
        let theirs = all.filter(|one| self.targets(one.last()).iter().any(|to| to == agent));
        theirs.map(received).collect()
    }

    /// Those whose work is meant: who did the steps, else the name as it was given.
    fn targets(&self, given: &FeedbackGiven) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for name in given.targets.iter().flat_map(|target| self.agents_of(target)) {
            if !out.contains(&name) {
                out.push(name);
            }
        }
        out
    }

    fn agents_of(&self, target: &FeedbackTarget) -> Vec<String> {
        let Some(step) = &target.step else {
            return vec![target.named.clone()];
        };
        let last = self
            .state
            .visits_of(step)
            .next_back()
            .and_then(|visit| visit.attempts.last());
        let did = last.map_or(&[][..], |attempt| attempt.started.agents.as_slice());
        let named = self.facts.get(step).map_or(&[][..], |step| step.agents.as_slice());
        let all: Vec<String> = did.iter().chain(named).map(ToString::to_string).collect();
        match all.contains(&target.named) {
            true => vec![target.named.clone()],
            false if all.is_empty() => vec![NOBODY.to_owned()],
            false => all,
        }
    }
}

fn source(given: &FeedbackGiven) -> String {
    given
        .agent
        .as_ref()
        .map_or_else(|| NOBODY.to_owned(), ToString::to_string)
}

fn received(one: &FeedbackLoop) -> Value {
    let last = one.last();
    let mut out = Map::from_iter([
        ("from_agent".to_owned(), json!(source(last))),
        ("message".to_owned(), json!(last.message)),
        ("resolved".to_owned(), json!(!one.is_open())),
        ("loop".to_owned(), json!(last.id)),
    ]);
    let known = [
        FeedbackKind::Constraint,
        FeedbackKind::Inconsistency,
        FeedbackKind::Suggestion,
        FeedbackKind::ValidationFailure,
    ];
    if known.contains(&last.kind) {
        out.insert("type".to_owned(), json!(last.kind));
    }
    if FeedbackSeverity::ALL.contains(&last.severity) {
        out.insert("severity".to_owned(), json!(last.severity));
    }
    Value::Object(out)
}

/// The seed's word for what a loop is about, where it has one.
fn issue_type(kind: &FeedbackKind) -> Option<&'static str> {
    Some(match kind {
        FeedbackKind::Constraint => "constraint_violation",
        FeedbackKind::Inconsistency => "inconsistency",
        FeedbackKind::MissingRequirement => "missing_requirement",
        FeedbackKind::TechnicalInfeasibility => "technical_infeasibility",
        FeedbackKind::Suggestion | FeedbackKind::ValidationFailure | FeedbackKind::Other(_) => return None,
    })
}
