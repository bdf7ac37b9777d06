//! Runs that the history has nothing of: those that this person's Gatehouse has seen here, which an older history that was put in its place, or its
//! deletion, took away, and those of which only files lie in the project, which may have come with another copy of it.

use crate::words::some_of;
use crate::{ApiError, Studio};
use engine::RunId;
use std::collections::BTreeSet;

/// How that comes about.
const WHY: &str = "the history was replaced by an older one, or deleted";

/// What can be done.
const PUT_BACK: &str = "Who has the newer one, or a backup of it, puts it back with `gatehouse restore FILE`.";

/// Where files come from of whose run nothing else is here, if it was never recorded here.
const FROM_ELSEWHERE: &str = "they came from another copy of the project (Git, a colleague)";

/// What the history has neither in its list nor as a log.
#[derive(Default)]
struct Missing {
    /// Runs that this person's Gatehouse has seen here. Of the runs of others whose files are gone too nobody here knows.
    seen: BTreeSet<RunId>,
    /// Those of which nothing but files tells that there was one.
    left: BTreeSet<RunId>,
}

impl Studio {
    /// What is missing. In what was handed over nothing is missed.
    fn missing_runs(&self) -> Result<Missing, ApiError> {
        let store = &self.0.store;
        let mut missing = Missing::default();
        if store.project().is_none() || self.is_handed_over() {
            return Ok(missing);
        }
        let folders = store.run_folders();
        let ids = store.ids()?;
        // The list alone may have lost it, and one that began meanwhile is there by now.
        let is_lacking =
            |run: &RunId| -> Result<bool, ApiError> { Ok(!ids.contains(run) && store.logged(run.as_str())?.is_none()) };
        for run in self.0.identity.remembered(&self.0.root, |run| ids.contains(run)) {
            if is_lacking(&run)? {
                missing.seen.insert(run);
            }
        }
        for run in folders {
            if !missing.seen.contains(&run) && is_lacking(&run)? && store.has_files(&run) {
                missing.left.insert(run);
            }
        }
        Ok(missing)
    }

    /// Which runs this person's Gatehouse has seen here that the history does not have any more, and what can be done: some sentences; `None`: it
    /// has all of them.
    ///
    /// # Errors
    /// What the store reports.
    pub fn missing(&self) -> Result<Option<String>, ApiError> {
        Ok(self.gone(&self.missing_runs()?.seen))
    }

    /// The same, and of which runs nothing but files lies in the project, in a sentence; `None`: of none. That is no fault: a project may keep those
    /// files in Git.
    pub(crate) fn missing_and_left(&self) -> Result<(Option<String>, Option<String>), ApiError> {
        let Missing { seen, left } = self.missing_runs()?;
        Ok((self.gone(&seen), left_alone(&left)))
    }

    fn gone(&self, seen: &BTreeSet<RunId>) -> Option<String> {
        let with_files = seen.iter().filter(|run| self.0.store.has_files(run)).count();
        let names: Vec<&str> = seen.iter().map(RunId::as_str).collect();
        Some(match names.as_slice() {
            [] => return None,
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
        })
    }

    /// What is said to whoever asks for one of them, by its id or the beginning of it; `None`: it is none.
    pub(crate) fn missed(&self, id: &str) -> Option<ApiError> {
        let id = Some(id.to_ascii_lowercase()).filter(|id| !id.is_empty())?;
        let Missing { seen, left } = self.missing_runs().ok()?;
        let mut fit = seen.iter().chain(&left).filter(|run| run.as_str().starts_with(&id));
        let run = fit.next().filter(|_| fit.next().is_none())?;
        if left.contains(run) {
            let hint = format!("What its files tell of it can be read in `.gatehouse/runs/{run}`.");
            return Some(ApiError::new("not_found", files_alone(run.as_str())).hint(hint));
        }
        let hint = match self.0.store.has_files(run) {
            true => format!("{PUT_BACK} What its files tell of it lies in `.gatehouse/runs/{run}`."),
            false => PUT_BACK.to_owned(),
        };
        let what = format!("Run {run} was recorded here, and the history does not have it any more: {WHY}.");
        Some(ApiError::new("not_found", what).hint(hint))
    }
}

/// What is said of runs of which nothing but files is here; `None`: there are none.
fn left_alone(left: &BTreeSet<RunId>) -> Option<String> {
    let names: Vec<&str> = left.iter().map(RunId::as_str).collect();
    match names.as_slice() {
        [] => None,
        [one] => Some(files_alone(one)),
        many => Some(format!(
            "The files of {} runs lie in `.gatehouse/runs`, and this history has none of them ({}): {FROM_ELSEWHERE}, or the history that had them was \
             deleted or replaced.",
            many.len(),
            some_of(many)
        )),
    }
}

/// What is said of a run of which nothing but files is here.
fn files_alone(run: &str) -> String {
    format!(
        "The files of run {run} lie in `.gatehouse/runs`, and this history does not have it: {FROM_ELSEWHERE}, or the history that had it was deleted \
         or replaced."
    )
}
