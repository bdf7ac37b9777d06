//! A scenario carried out in memory, with its verdict.

use super::front::{Content, Listed};
pub use super::verdict::{Finder, Station, Trial};
use super::verdict::{ending, nothing, seen};
use super::{Rehearsal, Setting, teller};
use crate::scenario::Scenario;
use model::Workflow;

/// Tries a scenario of a file's front matter. `own` is the file's path: commands name it; `find` gives the text of others.
pub fn listed(workflow: &Workflow, setting: &Setting, own: &str, listed: &Listed, find: Finder<'_>) -> Trial {
    let mut trial = match &listed.content {
        Ok(Content::Commands { commands, result }) => {
            teller::commands_of(workflow, setting, own, &listed.name, commands, *result, find)
        }
        Ok(Content::Script { text, scenario }) => Trial {
            script: Some(text.clone()),
            ..scenario_of(workflow, setting, scenario)
        },
        Err(problem) => nothing(unread(problem)),
    };
    trial.name.clone_from(&listed.name);
    trial.description.clone_from(&listed.description);
    trial
}

/// Why a scenario of a file's front matter can be started in no way, as its text alone says, one sentence; [`listed`] finds
/// the rest. Nothing is carried out.
pub fn fault(workflow: &Workflow, setting: &Setting, own: &str, listed: &Listed) -> Option<String> {
    match &listed.content {
        Ok(Content::Commands { commands, .. }) => teller::before_start(workflow, setting, own, commands),
        Ok(Content::Script { .. }) => None,
        Err(problem) => Some(unread(problem)),
    }
}

fn unread(problem: &str) -> String {
    format!("It cannot be read: {problem}.")
}

/// Tries a scenario of any format.
pub fn scenario_of(workflow: &Workflow, setting: &Setting, scenario: &Scenario) -> Trial {
    let strangers = scenario.strangers(workflow);
    let mut trial = match Rehearsal::play(workflow, setting, scenario) {
        Ok(rehearsal) => {
            let mut problems = strangers;
            problems.extend(scenario.check(workflow, rehearsal.state()));
            let words = match problems.as_slice() {
                [] if scenario.expect.is_none() => {
                    format!("{}; its scenario does not say how it should end.", ending(&rehearsal))
                }
                [] => format!("{}, as expected.", ending(&rehearsal)),
                problems => sentences(problems),
            };
            let left_over = scenario.left_over(workflow, rehearsal.state());
            Trial {
                notes: left_over.iter().map(|one| sentence(one)).collect(),
                ..seen(&rehearsal, problems.is_empty(), words)
            }
        }
        Err(refusal) => nothing(refusal.message),
    };
    trial.name.clone_from(&scenario.name);
    trial.description.clone_from(&scenario.description);
    trial.prompted = setting.prompted;
    trial.expects = scenario.expect.is_some();
    trial
}

fn sentences(problems: &[String]) -> String {
    let all: Vec<String> = problems.iter().map(|problem| sentence(problem)).collect();
    all.join(" ")
}

fn sentence(problem: &str) -> String {
    let mut letters = problem.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str())
}
