//! Runbooks (seed 002): transitions, containers, dynamic instances, people and permissions, on the same machine.

use crate::play::{Play, created, failed, names};
use engine::{
    Answer, Decision, Effect, EndStatus, Event, Instance, Intent, Lasting, Purpose, RefusalCode, RunCreated, RunStatus,
    StepResult, effects,
};
use model::{Action, Format, Jump, Quantifier, Routing, Step, StepId, Transition, Work, Workflow};
use proptest::prelude::*;
use std::sync::Arc;

/// One unit: `1`, `1.1 in 1`; `$` in front: a command, else a prompt; transitions after `:` as in a file, `;` between.
pub fn runbook(units: &[&str]) -> Workflow {
    let steps = units.iter().enumerate().map(|(n, text)| {
        let (head, transitions) = text.split_once(':').unwrap_or((text, ""));
        let command = head.starts_with('$');
        let head = head.trim_start_matches('$').trim();
        let (id, parent) = head.split_once(" in ").map_or((head, None), |(id, p)| (id, Some(p)));
        let mut step = Step::new(id, n);
        step.parent = parent.map(Into::into);
        step.dynamic = id.ends_with('}');
        step.jump_only = parent.is_none() && id.starts_with(char::is_alphabetic);
        let inside = format!(" in {id}");
        step.work = if units
            .iter()
            .any(|u| u.split(':').next().unwrap().trim().ends_with(&inside))
        {
            Work::Group
        } else if command {
            Work::Command {
                language: "bash".into(),
                script: "true".into(),
            }
        } else {
            Work::Prompt { text: "Look.".into() }
        };
        let transitions = transitions
            .split(';')
            .map(str::trim)
            .filter(|t| !t.is_empty())
            .map(transition);
        step.routing = Routing::Transitions {
            transitions: transitions.collect(),
        };
        step
    });
    Workflow::new("flow".into(), "Flow".into(), Format::Rundown, steps.collect())
}

/// `FAIL ANY RETRY 2 GOTO 3`.
fn transition(text: &str) -> Transition {
    let (word, mut rest) = text.split_once(' ').unwrap();
    let mut quantifier = None;
    for (name, value) in [("ALL ", Quantifier::All), ("ANY ", Quantifier::Any)] {
        if let Some(after) = rest.strip_prefix(name) {
            (quantifier, rest) = (Some(value), after);
        }
    }
    Transition {
        passed: matches!(word, "PASS" | "YES"),
        word: word.into(),
        quantifier,
        action: action(rest),
    }
}

fn action(text: &str) -> Action {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let message = Some(rest.to_owned()).filter(|m| !m.is_empty());
    match word {
        "CONTINUE" => Action::Continue,
        "COMPLETE" => Action::Complete { message },
        "STOP" => Action::Stop { message },
        "GOTO" if rest == "NEXT" => Action::Goto(Jump::Next(None)),
        "GOTO" => Action::Goto(
            rest.strip_prefix("NEXT ")
                .map_or_else(|| Jump::To(rest.into()), |id| Jump::Next(Some(id.into()))),
        ),
        "RETRY" => {
            let (times, then) = rest.split_once(' ').unwrap_or((rest, "STOP"));
            Action::Retry {
                times: times.parse().unwrap(),
                then: Box::new(action(then)),
            }
        }
        other => panic!("{other}"),
    }
}

fn start(units: &[&str]) -> Play {
    start_as(units, created(Default::default()))
}

fn start_as(units: &[&str], created: RunCreated) -> Play {
    let workflow = runbook(units);
    let mut play = Play::new(workflow);
    let created = RunCreated {
        format: Format::Rundown,
        ..created
    };
    play.send(Intent::Create(Arc::new(created))).unwrap();
    play
}

/// Answers what waits, or ends what runs: P or F.
fn go(play: &mut Play, results: &str) {
    for result in results.chars() {
        let passed = result == 'P';
        match effects(&play.workflow, &play.state).into_iter().next() {
            Some(Effect::Ask { .. }) => {
                play.answer(if passed { Answer::Pass } else { Answer::Fail }, "");
            }
            Some(Effect::Execute { .. }) if passed => {
                play.succeed();
            }
            Some(Effect::Execute { .. }) => {
                play.finish(failed("exit code 1"));
            }
            other => panic!("{other:?} waits for no result"),
        }
    }
}

/// Where the run stands: `{N}[2]`, or how it ended.
fn at(play: &Play) -> String {
    let said = play.state.message.clone().map(|m| format!(" {m}")).unwrap_or_default();
    let place = |i: &Instance| {
        if i.path.is_empty() {
            i.step.to_string()
        } else {
            format!("{}{:?}", i.step, i.path)
        }
    };
    match play.state.status {
        RunStatus::Ended(EndStatus::Succeeded) => format!("COMPLETE{said}"),
        RunStatus::Ended(_) => format!("STOPPED{said}"),
        _ => match play.state.waiting() {
            Some(round) => place(&round.opened.instance),
            None => place(&play.running().0),
        },
    }
}

#[track_caller]
fn check(units: &[&str], results: &str, expected: &str) {
    let mut play = start(units);
    go(&mut play, results);
    assert_eq!(at(&play), expected, "{units:?} after {results}");
}

#[test]
fn results_lead_on_by_their_transitions() {
    check(&["$1", "$2"], "", "1");
    check(&["$1", "$2"], "PP", "COMPLETE");
    check(&["$1", "$2"], "F", "STOPPED");
    check(&["$1: FAIL GOTO Mend", "$2", "Mend: PASS GOTO 2"], "FP", "2");
    check(&["$1: FAIL GOTO Mend", "$2", "Mend: PASS GOTO 2"], "PP", "COMPLETE");
    check(&["$1: FAIL STOP gave up"], "F", "STOPPED gave up");
    check(&["$1: PASS COMPLETE done", "$2"], "P", "COMPLETE done");
}

#[test]
fn retries_are_counted_for_the_unit_and_forgotten_by_every_move() {
    let units = ["$1: FAIL RETRY 2 GOTO 2", "$2: PASS GOTO 1"];
    check(&units, "FF", "1");
    check(&units, "FFF", "2");
    check(&units, "FFFPFF", "1");
    check(&units, "FFFPFFF", "2");
    let mut play = start(&units);
    go(&mut play, "F");
    let route = play.state.routes.last().unwrap();
    assert_eq!(
        (route.reason.to_string().as_str(), route.to.as_ref().unwrap().as_str()),
        ("fail:RETRY (1/2)", "1")
    );
    assert_eq!(play.visited(), ["1#1", "1#2"]);
}

#[test]
fn a_container_puts_outcomes_together() {
    let all = [
        "1: PASS ALL GOTO 3; FAIL ANY GOTO 2",
        "$1.1 in 1",
        "$1.2 in 1",
        "$2: PASS STOP bad",
        "$3: PASS COMPLETE good",
    ];
    check(&all, "PP", "3");
    check(&all, "F", "2");
    check(&all, "PF", "2");
    let any = [
        "1: PASS ANY GOTO 3; FAIL ALL GOTO 2",
        "$1.1 in 1",
        "$1.2 in 1",
        "$2: PASS STOP bad",
        "$3: PASS COMPLETE good",
    ];
    check(&any, "F", "1.2");
    check(&any, "FP", "3");
    check(&any, "FF", "2");
    // A unit's own transition wins, and its outcome still counts when all are done.
    let own = [
        "1: FAIL ANY GOTO 2",
        "$1.1 in 1: FAIL CONTINUE",
        "$1.2 in 1",
        "$2: PASS STOP bad",
    ];
    check(&own, "F", "1.2");
    check(&own, "FP", "2");
}

#[test]
fn a_container_is_tried_again_as_a_whole_and_not_for_ever() {
    let units = ["1: FAIL ANY RETRY 1 COMPLETE late", "$1.1 in 1", "$1.2 in 1"];
    check(&units, "PF", "1.1");
    check(&units, "PFPF", "COMPLETE late");
    check(&units, "PFPP", "COMPLETE");
    let mut play = start(&units);
    go(&mut play, "PF");
    let moved = play.state.routes.last().unwrap().runbook.clone().unwrap();
    assert_eq!(moved.unit, Some("1".into()));
}

#[test]
fn dynamic_steps_grow_instances() {
    let units = ["{N}", "$1 in {N}", "$2 in {N}: PASS GOTO NEXT; FAIL COMPLETE"];
    check(&units, "PP", "1[2]");
    check(&units, "PPPP", "1[3]");
    check(&units, "PPPF", "COMPLETE");
    let inner = ["1", "$1.{n} in 1: PASS GOTO NEXT; FAIL CONTINUE", "$2: FAIL GOTO 1"];
    check(&inner, "PP", "1.{n}[3]");
    check(&inner, "PPF", "2");
    // Coming back begins with the first instance.
    check(&inner, "PPFF", "1.{n}[1]");
    let both = ["{N}", "${N}.{n} in {N}: PASS GOTO NEXT; FAIL GOTO NEXT {N}"];
    check(&both, "PPF", "{N}.{n}[2, 1]");
}

#[test]
fn a_recovery_step_comes_back_to_the_very_instance_that_was_left() {
    let items = [
        "{N}",
        "${N}.{n} in {N}: PASS GOTO NEXT {N}.{n}; FAIL GOTO Mend",
        "$Mend: PASS GOTO {N}.{n}; FAIL GOTO NEXT {N}.{n}",
    ];
    check(&items, "PPFP", "{N}.{n}[1, 3]");
    check(&items, "PPFF", "{N}.{n}[1, 4]");
    check(&items, "PPFPFPFF", "{N}.{n}[1, 4]");
    let inner = [
        "$1",
        "2",
        "$2.{n} in 2: PASS GOTO NEXT; FAIL GOTO Mend",
        "$Mend: PASS GOTO 2.{n}; FAIL GOTO 2",
    ];
    check(&inner, "PPPFP", "2.{n}[3]");
    check(&inner, "PPPFPPP", "2.{n}[5]");
    // To enter the step is no return to it.
    check(&inner, "PPPFF", "2.{n}[1]");
    let outer = [
        "${N}: PASS GOTO NEXT; FAIL GOTO Mend",
        "$Mend: PASS GOTO NEXT {N}; FAIL GOTO {N}",
    ];
    check(&outer, "PPFF", "{N}[3]");
    check(&outer, "PPFP", "{N}[4]");
    check(&outer, "PPFPFF", "{N}[4]");
}

#[test]
fn another_instance_around_or_a_way_on_begins_a_dynamic_substep_anew() {
    let both = [
        "{N}",
        "${N}.{n} in {N}: PASS GOTO NEXT; FAIL GOTO Mend",
        "$Mend: PASS GOTO NEXT {N}; FAIL GOTO {N}",
    ];
    check(&both, "PPFP", "{N}.{n}[2, 1]");
    check(&both, "PPFPPFF", "{N}.{n}[2, 1]");
    let passed_by = ["1", "$1.{n} in 1: PASS GOTO NEXT; FAIL CONTINUE", "$2: PASS GOTO 1"];
    check(&passed_by, "PPFP", "1.{n}[1]");
}

#[test]
fn a_prompt_is_asked_in_the_authors_words_and_its_answer_is_the_attempt() {
    let mut play = start(&["1: YES COMPLETE; NO GOTO 2", "2"]);
    let opened = play.opened();
    let (pass, fail, attempt) = ("YES".to_owned(), "NO".to_owned(), false);
    assert_eq!(opened.purpose, Purpose::Outcome { pass, fail, attempt });
    assert_eq!((opened.approve_to, opened.reject_to), (None, Some("2".into())));
    let answered = |play: &Play, answer| Intent::Answer(Arc::new(play.decision(answer, "because")));
    let approval = answered(&play, Answer::Approve);
    assert_eq!(play.refused(approval), RefusalCode::AnswerNotOffered);
    let events = play.answer(Answer::Fail, "");
    assert_eq!(names(&events), ["answer fail", "route 2 fail:GOTO 2", "ask 2 round 1"]);
    let visit = play.state.visit(&opened.instance).unwrap();
    let attempt = visit.attempts.last().unwrap();
    assert!(attempt.started.engine.is_person());
    assert_eq!(
        attempt.result.as_ref().unwrap().error.as_deref(),
        Some("Ada answered NO")
    );
    play.answer(Answer::Pass, "fine");
    assert_eq!((play.state.executed, play.state.completed), (2, 1));
}

#[test]
fn a_prompted_run_executes_nothing_and_a_step_may_be_given_to_somebody() {
    let prompted = RunCreated {
        prompted: true,
        permitted: false,
        ..created(Default::default())
    };
    let play = start_as(&["$1", "$2"], prompted);
    assert_eq!(play.opened().why.as_str(), "every step is asked for");
    let assigned = RunCreated {
        assigned: [("2".into(), "Grace".into())].into_iter().collect(),
        ..created(Default::default())
    };
    let mut play = start_as(&["$1", "$2"], assigned);
    go(&mut play, "P");
    assert_eq!(
        (play.opened().why.to_string(), play.opened().asks),
        ("assigned to a person".to_owned(), vec!["Grace".into()])
    );
}

fn permitted(play: &mut Play, lasting: Option<Lasting>) {
    let decision = Decision {
        lasting,
        ..play.decision(Answer::Approve, "")
    };
    play.send(Intent::Answer(Arc::new(decision))).unwrap();
}

#[test]
fn permissions_are_asked_before_the_work_and_hold_as_long_as_was_said() {
    let units = ["$1: PASS GOTO 2", "$2: PASS GOTO 1; FAIL COMPLETE refused"];
    let needs = |need: &str| vec![need.to_owned()];
    let mut created = created(Default::default());
    created.permissions = [("1".into(), needs("run `a`")), ("2".into(), needs("run `b`"))]
        .into_iter()
        .collect();
    let mut play = start_as(&units, created);
    assert_eq!(
        play.opened().purpose,
        Purpose::Permission {
            needs: needs("run `a`")
        }
    );
    permitted(&mut play, Some(Lasting::Run));
    play.succeed();
    assert_eq!(play.opened().instance.step.as_str(), "2");
    permitted(&mut play, None);
    play.succeed();
    // The first was permitted for the run, the second once.
    play.succeed();
    assert_eq!(
        play.opened().purpose,
        Purpose::Permission {
            needs: needs("run `b`")
        }
    );
    let reject = Intent::Answer(Arc::new(play.decision(Answer::Reject, "")));
    assert_eq!(play.refused(reject), RefusalCode::CommentRequired);
    play.answer(Answer::Reject, "not today");
    assert_eq!(at(&play), "COMPLETE refused");
    let last = play.state.visits().last().unwrap().result().unwrap().error.clone();
    assert_eq!(last.as_deref(), Some("not permitted by Ada: not today"));
}

#[test]
fn a_person_sends_a_waiting_run_elsewhere() {
    let mut play = start(&["1: FAIL RETRY 3", "2", "$3"]);
    go(&mut play, "F");
    let jump = |to: &str| Intent::Jump {
        by: "Ada".into(),
        to: to.into(),
    };
    assert_eq!(play.refused(jump("9")), RefusalCode::CannotJump);
    play.send(jump("3")).unwrap();
    assert_eq!(at(&play), "3");
    assert!(
        play.state.frame.retries.is_empty(),
        "a jump is a move: nothing is counted on"
    );
    assert_eq!(
        play.refused(jump("2")),
        RefusalCode::CannotJump,
        "a command is being carried out"
    );
    play.pause();
    play.succeed();
    assert_eq!(at(&play), "COMPLETE");
}

#[test]
fn a_target_that_does_not_exist_ends_the_run_with_a_reason() {
    let mut play = start(&["$1: PASS GOTO 7"]);
    play.succeed();
    assert_eq!(play.state.error.as_deref(), Some("Invalid routing: step '7' not found"));
}

/// A small runbook with everything in it, and a sequence of outcomes.
fn any() -> impl Strategy<Value = (Vec<String>, Vec<bool>)> {
    let action = prop_oneof![
        Just("CONTINUE"),
        Just("COMPLETE ok"),
        Just("STOP no"),
        Just("GOTO 2"),
        Just("GOTO 1.1"),
        Just("GOTO Named"),
        Just("GOTO NEXT 3.{n}"),
        Just("RETRY 1 CONTINUE"),
        Just("RETRY 2 GOTO 1"),
    ];
    let unit = |head: &'static str| {
        (any_bool(), action.clone(), any_bool(), action.clone()).prop_map(move |(p, pass, f, fail)| {
            let pass = if p { format!("PASS {pass};") } else { String::new() };
            let fail = if f { format!("FAIL {fail}") } else { String::new() };
            format!("{head}: {pass}{fail}")
        })
    };
    let units = (
        unit("1"),
        unit("$1.1 in 1"),
        unit("1.2 in 1"),
        unit("$2"),
        Just("3".to_owned()),
        unit("$3.{n} in 3"),
        unit("Named"),
    );
    (units, proptest::collection::vec(any_bool(), 1..24))
        .prop_map(|((a, b, c, d, e, f, g), results)| (vec![a, b, c, d, e, f, g], results))
}

fn any_bool() -> impl Strategy<Value = bool> {
    proptest::bool::ANY
}

fn drive(play: &mut Play, results: &[bool]) {
    let done = play.state.visits().iter().filter(|v| v.result().is_some()).count();
    for passed in results.iter().skip(done) {
        if effects(&play.workflow, &play.state).contains(&Effect::Proceed) {
            play.send(Intent::Proceed).unwrap();
        }
        if play.state.status.ended() {
            return;
        }
        go(play, if *passed { "P" } else { "F" });
    }
    if effects(&play.workflow, &play.state).contains(&Effect::Proceed) {
        play.send(Intent::Proceed).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]
    #[test]
    fn a_runbook_stopped_after_any_event_ends_the_same((units, results) in any()) {
        let units: Vec<&str> = units.iter().map(String::as_str).collect();
        let mut whole = start(&units);
        drive(&mut whole, &results);
        for cut in 1..whole.log.len() {
            let mut again = Play::cut_off(runbook(&units), &whole.log[..cut]);
            drive(&mut again, &results);
            let mine = |play: &Play| play.log.iter().map(|(_, e)| e.clone()).filter(|e| !matches!(e, Event::RunCreated(_))).collect::<Vec<_>>();
            prop_assert_eq!(mine(&again), mine(&whole), "cut after {}", cut);
        }
    }
}

#[test]
fn a_skipped_unit_goes_on() {
    let mut play = start(&["$1: FAIL STOP", "$2"]);
    play.finish(StepResult::new(engine::ExecutionStatus::Skipped));
    assert_eq!(at(&play), "2");
    let _: &StepId = &play.running().0.step;
    let route = play.state.routes.last().unwrap();
    assert_eq!(route.looked_at["status"], "skipped", "it did not pass");
}
