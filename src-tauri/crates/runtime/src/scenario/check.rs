//! Comparing how a run ended with what its scenario expects.

use super::Scenario;
use engine::{EndStatus, Outcome, RunState, RunStatus};
use model::StepId;

/// The steps in the order they were entered, one entry a visit.
pub fn path(state: &RunState) -> Vec<StepId> {
    state
        .visits()
        .into_iter()
        .map(|visit| visit.instance.step.clone())
        .collect()
}

impl Scenario {
    /// Differences between what was expected and what happened, in words; empty when there are none.
    pub fn check(&self, state: &RunState) -> Vec<String> {
        let mut out = Vec::new();
        let Some(expect) = &self.expect else { return out };
        if let Some(wanted) = &expect.status {
            let happened = end(state);
            // A run that a person rejected has gone well or failed by the word of its format: either is true of it.
            let is_refused = happened == REJECTED && wanted == "refused";
            if !is_refused && wanted != happened && wanted != word(state.status) {
                let why = state.error.as_deref().map(|e| format!(" ({e})")).unwrap_or_default();
                out.push(format!("the run should end {wanted}, and is {happened}{why}"));
            }
        }
        if let Some(wanted) = &expect.path {
            let happened = path(state);
            if *wanted != happened {
                let at = wanted.iter().zip(&happened).take_while(|(a, b)| a == b).count();
                let step = |path: &[StepId]| path.get(at).map_or("nothing".to_owned(), |id| format!("`{id}`"));
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
        let mut state = RunState {
            status: RunStatus::Ended(EndStatus::Succeeded),
            ..visited(&["a", "b"])
        };
        let found = scenario.check(&state);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(
            found[1].contains("2nd step: `c` was expected and `b` happened"),
            "{found:?}"
        );
        state.status = RunStatus::Ended(EndStatus::Failed);
        state.steps = visited(&["a", "c"]).steps;
        state.error = Some("the compiler is missing".into());
        assert!(scenario.check(&state).is_empty());
    }
}
