//! Pipelines: what a stage costs beside what other engines were recorded to take for the same, and how well stages run together.
//!
//! The recorded figures are of another hour, so both sides are set against the machine's own limit of their hour: theirs against the
//! recorded floor (a synced commit a step), ours against one that is measured in turns with it.

use super::{aim, fact, median, raw_commits};
use runtime::{Control, Driver, End, Options, StartRequest};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::Store;

/// Stages side by side.
const WIDE: usize = 200;
/// An engine's recorded seconds for 1 000 linear steps and for 200 side by side and a join, and whether what it has recorded survives the
/// loss of power.
const RECORDED: [(&str, f64, f64, bool); 9] = [
    ("Restate 1.7", 1.46, 0.140, true),
    ("DBOS, SQLite", 3.05, 1.10, true),
    ("DBOS, PostgreSQL 15", 4.09, 1.01, true),
    ("Prefect 3.8, until the call returns", 6.63, 2.14, false),
    ("Dagster 1.13, in process", 18.6, 3.92, true),
    ("n8n 1.123, saving progress", 38.9, 9.41, true),
    ("Duroxide 0.1", 12.9, 0.88, false),
    ("make", 0.93, 0.114, false),
    ("Node-RED (keeps nothing)", 0.042, 0.022, false),
];
/// The recorded floor of the same two, one synced commit a step.
const FLOOR: (f64, f64) = (0.321, 0.066);

pub fn measure(steps: usize, rounds: usize) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    println!(
        "Pipelines of no-op stages, durable, against one synced SQLite commit a stage (medians of {rounds} rounds, in turns)"
    );
    let linear = linear(steps);
    let fan = beside_and_join(WIDE);
    let mut ours = Vec::new();
    for (what, stages, count) in [
        (format!("{steps} in a row"), linear, steps),
        (format!("{WIDE} side by side and a join"), fan.clone(), WIDE + 1),
    ] {
        let (mut times, mut ratios) = (Vec::new(), Vec::new());
        for round in 0..=rounds {
            let folder = tempfile::tempdir()?;
            let raw = raw_commits(folder.path(), count)?;
            let took = runtime.block_on(carried_out(folder.path(), &stages, Some(WIDE), count))?;
            // The first round warms the caches.
            if round > 0 {
                times.push(took);
                ratios.push(took.as_secs_f64() / raw.as_secs_f64());
            }
        }
        ratios.sort_by(f64::total_cmp);
        let (took, ratio) = (median(times), ratios[ratios.len() / 2]);
        let each = took.as_secs_f64() * 1e6 / count as f64;
        fact(&what, format!("{:.3} s", took.as_secs_f64()));
        fact("  a stage", format!("{each:.0} µs"));
        fact("  to the limit", format!("{ratio:.2} ×"));
        if count == WIDE + 1 {
            let faster = 1.0 / ratio;
            aim(
                "  beside each other, to raw commits",
                format!("{faster:.2} ×"),
                "≥ 4 ×",
                faster >= 4.0,
            );
        }
        ours.push(ratio);
    }
    beside(ours[0], ours[1]);
    let of = |limit: Option<usize>| {
        let folder = tempfile::tempdir()?;
        runtime.block_on(carried_out(folder.path(), &fan, limit, WIDE + 1))
    };
    let (mut default, mut best) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        default.push(of(None)?);
        best.push(of(Some(WIDE))?);
    }
    let ratio = median(default).as_secs_f64() / median(best).as_secs_f64();
    aim(
        "side by side with default settings, to the best",
        format!("{ratio:.2} ×"),
        "≤ 1.20 ×",
        ratio <= 1.2,
    );
    together(&runtime, &wide(WIDE, "run: sleep 1"))
}

/// So many stages in a row.
pub fn linear(stages: usize) -> String {
    let stage = |n: usize| match n.checked_sub(1) {
        Some(before) => format!("  - {{name: s{n}, agents: [a], depends_on: [s{before}]}}\n"),
        None => format!("  - {{name: s{n}, agents: [a]}}\n"),
    };
    (0..stages).map(stage).collect()
}

/// So many stages beside each other, each with this work.
fn wide(stages: usize, work: &str) -> String {
    (0..stages)
        .map(|n| format!("  - {{name: s{n}, {work}, parallel: true}}\n"))
        .collect()
}

/// So many stages beside each other, and one that waits for all of them.
pub fn beside_and_join(stages: usize) -> String {
    let names: Vec<String> = (0..stages).map(|n| format!("s{n}")).collect();
    let join = format!("  - {{name: join, agents: [a], depends_on: [{}]}}\n", names.join(", "));
    format!("{}{join}", wide(stages, "agents: [a]"))
}

/// What others take for the same, as times of what we take.
fn beside(linear: f64, wide: f64) {
    println!("Recorded of other engines, as times of ours (each against its own hour's limit)");
    for (name, their_linear, their_wide, durable) in RECORDED {
        let (a, b) = (their_linear / FLOOR.0 / linear, their_wide / FLOOR.1 / wide);
        let figure = format!("{a:.1} × / {b:.1} ×");
        if durable {
            aim(name, figure, "none is faster", a >= 1.0 && b >= 1.0);
        } else {
            fact(&format!("{name}, less durable"), figure);
        }
        if name == "Restate 1.7" {
            aim(
                "  the goal for it",
                String::new(),
                "≥ 3 × in a row, ≥ 5 × side by side",
                a >= 3.0 && b >= 5.0,
            );
        }
    }
}

/// Stages that take a second each, 50 at a time.
fn together(runtime: &tokio::runtime::Runtime, stages: &str) -> anyhow::Result<()> {
    const LIMIT: usize = 50;
    println!("{WIDE} stages that sleep for one second, {LIMIT} at a time");
    let folder = tempfile::tempdir()?;
    // For real: each is a program that is started, waited for and ended.
    let took = runtime.block_on(started(folder.path(), stages, Some(LIMIT), WIDE, false))?;
    anyhow::ensure!(took >= Duration::from_secs((WIDE / LIMIT) as u64), "nothing slept");
    let ideal = Duration::from_secs((WIDE / LIMIT) as u64);
    aim(
        "from the first stage to the end",
        format!("{:.2} s", took.as_secs_f64()),
        "≤ 4.40 s",
        took.as_secs_f64() <= ideal.as_secs_f64() * 1.1,
    );
    Ok(())
}

/// Carries a pipeline out through the real driver on a real history: how long it took.
///
/// `limit`: stages at once; absent: as the product has it.
pub async fn carried_out(folder: &Path, stages: &str, limit: Option<usize>, count: usize) -> anyhow::Result<Duration> {
    // What is measured is the pipeline, not the programs of its stages.
    started(folder, stages, limit, count, true).await
}

async fn started(
    folder: &Path,
    stages: &str,
    limit: Option<usize>,
    count: usize,
    rehearse: bool,
) -> anyhow::Result<Duration> {
    if let Some(limit) = limit {
        let settings = format!("runtime: {{parallel_stages: {limit}}}\n");
        std::fs::write(folder.join("gatehouse.yaml"), settings)?;
    }
    let store = Arc::new(Store::open(folder)?);
    let options = Options {
        render: None,
        ..Options::of("bench")
    };
    let driver = Driver::new(Arc::clone(&store), folder, options)?;
    let run = driver.start(&StartRequest {
        path: "bench.yaml".to_owned(),
        source: format!("name: A benchmark\nstages:\n{stages}"),
        by: "bench".to_owned(),
        initiator: "bench".to_owned(),
        rehearse,
        permit: true,
        ..StartRequest::default()
    })?;
    let begun = Instant::now();
    let (end, state) = driver.drive(&run, &Control::default()).await?;
    let took = begun.elapsed();
    anyhow::ensure!(
        end == End::Ended && usize::try_from(state.completed)? == count,
        "the pipeline did not complete its {count} stages: {:?} {:?}",
        state.status,
        state.error
    );
    Ok(took)
}
