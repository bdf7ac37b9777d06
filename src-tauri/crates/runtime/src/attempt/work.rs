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
    let says_failed = |own: &Execution| matches!(heard(&own.report, &job.care), Some(Otherwise::Failed(_)));
    let execution = job.crew.carry_out(&job.brief, &attempt.sink, &says_failed).await;
    attempt.execution = execution;
    match attempt.execution.status {
        ExecutionStatus::Skipped => skipped(attempt).into(),
        ExecutionStatus::Succeeded => match otherwise(&mut attempt.execution, &attempt.job.care) {
            None => {
                name_passed_over(attempt);
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

/// What the report of an agent says otherwise of work that is reported to have gone well.
fn heard(report: &Fields, care: &Care) -> Option<Otherwise> {
    let enveloped = report.get("envelope").and_then(|envelope| envelope.get(SIGNAL));
    let fields = [NEXT_STEP, SIGNAL, PROPOSAL];
    let mut named = fields.iter().filter_map(|field| report.get(*field)).chain(enveloped);
    // Where the report names the way on, all of it is a value like any other.
    if care.of_flow && named.any(|named| !named.is_null()) {
        return None;
    }
    let said = verdict::otherwise(report, |field| care.is_value(field));
    said.filter(|said| care.says_how_it_went || *said == Otherwise::Skipped && leaves_the_way_open(report, care))
}

/// Whether a report has none of the fields that the way on is chosen by: who left the work out has said nothing of it.
fn leaves_the_way_open(report: &Fields, care: &Care) -> bool {
    let read = care.step.routing.fields();
    !read.is_empty() && read.iter().all(|field| !report.contains_key(*field))
}

/// Takes every report at its word that says of work which is reported to have gone well that it did not. Of several agents each has a report
/// of its own: one that failed is enough, and skipped is what all of them skipped.
fn otherwise(execution: &mut Execution, care: &Care) -> Option<Otherwise> {
    if execution.parts.is_empty() {
        return heard(&execution.report, care);
    }
    let mut failed = Vec::new();
    for part in &mut execution.parts {
        let own = &mut part.execution;
        match heard(&own.report, care).filter(|_| own.status == ExecutionStatus::Succeeded) {
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

/// Says of every status that is no word for how work went, and of what may count what the work has found, that it counted for nothing:
/// whoever reads the log is told what was passed over.
fn name_passed_over(attempt: &Attempt) {
    let care = &attempt.job.care;
    let whole = &attempt.execution;
    let each: Vec<(Option<&AgentKey>, &Execution)> = match whole.parts.as_slice() {
        [] => vec![(None, whole)],
        parts => parts.iter().map(|part| (Some(&part.agent), &part.execution)).collect(),
    };
    for (agent, execution) in each {
        let whose = agent.map(|agent| format!(" of {agent}")).unwrap_or_default();
        let status = verdict::unknown(&execution.report).filter(|_| !care.of_flow && !care.is_value(DECIDES));
        if let Some(said) = status {
            attempt.sink.remark(&format!(
                "the report{whose} has the status `{said}`, which is no word for how work went; it counts as done"
            ));
        }
        let counted = verdict::counted(&execution.report, |field| care.is_value(field));
        if let Some(said) = counted.filter(|_| care.says_how_it_went) {
            attempt.sink.remark(&format!(
                "the report{whose} has {said}, which may be what the work found; it counts as done"
            ));
        }
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
