//! GH0009: nobody is named who does a step.

use super::{Found, Reach};
use crate::diagnostic::CodePage;
use crate::{Diagnostic, Place, Severity, Work, Workflow};

pub(super) const PAGE: CodePage = CodePage {
    code: "GH0009",
    title: "Step without an agent",
    page: include_str!("missing_agent.md"),
};

pub(super) fn check(workflow: &Workflow, _: &Reach, found: &mut Found) {
    for step in workflow
        .steps()
        .iter()
        .filter(|step| step.work == Work::Agent && step.agents.is_empty())
    {
        let said = format!("{} does not say who does it", step.called());
        found.push(
            Diagnostic::new(PAGE.code, Severity::Note, Place::step(step.ordinal), said)
                .help("Name who does it: under “Who does it” in its form, or in the file as `agents: [name]`"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{end, flow, found, step, to};
    use crate::{Step, Work};

    #[test]
    fn only_work_for_agents_needs_one() {
        let nobody = Step {
            agents: Vec::new(),
            ..step("a", to("b"))
        };
        let group = Step {
            agents: Vec::new(),
            work: Work::Group,
            ..step("b", end())
        };
        let wanted = "`a` does not say who does it".to_owned();
        assert_eq!(found(&flow(vec![nobody, group]), "GH0009"), [(Some(0), wanted)]);
    }
}
