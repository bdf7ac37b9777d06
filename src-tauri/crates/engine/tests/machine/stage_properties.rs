//! Random pipelines of up to 200 stages (seed 004; CONTRACTS "Pipelines"): what holds for every one of them. What each must come to is
//! computed by the rules' letter in [`crate::stage_rules`]; what may happen on the way is watched by [`crate::stage_watch`].

use crate::stage_rules::{End, Plan, Stands};
use crate::stage_sim::{Case, Sim, Spec};
use engine::{Answer, Choice, Event, Limits, RunState, RunStatus};
use model::{GateAt, OnFailure, StepId};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A run is taken up again at most this often.
const REOPENED: usize = 3;

/// How often a stage has been visited and its gate asked before a part of the run begins.
type Counts = (BTreeMap<String, u32>, BTreeMap<String, u32>);

impl Case {
    fn plan(&self) -> Plan {
        let stages = self.stages.iter().map(|s| (s.name.clone(), s.waits.clone()));
        Plan {
            stages: stages.collect(),
            on_failure: self.on_failure,
        }
    }

    /// How a stage ends once it runs: its attempts, and what a person says of each visit.
    fn ends(&self, name: &str, (visits, rounds): &Counts) -> Stands {
        let spec = self.spec(&name.into());
        let extra = spec.retries.map_or(self.limits.max_retries, |(max, _)| max) as usize;
        let first = visits.get(name).map_or(1, |v| v + 1);
        let asked = rounds.get(name).map_or(1, |r| r + 1);
        for again in 0.. {
            let visit = first + again;
            if (0..=extra).all(|failures| self.fails(name, visit, failures)) {
                return Stands::Failed;
            }
            match spec.gate {
                Some(GateAt::After) if self.answer(name, asked + again, GateAt::After) == Answer::Changes => {}
                // A person has let it go on.
                Some(GateAt::After) => return Stands::Completed,
                _ if self.leaves_out(name, visit) => return Stands::LeftOut,
                _ => return Stands::Completed,
            }
        }
        unreachable!("rounds are bounded")
    }
}

fn stands(state: &RunState, case: &Case) -> BTreeMap<String, Stands> {
    let of = |spec: &Spec| {
        let settled = state
            .stages
            .get(&StepId::from(spec.name.as_str()))
            .and_then(|s| s.settled.as_ref());
        let stands = settled.map_or(Stands::Pending, |settled| Stands::of(settled));
        (spec.name.clone(), stands)
    };
    case.stages.iter().map(of).collect()
}

fn end(state: &RunState, case: &Case) -> End {
    let RunStatus::Ended(status) = state.status else {
        panic!("the run has ended")
    };
    End {
        status,
        error: state.error.clone(),
        stages: stands(state, case),
    }
}

/// Drives a run to its end, takes it up again and drives it on, as often as that goes.
fn drive(sim: &mut Sim<'_>) {
    sim.run();
    while sim.reopened() < REOPENED && sim.reopen() {
        sim.run();
    }
}

/// Drives a run that may be aborted on the way, and holds each of its ends against the rules.
fn drive_by_the_rules(case: &Case, abort_after: Option<usize>) -> Result<Sim<'_>, TestCaseError> {
    let plan = case.plan();
    let mut sim = Sim::begin(case);
    let mut from: BTreeMap<_, _> = case.stages.iter().map(|s| (s.name.clone(), Stands::Pending)).collect();
    let mut counts = Counts::default();
    for part in 0..=REOPENED {
        let mut aborted = None;
        for _ in 0..abort_after.filter(|_| part == 0).unwrap_or_default() {
            sim.step();
        }
        if abort_after.is_some() && part == 0 && !sim.state.status.ended() {
            aborted = Some(sim.watch.aborted());
            sim.abort();
            sim.check();
        }
        sim.run();
        let ended = end(&sim.state, case);
        match aborted {
            Some(stages) => {
                prop_assert_eq!(ended.status, engine::EndStatus::Aborted);
                prop_assert_eq!(&ended.stages, &stages);
            }
            None => prop_assert_eq!(&ended, &plan.run(from, |name| case.ends(name, &counts))),
        }
        counts = sim.watch.counts();
        from = plan.resume(ended.stages, |name| case.choice(name, part) == Choice::Retry);
        if part == REOPENED || !sim.reopen() {
            break;
        }
    }
    Ok(sim)
}

/// Kills the driver after some of the events; whoever drives on comes to the same end.
fn check_kills(case: &Case, whole: &Sim<'_>, at_most: usize) -> Result<(), TestCaseError> {
    let stride = 1 + whole.log.len() / at_most;
    let aborted = whole.log.iter().position(|(_, e)| matches!(e, Event::Aborted { .. }));
    let mut unharmed = None;
    for cut in (1..=whole.log.len()).skip(case.seed as usize % stride).step_by(stride) {
        let mut sim = Sim::cut_off(case, &whole.log[..cut]);
        sim.recover();
        drive(&mut sim);
        // Cut before the abort, nobody aborts it.
        let expected = if aborted.is_some_and(|at| cut <= at) {
            unharmed.get_or_insert_with(|| {
                let mut sim = Sim::begin(case);
                drive(&mut sim);
                end(&sim.state, case)
            })
        } else {
            &end(&whole.state, case)
        };
        prop_assert_eq!(
            &end(&sim.state, case),
            expected,
            "killed after event {}: {:?}",
            cut,
            whole.log[cut - 1].1
        );
    }
    Ok(())
}

/// What of a stage is random: for each of its dependencies how far back that stands, and its marks.
type Part = (Vec<usize>, bool, Option<(u32, u64)>, Option<GateAt>, u64);

fn a_stage() -> impl Strategy<Value = Part> {
    (
        proptest::collection::vec(1..12usize, 0..4),
        proptest::bool::weighted(0.6),
        proptest::option::weighted(0.3, (0..3u32, 0..60u64)),
        proptest::option::weighted(0.15, proptest::sample::select(vec![GateAt::Before, GateAt::After])),
        any::<u64>(),
    )
}

/// Stages that wait for earlier ones, written down in any order; `broken`: one waits for a later one, or for one that is not there.
fn stages(parts: Vec<Part>, gates: bool, broken: Option<(usize, usize)>) -> Vec<Spec> {
    let mut stages: Vec<(u64, Spec)> = Vec::new();
    let count = parts.len();
    for (i, (back, parallel, retries, gate, place)) in parts.into_iter().enumerate() {
        let mut waits: Vec<String> = back
            .iter()
            .filter_map(|b| i.checked_sub(*b))
            .map(|n| format!("s{n}"))
            .collect();
        if let Some((_, to)) = broken.filter(|(stage, _)| stage % count == i) {
            waits.push(format!("s{}", i + to));
        }
        let spec = Spec {
            name: format!("s{i}"),
            waits,
            parallel,
            retries,
            gate: gate.filter(|_| gates),
        };
        stages.push((place, spec));
    }
    stages.sort_by_key(|(place, _)| *place);
    stages.into_iter().map(|(_, spec)| spec).collect()
}

fn a_case(count: std::ops::Range<usize>) -> impl Strategy<Value = Case> {
    let on_failure = proptest::sample::select(vec![OnFailure::Halt, OnFailure::SkipDependents]);
    let fails = proptest::sample::select(vec![0, 5, 20, 50]);
    let broken = proptest::option::weighted(0.1, (any::<usize>(), 0..8usize));
    let limits = (proptest::sample::select(vec![1, 2, 3, 8, 50]), 0..2u32);
    let parts = proptest::collection::vec(a_stage(), count);
    (parts, on_failure, limits, fails, any::<bool>(), broken, any::<u64>()).prop_map(
        |(parts, on_failure, (parallel, max_retries), fails, pauses, broken, seed)| Case {
            // Where a failure halts, what else has begun depends on when people answer.
            stages: stages(parts, on_failure == OnFailure::SkipDependents, broken),
            on_failure,
            limits: Limits {
                parallel,
                max_retries,
                ..Limits::default()
            },
            fails,
            pauses,
            unruly: false,
            seed,
        },
    )
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        max_shrink_iters: 3_000,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(128))]

    #[test]
    fn small_pipelines_end_by_the_rules_killed_after_any_event(
        case in a_case(1..9),
        abort_after in proptest::option::weighted(0.4, 0..20usize),
    ) {
        let whole = drive_by_the_rules(&case, abort_after)?;
        check_kills(&case, &whole, usize::MAX)?;
    }

    /// Gates that are rejected, and that send back what has been done: no rule says what comes of it, but it is watched.
    #[test]
    fn whatever_people_answer_nothing_begins_too_early(case in a_case(1..9), gates in proptest::collection::vec(0..4usize, 9)) {
        let mut case = Case { unruly: true, ..case };
        for (spec, gate) in case.stages.iter_mut().zip(gates) {
            spec.gate = [Some(GateAt::Before), Some(GateAt::After), None, spec.gate][gate];
        }
        let mut whole = Sim::begin(&case);
        drive(&mut whole);
        for cut in (1..=whole.log.len()).step_by(1 + whole.log.len() / 8) {
            let mut sim = Sim::cut_off(&case, &whole.log[..cut]);
            sim.recover();
            drive(&mut sim);
        }
    }
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn larger_pipelines_end_by_the_rules(
        case in a_case(9..60),
        abort_after in proptest::option::weighted(0.4, 0..120usize),
    ) {
        let whole = drive_by_the_rules(&case, abort_after)?;
        check_kills(&case, &whole, 8)?;
    }
}

proptest! {
    #![proptest_config(config(6))]

    #[test]
    fn pipelines_of_200_stages_end_by_the_rules(
        case in a_case(120..201),
        abort_after in proptest::option::weighted(0.3, 0..400usize),
    ) {
        let whole = drive_by_the_rules(&case, abort_after)?;
        check_kills(&case, &whole, 2)?;
    }
}
