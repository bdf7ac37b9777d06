//! Who worked beside a run that wants four eyes: around it and in other runs there since it began, and inside it in runs of which no step of it has
//! told. Its own log says nothing of them; their logs do.

use crate::lock::lock;
use crate::run::cache::Worked;
use crate::run::history::History;
use crate::settings::identity::Person;
use crate::{ApiError, Studio};
use engine::{Decision, Hand, Refusal, RefusalCode, RunId, RunState, TookPart};
use model::Work;
use runtime::executor::InnerRuns;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Who looks at what people are asked, and what is found out once in this look.
pub(crate) struct Onlooker {
    pub person: Arc<Person>,
    /// By the run around all others: the runs of its tree, and who worked in them.
    trees: HashMap<RunId, (BTreeSet<RunId>, Arc<[TookPart]>)>,
}

/// Runs that were looked at, and who worked in them.
#[derive(Default)]
struct Tree {
    runs: BTreeSet<RunId>,
    by: Vec<TookPart>,
}

/// A refusal of whoever worked beside a run.
fn refused(why: Option<String>) -> Result<(), ApiError> {
    match why {
        Some(why) => Err(Refusal::new(RefusalCode::FourEyes, why).into()),
        None => Ok(()),
    }
}

impl Studio {
    /// Whoever is at this window begins to look at what people are asked.
    pub(crate) fn onlooker(&self) -> Onlooker {
        Onlooker {
            person: Arc::new(self.0.identity.person()),
            trees: HashMap::new(),
        }
    }

    /// Who has carried out steps of this run, of those around it and of all that run inside these, by what their logs say now, the nearest first.
    /// Nobody where one person may do it all. `state`: how the run stands.
    ///
    /// # Errors
    /// What the store reports and passes. A run that cannot be read tells nothing.
    pub(crate) fn worked_beside(&self, history: &History, state: &RunState) -> Result<Arc<[TookPart]>, ApiError> {
        match state.wants_four_eyes() {
            true => self.all_beside(history.id()),
            false => Ok(Arc::default()),
        }
    }

    /// The same of a run that wants four eyes, as a set: in one look it is gathered once for all runs of a tree.
    pub(crate) fn beside_in(&self, look: &mut Onlooker, run: &RunId) -> Result<Arc<[TookPart]>, ApiError> {
        let (runs, by) = match look.trees.entry(self.outermost(run)?) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let mut tree = Tree::default();
                let outermost = place.key();
                self.workers_of(outermost, self.last_of(outermost)?, &mut tree)?;
                place.insert((tree.runs, tree.by.into()))
            }
        };
        match runs.contains(run) {
            true => Ok(Arc::clone(by)),
            // It is not found from above: its step goes by another one, or its log says what is not so.
            false => self.all_beside(run),
        }
    }

    /// The same whatever the run wants: a run that goes on from it may want four eyes by then.
    ///
    /// # Errors
    /// As [`Studio::worked_beside`].
    pub(crate) fn all_beside(&self, run: &RunId) -> Result<Arc<[TookPart]>, ApiError> {
        let mut tree = Tree::default();
        for run in std::iter::once(run.clone()).chain(self.around(run)?) {
            self.workers_of(&run, self.last_of(&run)?, &mut tree)?;
        }
        Ok(tree.by.into())
    }

    /// How many events a run has.
    fn last_of(&self, run: &RunId) -> Result<u64, ApiError> {
        Ok(self.0.store.head(run)?.map_or(0, |head| head.seq))
    }

    /// Who worked in a run and in those inside it. What a log says of the runs around it may be made up: each is looked at once. `last`: how many
    /// events it has.
    fn workers_of(&self, run: &RunId, last: u64, tree: &mut Tree) -> Result<(), ApiError> {
        if !tree.runs.insert(run.clone()) {
            return Ok(());
        }
        let Some(worked) = self.worked_in(run, last)? else {
            return Ok(());
        };
        tree.by.extend(worked.by.iter().cloned());
        for (runs, files) in &*worked.inside {
            for row in (0..*files).flat_map(|index| self.begun_of(runs, index)) {
                self.workers_of(&row.run, row.seq, tree)?;
            }
        }
        Ok(())
    }

    /// Who worked in a run, and where others run inside it. Its log is opened only where it has gone on since: many runs may wait at once, and
    /// each look at what people are asked comes here. `None`: it cannot be read. `last`: how many events it has.
    fn worked_in(&self, run: &RunId, last: u64) -> Result<Option<Worked>, ApiError> {
        let known = lock(&self.0.runs.worked).get(run).cloned();
        let history = match known {
            Some(known) if known.seq == last => return Ok(Some(known)),
            // It goes on.
            Some(_) => self.history(run.as_str()),
            // There may be very many, most of which have ended.
            None => self.glance(run.as_str()),
        };
        let of = match history {
            Ok(history) => history,
            Err(error) if error.passes() => return Err(error),
            Err(_) => return Ok(None),
        };
        let state = of.state(None);
        let steps = of.workflow().steps().iter();
        let visits = steps
            .filter(|step| matches!(step.work, Work::SubWorkflow { .. }))
            .flat_map(|step| state.visits_of(&step.id));
        let inside = visits.map(|visit| (InnerRuns::of(run, &state, &visit.instance), of.files_inside(visit)));
        let worked = Worked {
            seq: of.last(),
            by: state.worked().into(),
            inside: inside.collect(),
        };
        lock(&self.0.runs.worked).insert(run.clone(), worked.clone());
        Ok(Some(worked))
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
