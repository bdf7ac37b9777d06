//! A long log: what opening it costs beside reading it, its state at any event beside folding all of it, one more event beside one more of
//! a short log, and its chain beside the bare digest of its bytes.

use super::{aim, driven_steps, fact, median};
use engine::{At, Event, RunId, RunState, apply};
use history::Run;
use sha2::{Digest as _, Sha256};
use std::hint::black_box;
use std::time::{Duration, Instant};
use store::{RunFilter, Store};

const SHORT: usize = 100;
/// So many events are looked at, all over the log.
const LOOKS: u64 = 200;
/// A step of a linear run is an attempt that starts and one that ends, and the way on.
const EVENTS_OF_A_STEP: usize = 3;

pub fn measure(events: usize, rounds: usize) -> anyhow::Result<()> {
    println!("A run of {events} events (best of {rounds} rounds)");
    let (_folder, store, run) = recorded(events)?;
    let last = store.head(&run)?.map_or(0, |head| head.seq);
    fact("events", last.to_string());

    let reading = best(rounds, || {
        Ok(store.each_event(&run, 0, |stored| drop(black_box(stored)))?)
    })?;
    let opening = best(rounds, || {
        black_box(Run::open(&store, &run)?);
        Ok(())
    })?;
    fact("read and decoded", ms(reading));
    let ratio = opening.as_secs_f64() / reading.as_secs_f64();
    aim(
        "opened, to reading and decoding it",
        format!("{ratio:.2} ×"),
        "≤ 2 ×",
        ratio <= 2.0,
    );

    let opened = Run::open(&store, &run)?;
    let folding = best(rounds, || {
        let mut state = RunState::default();
        for stored in opened.events().iter() {
            apply(&mut state, stored.at, &stored.event);
        }
        black_box(state);
        Ok(())
    })?;
    fact("folded from its first event", ms(folding));
    let looking = best(rounds, || {
        // All over it, far from each other.
        for look in 0..LOOKS {
            black_box(opened.at(Some(1 + (look * 7_919_993) % last)));
        }
        Ok(())
    })? / u32::try_from(LOOKS)?;
    let part = folding.as_secs_f64() / looking.as_secs_f64();
    aim(
        "its state at any event, of folding all",
        format!("1/{part:.0}"),
        "≤ 1/500",
        part >= 500.0,
    );

    let (_short_folder, short_store, short_run) = recorded(SHORT)?;
    let short = one_more(&short_store, &short_run, rounds)?;
    let long = one_more(&store, &run, rounds)?;
    fact(&format!("one more event of no step after {SHORT}"), us(short));
    let ratio = long.as_secs_f64() / short.as_secs_f64();
    aim(
        &format!("one more of no step after {last}"),
        format!("{ratio:.2} ×"),
        "≤ 1.10 ×",
        ratio <= 1.1,
    );

    let bodies = bytes(&store, &run)?;
    let bare = best(rounds, || {
        let mut sha = Sha256::new();
        bodies.iter().for_each(|body| sha.update(body));
        black_box(sha.finalize());
        Ok(())
    })?;
    let verified = best(rounds, || {
        let found = store.verify_chain(&run)?;
        anyhow::ensure!(found.is_empty(), "the chain does not hold: {found:?}");
        Ok(())
    })?;
    let speed = bare.as_secs_f64() / verified.as_secs_f64();
    aim(
        "its chain verified, to the bare digest",
        format!("{speed:.2}"),
        "≥ 0.50",
        speed >= 0.5,
    );
    Ok(())
}

/// A linear run with about so many events, driven to its end.
fn recorded(events: usize) -> anyhow::Result<(tempfile::TempDir, Store, RunId)> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let folder = tempfile::tempdir()?;
    runtime.block_on(driven_steps(folder.path(), (events / EVENTS_OF_A_STEP).max(1), false))?;
    let store = Store::open(folder.path())?;
    let mut rows = store.runs(&RunFilter::default())?;
    let row = rows.pop().ok_or_else(|| anyhow::anyhow!("there is no run"))?;
    Ok((folder, store, row.run))
}

/// What it takes to take up one more event, once it is in the log: one of the run itself, of no step. The median, so that what is kept
/// every so many events counts.
fn one_more(store: &Store, run: &RunId, rounds: usize) -> anyhow::Result<Duration> {
    const EVENTS: usize = 40;
    let mut known = Run::open(store, run)?;
    let mut took = Vec::new();
    for event in 0..rounds * EVENTS {
        let state = known.live().state();
        let at = state.last_at.unwrap_or(At(0));
        let by = "bench".to_owned();
        let event = match event % 2 {
            0 => Event::Paused { by, given: None },
            _ => Event::Resumed { by, given: None },
        };
        let mut after = state.clone();
        apply(&mut after, at, &event);
        store.append(run, state.seq, &[(at, event)], &after)?;
        let begun = Instant::now();
        known.catch_up(store)?;
        took.push(begun.elapsed());
    }
    Ok(median(took))
}

/// The stored bytes of its events.
fn bytes(store: &Store, run: &RunId) -> anyhow::Result<Vec<Vec<u8>>> {
    let mut bodies = Vec::new();
    store.each_event(run, 0, |stored| bodies.push(store::body_of(stored.at, &stored.event)))?;
    Ok(bodies.into_iter().collect::<Result<_, _>>()?)
}

fn best(rounds: usize, mut work: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..=rounds {
        let begun = Instant::now();
        work()?;
        best = best.min(begun.elapsed());
    }
    Ok(best)
}

fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

fn us(time: Duration) -> String {
    format!("{:.0} µs", time.as_secs_f64() * 1e6)
}
