//! Configuration and scenarios that somebody wrote to keep the program busy: read at once, or refused at once.

use runtime::config::Config;
use runtime::scenario::Scenario;
use std::path::Path;
use std::time::{Duration, Instant};

/// What is quadratic takes minutes here.
const SOON: Duration = Duration::from_secs(30);

fn shapes() -> Vec<(&'static str, String)> {
    let n = 100_000;
    vec![
        ("brackets", "[".repeat(n)),
        ("braces", "{a: ".repeat(n)),
        ("an agent of brackets", format!("agents: {}", "[".repeat(n))),
        ("steps of brackets", format!("steps: {{a: {}", "[".repeat(n))),
        ("lines of brackets", "[\n".repeat(n)),
        (
            "a comment that ends early for some",
            format!("# \u{2028}{}", "[".repeat(n)),
        ),
        ("dashes", "- ".repeat(n)),
        ("quotes", "'\n".repeat(n)),
        ("keys", (0..n / 4).map(|i| format!("k{i}: 1\n")).collect()),
        (
            "unknown keys of an agent",
            format!(
                "agents:\n  x:\n    engine: shell\n    run: y\n{}",
                (0..n / 4).map(|i| format!("    k{i}: 1\n")).collect::<String>()
            ),
        ),
        ("one list", format!("a: [{}]", "1, ".repeat(n))),
    ]
}

#[test]
fn a_configuration_is_refused_in_time() {
    for (name, text) in shapes() {
        let start = Instant::now();
        let fault = Config::parse(Path::new("gatehouse.yaml"), &text);
        assert!(start.elapsed() < SOON, "{name}: {:?}", start.elapsed());
        if !matches!(name, "keys" | "one list" | "unknown keys of an agent") {
            assert!(fault.is_err(), "{name}");
        }
    }
}

#[test]
fn a_scenario_is_refused_in_time() {
    for (name, text) in shapes() {
        let start = Instant::now();
        let fault = Scenario::parse(Path::new("a.scenario.yaml"), &text);
        assert!(start.elapsed() < SOON, "{name}: {:?}", start.elapsed());
        assert!(fault.is_err(), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn only_a_file_of_the_project_is_a_configuration() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("project");
    std::fs::create_dir(&root).expect("made");
    std::fs::write(folder.path().join("secret.yaml"), "runtime: {shell_timeout_s: 7}\n").expect("written");
    let file = root.join("gatehouse.yaml");
    let load = || Config::load(&root).map(drop).map_err(|fault| fault.message);

    for (target, word) in [
        ("../secret.yaml", "leads out of the project"),
        ("/dev/zero", "leads out"),
        ("/dev/tty", "leads out"),
    ] {
        std::os::unix::fs::symlink(target, &file).expect("a link");
        let said = load().expect_err(target);
        assert!(said.contains(word), "{said}");
        std::fs::remove_file(&file).expect("removed");
    }

    let made = std::process::Command::new("mkfifo")
        .arg(&file)
        .status()
        .expect("mkfifo runs");
    assert!(made.success());
    assert!(load().expect_err("a pipe").contains("a named pipe"));
    std::fs::remove_file(&file).expect("removed");

    std::fs::create_dir(&file).expect("made");
    assert!(load().expect_err("a folder").contains("a folder"));
    std::fs::remove_dir(&file).expect("removed");

    std::fs::File::create(&file)
        .and_then(|f| f.set_len(2 << 20))
        .expect("large");
    assert!(load().expect_err("large").contains("larger than 1 MiB"));
    std::fs::remove_file(&file).expect("removed");

    std::fs::write(root.join("shared.yaml"), "version: 1\n").expect("written");
    std::os::unix::fs::symlink("shared.yaml", &file).expect("a link");
    assert_eq!(load(), Ok(()), "another file of the project");
}
