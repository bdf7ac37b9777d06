//! Where a run can begin in the middle of its workflow: what lies before is not carried out in it.

use crate::branches::{branch_of, inside};
use crate::{Routing, Step, Workflow};

/// Why a run cannot begin at a step: what it comes to depends on steps beside it or before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amid<'a> {
    /// It stands in a branch of this fork: the other branches would not be under way.
    Branch(&'a Step),
    /// It stands within this step, and not first.
    Inside(&'a Step),
    /// It is of a detour from this step, and where that leads back to follows from how it was entered.
    Detour(&'a Step),
}

/// Why a run cannot begin at this step; `None`: it can. Steps that wait for each other may begin anywhere.
pub fn amid<'a>(workflow: &'a Workflow, at: &Step) -> Option<Amid<'a>> {
    let fork = workflow.steps().iter().find(|fork| match &fork.routing {
        Routing::Fork(branches) => branch_of(workflow, branches, &at.id).is_some(),
        _ => false,
    });
    if let Some(fork) = fork {
        return Some(Amid::Branch(fork));
    }
    if let Some(from) = at.detour_from.as_ref().and_then(|from| workflow.step(from)) {
        return Some(Amid::Detour(from));
    }
    let parent = at.parent.as_ref().and_then(|parent| workflow.step(parent))?;
    let mut inside = workflow.steps().iter();
    let first = inside.find(|step| step.parent.as_ref() == Some(&parent.id));
    first
        .is_none_or(|first| first.id != at.id)
        .then_some(Amid::Inside(parent))
}

/// At which steps a run can begin in the middle, by their places in the file: where nothing keeps it from that ([`amid`]), and where it
/// does not begin anyway.
pub fn middles(workflow: &Workflow) -> Vec<bool> {
    let mut can: Vec<bool> = workflow
        .steps()
        .iter()
        .map(|step| step.detour_from.is_none() && workflow.entry().is_none_or(|entry| entry.id != step.id))
        .collect();
    for step in workflow.steps() {
        if let Routing::Fork(branches) = &step.routing {
            inside(workflow, branches)
                .into_iter()
                .flatten()
                .for_each(|at| can[at] = false);
        }
    }
    let mut begun = std::collections::BTreeSet::new();
    for step in workflow.steps() {
        if let Some(parent) = &step.parent
            && !begun.insert(parent.clone())
        {
            can[step.ordinal] = false;
        }
    }
    can
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fork, ForkRules, Format, StepId};

    /// `a` forks into `b` and `c`, which meet at `d`; `d1` and `d2` stand within `d`; `e` is of a detour from `a`.
    fn workflow() -> Workflow {
        let mut steps: Vec<Step> = ["a", "b", "c", "d", "d1", "d2", "e"]
            .into_iter()
            .enumerate()
            .map(|(at, id)| Step::new(StepId::new(id), at))
            .collect();
        steps[0].routing = Routing::Fork(Box::new(Fork {
            targets: vec![StepId::new("b"), StepId::new("c")],
            join: Some(StepId::new("d")),
            rules: ForkRules::default(),
        }));
        for branch in [1, 2] {
            steps[branch].routing = Routing::Linear {
                next: Some(StepId::new("d")),
            };
        }
        steps[4].parent = Some(StepId::new("d"));
        steps[5].parent = Some(StepId::new("d"));
        steps[6].detour_from = Some(StepId::new("a"));
        Workflow::new("w".into(), "w".to_owned(), Format::Stepwise, steps)
    }

    #[test]
    fn one_by_one_and_all_at_once_say_the_same() {
        let workflow = workflow();
        let middles = middles(&workflow);
        assert_eq!(middles, [false, false, false, true, true, false, false]);
        for step in workflow.steps() {
            let is_entry = step.ordinal == 0;
            assert_eq!(
                middles[step.ordinal],
                amid(&workflow, step).is_none() && !is_entry,
                "{}",
                step.id
            );
        }
        let why = |at: usize| amid(&workflow, &workflow.steps()[at]);
        assert!(matches!(why(1), Some(Amid::Branch(fork)) if fork.id.as_str() == "a"));
        assert!(matches!(why(5), Some(Amid::Inside(parent)) if parent.id.as_str() == "d"));
        assert!(matches!(why(6), Some(Amid::Detour(from)) if from.id.as_str() == "a"));
    }
}
