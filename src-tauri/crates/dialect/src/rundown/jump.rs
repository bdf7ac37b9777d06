//! Where a GOTO may stand (seed 002 "GOTO"), and the steps to which no way leads. Whether a jump's target exists is rule GH0001's.

use super::id::{self, Id, Part};
use super::report::Report;
use super::unit::Unit;
use model::{Action, Diagnostic, Edit, Jump, Place, Severity, Step, StepId, Workflow};
use std::collections::HashSet;

pub(super) fn check(workflow: &Workflow, units: &[Unit], report: &mut Report) {
    let mut jumped: HashSet<&str> = HashSet::new();
    for (step, unit) in workflow.steps().iter().zip(units) {
        for (n, read) in unit.transitions.iter().enumerate() {
            let Action::Goto(jump) = read.transition.action.last() else {
                continue;
            };
            if let Some(target) = jump.target() {
                jumped.insert(target.as_str());
                // A jump to a substep reaches the step around it, too.
                if let Some((around, _)) = target.as_str().split_once('.') {
                    jumped.insert(around);
                }
            }
            if let Some(found) = refused(workflow, step, unit, n, jump) {
                report.push(found);
            }
        }
    }
    // A jump that leads nowhere, or cannot be read, may be meant for any of them; it is reported itself.
    let unread = units.iter().any(|unit| !unit.broken.is_empty());
    let unknown = jumped
        .iter()
        .any(|target| target.parse::<u32>().is_err() && workflow.step(&(*target).into()).is_none());
    if !unread && !unknown {
        never_reached(workflow, units, &jumped, report);
    }
}

fn refused(workflow: &Workflow, step: &Step, unit: &Unit, n: usize, jump: &Jump) -> Option<Diagnostic> {
    let whole = Place::step(step.ordinal).field("transitions").field(n.to_string());
    let error =
        |said: String, help: &str| Some(Diagnostic::new("GH0211", Severity::Error, whole.clone(), said).help(help));
    let own = unit.heading.id.as_ref().ok()?;
    match jump {
        Jump::Next(None) => {
            if workflow.innermost_dynamic(step).is_some() {
                return None;
            }
            error(
                "NEXT stands where nothing is repeated: neither this step nor one around it is dynamic".to_owned(),
                "Use CONTINUE for the next step, or say which one: `GOTO NEXT {N}`",
            )
        }
        Jump::Next(Some(target)) => {
            let found = workflow.step(target)?;
            if found.dynamic {
                return None;
            }
            error(
                format!("`{target}` is not dynamic, so it has no next instance"),
                "NEXT leads to `{N}`, `1.{n}` and their like; leave NEXT out to jump to the step itself",
            )
        }
        Jump::To(target) => {
            workflow.step(target)?;
            to(step, unit, n, own, target, &whole)
        }
    }
}

fn to(step: &Step, unit: &Unit, n: usize, own: &Id, target: &StepId, whole: &Place) -> Option<Diagnostic> {
    let found = id::whole(target.as_str()).ok()?;
    let error = |said: String| Diagnostic::new("GH0211", Severity::Error, whole.clone(), said);
    if found == *own && *own.last() != Part::Dynamic {
        let transition = &unit.transitions[n].transition;
        let mut diagnostic = error(format!("`{}` jumps to itself, which would never end", step.id))
            .help("Use RETRY: it does the step again, a bounded number of times");
        if matches!(transition.action, Action::Goto(_)) {
            let quantifier = match transition.quantifier {
                Some(model::Quantifier::All) => " ALL",
                Some(model::Quantifier::Any) => " ANY",
                None => "",
            };
            let edit = Edit::Set {
                place: whole.clone(),
                value: format!("{}{quantifier}: RETRY", transition.word).into(),
            };
            diagnostic = diagnostic.fix("Use RETRY", edit);
        }
        return Some(diagnostic);
    }
    let inside = own.step == found.step;
    let named = matches!(own.step, Part::Name(_));
    match (&found.step, &found.substep) {
        (Part::Dynamic, Some(Part::Number(_) | Part::Name(_))) if !inside => Some(
            error(format!("`{target}` can be reached from inside of `{{N}}` alone"))
                .help("From here, `GOTO {N}` does the current instance again and `GOTO NEXT {N}` begins the next one"),
        ),
        // A named step looks after what came before: it may go back to where that was.
        (_, Some(Part::Dynamic)) if !inside && !named => Some(
            error(format!(
                "`{target}` is the current substep of another step; from here there is none"
            ))
            .help(format!(
                "Jump to the step itself, or to its next substep: `GOTO NEXT {target}`"
            )),
        ),
        _ => None,
    }
}

/// Steps to which no way leads run only when a person sends the run there: a named one that nothing jumps to is passed by in sequence, and any
/// other may be jumped over. `jumped`: the targets of jumps, and the steps around them.
fn never_reached(workflow: &Workflow, units: &[Unit], jumped: &HashSet<&str>, report: &mut Report) {
    let reached = reached(workflow);
    // What is wrong elsewhere may have been meant to lead anywhere; that a name stands nowhere else is certain all the same.
    let is_sure = !report.has_errors() && jumped.iter().all(|target| workflow.step(&(*target).into()).is_some());
    let never = workflow.steps().iter().filter(|step| !reached[step.ordinal]);
    // What stands in one is told with it.
    let never = never.filter(|step| {
        let around = workflow.container(step);
        around.is_none_or(|around| reached[around.ordinal])
    });
    for step in never.filter(|step| units[step.ordinal].heading.id.is_ok()) {
        let is_named_alone = step.jump_only && !jumped.contains(step.id.as_str());
        if !is_named_alone && !is_sure {
            continue;
        }
        let (said, help) = match is_named_alone {
            true => (
                format!(
                    "Nothing jumps to `{}`, so it runs only when a person sends the run there",
                    step.id
                ),
                format!(
                    "In a runbook named steps are reached by `GOTO {}` alone; one that is done in its turn begins with its number, as in `## 2 Title`",
                    step.id
                ),
            ),
            false => (
                format!(
                    "No way leads to `{}`, so it runs only when a person sends the run there",
                    step.id
                ),
                format!(
                    "Let a step that runs lead to it, by CONTINUE or `GOTO {}`, or remove it",
                    step.id
                ),
            ),
        };
        report.push(
            Diagnostic::new(
                "GH0219",
                Severity::Warning,
                Place::step(step.ordinal).field("heading"),
                said,
            )
            .help(help),
        );
    }
}

/// By the places in the file: whether any way leads to a step, from where a run begins. A step that holds others is reached with any of them.
fn reached(workflow: &Workflow) -> Vec<bool> {
    let mut leads: Vec<Vec<&Step>> = vec![Vec::new(); workflow.steps().len()];
    for (from, to, _) in workflow.flows() {
        leads[from.ordinal].push(to);
    }
    let mut reached = vec![false; leads.len()];
    let mut left: Vec<&Step> = workflow.entry().into_iter().collect();
    while let Some(step) = left.pop() {
        if std::mem::replace(&mut reached[step.ordinal], true) {
            continue;
        }
        left.extend(&leads[step.ordinal]);
        left.extend(workflow.container(step));
        left.extend(workflow.children(step).next());
    }
    reached
}
