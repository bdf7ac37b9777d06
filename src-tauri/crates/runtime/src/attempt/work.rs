//! The work itself.

use super::care::Care;
use super::collect::{self, Files};
use super::{Attempt, Said};
use crate::artifacts;
use crate::executor::Execution;
use dialect::stepspec::checks_nothing;
use engine::{ExecutionStatus, Level};
use model::AgentKey;
use model::step::Output;
use serde_json::Value;

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
                None => {
                    name_unknown(attempt);
                    Said::Continue
                }
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

/// Words that say of work that it did not go well, as [`plain`] writes them.
const BADLY: [&str; 25] = [
    "abort",
    "aborted",
    "broken",
    "cancelled",
    "canceled",
    "crashed",
    "err",
    "error",
    "errored",
    "exception",
    "failing",
    "fatal",
    "incomplete",
    "killed",
    "nok",
    "panic",
    "fail",
    "failed",
    "failure",
    "false",
    "ko",
    "timed_out",
    "timeout",
    "unsuccessful",
    "not_ok",
];
/// Words that say that it was left out.
const LEFT_OUT: [&str; 2] = ["skip", "skipped"];
/// Words that say that it went well.
const WELL: [&str; 14] = [
    "approved",
    "complete",
    "completed",
    "done",
    "finished",
    "ok",
    "okay",
    "pass",
    "passed",
    "succeeded",
    "success",
    "successful",
    "true",
    "verified",
];

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
    let skipped = |of: &Execution| of.status == ExecutionStatus::Skipped || status_of(of, &LEFT_OUT).is_some();
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

/// A word in lower case, without what surrounds and separates.
fn plain(word: &str) -> String {
    word.trim().to_lowercase().replace([' ', '-'], "_")
}

/// The word of a status as [`plain`] writes it, without what is said behind it: `failed: no space left`.
fn word_of(status: &str) -> String {
    plain(status.split([':', '.', '!', ',', ';']).next().unwrap_or_default())
}

/// The status in a report where it is one of these words, as it is written there.
fn status_of<'a>(execution: &'a Execution, words: &[&str]) -> Option<&'a str> {
    let status = execution.report.get("status")?.as_str()?.trim();
    words.contains(&word_of(status).as_str()).then_some(status)
}

fn failed(execution: &Execution) -> Option<String> {
    let report = &execution.report;
    let is_false = |said: &Value| match said {
        Value::Bool(said) => !said,
        Value::String(said) => plain(said) == "false",
        _ => false,
    };
    let said = match status_of(execution, &BADLY) {
        Some(status) => format!("its report has the status `{status}`"),
        None if report.get("status") == Some(&Value::Bool(false)) => "its report has the status `false`".to_owned(),
        None if report.get("success").is_some_and(is_false) => "its report says `success: false`".to_owned(),
        None => return None,
    };
    let why = report.get("error").and_then(|error| error.as_str());
    Some(match why.map(str::trim) {
        None | Some("") => said,
        Some(why) => format!("{said}: {why}"),
    })
}

/// Says of every status that is no word for how work went that it counted for nothing: whoever reads the log is told what was passed over.
fn name_unknown(attempt: &Attempt) {
    if !attempt.job.care.says_how_it_went {
        return;
    }
    let whole = &attempt.execution;
    let each: Vec<(Option<&AgentKey>, &Execution)> = match whole.parts.as_slice() {
        [] => vec![(None, whole)],
        parts => parts.iter().map(|part| (Some(&part.agent), &part.execution)).collect(),
    };
    for (agent, execution) in each {
        let Some(status) = execution.report.get("status").filter(|status| !is_known(status)) else {
            continue;
        };
        let said = status
            .as_str()
            .map_or_else(|| status.to_string(), |word| word.trim().to_owned());
        let whose = agent.map(|agent| format!(" of {agent}")).unwrap_or_default();
        attempt.sink.print(
            "stderr",
            &format!(
                "gatehouse: the report{whose} has the status `{said}`, which is no word for how work went; it counts as done\n"
            ),
        );
    }
}

/// Whether it is known what a status says of work; where there is none nothing is said.
fn is_known(status: &Value) -> bool {
    match status {
        Value::Null | Value::Bool(true) => true,
        Value::String(word) => {
            let word = word_of(word);
            let mut words = WELL.iter().chain(&BADLY).chain(&LEFT_OUT);
            word.is_empty() || words.any(|known| *known == word)
        }
        _ => false,
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
