//! Detours: what is done between a step and what follows it, and where it leads back to (CONTRACTS "Stepwise", `navigator:detour`).

use crate::play::{Play, created, critic_flow, failed, gate, made, reported, steps, workflow};
use engine::{
    Answer, Choosing, Cursor, Decision, DetourMove, EndStatus, Intent, Limits, NavigatorSaid, Purpose, RouteSource,
    RoutingMode, RunCreated, RunStatus, StepResult,
};
use model::{Back, Condition, Detour, Fork, ForkRules, GateAt, Operator, Routing, Step, StepId, Trigger};
use serde_json::json;
use std::sync::Arc;

/// The condition that a step reports this status.
pub fn status_is(word: &str) -> Trigger {
    Trigger::Reported(Condition::Compare {
        field: "status".into(),
        operator: Operator::Equals,
        value: json!(word),
    })
}

/// Lets a step take a detour of these steps; they stand behind those of the flow.
pub fn aside(all: &mut Vec<Step>, from: &str, ids: &[&str], triggers: Vec<Trigger>, back: Back) {
    let place = all.iter().position(|step| step.id.as_str() == from).unwrap();
    let own = |id: &str| StepId::new(format!("{id}@{from}"));
    all[place].detours.push(Detour {
        id: ids[0].into(),
        name: ids[0].into(),
        injected: false,
        first: own(ids[0]),
        triggers,
        all: false,
        max_uses: 2,
        max_duration_ms: None,
        priority: 50,
        back: back.clone(),
    });
    for (n, id) in ids.iter().enumerate() {
        let mut step = Step::new(own(id), all.len());
        step.detour_from = Some(from.into());
        step.routing = match ids.get(n + 1) {
            Some(next) => Routing::Linear { next: Some(own(next)) },
            None => Routing::Return {
                from: from.into(),
                back: back.clone(),
            },
        };
        all.push(step);
    }
}

/// Some of a flow's steps with a detour, drawn from a seed; none that leads out of a branch.
pub fn some(all: &mut Vec<Step>, seed: u64) {
    for n in 0..all.len() {
        let draw = seed.rotate_left(7 * n as u32);
        let triggers = match draw >> 3 & 3 {
            0 => vec![status_is("UNVERIFIED"), status_is("PARTIAL")],
            1 => vec![Trigger::Visits {
                operator: Operator::Gte,
                value: json!(draw >> 5 & 3),
            }],
            2 => vec![Trigger::Stalled {
                operator: Operator::Gte,
                value: json!(1),
            }],
            _ => Vec::new(),
        };
        let back = match draw >> 9 & 7 {
            0..3 => Back::Resume,
            3 => Back::Halt,
            _ => Back::Advance,
        };
        let ids: &[&str] = if draw >> 12 & 1 == 0 { &["d", "e"] } else { &["d"] };
        if draw & 3 == 0 {
            let from = all[n].id.to_string();
            aside(all, &from, ids, triggers, back);
            // Of one that leaves several branches the quicker would use it up.
            all[n].detours[0].id = format!("d{n}");
        }
    }
}

fn done() -> StepResult {
    reported(json!({}))
}

fn blocked() -> StepResult {
    reported(json!({"status": "BLOCKED"}))
}

fn begin(all: Vec<Step>, mode: RoutingMode, navigator: bool) -> Play {
    let mut play = Play::new(workflow(all));
    let created = RunCreated {
        choosing: Choosing {
            mode,
            navigator: navigator.then(|| "pilot".into()),
        },
        ..created(Limits::default())
    };
    play.send(Intent::Create(Arc::new(created))).unwrap();
    play
}

fn say(play: &mut Play, way: &str) {
    let Cursor::Choosing { instance } = play.state.cursor.clone() else {
        panic!("{:?}", play.state.cursor)
    };
    let said = NavigatorSaid {
        way: Some(way.to_owned()),
        ..NavigatorSaid::default()
    };
    play.send(Intent::Navigated {
        instance,
        said: Arc::new(said),
    })
    .unwrap();
}

fn reasons(play: &Play) -> Vec<String> {
    play.state.routes.iter().map(|route| route.reason.to_string()).collect()
}

/// All steps of a detour have one time, that of detours inside of it too; a person, and a driver that died, begin it anew.
#[test]
fn a_detour_lasts_no_longer_than_it_says() {
    let detoured = |ms| {
        let mut all = steps(&["author", "publish"]);
        let due = || vec![status_is("BLOCKED")];
        aside(&mut all, "author", &["clarify", "note"], due(), Back::Resume);
        aside(&mut all, "clarify@author", &["ask"], due(), Back::Advance);
        all[0].detours[0].max_duration_ms = Some(ms);
        all[2].retries = Some(model::Retries {
            max: Some(5),
            backoff_ms: 0,
        });
        let mut play = Play::start(all);
        play.finish(blocked());
        play
    };
    let left = |play: &Play| {
        let (instance, _) = play.running();
        let step = play.workflow.step(&instance.step).unwrap();
        let left = engine::aside::time_left(&play.workflow, &play.state, step).unwrap();
        (left.of_ms, left.left_ms)
    };
    // Whatever the clock says meanwhile: somebody may set it.
    let worked = |play: &mut Play, duration_ms: u64, result: StepResult| {
        play.now.0 += 7_200_000;
        play.finish(StepResult { duration_ms, ..result });
    };
    let mut play = detoured(100);
    assert_eq!(left(&play), (100, 100));
    worked(&mut play, 60, blocked());
    assert_eq!(play.running().0.step.as_str(), "ask@clarify@author");
    assert_eq!(
        left(&play),
        (100, 40),
        "the detour inside has the time of the one around it"
    );
    worked(&mut play, 30, done());
    assert_eq!(play.running().0.step.as_str(), "note@author");
    assert_eq!(left(&play), (100, 10));
    worked(&mut play, 10, failed("cut off"));
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
    let said = "The detour “clarify” has used up its 0.1 s: cut off";
    assert_eq!(play.state.error.as_deref(), Some(said));
    // Whatever is left of its retries; and what has no time does not begin.
    let mut play = detoured(100);
    worked(&mut play, 100, failed("too slow"));
    assert_eq!(
        play.state.error.as_deref(),
        Some("The detour “clarify” has used up its 0.1 s: too slow")
    );
    let mut play = detoured(100);
    worked(&mut play, 100, done());
    assert_eq!(play.visited(), ["author#1", "clarify@author#1"]);
    assert_eq!(
        play.state.error.as_deref(),
        Some("The detour “clarify” has used up its 0.1 s")
    );
    // A driver that was dead for days has used up nothing, and every time it is taken it has its whole time.
    let mut play = detoured(100);
    play.now.0 += 1_000_000;
    let (instance, _) = play.running();
    play.interrupt();
    play.send(Intent::Retry { instance }).unwrap();
    assert_eq!(left(&play), (100, 100));
    for _ in 0..2 {
        play.finish(done());
    }
    play.now.0 += 5_000;
    play.finish(blocked());
    assert_eq!((left(&play), play.visited().len()), ((100, 100), 5));
}

#[test]
fn a_detour_that_is_due_leads_back_to_the_step_which_is_done_again() {
    let mut all = steps(&["author", "publish"]);
    aside(
        &mut all,
        "author",
        &["clarify", "note"],
        vec![status_is("BLOCKED")],
        Back::Resume,
    );
    let mut play = Play::start(all);
    play.finish(blocked());
    play.finish(done());
    play.finish(done());
    play.finish(done());
    play.finish(done());
    assert_eq!(
        play.visited(),
        ["author#1", "clarify@author#1", "note@author#1", "author#2", "publish#1"]
    );
    assert_eq!(
        reasons(&play),
        [
            "detour:clarify",
            "linear_explicit",
            "detour_returned:resume",
            "linear_default",
            "flow_complete_no_routing"
        ]
    );
    let route = &play.state.routes[0];
    assert_eq!(route.source, RouteSource::Deterministic);
    assert_eq!(route.looked_at["status"], json!("BLOCKED"));
    let instead = &route.alternatives[0];
    assert_eq!(instead.to.as_ref().map(StepId::as_str), Some("publish"));
    assert_eq!(instead.why_not.to_string(), "detour_taken:clarify");
    assert_eq!(play.state.loop_state["author:clarify@author"], 1);
    assert!(
        route.edge.is_some() && play.state.routes[2].edge.is_some(),
        "they are drawn"
    );
    let last = play.state.routes[3].clone();
    assert_eq!(
        last.alternatives[0].why_not.to_string(),
        "detour_not_due:status is BLOCKED"
    );
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
}

#[test]
fn it_may_lead_on_with_the_result_that_the_step_had() {
    let mut all = critic_flow(3);
    aside(
        &mut all,
        "critic",
        &["audit"],
        vec![status_is("VERIFIED")],
        Back::Advance,
    );
    all[1].gate = gate(GateAt::After);
    let mut play = Play::start(all);
    play.finish(done());
    play.finish(reported(json!({"status": "UNVERIFIED"})));
    play.finish(done());
    play.finish(reported(json!({"status": "VERIFIED"})));
    assert_eq!(play.running().0.step.as_str(), "audit@critic", "nobody is asked before");
    play.finish(done());
    assert_eq!(
        (play.opened().instance.step.as_str(), play.opened().instance.visit),
        ("critic", 2),
        "the gate is the step's own, after its detour"
    );
    play.answer(Answer::Approve, "");
    assert_eq!(play.running().0.step.as_str(), "done");
    assert_eq!(
        reasons(&play),
        [
            "linear_default",
            "loop_iteration:1",
            "linear_default",
            "detour:audit",
            "detour_returned:advance",
            "loop_exit_condition_met:VERIFIED"
        ]
    );
    let critic = play.state.visit(&play.state.routes[3].from).unwrap();
    assert_eq!(critic.left_by, Some(5), "it was left by the way that led on");
    assert_eq!(play.state.executed, 6, "it was not done again");
}

/// A report that names the first step of the step's own detour takes it, before others that are due, and comes back from it.
#[test]
fn a_report_may_name_the_detour_of_its_own_step() {
    let mut all = steps(&["a", "b"]);
    aside(&mut all, "a", &["look"], vec![status_is("PARTIAL")], Back::Advance);
    aside(&mut all, "a", &["fix"], vec![status_is("BLOCKED")], Back::Advance);
    let mut play = Play::start(all);
    play.finish(reported(json!({"status": "BLOCKED", "next_step_id": "look@a"})));
    assert_eq!(play.running().0.step.as_str(), "look@a");
    let route = play.state.routes[0].clone();
    assert_eq!(
        (
            route.source,
            route.reason.to_string(),
            route.looked_at["next_step_id"].clone()
        ),
        (RouteSource::FastPath, "explicit_next_step_id".into(), json!("look@a"))
    );
    assert!(matches!(&route.detour, Some(DetourMove::Out { id, on: true }) if id == "look"));
    play.finish(done());
    assert_eq!(play.running().0.step.as_str(), "fix@a", "the one that is due follows");
    play.finish(done());
    assert_eq!(play.running().0.step.as_str(), "b", "each is taken once by a visit");
    play.finish(done());
    assert_eq!(
        reasons(&play),
        [
            "explicit_next_step_id",
            "detour_returned:advance",
            "detour:fix",
            "detour_returned:advance",
            "linear_default",
            "flow_complete_no_routing"
        ]
    );
    play.check_log();
}

/// A gate in a detour that is due is not left out with it: a person is asked, and the detour is among the ways.
#[test]
fn a_report_leaves_out_no_gate_in_a_detour_that_is_due() {
    let begun = |word: &str| {
        let mut all = steps(&["a", "b"]);
        aside(&mut all, "a", &["look"], vec![status_is("PARTIAL")], Back::Advance);
        all[2].gate = gate(GateAt::After);
        let mut play = Play::start(all);
        play.finish(reported(json!({"status": word, "next_step_id": "b"})));
        play
    };
    assert_eq!(begun("VERIFIED").running().0.step.as_str(), "b", "none is due");
    let mut play = begun("PARTIAL");
    assert_eq!(play.opened().why.as_str(), "named step lies behind a gate");
    let decision = Decision {
        way: Some("detour:look".to_owned()),
        ..play.decision(Answer::Choose, "")
    };
    play.send(Intent::Answer(Arc::new(decision))).unwrap();
    assert_eq!(play.running().0.step.as_str(), "look@a");
    play.finish(done());
    assert_eq!(play.opened().instance.step.as_str(), "look@a");
    play.answer(Answer::Approve, "looked at");
    assert_eq!(play.running().0.step.as_str(), "b");
}

/// A detour begins at the step that it leaves, and as often as its file says: a report that names one of its steps otherwise goes by the rules.
#[test]
fn a_report_leads_into_no_detour_from_elsewhere() {
    let away = |named: &str, at: &str, max: u32| {
        let mut all = steps(&["a", "b", "c"]);
        aside(
            &mut all,
            "a",
            &["look", "note"],
            vec![status_is("PARTIAL")],
            Back::Advance,
        );
        all[0].detours[0].max_uses = max;
        let mut play = Play::start(all);
        if at == "b" {
            play.finish(done());
        }
        play.finish(reported(json!({"next_step_id": named})));
        let route = play.state.routes.last().unwrap();
        let passed: Vec<String> = route.alternatives.iter().map(|way| way.why_not.to_string()).collect();
        (play.running().0.step.to_string(), passed.join(" "))
    };
    assert_eq!(
        away("look@a", "b", 2),
        ("c".into(), "next_step_in_detour:look@a".into())
    );
    assert_eq!(away("note@a", "a", 2).0, "b", "it begins with its first step");
    assert_eq!(away("look@a", "a", 0), ("b".into(), "detour_used_up:0".into()));
}

/// A step of a detour may name another of the same one, one of the detour that this leaves, and one of the flow.
#[test]
fn a_report_may_lead_out_of_a_detour() {
    for (named, next) in [
        ("note@a", "note@a"),
        ("deep", "note@a"),
        ("c", "c"),
        ("fix@b", "look2@a"),
        // Another one of the same step is another one all the same.
        ("other@a", "look2@a"),
        ("more@a", "look2@a"),
    ] {
        let mut all = steps(&["a", "b", "c"]);
        aside(
            &mut all,
            "a",
            &["look", "look2", "note"],
            vec![status_is("PARTIAL")],
            Back::Advance,
        );
        aside(
            &mut all,
            "a",
            &["other", "more"],
            vec![status_is("BLOCKED")],
            Back::Advance,
        );
        aside(
            &mut all,
            "look2@a",
            &["deep"],
            vec![status_is("PARTIAL")],
            Back::Advance,
        );
        aside(&mut all, "b", &["fix"], vec![status_is("PARTIAL")], Back::Advance);
        let mut play = Play::start(all);
        play.finish(reported(json!({"status": "PARTIAL"})));
        if named.starts_with("deep") {
            play.finish(done());
            play.finish(reported(json!({"status": "PARTIAL"})));
            assert_eq!(play.running().0.step.as_str(), "deep@look2@a");
            play.finish(reported(json!({"next_step_id": "note@a"})));
        } else {
            play.finish(reported(json!({"next_step_id": named})));
        }
        assert_eq!(play.running().0.step.as_str(), next, "{named}");
        while !play.state.status.ended() {
            play.finish(done());
        }
        play.check_log();
    }
}

#[test]
fn it_may_lead_elsewhere_or_end_the_flow() {
    let mut all = steps(&["a", "b", "c"]);
    aside(
        &mut all,
        "a",
        &["skip"],
        vec![status_is("BLOCKED")],
        Back::To("c".into()),
    );
    aside(&mut all, "c", &["stop"], vec![status_is("BLOCKED")], Back::Halt);
    let mut play = Play::start(all);
    play.finish(blocked());
    play.finish(done());
    assert_eq!(play.running().0.step.as_str(), "c");
    play.finish(blocked());
    play.finish(done());
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
    let error = play.state.error.clone().unwrap();
    assert!(error.starts_with("The detour that ends with “"), "{error}");
}

#[test]
fn it_is_taken_as_often_as_its_file_says_from_wherever() {
    let mut all = steps(&["a", "b"]);
    aside(&mut all, "a", &["fix"], vec![status_is("BLOCKED")], Back::Resume);
    aside(&mut all, "b", &["fix"], vec![status_is("BLOCKED")], Back::Resume);
    let mut play = Play::start(all);
    for result in [blocked(), done(), done(), blocked(), done()] {
        play.finish(result);
    }
    // Twice, and not a third time.
    assert_eq!(play.visited(), ["a#1", "fix@a#1", "a#2", "b#1", "fix@b#1", "b#2"]);
    play.finish(blocked());
    let last = play.state.routes.last().unwrap();
    assert_eq!(last.alternatives[0].why_not.to_string(), "detour_used_up:2");
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
}

#[test]
fn it_waits_for_a_stall_for_files_and_for_rounds() {
    let due = |trigger: Trigger, result: fn() -> StepResult| {
        let mut all = steps(&["work", "next"]);
        all[0].routing = Routing::Microloop(model::Microloop {
            loop_target: Some("work".into()),
            next: Some("next".into()),
            ..crate::play::microloop(9)
        });
        aside(&mut all, "work", &["look"], vec![trigger], Back::Resume);
        let mut play = Play::start(all);
        (0..9).position(|_| {
            play.finish(result());
            play.running().0.step.as_str() == "look@work"
        })
    };
    let again = || reported(json!({"error_signature": "E1"}));
    let gte = |n: u32| (Operator::Gte, json!(n));
    let (operator, value) = gte(2);
    assert_eq!(
        due(Trigger::Stalled { operator, value }, again),
        Some(2),
        "the third time"
    );
    let (operator, value) = gte(4);
    assert_eq!(due(Trigger::Visits { operator, value }, again), Some(3));
    let secret = || Trigger::Path {
        pattern: "**/secret*".into(),
    };
    assert_eq!(due(secret(), || made("x", &["deploy/secrets.yaml"])), Some(0));
    assert_eq!(due(secret(), || made("x", &["deploy/plain.yaml"])), None);
    assert_eq!(
        due(secret(), || reported(json!({"files_changed": ["a/secret.key"]}))),
        Some(0)
    );
}

#[test]
fn all_its_triggers_or_one_of_them() {
    let due = |all_of_them: bool| {
        let mut all = steps(&["a", "b"]);
        let second = Trigger::Visits {
            operator: Operator::Gte,
            value: json!(2),
        };
        aside(
            &mut all,
            "a",
            &["fix"],
            vec![status_is("BLOCKED"), second],
            Back::Resume,
        );
        all[0].detours[0].all = all_of_them;
        let mut play = Play::start(all);
        play.finish(blocked());
        play.running().0.step.to_string()
    };
    assert_eq!(due(false), "fix@a");
    assert_eq!(due(true), "b");
}

#[test]
fn what_only_is_offered_a_navigator_may_take_and_then_chooses_the_way_on() {
    let mut all = steps(&["a", "b"]);
    aside(&mut all, "a", &["look"], Vec::new(), Back::Advance);
    let mut play = begin(all.clone(), RoutingMode::DeterministicOnly, true);
    play.finish(done());
    assert_eq!(play.running().0.step.as_str(), "b", "nobody chooses it");
    assert_eq!(
        play.state.routes[0].alternatives[0].why_not.to_string(),
        "detour_offered"
    );
    let mut play = begin(all, RoutingMode::Authoritative, true);
    play.finish(done());
    say(&mut play, "detour:look");
    let route = play.state.routes.last().unwrap();
    assert_eq!(route.source, RouteSource::NavigatorDetour);
    assert_eq!(route.reason.to_string(), "navigator:detour:look");
    play.finish(done());
    assert_eq!(
        play.running().0.step.as_str(),
        "b",
        "it has been taken; nothing else is there to choose"
    );
    assert_eq!(play.visited(), ["a#1", "look@a#1", "b#1"]);
}

#[test]
fn a_person_who_chooses_the_way_may_take_it_first() {
    let mut all = steps(&["a", "b", "c"]);
    let guard = |to: &str| model::Guard {
        condition: Condition::Compare {
            field: "verdict".into(),
            operator: Operator::Equals,
            value: json!(to),
        },
        to: to.into(),
        back: false,
        most: model::routing::BACK_EDGE_BOUND,
    };
    all[0].routing = Routing::Guarded {
        guards: vec![guard("b"), guard("c")],
        next: None,
    };
    aside(&mut all, "a", &["ask"], Vec::new(), Back::Advance);
    let mut play = begin(all, RoutingMode::DeterministicOnly, false);
    play.finish(done());
    let choose = |play: &mut Play, way: &str| {
        let decision = Decision {
            way: Some(way.to_owned()),
            ..play.decision(Answer::Choose, "")
        };
        play.send(Intent::Answer(Arc::new(decision))).unwrap();
    };
    let Purpose::Way { ways } = play.opened().purpose else {
        panic!()
    };
    let labels: Vec<&str> = ways.iter().map(|way| way.label.as_str()).collect();
    assert!(labels.contains(&"First “ask”"), "{labels:?}");
    choose(&mut play, "detour:ask");
    play.finish(done());
    assert_eq!(play.opened().round, 2, "the way on is asked for again");
    let Purpose::Way { ways } = play.opened().purpose else {
        panic!()
    };
    assert!(ways.iter().all(|way| way.id != "detour:ask"), "it has been taken");
    choose(&mut play, "advance:c");
    assert_eq!(play.running().0.step.as_str(), "c");
}

#[test]
fn detours_stand_inside_of_each_other() {
    let mut all = steps(&["a", "b"]);
    aside(&mut all, "a", &["one"], vec![status_is("BLOCKED")], Back::Advance);
    aside(&mut all, "one@a", &["two"], vec![status_is("BLOCKED")], Back::Advance);
    aside(
        &mut all,
        "two@one@a",
        &["three"],
        vec![status_is("BLOCKED")],
        Back::Resume,
    );
    let mut play = Play::start(all);
    for result in [blocked(), blocked(), blocked(), done(), done()] {
        play.finish(result);
    }
    assert_eq!(
        play.visited(),
        [
            "a#1",
            "one@a#1",
            "two@one@a#1",
            "three@two@one@a#1",
            "two@one@a#2",
            "b#1"
        ],
        "two again; one and a were left as they stood"
    );
}

#[test]
fn a_branch_takes_its_own_while_the_others_go_on() {
    let mut all = steps(&["start", "x", "y", "join"]);
    all[0].routing = Routing::Fork(Box::new(Fork {
        targets: vec!["x".into(), "y".into()],
        join: Some("join".into()),
        rules: ForkRules::default(),
    }));
    for n in [1, 2] {
        all[n].routing = Routing::Linear {
            next: Some("join".into()),
        };
    }
    aside(&mut all, "x", &["fix"], vec![status_is("BLOCKED")], Back::Advance);
    aside(&mut all, "y", &["fix"], vec![status_is("BLOCKED")], Back::Resume);
    let limits = Limits {
        parallel: 4,
        ..Limits::default()
    };
    let mut play = Play::start_with(workflow(all), limits);
    assert_eq!(model::branches::faults(&play.workflow), []);
    play.finish(done());
    let mut finish = |step: &str, result: StepResult| {
        let visit = play.state.steps[&StepId::from(step)].visits.last().unwrap();
        let (instance, attempt) = (visit.instance.clone(), visit.attempts.len() as u32);
        let result = Arc::new(result);
        play.send(Intent::Finish {
            instance,
            attempt,
            result,
        })
        .unwrap();
    };
    finish("x", blocked());
    finish("y", blocked());
    finish("fix@y", done());
    finish("fix@x", done());
    finish("y", done());
    finish("join", done());
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
    assert_eq!(
        play.visited(),
        ["start#1", "x#1", "y#1", "fix@x#1", "fix@y#1", "y#2", "join#1"]
    );
}

#[test]
fn a_run_that_failed_in_a_detour_is_taken_up_there_and_comes_back() {
    let mut all = steps(&["a", "b"]);
    aside(&mut all, "a", &["fix"], vec![status_is("BLOCKED")], Back::Advance);
    let mut play = Play::start(all);
    play.finish(blocked());
    play.finish(failed("no"));
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
    let again = Intent::Reopen {
        by: "Ada".into(),
        choices: Default::default(),
    };
    play.send(again).unwrap();
    assert_eq!(play.running().0.step.as_str(), "fix@a");
    play.finish(done());
    assert_eq!(play.running().0.step.as_str(), "b");
}

#[test]
fn a_policy_asks_a_person_where_the_work_is_blocked_or_stuck() {
    let begin = |escalation: model::Escalation| {
        let mut flow = workflow(steps(&["a", "b", "c"]));
        flow.escalation = escalation;
        Play::start_with(flow, Limits::default())
    };
    let choose = |play: &mut Play, way: &str| {
        let decision = Decision {
            way: Some(way.to_owned()),
            ..play.decision(Answer::Choose, "")
        };
        play.send(Intent::Answer(Arc::new(decision))).unwrap();
    };
    let policy = model::Escalation {
        blocked: true,
        stuck: true,
        unverified: Some(2),
    };
    let mut play = begin(policy);
    play.finish(blocked());
    assert_eq!(play.opened().why.to_string(), "policy asks: work blocked");
    choose(&mut play, "advance:b");
    play.finish(reported(
        json!({"status": "UNVERIFIED", "can_further_iteration_help": "no"}),
    ));
    assert_eq!(play.opened().why.to_string(), "policy asks: no further help");
    choose(&mut play, "advance:c");
    play.finish(done());
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
    let unverified = || reported(json!({"status": "UNVERIFIED"}));
    let mut play = begin(policy);
    play.finish(unverified());
    assert_eq!(play.running().0.step.as_str(), "b", "one is not two");
    play.finish(unverified());
    assert_eq!(play.opened().why.to_string(), "policy asks: unverified streak");
    choose(&mut play, "advance:c");
    play.finish(unverified());
    assert_eq!(
        play.state.status,
        RunStatus::Ended(EndStatus::Succeeded),
        "a person has looked: it counts from there"
    );
    let mut play = begin(model::Escalation::default());
    for result in [blocked(), unverified(), unverified()] {
        play.finish(result);
    }
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
}

#[test]
fn a_step_proposes_a_way_that_the_workflow_does_not_have() {
    let proposes = |to: &str| reported(json!({"proposal": {"to": to, "reason": "It is too large for one review."}}));
    let choose = |play: &mut Play, way: &str| {
        let decision = Decision {
            way: Some(way.to_owned()),
            ..play.decision(Answer::Choose, "")
        };
        play.send(Intent::Answer(Arc::new(decision))).unwrap();
    };
    let mut play = Play::start(steps(&["a", "b", "c", "d"]));
    play.finish(proposes("d"));
    assert_eq!(play.opened().why.to_string(), "way proposed");
    let Purpose::Way { ways } = play.opened().purpose else {
        panic!()
    };
    let ids: Vec<(&str, bool)> = ways.iter().map(|way| (way.id.as_str(), way.is_default)).collect();
    assert_eq!(
        ids,
        [("advance:b", true), ("extend:d", false)],
        "the file's way lies nearest"
    );
    choose(&mut play, "extend:d");
    assert_eq!(play.running().0.step.as_str(), "d");
    let route = play.state.routes.last().unwrap();
    assert_eq!(
        (route.source, route.edge),
        (RouteSource::Escalate, None),
        "it is no edge of the file"
    );
    let mut play = Play::start(steps(&["a", "b", "c"]));
    play.finish(proposes("c"));
    choose(&mut play, "advance:b");
    assert_eq!(play.running().0.step.as_str(), "b");
    // What is no step, what an edge leads to, and what a navigator is not asked about.
    for to in ["moon", "b"] {
        let mut play = Play::start(steps(&["a", "b", "c"]));
        play.finish(proposes(to));
        assert_eq!(play.running().0.step.as_str(), "b", "{to}");
    }
}

#[test]
fn a_detour_that_does_not_lead_back_passes_no_gate() {
    for nested in [false, true] {
        let mut all = steps(&["a", "b", "c"]);
        all[0].gate = gate(GateAt::After);
        let away = Back::To("c".into());
        match nested {
            false => aside(&mut all, "a", &["d"], vec![status_is("PARTIAL")], away),
            true => {
                aside(&mut all, "a", &["d"], vec![status_is("PARTIAL")], Back::Resume);
                aside(&mut all, "d@a", &["e"], vec![status_is("PARTIAL")], away);
            }
        }
        let mut play = begin(all, RoutingMode::DeterministicOnly, false);
        play.finish(reported(json!({"status": "PARTIAL"})));
        assert!(
            play.state.waiting().is_some(),
            "nested {nested}: the step's gate stands first"
        );
        play.answer(Answer::Approve, "");
        play.finish(reported(json!({"status": "PARTIAL"})));
        while !play.state.status.ended() && play.state.waiting().is_none() {
            play.finish(done());
        }
        let path: Vec<String> = play
            .state
            .visits()
            .iter()
            .map(|visit| visit.instance.step.to_string())
            .collect();
        assert_eq!(path.last().map(String::as_str), Some("c"), "nested {nested}: {path:?}");
        assert!(play.state.error.is_none(), "{:?}", play.state.error);
    }
    // Refused, nothing of it is done.
    let mut all = steps(&["a", "b", "c"]);
    all[0].gate = gate(GateAt::After);
    aside(&mut all, "a", &["d"], vec![status_is("PARTIAL")], Back::To("c".into()));
    let mut play = begin(all, RoutingMode::DeterministicOnly, false);
    play.finish(reported(json!({"status": "PARTIAL"})));
    play.answer(Answer::Reject, "no");
    assert!(play.state.status.ended() && play.state.steps.len() == 1);
}
