//! The files of a run written anew, or finished where somebody was stopped while writing them.

use crate::run::history::History;
use crate::studio::now;
use crate::{ApiError, Studio};
use std::path::PathBuf;

/// What was written anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebuilt {
    /// Where the files of the run lie.
    pub folder: PathBuf,
    /// How many were written.
    pub files: usize,
    /// Where those were put just now that tell of another log than the run has; absent: there were none.
    pub aside: Option<PathBuf>,
}

impl Studio {
    /// Renders the files of a run again from log and blobs, and what the lists show of it; what steps made in its folder and is gone there is put back.
    ///
    /// # Errors
    /// `not_found`; `driven_elsewhere` of a run that somebody drives, who writes its files; what the store reports.
    pub fn rebuild(&self, id: &str) -> Result<Rebuilt, ApiError> {
        self.writable()?;
        let run = self.find_logged(id)?;
        if self.0.store.head(&run)?.is_none() {
            self.0.store.list_anew(&run)?;
        }
        let history = self.history(run.as_str())?;
        if let Some(owner) = self.driver_of(history.id()) {
            let what = format!(
                "Run {} is being driven by {owner}, who writes its files, so they were not rebuilt.",
                history.id()
            );
            return Err(ApiError::new("driven_elsewhere", what)
                .hint("Wait until it waits for a person or has ended, or end that program."));
        }
        let facts = history.facts();
        let before = self.0.store.files_aside(history.id());
        let mut written = self.0.store.rebuild(history.id(), &facts)?;
        written.extend(self.0.store.put_back_made(history.id(), &history.state(None))?);
        self.finish_ended(&history);
        let aside = self.0.store.files_aside(history.id());
        Ok(Rebuilt {
            folder: self.0.store.run_dir(history.id()).unwrap_or_default(),
            files: written.len(),
            aside: aside.filter(|aside| before.as_ref() != Some(aside)),
        })
    }

    /// Writes the files of a run to the end that a driver left behind when it died, of one that nobody drives. Nothing is done where nothing
    /// is left.
    ///
    /// # Errors
    /// What the store reports.
    pub(crate) fn finish_files(&self, history: &History) -> Result<(), ApiError> {
        if self.driver_of(history.id()).is_none() {
            self.0.store.write_run_dir(history.id(), &history.facts())?;
            self.finish_ended(history);
        }
        Ok(())
    }

    /// What a driver that died after a run's last event had still to do. Of a run that goes on its lease still tells the next driver what may
    /// have been in flight.
    pub(crate) fn finish_ended(&self, history: &History) {
        self.show_state(history.id());
        let left = self.0.store.lease(history.id()).ok().flatten();
        let Some(left) = left.filter(|_| history.state(None).status.ended() && self.driver_of(history.id()).is_none())
        else {
            return;
        };
        let after = now().max(left.expires_at);
        let released = self
            .0
            .store
            .take_lease(history.id(), self.0.client.word(), after, 1)
            .and_then(|lease| self.0.store.release_lease(&lease));
        if let Err(error) = released {
            tracing::warn!(run = %history.id(), %error, "the lease of a dead driver was left as it is");
        }
    }
}
