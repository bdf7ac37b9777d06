//! What one more step costs in a long run, beside a short one: a run's state, its plan and its files must not be gone through for each.

use super::{aim, driven_steps, fact, pipelines, raw_commits};
use std::path::Path;
use std::time::Duration;

const SHORT: usize = 100;
/// How many of the short ones are carried out.
const OFTEN: usize = 25;

/// How a run of so many steps, in a folder of its own, is timed.
type Carried<'a> = &'a dyn Fn(&Path, usize) -> anyhow::Result<Duration>;

pub fn measure(long: usize, rounds: usize) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    println!(
        "One more step of a run of {long}, beside one of {SHORT} (best of {rounds} rounds, of each the median of {OFTEN} short runs)"
    );
    let step = |folder: &Path, count: usize| runtime.block_on(driven_steps(folder, count, false));
    let stage = |folder: &Path, count: usize| {
        let stages = pipelines::linear(count);
        runtime.block_on(pipelines::carried_out(folder, &stages, None, count))
    };
    let raw = |folder: &Path, count: usize| raw_commits(folder, count);
    let kinds: [(&str, Carried<'_>); 3] = [
        ("a raw commit", &raw),
        ("a step of a flow", &step),
        ("a stage of a pipeline", &stage),
    ];
    for (what, carried) in kinds {
        // Of what a machine does beside, the best round has met the least.
        let (mut short, mut longer) = (f64::MAX, f64::MAX);
        for _ in 0..rounds {
            short = short.min(of_short(carried)?);
            longer = longer.min(each(carried, long)?);
        }
        fact(&format!("{what}, of {SHORT}"), format!("{:.0} µs", short * 1e6));
        fact(&format!("{what}, of {long}"), format!("{:.0} µs", longer * 1e6));
        let ratio = longer / short;
        let said = format!("{ratio:.2} ×");
        match what {
            // What the disk itself makes of a longer log is no growth of ours.
            "a raw commit" => fact("a raw commit, long to short", said),
            _ => aim(&format!("{what}, long to short"), said, "≤ 1.10 ×", ratio <= 1.1),
        }
    }
    Ok(())
}

/// Seconds for one step of a run of [`SHORT`]. A run of so few lasts as long as a single hiccup of the disk, so there are many of them.
fn of_short(carried: Carried<'_>) -> anyhow::Result<f64> {
    let mut took = (0..OFTEN)
        .map(|_| each(carried, SHORT))
        .collect::<anyhow::Result<Vec<f64>>>()?;
    took.sort_by(f64::total_cmp);
    Ok(took[took.len() / 2])
}

/// Seconds for one step of a run of so many.
fn each(carried: Carried<'_>, count: usize) -> anyhow::Result<f64> {
    let folder = tempfile::tempdir()?;
    Ok(carried(folder.path(), count)?.as_secs_f64() / count as f64)
}
