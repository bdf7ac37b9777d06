//! Forks and joins: steps that several branches follow, each with a token of its own, until they meet again (CONTRACTS
//! "Stepwise"; the origin's `ForkConfig` and `JoinConfig`).

use crate::{FlowKind, Place, Routing, Step, StepId, Workflow};
use petgraph::visit::EdgeRef as _;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The word by which an agent says that its work has been verified. Case counts.
pub const VERIFIED: &str = "VERIFIED";
/// Branches of one batch where the file names no number (the origin's default).
pub const BATCH: u32 = 4;

/// A fork: what follows the step runs in branches beside each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Fork {
    /// The first step of each branch, in the order written.
    pub targets: Vec<StepId>,
    /// The step at which the branches meet: it runs once, after them. Where none is written, the nearest step that every branch leads to
    /// ([`Workflow::new`] finds it); absent: there is none.
    pub join: Option<StepId>,
    /// How the branches run and what the join asks of them.
    pub rules: ForkRules,
}

/// How branches run and what their join asks of them. A run keeps it with the fork that has begun.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ForkRules {
    /// So many branches run beside each other, and the next ones when all of those have ended; absent: all at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u32>,
    /// Each branch works in a folder of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub isolated: bool,
    /// What becomes of the others when a branch fails.
    #[serde(default)]
    pub on_failure: BranchFailure,
    /// What the join asks for.
    #[serde(default)]
    pub join: JoinRule,
    /// How one status is made of those of the branches.
    #[serde(default)]
    pub merge: Merge,
    /// Branches that have not ended so long after the fork are cut off, milliseconds; absent: no limit of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// What becomes of the other branches when one fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BranchFailure {
    /// They run to their end; a join that asks for all of them is not met.
    #[default]
    ContinueAll,
    /// They are cut off at once and the join is not met.
    FailFast,
    /// They run to their end; the join counts those that did not fail, of which there must be one.
    BestEffort,
}

/// What a join asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "strategy", rename_all = "snake_case")]
pub enum JoinRule {
    /// Every branch has come to its end.
    #[default]
    AllComplete,
    /// Every branch is verified.
    AllVerified,
    /// At least one branch is verified.
    AnyVerified,
    /// One branch has come to its end: the others are cut off.
    FirstComplete,
    /// So many branches are verified.
    Quorum {
        /// How many; absent: more than half.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        count: Option<u32>,
    },
}

/// How one status is made of those of the branches (the origin's `aggregate_status`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Merge {
    /// The lowest: any other word < PARTIAL < UNVERIFIED < VERIFIED.
    #[default]
    Worst,
    /// The highest.
    Best,
    /// The one that most branches have; of several the one that came first.
    Majority,
}

impl BranchFailure {
    /// The words of the files.
    pub const WORDS: [(&'static str, Self); 3] = [
        ("continue_all", Self::ContinueAll),
        ("fail_fast", Self::FailFast),
        ("best_effort", Self::BestEffort),
    ];
}

impl Merge {
    /// The words of the files.
    pub const WORDS: [(&'static str, Self); 3] = [
        ("worst", Self::Worst),
        ("best", Self::Best),
        ("majority", Self::Majority),
    ];

    /// One status of several, in the order of the branches; of none `BLOCKED`.
    pub fn of(self, statuses: &[&str]) -> String {
        let rank = |status: &&&str| match **status {
            VERIFIED => 3,
            "UNVERIFIED" => 2,
            "PARTIAL" => 1,
            _ => 0,
        };
        let mut best: Option<&&str> = None;
        for status in statuses {
            let better = |than: &&str| match self {
                Self::Worst => rank(&status) < rank(&than),
                Self::Best => rank(&status) > rank(&than),
                Self::Majority => {
                    let times = |of: &str| statuses.iter().filter(|s| **s == of).count();
                    times(status) > times(than)
                }
            };
            if best.is_none_or(better) {
                best = Some(status);
            }
        }
        best.map_or_else(|| "BLOCKED".to_owned(), |status| (*status).to_owned())
    }
}

impl JoinRule {
    /// The words of the files.
    pub const WORDS: [(&'static str, Self); 5] = [
        ("all_complete", Self::AllComplete),
        ("all_verified", Self::AllVerified),
        ("any_verified", Self::AnyVerified),
        ("first_complete", Self::FirstComplete),
        ("quorum", Self::Quorum { count: None }),
    ];

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Self::AllComplete => "all_complete",
            Self::AllVerified => "all_verified",
            Self::AnyVerified => "any_verified",
            Self::FirstComplete => "first_complete",
            Self::Quorum { .. } => "quorum",
        }
    }

    /// Whether it counts branches that are verified, not those that have merely come to their end.
    pub fn counts_verified(self) -> bool {
        matches!(self, Self::AllVerified | Self::AnyVerified | Self::Quorum { .. })
    }

    /// How many branches of so many must be complete, or verified.
    pub fn needs(self, of: usize) -> usize {
        match self {
            Self::AllComplete | Self::AllVerified => of,
            Self::AnyVerified | Self::FirstComplete => 1,
            Self::Quorum { count: Some(count) } => count as usize,
            Self::Quorum { count: None } => of / 2 + 1,
        }
    }
}

/// Of so many steps that all branches lead to it is tried whether they meet there.
const MOST_TRIED: usize = 64;

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
    let after = walk(workflow, join, |to| {
        to == step.ordinal || heads.iter().any(|head| head.ordinal == to)
    });
    for (n, head) in heads.iter().enumerate() {
        let (inside, meets) = region(workflow, head, join);
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
    if fork.rules.join.needs(heads.len()) > heads.len() {
        let said = format!(
            "The quorum of {} can never be met: there are {} branches",
            fork.rules.join.needs(heads.len()),
            heads.len()
        );
        fault(None, said, "Ask for as many branches as there are, at most");
    }
}

/// The steps of a branch, and whether it can lead to the join.
fn region(workflow: &Workflow, head: &Step, join: &Step) -> (Vec<usize>, bool) {
    let mut meets = false;
    let inside = walk(workflow, head, |to| {
        meets |= to == join.ordinal;
        to == join.ordinal
    });
    let inside = inside.iter().enumerate().filter(|(_, is)| **is).map(|(n, _)| n);
    (inside.collect(), meets)
}

/// By ordinal: whether a step is reached from this one, itself included, without entering those where it stops.
fn walk(workflow: &Workflow, from: &Step, mut stops: impl FnMut(usize) -> bool) -> Vec<bool> {
    let mut seen = vec![false; workflow.steps().len()];
    let mut open = vec![from.ordinal];
    seen[from.ordinal] = true;
    while let Some(at) = open.pop() {
        for to in followers(workflow, at) {
            if !stops(to) && !std::mem::replace(&mut seen[to], true) {
                open.push(to);
            }
        }
    }
    seen
}

fn followers(workflow: &Workflow, at: usize) -> impl Iterator<Item = usize> + '_ {
    let graph = workflow.graph();
    let edges = graph.edges(workflow.node(at));
    edges
        .filter(|edge| edge.weight().kind != FlowKind::DependsOn)
        .map(|edge| graph[edge.target()])
}

/// The step of a branch of this fork, nested branches included: which branch, by its place.
pub fn branch_of(workflow: &Workflow, fork: &Fork, step: &StepId) -> Option<usize> {
    let (step, join) = (workflow.step(step)?, workflow.step(fork.join.as_ref()?)?);
    fork.targets.iter().position(|head| {
        let head = workflow.step(head);
        head.is_some_and(|head| walk(workflow, head, |to| to == join.ordinal)[step.ordinal])
    })
}

/// The nearest step that every branch of a fork leads to.
pub(crate) fn meeting(workflow: &Workflow, step: &Step, fork: &Fork) -> Option<StepId> {
    let mut total: Vec<Option<usize>> = vec![Some(0); workflow.steps().len()];
    for head in &fork.targets {
        let head = workflow.step(head)?;
        let mut far: Vec<Option<usize>> = vec![None; total.len()];
        let mut open = VecDeque::from([head.ordinal]);
        far[head.ordinal] = Some(0);
        while let Some(at) = open.pop_front() {
            let next = far[at].map(|d| d + 1);
            for to in followers(workflow, at) {
                if to != step.ordinal && far[to].is_none() {
                    far[to] = next;
                    open.push_back(to);
                }
            }
        }
        for (sum, far) in total.iter_mut().zip(far) {
            *sum = sum.zip(far).map(|(sum, far)| sum + far);
        }
    }
    let is_head = |ordinal: usize| fork.targets.iter().any(|head| *head == workflow.steps()[ordinal].id);
    let reached = total.into_iter().enumerate().filter_map(|(n, far)| Some((far?, n)));
    let mut reached: Vec<(usize, usize)> = reached.filter(|(_, n)| *n != step.ordinal && !is_head(*n)).collect();
    reached.sort_unstable();
    // A loop behind the join may lead into a branch again: where they meet the branches are apart before.
    let apart = |join: &Step| {
        let mut seen = vec![false; workflow.steps().len()];
        seen[step.ordinal] = true;
        let heads = fork.targets.iter().filter_map(|head| workflow.step(head));
        heads
            .flat_map(|head| region(workflow, head, join).0)
            .all(|ordinal| !std::mem::replace(&mut seen[ordinal], true))
    };
    let steps = reached.iter().take(MOST_TRIED).map(|(_, n)| &workflow.steps()[*n]);
    let sound = steps.into_iter().find(|join| apart(join));
    let nearest = || reached.first().map(|(_, n)| &workflow.steps()[*n]);
    Some(sound.or_else(nearest)?.id.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;

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
    }

    #[test]
    fn nested_forks_and_loops_inside_branches_are_sound() {
        let mut nested = flow(vec![
            ("a", fork(&["b", "c"])),
            ("b", fork(&["x", "y"])),
            ("x", to("k")),
            ("y", to("k")),
            ("k", to("j")),
            ("c", to("j")),
            ("j", to("b")),
        ]);
        assert_eq!(
            said(&nested),
            [""; 0],
            "a loop back to the first step of a branch, after the join"
        );
        nested = flow(vec![
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
    fn one_status_of_several() {
        assert_eq!(Merge::Worst.of(&["VERIFIED", "PARTIAL"]), "PARTIAL");
        assert_eq!(Merge::Majority.of(&["UNVERIFIED", "VERIFIED"]), "UNVERIFIED");
        assert_eq!(Merge::Best.of(&[]), "BLOCKED");
        assert_eq!(JoinRule::Quorum { count: None }.needs(4), 3);
    }
}
