//! The files of a run as they were at a checkpoint: held against the project as it is now, kept in a folder of their own, and, where a person has
//! seen what that changes and said so, put back.
//!
//! What a run made stands in its log by digest, and its bytes in the history; nothing else of the project is known of that moment, and nothing else
//! is touched.

use crate::project::{OWN_FOLDER, run_base};
use crate::{kept, working};
use engine::{Artifact, Continued, Digest, Event, PutBack, RunId, RunState};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use store::below::Folder;
use store::made::{LARGEST, RESTORED, restored};
use store::regular::{self, NotRead};
use store::{Store, digest_of};

/// What putting the files of a checkpoint back would do, in the order of their paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// What would be done to the project.
    pub changes: Vec<PutBack>,
    /// Files that are as they were then.
    pub same: Vec<String>,
    /// Files that are left alone whatever is said, each with the reason.
    pub left: Vec<(String, String)>,
}

impl Plan {
    /// What a person confirms: the digest of all that would be done.
    pub fn mark(&self) -> Digest {
        digest_of(&serde_json::to_vec(&self.changes).expect("texts and digests"))
    }
}

/// The files of a run, as it stood then: the latest version of each.
pub fn files(then: &RunState) -> BTreeMap<&str, &Artifact> {
    let made = then.artifacts().into_iter();
    made.map(|(_, made)| (made.path.as_str(), made)).collect()
}

/// How many files are others now than they were then, by the log of a run: made since, or made anew.
pub fn changed(then: &RunState, now: &RunState) -> usize {
    let before = files(then);
    let after = files(now);
    let other = |(path, made): &(&&str, &&Artifact)| before.get(**path).is_none_or(|was| was.digest != made.digest);
    after.iter().filter(other).count()
}

/// Holds the project's folder, canonical, against what a run had made. `now`: the same run as it stands now, so that what it made since is known.
pub fn plan(root: &Path, then: &RunState, now: &RunState) -> Plan {
    let mut plan = Plan::default();
    if then.created.as_ref().is_some_and(|created| created.is_rehearsal()) {
        // It wrote below its own folder alone.
        return plan;
    }
    let (before, after) = (files(then), files(now));
    let is_new = made_where_nothing_was(now);
    let mut paths: Vec<&str> = before.keys().chain(after.keys()).copied().collect();
    paths.sort_unstable();
    paths.dedup();
    // What it wrote into its own folder is no part of the project: it stays there, and goes with the new run.
    paths.retain(|path| !Path::new(path).starts_with(OWN_FOLDER));
    for path in paths {
        match (before.get(path), after.get(path)) {
            (Some(was), _) => plan.take(root, path, Some(was), None),
            // What was there before the run is no work of it.
            (None, Some(made)) if !made.was_there => {
                let own = Made {
                    digest: &made.digest,
                    is_new: is_new.get(path) == Some(&true),
                };
                plan.take(root, path, None, Some(own));
            }
            (None, _) => {}
        }
    }
    plan
}

/// Of each file of a run whether nothing stood in its place when the run made it first, as far as that is on record.
fn made_where_nothing_was(now: &RunState) -> BTreeMap<&str, bool> {
    let mut first = BTreeMap::new();
    // Of an attempt that did not pass no file is on record, and the one after it finds there what that one left.
    let mut appeared: BTreeSet<&str> = BTreeSet::new();
    for (_, result) in now.results() {
        appeared.extend(result.appeared.iter().map(String::as_str));
        for made in &result.artifacts {
            let path = made.path.as_str();
            first.entry(path).or_insert_with(|| appeared.contains(path));
        }
    }
    first
}

/// What a run has made of a file since.
#[derive(Clone, Copy)]
struct Made<'a> {
    digest: &'a Digest,
    /// Nothing stood in its place before.
    is_new: bool,
}

impl Plan {
    /// `to`: what the file was; absent: the run had not made it. `own`: what it made of it since.
    fn take(&mut self, root: &Path, path: &str, to: Option<&Artifact>, own: Option<Made<'_>>) {
        let mut leave = |why: String| self.left.push((path.to_owned(), why));
        let file = match kept::to_write(root, path, "") {
            Ok(file) => file,
            Err(escape) => return leave(format!("{escape}")),
        };
        let there = match kept::read(root, path, LARGEST) {
            Ok(bytes) => Some(digest_of(&bytes)),
            Err(NotRead::Missing) => None,
            Err(why) => return leave(format!("what stands there is not replaced: {why}")),
        };
        // Older runs kept none.
        let executable = to.and_then(|was| was.executable).filter(|_| cfg!(unix));
        let is_executable = || file.metadata().is_ok_and(|there| regular::is_executable(&there));
        match (&there, to.map(|was| &was.digest)) {
            (now, to) if now.as_ref() == to && executable.is_none_or(|was| was == is_executable()) => {
                // Neither then nor now.
                if to.is_some() {
                    self.same.push(path.to_owned());
                }
            }
            (Some(now), None) if own.is_none_or(|own| own.digest != now) => {
                leave("the run made it later, and somebody has changed it since".to_owned());
            }
            // It is deleted only where it is known that nothing of somebody's is lost with it.
            (Some(_), None) if own.is_some_and(|own| !own.is_new) => {
                leave("the run wrote it later, and it is not on record that nothing was there before".to_owned());
            }
            (from, to) => self.changes.push(PutBack {
                path: path.to_owned(),
                to: to.cloned(),
                from: from.clone(),
                executable,
            }),
        }
    }
}

/// Keeps what is about to be replaced or removed in the history.
///
/// # Errors
/// A file that is no longer as it was planned, in words; what the store says.
pub fn keep(store: &Store, root: &Path, changes: &[PutBack]) -> Result<Result<(), String>, store::Error> {
    for change in changes {
        let now = kept::read(root, &change.path, LARGEST).ok();
        if now.as_deref().map(digest_of) != change.from {
            return Ok(Err(moved(&change.path)));
        }
        if let Some(bytes) = now {
            store.put_blob(&bytes)?;
        }
    }
    Ok(Ok(()))
}

/// Puts files of the project back.
///
/// # Errors
/// What was not done, in words; what was done before it stays done.
pub fn put_back(store: &Store, root: &Path, changes: &[PutBack]) -> Result<(), String> {
    for change in changes {
        let path = &change.path;
        kept::to_write(root, path, "").map_err(|escape| escape.to_string())?;
        let now = kept::read(root, path, LARGEST).ok();
        if now.as_deref().map(digest_of) != change.from {
            return Err(moved(path));
        }
        let done = match &change.to {
            None => Folder::open(root).and_then(|top| top.remove_file(path)),
            Some(digest) => {
                let bytes = store.blob(digest).map_err(|error| error.to_string())?;
                kept::write(root, path, &bytes, change.executable)
            }
        };
        done.map_err(|error| format!("`{path}` could not be put back: {error}"))?;
    }
    Ok(())
}

/// Whether the history has everything that going back writes.
///
/// # Errors
/// The first file that it has not, in words.
pub fn whole(store: &Store, then: &RunState, changes: &[PutBack]) -> Result<(), String> {
    let files = files(then).into_iter().map(|(path, made)| (path, &made.digest));
    let back = changes
        .iter()
        .filter_map(|change| Some((change.path.as_str(), change.to.as_ref()?)));
    for (path, digest) in files.chain(back) {
        let bytes = store
            .blob(digest)
            .map_err(|error| format!("`{path}` as it was then: {error}"))?;
        if digest_of(&bytes) != *digest {
            return Err(format!(
                "`{path}` as it was then is not in the history any more, something else is"
            ));
        }
    }
    Ok(())
}

/// Does what going on from an earlier run does to files, where that was cut off: it writes what its steps worked with, and, of one that goes back to
/// a checkpoint, puts back what the log says was put back and writes the files of that moment. Nothing of the run has begun until that is done. What
/// somebody has made of a file since is left alone.
///
/// # Errors
/// What was not done, in words; what the store says.
pub fn finish(
    store: &Store,
    root: &Path,
    run: &RunId,
    (continued, then): (&Continued, &RunState),
) -> Result<Result<(), String>, store::Error> {
    let (mut begun, mut worked) = (false, false);
    store.each_event(run, continued.events, |stored| {
        begun |= matches!(stored.event, Event::AttemptStarted(_));
        worked |= matches!(stored.event, Event::AttemptEnded { .. });
    })?;
    // What is taken up from its end begins its first step with the first commit.
    if !worked && let Err(why) = working::write(store, root, run, continued) {
        return Ok(Err(why));
    }
    if begun || continued.back_to.is_none() {
        return Ok(Ok(()));
    }
    let is_left = |change: &&PutBack| {
        let there = kept::read(root, &change.path, LARGEST).ok();
        there.as_deref().map(digest_of) == change.from
    };
    let left: Vec<PutBack> = continued.put_back.iter().filter(is_left).cloned().collect();
    let written = write_apart(store, root, run, then);
    Ok(written.and_then(|_| put_back(store, root, &left)))
}

/// Writes the files of a checkpoint into the folder of the run that goes back to it from an earlier one; gives that folder, relative to the project, and how many
/// there are. Absent: there are none.
///
/// # Errors
/// What could not be written, in words.
pub fn write_apart(
    store: &Store,
    root: &Path,
    run: &RunId,
    then: &RunState,
) -> Result<Option<(String, usize)>, String> {
    let base = run_base(run);
    let folder = format!("{base}/{RESTORED}");
    let files = restored(then);
    for (name, made) in &files {
        let failed = |why: String| format!("`{name}` could not be written into `{folder}`: {why}");
        let to = format!("{folder}/{name}");
        kept::to_write(root, &to, &base).map_err(|e| failed(e.to_string()))?;
        let bytes = store.blob(&made.digest).map_err(|e| failed(e.to_string()))?;
        kept::write(root, &to, &bytes, made.executable).map_err(|e| failed(e.to_string()))?;
    }
    Ok((!files.is_empty()).then_some((folder, files.len())))
}

fn moved(path: &str) -> String {
    format!("`{path}` has changed since you looked at what would be put back")
}
