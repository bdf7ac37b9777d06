//! Forks of a run: what each branch is doing, and how the join counts them.

use crate::run::fork_view::{BranchView, ForkView};
use crate::run::status;
use crate::text::safe;
use crate::view::Status;
use crate::words;
use crate::workflow::drawing::Drawn;
use engine::forks::{Branch, Fork};
use engine::{BranchEnd, Cursor, JoinCause, Joined, RouteDecision, RouteReason, RunState, StepStatus};
use model::{BranchFailure, ForkRules, JoinRule, Merge, Workflow};

/// Of each step that forks its latest fork, those that began first first.
pub fn latest(workflow: &Workflow, drawn: &Drawn, state: &RunState) -> Vec<ForkView> {
    let mut seen = Vec::new();
    let mut out: Vec<ForkView> = Vec::new();
    for fork in state.forks.all().rev() {
        let step = &fork.forked.from.step;
        if !seen.contains(&step) {
            seen.push(step);
            out.push(view(workflow, drawn, state, fork));
        }
    }
    out.reverse();
    out
}

/// The fork whose branches met with this decision.
pub fn joined_by<'a>(state: &'a RunState, route: &RouteDecision) -> Option<&'a Fork> {
    matches!(route.reason, RouteReason::Joined { .. })
        .then(|| {
            state
                .forks
                .all()
                .find(|fork| fork.forked.from == route.from && fork.joined.is_some())
        })
        .flatten()
}

/// The bar of a picture at which branches that lead to this step meet; absent: it lies inside a collapsed container.
pub fn bar(workflow: &Workflow, drawn: &Drawn, fork: &Fork) -> Option<String> {
    let join = workflow.step(&fork.forked.join)?.ordinal.to_string();
    let from = workflow.step(&fork.forked.from.step)?.ordinal.to_string();
    let bars = &drawn.drawing.forks;
    let bar = bars
        .iter()
        .find(|bar| bar.to.contains(&join) && !bar.from.contains(&from))?;
    Some(bar.id.clone())
}

/// A fork as it stands.
pub fn view(workflow: &Workflow, drawn: &Drawn, state: &RunState, fork: &Fork) -> ForkView {
    let joined = fork.joined.as_ref().map(|(joined, _)| &**joined);
    let rules = &fork.forked.rules;
    let ended = fork.branches.iter().filter(|branch| branch.ended.is_some()).count();
    let of = fork.branches.len();
    ForkView {
        number: fork.forked.fork,
        from: words::step_ref(workflow, &fork.forked.from.step),
        join: words::step_ref(workflow, &fork.forked.join),
        bar: bar(workflow, drawn, fork),
        badge: match joined {
            Some(joined) => format!("{}/{of}", counted(joined)),
            None => format!("{ended}/{of}"),
        },
        words: match joined {
            Some(joined) => decided(workflow, fork, joined),
            None => format!(
                "{}. They meet at “{}”.",
                status::branches_ended(fork),
                words::step_ref(workflow, &fork.forked.join).name
            ),
        },
        asks: asks(rules, of),
        found: joined.map(Joined::count),
        together: joined.map(|joined| format!("{} ({})", safe::visible(&joined.status), merge(rules.merge))),
        met: joined.map(|joined| joined.met),
        branches: fork
            .ids()
            .zip(&fork.forked.heads)
            .zip(&fork.branches)
            .map(|((_, head), branch)| one(workflow, state, fork, head, branch))
            .collect(),
        rules: how(rules),
    }
}

/// How many branches the join counts.
fn counted(joined: &Joined) -> u32 {
    match joined.rule.counts_verified() {
        true => joined.verified,
        false => joined.completed,
    }
}

/// What the count came to.
fn decided(workflow: &Workflow, fork: &Fork, joined: &Joined) -> String {
    let to = words::step_ref(workflow, &fork.forked.join).name;
    let count = joined.count();
    match &joined.error {
        None => format!("{count}: the run goes on to “{to}”."),
        Some(error) if joined.cause.ends_run() => format!("{count}: the run ends here. {}.", safe::visible(error)),
        Some(_) if joined.cause == JoinCause::Timeout => {
            format!("{count}: the time was over, so “{to}” does not follow.")
        }
        Some(_) => format!("{count}: not met, so “{to}” does not follow."),
    }
}

/// Why the branches met, or did not, with what the join left out.
pub fn why(workflow: &Workflow, fork: &Fork, joined: &Joined) -> String {
    let decided = decided(workflow, fork, joined);
    let left: Vec<String> = (fork.forked.heads.iter().zip(&fork.branches))
        .filter(|(_, branch)| !counts(joined.rule, branch))
        .map(|(head, branch)| {
            format!(
                "“{}” ({})",
                words::step_ref(workflow, head).name,
                end(Some(joined), branch)
            )
        })
        .collect();
    match left.is_empty() {
        true => decided,
        false => format!("{decided} Not counted: {}.", left.join(", ")),
    }
}

/// Whether the join counts every branch.
pub fn all_count(fork: &Fork, joined: &Joined) -> bool {
    fork.branches.iter().all(|branch| counts(joined.rule, branch))
}

/// Whether the join counts this branch.
fn counts(rule: JoinRule, branch: &Branch) -> bool {
    let ended = branch.ended.as_ref().map(|(ended, _)| ended);
    ended.is_some_and(|ended| {
        ended.end == BranchEnd::Completed && (!rule.counts_verified() || ended.status == model::fork::VERIFIED)
    })
}

/// How a branch ended: what it reported, why it failed, or why it was cut off.
fn end(joined: Option<&Joined>, branch: &Branch) -> String {
    let Some((ended, _)) = &branch.ended else {
        return "not ended".to_owned();
    };
    match ended.end {
        BranchEnd::Completed => safe::visible(&ended.status),
        BranchEnd::Failed => match &ended.error {
            Some(error) => format!("failed: {}", safe::visible(error)),
            None => "failed".to_owned(),
        },
        BranchEnd::CutOff => {
            let why = joined.map_or("Cut off", |joined| joined.cause.cut_off());
            why.replacen("Cut off", "cut off", 1)
        }
    }
}

fn one(workflow: &Workflow, state: &RunState, fork: &Fork, head: &model::StepId, branch: &Branch) -> BranchView {
    let joined = fork.joined.as_ref().map(|(joined, _)| &**joined);
    let at = match &branch.cursor {
        Cursor::Ready { step, .. } => Some(step.clone()),
        Cursor::Running { instance, .. } | Cursor::Retrying { instance, .. } | Cursor::Choosing { instance } => {
            Some(instance.step.clone())
        }
        Cursor::AtGate { gate, round } => {
            let mut asked = state.rounds_of(gate).filter(|one| one.opened.round == *round);
            asked.next().map(|one| one.opened.instance.step.clone())
        }
        Cursor::AtJoin { fork } => state.forks.get(*fork).map(|fork| fork.forked.from.step.clone()),
        Cursor::Nowhere | Cursor::Between(_) => None,
    };
    let (status, said) = match (&branch.ended, &branch.cursor) {
        (Some((ended, _)), _) => {
            let status = match ended.end {
                // It was carried out, and the join does not count what it reported.
                BranchEnd::Completed if joined.is_some_and(|joined| !counts(joined.rule, branch)) => Status::Partly,
                BranchEnd::Completed => Status::Done,
                BranchEnd::Failed => Status::Failed,
                BranchEnd::CutOff => Status::Aborted,
            };
            (status, end(joined, branch))
        }
        (None, _) if branch.began_at.is_none() => (Status::NotStarted, "begins after those before it".to_owned()),
        (None, Cursor::AtJoin { fork }) => {
            let inner = state.forks.get(*fork);
            (
                Status::Running,
                inner.map_or_else(|| "running".to_owned(), status::branches_ended),
            )
        }
        (None, _) => {
            let status = at.as_ref().map_or(StepStatus::Running, |at| state.step_status(at));
            let said = match status {
                StepStatus::Blocked => "waits for a person",
                StepStatus::Retrying => "tries again soon",
                StepStatus::NotStarted | StepStatus::Queued => "waits for room",
                _ => "running",
            };
            (status::step_status(status), said.to_owned())
        }
    };
    BranchView {
        step: words::step_ref(workflow, head),
        at: at.filter(|at| at != head).map(|at| words::step_ref(workflow, &at)),
        status,
        words: said,
        counts: joined.map(|joined| counts(joined.rule, branch)),
    }
}

/// What the join asks for: `3 of 4 verified`.
pub fn asks(rules: &ForkRules, of: usize) -> String {
    match (rules.join, rules.on_failure) {
        (JoinRule::AllComplete, BranchFailure::BestEffort) => "all complete that do not fail, one at least".to_owned(),
        (JoinRule::AllVerified, BranchFailure::BestEffort) => "all verified that do not fail, one at least".to_owned(),
        (JoinRule::AllComplete, _) => format!("all {of} complete"),
        (JoinRule::AllVerified, _) => format!("all {of} verified"),
        (JoinRule::AnyVerified, _) => format!("1 of {of} verified"),
        (JoinRule::FirstComplete, _) => "the first that is complete".to_owned(),
        (rule @ JoinRule::Quorum { .. }, _) => format!("{} of {of} verified", rule.needs(of)),
    }
}

fn merge(merge: Merge) -> &'static str {
    match merge {
        Merge::Worst => "the worst of them",
        Merge::Best => "the best of them",
        Merge::Majority => "what most of them have",
    }
}

/// How the branches run.
pub fn how(rules: &ForkRules) -> Vec<String> {
    let mut out = vec![match rules.batch {
        None => "the branches run at the same time".to_owned(),
        Some(0 | 1) => "the branches run one after the other".to_owned(),
        Some(n) => format!("{n} branches run at the same time; the next ones begin when all of those have ended"),
    }];
    if rules.isolated {
        out.push("each branch works in a folder of its own".to_owned());
    }
    let failing = match rules.on_failure {
        BranchFailure::ContinueAll => "a branch that fails stops no other",
        BranchFailure::FailFast => "the first branch that fails cuts the others off",
        BranchFailure::BestEffort => "a branch that fails stops no other, and is left out of the count",
    };
    out.push(failing.to_owned());
    let late = |ms| format!("what has not ended {} after the fork is cut off", words::duration(ms));
    out.extend(rules.timeout_ms.map(late));
    out.push(format!("together the branches have one status: {}", merge(rules.merge)));
    out
}
