//! What is in flight: attempts that were started and have not come back.

use super::Driver;
use crate::attempt::{Job, Outcome, carry_out};
use crate::brief::Brief;
use crate::executor::command::Command;
use crate::executor::shell::Shell;
use crate::executor::stub::Stub;
use crate::executor::{Environment, Execution, Executor, Person, Printed, Runbooks, Sink, Stage, Stop};
use crate::lifecycle::{Around, Toolbox};
use crate::permits;
use crate::pipeline::outputs::{self, Outputs};
use crate::scenario::{Entry, Scenario};
use engine::doer::engines_of;
use engine::{
    Answer, AttemptStarted, Decision, EngineInfo, ExecutionStatus, Instance, Intent, Purpose, RunCreated, RunState,
    StepResult,
};
use model::{AgentKey, Routing, Step, Work, Workflow};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::{Instant, sleep_until};
use tracing::Instrument;

/// Text that an attempt prints waits this long for more, or for the attempt's end, to share a commit with it.
const TOGETHER: Duration = Duration::from_millis(30);
/// Ten years.
const NO_LIMIT_MS: u64 = 10 * 365 * 24 * 3_600_000;

/// Of the contents that attempts leave behind, so many are committed together at most.
const MOST_TOGETHER: usize = 256;

/// An attempt: its visit and its number.
pub(super) type Key = (Instance, u32);

/// The engine of steps that are runs of their own: it holds no process, so it can be let go of and taken up at any time.
pub(super) const RUNBOOKS: &str = "runbook-step";

pub(super) struct Desk {
    root: PathBuf,
    /// Drives the runs inside this one.
    driver: Driver,
    /// How many runs inside this one wait for a person ([`super::Options::until_blocked`]).
    held: Arc<AtomicUsize>,
    scenario: Option<Arc<Scenario>>,
    environment: Environment,
    /// What steps of a StepSpec run may call.
    toolbox: Option<Arc<Toolbox>>,
    /// The command lines of gatehouse.yaml as it is now.
    named: Vec<String>,
    fast: bool,
    /// Everything that was started; the stop is absent once the attempt was told to stop.
    running: BTreeMap<Key, Option<watch::Sender<Option<Stop>>>>,
    /// Names of the folders of a pipeline's stages, once one is needed: of long pipelines they are not to be found again for each.
    folders: OnceLock<Vec<String>>,
    keys: HashMap<Id, Key>,
    tasks: JoinSet<Outcome>,
    printed: (mpsc::UnboundedSender<Printed>, mpsc::UnboundedReceiver<Printed>),
    /// Text that waits to be committed, and until when.
    pending: Vec<Intent>,
    due: Option<Instant>,
}

/// Something came back: what is to be decided, in order, and the bytes behind the digests in it.
pub(super) struct News {
    pub intents: Vec<Intent>,
    pub blobs: Vec<Vec<u8>>,
}

impl Desk {
    pub fn new(
        driver: Driver,
        scenario: Option<Arc<Scenario>>,
        environment: Environment,
        toolbox: Option<Arc<Toolbox>>,
        named: Vec<String>,
    ) -> Self {
        let fast = driver.options.fast;
        Self {
            root: driver.root.clone(),
            driver,
            held: Arc::default(),
            scenario,
            environment,
            toolbox,
            named,
            fast,
            running: BTreeMap::new(),
            folders: OnceLock::new(),
            keys: HashMap::new(),
            tasks: JoinSet::new(),
            printed: mpsc::unbounded_channel(),
            pending: Vec::new(),
            due: None,
        }
    }

    pub fn scenario(&self) -> Option<&Arc<Scenario>> {
        self.scenario.as_ref()
    }

    /// Whether nothing is in flight, not even something that was told to stop.
    pub fn is_clear(&self) -> bool {
        self.running.is_empty()
    }

    /// Whether everything in flight is a run that waits for a person.
    pub fn only_waits(&self) -> bool {
        self.running.len() == self.held.load(Ordering::Relaxed)
    }

    /// The project's folder, as attempts are told it.
    pub fn root(&self) -> std::borrow::Cow<'_, str> {
        self.root.to_string_lossy()
    }

    pub fn has(&self, key: &Key) -> bool {
        self.running.contains_key(key)
    }

    /// Attempts that were not told to stop.
    pub fn wanted(&self) -> Vec<Key> {
        self.running
            .iter()
            .filter(|(_, stop)| stop.is_some())
            .map(|(key, _)| key.clone())
            .collect()
    }

    /// Tells every attempt that is not in `keep` to stop.
    pub fn stop_all_but(&mut self, keep: &BTreeSet<Key>) {
        for (key, stop) in &mut self.running {
            if keep.contains(key) {
                continue;
            }
            if let Some(stop) = stop.take() {
                // A timeout that came first keeps its reason.
                stop.send_if_modified(|reason| reason.replace(Stop::Cancelled).is_none());
                tracing::info!(step = %key.0.step, visit = key.0.visit, attempt = key.1, "attempt cancelled");
            }
        }
    }

    /// Starts an attempt that the log has begun.
    pub fn start(&mut self, workflow: &Workflow, state: &RunState, key: &Key) {
        let (instance, number) = key;
        let attempts = state.visit(instance).map_or(&[][..], |v| v.attempts.as_slice());
        let started = attempts.iter().rev().find(|a| a.started.attempt == *number);
        let (Some(step), Some(started)) = (workflow.step(&instance.step), started.map(|a| &a.started)) else {
            tracing::error!(step = %instance.step, "the log begins an attempt of a step that the workflow does not have");
            return;
        };
        // The script of a runbook may run as long as it likes (seed 002 "Execution Semantics": no timeout), and a run inside this one
        // may wait for people, who have no deadline; its own steps have their limits.
        let unlimited =
            matches!(step.routing, Routing::Transitions { .. }) || matches!(step.work, Work::SubWorkflow { .. });
        let unbounded = unlimited.then_some(NO_LIMIT_MS);
        let limit = step
            .timeout_ms
            .or(unbounded)
            .or(state.created.as_ref().map(|c| c.limits.step_timeout_ms))
            .unwrap_or(1_800_000);
        let (stopper, stop) = watch::channel(None);
        let staged = step.routing == Routing::Dependencies;
        let asks = self.unpermitted(state, step, started);
        let around = match asks.is_empty() {
            true => self.around(state, step, started),
            false => None,
        };
        let job = Job {
            executor: match () {
                () if !is_of_run(state, step, started) => Arc::new(Refused(
                    "the log names another engine for this step than the one that the run was begun with, so nothing was run".to_owned(),
                )),
                () if !asks.is_empty() => Arc::new(Asks(asks)),
                () if staged => self.stage(workflow, state, step, started),
                () => self.permitted(&started.engine, state, step, started),
            },
            brief: Brief::of(workflow, state, step, started, &self.root),
            around,
            // A stage looks for its files itself.
            outputs: if staged { Vec::new() } else { step.outputs.clone() },
            limit: Duration::from_millis(limit),
            stop: stopper.clone(),
        };
        let sink = Sink::new(instance.clone(), *number, self.printed.0.clone(), stop);
        let span = tracing::info_span!("attempt", step = %instance.step, visit = instance.visit, attempt = number);
        let task = self.tasks.spawn(carry_out(job, sink).instrument(span));
        self.keys.insert(task.id(), key.clone());
        self.running.insert(key.clone(), Some(stopper));
    }

    /// What an attempt wants to do that nobody has permitted whose word counts for whoever drives: what they permitted themselves does,
    /// what stands in a log from somebody else does not.
    fn unpermitted(&self, state: &RunState, step: &Step, started: &AttemptStarted) -> Vec<String> {
        let (Some(owner), Some(created)) = (&self.driver.options.owner, &state.created) else {
            return Vec::new();
        };
        if created.is_rehearsal() || owner.permits_all(&created.run_id) {
            return Vec::new();
        }
        let Environment { policy, granted, .. } = &self.environment;
        let mut needs: Vec<String> = Vec::new();
        for engine in std::iter::once(&started.engine).chain(&started.crew) {
            let more = permits::needed(created, step, engine, policy, granted, &self.named);
            needs.extend(
                more.into_iter()
                    .filter(|need| !needs.contains(need))
                    .collect::<Vec<_>>(),
            );
        }
        permits::unpermitted(needs, state, &started.instance, &|decision| {
            owner.gave(&created.run_id, decision)
        })
    }

    /// What is done around the work of an attempt.
    fn around(&self, state: &RunState, step: &Step, started: &AttemptStarted) -> Option<Around> {
        let created = state.created.as_deref()?;
        let toolbox = self.toolbox.as_ref()?;
        let script = self.scenario.as_ref().and_then(|scenario| {
            let tries = crate::brief::tries(state, started);
            scenario.attempt(&step.id, started.instance.visit, tries).cloned()
        });
        let script = script.or_else(|| created.is_rehearsal().then(Entry::success));
        Some(Around::of(step, state, started, toolbox, script))
    }

    fn stage(&self, workflow: &Workflow, state: &RunState, step: &Step, started: &AttemptStarted) -> Arc<dyn Executor> {
        let Some(created) = &state.created else {
            return Arc::new(Refused("the run's log does not begin with its creation".to_owned()));
        };
        let engines = match started.crew.as_slice() {
            [] => std::slice::from_ref(&started.engine),
            crew => crew,
        };
        let agents = started
            .agents
            .iter()
            .cloned()
            .chain(std::iter::repeat_with(|| step.agent_key()));
        let folders = self.folders.get_or_init(|| outputs::folders_of(workflow));
        let folder = folders.get(step.ordinal).map_or("stage", String::as_str);
        // One question was asked of all the people of the stage, and one of them answered: it is told once, in their name.
        let said = said(state, started);
        let people: Vec<usize> = (0..engines.len()).filter(|at| engines[*at].is_person()).collect();
        let mut members: Vec<(AgentKey, Arc<dyn Executor>)> = engines
            .iter()
            .zip(agents)
            .enumerate()
            .map(|(at, (engine, agent))| {
                let executor: Arc<dyn Executor> = match people.as_slice() {
                    [first, _, ..] if at == *first => Arc::new(Person::of_several(said.clone())),
                    [_, rest @ ..] if rest.contains(&at) => Arc::new(Person::beside()),
                    _ => self.permitted(engine, state, step, started),
                };
                (agent, executor)
            })
            .collect();
        let gave_up = said.is_some_and(|said| said.answer != Answer::Pass);
        if let Some(first) = people.first().filter(|_| gave_up) {
            // What a person has said is not to be done is not begun by the others.
            members = vec![members.swap_remove(*first)];
        }
        Arc::new(Stage {
            members,
            together: step.parallel,
            // What is neither written nor declared needs no folder.
            writes: !step.outputs.is_empty() || engines.iter().any(|engine| engine.engine != "stub-step"),
            declared: step.outputs.clone(),
            outputs: Outputs::of(created, folder),
        })
    }

    /// The executor of an engine, unless a rule denies what it would do.
    fn permitted(
        &self,
        engine: &EngineInfo,
        state: &RunState,
        step: &Step,
        started: &AttemptStarted,
    ) -> Arc<dyn Executor> {
        match permits::refused(engine, &self.environment.policy, &self.environment.granted) {
            Some(why) => Arc::new(Refused(why)),
            None => self.executor(engine, state, step, started),
        }
    }

    fn executor(
        &self,
        engine: &EngineInfo,
        state: &RunState,
        step: &Step,
        started: &AttemptStarted,
    ) -> Arc<dyn Executor> {
        let rehearses = state.created.as_deref().is_some_and(RunCreated::is_rehearsal);
        match engine.engine.as_str() {
            // However its log came to name one: nothing is executed in a rehearsal.
            "bash-step" | "sh-step" | "shell-step" | "command-step" if rehearses => Arc::new(Refused(
                "this is a rehearsal, and nothing is executed in one".to_owned(),
            )),
            "stub-step" if rehearses => {
                Arc::new(Stub::new(self.scenario.clone(), self.fast))
            }
            // A run for real that an older version began: nobody does what nobody does.
            "stub-step" => Arc::new(Refused(
                "nobody is bound to the agent of this step, so nothing was done; bind it in gatehouse.yaml and start a new run".to_owned(),
            )),
            "bash-step" => Arc::new(Shell::of("bash", &engine.command, self.environment.clone())),
            "sh-step" => Arc::new(Shell::of("sh", &engine.command, self.environment.clone())),
            RUNBOOKS => match &state.created {
                Some(created) => Arc::new(Runbooks::new(
                    match rehearses {
                        true => self.driver.clone().restricted(),
                        false => self.driver.clone(),
                    },
                    engine.command.lines().map(str::to_owned).collect(),
                    created,
                    step,
                    failures(state, started),
                    Arc::clone(&self.held),
                )),
                None => Arc::new(Refused("the run's log does not begin with its creation".to_owned())),
            },
            "person-step" => Arc::new(Person::new(said(state, started))),
            "shell-step" => Arc::new(Shell::new(&engine.command, self.environment.clone())),
            "command-step" => Arc::new(Command::new(&engine.command, self.environment.clone())),
            other => Arc::new(Unknown(other.to_owned())),
        }
    }

    /// What comes next: text or an end; waits for ever while nothing is in flight. Cancel-safe.
    pub async fn next(&mut self) -> News {
        loop {
            let due = self.due;
            tokio::select! {
                Some(printed) = self.printed.1.recv() => {
                    self.pending.extend(outputs(printed));
                    self.due.get_or_insert_with(|| Instant::now() + TOGETHER);
                }
                Some(done) = self.tasks.join_next_with_id() => {
                    let mut news = self.ended(done);
                    // What has ended by now is one commit: stages side by side share the disk's time for it.
                    while news.blobs.len() < MOST_TOGETHER && let Some(done) = self.tasks.try_join_next_with_id() {
                        let more = self.ended(done);
                        news.intents.extend(more.intents);
                        news.blobs.extend(more.blobs);
                    }
                    return news;
                }
                () = async { if let Some(due) = due { sleep_until(due).await } }, if due.is_some() => {
                    self.due = None;
                    return News { intents: std::mem::take(&mut self.pending), blobs: Vec::new() };
                }
            }
        }
    }

    fn ended(&mut self, done: Result<(Id, Outcome), JoinError>) -> News {
        let (id, outcome) = done.unwrap_or_else(|error| (error.id(), broken(&error)));
        // Everything an attempt printed stands before its end.
        while let Ok(printed) = self.printed.1.try_recv() {
            self.pending.extend(outputs(printed));
        }
        self.due = None;
        let mut intents = std::mem::take(&mut self.pending);
        let Some(key) = self.keys.remove(&id) else {
            return News {
                intents,
                blobs: Vec::new(),
            };
        };
        if self.running.remove(&key).flatten().is_none() {
            // It was told to stop: nobody wants its outcome.
            return News {
                intents,
                blobs: Vec::new(),
            };
        }
        let Outcome { result, blobs } = outcome;
        let status = result.status.word();
        tracing::info!(step = %key.0.step, visit = key.0.visit, status, ms = result.duration_ms, "attempt ended");
        intents.push(Intent::Finish {
            instance: key.0,
            attempt: key.1,
            result: Arc::new(result),
        });
        News { intents, blobs }
    }
}

fn outputs(printed: Printed) -> impl Iterator<Item = Intent> {
    let Printed {
        instance,
        attempt,
        pieces,
    } = printed;
    pieces.into_iter().map(move |piece| Intent::Output {
        instance: instance.clone(),
        attempt,
        stream: piece.stream.to_owned(),
        text: piece.text,
    })
}

/// What a person said of the visit that they carry out.
fn said(state: &RunState, started: &AttemptStarted) -> Option<Arc<Decision>> {
    let rounds = state.gates.values().flatten();
    let mut asked = rounds.filter(|round| {
        matches!(round.opened.purpose, Purpose::Outcome { .. }) && round.opened.instance == started.instance
    });
    asked.find_map(|round| Some(round.answer.as_ref()?.0.clone()))
}

/// How often this visit has failed before.
fn failures(state: &RunState, started: &AttemptStarted) -> u32 {
    let attempts = state
        .visit(&started.instance)
        .map_or(&[][..], |v| v.attempts.as_slice());
    let failed = attempts.iter().filter(|a| a.result.is_some()).count();
    u32::try_from(failed).unwrap_or(u32::MAX)
}

/// The outcome of an attempt whose task did not come back.
fn broken(error: &JoinError) -> Outcome {
    tracing::error!(%error, "an executor broke");
    let mut result = StepResult::new(ExecutionStatus::Failed);
    result.error =
        Some("the step could not be carried out because of a fault in Gatehouse; please report it".to_owned());
    Outcome {
        result,
        blobs: Vec::new(),
    }
}

/// Whether an attempt is carried out by what the run began with: its first event says so, and an attempt in the log may be anybody's.
fn is_of_run(state: &RunState, step: &Step, started: &AttemptStarted) -> bool {
    let created = state.created.as_deref();
    created.is_none_or(|created| engines_of(step, created) == (started.engine.clone(), started.crew.clone()))
}

/// What is not permitted yet: the attempt waits for a person, and another one is made then.
struct Asks(Vec<String>);

impl Executor for Asks {
    fn execute<'a>(
        &'a self,
        _brief: &'a Brief,
        _sink: &'a Sink,
    ) -> Pin<Box<dyn Future<Output = Execution> + Send + 'a>> {
        Box::pin(std::future::ready(Execution {
            status: ExecutionStatus::Blocked,
            needs: self.0.clone(),
            ..Execution::failure("permission needed")
        }))
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
        sink.print("stderr", &format!("gatehouse: {}\n", self.0));
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
        let error = format!(
            "this Gatehouse has no engine `{}`; it has stub-step, shell-step, command-step, bash-step, sh-step, runbook-step and person-step",
            self.0
        );
        Box::pin(std::future::ready(Execution::failure(error)))
    }
}
