//! What the reader of scripts foresees, held against what real shells do: random and changed scripts run in an empty world of marked
//! programs, and every program executed, file opened and variable used was foreseen, or is said to be only known then.
//!
//! `FORESEEN_SECONDS` makes the search longer, `FORESEEN_SEED` repeats one.

#![cfg(target_os = "linux")]

#[path = "../../../../src-tauri/crates/permission/tests/suite/attacked.rs"]
mod attacked;
mod generate;
mod world;

use generate::Dice;
use permission::{Kind, Mode, Policy, Uses, uses};
use std::path::Path;
use std::time::{Duration, Instant};
use world::{Happened, World};

/// How many scripts the short run tries at most.
const SHORT: u32 = 6_000;

/// Whether rules that refuse exactly this let the script through, asking nobody.
fn lets_through(found: &Uses, rule: impl FnOnce(&mut Policy)) -> bool {
    let mut policy = Policy {
        mode: Mode::Allow,
        ..Policy::default()
    };
    rule(&mut policy);
    let verdict = policy.judge(found, &[]);
    verdict.denied.is_empty() && verdict.ask.is_empty()
}

fn is_simple(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "_./=-".contains(c))
}

/// What happened and nobody foresaw.
fn unforeseen(found: &Uses, happened: &Happened) -> Vec<String> {
    let mut missed = Vec::new();
    // Who answers for something that is only known then answers for all of it.
    // So does who lets a file of commands run: it is a need by itself, and nobody reads it.
    let files = ["source ", "bash ", "sh ", "./evil/bash"];
    let is_open = |what: &str| files.iter().any(|f| what.starts_with(f));
    if found.of(Kind::Run).any(|need| need.unclear || is_open(&need.what)) {
        return missed;
    }
    for call in &happened.programs {
        let (name, arguments) = call.split_first().expect("a name");
        // Where a home folder lies is no rule's business.
        let exact = arguments.iter().all(|a| is_simple(a) && !a.starts_with('/'));
        let rule = if exact { call.join(" ") } else { format!("{name} *") };
        if lets_through(found, |policy| policy.run.deny.push(rule.clone())) {
            missed.push(format!("runs `{}`", call.join(" ")));
        }
    }
    for file in happened.written.iter().filter(|f| is_simple(f)) {
        if lets_through(found, |policy| policy.write.deny.push(file.clone())) {
            missed.push(format!("writes `{file}`"));
        }
    }
    for file in happened.opened.iter().filter(|f| is_simple(f)) {
        let both = |policy: &mut Policy| {
            policy.read.deny.push(file.clone());
            policy.write.deny.push(file.clone());
        };
        if lets_through(found, both) {
            missed.push(format!("opens `{file}`"));
        }
    }
    for name in &happened.seen {
        if lets_through(found, |policy| policy.env.deny.push((*name).to_owned())) {
            missed.push(format!("uses `{name}`"));
        }
    }
    missed
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn whatever_a_script_does_was_foreseen() {
    for shell in ["/bin/bash", "/bin/dash", "/bin/kill"] {
        assert!(Path::new(shell).exists(), "{shell} is needed");
    }
    // The short run tries the same scripts everywhere: a chance find of a new one belongs to a longer search, not to somebody's commit.
    let longer = number("FORESEEN_SECONDS");
    let seconds = longer.unwrap_or(20);
    let most = if longer.is_some() { u32::MAX } else { SHORT };
    let seed = number("FORESEEN_SEED").unwrap_or(1);
    let folder = tempfile::tempdir().expect("a folder");
    let world = World::new(&folder.path().canonicalize().expect("a path")).expect("a world");
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut findings: Vec<String> = Vec::new();
    let (mut tried, mut did, mut clear) = (0_u32, 0_u32, 0_u32);
    while Instant::now() < end && tried < most && findings.len() < 20 {
        let mut dice = Dice::new(seed.wrapping_add(u64::from(tried)));
        tried += 1;
        let (shell, script) = generate::script(&mut dice);
        let found = uses(shell, &script);
        let is_clear = !found.of(Kind::Run).any(|need| need.unclear);
        clear += u32::from(is_clear);
        // What is not clear is run now and then, to see that the world marks what runs in it.
        if !is_clear && tried % 16 != 0 || script.contains('\0') {
            continue;
        }
        let happened = world.run(shell, &script).expect("the world stands");
        did += u32::from(!happened.programs.is_empty());
        let mut missed = unforeseen(&found, &happened);
        if !missed.is_empty() {
            // What an earlier script left running may have done it, or a program that another test begins at that moment, which holds the
            // files of the world until it is executed: this one is run again in worlds that no other script knows.
            for _ in 0..2 {
                let folder = tempfile::tempdir().expect("a folder");
                let quiet = World::new(&folder.path().canonicalize().expect("a path")).expect("a world");
                let again = unforeseen(&found, &quiet.run(shell, &script).expect("the world stands"));
                missed.retain(|one| again.contains(one));
            }
        }
        if !missed.is_empty() {
            let said = missed.join(", ");
            findings.push(format!("{shell}: {said}\n---\n{script}\n---\n{:#?}\n", found.needs));
        }
    }
    assert!(
        did > 0 && clear > 0,
        "seed {seed}: of {tried} scripts {clear} were clear, and {did} ran a marked program"
    );
    assert!(findings.is_empty(), "seed {seed}:\n{}", findings.join("\n"));
}

/// The world and the rule find what an attacker did: without the reader's doubt each of these ran unforeseen.
#[test]
fn the_attacks_really_run() {
    let there = ["/bin/bash", "/bin/dash", "/bin/kill"]
        .iter()
        .all(|p| Path::new(p).exists());
    if !tests::looking::can_look(there, "bash, dash or kill is not installed") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let world = World::new(&folder.path().canonicalize().expect("a path")).expect("a world");
    let mut ran = 0;
    for (list, shell, program) in [
        (attacked::EVALUATED, "bash", "m1"),
        (attacked::STEERED, "bash", "./evil/m2"),
        (attacked::POSIX, "sh", "m1"),
    ] {
        for script in list {
            let script = script.replace("curl x", "m1").replace("curl", "m1").replace("ls", "m2");
            let happened = world.run(shell, &script).expect("the world stands");
            let hit = happened
                .programs
                .iter()
                .any(|call| call.first().is_some_and(|p| p == program || p == "m1"));
            ran += u32::from(hit);
        }
    }
    // The others fail in these versions of the shells, or show what comes close.
    assert!(ran >= 90, "only {ran} of the attacks run in these shells");
}
