//! What of the inputs of the steps to come is not here: a session brings no files with it.

use crate::project::{self, RUN_BASE};
use engine::RunId;
use engine::gate::names;
use model::pattern::SIGNS;
use model::step::Output;
use model::{Step, Workflow};
use std::path::Path;

/// So many are named.
const MOST: usize = 12;

/// The inputs that are not in the project and that no step makes before they are needed, a sentence each. `at`: where the run begins; `then`: the
/// steps that may come after it. What is no path of a file, a pattern, or has a placeholder in it is not looked for. `root` must be canonical.
pub fn not_here(root: &Path, workflow: &Workflow, at: &Step, then: &[&Step]) -> Vec<String> {
    let mut said = Vec::new();
    for step in std::iter::once(&at).chain(then) {
        let made_before = |input: &str| {
            let mut others = std::iter::once(&at).chain(then).filter(|other| other.id != step.id);
            step.id != at.id && others.any(|other| makes(other, input))
        };
        let needed = step.inputs.iter().map(|input| Output::of(input));
        let needed = needed
            .filter(|input| !input.optional && is_path(input.path))
            .map(|input| input.path);
        for input in needed.filter(|input| !is_here(root, workflow, input) && !made_before(input)) {
            let maker = workflow
                .steps()
                .iter()
                .find(|other| other.id != step.id && makes(other, input));
            let maker = maker.map_or_else(String::new, |maker| format!(": it is made at “{}”", maker.name));
            let short = in_run(input).unwrap_or(input);
            said.push(format!("“{}” needs `{short}`, which is not here{maker}.", step.name));
        }
    }
    said.truncate(MOST);
    said
}

/// What stands behind the run's own folder, where a path begins with it.
fn in_run(path: &str) -> Option<&str> {
    path.strip_prefix(RUN_BASE)?.strip_prefix('/')
}

fn is_path(text: &str) -> bool {
    let is_one_name = |text: &str| !text.contains(SIGNS) && !text.contains(['{', '}', ' ', ':']);
    is_one_name(text)
        && (text.contains('/')
            || text
                .rsplit_once('.')
                .is_some_and(|(name, end)| !name.is_empty() && !end.is_empty()))
}

/// Whether a step says that it makes this file, or a folder or files among which it is.
fn makes(step: &Step, input: &str) -> bool {
    step.outputs
        .iter()
        .map(|output| Output::of(output).path)
        .any(|output| match output.find(SIGNS) {
            None => names(input, output) || names(output, input),
            Some(sign) => input.starts_with(&output[..sign]),
        })
}

/// Whether it is in the project, where it is named or where a step makes it. The folder of the new run is empty.
fn is_here(root: &Path, workflow: &Workflow, input: &str) -> bool {
    let is_there = |written: &str| {
        let path = project::relative(written, &RunId::from(""));
        let file = path.and_then(|path| project::inside(root, &path));
        in_run(written).is_none() && file.is_ok_and(|file| file.exists())
    };
    let outputs = workflow.steps().iter().flat_map(|step| &step.outputs);
    let mut outputs = outputs.map(|output| Output::of(output).path);
    is_there(input) || outputs.any(|output| is_path(output) && names(input, output) && is_there(output))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOW: &str = "id: f\nsteps:\n  \
        - {id: check, role: Check, agents: [x], outputs: [RUN_BASE/f/check.md, docs/found.md], routing: {kind: linear, next: mend}}\n  \
        - {id: mend, role: Mend, agents: [x], inputs: [RUN_BASE/f/check.md, found.md, the plan, \"src/*.rs\", spare.md (optional)], \
           outputs: [RUN_BASE/f/mended.md], routing: {kind: linear, next: publish}}\n  \
        - {id: publish, role: Publish, agents: [x], inputs: [RUN_BASE/f/mended.md, RUN_BASE/f/check.md, inbox], routing: {kind: terminal}}\n";

    #[test]
    fn what_steps_to_come_need_and_nobody_makes_is_named_with_who_made_it() {
        let kept = tempfile::tempdir().expect("a temporary folder");
        let root = kept.path().canonicalize().expect("it exists");
        let document = dialect::Document::parse("f.yaml", FLOW);
        let workflow = document.workflow();
        let step = |id: &str| workflow.step(&id.into()).expect("a step");
        let said = || not_here(&root, workflow, step("mend"), &[step("publish")]);
        let check = "`f/check.md`, which is not here: it is made at “Check”.";
        let found = "“Mend” needs `found.md`, which is not here: it is made at “Check”.".to_owned();
        assert_eq!(
            said(),
            [
                format!("“Mend” needs {check}"),
                found,
                format!("“Publish” needs {check}")
            ]
        );
        // Where the step that makes it puts it, it is found.
        std::fs::create_dir(root.join("docs")).expect("made");
        std::fs::write(root.join("docs/found.md"), "two").expect("written");
        assert_eq!(said().len(), 2, "{:?}", said());
        // From the beginning on everything is made before it is needed.
        let all = not_here(&root, workflow, step("check"), &[step("mend"), step("publish")]);
        assert_eq!(all, Vec::<String>::new());
    }
}
