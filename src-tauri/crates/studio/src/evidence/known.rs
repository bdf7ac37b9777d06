//! What the runs of a project recorded, read from each log once and again only when it has grown.

use crate::studio::lock;
use crate::{ApiError, Studio};
use dialect::Document;
use engine::RunState;
use std::sync::Arc;
use store::{RunFilter, RunRow};

/// What is known of a run's log.
#[derive(Clone)]
pub(crate) struct Known {
    /// Up to which event it was read.
    seq: u64,
    /// Absent: it recorded no evidence.
    recorded: Option<Recorded>,
}

/// A run that recorded evidence.
#[derive(Clone)]
pub(super) struct Recorded {
    /// The workflow in the version it kept.
    pub document: Arc<Document>,
    /// Its state, without what its steps said and made.
    pub state: Arc<RunState>,
}

impl Studio {
    /// The runs that recorded evidence, latest first; or the one that is named, if it did.
    pub(super) fn recorded(&self, named: Option<&str>) -> Result<Vec<Recorded>, ApiError> {
        let named = named.map(|id| self.find_run(id)).transpose()?;
        let mut rows = self.0.store.runs(&RunFilter::default())?;
        rows.retain(|row| row.format.contract().lifecycle && named.as_ref().is_none_or(|run| *run == row.run));
        let all = rows.iter().map(|row| self.recorded_by(row));
        all.filter_map(Result::transpose).collect()
    }

    fn recorded_by(&self, row: &RunRow) -> Result<Option<Recorded>, ApiError> {
        let known = lock(&self.0.evidence).get(&row.run).cloned();
        if let Some(known) = known.filter(|known| known.seq == row.seq) {
            return Ok(known.recorded);
        }
        let history = self.history(row.run.as_str())?;
        let mut state = history.state(None);
        state.steps.clear();
        state.routes.clear();
        let seq = state.seq;
        let recorded = (!state.evidence.is_empty()).then(|| Recorded {
            document: Arc::clone(&history.document),
            state: Arc::new(state),
        });
        let known = Known {
            seq,
            recorded: recorded.clone(),
        };
        lock(&self.0.evidence).insert(row.run.clone(), known);
        Ok(recorded)
    }
}
