//! `bench record --project DIR --events N`: a run of about so many events in a project, for the window to be measured
//! at. It is made by the machine that makes every run, from what a driver would report, and lies in the project's own
//! history. With `--per-second N` it happens now, so many events a second, each report in a commit of its own; without,
//! it has happened, and much of it is committed at once. Prints the run's id as soon as the run is there, and at the
//! end how many events it has.

use anyhow::Context as _;
use dialect::Document;
use engine::{
    At, Command, Cursor, EngineInfo, ExecutionStatus, Instance, Intent, RunCreated, RunId, RunState, StepResult, decide,
};
use history::{Batch, Live};
use model::Workflow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use store::{Lease, Store};

/// Steps that follow each other, again and again.
const STEPS: usize = 40;
/// A step is an attempt that starts and one that ends, and the way on; one that happens now prints a line besides.
const EVENTS_OF_A_STEP: usize = 3;
/// Reports in one commit of what has happened.
const AT_ONCE: usize = 500;
/// A step of what has happened took about so long.
const TOOK_MS: i64 = 700;
/// How long the lease is kept without being renewed, and how often it is.
const LEASE: Duration = Duration::from_secs(10);
const RENEWED: Duration = Duration::from_secs(2);

/// Where it is written, how long it becomes, and how fast; absent: at once.
pub struct Wanted {
    pub project: PathBuf,
    pub events: usize,
    pub per_second: Option<usize>,
}

pub fn record(wanted: &Wanted) -> anyhow::Result<()> {
    let Wanted { project, events, .. } = wanted;
    let path = "turning.yaml";
    let text = turning(events / STEPS + 1);
    std::fs::create_dir_all(project)?;
    std::fs::write(project.join(path), &text)?;
    let store = Store::open(project)?;
    let document = Document::parse(path, &text);
    let mut written = Written {
        store: &store,
        workflow: document.workflow(),
        live: Live::new(RunId::from(format!("bench-{}", now().0))),
    };
    let source = store.put_blob(text.as_bytes())?;
    match wanted.per_second {
        None => written.at_once(path, source, *events)?,
        Some(rate) => written.as_it_happens(path, source, *events, rate)?,
    }
    let found = store.verify_chain(written.live.run())?;
    anyhow::ensure!(found.is_empty(), "the chain does not hold: {found:?}");
    println!("events {}", written.live.state().seq);
    Ok(())
}

/// Steps in a row whose last one leads back to the first until it reports that this is enough.
fn turning(rounds: usize) -> String {
    let mut text = String::from("key: turning\ntitle: Round and round\nsteps:\n");
    for n in 0..STEPS {
        let routing = match STEPS - 1 - n {
            0 => format!(
                "{{kind: microloop, loop_target: s0, loop_condition_field: status, loop_success_values: [OK], \
                 max_iterations: {rounds}}}"
            ),
            _ => format!("{{kind: linear, next: s{}}}", n + 1),
        };
        text.push_str(&format!(
            "  - {{id: s{n}, agents: [a], role: Number {n} of a round., routing: {routing}}}\n"
        ));
    }
    text
}

/// A run that is being written.
struct Written<'a> {
    store: &'a Store,
    workflow: &'a Workflow,
    live: Live,
}

impl Written<'_> {
    /// All of it has happened, with its end a moment ago.
    fn at_once(&mut self, path: &str, source: engine::Digest, events: usize) -> anyhow::Result<()> {
        let steps = i64::try_from(events / EVENTS_OF_A_STEP)?;
        let mut at = now().0 - (steps + 1) * TOOK_MS * 3 / 2;
        let created = self.created(path, source);
        self.commit(|batch, workflow| follow(batch, workflow, At(at), created.clone()))?;
        println!("run {}", self.live.run());
        while !self.live.state().status.ended() {
            let begun = at;
            at = self.commit(|batch, workflow| {
                let mut at = begun;
                for _ in 0..AT_ONCE {
                    let state = batch.state();
                    let Some(instance) = running(state) else { break };
                    let enough = state.seq >= events as u64;
                    // Of some variety, and the same every time.
                    let took = TOOK_MS + (state.seq as i64).wrapping_mul(7_919) % (TOOK_MS / 2);
                    at += took;
                    follow(batch, workflow, At(at), finish(instance, enough, took))?;
                }
                Ok(at)
            })?;
        }
        Ok(())
    }

    /// It happens now, and whoever looks at it sees that somebody drives it.
    fn as_it_happens(&mut self, path: &str, source: engine::Digest, events: usize, rate: usize) -> anyhow::Result<()> {
        let created = self.created(path, source);
        self.commit(|batch, workflow| follow(batch, workflow, now(), created.clone()))?;
        let mut lease = self.store.take_lease(self.live.run(), "bench", now(), ttl())?;
        println!("run {}", self.live.run());
        let (begun, mut renewed) = (Instant::now(), Instant::now());
        while !self.live.state().status.ended() {
            let done = self.live.state().seq;
            let due = begun + Duration::from_secs_f64(done as f64 / rate as f64);
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            if renewed.elapsed() > RENEWED {
                lease = self.renewed(&lease)?;
                renewed = Instant::now();
            }
            // One report a commit, and more where the disk does not keep up: then several have arrived.
            let due = (begun.elapsed().as_secs_f64() * rate as f64) as u64;
            self.commit(|batch, workflow| {
                while let Some(instance) = running(batch.state()) {
                    let done = batch.state().seq;
                    let said = Intent::Output {
                        instance: instance.clone(),
                        attempt: 1,
                        stream: "stdout".to_owned(),
                        text: format!("said at event {done}\n"),
                    };
                    follow(batch, workflow, now(), said)?;
                    follow(batch, workflow, now(), finish(instance, done >= events as u64, 1))?;
                    if batch.state().seq >= due {
                        break;
                    }
                }
                Ok(())
            })?;
        }
        println!("seconds {:.3}", begun.elapsed().as_secs_f64());
        Ok(self.store.release_lease(&lease)?)
    }

    fn renewed(&self, lease: &Lease) -> anyhow::Result<Lease> {
        Ok(self.store.renew_lease(lease, now(), ttl())?)
    }

    /// A rehearsal: nobody is called, and nothing that a window might do with the run leads to programs that run.
    fn created(&self, path: &str, source: engine::Digest) -> Intent {
        let mut created = RunCreated::new(self.live.run().clone(), self.workflow, path, source, "bench");
        created.by = "bench".to_owned();
        created.rehearsal = true;
        created.engines.insert("*".into(), EngineInfo::stub());
        Intent::Create(Arc::new(created))
    }

    /// What `decide` makes of the run, in one commit; gives what it gives.
    fn commit<T>(&mut self, mut decide: impl FnMut(&mut Batch, &Workflow) -> anyhow::Result<T>) -> anyhow::Result<T> {
        let workflow = self.workflow;
        let mut given = None;
        self.live.commit(self.store, &[], |state| {
            let mut batch = Batch::on(state);
            given = Some(decide(&mut batch, workflow)?);
            anyhow::Ok(batch)
        })?;
        given.context("nothing was decided")
    }
}

fn follow(batch: &mut Batch, workflow: &Workflow, at: At, intent: Intent) -> anyhow::Result<()> {
    let decided = decide(workflow, batch.state(), &Command { at, intent });
    let decided = decided.map_err(|refusal| anyhow::anyhow!("{refusal:?}"))?;
    batch.add(at, decided);
    Ok(())
}

/// What is at work: one step at a time.
fn running(state: &RunState) -> Option<Instance> {
    match &state.cursor {
        Cursor::Running { instance, .. } => Some(instance.clone()),
        _ => None,
    }
}

fn finish(instance: Instance, enough: bool, took: i64) -> Intent {
    let status = if enough { "OK" } else { "AGAIN" };
    let mut result = StepResult::new(ExecutionStatus::Succeeded);
    result.report.insert("status".to_owned(), status.into());
    result.duration_ms = took.unsigned_abs();
    Intent::Finish {
        instance,
        attempt: 1,
        result: Arc::new(result),
    }
}

fn ttl() -> u64 {
    u64::try_from(LEASE.as_millis()).unwrap_or(u64::MAX)
}

fn now() -> At {
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    At(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// What the words of the command line want.
pub fn wanted(project: &str, events: Option<usize>, per_second: Option<usize>) -> anyhow::Result<Wanted> {
    Ok(Wanted {
        project: Path::new(project).to_owned(),
        events: events.context("`bench record` needs --events N")?.max(1),
        per_second: per_second.filter(|rate| *rate > 0),
    })
}
