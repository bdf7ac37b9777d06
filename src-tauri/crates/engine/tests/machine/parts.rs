//! Several flows in one run: what follows each, however it ends.

use crate::play::{Play, failed, gate, names, reported, steps};
use engine::{Answer, Cursor, EndStatus, Event, ExecutionStatus, Intent, Limits, RunStatus, StepResult};
use model::part::in_part;
use model::{Condition, Destination, Format, GateAt, Onward, Operator, Part, Step, Workflow};
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
