//! A run's state: the fold of its events.

use crate::cursor::Cursor;
use crate::forks::Forks;
use crate::stages::Stages;
use crate::{
    Answer, Artifact, At, AttemptStarted, BranchId, Decision, EndStatus, Evidence, ExecutionStatus, FeedbackLoops,
    FlowEnded, Frame, GateId, GateOpened, Instance, Lifecycle, NavigatorAsked, NavigatorSaid, Promotion, Purpose,
    RefusedInside, RouteDecision, RunCreated, StageEnd, Stand, StepResult, ToolRecord,
};
use imbl::{OrdMap, Vector};
use indexmap::IndexMap;
use model::{Control, StepId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The fold. Everything a window, a report or a contract file shows comes from here or from the events themselves.
///
/// What grows with the run is shared between copies, so that a copy costs the same at event 100 000 as at event 10: a window may hold the
/// state of many moments.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunState {
    /// Number of events applied = sequence number of the last one (the first event has 1).
    pub seq: u64,
    /// The first event.
    pub created: Option<Arc<RunCreated>>,
    /// When the run was created, started, ended.
    pub created_at: Option<At>,
    /// When execution began.
    pub started_at: Option<At>,
    /// When it ended.
    pub ended_at: Option<At>,
    /// Time of the last event.
    pub last_at: Option<At>,
    /// Until when it had come: the time of the last event but for those that say who takes it up ([`crate::Event::TakenUp`]). Between what came
    /// before and such an order nobody was at work, and with the order nothing has begun yet.
    pub moved_at: Option<At>,
    /// In what state the run is.
    pub status: RunStatus,
    /// A person paused it (attempts in flight finish).
    pub paused: bool,
    /// Why it failed or was aborted.
    pub error: Option<String>,
    /// What the workflow said at its end (COMPLETE and STOP of seed 002).
    pub message: Option<String>,
    /// Where the token is; of a pipeline only what is due for the run as a whole.
    pub cursor: Cursor,
    /// Of a pipeline: where each stage stands that is no longer pending.
    pub stages: Stages,
    /// Forks that have begun, and where the tokens of their branches are.
    pub forks: Forks,
    /// Steps that were entered, by id.
    pub steps: OrdMap<StepId, StepState>,
    /// Loop counters, `<step>:<loop_target>`.
    pub loop_state: Arc<BTreeMap<String, u32>>,
    /// What a runbook remembers between two steps.
    pub frame: Arc<Frame>,
    /// Step executions started (visits, not attempts).
    pub executed: u32,
    /// Step executions that succeeded or were skipped.
    pub completed: u32,
    /// `executed` at the last answer of a person: the safety limit counts from there, a loop that people turn is not a
    /// runaway. What `--yes` approves nobody has looked at.
    pub executed_when_answered: u32,
    /// Every routing decision, in order: index + 1 is the number on the edge.
    pub routes: Vector<Arc<RouteDecision>>,
    /// Of a run that has ended: where its token stood.
    pub stood: Option<Stand>,
    /// Ends of flows that another one followed, or behind which a person was waited for, in order.
    pub flows: Vector<Arc<FlowEnded>>,
    /// Every gate that was ever asked, with its rounds.
    pub gates: OrdMap<GateId, Vector<GateRound>>,
    /// Refusals that no later answer has taken back, in the order given.
    pub rejections: Vec<Rejection>,
    /// The last refusal that had ended the run before it was taken up again.
    pub overruled: Option<Rejection>,
    /// Every record of evidence, in the order recorded.
    pub evidence: Arc<Vec<EvidenceState>>,
    /// Of a run that was taken up again: steps that had been completed and are passed by.
    pub kept: Arc<BTreeSet<StepId>>,
    /// What agents have reported to those before them.
    pub feedback: FeedbackLoops,
    /// Of a run that goes on from an imported session: what had been done elsewhere, and whether it was left out there.
    pub elsewhere: Arc<BTreeMap<StepId, bool>>,
    /// The step at which it begins, where that is not the first one.
    pub begins_at: Option<StepId>,
    /// Comments of "request changes" not yet handed to a step, by step.
    pub comments: BTreeMap<StepId, Vec<String>>,
}

/// In what state a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RunStatus {
    /// Nothing has happened.
    #[default]
    New,
    /// Something is in flight or about to be.
    Running,
    /// It waits for a person.
    Blocked,
    /// A person paused it.
    Paused,
    /// It was taken in from elsewhere: nothing of it is carried out here.
    Imported,
    /// It ended.
    Ended(EndStatus),
}

impl RunStatus {
    /// Whether nothing can happen any more.
    pub fn ended(self) -> bool {
        matches!(self, Self::Ended(_) | Self::Imported)
    }
}

/// All visits of one step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepState {
    /// In order; index + 1 = visit number.
    pub visits: Vector<Arc<Visit>>,
}

/// One visit of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Visit {
    /// The step, and which visit of it this is.
    pub instance: Instance,
    /// Its place among all visits of the run, 1-based.
    pub number: u32,
    /// Its attempts, in order.
    pub attempts: Vec<AttemptState>,
    /// The route taken out of it.
    pub left_by: Option<usize>,
    /// An agent that was asked for the way on.
    pub navigation: Option<Navigation>,
    /// The detours that it was left by, in order.
    pub detours: Vec<String>,
}

/// A navigator that was asked for the way on.
#[derive(Debug, Clone, PartialEq)]
pub struct Navigation {
    /// What it was asked.
    pub asked: Arc<NavigatorAsked>,
    /// When the navigator was asked.
    pub asked_at: At,
    /// What it said, and when.
    pub said: Option<(Arc<NavigatorSaid>, At)>,
}

/// One attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct AttemptState {
    /// How it was started.
    pub started: Arc<AttemptStarted>,
    /// When it began; its time limit counts from here.
    pub started_at: At,
    /// When it ended.
    pub ended_at: Option<At>,
    /// What came of it; absent while it runs or when it was interrupted.
    pub result: Option<Arc<StepResult>>,
    /// Why it was cut off.
    pub interrupted: Option<String>,
    /// It was cut off as its driver let go of it in order.
    pub let_go: bool,
    /// What is known of it as long as no result says it: the calls of its step that have come to something.
    pub so_far: Option<Arc<Lifecycle>>,
}

impl AttemptState {
    /// What was done around its work, as far as that is known.
    pub fn around(&self) -> Option<&Lifecycle> {
        let result = self.result.as_ref();
        result
            .and_then(|result| result.lifecycle.as_deref())
            .or(self.so_far.as_deref())
    }

    /// The calls of its step that have come to something, in the order of the step's list.
    pub fn calls(&self) -> &[ToolRecord] {
        self.around().map_or(&[][..], |around| around.calls.as_slice())
    }
}

/// A step's status, for people and overlays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepStatus {
    /// Never entered.
    NotStarted,
    /// To be carried out as soon as there is room (pipelines).
    Queued,
    /// In an attempt.
    Running,
    /// Between two attempts.
    Retrying,
    /// Waiting for a person.
    Blocked,
    /// Last visit ended well.
    Succeeded,
    /// Last visit ended badly.
    Failed,
    /// A person refused: what came of it, that it begins, or what it wanted to do.
    Refused,
    /// Last visit was skipped.
    Skipped,
    /// Cut off by an abort or a crash.
    Interrupted,
}

/// A record of evidence as it stands now.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceState {
    /// The record, at its present level.
    pub record: Evidence,
    /// The visit that recorded it.
    pub instance: Instance,
    /// When the record was made; expiry counts from here.
    pub recorded_at: At,
    /// How it came to its level, oldest first.
    pub promotions: Vec<(Promotion, At)>,
    /// A later visit of the step has recorded its own.
    pub superseded: bool,
}

/// One round of a gate.
#[derive(Debug, Clone, PartialEq)]
pub struct GateRound {
    /// How it was asked.
    pub opened: Arc<GateOpened>,
    /// When a person was asked: the oldest question comes first.
    pub opened_at: At,
    /// Since when somebody waits for the answer in the run that gets it: since it was asked, and of a question that stood open where a run went on
    /// from another one since that run was created. Whoever says how long somebody waited asks this.
    pub since: At,
    /// The answer and when it came.
    pub answer: Option<(Arc<Decision>, At)>,
}

/// A refusal that no later answer to the same question has taken back.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejection {
    /// Which gate.
    pub gate: GateId,
    /// Which round.
    pub round: u32,
    /// The visit it is about.
    pub instance: Instance,
    /// The run went on after it: a step began, or somebody was asked.
    pub went_on: bool,
    /// Something else went wrong after it.
    pub then_failed: bool,
    /// It led back to a step that the run had been at: the work was done again.
    pub led_back: bool,
    /// What was done again was approved, at this gate or, on another way, at another one: the refusal decides nothing any more.
    pub settled: bool,
    /// It was said in a run inside the step: what was asked there, and the answer. Its gate is none of this run.
    pub inside: Option<Arc<RefusedInside>>,
}

impl RunState {
    /// Whether stages run by their dependencies, each with a cursor of its own.
    pub fn has_stages(&self) -> bool {
        let control = self.created.as_ref().map(|c| c.format.contract().control);
        control == Some(Control::Stages)
    }

    /// Whether nothing of the run happens for real ([`RunCreated::is_rehearsal`]).
    pub fn is_rehearsal(&self) -> bool {
        self.created.as_deref().is_some_and(RunCreated::is_rehearsal)
    }

    /// By when an answer to this round was wanted (`hitl.answer_within`); `None`: the project did not say, or it is a rehearsal, which nobody
    /// waits for. Nothing follows where that moment passes: the run goes on waiting. A round that was waited for in the run that this one goes on
    /// from was wanted by what held in that one.
    pub fn wanted_by(&self, round: &GateRound) -> Option<At> {
        let (mut created, mut began) = (self.created.as_deref()?, self.created_at?);
        while let Some(earlier) = created.continues.as_deref().filter(|_| round.since < began) {
            (created, began) = (&*earlier.created, earlier.at);
        }
        let within = created.policy.answer_within_ms.filter(|_| !created.is_rehearsal())?;
        Some(At(round.since.0.saturating_add_unsigned(within)))
    }

    /// Where a step stands: the place of the token that is there, else of the run's own; of a pipeline the stage's own.
    pub fn cursor_of(&self, step: &StepId) -> &Cursor {
        if self.has_stages() {
            return self.stages.get(step).map_or(&Cursor::Nowhere, |stage| &stage.cursor);
        }
        let branch = self.forks.token(step).and_then(|id| self.forks.branch(id));
        branch.map_or(&self.cursor, |branch| &branch.cursor)
    }

    /// Moves the token that is at this step, or the cursor of a stage.
    pub(crate) fn go(&mut self, step: &StepId, cursor: Cursor) {
        if self.has_stages() {
            self.stages.go(step, cursor);
        } else if self.forks.token(step).is_some() {
            self.forks.go(step, cursor);
        } else {
            self.cursor = cursor;
        }
    }

    /// The cursors of all that goes on: the token's, one for each branch under way, and of a pipeline one for each stage that is neither
    /// pending nor queued nor settled.
    pub fn cursors(&self) -> impl Iterator<Item = &Cursor> {
        let stages = self.stages.busy().map(|(_, stage)| &stage.cursor);
        let branches = self.forks.going().map(|(_, branch)| &branch.cursor);
        std::iter::once(&self.cursor).chain(branches).chain(stages)
    }

    /// The gate rounds that wait, the oldest question first.
    pub fn open_gates(&self) -> Vec<&GateRound> {
        if self.status.ended() {
            return Vec::new();
        }
        let mut open: Vec<&GateRound> = self.cursors().filter_map(|cursor| self.asked_at(cursor)).collect();
        open.sort_by_key(|round| round.opened_at);
        open
    }

    pub(crate) fn asked_at(&self, cursor: &Cursor) -> Option<&GateRound> {
        match cursor {
            Cursor::AtGate { gate, round } => self.gates.get(gate)?.iter().find(|r| r.opened.round == *round),
            _ => None,
        }
    }

    /// The gate round that waits, if one does; of several the one that was asked first.
    pub fn waiting(&self) -> Option<&GateRound> {
        self.open_gates().into_iter().next()
    }

    /// A step's status.
    pub fn step_status(&self, step: &StepId) -> StepStatus {
        self.step_status_in(step, &[])
    }

    /// A step's status in the dynamic instances within `path` ([`Instance::path`]); in all of them when it is empty.
    pub fn step_status_in(&self, step: &StepId, path: &[u32]) -> StepStatus {
        let here = |instance: &Instance| instance.step == *step && instance.path.starts_with(path);
        let cursor = self.cursor_of(step);
        if !self.status.ended() {
            match cursor {
                Cursor::Running { instance, .. } | Cursor::Choosing { instance } if here(instance) => {
                    return StepStatus::Running;
                }
                Cursor::Retrying { instance, .. } if here(instance) => return StepStatus::Retrying,
                Cursor::AtGate { .. } if self.asked_at(cursor).is_some_and(|r| here(&r.opened.instance)) => {
                    return StepStatus::Blocked;
                }
                Cursor::Ready { .. } if self.has_stages() => return StepStatus::Queued,
                Cursor::Ready { step: next, .. } if next == step && self.forks.token(step).is_some() => {
                    return StepStatus::Queued;
                }
                _ => {}
            }
        }
        if self.refused_at(step, path).is_some() {
            return StepStatus::Refused;
        }
        if self.has_stages() {
            return self.stage_status(step);
        }
        let last = self
            .visits_of(step)
            .rev()
            .find(|visit| visit.instance.path.starts_with(path))
            .and_then(|visit| visit.attempts.last());
        match last.map(|attempt| (&attempt.result, &attempt.interrupted)) {
            None => match self.elsewhere.get(step) {
                None => StepStatus::NotStarted,
                Some(false) => StepStatus::Succeeded,
                Some(true) => StepStatus::Skipped,
            },
            Some((Some(result), _)) => match result.status {
                ExecutionStatus::Succeeded => StepStatus::Succeeded,
                ExecutionStatus::Failed => StepStatus::Failed,
                ExecutionStatus::Skipped => StepStatus::Skipped,
                // The run ended while it waited.
                ExecutionStatus::Blocked if self.status == RunStatus::Ended(EndStatus::Failed) => StepStatus::Failed,
                ExecutionStatus::Blocked => StepStatus::Interrupted,
            },
            Some((None, Some(_))) => StepStatus::Interrupted,
            Some((None, None)) => StepStatus::Running,
        }
    }

    fn stage_status(&self, step: &StepId) -> StepStatus {
        let Some(stage) = self.stages.get(step) else {
            return StepStatus::NotStarted;
        };
        match stage.settled.as_ref().map(|settled| settled.status) {
            Some(StageEnd::Completed) => StepStatus::Succeeded,
            Some(StageEnd::Failed) => StepStatus::Failed,
            Some(StageEnd::Skipped) => StepStatus::Skipped,
            Some(StageEnd::Aborted) => StepStatus::Interrupted,
            None if stage.cursor == Cursor::Nowhere => StepStatus::NotStarted,
            None => StepStatus::Running,
        }
    }

    /// One visit, if it took place.
    pub fn visit(&self, instance: &Instance) -> Option<&Visit> {
        let visits = &self.steps.get(&instance.step)?.visits;
        visits.get(place(visits, instance)?).map(|visit| &**visit)
    }

    /// One attempt of a visit, if it was begun.
    pub fn attempt(&self, instance: &Instance, attempt: u32) -> Option<&AttemptState> {
        let mut attempts = self.visit(instance)?.attempts.iter().rev();
        attempts.find(|one| one.started.attempt == attempt)
    }

    /// Whether a round was asked in the middle of a visit, by an attempt that could not do its work: the visit goes on with its next attempt.
    fn is_amid(&self, opened: &GateOpened) -> bool {
        match opened.purpose {
            Purpose::Tool { .. } => true,
            Purpose::Permission { .. } | Purpose::Outcome { attempt: true, .. } => {
                self.visit(&opened.instance).is_some()
            }
            _ => false,
        }
    }

    /// Whether its next attempt follows from this answer: what it waited for is allowed, or a person has taken it over.
    pub(crate) fn goes_on_amid(&self, opened: &GateOpened, decision: &Decision) -> bool {
        matches!(decision.answer, Answer::Approve | Answer::Pass | Answer::Fail) && self.is_amid(opened)
    }

    /// What the latest attempt of this step that has ended came to, with its visit.
    pub fn latest_result(&self, step: &StepId) -> Option<(&Instance, &StepResult)> {
        self.visits_of(step).rev().find_map(|visit| {
            let ended = visit
                .attempts
                .iter()
                .rev()
                .find_map(|attempt| attempt.result.as_deref());
            Some((&visit.instance, ended?))
        })
    }

    /// The number that the next attempt of this visit has.
    pub(crate) fn next_attempt(&self, instance: &Instance) -> u32 {
        let attempts = self.visit(instance).map_or(0, |visit| visit.attempts.len());
        u32::try_from(attempts).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// The visit of this step that would come next, in the dynamic instance `path`.
    pub fn next_visit(&self, step: &StepId, path: Vec<u32>) -> Instance {
        let visits = self.steps.get(step).map_or(0, |s| s.visits.len());
        Instance {
            step: step.clone(),
            visit: u32::try_from(visits).unwrap_or(u32::MAX).saturating_add(1),
            path,
        }
    }

    /// The visits of one step, in order.
    pub fn visits_of(&self, step: &StepId) -> impl DoubleEndedIterator<Item = &Visit> {
        let visits = self.steps.get(step).into_iter().flat_map(|step| &step.visits);
        visits.map(|visit| &**visit)
    }

    /// The rounds of one gate, in order.
    pub fn rounds_of(&self, gate: &GateId) -> impl DoubleEndedIterator<Item = &GateRound> {
        self.gates.get(gate).into_iter().flatten()
    }

    /// All visits in the order they began.
    pub fn visits(&self) -> Vec<&Visit> {
        let all = self.steps.values().flat_map(|s| &s.visits);
        let mut visits: Vec<&Visit> = all.map(|visit| &**visit).collect();
        visits.sort_by_key(|v| v.number);
        visits
    }

    /// What came of every attempt that ended, in the order they began.
    pub fn results(&self) -> Vec<(&Instance, &StepResult)> {
        let mut out = Vec::new();
        for visit in self.visits() {
            out.extend(
                visit
                    .attempts
                    .iter()
                    .filter_map(|a| Some((&visit.instance, a.result.as_deref()?))),
            );
        }
        out
    }

    /// The branch in which a step was entered last; `None`: the run's own token did.
    pub fn branch_of(&self, step: &StepId) -> Option<BranchId> {
        let enters = |route: &&Arc<RouteDecision>| {
            // A branch that has come to the join does not enter it.
            let fork = route.branch.and_then(|id| self.forks.get(id.fork));
            route.to.as_ref() == Some(step) && fork.is_none_or(|fork| fork.forked.join != *step)
        };
        self.routes.iter().rev().find(enters)?.branch
    }

    /// The latest artifacts, by path, of all steps that have ended, in the order they were last made.
    pub fn artifacts(&self) -> Vec<(&Instance, &Artifact)> {
        latest(&self.results())
    }
}

/// Where a visit stands among those of its step: where its number says, in every log that [`crate::decide()`] made.
pub(crate) fn place(visits: &Vector<Arc<Visit>>, instance: &Instance) -> Option<usize> {
    let is_it = |visit: &Arc<Visit>| visit.instance == *instance;
    let by_number = (instance.visit as usize).checked_sub(1);
    // Numbers only grow: one above the last is looked for when its visit begins, and is not there.
    if visits.last().is_none_or(|last| last.instance.visit < instance.visit) {
        return None;
    }
    by_number
        .filter(|place| visits.get(*place).is_some_and(is_it))
        .or_else(|| visits.iter().rposition(is_it))
}

/// The latest artifacts, by path, that these results made, in the order they were last made.
pub(crate) fn latest<'a>(results: &[(&'a Instance, &'a StepResult)]) -> Vec<(&'a Instance, &'a Artifact)> {
    let mut made: IndexMap<&str, (&Instance, &Artifact)> = IndexMap::new();
    for (instance, result) in results {
        for artifact in &result.artifacts {
            made.shift_remove(artifact.path.as_str());
            made.insert(&artifact.path, (instance, artifact));
        }
    }
    made.into_values().collect()
}

impl Visit {
    /// What came of its last attempt that ended.
    pub fn result(&self) -> Option<&StepResult> {
        self.attempts.iter().rev().find_map(|a| a.result.as_deref())
    }
}
