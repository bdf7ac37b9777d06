//! When the runs inside a run waited for people: the timeline shows it in the bars of the steps that they carry out.

use crate::Studio;
use crate::lock::lock;
use crate::report::query::Reach;
use crate::run::history::History;
use engine::state::AttemptState;
use engine::{At, RunState, Visit};
use model::{StepId, Work};
use std::collections::BTreeMap;

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
        let attempts = visit.attempts.len();
        if let Some((known, waits)) = lock(&of.waits_inside).get(&visit.instance)
            && *known == attempts
        {
            return waits.clone();
        }
        let rows = self.begun_inside(of, state, visit);
        let mut waits = Vec::new();
        for row in &rows {
            let Ok(history) = self.history(row.run.as_str()) else {
                continue;
            };
            let within = self.within(&history, None, Reach::Own);
            let below = within.iter().filter_map(|one| Some(&one.read.as_ref().ok()?.state));
            waits.extend(engine::waits(&history.state(None), &below.collect::<Vec<_>>(), now));
        }
        let has_ended = |attempt: &AttemptState| attempt.ended_at.is_some();
        if visit.attempts.iter().all(has_ended) && rows.iter().all(|row| row.status.ended()) {
            lock(&of.waits_inside).insert(visit.instance.clone(), (attempts, waits.clone()));
        }
        waits
    }
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
