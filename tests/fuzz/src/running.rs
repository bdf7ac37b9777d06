//! What must hold when a runbook is carried out by the engine, with answers that follow from the input.

use crate::input::Choices;
use dialect::Document;
use engine::{
    Answer, At, Command, Decision, Effect, Event, ExecutionStatus, Intent, Purpose, RunCreated, RunState, StepResult,
    apply, decide, edges, effects, fold,
};
use model::{Severity, StepId, Workflow};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Commands given to a run: a runbook may go on for ever.
const COMMANDS: usize = 200;

/// A runbook without errors is run twice: in one go, and cut off after some event and carried on. Both give the same log.
pub fn check(document: &Document, choices: &mut Choices<'_>) {
    if document.diagnostics().iter().any(|d| d.severity == Severity::Error) {
        return;
    }
    let workflow = document.workflow();
    let mut run = Run::new(workflow, choices.seed());
    let created = run.created(choices.below(3) > 0, choices.one_in(3));
    if run.send(Intent::Create(Arc::new(created))).is_err() {
        assert!(
            workflow.entry().is_none(),
            "a runbook without errors that has steps can be run"
        );
        return;
    }
    run.drive();
    run.sound();
    let cut = 1 + choices.below(run.log.len());
    let mut again = Run::new(workflow, run.seed);
    again.log = run.log[..cut].to_vec();
    again.state = fold(again.log.iter().map(|event| (At(0), event)));
    again.drive();
    // The run that was cut off has had no fewer commands.
    let both = run.log.len().min(again.log.len());
    assert_eq!(again.log[..both], run.log[..both], "cut off after event {cut}");
    if run.state.status.ended() {
        assert_eq!(again.state, run.state, "cut off after event {cut}");
    }
}

struct Run<'a> {
    workflow: &'a Workflow,
    seed: u64,
    state: RunState,
    log: Vec<Event>,
}

impl<'a> Run<'a> {
    fn new(workflow: &'a Workflow, seed: u64) -> Self {
        let (state, log) = (RunState::default(), Vec::new());
        Self {
            workflow,
            seed,
            state,
            log,
        }
    }

    /// The same question, the same answer, however often the run was cut off.
    fn draw(&self, what: impl Hash) -> usize {
        let mut hasher = DefaultHasher::new();
        (self.seed, what).hash(&mut hasher);
        usize::try_from(hasher.finish() >> 33).unwrap_or(0)
    }

    fn created(&self, prompted: bool, permissions: bool) -> RunCreated {
        let asked = self
            .workflow
            .steps()
            .iter()
            .filter(|step| permissions && self.draw(("permission", &step.id)).is_multiple_of(3));
        RunCreated {
            prompted,
            permissions: asked
                .map(|step| (step.id.clone(), vec!["run `make`".to_owned()]))
                .collect(),
            ..RunCreated::new("fuzz", self.workflow, crate::FILE, "0", "test")
        }
    }

    /// One command: the same one leads to the same events, which can be written down, and the state settles.
    fn send(&mut self, intent: Intent) -> Result<(), engine::Refusal> {
        let command = Command { at: At(0), intent };
        let decided = decide(self.workflow, &self.state, &command)?;
        let events = decided.events;
        assert!(!events.is_empty(), "an accepted command leaves a trace: {command:?}");
        for event in events {
            apply(&mut self.state, At(0), &event);
            self.log.push(event);
        }
        assert_eq!(self.state, decided.state, "what was decided on is what the log says");
        assert!(
            !effects(self.workflow, &self.state).contains(&Effect::Proceed),
            "{:?}",
            self.state.cursor
        );
        Ok(())
    }

    fn drive(&mut self) {
        for _ in 0..COMMANDS {
            let Some(effect) = effects(self.workflow, &self.state).into_iter().next() else {
                assert!(
                    self.state.status.ended(),
                    "a run that waits for nothing has ended: {:?}",
                    self.state.cursor
                );
                return;
            };
            let intent = self.intent(effect);
            if let Err(refusal) = self.send(intent.clone()) {
                panic!("{intent:?} was asked for and refused: {}", refusal.message);
            }
        }
    }

    fn intent(&self, effect: Effect) -> Intent {
        match effect {
            Effect::Proceed => Intent::Proceed,
            Effect::WaitUntil { instance, .. } => Intent::Retry { instance },
            Effect::Execute { instance, attempt } => {
                let status = match self.draw((&instance, attempt)) % 12 {
                    0 => ExecutionStatus::Skipped,
                    1..5 => ExecutionStatus::Failed,
                    _ => ExecutionStatus::Succeeded,
                };
                Intent::Finish {
                    instance,
                    attempt,
                    result: Arc::new(StepResult::new(status)),
                }
            }
            Effect::Navigate { instance } => Intent::Navigated {
                instance,
                said: Arc::default(),
            },
            Effect::Ask { gate, round } => {
                let waiting = self.state.waiting().expect("somebody is asked at a gate");
                let drawn = self.draw((&gate, round));
                let steps = self.workflow.steps();
                if drawn.is_multiple_of(17) {
                    let to: StepId = steps[drawn / 17 % steps.len()].id.clone();
                    return Intent::Jump {
                        by: "Ada".to_owned(),
                        to,
                    };
                }
                let yes = !drawn.is_multiple_of(3);
                let way = match &waiting.opened.purpose {
                    Purpose::Way { ways } if yes => ways.get(drawn % ways.len().max(1)).map(|way| way.id.clone()),
                    _ => None,
                };
                let answer = match waiting.opened.purpose {
                    Purpose::Outcome { .. } if yes => Answer::Pass,
                    Purpose::Outcome { .. } => Answer::Fail,
                    _ if way.is_some() => Answer::Choose,
                    _ if yes => Answer::Approve,
                    _ => Answer::Reject,
                };
                let decision = Decision {
                    gate,
                    round,
                    answer,
                    by: "Ada".to_owned(),
                    comment: "because".to_owned(),
                    seen: Vec::new(),
                    undrawn: Vec::new(),
                    via: "test".to_owned(),
                    lasting: None,
                    way,
                    report: Default::default(),
                    key_name: None,
                    signature: None,
                };
                Intent::Answer(Arc::new(decision))
            }
        }
    }

    /// The state is the fold of the log, events survive being written down, and every decision was along an edge or none.
    fn sound(&self) {
        assert_eq!(fold(self.log.iter().map(|event| (At(0), event))), self.state);
        for event in &self.log {
            let json = serde_json::to_string(event).expect("events can be written");
            let read: Event = serde_json::from_str(&json).expect("and read");
            assert_eq!(read, *event);
        }
        let flows = self.workflow.flows().len();
        for route in &self.state.routes {
            assert!(edges::taken(self.workflow, route).is_none_or(|edge| edge < flows));
        }
    }
}
