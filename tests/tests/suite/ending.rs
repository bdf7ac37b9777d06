//! Nothing goes on after its end: whatever ends `gatehouse` ends what a step has started, and a stopped run has stopped.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tests::program::{Said, command};
use tests::project::Project;

/// How a step's process tries to stay; `TOKEN` is a number of seconds by which it is known.
const KINDS: [&str; 6] = [
    "sleep TOKEN",
    "nohup sleep TOKEN & wait",
    "setsid env -i sleep TOKEN & sleep 3600",
    "trap '' TERM HUP INT; sleep TOKEN; sleep TOKEN",
    "( ( setsid env -i sh -c 'trap \"\" TERM HUP INT; cd /; exec 0<&- 1>&- 2>&-; sleep TOKEN' & ) & ); sleep 3600",
    "perl -MPOSIX -e 'exit if fork; setsid; exit if fork; %ENV = (); exec \"/bin/sleep\", \"TOKEN\"'; sleep 3600",
];

fn token() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!(
        "3601.{}{:03}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    )
}

/// A project whose one step stays, and its token.
fn project(kind: &str) -> (Project, String) {
    let token = token();
    let agents = "version: 1\nagents:\n  \"*\": {engine: shell, run: sh stay.sh}\n";
    let flow = "id: stay\nname: Stay\nsteps:\n  - {id: stay, agents: [maker], routing: {kind: linear}}\n";
    let script = kind.replace("TOKEN", &token);
    let project = Project::new(&[("stay.yaml", flow), ("gatehouse.yaml", agents), ("stay.sh", &script)]);
    (project.expect("a project"), token)
}

/// The processes that have a token in their command line and have not ended.
fn found(token: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").expect("Linux").flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let named = numbers.filter(|pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.windows(token.len()).any(|part| part == token.as_bytes())
    });
    let ended = |pid: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(')')
            .next()
            .is_none_or(|rest| rest.trim().is_empty() || rest.trim_start().starts_with('Z'))
    };
    named.filter(|pid| !ended(pid)).collect()
}

fn until(what: &str, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn started(project: &Project, token: &str, arguments: &[&str]) -> Child {
    let mut command = command(&project.root, arguments).expect("gatehouse is built");
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = child.spawn().expect("it starts");
    if arguments[0] == "run" {
        until("the step begins", || !found(token).is_empty());
    }
    child
}

fn send(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).expect("a number of a process"));
    kill(pid, signal).expect("it is there");
}

fn ended(child: Child) -> Said {
    Said::from(child.wait_with_output().expect("it ends"))
}

fn run_of(project: &Project) -> String {
    let latest = project.latest().expect("the history can be read");
    latest.expect("there is a run").0.to_string()
}

fn says(project: &Project, arguments: &[&str]) -> Said {
    project.gatehouse(arguments).expect("gatehouse is built")
}

#[test]
fn every_signal_ends_what_was_started_and_lets_go_of_the_run() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        for kind in KINDS {
            let (project, token) = project(kind);
            let driver = started(&project, &token, &["run", "stay.yaml"]);
            send(&driver, signal);
            let said = ended(driver);
            assert_eq!(found(&token), [0; 0], "{signal} {kind}");
            assert_eq!(said.code, Some(130), "{signal} {kind}: {}{}", said.out, said.err);
            let run = run_of(&project);
            let hint = format!("stopped driving; go on with: gatehouse resume {run}");
            assert!(said.err.contains(&hint), "{signal} {kind}: {}", said.err);
            // What was in flight is on record as cut off.
            let (_, state) = project.latest().expect("readable").expect("a run");
            let visits = state.steps.values().flat_map(|step| &step.visits);
            let cut_off = visits
                .flat_map(|visit| &visit.attempts)
                .filter(|one| one.interrupted.is_some());
            assert_eq!(cut_off.count(), 1, "{signal} {kind}");
        }
    }
}

#[test]
fn a_killed_driver_leaves_nothing_behind() {
    for kind in KINDS {
        let (project, token) = project(kind);
        let mut driver = started(&project, &token, &["run", "stay.yaml"]);
        driver.kill().expect("it is there");
        driver.wait().expect("it ends");
        until(kind, || found(&token).is_empty());
    }
}

#[test]
fn what_is_said_to_be_stopped_has_stopped() {
    for kind in KINDS {
        let (project, token) = project(kind);
        let mut driver = started(&project, &token, &["run", "stay.yaml"]);
        driver.kill().expect("it is there");
        driver.wait().expect("it ends");
        let run = run_of(&project);
        let said = says(&project, &["abort", &run, "--reason", "enough"]);
        assert_eq!(found(&token), [0; 0], "{kind}");
        assert_eq!(said.code, Some(0), "{kind}: {}", said.err);
        let status = says(&project, &["status", &run]).out;
        assert!(status.contains("stopped"), "{kind}: {status}");
    }
}

#[test]
fn who_was_started_to_outlive_the_terminal_does() {
    let (project, token) = project("sleep TOKEN & while [ ! -e go ]; do sleep 0.05; done");
    let gatehouse = tests::program::gatehouse().expect("gatehouse is built");
    tests::program::trust(&project.root).expect("it is trusted");
    let line = format!(
        "trap '' HUP; exec '{}' -C '{}' run stay.yaml",
        gatehouse.display(),
        project.root.display()
    );
    let driver = std::process::Command::new("sh")
        .args(["-c", &line])
        .current_dir(&project.root)
        .env(
            studio::settings::identity::HOME_VARIABLE,
            tests::program::home_of(&project.root),
        )
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    until("the step begins", || !found(&token).is_empty());
    send(&driver, Signal::SIGHUP);
    std::thread::sleep(Duration::from_millis(300));
    std::fs::write(project.root.join("go"), "").expect("written");
    let said = ended(driver);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert_eq!(found(&token), [0; 0]);
}

#[test]
fn the_end_of_the_server_is_the_end_of_its_steps() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGKILL] {
        let (project, token) = project(KINDS[4]);
        let mut server = started(&project, &token, &["serve"]);
        let mut address = String::new();
        let mut out = std::io::BufReader::new(server.stdout.as_mut().expect("a pipe"));
        std::io::BufRead::read_line(&mut out, &mut address).expect("it says its address");
        rpc(&address, r#"{"method": "run.start", "params": {"path": "stay.yaml"}}"#);
        until("the step begins", || !found(&token).is_empty());
        send(&server, signal);
        server.wait().expect("it ends");
        until(signal.as_str(), || found(&token).is_empty());
    }
}

fn rpc(address: &str, body: &str) {
    use std::io::{Read, Write};
    let rest = address.trim().strip_prefix("http://").expect("an address");
    let (host, token) = rest.split_once("/?token=").expect("a token");
    let mut stream = std::net::TcpStream::connect(host).expect("it listens");
    write!(
        stream,
        "POST /rpc HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("answered");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}
