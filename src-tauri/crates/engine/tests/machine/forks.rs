//! Forks and joins, one rule at a time.

use crate::play::{Play, failed, gate, names, reported, steps, workflow};
use engine::{
    Answer, At, Effect, EndStatus, Event, Instance, Intent, Limits, RunStatus, StepResult, StepStatus, effects,
};
use model::{BranchFailure, Fork, ForkRules, GateAt, JoinRule, Routing, Step, StepId};
use serde_json::json;
use std::sync::Arc;

fn to(next: &str) -> Routing {
    Routing::Linear {
        next: Some(next.into()),
    }
}

pub fn fork(targets: &[&str], rules: ForkRules) -> Routing {
    Routing::Fork(Box::new(Fork {
        targets: targets.iter().map(|to| (*to).into()).collect(),
        join: None,
        rules,
    }))
}

fn rule(join: JoinRule) -> ForkRules {
    ForkRules {
        join,
        ..ForkRules::default()
    }
}

/// `receipt` → `a` beside `b` beside `c` → `decide`.
fn audits(rules: ForkRules) -> Vec<Step> {
    let mut steps = steps(&["receipt", "a", "b", "c", "decide"]);
    steps[0].routing = fork(&["a", "b", "c"], rules);
    for step in &mut steps[1..4] {
        step.routing = to("decide");
    }
    steps
}

fn start(steps: Vec<Step>) -> Play {
    let limits = Limits {
        parallel: 8,
        ..Limits::default()
    };
    Play::start_with(workflow(steps), limits)
}

impl Play {
    /// The step that is in flight, with its attempt.
    fn at(&self, step: &str) -> (Instance, u32) {
        let found = effects(&self.workflow, &self.state)
            .into_iter()
            .find_map(|effect| match effect {
                Effect::Execute { instance, attempt } if instance.step.as_str() == step => Some((instance, attempt)),
                _ => None,
            });
        found.unwrap_or_else(|| panic!("{step} is not in flight"))
    }

    pub fn ends(&mut self, step: &str, result: StepResult) -> Vec<String> {
        let (instance, attempt) = self.at(step);
        let events = self.send(Intent::Finish {
            instance,
            attempt,
            result: Arc::new(result),
        });
        names(&events.unwrap())
    }

    pub fn in_flight(&self) -> Vec<String> {
        let due = effects(&self.workflow, &self.state).into_iter();
        due.filter_map(|effect| match effect {
            Effect::Execute { instance, .. } => Some(instance.step.to_string()),
            _ => None,
        })
        .collect()
    }
}

fn said(status: &str) -> StepResult {
    reported(json!({"status": status}))
}

#[test]
fn branches_run_beside_each_other_and_meet() {
    let mut play = start(audits(ForkRules::default()));
    assert_eq!(
        play.ends("receipt", said("VERIFIED")),
        [
            "end receipt#1.1 succeeded",
            "fork 1 at receipt",
            "route a fork:1/3",
            "route b fork:2/3",
            "route c fork:3/3",
            "start a#1.1",
            "start b#1.1",
            "start c#1.1"
        ]
    );
    assert_eq!(
        play.ends("b", said("VERIFIED")),
        [
            "end b#1.1 succeeded",
            "route decide linear_explicit",
            "branch 1.2 completed verified"
        ]
    );
    assert_eq!(play.state.step_status(&"b".into()), StepStatus::Succeeded);
    assert_eq!(play.state.step_status(&"a".into()), StepStatus::Running);
    play.ends("a", said("UNVERIFIED"));
    assert_eq!(
        play.ends("c", said("VERIFIED")),
        [
            "end c#1.1 succeeded",
            "route decide linear_explicit",
            "branch 1.3 completed verified",
            "join true 3 of 3 complete, 3 needed allended",
            "route decide join:all_complete:3/3",
            "start decide#1.1"
        ]
    );
    play.ends("decide", said("VERIFIED"));
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
    assert_eq!(play.visited(), ["receipt#1", "a#1", "b#1", "c#1", "decide#1"]);
    let joined = play.state.forks.get(1).unwrap().joined.clone().unwrap().0;
    assert_eq!((joined.verified, joined.status.as_str()), (2, "UNVERIFIED"));
}

#[test]
fn there_is_room_for_so_many_and_batches_wait_for_the_one_before() {
    let mut play = Play::start_with(workflow(audits(ForkRules::default())), Limits::default());
    play.ends("receipt", said("VERIFIED"));
    assert_eq!(play.in_flight(), ["a"]);
    assert_eq!(play.state.step_status(&"b".into()), StepStatus::Queued);
    play.ends("a", said("VERIFIED"));
    assert_eq!(play.in_flight(), ["b"]);
    let mut play = start(audits(ForkRules {
        batch: Some(2),
        ..ForkRules::default()
    }));
    play.ends("receipt", said("VERIFIED"));
    assert_eq!(play.in_flight(), ["a", "b"]);
    play.ends("a", said("VERIFIED"));
    assert_eq!(play.in_flight(), ["b"]);
    play.ends("b", said("VERIFIED"));
    assert_eq!(play.in_flight(), ["c"]);
}

#[test]
fn a_quorum_counts_what_is_verified_and_says_so() {
    let quorum = rule(JoinRule::Quorum { count: Some(2) });
    let mut play = start(audits(quorum.clone()));
    play.ends("receipt", said("VERIFIED"));
    play.ends("a", said("VERIFIED"));
    play.ends("b", said("VERIFIED"));
    assert_eq!(
        play.in_flight(),
        ["c"],
        "it waits for all: which came first decides nothing"
    );
    let last = play.ends("c", failed("no tool"));
    assert!(
        last.contains(&"join true 2 of 3 verified, quorum 2 allended".to_owned()),
        "{last:?}"
    );
    assert_eq!(play.in_flight(), ["decide"]);
    let mut play = start(audits(quorum));
    play.ends("receipt", said("VERIFIED"));
    play.ends("a", said("VERIFIED"));
    play.ends("b", said("PARTIAL"));
    play.ends("c", failed("no tool"));
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
    let error = play.state.error.clone().unwrap();
    assert_eq!(
        error,
        "The branches of “Receipt” did not meet: 1 of 3 verified, quorum 2; “C” failed: no tool"
    );
}

#[test]
fn one_failure_of_a_branch_fails_a_join_that_asks_for_all_when_all_have_ended() {
    let mut play = start(audits(ForkRules::default()));
    play.ends("receipt", said("VERIFIED"));
    play.ends("a", failed("broken"));
    assert_eq!(play.in_flight(), ["b", "c"]);
    play.ends("b", said("VERIFIED"));
    play.ends("c", said("VERIFIED"));
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
    let mut play = start(audits(ForkRules {
        on_failure: BranchFailure::BestEffort,
        ..ForkRules::default()
    }));
    play.ends("receipt", said("VERIFIED"));
    play.ends("a", failed("broken"));
    play.ends("b", said("VERIFIED"));
    play.ends("c", said("VERIFIED"));
    assert_eq!(play.in_flight(), ["decide"]);
}

#[test]
fn fail_fast_and_first_complete_cut_the_others_off_and_say_so() {
    let mut play = start(audits(ForkRules {
        on_failure: BranchFailure::FailFast,
        ..ForkRules::default()
    }));
    play.ends("receipt", said("VERIFIED"));
    assert_eq!(
        play.ends("b", failed("broken")),
        [
            "end b#1.1 failed",
            "branch 1.2 failed failed",
            "join false 0 of 3 complete, 3 needed failfast cut 1.1 1.3",
            "cut a#1.1",
            "cut c#1.1",
            "completed failed the branches of “receipt” did not meet: 0 of 3 complete, 3 needed; “b” failed: broken"
        ]
    );
    let mut play = start(audits(rule(JoinRule::FirstComplete)));
    play.ends("receipt", said("VERIFIED"));
    let late = play.at("a");
    play.ends("c", said("VERIFIED"));
    assert_eq!(play.in_flight(), ["decide"]);
    assert_eq!(play.state.step_status(&"a".into()), StepStatus::Interrupted);
    play.refused(Intent::Finish {
        instance: late.0,
        attempt: late.1,
        result: Arc::new(said("VERIFIED")),
    });
}

#[test]
fn the_time_of_a_fork_is_over() {
    let mut play = start(audits(ForkRules {
        timeout_ms: Some(60_000),
        join: JoinRule::AnyVerified,
        ..ForkRules::default()
    }));
    play.ends("receipt", said("VERIFIED"));
    play.ends("a", said("VERIFIED"));
    let due = effects(&play.workflow, &play.state)
        .into_iter()
        .find_map(|effect| match effect {
            Effect::WaitUntil { instance, at } => Some((instance, at)),
            _ => None,
        });
    let (instance, at) = due.unwrap();
    assert_eq!(instance.step, StepId::from("receipt"));
    play.refused(Intent::Retry {
        instance: instance.clone(),
    });
    play.now = At(at.0);
    let events = names(&play.send(Intent::Retry { instance }).unwrap());
    assert!(
        events[0].starts_with("join true 1 of 3 verified, 1 needed timeout cut 1.2 1.3"),
        "{events:?}"
    );
    assert_eq!(play.in_flight(), ["decide"]);
}

#[test]
fn while_a_person_is_waited_for_in_a_branch_its_time_stands_still() {
    let rules = ForkRules {
        timeout_ms: Some(60_000),
        join: JoinRule::AnyVerified,
        ..ForkRules::default()
    };
    let mut flow = audits(rules);
    flow[1].gate = gate(GateAt::After);
    let mut play = start(flow);
    play.ends("receipt", said("VERIFIED"));
    let began = play.now.0;
    let waits = |play: &Play| {
        let due = effects(&play.workflow, &play.state).into_iter();
        let mut due = due.filter_map(|effect| match effect {
            Effect::WaitUntil { at, .. } => Some(at.0),
            _ => None,
        });
        due.next()
    };
    assert_eq!(waits(&play), Some(began + 60_000));
    play.now.0 = began + 10_000;
    play.ends("a", said("VERIFIED"));
    let asked = play.now.0;
    assert_eq!(waits(&play), None, "while somebody is asked nobody's time is over");
    play.now.0 = began + 9_000_000;
    play.ends("b", said("VERIFIED"));
    let instance = play.state.visits()[0].instance.clone();
    play.refused(Intent::Retry { instance });
    let decision = play.decision(Answer::Approve, "");
    play.send(Intent::Answer(Arc::new(decision))).unwrap();
    assert_eq!(
        waits(&play),
        Some(began + 60_000 + (play.now.0 - asked)),
        "what was waited comes on top"
    );
    assert_eq!(play.in_flight(), ["c"]);
}

#[test]
fn a_person_is_asked_in_a_branch_while_the_others_go_on() {
    let mut flow = audits(ForkRules::default());
    flow[1].gate = gate(GateAt::After);
    let mut play = start(flow);
    play.ends("receipt", said("VERIFIED"));
    play.ends("a", said("VERIFIED"));
    assert_eq!(play.state.status, RunStatus::Running);
    play.ends("b", said("VERIFIED"));
    play.ends("c", said("VERIFIED"));
    assert_eq!(play.state.status, RunStatus::Blocked);
    play.answer(Answer::Changes, "once more");
    assert_eq!(play.in_flight(), ["a"]);
    play.ends("a", said("VERIFIED"));
    play.answer(Answer::Approve, "");
    assert_eq!(play.in_flight(), ["decide"]);
}

#[test]
fn a_rejection_in_a_branch_ends_the_run_whatever_the_join_asks() {
    let mut flow = audits(rule(JoinRule::AnyVerified));
    flow[1].gate = gate(GateAt::After);
    let mut play = start(flow);
    play.ends("receipt", said("VERIFIED"));
    play.ends("b", said("VERIFIED"));
    play.ends("a", said("VERIFIED"));
    let events = names(&play.answer(Answer::Reject, "no"));
    assert_eq!(events.last().unwrap(), "completed failed rejected by ada: no");
    assert!(matches!(play.state.outcome(), Some(engine::Outcome::Refused(_))));
}

#[test]
fn what_a_branch_shows_is_not_done_again_outside_of_it() {
    let mut flow = audits(ForkRules::default());
    flow[1].gate = gate(GateAt::Before);
    flow[1].inputs = vec!["receipt.md".into()];
    let mut play = start(flow);
    play.ends("receipt", crate::play::made("1", &["receipt.md"]));
    assert_eq!(play.opened().changes_to, None);
}

#[test]
fn an_abort_and_a_pause_are_of_all_tokens() {
    let mut play = start(audits(ForkRules::default()));
    play.ends("receipt", said("VERIFIED"));
    play.pause();
    let after = play.ends("a", said("VERIFIED"));
    assert_eq!(after.len(), 3, "a branch may end: {after:?}");
    play.send(Intent::Abort {
        by: "Ada".into(),
        reason: "enough".into(),
        given: None,
    })
    .unwrap();
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Aborted));
    assert_eq!(play.state.step_status(&"c".into()), StepStatus::Interrupted);
}

#[test]
fn a_fork_comes_again_with_a_loop_and_forks_stand_in_forks() {
    // receipt → [a → (x beside y) → k, b] → decide, back to receipt until VERIFIED.
    let mut flow = steps(&["receipt", "a", "x", "y", "k", "b", "decide"]);
    flow[0].routing = fork(&["a", "b"], ForkRules::default());
    flow[1].routing = fork(&["x", "y"], ForkRules::default());
    flow[2].routing = to("k");
    flow[3].routing = to("k");
    flow[4].routing = to("decide");
    flow[5].routing = to("decide");
    flow[6].routing = Routing::Microloop(model::Microloop {
        loop_target: Some("receipt".into()),
        next: None,
        ..crate::play::microloop(3)
    });
    let mut play = start(flow);
    for (round, status) in ["UNVERIFIED", "VERIFIED"].into_iter().enumerate() {
        play.ends("receipt", said("VERIFIED"));
        play.ends("a", said("VERIFIED"));
        assert_eq!(play.in_flight(), ["b", "x", "y"]);
        play.ends("y", said("VERIFIED"));
        play.ends("x", said("VERIFIED"));
        play.ends("b", said("VERIFIED"));
        play.ends("k", said("VERIFIED"));
        play.ends("decide", said(status));
        assert_eq!(play.state.forks.all().count(), 2 * (round + 1));
    }
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
    let within = play.log.iter().filter_map(|(_, event)| match event {
        Event::Forked(forked) => Some((forked.fork, forked.within.map(|id| id.to_string()))),
        _ => None,
    });
    let expected = [
        (1, None),
        (2, Some("1.1".to_owned())),
        (3, None),
        (4, Some("3.1".to_owned())),
    ];
    assert_eq!(within.collect::<Vec<_>>(), expected);
}

#[test]
fn what_cannot_be_told_apart_does_not_start() {
    let mut flow = steps(&["a", "b", "c"]);
    flow[0].routing = fork(&["b", "c"], ForkRules::default());
    flow[1].routing = Routing::Terminal;
    flow[2].routing = Routing::Terminal;
    let mut play = Play::new(workflow(flow));
    let refused = play.send(Intent::Create(Arc::new(crate::play::created(Limits::default()))));
    assert!(refused.unwrap_err().message.contains("never meet"));
}

/// `jump` names the next step in its report.
fn naming(next: &str) -> StepResult {
    reported(json!({"status": "UNVERIFIED", "next_step_id": next}))
}

#[test]
fn a_report_leads_into_no_other_branch() {
    let mut steps = audits(ForkRules::default());
    // A branch of two steps names a step of its sibling that is at work.
    steps[1].routing = to("a2");
    steps[4].routing = Routing::Terminal;
    let mut a2 = Step::new(StepId::new("a2"), steps.len());
    a2.routing = to("decide");
    steps.push(a2);
    let mut play = start(steps);
    play.ends("receipt", said("VERIFIED"));
    assert_eq!(
        play.ends("a", naming("b")),
        ["end a#1.1 succeeded", "route a2 linear_explicit", "start a2#1.1"]
    );
    let not_followed = play.state.routes.last().unwrap().alternatives.clone();
    assert_eq!(not_followed[0].why_not.to_string(), "next_step_apart:b");
    for step in ["a2", "b", "c", "decide"] {
        play.ends(step, said("VERIFIED"));
    }
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
    assert_eq!(play.visited(), ["receipt#1", "a#1", "b#1", "c#1", "a2#1", "decide#1"]);
}

#[test]
fn a_report_leads_past_no_join_and_counts_nothing_from_behind_it() {
    let mut steps = audits(rule(JoinRule::AnyVerified));
    steps[4].routing = to("deploy");
    steps.push(Step::new(StepId::new("deploy"), 5));
    let mut play = start(steps);
    play.ends("receipt", said("VERIFIED"));
    play.ends("a", naming("deploy"));
    play.ends("b", said("UNVERIFIED"));
    play.ends("c", said("UNVERIFIED"));
    assert_eq!(play.visited(), ["receipt#1", "a#1", "b#1", "c#1"]);
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
}

#[test]
fn a_report_from_before_a_fork_or_behind_its_join_leads_into_no_branch() {
    for at in ["receipt", "decide"] {
        let mut play = start(audits(ForkRules::default()));
        if at == "decide" {
            play.ends("receipt", said("VERIFIED"));
            for step in ["a", "b", "c"] {
                play.ends(step, said("VERIFIED"));
            }
        }
        play.ends(at, naming("b"));
        assert_eq!(
            play.visited().iter().filter(|visit| visit.starts_with("b#")).count(),
            1,
            "{at}"
        );
    }
}
