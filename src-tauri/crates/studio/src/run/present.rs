//! A run as of an event: overlay of the graph, routes with their reasons, what a person can do.

use crate::gate::view::GateCard;
use crate::gate::{self, people};
use crate::run::index::{self, Index, Way};
use crate::run::row_view::{OutcomeView, RunRowView};
use crate::run::view::{
    ActionView, AlternativeView, EdgeOverlay, ParentView, RouteView, RunAction, RunHead, StepOverlay,
};
use crate::run::{ahead, dependencies, feedback, forks, instances, log, reasons, status, work};
use crate::settings::identity::Person;
use crate::text::safe;
use crate::view::{Refused, Status};
use crate::workflow::drawing::Drawn;
use crate::{evidence, pipeline, words};
use engine::{
    AgentResult, EndStatus, Event, ExecutionStatus, Outcome, RefusalCode, RouteDecision, RunCreated, RunState,
    RunStatus, StepResult, StepStatus, TookPart, Visit,
};
use history::Events;
use model::layout::EdgeKind;
use model::{Control, Flow, FlowKind, Reopening, Routing, Step, Work, Workflow};
use runtime::pipeline::estimate::Past;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use store::{StatusWord, Stored};

/// What is known of a run besides its log.
#[derive(Debug, Clone, Default)]
pub struct Around {
    /// Who drives it.
    pub driver: Option<String>,
    /// Whether it may run here: the person trusts the project, or nothing of the run happens for real.
    pub trusted: bool,
    /// Its file differs from the version it started with.
    pub source_changed: bool,
    /// Its record is known not to be what was written down.
    pub altered: bool,
    /// The run whose step this one carries out.
    pub parent: Option<ParentView>,
    /// What it is about.
    pub subject: Option<String>,
    /// Sequence number of the last event of the whole log.
    pub last: u64,
    /// Time now, for durations of what still runs.
    pub now: i64,
    /// Decisions that runs inside it wait for.
    pub waiting_inside: Vec<Arc<GateCard>>,
    /// Of a pipeline: how long its stages took in past runs.
    pub past: Option<Past>,
    /// Of a run that has ended: how much of its time it waited for people, in words.
    pub waited: Option<String>,
    /// Who looks at it.
    pub reader: Person,
    /// Who worked in other runs of the same work, where somebody else has to approve.
    pub beside: Arc<[TookPart]>,
}

impl Around {
    /// The moment looked at: now, or when the last event of the past was.
    pub fn moment(&self, state: &RunState) -> i64 {
        match state.seq == self.last {
            true => self.now,
            false => state.last_at.map_or(0, |t| t.0),
        }
    }
}

/// How the run stands as of the last of `events`.
pub fn head(workflow: &Workflow, events: Events<'_>, state: &RunState, around: &Around) -> RunHead {
    let created = state.created.as_deref();
    let live = state.seq == around.last;
    let now = around.moment(state);
    let at_work = (!live || around.driver.is_some()).then_some(engine::At(now));
    let reader = people::Reader {
        name: &around.reader.name,
        roles: &around.reader.roles,
    };
    let told = people::of_run(workflow, state, reader, &around.beside);
    RunHead {
        run_id: created.map(|c| c.run_id.to_string()).unwrap_or_default(),
        workflow_title: created.map(|c| c.title.clone()).unwrap_or_default(),
        workflow_path: created.map(|c| c.path.clone()).unwrap_or_default(),
        subject: around.subject.clone(),
        remarks: told.warnings,
        notes: told.notes,
        format: workflow.format,
        at: state.seq,
        last: around.last,
        at_time: state.last_at.map_or(0, |t| t.0),
        status: status::run_status(state),
        status_words: status::run_status_words(workflow, state),
        outcome: status::outcome(workflow, state),
        created_at: state.created_at.map_or(0, |t| t.0),
        ended_at: state.ended_at.map(|t| t.0),
        waited: around.waited.clone(),
        error: status::why_ended(state),
        message: status::message(state),
        parent: around.parent.clone(),
        continues: created.and_then(|c| c.continues.as_deref()).map(status::continues),
        imported: created.and_then(|c| c.imported.as_deref()).map(status::imported),
        begins: created.and_then(|c| status::begins(c, workflow)),
        prompted: created.is_some_and(|c| c.prompted),
        by: created.map(|c| c.by.clone()).unwrap_or_default(),
        initiator: created.map(|c| c.initiator.clone()).unwrap_or_default(),
        rehearsal: created.is_some_and(RunCreated::is_rehearsal),
        only_read: created.and_then(|c| words::only_read(c.only_read.as_deref()?)),
        scenario: created.and_then(|c| c.scenario.as_ref()).map(|s| s.name.clone()),
        flows: crate::run::flows::of_run(workflow, state),
        driver: around.driver.clone(),
        source_changed: around.source_changed,
        source_gone: false,
        altered: around.altered,
        waiting: gate::present::waiting(workflow, state, around.subject.clone()),
        waiting_inside: around.waiting_inside.clone(),
        actions: if live {
            actions(workflow, state, around)
        } else {
            Vec::new()
        },
        pipeline: around
            .past
            .as_ref()
            .map(|past| pipeline::present::run(workflow, events, state, past, at_work)),
        support: evidence::present::of_run(&evidence::present::Of {
            workflow,
            state,
            now,
            on_disk: None,
        }),
        resume: live
            .then(|| ahead::taken_up(workflow, state, None, None).ok())
            .flatten(),
    }
}

/// What happened at each node of the picture; `touched`: at those of these steps alone.
pub fn steps(
    workflow: &Workflow,
    drawn: &Drawn,
    state: &RunState,
    now: i64,
    touched: Option<&BTreeSet<usize>>,
) -> Vec<StepOverlay> {
    let rehearsed = rehearsed(workflow, state);
    let wanted = drawn
        .steps
        .iter()
        .filter(|at| touched.is_none_or(|touched| touched.contains(at)));
    let steps = wanted.map(|ordinal| &workflow.steps()[*ordinal]);
    steps
        .map(|step| overlay(workflow, state, step, &[], rehearsed.as_deref(), now))
        .collect()
}

/// Of a rehearsal that begins in the middle: which steps may come to be in it, by their places in the file; absent: all of them.
pub fn rehearsed(workflow: &Workflow, state: &RunState) -> Option<Vec<bool>> {
    let begins_at = state.created.as_ref()?.begins_at.as_ref()?;
    Some(workflow.behind(workflow.step(begins_at)?))
}

/// The step that the run went on from last; of a pipeline one that the stage queued last waited for.
pub fn left<'a>(workflow: &'a Workflow, state: &RunState, index: &Index) -> Option<&'a Step> {
    match (state.routes.last(), index.last()) {
        (Some(route), _) => workflow.step(&route.from.step),
        (None, Some(Way::Flow(flow))) => workflow.flows().get(flow).map(|(from, ..)| *from),
        (None, _) => None,
    }
}

fn was_asked(state: &RunState, step: &Step) -> bool {
    let mut rounds = state.gates.values().flatten();
    rounds.any(|round| round.opened.instance.step == step.id && round.answer.is_none())
}

/// Whether a step counts as done, or as left out, because an imported session says so: nothing of it was done here.
fn is_taken_over(state: &RunState, step: &Step) -> bool {
    state.elsewhere.contains_key(&step.id) && state.visits_of(&step.id).next().is_none()
}

/// What became of a step, in a few words. The rest as of [`overlay`].
fn becomes(state: &RunState, step: &Step, path: &[u32], status: StepStatus, rehearsed: Option<&[bool]>) -> String {
    let said = match status {
        StepStatus::NotStarted if rehearsed.is_some_and(|rehearsed| !rehearsed[step.ordinal]) => "not rehearsed",
        StepStatus::NotStarted if state.status.ended() && state.has_stages() => "did not begin",
        // A person was asked here, and the run went on without an answer.
        StepStatus::NotStarted if state.outcome() == Some(Outcome::Done) && was_asked(state, step) => {
            "passed over without an answer"
        }
        // Of a run that went as it should the way led past it.
        StepStatus::NotStarted if state.outcome() == Some(Outcome::Done) => "not needed",
        StepStatus::NotStarted if state.status.ended() => "not run",
        StepStatus::NotStarted => "not yet",
        StepStatus::Queued if instances::is_answered(state, step, path) => "answered",
        StepStatus::Queued => "queued",
        StepStatus::Running => "running",
        StepStatus::Retrying => "tries again soon",
        StepStatus::Blocked => "waits for a person",
        StepStatus::Succeeded if instances::says_no(state, step, path) => "answered NO",
        StepStatus::Succeeded if is_taken_over(state, step) => "counted as completed, by the session that was imported",
        StepStatus::Succeeded => "done",
        StepStatus::Failed => "failed",
        StepStatus::Refused => match state.refused_at(&step.id, path) {
            Some(refused) => return format!("rejected by {}", words::decider(refused.decision)),
            None => "rejected",
        },
        StepStatus::Skipped if is_taken_over(state, step) => "counted as left out, by the session that was imported",
        StepStatus::Skipped => "skipped",
        StepStatus::Interrupted if instances::is_passed_over(state, step, path) => "passed over without an answer",
        StepStatus::Interrupted if instances::is_left_waiting(state, step, path) => {
            "waited for a person when the run ended"
        }
        StepStatus::Interrupted => "cut off",
    };
    said.to_owned()
}

/// What happened at a step, with its small line: `done · 12 s`, `done · 2 times`. `path`: in this instance of a dynamic step; empty:
/// in all of them. `rehearsed`: see [`rehearsed`].
pub fn overlay(
    workflow: &Workflow,
    state: &RunState,
    step: &Step,
    path: &[u32],
    rehearsed: Option<&[bool]>,
    now: i64,
) -> StepOverlay {
    let status = instances::status(workflow, state, step, path);
    let here = |visit: &&Visit| visit.instance.path.starts_with(path);
    let all = instances::count(state, step, path);
    // What a person refused before anything was done was not done.
    let refused = instances::never_begun(state, &step.id);
    let refused = refused.into_iter().filter(here).count();
    let visits = all.saturating_sub(refused);
    let instances = match path {
        [] => instances::paths(workflow, state, step).len(),
        _ => 0,
    };
    let retry = instances::retry(state, step);
    let mut parts = vec![becomes(state, step, path, status, rehearsed)];
    if let Some(retry) = &retry {
        parts.push(format!("↻ {retry}"));
    }
    let left = instances::nothing_left(workflow, state, step, path).filter(|_| status == StepStatus::Succeeded);
    if let Some(left) = left {
        parts.push(left);
    } else if instances > 1 {
        parts.push(words::count(instances, "repetition", "repetitions"));
    } else if visits > 1 && retry.is_none() {
        parts.push(match status {
            StepStatus::Succeeded => {
                let failed = |visit: &&Visit| here(visit) && has_failed(state, step, visit);
                let failed = instances::visits(state, step).filter(failed).count();
                match failed.saturating_sub(refused) {
                    0 => format!("{visits} times"),
                    failed => format!("{visits} times, {failed} failed"),
                }
            }
            _ => words::nth_time(u32::try_from(visits).unwrap_or(u32::MAX)),
        });
    }
    let at_work = matches!(status, StepStatus::Running | StepStatus::Retrying | StepStatus::Blocked);
    if step.work == Work::Group && at_work && instances <= 1 {
        parts.push(inside(workflow, state, step, path));
    }
    let last = instances::visits(state, step)
        .rfind(here)
        .and_then(|v| v.attempts.last());
    if let Some(last) = last {
        if status == StepStatus::Succeeded {
            parts.extend(last.result.as_deref().and_then(skipped_by));
        }
        if last.started.attempt > 1 {
            parts.push(format!("attempt {}", last.started.attempt));
        }
        let end = last.ended_at.map_or(now, |t| t.0);
        let took = work::took(state, last).unwrap_or_else(|| u64::try_from(end - last.started_at.0).unwrap_or(0));
        let is_told = !matches!(status, StepStatus::Blocked | StepStatus::Retrying | StepStatus::Queued);
        // Where several rounds are counted it would be the time of one of them: each round tells its own.
        if took >= 1000 && is_told && visits <= 1 {
            parts.push(words::duration(took));
        }
    }
    StepOverlay {
        id: step.id.to_string(),
        status: match status {
            StepStatus::Succeeded if is_taken_over(state, step) => Status::Imported,
            status => status::step_status(status),
        },
        words: parts.join(" · "),
        visits: u32::try_from(all).unwrap_or(u32::MAX),
        instances: u32::try_from(instances).unwrap_or(u32::MAX),
        retry,
    }
}

/// `skipped by ann and ben`: of several agents those who left to the others what was done.
fn skipped_by(result: &StepResult) -> Option<String> {
    let skipped = |one: &&AgentResult| one.result.status == ExecutionStatus::Skipped;
    let names = result.agents.iter().filter(skipped);
    let names: Vec<String> = names.map(|one| safe::visible(one.agent.as_str())).collect();
    Some(format!("skipped by {}", people::listed(&names, "and")?))
}

/// Whether a visit came to no good end.
fn has_failed(state: &RunState, step: &Step, visit: &Visit) -> bool {
    let result = visit.attempts.last().and_then(|last| last.result.as_deref());
    result.is_some_and(|result| result.status == ExecutionStatus::Failed)
        && instances::answered_no(state, step, visit).is_none()
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

/// The decisions of a run, as of the last of `events`.
pub struct Routes<'a> {
    /// The version of the workflow that the run keeps.
    pub workflow: &'a Workflow,
    /// Its picture, with the ways that people sent the run.
    pub drawn: &'a Drawn,
    /// The log.
    pub events: Events<'a>,
    /// Its index.
    pub index: &'a Index,
    /// How the run stands after the last of them.
    pub state: &'a RunState,
}

impl Routes<'_> {
    /// Those with a number above this one; of a pipeline the dependencies that were met.
    pub fn after(&self, number: u32) -> Vec<RouteView> {
        if self.workflow.contract().control == Control::Stages {
            let mut routes = dependencies::routes(self.workflow, self.drawn, self.events, &|way| {
                edge_of(self.workflow, self.drawn, way)
            });
            routes.retain(|route| route.number > number);
            return routes;
        }
        let places = number as usize..self.index.routed.len();
        places.filter_map(|place| self.at(place)).collect()
    }

    /// The one at this place, counted from 0; of a pipeline none.
    pub fn at(&self, place: usize) -> Option<RouteView> {
        let stored = self.events.with_seq(*self.index.routed.get(place)?)?;
        let Event::Routed(route) = &stored.event else {
            return None;
        };
        let mut view = self.view(u32::try_from(place + 1).unwrap_or(u32::MAX), stored, route);
        if let Some((fork, joined)) = self.joined(route) {
            view.why = forks::why(self.workflow, fork, joined);
            view.edge_id = forks::bar(self.workflow, self.drawn, fork);
            view.fork = Some(forks::view(self.workflow, self.drawn, self.state, fork));
        }
        if route.branch.is_some() && self.is_join(route) {
            view.why.push_str(" It waits there for the other branches.");
        }
        // What ends is a flow of several: the run goes on with another one.
        if let Some(ended) = self.led_on(route) {
            view.why = format!("{} {}", view.why, log::flow_ended(self.workflow, ended));
            view.to = ended.leads.step().map(|step| words::step_ref(self.workflow, step));
        }
        if let engine::RouteReason::Feedback(ids) = &route.reason {
            view.why.push_str(&feedback::of_route(self.state, ids));
        }
        // The rule says where to; that it went on at all a person has decided.
        if let Some(approval) = self.approval(route, stored.seq) {
            view.why = format!("{approval}. {}", view.why);
            // Whose decision it is stands first; the rest is where it leads.
            if !matches!(
                route.source,
                engine::RouteSource::Person | engine::RouteSource::Escalate
            ) {
                view.source_words = format!("{}; where it leads: {}", reasons::PERSON, view.source_words);
            }
        }
        Some(view)
    }

    /// Whether a decision leads to where branches meet.
    fn is_join(&self, route: &RouteDecision) -> bool {
        let forks = self.workflow.steps().iter().filter_map(|step| match &step.routing {
            Routing::Fork(fork) => fork.join.as_ref(),
            _ => None,
        });
        route.to.is_some() && forks.into_iter().any(|join| Some(join) == route.to.as_ref())
    }

    /// The end of the flow that this decision ended, where another flow followed.
    fn led_on(&self, route: &RouteDecision) -> Option<&engine::FlowEnded> {
        let ended = self.state.flows.iter().rev().find(|ended| ended.from == route.from);
        ended.filter(|_| route.to.is_none()).map(|ended| &**ended)
    }

    fn joined(&self, route: &RouteDecision) -> Option<(&engine::forks::Fork, &engine::Joined)> {
        let fork = forks::joined_by(self.state, route)?;
        Some((fork, &fork.joined.as_ref()?.0))
    }

    fn approval(&self, route: &RouteDecision, before: u64) -> Option<String> {
        let (asked, answered) = self.index.approved(&route.from)?;
        let event = |seq| Some(&self.events.with_seq(seq)?.event);
        match (event(asked)?, event(answered)?) {
            (Event::GateOpened(opened), Event::GateAnswered(decision)) if answered < before => {
                Some(format!("{} approved: “{}”", words::decider(decision), opened.question))
            }
            _ => None,
        }
    }

    fn view(&self, number: u32, stored: &Stored, route: &RouteDecision) -> RouteView {
        let (workflow, drawn) = (self.workflow, self.drawn);
        let (source, source_words) = reasons::source(route);
        RouteView {
            number,
            seq: stored.seq,
            at: stored.at.0,
            from: words::step_ref(workflow, &route.from.step),
            unit: route
                .runbook
                .as_ref()
                .and_then(|moved| moved.unit.as_ref())
                .map(|unit| words::step_ref(workflow, unit)),
            visit: route.from.visit,
            to: route.to.as_ref().map(|to| words::step_ref(workflow, to)),
            edge_id: index::way(workflow, route).and_then(|way| edge_of(workflow, drawn, way)),
            decision: reasons::kind(route).into(),
            headline: reasons::headline(workflow, route),
            why: reasons::why(workflow, route, self.state.is_rehearsal()),
            reason: route.reason.to_string(),
            source: source.into(),
            source_words: source_words.into(),
            looked_at: match route.reason {
                // What was counted stands branch by branch in the fork itself.
                engine::RouteReason::Joined { .. } => Vec::new(),
                _ => words::named(&route.looked_at),
            },
            fork: None,
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
}

/// The drawn edge of a way; `None` when there is none, or when it lies inside a collapsed container.
fn edge_of(workflow: &Workflow, drawn: &Drawn, way: Way) -> Option<String> {
    match way {
        Way::Flow(flow) => drawn.edges.get(flow)?.clone(),
        Way::Sent(..) | Way::Reported(..) => {
            let (_, _, _, id) = sent_edge(workflow, drawn, way)?;
            drawn.drawing.edges.iter().any(|edge| edge.id == id).then_some(id)
        }
    }
}

/// Between which boxes a way is drawn that the run was sent, as what, and its id; `None` inside a collapsed container.
fn sent_edge(workflow: &Workflow, drawn: &Drawn, way: Way) -> Option<(usize, usize, EdgeKind, String)> {
    let (from, to, kind, word) = match way {
        Way::Flow(_) => return None,
        Way::Sent(from, to) => (from, to, EdgeKind::Sent, "sent"),
        Way::Reported(from, to) => (from, to, EdgeKind::Feedback, "feedback"),
    };
    let step = |ordinal: usize| workflow.steps().get(ordinal);
    let (start, end) = (shown(workflow, drawn, step(from)?)?, shown(workflow, drawn, step(to)?)?);
    let is_hidden = start == end && (start != from || end != to);
    (!is_hidden).then(|| (start, end, kind, format!("{start}-{end}-{word}")))
}

/// The picture with the ways that the run was sent and the workflow does not draw: else their numbers would be missing from it.
pub fn with_sent(workflow: &Workflow, drawn: Arc<Drawn>, index: &Index) -> Arc<Drawn> {
    if index.sent.is_empty() {
        return drawn;
    }
    let mut drawn = Arc::unwrap_or_clone(drawn);
    for way in &index.sent {
        let Some((start, end, kind, id)) = sent_edge(workflow, &drawn, *way) else {
            continue;
        };
        if drawn.drawing.edges.iter().all(|edge| edge.id != id) {
            model::layout::add_sent(&mut drawn.drawing, id, kind, &start.to_string(), &end.to_string());
        }
    }
    Arc::new(drawn)
}

/// The ordinal of the step that is drawn for this one: itself, or the collapsed container around it.
fn shown(workflow: &Workflow, drawn: &Drawn, step: &Step) -> Option<usize> {
    let mut at = step;
    while drawn.steps.binary_search(&at.ordinal).is_err() {
        at = workflow.container(at)?;
    }
    Some(at.ordinal)
}

/// What happened on each edge, in the drawing's order; of the decisions that took it those with a number above `after`. `touched`: only
/// on those that were taken by them, and those of which something else may be said because of these steps.
pub fn edges(
    workflow: &Workflow,
    drawn: &Drawn,
    index: &Index,
    state: &RunState,
    after: u32,
    touched: Option<&BTreeSet<usize>>,
) -> Vec<EdgeOverlay> {
    let mut taken: HashMap<String, Vec<u32>> = HashMap::new();
    for pass in index.passes(after) {
        if let Some(edge) = edge_of(workflow, drawn, pass.way) {
            taken.entry(edge).or_default().push(pass.number);
        }
    }
    let flows = workflow.flows();
    let lines = || (drawn.edges.iter().enumerate()).filter_map(|(flow, edge)| Some((flow, edge.as_deref()?)));
    let wanted = touched.map(|touched| {
        // Whether a dependency is still waited for is said of every one that is waited for with it.
        let of = flows.iter().filter(|(from, ..)| touched.contains(&from.ordinal));
        let led_to: HashSet<usize> = of.map(|(_, to, _)| to.ordinal).collect();
        let changes = |(from, to, flow): (&Step, &Step, &Flow)| {
            let steps = [from.ordinal, to.ordinal];
            flow.kind == FlowKind::Loop || steps.iter().any(|at| touched.contains(at)) || led_to.contains(&to.ordinal)
        };
        let mut wanted: HashSet<&str> = taken.keys().map(String::as_str).collect();
        wanted.extend(lines().filter(|(flow, _)| changes(flows[*flow])).map(|(_, edge)| edge));
        wanted
    });
    let is_wanted = |edge: &str| wanted.as_ref().is_none_or(|wanted| wanted.contains(edge));
    let mut flow_of: HashMap<&str, usize> = HashMap::new();
    let mut ever: HashSet<&str> = HashSet::new();
    for (flow, edge) in lines().filter(|(_, edge)| is_wanted(edge)) {
        flow_of.entry(edge).or_insert(flow);
        if index.often.contains_key(&Way::Flow(flow)) {
            ever.insert(edge);
        }
    }
    let drawn = drawn.drawing.edges.iter().filter(|edge| is_wanted(&edge.id));
    drawn
        .map(|edge| {
            let flow = flow_of.get(edge.id.as_str()).map(|flow| flows[*flow]);
            EdgeOverlay {
                id: edge.id.clone(),
                why_not: flow
                    .filter(|_| !ever.contains(edge.id.as_str()))
                    .and_then(|flow| dependencies::why_not(workflow, state, flow)),
                taken: taken.get(&edge.id).cloned().unwrap_or_default(),
                loop_badge: flow_of.get(edge.id.as_str()).and_then(|&flow| {
                    let often = index.often.get(&Way::Flow(flow)).copied().unwrap_or(0);
                    badge(flows[flow], often, state)
                }),
            }
        })
        .collect()
}

/// How often a loop, or a retry, was taken, and how often it may be: `1/5`. `often`: in the whole run.
fn badge((from, to, flow): (&Step, &Step, &Flow), often: u32, state: &RunState) -> Option<String> {
    let max = flow.max_iterations.filter(|_| flow.kind == FlowKind::Loop)?;
    let taken = match from.routing {
        // A runbook forgets its retries once it has gone on; of several instances nobody can say then which is meant.
        Routing::Transitions { .. } => match state.frame.retries.get(&from.id) {
            Some(taken) => *taken,
            None if often <= max => often,
            None => return None,
        },
        _ => {
            let taken = state.loop_state.get(&format!("{}:{}", from.id, to.id));
            taken.copied().unwrap_or(0)
        }
    };
    Some(format!("{taken}/{max}"))
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
    let untrusted = |otherwise: Option<Refused>| match around.trusted {
        true => otherwise,
        false => refused(
            RefusalCode::NotTrusted,
            "You have not said that you trust who made this project: nothing of it runs.",
        ),
    };
    let drive = if ended {
        over()
    } else if !around.trusted {
        untrusted(None)
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
        entry(RunAction::Resume, if ended { resume } else { untrusted(resume) }),
        entry(RunAction::Abort, if ended { over() } else { None }),
        entry(RunAction::Drive, drive),
    ];
    if let Some(reopening) = reopening(workflow, state) {
        let reopen = reopening.err().map(|message| Refused {
            code: RefusalCode::CannotReopen,
            message,
        });
        all.push(entry(RunAction::Reopen, untrusted(reopen)));
    }
    all
}

/// Whether a run can be gone on with after its end, or why not, in words; `None`: no run of its format can.
pub fn reopening(workflow: &Workflow, state: &RunState) -> Option<Result<(), String>> {
    let refused = |why: &str| Err(why.to_owned());
    let way = workflow.contract().reopening;
    Some(match (way, state.status) {
        (Reopening::Never, _) => return None,
        (_, status) if !status.ended() => refused("The run has not ended."),
        (Reopening::AtOpenStep | Reopening::WhereItStood, _) => ahead::taken_up(workflow, state, None, None).map(drop),
        (Reopening::ByStage, RunStatus::Ended(EndStatus::Succeeded)) => {
            refused("Every stage is completed: there is nothing left to resume.")
        }
        // What failed may have been skipped by a person meanwhile.
        (Reopening::ByStage, RunStatus::Ended(EndStatus::CompletedWithFailures))
            if pipeline::present::choices(workflow, state).is_empty() =>
        {
            refused("No stage is left that failed or was cut off.")
        }
        (Reopening::ByStage, _) => Ok(()),
    })
}

/// The run as a row of a table.
pub fn row(
    row: &store::RunRow,
    seen: Option<(&Workflow, &RunState)>,
    refused: Option<OutcomeView>,
    created: Option<&RunCreated>,
    subject: Option<String>,
) -> RunRowView {
    // The list of runs keeps one word: of one that waits and is paused its log says both.
    let status = match seen {
        Some((_, state)) if state.paused && row.status == StatusWord::Blocked => Status::Paused,
        _ => status_of_word(row.status),
    };
    let words = match (seen, &refused, row.status) {
        (Some((w, s)), ..) => status::run_status_words(w, s),
        (_, Some(refused), StatusWord::Refused) => refused.words.clone(),
        (_, _, StatusWord::Stopped) => status::stopped(row.error.as_deref()),
        (_, _, StatusWord::Aborted) => status::aborted(row.error.as_deref()),
        _ => word_in_words(row.status).into(),
    };
    let (words, refused) = match refused {
        Some(before) if row.status != StatusWord::Refused => (words + &status::all_the_same(&before), None),
        refused => (words, refused),
    };
    let ended = row
        .status
        .ended()
        .then(|| refused.unwrap_or_else(|| status::ended_as(status, &words)));
    RunRowView {
        run_id: row.run.to_string(),
        workflow_title: row.title.clone(),
        workflow_path: row.path.clone(),
        subject,
        status,
        status_words: words,
        altered: false,
        outcome: ended,
        created_at: row.created_at.0,
        ended_at: row.ended_at.map(|t| t.0),
        duration_ms: lasted(row, row.last_at.0),
        loops: row.loops,
        gates: row.gates_asked,
        executed: row.executed,
        by: row.by.clone(),
        initiator: row.initiator.clone(),
        continues: created.and_then(|c| c.continues.as_deref()).map(status::continues),
        rehearsal: created.is_some_and(RunCreated::is_rehearsal),
        scenario: created.and_then(|c| c.scenario.as_ref()).map(|s| s.name.clone()),
        error: row.error.clone(),
    }
}

/// How long a run took; one that has not ended: until `now`, or its last event where nobody carries it on. In milliseconds.
pub fn lasted(row: &store::RunRow, now: i64) -> u64 {
    let end = row.ended_at.map_or(now, |t| t.0);
    u64::try_from(end - row.created_at.0).unwrap_or(0)
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
        StatusWord::Imported => Status::Imported,
    }
}

/// The same in words.
pub fn word_in_words(word: StatusWord) -> &'static str {
    match word {
        StatusWord::New => "not started",
        StatusWord::Running => "running",
        StatusWord::Blocked => "waits for a decision",
        StatusWord::Paused => "paused",
        StatusWord::Succeeded => status::end(EndStatus::Succeeded),
        StatusWord::Failed => status::end(EndStatus::Failed),
        StatusWord::Aborted => status::end(EndStatus::Aborted),
        StatusWord::CompletedWithFailures => status::end(EndStatus::CompletedWithFailures),
        StatusWord::Refused => "rejected",
        StatusWord::Stopped => status::end(EndStatus::Stopped),
        StatusWord::Imported => status::IMPORTED,
    }
}
