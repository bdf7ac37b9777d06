//! A machine under test: commands in, events kept, the promises that hold after every commit checked after every commit.

use crate::grammar::check_grammar;
use engine::{
    Answer, Artifact, At, Command, Cursor, Decision, Effect, Event, ExecutionStatus, FlowLead, GateOpened, Instance,
    Intent, Limits, Refusal, RefusalCode, RouteDecision, RunCreated, RunState, StepResult, apply, decide, decide_idle,
    effects, fold,
};
use model::{Format, Gate, GateAt, GateRequirement, Microloop, Routing, Step, StepId, Workflow};
use serde_json::Value;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A number that follows from a seed and from what it is drawn for: the same in every version of Rust, so that a failure can
/// be seen again.
pub fn draw(seed: u64, what: impl Hash) -> u64 {
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    (seed, what).hash(&mut hasher);
    hasher.finish()
}

/// FNV-1a, and SplitMix64's last step, so that every bit of the number depends on everything.
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

pub fn workflow(steps: Vec<Step>) -> Workflow {
    Workflow::new("flow".into(), "Flow".into(), Format::Stepwise, steps)
}

/// Steps of these ids, in order, without routing.
pub fn steps(ids: &[&str]) -> Vec<Step> {
    ids.iter().enumerate().map(|(i, id)| Step::new(*id, i)).collect()
}

/// `author` → `critic` (microloop, back to author until VERIFIED) → `done`.
pub fn critic_flow(max: u32) -> Vec<Step> {
    let mut steps = steps(&["author", "critic", "done"]);
    steps[1].routing = Routing::Microloop(microloop(max));
    steps
}

pub fn microloop(max: u32) -> Microloop {
    Microloop {
        loop_target: Some("author".into()),
        condition_field: Some("status".into()),
        success_values: vec!["VERIFIED".into()],
        max_iterations: max,
        next: Some("done".into()),
        exit_on: Default::default(),
    }
}

pub fn gate(at: GateAt) -> Option<Gate> {
    Some(Gate {
        requirement: GateRequirement::Required,
        at,
        question: None,
        asks: vec![],
        on_reject: None,
    })
}

pub fn created(limits: Limits) -> RunCreated {
    let flow = Workflow::new("flow".into(), "Flow".to_owned(), Format::Stepwise, Vec::new());
    RunCreated {
        limits,
        ..RunCreated::new("run", &flow, "flow.yaml", "0", "test")
    }
}

/// A project that wants so much test coverage.
pub fn standards(per_cent: u32, below: &str) -> Option<Arc<model::Fields>> {
    let wanted = serde_json::json!({"minimum_test_coverage": per_cent, "below": below});
    let context = serde_json::json!({"quality_standards": wanted});
    Some(Arc::new(serde_json::from_value(context).unwrap()))
}

/// Of every other random run, the standards of its project.
pub fn some_standards(draw: u64) -> Option<Arc<model::Fields>> {
    let below = ["ask", "ask", "warn", "fail"][(draw >> 8) as usize % 4];
    draw.is_multiple_of(2).then(|| standards(80, below)).flatten()
}

/// Of some results, how much is covered: enough, or not.
pub fn some_coverage(result: &mut StepResult, draw: u64) {
    if draw.is_multiple_of(3) {
        let per_cent = if draw & 0x100 == 0 { 71 } else { 90 };
        result
            .report
            .insert("test_coverage".into(), serde_json::json!(per_cent));
    }
}

/// Of some results, what they report to other steps, and that they leave their own work as it is.
pub fn some_feedback(result: &mut StepResult, draw: u64, workflow: &Workflow) {
    if draw >> 20 & 3 == 0 {
        let steps = workflow.steps();
        let one = |shift: u32| match steps.get((draw >> shift) as usize % (steps.len() + 1)) {
            Some(step) => step.id.to_string(),
            None => "nobody".to_owned(),
        };
        let to = match draw >> 30 & 1 {
            0 => serde_json::json!(one(32)),
            _ => serde_json::json!([one(32), one(40)]),
        };
        let issue = serde_json::json!({"to": to, "type": "constraint", "severity": "error", "message": "No."});
        result.report.insert("feedback".into(), issue);
    }
    if draw >> 22 & 3 == 0 {
        result.report.insert("acknowledged".into(), "It is meant so.".into());
    }
}

/// The loops of a run, without their times and in an order of their own.
pub fn loops(state: &RunState) -> Value {
    let each = state.feedback.all().map(|one| {
        let given: Vec<_> = one.given.iter().map(|(given, _)| &**given).collect();
        let said: Vec<_> = one.acknowledged.iter().map(|(said, _)| &**said).collect();
        let ended = one.ended.as_ref().map(|(how, _)| how);
        (
            one.last().id.clone(),
            serde_json::json!([given, one.status, said, ended, one.awaits]),
        )
    });
    serde_json::json!(each.collect::<std::collections::BTreeMap<_, _>>())
}

/// A result that succeeded with this report.
pub fn reported(report: Value) -> StepResult {
    let mut result = StepResult::new(ExecutionStatus::Succeeded);
    result.report = serde_json::from_value(report).unwrap();
    result
}

pub fn failed(error: &str) -> StepResult {
    StepResult {
        error: Some(error.into()),
        ..StepResult::new(ExecutionStatus::Failed)
    }
}

/// A result that made these files; the digest of each is its path with the given mark.
pub fn made(mark: &str, paths: &[&str]) -> StepResult {
    let mut result = StepResult::new(ExecutionStatus::Succeeded);
    result.artifacts = paths
        .iter()
        .map(|p| Artifact {
            path: (*p).into(),
            digest: format!("{p}#{mark}").into(),
            bytes: 1,
            was_there: false,
            executable: None,
        })
        .collect();
    result
}

/// No event of the machine leads past somebody who is asked, and none of a run that has ended follows its end.
pub fn passes_nobody(state: &RunState, event: &Event) {
    assert!(!engine::is_behind_end(state, event), "{event:?} stands behind the end");
    let passed = engine::passed(state, event);
    assert!(passed.is_empty(), "{event:?} leads past {passed:?}");
}

/// What people have said to a run since a driver looked, one commit after the other.
#[derive(Default)]
pub struct Heard {
    since: Option<(RunState, Vec<(At, Event)>)>,
}

impl Heard {
    /// The next commit, on this state: a driver that looks now follows all of them.
    pub fn next(&mut self, workflow: &Workflow, before: &RunState, at: At, events: &[Event]) {
        if !events.iter().any(|event| engine::said(event).is_some()) {
            self.since = None;
            return;
        }
        let (known, log) = self.since.get_or_insert_with(|| (before.clone(), Vec::new()));
        log.extend(events.iter().map(|event| (at, event.clone())));
        let mut known = known.clone();
        let mut rest: Vec<_> = log.iter().map(|(at, event)| (*at, event)).collect();
        while !rest.is_empty() {
            let count = engine::follows(workflow, &known, &rest);
            let count = count.unwrap_or_else(|| panic!("a driver follows what people said: {rest:?}"));
            for (at, event) in rest.drain(..count) {
                apply(&mut known, at, event);
            }
        }
    }
}

pub struct Play {
    pub workflow: Workflow,
    pub state: RunState,
    pub log: Vec<(At, Event)>,
    pub now: At,
    /// Whether the whole log is checked after every commit, or only where a test asks for it.
    pub thorough: bool,
    heard: Heard,
}

impl Play {
    pub fn new(workflow: Workflow) -> Self {
        Self {
            workflow,
            state: RunState::default(),
            log: Vec::new(),
            now: At(1_000),
            thorough: true,
            heard: Heard::default(),
        }
    }
    pub fn start(steps: Vec<Step>) -> Self {
        Self::start_with(workflow(steps), Limits::default())
    }
    pub fn start_with(workflow: Workflow, limits: Limits) -> Self {
        Self::begun(workflow, created(limits))
    }
    pub fn begun(workflow: Workflow, created: RunCreated) -> Self {
        let mut play = Self::new(workflow);
        play.send(Intent::Create(Arc::new(created))).unwrap();
        play
    }
    /// A run whose log was cut off after some events.
    pub fn cut_off(workflow: Workflow, log: &[(At, Event)]) -> Self {
        let log = log.to_vec();
        let state = fold(log.iter().map(|(at, e)| (*at, e)));
        let now = state.last_at.unwrap_or(At(1_000));
        Self {
            workflow,
            state,
            log,
            now,
            thorough: false,
            heard: Heard::default(),
        }
    }

    /// One command, a millisecond later; what every commit promises is checked.
    pub fn send(&mut self, intent: Intent) -> Result<Vec<Event>, Refusal> {
        self.now.0 += 1;
        let command = Command { at: self.now, intent };
        let decided = decide(&self.workflow, &self.state, &command)?;
        assert_eq!(
            decide(&self.workflow, &self.state, &command).unwrap(),
            decided,
            "the same command, the same events"
        );
        let events = decided.events;
        assert!(!events.is_empty(), "an accepted command leaves a trace: {command:?}");
        self.heard.next(&self.workflow, &self.state, self.now, &events);
        for event in &events {
            passes_nobody(&self.state, event);
            apply(&mut self.state, self.now, event);
            self.log.push((self.now, event.clone()));
        }
        assert_eq!(self.state, decided.state, "what was decided on is what the log says");
        if self.thorough {
            self.check_log();
            for event in &events {
                let json = serde_json::to_string(event).unwrap();
                assert_eq!(
                    serde_json::from_str::<Event>(&json).unwrap(),
                    *event,
                    "events survive being written down"
                );
            }
        }
        self.check_settled();
        Ok(events)
    }

    /// What a person says to a run that nobody drives: it is recorded, and nothing begins.
    pub fn send_idle(&mut self, intent: Intent) {
        self.now.0 += 1;
        let command = Command { at: self.now, intent };
        let decided = decide_idle(&self.workflow, &self.state, &command).unwrap();
        self.heard.next(&self.workflow, &self.state, self.now, &decided.events);
        let answers = decided
            .events
            .iter()
            .filter(|event| matches!(event, Event::GateAnswered(_)));
        assert_eq!(
            answers.count(),
            usize::from(matches!(command.intent, Intent::Answer(_)))
        );
        for event in &decided.events {
            let begins = matches!(event, Event::AttemptStarted(_) | Event::NavigatorAsked(_));
            assert!(!begins, "nobody is there to do it: {event:?}");
            passes_nobody(&self.state, event);
            apply(&mut self.state, self.now, event);
            self.log.push((self.now, event.clone()));
        }
        assert_eq!(self.state, decided.state, "what was decided on is what the log says");
    }

    /// The grammar, that the state is the fold of the log and of nothing else, and that a route names the edge that its
    /// reason stands for.
    pub fn check_log(&self) {
        check_grammar(&self.log);
        for (_, event) in &self.log {
            if let Event::Routed(route) = event {
                let untold = RouteDecision {
                    edge: None,
                    ..RouteDecision::clone(route)
                };
                assert_eq!(route.edge, engine::edges::taken(&self.workflow, &untold));
            }
        }
        assert_eq!(
            fold(self.log.iter().map(|(at, e)| (*at, e))),
            self.state,
            "the state is the fold of the log"
        );
    }

    fn check_settled(&self) {
        let due = effects(&self.workflow, &self.state);
        assert!(
            !due.contains(&Effect::Proceed),
            "a commit ends where something is waited for: {:?}",
            self.state.cursor
        );
        if self.state.status.ended() {
            assert!(due.is_empty() && self.state.cursor == Cursor::Nowhere);
        } else if !self.state.paused && self.state.forks.is_forked() {
            assert!(!due.is_empty(), "branches that are under way wait for something");
        } else if !self.state.paused {
            assert_eq!(
                due.len(),
                1,
                "a run that has not ended and is not paused waits for one thing"
            );
        }
    }

    pub fn refused(&mut self, intent: Intent) -> RefusalCode {
        self.send(intent).unwrap_err().code
    }

    /// The attempt in flight.
    pub fn running(&self) -> (Instance, u32) {
        match &self.state.cursor {
            Cursor::Running { instance, attempt } => (instance.clone(), *attempt),
            other => panic!("nothing is in flight: {other:?}"),
        }
    }
    /// The steps in flight.
    pub fn running_steps(&self) -> Vec<&str> {
        let running = self.state.cursors().filter_map(|cursor| match cursor {
            Cursor::Running { instance, .. } => Some(instance.step.as_str()),
            _ => None,
        });
        running.collect()
    }
    pub fn finish(&mut self, result: StepResult) -> Vec<Event> {
        let (instance, attempt) = self.running();
        self.send(Intent::Finish {
            instance,
            attempt,
            result: Arc::new(result),
        })
        .unwrap()
    }
    pub fn succeed(&mut self) -> Vec<Event> {
        self.finish(StepResult::new(ExecutionStatus::Succeeded))
    }
    pub fn interrupt(&mut self) -> Vec<Event> {
        self.interrupted("power cut", false)
    }
    /// Its driver lets go of it in order.
    pub fn let_go(&mut self) -> Vec<Event> {
        self.interrupted("the window was closed", true)
    }
    fn interrupted(&mut self, reason: &str, let_go: bool) -> Vec<Event> {
        let (instance, attempt) = self.running();
        self.send(Intent::Interrupt {
            instance,
            attempt,
            reason: reason.into(),
            let_go,
            seen: None,
        })
        .unwrap()
    }
    /// Tries again what waits for that.
    pub fn retry(&mut self) {
        let Cursor::Retrying { instance, .. } = self.state.cursor.clone() else {
            panic!("nothing is to be tried again: {:?}", self.state.cursor)
        };
        self.send(Intent::Retry { instance }).unwrap();
    }
    pub fn pause(&mut self) {
        self.send(Intent::Pause {
            by: "Ada".into(),
            given: None,
        })
        .unwrap();
    }
    pub fn resume(&mut self) {
        self.send(Intent::Resume {
            by: "Ada".into(),
            given: None,
        })
        .unwrap();
    }
    pub fn opened(&self) -> GateOpened {
        GateOpened::clone(&self.state.waiting().unwrap().opened)
    }
    /// An answer to the round that waits, with everything that was shown.
    pub fn decision(&self, answer: Answer, comment: &str) -> Decision {
        let opened = self.opened();
        Decision {
            gate: opened.gate,
            round: opened.round,
            answer,
            by: "Ada".into(),
            comment: comment.into(),
            seen: opened.shown.into_iter().map(|a| a.digest).collect(),
            undrawn: Vec::new(),
            via: "test".into(),
            lasting: None,
            way: None,
            report: Default::default(),
            key_name: None,
            signature: None,
        }
    }
    pub fn answer(&mut self, answer: Answer, comment: &str) -> Vec<Event> {
        let decision = self.decision(answer, comment);
        self.send(Intent::Answer(Arc::new(decision))).unwrap()
    }

    /// Steps in the order their visits began.
    pub fn visited(&self) -> Vec<String> {
        let name = |v: &engine::Visit| format!("{}#{}", v.instance.step, v.instance.visit);
        self.state.visits().into_iter().map(name).collect()
    }
    pub fn comments_of_running(&self) -> Vec<String> {
        let (instance, _) = self.running();
        self.state
            .visit(&instance)
            .unwrap()
            .attempts
            .last()
            .unwrap()
            .started
            .comments
            .clone()
    }
}

/// What a navigator says who draws its answer: a way of the list, one that is not on it, or nothing.
pub fn navigated(state: &RunState, instance: &Instance, draw: u64) -> Intent {
    let navigation = state.visit(instance).and_then(|visit| visit.navigation.as_ref());
    let ways = &navigation.expect("it was asked").asked.ways;
    let way = match draw % 8 {
        0 => None,
        1 => Some("advance:nowhere".to_owned()),
        _ => Some(ways[(draw >> 8) as usize % ways.len()].id.clone()),
    };
    Intent::Navigated {
        instance: instance.clone(),
        said: Arc::new(engine::NavigatorSaid {
            way,
            reasons: "as drawn".to_owned(),
            ..engine::NavigatorSaid::default()
        }),
    }
}

/// The answer where it is a way that is asked for: one of those, instead of an approval.
pub fn way(opened: &GateOpened, answer: Answer, draw: u64) -> (Answer, Option<String>) {
    match (&opened.purpose, answer) {
        (engine::Purpose::Way { ways }, Answer::Approve) => {
            (Answer::Choose, Some(ways[draw as usize % ways.len()].id.clone()))
        }
        (_, answer) => (answer, None),
    }
}

/// The events' names, with what tells them apart.
pub fn names(events: &[Event]) -> Vec<String> {
    events
        .iter()
        .map(|event| match event {
            Event::RunCreated(_) => "created".into(),
            Event::RunStarted => "started".into(),
            Event::AttemptStarted(a) => format!("start {}#{}.{}", a.instance.step, a.instance.visit, a.attempt),
            Event::Output { .. } => "output".into(),
            Event::ToolCalled { call, .. } => format!("called {}", call.name),
            Event::AttemptEnded {
                instance,
                attempt,
                result,
                retry_at,
            } => {
                let again = if retry_at.is_some() { " again" } else { "" };
                format!(
                    "end {}#{}.{attempt} {}{again}",
                    instance.step,
                    instance.visit,
                    result.status.word()
                )
            }
            Event::AttemptInterrupted {
                instance,
                attempt,
                retry_at,
                ..
            } => {
                let again = if retry_at.is_some() { " again" } else { "" };
                format!("cut {}#{}.{attempt}{again}", instance.step, instance.visit)
            }
            Event::NavigatorAsked(asked) => format!("navigator after {}", asked.instance.step),
            Event::NavigatorAnswered { said, .. } => match &said.refused {
                Some(why) => format!("navigator refused: {why}"),
                None => format!("navigator says {}", said.way.as_deref().unwrap_or("nothing")),
            },
            Event::Routed(r) => format!("route {} {}", r.to.as_ref().map_or("-", StepId::as_str), r.reason),
            Event::GateOpened(g) => format!("ask {} round {}", g.instance.step, g.round),
            Event::GateAnswered(d) => format!("answer {:?}", d.answer).to_lowercase(),
            Event::EvidencePromoted(p) => format!("promoted {} {}", p.evidence, p.to.word()),
            Event::TakenOver(t) => format!("taken over, on at {}", t.at),
            Event::Checkpointed(c) => format!("checkpoint {}", c.name),
            Event::AnotherLog(seen) => format!("another log, {} events seen", seen.events),
            Event::Paused { .. } => "paused".into(),
            Event::Queued { steps } => {
                let steps: Vec<&str> = steps.iter().map(StepId::as_str).collect();
                format!("queued {}", steps.join(" "))
            }
            Event::Settled(settled) => {
                let because = settled
                    .because
                    .as_ref()
                    .map_or(String::new(), |b| format!(" because of {b}"));
                format!("{} {:?}{because}", settled.step, settled.status).to_lowercase()
            }
            Event::Forked(forked) => format!("fork {} at {}", forked.fork, forked.from.step),
            Event::BranchEnded(ended) => {
                format!("branch {} {:?} {}", ended.branch, ended.end, ended.status).to_lowercase()
            }
            Event::Joined(joined) => {
                let cut: Vec<String> = joined.cut_off.iter().map(ToString::to_string).collect();
                let cut = if cut.is_empty() {
                    String::new()
                } else {
                    format!(" cut {}", cut.join(" "))
                };
                format!("join {} {} {:?}{cut}", joined.met, joined.count(), joined.cause).to_lowercase()
            }
            Event::FeedbackGiven(given) => {
                let to: Vec<String> = given
                    .targets
                    .iter()
                    .map(|target| match &target.fault {
                        Some(fault) => format!("{} ({fault})", target.named),
                        None => target.step.as_ref().map_or("?", StepId::as_str).to_owned(),
                    })
                    .collect();
                let limit = given
                    .limit
                    .as_ref()
                    .map_or(String::new(), |limit| format!(" no more {limit}"));
                format!("{} to {} {}/{}{limit}", given.id, to.join("+"), given.round, given.most)
            }
            Event::FeedbackAcknowledged(said) => format!("{} acknowledged: {}", said.id, said.reason),
            Event::FeedbackResolved { id, .. } => format!("{id} resolved"),
            Event::SentBack(sent) => {
                let again: Vec<&str> = sent.again.iter().map(StepId::as_str).collect();
                format!("sent back by {}: {}", sent.from.step, again.join(" "))
            }
            Event::FlowEnded(ended) => {
                let failed = ended.failed.as_deref().map(|why| format!(" failed ({why})"));
                let unmet = ended.unmet.as_deref().map(|why| format!(" ({why})"));
                let how = failed.or(unmet).unwrap_or_default();
                let leads = match &ended.leads {
                    FlowLead::Begin { flow, step } => format!("{flow} begins at {step}"),
                    FlowLead::Back { flow, step } => format!("{flow} goes on at {step}"),
                    FlowLead::Wait { flow, step } => format!("{flow} waits at {step}"),
                    FlowLead::End => "waits".to_owned(),
                };
                format!("flow {}{how}: {leads}", ended.flow)
            }
            Event::Reopened { by, .. } => format!("reopened by {by}"),
            Event::Resumed { .. } => "resumed".into(),
            Event::TakenUp { by, .. } => format!("taken up by {by}"),
            Event::Aborted { .. } => "aborted".into(),
            Event::RunCompleted(c) => {
                format!("completed {:?} {}", c.status, c.error.as_deref().unwrap_or("-")).to_lowercase()
            }
        })
        .collect()
}
