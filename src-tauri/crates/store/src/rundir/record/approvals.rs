//! `approvals.json`: every decision that a person made, oldest first. Nothing is ever taken out of it: a later round is another
//! entry.

use super::Record;
use crate::rfc3339;
use engine::{Answer, Purpose};
use serde_json::{Value, json};

impl Record<'_> {
    /// Who, when, by which way, on what and with which signature.
    pub(super) fn approvals(&self) -> Vec<Value> {
        self.decided()
            .map(|(round, decision, at)| {
                let opened = round.opened;
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
                    "via": decision.via,
                    "comment": decision.comment,
                    "lasting": decision.lasting,
                    "shown": opened.shown.iter().map(|a| json!({"path": a.path, "sha256": a.digest})).collect::<Vec<_>>(),
                    "seen": decision.seen,
                    "signature": decision.signature,
                    "statement": decision.signature.as_ref().map(|_| decision.statement(&self.created.run_id)),
                })
            })
            .collect()
    }
}

/// What a gate is about, as a word.
pub(super) fn kind(purpose: &Purpose) -> &'static str {
    match purpose {
        Purpose::Approval => "approval",
        Purpose::Outcome { .. } => "outcome",
        Purpose::Tool { .. } => "tool",
        Purpose::Permission { .. } => "permission",
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
    }
}
