//! A random pipeline and a driver for it: attempts take random times, so they end in a random order, and a second pair of eyes
//! ([`Watch`]) holds every event against what a pipeline may do.

use crate::grammar::check_stage_grammar;
use crate::play::{created, draw, failed, gate, passes_nobody};
use crate::stage_watch::Watch;
use engine::{
    Answer, At, Choice, Command, Decision, Effect, Event, ExecutionStatus, GateId, Instance, Intent, Limits, Refusal,
    RunCreated, RunState, StepResult, apply, decide, decide_idle, effects, fold,
};
use model::{Format, GateAt, OnFailure, Retries, Routing, Step, StepId, Workflow};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::sync::Arc;

/// A stage, in document order.
#[derive(Debug, Clone)]
pub struct Spec {
    pub name: String,
    pub waits: Vec<String>,
    pub parallel: bool,
    pub retries: Option<(u32, u64)>,
    pub gate: Option<GateAt>,
}

/// Everything that is random about a run. An attempt's outcome depends on its visit and on how often that has failed, never on
/// when it is asked for; so does everything a person says.
#[derive(Debug, Clone)]
pub struct Case {
    pub stages: Vec<Spec>,
    pub on_failure: OnFailure,
    pub limits: Limits,
    /// Of a hundred attempts this many fail.
    pub fails: u64,
    pub pauses: bool,
    /// Gates are rejected too, and those before the work send back what it waits for.
    pub unruly: bool,
    pub seed: u64,
}

impl Case {
    pub fn draw(&self, what: impl Hash) -> u64 {
        draw(self.seed, what)
    }

    pub fn fails(&self, stage: &str, visit: u32, failures: usize) -> bool {
        self.draw((stage, visit, failures)) % 100 < self.fails
    }

    /// Whether the stage's agent leaves it out, where it does not fail.
    pub fn leaves_out(&self, stage: &str, visit: u32) -> bool {
        self.draw((stage, visit, "left out")).is_multiple_of(16)
    }

    pub fn answer(&self, stage: &str, round: u32, at: GateAt) -> Answer {
        match self.draw((stage, round, "answer")) % 8 {
            0 if self.unruly => Answer::Reject,
            1 | 2 if round < 4 && (self.unruly || at == GateAt::After) => Answer::Changes,
            _ => Answer::Approve,
        }
    }

    pub fn choice(&self, stage: &str, reopened: usize) -> Choice {
        match self.draw((stage, reopened, "choice")) % 3 {
            0 => Choice::Skip,
            _ => Choice::Retry,
        }
    }

    pub fn spec(&self, stage: &StepId) -> &Spec {
        self.stages.iter().find(|s| stage.as_str() == s.name).unwrap()
    }

    /// Where the rejection of a stage leads back to: some stage that it waits for, directly or through others.
    fn rejected_to(&self, spec: &Spec) -> Option<StepId> {
        let mut to: Option<&str> = None;
        let mut at = spec;
        for deep in 0..self.draw((&spec.name, "led")) % 4 {
            let one = self.draw((&spec.name, "led", deep)) as usize;
            let name = at.waits.get(one % at.waits.len().max(1)).filter(|_| self.unruly);
            // One that is not there is waited for, too.
            let Some(found) = name.and_then(|name| self.stages.iter().find(|other| other.name == *name)) else {
                break;
            };
            at = found;
            to = Some(&found.name);
        }
        to.map(Into::into)
    }

    fn workflow(&self) -> Workflow {
        let step = |(ordinal, spec): (usize, &Spec)| Step {
            parallel: spec.parallel,
            depends_on: spec.waits.iter().map(|d| d.as_str().into()).collect(),
            routing: Routing::Dependencies,
            retries: spec.retries.map(|(max, backoff_ms)| Retries {
                max: Some(max),
                backoff_ms,
            }),
            gate: spec.gate.and_then(gate).map(|own| model::Gate {
                on_reject: self.rejected_to(spec),
                ..own
            }),
            ..Step::new(spec.name.as_str(), ordinal)
        };
        let steps = self.stages.iter().enumerate().map(step).collect();
        let mut workflow = Workflow::new("p".into(), "P".into(), Format::Pipeline, steps);
        workflow.on_failure = self.on_failure;
        workflow
    }
}

/// A run of a case.
pub struct Sim<'a> {
    pub case: &'a Case,
    pub state: RunState,
    pub log: Vec<(At, Event)>,
    pub watch: Watch<'a>,
    workflow: Workflow,
    now: i64,
    commits: u64,
    heard: crate::play::Heard,
}

impl<'a> Sim<'a> {
    pub fn begin(case: &'a Case) -> Self {
        let mut sim = Self::cut_off(case, &[]);
        let created = RunCreated {
            format: Format::Pipeline,
            ..created(case.limits)
        };
        sim.say(Intent::Create(Arc::new(created))).unwrap();
        sim
    }

    /// The run whose driver died after these events.
    pub fn cut_off(case: &'a Case, log: &[(At, Event)]) -> Self {
        let mut watch = Watch::new(case);
        log.iter().for_each(|(at, event)| watch.see(*at, event));
        Self {
            case,
            state: fold(log.iter().map(|(at, e)| (*at, e))),
            log: log.to_vec(),
            watch,
            workflow: case.workflow(),
            now: log.last().map_or(0, |(at, _)| at.0),
            commits: 0,
            heard: Default::default(),
        }
    }

    /// What the next driver does first: what was in flight is interrupted, what is due is carried on.
    pub fn recover(&mut self) {
        let wanted = effects(&self.workflow, &self.state);
        let mut intents: Vec<Intent> = wanted
            .into_iter()
            .filter_map(|effect| match effect {
                Effect::Execute { instance, attempt } => Some(Intent::Interrupt {
                    instance,
                    attempt,
                    reason: "the driver died".into(),
                    let_go: false,
                    seen: None,
                }),
                Effect::Proceed => Some(Intent::Proceed),
                Effect::WaitUntil { .. } | Effect::Ask { .. } | Effect::Navigate { .. } => None,
            })
            .collect();
        if self.case.draw((self.log.len(), "recover")).is_multiple_of(2) {
            intents.reverse();
        }
        for intent in intents {
            self.now += 1;
            // What the one carried on may be what the other was about.
            if let Ok(events) = self.decide(intent) {
                self.take(events);
            }
        }
        assert!(!self.due(), "nothing is due after recovery");
    }

    fn decide(&self, intent: Intent) -> Result<Vec<Event>, Refusal> {
        let at = At(self.now);
        Ok(decide(&self.workflow, &self.state, &Command { at, intent })?.events)
    }

    fn take(&mut self, events: Vec<Event>) {
        let at = At(self.now);
        for event in events {
            passes_nobody(&self.state, &event);
            apply(&mut self.state, at, &event);
            self.watch.see(at, &event);
            self.log.push((at, event));
        }
    }

    pub fn say(&mut self, intent: Intent) -> Result<(), Refusal> {
        // Now and then nobody drives the pipeline when a person answers; whoever does next begins with what is due.
        let is_idle = matches!(intent, Intent::Answer(_)) && self.log.len().is_multiple_of(3);
        let events = match is_idle {
            true => {
                decide_idle(
                    &self.workflow,
                    &self.state,
                    &Command {
                        at: At(self.now),
                        intent,
                    },
                )?
                .events
            }
            false => self.decide(intent)?,
        };
        self.heard.next(&self.workflow, &self.state, At(self.now), &events);
        let answered = events
            .iter()
            .filter(|event| matches!(event, Event::GateAnswered(_)))
            .count();
        let begun = events.iter().any(|event| matches!(event, Event::AttemptStarted(_)));
        assert!(
            !is_idle || answered == 1 && !begun,
            "it is recorded, and nothing begins: {events:?}"
        );
        self.take(events);
        if is_idle && let Ok(events) = self.decide(Intent::Proceed) {
            self.heard.next(&self.workflow, &self.state, At(self.now), &events);
            self.take(events);
        }
        self.commits += 1;
        assert!(!self.due(), "a commit leaves nothing due: {:?}", self.log.last());
        self.watch.settled();
        // The fold of long logs is compared now and then.
        if self.log.len() < 100 || self.commits.is_multiple_of(40) {
            self.check_fold();
        }
        Ok(())
    }

    fn due(&self) -> bool {
        effects(&self.workflow, &self.state).contains(&Effect::Proceed)
    }

    fn check_fold(&self) {
        let folded = fold(self.log.iter().map(|(at, e)| (*at, e)));
        assert_eq!(self.state, folded, "state is the fold of the log");
    }

    /// The next thing that happens; `false` when the run has ended.
    pub fn step(&mut self) -> bool {
        if self.state.status.ended() {
            return false;
        }
        let by = || "Ann".to_owned();
        let mood = self.case.draw((self.commits, "mood"));
        let next = self.happenings().into_iter().min_by_key(|(at, tie, _)| (*at, *tie));
        let intent = match next {
            _ if self.state.paused && mood.is_multiple_of(5) => Intent::Resume { by: by(), given: None },
            _ if self.case.pauses && !self.state.paused && mood.is_multiple_of(11) => {
                Intent::Pause { by: by(), given: None }
            }
            Some((at, _, intent)) => {
                self.now = self.now.max(at);
                intent
            }
            None if self.state.paused => Intent::Resume { by: by(), given: None },
            None => panic!("a run that has not ended waits for something: {:?}", self.state.stages),
        };
        self.say(intent).unwrap();
        true
    }

    fn happenings(&self) -> Vec<(i64, u64, Intent)> {
        let mut flying = BTreeSet::new();
        let mut out = Vec::new();
        for effect in effects(&self.workflow, &self.state) {
            let (at, intent) = match effect {
                Effect::Execute { instance, attempt } => {
                    flying.insert((instance.clone(), attempt));
                    (self.ends_at(&instance, attempt), self.finish(instance, attempt))
                }
                Effect::WaitUntil { instance, at } => (at.0, Intent::Retry { instance }),
                Effect::Ask { gate, round } => self.answer(gate, round),
                Effect::Navigate { .. } => panic!("a pipeline has no ways to choose"),
                Effect::Proceed => panic!("nothing is due between commits"),
            };
            out.push((at, self.case.draw((out.len(), self.commits)), intent));
        }
        assert_eq!(flying, self.watch.running(), "what is in flight is what was started");
        out
    }

    fn ends_at(&self, instance: &Instance, attempt: u32) -> i64 {
        let attempts = &self.state.visit(instance).unwrap().attempts;
        let took = self.case.draw((instance, attempt, "took"));
        // Some take no time at all, and several end at once.
        let took = if took.is_multiple_of(4) { 0 } else { took / 16 % 50 };
        attempts.last().unwrap().started_at.0 + i64::try_from(took).unwrap()
    }

    fn finish(&self, instance: Instance, attempt: u32) -> Intent {
        let attempts = &self.state.visit(&instance).unwrap().attempts;
        let failures = attempts.iter().filter(|a| a.result.is_some()).count();
        let result = if self.case.fails(instance.step.as_str(), instance.visit, failures) {
            failed("broken")
        } else if self.case.leaves_out(instance.step.as_str(), instance.visit) {
            StepResult::new(ExecutionStatus::Skipped)
        } else {
            StepResult::new(ExecutionStatus::Succeeded)
        };
        Intent::Finish {
            instance,
            attempt,
            result: Arc::new(result),
        }
    }

    fn answer(&self, gate: GateId, round: u32) -> (i64, Intent) {
        let rounds = &self.state.gates[&gate];
        let asked = rounds.iter().find(|r| r.opened.round == round).unwrap();
        let stage = asked.opened.instance.step.as_str();
        let answer = match self.case.answer(stage, round, asked.opened.at) {
            Answer::Changes if asked.opened.changes_to.is_none() => Answer::Approve,
            answer => answer,
        };
        let thinks = self.case.draw((stage, round, "thinks")) % 80;
        let decision = Decision {
            gate,
            round,
            answer,
            by: "Ann".into(),
            comment: "because".into(),
            seen: Vec::new(),
            undrawn: Vec::new(),
            via: "test".into(),
            lasting: None,
            way: None,
            report: Default::default(),
            key_name: None,
            signature: None,
        };
        let at = asked.opened_at.0 + i64::try_from(thinks).unwrap();
        (at, Intent::Answer(Arc::new(decision)))
    }

    /// To the end, then everything that can be looked at is.
    pub fn run(&mut self) {
        let mut steps = 0;
        while self.step() {
            steps += 1;
            assert!(steps < 100_000, "the run ends");
        }
        self.check();
    }

    pub fn check(&self) {
        self.check_fold();
        check_stage_grammar(&self.log);
    }

    pub fn abort(&mut self) {
        let by = "Ann".to_owned();
        let reason = String::new();
        self.say(Intent::Abort {
            by,
            reason,
            given: None,
        })
        .unwrap();
    }

    /// Takes up what has ended, if it can be; a choice too few or too many is refused.
    pub fn reopen(&mut self) -> bool {
        let reopened = self.reopened();
        let lost = self.watch.lost();
        let choices: BTreeMap<StepId, Choice> = lost
            .iter()
            .map(|name| (name.as_str().into(), self.case.choice(name, reopened)))
            .collect();
        let reopen = |choices| Intent::Reopen {
            by: "Ann".into(),
            choices,
        };
        let mut too_few = choices.clone();
        if too_few.pop_first().is_some() {
            assert!(self.decide(reopen(too_few)).is_err(), "every lost stage needs a choice");
        }
        for spec in self.case.stages.iter().filter(|s| !lost.contains(&s.name)).take(3) {
            let mut too_many = choices.clone();
            too_many.insert(spec.name.as_str().into(), Choice::Retry);
            assert!(self.decide(reopen(too_many)).is_err(), "{} is not lost", spec.name);
        }
        self.now += 1;
        self.say(reopen(choices)).is_ok()
    }

    pub fn reopened(&self) -> usize {
        let reopened = |(_, event): &&(At, Event)| matches!(event, Event::Reopened { .. });
        self.log.iter().filter(reopened).count()
    }
}
