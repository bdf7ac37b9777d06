//! Why a workflow is not started: an error in it, or in one that it lists. What such a run would pass over could otherwise end as
//! done (CONTRACTS "Nothing is passed over in silence").

use crate::Error;
use crate::project::{self, DEEPEST};
use dialect::Document;
use engine::RunId;
use model::{Control, Place, Severity, Step, Work, Workflow};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The first error of a workflow, with its place.
pub(crate) fn of(document: &Document) -> Option<String> {
    let fault = document.diagnostics().iter().find(|d| d.severity == Severity::Error);
    match fault {
        Some(fault) => Some(format!(
            "{}{} ({})",
            at(document, &fault.place),
            fault.message,
            fault.code
        )),
        None => unnamed(document),
    }
}

/// Where a place is, as the beginning of a sentence; empty where nobody knows.
fn at(document: &Document, place: &Place) -> String {
    let place = document.span(place).map(|span| {
        let (file, at) = match document.elsewhere(span.start) {
            Some((file, at)) => (format!("`{file}`, "), at),
            None => (String::new(), document.position(span.start)),
        };
        format!("{file}line {}, column {}: ", at.line, at.column)
    });
    place.unwrap_or_default()
}

/// A step that lists a file without a name: nothing would be run, and no earlier step can make it.
fn unnamed(document: &Document) -> Option<String> {
    document.workflow().steps().iter().find_map(|step| {
        let Work::SubWorkflow { files } = &step.work else {
            return None;
        };
        let n = files.iter().position(|file| file.trim().is_empty())?;
        Some(format!(
            "{}There is no file `{}` in the project, which {} lists (GH0114)",
            at(document, &document.listed_file(step.ordinal, n)),
            files[n],
            step.called()
        ))
    })
}

/// The first error of a workflow that this one runs, however deep. One that is not there is refused as well, unless the run makes it as the
/// workflow says ([`is_made`]); in a rehearsal nothing is made. What is there and cannot be read fails its step when it comes to it.
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
                        Err(_) if rehearsal && !is_made_by_run(file) || is_missing(root, &[document, around], file) => {
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
    let circle = || without_end(root, document).map(|(_, reason)| reason);
    match of(document)
        .or_else(circle)
        .or_else(|| of_listed(root, document, rehearsal))
    {
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
        read: BTreeMap::new(),
    };
    look.runs_of(document, true).err()
}

/// Most runs that the workflows inside of one come to, each step taken once.
const MOST_RUNS: u64 = 10_000;

/// How many runs a file comes to, and whether all that lies in it was counted.
type Counted = (u64, bool);

/// Goes through the workflows that lie in each other.
struct Inside<'a> {
    root: &'a Path,
    /// The files that are being gone through, the outermost first, and whether each begins as soon as the one around it does.
    around: Vec<(String, bool)>,
    /// How many runs a file comes to, where all of them are known.
    runs: BTreeMap<String, u64>,
    /// What was read.
    read: BTreeMap<String, Document>,
}

impl Inside<'_> {
    fn runs_of(&mut self, document: &Document, at_once: bool) -> Result<Counted, ((usize, usize), String)> {
        self.around.push((document.path().to_owned(), at_once));
        let (mut runs, mut whole) = (1_u64, true);
        for step in document.workflow().steps() {
            let Work::SubWorkflow { files } = &step.work else {
                continue;
            };
            let begins_at_once = begins_at_once(document.workflow(), step);
            for (n, file) in files.iter().enumerate() {
                let at = (step.ordinal, n);
                let Some((path, listed)) = self.listed(document.path(), file) else {
                    continue;
                };
                if let Some(outer) = self.around.iter().position(|(around, _)| *around == path) {
                    if begins_at_once && self.around[outer + 1..].iter().all(|(_, at_once)| *at_once) {
                        return Err((at, self.circle(outer, step)));
                    }
                    // Another step may end it before: how often it begins anew is bounded in the run.
                    (runs, whole) = (runs.saturating_add(1), false);
                    continue;
                }
                let (inside, counted) = match self.runs.get(&path) {
                    Some(known) => (*known, true),
                    // Deeper than runs may lie in each other nothing is begun.
                    None if self.around.len() > DEEPEST as usize => (1, false),
                    None => self.runs_of(&listed, begins_at_once).map_err(|(_, said)| (at, said))?,
                };
                (runs, whole) = (runs.saturating_add(inside), whole && counted);
                if runs > MOST_RUNS {
                    let said = format!(
                        "the workflows inside of {} would come to more than {MOST_RUNS} runs",
                        step.called()
                    );
                    return Err((at, said));
                }
            }
        }
        self.around.pop();
        if whole {
            self.runs.insert(document.path().to_owned(), runs);
        }
        Ok((runs, whole))
    }

    /// A file that another one lists.
    fn listed(&mut self, around: &str, file: &str) -> Option<(String, Document)> {
        let (path, text) = project::find_listed(self.root, around, file, &RunId::from("-")).ok()?;
        let document = self.read.entry(path.clone());
        let document = document.or_insert_with(|| Document::parse(&path, &text)).clone();
        Some((path, document))
    }

    fn circle(&self, outer: usize, step: &Step) -> String {
        let circle: Vec<String> = self.around[outer..]
            .iter()
            .map(|(file, _)| format!("`{file}`"))
            .collect();
        match circle.as_slice() {
            [one] => format!("{one} runs itself in {}: it would never come to an end", step.called()),
            [first, ..] => format!(
                "{} run each other in a circle ({} → {first}): they would never come to an end",
                circle.join(" and "),
                circle.join(" → ")
            ),
            [] => String::new(),
        }
    }
}

/// Whether a run of this workflow does this step before anything else can end it.
fn begins_at_once(workflow: &Workflow, step: &Step) -> bool {
    match workflow.contract().control {
        Control::Stages => step.depends_on.is_empty() && step.whether.is_none(),
        Control::Token => workflow.entry().is_some_and(|entry| entry.id == step.id),
    }
}

/// Whether a listed file lies nowhere where it is looked for, and nothing says that the run makes it. `within`: the workflow of the run,
/// and the one that lists the file.
fn is_missing(root: &Path, within: &[&Document; 2], file: &str) -> bool {
    if within.iter().any(|document| is_made(document.workflow(), file)) {
        return false;
    }
    // What leads out of the project, or cannot be read, is there all the same.
    project::listed(within[1].path(), file).all(|written| match project::relative(&written, &RunId::from("-")) {
        Ok(path) => root.join(path).symlink_metadata().is_err(),
        Err(_) => false,
    })
}

/// Whether a workflow itself says that its run makes a file that it lists: it lies in the run's own folder, a step has it among what it
/// makes, or its name stands in what a step is to do.
pub fn is_made(workflow: &Workflow, file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file).trim();
    if name.is_empty() {
        return false;
    }
    let says = |step: &Step| {
        let told = match &step.work {
            Work::Command { script, .. } => script.contains(name),
            Work::Prompt { text } => text.contains(name),
            Work::Agent | Work::SubWorkflow { .. } | Work::Group => false,
        };
        let makes = || {
            step.outputs
                .iter()
                .any(|output| output.rsplit('/').next() == Some(name))
        };
        let is_for = || step.intent.as_deref().is_some_and(|intent| intent.contains(name));
        let lists = || matches!(&step.work, Work::SubWorkflow { files } if files.iter().any(|listed| listed == file));
        told || makes() || is_for() && !lists()
    };
    is_made_by_run(file) || workflow.steps().iter().any(says)
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
