//! What comes when a run goes on: taken up where it ended, or from a moment in the middle of it.

use crate::gate::people;
use crate::run::view::{MendedView, ResumeView};
use crate::run::{instances, reasons, status};
use crate::text::safe;
use crate::words;
use engine::control::dag::unsettled;
use engine::{
    Answer, Artifact, Cursor, EndStatus, ExecutionStatus, GateRules, RunState, RunStatus, StageEnd, Stand, StepStatus,
};
use model::{Control, GateAt, Reopening, Step, StepId, Work, Workflow};
use runtime::pipeline::state_file;
use std::collections::BTreeSet;

/// Why a pipeline that has ended is not taken up by its run.
const BY_STAGE: &str = "A pipeline is resumed stage by stage, with a word for each that failed or was cut off: `gatehouse pipeline resume PIPELINE`, or Resume… in the window.";

/// Why what waits for its stages and has no file of its state is not taken up at a step.
const ALL_AGAIN: &str = "What is made of stages is not resumed at a step: with `gatehouse resume RUN` every stage that failed or was cut off runs again. With Resume… in the window you say of each whether it is left out.";

/// Whether of each stage that failed or was cut off a person says what becomes of it, as of a pipeline that is known by its id; of what else is
/// made of stages all of them run again.
pub fn is_by_stage(state: &RunState) -> bool {
    state.created.as_deref().is_some_and(state_file::has_file)
}

/// Why what is resumed by its stages is not taken up at a step.
pub fn by_stage(state: &RunState) -> &'static str {
    match is_by_stage(state) {
        true => BY_STAGE,
        false => ALL_AGAIN,
    }
}

/// What taking up a run again means, where it failed or was stopped and something is left to be done. `from`: at this
/// step; absent: where it stood. `mended`: it goes on as a new run, with a file that differs in this.
///
/// # Errors
/// Why it cannot be taken up (there), in words.
pub fn taken_up(
    workflow: &Workflow,
    state: &RunState,
    from: Option<&StepId>,
    mended: Option<MendedView>,
) -> Result<ResumeView, String> {
    if state.paused && !state.status.ended() {
        return Err("This run is paused and has not ended: let it go on, and it goes on where it was.".to_owned());
    }
    let Ahead {
        step,
        happens,
        then,
        kept,
        places,
    } = match workflow.contract().reopening {
        Reopening::AtOpenStep => at_open_step(workflow, state, from)?,
        Reopening::WhereItStood => where_it_stood(workflow, state, from)?,
        Reopening::ByStage => return Err(by_stage(state).to_owned()),
        Reopening::Never => return Err("A run of this format is not resumed. Start a new run.".to_owned()),
    };
    let who = match mended {
        None => "This run goes on",
        Some(_) => "A new run begins with what this one has done, and goes on with the file as it is now",
    };
    let again = then.iter().any(|step| was_done(workflow, state, step));
    let refs = |steps: Vec<&Step>| steps.into_iter().map(words::of_step).collect();
    Ok(ResumeView {
        words: format!(
            "{}{}{who}: {happens} {}",
            refused(workflow, state),
            reasons::circled(workflow, state).map_or_else(String::new, |said| format!("{said} It may do so again. ")),
            stays(workflow, &kept, again)
        ),
        step: words::of_step(step),
        then: refs(then),
        kept: refs(kept),
        places: refs(places),
        not_taken: None,
        mended,
    })
}

/// The same of an agent workflow, or a pipeline without an id: every stage that failed or was cut off is done again, and what was left out because
/// of it comes then.
///
/// # Errors
/// Why it cannot be taken up, in words.
pub fn stages_again(workflow: &Workflow, state: &RunState) -> Result<ResumeView, String> {
    let again = unsettled(workflow, state);
    let is_again = |id: &StepId| again.iter().any(|step| step.id == *id);
    let is_done = |step: &&Step| state.step_status(&step.id) == StepStatus::Succeeded;
    let comes = |step: &&Step| {
        let settled = state.stages.get(&step.id).and_then(|stage| stage.settled.as_ref());
        settled
            .is_none_or(|settled| settled.status == StageEnd::Skipped && settled.because.as_ref().is_some_and(is_again))
    };
    let steps = || workflow.steps().iter();
    let open = steps().filter(|step| !is_done(step) && comes(step));
    let mut then: Vec<&Step> = again.iter().copied().chain(open).collect();
    let kept: Vec<&Step> = steps().filter(is_done).collect();
    if then.is_empty() {
        return Err("Every stage is completed: there is nothing left to resume.".to_owned());
    }
    let first = then.remove(0);
    let name = |step: &Step| format!("“{}”", words::step_ref(workflow, &step.id).name);
    let names: Vec<String> = again.iter().map(|step| name(step)).collect();
    let happens = match people::listed(&names, "and") {
        None => begins(workflow, state, first),
        Some(names) if again.len() == 1 => {
            format!("{names} is done again from its beginning.") + &once_more(workflow, state, &again)
        }
        Some(names) => format!("{names} are done again from their beginning.") + &once_more(workflow, state, &again),
    };
    let refs = |steps: Vec<&Step>| steps.into_iter().map(words::of_step).collect();
    Ok(ResumeView {
        words: format!(
            "{}This run goes on: {happens} {}",
            refused(workflow, state),
            stays(workflow, &kept, false)
        ),
        step: words::of_step(first),
        then: refs(then),
        kept: refs(kept),
        places: Vec::new(),
        not_taken: None,
        mended: None,
    })
}

/// The same of a run that has not ended: nobody takes it up, it goes on.
///
/// # Errors
/// It goes on nowhere but where it stands.
pub fn goes_on(workflow: &Workflow, state: &RunState, from: Option<&StepId>) -> Result<ResumeView, String> {
    let words = match state.paused {
        true => "This run is paused and has not ended: it goes on where it stands.",
        false => "This run has not ended: it goes on where it stands.",
    };
    let onward = onward(workflow, state);
    // Between two stages it stands at none, and what comes next begins first.
    let first = onward.at.first().or(onward.then.first());
    let Some(first) = first.filter(|_| from.is_none()) else {
        return Err(words.to_owned());
    };
    let refs = |steps: &[&Step]| steps.iter().copied().map(words::of_step).collect();
    Ok(ResumeView {
        words: format!("{words} {}", onward.words),
        step: words::of_step(first),
        then: refs(&onward.then),
        kept: refs(&onward.kept),
        places: Vec::new(),
        not_taken: None,
        mended: None,
    })
}

/// That a person has refused the run, for whoever takes it up all the same: `It was rejected by Ada Lund at “Sign”: too dear. `; else nothing.
fn refused(workflow: &Workflow, state: &RunState) -> String {
    let Some(engine::Outcome::Refused(refused)) = state.outcome() else {
        return String::new();
    };
    format!(
        "It was {} ",
        status::sentence(&status::refused(workflow, &refused).words)
    )
}

/// What comes when a run is taken up.
struct Ahead<'a> {
    /// The step that it goes on at.
    step: &'a Step,
    /// What happens there, as the rest of a sentence.
    happens: String,
    /// Steps that run after it, or may.
    then: Vec<&'a Step>,
    /// Steps that are done and not done again.
    kept: Vec<&'a Step>,
    /// Steps at which it can go on.
    places: Vec<&'a Step>,
}

/// Steps in sequence: what is completed never runs again (seed 000 "Resume"), but from a step on that a person names.
fn at_open_step<'a>(workflow: &'a Workflow, state: &RunState, from: Option<&StepId>) -> Result<Ahead<'a>, String> {
    if !matches!(state.status, RunStatus::Ended(EndStatus::Failed | EndStatus::Aborted)) {
        return Err("The run is complete: there is nothing left to do.".to_owned());
    }
    use engine::control::resume;
    let mut then = resume::rest_from(workflow, state, from)?;
    if then.is_empty() {
        return Err("Every step is completed: there is nothing left to do.".to_owned());
    }
    let steps = || workflow.steps().iter();
    let kept = steps()
        .filter(|step| then.iter().all(|left| left.id != step.id))
        .collect();
    let step = then.remove(0);
    let places: Vec<&Step> = steps()
        .filter(|step| resume::rest_from(workflow, state, Some(&step.id)).is_ok())
        .collect();
    Ok(Ahead {
        step,
        happens: begins(workflow, state, step) + &made_anew(workflow, state, step, &places),
        then,
        kept,
        places,
    })
}

/// A token: what comes after the step follows from what it reports then.
fn where_it_stood<'a>(workflow: &'a Workflow, state: &RunState, from: Option<&StepId>) -> Result<Ahead<'a>, String> {
    use engine::control::resume;
    let at = resume::stand(workflow, state, from)?;
    let step = workflow
        .step(&at.step)
        .ok_or("Its step is not in the version that this run keeps.")?;
    let Beyond { then, rest } = beyond(workflow, state, std::slice::from_ref(&at));
    let kept = rest
        .into_iter()
        .filter(|step| was_done(workflow, state, step))
        .collect();
    let name = words::step_ref(workflow, &step.id).name;
    let places = resume::places(workflow, state);
    Ok(Ahead {
        step,
        happens: match at.fork {
            Some(_) => format!("the branches of “{name}” that have not come to their end go on where they stood."),
            None => format!(
                "{}{}{}",
                begins(workflow, state, step),
                asked_again(workflow, state, step),
                made_anew(workflow, state, step, &places)
            ),
        },
        then,
        kept,
        places,
    })
}

/// The steps beyond those at which a run goes on.
struct Beyond<'a> {
    /// A way leads to them: they may run.
    then: Vec<&'a Step>,
    /// None does.
    rest: Vec<&'a Step>,
}

fn beyond<'a>(workflow: &'a Workflow, state: &RunState, at: &[Stand]) -> Beyond<'a> {
    let reached: Vec<Vec<bool>> = at
        .iter()
        .map(|at| engine::control::resume::reach(workflow, state, at))
        .collect();
    let steps = workflow.steps().iter();
    let (then, rest) = steps
        .filter(|step| at.iter().all(|at| at.step != step.id) && step.work != Work::Group)
        .partition(|step| reached.iter().any(|reached| reached[step.ordinal]));
    Beyond { then, rest }
}

/// What comes when a run goes on from a moment in the middle of it.
pub struct Onward<'a> {
    /// Where it stands then: asked about, about to begin, or under way.
    pub at: Vec<&'a Step>,
    /// Steps that may run after these.
    pub then: Vec<&'a Step>,
    /// Steps that are done and not done again.
    pub kept: Vec<&'a Step>,
    /// Steps that were left out, and stay so.
    pub left_out: Vec<&'a Step>,
    /// Steps that had failed, and stay so: the branch or the stage of each has come to its end.
    pub failed: Vec<&'a Step>,
    /// What stays, as sentences.
    pub words: String,
}

/// The same of a moment in the middle of a run. `then`: the run as of that moment.
pub fn onward<'a>(workflow: &'a Workflow, then: &RunState) -> Onward<'a> {
    let mut seen = BTreeSet::new();
    let at: Vec<Stand> = then
        .cursors()
        .filter_map(|cursor| stands(then, cursor))
        // Two branches may stand at one step.
        .filter(|step| seen.insert(step.clone()))
        .map(|step| Stand {
            step,
            path: Vec::new(),
            fork: None,
        })
        .collect();
    let Beyond { then: next, rest } = match workflow.contract().control {
        Control::Token => beyond(workflow, then, &at),
        // Whatever has not begun waits for its turn.
        Control::Stages => {
            let steps = workflow.steps().iter();
            let (then, rest) = steps
                .filter(|step| at.iter().all(|at| at.step != step.id))
                .partition(|step| matches!(then.step_status(&step.id), StepStatus::NotStarted | StepStatus::Queued));
            Beyond { then, rest }
        }
    };
    let of = |wanted: &[StepStatus]| -> Vec<&Step> {
        let stand = rest.iter().filter(|step| wanted.contains(&then.step_status(&step.id)));
        stand.copied().collect()
    };
    let kept = of(&[StepStatus::Succeeded]);
    let again = next.iter().any(|step| was_done(workflow, then, step));
    Onward {
        words: match kept.is_empty() && !again {
            true if at
                .iter()
                .filter_map(|at| workflow.step(&at.step))
                .any(|step| was_done(workflow, then, step)) =>
            {
                "What was done by then stays.".to_owned()
            }
            true => "No step is completed then.".to_owned(),
            false => stays(workflow, &kept, again),
        },
        at: at.iter().filter_map(|at| workflow.step(&at.step)).collect(),
        then: next,
        kept,
        left_out: of(&[StepStatus::Skipped]),
        failed: of(&[StepStatus::Failed, StepStatus::Refused]),
    }
}

/// At which step a token stands.
fn stands(state: &RunState, cursor: &Cursor) -> Option<StepId> {
    match cursor {
        Cursor::Ready { step, .. } => Some(step.clone()),
        Cursor::Running { instance, .. } | Cursor::Retrying { instance, .. } | Cursor::Choosing { instance } => {
            Some(instance.step.clone())
        }
        Cursor::AtGate { gate, round } => {
            let mut rounds = state.gates.get(gate)?.iter();
            let asked = rounds.find(|asked| asked.opened.round == *round)?;
            Some(asked.opened.instance.step.clone())
        }
        Cursor::Nowhere | Cursor::AtJoin { .. } | Cursor::Between(_) => None,
    }
}

/// What happens at the step that a run goes on at, as the rest of a sentence.
fn begins(workflow: &Workflow, state: &RunState, step: &Step) -> String {
    let name = words::step_ref(workflow, &step.id).name;
    match state.steps.contains_key(&step.id) {
        true => {
            format!("“{name}” is done again from its beginning, and may be tried as often as the workflow says.")
                + &once_more(workflow, state, &[step])
        }
        false if was_rejected(state, step) => {
            format!("“{name}”, which was rejected before it began, comes next; it is asked about again.")
        }
        false => format!("“{name}”, which has not begun yet, comes next."),
    }
}

/// That work which was done is done once more when a run that has ended is resumed, for whoever is not shown what that means; `None`: none is.
pub fn done_once_more(workflow: &Workflow, state: &RunState, from: Option<&StepId>) -> Option<String> {
    use engine::control::resume;
    if !state.status.ended() {
        return None;
    }
    let again: Vec<&Step> = match workflow.contract().reopening {
        Reopening::AtOpenStep => resume::rest_from(workflow, state, from)
            .ok()?
            .into_iter()
            .take(1)
            .collect(),
        Reopening::WhereItStood => {
            let at = resume::stand(workflow, state, from).ok()?;
            workflow.step(&at.step).into_iter().collect()
        }
        Reopening::ByStage => unsettled(workflow, state),
        Reopening::Never => Vec::new(),
    };
    let said = once_more(workflow, state, &again);
    (!said.is_empty()).then(|| said.trim_start().to_owned())
}

/// Of steps that are done again: which of them were done when the run ended, and wait for an answer alone. A sentence behind what happens.
pub fn once_more(workflow: &Workflow, state: &RunState, again: &[&Step]) -> String {
    let was_done = |step: &&&Step| {
        let Some(last) = state.visits_of(&step.id).next_back() else {
            return false;
        };
        let result = last.attempts.last().and_then(|attempt| attempt.result.as_deref());
        let mut rounds = state.gates.values().flatten();
        result.is_some_and(|result| result.status == ExecutionStatus::Succeeded)
            && rounds.any(|round| {
                let opened = &round.opened;
                round.answer.is_none() && opened.at == GateAt::After && opened.instance == last.instance
            })
    };
    let names = again.iter().filter(was_done);
    let names: Vec<String> = names
        .map(|step| format!("“{}”", words::step_ref(workflow, &step.id).name))
        .collect();
    people::listed(&names, "and").map_or_else(String::new, |names| {
        format!(" The work of {names} was done, and only an answer was missing: with that it is done once more.")
    })
}

/// Of a step that a token enters once more: whether its gate asks a person again, as a sentence behind what happens there.
fn asked_again(workflow: &Workflow, state: &RunState, step: &Step) -> &'static str {
    if !state.steps.contains_key(&step.id) {
        return "";
    }
    match engine::gate::asked_at(&workflow.id, step, GateRules::of(state.created.as_deref())) {
        Some(GateAt::Before) => " A person is asked again before it begins.",
        Some(GateAt::After) => " A person is asked about it once it is done.",
        None => "",
    }
}

/// Of a step that found a file otherwise than people had approved it: that it finds the same again, and from which step on the file is made and
/// seen anew, where the run can go on there. A sentence behind what happens; `places`: the steps at which it can go on.
fn made_anew(workflow: &Workflow, state: &RunState, step: &Step, places: &[&Step]) -> String {
    let Some(last) = state.visits_of(&step.id).last() else {
        return String::new();
    };
    let results = last.attempts.iter().filter_map(|attempt| attempt.result.as_deref());
    let around = results.filter_map(|result| result.lifecycle.as_deref());
    let mut changed = around.flat_map(|around| &around.not_as_approved);
    let said = changed.find_map(|file| {
        let made = state.results();
        let mut makers = made.iter().rev().filter(|(at, result)| {
            let is_it = |one: &Artifact| one.path == file.path && !one.was_there;
            at.step != step.id && result.artifacts.iter().any(is_it)
        });
        let (maker, _) = makers.next()?;
        let maker = places.iter().find(|place| place.id == maker.step)?;
        Some(format!(
            " “{}” was not as it was approved, and is not made anew by that: go on at “{}”, which made it, so that it is seen again.",
            safe::visible(&file.path),
            words::step_ref(workflow, &maker.id).name
        ))
    });
    said.unwrap_or_default()
}

fn was_rejected(state: &RunState, step: &Step) -> bool {
    let mut rounds = state.gates.values().flatten();
    rounds.any(|round| {
        round.opened.instance.step == step.id
            && round
                .answer
                .as_ref()
                .is_some_and(|(decision, _)| decision.answer == Answer::Reject)
    })
}

/// What a person was asked about and has not approved is not done.
fn was_done(workflow: &Workflow, state: &RunState, step: &Step) -> bool {
    instances::status(workflow, state, step, &[]) == StepStatus::Succeeded
        && !engine::control::resume::lacks_approval(state, &step.id)
}

/// What is kept of what a run has done. `again`: steps that are done already may come after the one that it goes on at.
fn stays(workflow: &Workflow, kept: &[&Step], again: bool) -> String {
    let kept = match kept {
        [] => None,
        [one] => Some(format!(
            "“{}” is done; it stays as it is and is not done again.",
            words::step_ref(workflow, &one.id).name
        )),
        more => Some(format!(
            "{} steps are done; they stay as they are and are not done again.",
            more.len()
        )),
    };
    let again =
        again.then(|| "What the way leads to after it is done again too, even where it was done before.".to_owned());
    match (kept, again) {
        (None, None) => "Nothing else has been done yet.".to_owned(),
        (kept, again) => kept.into_iter().chain(again).collect::<Vec<_>>().join(" "),
    }
}
