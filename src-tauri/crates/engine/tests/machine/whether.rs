//! Steps that are not always done, steps that a run can do without, and steps that another one takes over (seed 003's family).

use crate::play::created;
use crate::stages::{Pipeline, pipeline};
use engine::{Answer, Decision, EngineInfo, Event, GateId, GateReason, Intent, Limits, Purpose, Refusal, StageEnd};
use model::{Failing, OnFailure, Step, StepId, Whether, Workflow};
use serde_json::json;
use std::sync::Arc;

/// A pipeline whose stages are changed first.
fn run(stages: &str, change: impl Fn(&mut Step)) -> Pipeline {
    let limits = Limits {
        parallel: 8,
        ..Limits::default()
    };
    Pipeline::new(changed(stages, change), limits)
}

fn changed(stages: &str, change: impl Fn(&mut Step)) -> Workflow {
    let whole = pipeline(stages, OnFailure::Halt);
    let steps = whole.steps().iter().map(|step| {
        let mut step = step.clone();
        change(&mut step);
        step
    });
    Workflow::new(whole.id.clone(), whole.title.clone(), whole.format, steps.collect())
}

fn whether(condition: Option<&str>) -> Option<Whether> {
    Some(Whether {
        condition: condition.map(str::to_owned),
        ..Whether::default()
    })
}

fn choose(run: &mut Pipeline, stage: &str, way: &str) -> Result<(), Refusal> {
    decide(run, stage, 1, Answer::Choose, Some(way))
}

fn decide(run: &mut Pipeline, stage: &str, round: u32, answer: Answer, way: Option<&str>) -> Result<(), Refusal> {
    let gate = GateId::whether(&run.workflow.id, &StepId::from(stage));
    run.say(Intent::Answer(Arc::new(Decision {
        gate,
        round,
        answer,
        by: "Ann".into(),
        comment: "not now".into(),
        seen: Vec::new(),
        undrawn: Vec::new(),
        via: "test".into(),
        lasting: None,
        way: way.map(str::to_owned),
        report: Default::default(),
        key_name: None,
        signature: None,
    })))
}

fn optional(id: &str) -> impl Fn(&mut Step) {
    move |step| {
        if step.id.as_str() == id {
            step.whether = whether(None);
            step.failing = Failing::Spared;
        }
    }
}

#[test]
fn an_optional_step_waits_for_a_person_and_what_is_left_out_holds_up_nobody() {
    let mut left = run("a b<a c<b", optional("b")).run();
    assert_eq!(left.summary(), "Blocked: a=done b=blocked c=pending");
    choose(&mut left, "b", "leave_out").expect("it is asked");
    let left = left.run();
    assert_eq!(left.summary(), "Succeeded: a=done b=skipped c=done");
    let why = left.log.iter().find_map(|(_, event)| match event {
        Event::Settled(settled) if settled.status == StageEnd::Skipped => settled.spared.clone(),
        _ => None,
    });
    assert_eq!(why.as_deref(), Some("Ann left it out: not now"));
    let mut done = run("a b<a c<b", optional("b")).run();
    choose(&mut done, "b", "do").expect("it is asked");
    assert_eq!(done.run().summary(), "Succeeded: a=done b=done c=done");
    let mut refused = run("a b<a c<b", optional("b")).run();
    choose(&mut refused, "b", "elsewhere").expect_err("no such way");
}

#[test]
fn what_was_reported_decides_a_condition_and_nobody_is_asked() {
    let conditioned = |step: &mut Step| {
        if step.id.as_str() == "b" {
            step.whether = whether(Some("size == 'large' && pages"));
        }
    };
    for (report, summary) in [
        (
            json!({"size": "large", "pages": true}),
            "Succeeded: a=done x=done b=done c=done",
        ),
        (
            json!({"size": "small", "pages": true}),
            "Succeeded: a=done x=done b=skipped c=done",
        ),
        // Of one of the names nobody has spoken, or not with a yes or a no.
        (json!({"size": "large"}), "Blocked: a=done x=done b=blocked c=pending"),
        (
            json!({"size": "large", "pages": "some"}),
            "Blocked: a=done x=done b=blocked c=pending",
        ),
    ] {
        let mut run = run("a x b<a c<b", conditioned);
        run.reports.insert("a".into(), report);
        // What a stage beside it reports says nothing: which of them is quicker must not decide.
        run.reports.insert("x".into(), json!({"pages": true}));
        assert_eq!(run.run().summary(), summary);
    }
    let prose = run("a b<a", |step| {
        if step.id.as_str() == "b" {
            step.whether = whether(Some("the services have to know of it"));
        }
    });
    assert_eq!(prose.run().summary(), "Blocked: a=done b=blocked");
}

/// Whoever reports null has said nothing, and a step with a gate is not left out for that.
#[test]
fn null_decides_no_condition_unless_the_condition_asks_for_it() {
    let summary = |condition: &str, of_a: serde_json::Value, of_b: serde_json::Value| {
        let mut run = run("a b<a c<b", |step| {
            if step.id.as_str() == "c" {
                step.whether = whether(Some(condition));
            }
        });
        run.reports.insert("a".into(), of_a);
        run.reports.insert("b".into(), of_b);
        run.run().summary()
    };
    let (asked, done, left_out) = (
        "Blocked: a=done b=done c=blocked",
        "Succeeded: a=done b=done c=done",
        "Succeeded: a=done b=done c=skipped",
    );
    let (null, high) = (json!({"risk": null}), json!({"risk": "high"}));
    assert_eq!(summary("risk == 'high'", null.clone(), json!({})), asked);
    assert_eq!(
        summary("risk == 'high'", high, null.clone()),
        done,
        "what was said before counts"
    );
    assert_eq!(
        summary("review.risk == 'high'", json!({"review": {"risk": null}}), json!({})),
        asked
    );
    for (condition, summed) in [
        ("risk == null", done),
        ("null != risk && risk == 'high'", left_out),
        ("risk in [None, 'high']", done),
        ("risk == 'high' || size == null", asked),
    ] {
        let of_a = json!({"risk": null, "size": "small"});
        assert_eq!(summary(condition, of_a, json!({})), summed, "{condition}");
    }
}

/// A number that is compared with text leaves a step out, and nobody would look for the reason there.
#[test]
fn what_is_left_out_for_a_comparison_that_never_is_equal_says_so() {
    let counted = |step: &mut Step| {
        if step.id.as_str() == "b" {
            step.whether = whether(Some("count == '3'"));
        }
    };
    let why = |count: serde_json::Value| {
        let mut run = run("a b<a", counted);
        run.reports.insert("a".into(), json!({"count": count}));
        let run = run.run();
        let settled = run.log.iter().find_map(|(_, event)| match event {
            Event::Settled(settled) if settled.status == StageEnd::Skipped => settled.spared.clone(),
            _ => None,
        });
        settled.expect("it is left out")
    };
    let left_out = "`count == '3'` does not hold, by what was reported";
    assert_eq!(
        why(json!(3)),
        format!("{left_out}; `count` is a number, and a number never equals text")
    );
    assert_eq!(why(json!("4")), left_out);
}

#[test]
fn of_an_optional_step_a_person_is_asked_also_where_its_condition_holds() {
    let both = |step: &mut Step| {
        optional("b")(step);
        if let Some(whether) = step.whether.as_mut() {
            whether.condition = Some("size == 'large'".to_owned());
            whether.optional = true;
        }
    };
    let asked = |report| {
        let mut run = run("a b<a c<b", both);
        run.reports.insert("a".into(), report);
        run.run()
    };
    let mut holds = asked(json!({"size": "large"}));
    assert_eq!(holds.summary(), "Blocked: a=done b=blocked c=pending");
    let opened = holds.log.iter().find_map(|(_, event)| match event {
        Event::GateOpened(opened) => Some((opened.why.clone(), opened.question.clone())),
        _ => None,
    });
    let question = "“B” is optional, and done only where “size == 'large'” holds. Shall it be done?";
    assert_eq!(opened, Some((GateReason::OptionalStep, question.to_owned())));
    choose(&mut holds, "b", "leave_out").expect("it is asked");
    assert_eq!(holds.run().summary(), "Succeeded: a=done b=skipped c=done");
    // Where it does not hold there is nothing to ask.
    let not = asked(json!({"size": "small"}));
    assert_eq!(not.summary(), "Succeeded: a=done b=skipped c=done");
}

#[test]
fn a_run_goes_on_without_a_step_that_it_can_do_without_and_says_so_at_its_end() {
    let spared = |step: &mut Step| {
        if step.id.as_str() == "b" {
            step.failing = Failing::Spared;
        }
    };
    let run = run("a b<a c<b", spared).failing("b").run();
    assert_eq!(run.summary(), "CompletedWithFailures: a=done b=failed c=done");
}

/// No failure passes a gate: whoever is asked says whether the run goes on without the step.
#[test]
fn a_step_that_a_run_can_do_without_asks_at_its_gate_where_it_has_failed() {
    let failed = |failing: Failing| {
        let gated = move |step: &mut Step| {
            if step.id.as_str() == "b" {
                step.failing = failing;
                step.phase = Some("g".into());
                step.gate = crate::play::gate(model::GateAt::After);
            }
            if step.id.as_str() == "x" {
                step.phase = Some("g".into());
            }
        };
        run("a b|<a x|<a c<b,x", gated).failing("b").run()
    };
    for failing in [Failing::Spared, Failing::SparedBesideAnother] {
        let mut run = failed(failing);
        assert_eq!(run.summary(), "Blocked: a=done b=blocked x=done c=pending");
        let asked = run.state.waiting().expect("somebody is asked").opened.question.clone();
        assert!(asked.starts_with("“B” has failed (broken)."), "{asked}");
        run.answer("b", Answer::Approve, "it may be missing")
            .expect("it is asked");
        assert_eq!(
            run.run().summary(),
            "CompletedWithFailures: a=done b=failed x=done c=done"
        );
        let mut run = failed(failing);
        run.answer("b", Answer::Reject, "not without it").expect("it is asked");
        assert_eq!(
            run.run().summary(),
            "Failed (Rejected by Ann: not without it): a=done b=refused x=done c=skipped"
        );
        let mut run = failed(failing);
        run.answer("b", Answer::Changes, "once more").expect("it is asked");
        let mut run = run.run();
        assert_eq!(run.summary(), "Blocked: a=done b=blocked x=done c=pending");
        run.answer("b", Answer::Approve, "well done").expect("it is asked");
        assert_eq!(run.run().summary(), "Succeeded: a=done b=done x=done c=done");
    }
}

#[test]
fn of_a_group_one_step_is_enough_and_none_is_not() {
    let group = |step: &mut Step| {
        if step.id.as_str().starts_with('g') {
            step.phase = Some("g".into());
            step.failing = Failing::SparedBesideAnother;
        }
    };
    let one = run("g1| g2| z<g1,g2", group).failing("g1").run();
    assert_eq!(one.summary(), "CompletedWithFailures: g1=failed g2=done z=done");
    let none = run("g1| g2| z<g1,g2", group).failing("g1").failing("g2").run();
    assert_eq!(
        none.summary(),
        "Failed (Pipeline failed at stage: g2): g1=failed g2=failed z=skipped"
    );
}

#[test]
fn another_one_takes_over_what_has_failed_as_often_as_it_may() {
    let taken_over = |step: &mut Step| {
        step.agents = vec!["dev".into()];
        step.escalate_to = Some("architect".into());
        step.retries = Some(model::Retries {
            max: Some(1),
            backoff_ms: 0,
        });
    };
    let who = |run: &Pipeline| -> Vec<String> {
        let started = run.log.iter().filter_map(|(_, event)| match event {
            Event::AttemptStarted(started) => Some(started.agents[0].to_string()),
            _ => None,
        });
        started.collect()
    };
    let retried = |mut run: Pipeline| {
        for _ in 0..4 {
            while run.end_one() {}
            let instance = run.state.visits().last().map(|visit| visit.instance.clone());
            if let Some(instance) = instance {
                let _ = run.say(Intent::Retry { instance });
            }
        }
        run
    };
    let well = retried(run("a", taken_over).failing("a").failing("a"));
    assert_eq!(who(&well), ["dev", "dev", "architect"]);
    assert_eq!(well.summary(), "Succeeded: a=done");
    let badly = retried(run("a", taken_over).failing("a").failing("a").failing("a"));
    assert_eq!(who(&badly), ["dev", "dev", "architect"]);
    assert_eq!(badly.summary(), "Failed (Pipeline failed at stage: a): a=failed");
}

/// `a` escalates to Bea, a person.
fn to_bea() -> Pipeline {
    let escalates = |step: &mut Step| {
        if step.id.as_str() == "a" {
            step.agents = vec!["dev".into()];
            step.escalate_to = Some("Bea".into());
        }
    };
    let mut created = created(Limits::default());
    created.engines.insert("Bea".into(), EngineInfo::person());
    Pipeline::begun(changed("a b<a", escalates), created)
}

fn says_of_a(run: &mut Pipeline, answer: Answer) -> Result<(), Refusal> {
    run.say(Intent::Answer(Arc::new(Decision {
        gate: GateId::outcome(&run.workflow.id, &"a".into()),
        round: 1,
        answer,
        by: "Bea".into(),
        comment: "by hand".into(),
        seen: Vec::new(),
        undrawn: Vec::new(),
        via: "test".into(),
        lasting: None,
        way: None,
        report: Default::default(),
        key_name: None,
        signature: None,
    })))
}

#[test]
fn a_person_is_asked_by_name_to_take_over_what_has_failed_and_what_they_do_is_the_next_attempt() {
    let asked = || to_bea().failing("a").run();
    let run = asked();
    assert_eq!(run.summary(), "Blocked: a=blocked b=pending");
    let opened = run.state.waiting().expect("a gate").opened.clone();
    assert_eq!(
        (&opened.asks[..], &opened.why, &opened.purpose),
        (
            &["Bea".into()][..],
            &GateReason::Escalated,
            &Purpose::Outcome {
                pass: "PASS".into(),
                fail: "FAIL".into(),
                attempt: true
            }
        )
    );
    let mut well = asked();
    says_of_a(&mut well, Answer::Approve).expect_err("it is no approval");
    says_of_a(&mut well, Answer::Pass).expect("it is asked");
    let well = well.run();
    assert_eq!(well.summary(), "Succeeded: a=done b=done");
    let visits: Vec<_> = well.state.visits_of(&"a".into()).collect();
    let who: Vec<_> = visits[0].attempts.iter().map(|one| &one.started.agents[..]).collect();
    assert_eq!((visits.len(), who), (1, vec![&["dev".into()][..], &["Bea".into()][..]]));
    assert!(visits[0].attempts[1].started.engine.is_person());
    // What a person could not do either has failed, and nobody is asked again.
    let mut badly = asked().failing("a");
    says_of_a(&mut badly, Answer::Fail).expect("it is asked");
    assert_eq!(
        badly.run().summary(),
        "Failed (Pipeline failed at stage: a): a=failed b=skipped"
    );
}

#[test]
fn a_run_in_which_a_person_takes_over_and_that_is_cut_off_anywhere_comes_to_the_same() {
    let mut whole = to_bea().failing("a").run();
    says_of_a(&mut whole, Answer::Pass).expect("it is asked");
    let whole = whole.run();
    for cut in 1..whole.log.len() {
        let mut again = Pipeline::of(whole.workflow.clone(), whole.log[..cut].to_vec());
        let has_failed = again.state.results().iter().any(|(at, _)| at.step.as_str() == "a");
        if !has_failed {
            again = again.failing("a");
        }
        let _ = again.say(Intent::Proceed);
        while again.end_one() {}
        if again.state.status == engine::RunStatus::Blocked {
            says_of_a(&mut again, Answer::Pass).expect("it is asked");
        }
        let due = again
            .state
            .visits_of(&"a".into())
            .last()
            .map(|visit| visit.instance.clone());
        if let Some(instance) = due {
            let _ = again.say(Intent::Retry { instance });
        }
        assert_eq!(again.run().summary(), whole.summary(), "after {cut} events");
    }
}

#[test]
fn a_run_that_is_cut_off_anywhere_comes_to_the_same() {
    let mut whole = run("a b<a c<b d<c", optional("b")).run();
    choose(&mut whole, "b", "leave_out").expect("it is asked");
    let whole = whole.run();
    for cut in 1..whole.log.len() {
        let mut again = Pipeline::of(whole.workflow.clone(), whole.log[..cut].to_vec());
        let _ = again.say(Intent::Proceed);
        while again.end_one() {}
        if again.state.status == engine::RunStatus::Blocked {
            choose(&mut again, "b", "leave_out").expect("it is asked");
        }
        assert_eq!(again.run().summary(), whole.summary(), "after {cut} events");
    }
}

/// Whoever asks the step before for changes has not yet said whether this one is done: the question comes again.
#[test]
fn changes_asked_of_the_step_before_leave_the_question_open() {
    let mut run = run("a b<a c<b", optional("b")).run();
    decide(&mut run, "b", 1, Answer::Changes, None).expect("it may be asked");
    let mut run = run.run();
    assert_eq!(run.state.visits_of(&"a".into()).count(), 2);
    assert_eq!(run.summary(), "Blocked: a=done b=blocked c=pending");
    decide(&mut run, "b", 2, Answer::Choose, Some("leave_out")).expect("it is asked again");
    assert_eq!(run.run().summary(), "Succeeded: a=done b=skipped c=done");
}
