//! What a run came to: a person's refusal, a failure, an end that the workflow has, and one that it has not.

use crate::play::{Play, created, failed, gate, names, reported, steps, workflow};
use crate::runbook::runbook;
use crate::stages::{Pipeline, pipeline};
use engine::{
    AnotherLog, Answer, Choice, Effect, EndStatus, EndedInside, Event, ExecutionStatus, Instance, Intent, Lifecycle,
    Limits, Outcome, Purpose, RunCreated, RunState, RunStatus, StepResult, StepStatus, ToolAsk, effects,
};
use model::{Branch, Condition, Format, GateAt, Guard, OnFailure, Operator, Routing, Workflow};
use serde_json::json;
use std::sync::Arc;

/// `refused by Ada at approve: no`, `Done`.
fn outcome(state: &RunState) -> String {
    match state.outcome() {
        None => "none".to_owned(),
        Some(Outcome::Refused(refused)) => {
            let (decision, step) = (refused.decision, &refused.opened.instance.step);
            format!("refused by {} at {step}: {}", decision.by, decision.comment)
        }
        Some(other) => format!("{other:?}"),
    }
}

fn status(play: &Play, step: &str) -> StepStatus {
    play.state.step_status(&step.into())
}

/// draft → approve (a gate) → publish, and `told` where a rejection leads when that is wanted.
fn with_gate(at: GateAt, on_reject: bool) -> Play {
    let mut flow = steps(&["draft", "approve", "publish", "told"]);
    flow[1].gate = gate(at);
    flow[2].routing = Routing::Linear { next: None };
    flow[3].routing = Routing::Linear { next: None };
    if let Some(gate) = flow[1].gate.as_mut().filter(|_| on_reject) {
        gate.on_reject = Some("told".into());
    }
    let mut play = Play::start(flow);
    play.succeed();
    if at == GateAt::After {
        play.succeed();
    }
    play
}

#[test]
fn that_it_is_another_log_is_recorded_at_any_time_and_leads_to_nothing() {
    let named = || {
        Intent::AnotherLog(Arc::new(AnotherLog {
            by: "Eve".into(),
            events: 9,
            link: "ab".repeat(32),
        }))
    };
    let mut play = with_gate(GateAt::Before, false);
    for ended in [false, true] {
        assert_eq!(play.state.status.ended(), ended);
        let (status, outcome_before) = (play.state.status, outcome(&play.state));
        let events = play.send(named()).unwrap();
        assert!(matches!(events.as_slice(), [Event::AnotherLog(_)]), "{events:?}");
        assert_eq!((play.state.status, outcome(&play.state)), (status, outcome_before));
        if !ended {
            play.answer(Answer::Reject, "no");
        }
    }
}

#[test]
fn who_takes_a_run_up_is_recorded_until_it_ends_and_leads_to_nothing() {
    let order = || Intent::TakeUp {
        by: "Eve".into(),
        given: None,
    };
    let mut play = with_gate(GateAt::Before, false);
    let (status, cursor) = (play.state.status, play.state.cursor.clone());
    let events = play.send(order()).unwrap();
    let [taken_up] = events.as_slice() else {
        panic!("{events:?}");
    };
    let (told, given) = engine::Order::of(taken_up).expect("it is an order");
    assert_eq!(
        (told, given),
        (engine::Order::to(engine::OrderKind::TakeUp, "Eve"), None)
    );
    assert_eq!(engine::said(taken_up), Some(order()), "a driver follows it");
    assert_eq!((play.state.status, &play.state.cursor), (status, &cursor));
    // What is stored of it is read again.
    let text = serde_json::to_string(taken_up).unwrap();
    assert_eq!(text, r#"{"type":"taken_up","by":"Eve"}"#);
    assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), *taken_up);
    play.answer(Answer::Reject, "no");
    assert!(play.state.status.ended());
    assert_eq!(play.refused(order()), engine::RefusalCode::RunEnded);
}

/// Also before it has begun, and inside of a commit that was cut off: what was due is due behind it, and nothing lasted until then.
#[test]
fn who_takes_a_run_up_stands_wherever_its_log_was_cut_off() {
    let mut whole = with_gate(GateAt::Before, false);
    whole.answer(Answer::Approve, "");
    whole.succeed();
    whole.succeed();
    assert_eq!(outcome(&whole.state), "Done");
    for end in 1..whole.log.len() {
        let mut play = Play::cut_off(whole.workflow.clone(), &whole.log[..end]);
        let (due, moved) = (effects(&play.workflow, &play.state), play.state.moved_at);
        play.now.0 += 60_000;
        play.send_idle(Intent::TakeUp {
            by: "Eve".into(),
            given: None,
        });
        assert!(
            matches!(play.log.last(), Some((_, Event::TakenUp { .. }))),
            "cut after {end}"
        );
        assert_eq!(effects(&play.workflow, &play.state), due, "cut after {end}");
        assert_eq!(
            (play.state.moved_at, play.state.last_at),
            (moved, Some(play.now)),
            "cut after {end}"
        );
        while !play.state.status.ended() {
            match effects(&play.workflow, &play.state).contains(&Effect::Proceed) {
                true => drop(play.send(Intent::Proceed).expect("it is due")),
                false if play.state.open_gates().is_empty() => drop(play.succeed()),
                false => drop(play.answer(Answer::Approve, "")),
            }
        }
        play.check_log();
        let last = &whole.log[end - 1].1;
        assert_eq!(outcome(&play.state), "Done", "cut after {end}: {last:?}");
    }
}

#[test]
fn a_rejection_that_ends_the_run_is_a_refusal() {
    for at in [GateAt::Before, GateAt::After] {
        let mut play = with_gate(at, false);
        assert_eq!(outcome(&play.state), "none");
        play.answer(Answer::Reject, "not this quarter");
        // The contract's word stays: the run has failed.
        assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
        assert_eq!(outcome(&play.state), "refused by Ada at approve: not this quarter");
        assert_eq!(status(&play, "approve"), StepStatus::Refused);
        assert_eq!(status(&play, "publish"), StepStatus::NotStarted);
        assert_eq!(play.state.refused_before(), None, "it stands");
    }
}

#[test]
fn a_run_that_is_taken_up_after_a_refusal_still_says_so() {
    let mut play = with_gate(GateAt::After, false);
    play.answer(Answer::Reject, "not this quarter");
    let again = Intent::Reopen {
        by: "Ben".into(),
        choices: Default::default(),
    };
    play.send(again).expect("it has ended");
    let before = play.state.refused_before().expect("Ada had refused");
    assert_eq!(
        (&*before.decision.by, &*before.decision.comment),
        ("Ada", "not this quarter")
    );
    while !play.state.status.ended() {
        match play.state.open_gates().is_empty() {
            true => drop(play.succeed()),
            false => drop(play.answer(Answer::Approve, "all the same")),
        }
    }
    assert_eq!(outcome(&play.state), "Done");
    assert!(play.state.refused_before().is_some(), "to its end");
}

#[test]
fn a_rejection_that_the_workflow_has_a_way_for_is_a_refusal_too() {
    let mut play = with_gate(GateAt::After, true);
    play.answer(Answer::Reject, "not this quarter");
    assert_eq!(outcome(&play.state), "none", "the supplier is still to be told");
    assert_eq!(status(&play, "approve"), StepStatus::Refused);
    play.succeed();
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
    assert_eq!(outcome(&play.state), "refused by Ada at approve: not this quarter");
    assert_eq!(
        (status(&play, "approve"), status(&play, "told")),
        (StepStatus::Refused, StepStatus::Succeeded)
    );

    // What breaks on that way is a failure, not the refusal.
    let mut play = with_gate(GateAt::After, true);
    play.answer(Answer::Reject, "not this quarter");
    play.finish(failed("no mail server"));
    assert_eq!(outcome(&play.state), "Failed");
    assert_eq!(status(&play, "approve"), StepStatus::Refused);
}

#[test]
fn a_later_answer_takes_a_rejection_back() {
    let mut flow = steps(&["draft", "approve"]);
    flow[1].gate = gate(GateAt::After);
    flow[1].gate.as_mut().unwrap().on_reject = Some("draft".into());
    let mut play = Play::start(flow);
    play.succeed();
    play.succeed();
    play.answer(Answer::Reject, "again");
    play.succeed();
    assert_eq!(status(&play, "approve"), StepStatus::Running);
    play.succeed();
    play.answer(Answer::Approve, "");
    assert_eq!(outcome(&play.state), "Done");
    assert_eq!(status(&play, "approve"), StepStatus::Succeeded);
    assert!(play.state.rejections.is_empty());
}

/// `draft` → `check` (a gate; a rejection leads back) or, when it is urgent, → `send` (a gate before it).
fn with_a_way_around(last_is_gated: bool) -> Play {
    let mut flow = steps(&["draft", "check", "send"]);
    flow[0].routing = Routing::Branch(Branch {
        field: Some("status".into()),
        branches: [("URGENT".to_owned(), "send".into())].into(),
        next: Some("check".into()),
    });
    flow[1].gate = gate(GateAt::After);
    flow[1].gate.as_mut().unwrap().on_reject = Some("draft".into());
    if last_is_gated {
        flow[2].gate = gate(GateAt::Before);
    }
    let mut play = Play::start(flow);
    play.succeed();
    play.succeed();
    play.answer(Answer::Reject, "write it anew");
    play.finish(reported(json!({"status": "URGENT"})));
    play
}

#[test]
fn what_was_done_again_after_a_rejection_and_then_approved_is_done() {
    let mut play = with_a_way_around(true);
    play.answer(Answer::Approve, "");
    play.succeed();
    assert_eq!(outcome(&play.state), "Done");
    assert_eq!(
        status(&play, "check"),
        StepStatus::Refused,
        "what stands there was not approved"
    );
    // Nobody has looked at what was done again: the last that a person said of it is no.
    let mut play = with_a_way_around(false);
    play.succeed();
    assert_eq!(outcome(&play.state), "refused by Ada at check: write it anew");
}

/// A rejection that leads on to somebody else leads nowhere back, also where the run has been there before.
#[test]
fn whoever_hears_of_a_rejection_does_not_take_it_back() {
    let mut flow = steps(&["draft", "check", "escalate"]);
    flow[1].gate = gate(GateAt::After);
    flow[1].gate.as_mut().unwrap().on_reject = Some("escalate".into());
    flow[1].routing = Routing::Linear { next: None };
    flow[2].gate = gate(GateAt::After);
    flow[2].routing = Routing::Branch(Branch {
        field: Some("status".into()),
        branches: [("AGAIN".to_owned(), "draft".into())].into(),
        next: None,
    });
    let mut play = Play::start(flow);
    for said in ["AGAIN", "END"] {
        play.succeed();
        play.succeed();
        play.answer(Answer::Reject, "no");
        play.finish(reported(json!({"status": said})));
        play.answer(Answer::Approve, "heard");
    }
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
    assert_eq!(outcome(&play.state), "refused by Ada at check: no");
}

#[test]
fn a_failure_and_an_abort_are_no_refusals() {
    let mut play = with_gate(GateAt::After, false);
    play.answer(Answer::Approve, "");
    play.finish(failed("disk full"));
    assert_eq!(outcome(&play.state), "Failed");
    let mut play = with_gate(GateAt::After, true);
    play.answer(Answer::Reject, "no");
    play.send(Intent::Abort {
        by: "Ben".into(),
        reason: "wrong file".into(),
        given: None,
    })
    .unwrap();
    assert_eq!(outcome(&play.state), "Aborted");
}

#[test]
fn a_tool_that_was_refused_makes_the_run_refused() {
    let mut flow = workflow(steps(&["a"]));
    flow.format = Format::StepSpec;
    let mut play = Play::new(flow);
    let created = RunCreated {
        format: Format::StepSpec,
        ..created(Default::default())
    };
    play.send(Intent::Create(Arc::new(created))).unwrap();
    let mut asks = StepResult::new(ExecutionStatus::Blocked);
    asks.lifecycle = Some(Box::new(Lifecycle {
        asks: Some(ToolAsk {
            gate: "tool:nuke:a".into(),
            tool: "nuke".into(),
            args: json!({"target": "all"}),
            risk: model::Risk::High,
            call: "0".into(),
            place: 0,
        }),
        ..Lifecycle::default()
    }));
    play.finish(asks);
    play.answer(Answer::Reject, "too dangerous");
    assert_eq!(outcome(&play.state), "refused by Ada at a: too dangerous");
    // Taken up again it runs anew, and nothing of the refusal stands.
    play.send(Intent::Reopen {
        by: "Ada".into(),
        choices: Default::default(),
    })
    .unwrap();
    assert_eq!(status(&play, "a"), StepStatus::Running);
    play.succeed();
    assert_eq!(outcome(&play.state), "Done");
}

/// A runbook whose commands nobody has permitted.
fn unpermitted(units: &[&str], needing: &[&str]) -> Play {
    let mut play = Play::new(runbook(units));
    let needs = needing
        .iter()
        .map(|step| ((*step).into(), vec![format!("run `{step}`")]));
    let created = RunCreated {
        format: Format::Rundown,
        permissions: needs.collect(),
        ..created(Default::default())
    };
    play.send(Intent::Create(Arc::new(created))).unwrap();
    play
}

#[test]
fn a_permission_that_was_refused_is_never_a_good_end() {
    // The runbook takes the failure for the end of its work.
    let mut play = unpermitted(&["$1: FAIL COMPLETE every customer has a letter"], &["1"]);
    play.answer(Answer::Reject, "not today");
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
    assert_eq!(outcome(&play.state), "refused by Ada at 1: not today");
    assert_eq!(status(&play, "1"), StepStatus::Refused);
    // It goes on to the end.
    let mut play = unpermitted(&["$1: FAIL CONTINUE", "$2"], &["1"]);
    play.answer(Answer::Reject, "not today");
    play.succeed();
    assert_eq!(outcome(&play.state), "refused by Ada at 1: not today");
    // It stops.
    let mut play = unpermitted(&["$1"], &["1"]);
    play.answer(Answer::Reject, "not today");
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
    assert_eq!(outcome(&play.state), "refused by Ada at 1: not today");
    // It stops later, and nothing else went wrong; or something else did.
    let mut play = unpermitted(&["$1: FAIL CONTINUE", "$2: PASS STOP"], &["1"]);
    play.answer(Answer::Reject, "not today");
    play.succeed();
    assert_eq!(outcome(&play.state), "refused by Ada at 1: not today");
    let mut play = unpermitted(&["$1: FAIL CONTINUE", "$2"], &["1"]);
    play.answer(Answer::Reject, "not today");
    play.finish(failed("exit code 1"));
    assert_eq!(outcome(&play.state), "Failed");
}

/// An attempt that found something that whoever drives has not permitted: the visit waits, and goes on or is given up with the answer.
#[test]
fn an_attempt_that_is_not_permitted_asks_and_the_visit_goes_on() {
    let asking = || {
        let mut play = unpermitted(&["$1: FAIL STOP", "$2"], &[]);
        let mut asks = StepResult::new(ExecutionStatus::Blocked);
        asks.lifecycle = Some(Box::new(Lifecycle {
            needs: vec!["run `1`".into()],
            ..Lifecycle::default()
        }));
        play.finish(asks);
        assert_eq!(play.state.status, RunStatus::Blocked);
        let asked = &play.state.waiting().expect("it asks").opened;
        assert!(matches!(&asked.purpose, Purpose::Permission { needs } if needs == &["run `1`"]));
        play
    };
    let mut play = asking();
    play.answer(Answer::Approve, "");
    assert_eq!(status(&play, "1"), StepStatus::Running);
    let visits = |play: &Play| {
        let step = &play.state.steps[&model::StepId::from("1")];
        step.visits.iter().map(|visit| visit.attempts.len()).collect::<Vec<_>>()
    };
    assert_eq!(visits(&play), [2], "another attempt of the same visit");
    play.succeed();
    play.succeed();
    assert_eq!(outcome(&play.state), "Done");

    let mut play = asking();
    play.answer(Answer::Reject, "not today");
    assert_eq!(visits(&play), [2]);
    assert_eq!(status(&play, "1"), StepStatus::Refused);
    assert_eq!(outcome(&play.state), "refused by Ada at 1: not today");
}

#[test]
fn a_permission_given_in_the_second_place_counts() {
    let mut play = unpermitted(&["$1: FAIL RETRY 1 STOP"], &["1"]);
    play.answer(Answer::Reject, "not yet");
    play.answer(Answer::Approve, "");
    play.succeed();
    assert_eq!(outcome(&play.state), "Done");
    assert_eq!(status(&play, "1"), StepStatus::Succeeded);
}

#[test]
fn no_is_the_outcome_of_a_step_and_no_refusal() {
    let mut play = unpermitted(&["1: NO STOP"], &[]);
    play.answer(Answer::Fail, "");
    assert_eq!(outcome(&play.state), "Failed");
    assert_eq!(status(&play, "1"), StepStatus::Failed);
}

#[test]
fn a_rejected_stage_makes_its_pipeline_refused_until_it_is_taken_up_again() {
    let gated = || {
        let mut steps = pipeline("a b<a x y<x", OnFailure::SkipDependents).steps().to_vec();
        steps[0].gate = gate(GateAt::After);
        let mut workflow = Workflow::new("p".into(), "P".into(), Format::Pipeline, steps);
        workflow.on_failure = OnFailure::SkipDependents;
        Pipeline::new(workflow, Default::default())
    };
    // Another stage that fails meanwhile is not what ended it.
    let mut run = gated().failing("x");
    assert!(run.end_one());
    run.answer("a", Answer::Reject, "not this way").expect("it waits");
    let mut run = run.run();
    assert_eq!(outcome(&run.state), "refused by Ann at a: not this way");
    assert_eq!(run.state.step_status(&"x".into()), StepStatus::Failed);
    run.reopen(&[("a", Choice::Retry), ("x", Choice::Retry)])
        .expect("it has ended");
    assert_eq!(outcome(&run.state), "none");
    assert!(run.state.rejections.is_empty());
    let before = run.state.refused_before().expect("Ann had rejected it");
    assert_eq!(before.opened.instance.step.as_str(), "a");
    let failing = gated().failing("a").run();
    assert_eq!(outcome(&failing.state), "CompletedWithFailures");
}

/// A step failed because a person refused in a run inside it.
fn refused_inside(instance: &Instance) -> StepResult {
    let mut inner = with_gate(GateAt::After, false);
    inner.answer(Answer::Reject, "never");
    let Some(Outcome::Refused(refused)) = inner.state.outcome() else {
        panic!("it was refused");
    };
    let inside = refused.inside(&"inner".into(), &"flow".into(), instance);
    StepResult {
        ended_inside: Some(Box::new(EndedInside::Refused(Box::new(inside)))),
        ..failed("Ada refused it")
    }
}

/// The same where a person ended that run.
fn aborted_inside() -> StepResult {
    let ended = EndedInside::Aborted {
        run: "inner".into(),
        by: "Ben".into(),
        reason: String::new(),
    };
    StepResult {
        ended_inside: Some(Box::new(ended)),
        ..failed("Ben aborted it")
    }
}

fn retrying() -> Limits {
    Limits {
        max_retries: 2,
        ..Limits::default()
    }
}

#[test]
fn what_a_person_ended_inside_is_not_tried_again() {
    let mut play = Play::start_with(workflow(steps(&["a", "b"])), retrying());
    let (instance, _) = play.running();
    play.finish(refused_inside(&instance));
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
    assert_eq!(outcome(&play.state), "refused by Ada at a: never");
    assert_eq!(
        (status(&play, "a"), status(&play, "b")),
        (StepStatus::Refused, StepStatus::NotStarted)
    );
    let mut play = Play::start_with(workflow(steps(&["a", "b"])), retrying());
    play.finish(aborted_inside());
    assert_eq!(outcome(&play.state), "Failed");
    // A runbook goes on where it says so of FAIL, which is no good end, and does not try again.
    let mut play = unpermitted(&["$1: FAIL CONTINUE", "$2"], &[]);
    let (instance, _) = play.running();
    play.finish(refused_inside(&instance));
    play.succeed();
    assert_eq!(outcome(&play.state), "refused by Ada at 1: never");
    let mut play = unpermitted(&["$1: FAIL RETRY 1 STOP", "$2"], &[]);
    let (instance, _) = play.running();
    play.finish(refused_inside(&instance));
    assert_eq!(outcome(&play.state), "refused by Ada at 1: never");
    let mut play = unpermitted(&["$1: FAIL RETRY 1 STOP", "$2"], &[]);
    play.finish(aborted_inside());
    assert_eq!(outcome(&play.state), "Failed");
    // What is written for when it is not tried again is done, as if it had been.
    for ended in [refused_inside(&instance), aborted_inside()] {
        let mut play = unpermitted(&["$1: FAIL RETRY 2 GOTO 3", "$2", "$3"], &[]);
        play.finish(ended);
        assert_eq!(play.running().0.step.as_str(), "3");
        let route = play.state.routes.last().expect("it went on");
        let untold = route.loop_count.is_none() && route.alternatives.is_empty();
        assert!(untold && play.state.frame.retries.is_empty(), "it was not tried again");
    }
}

/// The run around one that ended for another reason as well must not ask again for what was refused in it.
#[test]
fn a_refusal_stands_although_the_run_ended_for_another_reason() {
    let refusal = |state: &RunState| state.refusal().map(|refused| refused.decision.comment.clone());
    // A stage that was not permitted what it needs, and another one that failed.
    let mut run = Pipeline::new(pipeline("a x", OnFailure::SkipDependents), Limits::default()).failing("x");
    let instance = Instance {
        step: "a".into(),
        visit: 1,
        path: Vec::new(),
    };
    let mut result = refused_inside(&instance);
    if let Some(EndedInside::Refused(refused)) = result.ended_inside.as_deref_mut() {
        refused.opened.purpose = Purpose::Permission { needs: Vec::new() };
    }
    run.say(Intent::Finish {
        instance,
        attempt: 1,
        result: Arc::new(result),
    })
    .expect("it runs");
    let run = run.run();
    assert_eq!(outcome(&run.state), "CompletedWithFailures");
    assert_eq!(refusal(&run.state).as_deref(), Some("never"));
    // A runbook that goes on after it, and fails by itself.
    let mut play = unpermitted(&["$1: FAIL CONTINUE", "$2: FAIL STOP"], &[]);
    let (instance, _) = play.running();
    play.finish(refused_inside(&instance));
    assert_eq!(refusal(&play.state), None, "it has not ended");
    play.finish(failed("no paper"));
    assert_eq!(outcome(&play.state), "Failed");
    assert_eq!(refusal(&play.state).as_deref(), Some("never"));
    // What was done again since is no refusal any more.
    let mut play = unpermitted(&["$1: PASS GOTO 2; FAIL GOTO 1", "$2: FAIL STOP"], &[]);
    let (instance, _) = play.running();
    play.finish(refused_inside(&instance));
    play.succeed();
    play.finish(failed("no paper"));
    assert_eq!(refusal(&play.state), None);
    // In which run it was said is kept, however many lie around it.
    let Some(EndedInside::Refused(once)) = refused_inside(&instance).ended_inside.map(|ended| *ended) else {
        panic!("it was refused")
    };
    let mut play = Play::start_with(workflow(steps(&["a"])), Limits::default());
    let (instance, _) = play.running();
    play.finish(refused_inside(&instance));
    let refused = play.state.refusal().expect("it was refused");
    assert_eq!(refused.inside, Some(&once.run));
    assert_eq!(
        refused.inside(&"middle".into(), &"around".into(), &instance).run,
        once.run
    );
}

#[test]
fn a_rejection_inside_goes_the_way_that_the_step_has_for_one() {
    let mut flow = steps(&["draft", "approve", "publish", "told"]);
    flow[1].gate = gate(GateAt::After);
    flow[1].gate.as_mut().unwrap().on_reject = Some("draft".into());
    let mut play = Play::start(flow);
    play.succeed();
    let (instance, _) = play.running();
    play.finish(refused_inside(&instance));
    assert_eq!(status(&play, "draft"), StepStatus::Running);
    assert_eq!(outcome(&play.state), "none");
    // What is done again and goes well takes it back.
    play.succeed();
    play.succeed();
    assert!(play.state.rejections.is_empty());
}

#[test]
fn a_rejection_inside_a_stage_ends_the_pipeline_as_rejected() {
    let mut run = Pipeline::new(pipeline("a b<a", OnFailure::SkipDependents), retrying());
    let instance = Instance {
        step: "a".into(),
        visit: 1,
        path: Vec::new(),
    };
    let result = Arc::new(refused_inside(&instance));
    run.say(Intent::Finish {
        instance,
        attempt: 1,
        result,
    })
    .expect("it runs");
    assert_eq!(run.state.status, RunStatus::Ended(EndStatus::Failed));
    assert_eq!(outcome(&run.state), "refused by Ada at a: never");
    assert_eq!(run.state.step_status(&"a".into()), StepStatus::Refused);
}

/// build → test → ship | mend, by what the test reports.
fn graph(back: bool) -> Workflow {
    let mut flow = steps(&["build", "test", "ship", "mend"]);
    let when = |value: &str, to: &str, back| Guard {
        condition: Condition::Compare {
            field: "verdict".into(),
            operator: Operator::Equals,
            value: json!(value),
        },
        to: to.into(),
        back,
        most: model::routing::BACK_EDGE_BOUND,
    };
    let guards = if back {
        vec![when("bad", "build", true)]
    } else {
        vec![
            when("good", "ship", false),
            when("bad", "mend", false),
            when("odd", "build", true),
        ]
    };
    flow[1].routing = Routing::Guarded { guards, next: None };
    flow[2].routing = Routing::Terminal;
    workflow(flow)
}

fn tested(workflow: Workflow, verdict: &str) -> (Play, Vec<Event>) {
    let mut play = Play::start_with(workflow, Default::default());
    play.succeed();
    let events = play.finish(reported(json!({"verdict": verdict})));
    (play, events)
}

#[test]
fn where_no_way_is_found_a_person_is_asked_and_logs_of_before_stay_what_they_were() {
    let (play, events) = tested(graph(false), "unsure");
    assert_eq!(names(&events), ["end test#1.1 succeeded", "ask test round 1"]);
    // Versions before asked nobody: a log of theirs that was cut off goes on to the end that it had.
    let mut log = play.log.clone();
    let (at, _) = log.pop().unwrap();
    let left = play.state.visits().last().copied().unwrap();
    let step = play.workflow.step(&left.instance.step).unwrap();
    let route = engine::routing::route(step, &play.workflow, left.result().unwrap(), &Default::default());
    let route = engine::RouteDecision {
        from: left.instance.clone(),
        ..route
    };
    log.push((at, Event::Routed(std::sync::Arc::new(route))));
    let mut resumed = Play::cut_off(graph(false), &log);
    let events = resumed.send(Intent::Proceed).unwrap();
    assert_eq!(
        names(&events),
        ["completed stopped no way led on from “test”: none of its conditions held. 2 of 4 steps were not done"]
    );
    assert_eq!(outcome(&resumed.state), "Stopped");
}

#[test]
fn a_way_that_is_found_and_a_loop_that_ends_are_done() {
    let (mut play, _) = tested(graph(false), "good");
    play.succeed();
    assert_eq!(outcome(&play.state), "Done");
    // The only condition is that of the way back: nothing is left to be mended.
    let (play, _) = tested(graph(true), "good");
    assert_eq!(outcome(&play.state), "Done");
}

#[test]
fn the_contracts_have_a_run_that_could_not_go_on_as_failed() {
    assert_eq!(EndStatus::Stopped.in_contract(), EndStatus::Failed);
    for end in [
        EndStatus::Succeeded,
        EndStatus::Failed,
        EndStatus::Aborted,
        EndStatus::CompletedWithFailures,
    ] {
        assert_eq!(end.in_contract(), end);
    }
}

#[test]
fn a_gate_of_another_step_takes_nothing_back() {
    let mut flow = steps(&["first", "told", "second"]);
    flow[0].gate = gate(GateAt::After);
    flow[0].gate.as_mut().unwrap().on_reject = Some("told".into());
    flow[2].gate = gate(GateAt::After);
    let mut play = Play::start(flow);
    play.succeed();
    play.answer(Answer::Reject, "no");
    play.succeed();
    play.succeed();
    play.answer(Answer::Approve, "");
    assert_eq!(outcome(&play.state), "refused by Ada at first: no");
}
