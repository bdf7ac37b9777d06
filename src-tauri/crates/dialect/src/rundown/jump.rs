//! Where a GOTO may stand (seed 002 "GOTO"). Whether its target exists is rule GH0001's.

use super::id::{self, Id, Part};
use super::report::Report;
use super::unit::Unit;
use model::{Action, Diagnostic, Edit, Jump, Place, Severity, Step, StepId, Workflow};
use std::collections::HashSet;

pub(super) fn check(workflow: &Workflow, units: &[Unit], report: &mut Report) {
    let mut reached: HashSet<&str> = HashSet::new();
    for (step, unit) in workflow.steps().iter().zip(units) {
        for (n, read) in unit.transitions.iter().enumerate() {
            let Action::Goto(jump) = read.transition.action.last() else {
                continue;
            };
            if let Some(target) = jump.target() {
                reached.insert(target.as_str());
                // A jump to a substep reaches the step around it, too.
                if let Some((around, _)) = target.as_str().split_once('.') {
                    reached.insert(around);
                }
            }
            if let Some(found) = refused(workflow, step, unit, n, jump) {
                report.push(found);
            }
        }
    }
    // A jump that leads nowhere, or cannot be read, may be meant for any of them; it is reported itself.
    let unread = units.iter().any(|unit| !unit.broken.is_empty());
    let unknown = reached
        .iter()
        .any(|target| target.parse::<u32>().is_err() && workflow.step(&(*target).into()).is_none());
    if !unread && !unknown {
        never_reached(workflow, units, &reached, report);
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

/// Named steps that nothing jumps to never run: the sequence passes them by.
fn never_reached(workflow: &Workflow, units: &[Unit], reached: &HashSet<&str>, report: &mut Report) {
    // A runbook of named steps alone begins at its first.
    let entry = workflow
        .steps()
        .iter()
        .all(|step| step.jump_only || step.parent.is_some());
    let first = workflow
        .steps()
        .iter()
        .find(|step| step.parent.is_none())
        .map(|step| step.ordinal);
    for step in workflow.steps().iter().filter(|step| step.jump_only) {
        let begins = entry && Some(step.ordinal) == first;
        let nameless = units[step.ordinal].heading.id.is_err();
        if begins || nameless || reached.contains(step.id.as_str()) {
            continue;
        }
        let said = format!("Nothing jumps to `{}`, so it never runs", step.id);
        let help = format!("Named steps are reached by `GOTO {}` alone", step.id);
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
