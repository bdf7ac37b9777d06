//! The decision brief: everything one needs to decide, on one screen.

use super::step::Blobs;
use super::{artifact, words};
use crate::view::gate::{AnswerPreview, CheckView, GateBrief, GateCard, Refused, RoundView, Signer};
use crate::view::{Status, StepRef};
use engine::{Answer, At, Decision, Digest, GateRound, Purpose, RefusalCode, RunState};
use model::workflow::FlowKind;
use model::{StepId, Workflow};
use std::collections::BTreeSet;

/// A decision that waits.
pub fn card(workflow: &Workflow, state: &RunState, round: &GateRound) -> GateCard {
    let created = state.created.as_deref();
    GateCard {
        run_id: created.map(|c| c.run_id.to_string()).unwrap_or_default(),
        gate: round.opened.gate.to_string(),
        round: round.opened.round,
        question: round.opened.question.clone(),
        workflow_title: created.map(|c| c.title.clone()).unwrap_or_default(),
        step: words::step_ref(workflow, &round.opened.instance.step),
        waiting_since: round.opened_at.0,
        asks: round.opened.asks.iter().map(ToString::to_string).collect(),
        started_by: created.map(|c| c.by.clone()).unwrap_or_default(),
    }
}

/// One round, with whether its signature holds.
pub fn round_view(round: &GateRound, valid: &dyn Fn(&Decision) -> Option<bool>) -> RoundView {
    let answer = round.answer.as_ref();
    RoundView {
        round: round.opened.round,
        opened_at: round.opened_at.0,
        answer: answer.map(|(d, _)| d.answer),
        by: answer.map(|(d, _)| d.by.clone()),
        answered_at: answer.map(|(_, at)| at.0),
        comment: answer.map(|(d, _)| d.comment.clone()).filter(|c| !c.is_empty()),
        via: answer.map(|(d, _)| d.via.clone()),
        key_short: answer
            .and_then(|(d, _)| d.signature.as_ref())
            .map(|s| crate::identity::short(&s.key)),
        signature_valid: answer.and_then(|(d, _)| valid(d)),
    }
}

/// What a brief is made of besides the run's state.
pub struct Around<'a> {
    /// Blobs.
    pub blobs: Blobs<'a>,
    /// Digest of a project file as it is on disk now.
    pub on_disk: &'a dyn Fn(&str) -> Option<Digest>,
    /// Whether a decision's signature holds.
    pub valid: &'a dyn Fn(&Decision) -> Option<bool>,
    /// Who signs.
    pub signer: Signer,
}

/// The brief of one round of a gate.
pub fn brief(
    workflow: &Workflow,
    state: &RunState,
    rounds: &[GateRound],
    shown: usize,
    around: &Around<'_>,
) -> GateBrief {
    let round = &rounds[shown];
    let opened = &round.opened;
    let created = state.created.as_deref();
    let attempt = state
        .steps
        .get(&opened.instance.step)
        .and_then(|s| s.visits.iter().find(|v| v.instance == opened.instance))
        .and_then(|v| v.attempts.last());
    let result = attempt.and_then(|a| a.result.as_deref());
    let artifacts: Vec<_> = opened
        .shown
        .iter()
        .map(|made| {
            let earlier = rounds[..shown].iter().rev().find_map(|r| {
                r.opened
                    .shown
                    .iter()
                    .find(|a| a.path == made.path)
                    .map(|a| (r.opened.round, &a.digest))
            });
            let differs = (around.on_disk)(&made.path).is_some_and(|now| now != made.digest);
            artifact::view(made, around.blobs, earlier, differs)
        })
        .collect();
    let refusal = refusal(state, round);
    GateBrief {
        run_id: created.map(|c| c.run_id.to_string()).unwrap_or_default(),
        run_status: words::run_status(state),
        gate: opened.gate.to_string(),
        round: opened.round,
        workflow_title: created.map(|c| c.title.clone()).unwrap_or_default(),
        workflow_path: created.map(|c| c.path.clone()).unwrap_or_default(),
        step: words::step_ref(workflow, &opened.instance.step),
        steps_total: workflow.steps().len() as u32,
        question: opened.question.clone(),
        why: words::gate_why(&opened.why),
        why_code: opened.why.clone(),
        waiting_since: round.opened_at.0,
        asks: opened.asks.iter().map(ToString::to_string).collect(),
        said: result.map(|r| r.output.trim().to_owned()).filter(|s| !s.is_empty()),
        report: result.map(|r| words::named(&r.report)).unwrap_or_default(),
        checks: checks(state, &artifacts, &opened.instance.step),
        artifacts,
        answers: offered(&opened.purpose)
            .iter()
            .copied()
            .map(|answer| preview(workflow, state, round, answer, refusal.clone()))
            .collect(),
        rounds: rounds.iter().map(|r| round_view(r, around.valid)).collect(),
        answered: round.answer.as_ref().map(|_| round_view(round, around.valid)),
        signer: around.signer.clone(),
    }
}

/// The answers that a gate takes, in the order they are offered.
fn offered(purpose: &Purpose) -> &'static [Answer] {
    match purpose {
        Purpose::Approval => &[Answer::Approve, Answer::Changes, Answer::Reject],
        Purpose::Outcome { .. } => &[Answer::Pass, Answer::Fail],
        Purpose::Permission { .. } => &[Answer::Approve, Answer::Reject],
    }
}

fn refusal(state: &RunState, round: &GateRound) -> Option<Refused> {
    if let Some((d, at)) = &round.answer {
        return Some(Refused {
            code: RefusalCode::AlreadyAnswered,
            message: decided(d, *at),
        });
    }
    if state.status.ended() {
        return Some(Refused {
            code: RefusalCode::RunEnded,
            message: "The run has ended.".into(),
        });
    }
    None
}

/// `Alice approved this on 2026-11-21 at 08:30 UTC.`
pub fn decided(d: &Decision, at: At) -> String {
    let what = match d.answer {
        Answer::Approve => "approved this",
        Answer::Changes => "asked for changes",
        Answer::Reject => "rejected this",
        Answer::Pass => "said that this went well",
        Answer::Fail => "said that this did not go well",
    };
    let when = chrono::DateTime::from_timestamp_millis(at.0)
        .map(|t| t.format("%Y-%m-%d at %H:%M UTC").to_string())
        .unwrap_or_default();
    format!("{} {what} on {when}.", d.by)
}

fn checks(state: &RunState, artifacts: &[crate::view::gate::ArtifactView], step: &StepId) -> Vec<CheckView> {
    let mut out = Vec::new();
    let attempts = state
        .steps
        .get(step)
        .map_or(0, |s| s.visits.iter().map(|v| v.attempts.len()).sum::<usize>());
    let failed = state.steps.get(step).map_or(0, |s| {
        s.visits
            .iter()
            .flat_map(|v| &v.attempts)
            .filter(|a| a.interrupted.is_some() || a.result.as_ref().is_some_and(|r| r.error.is_some()))
            .count()
    });
    if attempts > 0 {
        out.push(CheckView {
            name: "The step was carried out".into(),
            status: if failed == 0 { Status::Done } else { Status::Waiting },
            detail: if failed == 0 {
                "without a failure".into()
            } else {
                format!("{} of {} attempts failed or were cut off", failed, attempts)
            },
        });
    }
    for a in artifacts {
        if a.differs_on_disk {
            out.push(CheckView {
                name: format!("{} on disk is another version", a.path),
                status: Status::Waiting,
                detail: "It was changed after the step made it. You decide on the version shown here.".into(),
            });
        }
    }
    out
}

fn preview(
    workflow: &Workflow,
    state: &RunState,
    round: &GateRound,
    answer: Answer,
    refusal: Option<Refused>,
) -> AnswerPreview {
    let opened = &round.opened;
    let target = match answer {
        Answer::Approve | Answer::Pass => opened.approve_to.as_ref(),
        Answer::Changes => opened.changes_to.as_ref(),
        Answer::Reject | Answer::Fail => opened.reject_to.as_ref(),
    };
    let after_approval = opened
        .approve_to
        .as_ref()
        .map(|to| reach(workflow, to))
        .unwrap_or_default();
    let runs: Vec<StepRef> = target
        .map(|to| reach(workflow, to))
        .unwrap_or_default()
        .iter()
        .map(|i| words::of_step(&workflow.steps()[*i]))
        .collect();
    let never_runs: Vec<StepRef> = if target.is_none() && answer == Answer::Reject {
        after_approval
            .iter()
            .map(|i| &workflow.steps()[*i])
            .filter(|s| !state.steps.contains_key(&s.id))
            .map(words::of_step)
            .collect()
    } else {
        Vec::new()
    };
    let first = target.map(|to| words::step_ref(workflow, to).name);
    let words = match (answer, first) {
        (Answer::Approve | Answer::Pass, Some(name)) => {
            let more = runs.len().saturating_sub(1);
            match more {
                0 => format!("“{name}” runs next, then the flow ends."),
                _ => format!(
                    "“{name}” runs next; up to {} more can follow.",
                    words::count(more, "step", "steps")
                ),
            }
        }
        (Answer::Approve | Answer::Pass, None) => "The flow ends here, well.".into(),
        (Answer::Changes, Some(name)) => format!(
            "“{name}” is done again with your comment; you are asked again in round {}.",
            opened.round + 1
        ),
        (Answer::Changes, None) => "There is no earlier step that could be done again.".into(),
        (Answer::Reject | Answer::Fail, Some(name)) => format!("“{name}” runs next."),
        (Answer::Fail, None) => "The runbook stops.".into(),
        (Answer::Reject, None) => match never_runs.len() {
            0 => "The run ends as failed, with your name and comment.".into(),
            n => format!(
                "The run ends as failed, with your name and comment; {}.",
                words::count(n, "step never runs", "steps never run")
            ),
        },
    };
    let nothing_to_redo = (answer == Answer::Changes && opened.changes_to.is_none()).then(|| Refused {
        code: RefusalCode::NothingToRepeat,
        message: "There is no earlier step that could be done again.".into(),
    });
    let refusal = refusal.or(nothing_to_redo);
    AnswerPreview {
        answer,
        allowed: refusal.is_none(),
        refusal,
        needs_comment: matches!(answer, Answer::Changes | Answer::Reject),
        words,
        runs,
        never_runs,
    }
}

/// Ordinals of the steps that can follow, the start included, in document order of first reach.
fn reach(workflow: &Workflow, from: &StepId) -> Vec<usize> {
    let Some(start) = workflow.step(from) else {
        return Vec::new();
    };
    let graph = workflow.graph();
    let mut seen = BTreeSet::from([start.ordinal]);
    let mut queue = std::collections::VecDeque::from([start.ordinal]);
    let mut out = Vec::new();
    while let Some(i) = queue.pop_front() {
        out.push(i);
        let mut next: Vec<usize> = graph
            .edges(workflow.node(i))
            .filter(|e| !matches!(e.weight().kind, FlowKind::Loop | FlowKind::Reject))
            .map(|e| graph[petgraph::visit::EdgeRef::target(&e)])
            .collect();
        next.sort_unstable();
        queue.extend(next.into_iter().filter(|j| seen.insert(*j)));
    }
    out
}
