//! A runbook for the tests of the builders, made of the model's own structs.

use model::{Action, Format, Jump, Quantifier, Routing, Step, Transition, Work, Workflow};
use std::sync::Arc;

pub fn on(passed: bool, word: &str, quantifier: Option<Quantifier>, action: Action) -> Transition {
    Transition {
        passed,
        word: word.to_owned(),
        quantifier,
        action,
    }
}

pub fn goto(id: &str) -> Action {
    Action::Goto(Jump::To(id.into()))
}

pub fn retry(times: u32, then: Action) -> Action {
    Action::Retry {
        times,
        then: Box::new(then),
    }
}

pub fn stop(message: &str) -> Action {
    Action::Stop {
        message: Some(message.to_owned()),
    }
}

/// A step by its id; its number is the id unless that is a name.
pub fn step(id: &str, name: &str, work: Work, transitions: Vec<Transition>) -> Step {
    let last = id.rsplit('.').next().unwrap_or(id);
    let named = last.starts_with(|c: char| c.is_ascii_alphabetic());
    Step {
        number: if named { String::new() } else { id.to_owned() },
        name: name.to_owned(),
        parent: id.split_once('.').map(|(parent, _)| parent.into()),
        dynamic: last.starts_with('{'),
        jump_only: named && !id.contains('.'),
        work,
        routing: Routing::Transitions { transitions },
        ..Step::new(id, 0)
    }
}

pub fn command(script: &str) -> Work {
    Work::Command {
        language: "bash".to_owned(),
        script: script.to_owned(),
    }
}

pub fn prompt(text: &str) -> Work {
    Work::Prompt { text: text.to_owned() }
}

pub fn runbook(steps: Vec<Step>) -> Workflow {
    let steps = steps
        .into_iter()
        .enumerate()
        .map(|(ordinal, step)| Step { ordinal, ..step });
    Workflow::new("deploy".into(), "Deploy".to_owned(), Format::Rundown, steps.collect())
}

/// Checks in a container that decides, a deployment that is retried and rolled back, a question, a recovery by name.
pub fn deployment() -> Workflow {
    runbook(vec![
        step(
            "1",
            "Checks",
            Work::Group,
            vec![
                on(true, "PASS", Some(Quantifier::All), Action::Continue),
                on(false, "FAIL", Some(Quantifier::Any), goto("Recover")),
            ],
        ),
        step("1.1", "Run the tests", command("npm test"), vec![]),
        step("1.2", "Check the disk", command("df"), vec![]),
        step(
            "2",
            "Roll out",
            command("deploy"),
            vec![on(false, "FAIL", None, retry(2, goto("Recover")))],
        ),
        step(
            "3",
            "Is it healthy?",
            prompt("Look at the dashboard."),
            vec![
                on(
                    true,
                    "YES",
                    None,
                    Action::Complete {
                        message: Some("version 3.2 is out".into()),
                    },
                ),
                on(false, "NO", None, goto("Recover")),
            ],
        ),
        step(
            "Recover",
            "Roll back",
            command("undo"),
            vec![on(true, "PASS", None, stop("rolled back"))],
        ),
    ])
}

/// A dynamic step with two substeps, the last of which asks for the next one.
pub fn each() -> Workflow {
    runbook(vec![
        step("{N}", "Each customer", Work::Group, vec![]),
        step("{N}.1", "Write", command("write"), vec![]),
        step(
            "{N}.2",
            "More?",
            prompt(""),
            vec![
                on(true, "YES", None, Action::Goto(Jump::Next(Some("{N}".into())))),
                on(false, "NO", None, Action::Complete { message: None }),
            ],
        ),
    ])
}

/// A StepSpec run, turned by the machine itself: commands in, events applied.
pub struct Play {
    pub workflow: Workflow,
    pub state: engine::RunState,
}

/// A brief and requirements that are checked and leave evidence, then a step before which a person is asked.
const PLAN: &str = "\
workflow: plan-payments
title: Plan
steps:
  - {id: brief, name: Brief, phase: Phase 1, outputs: ['{output_folder}/brief.md'], evidence: L1, human_gate: none}
  - {id: prd, name: Requirements, phase: Phase 2, outputs: ['{output_folder}/prd.md'], evidence: L2, human_gate: none,
     inputs: {artifacts: ['{output_folder}/brief.md']}}
  - {id: architecture, name: Architecture, phase: Phase 3, inputs: {artifacts: ['{output_folder}/prd.md']}, human_gate: required,
     tools: [{name: deploy, risk: high}]}
";

impl Play {
    pub fn begin() -> Self {
        let document = dialect::Document::parse("plan.yaml", PLAN);
        let workflow = document.workflow().clone();
        assert_eq!((workflow.format, workflow.steps().len()), (Format::StepSpec, 3));
        let created = serde_json::from_value(serde_json::json!({
            "version": engine::EVENT_VERSION, "run_id": "run", "workflow": "plan-payments", "title": "Plan", "format": "step_spec",
            "path": "plan.yaml", "source": "0", "initiator": "test", "engines": {}, "limits": engine::Limits::default(),
        }));
        let mut play = Self {
            workflow,
            state: engine::RunState::default(),
        };
        play.send(engine::Intent::Create(Arc::new(created.expect("a first event"))));
        play
    }

    pub fn send(&mut self, intent: engine::Intent) {
        let at = engine::At(i64::try_from(self.state.seq).expect("few") * 1_000);
        let command = engine::Command { at, intent };
        for event in engine::decide(&self.workflow, &self.state, &command)
            .expect("it fits")
            .events
        {
            engine::apply(&mut self.state, at, &event);
        }
    }

    /// The attempt in flight ends.
    pub fn finish(&mut self, result: engine::StepResult) {
        let engine::Cursor::Running { instance, attempt } = self.state.cursor.clone() else {
            panic!("nothing is in flight");
        };
        self.send(engine::Intent::Finish {
            instance,
            attempt,
            result: Arc::new(result),
        });
    }

    /// It made this file, which a check has passed, and leaves evidence for it, valid until then.
    pub fn made(&mut self, path: &str, digest: &str, valid_until: &str, reliability: f64) {
        let step = match &self.state.cursor {
            engine::Cursor::Running { instance, .. } => instance.clone(),
            other => panic!("{other:?}"),
        };
        let asked = self.workflow.step(&step.step).and_then(|step| step.evidence.clone());
        let result = serde_json::from_value(serde_json::json!({
            "status": "succeeded", "duration_ms": 1, "artifacts": [{"path": path, "digest": digest, "bytes": 1}],
            "lifecycle": {
                "calls": [{"name": "getCurrentTime", "args": {}, "risk": "low", "status": "completed", "started_at": 1, "ended_at": 2}],
                "guardrails": [{"stage": "outputs", "status": "passed"}],
                "validation": {"policy": "template", "passed": true, "checks": [{"check": "template", "target": path, "status": "passed"}]},
                "evidence": [{"id": format!("ev:{}:{}", step.step, step.visit), "claim": format!("“{path}” is complete."), "level": "L1",
                    "source": "writer", "date": "1970-01-01", "valid_until": valid_until, "congruence": "CL2", "reliability": reliability,
                    "wlnk": 0.0, "carrier_ref": path, "artifacts": [{"path": path, "digest": digest}], "asked": asked}],
            },
        }));
        self.finish(result.expect("a result"));
    }

    /// Up to the person before the last step.
    pub fn at_the_gate() -> Self {
        let mut play = Self::begin();
        play.made("docs/brief.md", "b1", "1970-01-20", 0.9);
        play.made("docs/prd.md", "p1", "1970-03-02", 0.5);
        play
    }

    pub fn answer(&mut self, answer: engine::Answer, comment: &str) {
        let opened = self.state.waiting().expect("a person is asked").opened.clone();
        self.send(engine::Intent::Answer(Arc::new(engine::Decision {
            gate: opened.gate.clone(),
            round: opened.round,
            answer,
            by: "Ada".to_owned(),
            comment: comment.to_owned(),
            seen: Vec::new(),
            undrawn: Vec::new(),
            via: "test".to_owned(),
            lasting: None,
            way: None,
            report: Default::default(),
            key_name: None,
            signature: None,
        })));
    }

    pub fn evidence(&self, now: i64) -> crate::evidence::present::Of<'_> {
        crate::evidence::present::Of {
            workflow: &self.workflow,
            state: &self.state,
            now,
            on_disk: None,
        }
    }
}
