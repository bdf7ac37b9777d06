//! Files that the steps of a run left in its folder: a run that goes on from it works with them too.
//!
//! Of those that no step named the log does not say what they held at an earlier moment. Those that have not been written since are as they were.

use crate::project::run_base;
use crate::{Error, file_time, kept, source};
use engine::{Artifact, At, Continued, RunCreated, RunId, RunState, Working};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::path::Path;
use store::made::{self, LARGEST, RESTORED};
use store::{Store, digest_of, regular, rundir};

/// More of them are not taken along.
const MOST: usize = 1_000;

/// Below these folders of a run lies no work of its steps.
const NOT_WORK: [&str; 3] = [RESTORED, "branches", "checkpoints"];

/// What a run that goes on from another one gets of that one's folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// What it gets.
    pub files: Vec<Working>,
    /// How many of them no step of the run has named.
    pub unnamed: usize,
    /// What it does not get, each with the reason.
    pub left: Vec<(String, String)>,
}

/// Which moment of a run is meant.
#[derive(Debug, Clone, Copy)]
pub enum Moment<'a> {
    /// As it is: from its end on.
    Now,
    /// As it was then.
    Then(At, &'a RunState),
}

/// The files of a run's folder at a moment of it. A rehearsal has none, and neither has a run whose history is no longer there. `keep`: their content is
/// kept in the history, for the log of the run that goes on with them.
///
/// # Errors
/// [`Error::Store`]; what is wrong in the workflow that the run keeps.
pub fn found(store: &Store, root: &Path, created: &RunCreated, moment: Moment<'_>, keep: bool) -> Result<Found, Error> {
    let run = &created.run_id;
    let mut found = Found::default();
    if created.is_rehearsal() || store.head(run)?.is_none() {
        return Ok(found);
    }
    let rendered = store.render_run(run, &source::facts(store, created)?)?;
    let base = run_base(run);
    let folder = root.join(&base);
    let mut named: BTreeMap<&str, &Artifact> = match moment {
        Moment::Now => BTreeMap::new(),
        Moment::Then(_, then) => made::made(run, then).map(|(_, name, made)| (name, made)).collect(),
    };
    // What stands in a folder of the record and is not of it is nobody's work.
    let strays: BTreeSet<String> = rundir::stray(&folder, &rendered)?.into_iter().collect();
    let mut names = BTreeSet::new();
    let mut more = false;
    rundir::each_file(&folder, &mut |name| {
        let is_work = !NOT_WORK.iter().any(|folder| Path::new(name).starts_with(folder));
        if is_work && !rundir::is_aside(name) && !rendered.contains_key(name) && !strays.contains(name) {
            more = names.len() == MOST;
            if !more {
                names.insert(name.to_owned());
            }
        }
        !more
    })?;
    let mut room = LARGEST;
    for name in names {
        let recorded = named.remove(name.as_str());
        let path = format!("{base}/{name}");
        if tool::files::is_kept(&path, &base) {
            found.left.push((name, "it belongs to Git".to_owned()));
            continue;
        }
        let reached = kept::to_write(root, &path, &base).is_ok();
        let file = folder.join(&name);
        let about = file.symlink_metadata().ok();
        let is_later = match moment {
            Moment::Now => false,
            Moment::Then(at, _) => about.as_ref().is_none_or(|about| written(about) > at),
        };
        let as_it_was = reached && !is_later;
        // How what stands in its place now may be used says nothing of it.
        let executable = match (as_it_was, recorded) {
            (true, _) => about.as_ref().is_some_and(regular::is_executable),
            (false, recorded) => recorded.is_some_and(was_executable),
        };
        let digest = match (as_it_was, recorded) {
            (false, Some(made)) => made.digest.clone(),
            (false, None) => {
                let why = match reached {
                    true => "it was written later",
                    false => "it is a link",
                };
                found.left.push((name, why.to_owned()));
                continue;
            }
            (true, _) => match kept::read(root, &path, room) {
                Ok(bytes) => {
                    room = room.saturating_sub(bytes.len() as u64);
                    match keep {
                        true => store.put_blob(&bytes)?,
                        false => digest_of(&bytes),
                    }
                }
                Err(why) => {
                    found.left.push((name, why.to_string()));
                    continue;
                }
            },
        };
        found.unnamed += usize::from(recorded.is_none());
        found.files.push(Working {
            name,
            digest,
            executable,
        });
    }
    // What was made by then and is gone since.
    found.files.extend(named.into_iter().map(|(name, made)| Working {
        name: name.to_owned(),
        digest: made.digest.clone(),
        executable: was_executable(made),
    }));
    if more {
        found
            .left
            .push(("others".to_owned(), format!("there are more than {MOST}")));
    }
    Ok(found)
}

/// Of a run that recorded nothing of it, it could not be executed.
fn was_executable(made: &Artifact) -> bool {
    made.executable.unwrap_or(false)
}

/// Writes what a run took along into its folder. What stands there already stays as it is, and so does what cannot stand there: a file that is missing
/// is no reason to carry out nothing.
///
/// # Errors
/// What could not be written, in words.
pub fn write(store: &Store, root: &Path, run: &RunId, continued: &Continued) -> Result<(), String> {
    let base = run_base(run);
    for file in &continued.working {
        let name = &file.name;
        let path = format!("{base}/{name}");
        let to = kept::to_write(root, &path, &base);
        if to.as_ref().is_ok_and(|to| to.symlink_metadata().is_ok()) {
            continue;
        }
        let read = || store.blob(&file.digest).map_err(|error| error.to_string());
        let bytes = match to.map_err(|why| why.to_string()).and_then(|_| read()) {
            Ok(bytes) => bytes,
            Err(why) => {
                tracing::warn!(%run, name, %why, "a file of the earlier run was not taken along");
                continue;
            }
        };
        let failed = |error: std::io::Error| format!("`{name}` could not be written into `{base}`: {error}");
        kept::write(root, &path, &bytes, Some(file.executable)).map_err(failed)?;
    }
    Ok(())
}

/// When a file was written, or put in its place, whichever came later.
fn written(about: &Metadata) -> At {
    let own = about.modified().map_or(At(i64::MAX), file_time::at);
    own.max(file_time::put_there(about))
}
