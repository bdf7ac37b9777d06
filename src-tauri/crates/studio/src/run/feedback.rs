//! What agents report to those before them, as a run shows it: what was reported, and how it stands.

use crate::run::reasons::issue;
use crate::text::safe::visible;
use crate::words;
use engine::{FeedbackLoop, FeedbackStatus, Limits, RunState};
use model::{Feedback, StepId, Workflow};

/// How a loop stands, or how it ended.
pub fn stands(one: &FeedbackLoop) -> String {
    let said = match (&one.ended, one.status) {
        (Some((how, _)), FeedbackStatus::Escalated | FeedbackStatus::Ignored) => how.clone(),
        (Some((how, _)), status) => format!("{}: {how}", status.word()),
        (None, FeedbackStatus::Acknowledged) => {
            let why = one.acknowledged.last().map_or("", |(said, _)| said.reason.as_str());
            format!("left as it is: {why}")
        }
        (None, FeedbackStatus::Escalated) => "a person is asked".to_owned(),
        (None, _) if !one.awaits.is_empty() => "sent back".to_owned(),
        (None, _) => "done again; not settled yet".to_owned(),
    };
    visible(&said)
}

/// How far a workflow lets its steps send work back, where it says so itself.
pub fn bounds(workflow: &Workflow, limits: &Limits) -> Option<String> {
    let own = Feedback::of(workflow);
    if own.is_empty() {
        return None;
    }
    let whom = own
        .escalate_to
        .map_or_else(|| "a person".to_owned(), |who| visible(who.as_str()));
    let far = match limits.feedback_rounds {
        _ if workflow.contract().by_hand => return Some(format!("What an agent reports goes to {whom} at once.")),
        0 => return Some(format!("What a step reports to earlier ones goes to {whom} at once.")),
        rounds => words::count(rounds as usize, "time", "times"),
    };
    let long = words::duration(limits.feedback_ms);
    Some(format!(
        "A step sends work back at most {far}, and one issue goes to and fro for at most {long}; then {whom} decides."
    ))
}

/// Of a route that issues led back: how bad each is, and how it stands by now.
pub fn of_route(state: &RunState, ids: &str) -> String {
    let loops = ids.split('+').filter_map(|id| state.feedback.get(id));
    let each = loops.map(|one| {
        let last = one.last();
        let kind = last.kind.title().to_lowercase();
        visible(&format!(" {} ({kind}, {}): {}.", last.id, last.severity, stands(one)))
    });
    each.collect()
}

/// Every issue of a run: what was reported last, and how it stands.
pub fn all(workflow: &Workflow, state: &RunState) -> Vec<(String, String)> {
    let each = state.feedback.all();
    each.map(|one| (issue(workflow, one.last()), stands(one))).collect()
}

/// What a step is to look at now.
pub fn for_step(workflow: &Workflow, state: &RunState, step: &StepId) -> Vec<String> {
    state
        .feedback
        .for_step(step)
        .map(|one| issue(workflow, one.last()))
        .collect()
}
