//! GH0005: a value that matches no branch ends the flow, or a person is asked.

use super::{Found, Reach};
use crate::diagnostic::CodePage;
use crate::routing::Guard;
use crate::{Diagnostic, Place, Routing, Severity, Workflow};

pub(super) const PAGE: CodePage = CodePage {
    code: "GH0005",
    title: "Branch without a match",
    page: include_str!("branch_without_match.md"),
};

pub(super) fn check(workflow: &Workflow, _: &Reach, found: &mut Found) {
    for step in workflow.steps() {
        let (message, help) = match &step.routing {
            Routing::Branch(branch) if branch.branches.is_empty() => (
                format!("The branch at {} lists no values", step.called()),
                "List the values, each with the step that it leads to (`branches`)",
            ),
            Routing::Branch(branch) if branch.next.is_none() => (
                format!("A value that is not listed ends the flow after {}", step.called()),
                "Name the step for all other values (`next`)",
            ),
            routing if routing.may_ask_the_way() => (
                format!(
                    "When no condition holds after {}, a person is asked where the flow goes on",
                    step.called()
                ),
                "Leave it so if that is meant; otherwise add a route without a condition (`default:` in a flow) for every other case",
            ),
            Routing::Guarded { guards, next: None } if !Guard::cover_everything(guards) => (
                format!("When no condition holds, the flow ends after {}", step.called()),
                "Add a route without a condition (`default:` in a flow) for every other case",
            ),
            _ => continue,
        };
        let place = Place::step(step.ordinal).field("routing");
        found.push(Diagnostic::new(PAGE.code, Severity::Warning, place, message).help(help));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{branch, end, flow, found, step};
    use super::*;
    use crate::{Condition, Operator};
    use serde_json::{Value, json};

    fn guard(operator: Operator, value: Value) -> Guard {
        let condition = Condition::Compare {
            field: "passed".to_owned(),
            operator,
            value,
        };
        Guard {
            condition,
            to: "b".into(),
            back: false,
            most: crate::routing::BACK_EDGE_BOUND,
        }
    }

    fn guarded(guards: Vec<Guard>) -> Workflow {
        flow(vec![
            step("a", Routing::Guarded { guards, next: None }),
            step("b", end()),
        ])
    }

    #[test]
    fn a_branch_without_next_is_reported() {
        let workflow = flow(vec![step("a", branch(&[("MERGE", "b")], None)), step("b", end())]);
        assert_eq!(
            found(&workflow, "GH0005"),
            [(Some(0), "A value that is not listed ends the flow after `a`".to_owned())]
        );
        let whole = flow(vec![step("a", branch(&[("MERGE", "b")], Some("b"))), step("b", end())]);
        assert!(found(&whole, "GH0005").is_empty());
    }

    #[test]
    fn a_branch_of_nothing_is_reported() {
        assert_eq!(found(&flow(vec![step("a", branch(&[], None))]), "GH0005").len(), 1);
    }

    #[test]
    fn guards_that_leave_a_gap_are_reported() {
        assert_eq!(
            found(&guarded(vec![guard(Operator::Equals, json!(true))]), "GH0005").len(),
            1
        );
        let both = vec![
            guard(Operator::Equals, json!(true)),
            guard(Operator::Equals, json!(false)),
        ];
        assert!(found(&guarded(both), "GH0005").is_empty());
        let counts = vec![guard(Operator::Gt, json!(0)), guard(Operator::Equals, json!(0))];
        assert!(found(&guarded(counts), "GH0005").is_empty());
        let words = vec![
            guard(Operator::Equals, json!("MERGE")),
            guard(Operator::Equals, json!("BOUNCE")),
        ];
        assert_eq!(found(&guarded(words), "GH0005").len(), 1);
    }
}
