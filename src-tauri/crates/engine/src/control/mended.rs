//! Going on from a run that has ended with a mended workflow: whether it can, and what is other in it.

use super::resume;
use crate::{ExecutionStatus, RunState};
use model::{Reopening, Step, StepId, Workflow};
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
}

/// Whether a run that has ended can go on with a mended workflow, and what is other in it. `kept`: the workflow of the run; `from`: the
/// step at which it goes on, absent: where it stood. Every step that was completed and does not run again has to be as it was: what it made
/// would else stand for what another one makes.
///
/// # Errors
/// Why it cannot, in words.
pub fn mended<'a>(
    kept: &'a Workflow,
    now: &'a Workflow,
    state: &RunState,
    from: Option<&StepId>,
) -> Result<Mended<'a>, String> {
    if (kept.format, &kept.id) != (now.format, &now.id) {
        return Err(format!(
            "The file holds another workflow now: “{}” where it was “{}”.",
            now.title, kept.title
        ));
    }
    let again = again(now, state, from)?;
    let mut found = Mended::default();
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
    let completed = |step: &Step| {
        let visits = state.visits_of(&step.id);
        let results = visits
            .flat_map(|visit| &visit.attempts)
            .filter_map(|attempt| attempt.result.as_ref());
        results.map(|result| result.status).any(ExecutionStatus::completes)
    };
    let stays = |step: &Step| !again.contains(&step.id) && completed(step);
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
