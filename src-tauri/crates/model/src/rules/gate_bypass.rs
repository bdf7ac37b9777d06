//! GH0006: what lies behind a gate can be reached around it.

use super::{Found, Reach};
use crate::diagnostic::CodePage;
use crate::{Diagnostic, FlowKind, GateRequirement, Place, Routing, Severity, Workflow, gates_before};
use petgraph::Direction::Incoming;
use petgraph::algo::dominators::simple_fast;
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
    let graph = workflow.graph();
    let flows = EdgeFiltered::from_fn(graph, |edge| edge.weight().kind != FlowKind::DependsOn);
    let dominators = simple_fast(&flows, workflow.node(0));
    let mut left = MOST_STEPS;
    let mut meets: BTreeSet<(usize, usize)> = BTreeSet::new();
    for step in workflow.steps().iter().filter(|step| reach.reached[step.ordinal]) {
        let node = workflow.node(step.ordinal);
        let stop = dominators.immediate_dominator(node);
        for edge in graph
            .edges_directed(node, Incoming)
            .filter(|edge| edge.weight().kind != FlowKind::DependsOn)
        {
            let mut runner = Some(edge.source());
            // Where a rejection leads is not guarded by the gate: nobody approved.
            let rejects = edge.weight().kind == FlowKind::Reject;
            while let Some(at) = runner.filter(|at| Some(*at) != stop) {
                if left == 0 {
                    let said = "This workflow is too tangled to look for every way around its gates";
                    found.push(Diagnostic::new(PAGE.code, Severity::Note, Place::document(), said));
                    return;
                }
                left -= 1;
                let gate = graph[at];
                let own_rejection = rejects && at == edge.source();
                if is_gate(gate) && !own_rejection && reach.component[gate] != reach.component[step.ordinal] {
                    meets.insert((step.ordinal, gate));
                }
                runner = dominators.immediate_dominator(at);
            }
        }
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
        let said = format!(
            "{} can be reached without passing the gate at {}",
            step.called(),
            gate.called()
        );
        found.push(
            Diagnostic::new(PAGE.code, Severity::Warning, Place::step(ordinal), said)
                .related(
                    Place::step(gate.ordinal).field("human_gate"),
                    "is the gate that can be passed by",
                )
                .help("Lead every path through the gate, or ask on this step too (`human_gate: required`)"),
        );
    }
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
        let wanted = "`publish` can be reached without passing the gate at `approve`".to_owned();
        assert_eq!(found(&workflow, "GH0006"), [(Some(2), wanted)]);
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
