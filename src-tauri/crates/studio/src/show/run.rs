//! A run as of an event: overlay of the graph, routes with their reasons, what a person can do.

use super::faces::{Drawn, Look};
use super::{dependencies, evidence, faces, gate, instances, people, pipeline, reasons, words};
use crate::view::Status;
use crate::view::gate::GateCard;
use crate::view::gate::Refused;
use crate::view::run::{
    ActionView, AlternativeView, EdgeOverlay, OutcomeView, ParentView, ResumeView, RouteView, RunAction, RunView,
    StepOverlay,
};
use crate::view::runs::RunRowView;
use engine::{
    Answer, EndStatus, Event, GateId, GateOpened, Instance, Outcome, Purpose, RefusalCode, RouteDecision, RunCreated,
    RunState, RunStatus, StepStatus, Visit,
};
use history::Events;
use model::{Control, Flow, FlowKind, Reopening, Routing, Step, Work, Workflow};
use runtime::pipeline::estimate::Past;
use std::collections::HashMap;
use store::StatusWord;

/// What is known of a run besides its log.
#[derive(Debug, Clone, Default)]
pub struct Around {
    /// Who drives it.
    pub driver: Option<String>,
    /// Its file differs from the version it started with.
    pub source_changed: bool,
    /// The run whose step this one carries out.
    pub parent: Option<ParentView>,
    /// What it is about.
    pub subject: Option<String>,
    /// Sequence number of the last event of the whole log.
    pub last: u64,
    /// Time now, for durations of what still runs.
    pub now: i64,
    /// Decisions that runs inside it wait for.
    pub waiting_inside: Vec<GateCard>,
    /// Of a pipeline: how long its stages took in past runs.
    pub past: Option<Past>,
}

/// The run as of the last of `events`, looked at like this.
pub fn run(workflow: &Workflow, events: Events<'_>, state: &RunState, around: &Around, look: &Look) -> RunView {
    let created = state.created.as_deref();
    let rules = engine::GateRules::of(created);
    let mut drawn = faces::picture(workflow, &[], rules, look);
    let live = state.seq == around.last;
    let now = if live {
        around.now
    } else {
        state.last_at.map_or(0, |t| t.0)
    };
    let routes = routes(workflow, &mut drawn, events);
    let step = |ordinal: &usize| &workflow.steps()[*ordinal];
    RunView {
        run_id: created.map(|c| c.run_id.to_string()).unwrap_or_default(),
        workflow_title: created.map(|c| c.title.clone()).unwrap_or_default(),
        workflow_path: created.map(|c| c.path.clone()).unwrap_or_default(),
        subject: around.subject.clone(),
        remarks: people::of_run(state),
        format: workflow.format,
        at: state.seq,
        last: around.last,
        at_time: state.last_at.map_or(0, |t| t.0),
        status: words::run_status(state),
        status_words: words::run_status_words(workflow, state),
        outcome: words::outcome(workflow, state),
        created_at: state.created_at.map_or(0, |t| t.0),
        ended_at: state.ended_at.map(|t| t.0),
        error: state.error.clone(),
        message: state.message.clone(),
        parent: around.parent.clone(),
        prompted: created.is_some_and(|c| c.prompted),
        by: created.map(|c| c.by.clone()).unwrap_or_default(),
        initiator: created.map(|c| c.initiator.clone()).unwrap_or_default(),
        rehearsal: created.is_some_and(RunCreated::is_rehearsal),
        only_read: created.and_then(|c| words::only_read(c.only_read.as_deref()?)),
        scenario: created.and_then(|c| c.scenario.as_ref()).map(|s| s.name.clone()),
        driver: around.driver.clone(),
        source_changed: around.source_changed,
        steps: drawn
            .steps
            .iter()
            .map(|s| overlay(workflow, state, step(s), &[], now))
            .collect(),
        edges: edges(workflow, &drawn, &routes, state),
        drawing: drawn.drawing,
        faces: drawn.faces,
        routes,
        waiting: gate::waiting(workflow, state, around.subject.clone()),
        waiting_inside: around.waiting_inside.clone(),
        actions: if live {
            actions(workflow, state, around)
        } else {
            Vec::new()
        },
        pipeline: around
            .past
            .as_ref()
            .map(|past| pipeline::run(workflow, events, state, past, now)),
        support: evidence::of_run(&evidence::Of {
            workflow,
            state,
            now,
            on_disk: None,
        }),
        resume: live.then(|| taken_up(workflow, state)).flatten(),
    }
}

/// What taking up a run again means, where it failed or was stopped and something is left to be done.
fn taken_up(workflow: &Workflow, state: &RunState) -> Option<ResumeView> {
    let broken = matches!(state.status, RunStatus::Ended(EndStatus::Failed | EndStatus::Aborted));
    if workflow.contract().reopening != Reopening::AtOpenStep || !broken {
        return None;
    }
    let rest = engine::control::resume::rest(workflow, state);
    let (first, then) = rest.split_first()?;
    let kept: Vec<&Step> = workflow
        .steps()
        .iter()
        .filter(|step| rest.iter().all(|left| left.id != step.id))
        .collect();
    let name = words::step_ref(workflow, &first.id).name;
    let begins = match state.steps.contains_key(&first.id) {
        true => format!("“{name}” runs again, with fresh attempts"),
        false => format!("It goes on with “{name}”"),
    };
    let kept_words = match kept.as_slice() {
        [] => "no step is completed yet".to_owned(),
        [one] => format!(
            "“{}” is completed and does not run again",
            words::step_ref(workflow, &one.id).name
        ),
        more => format!("the {} completed steps do not run again", more.len()),
    };
    Some(ResumeView {
        step: words::of_step(first),
        then: then.iter().map(|step| words::of_step(step)).collect(),
        kept: kept.into_iter().map(words::of_step).collect(),
        words: format!("{begins}; {kept_words}."),
    })
}

fn was_asked(state: &RunState, step: &Step) -> bool {
    let mut rounds = state.gates.values().flatten();
    rounds.any(|round| round.opened.instance.step == step.id && round.answer.is_none())
}

/// What happened at a step, with its small line: `done · 2 rounds · 12 s`. `path`: in this instance of a dynamic step; empty:
/// in all of them.
pub fn overlay(workflow: &Workflow, state: &RunState, step: &Step, path: &[u32], now: i64) -> StepOverlay {
    let status = instances::status(workflow, state, step, path);
    let here = |visit: &&Visit| visit.instance.path.starts_with(path);
    let visits = instances::visits(state, step).filter(here).count();
    let instances = match path {
        [] => instances::paths(workflow, state, step).len(),
        _ => 0,
    };
    let retry = instances::retry(state, step);
    let mut parts = vec![match status {
        StepStatus::NotStarted if state.status.ended() && state.has_stages() => "did not begin".to_owned(),
        // A person was asked here, and the run went on without an answer.
        StepStatus::NotStarted if state.outcome() == Some(Outcome::Done) && was_asked(state, step) => {
            "passed over without an answer".to_owned()
        }
        // Of a run that went as it should the way led past it.
        StepStatus::NotStarted if state.outcome() == Some(Outcome::Done) => "not needed".to_owned(),
        StepStatus::NotStarted if state.status.ended() => "not run".to_owned(),
        StepStatus::NotStarted => "not yet".to_owned(),
        StepStatus::Queued => "queued".to_owned(),
        StepStatus::Running => "running".to_owned(),
        StepStatus::Retrying => "tries again soon".to_owned(),
        StepStatus::Blocked => "waits for a person".to_owned(),
        StepStatus::Succeeded => "done".to_owned(),
        StepStatus::Failed => "failed".to_owned(),
        StepStatus::Refused => match state.refused_at(&step.id, path) {
            Some(refused) => format!("refused by {}", super::log::visible(refused.decision.by.trim())),
            None => "refused".to_owned(),
        },
        StepStatus::Skipped => "skipped".to_owned(),
        StepStatus::Interrupted => "cut off".to_owned(),
    }];
    if let Some(retry) = &retry {
        parts.push(format!("↻ {retry}"));
    }
    let left = instances::nothing_left(workflow, state, step, path).filter(|_| status == StepStatus::Succeeded);
    if let Some(left) = left {
        parts.push(left);
    } else if instances > 1 {
        parts.push(words::count(instances, "repetition", "repetitions"));
    } else if visits > 1 && retry.is_none() {
        parts.push(words::count(visits, "round", "rounds"));
    }
    let at_work = matches!(status, StepStatus::Running | StepStatus::Retrying | StepStatus::Blocked);
    if step.work == Work::Group && at_work && instances <= 1 {
        parts.push(inside(workflow, state, step, path));
    }
    let last = instances::visits(state, step)
        .rfind(here)
        .and_then(|v| v.attempts.last());
    if let Some(last) = last {
        if last.started.attempt > 1 {
            parts.push(format!("attempt {}", last.started.attempt));
        }
        let end = last.ended_at.map_or(now, |t| t.0);
        let took = u64::try_from(end - last.started_at.0).unwrap_or(0);
        if took >= 1000 && !matches!(status, StepStatus::Blocked | StepStatus::Retrying) {
            parts.push(words::duration(took));
        }
    }
    StepOverlay {
        id: step.id.to_string(),
        status: words::step_status(status),
        words: parts.join(" · "),
        visits: u32::try_from(visits).unwrap_or(u32::MAX),
        instances: u32::try_from(instances).unwrap_or(u32::MAX),
        retry,
    }
}

/// `2 of 3 steps done`.
fn inside(workflow: &Workflow, state: &RunState, group: &Step, path: &[u32]) -> String {
    let all = workflow.children(group).count();
    let done = workflow
        .children(group)
        .filter(|s| {
            let status = instances::status(workflow, state, s, path);
            matches!(status, StepStatus::Succeeded | StepStatus::Skipped)
        })
        .count();
    format!("{done} of {}", words::count(all, "step", "steps"))
}

/// Every routing decision among the events, numbered; of a pipeline the dependencies that were met. A way that people sent the run
/// and the workflow does not draw is added to the drawing: else its number would be missing from the picture.
pub fn routes(workflow: &Workflow, drawn: &mut Drawn, events: Events<'_>) -> Vec<RouteView> {
    if workflow.contract().control == Control::Stages {
        return dependencies::routes(workflow, drawn, events);
    }
    let mut asked: HashMap<(&GateId, u32), &GateOpened> = HashMap::new();
    let mut approved: HashMap<&Instance, String> = HashMap::new();
    let mut views = Vec::new();
    for e in events {
        match &e.event {
            Event::GateOpened(opened) if opened.purpose == Purpose::Approval => {
                asked.insert((&opened.gate, opened.round), opened);
            }
            Event::GateAnswered(decision) if decision.answer == Answer::Approve => {
                if let Some(opened) = asked.get(&(&decision.gate, decision.round)) {
                    let by = super::log::visible(decision.by.trim());
                    approved.insert(&opened.instance, format!("{by} approved: “{}”", opened.question));
                }
            }
            Event::Routed(route) => {
                let number = views.len() as u32 + 1;
                let mut view = route_view(workflow, drawn, number, e.seq, e.at.0, route);
                // The rule says where to; that it went on at all a person has decided.
                if let Some(approval) = approved.get(&route.from) {
                    view.why = format!("{approval}. {}", view.why);
                }
                views.push(view);
            }
            _ => {}
        }
    }
    views
}

fn route_view(
    workflow: &Workflow,
    drawn: &mut Drawn,
    number: u32,
    seq: u64,
    at: i64,
    route: &RouteDecision,
) -> RouteView {
    let (source, source_words) = reasons::source(route);
    RouteView {
        number,
        seq,
        at,
        from: words::step_ref(workflow, &route.from.step),
        unit: route
            .runbook
            .as_ref()
            .and_then(|moved| moved.unit.as_ref())
            .map(|unit| words::step_ref(workflow, unit)),
        visit: route.from.visit,
        to: route.to.as_ref().map(|to| words::step_ref(workflow, to)),
        edge_id: edge_of(workflow, drawn, route).or_else(|| sent(workflow, drawn, route)),
        decision: reasons::kind(route).into(),
        headline: reasons::headline(workflow, route),
        why: reasons::why(workflow, route),
        reason: route.reason.to_string(),
        source: source.into(),
        source_words: source_words.into(),
        looked_at: words::named(&route.looked_at),
        alternatives: route
            .alternatives
            .iter()
            .map(|a| AlternativeView {
                to: a.to.as_ref().map(|to| words::step_ref(workflow, to)),
                why_not: reasons::why_not(a),
            })
            .collect(),
    }
}

/// The drawn edge a decision took; `None` when there is none, or when it lies inside a collapsed container.
fn edge_of(workflow: &Workflow, drawn: &Drawn, route: &RouteDecision) -> Option<String> {
    let index = engine::edges::taken(workflow, route)?;
    drawn.edges.get(index)?.clone()
}

/// The way of a decision that took no edge of the workflow, drawn onto the picture the first time; `None` at the end of the flow
/// and inside a collapsed container.
fn sent(workflow: &Workflow, drawn: &mut Drawn, route: &RouteDecision) -> Option<String> {
    if engine::edges::taken(workflow, route).is_some() {
        return None;
    }
    let from = workflow.step(&route.from.step)?;
    let to = workflow.step(route.to.as_ref()?)?;
    let (start, end) = (shown(workflow, drawn, from)?, shown(workflow, drawn, to)?);
    let is_hidden = start == end && (start != from.ordinal || end != to.ordinal);
    let id = format!("{start}-{end}-sent");
    if is_hidden || drawn.drawing.edges.iter().any(|edge| edge.id == id) {
        return (!is_hidden).then_some(id);
    }
    let (from, to) = (start.to_string(), end.to_string());
    model::layout::add_sent(&mut drawn.drawing, id.clone(), &from, &to).then_some(id)
}

/// The ordinal of the step that is drawn for this one: itself, or the collapsed container around it.
fn shown(workflow: &Workflow, drawn: &Drawn, step: &Step) -> Option<usize> {
    let mut at = step;
    while drawn.steps.binary_search(&at.ordinal).is_err() {
        at = workflow.container(at)?;
    }
    Some(at.ordinal)
}

/// What happened on each edge, in the drawing's order.
pub fn edges(workflow: &Workflow, drawn: &Drawn, routes: &[RouteView], state: &RunState) -> Vec<EdgeOverlay> {
    let flows = workflow.flows();
    let flow_of: HashMap<&str, usize> = drawn
        .edges
        .iter()
        .enumerate()
        .rev()
        .filter_map(|(flow, edge)| Some((edge.as_deref()?, flow)))
        .collect();
    let mut taken: HashMap<&str, Vec<u32>> = HashMap::new();
    for route in routes {
        if let Some(edge) = &route.edge_id {
            taken.entry(edge).or_default().push(route.number);
        }
    }
    drawn
        .drawing
        .edges
        .iter()
        .map(|edge| {
            let taken = taken.remove(edge.id.as_str()).unwrap_or_default();
            let flow = flow_of.get(edge.id.as_str()).map(|flow| flows[*flow]);
            EdgeOverlay {
                id: edge.id.clone(),
                why_not: flow
                    .filter(|_| taken.is_empty())
                    .and_then(|flow| dependencies::why_not(workflow, state, flow)),
                taken,
                loop_badge: flow.and_then(|flow| badge(flow, state)),
            }
        })
        .collect()
}

/// How often a loop, or a retry, was taken, and how often it may be: `1/5`.
fn badge((from, to, flow): (&Step, &Step, &Flow), state: &RunState) -> Option<String> {
    let max = flow.max_iterations.filter(|_| flow.kind == FlowKind::Loop)?;
    let taken = match from.routing {
        Routing::Transitions { .. } => state.frame.retries.get(&from.id),
        _ => state.loop_state.get(&format!("{}:{}", from.id, to.id)),
    };
    Some(format!("{}/{max}", taken.copied().unwrap_or(0)))
}

fn actions(workflow: &Workflow, state: &RunState, around: &Around) -> Vec<ActionView> {
    let ended = state.status.ended();
    let refused = |code, message: &str| {
        Some(Refused {
            code,
            message: message.into(),
        })
    };
    let over = || refused(RefusalCode::RunEnded, "The run has ended.");
    let entry = |action: RunAction, refusal: Option<Refused>| ActionView {
        action,
        allowed: refusal.is_none(),
        refusal,
    };
    let pause = if ended {
        over()
    } else if state.paused {
        refused(RefusalCode::AlreadyPaused, "The run is already paused.")
    } else {
        None
    };
    let resume = if ended {
        over()
    } else if !state.paused {
        refused(RefusalCode::NotPaused, "The run is not paused.")
    } else {
        None
    };
    let drive = if ended {
        over()
    } else {
        around.driver.as_ref().and_then(|d| {
            refused(
                RefusalCode::NotPaused,
                &format!("It is already being carried out by {d}."),
            )
        })
    };
    let mut all = vec![
        entry(RunAction::Pause, pause),
        entry(RunAction::Resume, resume),
        entry(RunAction::Abort, if ended { over() } else { None }),
        entry(RunAction::Drive, drive),
    ];
    if workflow.contract().reopening == Reopening::ByStage {
        let reopen = match state.status {
            RunStatus::Ended(EndStatus::Succeeded) => refused(
                RefusalCode::CannotReopen,
                "Every stage is completed: there is nothing left to resume.",
            ),
            // What failed may have been skipped by a person meanwhile.
            RunStatus::Ended(EndStatus::CompletedWithFailures) if pipeline::choices(workflow, state).is_empty() => {
                refused(
                    RefusalCode::CannotReopen,
                    "No stage is left that failed or was cut off.",
                )
            }
            RunStatus::Ended(_) => None,
            _ => refused(RefusalCode::CannotReopen, "The run has not ended."),
        };
        all.push(entry(RunAction::Reopen, reopen));
    }
    if workflow.contract().reopening == Reopening::AtOpenStep {
        let reopen = match state.status {
            RunStatus::Ended(EndStatus::Failed | EndStatus::Aborted) => {
                taken_up(workflow, state).is_none().then(|| Refused {
                    code: RefusalCode::CannotReopen,
                    message: "Every step is completed: there is nothing left to do.".into(),
                })
            }
            RunStatus::Ended(_) => refused(
                RefusalCode::CannotReopen,
                "The run is complete: there is nothing left to do.",
            ),
            _ => refused(RefusalCode::CannotReopen, "The run has not ended."),
        };
        all.push(entry(RunAction::Reopen, reopen));
    }
    all
}

/// The run as a row of a table.
pub fn row(
    row: &store::RunRow,
    seen: Option<(&Workflow, &RunState)>,
    refused: Option<OutcomeView>,
    created: Option<&RunCreated>,
    subject: Option<String>,
    now: i64,
) -> RunRowView {
    let status = status_of_word(row.status);
    let words = match (seen, &refused, row.status) {
        (Some((w, s)), ..) => words::run_status_words(w, s),
        (_, Some(refused), _) => refused.words.clone(),
        (_, _, StatusWord::Stopped) => words::stopped(row.error.as_deref()),
        (_, _, StatusWord::Aborted) => words::aborted(row.error.as_deref()),
        _ => word_in_words(row.status).into(),
    };
    let ended = row
        .status
        .ended()
        .then(|| refused.unwrap_or_else(|| words::ended_as(status, &words)));
    let start = row.created_at.0;
    let end = row.ended_at.map_or(now, |t| t.0);
    RunRowView {
        run_id: row.run.to_string(),
        workflow_title: row.title.clone(),
        workflow_path: row.path.clone(),
        subject,
        status,
        status_words: words,
        outcome: ended,
        created_at: start,
        ended_at: row.ended_at.map(|t| t.0),
        duration_ms: u64::try_from(end - start).unwrap_or(0),
        loops: row.loops,
        gates: row.gates_asked,
        executed: row.executed,
        by: row.by.clone(),
        initiator: row.initiator.clone(),
        rehearsal: created.is_some_and(RunCreated::is_rehearsal),
        scenario: created.and_then(|c| c.scenario.as_ref()).map(|s| s.name.clone()),
        error: row.error.clone(),
    }
}

/// The product's one status list.
pub fn status_of_word(word: StatusWord) -> Status {
    match word {
        StatusWord::New => Status::NotStarted,
        StatusWord::Running => Status::Running,
        StatusWord::Blocked => Status::Blocked,
        StatusWord::Paused => Status::Paused,
        StatusWord::Succeeded => Status::Done,
        StatusWord::Failed => Status::Failed,
        StatusWord::Aborted => Status::Aborted,
        StatusWord::CompletedWithFailures => Status::Partly,
        StatusWord::Refused => Status::Refused,
        StatusWord::Stopped => Status::Stopped,
    }
}

/// The same in words.
pub fn word_in_words(word: StatusWord) -> &'static str {
    match word {
        StatusWord::New => "not started",
        StatusWord::Running => "running",
        StatusWord::Blocked => "waits for a decision",
        StatusWord::Paused => "paused",
        StatusWord::Succeeded => words::end(EndStatus::Succeeded),
        StatusWord::Failed => words::end(EndStatus::Failed),
        StatusWord::Aborted => words::end(EndStatus::Aborted),
        StatusWord::CompletedWithFailures => words::end(EndStatus::CompletedWithFailures),
        StatusWord::Refused => "refused",
        StatusWord::Stopped => words::end(EndStatus::Stopped),
    }
}
