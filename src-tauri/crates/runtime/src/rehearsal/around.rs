//! What is done around the work of a StepSpec step, in a rehearsal: the very code of a run with a scenario, in which nothing is called
//! and nothing started. Only what it puts down of the time of day comes from outside.

use super::{Setting, scripted};
use crate::artifacts::Found;
use crate::brief::{Brief, tries};
use crate::config::Config;
use crate::executor::{Environment, Execution, Sink};
use crate::lifecycle::{Around, Toolbox};
use crate::scenario::{Entry, Scenario};
use crate::source;
use engine::{ExecutionStatus, Instance, Lifecycle, RunState, StepResult};
use model::{Fields, Workflow};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use store::Store;
use tokio::sync::{mpsc, watch};

/// What surrounds the steps of one workflow.
#[derive(Clone)]
pub(super) struct Surroundings {
    /// With placeholders resolved, the author's own answers given.
    workflow: Arc<Workflow>,
    toolbox: Arc<Toolbox>,
}

impl std::fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surroundings").finish_non_exhaustive()
    }
}

impl Surroundings {
    /// `None` for formats that have none.
    pub(super) fn of(workflow: &Workflow, setting: &Setting) -> Option<Self> {
        if !workflow.contract().lifecycle {
            return None;
        }
        let offered = workflow.questions.iter();
        let answers: Fields = offered
            .filter_map(|question| Some((question.name.clone(), question.default.clone()?)))
            .collect();
        let resolved = source::resolved(workflow, &setting.folders, &answers).unwrap_or_else(|_| workflow.clone());
        let store = Arc::new(Store::open_memory().ok()?);
        let mut config = Config::default();
        config.around = setting.around.clone();
        let toolbox = Toolbox::new(
            Path::new(""),
            &store,
            config,
            &Environment::default(),
            "rehearsal".to_owned(),
        );
        Some(Self {
            workflow: Arc::new(resolved),
            toolbox: Arc::new(toolbox),
        })
    }

    /// What an attempt comes to, as a scenario has it.
    pub(super) fn carried_out(
        &self,
        state: &RunState,
        scenario: &Scenario,
        instance: &Instance,
        attempt: u32,
    ) -> StepResult {
        let attempts = state.visit(instance).map_or(&[][..], |visit| visit.attempts.as_slice());
        let started = attempts
            .iter()
            .find(|a| a.started.attempt == attempt)
            .map(|a| &a.started);
        let (Some(step), Some(started)) = (self.workflow.step(&instance.step), started) else {
            return scripted(scenario.entry(&instance.step, instance.visit));
        };
        let entry = scenario
            .attempt(&step.id, instance.visit, tries(state, started))
            .cloned();
        let entry = entry.unwrap_or_else(Entry::success);
        let around = Around::of(step, state, started, &self.toolbox, Some(entry.clone()));
        let mut brief = Brief::of(&self.workflow, state, step, started, Path::new(""));
        let (printed, _heard) = mpsc::unbounded_channel();
        let (_stop, stopped) = watch::channel(None);
        let sink = Sink::new(instance.clone(), attempt, printed, stopped);
        let mut held = Lifecycle::default();
        let before = at_once(around.before(&mut brief, &mut held, &sink));
        let mut result = match before {
            Some(Some(ended)) => StepResult {
                error: ended.error,
                ..StepResult::new(ended.status)
            },
            Some(None) => scripted(Some(&entry)),
            None => waits(),
        };
        if result.status == ExecutionStatus::Succeeded {
            let execution = Execution {
                report: result.report.clone(),
                output: result.output.clone(),
                ..Execution::success()
            };
            let found = Found {
                artifacts: result.artifacts.clone(),
                blobs: entry.files().map(|(_, text)| text.clone().into_bytes()).collect(),
                notes: Vec::new(),
            };
            match at_once(around.after(&brief, &execution, &found, &mut held, &sink)) {
                Some(Ok(())) => {}
                Some(Err(error)) => {
                    result.status = ExecutionStatus::Failed;
                    result.error = Some(error);
                }
                None => result = waits(),
            }
        }
        if result.status != ExecutionStatus::Succeeded {
            // What did not pass is not kept.
            result.artifacts.clear();
            held.evidence.clear();
        }
        result.lifecycle = (!held.is_empty()).then(|| Box::new(held));
        result
    }
}

/// A scripted attempt waits for nothing.
fn waits() -> StepResult {
    StepResult {
        error: Some("this cannot be rehearsed: it waits for something outside the workflow".to_owned()),
        ..StepResult::new(ExecutionStatus::Failed)
    }
}

/// What comes of work that does not wait; `None`: it does.
fn at_once<T>(work: impl Future<Output = T>) -> Option<T> {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => Some(outcome),
        Poll::Pending => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;
    use crate::rehearsal::{Rehearsal, Setting};
    use crate::scenario::{Scenario, path};
    use dialect::Document;
    use engine::{EndStatus, ExecutionStatus, RunState, RunStatus, StepResult};
    use model::StepId;
    use std::path::Path;

    const WORKFLOW: &str = r#"
format: stepspec
workflow: letters
questions: [{name: to, default: Ada}]
steps:
  - {id: draft, name: Draft, outputs: ["{output_folder}/letter.md"], validation: Format validation, evidence: L1, retries: {max: 2}}
  - {id: send, name: Send, tools: [{name: post, args: {to: "{{to}}"}, required: true}], retries: {max: 0}}
"#;
    const CONFIG: &str = "guardrails: {enabled: true}\ntools: {declared: [{name: post, risk: high, command: post, \
                          args: {type: object, properties: {to: {enum: [Ada]}}}}]}\n";

    fn played(scenario: &str) -> RunState {
        let document = Document::parse("letters.yaml", WORKFLOW);
        let config = Config::parse(Path::new("gatehouse.yaml"), CONFIG).expect("a configuration");
        let setting = Setting::of(&config, document.workflow());
        let scenario = Scenario::parse(Path::new("s.yaml"), scenario).expect("a scenario");
        let rehearsal = Rehearsal::play(document.workflow(), &setting, &scenario).expect("it begins");
        rehearsal.state().clone()
    }

    fn results(state: &RunState, step: &str) -> Vec<StepResult> {
        let attempts = state.steps[&StepId::from(step)]
            .visits
            .iter()
            .flat_map(|visit| &visit.attempts);
        attempts
            .filter_map(|attempt| attempt.result.as_deref().cloned())
            .collect()
    }

    #[test]
    fn checks_guardrails_and_gates_of_tools_are_those_of_a_run() {
        let state = played(
            "steps:\n  draft:\n    - attempts:\n        - {invalid: no greeting, artifacts: {\"{output_folder}/letter.md\": Hm.}}\n        \
             - {artifacts: {\"{output_folder}/letter.md\": Write to ada@example.org}}\n        \
             - {artifacts: {\"{output_folder}/letter.md\": Dear Ada}}\n\
             gates: {\"tool:post:send\": [{answer: approve}]}\n",
        );
        assert_eq!(
            state.status,
            RunStatus::Ended(EndStatus::Succeeded),
            "{:?}",
            state.error
        );
        let drafts = results(&state, "draft");
        let errors: Vec<&str> = drafts.iter().map(|r| r.error.as_deref().unwrap_or_default()).collect();
        assert!(
            errors[0].contains("no greeting") && errors[1].contains("guardrail failed (outputs)"),
            "{errors:?}"
        );
        assert_eq!((errors.len(), errors[2]), (3, ""));
        let kept: Vec<usize> = drafts.iter().map(|r| r.artifacts.len()).collect();
        assert_eq!(kept, [0, 0, 1]);
        assert_eq!(state.evidence.len(), 1);
        let sent: Vec<ExecutionStatus> = results(&state, "send").iter().map(|r| r.status).collect();
        assert_eq!(sent, [ExecutionStatus::Blocked, ExecutionStatus::Succeeded]);
    }

    #[test]
    fn a_call_that_fails_ends_the_step_and_one_that_nobody_answers_waits() {
        let state = played(
            "steps: {send: [{calls: {post: {error: no stamps}}}]}\ngates: {\"tool:post:send\": [{answer: approve}]}\n",
        );
        assert_eq!(state.status, RunStatus::Ended(EndStatus::Failed));
        assert_eq!(results(&state, "send")[1].error.as_deref(), Some("no stamps"));

        let state = played("name: nobody answers\n");
        assert_eq!(state.status, RunStatus::Blocked);
        assert_eq!(path(&state), ["draft".into(), "send".into()]);
    }
}
