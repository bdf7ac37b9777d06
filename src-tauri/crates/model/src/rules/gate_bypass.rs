//! GH0006: what lies behind a gate can be reached around it.

use super::{Found, Reach};
use crate::between::passed_by_failures;
use crate::diagnostic::CodePage;
use crate::{Diagnostic, FlowKind, GateAt, GateRequirement, Place, Routing, Severity, Step, Workflow, gates_before};
use petgraph::Direction::Incoming;
use petgraph::algo::dominators::{Dominators, simple_fast};
use petgraph::algo::has_path_connecting;
use petgraph::stable_graph::NodeIndex;
use petgraph::visit::{EdgeFiltered, EdgeRef as _};
use std::collections::BTreeSet;

pub(super) const PAGE: CodePage = CodePage {
    code: "GH0006",
    title: "A way around a gate",
    page: include_str!("gate_bypass.md"),
};

/// Bound on the walks up the dominator tree, far above any flow written by people.
const MOST_STEPS: usize = 5_000_000;

/// A gate guards what it dominates: every run that gets there passed it. Where a path from the gate meets one that did not
/// pass it (the gate's dominance frontier), the gate guards nothing any more, and that meeting point is reported, once for
/// each gate. Loops back to before the gate are no bypass.
pub(super) fn check(workflow: &Workflow, reach: &Reach, found: &mut Found) {
    let is_gate = |ordinal: usize| {
        let gate = workflow.steps()[ordinal].gate.as_ref();
        gate.is_some_and(|gate| gate.requirement == GateRequirement::Required)
    };
    if !(0..workflow.steps().len()).any(is_gate) {
        return;
    }
    let mut left = MOST_STEPS;
    let mut meets: BTreeSet<(usize, usize)> = BTreeSet::new();
    let apart = |gate: usize, step: usize| reach.component[gate] != reach.component[step];
    let mut whole = meetings(workflow, reach, is_gate, (|_, _, _| true, apart), &mut left, &mut meets);
    // A loop around a gate and what lies behind it takes nothing from the way past the gate: without what leads back it is seen.
    let forth = |kind: FlowKind, from: usize, to: usize| kind != FlowKind::Loop && from < to;
    let mut around: BTreeSet<(usize, usize)> = BTreeSet::new();
    let together = |gate: usize, step: usize| !apart(gate, step);
    // Where nothing leads back both walks would see the same.
    if reach.components.iter().any(|steps| steps.len() > 1) {
        whole &= meetings(workflow, reach, is_gate, (forth, together), &mut left, &mut around);
    }
    let flows = EdgeFiltered::from_fn(workflow.graph(), |edge| edge.weight().kind != FlowKind::DependsOn);
    let dominators = (!around.is_empty()).then(|| simple_fast(&flows, workflow.node(0)));
    for (step, gate) in around {
        whole &= left >= workflow.steps().len();
        left = left.saturating_sub(workflow.steps().len());
        // What leads on to the gate stands before it, whatever comes back there.
        let before = |all| leads_to_gate(workflow, all, step, gate);
        if whole && !dominators.as_ref().is_some_and(before) {
            meets.insert((step, gate));
        }
    }
    if !whole {
        let said = "This workflow is too tangled to look for every way around its gates";
        found.push(Diagnostic::new(PAGE.code, Severity::Note, Place::document(), said));
        return;
    }
    let forks = workflow.steps().iter().filter_map(|step| match &step.routing {
        Routing::Fork(fork) => fork.join.as_ref().and_then(|join| workflow.step(join)),
        _ => None,
    });
    let joins: Vec<usize> = forks.map(|join| join.ordinal).collect();
    for (ordinal, gate) in meets {
        // Where branches meet that all have to come there, a gate in one of them is passed as well.
        let cost = workflow.steps().len() * (joins.len() + 1);
        if joins.contains(&ordinal) && left >= cost {
            left -= cost;
            let before = gates_before(workflow, &workflow.steps()[ordinal], |step| step.ordinal == gate);
            if before.open.is_empty() {
                continue;
            }
        }
        let (step, gate) = (&workflow.steps()[ordinal], &workflow.steps()[gate]);
        // Whoever comes there is asked before anything is done.
        if is_gate(ordinal) && step.gate.as_ref().is_some_and(|gate| gate.at == GateAt::Before) {
            continue;
        }
        let said = format!(
            "{} can be reached without passing the gate at {}",
            step.spoken(),
            gate.spoken()
        );
        found.push(
            Diagnostic::new(PAGE.code, Severity::Warning, Place::step(ordinal), said)
                .related(
                    Place::step(gate.ordinal).field("human_gate"),
                    "is the gate that can be passed by",
                )
                .help("Lead every path through the gate, or ask a person before this step too: “Always”, “Before the work” (in the file `human_gate: required`, `gate_at: before`)"),
        );
    }
}

/// The same of the flows of a list: where one fails and leads on past a gate that is else passed before what follows.
pub fn by_failures(workflow: &Workflow) -> Vec<Diagnostic> {
    let asks = |step: &Step| {
        let gate = step.gate.as_ref();
        gate.is_some_and(|gate| gate.requirement == GateRequirement::Required)
    };
    let found = passed_by_failures(workflow, asks).into_iter();
    let found = found.map(|(flow, step, gate)| {
        (
            &workflow.parts()[flow],
            &workflow.steps()[step],
            &workflow.steps()[gate],
        )
    });
    // Whoever comes there is asked before anything is done.
    let asked = |step: &Step| asks(step) && step.gate.as_ref().is_some_and(|gate| gate.at == GateAt::Before);
    found
        .filter(|(_, step, _)| !asked(step))
        .map(|(flow, step, gate)| {
            let place = ["flows", flow.key.as_str(), "on_failure", "next_flow"].map(str::to_owned);
            let said = format!(
                // Steps of two flows are often called the same.
                "`{}` can be reached without passing the gate at `{}`: it follows where “{}” fails",
                step.id, gate.id,
                flow.title
            );
            Diagnostic::new(PAGE.code, Severity::Warning, Place::document().path(place), said)
                .help("Lead the failure to the flow with the gate or to one before it, or ask a person before this step too: “Always”, “Before the work” (in the file `human_gate: required`, `gate_at: before`)")
        })
        .collect()
}

/// Whether a way leads from a step to a gate that does not begin anew: that passes nothing which every way to the gate passes.
fn leads_to_gate(workflow: &Workflow, dominators: &Dominators<NodeIndex>, step: usize, gate: usize) -> bool {
    let graph = workflow.graph();
    let anew: BTreeSet<NodeIndex> = dominators
        .strict_dominators(workflow.node(gate))
        .map(Iterator::collect)
        .unwrap_or_default();
    let on = EdgeFiltered::from_fn(graph, |edge| {
        edge.weight().kind != FlowKind::DependsOn && !anew.contains(&edge.target())
    });
    has_path_connecting(&on, workflow.node(step), workflow.node(gate), None)
}

/// Adds the pairs of a step and a gate where a way from the gate meets one that has not passed it, on the edges that are `taken` (by their
/// kind, from which step to which) and where the pair `counts`; `false` where that takes too long.
fn meetings(
    workflow: &Workflow,
    reach: &Reach,
    is_gate: impl Fn(usize) -> bool,
    (taken, counts): (impl Fn(FlowKind, usize, usize) -> bool, impl Fn(usize, usize) -> bool),
    left: &mut usize,
    meets: &mut BTreeSet<(usize, usize)>,
) -> bool {
    let graph = workflow.graph();
    let is_taken = |kind: FlowKind, from: NodeIndex, to: NodeIndex| {
        kind != FlowKind::DependsOn && taken(kind, graph[from], graph[to])
    };
    let flows = EdgeFiltered::from_fn(graph, |edge| is_taken(edge.weight().kind, edge.source(), edge.target()));
    let dominators = simple_fast(&flows, workflow.node(0));
    for step in workflow.steps().iter().filter(|step| reach.reached[step.ordinal]) {
        let node = workflow.node(step.ordinal);
        // What is reached on other edges alone meets nothing here.
        if step.ordinal != 0 && dominators.immediate_dominator(node).is_none() {
            continue;
        }
        let stop = dominators.immediate_dominator(node);
        for edge in graph
            .edges_directed(node, Incoming)
            .filter(|edge| is_taken(edge.weight().kind, edge.source(), edge.target()))
        {
            let mut runner = Some(edge.source());
            // Where a rejection leads is not guarded by the gate: nobody approved.
            let rejects = edge.weight().kind == FlowKind::Reject;
            while let Some(at) = runner.filter(|at| Some(*at) != stop) {
                if *left == 0 {
                    return false;
                }
                *left -= 1;
                let gate = graph[at];
                let own_rejection = rejects && at == edge.source();
                if is_gate(gate) && !own_rejection && counts(gate, step.ordinal) {
                    meets.insert((step.ordinal, gate));
                }
                runner = dominators.immediate_dominator(at);
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::testing::{branch, end, flow, found, gated, microloop, step, to};
    use super::*;
    use crate::{BranchFailure, Fork, ForkRules, JoinRule};

    #[test]
    fn a_branch_around_the_gate_is_reported_where_the_ways_meet() {
        let workflow = flow(vec![
            step("triage", branch(&[("small", "publish")], Some("approve"))),
            gated("approve", to("publish")),
            step("publish", to("tell")),
            step("tell", end()),
        ]);
        let wanted = "“Publish” can be reached without passing the gate at “Approve”".to_owned();
        assert_eq!(found(&workflow, "GH0006"), [(Some(2), wanted)]);
    }

    #[test]
    fn whoever_is_asked_before_the_later_step_passes_no_gate_by() {
        let at = |at: GateAt| {
            let mut publish = gated("publish", end());
            publish.gate.as_mut().expect("it is gated").at = at;
            let workflow = flow(vec![
                step("triage", branch(&[("small", "publish")], Some("approve"))),
                gated("approve", to("publish")),
                publish,
            ]);
            found(&workflow, "GH0006").len()
        };
        assert_eq!((at(GateAt::Before), at(GateAt::After)), (0, 1));
    }

    #[test]
    fn a_loop_around_all_of_it_hides_no_way_past_the_gate() {
        let steps = |way: Routing, back: Routing| {
            flow(vec![
                step("draft", to("check")),
                step("check", way),
                gated("approve", to("publish")),
                step("publish", back),
                step("tell", end()),
            ])
        };
        let past = || branch(&[("small", "publish")], Some("approve"));
        let wanted = "“Publish” can be reached without passing the gate at “Approve”".to_owned();
        let loops = [
            Routing::Microloop(microloop("draft", Some("tell"))),
            branch(&[("again", "draft")], Some("tell")),
        ];
        for back in loops {
            assert_eq!(
                found(&steps(past(), back.clone()), "GH0006"),
                [(Some(3), wanted.clone())]
            );
            assert!(found(&steps(to("approve"), back), "GH0006").is_empty());
        }
    }

    #[test]
    fn what_is_done_again_before_the_gate_is_no_way_around_it() {
        let workflow = flow(vec![
            step("triage", branch(&[("rough", "rework")], Some("approve"))),
            gated("approve", branch(&[("no", "rework")], Some("tell"))),
            step("rework", to("approve")),
            step("tell", end()),
        ]);
        assert!(found(&workflow, "GH0006").is_empty());
    }

    #[test]
    fn what_a_gate_dominates_is_guarded() {
        let workflow = flow(vec![
            step("draft", to("approve")),
            gated("approve", to("publish")),
            step("publish", end()),
        ]);
        assert!(found(&workflow, "GH0006").is_empty());
    }

    #[test]
    fn a_loop_back_to_before_the_gate_is_no_bypass() {
        let workflow = flow(vec![
            step("author", to("critic")),
            gated("critic", Routing::Microloop(microloop("author", Some("done")))),
            step("done", end()),
        ]);
        assert!(found(&workflow, "GH0006").is_empty());
    }

    #[test]
    fn where_a_rejection_leads_is_no_bypass() {
        let mut approve = gated("approve", to("publish"));
        if let Some(gate) = &mut approve.gate {
            gate.on_reject = Some("archive".into());
        }
        let workflow = flow(vec![approve, step("publish", to("archive")), step("archive", end())]);
        assert!(found(&workflow, "GH0006").is_empty());
    }

    #[test]
    fn a_gate_in_a_branch_is_passed_where_all_of_them_have_to_come() {
        let with = |join, on_failure| {
            let rules = ForkRules {
                join,
                on_failure,
                ..ForkRules::default()
            };
            let fork = Fork {
                targets: vec!["one".into(), "two".into()],
                join: Some("meet".into()),
                rules,
            };
            let workflow = flow(vec![
                step("open", Routing::Fork(Box::new(fork))),
                step("one", to("meet")),
                gated("two", to("meet")),
                step("meet", end()),
            ]);
            found(&workflow, "GH0006").len()
        };
        assert_eq!(with(JoinRule::AllComplete, BranchFailure::ContinueAll), 0);
        assert_eq!(with(JoinRule::AllVerified, BranchFailure::FailFast), 0);
        assert_eq!(with(JoinRule::AllComplete, BranchFailure::BestEffort), 1);
        assert_eq!(with(JoinRule::FirstComplete, BranchFailure::ContinueAll), 1);
    }

    #[test]
    fn two_gates_on_two_ways_are_both_reported() {
        let workflow = flow(vec![
            step("triage", branch(&[("legal", "lawyer")], Some("boss"))),
            gated("lawyer", to("publish")),
            gated("boss", to("publish")),
            step("publish", end()),
        ]);
        assert_eq!(found(&workflow, "GH0006").len(), 2);
    }

    #[test]
    fn a_gate_that_never_blocks_is_not_looked_at() {
        let mut approve = gated("approve", to("publish"));
        if let Some(gate) = &mut approve.gate {
            gate.requirement = GateRequirement::Optional;
        }
        let workflow = flow(vec![
            step("triage", branch(&[("small", "publish")], Some("approve"))),
            approve,
            step("publish", end()),
        ]);
        assert!(found(&workflow, "GH0006").is_empty());
    }
}
