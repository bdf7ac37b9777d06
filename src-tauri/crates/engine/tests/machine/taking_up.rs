//! A run with a token that has ended badly is taken up again: where it stood, or at a step before that.

use crate::forks::fork;
use crate::play::{Play, created, critic_flow, failed, gate, names, reported, steps, workflow};
use engine::control::resume;
use engine::{
    Answer, Choice, EndStatus, Event, GatePolicy, GateRules, Instance, Intent, Limits, ParentRun, Refusal, RefusalCode,
    RunStatus, Ungated,
};
use model::{Branch, BranchFailure, ForkRules, GateAt, Routing, Step, StepId, Workflow};
use serde_json::json;
use std::sync::Arc;

fn start(steps: Vec<Step>) -> Play {
    let limits = Limits {
        max_retries: 0,
        parallel: 8,
        ..Limits::default()
    };
    Play::start_with(workflow(steps), limits)
}

fn take_up(play: &mut Play, from: Option<&str>) -> Result<Vec<Event>, Refusal> {
    play.send(Intent::Reopen {
        by: "Ada".into(),
        choices: from.map(|step| (step.into(), Choice::Retry)).into_iter().collect(),
    })
}

fn places(play: &Play) -> Vec<&str> {
    let places = resume::places(&play.workflow, &play.state);
    places.into_iter().map(|step| step.id.as_str()).collect()
}

#[test]
fn it_goes_on_where_it_failed_and_what_is_done_stays_done() {
    let mut play = start(steps(&["a", "b", "c"]));
    play.succeed();
    play.finish(failed("no paper"));
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
    assert_eq!(places(&play), ["a", "b"]);
    assert_eq!(
        names(&take_up(&mut play, None).unwrap()),
        ["reopened by Ada", "start b#2.1"]
    );
    assert_eq!((&play.state.error, play.state.ended_at), (&None, None));
    play.succeed();
    play.succeed();
    assert_eq!(play.visited(), ["a#1", "b#1", "b#2", "c#1"]);
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
    assert_eq!(
        take_up(&mut play, None).unwrap_err().code,
        RefusalCode::CannotReopen,
        "it is complete"
    );
}

#[test]
fn a_person_chooses_a_step_before_and_everything_after_it_is_done_again() {
    let mut play = start(critic_flow(3));
    play.succeed();
    play.finish(reported(json!({"status": "UNVERIFIED"})));
    play.finish(failed("no ink"));
    assert_eq!(
        take_up(&mut play, Some("done")).unwrap_err().code,
        RefusalCode::CannotReopen,
        "never reached"
    );
    assert_eq!(
        take_up(&mut play, Some("nowhere")).unwrap_err().code,
        RefusalCode::CannotReopen
    );
    take_up(&mut play, Some("critic")).unwrap();
    assert_eq!(play.running().0.step.as_str(), "critic");
    assert_eq!(
        play.state.loop_state["critic:author"], 1,
        "what was counted stays counted"
    );
    play.finish(reported(json!({"status": "VERIFIED"})));
    play.succeed();
    assert_eq!(
        play.visited(),
        ["author#1", "critic#1", "author#2", "critic#2", "done#1"]
    );
}

#[test]
fn what_was_refused_is_asked_again_behind_the_work_and_before_it() {
    for at in [GateAt::Before, GateAt::After] {
        let mut all = steps(&["a", "b", "c"]);
        all[1].gate = gate(at);
        let mut play = start(all);
        play.succeed();
        if at == GateAt::After {
            play.succeed();
        }
        play.answer(Answer::Reject, "no");
        assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
        take_up(&mut play, None).unwrap();
        assert!(play.state.rejections.is_empty());
        if at == GateAt::After {
            assert_eq!(play.running().0.step.as_str(), "b");
            play.succeed();
        }
        let opened = play.opened();
        assert_eq!((opened.instance.step.as_str(), opened.round), ("b", 2), "{at:?}");
        play.answer(Answer::Approve, "now it is right");
        while !play.state.status.ended() {
            play.succeed();
        }
        assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded), "{at:?}");
    }
}

#[test]
fn nobody_takes_a_run_up_past_a_gate_that_is_not_approved() {
    for answer in [None, Some(Answer::Reject)] {
        let mut all = critic_flow(5);
        all[0].gate = gate(GateAt::After);
        let mut play = start(all);
        play.succeed();
        play.answer(Answer::Approve, "well written");
        play.finish(reported(json!({"status": "UNVERIFIED"})));
        play.succeed();
        assert_eq!(play.opened().round, 2);
        match answer {
            Some(answer) => drop(play.answer(answer, "no")),
            None => drop(play.send(Intent::Abort {
                by: "Ada".into(),
                reason: "lunch".into(),
                given: None,
            })),
        }
        assert!(play.state.status.ended());
        let refused = take_up(&mut play, Some("critic")).unwrap_err();
        assert_eq!(refused.code, RefusalCode::CannotReopen);
        assert!(
            refused.message.contains("lies behind the gate at “Author”"),
            "{}",
            refused.message
        );
        assert_eq!(places(&play), ["author"]);
        assert!(resume::lacks_approval(&play.state, &"author".into()));
        // Stopped at a step before, it still is not taken up behind it.
        take_up(&mut play, Some("author")).unwrap();
        play.send(Intent::Abort {
            by: "Ada".into(),
            reason: "again".into(),
            given: None,
        })
        .unwrap();
        take_up(&mut play, Some("critic")).unwrap_err();
        take_up(&mut play, None).unwrap();
        play.succeed();
        assert_eq!(play.opened().round, 3, "it is asked again");
        play.answer(Answer::Approve, "now it is right");
        play.finish(failed("no ink"));
        assert_eq!(places(&play), ["author", "critic"], "the gate is passed");
    }
}

/// What was approved in one round is nothing for the next: `draft` → `sign` (gate) → `publish` → back to `draft`, which fails.
#[test]
fn an_earlier_approval_does_not_hold_once_the_run_has_gone_back_before_the_gate() {
    for at in [GateAt::Before, GateAt::After] {
        let mut all = steps(&["draft", "sign", "publish"]);
        all[1].gate = gate(at);
        all[2].routing = Routing::Linear {
            next: Some("draft".into()),
        };
        let mut play = start(all);
        play.succeed();
        if at == GateAt::After {
            play.succeed();
        }
        play.answer(Answer::Approve, "fine");
        if at == GateAt::Before {
            play.succeed();
        }
        play.succeed();
        play.finish(failed("no paper"));
        assert!(play.state.status.ended());
        let refused = take_up(&mut play, Some("publish")).unwrap_err();
        assert!(
            refused
                .message
                .contains("“Publish” lies behind the gate at “Sign”, at which a person is still to be asked"),
            "{at:?}: {}",
            refused.message
        );
        assert_eq!(places(&play), ["draft", "sign"], "{at:?}");
        take_up(&mut play, Some("sign")).unwrap();
        if at == GateAt::After {
            play.succeed();
        }
        assert_eq!(play.opened().round, 2, "{at:?}: a person is asked again");
    }
}

/// Two gates of which each way passes one bar what lies behind both; what was approved in this round opens every way behind it.
#[test]
fn each_way_past_a_gate_counts_and_an_approval_of_this_round_opens_them_all() {
    let branch = |value: &str, to: &str, next: &str| {
        Routing::Branch(Branch {
            field: Some("status".into()),
            branches: [(value.to_owned(), to.into())].into(),
            next: Some(next.into()),
        })
    };
    let to = |step: &str| Routing::Linear {
        next: Some(step.into()),
    };
    let mut all = steps(&["draft", "small", "large", "publish"]);
    all[0].routing = branch("LARGE", "large", "small");
    for n in [1, 2] {
        all[n].gate = gate(GateAt::Before);
        all[n].routing = to("publish");
    }
    all[3].routing = to("draft");
    let mut play = start(all);
    play.succeed();
    play.answer(Answer::Approve, "fine");
    play.succeed();
    play.succeed();
    play.finish(failed("no paper"));
    assert_eq!(places(&play), ["draft", "small"]);
    take_up(&mut play, Some("publish")).unwrap_err();

    let mut all = steps(&["draft", "sign", "archive", "publish"]);
    all[1].gate = gate(GateAt::After);
    all[1].routing = branch("OLD", "archive", "publish");
    all[2].routing = to("draft");
    all[3].routing = to("draft");
    let mut play = start(all);
    play.succeed();
    play.finish(reported(json!({"status": "OLD"})));
    play.answer(Answer::Approve, "fine");
    play.succeed();
    play.succeed();
    play.succeed();
    play.answer(Answer::Approve, "again");
    play.finish(failed("no ink"));
    assert_eq!(places(&play), ["draft", "sign", "archive", "publish"]);
}

/// Where the gate's own step fails behind an earlier approval, what lies behind it is not reached past the gate either.
#[test]
fn a_gate_behind_the_work_is_still_to_come_while_the_work_fails() {
    let mut all = critic_flow(5);
    all[0].gate = gate(GateAt::After);
    let mut play = start(all);
    play.succeed();
    play.answer(Answer::Approve, "well written");
    play.finish(reported(json!({"status": "UNVERIFIED"})));
    play.finish(failed("no ink"));
    assert_eq!(places(&play), ["author"]);
    take_up(&mut play, Some("critic")).unwrap_err();
}

/// `p` leads to `q`, where it ends, or to `g` (gate) and `r`: from `q` no way leads to what `g` guards.
fn forked_way() -> Vec<Step> {
    let mut all = steps(&["p", "q", "g", "r"]);
    all[0].routing = Routing::Branch(Branch {
        field: Some("status".into()),
        branches: [("HIGH".to_owned(), "g".into())].into(),
        next: Some("q".into()),
    });
    all[1].routing = Routing::Linear { next: None };
    all[2].gate = gate(GateAt::After);
    all[2].routing = Routing::Linear { next: Some("r".into()) };
    all[3].routing = Routing::Linear { next: None };
    all
}

#[test]
fn an_earlier_approval_does_not_hold_for_a_run_that_went_another_way() {
    let mut play = start(forked_way());
    play.finish(reported(json!({"status": "HIGH"})));
    play.succeed();
    play.answer(Answer::Approve, "fine");
    play.finish(failed("no paper"));
    assert_eq!(places(&play), ["p", "g", "r"]);
    take_up(&mut play, Some("p")).unwrap();
    play.succeed();
    assert_eq!(play.running().0.step.as_str(), "q");
    play.finish(failed("no ink"));
    assert_eq!(places(&play), ["p", "q", "g"]);
    let refused = take_up(&mut play, Some("r")).unwrap_err();
    assert!(
        refused.message.contains("lies behind the gate at “G”"),
        "{}",
        refused.message
    );
}

#[test]
fn no_report_passes_a_gate_that_no_way_leads_through_from_there() {
    let mut workflow = workflow(forked_way());
    workflow.next_reported = true;
    let mut play = Play::start_with(workflow, Limits::default());
    play.succeed();
    play.finish(reported(json!({"next_step_id": "r"})));
    assert_eq!(play.opened().why.as_str(), "named step lies behind a gate");
}

/// A rejection is not taken back by an edit: where nobody would be asked again, the run does not go on.
#[test]
fn what_was_rejected_is_asked_again_by_a_mended_file_or_it_does_not_go_on() {
    for at in [GateAt::Before, GateAt::After] {
        let mut all = steps(&["a", "b", "c"]);
        all[1].gate = gate(at);
        let mut play = start(all.clone());
        play.succeed();
        if at == GateAt::After {
            play.succeed();
        }
        play.answer(Answer::Reject, "not like this");
        let kept = workflow(all.clone());
        let rules = GateRules::default();
        let on = |now: &Workflow, rules| engine::mended(&kept, now, &play.state, rules, None).map(|_| ());
        on(&kept, rules).expect("it is asked again");
        all[1].gate = None;
        let ungated = workflow(all.clone());
        let why = on(&ungated, rules).unwrap_err();
        assert!(
            why.starts_with("Ada rejected at the gate of “B” (“not like this”)"),
            "{why}"
        );
        all.remove(1);
        all[1].ordinal = 1;
        on(&workflow(all), rules).unwrap_err();
        let policy = GatePolicy {
            mode: Some("advisory".to_owned()),
            ..GatePolicy::default()
        };
        let silent = GateRules {
            policy: &policy,
            ..rules
        };
        on(&kept, silent).unwrap_err();
    }
}

/// What a mended file has a person asked before the step at which a run is to go on is asked first.
#[test]
fn no_mended_run_goes_on_behind_a_gate_that_is_new() {
    let kept = workflow(steps(&["a", "b", "c"]));
    let mut play = start(steps(&["a", "b", "c"]));
    play.succeed();
    play.finish(failed("no paper"));
    let on = |now: &Workflow, from: Option<&str>| {
        let from = from.map(StepId::from);
        let found = engine::mended(&kept, now, &play.state, GateRules::default(), from.as_ref());
        found.map(|found| {
            let barred: Vec<String> = found.barred.iter().map(|step| step.id.to_string()).collect();
            (found.at.map(|step| step.id.to_string()), barred.join(" "))
        })
    };
    let mut all = steps(&["a", "n", "b", "c"]);
    all[1].gate = gate(GateAt::Before);
    let now = workflow(all.clone());
    let barred = "b c".to_owned();
    assert_eq!(on(&now, None), Ok((Some("n".to_owned()), barred.clone())));
    let why = on(&now, Some("b")).unwrap_err();
    assert!(
        why.starts_with("“B” lies behind the gate at “N”, which is new"),
        "{why}"
    );
    for from in ["a", "n"] {
        assert_eq!(on(&now, Some(from)), Ok((None, barred.clone())), "{from}");
    }
    // Who asks nobody is left out where a person says so.
    all[1].gate = None;
    assert_eq!(on(&workflow(all), Some("b")), Ok((None, String::new())));
}

/// What the gates of a run's workflow guarded and those of a mended one do not, in words.
fn freed(play: &Play, all: Vec<Step>, from: Option<&str>) -> Vec<String> {
    let from = from.map(StepId::from);
    let now = workflow(all);
    let found = engine::mended(&play.workflow, &now, &play.state, GateRules::default(), from.as_ref());
    let found = found.expect("nothing completed was changed");
    found.ungated.iter().map(Ungated::words).collect()
}

/// A gate that stays in a mended file and no longer guards what it guarded is named: the file leads past it, or it was moved.
#[test]
fn a_gate_past_which_a_mended_file_leads_is_named() {
    let past = ["The gate at “B” does not always come before “C” any more."];
    let mut all = steps(&["a", "n", "b", "c"]);
    all[2].gate = gate(GateAt::Before);
    let mut play = start(all.clone());
    play.succeed();
    play.finish(failed("no paper"));
    assert_eq!(freed(&play, all.clone(), None), [""; 0]);
    let routed = |routing: Routing| {
        let mut all = all.clone();
        all[1].routing = routing;
        all
    };
    let branch = Routing::Branch(Branch {
        field: Some("status".into()),
        branches: [("HIGH".to_owned(), "b".into())].into(),
        next: Some("c".into()),
    });
    let linear = Routing::Linear { next: Some("c".into()) };
    for routing in [linear, branch, Routing::Terminal] {
        for from in [None, Some("a")] {
            assert_eq!(freed(&play, routed(routing.clone()), from), past, "{routing:?}");
        }
    }
    // What is new before the gate frees nothing.
    let mut more = steps(&["a", "n", "m", "b", "c"]);
    more[3].gate = gate(GateAt::Before);
    assert_eq!(freed(&play, more, None), [""; 0]);
    // Where it is the last of all, the end is what it guarded.
    let mut last = steps(&["a", "n", "b"]);
    last[2].gate = gate(GateAt::Before);
    let mut play = start(last.clone());
    play.succeed();
    play.finish(failed("no paper"));
    last[1].routing = Routing::Terminal;
    let less = "The gate at “B” asks a person less, or later, than it did.";
    assert_eq!(freed(&play, last, None), [less]);
}

#[test]
fn a_gate_that_a_mended_file_has_later_is_named_until_it_was_approved() {
    let mut all = steps(&["a", "b", "c"]);
    all[1].gate = gate(GateAt::Before);
    let mut moved = steps(&["a", "c", "b"]);
    moved[2].gate = gate(GateAt::Before);
    let mut play = start(all.clone());
    play.succeed();
    let abort = Intent::Abort {
        by: "Ada".into(),
        reason: "lunch".into(),
        given: None,
    };
    play.send(abort).unwrap();
    let past = ["The gate at “B” does not always come before “C” any more."];
    assert_eq!(freed(&play, moved, None), past);
    // It was approved: what follows it may follow as it likes.
    let mut play = start(all.clone());
    play.succeed();
    play.answer(Answer::Approve, "fine");
    play.finish(failed("no ink"));
    all.push(Step::new("d", 3));
    assert_eq!(freed(&play, all, None), [""; 0]);
}

#[test]
fn a_run_that_was_stopped_goes_on_at_what_was_in_flight() {
    let mut play = start(steps(&["a", "b"]));
    play.succeed();
    let abort = Intent::Abort {
        by: "Ada".into(),
        reason: "lunch".into(),
        given: None,
    };
    play.send(abort).unwrap();
    assert_eq!(
        names(&take_up(&mut play, None).unwrap()),
        ["reopened by Ada", "start b#2.1"]
    );
    play.succeed();
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
}

#[test]
fn the_safety_limit_counts_from_there() {
    let mut all = steps(&["a"]);
    all[0].routing = Routing::Linear { next: Some("a".into()) };
    let mut play = start(all);
    while !play.state.status.ended() {
        play.succeed();
    }
    assert_eq!(play.state.error.as_deref(), Some("Safety limit reached: 11 steps"));
    take_up(&mut play, None).unwrap();
    assert_eq!(play.running().0.visit, 11);
}

/// `receipt` → `a` beside `b` beside `c` → `decide`.
fn audits(on_failure: BranchFailure) -> Vec<Step> {
    let mut all = steps(&["receipt", "a", "b", "c", "decide"]);
    let rules = ForkRules {
        on_failure,
        ..ForkRules::default()
    };
    all[0].routing = fork(&["a", "b", "c"], rules);
    for step in &mut all[1..4] {
        step.routing = Routing::Linear {
            next: Some("decide".into()),
        };
    }
    all
}

#[test]
fn only_the_branch_that_failed_goes_on_and_the_others_keep_what_they_came_to() {
    let mut play = start(audits(BranchFailure::ContinueAll));
    play.succeed();
    play.ends("a", reported(json!({"status": "VERIFIED"})));
    play.ends("b", failed("no licence"));
    play.ends("c", reported(json!({"status": "VERIFIED"})));
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
    assert_eq!(places(&play), ["receipt"], "a branch is taken up with its fork");
    assert!(
        take_up(&mut play, Some("b"))
            .unwrap_err()
            .message
            .contains("in a branch of")
    );
    assert_eq!(
        names(&take_up(&mut play, None).unwrap()),
        ["reopened by Ada", "start b#2.1"]
    );
    assert_eq!(play.in_flight(), ["b"]);
    let events = play.ends("b", reported(json!({"status": "VERIFIED"})));
    assert!(
        events.contains(&"join true 3 of 3 complete, 3 needed allended".to_owned()),
        "{events:?}"
    );
    play.ends("decide", reported(json!({})));
    assert_eq!(play.visited(), ["receipt#1", "a#1", "b#1", "c#1", "b#2", "decide#1"]);
}

#[test]
fn branches_that_were_cut_off_go_on_too() {
    let mut play = start(audits(BranchFailure::FailFast));
    play.succeed();
    play.ends("a", reported(json!({})));
    play.ends("b", failed("no licence"));
    assert!(play.state.status.ended(), "the first failure cuts off the rest");
    take_up(&mut play, None).unwrap();
    assert_eq!(play.in_flight(), ["b", "c"]);
    play.ends("b", reported(json!({})));
    play.ends("c", reported(json!({})));
    play.ends("decide", reported(json!({})));
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));

    let mut play = start(audits(BranchFailure::ContinueAll));
    play.succeed();
    play.ends("a", reported(json!({})));
    let abort = Intent::Abort {
        by: "Ada".into(),
        reason: "lunch".into(),
        given: None,
    };
    play.send(abort).unwrap();
    take_up(&mut play, None).unwrap();
    assert_eq!(play.in_flight(), ["b", "c"], "stopped in the middle of a fork");
}

#[test]
fn a_run_inside_another_one_is_taken_up_with_that_one() {
    let workflow = workflow(steps(&["a", "b"]));
    let mut created = created(Limits {
        max_retries: 0,
        ..Limits::default()
    });
    created.parent = Some(ParentRun {
        run: "around".into(),
        instance: Instance {
            step: "step".into(),
            visit: 1,
            path: Vec::new(),
        },
        index: 0,
        depth: 1,
    });
    let begun = || {
        let mut play = Play::new(workflow.clone());
        play.send(Intent::Create(Arc::new(created.clone()))).unwrap();
        play
    };
    let mut play = begun();
    play.finish(failed("no paper"));
    let refused = take_up(&mut play, None).unwrap_err();
    assert_eq!(refused.code, RefusalCode::CannotReopen);
    assert!(
        refused.message.contains("a part of the run around"),
        "{}",
        refused.message
    );
    assert_eq!(places(&play), [""; 0]);
    // One that was ended with the run around it goes on with that where it stood, and nowhere else.
    let mut play = begun();
    play.succeed();
    let (by, reason) = ("Ada".to_owned(), String::new());
    play.send(Intent::Abort {
        by,
        reason,
        given: None,
    })
    .unwrap();
    assert!(engine::control::resume::by_itself(&play.state).is_err());
    assert_eq!(places(&play), [""; 0]);
    assert!(take_up(&mut play, Some("a")).is_err());
    take_up(&mut play, None).unwrap();
    assert_eq!(play.running().0.step.as_str(), "b");
}
