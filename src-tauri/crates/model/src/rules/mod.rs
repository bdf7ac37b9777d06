//! Rules: each looks at a whole workflow and reports what is wrong. One file a rule, its remedy page beside it.
//!
//! A rule works on the model alone, so it holds for every format. Each takes time linear in the size of the workflow (or
//! bounds its work and says so).

mod branch_without_match;
mod dependency_cycle;
mod duplicate_step;
mod gate_bypass;
mod loop_never_ends_early;
mod loop_without_exit;
mod missing_agent;
mod reach;
mod rejected_too;
mod shared_output;
mod unknown_target;
mod unreachable_step;
mod unsound_fork;

use crate::diagnostic::CodePage;
use crate::{Diagnostic, Place, Workflow};
use reach::Reach;

/// What a rule is: it looks and reports.
type Rule = fn(&Workflow, &Reach, &mut Found);

/// What the rules find. Of one code only the first [`MOST_OF_A_CODE`] are kept, the rest is counted: a hostile file must not
/// cost more than it is long.
struct Found {
    list: Vec<Diagnostic>,
    of_this_code: usize,
}

/// Nobody reads more of one kind.
pub const MOST_OF_A_CODE: usize = 500;

impl Found {
    fn push(&mut self, diagnostic: Diagnostic) {
        self.of_this_code += 1;
        if self.of_this_code <= MOST_OF_A_CODE {
            self.list.push(diagnostic);
        }
    }

    /// Ends one code: what was left out is said.
    fn end(&mut self) {
        let left_out = std::mem::take(&mut self.of_this_code).saturating_sub(MOST_OF_A_CODE);
        if left_out > 0
            && let Some(last) = self.list.last()
        {
            let said = format!("The same was found {left_out} times more");
            self.list.push(Diagnostic::new(
                &last.code.clone(),
                last.severity,
                Place::document(),
                said,
            ));
        }
    }
}

/// The rules in order of their codes, each with its remedy page.
static RULES: &[(Rule, CodePage)] = &[
    (unknown_target::check, unknown_target::PAGE),
    (unreachable_step::check, unreachable_step::PAGE),
    (loop_without_exit::check, loop_without_exit::PAGE),
    (duplicate_step::check, duplicate_step::PAGE),
    (branch_without_match::check, branch_without_match::PAGE),
    (gate_bypass::check, gate_bypass::PAGE),
    (loop_never_ends_early::check, loop_never_ends_early::PAGE),
    (dependency_cycle::check, dependency_cycle::PAGE),
    (missing_agent::check, missing_agent::PAGE),
    (unsound_fork::check, unsound_fork::PAGE),
    (rejected_too::check, rejected_too::PAGE),
    (shared_output::check, shared_output::PAGE),
];

/// Every rule's remedy page, in order of the codes.
pub static PAGES: &[CodePage] = &[
    unknown_target::PAGE,
    unreachable_step::PAGE,
    loop_without_exit::PAGE,
    duplicate_step::PAGE,
    branch_without_match::PAGE,
    gate_bypass::PAGE,
    loop_never_ends_early::PAGE,
    dependency_cycle::PAGE,
    missing_agent::PAGE,
    unsound_fork::PAGE,
    rejected_too::PAGE,
    shared_output::PAGE,
];

/// Runs every rule; what they find comes in order of the codes, within one code in document order.
pub fn check(workflow: &Workflow) -> Vec<Diagnostic> {
    let reach = Reach::of(workflow);
    let mut found = Found {
        list: Vec::new(),
        of_this_code: 0,
    };
    for (rule, _) in RULES {
        rule(workflow, &reach, &mut found);
        found.end();
    }
    found.list
}

#[cfg(test)]
pub(crate) mod testing;

pub use gate_bypass::by_failures;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_its_page_in_order_and_every_page_its_parts() {
        assert_eq!(RULES.len(), PAGES.len());
        for (n, ((_, page), listed)) in RULES.iter().zip(PAGES).enumerate() {
            assert_eq!(page.code, listed.code);
            assert_eq!(page.code, format!("GH{:04}", n + 1));
            assert!(page.page.starts_with(&format!("# {}: ", page.code)), "{}", page.code);
            assert!(page.page.contains("```yaml"), "{} shows an example", page.code);
            assert!(page.page.contains("## Mend it"), "{} says what to do", page.code);
            assert!(!page.title.is_empty());
        }
    }

    #[test]
    fn what_is_found_without_end_is_counted() {
        let steps = (0..MOST_OF_A_CODE + 20)
            .map(|_| testing::step("same", crate::Routing::Sequence))
            .collect();
        let found = testing::found(&testing::flow(steps), "GH0004");
        assert_eq!(found.len(), MOST_OF_A_CODE + 1);
        assert_eq!(
            found[MOST_OF_A_CODE],
            (None, "The same was found 19 times more".to_owned())
        );
    }

    #[test]
    fn an_empty_workflow_breaks_no_rule() {
        assert_eq!(check(&testing::flow(Vec::new())), Vec::new());
    }
}
