//! What it costs to start a program under a supervisor and in a cage.

use crate::{aim, fact, median};
use process::{Confinement, Enforced, Limits, Nobody, Order, Talk, run};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::project::Project;

/// How many programs are started in a round.
const PROGRAMS: u32 = 100;
/// How much longer each may take for the rules that the kernel enforces.
const MOST: Duration = Duration::from_millis(2);

pub fn measure(rounds: usize) -> anyhow::Result<()> {
    println!(
        "Starting `true`, supervised and confined as a step is, against starting it bare (medians of {rounds} rounds, in turns)"
    );
    let lacks = Enforced::here().lacks(&Confinement::default());
    if !lacks.is_empty() {
        println!("  this machine's kernel does not enforce: {}", lacks.join(", "));
    }
    let project = Project::new(&[
        ("gatehouse.yaml", "version: 1\n"),
        (
            "flow.yaml",
            "id: a\nname: A\nsteps:\n  - {id: x, agents: [y], routing: {kind: linear}}\n",
        ),
        (".env", "A=1\n"),
        (".git/config", ""),
    ])?;
    let mut policy = permission::Policy::default();
    policy.run.deny = vec!["curl *".to_owned(), "rm *".to_owned()];
    let kept = runtime::kept(&project.root, &policy, Limits::default(), "flow.yaml");
    let confinement = Arc::new(kept.confinement);
    let offline = Arc::new(Confinement {
        offline: true,
        ..Confinement::clone(&confinement)
    });
    let threads = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let (mut bare, mut supervised, mut confined, mut alone) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..=rounds {
        let begun = Instant::now();
        for _ in 0..PROGRAMS {
            let mut command = std::process::Command::new("true");
            command.current_dir(&project.root).output()?;
        }
        let without = begun.elapsed() / PROGRAMS;
        let plain = threads.block_on(started(&project, &Arc::new(Confinement::default())))?;
        let within = threads.block_on(started(&project, &confinement))?;
        let without_network = threads.block_on(started(&project, &offline))?;
        // The first round warms the caches.
        if round > 0 {
            bare.push(without);
            supervised.push(plain);
            confined.push(within);
            alone.push(without_network);
        }
    }
    let (bare, supervised) = (median(bare), median(supervised));
    let (confined, alone) = (median(confined), median(alone));
    let shown = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
    fact("bare", shown(bare));
    fact("supervised, nothing protected", shown(supervised));
    fact("supervised and confined", shown(confined));
    // What the kernel's rules cost; the supervisor, without which a program might outlive its step, is there with and without them.
    let more = confined.saturating_sub(supervised);
    aim(
        "enforcement: confined, not only supervised",
        shown(more),
        "≤ 2 ms",
        more <= MOST,
    );
    fact(
        "with its supervisor, more than bare",
        shown(confined.saturating_sub(bare)),
    );
    fact("the same without a network", shown(alone));
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
