//! Pause, resume, abort.

use crate::play::{Play, gate, names, steps};
use engine::{Answer, Cursor, Effect, EndStatus, Intent, RefusalCode, RunStatus, effects};
use model::{GateAt, Retries, Routing};
use std::sync::Arc;

#[test]
fn a_paused_run_finishes_what_is_in_flight_and_starts_nothing() {
    let mut play = Play::start(steps(&["a", "b"]));
    play.pause();
    assert_eq!(play.state.status, RunStatus::Paused);
    assert_eq!(
        names(&play.succeed()),
        ["end a#1.1 succeeded", "route b linear_default"]
    );
    assert_eq!(
        play.state.cursor,
        Cursor::Ready {
            step: "b".into(),
            path: vec![]
        }
    );
    assert!(effects(&play.workflow, &play.state).is_empty());
    assert_eq!(play.refused(Intent::Proceed), RefusalCode::NothingDue);
    let events = play
        .send(Intent::Resume {
            by: "Ada".into(),
            given: None,
        })
        .unwrap();
    assert_eq!(names(&events), ["resumed", "start b#1.1"]);
}

#[test]
fn a_run_can_end_while_it_is_paused() {
    let mut play = Play::start(steps(&["a"]));
    play.pause();
    play.succeed();
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
    let mut flow = steps(&["a"]);
    flow[0].routing = Routing::Linear {
        next: Some("zzz".into()),
    };
    let mut play = Play::start(flow);
    play.pause();
    play.succeed();
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
}

#[test]
fn resuming_while_an_attempt_runs_starts_no_second_one() {
    let mut play = Play::start(steps(&["a"]));
    play.pause();
    let events = play
        .send(Intent::Resume {
            by: "Ada".into(),
            given: None,
        })
        .unwrap();
    assert_eq!(names(&events), ["resumed"]);
}

#[test]
fn a_retry_waits_for_the_resumption() {
    let mut flow = steps(&["a"]);
    flow[0].retries = Some(Retries {
        max: Some(1),
        backoff_ms: 0,
    });
    let mut play = Play::start(flow);
    play.pause();
    play.finish(crate::play::failed("x"));
    let Cursor::Retrying { instance, .. } = play.state.cursor.clone() else {
        panic!()
    };
    assert!(effects(&play.workflow, &play.state).is_empty());
    assert_eq!(
        play.refused(Intent::Retry {
            instance: instance.clone()
        }),
        RefusalCode::AlreadyPaused
    );
    play.resume();
    assert!(matches!(
        effects(&play.workflow, &play.state).first(),
        Some(Effect::WaitUntil { .. })
    ));
    play.send(Intent::Retry { instance }).unwrap();
}

#[test]
fn a_paused_run_can_be_answered() {
    for at in [GateAt::Before, GateAt::After] {
        let mut flow = steps(&["a", "b", "c"]);
        flow[1].gate = gate(at);
        let mut play = Play::start(flow);
        play.succeed();
        if at == GateAt::After {
            play.succeed();
        }
        play.pause();
        assert_eq!(play.state.status, RunStatus::Blocked, "it still waits for a person");
        play.answer(Answer::Approve, "");
        assert_eq!(play.state.status, RunStatus::Paused);
        let next = if at == GateAt::After { "c" } else { "b" };
        assert_eq!(
            play.state.cursor,
            Cursor::Ready {
                step: next.into(),
                path: vec![]
            }
        );
        let events = play
            .send(Intent::Resume {
                by: "Ada".into(),
                given: None,
            })
            .unwrap();
        assert_eq!(
            names(&events),
            ["resumed".to_owned(), format!("start {next}#1.1")],
            "it is not asked twice"
        );
    }
}

#[test]
fn changes_asked_for_while_paused_are_not_lost() {
    let mut flow = steps(&["a", "b"]);
    flow[0].gate = gate(GateAt::After);
    let mut play = Play::start(flow);
    play.succeed();
    play.pause();
    play.answer(Answer::Changes, "shorter");
    play.resume();
    assert_eq!(play.comments_of_running(), ["shorter"]);
}

#[test]
fn abort_cuts_off_what_is_in_flight() {
    let abort = |reason: &str| Intent::Abort {
        by: "Ada".into(),
        reason: reason.into(),
        given: None,
    };
    let mut play = Play::start(steps(&["a", "b"]));
    let events = play.send(abort("wrong file")).unwrap();
    assert_eq!(
        names(&events),
        ["aborted", "cut a#1.1", "completed aborted aborted by ada: wrong file"]
    );
    assert_eq!(play.state.error.as_deref(), Some("Aborted by Ada: wrong file"));
    assert_eq!(play.refused(abort("again")), RefusalCode::RunEnded);
    let mut flow = steps(&["a"]);
    flow[0].gate = gate(GateAt::After);
    let mut play = Play::start(flow);
    play.succeed();
    let late = play.decision(Answer::Approve, "");
    assert_eq!(
        names(&play.send(abort("")).unwrap()),
        ["aborted", "completed aborted aborted by ada"]
    );
    assert!(play.state.waiting().is_none());
    assert_eq!(play.refused(Intent::Answer(Arc::new(late))), RefusalCode::RunEnded);
}
