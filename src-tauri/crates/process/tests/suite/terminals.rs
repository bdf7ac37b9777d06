//! A command that wants a terminal has one, and is held like any other.

use crate::{Until, gone, number, order, script};
use process::{Ended, Nobody, Talk, run};
use std::path::Path;
use std::time::{Duration, Instant};

fn terminal() -> Talk {
    Talk {
        terminal: true,
        ..Talk::default()
    }
}

async fn carried_out(text: &str, talk: Talk) -> Ended {
    let folder = tempfile::tempdir().expect("a folder");
    let running = async { run(order(&script(text), folder.path(), "terminal"), talk, &Nobody).await };
    let ended = tokio::time::timeout(Duration::from_secs(60), running).await;
    ended.expect("it ends by itself").expect("started")
}

#[tokio::test]
async fn all_three_streams_are_one_terminal_of_eighty_by_twenty_four() {
    let asks = "test -t 0 && test -t 1 && test -t 2 && stty size && echo own > /dev/tty; exit 3";
    let ended = carried_out(asks, terminal()).await;
    assert_eq!((ended.output.as_str(), ended.status.code()), ("24 80\nown\n", Some(3)));
    assert_eq!(ended.complaint().expect("3"), "command ended with exit code 3: own");
    let piped = carried_out(asks, Talk::default()).await;
    assert_eq!(piped.output, "", "without asking for it a command has none");
}

#[tokio::test]
async fn who_reads_where_nobody_types_finds_the_end_however_often() {
    let text = "read a; echo one $?; read b; echo two $?; cat; for i in $(seq 5000); do read c; done; echo three";
    let ended = carried_out(text, terminal()).await;
    assert_eq!(ended.output, "one 1\ntwo 1\nthree\n");
}

#[tokio::test]
async fn what_is_typed_is_read_by_lines() {
    let talk = Talk {
        input: b"Ada\rLovelace\r".to_vec(),
        ..terminal()
    };
    let ended = carried_out("stty -echo; read a; read b; echo \"$a,$b\"; cat", talk).await;
    assert!(ended.output.ends_with("Ada,Lovelace\n"), "{}", ended.output);
}

#[tokio::test]
async fn what_is_kept_is_what_is_seen() {
    let text = r"printf '\033]0;title\007\033[31mred\033[0m\n'; printf '10%%\r50%%\r100%%\n'; printf 'wrong\n' >&2";
    let ended = carried_out(text, terminal()).await;
    assert_eq!(ended.output, "red\n100%\nwrong\n");
}

#[tokio::test]
async fn a_question_is_seen_while_its_answer_is_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let until = Until::new("Name?");
    let words = script("printf 'Name? '; sleep 1000");
    let ended = run(order(&words, folder.path(), "m"), terminal(), &until);
    assert!(ended.await.expect("started").stopped);
}

#[tokio::test]
async fn a_flood_is_bounded() {
    let talk = Talk {
        kept: 100_000,
        ..terminal()
    };
    let ended = carried_out(
        "yes 0123456789abcdef | head -c 20000000; echo; head -c 3000000 /dev/zero | tr '\\0' x",
        talk,
    )
    .await;
    let end = &ended.output[100_000..];
    assert!(
        ended.status.success() && end.ends_with("more bytes were not kept]\n"),
        "{end}"
    );
    assert!(ended.output.len() < 100_100);
}

#[tokio::test]
async fn who_makes_jobs_groups_and_sessions_ends_with_all_of_them() {
    let folder = tempfile::tempdir().expect("a folder");
    // Jobs of an interactive shell are groups of their own; the last one is in the foreground.
    let text = "exec bash --norc --noprofile -c 'set -m; trap \"\" HUP TERM; sleep 1000 & echo $! > job; \
         setsid sleep 1000 & echo $! > session; (trap \"\" HUP TERM; echo $BASHPID > front; echo ready; while :; do sleep 0.1; done)'";
    let mark = format!("jobs {}", std::process::id());
    let until = Until::new("ready");
    let begun = Instant::now();
    let ended = run(order(&script(text), folder.path(), &mark), terminal(), &until).await;
    assert!(ended.expect("started").stopped && begun.elapsed() < Duration::from_secs(60));
    for name in ["job", "session", "front"] {
        gone(number(&folder.path().join(name)).await).await;
    }
}

#[tokio::test]
async fn who_reads_from_a_terminal_that_is_let_go_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = script("stty raw; trap '' HUP; echo $$ > own; while :; do head -c 1 < /dev/tty > /dev/null; done");
    let file = folder.path().join("own");
    let pid = tokio::select! {
        ended = run(order(&words, folder.path(), "m"), terminal(), &Nobody) => panic!("{ended:?}"),
        pid = number(&file) => pid,
    };
    gone(pid).await;
}

#[tokio::test]
async fn no_other_program_holds_an_end_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = script("echo $$ > own; sleep 1000");
    let listing = script("ls -l /proc/self/fd");
    let file = folder.path().join("own");
    let listed = tokio::select! {
        ended = run(order(&running, folder.path(), "m"), terminal(), &Nobody) => panic!("{ended:?}"),
        listed = async {
            number(&file).await;
            run(order(&listing, Path::new("/"), "n"), Talk::default(), &Nobody).await.expect("started").output
        } => listed,
    };
    assert!(!listed.contains("/dev/pts/") && !listed.contains("ptmx"), "{listed}");
}

#[tokio::test]
async fn who_reads_single_keys_is_not_flooded() {
    let text = "sleep 1; stty raw; timeout --foreground 3 dd bs=1 count=3000 status=none | wc -c > read; stty sane; echo read $(cat read)";
    let ended = carried_out(text, terminal()).await;
    let read = ended.output.trim().rsplit(' ').next().map(str::parse::<usize>);
    assert!(
        matches!(read, Some(Ok(1..100))) && ended.output.len() < 1_000,
        "{} {:?}",
        ended.output.len(),
        ended.output
    );
}

/// Whoever is above the program was stopped: it ends all the same.
#[tokio::test]
async fn a_stopped_supervisor_is_woken_to_end() {
    for terminal in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let until = Until::new("never");
        let words = script("echo $PPID > number.part; mv number.part number; sleep 1000 & sleep 1000");
        let talk = Talk {
            terminal,
            ..Talk::default()
        };
        let running = run(order(&words, folder.path(), "stopped"), talk, &until);
        let stopping = async {
            let supervisor = number(&folder.path().join("number")).await;
            let process = nix::unistd::Pid::from_raw(supervisor.try_into().expect("a number"));
            nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGSTOP).expect("stopped");
            until.seen.notify_one();
            supervisor
        };
        let both = async { tokio::join!(running, stopping) };
        let (ended, supervisor) = tokio::time::timeout(Duration::from_secs(60), both)
            .await
            .expect("it ends");
        assert!(ended.expect("started").stopped);
        gone(supervisor).await;
    }
}
