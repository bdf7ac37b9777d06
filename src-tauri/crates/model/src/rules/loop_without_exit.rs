//! GH0003: a cycle that a run can enter and never leave.

use super::{Found, Reach, unknown_target};
use crate::course::may_end;
use crate::diagnostic::CodePage;
use crate::{Diagnostic, FlowKind, Place, Severity, Step, StepId, Workflow};
use petgraph::visit::EdgeRef as _;
use std::collections::HashSet;

pub(super) const PAGE: CodePage = CodePage {
    code: "GH0003",
    title: "Loop without a way out",
    page: include_str!("loop_without_exit.md"),
};

pub(super) fn check(workflow: &Workflow, reach: &Reach, found: &mut Found) {
    let doubled = doubled(workflow);
    for (number, ordinals) in reach.components.iter().enumerate() {
        if !reach.is_cycle(workflow, number) || !reach.reached[ordinals[0]] {
            continue;
        }
        let steps = || ordinals.iter().map(|&ordinal| &workflow.steps()[ordinal]);
        // Where a route leads nowhere yet, that is reported: the way out may be meant by it.
        let unfinished = |step: &Step| unknown_target::is_unfinished(workflow, step);
        if steps().any(|step| may_end(workflow, step) || leaves(workflow, reach, step) || unfinished(step)) {
            continue;
        }
        // So is an id that two steps have: a way that is meant for the second leads to the first.
        if steps().any(|step| doubled.contains(&step.id)) {
            continue;
        }
        // A person who is asked inside the loop can end it by rejecting.
        let asks = steps().any(|step| step.gate.is_some());
        let severity = if asks { Severity::Warning } else { Severity::Error };
        let names: Vec<String> = steps().take(5).map(Step::called).collect();
        let more = if ordinals.len() > 5 { " …" } else { "" };
        let said = match ordinals.as_slice() {
            [only] => format!("{} leads to itself and nowhere else", workflow.steps()[*only].called()),
            _ => format!("These steps lead only to each other: {}{more}", names.join(", ")),
        };
        let place = Place::step(ordinals[0]);
        let mut diagnostic = Diagnostic::new(PAGE.code, severity, place, said)
            .help("Let one of them lead out of the loop: a microloop with `max_iterations`, or a branch");
        for &ordinal in ordinals.iter().skip(1).take(10) {
            diagnostic = diagnostic.related(Place::step(ordinal), "is part of this loop");
        }
        found.push(diagnostic);
    }
}

/// The ids that more than one step has.
fn doubled(workflow: &Workflow) -> HashSet<&StepId> {
    let mut seen = HashSet::new();
    let ids = workflow.steps().iter().map(|step| &step.id);
    ids.filter(|id| !seen.insert(*id)).collect()
}

/// Whether an edge leads from a step out of its cycle. A rejection is no way out of a loop that is approved.
fn leaves(workflow: &Workflow, reach: &Reach, step: &Step) -> bool {
    workflow.graph().edges(workflow.node(step.ordinal)).any(|edge| {
        !matches!(edge.weight().kind, FlowKind::DependsOn | FlowKind::Reject)
            && reach.component[workflow.graph()[edge.target()]] != reach.component[step.ordinal]
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{branch, end, flow, found, gated, microloop, step, to};
    use super::*;
    use crate::Routing;

    #[test]
    fn a_linear_circle_is_an_error() {
        let workflow = flow(vec![step("a", to("b")), step("b", to("a")), step("c", end())]);
        let all = super::super::check(&workflow);
        let one = all.iter().find(|d| d.code == "GH0003").expect("reported");
        assert_eq!(one.severity, Severity::Error);
        assert_eq!(one.message, "These steps lead only to each other: `a`, `b`");
        assert_eq!(one.related.len(), 1);
    }

    #[test]
    fn two_steps_of_one_id_are_no_loop() {
        let workflow = flow(vec![step("a", to("a")), step("a", end())]);
        assert_eq!(found(&workflow, "GH0003"), []);
        assert_eq!(found(&workflow, "GH0004").len(), 1);
    }

    #[test]
    fn a_step_that_leads_to_itself_is_an_error() {
        let found = found(&flow(vec![step("a", to("a"))]), "GH0003");
        assert_eq!(found, [(Some(0), "`a` leads to itself and nowhere else".to_owned())]);
    }

    #[test]
    fn a_microloop_is_left_by_its_bound() {
        let last = step("critic", Routing::Microloop(microloop("author", None)));
        assert!(found(&flow(vec![step("author", to("critic")), last]), "GH0003").is_empty());
        let onward = step("critic", Routing::Microloop(microloop("author", Some("done"))));
        assert!(
            found(
                &flow(vec![step("author", to("critic")), onward, step("done", end())]),
                "GH0003"
            )
            .is_empty()
        );
    }

    #[test]
    fn a_microloop_whose_next_leads_back_too_is_an_error() {
        let critic = step("critic", Routing::Microloop(microloop("author", Some("author"))));
        assert_eq!(
            found(&flow(vec![step("author", to("critic")), critic]), "GH0003").len(),
            1
        );
    }

    #[test]
    fn a_branch_without_a_way_for_other_values_can_end() {
        let workflow = flow(vec![step("a", branch(&[("again", "a")], None))]);
        assert!(found(&workflow, "GH0003").is_empty());
    }

    #[test]
    fn a_person_in_the_loop_makes_it_a_warning() {
        let workflow = flow(vec![gated("a", to("a"))]);
        let all = super::super::check(&workflow);
        assert!(
            all.iter()
                .any(|d| d.code == "GH0003" && d.severity == Severity::Warning)
        );
    }
}
