//! One step of a run, as of an event.

use crate::evidence::present::OnDisk;
use crate::gate::{self, decisions};
use crate::run::view::{
    AgentWorkView, AttemptView, ChildRunView, FileView, InsideView, InstanceView, RefusedVisit, RouteView, StepDetail,
    TranscriptLine, VisitView,
};
use crate::run::{crew, instances, lifecycle, present, scores, status, work};
use crate::text::{artifact, safe};
use crate::view::Status;
use crate::workflow::{self, prose};
use crate::{evidence, words};
use engine::{AttemptStarted, Digest, EndedInside, Event, ExecutionStatus, GateRound, Instance, RunState, StepResult};
use history::Events;
use model::{GateAt, Step, Work, Workflow};
use serde_json::Value;

/// Gives the bytes of a blob, when they are there.
pub type Blobs<'a> = &'a dyn Fn(&Digest) -> Option<Vec<u8>>;

/// Gives the receipts of an attempt, each with whose it is.
pub type Receipts<'a> = &'a dyn Fn(&Instance, u32) -> Vec<(String, FileView)>;

/// Most of what a running attempt has printed that is shown, bytes: its end.
const TAIL: usize = 64 << 10;

/// So many visits are told at once, and so many instances before and behind the one that is shown: what a step has done in a long run is
/// asked for by piece.
const MOST: usize = 20;

/// What a step's inspector is made from.
pub struct Material<'a> {
    /// The workflow in the version the run kept.
    pub workflow: &'a Workflow,
    /// The log, up to the event looked at.
    pub events: Events<'a>,
    /// Its fold.
    pub state: &'a RunState,
    /// The route at a place among all of the run.
    pub route: &'a dyn Fn(usize) -> Option<RouteView>,
    /// The moment looked at.
    pub now: i64,
    /// Blobs.
    pub blobs: Blobs<'a>,
    /// Finds the receipts of an attempt, with whose each is, among the files of the run directory.
    pub receipts: Receipts<'a>,
    /// The runs that carry out a visit of a step.
    pub children: &'a dyn Fn(&engine::Visit) -> Vec<ChildRunView>,
    /// The project's files as they are now.
    pub on_disk: OnDisk<'a>,
    /// Looks at a decision's signature.
    pub signatures: decisions::Signatures<'a>,
}

/// What the step's inspector shows; `path`: of which instance of a dynamic step, absent: of the one that was entered last; `until`: the
/// number of the last visit, absent: of the latest.
pub fn detail(m: &Material<'_>, step: &Step, path: Option<&[u32]>, until: Option<u32>) -> StepDetail {
    let paths = instances::paths(m.workflow, m.state, step);
    let path = match path {
        Some(path) => path.to_vec(),
        None => latest(m, step).unwrap_or_default(),
    };
    let overlay = present::overlay(
        m.workflow,
        m.state,
        step,
        &path,
        present::rehearsed(m.workflow, m.state).as_deref(),
        m.now,
    );
    let page = instances::page(m.state, step, &path, until, MOST);
    let number = |visit: &engine::Visit| visit.instance.visit;
    let earlier = page.before.map(number);
    let later = page.behind.map(number);
    // What was asked before a visit begins belongs to it already: the last ones have no end.
    let shown = |visit: u32| {
        let last = page.visits.last().copied().map(number);
        earlier.is_none_or(|earlier| visit > earlier) && (later.is_none() || last.is_none_or(|last| visit <= last))
    };
    let scored = page.before.into_iter().chain(page.visits.iter().copied());
    // The one before them only tells what the first of them changed.
    let before = scores::of_visits(m.state, page.before.into_iter()).len();
    let scores = scores::of_visits(m.state, scored).split_off(before);
    let open = m.state.open_gates();
    let asked = || {
        open.iter()
            .copied()
            .filter(|round| round.opened.instance.step == step.id)
    };
    let here = |visit: &&engine::Visit| one_visit(m, &visit.instance, Some(*visit), asked());
    let visits = page.visits.iter().rev().map(here);
    // Behind the last visit stands the one that begins with an answer.
    let to_begin = asked()
        .map(|round| &round.opened.instance)
        .filter(|at| page.behind.is_none() && at.path.starts_with(&path) && m.state.visit(at).is_none())
        .map(|at| one_visit(m, at, None, asked()));
    let created = m.state.created.as_deref();
    StepDetail {
        step: words::in_run(m.workflow, created, words::of_step(step)),
        intent: step
            .intent
            .as_deref()
            .map(|intent| engine::gate::filled(m.workflow, created, intent)),
        intent_html: prose::intent_html(m.workflow, step),
        status: overlay.status,
        words: overlay.words,
        kind: workflow::drawing::kind(step),
        phase: step.phase.clone(),
        instances: around(&paths, &path)
            .iter()
            .map(|path| instance(m, step, path))
            .collect(),
        instances_in_all: u32::try_from(paths.len()).unwrap_or(u32::MAX),
        inside: m.workflow.children(step).map(|inside| held(m, inside, &path)).collect(),
        command: workflow::drawing::command(step),
        visits: to_begin.chain(visits).collect(),
        earlier,
        later,
        waiting: asked().find_map(|round| gate::present::waits(m.workflow, m.state, round, None)),
        decisions: decisions::of_visits(
            m.workflow,
            m.state,
            |at| at.step == step.id && at.path.starts_with(&path) && shown(at.visit),
            m.signatures,
        ),
        scores,
        run_ended_before: overlay.status == Status::NotStarted && m.state.status.ended(),
        path,
    }
}

/// Those around one of them, itself among them.
fn around<'a>(paths: &'a [Vec<u32>], path: &[u32]) -> &'a [Vec<u32>] {
    let at = paths.partition_point(|other| other.as_slice() < path);
    &paths[at.saturating_sub(MOST)..paths.len().min(at + 1 + MOST)]
}

/// The instance that the run was in last.
fn latest(m: &Material<'_>, step: &Step) -> Option<Vec<u32>> {
    let depth = instances::depth(m.workflow, step);
    if depth == 0 {
        return None;
    }
    let here = |other: &model::StepId| {
        let mut at = m.workflow.step(other);
        while let Some(one) = at {
            if one.id == step.id {
                return true;
            }
            at = m.workflow.container(one);
        }
        false
    };
    let waits = m.state.waiting().map(|round| &round.opened.instance);
    let now = waits.filter(|instance| here(&instance.step)).map(|i| i.path.clone());
    let before = || {
        let visits = m
            .state
            .steps
            .iter()
            .filter(|(id, _)| here(id))
            .flat_map(|(_, s)| &s.visits);
        visits
            .max_by_key(|visit| visit.number)
            .map(|visit| visit.instance.path.clone())
    };
    now.or_else(before)?.get(..depth).map(<[u32]>::to_vec)
}

fn instance(m: &Material<'_>, step: &Step, path: &[u32]) -> InstanceView {
    let overlay = present::overlay(
        m.workflow,
        m.state,
        step,
        path,
        present::rehearsed(m.workflow, m.state).as_deref(),
        m.now,
    );
    InstanceView {
        path: path.to_vec(),
        label: crate::gate::asking::instance(path).unwrap_or_default(),
        status: overlay.status,
        words: overlay.words,
    }
}

fn held(m: &Material<'_>, step: &Step, path: &[u32]) -> InsideView {
    let rehearsed = present::rehearsed(m.workflow, m.state);
    let overlay = present::overlay(m.workflow, m.state, step, path, rehearsed.as_deref(), m.now);
    InsideView {
        step: words::of_step(step),
        status: overlay.status,
        words: overlay.words,
    }
}

/// A visit; without one: that which begins when a person has answered. `asked`: the rounds that wait at its step.
fn one_visit<'a>(
    m: &Material<'_>,
    instance: &Instance,
    visit: Option<&engine::Visit>,
    mut asked: impl Iterator<Item = &'a GateRound>,
) -> VisitView {
    let attempts = visit.into_iter().flat_map(|visit| visit.attempts.iter().rev());
    let round = asked.find(|round| round.opened.instance == *instance);
    let time = instances::times(m.state, instance);
    VisitView {
        visit: instance.visit,
        time: (time != instance.visit).then_some(time),
        waiting: round.and_then(|round| gate::present::waits(m.workflow, m.state, round, None)),
        children: visit.map(m.children).unwrap_or_default(),
        attempts: attempts.map(|a| attempt(m, a, instance)).collect(),
        refused: visit.and_then(|visit| refused(m.state, visit)),
        route: visit.and_then(|visit| visit.left_by).and_then(m.route),
        evidence: recorded(m, instance),
    }
}

/// What a person said last who did not take what a visit came to.
pub fn refused(state: &RunState, visit: &engine::Visit) -> Option<RefusedVisit> {
    let here = &visit.instance;
    let gates = state.gates.values();
    let own = gates.filter(|rounds| {
        rounds
            .front()
            .is_some_and(|first| first.opened.instance.step == here.step)
    });
    // From the latest on, and no further than this visit: a step may have been asked about thousands of times.
    let rounds = own.flat_map(|rounds| {
        let since = rounds.iter().rev();
        since.take_while(|round| round.opened.instance.path != here.path || round.opened.instance.visit >= here.visit)
    });
    let after = rounds.filter(|round| round.opened.instance == *here && round.opened.at == GateAt::After);
    let answered = after.filter_map(|round| round.answer.as_ref());
    let (decision, _) = answered.max_by_key(|(_, at)| *at)?;
    Some(RefusedVisit {
        status: Status::Refused,
        words: words::not_taken(decision)?,
    })
}

/// The evidence that a visit recorded.
fn recorded(m: &Material<'_>, instance: &Instance) -> Vec<crate::evidence::view::EvidenceView> {
    let of = evidence::present::Of {
        workflow: m.workflow,
        state: m.state,
        now: m.now,
        on_disk: m.on_disk,
    };
    let held = m.state.evidence.iter().filter(|held| held.instance == *instance);
    held.map(|held| evidence::present::view(&of, held)).collect()
}

fn is_own(workflow: &Workflow, instance: &Instance, command: &str) -> bool {
    let step = workflow.step(&instance.step);
    step.is_some_and(|step| matches!(&step.work, Work::Command { script, .. } if script == command))
}

/// What an attempt printed, from the pieces in the log, and nothing that was said of it; at most the last [`TAIL`] bytes, and whether that is all.
fn printed(events: Events<'_>, of: &Instance, attempt: u32) -> (String, bool) {
    let mut pieces: Vec<&str> = Vec::new();
    let mut bytes = 0;
    for e in events.iter().rev() {
        match &e.event {
            Event::Output {
                instance,
                attempt: number,
                stream,
                text,
            } if instance == of && *number == attempt && stream != engine::REMARKS => {
                pieces.push(text);
                bytes += text.len();
                if bytes > TAIL {
                    break;
                }
            }
            Event::AttemptStarted(started) if started.instance == *of && started.attempt == attempt => break,
            _ => {}
        }
    }
    let text: String = pieces.into_iter().rev().collect();
    let cut = text.len().saturating_sub(TAIL);
    let from = (cut..=text.len())
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len());
    (safe::plain(&text[from..]), bytes > TAIL)
}

/// The model that answered, as it was reported; else the one that was asked for; empty: none.
fn model_of(result: Option<&engine::StepResult>, engine: &engine::EngineInfo) -> String {
    let answered = result.and_then(|result| result.answered.as_ref());
    match (answered, &engine.wants) {
        (Some(answered), _) => safe::visible(&answered.model),
        (None, Some(wants)) => format!("asked for {}", safe::visible(&wants.model)),
        (None, None) => Some(engine.model.as_str())
            .filter(|model| *model != "none")
            .map(safe::visible)
            .unwrap_or_default(),
    }
}

/// How an attempt stands.
pub fn attempt_status(state: &RunState, a: &engine::state::AttemptState, instance: &Instance) -> Status {
    // Not carried out, because what it wanted to do was not permitted: the last attempt is what was asked about.
    let last = state.visit(instance).and_then(|visit| visit.attempts.last());
    let is_last = last.is_some_and(|last| last.started.attempt == a.started.attempt);
    let refused = is_last && state.rejections.iter().any(|rejection| rejection.instance == *instance);
    let inside = a.result.as_deref().and_then(|result| result.ended_inside.as_deref());
    match (a.result.as_deref().map(|r| r.status), &a.interrupted) {
        // A person refused in the run that carried it out.
        (Some(ExecutionStatus::Failed), _) if matches!(inside, Some(EndedInside::Refused(_))) => Status::Refused,
        (Some(ExecutionStatus::Failed | ExecutionStatus::Blocked), _) if refused => Status::Refused,
        // It stopped to ask, and was answered: another attempt went on with it.
        (Some(ExecutionStatus::Blocked), _) if !is_last => Status::Paused,
        (Some(status), _) => status_of(status),
        (None, Some(_)) => Status::Aborted,
        (None, None) => Status::Running,
    }
}

fn attempt(m: &Material<'_>, a: &engine::state::AttemptState, instance: &Instance) -> AttemptView {
    let result = a.result.as_deref();
    let visit = m.state.visit(instance);
    let answered_no = visit
        .zip(m.workflow.step(&instance.step))
        .and_then(|(visit, step)| instances::answered_no(m.state, step, visit))
        .map(words::answered_no);
    let (output, output_from_end) = match (&answered_no, result) {
        (Some(said), _) => (said.clone(), false),
        (None, Some(result)) => (safe::plain(&result.output), false),
        // What it printed stands before its end.
        (None, None) => {
            let until = a.ended_at.map_or(m.events.len(), |end| m.events.count(|e| e.at <= end));
            printed(m.events.prefix(until), instance, a.started.attempt)
        }
    };
    let engine = &a.started.engine;
    let receipts = (m.receipts)(instance, a.started.attempt);
    let around = a.around();
    let made = result.map_or(&[][..], |r| &r.artifacts);
    AttemptView {
        attempt: a.started.attempt,
        status: match answered_no {
            Some(_) => Status::Done,
            None => attempt_status(m.state, a, instance),
        },
        agent: crew::whose(&a.started),
        engine: words::by_engine(engine).to_owned(),
        // A command that stands in the step itself is shown there.
        model: if engine.command.is_empty() || is_own(m.workflow, instance, &engine.command) {
            model_of(result, engine)
        } else {
            safe::visible_text(&engine.command)
        },
        started_at: work::began(m.state, a).0,
        ended_at: a.ended_at.map(|t| t.0),
        duration_ms: work::took(m.state, a),
        error: around
            .and_then(|around| around.asks.as_ref())
            .map(|ask| format!("A person must allow the tool {} first.", safe::visible(&ask.tool)))
            .or_else(|| {
                result
                    .and_then(|r| r.error.as_deref())
                    .or(a.interrupted.as_deref())
                    .map(|error| safe::plain(&status::refused_in(error)))
            })
            .filter(|_| answered_no.is_none()),
        output,
        output_from_end,
        whole_output: result.and_then(|r| r.whole_output.as_ref()).map(ToString::to_string),
        report: result.map(|r| words::reported(&r.report)).unwrap_or_default(),
        tokens: result.map_or((0, 0, 0), |r| (r.tokens.prompt, r.tokens.completion, r.tokens.total)),
        comments: a.started.comments.clone(),
        artifacts: result
            .map(|r| {
                r.artifacts
                    .iter()
                    .map(|made| artifact::view(made, m.blobs, None, false))
                    .collect()
            })
            .unwrap_or_default(),
        tools: result
            .map(|r| r.tools.iter().map(|t| (t.tool.clone(), t.success)).collect())
            .unwrap_or_default(),
        agents: result.map(|r| workers(m, r, &a.started, &receipts)).unwrap_or_default(),
        receipt: receipts.into_iter().next().map(|(_, receipt)| receipt),
        transcript: result
            .into_iter()
            .flat_map(|r| std::iter::once(r).chain(r.agents.iter().map(|one| &one.result)))
            .filter_map(|r| r.transcript.as_ref())
            .filter_map(m.blobs)
            .flat_map(|bytes| transcript(&String::from_utf8_lossy(&bytes)))
            .collect(),
        brought_in: around
            .map(|a| {
                a.brought_in
                    .iter()
                    .map(|file| lifecycle::brought_in(m.workflow, file))
                    .collect()
            })
            .unwrap_or_default(),
        not_as_approved: around
            .map(|a| {
                a.not_as_approved
                    .iter()
                    .map(|file| lifecycle::not_as_approved(m.state, file))
                    .collect()
            })
            .unwrap_or_default(),
        unkept: around
            .map(|a| a.unkept.iter().map(lifecycle::unkept).collect())
            .unwrap_or_default(),
        unmade: around
            .map(|a| a.unmade.iter().map(|path| lifecycle::unmade(m.state, path)).collect())
            .unwrap_or_default(),
        unchanged: around
            .map(|a| lifecycle::unchanged(m.state, instance, a, made))
            .unwrap_or_default(),
        calls: around
            .map(|a| lifecycle::tools(m.state, instance, &a.calls))
            .unwrap_or_default(),
        guardrails: around
            .map(|a| {
                a.guardrails
                    .iter()
                    .map(|report| lifecycle::guardrail(m.state, report, made))
                    .collect()
            })
            .unwrap_or_default(),
        context: around.and_then(|a| a.context.as_ref()).and_then(lifecycle::context),
        validation: around
            .and_then(|a| a.validation.as_ref())
            .map(|of| lifecycle::validation(m.state, of)),
    }
}

/// What each of several agents did.
fn workers(
    m: &Material<'_>,
    result: &StepResult,
    started: &AttemptStarted,
    receipts: &[(String, FileView)],
) -> Vec<AgentWorkView> {
    let each = crew::parts(m.events, started, result).into_iter().map(|part| {
        let own = part.own.map(|own| &own.result);
        let of_whole = own.unwrap_or(result);
        AgentWorkView {
            agent: part.name,
            engine: words::by_engine(started.engine_of(part.agent)).to_owned(),
            status: match part.began {
                true => status_of(of_whole.status),
                false => Status::NotStarted,
            },
            words: part.words,
            duration_ms: if part.began { of_whole.duration_ms } else { 0 },
            // What is said of the attempt as a whole stands there.
            error: own.and_then(|own| own.error.as_deref()).map(safe::plain),
            report: own.map(|own| words::named(&own.report)).unwrap_or_default(),
            receipt: receipts
                .iter()
                .find(|(agent, _)| agent == part.agent.as_str())
                .map(|(_, receipt)| receipt.clone()),
        }
    });
    each.collect()
}

fn status_of(status: ExecutionStatus) -> Status {
    match status {
        ExecutionStatus::Succeeded => Status::Done,
        ExecutionStatus::Failed => Status::Failed,
        ExecutionStatus::Skipped => Status::Skipped,
        ExecutionStatus::Blocked => Status::Blocked,
    }
}

fn transcript(text: &str) -> Vec<TranscriptLine> {
    text.lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .map(|line| {
            let text = |key: &str| line.get(key).and_then(Value::as_str).map(str::to_owned);
            let content = match (line.get("content"), line.get("tool")) {
                (Some(Value::String(text)), _) => text.clone(),
                (Some(other), _) => other.to_string(),
                (None, Some(tool)) => {
                    let rest = line.get("input").or_else(|| line.get("output"));
                    format!("{} {}", words::value(tool), rest.map(words::value).unwrap_or_default())
                }
                (None, None) => String::new(),
            };
            TranscriptLine {
                timestamp: text("timestamp").unwrap_or_default(),
                role: text("role").or_else(|| text("type")).unwrap_or_default(),
                content,
            }
        })
        .collect()
}
