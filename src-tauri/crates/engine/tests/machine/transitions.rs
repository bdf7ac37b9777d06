//! Every place the token can be in, against every intent: accepted with these events, or refused with this code.

use crate::grammar::check_grammar;
use crate::play::{Play, failed, gate, names, steps, workflow};
use engine::{Answer, Cursor, Decision, Due, Event, ExecutionStatus, Instance, Intent, Limits, StepResult, decide};
use model::{GateAt, Retries};
use std::collections::BTreeSet;
use std::sync::Arc;

fn flow() -> Vec<model::Step> {
    let mut flow = steps(&["a", "b"]);
    flow[0].retries = Some(Retries {
        max: Some(1),
        backoff_ms: 0,
    });
    flow[1].gate = gate(GateAt::After);
    flow
}

/// A run in each place, by name. Places inside a commit are reached by cutting the log there.
fn places() -> Vec<(String, Play)> {
    let running = || Play::start(flow());
    let before_gate = || {
        let mut play = running();
        play.succeed();
        play
    };
    let retrying = || {
        let mut play = running();
        play.finish(failed("x"));
        play
    };
    let at_gate = || {
        let mut play = before_gate();
        play.succeed();
        play
    };
    let ready = || {
        let mut play = running();
        play.pause();
        play.succeed();
        play
    };
    let paused = |mut play: Play| {
        play.pause();
        play
    };
    let mut places = vec![
        ("new".to_owned(), Play::new(workflow(flow()))),
        ("running".to_owned(), running()),
        ("running, a gate ahead".to_owned(), before_gate()),
        ("running, paused".to_owned(), paused(running())),
        ("retrying".to_owned(), retrying()),
        ("retrying, paused".to_owned(), paused(retrying())),
        ("at gate".to_owned(), at_gate()),
        ("at gate, paused".to_owned(), paused(at_gate())),
        ("ready, paused".to_owned(), ready()),
    ];
    let mut approved = at_gate();
    approved.answer(Answer::Approve, "");
    let mut aborted = running();
    aborted
        .send(Intent::Abort {
            by: "Ada".into(),
            reason: String::new(),
            given: None,
        })
        .unwrap();
    let mut seen = BTreeSet::new();
    for log in [&approved.log, &aborted.log] {
        for end in 1..log.len() {
            let play = Play::cut_off(workflow(flow()), &log[..end]);
            let name = match &play.state.cursor {
                Cursor::Between(Due::Start) => "cut off: start",
                Cursor::Between(Due::Entry) => "cut off: entry",
                Cursor::Between(Due::Leave { .. }) => "cut off: leave",
                Cursor::Between(Due::Answered { .. }) => "cut off: answered",
                Cursor::Between(Due::Complete { .. }) => "cut off: complete",
                Cursor::Between(Due::Abort { .. }) => "cut off: abort",
                Cursor::Ready { .. } => "cut off: ready",
                Cursor::Nowhere
                | Cursor::Running { .. }
                | Cursor::Retrying { .. }
                | Cursor::Choosing { .. }
                | Cursor::AtGate { .. }
                | Cursor::AtJoin { .. }
                | Cursor::Between(Due::EndBranch { .. } | Due::CutOff { .. } | Due::Joined { .. }) => continue,
            };
            if seen.insert(name) {
                places.push((name.to_owned(), play));
            }
        }
    }
    places.push(("ended".to_owned(), approved));
    places
}

fn intents(play: &Play) -> Vec<(&'static str, Intent)> {
    let (instance, attempt) = match &play.state.cursor {
        Cursor::Running { instance, attempt } | Cursor::Retrying { instance, attempt, .. } => {
            (instance.clone(), *attempt)
        }
        _ => (
            Instance {
                step: "a".into(),
                visit: 1,
                path: vec![],
            },
            1,
        ),
    };
    let decision = Decision {
        gate: "flow:b:hitl".into(),
        round: 1,
        answer: Answer::Approve,
        by: "Ada".into(),
        comment: String::new(),
        seen: vec![],
        undrawn: Vec::new(),
        via: String::new(),
        lasting: None,
        way: None,
        report: Default::default(),
        key_name: None,
        signature: None,
    };
    let result = Arc::new(StepResult::new(ExecutionStatus::Succeeded));
    let (stream, text) = ("stdout".into(), "hello".into());
    vec![
        (
            "create",
            Intent::Create(Arc::new(crate::play::created(Limits::default()))),
        ),
        (
            "output",
            Intent::Output {
                instance: instance.clone(),
                attempt,
                stream,
                text,
            },
        ),
        (
            "finish",
            Intent::Finish {
                instance: instance.clone(),
                attempt,
                result,
            },
        ),
        (
            "interrupt",
            Intent::Interrupt {
                instance: instance.clone(),
                attempt,
                reason: String::new(),
                let_go: false,
                seen: None,
            },
        ),
        ("retry", Intent::Retry { instance }),
        ("proceed", Intent::Proceed),
        ("answer", Intent::Answer(Arc::new(decision))),
        (
            "pause",
            Intent::Pause {
                by: "Ada".into(),
                given: None,
            },
        ),
        (
            "resume",
            Intent::Resume {
                by: "Ada".into(),
                given: None,
            },
        ),
        (
            "abort",
            Intent::Abort {
                by: "Ada".into(),
                reason: String::new(),
                given: None,
            },
        ),
    ]
}

#[test]
fn every_place_against_every_intent() {
    let mut table = String::new();
    let mut reached: BTreeSet<&'static str> = BTreeSet::new();
    for (place, play) in places() {
        table.push_str(&format!("{place}\n"));
        for (name, intent) in intents(&play) {
            let command = engine::Command { at: play.now, intent };
            let outcome = match decide(&play.workflow, &play.state, &command) {
                Ok(engine::Decided { events, .. }) => {
                    reached.extend(events.iter().map(kind));
                    let log = events.iter().map(|e| (play.now, e.clone()));
                    check_grammar(&play.log.iter().cloned().chain(log).collect::<Vec<_>>());
                    names(&events).join(", ")
                }
                Err(refusal) => format!("({})", serde_json::to_value(refusal.code).unwrap().as_str().unwrap()),
            };
            table.push_str(&format!("  {name:<10} {outcome}\n"));
        }
    }
    assert_eq!(
        reached.len(),
        KINDS,
        "every kind of event is made by some transition: {reached:?}"
    );
    insta::assert_snapshot!(table, @r"
    new
      create     created, started, start a#1.1
      output     (not_created)
      finish     (not_created)
      interrupt  (not_created)
      retry      (not_created)
      proceed    (not_created)
      answer     (not_created)
      pause      (not_created)
      resume     (not_created)
      abort      (not_created)
    running
      create     (already_created)
      output     output
      finish     end a#1.1 succeeded, route b linear_default, start b#1.1
      interrupt  cut a#1.1 again
      retry      (stale_attempt)
      proceed    (nothing_due)
      answer     (gate_not_open)
      pause      paused
      resume     (not_paused)
      abort      aborted, cut a#1.1, completed aborted aborted by ada
    running, a gate ahead
      create     (already_created)
      output     output
      finish     end b#1.1 succeeded, ask b round 1
      interrupt  cut b#1.1 again
      retry      (stale_attempt)
      proceed    (nothing_due)
      answer     (gate_not_open)
      pause      paused
      resume     (not_paused)
      abort      aborted, cut b#1.1, completed aborted aborted by ada
    running, paused
      create     (already_created)
      output     output
      finish     end a#1.1 succeeded, route b linear_default
      interrupt  cut a#1.1 again
      retry      (stale_attempt)
      proceed    (nothing_due)
      answer     (gate_not_open)
      pause      (already_paused)
      resume     resumed
      abort      aborted, cut a#1.1, completed aborted aborted by ada
    retrying
      create     (already_created)
      output     (stale_attempt)
      finish     (stale_attempt)
      interrupt  (stale_attempt)
      retry      start a#1.2
      proceed    (nothing_due)
      answer     (gate_not_open)
      pause      paused
      resume     (not_paused)
      abort      aborted, completed aborted aborted by ada
    retrying, paused
      create     (already_created)
      output     (stale_attempt)
      finish     (stale_attempt)
      interrupt  (stale_attempt)
      retry      (already_paused)
      proceed    (nothing_due)
      answer     (gate_not_open)
      pause      (already_paused)
      resume     resumed
      abort      aborted, completed aborted aborted by ada
    at gate
      create     (already_created)
      output     (stale_attempt)
      finish     (stale_attempt)
      interrupt  (stale_attempt)
      retry      (stale_attempt)
      proceed    (nothing_due)
      answer     answer approve, route - flow_complete_no_routing, completed succeeded -
      pause      paused
      resume     (not_paused)
      abort      aborted, completed aborted aborted by ada
    at gate, paused
      create     (already_created)
      output     (stale_attempt)
      finish     (stale_attempt)
      interrupt  (stale_attempt)
      retry      (stale_attempt)
      proceed    (nothing_due)
      answer     answer approve, route - flow_complete_no_routing, completed succeeded -
      pause      (already_paused)
      resume     resumed
      abort      aborted, completed aborted aborted by ada
    ready, paused
      create     (already_created)
      output     (stale_attempt)
      finish     (stale_attempt)
      interrupt  (stale_attempt)
      retry      (stale_attempt)
      proceed    (nothing_due)
      answer     (gate_not_open)
      pause      (already_paused)
      resume     resumed, start b#1.1
      abort      aborted, completed aborted aborted by ada
    cut off: start
      create     (already_created)
      output     (stale_attempt)
      finish     (stale_attempt)
      interrupt  (stale_attempt)
      retry      (stale_attempt)
      proceed    started, start a#1.1
      answer     (gate_not_open)
      pause      started, start a#1.1, paused
      resume     (not_paused)
      abort      started, start a#1.1, aborted, cut a#1.1, completed aborted aborted by ada
    cut off: entry
      create     (already_created)
      output     (stale_attempt)
      finish     (stale_attempt)
      interrupt  (stale_attempt)
      retry      (stale_attempt)
      proceed    start a#1.1
      answer     (gate_not_open)
      pause      start a#1.1, paused
      resume     (not_paused)
      abort      start a#1.1, aborted, cut a#1.1, completed aborted aborted by ada
    cut off: leave
      create     (already_created)
      output     (stale_attempt)
      finish     (stale_attempt)
      interrupt  (stale_attempt)
      retry      (stale_attempt)
      proceed    route b linear_default, start b#1.1
      answer     (gate_not_open)
      pause      route b linear_default, start b#1.1, paused
      resume     (not_paused)
      abort      route b linear_default, start b#1.1, aborted, cut b#1.1, completed aborted aborted by ada
    cut off: ready
      create     (already_created)
      output     (stale_attempt)
      finish     (stale_attempt)
      interrupt  (stale_attempt)
      retry      (stale_attempt)
      proceed    start b#1.1
      answer     (gate_not_open)
      pause      start b#1.1, paused
      resume     (not_paused)
      abort      start b#1.1, aborted, cut b#1.1, completed aborted aborted by ada
    cut off: answered
      create     (already_created)
      output     (stale_attempt)
      finish     (stale_attempt)
      interrupt  (stale_attempt)
      retry      (stale_attempt)
      proceed    route - flow_complete_no_routing, completed succeeded -
      answer     (already_answered)
      pause      (run_ended)
      resume     (run_ended)
      abort      (run_ended)
    cut off: complete
      create     (already_created)
      output     (stale_attempt)
      finish     (stale_attempt)
      interrupt  (stale_attempt)
      retry      (stale_attempt)
      proceed    completed succeeded -
      answer     (already_answered)
      pause      (run_ended)
      resume     (run_ended)
      abort      (run_ended)
    cut off: abort
      create     (already_created)
      output     (stale_attempt)
      finish     (stale_attempt)
      interrupt  (stale_attempt)
      retry      (stale_attempt)
      proceed    cut a#1.1, completed aborted aborted by ada
      answer     (run_ended)
      pause      (run_ended)
      resume     (run_ended)
      abort      (run_ended)
    ended
      create     (already_created)
      output     (run_ended)
      finish     (run_ended)
      interrupt  (run_ended)
      retry      (run_ended)
      proceed    (nothing_due)
      answer     (already_answered)
      pause      (run_ended)
      resume     (run_ended)
      abort      (run_ended)
    ");
}

const KINDS: usize = 13;

fn kind(event: &Event) -> &'static str {
    match event {
        Event::RunCreated(_) => "run_created",
        Event::RunStarted => "run_started",
        Event::AttemptStarted(_) => "attempt_started",
        Event::Output { .. } => "output",
        Event::ToolCalled { .. } => "tool_called",
        Event::AttemptEnded { .. } => "attempt_ended",
        Event::AttemptInterrupted { .. } => "attempt_interrupted",
        Event::NavigatorAsked(_) => "navigator_asked",
        Event::NavigatorAnswered { .. } => "navigator_answered",
        Event::Routed(_) => "routed",
        Event::FlowEnded(_) => "flow_ended",
        Event::FeedbackGiven(_) => "feedback_given",
        Event::FeedbackAcknowledged(_) => "feedback_acknowledged",
        Event::FeedbackResolved { .. } => "feedback_resolved",
        Event::SentBack(_) => "sent_back",
        Event::GateOpened(_) => "gate_opened",
        Event::GateAnswered(_) => "gate_answered",
        Event::EvidencePromoted(_) => "evidence_promoted",
        Event::Checkpointed(_) => "checkpointed",
        Event::AnotherLog(_) => "another_log",
        Event::TakenOver(_) => "taken_over",
        Event::Paused { .. } => "paused",
        Event::Queued { .. } => "queued",
        Event::Settled(_) => "settled",
        Event::Reopened { .. } => "reopened",
        Event::Resumed { .. } => "resumed",
        Event::TakenUp { .. } => "taken_up",
        Event::Aborted { .. } => "aborted",
        Event::Forked(_) => "forked",
        Event::BranchEnded(_) => "branch_ended",
        Event::Joined(_) => "joined",
        Event::RunCompleted(_) => "run_completed",
    }
}
