//! Several flows in one run: what follows each, however it ends.

use crate::play::{Play, failed, gate, names, reported, steps};
use engine::control::resume;
use engine::{
    Answer, Choice, Cursor, EndStatus, EndedInside, Event, ExecutionStatus, GatePolicy, GateRules, Instance, Intent,
    Limits, Outcome, Purpose, RefusalCode, RunStatus, StepResult,
};
use model::part::in_part;
use model::{Condition, Destination, Format, Gate, GateAt, GateRequirement, Onward, Operator, Part, Step, Workflow};
use serde_json::json;

fn onward(to: &str) -> Onward {
    let to = match to {
        "-" => Destination::End,
        "return" => Destination::Return,
        "pause" => Destination::Pause,
        key => Destination::Part(key.to_owned()),
    };
    Onward {
        to,
        ..Onward::default()
    }
}

/// Flows of two steps, `write` and `check`, each with what follows its end and its failure.
fn flows(list: &[(&str, &str, &str)]) -> Workflow {
    of(list, |_| {})
}

fn of(list: &[(&str, &str, &str)], change: impl Fn(&mut Step)) -> Workflow {
    let mut all = Vec::new();
    let mut parts = Vec::new();
    for (key, complete, failure) in list {
        let first = all.len();
        all.extend(steps(&["write", "check"]).into_iter().map(|mut step| {
            change(&mut step);
            in_part(step, key, parts.len() + 1, first)
        }));
        parts.push(Part {
            key: (*key).to_owned(),
            title: key.to_uppercase(),
            file: format!("{key}.yaml"),
            steps: first..all.len(),
            spec_generation: false,
            next_reported: true,
            escalation: Default::default(),
            utility: *complete == "return",
            on_complete: onward(complete),
            on_failure: onward(failure),
        });
    }
    Workflow::of_parts("flow".into(), "Flow".to_owned(), Format::Stepwise, all, parts)
}

fn start(workflow: Workflow) -> Play {
    let limits = Limits {
        max_retries: 0,
        ..Limits::default()
    };
    Play::start_with(workflow, limits)
}

#[test]
fn one_flow_follows_the_other_and_the_last_one_ends_the_run() {
    let mut play = start(flows(&[("plan", "build", "-"), ("build", "-", "-")]));
    play.succeed();
    assert_eq!(
        names(&play.succeed()),
        [
            "end plan/check#1.1 succeeded",
            "route - flow_complete_no_routing",
            "flow plan: build begins at build/write",
            "start build/write#1.1"
        ]
    );
    play.succeed();
    assert_eq!(
        names(&play.succeed()),
        [
            "end build/check#1.1 succeeded",
            "route - flow_complete_no_routing",
            "completed succeeded -"
        ]
    );
    assert_eq!(
        play.visited(),
        ["plan/write#1", "plan/check#1", "build/write#1", "build/check#1"]
    );
}

#[test]
fn a_failure_leads_where_the_flow_says_or_ends_the_run() {
    let mut play = start(flows(&[("build", "gate", "-"), ("gate", "-", "build")]));
    for _ in 0..3 {
        play.succeed();
    }
    assert_eq!(
        names(&play.finish(failed("licence missing"))),
        [
            "end gate/check#1.1 failed",
            "flow gate failed (licence missing): build begins at build/write",
            "start build/write#2.1"
        ]
    );
    assert_eq!(
        names(&play.finish(failed("no compiler"))),
        ["end build/write#2.1 failed", "completed failed no compiler"]
    );
}

#[test]
fn flows_that_lead_to_each_other_for_ever_are_stopped() {
    let mut play = start(flows(&[("build", "gate", "-"), ("gate", "build", "build")]));
    for _ in 0..200 {
        if play.state.status.ended() {
            break;
        }
        play.succeed();
    }
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
    assert_eq!(
        play.state.error.as_deref(),
        Some("Safety limit reached: 41 steps; the flows lead to each other: `build` → `gate` → `build`")
    );
}

#[test]
fn what_a_flow_demands_of_its_last_report_decides_whether_it_leads_on() {
    let mut workflow = flows(&[
        ("gate", "deploy", "build"),
        ("deploy", "-", "-"),
        ("build", "gate", "-"),
    ]);
    let mut parts = workflow.parts().to_vec();
    parts[0].on_complete.condition = Some(Condition::Compare {
        field: "decision".to_owned(),
        operator: Operator::Equals,
        value: json!("MERGE"),
    });
    let steps = workflow.steps().to_vec();
    workflow = Workflow::of_parts(
        "flow".into(),
        "Flow".to_owned(),
        Format::Stepwise,
        steps.clone(),
        parts.clone(),
    );
    let mut play = start(workflow);
    play.succeed();
    let events = play.finish(reported(json!({"decision": "BOUNCE"})));
    assert!(
        names(&events)
            .contains(&"flow gate (“decision is MERGE” does not hold): build begins at build/write".to_owned())
    );
    let ended = events.iter().find_map(|event| match event {
        Event::FlowEnded(ended) => Some(ended),
        _ => None,
    });
    assert_eq!(ended.expect("an end").looked_at["decision"], "BOUNCE");
    play.succeed();
    play.succeed();
    play.succeed();
    let events = play.finish(reported(json!({"decision": "MERGE"})));
    assert!(names(&events).contains(&"flow gate: deploy begins at deploy/write".to_owned()));

    // Where no way is written for that, the run says that it stops there.
    parts[0].on_failure = onward("-");
    let workflow = Workflow::of_parts("flow".into(), "Flow".to_owned(), Format::Stepwise, steps, parts);
    let mut play = start(workflow);
    play.succeed();
    play.finish(reported(json!({"decision": "BOUNCE"})));
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
    let error = play.state.error.clone().unwrap_or_default();
    assert!(error.contains("does not hold") && error.contains("GATE"), "{error}");
}

#[test]
fn a_utility_flow_leads_back_to_the_step_that_failed() {
    let mut play = start(flows(&[("build", "-", "reset"), ("reset", "return", "pause")]));
    play.succeed();
    play.finish(failed("diverged"));
    assert_eq!(play.running().0.step.as_str(), "reset/write");
    play.succeed();
    assert_eq!(
        names(&play.succeed()).last().map(String::as_str),
        Some("start build/check#2.1"),
        "the step that failed is done again, not those before it"
    );
    play.finish(failed("diverged again"));
    assert_eq!(
        names(&play.finish(failed("no network")))[1],
        "flow reset failed (no network): build waits at build/check"
    );
    assert_eq!(play.state.status, RunStatus::Paused);
    play.resume();
    assert_eq!(play.running().0.step.as_str(), "build/check");
    play.succeed();
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
}

/// A pause between two flows of the list: what follows it begins when a person lets the run go on.
#[test]
fn a_flow_of_the_list_that_pauses_goes_on_with_the_next_one() {
    let mut play = start(flows(&[
        ("plan", "pause", "-"),
        ("build", "pause", "-"),
        ("ship", "-", "-"),
    ]));
    for next in ["build", "ship"] {
        play.succeed();
        let events = names(&play.succeed());
        assert!(
            events
                .iter()
                .any(|event| event.ends_with(&format!("{next} waits at {next}/write"))),
            "{events:?}"
        );
        assert_eq!(play.state.status, RunStatus::Paused);
        play.resume();
        assert_eq!(play.running().0.step.to_string(), format!("{next}/write"));
    }
    play.succeed();
    play.succeed();
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
    // One that another flow led to goes on behind that one, and not once more.
    let mut play = start(flows(&[
        ("plan", "build", "-"),
        ("build", "pause", "-"),
        ("ship", "-", "-"),
    ]));
    (0..4).for_each(|_| drop(play.succeed()));
    assert_eq!(play.state.status, RunStatus::Paused);
    play.resume();
    assert_eq!(play.running().0.step.as_str(), "ship/write");
}

/// Behind the last flow nothing is left but the end, which waits for a person all the same.
#[test]
fn the_last_flow_that_pauses_ends_the_run_when_a_person_lets_it_go_on() {
    let waits = [("plan", "build", "-"), ("build", "pause", "-")];
    let mut play = start(flows(&waits));
    (0..3).for_each(|_| drop(play.succeed()));
    assert_eq!(
        names(&play.succeed()),
        [
            "end build/check#1.1 succeeded",
            "route - flow_complete_no_routing",
            "flow build: waits"
        ]
    );
    assert_eq!(play.state.status, RunStatus::Paused);
    assert!(
        engine::effects(&play.workflow, &play.state).is_empty(),
        "nothing is due"
    );
    // Cut off anywhere, it waits and ends the same way.
    let whole = play.log.clone();
    for kept in 1..=whole.len() {
        let mut play = Play::cut_off(flows(&waits), &whole[..kept]);
        while !play.state.status.ended() {
            match play.state.cursor {
                _ if play.state.status == RunStatus::Paused => play.resume(),
                Cursor::Running { .. } => drop(play.succeed()),
                _ => drop(play.send(Intent::Proceed).expect("what is due is done")),
            }
        }
        assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
        let waited = (play.visited().len(), play.state.flows.len());
        assert_eq!(waited, (4, 2), "cut off after {kept} events it waits once");
    }
    let resumed = play
        .send(Intent::Resume {
            by: "Ada".into(),
            given: None,
        })
        .expect("it is paused");
    assert_eq!(names(&resumed), ["resumed", "completed succeeded -"]);

    // Stopped meanwhile, it is taken up at its last step.
    let mut play = Play::cut_off(flows(&waits), &whole);
    play.send(Intent::Abort {
        by: "Ada".into(),
        reason: String::new(),
        given: None,
    })
    .expect("it goes on");
    let stood = play.state.stood.as_ref().expect("it stood somewhere");
    assert_eq!(stood.step.as_str(), "build/check");

    // One that another flow led to, behind which none is left in the list.
    let mut play = start(flows(&[("build", "tidy", "-"), ("tidy", "pause", "-")]));
    (0..4).for_each(|_| drop(play.succeed()));
    assert_eq!(play.state.status, RunStatus::Paused);
    play.resume();
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
}

/// What `return` leads to behind a flow that had come to its end is the next one in the list: that is not the one that failed.
#[test]
fn a_flow_that_fails_never_leads_back_into_itself() {
    let mut play = start(flows(&[("plan", "build", "-"), ("build", "-", "return")]));
    (0..2).for_each(|_| drop(play.succeed()));
    assert_eq!(
        names(&play.finish(failed("no compiler"))),
        ["end build/write#1.1 failed", "completed failed no compiler"]
    );
}

#[test]
fn a_refusal_is_the_end_whatever_a_flow_says_of_failures() {
    let ask = |step: &mut Step| {
        if step.id.as_str() == "check" {
            step.gate = gate(GateAt::After);
        }
    };
    let mut play = start(of(&[("build", "-", "build")], ask));
    play.succeed();
    play.succeed();
    play.answer(Answer::Reject, "not like this");
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
    assert_eq!(play.state.error.as_deref(), Some("Rejected by Ada: not like this"));
}

#[test]
fn a_report_names_the_next_step_by_its_own_files_id() {
    let mut play = start(flows(&[("plan", "build", "-"), ("build", "-", "-")]));
    play.succeed();
    play.finish(reported(json!({"next_step_id": "write"})));
    assert_eq!(play.running().0.step.as_str(), "plan/write");
}

/// `plan`, `build` and `send`, one after the other; the changed step is one of all of them.
fn listed(step: &str, change: impl Fn(&mut Step)) -> Workflow {
    let whole = flows(&[("plan", "build", "-"), ("build", "send", "-"), ("send", "-", "-")]);
    let mut steps = whole.steps().to_vec();
    change(steps.iter_mut().find(|one| one.id.as_str() == step).expect("a step"));
    Workflow::of_parts(
        "flow".into(),
        "Flow".to_owned(),
        Format::Stepwise,
        steps,
        whole.parts().to_vec(),
    )
}

#[test]
fn a_report_passes_no_gate_of_another_flow() {
    for at in [GateAt::Before, GateAt::After] {
        for (gated, named) in [
            ("build/write", "send/write"),
            ("build/write", "build/check"),
            ("plan/check", "send/write"),
        ] {
            let mut play = start(listed(gated, |step| step.gate = gate(at)));
            play.finish(reported(json!({"next_step_id": named})));
            assert_eq!(play.opened().why.as_str(), "named step lies behind a gate", "{named}");
        }
    }
    // To the gate itself nobody is asked, and behind it neither.
    let mut play = start(listed("build/write", |step| step.gate = gate(GateAt::Before)));
    play.finish(reported(json!({"next_step_id": "build/write"})));
    assert_eq!(play.opened().gate.as_str(), "flow:build/write:hitl");
    play.answer(Answer::Approve, "go on");
    play.finish(reported(json!({"next_step_id": "send/check"})));
    assert_eq!(play.running().0.step.as_str(), "send/check");
    play.finish(reported(json!({"next_step_id": "build/check"})));
    assert_eq!(play.running().0.step.as_str(), "build/check", "it was approved");
}

#[test]
fn a_word_of_high_risk_in_a_flow_s_own_id_counts_for_its_gates() {
    let optional = |at| {
        gate(at).map(|gate| Gate {
            requirement: GateRequirement::Optional,
            ..gate
        })
    };
    let policy = GatePolicy {
        high_risk_keywords: vec!["payment".to_owned()],
        ..GatePolicy::default()
    };
    let rules = GateRules {
        policy: &policy,
        ..GateRules::default()
    };
    let workflow = listed("build/write", |step| {
        step.gate = optional(GateAt::After);
        step.flow = Some("Payments-2".into());
    });
    let step = workflow.step(&"build/write".into()).expect("a step");
    let asked = |step: &Step| engine::gate::blocks(&workflow.id, step, GateAt::After, rules);
    assert_eq!(
        asked(step).map(|why| why.to_string()).as_deref(),
        Some("high-risk workflow")
    );
    let other = Step {
        flow: Some("build".into()),
        ..step.clone()
    };
    assert_eq!(asked(&other), None);
}

#[test]
fn what_a_rejection_leads_to_is_done_and_no_other_flow_begins() {
    let rejecting = |step: &mut Step| {
        step.gate = gate(GateAt::After);
        if let Some(gate) = &mut step.gate {
            gate.on_reject = Some("plan/check".into());
        }
    };
    let mut play = start(listed("plan/write", rejecting));
    play.succeed();
    play.answer(Answer::Reject, "not like this");
    assert_eq!(play.running().0.step.as_str(), "plan/check");
    play.succeed();
    assert_eq!(play.visited(), ["plan/write#1", "plan/check#1"]);
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
    assert!(matches!(play.state.outcome(), Some(Outcome::Refused(_))));
    let mut play = start(listed("plan/write", rejecting));
    play.succeed();
    play.answer(Answer::Approve, "fine");
    play.succeed();
    assert_eq!(play.running().0.step.as_str(), "build/write");
}

/// Work that was rejected is done again, and fails: the flow for that leads back to it, or the run has failed. Nothing begins that lies behind the
/// gate.
#[test]
fn rejected_work_that_fails_when_it_is_done_again_is_led_back_to_or_ends_the_run_as_failed() {
    let tidied = |tidy: &str| {
        let whole = flows(&[("plan", "build", "tidy"), ("build", "-", "-"), ("tidy", tidy, "-")]);
        let mut steps = whole.steps().to_vec();
        steps[1].gate = gate(GateAt::After);
        steps[1].gate.as_mut().unwrap().on_reject = Some("plan/write".into());
        let parts = whole.parts().to_vec();
        let mut play = start(Workflow::of_parts(
            "flow".into(),
            "Flow".to_owned(),
            Format::Stepwise,
            steps,
            parts,
        ));
        play.succeed();
        play.succeed();
        play.answer(Answer::Reject, "not like this");
        assert_eq!(play.running().0.step.as_str(), "plan/write");
        play.finish(failed("no ink"));
        assert_eq!(play.running().0.step.as_str(), "tidy/write");
        play.succeed();
        play.succeed();
        play
    };
    for (tidy, waits) in [("return", false), ("pause", true)] {
        let mut play = tidied(tidy);
        if waits {
            assert_eq!(play.state.status, RunStatus::Paused);
            play.resume();
        }
        assert_eq!(play.running().0.step.as_str(), "plan/write", "{tidy}");
        play.succeed();
        play.succeed();
        assert_eq!(play.opened().instance.step.as_str(), "plan/check");
        play.answer(Answer::Approve, "fine");
        assert_eq!(play.running().0.step.as_str(), "build/write");
    }
    for tidy in ["-", "build"] {
        let mut play = tidied(tidy);
        assert_eq!(play.state.outcome(), Some(Outcome::Failed), "{tidy}");
        assert_eq!(play.state.error.as_deref(), Some("no ink"));
        assert!(!play.visited().iter().any(|visit| visit.starts_with("build")));
        // Taken up, it goes on at the work.
        let (by, choices) = ("Ada".to_owned(), Default::default());
        play.send(Intent::Reopen { by, choices }).expect("it failed");
        assert_eq!(play.running().0.step.as_str(), "plan/write", "{tidy}");
    }
}

/// A step failed because a person rejected what a run inside it had made.
fn rejected_inside(instance: &Instance) -> StepResult {
    let mut inner = start(listed("plan/write", |step| step.gate = gate(GateAt::After)));
    inner.succeed();
    inner.answer(Answer::Reject, "not like this");
    let Some(Outcome::Refused(refused)) = inner.state.outcome() else {
        panic!("it was refused");
    };
    let inside = refused.inside(&"inner".into(), &"flow".into(), instance);
    StepResult {
        ended_inside: Some(Box::new(EndedInside::Refused(Box::new(inside)))),
        ..failed("Ada rejected it")
    }
}

/// The same as behind a gate of the step's own.
#[test]
fn what_a_rejection_inside_leads_to_is_done_and_no_other_flow_begins() {
    let begun = || {
        let list = [("plan", "build", "build"), ("build", "send", "-"), ("send", "-", "-")];
        start(of(&list, |step| {
            if step.id.as_str() == "write" {
                step.gate = gate(GateAt::After);
                step.gate.as_mut().unwrap().on_reject = Some("check".into());
            }
        }))
    };
    let rejected = || {
        let mut play = begun();
        let (instance, _) = play.running();
        play.finish(rejected_inside(&instance));
        assert_eq!(play.running().0.step.as_str(), "plan/check");
        play
    };
    let mut play = rejected();
    play.succeed();
    assert_eq!(play.visited(), ["plan/write#1", "plan/check#1"]);
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
    assert!(matches!(play.state.outcome(), Some(Outcome::Refused(_))));
    // A failure there leads to no other flow either.
    let mut play = rejected();
    play.finish(failed("no paper"));
    assert_eq!(play.visited(), ["plan/write#1", "plan/check#1"]);
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
    // That something was not permitted inside is a failure like any other, behind which the flows go on.
    let mut play = begun();
    let (instance, _) = play.running();
    let mut result = rejected_inside(&instance);
    if let Some(EndedInside::Refused(refused)) = result.ended_inside.as_deref_mut() {
        refused.opened.purpose = Purpose::Permission { needs: Vec::new() };
    }
    play.finish(result);
    assert_eq!(play.running().0.step.as_str(), "build/write");
    play.succeed();
    play.answer(Answer::Approve, "fine");
    play.succeed();
    assert_eq!(play.running().0.step.as_str(), "send/write");
}

fn take_up(play: &mut Play, from: &str) -> Result<Vec<Event>, engine::Refusal> {
    play.send(Intent::Reopen {
        by: "Ada".into(),
        choices: [(from.into(), Choice::Retry)].into(),
    })
}

/// What was approved in one round is nothing for the next, in whichever flow the run goes back to before the gate.
#[test]
fn a_run_that_went_back_to_an_earlier_flow_is_not_taken_up_behind_a_later_gate() {
    let mut play = start(listed("build/write", |step| step.gate = gate(GateAt::After)));
    for _ in 0..3 {
        play.succeed();
    }
    play.answer(Answer::Approve, "fine");
    play.succeed();
    play.finish(failed("no paper"));
    let places = |play: &Play| -> Vec<String> {
        let places = resume::places(&play.workflow, &play.state);
        places.into_iter().map(|step| step.id.to_string()).collect()
    };
    assert_eq!(
        places(&play),
        ["plan/write", "plan/check", "build/write", "build/check", "send/write"]
    );
    take_up(&mut play, "plan/write").unwrap();
    play.finish(failed("no ink"));
    assert_eq!(places(&play), ["plan/write", "plan/check", "build/write"]);
    let refused = take_up(&mut play, "send/write").unwrap_err();
    assert_eq!(refused.code, RefusalCode::CannotReopen);
    assert!(
        refused.message.contains("lies behind the gate at “Write”"),
        "{}",
        refused.message
    );
}

#[test]
fn a_new_step_in_an_earlier_flow_of_a_mended_list_comes_first() {
    let kept = listed("plan/write", |_| {});
    let mut play = start(kept.clone());
    for _ in 0..4 {
        play.succeed();
    }
    play.finish(failed("no paper"));
    let mended = |changed: &Workflow| {
        let found = engine::mended(&kept, changed, &play.state, GateRules::default(), None);
        found.map(|found| found.at.map(|step| step.id.to_string()))
    };
    assert_eq!(mended(&kept), Ok(None));
    // A flow gets a step at its end, and all that follows one place more.
    let signed = |flow: usize| {
        let mut parts = kept.parts().to_vec();
        let (first, place) = (parts[flow].steps.start, parts[flow].steps.end);
        let mut sign = in_part(Step::new("sign", place - first), &parts[flow].key, flow + 1, first);
        sign.gate = gate(GateAt::After);
        let mut steps = kept.steps().to_vec();
        steps.insert(place, sign);
        steps.iter_mut().enumerate().for_each(|(n, step)| step.ordinal = n);
        for (n, part) in parts.iter_mut().enumerate() {
            part.steps = part.steps.start + usize::from(n > flow)..part.steps.end + usize::from(n >= flow);
        }
        Workflow::of_parts("flow".into(), "Flow".to_owned(), Format::Stepwise, steps, parts)
    };
    assert_eq!(mended(&signed(1)), Ok(Some("build/sign".to_owned())));
    let why = mended(&signed(0)).unwrap_err();
    assert!(
        why.contains("“Sign” is new in the file and comes before “Write”, which is completed"),
        "{why}"
    );
}

/// Ends a run the same way whatever happened to it: every third execution fails.
fn to_the_end(play: &mut Play) -> Vec<String> {
    for _ in 0..300 {
        match play.state.status {
            RunStatus::Ended(_) => break,
            RunStatus::Paused => play.resume(),
            _ if matches!(play.state.cursor, Cursor::Running { .. }) => {
                let (instance, _) = play.running();
                let number = play.state.visit(&instance).map_or(0, |visit| visit.number);
                play.finish(match number % 3 {
                    0 => failed("every third one"),
                    _ => StepResult::new(ExecutionStatus::Succeeded),
                });
            }
            _ => {
                play.send(Intent::Proceed).expect("what is due is done");
            }
        }
    }
    play.visited()
}

#[test]
fn a_run_of_several_flows_that_is_cut_off_after_any_event_ends_the_same() {
    let list = [
        ("plan", "build", "reset"),
        ("build", "-", "reset"),
        ("reset", "return", "pause"),
    ];
    let mut whole = start(flows(&list));
    let visited = to_the_end(&mut whole);
    assert!(whole.state.status.ended() && whole.state.flows.len() > 3, "{visited:?}");
    for kept in 1..=whole.log.len() {
        let mut play = Play::cut_off(flows(&list), &whole.log[..kept]);
        assert_eq!(to_the_end(&mut play), visited, "cut off after {kept} events");
        assert_eq!(play.state.status, whole.state.status);
    }
}

/// The only flow of a run is waited behind too where it says so, and asks its condition; a flow that it would lead to is not there.
#[test]
fn the_only_flow_of_a_run_says_what_follows_it() {
    let alone = |complete: &str, failure: &str| {
        let all = steps(&["write", "check"]);
        let mut workflow = Workflow::new("flow".into(), "Flow".to_owned(), Format::Stepwise, all);
        workflow.on_complete = Some(onward(complete));
        workflow.after_failure = Some(onward(failure));
        workflow
    };
    let mut play = start(alone("pause", "-"));
    play.succeed();
    assert_eq!(
        names(&play.succeed()),
        [
            "end check#1.1 succeeded",
            "route - flow_complete_no_routing",
            "flow flow: waits"
        ]
    );
    assert_eq!(play.state.status, RunStatus::Paused);
    let resumed = play
        .send(Intent::Resume {
            by: "Ada".into(),
            given: None,
        })
        .expect("it is paused");
    assert_eq!(names(&resumed), ["resumed", "completed succeeded -"]);

    let mut play = start(alone("-", "pause"));
    assert_eq!(
        names(&play.finish(failed("licence missing"))),
        [
            "end write#1.1 failed",
            "flow flow failed (licence missing): flow waits at write"
        ]
    );
    let resumed = play
        .send(Intent::Resume {
            by: "Ada".into(),
            given: None,
        })
        .expect("it is paused");
    assert_eq!(names(&resumed), ["resumed", "start write#2.1"]);

    for led in ["-", "return", "elsewhere"] {
        let mut play = start(alone(led, led));
        play.succeed();
        play.succeed();
        assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded), "{led}");
        let mut play = start(alone(led, led));
        play.finish(failed("licence missing"));
        assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed), "{led}");
    }

    let mut demanding = alone("-", "-");
    demanding.on_complete.as_mut().unwrap().condition = Some(Condition::Compare {
        field: "decision".to_owned(),
        operator: Operator::Equals,
        value: json!("MERGE"),
    });
    for (said, status) in [("MERGE", EndStatus::Succeeded), ("BOUNCE", EndStatus::Failed)] {
        let mut play = start(demanding.clone());
        play.succeed();
        play.finish(reported(json!({"decision": said})));
        assert_eq!(play.state.status, RunStatus::Ended(status), "{said}");
    }
}

/// Flows beside the order that lead on to each other: the last one leads back to where the first of them was led to.
#[test]
fn a_flow_leads_back_through_those_beside_the_order_that_led_to_it() {
    let begun = |complete: &str, failure: &str| {
        let list = [
            ("plan", complete, failure),
            ("send", "-", "-"),
            ("tidy", "sweep", "-"),
            ("sweep", "air", "-"),
            ("air", "return", "-"),
        ];
        let whole = flows(&list);
        let mut parts = whole.parts().to_vec();
        parts[2..].iter_mut().for_each(|part| part.utility = true);
        let steps = whole.steps().to_vec();
        start(Workflow::of_parts(
            "flow".into(),
            "Flow".to_owned(),
            Format::Stepwise,
            steps,
            parts,
        ))
    };
    // Behind the end of one in the order the next one of that follows.
    let mut play = begun("tidy", "-");
    (0..8).for_each(|_| drop(play.succeed()));
    assert_eq!(play.running().0.step.as_str(), "send/write");

    // What failed is done again.
    let mut play = begun("send", "tidy");
    play.succeed();
    play.finish(failed("no ink"));
    (0..6).for_each(|_| drop(play.succeed()));
    assert_eq!(play.running().0.step.as_str(), "plan/check");
    play.succeed();
    assert_eq!(play.running().0.step.as_str(), "send/write");
}
