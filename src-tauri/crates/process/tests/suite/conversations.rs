//! Programs that one goes on talking with.

use crate::{gone, number, order, script};
use process::{Conversation, Framing, Silence};
use std::time::Duration;
use tokio::time::timeout;

fn start(text: &str, framing: Framing, limit: usize) -> Conversation {
    let here = std::env::temp_dir();
    Conversation::start(order(&script(text), &here, "talk"), framing, limit).expect("started")
}

#[tokio::test]
async fn messages_go_and_come_in_order() {
    for framing in [Framing::Lines, Framing::Headers] {
        let mut cat = start("exec cat", framing, 100_000);
        let speaker = cat.speaker();
        let sent: Vec<Vec<u8>> = (1..200usize).map(|n| vec![b'a'; n * 400]).collect();
        let saying = {
            let sent = sent.clone();
            tokio::spawn(async move {
                for message in sent {
                    speaker.say(&message).await.expect("it reads");
                }
            })
        };
        for message in &sent {
            assert_eq!(&cat.hear().await.expect("it answers"), message);
        }
        saying.await.expect("all was said");
        assert!(cat.end().await.expect("a status").success());
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_loses_nothing() {
    // It says the second half of a message when it is told to, however long it takes to be heard until then.
    let mut slow = start(
        "read line; printf fir; read line; echo st; echo second; cat",
        Framing::Lines,
        100,
    );
    let early = timeout(Duration::from_millis(20), slow.hear()).await;
    assert!(early.is_err(), "{early:?}");
    slow.say(b"begin").await.expect("it reads");
    let again = timeout(Duration::from_millis(100), slow.hear()).await;
    assert!(again.is_err(), "{again:?}");
    slow.say(b"end").await.expect("it reads");
    assert_eq!(slow.hear().await, Ok(b"first".to_vec()));
    assert_eq!(slow.hear().await, Ok(b"second".to_vec()));
}

#[tokio::test]
async fn the_last_words_are_heard_and_then_why_it_is_silent() {
    let mut dying = start("echo last; echo 'no licence' >&2; exit 4", Framing::Lines, 100);
    assert_eq!(dying.hear().await, Ok(b"last".to_vec()));
    let silence = dying.hear().await.expect_err("it has ended");
    assert_eq!(silence.to_string(), "the program ended with exit code 4: no licence");
    assert_eq!(dying.complaints(), "no licence\n");
    assert_eq!(dying.hear().await, Err(silence), "it stays so");
}

#[tokio::test]
async fn who_left_a_child_with_the_pipe_is_not_waited_for() {
    let mut gone = start("setsid sleep 1000 & echo here; exit 0", Framing::Lines, 100);
    assert_eq!(gone.hear().await, Ok(b"here".to_vec()));
    let silence = timeout(Duration::from_secs(60), gone.hear()).await.expect("soon");
    assert_eq!(silence, Err(Silence::Ended("the program has ended".to_owned())));
    gone.end().await;
}

#[tokio::test]
async fn who_closes_its_output_is_silent_at_once() {
    let mut closed = start("exec >&-; exec sleep 1000", Framing::Headers, 100);
    let silence = closed.hear().await.expect_err("no output");
    assert_eq!(silence.to_string(), "the program has closed its standard output");
}

#[tokio::test]
async fn a_flood_without_an_end_is_too_long() {
    for framing in [Framing::Lines, Framing::Headers] {
        let mut flood = start("cat /dev/zero", framing, 100_000);
        let silence = flood.hear().await.expect_err("no message");
        match framing {
            Framing::Lines => assert_eq!(silence, Silence::TooLong(100_000)),
            Framing::Headers => assert!(matches!(silence, Silence::Malformed(_)), "{silence}"),
        }
    }
}

#[tokio::test]
async fn a_flood_of_complaints_is_kept_at_its_end() {
    let mut loud = start(
        "head -c 1000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo end >&2; echo done",
        Framing::Lines,
        100,
    );
    assert_eq!(loud.hear().await, Ok(b"done".to_vec()));
    let silence = loud.hear().await.expect_err("it has ended");
    assert_eq!(silence.to_string(), "the program has ended: end");
    let complaints = loud.complaints();
    assert!(
        complaints.len() <= 8 * 1024 && complaints.ends_with("x\nend\n"),
        "{}",
        complaints.len()
    );
}

#[tokio::test]
async fn who_does_not_read_is_deaf_after_a_while() {
    let deaf = start("exec <&-; exec sleep 1000", Framing::Lines, 100);
    let begun = std::time::Instant::now();
    while deaf.say(b"hello").await.is_ok() {
        assert!(begun.elapsed() < Duration::from_secs(60), "its pipe is closed");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(deaf.say(b"hello").await, Err(Silence::Deaf));
}

#[tokio::test]
async fn whoever_is_dropped_or_ended_is_gone_with_its_family() {
    for drops in [true, false] {
        let folder = tempfile::tempdir().expect("a folder");
        let words = script(
            "trap '' TERM; (sleep 1000 & echo $! > inner; wait) & setsid sh -c 'echo $$ > stray; exec sleep 1000' & \
             echo $$ > own; while true; do sleep 0.1; done",
        );
        let order = order(&words, folder.path(), "stubborn");
        let conversation = Conversation::start(order, Framing::Lines, 100).expect("started");
        let mut pids = Vec::new();
        for name in ["own", "inner", "stray"] {
            pids.push(number(&folder.path().join(name)).await);
        }
        if drops {
            drop(conversation);
        } else {
            let status = conversation.end().await.expect("a status");
            assert!(!status.success());
        }
        for pid in pids {
            gone(pid).await;
        }
    }
}

#[tokio::test]
async fn ending_one_leaves_another_of_the_same_order_alone() {
    let mut kept = start("exec cat", Framing::Lines, 100);
    let ended = start("exec cat", Framing::Lines, 100);
    assert!(ended.end().await.expect("a status").success());
    kept.say(b"still here").await.expect("it reads");
    assert_eq!(kept.hear().await, Ok(b"still here".to_vec()));
}
