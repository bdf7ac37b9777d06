//! How good a step's agents find what they made, visit by visit (seed 003 `quality_metrics`).

use crate::run::instances::Times;
use crate::run::view::ScoreView;
use engine::{Answer, AttemptState, Instance, Purpose, RunState, Visit, scores};
use model::step::humanise;

/// The scores of some visits, oldest first. A score is a claim; what supports it is said beside it.
pub fn of_visits<'a>(state: &RunState, visits: impl Iterator<Item = &'a Visit>) -> Vec<ScoreView> {
    let mut out: Vec<ScoreView> = Vec::new();
    let mut times = Times::of(state);
    for visit in visits {
        for attempt in &visit.attempts {
            let Some(result) = attempt.result.as_deref() else {
                continue;
            };
            let Some(overall) = scores::overall(&result.report) else {
                continue;
            };
            let parts = scores::of(&result.report).into_iter();
            let parts = parts.filter(|(score, _)| *score != scores::Score::Overall);
            out.push(ScoreView {
                visit: times.nth(&visit.instance),
                attempt: attempt.started.attempt,
                overall,
                change: out
                    .last()
                    .map(|before| ((overall - before.overall) * 1000.0).round() / 1000.0),
                parts: parts
                    .map(|(score, value)| {
                        let name = humanise(score.field().trim_end_matches("_score"));
                        format!("{} {value}", name.to_lowercase())
                    })
                    .collect(),
                support: support(state, &visit.instance, attempt),
            });
        }
    }
    out
}

/// Who or what stands for a claim beside whoever made it.
fn support(state: &RunState, instance: &Instance, attempt: &AttemptState) -> Option<String> {
    let approved = state.gates.values().flatten().rev().find_map(|round| {
        let (decision, at) = round.answer.as_ref()?;
        let is_about = round.opened.instance == *instance && round.opened.at == model::GateAt::After;
        let is_latest = attempt
            .ended_at
            .is_some_and(|ended| ended <= round.opened_at && ended <= *at);
        let approves = decision.answer == Answer::Approve && round.opened.purpose == Purpose::Approval;
        // Who lets it pass below a standard does not call it good.
        (is_about && is_latest && approves && round.opened.below.is_empty()).then(|| decision.by.trim().to_owned())
    });
    let validation = attempt
        .result
        .as_ref()
        .and_then(|result| result.lifecycle.as_ref()?.validation.as_ref());
    let checked = validation.is_some_and(|validation| validation.passed && !validation.checks.is_empty());
    match (approved, checked) {
        (Some(who), _) => Some(format!("approved by {who}")),
        (None, true) => Some("its checks have passed".to_owned()),
        (None, false) => None,
    }
}
