//! How what a run has begun stands beyond what its log says: nobody carries it on, or nothing goes on before people have answered.

use crate::gate::people;
use crate::run::history::History;
use crate::run::status::WAITS;
use crate::run::waiting::Waiting;
use crate::view::Status;
use crate::{ApiError, Studio, words};
use engine::{Cursor, Event, RunState, RunStatus};
use model::{StepId, Workflow};
use std::collections::BTreeSet;

/// Of a step that was begun in a run that nobody carries on.
pub(crate) const LEFT_OFF: &str = "begun, and left open";

/// Of a step that is to begin behind an answer which no driver follows.
const NOT_BEGUN: &str = "not begun: who answered is in doubt";

/// How what a run has begun stands now. The default is that of a run that has ended, and of a moment that is past: as its log says.
#[derive(Default)]
pub(crate) struct OpenWork {
    /// How the run stands, where what it was doing was left where it stood.
    left: Option<Status>,
    /// Steps that are to begin behind an answer that no driver follows: nothing of them was done.
    unbegun: BTreeSet<StepId>,
    /// Steps of which all that is at work are runs inside that wait for people.
    waiting_at: BTreeSet<StepId>,
    /// Of a run that waits for people while nobody carries it on: steps that were begun beside what they are asked.
    left_beside: BTreeSet<StepId>,
}

impl OpenWork {
    /// Of a run that has not ended, at the end of its log. `stands`: how it stands now ([`Studio::stands`]).
    ///
    /// # Errors
    /// What the store reports.
    pub fn of(
        studio: &Studio,
        history: &History,
        state: &RunState,
        stands: Status,
        waiting: &Waiting<'_>,
    ) -> Result<Self, ApiError> {
        // It is paused, and somebody is still asked.
        let stands = match stands {
            Status::Paused if state.status == RunStatus::Blocked => Status::Blocked,
            stands => stands,
        };
        if studio.is_work_left(history.id(), stands) {
            return Ok(Self {
                left: Some(stands),
                unbegun: unbegun(studio, history, state),
                ..Self::default()
            });
        }
        let waiting_at = waiting.steps(history, state)?;
        let is_left = stands == Status::Blocked && studio.is_left(history.id(), state.status.ended());
        let begun = state.cursors().filter_map(|cursor| match cursor {
            Cursor::Running { instance, .. } => Some(instance.step.clone()),
            _ => None,
        });
        let left_beside = begun.filter(|step| is_left && !waiting_at.contains(step)).collect();
        Ok(Self {
            waiting_at,
            left_beside,
            ..Self::default()
        })
    }

    /// That steps were begun which nobody carries on, beside what people are asked: a sentence; `None` where there are none.
    pub fn left_beside(&self, workflow: &Workflow) -> Option<String> {
        let names = self.left_beside.iter().map(|step| words::step_ref(workflow, step).name);
        let names: Vec<String> = names.map(|name| format!("“{name}”")).collect();
        let was = match names.as_slice() {
            [_] => "was begun and goes on",
            _ => "were begun and go on",
        };
        let steps = people::listed(&names, "and")?;
        Some(format!(
            "Nobody carries this run on: {steps} {was} once somebody resumes it."
        ))
    }

    /// Whether how a step stands may be something else than its log says: it was begun and has not ended.
    pub fn concerns(status: Status) -> bool {
        matches!(status, Status::Running | Status::Waiting)
    }

    /// The same of a step that a run which has not ended is to begin.
    pub fn is_next(state: &RunState, step: &StepId) -> bool {
        matches!(state.cursor_of(step), Cursor::Ready { step: next, .. } if next == step)
    }

    /// How a step stands, in words as well, where that is something else than its log says.
    pub fn of_step(&self, step: &str, status: Status) -> Option<(Status, &'static str)> {
        if holds(&self.unbegun, step) {
            return Some((Status::LeftOpen, NOT_BEGUN));
        }
        if !Self::concerns(status) {
            return None;
        }
        match self.left {
            // Somebody is still asked.
            Some(Status::Paused) if status == Status::Waiting => None,
            Some(_) => Some((Status::LeftOpen, LEFT_OFF)),
            // Where the driver let go of it the step is to be tried again: that goes on with the same run inside.
            None if holds(&self.waiting_at, step) => Some((Status::Blocked, WAITS)),
            None => {
                let is_left = status == Status::Running && holds(&self.left_beside, step);
                is_left.then_some((Status::LeftOpen, LEFT_OFF))
            }
        }
    }
}

fn holds(steps: &BTreeSet<StepId>, step: &str) -> bool {
    steps.iter().any(|id| id.as_str() == step)
}

/// What is to begin behind an answer that no driver follows. The logs of earlier versions begin it in one moment with the answer.
fn unbegun(studio: &Studio, history: &History, state: &RunState) -> BTreeSet<StepId> {
    let doubted = studio.first_doubt(history);
    let Some(answer) = doubted.and_then(|(seq, _)| history.events().with_seq(seq)) else {
        return BTreeSet::new();
    };
    let behind = history.events().from(history.until(Some(answer.seq)).len());
    let with_it = behind.take_while(|e| e.at == answer.at);
    let begun = with_it.filter_map(|e| match &e.event {
        Event::AttemptStarted(started) => Some(started.instance.step.clone()),
        _ => None,
    });
    let is_open = |id: &StepId| matches!(state.cursor_of(id), Cursor::Running { instance, .. } if instance.step == *id);
    let begun = begun.filter(is_open);
    let next = state.cursors().filter_map(|cursor| match cursor {
        Cursor::Ready { step, .. } => Some(step.clone()),
        _ => None,
    });
    begun.chain(next).collect()
}
