//! Tests of the store, on real SQLite files wherever durability or other processes matter.

mod appended;
mod decisions;
mod failures;
mod files;
mod folder;
mod folder_runs;
mod foreign;
mod keeping;
mod log;
mod made;
mod old;
mod readers;
mod sessions;
mod speed;
mod stepspec;
mod tables;
mod tamper;
mod words;

use crate::{Facts, Store};
use engine::*;
use model::{
    AgentKey, Fields, Format, GateAt, GateRequirement, Microloop, Routing, Step, StepId, Workflow, WorkflowId,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A run to write events for.
pub(super) struct Script {
    pub run: RunId,
    pub state: RunState,
    pub batch: Vec<(At, Event)>,
    clock: i64,
}

impl Script {
    pub fn new(run: &str) -> Self {
        Self {
            run: run.into(),
            state: RunState::default(),
            batch: Vec::new(),
            clock: 1_736_935_200_000,
        }
    }

    /// Adds an event one second after the last.
    pub fn push(&mut self, event: Event) -> &mut Self {
        self.clock += 1_000;
        apply(&mut self.state, At(self.clock), &event);
        self.batch.push((At(self.clock), event));
        self
    }

    /// Does what the machine makes of an intent, one second after the last event; whether it was taken.
    pub fn send(&mut self, workflow: &model::Workflow, intent: Intent) -> bool {
        let at = At(self.clock + 1_000);
        let Ok(decided) = decide(workflow, &self.state, &Command { at, intent }) else {
            return false;
        };
        self.clock = at.0;
        for event in decided.events {
            apply(&mut self.state, at, &event);
            self.batch.push((at, event));
        }
        true
    }

    pub fn create(&mut self, source: Digest) -> &mut Self {
        self.create_with(source, BTreeMap::from([(AgentKey::new("*"), EngineInfo::stub())]))
    }

    pub fn create_with(&mut self, source: Digest, engines: BTreeMap<AgentKey, EngineInfo>) -> &mut Self {
        let run_id = self.run.clone();
        let signal = Workflow::new("signal".into(), "Signal".to_owned(), Format::Stepwise, Vec::new());
        self.push(Event::RunCreated(Arc::new(RunCreated {
            by: "Ada".into(),
            engines,
            ..RunCreated::new(run_id, &signal, "flows/signal.yaml", source, "test")
        })))
        .push(Event::RunStarted)
    }

    pub fn begin(&mut self, step: &str, visit: u32, attempt: u32) -> &mut Self {
        self.push(Event::AttemptStarted(Arc::new(AttemptStarted {
            instance: instance(step, visit),
            attempt,
            agents: vec![AgentKey::new(format!("{step}-agent"))],
            engine: EngineInfo::stub(),
            crew: vec![],
            comments: Vec::new(),
        })))
    }

    pub fn end(&mut self, step: &str, visit: u32, attempt: u32, result: StepResult, retry_at: Option<At>) -> &mut Self {
        self.push(Event::AttemptEnded {
            instance: instance(step, visit),
            attempt,
            result: Arc::new(result),
            retry_at,
        })
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one per column of the contract's routing table"
    )]
    pub fn route(
        &mut self,
        step: &str,
        visit: u32,
        to: Option<&str>,
        decision: RouteKind,
        reason: &str,
        loops: Option<(u32, u32)>,
        state: &[(&str, u32)],
    ) -> &mut Self {
        self.push(Event::Routed(Arc::new(RouteDecision {
            runbook: None,
            branch: None,
            detour: None,
            from: instance(step, visit),
            to: to.map(StepId::new),
            decision,
            reason: reason.into(),
            source: RouteSource::Deterministic,
            looked_at: Fields::new(),
            alternatives: Vec::new(),
            loop_count: loops.map(|(taken, max)| LoopCount { taken, max }),
            edge: None,
            loop_state: Arc::new(state.iter().map(|(k, v)| ((*k).to_owned(), *v)).collect()),
        })))
    }

    pub fn complete(&mut self, status: EndStatus, error: Option<&str>) -> &mut Self {
        let (steps_completed, total_steps_executed) = (self.state.completed, self.state.executed);
        self.push(Event::RunCompleted(RunCompleted {
            message: None,
            status,
            error: error.map(str::to_owned),
            steps_completed,
            total_steps_executed,
        }))
    }

    pub fn save(&self, store: &Store) {
        store
            .append(&self.run, 0, &self.batch, &self.state)
            .expect("a fresh run");
        // One that is only measured is too long for it.
        if self.batch.len() < 2_000 {
            folder::grows(store, &self.run, &facts());
        }
    }
}

pub(super) fn instance(step: &str, visit: u32) -> Instance {
    Instance {
        step: StepId::new(step),
        visit,
        path: Vec::new(),
    }
}

pub(super) fn reported(pairs: &[(&str, &str)]) -> StepResult {
    let mut result = StepResult::new(ExecutionStatus::Succeeded);
    result.duration_ms = 40;
    result.report = pairs
        .iter()
        .map(|(k, v)| ((*k).to_owned(), serde_json::json!(v)))
        .collect();
    result
}

pub(super) fn gate(step: &str, visit: u32, round: u32, shown: Vec<Artifact>) -> Event {
    Event::GateOpened(Arc::new(GateOpened {
        purpose: engine::Purpose::Approval,
        gate: GateId::of(&WorkflowId::new("signal"), &StepId::new(step)),
        instance: instance(step, visit),
        round,
        at: GateAt::After,
        requirement: GateRequirement::Required,
        question: "Go on?".into(),
        why: "explicit human gate".into(),
        asks: Vec::new(),
        shown,
        changes_to: Some(StepId::new(step)),
        reject_to: None,
        approve_to: None,
        below: Vec::new(),
        feedback: Vec::new(),
    }))
}

pub(super) fn answer(step: &str, round: u32, answer: Answer, seen: Vec<Digest>) -> Event {
    Event::GateAnswered(Arc::new(Decision {
        gate: GateId::of(&WorkflowId::new("signal"), &StepId::new(step)),
        round,
        answer,
        by: "Grace".into(),
        comment: "good".into(),
        seen,
        undrawn: Vec::new(),
        via: "cli".into(),
        lasting: None,
        way: None,
        report: Default::default(),
        key_name: None,
        signature: None,
    }))
}

/// Author and critic with one loop, a retried publish step with artifact, transcript and tools, a gate, an end.
pub(super) fn sample(store: &Store, run: &str) -> Script {
    let source = store.put_blob(b"id: signal\n").unwrap();
    let report = store.put_blob(b"# Report\n").unwrap();
    let transcript = store
        .put_blob(b"{\"timestamp\": \"2025-01-15T10:00:00Z\", \"role\": \"user\", \"content\": \"x\"}\n")
        .unwrap();
    let mut s = Script::new(run);
    s.create(source);
    s.begin("author", 1, 1).end("author", 1, 1, reported(&[]), None);
    s.route(
        "author",
        1,
        Some("critic"),
        RouteKind::Advance,
        "linear_explicit",
        None,
        &[],
    );
    s.begin("critic", 1, 1)
        .end("critic", 1, 1, reported(&[("status", "UNVERIFIED")]), None);
    s.route(
        "critic",
        1,
        Some("author"),
        RouteKind::Loop,
        "loop_iteration:1",
        Some((0, 3)),
        &[("critic:author", 1)],
    );
    s.begin("author", 2, 1).end("author", 2, 1, reported(&[]), None);
    s.route(
        "author",
        2,
        Some("critic"),
        RouteKind::Advance,
        "linear_explicit",
        None,
        &[("critic:author", 1)],
    );
    s.begin("critic", 2, 1)
        .end("critic", 2, 1, reported(&[("status", "VERIFIED")]), None);
    s.route(
        "critic",
        2,
        Some("publish"),
        RouteKind::Advance,
        "loop_exit_condition_met:VERIFIED",
        Some((1, 3)),
        &[("critic:author", 1)],
    );
    s.begin("publish", 1, 1);
    let mut failed = StepResult::new(ExecutionStatus::Failed);
    failed.error = Some("no space".into());
    let retry = At(s.batch.last().unwrap().0.0 + 1_500);
    s.end("publish", 1, 1, failed, Some(retry));
    s.begin("publish", 1, 2);
    let artifact = Artifact {
        path: "out/report.md".into(),
        digest: report.clone(),
        bytes: 9,
        was_there: false,
        executable: None,
    };
    let mut done = reported(&[("status", "PUBLISHED")]);
    done.artifacts = vec![artifact.clone()];
    done.transcript = Some(transcript);
    done.tokens = Tokens {
        prompt: 1,
        completion: 2,
        total: 3,
    };
    done.tools = vec![ToolUse {
        tool: "Read".into(),
        input: serde_json::json!({"path": "out/report.md"}),
        success: true,
        output: serde_json::json!("# Report"),
        started_at: s.batch.last().unwrap().0,
        ended_at: At(s.batch.last().unwrap().0.0 + 5),
    }];
    s.end("publish", 1, 2, done, None);
    s.push(gate("publish", 1, 1, vec![artifact]));
    s.push(answer("publish", 1, Answer::Approve, vec![report]));
    s.route(
        "publish",
        1,
        None,
        RouteKind::Terminate,
        "flow_complete_linear",
        None,
        &[("critic:author", 1)],
    );
    s.complete(EndStatus::Succeeded, None);
    s.save(store);
    s
}

/// Facts of the sample's flow.
pub(super) fn facts() -> Facts {
    let step = |ordinal, role: &str, name: &str, routing| Step {
        intent: Some(role.into()),
        agents: vec![AgentKey::new(format!("{name}-agent"))],
        routing,
        name: name.into(),
        ..Step::new(name, ordinal)
    };
    let microloop = Microloop {
        loop_target: Some(StepId::new("author")),
        condition_field: None,
        success_values: Vec::new(),
        max_iterations: 3,
        next: None,
        exit_on: Default::default(),
    };
    let steps = vec![
        step(0, "Write.", "author", Routing::Sequence),
        step(1, "Judge.", "critic", Routing::Microloop(microloop)),
        step(2, "Publish.", "publish", Routing::Sequence),
    ];
    let workflow = Workflow::new(WorkflowId::new("sample"), "Sample".into(), Format::Stepwise, steps);
    Facts::of(Box::new(workflow))
}
