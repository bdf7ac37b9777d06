//! RunStep entries (seed 000 "RunStep"): whatever happens in a run of any format, no move is asked for that the contract's state
//! machine refuses, and the entries say what the state says.

use crate::play::{Play, created, draw, gate, made, steps};
use engine::run_step::Change;
use engine::{
    About, Answer, At, Cursor, DetourMove, Effect, EndStatus, Event, Evidence, ExecutionStatus, GatePolicy, Instance,
    Intent, Level, Lifecycle, Limits, RefusalCode, RouteDecision, RouteSource, RunCreated, RunState, RunStatus,
    RunStepStatus, RunSteps, StepResult, ToolAsk, effects, fold,
};
use model::{Format, Gate, GateAt, GateRequirement, Retries, Risk, Step, Workflow};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::Arc;

/// Panics when the entries of a prefix of a log break the contract or differ from the state. Every log that any test of the
/// machine makes comes by here.
pub fn check_run_steps(log: &[(At, Event)]) {
    let mut steps = RunSteps::default();
    let mut stands: BTreeMap<Instance, RunStepStatus> = BTreeMap::new();
    for (at, event) in log {
        for Change {
            instance,
            from,
            to,
            error,
        } in steps.push(*at, event)
        {
            let before = stands.insert(instance, to).unwrap_or(RunStepStatus::Pending);
            assert_eq!(before, from, "a change begins where the last one ended");
            let allowed = matches!(
                (from.word(), to.word()),
                ("pending" | "failed" | "blocked", "running") | ("running", "completed" | "failed" | "blocked")
            );
            assert!(allowed, "{from:?} -> {to:?}");
            assert!(to != RunStepStatus::Failed || error.is_some(), "a failure says why");
        }
    }
    assert_eq!(steps.refused(), [""; 0]);
    agrees(&steps, &fold(log.iter().map(|(at, e)| (*at, e))));
}

fn agrees(steps: &RunSteps, state: &RunState) {
    for entry in steps.entries() {
        let visit = state.visit(&entry.instance);
        assert_eq!(
            entry.attempts as usize,
            visit.map_or(0, |v| v.attempts.len()),
            "{entry:?}"
        );
        let last = visit.and_then(|v| v.attempts.last()).and_then(|a| a.result.as_deref());
        let done = last.is_some_and(|r| r.status.completes());
        assert!(entry.started_at.is_some());
        match entry.status {
            RunStepStatus::Pending => panic!("an entry is made when its step is entered"),
            RunStepStatus::Running => assert!(!state.status.ended(), "nothing runs after the end: {entry:?}"),
            RunStepStatus::Blocked => assert!(entry.error.is_some()),
            RunStepStatus::Failed => assert!(entry.error.is_some() && entry.ended_at.is_some()),
            RunStepStatus::Completed => assert!(done && entry.ended_at.is_some(), "{entry:?}"),
        }
    }
    for visit in state.visits() {
        assert!(steps.get(&visit.instance).is_some(), "every visit has its entry");
    }
    if let Some(round) = state.waiting() {
        let entry = steps.get(&round.opened.instance).unwrap();
        assert_eq!(entry.status, RunStepStatus::Blocked);
    }
    if let Cursor::Running { instance, .. } = &state.cursor {
        assert_eq!(steps.get(instance).unwrap().status, RunStepStatus::Running);
    }
    // What the routing itself led away from was carried out, unless that was a runbook's failure.
    let by_itself = |route: &&Arc<RouteDecision>| route.source != RouteSource::Person && route.runbook.is_none();
    let left = |route: &&Arc<RouteDecision>| !matches!(route.detour, Some(DetourMove::Out { on: true, .. }));
    for route in state.routes.iter().filter(by_itself).filter(left) {
        let entry = steps.get(&route.from).unwrap();
        // What failed may have said whose work has to be done again first.
        let failed = matches!(route.reason, engine::RouteReason::Feedback(_)) && entry.status == RunStepStatus::Failed;
        assert!(failed || entry.status == RunStepStatus::Completed, "{entry:?}");
    }
}

/// A random StepSpec run. An outcome depends on the visit and its attempts, an answer on gate and round.
#[derive(Debug, Clone)]
struct Case {
    steps: Vec<Step>,
    limits: Limits,
    policy: GatePolicy,
    seed: u64,
}

impl Case {
    fn draw(&self, what: impl Hash) -> u64 {
        draw(self.seed, what)
    }

    fn result(&self, play: &Play, instance: &Instance) -> StepResult {
        let attempts = play.state.visit(instance).map_or(0, |v| v.attempts.len());
        let draw = self.draw((instance, attempts));
        match draw % 8 {
            0 | 1 => crate::play::failed("broken"),
            2 => StepResult::new(ExecutionStatus::Skipped),
            3 | 4 if attempts < 4 => {
                let ask = ToolAsk {
                    gate: format!("tool:nuke:{}", instance.step),
                    tool: "nuke".to_owned(),
                    args: serde_json::json!({}),
                    risk: Risk::High,
                    call: "1".into(),
                    place: 0,
                };
                let mut result = StepResult::new(ExecutionStatus::Blocked);
                result.lifecycle = Some(Box::new(Lifecycle {
                    asks: Some(ask),
                    ..Lifecycle::default()
                }));
                result
            }
            _ => {
                let path = format!("{}.md", instance.step);
                let mut result = made(&draw.to_string(), &[&path]);
                let about = About {
                    path: path.clone(),
                    digest: result.artifacts[0].digest.clone(),
                };
                let record = Evidence {
                    id: format!("ev:{}:{}", instance.step, instance.visit),
                    claim: "It is complete.".to_owned(),
                    level: if draw & 16 == 0 { Level::L0 } else { Level::L1 },
                    source: "writer".to_owned(),
                    date: "2026-01-01".to_owned(),
                    valid_until: "2027-01-01".to_owned(),
                    congruence: "CL2".to_owned(),
                    reliability: 0.9,
                    wlnk: 0.72,
                    carrier_ref: path,
                    artifacts: vec![about],
                    notes: String::new(),
                    asked: Some(Level::L2),
                };
                result.lifecycle = Some(Box::new(Lifecycle {
                    evidence: vec![record],
                    ..Lifecycle::default()
                }));
                result
            }
        }
    }

    fn next(&self, play: &mut Play, reopened: &mut u32) -> Option<Intent> {
        let by = "Ada".to_owned();
        Some(match effects(&play.workflow, &play.state).into_iter().next() {
            Some(Effect::Execute { instance, attempt }) => match self.draw((&instance, attempt, "cut")) % 12 {
                0 => Intent::Interrupt {
                    instance,
                    attempt,
                    reason: "power cut".to_owned(),
                    let_go: false,
                    seen: None,
                },
                _ => Intent::Finish {
                    result: Arc::new(self.result(play, &instance)),
                    instance,
                    attempt,
                },
            },
            Some(Effect::WaitUntil { instance, at, .. }) => {
                play.now = play.now.max(at);
                Intent::Retry { instance }
            }
            Some(Effect::Navigate { instance }) => crate::play::navigated(&play.state, &instance, self.draw(&instance)),
            Some(Effect::Proceed) => Intent::Proceed,
            Some(Effect::Ask { gate, round }) => {
                let changes = play.opened().changes_to.is_some() && round < 4;
                let answer = match self.draw((&gate, round)) % 8 {
                    0 => {
                        return Some(Intent::Abort {
                            by,
                            reason: "enough".to_owned(),
                            given: None,
                        });
                    }
                    1 => Answer::Reject,
                    2 | 3 if changes => Answer::Changes,
                    4 if !play.state.paused => return Some(Intent::Pause { by, given: None }),
                    _ => Answer::Approve,
                };
                let (answer, way) = crate::play::way(&play.opened(), answer, self.draw((&gate, round, "way")));
                Intent::Answer(Arc::new(engine::Decision {
                    way,
                    ..play.decision(answer, "because")
                }))
            }
            None if play.state.paused && !play.state.status.ended() => Intent::Resume { by, given: None },
            None if *reopened < 3 && play.state.status != RunStatus::Ended(EndStatus::Succeeded) => {
                *reopened += 1;
                Intent::Reopen {
                    by,
                    choices: BTreeMap::new(),
                }
            }
            None => return None,
        })
    }

    fn begin(&self) -> Play {
        let workflow = Workflow::new("prd".into(), "PRD".into(), Format::StepSpec, self.steps.clone());
        let mut play = Play::new(workflow);
        let created = RunCreated {
            format: Format::StepSpec,
            policy: self.policy.clone(),
            ..created(self.limits)
        };
        play.send(Intent::Create(Arc::new(created))).unwrap();
        play
    }

    /// Drives the run until nothing is left; every commit is checked ([`check_run_steps`] by way of the grammar).
    fn drive(&self, play: &mut Play) {
        let mut reopened = 0;
        for _ in 0..600 {
            let Some(intent) = self.next(play, &mut reopened) else {
                return;
            };
            if let Err(refusal) = play.send(intent) {
                // Every step is completed although the run was aborted: nothing is left to be taken up.
                assert_eq!(refusal.code, RefusalCode::CannotReopen);
                return;
            }
        }
    }
}

fn a_step() -> impl Strategy<Value = Step> {
    use GateRequirement::{Conditional, Optional, Recommended, Required};
    let requirement = proptest::sample::select(vec![Required, Conditional, Recommended, Optional]);
    let at = proptest::sample::select(vec![GateAt::Before, GateAt::After]);
    let phase = proptest::sample::select(vec!["Phase 1", "Phase 2"]);
    let asks = proptest::option::weighted(0.7, (requirement, at));
    let retries = proptest::option::weighted(0.5, (0..3u32, 0..50u64));
    (asks, phase, retries).prop_map(|(asks, phase, retries)| {
        let mut step = Step::new("x", 0);
        step.phase = Some(phase.to_owned());
        step.gate = asks.and_then(|(requirement, at)| gate(at).map(|gate| Gate { requirement, ..gate }));
        step.retries = retries.map(|(max, backoff_ms)| Retries {
            max: Some(max),
            backoff_ms,
        });
        step
    })
}

fn a_case() -> impl Strategy<Value = Case> {
    let steps = proptest::collection::vec(a_step(), 1..5).prop_map(|steps| {
        let named = |(i, step): (usize, Step)| Step {
            id: format!("s{i}").as_str().into(),
            ordinal: i,
            ..step
        };
        steps.into_iter().enumerate().map(named).collect::<Vec<_>>()
    });
    let phases = proptest::collection::vec(proptest::sample::select(vec!["Phase 1".to_owned()]), 0..2);
    (steps, phases, any::<bool>(), any::<bool>(), 0..2u32, any::<u64>()).prop_map(
        |(steps, required_phases, conditional_required, recommended_required, max_retries, seed)| Case {
            steps,
            limits: Limits {
                conditional_required,
                recommended_required,
                max_retries,
                ..Limits::default()
            },
            policy: GatePolicy {
                required_phases,
                ..GatePolicy::default()
            },
            seed,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, max_shrink_iters: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn no_run_asks_for_a_refused_move(case in a_case()) {
        let mut play = case.begin();
        case.drive(&mut play);
        for end in 0..play.log.len() {
            let steps = RunSteps::of(play.log[..end].iter().map(|(at, e)| (*at, e)));
            prop_assert_eq!(steps.refused(), [""; 0], "after {} events", end);
        }
    }
}

fn story(play: &Play) -> Vec<String> {
    let mut steps = RunSteps::default();
    let changes = play.log.iter().flat_map(|(at, event)| steps.push(*at, event));
    let told = changes.map(|c| format!("{}#{} {}", c.instance.step, c.instance.visit, c.to.word()));
    told.collect()
}

fn start(steps: Vec<Step>) -> Play {
    let case = Case {
        steps,
        limits: Limits::default(),
        policy: GatePolicy::default(),
        seed: 0,
    };
    case.begin()
}

#[test]
fn a_gate_before_the_work_blocks_a_running_step() {
    let mut flow = steps(&["a", "b"]);
    flow[1].gate = gate(GateAt::Before);
    let mut play = start(flow);
    play.succeed();
    play.answer(Answer::Changes, "name the owner");
    play.succeed();
    play.answer(Answer::Approve, "");
    play.succeed();
    // Sent back before its work, b stays blocked until a has been done again.
    let told = [
        "a#1 running",
        "a#1 completed",
        "b#1 running",
        "b#1 blocked",
        "a#2 running",
        "a#2 completed",
        "b#1 running",
        "b#1 completed",
    ];
    assert_eq!(story(&play), told);
}

#[test]
fn a_step_is_completed_when_it_is_left() {
    let mut flow = steps(&["a"]);
    flow[0].gate = gate(GateAt::After);
    flow[0].retries = Some(Retries {
        max: Some(1),
        backoff_ms: 0,
    });
    let mut play = start(flow);
    play.finish(crate::play::failed("broken"));
    let instance = play.state.visits()[0].instance.clone();
    play.send(Intent::Retry { instance }).unwrap();
    play.succeed();
    play.answer(Answer::Changes, "shorter");
    play.succeed();
    play.answer(Answer::Approve, "");
    let told = [
        "a#1 running",
        "a#1 failed",
        "a#1 running",
        "a#1 blocked",
        "a#1 running",
        "a#1 failed",
        "a#2 running",
        "a#2 blocked",
        "a#2 running",
        "a#2 completed",
    ];
    assert_eq!(story(&play), told);
    let steps = RunSteps::of(play.log.iter().map(|(at, e)| (*at, e)));
    assert_eq!(
        steps.entries()[0].error.as_deref(),
        Some("Changes requested by Ada: shorter")
    );
    assert_eq!((steps.entries()[0].attempts, steps.entries()[1].attempts), (2, 1));
}

#[test]
fn a_rejection_fails_the_step_and_an_abort_what_runs() {
    let mut flow = steps(&["a"]);
    flow[0].gate = gate(GateAt::Before);
    let mut play = start(flow.clone());
    play.answer(Answer::Reject, "not now");
    assert_eq!(
        story(&play),
        ["a#1 running", "a#1 blocked", "a#1 running", "a#1 failed"]
    );
    let mut play = start(flow);
    play.answer(Answer::Approve, "");
    play.send(Intent::Abort {
        by: "Ada".into(),
        reason: String::new(),
        given: None,
    })
    .unwrap();
    assert_eq!(
        story(&play),
        ["a#1 running", "a#1 blocked", "a#1 running", "a#1 failed"]
    );
}
