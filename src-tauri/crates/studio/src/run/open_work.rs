//! How what a run has begun stands beyond what its log says: nobody carries it on, or nothing goes on before people have answered.

use crate::run::history::History;
use crate::run::status::WAITS;
use crate::run::waiting::Waiting;
use crate::view::Status;
use crate::{ApiError, Studio};
use engine::{Cursor, Event, RunState, RunStatus};
use model::StepId;
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
                waiting_at: BTreeSet::new(),
            });
        }
        Ok(Self {
            left: None,
            unbegun: BTreeSet::new(),
            waiting_at: waiting.steps(history, state)?,
        })
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
        if self.unbegun.iter().any(|id| id.as_str() == step) {
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
            None => {
                let waits = self.waiting_at.iter().any(|id| id.as_str() == step);
                waits.then_some((Status::Blocked, WAITS))
            }
        }
    }
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
