//! The records of a run's evidence as they stand: a fold of what attempts recorded, what was approved and what a person
//! promoted. [`crate::apply()`] keeps it in the state; renderings keep one of their own while they follow a log.

use crate::{About, Answer, At, Decision, Evidence, EvidenceState, GateOpened, Instance, Promotion, Purpose};

/// What a step records replaces what its earlier visits had recorded.
pub fn record(held: &mut Vec<EvidenceState>, at: At, instance: &Instance, records: &[Evidence]) {
    for older in held.iter_mut() {
        older.superseded |= older.instance.step == instance.step;
    }
    held.extend(records.iter().map(|record| EvidenceState {
        record: record.clone(),
        instance: instance.clone(),
        recorded_at: at,
        promotions: Vec::new(),
        superseded: false,
    }));
}

/// Whether a record is about something that this question showed, byte for byte.
pub fn is_shown(record: &Evidence, opened: &GateOpened) -> bool {
    let same = |about: &About| {
        opened
            .shown
            .iter()
            .any(|shown| shown.path == about.path && shown.digest == about.digest)
    };
    record.artifacts.iter().any(same)
}

/// A person who approves what carries a claim corroborates it: one level, and no higher than its step asks for. Returns the
/// promotions; an answer that is no approval, or is about something else than the run's going on, makes none, nor does one that
/// `--yes` gave, because nobody has looked; and none is made in a rehearsal: what was approved there has not happened.
pub fn corroborate(
    held: &mut [EvidenceState],
    rehearsal: bool,
    at: At,
    opened: &GateOpened,
    decision: &Decision,
) -> Vec<Promotion> {
    let mut promotions = Vec::new();
    let is_looked_at = decision.answer == Answer::Approve && !decision.is_unseen();
    if rehearsal || !is_looked_at || opened.purpose != Purpose::Approval {
        return promotions;
    }
    for held in held.iter_mut().filter(|held| !held.superseded) {
        let record = &mut held.record;
        let asked = |to: &crate::Level| record.asked.is_some_and(|asked| *to <= asked);
        let Some(to) = record.level.next().filter(asked) else {
            continue;
        };
        if is_shown(record, opened) {
            let promotion = Promotion {
                evidence: record.id.clone(),
                from: record.level,
                to,
                by: decision.by.clone(),
                reason: decision.comment.clone(),
                gate: Some((decision.gate.clone(), decision.round)),
                signature: None,
            };
            record.level = to;
            held.promotions.push((promotion.clone(), at));
            promotions.push(promotion);
        }
    }
    promotions
}

/// A person raises this one record, outside of any gate.
pub fn promote(held: &mut [EvidenceState], at: At, promotion: &Promotion) {
    if let Some(held) = held.iter_mut().find(|held| held.record.id == promotion.evidence) {
        held.record.level = promotion.to;
        held.promotions.push((promotion.clone(), at));
    }
}
