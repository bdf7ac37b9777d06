//! StepSpec (seed 000; CONTRACTS "StepSpec"): the policy of gates, tools that ask, evidence that is promoted, runs that are taken up again.

use crate::play::{Play, created, failed, gate, made, names, steps};
use engine::{
    About, Answer, At, Came, Decision, Evidence, ExecutionStatus, GatePolicy, Intent, Level, Lifecycle, Limits,
    Purpose, RefusalCode, RunCreated, RunStatus, StepResult, StepStatus, ToolAsk, ToolRecord, ToolStatus,
    call_approval,
};
use model::{Format, Gate, GateAt, GateRequirement, Risk, Step, Workflow};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

fn stepspec(steps: Vec<Step>) -> Workflow {
    Workflow::new("prd".into(), "PRD".into(), Format::StepSpec, steps)
}

fn start(steps: Vec<Step>, policy: GatePolicy) -> Play {
    let mut play = Play::new(stepspec(steps));
    let created = RunCreated {
        format: Format::StepSpec,
        policy,
        ..created(Limits::default())
    };
    play.send(Intent::Create(Arc::new(created))).unwrap();
    play
}

fn optional(at: GateAt) -> Option<Gate> {
    gate(at).map(|gate| Gate {
        requirement: GateRequirement::Optional,
        ..gate
    })
}

fn asks(tool: &str) -> StepResult {
    let mut result = StepResult::new(ExecutionStatus::Blocked);
    result.lifecycle = Some(Box::new(Lifecycle {
        asks: Some(ToolAsk {
            gate: format!("tool:{tool}:a"),
            tool: tool.to_owned(),
            args: json!({"path": "x"}),
            risk: Risk::High,
            call: "1".into(),
            place: 0,
        }),
        ..Lifecycle::default()
    }));
    result
}

fn evidence(level: Level, asked: Level) -> StepResult {
    let mut result = made("7", &["docs/prd.md"]);
    let about = About {
        path: "docs/prd.md".to_owned(),
        digest: result.artifacts[0].digest.clone(),
    };
    result.lifecycle = Some(Box::new(Lifecycle {
        evidence: vec![Evidence {
            id: "ev:a:1".to_owned(),
            claim: "The requirements are complete.".to_owned(),
            level,
            source: "writer".to_owned(),
            date: "2026-01-01".to_owned(),
            valid_until: "2027-01-01".to_owned(),
            congruence: "CL2".to_owned(),
            reliability: 0.9,
            wlnk: 0.72,
            carrier_ref: "docs/prd.md".to_owned(),
            artifacts: vec![about],
            notes: String::new(),
            asked: Some(asked),
        }],
        ..Lifecycle::default()
    }));
    result
}

#[test]
fn the_policy_stops_a_step_that_asks_for_nobody_itself() {
    let phased = |phase: &str| {
        let mut flow = steps(&["a", "b"]);
        flow[1].gate = optional(GateAt::Before);
        flow[1].phase = Some(phase.to_owned());
        let policy = GatePolicy {
            required_phases: vec!["Phase 3".to_owned()],
            ..GatePolicy::default()
        };
        let mut play = start(flow, policy);
        play.succeed();
        play
    };
    assert_eq!(phased("Phase 2").state.status, RunStatus::Running);
    let play = phased("Phase 3");
    assert_eq!(play.state.status, RunStatus::Blocked);
    assert_eq!(play.opened().why.as_str(), "policy required phase");
}

#[test]
fn a_tool_that_asks_is_called_in_the_next_attempt() {
    let mut play = start(steps(&["a", "b"]), GatePolicy::default());
    let events = play.finish(asks("nuke"));
    assert_eq!(names(&events), ["end a#1.1 blocked", "ask a round 1"]);
    let opened = play.opened();
    assert_eq!(
        (opened.gate.as_str(), opened.why.as_str()),
        ("tool:nuke:a", "approval required")
    );
    assert!(matches!(opened.purpose, Purpose::Tool { .. }));
    assert_eq!(play.state.step_status(&"a".into()), StepStatus::Blocked);
    assert_eq!(play.state.completed, 0);
    assert_eq!(
        play.refused(Intent::Answer(Arc::new(play.decision(Answer::Changes, "no")))),
        RefusalCode::AnswerNotOffered
    );
    let events = play.answer(Answer::Approve, "");
    assert_eq!(names(&events), ["answer approve", "start a#1.2"]);
    // The same visit may ask again, and is not counted as a failure.
    play.finish(asks("nuke"));
    assert_eq!(play.opened().round, 2);
    play.answer(Answer::Approve, "");
    assert_eq!(names(&play.succeed())[1], "route b linear_default");
}

fn again(max: u32) -> Option<model::Retries> {
    Some(model::Retries {
        max: Some(max),
        backoff_ms: 0,
    })
}

#[test]
fn whoever_is_asked_about_a_call_again_is_told_what_came_of_the_approval() {
    let mut flow = steps(&["a"]);
    flow[0].retries = again(3);
    let asked = "May “A” use the tool nuke?";
    let mut play = start(flow, GatePolicy::default());
    play.finish(asks("nuke"));
    assert_eq!(play.opened().question, asked);
    // Its driver dies in the middle of the call.
    play.answer(Answer::Approve, "");
    play.interrupt();
    play.retry();
    play.finish(asks("nuke"));
    let question = play.opened().question;
    assert!(
        question.contains("approved in round 1") && question.contains("may have been made already"),
        "{question}"
    );
    // Of what came of the call itself the reason is told.
    play.answer(Answer::Approve, "");
    let mut result = failed("no funds");
    result.lifecycle = Some(Box::new(Lifecycle {
        calls: vec![ToolRecord {
            name: "nuke".to_owned(),
            args: json!({"path": "x"}),
            required: true,
            risk: Risk::High,
            status: ToolStatus::Failed,
            error: "no funds".to_owned(),
            output: json!(null),
            gate: Some("tool:nuke:a".to_owned()),
            earlier: false,
            started_at: At(1),
            ended_at: At(2),
        }],
        ..Lifecycle::default()
    }));
    play.finish(result);
    play.retry();
    play.finish(asks("nuke"));
    let opened = play.opened();
    assert_eq!(opened.round, 3);
    assert!(
        opened
            .question
            .contains("under the approval of round 2 and has failed (no funds)"),
        "{}",
        opened.question
    );
}

fn nuke() -> model::ToolCall {
    model::ToolCall {
        name: "nuke".to_owned(),
        args: json!({"path": "x"}),
        required: true,
        risk: None,
        gate: None,
    }
}

fn answered() -> ToolRecord {
    ToolRecord {
        name: "nuke".to_owned(),
        args: json!({"path": "x"}),
        required: true,
        risk: Risk::High,
        status: ToolStatus::Completed,
        error: String::new(),
        output: json!("gone"),
        gate: Some("tool:nuke:a".to_owned()),
        earlier: false,
        started_at: At(1),
        ended_at: At(2),
    }
}

/// Why the last attempt of a step's first visit was cut off.
fn cut_off(play: &Play) -> String {
    let last = play.state.steps["a"].visits[0].attempts.last().expect("an attempt");
    last.interrupted.clone().expect("it was cut off")
}

/// A run in the middle of a call that was approved; `is_known`: what it came to has been recorded.
fn in_a_call(is_known: bool) -> Play {
    let mut flow = steps(&["a"]);
    flow[0].tools = vec![nuke()];
    let mut play = start(flow, GatePolicy::default());
    play.finish(asks("nuke"));
    play.answer(Answer::Approve, "");
    if is_known {
        let (instance, attempt) = play.running();
        let call = Arc::new(answered());
        let intent = Intent::Called {
            instance,
            attempt,
            call,
        };
        assert_eq!(names(&play.send(intent).unwrap()), ["called nuke"]);
    }
    play
}

#[test]
fn what_a_call_came_to_is_known_although_its_attempt_is_cut_off() {
    let mut play = in_a_call(true);
    let (instance, _) = play.running();
    play.interrupt();
    assert_eq!(cut_off(&play), "power cut");
    let last = play.state.steps["a"].visits[0].attempts.last().expect("an attempt");
    assert_eq!(last.calls(), [answered()]);
    // Its approval is used up, and nobody is asked whether it may be made again.
    play.retry();
    let approval = call_approval(&play.state, &instance, 3, |_| true).expect("it was approved");
    assert_eq!(approval.came, Came::Made(&answered()));
    // Nor does an attempt that ends before it comes to the call take that back.
    play.interrupt();
    let approval = call_approval(&play.state, &instance, 4, |_| true).expect("it was approved");
    assert_eq!(approval.came, Came::Made(&answered()));
    // Of an attempt that ends by itself its result says it.
    let mut play = in_a_call(true);
    let mut result = failed("no funds");
    result.lifecycle = Some(Box::new(Lifecycle {
        calls: vec![answered()],
        ..Lifecycle::default()
    }));
    play.finish(result);
    let last = play.state.steps["a"].visits[0].attempts.last().expect("an attempt");
    assert_eq!((last.calls().len(), &last.so_far), (1, &None));
}

#[test]
fn a_call_that_may_have_been_made_is_named_where_its_attempt_is_cut_off() {
    let mut play = in_a_call(false);
    play.interrupt();
    let said = "power cut; whether its call of the tool nuke was made is not known";
    assert_eq!(cut_off(&play), said);
}

#[test]
fn behind_a_required_call_that_failed_none_may_have_been_made() {
    let mut flow = steps(&["a"]);
    flow[0].tools = vec![nuke(), nuke()];
    for (required, says) in [
        (true, "power cut"),
        (
            false,
            "power cut; whether its call of the tool nuke was made is not known",
        ),
    ] {
        let mut play = start(flow.clone(), GatePolicy::default());
        let (instance, attempt) = play.running();
        let call = Arc::new(ToolRecord {
            required,
            status: ToolStatus::Failed,
            ..answered()
        });
        play.send(Intent::Called {
            instance,
            attempt,
            call,
        })
        .unwrap();
        play.interrupt();
        assert_eq!(cut_off(&play), says);
    }
}

#[test]
fn a_run_that_is_taken_up_again_asks_about_a_call_with_what_came_of_it() {
    for (is_known, says) in [
        (
            true,
            "It was made already, under the approval of round 1, and has answered.",
        ),
        (false, "the call may have been made already."),
    ] {
        let mut play = in_a_call(is_known);
        let by = "Ada".to_owned();
        play.send(Intent::Abort {
            by: by.clone(),
            reason: String::new(),
            given: None,
        })
        .unwrap();
        play.send(Intent::Reopen {
            by,
            choices: BTreeMap::new(),
        })
        .unwrap();
        play.finish(asks("nuke"));
        let question = play.opened().question;
        assert!(question.ends_with(says), "{question}");
    }
}

#[test]
fn of_several_calls_of_a_tool_it_is_said_which_one_is_asked_about() {
    let mut flow = steps(&["a"]);
    flow[0].tools = vec![nuke(), nuke()];
    let mut play = start(flow, GatePolicy::default());
    for place in [0, 1] {
        let mut result = asks("nuke");
        let ask = result.lifecycle.as_mut().and_then(|held| held.asks.as_mut());
        ask.expect("it asks").place = place;
        play.finish(result);
        let opened = play.opened();
        let which = format!("This is call {} of 2 of it.", place + 1);
        assert!(opened.question.ends_with(&which), "{}", opened.question);
        play.answer(Answer::Approve, "");
    }
}

#[test]
fn a_permission_says_how_often_it_may_be_used() {
    for (retries, asked) in [
        (again(0), "May “A” do this?"),
        (
            again(2),
            "May “A” do this? Where it fails it is tried again, up to 3 times in all.",
        ),
    ] {
        let mut flow = steps(&["a"]);
        flow[0].retries = retries;
        let mut play = Play::new(stepspec(flow));
        let created = RunCreated {
            format: Format::StepSpec,
            permissions: BTreeMap::from([("a".into(), vec!["run `make`".to_owned()])]),
            ..created(Limits::default())
        };
        play.send(Intent::Create(Arc::new(created))).unwrap();
        assert_eq!(play.opened().question, asked);
        play.answer(Answer::Approve, "");
        assert_eq!(play.state.status, RunStatus::Running);
    }
}

#[test]
fn a_tool_that_is_refused_ends_the_run() {
    let mut play = start(steps(&["a"]), GatePolicy::default());
    play.finish(asks("nuke"));
    let events = play.answer(Answer::Reject, "too dangerous");
    assert_eq!(names(&events)[1], "completed failed rejected by ada: too dangerous");
    assert_eq!(play.state.step_status(&"a".into()), StepStatus::Refused);
}

#[test]
fn a_paused_run_calls_no_tool() {
    let mut play = start(steps(&["a"]), GatePolicy::default());
    play.finish(asks("nuke"));
    play.send(Intent::Pause {
        by: "Ada".into(),
        given: None,
    })
    .unwrap();
    assert_eq!(names(&play.answer(Answer::Approve, "")), ["answer approve"]);
    play.send(Intent::Resume {
        by: "Ada".into(),
        given: None,
    })
    .unwrap();
    let instance = play.state.visits()[0].instance.clone();
    assert_eq!(names(&play.send(Intent::Retry { instance }).unwrap()), ["start a#1.2"]);
}

#[test]
fn an_approval_corroborates_what_it_saw() {
    let mut flow = steps(&["a", "b"]);
    flow[0].gate = gate(GateAt::After);
    for (level, asked, after) in [
        (Level::L1, Level::L2, Level::L2),
        (Level::L0, Level::L2, Level::L1),
        (Level::L1, Level::L1, Level::L1),
    ] {
        let mut play = start(flow.clone(), GatePolicy::default());
        play.finish(evidence(level, asked));
        play.answer(Answer::Approve, "read it");
        let held = &play.state.evidence[0];
        assert_eq!(held.record.level, after);
        assert_eq!(held.promotions.len(), usize::from(after != level));
    }
    // Nobody has looked where `--yes` approves: that confirms nothing.
    let mut play = start(flow.clone(), GatePolicy::default());
    play.finish(evidence(Level::L1, Level::L2));
    let unseen = Decision {
        via: Decision::YES.into(),
        ..play.decision(Answer::Approve, "approved by --yes")
    };
    play.send(Intent::Answer(Arc::new(unseen))).unwrap();
    let held = &play.state.evidence[0];
    assert_eq!((held.record.level, held.promotions.len()), (Level::L1, 0));
    // Sent back, it is recorded anew, and the old record counts no more.
    let mut play = start(flow, GatePolicy::default());
    play.finish(evidence(Level::L1, Level::L2));
    play.answer(Answer::Changes, "name the owner");
    play.finish(evidence(Level::L1, Level::L2));
    let superseded: Vec<bool> = play.state.evidence.iter().map(|held| held.superseded).collect();
    assert_eq!(superseded, [true, false]);
}

#[test]
fn a_person_promotes_one_level_at_a_time_also_after_the_end() {
    let mut play = start(steps(&["a"]), GatePolicy::default());
    play.finish(evidence(Level::L0, Level::L1));
    assert!(play.state.status.ended());
    let promote = |evidence: &str, to: &str, reason: &str| Intent::Promote {
        by: "Ada".into(),
        evidence: evidence.into(),
        to: to.into(),
        reason: reason.into(),
        signature: None,
    };
    assert_eq!(
        play.refused(promote("ev:a:1", "L2", "sure")),
        RefusalCode::CannotPromote
    );
    assert_eq!(play.refused(promote("ev:x", "L1", "sure")), RefusalCode::CannotPromote);
    assert_eq!(play.refused(promote("ev:a:1", "L1", " ")), RefusalCode::CommentRequired);
    play.send(promote("ev:a:1", "L1", "read every line")).unwrap();
    play.send(promote("ev:a:1", "L2", "the pilot confirms it")).unwrap();
    assert_eq!(play.state.evidence[0].record.level, Level::L2);
    assert!(play.state.status.ended());
}

#[test]
fn a_failed_run_goes_on_where_it_failed() {
    let mut play = start(steps(&["a", "b", "c"]), GatePolicy::default());
    let reopen = |choices| Intent::Reopen {
        by: "Ada".into(),
        choices,
    };
    assert_eq!(play.refused(reopen(BTreeMap::new())), RefusalCode::CannotReopen);
    play.succeed();
    play.finish(failed("broken"));
    assert!(play.state.status.ended());
    let skip = BTreeMap::from([("b".into(), engine::Choice::Skip)]);
    assert_eq!(play.refused(reopen(skip)), RefusalCode::ChoiceNeeded);
    let events = play.send(reopen(BTreeMap::new())).unwrap();
    assert_eq!(
        names(&events),
        ["reopened by ada".replace("ada", "Ada").as_str(), "start b#2.1"]
    );
    play.succeed();
    play.succeed();
    assert!(play.state.status.ended() && play.state.error.is_none());
    assert_eq!(play.refused(reopen(BTreeMap::new())), RefusalCode::CannotReopen);
    let visits: Vec<usize> = ["a", "b", "c"]
        .iter()
        .map(|s| play.state.steps[&model::StepId::from(*s)].visits.len())
        .collect();
    assert_eq!(visits, [1, 2, 1]);
}

#[test]
fn a_person_takes_it_up_at_a_completed_step_and_what_is_behind_it_runs_too() {
    let mut play = start(steps(&["a", "b", "c", "d"]), GatePolicy::default());
    let at = |step: &str| Intent::Reopen {
        by: "Ada".into(),
        choices: BTreeMap::from([(step.into(), engine::Choice::Retry)]),
    };
    play.succeed();
    play.succeed();
    play.finish(failed("broken"));
    // Not yet reached, and not there at all.
    for step in ["d", "x"] {
        assert_eq!(play.refused(at(step)), RefusalCode::CannotReopen, "{step}");
    }
    let events = play.send(at("b")).unwrap();
    assert_eq!(names(&events)[1], "start b#2.1");
    for _ in 0..3 {
        play.succeed();
    }
    assert!(play.state.status.ended() && play.state.error.is_none());
    let visits: Vec<usize> = ["a", "b", "c", "d"]
        .iter()
        .map(|s| play.state.steps[&model::StepId::from(*s)].visits.len())
        .collect();
    assert_eq!(visits, [1, 2, 2, 1]);
}

#[test]
fn a_rejected_step_is_not_completed_and_what_is_completed_is_passed_by() {
    let mut flow = steps(&["a", "b", "c"]);
    flow[2].gate = gate(GateAt::After);
    let mut play = start(flow, GatePolicy::default());
    play.succeed();
    play.succeed();
    play.succeed();
    play.answer(Answer::Reject, "not like this");
    let reopen = Intent::Reopen {
        by: "Ada".into(),
        choices: BTreeMap::new(),
    };
    let events = play.send(reopen).unwrap();
    assert_eq!(names(&events)[1], "start c#2.1");
    play.succeed();
    play.answer(Answer::Approve, "");
    assert!(play.state.status.ended() && play.state.error.is_none());
}
