//! GH0002: no path leads to a step.

use super::{Found, Reach, unknown_target};
use crate::diagnostic::CodePage;
use crate::{Diagnostic, Place, Routing, Severity, Step, Workflow};

pub(super) const PAGE: CodePage = CodePage {
    code: "GH0002",
    title: "Step is never reached",
    page: include_str!("unreachable_step.md"),
};

pub(super) fn check(workflow: &Workflow, reach: &Reach, found: &mut Found) {
    // To a container leads no edge (it leads to the first step in it), and every stage has its turn.
    let elsewise = |step: &Step| matches!(step.routing, Routing::Transitions { .. } | Routing::Dependencies);
    if workflow.steps().iter().any(elsewise) {
        return;
    }
    let Some(reached) = as_meant(workflow, reach) else {
        return;
    };
    for step in workflow.steps() {
        // A second step of one id is reported as such.
        let is_second = workflow
            .step(&step.id)
            .is_some_and(|first| first.ordinal != step.ordinal);
        if reached[step.ordinal] || is_second {
            continue;
        }
        let said = format!("{} is never reached", step.called());
        found.push(
            Diagnostic::new(PAGE.code, Severity::Warning, Place::step(step.ordinal), said)
                .help("Connect a step to it, or remove it"),
        );
    }
}

/// The steps that are reached once the routes that lead nowhere are mended; `None` where one of them may be meant to lead anywhere. What a
/// misspelt route would reach is no second problem.
fn as_meant(workflow: &Workflow, reach: &Reach) -> Option<Vec<bool>> {
    let mut meant = Vec::new();
    for guess in unknown_target::guesses(workflow) {
        meant.push(guess?);
    }
    Some(reach.reached_also_from(workflow, &meant))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{end, flow, found, step, to};
    use crate::Routing;

    #[test]
    fn a_step_that_is_jumped_over_is_reported() {
        let workflow = flow(vec![step("a", to("c")), step("b", to("c")), step("c", end())]);
        assert_eq!(
            found(&workflow, "GH0002"),
            [(Some(1), "`b` is never reached".to_owned())]
        );
    }

    #[test]
    fn what_a_misspelt_route_would_reach_is_no_second_problem() {
        let steps = |next: &str| {
            let chain = [("a", next), ("brief", "c"), ("c", "d"), ("d", "e")];
            let mut steps: Vec<_> = chain.into_iter().map(|(id, next)| step(id, to(next))).collect();
            steps.extend([step("e", end()), step("stray", to("e"))]);
            super::super::check(&flow(steps))
        };
        let said = |next: &str| -> Vec<(String, Option<usize>)> {
            steps(next).into_iter().map(|d| (d.code, d.place.step)).collect()
        };
        // The step that was meant is known: what it reaches is reached, and another one is not.
        assert_eq!(
            said("breif"),
            [("GH0001".to_owned(), Some(0)), ("GH0002".to_owned(), Some(5))]
        );
        // It is not known: any step may be meant.
        assert_eq!(said("somewhere"), [("GH0001".to_owned(), Some(0))]);
    }

    #[test]
    fn a_linear_step_without_next_ends_the_flow_for_what_follows() {
        let workflow = flow(vec![step("a", end()), step("b", end())]);
        assert_eq!(found(&workflow, "GH0002").len(), 1);
    }

    #[test]
    fn the_order_of_the_file_is_a_way_and_so_is_a_fork() {
        let fork = Routing::Fork(Box::new(crate::Fork {
            targets: vec!["c".into()],
            join: None,
            rules: Default::default(),
        }));
        let workflow = flow(vec![step("a", Routing::Sequence), step("b", fork), step("c", end())]);
        assert!(found(&workflow, "GH0002").is_empty());
    }
}
