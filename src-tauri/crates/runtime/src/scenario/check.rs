//! Comparing how a run ended with what its scenario expects.

use super::{Expect, Scenario};
use engine::{EndStatus, Outcome, Purpose, RunState, RunStatus};
use model::{Step, StepId, Workflow};

/// The steps in the order they were entered, one entry a visit.
pub fn path(state: &RunState) -> Vec<StepId> {
    state
        .visits()
        .into_iter()
        .map(|visit| visit.instance.step.clone())
        .collect()
}

impl Scenario {
    /// Differences between what was expected and what happened, in words; empty when there are none. Where a run has ended well nothing
    /// comes any more: an answer that nobody asked for, and a step that was never reached, prove nothing of what they were written for.
    /// `workflow`: what names the steps.
    pub fn check(&self, workflow: &Workflow, state: &RunState) -> Vec<String> {
        let mut out = self
            .expect
            .as_ref()
            .map_or_else(Vec::new, |expect| unmet(expect, workflow, state));
        if is_over(state) {
            out.extend(self.unasked(workflow, state));
            out.extend(self.unreached(workflow, state));
        }
        out
    }

    /// What else of the script was not come to, in words: of a run that waits, or can be taken up again, that may still come; and visits
    /// of a step beyond those there were.
    pub fn left_over(&self, workflow: &Workflow, state: &RunState) -> Vec<String> {
        let mut out = Vec::new();
        if !is_over(state) {
            out.extend(self.unasked(workflow, state));
            out.extend(self.unreached(workflow, state));
        }
        let beyond = self.steps.iter().filter_map(|(step, entries)| {
            let visits = reached(state, step);
            (visits > 0 && visits < entries.len()).then(|| {
                let (step, scripted) = (called(workflow, step), entries.len());
                format!("the scenario says what {step} does at {scripted} visits, and it came to {visits}")
            })
        });
        out.extend(beyond);
        out
    }

    /// Scripted answers that no gate asked for.
    fn unasked<'a>(&'a self, workflow: &'a Workflow, state: &'a RunState) -> impl Iterator<Item = String> + 'a {
        self.gates.iter().filter_map(move |(id, replies)| {
            let rounds = state.gates.values().flatten().map(|round| &*round.opened);
            let asked = rounds
                .filter(|opened| self.replies(opened).is_some_and(|(key, _)| key == id))
                .map(|opened| opened.round as usize)
                .max()
                .unwrap_or(0);
            let step = || called(workflow, id);
            match replies.len() {
                scripted if scripted <= asked => None,
                _ if asked == 0 => Some(format!(
                    "the gate of {} was never asked, and the scenario answers it",
                    step()
                )),
                scripted => Some(format!(
                    "the scenario answers the gate of {} {scripted} times, and it was asked {asked} of them",
                    step()
                )),
            }
        })
    }

    /// Scripted steps that the run never came to.
    fn unreached<'a>(&'a self, workflow: &'a Workflow, state: &'a RunState) -> impl Iterator<Item = String> + 'a {
        let steps = self.steps.keys().filter(move |step| reached(state, step) == 0);
        steps.map(move |step| {
            let step = called(workflow, step);
            format!("the step {step} was never reached, and the scenario says what it does")
        })
    }
}

/// How a sentence speaks of a step that a script names: what is no step of the workflow by what the script says.
fn called(workflow: &Workflow, id: &str) -> String {
    let step = workflow.step(&StepId::from(id));
    step.map_or_else(|| format!("`{id}`"), Step::called)
}

/// Whether nothing follows any more: what failed, or was rejected, may be taken up again, and a script may say what comes then.
fn is_over(state: &RunState) -> bool {
    state.outcome() == Some(Outcome::Done)
}

/// How often a run came to a step: whoever was sent elsewhere from it has made no visit, but has been asked.
fn reached(state: &RunState, step: &str) -> usize {
    let visits = state.steps.get(&StepId::from(step)).map_or(0, |step| step.visits.len());
    let rounds = state.gates.values().flatten().map(|round| &*round.opened);
    let asked = rounds
        .filter(|opened| opened.instance.step.as_str() == step)
        .map(|opened| opened.round.max(opened.instance.visit) as usize);
    asked.max().unwrap_or(0).max(visits)
}

/// In what a run differs from what is expected of it.
fn unmet(expect: &Expect, workflow: &Workflow, state: &RunState) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(wanted) = &expect.status {
        let happened = end(state);
        // A rejection is no success, also where the workflow has a way for it. Whether it is called a failure is its format's own word.
        let or = match happened {
            REJECTED if wanted == "refused" => true,
            REJECTED => wanted == word(state.status) && state.status != RunStatus::Ended(EndStatus::Succeeded),
            _ => false,
        };
        if wanted != happened && !or {
            let why = state.error.as_deref().map(|e| format!(" ({e})")).unwrap_or_default();
            let (wanted, happened) = (dialect::end_in_words(wanted), dialect::end_in_words(happened));
            out.push(format!("the run should end as “{wanted}”, and is “{happened}”{why}"));
        }
    }
    if let Some(wanted) = &expect.path {
        let happened = path(state);
        if *wanted != happened {
            let at = wanted.iter().zip(&happened).take_while(|(a, b)| a == b).count();
            let step = |path: &[StepId]| {
                path.get(at)
                    .map_or("nothing".to_owned(), |id| called(workflow, id.as_str()))
            };
            out.push(format!(
                "the path differs at its {} step: {} was expected and {} happened (whole path: {})",
                ordinal(at + 1),
                step(wanted),
                step(&happened),
                happened.iter().map(StepId::as_str).collect::<Vec<_>>().join(", ")
            ));
        }
    }
    if let Some(wanted) = &expect.error {
        match &state.error {
            Some(error) if error.contains(wanted.as_str()) => {}
            Some(error) => out.push(format!("the error should say `{wanted}`, and says `{error}`")),
            None => out.push(format!("the error should say `{wanted}`, and there is none")),
        }
    }
    out
}

/// The word for the end of a run that a person rejected.
const REJECTED: &str = "rejected";

/// How a run stands, in the words of a scenario.
pub(super) fn end(state: &RunState) -> &'static str {
    match state.outcome() {
        Some(Outcome::Refused(_)) => REJECTED,
        _ => word(state.status),
    }
}

/// That a run was ended by a refusal which a script of this workflow alone cannot say: nobody is asked there in a rehearsal. A sentence.
pub fn unplayed(state: &RunState) -> Option<&'static str> {
    let Some(Outcome::Refused(refused)) = state.outcome() else {
        return None;
    };
    let is_unasked = refused.inside.is_some() || matches!(refused.opened.purpose, Purpose::Permission { .. });
    is_unasked.then_some("A person refused what nobody is asked when this is played: there it is a failure.")
}

/// The word for a run's status in a scenario.
fn word(status: RunStatus) -> &'static str {
    match status {
        RunStatus::New => "new",
        RunStatus::Running => "running",
        RunStatus::Blocked => "blocked",
        RunStatus::Paused => "paused",
        RunStatus::Imported => "imported",
        RunStatus::Ended(EndStatus::Succeeded) => "succeeded",
        RunStatus::Ended(EndStatus::Failed) => "failed",
        RunStatus::Ended(EndStatus::Aborted) => "aborted",
        RunStatus::Ended(EndStatus::CompletedWithFailures) => "completed_with_failures",
        RunStatus::Ended(EndStatus::Stopped) => "stopped",
    }
}

fn ordinal(n: usize) -> String {
    let ending = match (n % 10, n % 100) {
        (1, h) if h != 11 => "st",
        (2, h) if h != 12 => "nd",
        (3, h) if h != 13 => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use dialect::Document;
    use engine::{Instance, StepState, Visit};
    use std::path::Path;
    use std::sync::Arc;

    fn visited(steps: &[&str]) -> RunState {
        let visit = |(i, step): (usize, &&str)| {
            let instance = Instance {
                step: (*step).into(),
                visit: 1,
                path: vec![],
            };
            let number = u32::try_from(i + 1).expect("a short list");
            (
                StepId::from(*step),
                StepState {
                    visits: [Arc::new(Visit {
                        instance,
                        number,
                        attempts: vec![],
                        left_by: None,
                        navigation: None,
                        detours: Vec::new(),
                    })]
                    .into(),
                },
            )
        };
        RunState {
            steps: steps.iter().enumerate().map(visit).collect(),
            ..RunState::default()
        }
    }

    #[test]
    fn differences_are_said_in_words() {
        let text = "expect: {status: failed, path: [a, c], error: compiler}";
        let scenario = Scenario::parse(Path::new("s.yaml"), text).expect("valid");
        let flow = "key: f\nsteps:\n- {id: a}\n- {id: b, name: Build it all}\n- {id: c}\n";
        let document = Document::parse("f.yaml", flow);
        let workflow = document.workflow();
        let mut state = RunState {
            status: RunStatus::Ended(EndStatus::Succeeded),
            ..visited(&["a", "b"])
        };
        let found = scenario.check(workflow, &state);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(
            found[1].contains("2nd step: `c` was expected and “Build it all” (`b`) happened"),
            "{found:?}"
        );
        state.status = RunStatus::Ended(EndStatus::Failed);
        state.steps = visited(&["a", "c"]).steps;
        state.error = Some("the compiler is missing".into());
        assert!(scenario.check(workflow, &state).is_empty());
    }
}
