//! Runs that go on from a run: whoever looks at what was gone on from is to know it.

use crate::Studio;
use crate::lock::lock;
use crate::run::cache::Origin;
use crate::run::history::History;
use crate::text::safe;
use engine::{RunId, RunState};

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
        let others = later.into_iter().filter(|(run, _)| run != history.id());
        let said = others.filter_map(|(run, by)| {
            let (from, back_to) = self.origin(&run)?;
            (from == *history.id()).then(|| sentence(run.as_str(), &by, back_to.as_deref(), now))
        });
        said.collect()
    }

    /// From which run one goes on, and back to which checkpoint of it: that stands in its first event, which is read once.
    fn origin(&self, run: &RunId) -> Option<Origin> {
        let known = lock(&self.0.runs.origins).get(run).cloned();
        if let Some(known) = known {
            return known;
        }
        let created = self.created(run)?;
        let earlier = created.continues.as_deref();
        let origin = earlier.map(|earlier| (earlier.run().clone(), earlier.back_to.clone()));
        lock(&self.0.runs.origins).insert(run.clone(), origin.clone());
        origin
    }
}

fn sentence(run: &str, by: &str, back_to: Option<&str>, now: &RunState) -> String {
    let by = match by.trim() {
        "" => String::new(),
        by => format!(", which {} began,", safe::plain(by)),
    };
    let how = match back_to {
        Some(checkpoint) => format!("goes back to “{}” of this one", safe::in_quotes(checkpoint)),
        None => "goes on from this one".to_owned(),
    };
    let open = match now.status.ended() {
        true => "",
        false => " This one has not ended: it asks and works beside that one until somebody stops it.",
    };
    format!("Run {}{by} {how}.{open}", safe::visible(run))
}
