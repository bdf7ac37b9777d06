//! `decision_log`, `validation_history` and `checkpoints`: what was decided, checked and asked, in the order in which it happened.

use super::time;
use crate::{Facts, Stored};
use engine::{Answer, At, Decision, Event, Moved, RouteDecision, RouteKind, RouteReason, RouteSource, RunState};
use model::StepId;
use serde_json::{Map, Value, json};

/// What a session lists of a log, gathered event by event.
#[derive(Debug, Default)]
pub(crate) struct Log {
    /// When the run was created.
    pub(super) began: At,
    /// Who set it aside last.
    pub(super) paused_by: String,
    pub(super) decisions: Vec<Value>,
    /// Each with the step whose place in the file it is to name.
    validations: Vec<(StepId, Value)>,
    checkpoints: Vec<(StepId, Value)>,
}

/// One decision; what is not known of it is left out.
struct Decided<'a> {
    kind: &'static str,
    maker: &'a str,
    decision: String,
    reasoning: Option<String>,
    alternatives: Vec<String>,
}

impl Log {
    /// Takes up the next event, which the state has taken up.
    pub(crate) fn push(&mut self, stored: &Stored, state: &RunState) {
        if let Some(decided) = decided(&stored.event, state) {
            self.decisions.push(decided.entry(stored.at));
        }
        match &stored.event {
            Event::RunCreated(_) => self.began = stored.at,
            Event::Paused { by } => self.paused_by.clone_from(by),
            // That is where a run can be taken up.
            Event::GateOpened(opened) => {
                let entry = json!({
                    "id": format!("{}#{}", opened.gate, opened.round),
                    "timestamp": time(stored.at),
                    "description": opened.question,
                });
                self.checkpoints.push((opened.instance.step.clone(), entry));
            }
            Event::AttemptEnded { instance, result, .. } => {
                let attempt = state.visit(instance).and_then(|visit| visit.attempts.last());
                let agent = attempt.and_then(|attempt| attempt.started.agents.first());
                let mut validated = |kind: Value, passed: bool, details: Value| {
                    let mut entry = Map::from_iter([
                        ("timestamp".to_owned(), json!(time(stored.at))),
                        ("validation_type".to_owned(), kind),
                        ("passed".to_owned(), json!(passed)),
                        ("details".to_owned(), details),
                    ]);
                    if let Some(agent) = agent {
                        entry.insert("agent".to_owned(), json!(agent));
                    }
                    self.validations.push((instance.step.clone(), entry.into()));
                };
                let lifecycle = result.lifecycle.as_ref();
                if let Some(validation) = lifecycle.and_then(|lifecycle| lifecycle.validation.as_ref()) {
                    let details = json!({"checks": validation.checks});
                    validated(json!(validation.policy), validation.passed, details);
                }
                let standards = state.created.as_deref().map(engine::RunCreated::standards);
                for held in standards.into_iter().flat_map(|standards| result.held(&standards)) {
                    let details =
                        json!({"gate": held.standard.key(), "reported": held.reported, "wanted": held.wanted});
                    validated(json!("quality_gate"), held.is_met(), details);
                }
            }
            _ => {}
        }
    }

    pub(super) fn validations(&self, facts: &Facts) -> Vec<Value> {
        placed(&self.validations, facts)
    }

    pub(super) fn checkpoints(&self, facts: &Facts) -> Vec<Value> {
        placed(&self.checkpoints, facts)
    }
}

fn placed(entries: &[(StepId, Value)], facts: &Facts) -> Vec<Value> {
    let with_place = entries.iter().map(|(step, entry)| {
        let mut entry = entry.clone();
        entry["step_id"] = json!(super::place(facts, step));
        entry
    });
    with_place.collect()
}

impl Decided<'_> {
    fn entry(self, at: At) -> Value {
        let mut entry = Map::from_iter([
            ("timestamp".to_owned(), json!(time(at))),
            ("decision_type".to_owned(), json!(self.kind)),
            ("decision_maker".to_owned(), json!(self.maker)),
            ("decision".to_owned(), json!(self.decision)),
        ]);
        if let Some(reasoning) = self.reasoning.filter(|said| !said.is_empty()) {
            entry.insert("reasoning".to_owned(), json!(reasoning));
        }
        if !self.alternatives.is_empty() {
            entry.insert("alternatives_considered".to_owned(), json!(self.alternatives));
        }
        Value::Object(entry)
    }
}

fn decided<'a>(event: &'a Event, state: &RunState) -> Option<Decided<'a>> {
    Some(match event {
        Event::RunCreated(created) => Decided {
            kind: "workflow_selection",
            maker: if created.by.is_empty() {
                &created.initiator
            } else {
                &created.by
            },
            decision: created.workflow.to_string(),
            reasoning: created.subject.clone(),
            alternatives: Vec::new(),
        },
        Event::AttemptEnded {
            instance,
            result,
            retry_at: Some(_),
            ..
        } => Decided {
            kind: "retry_decision",
            maker: "gatehouse",
            decision: format!("{} is tried again", instance.step),
            reasoning: result.error.clone(),
            alternatives: Vec::new(),
        },
        Event::AttemptInterrupted {
            instance,
            reason,
            retry_at: Some(_),
            ..
        } => Decided {
            kind: "retry_decision",
            maker: "gatehouse",
            decision: format!("{} is tried again", instance.step),
            reasoning: Some(reason.clone()),
            alternatives: Vec::new(),
        },
        Event::Paused { by } => Decided {
            kind: "workflow_pause",
            maker: by,
            decision: "no further step begins".to_owned(),
            reasoning: None,
            alternatives: Vec::new(),
        },
        Event::GateAnswered(decision) => Decided {
            kind: match overrides(decision, state) {
                true => "quality_gate_override",
                false => "adaptive_routing",
            },
            maker: &decision.by,
            decision: match &decision.way {
                Some(way) => format!("{}: {} {way}", decision.gate, word(decision.answer)),
                None => format!("{}: {}", decision.gate, word(decision.answer)),
            },
            reasoning: Some(decision.comment.clone()),
            alternatives: Vec::new(),
        },
        Event::SentBack(sent) => Decided {
            kind: "adaptive_routing",
            maker: if sent.by_person { "person" } else { "step" },
            decision: format!("{} is done again, and what lies between", joined(&sent.to)),
            reasoning: Some(format!("feedback of {}", sent.from.step)),
            alternatives: Vec::new(),
        },
        Event::Routed(route) if has_weight(route) => Decided {
            kind: kind(route),
            maker: maker(route.source),
            decision: match &route.to {
                Some(to) => format!("{} leads to {to}", route.from.step),
                None => format!("{} is the last", route.from.step),
            },
            reasoning: Some(route.reason.to_string()),
            alternatives: route
                .alternatives
                .iter()
                .filter_map(|other| Some(other.to.as_ref()?.to_string()))
                .collect(),
        },
        _ => return None,
    })
}

fn joined(steps: &[StepId]) -> String {
    let names: Vec<&str> = steps.iter().map(StepId::as_str).collect();
    names.join(", ")
}

/// Whether a person lets a result go on that is below the project's quality standards.
fn overrides(decision: &Decision, state: &RunState) -> bool {
    let mut rounds = state.rounds_of(&decision.gate);
    let asked = rounds.find(|round| round.opened.round == decision.round);
    asked.is_some_and(|round| round.opened.overrides(decision.answer))
}

/// An answer in the word of the log.
pub(super) fn word(answer: Answer) -> String {
    json!(answer).as_str().unwrap_or_default().to_owned()
}

/// Whether there was something to decide: a way that nothing else could have been is none.
fn has_weight(route: &RouteDecision) -> bool {
    let ruled = matches!(route.source, RouteSource::FastPath | RouteSource::Deterministic);
    !ruled || !route.alternatives.is_empty() || kind(route) != "adaptive_routing" || route.decision == RouteKind::Loop
}

/// The kind of decision that a route is, in the seed's words.
fn kind(route: &RouteDecision) -> &'static str {
    match (&route.reason, route.source) {
        (RouteReason::Fork { .. }, _) => "parallel_execution",
        (reason, _) if matches!(reason.moved(), Some(Moved::Retry { .. })) => "retry_decision",
        (_, RouteSource::Escalate) => "agent_escalation",
        _ => "adaptive_routing",
    }
}

fn maker(source: RouteSource) -> &'static str {
    match source {
        RouteSource::FastPath | RouteSource::Deterministic => "rules of the workflow",
        RouteSource::Person => "person",
        RouteSource::Navigator | RouteSource::NavigatorDetour => "navigator",
        RouteSource::EnvelopeFallback => "step",
        RouteSource::Escalate => "escalation",
    }
}
