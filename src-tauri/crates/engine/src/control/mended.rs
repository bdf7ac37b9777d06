//! Going on from a run that has ended with a mended workflow: whether it can, and what is other in it.

use super::resume;
use crate::state::GateRound;
use crate::{Answer, ExecutionStatus, GateRules, RunState, gate};
use model::{Gate, GateRequirement, Reopening, Step, StepId, Workflow};
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
    /// Steps of the old one whose gate is gone from the mended one, or asks less there.
    pub ungated: Vec<&'a Step>,
    /// A new step on every way to where the run stood: it goes on there. Absent: where it stood, or at the step that was named.
    pub at: Option<&'a Step>,
}

/// Whether a run that has ended can go on with a mended workflow, and what is other in it. `kept`: the workflow of the run; `rules`: what
/// decides in the run that goes on whether a gate asks; `from`: the step at which it goes on, absent: where it stood, or at a new step that
/// comes before that. Every step that was completed and does not run again has to be as it was: what it made would else stand for what
/// another one makes. What a person has rejected has to be asked again: no edit takes a rejection back.
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
        None => new_before(kept, now, state)?,
    };
    let again = again(now, state, from.or(at.map(|step| &step.id)))?;
    let mut found = Mended {
        at,
        ..Mended::default()
    };
    for step in kept.steps() {
        match now.step(&step.id) {
            Some(other) if same(step, other) => {}
            Some(other) => found.changed.push(other),
            None => found.gone.push(step),
        }
        // Of a step that says nothing the project's policy decides.
        let is_asked = |gate: &&Gate| gate.requirement != GateRequirement::Optional || gate.question.is_some();
        let asks = |step: &Step| step.gate.as_ref().filter(is_asked).map(|gate| gate.requirement);
        let asks_now = now.step(&step.id).and_then(asks);
        // The strongest come first.
        if asks(step).is_some_and(|before| asks_now.is_none_or(|now| now > before)) {
            found.ungated.push(step);
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
fn new_before<'a>(kept: &Workflow, now: &'a Workflow, state: &RunState) -> Result<Option<&'a Step>, String> {
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
