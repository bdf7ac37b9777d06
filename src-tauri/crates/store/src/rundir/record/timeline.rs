//! `timeline.json`: events, artifacts, gates, evidence and decision records, merged and in one order (seed 000 "run
//! timeline").

use super::gates::stands;
use super::{Record, artifacts, decisions};
use crate::{Facts, rfc3339};
use serde_json::{Value, json};

impl Record {
    /// Every entry has `timestamp`, `type` and `id`; what an event tells stands in its payload.
    pub(super) fn timeline(&self, facts: &Facts, stream: &[Value]) -> Vec<Value> {
        let mut out: Vec<Value> = stream.iter().map(event).collect();
        for ended in &self.attempts {
            out.extend(ended.result.artifacts.iter().map(|artifact| {
                let id = artifacts::id_of(artifact);
                let instance = &ended.instance;
                json!({
                    "timestamp": rfc3339(ended.at),
                    "type": "artifact",
                    "id": format!("{id}:{}:{}:{}", instance.step, instance.visit, ended.attempt),
                    "artifact_id": id,
                    "path": artifact.path,
                    "sha256": artifact.digest,
                    "step_id": instance.step,
                    "visit": instance.visit,
                })
            }));
        }
        let waiting = self.waiting();
        for round in &self.rounds {
            let opened = &round.opened;
            out.push(json!({
                "timestamp": rfc3339(round.opened_at),
                "type": "gate",
                "id": format!("{}#{}", opened.gate, opened.round),
                "status": stands(round, &waiting),
                "reason": opened.why,
                "phase": facts.get(&opened.instance.step).and_then(|f| f.phase.as_deref()),
                "step_id": opened.instance.step,
                "visit": opened.instance.visit,
            }));
            if let Some((decision, at)) = round.answered() {
                out.push(json!({
                    "timestamp": rfc3339(at),
                    "type": "drr",
                    "id": decisions::id(round),
                    "question": opened.question,
                    "answer": decision.answer,
                    "by": decision.by,
                    "step_id": opened.instance.step,
                    "visit": opened.instance.visit,
                }));
            }
        }
        out.extend(self.state.evidence.iter().map(|held| {
            json!({
                "timestamp": rfc3339(held.recorded_at),
                "type": "evidence",
                "id": held.record.id,
                "claim": held.record.claim,
                "level": held.record.level,
                "carrier_ref": held.record.carrier_ref,
                "step_id": held.instance.step,
                "visit": held.instance.visit,
            })
        }));
        in_order(&mut out);
        out
    }
}

fn event(line: &Value) -> Value {
    json!({
        "timestamp": line["timestamp"],
        "type": "event",
        "id": line["id"],
        "event": line["type"],
        "payload": line["payload"],
    })
}

/// The order of a timeline: by `timestamp`, `type` and `id`, compared as texts, so that a bare day comes before every
/// time of it; what has no timestamp comes last.
pub fn in_order(entries: &mut [Value]) {
    fn text<'a>(entry: &'a Value, field: &str) -> &'a str {
        entry.get(field).and_then(Value::as_str).unwrap_or_default()
    }
    entries.sort_by(|a, b| {
        let key = |entry| {
            let timestamp = text(entry, "timestamp");
            (timestamp.is_empty(), timestamp, text(entry, "type"), text(entry, "id"))
        };
        let (a, b): ((bool, &str, &str, &str), _) = (key(a), key(b));
        a.cmp(&b)
    });
}
