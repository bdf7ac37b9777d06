//! `bench once NAME`: one run of a workload that other engines are given too (.ci/bench/peers.mjs), in a folder of its
//! own; prints the seconds from its first step to its end, inside the engine.

use super::{driven, filed, flow, pipelines};
use std::time::Duration;

const ROW: usize = 1_000;
const BESIDE: usize = 200;
const ROUNDS: usize = 100;
const SHELL: usize = 20;

pub fn once(name: &str) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let folder = tempfile::tempdir()?;
    let at = folder.path();
    let took: Duration = runtime.block_on(async {
        match name {
            "row" => driven(at, "row.yaml", flow(ROW, true), ROW, true, filed(false)).await,
            "beside" => pipelines::carried_out(at, &pipelines::beside_and_join(BESIDE), Some(BESIDE), BESIDE + 1).await,
            "loop" => driven(at, "loop.yaml", turning(), ROUNDS, true, filed(false)).await,
            "shell" => {
                driven(
                    at,
                    "shell.runbook.md",
                    super::shell_runbook(SHELL),
                    SHELL,
                    false,
                    filed(false),
                )
                .await
            }
            other => anyhow::bail!("there is no workload {other}; there are row, beside, loop, shell"),
        }
    })?;
    println!("seconds {:.6}", took.as_secs_f64());
    Ok(())
}

/// One step that is done again until its loop has been taken as often as it may.
fn turning() -> String {
    format!(
        "key: bench\ntitle: A loop\nsteps:\n  - {{id: s0, agents: [a], role: Does nothing., routing: {{kind: microloop, \
         loop_target: s0, loop_condition_field: status, loop_success_values: [OK], max_iterations: {}}}}}\n",
        ROUNDS - 1
    )
}
