//! Who worked beside a run that wants four eyes: around it and in other runs there since it began, and inside it in runs of which no step of it has
//! told. Its own log says nothing of them; their logs do.

use crate::run::history::History;
use crate::{ApiError, Studio};
use engine::{Decision, Hand, Refusal, RefusalCode, RunId, RunState, TookPart};
use model::Work;
use std::collections::BTreeSet;

/// A refusal of whoever worked beside a run.
fn refused(why: Option<String>) -> Result<(), ApiError> {
    match why {
        Some(why) => Err(Refusal::new(RefusalCode::FourEyes, why).into()),
        None => Ok(()),
    }
}

impl Studio {
    /// Who has carried out steps of this run, of those around it and of all that run inside these, by what their logs say now. Nobody where one
    /// person may do it all. `state`: how the run stands.
    ///
    /// # Errors
    /// What the store reports and passes. A run that cannot be read tells nothing.
    pub(crate) fn worked_beside(&self, history: &History, state: &RunState) -> Result<Vec<TookPart>, ApiError> {
        match state.wants_four_eyes() {
            true => self.all_beside(history),
            false => Ok(Vec::new()),
        }
    }

    /// The same whatever the run wants: a run that goes on from it may want four eyes by then.
    ///
    /// # Errors
    /// As [`Studio::worked_beside`].
    pub(crate) fn all_beside(&self, history: &History) -> Result<Vec<TookPart>, ApiError> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::from([history.id().clone()]);
        self.workers_of(history, &mut seen, &mut found)?;
        for run in self.around(history.id())? {
            match self.history(run.as_str()) {
                Ok(around) => {
                    seen.insert(run);
                    self.workers_of(&around, &mut seen, &mut found)?;
                }
                Err(error) if error.passes() => return Err(error),
                Err(_) => {}
            }
        }
        Ok(found)
    }

    /// Who worked in a run and in those inside it. What a log says of the runs around it may be made up: each is looked at once.
    fn workers_of(&self, of: &History, seen: &mut BTreeSet<RunId>, found: &mut Vec<TookPart>) -> Result<(), ApiError> {
        let state = of.state(None);
        found.extend(state.worked());
        let steps = of.workflow().steps().iter();
        let inside = steps.filter(|step| matches!(step.work, Work::SubWorkflow { .. }));
        for visit in inside.flat_map(|step| state.visits_of(&step.id)) {
            for row in self.inner_runs(of, &state, visit) {
                if !seen.insert(row.run.clone()) {
                    continue;
                }
                match self.history(row.run.as_str()) {
                    Ok(inner) => self.workers_of(&inner, seen, found)?,
                    Err(error) if error.passes() => return Err(error),
                    Err(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Refuses an answer that lets a run past a gate, by somebody who worked beside it. `decision`: as it is going to be recorded. What
    /// the log of the run itself says of them, and of an answer that comes too late, is refused when it is recorded.
    pub(crate) fn may_pass(&self, history: &History, decision: &Decision) -> Result<(), ApiError> {
        let state = history.state(None);
        let Some((_, opened)) = history.asked(decision) else {
            return Ok(());
        };
        let waits = |open: &&engine::GateRound| open.opened.gate == opened.gate && open.opened.round == opened.round;
        if !state.open_gates().iter().any(waits) {
            return Ok(());
        }
        let beside = self.worked_beside(history, &state)?;
        let given = (decision.answer, decision.way.as_deref());
        let workflow = history.workflow();
        refused(state.wants_another_beside(workflow, opened, given, decision.into(), &beside))
    }

    /// The same of whoever raises evidence, with the key of this account.
    pub(crate) fn may_raise(&self, history: &History, by: &str) -> Result<(), ApiError> {
        let state = history.state(None);
        let key = self.0.identity.public();
        let hand = Hand {
            name: by,
            key_name: None,
            key: Some(&key),
            unseen: false,
        };
        refused(state.took_part_beside(hand, &self.worked_beside(history, &state)?))
    }
}
