//! Human gates (CONTRACTS "Human gates"): when they open, what they show, where each answer leads, what is refused.

use crate::play::{Play, critic_flow, gate, made, names, reported, steps, workflow};
use engine::{
    Answer, Cursor, Decision, EndStatus, ExecutionStatus, GateId, GateRound, Intent, Limits, RefusalCode, RunStatus,
    StepResult, StepStatus,
};
use model::{GateAt, GateRequirement, Routing, Step};
use serde_json::json;
use std::sync::Arc;

fn shown(play: &Play) -> Vec<String> {
    play.opened().shown.into_iter().map(|a| a.digest.to_string()).collect()
}

/// `draft` → `approve` (gate after) → `publish`.
fn approval() -> Vec<Step> {
    let mut flow = steps(&["draft", "approve", "publish"]);
    flow[1].gate = gate(GateAt::After);
    flow[1].inputs = vec!["plan.md".into()];
    flow
}

fn at_approval() -> Play {
    let mut play = Play::start(approval());
    play.finish(made("1", &["out/plan.md", "out/notes.md"]));
    play.succeed();
    play
}

#[test]
fn a_gate_after_the_work_blocks_the_run_and_shows_what_there_is() {
    let play = at_approval();
    let opened = play.opened();
    assert_eq!(play.state.status, RunStatus::Blocked);
    assert_eq!(play.state.step_status(&"approve".into()), StepStatus::Blocked);
    assert_eq!(opened.gate.as_str(), "flow:approve:hitl");
    assert_eq!(opened.why.as_str(), "explicit human gate");
    assert_eq!(opened.question, "“Approve” is done. Do you approve the result?");
    assert_eq!(
        shown(&play),
        ["out/plan.md#1"],
        "the step made nothing: what it worked from is shown"
    );
    assert_eq!(
        (opened.approve_to, opened.changes_to, opened.reject_to),
        (Some("publish".into()), Some("approve".into()), None)
    );
}

#[test]
fn the_time_in_which_people_are_waited_for_is_told_apart_from_that_of_work() {
    const HOUR: i64 = 3_600_000;
    let mut play = at_approval();
    play.now.0 += HOUR;
    let about = |waited: u64| (3_600_000..3_600_010).contains(&waited);
    assert!(about(engine::waited_ms(&play.state, &[], play.now)), "it still waits");
    play.answer(Answer::Approve, "");
    play.now.0 += HOUR;
    play.succeed();
    let waited = engine::waited_ms(&play.state, &[], play.now);
    assert!(about(waited), "{waited}");
}

/// The log of a run that goes on behind the last event of another one, as [`Play::log`].
fn gone_back(log: &[(engine::At, engine::Event)], run: &str, began: engine::At) -> Vec<(engine::At, engine::Event)> {
    let (at, engine::Event::RunCreated(first)) = &log[0] else {
        panic!("a log begins with its creation");
    };
    let created = engine::RunCreated {
        run_id: run.into(),
        continues: Some(Arc::new(engine::Continued {
            at: *at,
            created: Arc::clone(first),
            events: log.len() as u64,
            link: String::new(),
            back_to: Some("here".to_owned()),
            put_back: Vec::new(),
            working: Vec::new(),
            ungated: Vec::new(),
        })),
        ..engine::RunCreated::clone(first)
    };
    let mut all = log.to_vec();
    all[0] = (began, engine::Event::RunCreated(Arc::new(created)));
    all
}

/// The events keep the times at which they happened, and nobody waits in a run before there is one.
#[test]
fn what_stood_open_when_a_run_went_back_is_waited_for_since_then() {
    const HOUR: i64 = 3_600_000;
    let folded = |log: &[(engine::At, engine::Event)]| engine::fold(log.iter().map(|(at, event)| (*at, event)));
    let mut play = at_approval();
    let asked = play.now;
    let later = |hours: i64| engine::At(asked.0 + hours * HOUR);
    let first = play.log.clone();
    let second = gone_back(&first, "second", later(2));
    let state = folded(&second);
    let round = state.waiting().expect("it is asked");
    let opened_at = play.state.waiting().expect("it is asked").opened_at;
    assert_eq!((round.opened_at, round.since), (opened_at, later(2)));
    assert_eq!(engine::waits(&state, &[], later(3)), [(later(2), later(3))]);
    // What was answered in the run before was waited for there.
    play.now = later(1);
    play.answer(Answer::Changes, "so");
    let answered = folded(&gone_back(&play.log, "other", later(2)));
    let rounds: Vec<_> = answered.gates.values().flatten().collect();
    assert_eq!((rounds[0].opened_at, rounds[0].since), (opened_at, opened_at));
    // It is answered in the second run, and a third one goes back behind that: it was waited for in the second one.
    let mut second = second;
    let decided = play
        .log
        .iter()
        .find(|(_, event)| matches!(event, engine::Event::GateAnswered(_)));
    second.push((later(3), decided.expect("it was answered").1.clone()));
    let third = folded(&gone_back(&second, "third", later(5)));
    let rounds: Vec<_> = third.gates.values().flatten().collect();
    assert_eq!(rounds[0].since, later(2));
    let taken = |state: &engine::RunState| -> Vec<(String, u64, u64)> {
        let taken = state.created.as_deref().expect("it was created").taken_over();
        let each = taken.into_iter();
        each.map(|(run, events)| (run.to_string(), *events.start(), *events.end()))
            .collect()
    };
    let (own, all) = (
        play.state
            .created
            .as_deref()
            .expect("it was created")
            .run_id
            .to_string(),
        first.len() as u64,
    );
    assert!(taken(&play.state).is_empty());
    assert_eq!(taken(&state), [(own.clone(), 2, all)]);
    assert_eq!(taken(&third), [(own, 2, all), ("second".to_owned(), all + 1, all + 1)]);
}

/// A run as one that carries out a visit of another.
fn inside(inner: &Play, outer: &Play, instance: engine::Instance) -> engine::RunState {
    let mut inner = inner.state.clone();
    let created = Arc::make_mut(inner.created.as_mut().unwrap());
    created.run_id = "inner".into();
    created.parent = Some(engine::ParentRun {
        run: outer.state.created.as_ref().unwrap().run_id.clone(),
        instance,
        index: 0,
        depth: 1,
    });
    inner
}

#[test]
fn a_question_that_a_run_inside_leaves_open_is_waited_for_until_that_run_ends() {
    const HOUR: i64 = 3_600_000;
    let mut outer = Play::start(crate::play::steps(&["stage", "after"]));
    let inner = at_approval();
    let instance = outer.running().0;
    outer.now = inner.now;
    outer.now.0 += 3 * HOUR;
    outer.succeed();
    let mut left = inside(&inner, &outer, instance);
    let mut ended = inner.now;
    ended.0 += HOUR;
    left.ended_at = Some(ended);
    let waited = engine::waited_ms(&outer.state, &[&left], outer.now);
    assert!((3_600_000..3_600_010).contains(&waited), "{waited}");
    // It carries out no attempt that had ended before: that one was at work itself.
    left.created_at = Some(outer.now);
    assert_eq!(engine::waited_ms(&outer.state, &[&left], outer.now), 0);
}

#[test]
fn a_step_waits_for_people_while_the_run_inside_it_does() {
    const HOUR: i64 = 3_600_000;
    let mut outer = Play::start(crate::play::steps(&["stage", "after"]));
    let mut inner = at_approval();
    let instance = outer.running().0;
    inner.now.0 += HOUR;
    inner.answer(Answer::Approve, "");
    // What comes behind the gate works as long again.
    inner.now.0 += HOUR;
    inner.succeed();
    outer.now = inner.now;
    outer.succeed();
    let inner = inside(&inner, &outer, instance);
    let waited = |inside: &[&engine::RunState]| engine::waited_ms(&outer.state, inside, outer.now);
    let about = |waited: u64| (3_600_000..3_600_010).contains(&waited);
    assert!(about(waited(&[&inner])), "{}", waited(&[&inner]));
    // From when to when it was, the run inside says by itself.
    let asked = inner.gates.values().flatten().next().expect("a round");
    let answered = asked.answer.as_ref().expect("an answer").1;
    assert_eq!(engine::waits(&inner, &[], outer.now), [(asked.opened_at, answered)]);
    assert_eq!(
        waited(&[]),
        0,
        "of a run inside that cannot be read the step is at work"
    );
}

#[test]
fn whoever_does_the_work_is_told_that_the_decision_comes_after_it() {
    let mut created = crate::play::created(engine::Limits::default());
    for step in ["approve", "publish"] {
        created.assigned.insert(step.into(), "Bea".into());
    }
    created.engines.insert("Bea".into(), engine::EngineInfo::person());
    let mut play = Play::begun(crate::play::workflow(approval()), created);
    play.finish(made("1", &["out/plan.md"]));
    assert_eq!(
        play.opened().question,
        "Approve: first the work, then its result is decided on"
    );
    play.answer(Answer::Pass, "");
    play.succeed();
    assert_eq!(play.opened().question, "“Approve” is done. Do you approve the result?");
    play.answer(Answer::Approve, "");
    assert_eq!(play.opened().question, "Publish", "nobody decides about it");
}

#[test]
fn a_rehearsal_does_not_say_that_the_work_is_done() {
    let created = engine::RunCreated {
        rehearsal: true,
        ..crate::play::created(engine::Limits::default())
    };
    let mut play = Play::begun(crate::play::workflow(approval()), created);
    play.succeed();
    play.succeed();
    assert_eq!(
        play.opened().question,
        "“Approve” was rehearsed, not done. Would you approve the result?"
    );
}

/// Bea does the work of the middle step, Ada has begun the run (with the key `aa`), Cy is somebody else.
fn under_four_eyes(rehearsal: bool) -> Play {
    Play::begun(workflow(approval()), with_four_eyes(rehearsal))
}

fn with_four_eyes(rehearsal: bool) -> engine::RunCreated {
    let mut created = crate::play::created(Limits::default());
    created.policy.four_eyes = true;
    created.by = "Ada".into();
    created.begun_with = Some("aa".into());
    created.rehearsal = rehearsal;
    created.assigned.insert("approve".into(), "Bea".into());
    created.engines.insert("Bea".into(), engine::EngineInfo::person());
    created
}

fn given(play: &Play, answer: Answer, by: &str, key: &str) -> Decision {
    let mut decision = play.decision(answer, "so");
    decision.by = by.into();
    decision.signature = Some(engine::Signature {
        key: key.into(),
        signature: String::new(),
        grounds: None,
    });
    decision
}

#[test]
fn where_four_eyes_are_wanted_nobody_approves_what_they_began_or_did() {
    let mut play = under_four_eyes(false);
    play.finish(made("1", &["out/plan.md"]));
    let work = given(&play, Answer::Pass, "Bea", "bb");
    play.send(Intent::Answer(Arc::new(work))).expect("her work");
    play.finish(made("2", &["out/verdict.md"]));
    for (by, key) in [("Ada", "cc"), (" ada", "cc"), ("Cy", "aa"), ("Bea", "cc"), ("Cy", "bb")] {
        let own = given(&play, Answer::Approve, by, key);
        let refused = play.send(Intent::Answer(Arc::new(own))).expect_err("no second person");
        assert_eq!(refused.code, RefusalCode::FourEyes, "{by} {key}");
        assert!(
            refused.message.contains("somebody else has to approve"),
            "{}",
            refused.message
        );
    }
    let mut lent = given(&play, Answer::Approve, "Cy", "cc");
    lent.key_name = Some("Ada".into());
    assert_eq!(play.refused(Intent::Answer(Arc::new(lent))), RefusalCode::FourEyes);
    let mut unseen = given(&play, Answer::Approve, "Cy", "cc");
    unseen.via = Decision::YES.into();
    assert_eq!(play.refused(Intent::Answer(Arc::new(unseen))), RefusalCode::FourEyes);
    // To say no is open to everybody.
    let before = play.state.clone();
    for no in [Answer::Changes, Answer::Reject] {
        let answer = given(&play, no, "Ada", "aa");
        let command = engine::Command {
            at: before.last_at.expect("it has begun"),
            intent: Intent::Answer(Arc::new(answer)),
        };
        engine::decide(&play.workflow, &before, &command).expect("anybody says no");
    }
    let second = given(&play, Answer::Approve, "Cy", "cc");
    play.send(Intent::Answer(Arc::new(second))).expect("a second person");
}

fn took(part: engine::Part, name: &str, key: &str) -> engine::TookPart {
    engine::TookPart {
        run: "another".into(),
        part,
        name: name.into(),
        key_name: None,
        key: Some(key.into()),
    }
}

/// A run and the runs inside it are one piece of work: what was done around it is told at its beginning, what is done inside by its steps.
#[test]
fn where_four_eyes_are_wanted_nobody_approves_who_took_part_around_or_inside() {
    use engine::Part;
    let mut created = with_four_eyes(false);
    created.parent = Some(engine::ParentRun {
        run: "outer".into(),
        instance: engine::Instance {
            step: "all".into(),
            visit: 1,
            path: Vec::new(),
        },
        index: 0,
        depth: 1,
    });
    created.hands = vec![
        took(Part::Began, "Ada", "aa"),
        took(Part::BeganBefore, "Eli", "ee"),
        took(Part::Worked, "Dee", "dd"),
    ];
    let mut play = Play::begun(workflow(approval()), created);
    play.finish(StepResult {
        hands: vec![took(Part::Worked, "Fay", "ff")],
        ..made("1", &["out/plan.md"])
    });
    let work = given(&play, Answer::Pass, "Bea", "bb");
    play.send(Intent::Answer(Arc::new(work))).expect("her work");
    play.finish(made("2", &["out/verdict.md"]));
    for (by, key, why) in [
        ("Ada", "cc", "You began the run around this one"),
        (
            "Eli",
            "cc",
            "You began the run that the one around this one goes on from",
        ),
        ("dee", "cc", "You carried out a step of the run around this one"),
        ("Cy", "dd", "You carried out a step of the run around this one"),
        ("Cy", "ff", "You carried out a step of a run inside this one"),
        ("Bea", "cc", "You carried out a step of this run"),
    ] {
        let own = given(&play, Answer::Approve, by, key);
        let refused = play.send(Intent::Answer(Arc::new(own))).expect_err("no second person");
        assert_eq!(refused.code, RefusalCode::FourEyes, "{by} {key}");
        assert!(refused.message.contains(why), "{by} {key}: {}", refused.message);
    }
    // A run that begins inside is told all of them, the run around those who worked here and inside.
    let names = |all: Vec<engine::TookPart>| -> Vec<String> { all.into_iter().map(|one| one.name).collect() };
    assert_eq!(names(play.state.hands()), ["Ada", "Ada", "Eli", "Dee", "Bea", "Fay"]);
    assert_eq!(names(play.state.workers()), ["Bea", "Fay"]);
    // Where one person may do it all that is nobody's business, until a run that wants four eyes goes on from it.
    let mut by_one = play.state.clone();
    let mut created = by_one.created.as_deref().expect("it has begun").clone();
    created.policy.four_eyes = false;
    by_one.created = Some(Arc::new(created));
    assert_eq!(names(by_one.workers()), [] as [&str; 0]);
    assert_eq!(names(by_one.worked()), ["Bea", "Fay"]);
    let second = given(&play, Answer::Approve, "Cy", "cc");
    play.send(Intent::Answer(Arc::new(second))).expect("a second person");
}

/// What was done beside a run since it began stands in other logs: whoever takes the answer has read those.
#[test]
fn where_four_eyes_are_wanted_nobody_approves_who_worked_beside() {
    let opened = at_approval().opened();
    let mut beside = vec![took(engine::Part::Worked, "Fay", "ff")];
    let asks = |rehearsal: bool, answer: Answer, (name, key): (&str, &str), beside: &[engine::TookPart]| {
        let hand = engine::Hand {
            name,
            key_name: None,
            key: Some(key),
            unseen: false,
        };
        let state = &under_four_eyes(rehearsal).state;
        let evidence = state.took_part_beside(hand, beside);
        let gate = state.wants_another_beside(&workflow(approval()), &opened, (answer, None), hand, beside);
        (gate, evidence)
    };
    for who in [("fay", "cc"), ("Cy", "ff")] {
        let (gate, evidence) = asks(false, Answer::Approve, who, &beside);
        let why = gate.expect("no second person");
        assert!(
            why.starts_with("You carried out a step of the run another,"),
            "{who:?}: {why}"
        );
        assert_eq!(evidence, Some(why), "{who:?}");
    }
    assert_eq!(asks(false, Answer::Approve, ("Cy", "cc"), &beside), (None, None));
    // To say no is open to everybody, and nobody's work is approved in a rehearsal.
    assert_eq!(asks(false, Answer::Reject, ("Fay", "ff"), &beside).0, None);
    assert_eq!(asks(true, Answer::Approve, ("Fay", "ff"), &beside), (None, None));
    // What its own log tells is refused by that.
    beside.push(took(engine::Part::Worked, "Ada", "aa"));
    assert_eq!(asks(false, Answer::Approve, ("Ada", "aa"), &beside), (None, None));
}

/// Whoever goes on from a run, or back to a moment of it, chooses what stands: they count as one who began the new one.
#[test]
fn where_four_eyes_are_wanted_going_on_from_a_run_is_beginning_one() {
    let earlier = with_four_eyes(false);
    let mut created = with_four_eyes(false);
    created.by = "Eli".into();
    created.begun_with = Some("ee".into());
    created.continues = Some(Arc::new(engine::Continued {
        at: engine::At(1),
        created: Arc::new(earlier),
        events: 1,
        link: String::new(),
        back_to: Some("before".to_owned()),
        put_back: Vec::new(),
        working: Vec::new(),
        ungated: Vec::new(),
    }));
    let mut state = Play::begun(workflow(approval()), with_four_eyes(false)).state.clone();
    state.created = Some(Arc::new(created));
    let opened = at_approval().opened();
    let asks = |by: &str| {
        let hand = engine::Hand {
            name: by,
            key_name: None,
            key: None,
            unseen: false,
        };
        state.wants_another(&workflow(approval()), &opened, (Answer::Approve, None), hand)
    };
    let said = |by: &str| asks(by).expect("somebody else is wanted");
    assert!(said("Eli").contains("You began this run by going on from an earlier one"));
    assert!(said("Ada").contains("You began the run that this one goes on from"));
    assert_eq!(asks("Cy"), None);
}

/// By when an answer is wanted counts from each round, by what held when the run began that asked; what is wanted moves no run.
#[test]
fn by_when_an_answer_is_wanted_is_counted_round_by_round_and_nothing_follows() {
    const HOUR: u64 = 3_600_000;
    let within = |hours: Option<u64>, rehearsal: bool| {
        let mut created = crate::play::created(Limits::default());
        created.policy.answer_within_ms = hours.map(|hours| hours * HOUR);
        created.rehearsal = rehearsal;
        created
    };
    let asked = |created: engine::RunCreated| {
        let mut play = Play::begun(workflow(approval()), created);
        play.finish(made("1", &["out/plan.md"]));
        play.succeed();
        play
    };
    let wanted = |play: &Play| {
        let round = play.state.waiting().expect("it is asked");
        let by = play.state.wanted_by(round)?;
        Some(by.since_ms(round.opened_at))
    };
    assert_eq!(wanted(&asked(within(None, false))), None);
    assert_eq!(
        wanted(&asked(within(Some(4), true))),
        None,
        "nobody waits for a rehearsal"
    );
    let mut play = asked(within(Some(4), false));
    assert_eq!(wanted(&play), Some(4 * HOUR));
    let first = play.state.waiting().map(|round| round.opened_at);
    // Long after it was wanted the question stands as it stood, and its answer counts.
    play.now.0 += 9 * 3_600_000;
    let late = play.decision(Answer::Changes, "so");
    play.send(Intent::Answer(Arc::new(late))).expect("it still waits");
    let rounds: Vec<_> = play.state.gates.values().flatten().cloned().collect();
    let by = play.state.wanted_by(&rounds[0]).expect("it was wanted");
    let answered = rounds[0].answer.as_ref().map(|(_, at)| *at);
    assert!(answered.is_some_and(|at| at.since_ms(by) > 4 * HOUR));
    play.finish(made("2", &["out/plan.md"]));
    assert_eq!(wanted(&play), Some(4 * HOUR), "the next round has a time of its own");
    assert_ne!(play.state.waiting().map(|round| round.opened_at), first);
    // What was asked in the run that this one goes on from was wanted by what held there.
    let mut created = within(Some(1), false);
    created.continues = Some(Arc::new(engine::Continued {
        at: engine::At(0),
        created: Arc::new(within(Some(4), false)),
        events: 1,
        link: String::new(),
        back_to: None,
        put_back: Vec::new(),
        working: Vec::new(),
        ungated: Vec::new(),
    }));
    play.state.created = Some(Arc::new(created));
    play.state.created_at = Some(play.now);
    let before = &rounds[0];
    let after = GateRound {
        opened_at: play.now,
        since: play.now,
        ..before.clone()
    };
    let spans = [before, &after].map(|round| play.state.wanted_by(round).map(|by| by.since_ms(round.opened_at)));
    assert_eq!(spans, [Some(4 * HOUR), Some(HOUR)]);
}

/// Who may not approve takes no gate away either: not with a mended file, and not with the settings.
#[test]
fn where_four_eyes_are_wanted_nobody_who_took_part_goes_on_without_a_gate() {
    let mut play = under_four_eyes(false);
    play.succeed();
    play.send(Intent::Abort {
        by: "Ada".into(),
        reason: "lunch".into(),
        given: None,
    })
    .expect("it is stopped");
    let ungated = |all: Vec<Step>, policy: &engine::GatePolicy| {
        let limits = Limits::default();
        let rules = engine::GateRules {
            policy,
            limits: &limits,
        };
        let now = workflow(all);
        let found = engine::mended(&play.workflow, &now, &play.state, rules, None);
        found.expect("nothing completed was changed").ungated
    };
    let (asks, silent) = (
        engine::GatePolicy::default(),
        engine::GatePolicy {
            mode: Some("advisory".to_owned()),
            ..engine::GatePolicy::default()
        },
    );
    let words = |all: &[engine::Ungated]| -> Vec<String> { all.iter().map(engine::Ungated::words).collect() };
    assert!(ungated(approval(), &asks).is_empty());
    let less = "The gate at “Approve” asks a person less, or later, than it did.";
    assert_eq!(words(&ungated(approval(), &silent)), [less]);
    // Where its step is left out it asks nobody.
    let mut optional = approval();
    optional[1].whether = Some(model::Whether {
        condition: Some("status == 'UNVERIFIED'".to_owned()),
        optional: false,
    });
    assert_eq!(words(&ungated(optional, &asks)), [less]);
    let mut all = approval();
    all[1].gate = None;
    let gone = ungated(all, &asks);
    assert_eq!(words(&gone), ["The gate at “Approve” is gone."]);
    // Who worked in a run inside that was cut off, or beside this one.
    let beside = [took(engine::Part::Worked, "Fay", "ff")];
    let goes_on = |name: &str, wanted: bool| {
        let hand = engine::Hand {
            name,
            key_name: None,
            key: None,
            unseen: false,
        };
        play.state.wants_another_to_ungate(&gone, wanted, hand, &beside)
    };
    let why = goes_on("Ada", false).expect("she began it");
    assert!(
        why.starts_with("You began this run") && why.contains("is gone"),
        "{why}"
    );
    let why = goes_on("fay", false).expect("she worked beside it");
    assert!(
        why.starts_with("You carried out a step of the run another,") && why.contains("is gone"),
        "{why}"
    );
    assert_eq!(goes_on("Cy", true), None);
    for name in ["Ada", "Fay"] {
        let hand = engine::Hand {
            name,
            key_name: None,
            key: None,
            unseen: false,
        };
        assert_eq!(play.state.wants_another_to_ungate(&[], true, hand, &beside), None);
    }
}

#[test]
fn a_name_is_the_same_however_it_is_written() {
    for (one, other, same) in [
        ("José", " JOSE\u{301}", true),
        ("ada lund", "Ada Lund", true),
        ("ANN  LUND", "Ann Lund", true),
        ("Ann\u{a0}\t\u{2003}Lund ", "Ann Lund", true),
        ("Ann \u{200b}Lund\u{feff}", "Ann Lund", true),
        ("AnnLund", "Ann Lund", false),
        ("José", "Jose", false),
    ] {
        assert_eq!(engine::is_same_name(one, other), same, "{one} {other}");
    }
}

/// What a step proposes is not looked at for gates on the way, and to leave out a step with a gate passes that gate.
#[test]
fn where_four_eyes_are_wanted_no_way_round_a_gate_is_chosen_alone() {
    let mut play = under_four_eyes(false);
    play.finish(made("1", &["out/plan.md"]));
    let way = |id: &str, action| engine::Way {
        id: id.into(),
        action,
        label: id.into(),
        to: Some("publish".into()),
        priority: 50,
        is_default: false,
        drawn: false,
    };
    let opened = |why, ways: Vec<engine::Way>| engine::GateOpened {
        why,
        purpose: engine::Purpose::Way { ways },
        ..play.opened()
    };
    let asks = |opened: &engine::GateOpened, by: &str, way: &str| {
        let hand = engine::Hand {
            name: by,
            key_name: None,
            key: None,
            unseen: false,
        };
        let given = (Answer::Choose, Some(way));
        play.state.wants_another(&play.workflow, opened, given, hand).is_some()
    };
    let proposed = opened(
        engine::GateReason::Proposal,
        vec![way("extend:publish", engine::WayAction::Extend)],
    );
    assert!(asks(&proposed, "Ada", "extend:publish") && !asks(&proposed, "Cy", "extend:publish"));
    let optional = opened(
        engine::GateReason::OptionalStep,
        vec![
            way("leave_out", engine::WayAction::LeaveOut),
            way("do", engine::WayAction::Advance),
        ],
    );
    assert!(asks(&optional, "Ada", "leave_out") && !asks(&optional, "Ada", "do"));
}

#[test]
fn a_rehearsal_needs_no_second_person() {
    let mut play = under_four_eyes(true);
    play.succeed();
    while play
        .state
        .waiting()
        .is_some_and(|round| round.opened.purpose != engine::Purpose::Approval)
    {
        play.answer(Answer::Pass, "");
    }
    if play.state.waiting().is_none() {
        play.succeed();
    }
    let own = given(&play, Answer::Approve, "Ada", "aa");
    play.send(Intent::Answer(Arc::new(own))).expect("nothing of it counts");
}

#[test]
fn a_verdict_stands_beside_what_it_is_about() {
    let mut play = Play::start(approval());
    play.finish(made("1", &["out/plan.md"]));
    play.finish(made("2", &["out/verdict.md"]));
    assert_eq!(shown(&play), ["out/verdict.md#2", "out/plan.md#1"]);
}

#[test]
fn approve_takes_the_route_that_was_announced() {
    let mut play = at_approval();
    assert_eq!(
        names(&play.answer(Answer::Approve, "")),
        ["answer approve", "route publish linear_default", "start publish#1.1"]
    );
    play.succeed();
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
    let mut last = steps(&["only"]);
    last[0].gate = gate(GateAt::After);
    let mut play = Play::start(last);
    play.succeed();
    assert_eq!(play.opened().approve_to, None);
    assert_eq!(
        names(&play.answer(Answer::Approve, "")),
        [
            "answer approve",
            "route - flow_complete_no_routing",
            "completed succeeded -"
        ]
    );
}

#[test]
fn changes_run_the_step_again_with_the_comment_and_ask_again() {
    let mut play = at_approval();
    assert_eq!(
        names(&play.answer(Answer::Changes, "name the owner")),
        [
            "answer changes",
            "route approve changes_requested:1",
            "start approve#2.1"
        ]
    );
    let route = play.state.routes.last().unwrap();
    assert_eq!(
        (route.decision, route.source),
        (engine::RouteKind::Loop, engine::RouteSource::Person)
    );
    assert_eq!(play.comments_of_running(), ["name the owner"]);
    assert!(play.state.comments.is_empty(), "handed over once");
    assert_eq!(
        names(&play.succeed()),
        ["end approve#2.1 succeeded", "ask approve round 2"]
    );
    play.answer(Answer::Changes, "and the date");
    assert_eq!(play.comments_of_running(), ["and the date"]);
    let rounds = &play.state.gates[&GateId::from("flow:approve:hitl")];
    assert_eq!(rounds.len(), 2, "each round is kept");
    assert_eq!(rounds[0].answer.as_ref().unwrap().0.comment, "name the owner");
}

#[test]
fn a_retry_gets_the_same_comments() {
    let limits = Limits {
        max_retries: 1,
        ..Limits::default()
    };
    let mut play = Play::start_with(workflow(approval()), limits);
    play.succeed();
    play.succeed();
    play.answer(Answer::Changes, "again");
    play.finish(crate::play::failed("x"));
    let Cursor::Retrying { instance, .. } = play.state.cursor.clone() else {
        panic!()
    };
    play.send(Intent::Retry { instance }).unwrap();
    assert_eq!(play.comments_of_running(), ["again"]);
}

#[test]
fn a_critics_gate_stands_across_the_way_out_of_its_loop() {
    let mut flow = critic_flow(3);
    flow[1].gate = gate(GateAt::After);
    let mut play = Play::start(flow);
    play.succeed();
    let turned = play.finish(reported(json!({"status": "UNVERIFIED"})));
    assert_eq!(
        names(&turned)[1],
        "route author loop_iteration:1",
        "nobody is asked while the loop turns by itself"
    );
    play.succeed();
    play.finish(reported(json!({"status": "VERIFIED"})));
    let opened = play.opened();
    assert_eq!(
        (opened.approve_to, opened.changes_to),
        (Some("done".into()), Some("author".into()))
    );
    play.answer(Answer::Changes, "shorter");
    assert_eq!(
        play.running().0.step.as_str(),
        "author",
        "the author works again, not the critic"
    );
    assert_eq!(play.comments_of_running(), ["shorter"]);
    assert_eq!(
        play.state.loop_state["critic:author"], 1,
        "people's rounds do not count as loops"
    );
    play.succeed();
    play.finish(reported(json!({"status": "VERIFIED"})));
    assert_eq!(play.opened().round, 2);
}

#[test]
fn the_gate_also_stands_where_the_loop_leaves_to_its_own_target() {
    let mut flow = critic_flow(1);
    let Routing::Microloop(m) = &mut flow[1].routing else {
        panic!()
    };
    m.next = Some("author".into());
    flow[1].gate = gate(GateAt::After);
    let mut play = Play::start(flow);
    play.succeed();
    play.finish(reported(json!({"status": "VERIFIED"})));
    assert_eq!(play.opened().approve_to, Some("author".into()));
}

#[test]
fn reject_ends_the_run_with_who_and_why() {
    let mut play = at_approval();
    assert_eq!(
        names(&play.answer(Answer::Reject, "too costly")),
        ["answer reject", "completed failed rejected by ada: too costly"]
    );
    assert_eq!(play.state.error.as_deref(), Some("Rejected by Ada: too costly"));
}

#[test]
fn reject_leads_to_on_reject_where_there_is_one() {
    let mut flow = approval();
    flow[1].gate.as_mut().unwrap().on_reject = Some("draft".into());
    let mut play = Play::start(flow);
    play.succeed();
    play.succeed();
    assert_eq!(play.opened().reject_to, Some("draft".into()));
    assert_eq!(
        names(&play.answer(Answer::Reject, "no")),
        ["answer reject", "route draft rejected:1", "start draft#2.1"]
    );
    assert_eq!(play.state.routes.last().unwrap().source, engine::RouteSource::Person);
}

#[test]
fn a_gate_before_the_work() {
    let mut flow = steps(&["write", "review", "deploy"]);
    flow[0].outputs = vec!["plan.md".into()];
    flow[2].gate = gate(GateAt::Before);
    flow[2].inputs = vec!["plan.md".into()];
    let mut play = Play::start(flow);
    play.finish(made("1", &["out/plan.md"]));
    assert_eq!(
        names(&play.succeed()),
        [
            "end review#1.1 succeeded",
            "route deploy linear_default",
            "ask deploy round 1"
        ]
    );
    let opened = play.opened();
    assert_eq!(opened.question, "Shall “Deploy” begin?");
    assert_eq!(shown(&play), ["out/plan.md#1"]);
    assert_eq!(opened.approve_to, Some("deploy".into()));
    assert_eq!(
        opened.changes_to,
        Some("write".into()),
        "the step it takes inputs from, not the one before it"
    );
    assert_eq!(
        names(&play.answer(Answer::Changes, "more")),
        ["answer changes", "route write changes_requested:1", "start write#2.1"]
    );
    play.finish(made("2", &["out/plan.md"]));
    play.succeed();
    assert_eq!(shown(&play), ["out/plan.md#2"]);
    assert_eq!(
        names(&play.answer(Answer::Approve, "")),
        ["answer approve", "start deploy#1.1"]
    );
    play.succeed();
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
}

#[test]
fn an_input_in_the_runs_own_folder_is_found_there() {
    let mut flow = critic_flow(3);
    flow[1].gate = gate(GateAt::After);
    flow[1].inputs = vec!["RUN_BASE/signal/plan.md".into()];
    let mut play = Play::start(flow);
    play.finish(made("1", &[".gatehouse/runs/7/signal/plan.md"]));
    play.finish(reported(json!({"status": "VERIFIED"})));
    assert_eq!(shown(&play), [".gatehouse/runs/7/signal/plan.md#1"]);
}

#[test]
fn a_gate_before_sees_what_the_step_before_it_just_made() {
    let mut flow = steps(&["write", "deploy"]);
    flow[1].gate = gate(GateAt::Before);
    let mut play = Play::start(flow);
    play.finish(made("1", &["plan.md"]));
    assert_eq!(
        shown(&play),
        ["plan.md#1"],
        "it names no inputs: what was made last is shown"
    );
    assert_eq!(play.opened().changes_to, Some("write".into()));
}

#[test]
fn nothing_can_be_repeated_before_the_first_step() {
    let mut flow = steps(&["deploy"]);
    flow[0].gate = gate(GateAt::Before);
    let mut play = Play::start(flow);
    let changes = play.decision(Answer::Changes, "hm");
    assert_eq!(
        play.refused(Intent::Answer(Arc::new(changes))),
        RefusalCode::NothingToRepeat
    );
    assert_eq!(
        names(&play.answer(Answer::Approve, "")),
        ["answer approve", "start deploy#1.1"]
    );
}

#[test]
fn which_requirements_block() {
    let opens = |requirement: GateRequirement, limits: Limits| {
        let mut flow = steps(&["a"]);
        flow[0].gate = gate(GateAt::After);
        flow[0].gate.as_mut().unwrap().requirement = requirement;
        let mut play = Play::start_with(workflow(flow), limits);
        play.succeed();
        play.state.waiting().map(|r| r.opened.why.clone())
    };
    let none = Limits::default();
    let all = Limits {
        conditional_required: true,
        recommended_required: true,
        ..none
    };
    assert_eq!(
        opens(GateRequirement::Required, none)
            .as_ref()
            .map(engine::GateReason::as_str),
        Some("explicit human gate")
    );
    assert_eq!(opens(GateRequirement::Conditional, none), None);
    assert_eq!(
        opens(GateRequirement::Conditional, all)
            .as_ref()
            .map(engine::GateReason::as_str),
        Some("conditional gate enforced")
    );
    assert_eq!(opens(GateRequirement::Recommended, none), None);
    assert_eq!(
        opens(GateRequirement::Recommended, all)
            .as_ref()
            .map(engine::GateReason::as_str),
        Some("recommended gate enforced")
    );
    assert_eq!(opens(GateRequirement::Optional, all), None);
}

#[test]
fn an_agent_does_not_pass_a_gate_by_saying_that_there_was_nothing_to_do() {
    let mut flow = steps(&["a", "b"]);
    flow[0].gate = gate(GateAt::After);
    let mut play = Play::start(flow);
    play.finish(StepResult::new(ExecutionStatus::Skipped));
    assert_eq!(play.state.status, RunStatus::Blocked);
    assert_eq!(
        play.opened().question,
        "“A” was skipped (no reason was given). Do you approve that?"
    );
    let events = play.answer(Answer::Approve, "");
    assert_eq!(names(&events)[1], "route b linear_default");
}

#[test]
fn a_question_of_the_author_says_that_the_work_was_skipped() {
    let mut flow = steps(&["a", "b"]);
    flow[0].gate = gate(GateAt::After);
    flow[0].gate.as_mut().expect("it asks").question = Some("May it go out?".into());
    let mut play = Play::start(flow);
    play.finish(StepResult {
        error: Some("no test database".into()),
        ..StepResult::new(ExecutionStatus::Skipped)
    });
    assert_eq!(
        play.opened().question,
        "“A” was skipped (no test database). May it go out?"
    );
}

#[test]
fn what_a_step_that_was_done_again_does_not_make_any_more_is_not_shown() {
    let mut flow = steps(&["check", "publish"]);
    flow[1].gate = gate(GateAt::Before);
    flow[1].inputs = vec!["check.md".into(), "inbox".into()];
    let mut play = Play::start(flow);
    play.finish(made("1", &["runs/1/check.md", "inbox/hours.md", "inbox/prices.md"]));
    assert_eq!(
        shown(&play),
        ["runs/1/check.md#1", "inbox/hours.md#1", "inbox/prices.md#1"]
    );
    play.answer(Answer::Changes, "once more");
    // In a run that was taken up as a new one its folder is another one.
    play.finish(made("2", &["runs/2/check.md", "inbox/hours.md"]));
    assert_eq!(shown(&play), ["runs/2/check.md#2", "inbox/hours.md#2"]);
}

#[test]
fn a_second_answer_is_told_who_decided() {
    let mut play = at_approval();
    let mut late = play.decision(Answer::Reject, "no");
    late.by = "Grace".into();
    play.answer(Answer::Approve, "");
    let refusal = play.send(Intent::Answer(Arc::new(late.clone()))).unwrap_err();
    assert_eq!(refusal.code, RefusalCode::AlreadyAnswered);
    assert_eq!(
        refusal.message,
        "Ada has already decided round 1 of this gate and approved it. Your answer was not used."
    );
    play.succeed();
    assert!(play.state.status.ended());
    let refusal = play.send(Intent::Answer(Arc::new(late))).unwrap_err();
    assert_eq!(refusal.code, RefusalCode::AlreadyAnswered, "also after the run's end");
}

#[test]
fn answers_that_do_not_fit_are_refused() {
    let mut play = at_approval();
    let refused = |play: &mut Play, change: &dyn Fn(&mut engine::Decision)| {
        let mut decision = play.decision(Answer::Approve, "");
        change(&mut decision);
        play.refused(Intent::Answer(Arc::new(decision)))
    };
    assert_eq!(refused(&mut play, &|d| d.round = 2), RefusalCode::WrongRound);
    assert_eq!(
        refused(&mut play, &|d| d.gate = "flow:draft:hitl".into()),
        RefusalCode::GateNotOpen
    );
    assert_eq!(refused(&mut play, &|d| d.by = "  ".into()), RefusalCode::NameRequired);
    assert_eq!(
        refused(&mut play, &|d| d.answer = Answer::Changes),
        RefusalCode::CommentRequired
    );
    let blank = |d: &mut engine::Decision| (d.answer, d.comment) = (Answer::Reject, " \n".into());
    assert_eq!(refused(&mut play, &blank), RefusalCode::CommentRequired);
    assert_eq!(
        refused(&mut play, &|d| d.seen = vec!["other".into()]),
        RefusalCode::ShownChanged
    );
    assert_eq!(
        refused(&mut play, &|d| d.way = Some("advance:publish".into())),
        RefusalCode::AnswerNotOffered
    );
    assert_eq!(play.state.status, RunStatus::Blocked, "nothing has happened");
    // Nothing is claimed to have been seen: a scripted answer.
    let mut decision = play.decision(Answer::Approve, "");
    decision.seen.clear();
    play.send(Intent::Answer(Arc::new(decision))).unwrap();
}

#[test]
fn people_may_turn_a_loop_as_often_as_they_like() {
    let mut flow = critic_flow(3);
    flow[1].gate = gate(GateAt::After);
    let mut play = Play::start(flow);
    for _ in 0..30 {
        play.succeed();
        play.finish(reported(json!({"status": "VERIFIED"})));
        play.answer(Answer::Changes, "again");
    }
    play.succeed();
    play.finish(reported(json!({"status": "VERIFIED"})));
    play.answer(Answer::Approve, "");
    play.succeed();
    assert_eq!(
        play.state.status,
        RunStatus::Ended(EndStatus::Succeeded),
        "{:?}",
        play.state.error
    );
}

#[test]
fn what_nobody_has_looked_at_does_not_turn_a_loop_for_ever() {
    let turned = |via: &str, comment: &str| {
        let mut all = steps(&["write", "sign"]);
        all[0].routing = Routing::Linear {
            next: Some("sign".into()),
        };
        all[1].routing = Routing::Linear {
            next: Some("write".into()),
        };
        all[1].gate = gate(GateAt::After);
        let mut play = Play::start(all);
        for _ in 0..30 {
            if play.state.status.ended() {
                break;
            }
            play.succeed();
            if play.state.waiting().is_some() {
                let mut decision = play.decision(Answer::Approve, comment);
                decision.via = via.to_owned();
                play.send(Intent::Answer(Arc::new(decision))).unwrap();
            }
        }
        play.state
    };
    let by_yes = turned(Decision::YES, "");
    assert_eq!(by_yes.status, RunStatus::Ended(EndStatus::Failed));
    assert_eq!(by_yes.error.as_deref(), Some("Safety limit reached: 21 steps"));
    let before = turned("cli", engine::APPROVED_BY_YES);
    assert!(before.status.ended(), "as the first logs told it");
    assert!(
        !turned("desktop", engine::APPROVED_BY_YES).status.ended(),
        "a loop that people turn is no runaway, whatever they type"
    );
}

#[test]
fn what_leads_past_somebody_who_is_asked_is_known() {
    let at_gate = at_approval();
    let approved = {
        let mut play = at_approval();
        play.answer(Answer::Approve, "")
    };
    let [_, route, begun] = approved.as_slice() else {
        panic!("{approved:?}");
    };
    let end = |status| {
        engine::Event::RunCompleted(engine::RunCompleted {
            status,
            error: None,
            message: None,
            steps_completed: 2,
            total_steps_executed: 2,
        })
    };
    let past = |event: &engine::Event| {
        let passed = engine::passed(&at_gate.state, event);
        passed.iter().map(|round| round.opened.round).collect::<Vec<_>>()
    };
    for event in [route, begun, &end(EndStatus::Succeeded)] {
        assert_eq!(past(event), [1], "{event:?}");
    }
    // Nobody waits for an answer any more where the run does not end well.
    for status in [EndStatus::Failed, EndStatus::Aborted] {
        assert_eq!(past(&end(status)), [0_u32; 0]);
    }
    // In this format nobody sends a run elsewhere.
    let sent = |event: &engine::Event| match event {
        engine::Event::Routed(route) => engine::Event::Routed(Arc::new(engine::RouteDecision {
            reason: engine::RouteReason::Jump("publish".into()),
            ..engine::RouteDecision::clone(route)
        })),
        other => other.clone(),
    };
    assert_eq!(past(&sent(route)), [1]);
    let answered = &approved[0];
    assert_eq!(past(answered), [0_u32; 0]);
}

#[test]
fn nothing_follows_an_end_but_that_the_run_is_taken_up_again() {
    let mut state = at_approval().state.clone();
    let paused = engine::Event::Paused {
        by: "Ann".into(),
        given: None,
    };
    assert!(!engine::is_behind_end(&state, &paused));
    let ended = engine::Event::RunCompleted(engine::RunCompleted {
        status: EndStatus::Aborted,
        error: None,
        message: None,
        steps_completed: 2,
        total_steps_executed: 2,
    });
    engine::apply(&mut state, engine::At(1), &ended);
    assert!(engine::is_behind_end(&state, &paused));
    let reopened = engine::Event::Reopened {
        by: "Ann".into(),
        choices: Default::default(),
        reset: Vec::new(),
        at: None,
    };
    assert!(!engine::is_behind_end(&state, &reopened));
}
