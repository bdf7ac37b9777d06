//! GH0001: a route leads to a step that does not exist.

use super::{Found, Reach};
use crate::diagnostic::CodePage;
use crate::{Diagnostic, Edit, Place, Routing, Severity, Step, StepId, Workflow};
use serde_json::Value;

pub(super) const PAGE: CodePage = CodePage {
    code: "GH0001",
    title: "Unknown step",
    page: include_str!("unknown_target.md"),
};

/// A guess costs a look at every step; past this many no guess is made.
const MOST_GUESSES: usize = 50;

pub(super) fn check(workflow: &Workflow, _: &Reach, found: &mut Found) {
    let mut guesses = MOST_GUESSES;
    for step in workflow.steps() {
        for (path, target) in targets(step) {
            if workflow.step(&target).is_some() {
                continue;
            }
            let place = Place::step(step.ordinal).path(path);
            if target.as_str().is_empty() {
                let said = format!("A route of `{}` leads nowhere", step.id);
                found.push(Diagnostic::new(PAGE.code, Severity::Error, place, said).help("Name the step it leads to"));
                continue;
            }
            let said = format!("`{}` leads to a step that does not exist: `{target}`", step.id);
            let mut diagnostic = Diagnostic::new(PAGE.code, Severity::Error, place.clone(), said);
            let near = if guesses > 0 { nearest(workflow, &target) } else { None };
            guesses = guesses.saturating_sub(1);
            diagnostic = match near {
                Some(near) => {
                    let edit = Edit::Set {
                        place,
                        value: Value::from(near.as_str()),
                    };
                    diagnostic
                        .help(format!("Did you mean `{near}`?"))
                        .fix(format!("Change to `{near}`"), edit)
                }
                None => diagnostic.help("Name a step of this workflow, or add the missing one"),
            };
            found.push(diagnostic);
        }
    }
}

/// Every step that a step names, with the path of the field that names it.
fn targets(step: &Step) -> Vec<(Vec<String>, StepId)> {
    let mut out: Vec<(Vec<String>, StepId)> = step
        .routing
        .targets()
        .into_iter()
        .map(|(path, to)| (path, to.clone()))
        .collect();
    if let Some(to) = step.gate.as_ref().and_then(|gate| gate.on_reject.clone()) {
        out.push((vec!["on_reject".to_owned()], to));
    }
    for (n, to) in step.depends_on.iter().enumerate() {
        out.push((vec!["depends_on".to_owned(), n.to_string()], to.clone()));
    }
    if let Routing::Unknown { fields, .. } = &step.routing {
        for key in ["fork_targets", "join_from"] {
            let list = fields.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            for (n, to) in list.iter().enumerate() {
                if let Some(to) = to.as_str() {
                    out.push((["routing", key, &n.to_string()].map(str::to_owned).to_vec(), to.into()));
                }
            }
        }
    }
    out
}

/// The id that was probably meant: the same but for case, else the nearest by edit distance, not further than a third.
fn nearest<'w>(workflow: &'w Workflow, target: &StepId) -> Option<&'w StepId> {
    let wanted = target.as_str().to_lowercase();
    let bound = (wanted.chars().count() / 3).clamp(1, 4);
    let near = |step: &'w Step| {
        let length = step.id.as_str().len().abs_diff(wanted.len());
        if length > bound * 4 {
            return None;
        }
        let distance = strsim::osa_distance(&step.id.as_str().to_lowercase(), &wanted);
        (distance <= bound).then_some((distance, &step.id))
    };
    workflow
        .steps()
        .iter()
        .filter_map(near)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, id)| id)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{end, flow, found, gated, step, to};
    use super::*;

    #[test]
    fn a_misspelt_target_comes_with_the_right_one() {
        let workflow = flow(vec![
            step("author_reqs", to("critique_rqs")),
            step("critique_reqs", end()),
        ]);
        let all = super::super::check(&workflow);
        let first = &all[0];
        assert_eq!(first.code, "GH0001");
        assert_eq!(
            first.message,
            "`author_reqs` leads to a step that does not exist: `critique_rqs`"
        );
        assert_eq!(first.place, Place::step(0).field("routing").field("next"));
        let fix = first.fix.as_ref().expect("a near id exists");
        assert_eq!(
            fix.edit,
            Edit::Set {
                place: first.place.clone(),
                value: "critique_reqs".into()
            }
        );
    }

    #[test]
    fn a_target_that_resembles_nothing_has_no_fix() {
        let workflow = flow(vec![step("a", to("somewhere"))]);
        let all = super::super::check(&workflow);
        assert!(all[0].fix.is_none());
        assert!(all[0].help.is_some());
    }

    #[test]
    fn rejections_forks_and_dependencies_are_looked_at_too() {
        let mut sign = gated("sign", end());
        if let Some(gate) = &mut sign.gate {
            gate.on_reject = Some("nobody".into());
        }
        sign.depends_on = vec!["sign".into(), "before".into()];
        let fields = [("fork_targets".to_owned(), serde_json::json!(["sign", "gone"]))]
            .into_iter()
            .collect();
        let fork = step(
            "fork",
            Routing::Unknown {
                kind: "fork".to_owned(),
                next: None,
                fields,
            },
        );
        let found = found(&flow(vec![fork, sign]), "GH0001");
        let steps: Vec<_> = found.iter().map(|(step, _)| *step).collect();
        assert_eq!(steps, [Some(0), Some(1), Some(1)]);
    }

    #[test]
    fn known_targets_are_fine() {
        assert!(found(&flow(vec![step("a", to("b")), step("b", end())]), "GH0001").is_empty());
    }
}
