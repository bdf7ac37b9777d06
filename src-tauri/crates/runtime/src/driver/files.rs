//! The files of a run, kept up to date while it is driven: they grow with the log, now and then while it runs, at every
//! gate and at the end. They can be rebuilt from the log at any time, so that a folder that cannot be written to stops
//! no run.

use crate::pipeline::state_file;
use engine::RunId;
use history::Live;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use store::rundir::Follower;
use store::{Facts, Store};
use tokio::task::JoinHandle;

/// A pipeline's file is what people look at, and small.
const STATE_EVERY: Duration = Duration::from_millis(100);

/// Everything on disk that follows from a run's log.
pub(super) struct Files(Vec<Growing>);

impl Files {
    /// `every`: the least time between two writings of the run's folder; absent: nothing is written at all.
    pub fn new(
        store: &Arc<Store>,
        root: &Path,
        run: &RunId,
        facts: Facts,
        every: Option<Duration>,
        state: bool,
    ) -> Self {
        let Some(every) = every else {
            return Self(Vec::new());
        };
        let to = run.clone();
        let mut follower = Follower::new(Arc::clone(store), run.clone(), facts);
        let notes = Arc::clone(store);
        // A driver before this one may have noted something.
        let mut noted = true;
        let folder = Growing::new(every, move || {
            let done = follower.catch_up();
            let why = done.as_ref().err().map(ToString::to_string);
            if let Some(error) = &why {
                tracing::warn!(run = %to, %error, "the run's files could not be written; nothing recorded is lost");
            }
            if noted || why.is_some() {
                noted = notes.note_unwritten(&to, why.as_deref()).is_err() || why.is_some();
            }
            done.is_ok()
        });
        let mut all = vec![folder];
        if state {
            let (of, root, to) = (Arc::clone(store), root.to_owned(), run.clone());
            let mut live = Live::new(run.clone());
            all.push(Growing::new(every.min(STATE_EVERY), move || {
                let shown = live
                    .catch_up(&of)
                    .map_err(|error| error.to_string())
                    .and_then(|_| state_file::write(&of, &root, live.state()).map_err(|error| error.to_string()));
                if let Err(error) = &shown {
                    tracing::warn!(run = %to, %error, "the pipeline's file does not show the state of its run");
                }
                shown.is_ok()
            }));
        }
        Self(all)
    }

    /// Writes in the background when it is due; `urgent` when somebody is about to look.
    pub fn refresh(&mut self, seq: u64, urgent: bool) {
        self.0.iter_mut().for_each(|growing| growing.refresh(seq, urgent));
    }

    /// Writes to the end and waits for it.
    pub async fn finish(&mut self, seq: u64) {
        for growing in &mut self.0 {
            growing.finish(seq).await;
        }
    }
}

struct Growing {
    /// Brings them to the end of the log; whether that was done.
    work: Arc<Mutex<dyn FnMut() -> bool + Send>>,
    /// The least time between two of them.
    every: Duration,
    /// The one under way.
    task: Option<JoinHandle<()>>,
    /// Up to which event the files go.
    seq: Arc<AtomicU64>,
    /// When the next may be made: a file that lists the whole run takes as long as it is, and that may be a tenth of
    /// the time at most.
    next: Instant,
    begun: Instant,
}

impl Growing {
    fn new(every: Duration, work: impl FnMut() -> bool + Send + 'static) -> Self {
        let now = Instant::now();
        Self {
            work: Arc::new(Mutex::new(work)),
            every,
            task: None,
            seq: Arc::default(),
            next: now,
            begun: now,
        }
    }

    fn refresh(&mut self, seq: u64, urgent: bool) {
        if self.task.take_if(|task| task.is_finished()).is_some() {
            self.next = self.begun + self.every.max(self.begun.elapsed() * 10);
        }
        if self.task.is_none() && self.lacks(seq) && (urgent || Instant::now() >= self.next) {
            self.begin(seq);
        }
    }

    async fn finish(&mut self, seq: u64) {
        if let Some(task) = self.task.take() {
            let _ = task.await;
        }
        if self.lacks(seq) {
            self.begin(seq);
            if let Some(task) = self.task.take() {
                let _ = task.await;
            }
        }
    }

    fn lacks(&self, seq: u64) -> bool {
        seq > self.seq.load(Ordering::Acquire)
    }

    fn begin(&mut self, seq: u64) {
        let (work, up_to) = (Arc::clone(&self.work), Arc::clone(&self.seq));
        self.begun = Instant::now();
        self.task = Some(tokio::task::spawn_blocking(move || {
            // One that broke has written nothing wrong: the next one goes on from there.
            let mut work = work.lock().unwrap_or_else(PoisonError::into_inner);
            if work() {
                up_to.store(seq, Ordering::Release);
            }
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_could_not_be_written_is_tried_again() {
        let tries = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&tries);
        let mut growing = Growing::new(Duration::ZERO, move || counted.fetch_add(1, Ordering::Relaxed) > 0);
        growing.finish(3).await;
        growing.finish(3).await;
        growing.finish(3).await;
        assert_eq!(tries.load(Ordering::Relaxed), 2);
    }
}
