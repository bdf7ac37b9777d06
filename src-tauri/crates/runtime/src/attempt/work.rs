//! The work itself.

use super::care::Care;
use super::collect::{self, Files};
use super::{Attempt, Said};
use crate::artifacts;
use crate::executor::Execution;
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
            let said = otherwise(&attempt.execution, &attempt.job.care);
            match said {
                None => Said::Continue,
                Some(Otherwise::Failed(why)) => Said::Fail(why),
                Some(Otherwise::Skipped) => {
                    attempt.execution.status = ExecutionStatus::Skipped;
                    skipped(attempt).into()
                }
            }
        }
        _ => Said::Continue,
    }
}

/// What a report says of work that is reported to have gone well.
enum Otherwise {
    Failed(String),
    Skipped,
}

/// A report that says of the same work that it went well and that it did not: it is taken at the worse word. Of several agents each has a
/// report of its own: one that failed is enough, and skipped is what all of them skipped.
fn otherwise(execution: &Execution, care: &Care) -> Option<Otherwise> {
    // Where the way on is chosen by a field, this is a value like any other.
    if !care.says_how_it_went {
        return None;
    }
    let skipped = |of: &Execution| of.status == ExecutionStatus::Skipped || status_of(of, "skipped").is_some();
    let parts = &execution.parts;
    if parts.is_empty() {
        return match failed(execution) {
            Some(why) => Some(Otherwise::Failed(why)),
            None => skipped(execution).then_some(Otherwise::Skipped),
        };
    }
    let failed = parts
        .iter()
        .filter_map(|part| Some(format!("{}: {}", part.agent, failed(&part.execution)?)));
    match failed.collect::<Vec<String>>().as_slice() {
        [] => parts
            .iter()
            .all(|part| skipped(&part.execution))
            .then_some(Otherwise::Skipped),
        some => Some(Otherwise::Failed(some.join("; "))),
    }
}

/// The status in a report where it is this word, as it is written there.
fn status_of<'a>(execution: &'a Execution, word: &str) -> Option<&'a str> {
    let status = execution.report.get("status")?.as_str()?.trim();
    status.eq_ignore_ascii_case(word).then_some(status)
}

fn failed(execution: &Execution) -> Option<String> {
    let said = format!("its report has the status `{}`", status_of(execution, "failed")?);
    let why = execution.report.get("error").and_then(|error| error.as_str());
    Some(match why.map(str::trim) {
        None | Some("") => said,
        Some(why) => format!("{said}: {why}"),
    })
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
