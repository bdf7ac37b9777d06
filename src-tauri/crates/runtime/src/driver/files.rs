//! The files of a run, kept up to date while it is driven: now and then while it runs, at every gate and at the end. They
//! can be rebuilt from the log at any time, so that a folder that cannot be written to stops no run.

use crate::pipeline::state_file;
use engine::RunId;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Facts, Store};
use tokio::task::JoinHandle;

/// A pipeline's file is what people look at, and small.
const STATE_EVERY: Duration = Duration::from_millis(100);

/// Everything that is rendered from a run's log.
pub(super) struct Files(Vec<Rendering>);

impl Files {
    /// `every`: the least time between two renderings of the run's folder; absent: nothing is written at all.
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
        let (of, to) = (Arc::clone(store), run.clone());
        let folder = Rendering::new(every, move || {
            if let Err(error) = of.write_run_dir(&to, &facts) {
                tracing::warn!(run = %to, %error, "the run's files could not be written; nothing recorded is lost");
            }
        });
        let mut all = vec![folder];
        if state {
            let (of, root, to) = (Arc::clone(store), root.to_owned(), run.clone());
            all.push(Rendering::new(every.min(STATE_EVERY), move || {
                if let Err(error) = state_file::write(&of, &root, &to) {
                    tracing::warn!(run = %to, %error, "the pipeline's file does not show the state of its run");
                }
            }));
        }
        Self(all)
    }

    /// Renders in the background when it is due; `urgent` when somebody is about to look.
    pub fn refresh(&mut self, seq: u64, urgent: bool) {
        self.0.iter_mut().for_each(|rendering| rendering.refresh(seq, urgent));
    }

    /// Renders to the end and waits for it.
    pub async fn finish(&mut self, seq: u64) {
        for rendering in &mut self.0 {
            rendering.finish(seq).await;
        }
    }
}

struct Rendering {
    work: Arc<dyn Fn() + Send + Sync>,
    /// The least time between two of them.
    every: Duration,
    /// The one under way, and up to which event it goes.
    task: Option<(JoinHandle<()>, u64)>,
    /// Up to which event the files go.
    seq: u64,
    /// When the next may be made: rendering takes longer the longer the log, and may take a tenth of the time at most.
    next: Instant,
    begun: Instant,
}

impl Rendering {
    fn new(every: Duration, work: impl Fn() + Send + Sync + 'static) -> Self {
        let now = Instant::now();
        Self {
            work: Arc::new(work),
            every,
            task: None,
            seq: 0,
            next: now,
            begun: now,
        }
    }

    fn refresh(&mut self, seq: u64, urgent: bool) {
        if let Some((_, up_to)) = self.task.take_if(|(task, _)| task.is_finished()) {
            self.seq = up_to;
            self.next = self.begun + self.every.max(self.begun.elapsed() * 10);
        }
        if self.task.is_none() && seq > self.seq && (urgent || Instant::now() >= self.next) {
            self.begin(seq);
        }
    }

    async fn finish(&mut self, seq: u64) {
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
        let work = Arc::clone(&self.work);
        self.begun = Instant::now();
        self.task = Some((tokio::task::spawn_blocking(move || work()), seq));
    }
}
