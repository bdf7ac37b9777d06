//! The folder of a branch: a copy of the project as it is when the branch begins, and beside it what every file was like then.
//!
//! What is not copied: `.git`, Gatehouse's own folder but for what the run has made, files that programs must not read, sockets, pipes
//! and devices. Links are copied as links.

use super::FOLDER;
use crate::artifacts::LARGEST;
use crate::kept;
use engine::{BranchId, Digest};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use store::below::{self, Folder, Whose};
use store::{private, regular};

/// So many files have a place in a copy, and
const MOST_FILES: u64 = 200_000;
/// so many bytes.
const MOST_BYTES: u64 = 8 << 30;

/// What is known of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Look {
    bytes: u64,
    /// When its content was last written: seconds and nanoseconds.
    written: (i64, i64),
    /// When anything about it last changed. A program cannot set it.
    changed: (i64, i64),
    is_link: bool,
}

impl Look {
    /// Absent: there is no such file or link.
    pub fn at(path: &Path) -> Option<Self> {
        let about = path.symlink_metadata().ok()?;
        (about.is_file() || about.is_symlink()).then(|| Self::of(&about))
    }

    fn of(about: &Metadata) -> Self {
        #[cfg(unix)]
        let (written, changed) = {
            use std::os::unix::fs::MetadataExt;
            ((about.mtime(), about.mtime_nsec()), (about.ctime(), about.ctime_nsec()))
        };
        #[cfg(not(unix))]
        let (written, changed) = {
            let since = about
                .modified()
                .ok()
                .and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
            let at = since.map_or((0, 0), |since| {
                (since.as_secs() as i64, i64::from(since.subsec_nanos()))
            });
            (at, at)
        };
        Self {
            bytes: about.len(),
            written,
            changed,
            is_link: about.is_symlink(),
        }
    }

    pub fn is_link(&self) -> bool {
        self.is_link
    }

    /// Whether a file is what it was, as far as its own program does not say otherwise.
    pub fn holds_the_same(&self, now: &Self) -> bool {
        (self.bytes, self.written, self.is_link) == (now.bytes, now.written, now.is_link)
    }
}

/// A file as it was when a branch began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Began {
    /// In the project.
    pub there: Look,
    /// Its copy.
    pub copy: Look,
    /// What it held; absent of a link and of what is large, and in what an earlier version wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    held: Option<Digest>,
}

impl Began {
    /// Whether the project has it as it was, perhaps written again with the same bytes.
    pub fn is_still(&self, there: &Path) -> bool {
        let now = Look::at(there);
        now.is_some_and(|now| self.there.holds_the_same(&now) || (!now.is_link && self.holds(there)))
    }

    fn holds(&self, there: &Path) -> bool {
        self.held.is_some() && self.held == held(there)
    }
}

/// What a file holds that is not too large.
fn held(file: &Path) -> Option<Digest> {
    Some(store::digest_of(&regular::read(file, LARGEST).ok()?))
}

/// What a copy was like when it was made, by path from its folder, with `/`.
pub(super) type Beginning = BTreeMap<String, Began>;

/// What the copy of a branch is called.
pub(super) fn name_of(id: BranchId) -> String {
    format!("{}-{}", id.fork, id.branch)
}

/// Where it stands of a copy.
pub(super) fn beginning_of(folder: &Path) -> PathBuf {
    folder.with_extension("json")
}

/// What a copy was like when it was made.
///
/// # Errors
/// It cannot be read, a sentence.
pub(super) fn read_beginning(file: &Path) -> Result<Beginning, String> {
    let text =
        regular::read(file, u64::MAX).map_err(|error| format!("`{}` could not be read: {error}", file.display()))?;
    serde_json::from_slice(&text).map_err(|error| format!("`{}` could not be read: {error}", file.display()))
}

/// Makes the copy `to` of the project's folder, or of another copy, `from`; one that is there stays as it is. `hidden`: paths in `from` that
/// are left out. `own`: the run's own folder below it.
///
/// # Errors
/// Why there is none, a sentence.
pub(super) fn make(from: &Path, to: &Path, hidden: &[PathBuf], own: &str, off: &AtomicBool) -> Result<(), String> {
    if to.is_dir() {
        return Ok(());
    }
    let failed = |error: io::Error| format!("the branch has no folder of its own: {error}");
    // What a killed program left half done is begun anew.
    let making = to.with_extension("making");
    if making.symlink_metadata().is_ok() {
        fs::remove_dir_all(&making).map_err(failed)?;
    }
    private::make_folder(&making).map_err(failed)?;
    // Other steps are at work where it is copied from: what they put in the way meanwhile is not followed.
    let (source, target) = (Folder::open(from), Folder::open(&making));
    let (source, target) = (source.map_err(failed)?, target.map_err(failed)?);
    let (mut beginning, mut bytes) = (Beginning::new(), 0_u64);
    files(from, own, &mut |path, about| {
        if off.load(Ordering::Relaxed) {
            return Err("the branch has no folder of its own: it was called off".to_owned());
        }
        if hidden.iter().any(|hidden| path.starts_with(hidden)) {
            return Ok(false);
        }
        let relative = relative(from, path)?;
        let copy = making.join(&relative);
        if about.is_dir() {
            target.make(&relative, Whose::Anyones).map_err(failed)?;
            return Ok(true);
        }
        bytes = bytes.saturating_add(about.len());
        if beginning.len() as u64 >= MOST_FILES || bytes > MOST_BYTES {
            return Err(format!(
                "the branch has no folder of its own: the project holds more than {MOST_FILES} files or {} GiB, which are too many to copy for \
                 each branch. Write `isolation: shared` where the branches do not get in each other's way",
                MOST_BYTES >> 30
            ));
        }
        copied((&source, path, about), &target, &relative)
            .map_err(|error| format!("the branch has no folder of its own: `{relative}`: {error}"))?;
        let began = Began {
            there: Look::of(about),
            copy: Look::at(&copy).ok_or_else(|| format!("`{relative}` could not be copied for the branch"))?,
            held: about.is_file().then(|| held(&copy)).flatten(),
        };
        beginning.insert(relative, began);
        Ok(true)
    })?;
    let text = serde_json::to_vec(&beginning).expect("text and numbers");
    let file = beginning_of(to);
    if file.symlink_metadata().is_ok() {
        fs::remove_file(&file).map_err(failed)?;
    }
    private::write_new(&file, &text).map_err(failed)?;
    fs::rename(&making, to).map_err(failed)
}

/// Copies a file or a link, which is found `at` its path and is `path` in both folders.
fn copied((source, at, about): (&Folder, &Path, &Metadata), target: &Folder, path: &str) -> io::Result<()> {
    if about.is_symlink() {
        return target.symlink(fs::read_link(at)?, path);
    }
    let mut file = source.file(path)?;
    target.replace(path, Whose::Anyones, |copy| {
        fill(&mut file, copy)?;
        // When it was written says whether it is this run's work.
        about.modified().map_or(Ok(()), |at| copy.set_modified(at))
    })
}

/// Gives a new file what another one holds, and its rights.
pub(super) fn fill(source: &mut File, target: &mut File) -> io::Result<()> {
    // No file that its own branch could not write.
    kept::fill(source, target, 0o600)
}

/// A path from the folder, with `/`.
///
/// # Errors
/// Its name is no text.
pub(super) fn relative(folder: &Path, path: &Path) -> Result<String, String> {
    let inside = path.strip_prefix(folder).unwrap_or(path);
    let text = inside.to_str().ok_or_else(|| {
        format!(
            "the name of `{}` is no text, so a branch of its own cannot have it",
            path.display()
        )
    })?;
    Ok(text.replace(std::path::MAIN_SEPARATOR, "/"))
}

/// Looks at every file, link and folder that a copy has: a folder comes before what it holds, and where `look` says `false`, that is
/// not looked at.
///
/// # Errors
/// What `look` says, and what cannot be read.
pub(super) fn files(
    folder: &Path,
    own: &str,
    look: &mut dyn FnMut(&Path, &Metadata) -> Result<bool, String>,
) -> Result<(), String> {
    let own = folder.join(own);
    let (branches, records) = (own.join(FOLDER), folder.join(project_folder(&own, folder)));
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let failed = |error: io::Error| format!("`{}` could not be read: {error}", next.display());
        for entry in fs::read_dir(&next).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let Ok(about) = path.symlink_metadata() else { continue };
            let is_git = path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".git"));
            // Of Gatehouse's own folder nothing but what this run has made.
            let others = path.starts_with(&records) && !own.starts_with(&path) && !path.starts_with(&own);
            let is_known = about.is_dir() || about.is_file() || about.is_symlink();
            // What Gatehouse is writing beside a file of its person is nobody's.
            let is_draft = about.is_file() && path.file_name().is_some_and(below::is_draft);
            if is_git || others || !is_known || is_draft || path == branches {
                continue;
            }
            if look(&path, &about)? && about.is_dir() {
                folders.push(path);
            }
        }
    }
    Ok(())
}

/// The first part of the way to a folder.
fn project_folder(own: &Path, folder: &Path) -> PathBuf {
    let way = own.strip_prefix(folder).unwrap_or(own);
    way.components()
        .next()
        .map(|part| PathBuf::from(part.as_os_str()))
        .unwrap_or_default()
}
