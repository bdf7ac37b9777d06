//! The files of a run: `<project>/.gatehouse/runs/<run>/`, rendered from log and blobs (seeds 000 and 001).
//!
//! ```text
//! run.json                                    what the run was and how it ended; `version`: the form of all these
//! files meta.json, spec.json                        the same in the words of seed 001's family; not of StepSpec
//! events.jsonl                                the log in the words of seed 001; of a StepSpec run in those of seed 000
//! context_state.json                          the run as a session (seed 003), as it stood when it last began, waited for somebody, went on or ended
//! checkpoints/<event>.json                    the same as it stood at a checkpoint that somebody named
//! <flow>/receipts/<step>-<agent>.json         the latest attempt of a step
//! <flow>/receipts/earlier/visit=1.attempt=1.<step>-<agent>.json   an earlier one
//! <flow>/llm/<step>-<agent>-<engine>.jsonl    transcripts, named likewise approvals.json       the approvals that
//! count, oldest first: who, when, on which digests, with which signature gates.json           every time a person was
//! asked, why and what came of it; of StepSpec what the policy says of each step decisions.json       every decision as
//! a record: options, evidence looked at, reversibility, sign-off tool_results.json    every explicit tool call
//! evidence.json        records of evidence, promotions, and how far they carry artifacts.json       every version of
//! every file that was made manifest.json        of StepSpec: the StepSpecs as they were, the RunSteps timeline.json
//! of StepSpec: events, artifacts, gates, evidence and decision records in one order
//! ```
//!
//! Of a StepSpec run the last eight are always there, and all JSON of it is ASCII. Of a run of another format those up
//! to `artifacts.json` are there once its log has something for them; its events and its steps stand in `events.jsonl`
//! and `run.json`.
//!
//! An execution that was skipped or only waited for a tool writes no receipt; one that was cut off writes a failed one.
//! Names that are no file names are escaped ([`crate::contract::paths::component`]). Every file can be deleted and
//! rebuilt byte for byte.

mod attempts;
mod folder;
mod follow;
mod json;
mod manifest;
mod meta;
mod names;
mod receipt;
mod receipts;
mod record;
mod render;
mod write;

pub use folder::{Change, RunFolder};
pub use follow::Follower;
pub use receipts::{Receipt, Receipts};
pub use record::{artifact_id, in_order};
pub use render::render;
#[cfg(test)]
pub(crate) use write::change;
use write::update;
pub use write::{each_file, is_aside, rebuild, stray, write};
pub(crate) use write::{in_the_way, is_of_earlier_version, linked, read_file};

use crate::contract::{events_file, paths};
use crate::regular::{self, NotRead};
use crate::{Error, Facts, Store, Stored};
use engine::{Digest, RunId};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file that says in which form a run's files are.
const RUN: &str = "run.json";

/// The log in the words of the run's contract.
const EVENTS: &str = "events.jsonl";

/// The run as a session.
const SESSION: &str = "context_state.json";

/// Files by their path relative to the run's directory, with `/`.
pub type Files = BTreeMap<String, Vec<u8>>;

impl Store {
    /// Where a run's files stand; `None` for a store in memory.
    pub fn run_dir(&self, run: &RunId) -> Option<PathBuf> {
        Some(self.project()?.join(paths::run_folder(run.as_str())))
    }

    /// The runs of which a folder with files lies in the project, by the names of the folders alone: whether the history has them is not asked.
    /// None for a store in memory, and where there is no such folder or it cannot be looked into.
    pub fn run_folders(&self) -> Vec<RunId> {
        let folder = self.project().map(|project| project.join(paths::RUNS));
        let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok());
        let names = entries
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        names.filter(|name| is_id(name)).map(RunId::from).collect()
    }

    /// Whether the files of a run lie in its folder.
    pub fn has_files(&self, run: &RunId) -> bool {
        self.run_dir(run)
            .is_some_and(|dir| regular::look(&dir.join(RUN)).is_ok())
    }

    /// A run's files as they should be. Blobs that are missing or changed leave their file out (`verify` names them).
    ///
    /// # Errors
    /// [`Error::UnknownRun`]; those of [`Store::events`].
    pub fn render_run(&self, run: &RunId, facts: &Facts) -> Result<Files, Error> {
        let events: Vec<Stored> = self.events(run, 0, usize::MAX)?;
        if events.is_empty() {
            return Err(Error::UnknownRun { run: run.to_string() });
        }
        self.with_blobs(|blob| render(&events, facts, blob))
    }

    /// Makes something of blobs, of which those that are missing or changed are none.
    ///
    /// # Errors
    /// The first other one of [`Store::blob`]: what was made then may lack what is there.
    fn with_blobs<T>(&self, make: impl FnOnce(&dyn Fn(&Digest) -> Option<Vec<u8>>) -> T) -> Result<T, Error> {
        let broken = OnceCell::new();
        let made = make(&|digest| match self.blob(digest) {
            Ok(bytes) => Some(bytes),
            Err(Error::UnknownBlob { .. } | Error::BlobChanged { .. }) => None,
            Err(error) => {
                let _ = broken.set(error);
                None
            }
        });
        broken.into_inner().map_or(Ok(made), Err)
    }

    /// How many events more than its log the files of a run tell of: whoever wrote them wrote another log, and the history was put back or cut
    /// since. Zero: of others than those that it has. Absent: of none that it does not have. `files`: as they should be.
    ///
    /// # Errors
    /// Those of [`Store::events`].
    pub fn ahead(&self, run: &RunId, files: &Files) -> Result<Option<u64>, Error> {
        let (Some(dir), Some(now)) = (self.run_dir(run), files.get(EVENTS)) else {
            return Ok(None);
        };
        let Ok(stream) = read_file(&dir, EVENTS) else {
            return Ok(None);
        };
        if let Some(more) = self.tells_more(run, &dir, files)? {
            return Ok(Some(more));
        }
        // Somebody may have recorded more since `files` were made.
        if let Some((made, _)) = files.get(RUN).and_then(|bytes| log_told(bytes))
            && !self.events(run, made, 1)?.is_empty()
        {
            return Ok(None);
        }
        let more = stream.strip_prefix(now.as_slice()).unwrap_or_default();
        let more = events_file::read(more).events.len();
        Ok((more > 0).then_some(more as u64))
    }

    /// The same as far as `run.json` says of which event its files are: nobody who writes files that are a little newer or older is meant.
    fn tells_more(&self, run: &RunId, dir: &Path, files: &Files) -> Result<Option<u64>, Error> {
        let read = |path: &str| read_file(dir, path).ok();
        let is_known = |stream: &Vec<u8>| files.get(EVENTS).is_some_and(|now| now.starts_with(stream));
        if linked(dir).is_some() || read(EVENTS).is_none_or(|stream| is_known(&stream)) {
            return Ok(None);
        }
        let Some((events, link)) = read(RUN).and_then(|bytes| log_told(&bytes)) else {
            return Ok(None);
        };
        let there: Vec<Stored> = self.events(run, events.saturating_sub(1), 1)?;
        if there.first().is_some_and(|last| hex::encode(last.hash) == link) {
            return Ok(None);
        }
        let mut last = 0;
        self.each_event(run, 0, |stored| last = stored.seq)?;
        Ok(Some(events.saturating_sub(last)))
    }

    /// Brings the files of a run to what they should be, and leaves alone what tells of another log.
    fn update_files(&self, run: &RunId, dir: &Path, files: &Files) -> Result<Vec<String>, Error> {
        if self.tells_more(run, dir, files)?.is_some() {
            write::put_aside(dir, files)?;
        }
        update(dir, files)
    }

    /// Where files of a run were put that tell of another log than it has; absent: there were none.
    pub fn files_aside(&self, run: &RunId) -> Option<PathBuf> {
        write::aside(&self.run_dir(run)?)
    }

    /// Writes the files of a run that differ from what they should be; returns their paths. Files of an earlier version
    /// are all written anew; those that tell of another log than the run has are put aside. In memory it does nothing.
    ///
    /// # Errors
    /// Those of [`Store::render_run`]; [`Error::Io`], [`Error::ReadOnly`], [`Error::DiskFull`].
    pub fn write_run_dir(&self, run: &RunId, facts: &Facts) -> Result<Vec<String>, Error> {
        let files = self.render_run(run, facts)?;
        let dir = self.run_dir(run);
        let written = dir.map_or(Ok(Vec::new()), |dir| self.update_files(run, &dir, &files))?;
        self.note_unwritten(run, None)?;
        Ok(written)
    }

    /// The event that the files of a run are of, where they are those of an earlier one: whoever was to write the later
    /// ones was stopped before. Files that were changed are not: every one must be as it was after some event from then
    /// on. `left`: a driver died and has not given the run back, so the files may be of any event, and there may be
    /// none yet; else they are of one a little earlier.
    ///
    /// # Errors
    /// Those of [`Store::render_run`].
    pub fn files_are_behind(&self, run: &RunId, facts: &Facts, left: bool) -> Result<Option<usize>, Error> {
        /// An answer and what follows from it at once are at most so many events.
        const MOST: usize = 16;
        /// All files are rendered anew for each event that is looked at.
        const MOST_LOOKED_AT: usize = 48;
        let Some(dir) = self.run_dir(run).filter(|dir| !is_of_earlier_version(dir)) else {
            return Ok(None);
        };
        // Which event they are of says `run.json`, which is written last.
        let told = match read_file(&dir, RUN) {
            Ok(bytes) => events_told(&bytes),
            Err(NotRead::Missing) if left => Some(0),
            Err(_) => None,
        };
        let events: Vec<Stored> = self.events(run, 0, usize::MAX)?;
        let earliest = if left {
            0
        } else {
            events.len().saturating_sub(MOST).max(1)
        };
        let Some(told) = told.filter(|told| (earliest..events.len()).contains(told)) else {
            return Ok(None);
        };
        let rendered = |end: usize| self.with_blobs(|blob| render(&events[..end], facts, blob));
        let now = rendered(events.len())?;
        let there = |path: &String| read_file(&dir, path).ok();
        // What is there and not as it should be by now must be as it was after one of the events between.
        let mut open: Vec<(&String, Option<Vec<u8>>)> = now
            .keys()
            .map(|path| (path, there(path)))
            .filter(|(path, there)| there.as_ref() != now.get(*path))
            .collect();
        // Whoever was stopped while writing them was at the end of a page, or at an event between, rather a late one.
        let pages: Vec<usize> = (told..events.len()).step_by(follow::PAGE).skip(1).collect();
        let most = MOST_LOOKED_AT + pages.len();
        let between = (told + 1..events.len()).rev();
        for end in std::iter::once(told).chain(pages).chain(between).take(most) {
            if open.is_empty() {
                break;
            }
            let then = if end == 0 { Files::new() } else { rendered(end)? };
            // Of what was to be added to the stream some may be missing: whoever wrote it was killed, or the disk full.
            let torn = |path: &str, there: &[u8]| {
                path == EVENTS
                    && then.get(path).map_or(0, Vec::len) <= there.len()
                    && now.get(path).is_some_and(|now| now.starts_with(there))
            };
            open.retain(|(path, there)| {
                there.as_ref() != then.get(*path) && !there.as_ref().is_some_and(|there| torn(path, there))
            });
        }
        Ok(open.is_empty().then_some(told))
    }

    /// Notes why the files of a run could not be written; absent: they have been since. It is asked for by [`Store::unwritten`].
    ///
    /// # Errors
    /// Those of [`Store::set_setting`].
    pub fn note_unwritten(&self, run: &RunId, why: Option<&str>) -> Result<(), Error> {
        self.note_why(&unwritten(run), why)
    }

    /// Notes why the file that shows the state of a run could not be written; absent: it shows it. It is asked for by [`Store::unshown`].
    ///
    /// # Errors
    /// Those of [`Store::set_setting`].
    pub fn note_unshown(&self, run: &RunId, why: Option<&str>) -> Result<(), Error> {
        self.note_why(&unshown(run), why)
    }

    fn note_why(&self, setting: &str, why: Option<&str>) -> Result<(), Error> {
        let known = self.setting(setting)?;
        match why {
            _ if known.as_deref() == why => Ok(()),
            Some(why) => self.set_setting(setting, why),
            None => self.clear_setting(setting),
        }
    }

    /// Why the file that shows the state of a run could not be written the last time that somebody tried; absent: it shows it.
    ///
    /// # Errors
    /// [`Error::Sql`].
    pub fn unshown(&self, run: &RunId) -> Result<Option<String>, Error> {
        self.setting(&unshown(run))
    }

    /// Why the files of a run could not be written the last time that somebody tried; absent: they could.
    ///
    /// # Errors
    /// [`Error::Sql`].
    pub fn unwritten(&self, run: &RunId) -> Result<Option<String>, Error> {
        self.setting(&unwritten(run))
    }

    /// Writes the contract's files of a run anew, and what the project's lists show of it; other files in
    /// its directory stay, and those that tell of another log than the run has are put aside. Returns the paths.
    ///
    /// # Errors
    /// Those of [`Store::write_run_dir`].
    pub fn rebuild(&self, run: &RunId, facts: &Facts) -> Result<Vec<String>, Error> {
        self.list_anew(run)?;
        let files = self.render_run(run, facts)?;
        self.put_ahead_aside(run, &files)?;
        let dir = self.run_dir(run);
        let written = dir.map_or(Ok(Vec::new()), |dir| rebuild(&dir, &files))?;
        self.note_unwritten(run, None)?;
        Ok(written)
    }

    /// Brings the files of a run in line with a history that was put back: those that tell of another log than the run has are put aside, and those of
    /// a folder that is not there are written. What differs otherwise stays as it is: that is nothing that putting back a history does. Returns where
    /// they were put; absent: none told of another log.
    ///
    /// # Errors
    /// Those of [`Store::write_run_dir`].
    pub fn follow_restored(&self, run: &RunId, facts: &Facts) -> Result<Option<PathBuf>, Error> {
        let Some(dir) = self.run_dir(run) else {
            return Ok(None);
        };
        let files = self.render_run(run, facts)?;
        let is_missing = dir.symlink_metadata().is_err();
        let is_ahead = self.put_ahead_aside(run, &files)?;
        if is_ahead || is_missing {
            update(&dir, &files)?;
            self.note_unwritten(run, None)?;
        }
        Ok(write::aside(&dir).filter(|_| is_ahead))
    }

    /// Puts files of a run that tell of another log than it has aside; whether there were any. `files`: as they should be.
    fn put_ahead_aside(&self, run: &RunId, files: &Files) -> Result<bool, Error> {
        let Some(dir) = self.run_dir(run).filter(|dir| linked(dir).is_none()) else {
            return Ok(false);
        };
        let is_ahead = self.ahead(run, files)?.is_some();
        if is_ahead {
            write::put_aside(&dir, files)?;
        }
        Ok(is_ahead)
    }
}

/// Whether a name is in the form in which the ids of runs are given: 32 hexadecimal digits in five groups.
fn is_id(name: &str) -> bool {
    let lengths = name.split('-').map(str::len);
    lengths.eq([8_usize, 4, 4, 4, 12]) && name.bytes().all(|b| matches!(b, b'-' | b'0'..=b'9' | b'a'..=b'f'))
}

/// The setting that says why the files of a run could not be written.
fn unwritten(run: &RunId) -> String {
    format!("unwritten {run}")
}

/// The setting that says why the file with the state of a run could not be written.
fn unshown(run: &RunId) -> String {
    format!("unshown {run}")
}

/// Which event the files of a run are of, as its `run.json` says: its number and its link.
fn log_told(run_json: &[u8]) -> Option<(u64, String)> {
    let run: serde_json::Value = serde_json::from_slice(run_json).ok()?;
    let log = &run["log"];
    Some((log["events"].as_u64()?, log["head"].as_str()?.to_owned()))
}

/// How many events the files of a run are of, as its `run.json` says.
fn events_told(run_json: &[u8]) -> Option<usize> {
    let run: serde_json::Value = serde_json::from_slice(run_json).ok()?;
    usize::try_from(run["log"]["events"].as_u64()?).ok()
}
