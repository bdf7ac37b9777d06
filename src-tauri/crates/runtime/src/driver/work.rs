//! What is in flight: attempts that were started and have not come back.

use super::Driver;
use super::navigator::{self, NAVIGATOR};
use crate::Error;
use crate::attempt::{Care, Files, Job, Outcome, Permit, Toolbox, carry_out};
use crate::brief::Brief;
use crate::clock;
use crate::executor::{Environment, Factory, Printed, Sink, Stop};
use crate::isolation::Workplace;
use crate::permits;
use crate::pipeline::outputs::{self, Outputs};
use crate::scenario::{Entry, Scenario};
use crate::waiting::Waiting;
use engine::aside::time_left;
use engine::{AttemptStarted, EngineInfo, ExecutionStatus, Instance, Intent, RunCreated, RunState, StepResult};
use model::{Routing, Step, Work, Workflow};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
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

pub(super) struct Desk {
    root: PathBuf,
    factory: Factory,
    /// What is done around the work of the run's steps.
    toolbox: Arc<Toolbox>,
    /// The command lines of gatehouse.yaml as it is now.
    named: Vec<String>,
    /// Everything that was started; the stop is absent once the attempt was told to stop.
    running: BTreeMap<Key, Option<watch::Sender<Option<Stop>>>>,
    /// Names of the folders of a pipeline's stages, once one is needed: of long pipelines they are not to be found
    /// again for each.
    folders: OnceLock<Vec<String>>,
    keys: HashMap<Id, Key>,
    /// What navigators that are at work were asked.
    briefs: HashMap<Id, Vec<u8>>,
    tasks: JoinSet<Outcome>,
    printed: (mpsc::UnboundedSender<Printed>, mpsc::UnboundedReceiver<Printed>),
    /// What waits to be committed, and until when.
    pending: News,
    due: Option<Instant>,
    /// Where scripted times pass at once: how much of them has passed.
    passed: Duration,
    /// When by these times attempts end that take some.
    ends: BTreeMap<Key, Duration>,
    /// Those that have come back and whose time is not over. They count as in flight.
    asleep: BTreeMap<Key, Outcome>,
}

/// Something came back: what is to be decided, in order, and the bytes behind the digests in it.
#[derive(Default)]
pub(super) struct News {
    pub intents: Vec<Intent>,
    pub blobs: Vec<Vec<u8>>,
    /// Who waits until it is recorded.
    pub waiting: Vec<oneshot::Sender<()>>,
}

impl News {
    fn add(&mut self, more: Self) {
        self.intents.extend(more.intents);
        self.blobs.extend(more.blobs);
        self.waiting.extend(more.waiting);
    }
}

impl Desk {
    pub fn new(
        driver: Driver,
        scenario: Option<Arc<Scenario>>,
        environment: Environment,
        toolbox: Arc<Toolbox>,
        named: Vec<String>,
    ) -> Self {
        Self {
            root: driver.root.clone(),
            factory: Factory {
                fast: driver.options.fast,
                driver,
                scenario,
                environment,
                waiting: Waiting::default(),
            },
            toolbox,
            named,
            running: BTreeMap::new(),
            folders: OnceLock::new(),
            keys: HashMap::new(),
            briefs: HashMap::new(),
            tasks: JoinSet::new(),
            printed: mpsc::unbounded_channel(),
            pending: News::default(),
            due: None,
            passed: Duration::ZERO,
            ends: BTreeMap::new(),
            asleep: BTreeMap::new(),
        }
    }

    pub fn scenario(&self) -> Option<&Arc<Scenario>> {
        self.factory.scenario.as_ref()
    }

    /// Whether nothing is in flight, not even something that was told to stop.
    pub fn is_clear(&self) -> bool {
        self.running.is_empty()
    }

    /// Whether everything in flight is a run that waits for a person.
    pub fn only_waits(&self) -> bool {
        self.running.len() == self.factory.waiting.count()
    }

    /// The visits in which a run inside this one waits for a person.
    pub fn asked_inside(&self) -> BTreeSet<Instance> {
        self.factory.waiting.now()
    }

    /// Why a run inside this one is not carried on, until somebody has looked at it.
    pub fn unvouched_inside(&self) -> Option<Error> {
        self.factory.waiting.unvouched()
    }

    /// The project's folder, as attempts are told it.
    pub fn root(&self) -> std::borrow::Cow<'_, str> {
        self.root.to_string_lossy()
    }

    pub fn has(&self, key: &Key) -> bool {
        self.running.contains_key(key)
    }

    /// How much of the scripted times has passed.
    pub fn passed(&self) -> Duration {
        self.passed
    }

    /// Whether nothing in flight goes on before a scripted time is over.
    pub fn sleeps(&self) -> bool {
        self.running.len() == self.asleep.len()
    }

    /// When the next of those that sleep ends.
    pub fn next_end(&self) -> Option<Duration> {
        self.asleep.keys().filter_map(|key| self.ends.get(key)).min().copied()
    }

    /// Lets scripted time pass until then: what has ended.
    pub fn pass_until(&mut self, passed: Duration) -> News {
        self.passed = passed;
        let mut news = News::default();
        let is_over = |key: &&Key| self.ends.get(*key).is_none_or(|ends| *ends <= passed);
        let over: Vec<Key> = self.asleep.keys().filter(is_over).cloned().collect();
        for key in over {
            if let Some(outcome) = self.asleep.remove(&key) {
                news.add(self.told(key, outcome, None));
            }
        }
        news
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
        let mut over = Vec::new();
        for (key, stop) in &mut self.running {
            if keep.contains(key) {
                continue;
            }
            if let Some(stop) = stop.take() {
                // A timeout that came first keeps its reason.
                stop.send_if_modified(|reason| reason.replace(Stop::Cancelled).is_none());
                tracing::info!(step = %key.0.step, visit = key.0.visit, attempt = key.1, "attempt cancelled");
            }
            // What has come back needs no waiting for.
            if self.asleep.remove(key).is_some() {
                over.push(key.clone());
            }
        }
        for key in over {
            self.running.remove(&key);
        }
    }

    /// Starts an attempt that the log has begun.
    pub fn start(&mut self, workflow: &Workflow, state: &RunState, key: &Key) {
        let (instance, number) = key;
        let attempt = state.attempt(instance, *number);
        let (Some(step), Some(attempt)) = (workflow.step(&instance.step), attempt) else {
            tracing::error!(step = %instance.step, "the log begins an attempt of a step that the workflow does not have");
            return;
        };
        let started = &attempt.started;
        // A run inside goes on where another driver left it: the step lasts from its beginning, whoever carried it on.
        let before_ms = match step.work {
            Work::SubWorkflow { .. } => clock::now().since_ms(attempt.started_at),
            _ => 0,
        };
        // The script of a runbook may run as long as it likes (seed 002 "Execution Semantics": no timeout), and a run
        // inside this one may wait for people, who have no deadline; its own steps have their limits.
        let unlimited =
            matches!(step.routing, Routing::Transitions { .. }) || matches!(step.work, Work::SubWorkflow { .. });
        let unbounded = unlimited.then_some(NO_LIMIT_MS);
        let limit = step
            .timeout_ms
            .or(unbounded)
            .or(state.created.as_ref().map(|c| c.limits.step_timeout_ms))
            .unwrap_or(1_800_000);
        // A detour may last no longer than it says, whatever its steps may.
        let aside = time_left(workflow, state, step);
        let limit = aside.map_or(limit, |aside| limit.min(aside.left_ms.max(1)));
        let Some(created) = state.created.as_deref() else {
            tracing::error!("the log does not begin with the run's creation");
            return;
        };
        let (stopper, stop) = watch::channel(None);
        let place = Workplace::of(&self.root, state, instance);
        let mut brief = Brief::of(workflow, state, step, started, &place.folder());
        brief.home.clone_from(&self.root);
        let permit = match (&step.work, place.is_apart()) {
            // It has a run of its own, which works where that was begun.
            (Work::SubWorkflow { .. }, true) => Permit::Refused(
                "another workflow works in the project itself, and this branch has a folder of its own (`isolation: isolated`)"
                    .to_owned(),
            ),
            _ => {
                let other = engine::doer::other_at(step, &started.agents, created);
                let begun_with = engine::doer::engines_at(step, other, created);
                self.permit(state, created, step, started, &begun_with)
            }
        };
        self.lasts(state, step, key, started);
        let job = Job {
            permit,
            care: Care::of(
                workflow,
                step,
                state,
                started,
                &self.toolbox,
                self.script(state, created, step, started),
            )
            .in_workflow(workflow),
            crew: self
                .factory
                .crew(created, state, step, started, Duration::from_millis(limit)),
            brief,
            place: (!place.is_plain()).then_some(place),
            files: self.files(workflow, created, step, started),
            before_ms,
        };
        let sink = Sink::new(instance.clone(), *number, self.printed.0.clone(), stop);
        let span = tracing::info_span!("attempt", step = %instance.step, visit = instance.visit, attempt = number);
        let task = self.tasks.spawn(carry_out(job, sink).instrument(span));
        self.keys.insert(task.id(), key.clone());
        self.running.insert(key.clone(), Some(stopper));
    }

    /// Asks the navigator which way on to take from this visit, as the log has begun it.
    pub fn navigate(&mut self, workflow: &Workflow, state: &RunState, instance: &Instance) {
        let navigation = state.visit(instance).and_then(|visit| visit.navigation.as_ref());
        let (Some(step), Some(navigation), Some(created)) =
            (workflow.step(&instance.step), navigation, state.created.as_deref())
        else {
            tracing::error!(step = %instance.step, "the log asks a navigator about a step that the workflow does not have");
            return;
        };
        let (step, started) = navigator::work(step, &navigation.asked);
        let begun_with = created
            .choosing
            .navigator
            .as_ref()
            .and_then(|agent| created.engines.get(agent));
        let begun_with = (begun_with.cloned().unwrap_or_else(EngineInfo::stub), Vec::new());
        let permit = match self.permit(state, created, &step, &started, &begun_with) {
            Permit::Needs(needs) => Permit::Refused(format!("the navigator may not do this: {}", needs.join(", "))),
            other => other,
        };
        let mut brief = Brief::of(workflow, state, &step, &started, &self.root);
        brief.ways.clone_from(&navigation.asked.ways);
        brief.address();
        let asked = serde_json::to_vec_pretty(&brief).unwrap_or_default();
        let (stopper, stop) = watch::channel(None);
        let job = Job {
            permit,
            care: Care::of(workflow, &step, state, &started, &self.toolbox, None).without_files(),
            crew: self.factory.crew(
                created,
                state,
                &step,
                &started,
                Duration::from_millis(created.limits.step_timeout_ms),
            ),
            brief,
            place: None,
            files: Files::OnDisk {
                declared: Vec::new(),
                demanded: false,
                folder: None,
                by_person: false,
            },
            before_ms: 0,
        };
        let sink = Sink::new(instance.clone(), NAVIGATOR, self.printed.0.clone(), stop);
        let span = tracing::info_span!("navigator", step = %instance.step, visit = instance.visit);
        let task = self.tasks.spawn(carry_out(job, sink).instrument(span));
        let key = (instance.clone(), NAVIGATOR);
        self.keys.insert(task.id(), key.clone());
        self.briefs.insert(task.id(), asked);
        self.running.insert(key, Some(stopper));
    }

    /// Whether an attempt may be carried out: by what the run was begun with, and as far as whoever drives has
    /// permitted it. What they permitted themselves counts, what stands in a log from somebody else does not.
    fn permit(
        &self,
        state: &RunState,
        created: &RunCreated,
        step: &Step,
        started: &AttemptStarted,
        begun_with: &(EngineInfo, Vec<EngineInfo>),
    ) -> Permit {
        // An attempt in the log may be anybody's; the run's first event says what carries its steps out.
        if (&begun_with.0, &begun_with.1) != (&started.engine, &started.crew) {
            return Permit::Refused(
                "the log names another engine for this step than the one that the run was begun with, so nothing was run"
                    .to_owned(),
            );
        }
        let Some(owner) = &self.factory.driver.options.owner else {
            return Permit::Granted;
        };
        if created.is_rehearsal() || owner.permits_all(&created.run_id) {
            return Permit::Granted;
        }
        let Environment { policy, granted, .. } = &self.factory.environment;
        let mut needs: Vec<String> = Vec::new();
        for engine in std::iter::once(&started.engine).chain(&started.crew) {
            for need in permits::needed(created, step, engine, policy, granted, &self.named) {
                if !needs.contains(&need) {
                    needs.push(need);
                }
            }
        }
        let asks = permits::unpermitted(needs, state, &started.instance, &|decision| {
            owner.gave(&created.run_id, decision)
        });
        match asks.is_empty() {
            true => Permit::Granted,
            false => Permit::Needs(asks),
        }
    }

    /// What a scenario says of an attempt; of a rehearsal without one that it goes well.
    fn script(&self, state: &RunState, created: &RunCreated, step: &Step, started: &AttemptStarted) -> Option<Entry> {
        let scenario = self.factory.scenario.as_ref();
        let said = scenario.and_then(|scenario| {
            let tries = crate::brief::tries(state, started);
            scenario.attempt(&step.id, started.instance.visit, tries).cloned()
        });
        said.or_else(|| created.is_rehearsal().then(Entry::success))
    }

    /// Puts down when an attempt ends whose scripted time passes at once.
    fn lasts(&mut self, state: &RunState, step: &Step, key: &Key, started: &AttemptStarted) {
        let Some(scenario) = self.factory.scenario.as_ref().filter(|_| self.factory.fast) else {
            return;
        };
        let tries = crate::brief::tries(state, started);
        let takes = scenario.takes(step, &started.agents, started.instance.visit, tries);
        if !takes.is_zero() {
            self.ends.insert(key.clone(), self.passed.saturating_add(takes));
        }
    }

    /// Where what an attempt makes is found: a stage of a pipeline has a folder of its own.
    fn files(&self, workflow: &Workflow, created: &RunCreated, step: &Step, started: &AttemptStarted) -> Files {
        let declared = step.outputs.clone();
        // What is neither written nor declared needs no folder.
        let makes = || !declared.is_empty() || started.engines().iter().any(|engine| !engine.is_stub());
        let folder = (workflow.contract().stage_outputs && makes()).then(|| {
            let folders = self.folders.get_or_init(|| outputs::folders_of(workflow));
            Outputs::of(created, folders.get(step.ordinal).map_or("stage", String::as_str))
        });
        // A stub makes nothing, and says so.
        let demanded = workflow.contract().lifecycle && started.engines().iter().any(|engine| !engine.is_stub());
        Files::OnDisk {
            declared,
            demanded,
            folder,
            by_person: started.engines().iter().any(|engine| engine.is_person()),
        }
    }

    /// What comes next: text or an end; waits for ever while nothing is in flight. Cancel-safe.
    pub async fn next(&mut self) -> News {
        loop {
            let due = self.due;
            tokio::select! {
                Some(printed) = self.printed.1.recv() => {
                    let is_call = printed.called.is_some();
                    self.take_in(printed);
                    // What was done outside waits for nothing: a program that dies has no memory of it.
                    let wait = if is_call { Duration::ZERO } else { TOGETHER };
                    let due = Instant::now() + wait;
                    self.due = Some(self.due.map_or(due, |earlier| earlier.min(due)));
                }
                Some(done) = self.tasks.join_next_with_id() => {
                    let mut news = self.ended(done);
                    // What has ended by now is one commit: stages side by side share the disk's time for it.
                    while news.blobs.len() < MOST_TOGETHER && let Some(done) = self.tasks.try_join_next_with_id() {
                        news.add(self.ended(done));
                    }
                    return news;
                }
                () = async { if let Some(due) = due { sleep_until(due).await } }, if due.is_some() => {
                    self.due = None;
                    return std::mem::take(&mut self.pending);
                }
            }
        }
    }

    fn ended(&mut self, done: Result<(Id, Outcome), JoinError>) -> News {
        let (id, outcome) = done.unwrap_or_else(|error| (error.id(), broken(&error)));
        // Everything an attempt printed stands before its end.
        while let Ok(printed) = self.printed.1.try_recv() {
            self.take_in(printed);
        }
        self.due = None;
        let mut news = std::mem::take(&mut self.pending);
        let Some(key) = self.keys.remove(&id) else {
            return news;
        };
        let is_wanted = self.running.get(&key).is_some_and(Option::is_some);
        // What waits for a person before the work has not begun it.
        let has_worked = outcome.result.status != ExecutionStatus::Blocked;
        if is_wanted && has_worked && self.ends.get(&key).is_some_and(|ends| *ends > self.passed) {
            self.asleep.insert(key, outcome);
            return news;
        }
        let asked = self.briefs.remove(&id);
        news.add(self.told(key, outcome, asked));
        news
    }

    fn take_in(&mut self, printed: Printed) {
        let Printed {
            instance,
            attempt,
            pieces,
            called,
        } = printed;
        // What a navigator prints is in its transcript.
        let pieces = if attempt == NAVIGATOR { Vec::new() } else { pieces };
        self.pending
            .intents
            .extend(pieces.into_iter().map(|piece| Intent::Output {
                instance: instance.clone(),
                attempt,
                stream: piece.stream.to_owned(),
                text: piece.text,
            }));
        if let Some((call, waiting)) = called {
            self.pending.intents.push(Intent::Called {
                instance,
                attempt,
                call: Arc::new(call),
            });
            self.pending.waiting.push(waiting);
        }
    }

    /// What is to be decided of an attempt that has come back. `asked`: of a navigator, what it was asked.
    fn told(&mut self, key: Key, outcome: Outcome, asked: Option<Vec<u8>>) -> News {
        self.ends.remove(&key);
        if self.running.remove(&key).flatten().is_none() {
            // It was told to stop: nobody wants its outcome.
            return News::default();
        }
        let Outcome { result, mut blobs } = outcome;
        if key.1 == NAVIGATOR {
            let brief = asked.unwrap_or_default();
            let said = navigator::said(result, &brief);
            blobs.push(brief);
            let intent = Intent::Navigated {
                instance: key.0,
                said: Arc::new(said),
            };
            return News {
                intents: vec![intent],
                blobs,
                ..News::default()
            };
        }
        let status = result.status.word();
        tracing::info!(step = %key.0.step, visit = key.0.visit, status, ms = result.duration_ms, "attempt ended");
        let intent = Intent::Finish {
            instance: key.0,
            attempt: key.1,
            result: Arc::new(result),
        };
        News {
            intents: vec![intent],
            blobs,
            ..News::default()
        }
    }
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
