//! A copy of the history in one file, and a history put back from one.

use crate::words::count;
use crate::workflow::check::is_project;
use crate::{ApiError, Studio};
use engine::RunId;
use serde::Serialize;
use std::path::Path;
use store::{RunFilter, Store};

/// What became of a copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Kept {
    /// Of a copy that was made: every run in it is what was written down, and listed so. Of one that was put back: it is there.
    pub ok: bool,
    /// One or two sentences.
    pub words: String,
    /// Runs in it.
    pub runs: usize,
    /// Size of the copy, in bytes.
    pub bytes: u64,
    /// Runs whose record is not what was written down.
    pub altered: Vec<String>,
    /// Runs whose record is whole, and of which the lists show something else.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub listed_otherwise: Vec<String>,
    /// Where the history was put that was replaced; absolute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<String>,
}

/// Of runs that the lists of a copy show otherwise than their logs say: a sentence.
fn listed_otherwise(runs: &[RunId]) -> Option<String> {
    let first = runs.first()?;
    Some(format!(
        " Of {} the lists of runs and gates show something else than the log says: `gatehouse verify {first}` says so, and `gatehouse rebuild {first}` \
         writes them anew.",
        count(runs.len(), "run", "runs")
    ))
}

impl Studio {
    /// Copies the history into one complete file, while runs go on, and checks the copy.
    ///
    /// # Errors
    /// `exists` where there is a file already; `missing` where nothing is recorded; `gone`, `disk_full`, `io`.
    pub fn back_up(&self, to: &Path) -> Result<Kept, ApiError> {
        let copied = self.0.store.back_up(to)?;
        let runs = count(copied.runs, "run", "runs");
        let listed = listed_otherwise(&copied.listed_otherwise);
        let words = match copied.altered.is_empty() {
            true => format!("{} holds {runs}, and the record of each is unaltered.", to.display()),
            false => format!(
                "{} holds {runs}. The record of {} is not what was written down, here as in the history; `gatehouse verify` says what differs.",
                to.display(),
                count(copied.altered.len(), "run", "runs")
            ),
        };
        Ok(Kept {
            ok: copied.altered.is_empty() && listed.is_none(),
            words: words + &listed.unwrap_or_default(),
            runs: copied.runs,
            bytes: copied.bytes,
            altered: copied.altered.iter().map(ToString::to_string).collect(),
            listed_otherwise: copied.listed_otherwise.iter().map(ToString::to_string).collect(),
            replaced: None,
        })
    }

    /// Puts a copy in the place of a project's history; the one that was there is kept beside it.
    ///
    /// # Errors
    /// `driven_elsewhere` while a run is driven, `locked` while another program has the history open, `altered`, `corrupt`, `missing`.
    pub fn restore(root: &Path, from: &Path) -> Result<Kept, ApiError> {
        let unreadable = |path: &Path, error: &std::io::Error| {
            ApiError::new("missing", format!("{} cannot be used: {error}.", path.display())).hint("Check the path.")
        };
        let root = root.canonicalize().map_err(|e| unreadable(root, &e))?;
        let from = from.canonicalize().map_err(|e| unreadable(from, &e))?;
        if is_project(&root)
            && let Ok(store) = Store::open_read_only(&root)
        {
            let open = RunFilter {
                open_only: true,
                ..RunFilter::default()
            };
            for row in store.runs(&open).unwrap_or_default() {
                if let Some(owner) = runtime::driven_by(&store, &row.run).ok().flatten() {
                    let what = format!("Run {} is being driven by {owner}, so nothing was put back.", row.run);
                    return Err(ApiError::new("driven_elsewhere", what)
                        .hint("Wait until it waits for a person or has ended, or end that program."));
                }
            }
        }
        let (copied, replaced) = Store::restore(&root, &from)?;
        let runs = count(copied.runs, "run", "runs");
        let kept = replaced.as_deref().map_or_else(String::new, |kept| {
            format!(" The history that was there is kept as {}.", kept.display())
        });
        let listed = listed_otherwise(&copied.listed_otherwise);
        Ok(Kept {
            ok: true,
            words: format!(
                "{runs} put back from {}.{kept}{} The files of a run are brought in line with `gatehouse rebuild RUN`, \
                 which keeps what they tell beyond the copy in a folder beside them.",
                from.display(),
                listed.as_deref().unwrap_or_default()
            ),
            runs: copied.runs,
            bytes: copied.bytes,
            altered: Vec::new(),
            listed_otherwise: copied.listed_otherwise.iter().map(ToString::to_string).collect(),
            replaced: replaced.map(|kept| kept.display().to_string()),
        })
    }
}
