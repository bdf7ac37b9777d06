//! GH0010: a fork whose branches cannot run beside each other.

use super::{Found, Reach};
use crate::diagnostic::CodePage;
use crate::{Diagnostic, Severity, Workflow, fork};

pub(super) const PAGE: CodePage = CodePage {
    code: "GH0010",
    title: "Fork cannot be run",
    page: include_str!("unsound_fork.md"),
};

pub(super) fn check(workflow: &Workflow, _: &Reach, found: &mut Found) {
    for fault in fork::faults(workflow) {
        found.push(Diagnostic::new(PAGE.code, Severity::Error, fault.place, fault.said).help(fault.help));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{end, flow, found, step, to};
    use crate::{Fork, ForkRules, Routing};

    #[test]
    fn branches_that_never_meet_are_an_error() {
        let fork = Routing::Fork(Box::new(Fork {
            targets: vec!["b".into(), "c".into()],
            join: None,
            rules: ForkRules::default(),
        }));
        let apart = flow(vec![step("a", fork.clone()), step("b", end()), step("c", end())]);
        assert_eq!(found(&apart, "GH0010").len(), 1);
        let meeting = flow(vec![
            step("a", fork),
            step("b", to("d")),
            step("c", to("d")),
            step("d", end()),
        ]);
        assert_eq!(found(&meeting, "GH0010"), []);
    }
}
