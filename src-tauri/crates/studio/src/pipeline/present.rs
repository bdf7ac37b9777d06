//! What a run of a pipeline adds: how far it is, how long the rest takes, what is to be said before it can be resumed, and why not
//! every stage was completed.

use crate::gate::people;
use crate::pipeline::view::{
    EndingView, EstimateView, LostStage, PipelineRunView, ProgressView, StageChoice, StageView,
};
use crate::run::instances::is_left_waiting;
use crate::run::{ahead, status, work};
use crate::text::safe;
use crate::view::StepRef;
use crate::words;
use dialect::pipeline::id::stage_folders;
use engine::control::dag::unsettled;
use engine::{At, Choice, EndStatus, Event, Outcome, RunState, RunStatus, Settled, StageEnd, StepStatus};
use history::Events;
use model::{Step, StepId, Workflow};
use runtime::pipeline::estimate::{Estimate, Past};
use runtime::pipeline::state_file;

/// Everything a run of a pipeline adds, as of the last of `events`. `at_work`: the moment, where somebody carries it on.
pub fn run(
    workflow: &Workflow,
    events: Events<'_>,
    state: &RunState,
    past: &Past,
    at_work: Option<At>,
) -> PipelineRunView {
    let mut path = past.critical_path(workflow, state);
    path.retain(|id| workflow.step(id).is_some());
    PipelineRunView {
        status_word: state_file::pipeline_status(state.status).word().to_owned(),
        progress: progress(workflow, state),
        critical_path: path.into_iter().map(|id| id.to_string()).collect(),
        estimate: estimate(workflow, &past.remaining(workflow, state, at_work)),
        choices: choices(workflow, state),
        ending: ending(workflow, events, state),
    }
}

/// How far a run is.
pub fn progress(workflow: &Workflow, state: &RunState) -> ProgressView {
    let statuses = workflow.steps().iter().map(|step| state.step_status(&step.id));
    of_statuses(&statuses.collect::<Vec<_>>())
}

/// How far a pipeline is whose stages stand so.
pub fn of_statuses(statuses: &[StepStatus]) -> ProgressView {
    let of = |status| statuses.iter().filter(|s| **s == status).count();
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let (completed, total) = (of(StepStatus::Succeeded), statuses.len());
    ProgressView {
        completed: count(completed),
        total: count(total),
        percent: count((completed * 100).checked_div(total).unwrap_or(0)),
        words: how_far(completed, total, of),
    }
}

/// `2 of 4 completed`; where stages ended otherwise: `3 completed, 1 failed, 3 skipped`.
fn how_far(completed: usize, total: usize, of: impl Fn(StepStatus) -> usize) -> String {
    let others = [
        (StepStatus::Failed, "failed"),
        (StepStatus::Refused, "rejected"),
        (StepStatus::Interrupted, "cut off"),
        (StepStatus::Skipped, "skipped"),
    ];
    let others: Vec<(usize, &str)> = others
        .into_iter()
        .map(|(status, word)| (of(status), word))
        .filter(|(n, _)| *n > 0)
        .collect();
    if others.is_empty() {
        return format!("{completed} of {total} completed");
    }
    let left = total - completed - others.iter().map(|(n, _)| n).sum::<usize>();
    let all = std::iter::once((completed, "completed"))
        .chain(others)
        .chain((left > 0).then_some((left, "left")));
    all.map(|(n, word)| format!("{n} {word}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Every stage of a run. `output`: the folder of a stage's outputs, where it has made some.
pub fn stages(
    workflow: &Workflow,
    state: &RunState,
    now: i64,
    output: impl Fn(&Step) -> Option<String>,
) -> Vec<StageView> {
    let stage = |step: &Step| {
        let status = state.step_status(&step.id);
        let settled = state.stages.get(&step.id).and_then(|stage| stage.settled.as_ref());
        StageView {
            step: words::of_step(step),
            status: status::step_status(status),
            status_word: state_file::stage_status(status).word().to_owned(),
            agents: doers(state, step),
            duration_ms: duration(state, &step.id, now)
                .filter(|_| !settled.is_some_and(|end| is_skipped_by_person(end))),
            output: output(step),
            reason: settled.and_then(|settled| reason(workflow, settled)),
        }
    };
    workflow.steps().iter().map(stage).collect()
}

/// Whether a person has skipped a stage when the run was taken up again: how long it was at work before is no time of that.
fn is_skipped_by_person(settled: &Settled) -> bool {
    settled.status == StageEnd::Skipped && settled.because.is_none() && !settled.is_left_out_by_agent()
}

/// Who does a stage: its agents; of what people have carried out, who answered, and for whom.
fn doers(state: &RunState, step: &Step) -> Vec<String> {
    let last = state.steps.get(&step.id).and_then(|held| held.visits.last());
    let last = last.and_then(|visit| visit.attempts.last());
    let answered = last.and_then(|attempt| Some((&attempt.started, work::answered(state, attempt)?)));
    let Some((started, decision)) = answered else {
        return step.agents.iter().map(ToString::to_string).collect();
    };
    let people = started.people();
    let others = started.agents.iter().filter(|agent| !people.contains(agent));
    let who = words::decider(decision);
    let asked: Vec<String> = people.iter().map(|one| safe::visible(one.as_str())).collect();
    let who = match people::listed(&asked, "or").filter(|asked| *asked != who) {
        Some(asked) => format!("{who} (for {asked})"),
        None => who,
    };
    others.map(ToString::to_string).chain([who]).collect()
}

/// How long a stage's last visit took, as its log and its page say it; of several attempts from the beginning of the first to the end of the
/// last; of one at work to `now`. Absent: it has not begun. What people carry out begins with the question.
pub fn duration(state: &RunState, step: &StepId, now: i64) -> Option<u64> {
    let visit = state.steps.get(step)?.visits.last()?;
    let (first, last) = (visit.attempts.first()?, visit.attempts.last()?);
    let measured = (visit.attempts.len() == 1).then(|| work::took(state, last)).flatten();
    let ended = last.ended_at.unwrap_or(At(now));
    Some(measured.unwrap_or_else(|| ended.since_ms(work::began(state, first))))
}

fn reason(workflow: &Workflow, settled: &Settled) -> Option<String> {
    match (settled.status, &settled.because) {
        (StageEnd::Failed, _) => match (&settled.error, &settled.spared) {
            (Some(error), Some(spared)) => Some(format!("{error}; {spared}")),
            (error, _) => error.clone(),
        },
        (StageEnd::Skipped, Some(because)) => {
            Some(format!("because of {}", quoted(&words::step_ref(workflow, because))))
        }
        (StageEnd::Skipped, None) => Some(match (&settled.error, &settled.spared) {
            (Some(error), Some(spared)) => format!("{error}; {spared}"),
            (Some(why), None) | (None, Some(why)) => why.clone(),
            (None, None) => "by a person".to_owned(),
        }),
        (StageEnd::Completed | StageEnd::Aborted, _) => None,
    }
}

/// Stages about which something must be said before a run that has ended can be taken up again.
pub fn choices(workflow: &Workflow, state: &RunState) -> Vec<StageChoice> {
    if !matches!(state.status, RunStatus::Ended(end) if end != EndStatus::Succeeded) {
        return Vec::new();
    }
    let lost = unsettled(workflow, state);
    let behind_lost: Vec<Vec<&Step>> = lost.iter().map(|step| behind(workflow, state, step)).collect();
    // Of each stage how many of them it waits for.
    let mut awaited = vec![0_usize; workflow.steps().len()];
    for step in behind_lost.iter().flatten() {
        awaited[step.ordinal] += 1;
    }
    // What a person has left out stays so, and with it what cannot do without it, whatever is retried.
    let mut never = vec![false; workflow.steps().len()];
    for out in workflow.steps().iter().filter(|step| is_left_out(state, step)) {
        for step in behind(workflow, state, out) {
            never[step.ordinal] = true;
        }
    }
    let choice = |(step, behind): (&&Step, &Vec<&Step>)| {
        let settled = state.stages.get(&step.id).and_then(|stage| stage.settled.as_ref());
        let open: Vec<&Step> = behind.iter().copied().filter(|one| !never[one.ordinal]).collect();
        let dependents = refs(&open);
        let after = listed(&dependents);
        let (alone, beside): (Vec<&Step>, Vec<&Step>) = open.iter().copied().partition(|one| awaited[one.ordinal] == 1);
        StageChoice {
            step: words::of_step(step),
            status: status::step_status(state.step_status(&step.id)),
            error: settled.and_then(|settled| settled.error.clone()),
            retry: match never[step.ordinal] {
                true => "It cannot do without what was left out, so that it is skipped.".to_owned(),
                false => {
                    retry(&refs(&alone), &refs(&beside), awaited[step.ordinal] > 0)
                        + &ahead::once_more(workflow, state, &[*step])
                }
            },
            skip: match dependents.as_slice() {
                [] => "It is left out; nothing else waits for it.".to_owned(),
                [_] => format!("It is left out, and with it {after}, which waits for it."),
                _ => format!("It is left out, and with it {after}, which wait for it."),
            },
            dependents,
        }
    };
    lost.iter().zip(&behind_lost).map(choice).collect()
}

/// What a retry of a stage means. `alone`: what waits for no other stage of which something is to be said; `beside`: what does; `waits`: the
/// stage itself does.
fn retry(alone: &[StepRef], beside: &[StepRef], waits: bool) -> String {
    let mut said = match alone {
        [] => "It runs again.".to_owned(),
        alone => format!("It runs again; when it is completed, {} can run.", listed(alone)),
    };
    if !beside.is_empty() {
        let verb = if beside.len() == 1 { "waits" } else { "wait" };
        said.push_str(&format!(" {} {verb} for another of these stages, too.", listed(beside)));
    }
    if waits {
        said.push_str(" It is skipped where the one that it waits for is left out.");
    }
    said
}

fn refs(steps: &[&Step]) -> Vec<StepRef> {
    steps.iter().map(|step| words::of_step(step)).collect()
}

/// Whether a person has left a stage out that others cannot do without.
fn is_left_out(state: &RunState, step: &Step) -> bool {
    let settled = state.stages.get(&step.id).and_then(|stage| stage.settled.as_ref());
    settled.is_some_and(|settled| is_skipped_by_person(settled) && settled.spared.is_none())
}

/// The stages that cannot do without this one and are not completed, in document order.
fn behind<'a>(workflow: &'a Workflow, state: &RunState, from: &'a Step) -> Vec<&'a Step> {
    let mut found = vec![false; workflow.steps().len()];
    let mut open = vec![from];
    while let Some(step) = open.pop() {
        for next in workflow.dependents(step) {
            let is_open = state.step_status(&next.id) != StepStatus::Succeeded;
            if is_open && !std::mem::replace(&mut found[next.ordinal], true) {
                open.push(next);
            }
        }
    }
    let steps = workflow.steps().iter();
    steps.filter(|step| found[step.ordinal] && step.id != from.id).collect()
}

/// Why not every stage was completed; `None` while it runs and when every stage was.
pub fn ending(workflow: &Workflow, events: Events<'_>, state: &RunState) -> Option<EndingView> {
    let RunStatus::Ended(end) = state.status else {
        return None;
    };
    let mut view = EndingView {
        words: String::new(),
        failed: Vec::new(),
        refused: Vec::new(),
        aborted: Vec::new(),
        skipped: Vec::new(),
        by_person: Vec::new(),
        left_out: Vec::new(),
        pending: Vec::new(),
    };
    let mut completed = 0;
    for step in workflow.steps() {
        let settled = state.stages.get(&step.id).and_then(|stage| stage.settled.as_ref());
        let lost = |words: String, because: Option<StepRef>| LostStage {
            step: words::of_step(step),
            words,
            because,
        };
        match settled.map(|settled| (settled.status, settled)) {
            Some((StageEnd::Completed, _)) => completed += 1,
            Some((StageEnd::Failed, _)) if let Some(refused) = state.refused_at(&step.id, &[]) => {
                let said = format!("was rejected by {}", status::said_by(&refused));
                view.refused.push(lost(said, None));
            }
            Some((StageEnd::Failed, settled)) => {
                let why = settled.error.as_deref().unwrap_or("it failed");
                view.failed.push(lost(sentence("failed", Some(why)), None));
            }
            Some((StageEnd::Aborted, _)) => {
                let how = match is_left_waiting(state, step, &[]) {
                    true => "waited for a person",
                    false => "was being carried out",
                };
                view.aborted
                    .push(lost(format!("{how} when the pipeline was stopped"), None));
            }
            Some((StageEnd::Skipped, settled)) if let Some(why) = &settled.error => {
                view.left_out
                    .push(lost(sentence("was skipped by its agent", Some(why)), None));
            }
            Some((StageEnd::Skipped, settled)) => match (&settled.because, &settled.spared) {
                (None, Some(why)) => view.left_out.push(lost(sentence("was left out", Some(why)), None)),
                (Some(because), _) => {
                    let because = words::step_ref(workflow, because);
                    let said = format!("was skipped, because it cannot do without {}", quoted(&because));
                    view.skipped.push(lost(said, Some(because)));
                }
                (None, None) => {
                    let said = match skipped_by(events, &step.id) {
                        Some(by) => format!("was skipped by {by}"),
                        None => "was skipped by a person".to_owned(),
                    };
                    view.by_person.push(lost(said, None));
                }
            },
            None => view.pending.push(lost("did not begin".to_owned(), None)),
        }
    }
    if completed == workflow.steps().len() {
        return None;
    }
    let is_refused = matches!(state.outcome(), Some(Outcome::Refused(_)));
    let of = Of {
        noun: words::noun(workflow),
        completed,
        all: workflow.steps().len(),
    };
    view.words = explained(&view, end, is_refused, &of);
    Some(view)
}

/// Who skipped a stage last.
fn skipped_by<'a>(events: Events<'a>, step: &StepId) -> Option<&'a str> {
    events.iter().rev().find_map(|stored| match &stored.event {
        Event::Reopened { by, choices, .. } if choices.get(step) == Some(&Choice::Skip) => Some(by.as_str()),
        _ => None,
    })
}

/// What ended, and how much of it was completed.
struct Of<'a> {
    noun: &'a str,
    completed: usize,
    all: usize,
}

fn explained(view: &EndingView, end: EndStatus, is_refused: bool, of: &Of<'_>) -> String {
    let Of { noun, completed, all } = *of;
    let were = if completed == 1 || all == 1 { "was" } else { "were" };
    let done = format!(
        "{completed} of {} {were} completed",
        words::count(all, "stage", "stages")
    );
    let mut said = vec![match end {
        _ if is_refused => format!("The {noun} was rejected; {done}."),
        EndStatus::CompletedWithFailures => format!("The {noun} went to its end, but only {done}."),
        EndStatus::Aborted => format!("The {noun} was stopped when {done}."),
        EndStatus::Succeeded => format!("The run ended well; {done}."),
        EndStatus::Failed | EndStatus::Stopped => format!("The {noun} failed; {done}."),
    }];
    for lost in view
        .refused
        .iter()
        .chain(&view.failed)
        .chain(&view.aborted)
        .chain(&view.by_person)
        .chain(&view.left_out)
    {
        said.push(format!("{} {}.", quoted(&lost.step), lost.words.trim_end_matches('.')));
    }
    let mut causes: Vec<&StepRef> = view.skipped.iter().filter_map(|lost| lost.because.as_ref()).collect();
    causes.dedup_by(|a, b| a.id == b.id);
    let mut told: Vec<&str> = Vec::new();
    for cause in causes {
        if told.contains(&cause.id.as_str()) {
            continue;
        }
        told.push(&cause.id);
        let of_it = view
            .skipped
            .iter()
            .filter(|l| l.because.as_ref().is_some_and(|b| b.id == cause.id));
        let steps: Vec<StepRef> = of_it.map(|lost| lost.step.clone()).collect();
        let verb = if steps.len() == 1 { "was" } else { "were" };
        said.push(format!(
            "Because of {}, {} {verb} skipped.",
            quoted(cause),
            listed(&steps)
        ));
    }
    if !view.pending.is_empty() {
        let steps: Vec<StepRef> = view.pending.iter().map(|lost| lost.step.clone()).collect();
        said.push(format!("{} did not begin.", listed(&steps)));
    }
    said.join(" ")
}

fn sentence(what: &str, why: Option<&str>) -> String {
    match why.map(|why| safe::visible(why.trim())) {
        Some(why) if !why.is_empty() => format!("{what}: {why}"),
        _ => what.to_owned(),
    }
}

fn quoted(step: &StepRef) -> String {
    format!("“{}”", step.name)
}

/// `“a”, “b” and “c”`; of many the first few.
fn listed(steps: &[StepRef]) -> String {
    const MOST: usize = 6;
    let names: Vec<String> = steps.iter().take(MOST).map(quoted).collect();
    match (names.as_slice(), steps.len().saturating_sub(MOST)) {
        ([], _) => String::new(),
        ([one], _) => one.clone(),
        ([first @ .., last], 0) => format!("{} and {last}", first.join(", ")),
        (_, more) => format!("{} and {more} more", names.join(", ")),
    }
}

/// An estimate in words.
pub fn estimate(workflow: &Workflow, of: &Estimate) -> EstimateView {
    let steps = |ids: &[StepId]| -> Vec<StepRef> { ids.iter().map(|id| words::step_ref(workflow, id)).collect() };
    let unknown = steps(&of.unknown);
    let from = format!(
        "estimated from {}",
        words::count(of.runs as usize, "past run", "past runs")
    );
    let words = match of.ms {
        _ if of.path.is_empty() && unknown.is_empty() => "nothing is left".to_owned(),
        None => "unknown: none of these stages has been completed in an earlier run".to_owned(),
        Some(ms) if unknown.is_empty() => format!("about {} ({from})", words::duration(ms)),
        Some(ms) => format!(
            "at least {} ({from}; how long {} takes is not known)",
            words::duration(ms),
            listed(&unknown)
        ),
    };
    EstimateView {
        ms: of.ms,
        words,
        runs: of.runs,
        path: steps(&of.path),
        unknown,
    }
}

/// The folder of each stage's outputs below `outputs` of the folder of pipelines, in document order.
pub fn folders(workflow: &Workflow) -> Vec<String> {
    stage_folders(workflow.steps().iter().map(|step| step.id.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dialect::Document;

    #[test]
    fn a_hundred_percent_means_that_every_stage_is_completed() {
        use StepStatus::{Failed, Interrupted, NotStarted, Refused, Running, Skipped, Succeeded};
        for (statuses, percent, words) in [
            (&[][..], 0, "0 of 0 completed"),
            (&[NotStarted], 0, "0 of 1 completed"),
            (&[Succeeded, Running, NotStarted], 33, "1 of 3 completed"),
            (
                &[Succeeded, Succeeded, Succeeded, Interrupted],
                75,
                "3 completed, 1 cut off",
            ),
            (
                &[Succeeded, Failed, Skipped, Skipped],
                25,
                "1 completed, 1 failed, 2 skipped",
            ),
            (&[Succeeded, Refused, NotStarted], 33, "1 completed, 1 rejected, 1 left"),
            (&[Succeeded, Succeeded], 100, "2 of 2 completed"),
            (
                &[vec![Succeeded; 999], vec![Running]].concat(),
                99,
                "999 of 1000 completed",
            ),
        ] {
            let progress = of_statuses(statuses);
            assert_eq!((progress.percent, progress.words.as_str()), (percent, words));
        }
    }

    #[test]
    fn lists_read_well() {
        let steps = |n: usize| -> Vec<StepRef> {
            let step = |n: usize| words::of_step(&Step::new(format!("s{n}").as_str(), n));
            (0..n).map(step).collect()
        };
        let name = |n: usize| words::of_step(&Step::new(format!("s{n}").as_str(), n)).name;
        assert_eq!(listed(&steps(0)), "");
        assert_eq!(listed(&steps(1)), format!("“{}”", name(0)));
        assert_eq!(
            listed(&steps(3)),
            format!("“{}”, “{}” and “{}”", name(0), name(1), name(2))
        );
        assert!(listed(&steps(9)).ends_with("and 3 more"));
    }

    #[test]
    fn estimates_say_that_they_are_some() {
        let document = Document::parse(
            "x.yaml",
            "stages:\n  - {name: a, agents: [x]}\n  - {name: b, agents: [x]}\n",
        );
        let words = |ms, runs, path: &[&str], unknown: &[&str]| {
            let ids = |ids: &[&str]| ids.iter().map(|id| StepId::new(*id)).collect();
            let of = Estimate {
                ms,
                runs,
                path: ids(path),
                unknown: ids(unknown),
            };
            estimate(document.workflow(), &of).words
        };
        assert_eq!(
            words(Some(90_000), 3, &["a"], &[]),
            "about 1 min 30 s (estimated from 3 past runs)"
        );
        assert_eq!(
            words(Some(5000), 1, &["a", "b"], &["b"]),
            "at least 5 s (estimated from 1 past run; how long “b” takes is not known)"
        );
        assert!(words(None, 0, &["a"], &["a", "b"]).starts_with("unknown: "));
        assert_eq!(words(Some(0), 2, &[], &[]), "nothing is left");
    }
}
