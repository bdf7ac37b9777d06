//! GH0005: a value that matches no branch ends the flow, or a person is asked.

use super::{Found, Reach};
use crate::diagnostic::CodePage;
use crate::routing::Guard;
use crate::{Branch, Diagnostic, Place, Routing, Severity, Step, Workflow};

pub(super) const PAGE: CodePage = CodePage {
    code: "GH0005",
    title: "Branch without a match",
    page: include_str!("branch_without_match.md"),
};

/// What people write for every value that is not listed. Among the values it is one like any other.
const OTHERS: [&str; 5] = ["default", "else", "otherwise", "*", "_"];

pub(super) fn check(workflow: &Workflow, _: &Reach, found: &mut Found) {
    for step in workflow.steps() {
        if let Routing::Branch(branch) = &step.routing
            && let Some(others) = for_others(step, branch)
        {
            let is_missed = others.severity == Severity::Error;
            found.push(others);
            if is_missed {
                continue;
            }
        }
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

/// A way for all other values that stands among the values. Where nothing else says where those lead, the flow would end with them, as if all
/// were done, and pass what is meant for them.
fn for_others(step: &Step, branch: &Branch) -> Option<Diagnostic> {
    let is_one = |value: &str| OTHERS.contains(&value.trim().to_lowercase().as_str());
    let word = branch.branches.keys().find(|value| is_one(value))?;
    let said = format!(
        "`{word}` among `branches` is a value like any other: it is taken where `{word}` is reported, and for no other value"
    );
    let (severity, help) = match branch.next {
        None => (
            Severity::Error,
            "This workflow does not start. Write it as `next` beside `branches`: that is the way for every value that is not listed",
        ),
        Some(_) => (
            Severity::Warning,
            "Leave it so if that value is reported; the way for every value that is not listed is `next`",
        ),
    };
    let place = Place::step(step.ordinal)
        .field("routing")
        .field("branches")
        .field(word.as_str());
    Some(Diagnostic::new(PAGE.code, severity, place, said).help(help))
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
    fn a_way_for_all_others_is_no_value() {
        for word in ["default", "Else", "otherwise", "*", "_"] {
            let severity = |next: Option<&str>| {
                let branch = branch(&[("ok", "b"), (word, "c")], next);
                let all = flow(vec![step("a", branch), step("b", end()), step("c", end())]);
                let found = crate::rules::check(&all);
                let mut of_it = found.into_iter().filter(|one| one.code == "GH0005");
                let first = of_it.next().expect(word);
                assert_eq!(of_it.next(), None);
                assert_eq!(first.place.path, ["routing", "branches", word]);
                first.severity
            };
            assert_eq!(severity(None), Severity::Error, "{word}");
            assert_eq!(severity(Some("b")), Severity::Warning, "{word}");
        }
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
