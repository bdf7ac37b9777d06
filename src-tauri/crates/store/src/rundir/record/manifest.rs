//! `manifest.json`: the run manifest of seed 000: the workflow, its StepSpecs as they were when the run began, and the
//! RunSteps.

use super::{Record, time, tools};
use crate::Facts;
use crate::facts::spec;
use engine::{Artifact, EndStatus, Instance, RunState, RunStatus, RunStep, RunStepStatus, StepResult};
use model::StepId;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

impl Record {
    /// The run itself.
    pub(super) fn run(&self, facts: &Facts) -> Value {
        let (created, state) = (&self.created, &self.state);
        let blocked = state.waiting().map(|round| &round.opened);
        json!({
            "status": word(state),
            "paused": state.paused,
            "blocked_gate": blocked.map(|opened| &opened.gate),
            "blocked_reason": blocked.map(|opened| &opened.why),
            "current_step": self.current(facts),
            "error": state.error,
            "created_at": time(state.created_at),
            "started_at": time(state.started_at),
            "ended_at": time(state.ended_at),
            "by": created.by,
            "initiator": created.initiator,
            "inputs": created.inputs,
            "folders": created.folders,
            "workflow": {
                "id": created.workflow,
                "title": created.title,
                "path": created.path,
                "source_sha256": created.source,
                "step_specs": facts.steps().filter(|_| facts.is_stepspec()).map(spec).collect::<Vec<_>>(),
            },
        })
    }

    /// The first step that is not completed, where the run goes on.
    fn current<'f>(&self, facts: &'f Facts) -> Option<&'f StepId> {
        let open = |step: &&StepId| {
            let last = self.steps.last_of(step);
            last.is_none_or(|entry| entry.status != RunStepStatus::Completed)
        };
        facts.steps().map(|step| &step.id).find(open)
    }

    /// The entries: each visit of each step, in the order of the file; a step that was never entered is pending.
    pub(super) fn run_steps(&self, facts: &Facts) -> Vec<Value> {
        let mut results: BTreeMap<&Instance, &StepResult> = BTreeMap::new();
        for ended in &self.attempts {
            results.insert(&ended.instance, &ended.result);
        }
        let mut entries: Vec<_> = self.steps.entries().iter().enumerate().collect();
        let place = |step: &StepId| facts.place(step).unwrap_or(u32::MAX);
        entries.sort_by_key(|(n, entry)| (place(&entry.instance.step), *n));
        let mut out: Vec<(u32, Value)> = Vec::new();
        for (_, entry) in entries {
            let rendered = self.run_step(entry, results.get(&entry.instance).copied(), facts);
            out.push((place(&entry.instance.step), rendered));
        }
        let entered = |step: &StepId| self.steps.last_of(step).is_some();
        for step in facts.steps().map(|step| &step.id).filter(|step| !entered(step)) {
            let pending = RunStep::pending(Instance {
                step: step.clone(),
                visit: 1,
                path: Vec::new(),
            });
            out.push((place(step), self.run_step(&pending, None, facts)));
        }
        out.sort_by_key(|(place, _)| *place);
        out.into_iter().map(|(_, entry)| entry).collect()
    }

    fn run_step(&self, entry: &RunStep, result: Option<&StepResult>, facts: &Facts) -> Value {
        let instance = &entry.instance;
        let of_step = facts.get(&instance.step);
        let lifecycle = result.and_then(|result| result.lifecycle.as_deref());
        let made = result.filter(|result| result.status.completes());
        let outputs = made.map_or(&[][..], |result| result.artifacts.as_slice());
        let last = self.state.visit(instance).and_then(|visit| visit.attempts.last());
        let comments = last.map_or(&[][..], |attempt| attempt.started.comments.as_slice());
        // An attempt that is under way or was cut off has called what it has called.
        let so_far = last.and_then(|attempt| attempt.so_far.as_deref());
        let mut out = Map::new();
        let mut set = |field: &str, value: Value| {
            out.insert(field.to_owned(), value);
        };
        set("step_id", json!(instance.step));
        set(
            "name",
            json!(of_step.map_or(instance.step.as_str(), |f| f.name.as_str())),
        );
        set("phase", json!(of_step.and_then(|f| f.phase.as_deref())));
        set("visit", json!(instance.visit));
        set("status", json!(entry.status));
        set("attempts", json!(entry.attempts));
        set("started_at", json!(time(entry.started_at)));
        set("ended_at", json!(time(entry.ended_at)));
        set("error", json!(entry.error));
        let takes = of_step.filter(|_| facts.is_stepspec());
        set("inputs", takes.map_or_else(|| json!({}), |step| json!(step.parameters)));
        set("comments", json!(comments));
        set("outputs", outputs.iter().map(output).collect());
        let differing = lifecycle.map_or(&[][..], |lifecycle| &lifecycle.not_as_approved);
        if !differing.is_empty() {
            set("not_as_approved", json!(differing));
        }
        let untaken = lifecycle.map_or(&[][..], |lifecycle| &lifecycle.untaken);
        if !untaken.is_empty() {
            set("inputs_not_there", json!(untaken));
        }
        let unkept = made.and(lifecycle).map_or(&[][..], |lifecycle| &lifecycle.unkept);
        if !unkept.is_empty() {
            set("not_kept", json!(unkept));
        }
        set(
            "tools",
            so_far
                .or(lifecycle)
                .map_or_else(Vec::new, |l| l.calls.iter().map(tools::call).collect())
                .into(),
        );
        set("telis_context", json!(lifecycle.and_then(|l| l.context.as_ref())));
        set(
            "guardrails",
            lifecycle.map_or_else(|| json!([]), |l| json!(l.guardrails)),
        );
        set("validation", json!(lifecycle.and_then(|l| l.validation.as_ref())));
        let evidence = lifecycle.map_or(&[][..], |l| l.evidence.as_slice());
        set("evidence", evidence.iter().map(|record| record.id.as_str()).collect());
        Value::Object(out)
    }
}

fn output(artifact: &Artifact) -> Value {
    json!({"path": artifact.path, "sha256": artifact.digest, "bytes": artifact.bytes})
}

/// The run's state in the words of its steps; `aborted` where a person ended it.
fn word(state: &RunState) -> &'static str {
    match state.status {
        RunStatus::New | RunStatus::Imported => "pending",
        RunStatus::Running | RunStatus::Paused => "running",
        RunStatus::Blocked => "blocked",
        RunStatus::Ended(EndStatus::Succeeded | EndStatus::CompletedWithFailures) => "completed",
        RunStatus::Ended(EndStatus::Failed | EndStatus::Stopped) => "failed",
        RunStatus::Ended(EndStatus::Aborted) => "aborted",
    }
}
