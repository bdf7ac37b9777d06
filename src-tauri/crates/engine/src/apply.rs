//! Events change the state; nothing else does.

use crate::state::{AttemptState, Cursor, Due, GateRound, RunState, RunStatus, Visit};
use crate::{Answer, At, AttemptStarted, Decision, Event, ExecutionStatus, Instance};
use model::{GateAt, StepId};

/// Applies one event that happened at `at`.
///
/// Total: it never panics and never fails. On a log that [`crate::decide()`] made every event finds what it speaks of; on
/// any other sequence an event whose subject is missing changes the counters it can and nothing else.
pub fn apply(state: &mut RunState, at: At, event: &Event) {
    state.seq = state.seq.saturating_add(1);
    state.last_at = Some(at);
    match event {
        Event::RunCreated(created) => {
            state.created = Some(created.clone());
            state.created_at = Some(at);
            state.cursor = Cursor::Between(Due::Start);
        }
        Event::RunStarted => {
            state.started_at = Some(at);
            state.cursor = Cursor::Between(Due::Entry);
        }
        Event::AttemptStarted(started) => attempt_started(state, at, started),
        Event::Output { .. } => {}
        Event::AttemptEnded {
            instance,
            attempt,
            result,
            retry_at,
        } => {
            let completes = result.status != ExecutionStatus::Failed;
            if let Some(open) = open_attempt(state, instance, *attempt) {
                open.ended_at = Some(at);
                open.result = Some(result.clone());
                state.completed = state.completed.saturating_add(u32::from(completes));
            }
            state.cursor = after_attempt(instance, *attempt, *retry_at);
        }
        Event::AttemptInterrupted {
            instance,
            attempt,
            reason,
            retry_at,
        } => {
            if let Some(open) = open_attempt(state, instance, *attempt) {
                open.ended_at = Some(at);
                open.interrupted = Some(reason.clone());
            }
            if let Cursor::Between(Due::Abort { in_flight, .. }) = &mut state.cursor {
                *in_flight = None;
            } else {
                state.cursor = after_attempt(instance, *attempt, *retry_at);
            }
        }
        Event::Routed(route) => {
            let index = state.routes.len();
            if let Some(visit) = visit_mut(state, &route.from) {
                visit.left_by = Some(index);
            }
            state.loop_state.clone_from(&route.loop_state);
            state.cursor = match &route.to {
                Some(step) => Cursor::Ready { step: step.clone() },
                None => Cursor::Between(Due::Complete),
            };
            state.routes.push((**route).clone());
        }
        Event::GateOpened(opened) => {
            state.cursor = Cursor::AtGate {
                gate: opened.gate.clone(),
                round: opened.round,
            };
            let round = GateRound {
                opened: (**opened).clone(),
                opened_at: at,
                answer: None,
            };
            state.gates.entry(opened.gate.clone()).or_default().push(round);
        }
        Event::GateAnswered(decision) => gate_answered(state, at, decision),
        Event::Paused { .. } => state.paused = true,
        Event::Resumed { .. } => state.paused = false,
        Event::Aborted { by, reason } => {
            let in_flight = match &state.cursor {
                Cursor::Running { instance, attempt } => Some((instance.clone(), *attempt)),
                _ => None,
            };
            state.cursor = Cursor::Between(Due::Abort {
                in_flight,
                error: abort_error(by, reason),
            });
        }
        Event::RunCompleted(completed) => {
            state.ended_at = Some(at);
            state.error.clone_from(&completed.error);
            state.cursor = Cursor::Nowhere;
            state.status = RunStatus::Ended(completed.status);
        }
    }
    if !state.status.ended() {
        state.status = match &state.cursor {
            _ if state.created.is_none() => RunStatus::New,
            Cursor::AtGate { .. } => RunStatus::Blocked,
            _ if state.paused => RunStatus::Paused,
            _ => RunStatus::Running,
        };
    }
}

/// The state of a run: the fold of its events.
pub fn fold<'a>(events: impl IntoIterator<Item = (At, &'a Event)>) -> RunState {
    let mut state = RunState::default();
    for (at, event) in events {
        apply(&mut state, at, event);
    }
    state
}

/// The error of a run that a person ended.
pub(crate) fn abort_error(by: &str, reason: &str) -> String {
    match reason.trim() {
        "" => format!("Aborted by {by}"),
        reason => format!("Aborted by {by}: {reason}"),
    }
}

fn attempt_started(state: &mut RunState, at: At, started: &AttemptStarted) {
    state.comments.remove(&started.instance.step);
    let attempt = AttemptState {
        started: started.clone(),
        started_at: at,
        ended_at: None,
        result: None,
        interrupted: None,
    };
    if let Some(visit) = visit_mut(state, &started.instance) {
        visit.attempts.push(attempt);
    } else {
        state.executed = state.executed.saturating_add(1);
        let visit = Visit {
            instance: started.instance.clone(),
            number: state.executed,
            attempts: vec![attempt],
            left_by: None,
        };
        state
            .steps
            .entry(started.instance.step.clone())
            .or_default()
            .visits
            .push(visit);
    }
    state.cursor = Cursor::Running {
        instance: started.instance.clone(),
        attempt: started.attempt,
    };
}

fn after_attempt(instance: &Instance, attempt: u32, retry_at: Option<At>) -> Cursor {
    match retry_at {
        Some(at) => Cursor::Retrying {
            instance: instance.clone(),
            attempt: attempt.saturating_add(1),
            at,
        },
        None => Cursor::Between(Due::Leave {
            instance: instance.clone(),
        }),
    }
}

fn gate_answered(state: &mut RunState, at: At, decision: &Decision) {
    state.executed_when_answered = state.executed;
    let Some(round) = state.gates.get_mut(&decision.gate).and_then(|rounds| {
        rounds
            .iter_mut()
            .find(|r| r.opened.round == decision.round && r.answer.is_none())
    }) else {
        return;
    };
    round.answer = Some((decision.clone(), at));
    let opened = &round.opened;
    state.cursor = match (decision.answer, opened.at) {
        (Answer::Approve, GateAt::Before) => Cursor::Ready {
            step: opened.instance.step.clone(),
        },
        _ => Cursor::Between(Due::Answered {
            gate: decision.gate.clone(),
            round: decision.round,
        }),
    };
    if let (Answer::Changes, Some(step)) = (decision.answer, &opened.changes_to) {
        state
            .comments
            .entry(step.clone())
            .or_default()
            .push(decision.comment.clone());
    }
}

fn visit_mut<'a>(state: &'a mut RunState, instance: &Instance) -> Option<&'a mut Visit> {
    let step: &StepId = &instance.step;
    state
        .steps
        .get_mut(step)?
        .visits
        .iter_mut()
        .rev()
        .find(|v| v.instance == *instance)
}

fn open_attempt<'a>(state: &'a mut RunState, instance: &Instance, attempt: u32) -> Option<&'a mut AttemptState> {
    let attempts = &mut visit_mut(state, instance)?.attempts;
    attempts
        .iter_mut()
        .rev()
        .find(|a| a.started.attempt == attempt && a.ended_at.is_none())
}
