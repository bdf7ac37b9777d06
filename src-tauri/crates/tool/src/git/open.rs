//! Finds and opens the repository of a project, believing nothing that it says about programs or other places.

use super::path::Prefix;
use super::{Error, View};
use gix::ObjectId;
use gix::open::Options;
use std::fs;
use std::path::{Path, PathBuf};

/// The largest object that is unpacked, in bytes: what claims to be more is refused instead of filling the memory.
const LARGEST_OBJECT: u64 = 64 * 1024 * 1024;

/// A repository and the project's place in it.
pub(super) struct Opened {
    pub repo: gix::Repository,
    /// Its folder of files, without symbolic links on the way.
    pub work: PathBuf,
    /// The project's folder in it.
    pub prefix: Prefix,
}

/// Opens the repository that holds the project's folder.
pub(super) fn open(view: &View<'_>) -> Result<Opened, Error> {
    view.go_on()?;
    let root = real(view.root)?;
    let (work, git) = find(&root)?;
    keeps_together(&git)?;
    // Settings of the repository that could name a program or move a limit count for nothing; these do.
    let options = Options::isolated()
        .filter_config_section(|section| section.source == gix::config::Source::Api)
        .config_overrides([
            format!("gitoxide.objects.allocLimit={LARGEST_OBJECT}"),
            "status.showUntrackedFiles=normal".to_owned(),
            "core.useReplaceRefs=false".to_owned(),
        ])
        .open_path_as_is(true)
        .strict_config(false);
    let mut repo = options.open(&git)?.to_thread_local();
    if claims(&repo, "core.bare").is_some_and(|word| word != "false") {
        return Err(Error::Bare);
    }
    let dot = work.join(".git");
    let claimed = claims(&repo, "core.worktree").map(|folder| real(&git.join(folder)));
    let its_own = match (&claimed, git == dot || git.join("gitdir").is_file()) {
        (Some(folder), _) => *folder == Ok(work.clone()),
        // A `.git` file points here, and the repository does not know of it.
        (None, known) => known,
    };
    if !its_own {
        return Err(Error::Elsewhere("it belongs to another folder of files".to_owned()));
    }
    repo.set_workdir(work.clone())?;
    let inside = root
        .strip_prefix(&work)
        .map_err(|_| Error::Elsewhere("its folder of files is not that of the project".to_owned()))?;
    let prefix = gix::path::to_unix_separators_on_windows(gix::path::into_bstr(inside)?).to_string();
    Ok(Opened {
        repo,
        work,
        prefix: Prefix(prefix),
    })
}

/// What the repository itself says of a setting.
fn claims(repo: &gix::Repository, key: &str) -> Option<String> {
    use gix::config::Source;
    let local = |section: &gix::config::file::Metadata| matches!(section.source, Source::Local | Source::Worktree);
    let value = repo.config_snapshot().plumbing().string_filter(key, local)?;
    Some(value.to_string())
}

/// The commit that is checked out.
pub(super) fn head(opened: &Opened) -> Result<ObjectId, Error> {
    let head = opened.repo.head()?;
    match head.is_unborn() {
        true => Err(Error::NoCommits),
        false => Ok(opened.repo.head_id()?.detach()),
    }
}

/// The folder of files and the repository's own folder, as Git looks for them: here, or in the nearest folder above that has one.
fn find(root: &Path) -> Result<(PathBuf, PathBuf), Error> {
    for folder in root.ancestors() {
        let dot = folder.join(".git");
        let Ok(about) = fs::metadata(&dot) else {
            continue;
        };
        if about.is_file() {
            return Ok((folder.to_owned(), linked(folder, &dot)?));
        }
        // An empty folder of that name is no repository; Git looks further up too.
        if about.is_dir() && dot.join("HEAD").exists() {
            return Ok((folder.to_owned(), real(&dot)?));
        }
    }
    Err(Error::NoRepository)
}

/// Where a `.git` file points to: the repository of a linked work tree or of a submodule.
fn linked(folder: &Path, dot: &Path) -> Result<PathBuf, Error> {
    let text = short(dot).ok_or_else(|| Error::Broken("its `.git` file cannot be read".to_owned()))?;
    let target = text
        .strip_prefix("gitdir:")
        .ok_or_else(|| Error::Broken("its `.git` file does not say where the repository is".to_owned()))?;
    let git = real(&folder.join(target.trim()))?;
    // A linked work tree is known to its repository; a submodule names its folder in its configuration, which is looked at when it is open.
    if let Some(back) = short(&git.join("gitdir")) {
        let known = real(&git.join(back.trim())).is_ok_and(|known| known == dot);
        if !known {
            return Err(Error::Elsewhere(
                "its `.git` file points to the repository of another folder".to_owned(),
            ));
        }
    }
    Ok(git)
}

/// Whether all parts of the repository lie in it, or in the repository that a linked work tree belongs to.
fn keeps_together(git: &Path) -> Result<(), Error> {
    let elsewhere = |what: &str| Err(Error::Elsewhere(format!("{what} outside of it")));
    let common = match short(&git.join("commondir")) {
        Some(common) => real(&git.join(common.trim()))?,
        None => git.to_owned(),
    };
    if common != git && git.parent() != Some(&common.join("worktrees")) {
        return elsewhere("its common folder lies");
    }
    for part in [
        "objects",
        "objects/info",
        "objects/pack",
        "refs",
        "packed-refs",
        "shallow",
        "config",
    ] {
        if leads_out(&common, &common.join(part)) {
            return elsewhere("parts of it are links to places");
        }
    }
    for part in ["HEAD", "index", "config.worktree", "refs"] {
        if leads_out(git, &git.join(part)) {
            return elsewhere("parts of it are links to places");
        }
    }
    for folder in [
        "objects",
        "objects/pack",
        "refs",
        "refs/heads",
        "refs/tags",
        "refs/remotes",
    ] {
        for entry in fs::read_dir(common.join(folder)).into_iter().flatten().flatten() {
            if leads_out(&common, &entry.path()) {
                return elsewhere("parts of it are links to places");
            }
        }
    }
    let list = common.join("objects/info/alternates");
    // What is there and is no short text may name anything.
    let Some(alternates) = short(&list).or_else(|| (!list.exists()).then(String::new)) else {
        return elsewhere("it takes objects from a repository (`objects/info/alternates`)");
    };
    for line in alternates
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let target = common.join("objects").join(line);
        if !real(&target).is_ok_and(|target| target.starts_with(&common)) {
            return elsewhere("it takes objects from a repository (`objects/info/alternates`)");
        }
    }
    Ok(())
}

/// Whether a symbolic link leads out of a folder.
fn leads_out(folder: &Path, path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Ok(about) if about.is_symlink() => !real(path).is_ok_and(|target| target.starts_with(folder)),
        _ => false,
    }
}

/// The text of a small file.
fn short(path: &Path) -> Option<String> {
    let about = fs::metadata(path).ok()?;
    (about.is_file() && about.len() <= 4096)
        .then(|| fs::read_to_string(path).ok())
        .flatten()
}

fn real(path: &Path) -> Result<PathBuf, Error> {
    fs::canonicalize(path).map_err(|e| Error::Broken(format!("{}: {e}", path.display())))
}
