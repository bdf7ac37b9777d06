//! The branches of forks in a workflow: which steps are in which, and what keeps a fork from being run.

use crate::meet::{region, walk};
use crate::{Detour, FlowKind, Fork, Place, Routing, Step, StepId, Workflow};

/// Why a fork cannot be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForkFault {
    /// Where.
    pub place: Place,
    /// What is wrong and what follows.
    pub said: String,
    /// What to do.
    pub help: &'static str,
}

/// Why the forks of a workflow cannot be run, in document order. Targets that do not exist are left to the rule about them.
pub fn faults(workflow: &Workflow) -> Vec<ForkFault> {
    let mut out = Vec::new();
    for step in workflow.steps() {
        if let Routing::Fork(fork) = &step.routing {
            faults_of(workflow, step, fork, &mut out);
        }
    }
    out
}

fn faults_of(workflow: &Workflow, step: &Step, fork: &Fork, out: &mut Vec<ForkFault>) {
    let place = Place::step(step.ordinal).field("routing").field("fork_targets");
    let mut fault = |n: Option<usize>, said: String, help: &'static str| {
        let place = n.map_or_else(|| place.clone(), |n| place.clone().field(n.to_string()));
        out.push(ForkFault { place, said, help });
    };
    if fork.targets.len() < 2 {
        let said = format!("The fork of {} has no two branches", step.called());
        return fault(None, said, "List the first step of each branch in `fork_targets`");
    }
    let found: Option<Vec<&Step>> = fork.targets.iter().map(|to| workflow.step(to)).collect();
    let Some(heads) = found else { return };
    for (n, head) in heads.iter().enumerate() {
        if heads[..n].iter().any(|other| other.ordinal == head.ordinal) {
            let said = format!("Two branches of this fork begin with {}", head.called());
            return fault(Some(n), said, "A step can be in one branch only: name it once");
        }
    }
    let Some(join) = &fork.join else {
        let said = format!(
            "The branches of {} never meet: no step follows all of them",
            step.called()
        );
        return fault(
            None,
            said,
            "Let every branch lead to one step, and give that step `kind: join`",
        );
    };
    let Some(join) = workflow.step(join) else { return };
    if let Some(n) = heads
        .iter()
        .position(|head| head.ordinal == join.ordinal || head.ordinal == step.ordinal)
    {
        let said = format!(
            "{} is no branch: the fork leads from it or ends at it",
            heads[n].called()
        );
        return fault(Some(n), said, "Name the first step of a branch");
    }
    if join.ordinal == step.ordinal {
        let said = format!("The branches of {} would meet at the fork itself", step.called());
        return fault(None, said, "Let them meet at a step of its own");
    }
    let mut owner: Vec<Option<usize>> = vec![None; workflow.steps().len()];
    let ways = workflow.ways();
    let after = walk(&ways, join.ordinal, |to| {
        to == step.ordinal || heads.iter().any(|head| head.ordinal == to)
    });
    for (n, head) in heads.iter().enumerate() {
        let (inside, meets) = region(&ways, head.ordinal, join.ordinal);
        if !meets {
            let said = format!(
                "The branch of {} never leads to {}, where the others meet",
                head.called(),
                join.called()
            );
            return fault(Some(n), said, "Let its last step lead there");
        }
        for ordinal in inside {
            let at = &workflow.steps()[ordinal];
            if ordinal == step.ordinal {
                let said = format!("The branch of {} leads back to the fork itself", head.called());
                return fault(
                    Some(n),
                    said,
                    "Let it lead to the step where the branches meet, and loop from there",
                );
            }
            if let Some(other) = owner[ordinal] {
                let (one, two) = (heads[other].called(), head.called());
                let said = format!("The branches of {one} and {two} run into each other at {}", at.called());
                return fault(
                    Some(n),
                    said,
                    "Each step can be in one branch only: keep them apart until they meet",
                );
            }
            if after[ordinal] {
                let said = format!(
                    "The branch of {} leads past {} to {}",
                    head.called(),
                    join.called(),
                    at.called()
                );
                return fault(Some(n), said, "Let it lead to the step where the branches meet");
            }
            owner[ordinal] = Some(n);
        }
    }
    if let Some((from, to)) = entered(workflow, step, fork, &ways, &owner, join.ordinal) {
        let (from, to) = (&workflow.steps()[from], &workflow.steps()[to]);
        let around = match owner[to.ordinal] {
            Some(branch) => format!(
                "{} leads into the branch of {} from outside: the fork would not begin, and nothing would count the branch",
                from.called(),
                heads[branch].called()
            ),
            None => format!(
                "{} leads to {} past the fork: no branch would be counted there",
                from.called(),
                to.called()
            ),
        };
        let help = match owner[to.ordinal] {
            Some(_) => "Let it lead to the fork itself, or to a step before it",
            None => "Let it lead to the fork, or to a step behind the one where the branches meet",
        };
        let place = Place::step(from.ordinal);
        out.push(ForkFault {
            place,
            said: around,
            help,
        });
        return;
    }
    if fork.rules.join.needs(heads.len()) > heads.len() {
        let said = format!(
            "The quorum of {} can never be met: there are {} branches",
            fork.rules.join.needs(heads.len()),
            heads.len()
        );
        let help = "Ask for as many branches as there are, at most";
        out.push(ForkFault { place, said, help });
    }
}

/// A way that leads into a branch without the fork, or, where verified branches are counted, past it to where they meet. `owner`: the
/// branch of each step.
fn entered(
    workflow: &Workflow,
    step: &Step,
    fork: &Fork,
    ways: &[Vec<usize>],
    owner: &[Option<usize>],
    join: usize,
) -> Option<(usize, usize)> {
    // From behind the join a way may lead to it again: its count has been given.
    let first = workflow.part_of(step).map_or(0, |part| part.steps.start);
    let before = walk(ways, first, |to| to == join);
    // What no way leads to is said to be left out; it leads nowhere either.
    let reached = walk(ways, first, |_| false);
    let counts = fork.rules.join.counts_verified();
    for (from, leads) in ways.iter().enumerate() {
        if owner[from].is_some() || !reached[from] {
            continue;
        }
        for &to in leads {
            let begins = from == step.ordinal && fork.targets.contains(&workflow.steps()[to].id);
            let past = to == join && before[from] && from != join && counts;
            // Behind the join one branch may be done again where nothing but its end was counted.
            let within = owner[to].is_some() && !begins && (before[from] || counts || fork.rules.isolated);
            if within || past {
                return Some((from, to));
            }
        }
    }
    None
}

/// The step of a branch of this fork, nested branches included: which branch, by its place.
pub fn branch_of(workflow: &Workflow, fork: &Fork, step: &StepId) -> Option<usize> {
    branch_along(workflow, &workflow.ways(), fork, step)
}

fn branch_along(workflow: &Workflow, ways: &[Vec<usize>], fork: &Fork, step: &StepId) -> Option<usize> {
    let (step, join) = (workflow.step(step)?, workflow.step(fork.join.as_ref()?)?);
    fork.targets.iter().position(|head| {
        let head = workflow.step(head);
        head.is_some_and(|head| walk(ways, head.ordinal, |to| to == join.ordinal)[step.ordinal])
    })
}

/// Whether two steps stand in different branches of one fork: neither comes before the other.
pub fn beside_each_other(workflow: &Workflow, one: &Step, other: &Step) -> bool {
    let (one, other) = (outside_of_detours(workflow, one), outside_of_detours(workflow, other));
    let ways = workflow.ways();
    workflow.steps().iter().any(|step| match &step.routing {
        Routing::Fork(fork) => {
            let branch = |step: &Step| branch_along(workflow, &ways, fork, &step.id);
            matches!((branch(one), branch(other)), (Some(a), Some(b)) if a != b)
        }
        _ => false,
    })
}

/// Whether a fork keeps two steps apart: one stands in a branch of it and the other does not stand in the same. From a branch alone the
/// step is not apart at which its fork's branches meet; a step of a detour from there is, for a branch that came to it would never end.
/// The steps of a detour count as the step that it leaves.
pub fn apart(workflow: &Workflow, from: &Step, to: &Step) -> bool {
    let named = to;
    let (from, to) = (outside_of_detours(workflow, from), outside_of_detours(workflow, to));
    let ways = workflow.ways();
    let branch = |fork: &Fork, step: &Step| branch_along(workflow, &ways, fork, &step.id);
    workflow.steps().iter().any(|step| match &step.routing {
        Routing::Fork(fork) => match (branch(fork, from), branch(fork, to)) {
            (Some(_), None) => fork.join.as_ref() != Some(&named.id),
            (from, to) => from != to,
        },
        _ => false,
    })
}

/// Whether a step stands in no detour, or in one of those that the other stands in.
pub fn is_within_detours_of(workflow: &Workflow, other: &Step, step: &Step) -> bool {
    let Some(left) = &step.detour_from else { return true };
    // One step may have several detours.
    let detour = |at: &Step| detour_of(workflow, at).map(|detour| &detour.first);
    let of = detour(step);
    detours_around(workflow, other).any(|around| around.detour_from.as_ref() == Some(left) && detour(around) == of)
}

/// The detour that a step is of; `None` of a step of the flow itself.
pub fn detour_of<'w>(workflow: &'w Workflow, step: &Step) -> Option<&'w Detour> {
    let from = workflow.step(step.detour_from.as_ref()?)?;
    let is_of = |detour: &&Detour| steps_of(workflow, detour).any(|one| one.ordinal == step.ordinal);
    from.detours.iter().find(is_of)
}

/// The steps of a detour in their order, without those of detours from it.
pub fn steps_of<'w>(workflow: &'w Workflow, detour: &Detour) -> impl Iterator<Item = &'w Step> {
    let next = |step: &&'w Step| match &step.routing {
        Routing::Linear { next: Some(next) } => workflow
            .step(next)
            .filter(|next| next.detour_from == step.detour_from && next.ordinal > step.ordinal),
        _ => None,
    };
    std::iter::successors(workflow.step(&detour.first), next)
}

/// The step of the flow itself that the detour leaves in which a step stands, through detours of detours; a step of none is its own.
pub fn outside_of_detours<'w>(workflow: &'w Workflow, step: &'w Step) -> &'w Step {
    detours_around(workflow, step).last().unwrap_or(step)
}

/// The step, the one that its detour leaves, the one that the detour leaves in which that stands, and so on.
fn detours_around<'w>(workflow: &'w Workflow, step: &'w Step) -> impl Iterator<Item = &'w Step> {
    let left = |at: &&'w Step| at.detour_from.as_ref().and_then(|from| workflow.step(from));
    // Detours lead out of each other a few deep, and never back into one that they came from.
    std::iter::successors(Some(step), left).take(workflow.steps().len().max(1))
}

/// The steps of each branch of a fork, by their place in the file; none where the branches never meet.
pub fn inside(workflow: &Workflow, fork: &Fork) -> Vec<Vec<usize>> {
    let Some(join) = fork.join.as_ref().and_then(|join| workflow.step(join)) else {
        return Vec::new();
    };
    let ways = workflow.ways();
    let heads = fork.targets.iter().filter_map(|to| workflow.step(to));
    heads.map(|head| region(&ways, head.ordinal, join.ordinal).0).collect()
}

/// By the places of [`Workflow::flows`]: whether a way begins a branch of a fork, or brings one to where they meet.
pub fn together(workflow: &Workflow) -> Vec<bool> {
    let flows = workflow.flows();
    let mut out = vec![false; flows.len()];
    for step in workflow.steps() {
        let Routing::Fork(fork) = &step.routing else { continue };
        let mut within = vec![false; workflow.steps().len()];
        inside(workflow, fork)
            .into_iter()
            .flatten()
            .for_each(|at| within[at] = true);
        for (is, (from, to, flow)) in out.iter_mut().zip(&flows) {
            let begins = from.ordinal == step.ordinal && fork.targets.contains(&to.id) && within[to.ordinal];
            let meets = fork.join.as_ref() == Some(&to.id) && within[from.ordinal];
            *is |= matches!(flow.kind, FlowKind::Next | FlowKind::Branch) && (begins || meets);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ForkRules, Format, JoinRule, Merge};

    fn step(id: &str, ordinal: usize, routing: Routing) -> Step {
        let mut step = Step::new(id, ordinal);
        step.routing = routing;
        step
    }

    fn to(next: &str) -> Routing {
        Routing::Linear {
            next: Some(next.into()),
        }
    }

    fn fork(targets: &[&str]) -> Routing {
        Routing::Fork(Box::new(Fork {
            targets: targets.iter().map(|to| (*to).into()).collect(),
            join: None,
            rules: ForkRules::default(),
        }))
    }

    fn flow(steps: Vec<(&str, Routing)>) -> Workflow {
        let steps = steps
            .into_iter()
            .enumerate()
            .map(|(n, (id, routing))| step(id, n, routing));
        Workflow::new("f".into(), "F".into(), Format::Stepwise, steps.collect())
    }

    fn said(workflow: &Workflow) -> Vec<String> {
        faults(workflow).into_iter().map(|fault| fault.said).collect()
    }

    #[test]
    fn the_join_is_the_nearest_step_that_all_branches_lead_to() {
        let workflow = flow(vec![
            ("a", fork(&["b", "c"])),
            ("b", to("b2")),
            ("b2", to("j")),
            ("c", to("j")),
            ("j", to("end")),
            ("end", Routing::Linear { next: None }),
        ]);
        let Routing::Fork(found) = &workflow.steps()[0].routing else {
            panic!("a fork")
        };
        assert_eq!(found.join, Some("j".into()));
        assert_eq!(said(&workflow), [""; 0]);
        assert_eq!(branch_of(&workflow, found, &"b2".into()), Some(0));
        assert_eq!(branch_of(&workflow, found, &"c".into()), Some(1));
        assert_eq!(branch_of(&workflow, found, &"j".into()), None);
        let flows = workflow.flows();
        let marked = flows.iter().zip(together(&workflow)).filter(|(_, is)| *is);
        let marked: Vec<String> = marked
            .map(|((from, to, _), _)| format!("{}{}", from.id, to.id))
            .collect();
        assert_eq!(marked, ["ab", "ac", "b2j", "cj"]);
    }

    #[test]
    fn nested_forks_and_loops_inside_branches_are_sound() {
        let again = |outer: Routing| {
            flow(vec![
                ("a", outer),
                ("b", fork(&["x", "y"])),
                ("x", to("k")),
                ("y", to("k")),
                ("k", to("j")),
                ("c", to("j")),
                ("j", to("b")),
            ])
        };
        assert_eq!(
            said(&again(fork(&["b", "c"]))),
            [""; 0],
            "one branch is done again behind the join"
        );
        let counted = again(counting(&["b", "c"], JoinRule::AnyVerified));
        assert!(
            said(&counted)[0].contains("leads into the branch of"),
            "what it reports then would not be counted: {:?}",
            said(&counted)
        );
        let nested = flow(vec![
            ("a", fork(&["b", "c"])),
            ("b", to("j")),
            ("c", to("j")),
            ("j", to("a")),
        ]);
        assert_eq!(said(&nested), [""; 0]);
    }

    #[test]
    fn what_cannot_be_run_is_named() {
        let end = || Routing::Linear { next: None };
        let one = |steps| said(&flow(steps)).join("|");
        assert!(one(vec![("a", fork(&["b"])), ("b", end())]).contains("no two branches"));
        assert!(one(vec![("a", fork(&["b", "c"])), ("b", end()), ("c", end())]).contains("never meet"));
        let twice = vec![("a", fork(&["b", "b"])), ("b", to("j")), ("j", end())];
        assert!(one(twice).contains("Two branches"));
        let crossing = vec![
            ("a", fork(&["b", "c"])),
            ("b", to("x")),
            ("c", to("x")),
            ("x", to("j")),
            ("j", end()),
        ];
        assert_eq!(one(crossing), "", "they meet earlier than was thought");
        let back = vec![
            ("a", fork(&["b", "c"])),
            (
                "b",
                Routing::Branch(crate::Branch {
                    field: None,
                    branches: [("again".to_owned(), "a".into())].into_iter().collect(),
                    next: Some("j".into()),
                }),
            ),
            ("c", to("j")),
            ("j", end()),
        ];
        assert!(one(back).contains("leads back to the fork itself"));
        let over = vec![
            ("a", fork(&["b", "c"])),
            (
                "b",
                Routing::Branch(crate::Branch {
                    field: None,
                    branches: [("other".to_owned(), "c".into())].into_iter().collect(),
                    next: Some("j".into()),
                }),
            ),
            ("c", to("j")),
            ("j", end()),
        ];
        assert!(one(over).contains("run into each other"));
        let past = vec![
            ("a", fork(&["b", "c"])),
            (
                "b",
                Routing::Branch(crate::Branch {
                    field: None,
                    branches: [("skip".to_owned(), "k".into())].into_iter().collect(),
                    next: Some("j".into()),
                }),
            ),
            ("c", to("j")),
            ("j", to("k")),
            ("k", end()),
        ];
        assert!(one(past).contains("leads past"));
    }

    #[test]
    fn a_detour_from_where_branches_meet_is_apart_from_them() {
        let mut workflow = flow(vec![
            ("a", fork(&["b", "c"])),
            ("b", to("j")),
            ("c", to("j")),
            ("j", Routing::Linear { next: None }),
            ("aside", Routing::Linear { next: None }),
        ]);
        let mut steps = workflow.steps().to_vec();
        steps[4].detour_from = Some("j".into());
        workflow = Workflow::new("f".into(), "F".into(), Format::Stepwise, steps);
        let is_apart = |from: usize, to: usize| apart(&workflow, &workflow.steps()[from], &workflow.steps()[to]);
        assert!(!is_apart(1, 3), "a branch ends where they meet");
        assert!(is_apart(1, 4), "and nowhere behind it");
        assert!(!is_apart(4, 3) && !is_apart(3, 4), "outside of the fork they are one");
    }

    fn counting(targets: &[&str], join: JoinRule) -> Routing {
        let Routing::Fork(mut made) = fork(targets) else {
            panic!("a fork")
        };
        made.rules.join = join;
        Routing::Fork(made)
    }

    fn either(one: &str, other: &str) -> Routing {
        Routing::Branch(crate::Branch {
            field: None,
            branches: [("other".to_owned(), one.into())].into_iter().collect(),
            next: Some(other.into()),
        })
    }

    #[test]
    fn a_way_from_outside_into_a_branch_or_past_the_count_is_named_where_it_leaves() {
        let around = |first: Routing, behind: Routing, join: JoinRule| {
            flow(vec![
                ("s", first),
                ("a", counting(&["b", "c"], join)),
                ("b", to("j")),
                ("c", to("j")),
                ("j", behind),
                ("end", Routing::Linear { next: None }),
            ])
        };
        for join in [JoinRule::AllComplete, JoinRule::AllVerified] {
            let found = faults(&around(either("b", "a"), to("end"), join));
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].said.contains("into the branch of"), "{found:?}");
            assert_eq!(found[0].place, Place::step(0));
            let found = faults(&around(to("a"), either("c", "end"), join));
            let places: Vec<&Place> = found.iter().map(|one| &one.place).collect();
            match join.counts_verified() {
                true => assert_eq!(places, [&Place::step(4)]),
                false => assert_eq!(places, [] as [&Place; 0], "one branch is done again behind the join"),
            }
            assert_eq!(
                said(&around(to("a"), either("a", "end"), join)),
                [""; 0],
                "the whole fork again"
            );
            assert_eq!(
                said(&around(to("a"), either("j", "end"), join)),
                [""; 0],
                "its count has been given"
            );
        }
        let past = around(either("j", "a"), to("end"), JoinRule::Quorum { count: Some(1) });
        assert!(said(&past)[0].contains("past the fork"), "{:?}", said(&past));
        let past = around(either("j", "a"), to("end"), JoinRule::AllComplete);
        assert_eq!(said(&past), [""; 0], "nothing is counted, and no branch has begun");
    }

    #[test]
    fn one_status_of_several() {
        assert_eq!(Merge::Worst.of(&["VERIFIED", "PARTIAL"]), "PARTIAL");
        assert_eq!(Merge::Majority.of(&["UNVERIFIED", "VERIFIED"]), "UNVERIFIED");
        assert_eq!(Merge::Best.of(&[]), "BLOCKED");
        assert_eq!(JoinRule::Quorum { count: None }.needs(4), 3);
    }
}
