//! Finding a run and its log.

use crate::lock::lock;
use crate::run::history::History;
use crate::run::row_view::UnlistedView;
use crate::{ApiError, Studio};
use engine::RunId;
use std::sync::Arc;

impl Studio {
    /// Finds a run by its id or the beginning of one.
    pub(crate) fn find_run(&self, id: &str) -> Result<RunId, ApiError> {
        if let Some(row) = self.0.store.run(id)? {
            return Ok(row.run);
        }
        Err(match self.0.store.logged(id)? {
            // The list has it and says of it what no run can be: what it is, its log says.
            Some(run) if self.0.store.head(&run)?.is_some() => return Ok(run),
            Some(run) => ApiError::new(
                "not_listed",
                format!("Run {run} is missing from the list of runs, though its log is there."),
            )
            .hint(match self.is_handed_over() {
                true => format!("`gatehouse verify {run}` says what is wrong with it."),
                false => format!(
                    "`gatehouse rebuild {run}` lists it again; `gatehouse verify {run}` says what is wrong with it."
                ),
            }),
            None => self.missed(id).unwrap_or_else(|| {
                ApiError::new("not_found", format!("There is no run {id} in this project.")).hint(
                    "It may belong to another folder. The page Runs, or `gatehouse list`, shows those of this one.",
                )
            }),
        })
    }

    /// The same of one that only its log tells of, because the list of runs has lost it.
    pub(crate) fn find_logged(&self, id: &str) -> Result<RunId, ApiError> {
        match self.find_run(id) {
            Err(error) if error.code == "not_listed" => self.0.store.logged(id)?.ok_or(error),
            found => found,
        }
    }

    /// Runs that the list of runs has lost, each as a sentence, and those that the history does not have any more; and those of which only files
    /// are there.
    ///
    /// # Errors
    /// What the store reports.
    pub fn unlisted(&self) -> Result<UnlistedView, ApiError> {
        let lost = self.0.store.unlisted()?.into_iter();
        let what = match self.is_handed_over() {
            true => ("verify", "says what is wrong with it"),
            false => ("rebuild", "lists it again"),
        };
        let lost = lost.map(|run| {
            format!(
                "Run {run} is missing from this list, though its log is there. `gatehouse {} {run}` {}.",
                what.0, what.1
            )
        });
        let (missing, left) = self.missing_and_left()?;
        Ok(UnlistedView {
            words: lost.chain(missing).collect(),
            notes: left.into_iter().collect(),
        })
    }

    /// Why the files of a run could not be written, as a sentence.
    pub fn unwritten(&self, run: &RunId) -> Option<String> {
        let why = self.0.store.unwritten(run).ok().flatten()?;
        let why = why.trim_end_matches('.');
        Some(format!(
            "The files of this run could not be written: {why}. Its record is whole; `gatehouse rebuild {run}` writes them once they can be, and so \
             does whoever goes on with it."
        ))
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
        self.know_altered(&fresh);
        self.keep(&fresh);
        Ok(fresh)
    }

    /// The same for whoever may never look at it again: it takes the place of none that is looked at again and again.
    pub(crate) fn glance(&self, id: &str) -> Result<Arc<History>, ApiError> {
        let run = self.find_run(id)?;
        let is_known = lock(&self.0.runs.histories).contains_key(&run);
        match is_known {
            true => self.history(run.as_str()),
            false => {
                let read = Arc::new(History::open(&self.0.store, &run)?);
                self.know_altered(&read);
                Ok(read)
            }
        }
    }

    /// Keeps in mind that the record of a run is not what was written down, where its log was read and shows it.
    fn know_altered(&self, history: &History) {
        if history.altered().is_some() {
            lock(&self.0.runs.altered).insert(history.id().clone());
        }
    }

    /// Whether that is known of a run. None is verified for it.
    pub(crate) fn is_known_altered(&self, run: &RunId) -> bool {
        lock(&self.0.runs.altered).contains(run)
    }

    /// That, in two sentences; `None`: nothing of it is known.
    pub(crate) fn altered_words(&self, history: &History) -> Option<String> {
        let what = match history.altered() {
            Some(seq) => format!("event {seq} was changed, or events before it are missing"),
            None if self.is_known_altered(history.id()) => "verifying it has found differences".to_owned(),
            None => return None,
        };
        Some(format!(
            "The record of this run is not what was written down ({what}): do not rely on what is shown of it. `gatehouse verify {}`, or Verify on \
             the page of its report, says what is wrong.",
            history.id()
        ))
    }

    /// Keeps a log: it will be looked at again.
    fn keep(&self, history: &Arc<History>) {
        let mut cache = lock(&self.0.runs.histories);
        // Bounded: a handful of runs are looked at, not all of them.
        if cache.len() > 32 && !cache.contains_key(history.id()) {
            cache.clear();
        }
        cache.insert(history.id().clone(), Arc::clone(history));
    }
}

#[cfg(test)]
mod tests;
