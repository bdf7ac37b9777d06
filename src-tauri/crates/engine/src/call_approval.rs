//! What the approval of a tool call is still worth: it is for one call of one visit, and used up by it (seed 000 "Tool calls").

use crate::state::{AttemptState, GateRound, RunState, Visit};
use crate::{Answer, Instance, Purpose, ToolAsk, ToolRecord, ToolStatus};
use model::Step;

/// The last approval that a call has in its visit.
#[derive(Debug, Clone, Copy)]
pub struct CallApproval<'a> {
    /// Which round of the gate gave it.
    pub round: u32,
    /// What came of the call since.
    pub came: Came<'a>,
}

/// What came of a call after it was approved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Came<'a> {
    /// It has not been made: it may be, under this approval.
    Nothing,
    /// It was made.
    Made(&'a ToolRecord),
    /// The attempt was cut off, or broke: the call may have been made or not.
    Unknown,
}

/// The last approval of a call in a visit, and what came of it before this attempt; `None`: nobody has approved it there. Two calls with
/// the same arguments are told apart by their place in the step's list.
pub fn call_approval<'a>(
    state: &'a RunState,
    instance: &Instance,
    attempt: u32,
    is_it: impl Fn(&ToolAsk) -> bool,
) -> Option<CallApproval<'a>> {
    let is_about = |round: &&GateRound| match &round.opened.purpose {
        Purpose::Tool { ask } => round.opened.instance == *instance && is_it(ask),
        _ => false,
    };
    let rounds = state.gates.values().flatten().filter(is_about);
    let last = rounds.max_by_key(|round| round.opened.round)?;
    let (decision, _) = last.answer.as_ref()?;
    let Purpose::Tool { ask } = &last.opened.purpose else {
        return None;
    };
    if decision.answer != Answer::Approve {
        return None;
    }
    let asked = |one: &&AttemptState| {
        let held = one.result.as_ref().and_then(|result| result.lifecycle.as_ref());
        held.and_then(|held| held.asks.as_ref()).is_some_and(&is_it)
    };
    let attempts = state.visit(instance).map_or(&[][..], |visit| visit.attempts.as_slice());
    let before = attempts.iter().rev().filter(|one| one.started.attempt < attempt);
    let since = before.take_while(|one| !asked(one));
    let mut came = Came::Nothing;
    for one in since {
        match of_attempt(one, ask.place) {
            // It has used the approval up: no later attempt has made the call again.
            made @ Came::Made(_) => {
                came = made;
                break;
            }
            Came::Unknown => came = Came::Unknown,
            Came::Nothing => {}
        }
    }
    Some(CallApproval {
        round: last.opened.round,
        came,
    })
}

/// What an attempt made of the call at this place.
fn of_attempt(attempt: &AttemptState, place: usize) -> Came<'_> {
    // One that was cut off, or broke, says nothing of what it was doing just then.
    let is_told = attempt.result.as_ref().is_some_and(|result| result.lifecycle.is_some());
    match attempt.calls().get(place) {
        Some(call) if matches!(call.status, ToolStatus::Completed | ToolStatus::Failed) => Came::Made(call),
        None if !is_told => Came::Unknown,
        _ => Came::Nothing,
    }
}

/// The same of the visits before this one that came to no good end, the last of them first: the run was taken up again, and the call that
/// somebody is asked about may have been made there.
pub(crate) fn in_earlier_visits<'a>(
    state: &'a RunState,
    instance: &Instance,
    is_it: impl Fn(&ToolAsk) -> bool,
) -> Option<CallApproval<'a>> {
    let visits = &state.steps.get(&instance.step)?.visits;
    let is_done = |visit: &Visit| {
        let last = visit.attempts.last().and_then(|attempt| attempt.result.as_ref());
        last.is_some_and(|result| result.status.completes())
    };
    let before = visits.iter().rev().filter(|visit| visit.instance.path == instance.path);
    let before = before.filter(|visit| visit.instance.visit < instance.visit);
    let lost = before.take_while(|visit| !is_done(visit));
    let mut each = lost.filter_map(|visit| call_approval(state, &visit.instance, u32::MAX, &is_it));
    each.find(|approval| approval.came != Came::Nothing)
}

/// What a person is asked about a call: which of several it is, and what came of an approval that it had.
pub(crate) fn question(step: &Step, ask: &ToolAsk, before: Option<&CallApproval<'_>>) -> String {
    let mut question = format!("May “{}” use the tool {}?", step.name, ask.tool);
    let same = |calls: &[model::ToolCall]| calls.iter().filter(|call| call.name == ask.tool).count();
    let of = same(&step.tools);
    if of > 1 {
        let which = same(step.tools.get(..ask.place).unwrap_or_default()) + 1;
        question.push_str(&format!(" This is call {which} of {of} of it."));
    }
    let Some(CallApproval { round, came }) = before else {
        return question;
    };
    match came {
        Came::Made(call) if call.status == ToolStatus::Failed => {
            let error = call.error.trim();
            let said = if error.is_empty() { "no reason was given" } else { error };
            question.push_str(&format!(
                " It was called under the approval of round {round} and has failed ({said})."
            ));
        }
        Came::Unknown => question.push_str(&format!(
            " It was approved in round {round}, and what came of that is not known: the call may have been made already."
        )),
        Came::Made(_) => question.push_str(&format!(
            " It was made already, under the approval of round {round}, and has answered."
        )),
        Came::Nothing => {}
    }
    question
}
