//! Runs that were recorded here and that the history does not have any more: an older one was put in its place, or it was deleted.

use crate::words::some_of;
use crate::{ApiError, Studio};
use engine::RunId;
use std::collections::BTreeSet;

/// How that comes about.
const WHY: &str = "an older history was put in its place, or it was deleted";

/// What can be done.
const PUT_BACK: &str = "Who has the newer one, or a backup of it, puts it back with `gatehouse restore FILE`.";

impl Studio {
    /// Runs that this person's Gatehouse has seen here, or whose files lie in the project, and that the history has neither in its list nor as a
    /// log. Of the runs of others whose files are gone too nobody here knows. In what was handed over nothing is missed.
    fn missing_runs(&self) -> Result<BTreeSet<RunId>, ApiError> {
        let store = &self.0.store;
        let mut missing = BTreeSet::new();
        if store.project().is_none() || self.is_handed_over() {
            return Ok(missing);
        }
        let folders = store.run_folders();
        let ids = store.ids()?;
        let seen = self.0.identity.remembered(&self.0.root, |run| ids.contains(run));
        let is_lacking = |run: &RunId| !ids.contains(run);
        let seen = seen.into_iter().filter(is_lacking);
        let left = folders.into_iter().filter(is_lacking);
        for run in seen.chain(left.filter(|run| store.has_files(run))) {
            // The list alone may have lost it, and one that began meanwhile is there by now.
            if store.logged(run.as_str())?.is_none() {
                missing.insert(run);
            }
        }
        Ok(missing)
    }

    /// Which runs were recorded here that the history does not have any more, and what can be done: some sentences; `None`: it has all that anybody
    /// here knows of.
    ///
    /// # Errors
    /// What the store reports.
    pub fn missing(&self) -> Result<Option<String>, ApiError> {
        let missing = self.missing_runs()?;
        let with_files = missing.iter().filter(|run| self.0.store.has_files(run)).count();
        let names: Vec<&str> = missing.iter().map(RunId::as_str).collect();
        Ok(Some(match names.as_slice() {
            [] => return Ok(None),
            [one] => format!(
                "Run {one} was recorded here, and the history does not have it any more: {WHY}. {PUT_BACK}{}",
                match with_files {
                    0 => String::new(),
                    _ => format!(" Its files still lie in `.gatehouse/runs/{one}`."),
                }
            ),
            many => format!(
                "{} runs were recorded here, and the history does not have them any more ({}): {WHY}. {PUT_BACK}{}",
                many.len(),
                some_of(many),
                match with_files {
                    0 => String::new(),
                    n if n == many.len() => " Their files still lie in `.gatehouse/runs`.".to_owned(),
                    n => format!(" The files of {n} of them still lie in `.gatehouse/runs`."),
                }
            ),
        }))
    }

    /// What is said to whoever asks for one of them, by its id or the beginning of it; `None`: it is none.
    pub(crate) fn missed(&self, id: &str) -> Option<ApiError> {
        let id = Some(id.to_ascii_lowercase()).filter(|id| !id.is_empty())?;
        let missing = self.missing_runs().ok()?;
        let mut fit = missing.iter().filter(|run| run.as_str().starts_with(&id));
        let run = fit.next().filter(|_| fit.next().is_none())?;
        let hint = match self.0.store.has_files(run) {
            true => format!("{PUT_BACK} What its files tell of it lies in `.gatehouse/runs/{run}`."),
            false => PUT_BACK.to_owned(),
        };
        let what = format!("Run {run} was recorded here, and the history does not have it any more: {WHY}.");
        Some(ApiError::new("not_found", what).hint(hint))
    }
}
