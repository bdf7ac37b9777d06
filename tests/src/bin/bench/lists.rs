//! A project with many runs: its list and its Inbox beside the bare queries that they are made of.

use super::{aim, fact, flow};
use engine::{At, Event, RunId, RunState, apply};
use runtime::{Control, Driver, Options, StartRequest};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Append, RunFilter, Store, Stored};
use studio::command::{RunsOf, dispatch};
use studio::{Client, Identity, Studio};

/// Of so many runs one waits for a person.
const ONE_WAITS_IN: usize = 5;
/// Runs that are recorded in one commit.
const AT_ONCE: usize = 500;

/// A runbook whose first step asks a person.
const ASKS: &str = "# Release\n\n## 1. Look at it\n\nIs everything there?\n\n- PASS: CONTINUE\n- FAIL: STOP\n";

pub fn measure(runs: usize, rounds: usize) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let waiting = runs / ONE_WAITS_IN;
    println!("A project of {runs} runs, {waiting} of them waiting for a person (best of {rounds} rounds)");
    let folder = tempfile::tempdir()?;
    let store = Arc::new(Store::open(folder.path())?);
    let ended = runtime.block_on(one(&store, "ends.yaml", &flow(3, true), true))?;
    let asks = runtime.block_on(one(&store, "asks.runbook.md", ASKS, false))?;
    fill(&store, &[ended, asks], runs)?;

    let home = folder.path().join("home");
    std::fs::create_dir(&home)?;
    let me = Identity::open_in(&home, false).map_err(|error| anyhow::anyhow!("{error}"))?;
    let studio = Studio::open_as(folder.path(), Client::Test, me).map_err(|error| anyhow::anyhow!("{error}"))?;
    let bare_list = best(rounds, || Ok(store.runs(&RunFilter::default())?.len()), runs + 2)?;
    let bare_inbox = best(rounds, || Ok(store.waiting()?.len()), waiting + 1)?;
    let list = || {
        let shown = runtime.block_on(studio.runs(RunsOf::default()));
        Ok(shown.map_err(|error| anyhow::anyhow!("{error}"))?.runs.len())
    };
    let inbox = || {
        let shown = runtime.block_on(dispatch(&studio, "inbox.list", serde_json::json!({})));
        let shown = shown.map_err(|error| anyhow::anyhow!("{error}"))?;
        // Counted in the bytes that a window gets: to read them is the window's part.
        Ok(shown.get().matches("\"waiting_since\":").count())
    };
    for (what, bare, asked, count) in [
        (
            "the list",
            bare_list,
            &list as &dyn Fn() -> anyhow::Result<usize>,
            runs + 2,
        ),
        ("the Inbox", bare_inbox, &inbox, waiting + 1),
    ] {
        let begun = Instant::now();
        asked()?;
        fact(&format!("{what}, for the first time"), ms(begun.elapsed()));
        let took = best(rounds, asked, count)?;
        fact(&format!("{what}, the bare query"), ms(bare));
        fact(what, ms(took));
        let ratio = took.as_secs_f64() / bare.as_secs_f64();
        aim(
            &format!("{what} asked again, to the bare query"),
            format!("{ratio:.2} ×"),
            "≤ 3 ×",
            ratio <= 3.0,
        );
    }
    Ok(())
}

/// A run carried as far as it goes by itself, with its events.
async fn one(store: &Arc<Store>, path: &str, text: &str, rehearse: bool) -> anyhow::Result<Vec<Stored>> {
    let folder = tempfile::tempdir()?;
    let options = Options {
        render: None,
        until_blocked: true,
        ..Options::of("bench")
    };
    let driver = Driver::new(Arc::clone(store), folder.path(), options)?;
    let run = driver.start(&StartRequest {
        path: path.to_owned(),
        source: text.to_owned(),
        by: "bench".to_owned(),
        initiator: "bench".to_owned(),
        rehearse,
        ..StartRequest::default()
    })?;
    let (_, state) = driver.drive(&run, &Control::default()).await?;
    anyhow::ensure!(
        state.status.ended() != state.waiting().is_some(),
        "the run neither ended nor waits: {:?}",
        state.status
    );
    Ok(store.events(&run, 0, usize::MAX >> 1)?)
}

/// A run with its events, and its state after them.
type Made = (RunId, Vec<(At, Event)>, RunState);

/// The same runs again and again, each as one of its own.
fn fill(store: &Store, of: &[Vec<Stored>; 2], runs: usize) -> anyhow::Result<()> {
    let made: Vec<Made> = (0..runs)
        .map(|n| {
            let events = &of[usize::from(n % ONE_WAITS_IN == 0)];
            let run = RunId::from(format!("run_{n:08}"));
            let mut state = RunState::default();
            let batch = events.iter().map(|stored| {
                let event = match &stored.event {
                    Event::RunCreated(created) => {
                        let mut created = engine::RunCreated::clone(created);
                        created.run_id = run.clone();
                        Event::RunCreated(Arc::new(created))
                    }
                    other => other.clone(),
                };
                apply(&mut state, stored.at, &event);
                (stored.at, event)
            });
            let batch = batch.collect();
            (run, batch, state)
        })
        .collect();
    for some in made.chunks(AT_ONCE) {
        let batches: Vec<Append<'_>> = some
            .iter()
            .map(|(run, batch, after)| Append {
                run,
                expected_seq: 0,
                batch,
                after,
            })
            .collect();
        for appended in store.append_many(&batches)? {
            appended?;
        }
    }
    Ok(())
}

fn best(rounds: usize, work: impl Fn() -> anyhow::Result<usize>, count: usize) -> anyhow::Result<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..=rounds {
        let begun = Instant::now();
        let seen = work()?;
        best = best.min(begun.elapsed());
        anyhow::ensure!(seen == count, "{seen} of {count} were shown");
    }
    Ok(best)
}

fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
