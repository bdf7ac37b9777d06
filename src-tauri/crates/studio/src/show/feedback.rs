//! What agents report to those before them, in words: who, to whom, how bad, the how-manieth time, and how it ended.

use super::{asking, words};
use engine::{
    FeedbackGiven, FeedbackLimit, FeedbackLoop, FeedbackStatus, FeedbackTarget, RouteDecision, RunState, SentBack,
};
use model::{StepId, Workflow};

/// `“Build” (developer) reports to “Design”: constraint, error; 1 of 3: Too slow.`
pub fn given(workflow: &Workflow, given: &FeedbackGiven) -> String {
    let from = asking::step_of(workflow, &given.from);
    let agent = given.agent.as_ref();
    let agent = agent.map_or_else(String::new, |agent| {
        format!(" ({})", super::log::visible(agent.as_str()))
    });
    let to: Vec<String> = given.targets.iter().map(|to| target(workflow, to)).collect();
    let to = if to.is_empty() {
        "nobody".to_owned()
    } else {
        to.join(" and ")
    };
    let kind = super::log::visible(&given.kind.title().to_lowercase());
    let severity = super::log::visible(given.severity.as_str());
    let message = super::log::visible(&given.message);
    let mut why: Vec<String> = given.fault.iter().map(|fault| fault.words("")).collect();
    let faults = given
        .targets
        .iter()
        .filter_map(|to| Some(to.fault.as_ref()?.words(&to.named)));
    why.extend(faults.map(|fault| super::log::visible(&fault)));
    why.extend(given.limit.as_ref().map(|limit| match limit {
        FeedbackLimit::Time => "its time is over".to_owned(),
        _ => format!(
            "it has sent work back {}, the most it may",
            words::count(given.most as usize, "time", "times")
        ),
    }));
    let round = match why.is_empty() {
        true => format!("; {} of at most {}", given.round, given.most),
        false => format!("; a person decides: {}", why.join("; ")),
    };
    format!("{from}{agent} reports to {to}: {kind}, {severity}{round}. {message}")
}

/// The step, and the agent where it was named so.
fn target(workflow: &Workflow, target: &FeedbackTarget) -> String {
    let named = super::log::visible(&target.named);
    match &target.step {
        Some(step) => {
            let name = words::step_ref(workflow, step).name;
            match target.named == step.as_str() || target.named == name {
                true => format!("“{name}”"),
                false => format!("“{name}” ({named})"),
            }
        }
        None => format!("“{named}”"),
    }
}

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
    super::log::visible(&said)
}

/// Every issue of a run: what was reported last, and how it stands.
pub fn all(workflow: &Workflow, state: &RunState) -> Vec<(String, String)> {
    let each = state.feedback.all();
    each.map(|one| (given(workflow, one.last()), stands(one))).collect()
}

/// What a step is to look at now.
pub fn for_step(workflow: &Workflow, state: &RunState, step: &StepId) -> Vec<String> {
    state
        .feedback
        .for_step(step)
        .map(|one| given(workflow, one.last()))
        .collect()
}

/// What follows when stages are done again because of a report: `“D” reported an issue, so “A” is done again, and what lies between.`
pub fn sent_back(workflow: &Workflow, sent: &SentBack) -> String {
    let name = |id: &StepId| format!("“{}”", words::step_ref(workflow, id).name);
    let to: Vec<String> = sent.to.iter().map(name).collect();
    let verb = if to.len() == 1 { "is" } else { "are" };
    let between = if sent.again.len() > 1 {
        ", and so is what lies between"
    } else {
        ""
    };
    let by = if sent.by_person { "; a person decided so" } else { "" };
    format!(
        "{} reported an issue with earlier work{by}: {} {verb} done again{between}.",
        asking::step_of(workflow, &sent.from),
        to.join(" and ")
    )
}

/// Why a route leads back: what was reported.
pub fn why(workflow: &Workflow, route: &RouteDecision) -> String {
    let from = asking::step_of(workflow, &route.from);
    let said: Vec<String> = route.looked_at.values().map(words::value).collect();
    let to = route
        .to
        .as_ref()
        .map(|to| format!("“{}”", words::step_ref(workflow, to).name));
    let round = route.loop_count.map_or_else(String::new, |count| {
        format!(": {} of at most {}", count.taken + 1, count.max)
    });
    format!(
        "{from} reported an issue with earlier work, so it went back to {}{round}. {}",
        to.unwrap_or_else(|| "nowhere".to_owned()),
        said.join(" ")
    )
}
