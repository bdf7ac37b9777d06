//! A project in a temporary folder.

use engine::{Answer, Decision, Event, Intent, RunId, RunState, RunStatus, StepResult};
use runtime::{Control, Driver, End, Error, Options, ScenarioSource, StartRequest};
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::rundir::{Files, RunFolder, render};
use store::{Facts, Store};

pub struct Project {
    _kept: tempfile::TempDir,
    pub root: PathBuf,
    pub store: Arc<Store>,
}

pub type Driving = tokio::task::JoinHandle<Result<(End, RunState), Error>>;

impl Project {
    pub fn new(config: &str) -> Self {
        let kept = tempfile::tempdir().expect("a temporary folder");
        let root = kept.path().canonicalize().expect("it exists");
        std::fs::write(root.join("gatehouse.yaml"), config).expect("the settings");
        let store = Arc::new(Store::open(&root).expect("a history"));
        Self {
            _kept: kept,
            root,
            store,
        }
    }

    /// A project whose agent `worker` runs a command line.
    pub fn shell(line: &str) -> Self {
        let line = serde_json::to_string(line).expect("text");
        Self::new(&format!("agents: {{worker: {{engine: shell, run: {line}}}}}"))
    }

    /// A project whose agent `worker` is a program; `script` is its shell script.
    pub fn command(script: &str) -> Self {
        let words = serde_json::to_string(&["sh", "-c", script]).expect("text");
        Self::new(&format!("agents: {{worker: {{engine: command, run: {words}}}}}"))
    }

    pub fn options() -> Options {
        Options {
            render: None,
            ..Options::of("test")
        }
    }

    pub fn driver(&self, options: Options) -> Driver {
        // A handle of its own, as another process would have.
        let store = Arc::new(Store::open(&self.root).expect("a history"));
        Driver::new(store, &self.root, options).expect("the folder is there")
    }

    pub fn start(&self, flow: &str, scenario: Option<&str>) -> RunId {
        self.try_start(flow, scenario).expect("the flow can be run")
    }

    pub fn try_start(&self, flow: &str, scenario: Option<&str>) -> Result<RunId, Error> {
        let scenario = scenario.map(|text| ScenarioSource {
            path: "flow.scenario.yaml".into(),
            text: text.into(),
        });
        // A project that names nobody who does the work can only rehearse it.
        let config = std::fs::read_to_string(self.root.join("gatehouse.yaml")).expect("the settings");
        self.driver(Self::options()).start(&StartRequest {
            path: "flow.yaml".into(),
            source: flow.into(),
            rehearse: !config.contains("agents:"),
            scenario,
            by: "Ann".into(),
            initiator: "test".into(),
            ..StartRequest::default()
        })
    }

    pub async fn drive(&self, run: &RunId) -> RunState {
        let driving = self.driver(Self::options());
        let control = Control::default();
        let (end, state) = within(60, driving.drive(run, &control))
            .await
            .expect("it can be driven");
        assert_eq!(end, End::Ended);
        let (logged, _) = self.store.load(run).expect("the log");
        assert_eq!(state, logged, "the driver's state is the fold of the log");
        self.grows(run);
        state
    }

    /// The files built event by event are those that are rendered, after every event; and at each the run is a session that keeps its schema.
    pub fn grows(&self, run: &RunId) {
        let facts = Facts::of(runtime::workflow_of(&self.store, run).expect("its workflow"));
        let events = self.store.events(run, 0, usize::MAX).expect("the log");
        let blob = |digest: &engine::Digest| self.store.blob(digest).ok();
        let (mut folder, mut files) = (RunFolder::new(facts.clone()), Files::new());
        for (n, stored) in (1..).zip(&events) {
            folder.push(stored);
            if n % (1 + events.len() / 80) != 0 && n != events.len() {
                continue;
            }
            for change in folder.changes(&blob) {
                change.apply(&mut files).expect("it fits the files so far");
            }
            assert!(files == render(&events[..n], &facts, &blob), "after {n} events");
            let session = store::session(&events[..n], &facts).expect("a run");
            assert_eq!(dialect::session::breaks(&session), [], "after {n} events");
        }
    }

    /// Drives in the background.
    pub fn driving(&self, run: &RunId, options: Options, control: &Control) -> Driving {
        let (driver, run, control) = (self.driver(options), run.clone(), control.clone());
        tokio::spawn(async move { driver.drive(&run, &control).await })
    }

    pub async fn whole(&self, flow: &str, scenario: Option<&str>) -> RunState {
        let run = self.start(flow, scenario);
        self.drive(&run).await
    }

    pub fn state(&self, run: &RunId) -> RunState {
        self.store.load(run).expect("the log").0
    }

    pub fn events(&self, run: &RunId) -> Vec<Event> {
        self.store
            .events(run, 0, 100_000)
            .expect("the log")
            .into_iter()
            .map(|s| s.event)
            .collect()
    }

    /// All that a run has printed, Gatehouse's remarks among it.
    pub fn printed(&self, run: &RunId) -> String {
        let texts = self.events(run).into_iter().filter_map(|event| match event {
            Event::Output { text, .. } => Some(text),
            _ => None,
        });
        texts.collect()
    }

    pub fn say(&self, run: &RunId, intent: Intent) -> Result<(), Error> {
        runtime::submit::submit_to(&self.store, run, intent).map(drop)
    }

    pub fn answer(&self, run: &RunId, answer: Answer, by: &str, comment: &str) -> Result<(), Error> {
        let state = self.state(run);
        let waiting = state.waiting().expect("a gate waits");
        let decision = Decision {
            gate: waiting.opened.gate.clone(),
            round: waiting.opened.round,
            answer,
            by: by.into(),
            comment: comment.into(),
            seen: waiting.opened.shown.iter().map(|a| a.digest.clone()).collect(),
            undrawn: Vec::new(),
            via: "test".into(),
            lasting: None,
            way: None,
            report: Default::default(),
            key_name: None,
            signature: None,
        };
        self.say(run, Intent::Answer(Arc::new(decision)))
    }

    /// Waits until the run is in a state.
    pub async fn until(&self, run: &RunId, what: &str, holds: impl Fn(&RunState) -> bool) -> RunState {
        let begun = Instant::now();
        loop {
            let state = self.state(run);
            if holds(&state) {
                return state;
            }
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "{what} never came: {:?}",
                state.cursor
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    pub async fn until_file(&self, name: &str) -> String {
        let begun = Instant::now();
        loop {
            let text = std::fs::read_to_string(self.root.join(name)).unwrap_or_default();
            if text.ends_with('\n') {
                return text.trim().to_owned();
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{name} never came");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

pub async fn within<T>(seconds: u64, work: impl Future<Output = T>) -> T {
    // A machine that does much else is slow, and only what never ends is meant.
    tokio::time::timeout(Duration::from_secs(4 * seconds), work)
        .await
        .expect("it should have ended by now")
}

/// The last result of a step.
pub fn result<'a>(state: &'a RunState, step: &str) -> &'a StepResult {
    let visits = &state.steps[step].visits;
    visits
        .last()
        .and_then(|v| v.attempts.last())
        .and_then(|a| a.result.as_deref())
        .expect("the step has ended")
}

pub fn ended(state: &RunState) -> &'static str {
    match state.status {
        RunStatus::Ended(engine::EndStatus::Succeeded) => "succeeded",
        RunStatus::Ended(engine::EndStatus::Failed) => "failed",
        RunStatus::Ended(engine::EndStatus::Aborted) => "aborted",
        _ => "not ended",
    }
}

pub fn path(state: &RunState) -> String {
    runtime::scenario::path(state)
        .iter()
        .map(|s| s.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether a process is there and not a zombie.
pub fn alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .and_then(|rest| rest.trim().chars().next())
        .is_some_and(|state| state != 'Z')
}

pub const ONE: &str = "key: flow\ntitle: One step\nsteps:\n  - id: work\n    agents: [worker]\n    role: Works.\n    routing: {kind: linear}\n";
