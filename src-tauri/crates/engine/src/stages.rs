//! The stages of a pipeline: where each stands, and which of them go on.

use crate::cursor::{Cursor, Stage};
use crate::{RunCreated, Settled, StageEnd};
use imbl::{OrdMap, OrdSet};
use model::{StepId, Workflow};
use std::ops::Deref;
use std::sync::Arc;

pub(crate) mod plan;

use plan::Plan;

/// More changes than these are not remembered: the plan is made anew.
const MOST_CHANGES: usize = 4_096;

/// Of a pipeline: where each stage stands that is no longer pending. What it is asked most often is kept beside, so that one more event
/// costs the same in a pipeline of any size.
#[derive(Debug, Clone, Default)]
pub struct Stages {
    all: OrdMap<StepId, Stage>,
    /// Those in an attempt, between two, in front of a person or between two events of one commit.
    busy: OrdSet<StepId>,
    queued: usize,
    /// What may come next; absent until it is asked for.
    plan: Option<Plan>,
    /// What has changed since the plan was made.
    changed: Vec<StepId>,
}

/// What is kept beside follows from the stages.
impl PartialEq for Stages {
    fn eq(&self, other: &Self) -> bool {
        self.all == other.all
    }
}

impl Deref for Stages {
    type Target = OrdMap<StepId, Stage>;

    fn deref(&self) -> &Self::Target {
        &self.all
    }
}

impl Stages {
    /// The stages that go on, by name: what is pending, queued or settled is none of them.
    pub fn busy(&self) -> impl Iterator<Item = (&StepId, &Stage)> {
        self.busy.iter().filter_map(|step| Some((step, self.all.get(step)?)))
    }

    /// Whether a stage waits for room.
    pub(crate) fn has_queued(&self) -> bool {
        self.queued > 0
    }

    /// Moves a stage.
    pub(crate) fn go(&mut self, step: &StepId, cursor: Cursor) {
        self.change(step, |stage| stage.cursor = cursor);
    }

    /// A stage is to be carried out as soon as there is room, whatever came of it before.
    pub(crate) fn queue(&mut self, step: &StepId) {
        self.change(step, |stage| {
            *stage = Stage {
                cursor: Cursor::Ready {
                    step: step.clone(),
                    path: Vec::new(),
                },
                settled: None,
            };
        });
    }

    /// A stage has come to an end.
    pub(crate) fn settle(&mut self, settled: &Arc<Settled>) {
        self.change(&settled.step, |stage| {
            stage.cursor = Cursor::Nowhere;
            stage.settled = Some(Arc::clone(settled));
        });
    }

    /// A person leaves a stage out that has not run well: it keeps its place, and counts as skipped.
    pub(crate) fn leave_out(&mut self, step: &StepId) {
        let settled = Settled {
            step: step.clone(),
            status: StageEnd::Skipped,
            because: None,
            error: None,
            rejected: false,
            spared: None,
        };
        self.change(step, |stage| stage.settled = Some(Arc::new(settled)));
    }

    /// A stage is pending again.
    pub(crate) fn reset(&mut self, step: &StepId) {
        self.go(step, Cursor::Nowhere);
        self.all.remove(step);
    }

    /// Takes the stages whose cursor is such a one out of what goes on.
    pub(crate) fn set_down(&mut self, which: impl Fn(&Cursor) -> bool) {
        let such = self.all.iter().filter(|(_, stage)| which(&stage.cursor));
        for step in such.map(|(step, _)| step.clone()).collect::<Vec<_>>() {
            self.go(&step, Cursor::Nowhere);
        }
    }

    /// What may come next, brought up to date.
    pub(crate) fn plan(&mut self, workflow: &Workflow, created: &RunCreated) -> &Plan {
        let changed = std::mem::take(&mut self.changed);
        let plan = self.plan.take();
        let plan = match plan {
            Some(mut plan) => {
                for step in &changed {
                    plan.update(workflow, step, self.all.get(step));
                }
                plan
            }
            None => Plan::new(workflow, created, &self.all),
        };
        self.plan.insert(plan)
    }

    fn change(&mut self, step: &StepId, change: impl FnOnce(&mut Stage)) {
        let stage = self.all.entry(step.clone()).or_default();
        let is_queued = |stage: &Stage| usize::from(matches!(stage.cursor, Cursor::Ready { .. }));
        self.queued -= is_queued(stage);
        change(stage);
        self.queued += is_queued(stage);
        match stage.cursor {
            Cursor::Nowhere | Cursor::Ready { .. } => self.busy.remove(step),
            _ => self.busy.insert(step.clone()),
        };
        self.note(step);
    }

    fn note(&mut self, step: &StepId) {
        if self.plan.is_none() {
            return;
        }
        self.changed.push(step.clone());
        if self.changed.len() > MOST_CHANGES {
            self.plan = None;
            self.changed.clear();
        }
    }
}

impl FromIterator<(StepId, Stage)> for Stages {
    fn from_iter<T: IntoIterator<Item = (StepId, Stage)>>(stages: T) -> Self {
        let mut all = Self::default();
        for (step, stage) in stages {
            all.change(&step, |there| *there = stage);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Instance;
    use model::{Format, OnFailure, Routing, Step};

    /// Numbers that look random and are the same each time.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.0 >> 33).unwrap_or_default() % end
        }
    }

    fn pipeline(dice: &mut Dice, stages: usize) -> Workflow {
        let name = |n: usize| StepId::new(format!("s{n}"));
        let steps = (0..stages).map(|n| {
            let mut step = Step::new(name(if dice.below(20) == 0 { 0 } else { n }), n);
            step.routing = Routing::Dependencies;
            step.parallel = dice.below(2) == 0;
            step.depends_on = (0..dice.below(3)).map(|_| name(dice.below(stages + 1))).collect();
            step
        });
        Workflow::new("p".into(), "p".to_owned(), Format::Pipeline, steps.collect())
    }

    fn created(workflow: &Workflow) -> RunCreated {
        RunCreated::new("r", workflow, "p", "", "test")
    }

    #[test]
    fn a_plan_that_was_kept_up_is_the_one_that_would_be_made_anew() {
        for seed in 0..200 {
            let mut dice = Dice(seed);
            let workflow = pipeline(&mut dice, 8);
            let created = created(&workflow);
            let mut stages = Stages::default();
            for _ in 0..60 {
                let step = workflow.steps()[dice.below(8)].id.clone();
                let instance = Instance {
                    step: step.clone(),
                    visit: 1,
                    path: Vec::new(),
                };
                let settled = |status| Settled {
                    step: step.clone(),
                    status,
                    because: None,
                    error: None,
                    rejected: status == StageEnd::Failed && seed % 2 == 0,
                    spared: (status != StageEnd::Completed && seed % 3 == 0).then(|| "not needed".to_owned()),
                };
                match dice.below(9) {
                    0 => stages.queue(&step),
                    1 => stages.reset(&step),
                    2 => stages.leave_out(&step),
                    3 => stages.settle(&Arc::new(settled(StageEnd::Failed))),
                    4 => stages.settle(&Arc::new(settled(StageEnd::Skipped))),
                    5 => stages.settle(&Arc::new(settled(StageEnd::Completed))),
                    6 => stages.go(&step, Cursor::Running { instance, attempt: 1 }),
                    7 => stages.set_down(|cursor| matches!(cursor, Cursor::Ready { .. })),
                    _ => drop(stages.plan(&workflow, &created)),
                }
                let anew = Plan::new(&workflow, &created, &stages.all);
                assert_eq!(stages.clone().plan(&workflow, &created), &anew, "seed {seed}");
                let busy = stages
                    .all
                    .iter()
                    .filter(|(_, s)| matches!(s.cursor, Cursor::Running { .. }));
                assert!(stages.busy().map(|(id, _)| id).eq(busy.map(|(id, _)| id)));
                let queued = stages.all.values().any(|s| matches!(s.cursor, Cursor::Ready { .. }));
                assert_eq!(stages.has_queued(), queued);
                for on_failure in [OnFailure::Halt, OnFailure::SkipDependents] {
                    assert_eq!(
                        stages.clone().plan(&workflow, &created).ready(on_failure, 0),
                        anew.ready(on_failure, 0)
                    );
                }
            }
        }
    }
}
