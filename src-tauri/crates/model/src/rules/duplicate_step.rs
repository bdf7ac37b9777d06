//! GH0004: two steps have one id.

use super::{Found, Reach};
use crate::diagnostic::CodePage;
use crate::{Diagnostic, Place, Severity, Workflow};

pub(super) const PAGE: CodePage = CodePage {
    code: "GH0004",
    title: "Two steps of one id",
    page: include_str!("duplicate_step.md"),
};

pub(super) fn check(workflow: &Workflow, _: &Reach, found: &mut Found) {
    for step in workflow.steps() {
        let Some(first) = workflow.step(&step.id).filter(|first| first.ordinal != step.ordinal) else {
            continue;
        };
        let said = format!(
            "The id `{}` is taken by an earlier step; this one can never run",
            step.id
        );
        found.push(
            Diagnostic::new(PAGE.code, Severity::Error, Place::step(step.ordinal).field("id"), said)
                .related(Place::step(first.ordinal).field("id"), "is the first step of this id")
                .help("Give one of the two another id"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{end, flow, found, step, to};
    use super::*;

    #[test]
    fn the_second_one_is_reported_with_the_first() {
        let workflow = flow(vec![step("a", to("b")), step("b", end()), step("a", end())]);
        let all = super::super::check(&workflow);
        let one = all.iter().find(|d| d.code == "GH0004").expect("reported");
        assert_eq!(one.place, Place::step(2).field("id"));
        assert_eq!(one.related[0].0, Place::step(0).field("id"));
        // It is not reported as unreachable besides.
        assert!(found(&workflow, "GH0002").is_empty());
    }

    #[test]
    fn ids_that_differ_in_case_are_two() {
        assert!(found(&flow(vec![step("a", to("A")), step("A", end())]), "GH0004").is_empty());
    }
}
