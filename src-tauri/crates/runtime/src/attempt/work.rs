//! The work itself.

use super::care::Care;
use super::collect::{self, Files};
use super::verdict::{self, Otherwise};
use super::{Attempt, Said};
use crate::artifacts;
use crate::executor::Execution;
use dialect::stepspec::checks_nothing;
use engine::routing::NEXT_STEP;
use engine::ways::{PROPOSAL, SIGNAL};
use engine::{ExecutionStatus, Level};
use model::routing::DECIDES;
use model::step::Output;
use model::{AgentKey, Fields};

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
        ExecutionStatus::Succeeded => match otherwise(&mut attempt.execution, &attempt.job.care) {
            None => {
                name_unknown(attempt);
                Said::Continue
            }
            Some(Otherwise::Failed(why)) => Said::Fail(why),
            Some(Otherwise::Skipped) => {
                attempt.execution.status = ExecutionStatus::Skipped;
                skipped(attempt).into()
            }
        },
        _ => Said::Continue,
    }
}

/// Takes every report at its word that says of work which is reported to have gone well that it did not. Of several agents each has a report
/// of its own: one that failed is enough, and skipped is what all of them skipped.
fn otherwise(execution: &mut Execution, care: &Care) -> Option<Otherwise> {
    // Where the way on is chosen by what is reported, all of it is a value like any other.
    if !care.says_how_it_went {
        return None;
    }
    let names_way = |report: &Fields| {
        let enveloped = report.get("envelope").and_then(|envelope| envelope.get(SIGNAL));
        let fields = [NEXT_STEP, SIGNAL, PROPOSAL];
        let mut named = fields.iter().filter_map(|field| report.get(*field)).chain(enveloped);
        care.of_flow && named.any(|named| !named.is_null())
    };
    let heard = |report: &Fields| match names_way(report) {
        true => None,
        false => verdict::otherwise(report, |field| care.is_value(field)),
    };
    if execution.parts.is_empty() {
        return heard(&execution.report);
    }
    let mut failed = Vec::new();
    for part in &mut execution.parts {
        let own = &mut part.execution;
        match heard(&own.report).filter(|_| own.status == ExecutionStatus::Succeeded) {
            None => {}
            Some(Otherwise::Skipped) => own.status = ExecutionStatus::Skipped,
            Some(Otherwise::Failed(why)) => {
                failed.push(format!("{}: {why}", part.agent));
                own.status = ExecutionStatus::Failed;
                own.error = Some(why);
            }
        }
    }
    if !failed.is_empty() {
        return Some(Otherwise::Failed(failed.join("; ")));
    }
    let mut parts = execution.parts.iter();
    parts
        .all(|part| part.execution.status == ExecutionStatus::Skipped)
        .then_some(Otherwise::Skipped)
}

/// Says of every status that is no word for how work went that it counted for nothing: whoever reads the log is told what was passed over.
fn name_unknown(attempt: &Attempt) {
    let care = &attempt.job.care;
    if care.of_flow || care.is_value(DECIDES) {
        return;
    }
    let whole = &attempt.execution;
    let each: Vec<(Option<&AgentKey>, &Execution)> = match whole.parts.as_slice() {
        [] => vec![(None, whole)],
        parts => parts.iter().map(|part| (Some(&part.agent), &part.execution)).collect(),
    };
    for (agent, execution) in each {
        let Some(said) = verdict::unknown(&execution.report) else {
            continue;
        };
        let whose = agent.map(|agent| format!(" of {agent}")).unwrap_or_default();
        attempt.sink.remark(&format!(
            "the report{whose} has the status `{said}`, which is no word for how work went; it counts as done"
        ));
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
