//! What people say to runs, told by its events: whoever drives a run follows what others append to its log where it is that, with all that
//! follows from it and nothing else.

use crate::{At, Command, Decided, Event, Intent, RouteReason, RunState, decide, decide_idle};
use model::Workflow;

/// What somebody said for an event to be recorded; nothing where drivers alone record it.
pub fn said(event: &Event) -> Option<Intent> {
    Some(match event {
        Event::GateAnswered(decision) => Intent::Answer(decision.clone()),
        Event::Paused { by, given } => Intent::Pause {
            by: by.clone(),
            given: given.clone(),
        },
        Event::Resumed { by, given } => Intent::Resume {
            by: by.clone(),
            given: given.clone(),
        },
        Event::TakenUp { by, given } => Intent::TakeUp {
            by: by.clone(),
            given: given.clone(),
        },
        Event::TakenOver(taken) => Intent::TakeOver(taken.clone()),
        Event::Checkpointed(made) => Intent::Checkpoint {
            by: made.by.clone(),
            name: made.name.clone(),
        },
        Event::AnotherLog(seen) => Intent::AnotherLog(seen.clone()),
        Event::Aborted { by, reason, given } => Intent::Abort {
            by: by.clone(),
            reason: reason.clone(),
            given: given.clone(),
        },
        Event::Reopened { by, choices, .. } => Intent::Reopen {
            by: by.clone(),
            choices: choices.clone(),
        },
        Event::EvidencePromoted(promotion) => Intent::Promote {
            by: promotion.by.clone(),
            evidence: promotion.evidence.clone(),
            to: promotion.to.word().to_owned(),
            reason: promotion.reason.clone(),
            signature: promotion.signature.clone(),
        },
        // A report may have such a field as well.
        Event::Routed(route) if matches!(route.reason, RouteReason::Jump(_)) => Intent::Jump {
            by: route.looked_at.get("by")?.as_str()?.to_owned(),
            to: route.to.clone()?,
        },
        _ => return None,
    })
}

/// How many of these events, with their times, are what somebody said to a run at `known` and all that follows from it: what was due, which
/// may have been a commit of its own, or what the first of them that people say ([`said`]) comes to. `None`: they are something else.
pub fn follows(workflow: &Workflow, known: &RunState, events: &[(At, &Event)]) -> Option<usize> {
    let first = events.first()?;
    // In front of it stands what was due, if a log was cut off.
    let answer = events.iter().find_map(|(at, event)| Some((*at, said(event)?)));
    let commands = answer.into_iter().chain([(first.0, Intent::Proceed)]);
    let mut commands = commands.map(|(at, intent)| Command { at, intent });
    let is_next = |decided: Decided| {
        let decided = decided.events;
        let is_next = decided.iter().zip(events).all(|(event, (_, stored))| event == *stored);
        (is_next && !decided.is_empty() && decided.len() <= events.len()).then_some(decided.len())
    };
    commands.find_map(|command| {
        // Whoever said it may have found nobody who drives the run.
        let mut ways = [decide, decide_idle].into_iter();
        ways.find_map(|decide| is_next(decide(workflow, known, &command).ok()?))
    })
}
