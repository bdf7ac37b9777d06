//! A run's state: the fold of its events.

use crate::{
    Artifact, At, AttemptStarted, Decision, EndStatus, ExecutionStatus, Frame, GateId, GateOpened, Instance,
    RouteDecision, RunCreated, StepResult,
};
use indexmap::IndexMap;
use model::StepId;
use std::collections::BTreeMap;

/// The fold. Everything a window, a report or a contract file shows comes from here or from the events themselves.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunState {
    /// Number of events applied = sequence number of the last one (the first event has 1).
    pub seq: u64,
    /// The first event.
    pub created: Option<Box<RunCreated>>,
    /// When the run was created, started, ended.
    pub created_at: Option<At>,
    /// When execution began.
    pub started_at: Option<At>,
    /// When it ended.
    pub ended_at: Option<At>,
    /// Time of the last event.
    pub last_at: Option<At>,
    /// In what state the run is.
    pub status: RunStatus,
    /// A person paused it (attempts in flight finish).
    pub paused: bool,
    /// Why it failed or was aborted.
    pub error: Option<String>,
    /// What the workflow said at its end (COMPLETE and STOP of seed 002).
    pub message: Option<String>,
    /// Where the token is.
    pub cursor: Cursor,
    /// Steps that were entered, by id.
    pub steps: BTreeMap<StepId, StepState>,
    /// Loop counters, `<step>:<loop_target>`.
    pub loop_state: BTreeMap<String, u32>,
    /// What a runbook remembers between two steps.
    pub frame: Frame,
    /// Step executions started (visits, not attempts).
    pub executed: u32,
    /// Step executions that succeeded or were skipped.
    pub completed: u32,
    /// `executed` at the last answer of a person: the safety limit counts from there, a loop that people turn is not a
    /// runaway.
    pub executed_when_answered: u32,
    /// Every routing decision, in order: index + 1 is the number on the edge.
    pub routes: Vec<RouteDecision>,
    /// Every gate that was ever asked, with its rounds.
    pub gates: BTreeMap<GateId, Vec<GateRound>>,
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
    /// It ended.
    Ended(EndStatus),
}

impl RunStatus {
    /// Whether nothing can happen any more.
    pub fn ended(self) -> bool {
        matches!(self, Self::Ended(_))
    }
}

/// Where the token is (token control: linear, microloop, branch).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Cursor {
    /// Nowhere: not started or ended.
    #[default]
    Nowhere,
    /// At a step that is to be started; a commit ends here only while the run is paused.
    Ready {
        /// Which.
        step: StepId,
        /// In which dynamic instance ([`Instance::path`]).
        path: Vec<u32>,
    },
    /// In an attempt.
    Running {
        /// Which visit.
        instance: Instance,
        /// Which attempt.
        attempt: u32,
    },
    /// Between two attempts.
    Retrying {
        /// Which visit.
        instance: Instance,
        /// The attempt to come.
        attempt: u32,
        /// Not before.
        at: At,
    },
    /// In front of a person.
    AtGate {
        /// Which gate.
        gate: GateId,
        /// Which round.
        round: u32,
    },
    /// Between two events of one commit: something is due ([`crate::Effect::Proceed`]). A commit never ends here; a
    /// log that was cut off inside one does.
    Between(Due),
}

/// What is due between two events of one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Due {
    /// The run was created: it is to be started.
    Start,
    /// It was started: its first step is to be entered.
    Entry,
    /// A visit came to its end: a gate, a route or the run's failure follows.
    Leave {
        /// Which visit.
        instance: Instance,
    },
    /// A person answered: what they chose follows.
    Answered {
        /// Which gate.
        gate: GateId,
        /// Which round.
        round: u32,
    },
    /// A route led nowhere: the run ends.
    Complete {
        /// Not well (STOP of seed 002).
        stopped: bool,
        /// What the workflow says.
        message: Option<String>,
    },
    /// A person ended the run.
    Abort {
        /// The attempt that was in flight and is to be cut off.
        in_flight: Option<(Instance, u32)>,
        /// The run's error.
        error: String,
    },
}

/// All visits of one step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepState {
    /// In order; index + 1 = visit number.
    pub visits: Vec<Visit>,
}

/// One visit of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Visit {
    /// Which.
    pub instance: Instance,
    /// Its place among all visits of the run, 1-based.
    pub number: u32,
    /// Its attempts, in order.
    pub attempts: Vec<AttemptState>,
    /// The route taken out of it.
    pub left_by: Option<usize>,
}

/// One attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct AttemptState {
    /// How it was started.
    pub started: AttemptStarted,
    /// When.
    pub started_at: At,
    /// When it ended.
    pub ended_at: Option<At>,
    /// What came of it; absent while it runs or when it was interrupted.
    pub result: Option<Box<StepResult>>,
    /// Why it was cut off.
    pub interrupted: Option<String>,
}

/// A step's status, for people and overlays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepStatus {
    /// Never entered.
    NotStarted,
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
    /// Last visit was skipped.
    Skipped,
    /// Cut off by an abort or a crash.
    Interrupted,
}

/// One round of a gate.
#[derive(Debug, Clone, PartialEq)]
pub struct GateRound {
    /// How it was asked.
    pub opened: GateOpened,
    /// When.
    pub opened_at: At,
    /// The answer and when it came.
    pub answer: Option<(Decision, At)>,
}

impl RunState {
    /// The gate round that waits, if one does.
    pub fn waiting(&self) -> Option<&GateRound> {
        match &self.cursor {
            Cursor::AtGate { gate, round } if !self.status.ended() => {
                self.gates.get(gate)?.iter().find(|r| r.opened.round == *round)
            }
            _ => None,
        }
    }

    /// A step's status.
    pub fn step_status(&self, step: &StepId) -> StepStatus {
        if !self.status.ended() {
            match &self.cursor {
                Cursor::Running { instance, .. } if instance.step == *step => return StepStatus::Running,
                Cursor::Retrying { instance, .. } if instance.step == *step => return StepStatus::Retrying,
                Cursor::AtGate { .. } if self.waiting().is_some_and(|r| r.opened.instance.step == *step) => {
                    return StepStatus::Blocked;
                }
                _ => {}
            }
        }
        let Some(last) = self
            .steps
            .get(step)
            .and_then(|s| s.visits.last())
            .and_then(|v| v.attempts.last())
        else {
            return StepStatus::NotStarted;
        };
        match (&last.result, &last.interrupted) {
            (Some(result), _) => match result.status {
                ExecutionStatus::Succeeded => StepStatus::Succeeded,
                ExecutionStatus::Failed => StepStatus::Failed,
                ExecutionStatus::Skipped => StepStatus::Skipped,
            },
            (None, Some(_)) => StepStatus::Interrupted,
            (None, None) => StepStatus::Running,
        }
    }

    /// One visit, if it took place.
    pub fn visit(&self, instance: &Instance) -> Option<&Visit> {
        self.steps
            .get(&instance.step)?
            .visits
            .iter()
            .rev()
            .find(|v| v.instance == *instance)
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

    /// All visits in the order they began.
    pub fn visits(&self) -> Vec<&Visit> {
        let mut visits: Vec<&Visit> = self.steps.values().flat_map(|s| &s.visits).collect();
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

    /// The latest artifacts, by path, of all steps that have ended, in the order they were last made.
    pub fn artifacts(&self) -> Vec<(&Instance, &Artifact)> {
        latest(&self.results())
    }
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
