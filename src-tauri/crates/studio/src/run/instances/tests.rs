use super::*;
use crate::run::sample;
use engine::{
    At, Command, Decision, EngineInfo, ExecutionStatus, GateId, Intent, RunCreated, StepResult, apply, decide,
};
use model::Workflow;
use std::sync::Arc;

/// A run of a workflow, driven by hand: each answer is what the next step or person says.
struct Run<'a> {
    workflow: &'a Workflow,
    state: RunState,
}

impl<'a> Run<'a> {
    fn begin(workflow: &'a Workflow) -> Self {
        let mut run = Self {
            workflow,
            state: RunState::default(),
        };
        run.feed(Intent::Create(Arc::new(RunCreated {
            engines: [("*".into(), EngineInfo::stub())].into(),
            ..RunCreated::new("r", workflow, "deploy.runbook.md", "0".repeat(64), "test")
        })));
        run
    }

    fn feed(&mut self, intent: Intent) {
        let at = At(1);
        let events = decide(self.workflow, &self.state, &Command { at, intent }).expect("it fits");
        events.events.iter().for_each(|event| apply(&mut self.state, at, event));
    }

    fn say(&mut self, passed: bool) {
        if let Some(round) = self.state.waiting() {
            let (gate, round) = (round.opened.gate.clone(), round.opened.round);
            return self.answer(gate, round, passed);
        }
        let Cursor::Running { instance, attempt } = self.state.cursor.clone() else {
            panic!("nothing is in flight: {:?}", self.state.cursor);
        };
        let status = if passed {
            ExecutionStatus::Succeeded
        } else {
            ExecutionStatus::Failed
        };
        self.feed(Intent::Finish {
            instance,
            attempt,
            result: Arc::new(StepResult::new(status)),
        });
    }

    fn answer(&mut self, gate: GateId, round: u32, passed: bool) {
        self.feed(Intent::Answer(Arc::new(Decision {
            gate,
            round,
            answer: if passed {
                engine::Answer::Pass
            } else {
                engine::Answer::Fail
            },
            by: "Ada".into(),
            comment: String::new(),
            seen: Vec::new(),
            undrawn: Vec::new(),
            via: "test".into(),
            lasting: None,
            way: None,
            report: Default::default(),
            key_name: None,
            signature: None,
        })));
    }

    fn status(&self, step: &str, path: &[u32]) -> StepStatus {
        status(self.workflow, &self.state, self.step(step), path)
    }

    fn step(&self, id: &str) -> &'a Step {
        self.workflow.step(&id.into()).expect("a step")
    }
}

#[test]
fn a_container_is_what_its_steps_are() {
    let workflow = sample::deployment();
    let mut run = Run::begin(&workflow);
    assert_eq!(run.status("1", &[]), StepStatus::Running);
    run.say(true);
    assert_eq!(
        (run.status("1.1", &[]), run.status("1", &[])),
        (StepStatus::Succeeded, StepStatus::Running)
    );
    run.say(true);
    assert_eq!(
        (run.status("1", &[]), run.status("2", &[])),
        (StepStatus::Succeeded, StepStatus::Running)
    );

    let mut run = Run::begin(&workflow);
    run.say(false);
    assert_eq!(run.status("1", &[]), StepStatus::Failed, "one failure decides it");
    assert_eq!(run.status("1.2", &[]), StepStatus::NotStarted);
}

#[test]
fn retries_are_counted_while_the_step_is_at_work() {
    let workflow = sample::deployment();
    let mut run = Run::begin(&workflow);
    run.say(true);
    run.say(true);
    assert_eq!(retry(&run.state, run.step("2")), None);
    run.say(false);
    assert_eq!(retry(&run.state, run.step("2")).as_deref(), Some("1/2"));
    run.say(false);
    assert_eq!(retry(&run.state, run.step("2")).as_deref(), Some("2/2"));
    run.say(false);
    assert_eq!(
        (retry(&run.state, run.step("2")), run.status("2", &[])),
        (None, StepStatus::Failed)
    );
}

#[test]
fn every_instance_of_a_dynamic_step_has_a_status_of_its_own() {
    let workflow = sample::each();
    let mut run = Run::begin(&workflow);
    let (each, write, more) = (run.step("{N}"), run.step("{N}.1"), run.step("{N}.2"));
    assert_eq!((depth(&workflow, each), depth(&workflow, write)), (1, 1));
    assert_eq!(paths(&workflow, &run.state, write), [[1]]);
    run.say(true);
    assert_eq!(run.status("{N}.2", &[1]), StepStatus::Blocked);
    assert_eq!(paths(&workflow, &run.state, more), [[1]], "it is asked about already");
    run.say(true);
    run.say(false);
    assert_eq!(paths(&workflow, &run.state, each), [[1], [2]]);
    assert_eq!(
        (run.status("{N}.1", &[1]), run.status("{N}.1", &[2])),
        (StepStatus::Succeeded, StepStatus::Failed)
    );
    assert_eq!(
        (run.status("{N}", &[1]), run.status("{N}", &[2])),
        (StepStatus::Succeeded, StepStatus::Failed)
    );
    assert!(
        run.state.status.ended(),
        "nothing is written for the failure of {{N}}.1"
    );
}

#[test]
fn no_is_an_answer_where_the_runbook_goes_on_from_it() {
    let workflow = sample::deployment();
    let mut run = Run::begin(&workflow);
    (0..3).for_each(|_| run.say(true));
    run.say(false);
    assert_eq!(
        (run.status("3", &[]), run.status("Recover", &[])),
        (StepStatus::Succeeded, StepStatus::Running)
    );
    let visit = visits(&run.state, run.step("3")).next_back().expect("a visit");
    let said = answered_no(&run.state, run.step("3"), visit).map(crate::words::answered_no);
    assert_eq!(said.as_deref(), Some("Answered NO by Ada"));
    // Where nothing is written for it the run has come to grief with it.
    let again = sample::on(true, "YES", None, sample::goto("1"));
    let ask = sample::step("1", "Is it fine?", sample::prompt("Look."), vec![again]);
    let workflow = sample::runbook(vec![ask]);
    let mut run = Run::begin(&workflow);
    run.say(false);
    assert!(run.state.status.ended());
    assert_eq!(run.status("1", &[]), StepStatus::Failed);
}

/// The sample that writes letters: `{N}.1` looks for the next customer and fails when there is none.
fn letters() -> Workflow {
    let text = "---\nname: letters\n---\n# Letters\n\n## {N} Each customer\n\n### {N}.1 Take the next\n\n```bash\nnext\n```\n\n\
                - PASS: CONTINUE\n- FAIL: COMPLETE \"All have one.\"\n\n### {N}.2 Write\n\n```bash\nwrite\n```\n\n\
                - PASS: GOTO NEXT {N}\n- FAIL: COMPLETE \"Not all.\"\n";
    let document = dialect::Document::parse("letters.runbook.md", text);
    assert!(document.diagnostics().is_empty(), "{:?}", document.diagnostics());
    document.workflow().clone()
}

#[test]
fn a_loop_that_ends_because_nothing_is_left_is_done() {
    let workflow = letters();
    for (before, words) in [(3, "nothing left after 3"), (0, "there was nothing to do")] {
        let mut run = Run::begin(&workflow);
        (0..2 * before).for_each(|_| run.say(true));
        run.say(false);
        assert!(run.state.status.ended());
        for step in ["{N}", "{N}.1"] {
            assert_eq!(run.status(step, &[]), StepStatus::Succeeded, "{step}");
            let said = nothing_left(&workflow, &run.state, run.step(step), &[]);
            assert_eq!(said.as_deref(), Some(words), "{step}");
        }
        assert_eq!(run.status("{N}.1", &[before + 1]), StepStatus::Succeeded);
        assert_eq!(nothing_left(&workflow, &run.state, run.step("{N}.2"), &[]), None);
    }
    // What fails in the middle of its work has failed, wherever the runbook goes then.
    let mut run = Run::begin(&workflow);
    run.say(true);
    run.say(false);
    assert_eq!(run.status("{N}.2", &[]), StepStatus::Failed);
    assert_eq!(nothing_left(&workflow, &run.state, run.step("{N}"), &[]), None);
}
