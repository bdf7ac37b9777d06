//! One attempt from its brief to a result that fits the contract: bounded in time, its output cut, its files digested.

use crate::artifacts::{self, Found};
use crate::brief::{Brief, beginning};
use crate::clock;
use crate::executor::{Execution, Executor, Sink, Stop};
use crate::lifecycle::Around;
use crate::transcript;
use engine::{ExecutionStatus, Lifecycle, RunId, StepResult};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// A result's output is strictly shorter than this (seed 001 "StepResult Guarantees").
pub const OUTPUT_BYTES: usize = 51_200;

/// What is to be carried out.
pub(crate) struct Job {
    /// Who does it.
    pub executor: Arc<dyn Executor>,
    /// What it is told.
    pub brief: Brief,
    /// The workflow's outputs of the step, as written.
    pub outputs: Vec<String>,
    /// What is done around the work (seed 000).
    pub around: Option<Around>,
    /// The step's time limit.
    pub limit: Duration,
    /// Tells the executor to stop.
    pub stop: watch::Sender<Option<Stop>>,
}

/// What came of it.
pub(crate) struct Outcome {
    /// For the log.
    pub result: StepResult,
    /// The bytes behind the digests in it.
    pub blobs: Vec<Vec<u8>>,
}

/// Carries out an attempt; never fails, what goes wrong is a failed result.
pub(crate) async fn carry_out(mut job: Job, sink: Sink) -> Outcome {
    let (started, begun) = (clock::now(), Instant::now());
    let mut lifecycle = Lifecycle::default();
    let mut found = Found::default();
    let (limit, stop) = (job.limit, job.stop.clone());
    let execution = {
        let mut work = std::pin::pin!(work(&mut job, &mut lifecycle, &mut found, &sink));
        tokio::select! {
            execution = &mut work => execution,
            () = tokio::time::sleep(limit) => {
                stop.send_if_modified(|stop| {
                    let first = stop.is_none();
                    stop.get_or_insert(Stop::Timeout);
                    first
                });
                let execution = work.await;
                let limit = clock::spoken(limit);
                let error = format!("the step was stopped after {limit}: it did not end within its time limit");
                Execution { status: ExecutionStatus::Failed, error: Some(error), ..execution }
            }
        }
    };
    if execution.status != ExecutionStatus::Succeeded {
        // What did not pass is not kept.
        found = Found::default();
        lifecycle.evidence.clear();
    }
    finish(&job.brief, execution, found, lifecycle, started, begun)
}

/// What comes before the work, the work, and what comes after it.
async fn work(job: &mut Job, lifecycle: &mut Lifecycle, found: &mut Found, sink: &Sink) -> Execution {
    if let Some(around) = &job.around
        && let Some(ended) = around.before(&mut job.brief, lifecycle, sink).await
    {
        return ended;
    }
    let execution = job.executor.execute(&job.brief, sink).await;
    if execution.status != ExecutionStatus::Succeeded {
        return execution;
    }
    match collect(job, &execution).await {
        Ok(all) => *found = all,
        Err(error) => return execution.failed_by(error),
    }
    for note in &found.notes {
        sink.print("stderr", &format!("gatehouse: {note}\n"));
    }
    let Some(around) = &job.around else { return execution };
    match around.after(&job.brief, &execution, found, lifecycle, sink).await {
        Ok(()) => execution,
        Err(error) => execution.failed_by(error),
    }
}

/// The files of a step that succeeded.
async fn collect(job: &Job, execution: &Execution) -> Result<Found, String> {
    let run = RunId::from(job.brief.run_id.as_str());
    let (root, outputs, made) = (
        job.brief.project_root.clone(),
        job.outputs.clone(),
        execution.made.clone(),
    );
    // A step that makes nothing should not pay for another thread.
    if outputs.is_empty() && made.is_empty() {
        return Ok(Found::default());
    }
    let since = job.brief.began;
    tokio::task::spawn_blocking(move || artifacts::collect(Path::new(&root), &run, &outputs, &made, since))
        .await
        .unwrap_or_else(|error| Err(format!("the step's files could not be read: {error}")))
}

fn finish(
    brief: &Brief,
    execution: Execution,
    found: Found,
    mut lifecycle: Lifecycle,
    started: engine::At,
    begun: Instant,
) -> Outcome {
    lifecycle.needs.clone_from(&execution.needs);
    let mut blobs = found.blobs;
    let output = beginning(&execution.output, OUTPUT_BYTES - 1).to_owned();
    let whole_output = (output.len() < execution.output.len()).then(|| {
        blobs.push(execution.output.clone().into_bytes());
        store::digest_of(execution.output.as_bytes())
    });
    let transcript = transcript::lines(brief, &execution, &output, started, clock::now().max(started));
    let mut result = StepResult::new(execution.status);
    result.error = execution.error;
    result.report = execution.report;
    result.receipt_readable = execution.receipt_readable;
    result.output = output;
    result.whole_output = whole_output;
    result.duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    result.tokens = execution.tokens;
    result.artifacts = found.artifacts;
    result.transcript = Some(store::digest_of(&transcript));
    result.tools = execution.tools;
    result.answered = execution.answered;
    result.lifecycle = (!lifecycle.is_empty()).then(|| Box::new(lifecycle));
    blobs.push(transcript);
    Outcome { result, blobs }
}
