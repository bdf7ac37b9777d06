//! Pipelines (seed 004; CONTRACTS "Pipelines"): what runs beside what, what a failure leaves behind, abort and resume.

use crate::grammar::check_stage_grammar;
use crate::play::{created, failed, gate, passes_nobody, reported};
use engine::{
    Answer, At, Choice, Command, Decision, Effect, Event, ExecutionStatus, Instance, Intent, Limits, Refusal,
    RefusalCode, RunState, RunStatus, StepResult, StepStatus, apply, decide, effects, fold,
};
use model::{Format, GateAt, OnFailure, Routing, Step, StepId, Workflow};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// `c|<a,b` is a stage `c`, marked parallel, that waits for `a` and `b`.
pub fn pipeline(stages: &str, on_failure: OnFailure) -> Workflow {
    let stage = |(ordinal, text): (usize, &str)| {
        let (name, depends_on) = text.split_once('<').unwrap_or((text, ""));
        Step {
            parallel: name.ends_with('|'),
            depends_on: depends_on
                .split(',')
                .filter(|d| !d.is_empty())
                .map(Into::into)
                .collect(),
            routing: Routing::Dependencies,
            ..Step::new(name.trim_end_matches('|'), ordinal)
        }
    };
    let steps = stages.split_whitespace().enumerate().map(stage).collect();
    let mut workflow = Workflow::new("p".into(), "P".into(), Format::Pipeline, steps);
    workflow.on_failure = on_failure;
    workflow
}

/// A pipeline under test: attempts end in the order in which they began.
pub struct Pipeline {
    pub workflow: Workflow,
    pub state: RunState,
    pub log: Vec<(At, Event)>,
    /// Of each stage, what its next attempts come to; afterwards it succeeds.
    pub outcomes: BTreeMap<String, VecDeque<bool>>,
    /// Of each stage, what it reports where it succeeds.
    pub reports: BTreeMap<String, serde_json::Value>,
    /// Stages whose next attempt their agent leaves out.
    pub left_out: Vec<String>,
    /// In the order they began.
    flying: VecDeque<(Instance, u32)>,
    pub started: Vec<String>,
    now: i64,
}

impl Pipeline {
    pub fn new(workflow: Workflow, limits: Limits) -> Self {
        Self::begun(workflow, created(limits))
    }

    pub fn begun(workflow: Workflow, created: engine::RunCreated) -> Self {
        let mut run = Self {
            workflow,
            state: RunState::default(),
            log: Vec::new(),
            outcomes: BTreeMap::new(),
            reports: BTreeMap::new(),
            left_out: Vec::new(),
            flying: VecDeque::new(),
            started: Vec::new(),
            now: 0,
        };
        let created = engine::RunCreated {
            format: Format::Pipeline,
            ..created
        };
        run.say(Intent::Create(Arc::new(created))).expect("a new run");
        run
    }

    /// A run whose driver died: what was in flight is.
    pub fn of(workflow: Workflow, log: Vec<(At, Event)>) -> Self {
        let state = fold(log.iter().map(|(at, e)| (*at, e)));
        let flying = state
            .visits()
            .into_iter()
            .filter_map(|visit| match state.cursor_of(&visit.instance.step) {
                engine::Cursor::Running { instance, attempt } if *instance == visit.instance => {
                    Some((instance.clone(), *attempt))
                }
                _ => None,
            });
        Self {
            now: log.last().map_or(0, |(at, _)| at.0),
            flying: flying.collect(),
            workflow,
            log,
            outcomes: BTreeMap::new(),
            reports: BTreeMap::new(),
            left_out: Vec::new(),
            started: Vec::new(),
            state,
        }
    }

    pub fn failing(mut self, stage: &str) -> Self {
        self.outcomes.entry(stage.to_owned()).or_default().push_back(false);
        self
    }

    pub fn leaving_out(mut self, stage: &str) -> Self {
        self.left_out.push(stage.to_owned());
        self
    }

    pub fn say(&mut self, intent: Intent) -> Result<(), Refusal> {
        self.now += 1;
        let at = At(self.now);
        for event in decide(&self.workflow, &self.state, &Command { at, intent })?.events {
            if let Event::AttemptStarted(started) = &event {
                self.flying.push_back((started.instance.clone(), started.attempt));
                self.started.push(started.instance.step.to_string());
            }
            passes_nobody(&self.state, &event);
            apply(&mut self.state, at, &event);
            self.log.push((at, event));
        }
        assert_eq!(
            self.state,
            fold(self.log.iter().map(|(at, e)| (*at, e))),
            "state is the fold of the log"
        );
        check_stage_grammar(&self.log);
        let due = effects(&self.workflow, &self.state).contains(&Effect::Proceed);
        assert!(!due, "a commit leaves nothing due: {:?}", self.state.stages);
        Ok(())
    }

    /// The oldest attempt in flight ends.
    pub fn end_one(&mut self) -> bool {
        while let Some((instance, attempt)) = self.flying.pop_front() {
            let stage = instance.step.to_string();
            let well = self
                .outcomes
                .get_mut(&stage)
                .and_then(VecDeque::pop_front)
                .unwrap_or(true);
            let left_out = self.left_out.iter().position(|one| *one == stage);
            let result = if let Some(n) = left_out {
                self.left_out.remove(n);
                StepResult {
                    error: Some("no test database".to_owned()),
                    ..StepResult::new(ExecutionStatus::Skipped)
                }
            } else if well {
                reported(self.reports.get(&stage).cloned().unwrap_or(serde_json::json!({})))
            } else {
                failed("broken")
            };
            let ended = self.say(Intent::Finish {
                instance,
                attempt,
                result: Arc::new(result),
            });
            if ended.is_ok() {
                return true;
            }
        }
        false
    }

    pub fn run(mut self) -> Self {
        while self.end_one() {}
        self
    }

    pub fn reopen(&mut self, choices: &[(&str, Choice)]) -> Result<(), Refusal> {
        let choices = choices.iter().map(|(step, choice)| ((*step).into(), *choice)).collect();
        self.say(Intent::Reopen {
            by: "Ann".into(),
            choices,
        })
    }

    pub fn abort(&mut self) {
        self.say(Intent::Abort {
            by: "Ann".into(),
            reason: String::new(),
            given: None,
        })
        .expect("it runs");
    }

    pub fn answer(&mut self, stage: &str, answer: Answer, comment: &str) -> Result<(), Refusal> {
        let gate = engine::GateId::of(&self.workflow.id, &stage.into());
        let round = u32::try_from(self.state.gates.get(&gate).map_or(0, |rounds| rounds.len())).expect("few");
        self.say(Intent::Answer(Arc::new(Decision {
            gate,
            round,
            answer,
            by: "Ann".into(),
            comment: comment.into(),
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

    /// `completed: a=done b=failed …` and the error.
    pub fn summary(&self) -> String {
        let status = match self.state.status {
            RunStatus::Ended(end) => format!("{end:?}"),
            other => format!("{other:?}"),
        };
        let error = self.state.error.as_ref().map_or(String::new(), |e| format!(" ({e})"));
        let stages: Vec<String> = self
            .workflow
            .steps()
            .iter()
            .map(|s| format!("{}={}", s.id, word(self.state.step_status(&s.id))))
            .collect();
        format!("{status}{error}: {}", stages.join(" "))
    }

    fn in_flight(&self) -> Vec<&str> {
        let running = |s: &&Step| self.state.step_status(&s.id) == StepStatus::Running;
        self.workflow
            .steps()
            .iter()
            .filter(running)
            .map(|s| s.id.as_str())
            .collect()
    }
}

fn word(status: StepStatus) -> &'static str {
    match status {
        StepStatus::NotStarted => "pending",
        StepStatus::Queued => "queued",
        StepStatus::Running => "running",
        StepStatus::Retrying => "retrying",
        StepStatus::Blocked => "blocked",
        StepStatus::Succeeded => "done",
        StepStatus::Failed => "failed",
        StepStatus::Skipped => "skipped",
        StepStatus::Interrupted => "aborted",
        StepStatus::Refused => "refused",
    }
}

fn halt(stages: &str) -> Pipeline {
    Pipeline::new(pipeline(stages, OnFailure::Halt), limits(8))
}

fn skipping(stages: &str) -> Pipeline {
    Pipeline::new(pipeline(stages, OnFailure::SkipDependents), limits(8))
}

fn limits(parallel: u32) -> Limits {
    Limits {
        parallel,
        ..Limits::default()
    }
}

#[test]
fn what_is_ready_is_queued_and_what_may_run_together_does() {
    let run = halt("d<b,c b|<a a c|<a");
    assert_eq!(run.in_flight(), ["a"]);
    let run = run.run();
    assert_eq!(run.started, ["a", "b", "c", "d"]);
    assert_eq!(run.summary(), "Succeeded: d=done b=done a=done c=done");
    let queued = run.log.iter().filter(|(_, e)| matches!(e, Event::Queued { .. }));
    assert_eq!(queued.count(), 3, "three waves");
}

#[test]
fn stages_not_marked_parallel_run_one_at_a_time_beside_the_others() {
    let run = halt("a b| c d|");
    assert_eq!(run.in_flight(), ["a", "b", "d"]);
    assert_eq!(run.state.step_status(&"c".into()), StepStatus::Queued);
    assert_eq!(run.run().started, ["a", "b", "d", "c"]);
    let narrow = Pipeline::new(pipeline("a| b| c|", OnFailure::Halt), limits(2));
    assert_eq!(narrow.in_flight(), ["a", "b"]);
    assert_eq!(narrow.run().summary(), "Succeeded: a=done b=done c=done");
}

#[test]
fn a_failure_halts_after_its_wave() {
    let run = halt("a b<a x y<x z<y").failing("a").run();
    assert_eq!(
        run.summary(),
        "Failed (Pipeline failed at stage: a): a=failed b=skipped x=done y=pending z=pending"
    );
    assert_eq!(run.started, ["a", "x"], "what had been queued is finished");
}

/// While a run inside a stage waits for a person, that stage counts as one of which somebody is asked.
#[test]
fn the_next_wave_does_not_wait_for_people_who_are_asked_inside_a_stage() {
    let mut run = halt("b| a| c|<b d|<a");
    let visit = |run: &Pipeline, stage: &str| run.state.steps[stage].visits[0].instance.clone();
    let (a, b) = (visit(&run, "a"), visit(&run, "b"));
    assert!(run.end_one());
    assert_eq!(run.in_flight(), ["a"], "the next wave waits for the one before");
    // One that is not in flight any more holds up nothing anyway.
    run.say(Intent::AskedInside { visits: [b].into() }).expect("it runs");
    assert_eq!(run.in_flight(), ["a"]);
    run.say(Intent::AskedInside {
        visits: [a.clone()].into(),
    })
    .expect("it runs");
    assert_eq!(run.in_flight(), ["a", "c"]);
    let before = run.log.len();
    run.say(Intent::AskedInside { visits: [a].into() }).expect("it runs");
    assert_eq!(run.log.len(), before, "nothing follows from it any more");
    assert_eq!(run.run().summary(), "Succeeded: b=done a=done c=done d=done");
}

#[test]
fn or_skips_what_depends_on_it() {
    let run = skipping("a b<a c<b d e<d").failing("a").run();
    assert_eq!(
        run.summary(),
        "CompletedWithFailures: a=failed b=skipped c=skipped d=done e=done"
    );
    let because = run.state.stages[&StepId::from("c")]
        .settled
        .as_ref()
        .and_then(|s| s.because.clone());
    assert_eq!(because, Some("a".into()), "the stage it began with");
}

#[test]
fn deadlocks_are_named() {
    let error = "Deadlock detected (cycle or unmet dependencies). Pending stages";
    assert_eq!(halt("a<a").summary(), format!("Failed ({error}: a): a=pending"));
    assert_eq!(
        halt("a b<ghost c<a").run().summary(),
        format!("Failed ({error}: b): a=done b=pending c=done")
    );
    assert_eq!(
        skipping("a b<c c<b").failing("a").run().summary(),
        format!("Failed ({error}: b, c): a=failed b=pending c=pending")
    );
}

#[test]
fn of_two_stages_of_one_name_the_second_is_never_reached() {
    let run = halt("a b<a c<b b<c").run();
    assert_eq!(run.summary(), "CompletedWithFailures: a=done b=done c=done b=done");
    assert_eq!(run.started, ["a", "b", "c"]);
    let run = skipping("a b c<a b<a").failing("a").run();
    assert_eq!(run.summary(), "CompletedWithFailures: a=failed b=done c=skipped b=done");
    assert_eq!(run.started, ["a", "b"]);
}

#[test]
fn an_aborted_run_is_taken_up_where_it_was() {
    let mut run = halt("a b<a x<a c<b");
    assert!(run.end_one());
    assert_eq!(run.summary(), "Running: a=done b=running x=queued c=pending");
    run.abort();
    assert_eq!(
        run.summary(),
        "Aborted (Aborted by Ann): a=done b=aborted x=pending c=pending"
    );
    assert!(!run.end_one(), "a late outcome is not used");
    assert_eq!(run.reopen(&[]).expect_err("b").code, RefusalCode::ChoiceNeeded);
    assert_eq!(
        run.reopen(&[("a", Choice::Retry)]).expect_err("a").code,
        RefusalCode::ChoiceNeeded
    );
    run.reopen(&[("b", Choice::Retry)]).expect("it was aborted");
    assert_eq!(run.reopen(&[]).expect_err("it runs").code, RefusalCode::CannotReopen);
    let mut run = run.run();
    assert_eq!(run.summary(), "Succeeded: a=done b=done x=done c=done");
    assert_eq!(
        run.started,
        ["a", "b", "b", "x", "c"],
        "what was completed never runs again"
    );
    assert_eq!(run.reopen(&[]).expect_err("done").code, RefusalCode::CannotReopen);
}

#[test]
fn skipping_on_resume_skips_what_depends_on_it() {
    let mut run = halt("a b<a x y<x").failing("a").run();
    run.reopen(&[("a", Choice::Skip)]).expect("it failed");
    let run = run.run();
    assert_eq!(
        run.summary(),
        "CompletedWithFailures: a=skipped b=skipped x=done y=done"
    );
}

#[test]
fn retrying_on_resume_brings_back_what_was_skipped_because_of_it() {
    let mut run = skipping("a b c<a,b d<c").failing("a").failing("b").run();
    run.reopen(&[("a", Choice::Retry), ("b", Choice::Skip)])
        .expect("both failed");
    let mut run = run.run();
    assert_eq!(
        run.summary(),
        "CompletedWithFailures: a=done b=skipped c=skipped d=skipped"
    );
    assert_eq!(
        run.reopen(&[]).expect_err("nothing failed").code,
        RefusalCode::CannotReopen
    );
    let mut run = halt("a b<a").failing("a").run();
    run.reopen(&[("a", Choice::Retry)]).expect("it failed");
    assert_eq!(run.run().summary(), "Succeeded: a=done b=done");
}

#[test]
fn a_gate_holds_only_what_depends_on_it() {
    let mut workflow = pipeline("design build<design docs ship<docs", OnFailure::Halt);
    let mut steps = workflow.steps().to_vec();
    steps[0].gate = gate(GateAt::After);
    workflow = Workflow::new("p".into(), "P".into(), Format::Pipeline, steps);
    let mut run = Pipeline::new(workflow, limits(8)).run();
    assert_eq!(
        run.summary(),
        "Blocked: design=blocked build=pending docs=done ship=done"
    );
    run.answer("design", Answer::Changes, "shorter").expect("it waits");
    assert_eq!(run.in_flight(), ["design"]);
    let comments = run.state.steps[&StepId::from("design")].visits[1].attempts[0]
        .started
        .comments
        .clone();
    assert_eq!(comments, ["shorter"]);
    let mut run = run.run();
    run.answer("design", Answer::Approve, "").expect("it waits");
    assert_eq!(
        run.run().summary(),
        "Succeeded: design=done build=done docs=done ship=done"
    );
}

#[test]
fn a_gate_before_sends_back_to_a_dependency() {
    let mut steps = pipeline("a b<a x<a", OnFailure::Halt).steps().to_vec();
    steps[1].gate = gate(GateAt::Before);
    let workflow = Workflow::new("p".into(), "P".into(), Format::Pipeline, steps);
    let mut run = Pipeline::new(workflow, limits(8)).run();
    assert_eq!(run.summary(), "Blocked: a=done b=blocked x=done");
    run.answer("b", Answer::Changes, "again").expect("it waits");
    assert_eq!(run.summary(), "Running: a=running b=pending x=done");
    let mut run = run.run();
    run.answer("b", Answer::Approve, "").expect("it waits again");
    let run = run.run();
    assert_eq!(run.summary(), "Succeeded: a=done b=done x=done");
    assert_eq!(run.started, ["a", "x", "a", "b"]);
}

/// `a` before `b` and `c`, each of which asks before it begins.
fn two_askers(on_failure: OnFailure) -> Pipeline {
    let mut steps = pipeline("a b<a c<a d<c", on_failure).steps().to_vec();
    steps[1].gate = gate(GateAt::Before);
    steps[2].gate = gate(GateAt::Before);
    let mut workflow = Workflow::new("p".into(), "P".into(), Format::Pipeline, steps);
    workflow.on_failure = on_failure;
    let mut run = Pipeline::new(workflow, limits(8));
    assert!(run.end_one());
    assert_eq!(run.summary(), "Blocked: a=done b=blocked c=blocked d=pending");
    run
}

#[test]
fn what_was_approved_waits_for_what_another_gate_sent_back() {
    for on_failure in [OnFailure::Halt, OnFailure::SkipDependents] {
        let mut run = two_askers(on_failure);
        run.answer("b", Answer::Changes, "again").expect("it waits");
        run.answer("c", Answer::Approve, "").expect("it waits");
        assert_eq!(run.summary(), "Running: a=running b=pending c=queued d=pending");
        let mut run = run.run();
        run.answer("b", Answer::Approve, "").expect("it waits again");
        let run = run.run();
        assert_eq!(run.summary(), "Succeeded: a=done b=done c=done d=done");
        assert_eq!(run.started, ["a", "a", "c", "d", "b"]);

        let mut run = two_askers(on_failure).failing("a");
        run.answer("b", Answer::Changes, "again").expect("it waits");
        run.answer("c", Answer::Approve, "").expect("it waits");
        let run = run.run();
        let stages = run.summary();
        assert!(stages.ends_with(": a=failed b=skipped c=skipped d=skipped"), "{stages}");
    }
}

#[test]
fn two_gates_may_send_back_the_same_stage() {
    let mut run = two_askers(OnFailure::Halt);
    run.answer("b", Answer::Changes, "longer").expect("it waits");
    run.answer("c", Answer::Changes, "shorter").expect("it waits");
    assert_eq!(run.summary(), "Running: a=running b=pending c=pending d=pending");
    assert!(run.end_one());
    let visits = &run.state.steps[&StepId::from("a")].visits;
    let comments: Vec<_> = visits
        .iter()
        .map(|v| v.attempts[0].started.comments.join(" "))
        .collect();
    assert_eq!(
        comments,
        ["", "longer", "shorter"],
        "what was said too late is done next"
    );
    let mut run = run.run();
    assert_eq!(run.summary(), "Blocked: a=done b=blocked c=blocked d=pending");
    run.answer("b", Answer::Approve, "").expect("it waits");
    run.answer("c", Answer::Approve, "").expect("it waits");
    assert_eq!(run.run().summary(), "Succeeded: a=done b=done c=done d=done");
}

#[test]
fn a_queued_stage_that_asks_holds_up_nobody() {
    let mut steps = pipeline("a b c<a", OnFailure::Halt).steps().to_vec();
    steps[1].gate = gate(GateAt::Before);
    let workflow = Workflow::new("p".into(), "P".into(), Format::Pipeline, steps);
    let mut run = Pipeline::new(workflow, limits(1));
    assert_eq!(run.summary(), "Running: a=running b=queued c=pending");
    assert!(run.end_one());
    assert_eq!(run.summary(), "Running: a=done b=blocked c=running");
}

#[test]
fn a_run_that_was_paused_when_it_was_aborted_goes_on_when_it_is_taken_up() {
    let mut run = halt("a b<a");
    run.say(Intent::Pause {
        by: "Ann".into(),
        given: None,
    })
    .expect("it runs");
    run.abort();
    run.reopen(&[("a", Choice::Retry)]).expect("it was aborted");
    assert_eq!(run.run().summary(), "Succeeded: a=done b=done");
}

#[test]
fn what_its_agent_left_out_is_skipped_and_what_waits_for_it_with_it() {
    for of in [halt, skipping] {
        let mut run = of("a b<a c<b x y<x").leaving_out("a").run();
        assert_eq!(
            run.summary(),
            "CompletedWithFailures: a=skipped b=skipped c=skipped x=done y=done"
        );
        let settled = run.state.stages[&StepId::from("a")].settled.clone().expect("it ended");
        assert!(settled.is_left_out_by_agent());
        assert_eq!(settled.error.as_deref(), Some("no test database"));
        assert!(run.reopen(&[]).is_err(), "it is said what becomes of it");
        run.reopen(&[("a", Choice::Retry)]).expect("it was not done");
        assert_eq!(run.run().summary(), "Succeeded: a=done b=done c=done x=done y=done");
    }
    let mut run = halt("a b<a").leaving_out("a").run();
    run.reopen(&[("a", Choice::Skip)]).expect("it was not done");
    let mut run = run.run();
    assert_eq!(run.summary(), "CompletedWithFailures: a=skipped b=skipped");
    assert!(run.reopen(&[]).is_err(), "a person has said that it stays so");
}

#[test]
fn a_person_lets_a_run_go_on_without_a_stage_that_its_agent_left_out() {
    let mut steps = pipeline("a b<a", OnFailure::Halt).steps().to_vec();
    steps[0].gate = gate(GateAt::After);
    let workflow = Workflow::new("p".into(), "P".into(), Format::Pipeline, steps);
    let mut run = Pipeline::new(workflow, limits(1)).leaving_out("a");
    assert!(run.end_one());
    let asked = run.state.gates.values().next().and_then(|rounds| rounds.last());
    let question = asked.map(|round| round.opened.question.clone());
    assert_eq!(
        question.as_deref(),
        Some("“A” was skipped (no test database). Do you approve that?")
    );
    run.answer("a", Answer::Approve, "it is not needed").expect("it waits");
    assert_eq!(run.run().summary(), "Succeeded: a=skipped b=done");
}

#[test]
fn a_rejection_ends_the_run_whatever_the_pipeline_says_of_failures() {
    let mut workflow = pipeline("a b<a x y<x", OnFailure::SkipDependents);
    let mut steps = workflow.steps().to_vec();
    steps[0].gate = gate(GateAt::After);
    workflow = Workflow::new("p".into(), "P".into(), Format::Pipeline, steps);
    workflow.on_failure = OnFailure::SkipDependents;
    let mut run = Pipeline::new(workflow, limits(1));
    assert!(run.end_one());
    run.answer("a", Answer::Reject, "not this way").expect("it waits");
    let mut run = run.run();
    assert_eq!(
        run.summary(),
        "Failed (Rejected by Ann: not this way): a=refused b=skipped x=done y=pending"
    );
    run.reopen(&[("a", Choice::Skip)]).expect("it failed");
    assert_eq!(
        run.run().summary(),
        "CompletedWithFailures: a=skipped b=skipped x=done y=done"
    );
}

/// `a`, then `b`, then `c`, whose gate leads back to this stage when it is rejected.
fn rejected_to(at: GateAt, to: &str) -> Pipeline {
    let workflow = pipeline("a b<a c<b x", OnFailure::SkipDependents);
    let mut steps = workflow.steps().to_vec();
    steps[2].gate = gate(at);
    steps[2].gate.as_mut().expect("it asks").on_reject = Some(to.into());
    let mut workflow = Workflow::new("p".into(), "P".into(), Format::Pipeline, steps);
    workflow.on_failure = OnFailure::SkipDependents;
    Pipeline::new(workflow, limits(1))
}

#[test]
fn a_rejection_leads_back_where_the_pipeline_says_so() {
    for at in [GateAt::Before, GateAt::After] {
        let mut run = rejected_to(at, "a");
        while run.end_one() {}
        run.answer("c", Answer::Reject, "not this way").expect("it waits");
        assert!(
            run.log
                .iter()
                .any(|(_, event)| matches!(event, Event::SentBack(sent) if sent.rejected && sent.by_person))
        );
        let comments = run.log.iter().rev().find_map(|(_, event)| match event {
            Event::AttemptStarted(started) if started.instance.step.as_str() == "a" => Some(started.comments.clone()),
            _ => None,
        });
        assert_eq!(comments.expect("it is done again"), ["not this way"]);
        assert_eq!(
            run.state.step_status(&"b".into()),
            StepStatus::NotStarted,
            "what lies between is done again"
        );
        while run.end_one() {}
        run.answer("c", Answer::Approve, "so be it").expect("it is asked again");
        let run = run.run();
        assert_eq!(run.summary(), "Succeeded: a=done b=done c=done x=done");
        assert_eq!(run.started.iter().filter(|stage| *stage == "b").count(), 2);
        assert!(matches!(run.state.outcome(), Some(engine::Outcome::Done)));
    }
}

#[test]
fn a_rejection_that_leads_to_what_is_not_waited_for_ends_the_run() {
    for to in ["x", "c"] {
        let mut run = rejected_to(GateAt::After, to);
        while run.end_one() {}
        run.answer("c", Answer::Reject, "not this way").expect("it waits");
        assert!(
            run.run()
                .summary()
                .starts_with("Failed (Rejected by Ann: not this way)")
        );
    }
}

#[test]
fn a_log_cut_off_at_a_rejection_leads_back_all_the_same() {
    let mut whole = rejected_to(GateAt::After, "a");
    while whole.end_one() {}
    whole.answer("c", Answer::Reject, "not this way").expect("it waits");
    let answered = |(_, event): &(At, Event)| matches!(event, Event::GateAnswered(_));
    let cut = whole.log.iter().position(answered).expect("answered") + 1;
    for cut in cut..=whole.log.len() {
        let mut run = Pipeline::of(whole.workflow.clone(), whole.log[..cut].to_vec());
        if effects(&run.workflow, &run.state).contains(&Effect::Proceed) {
            run.say(Intent::Proceed).expect("it is due");
        }
        while run.end_one() {}
        run.answer("c", Answer::Approve, "so be it").expect("it is asked again");
        assert_eq!(
            run.run().summary(),
            "Succeeded: a=done b=done c=done x=done",
            "cut after {cut}"
        );
    }
}

#[test]
fn a_paused_pipeline_begins_nothing() {
    let mut run = halt("a b<a");
    run.say(Intent::Pause {
        by: "Ann".into(),
        given: None,
    })
    .expect("it runs");
    let mut run = run.run();
    assert_eq!(run.summary(), "Paused: a=done b=pending");
    run.say(Intent::Resume {
        by: "Ann".into(),
        given: None,
    })
    .expect("it is paused");
    assert_eq!(run.run().summary(), "Succeeded: a=done b=done");
}

#[test]
fn every_prefix_of_a_log_goes_on_to_the_same_end() {
    let mut run = halt("a b|<a c|<a d<b,c e").failing("c").run();
    run.reopen(&[("c", Choice::Retry)]).expect("it failed");
    let whole = run.run();
    for cut in 1..whole.log.len() {
        let log = whole.log[..cut].to_vec();
        let state = fold(log.iter().map(|(at, e)| (*at, e)));
        let mut run = Pipeline {
            workflow: whole.workflow.clone(),
            log,
            reports: BTreeMap::new(),
            left_out: Vec::new(),
            outcomes: BTreeMap::new(),
            flying: VecDeque::new(),
            started: Vec::new(),
            now: whole.now,
            state,
        };
        loop {
            run.now += 1;
            let wanted = effects(&run.workflow, &run.state);
            if let Some(Effect::Execute { instance, attempt }) = wanted
                .iter()
                .find(|e| matches!(e, Effect::Execute { .. }))
                .filter(|_| !wanted.contains(&Effect::Proceed))
            {
                let failures = run.state.visit(instance).map_or(0, |v| v.instance.visit);
                let fails = instance.step == "c".into() && failures == 1;
                let result = if fails {
                    failed("broken")
                } else {
                    StepResult::new(ExecutionStatus::Succeeded)
                };
                run.flying.clear();
                let intent = Intent::Finish {
                    instance: instance.clone(),
                    attempt: *attempt,
                    result: Arc::new(result),
                };
                run.say_freely(intent);
            } else if wanted.contains(&Effect::Proceed) {
                run.say_freely(Intent::Proceed);
            } else if run.state.status == RunStatus::Ended(engine::EndStatus::Failed) {
                run.reopen(&[("c", Choice::Retry)]).expect("it failed");
            } else {
                break;
            }
        }
        assert_eq!(
            run.summary(),
            whole.summary(),
            "cut after {cut}: {:?}",
            whole.log[cut - 1].1
        );
    }
}

impl Pipeline {
    fn say_freely(&mut self, intent: Intent) {
        let at = At(self.now);
        for event in decide(&self.workflow, &self.state, &Command { at, intent })
            .expect("it fits")
            .events
        {
            passes_nobody(&self.state, &event);
            apply(&mut self.state, at, &event);
            self.log.push((at, event));
        }
    }
}
