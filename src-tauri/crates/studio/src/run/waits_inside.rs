//! When the runs inside a run waited for people: the timeline shows it in the bars of the steps that they carry out.

use crate::Studio;
use crate::lock::lock;
use crate::report::query::Reach;
use crate::run::history::History;
use engine::state::AttemptState;
use engine::{At, RunState, Visit};
use model::{StepId, Work};
use std::collections::BTreeMap;
use store::RunRow;

impl Studio {
    /// By step, from when to when the runs that carry it out waited for people while nothing was at work in them, in order; as far as they can
    /// be read. `now`: until when what is still asked is waited for.
    pub(crate) fn waits_inside(&self, of: &History, state: &RunState, now: At) -> BTreeMap<StepId, Vec<(At, At)>> {
        let mut found = BTreeMap::new();
        let steps = of.workflow().steps().iter();
        for step in steps.filter(|step| matches!(step.work, Work::SubWorkflow { .. })) {
            let visits = state.visits_of(&step.id);
            let waits: Vec<_> = visits.flat_map(|visit| self.waits_in(of, state, visit, now)).collect();
            if !waits.is_empty() {
                found.insert(step.id.clone(), joined(waits));
            }
        }
        found
    }

    /// Of one visit. A run may have very many, and is looked at often: what is over is looked into once.
    fn waits_in(&self, of: &History, state: &RunState, visit: &Visit, now: At) -> Vec<(At, At)> {
        let (place, attempts) = ((of.id().clone(), visit.instance.clone()), visit.attempts.len());
        if let Some((known, waits)) = lock(&self.0.runs.waits_of_visits).get(&place)
            && *known == attempts
        {
            return waits.clone();
        }
        let has_ended = |attempt: &AttemptState| attempt.ended_at.is_some();
        let mut is_over = visit.attempts.iter().all(has_ended);
        let mut waits = Vec::new();
        for row in self.begun_inside(of, state, visit) {
            let of_run = self.waits_of(&row, now);
            is_over &= of_run.is_over;
            waits.extend(of_run.waits);
        }
        if is_over {
            lock(&self.0.runs.waits_of_visits).insert(place, (attempts, waits.clone()));
        }
        waits
    }

    /// Of one run inside, with those inside it. One that is over is looked into once; a part that cannot be read is looked for again.
    fn waits_of(&self, row: &RunRow, now: At) -> WaitsOf {
        if let Some((seq, waits)) = lock(&self.0.runs.waits_of_ended).get(&row.run)
            && *seq == row.seq
        {
            return WaitsOf {
                waits: waits.clone(),
                is_over: true,
            };
        }
        let history = match row.status.ended() {
            true => self.glance(row.run.as_str()),
            false => self.history(row.run.as_str()),
        };
        let Ok(history) = history else {
            return WaitsOf::default();
        };
        let state = history.state(None);
        let within = self.within(&history, None, Reach::Own);
        let below: Vec<&RunState> = within
            .iter()
            .filter_map(|one| Some(&one.read.as_ref().ok()?.state))
            .collect();
        // What goes on behind `now` is told up to there alone.
        let is_past = |state: &RunState| state.status.ended() && state.last_at.is_some_and(|last| last <= now);
        let is_over = below.len() == within.len() && is_past(&state) && below.iter().copied().all(is_past);
        let waits = engine::waits(&state, &below, now);
        if is_over {
            lock(&self.0.runs.waits_of_ended).insert(row.run.clone(), (state.seq, waits.clone()));
        }
        WaitsOf { waits, is_over }
    }
}

/// When a run waited for people, with those inside it.
#[derive(Default)]
struct WaitsOf {
    waits: Vec<(At, At)>,
    /// Nothing comes to it any more, and all of it could be read.
    is_over: bool,
}

/// In order, and as one where they overlap or touch.
fn joined(mut waits: Vec<(At, At)>) -> Vec<(At, At)> {
    waits.sort_unstable();
    let mut apart: Vec<(At, At)> = Vec::new();
    for (from, until) in waits {
        match apart.last_mut() {
            Some((_, last)) if from <= *last => *last = until.max(*last),
            _ => apart.push((from, until)),
        }
    }
    apart
}
