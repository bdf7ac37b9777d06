//! A project: the folder that holds workflows, `gatehouse.yaml` and `.gatehouse/`. Paths inside it, and nothing outside.

use crate::instructions;
use engine::RunId;
use std::path::{Component, Path, PathBuf};
use store::below;
use store::regular::LARGEST_WORKFLOW;

/// What an author writes for the run's own folder (seed 001).
pub const RUN_BASE: &str = "RUN_BASE";
/// The folder that is Gatehouse's own.
pub(crate) const OWN_FOLDER: &str = ".gatehouse";

/// Why a path is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Escape {
    /// It is absolute or leads out by `..`.
    #[error("`{0}` leads out of the project")]
    Outside(String),
    /// A symbolic link on the way leads out.
    #[error("`{0}` leads out of the project by a symbolic link")]
    Link(String),
    /// It lies in the folder that holds Gatehouse's own records.
    #[error("`{0}` lies among Gatehouse's own records")]
    Own(String),
    /// It would be written through a symbolic link.
    #[error("`{0}` is reached by a symbolic link, and nothing is written through one")]
    Linked(String),
    /// It is Git's, Gatehouse's own, the project's configuration, a workflow or a program of the configuration.
    #[error("`{0}` decides over later runs or belongs to Git, and no run writes it")]
    Kept(String),
}

/// Where a run writes what belongs to it alone, relative to the project, with `/`.
pub fn run_base(run: &RunId) -> String {
    store::contract::paths::run_folder(run.as_str())
}

/// A path as an author writes it, relative to the project, with `/`: `RUN_BASE/…` becomes the run's folder, `./` is
/// dropped.
///
/// # Errors
/// [`Escape::Outside`] when it is absolute or holds `..`; [`Escape::Own`] when it names Gatehouse's records.
pub fn relative(written: &str, run: &RunId) -> Result<String, Escape> {
    let base = run_base(run);
    let inside = match written.strip_prefix(RUN_BASE) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{base}{rest}"),
        _ => written.to_owned(),
    };
    let mut parts = Vec::new();
    for part in Path::new(&inside).components() {
        match part {
            Component::Normal(name) => {
                parts.push(name.to_str().ok_or_else(|| Escape::Outside(written.to_owned()))?);
            }
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(Escape::Outside(written.to_owned()));
            }
        }
    }
    let path = parts.join("/");
    if parts.first() == Some(&OWN_FOLDER) && !path.starts_with(&format!("{base}/")) && path != base {
        return Err(Escape::Own(written.to_owned()));
    }
    Ok(path)
}

/// Where a rehearsal has what a scenario or a workflow calls `written`: below the run's own folder, so that nothing that was really made is
/// replaced by what is only played.
///
/// # Errors
/// Those of [`relative`].
pub fn rehearsed(written: &str, run: &RunId) -> Result<String, Escape> {
    let (path, base) = (relative(written, run)?, run_base(run));
    match Path::new(&path).starts_with(&base) {
        true => Ok(path),
        false => Ok(format!("{base}/project/{path}")),
    }
}

/// A path of a run as an author would write it: what [`relative`] and [`rehearsed`] lead from.
pub fn as_written(path: &str, run: &RunId) -> String {
    let own = path
        .strip_prefix(&run_base(run))
        .and_then(|rest| rest.strip_prefix('/'));
    match own {
        None => path.to_owned(),
        Some(inside) => match inside.strip_prefix("project/") {
            Some(played) => played.to_owned(),
            None => format!("{RUN_BASE}/{inside}"),
        },
    }
}

/// Runs may lie this deep in each other.
pub const DEEPEST: u32 = 12;

/// Where a workflow that another one lists by name is looked for, in order: beside the file that lists it, then from the
/// project's folder (seed 002 "Runbooks"). `around`: path of the file that lists it, relative to the project, with `/`. What
/// comes is as an author writes it: nothing says yet that it lies inside the project ([`relative`], [`inside`]).
pub fn listed(around: &str, name: &str) -> impl Iterator<Item = String> {
    let folder = around.rsplit_once('/').map(|(folder, _)| folder);
    let beside = folder.map(|folder| format!("{folder}/{name}"));
    beside.into_iter().chain([name.to_owned()])
}

/// A workflow that another one lists: its path in the project and its text. Of several places the first one where a file can be
/// read; `root` must be canonical.
///
/// # Errors
/// Why there is none, in words.
pub fn find_listed(root: &Path, around: &str, name: &str, run: &RunId) -> Result<(String, String), String> {
    let mut refused = format!("the runbook `{name}` is not in this project");
    for written in listed(around, name) {
        let found = relative(&written, run).and_then(|path| inside(root, &path).map(|_| path));
        match found {
            Ok(path) => {
                if let Ok(text) = below::read_text(root, &path, LARGEST_WORKFLOW) {
                    // Where its instructions cannot be read the text alone says so.
                    let whole = instructions::whole(root, &path, &text).unwrap_or_default();
                    return Ok((path, whole.unwrap_or(text)));
                }
            }
            Err(escape) => refused = format!("the runbook was not run: {escape}"),
        }
    }
    Err(refused)
}

/// The file that a relative path (of [`relative`]) stands for, once no symbolic link on the way leads out of `root`. The
/// file and its folders need not exist yet. `root` must be canonical. Where a step may be at work that is true of this moment alone: what is
/// read or written then is so by [`store::below`].
///
/// # Errors
/// [`Escape::Link`].
pub fn inside(root: &Path, relative: &str) -> Result<PathBuf, Escape> {
    let whole = root.join(relative);
    let mut existing = whole.as_path();
    loop {
        // A dangling link exists as a link but cannot be resolved: writing through it would create its target.
        if existing.symlink_metadata().is_ok() {
            let resolved = existing.canonicalize().map_err(|_| Escape::Link(relative.to_owned()))?;
            return if resolved.starts_with(root) {
                Ok(whole)
            } else {
                Err(Escape::Link(relative.to_owned()))
            };
        }
        match existing.parent() {
            Some(parent) if parent.starts_with(root) => existing = parent,
            _ => return Ok(whole),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_stands_beside_the_file_or_in_the_project() {
        let places = |around: &str, name: &str| listed(around, name).collect::<Vec<_>>();
        assert_eq!(places("ops/a.md", "b/c.md"), ["ops/b/c.md", "b/c.md"]);
        assert_eq!(places("a.md", "c.md"), ["c.md"]);
    }

    #[test]
    fn written_paths_stay_inside() {
        let run = RunId::from("r1");
        assert_eq!(relative("docs/a.md", &run), Ok("docs/a.md".into()));
        assert_eq!(relative("./docs//a.md", &run), Ok("docs/a.md".into()));
        assert_eq!(
            relative("RUN_BASE/signal/a.md", &run),
            Ok(".gatehouse/runs/r1/signal/a.md".into())
        );
        assert_eq!(relative("RUN_BASED.md", &run), Ok("RUN_BASED.md".into()));
        for out in ["../a", "docs/../../a", "/etc/passwd", "RUN_BASE/../../history.db"] {
            assert_eq!(relative(out, &run), Err(Escape::Outside(out.into())), "{out}");
        }
        for own in [".gatehouse/history.db", ".gatehouse", ".gatehouse/runs/r2/a.md"] {
            assert_eq!(relative(own, &run), Err(Escape::Own(own.into())), "{own}");
        }
    }

    #[test]
    fn links_that_lead_out_are_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let outside = tempfile::tempdir().expect("another one");
        let root = folder.path().canonicalize().expect("it exists");
        std::fs::create_dir(root.join("docs")).expect("a folder");
        std::os::unix::fs::symlink(outside.path(), root.join("out")).expect("a link");
        std::os::unix::fs::symlink(outside.path().join("none"), root.join("docs/dangling")).expect("a link");
        std::os::unix::fs::symlink(root.join("docs"), root.join("within")).expect("a link");
        assert_eq!(inside(&root, "docs/new/a.md"), Ok(root.join("docs/new/a.md")));
        assert_eq!(inside(&root, "within/a.md"), Ok(root.join("within/a.md")));
        for out in ["out/a.md", "out", "docs/dangling"] {
            assert_eq!(inside(&root, out), Err(Escape::Link(out.into())), "{out}");
        }
    }
}
