//! GH0007: a microloop that does not do what a microloop is for.

use super::{Found, Reach, unknown_target};
use crate::diagnostic::CodePage;
use crate::{Diagnostic, Microloop, Place, Routing, Severity, Step, Workflow};

pub(super) const PAGE: CodePage = CodePage {
    code: "GH0007",
    title: "Loop that cannot turn or end early",
    page: include_str!("loop_never_ends_early.md"),
};

pub(super) fn check(workflow: &Workflow, reach: &Reach, found: &mut Found) {
    let mut steps = workflow.steps().iter();
    let unfinished = steps.any(|step| unknown_target::is_unfinished(workflow, step));
    for step in workflow.steps() {
        let Routing::Microloop(microloop) = &step.routing else {
            continue;
        };
        if let Some((field, severity, message, help)) = fault(workflow, reach, step, microloop, unfinished) {
            let place = Place::step(step.ordinal).field("routing").field(field);
            found.push(Diagnostic::new(PAGE.code, severity, place, message).help(help));
        }
    }
}

/// As many rounds as these are no bound.
const MANY: u32 = 10_000;

type Fault = (&'static str, Severity, String, &'static str);

/// `unfinished`: a route of this workflow leads nowhere.
fn fault(workflow: &Workflow, reach: &Reach, step: &Step, microloop: &Microloop, unfinished: bool) -> Option<Fault> {
    let Some(target) = &microloop.loop_target else {
        let said = format!(
            "The loop at {} does not say where it goes back to, so it never turns",
            step.called()
        );
        return Some((
            "loop_target",
            Severity::Warning,
            said,
            "Name the step that it goes back to (`loop_target`)",
        ));
    };
    // An unknown target is reported by its own rule.
    let target = workflow.step(target)?;
    if microloop.max_iterations == 0 {
        let said = format!("The loop at {} may go back 0 times, so it never turns", step.called());
        return Some((
            "max_iterations",
            Severity::Warning,
            said,
            "Say how often it may go back (`max_iterations`), or let the step simply go on (`kind: linear`)",
        ));
    }
    if reach.component[target.ordinal] != reach.component[step.ordinal] {
        // A route that leads nowhere yet may be the missing way: it is reported itself.
        if unfinished {
            return None;
        }
        let said = format!(
            "{} goes back to {}, but no way leads from there to it again",
            step.called(),
            target.called()
        );
        return Some((
            "loop_target",
            Severity::Warning,
            said,
            "Name a step that leads here, or use a branch",
        ));
    }
    let decides = !microloop.exit_on.is_empty() || microloop.condition_field.is_some();
    if !decides {
        let said = format!(
            "Nothing ends the loop at {} before it has gone back {}",
            step.called(),
            match microloop.max_iterations {
                1 => "once".to_owned(),
                often => format!("{often} times"),
            }
        );
        let help = "Say what ends it: a field of the report, and the values of it (`loop_condition_field: status`, `loop_success_values: [VERIFIED]`)";
        return Some(("loop_condition_field", Severity::Warning, said, help));
    }
    if microloop.exit_on.is_empty() && microloop.success_values.is_empty() {
        let said = format!("No value is named that ends the loop at {}", step.called());
        return Some((
            "loop_success_values",
            Severity::Warning,
            said,
            "Name the values that end it (`loop_success_values: [VERIFIED]`)",
        ));
    }
    if microloop.max_iterations > MANY {
        let often = microloop.max_iterations;
        let said = format!(
            "The loop at {} may go back {often} times: nothing ends it where its work never succeeds",
            step.called()
        );
        let help = "Say after how many rounds more of them would not help either (`max_iterations`)";
        return Some(("max_iterations", Severity::Warning, said, help));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::testing::{end, flow, found, microloop, step, to};
    use super::*;

    fn critic(change: impl FnOnce(&mut Microloop)) -> Workflow {
        let mut inner = microloop("author", Some("done"));
        change(&mut inner);
        flow(vec![
            step("author", to("critic")),
            step("critic", Routing::Microloop(inner)),
            step("done", end()),
            step("after", end()),
        ])
    }

    fn said(workflow: &Workflow) -> Vec<String> {
        found(workflow, "GH0007")
            .into_iter()
            .map(|(_, message)| message)
            .collect()
    }

    #[test]
    fn a_whole_microloop_is_fine() {
        assert!(said(&critic(|_| {})).is_empty());
    }

    #[test]
    fn each_gap_is_named() {
        assert_eq!(
            said(&critic(|m| m.loop_target = None)),
            ["The loop at `critic` does not say where it goes back to, so it never turns"]
        );
        assert_eq!(
            said(&critic(|m| m.max_iterations = 0)),
            ["The loop at `critic` may go back 0 times, so it never turns"]
        );
        assert_eq!(
            said(&critic(|m| m.loop_target = Some("after".into()))),
            ["`critic` goes back to `after`, but no way leads from there to it again"]
        );
        assert_eq!(
            said(&critic(|m| m.condition_field = None)),
            ["Nothing ends the loop at `critic` before it has gone back 3 times"]
        );
        assert_eq!(
            said(&critic(|m| m.max_iterations = 1_000_000_000)),
            ["The loop at `critic` may go back 1000000000 times: nothing ends it where its work never succeeds"]
        );
        assert_eq!(
            said(&critic(|m| m.success_values.clear())),
            ["No value is named that ends the loop at `critic`"]
        );
    }
}
