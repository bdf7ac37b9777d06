//! The transitions of runbooks (seed 002 "Transitions", "Actions", "GOTO"; CONTRACTS "Rundown"): what follows the outcome of
//! a unit, and what the run remembers of dynamic instances, retries and the outcomes inside a container.
//!
//! Pure, like [`crate::routing`]: the answer is a [`RouteDecision`] that says everything a why-card shows. Its `reason` is
//! `pass:` or `fail:` and the action carried out: `CONTINUE`, `COMPLETE`, `STOP`, `GOTO 3`, `GOTO NEXT`, `RETRY (1/2)`.
//!
//! # Why a way was not taken
//!
//! | code | the way was not taken because |
//! |---|---|
//! | `other_result_needed:{PASS or FAIL}` | this transition is for the other outcome |
//! | `retries_left:{k}/{n}` | there were attempts left |
//! | `retries_used_up:{n}` | all attempts were used |

use crate::{
    Alternative, Frame, Instance, LoopCount, Moved, RouteDecision, RouteKind, RouteReason, RouteSource, RunbookMove,
    UnitOutcome, WhyNot, WhyNotCode,
};
use model::ways::decides;
use model::{Action, Fields, Jump, Quantifier, Routing, Step, StepId, Transition, Workflow};
use serde_json::{Value, json};
use std::sync::Arc;

/// How the outcomes of several units become one (seed 002 "Modifiers").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// PASS ALL, FAIL ANY: the default.
    Pessimistic,
    /// PASS ANY, FAIL ALL.
    Optimistic,
}

impl Mode {
    /// The mode of these transitions: one modifier fixes it.
    pub fn of(transitions: &[Transition]) -> Self {
        let optimistic = transitions.iter().any(|t| {
            matches!(
                (t.passed, t.quantifier),
                (true, Some(Quantifier::Any)) | (false, Some(Quantifier::All))
            )
        });
        if optimistic {
            Self::Optimistic
        } else {
            Self::Pessimistic
        }
    }

    /// The mode of a step's transitions.
    pub fn of_step(step: &Step) -> Self {
        Self::of(transitions(step))
    }
}

/// The outcome of all units together; `None`: not decided yet. A unit that is not done is `None`. Everything is awaited,
/// but for FAIL ANY, which the first failure decides (CONTRACTS "Rundown").
pub fn aggregate(mode: Mode, units: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let (mut pending, mut passed, mut failed) = (false, false, false);
    for unit in units {
        match unit {
            None => pending = true,
            Some(true) => passed = true,
            Some(false) => failed = true,
        }
    }
    match mode {
        Mode::Pessimistic if failed => Some(false),
        _ if pending => None,
        Mode::Pessimistic => Some(true),
        Mode::Optimistic => Some(passed || !failed),
    }
}

/// What follows the outcome of a step. `frame` is what the run remembered before.
pub fn route(workflow: &Workflow, from: &Instance, frame: &Frame, passed: bool) -> RouteDecision {
    let Some(step) = workflow.step(&from.step) else {
        // The caller has looked the step up already.
        return ending(from, frame, passed);
    };
    let mut table = Table::new(workflow, from, frame, step, passed);
    if workflow.container(step).is_some() {
        table.record();
    }
    let chosen = table.outcome_of(step);
    table.decision(chosen)
}

/// What a person's jump leads to: a move like any other.
pub fn jump(workflow: &Workflow, from: &Instance, frame: &Frame, to: &StepId) -> RouteDecision {
    let Some(step) = workflow.step(&from.step).or_else(|| workflow.entry()) else {
        return ending(from, frame, true);
    };
    let mut table = Table::new(workflow, from, frame, step, true);
    let jump = Jump::To(to.clone());
    let chosen = table.goto(&jump);
    RouteDecision {
        source: RouteSource::Person,
        reason: RouteReason::Jump(to.clone()),
        looked_at: Fields::new(),
        ..table.decision(chosen)
    }
}

/// Where a run of this workflow begins: the step and its dynamic indices.
pub fn start(workflow: &Workflow, step: &Step) -> Vec<u32> {
    let around = workflow.container(step).map_or(0, |around| usize::from(around.dynamic));
    vec![1; around + usize::from(step.dynamic)]
}

fn ending(from: &Instance, frame: &Frame, passed: bool) -> RouteDecision {
    RouteDecision {
        from: from.clone(),
        to: None,
        decision: RouteKind::Terminate,
        reason: RouteReason::Outcome {
            passed,
            moved: Moved::Stop,
        },
        source: RouteSource::Deterministic,
        edge: None,
        looked_at: Fields::new(),
        alternatives: Vec::new(),
        loop_count: None,
        loop_state: Arc::default(),
        runbook: Some(Box::new(RunbookMove {
            frame: Arc::new(frame.clone()),
            stopped: !passed,
            ..RunbookMove::default()
        })),
        branch: None,
        detour: None,
    }
}

fn transitions(step: &Step) -> &[Transition] {
    match &step.routing {
        Routing::Transitions { transitions } => transitions,
        _ => &[],
    }
}

/// Where the token goes and what is done to get there.
struct Chosen {
    moved: Moved,
    /// Whether a transition was written for it.
    written: bool,
    to: To,
}

enum To {
    Step {
        leaf: StepId,
        path: Vec<u32>,
        back: bool,
    },
    /// A target that the workflow does not have.
    Unknown(StepId),
    End {
        stopped: bool,
        message: Option<String>,
    },
}

struct Table<'a> {
    workflow: &'a Workflow,
    from: &'a Instance,
    frame: Frame,
    /// The outcome that is being looked at: the step's, then its container's.
    passed: bool,
    /// Whose transition decides.
    unit: &'a Step,
    /// When that is a container around the step: how many outcomes in it were PASS and FAIL.
    around: Option<(usize, usize)>,
    loop_count: Option<LoopCount>,
    alternatives: Vec<Alternative>,
}

impl<'a> Table<'a> {
    fn new(workflow: &'a Workflow, from: &'a Instance, frame: &Frame, step: &'a Step, passed: bool) -> Self {
        let mut frame = frame.clone();
        // Where the token stands is the current instance, also before any route has said so.
        let chain = workflow.container(step).into_iter().chain([step]);
        for (dynamic, index) in chain.filter(|s| s.dynamic).zip(&from.path) {
            frame.instances.insert(dynamic.id.clone(), *index);
        }
        Self {
            workflow,
            from,
            frame,
            passed,
            unit: step,
            around: None,
            loop_count: None,
            alternatives: Vec::new(),
        }
    }

    /// Keeps the step's outcome for its container; a repeated unit's outcome replaces the earlier one.
    fn record(&mut self) {
        let (step, path) = (&self.from.step, &self.from.path);
        self.frame.outcomes.retain(|o| (&o.step, &o.path) != (step, path));
        self.frame.outcomes.push(UnitOutcome {
            step: step.clone(),
            path: path.clone(),
            passed: self.passed,
        });
    }

    fn outcome_of(&mut self, unit: &'a Step) -> Chosen {
        self.unit = unit;
        let written = transitions(unit);
        let own = written.iter().find(|t| t.passed == self.passed);
        let passed = self.passed;
        for other in written.iter().filter(|t| t.passed != passed) {
            let needed = if other.passed { "PASS" } else { "FAIL" };
            self.not_taken(other.action.last(), WhyNotCode::OtherResultNeeded.of(needed));
        }
        // How many instances a dynamic substep will have is open: its failure is not put together with others but stops
        // the run unless it says otherwise itself (recorded behaviour).
        let alone = unit.dynamic && !self.passed;
        let around = self.workflow.container(unit).filter(|around| decides(around) && !alone);
        match (own, around) {
            (Some(own), _) => Chosen {
                written: true,
                ..self.perform(&own.action)
            },
            (None, Some(around)) if !self.passed && Mode::of_step(around) == Mode::Pessimistic => {
                self.decided_by(around)
            }
            (None, Some(_)) => self.perform(&Action::Continue),
            (None, None) if self.passed => self.perform(&Action::Continue),
            (None, None) => self.perform(&Action::Stop { message: None }),
        }
    }

    /// The container puts the outcomes inside it together.
    fn decided_by(&mut self, around: &'a Step) -> Chosen {
        let passed = self.frame.outcomes.iter().filter(|o| o.passed).count();
        self.around = Some((passed, self.frame.outcomes.len() - passed));
        self.outcome_of(around)
    }

    fn perform(&mut self, action: &'a Action) -> Chosen {
        match action {
            Action::Continue => self.go_on(),
            Action::Complete { message } => self.end(Moved::Complete, false, message.clone()),
            Action::Stop { message } => self.end(Moved::Stop, true, message.clone()),
            Action::Goto(jump) => self.goto(jump),
            Action::Retry { times, then } => self.retry(*times, then),
        }
    }

    fn end(&self, moved: Moved, stopped: bool, message: Option<String>) -> Chosen {
        Chosen {
            moved,
            written: false,
            to: To::End { stopped, message },
        }
    }

    /// CONTINUE: the next unit beside this one; after the last one the container decides, or what follows it comes.
    fn go_on(&mut self) -> Chosen {
        let unit = self.unit;
        let continues = |to: To| Chosen {
            moved: Moved::Continue,
            written: false,
            to,
        };
        // After an outermost dynamic step there is nothing: it stands for all of the work.
        if let Some(next) = self.workflow.sibling_after(unit) {
            let to = self.enter(next, next.dynamic.then_some(1));
            return continues(to);
        }
        match self.workflow.container(unit) {
            Some(around) if decides(around) => {
                let outcomes = self.frame.outcomes.iter().map(|o| Some(o.passed));
                self.passed = aggregate(Mode::of_step(around), outcomes).unwrap_or(true);
                self.decided_by(around)
            }
            Some(around) => {
                self.unit = around;
                let chosen = self.go_on();
                self.unit = unit;
                chosen
            }
            None => continues(To::End {
                stopped: false,
                message: None,
            }),
        }
    }

    fn goto(&mut self, jump: &Jump) -> Chosen {
        let moved = match jump {
            Jump::To(id) => Moved::Goto(id.clone()),
            Jump::Next(_) => Moved::GotoNext,
        };
        let target = match jump {
            Jump::To(id) | Jump::Next(Some(id)) => self.workflow.step(id),
            Jump::Next(None) => self.workflow.innermost_dynamic(self.unit),
        };
        let to = match (target, jump) {
            (Some(target), Jump::To(_)) => {
                let index = target.dynamic.then(|| self.instance(&target.id).max(1));
                self.enter(target, index)
            }
            (Some(target), Jump::Next(_)) => {
                let index = self.instance(&target.id).saturating_add(1);
                self.enter(target, Some(index))
            }
            (None, _) => To::Unknown(jump.target().cloned().unwrap_or_else(|| "NEXT".into())),
        };
        Chosen {
            moved,
            written: false,
            to,
        }
    }

    fn retry(&mut self, times: u32, then: &'a Action) -> Chosen {
        let unit = self.unit;
        let taken = self.frame.retries.get(&unit.id).copied().unwrap_or(0);
        let count = LoopCount { taken, max: times };
        if taken >= times {
            let to = Some(unit.id.clone());
            let why_not = WhyNotCode::RetriesUsedUp.of(times);
            self.alternatives.push(Alternative { to, why_not });
            let chosen = self.perform(then);
            self.loop_count = Some(count);
            return chosen;
        }
        self.not_taken(then, WhyNotCode::RetriesLeft.of(format_args!("{taken}/{times}")));
        let to = if self.around.is_some() {
            let index = unit.dynamic.then(|| self.instance(&unit.id).max(1));
            self.enter(unit, index)
        } else {
            To::Step {
                leaf: self.from.step.clone(),
                path: self.from.path.clone(),
                back: true,
            }
        };
        self.frame.retries.insert(unit.id.clone(), taken + 1);
        self.loop_count = Some(count);
        Chosen {
            moved: Moved::Retry {
                nth: taken + 1,
                of: times,
            },
            written: false,
            to,
        }
    }

    /// The step that was left.
    fn step(&self) -> &'a Step {
        self.workflow.step(&self.from.step).unwrap_or(self.unit)
    }

    /// The current instance of a dynamic step; 0 when it was never entered.
    fn instance(&self, step: &StepId) -> u32 {
        self.frame.instances.get(step).copied().unwrap_or(0)
    }

    /// Comes to a step: a container is entered at its first one, a dynamic step in the instance given or in its first.
    fn enter(&mut self, target: &'a Step, index: Option<u32>) -> To {
        let leaf = self.workflow.entered_at(target);
        let around = self.workflow.container(leaf);
        let left = self.workflow.container(self.step());
        // Whoever stays inside a container stays in its turn; everything else begins a new one.
        let stays = leaf.id == target.id && around.map(|a| &a.id) == left.map(|l| &l.id) && around.is_some();
        if !stays {
            self.frame.outcomes.clear();
            // Only who enters a container afresh begins with the first instance of what is inside; a jump back to an instance,
            // from a recovery step for example, finds it where it stood (CONTRACTS "Rundown", NEXT).
            if let Some(around) = around {
                for inside in self.workflow.children(around).filter(|s| s.id != target.id) {
                    self.frame.instances.remove(&inside.id);
                }
            }
        }
        let container = left.map(|l| l.id.clone()).filter(|_| stays);
        self.frame.retries.retain(|unit, _| Some(unit) == container.as_ref());
        if let Some(index) = index {
            self.frame.instances.insert(target.id.clone(), index);
        }
        let mut path = Vec::new();
        for dynamic in around.into_iter().chain([leaf]).filter(|s| s.dynamic) {
            path.push(*self.frame.instances.entry(dynamic.id.clone()).or_insert(1));
        }
        To::Step {
            back: leaf.ordinal <= self.step().ordinal,
            leaf: leaf.id.clone(),
            path,
        }
    }

    /// A way out that another outcome would have taken.
    fn not_taken(&mut self, action: &Action, why_not: WhyNot) {
        let to = match action {
            Action::Continue => self
                .workflow
                .sibling_after(self.unit)
                .map(|s| self.workflow.entered_at(s).id.clone()),
            Action::Goto(Jump::To(id)) => Some(
                self.workflow
                    .step(id)
                    .map_or(id, |s| &self.workflow.entered_at(s).id)
                    .clone(),
            ),
            Action::Goto(Jump::Next(id)) => {
                let target = match id {
                    Some(id) => self.workflow.step(id),
                    None => self.workflow.innermost_dynamic(self.unit),
                };
                target.map(|s| self.workflow.entered_at(s).id.clone())
            }
            Action::Complete { .. } | Action::Stop { .. } | Action::Retry { .. } => None,
        };
        self.alternatives.push(Alternative { to, why_not });
    }

    fn decision(self, chosen: Chosen) -> RouteDecision {
        let word = if self.passed { "pass" } else { "fail" };
        let mut looked_at = Fields::new();
        looked_at.insert("result".to_owned(), Value::from(word.to_uppercase()));
        if let Some((passed, failed)) = self.around {
            looked_at.insert("passed".to_owned(), json!(passed));
            looked_at.insert("failed".to_owned(), json!(failed));
        }
        let (to, path, decision, stopped, message) = match chosen.to {
            To::Step { leaf, path, back } => {
                let kind = if back { RouteKind::Loop } else { RouteKind::Advance };
                (Some(leaf), path, kind, false, None)
            }
            To::Unknown(id) => (Some(id), Vec::new(), RouteKind::Advance, false, None),
            To::End { stopped, message } => (None, Vec::new(), RouteKind::Terminate, stopped, message),
        };
        RouteDecision {
            from: self.from.clone(),
            to,
            decision,
            reason: RouteReason::Outcome {
                passed: self.passed,
                moved: chosen.moved,
            },
            source: if chosen.written {
                RouteSource::Deterministic
            } else {
                RouteSource::FastPath
            },
            edge: None,
            looked_at,
            alternatives: self.alternatives,
            loop_count: self.loop_count,
            loop_state: Arc::default(),
            runbook: Some(Box::new(RunbookMove {
                path,
                frame: Arc::new(self.frame),
                unit: self.around.map(|_| self.unit.id.clone()),
                stopped,
                message,
            })),
            branch: None,
            detour: None,
        }
    }
}
