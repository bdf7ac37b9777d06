//! A person types into the terminal of a step: `gatehouse run` in a real terminal passes it through, keeps nothing of what was typed and gives the
//! terminal back as it was.

#![cfg(target_os = "linux")]

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tests::program::{command, trust};
use tests::project::Project;

/// A person before a terminal in which `gatehouse` runs.
struct Person {
    project: Project,
    program: Child,
    keys: Option<File>,
    seen: Arc<Mutex<Vec<u8>>>,
}

fn size(columns: u16, lines: u16) -> Winsize {
    Winsize {
        ws_col: columns,
        ws_row: lines,
        ws_xpixel: 0,
        ws_ypixel: 0,
    }
}

/// A project whose one step runs a script in a terminal.
fn project(script: &str) -> Project {
    let agents = "version: 1\nagents:\n  \"*\": {engine: shell, run: exec bash ask.sh}\n";
    let flow = "id: ask\nname: Ask\nsteps:\n  - {id: sign-in, name: Sign in, agents: [maker], terminal: true, routing: {kind: linear}}\n";
    Project::new(&[("ask.yaml", flow), ("gatehouse.yaml", agents), ("ask.sh", script)]).expect("a project")
}

impl Person {
    /// Runs a script in a terminal of 100 × 40.
    fn runs(script: &str) -> Self {
        Self::does(project(script), &["run", "ask.yaml"])
    }

    fn does(project: Project, arguments: &[&str]) -> Self {
        trust(&project.root).expect("trusted");
        let inner = command(&project.root, arguments).expect("it is built");
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
        grantpt(&ours).expect("a terminal");
        unlockpt(&ours).expect("a terminal");
        tcsetwinsize(&ours, size(100, 40)).expect("a size");
        let theirs = ptsname(&ours, Vec::new())
            .expect("its name")
            .into_string()
            .expect("its name");
        let end = || -> OwnedFd {
            OpenOptions::new()
                .read(true)
                .write(true)
                .open(&theirs)
                .expect("opens")
                .into()
        };
        // A session of its own whose terminal this is, as a terminal's window makes one.
        let mut session = Command::new("setsid");
        session
            .args(["--ctty", "--wait"])
            .arg(inner.get_program())
            .args(inner.get_args());
        for (name, value) in inner.get_envs() {
            session.env(name, value.expect("set"));
        }
        session.env("TERM", "xterm").current_dir(&project.root);
        session
            .stdin(Stdio::from(end()))
            .stdout(Stdio::from(end()))
            .stderr(Stdio::from(end()));
        let program = session.spawn().expect("setsid is there");
        let keys = File::from(ours);
        let mut screen = keys.try_clone().expect("both ends");
        let seen = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&seen);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = screen.read(&mut buffer) {
                into.lock().expect("whole").extend_from_slice(&buffer[..count]);
            }
        });
        Self {
            project,
            program,
            keys: Some(keys),
            seen,
        }
    }

    fn screen(&self) -> String {
        String::from_utf8_lossy(&self.seen.lock().expect("whole")).into_owned()
    }

    #[track_caller]
    fn sees(&self, what: &str) {
        let begun = Instant::now();
        while !self.screen().contains(what) {
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "{what:?} is not in:\n{}",
                self.screen()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn types(&mut self, keys: &str) {
        let terminal = self.keys.as_mut().expect("it is open");
        terminal.write_all(keys.as_bytes()).expect("typed");
    }

    /// The exit code, once it has ended.
    #[track_caller]
    fn ends(&mut self) -> Option<i32> {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.program.try_wait().expect("ours") {
                return status.code();
            }
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "it goes on:\n{}",
                self.screen()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Whether what is typed comes in lines and is shown, as before.
    fn is_as_before(&self) -> bool {
        let mode = tcgetattr(self.keys.as_ref().expect("it is open")).expect("a terminal");
        mode.local_modes.contains(LocalModes::ICANON | LocalModes::ECHO)
    }

    /// What of the project's files holds a text.
    fn kept(&self, text: &str) -> Vec<String> {
        let found = Command::new("grep")
            .args(["-rlaF", text, "."])
            .current_dir(&self.project.root)
            .output();
        let found = String::from_utf8(found.expect("grep").stdout).expect("names");
        found.lines().map(str::to_owned).collect()
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// Whether a process has this in its command line.
fn lives(token: &str) -> bool {
    let found = Command::new("pgrep").args(["-f", "--", token]).output().expect("pgrep");
    found.status.success()
}

#[track_caller]
fn soon(token: &str, is_there: bool) {
    let begun = Instant::now();
    while lives(token) != is_there {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "{token} is there: {}",
            !is_there
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn gone(token: &str) {
    soon(token, false);
}

/// A number of seconds by which a process is known.
fn token(n: u32) -> String {
    format!("36{n}.{}", std::process::id())
}

#[test]
fn what_a_person_types_reaches_the_program_and_is_kept_nowhere() {
    let script = "printf 'Name? '; read -r name; printf 'Password? '; read -rs password; echo; echo \"$name has ${#password} signs\"\n";
    let mut person = Person::runs(script);
    person.sees("goes to this step's program and is not kept");
    person.sees("Name? ");
    person.types("Ada\r");
    person.sees("Password? ");
    person.types("open sesame 417\r");
    person.sees("Ada has 15 signs");
    assert_eq!(person.ends(), Some(0), "{}", person.screen());
    let screen = person.screen();
    assert_eq!(screen.matches("has 15 signs").count(), 1, "seen once:\n{screen}");
    assert!(!screen.contains("sesame"), "{screen}");
    assert!(person.is_as_before());
    assert_eq!(person.kept("sesame"), Vec::<String>::new());
    assert!(
        !person.kept("has 15 signs").is_empty(),
        "what the program showed is kept"
    );
    assert!(!person.kept("a person can type into this terminal").is_empty());
}

#[test]
fn the_terminal_is_as_large_as_the_persons_and_follows_it() {
    let script = "stty size; while [ \"$(stty size)\" != '50 120' ]; do sleep 0.05; done; echo larger\n";
    let mut person = Person::runs(script);
    person.sees("40 100");
    tcsetwinsize(person.keys.as_ref().expect("open"), size(120, 50)).expect("a size");
    person.sees("larger");
    assert_eq!(person.ends(), Some(0));
}

#[test]
fn single_keys_and_the_interrupt_are_the_programs() {
    // Whenever the interrupt comes after the key: it is not waited for by something that it may come before.
    let script = "trap 'echo interrupted; over=yes' INT\nprintf 'Key? '; read -rsn1 key; echo \"[$key]\"\nuntil [ \"$over\" ]; do sleep 0.05; done\necho on\n";
    let mut person = Person::runs(script);
    person.sees("Key? ");
    person.types("x");
    person.sees("[x]");
    person.types("\x03");
    person.sees("interrupted");
    person.sees("on");
    assert_eq!(person.ends(), Some(0), "{}", person.screen());
}

#[test]
fn a_program_that_shows_signs_of_its_own_leaves_the_terminal_as_it_was() {
    let script = "stty raw -echo; printf '\\033[?1049h\\033[?25l\\033[31mred'; read -rsn1 key; exit 0\n";
    let mut person = Person::runs(script);
    person.sees("\x1b[31mred");
    person.types("q");
    assert_eq!(person.ends(), Some(0), "{}", person.screen());
    let screen = person.screen();
    let after = screen.split("red").nth(1).expect("what follows");
    assert!(after.contains("\x1b[?1047l\x1b[?25h\x1b[0m"), "{after:?}");
    assert!(person.is_as_before());
}

#[test]
fn one_key_lets_go_of_the_run_whatever_the_program_makes_of_keys() {
    let token = token(1);
    let script =
        format!("stty raw -echo; trap '' INT TERM HUP; printf ready; sleep {token}; sleep {token}; sleep {token}\n");
    let mut person = Person::runs(&script);
    person.sees("ready");
    person.types("\x03\x1c\x1a");
    soon(&token, true);
    person.types("\x1d");
    assert_eq!(person.ends(), Some(130), "{}", person.screen());
    person.sees("stopped driving; go on with: gatehouse resume");
    assert!(person.is_as_before());
    gone(&token);
}

#[test]
fn what_is_typed_for_a_program_that_has_ended_answers_nothing_else() {
    // Two steps in terminals; what the first has not read the second must not find.
    let flow = "id: ask\nname: Ask\nsteps:\n  - {id: one, agents: [first], terminal: true, routing: {kind: linear, next: two}}\n  - {id: two, agents: [second], terminal: true, routing: {kind: linear}}\n";
    let agents = "version: 1\nagents:\n  first: {engine: shell, run: bash one.sh}\n  second: {engine: shell, run: bash two.sh}\n";
    // It ends when there is something to read, and reads none of it.
    let one = "echo first; until read -t 0; do sleep 0.05; done\n";
    let two = "printf 'Delete? '; read -r -t 2 answer; echo \"<$answer>\"; exit 0\n";
    let files = [
        ("ask.yaml", flow),
        ("gatehouse.yaml", agents),
        ("one.sh", one),
        ("two.sh", two),
    ];
    let mut person = Person::does(Project::new(&files).expect("a project"), &["run", "ask.yaml"]);
    person.sees("first\r\n");
    person.types("yes\r");
    person.sees("Delete? ");
    assert_eq!(person.ends(), Some(0), "{}", person.screen());
    person.sees("<>");
}

#[test]
fn one_step_at_a_time_has_the_terminal() {
    let flow = "id: ask\nname: Ask\nsteps:\n  - {id: ask, agents: [first, second], parallel: true, terminal: true, routing: {kind: linear}}\n";
    let agents = "version: 1\nagents:\n  \"*\": {engine: shell, run: bash ask.sh}\n";
    let script = "if read -r said; then echo \"got <$said>\"; else echo nobody; fi\n";
    let files = [("ask.yaml", flow), ("gatehouse.yaml", agents), ("ask.sh", script)];
    let mut person = Person::does(Project::new(&files).expect("a project"), &["run", "ask.yaml"]);
    person.sees("goes to this step's program");
    person.types("hello\r");
    assert_eq!(person.ends(), Some(0), "{}", person.screen());
    assert!(!person.kept("got <hello>").is_empty(), "{}", person.screen());
    assert!(!person.kept("nobody").is_empty(), "{}", person.screen());
}

#[test]
fn a_closed_window_ends_the_program() {
    let token = token(2);
    let mut person = Person::runs(&format!("trap '' HUP; printf ready; sleep {token}; sleep {token}\n"));
    person.sees("ready");
    // The reader of the screen has the other copy: hanging up is said to the session by its leader's end, as a window's program does.
    let leader = session_of(&person);
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(leader), nix::sys::signal::Signal::SIGHUP).expect("told");
    person.ends();
    gone(&token);
}

#[test]
fn a_killed_gatehouse_leaves_no_program() {
    let token = token(3);
    let mut person = Person::runs(&format!("printf ready; sleep {token}; sleep {token}\n"));
    person.sees("ready");
    let leader = session_of(&person);
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(leader), nix::sys::signal::Signal::SIGKILL).expect("killed");
    person.ends();
    gone(&token);
}

#[test]
fn without_a_person_the_input_is_at_its_end() {
    let project = project("if read -r said; then echo \"got $said\"; else echo nobody; fi\n");
    let mut program = command(&project.root, &["run", "ask.yaml"]).expect("it is built");
    let said = program.stdin(Stdio::null()).output().expect("runs");
    let out = String::from_utf8_lossy(&said.stdout);
    assert!(out.contains("    nobody"), "{out}");
    assert!(!out.contains("goes to this step's program"), "{out}");
}

/// The process of `gatehouse` itself: `setsid` waits for it or has become it.
fn session_of(person: &Person) -> i32 {
    let own = i32::try_from(person.program.id()).expect("a number");
    let children = std::fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
    let name = std::fs::read_to_string(format!("/proc/{own}/comm")).unwrap_or_default();
    match name.trim() {
        "setsid" => children
            .split_whitespace()
            .next()
            .and_then(|pid| pid.parse().ok())
            .expect("its child"),
        _ => own,
    }
}
