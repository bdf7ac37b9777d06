//! Choosing the way on: who decides it, and in which order (CONTRACTS "Stepwise", `routing_source`; seed 001).

use crate::play::{Play, created, gate, names, reported, steps, workflow};
use engine::{
    Answer, Choosing, Decision, EndStatus, Event, Intent, Limits, NavigatorSaid, Purpose, RefusalCode, RouteSource,
    RoutingMode, RunCreated, RunStatus, Way, WhyNotCode,
};
use model::{Condition, GateAt, Guard, Operator, Routing, Step};
use serde_json::{Value, json};
use std::sync::Arc;

/// `triage` leads to `fix` or to `publish` by what it reports, and to nothing else.
fn triage() -> Vec<Step> {
    let mut all = steps(&["triage", "fix", "publish"]);
    let guard = |to: &str, is: &str| Guard {
        condition: Condition::Compare {
            field: "verdict".into(),
            operator: Operator::Equals,
            value: json!(is),
        },
        to: to.into(),
        back: false,
        most: model::routing::BACK_EDGE_BOUND,
    };
    all[0].routing = Routing::Guarded {
        guards: vec![guard("fix", "broken"), guard("publish", "fine")],
        next: None,
    };
    all[1].routing = Routing::Linear {
        next: Some("publish".into()),
    };
    all[2].routing = Routing::Linear { next: None };
    all
}

fn begin(all: Vec<Step>, mode: RoutingMode, navigator: bool) -> Play {
    let mut workflow = workflow(all);
    workflow.next_reported = true;
    let mut play = Play::new(workflow);
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

fn ways(play: &Play) -> Vec<String> {
    let Purpose::Way { ways } = play.opened().purpose else {
        panic!("a way is asked for")
    };
    ways.iter().map(|way| way.id.clone()).collect()
}

fn choose(play: &mut Play, way: &str) -> Result<Vec<Event>, engine::Refusal> {
    let decision = Decision {
        way: Some(way.to_owned()),
        ..play.decision(Answer::Choose, "")
    };
    play.send(Intent::Answer(Arc::new(decision)))
}

fn say(play: &mut Play, way: Option<&str>) -> Vec<Event> {
    let instance = play.state.visits().last().unwrap().instance.clone();
    let said = NavigatorSaid {
        way: way.map(str::to_owned),
        reasons: "the cheapest".to_owned(),
        ..NavigatorSaid::default()
    };
    play.send(Intent::Navigated {
        instance,
        said: Arc::new(said),
    })
    .unwrap()
}

fn last(play: &Play) -> (RouteSource, String) {
    let route = play.state.routes.last().unwrap();
    (route.source, route.reason.to_string())
}

#[test]
fn where_no_rule_leads_on_a_person_chooses_the_way() {
    let mut play = begin(triage(), RoutingMode::DeterministicOnly, false);
    play.finish(reported(json!({"verdict": "strange"})));
    assert_eq!(play.state.status, RunStatus::Blocked);
    assert_eq!(ways(&play), ["advance:fix", "advance:publish", "terminate"]);
    assert_eq!(play.opened().gate.as_str(), "flow:triage:way");
    let refused = choose(&mut play, "advance:nowhere").unwrap_err();
    assert_eq!(refused.code, RefusalCode::AnswerNotOffered);
    assert!(refused.message.contains("advance:fix"), "{}", refused.message);
    choose(&mut play, "advance:fix").unwrap();
    assert_eq!(last(&play), (RouteSource::Escalate, "way_chosen:1".to_owned()));
    assert!(
        play.state.routes.last().unwrap().edge.is_some(),
        "it went along an edge of the file"
    );
    play.succeed();
    play.succeed();
    assert_eq!(play.visited(), ["triage#1", "fix#1", "publish#1"]);
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
}

#[test]
fn a_person_may_end_it_send_it_back_or_refuse() {
    let strange = || {
        let mut play = begin(triage(), RoutingMode::DeterministicOnly, false);
        play.finish(reported(json!({})));
        play
    };
    let mut play = strange();
    choose(&mut play, "terminate").unwrap();
    assert_eq!(
        play.state.status,
        RunStatus::Ended(EndStatus::Succeeded),
        "it was chosen"
    );
    let mut play = strange();
    play.answer(Answer::Changes, "say what is broken");
    assert_eq!(play.running().0.step.as_str(), "triage");
    play.finish(reported(json!({})));
    assert_eq!(play.opened().round, 2, "and is asked again");
    let mut play = strange();
    play.answer(Answer::Reject, "not at all");
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
}

#[test]
fn a_navigator_is_asked_where_the_rules_leave_it_open_and_no_further() {
    let mut play = begin(triage(), RoutingMode::Assist, true);
    play.finish(reported(json!({"verdict": "broken"})));
    assert_eq!(play.running().0.step.as_str(), "fix", "a rule decides");
    let mut play = begin(triage(), RoutingMode::Assist, true);
    let asked = play.finish(reported(json!({"verdict": "strange"})));
    assert_eq!(names(&asked).last().unwrap(), "navigator after triage");
    let said = say(&mut play, Some("advance:publish"));
    assert_eq!(
        names(&said),
        [
            "navigator says advance:publish",
            "route publish navigator:advance:publish",
            "start publish#1.1"
        ]
    );
    let route = play.state.routes.last().unwrap();
    assert_eq!(route.source, RouteSource::Navigator);
    assert_eq!(route.looked_at["navigator"], "the cheapest");
    let why_not: Vec<String> = route
        .alternatives
        .iter()
        .map(|other| other.why_not.to_string())
        .collect();
    assert_eq!(why_not, ["condition_not_met:verdict is broken"]);
}

#[test]
fn an_answer_off_the_list_is_refused_and_the_next_source_decides() {
    for (said, why) in [(Some("advance:moon"), "“advance:moon” is none"), (None, "named no way")] {
        let mut play = begin(triage(), RoutingMode::Assist, true);
        let signal = json!({"verdict": "strange", "routing_signal": {"decision": "advance", "next_step_id": "fix"}});
        play.finish(reported(signal));
        let events = say(&mut play, said);
        assert!(names(&events)[0].contains(why), "{:?}", names(&events));
        assert_eq!(
            last(&play),
            (RouteSource::EnvelopeFallback, "routing_signal:advance:fix".to_owned())
        );
    }
    // A signal that names no way of the list does not count either: a person decides.
    let mut play = begin(triage(), RoutingMode::Assist, true);
    play.finish(reported(
        json!({"routing_signal": {"decision": "advance", "next_step_id": "moon"}}),
    ));
    say(&mut play, Some("advance:moon"));
    assert_eq!(play.state.status, RunStatus::Blocked);
    choose(&mut play, "advance:publish").unwrap();
    assert_eq!(last(&play).0, RouteSource::Escalate);
}

#[test]
fn a_navigator_may_ask_for_a_person() {
    let mut play = begin(triage(), RoutingMode::Assist, true);
    play.finish(reported(json!({"verdict": "strange"})));
    say(&mut play, Some("escalate"));
    assert_eq!(play.state.status, RunStatus::Blocked);
    assert!(
        !ways(&play).contains(&"escalate".to_owned()),
        "a person does not pass it on"
    );
}

#[test]
fn in_authoritative_mode_it_is_asked_wherever_there_is_more_than_one_way() {
    let mut play = begin(triage(), RoutingMode::Authoritative, true);
    play.finish(reported(json!({"verdict": "broken"})));
    say(&mut play, Some("advance:publish"));
    let route = play.state.routes.last().unwrap();
    assert_eq!(route.to.as_ref().unwrap().as_str(), "publish");
    assert!(
        route
            .alternatives
            .iter()
            .any(|other| other.why_not == WhyNotCode::NavigatorChose.of("advance:publish"))
    );
    // Where it fails, the rules decide.
    let mut play = begin(triage(), RoutingMode::Authoritative, true);
    play.finish(reported(json!({"verdict": "broken"})));
    say(&mut play, None);
    assert_eq!(
        last(&play),
        (RouteSource::Deterministic, "branch:verdict is broken".to_owned())
    );
}

#[test]
fn an_explicit_next_step_comes_before_everybody() {
    for mode in [
        RoutingMode::DeterministicOnly,
        RoutingMode::Assist,
        RoutingMode::Authoritative,
    ] {
        let mut play = begin(triage(), mode, true);
        play.finish(reported(json!({"next_step_id": "publish"})));
        assert_eq!(last(&play).0, RouteSource::FastPath, "{mode:?}");
    }
}

/// No agent passes a gate by naming what comes after it: a person decides it, with the file's own ways beside.
#[test]
fn an_explicit_next_step_behind_a_gate_is_a_person_s_to_take() {
    let gated = |at| {
        let mut all = steps(&["draft", "review", "publish", "tell"]);
        all[1].gate = crate::play::gate(at);
        all
    };
    for at in [model::GateAt::Before, model::GateAt::After] {
        for mode in [RoutingMode::DeterministicOnly, RoutingMode::Authoritative] {
            let mut play = begin(gated(at), mode, true);
            play.finish(reported(json!({"next_step_id": "publish"})));
            let opened = play.opened();
            assert_eq!(opened.why.as_str(), "named step lies behind a gate", "{mode:?}");
            assert_eq!(ways(&play), ["advance:review", "advance:publish"]);
            choose(&mut play, "advance:publish").unwrap();
            assert_eq!(play.running().0.step.as_str(), "publish");
            assert_eq!(last(&play).0, RouteSource::Escalate);
        }
    }
    // Sent on by the file's own way it comes to the gate.
    let mut play = begin(gated(model::GateAt::Before), RoutingMode::DeterministicOnly, false);
    play.finish(reported(json!({"next_step_id": "tell"})));
    choose(&mut play, "advance:review").unwrap();
    assert_eq!(play.opened().gate.as_str(), "flow:review:hitl");
    // To the gate, and from behind it, no person is needed.
    let mut play = begin(gated(model::GateAt::Before), RoutingMode::DeterministicOnly, false);
    play.finish(reported(json!({"next_step_id": "review"})));
    assert_eq!(play.opened().gate.as_str(), "flow:review:hitl");
    // A gate that the project's policy does not make binding stops nobody.
    let mut all = gated(model::GateAt::After);
    all[1].gate.as_mut().unwrap().requirement = model::GateRequirement::Optional;
    let mut play = begin(all, RoutingMode::DeterministicOnly, false);
    play.finish(reported(json!({"next_step_id": "publish"})));
    assert_eq!(play.running().0.step.as_str(), "publish");
}

#[test]
fn who_is_blocked_is_not_sent_on_but_asks_a_person() {
    let mut play = begin(steps(&["a", "b"]), RoutingMode::Assist, false);
    play.finish(reported(json!({"status": "BLOCKED"})));
    assert_eq!(ways(&play), ["advance:b"]);
    let mut play = begin(steps(&["a", "b"]), RoutingMode::DeterministicOnly, false);
    play.finish(reported(json!({"status": "BLOCKED"})));
    assert_eq!(play.running().0.step.as_str(), "b", "the file's rule");
}

#[test]
fn a_gate_stands_behind_the_way_that_was_chosen() {
    let mut all = triage();
    all[0].gate = crate::play::gate(model::GateAt::After);
    let mut play = begin(all, RoutingMode::DeterministicOnly, false);
    play.finish(reported(json!({})));
    choose(&mut play, "advance:fix").unwrap();
    let opened = play.opened();
    assert_eq!(
        (opened.purpose, opened.approve_to),
        (Purpose::Approval, Some("fix".into()))
    );
    play.answer(Answer::Approve, "");
    assert_eq!(play.running().0.step.as_str(), "fix");
    assert_eq!(last(&play).1, "way_chosen:1");
}

#[test]
fn ways_read_as_a_person_reads_them() {
    let mut play = begin(triage(), RoutingMode::DeterministicOnly, false);
    play.finish(reported(json!({})));
    let Purpose::Way { ways } = play.opened().purpose else {
        panic!("a way is asked for")
    };
    let labels: Vec<&str> = ways.iter().map(|way: &Way| way.label.as_str()).collect();
    assert_eq!(labels, ["Go on to “Fix”", "Go on to “Publish”", "End here"]);
    let decision = Decision {
        way: Some("advance:fix".to_owned()),
        ..play.decision(Answer::Choose, "")
    };
    let statement: Value = json!(decision.statement(play.state.created.as_ref().unwrap(), &play.opened()));
    assert!(statement.is_string());
}

/// Who may not approve chooses no way past a gate either, whatever the question came from; the way to the gate is open to them.
#[test]
fn where_four_eyes_are_wanted_nobody_chooses_alone_a_way_past_a_gate() {
    let begun = |all: Vec<Step>| {
        let mut workflow = workflow(all);
        workflow.next_reported = true;
        let mut play = Play::new(workflow);
        let mut created = created(Limits::default());
        created.policy.four_eyes = true;
        created.by = "Ada".into();
        play.send(Intent::Create(Arc::new(created))).unwrap();
        play
    };
    let by = |play: &mut Play, name: &str, way: &str| {
        let decision = Decision {
            way: Some(way.to_owned()),
            by: name.into(),
            ..play.decision(Answer::Choose, "")
        };
        play.send(Intent::Answer(Arc::new(decision)))
    };
    // A report names the step behind the gate.
    let named = || {
        let mut line = steps(&["draft", "sign", "publish"]);
        line[1].gate = gate(GateAt::After);
        let mut play = begun(line);
        play.finish(reported(json!({"next_step_id": "publish"})));
        play
    };
    // No rule leads on: `fix` asks, and what follows it may be gone to without it.
    let open = || {
        let mut all = triage();
        all[1].gate = gate(GateAt::After);
        let mut play = begun(all);
        play.finish(reported(json!({"verdict": "strange"})));
        play
    };
    /// A play, the ways of it past a gate, and one through it.
    type Asked<'a> = (&'a dyn Fn() -> Play, &'a [&'a str], &'a str);
    let asked: [Asked<'_>; 2] = [
        (&named, &["advance:publish"], "advance:sign"),
        (&open, &["advance:publish", "terminate"], "advance:fix"),
    ];
    for (play, past, through) in asked {
        for way in past.iter().copied() {
            let mut play = play();
            let refused = by(&mut play, "Ada", way).unwrap_err();
            assert_eq!(refused.code, RefusalCode::FourEyes, "{way}");
            assert!(refused.message.contains("You began this run"), "{}", refused.message);
            by(&mut play, "Cy", way).unwrap();
        }
        by(&mut play(), "Ada", through).unwrap();
    }
}
