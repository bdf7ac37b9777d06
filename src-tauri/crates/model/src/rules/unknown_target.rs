//! GH0001: a route leads to a step that does not exist.

use super::{Found, Reach};
use crate::diagnostic::CodePage;
use crate::{Action, Diagnostic, Edit, Jump, Place, Routing, Severity, Step, StepId, Workflow};
use serde_json::Value;

pub(super) const PAGE: CodePage = CodePage {
    code: "GH0001",
    title: "Unknown step",
    page: include_str!("unknown_target.md"),
};

/// A guess costs a look at every step; past this many no guess is made.
const MOST_GUESSES: usize = 50;

pub(super) fn check(workflow: &Workflow, _: &Reach, found: &mut Found) {
    for unknown in unknown(workflow) {
        let (step, target) = (unknown.step, &unknown.target);
        let place = Place::step(step.ordinal).path(unknown.path.clone());
        if target.as_str().is_empty() {
            let said = format!("A route of {} leads nowhere", step.called());
            found.push(Diagnostic::new(PAGE.code, Severity::Error, place, said).help("Name the step it leads to"));
            continue;
        }
        let said = format!("{} leads to a step that does not exist: `{target}`", step.called());
        let diagnostic = Diagnostic::new(PAGE.code, Severity::Error, place.clone(), said);
        found.push(match unknown.near {
            Some(near) => {
                let diagnostic = diagnostic.help(format!("Did you mean {}?", near.called()));
                if turns_for_ever(workflow, &unknown.path, step, near) {
                    diagnostic
                } else {
                    let edit = Edit::Set {
                        place,
                        value: Value::from(near.id.as_str()),
                    };
                    diagnostic.fix(format!("Change to `{}`", near.id), edit)
                }
            }
            None => diagnostic.help("Name a step of this workflow, or add the missing one"),
        });
    }
}

/// The step that is probably meant by each route that leads nowhere.
pub(super) fn guesses(workflow: &Workflow) -> impl Iterator<Item = Option<usize>> + '_ {
    let routes = unknown(workflow).filter(|unknown| unknown.path.first().is_some_and(|key| key != "depends_on"));
    routes.map(|unknown| unknown.near.map(|near| near.ordinal))
}

/// Whether a route of a step leads to a step that does not exist.
pub(super) fn is_unfinished(workflow: &Workflow, step: &Step) -> bool {
    targets(step).iter().any(|(_, target)| workflow.step(target).is_none())
}

/// A route that leads nowhere.
struct Unknown<'w> {
    step: &'w Step,
    path: Vec<String>,
    target: StepId,
    /// The step that is probably meant.
    near: Option<&'w Step>,
}

fn unknown(workflow: &Workflow) -> impl Iterator<Item = Unknown<'_>> {
    let mut guesses = MOST_GUESSES;
    let named = workflow.steps().iter().flat_map(|step| {
        let targets = targets(step).into_iter();
        targets.map(move |(path, target)| (step, path, target))
    });
    let unknown = named.filter(|(_, _, target)| workflow.step(target).is_none());
    unknown.map(move |(step, path, target)| {
        let near = if guesses > 0 {
            nearest(workflow, step, &target)
        } else {
            None
        };
        guesses = guesses.saturating_sub(1);
        Unknown {
            step,
            path,
            target,
            near,
        }
    })
}

/// Whether a route to a step would make a circle that a run goes round for ever when all goes well.
fn turns_for_ever(workflow: &Workflow, path: &[String], step: &Step, to: &Step) -> bool {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let always = match (&step.routing, path.as_slice()) {
        (Routing::Linear { .. } | Routing::Microloop(_), ["routing", "next"]) => true,
        (Routing::Guarded { guards, .. }, ["routing", "default"]) => guards.is_empty(),
        (Routing::Transitions { transitions }, ["transitions", n, ..]) => n
            .parse::<usize>()
            .ok()
            .and_then(|n| transitions.get(n))
            .is_some_and(|transition| transition.passed),
        _ => false,
    };
    let mut here = Some(to);
    for _ in workflow.steps() {
        match here {
            Some(at) if always && at.ordinal == step.ordinal => return true,
            Some(at) => here = goes_on(workflow, at),
            None => return false,
        }
    }
    // It turns further on, whatever becomes of this route.
    false
}

/// Where the run goes from a step that does well, where only one way leads on.
fn goes_on<'w>(workflow: &'w Workflow, step: &Step) -> Option<&'w Step> {
    match &step.routing {
        Routing::Linear { next } => workflow.step(next.as_ref()?),
        Routing::Microloop(microloop) => workflow.step(microloop.next.as_ref()?),
        Routing::Sequence => workflow.step_after(step),
        Routing::Fork(fork) => workflow.step(fork.join.as_ref()?),
        Routing::Transitions { transitions } => match transitions.iter().find(|t| t.passed).map(|t| &t.action) {
            Some(Action::Goto(Jump::To(id))) => workflow.step(id),
            Some(Action::Continue) | None => workflow.steps()[step.ordinal + 1..].iter().find(|next| !next.jump_only),
            Some(_) => None,
        },
        _ => None,
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
    out
}

/// The step that was probably meant: its id is the same but for case, else the nearest by edit distance, not further than a third. Never the
/// step itself, which would lead to itself for ever, and never one that differs in a number alone: `9` is no slip of `1`.
fn nearest<'w>(workflow: &'w Workflow, from: &Step, target: &StepId) -> Option<&'w Step> {
    let wanted = target.as_str().to_lowercase();
    let length = wanted.chars().count();
    let bound = (length / 3).clamp(usize::from(length > 2), 4);
    let words = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let numbered = wanted.contains(|c: char| c.is_ascii_digit());
    let near = |step: &'w Step| {
        let id = step.id.as_str().to_lowercase();
        if id.len().abs_diff(wanted.len()) > bound * 4 || step.id == from.id {
            return None;
        }
        let distance = strsim::osa_distance(&id, &wanted);
        let other_number = numbered && distance > 0 && words(&id) == words(&wanted);
        (distance <= bound && !other_number).then_some((distance, step))
    };
    let steps = workflow.steps().iter();
    let found = steps.filter_map(near).min_by_key(|(distance, _)| *distance);
    found.map(|(_, step)| step)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{branch, end, flow, found, gated, step, to};
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
    fn a_fix_leads_neither_to_the_step_itself_nor_round_for_ever() {
        // The step itself is the nearest, and the next one is further than a slip.
        let own = flow(vec![step("sign", to("sing")), step("b", end())]);
        let first = &super::super::check(&own)[0];
        assert_eq!((first.code.as_str(), &first.fix), ("GH0001", &None), "{first:?}");
        // Another number is no slip.
        let numbers = flow(vec![step("1", to("9")), step("2", end())]);
        assert_eq!(super::super::check(&numbers)[0].fix, None);
        // It is told what was probably meant, but one click does not close the circle.
        let circle = flow(vec![step("author", to("critic")), step("critic", to("autor"))]);
        let found = super::super::check(&circle);
        assert_eq!((found.len(), &found[0].fix), (1, &None), "{found:?}");
        assert_eq!(found[0].help.as_deref(), Some("Did you mean `author`?"));
        // A way back that is one of several may be mended.
        let mut loops = vec![
            step("author", to("critic")),
            step("critic", branch(&[("again", "autor")], None)),
        ];
        loops.push(step("end", end()));
        assert!(super::super::check(&flow(loops))[0].fix.is_some());
    }

    #[test]
    fn a_name_that_says_more_than_the_id_stands_before_it() {
        let mut critic = step("critique_reqs", to("nowhere_at_all"));
        critic.name = "Judge the requirements".to_owned();
        let found = super::super::check(&flow(vec![critic]));
        assert_eq!(
            found[0].message,
            "“Judge the requirements” (`critique_reqs`) leads to a step that does not exist: `nowhere_at_all`"
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
        let fork = crate::Fork {
            targets: vec!["sign".into(), "gone".into()],
            join: None,
            rules: Default::default(),
        };
        let fork = step("fork", Routing::Fork(Box::new(fork)));
        let found = found(&flow(vec![fork, sign]), "GH0001");
        let steps: Vec<_> = found.iter().map(|(step, _)| *step).collect();
        assert_eq!(steps, [Some(0), Some(1), Some(1)]);
    }

    #[test]
    fn known_targets_are_fine() {
        assert!(found(&flow(vec![step("a", to("b")), step("b", end())]), "GH0001").is_empty());
    }
}
