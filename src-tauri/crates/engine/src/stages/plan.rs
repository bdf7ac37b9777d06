//! What the stages of a pipeline may do next, kept up to date stage by stage: the cost of one more change follows from how many stages
//! wait for the one that changed, not from how many there are.

use crate::cursor::{Cursor, Stage};
use crate::doer::engines_of;
use crate::{EngineInfo, RunCreated, StageEnd};
use imbl::{OrdMap, OrdSet, Vector};
use model::{OnFailure, Step, StepId, Workflow};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Where a stage stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    Pending,
    Queued,
    /// In an attempt, or between two.
    InFlight,
    /// In front of a person.
    Asking,
    /// Between two events of one commit.
    Between,
    Completed,
    Failed,
    Skipped,
    Aborted,
}

/// Indices over where the stages stand. Stages are named by their ordinals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    shape: Arc<Shape>,
    stands: Vector<Standing>,
    /// How many of the stages that a stage waits for are not completed.
    unmet: Vector<u32>,
    /// How many of them have failed or were skipped.
    lost: Vector<u32>,
    /// Pending, and all that they wait for is completed.
    ready: OrdSet<usize>,
    /// Queued, and all that they wait for is completed: by whether they may run beside others and whether they only wait.
    queued: [OrdSet<usize>; 4],
    /// Pending or queued, and something that they wait for has failed or was skipped.
    doomed: OrdSet<usize>,
    in_flight: OrdSet<usize>,
    /// How many of those do not only wait.
    at_work: usize,
    /// How many of those may not run beside others.
    alone: usize,
    between: usize,
    /// In flight, asking or between two events.
    open: usize,
    failed: usize,
    /// Settled by a person's rejection.
    rejected: OrdSet<StepId>,
}

/// What never changes while a run goes on.
#[derive(Debug, PartialEq, Eq)]
struct Shape {
    /// What each stage waits for; names that no stage has are left out here and counted as never completed.
    waits_for: Vec<Vec<usize>>,
    /// Which stages wait for each.
    dependents: Vec<Vec<usize>>,
    /// Whether it may run beside others.
    parallel: Vec<bool>,
    /// Whether it only waits while it is in flight.
    waiting: Vec<bool>,
    /// Of two stages of one name the second is never reached.
    reached: Vec<bool>,
}

impl Plan {
    /// The plan of these stages. Takes time in proportion to the pipeline.
    pub fn new(workflow: &Workflow, created: &RunCreated, stages: &OrdMap<StepId, Stage>) -> Self {
        let steps = workflow.steps();
        let ordinal = |id: &StepId| workflow.step(id).map(|step| step.ordinal);
        let mut shape = Shape {
            waits_for: Vec::with_capacity(steps.len()),
            dependents: vec![Vec::new(); steps.len()],
            parallel: steps.iter().map(|step| step.parallel).collect(),
            waiting: steps.iter().map(|step| only_waits(step, created)).collect(),
            reached: steps
                .iter()
                .map(|step| ordinal(&step.id) == Some(step.ordinal))
                .collect(),
        };
        let mut unmet = Vector::new();
        for step in steps {
            let known: Vec<usize> = step.depends_on.iter().filter_map(ordinal).collect();
            unmet.push_back(u32::try_from(step.depends_on.len()).unwrap_or(u32::MAX));
            for &other in &known {
                shape.dependents[other].push(step.ordinal);
            }
            shape.waits_for.push(known);
        }
        let mut plan = Self {
            shape: Arc::new(shape),
            stands: steps.iter().map(|_| Standing::Pending).collect(),
            lost: steps.iter().map(|_| 0).collect(),
            unmet,
            ready: OrdSet::new(),
            queued: Default::default(),
            doomed: OrdSet::new(),
            in_flight: OrdSet::new(),
            at_work: 0,
            alone: 0,
            between: 0,
            open: 0,
            failed: 0,
            rejected: OrdSet::new(),
        };
        (0..steps.len()).for_each(|stage| plan.place(stage));
        if let Some(first) = created.begins_at.as_ref().and_then(ordinal) {
            let behind = plan.behind(first);
            // What is not rehearsed holds up nothing, as if it had been done.
            let left = (0..steps.len()).filter(|stage| !behind.contains(stage));
            left.for_each(|stage| plan.set(stage, Standing::Completed));
        }
        for (id, stage) in stages {
            plan.update(workflow, id, Some(stage));
        }
        plan
    }

    /// A stage stands somewhere else by now; `None`: it is pending.
    pub fn update(&mut self, workflow: &Workflow, id: &StepId, stage: Option<&Stage>) {
        let Some(step) = workflow.step(id) else { return };
        match stage.and_then(|stage| stage.settled.as_ref()) {
            Some(settled) if settled.rejected => self.rejected.insert(id.clone()),
            _ => self.rejected.remove(id),
        };
        self.set(step.ordinal, stage.map_or(Standing::Pending, stands_now));
    }

    /// The same for one that is not in the log yet.
    pub fn set(&mut self, stage: usize, stands: Standing) {
        let before = std::mem::replace(&mut self.stands[stage], stands);
        if before == stands {
            return;
        }
        let is_open = |s| {
            use Standing::{Asking, Between, InFlight};
            matches!(s, InFlight | Asking | Between)
        };
        let moved = |count: &mut usize, is: &dyn Fn(Standing) -> bool| {
            *count += usize::from(is(stands));
            *count -= usize::from(is(before));
        };
        moved(&mut self.open, &is_open);
        moved(&mut self.between, &|s| s == Standing::Between);
        moved(&mut self.failed, &|s| s == Standing::Failed);
        if !self.shape.waiting[stage] {
            moved(&mut self.at_work, &|s| s == Standing::InFlight);
        }
        if !self.shape.parallel[stage] {
            moved(&mut self.alone, &|s| s == Standing::InFlight);
        }
        match stands {
            Standing::InFlight => drop(self.in_flight.insert(stage)),
            _ => drop(self.in_flight.remove(&stage)),
        }
        self.place(stage);
        let is_lost = |s| matches!(s, Standing::Failed | Standing::Skipped);
        let completes = (before == Standing::Completed) != (stands == Standing::Completed);
        if !completes && is_lost(before) == is_lost(stands) {
            return;
        }
        let shape = Arc::clone(&self.shape);
        for &dependent in &shape.dependents[stage] {
            if before == Standing::Completed {
                self.unmet[dependent] += 1;
            } else if stands == Standing::Completed {
                self.unmet[dependent] -= 1;
            }
            if is_lost(before) && !is_lost(stands) {
                self.lost[dependent] -= 1;
            } else if is_lost(stands) && !is_lost(before) {
                self.lost[dependent] += 1;
            }
            self.place(dependent);
        }
    }

    /// Puts a stage into the sets in which it belongs.
    fn place(&mut self, stage: usize) {
        let (stands, met) = (self.stands[stage], self.unmet[stage] == 0);
        let (reached, waits) = (self.is_reached(stage), self.waits(stage));
        let kind = kind(self.shape.parallel[stage], self.shape.waiting[stage]);
        let put = |set: &mut OrdSet<usize>, is_in: bool| match is_in {
            true => drop(set.insert(stage)),
            false => drop(set.remove(&stage)),
        };
        put(&mut self.ready, stands == Standing::Pending && met && reached);
        put(&mut self.queued[kind], stands == Standing::Queued && met);
        put(&mut self.doomed, waits && self.lost[stage] > 0);
    }

    /// A stage, and all that wait for it or for what waits for it.
    fn behind(&self, first: usize) -> BTreeSet<usize> {
        let (mut behind, mut open) = (BTreeSet::from([first]), vec![first]);
        while let Some(stage) = open.pop() {
            let new = self.dependents(stage).iter().filter(|other| behind.insert(**other));
            open.extend(new);
        }
        behind
    }

    /// Where a stage stands.
    pub fn stands(&self, stage: usize) -> Standing {
        self.stands[stage]
    }

    /// Whether something goes on, or is about to. What was queued and waits again for a stage that was sent back begins only if that one is
    /// done again, which a rejection elsewhere may prevent.
    pub fn is_open(&self) -> bool {
        self.open > 0 || self.queued.iter().any(|queued| !queued.is_empty())
    }

    /// Whether a stage has failed.
    pub fn has_failed(&self) -> bool {
        self.failed > 0
    }

    /// The stages that a person's rejection has settled, by name.
    pub fn rejected(&self) -> impl Iterator<Item = &StepId> {
        self.rejected.iter()
    }

    /// Pending stages whose dependencies are all completed, as far as they may be queued now. Where a failure halts the pipeline
    /// the next wave waits for the one before: what has begun by then must not depend on who was quicker. It does not wait for people, who
    /// are asked inside `asked` of the stages in flight.
    pub fn ready(&self, on_failure: OnFailure, asked: usize) -> Vec<usize> {
        let in_flight = self.in_flight.len().saturating_sub(asked);
        let busy = || in_flight + self.between + self.queued.iter().map(OrdSet::len).sum::<usize>() > 0;
        if on_failure == OnFailure::Halt && busy() {
            return Vec::new();
        }
        self.ready.iter().copied().collect()
    }

    /// The first queued stage behind this place in the document that may begin beside what is in flight. At most so many are at work at
    /// once; those that only wait need no room.
    pub fn next_queued(&self, from: usize, limit: usize) -> Option<usize> {
        let kinds = [(true, true), (true, false), (false, true), (false, false)];
        let may =
            |(parallel, waiting): &(bool, bool)| (*parallel || self.alone == 0) && (*waiting || self.at_work < limit);
        let first = |(parallel, waiting)| self.queued[kind(parallel, waiting)].range(from..).next().copied();
        kinds.into_iter().filter(may).filter_map(first).min()
    }

    /// Pending and queued stages of which something that they wait for has failed or was skipped.
    pub fn doomed(&self) -> impl Iterator<Item = usize> {
        self.doomed.iter().copied()
    }

    /// Whether a stage is pending or queued; of two of one name the second is neither.
    pub fn waits(&self, stage: usize) -> bool {
        matches!(self.stands[stage], Standing::Pending | Standing::Queued) && self.is_reached(stage)
    }

    /// Of two stages of one name the second is never reached.
    pub fn is_reached(&self, stage: usize) -> bool {
        self.shape.reached[stage]
    }

    /// What a stage waits for, as far as there is such a stage.
    pub fn waits_for(&self, stage: usize) -> &[usize] {
        &self.shape.waits_for[stage]
    }

    /// The stages that wait for this one.
    pub fn dependents(&self, stage: usize) -> &[usize] {
        &self.shape.dependents[stage]
    }
}

/// Whether whoever carries a stage out only waits, of several agents each.
fn only_waits(step: &Step, created: &RunCreated) -> bool {
    match engines_of(step, created) {
        (one, crew) if crew.is_empty() => one.only_waits(),
        (_, crew) => crew.iter().all(EngineInfo::only_waits),
    }
}

/// Where stages of a kind stand among the queued.
fn kind(parallel: bool, waiting: bool) -> usize {
    usize::from(parallel) + 2 * usize::from(waiting)
}

fn stands_now(stage: &Stage) -> Standing {
    match (&stage.cursor, &stage.settled) {
        (Cursor::Nowhere, None) => Standing::Pending,
        // Nothing waits for it any more.
        (Cursor::Nowhere, Some(settled)) if settled.spared.is_some() => Standing::Completed,
        (Cursor::Nowhere, Some(settled)) => ended(settled.status),
        (Cursor::Ready { .. }, _) => Standing::Queued,
        (Cursor::Running { .. } | Cursor::Retrying { .. } | Cursor::Choosing { .. }, _) => Standing::InFlight,
        (Cursor::AtGate { .. }, _) => Standing::Asking,
        (Cursor::Between(_) | Cursor::AtJoin { .. }, _) => Standing::Between,
    }
}

fn ended(status: StageEnd) -> Standing {
    match status {
        StageEnd::Completed => Standing::Completed,
        StageEnd::Failed => Standing::Failed,
        StageEnd::Skipped => Standing::Skipped,
        StageEnd::Aborted => Standing::Aborted,
    }
}
