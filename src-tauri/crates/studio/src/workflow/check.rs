//! Checking files without opening a project: nothing is written anywhere.

use crate::workflow::problems;
use crate::workflow::view::ProblemView;
use dialect::Document;
use dialect::session::Session;
use engine::RunId;
use model::{Format, Severity};
use runtime::config::{CONFIG_FILE, MISNAMED_CONFIG_FILE};
use runtime::{Beyond, project, workflows};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use store::regular::{self, LARGEST_WORKFLOW, NotRead};

/// The names of a project's configuration, the one that is read and the one that is not and is said so.
const SETTINGS: [&str; 2] = [CONFIG_FILE, MISNAMED_CONFIG_FILE];

/// What was found in one file.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// Title of the workflow; absent where the file is none.
    pub workflow: Option<String>,
    /// What the file is written to; absent where it is no workflow.
    pub format: Option<Format>,
    /// The format that a file comes nearest to which is no workflow.
    pub nearest: Option<Format>,
    /// In document order.
    pub problems: Vec<ProblemView>,
    /// Why the file could not be read.
    pub unreadable: Option<String>,
    /// That it could not is no error: nothing says that it is a workflow.
    pub may_be_none: bool,
}

impl Checked {
    /// How many errors.
    pub fn errors(&self) -> usize {
        self.problems.iter().filter(|p| p.severity == Severity::Error).count()
    }
    /// How many warnings.
    pub fn warnings(&self) -> usize {
        self.problems.iter().filter(|p| p.severity == Severity::Warning).count()
    }
}

/// What is meant by some paths.
#[derive(Debug, Default)]
pub struct Meant {
    /// Each with whether it was named.
    pub files: Vec<(PathBuf, bool)>,
    /// Folders and links behind which there may be more, and that cannot be looked at.
    pub missed: Vec<(PathBuf, Checked)>,
}

/// The files that are meant by these paths: themselves, or those below a folder that may hold workflows. A project's settings are none of
/// them.
pub fn files(paths: &[PathBuf]) -> Meant {
    let mut meant = Meant::default();
    for path in paths {
        if path.is_dir() {
            let found = workflows::looked_through(path);
            meant.files.extend(found.files.into_iter().map(|file| (file, false)));
            meant.missed.extend(found.missed.into_iter().map(|(missed, why)| {
                let checked = Checked {
                    unreadable: Some(why),
                    // Whoever names a folder wants it looked into.
                    may_be_none: missed != *path,
                    ..Checked::default()
                };
                (missed, checked)
            }));
        } else if !is_settings(path) {
            meant.files.push((path.clone(), true));
        }
    }
    meant
}

/// The folders of the projects whose settings are meant by these paths: each one that a path, or a file below it, lies in.
pub fn projects(paths: &[PathBuf], files: &[(PathBuf, bool)]) -> BTreeSet<PathBuf> {
    let folders = paths
        .iter()
        .map(|path| if path.is_dir() { path } else { folder_of(path) });
    let folders: BTreeSet<&Path> = folders.chain(files.iter().map(|(file, _)| folder_of(file))).collect();
    let roots = folders.into_iter().filter_map(project_of);
    // By what they are, whatever they are called.
    let known: BTreeMap<PathBuf, PathBuf> = roots
        .map(|root| {
            (
                Path::new(".")
                    .join(&root)
                    .canonicalize()
                    .unwrap_or_else(|_| root.clone()),
                root,
            )
        })
        .collect();
    known.into_values().collect()
}

fn is_settings(path: &Path) -> bool {
    let is_named = |name: &OsStr| SETTINGS.iter().any(|settings| name == *settings);
    path.file_name().is_some_and(is_named) && path.is_file()
}

fn folder_of(file: &Path) -> &Path {
    file.parent().unwrap_or(file)
}

/// The nearest project that a folder lies in, named as the folder is: from where it is checked, as far as it lies below that.
fn project_of(folder: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(Path::new(".").join(folder)).ok()?;
    let here = std::env::current_dir().ok();
    let has = |folder: &Path, name: &&str| folder.join(name).symlink_metadata().is_ok();
    let is_one = |folder: &&Path| is_project(folder) || SETTINGS.iter().any(|name| has(folder, name));
    // A run makes a project of where it is started, or of the workflow's folder where that lies elsewhere.
    let root = absolute.ancestors().find(is_one).map(Path::to_owned);
    let begun = || {
        here.clone()
            .filter(|here| absolute.starts_with(here))
            .unwrap_or_else(|| absolute.clone())
    };
    let root = root.unwrap_or_else(begun);
    let from_here = here.as_ref().filter(|_| folder.is_relative());
    let from_here = from_here.and_then(|here| Some(root.strip_prefix(here).ok()?.to_owned()));
    Some(from_here.unwrap_or(root))
}

/// Checks a file. `None` for one that is no workflow, unless it was `named`: then it is read as one, and says what is
/// missing. What cannot be read is never passed over: it may be one.
pub fn check(file: &Path, named: bool) -> Option<Checked> {
    Some(match read(file, named)? {
        Ok(document) => {
            let not = document.not_a_workflow();
            let workflow = document.workflow();
            if let Some(not) = not.filter(|not| not.nearest.contract().state_of_run)
                && let Some(session) = Session::read(document.path(), document.text())
            {
                return Some(Checked {
                    format: Some(not.nearest),
                    problems: problems::problems(session.document()),
                    ..Checked::default()
                });
            }
            Checked {
                workflow: not.is_none().then(|| workflow.title.clone()),
                format: not.is_none().then_some(workflow.format),
                nearest: not.map(|not| not.nearest),
                problems: problems_of(file, &document),
                ..Checked::default()
            }
        }
        Err(Unread { why, may_be_none }) => Checked {
            unreadable: Some(why),
            may_be_none,
            ..Checked::default()
        },
    })
}

/// Checks files, several at once where this machine can, and tells of each in their order. What is no workflow and was not `named` is passed
/// over.
pub fn each(files: &[(PathBuf, bool)], mut tell: impl FnMut(&Path, Checked)) {
    /// So many are known at most before they are told.
    const AT_ONCE: usize = 64;
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(AT_ONCE);
    for some in files.chunks(AT_ONCE) {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut own = Vec::new();
            loop {
                let n = next.fetch_add(1, Ordering::Relaxed);
                let Some((file, named)) = some.get(n) else {
                    return own;
                };
                own.extend(check(file, *named).map(|checked| (n, checked)));
            }
        };
        let mut checked = std::thread::scope(|scope| {
            let others: Vec<_> = (1..workers.min(some.len())).map(|_| scope.spawn(work)).collect();
            let mut all = work();
            for other in others {
                all.extend(other.join().unwrap_or_else(|broke| std::panic::resume_unwind(broke)));
            }
            all
        });
        checked.sort_by_key(|(n, _)| *n);
        for (n, checked) in checked {
            tell(&some[n].0, checked);
        }
    }
}

/// What is wrong in a file, and in the workflows that it lists or leads to.
pub(crate) fn problems_of(file: &Path, document: &Document) -> Vec<ProblemView> {
    let found = problems::with_listed(document, &|listed| is_there(file, listed), &beyond(file, document));
    named_from_here(file, document, found)
}

/// What is wrong in the workflows that this one lists or leads to.
fn beyond(file: &Path, document: &Document) -> Vec<Beyond> {
    match within(file) {
        Some((root, path)) => runtime::beyond(&root, &path, document),
        None => Vec::new(),
    }
}

/// Files that stand behind the workflow's own are named as that one is, from where it is checked.
fn named_from_here(file: &Path, document: &Document, mut problems: Vec<ProblemView>) -> Vec<ProblemView> {
    let shown = file.display().to_string();
    if let Some(project) = shown.strip_suffix(document.path()) {
        let elsewhere = problems.iter_mut().filter_map(|one| one.elsewhere.as_mut());
        elsewhere.for_each(|at| at.file.insert_str(0, project));
    }
    problems
}

/// Whether a folder is a project's: it has a configuration, also one by a name that is not read, or a history.
pub fn is_project(folder: &Path) -> bool {
    SETTINGS.iter().any(|name| folder.join(name).is_file()) || folder.join(".gatehouse").is_dir()
}

/// Whether a file that a workflow lists is there, as a run looks for it: beside the workflow, or from the project's folder, and inside of it.
fn is_there(around: &Path, listed: &str) -> bool {
    let Some((root, path)) = within(around) else {
        return false;
    };
    // No run has begun whose own folder could be meant.
    let run = RunId::from("-");
    let file = |written: String| project::inside(&root, &project::relative(&written, &run).ok()?).ok();
    project::listed(&path, listed)
        .filter_map(file)
        .any(|file| file.is_file())
}

/// A file that cannot be read.
pub(crate) struct Unread {
    /// Why, in words.
    pub why: String,
    /// Nothing says that it is a workflow: neither its name nor whoever named it, and it is no text as workflows are.
    pub may_be_none: bool,
}

/// Reads a file as a workflow, or says why it cannot be read. `None` for one that can be, and is no workflow, unless it was `named`.
pub(crate) fn read(file: &Path, named: bool) -> Option<Result<Document, Unread>> {
    let text = match regular::read_text_through(file, LARGEST_WORKFLOW) {
        Ok(text) => text,
        Err(error) => {
            let is_other = matches!(error, NotRead::NotText | NotRead::TooLarge { .. });
            let is_runbook = || dialect::is_runbook_name(&file.to_string_lossy());
            return Some(Err(Unread {
                why: format!("the file cannot be read: {error}"),
                may_be_none: is_other && !named && !is_runbook(),
            }));
        }
    };
    // As a run of it does, it finds other files from its project's folder, wherever it is checked from.
    let (root, path) = match within(file) {
        Some((root, path)) => (Some(root), path),
        None => (None, file.display().to_string()),
    };
    let is_meant = named || dialect::detect(&path, &text).is_some();
    if is_meant && placed(file).is_some_and(|(_, inside)| inside.to_str().is_none()) {
        return Some(Err(Unread {
            why: "its name is not UTF-8, and no file of such a name is carried out: rename it".to_owned(),
            may_be_none: false,
        }));
    }
    // Beside its own text, what it names and what the project wants count too.
    let says = |word: &str| text.contains(word);
    if is_meant
        && (dialect::bmad::instructions_of(&path, &text).is_some()
            || ["context", "validation", "tools", "templates", model::Feedback::FIELD]
                .into_iter()
                .any(says))
        && let Some(root) = root
    {
        return Some(Ok(runtime::opened::document(&root, &path, &text)));
    }
    is_meant.then(|| Ok(Document::parse(&path, &text)))
}

/// The project that a file lies in, or its folder where that is none, and the file's path from there, which is text.
fn within(file: &Path) -> Option<(PathBuf, String)> {
    let (root, inside) = placed(file)?;
    Some((root, inside.to_str()?.replace('\\', "/")))
}

/// The same whatever the file is called.
fn placed(file: &Path) -> Option<(PathBuf, PathBuf)> {
    let absolute = std::path::absolute(file).ok()?;
    let folder = absolute.parent()?.canonicalize().ok()?;
    let root = project_of(&folder).and_then(|root| root.canonicalize().ok());
    let root = root
        .filter(|root| folder.starts_with(root))
        .unwrap_or_else(|| folder.clone());
    let inside = folder.strip_prefix(&root).ok()?.join(absolute.file_name()?);
    Some((root, inside))
}
