//! When a run waited for people, and for how long: the time in which somebody was asked and nothing was at work.

use crate::state::AttemptState;
use crate::{At, Instance, RunId, RunState};
use std::collections::BTreeMap;

/// How long that was by this time, in milliseconds: all of [`waits`].
pub fn waited_ms(state: &RunState, inside: &[&RunState], now: At) -> u64 {
    let each = waits(state, inside, now).into_iter();
    each.fold(0, |sum, (from, until)| sum.saturating_add(until.since_ms(from)))
}

/// From when to when that was by this time, in order, with what the runs inside it say of themselves, however deep they lie. A step that one of
/// them carries out is at work when that one is. Of a run inside that is not told the step is at work.
pub fn waits(state: &RunState, inside: &[&RunState], now: At) -> Vec<(At, At)> {
    // From when to when the runs lasted that are told of a visit.
    let mut told: BTreeMap<(&RunId, &Instance), Vec<(At, At)>> = BTreeMap::new();
    for inner in inside {
        let parent = inner.created.as_deref().and_then(|created| created.parent.as_ref());
        if let Some(parent) = parent {
            let lasted = (inner.created_at.unwrap_or_default(), inner.ended_at.unwrap_or(now));
            told.entry((&parent.run, &parent.instance)).or_default().push(lasted);
        }
    }
    let began = state.created_at.unwrap_or_default();
    // When questions and attempts begin and end, with what becomes one more or one less then.
    let mut turns: Vec<(At, i64, i64)> = Vec::new();
    let mut lasts = |from: At, until: Option<At>, asked: i64, at_work: i64| {
        // A run inside may have begun before, or have been answered when nobody waited for it any more.
        let within = |at: At| at.max(began).min(now);
        let until = until.unwrap_or(now).max(from);
        turns.push((within(from), asked, at_work));
        turns.push((within(until), -asked, -at_work));
    };
    for one in std::iter::once(state).chain(inside.iter().copied()) {
        for round in one.gates.values().flatten() {
            // What is left open when a run ends is waited for no longer.
            let answered = round.answer.as_ref().map(|(_, at)| *at);
            lasts(round.since, answered.or(one.ended_at), 1, 0);
        }
        let run = one.created.as_deref().map(|created| &created.run_id);
        // Of several attempts of a visit each may have a run of its own, and one that was cut off leaves its run to the next.
        let is_told = |attempt: &AttemptState| {
            let of_visit = run.and_then(|run| told.get(&(run, &attempt.started.instance)));
            let ended = attempt.ended_at.unwrap_or(now);
            of_visit.is_some_and(|runs| {
                runs.iter()
                    .any(|(from, until)| *from < ended && attempt.started_at <= *until)
            })
        };
        let visits = one.steps.values().flat_map(|step| &step.visits);
        let attempts = visits.flat_map(|visit| &visit.attempts);
        // What people carry out begins with the question that they are asked.
        for attempt in attempts.filter(|attempt| !attempt.started.is_by_people() && !is_told(attempt)) {
            lasts(attempt.started_at, attempt.ended_at, 0, 1);
        }
    }
    turns.sort_unstable();
    let (mut asked, mut at_work, mut since) = (0_i64, 0_i64, At(0));
    let mut waited: Vec<(At, At)> = Vec::new();
    for (at, more_asked, more_at_work) in turns {
        if asked > 0 && at_work == 0 && at > since {
            match waited.last_mut() {
                // Another question came, or one of several was answered: it is one wait.
                Some((_, until)) if *until == since => *until = at,
                _ => waited.push((since, at)),
            }
        }
        asked += more_asked;
        at_work += more_at_work;
        since = at;
    }
    waited
}
