//! Ways to stay behind: none of them outlives the command, however that ends, nor the program that started it.

use crate::Until;
use process::{Nobody, Order, Talk, run};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A name, the programs it needs, and a script in which `TOKEN` is a number of seconds by which its processes are known.
const KINDS: &[(&str, &[&str], &str)] = &[
    ("in the background", &[], "sleep TOKEN &"),
    ("nohup", &["nohup"], "nohup sleep TOKEN >/dev/null 2>&1 &"),
    ("a session of its own", &["setsid"], "setsid sleep TOKEN &"),
    ("a session after a fork", &["setsid"], "setsid -f sleep TOKEN"),
    ("disowned", &[], "sleep TOKEN & disown -a"),
    ("an orphan", &[], "( ( sleep TOKEN & ) & )"),
    ("no environment", &["setsid"], "setsid env -i sleep TOKEN &"),
    (
        "an orphan without environment",
        &["setsid"],
        "( ( setsid -f env -i /bin/sleep TOKEN & ) & )",
    ),
    (
        "deaf to signals",
        &[],
        "bash -c 'trap \"\" TERM HUP INT QUIT USR1 PIPE; while :; do sleep TOKEN; done' &",
    ),
    (
        "deaf, in a session, without environment",
        &["setsid"],
        "setsid env -i bash -c 'trap \"\" TERM HUP INT; sleep TOKEN' &",
    ),
    (
        "a daemon in Perl",
        &["perl"],
        "perl -MPOSIX -e 'exit if fork; setsid; exit if fork; chdir \"/\"; POSIX::close($_) for 0..255; %ENV = (); $SIG{$_} = \"IGNORE\" for qw(TERM HUP INT); exec \"/bin/sleep\", \"TOKEN\"'",
    ),
    (
        "a daemon in Python",
        &["python3"],
        "python3 -c 'import subprocess; subprocess.Popen([\"/bin/sleep\", \"TOKEN\"], env={}, start_new_session=True, close_fds=True, cwd=\"/\")'",
    ),
    (
        "detached in Node.js",
        &["node"],
        "node -e 'require(\"child_process\").spawn(\"/bin/sleep\", [\"TOKEN\"], {detached: true, stdio: \"ignore\", env: {}, cwd: \"/\"}).unref()'",
    ),
    ("a coprocess", &[], "coproc setsid sleep TOKEN"),
    ("a process substitution", &["setsid"], "exec 9> >(setsid sleep TOKEN)"),
    (
        "a terminal of its own",
        &["script", "setsid"],
        "setsid script -qc 'sleep TOKEN' /dev/null </dev/null >/dev/null 2>&1 &",
    ),
    ("a pipeline in a subshell", &[], "(sleep TOKEN | cat) &"),
    (
        "under another name",
        &[],
        "(exec -a '[kworker/0:1] TOKEN' sleep TOKEN) &",
    ),
    (
        "elsewhere, with nothing open",
        &["setsid"],
        "(cd /; exec setsid sleep TOKEN <&- >&- 2>&-) &",
    ),
    ("a group of its own", &[], "set -m; sleep TOKEN & set +m"),
    // Stopped, or without its file, before it is `sleep` at all it would be a shell without the token.
    (
        "stopped",
        &["grep"],
        "sleep TOKEN & until grep -aq TOKEN /proc/$!/cmdline; do sleep 0.02; done; kill -STOP $!",
    ),
    (
        "stopped in a session",
        &["setsid"],
        "setsid sh -c 'kill -STOP $$; exec sleep TOKEN' TOKEN &",
    ),
    (
        "a service",
        &["start-stop-daemon"],
        "start-stop-daemon --start --background --make-pidfile --pidfile \"$PWD/pid\" --exec /bin/sleep -- TOKEN",
    ),
    (
        "a terminal server",
        &["tmux"],
        "tmux -S \"$PWD/tmux\" new-session -d 'exec sleep TOKEN'",
    ),
    (
        "another reaper",
        &["perl"],
        "perl -e 'syscall 157, 36, 1, 0, 0, 0; unless (fork) { exit if fork; exec \"/bin/sleep\", \"TOKEN\" } sleep 3600' TOKEN &",
    ),
    (
        "a sibling of its parent",
        &["perl"],
        "perl -e 'syscall(56, 0x8011, 0, 0, 0, 0) or exec \"/bin/sleep\", \"TOKEN\"' &",
    ),
    (
        "a program that is gone",
        &["grep"],
        "cp \"$(command -v sleep)\" s; ./s TOKEN & until grep -aq TOKEN /proc/$!/cmdline; do sleep 0.02; done; rm s",
    ),
    (
        "a deep family",
        &["setsid"],
        "setsid sh -c 'setsid sh -c \"setsid sh -c \\\"setsid sleep TOKEN; :\\\"; :\"; :' &",
    ),
    (
        "on the way out",
        &[],
        "trap 'setsid env -i sleep TOKEN & sleep 0.05' EXIT; sleep TOKEN &",
    ),
    (
        "when told to end",
        &["setsid"],
        "trap 'setsid env -i sleep TOKEN & exit' TERM; sleep TOKEN &",
    ),
    (
        "always another one",
        &["perl"],
        "perl -e 'while (1) { my $p = fork; exit if $p }' TOKEN &",
    ),
    (
        "always another one in a session",
        &["perl"],
        "perl -MPOSIX -e 'while (1) { my $p = fork; exit if $p; setsid }' TOKEN &",
    ),
    (
        "many that are always another one",
        &["perl"],
        "perl -MPOSIX -e 'fork; fork; fork; while (1) { my $p = fork; exit if $p; setsid; select undef, undef, undef, 0.001 }' TOKEN &",
    ),
    (
        "one that is always restarted",
        &[],
        "bash -c 'trap \"\" TERM; while :; do setsid sleep TOKEN; done' &",
    ),
    ("a crowd", &[], "for i in $(seq 60); do setsid sleep TOKEN & done"),
];

fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// The processes that have a token in their command line and have not ended.
fn found(token: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").expect("Linux").flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let named = numbers.filter(|pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.windows(token.len()).any(|part| part == token.as_bytes())
    });
    named.filter(|pid| crate::alive(*pid)).collect()
}

/// Waits until the script has done its work and there is somebody who could stay behind.
async fn until_found(token: &str, folder: &Path, kind: &str) {
    let begun = Instant::now();
    while found(token).is_empty() || !folder.join("up").exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{kind}: it does not begin");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A folder with the script of a kind, and its token. The script says `up`, also in a file, and goes on until there is a file `go`.
fn prepared(script: &str) -> (tempfile::TempDir, String) {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let token = format!("3600.{}{count:04}", std::process::id());
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!(
        "{}\n: > up\necho up\nwhile [ ! -e go ]; do sleep 0.02; done\n",
        script.replace("TOKEN", &token)
    );
    std::fs::write(folder.path().join("kind.sh"), text).expect("written");
    (folder, token)
}

/// The mark is the folder: another test does not end this one.
fn order<'a>(arguments: &'a [String], folder: &'a Path) -> Order<'a> {
    Order {
        program: "bash",
        ..crate::order(arguments, folder, &folder.to_string_lossy())
    }
}

fn words() -> Vec<String> {
    vec!["kind.sh".to_owned()]
}

fn kinds() -> impl Iterator<Item = &'static (&'static str, &'static [&'static str], &'static str)> {
    KINDS.iter().filter(|(_, needs, _)| needs.iter().all(|n| is_there(n)))
}

/// With pipes, and in a terminal.
fn talks() -> [Talk; 2] {
    [false, true].map(|terminal| Talk {
        terminal,
        ..Talk::default()
    })
}

/// Every kind in both.
fn each() -> impl Iterator<Item = (&'static str, &'static str, Talk)> {
    kinds().flat_map(|(kind, _, script)| talks().map(|talk| (*kind, *script, talk)))
}

#[test]
fn there_are_enough_of_them() {
    assert!(kinds().count() >= 20, "{}", kinds().count());
}

#[tokio::test]
async fn a_command_that_ends_leaves_none() {
    for (kind, script, talk) in each() {
        let (folder, token) = prepared(script);
        let words = words();
        let ending = async {
            until_found(&token, folder.path(), kind).await;
            std::fs::write(folder.path().join("go"), "").expect("written");
        };
        let running = run(order(&words, folder.path()), talk, &Nobody);
        let (ended, ()) = tokio::join!(running, ending);
        assert_eq!(found(&token), [0; 0], "{kind}: {ended:?}");
        assert!(ended.expect("started").status.success(), "{kind}");
    }
}

#[tokio::test]
async fn a_command_that_is_told_to_end_leaves_none() {
    for (kind, script, talk) in each() {
        let (folder, token) = prepared(script);
        let ended = run(order(&words(), folder.path()), talk, &Until::new("up")).await;
        assert!(ended.expect("started").stopped, "{kind}");
        assert_eq!(found(&token), [0; 0], "{kind}");
    }
}

#[tokio::test]
async fn a_command_that_is_dropped_leaves_none() {
    for (kind, script, talk) in each() {
        let (folder, token) = prepared(script);
        let words = words();
        tokio::select! {
            ended = run(order(&words, folder.path()), talk, &Nobody) => panic!("{kind}: {ended:?}"),
            () = until_found(&token, folder.path(), kind) => {}
        }
        until_gone(&token, kind).await;
    }
}

#[tokio::test]
async fn a_program_that_is_killed_leaves_none() {
    for (kind, _, script) in kinds() {
        let (folder, token) = prepared(script);
        let mut driver = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "daemons::drives_a_command", "--ignored", "--nocapture"])
            .env("DRIVEN", folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        until_found(&token, folder.path(), kind).await;
        driver.kill().expect("it is there");
        driver.wait().expect("it ends");
        until_gone(&token, kind).await;
    }
}

/// The supervisor above the script in a folder.
fn supervisor(folder: &Path) -> Option<i32> {
    let folder = folder.canonicalize().expect("it is there");
    let entries = std::fs::read_dir("/proc").expect("Linux").flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let mut here = numbers.filter(|pid| std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|at| at == folder));
    here.find_map(|pid| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let parent: i32 = stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()?;
        let name = std::fs::read_to_string(format!("/proc/{parent}/comm")).ok()?;
        (name.trim() == "gatehouse-step").then_some(parent)
    })
}

#[tokio::test]
async fn a_supervisor_that_is_killed_alone_leaves_none() {
    if !crate::looking::can_look(process::Enforced::here().files, crate::confining::FILES) {
        return;
    }
    // Whoever is always another one is met by the supervisor alone, which has them as children.
    for (kind, _, script) in kinds().filter(|(kind, ..)| !kind.contains("always another")) {
        let (folder, token) = prepared(script);
        let words = words();
        let confinement = std::sync::Arc::new(process::Confinement {
            fixed: vec![folder.path().join("kind.sh")],
            ..process::Confinement::default()
        });
        let order = Order {
            confinement,
            ..order(&words, folder.path())
        };
        let ending = async {
            until_found(&token, folder.path(), kind).await;
            let pid = supervisor(folder.path()).expect("it is above the script");
            nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL).expect("killed");
        };
        let (ended, ()) = tokio::join!(run(order, Talk::default(), &Nobody), ending);
        assert_eq!(found(&token), [0; 0], "{kind}: {ended:?}");
    }
}

/// What [`a_program_that_is_killed_leaves_none`] kills.
#[tokio::test]
#[ignore = "started by another test"]
async fn drives_a_command() {
    let folder = std::env::var_os("DRIVEN").expect("a folder");
    let ended = run(order(&words(), Path::new(&folder)), Talk::default(), &Nobody).await;
    panic!("it goes on until it is killed: {ended:?}");
}

async fn until_gone(token: &str, kind: &str) {
    let begun = Instant::now();
    while !found(token).is_empty() {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "{kind}: {:?} are still there",
            found(token)
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
