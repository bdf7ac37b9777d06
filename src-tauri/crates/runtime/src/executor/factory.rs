//! Which executor carries an attempt out: one for each engine, so that a new engine is one more arm here.

use super::command::Command;
use super::crew::{Crew, Member};
use super::inner_runs::InnerRuns;
use super::person::Person;
use super::runbook::Runbooks;
use super::shell::Shell;
use super::stub::Stub;
use super::{Environment, Execution, Executor, Sink};
use crate::brief::Brief;
use crate::clock;
use crate::driver::Driver;
use crate::permits;
use crate::scenario::Scenario;
use crate::waiting::Waiting;
use engine::doer::{agents_of, doer};
use engine::{Answer, AttemptStarted, Decision, EngineInfo, EngineKind, Purpose, RunCreated, RunState};
use model::{Step, Work};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// Makes the executors of one run.
pub(crate) struct Factory {
    /// Drives the runs inside this one.
    pub driver: Driver,
    pub scenario: Option<Arc<Scenario>>,
    pub environment: Environment,
    /// Which runs inside this one wait for people.
    pub waiting: Waiting,
    /// Scripted times pass at once.
    pub fast: bool,
}

impl Factory {
    /// Who carries an attempt out. `created`: the run's first event; `limit`: the longest time of each.
    pub(crate) fn crew(
        &self,
        created: &RunCreated,
        state: &RunState,
        step: &Step,
        started: &AttemptStarted,
        limit: Duration,
    ) -> Crew {
        let attempt = Started {
            created,
            state,
            step,
            started,
        };
        let engines = started.engines();
        let agents = started
            .agents
            .iter()
            .cloned()
            .chain(std::iter::repeat_with(|| step.agent_key()));
        // One question was asked of all the people of the step, and one of them answered: it is told once, in their
        // name.
        let said = attempt.said();
        let people: Vec<usize> = (0..engines.len()).filter(|at| engines[*at].is_person()).collect();
        let mut members: Vec<Member> = engines
            .iter()
            .zip(agents)
            .enumerate()
            .map(|(at, (engine, agent))| Member {
                agent,
                silent: people.iter().skip(1).any(|other| *other == at),
                wants: engine.wants.as_deref().cloned(),
                executor: match people.as_slice() {
                    [first, _, ..] if at == *first => Arc::new(Person::of_several(said.clone())),
                    [_, rest @ ..] if rest.contains(&at) => Arc::new(Person::beside()),
                    _ => self.permitted(engine, &attempt),
                },
            })
            .collect();
        let gave_up = said.is_some_and(|said| said.answer != Answer::Pass);
        if let Some(first) = people.first().filter(|_| gave_up) {
            // What a person has said is not to be done is not begun by the others.
            members = vec![members.swap_remove(*first)];
        }
        Crew {
            members,
            together: step.parallel,
            limit,
            now: clock::now,
        }
    }

    /// The executor of an engine, unless a rule denies what it would do.
    fn permitted(&self, engine: &EngineInfo, attempt: &Started<'_>) -> Arc<dyn Executor> {
        match permits::refused(engine, &self.environment.policy, &self.environment.granted) {
            Some(why) => Arc::new(Refused(why)),
            None => self.of_engine(engine, attempt),
        }
    }

    fn of_engine(&self, engine: &EngineInfo, attempt: &Started<'_>) -> Arc<dyn Executor> {
        let rehearses = attempt.created.is_rehearsal();
        let shell = |shell: Shell| Arc::new(shell.in_terminal(attempt.step.terminal, self.driver.keyboard()));
        match &engine.engine {
            // However its log came to name one: nothing is executed in a rehearsal.
            EngineKind::Bash | EngineKind::Sh | EngineKind::Shell | EngineKind::Command if rehearses => Arc::new(Refused(
                "this is a rehearsal, and nothing is executed in one".to_owned(),
            )),
            EngineKind::Stub if rehearses => match goes_through(attempt.step, attempt.created) {
                Some(files) if self.scenario.is_none() => self.runbooks(files.to_vec(), attempt),
                _ => Arc::new(Stub::new(self.scenario.clone(), self.fast, &attempt.step.work)),
            },
            // A run for real that an older version began: nobody does what nobody does.
            EngineKind::Stub => Arc::new(Refused(
                "nobody is bound to the agent of this step, so nothing was done; bind it in gatehouse.yaml and start a new run".to_owned(),
            )),
            EngineKind::Bash => shell(Shell::of("bash", &engine.command, self.environment.clone())),
            EngineKind::Sh => shell(Shell::of("sh", &engine.command, self.environment.clone())),
            EngineKind::Runbook => self.runbooks(engine.command.lines().map(str::to_owned).collect(), attempt),
            EngineKind::Person => Arc::new(Person::new(attempt.said())),
            EngineKind::Shell => shell(Shell::new(&engine.command, self.environment.clone())),
            EngineKind::Command => Arc::new(Command::new(&engine.command, self.environment.clone())),
            EngineKind::Other(other) => Arc::new(Unknown(other.clone())),
        }
    }

    /// Runs workflows as runs inside this one; in a rehearsal they are rehearsals.
    fn runbooks(&self, files: Vec<String>, attempt: &Started<'_>) -> Arc<dyn Executor> {
        let driver = match attempt.created.is_rehearsal() {
            true => self.driver.clone().restricted(),
            false => self.driver.clone(),
        };
        Arc::new(Runbooks::new(
            driver,
            files,
            attempt.created,
            attempt.step,
            InnerRuns::of(&attempt.created.run_id, attempt.state, &attempt.started.instance),
            self.waiting.clone(),
        ))
    }
}

/// The workflows that a step of a rehearsal goes through where no scenario says how the step ends: those that it would run for real.
fn goes_through<'s>(step: &'s Step, created: &RunCreated) -> Option<&'s [String]> {
    let Work::SubWorkflow { files } = &step.work else {
        return None;
    };
    let doer = doer(step, &agents_of(step, created), &created.engines);
    (doer == EngineInfo::runbooks(files)).then_some(files)
}

/// An attempt that the log has begun.
#[derive(Clone, Copy)]
struct Started<'a> {
    created: &'a RunCreated,
    state: &'a RunState,
    step: &'a Step,
    started: &'a AttemptStarted,
}

impl Started<'_> {
    /// What a person said of the visit that they carry out.
    fn said(&self) -> Option<Arc<Decision>> {
        let rounds = self.state.gates.values().flatten();
        let asked = rounds.filter(|round| {
            matches!(round.opened.purpose, Purpose::Outcome { .. }) && round.opened.instance == self.started.instance
        });
        // A person may take over what another one has failed at.
        asked.filter_map(|round| Some(round.answer.as_ref()?.0.clone())).last()
    }
}

/// A command that a rule denies: the step fails without it.
struct Refused(String);

impl Executor for Refused {
    fn execute<'a>(
        &'a self,
        _brief: &'a Brief,
        sink: &'a Sink,
    ) -> Pin<Box<dyn Future<Output = Execution> + Send + 'a>> {
        sink.remark(&self.0);
        Box::pin(std::future::ready(Execution::failure(self.0.clone())))
    }
}

/// An engine that this version does not have, of an imported or newer run.
struct Unknown(String);

impl Executor for Unknown {
    fn execute<'a>(
        &'a self,
        _brief: &'a Brief,
        _sink: &'a Sink,
    ) -> Pin<Box<dyn Future<Output = Execution> + Send + 'a>> {
        let known: Vec<&str> = EngineKind::ALL.iter().map(EngineKind::as_str).collect();
        let error = format!("this Gatehouse has no engine `{}`; it has {}", self.0, known.join(", "));
        Box::pin(std::future::ready(Execution::failure(error)))
    }
}
