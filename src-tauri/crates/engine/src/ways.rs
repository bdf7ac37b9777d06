//! The ways on from a step that has been carried out: what a navigator or a person chooses among, as the recorded router computes
//! its candidates, and how one is chosen (CONTRACTS "Stepwise", `routing_source`; seed 001 "`routing_source` Field").

use crate::routing::{FURTHER_HELP, loop_key, no_way_on, route};
use crate::value::{Values, text};
use crate::{RouteKind, StepResult, Way, WayAction, WayId};
use model::{Routing, Step, StepId, Workflow};
use serde_json::Value;
use std::collections::BTreeMap;

/// The field in which a step's own report says where to go on, as older agents write it.
pub const SIGNAL: &str = "routing_signal";

/// The ways on after a result that did not fail, nearest first. Empty where nothing is chosen: at a fork, in a runbook, in a pipeline.
pub fn ways(step: &Step, workflow: &Workflow, result: &StepResult, loop_state: &BTreeMap<String, u32>) -> Vec<Way> {
    if !workflow.contract().next_reported {
        return Vec::new();
    }
    let values = Values::new(workflow, step, result);
    let status = values.status();
    let by_rule = route(step, workflow, result, loop_state);
    let verified = status == "VERIFIED";
    let mut found = Found {
        all: Vec::new(),
        taken: by_rule.to.clone(),
        near: if verified { 80 } else { 40 },
        end: if verified { 70 } else { 30 },
    };
    let iteration = |to: &StepId| {
        let taken = loop_state.get(&loop_key(&step.id, to)).copied().unwrap_or(0);
        WayId::round(to, taken.saturating_add(1)).to_string()
    };
    match &step.routing {
        Routing::Fork(_) | Routing::Return { .. } | Routing::Transitions { .. } | Routing::Dependencies => {
            return Vec::new();
        }
        Routing::Sequence => found.on(workflow.step_after(step).map(|next| &next.id)),
        Routing::Linear { next } | Routing::Unknown { next, .. } => found.on(next.as_ref()),
        Routing::Terminal => found.on(None),
        Routing::Microloop(m) => {
            let says = m.condition_field.as_deref().and_then(|field| values.text(field));
            let help = values.get(FURTHER_HELP).map(|help| text(&help).to_lowercase());
            // Who says of itself that it is done, cannot go on, or that nothing helps, is not sent round again.
            let done = says.as_deref() == Some("succeeded") && !result.report.is_empty();
            let again = by_rule.decision == RouteKind::Loop && !done && help.as_deref() != Some("no");
            if let Some(target) = m.loop_target.as_ref().filter(|_| again && status != "BLOCKED") {
                found.add(Way {
                    id: iteration(target),
                    ..Way::new(WayAction::Loop, Some(target), 90)
                });
            }
            // Beside another round it is as near as anywhere else.
            found.taken.clone_from(&m.next);
            found.on(m.next.as_ref());
        }
        Routing::Branch(b) => {
            for to in b.branches.values().chain(&b.next) {
                found.on(Some(to));
            }
            if by_rule.to.is_none() {
                found.on(None);
            }
        }
        Routing::Guarded { guards, next } => {
            for guard in guards {
                let taken = loop_state.get(&loop_key(&step.id, &guard.to)).copied().unwrap_or(0);
                match guard.back {
                    false => found.on(Some(&guard.to)),
                    true if taken < guard.most => {
                        let near = if by_rule.to.as_ref() == Some(&guard.to) { 90 } else { 20 };
                        found.add(Way {
                            id: iteration(&guard.to),
                            ..Way::new(WayAction::Loop, Some(&guard.to), near)
                        });
                    }
                    true => {}
                }
            }
            match next {
                Some(next) => found.on(Some(next)),
                // Where none of the conditions holds the end is a way that a person may choose, and none that the file names.
                None if no_way_on(workflow, &by_rule) => found.add(Way::new(WayAction::Terminate, None, 10)),
                None if by_rule.to.is_none() => found.on(None),
                None => {}
            }
        }
    }
    let mut all = found.all;
    if status == "BLOCKED" || no_way_on(workflow, &by_rule) {
        all.push(Way::new(WayAction::Escalate, None, 100));
    }
    if status == "PARTIAL" {
        all.push(Way::new(WayAction::Repeat, Some(&step.id), 50));
    }
    all.sort_by_key(|way| std::cmp::Reverse(way.priority));
    if let Some(first) = all.first_mut() {
        first.is_default = true;
    }
    all.into_iter().map(|way| way.labelled(workflow)).collect()
}

/// The field in which a step's report proposes to go to a step that no way of the workflow leads to: `{to, reason}`.
pub const PROPOSAL: &str = "proposal";

/// What a report proposes: the step as it names it, and why.
pub(crate) fn proposed(result: &StepResult) -> Option<(&str, Option<&str>)> {
    let proposal = result.report.get(PROPOSAL).filter(|_| result.receipt_readable)?;
    let text = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| proposal.get(*name)?.as_str())
            .map(str::trim)
    };
    let to = text(&["to", "to_step", "next_step_id"]).filter(|to| !to.is_empty())?;
    Some((to, text(&["reason", "reasons", "why"]).filter(|why| !why.is_empty())))
}

/// The same ways with others among them, nearest first.
pub(crate) fn with(ways: &mut Vec<Way>, others: impl Iterator<Item = Way>) {
    ways.extend(others);
    ways.sort_by_key(|way| std::cmp::Reverse(way.priority));
    for (n, way) in ways.iter_mut().enumerate() {
        way.is_default = n == 0;
    }
}

/// Ways as they are found, each step once.
struct Found {
    all: Vec<Way>,
    /// Where the rules lead.
    taken: Option<StepId>,
    /// Priority of the way that the rules take, to a step and to the end.
    near: u8,
    end: u8,
}

impl Found {
    /// On to a step, or to the end of the flow.
    fn on(&mut self, to: Option<&StepId>) {
        let by_rule = self.taken.as_ref() == to;
        self.add(match to {
            Some(_) => Way::new(WayAction::Advance, to, if by_rule { self.near } else { 20 }),
            None => Way::new(WayAction::Terminate, None, if by_rule { self.end } else { 10 }),
        });
    }

    fn add(&mut self, way: Way) {
        if self.all.iter().all(|other| other.to != way.to) {
            self.all.push(way);
        }
    }
}

/// What a word of a routing signal means, as the recorded reader takes it: `advance`, `loop`, `terminate` or `branch`; `None`: nothing.
pub fn signal_word(word: &str) -> Option<&'static str> {
    Some(match word.trim().to_lowercase().as_str() {
        "advance" | "continue" => "advance",
        "loop" | "repeat" => "loop",
        "terminate" | "stop" | "exit" => "terminate",
        "branch" | "route" | "switch" | "redirect" => "branch",
        _ => return None,
    })
}

/// The way that the step's own report asks for (`routing_signal`, or the same inside `envelope`), if it is one of these.
pub(crate) fn signalled<'w>(ways: &'w [Way], result: &StepResult) -> Option<&'w Way> {
    let report = &result.report;
    let signal = report.get(SIGNAL).or_else(|| report.get("envelope")?.get(SIGNAL))?;
    let word = |field: &str| signal.get(field).and_then(Value::as_str).map(str::trim);
    let named = word("next_step_id")
        .or_else(|| word("to_step"))
        .filter(|to| !to.is_empty());
    // A word that nobody knows asks for nothing.
    let decision = signal_word(word("decision").unwrap_or("advance"))?;
    let to_a_step = named.is_some() && decision == "branch";
    let leads = |way: &&Way| way.to.as_ref().map(StepId::as_str) == named;
    let is_asked = |way: &&Way| match way.action {
        WayAction::Terminate => decision == "terminate",
        // A person alone goes where no way leads.
        WayAction::Escalate | WayAction::Extend | WayAction::LeaveOut => false,
        WayAction::Detour => to_a_step && leads(way),
        WayAction::Advance => to_a_step && leads(way) || decision == "advance" && (named.is_none() || leads(way)),
        WayAction::Loop | WayAction::Repeat => {
            to_a_step && leads(way) || decision == "loop" && (named.is_none() || leads(way))
        }
        WayAction::Other(_) => false,
    };
    ways.iter().find(is_asked)
}

/// What taking a way means for the token.
pub(crate) fn kind(way: &Way) -> RouteKind {
    match way.action {
        WayAction::Loop | WayAction::Repeat => RouteKind::Loop,
        WayAction::Terminate => RouteKind::Terminate,
        _ => RouteKind::Advance,
    }
}
