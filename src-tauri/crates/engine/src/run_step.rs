//! RunStep entries (seed 000 "RunStep", "Allowed transitions"): how each visit of a step stands, as a fold of the log in
//! which every change goes through the contract's state machine.
//!
//! * A gate before the work is tested when the step is running already: it is running, then blocked, then running again; that
//!   its first attempt starts after that changes nothing.
//! * A failed attempt that is tried again: failed, running. An attempt that waits for a tool's approval: blocked, running.
//! * A step is completed when it is left: the gate after the work comes before that. A visit that a person sent back or
//!   rejected has failed, with who and why as its error; that the step is done again is another entry, of the next visit.
//! * Sent back *before* its work, a step stays blocked: nothing of it has been carried out.

mod status;

pub use status::{RunStepStatus, transition};

use crate::apply::said_of_step;
use crate::{
    Answer, At, Decision, DetourMove, EndStatus, Event, ExecutionStatus, GateId, GateOpened, GateReason, Instance,
    RouteDecision, StageEnd, StepResult,
};
use model::{GateAt, StepId};
use std::collections::{BTreeMap, BTreeSet};

/// One entry: a visit of a step. What it took in and what came of it stand in the log's results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunStep {
    /// Which visit of which step.
    pub instance: Instance,
    /// How it stands.
    pub status: RunStepStatus,
    /// Attempts begun.
    pub attempts: u32,
    /// When it was first running.
    pub started_at: Option<At>,
    /// When it was completed, or last failed.
    pub ended_at: Option<At>,
    /// Why it failed, or what it waits for.
    pub error: Option<String>,
    /// Its work has been carried out; it is completed when it is left.
    done: bool,
}

impl RunStep {
    /// An entry of a visit that has not begun.
    pub fn pending(instance: Instance) -> Self {
        Self {
            instance,
            status: RunStepStatus::Pending,
            attempts: 0,
            started_at: None,
            ended_at: None,
            error: None,
            done: false,
        }
    }
}

/// An entry changed its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Which entry.
    pub instance: Instance,
    /// What it was.
    pub from: RunStepStatus,
    /// What it is.
    pub to: RunStepStatus,
    /// Of a failure: why.
    pub error: Option<String>,
}

/// The entries of a run, in the order in which they were entered. Feed it the log from the first event on.
///
/// Total: on a log that [`crate::decide()`] made no move is ever refused; on any other sequence a refused move changes
/// nothing and is kept in [`RunSteps::refused`].
#[derive(Debug, Clone, Default)]
pub struct RunSteps {
    entries: Vec<RunStep>,
    places: BTreeMap<Instance, usize>,
    latest: BTreeMap<StepId, usize>,
    /// Entries that are running: those that the run's end decides about.
    running: BTreeSet<usize>,
    asked: BTreeMap<GateId, GateOpened>,
    refused: Vec<String>,
    changes: Vec<Change>,
}

impl RunSteps {
    /// The entries of a log.
    pub fn of<'a>(events: impl IntoIterator<Item = (At, &'a Event)>) -> Self {
        let mut steps = Self::default();
        for (at, event) in events {
            steps.push(at, event);
        }
        steps
    }

    /// Every entry, in the order in which they were entered.
    pub fn entries(&self) -> &[RunStep] {
        &self.entries
    }

    /// One entry.
    pub fn get(&self, instance: &Instance) -> Option<&RunStep> {
        self.places.get(instance).map(|place| &self.entries[*place])
    }

    /// The last entry of a step; a step without one is pending.
    pub fn last_of(&self, step: &StepId) -> Option<&RunStep> {
        self.latest.get(step).map(|place| &self.entries[*place])
    }

    /// Moves that the state machine refused, in its words: none on a log of a run.
    pub fn refused(&self) -> &[String] {
        &self.refused
    }

    /// What the next event changes, in order.
    pub fn push(&mut self, at: At, event: &Event) -> Vec<Change> {
        match event {
            Event::AttemptStarted(started) => {
                let place = self.enter(at, &started.instance);
                self.entries[place].attempts = self.entries[place].attempts.saturating_add(1);
            }
            Event::AttemptEnded { instance, result, .. } => self.attempt_ended(at, instance, result),
            Event::AttemptInterrupted { instance, reason, .. } => {
                if let Some(&place) = self.places.get(instance) {
                    self.fail(
                        at,
                        place,
                        said(Some(reason)).unwrap_or_else(|| "interrupted".to_owned()),
                    );
                }
            }
            Event::GateOpened(opened) => self.gate_opened(at, opened),
            Event::GateAnswered(decision) => self.gate_answered(at, decision),
            // What a detour leads back to has not been left.
            Event::Routed(route) if matches!(route.detour, Some(DetourMove::Out { on: true, .. })) => {}
            Event::Routed(route) => {
                self.come_back(at, route);
                if let Some(&place) = self.places.get(&route.from) {
                    self.left(at, place);
                }
            }
            Event::Forked(forked) => {
                if let Some(&place) = self.places.get(&forked.from) {
                    self.left(at, place);
                }
            }
            Event::Settled(settled) => {
                let Some(&place) = self.latest.get(&settled.step) else {
                    return Vec::new();
                };
                let because = |cause: &StepId| format!("skipped because of '{cause}'");
                let error = said(settled.error.as_deref()).or(settled.because.as_ref().map(because));
                match settled.status {
                    StageEnd::Completed => self.left(at, place),
                    StageEnd::Failed => self.end(at, place, error, "failed"),
                    // What its agent left out is left like a step of a flow that was skipped.
                    StageEnd::Skipped => {
                        self.left(at, place);
                        self.end(at, place, error, "skipped");
                    }
                    StageEnd::Aborted => self.end(at, place, error, "aborted"),
                }
            }
            Event::SentBack(sent) => {
                if let Some(&place) = self.places.get(&sent.from) {
                    self.left(at, place);
                }
            }
            Event::RunCompleted(end) => {
                let well = matches!(
                    end.status,
                    EndStatus::Succeeded | EndStatus::CompletedWithFailures | EndStatus::Stopped
                );
                for place in std::mem::take(&mut self.running) {
                    if well && self.entries[place].done {
                        self.left(at, place);
                    } else {
                        self.end(at, place, said(end.error.as_deref()), "the run has ended");
                    }
                }
            }
            Event::RunCreated(_)
            | Event::RunStarted
            | Event::Output { .. }
            | Event::ToolCalled { .. }
            | Event::NavigatorAsked(_)
            | Event::NavigatorAnswered { .. }
            | Event::Queued { .. }
            | Event::BranchEnded(_)
            | Event::Joined(_)
            | Event::FeedbackGiven(_)
            | Event::FeedbackAcknowledged(_)
            | Event::FeedbackResolved { .. }
            | Event::FlowEnded(_)
            | Event::Reopened { .. }
            | Event::EvidencePromoted(_)
            | Event::Checkpointed(_)
            | Event::AnotherLog(_)
            | Event::TakenOver(_)
            | Event::Paused { .. }
            | Event::Resumed { .. }
            | Event::TakenUp { .. }
            | Event::Aborted { .. } => {}
        }
        std::mem::take(&mut self.changes)
    }

    /// The entry of a visit that is being carried out; it is made when there is none.
    fn enter(&mut self, at: At, instance: &Instance) -> usize {
        let place = match self.places.get(instance) {
            Some(&place) => place,
            None => {
                let place = self.entries.len();
                self.entries.push(RunStep::pending(instance.clone()));
                self.places.insert(instance.clone(), place);
                place
            }
        };
        self.latest.insert(instance.step.clone(), place);
        self.become_(at, place, RunStepStatus::Running, None);
        place
    }

    fn attempt_ended(&mut self, at: At, instance: &Instance, result: &StepResult) {
        let Some(&place) = self.places.get(instance) else {
            return;
        };
        self.entries[place].done = result.status.completes();
        let error = said(result.error.as_deref());
        match result.status {
            ExecutionStatus::Succeeded | ExecutionStatus::Skipped => {}
            ExecutionStatus::Failed => {
                let error = error.unwrap_or_else(|| format!("step '{}' failed", instance.step));
                self.fail(at, place, error);
            }
            ExecutionStatus::Blocked => {
                let error = error.unwrap_or_else(|| GateReason::ToolApproval.to_string());
                self.become_(at, place, RunStepStatus::Blocked, Some(error));
            }
        }
    }

    fn gate_opened(&mut self, at: At, opened: &GateOpened) {
        let instance = &opened.instance;
        let known = self.places.get(instance).copied();
        // Blocked already: its attempt has asked, or it was sent back before its work and is asked about again.
        if known.is_none_or(|place| self.entries[place].status != RunStepStatus::Blocked) {
            let place = self.enter(at, instance);
            self.become_(at, place, RunStepStatus::Blocked, Some(opened.why.to_string()));
        }
        self.asked.insert(opened.gate.clone(), opened.clone());
    }

    fn gate_answered(&mut self, at: At, decision: &Decision) {
        let asked = self.asked.get(&decision.gate);
        if asked.is_none_or(|asked| asked.round != decision.round) {
            return;
        }
        let Some(asked) = self.asked.remove(&decision.gate) else {
            return;
        };
        let Some(&place) = self.places.get(&asked.instance) else {
            return;
        };
        if decision.answer == Answer::Changes && asked.at == GateAt::Before {
            return;
        }
        self.become_(at, place, RunStepStatus::Running, None);
        if let Some(result) = said_of_step(&asked, decision) {
            // The answer is the attempt.
            self.entries[place].attempts = self.entries[place].attempts.saturating_add(1);
            return self.attempt_ended(at, &asked.instance, &result);
        }
        let (by, comment) = (decision.by.trim(), decision.comment.trim());
        match decision.answer {
            Answer::Changes => self.fail(at, place, format!("Changes requested by {by}: {comment}")),
            Answer::Reject => self.fail(at, place, format!("Rejected by {by}: {comment}")),
            Answer::Approve | Answer::Pass | Answer::Fail | Answer::Choose => {}
        }
    }

    /// A detour leads back to a step that is still to be left, also where the run had ended meanwhile.
    fn come_back(&mut self, at: At, route: &RouteDecision) {
        let to = route.to.as_ref().filter(|_| route.detour == Some(DetourMove::On));
        let place = to.and_then(|to| self.latest.get(to)).copied();
        if let Some(place) = place.filter(|place| self.entries[*place].status == RunStepStatus::Failed) {
            self.become_(at, place, RunStepStatus::Running, None);
            self.entries[place].done = true;
        }
    }

    /// The token goes on from here, or the stage is settled as completed.
    fn left(&mut self, at: At, place: usize) {
        let entry = &self.entries[place];
        if entry.done && entry.status == RunStepStatus::Running {
            self.become_(at, place, RunStepStatus::Completed, None);
        }
    }

    /// What is still running ends with its stage or its run; what waits for a person or has ended stays as it is.
    fn end(&mut self, at: At, place: usize, error: Option<String>, otherwise: &str) {
        if self.entries[place].status == RunStepStatus::Running {
            self.fail(at, place, error.unwrap_or_else(|| otherwise.to_owned()));
        }
    }

    fn fail(&mut self, at: At, place: usize, error: String) {
        self.entries[place].done = false;
        self.become_(at, place, RunStepStatus::Failed, Some(error));
    }

    fn become_(&mut self, at: At, place: usize, to: RunStepStatus, error: Option<String>) {
        let entry = &mut self.entries[place];
        let from = entry.status;
        let to = match transition(from.word(), to.word()) {
            Ok(to) => to,
            Err(refused) => {
                self.refused.push(format!("{}: {refused}", entry.instance.step));
                return;
            }
        };
        entry.status = to;
        entry.error.clone_from(&error);
        if to == RunStepStatus::Running {
            entry.started_at.get_or_insert(at);
            entry.ended_at = None;
            self.running.insert(place);
        } else {
            self.running.remove(&place);
        }
        if matches!(to, RunStepStatus::Completed | RunStepStatus::Failed) {
            entry.ended_at = Some(at);
        }
        if from != to {
            self.changes.push(Change {
                instance: entry.instance.clone(),
                from,
                to,
                error,
            });
        }
    }
}

fn said(text: Option<&str>) -> Option<String> {
    text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}
