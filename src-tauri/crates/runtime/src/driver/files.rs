//! The files of a run, kept up to date while it is driven: now and then while it runs, at every gate and at the end. They
//! can be rebuilt from the log at any time, so that a folder that cannot be written to stops no run.

use engine::RunId;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Facts, Store};
use tokio::task::JoinHandle;

pub(super) struct Files {
    store: Arc<Store>,
    run: RunId,
    facts: Arc<Facts>,
    /// The least time between two renderings; absent: none are made.
    every: Option<Duration>,
    /// The rendering under way, and up to which event it goes.
    task: Option<(JoinHandle<()>, u64)>,
    /// Up to which event the files go.
    seq: u64,
    /// When the next may be made: rendering takes longer the longer the log, and may take a tenth of the time at most.
    next: Instant,
    begun: Instant,
}

impl Files {
    pub fn new(store: Arc<Store>, run: RunId, facts: Facts, every: Option<Duration>) -> Self {
        let now = Instant::now();
        Self {
            store,
            run,
            facts: Arc::new(facts),
            every,
            task: None,
            seq: 0,
            next: now,
            begun: now,
        }
    }

    /// Renders in the background when it is due; `urgent` when somebody is about to look.
    pub fn refresh(&mut self, seq: u64, urgent: bool) {
        let Some(every) = self.every else { return };
        if let Some((_, up_to)) = self.task.take_if(|(task, _)| task.is_finished()) {
            self.seq = up_to;
            self.next = self.begun + every.max(self.begun.elapsed() * 10);
        }
        if self.task.is_none() && seq > self.seq && (urgent || Instant::now() >= self.next) {
            self.begin(seq);
        }
    }

    /// Renders to the end and waits for it.
    pub async fn finish(&mut self, seq: u64) {
        if self.every.is_none() {
            return;
        }
        if let Some((task, up_to)) = self.task.take() {
            let _ = task.await;
            self.seq = up_to;
        }
        if seq > self.seq {
            self.begin(seq);
            if let Some((task, up_to)) = self.task.take() {
                let _ = task.await;
                self.seq = up_to;
            }
        }
    }

    fn begin(&mut self, seq: u64) {
        let (store, run, facts) = (Arc::clone(&self.store), self.run.clone(), Arc::clone(&self.facts));
        self.begun = Instant::now();
        let task = tokio::task::spawn_blocking(move || {
            if let Err(error) = store.write_run_dir(&run, &facts) {
                tracing::warn!(%run, %error, "the run's files could not be written; nothing recorded is lost");
            }
        });
        self.task = Some((task, seq));
    }
}
