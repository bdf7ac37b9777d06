//! The work itself.

use super::collect::{self, Files};
use super::{Attempt, Said};
use crate::artifacts;
use dialect::stepspec::checks_nothing;
use engine::{ExecutionStatus, Level};
use model::step::Output;

/// Lets those who do it work. What it came to stands, well or not.
pub(super) async fn carry_out(attempt: &mut Attempt) -> Said {
    match collect::prepare(&attempt.job.files, &attempt.job.brief, &attempt.sink).await {
        Ok(folder) => attempt.job.brief.output_folder = folder,
        Err(why) => return Said::Fail(why),
    }
    let job = &attempt.job;
    let execution = job.crew.carry_out(&job.brief, &attempt.sink).await;
    attempt.execution = execution;
    match attempt.execution.status {
        ExecutionStatus::Skipped => skipped(attempt).into(),
        ExecutionStatus::Succeeded => {
            // Work that ended well has no reason why it failed, whatever its report says.
            attempt.execution.error = None;
            Said::Continue
        }
        _ => Said::Continue,
    }
}

/// Whether the step lets its agent skip it.
///
/// # Errors
/// What it demands, which an agent cannot pass by.
fn skipped(attempt: &Attempt) -> Result<(), String> {
    let step = &attempt.job.care.step;
    let makes = match &attempt.job.files {
        Files::OnDisk {
            declared,
            demanded: true,
            ..
        } => declared
            .iter()
            .any(|output| !Output::of(output).optional && artifacts::is_path(Output::of(output).path)),
        _ => false,
    };
    let checked = !checks_nothing(step.validation.as_deref().unwrap_or_default());
    let evidence = step.evidence.as_deref().and_then(Level::from_word).is_some();
    let demands: Vec<&str> = [(makes, "outputs"), (checked, "validation"), (evidence, "evidence")]
        .into_iter()
        .filter_map(|(demanded, what)| demanded.then_some(what))
        .collect();
    match demands.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "the agent reports that it skipped the step, which demands {} and so cannot be skipped by whoever does it",
            demands.join(" and ")
        )),
    }
}
