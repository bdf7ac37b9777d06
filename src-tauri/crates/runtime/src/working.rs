//! Files that the steps of a run left in its folder and that none of them named: a run that goes on from it works with them too.
//!
//! The log says nothing of what they held at an earlier moment. Those that have not been written since are as they were.

use crate::project::run_base;
use crate::{Error, kept, source};
use engine::{At, Continued, Digest, RunCreated, RunId, RunState, Working};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::UNIX_EPOCH;
use store::made::{self, RESTORED};
use store::{Store, regular};

/// More of them are not looked at.
const MOST: usize = 1_000;

/// Together they hold no more bytes.
const LARGEST: u64 = 64 << 20;

/// Below these folders of a run lies no work of its steps.
const NOT_WORK: [&str; 2] = [RESTORED, "branches"];

/// What is there of a run's working files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// As they were: by their names in the run's folder.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Those that a run which goes on from there does not get, each with the reason.
    pub left: Vec<(String, String)>,
}

/// The working files of a run as they were at a moment of it; absent: as they are. A rehearsal has none, and neither has a run whose history is no
/// longer there.
///
/// # Errors
/// [`Error::Store`]; what is wrong in the workflow that the run keeps.
pub fn found(store: &Store, root: &Path, created: &RunCreated, until: Option<At>) -> Result<Found, Error> {
    let run = &created.run_id;
    let mut found = Found::default();
    if created.is_rehearsal() {
        return Ok(found);
    }
    let now = match store.load(run) {
        Ok((now, _)) => now,
        Err(store::Error::UnknownRun { .. }) => return Ok(found),
        Err(error) => return Err(error.into()),
    };
    let rendered = store.render_run(run, &source::facts(store, created)?)?;
    let names = store.beside_record(run, &now, &rendered, MOST)?;
    let folder = root.join(run_base(run));
    let mut room = LARGEST;
    for name in names {
        if NOT_WORK.iter().any(|folder| Path::new(&name).starts_with(folder)) {
            continue;
        }
        let file = folder.join(&name);
        let written = file.symlink_metadata().and_then(|there| there.modified()).ok();
        let written = written.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let is_later = |until: At| written.is_none_or(|at| i64::try_from(at.as_millis()).is_ok_and(|at| at > until.0));
        if until.is_some_and(is_later) {
            found.left.push((name, "it was written later".to_owned()));
            continue;
        }
        match regular::read(&file, room) {
            Ok(bytes) => {
                room = room.saturating_sub(bytes.len() as u64);
                found.files.insert(name, bytes);
            }
            Err(why) => found.left.push((name, why.to_string())),
        }
    }
    Ok(found)
}

/// Keeps them in the history, for the log of the run that goes on with them.
pub(crate) fn keep(store: &Store, found: Found) -> Result<Vec<Working>, store::Error> {
    let keep = |(name, bytes): (String, Vec<u8>)| store.put_blob(&bytes).map(|digest| Working { name, digest });
    found.files.into_iter().map(keep).collect()
}

/// Writes what the steps of the earlier run left in its folder into the folder of the run that goes on from it: what they named among what they made,
/// and what they worked with. What stands there already stays as it is.
///
/// # Errors
/// What could not be written, in words.
pub fn write(
    store: &Store,
    root: &Path,
    run: &RunId,
    (continued, then): (&Continued, &RunState),
) -> Result<(), String> {
    let base = run_base(run);
    let mut files: BTreeMap<&str, &Digest> = BTreeMap::new();
    files.extend(continued.working.iter().map(|file| (file.name.as_str(), &file.digest)));
    files.extend(made::made(continued.run(), then).map(|(_, name, made)| (name, &made.digest)));
    for (name, digest) in files {
        let failed = |why: String| format!("`{name}` could not be written into `{base}`: {why}");
        let to = kept::to_write(root, &format!("{base}/{name}"), &base).map_err(|error| failed(error.to_string()))?;
        if to.symlink_metadata().is_ok() {
            continue;
        }
        let bytes = store.blob(digest).map_err(|error| failed(error.to_string()))?;
        kept::write(&to, &bytes).map_err(|error| failed(error.to_string()))?;
    }
    Ok(())
}
