//! Events that lead past a person who was asked and has not answered, and events behind the end of a run. The machine makes none: whoever writes into
//! a log by hand does.

use crate::{Cursor, EndStatus, Event, GateRound, RouteReason, RunState, StageEnd};

/// The questions that nobody had answered and that an event leads past: a way that is taken from where somebody is asked, work that begins there, a
/// good end of the run. `state`: how it stood before the event.
///
/// Questions are left in order where a person ends the run or sends it elsewhere, where a branch is cut off, where a stage is pending again, and
/// where the run does not end well.
pub fn passed<'a>(state: &'a RunState, event: &Event) -> Vec<&'a GateRound> {
    // Most runs never ask.
    if state.gates.is_empty() || state.status.ended() {
        return Vec::new();
    }
    let branch = |id| state.forks.branch(id).map(|branch| &branch.cursor);
    let left: Vec<&Cursor> = match event {
        Event::AttemptStarted(started) => vec![state.cursor_of(&started.instance.step)],
        Event::NavigatorAsked(asked) => vec![state.cursor_of(&asked.instance.step)],
        Event::AttemptEnded { instance, .. }
        | Event::AttemptInterrupted { instance, .. }
        | Event::NavigatorAnswered { instance, .. } => vec![state.cursor_of(&instance.step)],
        Event::GateOpened(opened) => vec![state.cursor_of(&opened.instance.step)],
        Event::Forked(forked) => vec![state.cursor_of(&forked.from.step)],
        Event::Routed(route) if is_sent(state, &route.reason) => Vec::new(),
        Event::Routed(route) => match route.branch {
            Some(id) => branch(id).into_iter().collect(),
            None => vec![&state.cursor],
        },
        Event::BranchEnded(ended) => branch(ended.branch).into_iter().collect(),
        Event::FlowEnded(_) => vec![&state.cursor],
        Event::Queued { steps } => steps.iter().map(|step| state.cursor_of(step)).collect(),
        Event::Settled(settled)
            if settled.status == StageEnd::Completed || settled.spared.is_some() || settled.is_left_out_by_agent() =>
        {
            vec![state.cursor_of(&settled.step)]
        }
        // What has not ended is not taken up again.
        Event::Reopened { .. } => state.cursors().collect(),
        Event::RunCompleted(end) if matches!(end.status, EndStatus::Succeeded | EndStatus::CompletedWithFailures) => {
            state.cursors().collect()
        }
        _ => Vec::new(),
    };
    let asked = left.into_iter().filter_map(|cursor| state.asked_at(cursor));
    asked.filter(|round| round.answer.is_none()).collect()
}

/// Whether an event stands behind the end of its run, where the machine makes none like it: an ended run is taken up again, a person raises its
/// evidence, or its log is named as another one. `state`: how it stood before the event.
pub fn is_behind_end(state: &RunState, event: &Event) -> bool {
    let may_come = matches!(
        event,
        Event::Reopened { .. } | Event::EvidencePromoted(_) | Event::AnotherLog(_)
    );
    state.status.ended() && !may_come
}

/// Whether a person sent the run elsewhere, in a format in which they may.
fn is_sent(state: &RunState, reason: &RouteReason) -> bool {
    let may_jump = || {
        let created = state.created.as_ref();
        created.is_some_and(|created| created.format.contract().jumps)
    };
    matches!(reason, RouteReason::Jump(_)) && may_jump()
}
