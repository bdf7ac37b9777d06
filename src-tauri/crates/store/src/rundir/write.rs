//! Files on disk: each one atomically, only what differs, never outside the run's directory.

use super::Files;
use crate::Error;
use crate::contract::paths::is_inside;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes the files whose bytes differ from those on disk; returns their paths.
///
/// # Errors
/// [`Error::Outside`] for a path that leaves `dir` or leads through a link; [`Error::Io`], [`Error::ReadOnly`],
/// [`Error::DiskFull`]. A file is either its old self or its new one, never half.
pub fn write(dir: &Path, files: &Files) -> Result<Vec<String>, Error> {
    let mut written = Vec::new();
    for (path, bytes) in files {
        let target = inside(dir, path)?;
        if std::fs::read(&target).is_ok_and(|there| there == *bytes) {
            continue;
        }
        let parent = target.parent().unwrap_or(dir);
        std::fs::create_dir_all(parent).map_err(|e| Error::io(parent, e))?;
        let mut file = atomic_write_file::AtomicWriteFile::open(&target).map_err(|e| Error::io(&target, e))?;
        file.write_all(bytes)
            .and_then(|()| file.commit())
            .map_err(|e| Error::io(&target, e))?;
        written.push(path.clone());
    }
    Ok(written)
}

/// Deletes the contract's files in `dir`, strays included, and writes `files`; anything else in it stays.
///
/// # Errors
/// Those of [`write`].
pub fn rebuild(dir: &Path, files: &Files) -> Result<Vec<String>, Error> {
    let old = files.keys().cloned().chain(stray(dir, files)?);
    for path in old {
        let target = inside(dir, &path)?;
        match std::fs::remove_file(&target) {
            Ok(()) => {}
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(Error::io(&target, e)),
        }
    }
    write(dir, files)
}

/// Files that stand where only receipts and transcripts should, and are none of `files`.
///
/// # Errors
/// [`Error::Io`].
pub fn stray(dir: &Path, files: &Files) -> Result<Vec<String>, Error> {
    let folders: BTreeSet<&str> = files.keys().filter_map(|path| Some(path.rsplit_once('/')?.0)).collect();
    let mut found = Vec::new();
    for folder in folders {
        let path = inside(dir, folder)?;
        let entries = match std::fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
            Err(e) => return Err(Error::io(&path, e)),
        };
        for entry in entries {
            let entry = entry.map_err(|e| Error::io(&path, e))?;
            // A name that is no Unicode cannot be one of ours and is not ours to name or to delete.
            let Some(name) = entry.file_name().to_str().map(|name| format!("{folder}/{name}")) else {
                continue;
            };
            if !files.contains_key(&name) && entry.file_type().is_ok_and(|t| t.is_file()) {
                found.push(name);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The place of a relative path, refused when it would leave `dir` by its name or through a link.
fn inside(dir: &Path, path: &str) -> Result<PathBuf, Error> {
    let outside = || Error::Outside { path: path.to_owned() };
    if !is_inside(path) {
        return Err(outside());
    }
    let mut target = dir.to_owned();
    for part in path.split('/') {
        target.push(part);
        if target.symlink_metadata().is_ok_and(|m| m.file_type().is_symlink()) {
            return Err(outside());
        }
    }
    Ok(target)
}
