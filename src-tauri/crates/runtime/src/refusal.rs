//! Why a workflow is not started: an error in it, or in one that it lists. What such a run would pass over could otherwise end as
//! done (CONTRACTS "Nothing is passed over in silence").

use crate::Error;
use crate::project::{self, DEEPEST};
use dialect::Document;
use engine::RunId;
use model::{Severity, Work};
use std::collections::{BTreeMap, BTreeSet};
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
    if let Some((_, reason)) = without_end(root, document) {
        return Some(reason);
    }
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

/// Why a run of this workflow would not start, whatever it is to begin with.
///
/// # Errors
/// [`Error::Workflow`]: an error in it, or in one that it lists.
pub fn startable(root: &Path, document: &Document, rehearsal: bool) -> Result<(), Error> {
    match of(document).or_else(|| of_listed(root, document, rehearsal)) {
        None => Ok(()),
        Some(reason) => Err(Error::Workflow {
            path: document.path().to_owned(),
            reason,
        }),
    }
}

/// What keeps a run of this workflow from an end: it runs itself, through others or at once, or the workflows inside of each other come
/// to more runs than anybody means. With the step of it that leads there, and which of the step's files.
pub(crate) fn without_end(root: &Path, document: &Document) -> Option<((usize, usize), String)> {
    let mut look = Inside {
        root,
        around: Vec::new(),
        runs: BTreeMap::new(),
    };
    look.runs_of(document).err()
}

/// Most runs that the workflows inside of one come to, each step taken once.
const MOST_RUNS: u64 = 10_000;

/// Goes through the workflows that lie in each other.
struct Inside<'a> {
    root: &'a Path,
    /// The files that are being gone through, the outermost first.
    around: Vec<String>,
    /// How many runs a file comes to, where that is known.
    runs: BTreeMap<String, u64>,
}

impl Inside<'_> {
    fn runs_of(&mut self, document: &Document) -> Result<u64, ((usize, usize), String)> {
        let no_run = RunId::from("-");
        self.around.push(document.path().to_owned());
        let mut runs: u64 = 1;
        for step in document.workflow().steps() {
            let Work::SubWorkflow { files } = &step.work else {
                continue;
            };
            for (n, file) in files.iter().enumerate() {
                let at = (step.ordinal, n);
                let Ok((path, text)) = project::find_listed(self.root, document.path(), file, &no_run) else {
                    continue;
                };
                if let Some(begins) = self.around.iter().position(|around| *around == path) {
                    let circle: Vec<String> = self.around[begins..].iter().map(|file| format!("`{file}`")).collect();
                    let said = match circle.as_slice() {
                        [one] => format!("{one} runs itself in {}: it would never come to an end", step.called()),
                        _ => format!(
                            "{} run each other in a circle ({} → `{path}`): they would never come to an end",
                            circle.join(" and "),
                            circle.join(" → ")
                        ),
                    };
                    return Err((at, said));
                }
                let known = self.runs.get(&path).copied();
                // Deeper than runs may lie in each other nothing is begun.
                let inside = match known {
                    Some(known) => known,
                    None if self.around.len() > DEEPEST as usize => 1,
                    None => self
                        .runs_of(&Document::parse(&path, &text))
                        .map_err(|(_, said)| (at, said))?,
                };
                runs = runs.saturating_add(inside);
                if runs > MOST_RUNS {
                    return Err((
                        at,
                        format!(
                            "the workflows inside of {} would come to more than {MOST_RUNS} runs",
                            step.called()
                        ),
                    ));
                }
            }
        }
        self.around.pop();
        self.runs.insert(document.path().to_owned(), runs);
        Ok(runs)
    }
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
