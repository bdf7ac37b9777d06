//! What a signature covers. One text for each decision, built anew from the log whenever it is checked, so that nothing that was signed
//! can be changed afterwards without the signature ceasing to fit.

use crate::created::RunCreated;
use crate::event::{Answer, Decision, GateOpened, Lasting, Purpose};
use crate::ids::GateId;
use crate::{Digest, Evidence, GateReason, Grounds, Held, Level, Promotion, RunId};
use model::{AgentKey, Fields, StepId};
use serde::Serialize;

/// Version 2, in the order signed. Everything is written out: whoever holds a statement alone can read what was decided on what.
#[derive(Serialize)]
struct Statement<'a> {
    run: &'a RunId,
    workflow: &'a str,
    /// Digest of the workflow's text.
    source: &'a Digest,
    subject: Option<&'a str>,
    gate: &'a GateId,
    round: u32,
    step: &'a StepId,
    question: &'a str,
    purpose: &'a Purpose,
    why: &'a GateReason,
    asks: &'a [AgentKey],
    leads: Leads<'a>,
    /// The quality standards that are not met; signatures of other decisions are made without it.
    #[serde(skip_serializing_if = "<[Held]>::is_empty")]
    below: &'a [Held],
    shown: Vec<(&'a str, &'a Digest)>,
    answer: Answer,
    by: &'a str,
    key: &'a str,
    key_of: Option<&'a str>,
    comment: &'a str,
    seen: &'a [Digest],
    via: &'a str,
    lasting: Option<Lasting>,
    /// Signatures of decisions that choose no way are made without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    way: Option<&'a str>,
    /// Signatures of decisions that report nothing are made without it.
    #[serde(skip_serializing_if = "Fields::is_empty")]
    report: &'a Fields,
    /// Signatures of decisions of which every file was drawn are made without it.
    #[serde(skip_serializing_if = "<[Digest]>::is_empty")]
    undrawn: &'a [Digest],
    grounds: &'a Grounds,
}

/// Where each answer leads; absent: to the end.
#[derive(Serialize)]
struct Leads<'a> {
    approve: Option<&'a StepId>,
    changes: Option<&'a StepId>,
    reject: Option<&'a StepId>,
}

/// What is signed of a promotion, in the order signed.
#[derive(Serialize)]
struct PromotionStatement<'a> {
    run: &'a RunId,
    workflow: &'a str,
    /// Digest of the workflow's text.
    source: &'a Digest,
    evidence: &'a str,
    claim: &'a str,
    about: Vec<(&'a str, &'a Digest)>,
    from: Level,
    to: Level,
    by: &'a str,
    reason: &'a str,
    key: &'a str,
    grounds: &'a Grounds,
}

impl Promotion {
    /// The bytes that are signed: the run, the claim, the files that it is about, both levels, the reason, the time, and by its link
    /// everything recorded before. `None`: it carries no signature, or one without grounds.
    pub fn statement(&self, of: &RunCreated, record: &Evidence) -> Option<String> {
        let signature = self.signature.as_ref()?;
        let statement = PromotionStatement {
            run: &of.run_id,
            workflow: of.workflow.as_str(),
            source: &of.source,
            evidence: &self.evidence,
            claim: &record.claim,
            about: record
                .artifacts
                .iter()
                .map(|about| (about.path.as_str(), &about.digest))
                .collect(),
            from: self.from,
            to: self.to,
            by: &self.by,
            reason: &self.reason,
            key: &signature.key,
            grounds: signature.grounds.as_ref()?,
        };
        Some(serde_json::to_string(&("gatehouse-promotion-v1", statement)).expect("a statement is text and numbers"))
    }
}

impl Decision {
    /// The bytes that are signed. Version 2 (a signature with [`Grounds`]) covers the question, the answers and where each leads, who was
    /// asked, what was shown, the workflow's text, the time, and by its link everything recorded before. What is signed in a rehearsal
    /// says so, and its signature holds for nothing else.
    ///
    /// Version 1 covers run, gate, round, answer, name, comment and the files seen; runs scripted by older versions do not carry the mark
    /// of a rehearsal and were signed without it.
    pub fn statement(&self, of: &RunCreated, opened: &GateOpened) -> String {
        let signed = self.signature.as_ref();
        let Some((signature, grounds)) = signed.and_then(|s| Some((s, s.grounds.as_ref()?))) else {
            return self.first_statement(of);
        };
        let kind = match of.rehearsal {
            true => "gatehouse-decision-v2-rehearsal",
            false => "gatehouse-decision-v2",
        };
        let statement = Statement {
            run: &of.run_id,
            workflow: of.workflow.as_str(),
            source: &of.source,
            subject: of.subject.as_deref(),
            gate: &self.gate,
            round: self.round,
            step: &opened.instance.step,
            question: &opened.question,
            purpose: &opened.purpose,
            why: &opened.why,
            asks: &opened.asks,
            leads: Leads {
                approve: opened.approve_to.as_ref(),
                changes: opened.changes_to.as_ref(),
                reject: opened.reject_to.as_ref(),
            },
            below: &opened.below,
            shown: opened
                .shown
                .iter()
                .map(|made| (made.path.as_str(), &made.digest))
                .collect(),
            answer: self.answer,
            by: &self.by,
            key: &signature.key,
            key_of: self.key_name.as_deref(),
            comment: &self.comment,
            seen: &self.seen,
            via: &self.via,
            lasting: self.lasting,
            way: self.way.as_deref(),
            report: &self.report,
            undrawn: &self.undrawn,
            grounds,
        };
        serde_json::to_string(&(kind, statement)).expect("a statement is text and numbers")
    }

    /// Version 1: one JSON array, so that no field can run into the next.
    fn first_statement(&self, of: &RunCreated) -> String {
        let kind = if of.rehearsal {
            "gatehouse-decision-v1-rehearsal"
        } else {
            "gatehouse-decision-v1"
        };
        let mut statement = serde_json::json!([
            kind,
            of.run_id,
            self.gate,
            self.round,
            self.answer,
            self.by,
            self.comment,
            self.seen
        ]);
        if let (Some(lasting), Some(fields)) = (self.lasting, statement.as_array_mut()) {
            fields.push(serde_json::json!(lasting));
        }
        if let (Some(name), Some(fields)) = (&self.key_name, statement.as_array_mut()) {
            fields.push(serde_json::json!({ "key_of": name }));
        }
        statement.to_string()
    }
}
