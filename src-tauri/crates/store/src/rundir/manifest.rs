//! `run.json`: what the run was and how it ended.

use super::json::marked;
use super::record::{Record, time};
use crate::rfc3339;
use engine::{Artifact, Instance, RunStatus};
use serde_json::{Value, json};

/// Which form the files of a run have: raised whenever the same log is written otherwise, so that nobody takes the
/// files of an earlier version for changed ones.
pub(super) const FORM: u32 = 8;

/// The manifest, from the fold of the log. `artifacts`: the latest of each path, in the order they were last made;
/// `head`: the link of the log's last event.
pub(super) fn manifest<'a>(
    record: &Record,
    artifacts: impl IntoIterator<Item = (&'a Instance, &'a Artifact)>,
    head: &[u8; 32],
) -> Value {
    let (created, state) = (&record.created, &record.state);
    let gates: Vec<Value> = state
        .gates
        .values()
        .flatten()
        .map(|round| {
            let opened = &round.opened;
            json!({
                "gate": opened.gate,
                "step": opened.instance.step,
                "visit": opened.instance.visit,
                "round": opened.round,
                "question": opened.question,
                "why": opened.why,
                "shown": opened.shown,
                "opened_at": rfc3339(round.opened_at),
                "decision": round.answer.as_ref().map(|(decision, _)| decision),
                "decided_at": round.answer.as_ref().map(|(_, at)| rfc3339(*at)),
            })
        })
        .collect();
    let artifacts: Vec<Value> = artifacts
        .into_iter()
        .map(|(instance, a)| {
            json!({"path": a.path, "sha256": a.digest, "bytes": a.bytes, "step": instance.step, "visit": instance.visit})
        })
        .collect();
    let (status, error) = super::meta::for_readers(state);
    let manifest = json!({
        "version": FORM,
        "run_id": created.run_id,
        "workflow": created.workflow,
        "title": created.title,
        "format": created.format,
        "path": created.path,
        "source_sha256": created.source,
        "scenario": created.scenario,
        "initiator": created.initiator,
        "by": created.by,
        "inputs": created.inputs,
        "engines": created.engines,
        "limits": created.limits,
        "status": crate::StatusWord::from(status).as_str(),
        "outcome": matches!(state.status, RunStatus::Ended(_)).then(|| crate::StatusWord::of(state).as_str()),
        "ended": matches!(state.status, RunStatus::Ended(_)),
        "created_at": time(state.created_at),
        "started_at": time(state.started_at),
        "ended_at": time(state.ended_at),
        "error": error,
        "steps_completed": state.completed,
        "total_steps_executed": state.executed,
        "loop_state": state.loop_state,
        "gates": gates,
        "artifacts": artifacts,
        "log": {"events": state.seq, "head": hex::encode(head)},
    });
    marked(created, manifest)
}
