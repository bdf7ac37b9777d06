//! Which files of a project are workflows: the ones that the Library lists.

use crate::instructions;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use store::regular::{self, LARGEST_WORKFLOW};

/// Folders that never hold a project's own workflows.
const SKIPPED: [&str; 4] = ["node_modules", "target", "dist", "reports"];
const DEEPEST: usize = 8;

/// Whether a file of the project is a workflow as it lies there. `path`: from the project's folder, with `/`.
pub fn is_one(root: &Path, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let text = || regular::read_text(&root.join(path), LARGEST_WORKFLOW).ok();
    is_candidate(name) && text().is_some_and(|text| dialect::detect(path, &text).is_some())
}

/// Whether the Library looks into a folder, given from the project's own and with `/`.
pub fn looks_into(folder: &str) -> bool {
    let parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let fits = |part: &&str| !part.starts_with('.') && !SKIPPED.contains(part) && !part.ends_with(".scenarios");
    parts.len() <= DEEPEST && parts.iter().all(fits)
}

/// The workflows of a project with the files of instructions that they lead to, from its folder and with `/`.
pub fn files(root: &Path) -> Vec<String> {
    let inside = |file: PathBuf| Some(file.strip_prefix(root).ok()?.to_str()?.replace('\\', "/"));
    let mut found = Vec::new();
    for path in candidates(root).into_iter().filter_map(inside) {
        let Ok(text) = regular::read_text(&root.join(&path), LARGEST_WORKFLOW) else {
            continue;
        };
        if dialect::detect(&path, &text).is_some() {
            found.extend(instructions::file_of(root, &path, &text));
            found.push(path);
        }
    }
    found
}

/// Files below a folder that may hold workflows, in path order.
pub fn candidates(folder: &Path) -> Vec<PathBuf> {
    looked_through(folder).files
}

/// What was found below a folder.
#[derive(Debug, Default)]
pub struct LookedThrough {
    /// Files that may hold workflows, in path order.
    pub files: Vec<PathBuf>,
    /// Folders and links behind which there may be more, and what is no file, each with why nobody could look.
    pub missed: Vec<(PathBuf, String)>,
}

/// Looks through a folder. A link to what is there is not followed: it is looked at where it lies.
pub fn looked_through(folder: &Path) -> LookedThrough {
    let mut found = LookedThrough::default();
    walk(folder, DEEPEST, &mut found);
    found
}

/// Why a link leads to nothing, where it does.
fn lost(link: &Path) -> Option<String> {
    let error = link.metadata().err()?;
    Some(match error.kind() {
        ErrorKind::NotFound => "the link leads nowhere".to_owned(),
        _ => format!("the link cannot be followed: {error}"),
    })
}

fn walk(folder: &Path, depth: usize, out: &mut LookedThrough) {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            let why = format!("the folder cannot be looked into: {error}");
            return out.missed.push((folder.to_owned(), why));
        }
    };
    let mut entries: Vec<_> = entries.filter_map(Result::ok).collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(kind) = entry.file_type() else { continue };
        if name.starts_with('.') {
            if let Some(inside) = hidden(&entry.path(), &name).filter(|_| depth > 0) {
                walk(&inside, depth - 1, out);
            }
            continue;
        }
        if kind.is_dir() {
            if depth > 0 && !SKIPPED.contains(&name.as_str()) && !name.ends_with(".scenarios") {
                walk(&entry.path(), depth - 1, out);
            }
        } else if kind.is_symlink() {
            let path = entry.path();
            out.missed.extend(lost(&path).map(|why| (path, why)));
        } else if kind.is_file() && is_candidate(&name) {
            out.files.push(entry.path());
        } else if is_candidate(&name) {
            let why = "it is a pipe, a socket or a device, not a file; it was not opened".to_owned();
            out.missed.push((entry.path(), why));
        }
    }
}

/// Where formats keep files in folders that begin with a dot (CONTRACTS "What is a workflow").
const KEPT: [&str; 2] = [".claude/rundown/runbooks", ".rundown/runbooks"];

/// The folder of workflows in one that begins with a dot; no link is followed on the way.
fn hidden(folder: &Path, name: &str) -> Option<PathBuf> {
    let kept = KEPT
        .iter()
        .find_map(|kept| kept.strip_prefix(name)?.strip_prefix('/'))?;
    let mut inside = folder.to_owned();
    let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_dir());
    for part in kept.split('/') {
        if !is_folder(&inside) {
            return None;
        }
        inside.push(part);
    }
    is_folder(&inside).then_some(inside)
}

/// Whether a path lies in no folder that begins with a dot, or in one where workflows are kept.
pub fn is_looked_into(path: &str) -> bool {
    let hides = |path: &str| path.split('/').any(|part| part.starts_with('.'));
    let below = |kept: &&str| match path.split_once(kept) {
        Some((before, behind)) => (before.is_empty() || before.ends_with('/')) && behind.starts_with('/'),
        None => false,
    };
    match KEPT.iter().find(|kept| below(kept)) {
        Some(kept) => !path.split(kept).any(hides),
        None => !hides(path),
    }
}

/// Whether a file may hold a workflow, by its name, in whatever letters it is written.
pub fn is_candidate(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    if name.ends_with(".md") {
        // Notes are far more frequent than runbooks: these say by their name that they are one.
        return dialect::is_runbook_name(&name);
    }
    let stem = [".yaml", ".yml", ".json"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending));
    stem.is_some_and(|stem| !stem.ends_with(".scenario") && stem != "gatehouse" && stem != "package")
}
