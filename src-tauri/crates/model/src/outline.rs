//! The outline of a workflow: which steps contain others, and what stands after what (seed 002 "Steps", "Substeps";
//! phases of other formats).

use crate::{Step, StepId, Work};
use std::collections::HashMap;

/// The steps, and who contains whom, by ordinal; built once with the workflow so that every question is answered without a search.
#[derive(Debug, Clone)]
pub(crate) struct Outline {
    steps: Vec<Step>,
    /// Of two steps of one id the first.
    by_id: HashMap<StepId, usize>,
    /// Of each step, the ordinal of the step around it.
    parent: Vec<Option<usize>>,
    /// Of each step, the ordinals of those it contains, in document order.
    children: Vec<Vec<usize>>,
    /// Of each step, the one that follows it on its level; among the outermost those that only a jump reaches are left out.
    after: Vec<Option<usize>>,
    /// Of each step, the first dynamic one it contains.
    dynamic: Vec<Option<usize>>,
}

impl Outline {
    /// Of these steps; `steps[i].ordinal` is `i`.
    pub fn new(steps: Vec<Step>) -> Self {
        let mut by_id = HashMap::new();
        for (i, step) in steps.iter().enumerate() {
            by_id.entry(step.id.clone()).or_insert(i);
        }
        let mut outline = Self {
            parent: vec![None; steps.len()],
            children: vec![Vec::new(); steps.len()],
            after: vec![None; steps.len()],
            dynamic: vec![None; steps.len()],
            steps,
            by_id,
        };
        let mut top = Vec::new();
        for step in &outline.steps {
            // A container stands before what it contains: anything else would be a circle.
            let around = step.parent.as_ref().and_then(|id| outline.by_id.get(id).copied());
            match around.filter(|around| *around < step.ordinal) {
                Some(around) => {
                    outline.parent[step.ordinal] = Some(around);
                    outline.children[around].push(step.ordinal);
                    if step.dynamic && outline.dynamic[around].is_none() {
                        outline.dynamic[around] = Some(step.ordinal);
                    }
                }
                None => top.push(step.ordinal),
            }
        }
        for inside in &outline.children {
            for pair in inside.windows(2) {
                outline.after[pair[0]] = Some(pair[1]);
            }
        }
        let mut next = None;
        for ordinal in top.into_iter().rev() {
            outline.after[ordinal] = next;
            if !outline.steps[ordinal].jump_only {
                next = Some(ordinal);
            }
        }
        outline
    }

    /// Steps in document order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The same, to say something else of them; who contains whom is not asked again.
    pub fn steps_mut(&mut self) -> &mut [Step] {
        &mut self.steps
    }

    /// Where the step of this id stands; of two the first.
    pub fn place(&self, id: &StepId) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The step of this id; of two the first.
    pub fn step(&self, id: &StepId) -> Option<&Step> {
        self.steps.get(self.place(id)?)
    }

    /// The step around this one.
    pub fn container(&self, step: &Step) -> Option<&Step> {
        let around = self.parent.get(step.ordinal).copied().flatten()?;
        self.steps.get(around)
    }

    /// The steps directly inside this one, in document order.
    pub fn children(&self, step: &Step) -> impl DoubleEndedIterator<Item = &Step> {
        let inside = self.children.get(step.ordinal).map_or(&[][..], Vec::as_slice);
        inside.iter().filter_map(|ordinal| self.steps.get(*ordinal))
    }

    /// Where a token that comes to this step begins: a container is entered at its first step (CONTRACTS "Rundown").
    pub fn entered_at<'a>(&'a self, step: &'a Step) -> &'a Step {
        let mut here = step;
        while here.work == Work::Group
            && let Some(first) = self.children(here).next()
        {
            here = first;
        }
        here
    }

    /// The next step inside the same container, in document order; of an outermost step the next outermost one, those
    /// that only a jump reaches left out.
    pub fn sibling_after(&self, step: &Step) -> Option<&Step> {
        let after = self.after.get(step.ordinal).copied().flatten()?;
        self.steps.get(after)
    }

    /// The first dynamic step directly inside this one.
    pub fn dynamic_child(&self, step: &Step) -> Option<&Step> {
        let inside = self.dynamic.get(step.ordinal).copied().flatten()?;
        self.steps.get(inside)
    }

    /// The dynamic step or substep that a bare `NEXT` advances: the step itself, one beside it, or one around it.
    pub fn innermost_dynamic<'a>(&'a self, step: &'a Step) -> Option<&'a Step> {
        if step.dynamic {
            return Some(step);
        }
        let around = self.container(step)?;
        let beside = self.dynamic_child(around);
        beside.or_else(|| around.dynamic.then_some(around))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Format, Step, Work, Workflow};

    /// `id`, `id in parent`, `id!` for one that only a jump reaches.
    fn workflow(steps: &[&str]) -> Workflow {
        let steps = steps.iter().enumerate().map(|(n, text)| {
            let (id, parent) = text
                .split_once(" in ")
                .map_or((*text, None), |(id, parent)| (id, Some(parent)));
            let mut step = Step::new(id.trim_end_matches('!'), n);
            step.parent = parent.map(Into::into);
            step.jump_only = id.ends_with('!');
            let inside = format!(" in {id}");
            if steps.iter().any(|other| other.ends_with(&inside)) {
                step.work = Work::Group;
            }
            step
        });
        Workflow::new("w".into(), "W".to_owned(), Format::Rundown, steps.collect())
    }

    #[test]
    fn siblings_follow_each_other_and_jump_targets_are_passed_by() {
        let workflow = workflow(&["1", "1.1 in 1", "1.Fix in 1", "Handler!", "2"]);
        let after = |id: &str| {
            let step = workflow.step(&id.into()).expect("a step");
            workflow.sibling_after(step).map(|s| s.id.to_string())
        };
        assert_eq!(after("1"), Some("2".to_owned()));
        assert_eq!(
            after("1.1"),
            Some("1.Fix".to_owned()),
            "a named substep is part of the sequence"
        );
        assert_eq!(after("1.Fix"), None);
        assert_eq!(after("Handler"), Some("2".to_owned()));
        assert_eq!(after("2"), None);
        assert_eq!(workflow.entry().map(|s| s.id.as_str()), Some("1.1"));
    }

    #[test]
    fn the_entry_is_no_jump_target_unless_there_is_nothing_else() {
        assert_eq!(workflow(&["A!", "1"]).entry().map(|s| s.id.as_str()), Some("1"));
        assert_eq!(workflow(&["A!", "B!"]).entry().map(|s| s.id.as_str()), Some("A"));
    }
}
