//! What is called like a file and is none, in a folder that somebody else filled: nothing waits for it and nothing of it is read.

#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use tests::program::{self, Said};
use tests::project::Project;

const FLOW: &str = "\
key: memo
title: A memo
steps:
  - {id: write, agents: [x], human_gate: required, gate_question: Good?, routing: {kind: linear, next: send}}
  - {id: send, agents: [x], routing: {kind: linear}}
";

fn pipe(at: &Path) {
    if let Some(folder) = at.parent() {
        std::fs::create_dir_all(folder).expect("a folder");
    }
    assert!(Command::new("mkfifo").arg(at).status().expect("mkfifo runs").success());
}

/// Ends by itself, whatever it says.
fn soon(project: &Project, arguments: &[&str]) -> Said {
    let mut child = program::command(&project.root, arguments)
        .expect("gatehouse is built")
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    let start = Instant::now();
    while child.try_wait().expect("waited").is_none() {
        if start.elapsed() > Duration::from_secs(120) {
            let _ = child.kill();
            panic!("gatehouse {arguments:?} waits for ever");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Said::from(child.wait_with_output().expect("its output"))
}

/// A project with a good workflow and, beside it, whatever can be called a workflow without being a file.
fn trapped() -> Project {
    let project = Project::new(&[("memo.yaml", FLOW)]).expect("a project");
    let at = |name: &str| project.root.join(name);
    for name in [
        "x.yaml",
        "y.yml",
        "z.json",
        "a.runbook.md",
        "PIPE-20260101-x-000000.yaml",
        "deep/er/x.yaml",
    ] {
        pipe(&at(name));
    }
    pipe(&at("memo.scenarios/1.yaml"));
    pipe(&at("pipelines/templates/t.yaml"));
    symlink("/dev/zero", at("zero.yaml")).expect("a link");
    symlink("/dev/tty", at("tty.runbook.md")).expect("a link");
    symlink("x.yaml", at("to-pipe.yaml")).expect("a link");
    symlink("/etc/passwd", at("passwd.yaml")).expect("a link");
    symlink(".", at("loop")).expect("a link");
    let socket = std::os::unix::net::UnixListener::bind(at("s.yaml")).expect("a socket");
    drop(socket);
    project
}

#[test]
fn a_folder_with_pipes_and_devices_is_looked_through() {
    let project = trapped();
    let said = soon(&project, &["check", "."]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert!(said.out.contains("1 workflow checked"), "{}", said.out);
    for name in ["zero.yaml", "passwd.yaml", "loop"] {
        assert!(!said.out.contains(name), "{name}: {}", said.out);
    }
    for name in ["./x.yaml", "./s.yaml"] {
        let named = format!("{name}: not looked at: it is a pipe, a socket or a device");
        assert_eq!(said.out.matches(&named).count(), 1, "{name}: {}", said.out);
    }
    let said = soon(&project, &["test", "."]);
    assert!(!said.err.contains("panicked"), "{}", said.err);
    let said = soon(&project, &["pipeline", "list"]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
}

#[test]
fn what_is_named_and_no_file_is_refused_in_words() {
    let project = trapped();
    for (name, what) in [
        ("x.yaml", "a named pipe"),
        ("s.yaml", "a socket"),
        ("to-pipe.yaml", "a named pipe"),
        ("zero.yaml", "a device"),
    ] {
        let said = soon(&project, &["check", name]);
        assert_eq!(said.code, Some(2), "{name}: {}{}", said.out, said.err);
        assert!(said.out.contains(what), "{name}: {}", said.out);
        let said = soon(&project, &["run", name, "--rehearse", "--until-blocked"]);
        assert_ne!(said.code, Some(0), "{name}");
        assert!(said.err.contains("error: "), "{name}: {}", said.err);
    }
    let said = soon(&project, &["run", "memo.yaml", "--scenario", "x.yaml"]);
    assert_eq!(said.code, Some(3), "{}", said.err);
    assert!(said.err.contains("a named pipe"), "{}", said.err);
    let said = soon(&project, &["pipeline", "create", "--file", "x.yaml"]);
    assert_eq!(said.code, Some(3), "{}", said.err);
    assert!(said.err.contains("a named pipe"), "{}", said.err);
}

#[test]
fn a_configuration_that_is_a_pipe_stops_nothing_but_the_run() {
    let project = Project::new(&[("memo.yaml", FLOW)]).expect("a project");
    pipe(&project.root.join("gatehouse.yaml"));
    let said = soon(&project, &["run", "memo.yaml", "--rehearse", "--until-blocked"]);
    assert_eq!(said.code, Some(2), "{}{}", said.out, said.err);
    assert!(said.err.contains("a named pipe"), "{}", said.err);
    assert_eq!(soon(&project, &["list"]).code, Some(0));
}

#[test]
fn a_file_of_a_run_that_is_a_pipe_is_a_difference() {
    let project = Project::new(&[("memo.yaml", FLOW)]).expect("a project");
    let said = soon(&project, &["run", "memo.yaml", "--rehearse", "--until-blocked"]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    let (run, _) = project.latest().expect("a history").expect("a run");
    let file = project.root.join(format!(".gatehouse/runs/{run}/events.jsonl"));
    std::fs::remove_file(&file).expect("there");
    pipe(&file);
    let said = soon(&project, &["verify", run.as_str()]);
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    assert!(said.out.contains("events.jsonl"), "{}", said.out);
    let said = soon(&project, &["rebuild", run.as_str()]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert_eq!(soon(&project, &["verify", run.as_str()]).code, Some(0));
}

#[test]
fn what_lies_in_the_place_of_a_history_s_files_hangs_nothing() {
    for name in [
        "history.db-journal",
        "history.db-wal",
        "history.db-shm",
        "context.db",
        "context.db-journal",
    ] {
        let project = Project::new(&[("memo.yaml", FLOW)]).expect("a project");
        let rehearsed = soon(&project, &["run", "memo.yaml", "--rehearse", "--until-blocked"]);
        assert_eq!(rehearsed.code, Some(0), "{}", rehearsed.err);
        let at = project.root.join(".gatehouse").join(name);
        let _ = std::fs::remove_file(&at);
        pipe(&at);
        for arguments in [
            &["list"][..],
            &["events", "x"],
            &["verify", "x"],
            &["check", "memo.yaml"],
            &["run", "memo.yaml", "--rehearse", "--until-blocked"],
        ] {
            let said = soon(&project, arguments);
            let needs_none = name.starts_with("context") || arguments[0] == "check";
            assert!(
                needs_none || said.err.contains("it is a named pipe, not a file"),
                "{name} {arguments:?}: {said:?}"
            );
        }
    }
}
