//! Finding a run and its log.

use crate::lock::lock;
use crate::run::history::History;
use crate::{ApiError, Studio};
use engine::RunId;
use std::sync::Arc;

impl Studio {
    /// Finds a run by its id or the beginning of one.
    pub(crate) fn find_run(&self, id: &str) -> Result<RunId, ApiError> {
        self.0.store.run(id)?.map(|row| row.run).ok_or_else(|| {
            ApiError::new("not_found", format!("There is no run {id} in this project."))
                .hint("It may belong to another folder. The page Runs, or `gatehouse list`, shows those of this one.")
        })
    }

    /// The log of a run as it is now.
    pub(crate) fn history(&self, id: &str) -> Result<Arc<History>, ApiError> {
        let run = self.find_run(id)?;
        let known = lock(&self.0.runs.histories).get(&run).cloned();
        let store = &self.0.store;
        let fresh = match known {
            Some(known) if store.head(&run)?.is_none_or(|head| head.seq <= known.last()) => return Ok(known),
            Some(known) => {
                // Grown in place where nobody looks at it.
                lock(&self.0.runs.histories).remove(&run);
                let mut known = Arc::unwrap_or_clone(known);
                known.catch_up(store)?;
                known
            }
            None => History::open(store, &run)?,
        };
        let fresh = Arc::new(fresh);
        let mut cache = lock(&self.0.runs.histories);
        // Bounded: a handful of runs are looked at, not all of them.
        if cache.len() > 32 {
            cache.clear();
        }
        cache.insert(run, Arc::clone(&fresh));
        Ok(fresh)
    }
}
