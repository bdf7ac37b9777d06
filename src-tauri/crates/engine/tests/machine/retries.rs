//! Failures, attempts, interruptions, and how a run ends by itself.

use crate::play::{Play, created, critic_flow, failed, names, reported, steps, workflow};
use engine::{
    At, Cursor, EndStatus, EngineKind, ExecutionStatus, GuardrailReport, Intent, Lifecycle, Limits, RefusalCode,
    RunStatus, StepResult,
};
use model::{AgentKey, Retries, Routing, StepId};
use serde_json::json;
use std::sync::Arc;

#[test]
fn a_run_from_its_creation_to_its_end() {
    let mut play = Play::new(workflow(critic_flow(3)));
    let events = play.send(Intent::Create(Arc::new(created(Limits::default())))).unwrap();
    assert_eq!(names(&events), ["created", "started", "start author#1.1"]);
    assert_eq!(
        names(&play.succeed()),
        [
            "end author#1.1 succeeded",
            "route critic linear_default",
            "start critic#1.1"
        ]
    );
    play.finish(reported(json!({"status": "UNVERIFIED"})));
    play.succeed();
    play.finish(reported(json!({"status": "VERIFIED"})));
    assert_eq!(
        names(&play.succeed()),
        [
            "end done#1.1 succeeded",
            "route - flow_complete_no_routing",
            "completed succeeded -"
        ]
    );
    assert_eq!(
        play.visited(),
        ["author#1", "critic#1", "author#2", "critic#2", "done#1"]
    );
    assert_eq!((play.state.executed, play.state.completed), (5, 5));
}

#[test]
fn a_failed_step_fails_the_run_without_a_route() {
    let mut play = Play::start(steps(&["a", "b"]));
    assert_eq!(
        names(&play.finish(failed("boom"))),
        ["end a#1.1 failed", "completed failed boom"]
    );
    let mut play = Play::start(steps(&["a", "b"]));
    let silent = StepResult::new(ExecutionStatus::Failed);
    assert_eq!(
        names(&play.finish(silent)),
        ["end a#1.1 failed", "completed failed step 'a' failed"]
    );
    assert_eq!((play.state.executed, play.state.completed), (1, 0));
}

#[test]
fn a_skipped_step_does_not_stop_the_run() {
    let mut play = Play::start(steps(&["a", "b"]));
    let events = play.finish(StepResult::new(ExecutionStatus::Skipped));
    assert_eq!(
        names(&events),
        ["end a#1.1 skipped", "route b linear_default", "start b#1.1"]
    );
    assert_eq!(play.state.completed, 1);
}

#[test]
fn retries_wait_and_are_used_up() {
    let mut flow = steps(&["a"]);
    flow[0].retries = Some(Retries {
        max: Some(1),
        backoff_ms: 500,
    });
    let mut play = Play::start(flow);
    assert_eq!(names(&play.finish(failed("first"))), ["end a#1.1 failed again"]);
    let Cursor::Retrying {
        instance,
        attempt: 2,
        at,
    } = play.state.cursor.clone()
    else {
        panic!("{:?}", play.state.cursor)
    };
    assert_eq!(at, At(play.now.0 + 500));
    assert_eq!(
        play.refused(Intent::Retry {
            instance: instance.clone()
        }),
        RefusalCode::StaleAttempt,
        "too early"
    );
    play.now = at;
    assert_eq!(names(&play.send(Intent::Retry { instance }).unwrap()), ["start a#1.2"]);
    assert_eq!(
        names(&play.finish(failed("second"))),
        ["end a#1.2 failed", "completed failed second"]
    );
    assert_eq!(play.state.executed, 1, "two attempts are one execution");
}

#[test]
fn the_projects_default_counts_where_the_step_says_nothing() {
    let limits = Limits {
        max_retries: 2,
        backoff_ms: 0,
        ..Limits::default()
    };
    let mut play = Play::start_with(workflow(steps(&["a"])), limits);
    for _ in 0..2 {
        play.finish(failed("x"));
        let Cursor::Retrying { instance, .. } = play.state.cursor.clone() else {
            panic!()
        };
        play.send(Intent::Retry { instance }).unwrap();
    }
    play.finish(failed("x"));
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
}

#[test]
fn an_interruption_is_not_the_steps_failure_but_it_is_bounded() {
    let mut play = Play::start(steps(&["a", "b"]));
    for round in 1..=3 {
        assert_eq!(names(&play.interrupt()), [format!("cut a#1.{round} again")]);
        let Cursor::Retrying { instance, at, .. } = play.state.cursor.clone() else {
            panic!()
        };
        assert_eq!(at, play.now, "at once");
        play.send(Intent::Retry { instance }).unwrap();
    }
    assert_eq!(
        names(&play.interrupt()),
        [
            "cut a#1.4",
            "completed failed step 'a' was interrupted too often: power cut"
        ]
    );
}

/// What may not go in is the same the next time.
#[test]
fn what_the_guardrails_keep_from_going_in_is_not_tried_again() {
    let stopped = |stage: &str| StepResult {
        lifecycle: Some(Box::new(Lifecycle {
            guardrails: vec![GuardrailReport {
                stage: stage.into(),
                status: "failed".into(),
                violations: Vec::new(),
            }],
            ..Lifecycle::default()
        })),
        ..failed("stopped")
    };
    for (stage, expected) in [
        ("inputs", vec!["end a#1.1 failed", "completed failed stopped"]),
        ("outputs", vec!["end a#1.1 failed again"]),
    ] {
        let mut flow = steps(&["a"]);
        flow[0].retries = Some(Retries {
            max: Some(2),
            backoff_ms: 0,
        });
        let mut play = Play::start(flow);
        assert_eq!(names(&play.finish(stopped(stage))), expected, "{stage}");
    }
}

#[test]
fn interruptions_use_up_no_retries() {
    let mut flow = steps(&["a"]);
    flow[0].retries = Some(Retries {
        max: Some(1),
        backoff_ms: 0,
    });
    let mut play = Play::start(flow);
    play.interrupt();
    play.retry();
    assert_eq!(names(&play.finish(failed("x"))), ["end a#1.2 failed again"]);
    play.retry();
    play.succeed();
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
}

/// What a driver lets go of in order is neither the step's failure nor a crash: it is tried again many times, and crashes are counted beside it.
#[test]
fn an_attempt_that_was_let_go_of_counts_among_no_interruptions() {
    let mut play = Play::start(steps(&["a"]));
    for _ in 0..2 {
        play.let_go();
        play.retry();
    }
    for _ in 0..3 {
        play.interrupt();
        play.retry();
    }
    play.interrupt();
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));

    // A step may have its own driver ended, which comes back each time.
    let mut play = Play::start(steps(&["a"]));
    for _ in 0..30 {
        play.let_go();
        play.retry();
    }
    play.let_go();
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
}

#[test]
fn stale_outcomes_are_refused() {
    let mut play = Play::start(steps(&["a", "b"]));
    let (first, _) = play.running();
    play.succeed();
    let late = Intent::Finish {
        instance: first.clone(),
        attempt: 1,
        result: Arc::new(failed("late")),
    };
    assert_eq!(play.refused(late), RefusalCode::StaleAttempt);
    let output = Intent::Output {
        instance: first,
        attempt: 1,
        stream: "stdout".into(),
        text: "late".into(),
    };
    assert_eq!(play.refused(output), RefusalCode::StaleAttempt);
    let (second, attempt) = play.running();
    let wrong = Intent::Interrupt {
        instance: second,
        attempt: attempt + 1,
        reason: String::new(),
        let_go: false,
        seen: None,
    };
    assert_eq!(play.refused(wrong), RefusalCode::StaleAttempt);
}

#[test]
fn an_unknown_target_fails_the_run_after_the_route() {
    let mut flow = steps(&["a", "b"]);
    flow[0].routing = Routing::Linear {
        next: Some("zzz".into()),
    };
    let mut play = Play::start(flow);
    let events = play.succeed();
    assert_eq!(
        names(&events),
        [
            "end a#1.1 succeeded",
            "route zzz linear_explicit",
            "completed failed invalid routing: step 'zzz' not found"
        ]
    );
    assert_eq!(
        play.state.error.as_deref(),
        Some("Invalid routing: step 'zzz' not found")
    );
}

/// A loop that its own file bounds is never cut off; a project may set a bound of its own.
#[test]
fn a_loop_runs_as_many_rounds_as_its_file_allows() {
    let mut flow = steps(&["a", "b"]);
    flow[1].routing = Routing::Microloop(model::Microloop {
        loop_target: Some("a".into()),
        condition_field: None,
        success_values: Vec::new(),
        max_iterations: 100,
        next: None,
        exit_on: indexmap::IndexMap::new(),
    });
    let run = |max_steps: Option<u32>| {
        let limits = Limits {
            max_steps: max_steps.and_then(std::num::NonZeroU32::new),
            ..Limits::default()
        };
        let mut play = Play::start_with(workflow(flow.clone()), limits);
        while !play.state.status.ended() {
            play.succeed();
        }
        (play.visited().len(), play.state.error)
    };
    assert_eq!(run(None), (202, None));
    assert_eq!(run(Some(50)), (50, Some("Safety limit reached: 51 steps".to_owned())));
}

#[test]
fn a_cycle_that_nothing_bounds_meets_the_safety_limit() {
    let mut flow = steps(&["a", "b"]);
    flow[1].routing = Routing::Linear { next: Some("a".into()) };
    let mut play = Play::start(flow);
    while !play.state.status.ended() {
        play.succeed();
    }
    assert_eq!(play.visited().len(), 20);
    assert_eq!(play.state.error.as_deref(), Some("Safety limit reached: 21 steps"));
    let engine::Event::RunCompleted(end) = &play.log.last().unwrap().1 else {
        panic!()
    };
    assert_eq!((end.steps_completed, end.total_steps_executed), (20, 21));
}

#[test]
fn engines_are_found_by_agent_then_by_default_then_the_stub() {
    let mut flow = steps(&["a", "b"]);
    flow[0].agents = vec![AgentKey::new("writer"), AgentKey::new("helper")];
    let engine = |name: &str| engine::EngineInfo {
        engine: name.into(),
        ..engine::EngineInfo::stub()
    };
    let mut created = created(Limits::default());
    created.engines.insert(AgentKey::new("writer"), engine("claude-step"));
    let used = |created: &engine::RunCreated| {
        let mut play = Play::new(workflow(flow.clone()));
        play.send(Intent::Create(Arc::new(created.clone()))).unwrap();
        play.succeed();
        let started = |step: &str| {
            play.state.steps[&StepId::from(step)].visits[0].attempts[0]
                .started
                .clone()
        };
        assert_eq!(started("a").agents.len(), 2);
        (started("a").engine.engine.clone(), started("b").engine.engine.clone())
    };
    assert_eq!(used(&created), ("claude-step".into(), EngineKind::Stub));
    created.engines.insert(AgentKey::new("*"), engine("shell-step"));
    assert_eq!(used(&created), ("claude-step".into(), EngineKind::Shell));
}

#[test]
fn what_cannot_run_is_refused_at_its_creation() {
    let create = || Intent::Create(Arc::new(created(Limits::default())));
    assert_eq!(Play::new(workflow(vec![])).refused(create()), RefusalCode::NoSteps);
    let mut flow = steps(&["a"]);
    flow[0].routing = Routing::Dependencies;
    assert_eq!(Play::new(workflow(flow)).refused(create()), RefusalCode::NotRunnable);
    let mut play = Play::start(steps(&["a"]));
    assert_eq!(play.refused(create()), RefusalCode::AlreadyCreated);
}
