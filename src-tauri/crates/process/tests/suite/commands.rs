//! One command from start to end.

use crate::{Until, gone, number, order, script};
use process::{Nobody, Talk, run};

#[tokio::test]
async fn both_streams_the_input_and_the_exit_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = script("cat; pwd; echo wrong >&2; exit 3");
    let talk = Talk {
        input: b"told\n".to_vec(),
        ..Talk::default()
    };
    let ended = run(order(&words, folder.path(), "m"), talk, &Nobody)
        .await
        .expect("started");
    // Two pipes have no order between them: what stands on standard error may come first.
    assert!(ended.output.contains("wrong\n"), "{}", ended.output);
    let spoken = ended.output.replacen("wrong\n", "", 1);
    let place = folder
        .path()
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    assert!(
        spoken.starts_with("told\n") && spoken.trim_end().ends_with(&place),
        "{}",
        ended.output
    );
    assert_eq!(
        ended.complaint().as_deref(),
        Some("command ended with exit code 3: wrong")
    );
    assert!(!ended.stopped);
}

#[tokio::test]
async fn nothing_is_inherited_but_the_mark_is_there() {
    let words = script("env");
    let talk = Talk {
        speaks: false,
        ..Talk::default()
    };
    let here = std::env::temp_dir();
    let ended = run(order(&words, &here, "the mark"), talk, &Nobody)
        .await
        .expect("started");
    let answer = String::from_utf8(ended.answer).expect("text");
    // What `sh` itself sets.
    let own = ["PATH", "PWD", "OLDPWD", "SHLVL", "_", process::MARK];
    let foreign: Vec<&str> = answer
        .lines()
        .filter(|l| !own.contains(&l.split('=').next().unwrap_or(l)))
        .collect();
    assert!(foreign.is_empty(), "{foreign:?}");
    assert!(answer.contains("GATEHOUSE_ATTEMPT=the mark\n"), "{answer}");
    assert_eq!((ended.output.as_str(), ended.cut), ("", 0));
}

#[tokio::test]
async fn a_flood_is_counted_and_not_kept() {
    let words = script("head -c 3000000 /dev/zero | tr '\\0' x");
    let here = std::env::temp_dir();
    for speaks in [true, false] {
        let talk = Talk {
            input: Vec::new(),
            speaks,
            kept: 1000,
            ..Talk::default()
        };
        let ended = run(order(&words, &here, "m"), talk, &Nobody).await.expect("started");
        match speaks {
            true => assert!(
                ended.output.ends_with("\n[2999000 more bytes were not kept]\n"),
                "{}",
                ended.output.len()
            ),
            false => assert_eq!((ended.answer.len(), ended.cut), (1000, 2_999_000)),
        }
    }
}

#[tokio::test]
async fn who_is_told_to_end_ends_with_all_of_its_family() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = script(
        "trap '' TERM; (sleep 1000 & echo $! > inner; wait) & setsid sh -c 'echo $$ > stray; exec sleep 1000' & \
         while [ ! -s inner ] || [ ! -s stray ]; do sleep 0.01; done; echo ready; while true; do sleep 0.1; done",
    );
    let mark = format!("family {}", std::process::id());
    let until = Until::new("ready");
    let ended = run(order(&words, folder.path(), &mark), Talk::default(), &until)
        .await
        .expect("started");
    assert!(ended.stopped);
    let how = ended.complaint().expect("it did not end by itself");
    assert!(how.contains("signal 9 (SIGKILL)"), "{how}");
    assert_eq!(
        *until.printed.lock().expect("nobody panicked"),
        [("stdout", "ready\n".to_owned())]
    );
    for name in ["inner", "stray"] {
        gone(number(&folder.path().join(name)).await).await;
    }
}

#[tokio::test]
async fn what_is_dropped_is_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = script("echo $$ > own; exec sleep 1000");
    let file = folder.path().join("own");
    let pid = tokio::select! {
        ended = run(order(&words, folder.path(), "m"), Talk::default(), &Nobody) => panic!("{ended:?}"),
        pid = number(&file) => pid,
    };
    gone(pid).await;
}

#[tokio::test]
async fn what_cannot_be_started_is_an_error() {
    let here = std::env::temp_dir();
    let mut order = order(&[], &here, "m");
    order.program = "no-program-of-this-name";
    let error = run(order, Talk::default(), &Nobody).await.expect_err("there is none");
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}
