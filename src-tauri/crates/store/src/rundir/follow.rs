//! The files of a run that goes on, kept up to date on disk.

use super::folder::{Change, RunFolder};
use super::{Files, render};
use crate::session::turns;
use crate::{Error, Facts, Store, Stored};
use engine::{Digest, Event, RunId};
use std::path::Path;
use std::sync::Arc;

/// How changes are taken from a folder.
type Taken = fn(&mut RunFolder, &dyn Fn(&Digest) -> Option<Vec<u8>>) -> Vec<Change>;

/// Events taken up at once, which with the files that they change are some hundred kilobytes; few where the tests look at what becomes of many.
pub(super) const PAGE: usize = if cfg!(test) { 3 } else { 100 };

/// Keeps the files of one run up to date. The first time it compares what lies there, whoever left it, with what
/// should; from then on it does what each event changes. What somebody else changes meanwhile it meets only where a
/// file no longer ends where it was left: then all of them are compared again.
#[derive(Debug)]
pub struct Follower {
    store: Arc<Store>,
    run: RunId,
    facts: Facts,
    folder: RunFolder,
    /// The files on disk are those of the folder.
    in_step: bool,
}

impl Follower {
    /// A follower of a run; nothing is read or written yet.
    pub fn new(store: Arc<Store>, run: RunId, facts: Facts) -> Self {
        let folder = RunFolder::new(facts.clone());
        Self {
            store,
            run,
            facts,
            folder,
            in_step: false,
        }
    }

    /// Brings the files to the end of the log. In memory it does nothing.
    ///
    /// # Errors
    /// Those of [`Store::write_run_dir`]; the next time all files are compared.
    pub fn catch_up(&mut self) -> Result<(), Error> {
        let Some(dir) = self.store.run_dir(&self.run) else {
            return Ok(());
        };
        let is_new = self.folder.seq() == 0;
        let mut turned = 0;
        if is_new {
            self.store.each_event(&self.run, 0, |stored| {
                if turns(&stored.event) {
                    turned = stored.seq;
                }
            })?;
        }
        let mut was_in_step = std::mem::take(&mut self.in_step);
        let mut last = self.folder.seq();
        loop {
            let page = self.store.events_since(&self.run, last, PAGE)?;
            let is_last = page.len() < PAGE;
            last = page.last().map_or(last, |stored| stored.seq);
            turned = turned.max(
                page.iter()
                    .rfind(|stored| turns(&stored.event))
                    .map_or(0, |stored| stored.seq),
            );
            for mut stored in page {
                without_output(&mut stored.event);
                self.folder.push_before(&stored, stored.seq < turned);
            }
            if is_last {
                break;
            }
            // What many events have left is not gathered until the last of them.
            if was_in_step {
                let changes = self.changes(RunFolder::changes_of_events)?;
                was_in_step = matches!(super::write::change(&dir, &changes), Ok(Some(_)));
            }
        }
        let changes = self.changes(RunFolder::changes)?;
        // What cannot be done as a change may well be done as a whole.
        let is_done = was_in_step && matches!(super::write::change(&dir, &changes), Ok(Some(_)));
        if !is_done {
            let files = match is_new {
                true => all(changes),
                // Exactly what the folder is of: the log may have grown meanwhile.
                false => {
                    let seq = usize::try_from(self.folder.seq()).unwrap_or(usize::MAX);
                    let events: Vec<Stored> = self.store.events(&self.run, 0, seq)?;
                    self.store.with_blobs(|blob| render(&events, &self.facts, blob))?
                }
            };
            self.store.update_files(&self.run, &dir, &files)?;
            self.tidy(&dir)?;
        }
        self.in_step = true;
        Ok(())
    }

    fn changes(&mut self, of: Taken) -> Result<Vec<Change>, Error> {
        let changes = self.store.with_blobs(|blob| of(&mut self.folder, blob));
        if changes.is_err() {
            // What could not be read now is not missing for good.
            self.folder = RunFolder::new(self.facts.clone());
        }
        changes
    }

    /// Whoever was stopped may have left files under names that they no longer have.
    fn tidy(&self, dir: &Path) -> Result<(), Error> {
        let left = self.folder.abandoned();
        left.iter().try_for_each(|path| super::write::remove(dir, path))
    }
}

/// What a step said stands in its transcript alone, and is not to be held for as long as the run goes on.
fn without_output(event: &mut Event) {
    let Event::AttemptEnded { result, .. } = event else {
        return;
    };
    if result.output.is_empty() && result.agents.iter().all(|one| one.result.output.is_empty()) {
        return;
    }
    // What is shared with the driver is held in any case.
    let Some(result) = Arc::get_mut(result) else {
        return;
    };
    result.output = String::new();
    for one in &mut result.agents {
        one.result.output = String::new();
    }
}

/// The first changes are all files as they should be.
fn all(changes: Vec<Change>) -> Files {
    let written = changes.into_iter().filter_map(|change| match change {
        Change::Write { path, bytes } => Some((path, bytes)),
        _ => None,
    });
    written.collect()
}
