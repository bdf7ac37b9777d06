//! Quality standards (seed 003 `quality_standards`): what is below them fails, is asked about, or is only said.

use crate::play::{Play, critic_flow, failed, gate, names, reported, standards, steps, workflow};
use crate::runbook::runbook;
use crate::stages::pipeline;
use engine::{
    Answer, EndStatus, Event, ExecutionStatus, GateReason, Intent, Lifecycle, Limits, Outcome, RefusalCode, RunCreated,
    RunStatus, StepResult, ToolAsk,
};
use model::{Branch, Format, GateAt, OnFailure, Risk, Routing, Workflow};
use serde_json::json;
use std::sync::Arc;

/// Wants a test coverage of at least 80 %.
fn wanting(below: &str, workflow: Workflow, limits: Limits) -> Play {
    let mut play = Play::new(workflow);
    let created = RunCreated {
        format: play.workflow.format,
        global_context: standards(80, below),
        ..crate::play::created(limits)
    };
    play.send(Intent::Create(Arc::new(created))).unwrap();
    play
}

fn covered(per_cent: u32) -> StepResult {
    reported(json!({"test_coverage": per_cent}))
}

#[test]
fn a_result_below_a_standard_waits_for_a_person_who_says_why_it_goes_on() {
    let mut play = wanting("ask", workflow(steps(&["build", "publish"])), Limits::default());
    play.finish(covered(71));
    let opened = play.opened();
    assert_eq!(
        (opened.gate.as_str(), &opened.why, opened.at),
        ("flow:build:quality", &GateReason::BelowStandard, GateAt::After)
    );
    assert_eq!(
        opened.question,
        "Of “Build”, test coverage is 71 %, and at least 80 % is wanted. Shall it go on all the same?"
    );
    assert_eq!(
        (opened.approve_to, opened.changes_to, opened.reject_to),
        (Some("publish".into()), Some("build".into()), None)
    );
    let silent = Intent::Answer(Arc::new(play.decision(Answer::Approve, " ")));
    assert_eq!(play.refused(silent), RefusalCode::CommentRequired);
    assert_eq!(
        names(&play.answer(Answer::Approve, "The rest is generated code.")),
        ["answer approve", "route publish linear_default", "start publish#1.1"]
    );
    play.finish(covered(80));
    assert_eq!(
        play.state.status,
        RunStatus::Ended(EndStatus::Succeeded),
        "as much as is wanted is enough"
    );
}

#[test]
fn a_tool_call_that_is_approved_at_a_gate_of_this_name_lets_no_result_pass() {
    let mut play = wanting("ask", workflow(steps(&["build", "publish"])), Limits::default());
    let mut asks = StepResult::new(ExecutionStatus::Blocked);
    asks.lifecycle = Some(Box::new(Lifecycle {
        asks: Some(ToolAsk {
            gate: "flow:build:quality".to_owned(),
            tool: "nuke".to_owned(),
            args: json!({}),
            risk: Risk::High,
            call: "1".into(),
            place: 0,
        }),
        ..Lifecycle::default()
    }));
    play.finish(asks);
    play.answer(Answer::Approve, "call it");
    play.finish(covered(10));
    let opened = play.opened();
    assert_eq!((opened.round, &opened.why), (2, &GateReason::BelowStandard));
}

#[test]
fn changes_and_rejection_lead_where_they_do_at_any_gate() {
    let mut play = wanting("ask", workflow(steps(&["build", "publish"])), Limits::default());
    play.finish(covered(10));
    play.answer(Answer::Changes, "test more");
    assert_eq!(play.comments_of_running(), ["test more"]);
    play.finish(covered(20));
    assert_eq!(play.opened().round, 2);
    play.answer(Answer::Reject, "no");
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
}

#[test]
fn a_step_s_own_gate_is_asked_once_and_an_approval_says_why() {
    let mut flow = steps(&["build", "publish"]);
    flow[0].gate = gate(GateAt::After);
    let mut play = wanting("ask", workflow(flow), Limits::default());
    play.finish(covered(71));
    let opened = play.opened();
    assert_eq!((opened.gate.as_str(), opened.below.len()), ("flow:build:hitl", 1));
    assert_eq!(opened.why, GateReason::Explicit);
    let silent = Intent::Answer(Arc::new(play.decision(Answer::Approve, "")));
    assert_eq!(play.refused(silent), RefusalCode::CommentRequired);
    play.answer(Answer::Approve, "for now");
    assert_eq!(play.visited(), ["build#1", "publish#1"]);
}

#[test]
fn a_gate_before_the_work_says_nothing_of_what_the_work_comes_to() {
    let mut flow = steps(&["build", "publish"]);
    flow[0].gate = gate(GateAt::Before);
    let mut play = wanting("ask", workflow(flow), Limits::default());
    play.answer(Answer::Approve, "");
    play.finish(covered(71));
    assert_eq!(play.opened().gate.as_str(), "flow:build:quality");
}

#[test]
fn nobody_is_asked_where_it_is_only_said_or_where_no_gate_stops_a_run() {
    let mut play = wanting("warn", workflow(steps(&["build", "publish"])), Limits::default());
    play.finish(covered(71));
    assert_eq!(play.visited(), ["build#1", "publish#1"]);
    let mut play = Play::new(workflow(steps(&["build", "publish"])));
    let mut created = crate::play::created(Limits::default());
    created.global_context = standards(80, "ask");
    created.policy.mode = Some("autonomous".to_owned());
    play.send(Intent::Create(Arc::new(created))).unwrap();
    play.finish(covered(71));
    assert_eq!(play.visited(), ["build#1", "publish#1"]);
}

#[test]
fn what_fails_below_a_standard_is_tried_again_and_told_why() {
    let limits = Limits {
        max_retries: 1,
        ..Limits::default()
    };
    let mut play = wanting("fail", workflow(steps(&["build", "publish"])), limits);
    let ended = play.finish(covered(71));
    let Event::AttemptEnded { result, retry_at, .. } = &ended[0] else {
        panic!("{ended:?}")
    };
    assert!(retry_at.is_some());
    assert_eq!(
        (
            result.status,
            result.error.as_deref(),
            result.report["test_coverage"].clone()
        ),
        (
            ExecutionStatus::Failed,
            Some("Below the project's standard: test coverage is 71 %, and at least 80 % is wanted"),
            json!(71)
        )
    );
    let (instance, _) = (play.state.visits()[0].instance.clone(), ());
    play.send(Intent::Retry { instance }).unwrap();
    play.finish(covered(72));
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
    assert!(play.state.error.as_deref().unwrap().contains("72 %"));
}

#[test]
fn while_a_loop_turns_by_itself_nobody_is_asked() {
    let mut play = wanting("ask", workflow(critic_flow(2)), Limits::default());
    play.succeed();
    let mut verdict =
        reported(json!({"status": "UNVERIFIED", "can_further_iteration_help": "YES", "test_coverage": 10}));
    verdict.receipt_readable = true;
    let looped = names(&play.finish(verdict));
    assert!(looped.iter().any(|name| name.starts_with("route author")), "{looped:?}");
}

#[test]
fn a_failure_is_judged_as_a_failure() {
    let mut play = wanting("ask", workflow(steps(&["build", "publish"])), Limits::default());
    let mut result = failed("broken");
    result.report.insert("test_coverage".to_owned(), json!(1));
    play.finish(result);
    assert_eq!(play.state.error.as_deref(), Some("broken"));
}

#[test]
fn saying_that_there_was_nothing_to_do_passes_no_standard() {
    let mut play = wanting("ask", workflow(steps(&["build", "publish"])), Limits::default());
    play.finish(StepResult {
        status: ExecutionStatus::Skipped,
        ..covered(71)
    });
    assert_eq!(play.opened().gate.as_str(), "flow:build:quality");
}

#[test]
fn a_runbook_asks_before_it_goes_on_and_fails_by_its_own_transitions() {
    let mut play = wanting("ask", runbook(&["$1: PASS GOTO 3", "$2", "$3"]), Limits::default());
    play.finish(covered(71));
    let opened = play.opened();
    assert_eq!((opened.approve_to, opened.changes_to), (Some("3".into()), None));
    let changes = Intent::Answer(Arc::new(play.decision(Answer::Changes, "more")));
    assert_eq!(play.refused(changes), RefusalCode::NothingToRepeat);
    play.answer(Answer::Approve, "enough");
    assert_eq!(play.visited(), ["1#1", "3#1"]);
    let mut play = wanting("fail", runbook(&["$1: FAIL GOTO 3", "$2", "$3"]), Limits::default());
    play.finish(covered(71));
    assert_eq!(play.visited(), ["1#1", "3#1"]);
}

#[test]
fn a_stage_of_a_pipeline_waits_and_what_depends_on_it_with_it() {
    let stages = pipeline("a| b|<a c|", OnFailure::Halt);
    let mut play = Play::new(stages);
    play.thorough = false;
    let created = RunCreated {
        format: Format::Pipeline,
        global_context: standards(80, "ask"),
        limits: Limits {
            parallel: 4,
            ..Limits::default()
        },
        ..crate::play::created(Limits::default())
    };
    let at = |play: &mut Play, intent: Intent| {
        play.now.0 += 1;
        let command = engine::Command { at: play.now, intent };
        play.state = engine::decide(&play.workflow, &play.state, &command).unwrap().state;
    };
    at(&mut play, Intent::Create(Arc::new(created)));
    let done = |step: &str, result: StepResult| Intent::Finish {
        instance: engine::Instance {
            step: step.into(),
            visit: 1,
            path: Vec::new(),
        },
        attempt: 1,
        result: Arc::new(result),
    };
    at(&mut play, done("a", covered(71)));
    assert_eq!(play.opened().gate.as_str(), "p:a:quality");
    assert_eq!(play.opened().changes_to, Some("a".into()));
    at(&mut play, done("c", covered(90)));
    assert_eq!(play.visited(), ["a#1", "c#1"]);
    let yes = Intent::Answer(Arc::new(play.decision(Answer::Approve, "enough")));
    at(&mut play, yes);
    assert_eq!(play.visited(), ["a#1", "c#1", "b#1"]);
}

/// Two agents of one step, who report this.
fn by_two(one: serde_json::Value, other: serde_json::Value) -> StepResult {
    let mut result = reported(json!({}));
    for (agent, said) in [("a", one), ("b", other)] {
        let own = reported(said);
        // As one, of a field that both report the last one's counts.
        result.report.extend(own.report.clone());
        result.agents.push(engine::AgentResult {
            agent: agent.into(),
            started_at: engine::At(0),
            ended_at: engine::At(1),
            result: own,
        });
    }
    result
}

#[test]
fn each_of_several_agents_is_held_to_the_standards() {
    for (one, other, said) in [
        (json!(60), json!(95), "60 %"),
        (json!(95), json!(60), "60 %"),
        (json!("none"), json!(95), "“none”, which is no number from 0 to 100"),
    ] {
        let mut play = wanting("ask", workflow(steps(&["build", "publish"])), Limits::default());
        play.finish(by_two(json!({"test_coverage": one}), json!({"test_coverage": other})));
        let opened = play.opened();
        assert_eq!(opened.gate.as_str(), "flow:build:quality");
        assert_eq!(opened.below[0].said(), said);
    }
    let mut play = wanting("ask", workflow(steps(&["build", "publish"])), Limits::default());
    play.finish(by_two(json!({"test_coverage": 80}), json!({})));
    assert_eq!(play.visited(), ["build#1", "publish#1"]);
}

/// A waiver is about a standard: what somebody refused at a gate stays refused, whatever they let pass elsewhere.
#[test]
fn a_waiver_takes_no_rejection_back() {
    let mut flow = steps(&["draft", "check", "send"]);
    flow[0].routing = Routing::Branch(Branch {
        field: Some("status".into()),
        branches: [("URGENT".to_owned(), "send".into())].into(),
        next: Some("check".into()),
    });
    flow[1].gate = gate(GateAt::After);
    flow[1].gate.as_mut().unwrap().on_reject = Some("draft".into());
    let mut play = wanting("ask", workflow(flow), Limits::default());
    play.succeed();
    play.succeed();
    play.answer(Answer::Reject, "write it anew");
    play.finish(reported(json!({"status": "URGENT"})));
    play.finish(covered(71));
    assert_eq!(play.opened().why, GateReason::BelowStandard);
    play.answer(Answer::Approve, "The rest is generated code.");
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
    assert!(matches!(play.state.outcome(), Some(Outcome::Refused(_))));
}
