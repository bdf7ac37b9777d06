//! Locks between programs: one of them at a time changes a file.

use crate::private;
use std::fs::File;
use std::io;
use std::path::Path;

/// Keeps other programs from changing a file until what is returned is dropped. The lock is a file beside it, because the file itself is
/// replaced.
///
/// # Errors
/// The lock cannot be made or taken.
pub fn with(file: &Path) -> io::Result<File> {
    let beside = file.with_extension("lock");
    if let Some(folder) = beside.parent() {
        private::make_folder(folder)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let lock = options.open(beside)?;
    lock.lock()?;
    Ok(lock)
}

/// Keeps everybody else who uses Gatehouse from changing workflow files of a project until what is returned is dropped: between reading
/// one and writing it no change comes to be lost. `root`: the project's folder.
///
/// # Errors
/// The lock cannot be made or taken.
pub fn authoring(root: &Path) -> io::Result<File> {
    with(&root.join(".gatehouse").join("authoring"))
}
