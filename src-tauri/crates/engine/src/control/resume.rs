//! Taking up a run of steps in sequence that has ended badly (seed 000 "Resume"): from the first step that is not completed on,
//! and what is completed never runs again.

use super::commit::Commit;
use crate::state::{RunState, RunStatus};
use crate::{Answer, Choice, EndStatus, Event, Refusal, RefusalCode};
use model::{Step, StepId, Workflow};
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

/// Whether a step has been carried out, and nobody has rejected what came of it or been asked without having answered.
fn is_completed(state: &RunState, step: &StepId) -> bool {
    let Some(last) = state.steps.get(step).and_then(|s| s.visits.last()) else {
        return false;
    };
    let done = last
        .attempts
        .last()
        .and_then(|attempt| attempt.result.as_ref())
        .is_some_and(|result| result.status.completes());
    let rounds = state.gates.values().flatten();
    let mut asked = rounds.filter(|round| round.opened.instance == last.instance);
    let answer = |d: &crate::Decision| matches!(d.answer, Answer::Approve | Answer::Pass | Answer::Changes);
    done && asked.all(|round| round.answer.as_ref().is_some_and(|(decision, _)| answer(decision)))
}

impl Commit<'_> {
    /// A person takes up a run that has ended: it goes on at the first step that is not completed.
    pub(crate) fn reopen_flow(&mut self, by: &str, choices: &BTreeMap<StepId, Choice>) -> Result<(), Refusal> {
        let cannot = |message: String| Err(Refusal::new(RefusalCode::CannotReopen, message));
        match self.now.status {
            RunStatus::Ended(EndStatus::Failed | EndStatus::Aborted) => {}
            RunStatus::Ended(_) => return cannot("This run is complete: there is nothing left to resume.".to_owned()),
            _ => return cannot("This run has not ended. Let it end or stop it; then resume it.".to_owned()),
        }
        let rest = rest(self.workflow, &self.now);
        let Some(first) = rest.first() else {
            return cannot("Every step of this run is completed: there is nothing left to resume.".to_owned());
        };
        if let Some((other, _)) = choices
            .iter()
            .find(|(id, choice)| **id != first.id || **choice == Choice::Skip)
        {
            let message = format!(
                "The run goes on with “{}”. Nothing else can be chosen for “{other}”: a step of this workflow cannot be left out.",
                first.name
            );
            return Err(Refusal::new(RefusalCode::ChoiceNeeded, message));
        }
        self.emit(Event::Reopened {
            by: by.to_owned(),
            choices: choices.clone(),
            reset: rest.iter().map(|step| step.id.clone()).collect(),
        });
        self.go(&first.id, Vec::new());
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
