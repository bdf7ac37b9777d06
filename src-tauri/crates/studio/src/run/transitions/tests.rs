use super::*;
use crate::run::{reasons, sample};
use engine::{Alternative, Frame, UnitOutcome, runbook};

fn at(step: &str, path: &[u32]) -> Instance {
    Instance {
        step: step.into(),
        visit: 1,
        path: path.to_vec(),
    }
}

/// Headline and why of what the engine itself decides.
fn told(workflow: &Workflow, from: &Instance, frame: &Frame, passed: bool) -> (String, String) {
    let route = runbook::route(workflow, from, frame, passed);
    (
        reasons::headline(workflow, &route),
        reasons::why(workflow, &route, false),
    )
}

#[test]
fn a_step_that_passed_leads_on() {
    let workflow = sample::deployment();
    let (headline, why) = told(&workflow, &at("1.1", &[]), &Frame::default(), true);
    assert_eq!(headline, "Why on to “Check the disk”?");
    assert_eq!(why, "“Run the tests” passed, so the run went on to “Check the disk”.");
}

#[test]
fn a_step_that_was_skipped_is_not_told_as_passed() {
    let workflow = sample::deployment();
    let mut route = runbook::route(&workflow, &at("1.1", &[]), &Frame::default(), true);
    route.looked_at.insert("status".into(), "skipped".into());
    assert_eq!(
        reasons::why(&workflow, &route, false),
        "“Run the tests” was skipped, which counts as passed, so the run went on to “Check the disk”."
    );
}

#[test]
fn a_container_says_what_it_counted() {
    let workflow = sample::deployment();
    let frame = Frame {
        outcomes: vec![UnitOutcome {
            step: "1.1".into(),
            path: Vec::new(),
            passed: true,
        }],
        ..Frame::default()
    };
    let (headline, why) = told(&workflow, &at("1.2", &[]), &frame, false);
    assert_eq!(headline, "Why to “Roll back”?");
    assert_eq!(
        why,
        "In “Checks” 1 step passed and 1 failed, which counts as failed, and the runbook says to go to “Roll back” then."
    );
    let (_, why) = told(&workflow, &at("1.2", &[]), &frame, true);
    assert_eq!(
        why,
        "In “Checks” 2 steps passed, which counts as passed, and the runbook says to continue then: the run went on to “Roll out”."
    );
}

#[test]
fn retries_are_counted_and_run_out() {
    let workflow = sample::deployment();
    let mut frame = Frame::default();
    let from = at("2", &[]);
    let (headline, why) = told(&workflow, &from, &frame, false);
    assert_eq!(headline, "Why “Roll out” again?");
    assert_eq!(why, "“Roll out” failed, so it is tried again: retry 1 of 2.");
    frame.retries.insert("2".into(), 2);
    let (headline, why) = told(&workflow, &from, &frame, false);
    assert_eq!(headline, "Why to “Roll back”?");
    assert_eq!(
        why,
        "“Roll out” failed, all 2 retries were used up, and the runbook says to go to “Roll back” then."
    );
}

#[test]
fn the_end_is_said_in_the_authors_words() {
    let workflow = sample::deployment();
    let (headline, why) = told(&workflow, &at("Recover", &[]), &Frame::default(), true);
    assert_eq!(headline, "Why did the runbook stop here?");
    assert_eq!(
        why,
        "“Roll back” passed, and the runbook says to stop then: rolled back"
    );
    let (headline, why) = told(&workflow, &at("3", &[]), &Frame::default(), true);
    assert_eq!(headline, "Why was the runbook complete here?");
    assert_eq!(
        why,
        "“Is it healthy?” passed, and the runbook says that it is complete then: version 3.2 is out"
    );
    let (_, why) = told(&workflow, &at("Recover", &[]), &Frame::default(), false);
    assert_eq!(
        why,
        "“Roll back” failed, and nothing else is written for that case: the runbook stopped."
    );
}

#[test]
fn no_is_an_answer_and_no_failure() {
    let workflow = sample::deployment();
    let (_, why) = told(&workflow, &at("3", &[]), &Frame::default(), false);
    assert_eq!(
        why,
        "“Is it healthy?” was answered NO, and the runbook says to go to “Roll back” then."
    );
}

#[test]
fn the_next_instance_is_named() {
    let workflow = sample::each();
    let frame = Frame {
        instances: [("{N}".into(), 2)].into(),
        ..Frame::default()
    };
    let (headline, why) = told(&workflow, &at("{N}.2", &[2]), &frame, true);
    assert_eq!(headline, "Why on to “Write” (3)?");
    assert_eq!(
        why,
        "“More?” (2) passed, and the runbook says to begin the next one: “Write” (3)."
    );
}

#[test]
fn a_jump_names_who_made_it() {
    let workflow = sample::deployment();
    let mut route = runbook::jump(&workflow, &at("2", &[]), &Frame::default(), &"3".into());
    route.looked_at.insert("by".into(), "Ada".into());
    assert_eq!(reasons::headline(&workflow, &route), "Why to “Is it healthy?”?");
    assert_eq!(
        reasons::why(&workflow, &route, false),
        "Ada sent the run to “Is it healthy?”."
    );
}

#[test]
fn ways_not_taken_say_why() {
    for (code, words) in [
        ("other_result_needed:FAIL", "it is taken when the result is FAIL"),
        ("retries_left:1/2", "there were retries left (1 of 2 used)"),
        ("retries_used_up:1", "its one retry was used"),
        ("retries_used_up:3", "all 3 retries were used"),
    ] {
        let alternative = Alternative {
            to: None,
            why_not: code.into(),
        };
        assert_eq!(reasons::why_not(&alternative), words);
    }
}

#[test]
fn what_is_written_reads_like_a_sentence() {
    let workflow = sample::deployment();
    let step = |id: &str| workflow.step(&id.into()).expect("a step");
    assert_eq!(
        written(&workflow, step("1")),
        ["PASS ALL: then “Roll out”", "FAIL ANY: go to “Roll back”"]
    );
    assert_eq!(
        written(&workflow, step("1.2")),
        [
            "PASS: “Checks” judges (nothing written)",
            "FAIL: “Checks” judges (nothing written)"
        ]
    );
    assert_eq!(
        written(&workflow, step("2")),
        [
            "FAIL: again, at most 2 times, and then go to “Roll back”",
            "PASS: then “Is it healthy?” (nothing written)"
        ]
    );
    assert_eq!(
        written(&sample::each(), sample::each().step(&"{N}.2".into()).expect("a step")),
        ["YES: the next “Each customer”", "NO: the runbook is complete"]
    );
}

/// What a runbook says at its end has not happened in a rehearsal.
#[test]
fn what_a_rehearsal_says_at_its_end_is_marked() {
    let workflow = sample::deployment();
    let mut state = engine::RunState {
        status: engine::RunStatus::Ended(engine::EndStatus::Succeeded),
        message: Some("version 3.2 is out".to_owned()),
        ..engine::RunState::default()
    };
    assert_eq!(ended(&state).as_deref(), Some("done: version 3.2 is out"));
    let mut created = engine::RunCreated::new("r", &workflow, "d.runbook.md", "0", "test");
    created.rehearsal = true;
    state.created = Some(std::sync::Arc::new(created));
    assert_eq!(
        ended(&state).as_deref(),
        Some("done, in the rehearsal: version 3.2 is out")
    );
}
