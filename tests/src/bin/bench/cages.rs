//! What it costs to start a program under a supervisor and in a cage.

use crate::{aim, fact, median};
use process::{Confinement, Enforced, Nobody, Order, Talk, run};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::project::Project;

/// How many programs are started in a round.
const PROGRAMS: u32 = 100;
/// How much longer each may take than without.
const MOST: Duration = Duration::from_millis(2);

pub fn measure(rounds: usize) -> anyhow::Result<()> {
    println!(
        "Starting `true`, supervised and confined as a step is, against starting it bare (medians of {rounds} rounds, in turns)"
    );
    let lacks = Enforced::here().lacks();
    if !lacks.is_empty() {
        println!("  this machine's kernel does not enforce: {}", lacks.join(", "));
    }
    let project = Project::new(&[
        ("gatehouse.yaml", "version: 1\n"),
        (".env", "A=1\n"),
        (".git/config", ""),
    ])?;
    let policy = permission::Policy::default();
    let confinement = Arc::new(tool::confinement::of(&project.root, &policy, "gatehouse.yaml"));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let (mut bare, mut confined, mut supervised) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=rounds {
        let begun = Instant::now();
        for _ in 0..PROGRAMS {
            let mut command = std::process::Command::new("true");
            command.current_dir(&project.root).output()?;
        }
        let without = begun.elapsed() / PROGRAMS;
        let plain = runtime.block_on(started(&project, &Arc::new(Confinement::default())))?;
        let within = runtime.block_on(started(&project, &confinement))?;
        // The first round warms the caches.
        if round > 0 {
            bare.push(without);
            supervised.push(plain);
            confined.push(within);
        }
    }
    let (bare, supervised, confined) = (median(bare), median(supervised), median(confined));
    let shown = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
    fact("bare", shown(bare));
    fact("supervised, nothing protected", shown(supervised));
    fact("supervised and confined", shown(confined));
    let more = confined.saturating_sub(bare);
    aim("more than bare", shown(more), "≤ 2 ms", more <= MOST);
    Ok(())
}

async fn started(project: &Project, confinement: &Arc<Confinement>) -> anyhow::Result<Duration> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let begun = Instant::now();
    for _ in 0..PROGRAMS {
        let order = Order {
            program: "true",
            arguments: &[],
            directory: &project.root,
            environment: vec![("PATH".into(), path.clone())],
            mark: "bench".into(),
            confinement: Arc::clone(confinement),
        };
        let ended = run(order, Talk::default(), &Nobody).await?;
        anyhow::ensure!(ended.status.success(), "{ended:?}");
    }
    Ok(begun.elapsed() / PROGRAMS)
}
