//! Which runs carry out a visit of a step that lists workflows. The driver and whoever looks at a run ask here, so that they never differ.

use crate::derived_id::derived_id;
use engine::{At, Instance, RunId, RunState, Visit};
use serde_json::json;

/// The id of the run that carries out one of a step's runbooks: it follows from where it stands, so that it is found again.
/// `failures`: how often the visit had failed before; trying again what has failed begins new runs, being interrupted does not.
pub fn child_run(run: &RunId, instance: &Instance, index: u32, failures: u32) -> RunId {
    let mut place = json!([
        "gatehouse-child-run-v1",
        run,
        instance.step,
        instance.visit,
        instance.path,
        index
    ]);
    if let (1.., Some(place)) = (failures, place.as_array_mut()) {
        place.push(json!(failures));
    }
    derived_id(&place)
}

/// A run that has begun: when it ended; absent: it goes on.
pub type Begun = Option<At>;

/// The runs that may carry out a visit.
#[derive(Debug, Clone)]
pub struct InnerRuns {
    run: RunId,
    instance: Instance,
    began: Option<At>,
    attempts: u32,
    failures: u32,
    failed_at: Option<At>,
    /// The visits before it, the latest first, and how many attempts each had.
    earlier: Vec<(Instance, u32)>,
    /// When one of those came to a result last: how their runs had ended by then was heard.
    heard_at: Option<At>,
    /// What had been done before the last of those was done again since: what had ended inside speaks of other work.
    is_anew: bool,
}

/// Whether a step that had been done before a visit was begun again between that and the visit with the number `to`.
fn was_done_again(state: &RunState, since: &Visit, to: u32) -> bool {
    let was_done = |visit: &Visit| {
        let completes = visit.result().is_some_and(|result| result.status.completes());
        visit.number < since.number && completes
    };
    let is_between = |visit: &Visit| visit.number > since.number && visit.number < to;
    let mut others = state.steps.keys().filter(|step| **step != since.instance.step);
    others.any(|step| state.visits_of(step).any(is_between) && state.visits_of(step).any(was_done))
}

impl InnerRuns {
    /// Those of a visit, as a run stands. `run`: the one under whose name they begin.
    pub fn of(run: &RunId, state: &RunState, instance: &Instance) -> Self {
        let count = |attempts: usize| u32::try_from(attempts).unwrap_or(u32::MAX);
        let visit = state.visit(instance);
        let attempts = visit.map_or(&[][..], |visit| visit.attempts.as_slice());
        let failed = attempts.iter().filter(|attempt| attempt.result.is_some());
        let earlier = || {
            let visits = state.visits_of(&instance.step).rev();
            visits.filter(move |visit| visit.instance.path == instance.path && visit.instance.visit < instance.visit)
        };
        let told = earlier().flat_map(|visit| &visit.attempts);
        let told = told.filter(|attempt| attempt.result.is_some());
        let is_cut_off = |visit: &&Visit| visit.attempts.last().is_some_and(|last| last.result.is_none());
        let cut_off = earlier().next().filter(is_cut_off);
        Self {
            run: run.clone(),
            began: attempts.first().map(|first| first.started_at),
            attempts: count(attempts.len()),
            failed_at: failed.clone().filter_map(|attempt| attempt.ended_at).max(),
            failures: count(failed.count()),
            heard_at: told.filter_map(|attempt| attempt.ended_at).max(),
            is_anew: cut_off.is_some_and(|last| {
                let to = visit.map_or(u32::MAX, |visit| visit.number);
                was_done_again(state, last, to)
            }),
            earlier: earlier()
                .map(|visit| (visit.instance.clone(), count(visit.attempts.len())))
                .collect(),
            instance: instance.clone(),
        }
    }

    /// Those that carry out one of the step's files, as far as they have begun, in the order tried. A visit that has begun none itself goes on
    /// with the latest run of an earlier one, unless how that ended was heard. `look`: whether a run is there, when it ended, and what else is
    /// known of it.
    ///
    /// # Errors
    /// What `look` reports.
    pub fn begun<T, E>(
        &self,
        index: u32,
        look: impl Fn(&RunId) -> Result<Option<(Begun, T)>, E>,
    ) -> Result<Vec<(RunId, Begun, T)>, E> {
        let mut found = self.own(index, &look)?;
        if found.is_empty() {
            let earlier = self.earlier(index, look)?;
            found.extend(earlier.filter(|(_, ended, _)| !self.was_over(*ended)));
        }
        Ok(found)
    }

    /// Those that the visit has begun itself, in the order tried.
    fn own<T, E>(
        &self,
        index: u32,
        look: impl Fn(&RunId) -> Result<Option<(Begun, T)>, E>,
    ) -> Result<Vec<(RunId, Begun, T)>, E> {
        let mut found = Vec::new();
        for tried in 0..=self.attempts {
            let child = child_run(&self.run, &self.instance, index, tried);
            found.extend(look(&child)?.map(|(ended, known)| (child, ended, known)));
        }
        Ok(found)
    }

    /// The latest run of an earlier visit for one of the step's files.
    fn earlier<T, E>(
        &self,
        index: u32,
        look: impl Fn(&RunId) -> Result<Option<(Begun, T)>, E>,
    ) -> Result<Option<(RunId, Begun, T)>, E> {
        for (visit, attempts) in &self.earlier {
            for tried in (0..=*attempts).rev() {
                let child = child_run(&self.run, visit, index, tried);
                if let Some((ended, known)) = look(&child)? {
                    return Ok(Some((child, ended, known)));
                }
            }
        }
        Ok(None)
    }

    /// Whether the end of an earlier visit's run says nothing of this one: it was heard, or what came before was done again since.
    fn was_over(&self, ended: Begun) -> bool {
        let is_before = |ended: At| self.began.is_none_or(|began| ended <= began);
        let is_heard = |ended: At| self.heard_at.is_some_and(|heard| ended <= heard);
        ended.is_some_and(|ended| is_heard(ended) || self.is_anew && is_before(ended))
    }

    /// The run that begins now for a file, where one does.
    pub(crate) fn to_begin(&self, index: u32) -> RunId {
        child_run(&self.run, &self.instance, index, self.failures)
    }

    /// Where the visit has begun no run for a file itself: the latest one of an earlier visit, which has ended, and nobody has heard how. `look`:
    /// see [`InnerRuns::current`].
    ///
    /// # Errors
    /// What `look` reports.
    pub(crate) fn unheard<E>(
        &self,
        index: u32,
        look: impl Fn(&RunId) -> Result<Option<Begun>, E>,
    ) -> Result<Option<RunId>, E> {
        let look = |run: &RunId| Ok::<_, E>(look(run)?.map(|ended| (ended, ())));
        if !self.own(index, look)?.is_empty() {
            return Ok(None);
        }
        let latest = self.earlier(index, look)?;
        let unheard = latest.filter(|(_, ended, ())| ended.is_some() && !self.was_over(*ended));
        Ok(unheard.map(|(run, ..)| run))
    }

    /// The one that carries out a file now, begun or to be begun. Where the step failed for another reason than how its run ended, as when its
    /// folder could not be used, that run goes on, and what people have answered in it stands. `look`: whether a run is there, and when it ended.
    ///
    /// # Errors
    /// What `look` reports.
    pub(crate) fn current<E>(&self, index: u32, look: impl Fn(&RunId) -> Result<Option<Begun>, E>) -> Result<RunId, E> {
        let own = self.to_begin(index);
        let latest = self.begun(index, |run| Ok(look(run)?.map(|ended| (ended, ()))))?.pop();
        // What ended since it failed last was not counted yet.
        let goes_on =
            |(child, ended, ()): &(RunId, Begun, ())| *child == own || ended.is_none() || *ended > self.failed_at;
        Ok(latest.filter(goes_on).map_or(own, |(child, ..)| child))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::convert::Infallible;

    fn visit(number: u32) -> Instance {
        Instance {
            step: "inside".into(),
            visit: number,
            path: Vec::new(),
        }
    }

    /// The second visit of a step, which began at ten.
    fn second(failures: u32, failed_at: Option<i64>) -> InnerRuns {
        InnerRuns {
            run: "outer".into(),
            instance: visit(2),
            began: Some(At(10)),
            attempts: failures + 1,
            failures,
            failed_at: failed_at.map(At),
            earlier: vec![(visit(1), 1)],
            heard_at: None,
            is_anew: false,
        }
    }

    /// Which run carries its file out, and which are told of, where these have begun and, where so, ended.
    fn seen(of: &InnerRuns, runs: &[(u32, u32, Option<i64>)]) -> (RunId, Vec<RunId>) {
        let child = |number: u32, failures: u32| child_run(&"outer".into(), &visit(number), 0, failures);
        let there: BTreeMap<RunId, Begun> = runs
            .iter()
            .map(|(number, failures, ended)| (child(*number, *failures), ended.map(At)))
            .collect();
        let look = |run: &RunId| Ok::<_, Infallible>(there.get(run).copied());
        let known = |run: &RunId| Ok::<_, Infallible>(there.get(run).map(|ended| (*ended, ())));
        let told = of.begun(0, known).unwrap().into_iter().map(|(run, ..)| run);
        (of.current(0, look).unwrap(), told.collect())
    }

    #[test]
    fn a_later_visit_goes_on_with_what_an_earlier_one_began() {
        let [first, own, again] =
            [(1, 0), (2, 0), (2, 1)].map(|(number, failures)| child_run(&"outer".into(), &visit(number), 0, failures));
        let none: [RunId; 0] = [];
        // It goes on, or has ended and nobody has heard how.
        let outer = second(0, None);
        assert_eq!(seen(&outer, &[(1, 0, None)]), (first.clone(), vec![first.clone()]));
        assert_eq!(seen(&outer, &[(1, 0, Some(9))]), (first.clone(), vec![first.clone()]));
        // That was heard, or what it was about was done again.
        let heard = InnerRuns {
            heard_at: Some(At(9)),
            ..second(0, None)
        };
        let anew = InnerRuns {
            is_anew: true,
            ..second(0, None)
        };
        for over in [&heard, &anew] {
            assert_eq!(seen(over, &[(1, 0, Some(9))]), (own.clone(), none.to_vec()));
            assert_eq!(seen(over, &[(1, 0, None)]), (first.clone(), vec![first.clone()]));
        }
        // It ended in this visit, and whoever drove that came no further.
        assert_eq!(seen(&outer, &[(1, 0, Some(11))]), (first.clone(), vec![first.clone()]));
        // That end was counted: the next attempt begins anew.
        let failed = second(1, Some(12));
        assert_eq!(seen(&failed, &[(1, 0, Some(11))]), (again.clone(), vec![first.clone()]));
        assert_eq!(
            seen(&failed, &[(2, 0, Some(11)), (2, 1, None)]),
            (again.clone(), vec![own.clone(), again])
        );
        // Nothing of an earlier visit is left once this one has a run of its own.
        let left = |of: &InnerRuns, runs: &[(u32, u32, Option<i64>)]| {
            let child = |number: u32, failures: u32| child_run(&"outer".into(), &visit(number), 0, failures);
            let look = |run: &RunId| {
                let found = runs
                    .iter()
                    .find(|(number, failures, _)| child(*number, *failures) == *run);
                Ok::<_, Infallible>(found.map(|(.., ended)| ended.map(At)))
            };
            of.unheard(0, look).unwrap()
        };
        assert_eq!(left(&outer, &[(1, 0, Some(9))]), Some(first.clone()));
        assert_eq!(left(&outer, &[(1, 0, Some(11))]), Some(first.clone()));
        assert_eq!(left(&heard, &[(1, 0, Some(9))]), None);
        assert_eq!(left(&outer, &[(1, 0, None)]), None);
        assert_eq!(left(&outer, &[(1, 0, Some(9)), (2, 0, Some(11))]), None);
        // It failed for another reason while the run inside went on.
        assert_eq!(seen(&failed, &[(2, 0, None)]), (own.clone(), vec![own]));
    }
}
