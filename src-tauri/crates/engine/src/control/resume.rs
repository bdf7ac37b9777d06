//! Taking up a run that has ended badly. Steps in sequence (seed 000 "Resume"): from the first step that is not completed
//! on, and what is completed never runs again. Everything else with a token: where it stood, or at a step before that.

use super::bars::{bars, is_asked, passed};
use super::commit::Commit;
use crate::state::{GateRound, RunState, RunStatus, Visit};
use crate::{Answer, BranchEnd, Choice, EndStatus, Event, GateRules, Refusal, RefusalCode, Stand, gate, runbook};
use model::branches::branch_of;
use model::{Destination, GateAt, Routing, Step, StepId, Workflow, before, leads_back, through};
use std::collections::BTreeMap;

/// Of steps in order, which are completed: those that are to run when the run is taken up again, by their place.
pub fn plan(completed: &[bool]) -> Vec<usize> {
    let steps = completed.iter().enumerate();
    steps
        .filter(|(_, completed)| !**completed)
        .map(|(place, _)| place)
        .collect()
}

/// The steps that run when this run is taken up again, in order. Empty: nothing is left to be done.
pub fn rest<'a>(workflow: &'a Workflow, state: &RunState) -> Vec<&'a Step> {
    let completed: Vec<bool> = workflow.steps().iter().map(|s| is_completed(state, &s.id)).collect();
    plan(&completed)
        .into_iter()
        .map(|place| &workflow.steps()[place])
        .collect()
}

/// The same where a person takes it up at a step: that one and everything behind it runs, completed or not.
///
/// # Errors
/// Why it cannot be taken up there, in words.
pub fn rest_from<'a>(workflow: &'a Workflow, state: &RunState, from: Option<&StepId>) -> Result<Vec<&'a Step>, String> {
    let open = rest(workflow, state);
    let Some(from) = from.filter(|from| open.first().is_none_or(|first| first.id != **from)) else {
        return Ok(open);
    };
    let Some(step) = workflow.step(from) else {
        return Err(format!(
            "There is no step `{from}` in the version of the workflow that this run keeps."
        ));
    };
    if !is_completed(state, from) {
        return Err(format!(
            "“{}” has not been completed in this run: it goes on at a step that has been, or where it stood.",
            step.name
        ));
    }
    let steps = workflow.steps().iter();
    let again = steps.filter(|other| other.ordinal >= step.ordinal || open.iter().any(|left| left.id == other.id));
    Ok(again.collect())
}

/// Whether a step has been carried out, and nobody has rejected what came of it or been asked without having answered.
fn is_completed(state: &RunState, step: &StepId) -> bool {
    let Some(last) = state.steps.get(step).and_then(|s| s.visits.last()) else {
        return state.elsewhere.contains_key(step);
    };
    let done = last
        .attempts
        .last()
        .and_then(|attempt| attempt.result.as_ref())
        .is_some_and(|result| result.status.completes());
    // Of each gate the last round counts: what nobody answered may have been asked again. Asked about a visit that has not begun: it is to be
    // done once more.
    let is_of =
        |round: &&GateRound| round.opened.instance.step == *step && round.opened.instance.visit >= last.instance.visit;
    let mut asked = state
        .gates
        .values()
        .filter_map(|rounds| rounds.iter().rev().find(is_of));
    let answer = |d: &crate::Decision| matches!(d.answer, Answer::Approve | Answer::Pass | Answer::Changes);
    let approved = |round: &GateRound| {
        round.opened.instance == last.instance && round.answer.as_ref().is_some_and(|(decision, _)| answer(decision))
    };
    done && asked.all(approved)
}

/// A gate at which the run stood last without an approval: the steps behind it are not reached past it.
struct Barred<'a> {
    /// The step that it belongs to.
    step: &'a Step,
    /// How it was asked, and what was answered.
    round: &'a GateRound,
    /// By place: the steps before the gate, the one that it belongs to among them, and those of its flow that lead back to it.
    before: Vec<bool>,
}

/// The gates of a run with a token that nobody has approved.
fn barred<'a>(workflow: &'a Workflow, state: &'a RunState) -> Vec<Barred<'a>> {
    let last = state.gates.values().filter_map(|rounds| rounds.last());
    let open = last.filter(|round| is_unapproved(state, round));
    open.filter_map(|round| {
        let step = workflow.step(&round.opened.instance.step)?;
        let mut before = before(workflow, step);
        let own = workflow.part_of(step).map(|part| &part.steps);
        for (place, back) in leads_back(workflow, step).into_iter().enumerate() {
            before[place] |= back && own.is_none_or(|own| own.contains(&place));
        }
        Some(Barred { step, round, before })
    })
    .collect()
}

/// Whether nobody has approved what a person was asked in the last round of a gate, and the step has not been carried out again
/// since. Where a rejection leads, the run has come since it was given: there it may be taken up.
pub(super) fn is_unapproved(state: &RunState, round: &GateRound) -> bool {
    let opened = &round.opened;
    let unapproved = match round.answer.as_ref().map(|(decision, _)| decision.answer) {
        None | Some(Answer::Changes | Answer::Reject) => true,
        Some(_) => false,
    };
    let again = |visit: &Visit| {
        let done = visit.result().is_some_and(|result| result.status.completes());
        visit.instance.visit > opened.instance.visit && done
    };
    is_asked(round) && unapproved && !state.visits_of(&opened.instance.step).any(again)
}

/// Whether a step of a run with a token asked a person who has not approved it: then it does not count as done.
pub fn lacks_approval(state: &RunState, step: &StepId) -> bool {
    let mut last = state.gates.values().filter_map(|rounds| rounds.last());
    last.any(|round| round.opened.instance.step == *step && is_unapproved(state, round))
}

/// Why a run is not taken up at a step that it has reached: it lies behind a gate that nobody has approved, and the run has not come
/// to it since a person was asked there. `None`: it may be.
fn behind_a_gate(
    workflow: &Workflow,
    state: &RunState,
    step: &Step,
    last: Option<&Visit>,
    barred: &[Barred<'_>],
) -> Option<String> {
    let since = |round: &GateRound| {
        let began = last
            .and_then(|visit| visit.attempts.last())
            .map(|attempt| attempt.started_at);
        began.is_some_and(|began| began > round.opened_at)
    };
    let key = |step: &Step| workflow.part_of(step).map(|part| part.key.as_str());
    let is_before = |gate: &Barred<'_>| match key(step) == key(gate.step) {
        true => gate.before[step.ordinal],
        // In another flow: one that leads to the gate's, at its end or where it fails. What follows the gate lies behind it, also where it
        // leads there again.
        false if gate.before[step.ordinal] || before(workflow, step)[gate.step.ordinal] => gate.before[step.ordinal],
        false => {
            let at = Stand {
                step: step.id.clone(),
                path: Vec::new(),
                fork: None,
            };
            reach(workflow, state, &at)[gate.step.ordinal]
        }
    };
    let gate = barred.iter().find(|gate| !is_before(gate) && !since(gate.round))?;
    let place = around(workflow, gate.step).unwrap_or(gate.step);
    // It stands between quotation marks here.
    let question = gate.round.opened.question.replace('“', "‘").replace('”', "’");
    let stands = match gate.round.answer.as_ref().map(|(decision, _)| decision.answer) {
        None => "which nobody has answered",
        Some(Answer::Changes) => "at which changes were requested",
        Some(_) => "which was rejected",
    };
    Some(format!(
        "“{}” lies behind the gate at “{}” (“{}”), {stands}. Take the run up at “{}” or before it, so that a person is asked again.",
        step.name, gate.step.name, question, place.name
    ))
}

/// The steps that every way to this one leads through from where the run begins, that one left out, in the order of the way.
pub(crate) fn way_to<'w>(workflow: &'w Workflow, state: &RunState, step: &Step) -> Vec<&'w Step> {
    let begins = state.begins_at.as_ref().and_then(|begins| workflow.step(begins));
    let Some(first) = begins.or_else(|| workflow.entry()) else {
        return Vec::new();
    };
    let places = through(workflow, first, step).into_iter();
    let steps = places.filter(|place| *place != step.ordinal);
    steps.map(|place| &workflow.steps()[place]).collect()
}

/// What decides at which steps a run may be taken up, besides where it has been.
#[derive(Default)]
struct Bounds<'a> {
    /// Gates that nobody has approved.
    barred: Vec<Barred<'a>>,
    /// Steps on every way to where it stood at which it has not been: they are new in a mended file, or were passed by.
    passed_by: Vec<&'a StepId>,
    /// By place, of the steps that are not before where it stood: the gate that every way there leads through, and at which a person is still to
    /// be asked. Empty: there is none.
    asked_anew: Vec<Option<&'a Step>>,
}

impl<'a> Bounds<'a> {
    fn of(workflow: &'a Workflow, state: &'a RunState) -> Self {
        if !state.status.ended() {
            return Self::default();
        }
        let stood = state.stood.as_ref().and_then(|stood| workflow.step(&stood.step));
        let way = stood.map_or_else(Vec::new, |stood| way_to(workflow, state, stood));
        // Where a runbook stands is more than a step.
        let passed_by = way.into_iter().filter(|step| {
            let been = state.steps.contains_key(&step.id) || state.elsewhere.contains_key(&step.id);
            !been && !matches!(step.routing, Routing::Transitions { .. })
        });
        Self {
            barred: barred(workflow, state),
            passed_by: passed_by.map(|step| &step.id).collect(),
            asked_anew: stood.map_or_else(Vec::new, |stood| asked_anew(workflow, state, stood)),
        }
    }
}

/// By place: of the steps that are not before where a run stood the gate that every way there leads through, where nobody has approved it since
/// the run was before it. Where the last answer is of this round, its ways are open.
fn asked_anew<'w>(workflow: &'w Workflow, state: &RunState, stood: &Step) -> Vec<Option<&'w Step>> {
    // Where it stood, a person is still to be asked only behind the work.
    let rules = GateRules::of(state.created.as_deref());
    let is_to_come = gate::asked_at(&workflow.id, stood, rules) == Some(GateAt::After);
    let passed = passed(workflow, state);
    let mut here = vec![(stood.ordinal, is_to_come.then_some(stood.ordinal))];
    here.extend(passed.iter().map(|gate| (*gate, None)));
    let bars = bars(workflow, state, &here, &passed);
    let steps = workflow.steps().iter().zip(before(workflow, stood));
    steps
        .map(|(step, is_before)| {
            let gate = bars.gate_before(step).filter(|_| !is_before)?;
            Some(&workflow.steps()[gate])
        })
        .collect()
}

/// The one step at which a person takes a run with a token up; absent: where it stood.
fn place_of(choices: &BTreeMap<StepId, Choice>) -> Result<Option<&StepId>, Refusal> {
    let mut chosen = choices.iter();
    match (chosen.next(), chosen.next()) {
        (None, _) => Ok(None),
        (Some((step, Choice::Retry)), None) => Ok(Some(step)),
        _ => {
            let message = "Name one step at which the run goes on. A step of it cannot be left out.".to_owned();
            Err(Refusal::new(RefusalCode::ChoiceNeeded, message))
        }
    }
}

impl Commit<'_> {
    /// A person takes up a run that has ended: it goes on at the first step that is not completed, or at a completed one that they name.
    pub(crate) fn reopen_flow(&mut self, by: &str, choices: &BTreeMap<StepId, Choice>) -> Result<(), Refusal> {
        let cannot = |message: String| Err(Refusal::new(RefusalCode::CannotReopen, message));
        match self.now.status {
            RunStatus::Ended(EndStatus::Failed | EndStatus::Aborted) => {}
            RunStatus::Ended(_) => return cannot("This run is complete: there is nothing left to resume.".to_owned()),
            _ => return cannot("This run has not ended. Let it end or stop it; then resume it.".to_owned()),
        }
        let from = place_of(choices)?;
        let rest = rest_from(self.workflow, &self.now, from)
            .map_err(|message| Refusal::new(RefusalCode::CannotReopen, message))?;
        let Some(first) = rest.first() else {
            return cannot("Every step of this run is completed: there is nothing left to resume.".to_owned());
        };
        self.emit(Event::Reopened {
            by: by.to_owned(),
            choices: choices.clone(),
            reset: rest.iter().map(|step| step.id.clone()).collect(),
            at: None,
        });
        self.go(&first.id, Vec::new());
        Ok(())
    }
}

/// Where a run with a token goes on when it is taken up: at the chosen step, or where it stood when it ended. A chosen step that lies
/// behind a gate which nobody has approved is refused, so that no gate is passed by taking a run up.
///
/// # Errors
/// Why it cannot be taken up there, in words.
pub fn stand(workflow: &Workflow, state: &RunState, from: Option<&StepId>) -> Result<Stand, String> {
    by_itself(state)?;
    goes_on(workflow, state, from)
}

/// Whether a person takes a run with a token up by itself: one inside another run is taken up with that.
///
/// # Errors
/// With which, in words.
pub fn by_itself(state: &RunState) -> Result<(), String> {
    let ended = matches!(
        state.status,
        RunStatus::Ended(EndStatus::Failed | EndStatus::Aborted | EndStatus::Stopped)
    );
    let created = state.created.as_ref().filter(|_| ended);
    match created.and_then(|created| created.parent.as_ref()) {
        Some(parent) => Err(format!(
            "This run is a part of the run {}: take that one up, and it runs this part again.",
            parent.run
        )),
        None => Ok(()),
    }
}

fn goes_on(workflow: &Workflow, state: &RunState, from: Option<&StepId>) -> Result<Stand, String> {
    let bounds = match from {
        Some(_) => Bounds::of(workflow, state),
        None => Bounds::default(),
    };
    stand_within(workflow, state, from, &bounds)
}

fn stand_within(
    workflow: &Workflow,
    state: &RunState,
    from: Option<&StepId>,
    bounds: &Bounds<'_>,
) -> Result<Stand, String> {
    match state.status {
        RunStatus::Ended(EndStatus::Failed | EndStatus::Aborted | EndStatus::Stopped) => {}
        RunStatus::Ended(_) => return Err("This run is complete: there is nothing left to resume.".to_owned()),
        _ => return Err("This run has not ended. Let it end or stop it; then resume it.".to_owned()),
    }
    let stood = state
        .stood
        .as_ref()
        .filter(|stood| workflow.step(&stood.step).is_some());
    let Some(from) = from else {
        let entry = || {
            let step = workflow.entry()?;
            Some(Stand {
                step: step.id.clone(),
                path: runbook::start(workflow, step),
                fork: None,
            })
        };
        return stood
            .cloned()
            .or_else(entry)
            .ok_or_else(|| "This workflow has no step to go on with.".to_owned());
    };
    let Some(step) = workflow.step(from) else {
        return Err(format!(
            "There is no step `{from}` in the version of the workflow that this run keeps."
        ));
    };
    if let Some(stood) = stood.filter(|stood| stood.step == *from) {
        return Ok(stood.clone());
    }
    // Where it led back to may have been left long ago.
    if let Some(left) = step.detour_from.as_ref().and_then(|left| workflow.step(left)) {
        return Err(format!(
            "“{}” is a step of a detour: take the run up at “{}”, which the detour leaves.",
            step.name, left.name
        ));
    }
    let visit = state.steps.get(from).and_then(|state| state.visits.last());
    let asked = visit.is_none().then(|| asked_at(state, step)).flatten();
    if visit.is_none() && asked.is_none() && !bounds.passed_by.contains(&from) {
        return Err(format!(
            "“{}” has not been reached in this run: it goes on at a step that has been, or where it stood.",
            step.name
        ));
    }
    if let Some(fork) = around(workflow, step) {
        return Err(format!(
            "“{}” stands in a branch of “{}”: take the run up there, so that the branches can meet.",
            step.name, fork.name
        ));
    }
    if let Some(why) = behind_a_gate(workflow, state, step, visit.map(|visit| &**visit), &bounds.barred) {
        return Err(why);
    }
    if let Some(gate) = bounds.asked_anew.get(step.ordinal).copied().flatten() {
        let place = around(workflow, gate).unwrap_or(gate);
        return Err(format!(
            "“{}” lies behind the gate at “{}”, at which a person is still to be asked. Take the run up where it stood, at “{}” or before it.",
            step.name, gate.name, place.name
        ));
    }
    Ok(Stand {
        step: from.clone(),
        path: visit
            .map(|visit| &visit.instance)
            .or_else(|| asked.map(|round| &round.opened.instance))
            .map(|instance| instance.path.clone())
            .unwrap_or_default(),
        fork: None,
    })
}

/// What a step of a runbook asked a person last: its work begins with the answer, and a person may have sent the run on before.
fn asked_at<'s>(state: &'s RunState, step: &Step) -> Option<&'s GateRound> {
    let is_runbook = matches!(step.routing, Routing::Transitions { .. });
    let rounds = state.gates.values().flatten().filter(|_| is_runbook);
    let asked = rounds.filter(|round| round.opened.instance.step == step.id);
    asked.max_by_key(|round| round.opened_at)
}

/// The fork in one of whose branches a step stands.
pub(super) fn around<'w>(workflow: &'w Workflow, step: &Step) -> Option<&'w Step> {
    workflow.steps().iter().find(|fork| match &fork.routing {
        Routing::Fork(branches) => branch_of(workflow, branches, &step.id).is_some(),
        _ => false,
    })
}

/// The steps that may run when a run with a token goes on from here, by their place: all that a way leads to.
pub fn reach(workflow: &Workflow, state: &RunState, at: &Stand) -> Vec<bool> {
    let mut reached = vec![false; workflow.steps().len()];
    let mut open: Vec<&StepId> = match at.fork {
        None => vec![&at.step],
        Some(fork) => to_be_gone_on_with(state, fork),
    };
    while let Some(step) = open.pop().and_then(|id| workflow.step(id)) {
        if std::mem::replace(&mut reached[step.ordinal], true) {
            continue;
        }
        let node = workflow.node(step.ordinal);
        let graph = workflow.graph();
        open.extend(graph.neighbors(node).map(|next| &workflow.steps()[graph[next]].id));
        if let Some(part) = workflow.part_of(step) {
            let onwards = [&part.on_complete.to, &part.on_failure.to].into_iter();
            let flows = onwards.filter_map(|to| match to {
                Destination::Part(key) => workflow.entry_of(key),
                _ => None,
            });
            open.extend(flows.map(|entry| &entry.id));
        }
    }
    reached
}

/// Where the branches of a fork stand that have not come to their end by themselves, and where they are to meet.
fn to_be_gone_on_with(state: &RunState, fork: u32) -> Vec<&StepId> {
    let Some(fork) = state.forks.get(fork) else {
        return Vec::new();
    };
    let ended = |branch: &crate::forks::Branch| {
        let ended = branch.ended.as_ref();
        ended.is_some_and(|(ended, _)| ended.end == BranchEnd::Completed)
    };
    let branches = fork
        .branches
        .iter()
        .zip(&fork.forked.heads)
        .filter(|(branch, _)| !ended(branch));
    let places = branches.map(|(branch, head)| {
        let led = branch
            .last
            .and_then(|route| state.routes.get(route))
            .and_then(|route| route.to.as_ref());
        led.unwrap_or(head)
    });
    places.chain([&fork.forked.join]).collect()
}

/// The steps at which a person may take up a run with a token, in document order.
pub fn places<'w>(workflow: &'w Workflow, state: &RunState) -> Vec<&'w Step> {
    if by_itself(state).is_err() {
        return Vec::new();
    }
    let steps = workflow.steps().iter();
    let bounds = Bounds::of(workflow, state);
    steps
        .filter(|step| stand_within(workflow, state, Some(&step.id), &bounds).is_ok())
        .collect()
}

impl Commit<'_> {
    /// A person takes up a run with a token.
    pub(crate) fn reopen_at(&mut self, by: &str, choices: &BTreeMap<StepId, Choice>) -> Result<(), Refusal> {
        let from = place_of(choices)?;
        // One that was ended with the run around it goes on with that, where it stood.
        let with_another = self.now.status == RunStatus::Ended(EndStatus::Aborted) && from.is_none();
        let at = match with_another {
            true => goes_on(self.workflow, &self.now, from),
            false => stand(self.workflow, &self.now, from),
        };
        let at = at.map_err(|message| Refusal::new(RefusalCode::CannotReopen, message))?;
        self.emit(Event::Reopened {
            by: by.to_owned(),
            choices: choices.clone(),
            reset: Vec::new(),
            at: Some(at.clone()),
        });
        match at.fork {
            Some(_) => {
                self.carry_on();
            }
            None => self.go(&at.step, at.path),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::plan;

    #[test]
    fn what_is_completed_never_runs_again() {
        assert_eq!(plan(&[]), [0; 0]);
        assert_eq!(plan(&[true, false, false]), [1, 2]);
        assert_eq!(plan(&[false, true]), [0]);
        assert_eq!(plan(&[true, true]), [0; 0]);
    }
}
