//! An attempt as a scenario plays it, in a rehearsal: the very stages of a run ([`crate::attempt`]), in which nothing
//! is called and nothing started. Two of them are others here: the work says what the scenario says, and its files are
//! named, not written. Only what tools put down of the time of day comes from outside.

use super::Setting;
use crate::artifacts::Found;
use crate::attempt::{Care, Files, Job, Permit, Toolbox, pass};
use crate::brief::{Brief, tries};
use crate::config::Config;
use crate::executor::{Crew, Environment, Execution, Executor, Member, Sink};
use crate::project;
use crate::scenario::{Entry, Receipt, Scenario};
use crate::source;
use engine::{Artifact, At, ExecutionStatus, Instance, RunId, RunState, StepResult};
use indexmap::IndexMap;
use model::{AgentKey, Fields, Workflow};
use std::borrow::Cow;
use std::future::Future;
use std::path::Path;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// The steps of one workflow, as scenarios play them.
#[derive(Clone)]
pub(super) struct Player {
    /// With placeholders resolved, the author's own answers given.
    workflow: Arc<Workflow>,
    toolbox: Arc<Toolbox>,
}

impl std::fmt::Debug for Player {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Player").finish_non_exhaustive()
    }
}

impl Player {
    pub(super) fn of(workflow: &Workflow, setting: &Setting) -> Self {
        let offered = workflow.questions.iter();
        let answers: Fields = offered
            .filter_map(|question| Some((question.name.clone(), question.default.clone()?)))
            .collect();
        let resolved = source::resolved(workflow, &setting.folders, &answers).unwrap_or(Cow::Borrowed(workflow));
        let mut config = Config::default();
        config.around = setting.around.clone();
        let (nowhere, nothing) = (Path::new(""), Environment::default());
        let toolbox = Toolbox::new(nowhere, None, config, &nothing, "rehearsal".to_owned());
        Self {
            workflow: Arc::new(resolved.into_owned()),
            toolbox: Arc::new(toolbox),
        }
    }

    /// When an attempt ends that takes time, and what it comes to; `None`: no time passes until it ends.
    pub(super) fn lasts(
        &self,
        state: &RunState,
        scenario: &Scenario,
        instance: &Instance,
        attempt: u32,
    ) -> Option<(At, StepResult)> {
        let found = state.attempt(instance, attempt)?;
        let (step, started) = (self.workflow.step(&instance.step)?, &found.started);
        let takes = scenario.takes(step, &started.agents, instance.visit, tries(state, started));
        let ends = later(found.started_at, takes)?;
        let result = self.play(state, scenario, instance, attempt);
        // What waits for a person before the work has not begun it.
        (result.status != ExecutionStatus::Blocked).then_some((ends, result))
    }

    /// What an attempt comes to.
    pub(super) fn play(&self, state: &RunState, scenario: &Scenario, instance: &Instance, attempt: u32) -> StepResult {
        let found = state.attempt(instance, attempt);
        let (Some(step), Some(found)) = (self.workflow.step(&instance.step), found) else {
            return failed("the workflow does not have this step".to_owned());
        };
        let started = &found.started;
        let said = scenario.attempt(&step.id, instance.visit, tries(state, started));
        let entry = said.cloned().unwrap_or_else(Entry::success);
        let brief = Brief::of(&self.workflow, state, step, started, Path::new(""));
        // What each agent does, as in a run.
        let several = Some(started.agents.as_slice()).filter(|_| !started.crew.is_empty());
        let agents = several.unwrap_or(std::slice::from_ref(&brief.agent));
        let parts = agents
            .iter()
            .map(|agent| (agent.clone(), entry.clone().of_agent(agent)));
        let parts: Vec<(AgentKey, Entry)> = parts.collect();
        let (failure, made) = match named(&parts) {
            Ok(made) => (None, made),
            Err(why) => (Some(Execution::failure(why)), Found::default()),
        };
        let members = parts.iter().map(|(agent, part)| {
            let says = failure.clone().unwrap_or_else(|| execution(part));
            Member {
                agent: agent.clone(),
                wants: None,
                executor: Arc::new(Scripted(says)),
                silent: false,
            }
        });
        let crew = Crew {
            members: members.collect(),
            together: step.parallel,
            limit: Duration::MAX,
            // No time passes, and the same scenario comes to the same.
            now: At::default,
        };
        let (printed, _heard) = mpsc::unbounded_channel();
        let (_stop, stopped) = watch::channel(None);
        let job = Job {
            permit: Permit::Granted,
            crew,
            care: Care::of(&self.workflow, step, state, started, &self.toolbox, Some(entry)),
            brief,
            place: None,
            files: Files::Named(Box::new(made)),
            before_ms: 0,
        };
        match at_once(pass(job, Sink::new(instance.clone(), attempt, printed, stopped))) {
            Some(passed) => passed.into_result().0,
            None => failed("this cannot be rehearsed: it waits for something outside the workflow".to_owned()),
        }
    }
}

/// The time of the script at which something is over that takes so long; `None`: it takes no time.
pub(super) fn later(from: At, takes: Duration) -> Option<At> {
    let takes = (!takes.is_zero()).then_some(takes)?;
    let takes = i64::try_from(takes.as_millis()).unwrap_or(i64::MAX);
    Some(At(from.0.saturating_add(takes)))
}

/// What a scenario says of the work, as the stub plays it.
fn execution(entry: &Entry) -> Execution {
    Execution {
        status: entry.status,
        error: match entry.status {
            ExecutionStatus::Succeeded => None,
            _ => entry.error.clone(),
        },
        report: entry.report.clone(),
        receipt_readable: entry.receipt == Receipt::Readable,
        output: entry.output.clone().unwrap_or_default(),
        tokens: entry.tokens,
        ..Execution::success()
    }
}

/// The files that a scenario's agents write: named here, not written. Of one that several write the last counts.
fn named(parts: &[(AgentKey, Entry)]) -> Result<Found, String> {
    let written: IndexMap<&String, &String> = parts.iter().flat_map(|(_, part)| &part.artifacts).collect();
    let mut found = Found::default();
    for (path, text) in written {
        let path = project::rehearsed(path, &RunId::from("rehearsal"))
            .map_err(|escape| format!("the scenario's file was not written: {escape}"))?;
        found.artifacts.push(Artifact {
            path,
            digest: store::digest_of(text.as_bytes()),
            bytes: text.len() as u64,
            was_there: false,
            executable: None,
        });
        found.blobs.push(text.clone().into_bytes());
    }
    Ok(found)
}

fn failed(error: String) -> StepResult {
    StepResult {
        error: Some(error),
        ..StepResult::new(ExecutionStatus::Failed)
    }
}

/// Work whose end is known.
struct Scripted(Execution);

impl Executor for Scripted {
    fn execute<'a>(&'a self, _: &'a Brief, _: &'a Sink) -> Pin<Box<dyn Future<Output = Execution> + Send + 'a>> {
        Box::pin(std::future::ready(self.0.clone()))
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
            errors[0].contains("no greeting") && errors[1].contains("holds a mail address, which this project stops"),
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

        // Who says something of the step has not allowed its tool.
        let state = played("gates: {send: [{answer: approve}]}\nexpect: {status: succeeded}\n");
        assert_eq!(state.status, RunStatus::Blocked);
        assert!(
            results(&state, "send")
                .iter()
                .all(|r| r.status == ExecutionStatus::Blocked)
        );
    }

    #[test]
    fn each_agent_of_a_stage_does_its_own_part() {
        let text = "pipeline_id: PIPE-20260102-release-030405\nname: R\nstatus: pending\nstages:\n  - {name: both, agents: [a, b]}\n";
        let document = Document::parse("PIPE-20260102-release-030405.yaml", text);
        let setting = Setting::of(&Config::default(), document.workflow());
        let scenario = "steps: {both: [{agents: {a: {output: from a, artifacts: {a.md: A}}, b: {output: from b, report: {seen: 2}}}}]}\n";
        let scenario = Scenario::parse(Path::new("s.yaml"), scenario).expect("a scenario");
        let rehearsal = Rehearsal::play(document.workflow(), &setting, &scenario).expect("it begins");
        let both = &results(rehearsal.state(), "both")[0];
        assert_eq!(both.output, "## a\n\nfrom a\n\n## b\n\nfrom b\n");
        assert_eq!(both.report["seen"], 2);
        assert_eq!(both.artifacts.len(), 1);
    }
}
