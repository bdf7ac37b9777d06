//! Feedback between agents (seed 003 `feedback_loops`): work goes back to those it is about, comes back to whoever reported it, and
//! within its bounds; a person decides about the rest.

use crate::grammar::check_stage_grammar;
use crate::play::{Play, created, draw, failed, gate, names, passes_nobody, reported, some_feedback, steps, workflow};
use crate::runbook::runbook;
use crate::stages::pipeline;
use engine::{
    Answer, At, Command, Decision, Effect, EndStatus, Event, ExecutionStatus, FeedbackStatus, GateReason, Intent,
    Limits, RefusalCode, RouteReason, RunCreated, RunState, RunStatus, StepResult, apply, decide, effects, fold,
};
use model::{Branch, Fork, ForkRules, Format, GateAt, Microloop, OnFailure, Routing, Step, StepId, Workflow};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::Arc;

/// `plan` → `design` → `build` → `done`, by agents of these names.
fn flow() -> Vec<Step> {
    let mut all = steps(&["plan", "design", "build", "done"]);
    for (step, agent) in all.iter_mut().zip(["pm", "architect", "developer", "qa"]) {
        step.agents = vec![agent.into()];
    }
    all
}

pub fn says(to: Value, message: &str) -> StepResult {
    reported(json!({"feedback": [{"to": to, "type": "constraint", "severity": "error", "message": message}]}))
}

fn with(limits: Limits, all: Vec<Step>) -> Play {
    Play::start_with(workflow(all), limits)
}

/// Up to the step, and it reports this.
fn at_build(limits: Limits, result: StepResult) -> (Play, Vec<String>) {
    let mut play = with(limits, flow());
    play.succeed();
    play.succeed();
    let told = names(&play.finish(result));
    (play, told)
}

fn statuses(play: &Play) -> Vec<FeedbackStatus> {
    play.state.feedback.all().map(|one| one.status).collect()
}

#[test]
fn an_issue_sends_the_work_back_and_is_resolved_when_it_is_not_reported_again() {
    let (mut play, told) = at_build(
        Limits::default(),
        says(json!("design"), "The queue does not fit in 1 GiB."),
    );
    assert_eq!(
        told,
        [
            "end build#1.1 succeeded",
            "build:1 to design 1/3",
            "route design feedback:build:1",
            "start design#2.1"
        ]
    );
    let route = play.state.routes.last().unwrap();
    assert_eq!(route.looked_at["build:1"], json!("The queue does not fit in 1 GiB."));
    assert_eq!(route.alternatives[0].why_not.to_string(), "feedback_given:build:1");
    let design = "design".into();
    let due: Vec<_> = play
        .state
        .feedback
        .for_step(&design)
        .map(|one| one.last().message.clone())
        .collect();
    assert_eq!(due, ["The queue does not fit in 1 GiB."], "its brief has it");
    play.succeed();
    assert_eq!(
        names(&play.succeed()),
        [
            "end build#2.1 succeeded",
            "build:1 resolved",
            "route done linear_default",
            "start done#1.1"
        ]
    );
    assert_eq!(statuses(&play), [FeedbackStatus::Resolved]);
    play.succeed();
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
}

#[test]
fn several_targets_run_again_from_the_first_on_and_agents_are_found_by_their_steps() {
    let (mut play, told) = at_build(
        Limits::default(),
        says(json!(["architect", "pm"]), "They contradict each other."),
    );
    assert_eq!(
        told[1..3],
        ["build:1 to design+plan 1/3", "route plan feedback:build:1"]
    );
    let awaited = |play: &Play| play.state.feedback.get("build:1").unwrap().awaits.len();
    assert_eq!(awaited(&play), 1, "plan has begun");
    play.succeed();
    assert_eq!(awaited(&play), 0);
    play.succeed();
    play.succeed();
    assert_eq!(
        play.visited(),
        [
            "plan#1", "design#1", "build#1", "plan#2", "design#2", "build#2", "done#1"
        ]
    );
}

#[test]
fn who_leaves_the_work_as_it_is_says_why_and_the_one_who_reported_decides() {
    let (mut play, _) = at_build(Limits::default(), says(json!("design"), "Too big."));
    let said = names(&play.finish(reported(json!({"acknowledged": "It is measured: 300 MiB."}))));
    assert_eq!(said[1], "build:1 acknowledged: It is measured: 300 MiB.");
    assert_eq!(statuses(&play), [FeedbackStatus::Acknowledged]);
    // Nobody else is asked, and it insists.
    play.finish(says(json!("design"), "Still too big."));
    assert_eq!(statuses(&play), [FeedbackStatus::Pending]);
    assert_eq!(
        play.state.feedback.get("build:1").unwrap().given.len(),
        2,
        "the same loop"
    );
    play.succeed();
    play.succeed();
    let ended = play.state.feedback.get("build:1").unwrap().ended.clone().unwrap().0;
    assert_eq!(
        ended,
        "acknowledged (It is measured: 300 MiB.), and not reported any more"
    );
}

#[test]
fn a_bound_of_rounds_is_met_with_a_person_and_never_passed() {
    let two = Limits {
        feedback_rounds: 2,
        ..Limits::default()
    };
    let (mut play, _) = at_build(two, says(json!("design"), "No."));
    for _ in 0..2 {
        play.succeed();
        play.finish(says(json!("design"), "No."));
    }
    let opened = play.opened();
    assert_eq!(
        (opened.gate.as_str(), &opened.why),
        ("flow:build:feedback", &GateReason::Feedback)
    );
    assert_eq!(
        opened.question,
        "“Build” reports an issue that a person decides about. Constraint of “design” (it has sent work back 2 times): No."
    );
    assert_eq!(
        (opened.changes_to.as_ref(), opened.approve_to.as_ref()),
        (Some(&"design".into()), Some(&"done".into()))
    );
    assert_eq!(statuses(&play), [FeedbackStatus::Escalated]);
    let silent = Intent::Answer(Arc::new(play.decision(Answer::Approve, " ")));
    assert_eq!(play.refused(silent), RefusalCode::CommentRequired);

    let mut again = Play::cut_off(play.workflow.clone(), &play.log);
    again.answer(Answer::Changes, "Use a file.");
    assert_eq!(again.comments_of_running(), ["Use a file."]);
    assert_eq!(statuses(&again), [FeedbackStatus::Pending]);
    again.succeed();
    let told = names(&again.finish(says(json!("design"), "No.")));
    assert_eq!(told[1], "build:1 to design 1/2", "what it may do by itself counts anew");

    let mut stopped = Play::cut_off(play.workflow.clone(), &play.log);
    stopped.answer(Answer::Reject, "It cannot be built.");
    assert_eq!(stopped.state.status, RunStatus::Ended(EndStatus::Failed));
    assert_eq!(statuses(&stopped), [FeedbackStatus::Escalated]);

    play.answer(Answer::Approve, "Nobody has that many.");
    assert_eq!(statuses(&play), [FeedbackStatus::Ignored]);
    assert_eq!(
        play.state.feedback.get("build:1").unwrap().ended.clone().unwrap().0,
        "accepted as it is by Ada: Nobody has that many."
    );
    assert_eq!(play.running().0.step.as_str(), "done");
}

#[test]
fn a_person_whom_the_workflow_names_is_asked_and_the_one_to_whom_the_step_escalates_before_them() {
    let none = Limits {
        feedback_rounds: 0,
        ..Limits::default()
    };
    let asked = |change: &dyn Fn(&mut Workflow, &mut RunCreated)| {
        let mut all = flow();
        all[2].escalate_to = Some("Bea".into());
        all[2].gate = gate(GateAt::After).map(|mut own| {
            own.asks = vec!["Cem".into()];
            own
        });
        let (mut workflow, mut created) = (workflow(all), created(none));
        change(&mut workflow, &mut created);
        let mut play = Play::begun(workflow, created);
        play.succeed();
        play.succeed();
        play.finish(says(json!("design"), "No."));
        assert_eq!(play.opened().why, GateReason::Feedback);
        play.opened().asks.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let named = |workflow: &mut Workflow| {
        workflow
            .fields
            .insert("feedback".to_owned(), json!({"escalate_to": "Ada"}));
    };
    assert_eq!(asked(&|_, _| {}), ["Cem"], "Bea is no person here: its own gate's");
    assert_eq!(asked(&|workflow, _| named(workflow)), ["Ada"]);
    let person = |created: &mut RunCreated| created.engines.insert("Bea".into(), engine::EngineInfo::person());
    assert_eq!(
        asked(&|workflow, created| {
            named(workflow);
            person(created);
        }),
        ["Bea"]
    );
}

#[test]
fn other_issues_do_not_make_the_bound_longer() {
    let two = Limits {
        feedback_rounds: 2,
        ..Limits::default()
    };
    let (mut play, _) = at_build(two, says(json!("design"), "one"));
    play.succeed();
    let told = names(&play.finish(says(json!("plan"), "two")));
    assert_eq!(told[1..3], ["build:2 to plan 2/2", "build:1 resolved"]);
    play.succeed();
    play.succeed();
    let told = names(&play.finish(says(json!("design"), "three")));
    assert_eq!(told[1], "build:3 to design 3/2 no more rounds");
}

#[test]
fn a_bound_of_time_is_met_with_a_person_whose_own_time_does_not_count() {
    let hour = Limits {
        feedback_ms: 3_600_000,
        ..Limits::default()
    };
    let (mut play, _) = at_build(hour, says(json!("design"), "No."));
    play.now.0 += 3_600_000;
    play.succeed();
    let told = names(&play.finish(says(json!("design"), "No.")));
    assert_eq!(told[1], "build:1 to design 2/3 no more time");
    play.now.0 += 9_000_000;
    play.answer(Answer::Changes, "once more");
    play.succeed();
    let told = names(&play.finish(says(json!("design"), "No.")));
    assert_eq!(told[1], "build:1 to design 1/3");
}

#[test]
fn what_cannot_be_done_is_recorded_with_its_reason_and_goes_to_a_person() {
    for (to, told) in [
        (json!("nowhere"), "build:1 to nowhere (unknown) 1/3"),
        (json!("done"), "build:1 to done (later) 1/3"),
        (json!("qa"), "build:1 to qa (later) 1/3"),
        (json!("build"), "build:1 to build (itself) 1/3"),
        (json!(["design", "nowhere"]), "build:1 to design+nowhere (unknown) 1/3"),
        (json!(null), "build:1 to  1/3"),
    ] {
        let (play, events) = at_build(Limits::default(), says(to.clone(), "Hm."));
        assert_eq!(events[1], told);
        assert_eq!(events[2], "ask build round 1");
        let sound = to.as_array().is_some();
        assert_eq!(
            play.opened().changes_to.is_some(),
            sound,
            "what can be done again is offered"
        );
    }
    let (play, _) = at_build(Limits::default(), says(json!("nowhere"), "Hm."));
    assert_eq!(
        play.opened().question,
        "“Build” reports an issue that a person decides about. Constraint of “nowhere” (no step and no agent is called “nowhere”): Hm."
    );
}

#[test]
fn a_failure_that_names_its_cause_sends_the_work_back_and_does_not_end_the_run() {
    let mut result = says(json!("design"), "It cannot be built.");
    result.status = ExecutionStatus::Failed;
    result.error = Some("no".to_owned());
    let (mut play, told) = at_build(Limits::default(), result.clone());
    assert_eq!(told[2], "route design feedback:build:1");
    play.succeed();
    play.finish(failed("still no"));
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Failed));
    assert_eq!(
        statuses(&play),
        [FeedbackStatus::Pending],
        "who failed takes nothing back"
    );
}

#[test]
fn a_step_s_own_gate_is_asked_when_nothing_is_reported_any_more() {
    let mut all = flow();
    all[2].gate = gate(GateAt::After);
    let mut play = with(Limits::default(), all);
    play.succeed();
    play.succeed();
    play.finish(says(json!("nowhere"), "Hm."));
    play.answer(Answer::Approve, "never mind");
    assert_eq!(play.opened().gate.as_str(), "flow:build:hitl");
    play.answer(Answer::Approve, "");
    assert_eq!(play.running().0.step.as_str(), "done");
}

/// `draft` → `check` → `publish`, which leads back to `draft` until it is OK; the gate is at this step.
fn published(gated: usize) -> Play {
    let mut all = steps(&["draft", "check", "publish"]);
    all[gated].gate = gate(GateAt::After);
    all[2].routing = Routing::Microloop(Microloop {
        loop_target: Some("draft".into()),
        condition_field: Some("status".into()),
        success_values: vec!["OK".into()],
        max_iterations: 5,
        next: None,
        exit_on: Default::default(),
    });
    with(Limits::default(), all)
}

#[test]
fn what_lies_ahead_behind_a_gate_is_not_reached_by_reporting_to_it() {
    for gated in [0, 1] {
        let mut play = published(gated);
        for step in 0..2 {
            play.succeed();
            if step == gated {
                play.answer(Answer::Approve, "fine");
            }
        }
        play.finish(reported(json!({"status": "NOPE"})));
        let told = names(&play.finish(says(json!("publish"), "Mind the date.")));
        assert_eq!(play.opened().why, GateReason::Feedback, "{told:?}");
        let question = play.opened().question;
        assert!(question.contains("“publish” lies ahead, behind a gate"), "{question}");
        assert_eq!(play.opened().changes_to, None, "nothing to be done again there");
        play.answer(Answer::Approve, "go on as usual");
        if gated == 0 {
            assert_eq!(play.opened().round, 2, "its own gate is asked");
            play.answer(Answer::Approve, "fine");
        }
        assert_eq!(play.running().0.step.as_str(), "check");
        // What lies before it is reported to as ever.
        let told = names(&play.finish(says(json!("draft"), "Too long.")));
        assert!(
            told.iter().any(|one| one.starts_with("route draft feedback")),
            "{told:?}"
        );
    }
}

#[test]
fn a_flow_does_not_end_past_an_issue_that_nobody_came_back_to() {
    let mut all = flow();
    all[1].routing = Routing::Branch(Branch {
        field: Some("status".into()),
        branches: [("SHORT".to_owned(), "done".into())].into(),
        next: Some("build".into()),
    });
    let mut play = with(Limits::default(), all);
    play.succeed();
    play.succeed();
    play.finish(says(json!("design"), "No."));
    play.finish(reported(json!({"status": "SHORT"})));
    let told = names(&play.succeed());
    assert_eq!(told[1], "ask done round 1");
    assert!(
        play.opened()
            .question
            .ends_with("Constraint of “design” (nobody has come back to it): No.")
    );
    let mut again = Play::cut_off(play.workflow.clone(), &play.log);
    again.answer(Answer::Changes, "build it");
    assert_eq!(again.running().0.step.as_str(), "design");
    play.answer(Answer::Approve, "fine");
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
    assert_eq!(statuses(&play), [FeedbackStatus::Ignored]);
}

/// `plan` → fork (`a1` → `a2`, `b1` → `b2`) at `split` → `meet` → `done`.
fn branches() -> Vec<Step> {
    let mut all = steps(&["plan", "split", "a1", "a2", "b1", "b2", "meet", "done"]);
    let next = |to: &str| Routing::Linear { next: Some(to.into()) };
    all[1].routing = Routing::Fork(Box::new(Fork {
        targets: vec!["a1".into(), "b1".into()],
        join: Some("meet".into()),
        rules: ForkRules::default(),
    }));
    for (n, to) in [(2, "a2"), (3, "meet"), (4, "b2"), (5, "meet")] {
        all[n].routing = next(to);
    }
    all
}

/// Finishes the attempt of this step that is in flight.
fn done(play: &mut Play, step: &str, result: StepResult) -> Vec<String> {
    let visit = play.state.steps.get(&StepId::new(step)).unwrap().visits.last().unwrap();
    let (instance, attempt) = (visit.instance.clone(), visit.attempts.len() as u32);
    let result = Arc::new(result);
    names(
        &play
            .send(Intent::Finish {
                instance,
                attempt,
                result,
            })
            .unwrap(),
    )
}

fn ok() -> StepResult {
    StepResult::new(ExecutionStatus::Succeeded)
}

#[test]
fn within_a_branch_the_branch_goes_back_and_beyond_it_a_person_is_asked() {
    let limits = Limits {
        parallel: 4,
        ..Limits::default()
    };
    let mut play = with(limits, branches());
    for step in ["plan", "split", "a1"] {
        done(&mut play, step, ok());
    }
    let told = done(&mut play, "a2", says(json!("a1"), "No."));
    assert_eq!(told[2..], ["route a1 feedback:a2:1", "start a1#2.1"]);
    done(&mut play, "a1", ok());
    for (to, fault) in [("plan", "branch"), ("b1", "branch"), ("split", "branch")] {
        let mut other = Play::cut_off(play.workflow.clone(), &play.log);
        let told = done(&mut other, "a2", says(json!(to), "No."));
        assert_eq!(told[1], format!("a2:2 to {to} ({fault}) 2/3"));
        assert!(told.contains(&"ask a2 round 1".to_owned()), "{told:?}");
        assert_eq!(other.opened().changes_to, None);
        done(&mut other, "b1", ok());
        assert_eq!(other.running_steps(), ["b2"], "the other branch goes on meanwhile");
    }
}

#[test]
fn what_is_reported_behind_the_join_goes_back_to_the_fork() {
    let limits = Limits {
        parallel: 4,
        ..Limits::default()
    };
    let mut play = with(limits, branches());
    for step in ["plan", "split", "a1", "a2", "b1", "b2", "meet"] {
        done(&mut play, step, ok());
    }
    let told = done(&mut play, "done", says(json!("b1"), "No."));
    assert_eq!(told[1..3], ["done:1 to b1 1/3", "route split feedback:done:1"]);
    for step in ["split", "a1", "a2", "b1", "b2", "meet"] {
        done(&mut play, step, ok());
    }
    let told = done(&mut play, "done", ok());
    assert_eq!(told[1], "done:1 resolved");
    assert_eq!(play.state.status, RunStatus::Ended(EndStatus::Succeeded));
}

#[test]
fn a_runbook_goes_by_its_transitions_and_a_person_is_asked() {
    let mut play = Play::start_with(runbook(&["$1", "$2", "$3"]), Limits::default());
    play.succeed();
    play.finish(says(json!("1"), "No."));
    assert!(
        play.opened()
            .question
            .contains("a runbook goes by its transitions alone")
    );
    play.answer(Answer::Approve, "never mind");
    assert_eq!(play.running().0.step.as_str(), "3");
}

#[test]
fn a_receipt_that_nobody_can_read_reports_nothing() {
    let mut unread = says(json!("design"), "No.");
    unread.receipt_readable = false;
    let (play, _) = at_build(Limits::default(), unread);
    assert_eq!(play.running().0.step.as_str(), "done");
}

#[test]
fn the_limits_of_old_logs_are_the_usual_ones() {
    let written = serde_json::to_value(Limits::default()).unwrap();
    assert!(written.get("feedback_rounds").is_none() && written.get("feedback_ms").is_none());
    let read: Limits = serde_json::from_value(written).unwrap();
    assert_eq!((read.feedback_rounds, read.feedback_ms), (3, 14_400_000));
    let _: RunCreated = created(read);
}

/// A pipeline under test: stages in flight end in the order in which they began.
struct Stages {
    workflow: Workflow,
    log: Vec<(At, Event)>,
    state: RunState,
}

impl Stages {
    fn start(stages: &str) -> Self {
        let mut run = Self {
            workflow: pipeline(stages, OnFailure::Halt),
            log: Vec::new(),
            state: RunState::default(),
        };
        let created = RunCreated {
            format: Format::Pipeline,
            limits: Limits {
                parallel: 3,
                ..Limits::default()
            },
            ..created(Limits::default())
        };
        run.send(Intent::Create(Arc::new(created)));
        run
    }

    fn send(&mut self, intent: Intent) -> Vec<String> {
        let at = At(self.log.last().map_or(0, |(at, _)| at.0) + 1);
        let decided = decide(&self.workflow, &self.state, &Command { at, intent }).unwrap();
        for event in &decided.events {
            passes_nobody(&self.state, event);
            apply(&mut self.state, at, event);
            self.log.push((at, event.clone()));
        }
        assert_eq!(self.state, decided.state);
        check_stage_grammar(&self.log);
        names(&decided.events)
    }

    fn done(&mut self, stage: &str, result: StepResult) -> Vec<String> {
        let flying = effects(&self.workflow, &self.state)
            .into_iter()
            .find_map(|effect| match effect {
                Effect::Execute { instance, attempt } if instance.step.as_str() == stage => Some((instance, attempt)),
                _ => None,
            });
        let (instance, attempt) = flying.unwrap_or_else(|| panic!("{stage} is not in flight"));
        let result = Arc::new(result);
        self.send(Intent::Finish {
            instance,
            attempt,
            result,
        })
    }

    fn answer(&mut self, answer: Answer) -> Vec<String> {
        let opened = Arc::clone(&self.state.waiting().unwrap().opened);
        let decision = Decision {
            comment: "because".into(),
            ..serde_json::from_value(json!({"gate": opened.gate, "round": opened.round, "answer": answer, "by": "Ada"}))
                .unwrap()
        };
        self.send(Intent::Answer(Arc::new(decision)))
    }
}

#[test]
fn a_stage_sends_back_an_earlier_one_and_what_lies_between_runs_again_after_it() {
    let mut run = Stages::start("a| b|<a c|<b x|<a d|<c e|<d");
    run.done("a", ok());
    run.done("b", ok());
    run.done("x", ok());
    run.done("c", ok());
    let told = run.done("d", says(json!("a"), "No."));
    assert_eq!(
        told[1..],
        ["d:1 to a 1/3", "sent back by d: b c d", "queued a", "start a#2.1"],
        "what is not between stays as it is"
    );
    run.done("a", ok());
    run.done("b", ok());
    run.done("c", ok());
    let told = run.done("d", ok());
    assert_eq!(told[1..3], ["d:1 resolved", "d completed"]);
    run.done("e", ok());
    assert_eq!(run.state.status, RunStatus::Ended(EndStatus::Succeeded));
}

#[test]
fn a_stage_cannot_send_back_what_it_does_not_wait_for() {
    let mut run = Stages::start("a| x|<a d|<a");
    run.done("a", ok());
    run.done("x", ok());
    let told = run.done("d", says(json!("x"), "No."));
    assert_eq!(told[1..3], ["d:1 to x (beside) 1/3", "ask d round 1"]);
    let mut other = Stages::start("a| d|<a e|<d");
    other.done("a", ok());
    let told = other.done("d", says(json!(["a", "e"]), "No."));
    assert_eq!(told[1..3], ["d:1 to a+e (later) 1/3", "ask d round 1"]);
    let told = other.answer(Answer::Changes);
    assert_eq!(told, ["answer changes", "sent back by d: d", "queued a", "start a#2.1"]);
    other.done("a", ok());
    other.done("d", says(json!("nobody"), "No."));
    let told = other.answer(Answer::Approve);
    assert_eq!(told[..2], ["answer approve", "d completed"]);
}

#[test]
fn a_stage_that_fails_because_of_another_does_not_end_the_run() {
    let mut run = Stages::start("a| d|<a");
    run.done("a", ok());
    let result = StepResult {
        error: Some("no".into()),
        status: ExecutionStatus::Failed,
        ..says(json!("a"), "No.")
    };
    let told = run.done("d", result);
    assert_eq!(told[2..], ["sent back by d: d", "queued a", "start a#2.1"]);
    run.done("a", ok());
    run.done("d", ok());
    assert_eq!(run.state.status, RunStatus::Ended(EndStatus::Succeeded));
}

/// A random pipeline whose stages report to each other, driven in an order that follows from a seed.
struct Random {
    waits: Vec<Vec<usize>>,
    seed: u64,
}

impl Random {
    fn draw(&self, what: impl Hash) -> u64 {
        draw(self.seed, what)
    }

    fn text(&self) -> String {
        let stage = |(n, waits): (usize, &Vec<usize>)| {
            let waits: Vec<String> = waits.iter().filter(|w| **w < n).map(|w| format!("s{w}")).collect();
            format!(
                "s{n}{}<{}",
                if self.draw(n) & 1 == 0 { "|" } else { "" },
                waits.join(",")
            )
        };
        self.waits.iter().enumerate().map(stage).collect::<Vec<_>>().join(" ")
    }

    /// The next thing that happens; `order` says which of several.
    fn step(&self, run: &mut Stages, order: u64) -> bool {
        let due: Vec<Effect> = effects(&run.workflow, &run.state).into_iter().collect();
        if due.is_empty() {
            assert!(run.state.status.ended(), "a run that has not ended waits for something");
            return false;
        }
        match due[order as usize % due.len()].clone() {
            Effect::Execute { instance, attempt } => {
                let mut result = ok();
                some_feedback(&mut result, self.draw((&instance, attempt)), &run.workflow);
                let result = Arc::new(result);
                run.send(Intent::Finish {
                    instance,
                    attempt,
                    result,
                });
            }
            Effect::Ask { gate, round } => {
                let changes = run.state.gates[&gate].last().unwrap().opened.changes_to.is_some();
                let answer = match self.draw((&gate, round)) % 5 {
                    0 if changes && round < 4 => Answer::Changes,
                    1 => Answer::Reject,
                    _ => Answer::Approve,
                };
                let asked = run
                    .state
                    .open_gates()
                    .iter()
                    .position(|open| open.opened.gate == gate)
                    .unwrap();
                let opened = Arc::clone(&run.state.open_gates()[asked].opened);
                let decision: Decision = serde_json::from_value(
                    json!({"gate": opened.gate, "round": round, "answer": answer, "by": "Ada", "comment": "so"}),
                )
                .unwrap();
                run.send(Intent::Answer(Arc::new(decision)));
            }
            Effect::Proceed => drop(run.send(Intent::Proceed)),
            other => panic!("nothing else happens: {other:?}"),
        }
        true
    }

    fn drive(&self, run: &mut Stages) {
        for n in 0..4_000_u64 {
            if !self.step(run, self.draw((n, "order"))) {
                return;
            }
        }
        panic!("the run does not end");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn pipelines_that_report_to_each_other_end_within_their_bounds_wherever_they_were_stopped(
        waits in proptest::collection::vec(proptest::collection::vec(0..5usize, 0..3), 2..6), seed in any::<u64>()
    ) {
        let case = Random { waits, seed };
        let mut run = Stages::start(&case.text());
        case.drive(&mut run);
        within_bounds(&run.log, 3);
        for cut in 2..run.log.len() {
            let log = run.log[..cut].to_vec();
            let state = fold(log.iter().map(|(at, event)| (*at, event)));
            let mut rest = Stages { workflow: run.workflow.clone(), log, state };
            while !rest.state.status.ended() && effects(&rest.workflow, &rest.state).contains(&Effect::Proceed) {
                rest.send(Intent::Proceed);
            }
            case.drive(&mut rest);
            within_bounds(&rest.log, 3);
        }
    }
}

/// No step sends work back more often than it may between two decisions of people.
pub fn within_bounds(log: &[(At, Event)], most: u32) {
    let mut sent: BTreeMap<String, u32> = BTreeMap::new();
    let mut gates: BTreeMap<String, String> = BTreeMap::new();
    for (_, event) in log {
        let from = match event {
            Event::Routed(route) if matches!(route.reason, RouteReason::Feedback(_)) => &route.from.step,
            Event::SentBack(back) if !back.by_person => &back.from.step,
            Event::GateOpened(opened) if !opened.feedback.is_empty() => {
                let steps = opened.feedback.iter().filter_map(|id| id.rsplit_once(':'));
                gates.extend(steps.map(|(step, _)| (format!("{}#{step}", opened.gate), step.to_owned())));
                continue;
            }
            Event::GateAnswered(decision) => {
                let of = |gate: &str| gate.split_once('#').is_some_and(|(id, _)| id == decision.gate.as_str());
                gates.iter().filter(|(gate, _)| of(gate)).for_each(|(_, step)| {
                    sent.remove(step);
                });
                continue;
            }
            _ => continue,
        };
        let times = sent.entry(from.to_string()).or_default();
        *times += 1;
        assert!(*times <= most, "{from} sends work back {times} times");
    }
}
