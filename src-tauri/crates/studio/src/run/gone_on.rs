//! Runs that go on from a run: whoever looks at what was gone on from is to know it.

use crate::Studio;
use crate::lock::lock;
use crate::run::cache::Origin;
use crate::run::history::History;
use crate::text::safe;
use engine::{At, RunId, RunState};
use model::WorkflowId;
use std::collections::{HashMap, HashSet};
use store::WaitingRow;

impl Studio {
    /// That other runs of its workflow go on from this one, a sentence for each, in the order they began. `now`: how this one stands.
    pub(crate) fn gone_on_from(&self, history: &History, now: &RunState) -> Vec<String> {
        let (Some(created), Some(first)) = (history.created(), history.events().first()) else {
            return Vec::new();
        };
        // What cannot be listed says nothing.
        let later = self
            .0
            .store
            .begun_since(&created.workflow, first.at)
            .unwrap_or_default();
        self.learn_origins(&later);
        let origins = lock(&self.0.runs.origins);
        let others = later.iter().filter(|(run, _)| run != history.id());
        let said = others.filter_map(|(run, by)| {
            let (from, back_to) = origins.get(run)?.as_ref()?;
            (from == history.id()).then(|| sentence(run.as_str(), by, back_to.as_deref(), now.status.ended()))
        });
        said.collect()
    }

    /// The same of runs that wait for people, by run; most are not among them. Inboxes are looked at often: the runs of a workflow are listed once.
    pub(crate) fn gone_on_from_those(&self, waiting: &[WaitingRow]) -> HashMap<RunId, Vec<String>> {
        let mut begun: HashMap<&WorkflowId, At> = HashMap::new();
        for row in waiting {
            let first = begun.entry(&row.workflow).or_insert(row.begun_at);
            *first = row.begun_at.min(*first);
        }
        let waits: HashSet<&RunId> = waiting.iter().map(|row| &row.run).collect();
        let later: Vec<(RunId, String)> = begun
            .into_iter()
            .flat_map(|(workflow, since)| self.0.store.begun_since(workflow, since).unwrap_or_default())
            .collect();
        self.learn_origins(&later);
        let mut said: HashMap<RunId, Vec<String>> = HashMap::new();
        let origins = lock(&self.0.runs.origins);
        for (run, by) in &later {
            let origin = origins.get(run).and_then(Option::as_ref);
            if let Some((from, back_to)) = origin.filter(|(from, _)| from != run && waits.contains(from)) {
                let sentence = sentence(run.as_str(), by, back_to.as_deref(), false);
                said.entry(from.clone()).or_default().push(sentence);
            }
        }
        said
    }

    /// Reads from which run each of these goes on, and back to which checkpoint of it: that stands in its first event, which is read once. There
    /// may be very many, and nobody else waits meanwhile.
    fn learn_origins(&self, runs: &[(RunId, String)]) {
        let known = lock(&self.0.runs.origins);
        let unknown: Vec<&RunId> = runs
            .iter()
            .map(|(run, _)| run)
            .filter(|run| !known.contains_key(*run))
            .collect();
        drop(known);
        let origin = |run: &RunId| {
            let created = self.created(run)?;
            let earlier = created.continues.as_deref();
            let origin: Option<Origin> = earlier.map(|earlier| (earlier.run().clone(), earlier.back_to.clone()));
            Some((run.clone(), origin))
        };
        let read: Vec<_> = unknown.into_iter().filter_map(origin).collect();
        lock(&self.0.runs.origins).extend(read);
    }
}

fn sentence(run: &str, by: &str, back_to: Option<&str>, ended: bool) -> String {
    let by = match by.trim() {
        "" => String::new(),
        by => format!(", which {} began,", safe::plain(by)),
    };
    let how = match back_to {
        Some(checkpoint) => format!("goes back to “{}” of this one", safe::in_quotes(checkpoint)),
        None => "goes on from this one".to_owned(),
    };
    let open = match ended {
        true => "",
        false => " This one has not ended: it asks and works beside that one until somebody stops it.",
    };
    format!("Run {}{by} {how}.{open}", safe::visible(run))
}
