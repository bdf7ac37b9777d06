//! `gates.json`: every time a person was asked, why, and what came of it (seed 000 "Gate audit records"); of a StepSpec
//! run also what the policy says of each step, so that it can be seen why a step did *not* ask.

use super::approvals::{approves, kind, status};
use super::{Record, Round};
use crate::{Facts, rfc3339};
use engine::{At, Decision, GateId, GateOpened, Purpose};
use serde_json::{Value, json};
use std::collections::BTreeSet;

impl Record {
    /// Each round of each gate, in the order in which they were asked.
    pub(super) fn gates(&self, facts: &Facts) -> Vec<Value> {
        let waiting = self.waiting();
        self.rounds
            .iter()
            .map(|round| {
                let opened = &round.opened;
                json!({
                    "id": format!("{}#{}", opened.gate, opened.round),
                    "gate_id": opened.gate,
                    "kind": kind(&opened.purpose),
                    "status": stands(round, &waiting),
                    "reason": opened.why,
                    "phase": facts.get(&opened.instance.step).and_then(|f| f.phase.as_deref()),
                    "workflow": self.created.workflow,
                    "step_id": opened.instance.step,
                    "visit": opened.instance.visit,
                    "round": opened.round,
                    "gate_at": opened.at,
                    "human_gate": opened.requirement,
                    "question": opened.question,
                    "asks": opened.asks,
                    "about": about(&opened.purpose),
                    "below_standard": below(opened),
                    "feedback": opened.feedback,
                    "opened_at": rfc3339(round.opened_at),
                    "decision": round.answered().map(details),
                    "approval": round.answered().filter(|(decision, _)| approves(decision.answer)).map(details),
                })
            })
            .collect()
    }

    /// What the run's policy says of every step, in the order of the file.
    pub(super) fn policy(&self, facts: &Facts) -> Value {
        let created = &self.created;
        let says = facts.steps().map(|step| {
            let verdict = created.policy.judge(step, &created.workflow, &created.limits);
            json!({
                "step_id": step.id,
                "phase": step.phase,
                "human_gate": step.gate.as_ref().map_or("none", |gate| gate.requirement.word()),
                "block": verdict.blocks,
                "reason": verdict.reason,
            })
        });
        says.collect()
    }

    /// The rounds that wait for an answer.
    pub(super) fn waiting(&self) -> BTreeSet<(&GateId, u32)> {
        let open = self.state.open_gates().into_iter();
        open.map(|round| (&round.opened.gate, round.opened.round)).collect()
    }
}

/// What there is to say of an answer, whichever it was.
fn details((decision, at): (&Decision, At)) -> Value {
    let mut said = json!({
        "answer": decision.answer,
        "by": decision.by,
        "at": rfc3339(at),
        "via": decision.via,
        "comment": decision.comment,
        "signed": decision.signature.is_some(),
    });
    if let (Some(way), Some(said)) = (&decision.way, said.as_object_mut()) {
        said.insert("way".to_owned(), json!(way));
    }
    said
}

/// `waiting`, what was answered, or `closed`: the run ended or went elsewhere without an answer.
pub(super) fn stands(round: &Round, waiting: &BTreeSet<(&GateId, u32)>) -> &'static str {
    match round.answered() {
        Some((decision, _)) => status(decision.answer),
        None if waiting.contains(&(&round.opened.gate, round.opened.round)) => "waiting",
        None => "closed",
    }
}

/// The quality standards that the result does not meet, as it was asked about.
pub(super) fn below(opened: &GateOpened) -> Value {
    let below = opened.below.iter().map(|held| {
        json!({
            "standard": held.standard.key(),
            "reported": held.reported,
            "wanted": held.wanted,
        })
    });
    below.collect()
}

fn about(purpose: &Purpose) -> Value {
    match purpose {
        Purpose::Approval => Value::Null,
        Purpose::Outcome { pass, fail, .. } => json!({"pass": pass, "fail": fail}),
        Purpose::Tool { ask } => json!({"tool": ask.tool, "args": ask.args, "risk": ask.risk, "call": ask.call}),
        Purpose::Permission { needs } => json!({"needs": needs}),
        Purpose::Way { ways } => json!({"ways": ways}),
    }
}
