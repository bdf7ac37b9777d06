//! `approvals.json`: the approvals that count, oldest first: of each gate the answer of its latest round, if that is
//! one. An original takes any entry of a gate for its approval, so neither a refusal may stand here, nor an approval of
//! a gate that has been asked again since. Every decision stays in `gates.json` and `decisions.json`.

use super::Record;
use crate::rfc3339;
use engine::{Answer, GateId, Purpose};
use serde_json::{Value, json};
use std::collections::BTreeMap;

impl Record {
    /// Who, when, by which way, on what and with which signature.
    pub(super) fn approvals(&self) -> Vec<Value> {
        let mut latest: BTreeMap<&GateId, u32> = BTreeMap::new();
        for round in &self.rounds {
            latest.insert(&round.opened.gate, round.opened.round);
        }
        self.decided()
            .filter(|(_, decision, _)| {
                approves(decision.answer) && latest.get(&decision.gate) == Some(&decision.round)
            })
            .map(|(round, decision, at)| {
                let opened = &round.opened;
                json!({
                    "id": format!("{}#{}", decision.gate, decision.round),
                    "gate_id": decision.gate,
                    "kind": kind(&opened.purpose),
                    "step_id": opened.instance.step,
                    "visit": opened.instance.visit,
                    "round": decision.round,
                    "status": status(decision.answer),
                    "answer": decision.answer,
                    "by": decision.by,
                    "at": rfc3339(at),
                    "key_name": decision.key_name,
                    "approved_by": decision.by,
                    "approved_at": rfc3339(at),
                    "via": decision.via,
                    "comment": decision.comment,
                    "notes": decision.comment,
                    "lasting": decision.lasting,
                    "shown": opened.shown.iter().map(|a| json!({"path": a.path, "sha256": a.digest})).collect::<Vec<_>>(),
                    "seen": decision.seen,
                    "signature": decision.signature,
                    "statement": decision.signature.as_ref().map(|_| decision.statement(self.created.recorded(round.seq), opened)),
                })
            })
            .collect()
    }
}

/// Whether an answer lets the run go on from its gate: the others are refusals, or ask for something else first.
pub(super) fn approves(answer: Answer) -> bool {
    matches!(answer, Answer::Approve | Answer::Pass)
}

/// What a gate is about, as a word.
pub(super) fn kind(purpose: &Purpose) -> &'static str {
    match purpose {
        Purpose::Approval => "approval",
        Purpose::Outcome { .. } => "outcome",
        Purpose::Tool { .. } => "tool",
        Purpose::Permission { .. } => "permission",
        Purpose::Way { .. } => "way",
    }
}

/// How a gate stands after an answer.
pub(super) fn status(answer: Answer) -> &'static str {
    match answer {
        Answer::Approve => "approved",
        Answer::Changes => "changes_requested",
        Answer::Reject => "rejected",
        Answer::Pass => "passed",
        Answer::Fail => "failed",
        Answer::Choose => "way_chosen",
    }
}
