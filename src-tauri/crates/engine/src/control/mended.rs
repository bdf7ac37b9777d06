//! Going on from a run that has ended with a mended workflow: whether it can, and what is other in it.

use super::bars::passed;
use super::resume;
use crate::state::GateRound;
use crate::{Answer, ExecutionStatus, GateRules, RunState, Ungated, gate};
use model::between::Bars;
use model::branches::beside_each_other;
use model::{Gate, GateAt, GateRequirement, Reopening, Step, StepId, Workflow, WorkflowId, before};
use std::collections::BTreeSet;

/// What a mended workflow has otherwise than the one that a run keeps.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mended<'a> {
    /// Steps of the mended one that were written otherwise.
    pub changed: Vec<&'a Step>,
    /// Steps of the mended one that are new.
    pub added: Vec<&'a Step>,
    /// Steps that are no longer there.
    pub gone: Vec<&'a Step>,
    /// Gates of the old one that are gone from the mended one, or ask less there, or past which ways lead there.
    pub ungated: Vec<Ungated>,
    /// Steps of the mended one at which it does not go on, because every way there leads through a gate that is new.
    pub barred: Vec<&'a Step>,
    /// A new step on every way to where the run stood: it goes on there. Absent: where it stood, or at the step that was named.
    pub at: Option<&'a Step>,
}

/// Whether a run that has ended can go on with a mended workflow, and what is other in it. `kept`: the workflow of the run; `rules`: what
/// decides in the run that goes on whether a gate asks; `from`: the step at which it goes on, absent: where it stood, or at a new step that
/// comes before that. Every step that was completed and does not run again has to be as it was: what it made would else stand for what
/// another one makes. What a person has rejected has to be asked again: no edit takes a rejection back. What a new gate asks before the step at
/// which it goes on is asked.
///
/// # Errors
/// Why it cannot, in words.
pub fn mended<'a>(
    kept: &'a Workflow,
    now: &'a Workflow,
    state: &RunState,
    rules: GateRules<'_>,
    from: Option<&StepId>,
) -> Result<Mended<'a>, String> {
    if (kept.format, &kept.id) != (now.format, &now.id) {
        return Err(format!(
            "The file holds another workflow now: “{}” where it was “{}”.",
            now.title, kept.title
        ));
    }
    if let Some(why) = rejected(kept, now, state, rules) {
        return Err(why);
    }
    let at = match from {
        Some(_) => None,
        None => new_before(kept, now, state, rules)?,
    };
    let from = from.or(at.map(|step| &step.id));
    let again = again(now, state, from)?;
    let gates = new_gates(kept, now, state, rules);
    if let Some(why) = behind_new_gate(now, state, from, &gates) {
        return Err(why);
    }
    let mut found = Mended {
        at,
        barred: gates.iter().map(|(step, _)| *step).collect(),
        ungated: ungated(
            (kept, now),
            state,
            rules,
            &Onward {
                from,
                at,
                again: &again,
            },
        ),
        ..Mended::default()
    };
    for step in kept.steps() {
        match now.step(&step.id) {
            Some(other) if same(step, other) => {}
            Some(other) => found.changed.push(other),
            None => found.gone.push(step),
        }
    }
    found.added = now
        .steps()
        .iter()
        .filter(|step| kept.step(&step.id).is_none())
        .collect();
    let stays = |step: &Step| !again.contains(&step.id) && is_completed(state, step);
    // Where a step of a runbook leads may stand on what contains it.
    let around = |step: &Step| {
        let within = |inner: &&Step| inner.parent.as_ref() == Some(&step.id);
        kept.steps().iter().filter(within).any(stays)
    };
    if let Some(step) = found.gone.iter().find(|step| stays(step)) {
        return Err(format!(
            "“{}” is completed in this run and is not in the file any more. Put it back, or start a new run.",
            step.name
        ));
    }
    if let Some(step) = found.changed.iter().find(|step| stays(step) || around(step)) {
        return Err(format!(
            "“{}” is completed in this run and was changed in the file. Go on at that step, so that it runs again, or start a new run.",
            step.name
        ));
    }
    Ok(found)
}

/// Where a run goes on with a mended workflow.
struct Onward<'a> {
    /// The step that was named, or the one that comes before where it stood; absent: where it stood.
    from: Option<&'a StepId>,
    /// The step that comes before where it stood, new in the file or moved.
    at: Option<&'a Step>,
    /// The steps that run again for certain.
    again: &'a BTreeSet<StepId>,
}

/// The gates of the old workflow at which a person is asked less by the mended one, or past which that leads.
fn ungated(
    (kept, now): (&Workflow, &Workflow),
    state: &RunState,
    rules: GateRules<'_>,
    onward: &Onward<'_>,
) -> Vec<Ungated> {
    let rules_then = GateRules::of(state.created.as_deref());
    let approved = passed(kept, state);
    let places = places(kept, now, state, onward);
    let in_order = now.contract().reopening == Reopening::AtOpenStep;
    let gates = kept.steps().iter().filter_map(|step| {
        let other = now.step(&step.id);
        let found = |asks_less: bool, not_before: Option<&Step>| Ungated {
            step: step.id.clone(),
            name: step.name.clone(),
            asks_less,
            not_before: not_before.map(|step| step.name.clone()),
        };
        if asks_less((&kept.id, step, rules_then), (&now.id, other, rules)) {
            return Some(found(other.is_some_and(|step| step.gate.is_some()), None));
        }
        let other = other.filter(|_| gate::asked_at(&kept.id, step, rules_then).is_some())?;
        // Where it is done again it is asked again.
        let anew = (in_order || onward.from.is_some()) && onward.again.contains(&step.id);
        let is_approved = approved.contains(&step.ordinal) && !anew;
        match led_past((kept, step), (now, other), is_approved, &places)? {
            Freed::Step(behind) => Some(found(true, Some(behind))),
            Freed::End => Some(found(true, None)),
        }
    });
    gates.collect()
}

/// From where the ways of the old workflow and of the mended one are compared, each with its place in that; absent: from the beginning.
fn places<'a>(
    kept: &Workflow,
    now: &Workflow,
    state: &'a RunState,
    onward: &Onward<'a>,
) -> Vec<(Option<&'a StepId>, Option<&'a StepId>)> {
    let stood = state.stood.as_ref().map(|stood| &stood.step);
    let Some(stood) = stood.filter(|_| now.contract().reopening == Reopening::WhereItStood) else {
        return vec![(None, None)];
    };
    let mut places = vec![(stood, stood)];
    if let Some(from) = onward.from {
        places.push((from, from));
        // Nothing led there in the old one, or only past where it stood.
        if onward.at.is_some() || kept.step(from).is_none() {
            places.push((stood, from));
        }
    }
    places.retain(|(then, here)| kept.step(then).is_some() && now.step(here).is_some());
    places
        .into_iter()
        .map(|(then, here)| (Some(then), Some(here)))
        .collect()
}

/// What a gate guarded in the old workflow and does not in the mended one.
enum Freed<'a> {
    /// A step of the old one.
    Step(&'a Step),
    /// The end of its flow.
    End,
}

/// What every way led to through a gate, and does not any more: the mended workflow leads past it, or it was moved.
fn led_past<'a>(
    (kept, then): (&'a Workflow, &Step),
    (now, here): (&Workflow, &Step),
    is_approved: bool,
    places: &[(Option<&StepId>, Option<&StepId>)],
) -> Option<Freed<'a>> {
    let before = before(kept, then);
    // Where its approval holds it bars nothing.
    let mut barring = places.iter().filter(|(at, _)| !is_approved || *at != Some(&then.id));
    barring.find_map(|(at_then, at_here)| {
        let was = bars_of(kept, then, *at_then, is_approved);
        let is = bars_of(now, here, *at_here, is_approved);
        let is_free = |step: &&Step| {
            let barred = !before[step.ordinal] && was.gate_before(step).is_some();
            let other = now.step(&step.id).filter(|_| barred);
            other.is_some_and(|step| is.gate_before(step).is_none())
        };
        let freed = kept.steps().iter().find(is_free).map(Freed::Step);
        let ends = || !was.is_end_open(kept, then) && is.is_end_open(now, here);
        freed.or_else(|| ends().then_some(Freed::End))
    })
}

/// What one gate bars, from a step on, or from the beginning.
fn bars_of(workflow: &Workflow, gate: &Step, at: Option<&StepId>, is_approved: bool) -> Bars {
    let at = at.and_then(|at| workflow.step(at));
    let here = at.map(|step| {
        let is_asked = step.ordinal == gate.ordinal && !is_approved;
        (step.ordinal, is_asked.then_some(gate.ordinal))
    });
    let passed = is_approved.then_some(gate.ordinal);
    Bars::of(workflow, here.as_slice(), passed.as_slice(), |step| {
        step.ordinal == gate.ordinal
    })
}

/// Whether the gate of a step asks a person less than it did, or only after the work: by what the files say, and by what decides over them. It
/// does as well where the step is left out by another condition.
fn asks_less(
    (kept, step, rules): (&WorkflowId, &Step, GateRules<'_>),
    (now, other, rules_now): (&WorkflowId, Option<&Step>, GateRules<'_>),
) -> bool {
    // Of a step that says nothing the project's policy decides.
    let is_asked = |gate: &&Gate| gate.requirement != GateRequirement::Optional || gate.question.is_some();
    let asks = |step: &Step| step.gate.as_ref().filter(is_asked).map(|gate| gate.requirement);
    let asks_now = other.and_then(asks);
    // The strongest come first.
    let says_less = asks(step).is_some_and(|before| asks_now.is_none_or(|now| now > before));
    let asked = gate::asked_at(kept, step, rules);
    let asked_now = other.and_then(|other| gate::asked_at(now, other, rules_now));
    let asks_later = matches!((asked, asked_now), (Some(GateAt::Before), Some(GateAt::After)));
    // Where the step is left out nobody is asked. What contains steps has no condition in any format: of a group each of its steps is told.
    let may_be_left_out = other.is_some_and(|other| other.whether.is_some() && other.whether != step.whether);
    says_less || asks_later || asked.is_some() && (asked_now.is_none() || may_be_left_out)
}

/// The steps of a mended flow to which every way leads through a gate that is new in the file, or was moved, and at which nobody has been asked;
/// each with that gate.
fn new_gates<'a>(
    kept: &Workflow,
    now: &'a Workflow,
    state: &RunState,
    rules: GateRules<'_>,
) -> Vec<(&'a Step, &'a Step)> {
    // The steps of a runbook have their numbers: what is new there stands where another one stood.
    if now.contract().reopening != Reopening::WhereItStood || now.contract().jumps {
        return Vec::new();
    }
    let begins = state.begins_at.as_ref().and_then(|begins| now.step(begins));
    let Some(begins) = begins.or_else(|| now.entry()) else {
        return Vec::new();
    };
    let stood = state.stood.as_ref().and_then(|stood| kept.step(&stood.step));
    let before = stood.map_or_else(Vec::new, |stood| before(kept, stood));
    // What led past it then was decided in the run.
    let was_there = |step: &Step| {
        let rules = GateRules::of(state.created.as_deref());
        let old = kept
            .step(&step.id)
            .filter(|old| gate::asked_at(&kept.id, old, rules).is_some());
        old.is_some_and(|old| before.get(old.ordinal).is_some_and(|before| *before))
    };
    let stands = state.stood.as_ref().and_then(|stood| now.step(&stood.step));
    let is_beside = |step: &Step| stands.is_some_and(|stands| beside_each_other(now, stands, step));
    let is_new = |step: &Step| {
        let been = state.visits_of(&step.id).next().is_some() || state.elsewhere.contains_key(&step.id);
        !been && gate::asked_at(&now.id, step, rules).is_some() && !was_there(step) && !is_beside(step)
    };
    let here = [(begins.ordinal, is_new(begins).then_some(begins.ordinal))];
    let bars = Bars::of(now, &here, &[], is_new);
    let steps = now.steps().iter();
    steps
        .filter_map(|step| Some((step, &now.steps()[bars.gate_before(step)?])))
        .collect()
}

/// Why a run does not go on at a step, or where it stood: a person is still to be asked at a new gate before it.
fn behind_new_gate(
    now: &Workflow,
    state: &RunState,
    from: Option<&StepId>,
    gates: &[(&Step, &Step)],
) -> Option<String> {
    let from = from.or_else(|| state.stood.as_ref().map(|stood| &stood.step))?;
    let (step, gate) = *gates.iter().find(|(step, _)| step.id == *from)?;
    let place = resume::around(now, gate).unwrap_or(gate);
    Some(format!(
        "“{}” lies behind the gate at “{}”, which is new there in the file and at which a person is still to be asked. Go on at “{}” (`{}`) or before it, or start a new run.",
        step.name, gate.name, place.name, place.id
    ))
}

/// Why a run does not go on: a person has rejected at a gate at which nobody would be asked any more. Answers to what a step came to, or may do,
/// are asked for by other rules than the file's gates.
fn rejected(kept: &Workflow, now: &Workflow, state: &RunState, rules: GateRules<'_>) -> Option<String> {
    let rounds = state.gates.values().filter_map(|rounds| rounds.last());
    let asks = |round: &GateRound| {
        let step = now.step(&round.opened.instance.step);
        step.is_some_and(|step| gate::asked_at(&now.id, step, rules).is_some())
    };
    rounds.filter(|round| round.opened.why.is_of_gate()).find_map(|round| {
        let (decision, _) = round.answer.as_ref()?;
        let stands = decision.answer == Answer::Reject && resume::is_unapproved(state, round);
        if !stands || asks(round) {
            return None;
        }
        let step = kept.step(&round.opened.instance.step)?;
        let comment = match decision.comment.trim() {
            "" => String::new(),
            // It stands between quotation marks here.
            comment => format!(" (“{}”)", comment.replace('“', "‘").replace('”', "’")),
        };
        Some(format!(
            "{} rejected at the gate of “{}”{comment}, and with the file and the settings as they are now nobody would be asked there again. Let that gate ask, or start a new run.",
            decision.by.trim(),
            step.name
        ))
    })
}

fn is_completed(state: &RunState, step: &Step) -> bool {
    let visits = state.visits_of(&step.id);
    let results = visits
        .flat_map(|visit| &visit.attempts)
        .filter_map(|attempt| attempt.result.as_ref());
    results.map(|result| result.status).any(ExecutionStatus::completes)
}

/// The first step that every way leads through now to where a run with a token stood, and did not before: nobody has been there, and it may ask
/// a person. It is new in the file, or was moved.
///
/// # Errors
/// A completed step follows it, which would be done again: which of the two is meant a person says.
fn new_before<'a>(
    kept: &Workflow,
    now: &'a Workflow,
    state: &RunState,
    rules: GateRules<'_>,
) -> Result<Option<&'a Step>, String> {
    // The steps of a runbook have their numbers: what is new there stands where another one stood.
    if now.contract().reopening != Reopening::WhereItStood || now.contract().jumps {
        return Ok(None);
    }
    let Some(stood) = state.stood.as_ref().and_then(|stood| now.step(&stood.step)) else {
        return Ok(None);
    };
    let way = resume::way_to(now, state, stood);
    let before = kept.step(&stood.id).map(|stood| resume::way_to(kept, state, stood));
    let known: BTreeSet<&StepId> = before.iter().flatten().map(|step| &step.id).collect();
    let is_new = |step: &&Step| !known.contains(&step.id) && state.visits_of(&step.id).next().is_none();
    let Some(place) = way.iter().position(is_new) else {
        return Ok(None);
    };
    let new = way[place];
    let put = match kept.step(&new.id) {
        None => "is new in the file and comes",
        Some(_) => "was moved in the file and comes",
    };
    match way[place..].iter().find(|step| is_completed(state, step)) {
        None => Ok(Some(new)),
        // Past its gate it does not go on.
        Some(done) if gate::asked_at(&now.id, new, rules).is_some() => Err(format!(
            "“{}” {put} before “{}”, which is completed, and a person is still to be asked there. Go on at `{}`, and what follows it is done again, or start a new run.",
            new.name, done.name, new.id
        )),
        Some(done) => Err(format!(
            "“{}” {put} before “{}”, which is completed. Say where the run goes on: at `{}`, and what follows it is done again, or at `{}`, and it is left out.",
            new.name, done.name, new.id, stood.id
        )),
    }
}

/// The steps that run again for certain.
fn again(now: &Workflow, state: &RunState, from: Option<&StepId>) -> Result<BTreeSet<StepId>, String> {
    match now.contract().reopening {
        Reopening::AtOpenStep => {
            let rest = resume::rest_from(now, state, from)?;
            Ok(rest.into_iter().map(|step| step.id.clone()).collect())
        }
        Reopening::WhereItStood => {
            if let (None, Some(stood)) = (from, &state.stood)
                && now.step(&stood.step).is_none()
            {
                return Err(format!(
                    "The run stood at `{}`, which is not in the file any more. Choose another step to go on at.",
                    stood.step
                ));
            }
            Ok(BTreeSet::from([resume::stand(now, state, from)?.step]))
        }
        Reopening::Never | Reopening::ByStage => {
            Err("A run of this format goes on with the version that it keeps.".to_owned())
        }
    }
}

/// Whether two steps say the same, wherever in their files they stand.
fn same(a: &Step, b: &Step) -> bool {
    let place = |step: &Step| Step {
        ordinal: 0,
        number: String::new(),
        ..step.clone()
    };
    place(a) == place(b)
}
