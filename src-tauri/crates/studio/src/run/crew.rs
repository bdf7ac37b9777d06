//! Who carried an attempt out, where several agents did. Of several people one question is asked, and one of them answers it
//! for all: nobody else is said to have done anything.

use crate::gate::{asking, people};
use crate::text::safe;
use crate::words;
use engine::{AgentResult, AttemptStarted, Decision, Event, ExecutionStatus, GateOpened, Purpose, StepResult};
use history::Events;
use model::AgentKey;

/// What is told of one of several agents, or of all the people among them.
pub struct Part<'a> {
    /// The agent, or the first one of the people.
    pub agent: &'a AgentKey,
    /// Their name, or the names of the people: `anna or bob`.
    pub name: String,
    /// What they came to, in words.
    pub words: String,
    /// Their own part of the result; absent: the result of the attempt is theirs.
    pub own: Option<&'a AgentResult>,
    /// Whether they began at all.
    pub began: bool,
}

/// The people who were asked with one question; empty: one at most was.
fn asked(started: &AttemptStarted) -> Vec<&AgentKey> {
    let people = started.people();
    if people.len() > 1 { people } else { Vec::new() }
}

/// `anna or bob`.
fn either(people: &[&AgentKey]) -> String {
    let names: Vec<String> = people.iter().map(|one| safe::visible(one.as_str())).collect();
    people::listed(&names, "or").unwrap_or_default()
}

/// Whose work an attempt is: `anna or bob, writer`.
pub fn whose(started: &AttemptStarted) -> String {
    let people = asked(started);
    let mut names = Vec::new();
    for agent in &started.agents {
        match people.iter().position(|one| *one == agent) {
            None => names.push(agent.as_str().to_owned()),
            Some(0) => names.push(either(&people)),
            Some(_) => {}
        }
    }
    names.join(", ")
}

/// What each of several agents came to; `events`: the run's, as far as they are looked at.
pub fn parts<'a>(events: Events<'_>, started: &'a AttemptStarted, result: &'a StepResult) -> Vec<Part<'a>> {
    let people = asked(started);
    let of_people = |first: &'a AgentKey, own: Option<&'a AgentResult>| Part {
        agent: first,
        name: either(&people),
        words: answered(events, started, &people),
        own,
        began: true,
    };
    let mut parts = Vec::new();
    let mut told = false;
    for one in &result.agents {
        match people.contains(&&one.agent) {
            false => parts.push(Part {
                agent: &one.agent,
                name: safe::visible(one.agent.as_str()),
                words: alone(one, started.engine_of(&one.agent).is_person()),
                own: Some(one),
                began: true,
            }),
            // An older log holds a part for each of them.
            true if told => {}
            true => {
                told = true;
                parts.push(of_people(&one.agent, Some(one)));
            }
        }
    }
    // Behind one who failed, or when the attempt was called off, nobody begins.
    let is_left = |agent: &&AgentKey| {
        let has_part = result.agents.iter().any(|one| one.agent == **agent);
        !result.agents.is_empty() && !has_part && !people.contains(agent)
    };
    parts.extend(started.agents.iter().filter(is_left).map(|agent| {
        let name = safe::visible(agent.as_str());
        Part {
            agent,
            words: format!("{name} did not begin"),
            name,
            own: None,
            began: false,
        }
    }));
    match people.first() {
        Some(&first) if parts.is_empty() => vec![of_people(first, None)],
        _ => parts,
    }
}

/// What one of several agents came to. `by_person`: what is measured is not how long they worked.
fn alone(one: &AgentResult, by_person: bool) -> String {
    let (agent, took) = (
        safe::visible(one.agent.as_str()),
        words::duration(one.result.duration_ms),
    );
    match one.result.status {
        ExecutionStatus::Succeeded if by_person => format!("{agent} is done"),
        ExecutionStatus::Succeeded => format!("{agent} done in {took}"),
        ExecutionStatus::Skipped => format!("{agent} skipped it"),
        ExecutionStatus::Failed if by_person => format!("{agent} failed"),
        ExecutionStatus::Failed => format!("{agent} failed after {took}"),
        ExecutionStatus::Blocked => format!("{agent} waits"),
    }
}

/// Who of several people answered for all of them.
fn answered(events: Events<'_>, started: &AttemptStarted, people: &[&AgentKey]) -> String {
    let names = either(people);
    match answer(events, started) {
        Some((opened, decision)) => format!(
            "{names} was asked, and {} {}",
            words::decider(decision),
            asking::answered_in(opened, decision)
        ),
        None => format!("{names} was asked"),
    }
}

/// What was said of the work before the attempt took it up.
fn answer<'a>(events: Events<'a>, started: &AttemptStarted) -> Option<(&'a GateOpened, &'a Decision)> {
    let is_about =
        |opened: &GateOpened| matches!(opened.purpose, Purpose::Outcome { .. }) && opened.instance == started.instance;
    let mut begun = false;
    // The latest first; what they answer lies before them.
    let mut answers: Vec<&Decision> = Vec::new();
    for e in events.iter().rev() {
        match &e.event {
            Event::AttemptStarted(one) => {
                begun |= one.instance == started.instance && one.attempt == started.attempt;
            }
            Event::GateAnswered(decision) if begun => answers.push(decision),
            Event::GateOpened(opened) if begun && is_about(opened) => {
                let is_it = |one: &&&Decision| one.gate == opened.gate && one.round == opened.round;
                if let Some(decision) = answers.iter().find(is_it) {
                    return Some((&**opened, *decision));
                }
            }
            _ => {}
        }
    }
    None
}
