//! The project's quality standards beside what steps report (seed 003 `quality_standards`).

use crate::run::lifecycle_view::CheckView;
use crate::view::Status;
use engine::{GateRound, Purpose, RunState};
use model::Workflow;

/// Each standard that a step has spoken of before this was asked: what is wanted, and what it reported last.
pub fn checks(workflow: &Workflow, state: &RunState, round: &GateRound) -> Vec<CheckView> {
    let decides = matches!(round.opened.purpose, Purpose::Approval | Purpose::Way { .. });
    let Some(created) = state.created.as_deref().filter(|_| decides) else {
        return Vec::new();
    };
    let standards = created.standards();
    let mut out = Vec::new();
    for step in workflow.steps() {
        let mut attempts: Vec<_> = state.visits_of(&step.id).flat_map(|visit| &visit.attempts).collect();
        attempts.retain(|attempt| attempt.ended_at.is_some_and(|at| at <= round.opened_at));
        let Some(result) = attempts.iter().rev().find_map(|attempt| attempt.result.as_deref()) else {
            continue;
        };
        out.extend(result.held(&standards).into_iter().map(|held| CheckView {
            name: format!(
                "{} of at least {}",
                model::step::humanise(held.standard.title()),
                held.standard.value(held.wanted)
            ),
            status: if held.is_met() { Status::Done } else { Status::Failed },
            detail: format!("“{}” reports {}", step.name, held.said()),
        }));
    }
    out
}
