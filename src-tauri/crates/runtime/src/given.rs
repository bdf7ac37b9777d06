//! Steps that a start gives to somebody and that are not there. Whoever was named would never be asked, and a program would do the work:
//! such a start is refused.

use crate::{Error, flows, inside, project};
use dialect::Document;
use engine::RunId;
use model::{AgentKey, StepId, Work, Workflow, cel};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A refusal names at most this many of the steps that are there.
const MOST: usize = 12;

/// Whether everything that a start gives to somebody is there to be given. `root` must be canonical, `path` the workflow's from there.
///
/// # Errors
/// [`Error::Given`]: the first that is not, and what there is.
pub(crate) fn known(
    root: &Path,
    path: &str,
    workflow: &Workflow,
    given: &BTreeMap<StepId, AgentKey>,
) -> Result<(), Error> {
    let is_own = |step: &&StepId| workflow.step(step).is_some_and(|step| step.work != Work::Group);
    let others: Vec<&StepId> = given.keys().filter(|step| !is_own(step)).collect();
    if others.is_empty() {
        return Ok(());
    }
    let there = There::of(root, path, workflow);
    match others.into_iter().find(|step| !there.may_hold(step)) {
        Some(step) => Err(there.refused(workflow, step)),
        None => Ok(()),
    }
}

/// What a start can give to somebody.
struct There {
    /// The steps, as a start calls them.
    steps: Vec<StepId>,
    /// The files of the workflows inside.
    files: BTreeSet<String>,
    /// None of these files is missing. One that is may be made by an earlier step, so that nobody knows its steps yet.
    whole: bool,
}

impl There {
    fn of(root: &Path, path: &str, workflow: &Workflow) -> Self {
        let mut there = Self {
            steps: of_itself(workflow).cloned().collect(),
            files: BTreeSet::new(),
            whole: true,
        };
        let mut left = there.listed(root, path, workflow);
        while let Some(document) = left.pop() {
            let (path, workflow) = (document.path(), document.workflow());
            there
                .steps
                .extend(of_itself(workflow).map(|step| inside::step_in(path, step)));
            left.extend(there.listed(root, path, workflow));
        }
        there
    }

    /// The workflows that this one lists and that were not read before.
    fn listed(&mut self, root: &Path, path: &str, workflow: &Workflow) -> Vec<Document> {
        let mut found = Vec::new();
        for step in workflow.steps() {
            let Work::SubWorkflow { files } = &step.work else {
                continue;
            };
            for file in files {
                let Ok((path, text)) = project::find_listed(root, path, file, &RunId::from("-")) else {
                    self.whole = false;
                    continue;
                };
                if !self.files.insert(path.clone()) {
                    continue;
                }
                let one = Document::parse(&path, &text);
                found.push(match flows::gathered(root, &one, true) {
                    Ok(Some(several)) => Document::parse(&path, &several),
                    Ok(None) | Err(_) => one,
                });
            }
        }
        found
    }

    fn may_hold(&self, step: &StepId) -> bool {
        let is_of_missing = || {
            !self.whole && inside::is_inside(step) && !self.files.iter().any(|file| inside::id_in(file, step).is_some())
        };
        self.steps.contains(step) || is_of_missing()
    }

    fn refused(&self, workflow: &Workflow, step: &StepId) -> Error {
        if workflow.step(step).is_some() {
            return Error::Given {
                why: format!("the step `{step}` cannot be given to anybody: its substeps are what is done"),
                instead: "Give each of its substeps to somebody.".to_owned(),
            };
        }
        // `9` is no slip of `1`.
        let words = |name: &str| name.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
        let called = step.as_str();
        let near = cel::nearest(called, self.steps.iter().map(StepId::as_str));
        let near = near.filter(|near| words(near) != words(called));
        let mut instead = near.map_or_else(String::new, |near| format!("Did you mean `{near}`? "));
        let names: Vec<String> = self.steps.iter().take(MOST).map(|step| format!("`{step}`")).collect();
        let more = match self.steps.len().saturating_sub(MOST) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        instead.push_str(&match names.as_slice() {
            [] => "There is none that could be.".to_owned(),
            [one] => format!("There is {one}."),
            _ => format!("There are {}{more}.", names.join(", ")),
        });
        Error::Given {
            why: format!("there is no step `{step}` here, so it cannot be given to anybody"),
            instead,
        }
    }
}

/// The steps that somebody does.
fn of_itself(workflow: &Workflow) -> impl Iterator<Item = &StepId> {
    let steps = workflow.steps().iter().filter(|step| step.work != Work::Group);
    steps.map(|step| &step.id)
}
