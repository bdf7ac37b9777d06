//! One step of a run, as of an event.

use super::{artifact, gate, run, words};
use crate::view::Status;
use crate::view::run::{AttemptView, FileView, RouteView, StepDetail, TranscriptLine, VisitView};
use engine::{Digest, ExecutionStatus, Instance, RunState};
use model::{Step, Workflow};
use serde_json::Value;

/// Gives the bytes of a blob, when they are there.
pub type Blobs<'a> = &'a dyn Fn(&Digest) -> Option<Vec<u8>>;

/// What the step's inspector shows. `routes` are those of the whole run as of the event; `receipt` finds the receipt of
/// an attempt among the files of the run directory.
pub fn detail(
    workflow: &Workflow,
    state: &RunState,
    step: &Step,
    routes: &[RouteView],
    now: i64,
    blobs: Blobs<'_>,
    receipt: &dyn Fn(&Instance, u32) -> Option<FileView>,
) -> StepDetail {
    let overlay = run::overlay(state, step, now);
    let visits = state
        .steps
        .get(&step.id)
        .map(|s| s.visits.as_slice())
        .unwrap_or_default();
    StepDetail {
        step: words::of_step(step),
        intent: step.intent.clone(),
        status: overlay.status,
        words: overlay.words,
        visits: visits
            .iter()
            .rev()
            .map(|visit| VisitView {
                visit: visit.instance.visit,
                attempts: visit
                    .attempts
                    .iter()
                    .rev()
                    .map(|a| attempt(a, &visit.instance, blobs, receipt))
                    .collect(),
                route: visit.left_by.and_then(|i| routes.get(i)).cloned(),
            })
            .collect(),
        waiting: gate::waiting(workflow, state).filter(|card| card.step.id == step.id.as_str()),
    }
}

fn attempt(
    a: &engine::state::AttemptState,
    instance: &Instance,
    blobs: Blobs<'_>,
    receipt: &dyn Fn(&Instance, u32) -> Option<FileView>,
) -> AttemptView {
    let result = a.result.as_deref();
    let engine = &a.started.engine;
    AttemptView {
        attempt: a.started.attempt,
        status: match (result.map(|r| r.status), &a.interrupted) {
            (Some(ExecutionStatus::Succeeded), _) => Status::Done,
            (Some(ExecutionStatus::Failed), _) => Status::Failed,
            (Some(ExecutionStatus::Skipped), _) => Status::Skipped,
            (None, Some(_)) => Status::Aborted,
            (None, None) => Status::Running,
        },
        agent: a
            .started
            .agents
            .iter()
            .map(|k| k.as_str())
            .collect::<Vec<_>>()
            .join(", "),
        engine: engine.engine.clone(),
        model: if engine.command.is_empty() {
            engine.model.clone()
        } else {
            engine.command.clone()
        },
        started_at: a.started_at.0,
        ended_at: a.ended_at.map(|t| t.0),
        duration_ms: result.map(|r| r.duration_ms),
        error: result.and_then(|r| r.error.clone()).or_else(|| a.interrupted.clone()),
        output: result.map(|r| r.output.clone()).unwrap_or_default(),
        whole_output: result.and_then(|r| r.whole_output.as_ref()).map(ToString::to_string),
        report: result.map(|r| words::named(&r.report)).unwrap_or_default(),
        tokens: result.map_or((0, 0, 0), |r| (r.tokens.prompt, r.tokens.completion, r.tokens.total)),
        comments: a.started.comments.clone(),
        artifacts: result
            .map(|r| {
                r.artifacts
                    .iter()
                    .map(|made| artifact::view(made, blobs, None, false))
                    .collect()
            })
            .unwrap_or_default(),
        tools: result
            .map(|r| r.tools.iter().map(|t| (t.tool.clone(), t.success)).collect())
            .unwrap_or_default(),
        receipt: receipt(instance, a.started.attempt),
        transcript: result
            .and_then(|r| r.transcript.as_ref())
            .and_then(blobs)
            .map(|bytes| transcript(&String::from_utf8_lossy(&bytes)))
            .unwrap_or_default(),
    }
}

fn transcript(text: &str) -> Vec<TranscriptLine> {
    text.lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .map(|line| {
            let text = |key: &str| line.get(key).and_then(Value::as_str).map(str::to_owned);
            let content = match (line.get("content"), line.get("tool")) {
                (Some(Value::String(text)), _) => text.clone(),
                (Some(other), _) => other.to_string(),
                (None, Some(tool)) => {
                    let rest = line.get("input").or_else(|| line.get("output"));
                    format!("{} {}", words::value(tool), rest.map(words::value).unwrap_or_default())
                }
                (None, None) => String::new(),
            };
            TranscriptLine {
                timestamp: text("timestamp").unwrap_or_default(),
                role: text("role").or_else(|| text("type")).unwrap_or_default(),
                content,
            }
        })
        .collect()
}
