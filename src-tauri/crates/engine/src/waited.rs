//! How long a run has waited for people: the time in which somebody was asked and nothing was at work.

use crate::{At, RunState};

/// How long that was by this time, in milliseconds. Where a run inside a step asks, the step is at work: what was waited for there stands in
/// that run's log.
pub fn waited_ms(state: &RunState, now: At) -> u64 {
    // When questions and attempts begin and end, with what becomes one more or one less then.
    let mut turns: Vec<(At, i64, i64)> = Vec::new();
    let mut lasts = |from: At, until: Option<At>, asked: i64, at_work: i64| {
        let until = until.unwrap_or(now).max(from);
        turns.push((from, asked, at_work));
        turns.push((until, -asked, -at_work));
    };
    for round in state.gates.values().flatten() {
        lasts(round.opened_at, round.answer.as_ref().map(|(_, at)| *at), 1, 0);
    }
    let visits = state.steps.values().flat_map(|step| &step.visits);
    for attempt in visits.flat_map(|visit| &visit.attempts) {
        lasts(attempt.started_at, attempt.ended_at, 0, 1);
    }
    turns.sort_unstable();
    let (mut asked, mut at_work, mut since, mut waited) = (0_i64, 0_i64, At(0), 0_u64);
    for (at, more_asked, more_at_work) in turns {
        if asked > 0 && at_work == 0 {
            waited = waited.saturating_add(at.since_ms(since));
        }
        asked += more_asked;
        at_work += more_at_work;
        since = at;
    }
    waited
}
