//! GH0002: no path leads to a step.

use super::{Found, Reach};
use crate::diagnostic::CodePage;
use crate::{Diagnostic, Format, Place, Severity, Workflow};

pub(super) const PAGE: CodePage = CodePage {
    code: "GH0002",
    title: "Step is never reached",
    page: include_str!("unreachable_step.md"),
};

pub(super) fn check(workflow: &Workflow, reach: &Reach, found: &mut Found) {
    // In a runbook no edge leads to a container (it leads to the first step in it), and every stage of a pipeline has its turn.
    if !matches!(workflow.format, Format::Stepwise | Format::StepSpec) {
        return;
    }
    for step in workflow.steps() {
        // A second step of one id is reported as such.
        let is_second = workflow
            .step(&step.id)
            .is_some_and(|first| first.ordinal != step.ordinal);
        if reach.reached[step.ordinal] || is_second {
            continue;
        }
        let said = format!("`{}` is never reached", step.id);
        found.push(
            Diagnostic::new(PAGE.code, Severity::Warning, Place::step(step.ordinal), said)
                .help("Connect a step to it, or remove it"),
        );
    }
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
    fn a_linear_step_without_next_ends_the_flow_for_what_follows() {
        let workflow = flow(vec![step("a", end()), step("b", end())]);
        assert_eq!(found(&workflow, "GH0002").len(), 1);
    }

    #[test]
    fn the_order_of_the_file_is_a_way_and_so_is_a_fork() {
        let fields = [("fork_targets".to_owned(), serde_json::json!(["c"]))]
            .into_iter()
            .collect();
        let fork = Routing::Unknown {
            kind: "fork".to_owned(),
            next: None,
            fields,
        };
        let workflow = flow(vec![step("a", Routing::Sequence), step("b", fork), step("c", end())]);
        assert!(found(&workflow, "GH0002").is_empty());
    }
}
