//! A copy of the history in one file, and a history put back from one.

use crate::run::history::History;
use crate::words::{count, some_of};
use crate::workflow::check::is_project;
use crate::{ApiError, Studio};
use engine::RunId;
use serde::Serialize;
use std::path::{Path, PathBuf};
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
    /// Where the files of runs were put that tell of more than the copy, a folder a run; absolute.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aside: Vec<String>,
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

/// What became of the files of runs beside a history that was put back.
#[derive(Default)]
struct Followed {
    /// Where those were put that tell of more.
    aside: Vec<PathBuf>,
    /// The runs whose files could not be brought in line.
    left: Vec<RunId>,
}

impl Followed {
    /// Behind another sentence.
    fn words(&self) -> String {
        let folders: Vec<String> = self.aside.iter().map(|folder| folder.display().to_string()).collect();
        let aside = match folders.len() {
            0 => String::new(),
            n => format!(
                " What the files of {} told beyond the copy is kept: {}.",
                count(n, "run", "runs"),
                some_of(&folders)
            ),
        };
        let left = self.left.first().map(|first| {
            format!(
                " The files of {} could not be brought in line: `gatehouse rebuild {first}` says why.",
                count(self.left.len(), "run", "runs")
            )
        });
        aside + &left.unwrap_or_default()
    }
}

/// Brings the files of all runs in line with the history that was put back.
fn follow(root: &Path) -> Result<Followed, ApiError> {
    let store = Store::open(root)?;
    let mut followed = Followed::default();
    for row in store.runs(&RunFilter::default())? {
        let history = History::open(&store, &row.run);
        match history.map(|history| store.follow_restored(&row.run, &history.facts())) {
            Ok(Ok(aside)) => followed.aside.extend(aside),
            Ok(Err(_)) | Err(_) => followed.left.push(row.run),
        }
    }
    Ok(followed)
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
        let missing = self.missing()?.map(|sentence| format!(" {sentence}"));
        Ok(Kept {
            ok: copied.altered.is_empty() && listed.is_none(),
            words: words + &listed.unwrap_or_default() + &missing.unwrap_or_default(),
            runs: copied.runs,
            bytes: copied.bytes,
            altered: copied.altered.iter().map(ToString::to_string).collect(),
            listed_otherwise: copied.listed_otherwise.iter().map(ToString::to_string).collect(),
            replaced: None,
            aside: Vec::new(),
        })
    }

    /// Puts a copy in the place of a project's history; the one that was there is kept beside it. Files of runs that tell of more than the copy are
    /// kept in a folder beside those that are written in their place.
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
        let (followed, files) = match follow(&root) {
            Ok(followed) => {
                let words = followed.words();
                (followed, words)
            }
            // It is put back all the same.
            Err(error) => {
                let words = format!(" The files of its runs were not compared with it: {}", error.message);
                (Followed::default(), words)
            }
        };
        Ok(Kept {
            ok: true,
            words: format!(
                "{runs} put back from {}.{kept}{files}{}",
                from.display(),
                listed.as_deref().unwrap_or_default()
            ),
            runs: copied.runs,
            bytes: copied.bytes,
            altered: Vec::new(),
            listed_otherwise: copied.listed_otherwise.iter().map(ToString::to_string).collect(),
            replaced: replaced.map(|kept| kept.display().to_string()),
            aside: followed
                .aside
                .iter()
                .map(|folder| folder.display().to_string())
                .collect(),
        })
    }
}
