//! `meta.json` and `spec.json`: a run as the readers of seed 001's family look it up. A folder without them is taken
//! for a run that succeeded, whatever came of it.

use super::json::marked;
use super::record::{Record, time};
use crate::Facts;
use crate::vocabulary::stepwise::{backend, status_word};
use engine::{EndStatus, Outcome, RunCreated, RunState, RunStatus};
use serde_json::{Value, json};

/// What was asked for.
pub(super) fn spec(created: &RunCreated, facts: &Facts) -> Value {
    let spec = json!({
        "flow_keys": created.flow_keys(),
        "profile_id": null,
        "backend": backend(created, facts),
        "initiator": created.initiator,
        "params": created.inputs,
    });
    marked(created, spec)
}

/// How the run stands, in the family's words.
pub(super) fn meta(record: &Record, facts: &Facts) -> Value {
    let (created, state) = (&record.created, &record.state);
    let (status, error) = for_readers(state);
    let mut meta = json!({
        "id": created.run_id,
        "spec": spec(created, facts),
        "status": status_word(status),
        "sdlc_status": health(status),
        "created_at": time(state.created_at),
        "updated_at": time(state.last_at),
        "started_at": time(state.started_at),
        "completed_at": time(state.ended_at),
        "error": error,
        "artifacts": {},
        "is_exemplar": false,
        "tags": if created.is_rehearsal() { json!(["rehearsal"]) } else { json!([]) },
        "title": created.title,
        // Where the folder lies is not known to its files.
        "path": null,
        "description": null,
    });
    if let (Some(earlier), Some(fields)) = (&created.continues, meta.as_object_mut()) {
        let mut from = json!({"run_id": earlier.run(), "events": earlier.events, "link": earlier.link});
        if let Some(checkpoint) = &earlier.back_to {
            from["checkpoint"] = json!(checkpoint);
        }
        fields.insert("continues".to_owned(), from);
    }
    marked(created, meta)
}

/// Status and error for whoever knows the contracts' words alone: a run that a person refused is no success, also where
/// the workflow has a way for that and came to its end.
pub(super) fn for_readers(state: &RunState) -> (RunStatus, Option<String>) {
    match state.outcome() {
        Some(Outcome::Refused(refused)) if state.status == RunStatus::Ended(EndStatus::Succeeded) => {
            let (by, comment) = (refused.decision.by.trim(), refused.decision.comment.trim());
            let said = match comment {
                "" => format!("Refused by {by}"),
                comment => format!("Refused by {by}: {comment}"),
            };
            (RunStatus::Ended(EndStatus::Failed), Some(said))
        }
        _ => (state.status, state.error.clone()),
    }
}

/// The family's word for how good the outcome is: `ok`, `error`, `partial` (not everything was done), `unknown` before
/// the end.
fn health(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Ended(EndStatus::Succeeded) => "ok",
        RunStatus::Ended(EndStatus::Failed) => "error",
        RunStatus::Ended(EndStatus::CompletedWithFailures | EndStatus::Aborted | EndStatus::Stopped) => "partial",
        RunStatus::New | RunStatus::Running | RunStatus::Paused | RunStatus::Blocked | RunStatus::Imported => "unknown",
    }
}
