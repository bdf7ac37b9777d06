//! `decision_log`, `validation_history` and `checkpoints`: what was decided, checked and asked, in the order in which it happened.

use super::time;
use crate::{Facts, Stored};
use engine::{
    Answer, At, Checkpoint, Decision, Event, GateId, GateReason, Instance, Moved, RouteDecision, RouteKind,
    RouteReason, RouteSource, RunState, Settled, StageEnd,
};
use model::StepId;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// What a session lists of a log, gathered event by event.
#[derive(Debug, Default)]
pub(crate) struct Log {
    /// When the run was created.
    pub(super) began: At,
    /// Who set it aside last.
    pub(super) paused_by: String,
    /// The event before which each attempt began.
    begun: HashMap<(Instance, u32), u64>,
    decisions: Vec<(At, Decided)>,
    /// Each with the step whose place in the file it is to name.
    validations: Vec<(Option<StepId>, Value)>,
    checkpoints: Vec<(Option<StepId>, Value)>,
}

/// One decision; what is not known of it is left out.
#[derive(Debug)]
struct Decided {
    kind: &'static str,
    maker: String,
    /// In words, with `{}` for each of the steps.
    decision: String,
    steps: Vec<StepId>,
    reasoning: Option<String>,
    /// Steps and agents.
    alternatives: Vec<String>,
}

impl Log {
    /// The event before which an attempt began; `None`: it is the answer of a person.
    pub(super) fn begun(&self, instance: &Instance, attempt: u32) -> Option<u64> {
        self.begun.get(&(instance.clone(), attempt)).copied()
    }

    /// Takes up the next event, which the state has taken up.
    pub(crate) fn push(&mut self, stored: &Stored, state: &RunState) {
        if let Some(made) = Checkpoint::of(&stored.event) {
            let mut entry = json!({
                "id": made.id(stored.seq),
                "timestamp": time(stored.at),
                "description": made.name(),
                "event": stored.seq,
            });
            if let Checkpoint::Person(by) = &made {
                entry["by"] = json!(by.by);
            }
            if made.is_named() {
                entry["checkpoint_file"] = json!(file_of(stored.seq));
            }
            let step = made.instance(state).map(|instance| instance.step.clone());
            self.checkpoints.push((step, entry));
        }
        if let Some(decided) = decided(&stored.event, state) {
            self.decisions.push((stored.at, decided));
        }
        match &stored.event {
            Event::RunCreated(_) => self.began = stored.at,
            Event::Paused { by, .. } => self.paused_by.clone_from(by),
            Event::AttemptStarted(started) => {
                let attempt = (started.instance.clone(), started.attempt);
                self.begun.insert(attempt, stored.seq.saturating_sub(1));
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
                    self.validations.push((Some(instance.step.clone()), entry.into()));
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

    pub(super) fn decisions(&self, facts: &Facts) -> Vec<Value> {
        self.decisions
            .iter()
            .map(|(at, decided)| decided.entry(*at, facts))
            .collect()
    }

    pub(super) fn validations(&self, facts: &Facts) -> Vec<Value> {
        placed(&self.validations, facts)
    }

    pub(super) fn checkpoints(&self, facts: &Facts) -> Vec<Value> {
        placed(&self.checkpoints, facts)
    }
}

/// The file of the run's folder that holds the session as it stood at a checkpoint that somebody named.
pub(crate) fn file_of(seq: u64) -> String {
    format!("checkpoints/{seq}.json")
}

fn placed(entries: &[(Option<StepId>, Value)], facts: &Facts) -> Vec<Value> {
    let with_place = entries.iter().map(|(step, entry)| {
        let mut entry = entry.clone();
        entry["step_id"] = json!(step.as_ref().map_or(0, |step| super::place(facts, step)));
        entry
    });
    with_place.collect()
}

impl Decided {
    /// As it stands in the document: steps by the names that people read.
    fn entry(&self, at: At, facts: &Facts) -> Value {
        let name = |step: &StepId| {
            let name = facts
                .get(step)
                .map(|step| step.name.trim())
                .filter(|name| !name.is_empty());
            format!("“{}”", name.unwrap_or(step.as_str()))
        };
        let mut parts = self.decision.split("{}");
        let mut said = parts.next().unwrap_or_default().to_owned();
        for (n, part) in parts.enumerate() {
            said.push_str(&self.steps.get(n).map_or_else(|| "{}".to_owned(), name));
            said.push_str(part);
        }
        let alternatives: Vec<String> = self
            .alternatives
            .iter()
            .map(|other| {
                let step = StepId::new(other.as_str());
                facts.get(&step).map_or_else(|| other.clone(), |_| name(&step))
            })
            .collect();
        let mut entry = Map::from_iter([
            ("timestamp".to_owned(), json!(time(at))),
            ("decision_type".to_owned(), json!(self.kind)),
            ("decision_maker".to_owned(), json!(self.maker)),
            ("decision".to_owned(), json!(said)),
        ]);
        if let Some(reasoning) = self.reasoning.as_ref().filter(|said| !said.is_empty()) {
            entry.insert("reasoning".to_owned(), json!(reasoning));
        }
        if !alternatives.is_empty() {
            entry.insert("alternatives_considered".to_owned(), json!(alternatives));
        }
        Value::Object(entry)
    }
}

fn decided(event: &Event, state: &RunState) -> Option<Decided> {
    Some(match event {
        Event::RunCreated(created) => Decided {
            kind: "workflow_selection",
            maker: if created.by.is_empty() {
                created.initiator.clone()
            } else {
                created.by.clone()
            },
            decision: created.workflow.to_string(),
            steps: Vec::new(),
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
            maker: "gatehouse".to_owned(),
            decision: "{} is tried again".to_owned(),
            steps: vec![instance.step.clone()],
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
            maker: "gatehouse".to_owned(),
            decision: "{} is tried again".to_owned(),
            steps: vec![instance.step.clone()],
            reasoning: Some(reason.clone()),
            alternatives: Vec::new(),
        },
        Event::AttemptStarted(started) => {
            let visit = state.visit(&started.instance)?;
            let before = visit.attempts.iter().rev().nth(1)?;
            // Of a person it was said when they were asked.
            (before.started.agents != started.agents && !started.engine.is_person()).then_some(())?;
            Decided {
                kind: "agent_escalation",
                maker: maker(RouteSource::Deterministic).to_owned(),
                decision: format!("{{}} goes to {}", listed(&started.agents)),
                steps: vec![started.instance.step.clone()],
                reasoning: before.result.as_ref().and_then(|result| result.error.clone()),
                alternatives: before.started.agents.iter().map(ToString::to_string).collect(),
            }
        }
        Event::GateOpened(opened) if matches!(opened.why, GateReason::Escalated | GateReason::Feedback) => {
            let whom = match opened.asks.as_slice() {
                [] => "a person".to_owned(),
                named => braceless(&listed(named)),
            };
            let last = state.visit(&opened.instance).and_then(|visit| visit.attempts.last());
            let (decision, reasoning) = match opened.why {
                GateReason::Feedback => (
                    format!("what {{}} reports to earlier steps goes to {whom}"),
                    Some(opened.question.clone()),
                ),
                _ => (
                    format!("{{}} goes to {whom}"),
                    last.and_then(|last| last.result.as_ref()?.error.clone()),
                ),
            };
            Decided {
                kind: "agent_escalation",
                maker: maker(RouteSource::Deterministic).to_owned(),
                decision,
                steps: vec![opened.instance.step.clone()],
                reasoning,
                alternatives: Vec::new(),
            }
        }
        // Where a person was asked, their answer says it.
        Event::Settled(settled) if is_left_out_by_rule(settled, state) => Decided {
            kind: "adaptive_routing",
            maker: maker(RouteSource::Deterministic).to_owned(),
            decision: "{} is left out".to_owned(),
            steps: vec![settled.step.clone()],
            reasoning: settled.spared.clone(),
            alternatives: vec![],
        },
        Event::Paused { by, .. } => Decided {
            kind: "workflow_pause",
            maker: by.clone(),
            decision: "no further step begins".to_owned(),
            steps: Vec::new(),
            reasoning: None,
            alternatives: Vec::new(),
        },
        Event::GateAnswered(decision) => Decided {
            kind: match overrides(decision, state) {
                true => "quality_gate_override",
                false => "adaptive_routing",
            },
            maker: decision.by.clone(),
            decision: match (step_of(decision, state), &decision.way) {
                (Some(_), Some(way)) => format!("{{}}: {} {}", word(decision.answer), braceless(way)),
                (Some(_), None) => format!("{{}}: {}", word(decision.answer)),
                (None, _) => format!("{}: {}", decision.gate, word(decision.answer)),
            },
            steps: step_of(decision, state).into_iter().collect(),
            reasoning: Some(decision.comment.clone()),
            alternatives: Vec::new(),
        },
        Event::SentBack(sent) => Decided {
            kind: "adaptive_routing",
            maker: if sent.by_person { "person" } else { "step" }.to_owned(),
            decision: format!(
                "{} is done again, and what lies between",
                vec!["{}"; sent.to.len()].join(", ")
            ),
            steps: sent.to.clone(),
            reasoning: Some(match sent.rejected {
                true => format!("rejection of {}", sent.from.step),
                false => format!("feedback of {}", sent.from.step),
            }),
            alternatives: Vec::new(),
        },
        Event::Routed(route) if has_weight(route) => Decided {
            kind: kind(route),
            maker: maker(route.source).to_owned(),
            decision: match &route.to {
                Some(_) => "{} leads to {}".to_owned(),
                None => "{} is the last".to_owned(),
            },
            steps: std::iter::once(&route.from.step).chain(&route.to).cloned().collect(),
            reasoning: Some(reasoning(route)),
            alternatives: route
                .alternatives
                .iter()
                .filter_map(|other| Some(other.to.as_ref()?.to_string()))
                .collect(),
        },
        _ => return None,
    })
}

fn is_left_out_by_rule(settled: &Settled, state: &RunState) -> bool {
    let was_asked = |created: &std::sync::Arc<engine::RunCreated>| {
        let gate = GateId::whether(&created.workflow, &settled.step);
        state.gates.get(&gate).is_some_and(|rounds| !rounds.is_empty())
    };
    let by_rule = settled.status == StageEnd::Skipped && settled.spared.is_some() && !settled.is_left_out_by_agent();
    by_rule && !state.created.as_ref().is_some_and(was_asked)
}

/// Why a route was taken: of issues that led back what was reported, else the contract's reason.
fn reasoning(route: &RouteDecision) -> String {
    match route.reason {
        RouteReason::Feedback(_) => {
            let said = route.looked_at.values().filter_map(Value::as_str);
            said.collect::<Vec<_>>().join(" ")
        }
        _ => route.reason.to_string(),
    }
}

/// The step at whose gate somebody answered.
fn step_of(decision: &Decision, state: &RunState) -> Option<StepId> {
    let asked = state.rounds_of(&decision.gate).next_back()?;
    Some(asked.opened.instance.step.clone())
}

/// A text in which nothing stands for a step.
fn braceless(text: &str) -> String {
    text.replace("{}", "")
}

fn listed(agents: &[model::AgentKey]) -> String {
    agents
        .iter()
        .map(model::AgentKey::as_str)
        .collect::<Vec<_>>()
        .join(", ")
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
