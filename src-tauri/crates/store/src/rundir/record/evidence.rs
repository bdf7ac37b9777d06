//! `evidence.json`: the records with the seed's ten fields, how they came to their level, and how far they carry.

use super::artifacts::id_of_parts;
use super::{Record, assurance};
use crate::rfc3339;
use engine::EvidenceState;
use model::StepId;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How scores and assurance come about, for whoever reads the file.
const FORMULA: &str = "score = round(clamp(reliability, 0, 1) x factor(congruence), 6), factor: CL1 and any other word 0.5, CL2 0.8, CL3 1.0; \
    assurance = the lowest score of the records that are not superseded, 0 where there are none. Whether a record has \
    expired (valid_until) depends on the day it is looked at and is not part of this file.";

impl Record {
    /// In the order recorded; what a later visit of the step replaced is marked.
    pub(super) fn evidence(&self) -> Vec<Value> {
        self.state.evidence.iter().map(record).collect()
    }

    /// Of the run and of each step that recorded something.
    pub(super) fn assurances(&self) -> Value {
        let stands = || self.state.evidence.iter().filter(|held| !held.superseded);
        let mut of_steps: BTreeMap<&StepId, Vec<(&str, f64)>> = BTreeMap::new();
        for held in stands() {
            of_steps.entry(&held.instance.step).or_default().push(scored(held));
        }
        let steps: BTreeMap<&StepId, Value> = of_steps
            .into_iter()
            .map(|(step, scores)| (step, assurance(scores.into_iter())))
            .collect();
        json!({"formula": FORMULA, "run": assurance(stands().map(scored)), "steps": steps})
    }
}

fn scored(held: &EvidenceState) -> (&str, f64) {
    let record = &held.record;
    (
        &record.id,
        engine::evidence::score(Some(record.reliability), &record.congruence),
    )
}

fn record(held: &EvidenceState) -> Value {
    let record = &held.record;
    let promotions = held.promotions.iter().map(|(promotion, at)| {
        let (gate, round) = promotion.gate.as_ref().map(|(gate, round)| (gate, *round)).unzip();
        json!({
            "from": promotion.from,
            "to": promotion.to,
            "by": promotion.by,
            "at": rfc3339(*at),
            "reason": promotion.reason,
            "gate_id": gate,
            "round": round,
        })
    });
    let about = record.artifacts.iter().map(|about| {
        json!({"artifact_id": id_of_parts(&about.path, &about.digest), "path": about.path, "sha256": about.digest})
    });
    json!({
        "id": record.id,
        "claim": record.claim,
        "level": record.level,
        "source": record.source,
        "date": record.date,
        "valid_until": record.valid_until,
        "congruence": record.congruence,
        "reliability": record.reliability,
        "wlnk": record.wlnk,
        "carrier_ref": record.carrier_ref,
        "artifacts": about.collect::<Vec<_>>(),
        "notes": record.notes,
        "asked_level": record.asked,
        "recorded_level": held.promotions.first().map_or(record.level, |(first, _)| first.from),
        "recorded_at": rfc3339(held.recorded_at),
        "step_id": held.instance.step,
        "visit": held.instance.visit,
        "superseded": held.superseded,
        "promotions": promotions.collect::<Vec<_>>(),
    })
}
