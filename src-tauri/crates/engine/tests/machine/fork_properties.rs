//! Random flows with forks, forks inside forks, loops, gates and failures: what holds for every run, however often it is stopped and
//! whichever branch is quicker.

use crate::play::{Play, draw, workflow};
use engine::control::resume;
use engine::{
    Answer, Choice, Cursor, Effect, Event, ExecutionStatus, GateId, Instance, Intent, Limits, RunState, StepResult,
    effects,
};
use model::{
    BranchFailure, Fork, ForkRules, Gate, GateAt, GateRequirement, JoinRule, Merge, Microloop, Retries, Routing, Step,
    StepId,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::hash::Hash;
use std::sync::Arc;

/// A part of a flow.
#[derive(Debug, Clone)]
enum Part {
    Step {
        gate: Option<GateAt>,
        retries: u32,
    },
    /// Back to the part before it until it is verified.
    Critic {
        max: u32,
    },
    Fork {
        branches: Vec<Vec<Part>>,
        rules: ForkRules,
    },
}

#[derive(Debug, Clone)]
struct Case {
    parts: Vec<Part>,
    parallel: u32,
    seed: u64,
    /// How often a person takes the run up again that has ended badly.
    again: u32,
    /// Nobody is asked about anything: who answers first would decide.
    steady: bool,
}

/// Turns parts into steps, each with the next one behind it.
fn build(parts: &[Part], last: Option<&StepId>, steps: &mut Vec<Step>) -> StepId {
    let mut heads: Vec<StepId> = Vec::new();
    // The steps whose way on is not known yet, and the join of a fork.
    let mut open: Option<usize> = None;
    for part in parts {
        let ordinal = steps.len();
        let id = StepId::new(format!("s{ordinal}"));
        let mut step = Step::new(format!("s{ordinal}"), ordinal);
        if let Some(before) = open.take() {
            lead(&mut steps[before], Some(&id));
        }
        let mut leaves = ordinal;
        step.routing = Routing::Linear { next: None };
        match part {
            Part::Step { gate, retries } => {
                step.gate = gate.map(|at| Gate {
                    requirement: GateRequirement::Required,
                    at,
                    question: None,
                    asks: vec![],
                    on_reject: None,
                });
                step.retries = Some(Retries {
                    max: Some(*retries),
                    backoff_ms: 5,
                });
                steps.push(step);
            }
            Part::Critic { max } => {
                step.routing = Routing::Microloop(Microloop {
                    loop_target: heads.last().cloned(),
                    condition_field: Some("status".into()),
                    success_values: vec!["VERIFIED".into()],
                    max_iterations: *max,
                    next: None,
                    exit_on: Default::default(),
                });
                steps.push(step);
            }
            Part::Fork { branches, rules } => {
                steps.push(step);
                let join = steps.len();
                let mut at_join = Step::new(format!("s{join}"), join);
                at_join.routing = Routing::Linear { next: None };
                let join_id = at_join.id.clone();
                steps.push(at_join);
                let targets = branches
                    .iter()
                    .map(|parts| build(parts, Some(&join_id), steps))
                    .collect();
                steps[ordinal].routing = Routing::Fork(Box::new(Fork {
                    targets,
                    join: Some(join_id),
                    rules: rules.clone(),
                }));
                leaves = join;
            }
        }
        heads.push(id);
        open = Some(leaves);
    }
    if let Some(before) = open {
        lead(&mut steps[before], last);
    }
    heads[0].clone()
}

fn lead(step: &mut Step, to: Option<&StepId>) {
    match &mut step.routing {
        Routing::Linear { next } => *next = to.cloned(),
        Routing::Microloop(microloop) => microloop.next = to.cloned(),
        _ => {}
    }
}

impl Case {
    fn draw(&self, what: impl Hash) -> u64 {
        draw(self.seed, what)
    }

    fn begin(&self) -> Play {
        let mut steps = Vec::new();
        build(&self.parts, None, &mut steps);
        crate::detours::some(&mut steps, self.draw("detours"));
        let limits = Limits {
            parallel: self.parallel,
            ..Limits::default()
        };
        let mut play = Play::new(workflow(steps));
        let created = engine::RunCreated {
            global_context: crate::play::some_standards(self.draw("standards")).filter(|_| !self.steady),
            ..crate::play::created(limits)
        };
        play.send(Intent::Create(Arc::new(created))).unwrap();
        assert_eq!(model::branches::faults(&play.workflow), []);
        play
    }

    fn result(&self, play: &Play, instance: &Instance) -> StepResult {
        let attempts = &play.state.visit(instance).unwrap().attempts;
        let failures = attempts.iter().filter(|a| a.result.is_some()).count();
        let draw = self.draw((instance, failures));
        let status = match draw % 12 {
            0 => ExecutionStatus::Failed,
            1 => ExecutionStatus::Skipped,
            _ => ExecutionStatus::Succeeded,
        };
        let mut result = StepResult::new(status);
        let word = ["VERIFIED", "VERIFIED", "UNVERIFIED", "PARTIAL"][(draw >> 8) as usize % 4];
        if draw & (1 << 20) != 0 {
            result.report.insert("status".into(), json!(word));
        }
        // Now and then it names any step as the next, also one in another branch, before a fork or behind a join.
        let names = self.draw((instance, failures, "names"));
        if names.is_multiple_of(16) {
            let steps = play.workflow.steps();
            let next = &steps[(names >> 8) as usize % steps.len()].id;
            result.report.insert("next_step_id".into(), json!(next));
        }
        crate::play::some_coverage(&mut result, self.draw((instance, failures, "coverage")));
        crate::play::some_feedback(&mut result, self.draw((instance, failures, "feedback")), &play.workflow);
        result
    }

    /// Of all that may happen next, what this order takes first.
    fn next(&self, play: &Play, order: u64) -> Option<Intent> {
        let key = |effect: &Effect| match effect {
            Effect::Proceed => 0,
            Effect::Execute { instance, .. } | Effect::WaitUntil { instance, .. } | Effect::Navigate { instance } => {
                1 + self.draw((order, instance)) / 2
            }
            Effect::Ask { gate, round } => {
                let rounds = play.state.gates.get(gate).into_iter().flatten();
                let opened = rounds.into_iter().find(|r| r.opened.round == *round).unwrap();
                1 + self.draw((order, &opened.opened.instance)) / 2
            }
        };
        let due = effects(&play.workflow, &play.state);
        match due.into_iter().min_by_key(key) {
            Some(Effect::Execute { instance, attempt }) => {
                let result = Arc::new(self.result(play, &instance));
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
            Some(Effect::Ask { gate, round }) => Some(self.answer(play, gate, round)),
            None if play.state.paused && !play.state.status.ended() => Some(Intent::Resume {
                by: "Ada".into(),
                given: None,
            }),
            None => self.taken_up(play),
        }
    }

    fn answer(&self, play: &Play, gate: GateId, round: u32) -> Intent {
        let opened = play
            .state
            .open_gates()
            .into_iter()
            .find(|r| r.opened.gate == gate)
            .unwrap();
        let answer = match self.draw((&gate, round)) % 12 {
            0..3 if opened.opened.changes_to.is_some() && round < 4 => Answer::Changes,
            // Whoever rejects ends the run, whatever the other branches have come to.
            3 if !self.steady => Answer::Reject,
            _ => Answer::Approve,
        };
        let (answer, way) = crate::play::way(&opened.opened, answer, self.draw((&gate, round, "way")));
        let seen = opened.opened.shown.iter().map(|a| a.digest.clone()).collect();
        Intent::Answer(Arc::new(engine::Decision {
            gate,
            round,
            answer,
            by: "Ada".into(),
            comment: "because".into(),
            seen,
            undrawn: Vec::new(),
            via: "test".into(),
            lasting: None,
            way,
            report: Default::default(),
            key_name: None,
            signature: None,
        }))
    }

    fn taken_up(&self, play: &Play) -> Option<Intent> {
        let before = play
            .log
            .iter()
            .filter(|(_, e)| matches!(e, Event::Reopened { .. }))
            .count();
        resume::stand(&play.workflow, &play.state, None)
            .ok()
            .filter(|_| before < self.again as usize)?;
        let places = resume::places(&play.workflow, &play.state);
        let draw = self.draw(("again", before)) as usize;
        let chosen = places.get(draw % (places.len() + 2));
        Some(Intent::Reopen {
            by: "Ada".into(),
            choices: chosen
                .map(|step| (step.id.clone(), Choice::Retry))
                .into_iter()
                .collect(),
        })
    }

    fn turn(&self, play: &mut Play, order: u64) -> bool {
        let Some(intent) = self.next(play, order) else {
            return false;
        };
        if let Intent::Retry { instance } = &intent {
            // It comes when its time has come.
            let due = effects(&play.workflow, &play.state).into_iter();
            let at = due.filter_map(|effect| match effect {
                Effect::WaitUntil { instance: waits, at } if waits == *instance => Some(at),
                _ => None,
            });
            play.now = play.now.max(at.max().unwrap());
        }
        play.send(intent).unwrap();
        true
    }

    fn drive(&self, play: &mut Play, order: u64) {
        for _ in 0..3_000 {
            if !self.turn(play, order) {
                return;
            }
        }
        panic!("the run does not end");
    }
}

/// Everything but times and cut-off attempts, in the order it happened.
fn outcome(state: &RunState) -> Value {
    let visits = state.visits().into_iter().map(|v| {
        let results: Vec<_> = v.attempts.iter().filter_map(|a| a.result.as_deref()).collect();
        json!([v.instance, v.left_by, results])
    });
    let gates = state.gates.values().flatten();
    let gates = gates.map(|r| json!([r.opened, r.answer.as_ref().map(|(d, _)| d)]));
    let forks = state.forks.all().map(|fork| {
        let ended = fork.branches.iter().map(|b| b.ended.as_ref().map(|(e, _)| e));
        json!([
            fork.forked.from,
            fork.forked.within,
            ended.collect::<Vec<_>>(),
            fork.joined.as_ref().map(|(j, _)| j)
        ])
    });
    json!({
        "status": format!("{:?}", state.status),
        "error": state.error,
        "executed": state.executed,
        "completed": state.completed,
        "routes": state.routes,
        "visits": visits.collect::<Vec<_>>(),
        "gates": gates.collect::<Vec<_>>(),
        "forks": forks.collect::<Vec<_>>(),
        "feedback": crate::play::loops(state),
    })
}

/// The same without the order among branches: what each visit came to and where it led, and each count.
fn results(state: &RunState) -> Value {
    let mut visits: Vec<String> = state
        .visits()
        .into_iter()
        .map(|v| {
            let results: Vec<_> = v.attempts.iter().filter_map(|a| a.result.as_deref()).collect();
            let to = v.left_by.and_then(|index| state.routes.get(index));
            json!([v.instance, results, to.map(|r| (&r.to, &r.reason))]).to_string()
        })
        .collect();
    visits.sort();
    let mut forks: Vec<String> = state
        .forks
        .all()
        .map(|fork| {
            let ended = fork
                .branches
                .iter()
                .map(|b| b.ended.as_ref().map(|(e, _)| (e.end, &e.status, &e.error)));
            let joined = fork
                .joined
                .as_ref()
                .map(|(j, _)| (j.met, j.completed, j.verified, j.failed, &j.status));
            json!([fork.forked.from, ended.collect::<Vec<_>>(), joined]).to_string()
        })
        .collect();
    forks.sort();
    json!({"status": format!("{:?}", state.status), "error": state.error, "visits": visits, "forks": forks})
}

/// `steady`: only what does not ask which branch was quicker.
fn rules(steady: bool) -> impl Strategy<Value = ForkRules> {
    let mut joins = vec![
        JoinRule::AllComplete,
        JoinRule::AllVerified,
        JoinRule::AnyVerified,
        JoinRule::Quorum { count: None },
        JoinRule::Quorum { count: Some(1) },
    ];
    use BranchFailure::{BestEffort, ContinueAll, FailFast};
    let mut failures = vec![ContinueAll, BestEffort, BestEffort];
    if !steady {
        joins.extend([JoinRule::FirstComplete; 2]);
        failures.push(FailFast);
    }
    let (join, on_failure) = (proptest::sample::select(joins), proptest::sample::select(failures));
    let merge = proptest::sample::select(vec![Merge::Worst, Merge::Best, Merge::Majority]);
    let batch = proptest::option::weighted(0.3, 1..3u32);
    let timeout = proptest::option::weighted(0.2, 1..200u64).prop_map(move |timeout| timeout.filter(|_| !steady));
    (join, on_failure, merge, batch, timeout).prop_map(|(join, on_failure, merge, batch, timeout_ms)| ForkRules {
        batch,
        isolated: false,
        on_failure,
        join,
        merge,
        timeout_ms,
    })
}

fn a_step(steady: bool) -> impl Strategy<Value = Part> {
    let at = proptest::sample::select(vec![GateAt::Before, GateAt::After]);
    let gate = proptest::option::weighted(0.2, at).prop_map(move |gate| gate.filter(|_| !steady));
    prop_oneof![
        4 => (gate, 0..2u32).prop_map(|(gate, retries)| Part::Step { gate, retries }),
        1 => (0..3u32).prop_map(|max| Part::Critic { max }),
    ]
}

fn a_fork(inside: impl Strategy<Value = Part>, steady: bool) -> impl Strategy<Value = Part> {
    let branch = proptest::collection::vec(inside, 1..3);
    (proptest::collection::vec(branch, 2..4), rules(steady))
        .prop_map(|(branches, rules)| Part::Fork { branches, rules })
}

/// A fork, perhaps with forks in it, between other steps; a loop may be around it.
fn a_case(steady: bool) -> impl Strategy<Value = Case> {
    let part = move || prop_oneof![5 => a_step(steady), 1 => a_fork(a_step(steady), steady)];
    let around = move || proptest::collection::vec(a_step(steady), 0..2);
    let again = 0..if steady { 1 } else { 4u32 };
    (around(), a_fork(part(), steady), around(), 1..4u32, any::<u64>(), again).prop_map(
        move |(mut parts, fork, after, parallel, seed, again)| {
            parts.push(fork);
            parts.extend(after);
            Case {
                parts,
                parallel,
                seed,
                again,
                steady,
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, max_shrink_iters: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn every_run_with_forks_ends_and_its_log_is_well_formed(case in a_case(false)) {
        let mut play = case.begin();
        case.drive(&mut play, 0);
        prop_assert!(play.state.status.ended());
        let count = |is: fn(&Event) -> bool| play.log.iter().filter(|(_, e)| is(e)).count();
        let again = count(|e| matches!(e, Event::Reopened { .. }));
        prop_assert_eq!(count(|e| matches!(e, Event::RunCompleted(_))), 1 + again);
        let at_once = play.state.cursors().filter(|c| **c != Cursor::Nowhere).count();
        prop_assert_eq!(at_once, 0);
        crate::feedback::within_bounds(&play.log, 3);
    }

    #[test]
    fn a_run_with_forks_stopped_after_any_event_ends_the_same(case in a_case(false)) {
        let mut whole = case.begin();
        case.drive(&mut whole, 0);
        let expected = outcome(&whole.state);
        let stride = 1 + whole.log.len() / 40;
        for end in (1..=whole.log.len()).skip(case.seed as usize % stride).step_by(stride) {
            let mut play = Play::cut_off(whole.workflow.clone(), &whole.log[..end]);
            while effects(&play.workflow, &play.state).contains(&Effect::Proceed) {
                play.send(Intent::Proceed).unwrap();
            }
            let running = effects(&play.workflow, &play.state).into_iter().filter_map(|effect| match effect {
                Effect::Execute { instance, attempt } => Some((instance, attempt)),
                _ => None,
            });
            for (instance, attempt) in running.collect::<Vec<_>>() {
                play.send(Intent::Interrupt { instance, attempt, reason: "power cut".into(), let_go: false, seen: None }).unwrap();
            }
            case.drive(&mut play, 0);
            play.check_log();
        let now = outcome(&play.state);
            for (key, value) in expected.as_object().unwrap() {
                prop_assert_eq!(&now[key], value, "{} of a run stopped after event {}", key, end);
            }
        }
    }

    #[test]
    fn which_branch_is_quicker_decides_nothing(case in a_case(true), order in any::<u64>(), parallel in 1..4u32) {
        let mut one = case.begin();
        case.drive(&mut one, 0);
        let mut other = Case { parallel, ..case.clone() }.begin();
        case.drive(&mut other, order);
        let limited = |play: &Play| play.state.error.as_deref().is_some_and(|e| e.starts_with("Safety limit"));
        prop_assume!(!limited(&one) && !limited(&other));
        prop_assert_eq!(results(&one.state), results(&other.state));
    }

    #[test]
    fn a_run_with_forks_paused_on_the_way_ends_the_same(case in a_case(true), pauses in proptest::collection::vec(any::<bool>(), 1..40)) {
        let mut whole = case.begin();
        case.drive(&mut whole, 0);
        prop_assume!(!whole.state.error.as_deref().is_some_and(|e| e.starts_with("Safety limit")));
        let mut play = case.begin();
        for pause in pauses {
            if pause && !play.state.paused && !play.state.status.ended() {
                play.pause();
            }
            if !case.turn(&mut play, 0) {
                break;
            }
        }
        case.drive(&mut play, 0);
        prop_assert_eq!(results(&play.state), results(&whole.state));
    }

    /// Whoever drives the run next finds several answers, and begins with what follows from all of them.
    #[test]
    fn answers_that_no_driver_hears_lead_to_the_same_end(case in a_case(true), order in any::<u64>()) {
        let mut whole = case.begin();
        case.drive(&mut whole, 0);
        let mut play = case.begin();
        loop {
            let asked = |play: &Play| effects(&play.workflow, &play.state).into_iter().find_map(|effect| match effect {
                Effect::Ask { gate, round } => Some((gate, round)),
                _ => None,
            });
            while let Some((gate, round)) = asked(&play) {
                let intent = case.answer(&play, gate, round);
                play.send_idle(intent);
            }
            if !case.turn(&mut play, order) {
                break;
            }
        }
        play.check_log();
        let limited = |play: &Play| play.state.error.as_deref().is_some_and(|e| e.starts_with("Safety limit"));
        prop_assume!(!limited(&whole) && !limited(&play));
        prop_assert_eq!(results(&play.state), results(&whole.state));
    }

    #[test]
    fn an_abort_ends_every_branch_at_once(case in a_case(false), after in 0..40usize) {
        let mut play = case.begin();
        for _ in 0..after {
            if !case.turn(&mut play, 0) {
                break;
            }
        }
        if !play.state.status.ended() {
            play.send(Intent::Abort { by: "Ada".into(), reason: "enough".into(), given: None }).unwrap();
            prop_assert!(play.state.status.ended());
            for back in 1..play.log.len().min(6) {
                let mut rest = Play::cut_off(play.workflow.clone(), &play.log[..play.log.len() - back]);
                let aborted = rest.log.iter().any(|(_, e)| matches!(e, Event::Aborted { .. }));
                if aborted {
                    rest.send(Intent::Proceed).unwrap();
                    rest.check_log();
                    prop_assert_eq!(outcome(&rest.state), outcome(&play.state));
                }
            }
        }
    }
}
