//! The half of `npm run bench` that needs no window: durable steps against the machine's own limit, layout, checking, whole processes,
//! memory; pipelines, long histories and long lists are in modules of their own. Prints figures and, for every aim, PASS or MISS;
//! absolute times drift with the machine, only ratios taken in one run count.
//!
//! `--steps N` (default 1 000) and `--rounds N` (default 5) make it shorter for a look, and so do `--events N` (default 100 000) and
//! `--runs N` (default 10 000), and `--long N`: steps of the run that a short one is set against (100 000 where it grows, 10 000 where
//! it is looked at). Exit code 1: something could not
//! be measured. A missed aim is a result, not a failure. `bench record` measures nothing: it writes a run for the window (`record.rs`);
//! `bench once` carries out one workload for the comparison with other engines (`once.rs`).
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that people read")]

mod cages;
mod editing;
mod growth;
mod histories;
mod lists;
mod looking;
mod once;
mod pipelines;
mod record;
mod sessions;

use anyhow::Context as _;
use dialect::Document;
use model::layout::Direction;
use pulldown_cmark::{Options as Markdown, Parser};
use runtime::{Control, Driver, End, Options, StartRequest};
use rusqlite::Connection;
use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::Store;
use tests::project::Project;
use tests::{many, program};

/// Bytes of an event's body in the raw measurement: what one step of a linear run appends, about.
const BODY: usize = 300;

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            eprintln!("hint: the benchmark needs a folder for temporary files that it can write to");
            ExitCode::from(1)
        }
    }
}

fn measure() -> anyhow::Result<()> {
    if std::env::args().nth(1).as_deref() == Some("record") {
        let project = words("--project").and_then(|mut words| words.pop());
        let project = project.context("`bench record` needs --project DIR")?;
        return record::record(&record::wanted(
            &project,
            argument("--events"),
            argument("--per-second"),
        )?);
    }
    if std::env::args().nth(1).as_deref() == Some("once") {
        return once::once(&std::env::args().nth(2).unwrap_or_default());
    }
    let steps = argument("--steps").unwrap_or(1_000).max(1);
    let rounds = argument("--rounds").unwrap_or(5).max(1);
    if cfg!(debug_assertions) {
        println!("This is a debug build: the figures below are for looking at, not for comparing.");
    }
    let only = words("--only");
    let sections: [(&str, &dyn Fn() -> anyhow::Result<()>); 13] = [
        ("steps", &|| durable_steps(steps, rounds)),
        ("pipelines", &|| pipelines::measure(steps, rounds)),
        ("growth", &|| {
            growth::measure(argument("--long").unwrap_or(100_000), rounds.min(2))
        }),
        ("looking", &|| {
            looking::measure(steps, argument("--long").unwrap_or(10_000), rounds)
        }),
        ("histories", &|| {
            histories::measure(argument("--events").unwrap_or(100_000), rounds)
        }),
        ("lists", &|| {
            lists::measure(argument("--runs").unwrap_or(10_000), rounds)
        }),
        ("layout", &|| layouts(rounds)),
        ("check", &|| checks(rounds)),
        ("editing", &|| editing::measure(rounds)),
        ("sessions", &|| sessions::measure(rounds)),
        ("processes", &|| processes(steps, rounds)),
        ("cages", &|| cages::measure(rounds)),
        ("shell", &|| shell_steps(rounds)),
    ];
    let names: Vec<&str> = sections.iter().map(|(name, _)| *name).collect();
    if let Some(unknown) = only.iter().flatten().find(|name| !names.contains(&name.as_str())) {
        anyhow::bail!("there is no section {unknown}; there are {}", names.join(", "));
    }
    for (name, section) in sections {
        if only.as_ref().is_none_or(|only| only.iter().any(|one| one == name)) {
            section()?;
        }
    }
    Ok(())
}

/// The words of `--name a,b`.
fn words(name: &str) -> Option<Vec<String>> {
    let mut words = std::env::args();
    words.find(|word| word == name)?;
    Some(words.next()?.split(',').map(str::to_owned).collect())
}

fn argument(name: &str) -> Option<usize> {
    let mut words = std::env::args();
    words.find(|word| word == name)?;
    words.next()?.parse().ok()
}

/// One line with a verdict.
fn aim(what: &str, figure: String, wanted: &str, met: bool) {
    let verdict = if met { "PASS" } else { "MISS" };
    println!("  {what:<44} {figure:>14}   aim {wanted}: {verdict}");
}

fn fact(what: &str, figure: String) {
    println!("  {what:<44} {figure:>14}");
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn per_second(count: usize, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64()
}

/// A flow of so many steps; every tenth loops back over the two before it, unless `plain`.
fn flow(steps: usize, plain: bool) -> String {
    let mut text = String::from("key: bench\ntitle: A benchmark\nsteps:\n");
    for i in 0..steps {
        let next = if i + 1 < steps {
            format!(", next: s{}", i + 1)
        } else {
            String::new()
        };
        let routing = if !plain && i % 10 == 9 {
            let target = i - 2;
            format!(
                "{{kind: microloop, loop_target: s{target}, loop_condition_field: status, loop_success_values: [OK], max_iterations: 2{next}}}"
            )
        } else {
            format!("{{kind: linear{next}}}")
        };
        text.push_str(&format!(
            "  - {{id: s{i}, agents: [a], role: Does nothing., routing: {routing}}}\n"
        ));
    }
    text
}

/// No-op steps through the real driver on a real history, in turns with one synced insert a step on the same disk. The
/// run's files are rendered from the log and never synced, so the limit writes none: what they cost is measured apart.
/// The steps are rehearsed, so that several may share a sync; a run for real syncs before each step, which is measured
/// beside it.
fn durable_steps(steps: usize, rounds: usize) -> anyhow::Result<()> {
    println!(
        "Durable no-op steps, {steps} linear, against one synced SQLite commit a step (medians of {rounds} rounds, in turns)"
    );
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let (mut ours, mut limit, mut with_files, mut alone) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    // They stay until all of it is measured: for some time after thousands of files were removed, ext4 takes ten times as long to make one.
    let mut folders = Vec::new();
    for round in 0..=rounds {
        folders.push(tempfile::tempdir()?);
        let folder = &folders[round];
        let raw = raw_commits(folder.path(), steps)?;
        let driven = runtime.block_on(driven_steps(folder.path(), steps, false))?;
        let filed = runtime.block_on(driven_steps(folder.path(), steps, true))?;
        let one_by_one = runtime.block_on(synced_steps(folder.path(), steps))?;
        // The first round warms the caches.
        if round > 0 {
            limit.push(raw);
            ours.push(driven);
            with_files.push(filed);
            alone.push(one_by_one);
        }
    }
    // The ratio of each pair, so that a slow moment of the disk touches both of its sides.
    let to_limit = |times: &[Duration]| -> f64 {
        let pairs = times.iter().zip(&limit);
        let mut ratios: Vec<f64> = pairs.map(|(o, l)| l.as_secs_f64() / o.as_secs_f64()).collect();
        ratios.sort_by(f64::total_cmp);
        ratios[ratios.len() / 2]
    };
    let (ratio, filed, synced) = (to_limit(&ours), to_limit(&with_files), to_limit(&alone));
    fact(
        "raw SQLite, WAL, synchronous = FULL",
        format!("{:.0} /s", per_second(steps, median(limit))),
    );
    fact(
        "Gatehouse, events and contents durable",
        format!("{:.0} /s", per_second(steps, median(ours))),
    );
    fact(
        "Gatehouse, with the run's files to the end",
        format!("{:.0} /s", per_second(steps, median(with_files))),
    );
    fact(
        "Gatehouse, each step synced before the next",
        format!("{:.0} /s", per_second(steps, median(alone))),
    );
    fact("ratio, each step synced against raw", format!("{synced:.2}"));
    aim(
        "ratio, durable against raw",
        format!("{ratio:.2}"),
        "≥ 0.80",
        ratio >= 0.8,
    );
    aim(
        "ratio, with the run's files against raw",
        format!("{filed:.2}"),
        "≥ 0.60",
        filed >= 0.6,
    );
    Ok(())
}

fn raw_commits(folder: &Path, commits: usize) -> anyhow::Result<Duration> {
    let connection = Connection::open(folder.join("raw.db"))?;
    let _: String = connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.execute_batch("CREATE TABLE events (seq INTEGER PRIMARY KEY, body BLOB NOT NULL)")?;
    let body = vec![b'x'; BODY];
    let mut insert = connection.prepare("INSERT INTO events (body) VALUES (?1)")?;
    let begun = Instant::now();
    for _ in 0..commits {
        insert.execute([&body])?;
    }
    Ok(begun.elapsed())
}

async fn driven_steps(folder: &Path, steps: usize, files: bool) -> anyhow::Result<Duration> {
    // What is measured is the run, not the programs of its steps.
    driven(folder, "bench.yaml", flow(steps, true), steps, true, filed(files)).await
}

/// The same, each synced before the next begins.
async fn synced_steps(folder: &Path, steps: usize) -> anyhow::Result<Duration> {
    let options = Options {
        together: Duration::ZERO,
        ..filed(false)
    };
    driven(folder, "bench.yaml", flow(steps, true), steps, true, options).await
}

/// How a run is driven: with its files, or without.
fn filed(files: bool) -> Options {
    let usual = Options::of("bench");
    Options {
        render: usual.render.filter(|_| files),
        ..usual
    }
}

/// A workflow carried out through the real driver on a real history, until so many steps are completed: how long it took.
async fn driven(
    folder: &Path,
    path: &str,
    source: String,
    steps: usize,
    rehearse: bool,
    options: Options,
) -> anyhow::Result<Duration> {
    let store = Arc::new(Store::open(folder)?);
    let driver = Driver::new(store, folder, options)?;
    let run = driver.start(&StartRequest {
        path: path.to_owned(),
        source,
        by: "bench".to_owned(),
        initiator: "bench".to_owned(),
        rehearse,
        permit: !rehearse,
        // The safety limit and the rules are the product's; a linear flow breaks none.
        ..StartRequest::default()
    })?;
    let begun = Instant::now();
    let (end, state) = driver.drive(&run, &Control::default()).await?;
    let took = begun.elapsed();
    anyhow::ensure!(
        end == End::Ended && usize::try_from(state.completed)? == steps,
        "the run completed {} of {steps} steps: {:?} {:?}",
        state.completed,
        state.status,
        state.error
    );
    Ok(took)
}

fn layouts(rounds: usize) -> anyhow::Result<()> {
    println!("Layout, every tenth step with a loop back (medians of {rounds} rounds)");
    for steps in [100, 1_000, 5_000] {
        let document = Document::parse("bench.yaml", &flow(steps, false));
        let input = model::picture::input(document.workflow(), Direction::Right);
        anyhow::ensure!(
            input.nodes.len() == steps,
            "{} of {steps} steps were read",
            input.nodes.len()
        );
        let mut times = Vec::new();
        for round in 0..=rounds {
            let begun = Instant::now();
            let drawing = model::layout::draw(&input);
            let took = begun.elapsed();
            anyhow::ensure!(drawing.nodes.len() == steps, "not every step was placed");
            if round > 0 {
                times.push(took);
            }
        }
        let took = median(times);
        let figure = format!("{:.1} ms", took.as_secs_f64() * 1e3);
        let what = format!("{steps} steps");
        if steps == 1_000 {
            aim(&what, figure, "< 60 ms", took < Duration::from_millis(60));
        } else {
            fact(&what, figure);
        }
    }
    Ok(())
}

/// Checking a thousand runbooks, by the path of `gatehouse check`: read from the disk, parsed, held against every rule, problems
/// with line and column. The limit does only what no reader of Markdown can leave out: it reads the same files and goes over
/// pulldown-cmark's events with their places. It does so on one core, a check on all there are.
fn checks(rounds: usize) -> anyhow::Result<()> {
    const FILES: usize = 1_000;
    println!(
        "Checking {FILES} runbooks, against reading them and their Markdown alone (medians of {rounds} rounds, in turns)"
    );
    let project = Project::new(&[])?;
    let (mut paths, mut bytes, mut lines, mut steps) = (Vec::new(), 0, 0, 0);
    let folder = |n: usize| format!("ops/{:02}", n % 20);
    for (n, file) in (0..20).flat_map(|n| many::LISTED.iter().map(move |file| (n, file))) {
        project.write(&[(&format!("{}/{file}", folder(n)), "# Listed\n\n## 1. Wait\n\nNothing.\n")])?;
    }
    for n in 0..FILES {
        let (name, text) = (format!("{}/r{n}.runbook.md", folder(n)), many::runbook(n));
        project.write(&[(&name, &text)])?;
        bytes += text.len();
        lines += text.lines().count();
        steps += Document::parse(&name, &text).workflow().steps().len();
        paths.push((project.root.join(name), false));
    }
    anyhow::ensure!(steps == FILES * many::STEPS, "{steps} steps were read");
    let (mut ours, mut limit, mut ratios, mut whole_check) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..=rounds {
        let begun = Instant::now();
        let mut events = 0;
        for (path, _) in &paths {
            let text = std::fs::read_to_string(path)?;
            events += Parser::new_ext(&text, Markdown::empty()).into_offset_iter().count();
        }
        let raw = begun.elapsed();
        let begun = Instant::now();
        let (mut count, mut wrong) = (0, None);
        studio::workflow::check::each(&paths, |path, checked| {
            count += 1;
            if checked.errors() > 0 {
                wrong = Some(format!("{}: {:?}", path.display(), checked.problems));
            }
        });
        let checked = begun.elapsed();
        anyhow::ensure!(
            count == FILES && wrong.is_none(),
            "{count} runbooks were taken for ones: {wrong:?}"
        );
        anyhow::ensure!(events > lines, "the Markdown of the files was not read");
        let process = if program::gatehouse().is_ok() {
            Some(whole(&project, &["check", "."])?.0)
        } else {
            None
        };
        if round > 0 {
            ratios.push(checked.as_secs_f64() / raw.as_secs_f64());
            limit.push(raw);
            ours.push(checked);
            whole_check.extend(process);
        }
    }
    ratios.sort_by(f64::total_cmp);
    let (ours, limit, ratio) = (median(ours), median(limit), ratios[ratios.len() / 2]);
    let each = |time: Duration| format!("{:.3} ms a file", time.as_secs_f64() * 1e3 / FILES as f64);
    println!(
        "  {FILES} files, {steps} steps, {lines} lines, {:.1} MB",
        bytes as f64 / 1e6
    );
    fact("read and Markdown alone (the limit)", each(limit));
    fact("checked", each(ours));
    fact("checked", format!("{:.0} steps/s", per_second(steps, ours)));
    aim(
        "checked",
        format!("{:.0} lines/s", per_second(lines, ours)),
        "≥ 1 000 000 lines/s",
        per_second(lines, ours) >= 1e6,
    );
    fact("ratio, checked to the limit", format!("{ratio:.2}"));
    if whole_check.is_empty() {
        println!("  the whole process: not measured, gatehouse is not built beside this program");
        return Ok(());
    }
    let process = median(whole_check);
    fact(
        "`gatehouse check`, whole process",
        format!("{:.0} ms", process.as_secs_f64() * 1e3),
    );
    fact(
        "`gatehouse check`, whole process",
        format!("{:.0} steps/s", per_second(steps, process)),
    );
    aim(
        "`gatehouse check`, whole process",
        format!("{:.0} lines/s", per_second(lines, process)),
        "≥ 1 000 000 lines/s",
        per_second(lines, process) >= 1e6,
    );
    println!(
        "  Beside it: of the reference CLI no figure for checking alone is recorded. A file of {RECORDED_STEPS} shell steps took it {RECORDED_SECONDS:.2} s"
    );
    println!("  (whole process, the steps carried out); `gatehouse` carrying out as many is measured below.");
    Ok(())
}

/// The reference CLI of runbooks, whole processes: recorded on such a machine, not measured here.
const RECORDED_STEPS: usize = 20;
const RECORDED_SECONDS: f64 = 0.80;
const RECORDED_STEPS_MORE: usize = 100;
const RECORDED_SECONDS_MORE: f64 = 8.4;

/// A runbook of shell steps carried out by a whole `gatehouse`, beside what is recorded of the reference CLI for the same.
fn shell_steps(rounds: usize) -> anyhow::Result<()> {
    println!(
        "Runbooks of shell steps carried out, whole processes (medians of {rounds} rounds; the reference CLI's are recorded figures)"
    );
    if program::gatehouse().is_err() {
        println!("  not measured: gatehouse is not built beside this program");
        return Ok(());
    }
    for (steps, recorded) in [
        (RECORDED_STEPS, RECORDED_SECONDS),
        (RECORDED_STEPS_MORE, RECORDED_SECONDS_MORE),
    ] {
        let text = shell_runbook(steps);
        let mut times = Vec::new();
        for round in 0..=rounds {
            let project = Project::new(&[
                ("shell.runbook.md", &text),
                ("gatehouse.yaml", "version: 1\npermissions: {mode: allow}\n"),
            ])?;
            whole(&project, &["list"])?;
            let took = whole(&project, &["run", "shell.runbook.md"])?.0;
            let (_, state) = project.latest()?.context("no run was recorded")?;
            anyhow::ensure!(
                usize::try_from(state.completed)? == steps,
                "{} of {steps} steps were carried out",
                state.completed
            );
            if round > 0 {
                times.push(took);
            }
        }
        let took = median(times).as_secs_f64();
        let figure = format!("{:.0} ms", took * 1e3);
        let factor = recorded / took;
        aim(
            &format!("{steps} shell steps; recorded: {recorded:.2} s"),
            figure,
            &format!("≥ 12 × as fast (it is {factor:.0} ×)"),
            factor >= 12.0,
        );
        match make(steps, rounds)? {
            Some(make) => {
                let ratio = took / make.as_secs_f64();
                let figure = format!("{ratio:.2} ×");
                aim(
                    &format!("{steps} shell steps, to make"),
                    figure,
                    "≤ 1.50 ×",
                    ratio <= 1.5,
                );
            }
            None => println!("  make: not measured, it is not installed here"),
        }
    }
    Ok(())
}

/// A runbook of so many steps that bash carries out.
fn shell_runbook(steps: usize) -> String {
    let step = |n: usize| format!("## {n}. Step\n\n```bash\ntrue\n```\n\n- PASS: CONTINUE\n- FAIL: STOP\n\n");
    format!("# Shell steps\n\n{}", (1..=steps).map(step).collect::<String>())
}

/// As many steps carried out by make, each by bash and each behind the one before; `None`: there is no make.
fn make(steps: usize, rounds: usize) -> anyhow::Result<Option<Duration>> {
    let folder = tempfile::tempdir()?;
    let mut text = format!("SHELL = /bin/bash\nall: s{steps}\n");
    for n in 1..=steps {
        let before = match n {
            1 => String::new(),
            n => format!("s{}", n - 1),
        };
        // A word of the shell's own: make runs a plain command without a shell.
        text.push_str(&format!("s{n}: {before}\n\t@set -e; true\n"));
    }
    std::fs::write(folder.path().join("Makefile"), text)?;
    let mut times = Vec::new();
    for round in 0..=rounds {
        let begun = Instant::now();
        let ended = std::process::Command::new("make")
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .status();
        let took = begun.elapsed();
        match ended {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            ended => anyhow::ensure!(ended?.success(), "make failed"),
        }
        if round > 0 {
            times.push(took);
        }
    }
    Ok(Some(median(times)))
}

/// What a whole `gatehouse` costs, from its start to its end.
fn processes(steps: usize, rounds: usize) -> anyhow::Result<()> {
    println!("Whole processes (medians of {rounds} rounds)");
    if let Err(error) = program::gatehouse() {
        println!("  not measured: {error:#}");
        return Ok(());
    }
    let (mut one, mut many, mut checks, mut memory) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let lines = flow(steps, false).lines().count();
    for round in 0..=rounds {
        let short = flow(1, true);
        let long = flow(steps, true);
        let wide = flow(steps, false);
        let project = Project::new(&[("one.yaml", &short), ("many.yaml", &long), ("wide.yaml", &wide)])?;
        // A new project's history is made once; what is measured is a run in one that exists.
        whole(&project, &["list"])?;
        let runs = [
            whole(&project, &["run", "--rehearse", "one.yaml"])?,
            whole(&project, &["run", "--rehearse", "many.yaml"])?,
        ];
        let check = whole(&project, &["check", "wide.yaml"])?;
        if round > 0 {
            one.push(runs[0].0);
            many.push(runs[1].0);
            memory.push(runs[1].1);
            checks.push(check.0);
        }
    }
    let ms = |time: Duration| format!("{:.0} ms", time.as_secs_f64() * 1e3);
    memory.sort_unstable();
    let peak = memory[memory.len() / 2];
    let one = median(one);
    aim(
        "a rehearsal of one no-op step",
        ms(one),
        "≤ 30 ms",
        one <= Duration::from_millis(30),
    );
    fact(&format!("a rehearsal of {steps} no-op steps"), ms(median(many)));
    fact(&format!("check of {lines} lines"), ms(median(checks)));
    let held = |peak: u64, steps: usize, most: u64| match peak {
        0 => println!("  memory: this system does not tell it"),
        kib => aim(
            &format!("most memory of a run of {steps} steps"),
            format!("{:.1} MB", kib as f64 / 1_000.0),
            &format!("≤ {most} MB"),
            kib <= most * 1_000,
        ),
    };
    held(peak, steps, 40);
    let long = steps * 100;
    let project = Project::new(&[("long.yaml", &flow(long, true))])?;
    whole(&project, &["list"])?;
    let (took, peak) = whole(&project, &["run", "--rehearse", "long.yaml"])?;
    fact(&format!("a rehearsal of {long} no-op steps"), ms(took));
    held(peak, long, 60);
    Ok(())
}

/// Runs `gatehouse` to its end: how long it took, and the most memory it held (KiB, 0 where the system does not tell).
fn whole(project: &Project, arguments: &[&str]) -> anyhow::Result<(Duration, u64)> {
    let mut command = program::command(&project.root, arguments)?;
    let begun = Instant::now();
    let mut child = command
        .stdout(Stdio::null())
        .spawn()
        .context("gatehouse cannot be started")?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let ended = loop {
        // The mark of the highest point: reading it late, or often, costs the program nothing.
        peak = peak.max(high_water(&status));
        match child.try_wait()? {
            Some(ended) => break ended,
            None => std::thread::sleep(Duration::from_micros(500)),
        }
    };
    let took = begun.elapsed();
    anyhow::ensure!(ended.success(), "gatehouse {arguments:?} ended with {ended}");
    Ok((took, peak))
}

fn high_water(status: &str) -> u64 {
    let text = std::fs::read_to_string(status).unwrap_or_default();
    let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.trim().trim_end_matches("kB").trim().parse().ok())
        .unwrap_or(0)
}
