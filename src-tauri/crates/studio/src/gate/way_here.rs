//! What on the way to a gate did not go as the workflow wants it, and yet led here: branches that their join does not count, loops
//! that ended although nobody was satisfied. Each step of such a way was carried out, so no check of a step says it.

use crate::gate::asking;
use crate::gate::decision_view::AskFor;
use crate::run::lifecycle_view::CheckView;
use crate::run::{forks, reasons};
use crate::view::Status;
use crate::words;
use engine::{At, GateRound, RunState};
use model::{GateAt, Step, StepId, Workflow, branches};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// One check for each join and each loop on the way to this gate that no person has decided after on that way, in the order of the file.
pub fn checks(workflow: &Workflow, state: &RunState, round: &GateRound) -> Vec<CheckView> {
    if !asks_about_the_way(round) {
        return Vec::new();
    }
    let Some(asked) = workflow.step(&round.opened.instance.step) else {
        return Vec::new();
    };
    let since = decided_before(workflow, state, round);
    let news = |at: At| at <= round.opened_at && since.is_none_or(|since| at > since);
    let mut found: Vec<(usize, CheckView)> = Vec::new();
    for fork in state.forks.all() {
        let Some((joined, _)) = fork.joined.as_ref().filter(|(_, at)| news(*at)) else {
            continue;
        };
        let from = workflow.step(&fork.forked.from.step);
        let Some(from) = from.filter(|from| leads_to(workflow, from, asked)) else {
            continue;
        };
        // A fork that a loop has led through again counts as it came out last.
        found.retain(|(ordinal, check)| !(*ordinal == from.ordinal && check.name.starts_with(BRANCHES)));
        let whole = joined.error.is_none() && forks::all_count(fork, joined);
        found.push((
            from.ordinal,
            CheckView {
                name: format!("{BRANCHES} “{}”", words::step_ref(workflow, &from.id).name),
                status: if whole { Status::Done } else { Status::Waiting },
                detail: forks::why(workflow, fork, joined),
            },
        ));
    }
    let loops = loops(workflow, state, round, since);
    found.extend(loops.into_iter().map(|(step, detail)| {
        (
            step.ordinal,
            CheckView {
                name: format!("The loop at “{}”", step.name),
                status: Status::Waiting,
                detail,
            },
        )
    }));
    found.sort_by_key(|(ordinal, _)| *ordinal);
    found.into_iter().map(|(_, check)| check).collect()
}

/// What has to be said before anything else: the loops that ended although nobody was satisfied, with what was reported last.
pub fn missed(workflow: &Workflow, state: &RunState, round: &GateRound) -> Vec<String> {
    if !asks_about_the_way(round) {
        return Vec::new();
    }
    let loops = loops(workflow, state, round, decided_before(workflow, state, round));
    loops.into_iter().map(|(_, words)| words).collect()
}

fn asks_about_the_way(round: &GateRound) -> bool {
    let purpose = asking::purpose(&round.opened.purpose);
    matches!(purpose, AskFor::Approval | AskFor::Outcome | AskFor::Way)
}

/// The loops on the way here that were left unsatisfied since then, in the order of the file.
fn loops<'w>(
    workflow: &'w Workflow,
    state: &RunState,
    round: &GateRound,
    since: Option<At>,
) -> Vec<(&'w Step, String)> {
    let Some(asked) = workflow.step(&round.opened.instance.step) else {
        return Vec::new();
    };
    let news = |at: At| at <= round.opened_at && since.is_none_or(|since| at > since);
    let mut found: Vec<(&Step, String)> = Vec::new();
    // How each step was left last; most runs turn no loop that is left unsatisfied.
    let mut seen = BTreeSet::new();
    for left in state.routes.iter().rev() {
        let before = left.from != round.opened.instance;
        if !before || !seen.insert(&left.from.step) {
            continue;
        }
        let Some(step) = workflow.step(&left.from.step) else {
            continue;
        };
        let visit = state.visit(&left.from);
        let words = visit.and_then(|visit| reasons::used_up(workflow, left, visit.result()?));
        let ended = visit.and_then(|visit| visit.attempts.last()?.ended_at);
        if let Some(words) = words.filter(|_| ended.is_some_and(news) && leads_to(workflow, step, asked)) {
            found.push((step, words));
        }
    }
    // A gate that asks after the work stands before the way on is taken, so no decision tells of its own step's loop yet.
    let own = state.visit(&round.opened.instance).and_then(|visit| visit.result());
    if let Some(result) = own.filter(|_| round.opened.at == GateAt::After) {
        let route = engine::routing::route(asked, workflow, result, &state.loop_state);
        if let Some(words) = reasons::used_up(workflow, &route, result) {
            found.retain(|(step, _)| step.id != asked.id);
            found.push((asked, words));
        }
    }
    found.sort_by_key(|(step, _)| step.ordinal);
    found
}

const BRANCHES: &str = "The branches after";

/// Whether one step comes before another: a way leads there, and they do not stand beside each other in branches.
fn leads_to(workflow: &Workflow, from: &Step, to: &Step) -> bool {
    workflow.behind(from)[to.ordinal] && !branches::beside_each_other(workflow, from, to)
}

/// When a person last decided before this was asked, at another gate on the way here: what they had before them then is not news.
fn decided_before(workflow: &Workflow, state: &RunState, round: &GateRound) -> Option<At> {
    let asked = workflow.step(&round.opened.instance.step)?;
    let answered = state.gates.values().flatten().filter(|other| {
        other.opened.gate != round.opened.gate
            && matches!(asking::purpose(&other.opened.purpose), AskFor::Approval | AskFor::Way)
    });
    let answered = answered.filter_map(|other| other.answer.as_ref().map(|(_, at)| (*at, &other.opened.instance.step)));
    let mut answered: Vec<(At, &StepId)> = answered.filter(|(at, _)| *at <= round.opened_at).collect();
    answered.sort_unstable_by_key(|(at, _)| Reverse(*at));
    // The latest first: whether it stands on the way is asked of few.
    let is_before = |step: &StepId| {
        let other = workflow.step(step);
        other.is_some_and(|other| other.id == asked.id || leads_to(workflow, other, asked))
    };
    answered.into_iter().find(|(_, step)| is_before(step)).map(|(at, _)| at)
}
