//! Which way a token takes, and who decides it: an explicit next step, the rules of the file, a navigator, the step's own signal, a
//! person (CONTRACTS "Stepwise", `routing_source`).

use super::bars::{detour_asks, gates_between};
use super::commit::Commit;
use super::detour::{Offer, Offers};
use crate::routing::{loop_key, no_way_on};
use crate::value::{Values, text};
use crate::ways::{SIGNAL, kind, proposed, signalled, ways};
use crate::{
    Alternative, Answer, Decision, DetourMove, Event, GateId, GateOpened, GateReason, Instance, NavigatorAsked,
    NavigatorSaid, Purpose, RouteDecision, RouteKind, RouteReason, RouteSource, RoutingMode, StepResult, Visit, Way,
    WayAction, WayId, WhyNot, WhyNotCode, doer, gate,
};
use model::{GateAt, GateRequirement, Routing, Step};
use std::sync::Arc;

impl Commit<'_> {
    /// The way on from a visit; `None`: whoever is to decide it has been asked.
    pub(crate) fn way_on(&mut self, step: &Step, instance: &Instance, result: &StepResult) -> Option<RouteDecision> {
        let offers = self.detours(step, instance, result);
        let by_rule = self.by_rule(step, instance, result);
        let by_rule = match by_rule.reason {
            RouteReason::ExplicitNextStep => by_rule,
            _ => self.by_detour(step, &offers, by_rule),
        };
        let aside = by_rule
            .detour
            .as_ref()
            .is_some_and(|out| matches!(out, DetourMove::Out { .. }));
        if let Some((way, decision)) = self.chosen_by_a_person(step, instance) {
            let source = (RouteSource::Escalate, RouteReason::WayChosen(decision.round));
            let mut route = self.along(step, by_rule, &way, source, WhyNotCode::WayChosen.of(&way.id));
            route.looked_at.insert("by".to_owned(), decision.by.trim().into());
            return Some(route);
        }
        if by_rule.reason == RouteReason::ExplicitNextStep && self.leads_past_a_gate(step, &by_rule, &offers) {
            let mut ways = ways(step, self.workflow, result, &self.now.loop_state);
            // The way of a detour says that it is one.
            if !aside && ways.iter().all(|way| way.to != by_rule.to) {
                ways.push(Way::along(&by_rule).labelled(self.workflow));
            }
            crate::ways::with(&mut ways, offers.open.iter().map(|offer| offer.way()));
            self.ask_way(step, instance, result, ways, GateReason::PastGate);
            return None;
        }
        let proposed = self.proposed(step, result, &by_rule);
        let why = match &proposed {
            Some(_) => Some(GateReason::Proposal),
            None => self.escalated(step, result),
        };
        if by_rule.reason != RouteReason::ExplicitNextStep
            && !aside
            && let Some(why) = why
        {
            let mut ways = ways(step, self.workflow, result, &self.now.loop_state);
            if ways.iter().all(|way| way.to != by_rule.to) {
                ways.push(Way::along(&by_rule).labelled(self.workflow));
            }
            let others = offers.open.iter().map(|offer| offer.way()).chain(proposed);
            crate::ways::with(&mut ways, others);
            self.ask_way(step, instance, result, ways, why);
            return None;
        }
        let mode = self.created.choosing.mode;
        let stuck = no_way_on(self.workflow, &by_rule);
        if by_rule.reason == RouteReason::ExplicitNextStep || (mode == RoutingMode::DeterministicOnly && !stuck) {
            return Some(by_rule);
        }
        let mut ways = ways(step, self.workflow, result, &self.now.loop_state);
        let Some(nearest) = ways.first() else {
            return Some(by_rule);
        };
        // Open: what lies nearest is not where the rules lead. A detour that is due is a rule.
        let open = stuck || !aside && (nearest.to != by_rule.to || kind(nearest) != by_rule.decision);
        crate::ways::with(&mut ways, offers.open.iter().map(|offer| offer.way()));
        if ways
            .iter()
            .all(|way| way.to != by_rule.to || kind(way) != by_rule.decision)
        {
            ways.push(Way::along(&by_rule).labelled(self.workflow));
        }
        let consulted = open || (mode == RoutingMode::Authoritative && ways.len() > 1);
        if !consulted {
            return Some(by_rule);
        }
        if mode != RoutingMode::DeterministicOnly {
            // Where a person is asked for every step nothing is executed.
            let navigator = self.created.choosing.navigator.clone();
            if let Some(navigator) = navigator.filter(|_| !self.created.prompted) {
                let said = self.now.visit(instance).and_then(|visit| visit.navigation.as_ref());
                // The detour that it chose has led back: it is asked for the way on.
                let said = said.filter(|navigation| {
                    let named = navigation.said.as_ref().and_then(|(said, _)| said.way.as_deref());
                    !self.went_aside(instance, named)
                });
                let Some(navigation) = said else {
                    let engine = doer::navigator(&navigator, &self.created);
                    self.emit(Event::NavigatorAsked(Arc::new(NavigatorAsked {
                        instance: instance.clone(),
                        navigator,
                        engine,
                        ways,
                    })));
                    return None;
                };
                let said = navigation.said.as_ref().filter(|(said, _)| said.refused.is_none());
                let named = said.and_then(|(said, _)| said.way.as_deref());
                let offered = Arc::clone(&navigation.asked);
                if let Some(way) = offered.ways.iter().find(|way| named == Some(way.id.as_str())) {
                    if way.action == WayAction::Escalate {
                        self.ask_way(step, instance, result, ways, GateReason::Way);
                        return None;
                    }
                    let who = match way.action {
                        WayAction::Detour => RouteSource::NavigatorDetour,
                        _ => RouteSource::Navigator,
                    };
                    let source = (who, RouteReason::Navigator(way.id.clone()));
                    let mut route = self.along(step, by_rule, way, source, WhyNotCode::NavigatorChose.of(&way.id));
                    let reasons = said
                        .map(|(said, _)| said.reasons.trim())
                        .filter(|reasons| !reasons.is_empty());
                    if let Some(reasons) = reasons {
                        route.looked_at.insert("navigator".to_owned(), reasons.into());
                    }
                    return Some(route);
                }
            }
            if let Some(way) = signalled(&ways, result).cloned() {
                let source = (RouteSource::EnvelopeFallback, RouteReason::Signal(way.id.clone()));
                let mut route = self.along(step, by_rule, &way, source, WhyNotCode::SignalFollowed.of(&way.id));
                let report = &result.report;
                if let Some(signal) = report.get(SIGNAL).or_else(|| report.get("envelope")?.get(SIGNAL)) {
                    route.looked_at.insert(SIGNAL.to_owned(), signal.clone());
                }
                return Some(route);
            }
        }
        if !open {
            return Some(by_rule);
        }
        self.ask_way(step, instance, result, ways, GateReason::Way);
        None
    }

    /// What a navigator said; an answer that names none of the ways does not count.
    pub(crate) fn navigated(&mut self, instance: &Instance, said: &Arc<NavigatorSaid>) {
        let mut said = NavigatorSaid::clone(said);
        let navigation = self.now.visit(instance).and_then(|visit| visit.navigation.as_ref());
        let ways = navigation.map_or(&[][..], |navigation| navigation.asked.ways.as_slice());
        if said.refused.is_none() {
            said.refused = match &said.way {
                None => Some("It named no way.".to_owned()),
                Some(named) if ways.iter().all(|way| way.id != *named) => {
                    Some(format!("“{named}” is none of the ways that it could choose."))
                }
                Some(_) => None,
            };
        }
        self.emit(Event::NavigatorAnswered {
            instance: instance.clone(),
            said: Arc::new(said),
        });
        let result = self.now.visit(instance).and_then(|visit| visit.result()).cloned();
        match result {
            Some(result) => self.leave(instance, &result),
            None => self.give_up(&instance.step, format!("step '{}' failed", instance.step)),
        }
    }

    /// The way that a person has chosen for this visit, and their decision.
    fn chosen_by_a_person(&self, step: &Step, instance: &Instance) -> Option<(Way, Arc<Decision>)> {
        let gate = GateId::way(&self.workflow.id, &step.id);
        let round = self.now.gates.get(&gate)?.last()?;
        let (decision, _) = round.answer.as_ref()?;
        if round.opened.instance != *instance || decision.answer != Answer::Choose {
            return None;
        }
        let Purpose::Way { ways } = &round.opened.purpose else {
            return None;
        };
        let named = decision.way.as_deref();
        let way = ways.iter().find(|way| named == Some(way.id.as_str()))?;
        if self.went_aside(instance, named) {
            return None;
        }
        Some((way.clone(), Arc::clone(decision)))
    }

    /// The way that a step proposes and the workflow does not have; nothing where it has it, where there is no such step, and in a
    /// branch to a step outside of it.
    fn proposed(&self, step: &Step, result: &StepResult, by_rule: &RouteDecision) -> Option<Way> {
        let (named, _) = proposed(result).filter(|_| self.workflow.contract().next_reported)?;
        let to = self.workflow.step(&self.workflow.meant_at(step, named))?;
        let leads = |to: &Step| {
            let between = self.workflow.flows_between(step, to);
            !between.is_empty() || by_rule.to.as_ref() == Some(&to.id)
        };
        let may = !leads(to) && to.detour_from.is_none() && self.is_beside(&step.id, &to.id);
        may.then(|| Way::new(WayAction::Extend, Some(&to.id), 5).labelled(self.workflow))
    }

    /// Whether the step that a report names lies behind a gate that every way of the workflow leads through, or is to be gone to without a
    /// detour that is due and asks a person: no agent passes a gate by naming what comes after it.
    fn leads_past_a_gate(&self, step: &Step, by_rule: &RouteDecision, offers: &Offers<'_>) -> bool {
        let named = by_rule.to.as_ref().and_then(|to| self.workflow.step(to));
        let Some(to) = named else { return false };
        let rules = self.created.gate_rules();
        let left_out = |offer: &Offer<'_>| offer.due && detour_asks(self.workflow, rules, offer.detour);
        // The way into a detour leaves none out: the others that are due come behind it.
        let aside = by_rule.detour.is_some();
        !aside && offers.open.iter().any(left_out) || gates_between(self.workflow, &self.now, step, to)
    }

    /// Why the flow's policy has a person asked for the way on; `None` where it does not.
    fn escalated(&self, step: &Step, result: &StepResult) -> Option<GateReason> {
        let policy = self.workflow.escalation_at(step);
        if policy == model::Escalation::default() {
            return None;
        }
        let values = Values::new(self.workflow, step, result);
        let status = values.status();
        if policy.blocked && status == "BLOCKED" {
            return Some(GateReason::WorkBlocked);
        }
        let help = values
            .get(crate::routing::FURTHER_HELP)
            .map(|help| text(&help).to_lowercase());
        if policy.stuck && status == "UNVERIFIED" && help.as_deref() == Some("no") {
            return Some(GateReason::WorkStuck);
        }
        let most = policy.unverified?;
        // Since a person has looked at the run last.
        let since = self.now.executed_when_answered;
        let unverified = |visit: &&&Visit| {
            let step = self.workflow.step(&visit.instance.step);
            let both = step.zip(visit.result());
            both.is_some_and(|(step, result)| Values::new(self.workflow, step, result).status() == "UNVERIFIED")
        };
        let visits = self.now.visits();
        let streak = visits.iter().rev().take_while(|visit| visit.number > since);
        let streak = streak.take_while(unverified).count();
        (streak >= most as usize).then_some(GateReason::WorkUnverified)
    }

    /// Whether a way is a detour that this visit has come back from.
    fn went_aside(&self, instance: &Instance, way: Option<&str>) -> bool {
        let way = way.map(WayId::from).filter(|way| way.action == WayAction::Detour);
        let detour = way.and_then(|way| way.name);
        let visit = self.now.visit(instance);
        detour.is_some_and(|id| visit.is_some_and(|visit| visit.detours.contains(&id)))
    }

    /// Asks a person for the way on.
    fn ask_way(&mut self, step: &Step, instance: &Instance, result: &StepResult, ways: Vec<Way>, why: GateReason) {
        let ways: Vec<Way> = ways
            .into_iter()
            .filter(|way| way.action != WayAction::Escalate)
            .collect();
        let shown = gate::shown_after(&self.now.results(), step, result);
        self.open(GateOpened {
            round: 0,
            gate: GateId::way(&self.workflow.id, &step.id),
            instance: instance.clone(),
            at: GateAt::After,
            requirement: GateRequirement::Required,
            question: format!("Where shall it go on after “{}”?", step.name),
            why,
            purpose: Purpose::Way { ways },
            asks: step.gate.as_ref().map(|gate| gate.asks.clone()).unwrap_or_default(),
            shown,
            changes_to: Some(gate::changes_after(self.workflow, step)),
            reject_to: step.gate.as_ref().and_then(|gate| gate.on_reject.clone()),
            approve_to: None,
            below: Vec::new(),
            feedback: Vec::new(),
        });
    }

    /// The route along a way that somebody chose instead of, or like, the rules.
    fn along(
        &self,
        step: &Step,
        by_rule: RouteDecision,
        way: &Way,
        (source, reason): (RouteSource, RouteReason),
        why_not: WhyNot,
    ) -> RouteDecision {
        let counted = match &step.routing {
            Routing::Microloop(m) => way.to.as_ref().filter(|to| m.loop_target.as_ref() == Some(to)),
            Routing::Guarded { guards, .. } => {
                let back = guards
                    .iter()
                    .find(|guard| guard.back && way.to.as_ref() == Some(&guard.to));
                back.map(|guard| &guard.to)
            }
            _ => None,
        };
        let detour = step
            .detours
            .iter()
            .find(|detour| Some(&detour.first) == way.to.as_ref());
        let detour = detour.filter(|_| way.action == WayAction::Detour);
        let mut loop_state = match detour {
            Some(detour) => super::detour::counted(&self.now.loop_state, step, detour),
            None => (*self.now.loop_state).clone(),
        };
        if let Some(to) = counted.filter(|_| way.action == WayAction::Loop) {
            let taken = loop_state.entry(loop_key(&step.id, to)).or_default();
            *taken = taken.saturating_add(1);
        }
        let same = by_rule.to == way.to && by_rule.decision == kind(way);
        let mut alternatives = by_rule.alternatives;
        alternatives.retain(|other| other.to != way.to);
        if !same && (by_rule.to.is_some() || by_rule.decision != RouteKind::Terminate) {
            alternatives.push(Alternative {
                to: by_rule.to,
                why_not,
            });
        }
        RouteDecision {
            to: way.to.clone(),
            decision: kind(way),
            reason,
            source,
            edge: None,
            alternatives,
            loop_state: Arc::new(loop_state),
            detour: detour.map(super::detour::out),
            ..by_rule
        }
    }
}

impl Way {
    /// The way that the rules take, where nothing else names it.
    fn along(by_rule: &RouteDecision) -> Self {
        let action = match by_rule.decision {
            RouteKind::Advance => WayAction::Advance,
            RouteKind::Loop => WayAction::Loop,
            RouteKind::Terminate => WayAction::Terminate,
        };
        Self::new(action, by_rule.to.as_ref(), 0)
    }
}
