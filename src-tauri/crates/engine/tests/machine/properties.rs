//! Random workflows, random outcomes: what holds for every run.

use crate::play::{Play, draw, workflow};
use engine::{
    About, AgentResult, Answer, At, Command, Cursor, Due, Effect, Event, Evidence, ExecutionStatus, Instance, Intent,
    Level, Lifecycle, Limits, RunState, StepResult, ToolAsk, apply, decide, effects, fold,
};
use indexmap::IndexMap;
use model::{
    Branch, Condition, Gate, GateAt, GateRequirement, Guard, Microloop, Operator, Retries, Risk, Routing, Step, StepId,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::hash::Hash;
use std::sync::Arc;

/// Everything that is random about a run: its steps, its limits, and a seed from which each outcome follows. An outcome
/// depends on the visit and on how often that visit has failed, never on when it is asked for.
#[derive(Debug, Clone)]
struct Case {
    steps: Vec<Step>,
    limits: Limits,
    spec: bool,
    seed: u64,
}

const WORDS: [&str; 6] = ["VERIFIED", "UNVERIFIED", "MERGE", "no", "PARTIAL", "BLOCKED"];

impl Case {
    fn draw(&self, what: impl Hash) -> u64 {
        draw(self.seed, what)
    }

    fn result(&self, play: &Play) -> StepResult {
        let (instance, _) = play.running();
        let attempts = &play.state.visit(&instance).unwrap().attempts;
        let failures = attempts.iter().filter(|a| a.result.is_some()).count();
        let draw = self.draw((&instance, failures));
        let status = match draw % 16 {
            0 => ExecutionStatus::Failed,
            1 => ExecutionStatus::Skipped,
            // Now and then a tool must be approved, and then perhaps another one.
            2 | 3 if failures < 4 => return asks(draw),
            _ => ExecutionStatus::Succeeded,
        };
        let mut result = StepResult::new(status);
        result.receipt_readable = draw & 0x70 != 0;
        // Of several agents each has a result, those that did not begin aside.
        let started = &attempts.last().unwrap().started;
        let began = started.crew.len().saturating_sub((draw >> 50 & 1) as usize);
        let each = started.agents.iter().take(began).map(|agent| AgentResult {
            agent: agent.clone(),
            started_at: At(0),
            ended_at: At(1),
            result: StepResult::new(status),
        });
        result.agents = each.collect();
        let word = |shift: u32| WORDS[(draw >> shift) as usize % WORDS.len()];
        for (field, shift) in [("status", 8), ("can_further_iteration_help", 12), ("verdict", 20)] {
            if draw & (0b11 << (shift + 4)) != 0 {
                result.report.insert(field.into(), json!(word(shift)));
            }
        }
        crate::play::some_coverage(&mut result, self.draw((&instance, failures, "coverage")));
        crate::play::some_feedback(
            &mut result,
            self.draw((&instance, failures, "feedback")),
            &play.workflow,
        );
        if draw & (1 << 32) == 0 {
            let path = format!("{}.md", instance.step);
            result.artifacts.push(engine::Artifact {
                digest: format!("{path}#{draw:x}").into(),
                path,
                bytes: 1,
                was_there: false,
                executable: None,
            });
        }
        if let Some(artifact) = result.artifacts.first().filter(|_| draw & (0b11 << 40) == 0) {
            result.lifecycle = Some(Box::new(Lifecycle {
                evidence: vec![claim(&instance, artifact, draw)],
                ..Lifecycle::default()
            }));
        }
        result
    }

    /// The next command that the run waits for; `None` at its end.
    fn next(&self, play: &Play) -> Option<Intent> {
        match effects(&play.workflow, &play.state).into_iter().next() {
            Some(Effect::Execute { instance, attempt }) => {
                let result = Arc::new(self.result(play));
                Some(Intent::Finish {
                    instance,
                    attempt,
                    result,
                })
            }
            Some(Effect::WaitUntil { instance, .. }) => Some(Intent::Retry { instance }),
            Some(Effect::Navigate { instance }) => {
                Some(crate::play::navigated(&play.state, &instance, self.draw(&instance)))
            }
            Some(Effect::Proceed) => Some(Intent::Proceed),
            Some(Effect::Ask { gate, round }) => {
                let answer = match self.draw((&gate, round)) % 4 {
                    // Nobody goes on for ever: a gate inside an endless cycle is at last given up.
                    _ if round > 5 => {
                        return Some(Intent::Abort {
                            by: "Ada".into(),
                            reason: "enough".into(),
                            given: None,
                        });
                    }
                    0 if play.opened().changes_to.is_some() => Answer::Changes,
                    1 => Answer::Reject,
                    _ => Answer::Approve,
                };
                let (answer, way) = crate::play::way(&play.opened(), answer, self.draw((&gate, round, "way")));
                let decision = engine::Decision {
                    way,
                    ..play.decision(answer, "because")
                };
                Some(Intent::Answer(Arc::new(decision)))
            }
            None if play.state.paused && !play.state.status.ended() => Some(Intent::Resume {
                by: "Ada".into(),
                given: None,
            }),
            None => None,
        }
    }

    fn play(&self) -> Play {
        let mut steps = self.steps.clone();
        crate::detours::some(&mut steps, self.draw("detours"));
        let mut workflow = workflow(steps);
        workflow.spec_generation = self.spec;
        Play::new(workflow)
    }

    fn begin(&self) -> Play {
        let mut play = self.play();
        let choosing = engine::Choosing {
            mode: match self.draw("mode") % 3 {
                0 => engine::RoutingMode::DeterministicOnly,
                1 => engine::RoutingMode::Assist,
                _ => engine::RoutingMode::Authoritative,
            },
            navigator: (!self.draw("navigator").is_multiple_of(3)).then(|| "pilot".into()),
        };
        let created = engine::RunCreated {
            choosing,
            global_context: crate::play::some_standards(self.draw("standards")),
            ..crate::play::created(self.limits)
        };
        play.send(Intent::Create(Arc::new(created))).unwrap();
        play
    }

    fn drive(&self, play: &mut Play) {
        for _ in 0..2_000 {
            let Some(intent) = self.next(play) else { return };
            // A retry comes when its time has come.
            if let (Intent::Retry { .. }, Cursor::Retrying { at, .. }) = (&intent, &play.state.cursor) {
                play.now = play.now.max(*at);
            }
            play.send(intent).unwrap();
        }
        panic!("the run does not end");
    }
}

/// An attempt that waits until a person has approved a tool; one in eight does not say which.
fn asks(draw: u64) -> StepResult {
    let ask = ToolAsk {
        gate: format!("tool:t{}", draw >> 8 & 3),
        tool: "t".to_owned(),
        args: json!({}),
        risk: Risk::High,
        call: format!("{draw:x}").into(),
        place: 0,
    };
    let mut result = StepResult::new(ExecutionStatus::Blocked);
    result.lifecycle = Some(Box::new(Lifecycle {
        asks: (draw >> 16 & 7 != 0).then_some(ask),
        ..Lifecycle::default()
    }));
    result
}

fn claim(instance: &Instance, artifact: &engine::Artifact, draw: u64) -> Evidence {
    let level = |shift: u32| [Level::L0, Level::L1, Level::L2][(draw >> shift) as usize % 3];
    Evidence {
        id: format!("ev:{}:{}", instance.step, instance.visit),
        claim: "It is so.".to_owned(),
        level: level(42),
        source: "worker".to_owned(),
        date: "2026-01-01".to_owned(),
        valid_until: "2027-01-01".to_owned(),
        congruence: "CL2".to_owned(),
        reliability: 0.5,
        wlnk: 0.4,
        carrier_ref: artifact.path.clone(),
        artifacts: vec![About {
            path: artifact.path.clone(),
            digest: artifact.digest.clone(),
        }],
        notes: String::new(),
        asked: Some(level(46)),
    }
}

/// What must come out the same however often a run was stopped on the way: everything but times and cut-off attempts.
fn outcome(state: &RunState) -> Value {
    let visits: Vec<Value> = state
        .visits()
        .iter()
        .map(|v| {
            let results: Vec<_> = v.attempts.iter().filter_map(|a| a.result.as_deref()).collect();
            let comments = v.attempts.last().map(|a| &a.started.comments);
            json!([v.instance, v.left_by, results, comments])
        })
        .collect();
    let gates: Vec<Value> = state
        .gates
        .values()
        .flatten()
        .map(|r| json!([r.opened, r.answer.as_ref().map(|(d, _)| d)]))
        .collect();
    let evidence: Vec<Value> = state
        .evidence
        .iter()
        .map(|held| {
            json!([
                held.record,
                held.superseded,
                held.promotions.iter().map(|(p, _)| p).collect::<Vec<_>>()
            ])
        })
        .collect();
    json!({
        "status": format!("{:?}", state.status),
        "error": state.error,
        "executed": state.executed,
        "completed": state.completed,
        "loops": state.loop_state,
        "routes": state.routes,
        "visits": visits,
        "gates": gates,
        "evidence": evidence,
        "feedback": crate::play::loops(state),
    })
}

fn step_id(steps: usize) -> impl Strategy<Value = StepId> {
    // Now and then a step that does not exist.
    (0..steps * 8 + 1).prop_map(move |i| {
        StepId::new(if i == steps * 8 {
            "zzz".into()
        } else {
            format!("s{}", i % steps)
        })
    })
}

fn routing(steps: usize) -> impl Strategy<Value = Routing> {
    let to = move || step_id(steps);
    let next = move || prop_oneof![1 => Just(None), 3 => to().prop_map(Some)];
    let word = || proptest::sample::select(&WORDS[..]).prop_map(str::to_owned);
    let field = || {
        proptest::option::of(proptest::sample::select(vec![
            "status".to_owned(),
            "verdict".to_owned(),
        ]))
    };
    prop_oneof![
        4 => Just(Routing::Sequence),
        2 => next().prop_map(|next| Routing::Linear { next }),
        4 => (proptest::option::weighted(0.9, to()), field(), word(), 0..4u32, next(), any::<bool>()).prop_map(
            |(loop_target, condition_field, value, max_iterations, next, spec)| {
                let exit_on = if spec {
                    IndexMap::from([("status".to_owned(), vec![json!(value)]), ("can_further_iteration_help".to_owned(), vec![json!(false)])])
                } else {
                    IndexMap::new()
                };
                let success_values = vec![value];
                Routing::Microloop(Microloop { loop_target, condition_field, success_values, max_iterations, next, exit_on })
            }
        ),
        2 => (field(), word(), to(), word(), to(), next()).prop_map(|(field, a, to_a, b, to_b, next)| {
            Routing::Branch(Branch { field, branches: IndexMap::from([(a, to_a), (b, to_b)]), next })
        }),
        1 => (word(), to(), any::<bool>(), next()).prop_map(|(value, to, back, next)| {
            let condition = Condition::Compare { field: "status".into(), operator: Operator::Equals, value: json!(value) };
            Routing::Guarded { guards: vec![Guard { condition, to, back, most: model::routing::BACK_EDGE_BOUND }], next }
        }),
        1 => next().prop_map(|next| Routing::Unknown { kind: "fork".into(), next, fields: Default::default() }),
        1 => Just(Routing::Terminal),
    ]
}

fn a_gate(steps: usize) -> impl Strategy<Value = Option<Gate>> {
    use GateRequirement::{Conditional, Optional, Recommended, Required};
    let requirement = proptest::sample::select(vec![Required, Required, Conditional, Recommended, Optional]);
    let at = proptest::sample::select(vec![GateAt::Before, GateAt::After]);
    let gate =
        (requirement, at, proptest::option::weighted(0.3, step_id(steps))).prop_map(|(requirement, at, on_reject)| {
            Gate {
                requirement,
                at,
                question: None,
                asks: vec![],
                on_reject,
            }
        });
    proptest::option::weighted(0.4, gate)
}

/// Routing, gate, retries (extra attempts, pause), the step whose file it takes in, and how many agents do it.
type Part = (Routing, Option<Gate>, Option<(u32, u64)>, Option<usize>, usize);

fn a_case() -> impl Strategy<Value = Case> {
    let steps = (1..6usize).prop_flat_map(|n| {
        let retries = proptest::option::weighted(0.3, (0..3u32, 0..50u64));
        let one = (
            routing(n),
            a_gate(n),
            retries,
            proptest::option::weighted(0.4, 0..n),
            0..4usize,
        );
        proptest::collection::vec(one, n).prop_map(|parts| {
            let step = |(i, part): (usize, Part)| {
                let (routing, gate, retries, input, agents) = part;
                let mut step = Step::new(format!("s{i}"), i);
                step.routing = routing;
                step.gate = gate;
                step.agents = (0..agents).map(|n| format!("a{n}").as_str().into()).collect();
                step.retries = retries.map(|(max, backoff_ms)| Retries {
                    max: Some(max),
                    backoff_ms,
                });
                step.inputs = input.map(|i| format!("s{i}.md")).into_iter().collect();
                step
            };
            parts.into_iter().enumerate().map(step).collect::<Vec<_>>()
        })
    });
    (
        steps,
        any::<bool>(),
        any::<bool>(),
        0..2u32,
        any::<bool>(),
        any::<u64>(),
    )
        .prop_map(
            |(steps, conditional_required, recommended_required, max_retries, spec, seed)| {
                let limits = Limits {
                    conditional_required,
                    recommended_required,
                    max_retries,
                    ..Limits::default()
                };
                Case {
                    steps,
                    limits,
                    spec,
                    seed,
                }
            },
        )
}

/// Every intent there is, aimed at wherever the state says something is.
fn any_intents(play: &Play) -> Vec<Intent> {
    let mut intents = vec![
        Intent::Create(Arc::new(crate::play::created(Limits::default()))),
        Intent::Proceed,
        Intent::Pause {
            by: String::new(),
            given: None,
        },
        Intent::Checkpoint {
            by: String::new(),
            name: "here".into(),
        },
        Intent::Resume {
            by: String::new(),
            given: None,
        },
        Intent::Abort {
            by: String::new(),
            reason: String::new(),
            given: None,
        },
    ];
    if let Cursor::Running { instance, attempt } | Cursor::Retrying { instance, attempt, .. } =
        play.state.cursor.clone()
    {
        for status in [
            ExecutionStatus::Succeeded,
            ExecutionStatus::Failed,
            ExecutionStatus::Skipped,
            ExecutionStatus::Blocked,
        ] {
            let result = Arc::new(StepResult::new(status));
            intents.push(Intent::Finish {
                instance: instance.clone(),
                attempt,
                result,
            });
        }
        intents.push(Intent::Interrupt {
            instance: instance.clone(),
            attempt,
            reason: String::new(),
            let_go: false,
            seen: None,
        });
        intents.push(Intent::Retry { instance });
    }
    if play.state.waiting().is_some() {
        for answer in [Answer::Approve, Answer::Changes, Answer::Reject] {
            intents.push(Intent::Answer(Arc::new(play.decision(answer, "because"))));
        }
    }
    intents
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, max_shrink_iters: 2_000, ..ProptestConfig::default() })]

    /// `Play` checks after every commit: the grammar, state = fold(log), determinism, one thing waited for.
    #[test]
    fn every_run_ends_and_its_log_is_well_formed(case in a_case()) {
        let mut play = case.begin();
        case.drive(&mut play);
        prop_assert!(play.state.status.ended());
        let ends = play.log.iter().filter(|(_, e)| matches!(e, Event::RunCompleted(_))).count();
        prop_assert_eq!(ends, 1);
        crate::feedback::within_bounds(&play.log, case.limits.feedback_rounds);
    }

    #[test]
    fn a_run_stopped_after_any_event_ends_the_same(case in a_case()) {
        let mut whole = case.begin();
        case.drive(&mut whole);
        let expected = outcome(&whole.state);
        // Of long runs every third boundary: the others come with another case.
        let stride = 1 + whole.log.len() / 60;
        for end in (1..=whole.log.len()).skip(case.seed as usize % stride).step_by(stride) {
            let mut play = Play::cut_off(whole.workflow.clone(), &whole.log[..end]);
            // A person who takes the run up is recorded first, wherever it was cut off.
            if end.is_multiple_of(2) && !play.state.status.ended() {
                play.send_idle(Intent::TakeUp { by: "Eve".into(), given: None });
            }
            if matches!(play.state.cursor, Cursor::Running { .. }) {
                play.interrupt();
            }
            case.drive(&mut play);
            play.check_log();
            prop_assert_eq!(outcome(&play.state), expected.clone(), "stopped after event {}", end);
        }
    }

    #[test]
    fn a_run_paused_on_the_way_ends_the_same(case in a_case(), pauses in proptest::collection::vec(any::<bool>(), 1..40)) {
        let mut whole = case.begin();
        case.drive(&mut whole);
        let mut play = case.begin();
        for pause in pauses {
            if pause && !play.state.paused && !play.state.status.ended() {
                play.pause();
            }
            let Some(intent) = case.next(&play) else { break };
            if let Cursor::Retrying { at, .. } = &play.state.cursor {
                play.now = play.now.max(*at);
            }
            play.send(intent).unwrap();
        }
        case.drive(&mut play);
        prop_assert_eq!(outcome(&play.state), outcome(&whole.state));
    }

    #[test]
    fn an_abort_ends_every_run_at_once(case in a_case(), after in 0..30usize) {
        let mut play = case.begin();
        for _ in 0..after {
            let Some(intent) = case.next(&play) else { break };
            if let Cursor::Retrying { at, .. } = &play.state.cursor {
                play.now = play.now.max(*at);
            }
            play.send(intent).unwrap();
        }
        if !play.state.status.ended() {
            play.send(Intent::Abort { by: "Ada".into(), reason: "enough".into(), given: None }).unwrap();
        }
        prop_assert!(play.state.status.ended());
        for back in 1..play.log.len().min(4) {
            let mut rest = Play::cut_off(play.workflow.clone(), &play.log[..play.log.len() - back]);
            if let Cursor::Between(Due::Abort { .. }) = rest.state.cursor {
                rest.send(Intent::Proceed).unwrap();
                rest.check_log();
                prop_assert_eq!(outcome(&rest.state), outcome(&play.state));
            }
        }
    }

    #[test]
    fn no_order_of_events_makes_the_machine_panic(case in a_case(), order in proptest::collection::vec(any::<u16>(), 0..60)) {
        let mut whole = case.begin();
        case.drive(&mut whole);
        let mut garbage = case.play();
        for pick in order {
            let (at, event) = whole.log[pick as usize % whole.log.len()].clone();
            apply(&mut garbage.state, at, &event);
            garbage.log.push((at, event));
            effects(&garbage.workflow, &garbage.state);
            for intent in any_intents(&garbage) {
                let command = Command { at: At(i64::MAX), intent };
                if let Ok(decided) = decide(&garbage.workflow, &garbage.state, &command) {
                    let mut next = garbage.state.clone();
                    decided.events.iter().for_each(|e| apply(&mut next, At(i64::MAX), e));
                    assert_eq!(next, decided.state);
                }
            }
        }
        prop_assert_eq!(fold(garbage.log.iter().map(|(at, e)| (*at, e))), garbage.state);
    }
}
