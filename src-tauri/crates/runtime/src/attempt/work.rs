//! The work itself: the executor, within the step's limit of time.

use super::{Attempt, Said, collect};
use crate::clock;
use crate::executor::{Execution, Stop};
use engine::ExecutionStatus;

/// Lets the executor work. What it came to stands, well or not.
pub(super) async fn carry_out(attempt: &mut Attempt) -> Said {
    match collect::prepare(&attempt.job.files, &attempt.job.brief).await {
        Ok(folder) => attempt.job.brief.output_folder = folder,
        Err(why) => return Said::Fail(why),
    }
    let job = &attempt.job;
    let mut work = job.executor.execute(&job.brief, &attempt.sink);
    let limit = job.limit;
    let execution = tokio::select! {
        // Work that ends at once needs no clock.
        biased;
        execution = &mut work => execution,
        () = async { tokio::time::sleep(limit).await } => {
            job.stop.send_if_modified(|stop| {
                let first = stop.is_none();
                stop.get_or_insert(Stop::Timeout);
                first
            });
            let execution = work.await;
            let limit = clock::spoken(limit);
            let error = format!("the step was stopped after {limit}: it did not end within its time limit");
            Execution { status: ExecutionStatus::Failed, error: Some(error), ..execution }
        }
    };
    attempt.execution = execution;
    Said::Continue
}
