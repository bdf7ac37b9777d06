//! The run of a pipeline's file: a file has one, which goes on when it is resumed.

use crate::derived_id::derived_id;
use engine::{Event, RunId};
use serde_json::json;
use store::{RunFilter, RunRow, Store};

/// The id of the run of a pipeline's file (its path relative to the project, with `/`). It follows from the path, so that of two
/// programs that start the pipeline at once only one can create it.
pub fn run_id(path: &str) -> RunId {
    derived_id(&json!(["gatehouse-pipeline-run-v1", path]))
}

/// The run that a pipeline's file shows: the latest of its path that is no rehearsal; `None` when it was never started here.
///
/// # Errors
/// What the store reports.
pub fn run_of(store: &Store, path: &str) -> Result<Option<RunRow>, store::Error> {
    let filter = RunFilter {
        path: Some(path.to_owned()),
        ..RunFilter::default()
    };
    for row in store.runs(&filter)? {
        let first = store.events(&row.run, 0, 1)?.into_iter().next();
        let Some(Event::RunCreated(created)) = first.map(|stored| stored.event) else {
            continue;
        };
        if !created.is_rehearsal() && row.format.contract().state_in_file {
            return Ok(Some(row));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_one_run() {
        let a = run_id("pipelines/PIPE-20250101-a-000000.yaml");
        assert_eq!(a, run_id("pipelines/PIPE-20250101-a-000000.yaml"));
        assert_ne!(a, run_id("pipelines/PIPE-20250101-a-000001.yaml"));
        // A program of another version finds the same run.
        assert_eq!(a.as_str(), "6f8dd72e-b0b5-8b77-bbd8-0c25e909a6bf");
    }
}
