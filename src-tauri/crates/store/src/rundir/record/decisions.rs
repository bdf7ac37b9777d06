//! `decisions.json`: each answered gate as a decision record: what was asked, which ways there were and where each led,
//! what evidence was looked at, whether it can be taken back, and who signed.

use super::approvals::{kind, status};
use super::artifacts::id_of;
use super::gates::below;
use super::{Record, Round, assurance};
use crate::facts::reversibility;
use crate::{Facts, rfc3339};
use engine::{Answer, GateOpened, Purpose};
use model::{Control, GateAt, StepId};
use serde_json::{Value, json};

/// Where the author says nothing about it.
const NOT_STATED: &str = "not stated";

impl Record {
    /// Oldest decision first.
    pub(super) fn decisions(&self, facts: &Facts) -> Vec<Value> {
        self.decided()
            .map(|(round, decision, at)| {
                let opened = &round.opened;
                let of_step = facts.get(&opened.instance.step);
                let options = self.options(opened);
                let is_given = |option: &&Value| {
                    option["answer"] == json!(decision.answer) && option["way"] == json!(decision.way)
                };
                let chosen = options.iter().find(is_given);
                json!({
                    "id": id(round),
                    "gate_id": opened.gate,
                    "kind": kind(&opened.purpose),
                    "step_id": opened.instance.step,
                    "visit": opened.instance.visit,
                    "round": opened.round,
                    "phase": of_step.and_then(|f| f.phase.as_deref()),
                    "question": opened.question,
                    "reason": opened.why,
                    "below_standard": below(opened),
                    "feedback": opened.feedback,
                    "asked_at": rfc3339(round.opened_at),
                    "options": options,
                    "decision": {
                        "status": status(decision.answer),
                        "answer": decision.answer,
                        "leads_to": chosen.map(|option| &option["leads_to"]),
                        "comment": decision.comment,
                    },
                    "artifacts": opened.shown.iter().map(|a| json!({"artifact_id": id_of(a), "path": a.path, "sha256": a.digest})).collect::<Vec<_>>(),
                    "evidence": round.looked.iter().map(|looked| json!({
                        "id": looked.id,
                        "claim": looked.claim,
                        "level": looked.level,
                        "score": looked.score,
                        "promoted_to": looked.promoted,
                    })).collect::<Vec<_>>(),
                    "assurance": assurance(round.looked.iter().map(|looked| (looked.id.as_str(), looked.score))),
                    "reversibility": of_step.and_then(reversibility).unwrap_or_else(|| NOT_STATED.to_owned()),
                    "sign_off": {
                        "by": decision.by,
                        "at": rfc3339(at),
                        "via": decision.via,
                        "key_name": decision.key_name,
                        "key": decision.signature.as_ref().map(|s| &s.key),
                        "signature": decision.signature.as_ref().map(|s| &s.signature),
                    },
                })
            })
            .collect()
    }

    /// Every answer that there was, where it led and what that means.
    fn options(&self, opened: &GateOpened) -> Vec<Value> {
        let option = |answer: Answer, to: Option<&StepId>, means: String| json!({"answer": answer, "leads_to": to, "means": means});
        let goes_on = |to: Option<&StepId>| match to {
            Some(to) => format!("the run goes on with '{to}'"),
            None if self.created.format.contract().control == Control::Stages => "the stage is completed".to_owned(),
            None => "the run ends".to_owned(),
        };
        let (approve, reject) = (opened.approve_to.as_ref(), opened.reject_to.as_ref());
        match &opened.purpose {
            Purpose::Approval => {
                let begins = match opened.at {
                    GateAt::Before => "the step begins".to_owned(),
                    GateAt::After => goes_on(approve),
                };
                let refused = reject.map_or_else(|| "the run ends as failed".to_owned(), |to| goes_on(Some(to)));
                let mut out = vec![option(Answer::Approve, approve, begins)];
                if let Some(to) = &opened.changes_to {
                    let means = format!("'{to}' runs again, with the comment as an input");
                    out.push(option(Answer::Changes, Some(to), means));
                }
                out.push(option(Answer::Reject, reject, refused));
                out
            }
            Purpose::Outcome { pass, fail, .. } => vec![
                option(Answer::Pass, approve, format!("{pass}: {}", goes_on(approve))),
                option(Answer::Fail, reject, format!("{fail}: {}", goes_on(reject))),
            ],
            Purpose::Tool { ask } => vec![
                option(Answer::Approve, approve, format!("the tool {} is called", ask.tool)),
                option(Answer::Reject, None, "the run ends as failed".to_owned()),
            ],
            Purpose::Permission { .. } => vec![
                option(Answer::Approve, approve, "the step begins".to_owned()),
                option(Answer::Reject, None, "the step has failed".to_owned()),
            ],
            Purpose::Way { ways } => {
                let along = |way: &engine::Way| {
                    let means = match (&way.action, &way.to) {
                        (engine::WayAction::Loop | engine::WayAction::Repeat, Some(to)) => format!("'{to}' runs again"),
                        (engine::WayAction::Detour, Some(to)) => format!("the detour begins with '{to}'"),
                        (engine::WayAction::LeaveOut, _) => "it is left out, and what waits for it goes on".to_owned(),
                        (engine::WayAction::Advance, Some(to)) if *to == opened.instance.step => {
                            "the step begins".to_owned()
                        }
                        (_, to) => goes_on(to.as_ref()),
                    };
                    json!({"answer": Answer::Choose, "way": way.id, "leads_to": way.to, "means": means})
                };
                let mut out: Vec<Value> = ways.iter().map(along).collect();
                if let Some(to) = &opened.changes_to {
                    let means = format!("'{to}' runs again, with the comment as an input");
                    out.push(option(Answer::Changes, Some(to), means));
                }
                let refused = reject.map_or_else(|| "the run ends as failed".to_owned(), |to| goes_on(Some(to)));
                out.push(option(Answer::Reject, reject, refused));
                out
            }
        }
    }
}

/// The record's id.
pub(super) fn id(round: &Round) -> String {
    format!("drr:{}#{}", round.opened.gate, round.opened.round)
}
