//! What steps made in a run's own folder, held against what the log says of it. The history keeps its content, so that what is gone can be put
//! back. What steps made elsewhere in the project belongs to whoever works there.

use crate::below;
use crate::contract::paths::{RUNS, run_folder};
use crate::regular::{self, NotRead};
use crate::rundir::{self, Files};
use crate::{Error, Finding, FindingKind, Store, digest_of};
use engine::{Artifact, Digest, RunId, RunState, fold};
use model::StepId;
use std::collections::{BTreeMap, BTreeSet};

/// The folder of a run that holds the files of the checkpoint it went back to, below its own.
pub const RESTORED: &str = "restored";

/// The largest file of a project or of a run's folder that is read to be held against what it was, and the most that such files hold together where
/// another run takes them along, in bytes.
pub const LARGEST: u64 = 64 << 20;

impl Store {
    /// How many files that steps made stand in the run's folder, and which of them are not as the log says they were made last. `called`: what a
    /// person calls a step.
    ///
    /// # Errors
    /// [`Error::Sql`] ….
    pub fn verify_made(
        &self,
        run: &RunId,
        state: &RunState,
        called: impl Fn(&StepId) -> String,
    ) -> Result<(u64, Vec<Finding>), Error> {
        let (Some(project), Some(dir)) = (self.project(), self.run_dir(run)) else {
            return Ok((0, Vec::new()));
        };
        let (mut count, mut findings) = (0, Vec::new());
        // In what was handed over nothing is put back.
        let (changed, moved_away, back) = match self.is_excerpt()? {
            true => ("was changed after it was handed over", "", ""),
            false => (
                "was changed since, by a later step or by somebody",
                "; where the file is moved away, `gatehouse rebuild` puts that back",
                ": `gatehouse rebuild` puts it back",
            ),
        };
        for (step, name, artifact) in made(run, state) {
            count += 1;
            let made = format!("what {} made as {name}", called(step));
            // What has another length was changed, however long it is.
            let looked = regular::look(&dir.join(name));
            let message = match looked.and_then(|()| below::read(project, &artifact.path, artifact.bytes)) {
                Ok(there) if digest_of(&there) == artifact.digest => continue,
                Ok(_) | Err(NotRead::TooLarge { .. }) if self.blob(&artifact.digest).is_ok() => {
                    format!("{made} {changed}. The history keeps it as it was{moved_away}")
                }
                Ok(_) | Err(NotRead::TooLarge { .. }) => format!("{made} {changed}"),
                Err(NotRead::Missing) if self.blob(&artifact.digest).is_ok() => {
                    format!("{made} is gone. The history keeps it{back}")
                }
                Err(NotRead::Missing) => format!("{made} is gone"),
                Err(error) => format!("{made} cannot be read: {error}"),
            };
            findings.push(Finding {
                kind: FindingKind::Made,
                seq: None,
                subject: name.to_owned(),
                message,
            });
        }
        Ok((count, findings))
    }

    /// The files in the run's folder that neither the record nor a step of it has put there, by their names in it, at most `most` of them: of
    /// those the record says nothing, whatever they are called. `files`: what is rendered from the log.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn beside_record(
        &self,
        run: &RunId,
        state: &RunState,
        files: &Files,
        most: usize,
    ) -> Result<Vec<String>, Error> {
        let Some(dir) = self.run_dir(run) else {
            return Ok(Vec::new());
        };
        let made: BTreeSet<&str> = made(run, state).map(|(_, name, _)| name).collect();
        let brought = self.brought(run, state)?;
        let as_brought = |name: &str| {
            let is = |digest: &Digest| {
                below::read_straight(&dir, name, LARGEST).is_ok_and(|there| digest_of(&there) == *digest)
            };
            brought.get(name).is_some_and(is)
        };
        let mut found = Vec::new();
        rundir::each_file(&dir, &mut |name| {
            if !files.contains_key(name) && !made.contains(name) && !as_brought(name) {
                found.push(name.to_owned());
            }
            found.len() < most
        })?;
        found.sort();
        Ok(found)
    }

    /// The files in a run's folder that it brought from the run that it goes on from, by their names, each with what it held.
    fn brought(&self, run: &RunId, state: &RunState) -> Result<BTreeMap<String, Digest>, Error> {
        let continued = state.created.as_ref().and_then(|created| created.continues.as_deref());
        let Some(continued) = continued else {
            return Ok(BTreeMap::new());
        };
        let working = continued.working.iter();
        let mut brought: BTreeMap<String, Digest> =
            working.map(|file| (file.name.clone(), file.digest.clone())).collect();
        if continued.back_to.is_some() {
            let mut log = Vec::new();
            self.each_event(run, 0, |stored| {
                if stored.seq <= continued.events {
                    log.push((stored.at, stored.event));
                }
            })?;
            let then = fold(log.iter().map(|(at, event)| (*at, event)));
            let files = restored(&then).into_iter();
            brought.extend(files.map(|(name, made)| (format!("{RESTORED}/{name}"), made.digest.clone())));
        }
        Ok(brought)
    }

    /// Puts back what steps made in the run's folder and what is gone there, as far as the history keeps it; returns the paths. What somebody
    /// changed stays as it is: it may be somebody's work.
    ///
    /// # Errors
    /// [`Error::Outside`], [`Error::Io`], [`Error::ReadOnly`], [`Error::DiskFull`].
    pub fn put_back_made(&self, run: &RunId, state: &RunState) -> Result<Vec<String>, Error> {
        let Some(dir) = self.run_dir(run) else {
            return Ok(Vec::new());
        };
        let is_gone = |name: &str| {
            let there = dir.join(name).symlink_metadata();
            there.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
        };
        let gone = made(run, state).filter(|(_, name, _)| is_gone(name));
        let files: Files = gone
            .filter_map(|(_, name, artifact)| Some((name.to_owned(), self.blob(&artifact.digest).ok()?)))
            .collect();
        rundir::write(&dir, &files)
    }
}

/// The files of a moment of a run, by their names below [`RESTORED`] in the folder of the run that goes back to it: what it, or a run that it goes on
/// from, wrote into its own folder stands there by its name in that folder.
pub fn restored(then: &RunState) -> BTreeMap<&str, &Artifact> {
    let own = |path: &'_ str| -> Option<usize> {
        let below = path.strip_prefix(RUNS)?;
        Some(RUNS.len() + below.find('/')? + 1)
    };
    let artifacts = then.artifacts().into_iter();
    artifacts
        .map(|(_, made)| {
            (
                own(&made.path).map_or(made.path.as_str(), |from| &made.path[from..]),
                made,
            )
        })
        .collect()
}

/// The latest of each file that steps made in the run's folder, with its step and its name in there.
pub fn made<'a>(run: &RunId, state: &'a RunState) -> impl Iterator<Item = (&'a StepId, &'a str, &'a Artifact)> {
    let folder = format!("{}/", run_folder(run.as_str()));
    state.artifacts().into_iter().filter_map(move |(instance, artifact)| {
        let name = artifact.path.strip_prefix(&folder)?;
        Some((&instance.step, name, artifact))
    })
}
