//! A run as of an event: overlay of the graph, routes with their reasons, what a person can do.

use super::{faces, gate, reasons, words};
use crate::view::Status;
use crate::view::gate::Refused;
use crate::view::run::{ActionView, AlternativeView, EdgeOverlay, RouteView, RunView, StepOverlay};
use crate::view::runs::RunRowView;
use engine::{Event, RefusalCode, RouteDecision, RouteKind, RunState, StepStatus};
use model::Workflow;
use model::layout::{Drawing, EdgeKind};
use store::{StatusWord, Stored};

/// What is known of a run besides its log.
#[derive(Debug, Clone, Default)]
pub struct Around {
    /// Who drives it.
    pub driver: Option<String>,
    /// Its file differs from the version it started with.
    pub source_changed: bool,
    /// Sequence number of the last event of the whole log.
    pub last: u64,
    /// Time now, for durations of what still runs.
    pub now: i64,
}

/// The run as of the last of `events`.
pub fn run(workflow: &Workflow, events: &[Stored], state: &RunState, around: &Around) -> RunView {
    let created = state.created.as_deref();
    let limits = created.map(|c| c.limits).unwrap_or_default();
    let (drawing, faces) = faces::picture(workflow, &[], &limits);
    let live = state.seq == around.last;
    let now = if live {
        around.now
    } else {
        state.last_at.map_or(0, |t| t.0)
    };
    let routes = routes(workflow, &drawing, events);
    RunView {
        run_id: created.map(|c| c.run_id.to_string()).unwrap_or_default(),
        workflow_title: created.map(|c| c.title.clone()).unwrap_or_default(),
        workflow_path: created.map(|c| c.path.clone()).unwrap_or_default(),
        at: state.seq,
        last: around.last,
        at_time: state.last_at.map_or(0, |t| t.0),
        status: words::run_status(state),
        status_words: words::run_status_words(workflow, state),
        created_at: state.created_at.map_or(0, |t| t.0),
        ended_at: state.ended_at.map(|t| t.0),
        error: state.error.clone(),
        by: created.map(|c| c.by.clone()).unwrap_or_default(),
        initiator: created.map(|c| c.initiator.clone()).unwrap_or_default(),
        scenario: created.and_then(|c| c.scenario.as_ref()).map(|s| s.name.clone()),
        driver: around.driver.clone(),
        source_changed: around.source_changed,
        steps: workflow.steps().iter().map(|s| overlay(state, s, now)).collect(),
        edges: edges(workflow, &drawing, &routes, state),
        drawing,
        faces,
        routes,
        waiting: gate::waiting(workflow, state),
        actions: if live { actions(state, around) } else { Vec::new() },
    }
}

/// What happened at a step, with its small line: `done · 2 rounds · 12 s`.
pub fn overlay(state: &RunState, step: &model::Step, now: i64) -> StepOverlay {
    let status = state.step_status(&step.id);
    let entered = state.steps.get(&step.id);
    let visits = entered.map_or(0, |s| s.visits.len());
    let mut parts = vec![match status {
        StepStatus::NotStarted if state.status.ended() => "not needed".to_owned(),
        StepStatus::NotStarted => "not yet".to_owned(),
        StepStatus::Running => "running".to_owned(),
        StepStatus::Retrying => "tries again soon".to_owned(),
        StepStatus::Blocked => "waits for a person".to_owned(),
        StepStatus::Succeeded => "done".to_owned(),
        StepStatus::Failed => "failed".to_owned(),
        StepStatus::Skipped => "skipped".to_owned(),
        StepStatus::Interrupted => "cut off".to_owned(),
    }];
    if visits > 1 {
        parts.push(words::count(visits, "round", "rounds"));
    }
    if let Some(last) = entered.and_then(|s| s.visits.last()).and_then(|v| v.attempts.last()) {
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
        visits: visits as u32,
    }
}

/// Every routing decision among the events, numbered.
pub fn routes(workflow: &Workflow, drawing: &Drawing, events: &[Stored]) -> Vec<RouteView> {
    events
        .iter()
        .filter_map(|e| match &e.event {
            Event::Routed(route) => Some((e, route)),
            _ => None,
        })
        .enumerate()
        .map(|(i, (e, route))| route_view(workflow, drawing, i as u32 + 1, e.seq, e.at.0, route))
        .collect()
}

fn route_view(
    workflow: &Workflow,
    drawing: &Drawing,
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
        visit: route.from.visit,
        to: route.to.as_ref().map(|to| words::step_ref(workflow, to)),
        edge_id: edge_of(workflow, drawing, route),
        decision: reasons::kind(route.decision).into(),
        headline: reasons::headline(workflow, route),
        why: reasons::why(workflow, route),
        reason: route.reason.clone(),
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

/// The drawn edge a decision took: of several between the same two steps the one whose kind fits.
fn edge_of(workflow: &Workflow, drawing: &Drawing, route: &RouteDecision) -> Option<String> {
    let from = workflow.step(&route.from.step)?.ordinal;
    let to = workflow.step(route.to.as_ref()?)?.ordinal;
    let prefix = format!("{from}-{to}-");
    let between: Vec<_> = drawing.edges.iter().filter(|e| e.id.starts_with(&prefix)).collect();
    let fits = |kind: EdgeKind| match route.decision {
        RouteKind::Loop => kind == EdgeKind::Loop,
        _ if route.reason.starts_with("rejected") => kind == EdgeKind::Reject,
        _ => kind != EdgeKind::Loop && kind != EdgeKind::Reject,
    };
    let by_value = route.reason.strip_prefix("branch:");
    between
        .iter()
        .find(|e| by_value.is_some() && e.label.as_deref() == by_value)
        .or_else(|| between.iter().find(|e| fits(e.kind)))
        .or_else(|| between.first())
        .map(|e| e.id.clone())
}

/// What happened on each edge, in the drawing's order.
pub fn edges(workflow: &Workflow, drawing: &Drawing, routes: &[RouteView], state: &RunState) -> Vec<EdgeOverlay> {
    let flows = workflow.flows();
    drawing
        .edges
        .iter()
        .map(|edge| EdgeOverlay {
            id: edge.id.clone(),
            taken: routes
                .iter()
                .filter(|r| r.edge_id.as_deref() == Some(&edge.id))
                .map(|r| r.number)
                .collect(),
            loop_badge: (edge.kind == EdgeKind::Loop)
                .then(|| {
                    let (from, to, flow) = flows
                        .iter()
                        .find(|(from, to, _)| edge.id.starts_with(&format!("{}-{}-", from.ordinal, to.ordinal)))?;
                    let max = flow.max_iterations?;
                    let taken = state
                        .loop_state
                        .get(&format!("{}:{}", from.id, to.id))
                        .copied()
                        .unwrap_or(0);
                    Some(format!("{taken}/{max}"))
                })
                .flatten(),
        })
        .collect()
}

fn actions(state: &RunState, around: &Around) -> Vec<ActionView> {
    let ended = state.status.ended();
    let refused = |code, message: &str| {
        Some(Refused {
            code,
            message: message.into(),
        })
    };
    let over = || refused(RefusalCode::RunEnded, "The run has ended.");
    let entry = |action: &str, refusal: Option<Refused>| ActionView {
        action: action.into(),
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
    vec![
        entry("pause", pause),
        entry("resume", resume),
        entry("abort", if ended { over() } else { None }),
        entry("drive", drive),
    ]
}

/// The run as a row of a table.
pub fn row(
    row: &store::RunRow,
    seen: Option<(&Workflow, &RunState)>,
    scenario: Option<String>,
    now: i64,
) -> RunRowView {
    let status = status_of_word(row.status);
    let words = match seen {
        Some((w, s)) => words::run_status_words(w, s),
        _ => word_in_words(row.status).into(),
    };
    let start = row.created_at.0;
    let end = row.ended_at.map_or(now, |t| t.0);
    RunRowView {
        run_id: row.run.to_string(),
        workflow_title: row.title.clone(),
        workflow_path: row.path.clone(),
        status,
        status_words: words,
        created_at: start,
        ended_at: row.ended_at.map(|t| t.0),
        duration_ms: u64::try_from(end - start).unwrap_or(0),
        loops: row.loops,
        gates: row.gates_asked,
        executed: row.executed,
        by: row.by.clone(),
        initiator: row.initiator.clone(),
        scenario,
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
    }
}

fn word_in_words(word: StatusWord) -> &'static str {
    match word {
        StatusWord::New => "not started",
        StatusWord::Running => "running",
        StatusWord::Blocked => "waits for a decision",
        StatusWord::Paused => "paused",
        StatusWord::Succeeded => "done",
        StatusWord::Failed => "failed",
        StatusWord::Aborted => "stopped",
    }
}
