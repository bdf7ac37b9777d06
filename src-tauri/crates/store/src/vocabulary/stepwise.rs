//! The words of seed 001 ("Event Kinds"), as `events.jsonl` holds them: `{run_id, ts, kind, flow_key, step_id,
//! agent_key, payload, seq, event_id}`, and no kind and no status that the contract and its family do not know.
//!
//! `step_start` and its `step_end` or `step_error` pair per execution, that is per visit of a step: attempts in between
//! have no kind here (each has its receipt). Gates and pauses have none either, nor has an attempt that only asked for
//! a tool's approval: its execution goes on.

use crate::by_people::ByPeople;
use crate::facts::role;
use crate::timestamp::Clock;
use crate::{Facts, Stored, rfc3339};
use engine::doer::engines_of;
use engine::{
    At, AttemptStarted, EndStatus, Event, ExecutionStatus, Instance, RouteKind, RouteReason, RouteSource, RunCreated,
    RunId, RunStatus, StepResult, ToolUse,
};
use model::StepId;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A rendering in progress.
#[derive(Debug)]
pub struct Renderer {
    run: RunId,
    facts: Facts,
    created: Option<Arc<RunCreated>>,
    /// Nothing of it happens for real: the payload of every line says so.
    rehearsal: bool,
    /// Executions that have started and not ended.
    open: BTreeMap<Instance, Execution>,
    /// First agent of each step's latest execution.
    agents: BTreeMap<String, Option<String>>,
    by_people: ByPeople,
    loop_state: BTreeMap<String, u32>,
    seq: u64,
    clock: Clock,
}

#[derive(Debug)]
struct Execution {
    started_at: At,
    agent: Option<String>,
    engine: engine::EngineKind,
    attempts: u32,
    /// Of what people carry out: how long they did.
    by_people_ms: Option<u64>,
    /// How long nobody was at work on it, because the program that drove the run had died.
    idle_ms: u64,
}

impl Execution {
    /// How long it was under way by then, behind the time of the people whose work it takes up.
    fn stretch(&self, until: At) -> u64 {
        let stretch = until.since_ms(self.started_at).saturating_sub(self.idle_ms);
        stretch.saturating_add(self.by_people_ms.unwrap_or(0))
    }
}

/// Where a line belongs.
struct Subject<'a> {
    at: At,
    step: Option<&'a str>,
    agent: Option<&'a str>,
}

/// The contract's word for who decided. It has none for a person, who is no navigator: `person` says what is true.
pub fn source_word(source: RouteSource) -> &'static str {
    match source {
        RouteSource::FastPath => "fast_path",
        RouteSource::Deterministic => "deterministic",
        RouteSource::Person => "person",
        RouteSource::Navigator => "navigator",
        RouteSource::NavigatorDetour => "navigator:detour",
        RouteSource::EnvelopeFallback => "envelope_fallback",
        RouteSource::Escalate => "escalate",
    }
}

/// The contract's word for what a decision does.
pub fn decision_word(decision: RouteKind) -> &'static str {
    match decision {
        RouteKind::Advance => "advance",
        RouteKind::Loop => "loop",
        RouteKind::Terminate => "terminate",
    }
}

/// The family's word for how a run stands: `pending`, `running`, `paused` (it waits for a person, or somebody paused
/// it), `succeeded`, `failed`, `canceled`. There is none for a run that came to its end with failures, and it did not
/// succeed.
pub fn status_word(status: RunStatus) -> &'static str {
    match status {
        RunStatus::New | RunStatus::Imported => "pending",
        RunStatus::Running => "running",
        RunStatus::Blocked | RunStatus::Paused => "paused",
        RunStatus::Ended(EndStatus::Succeeded) => "succeeded",
        RunStatus::Ended(EndStatus::Failed | EndStatus::CompletedWithFailures | EndStatus::Stopped) => "failed",
        RunStatus::Ended(EndStatus::Aborted) => "canceled",
    }
}

/// `backend` of `run_created`: the default engine, orchestrated. Where that does nothing by itself, the first one that does: a run that is
/// for real is no stub's. Where nobody is bound, as in most runbooks, it is what carries the first of its own steps out that does anything.
pub(crate) fn backend(created: &RunCreated, facts: &Facts) -> String {
    let default = created.engines.iter().find(|(agent, _)| agent.as_str() == "*");
    let mut engines = default.into_iter().chain(&created.engines).map(|(_, one)| &one.engine);
    let first = engines.clone().next();
    let works = engines.find(|engine| **engine != engine::EngineKind::Stub);
    let own = || {
        let mut each = facts.steps().map(|step| engines_of(step, created).0.engine);
        each.find(|engine| *engine != engine::EngineKind::Stub)
    };
    let engine = works.cloned().or_else(own).or(first.cloned());
    let engine = engine.unwrap_or(engine::EngineKind::Stub);
    format!("{engine}-orchestrator")
}

impl Renderer {
    /// A rendering of one run from its first event on.
    pub fn new(run: &RunId, facts: Facts) -> Self {
        Self {
            run: run.clone(),
            facts,
            created: None,
            rehearsal: false,
            open: BTreeMap::new(),
            agents: BTreeMap::new(),
            by_people: ByPeople::default(),
            loop_state: BTreeMap::new(),
            seq: 0,
            clock: Clock::default(),
        }
    }

    /// The lines of the next event.
    pub fn push(&mut self, stored: &Stored) -> Vec<Value> {
        let at = stored.at;
        let by_people = self.by_people.push(stored);
        let run_level = Subject {
            at,
            step: None,
            agent: None,
        };
        match &stored.event {
            Event::RunCreated(created) => {
                self.created = Some(Arc::clone(created));
                self.rehearsal = created.is_rehearsal();
                let payload = json!({
                    "flows": created.flow_keys(),
                    "backend": backend(created, &self.facts),
                    "initiator": created.initiator,
                    "stepwise": true,
                });
                vec![self.line(&run_level, "run_created", payload)]
            }
            Event::RunStarted => {
                vec![self.line(
                    &run_level,
                    "run_started",
                    json!({"mode": "stepwise", "routing_enabled": true}),
                )]
            }
            Event::AttemptStarted(started) => self.attempt_started(at, started, by_people),
            Event::AttemptEnded {
                instance,
                result,
                retry_at,
                ..
            } => {
                let mut out = self.tools(at, instance, result);
                if retry_at.is_none() && result.status != ExecutionStatus::Blocked {
                    out.extend(self.execution_ended(at, instance, result));
                }
                out
            }
            Event::AttemptInterrupted {
                instance,
                reason,
                retry_at,
                seen,
                ..
            } => {
                if let (Some(execution), Some(seen)) = (self.open.get_mut(instance), seen) {
                    execution.idle_ms = execution.idle_ms.saturating_add(at.since_ms(*seen));
                }
                match retry_at {
                    Some(_) => Vec::new(),
                    None => self.cut_off(at, instance, reason).into_iter().collect(),
                }
            }
            Event::Routed(route) => {
                self.loop_state.clone_from(&route.loop_state);
                let own = |step: &StepId| self.in_flow(Some(step.as_str())).1.map(ToOwned::to_owned);
                let mut payload = json!({
                    "from_step": own(&route.from.step),
                    "to_step": route.to.as_ref().and_then(own),
                    "reason": route.reason,
                    "loop_state": self.loops_of(&route.from.step),
                    "routing_source": source_word(route.source),
                });
                if let (Some(branch), Some(payload)) = (route.branch, payload.as_object_mut()) {
                    payload.insert("branch".to_owned(), json!(branch.to_string()));
                }
                if let (RouteReason::Joined { .. }, Some(payload)) = (&route.reason, payload.as_object_mut()) {
                    payload.insert("join".to_owned(), json!(route.looked_at));
                }
                let step = route.from.step.as_str();
                let agent = self.agents.get(step).cloned().flatten();
                vec![self.line(
                    &Subject {
                        at,
                        step: Some(step),
                        agent: agent.as_deref(),
                    },
                    "route_decision",
                    payload,
                )]
            }
            Event::RunCompleted(end) => {
                // An abort leaves executions in flight: the contract wants their end all the same.
                let reason = end.error.clone().unwrap_or_else(|| "the run ended".to_owned());
                let in_flight: Vec<Instance> = self.open.keys().cloned().collect();
                let mut out: Vec<Value> = in_flight
                    .iter()
                    .filter_map(|instance| self.cut_off(at, instance, &reason))
                    .collect();
                let payload = json!({
                    "status": status_word(RunStatus::Ended(end.status)),
                    "error": end.error,
                    "steps_completed": end.steps_completed,
                    "total_steps_executed": end.total_steps_executed,
                    "loop_state_final": self.loop_state,
                });
                out.push(self.line(&run_level, "run_completed", payload));
                out
            }
            Event::Output { .. }
            | Event::ToolCalled { .. }
            // What it says is the route decision after it.
            | Event::NavigatorAsked(_)
            | Event::NavigatorAnswered { .. }
            | Event::GateOpened(_)
            | Event::GateAnswered(_)
            | Event::EvidencePromoted(_)
            | Event::Queued { .. }
            | Event::Settled(_)
            // What they lead to are route decisions: to each branch, and at the join.
            | Event::Forked(_)
            | Event::BranchEnded(_)
            | Event::Joined(_)
            // The routes around it say it: one to nowhere, then a step of another flow.
            | Event::FlowEnded(_)
            // What is reported leads to a route decision, or to a person.
            | Event::FeedbackGiven(_)
            | Event::FeedbackAcknowledged(_)
            | Event::FeedbackResolved { .. }
            | Event::SentBack(_)
            | Event::Reopened { .. }
            // No contract has a line for it; it stands in the session of the run (seed 003).
            | Event::Checkpointed(_)
            // What it is about is the log, not the work.
            | Event::AnotherLog(_)
            // What was done elsewhere is no step of this run.
            | Event::TakenOver(_)
            | Event::Paused { .. }
            | Event::Resumed { .. }
            // Who carries it on is no line of a contract either.
            | Event::TakenUp { .. }
            | Event::Aborted { .. } => Vec::new(),
        }
    }

    fn line(&mut self, subject: &Subject<'_>, kind: &str, mut payload: Value) -> Value {
        self.seq += 1;
        if let (true, Some(payload)) = (self.rehearsal, payload.as_object_mut()) {
            payload.insert("rehearsal".to_owned(), json!(true));
        }
        let ts = self.clock.stamp(subject.at);
        let (flow, step) = self.in_flow(subject.step);
        json!({
            "run_id": self.run,
            "ts": ts,
            "kind": kind,
            "flow_key": flow,
            "step_id": step,
            "agent_key": subject.agent,
            "payload": payload,
            "seq": self.seq,
            "event_id": format!("{}:{:06}", self.run, self.seq),
        })
    }

    /// The flow of a step and its id there; of the run itself its first flow.
    fn in_flow<'s>(&'s self, step: Option<&'s str>) -> (&'s str, Option<&'s str>) {
        let Some(created) = &self.created else {
            return ("", step);
        };
        match step {
            Some(step) => {
                let (flow, own) = created.in_flow(step);
                (flow, Some(own))
            }
            None => (created.flow_keys().first().copied().unwrap_or_default(), None),
        }
    }

    /// The counters of the loops of a step's flow, by the ids that its file uses.
    fn loops_of(&self, step: &StepId) -> BTreeMap<String, u32> {
        let (flow, _) = self.in_flow(Some(step.as_str()));
        let own = |key: &str| match key.split_once(':') {
            Some((from, to)) => {
                let ((of, from), (_, to)) = (self.in_flow(Some(from)), self.in_flow(Some(to)));
                (of == flow).then(|| format!("{}:{}", from.unwrap_or_default(), to.unwrap_or_default()))
            }
            None => Some(key.to_owned()),
        };
        let loops = self.loop_state.iter();
        loops.filter_map(|(key, n)| Some((own(key)?, *n))).collect()
    }

    fn attempt_started(&mut self, at: At, started: &AttemptStarted, by_people: Option<(At, At)>) -> Vec<Value> {
        if let Some(execution) = self.open.get_mut(&started.instance) {
            execution.attempts += 1;
            return Vec::new();
        }
        let step = started.instance.step.as_str();
        let agent = started.agents.first().map(ToString::to_string);
        let payload = json!({
            "role": self.facts.get(&started.instance.step).map_or("", role),
            "agents": started.agents,
            "step_index": self.facts.place(&started.instance.step).unwrap_or(0),
            "engine": started.engine.engine,
        });
        self.agents.insert(step.to_owned(), agent.clone());
        let line = self.line(
            &Subject {
                at,
                step: Some(step),
                agent: agent.as_deref(),
            },
            "step_start",
            payload,
        );
        let execution = Execution {
            started_at: at,
            agent,
            engine: started.engine.engine.clone(),
            attempts: 1,
            by_people_ms: by_people.map(|(asked, answered)| answered.since_ms(asked)),
            idle_ms: 0,
        };
        self.open.insert(started.instance.clone(), execution);
        vec![line]
    }

    fn tools(&mut self, at: At, instance: &Instance, result: &StepResult) -> Vec<Value> {
        let step = instance.step.as_str();
        let first = self.open.get(instance).and_then(|e| e.agent.clone());
        let own = result.tools.iter().map(|tool| (first.clone(), tool));
        let theirs = result.agents.iter().flat_map(|one| {
            let tools = one.result.tools.iter();
            tools.map(|tool| (Some(one.agent.to_string()), tool))
        });
        let uses: Vec<(Option<String>, &ToolUse)> = match result.agents.is_empty() {
            true => own.collect(),
            false => theirs.collect(),
        };
        let mut out = Vec::with_capacity(uses.len() * 2);
        for (agent, tool) in uses {
            let known = |time: At| if time == At::default() { at } else { time };
            let start = Subject {
                at: known(tool.started_at),
                step: Some(step),
                agent: agent.as_deref(),
            };
            out.push(self.line(&start, "tool_start", json!({"tool": tool.tool, "input": tool.input})));
            let end = Subject {
                at: known(tool.ended_at),
                ..start
            };
            let payload = json!({"tool": tool.tool, "success": tool.success, "output": tool.output});
            out.push(self.line(&end, "tool_end", payload));
        }
        out
    }

    fn execution_ended(&mut self, at: At, instance: &Instance, result: &StepResult) -> Option<Value> {
        let execution = self.open.remove(instance)?;
        // Of several attempts the execution is the whole stretch, pauses between them included.
        let duration_ms = if execution.attempts > 1 {
            execution.stretch(at)
        } else {
            execution.by_people_ms.unwrap_or(result.duration_ms)
        };
        let kind = if result.status == ExecutionStatus::Succeeded {
            "step_end"
        } else {
            "step_error"
        };
        let mut payload = json!({
            "status": result.status.word(),
            "duration_ms": duration_ms,
            "error": result.error,
            "engine": execution.engine,
        });
        if let (false, Some(payload)) = (result.agents.is_empty(), payload.as_object_mut()) {
            let each = result.agents.iter().map(|one| {
                json!({
                    "agent_key": one.agent,
                    "status": one.result.status.word(),
                    "started_at": rfc3339(one.started_at),
                    "completed_at": rfc3339(one.ended_at),
                    "duration_ms": one.result.duration_ms,
                    "error": one.result.error,
                })
            });
            payload.insert("agents".to_owned(), each.collect());
        }
        let subject = Subject {
            at,
            step: Some(instance.step.as_str()),
            agent: execution.agent.as_deref(),
        };
        Some(self.line(&subject, kind, payload))
    }

    fn cut_off(&mut self, at: At, instance: &Instance, reason: &str) -> Option<Value> {
        let execution = self.open.remove(instance)?;
        let payload = json!({
            "status": "failed",
            "duration_ms": execution.stretch(at),
            "error": reason,
            "engine": execution.engine,
        });
        let subject = Subject {
            at,
            step: Some(instance.step.as_str()),
            agent: execution.agent.as_deref(),
        };
        Some(self.line(&subject, "step_error", payload))
    }
}
