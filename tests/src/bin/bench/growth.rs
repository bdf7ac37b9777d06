//! What one more step costs in a long run, beside a short one: a run's state, its plan and its files must not be gone through for each.

use super::{aim, driven_steps, fact, pipelines, raw_commits};
use std::path::Path;
use std::time::Duration;

const SHORT: usize = 100;

/// How a run of so many steps, in a folder of its own, is timed.
type Carried<'a> = &'a dyn Fn(&Path, usize) -> anyhow::Result<Duration>;

pub fn measure(long: usize, rounds: usize) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    println!(
        "One more step of a run of {long}, beside one of {SHORT}, each against as many raw commits (best of {rounds} rounds)"
    );
    let step = |folder: &Path, count: usize| runtime.block_on(driven_steps(folder, count, false));
    let stage = |folder: &Path, count: usize| {
        let stages = pipelines::linear(count);
        runtime.block_on(pipelines::carried_out(folder, &stages, None, count))
    };
    let kinds: [(&str, Carried<'_>); 2] = [("a step of a flow", &step), ("a stage of a pipeline", &stage)];
    for (what, carried) in kinds {
        // Of what a machine does beside, the best round has met the least.
        let (mut short, mut longer) = (f64::MAX, f64::MAX);
        for _ in 0..rounds {
            short = short.min(beside_raw(carried, SHORT)?);
            longer = longer.min(beside_raw(carried, long)?);
        }
        fact(&format!("{what}, of {SHORT}"), format!("{short:.2} raw commits"));
        fact(&format!("{what}, of {long}"), format!("{longer:.2} raw commits"));
        let ratio = longer / short;
        aim(
            &format!("{what}, long to short"),
            format!("{ratio:.2} ×"),
            "≤ 1.10 ×",
            ratio <= 1.1,
        );
    }
    Ok(())
}

/// How many raw commits one step takes.
fn beside_raw(carried: Carried<'_>, count: usize) -> anyhow::Result<f64> {
    let folder = tempfile::tempdir()?;
    let raw = raw_commits(folder.path(), count)?;
    Ok(carried(folder.path(), count)?.as_secs_f64() / raw.as_secs_f64())
}
