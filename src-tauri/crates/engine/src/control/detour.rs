//! Detours: which of them a visit may take, which one its file says is due, and how often each has been taken (CONTRACTS "Stepwise",
//! `navigator:detour`). Where a detour leads back to is its last step's routing.

use super::commit::Commit;
use crate::routing::{holds_of, loop_key, named_next};
use crate::value::holds;
use crate::{
    Alternative, DetourMove, Instance, RouteDecision, RouteKind, RouteReason, StepResult, Way, WayAction, WayId,
    WhyNot, WhyNotCode,
};
use model::{Back, Detour, Fields, Routing, Step, StepId, Trigger, detour, routing::Condition};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How near one lies that is only offered: behind every way that an edge leads along.
const OFFERED: u8 = 15;
/// The fields in which a step's report says which files it changed.
const CHANGED: [&str; 3] = ["changed_paths", "files_changed", "changed_files"];

/// A detour that a visit may take.
pub(crate) struct Offer<'w> {
    pub(crate) detour: &'w Detour,
    /// Its triggers hold, or the step's report names it.
    pub(crate) due: bool,
    /// The step's report names its first step as the next.
    named: bool,
}

/// The detours of a step, as a visit finds them.
pub(crate) struct Offers<'w> {
    /// Those that may be taken, the most important first.
    pub(crate) open: Vec<Offer<'w>>,
    /// Those that are not taken by rule, each with why.
    passed: Vec<Alternative>,
    /// What their triggers looked at.
    looked_at: Fields,
}

impl<'w> Commit<'w> {
    /// The detours that a visit may take.
    pub(crate) fn detours(&self, step: &'w Step, instance: &Instance, result: &StepResult) -> Offers<'w> {
        let mut found = Offers {
            open: Vec::new(),
            passed: Vec::new(),
            looked_at: Fields::new(),
        };
        let taken = self
            .now
            .visit(instance)
            .map_or(&[][..], |visit| visit.detours.as_slice());
        let uses = match step.detours.is_empty() {
            true => BTreeMap::new(),
            false => self.uses(),
        };
        let next = match step.detours.is_empty() {
            true => None,
            false => named_next(self.workflow, step, result),
        };
        for detour in &step.detours {
            // It has led back to this very visit.
            if taken.contains(&detour.id) {
                continue;
            }
            let mut pass = |why_not: WhyNot| {
                found.passed.push(Alternative {
                    to: Some(detour.first.clone()),
                    why_not,
                });
            };
            if uses.get(detour.id.as_str()).copied().unwrap_or_default() >= detour.max_uses {
                pass(WhyNotCode::DetourUsedUp.of(detour.max_uses));
                continue;
            }
            let named = next.as_ref() == Some(&detour.first);
            let due = match self.is_due(step, detour, result, &mut found.looked_at) {
                _ if named => true,
                Ok(due) => due,
                Err(why) => {
                    let when = detour.when().unwrap_or_default();
                    pass(WhyNotCode::ConditionFailed.of(format_args!("{when}: {why}")));
                    false
                }
            };
            match detour.when() {
                _ if named => {}
                None => pass(WhyNotCode::DetourOffered.into()),
                Some(when) if !due => pass(WhyNotCode::DetourNotDue.of(when)),
                Some(_) => {}
            }
            if due || detour.triggers.is_empty() {
                found.open.push(Offer { detour, due, named });
            }
        }
        found
            .open
            .sort_by_key(|offer| (!offer.named, !offer.due, std::cmp::Reverse(offer.detour.priority)));
        found
    }

    /// How often each detour has been taken in this run, from whichever step.
    fn uses(&self) -> BTreeMap<&'w str, u32> {
        let mut uses = BTreeMap::new();
        // Without a counter none has been taken.
        let steps = self.workflow.steps().iter().filter(|_| !self.now.loop_state.is_empty());
        for (step, detour) in steps.flat_map(|step| step.detours.iter().map(move |detour| (step, detour))) {
            if let Some(count) = self.now.loop_state.get(&loop_key(&step.id, &detour.first)) {
                *uses.entry(detour.id.as_str()).or_default() += count;
            }
        }
        uses
    }

    fn is_due(
        &self,
        step: &Step,
        detour: &Detour,
        result: &StepResult,
        looked_at: &mut Fields,
    ) -> Result<bool, String> {
        let mut due = detour.all && !detour.triggers.is_empty();
        for trigger in &detour.triggers {
            let holds = self.holds(step, trigger, result, looked_at)?;
            due = if detour.all { due && holds } else { due || holds };
        }
        Ok(due)
    }

    fn holds(
        &self,
        step: &Step,
        trigger: &Trigger,
        result: &StepResult,
        looked_at: &mut Fields,
    ) -> Result<bool, String> {
        let mut number = |field: &str, number: usize, operator, value| {
            let number = Value::from(number);
            looked_at.insert(field.to_owned(), number.clone());
            holds(Some(&number), operator, value)
        };
        Ok(match trigger {
            Trigger::Reported(condition) => {
                // A condition that says nothing holds of everything, as it does on an edge.
                if *condition == Condition::Always {
                    return Ok(true);
                }
                let (holds, looked) = holds_of(step, self.workflow, result, &self.now.loop_state, condition);
                looked_at.extend(looked);
                holds?
            }
            Trigger::Stalled { operator, value } => number("stall_count", self.stalled(step), operator, value),
            Trigger::Visits { operator, value } => {
                let visits = self.now.steps.get(&step.id).map_or(0, |step| step.visits.len());
                number("iteration", visits, operator, value)
            }
            Trigger::Path { pattern } => {
                let made = result.artifacts.iter().filter(|artifact| !artifact.was_there);
                let made = made.map(|artifact| artifact.path.as_str());
                let said = CHANGED.iter().filter_map(|field| result.report.get(*field)?.as_array());
                let said = said.flatten().filter_map(Value::as_str);
                let like = made.chain(said).find(|path| detour::is_like(path, pattern));
                if let Some(path) = like {
                    looked_at.insert("file".to_owned(), path.into());
                }
                like.is_some()
            }
        })
    }

    /// How many visits in a row, up to this one, ended as the one before did: with the same status, error and report.
    fn stalled(&self, step: &Step) -> usize {
        let Some(state) = self.now.steps.get(&step.id) else {
            return 0;
        };
        let mut visits = state.visits.iter().rev().map(|visit| visit.result());
        let Some(Some(last)) = visits.next() else { return 0 };
        let same = |other: &Option<&StepResult>| {
            other.is_some_and(|other| {
                other.status == last.status && other.error == last.error && other.report == last.report
            })
        };
        visits.take_while(same).count()
    }

    /// Whether a route leads into a detour that does not lead back to the step: what stands behind it stands before the detour then.
    pub(crate) fn leaves_for_good(&self, step: &Step, route: &RouteDecision) -> bool {
        let Some(DetourMove::Out { id, .. }) = &route.detour else {
            return false;
        };
        let taken = step.detours.iter().find(|detour| detour.id == *id);
        taken.is_some_and(|detour| self.leads_away(&step.id, detour))
    }

    /// Whether a detour from a step, or one that leaves it on the way, may end elsewhere. Detours in detours are three deep at most.
    fn leads_away(&self, from: &StepId, detour: &Detour) -> bool {
        if let Back::To(to) = &detour.back {
            return to != from;
        }
        let mut next = self.workflow.step(&detour.first);
        while let Some(step) = next.filter(|step| step.detour_from.as_ref() == Some(from)) {
            if step.detours.iter().any(|inner| self.leads_away(&step.id, inner)) {
                return true;
            }
            next = match &step.routing {
                Routing::Linear { next: Some(next) } => self.workflow.step(next),
                _ => None,
            };
        }
        false
    }

    /// The rules' way, or the detour that is due before it.
    pub(crate) fn by_detour(&self, step: &Step, offers: &Offers<'_>, by_rule: RouteDecision) -> RouteDecision {
        let mut route = match offers.open.first().filter(|offer| offer.due) {
            Some(offer) => self.aside(step, offer, by_rule),
            None => by_rule,
        };
        route.looked_at.extend(offers.looked_at.clone());
        route.alternatives.extend(offers.passed.iter().cloned());
        route
    }

    /// The route into a detour, instead of another one.
    fn aside(&self, step: &Step, offer: &Offer<'_>, instead: RouteDecision) -> RouteDecision {
        let detour = offer.detour;
        let mut alternatives = instead.alternatives;
        alternatives.insert(
            0,
            Alternative {
                to: instead.to,
                why_not: WhyNotCode::DetourTaken.of(&detour.id),
            },
        );
        let id = || detour.id.clone();
        RouteDecision {
            to: Some(detour.first.clone()),
            decision: RouteKind::Advance,
            reason: match detour.injected {
                _ if offer.named => RouteReason::ExplicitNextStep,
                true => RouteReason::Injection(id()),
                false => RouteReason::Detour(id()),
            },
            source: match offer.named {
                true => crate::RouteSource::FastPath,
                false => crate::RouteSource::Deterministic,
            },
            edge: None,
            alternatives,
            loop_state: Arc::new(counted(&self.now.loop_state, step, detour)),
            detour: Some(out(detour)),
            ..instead
        }
    }
}

/// What a route into a detour means.
pub(crate) fn out(detour: &Detour) -> DetourMove {
    DetourMove::Out {
        id: detour.id.clone(),
        on: detour.back == Back::Advance,
    }
}

/// The counters after a detour has been taken once more.
pub(crate) fn counted(counters: &BTreeMap<String, u32>, step: &Step, detour: &Detour) -> BTreeMap<String, u32> {
    let mut counters = counters.clone();
    let taken = counters.entry(loop_key(&step.id, &detour.first)).or_default();
    *taken = taken.saturating_add(1);
    counters
}

impl Offer<'_> {
    /// The same as a way that somebody may choose.
    pub(crate) fn way(&self) -> Way {
        let detour = self.detour;
        let near = if self.due { Way::DUE } else { OFFERED };
        Way {
            id: WayId::detour(&detour.id).to_string(),
            label: format!("First “{}”", detour.name),
            ..Way::new(WayAction::Detour, Some(&detour.first), near)
        }
    }
}
