//! What it costs to look at a run: what changed on its picture beside the whole of it, and one step at the end of a long
//! run beside one at the end of a short one.

use super::{aim, driven_steps, fact};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use studio::command::{RunsOf, dispatch};
use studio::{Client, Identity, Studio};

const SHORT: usize = 300;

pub fn measure(steps: usize, long: usize, rounds: usize) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    println!("Looking at a run (best of {rounds} rounds)");
    let ran = |count: usize| -> anyhow::Result<(tempfile::TempDir, Studio)> {
        let folder = tempfile::tempdir()?;
        runtime.block_on(driven_steps(folder.path(), count, false))?;
        let studio = open(folder.path())?;
        Ok((folder, studio))
    };
    let ask = |studio: &Studio, method: &str, params: &dyn Fn(usize) -> Value| -> anyhow::Result<(Duration, Value)> {
        let mut best = (Duration::MAX, Value::Null);
        // The first round reads the log.
        for round in 0..=rounds {
            let params = params(round);
            let begun = Instant::now();
            let answer = runtime.block_on(dispatch(studio, method, params));
            let took = begun.elapsed();
            let answer = answer.map_err(|error| anyhow::anyhow!("{method}: {error}"))?;
            best = (best.0.min(took), serde_json::from_str(answer.get())?);
        }
        Ok(best)
    };
    let (_folder, studio) = ran(steps)?;
    let run = only_run(&runtime, &studio)?;
    let (whole, view) = ask(&studio, "run.view", &|round| {
        // Each in a room of its own, so that it is laid out.
        json!({"run_id": run, "room": {"width": 1_000 + round, "height": 600}})
    })?;
    let last = view["last"].as_u64().unwrap_or(0);
    let changed = json!({"run_id": run, "at": last / 2 + 1, "since": last / 2});
    let (part, overlay) = ask(&studio, "run.overlay", &|_| changed.clone())?;
    let ratio = |part: f64, whole: f64, what: &str| {
        let figure = part / whole;
        aim(
            &format!("one event on a picture of {steps} steps, {what}"),
            format!("1/{:.0}", 1.0 / figure),
            "≤ 1/20",
            figure <= 1.0 / 20.0,
        );
    };
    ratio(part.as_secs_f64(), whole.as_secs_f64(), "time");
    let bytes = |value: &Value| value.to_string().len() as f64;
    ratio(bytes(&overlay), bytes(&view), "bytes");

    let mut took = Vec::new();
    for count in [SHORT, long] {
        let (_folder, studio) = ran(count)?;
        let run = only_run(&runtime, &studio)?;
        let step = json!({"run_id": run, "step": format!("s{}", count - 1)});
        let (best, _) = ask(&studio, "run.step", &|_| step.clone())?;
        fact(
            &format!("the last step of {count}"),
            format!("{:.2} ms", best.as_secs_f64() * 1e3),
        );
        took.push(best.as_secs_f64());
    }
    let growth = took[1] / took[0];
    aim(
        "the last step, long to short",
        format!("{growth:.2} ×"),
        "≤ 1.50 ×",
        growth <= 1.5,
    );
    Ok(())
}

fn open(folder: &Path) -> anyhow::Result<Studio> {
    let home = folder.join("home");
    std::fs::create_dir(&home)?;
    let me = Identity::open_in(&home, false).map_err(|error| anyhow::anyhow!("{error}"))?;
    Studio::open_as(folder, Client::Test, me).map_err(|error| anyhow::anyhow!("{error}"))
}

fn only_run(runtime: &tokio::runtime::Runtime, studio: &Studio) -> anyhow::Result<String> {
    let runs = runtime
        .block_on(studio.runs(RunsOf::default()))
        .map_err(|error| anyhow::anyhow!("{error}"))?;
    let run = runs.runs.into_iter().next().map(|row| row.run_id);
    run.ok_or_else(|| anyhow::anyhow!("there is no run"))
}
