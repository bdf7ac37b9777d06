//! Why a workflow is not started: an error in it, or in one that it lists. What such a run would pass over could otherwise end as
//! done (CONTRACTS "Nothing is passed over in silence").

use crate::project::{self, DEEPEST};
use dialect::Document;
use engine::RunId;
use model::{Severity, Work};
use std::collections::BTreeSet;
use std::path::Path;

/// The first error of a workflow, with its place.
pub(crate) fn of(document: &Document) -> Option<String> {
    let fault = document.diagnostics().iter().find(|d| d.severity == Severity::Error)?;
    let place = document.span(&fault.place).map(|span| {
        let (file, at) = match document.elsewhere(span.start) {
            Some((file, at)) => (format!("`{file}`, "), at),
            None => (String::new(), document.position(span.start)),
        };
        format!("{file}line {}, column {}: ", at.line, at.column)
    });
    let place = place.unwrap_or_default();
    Some(format!("{place}{} ({})", fault.message, fault.code))
}

/// The first error of a workflow that this one runs, however deep. One that cannot be found or read fails its step when it comes to
/// it: until then an earlier step may make it. In a rehearsal nothing is made, so that it is refused.
pub(crate) fn of_listed(root: &Path, document: &Document, rehearsal: bool) -> Option<String> {
    // A file below the run's own folder is made by the run.
    let no_run = RunId::from("-");
    let mut seen: BTreeSet<String> = BTreeSet::from([document.path().to_owned()]);
    let mut level: Vec<Document> = vec![document.clone()];
    for _ in 0..DEEPEST {
        let mut deeper = Vec::new();
        for around in &level {
            for step in around.workflow().steps() {
                let Work::SubWorkflow { files } = &step.work else {
                    continue;
                };
                for file in files {
                    let (path, text) = match project::find_listed(root, around.path(), file, &no_run) {
                        Ok(found) => found,
                        Err(_) if rehearsal && !is_made_by_run(file) => {
                            return Some(format!(
                                "{} runs `{file}`, and there is no such file in this project (GH0114)",
                                by(around, document, &step.name)
                            ));
                        }
                        Err(_) => continue,
                    };
                    if !seen.insert(path.clone()) {
                        continue;
                    }
                    let listed = Document::parse(&path, &text);
                    if let Some(reason) = of(&listed) {
                        return Some(format!(
                            "`{path}`, which {} runs, cannot be run: {reason}",
                            by(around, document, &step.name)
                        ));
                    }
                    deeper.push(listed);
                }
            }
        }
        if deeper.is_empty() {
            break;
        }
        level = deeper;
    }
    None
}

/// A file in the run's own folder: it may be there once the run has made it.
fn is_made_by_run(file: &str) -> bool {
    file.contains(project::RUN_BASE)
}

/// Who lists a file: a step of the workflow itself, or another file.
fn by(around: &Document, document: &Document, step: &str) -> String {
    match around.path() == document.path() {
        true => format!("the step “{step}”"),
        false => format!("`{}`", around.path()),
    }
}
