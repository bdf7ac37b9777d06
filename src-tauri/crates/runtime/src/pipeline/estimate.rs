//! How long a pipeline takes, from past runs of the same one (seed 004 "Estimated duration", "Estimated remaining").
//!
//! A stage is expected to take the median of what it took in past runs. What remains is the longest chain of stages that have
//! not ended, and at least the sum of those that run one at a time. All of it is an estimate and is said to be one.

use crate::{inside, source};
use dialect::pipeline::id::PipelineId;
use engine::{At, RunId, RunState, StageEnd, waited_ms};
use history::Live;
use model::{Control, Step, StepId, Workflow};
use std::collections::{BTreeMap, BTreeSet};
use store::{RunFilter, RunRow, Store};

/// Past runs that are looked at, those that began last.
const MOST_RUNS: usize = 10;
/// Runs inside runs are looked into no deeper than this.
const DEEPEST: u32 = 8;
/// Runs among which such with the same stages are looked for.
const MOST_LOOKED_AT: usize = 60;

/// All runs of pipelines but one.
fn others(store: &Store, except: Option<&RunId>) -> Result<Vec<RunRow>, store::Error> {
    let mut rows = store.runs(&RunFilter::default())?;
    rows.retain(|row| row.format.contract().control == Control::Stages && Some(&row.run) != except);
    Ok(rows)
}

/// Runs of pipelines, and how many events each has.
pub type Reach = Vec<(RunId, u64)>;

/// How long the stages of a pipeline took in past runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Past {
    durations: BTreeMap<StepId, Vec<u64>>,
    runs: u32,
}

/// How long something is expected to take.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Estimate {
    /// Milliseconds; absent: of no stage that is left it is known how long it takes.
    pub ms: Option<u64>,
    /// From how many past runs.
    pub runs: u32,
    /// The longest chain of the stages that have not ended.
    pub path: Vec<StepId>,
    /// Of the stages that have not ended those of which nothing is known; they are counted as nothing.
    pub unknown: Vec<StepId>,
}

impl Past {
    /// The past of a pipeline: of the runs of pipelines of the same sanitised name, else of those with the same stages. `except`: a
    /// run that is no past one. Scripted runs say nothing of durations.
    ///
    /// # Errors
    /// What the store reports.
    pub fn of(store: &Store, workflow: &Workflow, except: Option<&RunId>) -> Result<Self, store::Error> {
        let others = others(store, except)?;
        let name = |id: &str| PipelineId::parse(id).ok().map(|id| id.name().to_owned());
        let mut past = Self::default();
        if let Some(wanted) = name(workflow.id.as_str()) {
            let same = others
                .iter()
                .filter(|row| name(row.workflow.as_str()).as_ref() == Some(&wanted));
            past.take(store, same, |_| true)?;
        }
        if past.runs == 0 {
            let stages = names(workflow);
            let alike = |run: &RunId| source::workflow_of(store, run).is_ok_and(|other| names(&other) == stages);
            past.take(store, others.iter().take(MOST_LOOKED_AT), alike)?;
        }
        Ok(past)
    }

    /// How far each run goes from which [`Past::of`] is taken: as long as this stays the same, so does the past.
    ///
    /// # Errors
    /// What the store reports.
    pub fn reach(store: &Store, except: Option<&RunId>) -> Result<Reach, store::Error> {
        let others = others(store, except)?;
        Ok(others.into_iter().map(|row| (row.run, row.seq)).collect())
    }

    /// From how many past runs.
    pub fn runs(&self) -> u32 {
        self.runs
    }

    fn take<'a>(
        &mut self,
        store: &Store,
        rows: impl Iterator<Item = &'a RunRow>,
        fits: impl Fn(&RunId) -> bool,
    ) -> Result<(), store::Error> {
        for row in rows {
            if self.runs as usize == MOST_RUNS {
                break;
            }
            if !fits(&row.run) {
                continue;
            }
            let state = Live::open(store, &row.run)?.into_state();
            let scripted = state.created.as_deref().is_none_or(|created| created.is_rehearsal());
            if !scripted && self.learn(store, &state) {
                self.runs += 1;
            }
        }
        Ok(())
    }

    /// Takes over how long the completed stages of a run took; `false` when there is none. What was waited for people in the runs inside is no
    /// work either.
    fn learn(&mut self, store: &Store, state: &RunState) -> bool {
        let mut found = false;
        for (step, stage) in state.stages.iter() {
            let completed = stage.settled.as_ref().is_some_and(|s| s.status == StageEnd::Completed);
            if let Some(took) = completed.then(|| took(state, step)).flatten() {
                let worked = took.saturating_sub(waited_inside(store, state, step));
                self.durations.entry(step.clone()).or_default().push(worked);
                found = true;
            }
        }
        found
    }

    /// How long a stage takes, by the median of the past; absent: it was never completed.
    pub fn typical(&self, step: &StepId) -> Option<u64> {
        let mut took = self.durations.get(step)?.clone();
        took.sort_unstable();
        let middle = took.len() / 2;
        let upper = took.get(middle).copied()?;
        Some(match took.len() % 2 {
            1 => upper,
            _ => u64::midpoint(took[middle - 1], upper),
        })
    }

    /// How long the rest of a run takes; of a pipeline that has not been started the whole of it. `at_work`: the moment, where somebody carries
    /// the run on; what was begun and is carried on by nobody is to be done again.
    pub fn remaining(&self, workflow: &Workflow, state: &RunState, at_work: Option<At>) -> Estimate {
        let left = |step: &Step| -> Option<Option<u64>> {
            let settled = state.stages.get(&step.id).is_some_and(|stage| stage.settled.is_some());
            if settled {
                return None;
            }
            let running = state.steps.get(&step.id).and_then(|s| s.visits.last());
            let running = running.filter(|visit| visit.attempts.last().is_some_and(|a| a.ended_at.is_none()));
            let since = running
                .and_then(|visit| visit.attempts.first())
                .zip(at_work)
                .map_or(0, |(first, now)| now.since_ms(first.started_at));
            Some(self.typical(&step.id).map(|typical| typical.saturating_sub(since)))
        };
        let path = workflow.critical_path(|step| left(step).flatten().unwrap_or(0));
        let open: Vec<&Step> = workflow.steps().iter().filter(|step| left(step).is_some()).collect();
        let alone = open
            .iter()
            .filter(|step| !step.parallel)
            .filter_map(|step| left(step).flatten());
        let one_by_one = alone.fold(0_u64, u64::saturating_add);
        let unknown: Vec<StepId> = open
            .iter()
            .filter(|s| left(s) == Some(None))
            .map(|s| s.id.clone())
            .collect();
        let known = open.is_empty() || unknown.len() < open.len();
        Estimate {
            ms: known.then(|| path.duration_ms.max(one_by_one)),
            runs: self.runs,
            path: path
                .steps
                .into_iter()
                .filter(|id| open.iter().any(|step| step.id == *id))
                .collect(),
            unknown,
        }
    }

    /// The longest chain of all stages: by what they took in this run, else by the past; where nothing is known a stage counts one.
    pub fn critical_path(&self, workflow: &Workflow, state: &RunState) -> Vec<StepId> {
        let known = |step: &Step| took(state, &step.id).or_else(|| self.typical(&step.id));
        // The one more lets stages count that took no time, or of which nothing is known.
        let path = workflow.critical_path(|step| known(step).unwrap_or(0).saturating_add(1));
        path.steps
    }
}

/// From the beginning of a stage's last visit to its end; what it waited for a person is not counted.
pub fn took(state: &RunState, step: &StepId) -> Option<u64> {
    let visit = state.steps.get(step)?.visits.last()?;
    let begun = visit.attempts.first()?.started_at;
    let ended = visit.attempts.last()?.ended_at?;
    // A person may have been asked between two attempts.
    let rounds = state.gates.values().flatten();
    let asked = rounds.filter(|round| round.opened.instance == visit.instance);
    let waited = asked.filter_map(|round| {
        let answered = round.answer.as_ref().map(|(_, at)| *at)?;
        Some(answered.min(ended).since_ms(round.opened_at.max(begun)))
    });
    Some(
        ended
            .since_ms(begun)
            .saturating_sub(waited.fold(0, u64::saturating_add)),
    )
}

/// How long people were waited for in the runs that carried out a stage's last visit while nothing was at work in them, however deep they lie,
/// milliseconds. One that cannot be read says nothing.
fn waited_inside(store: &Store, state: &RunState, step: &StepId) -> u64 {
    let visit = state.steps.get(step).and_then(|held| held.visits.last());
    let last = visit.and_then(|visit| visit.attempts.last());
    let result = last.and_then(|attempt| attempt.result.as_deref());
    let runs = result.into_iter().flat_map(|result| inside::runs(&result.report));
    let waited = runs.filter_map(|run| {
        let inner = Live::open(store, &run).ok()?.into_state();
        let ended = inner.ended_at?;
        let mut within = BTreeMap::new();
        look_inside(store, &inner, DEEPEST, &mut within);
        let within: Vec<&RunState> = within.values().collect();
        Some(waited_ms(&inner, &within, ended))
    });
    waited.fold(0, u64::saturating_add)
}

/// Adds the runs that carried out steps of a run, however deep they lie; those that cannot be read are left out.
fn look_inside(store: &Store, state: &RunState, deep: u32, found: &mut BTreeMap<RunId, RunState>) {
    let visits = state.steps.values().flat_map(|held| &held.visits);
    let results = visits
        .flat_map(|visit| &visit.attempts)
        .filter_map(|attempt| attempt.result.as_deref());
    for run in results.flat_map(|result| inside::runs(&result.report)) {
        // Of several attempts each may name the same one.
        if deep == 0 || found.contains_key(&run) {
            continue;
        }
        let Ok(inner) = Live::open(store, &run).map(Live::into_state) else {
            continue;
        };
        look_inside(store, &inner, deep - 1, found);
        found.insert(run, inner);
    }
}

fn names(workflow: &Workflow) -> BTreeSet<&str> {
    workflow.steps().iter().map(|step| step.id.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dialect::Document;
    use engine::{Settled, Stage};
    use std::sync::Arc;

    fn diamond(parallel: bool) -> Workflow {
        let stage = |name: &str, needs: &str| {
            format!("  - {{name: {name}, agents: [dev], parallel: {parallel}, depends_on: [{needs}]}}\n")
        };
        let stages = [("a", ""), ("b", "a"), ("c", "a"), ("d", "b, c")].map(|(name, needs)| stage(name, needs));
        let text = format!("stages:\n{}", stages.concat());
        Document::parse("x.yaml", &text).workflow().clone()
    }

    fn past(of: &[(&str, &[u64])]) -> Past {
        let durations = of.iter().map(|(step, took)| (StepId::new(*step), took.to_vec()));
        Past {
            durations: durations.collect(),
            runs: 3,
        }
    }

    fn ids(ids: &[StepId]) -> String {
        ids.iter().map(StepId::as_str).collect::<Vec<_>>().join(" ")
    }

    fn completed(steps: &[&str]) -> RunState {
        let stage = |step: &str| Stage {
            settled: Some(Arc::new(Settled {
                step: step.into(),
                status: StageEnd::Completed,
                because: None,
                error: None,
                rejected: false,
                spared: None,
            })),
            ..Stage::default()
        };
        RunState {
            stages: steps.iter().map(|step| (StepId::new(*step), stage(step))).collect(),
            ..RunState::default()
        }
    }

    #[test]
    fn a_stage_takes_the_median_of_the_past() {
        let past = past(&[("a", &[9, 1, 2]), ("b", &[10, 20]), ("c", &[u64::MAX, u64::MAX])]);
        assert_eq!(past.typical(&"a".into()), Some(2));
        assert_eq!(past.typical(&"b".into()), Some(15));
        assert_eq!(past.typical(&"c".into()), Some(u64::MAX));
        assert_eq!(past.typical(&"none".into()), None);
    }

    #[test]
    fn the_longest_chain_remains_or_the_sum_of_what_runs_alone() {
        let past = past(&[("a", &[10]), ("b", &[50]), ("c", &[30]), ("d", &[5])]);
        let left = |workflow: &Workflow, done: &[&str]| past.remaining(workflow, &completed(done), None);
        let beside = left(&diamond(true), &[]);
        assert_eq!((beside.ms, ids(&beside.path)), (Some(65), "a b d".to_owned()));
        assert_eq!(left(&diamond(false), &[]).ms, Some(95), "one at a time");
        let later = left(&diamond(true), &["a", "b"]);
        assert_eq!((later.ms, ids(&later.path)), (Some(35), "c d".to_owned()));
        let end = left(&diamond(true), &["a", "b", "c", "d"]);
        assert_eq!((end.ms, end.path, end.unknown), (Some(0), vec![], vec![]));
    }

    #[test]
    fn what_is_not_known_is_said() {
        let workflow = diamond(true);
        let none = Past::default().remaining(&workflow, &RunState::default(), None);
        assert_eq!((none.ms, ids(&none.unknown)), (None, "a b c d".to_owned()));
        let some = past(&[("a", &[10])]).remaining(&workflow, &RunState::default(), None);
        assert_eq!((some.ms, ids(&some.unknown)), (Some(10), "b c d".to_owned()));
        assert_eq!(
            ids(&Past::default().critical_path(&workflow, &RunState::default())),
            "a b d"
        );
    }
}
