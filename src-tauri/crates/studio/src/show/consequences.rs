//! What each answer of a gate leads to, before it is given.

use super::{asking, words};
use crate::view::StepRef;
use crate::view::gate::{AnswerPreview, Refused};
use engine::{Answer, GateOpened, GateRound, Purpose, RefusalCode, RouteDecision, RunState, runbook};
use model::workflow::FlowKind;
use model::{Format, GateAt, Step, StepId, Work, Workflow};
use std::collections::BTreeSet;

/// What one answer would do.
pub fn preview(
    workflow: &Workflow,
    state: &RunState,
    round: &GateRound,
    answer: Answer,
    refusal: Option<Refused>,
) -> AnswerPreview {
    let opened = &round.opened;
    if state.has_stages() {
        return of_stage(workflow, state, opened, answer, refusal);
    }
    let route = told(workflow, state, opened, answer);
    let target = match (&route, answer) {
        (Some(route), _) => route.to.as_ref(),
        (None, Answer::Approve | Answer::Pass) => opened.approve_to.as_ref(),
        (None, Answer::Changes) => opened.changes_to.as_ref(),
        (None, Answer::Reject | Answer::Fail) => opened.reject_to.as_ref(),
    };
    let runs: Vec<StepRef> = target
        .map(|to| reach(workflow, to))
        .unwrap_or_default()
        .iter()
        .map(|i| words::of_step(&workflow.steps()[*i]))
        .collect();
    let ends_badly = target.is_none() && matches!(answer, Answer::Reject | Answer::Fail);
    let never_runs: Vec<StepRef> = match &opened.approve_to {
        Some(on) if ends_badly => reach(workflow, on)
            .iter()
            .map(|i| &workflow.steps()[*i])
            .filter(|s| !state.steps.contains_key(&s.id))
            .map(words::of_step)
            .collect(),
        _ => Vec::new(),
    };
    let words = match (&route, &opened.purpose) {
        (Some(route), _) => after_step(workflow, route),
        (None, Purpose::Permission { .. }) => {
            format!("{} is carried out.", asking::step_of(workflow, &opened.instance))
        }
        (None, _) => after_approval(workflow, opened, answer, target, runs.len(), never_runs.len()),
    };
    let words = match (&opened.purpose, answer) {
        (Purpose::Permission { .. }, Answer::Reject) => {
            let step = asking::step_of(workflow, &opened.instance);
            format!("{step} is not carried out and counts as failed. {words}")
        }
        _ => words,
    };
    let nothing_to_redo = (answer == Answer::Changes && opened.changes_to.is_none()).then(|| Refused {
        code: RefusalCode::NothingToRepeat,
        message: "There is no earlier step that could be done again.".into(),
    });
    let refusal = refusal.or(nothing_to_redo);
    AnswerPreview {
        answer,
        label: asking::label(&opened.purpose, answer),
        allowed: refusal.is_none(),
        refusal,
        needs_comment: matches!(answer, Answer::Changes | Answer::Reject),
        words,
        runs,
        never_runs,
    }
}

/// The same for a stage of a pipeline: what depends on it, while everything else goes on.
fn of_stage(
    workflow: &Workflow,
    state: &RunState,
    opened: &GateOpened,
    answer: Answer,
    refusal: Option<Refused>,
) -> AnswerPreview {
    let step = workflow.step(&opened.instance.step);
    let open = |step: &&Step| {
        use engine::StepStatus::{Failed, Skipped, Succeeded};
        !matches!(state.step_status(&step.id), Succeeded | Failed | Skipped)
    };
    let after: Vec<&Step> = step.map(|s| workflow.all_dependents(s)).unwrap_or_default();
    let after: Vec<&Step> = after.into_iter().filter(open).collect();
    let (name, stages) = (
        words::step_ref(workflow, &opened.instance.step).name,
        words::count(after.len(), "stage", "stages"),
    );
    let before = opened.at == GateAt::Before || matches!(opened.purpose, Purpose::Permission { .. });
    let again = opened.changes_to.as_ref().map(|to| words::step_ref(workflow, to).name);
    let rest = match after.len() {
        0 => "Nothing else waits for it.".to_owned(),
        1 => format!("“{}” waits for it.", after[0].name),
        _ => format!("{stages} wait for it."),
    };
    let (words, runs, never_runs) = match answer {
        Answer::Approve | Answer::Pass if before => (format!("“{name}” begins. {rest}"), true, false),
        Answer::Approve | Answer::Pass => (format!("“{name}” is completed. {rest}"), true, false),
        Answer::Changes => match again {
            Some(again) => (
                format!(
                    "“{again}” is done again with your comment; you are asked again in round {}.",
                    opened.round + 1
                ),
                false,
                false,
            ),
            None => (
                "There is no earlier stage that could be done again.".to_owned(),
                false,
                false,
            ),
        },
        Answer::Reject | Answer::Fail => {
            let left_out = match after.len() {
                0 => String::new(),
                _ => format!(
                    " {} it is left out.",
                    if after.len() == 1 {
                        "What needs"
                    } else {
                        "Everything that needs"
                    }
                ),
            };
            let end = if matches!(opened.purpose, Purpose::Permission { .. }) {
                format!("“{name}” is not carried out and counts as failed.")
            } else {
                "What has begun is finished, then the pipeline ends as failed, with your name and comment.".to_owned()
            };
            (format!("{end}{left_out}"), false, true)
        }
    };
    let refs = |wanted: bool| -> Vec<StepRef> {
        let steps = after.iter().filter(|_| wanted);
        steps.map(|step| words::of_step(step)).collect()
    };
    let nothing_to_redo = (answer == Answer::Changes && opened.changes_to.is_none()).then(|| Refused {
        code: RefusalCode::NothingToRepeat,
        message: "There is no earlier stage that could be done again.".into(),
    });
    let refusal = refusal.or(nothing_to_redo);
    AnswerPreview {
        answer,
        label: asking::label(&opened.purpose, answer),
        allowed: refusal.is_none(),
        refusal,
        needs_comment: matches!(answer, Answer::Changes | Answer::Reject),
        words,
        runs: refs(runs),
        never_runs: refs(never_runs),
    }
}

/// What a runbook does when the answer is the step's outcome; `None` when the answer is about something else.
fn told(workflow: &Workflow, state: &RunState, opened: &GateOpened, answer: Answer) -> Option<RouteDecision> {
    if workflow.format != Format::Rundown {
        return None;
    }
    let passed = match (&opened.purpose, answer) {
        (Purpose::Outcome { .. }, Answer::Pass) => true,
        (Purpose::Outcome { .. }, Answer::Fail) | (Purpose::Permission { .. }, Answer::Reject) => false,
        _ => return None,
    };
    Some(runbook::route(workflow, &opened.instance, &state.frame, passed))
}

/// `“Deploy” comes next.`, `“Deploy” is tried again: retry 1 of 2.`, `The runbook stops: rolled back.`
fn after_step(workflow: &Workflow, route: &RouteDecision) -> String {
    let moved = route.runbook.as_deref().cloned().unwrap_or_default();
    let message = moved
        .message
        .as_deref()
        .map_or_else(|| ".".to_owned(), |m| format!(": {m}"));
    let Some(to) = &route.to else {
        return match moved.stopped {
            true => format!("The runbook stops{message}"),
            false => format!("The runbook is complete{message}"),
        };
    };
    let at = engine::Instance {
        step: to.clone(),
        visit: 1,
        path: moved.path,
    };
    let to = asking::step_of(workflow, &at);
    let retries = route
        .reason
        .split_once(':')
        .is_some_and(|(_, action)| action.starts_with("RETRY"));
    match route.loop_count {
        Some(count) if retries => format!("{to} is tried again: retry {} of {}.", count.taken + 1, count.max),
        _ => format!("{to} comes next."),
    }
}

fn after_approval(
    workflow: &Workflow,
    opened: &GateOpened,
    answer: Answer,
    target: Option<&StepId>,
    runs: usize,
    never: usize,
) -> String {
    let name = target.map(|to| words::step_ref(workflow, to).name);
    match (answer, name) {
        (Answer::Approve | Answer::Pass, Some(name)) => match runs.saturating_sub(1) {
            0 => format!("“{name}” runs next, then the flow ends."),
            more => format!(
                "“{name}” runs next; up to {} more can follow.",
                words::count(more, "step", "steps")
            ),
        },
        (Answer::Approve | Answer::Pass, None) => "The flow ends here, well.".into(),
        (Answer::Changes, Some(name)) => format!(
            "“{name}” is done again with your comment; you are asked again in round {}.",
            opened.round + 1
        ),
        (Answer::Changes, None) => "There is no earlier step that could be done again.".into(),
        (Answer::Reject | Answer::Fail, Some(name)) => format!("“{name}” runs next."),
        (Answer::Reject | Answer::Fail, None) => match never {
            0 => "The run ends as failed, with your name and comment.".into(),
            n => format!(
                "The run ends as failed, with your name and comment; {}.",
                words::count(n, "step never runs", "steps never run")
            ),
        },
    }
}

/// Ordinals of the steps that can follow, the start included, in order of first reach. What a container decides belongs
/// to the steps inside it.
fn reach(workflow: &Workflow, from: &StepId) -> Vec<usize> {
    let Some(start) = workflow.step(from) else {
        return Vec::new();
    };
    let graph = workflow.graph();
    let mut seen = BTreeSet::from([start.ordinal]);
    let mut queue = std::collections::VecDeque::from([start.ordinal]);
    let mut out = Vec::new();
    while let Some(i) = queue.pop_front() {
        let step = &workflow.steps()[i];
        if step.work != Work::Group {
            out.push(i);
        }
        let mut next: Vec<usize> = graph
            .edges(workflow.node(i))
            .filter(|e| !matches!(e.weight().kind, FlowKind::Loop | FlowKind::Reject))
            .map(|e| graph[petgraph::visit::EdgeRef::target(&e)])
            .collect();
        next.sort_unstable();
        next.extend(workflow.container(step).map(|around| around.ordinal));
        queue.extend(next.into_iter().filter(|j| seen.insert(*j)));
    }
    out
}
